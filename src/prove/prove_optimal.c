/* How near a machine is to the optimum, and which predictions the optimum cannot change.
 *
 *     P(w, b) = ||w||^2 / 2 (+ b^2 / 2) + sum c loss(y s(x))
 *     D(a) = sum a (- a^2 / 4c) - ||u||^2 / 2 (- t^2 / 2),   u = sum a y x, t = sum a y
 *
 * (w, b) is the model's, a the dual weights that it keeps (--keep-dual), rounded to decimals inside
 * their box, and so that t = 0 exactly where the offset is free. P - D is computed in long double;
 * what is claimed is a little more, so that rounding cannot make it false.
 *
 * Predictions. ||w - w*|| <= r = sqrt(2 (P - D)) for every optimum w*, so <w*, x> is within r ||x||
 * of <w, x>. A free offset b* is where the derivative of the losses changes its sign: an interval
 * of it is found by bisection, with all scores moved by r ||x|| against it. */
#include <float.h>

#include "base/base.h"
#include "learn/erm/erm.h"
#include "learn/learner.h"
#include "learn/row_weights.h"
#include "prove/prove.h"

typedef struct prove_optimal_state {
    hsp__prove *prove;
    hsp__plan plan;
    int squared;
    double cost[2]; /* of negative and positive rows */
    hsp__prove_separator s;
    int64_t *dual;     /* updates.count: a y, times 10^places */
    int places;        /* */
    hsp__long *scores; /* n: <w, x>, */
    hsp__long *errors; /* and how far these may be off */
    hsp__long square;  /* ||w||^2 */
    hsp__long gap;     /* P - D, from above */
} prove_optimal_state;

/* ---- The problem ----------------------------------------------------------------------------- */

/* Why the model is none that the claim is about; NULL: it is one. */
static const char *prove_optimal_refuse(const prove_optimal_state *m, const hsp_options *options)
{
    const hsp__prove_file *file = &m->prove->data;
    const hsp_row_coefficients updates = hsp_model_row_coefficients(m->prove->model);
    const char *loss = hsp_options_text(options, "loss");
    if (hsp_options_flag(options, "hard"))
        return "a hard-margin model has no losses; the claim 'separable' states its margin";
    if (strcmp(loss, "hinge") != 0 && strcmp(loss, "squared") != 0)
        return "the claim is about hinge and squared hinge loss";
    if (m->plan.penalty != HSP__PENALTY_L2) return "the penalty is not l2";
    if (hsp_options_text(options, "row-weight")) return "its rows have weights of their own";
    if (!updates.count) return "the model has no dual coefficients; train it with --keep-dual";
    if (!file->sides[0] || !file->sides[1]) return "all rows are of one class";
    for (uint64_t k = 0; k < updates.count; k++) {
        const uint64_t i = updates.row[k];
        if (i >= file->rows->rows || (k && i <= updates.row[k - 1]))
            return "its rows are not those of this file";
        if (updates.amount[k] * file->y[i] < 0) return "its labels are not those of this file";
    }
    return NULL;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* ||sum a y x||^2, from above. */
static hsp_status prove_optimal_dual_square(prove_optimal_state *m, hsp_error *err,
                                            hsp__long *square)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(m->prove->model);
    const hsp__prove_file *file = &m->prove->data;
    const hsp_view *view = file->rows;
    const hsp__long unit = powl(10, -(hsp__long)m->places);
    hsp__long *sum = hsp__scratch_new(&m->prove->scratch, view->cols, sizeof *sum);
    hsp__long *size = hsp__scratch_new(&m->prove->scratch, view->cols, sizeof *size);
    hsp__long total = 0, error = 0;
    if (m->prove->scratch.failed) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < updates.count; k++) {
        const hsp__row row = hsp__view_row(view, updates.row[k]);
        const hsp__long a = (hsp__long)m->dual[k] * unit;
        for (uint64_t e = 0; e < row.count; e++) {
            const uint64_t j = hsp__row_column(&row, e);
            const hsp__long term = a * (hsp__long)hsp__row_value(view, &row, e);
            sum[j] += term;
            size[j] += fabsl(term) + (file->slack ? fabsl(a) * (hsp__long)file->slack[j] : 0);
        }
    }
    for (uint64_t j = 0; j < view->cols; j++) {
        const hsp__long off = size[j] * 0x1p-50L;
        total += sum[j] * sum[j];
        error += off * (2 * fabsl(sum[j]) + off);
    }
    *square = total + error;
    return HSP_OK;
}

static hsp_status prove_optimal_gap(prove_optimal_state *m, hsp_error *err)
{
    const hsp__prove_file *file = &m->prove->data;
    const hsp_row_coefficients updates = hsp_model_row_coefficients(m->prove->model);
    const hsp__long unit = powl(10, -(hsp__long)m->places), b = (hsp__long)m->s.b;
    hsp__long primal = 0, gain = 0, t = 0, dual_square = 0, size = 0;
    if (m->s.row) {
        /* with a kernel the coefficients are the dual weights: w = u, ||w||^2 = sum a y <w, x> */
        const hsp__long own_unit = powl(10, -(hsp__long)m->s.places);
        for (uint64_t k = 0; k < m->s.count; k++) {
            const hsp__long a = (hsp__long)m->s.grid[k] * own_unit;
            m->square += a * m->scores[m->s.row[k]];
            size += fabsl(a) * m->errors[m->s.row[k]];
        }
        dual_square = m->square += size;
    } else {
        for (uint64_t j = 0; j < m->s.features; j++)
            m->square += (hsp__long)m->s.w[j] * (hsp__long)m->s.w[j];
        HSP__TRY(prove_optimal_dual_square(m, err, &dual_square));
    }
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__long margin = (hsp__long)file->y[i] * (m->scores[i] + b) - m->errors[i];
        const hsp__long z = fmaxl(0, 1 - margin);
        primal += (hsp__long)m->cost[file->y[i] > 0] * (m->squared ? z * z : z);
    }
    for (uint64_t k = 0; k < updates.count; k++) {
        const hsp__long a = fabsl((hsp__long)m->dual[k] * unit);
        const hsp__long c = (hsp__long)m->cost[file->y[updates.row[k]] > 0];
        gain += m->squared ? a - a * a / (4 * c) : a;
        t += (hsp__long)m->dual[k] * unit;
    }
    primal += m->square / 2;
    if (m->plan.offset == HSP__OFFSET_REGULARIZED) {
        primal += b * b / 2;
        dual_square += t * t;
    }
    m->gap = primal - (gain - dual_square / 2);
    m->gap = fmaxl(m->gap, 0) + (fabsl(primal) + fabsl(gain)) * 1e-15L;
    assert(!(m->gap < 0) && !(m->square < 0));
    return HSP_OK;
}

/* ---- Stable predictions ---------------------------------------------------------------------- */

/* The derivative of the losses by b, at b, with every score moved by side * r ||x||; at kinks the
 * end that is further from what is to be shown. */
static hsp__long prove_optimal_slope(const prove_optimal_state *m, const hsp__long *reach,
                                     hsp__long b, int side)
{
    const hsp__prove_file *file = &m->prove->data;
    hsp__long sum = 0, size = 0;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__long v = m->scores[i] + (hsp__long)side * (reach[i] + m->errors[i]) + b;
        const hsp__long c = (hsp__long)m->cost[file->y[i] > 0];
        const hsp__long z = file->y[i] > 0 ? 1 - v : 1 + v; /* the loss is positive where z is */
        const hsp__long edge = 1e-12L * (1 + fabsl(v));
        hsp__long pull = m->squared ? 2 * c * fmaxl(0, z) : z > 0 ? c : 0;
        if (!m->squared && fabsl(z) <= edge) pull = (file->y[i] > 0) == (side > 0) ? 0 : c;
        sum += file->y[i] > 0 ? -pull : pull;
        size += pull;
    }
    return sum + (hsp__long)side * 1e-12L * size; /* pulls that cancel are not seen to differ */
}

/* low with b* > low (side 1), or high with b* < high (side -1); *found 0: there is none. */
static hsp__long prove_optimal_end(const prove_optimal_state *m, const hsp__long *reach, int side,
                                   int *found)
{
    const hsp__long b = (hsp__long)m->s.b;
    hsp__long inside = b, step = 1e-9L * (1 + fabsl(b)), outside = b;
    *found = 0;
    for (int i = 0; i < 120 && !*found; i++, step *= 2) {
        outside = b - (hsp__long)side * step;
        const hsp__long slope = prove_optimal_slope(m, reach, outside, side);
        *found = side > 0 ? slope < 0 : slope > 0;
        if (!*found) inside = outside;
    }
    for (int i = 0; *found && i < 60; i++) {
        const hsp__long middle = (inside + outside) / 2;
        const hsp__long slope = prove_optimal_slope(m, reach, middle, side);
        if (side > 0 ? slope < 0 : slope > 0)
            outside = middle;
        else
            inside = middle;
    }
    /* the checker rounds on its own: no row's kink may lie at the end */
    return outside - (hsp__long)side * 1e-7L * (fabsl(outside - b) + 1e-3L * (1 + fabsl(b)));
}

/* r ||x|| of every row of a file, from above. */
static hsp_status prove_optimal_reach(const prove_optimal_state *m, const hsp__prove_file *file,
                                      hsp_error *err, hsp__long *reach)
{
    const hsp__long r = sqrtl(2 * m->gap) * (1 + 1e-9L);
    const int regularized = m->plan.offset == HSP__OFFSET_REGULARIZED;
    hsp_data *rows = file->scaled ? file->scaled : file->data;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        hsp__long square = regularized;
        for (uint64_t k = 0; !m->s.row && k < row.count; k++) {
            const hsp__long x = (hsp__long)hsp__row_value(file->rows, &row, k);
            square += x * x;
        }
        if (m->s.row) {
            double self;
            hsp_data *one = NULL;
            hsp_status status = hsp_data_select(m->prove->ctx, rows, &i, 1, err, &one);
            if (!status)
                status = hsp_kernel_gram(m->prove->ctx, m->prove->model->expansion->kernel, one,
                                         NULL, err, &self);
            hsp_data_free(one);
            if (status) return status;
            square += (hsp__long)self;
        }
        reach[i] = r * sqrtl(square) * (1 + 1e-9L);
    }
    return HSP_OK;
}

/* ---- The claims ------------------------------------------------------------------------------ */

static void prove_optimal_write(prove_optimal_state *m, const char *claim)
{
    static const char *const offsets[] = {[HSP__OFFSET_FREE] = "free",
                                          [HSP__OFFSET_REGULARIZED] = "regularized",
                                          [HSP__OFFSET_NONE] = "none"};
    const hsp_row_coefficients updates = hsp_model_row_coefficients(m->prove->model);
    hsp__text *text = &m->prove->claims;
    hsp__prove_begin(m->prove, claim);
    if (m->s.kernel.size) hsp__claim_json(text, "\nkernel", &m->s.kernel);
    hsp__claim_word(text, "\nloss", m->squared ? "squared hinge" : "hinge");
    hsp__claim_word(text, "offset", offsets[m->plan.offset]);
    hsp__claim_open(text, "cost", '{');
    hsp__claim_short(text, "negative", m->cost[0]);
    hsp__claim_short(text, "positive", m->cost[1]);
    hsp__claim_close(text, '}');
    hsp__claim_json(text, "\nseparator", &m->s.text);
    hsp__claim_list_grid(text, "\ndual", updates.row, m->dual, updates.count, m->places, 0);
    hsp__claim_bound(text, "\ngap", m->gap, 4, 1);
}

static hsp_status prove_optimal_stable(prove_optimal_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    hsp__scratch *scratch = &prove->scratch;
    hsp__text *text = &prove->claims;
    const int test = prove->test.path != NULL, offset = m->plan.offset == HSP__OFFSET_FREE;
    const hsp__prove_file *file = test ? &prove->test : &prove->data;
    const uint64_t n = prove->data.rows->rows, rows = file->rows->rows;
    hsp__long ends[2] = {0, 0};
    hsp__long *reach = hsp__scratch_new(scratch, n > rows ? n : rows, sizeof *reach);
    hsp__long *scores = hsp__scratch_new(scratch, rows, sizeof *scores);
    hsp__long *errors = hsp__scratch_new(scratch, rows, sizeof *errors);
    int found[2] = {1, 1};
    if (scratch->failed) return hsp__fail_memory(err);
    HSP__TRY(prove_optimal_reach(m, &prove->data, err, reach));
    for (int side = 0; offset && side < 2; side++)
        ends[side] = prove_optimal_end(m, reach, side ? -1 : 1, &found[side]);
    if (!found[0] || !found[1])
        return hsp__prove_skip(
            prove, err, "stable",
            "the duality gap is too large to bound the optimal offset; train with a smaller --gap");
    if (test) HSP__TRY(prove_optimal_reach(m, file, err, reach));
    HSP__TRY(hsp__prove_scores(prove, &m->s, file, err, scores, errors));
    prove_optimal_write(m, "stable predictions");
    hsp__claim_word(text, "\nfile", test ? "test" : "data");
    if (offset) {
        const hsp__long most = fmaxl(fabsl(ends[0]), fabsl(ends[1]));
        const int places = most > 0 ? 15 - (int)ceill(log10l(most)) : 0;
        const hsp__long unit = powl(10, -(hsp__long)places);
        const int64_t low = (int64_t)floorl(ends[0] / unit) - 1;
        const int64_t high = (int64_t)ceill(ends[1] / unit) + 1;
        assert(low < high);
        hsp__claim_open(text, "\noffset_interval", '[');
        hsp__claim_grid(text, NULL, low, places);
        hsp__claim_grid(text, NULL, high, places);
        hsp__claim_close(text, ']');
        ends[0] = (hsp__long)low * unit * (1 - 1e-17L);
        ends[1] = (hsp__long)high * unit;
    }
    /* the rows whose label may be another at the optimum */
    hsp__claim_open(text, "\nmay_change", '[');
    for (uint64_t i = 0; i < rows; i++) {
        const hsp__long s = scores[i] + (hsp__long)m->s.b, off = reach[i] + 2 * errors[i];
        const int stable = offset ? (scores[i] - off + ends[0] > 0 && s > errors[i]) ||
                                        (scores[i] + off + ends[1] < 0 && s < -errors[i])
                                  : fabsl(s) > off;
        if (!stable) hsp__claim_count(text, NULL, i + 1);
    }
    hsp__claim_close(text, ']');
    return hsp__prove_end(prove, err, "stable");
}

/* Not asked for by name and not applicable: nothing is reported. */
static hsp_status prove_optimal_skip(hsp__prove *prove, hsp_error *err, const char *why)
{
    if (hsp__prove_named(prove, "optimal"))
        HSP__TRY(hsp__prove_skip(prove, err, "optimal", "%s", why));
    if (hsp__prove_named(prove, "stable"))
        HSP__TRY(hsp__prove_skip(prove, err, "stable", "%s", why));
    return HSP_OK;
}

static hsp_status prove_optimal_run(prove_optimal_state *m, const hsp_options *options,
                                    hsp_error *err)
{
    hsp__prove *prove = m->prove;
    const uint64_t n = prove->data.rows->rows, *sides = prove->data.sides;
    const hsp_row_coefficients updates = hsp_model_row_coefficients(prove->model);
    double weight[2] = {1, 1};
    int balanced = 0;
    HSP__TRY(hsp__erm_plan_read(options, &m->plan, err));
    const int offset = m->plan.offset == HSP__OFFSET_FREE;
    const char *why = prove_optimal_refuse(m, options);
    if (why) return prove_optimal_skip(prove, err, why);
    m->squared = strcmp(hsp_options_text(options, "loss"), "squared") == 0;
    /* the costs of the two classes as the learner had them */
    HSP__TRY(hsp__row_weights_classes(prove->ctx, options, &prove->model->class_names, err, weight,
                                      &balanced));
    const double C = m->plan.C > 0 ? m->plan.C : 1 / (m->plan.lambda * (double)n);
    for (int side = 0; side < 2; side++) {
        m->cost[side] = C * weight[side];
        if (balanced) m->cost[side] *= (double)n / (2 * (double)sides[side]);
        assert(!(m->cost[side] < 0));
    }
    HSP__TRY(hsp__prove_separator_new(prove, offset, err, &m->s));
    if (m->s.why) return prove_optimal_skip(prove, err, m->s.why);
    m->scores = hsp__scratch_new(&prove->scratch, n, sizeof *m->scores);
    m->errors = hsp__scratch_new(&prove->scratch, n, sizeof *m->errors);
    if (prove->scratch.failed) return hsp__fail_memory(err);
    /* decimals are cut towards 0, so that a stays in its box */
    HSP__TRY(
        hsp__prove_round(prove, updates.count, updates.amount, offset, err, &m->dual, &m->places));
    HSP__TRY(hsp__prove_scores(prove, &m->s, &prove->data, err, m->scores, m->errors));
    HSP__TRY(prove_optimal_gap(m, err));
    if (hsp__prove_named(prove, "optimal")) {
        prove_optimal_write(m, "optimal");
        HSP__TRY(hsp__prove_end(prove, err, "optimal"));
    }
    return hsp__prove_named(prove, "stable") ? prove_optimal_stable(m, err) : HSP_OK;
}

hsp_status hsp__prove_optimal(hsp__prove *prove, hsp_error *err)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const char *learner = prove->model ? hsp_model_metadata(prove->model, "learner") : NULL;
    prove_optimal_state m = {.prove = prove};
    hsp_options *options = NULL;
    if (!hsp__prove_named(prove, "optimal") && !hsp__prove_named(prove, "stable")) return HSP_OK;
    if (!learner || strcmp(learner, "svm") != 0) {
        if (hsp_options_list_count(prove->options, "claim") > 0)
            return prove_optimal_skip(prove, err,
                                      "it needs --model with a model of svm --keep-dual");
        /* of a model for which there is neither this claim nor that of mistakes, that is reported */
        if (!prove->model ||
            (learner && (strcmp(learner, "perceptron") == 0 || strcmp(learner, "winnow") == 0 ||
                         strcmp(learner, "experts") == 0)))
            return HSP_OK;
        return hsp__prove_skip(prove, err, "optimal",
                               "the claim is about svm models with dual coefficients "
                               "(--keep-dual), and this is a model of %.40s",
                               learner ? learner : "another program");
    }
    hsp__text_init(&m.s.text, memory);
    hsp__text_init(&m.s.kernel, memory);
    hsp_status status = hsp_options_new(prove->ctx, hsp_learner_find(learner), err, &options);
    if (!status) status = hsp_model_set_options(prove->model, options, err);
    if (!status) status = prove_optimal_run(&m, options, err);
    hsp__prove_separator_free(&m.s);
    hsp_options_free(options);
    return status;
}
