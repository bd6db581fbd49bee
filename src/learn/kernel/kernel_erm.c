#include "learn/kernel/kernel_erm.h"

#include "base/base.h"
#include "kernel/block.h"
#include "kernel/gram.h"
#include "kernel/rounding.h"
#include "kernel/shared_values.h"
#include "learn/multiclass/reduce.h"
#include "learn/multiclass/run_pool.h"
#include "learn/training_error.h"
#include "learn/kernel/smo.h"
#include "vec/vec.h"

#define KERNEL_ERM_LEAST 1e-30

enum { KERNEL_ERM_SHARES = 8 }; /* pairs of classes at work at once, at most */

/* For reports: it is not to be chosen by name. */
static const hsp__solver kernel_erm_smo = {.name = "smo",
                                           .summary = "working sets of a kernel machine"};

/* ---- Made and unmade ------------------------------------------------------------------------- */

/* Values are kept as floats: HSP_BAD_DATA for rows so short that all would be 0. */
static hsp_status kernel_erm_check_size(const hsp__kernel_rows *rows, hsp_error *err)
{
    double most = 0;
    for (uint64_t i = 0; i < rows->view->rows; i++)
        most = fmax(most, fabs(hsp__kernel_self(rows, i)));
    if (most >= KERNEL_ERM_LEAST || most == 0) return HSP_OK;
    return hsp__fail(
        err, HSP_BAD_DATA,
        "k(x, x) is below %g for all rows; scale the data or multiply the kernel by a factor",
        KERNEL_ERM_LEAST);
}

static hsp_status kernel_erm_open(hsp__train *train, hsp_error *err)
{
    hsp_context *ctx = train->ctx;
    const hsp__train_kernel *known = &train->kernel;
    hsp__kernel_erm *k = train->native;
    assert(known->kernel && train->count >= 1);
    if (hsp_kernel_is_indefinite(known->kernel)) {
        if (train->plan.hard)
            return hsp__fail_option(
                err, "--hard",
                "an expression that may not be positive semidefinite has no feature space, so "
                "there is no widest margin; remove --hard");
        hsp__log(ctx, HSP_LOG_WARNING,
                 "the kernel may not be positive semidefinite: the result is a stationary point, "
                 "and no gap bounds its distance from the optimum");
    }
    HSP__TRY(hsp__kernel_rows_new(ctx, known->kernel, train->prepared.view,
                                  known->ids ? known->ids : known->origin, err, &k->rows));
    k->rows->rounded = 1; /* the cache holds floats; if they do not prove the gap, doubles follow */
    HSP__TRY(hsp__kernel_check_given(ctx, k->rows, known->origin, err));
    HSP__TRY(kernel_erm_check_size(k->rows, err));
    if (train->given->shared) { /* inner products that the run before this one had (tune) */
        const hsp__goal goal = {.gap = train->plan.gap};
        char key[HSP__HASH_TEXT];
        const int wide =
            hsp__smo_wide(&train->tasks[0].problem, &goal) || hsp__kernel_road_of(k->rows).wide;
        HSP__TRY(hsp__view_hash(ctx, k->rows->view, err, key));
        HSP__TRY(hsp__kernel_shared_use(ctx, train->given->shared, key, wide, k->rows, err));
    }
    HSP__TRY(hsp__kernel_centre(ctx, k->rows, err));
    const uint64_t n = train->prepared.view->rows;
    if (train->tasks[0].row_numbers)
        k->won = hsp__new(&ctx->allocator, n, sizeof *k->won);
    else
        k->scores = hsp__new(&ctx->allocator, train->count * n, sizeof *k->scores);
    return k->won || k->scores ? HSP_OK : hsp__fail_memory(err);
}

void hsp__kernel_erm_free(hsp__train *train)
{
    hsp__kernel_erm *k = train->native;
    hsp__kernel_rows_free(train->ctx, k->rows);
    hsp__free(&train->ctx->allocator, k->gram);
    hsp__free(&train->ctx->allocator, k->scores);
    hsp__free(&train->ctx->allocator, k->won);
}

int hsp__kernel_erm_wide(const hsp__train *train)
{
    return atomic_load(&((hsp__kernel_erm *)train->native)->wide);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

static uint64_t kernel_erm_memory(const hsp__train *train)
{
    const hsp__kernel_erm *k = train->native;
    const uint64_t n = train->prepared.view->rows;
    return train->plan.cache_bytes - (k->gram ? n * n * sizeof(float) : 0);
}

/* Memory is for this many pairs at a time, on any number of threads: the size of a cache decides
 * the order in which the rows of a pair are visited, and so the bits of its result. */
static uint32_t kernel_erm_shares(const hsp__train *train)
{
    return train->count < KERNEL_ERM_SHARES ? train->count : KERNEL_ERM_SHARES;
}

/* ---- One problem ----------------------------------------------------------------------------- */

/* What was found, to where reports and the model look for it. */
static hsp_status kernel_erm_keep(hsp__train *train, hsp_context *ctx, hsp__task *task,
                                  const hsp__smo_cache *cache, hsp__smo_solution *s, hsp_error *err)
{
    hsp__kernel_erm *k = train->native;
    const hsp__problem *p = &task->problem;
    const uint64_t n = p->view->rows;
    const uint32_t c = (uint32_t)(task - train->tasks);
    double total = 0, squares = 0, most;
    task->solver = &kernel_erm_smo;
    task->solution = (hsp__solution){.b = s->b,
                                     .primal = s->primal,
                                     .dual_value = s->dual,
                                     .gap = s->gap,
                                     .rounding = s->rounding,
                                     .passes = s->rounds,
                                     .updates = s->updates,
                                     .stop = s->stop};
    task->gap_unknown = isnan(s->primal) && s->stop != HSP_STOP_PASSES;
    if (!task->gap_unknown) {
        hsp__gap_kkt(train->ctx, p, NULL, s->b, s->a, NULL, s->scores, &task->kkt);
        hsp__gap_margin(sqrt(fmax(s->square, 0)), &task->kkt);
    }
    /* Training and model compute kernel values in different blocks, each off by no more than
     * cache->off. Their errors have no reason to conspire: a sum of them with coefficients a is
     * taken to be below 8 times what independent ones would give, as often as not by far. */
    for (uint64_t i = 0; i < n; i++)
        total += s->a[i], squares += s->a[i] * s->a[i];
    const double each = fmax(cache->off, hsp__kernel_rounding(cache->source.rows, 0, &most));
    task->score_error =
        2 * each * fmin(total, 8 * sqrt(squares)) + s->drift + hsp__gap_gamma(n) * most * total;
    for (uint64_t i = 0; k->scores && i < n; i++)
        k->scores[i * train->count + c] = s->scores[i] + s->b;
    for (uint64_t i = 0; k->won && i < n; i++)
        if (hsp__problem_y(p, i) * (s->scores[i] + s->b) > task->score_error)
            atomic_fetch_add_explicit(&k->won[task->row_numbers[i]], 1, memory_order_relaxed);
    if (s->stop == HSP_STOP_INSEPARABLE)
        return hsp__reduce_evidence(train, ctx, task, s->a, s->square, err);
    assert(!task->amounts);
    task->amounts = s->a;
    s->a = NULL;
    for (uint64_t i = 0; i < n; i++) {
        if (train->supports && task->amounts[i] > 0)
            atomic_store_explicit(&train->supports[hsp__task_row(task, i)], 1,
                                  memory_order_relaxed);
        task->amounts[i] *= hsp__problem_y(p, i);
    }
    return HSP_OK;
}

static hsp_status kernel_erm_task(hsp__train *train, hsp_context *ctx, hsp__task *task,
                                  hsp__smo_cache *cache, const hsp__goal *given, hsp_error *err)
{
    hsp__goal own = *given, *goal = &own;
    if (goal->log) {
        goal->log = &task->log;
        goal->log->unbounded = hsp_kernel_is_indefinite(train->kernel.kernel);
    }
    const uint64_t n = task->problem.view->rows;
    hsp__kernel_erm *k = train->native;
    hsp__smo_solution s = {.a = hsp__new(&ctx->allocator, n, sizeof *s.a),
                           .scores = hsp__new(&ctx->allocator, n, sizeof *s.scores)};
    hsp_status status = s.a && s.scores ? HSP_OK : hsp__fail_memory(err);
    task->left_out = !status && train->count > 1 && hsp__tick(ctx);
    if (task->left_out) hsp__watch_stopped(ctx, &task->solution.stop);
    if (!status && !task->left_out) {
        if (train->start) hsp__warm_start_dual(train, task, s.a);
        status = hsp__smo(ctx, &task->problem, cache, goal, err, &s);
        if (!status && s.wants_double && !hsp__stopped(ctx)) {
            /* Floats were not enough: the same once more, from where they led to, with kernel values
             * in double. */
            const uint64_t rounds = s.rounds, updates = s.updates;
            const uint64_t shares = train->tasks[0].row_numbers ? kernel_erm_shares(train) : 1;
            const hsp__smo_source source = {.rows = cache->source.rows,
                                            .list = cache->source.list,
                                            .n = n,
                                            .ranks = cache->source.ranks};
            hsp__smo_cache wide = {0};
            if (goal->log) goal->log->before = rounds;
            status =
                hsp__smo_cache_init(&wide, ctx, &source, kernel_erm_memory(train) / shares, 1, err);
            if (!status) status = hsp__smo(ctx, &task->problem, &wide, goal, err, &s);
            hsp__smo_cache_free(&wide);
            s.rounds += rounds, s.updates += updates;
            atomic_store(&k->wide, 1);
        }
        if (!status && s.stop != HSP_STOP_INSEPARABLE)
            hsp__pass_log_end(ctx, goal->log, s.rounds, s.primal, s.dual);
        if (!status) status = kernel_erm_keep(train, ctx, task, cache, &s, err);
    }
    hsp__free(&ctx->allocator, s.a);
    hsp__free(&ctx->allocator, s.scores);
    atomic_fetch_add(&train->watch.solved, 1);
    return status;
}

static void kernel_erm_alone(hsp__train *train, uint32_t c)
{
    hsp__kernel_erm *k = train->native;
    hsp__task *task = &train->tasks[c];
    hsp__reduce_alone(train, task);
    for (uint64_t i = 0; k->scores && i < train->prepared.view->rows; i++)
        k->scores[i * train->count + c] = task->solution.b;
    for (uint64_t i = 0; k->won && i < task->pair_view.rows; i++)
        if (hsp__problem_y(&task->problem, i) * task->solution.b > 0)
            atomic_fetch_add_explicit(&k->won[task->row_numbers[i]], 1, memory_order_relaxed);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* The whole matrix, where classes against the rest share it and it fits. */
static hsp_status kernel_erm_gram(hsp__train *train, hsp_error *err)
{
    const uint64_t n = train->prepared.view->rows;
    const hsp__goal goal = hsp__erm_goal(train, train->tasks, 1);
    hsp__kernel_erm *k = train->native;
    if (train->count == 1 || train->tasks[0].row_numbers ||
        hsp__smo_wide(&train->tasks[0].problem, &goal))
        return HSP_OK;
    if (n >= UINT32_MAX || n * n * sizeof *k->gram > train->plan.cache_bytes / 4 * 3) return HSP_OK;
    const hsp_ranks *ranks = hsp__smo_ranks(train->ctx->ranks, n);
    const uint64_t columns = ranks ? n / (uint64_t)ranks->count + 1 : n; /* of one rank, at most */
    k->gram = hsp__new_raw(&train->ctx->allocator, n * columns, sizeof *k->gram);
    if (!k->gram) return hsp__fail_memory(err);
    hsp__advise_huge(&train->ctx->allocator, k->gram, n * columns * sizeof *k->gram);
    return hsp__smo_gram(train->ctx, k->rows, ranks, k->gram, err);
}

/* Some pairs, each on one thread with a cache of its own. */
static hsp_status kernel_erm_some_pairs(void *user, uint32_t from, uint32_t to, int report,
                                        hsp_error *err)
{
    hsp__train *train = user;
    const hsp__kernel_erm *k = train->native;
    hsp_context quiet = hsp__quiet(train->ctx);
    const hsp__goal goal = hsp__erm_goal(train, train->tasks, report);
    const uint64_t memory = kernel_erm_memory(train) / kernel_erm_shares(train);
    void *block = NULL;
    uint64_t bytes = 0;
    hsp_status status = HSP_OK;
    for (uint32_t c = from; !status && c < to; c++) {
        hsp__task *task = &train->tasks[c];
        hsp__smo_source source = {k->rows, task->row_numbers, task->pair_view.rows, NULL, NULL,
                                  NULL};
        hsp__kernel_rows *floats = NULL;
        hsp__smo_cache cache = {0};
        if (task->one_sided) {
            kernel_erm_alone(train, c);
            continue;
        }
        if (k->rows->centred)
            status = hsp__kernel_gather(&quiet, k->rows->centred, task->row_numbers, source.n, err,
                                        &floats);
        source.floats = floats;
        if (!status)
            status = hsp__smo_cache_init(&cache, &quiet, &source, memory,
                                         hsp__smo_wide(&task->problem, &goal), err);
        cache.block = block, cache.block_bytes = bytes;
        if (!status) status = kernel_erm_task(train, &quiet, task, &cache, &goal, err);
        block = cache.block, bytes = cache.block_bytes;
        cache.block = NULL;
        hsp__smo_cache_free(&cache);
        hsp__kernel_gathered_free(&quiet, floats);
    }
    hsp__free(&train->ctx->allocator, block);
    return status;
}

hsp_status hsp__kernel_erm_fit(hsp__train *train, hsp_error *err)
{
    hsp_status status = kernel_erm_open(train, err);
    hsp__stop_limit(train->ctx, train->plan.max_seconds);
    if (!status) status = kernel_erm_gram(train, err);
    if (status) return status;
    if (!train->tasks[0].row_numbers) { /* classes against the rest, with one cache */
        const hsp__goal goal = hsp__erm_goal(train, train->tasks, 1);
        const hsp__kernel_erm *k = train->native;
        const uint64_t n = train->prepared.view->rows;
        const hsp_ranks *ranks = hsp__smo_ranks(train->ctx->ranks, n);
        const hsp__smo_source source = {k->rows, NULL, n, NULL, k->gram, ranks};
        hsp__smo_cache cache = {0};
        if (ranks) train->ctx->stop->ranks = ranks;
        status = hsp__smo_cache_init(&cache, train->ctx, &source, kernel_erm_memory(train),
                                     hsp__smo_wide(&train->tasks[0].problem, &goal), err);
        for (uint32_t c = 0; !status && c < train->count; c++) {
            if (train->tasks[c].one_sided)
                kernel_erm_alone(train, c);
            else
                status = kernel_erm_task(train, train->ctx, &train->tasks[c], &cache, &goal, err);
        }
        hsp__smo_cache_free(&cache);
        return status;
    }
    int workers = hsp__run_pool_workers(train->ctx, train->count);
    if (workers > KERNEL_ERM_SHARES) workers = KERNEL_ERM_SHARES; /* there are no more than pairs */
    const uint32_t some = train->count / (4 * (uint32_t)workers);
    return hsp__run_pool_run(&train->watch, workers, train->count, some ? some : 1,
                             kernel_erm_some_pairs, train, err);
}

/* ---- For other modules ----------------------------------------------------------------------- */

hsp_status hsp__fit_kernel(hsp_context *ctx, const hsp_kernel *kernel, const hsp__problem *p,
                           const hsp__fit_limits *limits, uint64_t bytes, hsp_error *err,
                           hsp__fitted *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__watch watch = {.ctx = &own, .each = p->view->rows};
    const hsp__goal goal = {.gap = limits->gap,
                            .max_passes = limits->max_passes,
                            .seed = limits->seed,
                            .watch = &watch,
                            .report = 1};
    hsp__smo_source source = {.n = p->view->rows};
    hsp__kernel_rows *rows = NULL;
    assert(hsp__smo_suits(hsp__problem_loss(p)) || p->hard);
    hsp__smo_solution s = {.a = hsp__new(memory, p->view->rows, sizeof *s.a),
                           .scores = hsp__new(memory, p->view->rows, sizeof *s.scores)};
    *out = (hsp__fitted){.memory = *memory, .dual = s.a};
    hsp_status status = s.a && s.scores ? HSP_OK : hsp__fail_memory(err);
    hsp__stop_limit(&own, limits->max_seconds);
    if (!status) status = hsp__kernel_rows_new(&own, kernel, p->view, NULL, err, &rows);
    if (!status) status = kernel_erm_check_size(rows, err);
    source.rows = rows;
    /* with kernel values in double if the problem asks for that, or if floats are too short */
    for (int wide = hsp__smo_wide(p, &goal), again = 1; !status && again; wide = 1) {
        hsp__smo_cache cache = {0};
        status = hsp__smo_cache_init(&cache, &own, &source, bytes, wide, err);
        if (!status) status = hsp__smo(&own, p, &cache, &goal, err, &s);
        hsp__smo_cache_free(&cache);
        again = !wide && s.wants_double && !hsp__stopped(&own);
    }
    hsp__kernel_rows_free(&own, rows);
    hsp__free(memory, s.scores);
    out->b = s.b;
    out->primal = s.primal;
    out->dual_value = s.dual;
    out->gap = s.gap;
    out->stop = s.stop;
    if (!status && hsp__stopped(&own) == HSP__STOP_REQUESTED) status = hsp__stop_status(&own, err);
    return status;
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* Do these scores decide as the model's own would, whose last digits differ? */
static int kernel_erm_decides(const hsp__train *train, const double *scores, uint32_t class)
{
    const hsp__task *tasks = train->tasks;
    int sure = class < train->prepared.view->classes;
    if (train->count == 1) return fabs(scores[0]) > tasks[0].score_error;
    for (uint32_t c = 0; c < train->count && sure; c++)
        if (c != class)
            sure = scores[class] - scores[c] > tasks[class].score_error + tasks[c].score_error;
    return sure;
}

/* Which rows have a class that the scores of the training leave open? `wrong` counts those of the
 * others that are wrong. Of pairs the scores of a pair on its own rows are known: a row that wins
 * all pairs of its class has the most votes. */
static uint64_t kernel_erm_open_rows(const hsp__train *train, const hsp_model *model,
                                     uint64_t *open, uint64_t *wrong)
{
    const hsp__kernel_erm *k = train->native;
    const hsp_view *view = train->prepared.view;
    uint64_t count = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        const double *scores = k->scores ? k->scores + i * train->count : NULL;
        const uint32_t class = scores ? hsp__model_decide(model, scores) : view->labels[i];
        if (scores ? kernel_erm_decides(train, scores, class)
                   : atomic_load(&k->won[i]) == view->classes - 1)
            *wrong += class != view->labels[i];
        else
            open[count++] = i;
    }
    return count;
}

hsp_status hsp__kernel_erm_mistakes(hsp__train *train, hsp_context *ctx, const hsp_model *model,
                                    hsp_error *err, uint64_t *wrong)
{
    const hsp_view *view = train->prepared.view;
    hsp_data *rows = NULL;
    *wrong = 0;
    if (view->rows != train->prepared.base->view.rows)
        return hsp__training_error_scored(ctx, model, &train->prepared.base->view, NULL, err,
                                          wrong);
    for (uint32_t c = 0; c < train->count; c++)
        if (train->tasks[c].gap_unknown) return HSP_CANCELLED; /* nor are its scores known */
    uint64_t *open = hsp__new_raw(&ctx->allocator, view->rows, sizeof *open);
    if (!open) return hsp__fail_memory(err);
    const uint64_t count = kernel_erm_open_rows(train, model, open, wrong);
    hsp_status status = HSP_OK;
    if (count) { /* these by the model itself */
        status = hsp_data_select(ctx, train->prepared.base, open, count, err, &rows);
        if (!status) status = hsp__training_error_scored(ctx, model, &rows->view, NULL, err, wrong);
        hsp_data_free(rows);
    }
    hsp__free(&ctx->allocator, open);
    return status;
}
