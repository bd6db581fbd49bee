/* Claim 7: mistakes on rows that the separator was not made from, and what they say about its true
 * error (Clopper and Pearson): P[Bin(n, upper) <= m] <= delta.
 *
 * Rows that are in both files are found by 128 bits of a SHA-256 of their values. Two rows that
 * only look alike would make the claim fail, never hold. */
#include <stdlib.h>
#include <string.h>

#include "full.h"

typedef struct error_key {
    char digest[32]; /* half of the SHA-256 of a row's values, as text */
    int shared;      /* with a row of data */
    int counted;     /* a row of test with these values was */
} error_key;

typedef struct error_count {
    hsv_point w;
    mpq_t *q; /* 2 */
    int tie;  /* 0 negative, 1 positive, 2 mistake */
    error_key *keys;
    size_t key_count;
    size_t rows, mistakes, shared, distinct;
} error_count;

static int error_order(const void *left, const void *right)
{
    return memcmp(left, right, 32);
}

/* The key of a row: of "column:value " for all its values, in base 32. */
static void error_digest(hsv_checker *c, const hsv_row *row, char digest[32])
{
    hsv_block *mark = c->blocks;
    size_t room = 1, used = 0;
    char whole[65];
    for (size_t j = 0; j < row->count; j++)
        room += mpz_sizeinbase(row->value[j], 32) + 16;
    char *text = hsv_new(c, room, 1);
    for (size_t j = 0; j < row->count; j++) {
        used += (size_t)sprintf(text + used, "%u:", (unsigned)row->column[j]);
        mpz_get_str(text + used, 32, row->value[j]);
        used += strlen(text + used);
        text[used++] = ' ';
    }
    hsv_digest(text, used, whole);
    memcpy(digest, whole, 32);
    hsv_release(c, mark);
    hsv_spend(c, 20 * used);
}

static error_key *error_find(hsv_checker *c, error_count *e, const hsv_row *row)
{
    error_key key;
    error_digest(c, row, key.digest);
    return bsearch(&key, e->keys, e->key_count, sizeof key, error_order);
}

static void error_run(hsv_checker *c, error_count *e)
{
    hsv_table *test = &hsv_full_of(c)->test;
    error_key *key;
    size_t distinct = 0;
    e->keys = hsv_new(c, test->rows, sizeof *e->keys);
    for (const hsv_row *row; (row = hsv_next(c, test));)
        error_digest(c, row, e->keys[e->key_count++].digest);
    qsort(e->keys, e->key_count, sizeof *e->keys, error_order);
    for (size_t i = 0; i < e->key_count; i++)
        if (!i || error_order(e->keys + i - 1, e->keys + i)) e->keys[distinct++] = e->keys[i];
    e->key_count = distinct;
    c->data.everything = 1; /* those that are left out, too */
    for (const hsv_row *row; (row = hsv_next(c, &c->data));)
        if ((key = error_find(c, e, row))) key->shared = 1;
    c->data.everything = 0;
    for (const hsv_row *row; (row = hsv_next(c, test));) {
        key = error_find(c, e, row);
        e->shared += (size_t)key->shared;
        if (key->shared) continue;
        e->distinct += !key->counted;
        key->counted = 1;
        hsv_point_score(c, &e->w, row, e->q[0], e->q[1]);
        int sign = mpq_sgn(e->q[0]) > 0 ? 1 : mpq_sgn(e->q[1]) < 0 ? -1 : 0;
        if (!sign && !mpq_sgn(e->q[0]) && !mpq_sgn(e->q[1]) && e->tie < 2) sign = e->tie ? 1 : -1;
        e->rows++;
        e->mistakes += sign != row->y; /* a sign that the enclosure leaves open is a mistake, too */
    }
}

/* ---- The binomial tail, from above ----------------------------------------------------------- */

#define ERROR_BITS  300000   /* of a term: shorter ones are exact */
#define ERROR_POWER 40000000 /* bits of the denominator */

/* mantissa 2^exponent: exact, or a little too large. */
typedef struct error_upper {
    mpz_t *mantissa;
    long exponent;
} error_upper;

static void error_round(error_upper *x)
{
    const size_t size = mpz_sizeinbase(*x->mantissa, 2);
    if (size <= ERROR_BITS) return;
    mpz_cdiv_q_2exp(*x->mantissa, *x->mantissa, size - ERROR_BITS);
    x->exponent += (long)(size - ERROR_BITS);
}

/* P[Bin(n, p) <= m] <= delta? With p = a / q the terms are over q^n; they grow from (q - a)^n by
 * (n - k) a / ((k + 1) (q - a)). */
static int error_tail(hsv_checker *c, size_t n, size_t m, const mpq_t p, const mpq_t delta)
{
    mpz_t *z = hsv_integers(c, 7);
    error_upper term = {z, 0}, sum = {z + 1, 0}, base = {z + 2, 0};
    if (n * mpz_sizeinbase(mpq_denref(p), 2) > ERROR_POWER)
        hsv_reject(c, "error: upper has too many digits for this many rows");
    mpz_sub(z[3], mpq_denref(p), mpq_numref(p));
    hsv_spend(c, (m + 2) * 20000);
    mpz_set(*base.mantissa, z[3]);
    mpz_set_ui(*term.mantissa, 1);
    for (size_t left = n; left; left /= 2) { /* base^n */
        if (left % 2) {
            mpz_mul(*term.mantissa, *term.mantissa, *base.mantissa);
            term.exponent += base.exponent;
            error_round(&term);
        }
        mpz_mul(*base.mantissa, *base.mantissa, *base.mantissa);
        base.exponent *= 2;
        error_round(&base);
    }
    for (size_t k = 0; k <= m; k++) {
        /* sum += term, over the smaller power of 2 */
        if (!mpz_sgn(*sum.mantissa)) sum.exponent = term.exponent;
        const long apart = term.exponent - sum.exponent;
        mpz_mul_2exp(z[4], *term.mantissa, (mp_bitcnt_t)(apart > 0 ? apart : 0));
        mpz_mul_2exp(*sum.mantissa, *sum.mantissa, (mp_bitcnt_t)(apart < 0 ? -apart : 0));
        if (apart < 0) sum.exponent = term.exponent;
        mpz_add(*sum.mantissa, *sum.mantissa, z[4]);
        error_round(&sum);
        /* the next term */
        mpz_mul_ui(z[5], mpq_numref(p), n - k);
        mpz_mul_ui(z[6], z[3], k + 1);
        mpz_mul(*term.mantissa, *term.mantissa, z[5]);
        if (!mpz_divisible_p(*term.mantissa, z[6])) {
            const mp_bitcnt_t more = 64 + mpz_sizeinbase(z[6], 2);
            mpz_mul_2exp(*term.mantissa, *term.mantissa, more);
            term.exponent -= (long)more;
        }
        mpz_cdiv_q(*term.mantissa, *term.mantissa, z[6]);
        error_round(&term);
        hsv_spend(c, 8 * mpz_size(*term.mantissa));
    }
    mpz_mul(z[4], *sum.mantissa, mpq_denref(delta)); /* sum <= delta q^n */
    mpz_pow_ui(z[5], mpq_denref(p), n);
    mpz_mul(z[5], z[5], mpq_numref(delta));
    mpz_mul_2exp(z[sum.exponent >= 0 ? 4 : 5], z[sum.exponent >= 0 ? 4 : 5],
                 (mp_bitcnt_t)(sum.exponent >= 0 ? sum.exponent : -sum.exponent));
    return mpz_cmp(z[4], z[5]) <= 0;
}

/* What was counted, and whose error that bounds: of the rows that the test rows were drawn from. */
static void error_say(hsv_checker *c, const hsv_json *claim, const error_count *e)
{
    static const char *const ties[] = {"counts as negative", "counts as positive", "is a mistake"};
    const hsv_json *upper = hsv_find(claim, "upper"), *delta = hsv_find(claim, "delta");
    const hsv_table *test = &hsv_full_of(c)->test;
    const int some = test->unused > 0;
    hsv_say(c,
            "error: %zu mistake%s on %zu row%s of test (%zu of them distinct) that %s not in data; "
            "a score of 0 %s.",
            e->mistakes, HSV_S(e->mistakes), e->rows, HSV_S(e->rows), e->distinct,
            e->rows == 1 ? "is" : "are", ties[e->tie]);
    if (e->shared)
        hsv_say(c, "error: %zu row%s of test %s in data, not counted.", e->shared, HSV_S(e->shared),
                e->shared == 1 ? "is" : "are");
    hsv_say(c,
            "error: if the test rows were drawn independently, and neither the separator nor the "
            "training data was chosen by looking at them, then with probability at least 1 - %.*s "
            "the %s%s%s%s is at most %.*s.",
            (int)delta->size, delta->text, e->shared || some ? "error on rows" : "true error",
            some ? " of these labels" : "",
            some && hsv_csv_drops(test) ? " without missing values" : "",
            e->shared ? " that are not in data" : "", (int)upper->size, upper->text);
}

void hsv_error_finish(hsv_checker *c)
{
    hsv_full *full = hsv_full_of(c);
    mpq_t *q = hsv_rationals(c, 1);
    if (full->error_claims < 2) return;
    mpq_set_ui(*q, 1, 1);
    mpq_sub(*q, *q, *full->delta);
    if (mpq_sgn(*q) < 0) mpq_set_ui(*q, 0, 1);
    hsv_say(c,
            "error: under the premises of each, all %zu bounds on the error hold together with "
            "probability at least %s.",
            full->error_claims, hsv_show(c, *q, -1));
}

void hsv_claim_error(hsv_checker *c, const hsv_json *claim)
{
    error_count e = {.q = hsv_rationals(c, 2)};
    hsv_full *full = hsv_full_of(c);
    mpq_t *q = hsv_rationals(c, 2);
    hsv_members(c, claim, "claim,kernel,separator,tie,shared,rows,mistakes,delta,upper");
    if (!full->test.name) hsv_unreadable(c, "the certificate has no test file");
    /* The same text is the same row in both files, and of the same class: else a row of DATA could
     * be taken for another one. */
    hsv_table *data = &c->data, *test = &full->test;
    if (!hsv_csv_same(data, test))
        hsv_reject(c, "error: the two files are not read in the same way");
    if (!strcmp(data->digest, test->digest)) hsv_reject(c, "error: the two files are the same");
    for (const hsv_label *label = test->labels; label < test->labels + test->label_count; label++)
        if (hsv_label_y(c, data, label->text, label->size) == -label->y)
            hsv_reject(c, "error: label %s is positive in one file and negative in the other",
                       hsv_quote(c, label->text, label->size));
    e.w.space = hsv_get_space(c, claim);
    hsv_get_separator(c, claim, 1, &e.w);
    e.tie = hsv_get_choice(c, claim, "tie", "negative,positive,mistake");
    if (!hsv_get_number(c, claim, "delta", q[0]) || mpq_sgn(q[0]) <= 0 ||
        mpq_cmp_ui(q[0], 1, 1) >= 0)
        hsv_unreadable(c, "delta must be between 0 and 1");
    if (!hsv_get_number(c, claim, "upper", q[1]) || mpq_sgn(q[1]) <= 0 ||
        mpq_cmp_ui(q[1], 1, 1) > 0)
        hsv_reject(c, "upper must be above 0 and at most 1");
    error_run(c, &e);
    const size_t shared = hsv_find(claim, "shared") ? hsv_get_count(c, claim, "shared") : 0;
    if (e.shared != shared)
        hsv_reject(c, "%zu rows of test are in data, %zu are certified", e.shared, shared);
    if (e.rows != hsv_get_count(c, claim, "rows") ||
        e.mistakes != hsv_get_count(c, claim, "mistakes"))
        hsv_reject(c, "%zu mistakes on %zu rows are not what is certified", e.mistakes, e.rows);
    if (!e.rows) hsv_reject(c, "no row of the test file is left");
    if (mpq_cmp_ui(q[1], 1, 1) < 0 && !error_tail(c, e.rows, e.mistakes, q[1], q[0]))
        hsv_reject(
            c, "at most that many mistakes have a probability above delta if the error is upper");
    error_say(c, claim, &e);
    full->error_claims++;
    mpq_add(*full->delta, *full->delta, q[0]);
}
