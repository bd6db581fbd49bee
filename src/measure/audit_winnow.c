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
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "measure/audit.h"

#define WINNOW_WIDE  8000 /* log2 of what powl() is asked for */
#define WINNOW_LOOSE 1e3
#define WINNOW_SLACK 1e-9 /* relative, of a logarithm that is rounded to a whole number */

typedef enum winnow_variant { WINNOW_1, WINNOW_2, WINNOW_BALANCED } winnow_variant;

typedef struct winnow_run {
    hsp__audit *audit;
    hsp__audit_list *list;

    winnow_variant variant;
    int constant;        /* balanced: there is a column of ones */
    double delta, alpha; /* alpha = 1 + delta, as the run rounded it */
    double eta;          /* ln alpha */
    double theta, n;
    double divisor; /* amounts in the model are divided by that */
    int averaged;
    double k;
    double loose; /* rows that were scaled may be above 1 by rounding: times the usual slack */

    int known;    /* p, d and e are: the model keeps its updates */
    double p, d;  /* promotions, demotions */
    hsp__wide *e; /* features: exponents; -infinity: eliminated */
    hsp__wide e_constant;
    hsp__wide shift; /* weights are computed as if all had been divided by alpha^shift */
    hsp__wide *size; /* features: sum of |y x_j| over the updates */

    /* The reference, of winnow1 and winnow2: */
    int separates;      /* no negative weight, both sides apart */
    double a, sigma, S; /* see above */
    double entropy;     /* H */
    char against[128];  /* why it does not */
    /* ... as a disjunction: */
    uint64_t relevant; /* r; 0: it is none */
    char no_disjunction[160];
} winnow_run;

/* ---- The run --------------------------------------------------------------------------------- */

static hsp_status winnow_read_options(winnow_run *run, const hsp__audit_reader *reader,
                                      hsp_error *err)
{
    static const char *const names[] = {"winnow1", "winnow2", "balanced"};
    const char *variant = hsp__audit_text(reader, "variant");
    int found = -1;
    for (int i = 0; variant && i < 3; i++)
        if (strcmp(variant, names[i]) == 0) found = i;
    if (found < 0)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model says its variant is '%.40s', expected winnow1, winnow2 or "
                         "balanced",
                         variant ? variant : "");
    run->variant = (winnow_variant)found;
    const int balanced = run->variant == WINNOW_BALANCED;
    const char *offset = hsp__audit_text(reader, "offset");
    const char *average = hsp__audit_text(reader, "average");
    run->constant = balanced && !(offset && strcmp(offset, "none") == 0);
    run->averaged = average && strcmp(average, "average") == 0;
    run->n = (double)hsp__model_inputs(run->audit->model);
    run->theta = balanced ? 0 : run->n;
    run->delta = run->divisor = 1;
    hsp__json_number(hsp__json_get(reader->options, "delta"), &run->delta);
    hsp__json_number(hsp__json_get(reader->options, "threshold"), &run->theta);
    const char *divided = hsp_model_metadata(run->audit->model, "divided_by");
    hsp__decimal_result result;
    if (divided) hsp__decimal_f64(divided, divided + strlen(divided), &run->divisor, &result);
    if (!(run->delta > 0) || !isfinite(run->delta) || !(balanced || run->theta > 0) ||
        !isfinite(run->theta) || !(run->divisor > 0))
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model says delta is %.9g and the threshold %.9g, expected positive "
                         "numbers",
                         run->delta, run->theta);
    run->alpha = 1 + run->delta;
    run->delta = run->alpha - 1;
    run->eta = log(run->alpha);
    return HSP_OK;
}

static hsp_status winnow_read(winnow_run *run, hsp_error *err)
{
    hsp__audit *audit = run->audit;
    hsp__audit_reader reader;
    if (audit->model->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the model has %u classes, and the mistake bounds are for two; train with "
                         "--positive or --classes",
                         (unsigned)hsp_model_classes(audit->model));
    hsp_status status = hsp__audit_open(audit->model, err, &reader);
    if (status) return status;
    status = winnow_read_options(run, &reader, err);
    if (!status) status = hsp__audit_count(&reader, "updates", &audit->plan.updates, err);
    hsp__audit_close(&reader);
    run->k = (double)audit->plan.updates;
    /* The space of the reference: with an offset, but where the run had none. The updates per
     * row are read; the weights are not sums, so they are compared here. */
    const int offset = run->variant != WINNOW_BALANCED || run->constant;
    audit->plan.offset = offset ? HSP__AUDIT_UNIT : HSP__AUDIT_NONE;
    audit->plan.rate = 1;
    audit->plan.averaged = 1;
    return status;
}

/* ---- What the updates make ------------------------------------------------------------------- */

static void winnow_learn(winnow_run *run, uint64_t i)
{
    const hsp__audit *audit = run->audit;
    const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
    const hsp__wide times = (hsp__wide)audit->amount[i] * (hsp__wide)run->divisor;
    const int eliminates = run->variant == WINNOW_1 && times < 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        const hsp__wide x = (hsp__wide)hsp__row_value(audit->view, &row, k);
        run->size[j] += fabsl(times) * fabsl(x);
        if (!eliminates)
            run->e[j] += times * x;
        else if (x > 0)
            run->e[j] = -(hsp__wide)HUGE_VAL;
    }
    run->e_constant += times;
    *(times > 0 ? &run->p : &run->d) += (double)fabsl(times);
}

static hsp_status winnow_exponents(winnow_run *run, hsp_error *err)
{
    const hsp__audit *audit = run->audit;
    const hsp_allocator *memory = &audit->ctx->allocator;
    if (audit->view->cols > hsp__model_inputs(audit->model))
        return hsp__fail(
            err, HSP_BAD_DATA,
            "the model has %.0f columns, and this data has %llu: it is not the training data",
            run->n, (unsigned long long)audit->view->cols);
    run->e = hsp__new(memory, audit->features, sizeof *run->e);
    run->size = hsp__new(memory, audit->features, sizeof *run->size);
    if (!run->e || !run->size) return hsp__fail_memory(err);
    run->loose = audit->scaled ? WINNOW_LOOSE : 1;
    run->known = audit->amount || audit->plan.updates == 0;
    for (uint64_t i = 0; audit->amount && i < audit->rows; i++)
        if (audit->amount[i] != 0) winnow_learn(run, i);
    hsp__wide most = run->constant ? fabsl(run->e_constant) : 0;
    for (uint64_t j = 0; j < audit->features; j++)
        most = fmaxl(most, run->variant == WINNOW_BALANCED ? fabsl(run->e[j]) : run->e[j]);
    if (most * log2l((hsp__wide)run->alpha) > WINNOW_WIDE) run->shift = most;
    return HSP_OK;
}

/* w_j of the run; balanced: u+ - u-, or (sum) u+ + u-. Over alpha^shift. */
static hsp__wide winnow_weight(const winnow_run *run, hsp__wide e, int sum)
{
    assert(run->alpha > 1);
    const hsp__wide up = powl((hsp__wide)run->alpha, e - run->shift);
    if (run->variant != WINNOW_BALANCED) return up;
    const hsp__wide down = powl((hsp__wide)run->alpha, -e - run->shift);
    return sum ? up + down : up - down;
}

/* ---- The reference --------------------------------------------------------------------------- */

/* The entropy of |v| / sum |v|, in nats; the sum. */
static double winnow_entropy(const hsp__audit *audit, double *sum)
{
    hsp__wide total = fabsl((hsp__wide)audit->u_constant), entropy = 0;
    for (uint64_t j = 0; j < audit->features; j++)
        total += fabsl((hsp__wide)audit->u[j]);
    for (uint64_t j = 0; j <= audit->features; j++) {
        const hsp__wide v =
            fabsl((hsp__wide)(j < audit->features ? audit->u[j] : audit->u_constant)) / total;
        if (v > 0) entropy -= v * logl(v);
    }
    *sum = (double)total;
    assert(!(total < 0) && !(entropy < -1e-9L));
    return (double)entropy;
}

/* The least <v,x> of positive rows and the largest of negative ones, from y (<v,x> + b). */
static void winnow_sides(const hsp__audit *audit, double *least, double *most)
{
    *least = HUGE_VAL;
    *most = 0; /* v and x are not negative */
    for (uint64_t i = 0; i < audit->rows; i++) {
        const double s = audit->margin[i] * audit->u_norm;
        if (audit->y[i] > 0)
            *least = fmin(*least, s - audit->u_constant);
        else
            *most = fmax(*most, -s - audit->u_constant);
    }
}

static void winnow_take_separator(winnow_run *run)
{
    hsp__audit *audit = run->audit;
    double least, most;
    for (uint64_t j = 0; j < audit->features; j++)
        if (audit->u[j] < 0) {
            snprintf(run->against, sizeof run->against,
                     "the reference has a negative weight, %.6g of column %llu", audit->u[j],
                     (unsigned long long)j + 1);
            return;
        }
    winnow_sides(audit, &least, &most);
    if (!(least > most) || !isfinite(least)) {
        snprintf(run->against, sizeof run->against,
                 isfinite(least) ? "the reference does not separate these rows: <v,x> is %.6g on a "
                                   "positive row, %.6g on a negative one"
                                 : "there are no positive rows",
                 least, most);
        return;
    }
    const double b = audit->u_constant;
    audit->u_constant = 0; /* the threshold is no weight here */
    run->entropy = winnow_entropy(audit, &run->S);
    audit->u_constant = b;
    run->separates = 1;
    run->a = least;
    run->sigma = (least - most) / least;
    run->S /= least;
}

/* Is row i what the disjunction of the columns with v_j >= -b says? */
static int winnow_agrees(winnow_run *run, uint64_t i)
{
    const hsp__audit *audit = run->audit;
    const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
    const double b = audit->u_constant;
    int on = 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(audit->view, &row, k);
        if (x != 0 && x != 1) {
            snprintf(run->no_disjunction, sizeof run->no_disjunction,
                     "row %llu has the value %.6g; this bound is for zeros and ones",
                     (unsigned long long)audit->row[i] + 1, x);
            return 0;
        }
        on |= x == 1 && audit->u[hsp__row_column(&row, k)] >= -b;
    }
    if (on == (audit->y[i] > 0)) return 1;
    snprintf(run->no_disjunction, sizeof run->no_disjunction,
             "row %llu is %s: the labels are not the disjunction of the reference's %llu columns",
             (unsigned long long)audit->row[i] + 1, on ? "negative" : "positive",
             (unsigned long long)run->relevant);
    return 0;
}

/* The columns that are enough, each alone, to make the reference say yes. */
static void winnow_take_disjunction(winnow_run *run)
{
    const hsp__audit *audit = run->audit;
    const double b = audit->u_constant;
    for (uint64_t j = 0; b < 0 && j < audit->features; j++)
        run->relevant += audit->u[j] >= -b;
    if (!run->relevant)
        snprintf(run->no_disjunction, sizeof run->no_disjunction,
                 "the reference is not a disjunction: no single column reaches its threshold");
    for (uint64_t i = 0; run->relevant && i < audit->rows; i++)
        if (!winnow_agrees(run, i)) run->relevant = 0;
}

/* ---- Disjunctions ---------------------------------------------------------------------------- */

/* How often one relevant column can be promoted. */
static double winnow_rises(const winnow_run *run)
{
    assert(run->theta > 0 && run->eta > 0);
    return run->theta < 1 ? 0 : 1 + floor(log(run->theta) / run->eta + WINNOW_SLACK);
}

static int winnow_is_disjunction(const winnow_run *run, hsp_mistake_bound *entry)
{
    if (run->variant == WINNOW_BALANCED)
        hsp__audit_why(entry, "the run was balanced: see the bound 'separator'");
    else if (!run->relevant)
        hsp__audit_why(entry, "%s", run->no_disjunction);
    else
        return 1;
    return 0;
}

static void winnow_doubling(const winnow_run *run)
{
    hsp_mistake_bound *entry = hsp__audit_add(run->list, "doubling", "k <= 2 + 3 r (1 + log2 n)");
    if (run->variant != WINNOW_2 || run->delta != 1 || run->theta != run->n) {
        hsp__audit_why(entry, "the run was not winnow2 with delta 1 and threshold n");
        return;
    }
    if (!winnow_is_disjunction(run, entry)) return;
    const double r = (double)run->relevant, bound = 2 + 3 * r * (1 + log2(run->n));
    hsp__audit_settle(entry, run->k, bound, run->loose * bound);
    hsp__audit_why(entry, "a disjunction of r = %.0f of n = %.0f columns", r, run->n);
}

static void winnow_disjunction(const winnow_run *run)
{
    const int first = run->variant == WINNOW_1;
    hsp_mistake_bound *entry =
        hsp__audit_add(run->list, "disjunction",
                       first ? "k <= n/theta + (1+delta) r (1 + [log theta])"
                             : "k <= (1+delta) n/(delta theta) + (2+delta) r (1 + [log theta])");
    if (!winnow_is_disjunction(run, entry)) return;
    const double p = (double)run->relevant * winnow_rises(run), part = run->n / run->theta;
    const double bound =
        first ? part + run->alpha * p : run->alpha / run->delta * part + (1 + run->alpha) * p;
    hsp__audit_settle(entry, run->k, bound, run->loose * bound);
    hsp__audit_why(entry,
                   "r = %llu, n = %.0f, delta = %.9g, theta = %.9g, 1 + [log theta] = %.0f, to the "
                   "base 1 + delta",
                   (unsigned long long)run->relevant, run->n, run->delta, run->theta,
                   winnow_rises(run));
}

static int winnow_knows(const winnow_run *run, hsp_mistake_bound *entry)
{
    if (!run->known) hsp__audit_why(entry, "the model does not say which rows it was updated on");
    return run->known;
}

static void winnow_promotions(const winnow_run *run)
{
    hsp_mistake_bound *entry =
        hsp__audit_add(run->list, "promotions", "p <= r (1 + [log theta]), to the base 1 + delta");
    if (!winnow_is_disjunction(run, entry) || !winnow_knows(run, entry)) return;
    const double bound = (double)run->relevant * winnow_rises(run);
    hsp__audit_settle(entry, run->p, bound, bound);
    hsp__audit_why(entry, "r = %llu, theta = %.9g", (unsigned long long)run->relevant, run->theta);
}

static void winnow_demotions(const winnow_run *run)
{
    const int first = run->variant == WINNOW_1;
    hsp_mistake_bound *entry =
        hsp__audit_add(run->list, "demotions",
                       first ? "d <= n/theta + delta p" : "d <= (1+delta) (n/(delta theta) + p)");
    if (run->variant == WINNOW_BALANCED)
        hsp__audit_why(entry, "the run was balanced: both weights of a column stay positive");
    if (run->variant == WINNOW_BALANCED || !winnow_knows(run, entry)) return;
    const double part = run->n / run->theta;
    const double bound =
        first ? part + run->delta * run->p : run->alpha * (part / run->delta + run->p);
    hsp__audit_settle(entry, run->d, bound, run->loose * bound);
    hsp__audit_why(entry, "p = %.0f, n = %.0f, theta = %.9g, delta = %.9g", run->p, run->n,
                   run->theta, run->delta);
}

/* ---- Separators of known weight -------------------------------------------------------------- */

static int winnow_has_separator(const winnow_run *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run->audit;
    if (run->variant == WINNOW_1)
        hsp__audit_why(entry, "winnow1 eliminates columns; see the bound 'disjunction'");
    else if (run->variant == WINNOW_2 && !run->separates)
        hsp__audit_why(entry, "%s", run->against);
    else if (run->variant == WINNOW_BALANCED && run->theta != 0)
        hsp__audit_why(entry,
                       "the run was balanced with threshold %.6g; this bound is for threshold 0",
                       run->theta);
    else if (run->variant == WINNOW_BALANCED && !(audit->least > 0))
        hsp__audit_why(entry,
                       "the reference%s does not separate these rows: the smallest y <v,x> is %.6g",
                       audit->u_dropped ? ", without the offset that the run could not have," : "",
                       audit->least * audit->u_norm);
    else
        return 1;
    return 0;
}

/* ln cosh(ln alpha). */
static double winnow_spread(const winnow_run *run)
{
    return log1p(run->delta * run->delta / (2 * run->alpha));
}

static void winnow_separator_balanced(const winnow_run *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run->audit;
    double V;
    const double H = winnow_entropy(audit, &V), g = audit->least * audit->u_norm;
    const double gain = run->eta * g / V - winnow_spread(run);
    const double N = run->n + run->constant;
    if (!(gain > 0)) {
        hsp__audit_why(entry,
                       "delta = %.6g is too large for the margin: ln(1+delta) g/V = %.6g is not "
                       "above ln cosh(ln(1+delta)) = %.6g",
                       run->delta, run->eta * g / V, winnow_spread(run));
        return;
    }
    const double bound = (log(2 * N) - H) / gain;
    hsp__audit_settle(entry, run->k, bound, run->loose * bound);
    hsp__audit_why(entry, "V = %.9g, g = %.9g, N = %.0f, H = %.9g, delta = %.9g", V, g, N, H,
                   run->delta);
}

static void winnow_separator(const winnow_run *run)
{
    const int balanced = run->variant == WINNOW_BALANCED;
    hsp_mistake_bound *entry =
        hsp__audit_add(run->list, "separator",
                       balanced ? "k <= (ln(2N) - H) / (ln(1+delta) g/V - ln cosh ln(1+delta))"
                                : "k <= (K S/ln(1+delta)) (ln Z - 1 - H) + (K-1) n/(delta theta)");
    if (!winnow_has_separator(run, entry)) return;
    if (balanced) {
        winnow_separator_balanced(run, entry);
        return;
    }
    const double room = run->alpha * run->sigma - run->delta;
    if (!(room > 0)) {
        hsp__audit_why(
            entry,
            "delta = %.6g is too large for the reference, whose sigma is %.6g: it has to "
            "be below sigma/(1-sigma)",
            run->delta, run->sigma);
        return;
    }
    const double K = (1 + run->alpha) / room, rate = K * run->S / run->eta;
    const double Z = rate * run->delta * run->theta / (K - 1);
    const double bound =
        rate * (log(Z) - 1 - run->entropy) + (K - 1) * run->n / (run->delta * run->theta);
    hsp__audit_settle(entry, run->k, bound, run->loose * (rate + bound));
    hsp__audit_why(entry, "S = %.9g, sigma = %.9g, H = %.9g, K = %.9g, Z = %.9g", run->S,
                   run->sigma, run->entropy, K, Z);
}

static void winnow_squared_balanced(const winnow_run *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run->audit;
    double V;
    winnow_entropy(audit, &V);
    const double W = V / (audit->least * audit->u_norm), N = run->n + run->constant;
    if (!(2 * W * run->eta >= 1 && 2 * W * run->eta <= 3)) {
        hsp__audit_why(entry, "W = V/g = %.6g: this bound is for ln(1+delta) from %.6g to %.6g", W,
                       1 / (2 * W), 3 / (2 * W));
        return;
    }
    const double bound = 8.0 / 3 * W * W * log(2 * N);
    hsp__audit_settle(entry, run->k, bound, run->loose * bound);
    hsp__audit_why(entry, "W = V/g = %.9g, N = %.0f", W, N);
}

static void winnow_squared(const winnow_run *run)
{
    const int balanced = run->variant == WINNOW_BALANCED;
    hsp_mistake_bound *entry = hsp__audit_add(
        run->list, "squared",
        balanced ? "k <= (8/3) W^2 ln(2N)" : "k <= 8 W^2 ln(theta W/b) + 8 W b n/theta");
    if (!winnow_has_separator(run, entry)) return;
    if (balanced) {
        winnow_squared_balanced(run, entry);
        return;
    }
    const double W = run->S / run->sigma, b = 1 / run->sigma;
    if (!(2 * W * run->delta >= 1 && 2 * b * run->delta <= 1) || !(run->theta * W >= b)) {
        hsp__audit_why(entry, "W = %.6g, b = %.6g: this bound is for delta from %.6g to %.6g%s", W,
                       b, 1 / (2 * W), 1 / (2 * b),
                       run->theta * W >= b ? "" : ", and a threshold of b/W or more");
        return;
    }
    const double bound = 8 * W * (W * log(run->theta * W / b) + b * run->n / run->theta);
    hsp__audit_settle(entry, run->k, bound, run->loose * bound);
    hsp__audit_why(entry, "W = %.9g, b = %.9g, n = %.0f, theta = %.9g", W, b, run->n, run->theta);
}

/* ---- Steps of the proofs --------------------------------------------------------------------- */

static void winnow_progress(const winnow_run *run)
{
    const hsp__audit *audit = run->audit;
    const int balanced = run->variant == WINNOW_BALANCED;
    hsp_mistake_bound *entry = hsp__audit_add(
        run->list, "progress", balanced ? "<v,e> >= k g" : "<v,e>/a >= p - (1 - sigma) d");
    entry->lower = 1;
    if (!winnow_has_separator(run, entry) || !winnow_knows(run, entry)) return;
    hsp__wide inner = 0, size = (hsp__wide)run->k;
    for (uint64_t j = 0; j <= audit->features; j++) {
        if (j == audit->features && !balanced) break; /* the offset is the constant column's */
        const hsp__wide term = j < audit->features ? (hsp__wide)audit->u[j] * run->e[j]
                                                   : (hsp__wide)audit->u_constant * run->e_constant;
        inner += term;
        size += fabsl(term);
    }
    const double g = audit->least * audit->u_norm;
    const double bound = balanced ? run->k * g : run->p - (1 - run->sigma) * run->d;
    hsp__audit_settle(entry, (double)(balanced ? inner : inner / (hsp__wide)run->a), bound,
                      run->loose * ((double)size + fabs(bound)));
    if (balanced)
        hsp__audit_why(entry, "k = %.0f, g = %.9g", run->k, g);
    else
        hsp__audit_why(entry, "p = %.0f, d = %.0f, a = %.9g, sigma = %.9g", run->p, run->d, run->a,
                       run->sigma);
}

static void winnow_total(const winnow_run *run)
{
    static const char *const formulas[] = {"sum of w <= n + theta (delta p - d)",
                                           "sum of w <= n + delta theta (p - d/(1+delta))",
                                           "ln sum of u <= ln(2N) + k ln cosh ln(1+delta)"};
    const int balanced = run->variant == WINNOW_BALANCED;
    hsp_mistake_bound *entry = hsp__audit_add(run->list, "total", formulas[run->variant]);
    if (balanced && run->theta != 0)
        hsp__audit_why(entry,
                       "the run was balanced with threshold %.6g; this bound is for threshold 0",
                       run->theta);
    if ((balanced && run->theta != 0) || !winnow_knows(run, entry)) return;
    hsp__wide sum = run->constant ? winnow_weight(run, run->e_constant, 1) : 0;
    for (uint64_t j = 0; j < hsp__model_inputs(run->audit->model); j++)
        sum += winnow_weight(run, run->e[j], 1);
    const double up = run->delta * run->theta * run->p,
                 down =
                     run->theta * run->d * (run->variant == WINNOW_1 ? 1 : run->delta / run->alpha);
    if (balanced) {
        const double bound = log(2 * (run->n + run->constant)) + run->k * winnow_spread(run);
        const hsp__wide log_sum = logl(sum) + run->shift * (hsp__wide)run->eta;
        hsp__audit_settle(entry, (double)log_sum, bound, run->loose * bound);
    } else {
        sum *= powl((hsp__wide)run->alpha, run->shift);
        hsp__audit_settle(entry, (double)sum, run->n + up - down,
                          run->loose * (run->n + up + down));
    }
    hsp__audit_why(entry, "n = %.0f, p = %.0f, d = %.0f, delta = %.9g, theta = %.9g", run->n,
                   run->p, run->d, run->delta, run->theta);
}

/* ---- Is the model what its run would have made? ---------------------------------------------- */

static void winnow_counts(const winnow_run *run)
{
    hsp_mistake_bound *entry = hsp__audit_add(run->list, "counts", "|k - p - d| <= 0");
    if (!winnow_knows(run, entry)) return;
    hsp__audit_settle(entry, fabs(run->p + run->d - run->k), 0, run->k);
    hsp__audit_why(entry, "k = %.0f, the rows say p = %.9g, d = %.9g", run->k, run->p, run->d);
}

/* The offset that goes with the weights. */
static hsp__wide winnow_offset(const winnow_run *run)
{
    const hsp__wide b = -(hsp__wide)run->theta * powl((hsp__wide)run->alpha, -run->shift);
    return run->constant ? b + winnow_weight(run, run->e_constant, 0) : b;
}

/* The model's weights and offset are those of the run times a power of two, divided by a length in
 * the unit form; which power is seen where they are largest. 0: none. */
static hsp__wide winnow_factor(const winnow_run *run, hsp__wide *largest)
{
    const hsp__audit *audit = run->audit;
    const double *w = hsp_model_weights(audit->model, 0);
    hsp__wide most = fabsl(winnow_offset(run));
    hsp__wide factor = (hsp__wide)hsp__model_bias(audit->model, 0) / winnow_offset(run);
    for (uint64_t j = 0; j < hsp__model_inputs(audit->model); j++) {
        const hsp__wide want = winnow_weight(run, run->e[j], 0);
        if (fabsl(want) > most) {
            most = fabsl(want);
            factor = (hsp__wide)w[j] / want;
        }
    }
    *largest = most;
    if (most == 0) return 1; /* all are 0 */
    if (!(factor > 0) || !isfinite(factor)) return 0;
    factor *= (hsp__wide)run->divisor;
    const hsp__wide shift = run->shift * log2l((hsp__wide)run->alpha);
    return exp2l(shift + roundl(log2l(factor) - shift)) / (hsp__wide)run->divisor;
}

/* The largest difference from that, relative to what rounding explains of each. */
static double winnow_compare(const winnow_run *run)
{
    const hsp__audit *audit = run->audit;
    const uint64_t inputs = hsp__model_inputs(audit->model);
    const double *w = hsp_model_weights(audit->model, 0), b = hsp__model_bias(audit->model, 0);
    hsp__wide most;
    const hsp__wide factor = winnow_factor(run, &most);
    if (!(factor > 0)) return HUGE_VAL;
    double worst = 0;
    for (uint64_t j = 0; j <= inputs; j++) {
        const int last = j == inputs;
        const hsp__wide e = last ? run->e_constant : run->e[j];
        const hsp__wide want = last ? winnow_offset(run) : winnow_weight(run, e, 0);
        const hsp__wide have = (hsp__wide)(last ? b : w[j]) / factor;
        /* e was summed in double: k roundings of at most the sum of |y x|; then a power, of large e
         * by way of its logarithm */
        const hsp__wide of_e =
            (last ? 0 : (hsp__wide)(run->k + 8) * run->size[j]) + (isfinite(e) ? fabsl(e) : 0);
        const hsp__wide scale = fabsl(want) + (run->variant == WINNOW_BALANCED ? 2 : 0);
        const hsp__wide allowed =
            (16 + 2 * (hsp__wide)run->eta * of_e) * (hsp__wide)DBL_EPSILON * scale;
        /* below that a weight is 0 relative to the largest */
        const hsp__wide apart = fabsl(have - want), nothing = most * (hsp__wide)1e-290;
        if (apart > nothing) worst = fmax(worst, (double)(apart / (allowed + nothing)));
    }
    return worst;
}

static void winnow_rebuild(const winnow_run *run)
{
    hsp_mistake_bound *entry =
        hsp__audit_add(run->list, "rebuild", "|w - (1+delta)^e| / rounding <= 1, all columns");
    if (!winnow_knows(run, entry)) return;
    if (run->averaged) {
        hsp__audit_why(entry, "the weights are an average");
        return;
    }
    hsp__audit_settle(entry, winnow_compare(run), 1, 1);
    hsp__audit_why(entry, "e is the sum of y x over the updates; every column may be off by the "
                          "rounding of its exponent and power");
}

/* ---- The whole ------------------------------------------------------------------------------- */

hsp_status hsp__audit_winnow(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                             hsp__audit_list *list, hsp_error *err)
{
    winnow_run run = {.audit = audit, .list = list};
    hsp_status status = winnow_read(&run, err);
    if (!status) status = hsp__audit_read_rows(audit, data, err);
    if (!status) status = hsp__audit_read_reference(audit, reference, err);
    if (!status) status = winnow_exponents(&run, err);
    if (!status) {
        if (run.variant != WINNOW_BALANCED) {
            winnow_take_separator(&run);
            winnow_take_disjunction(&run);
        }
        winnow_doubling(&run);
        winnow_disjunction(&run);
        winnow_separator(&run);
        winnow_squared(&run);
        winnow_promotions(&run);
        winnow_demotions(&run);
        winnow_progress(&run);
        winnow_total(&run);
        winnow_counts(&run);
        winnow_rebuild(&run);
    }
    hsp__free(&audit->ctx->allocator, run.e);
    hsp__free(&audit->ctx->allocator, run.size);
    return status;
}
