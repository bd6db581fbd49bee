/* Exact numbers: decimals and fractions, and lists of them. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define NUMBER_SIZE     20000               /* characters */
#define NUMBER_EXPONENT 5000                /* of ten */
#define NUMBER_BELOW    2000000             /* bits of a common denominator */
#define NUMBER_ALL      UINT64_C(400000000) /* bits of numbers over one, together */

/* [+-] digits [. digits] [e [+-] digits]: mantissa 10^exponent. 0: it is not one; -1: beyond the limits. */
int hsv_decimal(const char *text, size_t size, mpz_t mantissa, long *exponent)
{
    char digits[NUMBER_SIZE + 1];
    const char *p = text, *end = text + size, *point = NULL;
    size_t count = 0;
    long e = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++)
        if (*p == '.')
            point = p;
        else
            digits[count++ % NUMBER_SIZE] = *p;
    if (!count) return 0;
    digits[count < NUMBER_SIZE ? count : NUMBER_SIZE] = 0;
    mpz_set_str(mantissa, digits, 10);
    if (*text == '-') mpz_neg(mantissa, mantissa);
    const long behind = point ? p - point - 1 : 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const int minus = ++p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) p++;
        if (p == end) return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (e <= NUMBER_EXPONENT) e = e * 10 + (*p - '0');
        e = minus ? -e : e;
    }
    *exponent = e - behind;
    return p != end ? 0 : size > NUMBER_SIZE || labs(e) > NUMBER_EXPONENT ? -1 : 1;
}

/* A decimal, or a fraction of whole numbers. */
void hsv_number(hsv_checker *c, const hsv_json *value, const char *what, mpq_t out)
{
    const char *text = value->text ? value->text : "", *slash = memchr(text, '/', value->size);
    const size_t before = slash ? (size_t)(slash - text) : value->size;
    long exponent = 0;
    mpz_ptr above = mpq_numref(out), below = mpq_denref(out);
    int sound = (value->type == HSV_STRING || value->type == HSV_NUMBER) &&
                hsv_decimal(text, before, above, &exponent) > 0;
    if (sound && slash)
        sound = strspn(text, "-/0123456789") == value->size && slash[1] != '-' &&
                hsv_decimal(slash + 1, value->size - before - 1, below, &exponent) > 0 &&
                mpz_sgn(below);
    if (sound && !slash) mpz_ui_pow_ui(below, 10, (unsigned long)labs(exponent));
    if (!sound)
        hsv_unreadable(c, "%s: found %s, expected an exact number", what,
                       hsv_quote(c, text, value->size));
    if (exponent > 0) mpz_mul(above, above, below);
    if (exponent > 0) mpz_set_ui(below, 1);
    hsv_spend(c, 300 * (mpz_size(above) + mpz_size(below)));
    mpq_canonicalize(out);
}

int hsv_get_number(hsv_checker *c, const hsv_json *object, const char *key, mpq_t out)
{
    const hsv_json *m = hsv_find(object, key);
    if (m) hsv_number(c, m, key, out);
    return m != NULL;
}

/* count numbers, made whole numbers over their common denominator. */
void hsv_common(hsv_checker *c, mpq_t *numbers, size_t count, mpz_t *out, mpz_t below)
{
    mpz_set_ui(below, 1);
    for (size_t i = 0; i < count; i++) {
        if (mpz_divisible_p(below, mpq_denref(numbers[i]))) continue;
        mpz_lcm(below, below, mpq_denref(numbers[i]));
        const size_t bits = mpz_sizeinbase(below, 2);
        hsv_spend(c, 20 * bits);
        if (bits > NUMBER_BELOW || bits > NUMBER_ALL / count)
            hsv_unreadable(c, "the common denominator of a list is too long");
    }
    for (size_t i = 0; i < count; i++) {
        mpz_divexact(out[i], below, mpq_denref(numbers[i]));
        mpz_mul(out[i], out[i], mpq_numref(numbers[i]));
    }
}

void hsv_get_list(hsv_checker *c, const hsv_json *object, const char *key, hsv_list *list)
{
    const hsv_json *array = hsv_get(c, object, key, HSV_ARRAY);
    size_t before = 0;
    list->index = hsv_new(c, array->count, sizeof *list->index);
    list->y = hsv_new(c, array->count, sizeof *list->y);
    list->value = hsv_integers(c, array->count);
    list->below = hsv_integers(c, 1);
    hsv_block *mark = c->blocks;
    mpq_t *numbers = hsv_rationals(c, array->count);
    for (const hsv_json *pair = array->child; pair; pair = pair->next) {
        if (pair->type != HSV_ARRAY || pair->count != 2)
            hsv_unreadable(c, "%s: expected pairs [index, number]", key);
        const size_t index = hsv_count(c, pair->child, key);
        if (index <= before)
            hsv_unreadable(c, "%s: found %zu: indices are from 1, ascending", key, index);
        list->index[list->count] = before = index;
        hsv_number(c, pair->child->next, key, numbers[list->count++]);
    }
    hsv_common(c, numbers, list->count, list->value, *list->below);
    hsv_release(c, mark);
}

void hsv_ratio(mpq_t out, const mpz_t above, const mpz_t below)
{
    mpz_set(mpq_numref(out), above);
    mpz_set(mpq_denref(out), below);
    mpq_canonicalize(out);
}
