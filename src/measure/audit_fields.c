/* What an audit reports of a theorem: the fields of hsp_mistake_bound. */
#include "halfspace_all.h"
#include "halfspace_fields.h"

GETTER(audit_fields_held, hsp_mistake_bound, bound, bound->applies ? &bound->held : NULL)
GETTER(audit_fields_why, hsp_mistake_bound, bound, bound->why)
GETTER(audit_fields_relation, hsp_mistake_bound, bound,
       !bound->applies ? NULL
       : bound->lower  ? ">="
                       : "<=")
GETTER(audit_fields_result, hsp_mistake_bound, bound,
       !bound->applies ? "does not apply"
       : bound->held   ? "held"
                       : "EXCEEDED")

PUBLIC_FIELDS(hsp_mistake_bound_fields, hsp_mistake_bound,
              FIELD(TEXT, "name", "theorem", name, "name of the theorem"),
              FIELD(TEXT, "formula", "formula", formula, "what it says"),
              FIELD(FLAG, "applies", NULL, applies, "its assumptions hold on this data"),
              FIELD(REAL, "observed", "observed", observed, "the left side, of the run",
                    .when = "null if it does not apply"),
              FIELD_GET(TEXT, NULL, "", audit_fields_relation, NULL),
              FIELD(REAL, "bound", "bound", bound, "the right side",
                    .when = "null if it does not apply"),
              FIELD_GET(TEXT, NULL, "result", audit_fields_result, NULL),
              FIELD(FLAG, "lower", NULL, lower, "observed must be at least the bound, not at most"),
              FIELD_GET(FLAG, "held", NULL, audit_fields_held, "the bound held",
                        .when = "null if it does not apply"),
              FIELD_GET(TEXT, "why", NULL, audit_fields_why,
                        "the figures, or the assumption that fails"))
