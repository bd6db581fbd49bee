/* Any bytes as a model of another program: what is accepted scores rows, and can be written for
 * that program again; what was written reads back to a model of the same classes. Also as a range
 * file of svm-scale. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "data/range_file.h"
#include "model/import.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_expect(hsp_status status, const hsp_error *err)
{
    if (status != HSP_OK && (status != HSP_BAD_DATA || !err->message[0])) abort();
}

static void fuzz_score(hsp_context *ctx, const hsp_model *model)
{
    enum { ROWS = 3, COLS = 4 };
    static const double dense[ROWS * COLS] = {1, -2, 0.5, 0, 0, 0, 0, 0, 3, 1, -1, 7};
    double *scores = calloc((size_t)model->scorers * ROWS, sizeof *scores);
    uint32_t classes[ROWS];
    hsp_error err = {0};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, dense);
    if (scores && model->features <= 1 << 20)
        fuzz_expect(hsp_model_score(ctx, model, &view, &err, scores, classes), &err);
    free(scores);
}

/* A linear model of many columns and pairs is large as a table of weights: not here. */
static void fuzz_back(hsp_context *ctx, const hsp_model *model, int libsvm)
{
    hsp__writer writer = {.output = NULL};
    hsp_model *back = NULL;
    hsp_error err = {0};
    hsp__text_init(&writer.text, &ctx->allocator);
    hsp_status status = hsp__model_export_text(ctx, model, libsvm, &writer, &err);
    if (status == HSP_OK) {
        hsp__model_import_text(ctx, writer.text.data, writer.text.size, "back", &err, &back);
        /* sums that overflow are the one thing that does not come back */
        if (back && hsp_model_classes(back) != hsp_model_classes(model)) abort();
        if (!back && !strstr(writer.text.data, "inf") && !strstr(writer.text.data, "nan")) abort();
    } else if (status != HSP_USAGE) {
        fuzz_expect(status, &err);
    }
    hsp_model_free(back);
    hsp__text_free(&writer.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    hsp_context *ctx;
    hsp_model *model = NULL;
    hsp_error err = {0};
    if (hsp_context_new(NULL, &ctx)) return 0;
    hsp_context_set_threads(ctx, 1);
    fuzz_expect(hsp__model_import_text(ctx, (const char *)bytes, size, "fuzz", &err, &model), &err);
    if (model) {
        fuzz_score(ctx, model);
        if (model->features <= 1 << 16) {
            fuzz_back(ctx, model, 1);
            fuzz_back(ctx, model, 0);
        }
    }
    hsp_model_free(model);
    hsp__range range = {0};
    fuzz_expect(hsp__range_parse(ctx, (const char *)bytes, size, "fuzz", &err, &range), &err);
    hsp__range_free(ctx, &range);
    hsp_context_free(ctx);
    return 0;
}
