/* Writing HTML: text that is escaped, numbers for people, tables from tables of fields. */
#ifndef HSP_SHOW_HTML_H
#define HSP_SHOW_HTML_H

#include "base/text.h"

/* Append `format`, in which each %s stands for a text that is escaped (there are no other
 * conversions; %.40s: at most 40 characters, "…" where there are more): control characters, bytes
 * that are not UTF-8 and what HTML forbids become U+FFFD. */
void hsp__html(hsp__text *html, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number for people, as text: use it within the expression that made it. */
typedef struct hsp__shown {
    char text[48];
} hsp__shown;
hsp__shown hsp__shown_count(uint64_t count); /* 1,234,567 */
hsp__shown hsp__shown_number(double value);  /* five digits at most */
hsp__shown hsp__shown_digits(double value, int digits);
hsp__shown hsp__shown_level(double share);     /* 95%, 99.9% */
hsp__shown hsp__shown_share(double share);     /* 33.3%; neither 0% nor 100% unless it is so */
hsp__shown hsp__shown_most(double share);      /* 33.34%, rounded up */
hsp__shown hsp__shown_least(double share);     /* 33.33%, rounded down */
hsp__shown hsp__shown_bytes(uint64_t bytes);   /* 1.2 MB */
hsp__shown hsp__shown_length(double fraction); /* of CSS, from 0% to 100% */

/* "row", "rows". */
const char *hsp__html_plural(uint64_t count, const char *one, const char *many);

/* Append the value of a field for people; 0: it is null, and nothing was appended. */
int hsp__html_value(hsp__text *html, const hsp_field *field, const void *record);

/* The field of that name in a table or in its parts, and its record in *at (a part that is made in
 * `room`); NULL: there is none. */
const hsp_field *hsp__html_field(const hsp_field *fields, const void *record, const char *name,
                                 const void **at, void *room);

/* Append a row of a table, "label value meaning", for each of these fields that is not null; the
 * names end with NULL. Returns the number of rows. */
size_t hsp__html_rows(hsp__text *html, const hsp_field *fields, const void *record,
                      const char *const *names);

/* The label of a field, or its name with blanks, escaped. */
void hsp__html_label(hsp__text *html, const hsp_field *field);

/* Append a command in a block of code. Arguments of a command that are not plain words are put in
 * quotes as a shell wants them: hsp__html_argument. */
void hsp__html_argument(hsp__text *text, const char *argument);

#endif
