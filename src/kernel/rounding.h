/* How far kernel values as they are computed (block.h) may be from those of real numbers. */
#ifndef HSP_KERNEL_ROUNDING_H
#define HSP_KERNEL_ROUNDING_H

#include "kernel/kernel_rows.h"

/* A bound on |computed - exact| of k(x, y) for any two of the rows, kept as a double (wide) or as a
 * float; *most: a bound on |k(x, y)|. The numbers that a row brings along for `normalize` and
 * `rescale` are part of the kernel, and taken to be what they are. */
double hsp__kernel_rounding(const hsp__kernel_rows *rows, int wide, double *most);

#endif
