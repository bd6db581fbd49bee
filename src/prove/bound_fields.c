/* What bounds on the true error report: the fields of hsp_error_report, hsp_sample_size and
 * hsp_simulation. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

/* ---- Bounds on the error of a model ---- */

/* An assumption that bounds of a report make, with the first of these. */
typedef struct bound_fields_assumption {
    const hsp_error_report *all;
    const char *assumes;
    size_t first;
} bound_fields_assumption;

static const hsp_error_bound *bound_fields_nth(const hsp_error_report *all, size_t i, int applies)
{
    for (size_t b = 0; b < all->count; b++)
        if (!all->bounds[b].applies == !applies && i-- == 0) return &all->bounds[b];
    return NULL;
}

static int bound_fields_assumes(const hsp_error_bound *bound, const char *what)
{
    return bound->applies && strcmp(bound->assumes, what) == 0;
}

static const void *bound_fields_assumption_at(const void *record, size_t i, void *room)
{
    const hsp_error_report *all = record;
    bound_fields_assumption *one = room;
    for (size_t b = 0; b < all->count; b++) {
        *one = (bound_fields_assumption){all, all->bounds[b].assumes, b};
        int new = all->bounds[b].applies;
        for (size_t before = 0; before < b; before++)
            new &= !bound_fields_assumes(&all->bounds[before], one->assumes);
        if (new &&i-- == 0) return one;
    }
    return NULL;
}

/* "online, online-relative". */
static const void *bound_fields_names(const void *record, size_t i, void *room)
{
    const bound_fields_assumption *one = record;
    char *text = room;
    size_t size = 0;
    assert(bound_fields_assumes(&one->all->bounds[one->first], one->assumes));
    for (i = one->first; i < one->all->count && size < HSP_FIELD_ROOM; i++)
        if (bound_fields_assumes(&one->all->bounds[i], one->assumes))
            size += (size_t)snprintf(text + size, HSP_FIELD_ROOM - size, "%s%s", size ? ", " : "",
                                     one->all->bounds[i].name);
    return text;
}

GETTER(bound_fields_figures, hsp_error_bound, at, at->figures)
GETTER(bound_fields_vacuous, hsp_error_bound, at, at->vacuous ? "vacuous" : NULL)
GETTER(bound_fields_at, hsp_error_report, all, i < all->count ? &all->bounds[i] : NULL)
GETTER(bound_fields_applying, hsp_error_report, all, bound_fields_nth(all, i, 1))
GETTER(bound_fields_other, hsp_error_report, all, bound_fields_nth(all, i, 0))
GETTER(bound_fields_training, hsp_error_report, all,
       all->training_bound ? &all->training_upper : NULL)

FIELDS(bound_fields_assumption_fields, bound_fields_assumption,
       FIELD_GET(TEXT, ".names", NULL, bound_fields_names, NULL),
       FIELD(TEXT, NULL, "", assumes, NULL, .text = "{.names}: {}"))

FIELDS(bound_fields_figures_fields, hsp_error_bound, FIELD(TEXT, NULL, "", name, NULL),
       FIELD_GET(TEXT, NULL, "", bound_fields_figures, NULL))

FIELDS(bound_fields_one, hsp_error_bound, FIELD(TEXT, "name", "bound", name, "name of the bound"),
       FIELD(TEXT, "kind", "from", kind, "what it is computed from: test, training or estimate"),
       FIELD(UPPER_SHARE, "value", "at most", value, "the error is at most this",
             .when = "null if it does not apply"),
       FIELD(FLAG, "vacuous", NULL, vacuous, "it applies, and is 1 or more"),
       FIELD_GET(TEXT, NULL, "", bound_fields_vacuous, NULL),
       FIELD(TEXT, "about", "of", about, "whose error it bounds"),
       FIELD(TEXT, "formula", "formula", formula, "in symbols"),
       FIELD(TEXT, "assumes", NULL, assumes, "its assumptions, beyond independent rows"),
       FIELD(FLAG, "applies", NULL, applies, "its assumptions hold"),
       FIELD_GET(TEXT, "figures", NULL, bound_fields_figures,
                 "the figures, or why it does not apply"))

PUBLIC_FIELDS(
    hsp_error_report_fields, hsp_error_report,
    FIELD(REAL, "delta", NULL, delta, "probability with which a bound may fail"),
    FIELD(COUNT, "shared_rows", NULL, shared_rows, "test rows that are among the training rows",
          .unit = "rows"),
    FIELD(REAL, "true_error_least", NULL, test_lower,
          "by the test rows the true error is at least this, with confidence 1 - delta",
          .when = "null without test rows"),
    FIELD(REAL, "true_error_most", NULL, test_upper,
          "by the test rows it is at most this, with confidence 1 - delta",
          .when = "null without test rows"),
    FIELD_GET(REAL, "training_true_error_most", NULL, bound_fields_training,
              "by the training rows it is at most this, with confidence 1 - delta: the least of "
              "the bounds on this model, each at delta divided by their number",
              .when = "null if they say nothing"),
    FIELD(TEXT, "training_bound", NULL, training_bound, "the name of that bound",
          .when = "null if they say nothing"),
    FIELD(FLAG, "overfits", NULL, overfits,
          "true_error_least is above the error on the training rows"),
    FIELD_GET(LIST, "bounds", NULL, bound_fields_at, "the bounds", .of = bound_fields_one),
    FIELD_GET(LIST, NULL, "The true error, each bound on its own with confidence {.confidence}:",
              bound_fields_applying, NULL, .of = bound_fields_one),
    FIELD_GET(LIST, NULL, "What went in:", bound_fields_applying, NULL,
              .of = bound_fields_figures_fields),
    FIELD_GET(LIST, NULL, "What does not apply, and why:", bound_fields_other, NULL,
              .of = bound_fields_figures_fields),
    FIELD_GET(LIST, NULL,
              "Assumptions, in addition to rows drawn independently from one distribution:",
              bound_fields_assumption_at, NULL, .of = bound_fields_assumption_fields))

/* ---- Sample sizes ---- */

GETTER(bound_fields_hypotheses, hsp_sample_size, size, size->hypotheses)
GETTER(bound_fields_found_rows, hsp_sample_size, size, strcmp(size->solved, "rows") ? NULL : "")
GETTER(bound_fields_found_epsilon, hsp_sample_size, size,
       strcmp(size->solved, "epsilon") ? NULL : "")
GETTER(bound_fields_found_delta, hsp_sample_size, size, strcmp(size->solved, "delta") ? NULL : "")
GETTER(bound_fields_finite, hsp_sample_size, size, isnan(size->dimension) ? "" : NULL)
GETTER(bound_fields_growth, hsp_sample_size, size, isnan(size->dimension) ? NULL : "")
GETTER(bound_fields_useful, hsp_sample_size, size, size->vacuous ? NULL : "")
GETTER_NEW(bound_fields_rows, hsp_sample_size, size, uint64_t,
           isfinite(size->rows) ? (uint64_t)size->rows : UINT64_MAX)
GETTER_NEW(bound_fields_closed, hsp_sample_size, size, uint64_t,
           size->closed_rows < 0x1p63 ? (uint64_t)size->closed_rows : UINT64_MAX)

PUBLIC_FIELDS(
    hsp_sample_size_fields, hsp_sample_size,
    FIELD_GET(COUNT, ".rows", NULL, bound_fields_rows, NULL),
    FIELD_GET(COUNT, ".closed", NULL, bound_fields_closed, NULL),
    FIELD_GET(TEXT, ".found_rows", NULL, bound_fields_found_rows, NULL),
    FIELD_GET(TEXT, ".found_epsilon", NULL, bound_fields_found_epsilon, NULL),
    FIELD_GET(TEXT, ".found_delta", NULL, bound_fields_found_delta, NULL),
    FIELD_GET(TEXT, ".finite", NULL, bound_fields_finite, NULL),
    FIELD_GET(TEXT, ".growth", NULL, bound_fields_growth, NULL),
    FIELD_GET(TEXT, ".useful", NULL, bound_fields_useful, NULL),
    FIELD_GET(TEXT, "hypotheses", NULL, bound_fields_hypotheses, "the class of hypotheses"),
    FIELD(TEXT, "solved", NULL, solved, "what was found: rows, epsilon or delta"),
    FIELD(REAL, "rows", "rows", rows, "rows, as given or found", .unit = "rows",
          .when = "null beyond 2^53", .text = "[{.rows}~more than 2^53][{.found_rows}   (found)]"),
    FIELD(UPPER, "epsilon", "epsilon", epsilon, "epsilon, as given or found",
          .when = "null if there is none", .text = "{}[{.found_epsilon}   (found)]"),
    FIELD(UPPER, "delta", "delta", delta, "probability with which it may fail",
          .when = "null if there is none", .text = "{}[{.found_delta}   (found)]"),
    FIELD(FLAG, "vacuous", NULL, vacuous, "what was found says nothing"),
    FIELD(TEXT, "formula", "formula", formula, "what was solved"),
    FIELD(REAL, "log_count", "ln |H|", log_count, "ln |H|, or ln of the growth function at 2 rows",
          .when = "null if infinite", .text = "{.finite}{}"),
    {.type = HSP_FIELD_TEXT, .label = "ln Pi(2n)", .text = "{.growth}{log_count}"},
    FIELD(REAL, "vc_dimension", NULL, dimension, "VC dimension", .when = "null for a finite class"),
    FIELD(TEXT, "theorem", "theorem", theorem, "the theorem"),
    FIELD(REAL, "closed_rows", "closed form", closed_rows, "rows by the closed formula",
          .unit = "rows", .when = "null unless solved for rows by VC dimension, without mistakes",
          .text = "{.closed} = max((4/eps) log2(2/delta), (8d/eps) log2(13/eps)), in the same "
                  "paper"),
    FIELD(TEXT, "says", NULL, says, "what it promises"))

/* ---- Simulations ---- */

/* The share of its trials in which a bound failed. */
static double bound_fields_failed(const hsp_trial_bound *at)
{
    assert(at->failed <= at->applied);
    return isnan(at->chance) ? (double)NAN : (double)at->failed / (double)at->applied;
}

static double bound_fields_worst(const hsp_simulation *made)
{
    double worst = 0;
    assert(!made->count || made->bounds);
    for (size_t i = 0; i < made->count; i++)
        worst = fmax(worst, bound_fields_failed(&made->bounds[i]));
    return worst;
}

GETTER(bound_fields_trial_at, hsp_simulation, made, i < made->count ? &made->bounds[i] : NULL)
GETTER(bound_fields_luck, hsp_simulation, made, made->held ? "" : NULL)
GETTER_NEW(bound_fields_most, hsp_simulation, made, double, bound_fields_worst(made))
GETTER_NEW(bound_fields_failures, hsp_trial_bound, at, double, bound_fields_failed(at))
GETTER(bound_fields_counted, hsp_trial_bound, at, isnan(at->chance) ? NULL : "")
GETTER(bound_fields_of, hsp_trial_bound, at, at->applied ? at->about.about : at->about.figures)

FIELDS(bound_fields_trial, hsp_trial_bound,
       FIELD_GET(TEXT, ".counted", NULL, bound_fields_counted, NULL),
       FIELD(TEXT, "name", "bound", about.name, "name of the bound"),
       FIELD(TEXT, "kind", NULL, about.kind, "what it is computed from"),
       FIELD(TEXT, "about", NULL, about.about, "whose error it bounds"),
       FIELD(COUNT, "applied", "trials", applied, "trials that it applied to", .unit = "trials"),
       FIELD(COUNT, "vacuous", "vacuous", vacuous, "trials in which it was 1 or more",
             .unit = "trials"),
       FIELD(COUNT, "failed", "failed", failed, "trials in which the true error was above it",
             .unit = "trials", .text = "{.counted}{}"),
       FIELD_GET(SHARE, NULL, "share", bound_fields_failures, NULL),
       FIELD(SHARE, "mean_value", "mean bound", mean_value,
             "mean of the bound, at most 1 per trial", .when = "null if it never applied"),
       FIELD(SHARE, "mean_error", "mean error", mean_error,
             "mean of the true errors compared with it", .when = "null if it never applied"),
       FIELD(REAL, "chance", NULL, chance,
             "probability of this many failures if each trial fails with probability delta",
             .when = "null for estimates, and if it never applied"),
       FIELD_GET(TEXT, NULL, "of", bound_fields_of, NULL))

PUBLIC_FIELDS(hsp_simulation_fields, hsp_simulation,
              FIELD_GET(TEXT, ".luck", NULL, bound_fields_luck, NULL),
              FIELD_GET(REAL, ".worst", NULL, bound_fields_most, NULL),
              FIELD(COUNT, "trials", NULL, trials, "trials", .unit = "trials"),
              FIELD(COUNT, "rows", NULL, rows, "training rows per trial", .unit = "rows"),
              FIELD(COUNT, "test_rows", NULL, test_rows, "test rows per trial", .unit = "rows"),
              FIELD(REAL, "delta", NULL, delta, "probability with which a bound may fail"),
              FIELD(SHARE, "mean_training_error", NULL, mean_train_error, "mean training error"),
              FIELD(SHARE, "mean_true_error", NULL, mean_true_error, "mean true error"),
              FIELD(SHARE, "best_error", NULL, best_error,
                    "true error of the halfspace that labels the rows"),
              FIELD(FLAG, "held", NULL, held, "no bound failed more often than chance explains"),
              FIELD_GET(LIST, "bounds", "", bound_fields_trial_at, "the bounds",
                        .of = bound_fields_trial))
