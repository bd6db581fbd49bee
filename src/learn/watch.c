#include "learn/watch.h"

#include <time.h>

#include "base/context.h"

double hsp__clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hsp__watch_tick(hsp__watch *watch, uint64_t rows, int report, hsp_stop *stop)
{
    const uint64_t done = atomic_fetch_add(&watch->done, rows) + rows;
    if (report && hsp__progress(watch->ctx, "training", "rows", done, watch->total, NULL))
        atomic_store(&watch->requested, 1);
    const int late = watch->deadline > 0 && hsp__clock() >= watch->deadline;
    const int requested = atomic_load(&watch->requested);
    if (requested || late) *stop = requested ? HSP_STOP_REQUEST : HSP_STOP_SECONDS;
    return requested || late;
}

hsp_stop hsp__stop_of(hsp_stop one, hsp_stop other)
{
    static const int weight[] = {
        [HSP_STOP_CONVERGED] = 0, [HSP_STOP_PASSES] = 1,  [HSP_STOP_UPDATES] = 2,
        [HSP_STOP_SECONDS] = 3,   [HSP_STOP_REQUEST] = 4, [HSP_STOP_INSEPARABLE] = 5};
    return weight[other] > weight[one] ? other : one;
}
