/* Numbers of any length: from decimals to whole numbers, and back to text. */
#include <float.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/decimal_value.h"
#include "prove/prove.h"
#include "prove/gmp.h"

#define NUMBER_EXPONENT 5000 /* 10^-this and less is too long to be computed with */

/* ---- Decimals -------------------------------------------------------------------------------- */

hsp_status hsp__exact_check(const hsp__exact_source *source, const char *path, hsp_error *err)
{
    for (uint64_t k = 0; k < source->long_count; k++) {
        const char *text = source->longs[k].text;
        char quoted[HSP__QUOTED];
        if (hsp__decimal_value_of(text, strlen(text)).exponent < -NUMBER_EXPONENT)
            return hsp__fail_at(err, HSP_UNSUPPORTED, path, 0, 0,
                                "'%s' is too small for exact arithmetic here; write 0 instead",
                                hsp__quote(text, strlen(text), quoted));
    }
    return HSP_OK;
}

/* ---- What certificates are made of ----------------------------------------------------------- */

void hsp__separation_init(hsp__separation *s, const hsp_allocator *memory)
{
    *s = (hsp__separation){.memory = *memory};
    hsp__text *texts[] = {&s->w, &s->b, &s->low, &s->high, &s->multipliers};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hsp__text_init(texts[i], memory);
}

void hsp__separation_free(hsp__separation *s)
{
    hsp__text *texts[] = {&s->w, &s->b, &s->low, &s->high, &s->multipliers};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hsp__text_free(texts[i]);
    hsp__free(&s->memory, s->weights);
    s->weights = NULL;
}

#ifdef HSP_HAVE_GMP

int hsp__exact_there(void)
{
    return 1;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct hsp__mpz_block {
    struct hsp__mpz_block *before;
    mpz_t *numbers;
    uint64_t count;
};

mpz_t *hsp__mpz_new(hsp__mpz_scratch *numbers, uint64_t count)
{
    struct hsp__mpz_block *block = hsp__scratch_raw(&numbers->scratch, 1, sizeof *block);
    mpz_t *made = hsp__scratch_raw(&numbers->scratch, count, sizeof *made);
    if (!block || !made) return NULL;
    for (uint64_t i = 0; i < count; i++)
        mpz_init(made[i]);
    *block = (struct hsp__mpz_block){numbers->last, made, count};
    numbers->last = block;
    return made;
}

void hsp__mpz_free(hsp__mpz_scratch *numbers)
{
    for (struct hsp__mpz_block *block = numbers->last; block; block = block->before)
        for (uint64_t i = 0; i < block->count; i++)
            mpz_clear(block->numbers[i]);
    hsp__scratch_free(&numbers->scratch);
}

void hsp__exact_parse(const char *text, mpz_t mantissa, long *exponent)
{
    const int negative = *text == '-';
    long places = 0;
    int point = 0;
    mpz_set_ui(mantissa, 0);
    if (*text == '-' || *text == '+') text++;
    for (; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
        if (*text == '.') {
            point = 1;
            continue;
        }
        mpz_mul_ui(mantissa, mantissa, 10);
        mpz_add_ui(mantissa, mantissa, (unsigned long)(*text - '0'));
        places += point;
    }
    *exponent = (*text == 'e' || *text == 'E' ? strtol(text + 1, NULL, 10) : 0) - places;
    if (negative) mpz_neg(mantissa, mantissa);
}

void hsp__exact_decimal(double value, mpz_t mantissa, long *exponent)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, text);
    hsp__exact_parse(text, mantissa, exponent);
}

/* Zeros at the end of a mantissa are digits of nothing. */
static void number_trim(mpz_t mantissa, long *exponent)
{
    if (mpz_sgn(mantissa) == 0) *exponent = 0;
    while (*exponent < 0 && mpz_divisible_ui_p(mantissa, 10)) {
        mpz_divexact_ui(mantissa, mantissa, 10);
        ++*exponent;
    }
}

/* The first number of the list that is of this row and column or later. */
static uint64_t number_first_long(const hsp__exact_source *source, uint64_t row, uint64_t column)
{
    uint64_t low = 0, high = source->long_count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const hsp__long_decimal *at = &source->longs[middle];
        if (at->row < row || (at->row == row && at->column < column))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void hsp__exact_entry(const hsp__exact_source *source, uint64_t i, uint64_t k, mpz_t mantissa,
                      long *exponent)
{
    char buffer[HSP__DECIMAL_MAX];
    const hsp__row row = hsp__view_row(source->view, i);
    const double x = hsp__row_value(source->view, &row, k);
    if (source->stored) { /* m / 2^k = m 5^k / 10^k */
        int power;
        mpz_t fives;
        mpz_set_d(mantissa, ldexp(frexp(x, &power), DBL_MANT_DIG));
        power -= DBL_MANT_DIG;
        *exponent = power < 0 ? power : 0;
        mpz_init(fives);
        mpz_ui_pow_ui(fives, 5, (unsigned long)-*exponent);
        mpz_mul(mantissa, mantissa, fives);
        mpz_clear(fives);
        if (power > 0) mpz_mul_2exp(mantissa, mantissa, (mp_bitcnt_t)power);
    } else {
        const uint64_t column = hsp__row_column(&row, k);
        const uint64_t at = source->long_count ? number_first_long(source, i, column) : 0;
        const char *text = buffer;
        if (at < source->long_count && source->longs[at].row == i &&
            source->longs[at].column == column)
            text = source->longs[at].text;
        else if (source->view->precision == HSP_FLOAT32)
            hsp__decimal_print_f32((float)x, buffer);
        else
            hsp__decimal_print_f64(x, buffer);
        hsp__exact_parse(text, mantissa, exponent);
    }
    number_trim(mantissa, exponent);
}

void hsp__exact_row(const hsp__exact_source *source, uint64_t i, hsp__exact_entry_fn fn, void *user)
{
    const hsp__row row = hsp__view_row(source->view, i);
    mpz_t mantissa;
    long exponent;
    mpz_init(mantissa);
    for (uint64_t k = 0; k < row.count; k++) {
        if (hsp__row_value(source->view, &row, k) == 0) continue;
        hsp__exact_entry(source, i, k, mantissa, &exponent);
        fn(user, hsp__row_column(&row, k), mantissa, exponent);
    }
    for (uint64_t at = number_first_long(source, i, 0);
         at < source->long_count && source->longs[at].row == i; at++) {
        if (hsp__view_entry(source->view, i, source->longs[at].column) != 0) continue;
        hsp__exact_parse(source->longs[at].text, mantissa, &exponent);
        number_trim(mantissa, &exponent);
        fn(user, source->longs[at].column, mantissa, exponent);
    }
    mpz_clear(mantissa);
}

typedef struct number_fill {
    long digits; /* behind the point, at most */
    mpz_t *x;    /* the row; NULL: only the digits are looked for */
    mpz_t ten;
} number_fill;

static void number_put_entry(void *user, uint64_t column, mpz_t mantissa, long exponent)
{
    number_fill *fill = user;
    if (!fill->x) {
        if (-exponent > fill->digits) fill->digits = -exponent;
        return;
    }
    mpz_ui_pow_ui(fill->ten, 10, (unsigned long)(fill->digits + exponent));
    mpz_mul(fill->x[column], mantissa, fill->ten);
}

hsp_status hsp__exact_matrix_read(hsp__mpz_scratch *numbers, const hsp__exact_source *source,
                                  const uint64_t *rows, uint64_t count, hsp_error *err,
                                  hsp__exact_matrix *out)
{
    const hsp_view *view = source->view;
    const uint64_t n = rows ? count : view->rows;
    mpz_t *x = hsp__mpz_new(numbers, n * view->cols);
    number_fill fill = {.digits = 0};
    if (!x) return hsp__fail_memory(err);
    mpz_init(fill.ten);
    for (int round = 0; round < 2; round++) /* find out how many digits, then use them */
        for (uint64_t r = 0; r < n; r++) {
            fill.x = round ? x + r * view->cols : NULL;
            hsp__exact_row(source, rows ? rows[r] : r, number_put_entry, &fill);
        }
    mpz_clear(fill.ten);
    *out = (hsp__exact_matrix){n, view->cols, (unsigned long)fill.digits, x};
    return HSP_OK;
}

/* ---- Text ------------------------------------------------------------------------------------ */

void hsp__exact_format(hsp__text *text, const mpz_t number)
{
    char *room = hsp__text_room(text, mpz_sizeinbase(number, 10) + 2);
    if (!room) return;
    mpz_get_str(room, 10, number);
    text->size += strlen(room);
}

void hsp__exact_write_entry(hsp__text *text, uint64_t index, const mpz_t number)
{
    hsp__claim_entry(text, index);
    hsp__claim_open(text, NULL, '"');
    hsp__exact_format(text, number);
    hsp__text_puts(text, "\"]");
}

void hsp__exact_write_multipliers(hsp__separation *to, const uint64_t *rows, mpz_t *a,
                                  uint64_t count)
{
    to->used = 0;
    to->multipliers.size = 0;
    hsp__claim_open(&to->multipliers, NULL, '[');
    for (uint64_t i = 0; i < count; i++) {
        if (mpz_sgn(a[i]) == 0) continue;
        hsp__exact_write_entry(&to->multipliers, rows ? rows[i] : i, a[i]);
        to->used++;
    }
    hsp__claim_close(&to->multipliers, ']');
}

void hsp__exact_format_scaled(hsp__text *text, const mpz_t number, long exponent)
{
    hsp__text digits;
    hsp__text_init(&digits, &text->memory);
    hsp__exact_format(&digits, number);
    const char *at = digits.data ? digits.data : "0";
    size_t count = digits.data ? digits.size : 1;
    if (digits.failed) text->failed = 1;
    if (*at == '-') {
        hsp__text_puts(text, "-");
        at++;
        count--;
    }
    while (exponent < 0 && count > 1 && at[count - 1] == '0') {
        count--;
        exponent++;
    }
    const long whole = (long)count + exponent; /* digits before the point */
    if (exponent < 0 && whole > 0) {
        hsp__text_add(text, at, (size_t)whole);
        hsp__text_puts(text, ".");
        hsp__text_add(text, at + whole, count - (size_t)whole);
    } else if (exponent < 0 && whole > -6) {
        hsp__text_printf(text, "0.%.*s", (int)-whole, "00000");
        hsp__text_add(text, at, count);
    } else {
        hsp__text_add(text, at, count);
        if (exponent && !(count == 1 && *at == '0')) hsp__text_printf(text, "e%ld", exponent);
    }
    hsp__text_free(&digits);
}

double hsp__exact_format_root(hsp__text *text, const mpz_t num, const mpz_t den, long exponent,
                              int up)
{
    const long bits = (long)mpz_sizeinbase(num, 2) - (long)mpz_sizeinbase(den, 2);
    const long places = 14 - (long)floor((double)bits * 0.5 * 0.30103); /* of the root */
    mpz_t scaled, ten, rest;
    mpz_inits(scaled, ten, rest, NULL);
    mpz_ui_pow_ui(ten, 10, (unsigned long)(2 * labs(places)));
    mpz_set(scaled, num);
    mpz_set(rest, den);
    if (places >= 0)
        mpz_mul(scaled, scaled, ten);
    else
        mpz_mul(rest, rest, ten);
    if (up)
        mpz_cdiv_q(scaled, scaled, rest);
    else
        mpz_fdiv_q(scaled, scaled, rest);
    mpz_sqrtrem(scaled, rest, scaled);
    if (up && mpz_sgn(rest)) mpz_add_ui(scaled, scaled, 1);
    hsp__exact_format_scaled(text, scaled, exponent - places);
    const double value = mpz_get_d(scaled) * pow(10, (double)(exponent - places));
    mpz_clears(scaled, ten, rest, NULL);
    return value;
}

#else

int hsp__exact_there(void)
{
    return 0;
}

hsp_status hsp__exact_lacking(hsp_error *err)
{
    return hsp__fail(err, HSP_UNSUPPORTED,
                     "this build is without GMP, which exact arithmetic needs; install libgmp-dev "
                     "and build again");
}

#endif
