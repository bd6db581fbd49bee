/* K = B B' by Cholesky with pivots.
 *
 * Column k of B: the row p with the largest d_p, what is left of the diagonal, is the pivot;
 *
 *     b_pk = sqrt(d_p),   b_ik = (K_ip - sum over t < k of b_it b_pt) / b_pk,   d_i -= b_ik^2,
 *
 * rows that were pivots before have 0 from then on. It ends when no d_i is above the tolerance,
 * n * (how far rounding may have moved an element): of a semidefinite K what is left then is no
 * larger anywhere than the largest d_i, since |k_ij|^2 <= k_ii k_jj. So the rank comes out with it,
 * and B has no more columns than that. Cost n r^2 / 2 products; the rows of a step are independent,
 * hence threads; each sum has a fixed order, so B has the same bits on any number of them.
 *
 * Fine and Scheinberg, Efficient SVM training using low-rank kernel representations, 2001. */
#include <float.h>

#include "base/base.h"
#include "base/sized_report.h"
#include "data/data.h"
#include "kernel/gram.h"
#include "vec/vec.h"

typedef struct cholesky_state {
    hsp_context *ctx;
    const hsp__gram *gram;
    hsp__cholesky made;
    double *left;   /* n: of the diagonal; -1 once the row was a pivot */
    double *errors; /* parts */
    uint64_t pivot, parts;
} cholesky_state;

/* One column of B, some of its rows. */
static void cholesky_rows(void *user, uint64_t part)
{
    cholesky_state *all = user;
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t n = all->gram->n, k = all->made.rank, p = all->pivot;
    const double *line = all->gram->values + p * n, *pivot = all->made.b + p * n;
    assert(p < n && k < n && pivot[k] > 0);
    const uint64_t to = hsp__part(n, all->parts, part + 1);
    for (uint64_t i = hsp__part(n, all->parts, part); i < to; i++) {
        double *row = all->made.b + i * n;
        if (all->left[i] < 0) continue; /* a pivot before, or now */
        row[k] = (line[i] - vec->dot_f64(row, pivot, (size_t)k)) / pivot[k];
        all->left[i] = fmax(all->left[i] - row[k] * row[k], 0);
    }
}

hsp_status hsp__cholesky_new(hsp_context *ctx, const hsp__gram *gram, double tolerance,
                             hsp_error *err, hsp__cholesky *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t n = gram->n;
    cholesky_state all = {.ctx = ctx, .gram = gram};
    hsp__cholesky *made = &all.made;
    all.made.b = hsp__new(memory, n * n, sizeof *made->b);
    all.made.pivots = hsp__new(memory, n, sizeof *made->pivots);
    all.left = hsp__new_raw(memory, n, sizeof *all.left);
    hsp_status status = all.made.b && all.made.pivots && all.left ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < n; i++)
        all.left[i] = fmax(gram->values[i * n + i], 0);
    for (; !status && made->rank < n; made->rank++) {
        uint64_t p = 0;
        for (uint64_t i = 1; i < n; i++)
            if (all.left[i] > all.left[p]) p = i;
        if (!(all.left[p] > tolerance)) break;
        all.pivot = made->pivots[made->rank] = p;
        made->b[p * n + made->rank] = sqrt(all.left[p]);
        all.left[p] = -1;
        all.parts = hsp__parts(n, (made->rank + 1) * sizeof(double));
        hsp__tasks_run(ctx, all.parts, cholesky_rows, &all);
        if (made->rank % 64 == 0)
            status =
                hsp__progress(ctx, "factoring the kernel matrix", "columns", made->rank, n, err);
    }
    assert(made->rank <= n);
    hsp__free(memory, all.left);
    if (status)
        hsp__cholesky_free(ctx, &all.made);
    else
        *out = all.made;
    return status;
}

void hsp__cholesky_free(hsp_context *ctx, hsp__cholesky *made)
{
    hsp__free(&ctx->allocator, made->b);
    hsp__free(&ctx->allocator, made->pivots);
    *made = (hsp__cholesky){0};
}

/* The largest |K - B B'| over some rows. */
static void cholesky_compare(void *user, uint64_t part)
{
    cholesky_state *all = user;
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t n = all->gram->n, to = hsp__part(n, all->parts, part + 1);
    double most = 0;
    for (uint64_t i = hsp__part(n, all->parts, part); i < to; i++)
        for (uint64_t j = 0; j <= i; j++)
            most = fmax(
                most, fabs(all->gram->values[i * n + j] -
                           vec->dot_f64(all->made.b + i * n, all->made.b + j * n, all->made.rank)));
    all->errors[part] = most;
}

static hsp_status cholesky_error(cholesky_state *all, hsp_error *err, double *most)
{
    const uint64_t n = all->gram->n;
    all->parts = hsp__parts(n, n * (all->made.rank + 1));
    all->errors = hsp__new(&all->ctx->allocator, all->parts, sizeof *all->errors);
    if (!all->errors) return hsp__fail_memory(err);
    const int whole = hsp__tasks_try(all->ctx, all->parts, cholesky_compare, all);
    *most = 0;
    for (uint64_t part = 0; part < all->parts; part++)
        *most = fmax(*most, all->errors[part]);
    hsp__free(&all->ctx->allocator, all->errors);
    assert(*most >= 0);
    return whole ? HSP_OK : hsp__stop_status(all->ctx, err);
}

/* The rows of B with their labels. */
static hsp_status cholesky_data(const cholesky_state *all, const hsp_data *from,
                                const uint64_t *rows, hsp_error *err, hsp_data **out)
{
    const uint64_t n = all->gram->n, rank = all->made.rank;
    const uint32_t *labels = from->view.labels;
    hsp_data *data = NULL;
    hsp_status status =
        hsp__data_shape(all->ctx, HSP_DENSE, HSP_FLOAT64, n, rank, 0, labels != NULL, err, &data);
    if (status) return status;
    if (!hsp__names_copy(&data->class_names, &from->class_names)) {
        hsp_data_free(data);
        return hsp__fail_memory(err);
    }
    double *values = data->values;
    for (uint64_t i = 0; i < n; i++) {
        if (rank) memcpy(values + i * rank, all->made.b + i * n, rank * sizeof *values);
        if (labels) data->labels[i] = labels[rows ? rows[i] : i];
    }
    hsp__data_seal(data);
    for (uint64_t k = 0; k < n * rank; k++)
        data->nonzeros += values[k] != 0;
    *out = data;
    return HSP_OK;
}

hsp_status hsp_kernel_factor(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                             const uint64_t *rows, uint64_t count, hsp_error *err,
                             hsp_factor *figures, hsp_data **features)
{
    HSP__NEED(err, ctx, kernel, data, figures);
    HSP__REPORT(err, figures, hsp_factor);
    hsp__gram gram = {0};
    hsp_factor found = {.size = sizeof found};
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    cholesky_state all = {.ctx = &own, .gram = &gram};
    hsp_status status = hsp__gram_new(&own, kernel, data, rows, count, err, &gram);
    if (!status) {
        double most = 0;
        for (uint64_t i = 0; i < gram.n; i++)
            most = fmax(most, gram.values[i * gram.n + i]);
        found.tolerance = (double)gram.n * (gram.noise + DBL_EPSILON * most);
        status = hsp__cholesky_new(&own, &gram, found.tolerance, err, &all.made);
    }
    found.rank = all.made.rank;
    if (!status) status = cholesky_error(&all, err, &found.error);
    if (!status && features) status = cholesky_data(&all, data, rows, err, features);
    if (!status) hsp__report_give(figures, &found, sizeof found);
    hsp__cholesky_free(ctx, &all.made);
    hsp__gram_free(ctx, &gram);
    return status;
}
