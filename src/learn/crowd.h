/* Several runs at once, while the calling thread goes on talking to the user. */
#ifndef HSP_LEARN_CROWD_H
#define HSP_LEARN_CROWD_H

#include "halfspace.h"
#include "learn/watch.h"

/* Runs from..to-1. `report`: this is the thread that the context belongs to. */
typedef hsp_status (*hsp__crowd_fn)(void *user, uint32_t from, uint32_t to, int report,
                                    hsp_error *err);

/* Call fn for all of `count` runs, `width` at a time, on up to `workers` threads of which the
 * calling one is the first: free workers take the next. The calling thread, when there is nothing
 * left to take, waits for the others and goes on reporting watch's progress and noticing requests
 * (watch->requested). The first failure in the order of the runs is returned. */
hsp_status hsp__crowd_run(hsp__watch *watch, int workers, uint32_t count, uint32_t width,
                          hsp__crowd_fn fn, void *user, hsp_error *err);

#endif
