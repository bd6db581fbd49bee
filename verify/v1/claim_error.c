/* Claim 7: mistakes on rows that the separator was not made from, and what they say about its true
 * error (Clopper and Pearson): P[Bin(n, upper) <= m] <= delta.
 *
 * Rows that are in both files are found by 128 bits of a SHA-256 of their values, some of the test
 * rows at a time, so that memory does not grow with the files. Two rows that only look alike would
 * make the claim fail, never hold. */
#include <string.h>

#include "check1.h"

#define ERROR_SLOTS ((size_t)1 << 20) /* of the table; half full at most */

typedef struct error_slot {
    uint64_t key[2];
    unsigned char used, shared;
} error_slot;

typedef struct error_count {
    hsv1_scorer scorer;
    mpz_t *work; /* 2 */
    int tie;     /* 0 negative, 1 positive, 2 mistake */
    error_slot *slots;
    size_t mask, filled;
    uint64_t parts, part; /* rows whose hash modulo parts is part */
    int stage;            /* 0 collect the test rows, 1 mark those in DATA, 2 count */
    uint64_t rows, mistakes, shared;
} error_count;

static void error_hash(const hsv1_row *row, uint64_t key[2])
{
    unsigned char digest[32], bytes[256];
    hsv1_sha sha;
    hsv1_sha_start(&sha);
    for (size_t j = 0; j < row->count; j++) {
        const int64_t head[3] = {row->column[j], mpz_sgn(row->value[j]),
                                 (int64_t)mpz_size(row->value[j])};
        hsv1_sha_add(&sha, head, sizeof head);
        if (mpz_size(row->value[j]) * sizeof(mp_limb_t) <= sizeof bytes) {
            size_t size;
            mpz_export(bytes, &size, -1, 1, 0, 0, row->value[j]);
            hsv1_sha_add(&sha, bytes, size);
        } else {
            hsv1_sha_add(&sha, mpz_limbs_read(row->value[j]),
                        mpz_size(row->value[j]) * sizeof(mp_limb_t));
        }
    }
    hsv1_sha_end(&sha, digest);
    memcpy(key, digest, 2 * sizeof *key);
}

static error_slot *error_find(error_count *e, const uint64_t key[2])
{
    size_t at = key[0] & e->mask;
    while (e->slots[at].used && (e->slots[at].key[0] != key[0] || e->slots[at].key[1] != key[1]))
        at = (at + 1) & e->mask;
    return e->slots + at;
}

static void error_score(hsv1_checker *c, error_count *e, const hsv1_row *row)
{
    hsv1_scorer_score(c, &e->scorer, row, e->work[0], e->work[1]);
    int sign = mpz_sgn(e->work[0]) > 0 ? 1 : mpz_sgn(e->work[1]) < 0 ? -1 : 0;
    if (!sign && !mpz_sgn(e->work[0]) && !mpz_sgn(e->work[1]) && e->tie < 2) sign = e->tie ? 1 : -1;
    e->rows++;
    e->mistakes += sign != row->y; /* a sign that the enclosure leaves open is a mistake, too */
}

static void error_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    error_count *e = with;
    uint64_t key[2];
    error_hash(row, key);
    if (key[1] % e->parts != e->part) return;
    error_slot *slot = error_find(e, key);
    if (e->stage == 0 && !slot->used) {
        if (++e->filled > e->mask - e->mask / 4) hsv1_reject(c, "error: too many rows to compare");
        memcpy(slot->key, key, sizeof key);
        slot->used = 1;
    }
    if (e->stage == 1 && slot->used) slot->shared = 1;
    if (e->stage != 2) return;
    if (slot->shared)
        e->shared++;
    else
        error_score(c, e, row);
}

static void error_run(hsv1_checker *c, error_count *e)
{
    size_t slots = 16;
    while (slots < ERROR_SLOTS && slots < 2 * c->test.rows)
        slots *= 2;
    e->slots = hsv1_new(c, slots, sizeof *e->slots);
    e->mask = slots - 1;
    e->parts = 1 + 2 * c->test.rows / (ERROR_SLOTS + 1);
    for (e->part = 0; e->part < e->parts; e->part++) {
        memset(e->slots, 0, slots * sizeof *e->slots);
        e->filled = 0;
        for (e->stage = 0; e->stage < 3; e->stage++)
            if (e->stage == 1)
                hsv1_every_row(c, &c->data, error_row, e); /* those that are left out, too */
            else
                hsv1_each_row(c, &c->test, error_row, e);
    }
}

/* ---- Files that can be compared -------------------------------------------------------------- */

static int error_same_values(const hsv1_json *a, const hsv1_json *b)
{
    if (!a || !b) return a == b;
    if (a->count != b->count) return 0;
    for (a = a->child, b = b->child; a; a = a->next, b = b->next)
        if (a->size != b->size || memcmp(a->text, b->text, a->size) != 0) return 0;
    return 1;
}

static int error_same_field(const hsv1_field *a, const hsv1_field *b)
{
    return a->kind == b->kind && a->indicator == b->indicator && a->has_mean == b->has_mean &&
           (!a->has_mean || mpq_equal(*a->mean, *b->mean)) &&
           error_same_values(a->values, b->values);
}

/* The same text is the same row in both files, and of the same class: else a row of DATA could be
 * taken for another one. */
static void error_alike(hsv1_checker *c)
{
    hsv1_table *a = &c->data, *b = &c->test;
    int same = a->is_csv == b->is_csv && a->index_base == b->index_base &&
               a->separator == b->separator && a->missing == b->missing &&
               a->field_count == b->field_count;
    for (size_t k = 0; same && k < a->field_count; k++)
        same = error_same_field(a->fields + k, b->fields + k);
    if (!same) hsv1_reject(c, "error: the two files are not read in the same way");
    if (!memcmp(a->digest, b->digest, sizeof a->digest))
        hsv1_reject(c, "error: the two files are the same");
    for (size_t i = 0; i < b->label_count; i++)
        if (hsv1_label_find(a, b->labels[i].text, b->labels[i].size) == -b->labels[i].y)
            hsv1_reject(c, "error: label %s is positive in one file and negative in the other",
                       hsv1_quote(c, b->labels[i].text));
}

/* ---- The binomial tail, from above ----------------------------------------------------------- */

#define ERROR_BITS  300000    /* of a term: shorter ones are exact */
#define ERROR_POWER 200000000 /* bits of the denominator */

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

/* x *= above / below */
static void error_times(error_upper *x, const mpz_t above, const mpz_t below)
{
    mpz_mul(*x->mantissa, *x->mantissa, above);
    if (!mpz_divisible_p(*x->mantissa, below)) {
        const mp_bitcnt_t more = 64 + mpz_sizeinbase(below, 2);
        mpz_mul_2exp(*x->mantissa, *x->mantissa, more);
        x->exponent -= (long)more;
    }
    mpz_cdiv_q(*x->mantissa, *x->mantissa, below);
    error_round(x);
}

static void error_add(error_upper *sum, const error_upper *term, mpz_t scratch)
{
    if (!mpz_sgn(*sum->mantissa)) sum->exponent = term->exponent;
    const long apart = term->exponent - sum->exponent;
    if (apart >= 0) {
        mpz_mul_2exp(scratch, *term->mantissa, (mp_bitcnt_t)apart);
    } else {
        mpz_mul_2exp(*sum->mantissa, *sum->mantissa, (mp_bitcnt_t)-apart);
        mpz_set(scratch, *term->mantissa);
        sum->exponent = term->exponent;
    }
    mpz_add(*sum->mantissa, *sum->mantissa, scratch);
    error_round(sum);
}

/* x = base^n */
static void error_power(error_upper *x, error_upper *base, uint64_t n)
{
    for (; n; n /= 2) {
        if (n % 2) {
            mpz_mul(*x->mantissa, *x->mantissa, *base->mantissa);
            x->exponent += base->exponent;
            error_round(x);
        }
        mpz_mul(*base->mantissa, *base->mantissa, *base->mantissa);
        base->exponent *= 2;
        error_round(base);
    }
}

/* P[Bin(n, p) <= m] <= delta? With p = a / q the terms are over q^n; they grow from (q - a)^n by
 * (n - k) a / ((k + 1) (q - a)). */
static int error_tail(hsv1_checker *c, uint64_t n, uint64_t m, const mpq_t p, const mpq_t delta)
{
    mpz_t *z = hsv1_integers(c, 7);
    error_upper term = {z, 0}, sum = {z + 1, 0}, base = {z + 2, 0};
    if (n * mpz_sizeinbase(mpq_denref(p), 2) > ERROR_POWER)
        hsv1_reject(c, "error: upper has too many digits for so many rows");
    mpz_sub(z[3], mpq_denref(p), mpq_numref(p));
    mpz_set(*base.mantissa, z[3]);
    mpz_set_ui(*term.mantissa, 1);
    error_power(&term, &base, n);
    for (uint64_t k = 0; k <= m; k++) {
        error_add(&sum, &term, z[4]);
        mpz_mul_ui(z[5], mpq_numref(p), n - k);
        mpz_mul_ui(z[6], z[3], k + 1);
        error_times(&term, z[5], z[6]);
    }
    mpz_mul(z[4], *sum.mantissa, mpq_denref(delta)); /* sum <= delta q^n */
    mpz_pow_ui(z[5], mpq_denref(p), n);
    mpz_mul(z[5], z[5], mpq_numref(delta));
    mpz_mul_2exp(z[sum.exponent >= 0 ? 4 : 5], z[sum.exponent >= 0 ? 4 : 5],
                 (mp_bitcnt_t)(sum.exponent >= 0 ? sum.exponent : -sum.exponent));
    return mpz_cmp(z[4], z[5]) <= 0;
}

/* What was counted, and whose error that bounds: of the rows that the test rows were drawn from. */
static void error_say(hsv1_checker *c, const hsv1_json *claim, const error_count *e)
{
    const hsv1_json *upper = hsv1_find(claim, "upper"), *delta = hsv1_find(claim, "delta");
    const int some = c->test.unused > 0;
    hsv1_say(c, "error: %llu mistakes on %llu rows of test that are not in data (%s).",
            (unsigned long long)e->mistakes, (unsigned long long)e->rows, c->data.said);
    if (e->shared)
        hsv1_say(c, "error: %llu rows of test are in data, and do not count.",
                (unsigned long long)e->shared);
    hsv1_say(c,
            "error: if rows come independently, the %s%s%s%s%s is at most %.*s with probability at "
            "least 1 - %.*s.",
            e->shared || some ? "error on rows" : "true error", some ? " of these labels" : "",
            some && c->test.missing == HSV1_MISSING_DROP ? " without missing values" : "",
            e->shared ? " that are not in data " : "", e->shared ? c->data.said : "",
            (int)upper->size, upper->text, (int)delta->size, delta->text);
}

void hsv1_claim_error(hsv1_checker *c, const hsv1_json *claim)
{
    error_count e = {.work = hsv1_integers(c, 2)};
    mpq_t *q = hsv1_rationals(c, 2);
    hsv1_members(c, claim, "claim kernel separator tie shared rows mistakes delta upper");
    if (!c->has_test) hsv1_unreadable(c, "the certificate has no test file");
    error_alike(c);
    hsv1_scorer_read(c, claim, hsv1_kernel_read(c, claim, 0), &e.scorer);
    e.tie = hsv1_get_choice(c, claim, "tie", "negative positive mistake");
    hsv1_get_number(c, claim, "delta", q[0]);
    hsv1_get_number(c, claim, "upper", q[1]);
    if (mpq_sgn(q[0]) <= 0 || mpq_cmp_ui(q[0], 1, 1) >= 0)
        hsv1_unreadable(c, "delta must be between 0 and 1");
    if (mpq_sgn(q[1]) <= 0 || mpq_cmp_ui(q[1], 1, 1) > 0)
        hsv1_reject(c, "upper must be above 0 and at most 1");
    error_run(c, &e);
    const uint64_t shared = hsv1_find(claim, "shared") ? hsv1_get_count(c, claim, "shared") : 0;
    if (e.shared != shared)
        hsv1_reject(c, "%llu rows of test are in data, %llu are certified",
                   (unsigned long long)e.shared, (unsigned long long)shared);
    if (e.rows != hsv1_get_count(c, claim, "rows") ||
        e.mistakes != hsv1_get_count(c, claim, "mistakes"))
        hsv1_reject(c, "%llu mistakes on %llu rows are not what is certified",
                   (unsigned long long)e.mistakes, (unsigned long long)e.rows);
    if (!e.rows) hsv1_reject(c, "no row of the test file is left");
    if (mpq_cmp_ui(q[1], 1, 1) < 0 && !error_tail(c, e.rows, e.mistakes, q[1], q[0]))
        hsv1_reject(c, "so few mistakes are more likely than delta if the error is upper");
    error_say(c, claim, &e);
}
