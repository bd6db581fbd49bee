#include "learn/multiclass/reduce.h"

#include "base/base.h"
#include "learn/checkpoint.h"
#include "learn/erm/evidence.h"
#include "learn/erm/solvers.h"
#include "learn/multiclass/run_pool.h"
#include "learn/option_helpers.h"
#include "learn/row_weights.h"
#include "model/ovo_votes.h"

int hsp__reduce_pairs(const hsp__train *train)
{
    return train->plan.ovo && train->prepared.view->classes > 2;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* The sums of the rows' own weights by class, and the weights of the classes. */
typedef struct reduce_weights {
    double *total, *class; /* classes of each */
    int balanced;          /* as if classes had equal size */
    int uneven;            /* not all class weights are 1 */
} reduce_weights;

/* The two costs of a problem whose rows weigh side[0] and side[1], together `total`. */
static void reduce_cost(const hsp__plan *plan, double total, const double side[2], int balanced,
                        hsp__task *task)
{
    task->C = plan->hard ? 1 : plan->C > 0 ? plan->C : 1 / (plan->lambda * total);
    task->lambda = plan->hard || plan->unscaled || !(total > 0) ? 1 : 1 / (task->C * total);
    task->one_sided = !(side[0] > 0 && side[1] > 0);
    assert(total >= 0 && side[0] >= 0 && side[1] >= 0);
    for (int k = 0; k < 2; k++) {
        task->problem.cost[k] = task->C;
        if (balanced && !task->one_sided) task->problem.cost[k] *= total / (2 * side[k]);
    }
}

static hsp_status reduce_weights_read(hsp__train *train, hsp__scratch *scratch, hsp_error *err,
                                      reduce_weights *to)
{
    const hsp_view *view = train->prepared.view;
    const double *own = train->prepared.weight;
    to->total = hsp__scratch_new(scratch, view->classes, sizeof *to->total);
    to->class = hsp__scratch_new(scratch, view->classes, sizeof *to->class);
    HSP__TRY(hsp__shard_agree(train->ctx, scratch->failed ? hsp__fail_memory(err) : HSP_OK, err));
    for (uint32_t c = 0; c < view->classes; c++)
        to->class[c] = 1;
    if (hsp__options_have(train->options, "weight"))
        HSP__TRY(hsp__row_weights_classes(train->ctx, train->options,
                                          &train->prepared.data->class_names, err, to->class,
                                          &to->balanced));
    for (uint64_t i = 0; i < view->rows; i++)
        to->total[view->labels[i]] += own ? own[i] : 1;
    if (train->ctx->shard) { /* rows divided among ranks have no weights of their own */
        uint64_t *counts = hsp__scratch_raw(scratch, view->classes, sizeof *counts);
        HSP__TRY(hsp__shard_agree(train->ctx, counts ? HSP_OK : hsp__fail_memory(err), err));
        for (uint32_t c = 0; c < view->classes; c++)
            counts[c] = (uint64_t)to->total[c];
        hsp__shard_add(train->ctx, counts, view->classes);
        for (uint32_t c = 0; c < view->classes; c++)
            to->total[c] = (double)counts[c];
    }
    for (uint32_t c = 0; c < view->classes; c++) {
        train->total += to->total[c];
        to->uneven |= to->class[c] != 1;
    }
    train->row_weight = train->prepared.weight;
    if (!to->uneven || train->count == 1 || train->plan.joint || hsp__reduce_pairs(train))
        return HSP_OK;
    /* Where the rest is of several classes with weights of their own, each row gets its class's. */
    double *weight = hsp__new_raw(&train->ctx->allocator, view->rows, sizeof *weight);
    if (!weight) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++)
        weight[i] = to->class[view->labels[i]] * (own ? own[i] : 1);
    train->row_weight = weight;
    return HSP_OK;
}

/* ---- Pairs of classes ------------------------------------------------------------------------ */

/* The rows of the classes i and j of each pair, with labels 0 and 1: in the order of the data, or for
 * a kernel machine those of i, then those of j. */
static hsp_status reduce_pairs(hsp__train *train, hsp__scratch *scratch,
                               const reduce_weights *weights, hsp_error *err)
{
    const hsp_allocator *memory = &train->ctx->allocator;
    const hsp_view *view = train->prepared.view;
    const double *weight = train->prepared.weight;
    /* rows: those of class 0, ascending, then those of class 1 ...; where each class starts */
    uint64_t *rows = hsp__scratch_raw(scratch, view->rows, sizeof *rows);
    uint64_t *first = hsp__scratch_new(scratch, (uint64_t)view->classes + 2, sizeof *first);
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++)
        first[view->labels[i] + 2]++;
    for (uint32_t c = 2; c < view->classes + 2; c++)
        first[c] += first[c - 1];
    for (uint64_t i = 0; i < view->rows; i++)
        rows[first[view->labels[i] + 1]++] = i;
    for (uint32_t c = 0; c < train->count; c++) {
        hsp__task *task = &train->tasks[c];
        hsp__problem *p = &task->problem;
        hsp__pair_classes(view->classes, c, &task->pair[0], &task->pair[1]);
        const uint32_t i = task->pair[0], j = task->pair[1];
        const double side[2] = {weights->total[i], weights->total[j]};
        reduce_cost(&train->plan, side[0] + side[1], side, weights->balanced, task);
        p->cost[0] *= weights->class[i];
        p->cost[1] *= weights->class[j];
        const uint64_t *a = rows + first[i], *a_end = rows + first[i + 1];
        const uint64_t *b = rows + first[j], *b_end = rows + first[j + 1];
        const uint64_t count = (uint64_t)(a_end - a) + (uint64_t)(b_end - b);
        uint32_t *labels = hsp__new_raw(memory, count, sizeof *labels);
        task->pair_view = (hsp_view){.rows = count, .labels = labels, .classes = 2};
        task->row_numbers = hsp__new_raw(memory, count, sizeof *task->row_numbers);
        task->own_weight = hsp__new_raw(memory, weight ? count : 0, sizeof *task->own_weight);
        if (!labels || !task->row_numbers || !task->own_weight) return hsp__fail_memory(err);
        for (uint64_t k = 0; k < count; k++) {
            const int lower = b == b_end || (a < a_end && (train->is_native || *a < *b));
            labels[k] = !lower;
            task->row_numbers[k] = lower ? *a++ : *b++;
            if (weight) task->own_weight[k] = weight[task->row_numbers[k]];
        }
        assert(a == a_end && b == b_end);
        p->view = &task->pair_view;
        p->positive = 1;
        p->row_weight = weight ? task->own_weight : NULL;
    }
    return HSP_OK;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

static hsp_status reduce_count(hsp__train *train, hsp_error *err)
{
    const uint32_t classes = train->prepared.view->classes;
    assert(classes >= 2);
    train->count = classes > 2 ? classes : 1;
    if (!hsp__reduce_pairs(train)) return HSP_OK;
    if (hsp__pair_count(classes) > UINT32_MAX)
        return hsp__fail(err, HSP_USAGE, "%u classes have too many pairs; use --multiclass ovr",
                         (unsigned)classes);
    train->count = (uint32_t)hsp__pair_count(classes);
    if (hsp__option_is(train->options, "average", "vote"))
        return hsp__fail_option(err, "--average",
                                "voting is not available with one-vs-one; use --average average, "
                                "or --multiclass native");
    if (hsp__option_text(train->options, "trace"))
        return hsp__fail_option(
            err, "--trace", "a trace needs two classes; choose them with --positive or --classes");
    return HSP_OK;
}

hsp_status hsp__reduce(hsp__train *train, hsp_error *err)
{
    const hsp_allocator *memory = &train->ctx->allocator;
    const hsp_view *view = train->prepared.view;
    const hsp__plan *plan = &train->plan;
    HSP__TRY(reduce_count(train, err));
    const int several = train->count > 1 && !plan->joint, pairs = hsp__reduce_pairs(train);
    train->tasks = hsp__new(memory, train->count, sizeof *train->tasks);
    train->weights =
        hsp__new(memory, plan->kernel ? 0 : train->count * view->cols, sizeof *train->weights);
    if (several) train->supports = hsp__new(memory, view->rows, sizeof *train->supports);
    const int room = train->tasks && train->weights && (!several || train->supports);
    HSP__TRY(hsp__shard_agree(train->ctx, room ? HSP_OK : hsp__fail_memory(err), err));
    hsp__scratch scratch = {.memory = memory};
    reduce_weights weights = {0};
    hsp_status status = reduce_weights_read(train, &scratch, err, &weights);
    for (uint32_t c = 0; !status && c < train->count; c++) {
        train->tasks[c].radius = (double)NAN;
        train->tasks[c].problem = (hsp__problem){.view = view,
                                                 .positive = train->count > 1 ? c : 1,
                                                 .row_weight = train->row_weight,
                                                 .loss = plan->loss,
                                                 .penalty = plan->penalty,
                                                 .offset = plan->offset,
                                                 .hard = plan->hard,
                                                 .lambda = plan->lambda};
        if (pairs) continue;
        hsp__task *task = &train->tasks[c];
        double *cost = task->problem.cost;
        const double with = weights.total[task->problem.positive];
        const double side[2] = {train->total - with, with};
        const int joint = plan->joint && train->count > 1;
        reduce_cost(plan, train->total, side, weights.balanced && !joint, task);
        for (int k = 0; train->count == 1 && k < 2; k++)
            cost[k] *= weights.class[k];
        if (joint) cost[1] *= weights.class[c];
        if (joint && weights.balanced && with > 0) cost[1] *= train->total / (train->count * with);
    }
    if (!status && pairs) status = reduce_pairs(train, &scratch, &weights, err);
    train->watch.each = view->rows;
    if (several) {
        train->watch.unit = pairs ? "pairs" : "classes";
        train->watch.problems = train->count;
    }
    hsp__scratch_free(&scratch);
    return hsp__shard_agree(train->ctx, status, err);
}

void hsp__reduce_free(hsp__train *train)
{
    const hsp_allocator *memory = &train->ctx->allocator;
    for (uint32_t c = 0; train->tasks && c < train->count; c++) {
        hsp__task *task = &train->tasks[c];
        hsp__free(memory, task->solution.dual);
        hsp__free(memory, task->amounts);
        hsp__free(memory, task->scores);
        hsp__free(memory, task->log.list);
        hsp__free(memory, task->coefficients);
        hsp_evidence_free(task->evidence);
        hsp__free(memory, task->row_numbers);
        hsp__free(memory, task->own_weight);
        hsp__free(memory, (void *)(uintptr_t)task->pair_view.labels);
    }
    if (train->row_weight != train->prepared.weight) hsp__free(memory, train->row_weight);
    hsp__free(memory, train->tasks);
    hsp__free(memory, train->weights);
    hsp__free(memory, (void *)(uintptr_t)train->supports);
}

/* ---- What came of one ------------------------------------------------------------------------- */

void hsp__reduce_alone(const hsp__train *train, hsp__task *task)
{
    const hsp__problem *p = &task->problem;
    double side = !p->view->rows ? -HUGE_VAL : hsp__problem_positive(p, 0) ? 1 : -1;
    task->solution.stop = HSP_STOP_CONVERGED;
    hsp__shard_max(train->ctx, &side, 1);
    if (isinf(side)) return;
    const double far = task->row_numbers || p->loss->zero_beyond_margin ? 1 : 30;
    if (task->row_numbers || train->plan.offset != HSP__OFFSET_NONE) task->solution.b = side * far;
}

hsp_status hsp__reduce_evidence(const hsp__train *train, hsp_context *ctx, hsp__task *task,
                                const double *dual, double square, hsp_error *err)
{
    uint64_t *origin = NULL, *rows = NULL;
    const uint64_t n = task->problem.view->rows;
    const hsp__names *names = &train->prepared.data->class_names;
    hsp_status status =
        hsp__prepare_origin(ctx, train->given, train->options, &train->prepared, err, &origin);
    if (!status && task->row_numbers) {
        rows = hsp__new_raw(&ctx->allocator, n, sizeof *rows);
        if (!rows) status = hsp__fail_memory(err);
    }
    for (uint64_t i = 0; rows && i < n; i++)
        rows[i] = origin ? origin[task->row_numbers[i]] : task->row_numbers[i];
    if (!status)
        status = hsp__evidence_new(ctx, &task->problem, names, dual, square, rows ? rows : origin,
                                   err, &task->evidence);
    hsp__free(&ctx->allocator, origin);
    hsp__free(&ctx->allocator, rows);
    if (status || !task->row_numbers) return status;
    return hsp__evidence_name(task->evidence, names, task->pair[0], task->pair[1], err);
}

hsp_status hsp__reduce_keep(hsp__train *train, hsp_context *ctx, hsp__task *task, hsp_error *err)
{
    double *dual = task->solution.dual;
    const uint64_t n = task->problem.view->rows;
    if (!dual) return HSP_OK;
    if (task->solution.stop == HSP_STOP_INSEPARABLE)
        return hsp__reduce_evidence(train, ctx, task, dual, (double)NAN, err);
    for (uint64_t i = 0; i < n; i++) {
        if (train->supports && dual[i] > 0)
            atomic_store_explicit(&train->supports[hsp__task_row(task, i)], 1,
                                  memory_order_relaxed);
        dual[i] *= hsp__problem_y(&task->problem, i);
    }
    task->solution.dual = NULL;
    if (train->plan.keep_dual)
        task->amounts = dual;
    else
        hsp__free(&train->ctx->allocator, dual);
    return HSP_OK;
}

/* ---- Checkpoints ------------------------------------------------------------------------------ */

typedef struct reduce_saved {
    const hsp__train *train;
    hsp__task *task;
} reduce_saved;

/* An array of n numbers or NULL. */
static void reduce_state_numbers(hsp__state *state, const hsp_allocator *memory, uint64_t n,
                                 double **numbers)
{
    uint8_t there = *numbers != NULL;
    HSP__STATE(state, there);
    if (state->loading && there && !*numbers) {
        *numbers = hsp__new(memory, n, sizeof **numbers);
        state->failed |= !*numbers;
    }
    if (there && *numbers) hsp__state_rows(state, *numbers, n, sizeof **numbers);
}

/* A task that is done, before hsp__reduce_keep. */
static void reduce_state(hsp__state *state, void *user)
{
    const reduce_saved *saved = user;
    const hsp__train *train = saved->train;
    const hsp_allocator *memory = &train->ctx->allocator;
    hsp__task *task = saved->task;
    hsp__solution *s = &task->solution;
    const uint64_t n = task->problem.view->rows;
    uint32_t solver = 0;
    uint8_t dual = s->dual != NULL;
    while (hsp__solvers[solver] && hsp__solvers[solver] != task->solver)
        solver++;
    HSP__STATE(state, solver);
    for (uint32_t k = 0; state->loading && k < solver; k++)
        if (!hsp__solvers[k]) solver = k;
    if (state->loading) task->solver = hsp__solvers[solver];
    hsp__state_bytes(state, s->w, train->prepared.view->cols * sizeof *s->w);
    HSP__STATE(state, s->b);
    HSP__STATE(state, s->primal);
    HSP__STATE(state, s->dual_value);
    HSP__STATE(state, s->gap);
    HSP__STATE(state, s->rounding);
    HSP__STATE(state, s->passes);
    HSP__STATE(state, s->updates);
    HSP__STATE(state, s->stop);
    hsp__state_expect(state, (unsigned)s->stop < HSP_STOP_INSEPARABLE);
    HSP__STATE(state, task->kkt);
    HSP__STATE(state, task->last_mistakes);
    HSP__STATE(state, task->radius);
    reduce_state_numbers(state, memory, n, &task->amounts);
    HSP__STATE(state, dual);
    if (!dual || state->bad) return;
    if (state->loading && !s->dual) s->dual = hsp__new(memory, n, sizeof *s->dual);
    state->failed |= !s->dual;
    if (state->failed) return;
    if (train->plan.keep_dual)
        hsp__state_rows(state, s->dual, n, sizeof *s->dual);
    else /* which of them are above 0 is asked for */
        hsp__state_positive(state, s->dual, n);
}

static hsp__place reduce_place(const hsp__train *train, const hsp__task *task)
{
    return (hsp__place){(uint32_t)(task - train->tasks), HSP__STEP_END};
}

/* *done: the checkpoint has what came of all of these tasks. */
static hsp_status reduce_load(hsp__train *train, hsp_context *ctx, uint32_t from, uint32_t to,
                              hsp_error *err, int *done)
{
    *done = train->count > 1;
    for (uint32_t c = from; *done && c < to; c++) {
        const hsp__place place = reduce_place(train, &train->tasks[c]);
        *done = train->tasks[c].one_sided || hsp__checkpoint_has(ctx, &place);
    }
    for (uint32_t c = from; *done && c < to; c++) {
        const hsp__place place = reduce_place(train, &train->tasks[c]);
        reduce_saved saved = {train, &train->tasks[c]};
        int found;
        if (train->tasks[c].one_sided) continue;
        HSP__TRY(hsp__checkpoint_load(ctx, &place, reduce_state, &saved, err, &found));
        HSP__TRY(hsp__reduce_keep(train, ctx, &train->tasks[c], err));
    }
    return HSP_OK;
}

/* A task is done: what came of it. */
static hsp_status reduce_save(hsp__train *train, hsp_context *ctx, hsp__task *task, hsp_error *err)
{
    const hsp__place place = reduce_place(train, task);
    reduce_saved saved = {train, task};
    if (train->count == 1 || hsp__stopped(ctx) || task->solution.stop == HSP_STOP_INSEPARABLE)
        return HSP_OK;
    HSP__TRY(hsp__checkpoint_keep(ctx, &place, reduce_state, &saved, err));
    hsp__checkpoint_forget(ctx, &place, 0);
    return HSP_OK;
}

/* ---- One of them ----------------------------------------------------------------------------- */

/* Of several problems, those that were not begun in time are left out. */
static hsp_status reduce_one(hsp__train *train, hsp_context *ctx, uint32_t c, int report,
                             hsp_error *err)
{
    hsp__task *task = &train->tasks[c];
    hsp__solution *s = &task->solution;
    hsp_data *rows = NULL;
    if (task->one_sided) {
        hsp__reduce_alone(train, task);
        return HSP_OK;
    }
    task->left_out =
        train->count > 1 && hsp__tick_together(ctx) && hsp__watch_stopped(ctx, &s->stop);
    if (task->left_out) return HSP_OK;
    if (!train->plan.kernel) s->w = train->weights + c * train->prepared.view->cols;
    int done;
    hsp_status status = reduce_load(train, ctx, c, c + 1, err, &done);
    if (status || done) return status;
    if (task->row_numbers) /* a pair's rows with their numbers, for a learner that looks at them */
        status = hsp_data_select(ctx, train->prepared.data, task->row_numbers, task->pair_view.rows,
                                 err, &rows);
    if (rows) {
        memcpy(rows->labels, task->pair_view.labels,
               task->pair_view.rows * sizeof *task->pair_view.labels);
        rows->view.classes = 2;
        task->problem.view = &rows->view;
    }
    if (!status) status = train->learner->fit(train, ctx, task, report, err);
    if (!status) status = reduce_save(train, ctx, task, err);
    if (!status) status = hsp__reduce_keep(train, ctx, task, err);
    if (task->row_numbers) task->problem.view = &task->pair_view;
    hsp_data_free(rows);
    if (status == HSP_CANCELLED && task->row_numbers && hsp__watch_stopped(ctx, &s->stop)) {
        task->left_out = 1;
        status = HSP_OK;
    }
    atomic_fetch_add(&train->watch.solved, 1);
    return status;
}

/* ---- A group of them -------------------------------------------------------------------------- */

#define REDUCE_GROUP_LEAST 3 /* problems that are worth being learned together */

/* Problems in the order of their numbers: `full` groups of `most`, then groups of `width`. */
typedef struct reduce_groups {
    uint32_t most, full, width;
    uint32_t count; /* of groups */
} reduce_groups;

/* A group costs about the same whatever its size. So each thread gets as many full groups as the
 * others, and the rest is divided among all threads. */
static reduce_groups reduce_groups_of(const hsp__train *train)
{
    const hsp__learner *learner = train->learner;
    const uint32_t threads = (uint32_t)hsp_context_threads(train->ctx), count = train->count;
    reduce_groups groups = {.most = 1, .width = 1, .count = count};
    if (!learner->group_most || hsp__reduce_pairs(train) || count < REDUCE_GROUP_LEAST)
        return groups;
    groups.most = learner->group_most(train);
    if (groups.most == 1) return groups;
    groups.full = count / groups.most / threads * threads;
    const uint32_t rest = count - groups.full * groups.most;
    const uint32_t width = (rest + threads - 1) / threads;
    if (width >= REDUCE_GROUP_LEAST) groups.width = width;
    groups.count = groups.full + (rest + groups.width - 1) / groups.width;
    return groups;
}

static uint32_t reduce_group_start(const reduce_groups *groups, uint32_t k, uint32_t count)
{
    const uint32_t full = k < groups->full ? k : groups->full;
    const uint32_t from = full * groups->most + (k - full) * groups->width;
    return from < count ? from : count;
}

/* Learn problems from .. to - 1 together. */
static hsp_status reduce_group(hsp__train *train, hsp_context *ctx, uint32_t from, uint32_t to,
                               int report, hsp_error *err)
{
    const uint64_t cols = train->prepared.view->cols;
    const int late = hsp__tick(ctx);
    for (uint32_t c = from; c < to; c++) {
        hsp__task *task = &train->tasks[c];
        task->solution.w = train->weights + c * cols;
        if (task->one_sided)
            hsp__reduce_alone(train, task);
        else if (late)
            task->left_out = hsp__watch_stopped(ctx, &task->solution.stop);
    }
    int done;
    if (late) return HSP_OK;
    HSP__TRY(reduce_load(train, ctx, from, to, err, &done));
    if (done) return HSP_OK;
    HSP__TRY(train->learner->fit_group(train, ctx, to - from, train->tasks + from, report, err));
    for (uint32_t c = to; c-- > from;) /* the first has the group's checkpoint */
        if (!train->tasks[c].one_sided) {
            HSP__TRY(reduce_save(train, ctx, &train->tasks[c], err));
            HSP__TRY(hsp__reduce_keep(train, ctx, &train->tasks[c], err));
        }
    atomic_fetch_add(&train->watch.solved, to - from);
    return HSP_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

typedef struct reduce_work {
    hsp__train *train;
    reduce_groups groups;
} reduce_work;

static hsp_status reduce_part(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    const reduce_work *work = user;
    hsp_context quiet = hsp__quiet(work->train->ctx);
    hsp_status status = HSP_OK;
    for (uint32_t k = from; !status && k < to; k++) {
        const uint32_t first = reduce_group_start(&work->groups, k, work->train->count);
        const uint32_t end = reduce_group_start(&work->groups, k + 1, work->train->count);
        status = end - first > 1 ? reduce_group(work->train, &quiet, first, end, report, err)
                                 : reduce_one(work->train, &quiet, first, report, err);
    }
    return status;
}

hsp_status hsp__reduce_fit(hsp__train *train, hsp_error *err)
{
    const int threads = hsp_context_threads(train->ctx);
    const int sequential = train->learner->sequential && !hsp__reduce_pairs(train);
    reduce_work work = {.train = train, .groups = reduce_groups_of(train)};
    const uint32_t count = work.groups.count;
    assert(train->tasks && train->learner->fit);
    hsp_status status = HSP_OK;
    hsp__stop_limit(train->ctx, train->plan.max_seconds);
    if (!train->ctx->shard && threads > 1 &&
        (count >= (uint32_t)threads || (count > 1 && count < train->count)) && !sequential)
        return hsp__run_pool_run(&train->watch, threads, count, 1, reduce_part, &work, err);
    int over = 0; /* in turn: told to stop, or one has no answer */
    for (uint32_t k = 0; !status && k < count; k++) {
        const uint32_t from = reduce_group_start(&work.groups, k, train->count);
        const uint32_t to = reduce_group_start(&work.groups, k + 1, train->count);
        if (over)
            train->tasks[from].left_out = 1;
        else if (to - from > 1)
            status = reduce_group(train, train->ctx, from, to, 1, err);
        else
            status = reduce_one(train, train->ctx, from, 1, err);
        over = over || (sequential && train->tasks[from].solution.stop > HSP_STOP_PASSES);
    }
    return status;
}
