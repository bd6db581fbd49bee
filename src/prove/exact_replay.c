/* A run of the perceptron, made again with the decimals of the file.
 *
 * Rows are made whole numbers by one factor M = 10^digits 2^bits; the column c that the offset
 * stands for and Delta of a soft run too. With the sum v of y x over the updates so far, the score
 * of row i before the rate is
 *
 *     <v, x_i> + (sum of y) c^2 + y_i Delta^2 (updates of row i)
 *
 * in units of 1 / M^2, and R^2, the largest <x, x>, is a whole number of them. The row is a mistake
 * when y times that, times the rate, is below tau, or not above 0 where tau is 0. */
#include "base/base.h"
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

#include <stdlib.h>

#include "data/scale.h"

#define REPLAY_ENTRIES ((uint64_t)1 << 22) /* numbers kept, at most */
#define REPLAY_WORK    2e8                 /* products, at most */

/* How the columns are scaled: x -> (x - shift / 2^p) factor / 2^q. */
typedef struct replay_scaling {
    mpz_t *shift, *factor;
    unsigned long p, q;
    int plain; /* x stays x */
} replay_scaling;

typedef struct replay {
    hsp_context *ctx;
    hsp__mpz_scratch numbers;
    const hsp__exact_source *source;
    const hsp__exact_run *run;
    replay_scaling *scaling; /* cols; NULL: rows are as they are */
    unsigned char *needed;   /* rows: they are visited */
    uint64_t *start; /* rows + 1: where their entries begin; none of rows that are not needed */
    uint32_t *column;
    mpz_t *x;
    uint64_t entries;
    unsigned long digits, bits;
    mpz_t *v; /* cols */
    int64_t turn;
    uint64_t *count;
    mpz_t c2, soft2, gain, limit; /* y s gain < limit is a mistake */
    mpz_t score, scratch;
} replay;

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A double as m 2^-*power, m whole. */
static void replay_binary(double value, mpz_t m, unsigned long *power)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    mpz_set_d(m, ldexp(fraction, 53));
    exponent -= 53;
    while (exponent < 0 && mpz_sgn(m) && mpz_even_p(m)) {
        mpz_fdiv_q_2exp(m, m, 1);
        exponent++;
    }
    if (exponent > 0) mpz_mul_2exp(m, m, (mp_bitcnt_t)exponent);
    *power = exponent < 0 && mpz_sgn(m) ? (unsigned long)-exponent : 0;
}

/* value times M, for a decimal that `digits` has room for. */
static void replay_whole(const replay *r, double value, mpz_t out)
{
    long exponent;
    mpz_t ten;
    mpz_init(ten);
    hsp__exact_decimal(value, out, &exponent);
    mpz_ui_pow_ui(ten, 10, (unsigned long)((long)r->digits + exponent));
    mpz_mul(out, out, ten);
    mpz_mul_2exp(out, out, r->bits);
    mpz_clear(ten);
}

static void replay_room(replay *r, long exponent)
{
    if (-exponent > (long)r->digits) r->digits = (unsigned long)-exponent;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* How the columns are scaled, and how many digits and bits make everything whole. */
static hsp_status replay_measure(replay *r, hsp_error *err)
{
    const hsp_view *view = r->source->view;
    const hsp_scaling *scaling = r->run->scaling;
    long exponent;
    if (scaling) {
        mpz_t *numbers = hsp__mpz_new(&r->numbers, 2 * view->cols);
        r->scaling = hsp__scratch_new(&r->numbers.scratch, view->cols, sizeof *r->scaling);
        if (r->numbers.scratch.failed) return hsp__fail_memory(err);
        for (uint64_t j = 0; j < view->cols; j++) {
            replay_scaling *to = &r->scaling[j];
            const int inside = j < hsp_scaling_cols(scaling);
            const double shift = inside ? hsp_scaling_shift(scaling, j) : 0;
            const double factor = inside ? hsp_scaling_factor(scaling, j) : 1;
            *to = (replay_scaling){.shift = &numbers[2 * j],
                                   .factor = &numbers[2 * j + 1],
                                   .plain = shift == 0 && factor == 1};
            replay_binary(shift, *to->shift, &to->p);
            replay_binary(factor, *to->factor, &to->q);
            if (to->p + to->q > r->bits) r->bits = to->p + to->q;
        }
    }
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint64_t count = r->needed[i] ? hsp__view_row(view, i).count : 0;
        for (uint64_t k = 0; k < count; k++) {
            hsp__exact_entry(r->source, i, k, r->scratch, &exponent);
            replay_room(r, exponent);
        }
    }
    if (r->run->offset == 'a') {
        hsp__exact_decimal(r->run->constant, r->scratch, &exponent);
        replay_room(r, exponent);
    }
    hsp__exact_decimal(r->run->soft, r->scratch, &exponent);
    replay_room(r, exponent);
    return HSP_OK;
}

/* One row, written behind the entries so far. */
static void replay_load_row(replay *r, uint64_t i, mpz_t *powers, mpz_t square)
{
    const hsp_view *view = r->source->view;
    const hsp__row row = hsp__view_row(view, i);
    mpz_set_ui(square, 0);
    for (uint64_t k = 0, j = 0; r->scaling ? j < view->cols : k < row.count; j++) {
        long exponent = 0;
        mpz_t *x = &r->x[r->entries];
        const uint64_t at = r->scaling ? j : hsp__row_column(&row, k);
        const replay_scaling *s = r->scaling ? &r->scaling[at] : NULL;
        mpz_set_ui(*x, 0); /* of a column without an entry */
        if (k < row.count && hsp__row_column(&row, k) == at)
            hsp__exact_entry(r->source, i, k++, *x, &exponent);
        mpz_ui_pow_ui(powers[1], 10, (unsigned long)((long)r->digits + exponent));
        mpz_mul(*x, *x, powers[1]);
        /* x becomes (x - shift) factor, times M */
        if (s && !s->plain) {
            mpz_mul_2exp(*x, *x, s->p);
            mpz_submul(*x, *s->shift, powers[0]);
            mpz_mul(*x, *x, *s->factor);
        }
        mpz_mul_2exp(*x, *x, r->bits - (s && !s->plain ? s->p + s->q : 0));
        if (!mpz_sgn(*x)) continue;
        mpz_addmul(square, *x, *x);
        r->column[r->entries++] = (uint32_t)at;
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

/* c^2, Delta^2 and what a score is compared with. */
static void replay_constants(replay *r)
{
    const hsp__exact_run *run = r->run;
    long rate, tau;
    if (run->offset == 'u' || run->offset == 'a') {
        replay_whole(r, run->offset == 'u' ? 1 : run->constant, r->c2);
        mpz_mul(r->c2, r->c2, r->c2);
    }
    replay_whole(r, run->soft, r->soft2);
    mpz_mul(r->soft2, r->soft2, r->soft2);
    hsp__exact_decimal(run->rate, r->gain, &rate);
    hsp__exact_decimal(run->tau, r->limit, &tau);
    replay_whole(r, 1, r->scratch);
    mpz_mul(r->scratch, r->scratch, r->scratch);
    mpz_mul(r->limit, r->limit, r->scratch);
    mpz_ui_pow_ui(r->scratch, 10, (unsigned long)labs(rate - tau));
    if (rate >= tau)
        mpz_mul(r->gain, r->gain, r->scratch);
    else
        mpz_mul(r->limit, r->limit, r->scratch);
}

static int replay_wrong(replay *r, uint64_t i)
{
    const int positive = r->source->y[i] > 0;
    mpz_set_ui(r->score, 0);
    for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
        mpz_addmul(r->score, r->v[r->column[k]], r->x[k]);
    mpz_set_si(r->scratch, (long)r->turn);
    mpz_addmul(r->score, r->c2, r->scratch);
    if (!positive) mpz_neg(r->score, r->score);
    mpz_addmul_ui(r->score, r->soft2, (unsigned long)r->count[i]);
    mpz_mul(r->score, r->score, r->gain);
    const int compared = mpz_cmp(r->score, r->limit);
    if (compared || r->run->tau > 0) return compared < 0;
    return !(r->run->tie_positive && positive);
}

static void replay_update(replay *r, uint64_t i)
{
    for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
        if (r->source->y[i] > 0)
            mpz_add(r->v[r->column[k]], r->v[r->column[k]], r->x[k]);
        else
            mpz_sub(r->v[r->column[k]], r->v[r->column[k]], r->x[k]);
    }
    r->turn += r->source->y[i];
    r->count[i]++;
}

static hsp_status replay_again(replay *r, uint64_t passes, const uint64_t *sequence,
                               uint64_t updates, hsp_error *err, hsp__exact_replay *outcome,
                               uint64_t *at)
{
    const uint64_t rows = r->source->view->rows;
    mpz_t powers[2], square;
    HSP__TRY(replay_measure(r, err));
    mpz_inits(powers[0], powers[1], square, NULL);
    mpz_ui_pow_ui(powers[0], 10, r->digits);
    for (uint64_t i = 0; i < rows; i++) { /* those that are needed; of c = R, R^2 */
        if (r->needed[i]) replay_load_row(r, i, powers, square);
        r->start[i + 1] = r->entries;
        if (r->needed[i] && r->run->offset == 'r' && mpz_cmp(square, r->c2) > 0)
            mpz_set(r->c2, square);
    }
    mpz_clears(powers[0], powers[1], square, NULL);
    replay_constants(r);
    for (uint64_t k = 0; sequence && k < updates; k++) {
        if (!replay_wrong(r, sequence[k])) {
            *outcome = HSP__REPLAY_DIFFERS;
            *at = k;
            return HSP_OK;
        }
        replay_update(r, sequence[k]);
        if (k % 256 == 0) HSP__TRY(hsp__progress(r->ctx, "replaying", "updates", k, updates, err));
    }
    for (uint64_t seen = 0; !sequence && seen < rows * passes; seen++) {
        if (replay_wrong(r, seen % rows)) replay_update(r, seen % rows);
        if (seen % 256 == 0)
            HSP__TRY(hsp__progress(r->ctx, "replaying", "rows", seen, rows * passes, err));
    }
    return HSP_OK;
}

hsp_status hsp__exact_replay_run(hsp_context *ctx, const hsp__exact_source *source,
                                 const hsp__exact_run *run, uint64_t passes,
                                 const uint64_t *sequence, uint64_t updates, uint64_t *count,
                                 hsp_error *err, hsp__exact_replay *outcome, uint64_t *at)
{
    const hsp_view *view = source->view;
    const uint64_t rows = view->rows;
    uint64_t entries = 0, needed = 0;
    replay r = {.ctx = ctx,
                .numbers.scratch.memory = &ctx->allocator,
                .source = source,
                .run = run,
                .count = count};
    hsp__scratch *scratch = &r.numbers.scratch;
    *outcome = HSP__REPLAY_SAME;
    r.needed = hsp__scratch_new(scratch, rows, 1);
    if (!r.needed) return hsp__fail_memory(err);
    /* R is that of all rows */
    memset(r.needed, !sequence || run->offset == 'r', rows);
    for (uint64_t k = 0; sequence && k < updates; k++)
        r.needed[sequence[k]] = 1;
    for (uint64_t i = 0; i < rows; i++) {
        needed += r.needed[i];
        if (r.needed[i]) entries += run->scaling ? view->cols : hsp__view_row(view, i).count;
    }
    const double visits = (double)(sequence ? updates : passes * rows);
    const double work = needed ? visits * ((double)entries / (double)needed) : 0;
    hsp_status status = HSP_OK;
    if (entries > REPLAY_ENTRIES || work > REPLAY_WORK) {
        *outcome = HSP__REPLAY_LONG;
    } else {
        r.start = hsp__scratch_new(scratch, rows + 1, sizeof *r.start);
        r.column = hsp__scratch_raw(scratch, entries + 1, sizeof *r.column);
        r.x = hsp__mpz_new(&r.numbers, entries + 1); /* one more: an entry that turns out to be 0 */
        r.v = hsp__mpz_new(&r.numbers, view->cols);
        mpz_inits(r.c2, r.soft2, r.gain, r.limit, r.score, r.scratch, NULL);
        status = scratch->failed ? hsp__fail_memory(err)
                                 : replay_again(&r, passes, sequence, updates, err, outcome, at);
        mpz_clears(r.c2, r.soft2, r.gain, r.limit, r.score, r.scratch, NULL);
    }
    hsp__mpz_free(&r.numbers);
    return status;
}

/* ---- Winnow ---------------------------------------------------------------------------------- */

#define POWERS_BITS 1e6 /* of a power, at most */

/* sum += times alpha^e, times p^most 2^(q most): p^(e + most) 2^(q (most - e)), where alpha = p /
 * 2^q. */
static void powers_add(mpz_t sum, const mpz_t p, unsigned long q, int64_t e, int64_t most,
                       unsigned long times, int negative, mpz_t scratch)
{
    mpz_pow_ui(scratch, p, (unsigned long)(e + most));
    mpz_mul_2exp(scratch, scratch, q * (unsigned long)(most - e));
    if (negative)
        mpz_submul_ui(sum, scratch, times);
    else
        mpz_addmul_ui(sum, scratch, times);
}

int hsp__exact_powers_sign(double alpha, double theta, int balanced, const int64_t *e,
                           const uint32_t *times, uint64_t count)
{
    mpz_t p, sum, limit, scratch;
    unsigned long q;
    long exponent;
    int64_t most = 0;
    int sign = 2;
    for (uint64_t k = 0; k < count; k++)
        most = llabs(e[k]) > most ? llabs(e[k]) : most;
    mpz_inits(p, sum, limit, scratch, NULL);
    replay_binary(alpha, p, &q);
    if (2 * (double)most * ((double)mpz_sizeinbase(p, 2) + (double)q) < POWERS_BITS) {
        for (uint64_t k = 0; k < count; k++) {
            powers_add(sum, p, q, e[k], most, times[k], 0, scratch);
            if (balanced) powers_add(sum, p, q, -e[k], most, times[k], 1, scratch);
        }
        hsp__exact_decimal(theta, limit, &exponent);
        mpz_mul_ui(limit, limit, HSP__EXACT_PARTS);
        mpz_pow_ui(scratch, p, (unsigned long)most);
        mpz_mul(limit, limit, scratch);
        mpz_mul_2exp(limit, limit, q * (unsigned long)most);
        mpz_ui_pow_ui(scratch, 10, (unsigned long)labs(exponent));
        if (exponent < 0)
            mpz_mul(sum, sum, scratch);
        else
            mpz_mul(limit, limit, scratch);
        sign = mpz_cmp(sum, limit);
        sign = (sign > 0) - (sign < 0);
    }
    mpz_clears(p, sum, limit, scratch, NULL);
    return sign;
}

#else

hsp_status hsp__exact_replay_run(hsp_context *ctx, const hsp__exact_source *source,
                                 const hsp__exact_run *run, uint64_t passes,
                                 const uint64_t *sequence, uint64_t updates, uint64_t *count,
                                 hsp_error *err, hsp__exact_replay *outcome, uint64_t *at)
{
    (void)ctx, (void)source, (void)run, (void)passes, (void)sequence, (void)updates, (void)count;
    (void)outcome, (void)at;
    return hsp__exact_lacking(err);
}

int hsp__exact_powers_sign(double alpha, double theta, int balanced, const int64_t *e,
                           const uint32_t *times, uint64_t count)
{
    (void)alpha, (void)theta, (void)balanced, (void)e, (void)times, (void)count;
    return 2;
}

#endif
