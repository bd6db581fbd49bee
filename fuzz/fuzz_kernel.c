/* Any text as a kernel expression. What parses prints a canonical text that parses to the same
 * text; what is no kernel by closure is refused unless asked for; what is refused says where. On a
 * few rows the values are finite and symmetric, or an error: NaN never enters. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "halfspace_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_ROWS = 4, FUZZ_COLS = 3 };

static void fuzz_must(int condition)
{
    if (!condition) abort();
}

static hsp_kernel *fuzz_parse(hsp_context *ctx, const char *text, int allow)
{
    hsp_kernel *kernel = NULL;
    hsp_error err = {0};
    const hsp_status status = hsp_kernel_parse(ctx, text, allow, 1, &err, &kernel);
    fuzz_must(status == HSP_OK || (status == HSP_USAGE && err.message[0] && err.column > 0));
    fuzz_must((status == HSP_OK) == (kernel != NULL));
    return kernel;
}

static void fuzz_values(hsp_context *ctx, hsp_kernel *kernel)
{
    static const double rows[FUZZ_ROWS * FUZZ_COLS] = {0, 0, 0, 1, 2, 3, 0.5, 0, -1, 1, 2, 3};
    double gram[FUZZ_ROWS * FUZZ_ROWS];
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, FUZZ_ROWS, FUZZ_COLS, FUZZ_COLS, rows);
    hsp_data *points = NULL;
    hsp_error err = {0};
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &points) != HSP_OK) abort();
    hsp_status status = hsp_kernel_fit(ctx, kernel, &view, &err);
    if (status == HSP_OK) status = hsp_kernel_gram(ctx, kernel, points, NULL, &err, gram);
    fuzz_must(status == HSP_OK || (status == HSP_BAD_DATA && err.message[0]));
    for (int i = 0; i < FUZZ_ROWS && status == HSP_OK; i++)
        for (int j = 0; j < FUZZ_ROWS; j++) {
            fuzz_must(isfinite(gram[i * FUZZ_ROWS + j]));
            fuzz_must(gram[i * FUZZ_ROWS + j] == gram[j * FUZZ_ROWS + i]);
        }
    hsp_data_free(points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsp_context *ctx = NULL;
    char *text = malloc(size + 1);
    if (!text || hsp_context_new(NULL, &ctx) != HSP_OK) abort();
    hsp_context_set_threads(ctx, 1);
    if (size) memcpy(text, data, size);
    text[size] = 0;
    hsp_kernel *kernel = fuzz_parse(ctx, text, 1), *strict = fuzz_parse(ctx, text, 0);
    fuzz_must((strict != NULL) == (kernel && !hsp_kernel_is_indefinite(kernel)));
    if (kernel) {
        hsp_kernel *again = fuzz_parse(ctx, hsp_kernel_text(kernel), 1);
        fuzz_must(again && strcmp(hsp_kernel_text(again), hsp_kernel_text(kernel)) == 0);
        fuzz_must(hsp_kernel_is_indefinite(again) == hsp_kernel_is_indefinite(kernel));
        hsp_kernel_free(again);
        fuzz_values(ctx, kernel);
    }
    hsp_kernel_free(kernel);
    hsp_kernel_free(strict);
    hsp_context_free(ctx);
    free(text);
    return 0;
}
