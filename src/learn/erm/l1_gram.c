/* A model of l1.c written out: H = X^T D X over the weights in it, then coordinate descent on H
 * alone.
 *
 * A weight that moves changes the gradient of all others by a row of H: `count` operations, however
 * many rows the data has, and a weight that stays costs one. A thousand sweeps are then cheaper
 * than a few over the columns, which strongly correlated columns (one-hot groups) need. Offset
 * free: H - h h^T / sum D, which has the offset eliminated; regularized: one weight more.
 *
 * Cost: sum over rows of (entries in the model)^2 / 2 to write it out, on the context's threads. */
#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/erm/l1.h"
#include "vec/vec.h"

#define L1_GRAM_MOST     1024  /* weights */
#define L1_GRAM_RATIO    200.0 /* operations to write out, for each entry of the rows */
#define L1_GRAM_PARTS    8     /* of the rows, each with an H of its own */
#define L1_GRAM_SWEEPS   2000
#define L1_GRAM_TICK     64   /* rows between two ticks */
#define L1_GRAM_ACCURACY 1e-3 /* what is left of what is wrong */
#define L1_GRAM_RIDGE    1e-12
#define L1_GRAM_FLAT     1e-3 /* rows with less than this of the mean curvature are left out */

int hsp__l1_gram_fits(const hsp__l1 *t)
{
    double entries = 0;
    for (uint64_t c = 0; c < t->model.count; c++)
        entries +=
            (double)(t->columns.starts[t->model.work[c] + 1] - t->columns.starts[t->model.work[c]]);
    const double a_row = t->n ? entries / (double)t->n : 0;
    return t->model.count <= L1_GRAM_MOST && a_row * entries / 2 <= L1_GRAM_RATIO * entries;
}

typedef struct l1_gram_work {
    hsp__l1 *t;
    uint64_t k, parts;
    int failed;
} l1_gram_work;

/* One row's share: only the part above the diagonal. `at` and `x` are scratch of k numbers. */
static void l1_gram_row(const hsp__l1 *t, uint64_t i, uint64_t k, double *h, uint32_t *at,
                        double *x)
{
    const hsp__row row = hsp__view_row(t->p->view, i);
    uint64_t met = 0;
    for (uint64_t e = 0; e < row.count; e++) {
        const uint64_t place = t->model.position[hsp__row_column(&row, e)];
        if (!place) continue;
        at[met] = (uint32_t)(place - 1);
        x[met++] = hsp__row_value(t->p->view, &row, e);
    }
    if (t->model.position[t->d]) at[met] = (uint32_t)(t->model.position[t->d] - 1), x[met++] = 1;
    for (uint64_t a = 0; a < met; a++) {
        const double dx = t->at.curvature[i] * x[a];
        double *own = h + at[a] * k;
        for (uint64_t b = a; b < met; b++)
            own[at[b]] += dx * x[b];
    }
}

static void l1_gram_part(void *user, uint64_t part)
{
    const l1_gram_work *work = user;
    hsp__l1 *t = work->t;
    const uint64_t k = work->k, to = hsp__part(t->n, work->parts, part + 1);
    double *h = t->model.gram + part * k * k;
    uint32_t at[L1_GRAM_MOST + 1];
    double x[L1_GRAM_MOST + 1];
    const double least = L1_GRAM_FLAT * t->at.curvatures / (double)t->n;
    memset(h, 0, k * k * sizeof *h);
    for (uint64_t i = hsp__part(t->n, work->parts, part); i < to; i++) {
        if (i % L1_GRAM_TICK == 0 && hsp__tick(t->ctx)) return;
        if (t->at.curvature[i] > least) l1_gram_row(t, i, k, h, at, x);
    }
}

/* Add the parts up, and mirror. */
static void l1_gram_gather(const l1_gram_work *work)
{
    const uint64_t k = work->k;
    double *h = work->t->model.gram;
    for (uint64_t part = 1; part < work->parts; part++)
        hsp__vec()->axpy_f64(1, h + part * k * k, h, (size_t)(k * k));
    for (uint64_t a = 0; a < k; a++)
        for (uint64_t b = 0; b < a; b++)
            h[a * k + b] = h[b * k + a];
}

/* The offset is eliminated: h are the columns' sums of D x. */
static void l1_gram_eliminate(hsp__l1 *t, uint64_t k)
{
    const double *h = t->model.gram + (k - 1) * k;
    const double sum = h[k - 1];
    if (!(sum > 0)) return;
    for (uint64_t a = 0; a + 1 < k; a++) {
        hsp__vec()->axpy_f64(-h[a] / sum, h, t->model.gram + a * k, (size_t)k - 1);
        t->model.slope[a] -= h[a] * (t->model.slope[k - 1] / sum);
    }
}

/* Coordinate descent over weights 0 .. k-1; v are they, in the model's order. */
static void l1_gram_descend(hsp__l1 *t, uint64_t k, uint64_t stride, double *v)
{
    const double enough = L1_GRAM_ACCURACY * t->at.violation;
    for (int sweep = 0; sweep < L1_GRAM_SWEEPS; sweep++) {
        double worst = 0;
        for (uint64_t a = 0; a < k; a++) {
            const double *row = t->model.gram + a * stride;
            const double curve = fmax(row[a], 0) + L1_GRAM_RIDGE * (row[a] + 1), old = v[a];
            worst = fmax(worst, hsp__l1_violation(old, t->model.slope[a]));
            v[a] = hsp__l1_threshold(old, t->model.slope[a], curve);
            if (v[a] != old) hsp__vec()->axpy_f64(v[a] - old, row, t->model.slope, (size_t)k);
        }
        if (worst <= enough || hsp__tick(t->ctx)) return;
    }
}

static hsp_status l1_gram_new(hsp__l1 *t, uint64_t k, uint64_t parts, hsp_error *err)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    if (hsp__reserve(memory, (void **)&t->model.gram, &t->model.gram_room, parts * k * k + 1,
                     sizeof *t->model.gram) &&
        hsp__reserve(memory, (void **)&t->model.slope, &t->model.slope_room, 2 * k + 1,
                     sizeof *t->model.slope))
        return HSP_OK;
    return hsp__fail_memory(err);
}

/* The best beta for the weights v that were found, with the offset eliminated. */
static void l1_gram_offset(hsp__l1 *t, uint64_t k, const double *v)
{
    const double *h = t->model.gram + (k - 1) * k;
    double sum = 0;
    for (uint64_t a = 0; a + 1 < k; a++)
        sum += h[a] * (v[a] - t->out->w[t->model.work[a]]);
    if (h[k - 1] > 0) t->model.beta = -(t->at.grad_b + sum) / h[k - 1];
}

hsp_status hsp__l1_gram(hsp__l1 *t, hsp_error *err)
{
    const int offset = t->p->offset != HSP__OFFSET_NONE,
              free_one = t->p->offset == HSP__OFFSET_FREE;
    const uint64_t k = t->model.count + (uint64_t)offset;
    l1_gram_work work = {.t = t, .k = k, .parts = hsp__parts(t->n, 64)};
    if (work.parts > L1_GRAM_PARTS) work.parts = L1_GRAM_PARTS;
    if (k == 0) return HSP_OK;
    assert(t->model.count <= L1_GRAM_MOST);
    hsp_status status = l1_gram_new(t, k, work.parts, err);
    if (status) return status;
    double *v = t->model.slope + k;
    for (uint64_t a = 0; a < t->model.count; a++) {
        t->model.position[t->model.work[a]] = a + 1;
        t->model.slope[a] = t->at.grad[t->model.work[a]];
        v[a] = t->out->w[t->model.work[a]];
    }
    if (offset)
        t->model.position[t->d] = k, t->model.slope[k - 1] = t->at.grad_b, v[k - 1] = t->out->b;
    if (hsp__tasks_try(t->ctx, work.parts, l1_gram_part, &work)) {
        l1_gram_gather(&work);
        if (free_one) l1_gram_eliminate(t, k);
        l1_gram_descend(t, free_one ? k - 1 : k, k, v);
    }
    if (free_one) l1_gram_offset(t, k, v);
    if (offset && !free_one) t->model.beta = v[k - 1] - t->out->b;
    for (uint64_t a = 0; a < t->model.count; a++) {
        t->model.z[t->model.work[a]] = v[a];
        t->model.position[t->model.work[a]] = 0;
    }
    t->model.position[t->d] = 0;
    t->seen += t->stored;
    return HSP_OK;
}
