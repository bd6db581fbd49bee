/* The value of a number as it is written, digit by digit. */
#ifndef HSP_DATA_DECIMAL_VALUE_H
#define HSP_DATA_DECIMAL_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* A decimal without what does not change its value: sign * 0.d1 d2 ... * 10^exponent, d1 and the
 * last digit not 0. */
typedef struct hsp__decimal_value {
    int sign;         /* -1, 0 or 1 */
    int64_t exponent; /* 0 when the sign is 0 */
    const char *from; /* the digits: those of [from, to), which may have a dot among them */
    const char *to;
} hsp__decimal_value;

/* The text is a number that a reader has accepted. */
hsp__decimal_value hsp__decimal_value_of(const char *text, size_t size);
int hsp__decimal_value_same(const hsp__decimal_value *a, const hsp__decimal_value *b);

#endif
