/* What a column of a table holds, judged by its cells: one profile per column, filled cell by cell.
 * The profile is a finding, not a decision: options say how a column is read. */
#ifndef HSP_DATA_COLUMN_PROFILE_H
#define HSP_DATA_COLUMN_PROFILE_H

#include "base/names.h"
#include "data/number_text.h"

/* Distinct values that are remembered, with their counts. */
#define HSP__PROFILE_VALUES 20000

typedef enum hsp__column_content {
    HSP__CONTENT_EMPTY, /* every cell is missing */
    HSP__CONTENT_CONSTANT,
    HSP__CONTENT_NUMBER,
    HSP__CONTENT_DATE,
    HSP__CONTENT_CATEGORY,
    HSP__CONTENT_ID,  /* every row has another value, which names the row */
    HSP__CONTENT_TEXT /* words in sentences */
} hsp__column_content;

typedef struct hsp__column_profile {
    uint64_t cells, missing; /* missing: of those, by any mark for it */
    hsp__names values;       /* the first HSP__PROFILE_VALUES distinct ones, in order */
    uint64_t *counts;        /* values.count: cells of each */
    uint64_t counts_room;
    uint64_t others;      /* cells whose value was not remembered */
    double least, most;   /* numbers among those others, in the format chosen when they began */
    uint64_t not_numbers; /* others that are none */
    hsp__number_format format;
    /* set by hsp__column_profile_finish: */
    hsp__column_content content;
    const char *date;     /* the pattern of a date column; NULL: none */
    double median;        /* number: of the remembered cells; least and most: of all */
    int integers;         /* number: all remembered values are whole numbers */
    uint64_t misfits;     /* number, date: cells that are none (and not missing) */
    uint32_t misfit;      /* the first such value; HSP__NAME_NONE: not remembered */
    uint32_t frequent[3]; /* the most frequent values, HSP__NAME_NONE: fewer */
    uint32_t marks[4];    /* marks for missing other than the empty cell, likewise */
    uint32_t alike[2];    /* category: two values that differ only in case or blanks, likewise */
} hsp__column_profile;

void hsp__column_profile_init(hsp__column_profile *profile, const hsp_allocator *memory);
void hsp__column_profile_free(hsp__column_profile *profile);

/* One more cell; 0: there is no memory. */
int hsp__column_profile_add(hsp__column_profile *profile, const char *text, size_t size);

/* Judge. 0: there is no memory. */
int hsp__column_profile_finish(hsp__column_profile *profile);

/* Is the text a mark for a missing value in any case: empty, NA, N/A, NaN, null, none, -, ?, #N/A, .? */
int hsp__profile_is_missing(const char *text, size_t size);

#endif
