/* The experts of experts.c and their weights.
 *
 * An expert is a column that votes by its sign (0 is silent) or by its bit (0 says no), and perhaps
 * the negation of that column. Its weight is beta^(m), m its mistakes so far, a silent row counting
 * half; the whole number 2 m is kept. What a 0 costs is the same for all columns of a kind, so only
 * the difference of a column from that is stored, its drift, and a row of votes costs what it
 * stores. The sum of all weights is that over how many experts have which drift (levels), or where
 * that would be longer than the list of experts, over these. */
#ifndef HSP_LEARN_ONLINE_EXPERT_WEIGHTS_H
#define HSP_LEARN_ONLINE_EXPERT_WEIGHTS_H

#include "data/data.h"

/* The columns of one kind. */
typedef struct hsp__expert_weights_kind {
    uint64_t count;
    int64_t low, high; /* the smallest and the largest drift */
    uint64_t *levels;  /* room: how many columns have the drift origin + k; NULL: too many levels */
    uint64_t room;
    int64_t origin;
} hsp__expert_weights_kind;

typedef struct hsp__expert_weights {
    hsp_allocator memory;
    double beta;
    double log_root; /* ln sqrt(beta) */
    int negated;     /* every column has a negation */

    uint64_t count;                   /* columns */
    int64_t *drift;                   /* count: 2 m less what zeros cost */
    unsigned char *silent;            /* count: 1 when a 0 is silent, 0 when it says no */
    hsp__expert_weights_kind kind[2]; /* by `silent` */
    uint64_t seen, positive;          /* rows so far, those of the second class */
    uint64_t least;                   /* the smallest 2 m of all experts */
    double *table;                    /* table_count: sqrt(beta)^k */
    uint64_t table_count;
} hsp__expert_weights;

/* No experts yet. Free it even after a failure. */
hsp_status hsp__expert_weights_init(hsp__expert_weights *experts, const hsp_allocator *memory,
                                    double beta, int negated, hsp_error *err);
void hsp__expert_weights_free(hsp__expert_weights *experts);

/* Add experts for the columns up to count - 1, which were 0 in all rows so far. silent[j]: a 0 of
 * column j abstains (else it votes no, and the column must be added before the first row);
 * `silent` NULL: all new columns are `all_silent`. */
hsp_status hsp__expert_weights_admit(hsp__expert_weights *experts, uint64_t count,
                                     const unsigned char *silent, int all_silent, hsp_error *err);

/* After `seen` rows, `positive` of the second class, the first columns have these drifts. There were
 * no rows yet. HSP_BAD_DATA when no rows lead there. */
hsp_status hsp__expert_weights_restore(hsp__expert_weights *experts, double seen, double positive,
                                       const double *drift, uint64_t count, hsp_error *err);

/* (weight that says yes - weight that says no) / all weight, on a row of votes: 1, -1, 0. */
double hsp__expert_weights_score(const hsp__expert_weights *experts, const hsp_view *view,
                                 uint64_t row);

/* The row was of the second class, or not: whoever was wrong loses. *changed: somebody did. */
hsp_status hsp__expert_weights_learn(hsp__expert_weights *experts, const hsp_view *view,
                                     uint64_t row, int positive, int *changed, hsp_error *err);

/* 2 m of a column's expert. */
static inline uint64_t hsp__expert_weights_half(const hsp__expert_weights *experts, uint64_t j)
{
    const uint64_t zeros = experts->silent[j] ? experts->seen : 2 * experts->positive;
    return zeros + (uint64_t)experts->drift[j]; /* not negative: whole mistakes */
}

/* Weights relative to that of the best expert, which is 1: of a column's expert, and in *other that of
 * its negation, 0 when there is none. */
double hsp__expert_weights_weights(const hsp__expert_weights *experts, uint64_t j, double *other);
/* Their sum. */
double hsp__expert_weights_total(const hsp__expert_weights *experts);

/* The expert with the fewest mistakes, the first among equals: its column, whether it is the
 * negation, and 2 m. */
uint64_t hsp__expert_weights_best(const hsp__expert_weights *experts, int *negated, uint64_t *half);

#endif
