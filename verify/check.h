/* What the files of the checker share.
 *
 * A checker owns every block and every number it makes; hsv_fail leaves whatever runs by longjmp,
 * and all is freed in one place (certificate.c). Numbers are GMP's. Arrays of numbers that belong
 * together are whole numbers over one denominator. */
#ifndef HSV_CHECK_H
#define HSV_CHECK_H

#include <gmp.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "verify.h"

_Static_assert(sizeof(unsigned long) == 8, "counts go to GMP as unsigned long");

#define HSV_BITS_ALL UINT64_C(4000000000)       /* of numbers over a common denominator, together */
#define HSV_MOST     UINT64_C(1000000000000000) /* counts, and sums of counts, are not above it */

typedef struct hsv_block hsv_block;
typedef struct hsv_json hsv_json;

/* ---- JSON (json.c) --------------------------------------------------------------------------- */

typedef enum hsv_type {
    HSV_NULL,
    HSV_FALSE,
    HSV_TRUE,
    HSV_NUMBER,
    HSV_STRING,
    HSV_ARRAY,
    HSV_OBJECT
} hsv_type;

struct hsv_json {
    hsv_type type;
    const char *key;  /* in an object */
    const char *text; /* a string's characters, ended by 0; a number's as they are written */
    size_t size;      /* of text */
    size_t count;     /* children */
    hsv_json *child, *next;
};

typedef struct hsv_sha {
    uint32_t state[8];
    uint64_t size;
    unsigned char part[64];
} hsv_sha;

/* ---- Rows of a file (rows.c, text_*.c) ------------------------------------------------------- */

typedef struct hsv_row {
    uint64_t number; /* from 1 */
    int y;           /* -1 or +1; 0: not used */
    size_t count, room;
    uint32_t *column; /* ascending, from 1 */
    mpz_t *value;     /* none is 0; over checker.scale */
} hsv_row;

typedef struct hsv_label {
    const char *text;
    size_t size;
    int is_number;
    mpz_t *mantissa; /* value = mantissa 10^exponent, no factor 10 in the mantissa */
    long exponent;
    int y;
} hsv_label;

typedef enum hsv_kind {
    HSV_FIELD_LABEL,
    HSV_FIELD_IGNORED,
    HSV_FIELD_NUMBER,
    HSV_FIELD_CATEGORY,
    HSV_FIELD_ORDINAL
} hsv_kind;

typedef struct hsv_field {
    hsv_kind kind;
    const hsv_json *values;
    int indicator;
    int has_mean;
    mpq_t *mean;
    uint32_t column; /* its first feature */
} hsv_field;

typedef enum hsv_missing {
    HSV_MISSING_ERROR,
    HSV_MISSING_DROP,
    HSV_MISSING_MEAN,
    HSV_MISSING_INDICATOR
} hsv_missing;

/* One file: what the certificate says about it, and where reading stands. */
typedef struct hsv_table {
    const char *name; /* "data" or "test", for messages */
    const char *path; /* that was opened; NULL: not known */
    const char *said; /* what to call the file in sentences, in quotes */
    FILE *file;
    unsigned char digest[32];
    uint64_t rows;
    uint32_t columns;
    int is_csv;
    size_t label_count;
    hsv_label *labels;
    int drop_others;
    uint32_t index_base;
    char separator;
    int header;
    hsv_missing missing;
    size_t field_count;
    hsv_field *fields;

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
    hsv_sha hash; /* of the bytes so far */
    char *text;   /* the line or record at hand */
    size_t text_size, text_room;
    size_t *field_start, *field_size; /* csv, in text */
    char *field_quoted;
    hsv_row raw;   /* the row at hand */
    hsv_row moved; /* the same after the transform */
    mpz_t *number; /* 2, for the readers */
} hsv_table;

/* x in these columns stands for (x - offset) factor. */
typedef struct hsv_transform {
    size_t count;
    uint32_t *column;       /* ascending */
    mpz_t *offset, *factor; /* over ... */
    mpz_t *offset_below, *factor_below;
    mpz_t *widen; /* what a value of the file is multiplied by to be over offset_below */
} hsv_transform;

/* ---- The checker ----------------------------------------------------------------------------- */

typedef struct hsv_checker {
    jmp_buf failure;
    int status;
    char message[1000];
    FILE *out;
    hsv_block *blocks; /* all that is to be freed, the newest first */
    hsv_table data, test;
    int has_test;
    hsv_transform transform;
    mpz_t *scale; /* the values of all rows are whole numbers over this */
    mpz_t *base;  /* before the transform */
    long decimals;
    size_t claim;              /* the one at hand, from 1; 0: none yet */
    int broken;                /* GMP had no memory: its numbers are not to be touched */
    void *(*allocate)(size_t); /* what GMP had before */
    void *(*resize)(void *, size_t, size_t);
    void (*drop)(void *, size_t);
} hsv_checker;

/* memory.c: blocks of zeros and arrays of zeros; released from the newest to a mark. */
void *hsv_new(hsv_checker *c, size_t count, size_t size);
mpz_t *hsv_integers(hsv_checker *c, size_t count);
mpq_t *hsv_rationals(hsv_checker *c, size_t count);
hsv_block *hsv_mark(const hsv_checker *c);
void hsv_release(hsv_checker *c, hsv_block *mark);

/* memory.c: GMP's memory is the checker's between these. */
void hsv_memory_begin(hsv_checker *c);
void hsv_memory_end(hsv_checker *c);

/* memory.c: leave with a status and a sentence. reject: the claim does not hold. */
_Noreturn void hsv_fail(hsv_checker *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define hsv_reject(c, ...)     hsv_fail(c, HALFSPACE_REJECTED, __VA_ARGS__)
#define hsv_unreadable(c, ...) hsv_fail(c, HALFSPACE_UNREADABLE, __VA_ARGS__)
void hsv_say(hsv_checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* memory.c: text that may be anybody's. Put: what is no plain character is written \xNN, so that a
 * sentence is one line. Quote: in quotes, \ before " and \, and cut if it is long. */
void hsv_put(FILE *out, const char *text);
const char *hsv_quote(hsv_checker *c, const char *text);

/* json.c. Members that are not in the list (words with spaces between) are refused. */
const hsv_json *hsv_parse(hsv_checker *c, char *text, size_t size);
void hsv_members(hsv_checker *c, const hsv_json *object, const char *list);
const hsv_json *hsv_find(const hsv_json *object, const char *key); /* NULL: not there */
const hsv_json *hsv_get(hsv_checker *c, const hsv_json *object, const char *key, hsv_type type);
const char *hsv_get_text(hsv_checker *c, const hsv_json *object, const char *key);
uint64_t hsv_get_count(hsv_checker *c, const hsv_json *object, const char *key);
int hsv_get_flag(hsv_checker *c, const hsv_json *object, const char *key);
/* Which of the words (with spaces between, a dot for a space inside) is it? From 0. */
int hsv_get_choice(hsv_checker *c, const hsv_json *object, const char *key, const char *words);
uint64_t hsv_count(hsv_checker *c, const hsv_json *value, const char *what);

/* number.c: exact numbers from text and back. */
int hsv_decimal(const char *text, size_t size, mpz_t mantissa, long *exponent);
void hsv_number(hsv_checker *c, const hsv_json *value, const char *what, mpq_t out);
void hsv_get_number(hsv_checker *c, const hsv_json *object, const char *key, mpq_t out);
/* About six digits, rounded down (way < 0) or up; kept until the mark is released. */
const char *hsv_show(hsv_checker *c, const mpq_t value, int way);
void hsv_ratio(mpq_t out, const mpz_t above, const mpz_t below);

/* A list of pairs [index, number]: whole numbers over one denominator. */
typedef struct hsv_list {
    size_t count;
    uint64_t *index; /* ascending, from 1 */
    mpz_t *value;
    mpz_t *below;
    signed char *y; /* of these rows, once hsv_list_rows was called */
} hsv_list;
void hsv_get_list(hsv_checker *c, const hsv_json *object, const char *key, hsv_list *list);
void hsv_get_numbers(hsv_checker *c, const hsv_json *array, const char *what, mpz_t *out,
                     mpz_t below);

/* sha256.c */
void hsv_sha_start(hsv_sha *s);
void hsv_sha_add(hsv_sha *s, const void *bytes, size_t size);
void hsv_sha_end(hsv_sha *s, unsigned char digest[32]);

/* table.c: what the certificate says about a file. */
void hsv_table_read(hsv_checker *c, const hsv_json *object, hsv_table *t);
int hsv_label_find(hsv_table *t, const char *text, size_t size); /* y; 0: another label */

/* rows.c: passes over a file. The survey comes first, then the scale, then rows. */
void hsv_survey(hsv_checker *c, hsv_table *t);
void hsv_scale_all(hsv_checker *c, const hsv_json *transform); /* NULL: none */
typedef void hsv_row_use(hsv_checker *c, const hsv_row *row, void *with);
void hsv_each_row(hsv_checker *c, hsv_table *t, hsv_row_use *use, void *with);
/* Those that are not used, too, but for rows that lack values or a label and are left out. */
void hsv_every_row(hsv_checker *c, hsv_table *t, hsv_row_use *use, void *with);
void hsv_row_copy(hsv_checker *c, const hsv_row *row, hsv_row *copy);
void hsv_row_add(hsv_checker *c, hsv_table *t, uint32_t column, const mpz_t mantissa,
                 long exponent);
void hsv_row_add_mean(hsv_checker *c, hsv_table *t, uint32_t column, const mpq_t mean);
int hsv_byte(hsv_checker *c, hsv_table *t); /* EOF: the end */
int hsv_line(hsv_checker *c, hsv_table *t); /* the next one is in t->text; 0: the end */
void hsv_text_add(hsv_checker *c, hsv_table *t, const char *bytes, size_t size);

/* text_libsvm.c, text_csv.c: the next row of the file into t->raw, by hsv_row_add; 0: the end. */
int hsv_libsvm_next(hsv_checker *c, hsv_table *t);
int hsv_csv_next(hsv_checker *c, hsv_table *t);

/* ---- The feature space (kernel.c, point.c, interval.c) --------------------------------------- */

/* Enclosures: lo <= the value <= hi, both whole numbers over a denominator known from elsewhere. */

/* exp(-above / below) in multiples of 2^-HSV_BITS, above / below >= 0. */
#define HSV_BITS 192
void hsv_exp(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi);
/* ln(above / below), likewise, of any number above 0. */
void hsv_log(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi);
void hsv_root_up(mpq_t out, const mpq_t square); /* a rational >= the root, and near it */
/* out += factor * [lo, hi] */
void hsv_span_add(mpz_t out_lo, mpz_t out_hi, const mpz_t factor, const mpz_t lo, const mpz_t hi);
/* [lo, hi] *= [lo2, hi2]; four numbers to work with. */
void hsv_span_multiply(mpz_t lo, mpz_t hi, const mpz_t lo2, const mpz_t hi2, mpz_t *work);
void hsv_span_power(mpz_t lo, mpz_t hi, unsigned long n);

typedef struct hsv_kernel hsv_kernel;
hsv_kernel *hsv_kernel_read(hsv_checker *c, const hsv_json *object, int any); /* NULL: has none */
int hsv_kernel_exact(const hsv_kernel *k);
/* The words and the kernel's name, "rbf(0.5)"; "" for a claim without a kernel. */
const char *hsv_kernel_name(hsv_checker *c, const hsv_json *claim, const char *words);
const mpz_t *hsv_kernel_below(const hsv_kernel *k); /* what its values are over */
void hsv_kernel_value(hsv_checker *c, hsv_kernel *k, const hsv_row *x, const hsv_row *z, mpz_t lo,
                      mpz_t hi);

/* A vector of the feature space: weights, or a sum over rows of DATA. */
typedef struct hsv_point {
    hsv_kernel *kernel; /* NULL: weights */
    size_t count;       /* weights: of columns 1 .. count; or terms of the sum */
    mpz_t *value;       /* weights, or coefficients, over below */
    hsv_row *rows;      /* of the sum */
    mpz_t *below;
    mpz_t *score_below; /* of hsv_point_score */
    mpq_t *norm;        /* 2: ||w||^2, enclosed, once hsv_point_norm was called */
    mpz_t *scratch;     /* 2 */
} hsv_point;

/* w of a member "separator" of the claim. */
void hsv_point_separator(hsv_checker *c, const hsv_json *claim, hsv_kernel *k, hsv_point *p,
                         mpq_t b);
/* The sum of a y x over the list; y of its rows are filled in. */
void hsv_point_sum(hsv_checker *c, hsv_list *list, hsv_kernel *k, hsv_point *p);
void hsv_point_score(hsv_checker *c, hsv_point *p, const hsv_row *row, mpz_t lo, mpz_t hi);
void hsv_point_norm(hsv_checker *c, hsv_point *p);
void hsv_norm2(hsv_checker *c, hsv_kernel *k, const hsv_row *row, mpz_t lo, mpz_t hi);
void hsv_norm2_below(hsv_checker *c, hsv_kernel *k, mpz_t below); /* of hsv_norm2 */

/* y s(x) of rows, enclosed, over one denominator: a separator with its offset. */
typedef struct hsv_scorer {
    hsv_point point;
    mpq_t *b;
    mpz_t *below;  /* of scores with b */
    mpz_t *factor; /* below / point.score_below */
    mpz_t *b_over; /* b as a whole number over below */
} hsv_scorer;
/* With point and b set. */
void hsv_scorer_finish(hsv_checker *c, hsv_scorer *s);
/* Make its denominator a multiple of this. */
void hsv_scorer_widen(hsv_checker *c, hsv_scorer *s, const mpz_t divisor);
void hsv_scorer_read(hsv_checker *c, const hsv_json *claim, hsv_kernel *k, hsv_scorer *s);
void hsv_scorer_score(hsv_checker *c, hsv_scorer *s, const hsv_row *row, mpz_t lo, mpz_t hi);

/* Rows of DATA that a list of row numbers names, copied; every number must be there. */
void hsv_rows_load(hsv_checker *c, const uint64_t *numbers, size_t count, hsv_row *rows);

/* ---- Claims ---------------------------------------------------------------------------------- */

typedef void hsv_claim(hsv_checker *c, const hsv_json *claim);
hsv_claim hsv_claim_separable, hsv_claim_inseparable, hsv_claim_mistakes, hsv_claim_optimal,
    hsv_claim_stable, hsv_claim_kernel, hsv_claim_error;
/* Of a claim "mistakes": the counts in "updates", whole and from 1, whose sum is "total". */
uint64_t hsv_get_updates(hsv_checker *c, const hsv_json *claim, hsv_list *list);
void hsv_claim_winnow(hsv_checker *c, const hsv_json *claim);
void hsv_claim_experts(hsv_checker *c, const hsv_json *claim);

#endif
