/* What a run remembers of its updates: how often each row was used (all runs over rows that stay),
 * the whole sequence with its amounts (voting), or the rows alone, in order (replays). */
#ifndef HSP_LEARN_ONLINE_LEDGER_H
#define HSP_LEARN_ONLINE_LEDGER_H

#include "halfspace_all.h"

/* Sums of amounts by (row, scorer). Entries are appended, and now and then sorted and merged, so
 * that memory stays below a small multiple of the distinct pairs, and an update costs no search. */
typedef struct hsp__entry {
    uint64_t row;
    double amount;
    uint32_t scorer;
} hsp__entry;

typedef struct hsp__ledger {
    hsp_context *ctx; /* asked while it sorts; what is sorted is whole all the same */
    hsp_allocator memory;
    uint64_t count, room;
    hsp__entry *entries;
} hsp__ledger;

void hsp__ledger_init(hsp__ledger *ledger, hsp_context *ctx);
void hsp__ledger_free(hsp__ledger *ledger);
int hsp__ledger_add(hsp__ledger *ledger, uint64_t row, uint32_t scorer, double amount);

/* Order by row, then scorer, one entry each, none with amount zero. 0 when there is no memory. */
int hsp__ledger_settle(hsp__ledger *ledger);

/* The sequence of updates; those of one step stand together. */
typedef struct hsp__vote {
    uint64_t row;
    double amount, offset;
    uint32_t scorer;
} hsp__vote;

typedef struct hsp__step_mark {
    uint64_t first;   /* its first vote */
    uint64_t example; /* examples up to and with the one that made it */
} hsp__step_mark;

typedef struct hsp__steps {
    hsp_allocator memory;
    hsp_data *earlier; /* rows of the run that this one goes on from, numbered before its own; not
                          owned; NULL: none */
    uint64_t votes_count, votes_room;
    hsp__vote *votes;
    uint64_t count, room;
    hsp__step_mark *marks;
} hsp__steps;

/* The rows of the updates, in order. */
typedef struct hsp__sequence {
    uint64_t count, room;
    uint64_t *row;
} hsp__sequence;

void hsp__steps_free(hsp__steps *steps);
int hsp__steps_begin(hsp__steps *steps, uint64_t example);
int hsp__steps_add(hsp__steps *steps, uint64_t row, uint32_t scorer, double amount, double offset);

#endif
