/* What measuring a model reports: the fields of hsp_evaluation. */
#include <math.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

#define POSITIVE .text = "{}[ (class {positive_class})]"
#define EMPTY    "null without rows"
#define RANKED   "null without rows of two classes, and for more than 2^28 class scores"
#define SCORES   "null without rows, and for votes, neighbours and one-vs-one models"

/* Counts that make sense where there are margins. */
GETTER(evaluation_beyond, hsp_evaluation, all, isnan(all->functional_margin) ? NULL : &all->beyond)

GETTER(evaluation_on, hsp_evaluation, all, isnan(all->functional_margin) ? NULL : &all->on)

GETTER(evaluation_within, hsp_evaluation, all, isnan(all->functional_margin) ? NULL : &all->within)

GETTER(evaluation_weight, hsp_evaluation, all, all->weight != (double)all->n ? &all->weight : NULL)

GETTER(evaluation_left_out, hsp_evaluation, all, all->left_out ? &all->left_out : NULL)

GETTER_NEW(evaluation_majority_accuracy, hsp_evaluation, all, double, 1 - all->majority_error)

PUBLIC_FIELDS(
    hsp_evaluation_fields, hsp_evaluation,
    FIELD_GET(COUNT, ".left_out", NULL, evaluation_left_out, NULL),
    FIELD(COUNT, "n", "rows", n, "rows measured", .unit = "rows"),
    FIELD_GET(REAL, ".weighted", "weight", evaluation_weight, NULL, .text = "{} in all"),
    FIELD(REAL, "weight", NULL, weight, "sum of the weights of the rows; without weights, n"),
    FIELD(COUNT, "left_out", "left out", left_out,
          "rows of classes that the model was told to leave out", .unit = "rows",
          .text = "{.left_out:row} of other classes"),
    FIELD(COUNT, "mistakes", "mistakes", mistakes, "rows predicted wrongly; a tie is a mistake",
          .unit = "rows"),
    FIELD(SHARE, "error", "error", error,
          "mistakes / n (0-1 loss); of weighted rows, the share of the weight", .when = EMPTY,
          .text = "{}[ (always predicting {majority_class}: {majority_error})]"),
    FIELD(SHARE, "accuracy", "accuracy", accuracy, "1 - error", .when = EMPTY,
          .text = "{}[ (always predicting {majority_class}: {.majority_accuracy})]"),
    FIELD(SHARE, "majority_error", NULL, majority_error,
          "error of predicting the most frequent class for all rows", .when = EMPTY),
    FIELD_GET(SHARE, ".majority_accuracy", NULL, evaluation_majority_accuracy, NULL),
    FIELD(SHARE, "balanced_accuracy", "balanced accuracy", balanced_accuracy,
          "mean of the recalls of the classes", .when = EMPTY),
    FIELD(SHARE, "precision", "precision", precision,
          "share of the rows predicted as the second class that are of it; more classes: mean over "
          "the classes",
          .when = "null if no row is predicted as the second class", POSITIVE),
    FIELD(SHARE, "recall", "recall", recall,
          "share of the rows of the second class that are predicted as it; more classes: mean over "
          "the classes",
          .when = "null without rows of the second class", POSITIVE),
    FIELD(REAL, "f1", "F1", f1,
          "harmonic mean of precision and recall of the second class; more classes: mean over the "
          "classes",
          .when = EMPTY, POSITIVE),
    FIELD(REAL, "mcc", "MCC", mcc,
          "Matthews' correlation coefficient of predictions and labels, from -1 to 1; 0 if either "
          "has one class only",
          .when = EMPTY),
    FIELD(REAL, "auc", "AUC", auc,
          "area under the ROC curve; ties count half; more classes: mean over the classes, each "
          "against the rest",
          .when = RANKED),
    FIELD(REAL, "average_precision", "average precision", average_precision,
          "sum over the thresholds of precision times the recall gained there; more classes: mean, "
          "each against the rest",
          .when = RANKED, POSITIVE),
    FIELD(REAL, "log_loss", "log loss", log_loss,
          "mean of -log p, p the probability of the row's class, at least 2^-52",
          .when = "null without rows or probabilities"),
    FIELD(REAL, "brier", "Brier score", brier,
          "mean of (p - y)^2, p the probability of the second class, y 0 or 1; more classes: of "
          "the sum over the classes",
          .when = "null without rows or probabilities"),
    FIELD(REAL, "calibration_error", "calibration error", calibration_error,
          "mean over the rows of |mean probability - share that is of the class| in their bin, one "
          "of ten of equal width; more classes: of the most probable class",
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
              .text = "{} beyond the margin, {on} on it, {within} within it or on the wrong side"),
    FIELD_GET(COUNT, "on", NULL, evaluation_on, "rows with y s = 1", .unit = "rows",
              .when = "null like functional_margin"),
    FIELD_GET(COUNT, "within", NULL, evaluation_within, "rows with y s < 1", .unit = "rows",
              .when = "null like functional_margin"),
    FIELD(COUNT, "ties", "ties", ties,
          "rows on the boundary, which get no class (train --tie zero)", .unit = "rows"))
