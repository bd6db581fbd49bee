/* A run of Winnow against its theorems. Their proofs are in docs/winnow.md; here is what they say.
 *
 * n columns, alpha = 1 + delta, k = p + d mistakes: p promotions, d demotions, over all passes
 * together and in any order. Rows in [0,1]^n throughout. e_j is the sum of y x_j over the updates.
 *
 *   total        winnow2   sum of w <= n + delta theta (p - d / alpha)
 *                winnow1   sum of w <= n + theta (delta p - d)
 *                balanced  ln(sum of u+ and u-) <= ln(2N) + k ln cosh(ln alpha), theta = 0,
 *                          N = n, or n + 1 with the constant column
 *   demotions    winnow2   d <= alpha (n / (delta theta) + p)
 *                winnow1   d <= n / theta + delta p
 *                          (the total is not negative)
 *
 * Rows of zeros and ones, labels the disjunction of r columns:
 *
 *   promotions   p <= r (1 + floor(log_alpha theta)), 0 if theta < 1
 *                (a promotion raises one of the r from theta or less, and nothing lowers them)
 *   disjunction  winnow2   k <= alpha n / (delta theta) + (2 + delta) times the bound on p
 *                winnow1   k <= n / theta + (1 + delta) times the bound on p
 *                          (demotions and promotions together)
 *   doubling     the same for delta = 1, theta = n, in the published form
 *
 * A reference v >= 0 with <v,x> >= a on positive rows, <= (1 - sigma) a on negative ones;
 * S = sum of v / a, H = the entropy of v / sum of v (in nats); winnow2 with
 * delta < sigma / (1 - sigma):
 *
 *   progress     sum of v_j e_j / a >= p - (1 - sigma) d
 *   separator    k <= (K S / ln alpha) (ln Z - 1 - H) + (K - 1) n / (delta theta),
 *                K = (2 + delta) / ((1 + delta) sigma - delta),
 *                Z = S delta theta K / ((K - 1) ln alpha)
 *   squared      k <= 8 W^2 ln(theta W / b) + 8 W b n / theta, W = S / sigma the total weight and
 *                b = 1 / sigma the threshold once the two sides are 1 apart;
 *                1/(2W) <= delta <= 1/(2b), theta W >= b
 *
 * balanced, theta = 0, y <v,x> >= g, V = ||v||_1 (with the constant column: v has one more entry):
 *
 *   progress     sum of v_j e_j >= k g
 *   separator    k <= (ln(2N) - H) / (ln(alpha) g / V - ln cosh(ln alpha)), if that is positive
 *   squared      k <= (8/3) W^2 ln(2N), W = V / g, when 1/(2W) <= ln alpha <= 3/(2W)
 *
 * And whether the model is what its updates make: counts, rebuild.
 *
 * Rounding is as in audit.c: figures in long double, a bound is exceeded when it is by more than
 * 1e-9 of the size of what is compared. */
#include <float.h>
#include <stdio.h>

#include "base/base.h"
#include "base/json.h"
#include "measure/audit.h"

#define WINNOW_WIDE  8000 /* log2 of what powl() is asked for */
#define WINNOW_LOOSE 1e3
#define WINNOW_SLACK 1e-9 /* relative, of a logarithm that is rounded to a whole number */

/* ---- The theory, also for certificates ------------------------------------------------------- */

static hsp_status winnow_read(const hsp__audit_reader *reader, hsp__winnow_run *run, hsp_error *err)
{
    static const char *const names[] = {"winnow1", "winnow2", "balanced"};
    const hsp_model *model = reader->model;
    const char *variant = hsp__audit_text(reader, "variant");
    const char *offset = hsp__audit_text(reader, "offset"),
               *order = hsp__audit_text(reader, "order"),
               *average = hsp__audit_text(reader, "average");
    int found = 0;
    while (found < 3 && !(variant && strcmp(variant, names[found]) == 0))
        found++;
    if (found == 3)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model says its variant is '%.40s', expected winnow1, winnow2 or "
                         "balanced",
                         variant ? variant : "");
    const int balanced = found == HSP__WINNOW_BALANCED;
    *run = (hsp__winnow_run){.variant = (hsp__winnow_variant)found,
                             .constant = balanced && !(offset && strcmp(offset, "none") == 0),
                             .delta = 1,
                             .cols = hsp__model_inputs(model),
                             .divisor = 1,
                             .averaged = average && strcmp(average, "average") == 0,
                             .cyclic = !order || strcmp(order, "cyclic") == 0,
                             .tie = model->tie};
    run->n = (double)run->cols;
    run->theta = balanced ? 0 : run->n;
    hsp__json_number(hsp__json_get(reader->options, "delta"), &run->delta);
    hsp__json_number(hsp__json_get(reader->options, "threshold"), &run->theta);
    HSP__TRY(hsp__audit_number(reader, "divided_by", 1, &run->divisor, NULL, err));
    if (!(1 + run->delta > 1) || !isfinite(run->delta) || !(balanced || run->theta > 0) ||
        !isfinite(run->theta) || !(run->divisor > 0))
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model says delta is %.9g and the threshold %.9g, expected positive "
                         "numbers",
                         run->delta, run->theta);
    run->alpha = 1 + run->delta;
    run->delta = run->alpha - 1;
    run->eta = log(run->alpha);
    return hsp__audit_count(reader, "updates", &run->updates, err);
}

hsp_status hsp__winnow_read(const hsp_model *model, hsp_error *err, hsp__winnow_run *run)
{
    hsp__audit_reader reader;
    HSP__TRY(hsp__audit_open(model, err, &reader));
    const hsp_status status = winnow_read(&reader, run, err);
    hsp__audit_close(&reader);
    return status;
}

void hsp__winnow_weigh(const double *v, uint64_t count, double constant, hsp__winnow_sides *sides)
{
    hsp__long total = fabsl((hsp__long)constant), entropy = 0;
    for (uint64_t j = 0; j < count; j++)
        total += fabsl((hsp__long)v[j]);
    for (uint64_t j = 0; j <= count; j++) {
        const hsp__long part = fabsl((hsp__long)(j < count ? v[j] : constant)) / total;
        if (part > 0) entropy -= part * logl(part);
    }
    sides->weight = (double)total;
    sides->entropy = (double)entropy;
    assert(!(total < 0) && !(entropy < -1e-9L));
}

hsp__winnow_bound hsp__winnow_bound_of(const hsp__winnow_run *run, const hsp__winnow_sides *v)
{
    hsp__winnow_bound b = {.g = fmin(v->least, -v->most),
                           .S = v->weight / v->least,
                           .sigma = (v->least - v->most) / v->least,
                           .spread = log1p(run->delta * run->delta / (2 * run->alpha)),
                           .bound = HUGE_VAL};
    assert(run->alpha > 1);
    if (run->variant == HSP__WINNOW_BALANCED) {
        b.room = run->eta * b.g / v->weight - b.spread;
        if (b.g > 0 && b.room > 0)
            b.bound = (log(2 * (run->n + run->constant)) - v->entropy) / b.room;
        return b;
    }
    b.room = run->variant == HSP__WINNOW_1 ? -v->most : run->alpha * b.sigma - run->delta;
    b.K = run->variant == HSP__WINNOW_1 ? run->alpha : (1 + run->alpha) / b.room;
    b.rate = b.K * b.S / run->eta;
    b.Z = b.rate * run->delta * run->theta / (b.K - 1);
    if (v->least > 0 && isfinite(v->least) &&
        (b.room > 0 || (run->variant == HSP__WINNOW_1 && b.room == 0)))
        b.bound =
            b.rate * (log(b.Z) - 1 - v->entropy) + (b.K - 1) * run->n / (run->delta * run->theta);
    return b;
}

/* ---- The run --------------------------------------------------------------------------------- */

typedef struct winnow_audit {
    hsp__audit *audit;
    hsp__winnow_run run;
    double k;
    double loose; /* rows that were scaled may be above 1 by rounding: times the usual slack */

    int known;    /* p, d and e are: the model keeps its updates */
    double p, d;  /* promotions, demotions */
    hsp__long *e; /* features: exponents; -infinity: eliminated */
    hsp__long e_constant;
    hsp__long shift; /* weights are computed as if all had been divided by alpha^shift */
    hsp__long *size; /* features: sum of |y x_j| over the updates */

    hsp__winnow_sides v; /* the reference; balanced: y <v,x> >= least = -most */
    hsp__winnow_bound theorem;
    int separates;     /* of winnow1 and winnow2: no negative weight, both sides apart */
    char against[128]; /* why it does not */
    uint64_t relevant; /* r, as a disjunction; 0: it is none */
    char no_disjunction[160];
} winnow_audit;

/* What the updates make. */
static hsp_status winnow_exponents(winnow_audit *m, hsp_error *err)
{
    const hsp__audit *audit = m->audit;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    if (audit->view->cols > m->run.cols)
        return hsp__fail(
            err, HSP_BAD_DATA,
            "the model has %.0f columns, and this data has %llu: it is not the training data",
            m->run.n, (unsigned long long)audit->view->cols);
    m->e = hsp__scratch_new(&m->audit->scratch, audit->features, sizeof *m->e);
    m->size = hsp__scratch_new(&m->audit->scratch, audit->features, sizeof *m->size);
    if (audit->scratch.failed) return hsp__fail_memory(err);
    m->loose = audit->scaled ? WINNOW_LOOSE : 1;
    m->known = audit->amount || audit->plan.updates == 0;
    for (uint64_t i = 0; audit->amount && i < audit->rows; i++) {
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        const hsp__long times = (hsp__long)audit->amount[i] * (hsp__long)m->run.divisor;
        const int eliminates = m->run.variant == HSP__WINNOW_1 && times < 0;
        for (uint64_t k = 0; times != 0 && k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const hsp__long x = (hsp__long)hsp__row_value(audit->view, &row, k);
            m->size[j] += fabsl(times) * fabsl(x);
            if (!eliminates)
                m->e[j] += times * x;
            else if (x > 0)
                m->e[j] = -(hsp__long)HUGE_VAL;
        }
        m->e_constant += times;
        *(times > 0 ? &m->p : &m->d) += (double)fabsl(times);
    }
    hsp__long most = m->run.constant ? fabsl(m->e_constant) : 0;
    for (uint64_t j = 0; j < audit->features; j++)
        most = fmaxl(most, balanced ? fabsl(m->e[j]) : m->e[j]);
    if (most * log2l((hsp__long)m->run.alpha) > WINNOW_WIDE) m->shift = most;
    return HSP_OK;
}

/* w_j of the run; balanced: u+ - u-, or (sum) u+ + u-. Over alpha^shift. */
static hsp__long winnow_weight(const winnow_audit *m, hsp__long e, int sum)
{
    const hsp__long up = powl((hsp__long)m->run.alpha, e - m->shift);
    if (m->run.variant != HSP__WINNOW_BALANCED) return up;
    const hsp__long down = powl((hsp__long)m->run.alpha, -e - m->shift);
    return sum ? up + down : up - down;
}

/* ---- The reference --------------------------------------------------------------------------- */

/* Of winnow1 and winnow2: as a separator with <v,x> on two sides, from y (<v,x> + b). */
static void winnow_take_separator(winnow_audit *m)
{
    const hsp__audit *audit = m->audit;
    m->v.least = HUGE_VAL;
    m->v.most = 0; /* v and x are not negative */
    for (uint64_t j = 0; j < audit->features; j++)
        if (audit->u[j] < 0) {
            snprintf(m->against, sizeof m->against,
                     "the reference has a negative weight, %.6g of column %llu", audit->u[j],
                     (unsigned long long)j + 1);
            return;
        }
    for (uint64_t i = 0; i < audit->rows; i++) {
        const double s = audit->margin[i] * audit->u_norm;
        if (audit->y[i] > 0)
            m->v.least = fmin(m->v.least, s - audit->u_constant);
        else
            m->v.most = fmax(m->v.most, -s - audit->u_constant);
    }
    m->separates = m->v.least > m->v.most && isfinite(m->v.least);
    if (!isfinite(m->v.least))
        snprintf(m->against, sizeof m->against, "there are no positive rows");
    else if (!m->separates)
        snprintf(m->against, sizeof m->against,
                 "the reference does not separate these rows: <v,x> is %.6g on a positive row, "
                 "%.6g on a negative one",
                 m->v.least, m->v.most);
    hsp__winnow_weigh(audit->u, audit->features, 0, &m->v); /* the threshold is no weight here */
}

/* As a disjunction: the columns that are enough, each alone, to make the reference say yes. */
static void winnow_take_disjunction(winnow_audit *m)
{
    const hsp__audit *audit = m->audit;
    const double b = audit->u_constant;
    for (uint64_t j = 0; b < 0 && j < audit->features; j++)
        m->relevant += audit->u[j] >= -b;
    if (!m->relevant)
        snprintf(m->no_disjunction, sizeof m->no_disjunction,
                 "the reference is not a disjunction: no single column reaches its threshold");
    for (uint64_t i = 0; m->relevant && i < audit->rows; i++) {
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        const unsigned long long number = audit->row[i] + 1;
        int on = 0;
        for (uint64_t k = 0; m->relevant && k < row.count; k++) {
            const double x = hsp__row_value(audit->view, &row, k);
            on |= x == 1 && audit->u[hsp__row_column(&row, k)] >= -b;
            if (x == 0 || x == 1) continue;
            snprintf(m->no_disjunction, sizeof m->no_disjunction,
                     "row %llu has the value %.6g; this bound is for zeros and ones", number, x);
            m->relevant = 0;
        }
        if (!m->relevant || on == (audit->y[i] > 0)) continue;
        snprintf(
            m->no_disjunction, sizeof m->no_disjunction,
            "row %llu is %s: the labels are not the disjunction of the reference's %llu columns",
            number, on ? "negative" : "positive", (unsigned long long)m->relevant);
        m->relevant = 0;
    }
}

/* ---- Disjunctions ---------------------------------------------------------------------------- */

/* How often one relevant column can be promoted. */
static double winnow_rises(const hsp__winnow_run *run)
{
    assert(run->theta > 0 && run->eta > 0);
    return run->theta < 1 ? 0 : 1 + floor(log(run->theta) / run->eta + WINNOW_SLACK);
}

static int winnow_is_disjunction(const winnow_audit *m, hsp_mistake_bound *entry)
{
    if (m->run.variant == HSP__WINNOW_BALANCED)
        return hsp__audit_why(entry, "the run was balanced: see the bound 'separator'");
    return m->relevant ? 1 : hsp__audit_why(entry, "%s", m->no_disjunction);
}

static int winnow_doubling(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const hsp__winnow_run *run = &m->run;
    if (run->variant != HSP__WINNOW_2 || run->delta != 1 || run->theta != run->n)
        return hsp__audit_why(entry, "the run was not winnow2 with delta 1 and threshold n");
    if (!winnow_is_disjunction(m, entry)) return 0;
    const double r = (double)m->relevant, bound = 2 + 3 * r * (1 + log2(run->n));
    return hsp__audit_settle(entry, m->k, bound, m->loose * bound,
                             "a disjunction of r = %.0f of n = %.0f columns", r, run->n);
}

static int winnow_disjunction(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const hsp__winnow_run *run = &m->run;
    const int first = run->variant == HSP__WINNOW_1;
    if (first) entry->formula = "k <= n/theta + (1+delta) r (1 + [log theta])";
    if (!winnow_is_disjunction(m, entry)) return 0;
    const double p = (double)m->relevant * winnow_rises(run), part = run->n / run->theta;
    const double bound =
        first ? part + run->alpha * p : run->alpha / run->delta * part + (1 + run->alpha) * p;
    return hsp__audit_settle(
        entry, m->k, bound, m->loose * bound,
        "r = %llu, n = %.0f, delta = %.9g, theta = %.9g, 1 + [log theta] = %.0f, to the base "
        "1 + delta",
        (unsigned long long)m->relevant, run->n, run->delta, run->theta, winnow_rises(run));
}

static int winnow_knows(const winnow_audit *m, hsp_mistake_bound *entry)
{
    return m->known ? 1
                    : hsp__audit_why(entry, "the model does not say which rows it was updated on");
}

static int winnow_promotions(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    if (!winnow_is_disjunction(m, entry) || !winnow_knows(m, entry)) return 0;
    const double bound = (double)m->relevant * winnow_rises(&m->run);
    return hsp__audit_settle(entry, m->p, bound, bound, "r = %llu, theta = %.9g",
                             (unsigned long long)m->relevant, m->run.theta);
}

static int winnow_demotions(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const hsp__winnow_run *run = &m->run;
    const int first = run->variant == HSP__WINNOW_1;
    if (first) entry->formula = "d <= n/theta + delta p";
    if (run->variant == HSP__WINNOW_BALANCED)
        return hsp__audit_why(entry,
                              "the run was balanced: both weights of a column stay positive");
    if (!winnow_knows(m, entry)) return 0;
    const double part = run->n / run->theta;
    const double bound = first ? part + run->delta * m->p : run->alpha * (part / run->delta + m->p);
    return hsp__audit_settle(entry, m->d, bound, m->loose * bound,
                             "p = %.0f, n = %.0f, theta = %.9g, delta = %.9g", m->p, run->n,
                             run->theta, run->delta);
}

/* ---- Separators of known weight -------------------------------------------------------------- */

static int winnow_at_zero(const winnow_audit *m, hsp_mistake_bound *entry)
{
    if (m->run.variant != HSP__WINNOW_BALANCED || m->run.theta == 0) return 1;
    return hsp__audit_why(entry,
                          "the run was balanced with threshold %.6g; this bound is for threshold 0",
                          m->run.theta);
}

static int winnow_has_separator(const winnow_audit *m, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = m->audit;
    if (m->run.variant == HSP__WINNOW_1)
        return hsp__audit_why(entry, "winnow1 eliminates columns; see the bound 'disjunction'");
    if (m->run.variant == HSP__WINNOW_2 && !m->separates)
        return hsp__audit_why(entry, "%s", m->against);
    if (!winnow_at_zero(m, entry)) return 0;
    if (m->run.variant == HSP__WINNOW_BALANCED && !(audit->least > 0))
        return hsp__audit_why(
            entry, "the reference%s does not separate these rows: the smallest y <v,x> is %.6g",
            audit->u_dropped ? ", without the offset that the run could not have," : "",
            m->v.least);
    return 1;
}

static int winnow_separator(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const hsp__winnow_run *run = &m->run;
    const hsp__winnow_bound *t = &m->theorem;
    const int balanced = run->variant == HSP__WINNOW_BALANCED;
    if (balanced) entry->formula = "k <= (ln(2N) - H) / (ln(1+delta) g/V - ln cosh ln(1+delta))";
    if (!winnow_has_separator(m, entry)) return 0;
    if (!(t->room > 0))
        return balanced ? hsp__audit_why(entry,
                                         "delta = %.6g is too large for the margin: ln(1+delta) "
                                         "g/V = %.6g is not above ln cosh(ln(1+delta)) = %.6g",
                                         run->delta, run->eta * t->g / m->v.weight, t->spread)
                        : hsp__audit_why(entry,
                                         "delta = %.6g is too large for the reference, whose sigma "
                                         "is %.6g: it has to be below sigma/(1-sigma)",
                                         run->delta, t->sigma);
    if (balanced)
        return hsp__audit_settle(entry, m->k, t->bound, m->loose * t->bound,
                                 "V = %.9g, g = %.9g, N = %.0f, H = %.9g, delta = %.9g",
                                 m->v.weight, t->g, run->n + run->constant, m->v.entropy,
                                 run->delta);
    return hsp__audit_settle(entry, m->k, t->bound, m->loose * (t->rate + t->bound),
                             "S = %.9g, sigma = %.9g, H = %.9g, K = %.9g, Z = %.9g", t->S, t->sigma,
                             m->v.entropy, t->K, t->Z);
}

static int winnow_squared(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const hsp__winnow_run *run = &m->run;
    const int balanced = run->variant == HSP__WINNOW_BALANCED;
    if (balanced) entry->formula = "k <= (8/3) W^2 ln(2N)";
    if (!winnow_has_separator(m, entry)) return 0;
    if (balanced) {
        const double W = m->v.weight / m->theorem.g, N = run->n + run->constant;
        if (!(2 * W * run->eta >= 1 && 2 * W * run->eta <= 3))
            return hsp__audit_why(entry,
                                  "W = V/g = %.6g: this bound is for ln(1+delta) from %.6g to %.6g",
                                  W, 1 / (2 * W), 3 / (2 * W));
        const double bound = 8.0 / 3 * W * W * log(2 * N);
        return hsp__audit_settle(entry, m->k, bound, m->loose * bound, "W = V/g = %.9g, N = %.0f",
                                 W, N);
    }
    const double W = m->theorem.S / m->theorem.sigma, b = 1 / m->theorem.sigma;
    if (!(2 * W * run->delta >= 1 && 2 * b * run->delta <= 1) || !(run->theta * W >= b))
        return hsp__audit_why(entry,
                              "W = %.6g, b = %.6g: this bound is for delta from %.6g to %.6g%s", W,
                              b, 1 / (2 * W), 1 / (2 * b),
                              run->theta * W >= b ? "" : ", and a threshold of b/W or more");
    const double bound = 8 * W * (W * log(run->theta * W / b) + b * run->n / run->theta);
    return hsp__audit_settle(entry, m->k, bound, m->loose * bound,
                             "W = %.9g, b = %.9g, n = %.0f, theta = %.9g", W, b, run->n,
                             run->theta);
}

/* ---- Steps of the proofs --------------------------------------------------------------------- */

static int winnow_progress(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const hsp__audit *audit = m->audit;
    const double g = m->theorem.g, sigma = m->theorem.sigma, a = m->v.least;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    if (balanced) entry->formula = "<v,e> >= k g";
    if (!winnow_has_separator(m, entry) || !winnow_knows(m, entry)) return 0;
    hsp__long inner = 0, size = (hsp__long)m->k;
    for (uint64_t j = 0; j <= audit->features; j++) {
        if (j == audit->features && !balanced) break; /* the offset is the constant column's */
        const hsp__long term = j < audit->features ? (hsp__long)audit->u[j] * m->e[j]
                                                   : (hsp__long)audit->u_constant * m->e_constant;
        inner += term;
        size += fabsl(term);
    }
    if (balanced)
        return hsp__audit_settle(entry, (double)inner, m->k * g,
                                 m->loose * ((double)size + fabs(m->k * g)), "k = %.0f, g = %.9g",
                                 m->k, g);
    const double bound = m->p - (1 - sigma) * m->d;
    return hsp__audit_settle(entry, (double)(inner / (hsp__long)a), bound,
                             m->loose * ((double)size + fabs(bound)),
                             "p = %.0f, d = %.0f, a = %.9g, sigma = %.9g", m->p, m->d, a, sigma);
}

static int winnow_total(const void *state, hsp_mistake_bound *entry)
{
    static const char *const formulas[] = {"sum of w <= n + theta (delta p - d)",
                                           "sum of w <= n + delta theta (p - d/(1+delta))",
                                           "ln sum of u <= ln(2N) + k ln cosh ln(1+delta)"};
    const winnow_audit *m = state;
    const hsp__winnow_run *run = &m->run;
    entry->formula = formulas[run->variant];
    if (!winnow_at_zero(m, entry) || !winnow_knows(m, entry)) return 0;
    hsp__long sum = run->constant ? winnow_weight(m, m->e_constant, 1) : 0;
    for (uint64_t j = 0; j < run->cols; j++)
        sum += winnow_weight(m, m->e[j], 1);
    const double up = run->delta * run->theta * m->p,
                 down = run->theta * m->d *
                        (run->variant == HSP__WINNOW_1 ? 1 : run->delta / run->alpha);
    double bound = run->n + up - down, size = run->n + up + down;
    if (run->variant == HSP__WINNOW_BALANCED) {
        size = bound = log(2 * (run->n + run->constant)) + m->k * m->theorem.spread;
        sum = logl(sum) + m->shift * (hsp__long)run->eta;
    } else {
        sum *= powl((hsp__long)run->alpha, m->shift);
    }
    return hsp__audit_settle(entry, (double)sum, bound, m->loose * size,
                             "n = %.0f, p = %.0f, d = %.0f, delta = %.9g, theta = %.9g", run->n,
                             m->p, m->d, run->delta, run->theta);
}

/* ---- Is the model what its run would have made? ---------------------------------------------- */

static int winnow_counts(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    if (!winnow_knows(m, entry)) return 0;
    return hsp__audit_settle(entry, fabs(m->p + m->d - m->k), 0, m->k,
                             "k = %.0f, the rows say p = %.9g, d = %.9g", m->k, m->p, m->d);
}

/* The offset that goes with the weights. */
static hsp__long winnow_offset(const winnow_audit *m)
{
    const hsp__long b = -(hsp__long)m->run.theta * powl((hsp__long)m->run.alpha, -m->shift);
    return m->run.constant ? b + winnow_weight(m, m->e_constant, 0) : b;
}

/* The model's weights and offset are those of the run times a power of two, divided by a length in
 * the unit form; which power is seen where they are largest. 0: none. */
static hsp__long winnow_factor(const winnow_audit *m, hsp__long *largest)
{
    const hsp_model *model = m->audit->model;
    const double *w = hsp_model_weights(model, 0);
    hsp__long most = fabsl(winnow_offset(m));
    hsp__long factor = (hsp__long)hsp__model_bias(model, 0) / winnow_offset(m);
    for (uint64_t j = 0; j < m->run.cols; j++) {
        const hsp__long want = winnow_weight(m, m->e[j], 0);
        if (fabsl(want) > most) {
            most = fabsl(want);
            factor = (hsp__long)w[j] / want;
        }
    }
    *largest = most;
    if (most == 0) return 1; /* all are 0 */
    if (!(factor > 0) || !isfinite(factor)) return 0;
    factor *= (hsp__long)m->run.divisor;
    const hsp__long shift = m->shift * log2l((hsp__long)m->run.alpha);
    return exp2l(shift + roundl(log2l(factor) - shift)) / (hsp__long)m->run.divisor;
}

static int winnow_rebuild(const void *state, hsp_mistake_bound *entry)
{
    const winnow_audit *m = state;
    const uint64_t inputs = m->run.cols;
    const double *w = hsp_model_weights(m->audit->model, 0);
    if (!winnow_knows(m, entry)) return 0;
    if (m->run.averaged) return hsp__audit_why(entry, "the weights are an average");
    hsp__long most;
    const hsp__long factor = winnow_factor(m, &most);
    /* the largest difference from that, relative to what rounding explains of each */
    double worst = factor > 0 ? 0 : HUGE_VAL;
    for (uint64_t j = 0; factor > 0 && j <= inputs; j++) {
        const int last = j == inputs;
        const hsp__long e = last ? m->e_constant : m->e[j];
        const hsp__long want = last ? winnow_offset(m) : winnow_weight(m, e, 0);
        const hsp__long have =
            (hsp__long)(last ? hsp__model_bias(m->audit->model, 0) : w[j]) / factor;
        /* e was summed in double: k roundings of at most the sum of |y x|; then a power, of large e
         * by way of its logarithm */
        const hsp__long of_e =
            (last ? 0 : (hsp__long)(m->k + 8) * m->size[j]) + (isfinite(e) ? fabsl(e) : 0);
        const hsp__long scale = fabsl(want) + (m->run.variant == HSP__WINNOW_BALANCED ? 2 : 0);
        const hsp__long allowed =
            (16 + 2 * (hsp__long)m->run.eta * of_e) * (hsp__long)DBL_EPSILON * scale;
        /* below that a weight is 0 relative to the largest */
        const hsp__long apart = fabsl(have - want), nothing = most * (hsp__long)1e-290;
        if (apart > nothing) worst = fmax(worst, (double)(apart / (allowed + nothing)));
    }
    return hsp__audit_settle(entry, worst, 1, 1,
                             "e is the sum of y x over the updates; every column may be off by the "
                             "rounding of its exponent and power");
}

static const hsp__audit_theorem winnow_theorems[] = {
    {"doubling", "k <= 2 + 3 r (1 + log2 n)", winnow_doubling, 0},
    {"disjunction", "k <= (1+delta) n/(delta theta) + (2+delta) r (1 + [log theta])",
     winnow_disjunction, 0},
    {"separator", "k <= (K S/ln(1+delta)) (ln Z - 1 - H) + (K-1) n/(delta theta)", winnow_separator,
     0},
    {"squared", "k <= 8 W^2 ln(theta W/b) + 8 W b n/theta", winnow_squared, 0},
    {"promotions", "p <= r (1 + [log theta]), to the base 1 + delta", winnow_promotions, 0},
    {"demotions", "d <= (1+delta) (n/(delta theta) + p)", winnow_demotions, 0},
    {"progress", "<v,e>/a >= p - (1 - sigma) d", winnow_progress, 1},
    {"total", NULL, winnow_total, 0},
    {"counts", "|k - p - d| <= 0", winnow_counts, 0},
    {"rebuild", "|w - (1+delta)^e| / rounding <= 1, all columns", winnow_rebuild, 0},
};

/* ---- The whole ------------------------------------------------------------------------------- */

hsp_status hsp__audit_winnow(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                             hsp__audit_list *list, hsp_error *err)
{
    winnow_audit m = {.audit = audit};
    HSP__TRY(hsp__winnow_read(audit->model, err, &m.run));
    m.k = (double)m.run.updates;
    /* The space of the reference: with an offset, but where the run had none. The updates per
     * row are read; the weights are not sums, so they are compared here. */
    const int balanced = m.run.variant == HSP__WINNOW_BALANCED;
    audit->plan =
        (hsp__audit_plan){.updates = m.run.updates,
                          .offset = !balanced || m.run.constant ? HSP__AUDIT_UNIT : HSP__AUDIT_NONE,
                          .rate = 1,
                          .averaged = 1};
    HSP__TRY(hsp__audit_read_rows(audit, data, err));
    HSP__TRY(hsp__audit_read_reference(audit, reference, err));
    HSP__TRY(winnow_exponents(&m, err));
    if (balanced) {
        hsp__winnow_weigh(audit->u, audit->features, audit->u_constant, &m.v);
        m.v.least = audit->least * audit->u_norm;
        m.v.most = -m.v.least;
    } else {
        winnow_take_separator(&m);
        winnow_take_disjunction(&m);
    }
    m.theorem = hsp__winnow_bound_of(&m.run, &m.v);
    hsp__audit_fill(list, winnow_theorems, sizeof winnow_theorems / sizeof *winnow_theorems, &m);
    return HSP_OK;
}
