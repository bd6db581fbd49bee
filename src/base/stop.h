/* How a long computation hears that it must end: the progress callback asked for it, or a limit of
 * time has passed.
 *
 * A computation opens a scope (hsp__stop_open) and works with the context that it gets. All threads
 * that work for it share the scope. Every loop that may take more than some milliseconds calls
 * hsp__tick between two pieces of work; hsp__tasks_run does that by itself. The callback runs on
 * the thread that opened the scope and on no other, at most every HSP__TICK_SECONDS; the others
 * learn of its answer at their next tick. `make check-stop TICKS=1` measures how long each thread
 * works without a tick.
 *
 * Once a scope is stopped it stays so: hsp__tasks_try leaves out the rest of its tasks, and what it
 * was to compute must not be used. So: compute, look (hsp__stopped), and only then keep. */
#ifndef HSP_BASE_STOP_H
#define HSP_BASE_STOP_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/context.h"

#define HSP__TICK_SECONDS 0.02

typedef enum hsp__stop_why { HSP__GO_ON, HSP__STOP_REQUESTED, HSP__STOP_LATE } hsp__stop_why;

struct hsp__stop {
    hsp_context *outer;      /* whose callback is asked; it may have a scope of its own */
    pthread_t owner;         /* the thread that may ask it */
    double began;            /* on hsp__clock */
    _Atomic double deadline; /* likewise; 0: none. Runs side by side may set it */
    double next;             /* when the callback is due again */
    hsp_progress latest;     /* what it is told then */
    atomic_int why;          /* hsp__stop_why */
    _Atomic double ended;    /* when it was stopped, on hsp__clock */
    const hsp_ranks *ranks;  /* these work together, and stop together: nobody is asked but by
                                hsp__tick_together; NULL: one process */
};

/* Seconds on a clock that never goes back. */
double hsp__clock(void);

/* A context for a computation that can be stopped: ctx, with the scope. Both live in the caller's
 * memory until it is done. */
hsp_context hsp__stop_open(hsp__stop *stop, hsp_context *ctx);

/* The computation ends `seconds` after the scope was opened, at the latest; 0: no limit. */
void hsp__stop_limit(hsp_context *ctx, double seconds);

/* A context for the last figures of a computation: ctx while it has not been stopped. Once it has,
 * nobody is asked any more, and the scope `brief` ends the work HSP__LAST_SECONDS after the stop:
 * figures that take longer remain unknown. */
#define HSP__LAST_SECONDS 0.2
hsp_context hsp__stop_grace(hsp__stop *brief, hsp_context *ctx);

/* The same for what must be done to its end, because there is no result without it. */
hsp_context hsp__stop_none(const hsp_context *ctx);

/* HSP_OK; HSP_CANCELLED once the scope was stopped. */
hsp_status hsp__stop_status(const hsp_context *ctx, hsp_error *err);

/* Wait for a signal of the condition, until it is time for a tick at the latest, and tick. The lock
 * is held before and after. */
void hsp__tick_wait(hsp_context *ctx, pthread_cond_t *condition, pthread_mutex_t *lock);

/* Must the work end? Asks the callback when that is due, and looks at the clock. */
int hsp__tick(hsp_context *ctx);

/* The same for ranks that work together: all of them make this call, ask, and hear the same. Between two
 * such calls nothing changes. */
int hsp__tick_together(hsp_context *ctx);

/* Was the scope stopped, and why? Nobody is asked. */
hsp__stop_why hsp__stopped(const hsp_context *ctx);

#endif
