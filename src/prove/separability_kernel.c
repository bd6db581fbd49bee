/* Are two sets of rows separable in a kernel's feature space, and by how much?
 *
 * The hard machine gives w = sum a y phi(x), a >= 0 and sum a y = 0. Rounded to decimals, these
 * coefficients are both: the separator, and with A = sum a the multipliers of two points of the
 * hulls, ||w|| / A each from the middle between them. So
 *
 *     low = min y s(x) / ||w||,    high = ||w|| / A,
 *
 * and at the optimum both are the widest margin. Where there is no separator, a common point is
 * looked for exactly, if the kernel is without exponentials and rows are few; else the multipliers
 * that show it give "no margin above epsilon". */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/evidence.h"
#include "learn/kernel/kernel_erm.h"
#include "prove/prove.h"

#define SEPARABILITY_KERNEL_PAIRS \
    4000000 /* kernel values, at most: each is one for the checker too */
#define SEPARABILITY_KERNEL_SECONDS 600
#define SEPARABILITY_KERNEL_CACHE   ((uint64_t)1000 << 20) /* bytes of kernel values */
#define SEPARABILITY_KERNEL_EXACT   200 /* rows whose Gram matrix is made in whole numbers */

typedef struct separability_kernel_state {
    hsp__prove *prove;
    const char *text;
    hsp_data *data;
    hsp_kernel *of;
    hsp__text json;
    uint64_t count;  /* rows with a multiplier: */
    uint64_t *row;   /* count, from 0, ascending */
    double *amount;  /* count: a y */
    int64_t *grid;   /* count: the same, times 10^places */
    int places;      /* */
    int inseparable; /* the machine says */
    const char *why;
} separability_kernel_state;

/* ---- The solver ------------------------------------------------------------------------------ */

static hsp_status separability_kernel_fit(separability_kernel_state *m, hsp_error *err)
{
    const hsp__prove *prove = m->prove;
    const hsp__prove_file *file = &prove->data;
    const uint64_t n = file->rows->rows;
    const hsp__problem p = {.view = file->rows,
                            .positive = 1,
                            .cost = {1, 1},
                            .loss = &hsp__hinge,
                            .offset = prove->offset ? HSP__OFFSET_FREE : HSP__OFFSET_NONE,
                            .hard = 1};
    const hsp__fit_limits limits = {.gap = fmax(prove->width / 16, 1e-10),
                                    .max_passes = HSP__FIT_PASSES,
                                    .max_seconds = SEPARABILITY_KERNEL_SECONDS,
                                    .seed = 1};
    hsp_context quiet = *prove->ctx;
    hsp__fitted fitted;
    quiet.log = NULL;
    m->row = hsp__scratch_new(&m->prove->scratch, n, sizeof *m->row);
    m->amount = hsp__scratch_new(&m->prove->scratch, n, sizeof *m->amount);
    if (!m->row || !m->amount) return hsp__fail_memory(err);
    hsp_status status =
        hsp__fit_kernel(&quiet, m->of, &p, &limits, SEPARABILITY_KERNEL_CACHE, err, &fitted);
    m->inseparable = fitted.stop == HSP_STOP_INSEPARABLE;
    double total[2] = {1, 1};
    if (!status && m->inseparable) hsp__evidence_scales(&p, fitted.dual, total);
    for (uint64_t i = 0; !status && i < n; i++) {
        if (!(fitted.dual[i] > 0)) continue;
        m->row[m->count] = i;
        m->amount[m->count++] = file->y[i] * (fitted.dual[i] / total[file->y[i] > 0]);
    }
    hsp__fitted_free(&fitted);
    return status;
}

/* ---- What it comes to ------------------------------------------------------------------------ */

typedef struct separability_kernel_figures {
    hsp__long low[2]; /* the least y <w, x> of a class, less its error */
    hsp__long square; /* ||w||^2, from above */
    hsp__long total;  /* A */
} separability_kernel_figures;

static hsp_status separability_kernel_measure(separability_kernel_state *m, hsp_error *err,
                                              separability_kernel_figures *out)
{
    const hsp__prove_separator s = {
        .row = m->row, .count = m->count, .grid = m->grid, .places = m->places};
    const hsp__prove_file *file = &m->prove->data;
    const uint64_t n = file->rows->rows;
    hsp__long *scores = hsp__scratch_new(&m->prove->scratch, n, sizeof *scores);
    hsp__long *errors = hsp__scratch_new(&m->prove->scratch, n, sizeof *errors);
    const hsp__long unit = powl(10, -(hsp__long)m->places);
    hsp_status status = scores && errors ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__prove_scores_of(m->prove, m->of, &s, file, err, scores, errors);
    *out = (separability_kernel_figures){{HUGE_VALL, HUGE_VALL}, 0, 0};
    for (uint64_t i = 0; !status && i < n; i++) {
        hsp__long *low = &out->low[file->y[i] > 0];
        *low = fminl(*low, (hsp__long)file->y[i] * scores[i] - errors[i]);
    }
    for (uint64_t k = 0; !status && k < m->count; k++) {
        const hsp__long a = (hsp__long)m->grid[k] * unit;
        out->square += a * scores[m->row[k]] + fabsl(a) * errors[m->row[k]];
        out->total += fabsl(a);
    }
    out->square = fmaxl(out->square, 0);
    return status;
}

static void separability_kernel_begin(separability_kernel_state *m, const char *claim)
{
    hsp__text *text = &m->prove->claims;
    hsp__prove_begin(m->prove, claim);
    hsp__claim_json(text, "kernel", &m->json);
    hsp__claim_flag(text, "\noffset", m->prove->offset);
}

static hsp_status separability_kernel_separable(separability_kernel_state *m,
                                                const separability_kernel_figures *f,
                                                hsp_error *err)
{
    hsp__text *text = &m->prove->claims;
    hsp__long b = m->prove->offset ? (f->low[0] - f->low[1]) / 2 : 0;
    const int places = 15 - (int)ceill(log10l(fmaxl(fabsl(b), 1e-6L)));
    const int64_t grid = hsp__prove_grid(b, places);
    b = (hsp__long)grid / powl(10, (hsp__long)places);
    assert(!(f->total <= 0) && !(f->square < 0));
    const hsp__long margin = fminl(f->low[0] - b, f->low[1] + b) * (1 - 1e-14L);
    if (!(margin > 0) || !(f->square > 0))
        return hsp__prove_skip(
            m->prove, err, "separable",
            "in the kernel's feature space the classes are closer than the arithmetic can resolve");
    separability_kernel_begin(m, "separable");
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_list_grid(text, "rows", m->row, m->grid, m->count, m->places, 1);
    if (m->prove->offset) hsp__claim_grid(text, "b", grid, places);
    hsp__claim_close(text, '}');
    hsp__claim_open(text, "\nmargin", '{');
    hsp__claim_bound(text, "low", margin / sqrtl(f->square) * (1 - 1e-14L), 12, 0);
    hsp__claim_bound(text, "high", sqrtl(f->square) / f->total * (1 + 1e-14L), 12, 1);
    hsp__claim_close(text, '}');
    hsp__claim_list_grid(text, "\nmultipliers", m->row, m->grid, m->count, m->places, 0);
    return hsp__prove_end(m->prove, err, "separable");
}

/* Whole multipliers, where the kernel allows exact arithmetic. *made: the claim was. */
static hsp_status separability_kernel_exact(separability_kernel_state *m, hsp_error *err, int *made)
{
    hsp__prove *prove = m->prove;
    const uint64_t n = prove->data.rows->rows;
    hsp__separation found;
    if (n > SEPARABILITY_KERNEL_EXACT || prove->data.moved || !hsp__prove_kernel_exact(m->of))
        return HSP_OK;
    hsp__separation_init(&found, &prove->ctx->allocator);
    hsp_status status = hsp__exact_kernel(prove->ctx, &prove->data.exact, m->of, prove->offset,
                                          200 + 10 * n, err, &found);
    if (!status && found.multipliers.failed) status = hsp__fail_memory(err);
    if (!status && found.kind == HSP__SEPARABILITY_COMMON) {
        separability_kernel_begin(m, "not separable");
        hsp__claim_json(&prove->claims, "\nmultipliers", &found.multipliers);
        status = hsp__prove_end(prove, err, "not separable");
        *made = 1;
    }
    hsp__separation_free(&found);
    return status;
}

static hsp_status separability_kernel_claim(separability_kernel_state *m, hsp_error *err)
{
    int made = 0;
    separability_kernel_figures figures;
    hsp_status status = hsp__prove_round(m->prove, m->count, m->amount, m->prove->offset, err,
                                         &m->grid, &m->places);
    if (!status) status = separability_kernel_measure(m, err, &figures);
    if (status) return status;
    if (!m->inseparable)
        return hsp__prove_named(m->prove, "separable")
                   ? separability_kernel_separable(m, &figures, err)
                   : hsp__prove_skip(m->prove, err, "not separable", "the rows are separable%s",
                                     m->prove->offset ? "" : " through the origin");
    if (!hsp__prove_named(m->prove, "not separable"))
        return hsp__prove_skip(m->prove, err, "separable", "no separator%s was found",
                               m->prove->offset ? "" : " through the origin");
    status = separability_kernel_exact(m, err, &made);
    if (status || made) return status;
    separability_kernel_begin(m, "not separable");
    hsp__claim_list_grid(&m->prove->claims, "\nmultipliers", m->row, m->grid, m->count, m->places,
                         0);
    hsp__claim_bound(&m->prove->claims, "\nepsilon",
                     sqrtl(figures.square) / figures.total * (1 + 1e-12L), 4, 1);
    return hsp__prove_end(m->prove, err, "not separable");
}

static hsp_status separability_kernel_run(separability_kernel_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    hsp_status status =
        hsp_kernel_parse(prove->ctx, m->text, 1, hsp_data_index_base(m->data), err, &m->of);
    if (!status) status = hsp_kernel_fit(prove->ctx, m->of, prove->data.rows, err);
    if (status) return status;
    if (hsp_kernel_is_indefinite(m->of)) {
        m->why = "it may not be a kernel, and then there is no feature space";
        return HSP_OK;
    }
    if (!hsp__prove_format_kernel(&m->json, m->of)) {
        m->why = "certificates do not support this kernel";
        return HSP_OK;
    }
    status = m->json.failed ? hsp__fail_memory(err) : separability_kernel_fit(m, err);
    if (status) return status;
    if (!m->count)
        m->why = "the solver found neither a separator nor evidence that there is none";
    else if (m->count * prove->data.rows->rows > SEPARABILITY_KERNEL_PAIRS)
        m->why = "there are too many support rows: checking would take hours";
    return m->why ? HSP_OK : separability_kernel_claim(m, err);
}

hsp_status hsp__prove_separable_kernel(hsp__prove *prove, const char *text, hsp_error *err)
{
    const int yes = hsp__prove_named(prove, "separable");
    separability_kernel_state m = {.prove = prove,
                                   .text = text,
                                   .data =
                                       prove->data.moved ? prove->data.moved : prove->data.data};
    if (!yes && !hsp__prove_named(prove, "not separable")) return HSP_OK;
    hsp__text_init(&m.json, &prove->ctx->allocator);
    if (!prove->data.sides[0] || !prove->data.sides[1]) m.why = "all rows are of one class";
    hsp_status status = m.why ? HSP_OK : separability_kernel_run(&m, err);
    if (!status && m.why)
        status = hsp__prove_skip(prove, err, yes ? "separable" : "not separable", "%s", m.why);
    hsp__text_free(&m.json);
    hsp_kernel_free(m.of);
    return status;
}
