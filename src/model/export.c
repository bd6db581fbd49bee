/* Models for other programs: what both formats share, and LIBLINEAR's (import_liblinear.c has its
 * shape). Numbers are written so that they read back to the same bits. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/scale.h"
#include "model/import.h"
#include "model/probability.h"

#define EXPORT_PIECE ((size_t)1 << 20)
#define EXPORT_LINES 256 /* between two reports of progress */

void hsp__writer_number(hsp__writer *writer, double number)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(number, digits);
    hsp__text_puts(&writer->text, digits);
}

hsp_status hsp__writer_flush(hsp__writer *writer, int all, hsp_error *err)
{
    if (writer->text.failed) return hsp__fail_memory(err);
    if (!writer->output || (!all && writer->text.size < EXPORT_PIECE)) return HSP_OK;
    hsp_status status =
        hsp__output_write(writer->output, writer->text.data, writer->text.size, err);
    writer->text.size = 0;
    return status;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* A whole number that an int holds, written as these programs would print it? */
static int export_is_int(const char *name)
{
    double value;
    hsp__decimal_result result;
    const char *end = name + strlen(name);
    if (hsp__decimal_f64(name, end, &value, &result) != end || result != HSP__DECIMAL_OK) return 0;
    return floor(value) == value && fabs(value) <= 2147483647.0;
}

int hsp__export_numbered(const hsp_model *model)
{
    for (uint32_t c = 0; c < model->class_names.count; c++)
        if (!export_is_int(hsp__names_get(&model->class_names, c))) return 1;
    return 0;
}

void hsp__export_label(hsp__writer *writer, const hsp_model *model, uint32_t class)
{
    double value = (double)class + 1;
    hsp__decimal_result result;
    const char *name = hsp__names_get(&model->class_names, class);
    if (!hsp__export_numbered(model)) hsp__decimal_f64(name, name + strlen(name), &value, &result);
    hsp__text_printf(&writer->text, " %.0f", value);
}

static void export_tell_labels(hsp_context *ctx, const hsp_model *model)
{
    if (!hsp__export_numbered(model)) return;
    hsp__log(ctx, HSP_LOG_NOTE,
             "the format has whole numbers as labels: 1 is '%.60s', 2 is '%.60s'%s",
             hsp__names_get(&model->class_names, 0), hsp__names_get(&model->class_names, 1),
             model->class_names.count > 2 ? ", and so on in the model's order" : "");
}

/* ---- Probabilities --------------------------------------------------------------------------- */

int hsp__export_has_platt(const hsp_model *model)
{
    const hsp__probability *map = &model->probability;
    return map->calibration == HSP__CALIBRATION_PLATT && model->scorers == 1 &&
           !(map->threshold > 0);
}

static void export_tell_probabilities(hsp_context *ctx, const hsp_model *model, int libsvm)
{
    if (!hsp__probability_decides(&model->probability)) return;
    if (libsvm && hsp__export_has_platt(model))
        hsp__log(ctx, HSP_LOG_NOTE,
                 "the calibration is written as probA and probB; svm-predict -b 1 decides by it, "
                 "as this model does; without -b 1 it decides by the sign of the score");
    else
        hsp__log(ctx, HSP_LOG_WARNING,
                 "this model decides by its probabilities, but the exported one by its scores: "
                 "some rows may get another class");
}

/* ---- Linear models on rows as they are ------------------------------------------------------- */

/* w (x - shift) factor + b, as weights and an offset of x. */
static void export_unscale(hsp__plain *plain, uint32_t scorers, const hsp_scaling *scaling)
{
    const hsp__scaling_parts parts = hsp__scaling_look(scaling);
    for (uint32_t c = 0; c < scorers; c++) {
        double *w = plain->weights + c * plain->inputs;
        for (uint64_t j = 0; j < plain->inputs; j++) {
            w[j] *= parts.factor[j];
            plain->offsets[c] -= w[j] * parts.shift[j];
        }
    }
}

hsp_status hsp__plain_init(hsp__plain *plain, hsp_context *ctx, const hsp_model *model,
                           const char *format, hsp_error *err)
{
    const uint32_t scorers = model->scorers;
    *plain = (hsp__plain){.inputs = hsp__model_inputs(model)};
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        const hsp_scaling *scaling = model->scalings[i];
        if (!scaling || !(hsp__scaling_is_by_rows(scaling) || hsp__scaling_is_votes(scaling)))
            continue;
        if (hsp__scaling_is_votes(scaling))
            return hsp__fail(err, HSP_USAGE,
                             "%s cannot turn numbers into votes, as this model does; use it with "
                             "halfspace predict",
                             format);
        return hsp__fail(err, HSP_USAGE,
                         "%s cannot divide rows by their norm, as this model does; scale the data "
                         "with halfspace scale and train on the result",
                         format);
    }
    plain->weights = hsp__new_raw(&ctx->allocator, scorers * plain->inputs, sizeof(double));
    plain->offsets = hsp__new_raw(&ctx->allocator, scorers, sizeof(double));
    if (!plain->weights || !plain->offsets) {
        hsp__plain_free(plain, ctx);
        return hsp__fail_memory(err);
    }
    for (uint32_t c = 0; c < scorers; c++) {
        plain->offsets[c] = hsp__model_bias(model, c);
        if (plain->inputs)
            memcpy(plain->weights + c * plain->inputs, model->weights + c * model->features,
                   (size_t)plain->inputs * sizeof(double));
    }
    for (int i = HSP__MODEL_SCALINGS - 1; i >= 0; i--)
        if (model->scalings[i]) export_unscale(plain, scorers, model->scalings[i]);
    return HSP_OK;
}

void hsp__plain_free(hsp__plain *plain, hsp_context *ctx)
{
    hsp__free(&ctx->allocator, plain->weights);
    hsp__free(&ctx->allocator, plain->offsets);
    *plain = (hsp__plain){0};
}

/* ---- LIBLINEAR ------------------------------------------------------------------------------- */

/* Which solver to name: predictions do not depend on it, but whether probabilities are printed. */
static const char *export_solver(const hsp_model *model)
{
    const char *kind = hsp_model_metadata(model, "imported_kind");
    const char *from = hsp_model_metadata(model, "imported_from");
    const int twice = model->class_names.count == 2 && kind && strcmp(kind, "MCSVM_CS") == 0;
    if (kind && from && strcmp(from, "LIBLINEAR") == 0 && !twice) return kind;
    return model->probability.link == HSP__LINK_LOGISTIC ? "L2R_LR" : "L2R_L2LOSS_SVC";
}

static void export_liblinear_header(hsp__writer *writer, const hsp_model *model,
                                    const hsp__plain *plain, int backwards, int bias)
{
    const uint32_t classes = model->class_names.count;
    hsp__text_printf(&writer->text, "solver_type %s\nnr_class %u\nlabel", export_solver(model),
                     classes);
    for (uint32_t c = 0; c < classes; c++)
        hsp__export_label(writer, model, backwards ? classes - 1 - c : c);
    hsp__text_printf(&writer->text, "\nnr_feature %llu\nbias %s\nw\n",
                     (unsigned long long)plain->inputs, bias ? "1" : "-1");
}

/* A line of the file: numbers of all scorers that lie `step` apart. */
static void export_liblinear_line(hsp__writer *writer, const hsp_model *model, const double *from,
                                  uint64_t step, int backwards)
{
    const uint32_t scorers = model->scorers;
    const double sign = scorers == 1 && !backwards ? -1 : 1;
    for (uint32_t c = 0; c < scorers; c++) {
        const uint32_t scorer = backwards ? scorers - 1 - c : c;
        hsp__writer_number(writer, sign * from[scorer * step] + 0);
        hsp__text_puts(&writer->text, " ");
    }
    hsp__text_puts(&writer->text, "\n");
}

/* The first label is the positive one of two, and the first of equals wins: so classes stand
 * backwards when our tie rule says the first of two, or the last of more. */
hsp_status hsp__export_liblinear(hsp_context *ctx, const hsp_model *model, hsp__writer *writer,
                                 hsp_error *err)
{
    const char *base = hsp_model_metadata(model, "index_base");
    const int backwards =
        model->scorers == 1 ? model->tie != HSP_TIE_POS : model->tie == HSP_TIE_POS;
    int bias = 0;
    hsp__plain plain;
    if (model->hypothesis != HSP__LINEAR || model->pairs)
        return hsp__fail(
            err, HSP_USAGE, "LIBLINEAR models are linear with one score per class; this one %s",
            model->pairs ? "has one per pair of classes (use --format libsvm)" : "is not");
    if (base && strcmp(base, "0") == 0)
        return hsp__fail(err, HSP_USAGE,
                         "LIBLINEAR numbers columns from 1; this model's first column is 0");
    hsp_status status = hsp__plain_init(&plain, ctx, model, "LIBLINEAR", err);
    if (status) return status;
    for (uint32_t c = 0; c < model->scorers; c++)
        bias |= plain.offsets[c] != 0;
    export_liblinear_header(writer, model, &plain, backwards, bias);
    for (uint64_t j = 0; !status && j < plain.inputs; j++) {
        if (j % EXPORT_LINES == 0)
            status = hsp__progress(ctx, "writing", "columns", j, plain.inputs, err);
        export_liblinear_line(writer, model, plain.weights + j, plain.inputs, backwards);
        if (!status) status = hsp__writer_flush(writer, 0, err);
    }
    if (bias) export_liblinear_line(writer, model, plain.offsets, 1, backwards);
    hsp__plain_free(&plain, ctx);
    return status;
}

/* ---- Either ---------------------------------------------------------------------------------- */

/* What the model was trained on, on a last line, which neither program reads. */
static void export_data(hsp__writer *writer, const hsp_model *model)
{
    const char *own = hsp_model_metadata(model, "data_hash");
    const char *single = hsp_model_metadata(model, "data_hash_single");
    const char *earlier = hsp_model_metadata(model, "earlier_data_hashes");
    if (own)
        hsp__text_printf(&writer->text, HSP__TRAINED_ON "%s%s%s%s%s\n", own, single ? " " : "",
                         single ? single : "", earlier ? " " : "", earlier ? earlier : "");
}

hsp_status hsp_model_export(hsp_context *ctx, const hsp_model *model, const char *format,
                            const char *path, hsp_error *err)
{
    HSP__NEED(err, ctx, model, format, path);
    const int libsvm = strcmp(format, "libsvm") == 0;
    hsp__writer writer = {.output = NULL};
    if (!libsvm && strcmp(format, "liblinear") != 0)
        return hsp__fail(err, HSP_USAGE, "there is no format '%.40s', expected libsvm or liblinear",
                         format);
    hsp__text_init(&writer.text, &ctx->allocator);
    hsp_status status = hsp__output_open(ctx, path, err, &writer.output);
    if (!status)
        status = libsvm ? hsp__export_libsvm(ctx, model, &writer, err)
                        : hsp__export_liblinear(ctx, model, &writer, err);
    if (!status) export_data(&writer, model);
    if (!status) status = hsp__writer_flush(&writer, 1, err);
    if (!status) status = hsp__output_commit(writer.output, err);
    hsp__output_free(writer.output);
    hsp__text_free(&writer.text);
    if (status) return status;
    export_tell_labels(ctx, model);
    export_tell_probabilities(ctx, model, libsvm);
    if (model->tie == HSP_TIE_ZERO)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "rows on the boundary get a class there, because the format has no undecided "
                 "prediction");
    return HSP_OK;
}
