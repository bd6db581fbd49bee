/* Ranges of axes, ticks and their labels. */
#ifndef HSP_SHOW_AXIS_H
#define HSP_SHOW_AXIS_H

#include "show/figure.h"

enum { HSP__TICKS = 64 }; /* of an axis at most */

typedef struct hsp__ticks {
    int count;
    double at[HSP__TICKS];
    const char *text[HSP__TICKS]; /* the category, or a label below */
    char labels[HSP__TICKS][HSP__LABEL];
} hsp__ticks;

/* Up to `wanted` + 1 ticks, at round numbers within the range; of categories, every n-th so that there
 * are at most `wanted`. */
void hsp__axis_ticks(const hsp__axis *axis, int wanted, hsp__ticks *ticks);

/* Where a value is: 0 at the low end, 1 at the high end (reversed: the other way round). Not finite
 * if there is no such place (a logarithm of 0). */
double hsp__axis_place(const hsp__axis *axis, double value);

#endif
