/* What the files of the checker share.
 *
 * A checker owns every block and every number it makes; hsv1_fail leaves whatever runs by longjmp,
 * and all is freed in one place (certificate.c). Numbers are GMP's. Arrays of numbers that belong
 * together are whole numbers over one denominator. */
#ifndef HSV1_CHECK_H
#define HSV1_CHECK_H

#include <gmp.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "verify1.h"

_Static_assert(sizeof(unsigned long) == 8, "counts go to GMP as unsigned long");

#define HSV1_BITS_ALL UINT64_C(4000000000)       /* of numbers over a common denominator, together */
#define HSV1_MOST     UINT64_C(1000000000000000) /* counts, and sums of counts, are not above it */

typedef struct hsv1_block hsv1_block;
typedef struct hsv1_json hsv1_json;

/* ---- JSON (json.c) --------------------------------------------------------------------------- */

typedef enum hsv1_type {
    HSV1_NULL,
    HSV1_FALSE,
    HSV1_TRUE,
    HSV1_NUMBER,
    HSV1_STRING,
    HSV1_ARRAY,
    HSV1_OBJECT
} hsv1_type;

struct hsv1_json {
    hsv1_type type;
    const char *key;  /* in an object */
    const char *text; /* a string's characters, ended by 0; a number's as they are written */
    size_t size;      /* of text */
    size_t count;     /* children */
    hsv1_json *child, *next;
};

typedef struct hsv1_sha {
    uint32_t state[8];
    uint64_t size;
    unsigned char part[64];
} hsv1_sha;

/* ---- Rows of a file (rows.c, text_*.c) ------------------------------------------------------- */

typedef struct hsv1_row {
    uint64_t number; /* from 1 */
    int y;           /* -1 or +1; 0: not used */
    size_t count, room;
    uint32_t *column; /* ascending, from 1 */
    mpz_t *value;     /* none is 0; over checker.scale */
} hsv1_row;

typedef struct hsv1_label {
    const char *text;
    size_t size;
    int is_number;
    mpz_t *mantissa; /* value = mantissa 10^exponent, no factor 10 in the mantissa */
    long exponent;
    int y;
} hsv1_label;

typedef enum hsv1_kind {
    HSV1_FIELD_LABEL,
    HSV1_FIELD_IGNORED,
    HSV1_FIELD_NUMBER,
    HSV1_FIELD_CATEGORY,
    HSV1_FIELD_ORDINAL
} hsv1_kind;

typedef struct hsv1_field {
    hsv1_kind kind;
    const hsv1_json *values;
    int indicator;
    int has_mean;
    mpq_t *mean;
    uint32_t column; /* its first feature */
} hsv1_field;

typedef enum hsv1_missing {
    HSV1_MISSING_ERROR,
    HSV1_MISSING_DROP,
    HSV1_MISSING_MEAN,
    HSV1_MISSING_INDICATOR
} hsv1_missing;

/* One file: what the certificate says about it, and where reading stands. */
typedef struct hsv1_table {
    const char *name; /* "data" or "test", for messages */
    const char *path; /* that was opened; NULL: not known */
    const char *said; /* what to call the file in sentences, in quotes */
    FILE *file;
    unsigned char digest[32];
    uint64_t rows;
    uint32_t columns;
    int is_csv;
    size_t label_count;
    hsv1_label *labels;
    int drop_others;
    uint32_t index_base;
    char separator;
    int header;
    hsv1_missing missing;
    size_t field_count;
    hsv1_field *fields;

    uint64_t positives; /* rows with y = +1 */
    uint64_t unused;    /* rows of other classes, or with values that are missing */
    uint32_t width;     /* the last column that is not 0 everywhere */
    long decimals;      /* values are multiples of 10^-decimals */
    int surveyed;       /* these are known */
    int everything;     /* pass rows that are not used, too: their y is 0 */
    int lacks;          /* the row at hand is left out as it lacks a value, or its label */
    mpz_t *means_below; /* the common denominator of the fields' means */

    uint64_t line; /* of the text, while it is read */
    char *buffer;  /* of the file's bytes */
    size_t at, filled;
    hsv1_sha hash; /* of the bytes so far */
    char *text;   /* the line or record at hand */
    size_t text_size, text_room;
    size_t *field_start, *field_size; /* csv, in text */
    char *field_quoted;
    hsv1_row raw;   /* the row at hand */
    hsv1_row moved; /* the same after the transform */
    mpz_t *number; /* 2, for the readers */
} hsv1_table;

/* x in these columns stands for (x - offset) factor. */
typedef struct hsv1_transform {
    size_t count;
    uint32_t *column;       /* ascending */
    mpz_t *offset, *factor; /* over ... */
    mpz_t *offset_below, *factor_below;
    mpz_t *widen; /* what a value of the file is multiplied by to be over offset_below */
} hsv1_transform;

/* ---- The checker ----------------------------------------------------------------------------- */

typedef struct hsv1_checker {
    jmp_buf failure;
    int status;
    char message[1000];
    FILE *out;
    hsv1_block *blocks; /* all that is to be freed, the newest first */
    hsv1_table data, test;
    int has_test;
    hsv1_transform transform;
    mpz_t *scale; /* the values of all rows are whole numbers over this */
    mpz_t *base;  /* before the transform */
    long decimals;
    size_t claim;              /* the one at hand, from 1; 0: none yet */
    int broken;                /* GMP had no memory: its numbers are not to be touched */
    void *(*allocate)(size_t); /* what GMP had before */
    void *(*resize)(void *, size_t, size_t);
    void (*drop)(void *, size_t);
} hsv1_checker;

/* memory.c: blocks of zeros and arrays of zeros; released from the newest to a mark. */
void *hsv1_new(hsv1_checker *c, size_t count, size_t size);
mpz_t *hsv1_integers(hsv1_checker *c, size_t count);
mpq_t *hsv1_rationals(hsv1_checker *c, size_t count);
hsv1_block *hsv1_mark(const hsv1_checker *c);
void hsv1_release(hsv1_checker *c, hsv1_block *mark);

/* memory.c: GMP's memory is the checker's between these. */
void hsv1_memory_begin(hsv1_checker *c);
void hsv1_memory_end(hsv1_checker *c);

/* memory.c: leave with a status and a sentence. reject: the claim does not hold. */
_Noreturn void hsv1_fail(hsv1_checker *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define hsv1_reject(c, ...)     hsv1_fail(c, HALFSPACE1_REJECTED, __VA_ARGS__)
#define hsv1_unreadable(c, ...) hsv1_fail(c, HALFSPACE1_UNREADABLE, __VA_ARGS__)
void hsv1_say(hsv1_checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* memory.c: text that may be anybody's. Put: what is no plain character is written \xNN, so that a
 * sentence is one line. Quote: in quotes, \ before " and \, and cut if it is long. */
void hsv1_put(FILE *out, const char *text);
const char *hsv1_quote(hsv1_checker *c, const char *text);

/* json.c. Members that are not in the list (words with spaces between) are refused. */
const hsv1_json *hsv1_parse(hsv1_checker *c, char *text, size_t size);
void hsv1_members(hsv1_checker *c, const hsv1_json *object, const char *list);
const hsv1_json *hsv1_find(const hsv1_json *object, const char *key); /* NULL: not there */
const hsv1_json *hsv1_get(hsv1_checker *c, const hsv1_json *object, const char *key, hsv1_type type);
const char *hsv1_get_text(hsv1_checker *c, const hsv1_json *object, const char *key);
uint64_t hsv1_get_count(hsv1_checker *c, const hsv1_json *object, const char *key);
int hsv1_get_flag(hsv1_checker *c, const hsv1_json *object, const char *key);
/* Which of the words (with spaces between, a dot for a space inside) is it? From 0. */
int hsv1_get_choice(hsv1_checker *c, const hsv1_json *object, const char *key, const char *words);
uint64_t hsv1_count(hsv1_checker *c, const hsv1_json *value, const char *what);

/* number.c: exact numbers from text and back. */
int hsv1_decimal(const char *text, size_t size, mpz_t mantissa, long *exponent);
void hsv1_number(hsv1_checker *c, const hsv1_json *value, const char *what, mpq_t out);
void hsv1_get_number(hsv1_checker *c, const hsv1_json *object, const char *key, mpq_t out);
/* About six digits, rounded down (way < 0) or up; kept until the mark is released. */
const char *hsv1_show(hsv1_checker *c, const mpq_t value, int way);
void hsv1_ratio(mpq_t out, const mpz_t above, const mpz_t below);

/* A list of pairs [index, number]: whole numbers over one denominator. */
typedef struct hsv1_list {
    size_t count;
    uint64_t *index; /* ascending, from 1 */
    mpz_t *value;
    mpz_t *below;
    signed char *y; /* of these rows, once hsv1_list_rows was called */
} hsv1_list;
void hsv1_get_list(hsv1_checker *c, const hsv1_json *object, const char *key, hsv1_list *list);
void hsv1_get_numbers(hsv1_checker *c, const hsv1_json *array, const char *what, mpz_t *out,
                     mpz_t below);

/* sha256.c */
void hsv1_sha_start(hsv1_sha *s);
void hsv1_sha_add(hsv1_sha *s, const void *bytes, size_t size);
void hsv1_sha_end(hsv1_sha *s, unsigned char digest[32]);

/* table.c: what the certificate says about a file. */
void hsv1_table_read(hsv1_checker *c, const hsv1_json *object, hsv1_table *t);
int hsv1_label_find(hsv1_table *t, const char *text, size_t size); /* y; 0: another label */

/* rows.c: passes over a file. The survey comes first, then the scale, then rows. */
void hsv1_survey(hsv1_checker *c, hsv1_table *t);
void hsv1_scale_all(hsv1_checker *c, const hsv1_json *transform); /* NULL: none */
typedef void hsv1_row_use(hsv1_checker *c, const hsv1_row *row, void *with);
void hsv1_each_row(hsv1_checker *c, hsv1_table *t, hsv1_row_use *use, void *with);
/* Those that are not used, too, but for rows that lack values or a label and are left out. */
void hsv1_every_row(hsv1_checker *c, hsv1_table *t, hsv1_row_use *use, void *with);
void hsv1_row_copy(hsv1_checker *c, const hsv1_row *row, hsv1_row *copy);
void hsv1_row_add(hsv1_checker *c, hsv1_table *t, uint32_t column, const mpz_t mantissa,
                 long exponent);
void hsv1_row_add_mean(hsv1_checker *c, hsv1_table *t, uint32_t column, const mpq_t mean);
int hsv1_byte(hsv1_checker *c, hsv1_table *t); /* EOF: the end */
int hsv1_line(hsv1_checker *c, hsv1_table *t); /* the next one is in t->text; 0: the end */
void hsv1_text_add(hsv1_checker *c, hsv1_table *t, const char *bytes, size_t size);

/* text_libsvm.c, text_csv.c: the next row of the file into t->raw, by hsv1_row_add; 0: the end. */
int hsv1_libsvm_next(hsv1_checker *c, hsv1_table *t);
int hsv1_csv_next(hsv1_checker *c, hsv1_table *t);

/* ---- The feature space (kernel.c, point.c, interval.c) --------------------------------------- */

/* Enclosures: lo <= the value <= hi, both whole numbers over a denominator known from elsewhere. */

/* exp(-above / below) in multiples of 2^-HSV1_BITS, above / below >= 0. */
#define HSV1_BITS 192
void hsv1_exp(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi);
/* ln(above / below), likewise, of any number above 0. */
void hsv1_log(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi);
void hsv1_root_up(mpq_t out, const mpq_t square); /* a rational >= the root, and near it */
/* out += factor * [lo, hi] */
void hsv1_span_add(mpz_t out_lo, mpz_t out_hi, const mpz_t factor, const mpz_t lo, const mpz_t hi);
/* [lo, hi] *= [lo2, hi2]; four numbers to work with. */
void hsv1_span_multiply(mpz_t lo, mpz_t hi, const mpz_t lo2, const mpz_t hi2, mpz_t *work);
void hsv1_span_power(mpz_t lo, mpz_t hi, unsigned long n);

typedef struct hsv1_kernel hsv1_kernel;
hsv1_kernel *hsv1_kernel_read(hsv1_checker *c, const hsv1_json *object, int any); /* NULL: has none */
int hsv1_kernel_exact(const hsv1_kernel *k);
/* The words and the kernel's name, "rbf(0.5)"; "" for a claim without a kernel. */
const char *hsv1_kernel_name(hsv1_checker *c, const hsv1_json *claim, const char *words);
const mpz_t *hsv1_kernel_below(const hsv1_kernel *k); /* what its values are over */
void hsv1_kernel_value(hsv1_checker *c, hsv1_kernel *k, const hsv1_row *x, const hsv1_row *z, mpz_t lo,
                      mpz_t hi);

/* A vector of the feature space: weights, or a sum over rows of DATA. */
typedef struct hsv1_point {
    hsv1_kernel *kernel; /* NULL: weights */
    size_t count;       /* weights: of columns 1 .. count; or terms of the sum */
    mpz_t *value;       /* weights, or coefficients, over below */
    hsv1_row *rows;      /* of the sum */
    mpz_t *below;
    mpz_t *score_below; /* of hsv1_point_score */
    mpq_t *norm;        /* 2: ||w||^2, enclosed, once hsv1_point_norm was called */
    mpz_t *scratch;     /* 2 */
} hsv1_point;

/* w of a member "separator" of the claim. */
void hsv1_point_separator(hsv1_checker *c, const hsv1_json *claim, hsv1_kernel *k, hsv1_point *p,
                         mpq_t b);
/* The sum of a y x over the list; y of its rows are filled in. */
void hsv1_point_sum(hsv1_checker *c, hsv1_list *list, hsv1_kernel *k, hsv1_point *p);
void hsv1_point_score(hsv1_checker *c, hsv1_point *p, const hsv1_row *row, mpz_t lo, mpz_t hi);
void hsv1_point_norm(hsv1_checker *c, hsv1_point *p);
void hsv1_norm2(hsv1_checker *c, hsv1_kernel *k, const hsv1_row *row, mpz_t lo, mpz_t hi);
void hsv1_norm2_below(hsv1_checker *c, hsv1_kernel *k, mpz_t below); /* of hsv1_norm2 */

/* y s(x) of rows, enclosed, over one denominator: a separator with its offset. */
typedef struct hsv1_scorer {
    hsv1_point point;
    mpq_t *b;
    mpz_t *below;  /* of scores with b */
    mpz_t *factor; /* below / point.score_below */
    mpz_t *b_over; /* b as a whole number over below */
} hsv1_scorer;
/* With point and b set. */
void hsv1_scorer_finish(hsv1_checker *c, hsv1_scorer *s);
/* Make its denominator a multiple of this. */
void hsv1_scorer_widen(hsv1_checker *c, hsv1_scorer *s, const mpz_t divisor);
void hsv1_scorer_read(hsv1_checker *c, const hsv1_json *claim, hsv1_kernel *k, hsv1_scorer *s);
void hsv1_scorer_score(hsv1_checker *c, hsv1_scorer *s, const hsv1_row *row, mpz_t lo, mpz_t hi);

/* Rows of DATA that a list of row numbers names, copied; every number must be there. */
void hsv1_rows_load(hsv1_checker *c, const uint64_t *numbers, size_t count, hsv1_row *rows);

/* ---- Claims ---------------------------------------------------------------------------------- */

typedef void hsv1_claim(hsv1_checker *c, const hsv1_json *claim);
hsv1_claim hsv1_claim_separable, hsv1_claim_inseparable, hsv1_claim_mistakes, hsv1_claim_optimal,
    hsv1_claim_stable, hsv1_claim_kernel, hsv1_claim_error;
/* Of a claim "mistakes": the counts in "updates", whole and from 1, whose sum is "total". */
uint64_t hsv1_get_updates(hsv1_checker *c, const hsv1_json *claim, hsv1_list *list);
void hsv1_claim_winnow(hsv1_checker *c, const hsv1_json *claim);
void hsv1_claim_experts(hsv1_checker *c, const hsv1_json *claim);

#endif
