#include "learn/watch.h"

int hsp__watch_stopped(const hsp_context *ctx, hsp_stop *stop)
{
    const hsp__stop_why why = hsp__stopped(ctx);
    if (why) *stop = why == HSP__STOP_LATE ? HSP_STOP_SECONDS : HSP_STOP_REQUEST;
    return why != HSP__GO_ON;
}

int hsp__watch_tick(hsp__watch *watch, uint64_t rows, int report, hsp_stop *stop)
{
    if (!watch) return 0;
    const uint64_t done = atomic_fetch_add(&watch->done, rows) + rows;
    const uint64_t each = watch->each ? watch->each : 1;
    if (report)
        hsp__progress(watch->ctx, "training", watch->each ? "passes" : "rows", done / each,
                      watch->total / each, NULL);
    else
        hsp__tick(watch->ctx);
    return hsp__watch_stopped(watch->ctx, stop);
}

int hsp__watch_gap(hsp__watch *watch, int report, const char *unit, uint64_t done, double gap,
                   double target, hsp_stop *stop)
{
    if (!watch) return 0;
    hsp_context *ctx = watch->ctx;
    /* estimates of a gap above 1 say no more than that it is not below */
    hsp_progress now = {"training", unit, done, 0, gap > 1 ? 1 : gap, target};
    if (watch->unit) {
        now.unit = watch->unit;
        now.done = atomic_load(&watch->solved);
        now.total = watch->problems;
    }
    if (report && ctx->progress)
        ctx->progress(ctx->progress_user, &now);
    else
        hsp__tick(ctx);
    return hsp__watch_stopped(ctx, stop);
}

hsp_stop hsp__stop_of(hsp_stop one, hsp_stop other)
{
    static const int weight[] = {
        [HSP_STOP_CONVERGED] = 0,  [HSP_STOP_STALLED] = 1, [HSP_STOP_PASSES] = 2,
        [HSP_STOP_UPDATES] = 3,    [HSP_STOP_SECONDS] = 4, [HSP_STOP_REQUEST] = 5,
        [HSP_STOP_INSEPARABLE] = 6};
    return weight[other] > weight[one] ? other : one;
}
