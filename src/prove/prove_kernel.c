/* Is a Gram matrix positive semidefinite?
 *
 * If not, few rows and numbers z show it: z'Kz < 0 (kernel/psd.c finds them). If so, K = B B' + E
 * with a diagonally dominant E shows it: B is the Cholesky factor of K - delta I, rounded to
 * decimals, so that E is delta I but for rounding. That needs eigenvalues above 0; where rows are
 * all but dependent, as equal rows are, those with the largest pivots are taken, and the claim is
 * about them. A kernel without exponentials needs no B: the checker eliminates exactly. */
#include <float.h>

#include "base/base.h"
#include "prove/prove.h"

#define PROVE_KERNEL_ROWS  200 /* more are sampled */
#define PROVE_KERNEL_EXACT 100 /* rows that the checker eliminates exactly */
#define PROVE_KERNEL_LEAST \
    1e-9 /* smallest eigenvalue relative to the largest that a factor is tried with */
#define PROVE_KERNEL_PLACES 16 /* digits behind the point of B, for entries of about 1 */

typedef struct prove_kernel_state {
    hsp__prove *prove;
    hsp_data *data;
    hsp_kernel *of;
    hsp__text json;
    uint64_t count;
    uint64_t *row; /* count, from 0, ascending */
    double *gram;  /* count * count */
} prove_kernel_state;

/* The claim up to the rows that it is about; `rows` 0: it names them itself. */
static void prove_kernel_begin(prove_kernel_state *m, int psd, int rows)
{
    hsp__text *text = &m->prove->claims;
    hsp__prove_begin(m->prove, "kernel");
    hsp__claim_json(text, "kernel", &m->json);
    hsp__claim_flag(text, "psd", psd);
    if (!rows) return;
    hsp__claim_open(text, "\nrows", '[');
    for (uint64_t i = 0; i < m->count; i++)
        hsp__claim_count(text, NULL, m->row[i] + 1);
    hsp__claim_close(text, ']');
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
    hsp__scratch *scratch = &m->prove->scratch;
    const uint64_t n = m->count;
    double *left = hsp__scratch_new(scratch, n, sizeof *left);
    double *factor = hsp__scratch_new(scratch, n * n, sizeof *factor), first = 0;
    unsigned char *taken = hsp__scratch_new(scratch, n, 1);
    if (scratch->failed) return hsp__fail_memory(err);
    assert(share < 1);
    for (uint64_t i = 0; i < n; i++)
        left[i] = m->gram[i * n + i];
    for (uint64_t step = 0; step < n; step++) {
        uint64_t p = n;
        for (uint64_t i = 0; i < n; i++)
            if (!taken[i] && (p == n || left[i] > left[p])) p = i;
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
    m->count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (taken[i]) m->row[m->count++] = m->row[i];
    return HSP_OK;
}

/* *made: the claim was. */
static hsp_status prove_kernel_try(prove_kernel_state *m, hsp_error *err, int *made)
{
    hsp__text *text = &m->prove->claims;
    hsp_kernel_report *verdict = NULL;
    double most = DBL_MIN; /* a factor's diagonal is above 0 */
    HSP__TRY(hsp_kernel_check(m->prove->ctx, m->of, m->data, m->row, m->count, err, &verdict));
    const double largest = verdict->rows ? verdict->eigenvalues[0] : 0;
    const double least = verdict->rows ? verdict->eigenvalues[verdict->rows - 1] : 0;
    hsp_kernel_report_free(verdict);
    if (!(least > PROVE_KERNEL_LEAST * largest) || m->count < 2) return HSP_OK;
    HSP__TRY(prove_kernel_fill(m, err));
    if (!prove_kernel_cholesky(m->gram, m->count, least / 2)) return HSP_OK;
    prove_kernel_begin(m, 1, 1);
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
    *made = 1;
    return hsp__prove_end(m->prove, err, "kernel");
}

/* ---- The claim ------------------------------------------------------------------------------- */

static hsp_status prove_kernel_run(prove_kernel_state *m, const char *text, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    const uint64_t n = prove->data.rows->rows;
    hsp_kernel_report *verdict = NULL;
    m->data = prove->data.scaled ? prove->data.scaled : prove->data.data;
    m->count = n < PROVE_KERNEL_ROWS ? n : PROVE_KERNEL_ROWS;
    m->row = hsp__scratch_new(&prove->scratch, m->count, sizeof *m->row);
    if (!m->row) return hsp__fail_memory(err);
    HSP__TRY(hsp_kernel_parse(prove->ctx, text, 1, hsp_data_index_base(m->data), err, &m->of));
    HSP__TRY(hsp_kernel_fit(prove->ctx, m->of, prove->data.rows, err));
    HSP__TRY(hsp_data_sample(m->data, m->count, 1, err, m->row));
    if (!hsp__prove_format_kernel(&m->json, m->of))
        return hsp__prove_skip(prove, err, "kernel", "certificates do not support the kernel %s",
                               hsp_kernel_text(m->of));
    if (m->json.failed) return hsp__fail_memory(err);
    if (!m->count) return hsp__prove_skip(prove, err, "kernel", "there are no rows");
    HSP__TRY(hsp_kernel_check(prove->ctx, m->of, m->data, m->row, m->count, err, &verdict));
    const int psd = verdict->semidefinite;
    if (!psd) {
        assert(verdict->witness_count > 0);
        prove_kernel_begin(m, 0, 0);
        hsp__claim_list(&prove->claims, "\nz", verdict->witness_row, verdict->witness,
                        verdict->witness_count, hsp__claim_short);
    }
    hsp_kernel_report_free(verdict);
    if (!psd) return hsp__prove_end(prove, err, "kernel");
    if (hsp__prove_kernel_exact(m->of)) {
        if (m->count > PROVE_KERNEL_EXACT) m->count = PROVE_KERNEL_EXACT;
        prove_kernel_begin(m, 1, 1);
        return hsp__prove_end(prove, err, "kernel");
    }
    int made = 0;
    m->gram = hsp__scratch_new(&prove->scratch, m->count * m->count, sizeof *m->gram);
    if (!m->gram) return hsp__fail_memory(err);
    HSP__TRY(prove_kernel_try(m, err, &made));
    for (double share = 1e-8; !made && share < 1 && m->count; share *= 100) {
        HSP__TRY(prove_kernel_fill(m, err));
        HSP__TRY(prove_kernel_choose(m, share, err));
        if (m->count) HSP__TRY(prove_kernel_try(m, err, &made));
    }
    return made ? HSP_OK
                : hsp__prove_skip(prove, err, "kernel", "no linearly independent rows were found");
}

hsp_status hsp__prove_kernel(hsp__prove *prove, hsp_error *err)
{
    const char *text = hsp_options_text(prove->options, "kernel");
    const int named = hsp_options_list_count(prove->options, "claim") > 0;
    if (!hsp__prove_named(prove, "kernel")) return HSP_OK;
    if (!text && named && prove->model) text = hsp_model_kernel(prove->model);
    if (!text)
        return named ? hsp__prove_skip(prove, err, "kernel", "it needs --kernel EXPR") : HSP_OK;
    prove_kernel_state m = {.prove = prove};
    hsp__text_init(&m.json, &prove->ctx->allocator);
    hsp_status status = prove_kernel_run(&m, text, err);
    hsp__text_free(&m.json);
    hsp_kernel_free(m.of);
    return status;
}
