/* What cross-validation reports: the fields of hsp_held_out and hsp_fold. */
#include <math.h>
#include <string.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

GETTER_NEW(validation_converged, hsp_held_out, all, uint32_t,
           all->folds - all->unconverged - all->inseparable - all->unfinished)
GETTER(validation_unfinished, hsp_held_out, all, all->unfinished ? &all->unfinished : NULL)
GETTER(validation_inseparable, hsp_held_out, all, all->inseparable ? &all->inseparable : NULL)

/* Texts: a share is shown in percent; the score that is the error, as every row counts the same, is
 * said already. */
static int validation_is_error(const hsp_held_out *all)
{
    return strcmp(all->score_name, "error") == 0;
}
GETTER(validation_share, hsp_held_out, all, validation_is_error(all) ? &all->score : NULL)
GETTER(validation_spread, hsp_held_out, all,
       validation_is_error(all) ? &all->score_standard_error : NULL)
GETTER(validation_majority, hsp_held_out, all, validation_is_error(all) ? &all->majority : NULL)
GETTER(validation_said, hsp_held_out, all,
       !validation_is_error(all)               ? all->score_name
       : fabs(all->score - all->error) < 1e-12 ? NULL
                                               : "weighted error")
GETTER(validation_undefined, hsp_held_out, all, all->undefined ? &all->undefined : NULL)

PUBLIC_FIELDS(
    hsp_held_out_fields, hsp_held_out,
    FIELD_GET(COUNT32, ".converged", NULL, validation_converged, NULL),
    FIELD_GET(COUNT32, ".inseparable", NULL, validation_inseparable, NULL),
    FIELD_GET(COUNT32, ".unfinished", NULL, validation_unfinished, NULL),
    FIELD_GET(SHARE, ".share", NULL, validation_share, NULL),
    FIELD_GET(SHARE, ".spread", NULL, validation_spread, NULL),
    FIELD_GET(SHARE, ".majority", NULL, validation_majority, NULL),
    FIELD_GET(TEXT, ".score", NULL, validation_said, NULL),
    FIELD_GET(COUNT32, ".undefined", NULL, validation_undefined, NULL),
    FIELD(COUNT, "rows", NULL, rows, "rows predicted, over all folds", .unit = "rows"),
    FIELD(COUNT32, "folds", NULL, folds, "number of folds"),
    FIELD(SHARE, "error", "error", error, "mean of the errors of the folds",
          .text = "{} +- {standard_error} ({mistakes} of {rows:row})"),
    FIELD(SHARE, "standard_error", NULL, standard_error, "standard error of that mean"),
    FIELD(TEXT, "score_name", NULL, score_name, "what is measured: the option --score"),
    FIELD(REAL, "score", "score", score,
          "mean of that score over the folds; rows count by their weights",
          .text = "{.score} [{.share} +- {.spread}~{} +- {score_standard_error}~{}~undefined]"
                  "[, undefined in {.undefined:fold}]",
          .when = "null if it is not defined in any fold"),
    FIELD(REAL, "score_standard_error", NULL, score_standard_error, "standard error of that mean",
          .when = "null with fewer than two folds"),
    FIELD(REAL, "majority", "majority class", majority,
          "the score of predicting the most frequent class always, the mean over the folds",
          .text = "{score_name} [{.majority}~{}]", .when = "null if it is not defined"),
    FIELD(COUNT32, "undefined", NULL, undefined, "folds in which the score is not defined",
          .unit = "folds"),
    FIELD(COUNT, "mistakes", NULL, mistakes, "rows predicted wrongly; a tie is a mistake",
          .unit = "rows"),
    FIELD(COUNT, "ties", "ties", ties, "rows on the boundary", .unit = "rows"),
    FIELD(COUNT32, "unconverged", "converged", unconverged,
          "folds whose training ended before it converged", .unit = "folds",
          .text = "in {.converged} of {folds:fold}"),
    FIELD(COUNT32, "inseparable", "no separator", inseparable,
          "folds without a model, since no separator was found: all their rows are mistakes",
          .unit = "folds", .text = "found in {.inseparable} of {folds:fold}"),
    FIELD(COUNT32, "unfinished", "not finished", unfinished,
          "folds that were not finished when the search was ended: no figure has them",
          .unit = "folds", .text = "{.unfinished} of {folds:fold}"))

GETTER(validation_stop, hsp_fold, fold, fold->rows ? hsp_stop_name(fold->stop) : "not finished")

PUBLIC_FIELDS(hsp_fold_fields, hsp_fold,
              FIELD(COUNT, "rows", "rows", rows, "rows held out", .unit = "rows"),
              FIELD(COUNT, "mistakes", "mistakes", mistakes, "rows predicted wrongly",
                    .unit = "rows"),
              FIELD(COUNT, "ties", NULL, ties, "rows on the boundary", .unit = "rows"),
              FIELD(SHARE, "error", "error", error, "mistakes / rows"),
              FIELD(REAL, "score", "{.score}", score, "the score that was asked for",
                    .when = "null if it is not defined"),
              FIELD(REAL, "majority", NULL, majority,
                    "the score of predicting their most frequent class always",
                    .when = "null if it is not defined"),
              FIELD_GET(TEXT, "stop", "training ended", validation_stop, "why training ended"))
