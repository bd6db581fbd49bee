/* Rows of a kernel matrix ("lines"), kept while there is room: the ones that were not asked for
 * longest go. Or all of the matrix, where it fits. */
#ifndef HSP_LEARN_KERNEL_SMO_CACHE_H
#define HSP_LEARN_KERNEL_SMO_CACHE_H

#include "base/ranks.h"
#include "base/scratch.h"
#include "kernel/block.h"

/* Ranks divide the kernel values of a problem of many rows: each computes and keeps those with its
 * own rows. All ranks take the same steps, with the same numbers. */

/* The rows that a problem is about. */
typedef struct hsp__smo_source {
    const hsp__kernel_rows *rows;
    const uint64_t *list; /* n: which of them; NULL: all */
    uint64_t n;
    const hsp__kernel_rows *floats; /* the n rows once more, centred; NULL: rows->centred, if any */
    float *gram;            /* all rows: the whole matrix, row after row; NULL: not at hand */
    const hsp_ranks *ranks; /* that all have these rows and divide the work; NULL: nobody does */
} hsp__smo_source;

typedef struct hsp__smo_cache {
    hsp_context *ctx;
    hsp__scratch scratch; /* all but `block` */
    hsp__smo_source source;
    const hsp__kernel_rows *rows; /* that values are computed of: the source's, or centred ones */
    const uint64_t *list;         /* n: which of them; NULL: all */
    int wide;                     /* doubles, not floats */
    double off, most;  /* how far a value may be from the kernel's, and the largest (rounding.h) */
    int cheap;         /* lines are not worth keeping: one slot at most */
    size_t number;     /* bytes of one */
    uint64_t from, to; /* this rank's rows: what lines are over. One process: all */
    uint64_t slots;    /* 0: none are needed, the matrix is at hand */
    uint64_t spare;    /* bytes that are left for the solver's own matrix */
    unsigned char *values; /* slots * (to - from) numbers */
    uint64_t *owner;       /* slots: the row in it; UINT64_MAX: none */
    uint64_t *stamp;       /* slots: when it was asked for last */
    uint32_t *place;       /* n: the slot of a row, + 1; 0: none */
    uint64_t clock, used, hand;
    uint64_t *given; /* slots: rows whose lines were given up, oldest first, from `oldest` on */
    uint64_t oldest, gifts;
    uint64_t *wanted; /* slots: scratch */
    void *block;      /* memory of the solver's own matrix, kept from one problem to the next: */
    uint64_t block_bytes;
} hsp__smo_cache;

/* `bytes` is a hard limit on lines and `spare` together, except that two lines are always kept.
 * With ranks, a context whose scope is theirs (stop.h). */
hsp_status hsp__smo_cache_init(hsp__smo_cache *cache, hsp_context *ctx,
                               const hsp__smo_source *source, uint64_t bytes, int wide,
                               hsp_error *err);
void hsp__smo_cache_free(hsp__smo_cache *cache);

/* The ranks that divide the work on n rows; NULL: there are none, or too few rows. */
const hsp_ranks *hsp__smo_ranks(const hsp_ranks *ranks, uint64_t n);
/* The same status on every rank; HSP_CANCELLED once any of them is to stop (hsp__tick_together).
 * Without ranks, the status as it is. */
hsp_status hsp__smo_agree(hsp__smo_cache *cache, hsp_status status, hsp_error *err);
/* After work that gave `status`, of `count` numbers, each rank's part (base/base.h) to all. */
hsp_status hsp__smo_share(hsp__smo_cache *cache, hsp_status status, double *numbers, uint64_t count,
                          hsp_error *err);

/* How many lines may be asked for at once. */
uint64_t hsp__smo_cache_room(const hsp__smo_cache *cache);

/* The line of row i (counted as the problem does), over this rank's rows, if it is there, else
 * NULL. */
void *hsp__smo_cache_has(const hsp__smo_cache *cache, uint64_t i);

/* lines[k] = the kernel row of list[k], over this rank's rows, count <= room of them. They stay
 * until the next call. */
hsp_status hsp__smo_cache_lines(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                                void **lines, hsp_error *err);

/* Row i's line may go first, if there is one: fresh memory costs more than computing a line again.
 */
void hsp__smo_cache_release(hsp__smo_cache *cache, uint64_t i);

/* out[j] += sum over k of by[k] k(row list[k], row right[j]); `wide`: in double. `right` NULL: of
 * all n rows of the problem those of this rank, to be shared by the caller. For lines that are not
 * likely to be asked for again: they are not kept, nor is another given up for them. */
hsp_status hsp__smo_cache_apply(hsp__smo_cache *cache, const uint64_t *list, const double *by,
                                uint64_t count, const uint64_t *right, uint64_t across, int wide,
                                double *out, hsp_error *err);

/* The same among the rows of the list alone: each pair of them is computed once. */
hsp_status hsp__smo_cache_precise_own(hsp__smo_cache *cache, const uint64_t *list, const double *by,
                                      uint64_t count, double *out, hsp_error *err);

/* out[k][j] = k(row list[k], row right[j]), not kept; `right` NULL: this rank's rows. */
hsp_status hsp__smo_cache_block(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                                const uint64_t *right, uint64_t across, void *const *out,
                                hsp_error *err);

/* In floats: matrix[k * ld + j] = k(row list[k], row list[j]), each pair of rows computed once. */
hsp_status hsp__smo_cache_own(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                              float *matrix, uint64_t ld, hsp_error *err);

/* The whole matrix, n * n numbers, each pair of rows computed once; with ranks, the columns of this
 * rank. */
hsp_status hsp__smo_gram(hsp_context *ctx, const hsp__kernel_rows *rows, const hsp_ranks *ranks,
                         float *gram, hsp_error *err);

#endif
