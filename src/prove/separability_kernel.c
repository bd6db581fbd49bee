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
#include "base/base.h"
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
    hsp_kernel *of;
    hsp__text json;
    uint64_t count;  /* rows with a multiplier: */
    uint64_t *row;   /* count, from 0, ascending */
    double *amount;  /* count: a y */
    int64_t *grid;   /* count: the same, times 10^places */
    int places;      /* */
    int inseparable; /* the machine says */
    const char *why;
    hsp__long low[2]; /* the least y <w, x> of a class, less its error */
    hsp__long square; /* ||w||^2, from above */
    hsp__long total;  /* A */
} separability_kernel_state;

/* ---- The solver ------------------------------------------------------------------------------ */

static hsp_status separability_kernel_fit(separability_kernel_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
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
    m->row = hsp__scratch_new(&prove->scratch, n, sizeof *m->row);
    m->amount = hsp__scratch_new(&prove->scratch, n, sizeof *m->amount);
    if (prove->scratch.failed) return hsp__fail_memory(err);
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

static hsp_status separability_kernel_measure(separability_kernel_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    const hsp__prove_file *file = &prove->data;
    const uint64_t n = file->rows->rows;
    hsp__long *scores = hsp__scratch_new(&prove->scratch, n, sizeof *scores);
    hsp__long *errors = hsp__scratch_new(&prove->scratch, n, sizeof *errors);
    if (prove->scratch.failed) return hsp__fail_memory(err);
    HSP__TRY(
        hsp__prove_round(prove, m->count, m->amount, prove->offset, err, &m->grid, &m->places));
    const hsp__prove_separator s = {
        .row = m->row, .count = m->count, .grid = m->grid, .places = m->places};
    const hsp__long unit = powl(10, -(hsp__long)m->places);
    HSP__TRY(hsp__prove_scores_of(prove, m->of, &s, file, err, scores, errors));
    m->low[0] = m->low[1] = HUGE_VALL;
    for (uint64_t i = 0; i < n; i++) {
        hsp__long *low = &m->low[file->y[i] > 0];
        *low = fminl(*low, (hsp__long)file->y[i] * scores[i] - errors[i]);
    }
    for (uint64_t k = 0; k < m->count; k++) {
        const hsp__long a = (hsp__long)m->grid[k] * unit;
        m->square += a * scores[m->row[k]] + fabsl(a) * errors[m->row[k]];
        m->total += fabsl(a);
    }
    m->square = fmaxl(m->square, 0);
    return HSP_OK;
}

static void separability_kernel_begin(separability_kernel_state *m, const char *claim)
{
    hsp__prove_begin(m->prove, claim);
    hsp__claim_json(&m->prove->claims, "kernel", &m->json);
    hsp__claim_flag(&m->prove->claims, "\noffset", m->prove->offset);
}

static hsp_status separability_kernel_separable(separability_kernel_state *m, hsp_error *err)
{
    hsp__text *text = &m->prove->claims;
    hsp__long b = m->prove->offset ? (m->low[0] - m->low[1]) / 2 : 0;
    const int places = 15 - (int)ceill(log10l(fmaxl(fabsl(b), 1e-6L)));
    const int64_t grid = hsp__prove_grid(b, places);
    b = (hsp__long)grid / powl(10, (hsp__long)places);
    assert(!(m->total <= 0) && !(m->square < 0));
    const hsp__long margin = fminl(m->low[0] - b, m->low[1] + b) * (1 - 1e-14L);
    if (!(margin > 0) || !(m->square > 0))
        return hsp__prove_skip(
            m->prove, err, "separable",
            "in the kernel's feature space the classes are closer than the arithmetic can resolve");
    separability_kernel_begin(m, "separable");
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_list_grid(text, "rows", m->row, m->grid, m->count, m->places, 1);
    if (m->prove->offset) hsp__claim_grid(text, "b", grid, places);
    hsp__claim_close(text, '}');
    hsp__claim_open(text, "\nmargin", '{');
    hsp__claim_bound(text, "low", margin / sqrtl(m->square) * (1 - 1e-14L), 12, 0);
    hsp__claim_bound(text, "high", sqrtl(m->square) / m->total * (1 + 1e-14L), 12, 1);
    hsp__claim_close(text, '}');
    hsp__claim_list_grid(text, "\nmultipliers", m->row, m->grid, m->count, m->places, 0);
    return hsp__prove_end(m->prove, err, "separable");
}

/* Whole multipliers, where the kernel allows exact arithmetic; else how near the hulls are. */
static hsp_status separability_kernel_not(separability_kernel_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    const uint64_t n = prove->data.rows->rows;
    hsp__separation found;
    hsp_status status = HSP_OK;
    hsp__separation_init(&found, &prove->ctx->allocator);
    if (n <= SEPARABILITY_KERNEL_EXACT && !prove->data.scaled && hsp__prove_kernel_exact(m->of))
        status = hsp__exact_kernel(prove->ctx, &prove->data.exact, m->of, prove->offset,
                                   200 + 10 * n, err, &found);
    if (!status && found.multipliers.failed) status = hsp__fail_memory(err);
    if (!status) separability_kernel_begin(m, "not separable");
    if (!status && found.kind == HSP__SEPARABILITY_COMMON) {
        hsp__claim_json(&prove->claims, "\nmultipliers", &found.multipliers);
    } else if (!status) {
        hsp__claim_list_grid(&prove->claims, "\nmultipliers", m->row, m->grid, m->count, m->places,
                             0);
        hsp__claim_bound(&prove->claims, "\nepsilon", sqrtl(m->square) / m->total * (1 + 1e-12L), 4,
                         1);
    }
    hsp__separation_free(&found);
    return status ? status : hsp__prove_end(prove, err, "not separable");
}

static hsp_status separability_kernel_run(separability_kernel_state *m, const char *text,
                                          hsp_error *err)
{
    hsp__prove *prove = m->prove;
    const hsp_data *data = prove->data.scaled ? prove->data.scaled : prove->data.data;
    HSP__TRY(hsp_kernel_parse(prove->ctx, text, 1, hsp_data_index_base(data), err, &m->of));
    HSP__TRY(hsp_kernel_fit(prove->ctx, m->of, prove->data.rows, err));
    if (hsp_kernel_is_indefinite(m->of))
        m->why = "it may not be a kernel, and then there is no feature space";
    else if (!hsp__prove_format_kernel(&m->json, m->of))
        m->why = "certificates do not support this kernel";
    if (m->why) return HSP_OK;
    if (m->json.failed) return hsp__fail_memory(err);
    HSP__TRY(separability_kernel_fit(m, err));
    if (!m->count)
        m->why = "the solver found neither a separator nor evidence that there is none";
    else if (m->count * prove->data.rows->rows > SEPARABILITY_KERNEL_PAIRS)
        m->why = "there are too many support rows: checking would take hours";
    if (m->why) return HSP_OK;
    HSP__TRY(separability_kernel_measure(m, err));
    const char *through = prove->offset ? "" : " through the origin";
    if (!m->inseparable)
        return hsp__prove_named(prove, "separable")
                   ? separability_kernel_separable(m, err)
                   : hsp__prove_skip(prove, err, "not separable", "the rows are separable%s",
                                     through);
    return hsp__prove_named(prove, "not separable")
               ? separability_kernel_not(m, err)
               : hsp__prove_skip(prove, err, "separable", "no separator%s was found", through);
}

hsp_status hsp__prove_separable_kernel(hsp__prove *prove, const char *text, hsp_error *err)
{
    const int yes = hsp__prove_named(prove, "separable");
    separability_kernel_state m = {.prove = prove};
    if (!yes && !hsp__prove_named(prove, "not separable")) return HSP_OK;
    hsp__text_init(&m.json, &prove->ctx->allocator);
    if (!prove->data.sides[0] || !prove->data.sides[1]) m.why = "all rows are of one class";
    hsp_status status = m.why ? HSP_OK : separability_kernel_run(&m, text, err);
    if (!status && m.why)
        status = hsp__prove_skip(prove, err, yes ? "separable" : "not separable", "%s", m.why);
    hsp__text_free(&m.json);
    hsp_kernel_free(m.of);
    return status;
}
