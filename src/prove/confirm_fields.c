/* What confirming a separator reports: the fields of hsp_confirmation. */
#include "halfspace_all.h"
#include "halfspace_fields.h"

static const void *confirm_answer(const void *record, size_t i, void *room)
{
    static const char *const answers[] = {"unknown", "separates", "separable", "not separable"};
    (void)i, (void)room;
    return answers[((const hsp_confirmation *)record)->answer];
}

static const void *confirm_numbers(const void *record, size_t i, void *room)
{
    const hsp_confirmation *found = record;
    (void)i, (void)room;
    if (found->answer == HSP_SEPARABILITY_UNKNOWN && found->row == UINT64_MAX) return NULL;
    return found->decimals ? "decimals" : "stored";
}

GETTER_NEW(confirm_row, hsp_confirmation, found, uint64_t,
           found->row == UINT64_MAX ? UINT64_MAX : found->row + 1)

GETTER(confirm_why, hsp_confirmation, found, found->why[0] ? found->why : NULL)

PUBLIC_FIELDS(
    hsp_confirmation_fields, hsp_confirmation,
    FIELD_GET(TEXT, "answer", NULL, confirm_answer,
              "in exact arithmetic: separates (the model does), separable (the model does not "
              "separate the rows, another hyperplane does), not separable, or unknown"),
    FIELD(TEXT, "class", NULL, of, "with more than two classes, the class that the answer is about",
          .when = "null if it is about all binary problems"),
    FIELD(TEXT, "against", NULL, against, "the class that it is compared with",
          .when = "null like class, and for the rest"),
    FIELD_GET(TEXT, "numbers", NULL, confirm_numbers,
              "what was compared: the decimals of the file, or values as stored",
              .when = "null if nothing was"),
    FIELD_GET(COUNT, "row", NULL, confirm_row,
              "number, from 1, of the first row that the model does not have strictly on its side",
              .when = "null if there is none, or if not known"),
    FIELD(COUNT, "wrong_rows", NULL, wrong_rows, "number of such rows", .unit = "rows"),
    FIELD(REAL, "margin", NULL, margin, "a separator has at least this margin",
          .when = "null unless answer is separable"),
    FIELD_GET(TEXT, "why", NULL, confirm_why, "why the answer is unknown",
              .when = "null if it is known"))
