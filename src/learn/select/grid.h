/* The points at which a learner is tried: values of some of its options, in all combinations. */
#ifndef HSP_LEARN_SELECT_GRID_H
#define HSP_LEARN_SELECT_GRID_H

#include "base/names.h"
#include "halfspace_all.h"

/* One option and the values to try. */
typedef struct hsp__grid_axis {
    const hsp_option *option; /* of the learner, or `own` */
    hsp_option own;           /* a name in the learner's kernel, as in poly(d, c) */
    hsp__names own_name;
    hsp__names values; /* as text, in the order they were given */
    double *numbers;   /* values.count; NULL: not numbers */
} hsp__grid_axis;

/* Points are numbered with the path's axis running fastest, the first of the others slowest. */
typedef struct hsp__grid {
    hsp_allocator memory;
    hsp__grid_axis *axes; /* count, as they were given */
    size_t count;
    size_t path;    /* C or lambda, else the first axis of numbers that are not the kernel's; count:
                    there is none */
    uint64_t along; /* values of that axis, or 1 */
    uint64_t points; /* in all */
} hsp__grid;

#define HSP__GRID_MOST 100000 /* points */

/* Read specs of the form NAME=LOW:HIGH:log:COUNT, NAME=LOW:HIGH:lin:COUNT or NAME=A,B,C against a
 * learner's options; a NAME that is none of them may stand in its kernel for a number. HSP_USAGE with a sentence that says what was found and what was expected. */
hsp_status hsp__grid_parse(hsp_context *ctx, const hsp_options *learner, const char *const *specs,
                           size_t count, hsp_error *err, hsp__grid *out);
void hsp__grid_free(hsp__grid *grid);

/* Which value of an axis a point has. */
uint32_t hsp__grid_value(const hsp__grid *grid, uint64_t point, size_t axis);

/* The learner's options at a point. */
hsp_status hsp__grid_options(hsp_context *ctx, const hsp__grid *grid, const hsp_options *learner,
                             uint64_t point, hsp_error *err, hsp_options **out);

/* The order in which to go along the path (`along` numbers), so that each point's model is a good
 * start for the next: C upwards, lambda downwards, others as given. */
void hsp__grid_order(const hsp__grid *grid, uint64_t *order);

/* Is point a simpler than point b? The first option in which they differ says: the smaller C, the
 * larger lambda, of anything else the value that was given first. */
int hsp__grid_simpler(const hsp__grid *grid, uint64_t a, uint64_t b);

/* The point of the best score, among equals the simplest; and the one to choose: that, or the
 * simplest whose score is within one standard error of it. `loss`: the smallest score is the best.
 * A point without a score, or with two fewer folds finished than another, is never better. */
void hsp__grid_choose(const hsp__grid *grid, const hsp_held_out *points, int loss, int simplest,
                      uint64_t *best, uint64_t *chosen);

/* -1 or 1: the best point has the least or the largest number of this axis, of at least three, and
 * is better than its neighbour there; 0: no, or there cannot be any beyond. */
int hsp__grid_edge(const hsp__grid *grid, const hsp_held_out *points, int loss, uint64_t best,
                   size_t axis);

#endif
