/* What cross-validation reports: the fields of hsp_held_out and hsp_fold. */
#include "halfspace_all.h"
#include "halfspace_fields.h"

GETTER_NEW(validation_converged, hsp_held_out, all, uint32_t,
           all->folds - all->unconverged - all->inseparable)
GETTER(validation_inseparable, hsp_held_out, all, all->inseparable ? &all->inseparable : NULL)

PUBLIC_FIELDS(
    hsp_held_out_fields, hsp_held_out,
    FIELD_GET(COUNT32, ".converged", NULL, validation_converged, NULL),
    FIELD_GET(COUNT32, ".inseparable", NULL, validation_inseparable, NULL),
    FIELD(COUNT, "rows", NULL, rows, "rows predicted, over all folds", .unit = "rows"),
    FIELD(COUNT32, "folds", NULL, folds, "number of folds"),
    FIELD(SHARE, "error", "error", error, "mean of the errors of the folds",
          .text = "{} +- {standard_error} ({mistakes} of {rows:row})"),
    FIELD(SHARE, "standard_error", NULL, standard_error, "standard error of that mean"),
    FIELD(COUNT, "mistakes", NULL, mistakes, "rows predicted wrongly; a tie is a mistake",
          .unit = "rows"),
    FIELD(COUNT, "ties", "ties", ties, "rows on the boundary", .unit = "rows"),
    FIELD(COUNT32, "unconverged", "converged", unconverged,
          "folds whose training ended before it converged", .unit = "folds",
          .text = "in {.converged} of {folds:fold}"),
    FIELD(COUNT32, "inseparable", "no separator", inseparable,
          "folds without a model, since no separator was found: all their rows are mistakes",
          .unit = "folds", .text = "found in {.inseparable} of {folds:fold}"))

GETTER(validation_stop, hsp_fold, fold, hsp_stop_name(fold->stop))

PUBLIC_FIELDS(hsp_fold_fields, hsp_fold,
              FIELD(COUNT, "rows", "rows", rows, "rows held out", .unit = "rows"),
              FIELD(COUNT, "mistakes", "mistakes", mistakes, "rows predicted wrongly",
                    .unit = "rows"),
              FIELD(COUNT, "ties", NULL, ties, "rows on the boundary", .unit = "rows"),
              FIELD(SHARE, "error", "error", error, "mistakes / rows"),
              FIELD_GET(TEXT, "stop", "training ended", validation_stop, "why training ended"))
