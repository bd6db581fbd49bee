#include "model/support.h"

#include "base/base.h"
#include "data/convert_storage.h"
#include "kernel/gram.h"
#include "model/model.h"

#define SUPPORT_BYTES ((uint64_t)1 << 28) /* more than that is not copied side by side */

/* Sparse rows that matrix products are made of are gathered for every tile: once is better. */
static hsp_status support_spread(hsp__support *support, hsp_context *ctx, hsp_data *rows,
                                 hsp_error *err)
{
    const hsp_view *view = &rows->view;
    const hsp__storage_change plan = {.storage = HSP_DENSE,
                                      .precision = support->road.wide ? HSP_FLOAT64 : HSP_FLOAT32,
                                      .cols = view->cols,
                                      .phase = "changing the storage"};
    if (support->road.entries || view->storage == HSP_DENSE || !view->rows ||
        view->cols > SUPPORT_BYTES / sizeof(double) / view->rows)
        return HSP_OK;
    return hsp__data_convert_storage(ctx, rows, &plan, err, &support->dense);
}

hsp_status hsp__support_init(hsp__support *support, hsp_context *ctx, const hsp_kernel *kernel,
                             hsp_data *rows, const uint64_t *source, hsp_error *err)
{
    hsp_context quiet = hsp__quiet(ctx);
    const hsp_view *view = NULL;
    *support = (hsp__support){.kernel = kernel};
    hsp_status status = hsp_data_view(&quiet, rows, err, &view);
    if (!status) status = hsp__kernel_rows_new(&quiet, kernel, view, source, err, &support->rows);
    if (status) return status;
    support->road = hsp__kernel_road_of(support->rows);
    status = hsp__kernel_pack(&quiet, &support->road, SUPPORT_BYTES, support->rows, err);
    if (!status && !support->rows->packed.values)
        status = support_spread(support, &quiet, rows, err);
    if (!status && support->dense) {
        if (view->storage == HSP_ONES)
            support->ones = support->rows;
        else
            hsp__kernel_rows_free(ctx, support->rows);
        support->rows = NULL;
        status = hsp__kernel_rows_new(&quiet, kernel, &support->dense->view, source, err,
                                      &support->rows);
    }
    if (status) hsp__support_free(support, ctx);
    return status;
}

void hsp__support_free(hsp__support *support, hsp_context *ctx)
{
    hsp__kernel_rows_free(ctx, support->rows);
    hsp__kernel_rows_free(ctx, support->ones);
    hsp_data_free(support->dense);
    *support = (hsp__support){0};
}

hsp_status hsp__guests_init(hsp__guests *guests, hsp_context *ctx, const hsp__support *support,
                            const hsp_view *view, hsp_error *err)
{
    *guests = (hsp__guests){.road = support->road};
    guests->road.wide |= view->precision == HSP_FLOAT64;
    hsp_status status = hsp__kernel_check_guests(support->rows, view, err);
    if (status) return status;
    return hsp__kernel_rows_new(ctx, support->kernel, view, NULL, err, &guests->rows);
}

void hsp__guests_free(hsp__guests *guests, hsp_context *ctx)
{
    hsp__kernel_rows_free(ctx, guests->rows);
}

hsp_status hsp__support_values(hsp_context *ctx, const hsp__support *support,
                               const hsp__guests *guests, uint64_t from, uint64_t count,
                               uint64_t at, uint64_t some, double *out, uint64_t ld, hsp_error *err)
{
    hsp__kernel_rows rows = *guests->rows;
    rows.road = &guests->road;
    const hsp__kernel_pick a = {.rows = &rows, .from = from, .count = count};
    const int counts = support->ones && rows.view->storage == HSP_ONES;
    const hsp__kernel_pick b = {
        .rows = counts ? support->ones : support->rows, .from = at, .count = some};
    return hsp__kernel_block_f64(ctx, &a, &b, out, ld, err);
}
