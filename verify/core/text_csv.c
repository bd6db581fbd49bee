/* Plain tables: one record per line, fields between separators, no quotes. (verify/csv.c reads all
 * that docs/csv.md has.) */
#include <string.h>

#include "core.h"

/* One field, without the blanks around it. */
static void csv_field(hsv_checker *c, hsv_table *t, const hsv_field *f, const char *p,
                      const char *end)
{
    long exponent;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (p < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const size_t size = (size_t)(end - p);
    if (f->kind == HSV_IGNORED) return;
    if (hsv_missing(p, size)) hsv_bad_line(c, t, "a value or a label is missing");
    if (f->kind == HSV_LABEL)
        hsv_row_label(c, t, p, size);
    else if (hsv_decimal(p, size, *t->work, &exponent))
        hsv_row_add(c, t, f->column, *t->work, exponent);
    else
        hsv_bad_line(c, t, "a field that should be a number is not");
}

int hsv_csv_next(hsv_checker *c, hsv_table *t)
{
    int names = !t->number && t->header;
    if (t->separator == ' ') hsv_beyond(c, "fields between spaces");
    while (hsv_line(t)) {
        const char *p = t->line, *end = t->line_end;
        size_t k = 0;
        if (p < end && end[-1] == '\r') end--;
        if (memchr(p, '"', (size_t)(end - p))) hsv_beyond(c, "quotes");
        if (memchr(p, '\r', (size_t)(end - p)))
            hsv_bad_line(c, t, "a carriage return inside a line");
        while (p < end && (*p == ' ' || *p == '\t') && *p != t->separator)
            p++;
        if (p == end) continue; /* a blank line */
        for (const char *stop = p; stop; p = stop + 1) {
            stop = memchr(p, t->separator, (size_t)(end - p));
            if (k == t->field_count) hsv_bad_line(c, t, "more fields than there should be");
            if (!names) csv_field(c, t, t->fields + k, p, stop ? stop : end);
            k++;
            if (!stop) break;
        }
        if (k != t->field_count) hsv_bad_line(c, t, "fewer fields than there should be");
        if (!names) return 1;
        names = 0;
    }
    return 0;
}
