#include "data/decimal_value.h"

static int decimal_value_digit(char c)
{
    return c >= '0' && c <= '9';
}

hsp__decimal_value hsp__decimal_value_of(const char *text, size_t size)
{
    const char *end = text + size, *p = text;
    hsp__decimal_value value = {.sign = 1};
    int64_t whole = 0; /* digits before the dot, from the first that is not 0; behind it, less one a
                          zero */
    int dot = 0;
    if (p < end && (*p == '-' || *p == '+')) value.sign = *p++ == '-' ? -1 : 1;
    for (; p < end && (decimal_value_digit(*p) || *p == '.'); p++) {
        if (*p == '.') {
            dot = 1;
            continue;
        }
        if (*p != '0') {
            if (!value.from) value.from = p;
            value.to = p + 1;
        }
        if (value.from && !dot) whole++;
        if (!value.from && dot) whole--;
    }
    if (!value.from) return (hsp__decimal_value){.sign = 0};
    value.exponent = whole;
    if (p == end || (*p != 'e' && *p != 'E')) return value;
    /* far beyond any exponent that matters, it stays where it is */
    const int negative = ++p < end && *p == '-';
    int64_t exponent = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && decimal_value_digit(*p); p++)
        if (exponent < INT64_MAX / 100) exponent = exponent * 10 + (*p - '0');
    value.exponent += negative ? -exponent : exponent;
    return value;
}

int hsp__decimal_value_same(const hsp__decimal_value *a, const hsp__decimal_value *b)
{
    const char *p = a->from, *q = b->from;
    if (a->sign != b->sign || a->exponent != b->exponent) return 0;
    while (p < a->to && q < b->to) {
        if (*p == '.')
            p++;
        else if (*q == '.')
            q++;
        else if (*p++ != *q++)
            return 0;
    }
    return p == a->to && q == b->to;
}
