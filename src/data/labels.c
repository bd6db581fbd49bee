#include "data/formats.h"

#include <string.h>

#include "base/decimal.h"

#define LABEL_EXACT_DIGITS 15

/* A whole number with more digits than a double is sure to hold: its name is its digits, without
 * '+' and leading zeros. `*text` and `*size` become the name; "-0..." goes the ordinary way. */
static int label_is_long_integer(const char **text, size_t *size)
{
    const char *end = *text + *size, *digits = *text + (**text == '-' || **text == '+'), *p;
    const int padded = *digits == '0', negative = **text == '-';
    while (digits < end - 1 && *digits == '0')
        digits++;
    for (p = digits; p < end && *p >= '0' && *p <= '9'; p++) {
    }
    if (p < end || end - digits <= LABEL_EXACT_DIGITS || (negative && padded)) return 0;
    if (negative) return 1;
    *text = digits;
    *size = (size_t)(end - digits);
    return 1;
}

hsp__label_result hsp__label_add(hsp__names *names, const char *text, size_t size, uint32_t *number)
{
    char printed[HSP__DECIMAL_MAX];
    const char *end = text + size;
    double value;
    hsp__decimal_result result;
    if (size > LABEL_EXACT_DIGITS && label_is_long_integer(&text, &size))
        return hsp__names_add(names, text, size, number) ? HSP__LABEL_OK : HSP__LABEL_NO_MEMORY;
    if (hsp__decimal_f64(text, end, &value, &result) == end && result != HSP__DECIMAL_NONE) {
        if (result != HSP__DECIMAL_OK) return HSP__LABEL_NOT_FINITE;
        value += 0; /* -0 is 0 */
        size = hsp__decimal_print_f64(value, printed);
        text = printed;
    } else if (memchr(text, 0, size)) {
        return HSP__LABEL_NUL;
    }
    return hsp__names_add(names, text, size, number) ? HSP__LABEL_OK : HSP__LABEL_NO_MEMORY;
}
