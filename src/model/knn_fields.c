/* What a model of nearest neighbours reports: the fields of hsp_knn_report. */
#include <math.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

GETTER(knn_fields_mistakes, hsp_knn_report, near, i < near->tried ? &near->mistakes[i] : NULL)

GETTER(knn_fields_tried, hsp_knn_report, near, near->tried ? &near->tried : NULL)

GETTER(knn_fields_chosen, hsp_knn_report, near, near->index_chosen ? "" : NULL)

GETTER(knn_fields_wrong, hsp_knn_report, near, near->tried ? &near->mistakes[near->k - 1] : NULL)

GETTER_NEW(knn_fields_error, hsp_knn_report, near, double,
           near->tried ? (double)near->mistakes[near->k - 1] / (double)near->rows : (double)NAN)

PUBLIC_FIELDS(hsp_knn_fields, hsp_knn_report,
              FIELD_GET(COUNT, ".tried", NULL, knn_fields_tried, NULL),
              FIELD_GET(TEXT, ".chosen", NULL, knn_fields_chosen, NULL),
              FIELD_GET(COUNT, ".wrong", NULL, knn_fields_wrong, NULL),
              FIELD(COUNT, "rows", NULL, rows, "rows that the model keeps: all training rows",
                    .unit = "rows"),
              FIELD(COUNT, "k", "neighbours", k, "neighbours that vote",
                    .text = "{}[, the best of 1 to {.tried}]"),
              FIELD(TEXT, "metric", "distance", metric, "the distance: l2, ..., or kernel",
                    .text = "[in the feature space of {kernel}~{}]"),
              FIELD(TEXT, "kernel", NULL, kernel, "the kernel in whose feature space it is",
                    .when = "null for other metrics"),
              FIELD(TEXT, "vote", "vote", vote, "majority, or distance: weighted by 1 / distance"),
              FIELD(TEXT, "index", "index", index, "how neighbours are found",
                    .text = "{}[{.chosen}, chosen by the number and kind of the rows]"),
              FIELD_GET(SHARE, NULL, "leave-one-out error", knn_fields_error, NULL,
                        .text = "{} ({.wrong} of {rows:row})"),
              FIELD_GET(LIST, "leave_one_out", NULL, knn_fields_mistakes,
                        "leave-one-out mistakes with 1, 2, ... neighbours", .unit = "rows",
                        .when = "null unless --k auto chose k", .of = hsp_field_counts))
