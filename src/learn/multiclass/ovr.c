#include "learn/multiclass/ovr.h"

#include "base/base.h"
#include "learn/multiclass/run_pool.h"
#include "learn/kernel/kernel_scores.h"
#include "model/model.h"

hsp_status hsp__ovr_init(hsp__ovr *ovr, hsp_context *ctx, const hsp__learner *learner,
                         const hsp_options *options, const hsp__online_facts *facts,
                         uint32_t classes, uint64_t features, hsp_error *err)
{
    const hsp__online_rule *rule = learner->rule;
    *ovr = (hsp__ovr){.ctx = ctx, .classes = classes, .watch = {.ctx = ctx}};
    hsp__online_plan_read(options, &ovr->plan);
    const int apart = classes > 2 && (ovr->plan.ovr || !rule->native);
    assert(classes >= 2);
    const uint32_t count = apart ? classes : 1, scorers = apart || classes == 2 ? 1 : classes;
    assert(scorers == 1 || count == 1);
    ovr->watch.total = facts->rows * ovr->plan.passes * count;
    ovr->watch.each = facts->rows * count;
    ovr->runs = hsp__new(&ctx->allocator, count, sizeof *ovr->runs);
    ovr->scores = hsp__new(&ctx->allocator, classes, sizeof *ovr->scores);
    if (!ovr->runs || !ovr->scores) return hsp__fail_memory(err);
    hsp__online_facts known = *facts;
    known.classes = classes;
    hsp_status status = HSP_OK;
    for (; !status && ovr->count < count; ovr->count++) {
        hsp__online *run = &ovr->runs[ovr->count];
        status = hsp__online_init(run, ctx, rule, &ovr->plan, options, &known, scorers,
                                  apart ? ovr->count : 1, features, err);
        run->place.task = ovr->count;
        run->done.watch = &ovr->watch;
    }
    return status;
}

void hsp__ovr_free(hsp__ovr *ovr)
{
    if (!ovr->ctx) return;
    for (uint32_t c = 0; c < ovr->count; c++)
        hsp__online_free(&ovr->runs[c]);
    hsp__free(&ovr->ctx->allocator, ovr->runs);
    hsp__free(&ovr->ctx->allocator, ovr->scores);
    hsp__interleaved_free(&ovr->interleaved, &ovr->ctx->allocator);
    ovr->ctx = NULL;
}

hsp__online *hsp__ovr_scorer(const hsp__ovr *ovr, uint32_t c, uint32_t *scorer)
{
    assert(c < hsp__ovr_scorers(ovr));
    *scorer = ovr->count > 1 ? 0 : c;
    return &ovr->runs[ovr->count > 1 ? c : 0];
}

/* The scorer of two classes, w, as the scorers of its classes: w for the positive one, -w for the
 * other. */
static void ovr_part_ways(double *array, uint64_t stride, double *offsets, uint32_t positive)
{
    const uint32_t negative = !positive;
    for (uint64_t j = 0; j < stride; j++) {
        const double w = array[j];
        array[positive * stride + j] = w;
        array[negative * stride + j] = 0 - w;
    }
    const double b = offsets[0];
    offsets[positive] = b;
    offsets[negative] = 0 - b;
}

hsp_status hsp__ovr_grow(hsp__ovr *ovr, uint32_t classes, uint64_t features, hsp_error *err)
{
    if (classes > ovr->classes) {
        hsp__online_separators *sep = &ovr->runs[0].sep;
        const uint32_t before = sep->scorers;
        double *scores =
            hsp__resize(&ovr->ctx->allocator, ovr->scores, classes, sizeof *ovr->scores);
        if (!scores) return hsp__fail_memory(err);
        ovr->scores = scores;
        HSP__TRY(hsp__online_grow(&ovr->runs[0], classes, features, err));
        ovr->classes = classes;
        if (before > 1) return HSP_OK;
        ovr_part_ways(sep->weights, sep->stride, sep->offsets, sep->target);
        if (sep->past) ovr_part_ways(sep->past, sep->stride, sep->past_offsets, sep->target);
        return HSP_OK;
    }
    for (uint32_t c = 0; c < ovr->count; c++)
        if (features > ovr->runs[c].sep.features)
            HSP__TRY(hsp__online_grow(&ovr->runs[c], ovr->runs[c].sep.scorers, features, err));
    return HSP_OK;
}

/* ---- One-vs-rest, side by side --------------------------------------------------------------- */

/* The scores of the runs from..to-1 on one row; `from` begins a block of columns. */
static void ovr_score(hsp__ovr *ovr, const hsp_view *view, uint64_t row, uint32_t from, uint32_t to)
{
    assert(from < to && to <= ovr->count);
    double sums[HSP__BESIDE_MOST];
    const size_t block = HSP__BESIDE_BLOCK, width = (to - from + block - 1) / block * block;
    if (ovr->interleaved.columns)
        hsp__interleaved_dots(&ovr->interleaved, view, row, from, width, sums);
    for (uint32_t c = from; c < to; c++) {
        hsp__online *run = &ovr->runs[c];
        if (ovr->interleaved.columns)
            run->scores[0] = sums[c - from] + run->sep.offsets[0];
        else
            hsp__online_score(run, view, row);
    }
}

/* One run and a row that it has scored. */
static hsp_status ovr_learn(hsp__online *run, const hsp_view *view, uint64_t row, int *updated,
                            hsp_error *err)
{
    double margin;
    if (run->done.stopped) return HSP_OK;
    if (hsp__online_wrong(run, view, row, run->scores, &margin)) {
        *updated = 1;
        return hsp__online_learn(run, view, row, err);
    }
    run->done.examples++;
    return HSP_OK;
}

/* Every run scores the row; the highest score is the prediction; then every run learns. A run that
 * has stopped is still asked for its score. */
static hsp_status ovr_together(hsp__ovr *ovr, const hsp_view *view, uint64_t row, int *updated,
                               uint32_t *predicted, hsp_error *err)
{
    hsp_status status = HSP_OK;
    ovr_score(ovr, view, row, 0, ovr->count);
    for (uint32_t c = 0; c < ovr->count; c++)
        ovr->scores[c] = hsp__online_meant(&ovr->runs[c], ovr->runs[c].scores[0]);
    *predicted = hsp__decide(ovr->scores, ovr->count, ovr->plan.tie);
    *updated = 0;
    for (uint32_t c = 0; !status && c < ovr->count; c++)
        status = ovr_learn(&ovr->runs[c], view, row, updated, err);
    ovr->seen++;
    ovr->wrong += *predicted != view->labels[row];
    return status;
}

static int ovr_stopped(const hsp__ovr *ovr, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; c < to; c++)
        if (!ovr->runs[c].done.stopped) return 0;
    return 1;
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

typedef struct ovr_saved {
    hsp__ovr *ovr;
    uint64_t rows;
} ovr_saved;

static void ovr_state_seen(hsp__state *state, void *user)
{
    hsp__ovr *ovr = ((const ovr_saved *)user)->ovr;
    HSP__STATE(state, ovr->seen);
    HSP__STATE(state, ovr->wrong);
}

/* In their first pass, all runs are at the same row. */
static void ovr_state(hsp__state *state, void *user)
{
    const ovr_saved *saved = user;
    const hsp__ovr *ovr = saved->ovr;
    ovr_state_seen(state, user);
    for (uint32_t c = 0; c < ovr->count; c++) {
        hsp__online_state(state, &ovr->runs[c], saved->rows);
        hsp__state_expect(state, ovr->runs[c].done.at == ovr->runs[0].done.at);
    }
}

static hsp_status ovr_save(hsp__ovr *ovr, uint64_t rows, hsp_error *err)
{
    const hsp__place place = {ovr->runs[0].place.task, HSP__STEP_TOGETHER};
    ovr_saved saved = {ovr, rows};
    return hsp__checkpoint_save(ovr->ctx, &place, ovr_state, &saved, err);
}

/* After the first pass, every run has a state of its own. */
static hsp_status ovr_keep(hsp__ovr *ovr, uint64_t rows, hsp_error *err)
{
    const hsp__place place = {ovr->runs[0].place.task, HSP__STEP_FIRST_PASS};
    ovr_saved saved = {ovr, rows};
    if (hsp__stopped(ovr->ctx)) return HSP_OK;
    HSP__TRY(hsp__checkpoint_keep(ovr->ctx, &place, ovr_state_seen, &saved, err));
    for (uint32_t c = 0; c < ovr->count; c++)
        HSP__TRY(hsp__online_keep(&ovr->runs[c], rows, err));
    hsp__checkpoint_forget(ovr->ctx, &place, 0);
    return HSP_OK;
}

/* *begun: the first pass is over. */
static hsp_status ovr_load(hsp__ovr *ovr, uint64_t rows, hsp_error *err, int *begun)
{
    const hsp__place together = {ovr->runs[0].place.task, HSP__STEP_TOGETHER};
    const hsp__place after = {together.task, HSP__STEP_FIRST_PASS};
    ovr_saved saved = {ovr, rows};
    int found = 0;
    *begun = 0;
    if (ovr->count > 1)
        HSP__TRY(hsp__checkpoint_load(ovr->ctx, &together, ovr_state, &saved, err, &found));
    if (found) return HSP_OK;
    HSP__TRY(hsp__checkpoint_load(ovr->ctx, &after, ovr_state_seen, &saved, err, begun));
    for (uint32_t c = 0; c < ovr->count; c++)
        HSP__TRY(hsp__online_load(&ovr->runs[c], rows, err));
    return HSP_OK;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* A pass of those of the runs first..last-1 that have not stopped, side by side. They have made as
 * many passes, so that a shuffled order is the same for all of them. `together`: all runs' first
 * pass, where the prediction needs the scores of all. */
static hsp_status ovr_pass(hsp__ovr *ovr, const hsp_view *view, uint32_t first, uint32_t last,
                           int together, int report, uint64_t *order, hsp_error *err)
{
    hsp__online *runs = ovr->runs;
    hsp__kernel_scores *kernel = runs[0].space.kernel;
    const uint64_t rows = view->rows, chunk = hsp__online_chunk(&runs[0], view);
    int updated, shuffled = 0;
    uint32_t predicted;
    hsp_status status = HSP_OK;
    for (uint32_t c = first; !status && c < last && !together; c++)
        status = hsp__online_save(&runs[c], rows, err);
    for (uint32_t c = first; c < last; c++)
        if (!runs[c].done.stopped) shuffled = hsp__online_begin(&runs[c], rows, order);
    for (uint64_t from = runs[first].done.at;
         !status && !ovr_stopped(ovr, first, last) && from < rows; from += chunk) {
        const uint64_t to = rows - from < chunk ? rows : from + chunk;
        if (kernel)
            status = hsp__kernel_scores_block(kernel, shuffled ? order : NULL, from, to, err);
        for (uint64_t p = from; !status && p < to; p++) {
            const uint64_t row = shuffled ? order[p] : p;
            if (together) {
                status = ovr_together(ovr, view, row, &updated, &predicted, err);
                continue;
            }
            ovr_score(ovr, view, row, first, last);
            for (uint32_t c = first; !status && c < last; c++)
                status = ovr_learn(&runs[c], view, row, &updated, err);
        }
        for (uint32_t c = first; c < last; c++) {
            hsp__online_tick(&runs[c], to - from, report && c == first);
            runs[c].done.at = to;
        }
        if (!status && together && to < rows) status = ovr_save(ovr, rows, err);
    }
    for (uint32_t c = first; c < last; c++)
        runs[c].done.at = 0;
    for (uint32_t c = first; !status && c < last; c++)
        hsp__online_end(&runs[c]);
    return !status && together ? ovr_keep(ovr, rows, err) : status;
}

/* The first pass of all runs, or all that are left of some. */
static hsp_status ovr_passes(hsp__ovr *ovr, const hsp_view *view, uint32_t first, uint32_t last,
                             int together, int report, hsp_error *err)
{
    const hsp_allocator *memory = &ovr->ctx->allocator;
    uint64_t *order = NULL;
    hsp_status status = HSP_OK;
    if (ovr->plan.order == HSP__WALK_SHUFFLE) {
        order = hsp__new_raw(memory, view->rows, sizeof *order);
        if (!order) return hsp__fail_memory(err);
    }
    if (together) status = ovr_pass(ovr, view, first, last, 1, report, order, err);
    while (!status && !together && !ovr_stopped(ovr, first, last))
        status = ovr_pass(ovr, view, first, last, 0, report, order, err);
    hsp__free(memory, order);
    return status;
}

#define OVR_SINGLE 3 /* runs on their own take less time than a block; measured */

typedef struct ovr_work {
    hsp__ovr *ovr;
    const hsp_view *view;
    uint32_t width; /* runs that a worker takes at a time */
} ovr_work;

static hsp_status ovr_part(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    const ovr_work *work = user;
    hsp__online *runs = work->ovr->runs;
    int even = work->width > 1; /* of a checkpoint, some may be further than others */
    for (uint32_t c = from; even && c < to; c++)
        even = !runs[c].done.at && runs[c].done.passes == runs[from].done.passes;
    if (even) return ovr_passes(work->ovr, work->view, from, to, 0, report, err);
    for (uint32_t c = from; c < to; c++)
        HSP__TRY(hsp__online_run(&runs[c], work->view, 1, report, err));
    return HSP_OK;
}

/* What is left after the first pass: each run on its own, or a block of runs whose weights lie side
 * by side; several at once. */
static hsp_status ovr_apart(hsp__ovr *ovr, const hsp_view *view, hsp_error *err)
{
    const uint32_t block = HSP__BESIDE_BLOCK, count = ovr->count;
    const uint32_t threads = (uint32_t)hsp_context_threads(ovr->ctx);
    if (ovr->runs[0].space.kernel) {
        /* They share kernel values: all side by side, or where rows are picked one after the other;
         * threads are for the values. */
        if (ovr->plan.order < HSP__WALK_FIRST) return ovr_passes(ovr, view, 0, count, 0, 1, err);
        for (uint32_t c = 0; c < count; c++)
            HSP__TRY(hsp__online_run(&ovr->runs[c], view, 1, 1, err));
        return HSP_OK;
    }
    ovr_work work = {ovr, view, ovr->interleaved.columns ? block : 1};
    /* Where there are fewer blocks than threads, and runs on their own would be few for each thread,
     * they keep all threads at work, and the weights side by side go. */
    if (ovr->interleaved.columns && (count + block - 1) / block < threads &&
        (count + threads - 1) / threads <= OVR_SINGLE) {
        for (uint32_t c = 0; c < count; c++)
            ovr->runs[c].sep.interleaved = NULL;
        hsp__interleaved_free(&ovr->interleaved, &ovr->ctx->allocator);
        work.width = 1;
    }
    return hsp__run_pool_run(&ovr->watch, (int)threads, count, work.width, ovr_part, &work, err);
}

/* ---- All together ---------------------------------------------------------------------------- */

hsp_status hsp__ovr_run(hsp__ovr *ovr, const hsp_view *view, hsp_error *err)
{
    const hsp__online *run = &ovr->runs[0];
    int begun;
    hsp__stop_limit(ovr->ctx, ovr->plan.max_seconds);
    HSP__TRY(ovr_load(ovr, view->rows, err, &begun));
    if (ovr->count == 1)
        return hsp__online_run(&ovr->runs[0], view, hsp_context_threads(ovr->ctx), 1, err);
    if (ovr->plan.order >= HSP__WALK_FIRST) return ovr_apart(ovr, view, err);
    if (!run->space.kernel && view->storage != HSP_DENSE && !run->rule->score) {
        /* lay the weights of all runs side by side, and have the runs keep them so */
        HSP__TRY(hsp__interleaved_init(&ovr->interleaved, &ovr->ctx->allocator, run->sep.features,
                                       ovr->count, err));
        for (uint32_t c = 0; ovr->interleaved.columns && c < ovr->count; c++) {
            ovr->runs[c].sep.interleaved = &ovr->interleaved;
            ovr->runs[c].sep.interleaved_at = c;
            hsp__interleaved_fill(&ovr->interleaved, c, ovr->runs[c].sep.weights,
                                  ovr->runs[c].sep.features);
        }
    }
    if (!begun) HSP__TRY(ovr_passes(ovr, view, 0, ovr->count, 1, 1, err));
    return ovr_apart(ovr, view, err);
}

static void ovr_begin(hsp__ovr *ovr)
{
    for (uint32_t c = 0; c < ovr->count; c++)
        if (ovr->runs[c].done.passes == 0) hsp__online_begin(&ovr->runs[c], 0, NULL);
}

hsp_status hsp__ovr_walk(hsp__ovr *ovr, const hsp_view *view, uint64_t from, uint64_t to,
                         hsp_error *err)
{
    hsp_status status = HSP_OK;
    int updated;
    uint32_t predicted;
    ovr_begin(ovr);
    if (ovr->count == 1) return hsp__online_walk(&ovr->runs[0], view, NULL, from, to, err);
    for (uint64_t i = from; !status && i < to && !ovr_stopped(ovr, 0, ovr->count); i++)
        status = ovr_together(ovr, view, i, &updated, &predicted, err);
    return status;
}

hsp_status hsp__ovr_step(hsp__ovr *ovr, const hsp_view *view, uint64_t row, hsp_error *err,
                         hsp_step *step)
{
    hsp_status status = HSP_OK;
    hsp_step made = {.size = sizeof made};
    double margin;
    ovr_begin(ovr);
    if (ovr->count > 1) {
        status = ovr_together(ovr, view, row, &made.updated, &made.predicted, err);
        const uint32_t y = view->labels[row];
        double best = -HUGE_VAL;
        for (uint32_t c = 0; c < ovr->count; c++)
            if (c != y) best = fmax(best, ovr->scores[c]);
        made.score = ovr->scores[y] - best;
    } else {
        hsp__online *run = &ovr->runs[0];
        hsp__online_score(run, view, row);
        const double meant = hsp__online_meant(run, run->scores[0]);
        made.predicted = hsp__decide(run->sep.scorers == 1 ? &meant : run->scores, run->sep.scorers,
                                     ovr->plan.tie);
        made.updated =
            hsp__online_wrong(run, view, row, run->scores, &margin) && !run->done.stopped;
        made.score = run->sep.scorers == 1 ? meant : margin;
        run->done.first_seen++;
        if (made.updated)
            status = hsp__online_learn(run, view, row, err);
        else
            run->done.examples += !run->done.stopped;
    }
    if (!status) *step = made;
    return status;
}

/* ---- What they did --------------------------------------------------------------------------- */

void hsp__ovr_report(const hsp__ovr *ovr, int flipped, hsp_training *run)
{
    uint64_t seen = ovr->seen, wrong = ovr->wrong;
    run->classes = ovr->classes;
    run->passes = run->updates = run->mistakes_last_pass = 0;
    run->stop = HSP_STOP_CONVERGED;
    for (uint32_t c = 0; c < ovr->count; c++) {
        const hsp__online *one = &ovr->runs[c];
        if (one->done.passes > run->passes) run->passes = one->done.passes;
        run->updates += one->done.updates;
        run->mistakes_last_pass += one->done.mistakes;
        run->stop = hsp__stop_of(run->stop, one->done.stop);
    }
    if (ovr->count == 1) {
        seen = ovr->runs[0].done.first_seen;
        wrong = hsp__online_first_wrong(&ovr->runs[0], flipped);
    }
    if (ovr->runs[0].rule->report) ovr->runs[0].rule->report(&ovr->runs[0], run);
    run->online_rows = seen;
    run->online_error = seen ? (double)wrong / (double)seen : (double)NAN;
}
