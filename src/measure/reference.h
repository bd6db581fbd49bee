/* A separator to compare a run with, where the user names none. */
#ifndef HSP_MEASURE_REFERENCE_H
#define HSP_MEASURE_REFERENCE_H

#include "learn/erm/fit.h"

#define HSP__REFERENCE_GAP 1e-3 /* of a soft margin */

/* Rows (labels 0 and 1) that nothing separates: the weights of the soft margin with C = 1. The offset
 * is part of the weights (`constant`), or there is none. The caller frees *out, also after a failure. */
hsp_status hsp__reference_soft(hsp_context *ctx, const hsp_view *rows, int constant, hsp_error *err,
                               hsp__fitted *out);

#endif
