/* What a summary of a data set reports: the fields of hsp_totals. */
#include "halfspace_all.h"
#include "halfspace_fields.h"

GETTER_NEW(summary_fields_expected, hsp_totals, all, uint64_t,
           (uint64_t)(all->class_runs_expected + 0.5))
GETTER(summary_fields_rounded, hsp_totals, all, all->exact ? NULL : "")

FIELDS(summary_fields_norms, hsp_totals, FIELD(REAL, "min", NULL, norm_min, "smallest"),
       FIELD(REAL, "mean", NULL, norm_mean, "mean"), FIELD(REAL, "max", NULL, norm_max, "largest"))

PUBLIC_FIELDS(
    hsp_totals_fields, hsp_totals,
    FIELD_GET(COUNT, ".expected", NULL, summary_fields_expected, NULL),
    FIELD_GET(TEXT, ".rounded", NULL, summary_fields_rounded, NULL),
    FIELD(SHARE, "density", NULL, density, "share of the entries that are not 0"),
    FIELD(OBJECT, "norms", "row norms", rows, "Euclidean norms of the rows",
          .of = summary_fields_norms, .text = "from {min} to {max}, mean {mean}"),
    FIELD(COUNT, "empty_rows", "rows of zeros", empty_rows, "rows of zeros", .unit = "rows"),
    FIELD(COUNT, "duplicate_rows", "duplicate rows", duplicate_rows, "rows equal to an earlier row",
          .unit = "rows"),
    FIELD(COUNT, "contradictory_rows", "contradictory rows", contradictory_rows,
          "rows equal to a row of another class", .unit = "rows"),
    FIELD(COUNT, "empty_columns", "columns of zeros", empty_columns, "columns of zeros",
          .unit = "columns"),
    FIELD(COUNT, "constant_columns", "constant columns", constant_columns,
          "columns of one other value", .unit = "columns"),
    FIELD(COUNT, "duplicate_columns", "duplicate columns", duplicate_columns,
          "columns equal to an earlier one", .unit = "columns"),
    FIELD(FLAG, "exact", NULL, exact,
          "equal, constant and zero refer to the decimals of the file; false: of values "
          "rounded to the precision in memory"),
    FIELD(COUNT, "class_runs", "order of classes", class_runs,
          "runs of one class in the order of the file",
          .text = "{.several}{} runs of one class; {.expected} expected in a random order"),
    FIELD(REAL, "class_runs_expected", NULL, class_runs_expected,
          "their mean number in a random order"))
