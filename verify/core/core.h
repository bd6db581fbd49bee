/* The core of the checker: what its files share.
 *
 * A checker owns every block and number it makes; hsv_fail leaves whatever runs by longjmp, and all
 * is freed in one place (certificate.c). Values of rows are whole numbers over one denominator,
 * checker.scale. What the full checker adds comes through one table of functions, hsv_more. */
#ifndef HSV_CORE_H
#define HSV_CORE_H

#include <gmp.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "status.h"

_Static_assert(sizeof(size_t) == 8 && sizeof(unsigned long) == 8, "counts are both");

typedef struct hsv_checker hsv_checker;
typedef struct hsv_block hsv_block;
typedef struct hsv_table hsv_table;
typedef struct hsv_space hsv_space;
typedef enum { HSV_FALSE, HSV_TRUE, HSV_NUMBER, HSV_STRING, HSV_ARRAY, HSV_OBJECT } hsv_type;

typedef struct hsv_json {
    hsv_type type;
    const char *key;    /* in an object */
    const char *text;   /* a string's characters, ended by 0; a number's as they are written */
    size_t size, count; /* of text; children */
    struct hsv_json *child, *next;
} hsv_json;

typedef struct hsv_row {
    size_t number; /* from 1, among the rows that are used */
    int y;         /* -1 or +1; 0: not used */
    size_t count, room;
    uint32_t *column; /* ascending, from 1 */
    mpz_t *value;     /* none is 0; over checker.scale */
} hsv_row;

typedef enum { HSV_LABEL, HSV_IGNORED, HSV_NUMERIC, HSV_CATEGORY, HSV_ORDINAL } hsv_kind;
#define HSV_KINDS "label,ignored,number,category,ordinal"
typedef struct hsv_field { /* of a csv record */
    hsv_kind kind;
    uint32_t column; /* its first feature */
    void *more;      /* the full checker's */
} hsv_field;

typedef struct hsv_label {
    const char *text;
    size_t size;
    int y, is_number;
    mpz_t *mantissa; /* a number is mantissa 10^exponent, no factor 10 in the mantissa */
    long exponent;
} hsv_label;

struct hsv_table { /* a data file: what the certificate says about it, and where reading stands */
    const char *name, *path;   /* "data" or "test", for messages; what was opened, or NULL */
    const char *digest, *text; /* its SHA-256, as certified; its bytes, a 0 behind them */
    FILE *file;
    int (*next)(hsv_checker *c, hsv_table *t); /* the next row into raw; 0: the end */
    uint32_t columns, index_base, width;       /* width: the last column that is not all 0 */
    int header, drop_others, everything; /* everything: pass rows of other labels, too, y is 0 */
    char separator;
    size_t size, rows, positives, unused; /* of text; rows: used, of these y = +1, left out */
    size_t label_count, field_count;
    hsv_label *labels; /* in order */
    hsv_field *fields;
    void *more;           /* the full checker's */
    long decimals;        /* values are multiples of 10^-decimals */
    size_t number;        /* of lines read */
    const char *line_end; /* of the one at hand */
    hsv_row raw;          /* the row at hand */
    mpz_t *work;          /* for the readers */
};

typedef struct hsv_list { /* of pairs [index, number]: whole numbers over one denominator */
    size_t count, *index; /* ascending, from 1 */
    mpz_t *value, *below;
    signed char *y; /* of these rows, once hsv_point_sum was called */
} hsv_list;

typedef struct hsv_point { /* a vector w and an offset b: s(x) = <w, x> + b */
    hsv_space *space;      /* NULL: that of the columns */
    size_t count;          /* weights of columns 1 .. count; or terms of a sum over rows */
    mpz_t *value, *below;  /* weights or coefficients, over below */
    mpz_t *work;           /* 2 */
    mpq_t *b;
    hsv_row *rows; /* of the sum */
} hsv_point;

struct hsv_space {    /* the space of a kernel (full checker); numbers are enclosed by lo and hi */
    const char *name; /* " in the feature space of rbf(0.5)" */
    void (*load)(hsv_checker *c, hsv_point *p, const hsv_list *list);
    void (*add)(hsv_checker *c, hsv_point *p, const hsv_row *row, const mpz_t factor);
    void (*score)(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi);
    void (*norm2)(hsv_checker *c, hsv_point *p, mpq_t lo, mpq_t hi);
};

typedef struct hsv_problem { /* of claim 4 */
    int squared, offset;     /* 0 free, 1 none, 2 regularized */
    mpq_t *cost;             /* 2: of negative and of positive rows */
    hsv_point w;
    mpq_t *q; /* 5, to work with; at last q[0] is P - D, from above */
} hsv_problem;

typedef struct hsv_more { /* what the full checker adds */
    int (*claim)(hsv_checker *c, const hsv_json *claim, const char *name, const char *learner);
    void (*prepare)(hsv_checker *c, const hsv_json *root); /* test, transform, model; says how */
    void (*finish)(hsv_checker *c);                        /* after the last claim */
    const hsv_row *(*row)(hsv_checker *c, hsv_table *t);   /* the row at hand, transformed */
    void (*csv)(hsv_checker *c, const hsv_json *object, hsv_table *t);
    hsv_space *(*space)(hsv_checker *c, const hsv_json *claim);
    void (*perceptron)(hsv_checker *c, const hsv_json *claim);    /* with other options */
    void (*start)(hsv_checker *c, const char *text, size_t size); /* of the certificate */
    char *(*escaped)(char **p, const char *end, char *to);        /* behind \u; NULL: wrong */
    const char *(*bytes)(hsv_checker *c, const hsv_json *value);  /* of a label, also in hex */
    const char *(*quote)(hsv_checker *c, const char *text, size_t size);
} hsv_more;

struct hsv_checker {
    jmp_buf failure;
    int status;
    FILE *out, *err;
    hsv_block *blocks; /* all that is to be freed, the newest first */
    hsv_table data;
    mpz_t *scale;  /* the values of all rows are whole numbers over this; NULL: not known yet */
    mpz_t *widen;  /* scale = 10^decimals widen; NULL: 1 */
    long decimals; /* of all files */
    size_t claim;  /* the one at hand, from 1; 0: none yet */
    size_t budget; /* work that is left, in units of about a nanosecond */
    const hsv_more *more;
    void *extension; /* the full checker's */
};
#define HSV_EFFORT 2000000000 /* budget, but for what the size of the files adds */

/* check_memory.c: blocks of zeros; what is newer than a mark (checker.blocks) is released. */
void *hsv_new(hsv_checker *c, size_t count, size_t size);
mpz_t *hsv_integers(hsv_checker *c, size_t count);
mpq_t *hsv_rationals(hsv_checker *c, size_t count);
void hsv_release(hsv_checker *c, hsv_block *mark);
void hsv_spend(hsv_checker *c, size_t units);
void hsv_print(hsv_checker *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void hsv_leave(hsv_checker *c, int status);
#define hsv_say(c, ...)          hsv_print(c, 0, __VA_ARGS__)
#define hsv_fail(c, status, ...) (hsv_print(c, status, __VA_ARGS__), hsv_leave(c, status))
#define hsv_reject(c, ...)       hsv_fail(c, HALFSPACE_REJECTED, __VA_ARGS__)
#define hsv_unreadable(c, ...)   hsv_fail(c, HALFSPACE_UNREADABLE, __VA_ARGS__)
#define HSV_TEXT(json)           (int)(json)->size, (json)->text /* for "%.*s" */
#define HSV_S(n)                 ((n) == 1 ? "" : "s")           /* for "row%s" */
#define hsv_beyond(c, what) \
    hsv_fail(c, HALFSPACE_BEYOND, "%s: beyond the core; halfspace-verify checks it", what)
const char *hsv_quote(hsv_checker *c, const char *text, size_t size); /* what anybody wrote */

/* check_json.c. Lists are words with commas between; members that are not in one are refused. */
const hsv_json *hsv_parse(hsv_checker *c, char *text, size_t size);
const char *hsv_stray(hsv_checker *c, const hsv_json *object, const char *list); /* NULL: none */
void hsv_members(hsv_checker *c, const hsv_json *object, const char *list);
const hsv_json *hsv_find(const hsv_json *object, const char *key); /* NULL: not there */
const hsv_json *hsv_get(hsv_checker *c, const hsv_json *object, const char *key, hsv_type type);
size_t hsv_count(hsv_checker *c, const hsv_json *value, const char *what);
#define hsv_get_count(c, object, key) hsv_count(c, hsv_get(c, object, key, HSV_NUMBER), key)
int hsv_get_flag(hsv_checker *c, const hsv_json *object, const char *key);
int hsv_get_choice(hsv_checker *c, const hsv_json *object, const char *key, const char *words);
const char *hsv_get_digest(hsv_checker *c, const hsv_json *object);
void hsv_digest(const void *bytes, size_t size, char digest[65]); /* sha256.c */

/* check_number.c */
int hsv_decimal(const char *text, size_t size, mpz_t mantissa, long *exponent);
void hsv_number(hsv_checker *c, const hsv_json *value, const char *what, mpq_t out);
int hsv_get_number(hsv_checker *c, const hsv_json *object, const char *key, mpq_t out); /* there? */
void hsv_get_list(hsv_checker *c, const hsv_json *object, const char *key, hsv_list *list);
void hsv_common(hsv_checker *c, mpq_t *numbers, size_t count, mpz_t *out, mpz_t below);
void hsv_ratio(mpq_t out, const mpz_t above, const mpz_t below);

/* table.c: a file's description, its rows. */
void hsv_table_read(hsv_checker *c, const hsv_json *object, hsv_table *t);
int hsv_label_y(hsv_checker *c, hsv_table *t, const char *text, size_t size); /* 0: of no class */
void hsv_row_label(hsv_checker *c, hsv_table *t, const char *text, size_t size);
#define hsv_bad_line(c, t, what) hsv_unreadable(c, "%s: line %zu: %s", (t)->name, (t)->number, what)
int hsv_missing(const char *text, size_t size);
char *hsv_read(hsv_checker *c, FILE *file, size_t *size);
void hsv_survey(hsv_checker *c, hsv_table *t);
const hsv_row *hsv_next(hsv_checker *c, hsv_table *t);
mpz_ptr hsv_row_place(hsv_checker *c, hsv_table *t, uint32_t column);
void hsv_row_add(hsv_checker *c, hsv_table *t, uint32_t column, const mpz_t digits, long exponent);

/* point.c: y s(x) and ||w||^2 are enclosed by lo and hi. A point's space is set before. */
void hsv_point_new(hsv_checker *c, size_t count, hsv_point *p);
void hsv_point_read(hsv_checker *c, const hsv_json *object, int offset, hsv_point *p);
void hsv_get_separator(hsv_checker *c, const hsv_json *claim, int offset, hsv_point *p);
void hsv_point_sum(hsv_checker *c, hsv_list *list, hsv_point *p);
void hsv_point_add(hsv_checker *c, hsv_point *p, const hsv_row *row, const mpz_t factor);
void hsv_point_score(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi);
void hsv_point_margin(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi);
void hsv_point_norm2(hsv_checker *c, hsv_point *p, mpq_t lo, mpq_t hi);
void hsv_squares(hsv_checker *c, mpz_t *value, size_t count, const mpz_t below, mpq_t lo, mpq_t hi);

/* claim_*.c, certificate.c */
int hsv_check(hsv_checker *c, FILE *cert); /* all of it; the status comes back */
void hsv_say_reading(hsv_checker *c, const hsv_table *t);
void hsv_say_model(hsv_checker *c, const hsv_json *model);
void hsv_say_run(hsv_checker *c, const hsv_json *claim, const hsv_space *space);
void hsv_say_bound(hsv_checker *c, size_t total, const char *is, const mpq_t bound);
#define HSV_BOUND "(R~^2 + 2 tau/rate) ||w~*||^2 / min(y s*)^2"
void hsv_optimal(hsv_checker *c, const hsv_json *claim, const char *members, hsv_problem *p);
#define HSV_OPTIMAL_MEMBERS "claim,kernel,loss,offset,cost,separator,dual,gap"
typedef void hsv_claim(hsv_checker *c, const hsv_json *claim);
hsv_claim hsv_claim_separable, hsv_claim_inseparable, hsv_claim_perceptron;

#endif
