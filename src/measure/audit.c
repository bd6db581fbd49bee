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
 * A run in P parts (learn/online/online_mix.h) has a theorem of its own, whose proof is in online_mix.c:
 *
 *   mixed         k/P <= (A + 2 tau/rate) ||w~*||^2 / g*^2
 *
 * Rounding. Margins of the reference are rounded down (audit_reference.c), everything else is
 * summed in long double; the run's own decisions were made in double. A bound counts as exceeded
 * only when it is by more than 1e-9 of the size of what is compared. */
#include <stdio.h>

#include "base/base.h"
#include "kernel/kernel_rows.h"
#include "measure/audit.h"

#define AUDIT_SLACK   1e-9 /* relative: what rounding may explain */
#define AUDIT_UNIT    1e-6 /* rows scaled to length 1 and rounded to float32 may be longer by less */
#define AUDIT_GOLDEN  48   /* steps of golden section: the interval shrinks to 1e-10 of itself */
#define AUDIT_NO_ROWS "the model does not say which rows it was updated on"

/* ---- Assumptions ---- */

static int audit_separates(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->least > 0) return 1;
    return hsp__audit_why(
        entry, "the reference%s does not separate these rows: the smallest y <w*,x> is %.6g",
        audit->u_dropped ? ", without the offset that the run could not have," : "",
        audit->least * audit->u_norm);
}

/* A run that is not soft, and a reference that separates. */
static int audit_hard(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->plan.soft > 0)
        return hsp__audit_why(entry, "the run was soft (Delta = %.6g): see the bound 'soft'",
                              audit->plan.soft);
    return audit_separates(audit, entry);
}

/* ... that learns from mistakes alone. */
static int audit_plain(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (!(audit->plan.soft > 0) && audit->tau > 0)
        return hsp__audit_why(entry, "the run had a margin target (%.6g): see the bound 'margin'",
                              audit->tau);
    return audit_hard(audit, entry);
}

static int audit_unit_rows(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->plan.offset != HSP__AUDIT_NONE)
        return hsp__audit_why(entry, "the run had an offset");
    if (!(audit->radius <= 1 + AUDIT_UNIT))
        return hsp__audit_why(entry, "a row has norm %.6g, above 1", audit->radius);
    return audit_plain(audit, entry);
}

/* A + 2 tau/rate. */
static double audit_reach(const hsp__audit *audit)
{
    const double soft = audit->plan.soft;
    return audit->radius * audit->radius + audit->constant * audit->constant + soft * soft +
           2 * audit->tau / audit->plan.rate;
}

/* ---- A reference that separates ---- */

static int audit_unit(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    if (!audit_unit_rows(audit, entry)) return 0;
    const double g = audit->least / fmax(1, audit->radius), bound = 1 / (g * g);
    return hsp__audit_settle(entry, (double)audit->plan.updates, bound, bound,
                             "g = %.9g, largest norm %.9g", audit->least, audit->radius);
}

static int audit_radius(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const hsp__audit_offset offset = audit->plan.offset;
    if (offset == HSP__AUDIT_APPEND) entry->formula = "k <= (r^2 + c^2) ||(w*,v*)||^2";
    if (offset == HSP__AUDIT_UNIT || offset == HSP__AUDIT_R2)
        return hsp__audit_why(entry, "the run had an offset; see the bound 'offset'");
    if (!audit_plain(audit, entry)) return 0;
    const double bound = audit_reach(audit) / (audit->least * audit->least);
    return hsp__audit_settle(entry, (double)audit->plan.updates, bound, bound,
                             "r = %.9g, c = %.9g, norm of w* = %.9g once y <w*,x> >= 1%s",
                             audit->radius, audit->constant, 1 / audit->least,
                             audit->u_dropped ? " (w* taken without its offset)" : "");
}

static int audit_offset(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const int unit = audit->plan.offset == HSP__AUDIT_UNIT;
    if (unit) entry->formula = "k <= (R^2 + 1) ||(w*,b*)||^2 / g*^2";
    if (!unit && audit->plan.offset != HSP__AUDIT_R2)
        return hsp__audit_why(entry, "the run had no offset; see the bound 'radius'");
    if (!audit_plain(audit, entry)) return 0;
    const double bound = audit_reach(audit) / (audit->least * audit->least);
    return hsp__audit_settle(entry, (double)audit->plan.updates, bound, bound,
                             "R = %.9g, norm of w~* = %.9g, g* = %.9g", audit->radius,
                             audit->u_norm, audit->least * audit->u_norm);
}

static int audit_mixed(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const double k = (double)audit->plan.updates, parts = (double)audit->plan.parts;
    if (!audit_hard(audit, entry)) return 0;
    const double bound = audit_reach(audit) / (audit->least * audit->least);
    return hsp__audit_settle(
        entry, k / parts, bound, bound,
        "k = %.0f, P = %.0f, R = %.9g, c = %.9g, tau = %.9g, rate = %.9g, norm "
        "of w~* = %.9g, g* = %.9g",
        k, parts, audit->radius, audit->constant, audit->tau, audit->plan.rate, audit->u_norm,
        audit->least * audit->u_norm);
}

static int audit_margin(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    if (!(audit->tau > 0)) return hsp__audit_why(entry, "the run had no margin target");
    if (!audit_hard(audit, entry)) return 0;
    const double bound = audit_reach(audit) / (audit->least * audit->least);
    return hsp__audit_settle(
        entry, (double)audit->plan.updates, bound, bound,
        "R = %.9g, c = %.9g, tau = %.9g, rate = %.9g, norm of w~* = %.9g, g* = %.9g", audit->radius,
        audit->constant, audit->tau, audit->plan.rate, audit->u_norm, audit->least * audit->u_norm);
}

/* ---- Any reference ---- */

/* The bound as a function of s = 1/g: (sqrt(reach) s + sqrt(times L(s)))^2, or for a soft run
 * reach (s^2 + L(s) / Delta^2), where L(s) = sum of max(0, 1 - s m_i)^2. */
typedef struct audit_objective {
    const hsp__audit *audit;
    double reach, times, soft;
} audit_objective;

static double audit_lack(const hsp__audit *audit, double s)
{
    hsp__long sum = 0;
    for (uint64_t i = 0; i < audit->rows; i++) {
        const double lack = 1 - s * audit->margin[i];
        if (lack > 0) sum += (hsp__long)(lack * lack);
    }
    return (double)sum;
}

static double audit_value(const audit_objective *objective, double s)
{
    assert(!(s < 0) && !(objective->reach < 0) && !(objective->times < 0)); /* NaN: out of range */
    const double lack = audit_lack(objective->audit, s);
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
    /* Never worse than the bound for separators. */
    if (least > 0 && audit_value(objective, 1 / least) <= fmin(at_a, at_b)) return 1 / least;
    return at_a <= at_b ? a : b;
}

/* Settle an entry by its objective; `about` goes before the figures of g and D. */
static int audit_settle_best(const audit_objective *objective, const char *about,
                             hsp_mistake_bound *entry)
{
    const hsp__audit *audit = objective->audit;
    const double k = (double)audit->plan.updates;
    if (!(objective->reach > 0) || !audit->rows) return hsp__audit_why(entry, "every row is zero");
    const double s = audit_best(objective), best = audit_value(objective, s);
    const double limit = audit_value(objective, 0);
    if (limit <= best * (1 + AUDIT_SLACK))
        return hsp__audit_settle(entry, k, limit, limit, "%s, the limit as g grows", about);
    return hsp__audit_settle(entry, k, best, best, "%s, g = %.9g, D = %.9g, norm of w* = 1", about,
                             1 / s, sqrt(objective->times * audit_lack(audit, s)) / s);
}

static int audit_soft(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const double soft = audit->plan.soft;
    char about[128];
    if (!(soft > 0)) return hsp__audit_why(entry, "the run was not soft");
    snprintf(about, sizeof about, "R = %.9g, c = %.9g, Delta = %.9g, tau = %.9g", audit->radius,
             audit->constant, soft, audit->tau);
    return audit_settle_best(&(audit_objective){audit, audit_reach(audit), 1, soft}, about, entry);
}

static int audit_inseparable(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const double reach = audit_reach(audit);
    char about[128];
    /* How often a row was presented, at most: the passes. A run that stopped within a pass may have
     * updated once more, and one that picks rows any number of times: there the updates show it. */
    double times = (double)audit->plan.passes;
    for (uint64_t i = 0; audit->amount && i < audit->rows; i++)
        times = fmax(times, round(fabs(audit->amount[i]) / audit->plan.rate));
    if (!audit->plan.updates && !(times > 0)) times = 1;
    if (times == 1) entry->formula = "k <= ((r + D) / g)^2";
    if (!(times > 0))
        return hsp__audit_why(
            entry, "the run picked single rows, and the model does not say how often each");
    snprintf(about, sizeof about, "r = %.9g, each row presented at most %.0f time%s", sqrt(reach),
             times, times == 1 ? "" : "s");
    return audit_settle_best(&(audit_objective){audit, reach, times, 0}, about, entry);
}

/* ---- Steps of the proof ---- */

static double audit_inner(const hsp__audit *audit)
{
    if (audit->kernel_rows) return audit->inner;
    hsp__long sum = (hsp__long)audit->u_constant * (hsp__long)audit->last_constant;
    for (uint64_t j = 0; j < audit->features; j++)
        sum += (hsp__long)audit->u[j] * (hsp__long)audit->last[j];
    return (double)sum;
}

static double audit_last_square(const hsp__audit *audit)
{
    if (audit->kernel_rows) return audit->last_square;
    hsp__long sum = (hsp__long)audit->last_constant * (hsp__long)audit->last_constant;
    for (uint64_t j = 0; j < audit->features; j++)
        sum += (hsp__long)audit->last[j] * (hsp__long)audit->last[j];
    return (double)sum;
}

static int audit_has_last(const hsp__audit *audit, hsp_mistake_bound *entry)
{
    if (audit->has_last) return 1;
    return hsp__audit_why(entry, "the model has the average only, and no updates from which to "
                                 "rebuild the last separator");
}

static int audit_progress(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const double rate = audit->plan.rate, k = (double)audit->plan.updates;
    const double g = audit->least * audit->u_norm;
    if (rate == 1) entry->formula = "<w~*,w~_k> >= k g*";
    if (!audit_separates(audit, entry) || !audit_has_last(audit, entry)) return 0;
    return hsp__audit_settle(entry, audit_inner(audit), k * rate * g,
                             audit->u_norm * sqrt(audit_last_square(audit)),
                             "k = %.0f, rate = %.9g, g* = %.9g", k, rate, g);
}

static int audit_growth(const void *run, hsp_mistake_bound *entry)
{
    static const char *const plain[] = {"||w_k||^2 <= k R^2", "||w~_k||^2 <= k (R^2 + 1)",
                                        "||w~_k||^2 <= 2 k R^2", "||w~_k||^2 <= k (R^2 + c^2)"};
    const hsp__audit *audit = run;
    const double rate = audit->plan.rate, k = (double)audit->plan.updates, soft = audit->plan.soft;
    if (rate == 1 && audit->tau == 0 && soft == 0) entry->formula = plain[audit->plan.offset];
    if (!audit_has_last(audit, entry)) return 0;
    if (soft > 0 && !audit->amount && audit->plan.updates)
        return hsp__audit_why(entry, AUDIT_NO_ROWS);
    hsp__long own = 0; /* the rows' own coordinates */
    for (uint64_t i = 0; soft > 0 && audit->amount && i < audit->rows; i++)
        own += (hsp__long)audit->amount[i] * (hsp__long)audit->amount[i];
    const double bound = k * rate * rate * audit_reach(audit);
    return hsp__audit_settle(entry, audit_last_square(audit) + soft * soft * (double)own, bound,
                             bound,
                             "k = %.0f, R = %.9g, c = %.9g, Delta = %.9g, tau = %.9g, rate = %.9g",
                             k, audit->radius, audit->constant, soft, audit->tau, rate);
}

static int audit_angle(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const double k = (double)audit->plan.updates;
    if (!audit_unit_rows(audit, entry) || !audit_has_last(audit, entry)) return 0;
    if (!audit->plan.updates)
        return hsp__audit_why(entry, "the run made no update: w is 0 and has no direction");
    return hsp__audit_settle(
        entry, audit_inner(audit) / (sqrt(audit_last_square(audit)) * audit->u_norm),
        audit->least / fmax(1, audit->radius) * sqrt(k), 1, "k = %.0f, g = %.9g", k, audit->least);
}

/* ---- Is the model what its run would have made? ---- */

static int audit_counts(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    const double k = (double)audit->plan.updates;
    hsp__long sum = 0;
    if (!audit->amount && audit->plan.updates) return hsp__audit_why(entry, AUDIT_NO_ROWS);
    for (uint64_t i = 0; audit->amount && i < audit->rows; i++)
        sum += (hsp__long)fabs(audit->amount[i]) / (hsp__long)audit->plan.rate;
    return hsp__audit_settle(entry, fabs((double)sum - k), 0, k, "k = %.0f, the rows say %.9g", k,
                             (double)sum);
}

static int audit_rebuild(const void *run, hsp_mistake_bound *entry)
{
    const hsp__audit *audit = run;
    if (audit->plan.averaged)
        return hsp__audit_why(entry, "the weights are an average%s",
                              audit->amount ? "; the last separator was rebuilt from the updates"
                                            : "");
    if (!audit->amount)
        return hsp__audit_why(entry,
                              audit->plan.updates ? AUDIT_NO_ROWS : "the run made no update");
    if (isnan(audit->rebuild_error))
        return hsp__audit_why(entry, "the model has votes, and no last separator to compare");
    return hsp__audit_settle(entry, audit->rebuild_error, audit->rebuild_allows,
                             audit->rebuild_allows, "k = %.0f roundings of every weight",
                             (double)audit->plan.updates);
}

static const hsp__audit_theorem audit_theorems[] = {
    {"unit", "k <= 1 / g^2", audit_unit, 0},
    {"radius", "k <= r^2 ||w*||^2", audit_radius, 0},
    {"offset", "k <= 2 R^2 ||w~*||^2 / g*^2", audit_offset, 0},
    {"margin", "k <= (R^2 + c^2 + 2 tau/rate) ||w~*||^2 / g*^2", audit_margin, 0},
    {"soft", "k <= (R^2 + c^2 + Delta^2 + 2 tau/rate) (1 + D^2/Delta^2) / g^2", audit_soft, 0},
    {"inseparable", "k <= ((r + D) / g)^2, D^2 = T sum of d^2", audit_inseparable, 0},
    {"progress", "<w~*,w~_k> >= k rate g*", audit_progress, 1},
    {"growth", "||w~_k||^2 <= k (rate^2 (R^2 + c^2 + Delta^2) + 2 rate tau)", audit_growth, 0},
    {"angle", "cos(w_k, w*) >= g sqrt(k)", audit_angle, 1},
    {"counts", "|k - sum |amount| / rate| <= 0", audit_counts, 0},
    {"rebuild", "||w~ - sum of amount x~|| <= rounding", audit_rebuild, 0},
};

static const hsp__audit_theorem audit_mixed_theorems[] = {
    {"mixed", "k/P <= (R^2 + c^2 + 2 tau/rate) ||w~*||^2 / g*^2", audit_mixed, 0},
};

/* ---- The whole ---- */

static hsp_status audit_run(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                            hsp__audit_list *list, hsp_error *err)
{
    const char *learner = hsp_model_metadata(audit->model, "learner");
    const int experts = learner && strcmp(learner, "experts") == 0;
    const int winnow = learner && strcmp(learner, "winnow") == 0;
    if (experts && reference)
        return hsp__fail(err, HSP_USAGE,
                         "experts are compared with the best expert; remove --reference");
    if (!experts && !winnow && (!learner || strcmp(learner, "perceptron") != 0))
        return hsp__fail(err, HSP_USAGE,
                         "the model was trained by '%.40s'; mistake bounds exist for perceptron, "
                         "winnow and experts",
                         learner ? learner : "no learner");
    if (audit->model->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the model has %u classes, and the mistake bounds are for two; train with "
                         "--positive or --classes",
                         (unsigned)hsp_model_classes(audit->model));
    if (experts) return hsp__audit_experts(audit, data, list, err);
    if (!reference)
        return hsp__fail(err, HSP_USAGE,
                         "--reference is missing; give a model that separates the rows");
    if (winnow) return hsp__audit_winnow(audit, data, reference, list, err);
    HSP__TRY(hsp__audit_read_plan(audit->model, err, &audit->plan));
    HSP__TRY(hsp__audit_read_rows(audit, data, err));
    HSP__TRY(hsp__audit_read_reference(audit, reference, err));
    if (audit->plan.parts)
        hsp__audit_fill(list, audit_mixed_theorems, 1, audit);
    else
        hsp__audit_fill(list, audit_theorems, sizeof audit_theorems / sizeof *audit_theorems,
                        audit);
    return HSP_OK;
}

hsp_status hsp_audit(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                     const hsp_model *reference, hsp_error *err, hsp_mistake_bound **out,
                     size_t *count)
{
    HSP__NEED(err, ctx, model, data, out, count);
    hsp__audit audit = {.ctx = ctx, .scratch.memory = &ctx->allocator, .model = model};
    hsp__audit_list list = {
        .bounds = hsp__owned_new(&ctx->allocator, HSP__AUDIT_BOUNDS, sizeof *list.bounds)};
    hsp_status status =
        list.bounds ? audit_run(&audit, data, reference, &list, err) : hsp__fail_memory(err);
    hsp__kernel_rows_free(ctx, audit.kernel_rows);
    hsp__free(&ctx->allocator, audit.kernel_ids);
    hsp_data_free(audit.scaled);
    hsp__scratch_free(&audit.scratch);
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
