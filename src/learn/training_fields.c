/* What a training run reports: the fields of hsp_training and of its parts. */
#include <math.h>
#include <string.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

/* ---- Convergence ---- */

/* What the objective is a sum of. */
static const void *training_objective_is(const void *record, size_t i, void *room)
{
    const hsp_convergence *best = record;
    (void)i, (void)room;
    if (!isnan(best->C) || !isnan(best->lambda)) return "mean loss + lambda * penalty";
    return isnan(best->stationarity) ? "total slack" : "||w||^2 / 2";
}

GETTER(training_bound_is, hsp_convergence, best,
       isnan(best->stationarity) && isnan(best->C) && isnan(best->lambda)
           ? "lower bound up to rounding"
           : "proven lower bound")

/* The two objectives differ where there is a lambda. */
GETTER(training_is_scaled, hsp_convergence, best, isnan(best->C) && isnan(best->lambda) ? NULL : "")

/* The sum over several binary problems, where it is another number. */
GETTER(training_support_sum, hsp_convergence, best,
       best->support_sum == best->support_vectors ? NULL : &best->support_sum)

static const void *training_beyond(const void *record, size_t i, void *room)
{
    const hsp_convergence *best = record;
    const uint64_t placed = best->on_margin + best->inside + best->wrong_side;
    uint64_t *beyond = room;
    (void)i;
    *beyond = best->support_sum - placed;
    return best->support_sum > placed ? beyond : NULL;
}

FIELDS(training_kkt_fields, hsp_convergence,
       FIELD(REAL, "stationarity", NULL, stationarity,
             "||w - sum a y x|| relative to max(||w||, sum a ||x||)",
             .when = "null if not computed"),
       FIELD(REAL, "primal_feasibility", NULL, primal_feasibility,
             "largest violation of the constraints on the scores", .when = "null if not computed"),
       FIELD(REAL, "dual_feasibility", NULL, dual_feasibility,
             "largest violation of the constraints on the dual coefficients",
             .when = "null if not computed"),
       FIELD(REAL, "complementarity", NULL, complementarity,
             "largest product of a dual coefficient and its slack", .when = "null if not computed"))

PUBLIC_FIELDS(
    hsp_convergence_fields, hsp_convergence,
    FIELD_GET(TEXT, ".bound_is", NULL, training_bound_is, NULL),
    FIELD_GET(TEXT, ".objective_is", NULL, training_objective_is, NULL),
    FIELD_GET(TEXT, ".scaled", NULL, training_is_scaled, NULL),
    FIELD_GET(COUNT, ".support_sum", NULL, training_support_sum, NULL),
    FIELD_GET(COUNT, ".beyond", NULL, training_beyond, NULL),
    FIELD(TEXT, "solver", "solver", solver, "the algorithm that minimised the objective"),
    FIELD(REAL, "C", "C", C, "C = 1 / (lambda n), n the total weight of the rows",
          .when = "null for a hard margin, for lp, and if it differs between binary problems"),
    FIELD(REAL, "lambda", "lambda", lambda, "factor of the penalty", .when = "null like C"),
    FIELD(REAL, "objective", "objective", objective,
          "mean loss + lambda * penalty of the model, rounded up; hard margin: ||w||^2 / 2; lp: "
          "total slack",
          .when = "null if not computed",
          .text = "[{}[ ({.bound_is} {dual_objective}[{.note}])]: {.objective_is}~not computed: "
                  "{.why_not}]"),
    FIELD(LOWER, "dual_objective", NULL, dual_objective,
          "proven lower bound: no weights have a smaller objective (lp: up to rounding)",
          .when = "null if no bound is known"),
    FIELD(REAL, "scaled_objective", "objective * Cn", scaled_objective,
          "C * sum of losses + penalty, the unit of LIBSVM and LIBLINEAR",
          .when = "null if not computed",
          .text = "{.scaled}{}[ (proven lower bound {scaled_dual_objective}[{.note}])]: C * sum of "
                  "losses + penalty, the unit of LIBSVM and LIBLINEAR"),
    FIELD(LOWER, "scaled_dual_objective", NULL, scaled_dual_objective,
          "dual_objective in the same unit", .when = "null if no bound is known"),
    FIELD(REAL, "gap", NULL, gap, "duality gap, (objective - dual_objective) / objective",
          .when = "null if not computed"),
    FIELD(REAL, "rounding", NULL, rounding, "largest part of the gap that rounding errors explain",
          .when = "null if not computed"),
    FIELD(COUNT, "support_vectors", "support vectors", support_vectors,
          "rows with a non-zero dual coefficient in any binary problem", .unit = "rows",
          .when = "null if not known",
          .text = "{.margins}{}[ rows; {.support_sum} summed over all binary problems]: "
                  "{on_margin} on the margin, {inside} inside, {wrong_side} on the wrong side[, "
                  "{.beyond} beyond it with a dual coefficient near 0]"),
    FIELD(COUNT, "support_sum", NULL, support_sum,
          "the same, summed over the binary problems; of these lie:"),
    FIELD(COUNT, "on_margin", NULL, on_margin, "on the margin, y s(x) = 1"),
    FIELD(COUNT, "inside", NULL, inside, "inside the margin, 0 <= y s(x) < 1"),
    FIELD(COUNT, "wrong_side", NULL, wrong_side, "on the wrong side, y s(x) < 0"),
    FIELD(LOWER, "margin", "margin", margin,
          "geometric margin, the smallest y s(x) / ||w|| of all training rows after the learner's "
          "scaling; negative if a row is misclassified",
          .when = "null if all weights are 0, or if not computed",
          .text = "{.margins}[{}[, {margin_class} against [{margin_other}~the "
                  "rest]]{.space}~{.done}none: all weights are 0, or next to 0]"),
    FIELD(REAL, "inverse_norm", "1/||w||", inverse_norm,
          "1 / ||w||, the distance of the lines s = +-1 from s = 0; the smallest of all scorers",
          .when = "null if all weights are 0, or if not computed", .text = "{.margins}{}"),
    {.type = HSP_FIELD_OBJECT,
     .name = "kkt",
     .of = training_kkt_fields,
     .label = "KKT residuals",
     .text = "stationarity {stationarity}, primal {primal_feasibility}, dual {dual_feasibility}, "
             "complementarity {complementarity}",
     .meaning = "residuals of the Karush-Kuhn-Tucker conditions"})

/* ---- Experts ---- */

#define SEVERAL "null with more than two classes"

GETTER(training_exceeded, hsp_experts_report, report,
       report->held ? NULL : "EXCEEDED, which is a bug")

GETTER(training_randomized, hsp_experts_report, report, report->randomized ? "" : NULL)

GETTER(training_negation, hsp_experts_report, report, report->negated == 1 ? "not " : "")

GETTER(training_several, hsp_experts_report, report, report->several ? "" : NULL)

PUBLIC_FIELDS(
    hsp_experts_fields, hsp_experts_report,
    FIELD_GET(TEXT, ".several", NULL, training_several, NULL),
    FIELD_GET(TEXT, ".exceeded", NULL, training_exceeded, NULL),
    FIELD_GET(TEXT, ".randomized", NULL, training_randomized, NULL),
    FIELD_GET(TEXT, ".negation", NULL, training_negation, NULL),
    FIELD(COUNT, "experts", "experts", count, "number of experts",
          .text = "{}[{.several}, one set of them per class]"),
    FIELD(COUNT, "examples", NULL, examples, "predictions made, over all passes"),
    FIELD(FLAG, "best_negated", NULL, negated,
          "the expert with the fewest mistakes is the negation of its column", .when = SEVERAL),
    FIELD(SHARE, "best_share", NULL, best_share, "its share of the total weight in the end",
          .when = SEVERAL),
    FIELD(REAL, "best_mistakes", "its mistakes", best_mistakes,
          "its mistakes, m*; an abstention counts half", .when = SEVERAL,
          .text = "m* = {} of {examples:prediction}"),
    FIELD(COUNT, "mistakes", "mistakes", mistakes, "wrong predictions, m", .when = SEVERAL,
          .text = "m = {} of {examples:prediction}"),
    FIELD(
        REAL, "expected_mistakes", "expected mistakes", expected,
        "mean of m over the random draws of the predictions; without draws m", .when = SEVERAL,
        .text = "{.randomized}{} on average over the random draws, standard deviation {deviation}"),
    FIELD(REAL, "deviation", NULL, deviation, "standard deviation of m over the draws",
          .when = SEVERAL),
    FIELD(REAL, "mistake_bound", "mistake bound", bound,
          "bound on expected_mistakes by the theorem", .when = SEVERAL,
          .text = "[{.randomized}expected ]m <= {}: [{.exceeded}~held]"),
    FIELD(FLAG, "held", NULL, held, "expected_mistakes is not above mistake_bound",
          .when = SEVERAL))

/* ---- Evidence ---- */

static const void *training_evidence_row(const void *record, size_t i, void *room)
{
    const hsp_evidence *evidence = record;
    uint64_t *row = room;
    if (i >= evidence->count) return NULL;
    *row = evidence->row[i] + 1;
    return row;
}

GETTER(training_multiplier, hsp_evidence, evidence,
       i < evidence->count ? &evidence->multiplier[i] : NULL)

PUBLIC_FIELDS(
    hsp_evidence_fields, hsp_evidence,
    FIELD(TEXT, "class", NULL, of, "the class that cannot be separated",
          .when = "null with two classes"),
    FIELD(TEXT, "against", NULL, against, "the class that it cannot be separated from",
          .when = "null with two classes, and for the rest"),
    FIELD_GET(LIST, "rows", NULL, training_evidence_row, "row numbers, from 1",
              .of = hsp_field_counts),
    FIELD_GET(LIST, "multipliers", NULL, training_multiplier, "the multiplier of each row",
              .of = hsp_field_reals),
    FIELD(REAL, "distance", NULL, distance,
          "distance between the means of the two sides; with --offset none, of the sum from 0"),
    FIELD(REAL, "margin", NULL, margin, "no separator has a larger margin"))

/* ---- The run ---- */

GETTER(training_last_pass, hsp_training, run,
       run->convergence.solver ? NULL : &run->mistakes_last_pass)

GETTER_NEW(training_converged, hsp_training, run, int, run->stop == HSP_STOP_CONVERGED)

GETTER(training_stop, hsp_training, run, hsp_stop_name(run->stop))

GETTER(training_limit, hsp_training, run,
       run->stop == HSP_STOP_CONVERGED ? NULL : hsp_stop_name(run->stop))

/* Why figures were not computed. */
GETTER(training_why_not, hsp_training, run,
       run->stop == HSP_STOP_REQUEST || run->stop == HSP_STOP_SECONDS ? "the run was stopped first"
       : run->stop == HSP_STOP_STALLED ? "it leaves the range of double precision"
                                       : NULL)
GETTER(training_done, hsp_training, run,
       run->stop == HSP_STOP_REQUEST || run->stop == HSP_STOP_SECONDS ? NULL : "")

/* Rounding errors that keep the gap from its target. */
GETTER(training_limiting, hsp_training, run,
       run->stop != HSP_STOP_CONVERGED && run->convergence.rounding > run->convergence.gap / 2
           ? &run->convergence.rounding
           : NULL)

/* Linear programs are counted as passes, and their steps as updates. */
static int training_is_lp(const hsp_training *run)
{
    return run->convergence.solver && strcmp(run->convergence.solver, "clp") == 0;
}

GETTER(training_parts, hsp_training, run, run->parts ? &run->parts : NULL)

GETTER(training_programs, hsp_training, run, training_is_lp(run) ? &run->passes : NULL)

GETTER(training_passes, hsp_training, run,
       run->passes && !training_is_lp(run) ? &run->passes : NULL)

GETTER(training_updates, hsp_training, run,
       run->passes && !training_is_lp(run) ? &run->updates : NULL)

/* How many rows a share of them is; UINT64_MAX: it is not known. */
static uint64_t training_count(double share, uint64_t rows)
{
    return isnan(share) ? UINT64_MAX : (uint64_t)llround(share * (double)rows);
}

GETTER_NEW(training_wrong, hsp_training, run, uint64_t,
           training_count(run->training_error, run->rows))

GETTER_NEW(training_online_wrong, hsp_training, run, uint64_t,
           training_count(run->online_error, run->online_rows))

GETTER(training_convergence, hsp_training, run, run->convergence.solver ? &run->convergence : NULL)

/* With more than two classes there are several sets of experts, and no figures of one. */
static const void *training_experts(const void *record, size_t i, void *room)
{
    hsp_experts_report *report = room;
    (void)i;
    *report = ((const hsp_training *)record)->experts;
    if (!report->count) return NULL;
    if (!report->several) return report;
    report->mistakes = UINT64_MAX;
    report->negated = report->held = -1;
    report->expected = report->deviation = report->best_mistakes = report->best_share =
        report->bound = (double)NAN;
    return report;
}

GETTER(training_evidence, hsp_training, run, run->evidence)

PUBLIC_FIELDS(
    hsp_training_fields, hsp_training, FIELD_GET(TEXT, ".limit", NULL, training_limit, NULL),
    FIELD_GET(TEXT, ".why_not", NULL, training_why_not, NULL),
    FIELD_GET(TEXT, ".done", NULL, training_done, NULL),
    FIELD_GET(REAL, ".limiting", NULL, training_limiting, NULL),
    FIELD_GET(COUNT, ".passes", NULL, training_passes, NULL),
    FIELD_GET(COUNT, ".updates", NULL, training_updates, NULL),
    FIELD_GET(COUNT, ".wrong", NULL, training_wrong, NULL),
    FIELD_GET(COUNT, ".online_wrong", NULL, training_online_wrong, NULL),
    FIELD(COUNT, ".online_rows", NULL, online_rows, NULL),
    FIELD(COUNT, "rows", NULL, rows, "training rows", .unit = "rows"),
    FIELD(COUNT, "features", NULL, cols, "columns", .unit = "columns"),
    FIELD(COUNT, "nonzeros", NULL, nonzeros, "entries other than 0"),
    FIELD(COUNT32, "classes", NULL, classes, "number of classes"),
    FIELD_GET(FLAG, "converged", "converged", training_converged,
              "the last pass changed nothing, the duality gap is within its target, or all passes "
              "of experts are made",
              .text = "{}[ (ended: {.limit})][: duality gap {gap}[ (target {.target})]{.note}[, "
                      "limited by rounding errors ({.limiting})]]"),
    FIELD_GET(TEXT, "stop", NULL, training_stop,
              "why the run ended: converged, stalled (no step got further, though passes were "
              "left), passes, updates, seconds, request or inseparable"),
    {.type = HSP_FIELD_PART,
     .of = hsp_convergence_fields,
     .get = training_convergence,
     .optional = 1,
     .meaning = "Learners that minimise an objective (svm, logistic, lp)"},
    FIELD_GET(COUNT, ".programs", "linear programs", training_programs, NULL,
              .text = "{.programs} (steps: {updates})"),
    FIELD(COUNT, "passes", "passes", passes, "passes over the rows (lp: linear programs solved)",
          .text = "{.passes}"),
    FIELD(COUNT, "updates", "updates", updates,
          "changes of the weights (solvers, linear programs: steps)",
          .text = "{.updates}[, {mistakes_last_pass} of them in the last pass]"),
    FIELD_GET(COUNT32, "parts", "parts", training_parts,
              "parts of the rows; each pass learns each of them on its own, and averages the "
              "separators",
              .when = "null unless rows on several processes were learned so",
              .text = "{}, each learned on its own, and averaged after every pass"),
    FIELD_GET(COUNT, "mistakes_last_pass", NULL, training_last_pass, "updates in the last pass",
              .when = "null for learners that minimise"),
    {.type = HSP_FIELD_PART,
     .of = hsp_experts_fields,
     .get = training_experts,
     .optional = 1,
     .meaning = "The learner experts"},
    FIELD(REAL, "radius", NULL, radius, "largest norm of a row, after the learner's scaling",
          .when = "null if not known"),
    FIELD(SHARE, "training_error", "training error", training_error,
          "share of the training rows that the model gets wrong",
          .when = "null for a stream, and if not computed",
          .text = "[{} ({.wrong} of {rows:row}[{.as_stored}])~not computed: {.why_not}]"),
    FIELD(SHARE, "online_error", "online error", online_error,
          "online (prequential) error: share of wrong predictions in the first pass, each made "
          "before learning from the row",
          .when = "null for learners that do not learn row by row",
          .text =
              "{} ({.online_wrong} of {.online_rows:row}, each predicted before learning from it)"),
    FIELD_GET(OBJECT, "evidence", NULL, training_evidence,
              "why no hyperplane separates the classes: multipliers with which the rows of the two "
              "sides have the same mean",
              .when = "absent unless stop is inseparable", .optional = 1,
              .of = hsp_evidence_fields),
    FIELD(SECONDS, "train_seconds", NULL, train_seconds,
          "time to learn (a stream: to read and learn)"))
