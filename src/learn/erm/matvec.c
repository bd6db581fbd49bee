#include "learn/erm/matvec.h"

#include "base/base.h"
#include "base/paging.h"
#include "model/model.h"
#include "vec/vec.h"

typedef struct matvec_state {
    const hsp_context *ctx;
    const hsp_view *view;
    uint64_t parts;
    const double *w;
    double b;
    const double *v;
    double *out;    /* the first part's sum; v NULL: none */
    double *scores; /* NULL: sums only */
    double *sums;   /* (parts - 1) * cols: the sums of the other parts */
} matvec_state;

/* Dense rows so short that a call for each would cost more than its sum. */
enum { MATVEC_NARROW = 16, MATVEC_NARROW_ROWS = 4096 };

int hsp__matvec_narrow(const hsp_view *view)
{
    return view->storage == HSP_DENSE && view->precision == HSP_FLOAT32 &&
           view->cols <= MATVEC_NARROW;
}

static void matvec_narrow_scores(const hsp_view *view, const double *w, double b, uint64_t from,
                                 uint64_t count, double *out)
{
    const uint64_t cols = view->cols, stride = view->stride;
    const float *x = (const float *)view->values + from * stride;
    if (cols == 3) { /* colours, places */
        const double w0 = w[0], w1 = w[1], w2 = w[2];
        for (uint64_t i = 0; i < count; i++, x += stride)
            out[i] = (((double)x[0] * w0 + (double)x[2] * w2) + (double)x[1] * w1) + b;
        return;
    }
    for (uint64_t i = 0; i < count; i++, x += stride) {
        /* <w, x> in the order of vec.h: term k is a sum of its own, and those fold in halves */
        double t[MATVEC_NARROW] = {0};
        for (uint64_t j = 0; j < cols; j++)
            t[j] = (double)x[j] * w[j];
        if (cols > 8)
            for (int j = 0; j < 8; j++)
                t[j] += t[j + 8];
        if (cols > 4)
            for (int j = 0; j < 4; j++)
                t[j] += t[j + 4];
        out[i] = ((t[0] + t[2]) + (t[1] + t[3])) + b;
    }
}

void hsp__matvec_narrow_scores(const hsp_context *ctx, const hsp_view *view, const double *w,
                               double b, uint64_t from, uint64_t count, double *out)
{
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < MATVEC_NARROW_ROWS ? count - i : MATVEC_NARROW_ROWS;
        hsp__paging_check(&ctx->allocator);
        matvec_narrow_scores(view, w, b, from + i, some, out + i);
    }
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Scores, sums, or both. */
static void matvec_part(void *user, uint64_t part)
{
    const matvec_state *work = user;
    const hsp_view *view = work->view;
    const uint64_t from = hsp__part(view->rows, work->parts, part),
                   to = hsp__part(view->rows, work->parts, part + 1);
    const int narrow = hsp__matvec_narrow(view);
    double *sum = part ? work->sums + (part - 1) * view->cols : work->out;
    if (work->scores && narrow)
        hsp__matvec_narrow_scores(work->ctx, view, work->w, work->b, from, to - from,
                                  work->scores + from);
    if (work->v) memset(sum, 0, view->cols * sizeof *sum);
    for (uint64_t i = from; i < to; i++) {
        hsp__paging_row(&work->ctx->allocator, i);
        if (work->scores && !narrow) work->scores[i] = hsp__row_score(view, i, work->w, work->b);
        if (work->v && work->v[i] != 0) hsp__matvec_add_row(view, i, work->v[i], sum);
    }
}

void hsp__matvec_scores(hsp_context *ctx, const hsp_view *view, const double *w, double b,
                        double *scores)
{
    if (view->rows == 0) return;
    const uint64_t each = hsp_view_stored(view) / view->rows * sizeof(double) + 16;
    matvec_state work = {.ctx = ctx, .view = view, .w = w, .b = b, .scores = scores};
    work.parts = hsp__parts(view->rows, each);
    hsp__tasks_try(ctx, work.parts, matvec_part, &work);
}

/* ---- Combinations ---------------------------------------------------------------------------- */

void hsp__matvec_add_row(const hsp_view *view, uint64_t i, double a, double *y)
{
    const hsp__vec_table *vec = hsp__vec();
    const int single = view->precision == HSP_FLOAT32;
    hsp__row row = hsp__view_row(view, i);
    const size_t n = (size_t)row.count;
    if (hsp__matvec_narrow(view))
        for (size_t j = 0; j < n; j++)
            y[j] += a * (double)((const float *)row.values)[j];
    else if (view->storage == HSP_DENSE && single)
        vec->axpy_f32f64(a, row.values, y, n);
    else if (view->storage == HSP_DENSE)
        vec->axpy_f64(a, row.values, y, n);
    else if (!row.values)
        vec->ones_axpy_f64(a, row.indices, n, y);
    else if (single)
        vec->sparse_axpy_f32f64(a, row.indices, row.values, n, y);
    else
        vec->sparse_axpy_f64(a, row.indices, row.values, n, y);
}

double hsp__matvec_sqnorm(const hsp_view *view, const hsp__row *row)
{
    if (!row->values) return (double)row->count;
    return view->precision == HSP_FLOAT32 ? hsp__vec()->sqnorm_f32f64(row->values, row->count)
                                          : hsp__vec()->sqnorm_f64(row->values, row->count);
}

uint64_t hsp__matvec_parts(const hsp_view *view)
{
    const uint64_t most = hsp_view_stored(view) / (16 * view->cols + 1) + 1;
    uint64_t parts = hsp__parts(view->rows, hsp_view_stored(view) / view->rows * sizeof(double));
    if (parts > 8) parts = 8;
    assert(parts > 0 && most > 0);
    return parts > most ? most : parts;
}

hsp_status hsp__matvec_combine(hsp_context *ctx, const hsp_view *view, const double *v,
                               hsp_error *err, double *out)
{
    return hsp__matvec_both(ctx, view, NULL, v, err, NULL, out);
}

hsp_status hsp__matvec_both(hsp_context *ctx, const hsp_view *view, const double *w,
                            const double *v, hsp_error *err, double *scores, double *out)
{
    assert(!scores || w);
    memset(out, 0, view->cols * sizeof *out);
    if (scores) hsp__zero(&ctx->allocator, scores, view->rows * sizeof *scores);
    if (view->rows == 0 || view->cols == 0) return HSP_OK;
    matvec_state work = {.ctx = ctx, .view = view, .w = w, .v = v, .out = out, .scores = scores};
    work.parts = hsp__matvec_parts(view);
    work.sums = hsp__new_raw(&ctx->allocator, (work.parts - 1) * view->cols, sizeof *work.sums);
    if (!work.sums) return hsp__fail_memory(err);
    hsp__tasks_try(ctx, work.parts, matvec_part, &work);
    for (uint64_t part = 1; part < work.parts; part++)
        hsp__vec()->axpy_f64(1, work.sums + (part - 1) * view->cols, out, (size_t)view->cols);
    hsp__free(&ctx->allocator, work.sums);
    return hsp__stop_status(ctx, err);
}
