/* The k nearest training rows, and their vote. */
#ifndef HSP_MODEL_NEIGHBORS_H
#define HSP_MODEL_NEIGHBORS_H

#include "model/model.h"

/* ---- The vote -------------------------------------------------------------------------------- */

/* Neighbours vote one after the other, the nearest first; what they say so far can be asked at any
 * time, so that one search answers for every k.
 *
 *     majority   a vote each
 *     distance   1 / distance each. While the nearest is at distance 0, those at 0 have a vote each
 *                and others none.
 *
 * Most votes win; of classes with equal votes the one whose nearest neighbour is nearer, and if
 * these are at the same distance the first class. This is the one place where that is decided: the
 * scores below say it, too. */
typedef struct hsp__knn_vote {
    uint32_t classes;
    hsp__vote_rule vote;
    double *votes;   /* classes */
    double *nearest; /* classes: the distance of its nearest neighbour; infinite: none yet */
    double first;    /* the distance of the nearest of all; NaN: nobody has voted */
} hsp__knn_vote;

hsp_status hsp__knn_vote_init(hsp__knn_vote *tally, const hsp_allocator *memory, uint32_t classes,
                              hsp__vote_rule vote, hsp_error *err);
void hsp__knn_vote_free(hsp__knn_vote *tally, const hsp_allocator *memory);
void hsp__knn_vote_clear(hsp__knn_vote *tally);
void hsp__knn_vote_add(hsp__knn_vote *tally, uint32_t class, double distance);
uint32_t hsp__knn_vote_winner(const hsp__knn_vote *tally);

/* More than two classes: the share of each. Two: (votes for the second less votes for the first) /
 * all. The winner's is the highest, or on the winner's side of 0, and no other class's is: where
 * votes are equal, one is moved by the least that tells them apart (2^-60, or the next number
 * below). */
void hsp__knn_vote_scores(const hsp__knn_vote *tally, double *scores);

/* ---- The model ------------------------------------------------------------------------------- */

/* The index, for about this many rows to come: the one that the model keeps, which is built by the
 * first call that makes it worth while. Several threads may ask at the same time. */
hsp_status hsp__neighbors_index(hsp_context *ctx, const hsp_model *model, uint64_t rows,
                                hsp_error *err, hsp__knn_index **out);

/* Give it back: frees an index that the model does not keep. */
void hsp__neighbors_index_done(const hsp_model *model, hsp__knn_index *near);

/* Words for metrics and votes: "l2", "kernel", ...; "majority", "distance". */
extern const char *const hsp__metric_names[HSP__METRIC_KERNEL + 1];
extern const char *const hsp__vote_names[HSP__VOTE_DISTANCE + 1];

#endif
