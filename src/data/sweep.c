#include "data/sweep.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

#define SWEEP_REPORTS 64 /* about how often a pass reports its progress */
#define SWEEP_LANES   8

uint64_t hsp__sweep_parts(const hsp_data *data)
{
    uint64_t rows = data->view.rows, nonzeros = data->nonzeros;
    return hsp__parts(rows, 16 + (rows ? nonzeros / rows * sizeof(double) : 0));
}

typedef struct sweep_slice {
    void (*fn)(void *user, uint64_t part);
    void *user;
    uint64_t first;
} sweep_slice;

static void sweep_task(void *user, uint64_t task)
{
    const sweep_slice *slice = user;
    slice->fn(slice->user, slice->first + task);
}

hsp_status hsp__sweep(hsp_context *ctx, const char *phase, uint64_t rows, uint64_t parts,
                      void (*fn)(void *user, uint64_t part), void *user, hsp_error *err)
{
    uint64_t step = parts;
    if (ctx->progress) {
        const uint64_t threads = (uint64_t)hsp_context_threads(ctx);
        step = parts / SWEEP_REPORTS < threads ? threads : parts / SWEEP_REPORTS;
    }
    for (uint64_t part = 0; part < parts; part += step) {
        if (step > parts - part) step = parts - part;
        sweep_slice slice = {fn, user, part};
        hsp__tasks_run(ctx, step, sweep_task, &slice);
        HSP__TRY(hsp__progress(ctx, phase, "rows", hsp__part(rows, parts, part + step), rows, err));
    }
    return HSP_OK;
}

static double sweep_square_sum(const hsp_view *view, const hsp__row *row, double scale)
{
    double sums[SWEEP_LANES] = {0};
    for (uint64_t k = 0; k < row->count; k++) {
        double v = hsp__row_value(view, row, k) * scale;
        sums[hsp__row_column(row, k) % SWEEP_LANES] += v * v;
    }
    for (int half = SWEEP_LANES / 2; half; half /= 2)
        for (int j = 0; j < half; j++)
            sums[j] += sums[j + half];
    return sums[0];
}

double hsp__row_norm(const hsp_view *view, const hsp__row *row)
{
    double plain = sweep_square_sum(view, row, 1);
    if (plain >= 0x1p-900 && plain <= 0x1p900) return sqrt(plain);
    double most = 0;
    for (uint64_t k = 0; k < row->count; k++)
        most = fmax(most, fabs(hsp__row_value(view, row, k)));
    if (most == 0) return 0;
    double scale = most > 1 ? 0x1p-600 : 0x1p600;
    return sqrt(sweep_square_sum(view, row, scale)) / scale;
}

typedef struct sweep_norms {
    const hsp_view *view;
    uint64_t parts;
    double *most; /* parts: the largest norm in each */
} sweep_norms;

static void sweep_norm_part(void *user, uint64_t part)
{
    sweep_norms *norms = user;
    uint64_t to = hsp__part(norms->view->rows, norms->parts, part + 1);
    for (uint64_t i = hsp__part(norms->view->rows, norms->parts, part); i < to; i++) {
        hsp__row row = hsp__view_row(norms->view, i);
        norms->most[part] = fmax(norms->most[part], hsp__row_norm(norms->view, &row));
    }
}

hsp_status hsp__largest_norm(hsp_context *ctx, const hsp_data *data, hsp_error *err, double *norm)
{
    sweep_norms norms = {.view = &data->view, .parts = hsp__sweep_parts(data)};
    norms.most = hsp__new(&ctx->allocator, norms.parts, sizeof *norms.most);
    if (!norms.most) return hsp__fail_memory(err);
    hsp_status status =
        hsp__sweep(ctx, "measuring", norms.view->rows, norms.parts, sweep_norm_part, &norms, err);
    double most = 0;
    for (uint64_t part = 0; part < norms.parts; part++)
        most = fmax(most, norms.most[part]);
    hsp__free(&ctx->allocator, norms.most);
    if (!status) *norm = most;
    return status;
}
