/* A perceptron run against its own theorems. (Those of Winnow and of experts are in audit_winnow.c
 * and audit_experts.c.)
 *
 * The space, x~, w~ and c are those of audit.h. The run starts at w~ = 0 and makes k updates
 * w~ += rate y x~, each on a row with y <w~, x~> <= tau, where tau = 0 unless the run had a margin
 * target. (On a tie, too: whatever it means in prediction, y <w~, x~> is 0.) Let
 *
 *     A = R^2 + c^2 + Delta^2       the largest ||x~||^2 there can be (Delta = 0: not soft)
 *     g* = min y <w~*, x~>          the functional margin of the reference w~*
 *
 *   progress   <w~*, w~_k> >= k rate g*
 *
 * since each update adds rate y <w~*, x~>, and
 *
 *   growth     ||w~_k||^2 <= k (rate^2 A + 2 rate tau)
 *
 * since each adds 2 rate y <w~, x~> + rate^2 ||x~||^2. So by <w~*, w~_k> <= ||w~*|| ||w~_k||, when
 * g* > 0,
 *
 *   k <= (A + 2 tau/rate) ||w~*||^2 / g*^2
 *
 * which is "unit", "radius", "offset" and "margin" in turn. Without a margin target the rate
 * cancels.
 *
 * When w~* does not separate, take any g > 0, and let d_i = max(0, g - y <w~*, x~>) be what row i
 * lacks, ||w~*|| = 1. A soft run has a coordinate for each row: there (w~*, y_i d_i / Delta) has
 * margin g on every row, and the bound above, applied to it, is
 *
 *   soft          k <= (A + 2 tau/rate) (1 + D^2 / Delta^2) / g^2,   D^2 = sum of d_i^2
 *
 * A run that is not soft is the same as if every *presentation* of a row had a coordinate of its
 * own, of any value t: it is 0 in w~ when the row comes, so nothing that the run does depends on
 * it. With A + t^2 for A, and t chosen best (t^2 = D sqrt(A + 2 tau/rate)), the product is a
 * square:
 *
 *   inseparable   k <= ((sqrt(A + 2 tau/rate) + D) / g)^2,   D^2 = sum over presentations of d_i^2
 *
 * One pass presents each row once, which is the bound as published (Freund and Schapire 1999). T
 * passes present it T times: D^2 counts T times; with D^2 over the rows alone the claim would be
 * false. Presentations that led to no update may be struck from the sequence: so for a run that
 * picks its rows, T is the largest number of updates of one row.
 *
 * Both hold for every g; with s = 1/g they are convex in s, and g is chosen by golden section. As g
 * grows without end the last one becomes k <= T n: no more updates than presentations.
 *
 * Rounding. Margins of the reference are rounded down (audit_reference.c), everything else is
 * summed in long double; the run's own decisions were made in double. A bound counts as exceeded
 * only when it is by more than 1e-9 of the size of what is compared. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_rows.h"
#include "measure/audit.h"

#define AUDIT_SLACK  1e-9 /* relative: what rounding may explain */
#define AUDIT_UNIT   1e-6 /* rows scaled to length 1 and rounded to float32 may be longer by less */
#define AUDIT_GOLDEN 48   /* steps of golden section: the interval shrinks to 1e-10 of itself */

/* ---- Entries ---- */

hsp_mistake_bound *hsp__audit_add(hsp__audit_list *list, const char *name, const char *formula)
{
    assert(list->count < HSP__AUDIT_BOUNDS);
    hsp_mistake_bound *bound = &list->bounds[list->count++];
    bound->name = name;
    bound->formula = formula;
    bound->bound = bound->observed = (double)NAN;
    bound->held = 1;
    return bound;
}

void hsp__audit_why(hsp_mistake_bound *bound, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(bound->why, sizeof bound->why, format, args);
    va_end(args);
}

void hsp__audit_settle(hsp_mistake_bound *entry, double observed, double bound, double size)
{
    const double slack = AUDIT_SLACK * size;
    assert(!(size < 0));
    entry->applies = 1;
    entry->observed = observed;
    entry->bound = bound;
    entry->held = entry->lower ? observed >= bound - slack : observed <= bound + slack;
}

static void audit_settle_count(const hsp__audit_list *list, hsp_mistake_bound *entry, double bound)
{
    hsp__audit_settle(entry, (double)list->audit->plan.updates, bound, bound);
}

/* ---- Assumptions ---- */

static int audit_separates(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->least > 0) return 1;
    hsp__audit_why(entry,
                   "the reference%s does not separate these rows: the smallest y <w*,x> is %.6g",
                   audit->u_dropped ? ", without the offset that the run could not have," : "",
                   audit->least * audit->u_norm);
    return 0;
}

/* A run that learns from mistakes alone, and a reference that separates. */
static int audit_plain(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->plan.soft > 0) {
        hsp__audit_why(entry, "the run was soft (Delta = %.6g): see the bound 'soft'",
                       audit->plan.soft);
        return 0;
    }
    if (audit->tau > 0) {
        hsp__audit_why(entry, "the run had a margin target (%.6g): see the bound 'margin'",
                       audit->tau);
        return 0;
    }
    return audit_separates(audit, entry);
}

static int audit_unit_rows(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->plan.offset != HSP__AUDIT_NONE)
        hsp__audit_why(entry, "the run had an offset");
    else if (!(audit->radius <= 1 + AUDIT_UNIT))
        hsp__audit_why(entry, "a row has norm %.6g, above 1", audit->radius);
    else
        return audit_plain(audit, entry);
    return 0;
}

/* A + 2 tau/rate. */
static double audit_reach(const hsp__audit *audit)
{
    assert(!(audit->radius < 0) && !(audit->constant < 0) && !(audit->tau < 0) &&
           audit->plan.rate > 0);
    const double soft = audit->plan.soft;
    return audit->radius * audit->radius + audit->constant * audit->constant + soft * soft +
           2 * audit->tau / audit->plan.rate;
}

/* ---- A reference that separates ---- */

static void audit_unit(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    hsp_mistake_bound *entry = hsp__audit_add(list, "unit", "k <= 1 / g^2");
    if (!audit_unit_rows(audit, entry)) return;
    const double g = audit->least / fmax(1, audit->radius);
    audit_settle_count(list, entry, 1 / (g * g));
    hsp__audit_why(entry, "g = %.9g, largest norm %.9g", audit->least, audit->radius);
}

static void audit_radius(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const int append = audit->plan.offset == HSP__AUDIT_APPEND;
    hsp_mistake_bound *entry = hsp__audit_add(
        list, "radius", append ? "k <= (r^2 + c^2) ||(w*,v*)||^2" : "k <= r^2 ||w*||^2");
    if (audit->plan.offset == HSP__AUDIT_UNIT || audit->plan.offset == HSP__AUDIT_R2) {
        hsp__audit_why(entry, "the run had an offset; see the bound 'offset'");
        return;
    }
    if (!audit_plain(audit, entry)) return;
    audit_settle_count(list, entry, audit_reach(audit) / (audit->least * audit->least));
    hsp__audit_why(entry, "r = %.9g, c = %.9g, norm of w* = %.9g once y <w*,x> >= 1%s",
                   audit->radius, audit->constant, 1 / audit->least,
                   audit->u_dropped ? " (w* taken without its offset)" : "");
}

static void audit_offset(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const int unit = audit->plan.offset == HSP__AUDIT_UNIT;
    hsp_mistake_bound *entry = hsp__audit_add(list, "offset",
                                              unit ? "k <= (R^2 + 1) ||(w*,b*)||^2 / g*^2"
                                                   : "k <= 2 R^2 ||w~*||^2 / g*^2");
    if (!unit && audit->plan.offset != HSP__AUDIT_R2) {
        hsp__audit_why(entry, "the run had no offset; see the bound 'radius'");
        return;
    }
    if (!audit_plain(audit, entry)) return;
    audit_settle_count(list, entry, audit_reach(audit) / (audit->least * audit->least));
    hsp__audit_why(entry, "R = %.9g, norm of w~* = %.9g, g* = %.9g", audit->radius, audit->u_norm,
                   audit->least * audit->u_norm);
}

static void audit_margin(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    hsp_mistake_bound *entry =
        hsp__audit_add(list, "margin", "k <= (R^2 + c^2 + 2 tau/rate) ||w~*||^2 / g*^2");
    if (!(audit->tau > 0)) {
        hsp__audit_why(entry, "the run had no margin target");
        return;
    }
    if (audit->plan.soft > 0) {
        hsp__audit_why(entry, "the run was soft (Delta = %.6g): see the bound 'soft'",
                       audit->plan.soft);
        return;
    }
    if (!audit_separates(audit, entry)) return;
    audit_settle_count(list, entry, audit_reach(audit) / (audit->least * audit->least));
    hsp__audit_why(entry,
                   "R = %.9g, c = %.9g, tau = %.9g, rate = %.9g, norm of w~* = %.9g, g* = %.9g",
                   audit->radius, audit->constant, audit->tau, audit->plan.rate, audit->u_norm,
                   audit->least * audit->u_norm);
}

/* ---- Any reference ---- */

/* The bound as a function of s = 1/g: (sqrt(reach) s + sqrt(times L(s)))^2, or for a soft run
 * reach (s^2 + L(s) / Delta^2), where L(s) = sum of max(0, 1 - s m_i)^2. */
typedef struct audit_objective {
    const hsp__audit *audit;
    double reach, times, soft;
} audit_objective;

static double audit_lack(const audit_objective *objective, double s)
{
    const hsp__audit *audit = objective->audit;
    hsp__wide sum = 0;
    for (uint64_t i = 0; i < audit->rows; i++) {
        const double lack = 1 - s * audit->margin[i];
        if (!(lack > 0)) continue;
        sum += (hsp__wide)(lack * lack);
    }
    return (double)sum;
}

static double audit_value(const audit_objective *objective, double s)
{
    assert(!(s < 0) && !(objective->reach < 0) && !(objective->times < 0)); /* NaN: out of range */
    const double lack = audit_lack(objective, s);
    if (objective->soft > 0)
        return objective->reach * (s * s + lack / (objective->soft * objective->soft));
    const double root = sqrt(objective->reach) * s + sqrt(objective->times * lack);
    return root * root;
}

/* The s with the least bound: the bound is at least reach s^2, so it lies below `high`. */
static double audit_best(const audit_objective *objective)
{
    const double ratio = 0.6180339887498949, least = objective->audit->least;
    double low = 0, high = sqrt(audit_value(objective, 0) / objective->reach);
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double at_a = audit_value(objective, a), at_b = audit_value(objective, b);
    for (int i = 0; i < AUDIT_GOLDEN; i++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = audit_value(objective, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = audit_value(objective, b);
        }
    }
    const double best = at_a <= at_b ? a : b;
    /* Never worse than the bound for separators. */
    if (least > 0 && audit_value(objective, 1 / least) <= fmin(at_a, at_b)) return 1 / least;
    return best;
}

/* Settle an entry by its objective; what goes before the figures of g and D in `why` is the
 * caller's. */
static void audit_settle_best(hsp__audit_list *list, hsp_mistake_bound *entry,
                              const audit_objective *objective, const char *about)
{
    const hsp__audit *audit = list->audit;
    if (!(objective->reach > 0) || !audit->rows) {
        hsp__audit_why(entry, "every row is zero");
        return;
    }
    const double s = audit_best(objective), best = audit_value(objective, s);
    const double limit = audit_value(objective, 0);
    if (limit <= best * (1 + AUDIT_SLACK)) {
        audit_settle_count(list, entry, limit);
        hsp__audit_why(entry, "%s, the limit as g grows", about);
        return;
    }
    audit_settle_count(list, entry, best);
    hsp__audit_why(entry, "%s, g = %.9g, D = %.9g, norm of w* = 1", about, 1 / s,
                   sqrt(objective->times * audit_lack(objective, s)) / s);
}

static void audit_soft(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const double soft = audit->plan.soft;
    hsp_mistake_bound *entry = hsp__audit_add(
        list, "soft", "k <= (R^2 + c^2 + Delta^2 + 2 tau/rate) (1 + D^2/Delta^2) / g^2");
    if (!(soft > 0)) {
        hsp__audit_why(entry, "the run was not soft");
        return;
    }
    const audit_objective objective = {audit, audit_reach(audit), 1, soft};
    char about[128];
    snprintf(about, sizeof about, "R = %.9g, c = %.9g, Delta = %.9g, tau = %.9g", audit->radius,
             audit->constant, soft, audit->tau);
    audit_settle_best(list, entry, &objective, about);
}

/* How often a row was presented, at most: the passes. A run that stopped within a pass may have
 * updated once more, and one that picks rows any number of times: there the updates show it. 0: not
 * known. */
static double audit_times(const hsp__audit *audit)
{
    double times = (double)audit->plan.passes;
    for (uint64_t i = 0; audit->amount && i < audit->rows; i++)
        times = fmax(times, round(fabs(audit->amount[i]) / audit->plan.rate));
    return audit->plan.updates || times > 0 ? times : 1;
}

static void audit_inseparable(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const double times = audit_times(audit);
    hsp_mistake_bound *entry = hsp__audit_add(
        list, "inseparable",
        times == 1 ? "k <= ((r + D) / g)^2" : "k <= ((r + D) / g)^2, D^2 = T sum of d^2");
    if (!(times > 0)) {
        hsp__audit_why(entry,
                       "the run picked single rows, and the model does not say how often each");
        return;
    }
    const audit_objective objective = {audit, audit_reach(audit), times, 0};
    char about[128];
    snprintf(about, sizeof about, "r = %.9g, each row presented at most %.0f time%s",
             sqrt(objective.reach), times, times == 1 ? "" : "s");
    audit_settle_best(list, entry, &objective, about);
}

/* ---- Steps of the proof ---- */

static double audit_inner(const hsp__audit *audit)
{
    if (audit->kernel_rows) return audit->inner;
    hsp__wide sum = (hsp__wide)audit->u_constant * (hsp__wide)audit->last_constant;
    for (uint64_t j = 0; j < audit->features; j++)
        sum += (hsp__wide)audit->u[j] * (hsp__wide)audit->last[j];
    return (double)sum;
}

static double audit_last_square(const hsp__audit *audit)
{
    if (audit->kernel_rows) return audit->last_square;
    hsp__wide sum = (hsp__wide)audit->last_constant * (hsp__wide)audit->last_constant;
    for (uint64_t j = 0; j < audit->features; j++)
        sum += (hsp__wide)audit->last[j] * (hsp__wide)audit->last[j];
    return (double)sum;
}

static int audit_has_last(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->has_last) return 1;
    hsp__audit_why(
        entry,
        "the model has the average only, and no updates from which to rebuild the last separator");
    return 0;
}

static void audit_progress(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const double rate = audit->plan.rate, k = (double)audit->plan.updates;
    hsp_mistake_bound *entry = hsp__audit_add(
        list, "progress", rate == 1 ? "<w~*,w~_k> >= k g*" : "<w~*,w~_k> >= k rate g*");
    entry->lower = 1;
    if (!audit_separates(audit, entry) || !audit_has_last(audit, entry)) return;
    const double g = audit->least * audit->u_norm;
    hsp__audit_settle(entry, audit_inner(audit), k * rate * g,
                      audit->u_norm * sqrt(audit_last_square(audit)));
    hsp__audit_why(entry, "k = %.0f, rate = %.9g, g* = %.9g", k, rate, g);
}

static const char *audit_growth_formula(const hsp__audit *audit)
{
    static const char *const plain[] = {"||w_k||^2 <= k R^2", "||w~_k||^2 <= k (R^2 + 1)",
                                        "||w~_k||^2 <= 2 k R^2", "||w~_k||^2 <= k (R^2 + c^2)"};
    if (audit->plan.rate == 1 && audit->tau == 0 && audit->plan.soft == 0)
        return plain[audit->plan.offset];
    return "||w~_k||^2 <= k (rate^2 (R^2 + c^2 + Delta^2) + 2 rate tau)";
}

static void audit_growth(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const double rate = audit->plan.rate, k = (double)audit->plan.updates, soft = audit->plan.soft;
    hsp_mistake_bound *entry = hsp__audit_add(list, "growth", audit_growth_formula(audit));
    if (!audit_has_last(audit, entry)) return;
    if (soft > 0 && !audit->amount && audit->plan.updates) {
        hsp__audit_why(entry, "the model does not say which rows it was updated on");
        return;
    }
    hsp__wide own = 0; /* the rows' own coordinates */
    for (uint64_t i = 0; soft > 0 && audit->amount && i < audit->rows; i++)
        own += (hsp__wide)audit->amount[i] * (hsp__wide)audit->amount[i];
    const double bound = k * rate * rate * audit_reach(audit);
    hsp__audit_settle(entry, audit_last_square(audit) + soft * soft * (double)own, bound, bound);
    hsp__audit_why(entry, "k = %.0f, R = %.9g, c = %.9g, Delta = %.9g, tau = %.9g, rate = %.9g", k,
                   audit->radius, audit->constant, soft, audit->tau, rate);
}

static void audit_angle(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const double k = (double)audit->plan.updates;
    hsp_mistake_bound *entry = hsp__audit_add(list, "angle", "cos(w_k, w*) >= g sqrt(k)");
    entry->lower = 1;
    if (!audit_unit_rows(audit, entry) || !audit_has_last(audit, entry)) return;
    if (!audit->plan.updates) {
        hsp__audit_why(entry, "the run made no update: w is 0 and has no direction");
        return;
    }
    const double norm = sqrt(audit_last_square(audit));
    hsp__audit_settle(entry, audit_inner(audit) / (norm * audit->u_norm),
                      audit->least / fmax(1, audit->radius) * sqrt(k), 1);
    hsp__audit_why(entry, "k = %.0f, g = %.9g", k, audit->least);
}

/* ---- Is the model what its run would have made? ---- */

static void audit_counts(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    const double k = (double)audit->plan.updates;
    hsp_mistake_bound *entry = hsp__audit_add(list, "counts", "|k - sum |amount| / rate| <= 0");
    if (!audit->amount && audit->plan.updates) {
        hsp__audit_why(entry, "the model does not say which rows it was updated on");
        return;
    }
    hsp__wide sum = 0;
    for (uint64_t i = 0; audit->amount && i < audit->rows; i++)
        sum += (hsp__wide)fabs(audit->amount[i]) / (hsp__wide)audit->plan.rate;
    hsp__audit_settle(entry, fabs((double)sum - k), 0, k);
    hsp__audit_why(entry, "k = %.0f, the rows say %.9g", k, (double)sum);
}

static void audit_rebuild(hsp__audit_list *list)
{
    const hsp__audit *audit = list->audit;
    hsp_mistake_bound *entry =
        hsp__audit_add(list, "rebuild", "||w~ - sum of amount x~|| <= rounding");
    if (audit->plan.averaged)
        hsp__audit_why(entry, "the weights are an average%s",
                       audit->amount ? "; the last separator was rebuilt from the updates" : "");
    else if (!audit->amount)
        hsp__audit_why(entry, audit->plan.updates
                                  ? "the model does not say which rows it was updated on"
                                  : "the run made no update");
    else if (isnan(audit->rebuild_error))
        hsp__audit_why(entry, "the model has votes, and no last separator to compare");
    else {
        hsp__audit_settle(entry, audit->rebuild_error, audit->rebuild_allows,
                          audit->rebuild_allows);
        hsp__audit_why(entry, "k = %.0f roundings of every weight", (double)audit->plan.updates);
    }
}

/* ---- The whole ---- */

static void audit_fill(hsp__audit_list *list)
{
    audit_unit(list);
    audit_radius(list);
    audit_offset(list);
    audit_margin(list);
    audit_soft(list);
    audit_inseparable(list);
    audit_progress(list);
    audit_growth(list);
    audit_angle(list);
    audit_counts(list);
    audit_rebuild(list);
}

static void audit_end(hsp__audit *audit)
{
    const hsp_allocator *memory = &audit->ctx->allocator;
    hsp__kernel_rows_free(audit->ctx, audit->kernel_rows);
    hsp__free(memory, audit->kernel_ids);
    hsp_data_free(audit->scaled);
    hsp__free(memory, audit->row);
    hsp__free(memory, audit->y);
    hsp__free(memory, audit->last);
    hsp__free(memory, audit->amount);
    hsp__free(memory, audit->u);
    hsp__free(memory, audit->margin);
}

static hsp_status audit_perceptron(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                                   hsp__audit_list *list, hsp_error *err)
{
    hsp_status status = hsp__audit_read_plan(audit->model, err, &audit->plan);
    if (!status) status = hsp__audit_read_rows(audit, data, err);
    if (!status) status = hsp__audit_read_reference(audit, reference, err);
    if (!status) audit_fill(list);
    return status;
}

static hsp_status audit_dispatch(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                                 hsp__audit_list *list, hsp_error *err)
{
    const char *learner = hsp_model_metadata(audit->model, "learner");
    const int experts = learner && strcmp(learner, "experts") == 0;
    if (experts && reference)
        return hsp__fail(err, HSP_USAGE,
                         "experts are compared with the best expert; remove --reference");
    if (experts) return hsp__audit_experts(audit, data, list, err);
    const int winnow = learner && strcmp(learner, "winnow") == 0;
    if (!winnow && (!learner || strcmp(learner, "perceptron") != 0))
        return hsp__fail(err, HSP_USAGE,
                         "the model was trained by '%.40s'; mistake bounds exist for perceptron, "
                         "winnow and experts",
                         learner ? learner : "no learner");
    if (!reference)
        return hsp__fail(err, HSP_USAGE,
                         "--reference is missing; give a model that separates the rows");
    if (winnow) return hsp__audit_winnow(audit, data, reference, list, err);
    return audit_perceptron(audit, data, reference, list, err);
}

/* Overflow says nothing about a theorem. */
static void audit_drop_overflow(hsp__audit_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        hsp_mistake_bound *entry = &list->bounds[i];
        if (!entry->applies || (isfinite(entry->observed) && isfinite(entry->bound))) continue;
        entry->applies = 0;
        entry->held = 1;
        entry->observed = entry->bound = (double)NAN;
        hsp__audit_why(entry, "its figures leave the range of double precision: scale the columns");
    }
}

hsp_status hsp_audit(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                     const hsp_model *reference, hsp_error *err, hsp_mistake_bound **out,
                     size_t *count)
{
    HSP__NEED(err, ctx, model, data, out, count);
    hsp__audit audit = {.ctx = ctx, .model = model};
    hsp__audit_list list = {&audit, NULL, 0};
    list.bounds = hsp__owned_new(&ctx->allocator, HSP__AUDIT_BOUNDS, sizeof *list.bounds);
    hsp_status status = list.bounds ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = audit_dispatch(&audit, data, reference, &list, err);
    if (!status) audit_drop_overflow(&list);
    audit_end(&audit);
    if (status) {
        hsp__owned_free(list.bounds);
        return status;
    }
    *out = list.bounds;
    *count = list.count;
    return HSP_OK;
}

void hsp_mistake_bounds_free(hsp_mistake_bound *bounds)
{
    hsp__owned_free(bounds);
}
