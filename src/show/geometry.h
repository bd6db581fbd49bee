/* Geometry of the figures: hulls, perpendiculars, directions. */
#ifndef HSP_SHOW_GEOMETRY_H
#define HSP_SHOW_GEOMETRY_H

#include "halfspace_all.h"

/* Sort `points` so that the first of them are the corners of their convex hull, counterclockwise from
 * the leftmost (lowest) one, and return how many these are. No corner is between two others: 0, 1 or
 * 2 corners for no points, equal points, points on one line. */
uint64_t hsp__hull(double (*points)[2], uint64_t count);

/* Which of the points of a class may be corners of their hull: keep[i] is 0 if point i is certainly none.
 * Points of other classes are left alone. */
void hsp__hull_candidates(uint64_t count, double (*points)[2], const uint32_t *class_of,
                          uint32_t class, unsigned char *keep);

/* The foot of the perpendicular from a point to the line w.x + b = 0; w is not 0. */
void hsp__foot(const double w[2], double b, const double point[2], double foot[2]);

/* The direction, of length 1 and perpendicular to w, in which the rows differ most (about their mean):
 * v, cols numbers. All 0 if there is none: one column. Rows are sampled evenly if they are many. 0: no
 * memory. */
int hsp__perpendicular_axis(hsp_context *ctx, const hsp_view *view, const double *w, double *v);

#endif
