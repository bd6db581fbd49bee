/* Claim 6: a Gram matrix is positive semidefinite, or is not. */
#include "check1.h"

#define KERNEL_ROWS 5000

typedef struct kernel_gram {
    size_t n;
    hsv1_kernel *kernel;
    hsv1_row *rows;
    mpz_t *lo, *hi; /* n * n, the lower triangle, over the kernel's denominator */
} kernel_gram;

static void kernel_rows(hsv1_checker *c, const hsv1_json *claim, kernel_gram *g)
{
    const hsv1_json *array = hsv1_find(claim, "rows");
    if (array && array->type != HSV1_ARRAY) hsv1_unreadable(c, "rows: expected an array");
    g->n = array ? array->count : c->data.rows;
    if (!g->n || g->n > KERNEL_ROWS)
        hsv1_reject(c, "kernel: from 1 to %d rows can be checked", KERNEL_ROWS);
    uint64_t *numbers = hsv1_new(c, g->n, sizeof *numbers), before = 0;
    for (size_t i = 0; !array && i < g->n; i++)
        numbers[i] = i + 1;
    size_t i = 0;
    for (const hsv1_json *value = array ? array->child : NULL; value; value = value->next) {
        numbers[i] = hsv1_count(c, value, "rows");
        if (numbers[i] <= before) hsv1_unreadable(c, "rows: numbers are from 1, ascending");
        before = numbers[i++];
    }
    g->rows = hsv1_new(c, g->n, sizeof *g->rows);
    hsv1_rows_load(c, numbers, g->n, g->rows);
}

static void kernel_matrix(hsv1_checker *c, kernel_gram *g)
{
    g->lo = hsv1_integers(c, g->n * g->n);
    g->hi = hsv1_integers(c, g->n * g->n);
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j <= i; j++)
            hsv1_kernel_value(c, g->kernel, g->rows + i, g->rows + j, g->lo[i * g->n + j],
                             g->hi[i * g->n + j]);
}

/* Elimination without fractions (Bareiss): every number is a minor of K, so that the division is
 * exact, and what is left has the signs of the Schur complement. The rank comes back. */
static size_t kernel_eliminate(hsv1_checker *c, kernel_gram *g)
{
    const size_t n = g->n;
    mpz_t *a = g->lo, *last = hsv1_integers(c, 1);
    size_t rank = 0;
    mpz_set_ui(*last, 1);
    for (size_t k = 0; k < n; k++) {
        mpz_srcptr pivot = a[k * n + k];
        if (mpz_sgn(pivot) < 0) hsv1_reject(c, "kernel: a pivot is negative");
        if (!mpz_sgn(pivot)) {
            for (size_t i = k + 1; i < n; i++)
                if (mpz_sgn(a[i * n + k])) hsv1_reject(c, "kernel: a pivot is 0, its row is not");
            continue;
        }
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j <= i; j++) {
                mpz_ptr entry = a[i * n + j];
                mpz_mul(entry, entry, pivot);
                mpz_submul(entry, a[i * n + k], a[j * n + k]);
                mpz_divexact(entry, entry, *last);
            }
        mpz_set(*last, pivot);
        rank++;
    }
    return rank;
}

/* The rows of the factor: whole numbers over one denominator, n * n, zeros where none are given. */
static mpz_t *kernel_factor(hsv1_checker *c, const hsv1_json *array, size_t n, mpz_t below)
{
    mpz_t *b = hsv1_integers(c, n * n), *belows = hsv1_integers(c, n), *widen = hsv1_integers(c, 1);
    size_t i = 0;
    if (array->count != n) hsv1_unreadable(c, "factor: expected a row for each row of the matrix");
    mpz_set_ui(below, 1);
    for (const hsv1_json *row = array->child; row; row = row->next, i++) {
        if (row->type != HSV1_ARRAY || row->count > n)
            hsv1_unreadable(c, "factor: rows are arrays of at most as many numbers as rows");
        hsv1_get_numbers(c, row, "factor", b + i * n, belows[i]);
        mpz_lcm(below, below, belows[i]);
        if (mpz_sizeinbase(below, 2) > 100000)
            hsv1_unreadable(c, "factor: the common denominator is too long");
    }
    for (i = 0; i < n; i++) {
        mpz_divexact(*widen, below, belows[i]);
        for (size_t j = 0; j < n; j++)
            mpz_mul(b[i * n + j], b[i * n + j], *widen);
    }
    return b;
}

/* E = K - B B' has E_ii >= sum over j of |E_ij|; over L, which K's and B B's denominators divide.
 */
static void kernel_dominated(hsv1_checker *c, const hsv1_json *array, kernel_gram *g)
{
    const size_t n = g->n;
    mpz_t *z = hsv1_integers(c, 6), *left = hsv1_integers(c, n);
    mpz_t *b = kernel_factor(c, array, n, z[0]);
    mpz_mul(z[0], z[0], z[0]);
    mpz_lcm(z[1], z[0], *hsv1_kernel_below(g->kernel));
    mpz_divexact(z[2], z[1], *hsv1_kernel_below(g->kernel));
    mpz_divexact(z[3], z[1], z[0]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            mpz_set_ui(z[4], 0);
            for (size_t k = 0; k < n; k++)
                if (mpz_sgn(b[j * n + k])) mpz_addmul(z[4], b[i * n + k], b[j * n + k]);
            mpz_mul(z[4], z[4], z[3]);
            mpz_mul(z[5], g->lo[i * n + j], z[2]);
            mpz_sub(z[5], z[5], z[4]); /* E from below */
            if (i == j) {
                mpz_add(left[i], left[i], z[5]);
                continue;
            }
            mpz_neg(z[5], z[5]);
            mpz_submul(z[4], g->hi[i * n + j], z[2]); /* - E from above */
            mpz_neg(z[4], z[4]);
            mpz_ptr most = mpz_cmp(z[5], z[4]) > 0 ? z[5] : z[4]; /* |E| at most */
            mpz_sub(left[i], left[i], most);
            mpz_sub(left[j], left[j], most);
        }
    for (size_t i = 0; i < n; i++)
        if (mpz_sgn(left[i]) < 0)
            hsv1_reject(c, "kernel: row %llu of K - BB' is not dominated by its diagonal",
                       (unsigned long long)g->rows[i].number);
}

/* z'Kz < 0 */
static void kernel_witness(hsv1_checker *c, const hsv1_json *claim, kernel_gram *g)
{
    hsv1_list list = {0};
    mpz_t *n = hsv1_integers(c, 5);
    hsv1_get_list(c, claim, "z", &list);
    if (list.count > KERNEL_ROWS) hsv1_reject(c, "kernel: z has too many rows to check");
    g->rows = hsv1_new(c, list.count, sizeof *g->rows);
    hsv1_rows_load(c, list.index, list.count, g->rows);
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j <= i; j++) {
            hsv1_kernel_value(c, g->kernel, g->rows + i, g->rows + j, n[0], n[1]);
            mpz_mul(n[2], list.value[i], list.value[j]);
            if (j < i) mpz_mul_2exp(n[2], n[2], 1);
            hsv1_span_add(n[3], n[4], n[2], n[0], n[1]);
        }
    if (mpz_sgn(n[4]) >= 0) hsv1_reject(c, "kernel: z'Kz < 0 is not so");
    hsv1_say(c, "kernel: %s is not positive semidefinite: z'Kz < 0 for a z on %zu rows.",
            hsv1_kernel_name(c, claim, ""), list.count);
}

void hsv1_claim_kernel(hsv1_checker *c, const hsv1_json *claim)
{
    kernel_gram g = {0};
    const int psd = hsv1_get_flag(c, claim, "psd");
    const hsv1_json *factor = hsv1_find(claim, "factor");
    hsv1_members(c, claim, psd ? "claim kernel rows psd factor" : "claim kernel psd z");
    g.kernel = hsv1_kernel_read(c, claim, 1);
    if (!g.kernel) hsv1_unreadable(c, "member \"kernel\" is missing");
    if (!psd) {
        kernel_witness(c, claim, &g);
        return;
    }
    if (!factor && !hsv1_kernel_exact(g.kernel))
        hsv1_reject(c, "kernel: its values are not rational: a factor is needed");
    kernel_rows(c, claim, &g);
    kernel_matrix(c, &g);
    if (factor) {
        if (factor->type != HSV1_ARRAY) hsv1_unreadable(c, "factor: expected an array");
        kernel_dominated(c, factor, &g);
        hsv1_say(
            c,
            "kernel: the Gram matrix of %s on %zu rows is positive semidefinite, by an enclosed "
            "factor.",
            hsv1_kernel_name(c, claim, ""), g.n);
        return;
    }
    const size_t rank = kernel_eliminate(c, &g);
    hsv1_say(c, "kernel: the Gram matrix of %s on %zu rows is positive semidefinite, of rank %zu.",
            hsv1_kernel_name(c, claim, ""), g.n, rank);
}
