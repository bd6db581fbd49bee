/* Parameters by rule: rbf, rbf(median) and rbf(1/d) become numbers on the data. */
#include <stdlib.h>

#include "base/base.h"
#include "base/random.h"
#include "kernel/function.h"
#include "kernel/kernel_rows.h"

enum { KERNEL_FIT_PAIRS = 5000, KERNEL_FIT_SEED = 1 };

static int kernel_fit_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the node's exponent is made of, for one pair of rows. */
static double kernel_fit_distance(const hsp__kernel_node *node, const hsp__kernel_rows *rows,
                                  uint64_t i, uint64_t j)
{
    hsp__kernel_sums sums;
    hsp__kernel_pair(rows, i, rows, j, &rows->kernel->spaces[node->space], &sums);
    if (node->op == HSP__KERNEL_RBF) return sums.square;
    return node->op == HSP__KERNEL_LAPLACE ? sums.absolute : sums.chi2;
}

/* The median over random pairs of different rows; all pairs when there are few. */
static hsp_status kernel_fit_median(hsp_context *ctx, const hsp__kernel_node *node,
                                    const hsp__kernel_rows *rows, hsp_error *err, double *median)
{
    const uint64_t n = rows->view->rows;
    const uint64_t all = n < 1000 ? n * (n - (n > 0)) / 2 : UINT64_MAX;
    const uint64_t count = all < KERNEL_FIT_PAIRS ? all : KERNEL_FIT_PAIRS;
    double *found = hsp__new_raw(&ctx->allocator, count, sizeof *found);
    if (!found) return hsp__fail_memory(err);
    hsp__random random;
    hsp__random_seed(&random, KERNEL_FIT_SEED, 0);
    for (uint64_t k = 0, i = 0, j = 1; k < count; k++) {
        if (all > KERNEL_FIT_PAIRS) {
            i = hsp__random_below(&random, n);
            j = hsp__random_below(&random, n - 1);
            j += j >= i;
        }
        assert(i != j && i < n && j < n);
        found[k] = kernel_fit_distance(node, rows, i, j);
        if (all <= KERNEL_FIT_PAIRS && ++j == n) i++, j = i + 1;
    }
    qsort(found, (size_t)count, sizeof *found, kernel_fit_compare);
    *median = count ? found[count / 2] : 0;
    hsp__free(&ctx->allocator, found);
    if (*median > 0) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA,
                     "the median distance between rows is 0: give the kernel's c as a number");
}

/* d var: the columns of the space, times the variance of all their entries, zeros included; 1 if
 * all entries are equal, as in scikit-learn's gamma="scale". The mean first, then the squares of
 * differences from it, entries in the order of the rows. Zeros are counted, not summed, so that
 * dense and sparse rows give the same bits. */
static hsp_status kernel_fit_scale(hsp_context *ctx, const hsp__kernel_space *space,
                                   const hsp_view *view, hsp_error *err, double *out)
{
    const uint64_t d = hsp__kernel_space_cols(space, view->cols);
    const double all = (double)d * (double)view->rows;
    double mean = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++) {
        double sum = 0, place = 0;
        uint64_t other = 0; /* entries that are not 0 */
        for (uint64_t i = 0; i < view->rows; i++) {
            const hsp__row row = hsp__view_row(view, i);
            hsp__kernel_walk walk = {0};
            uint64_t at;
            if (i % 1024 == 0 && hsp__tick(ctx)) return hsp__stop_status(ctx, err);
            for (uint64_t k = 0; k < row.count; k++) {
                const double x = hsp__row_value(view, &row, k);
                if (x == 0 || !hsp__kernel_inside(space, &walk, hsp__row_column(&row, k), &at))
                    continue;
                other++;
                place = x - mean;
                sum += pass ? place * place : x;
            }
        }
        if (!pass) mean = all > 0 ? sum / all : 0;
        squares = sum + (all - (double)other) * mean * mean;
    }
    *out = squares > 0 ? squares / (double)view->rows : 1;
    if (all > 0 && isfinite(squares)) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA,
                     all > 0 ? "the variance of the data is not finite, so rbf has no default "
                               "factor: scale the data, or give the factor, as in rbf(0.5)"
                             : "the data has no entries, so rbf has no default factor");
}

static hsp_status kernel_fit_no_column(const hsp_kernel *kernel, uint64_t column, uint64_t cols,
                                       hsp_error *err)
{
    const uint64_t base = (uint64_t)kernel->index_base;
    return hsp__fail(err, HSP_BAD_DATA,
                     "the kernel uses column %llu, but the last column of the data is %llu",
                     (unsigned long long)(column + base), (unsigned long long)(cols - 1 + base));
}

/* Columns that are not there: of some, the rows may just be zero; none at all is a slip. */
static hsp_status kernel_fit_columns(const hsp_kernel *kernel, const hsp_view *view, hsp_error *err)
{
    if (view->cols == 0) return HSP_OK; /* rows without anything are said elsewhere */
    for (uint64_t s = 1; s < kernel->space_count; s++)
        if (hsp__kernel_space_cols(&kernel->spaces[s], view->cols) == 0)
            return kernel_fit_no_column(kernel, kernel->spaces[s].from[0], view->cols, err);
    for (uint64_t f = 0; f < kernel->function_count; f++)
        for (uint64_t k = 0; k < kernel->functions[f].count; k++) {
            const hsp__function_step *step = &kernel->functions[f].steps[k];
            if (step->op == HSP__FUNCTION_COLUMN && step->column >= view->cols)
                return kernel_fit_no_column(kernel, step->column, view->cols, err);
        }
    return HSP_OK;
}

hsp_status hsp_kernel_fit(hsp_context *ctx, hsp_kernel *kernel, const hsp_view *view,
                          hsp_error *err)
{
    HSP__NEED(err, ctx, kernel, view);
    const hsp__kernel_rows rows = {.kernel = kernel, .view = view};
    hsp_status status = kernel_fit_columns(kernel, view, err);
    for (uint64_t k = 0; !status && k < kernel->count; k++) {
        hsp__kernel_node *node = &kernel->nodes[k];
        const hsp__kernel_space *space = &kernel->spaces[node->space];
        double over = 0; /* the factor is 1 over this */
        if (node->rule == HSP__RULE_NUMBER) continue;
        if (node->rule == HSP__RULE_MEDIAN)
            status = kernel_fit_median(ctx, node, &rows, err, &over);
        else if (node->rule == HSP__RULE_SCALE)
            status = kernel_fit_scale(ctx, space, view, err, &over);
        else if (node->rule == HSP__RULE_ONE_OVER_D)
            over = (double)hsp__kernel_space_cols(space, view->cols);
        else
            status = hsp__fail(err, HSP_USAGE,
                               "the kernel has the factor gamma, which has no value: give it as a "
                               "number, as in --gamma 0.5");
        if (!status && !(over > 0))
            status = hsp__fail(err, HSP_BAD_DATA, "the data has no columns, so 1/d is not defined");
        if (status) break;
        node->p = 1 / over;
        node->rule = HSP__RULE_NUMBER;
    }
    return status ? status : hsp__kernel_print(kernel, err);
}

uint64_t hsp__kernel_set_gamma(hsp_kernel *kernel, double gamma)
{
    uint64_t took = 0;
    assert(gamma > 0);
    for (uint64_t k = 0; k < kernel->count; k++) {
        hsp__kernel_node *node = &kernel->nodes[k];
        if (node->rule != HSP__RULE_SCALE && node->rule != HSP__RULE_GAMMA) continue;
        node->p = gamma;
        node->rule = HSP__RULE_NUMBER;
        took++;
    }
    return took;
}
