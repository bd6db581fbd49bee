/* Separators in the plane of a figure. */
#ifndef HSP_SHOW_PLANE_SEPARATOR_H
#define HSP_SHOW_PLANE_SEPARATOR_H

#include "show/plane.h"

/* A separator s(x) = <w, x> + b, as a plane meets it. */
typedef struct hsp__plane_separator {
    double w[2], b; /* in the plane; w is not 0 */
    double length;  /* ||w|| of all columns */
} hsp__plane_separator;

/* The line in which the plane meets the hyperplane; `count` weights, those of other columns are 0.
 * 0: there is none, because w (in the plane) is 0, or an axis has categories. */
int hsp__plane_meet(const hsp__plane *plane, const double *w, double b, uint64_t count,
                    hsp__plane_separator *out);

/* Are the distances of rows from a hyperplane that the plane was made for, or from any if there are
 * no other features, as long in the plane as they are? */
int hsp__plane_is_true(const hsp__plane *plane);

/* The separator of a linear model of two classes for the rows of the file; `w` (features) is scratch
 * of the caller. 0: the model is none. */
int hsp__plane_model(const hsp_model *model, double *w, double *b);

#endif
