/* The mistakes of winnow, within the bounds of its theorems (docs/winnow.md).
 *
 * A separator of known weight bounds them. Candidates are a disjunction, the min_l1 separator by
 * linear programming (min_l1_separator.c), and the model's own weights. Each is rounded to
 * decimals, and then the bound is computed from what those do on the rows. The lowest bound of all
 * is claimed.
 *
 * A disjunction: rows of zeros and ones whose label says whether one of r columns is on. Which
 * columns those are is looked for: none of them may be on in a negative row, and of those that are
 * not, the one that is on in most of the positive rows that are left is taken, again and again. Few
 * columns make a low bound; any will do for a true one.
 *
 * That there was such a run is shown by making it again (winnow_replay.c). */
#include <stdlib.h>

#include "base/base.h"
#include "prove/prove.h"

#define PROVE_WINNOW_PLACES 12 /* decimals of a separator whose largest weight is 1 */
#define PROVE_WINNOW_CLIP \
    1e-12                      /* scaled values leave [0,1] by less; the file's long decimals too */
#define PROVE_WINNOW_SURE 1e-9 /* relative: what a bound computed here may be off */

typedef struct prove_winnow_state {
    hsp__prove *prove;
    hsp__winnow_run run;
    uint64_t *count;        /* rows: updates */
    uint64_t passes;        /* of a cyclic run that was made again; 0: ... */
    uint64_t *sequence;     /* ... run.updates: its updates in order */
    double clip;            /* 0: no value is beyond 0 and 1 */
    const char *no_columns; /* why there is no disjunction; NULL: there is */
    double *v;              /* cols + 1: a separator; the last weight is the offset, ... */
    int64_t *trial;         /* ... the same over 10^PROVE_WINNOW_PLACES, ... */
    int64_t *best;          /* ... and the best so far */
    double bound;           /* of it; infinite: none */
    hsp__min_l1 min_l1;     /* was it found, ... */
    double lightness;       /* ... and sum |v| / min y (<v,x> + b) of it, of balanced runs */
} prove_winnow_state;

/* ---- A disjunction --------------------------------------------------------------------------- */

/* v_j = 1 of its columns; m->no_columns: there is none. */
static hsp_status prove_winnow_disjunction(prove_winnow_state *m, hsp_error *err)
{
    hsp__scratch *scratch = &m->prove->scratch;
    const hsp_view *view = m->prove->data.rows;
    const signed char *y = m->prove->data.y;
    const uint64_t d = view->cols;
    unsigned char *off = hsp__scratch_new(scratch, d, 1); /* on in a negative row, or taken */
    unsigned char *met = hsp__scratch_new(scratch, view->rows, 1); /* one of those taken is on */
    uint64_t *count = hsp__scratch_new(scratch, d, sizeof *count), best = 0;
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(view, &row, k);
            if (x != 0 && x != 1)
                m->no_columns = "the bound of a disjunction is about rows of zeros and ones";
            if (x == 1 && y[i] < 0) off[hsp__row_column(&row, k)] = 1;
        }
    }
    while (!m->no_columns && best < d) {
        /* the column that is on in most of the positive rows that are left */
        memset(count, 0, d * sizeof *count);
        for (uint64_t i = 0; i < view->rows; i++) {
            const hsp__row row = hsp__view_row(view, i);
            for (uint64_t k = 0; y[i] > 0 && !met[i] && k < row.count; k++)
                count[hsp__row_column(&row, k)] += hsp__row_value(view, &row, k) == 1;
        }
        best = d;
        for (uint64_t j = 0; j < d; j++)
            if (!off[j] && count[j] && (best == d || count[j] > count[best])) best = j;
        if (best == d) break;
        m->v[best] = off[best] = 1;
        for (uint64_t i = 0; i < view->rows; i++) {
            const hsp__row row = hsp__view_row(view, i);
            for (uint64_t k = 0; k < row.count; k++)
                if (hsp__row_column(&row, k) == best && hsp__row_value(view, &row, k) == 1)
                    met[i] = 1;
        }
    }
    for (uint64_t i = 0; !m->no_columns && i < view->rows; i++)
        if (y[i] > 0 && !met[i]) m->no_columns = "the labels are not a disjunction of columns";
    return HSP_OK;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Why the claim is not about such a run; NULL: it is. */
static const char *prove_winnow_refuse(prove_winnow_state *m)
{
    const hsp__prove *prove = m->prove;
    const hsp__prove_file *file = &prove->data;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    if (prove->why) return prove->why;
    m->run.cols = file->rows->cols;
    m->run.n = (double)m->run.cols;
    if (balanced && m->run.theta != 0)
        return "the run was balanced with a threshold, and the theorem is for threshold 0";
    if (!balanced && !file->sides[1]) return "there are no positive rows";
    if (hsp_model_metadata(prove->model, "divided_by"))
        return "the model was converted to unit form";
    const char *why = hsp__retrain_counts(prove, 1, m->run.updates, m->count);
    if (why) return why;
    /* how far values are beyond 0 and 1, which scaling alone may make them by rounding */
    double beyond = 0, slack = 0;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(file->rows, &row, k);
            beyond = fmax(beyond, fmax(-x, x - 1));
        }
    }
    for (uint64_t j = 0; file->slack && j < file->rows->cols; j++)
        slack = fmax(slack, file->slack[j]);
    if (beyond > (file->scaled ? 1e-6 : 0)) return "some values are outside 0 to 1";
    if (file->scaled || file->exact.long_count)
        m->clip = fmax(PROVE_WINNOW_CLIP, 2 * beyond + 1e-15 * slack);
    return m->clip > 1e-3 ? "scaling took away from each other numbers that are too large" : NULL;
}

/* The run, made again. Why it cannot be shown; NULL: it can. */
static hsp_status prove_winnow_replay(prove_winnow_state *m, hsp_error *err, const char **why)
{
    hsp__prove *prove = m->prove;
    const char *stop = hsp_model_metadata(prove->model, "stop");
    const char *passes = hsp_model_metadata(prove->model, "passes");
    hsp__exact_replay outcome = HSP__REPLAY_LONG;
    *why = NULL;
    if (m->run.cyclic && stop && passes &&
        (strcmp(stop, "passes") == 0 || strcmp(stop, "converged") == 0))
        m->passes = strtoull(passes, NULL, 10);
    if (m->passes)
        HSP__TRY(
            hsp__winnow_replay(prove, &m->run, m->clip, m->passes, NULL, m->count, err, &outcome));
    if (outcome == HSP__REPLAY_LONG) {
        m->passes = 0;
        HSP__TRY(hsp__retrain_sequence(prove, m->count, m->run.updates, err, &m->sequence, why));
        if (*why) return HSP_OK;
        HSP__TRY(
            hsp__winnow_replay(prove, &m->run, m->clip, 0, m->sequence, m->count, err, &outcome));
    }
    if (outcome == HSP__REPLAY_DIFFERS)
        *why = "replayed, the run makes other updates, or a score is so close to the threshold "
               "that rounding decided what was a mistake";
    if (outcome == HSP__REPLAY_LONG) *why = "replaying the updates would take too long";
    return HSP_OK;
}

/* ---- Separators ------------------------------------------------------------------------------ */

/* What m->v does on the rows: s of the two sides, worse than they are by what sums may be off. */
static hsp__winnow_sides prove_winnow_look_at(const prove_winnow_state *m)
{
    const hsp__prove_file *file = &m->prove->data;
    const uint64_t d = m->run.cols;
    hsp__long least = HUGE_VALL, most = m->run.variant == HSP__WINNOW_BALANCED ? -HUGE_VALL : 0;
    hsp__winnow_sides s;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        hsp__long sum = (hsp__long)m->v[d], size = fabsl(sum);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const hsp__long x = (hsp__long)hsp__row_value(file->rows, &row, k);
            const hsp__long v = (hsp__long)m->v[j], term = v * fminl(fmaxl(x, 0), 1);
            sum += term;
            size += fabsl(term) + (file->slack ? fabsl(v) * (hsp__long)file->slack[j] : 0);
        }
        if (file->y[i] > 0)
            least = fminl(least, sum - size * 0x1p-50L);
        else
            most = fmaxl(most, sum + size * 0x1p-50L);
    }
    hsp__winnow_weigh(m->v, d, m->v[d], &s);
    s.least = (double)least;
    s.most = (double)most;
    return s;
}

/* The weights in m->v, cut to decimals; kept if their bound is the lowest. */
static hsp__winnow_sides prove_winnow_try(prove_winnow_state *m)
{
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    double most = 0;
    int negative = 0;
    if (!m->run.constant) m->v[m->run.cols] = 0;
    for (uint64_t j = 0; j <= m->run.cols; j++)
        most = fmax(most, fabs(m->v[j]));
    if (!(most > 0) || !isfinite(most)) return (hsp__winnow_sides){0};
    for (uint64_t j = 0; j <= m->run.cols; j++) {
        m->trial[j] = hsp__prove_grid((hsp__long)m->v[j] / (hsp__long)most, PROVE_WINNOW_PLACES);
        m->v[j] = (double)m->trial[j] / 1e12;
        negative |= m->trial[j] < 0;
    }
    const hsp__winnow_sides sides = prove_winnow_look_at(m);
    const hsp__winnow_bound theorem = hsp__winnow_bound_of(&m->run, &sides);
    const int sure = m->run.variant == HSP__WINNOW_1 ||
                     theorem.room > PROVE_WINNOW_SURE * (balanced ? theorem.spread : 1);
    if (sure && (balanced || !negative) && theorem.bound < m->bound) {
        int64_t *swap = m->best;
        m->best = m->trial;
        m->trial = swap;
        m->bound = theorem.bound;
    }
    return sides;
}

/* All candidates. */
static hsp_status prove_winnow_search(prove_winnow_state *m, hsp_error *err)
{
    assert(m->run.alpha > 1 && m->best != m->trial && !isfinite(m->bound));
    const hsp_model *model = m->prove->model;
    const hsp__separation *widest = &m->prove->separability;
    const uint64_t d = m->run.cols;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    if (!balanced) HSP__TRY(prove_winnow_disjunction(m, err));
    if (!balanced && !m->no_columns) prove_winnow_try(m);
    HSP__TRY(hsp__prove_min_l1(m->prove, &m->run, err, m->v, &m->min_l1));
    if (m->min_l1 == HSP__MIN_L1_FOUND) {
        const hsp__winnow_sides s = prove_winnow_try(m);
        m->lightness = s.weight / fmin(s.least, -s.most);
    } else if (balanced && m->min_l1 != HSP__MIN_L1_NONE) {
        /* the widest separator, where the min_l1 is not known */
        HSP__TRY(hsp__prove_separability(m->prove, err));
        if (widest->kind == HSP__SEPARABILITY_SEPARABLE && widest->weights) {
            memcpy(m->v, widest->weights, d * sizeof *m->v);
            m->v[d] = widest->bias;
            prove_winnow_try(m);
        }
    }
    for (uint64_t j = 0; j < d; j++)
        m->v[j] = j < model->features ? model->weights[j] : 0;
    m->v[d] = model->offsets[0];
    prove_winnow_try(m);
    return HSP_OK;
}

/* ---- Why there is none ----------------------------------------------------------------------- */

static hsp_status prove_winnow_skip(prove_winnow_state *m, hsp_error *err)
{
    static const char *const why[] = {
        [HSP__MIN_L1_FOUND] = ", and the bound needs one",
        [HSP__MIN_L1_NONE] = ", and the bound needs one",
        [HSP__MIN_L1_LATE] =
            " that suffices, and the linear program that finds the best one took too long",
        [HSP__MIN_L1_UNKNOWN] =
            " that suffices, and this build has no linear programming to find the best one"};
    const double W = m->lightness;
    const char *columns = m->no_columns ? m->no_columns : "the disjunction is of no use here";
    hsp__winnow_run apart = m->run;
    hsp__min_l1 again = m->min_l1;
    if (m->run.variant == HSP__WINNOW_BALANCED) {
        if (!(W > 0))
            return hsp__prove_skip(m->prove, err, "mistakes",
                                   "no separator of these rows%s was found%s",
                                   m->run.constant ? "" : " through the origin", why[m->min_l1]);
        return hsp__prove_skip(
            m->prove, err, "mistakes",
            "delta = %.6g is too large for these rows: the bound needs ln(1+delta)/W above ln cosh "
            "ln(1+delta), and W = sum |v| / min y<v,x> is %.6g at best; train with --delta %.3g",
            m->run.delta, W, expm1(1 / W));
    }
    if (m->run.variant == HSP__WINNOW_1)
        return hsp__prove_skip(m->prove, err, "mistakes",
                               "%s, and no weights v >= 0 were found that are 0 on all negative "
                               "rows and above 0 on positive ones, which winnow1 needs",
                               columns);
    apart.alpha = 1; /* is it the rate, or are there none at all? */
    if (again == HSP__MIN_L1_NONE) HSP__TRY(hsp__prove_min_l1(m->prove, &apart, err, m->v, &again));
    if (again != HSP__MIN_L1_FOUND)
        return hsp__prove_skip(
            m->prove, err, "mistakes",
            "%s, and no weights v >= 0 were found with <v,x> above 1 + delta "
            "times as large on positive rows as on negative ones%s",
            columns,
            again == HSP__MIN_L1_LATE ? ": the linear program that finds them took too long" : "");
    const hsp__winnow_sides s = prove_winnow_try(m);
    return hsp__prove_skip(m->prove, err, "mistakes",
                           "%s, and delta = %.6g is too large for the bound of a separator, which "
                           "needs <v,x> on positive rows above 1 + delta times that on negative "
                           "ones: for the v >= 0 of smallest sum it is at least %.6g on positive "
                           "rows and at most %.6g on negative ones; train with --delta %.3g",
                           columns, m->run.delta, s.least, s.most,
                           (s.least - s.most) / (2 * s.least));
}

/* ---- The claim ------------------------------------------------------------------------------- */

hsp_status hsp__prove_winnow(hsp__prove *prove, hsp_error *err)
{
    static const char *const names[] = {"winnow1", "winnow2", "balanced"};
    hsp__scratch *scratch = &prove->scratch;
    hsp__text *text = &prove->claims;
    const uint64_t d = prove->data.rows->cols;
    prove_winnow_state m = {.prove = prove,
                            .count =
                                hsp__scratch_new(scratch, prove->data.rows->rows, sizeof *m.count),
                            .best = hsp__scratch_new(scratch, d + 1, sizeof *m.best),
                            .trial = hsp__scratch_new(scratch, d + 1, sizeof *m.trial),
                            .v = hsp__scratch_new(scratch, d + 1, sizeof *m.v),
                            .bound = HUGE_VAL};
    if (scratch->failed) return hsp__fail_memory(err);
    const hsp_status status = hsp__winnow_read(prove->model, err, &m.run);
    if (status == HSP_USAGE)
        return hsp__prove_skip(prove, err, "mistakes", "%s", err ? err->message : "no such run");
    if (status) return status;
    const char *why = prove_winnow_refuse(&m);
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    HSP__TRY(prove_winnow_search(&m, err));
    if (!isfinite(m.bound)) return prove_winnow_skip(&m, err);
    if ((double)m.run.updates > m.bound * (1 - PROVE_WINNOW_SURE))
        return hsp__prove_skip(
            prove, err, "mistakes",
            "%llu mistakes are more than the bound, %.6g: this is not a run on these rows",
            (unsigned long long)m.run.updates, m.bound);
    HSP__TRY(prove_winnow_replay(&m, err, &why));
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    hsp__prove_begin(prove, "mistakes");
    hsp__claim_word(text, "learner", "winnow");
    hsp__claim_word(text, "variant", names[m.run.variant]);
    hsp__claim_exact(text, "alpha", m.run.alpha);
    if (m.run.variant == HSP__WINNOW_BALANCED)
        hsp__claim_word(text, "offset", m.run.constant ? "unit" : "none");
    else
        hsp__claim_short(text, "threshold", m.run.theta);
    hsp__claim_tie(text, "tie", m.run.tie);
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_list_grid(text, "w", NULL, m.best, d, PROVE_WINNOW_PLACES, 1);
    if (m.best[d]) hsp__claim_grid(text, "b", m.best[d], PROVE_WINNOW_PLACES);
    hsp__claim_close(text, '}');
    if (m.clip > 0) hsp__claim_bound(text, "clip", (hsp__long)m.clip, 2, 1);
    hsp__claim_order(text, m.passes, m.sequence, m.run.updates);
    return hsp__prove_end(prove, err, "mistakes");
}
