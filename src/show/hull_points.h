/* Points of the convex hulls of two classes: the nearest ones, which prove the widest margin, or a
 * common one, which proves that no hyperplane separates. */
#ifndef HSP_SHOW_HULL_POINTS_H
#define HSP_SHOW_HULL_POINTS_H

#include "halfspace_all.h"

typedef struct hsp__hull_points {
    hsp_allocator memory;
    int separable; /* the points are the nearest ones; 0: they are the same point */
    int touching; /* not separable by more than `high`, as far as is known: the same point, nearly */
    double low, high; /* the widest margin is between these: half of the points' distance */
    double *point[2]; /* cols: of the hull of the first class, and of the second */
    uint64_t used;    /* rows that the points are mixed from */
    uint64_t *row;    /* used, ascending, from 0 */
    double *share;    /* used, > 0: adds up to 1 in each class */
    double *w, b;     /* separable: the separator; w NULL: none was written down */
} hsp__hull_points;

/* Find them for data of two classes, in exact arithmetic where doubles do not settle it. *known is 0,
 * and *out empty, if the answer is beyond the arithmetic. */
hsp_status hsp__hull_points_find(hsp_context *ctx, hsp_data *data, hsp_error *err,
                                 hsp__hull_points *out, int *known);

/* The classes that a certificate is about, and the points that it names. */
typedef struct hsp__hull_claim hsp__hull_claim;
/* Read the first claim about two hulls in the certificate file `path`. HSP_BAD_DATA or HSP_USAGE with a
 * sentence if there is none. */
hsp_status hsp__hull_claim_read(hsp_context *ctx, const char *path, hsp_error *err,
                                hsp__hull_claim **out);
void hsp__hull_claim_free(hsp__hull_claim *claim);
/* The rows of the certificate among those of `data`: the classes it names, the negative one first. */
hsp_status hsp__hull_claim_rows(hsp_context *ctx, const hsp__hull_claim *claim, hsp_data *data,
                                hsp_error *err, hsp_data **out);
/* Its points, from those rows. */
hsp_status hsp__hull_claim_points(hsp_context *ctx, const hsp__hull_claim *claim, hsp_data *rows,
                                  hsp_error *err, hsp__hull_points *out);

void hsp__hull_points_free(hsp__hull_points *points);

#endif
