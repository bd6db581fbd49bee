#include "kernel/kernel_rows.h"

#include "base/base.h"
#include "kernel/function.h"

#define KERNEL_ROWS_TICK 64 /* rows between two ticks */

uint64_t hsp__kernel_space_cols(const hsp__kernel_space *space, uint64_t cols)
{
    uint64_t sum = 0;
    if (!space->count) return cols;
    for (uint64_t r = 0; r < space->count && space->from[r] < cols; r++)
        sum += (space->to[r] < cols ? space->to[r] : cols) - space->from[r];
    return sum;
}

/* ---- One row --------------------------------------------------------------------------------- */

static double kernel_rows_square(const hsp_view *view, uint64_t i, const hsp__kernel_space *space)
{
    const hsp__row row = hsp__view_row(view, i);
    hsp__kernel_walk walk = {0};
    uint64_t place;
    double sum = 0;
    for (uint64_t k = 0; k < row.count; k++) {
        if (!hsp__kernel_inside(space, &walk, hsp__row_column(&row, k), &place)) continue;
        const double x = hsp__row_value(view, &row, k);
        sum += x * x;
    }
    return sum;
}

/* Entries of two rows side by side, columns ascending, 0 where a row has none. */
void hsp__kernel_pair(const hsp__kernel_rows *a, uint64_t i, const hsp__kernel_rows *b, uint64_t j,
                      const hsp__kernel_space *space, hsp__kernel_sums *sums)
{
    const hsp__row p = hsp__view_row(a->view, i), q = hsp__view_row(b->view, j);
    hsp__kernel_walk walk = {0};
    uint64_t place;
    assert(i < a->view->rows && j < b->view->rows);
    *sums = (hsp__kernel_sums){0, 0, 0, 0};
    for (uint64_t s = 0, t = 0; s < p.count || t < q.count;) {
        const uint64_t cp = s < p.count ? hsp__row_column(&p, s) : UINT64_MAX;
        const uint64_t cq = t < q.count ? hsp__row_column(&q, t) : UINT64_MAX;
        const double x = cp <= cq ? hsp__row_value(a->view, &p, s) : 0;
        const double y = cq <= cp ? hsp__row_value(b->view, &q, t) : 0;
        s += cp <= cq, t += cq <= cp;
        if (!hsp__kernel_inside(space, &walk, cp < cq ? cp : cq, &place)) continue;
        sums->square += (x - y) * (x - y);
        sums->absolute += fabs(x - y);
        if (x + y > 0) sums->chi2 += (x - y) * (x - y) / (x + y);
        sums->least += fmin(x, y);
    }
}

double hsp__kernel_entry(const hsp__kernel_rows *a, uint64_t i, const hsp__kernel_rows *b,
                         uint64_t j)
{
    return hsp__view_entry(a->view, i, b->ids ? b->ids[j] : j);
}

static double kernel_rows_sum(const hsp_view *view, uint64_t i, const hsp__kernel_space *space)
{
    const hsp__row row = hsp__view_row(view, i);
    hsp__kernel_walk walk = {0};
    uint64_t place;
    double sum = 0;
    for (uint64_t k = 0; k < row.count; k++)
        if (hsp__kernel_inside(space, &walk, hsp__row_column(&row, k), &place))
            sum += hsp__row_value(view, &row, k);
    return sum;
}

static double kernel_rows_self(const hsp__kernel_rows *rows, uint32_t at, uint64_t i)
{
    const hsp_kernel *kernel = rows->kernel;
    const hsp__kernel_node *node = &kernel->nodes[at];
    const hsp__kernel_space *space = &kernel->spaces[node->space];
    double f, square;
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
        return kernel_rows_square(rows->view, i, space);
    case HSP__KERNEL_POLY:
        return pow(kernel_rows_square(rows->view, i, space) + node->q, node->p);
    case HSP__KERNEL_WAVE:
        square = kernel_rows_square(rows->view, i, space);
        return cos(square) + sin(square);
    case HSP__KERNEL_SIGMOID:
        return tanh(node->p * kernel_rows_square(rows->view, i, space) + node->q);
    case HSP__KERNEL_RBF:
    case HSP__KERNEL_LAPLACE:
    case HSP__KERNEL_CHI2:
        return 1;
    case HSP__KERNEL_INTERSECTION:
        return kernel_rows_sum(rows->view, i, space);
    case HSP__KERNEL_CONST:
        return node->p;
    case HSP__KERNEL_PRECOMPUTED:
        return hsp__kernel_entry(rows, i, rows, i);
    case HSP__KERNEL_SUM:
        return kernel_rows_self(rows, node->left, i) + kernel_rows_self(rows, node->right, i);
    case HSP__KERNEL_PRODUCT:
        return kernel_rows_self(rows, node->left, i) * kernel_rows_self(rows, node->right, i);
    case HSP__KERNEL_POWER:
        return pow(kernel_rows_self(rows, node->left, i), node->p);
    case HSP__KERNEL_NORMALIZE:
        return kernel_rows_self(rows, node->left, i) == 0 ? 0 : 1;
    case HSP__KERNEL_RESCALE:
        f = hsp__function_value(&kernel->functions[node->function], rows->view, i);
        return f * f * kernel_rows_self(rows, node->left, i);
    case HSP__KERNEL_COLS:
        return kernel_rows_self(rows, node->left, i);
    }
    return 0;
}

double hsp__kernel_self(const hsp__kernel_rows *rows, uint64_t i)
{
    assert(i < rows->view->rows);
    return kernel_rows_self(rows, rows->kernel->root, i);
}

/* ---- All rows -------------------------------------------------------------------------------- */

static hsp_status kernel_rows_norms(hsp_context *ctx, hsp__kernel_rows *rows, uint32_t space,
                                    hsp_error *err)
{
    const uint64_t n = rows->view->rows;
    if (rows->norms[space]) return HSP_OK;
    double *norms = hsp__new_raw(&ctx->allocator, n, sizeof *norms);
    if (!norms) return hsp__fail_memory(err);
    rows->norms[space] = norms;
    for (uint64_t i = 0; i < n; i++) {
        if (i % KERNEL_ROWS_TICK == 0 && hsp__tick(ctx)) return hsp__stop_status(ctx, err);
        norms[i] = kernel_rows_square(rows->view, i, &rows->kernel->spaces[space]);
        rows->most = fmax(rows->most, norms[i]);
        assert(!(norms[i] < 0));
        if (norms[i] > 0 && !(rows->least > 0 && rows->least <= norms[i])) rows->least = norms[i];
        if (!isfinite(norms[i]))
            return hsp__fail(err, HSP_BAD_DATA,
                             "row %llu is too large for the kernel: its squared norm is not finite",
                             (unsigned long long)i + 1);
    }
    return HSP_OK;
}

static hsp_status kernel_rows_check_positive(const hsp__kernel_rows *rows,
                                             const hsp__kernel_node *node, hsp_error *err)
{
    const hsp__kernel_space *space = &rows->kernel->spaces[node->space];
    for (uint64_t i = 0; i < rows->view->rows; i++) {
        const hsp__row row = hsp__view_row(rows->view, i);
        hsp__kernel_walk walk = {0};
        uint64_t place;
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t column = hsp__row_column(&row, k);
            if (!hsp__kernel_inside(space, &walk, column, &place)) continue;
            const double x = hsp__row_value(rows->view, &row, k);
            if (!(x >= 0))
                return hsp__fail(
                    err, HSP_BAD_DATA, "row %llu, column %llu: found %g; %s needs values >= 0",
                    (unsigned long long)i + 1,
                    (unsigned long long)column + (unsigned long long)rows->kernel->index_base, x,
                    node->op == HSP__KERNEL_CHI2 ? "chi2" : "intersection");
        }
    }
    return HSP_OK;
}

static hsp_status kernel_rows_place(hsp__kernel_rows *rows, const hsp__kernel_node *node,
                                    hsp_error *err)
{
    const uint64_t n = rows->view->rows;
    assert(node->place < rows->kernel->places);
    double *to = rows->places + node->place * n;
    for (uint64_t i = 0; i < n; i++) {
        if (node->op == HSP__KERNEL_RESCALE) {
            to[i] = hsp__function_value(&rows->kernel->functions[node->function], rows->view, i);
            if (!isfinite(to[i]))
                return hsp__fail(err, HSP_BAD_DATA,
                                 "row %llu: the function in rescale is not finite for this row",
                                 (unsigned long long)i + 1);
            continue;
        }
        const double self = kernel_rows_self(rows, node->left, i);
        if (!(self >= 0))
            return hsp__fail(err, HSP_BAD_DATA,
                             "row %llu: k(x, x) = %g; normalising needs a number >= 0",
                             (unsigned long long)i + 1, self);
        to[i] = self > 0 ? 1 / sqrt(self) : 0;
    }
    return HSP_OK;
}

static hsp_status kernel_rows_fill(hsp_context *ctx, hsp__kernel_rows *rows, hsp_error *err)
{
    const hsp_kernel *kernel = rows->kernel;
    hsp_status status = HSP_OK;
    for (uint64_t k = 0; !status && k < kernel->count; k++) {
        const hsp__kernel_node *node = &kernel->nodes[k];
        if (node->op <= HSP__KERNEL_SIGMOID)
            status = kernel_rows_norms(ctx, rows, node->space, err);
        else if (node->op == HSP__KERNEL_CHI2 || node->op == HSP__KERNEL_INTERSECTION)
            status = kernel_rows_check_positive(rows, node, err);
        else if (node->op == HSP__KERNEL_NORMALIZE || node->op == HSP__KERNEL_RESCALE)
            status = kernel_rows_place(rows, node, err);
    }
    assert(status || rows->least <= rows->most);
    return status;
}

hsp_status hsp__kernel_rows_new(hsp_context *ctx, const hsp_kernel *kernel, const hsp_view *view,
                                const uint64_t *ids, hsp_error *err, hsp__kernel_rows **out)
{
    assert(kernel->root < kernel->count && kernel->space_count > 0);
    hsp__kernel_rows *rows = hsp__new(&ctx->allocator, 1, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    *rows = (hsp__kernel_rows){.kernel = kernel, .view = view, .ids = ids};
    rows->norms = hsp__new(&ctx->allocator, kernel->space_count, sizeof *rows->norms);
    rows->places = hsp__new(&ctx->allocator, kernel->places * view->rows, sizeof *rows->places);
    hsp_status status = rows->norms && rows->places ? HSP_OK : hsp__fail_memory(err);
    if (!status && !hsp__kernel_fitted(kernel))
        status = hsp__fail(err, HSP_USAGE,
                           "the kernel's median or 1/d needs data; fit the kernel first");
    if (!status) status = kernel_rows_fill(ctx, rows, err);
    if (status)
        hsp__kernel_rows_free(ctx, rows);
    else
        *out = rows;
    return status;
}

void hsp__kernel_rows_free(hsp_context *ctx, hsp__kernel_rows *rows)
{
    if (!rows) return;
    for (uint64_t s = 0; rows->norms && s < rows->kernel->space_count; s++)
        hsp__free(&ctx->allocator, rows->norms[s]);
    hsp__free(&ctx->allocator, rows->norms);
    hsp__free(&ctx->allocator, rows->places);
    hsp__free(&ctx->allocator, rows->packed.values);
    hsp__kernel_gathered_free(ctx, rows->centred);
    hsp__free(&ctx->allocator, rows);
}

void hsp__kernel_gathered_free(hsp_context *ctx, hsp__kernel_rows *rows)
{
    if (!rows) return;
    hsp_view *view = (hsp_view *)(uintptr_t)rows->view;
    hsp__kernel_rows_free(ctx, rows);
    hsp__free(&ctx->allocator, (void *)(uintptr_t)view->values);
    hsp__free(&ctx->allocator, view);
}
