/* Numbers as certificates have them: exact decimals. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "prove/prove.h"

int64_t hsp__prove_grid(hsp__long value, int places)
{
    return (int64_t)llroundl(value * powl(10, (hsp__long)places));
}

void hsp__prove_format_grid(hsp__text *text, int64_t number, int places)
{
    char digits[HSP__DECIMAL_MAX];
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0) hsp__text_puts(text, "-");
    while (size && size % 10 == 0) {
        size /= 10;
        places--;
    }
    const int count = (int)hsp__decimal_print_u64(size, digits);
    if (!size || places == 0) {
        hsp__text_puts(text, digits);
    } else if (places < 0 || places > count + 5) {
        hsp__text_printf(text, "%c%s%s", digits[0], count > 1 ? "." : "", digits + 1);
        hsp__text_printf(text, "e%d", count - 1 - places);
    } else if (places >= count) {
        hsp__text_printf(text, "0.%0*d", places - count, 0);
        if (places == count) text->size--; /* a field of no width is still a 0 */
        hsp__text_puts(text, digits);
    } else {
        hsp__text_printf(text, "%.*s.%s", count - places, digits, digits + count - places);
    }
}

double hsp__prove_format_bound(hsp__text *text, hsp__long value, int digits, int up)
{
    const hsp__long tiny = 0x1p-60L; /* more than what the steps below round by */
    if (!(value > 0)) {
        hsp__text_puts(text, "0");
        return 0;
    }
    const int places = digits - (int)ceill(log10l(value));
    hsp__long scaled = value * powl(10, (hsp__long)places);
    scaled = up ? ceill(scaled * (1 + 8 * tiny)) : floorl(scaled * (1 - 8 * tiny));
    hsp__prove_format_grid(text, (int64_t)scaled, places);
    return (double)(scaled / powl(10, (hsp__long)places));
}

/* Every double is a whole number over a power of two. */
static void format_number_fraction(hsp__text *text, double value)
{
    int exponent;
    double whole = ldexp(frexp(value, &exponent), DBL_MANT_DIG);
    exponent -= DBL_MANT_DIG;
    while (fmod(whole, 2) == 0) {
        whole /= 2;
        exponent++;
    }
    if (exponent < -1023) /* 2^-exponent is beyond a double: all digits behind the point */
        hsp__text_printf(text, "%.*f", -exponent, value);
    else
        hsp__text_printf(text, "%.0f/%.0f", whole, ldexp(1, -exponent));
}

void hsp__prove_format_exact(hsp__text *text, double value)
{
    char digits[64];
    if (value == floor(value)) {
        hsp__text_printf(text, "%.0f", value);
    } else if (fabs(value) < 1e15 && ldexp(value, 24) == floor(ldexp(value, 24))) {
        snprintf(digits, sizeof digits, "%.24f", value); /* all of them */
        size_t size = strlen(digits);
        while (digits[size - 1] == '0')
            size--;
        hsp__text_add(text, digits, size);
    } else {
        format_number_fraction(text, value);
    }
}

void hsp__prove_format_short(hsp__text *text, double value)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, digits);
    hsp__text_puts(text, digits);
}

void hsp__prove_format_order(hsp__text *text, uint64_t passes, const uint64_t *sequence,
                             uint64_t updates)
{
    if (passes)
        hsp__text_printf(text, ",\n     \"order\": \"cyclic\", \"passes\": %llu",
                         (unsigned long long)passes);
    else
        hsp__text_puts(text, ",\n     \"order\": \"sequence\", \"sequence\": [");
    for (uint64_t k = 0; !passes && k < updates; k++)
        hsp__text_printf(text, "%s%llu", k ? ", " : "", (unsigned long long)sequence[k] + 1);
    hsp__text_printf(text, "%s, \"total\": %llu", passes ? "" : "]", (unsigned long long)updates);
}
