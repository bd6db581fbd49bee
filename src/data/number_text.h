/* Numbers as people write them in tables: 1,234.50  1.234,50  $12  12.5 %  (3.00). */
#ifndef HSP_DATA_NUMBER_TEXT_H
#define HSP_DATA_NUMBER_TEXT_H

#include <stddef.h>

typedef struct hsp__number_format {
    char decimal;   /* '.' or ',' */
    char thousands; /* between groups of three digits: ',', '.', ' ' (also the no-break ones), '\''
                       or '_'; 0: none */
    int percent;    /* a percent sign behind it: a hundredth */
    int currency;   /* a currency sign or code before or behind it; (1.00) is negative */
} hsp__number_format;

/* The number as plain decimal digits ("-1234.5", "12.5e-2"), the same number exactly, into `out`,
 * which has room for size + 4 bytes; how many bytes. 0: it is not a number in this format. A plain
 * number is one in every format whose decimal is '.', and an integer in all. Signs and blanks
 * around it are allowed, `percent` and `currency` signs need not be there. */
size_t hsp__number_plain(const char *text, size_t size, const hsp__number_format *format,
                         char *out);

#endif
