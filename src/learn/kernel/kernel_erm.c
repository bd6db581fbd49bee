/* Minimising in a kernel's feature space: problems of the batch driver through smo.h, to a model
 * that is an expansion over the rows that support any of them.
 *
 * Problems share kernel values. Where there are several and the whole kernel matrix takes no more
 * than three quarters of the memory that is allowed, it is computed first, each pair of rows once,
 * and every problem, a class against the rest or a pair of classes, looks its values up. Else
 * classes against the rest are solved one after the other with one cache of kernel rows, and pairs
 * side by side, each with its share of the memory. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/convert_storage.h"
#include "kernel/block.h"
#include "kernel/gram.h"
#include "kernel/rounding.h"
#include "kernel/shared_values.h"
#include "learn/erm/erm.h"
#include "learn/multiclass/run_pool.h"
#include "learn/erm/evidence.h"
#include "learn/kernel/kernel_option.h"
#include "learn/training_error.h"
#include "learn/kernel/smo.h"
#include "model/ovo_votes.h"
#include "vec/vec.h"

#define KERNEL_ERM_LEAST 1e-30

enum { KERNEL_ERM_SHARES = 8 }; /* pairs of classes at work at once, at most */

/* For reports: it is not to be chosen by name. */
static const hsp__solver kernel_erm_smo = {.name = "smo",
                                           .summary = "working sets of a kernel machine"};

/* ---- Pairs of classes ------------------------------------------------------------------------ */

/* Rows of the class i, then those of j, with labels 0 and 1. */
static hsp_status kernel_erm_pair(hsp__erm *batch, hsp__erm_task *task, uint32_t i, uint32_t j,
                                  hsp_error *err)
{
    const hsp_allocator *memory = &batch->ctx->allocator;
    const hsp_view *view = batch->prepared.view;
    const double *weight = batch->prepared.weight;
    uint64_t count = 0;
    for (uint64_t r = 0; r < view->rows; r++)
        count += view->labels[r] == i || view->labels[r] == j;
    uint32_t *labels = hsp__new_raw(memory, count, sizeof *labels);
    task->list = hsp__new_raw(memory, count, sizeof *task->list);
    task->own = (hsp_view){.rows = count, .labels = labels, .classes = 2};
    task->own_weight = hsp__new_raw(memory, weight ? count : 0, sizeof *task->own_weight);
    if (!labels || !task->list || !task->own_weight) return hsp__fail_memory(err);
    for (uint64_t side = 0, k = 0; side < 2; side++)
        for (uint64_t r = 0; r < view->rows; r++) {
            if (view->labels[r] != (side ? j : i)) continue;
            task->list[k] = r;
            labels[k] = (uint32_t)side;
            if (weight) task->own_weight[k] = weight[r];
            k++;
        }
    task->problem.view = &task->own;
    task->problem.positive = 1;
    task->problem.row_weight = weight ? task->own_weight : NULL;
    return HSP_OK;
}

hsp_status hsp__erm_kernel_pairs(hsp__erm *batch, const double *totals, const double *weight,
                                 int balanced, hsp_error *err)
{
    const hsp__erm_plan *plan = batch->plan;
    hsp_status status = HSP_OK;
    for (uint32_t c = 0; !status && c < batch->count; c++) {
        hsp__erm_task *task = &batch->tasks[c];
        uint32_t side[2];
        hsp__pair_classes(batch->prepared.view->classes, c, &side[0], &side[1]);
        const double total = totals[side[0]] + totals[side[1]];
        const double C = plan->hard ? 1 : plan->C > 0 ? plan->C : 1 / (plan->lambda * total);
        task->alone = !(totals[side[0]] > 0 && totals[side[1]] > 0);
        task->lambda = plan->hard || !(total > 0) ? 1 : 1 / (C * total);
        for (int k = 0; k < 2; k++) {
            task->problem.cost[k] = C * weight[side[k]];
            if (balanced && !task->alone) task->problem.cost[k] *= total / (2 * totals[side[k]]);
        }
        status = kernel_erm_pair(batch, task, side[0], side[1], err);
    }
    return status;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

static hsp_status kernel_erm_parse(hsp__erm *batch, hsp_error *err)
{
    hsp__erm_kernel *k = batch->kernel;
    hsp_status status = hsp__kernel_option(batch->ctx, batch->options, batch->given,
                                           batch->prepared.view, err, &k->kernel);
    if (status || !hsp_kernel_is_indefinite(k->kernel)) return status;
    if (batch->plan->hard)
        return hsp__fail_at(err, HSP_USAGE, "--hard", 0, 0,
                            "an expression that may not be positive semidefinite has no feature "
                            "space, so there is no widest margin; remove --hard");
    hsp__log(batch->ctx, HSP_LOG_WARNING,
             "the kernel may not be positive semidefinite: the result is a stationary point, and "
             "no gap bounds its distance from the optimum");
    return HSP_OK;
}

/* Values are kept as floats, and those of rows this short would all be 0. */
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

/* Inner products that the run before this one had, of the same rows (tune). */
static hsp_status kernel_erm_share(hsp__erm *batch, hsp_error *err)
{
    const hsp__goal goal = {.gap = batch->plan->gap};
    hsp__kernel_rows *rows = batch->kernel->rows;
    char key[HSP__HASH_TEXT];
    if (!batch->given->shared) return HSP_OK;
    const int wide =
        hsp__smo_wide(&batch->tasks[0].problem, &goal) || hsp__kernel_road_of(rows).wide;
    hsp_status status = hsp__view_hash(batch->ctx, rows->view, err, key);
    if (status) return status;
    return hsp__kernel_shared_use(batch->ctx, batch->given->shared, key, wide, rows, err);
}

hsp_status hsp__erm_kernel_prepare(hsp__erm *batch, hsp_error *err)
{
    hsp_context *ctx = batch->ctx;
    const uint64_t n = batch->prepared.view->rows;
    hsp__erm_kernel *k = hsp__new(&ctx->allocator, 1, sizeof *k);
    if (!k) return hsp__fail_memory(err);
    batch->kernel = k;
    hsp_status status = kernel_erm_parse(batch, err);
    if (!status)
        status = hsp__prepare_origin(ctx, batch->given, batch->options, &batch->prepared, err,
                                     &k->origin);
    if (!status) status = hsp__kernel_ids(ctx, k->kernel, batch->given, k->origin, n, err, &k->ids);
    if (!status)
        status = hsp__kernel_rows_new(ctx, k->kernel, batch->prepared.view,
                                      k->ids ? k->ids : k->origin, err, &k->rows);
    if (!status) status = hsp__kernel_check_given(ctx, k->rows, k->origin, err);
    if (!status) status = kernel_erm_check_size(k->rows, err);
    if (!status) status = kernel_erm_share(batch, err);
    if (status) return status;
    k->amounts = hsp__new(&ctx->allocator, batch->count * n, sizeof *k->amounts);
    if (!batch->tasks[0].list)
        k->scores = hsp__new(&ctx->allocator, batch->count * n, sizeof *k->scores);
    return k->amounts && (k->scores || batch->tasks[0].list) ? HSP_OK : hsp__fail_memory(err);
}

void hsp__erm_kernel_free(hsp__erm *batch)
{
    hsp__erm_kernel *k = batch->kernel;
    if (!k) return;
    hsp__kernel_rows_free(batch->ctx, k->rows);
    hsp_kernel_free(k->kernel);
    hsp__free(&batch->ctx->allocator, k->origin);
    hsp__free(&batch->ctx->allocator, k->ids);
    hsp__free(&batch->ctx->allocator, k->gram);
    hsp__free(&batch->ctx->allocator, k->place);
    hsp__free(&batch->ctx->allocator, k->amounts);
    hsp__free(&batch->ctx->allocator, k->scores);
    hsp__free(&batch->ctx->allocator, k);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

static uint64_t kernel_erm_memory(const hsp__erm *batch)
{
    const uint64_t n = batch->prepared.view->rows;
    return batch->plan->cache_bytes - (batch->kernel->gram ? n * n * sizeof(float) : 0);
}

/* Memory is for so many pairs at a time, whoever works on them: what a cache has room for decides
 * in which order a machine's rows are visited, and so its bits. */
static uint32_t kernel_erm_shares(const hsp__erm *batch)
{
    return batch->count < KERNEL_ERM_SHARES ? batch->count : KERNEL_ERM_SHARES;
}

/* ---- One problem ----------------------------------------------------------------------------- */

static hsp_status kernel_erm_evidence(hsp__erm *batch, hsp_context *ctx, hsp__erm_task *task,
                                      const hsp__smo_solution *s, hsp_error *err)
{
    const uint64_t n = task->problem.view->rows, *origin = batch->kernel->origin;
    uint64_t *numbers = NULL;
    if (task->list) {
        numbers = hsp__new_raw(&ctx->allocator, n, sizeof *numbers);
        if (!numbers) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < n; i++)
            numbers[i] = origin ? origin[task->list[i]] : task->list[i];
    }
    hsp_status status =
        hsp__evidence_kernel(ctx, &task->problem, &batch->prepared.data->class_names, s->a,
                             s->square, numbers ? numbers : origin, err, &task->evidence);
    hsp__free(&ctx->allocator, numbers);
    if (status || !task->list) return status;
    const hsp__names *classes = &batch->prepared.data->class_names;
    uint32_t i, j;
    hsp__pair_classes(classes->count, (uint32_t)(task - batch->tasks), &i, &j);
    return hsp__evidence_name(task->evidence, classes, i, j, err);
}

/* Training and model compute kernel values in different blocks, each off by no more than
 * cache->off. Their errors have no reason to conspire: a sum of them with coefficients a is taken
 * to be below 8 times what independent ones would give, as often as not by far. */
static double kernel_erm_unsure(const hsp__smo_cache *cache, const hsp__smo_solution *s, uint64_t n)
{
    double total = 0, squares = 0, most;
    for (uint64_t i = 0; i < n; i++)
        total += s->a[i], squares += s->a[i] * s->a[i];
    const double each = fmax(cache->off, hsp__kernel_rounding(cache->source.rows, 0, &most));
    return 2 * each * fmin(total, 8 * sqrt(squares)) + s->drift + hsp__gap_gamma(n) * most * total;
}

/* What was found, to where reports and the model look for it. */
static void kernel_erm_keep(hsp__erm *batch, uint32_t c, const hsp__smo_cache *cache,
                            const hsp__smo_solution *s)
{
    hsp__erm_task *task = &batch->tasks[c];
    hsp__erm_kernel *k = batch->kernel;
    const hsp__problem *p = &task->problem;
    const uint64_t n = batch->prepared.view->rows;
    task->solution = (hsp__solution){.b = s->b,
                                     .primal = s->primal,
                                     .dual_value = s->dual,
                                     .gap = s->gap,
                                     .rounding = s->rounding,
                                     .passes = s->rounds,
                                     .updates = s->updates,
                                     .stop = s->stop};
    task->unjudged = isnan(s->primal) && s->stop != HSP_STOP_PASSES;
    if (!task->unjudged) {
        hsp__gap_kkt_scores(batch->ctx, p, s->b, s->a, s->scores, &task->kkt);
        hsp__gap_margin(fmax(s->square, 0), &task->kkt);
    }
    task->unsure = kernel_erm_unsure(cache, s, p->view->rows);
    for (uint64_t i = 0; i < p->view->rows; i++) {
        const uint64_t row = task->list ? task->list[i] : i;
        const double score = s->scores[i] + s->b;
        k->amounts[c * n + row] = hsp__problem_y(p, i) * s->a[i];
        if (batch->supports && s->a[i] > 0)
            atomic_store_explicit(&batch->supports[row], 1, memory_order_relaxed);
        if (k->scores) k->scores[row * batch->count + c] = score;
    }
}

/* Floats were not enough: the same once more, from where they led to, with kernel values in
 * double. */
static hsp_status kernel_erm_in_double(hsp__erm *batch, hsp_context *ctx, const hsp__problem *p,
                                       const hsp__smo_cache *cache, const hsp__goal *goal,
                                       hsp_error *err, hsp__smo_solution *s)
{
    const uint64_t rounds = s->rounds, updates = s->updates;
    const uint64_t shares = batch->tasks[0].list ? kernel_erm_shares(batch) : 1;
    hsp__smo_source source = cache->source;
    hsp__smo_cache wide = {0};
    source.gram = NULL;
    source.place = NULL;
    hsp_status status =
        hsp__smo_cache_init(&wide, ctx, &source, kernel_erm_memory(batch) / shares, 1, err);
    if (!status) status = hsp__smo(ctx, p, &wide, goal, err, s);
    hsp__smo_cache_free(&wide);
    s->rounds += rounds, s->updates += updates;
    atomic_store(&batch->kernel->wide, 1);
    return status;
}

static hsp_status kernel_erm_task(hsp__erm *batch, hsp_context *ctx, uint32_t c,
                                  hsp__smo_cache *cache, const hsp__goal *goal, hsp_error *err)
{
    hsp__erm_task *task = &batch->tasks[c];
    const uint64_t n = task->problem.view->rows;
    hsp__smo_solution s = {.a = hsp__new(&ctx->allocator, n, sizeof *s.a),
                           .scores = hsp__new(&ctx->allocator, n, sizeof *s.scores)};
    hsp_status status = s.a && s.scores ? HSP_OK : hsp__fail_memory(err);
    if (!status && batch->count > 1 && hsp__tick(ctx)) {
        hsp__watch_stopped(ctx, &task->solution.stop);
        task->left_out = 1;
    }
    if (!status && batch->start) hsp__erm_start_dual(batch, c, s.a);
    if (!status && !task->left_out) status = hsp__smo(ctx, &task->problem, cache, goal, err, &s);
    if (!status && s.wants_double && !hsp__stopped(ctx))
        status = kernel_erm_in_double(batch, ctx, &task->problem, cache, goal, err, &s);
    if (!status && !task->left_out) {
        task->solver = &kernel_erm_smo;
        kernel_erm_keep(batch, c, cache, &s);
        if (s.stop == HSP_STOP_INSEPARABLE) status = kernel_erm_evidence(batch, ctx, task, &s, err);
    }
    hsp__free(&ctx->allocator, s.a);
    hsp__free(&ctx->allocator, s.scores);
    atomic_fetch_add(&batch->watch.solved, 1);
    return status;
}

static void kernel_erm_alone(hsp__erm *batch, uint32_t c)
{
    hsp__erm_kernel *k = batch->kernel;
    hsp__erm_task *task = &batch->tasks[c];
    if (task->problem.view->rows) hsp__erm_alone(batch, task);
    for (uint64_t i = 0; k->scores && i < batch->prepared.view->rows; i++)
        k->scores[i * batch->count + c] = task->solution.b;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static hsp__goal kernel_erm_goal(hsp__erm *batch, int report)
{
    return (hsp__goal){.gap = batch->plan->gap,
                       .max_passes = batch->plan->max_passes,
                       .seed = batch->plan->seed,
                       .watch = &batch->watch,
                       .report = report};
}

/* The matrix: for pairs of classes with the rows of a class beside each other, so that what a pair
 * looks up lies in two stretches of each line. */
static hsp_status kernel_erm_fill_gram(hsp__erm *batch, hsp_error *err)
{
    const hsp_allocator *memory = &batch->ctx->allocator;
    const hsp_view *view = batch->prepared.view;
    hsp__erm_kernel *k = batch->kernel;
    if (!batch->tasks[0].list) return hsp__smo_gram(batch->ctx, k->rows, NULL, k->gram, err);
    uint64_t *order = hsp__new_raw(memory, view->rows, sizeof *order), count = 0;
    k->place = hsp__new_raw(memory, view->rows, sizeof *k->place);
    hsp_status status = order && k->place ? HSP_OK : hsp__fail_memory(err);
    for (uint32_t c = 0; c < view->classes && !status; c++)
        for (uint64_t i = 0; i < view->rows; i++)
            if (view->labels[i] == c) {
                k->place[i] = count;
                order[count++] = i;
            }
    if (!status) status = hsp__smo_gram(batch->ctx, k->rows, order, k->gram, err);
    hsp__free(memory, order);
    return status;
}

/* The whole matrix, where several problems share it and it fits. */
static hsp_status kernel_erm_gram(hsp__erm *batch, hsp_error *err)
{
    const uint64_t n = batch->prepared.view->rows;
    const hsp__goal goal = kernel_erm_goal(batch, 1);
    hsp__erm_kernel *k = batch->kernel;
    if (batch->count == 1 || hsp__smo_wide(&batch->tasks[0].problem, &goal)) return HSP_OK;
    if (n >= UINT32_MAX || n * n * sizeof *k->gram > batch->plan->cache_bytes / 4 * 3)
        return HSP_OK;
    k->gram = hsp__new_raw(&batch->ctx->allocator, n * n, sizeof *k->gram);
    if (!k->gram) return hsp__fail_memory(err);
    hsp__advise_huge(k->gram, n * n * sizeof *k->gram);
    return kernel_erm_fill_gram(batch, err);
}

/* Some pairs, each on one thread with a cache of its own. */
static hsp_status kernel_erm_some_pairs(void *user, uint32_t from, uint32_t to, int report,
                                        hsp_error *err)
{
    hsp__erm *batch = user;
    hsp_context quiet = hsp__quiet(batch->ctx);
    const hsp__goal goal = kernel_erm_goal(batch, report);
    const uint64_t memory = kernel_erm_memory(batch) / kernel_erm_shares(batch);
    void *block = NULL;
    uint64_t bytes = 0;
    hsp_status status = HSP_OK;
    for (uint32_t c = from; !status && c < to; c++) {
        hsp__erm_task *task = &batch->tasks[c];
        const hsp__smo_source source = {batch->kernel->rows, task->list, task->own.rows,
                                        batch->kernel->gram, batch->kernel->place};
        hsp__smo_cache cache = {0};
        if (task->alone) {
            kernel_erm_alone(batch, c);
            continue;
        }
        status = hsp__smo_cache_init(&cache, &quiet, &source, memory,
                                     hsp__smo_wide(&task->problem, &goal), err);
        cache.block = block, cache.block_bytes = bytes;
        if (!status) status = kernel_erm_task(batch, &quiet, c, &cache, &goal, err);
        block = cache.block, bytes = cache.block_bytes;
        cache.block = NULL;
        hsp__smo_cache_free(&cache);
    }
    hsp__free(&batch->ctx->allocator, block);
    return status;
}

static hsp_status kernel_erm_classes(hsp__erm *batch, hsp_error *err)
{
    const hsp__goal goal = kernel_erm_goal(batch, 1);
    const hsp__smo_source source = {batch->kernel->rows, NULL, batch->prepared.view->rows,
                                    batch->kernel->gram, NULL};
    hsp__smo_cache cache = {0};
    hsp_status status = hsp__smo_cache_init(&cache, batch->ctx, &source, kernel_erm_memory(batch),
                                            hsp__smo_wide(&batch->tasks[0].problem, &goal), err);
    for (uint32_t c = 0; !status && c < batch->count; c++) {
        if (batch->tasks[c].alone)
            kernel_erm_alone(batch, c);
        else
            status = kernel_erm_task(batch, batch->ctx, c, &cache, &goal, err);
    }
    hsp__smo_cache_free(&cache);
    return status;
}

hsp_status hsp__erm_kernel_solve(hsp__erm *batch, hsp_error *err)
{
    hsp_status status = kernel_erm_gram(batch, err);
    if (status) return status;
    if (!batch->tasks[0].list) return kernel_erm_classes(batch, err);
    int workers = hsp__run_pool_workers(batch->ctx, batch->count);
    if (workers > KERNEL_ERM_SHARES) workers = KERNEL_ERM_SHARES; /* there are no more than pairs */
    const uint32_t some = batch->count / (4 * (uint32_t)workers);
    return hsp__run_pool_run(&batch->watch, workers, batch->count, some ? some : 1,
                             kernel_erm_some_pairs, batch, err);
}

/* ---- The model ------------------------------------------------------------------------------- */

/* These rows alone, and nothing about them but their numbers. */
static hsp_status kernel_erm_select(hsp_context *ctx, hsp_data *rows, const uint64_t *picked,
                                    uint64_t count, hsp_error *err, hsp_data **out)
{
    hsp_data *data = NULL;
    hsp_status status = hsp_data_select(ctx, rows, picked, count, err, &data);
    if (status) return status;
    hsp__free(&data->memory, data->labels);
    data->labels = NULL;
    data->view.labels = NULL;
    data->view.classes = 0;
    *out = data;
    return HSP_OK;
}

/* Rows that any problem gave an amount. */
static uint64_t kernel_erm_support(const hsp__erm *batch, uint64_t *picked)
{
    const uint64_t n = batch->prepared.view->rows;
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        int used = 0;
        for (uint32_t c = 0; c < batch->count && !used; c++)
            used = batch->kernel->amounts[c * n + i] != 0;
        if (used) picked[count++] = i;
    }
    return count;
}

/* A kernel that is a weighted inner product needs no rows. */
static hsp_status kernel_erm_collapse(hsp_context *ctx, hsp_model **model, hsp_error *err)
{
    hsp_model *linear = NULL;
    hsp_status status = hsp__model_collapse(ctx, *model, err, &linear);
    if (status || !linear) return status;
    hsp_model_free(*model);
    *model = linear;
    return HSP_OK;
}

/* Rows as doubles: a model of such rows computes kernel values in double. */
static hsp_status kernel_erm_widen(hsp_context *ctx, hsp_data **rows, hsp_error *err)
{
    const hsp_view *view = &(*rows)->view;
    const hsp__storage_change plan = {.storage =
                                          view->storage == HSP_ONES ? HSP_SPARSE : view->storage,
                                      .precision = HSP_FLOAT64,
                                      .cols = view->cols,
                                      .phase = "changing the storage"};
    hsp_data *wide = NULL;
    if (view->precision == HSP_FLOAT64) return HSP_OK;
    hsp_status status = hsp__data_convert_storage(ctx, *rows, &plan, err, &wide);
    if (status) return status;
    hsp_data_free(*rows);
    *rows = wide;
    return HSP_OK;
}

static hsp_status kernel_erm_expand(hsp__erm *batch, hsp_context *ctx, const uint64_t *picked,
                                    uint64_t count, hsp_error *err, hsp_model **out)
{
    const hsp__erm_kernel *k = batch->kernel;
    const uint64_t n = batch->prepared.view->rows;
    hsp_data *rows = NULL;
    hsp_kernel *copy = NULL;
    hsp_model *model = NULL;
    hsp_status status = kernel_erm_select(ctx, batch->prepared.data, picked, count, err, &rows);
    if (!status && atomic_load(&batch->kernel->wide)) status = kernel_erm_widen(ctx, &rows, err);
    if (!status)
        status =
            hsp_kernel_parse(ctx, hsp_kernel_text(k->kernel), 1, k->kernel->index_base, err, &copy);
    if (status) {
        hsp_data_free(rows);
        return status;
    }
    status = hsp__model_new_expansion(ctx, batch->count, batch->prepared.view->cols, copy, rows,
                                      err, &model);
    if (status) return status;
    for (uint32_t c = 0; c < batch->count; c++) {
        model->offsets[c] = batch->tasks[c].solution.b;
        for (uint64_t i = 0; i < count; i++)
            model->expansion->coefficients[c * count + i] = k->amounts[c * n + picked[i]];
    }
    for (uint64_t i = 0; i < count; i++)
        model->expansion->source[i] = hsp__erm_source(k, picked[i]);
    model->pairs = batch->tasks[0].list ? HSP__PAIRS_FIRST : 0; /* so that an export is exact */
    *out = model;
    return HSP_OK;
}

hsp_status hsp__erm_kernel_model(hsp__erm *batch, hsp_context *ctx, const hsp__model_spec *outcome,
                                 hsp_error *err, hsp_model **out)
{
    hsp_model *model = NULL;
    uint64_t *picked = hsp__new_raw(&ctx->allocator, batch->prepared.view->rows, sizeof *picked);
    if (!picked) return hsp__fail_memory(err);
    hsp_status status =
        kernel_erm_expand(batch, ctx, picked, kernel_erm_support(batch, picked), err, &model);
    hsp__free(&ctx->allocator, picked);
    if (!status) status = hsp__build_model_fill(ctx, outcome, model, err);
    if (!status) status = kernel_erm_collapse(ctx, &model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static uint64_t kernel_erm_place(const hsp__erm_kernel *k, uint64_t row)
{
    return k->place ? k->place[row] : row;
}

/* Scores of all problems on all rows, from the matrix at hand. */
static void kernel_erm_scores(const hsp__erm *batch, hsp_context *ctx, double *line, double *scores)
{
    const hsp__erm_kernel *k = batch->kernel;
    const uint64_t n = batch->prepared.view->rows;
    for (uint32_t c = 0; c < batch->count; c++) {
        for (uint64_t i = 0; i < n; i++)
            line[i] = batch->tasks[c].solution.b;
        for (uint64_t i = 0; i < n && !hsp__tick(ctx); i++)
            if (k->amounts[c * n + i] != 0)
                hsp__vec()->axpy_f32f64(k->amounts[c * n + i], k->gram + kernel_erm_place(k, i) * n,
                                        line, (size_t)n);
        for (uint64_t i = 0; i < n; i++)
            scores[i * batch->count + c] = line[kernel_erm_place(k, i)];
    }
}

/* Pairs: the least and the most votes that each class may get from these scores. */
static void kernel_erm_votes(const hsp__erm *batch, const double *scores, uint32_t *least,
                             uint32_t *most)
{
    const uint32_t classes = batch->prepared.view->classes;
    memset(least, 0, classes * sizeof *least);
    memset(most, 0, classes * sizeof *most);
    uint32_t c = 0;
    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, c++) {
            const double unsure = batch->tasks[c].unsure;
            least[i] += scores[c] < -unsure;
            least[j] += scores[c] > unsure;
            most[i] += !(scores[c] > unsure);
            most[j] += !(scores[c] < -unsure);
        }
}

/* Do these scores decide as the model's own would, whose last digits differ? `votes` is room for
 * two numbers a class. */
static int kernel_erm_decides(const hsp__erm *batch, const double *scores, uint32_t class,
                              uint32_t *votes)
{
    const uint32_t classes = batch->prepared.view->classes;
    int sure = 1;
    if (batch->count == 1) return fabs(scores[0]) > batch->tasks[0].unsure;
    if (class >= classes) return 0;
    if (batch->tasks[0].list) kernel_erm_votes(batch, scores, votes, votes + classes);
    for (uint32_t c = 0; c < classes && sure; c++) {
        if (c == class) continue;
        sure = batch->tasks[0].list ? votes[class] > votes[classes + c]
                                    : scores[class] - scores[c] >
                                          batch->tasks[class].unsure + batch->tasks[c].unsure;
    }
    return sure;
}

/* Mistakes among those rows whose class the scores at hand leave open, by the model itself. */
static hsp_status kernel_erm_ask_model(hsp__erm *batch, hsp_context *ctx, const hsp_model *model,
                                       const uint64_t *open, uint64_t count, hsp_error *err,
                                       uint64_t *wrong)
{
    hsp_data *rows = NULL;
    if (!count) return HSP_OK;
    hsp_status status = hsp_data_select(ctx, batch->prepared.base, open, count, err, &rows);
    if (!status) status = hsp__training_error_scored(ctx, model, &rows->view, NULL, err, wrong);
    hsp_data_free(rows);
    return status;
}

hsp_status hsp__erm_kernel_mistakes(hsp__erm *batch, hsp_context *ctx, const hsp_model *model,
                                    hsp_error *err, uint64_t *wrong)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__erm_kernel *k = batch->kernel;
    const hsp_view *view = batch->prepared.view;
    uint64_t count = 0;
    *wrong = 0;
    if ((!k->scores && !k->gram) || view->rows != batch->prepared.base->view.rows)
        return hsp__training_error_scored(ctx, model, &batch->prepared.base->view, NULL, err,
                                          wrong);
    double *line = hsp__new_raw(memory, view->rows, sizeof *line);
    uint64_t *open = hsp__new_raw(memory, view->rows, sizeof *open);
    uint32_t *votes = hsp__new_raw(memory, 2 * (uint64_t)view->classes, sizeof *votes);
    hsp_status status = line && open && votes ? HSP_OK : hsp__fail_memory(err);
    if (!status && !k->scores) {
        k->scores = hsp__new_raw(memory, view->rows * batch->count, sizeof *k->scores);
        if (k->scores)
            kernel_erm_scores(batch, ctx, line, k->scores);
        else
            status = hsp__fail_memory(err);
    }
    if (!status) status = hsp__stop_status(ctx, err);
    for (uint32_t c = 0; !status && c < batch->count; c++)
        if (batch->tasks[c].unjudged) status = HSP_CANCELLED; /* nor are its scores known */
    for (uint64_t i = 0; !status && i < view->rows; i++) {
        const double *scores = k->scores + i * batch->count;
        const uint32_t class = hsp__model_decide(model, scores);
        if (kernel_erm_decides(batch, scores, class, votes))
            *wrong += class != view->labels[i];
        else
            open[count++] = i;
    }
    if (!status) status = kernel_erm_ask_model(batch, ctx, model, open, count, err, wrong);
    hsp__free(memory, line);
    hsp__free(memory, open);
    hsp__free(memory, votes);
    return status;
}
