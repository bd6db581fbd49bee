/* The numbers of a figure, as a table of fields. */
#include "halfspace_fields.h"
#include "show/figure.h"

static const char *const fields_kinds[] = {"points", "line", "polygon", "cells",
                                           "arrow",  "text", "bars",    "rule"};

/* The i-th of a list. */
#define FIELDS_NTH(type, function, record_type, head)                     \
    static const void *function(const void *record, size_t i, void *room) \
    {                                                                     \
        const type *one = ((const record_type *)record)->head;            \
        (void)room;                                                       \
        for (; one && i; i--)                                             \
            one = one->next;                                              \
        return one;                                                       \
    }

FIELDS_NTH(hsp__panel, fields_panel, hsp_figure, first)

/* Marks of large panels are walked through in order: the list remembers nothing, so each is found
 * from the beginning; there are dozens, not thousands. */
FIELDS_NTH(hsp__figure_mark, fields_mark, hsp__panel, first)

GETTER(fields_kind, hsp__figure_mark, mark, fields_kinds[mark->kind])
GETTER_NEW(fields_class, hsp__figure_mark, mark, uint64_t,
           mark->style.color < HSP__CLASS_FIRST
               ? UINT64_MAX
               : (uint64_t)(mark->style.color - HSP__CLASS_FIRST) / 2)
GETTER(fields_x, hsp__figure_mark, mark, i < mark->count ? &mark->x[i] : NULL)
GETTER(fields_y, hsp__figure_mark, mark, i < mark->count ? &mark->y[i] : NULL)
GETTER(fields_value, hsp__figure_mark, mark,
       mark->kind == HSP__MARK_CELLS && i < (size_t)mark->nx * mark->ny ? &mark->values[i]
       : mark->kind == HSP__MARK_RULE && i < 3                          ? &mark->values[i]
                                                                        : NULL)
GETTER(fields_category, hsp__axis, axis, i < axis->category_count ? axis->categories[i] : NULL)

/* Numbers, and null. */
static const hsp_field *fields_places(void)
{
    static const hsp_field item[] = {{.type = HSP_FIELD_REAL, .when = "null between two parts"},
                                     {.type = HSP_FIELD_END}};
    return item;
}

FIELDS(fields_axis, hsp__axis,
       FIELD(TEXT, "label", NULL, label, "its label", .when = "null if it has none"),
       FIELD(REAL, "low", NULL, low, "where it begins"),
       FIELD(REAL, "high", NULL, high, "where it ends"),
       FIELD(FLAG, "log", NULL, log, "is it logarithmic?"),
       FIELD_GET(LIST, "categories", NULL, fields_category,
                 "names of the places 0, 1, ...; none on an axis of numbers",
                 .of = hsp_field_texts))

FIELDS(fields_of_mark, hsp__figure_mark,
       FIELD_GET(TEXT, "kind", NULL, fields_kind,
                 "points, line, polygon, cells, arrow, text, bars or rule"),
       FIELD(TEXT, "name", NULL, style.name, "its name in the legend",
             .when = "null if it is not there"),
       FIELD(TEXT, "text", NULL, text, "the text", .when = "null for other marks"),
       FIELD_GET(COUNT, "class", NULL, fields_class,
                 "number, from 0, of the class (or of the curve) whose colour it has",
                 .when = "null for other colours"),
       FIELD_GET(LIST, "x", NULL, fields_x,
                 "places on the horizontal axis; null between two parts of a line",
                 .of = fields_places),
       FIELD_GET(LIST, "y", NULL, fields_y, "places on the vertical axis", .of = fields_places),
       FIELD_GET(LIST, "values", NULL, fields_value,
                 "of cells, row by row from the lower left; of a rule a x + b y = c: a, b, c",
                 .of = fields_places))

FIELDS(fields_of_panel, hsp__panel,
       FIELD(TEXT, "title", NULL, title, "its title", .when = "null if it has none"),
       FIELD(OBJECT, "x", NULL, x, "the axis from left to right", .of = fields_axis),
       FIELD(OBJECT, "y", NULL, y, "the axis upwards", .of = fields_axis),
       FIELD_GET(LIST, "marks", NULL, fields_mark, "what is drawn, in this order",
                 .of = fields_of_mark))

PUBLIC_FIELDS(hsp_figure_fields, hsp_figure, FIELD(TEXT, "kind", NULL, kind, "the kind of plot"),
              FIELD(TEXT, "title", NULL, title, "its title", .when = "null if it has none"),
              FIELD(TEXT, "note", NULL, note, "the line below it", .when = "null if there is none"),
              FIELD_GET(LIST, "panels", NULL, fields_panel, "its panels", .of = fields_of_panel))
