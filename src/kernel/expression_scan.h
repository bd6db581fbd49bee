/* Reading an expression, with errors that point at the column. */
#ifndef HSP_KERNEL_EXPRESSION_SCAN_H
#define HSP_KERNEL_EXPRESSION_SCAN_H

#include <stddef.h>

#include "halfspace_all.h"

typedef struct hsp__scan {
    const hsp_allocator *memory;
    const char *text, *at, *end;
    hsp_error *err;
    int index_base; /* of column numbers */
    int depth;      /* brackets open: deeper than HSP__SCAN_DEPTH is refused, not recursed into */
} hsp__scan;

enum { HSP__SCAN_DEPTH = 64 };

/* The next character behind blanks; 0 at the end. */
char hsp__scan_peek(hsp__scan *scan);
/* Take this character if it is the next. */
int hsp__scan_take(hsp__scan *scan, char c);
/* The word (letters, digits, _ ) that comes next; its length, 0 for none. It is taken. */
size_t hsp__scan_word(hsp__scan *scan, const char **word);
/* A number without a sign: taken when there is one. A number that is too large is an error. */
hsp_status hsp__scan_number(hsp__scan *scan, double *number);
/* Is a number next? */
int hsp__scan_at_number(hsp__scan *scan);
/* A whole number from `least` to `most`. */
hsp_status hsp__scan_whole(hsp__scan *scan, double least, double most, const char *what,
                           double *number);
hsp_status hsp__scan_expect(hsp__scan *scan, char c, const char *what);
/* "found ..., expected ..." at the place. */
hsp_status hsp__scan_fail(hsp__scan *scan, const char *at, const char *expected);
/* A bracket opens, at most this many deep. */
hsp_status hsp__scan_deeper(hsp__scan *scan);

#endif
