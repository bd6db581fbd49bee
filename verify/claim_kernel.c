/* Claim 6: a Gram matrix is positive semidefinite, or is not. */
#include "full.h"

#define KERNEL_ROWS  5000
#define KERNEL_EXACT 2500 /* without a factor: the matrix is kept */

typedef struct kernel_gram {
    size_t n;
    hsv_kernel *kernel;
    hsv_row *rows;
    mpz_t *lo; /* the lower triangle, row by row, over the kernel's denominator */
} kernel_gram;

static void kernel_rows(hsv_checker *c, const hsv_json *claim, kernel_gram *g)
{
    const hsv_json *array = hsv_find(claim, "rows");
    if (array && array->type != HSV_ARRAY) hsv_unreadable(c, "rows: expected an array");
    g->n = array ? array->count : c->data.rows;
    if (!g->n || g->n > KERNEL_ROWS)
        hsv_reject(c, "kernel: from 1 to %d rows can be checked", KERNEL_ROWS);
    size_t *numbers = hsv_new(c, g->n, sizeof *numbers), before = 0;
    for (size_t i = 0; !array && i < g->n; i++)
        numbers[i] = i + 1;
    size_t i = 0;
    for (const hsv_json *value = array ? array->child : NULL; value; value = value->next) {
        numbers[i] = hsv_count(c, value, "rows");
        if (numbers[i] <= before) hsv_unreadable(c, "rows: numbers are from 1, ascending");
        before = numbers[i++];
    }
    g->rows = hsv_rows_load(c, numbers, g->n);
}

/* Row i of the triangle. */
static mpz_t *kernel_row(const kernel_gram *g, size_t i)
{
    return g->lo + i * (i + 1) / 2;
}

/* Elimination without fractions (Bareiss): every number is a minor of K, so that the division is
 * exact, and what is left has the signs of the Schur complement. The rank comes back. */
static size_t kernel_eliminate(hsv_checker *c, kernel_gram *g)
{
    const size_t n = g->n;
    mpz_t *last = hsv_integers(c, 2), *same = last + 1;
    size_t rank = 0;
    g->lo = hsv_integers(c, n * (n + 1) / 2);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            hsv_kernel_value(c, g->kernel, g->rows + i, g->rows + j, kernel_row(g, i)[j], *same);
    mpz_set_ui(*last, 1);
    for (size_t k = 0; k < n; k++) {
        mpz_srcptr pivot = kernel_row(g, k)[k];
        if (mpz_sgn(pivot) < 0) hsv_reject(c, "kernel: a pivot is negative");
        if (!mpz_sgn(pivot)) {
            for (size_t i = k + 1; i < n; i++)
                if (mpz_sgn(kernel_row(g, i)[k]))
                    hsv_reject(c, "kernel: a pivot is 0, its row is not");
            continue;
        }
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j <= i; j++) {
                mpz_ptr entry = kernel_row(g, i)[j];
                mpz_mul(entry, entry, pivot);
                mpz_submul(entry, kernel_row(g, i)[k], kernel_row(g, j)[k]);
                mpz_divexact(entry, entry, *last);
                hsv_spend(c, 60 + 4 * mpz_size(pivot) * mpz_size(pivot));
            }
        mpz_set(*last, pivot);
        rank++;
    }
    return rank;
}

/* A row of the factor, as long as it is given: whole numbers over one denominator for all. */
typedef struct kernel_factor {
    size_t count;
    mpz_t *value;
} kernel_factor;

static kernel_factor *kernel_factors(hsv_checker *c, const hsv_json *array, size_t n, mpz_t below)
{
    kernel_factor *b = hsv_new(c, n, sizeof *b);
    size_t all = 0, i = 0;
    if (array->count != n) hsv_unreadable(c, "factor: expected a row for each row of the matrix");
    for (const hsv_json *row = array->child; row; row = row->next, i++) {
        if (row->type != HSV_ARRAY || row->count > n)
            hsv_unreadable(c, "factor: rows are arrays of at most as many numbers as rows");
        all += b[i].count = row->count;
    }
    mpz_t *values = hsv_integers(c, all);
    hsv_block *mark = c->blocks;
    mpq_t *numbers = hsv_rationals(c, all);
    all = i = 0;
    for (const hsv_json *row = array->child; row; row = row->next, i++) {
        b[i].value = values + all;
        for (const hsv_json *value = row->child; value; value = value->next)
            hsv_number(c, value, "factor", numbers[all++]);
    }
    hsv_common(c, numbers, all, values, below);
    hsv_release(c, mark);
    return b;
}

/* E = K - B B' has E_ii >= sum over j of |E_ij|; over L, which K's and B B's denominators divide.
 */
static void kernel_dominated(hsv_checker *c, const hsv_json *array, kernel_gram *g)
{
    const size_t n = g->n;
    mpz_t *z = hsv_integers(c, 8), *left = hsv_integers(c, n);
    const kernel_factor *b = kernel_factors(c, array, n, z[0]);
    mpz_mul(z[0], z[0], z[0]);
    mpz_lcm(z[1], z[0], *hsv_kernel_below(g->kernel));
    mpz_divexact(z[2], z[1], *hsv_kernel_below(g->kernel));
    mpz_divexact(z[3], z[1], z[0]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const size_t most = b[i].count < b[j].count ? b[i].count : b[j].count;
            mpz_set_ui(z[4], 0);
            for (size_t k = 0; k < most; k++)
                mpz_addmul(z[4], b[i].value[k], b[j].value[k]);
            hsv_spend(c, most * (10 + mpz_size(z[4])));
            hsv_kernel_value(c, g->kernel, g->rows + i, g->rows + j, z[6], z[7]);
            mpz_mul(z[4], z[4], z[3]);
            mpz_mul(z[5], z[6], z[2]);
            mpz_sub(z[5], z[5], z[4]); /* E from below */
            if (i == j) {
                mpz_add(left[i], left[i], z[5]);
                continue;
            }
            mpz_neg(z[5], z[5]);
            mpz_submul(z[4], z[7], z[2]); /* - E from above */
            mpz_neg(z[4], z[4]);
            mpz_srcptr worst = mpz_cmp(z[5], z[4]) > 0 ? z[5] : z[4]; /* |E| at most */
            mpz_sub(left[i], left[i], worst);
            mpz_sub(left[j], left[j], worst);
        }
    for (size_t i = 0; i < n; i++)
        if (mpz_sgn(left[i]) < 0)
            hsv_reject(c, "kernel: row %zu of K - BB' is not dominated by its diagonal",
                       g->rows[i].number);
}

/* z'Kz < 0 */
static void kernel_witness(hsv_checker *c, const hsv_json *claim, kernel_gram *g)
{
    hsv_list list = {0};
    mpz_t *n = hsv_integers(c, 5);
    hsv_get_list(c, claim, "z", &list);
    if (list.count > KERNEL_ROWS) hsv_reject(c, "kernel: z has too many rows to check");
    g->rows = hsv_rows_load(c, list.index, list.count);
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j <= i; j++) {
            hsv_kernel_value(c, g->kernel, g->rows + i, g->rows + j, n[0], n[1]);
            mpz_mul(n[2], list.value[i], list.value[j]);
            if (j < i) mpz_mul_2exp(n[2], n[2], 1);
            hsv_span_add(n[3], n[4], n[2], n[0], n[1]);
        }
    if (mpz_sgn(n[4]) >= 0) hsv_reject(c, "kernel: z'Kz < 0 is not so");
    hsv_say(c, "kernel: %s is not positive semidefinite: z'Kz < 0 for a z on %zu row%s.",
            hsv_kernel_name(c, hsv_find(claim, "kernel"), ""), list.count, HSV_S(list.count));
}

void hsv_claim_kernel(hsv_checker *c, const hsv_json *claim)
{
    kernel_gram g = {0};
    const int psd = hsv_get_flag(c, claim, "psd");
    const hsv_json *factor = hsv_find(claim, "factor");
    hsv_members(c, claim, psd ? "claim,kernel,rows,psd,factor" : "claim,kernel,psd,z");
    const hsv_json *kernel = hsv_get(c, claim, "kernel", HSV_ARRAY);
    g.kernel = hsv_kernel_read(c, kernel, 1);
    if (!psd) {
        kernel_witness(c, claim, &g);
        return;
    }
    if (!factor && !hsv_kernel_exact(g.kernel))
        hsv_reject(c, "kernel: its values are not rational: a factor is needed");
    kernel_rows(c, claim, &g);
    if (factor) {
        if (factor->type != HSV_ARRAY) hsv_unreadable(c, "factor: expected an array");
        kernel_dominated(c, factor, &g);
        hsv_say(c,
                "kernel: the Gram matrix of %s on %zu row%s is positive semidefinite, by an "
                "enclosed factor.",
                hsv_kernel_name(c, hsv_find(claim, "kernel"), ""), g.n, HSV_S(g.n));
        return;
    }
    if (g.n > KERNEL_EXACT) hsv_reject(c, "kernel: more than %d rows need a factor", KERNEL_EXACT);
    const size_t rank = kernel_eliminate(c, &g);
    hsv_say(c, "kernel: the Gram matrix of %s on %zu row%s is positive semidefinite, of rank %zu.",
            hsv_kernel_name(c, hsv_find(claim, "kernel"), ""), g.n, HSV_S(g.n), rank);
}
