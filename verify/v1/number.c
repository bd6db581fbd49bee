/* Exact numbers: decimals, fractions, hexadecimal floats; lists of them; and back to text. */
#include <stdlib.h>
#include <string.h>

#include "check1.h"

#define NUMBER_SIZE       20000   /* characters */
#define NUMBER_EXPONENT   5000    /* of ten */
#define NUMBER_EXPONENT_2 20000   /* of two */
#define NUMBER_BELOW      2000000 /* bits of a common denominator */

/* [+-] digits [. digits] [e [+-] digits]: mantissa 10^exponent. 0: it is not one, or too long. */
int hsv1_decimal(const char *text, size_t size, mpz_t mantissa, long *exponent)
{
    const char *p = text, *end = text + size;
    const int negative = p < end && *p == '-';
    uint64_t small = 0;
    size_t digits = 0, behind = 0;
    if (size > NUMBER_SIZE) return 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    for (int point = 0; p < end; p++) {
        if (*p == '.' && !point) {
            point = 1;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        small = digits < 18 ? small * 10 + (uint64_t)(*p - '0') : small;
        digits++;
        behind += (size_t)point;
    }
    if (!digits) return 0;
    const char *past = p;
    long e = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const int minus = ++p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) p++;
        if (p == end) return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (e <= NUMBER_EXPONENT) e = e * 10 + (*p - '0');
        e = minus ? -e : e;
    }
    if (p != end || e > NUMBER_EXPONENT || e < -NUMBER_EXPONENT) return 0;
    *exponent = e - (long)behind;
    if (digits <= 18) {
        mpz_set_ui(mantissa, small);
    } else { /* long, and rare */
        mpz_set_ui(mantissa, 0);
        for (const char *q = first; q < past; q++) {
            if (*q == '.') continue;
            mpz_mul_ui(mantissa, mantissa, 10);
            mpz_add_ui(mantissa, mantissa, (unsigned long)(*q - '0'));
        }
    }
    if (negative) mpz_neg(mantissa, mantissa);
    return 1;
}

static int number_decimal(const char *text, size_t size, mpq_t out)
{
    long exponent;
    if (!hsv1_decimal(text, size, mpq_numref(out), &exponent)) return 0;
    mpz_ui_pow_ui(mpq_denref(out), 10, (unsigned long)labs(exponent));
    if (exponent > 0) {
        mpz_mul(mpq_numref(out), mpq_numref(out), mpq_denref(out));
        mpz_set_ui(mpq_denref(out), 1);
    }
    mpq_canonicalize(out);
    return 1;
}

/* [-] 0x digits [. digits] p [+-] digits */
static int number_hexadecimal(const char *text, size_t size, mpq_t out)
{
    const char *p = text, *end = text + size;
    const int negative = *p == '-';
    long exponent = 0, behind = 0;
    size_t digits = 0;
    p += negative + 2;
    mpz_set_ui(mpq_numref(out), 0);
    mpz_set_ui(mpq_denref(out), 1);
    for (int point = 0; p < end && *p != 'p'; p++) {
        static const char names[] = "0123456789abcdef";
        if (*p == '.' && !point) {
            point = 1;
            continue;
        }
        const char *at = *p ? strchr(names, *p) : NULL;
        if (!at) return 0;
        mpz_mul_2exp(mpq_numref(out), mpq_numref(out), 4);
        mpz_add_ui(mpq_numref(out), mpq_numref(out), (unsigned long)(at - names));
        digits++;
        behind += 4 * point;
    }
    if (!digits || end - p < 2) return 0;
    const int minus = *++p == '-';
    if (*p == '-' || *p == '+') p++;
    if (p == end) return 0;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return 0;
        if (exponent <= NUMBER_EXPONENT_2) exponent = exponent * 10 + (*p - '0');
    }
    if (exponent > NUMBER_EXPONENT_2) return 0;
    exponent = (minus ? -exponent : exponent) - behind;
    if (negative) mpz_neg(mpq_numref(out), mpq_numref(out));
    if (exponent >= 0)
        mpq_mul_2exp(out, out, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(out, out, (mp_bitcnt_t)-exponent);
    return 1;
}

/* [-] digits / digits */
static int number_fraction(const char *text, size_t size, mpq_t out)
{
    const char *slash = memchr(text, '/', size);
    const size_t above = (size_t)(slash - text), below = size - above - 1;
    if (!above || !below || strspn(slash + 1, "0123456789") != below) return 0;
    if (strspn(text + (*text == '-'), "0123456789") + (*text == '-') != above) return 0;
    if (above == 1 && *text == '-') return 0;
    char *copy = malloc(above + 1);
    if (!copy) return 0;
    memcpy(copy, text, above);
    copy[above] = 0;
    mpz_set_str(mpq_numref(out), copy, 10);
    mpz_set_str(mpq_denref(out), slash + 1, 10);
    free(copy);
    if (!mpz_sgn(mpq_denref(out))) {
        mpq_set_ui(out, 0, 1);
        return 0;
    }
    mpq_canonicalize(out);
    return 1;
}

void hsv1_number(hsv1_checker *c, const hsv1_json *value, const char *what, mpq_t out)
{
    int sound = 0;
    if ((value->type == HSV1_STRING || value->type == HSV1_NUMBER) && value->size &&
        value->size <= NUMBER_SIZE) {
        const char *text = value->text;
        const char *start = text + (*text == '-');
        if (value->type == HSV1_STRING && memchr(text, '/', value->size))
            sound = number_fraction(text, value->size, out);
        else if (value->type == HSV1_STRING && start[0] == '0' && start[1] == 'x')
            sound = number_hexadecimal(text, value->size, out);
        else
            sound = number_decimal(text, value->size, out);
    }
    if (!sound)
        hsv1_unreadable(c, "%s: found \"%.*s\", expected an exact number", what,
                       (int)(value->size < 60 ? value->size : 60), value->text ? value->text : "");
}

void hsv1_get_number(hsv1_checker *c, const hsv1_json *object, const char *key, mpq_t out)
{
    const hsv1_json *m = hsv1_find(object, key);
    if (!m) hsv1_unreadable(c, "member \"%s\" is missing", key);
    hsv1_number(c, m, key, out);
}

/* ---- Many numbers ---------------------------------------------------------------------------- */

/* count numbers, made whole numbers over their common denominator. */
static void number_common(hsv1_checker *c, mpq_t *numbers, size_t count, const char *what,
                          mpz_t *out, mpz_t below)
{
    mpz_t *factor = hsv1_integers(c, 1);
    mpz_set_ui(below, 1);
    for (size_t i = 0; i < count; i++) {
        if (mpz_divisible_p(below, mpq_denref(numbers[i]))) continue;
        mpz_lcm(below, below, mpq_denref(numbers[i]));
        const size_t bits = mpz_sizeinbase(below, 2);
        if (bits > NUMBER_BELOW || bits > HSV1_BITS_ALL / count)
            hsv1_unreadable(c, "%s: the common denominator is too long", what);
    }
    for (size_t i = 0; i < count; i++) {
        mpz_divexact(*factor, below, mpq_denref(numbers[i]));
        mpz_mul(out[i], *factor, mpq_numref(numbers[i]));
    }
}

void hsv1_get_numbers(hsv1_checker *c, const hsv1_json *array, const char *what, mpz_t *out,
                     mpz_t below)
{
    hsv1_block *mark = hsv1_mark(c);
    mpq_t *numbers = hsv1_rationals(c, array->count);
    size_t i = 0;
    for (const hsv1_json *value = array->child; value; value = value->next)
        hsv1_number(c, value, what, numbers[i++]);
    number_common(c, numbers, array->count, what, out, below);
    hsv1_release(c, mark);
}

void hsv1_get_list(hsv1_checker *c, const hsv1_json *object, const char *key, hsv1_list *list)
{
    const hsv1_json *array = hsv1_get(c, object, key, HSV1_ARRAY);
    uint64_t before = 0;
    size_t i = 0;
    list->count = array->count;
    list->index = hsv1_new(c, array->count, sizeof *list->index);
    list->y = hsv1_new(c, array->count, sizeof *list->y);
    list->value = hsv1_integers(c, array->count);
    list->below = hsv1_integers(c, 1);
    hsv1_block *mark = hsv1_mark(c);
    mpq_t *numbers = hsv1_rationals(c, array->count);
    for (const hsv1_json *pair = array->child; pair; pair = pair->next, i++) {
        if (pair->type != HSV1_ARRAY || pair->count != 2)
            hsv1_unreadable(c, "%s: expected pairs [index, number]", key);
        list->index[i] = hsv1_count(c, pair->child, key);
        if (list->index[i] <= before)
            hsv1_unreadable(c, "%s: %llu does not come behind %llu: numbers are from 1, ascending",
                           key, (unsigned long long)list->index[i], (unsigned long long)before);
        before = list->index[i];
        hsv1_number(c, pair->child->next, key, numbers[i]);
    }
    number_common(c, numbers, list->count, key, list->value, *list->below);
    hsv1_release(c, mark);
}

/* ---- Back to text ---------------------------------------------------------------------------- */

void hsv1_ratio(mpq_t out, const mpz_t above, const mpz_t below)
{
    mpz_set(mpq_numref(out), above);
    mpz_set(mpq_denref(out), below);
    mpq_canonicalize(out);
}

/* The value is digits 10^exponent with six or seven digits; the digits are rounded. */
const char *hsv1_show(hsv1_checker *c, const mpq_t value, int way)
{
    const size_t room = 64;
    char *text = hsv1_new(c, room, 1);
    if (!mpq_sgn(value)) {
        text[0] = '0';
        return text;
    }
    mpz_t *n = hsv1_integers(c, 3);
    const long size =
        (long)mpz_sizeinbase(mpq_numref(value), 10) - (long)mpz_sizeinbase(mpq_denref(value), 10);
    long exponent = size - 6;
    mpz_ui_pow_ui(n[0], 10, (unsigned long)labs(exponent));
    mpz_set(n[1], mpq_numref(value));
    mpz_set(n[2], mpq_denref(value));
    mpz_mul(n[exponent < 0 ? 1 : 2], n[exponent < 0 ? 1 : 2], n[0]);
    if (way < 0)
        mpz_fdiv_q(n[0], n[1], n[2]);
    else
        mpz_cdiv_q(n[0], n[1], n[2]);
    while (mpz_sgn(n[0]) && mpz_divisible_ui_p(n[0], 10)) {
        mpz_divexact_ui(n[0], n[0], 10);
        exponent++;
    }
    if (exponent >= 0 && exponent < 7)
        for (; exponent; exponent--)
            mpz_mul_ui(n[0], n[0], 10);
    const int negative = mpz_sgn(n[0]) < 0;
    mpz_abs(n[0], n[0]);
    char digits[32];
    gmp_snprintf(digits, sizeof digits, "%Zd", n[0]);
    const long count = (long)strlen(digits), point = count + exponent; /* digits before it */
    if (exponent >= 0 && exponent < 7)
        snprintf(text, room, "%s%s", negative ? "-" : "", digits);
    else if (point > 0 && exponent < 0)
        snprintf(text, room, "%s%.*s.%s", negative ? "-" : "", (int)point, digits, digits + point);
    else if (point <= 0 && point > -5)
        snprintf(text, room, "%s0.%.*s%s", negative ? "-" : "", (int)-point, "00000", digits);
    else
        snprintf(text, room, "%s%c%s%se%ld", negative ? "-" : "", digits[0], digits[1] ? "." : "",
                 digits + 1, point - 1);
    return text;
}
