/* What the files of the full checker share, beyond the core. */
#ifndef HSV_FULL_H
#define HSV_FULL_H

#include "core/core.h"
#include "verify.h"

/* x in these columns stands for (x - offset) factor. */
typedef struct hsv_transform {
    size_t count;
    uint32_t *column;       /* ascending */
    mpz_t *offset, *factor; /* over ... */
    mpz_t *offset_below, *factor_below;
    mpz_t *widen; /* what a value of the file is multiplied by to be over offset_below */
} hsv_transform;

/* checker.extension */
typedef struct hsv_full {
    hsv_table test; /* name NULL: there is none */
    hsv_transform transform;
    hsv_row moved[2]; /* the row at hand of data and of test, after the transform */
    mpz_t *means;     /* a common denominator of the means of all fields */
    const halfspace_files *files;
    const char *model_text; /* of the model file, or NULL */
    size_t model_size;
    size_t error_claims;
    mpq_t *delta; /* of all claims "error", together */
} hsv_full;
#define hsv_full_of(c) ((hsv_full *)(c)->extension)

typedef struct hsv_run { /* of a learner that changes its weights on mistakes only */
    int (*wrong)(hsv_checker *c, struct hsv_run *run, const hsv_row *row); /* a mistake now? */
    void (*update)(hsv_checker *c, struct hsv_run *run, const hsv_row *row);
    void *state;
    size_t total, most, passes; /* updates; of the row that has most; as certified, or 0 */
    uint32_t *counts;           /* of updates of each row */
    int clean;                  /* a whole pass was without an update */
} hsv_run;

/* check_text.c: of hsv_more, and numbers as text. */
int hsv_text_utf8(const char *text, size_t size);
char *hsv_text_escaped(char **p, const char *end, char *to);
const char *hsv_bytes(hsv_checker *c, const hsv_json *object); /* of a label, or a value */
const char *hsv_text_quote(hsv_checker *c, const char *text, size_t size);
/* About seven digits, rounded down (way < 0) or up; kept until the mark is released. */
const char *hsv_show(hsv_checker *c, const mpq_t value, int way);

/* check_csv.c: of hsv_more; what is not a plain number, in words. */
void hsv_csv_read(hsv_checker *c, const hsv_json *object, hsv_table *t);
void hsv_csv_say(hsv_checker *c, const hsv_table *t);
int hsv_csv_same(const hsv_table *a, const hsv_table *b); /* read in the same way? */
int hsv_csv_drops(const hsv_table *t);                    /* are rows with gaps left out? */

/* transform.c; copies of rows of data, by ascending numbers. */
void hsv_row_copy(hsv_checker *c, const hsv_row *row, hsv_row *copy);
hsv_row *hsv_rows_load(hsv_checker *c, const size_t *numbers, size_t count);
void hsv_scale(hsv_checker *c, const hsv_json *transform); /* NULL: none */
const hsv_row *hsv_transformed(hsv_checker *c, hsv_table *t);

/* check_model.c */
void hsv_model_check(hsv_checker *c, const hsv_json *root);

/* interval.c. Enclosures: lo <= the value <= hi, over a denominator known from elsewhere.
 * exp(-above / below) in multiples of 2^-HSV_BITS, above / below >= 0; ln(above / below), likewise.
 */
#define HSV_BITS 192
void hsv_exp(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi);
void hsv_log(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi);
void hsv_root_up(mpq_t out, const mpq_t square); /* a rational >= the root, and near it */
/* out += factor * [lo, hi] */
void hsv_span_add(mpz_t out_lo, mpz_t out_hi, const mpz_t factor, const mpz_t lo, const mpz_t hi);
/* [lo, hi] *= [lo2, hi2]; four numbers to work with. */
void hsv_span_multiply(mpz_t lo, mpz_t hi, const mpz_t lo2, const mpz_t hi2, mpz_t *work);
void hsv_span_power(mpz_t lo, mpz_t hi, unsigned long n);

/* check_kernel.c */
typedef struct hsv_kernel hsv_kernel;
void hsv_row_norm2(hsv_checker *c, hsv_space *space, const hsv_row *row, mpq_t lo, mpq_t hi);
hsv_space *hsv_get_space(hsv_checker *c, const hsv_json *claim); /* NULL: that of the columns */
hsv_kernel *hsv_kernel_read(hsv_checker *c, const hsv_json *array, int any);
int hsv_kernel_exact(const hsv_kernel *k);
const char *hsv_kernel_name(hsv_checker *c, const hsv_json *array, const char *words);
const mpz_t *hsv_kernel_below(const hsv_kernel *k); /* what its values are over */
void hsv_kernel_value(hsv_checker *c, hsv_kernel *k, const hsv_row *x, const hsv_row *z, mpz_t lo,
                      mpz_t hi);
void hsv_spend_product(hsv_checker *c, size_t limbs); /* the work of numbers of this many limbs */

/* claim_*.c */
void hsv_replay(hsv_checker *c, const hsv_json *claim, hsv_run *run);
void hsv_perceptron_claim(hsv_checker *c, const hsv_json *claim);
hsv_claim hsv_claim_winnow, hsv_claim_experts, hsv_claim_stable, hsv_claim_kernel, hsv_claim_error;
void hsv_error_finish(hsv_checker *c);

#endif
