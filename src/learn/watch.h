/* The clock, and who looks after long runs. */
#ifndef HSP_LEARN_WATCH_H
#define HSP_LEARN_WATCH_H

#include <stdatomic.h>

#include "halfspace.h"

/* Seconds on a clock that never goes back. */
double hsp__clock(void);

/* Who looks after one or more runs at once: limits of time, progress, requests to stop. */
typedef struct hsp__watch {
    hsp_context *ctx;
    double deadline;           /* on hsp__clock; 0: none */
    uint64_t total;            /* rows that all passes will look at, at most; 0: not known */
    atomic_uint_fast64_t done; /* rows looked at */
    atomic_int requested;      /* the user asked to stop */
} hsp__watch;

/* Work on `rows` more rows was done: note it and, when this is the thread that may (`report`),
 * tell. Must the work end, and why? 0: no. */
int hsp__watch_tick(hsp__watch *watch, uint64_t rows, int report, hsp_stop *stop);

/* Of two reasons to stop, the one that says more of several runs together: that there is no
 * separator, then a request, then limits, then passes. */
hsp_stop hsp__stop_of(hsp_stop one, hsp_stop other);

#endif
