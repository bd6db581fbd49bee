#include "learn/multiclass/ovr.h"

#include "base/base.h"
#include "learn/multiclass/run_pool.h"
#include "learn/kernel/kernel_scores.h"
#include "model/model.h"

hsp_status hsp__ovr_init(hsp__ovr *team, hsp_context *ctx, const hsp__learner *learner,
                         const hsp_options *options, const hsp__online_facts *facts,
                         uint32_t classes, uint64_t features, hsp_error *err)
{
    const hsp__online_rule *rule = learner->rule;
    *team = (hsp__ovr){.ctx = ctx, .classes = classes, .watch = {.ctx = ctx}};
    hsp__online_plan_read(options, &team->plan);
    const int apart = classes > 2 && (team->plan.ovr || !rule->native);
    assert(classes >= 2);
    const uint32_t count = apart ? classes : 1, scorers = apart || classes == 2 ? 1 : classes;
    assert(scorers == 1 || count == 1);
    team->watch.total = facts->rows * team->plan.passes * count;
    team->watch.each = facts->rows * count;
    team->runs = hsp__new(&ctx->allocator, count, sizeof *team->runs);
    team->scores = hsp__new(&ctx->allocator, classes, sizeof *team->scores);
    if (!team->runs || !team->scores) return hsp__fail_memory(err);
    hsp__online_facts known = *facts;
    known.classes = classes;
    hsp_status status = HSP_OK;
    for (; !status && team->count < count; team->count++) {
        hsp__online *run = &team->runs[team->count];
        status = hsp__online_init(run, ctx, rule, &team->plan, options, &known, scorers,
                                  apart ? team->count : 1, features, err);
        run->done.watch = &team->watch;
    }
    return status;
}

void hsp__ovr_free(hsp__ovr *team)
{
    if (!team->ctx) return;
    for (uint32_t c = 0; c < team->count; c++)
        hsp__online_free(&team->runs[c]);
    hsp__free(&team->ctx->allocator, team->runs);
    hsp__free(&team->ctx->allocator, team->scores);
    hsp__interleaved_free(&team->beside, &team->ctx->allocator);
    team->ctx = NULL;
}

hsp__online *hsp__ovr_scorer(const hsp__ovr *team, uint32_t c, uint32_t *scorer)
{
    assert(c < hsp__ovr_scorers(team));
    *scorer = team->count > 1 ? 0 : c;
    return &team->runs[team->count > 1 ? c : 0];
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

hsp_status hsp__ovr_grow(hsp__ovr *team, uint32_t classes, uint64_t features, hsp_error *err)
{
    if (classes > team->classes) {
        hsp__online_separators *sep = &team->runs[0].sep;
        const uint32_t before = sep->scorers;
        double *scores =
            hsp__resize(&team->ctx->allocator, team->scores, classes, sizeof *team->scores);
        if (!scores) return hsp__fail_memory(err);
        team->scores = scores;
        HSP__TRY(hsp__online_grow(&team->runs[0], classes, features, err));
        team->classes = classes;
        if (before > 1) return HSP_OK;
        ovr_part_ways(sep->weights, sep->stride, sep->offsets, sep->target);
        if (sep->past) ovr_part_ways(sep->past, sep->stride, sep->past_offsets, sep->target);
        return HSP_OK;
    }
    for (uint32_t c = 0; c < team->count; c++)
        if (features > team->runs[c].sep.features)
            HSP__TRY(hsp__online_grow(&team->runs[c], team->runs[c].sep.scorers, features, err));
    return HSP_OK;
}

/* ---- One-vs-rest, side by side --------------------------------------------------------------- */

/* The scores of the runs from..to-1 on one row; `from` begins a block of columns. */
static void ovr_score(hsp__ovr *team, const hsp_view *view, uint64_t row, uint32_t from,
                      uint32_t to)
{
    assert(from < to && to <= team->count);
    double sums[HSP__BESIDE_MOST];
    const size_t block = HSP__BESIDE_BLOCK, width = (to - from + block - 1) / block * block;
    if (team->beside.columns) hsp__interleaved_dots(&team->beside, view, row, from, width, sums);
    for (uint32_t c = from; c < to; c++) {
        hsp__online *run = &team->runs[c];
        if (team->beside.columns)
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
static hsp_status ovr_together(hsp__ovr *team, const hsp_view *view, uint64_t row, int *updated,
                               uint32_t *predicted, hsp_error *err)
{
    hsp_status status = HSP_OK;
    ovr_score(team, view, row, 0, team->count);
    for (uint32_t c = 0; c < team->count; c++)
        team->scores[c] = hsp__online_meant(&team->runs[c], team->runs[c].scores[0]);
    *predicted = hsp__decide(team->scores, team->count, team->plan.tie);
    *updated = 0;
    for (uint32_t c = 0; !status && c < team->count; c++)
        status = ovr_learn(&team->runs[c], view, row, updated, err);
    team->seen++;
    team->wrong += *predicted != view->labels[row];
    return status;
}

static int ovr_stopped(const hsp__ovr *team, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; c < to; c++)
        if (!team->runs[c].done.stopped) return 0;
    return 1;
}

/* A pass of those of the runs first..last-1 that have not stopped, side by side. They have made as
 * many passes, so that a shuffled order is the same for all of them. `together`: all runs' first
 * pass, where the prediction needs the scores of all. */
static hsp_status ovr_pass(hsp__ovr *team, const hsp_view *view, uint32_t first, uint32_t last,
                           int together, int report, uint64_t *order, hsp_error *err)
{
    hsp__online *runs = team->runs;
    hsp__kernel_scores *kernel = runs[0].space.kernel;
    const uint64_t rows = view->rows, chunk = hsp__online_chunk(&runs[0], view);
    int updated, shuffled = 0;
    uint32_t predicted;
    hsp_status status = HSP_OK;
    for (uint32_t c = first; c < last; c++)
        if (!runs[c].done.stopped) shuffled = hsp__online_begin(&runs[c], rows, order);
    for (uint64_t from = 0; !status && !ovr_stopped(team, first, last) && from < rows;
         from += chunk) {
        const uint64_t to = rows - from < chunk ? rows : from + chunk;
        if (kernel)
            status = hsp__kernel_scores_block(kernel, shuffled ? order : NULL, from, to, err);
        for (uint64_t p = from; !status && p < to; p++) {
            const uint64_t row = shuffled ? order[p] : p;
            if (together) {
                status = ovr_together(team, view, row, &updated, &predicted, err);
                continue;
            }
            ovr_score(team, view, row, first, last);
            for (uint32_t c = first; !status && c < last; c++)
                status = ovr_learn(&runs[c], view, row, &updated, err);
        }
        for (uint32_t c = first; c < last; c++)
            hsp__online_tick(&runs[c], to - from, report && c == first);
    }
    for (uint32_t c = first; !status && c < last; c++)
        hsp__online_end(&runs[c]);
    return status;
}

/* The first pass of all runs, or all that are left of some. */
static hsp_status ovr_passes(hsp__ovr *team, const hsp_view *view, uint32_t first, uint32_t last,
                             int together, int report, hsp_error *err)
{
    const hsp_allocator *memory = &team->ctx->allocator;
    uint64_t *order = NULL;
    hsp_status status = HSP_OK;
    if (team->plan.order == HSP__WALK_SHUFFLE) {
        order = hsp__new_raw(memory, view->rows, sizeof *order);
        if (!order) return hsp__fail_memory(err);
    }
    if (together) status = ovr_pass(team, view, first, last, 1, report, order, err);
    while (!status && !together && !ovr_stopped(team, first, last))
        status = ovr_pass(team, view, first, last, 0, report, order, err);
    hsp__free(memory, order);
    return status;
}

#define OVR_SINGLE 3 /* runs on their own take less time than a block; measured */

typedef struct ovr_work {
    hsp__ovr *team;
    const hsp_view *view;
    uint32_t width; /* runs that a worker takes at a time */
} ovr_work;

static hsp_status ovr_part(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    const ovr_work *work = user;
    if (work->width > 1) return ovr_passes(work->team, work->view, from, to, 0, report, err);
    return hsp__online_run(&work->team->runs[from], work->view, 1, report, err);
}

/* What is left after the first pass: each run on its own, or a block of runs whose weights lie side
 * by side; several at once. */
static hsp_status ovr_apart(hsp__ovr *team, const hsp_view *view, hsp_error *err)
{
    const uint32_t block = HSP__BESIDE_BLOCK, count = team->count;
    const uint32_t threads = (uint32_t)hsp_context_threads(team->ctx);
    if (team->runs[0].space.kernel) {
        /* They share kernel values: all side by side, or where rows are picked one after the other;
         * threads are for the values. */
        if (team->plan.order < HSP__WALK_FIRST) return ovr_passes(team, view, 0, count, 0, 1, err);
        for (uint32_t c = 0; c < count; c++)
            HSP__TRY(hsp__online_run(&team->runs[c], view, 1, 1, err));
        return HSP_OK;
    }
    ovr_work work = {team, view, team->beside.columns ? block : 1};
    /* Where there are fewer blocks than threads, and runs on their own would be few for each thread,
     * they keep all threads at work, and the weights side by side go. */
    if (team->beside.columns && (count + block - 1) / block < threads &&
        (count + threads - 1) / threads <= OVR_SINGLE) {
        for (uint32_t c = 0; c < count; c++)
            team->runs[c].sep.beside = NULL;
        hsp__interleaved_free(&team->beside, &team->ctx->allocator);
        work.width = 1;
    }
    return hsp__run_pool_run(&team->watch, (int)threads, count, work.width, ovr_part, &work, err);
}

/* ---- All together ---------------------------------------------------------------------------- */

hsp_status hsp__ovr_run(hsp__ovr *team, const hsp_view *view, hsp_error *err)
{
    const hsp__online *run = &team->runs[0];
    hsp__stop_limit(team->ctx, team->plan.max_seconds);
    if (team->count == 1)
        return hsp__online_run(&team->runs[0], view, hsp_context_threads(team->ctx), 1, err);
    if (team->plan.order >= HSP__WALK_FIRST) return ovr_apart(team, view, err);
    if (!run->space.kernel && view->storage != HSP_DENSE && !run->rule->score) {
        /* lay the weights of all runs side by side, and have the runs keep them so */
        HSP__TRY(hsp__interleaved_init(&team->beside, &team->ctx->allocator, run->sep.features,
                                       team->count, err));
        for (uint32_t c = 0; team->beside.columns && c < team->count; c++) {
            team->runs[c].sep.beside = &team->beside;
            team->runs[c].sep.beside_at = c;
            hsp__interleaved_fill(&team->beside, c, team->runs[c].sep.weights,
                                  team->runs[c].sep.features);
        }
    }
    HSP__TRY(ovr_passes(team, view, 0, team->count, 1, 1, err));
    return ovr_apart(team, view, err);
}

static void ovr_begin(hsp__ovr *team)
{
    for (uint32_t c = 0; c < team->count; c++)
        if (team->runs[c].done.passes == 0) hsp__online_begin(&team->runs[c], 0, NULL);
}

hsp_status hsp__ovr_walk(hsp__ovr *team, const hsp_view *view, uint64_t from, uint64_t to,
                         hsp_error *err)
{
    hsp_status status = HSP_OK;
    int updated;
    uint32_t predicted;
    ovr_begin(team);
    if (team->count == 1) return hsp__online_walk(&team->runs[0], view, NULL, from, to, err);
    for (uint64_t i = from; !status && i < to && !ovr_stopped(team, 0, team->count); i++)
        status = ovr_together(team, view, i, &updated, &predicted, err);
    return status;
}

hsp_status hsp__ovr_step(hsp__ovr *team, const hsp_view *view, uint64_t row, hsp_error *err,
                         hsp_step *step)
{
    hsp_status status = HSP_OK;
    hsp_step made = {.size = sizeof made};
    double margin;
    ovr_begin(team);
    if (team->count > 1) {
        status = ovr_together(team, view, row, &made.updated, &made.predicted, err);
        const uint32_t y = view->labels[row];
        double best = -HUGE_VAL;
        for (uint32_t c = 0; c < team->count; c++)
            if (c != y) best = fmax(best, team->scores[c]);
        made.score = team->scores[y] - best;
    } else {
        hsp__online *run = &team->runs[0];
        hsp__online_score(run, view, row);
        const double meant = hsp__online_meant(run, run->scores[0]);
        made.predicted = hsp__decide(run->sep.scorers == 1 ? &meant : run->scores, run->sep.scorers,
                                     team->plan.tie);
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

void hsp__ovr_report(const hsp__ovr *team, int flipped, hsp_training *run)
{
    uint64_t seen = team->seen, wrong = team->wrong;
    run->classes = team->classes;
    run->passes = run->updates = run->mistakes_last_pass = 0;
    run->stop = HSP_STOP_CONVERGED;
    for (uint32_t c = 0; c < team->count; c++) {
        const hsp__online *one = &team->runs[c];
        if (one->done.passes > run->passes) run->passes = one->done.passes;
        run->updates += one->done.updates;
        run->mistakes_last_pass += one->done.mistakes;
        run->stop = hsp__stop_of(run->stop, one->done.stop);
    }
    if (team->count == 1) {
        seen = team->runs[0].done.first_seen;
        wrong = hsp__online_first_wrong(&team->runs[0], flipped);
    }
    if (team->runs[0].rule->report) team->runs[0].rule->report(&team->runs[0], run);
    run->online_rows = seen;
    run->online_error = seen ? (double)wrong / (double)seen : (double)NAN;
}
