/* Copies of rows for Gaussians: dense floats, less their mean (kernel_rows.h says why). */
#include "base/base.h"
#include "kernel/block.h"

#define CENTRED_ROWS_BYTES ((uint64_t)64 << 20) /* at most */

enum { CENTRED_ROWS_PARTS = 64 };

typedef struct centred_rows_shift {
    const hsp_view *view;
    const double *mean; /* cols */
    float *values;      /* rows * cols */
} centred_rows_shift;

static void centred_rows_shift_part(void *user, uint64_t part)
{
    const centred_rows_shift *work = user;
    const hsp_view *view = work->view;
    for (uint64_t i = hsp__part(view->rows, CENTRED_ROWS_PARTS, part);
         i < hsp__part(view->rows, CENTRED_ROWS_PARTS, part + 1); i++) {
        const hsp__row row = hsp__view_row(view, i);
        float *to = work->values + i * view->cols;
        for (uint64_t j = 0; j < view->cols; j++)
            to[j] = (float)-work->mean[j];
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            to[j] = (float)(hsp__row_value(view, &row, k) - work->mean[j]);
        }
    }
}

/* The mean of some thousand rows does. */
static void centred_rows_mean(const hsp_view *view, double *mean)
{
    const uint64_t step = view->rows / 4096 + 1;
    double count = 0;
    for (uint64_t i = 0; i < view->rows; i += step, count++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            mean[hsp__row_column(&row, k)] += hsp__row_value(view, &row, k);
    }
    for (uint64_t j = 0; j < view->cols; j++)
        mean[j] /= count;
}

/* Rows of floats, which become theirs. */
static hsp_status centred_rows_own(hsp_context *ctx, const hsp_kernel *kernel, float *values,
                                   uint64_t n, uint64_t cols, hsp_error *err,
                                   hsp__kernel_rows **out)
{
    const hsp__kernel_road floats = {0};
    hsp__kernel_rows *rows = NULL;
    hsp_view *view = hsp__new(&ctx->allocator, 1, sizeof *view);
    hsp_status status = view ? HSP_OK : hsp__fail_memory(err);
    if (view) *view = hsp_view_dense(HSP_FLOAT32, n, cols, cols, values);
    if (!status) status = hsp__kernel_rows_new(ctx, kernel, view, NULL, err, &rows);
    if (status) {
        hsp__free(&ctx->allocator, values);
        hsp__free(&ctx->allocator, view);
        return status;
    }
    rows->shifted = 1;
    status = hsp__kernel_pack(ctx, &floats, UINT64_MAX, rows, err);
    if (status)
        hsp__kernel_gathered_free(ctx, rows);
    else
        *out = rows;
    return status;
}

hsp_status hsp__kernel_centre(hsp_context *ctx, hsp__kernel_rows *rows, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    const hsp_kernel *kernel = rows->kernel;
    const uint64_t n = rows->view->rows, cols = rows->view->cols;
    if (kernel->count != 1 || kernel->nodes[0].op != HSP__KERNEL_RBF || kernel->spaces[0].count ||
        rows->view->storage == HSP_ONES || n == 0 || cols == 0 || rows->products ||
        hsp__kernel_road_of(rows).entries || cols > CENTRED_ROWS_BYTES / sizeof(float) / n)
        return HSP_OK;
    double *mean = hsp__new(memory, cols, sizeof *mean);
    float *values = hsp__new_raw(memory, n * cols, sizeof *values);
    if (!mean || !values) {
        hsp__free(memory, mean);
        hsp__free(memory, values);
        return hsp__fail_memory(err);
    }
    centred_rows_mean(rows->view, mean);
    centred_rows_shift work = {rows->view, mean, values};
    hsp__tasks_run(ctx, CENTRED_ROWS_PARTS, centred_rows_shift_part, &work);
    hsp__free(memory, mean);
    return centred_rows_own(ctx, kernel, values, n, cols, err, &rows->centred);
}

hsp_status hsp__kernel_gather(hsp_context *ctx, const hsp__kernel_rows *centred,
                              const uint64_t *list, uint64_t count, hsp_error *err,
                              hsp__kernel_rows **out)
{
    const uint64_t cols = centred->view->cols;
    const float *from = centred->view->values;
    float *values = hsp__new_raw(&ctx->allocator, count * cols, sizeof *values);
    if (!values) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++)
        memcpy(values + i * cols, from + list[i] * cols, cols * sizeof *values);
    return centred_rows_own(ctx, centred->kernel, values, count, cols, err, out);
}
