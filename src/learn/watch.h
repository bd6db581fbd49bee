/* The progress of one or more runs that are learned at once. */
#ifndef HSP_LEARN_WATCH_H
#define HSP_LEARN_WATCH_H

#include <stdatomic.h>

#include "base/stop.h"

/* Shared by the threads of a training. */
typedef struct hsp__watch {
    hsp_context *ctx;          /* with a scope that says when to stop (base/stop.h) */
    uint64_t total;            /* rows that all passes will look at, at most; 0: not known */
    uint64_t each;             /* rows of one pass; 0: progress is told in rows */
    atomic_uint_fast64_t done; /* rows looked at */
    const char *unit;  /* several problems, one after the other: "classes", "pairs"; or NULL */
    uint64_t problems; /* how many */
    atomic_uint_fast64_t solved;
} hsp__watch;

/* Work on `rows` more rows was done: note it and, when this is the thread that may (`report`),
 * tell. Must the work end, and why? 0: no. `watch` NULL: nobody watches. */
int hsp__watch_tick(hsp__watch *watch, uint64_t rows, int report, hsp_stop *stop);

/* A solver has made this many `unit` ("passes", "rounds"), and the duality gap is about this; NaN:
 * not known. Likewise. */
int hsp__watch_gap(hsp__watch *watch, int report, const char *unit, uint64_t done, double gap,
                   double target, hsp_stop *stop);

/* Must the work of a context end, and why? 0: no. */
int hsp__watch_stopped(const hsp_context *ctx, hsp_stop *stop);

/* Of two reasons to stop, the one that says more of several runs together: that there is no
 * separator, then a request, then limits, then passes. */
hsp_stop hsp__stop_of(hsp_stop one, hsp_stop other);

#endif
