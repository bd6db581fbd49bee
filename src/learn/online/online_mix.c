/* Iterative parameter mixing: R. McDonald, K. Hall, G. Mann, Distributed training strategies for the
 * structured perceptron, NAACL 2010.
 *
 * P parts of the rows. In pass n, part i begins at w_n, makes k_{i,n} updates, and ends at w_{i,n}; then
 * w_{n+1} = (1/P) sum_i w_{i,n}. In the space of docs/bounds.md, let A be the largest ||x~||^2 there can be,
 * and y <w~*, x~> >= g* > 0 for all rows. Then, with K = (1/P) sum of all k_{i,n},
 *
 *     <w~*, w~> >= K rate g*                    each update adds rate g* at least, and means keep it
 *     ||w~||^2 <= K (rate^2 A + 2 rate tau)     likewise, since the square of a mean is at most the
 *                                               mean of the squares
 *
 * and so K <= (A + 2 tau / rate) ||w~*||^2 / g*^2: the theorem "mixed" of measure/audit.c. The
 * run ends with a pass in which no part made a mistake: then all of them end at w_n.
 *
 * The mean over all separators is that over all parts and rows: a part's sum of separators over the m
 * rows of a pass is m w - past, where `past` begins at 0 with the pass. */
#include "learn/online/online_mix.h"

#include "base/base.h"
#include "base/ranks.h"
#include "base/stop.h"

typedef struct mix_part {
    hsp__online run;
    hsp_view view;
    uint64_t *order; /* rows: of a shuffled pass; or NULL */
    hsp_error err;
    hsp_status status;
} mix_part;

typedef struct mix_work {
    hsp__online *shared; /* the separator of the moment */
    uint32_t blocks;     /* of each part */
    uint32_t first;      /* the number of this rank's first part, ... */
    uint32_t count;      /* ... and how many it has */
    mix_part *parts;     /* count */
} mix_work;

/* Weights and offsets of all scorers; with averaging, once more the sums of the separators. */
static uint64_t mix_numbers(const hsp__online *run)
{
    const uint64_t each = run->sep.scorers * (run->sep.features + 1);
    return run->sep.past ? 2 * each : each;
}

static hsp_status mix_open(mix_work *work, hsp_context *quiet, const hsp_context *ctx,
                           const hsp_options *options, const hsp_view *view,
                           const hsp__online_facts *facts, hsp_error *err)
{
    const hsp__online_separators *sep = &work->shared->sep;
    for (uint32_t k = 0; k < work->count; k++) {
        mix_part *part = &work->parts[k];
        const uint32_t block = (work->first + k) * work->blocks;
        uint64_t from, to, none;
        hsp__shard_block(ctx->shard, block, &from, &none);
        hsp__shard_block(ctx->shard, block + work->blocks - 1, &none, &to);
        part->view = hsp__view_slice(view, from, to);
        HSP__TRY(hsp__online_init(&part->run, quiet, work->shared->rule, &work->shared->plan,
                                  options, facts, sep->scorers, sep->target, sep->features, err));
        part->run.kept.keep_ledger = 0;
        if (part->run.plan.order != HSP__WALK_SHUFFLE) continue;
        part->order = hsp__new_raw(&ctx->allocator, to - from, sizeof *part->order);
        if (!part->order) return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* A pass over a part's rows. */
static void mix_pass(void *user, uint64_t task)
{
    const mix_work *work = user;
    const hsp__online *shared = work->shared;
    mix_part *part = &work->parts[task];
    hsp__online *run = &part->run;
    hsp__online_separators *sep = &run->sep;
    const uint64_t weights = sep->scorers * sep->stride;
    memcpy(sep->weights, shared->sep.weights, weights * sizeof *sep->weights);
    memcpy(sep->offsets, shared->sep.offsets, sep->scorers * sizeof *sep->offsets);
    if (sep->past) {
        memset(sep->past, 0, weights * sizeof *sep->past);
        memset(sep->past_offsets, 0, sep->scorers * sizeof *sep->past_offsets);
    }
    run->done = (hsp__online_progress){.started = 1, .passes = shared->done.passes - 1};
    const uint64_t *order =
        hsp__online_begin(run, part->view.rows, part->order) ? part->order : NULL;
    part->status = hsp__online_walk(run, &part->view, order, 0, part->view.rows, &part->err);
}

/* What a part adds to the sum over all parts. */
static void mix_sum(void *user, uint32_t number, uint64_t from, uint64_t to, double *sum)
{
    const mix_work *work = user;
    (void)from;
    (void)to;
    const mix_part *part = &work->parts[number - work->first];
    const hsp__online_separators *sep = &part->run.sep;
    const double rows = (double)part->view.rows;
    double *past = sum + sep->scorers * (sep->features + 1);
    for (uint32_t c = 0; c < sep->scorers; c++) {
        const double *w = sep->weights + c * sep->stride;
        const double *p = sep->past ? sep->past + c * sep->stride : NULL;
        memcpy(sum, w, sep->features * sizeof *sum);
        sum += sep->features;
        *sum++ = sep->offsets[c];
        for (uint64_t j = 0; p && j < sep->features; j++)
            *past++ = rows * w[j] - p[j];
        if (p) *past++ = rows * sep->offsets[c] - sep->past_offsets[c];
    }
}

/* `past` of one number: the sum of separators so far was examples * before - past. */
static double mix_past(double past, double before, double examples, double after, double rows,
                       double sum)
{
    return (examples + rows) * after - (examples * before - past + sum);
}

/* The next separator, from the sums over all parts. */
static void mix_take(mix_work *work, uint32_t parts, uint64_t rows, const double *sum)
{
    hsp__online_separators *sep = &work->shared->sep;
    const int same = work->shared->done.mistakes == 0; /* as it is, without rounding */
    const double before = (double)work->shared->done.examples, more = (double)rows;
    const double *past = sum + sep->scorers * (sep->features + 1);
    for (uint32_t c = 0; c < sep->scorers; c++)
        for (uint64_t j = 0; j <= sep->features; j++) {
            const int offset = j == sep->features;
            const uint64_t at = c * sep->stride + j;
            double *w = offset ? &sep->offsets[c] : &sep->weights[at];
            const double next = same ? *w : *sum / parts;
            sum++;
            if (sep->past) {
                double *p = offset ? &sep->past_offsets[c] : &sep->past[at];
                *p = mix_past(*p, *w, before, next, more, *past++);
            }
            *w = next;
        }
    work->shared->done.examples += rows;
}

/* Is the run over, and why? The same on all ranks. */
static void mix_end(hsp_context *ctx, hsp__online *run, uint64_t rows)
{
    hsp__online_end(run);
    hsp__tick_together(ctx);
    hsp__online_tick(run, rows, 1);
}

static hsp_status mix_run(hsp_context *ctx, mix_work *work, uint64_t rows, double *sum,
                          hsp_error *err)
{
    hsp__online *shared = work->shared;
    const uint32_t parts = hsp__ranks_parts(ctx->shard->ranks);
    hsp_status status = hsp__online_load(shared, rows, err);
    while (!status && !shared->done.stopped) {
        uint64_t mistakes = 0;
        HSP__TRY(hsp__online_save(shared, rows, err));
        hsp__online_begin(shared, 0, NULL);
        hsp__tasks_run(ctx, work->count, mix_pass, work);
        for (uint32_t k = 0; k < work->count; k++) {
            mistakes += work->parts[k].run.done.mistakes;
            if (status || !work->parts[k].status) continue;
            status = work->parts[k].status;
            if (err) *err = work->parts[k].err;
        }
        HSP__TRY(hsp__ranks_agree(ctx->shard->ranks, status, err));
        hsp__shard_add(ctx, &mistakes, 1);
        shared->done.mistakes = mistakes;
        shared->done.updates += mistakes;
        HSP__TRY(hsp__shard_sum_parts(ctx, mix_numbers(shared), mix_sum, work, err, sum));
        mix_take(work, parts, ctx->shard->rows, sum);
        mix_end(ctx, shared, rows);
    }
    return status;
}

hsp_status hsp__online_mix(hsp__ovr *ovr, const hsp_options *options, const hsp_view *view,
                           double radius, hsp_error *err)
{
    hsp_context *ctx = ovr->ctx, quiet = hsp__quiet(ctx);
    const hsp__shard *shard = ctx->shard;
    const uint32_t parts = hsp__ranks_parts(shard->ranks);
    const hsp__online_facts facts = {.rows = view->rows, .radius = radius, .classes = ovr->classes};
    mix_work work = {.shared = &ovr->runs[0], .blocks = HSP__BLOCKS / parts};
    if ((uint32_t)shard->ranks->count > parts)
        return hsp__fail(err, HSP_USAGE,
                         "this learner divides its rows into %u parts; use at most %u processes",
                         (unsigned)parts, (unsigned)parts);
    assert(ovr->count == 1 && shard->rows >= HSP__BLOCKS && shard->from % work.blocks == 0);
    hsp__stop_limit(ctx, ovr->plan.max_seconds);
    work.shared->kept.keep_ledger = 0;
    work.first = shard->from / work.blocks;
    work.count = (shard->to - shard->from) / work.blocks;
    work.parts = hsp__new(&ctx->allocator, work.count, sizeof *work.parts);
    double *sum = hsp__new_raw(&ctx->allocator, mix_numbers(work.shared), sizeof *sum);
    hsp_status status = work.parts && sum ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = mix_open(&work, &quiet, ctx, options, view, &facts, err);
    status = hsp__ranks_agree(shard->ranks, status, err);
    if (!status) status = mix_run(ctx, &work, view->rows, sum, err);
    for (uint32_t k = 0; work.parts && k < work.count; k++) {
        hsp__online_free(&work.parts[k].run);
        hsp__free(&ctx->allocator, work.parts[k].order);
    }
    hsp__free(&ctx->allocator, work.parts);
    hsp__free(&ctx->allocator, sum);
    return status;
}
