/* What a column of a table holds, judged by its cells: one profile per column, filled cell by cell.
 * The profile is a finding, not a decision: options say how a column is read. */
#ifndef HSP_DATA_COLUMN_PROFILE_H
#define HSP_DATA_COLUMN_PROFILE_H

#include "base/names.h"
#include "data/cells.h"

/* Distinct values that are remembered at most, with their counts. */
#define HSP__PROFILE_VALUES 20000

typedef enum hsp__column_content {
    HSP__CONTENT_EMPTY, /* every cell is missing */
    HSP__CONTENT_CONSTANT,
    HSP__CONTENT_NUMBER,
    HSP__CONTENT_DATE,
    HSP__CONTENT_CATEGORY,
    HSP__CONTENT_ID,  /* nearly every row has another value, which names the row */
    HSP__CONTENT_TEXT /* words in sentences */
} hsp__column_content;

typedef struct hsp__column_profile {
    const hsp__cell_rules *rules; /* which texts mark a missing value */
    uint64_t cells;
    uint64_t marks[HSP__MARK_ALWAYS + 1]; /* cells by their hsp__mark */
    uint32_t most_values;                 /* that are remembered */
    int decimal_comma;                    /* 1,234 is more likely 1.234 than 1234 */
    hsp__names values; /* the first distinct ones, in order; of long ones the beginning */
    uint64_t *counts;  /* values.count: cells of each */
    uint64_t counts_room;
    uint64_t others;    /* cells whose value was not remembered */
    double least, most; /* of the numbers or dates (as days since 1970-01-01) among those others */
    uint64_t not_numbers; /* others that are neither numbers nor dates */
    double *sample;       /* every `stride`-th number or date among the others */
    uint64_t sample_room, sampled, stride;
    uint32_t digit_value; /* the first that ends in a digit, and its line; 0: none */
    uint64_t digit_line;
    hsp__number_format format;
    const char *date; /* the pattern of a date column; NULL: none */
    /* set by hsp__column_profile_finish: */
    int unique;                 /* hardly a value comes again, in many rows */
    hsp__mark mark;             /* the least that is a missing value here */
    uint64_t missing, distinct; /* distinct: of the remembered values, marks for missing aside */
    hsp__column_content content;
    int code;              /* category, id: whole numbers of one length with leading zeros */
    double median;         /* number, date: if there are `others`, an estimate, or NAN (as least and
                              most) where those were read in another format */
    int integers;          /* number: all remembered values are whole numbers */
    int percent, currency; /* number: some have such a sign */
    uint64_t signless;     /* number: cells of remembered values without a percent sign, */
    uint32_t signless_at;  /* and the first such value */
    uint64_t misfits;      /* number, date: cells that are none (and not missing) */
    uint32_t frequent[3];  /* the most frequent values, HSP__NAME_NONE: fewer */
    uint32_t mixed[2];     /* category: two values of numbers in several notations, likewise */
    uint32_t alike[2];     /* two values that differ only in case, likewise */
} hsp__column_profile;

/* The formats in which numbers are looked for, the first that fits most values wins; NULL past the last.
 * With a decimal comma, the second and the third change places. */
const hsp__number_format *hsp__profile_format(size_t i, int decimal_comma);

/* Remember up to `values` distinct values. The rules must outlive the profile. */
void hsp__column_profile_init(hsp__column_profile *profile, const hsp_allocator *memory,
                              const hsp__cell_rules *rules, uint32_t values);
void hsp__column_profile_free(hsp__column_profile *profile);

/* One more cell, and its line in the file; 0: there is no memory. */
int hsp__column_profile_add(hsp__column_profile *profile, const char *text, size_t size,
                            uint64_t line);

/* Judge; `label`: the column holds the labels. 0: there is no memory. */
int hsp__column_profile_finish(hsp__column_profile *profile, int label);

/* Is the remembered value v a mark for a missing value? */
int hsp__column_profile_absent(const hsp__column_profile *profile, uint32_t v);
/* Is it a number or a date, as the column has them? */
int hsp__column_profile_value(const hsp__column_profile *profile, uint32_t v, double *value);

/* Of the remembered values that are numbers as the column has them: does the format read all, does one
 * hold the sign, and which is the first that the format does not read or reads as another number
 * (HSP__NAME_NONE: none)? */
int hsp__column_profile_reads(const hsp__column_profile *profile, const hsp__number_format *format);
int hsp__column_profile_holds(const hsp__column_profile *profile, char sign);
uint32_t hsp__column_profile_otherwise(const hsp__column_profile *profile,
                                       const hsp__number_format *format);

/* After judging: the column's numbers are in this format. 0: there is no memory. */
int hsp__column_profile_reread(hsp__column_profile *profile, const hsp__number_format *format);

/* The text in lower case (hsp__fold_case), up to HSP__PROFILE_FORM - 1 bytes, ended by NUL; its length. */
#define HSP__PROFILE_FORM 260
size_t hsp__profile_fold(const char *text, size_t size, char form[HSP__PROFILE_FORM]);

#endif
