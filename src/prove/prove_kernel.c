/* Is a Gram matrix positive semidefinite?
 *
 * If not, few rows and numbers z show it: z'Kz < 0 (kernel/psd.c finds them). If so, K = B B' + E
 * with a diagonally dominant E shows it: B is the Cholesky factor of K - delta I, rounded to
 * decimals, so that E is delta I but for rounding. That needs eigenvalues above 0; where rows are
 * all but dependent, as equal rows are, those with the largest pivots are taken, and the claim is
 * about them. A kernel without exponentials needs no B: the checker eliminates exactly. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "prove/prove.h"

#define PROVE_KERNEL_ROWS  200 /* more are sampled */
#define PROVE_KERNEL_EXACT 100 /* rows that the checker eliminates exactly */
#define PROVE_KERNEL_LEAST \
    1e-9 /* smallest eigenvalue relative to the largest that a factor is tried with */
#define PROVE_KERNEL_PLACES 16 /* digits behind the point of B, for entries of about 1 */

typedef struct prove_kernel_state {
    hsp__prove *prove;
    hsp_data *data;
    const char *text; /* the expression */
    hsp_kernel *of;
    hsp__text json;
    uint64_t count;
    uint64_t *row; /* count, from 0, ascending */
    double *gram;  /* count * count */
} prove_kernel_state;

static void prove_kernel_begin(prove_kernel_state *m, int psd)
{
    hsp__prove_begin(m->prove, "kernel");
    hsp__claim_json(&m->prove->claims, "kernel", &m->json);
    hsp__claim_flag(&m->prove->claims, "psd", psd);
}

static void prove_kernel_write_rows(prove_kernel_state *m)
{
    hsp__text *text = &m->prove->claims;
    hsp__claim_open(text, "\nrows", '[');
    for (uint64_t i = 0; i < m->count; i++)
        hsp__claim_count(text, NULL, m->row[i] + 1);
    hsp__claim_close(text, ']');
}

static hsp_status prove_kernel_claim_not(prove_kernel_state *m, const hsp_kernel_verdict *verdict,
                                         hsp_error *err)
{
    assert(verdict->witness_count > 0);
    prove_kernel_begin(m, 0);
    hsp__claim_list(&m->prove->claims, "\nz", verdict->witness_row, verdict->witness,
                    verdict->witness_count, hsp__claim_short);
    return hsp__prove_end(m->prove, err, "kernel");
}

/* ---- A factor -------------------------------------------------------------------------------- */

static hsp_status prove_kernel_fill(prove_kernel_state *m, hsp_error *err)
{
    hsp_data *rows = NULL;
    hsp_status status = hsp_data_select(m->prove->ctx, m->data, m->row, m->count, err, &rows);
    if (!status) status = hsp_kernel_gram(m->prove->ctx, m->of, rows, NULL, err, m->gram);
    hsp_data_free(rows);
    return status;
}

/* The lower triangle of gram - delta I becomes its factor; 0: it has none. */
static int prove_kernel_cholesky(double *a, uint64_t n, double delta)
{
    assert(n >= 2 && delta > 0);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j <= i; j++) {
            double sum = a[i * n + j] - (i == j ? delta : 0);
            for (uint64_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) return 0;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return 1;
}

/* Keep the rows whose pivots, each the largest that is left, are above a share of the largest. */
static hsp_status prove_kernel_choose(prove_kernel_state *m, double share, hsp_error *err)
{
    const hsp_allocator *memory = &m->prove->ctx->allocator;
    const uint64_t n = m->count;
    double *left = hsp__new(memory, n, sizeof *left);
    double *factor = hsp__new(memory, n * n, sizeof *factor);
    unsigned char *taken = hsp__new(memory, n, 1);
    hsp_status status = left && factor && taken ? HSP_OK : hsp__fail_memory(err);
    double first = 0;
    for (uint64_t i = 0; !status && i < n; i++)
        left[i] = m->gram[i * n + i];
    for (uint64_t step = 0; !status && step < n; step++) {
        uint64_t p = n;
        for (uint64_t i = 0; i < n; i++)
            if (!taken[i] && (p == n || left[i] > left[p])) p = i;
        if (p == n) break;
        if (step == 0) first = left[p];
        if (!(left[p] > share * first)) break;
        const double root = sqrt(left[p]);
        taken[p] = 1;
        for (uint64_t i = 0; i < n; i++) {
            double sum = m->gram[i * n + p];
            for (uint64_t k = 0; k < step; k++)
                sum -= factor[i * n + k] * factor[p * n + k];
            factor[i * n + step] = sum / root;
            left[i] -= factor[i * n + step] * factor[i * n + step];
        }
    }
    assert(status || share < 1);
    uint64_t kept = 0;
    for (uint64_t i = 0; !status && i < n; i++)
        if (taken[i]) m->row[kept++] = m->row[i];
    if (!status) m->count = kept;
    hsp__free(memory, left);
    hsp__free(memory, factor);
    hsp__free(memory, taken);
    return status;
}

static void prove_kernel_write_factor(prove_kernel_state *m)
{
    hsp__text *text = &m->prove->claims;
    double most = DBL_MIN; /* a factor's diagonal is above 0 */
    for (uint64_t i = 0; i < m->count; i++)
        most = fmax(most, m->gram[i * m->count + i]);
    const int places = PROVE_KERNEL_PLACES - (int)ceil(log10(most));
    hsp__claim_open(text, "\nfactor", '[');
    for (uint64_t i = 0; i < m->count; i++) {
        if (i) hsp__text_puts(text, ",\n                ");
        hsp__claim_open(text, NULL, '[');
        for (uint64_t j = 0; j <= i; j++)
            hsp__claim_grid(text, NULL,
                            hsp__prove_grid((hsp__long)m->gram[i * m->count + j], places), places);
        hsp__claim_close(text, ']');
    }
    hsp__claim_close(text, ']');
}

/* *made: the claim was. */
static hsp_status prove_kernel_try(prove_kernel_state *m, hsp_error *err, int *made)
{
    hsp_kernel_verdict *verdict = NULL;
    hsp_status status =
        hsp_kernel_check(m->prove->ctx, m->of, m->data, m->row, m->count, err, &verdict);
    if (status) return status;
    const double largest = verdict->rows ? verdict->eigenvalues[0] : 0;
    const double least = verdict->rows ? verdict->eigenvalues[verdict->rows - 1] : 0;
    hsp_kernel_verdict_free(verdict);
    if (!(least > PROVE_KERNEL_LEAST * largest) || m->count < 2) return HSP_OK;
    status = prove_kernel_fill(m, err);
    if (status || !prove_kernel_cholesky(m->gram, m->count, least / 2)) return status;
    prove_kernel_begin(m, 1);
    prove_kernel_write_rows(m);
    prove_kernel_write_factor(m);
    *made = 1;
    return hsp__prove_end(m->prove, err, "kernel");
}

static hsp_status prove_kernel_factor(prove_kernel_state *m, hsp_error *err)
{
    const uint64_t all = m->count;
    double share = 1e-8;
    int made = 0;
    m->gram = hsp__new(&m->prove->ctx->allocator, all * all, sizeof *m->gram);
    if (!m->gram) return hsp__fail_memory(err);
    hsp_status status = prove_kernel_try(m, err, &made);
    for (; !status && !made && share < 1 && m->count; share *= 100) {
        status = prove_kernel_fill(m, err);
        if (!status) status = prove_kernel_choose(m, share, err);
        if (!status && m->count) status = prove_kernel_try(m, err, &made);
    }
    if (status || made) return status;
    return hsp__prove_skip(m->prove, err, "kernel", "no linearly independent rows were found");
}

/* ---- The claim ------------------------------------------------------------------------------- */

static hsp_status prove_kernel_claim(prove_kernel_state *m, hsp_error *err)
{
    hsp_kernel_verdict *verdict = NULL;
    hsp_status status =
        hsp_kernel_check(m->prove->ctx, m->of, m->data, m->row, m->count, err, &verdict);
    if (status) return status;
    if (!verdict->semidefinite) {
        status = prove_kernel_claim_not(m, verdict, err);
    } else if (hsp__prove_kernel_exact(m->of)) {
        if (m->count > PROVE_KERNEL_EXACT) m->count = PROVE_KERNEL_EXACT;
        prove_kernel_begin(m, 1);
        prove_kernel_write_rows(m);
        status = hsp__prove_end(m->prove, err, "kernel");
    } else {
        status = prove_kernel_factor(m, err);
    }
    hsp_kernel_verdict_free(verdict);
    return status;
}

static hsp_status prove_kernel_run(prove_kernel_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    const uint64_t n = prove->data.rows->rows;
    m->data = prove->data.moved ? prove->data.moved : prove->data.data;
    m->count = n < PROVE_KERNEL_ROWS ? n : PROVE_KERNEL_ROWS;
    m->row = hsp__new(&prove->ctx->allocator, m->count, sizeof *m->row);
    if (!m->row) return hsp__fail_memory(err);
    hsp_status status =
        hsp_kernel_parse(prove->ctx, m->text, 1, hsp_data_index_base(m->data), err, &m->of);
    if (!status) status = hsp_kernel_fit(prove->ctx, m->of, prove->data.rows, err);
    if (!status) status = hsp_data_sample(m->data, m->count, 1, err, m->row);
    if (status) return status;
    if (!hsp__prove_format_kernel(&m->json, m->of))
        return hsp__prove_skip(prove, err, "kernel", "certificates do not support the kernel %s",
                               hsp_kernel_text(m->of));
    if (m->json.failed) return hsp__fail_memory(err);
    return m->count ? prove_kernel_claim(m, err)
                    : hsp__prove_skip(prove, err, "kernel", "there are no rows");
}

hsp_status hsp__prove_kernel(hsp__prove *prove, hsp_error *err)
{
    const char *text = hsp_options_text(prove->options, "kernel");
    const int named = hsp_options_list_count(prove->options, "claim") > 0;
    if (!hsp__prove_named(prove, "kernel")) return HSP_OK;
    if (!text && named && prove->model) text = hsp_model_kernel(prove->model);
    if (!text)
        return named ? hsp__prove_skip(prove, err, "kernel", "it needs --kernel EXPR") : HSP_OK;
    prove_kernel_state m = {.prove = prove, .text = text};
    hsp__text_init(&m.json, &prove->ctx->allocator);
    hsp_status status = prove_kernel_run(&m, err);
    hsp__text_free(&m.json);
    hsp_kernel_free(m.of);
    hsp__free(&prove->ctx->allocator, m.row);
    hsp__free(&prove->ctx->allocator, m.gram);
    return status;
}
