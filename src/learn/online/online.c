#include "learn/online/online.h"

#include "base/base.h"
#include "base/random.h"
#include "learn/erm/matvec.h"
#include "learn/online/parallel_scan.h"
#include "learn/option_helpers.h"
#include "learn/kernel/kernel_scores.h"
#include "learn/online/trace.h"
#include "model/model.h"

#define ONLINE_ALIGN        64
#define ONLINE_CHUNK_PAGED  128 /* rows, likewise, if they are in a file and shuffled */
#define ONLINE_CHUNK_BYTES  ((uint64_t)4 << 20)
#define ONLINE_SHARED_BYTES ((uint64_t)1 << 20) /* less is not worth starting threads */

/* ---- The plan -------------------------------------------------------------------------------- */

void hsp__online_plan_read(const hsp_options *options, hsp__online_plan *plan)
{
    static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random", NULL};
    static const char *const averages[] = {"none", "average", "vote", NULL};
    plan->order = (hsp__walk)hsp__option_choice(options, "order", orders);
    plan->average = (hsp__average)hsp__option_choice(options, "average", averages);
    plan->tie = hsp__option_tie(options);
    plan->ovr = hsp__option_is(options, "multiclass", "ovr"); /* ovo is ovo.c */
    plan->passes = hsp__option_integer(options, "passes", 0);
    if (plan->passes == 0) plan->passes = hsp__option_integer(options, "max-passes", 0);
    plan->max_updates = hsp__option_integer(options, "max-updates", 0);
    plan->max_seconds = hsp_options_real(options, "max-seconds");
    plan->seed = (uint64_t)hsp_options_integer(options, "seed");
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* One of the two arrays (weights, past) with its offsets, in another shape: aligned, new places 0. */
static int online_reshape(hsp__online *run, uint32_t scorers, uint64_t stride, double **array,
                          void **block, double **offsets)
{
    const hsp_allocator *memory = &run->ctx->allocator;
    const uint64_t spare = ONLINE_ALIGN / sizeof(double);
    if (stride > (UINT64_MAX - spare) / (scorers ? scorers : 1)) return 0;
    char *grown_block = hsp__new(memory, scorers * stride + spare, sizeof(double));
    double *grown_offsets = hsp__new(memory, scorers, sizeof *grown_offsets);
    if (!grown_block || !grown_offsets) {
        hsp__free(memory, grown_block);
        hsp__free(memory, grown_offsets);
        return 0;
    }
    double *grown = (void *)(grown_block + (-(uintptr_t)grown_block & (ONLINE_ALIGN - 1)));
    for (uint32_t c = 0; c < run->sep.scorers; c++) {
        memcpy(grown + c * stride, *array + c * run->sep.stride,
               run->sep.features * sizeof **array);
        grown_offsets[c] = (*offsets)[c];
    }
    hsp__free(memory, *block);
    hsp__free(memory, *offsets);
    *block = grown_block;
    *array = grown;
    *offsets = grown_offsets;
    return 1;
}

static void online_drop_interleaved(hsp__online *run)
{
    hsp__interleaved_free(&run->sep.own_interleaved, &run->ctx->allocator);
    run->sep.interleaved = NULL;
}

hsp_status hsp__online_grow(hsp__online *run, uint32_t scorers, uint64_t features, hsp_error *err)
{
    uint64_t stride = run->sep.stride;
    if (features > stride) {
        stride += stride / 2;
        stride = ((features > stride ? features : stride) + 7) & ~(uint64_t)7;
    }
    if (stride != run->sep.stride || scorers != run->sep.scorers) {
        online_drop_interleaved(run);
        double *scores = hsp__resize(&run->ctx->allocator, run->scores, scorers, sizeof *scores);
        if (!scores) return hsp__fail_memory(err);
        run->scores = scores;
        /* Either both arrays have the new shape, or the run is only good to be freed. */
        if (!online_reshape(run, scorers, stride, &run->sep.weights, &run->sep.weights_block,
                            &run->sep.offsets) ||
            (run->plan.average == HSP__AVERAGE_MEAN &&
             !online_reshape(run, scorers, stride, &run->sep.past, &run->sep.past_block,
                             &run->sep.past_offsets)))
            return hsp__fail_memory(err);
    }
    const uint64_t before = run->sep.features;
    run->sep.stride = stride;
    assert(stride % 8 == 0 && stride >= features && scorers >= run->sep.scorers);
    run->sep.scorers = scorers;
    if (features > before) run->sep.features = features;
    return run->done.started && run->rule->grow && features > before
               ? run->rule->grow(run, before, err)
               : HSP_OK;
}

hsp_status hsp__online_init(hsp__online *run, hsp_context *ctx, const hsp__online_rule *rule,
                            const hsp__online_plan *plan, const hsp_options *options,
                            const hsp__online_facts *facts, uint32_t scorers, uint32_t target,
                            uint64_t features, hsp_error *err)
{
    *run = (hsp__online){.ctx = ctx, .vec = hsp__vec(), .rule = rule, .plan = *plan};
    run->sep.target = target;
    run->place.step = HSP__STEP_RUN;
    run->kept.keep_ledger = facts->rows > 0;
    hsp__ledger_init(&run->kept.ledger, ctx);
    run->state = hsp__new(&ctx->allocator, 1, rule->state_bytes);
    if (!run->state) return hsp__fail_memory(err);
    if (plan->average == HSP__AVERAGE_VOTE) {
        run->kept.steps = hsp__new(&ctx->allocator, 1, sizeof *run->kept.steps);
        if (!run->kept.steps) return hsp__fail_memory(err);
        run->kept.steps->memory = ctx->allocator;
    }
    hsp_status status = hsp__online_grow(run, scorers, features ? features : 1, err);
    run->sep.features = features;
    if (!status) status = rule->init(run, options, facts, err);
    if (!status && rule->grow) status = rule->grow(run, 0, err);
    run->done.started = !status;
    return status;
}

void hsp__online_free(hsp__online *run)
{
    if (!run->ctx) return;
    const hsp_allocator *memory = &run->ctx->allocator;
    if (run->state && run->rule->free) run->rule->free(run);
    hsp__free(memory, run->state);
    online_drop_interleaved(run);
    hsp__free(memory, run->sep.weights_block);
    hsp__free(memory, run->sep.past_block);
    hsp__free(memory, run->sep.offsets);
    hsp__free(memory, run->sep.past_offsets);
    hsp__free(memory, run->scores);
    hsp__ledger_free(&run->kept.ledger);
    hsp__steps_free(run->kept.steps);
    hsp__budget_free(run->space.budget);
    run->ctx = NULL;
}

hsp_status hsp__online_add(hsp__online *run, const hsp_view *view, uint64_t row, uint32_t scorer,
                           double amount, double offset, hsp_error *err)
{
    hsp__online_separators *sep = &run->sep;
    const uint64_t before = run->done.examples - 1;
    assert(scorer < sep->scorers);
    if (run->space.kernel) {
        if (run->space.budget)
            hsp__budget_note(run->space.budget, sep->scorers, row, scorer, amount);
        HSP__TRY(hsp__kernel_scores_add(run->space.kernel, row, run->space.at + scorer, amount,
                                        before, err));
    } else {
        hsp__matvec_add_row(view, row, amount, sep->weights + scorer * sep->stride);
        if (sep->past)
            hsp__matvec_add_row(view, row, amount * (double)before,
                                sep->past + scorer * sep->stride);
    }
    sep->offsets[scorer] += offset;
    if (sep->past) sep->past_offsets[scorer] += offset * (double)before;
    hsp__steps *steps = run->kept.steps;
    const uint64_t earlier = steps && steps->earlier ? hsp_data_rows(steps->earlier) : 0;
    if (steps && !hsp__steps_add(steps, earlier + row, scorer, amount, offset))
        return hsp__fail_memory(err);
    return hsp__online_note(run, view, row, scorer, amount, err);
}

hsp_status hsp__online_note(hsp__online *run, const hsp_view *view, uint64_t row, uint32_t scorer,
                            double amount, hsp_error *err)
{
    if (run->sep.interleaved)
        hsp__interleaved_update(run->sep.interleaved, run->sep.interleaved_at + scorer,
                                run->sep.weights + scorer * run->sep.stride, view, row);
    if (run->kept.keep_ledger && !hsp__ledger_add(&run->kept.ledger, row, scorer, amount))
        return hsp__fail_memory(err);
    return HSP_OK;
}

void hsp__online_result(const hsp__online *run, uint32_t scorer, double *w, double *b)
{
    assert(scorer < run->sep.scorers);
    if (run->rule->result) {
        run->rule->result(run, w, b);
        return;
    }
    const double *last = run->sep.weights + scorer * run->sep.stride;
    memcpy(w, last, run->sep.features * sizeof *w);
    *b = run->sep.offsets[scorer];
    if (run->done.examples == 0) return;
    if (run->sep.past) {
        const double examples = (double)run->done.examples,
                     *past = run->sep.past + scorer * run->sep.stride;
        for (uint64_t j = 0; j < run->sep.features; j++)
            w[j] -= past[j] / examples;
        *b -= run->sep.past_offsets[scorer] / examples;
    }
    if (run->rule->rescale) run->rule->rescale(run, w, b);
}

/* ---- One example ----------------------------------------------------------------------------- */

uint64_t hsp__online_first_wrong(const hsp__online *run, int flipped)
{
    const uint64_t *zero = run->done.first_zero;
    return run->done.first_wrong + (run->plan.tie != HSP_TIE_NEG ? zero[flipped] : 0) +
           (run->plan.tie != HSP_TIE_POS ? zero[!flipped] : 0);
}

/* After an update by `row`: within the budget of rows again. */
static hsp_status online_keep_budget(hsp__online *run, const hsp_view *view, uint64_t row,
                                     hsp_error *err)
{
    const hsp__budget *budget = run->space.budget;
    hsp_status status = HSP_OK;
    uint64_t at;
    if (!hsp__budget_exceeded(budget, row, run->sep.scorers, &at)) return HSP_OK;
    const uint64_t gone = budget->row[at], count = budget->count;
    for (uint32_t c = 0; !status && c < run->sep.scorers && budget->count == count; c++) {
        const double amount = budget->amount[at * run->sep.scorers + c];
        if (amount != 0)
            status = hsp__online_add(run, view, gone, c, -amount, -amount * budget->square, err);
    }
    return status;
}

hsp_status hsp__online_learn(hsp__online *run, const hsp_view *view, uint64_t row, hsp_error *err)
{
    assert(row < view->rows);
    hsp__online_progress *done = &run->done;
    const uint32_t label = view->labels[row];
    const int positive = label == run->sep.target, several = run->sep.scorers > 1;
    const double score = run->scores[0];
    uint32_t toward = positive ? 0 : HSP_NO_CLASS, away = positive ? HSP_NO_CLASS : 0;
    if (several) {
        toward = label;
        away = hsp__online_rival(run, run->scores, label);
    }
    done->examples++;
    if (!run->rule->score) {
        /* Predicted before learning: an example that the rule did not want to learn from was right. */
        if (done->passes == 1 && several) {
            done->first_wrong += hsp__decide(run->scores, run->sep.scorers, run->plan.tie) != label;
        } else if (done->passes == 1) {
            const double meant = hsp__online_meant(run, score);
            done->first_zero[positive] += meant == 0;
            done->first_wrong += meant != 0 && (meant > 0) != positive;
        }
        done->updates++;
        done->mistakes++;
    }
    if (run->kept.steps && !hsp__steps_begin(run->kept.steps, done->examples))
        return hsp__fail_memory(err);
    hsp__sequence *sequence = run->kept.sequence;
    if (sequence) {
        if (!hsp__reserve(&run->ctx->allocator, &sequence->row, &sequence->room,
                          sequence->count + 1, sizeof *sequence->row))
            return hsp__fail_memory(err);
        sequence->row[sequence->count++] = row;
    }
    hsp_status status = run->rule->update(run, view, row, toward, away, err);
    if (!status && run->space.budget) status = online_keep_budget(run, view, row, err);
    if (!status && run->kept.trace) {
        const double before = run->scores[0];
        hsp__online_score(run, view, row);
        status = hsp__trace_update(run->kept.trace, run, view, row, score, run->scores[0], err);
        run->scores[0] = before;
    }
    if (done->updates == run->plan.max_updates && !run->rule->score) {
        done->stopped = 1;
        done->stop = HSP_STOP_UPDATES;
    }
    return status;
}

/* ---- Walking --------------------------------------------------------------------------------- */

hsp_status hsp__online_walk(hsp__online *run, const hsp_view *view, const uint64_t *order,
                            uint64_t from, uint64_t to, hsp_error *err)
{
    const uint64_t start = run->done.examples;
    hsp_status status = HSP_OK;
    assert(from <= to && (order || to <= view->rows));
    for (uint64_t p = from; !status && !run->done.stopped && p < to; p++) {
        run->mistake.growth.at = p;
        uint64_t wrong = hsp__online_find(run, view, order, p, to);
        run->done.examples += wrong - p;
        p = wrong;
        if (p < to) status = hsp__online_learn(run, view, order ? order[p] : p, err);
    }
    if (run->done.passes == 1) run->done.first_seen += run->done.examples - start;
    return status;
}

int hsp__online_begin(hsp__online *run, uint64_t rows, uint64_t *order)
{
    if (!run->done.at) {
        run->done.passes++;
        run->done.mistakes = 0;
    }
    if (run->plan.order != HSP__WALK_SHUFFLE) return 0;
    hsp__random random;
    hsp__random_seed(&random, run->plan.seed, run->done.passes);
    for (uint64_t i = 0; i < rows; i++)
        order[i] = i;
    hsp__random_shuffle(&random, order, rows);
    return 1;
}

static void online_stop(hsp__online *run, hsp_stop stop)
{
    if (run->done.stopped) return;
    run->done.stopped = 1;
    run->done.stop = stop;
}

void hsp__online_end(hsp__online *run)
{
    if (run->done.stopped) return;
    const int own = run->rule->score != NULL; /* its passes are all that there is to do */
    if (own ? run->done.passes >= run->plan.passes
            : run->done.mistakes == 0 && !(run->mistake.growth.rate > 0))
        online_stop(run, HSP_STOP_CONVERGED);
    else if (run->done.passes >= run->plan.passes)
        online_stop(run, HSP_STOP_PASSES);
}

void hsp__online_tick(hsp__online *run, uint64_t rows, int report)
{
    hsp_stop why;
    hsp__paging_check(&run->ctx->allocator);
    if (run->done.watch && hsp__watch_tick(run->done.watch, rows, report, &why))
        online_stop(run, why);
}

uint64_t hsp__online_chunk(const hsp__online *run, const hsp_view *view)
{
    if (run->space.kernel) return hsp__kernel_scores_chunk(run->space.kernel);
    uint64_t stored = hsp_view_stored(view), each = view->rows ? stored / view->rows : 0;
    if (run->rule->score) each = view->cols; /* a row asks every expert */
    uint64_t chunk = ONLINE_CHUNK_BYTES / (16 + each * hsp__online_entry(view));
    /* every row in an order of its own may bring 16 pages into memory, which have to go again */
    const uint64_t bytes = stored * hsp__online_entry(view);
    if (run->plan.order == HSP__WALK_SHUFFLE && chunk > ONLINE_CHUNK_PAGED &&
        hsp__paging_exceeds(&run->ctx->allocator, bytes))
        chunk = ONLINE_CHUNK_PAGED;
    return chunk ? chunk : 1;
}

static hsp_status online_pass(hsp__online *run, const hsp_view *view, uint64_t *order, int report,
                              hsp_error *err)
{
    const uint64_t rows = view->rows, chunk = hsp__online_chunk(run, view);
    hsp_status status = hsp__online_save(run, rows, err);
    const uint64_t *used = hsp__online_begin(run, rows, order) ? order : NULL;
    for (uint64_t from = run->done.at; !status && !run->done.stopped && from < rows;
         from += chunk) {
        uint64_t to = rows - from < chunk ? rows : from + chunk;
        if (run->space.kernel)
            status = hsp__kernel_scores_block(run->space.kernel, used, from, to, err);
        if (status) break;
        status = hsp__online_walk(run, view, used, from, to, err);
        hsp__online_tick(run, to - from, report);
        run->done.at = to;
        if (!status && to < rows) status = hsp__online_save(run, rows, err);
    }
    run->done.at = 0;
    if (!status) hsp__online_end(run);
    return status;
}

/* ---- Picking --------------------------------------------------------------------------------- */

/* A pass of the orders that pick is as many picks as there are rows. Every pick counts as one
 * example; there is no predicting before learning. */
static hsp_status online_picks(hsp__online *run, const hsp_view *view, uint64_t *wrong, int report,
                               hsp_error *err)
{
    const uint64_t rows = view->rows;
    const hsp__walk order = run->plan.order;
    hsp_status status = hsp__online_save(run, rows, err);
    hsp__online_begin(run, 0, NULL);
    for (uint64_t k = 0; !status && !run->done.stopped && k < rows; k++) {
        uint64_t count = 0, picked = rows;
        double margin, least = HUGE_VAL;
        for (uint64_t i = 0; (i = hsp__online_find(run, view, NULL, i, rows)) < rows; i++) {
            hsp__online_wrong(run, view, i, run->scores, &margin);
            if (wrong) wrong[count++] = i;
            if (margin < least || picked == rows) {
                least = margin;
                picked = i;
            }
            if (order == HSP__WALK_FIRST) break;
        }
        if (picked == rows) {
            run->done.mistakes = 0;
            online_stop(run, HSP_STOP_CONVERGED);
            break;
        }
        if (order == HSP__WALK_RANDOM) {
            hsp__random random;
            hsp__random_seed(&random, run->plan.seed, run->done.updates + 1);
            picked = wrong[hsp__random_below(&random, count)];
        }
        if (order != HSP__WALK_FIRST) hsp__online_score(run, view, picked);
        status = hsp__online_learn(run, view, picked, err);
        hsp__online_tick(run, 1, report);
    }
    if (!status) hsp__online_end(run);
    return status;
}

typedef struct online_task {
    hsp__online *run;
    const hsp_view *view;
    int report;
    hsp_error *err;
    hsp_status status;
} online_task;

static void online_passes(void *user)
{
    online_task *task = user;
    hsp__online *run = task->run;
    const hsp__walk kind = run->plan.order;
    uint64_t *order = NULL; /* rows: a permutation, or the mistakes to draw from */
    if (kind == HSP__WALK_SHUFFLE || kind == HSP__WALK_RANDOM) {
        order = hsp__new_raw(&run->ctx->allocator, task->view->rows, sizeof *order);
        if (!order) {
            task->status = hsp__fail_memory(task->err);
            return;
        }
    }
    while (!task->status && !run->done.stopped)
        task->status = kind >= HSP__WALK_FIRST
                           ? online_picks(run, task->view, order, task->report, task->err)
                           : online_pass(run, task->view, order, task->report, task->err);
    hsp__free(&run->ctx->allocator, order);
}

hsp_status hsp__online_run(hsp__online *run, const hsp_view *view, int threads, int report,
                           hsp_error *err)
{
    hsp__online_separators *sep = &run->sep;
    online_task task = {run, view, report, err, HSP_OK};
    const uint64_t stored = hsp_view_stored(view), entry = hsp__online_entry(view);
    /* Several scorers and sparse rows: the weights interleaved too, until the shape changes. */
    if (view->storage != HSP_DENSE && !run->space.kernel && sep->scorers > 1) {
        online_drop_interleaved(run);
        HSP__TRY(hsp__interleaved_init(&sep->own_interleaved, &run->ctx->allocator, sep->features,
                                       sep->scorers, err));
        if (sep->own_interleaved.columns) sep->interleaved = &sep->own_interleaved;
        for (uint32_t c = 0; sep->interleaved && c < sep->scorers; c++)
            hsp__interleaved_fill(sep->interleaved, c, sep->weights + c * sep->stride,
                                  sep->features);
    }
    if (threads < 2 || stored * entry < ONLINE_SHARED_BYTES || run->space.kernel ||
        run->rule->score) {
        online_passes(&task);
        return task.status;
    }
    const uint64_t each = stored / (view->rows ? view->rows : 1) + 1;
    run->scan = hsp__parallel_scan_new(run->ctx, threads, sep->scorers, each * entry);
    if (!run->scan) return hsp__fail_memory(err);
    hsp__parallel_scan_run(run->scan, online_passes, &task);
    hsp__parallel_scan_free(run->scan);
    run->scan = NULL;
    return task.status;
}
