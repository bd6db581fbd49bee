/* What measuring a model reports: the fields of hsp_evaluation. */
#include <math.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

#define EMPTY  "null without rows"
#define SCORES "null without rows, and for votes, neighbours and one-vs-one models"

/* Counts that make sense where there are margins. */
GETTER(evaluation_beyond, hsp_evaluation, all, isnan(all->functional_margin) ? NULL : &all->beyond)

GETTER(evaluation_on, hsp_evaluation, all, isnan(all->functional_margin) ? NULL : &all->on)

GETTER(evaluation_within, hsp_evaluation, all, isnan(all->functional_margin) ? NULL : &all->within)

GETTER(evaluation_left_out, hsp_evaluation, all, all->left_out ? &all->left_out : NULL)

PUBLIC_FIELDS(
    hsp_evaluation_fields, hsp_evaluation,
    FIELD_GET(COUNT, ".left_out", NULL, evaluation_left_out, NULL),
    FIELD(COUNT, "n", "rows", n, "rows measured", .unit = "rows"),
    FIELD(COUNT, "left_out", "left out", left_out,
          "rows of classes that the model was told to leave out", .unit = "rows",
          .text = "{.left_out:row} of other classes"),
    FIELD(COUNT, "mistakes", "mistakes", mistakes, "rows predicted wrongly; a tie is a mistake",
          .unit = "rows"),
    FIELD(SHARE, "error", "error", error, "mistakes / n (0-1 loss)", .when = EMPTY),
    FIELD(SHARE, "accuracy", "accuracy", accuracy, "1 - error", .when = EMPTY),
    FIELD(SHARE, "balanced_accuracy", "balanced accuracy", balanced_accuracy,
          "mean of the recalls of the classes", .when = EMPTY),
    FIELD(REAL, "auc", "AUC", auc, "area under the ROC curve; ties count half",
          .when = "null without rows of both classes, and with more than two classes"),
    FIELD(REAL, "log_loss", "log loss", log_loss,
          "mean of -log p, p the probability of the row's class, at least 2^-52",
          .when = "null without rows or probabilities"),
    FIELD(REAL, "brier", "Brier score", brier,
          "mean of (p - y)^2, p the probability of the second class, y 0 or 1; more classes: of "
          "the sum over the classes",
          .when = "null without rows or probabilities"),
    FIELD(REAL, "hinge_loss", "hinge loss", hinge_loss, "mean of max(0, 1 - y s)", .when = SCORES),
    FIELD(REAL, "functional_margin", "functional margin", functional_margin,
          "smallest y s; more classes: smallest score of the row's class minus the best other",
          .when = SCORES),
    FIELD(REAL, "geometric_margin", "geometric margin", geometric_margin,
          "functional_margin / ||w||",
          .when = "null like functional_margin, and with more than two classes or w = 0"),
    FIELD(REAL, "origin_distance", "boundary from origin", origin_distance,
          "-b / ||w||, the distance of the boundary from the origin",
          .when = "null like geometric_margin"),
    FIELD(REAL, "margin_distance", "margin boundaries", margin_distance,
          "1 / ||w||, the distance of the margin boundaries s = +-1 from the boundary",
          .when = "null like geometric_margin", .text = "{} from the boundary"),
    FIELD_GET(COUNT, "beyond", "rows and margins", evaluation_beyond, "rows with y s > 1",
              .unit = "rows", .when = "null like functional_margin",
              .text = "{} beyond the margin, {on} on it, {within} within it or misclassified"),
    FIELD_GET(COUNT, "on", NULL, evaluation_on, "rows with y s = 1", .unit = "rows",
              .when = "null like functional_margin"),
    FIELD_GET(COUNT, "within", NULL, evaluation_within, "rows with y s < 1", .unit = "rows",
              .when = "null like functional_margin"),
    FIELD(COUNT, "ties", "ties", ties,
          "rows on the boundary, which get no class (train --tie zero)", .unit = "rows"))
