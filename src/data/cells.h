/* How the cells of a table are read: which texts mark a missing value, and how numbers are written.
 * Part of an encoding. */
#ifndef HSP_DATA_CELLS_H
#define HSP_DATA_CELLS_H

#include "base/names.h"
#include "base/text.h"
#include "data/number_text.h"

#define HSP__MARK_BYTES 64 /* of a mark, at most */

typedef struct hsp__cell_rules {
    hsp__number_format number;
    hsp__names marks; /* of missing values, besides those that are known; lower case */
    int ignore_case;  /* labels and categorical values are read in lower case (hsp__fold_case) */
} hsp__cell_rules;

void hsp__cell_rules_init(hsp__cell_rules *rules, const hsp_allocator *memory);
void hsp__cell_rules_free(hsp__cell_rules *rules);
int hsp__cell_rules_copy(hsp__cell_rules *to, const hsp__cell_rules *from);

/* What the read options say, on top of what is there. */
hsp_status hsp__cell_rules_set(hsp__cell_rules *rules, const hsp_options *options, hsp_error *err);

/* Add a mark; 0 when there is no memory. */
int hsp__cell_rules_mark(hsp__cell_rules *rules, const char *text, size_t size);

/* Are numbers written as usual, 1234.5? */
int hsp__cell_rules_plain(const hsp__cell_rules *rules);

/* Is one of the marks a number, such as -999? */
int hsp__cell_rules_numeric_marks(const hsp__cell_rules *rules);

/* Does a text stand for a missing value? */
typedef enum hsp__mark {
    HSP__MARK_NONE,    /* no */
    HSP__MARK_NUMBERS, /* among numbers and dates: none, -, --, . */
    HSP__MARK_USUAL,   /* in features, unless it is a value that the column is known to have: N/A,
                          #N/A, null */
    HSP__MARK_GIVEN,   /* likewise, also in labels: those that the options add */
    HSP__MARK_ALWAYS   /* empty, ?, NA, NaN */
} hsp__mark;

hsp__mark hsp__cell_look(const hsp__cell_rules *rules, const char *text, size_t size);
static inline hsp__mark hsp__cell_mark(const hsp__cell_rules *rules, const char *text, size_t size)
{
    const char c = size ? *text : '?'; /* of nearly all texts, enough to say no */
    if (!rules->marks.count && (size > 4 || (c != '?' && c != 'n' && c != 'N' && c != '-' &&
                                             c != '+' && c != '#' && c != '.')))
        return HSP__MARK_NONE;
    return hsp__cell_look(rules, text, size);
}

/* The number as plain decimal digits, exactly the same, into `plain`, with 8 more bytes that can be
 * read; how many. 0: it is no number. Out of memory is plain->failed. */
size_t hsp__cell_number(const hsp__cell_rules *rules, const char *text, size_t size,
                        hsp__text *plain);

/* Lower case in place: of UTF-8 text, the letters of ASCII, Latin-1, Latin Extended, Greek and
 * Cyrillic, by a fixed table and not by the locale. Letters whose lower case has another length in
 * UTF-8 stay (U+0130); a final sigma becomes the other one, as its capital does. Bytes that are not
 * such letters stay. */
void hsp__fold_case(char *text, size_t size);

/* The next item of a comma list, with quotes as in CSV, into `item`; *at goes behind it. 0: there is
 * none. Begin with *at at the list; at the end *at is NULL. */
int hsp__comma_next(const char **at, hsp__text *item);

#endif
