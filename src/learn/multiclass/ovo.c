/* One-vs-one. For every pair (i, j) of k classes, i < j, the learner sees the rows of i and j
 * alone, j as the positive class, and its separator becomes scorer (i, j) of one model, whose votes
 * decide (src/model/ovo_votes.c).
 *
 * Rows are prepared once, so that all pairs live in one space; a pair's rows are copied, in their
 * order, while the pair is learnt. Pairs go side by side: a free thread takes the next, each run
 * writes only what is its own, and everything is put together in the order of the pairs; with a
 * kernel as one expansion (ovo_kernel.c). Memory
 * beside the data and the model: a copy of the rows of as many pairs as there are threads. */
#include "learn/multiclass/ovo.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "learn/erm/evidence.h"
#include "learn/multiclass/run_pool.h"
#include "learn/option_helpers.h"
#include "kernel/gram.h"
#include "learn/kernel/kernel_option.h"
#include "learn/online/ledger.h"
#include "learn/training_error.h"
#include "learn/online/online.h"
#include "learn/build_model.h"
#include "learn/prepare.h"
#include "learn/row_weights.h"
#include "model/ovo_votes.h"

typedef struct ovo_one {
    hsp_training run;
    hsp_model *model; /* or NULL: nothing was learnt */
    uint64_t *rows;   /* count: of the prepared data, ascending; NULL before it is taken up */
    uint64_t count;
    int empty; /* a class without rows: -1 the upper one, 1 the lower one, 2 both */
} ovo_one;

typedef struct ovo_work {
    hsp_context *ctx;
    const hsp__learner *learner;
    const hsp_options *options;
    const hsp_model *start; /* or NULL */
    double *weight;         /* classes: as the option `weight` has it, NULL without the option */
    int balanced;
    hsp__prepared prepared;
    hsp_kernel *kernel;    /* of all pairs, fitted to all rows; NULL: none */
    uint64_t *origin;      /* kernel: rows: their numbers in the data as given; NULL: the same */
    uint64_t *ids;         /* precomputed: rows: the numbers they are known by; NULL: none */
    hsp__pair_part *parts; /* kernel: count */
    uint32_t classes, count;
    uint64_t *lists; /* rows: those of class 0, ascending, then those of class 1, ... */
    uint64_t *first; /* classes + 1: where they start */
    ovo_one *pairs;  /* count */
    int threads;     /* of each pair's run */
    int drop_dual;   /* dual weights are kept to count support vectors, not for the model */
    hsp__watch watch;
    char hash[HSP__HASH_TEXT];
    hsp_training run;
} ovo_work;

/* ---- Are there pairs? ------------------------------------------------------------------------ */

hsp_status hsp__ovo_wanted(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                           hsp_error *err, int *wanted)
{
    hsp__names keep;
    *wanted = 0;
    if (!hsp__option_is(options, "multiclass", "ovo")) return HSP_OK;
    if (hsp__kernel_wanted(options) && hsp__learner_of(options)->pairs) return HSP_OK;
    if (hsp__option_text(options, "positive")) return HSP_OK;
    hsp_status status = hsp__prepare_classes(ctx, options, err, &keep);
    if (status) return status;
    *wanted = (keep.count ? keep.count : hsp_data_classes(data)) > 2;
    hsp__names_free(&keep);
    return HSP_OK;
}

static hsp_status ovo_check(const ovo_work *work, hsp_error *err)
{
    const hsp_options *options = work->options;
    if (hsp__option_is(options, "average", "vote"))
        return hsp__fail_at(err, HSP_USAGE, "--average", 0, 0,
                            "voting is not available with one-vs-one; use --average average, or "
                            "--multiclass native");
    if (hsp__option_text(options, "trace"))
        return hsp__fail_at(err, HSP_USAGE, "--trace", 0, 0,
                            "a trace needs two classes; choose them with --positive or --classes");
    return work->learner->rule ? work->learner->rule->check(options, 0, err) : HSP_OK;
}

/* A model to begin at has the same pairs over the same columns. */
static hsp_status ovo_check_start(const ovo_work *work, hsp_error *err)
{
    const hsp_model *start = work->start;
    const hsp__names *names = &work->prepared.data->class_names;
    if (!start) return HSP_OK;
    int same = start->pairs && !start->constant && start->features == work->prepared.view->cols &&
               start->class_names.count == names->count;
    for (uint32_t c = 0; same && c < names->count; c++)
        same = strcmp(hsp__names_get(&start->class_names, c), hsp__names_get(names, c)) == 0;
    if (same) return HSP_OK;
    return hsp__fail(
        err, HSP_USAGE,
        "one-vs-one needs a warm-start model with the same pairs of classes and the same columns");
}

/* ---- One pair -------------------------------------------------------------------------------- */

/* The rows of two classes, in their order. */
static hsp_status ovo_rows(const ovo_work *work, uint32_t i, uint32_t j, ovo_one *one,
                           hsp_error *err)
{
    const uint64_t *a = work->lists + work->first[i], *a_end = work->lists + work->first[i + 1];
    const uint64_t *b = work->lists + work->first[j], *b_end = work->lists + work->first[j + 1];
    one->count = (uint64_t)(a_end - a) + (uint64_t)(b_end - b);
    if (a == a_end) one->empty = b == b_end ? 2 : 1;
    if (b == b_end && a < a_end) one->empty = -1;
    one->rows = hsp__new_raw(&work->ctx->allocator, one->count, sizeof *one->rows);
    if (!one->rows) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < one->count; k++)
        one->rows[k] = b == b_end || (a < a_end && *a < *b) ? *a++ : *b++;
    return HSP_OK;
}

static hsp_status ovo_row_weights(const ovo_work *work, const ovo_one *one, hsp_data *data,
                                  hsp_error *err)
{
    const double *weight = work->prepared.weight;
    if (!weight) return HSP_OK;
    data->row_weights = hsp__new_raw(&data->memory, one->count, sizeof *weight);
    if (!data->row_weights) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < one->count; k++)
        data->row_weights[k] = weight[one->rows[k]];
    return HSP_OK;
}

/* Those rows as a data set of two classes. */
static hsp_status ovo_data(hsp_context *ctx, const ovo_work *work, const ovo_one *one, uint32_t i,
                           uint32_t j, hsp_error *err, hsp_data **out)
{
    const hsp__names *names = &work->prepared.data->class_names;
    hsp_data *data = NULL;
    hsp__names two;
    uint32_t number;
    hsp_status status =
        hsp_data_select(ctx, work->prepared.data, one->rows, one->count, err, &data);
    if (status) return status;
    hsp__names_init(&two, &ctx->allocator);
    if (!hsp__names_add(&two, hsp__names_get(names, i), hsp__names_size(names, i), &number) ||
        !hsp__names_add(&two, hsp__names_get(names, j), hsp__names_size(names, j), &number)) {
        hsp__names_free(&two);
        hsp_data_free(data);
        return hsp__fail_memory(err);
    }
    hsp__names_free(&data->class_names);
    data->class_names = two;
    for (uint64_t k = 0; k < one->count; k++)
        data->labels[k] = data->labels[k] == j;
    hsp__data_seal(data);
    status = ovo_row_weights(work, one, data, err);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

/* Weights of classes: those of the pair's two. */
static hsp_status ovo_weights(hsp_context *ctx, const ovo_work *work, const uint32_t classes[2],
                              hsp_options *to, hsp_error *err)
{
    const hsp__names *names = &work->prepared.data->class_names;
    if (!work->weight) return HSP_OK;
    if (work->balanced) return hsp_options_set(to, "weight", "balanced", err);
    hsp_status status = HSP_OK;
    for (int k = 0; !status && k < 2; k++) {
        char number[HSP__DECIMAL_MAX];
        hsp__text item;
        if (work->weight[classes[k]] == 1) continue;
        hsp__decimal_print_f64(work->weight[classes[k]], number);
        hsp__text_init(&item, &ctx->allocator);
        hsp__text_puts(&item, hsp__names_get(names, classes[k]));
        hsp__text_printf(&item, "=%s", number);
        status =
            item.failed ? hsp__fail_memory(err) : hsp_options_set(to, "weight", item.data, err);
        hsp__text_free(&item);
    }
    return status;
}

/* The learner's options for a pair: its rows are prepared already, and the limit of time is that of
 * all pairs together. */
static hsp_status ovo_options(hsp_context *ctx, const ovo_work *work, uint32_t i, uint32_t j,
                              hsp_error *err, hsp_options **out)
{
    static const char *const skip[] = {
        "scale",      "normalize",  "classes", "positive",        "link",
        "calibrate",  "multiclass", "weight",  "calibrate-folds", "max-seconds",
        "warm-start", "row-weight", NULL};
    hsp_options *made = NULL;
    hsp_status status = hsp__options_without(ctx, work->options, skip, err, &made);
    if (!status && work->drop_dual) status = hsp_options_set(made, "keep-dual", "yes", err);
    if (!status && work->kernel)
        status = hsp_options_set(made, "kernel", hsp_kernel_text(work->kernel), err);
    if (!status) status = ovo_weights(ctx, work, (const uint32_t[]){i, j}, made, err);
    if (status)
        hsp_options_free(made);
    else
        *out = made;
    return status;
}

/* A pair's separator in the model to begin at, as a model of its own. */
static hsp_status ovo_start(hsp_context *ctx, const ovo_work *work, uint32_t pair,
                            const hsp_data *data, hsp_error *err, hsp_model **out)
{
    const hsp_model *from = work->start;
    hsp_model *made = NULL;
    if (!from) return HSP_OK;
    hsp_status status = hsp__model_new(ctx, 1, from->features, err, &made);
    if (status) return status;
    if (from->features)
        memcpy(made->weights, from->weights + pair * from->features,
               from->features * sizeof *made->weights);
    made->offsets[0] = from->offsets[pair];
    made->tie = from->tie;
    made->order = from->order;
    if (!hsp__names_copy(&made->class_names, &data->class_names)) {
        hsp_model_free(made);
        return hsp__fail_memory(err);
    }
    *out = made;
    return HSP_OK;
}

static hsp_status ovo_learn(ovo_work *work, hsp_context *quiet, uint32_t pair, uint32_t i,
                            uint32_t j, hsp_error *err)
{
    ovo_one *one = &work->pairs[pair];
    hsp_data *data = NULL;
    hsp_options *options = NULL;
    hsp_model *start = NULL;
    hsp_status status = ovo_data(quiet, work, one, i, j, err, &data);
    if (!status) status = ovo_options(quiet, work, i, j, err, &options);
    if (!status) status = ovo_start(quiet, work, pair, data, err, &start);
    if (!status)
        status = work->learner->train(quiet, data, options, start, err, &one->run, &one->model);
    hsp_model_free(start);
    hsp_options_free(options);
    hsp_data_free(data);
    return status;
}

/* Runs from..to-1 of the crowd. A pair that a request to stop came before has learnt nothing. */
static hsp_status ovo_run(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    ovo_work *work = user;
    hsp_context quiet = hsp__quiet(work->ctx);
    hsp_status status = HSP_OK;
    quiet.threads = work->threads;
    for (uint32_t pair = from; !status && pair < to; pair++) {
        ovo_one *one = &work->pairs[pair];
        uint32_t i, j;
        hsp__pair_classes(work->classes, pair, &i, &j);
        status = ovo_rows(work, i, j, one, err);
        if (status || one->empty) continue;
        if (!hsp__tick(&quiet)) status = ovo_learn(work, &quiet, pair, i, j, err);
        if (status == HSP_CANCELLED) status = HSP_OK;
        if (!status && !one->model && !one->run.evidence)
            hsp__watch_stopped(&quiet, &one->run.stop);
        hsp__watch_tick(&work->watch, one->count, report, &one->run.stop);
    }
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static hsp_status ovo_sort_rows(ovo_work *work, hsp_error *err)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    const hsp_view *view = work->prepared.view;
    work->lists = hsp__new_raw(memory, view->rows, sizeof *work->lists);
    work->first = hsp__new(memory, (uint64_t)work->classes + 2, sizeof *work->first);
    if (!work->lists || !work->first) return hsp__fail_memory(err);
    uint64_t *next = work->first + 1; /* next[c]: where the next row of class c goes */
    for (uint64_t i = 0; i < view->rows; i++)
        work->first[view->labels[i] + 2]++;
    for (uint32_t c = 2; c < work->classes + 2; c++)
        work->first[c] += work->first[c - 1];
    for (uint64_t i = 0; i < view->rows; i++)
        work->lists[next[view->labels[i]]++] = i;
    return HSP_OK;
}

/* What the options say of classes, and the model to begin at. */
static hsp_status ovo_read_options(ovo_work *work, hsp_error *err)
{
    const hsp__names *names = &work->prepared.data->class_names;
    hsp_status status = HSP_OK;
    if (hsp__options_have(work->options, "weight")) {
        work->weight = hsp__new(&work->ctx->allocator, names->count, sizeof *work->weight);
        if (!work->weight) return hsp__fail_memory(err);
        status = hsp__row_weights_classes(work->ctx, work->options, names, err, work->weight,
                                          &work->balanced);
    }
    return status ? status : ovo_check_start(work, err);
}

/* Rules in the kernel are fitted to all rows: one space for all pairs. */
static hsp_status ovo_prepare_kernel(ovo_work *work, const hsp_data *data, hsp_error *err)
{
    const hsp_view *view = work->prepared.view;
    if (!hsp__kernel_wanted(work->options)) return HSP_OK;
    hsp_status status =
        hsp__kernel_option(work->ctx, work->options, data, view, err, &work->kernel);
    if (!status)
        status = hsp__prepare_origin(work->ctx, data, work->options, &work->prepared, err,
                                     &work->origin);
    if (!status)
        status = hsp__kernel_ids(work->ctx, work->kernel, data, work->origin, view->rows, err,
                                 &work->ids);
    if (status) return status;
    work->parts = hsp__new(&work->ctx->allocator, work->count, sizeof *work->parts);
    return work->parts ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status ovo_prepare(ovo_work *work, hsp_data *data, hsp_error *err)
{
    hsp_context *ctx = work->ctx;
    work->drop_dual = hsp__options_have(work->options, "keep-dual") &&
                      !hsp_options_flag(work->options, "keep-dual");
    hsp_status status = ovo_check(work, err);
    if (!status) status = hsp__prepare(ctx, data, work->options, err, &work->prepared);
    if (!status) status = ovo_read_options(work, err);
    if (!status) status = hsp__view_hash(ctx, &data->view, err, work->hash);
    if (status) return status;
    const hsp_view *view = work->prepared.view;
    work->classes = view->classes;
    if (hsp__pair_count(view->classes) > UINT32_MAX)
        return hsp__fail(err, HSP_USAGE, "%u classes have too many pairs; use --multiclass ovr",
                         (unsigned)view->classes);
    work->count = (uint32_t)hsp__pair_count(view->classes);
    work->run.rows = view->rows;
    work->run.cols = view->cols;
    work->run.nonzeros = work->prepared.data->nonzeros;
    work->run.classes = view->classes;
    work->watch.total = view->rows * (view->classes - 1);
    work->pairs = hsp__new(&ctx->allocator, work->count, sizeof *work->pairs);
    status = work->pairs ? ovo_sort_rows(work, err) : hsp__fail_memory(err);
    return status ? status : ovo_prepare_kernel(work, data, err);
}

static hsp_status ovo_learn_all(ovo_work *work, hsp_error *err)
{
    const int workers = hsp__run_pool_workers(work->ctx, work->count);
    const double start = hsp__clock();
    work->threads = hsp_context_threads(work->ctx) / workers;
    hsp__stop_limit(work->ctx, hsp__option_real(work->options, "max-seconds", 0));
    hsp_status status =
        hsp__run_pool_run(&work->watch, workers, work->count, 1, ovo_run, work, err);
    work->run.train_seconds = hsp__clock() - start;
    return status;
}

/* ---- What they did --------------------------------------------------------------------------- */

/* The same number in all of them, or none. */
static double ovo_common(double all, double one, int first)
{
    return first || all == one ? one : (double)NAN;
}

static void ovo_add_optimum(const ovo_work *work, uint32_t pair, int first, hsp_convergence *all)
{
    const hsp_convergence *one = &work->pairs[pair].run.optimum;
    all->solver = one->solver;
    all->lambda = ovo_common(all->lambda, one->lambda, first);
    all->C = ovo_common(all->C, one->C, first);
    all->objective += one->objective;
    all->dual_objective += one->dual_objective;
    all->scaled_objective += one->scaled_objective;
    all->scaled_dual_objective += one->scaled_dual_objective;
    all->support_sum += one->support_sum;
    all->on_margin += one->on_margin;
    all->inside += one->inside;
    all->wrong_side += one->wrong_side;
    all->inverse_norm = first ? one->inverse_norm : fmin(all->inverse_norm, one->inverse_norm);
    if (first || (!(one->margin >= all->margin) && !isnan(one->margin))) {
        all->margin = one->margin;
        hsp__pair_classes(work->classes, pair, &all->margin_class, &all->margin_other);
    }
    all->rounding = fmax(all->rounding, one->rounding);
    all->stationarity = fmax(all->stationarity, one->stationarity);
    all->primal_feasibility = fmax(all->primal_feasibility, one->primal_feasibility);
    all->dual_feasibility = fmax(all->dual_feasibility, one->dual_feasibility);
    all->complementarity = fmax(all->complementarity, one->complementarity);
}

/* Not all pairs were learnt: what those that were have in common says nothing of the rest. The sum
 * of their bounds is a bound all the same, since that of the others is 0 at least. */
static void ovo_cut(const ovo_work *work, uint32_t learnt, uint32_t wanted)
{
    hsp__log(work->ctx, HSP_LOG_WARNING,
             "%u of %u pairs of classes were trained; the others have no separator yet",
             (unsigned)learnt, (unsigned)wanted);
}

static void ovo_report(ovo_work *work)
{
    hsp_training *all = &work->run;
    hsp_convergence *optimum = &all->optimum;
    uint32_t learnt = 0, wanted = 0;
    all->progressive_error = all->radius = (double)NAN;
    all->stop = HSP_STOP_CONVERGED;
    for (uint32_t pair = 0; pair < work->count; pair++) {
        const hsp_training *one = &work->pairs[pair].run;
        all->stop = hsp__stop_of(all->stop, one->stop);
        wanted += !work->pairs[pair].empty;
        if (!work->pairs[pair].model) continue;
        if (one->passes > all->passes) all->passes = one->passes;
        all->updates += one->updates;
        all->mistakes_last_pass += one->mistakes_last_pass;
        all->radius = fmax(all->radius, one->radius);
        if (one->optimum.solver) ovo_add_optimum(work, pair, !learnt, optimum);
        learnt++;
    }
    const int cut = learnt < wanted && all->stop != HSP_STOP_INSEPARABLE;
    if (cut) ovo_cut(work, learnt, wanted);
    if (!optimum->solver) return;
    if (cut) optimum->objective = optimum->scaled_objective = (double)NAN;
    const double apart = optimum->objective - optimum->dual_objective;
    optimum->gap = isnan(optimum->objective)       ? (double)NAN
                   : !isfinite(optimum->objective) ? 1
                   : apart > 0                     ? apart / optimum->objective
                                                   : 0;
}

/* Rows with a dual weight in any pair, each counted once; a learner that keeps none says nothing.
 */
static hsp_status ovo_support(ovo_work *work, hsp_error *err)
{
    hsp_convergence *optimum = &work->run.optimum;
    if (!optimum->solver) return HSP_OK;
    optimum->support_vectors = optimum->support_sum ? UINT64_MAX : 0;
    if (!hsp__options_have(work->options, "keep-dual")) return HSP_OK;
    unsigned char *used = hsp__new(&work->ctx->allocator, work->prepared.view->rows, 1);
    if (!used) return hsp__fail_memory(err);
    optimum->support_vectors = 0;
    for (uint32_t pair = 0; pair < work->count; pair++) {
        const ovo_one *one = &work->pairs[pair];
        const hsp_row_coefficients kept =
            one->model ? hsp_model_row_coefficients(one->model) : (hsp_row_coefficients){0};
        for (uint64_t k = 0; k < kept.count; k++) {
            optimum->support_vectors += !used[one->rows[kept.row[k]]];
            used[one->rows[kept.row[k]]] = 1;
        }
    }
    hsp__free(&work->ctx->allocator, used);
    return HSP_OK;
}

/* The first pair that cannot be told apart says why, in rows of the data as it was given. */
static hsp_status ovo_evidence(ovo_work *work, const hsp_data *data, hsp_error *err)
{
    uint32_t pair = 0;
    while (pair < work->count && !work->pairs[pair].run.evidence)
        pair++;
    if (pair == work->count) return HSP_OK;
    ovo_one *one = &work->pairs[pair];
    hsp_evidence *evidence = one->run.evidence;
    uint64_t *origin = NULL;
    hsp_status status =
        hsp__prepare_origin(work->ctx, data, work->options, &work->prepared, err, &origin);
    for (uint64_t k = 0; !status && k < evidence->count; k++) {
        const uint64_t row = one->rows[evidence->row[k]];
        evidence->row[k] = origin ? origin[row] : row;
    }
    hsp__free(&work->ctx->allocator, origin);
    if (status) return status;
    work->run.evidence = evidence;
    one->run.evidence = NULL;
    uint32_t i, j;
    hsp__pair_classes(work->classes, pair, &i, &j);
    return hsp__evidence_name(evidence, &work->prepared.data->class_names, i, j, err);
}

/* ---- The model ------------------------------------------------------------------------------- */

/* A row's number as models count: among those of the classes that were asked for. */
static uint64_t ovo_place(const ovo_work *work, uint64_t row)
{
    return work->prepared.place ? work->prepared.place[row] : row;
}

static hsp_status ovo_gather(const ovo_work *work, hsp__ledger *all, hsp_error *err)
{
    for (uint32_t pair = 0; pair < work->count; pair++) {
        const ovo_one *one = &work->pairs[pair];
        if (!one->model) continue;
        const hsp_row_coefficients updates = hsp_model_row_coefficients(one->model);
        for (uint64_t k = 0; k < updates.count; k++)
            if (!hsp__ledger_add(all, ovo_place(work, one->rows[updates.row[k]]), pair,
                                 updates.amount[k]))
                return hsp__fail_memory(err);
    }
    return hsp__ledger_settle(all) ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status ovo_updates(const ovo_work *work, hsp_model *model, hsp_error *err)
{
    const hsp_allocator *memory = &model->memory;
    hsp__ledger all;
    hsp__ledger_init(&all, work->ctx);
    hsp_status status = ovo_gather(work, &all, err);
    if (!status && all.count) {
        uint64_t *row = hsp__new_raw(memory, all.count, sizeof *row);
        uint32_t *scorer = hsp__new_raw(memory, all.count, sizeof *scorer);
        double *amount = hsp__new_raw(memory, all.count, sizeof *amount);
        model->updates =
            (hsp_row_coefficients){all.count, row, scorer, amount}; /* freed with the model */
        if (!row || !scorer || !amount) status = hsp__fail_memory(err);
        for (uint64_t k = 0; !status && k < all.count; k++) {
            row[k] = all.entries[k].row;
            scorer[k] = all.entries[k].scorer;
            amount[k] = all.entries[k].amount;
        }
    }
    hsp__ledger_free(&all);
    return status;
}

static hsp_tie ovo_tie(const ovo_work *work)
{
    for (uint32_t pair = 0; pair < work->count; pair++)
        if (work->pairs[pair].model) return work->pairs[pair].model->tie;
    return HSP_TIE_NEG;
}

/* Are there separators that weights do not say? Of a kernel that is a weighted inner product there
 * are none. */
static int ovo_expanded(const ovo_work *work)
{
    for (uint32_t pair = 0; pair < work->count; pair++)
        if (work->pairs[pair].model && work->pairs[pair].model->expansion) return 1;
    return 0;
}

static hsp_status ovo_frame(const ovo_work *work, hsp_context *ctx, const hsp__model_spec *outcome,
                            hsp_error *err, hsp_model **out)
{
    const hsp__prepared *prepared = &work->prepared;
    if (!ovo_expanded(work))
        return hsp__build_model_begin(ctx, outcome, work->count, prepared->view->cols, err, out);
    for (uint32_t pair = 0; pair < work->count; pair++)
        work->parts[pair] = (hsp__pair_part){work->pairs[pair].model, work->pairs[pair].rows};
    const hsp__ovo_parts parts = {.parts = work->parts,
                                  .count = work->count,
                                  .data = prepared->data,
                                  .kernel = work->kernel,
                                  .origin = work->origin,
                                  .ids = work->ids};
    hsp_model *model = NULL;
    hsp_status status = hsp__ovo_expand(ctx, &parts, err, &model);
    if (!status) status = hsp__build_model_fill(ctx, outcome, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

static void ovo_weights_in(const ovo_work *work, hsp_model *model)
{
    for (uint32_t pair = 0; pair < work->count; pair++) {
        const ovo_one *one = &work->pairs[pair];
        if (one->empty == 1 || one->empty == -1) model->offsets[pair] = one->empty;
        if (!one->model) continue;
        model->offsets[pair] = one->model->offsets[0];
        if (model->features && model->weights)
            memcpy(model->weights + pair * model->features, one->model->weights,
                   model->features * sizeof *model->weights);
    }
}

static hsp_status ovo_measure(ovo_work *work, hsp_model *model, hsp_error *err)
{
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, work->ctx);
    const hsp__prepared *prepared = &work->prepared;
    uint64_t wrong = 0;
    hsp_status status =
        model->weights
            ? hsp__training_error_linear(&last, model, prepared->view, err, &wrong)
            : hsp__training_error_scored(&last, model, &prepared->base->view, NULL, err, &wrong);
    return hsp__training_error_report(status, wrong, model, err, &work->run);
}

/* Whoever asked the run to stop wants its model: from here on nobody is asked. */
static hsp_status ovo_model(ovo_work *work, hsp_error *err, hsp_model **out)
{
    hsp_context unasked = hsp__stop_none(work->ctx);
    hsp__model_spec outcome =
        hsp__model_spec_of(work->learner, work->options, &work->prepared, work->hash, &work->run);
    outcome.tie = ovo_tie(work);
    outcome.seed = hsp__option_integer(work->options, "seed", 0);
    hsp_model *model = NULL;
    hsp_status status = ovo_frame(work, &unasked, &outcome, err, &model);
    if (status) return status;
    model->pairs = 1;
    ovo_weights_in(work, model);
    if (!work->drop_dual) status = ovo_updates(work, model, err);
    if (!status) status = hsp__build_model_end(&outcome, model, err);
    if (!status) status = ovo_measure(work, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

static void ovo_free(ovo_work *work)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    for (uint32_t pair = 0; work->pairs && pair < work->count; pair++) {
        hsp_model_free(work->pairs[pair].model);
        hsp_evidence_free(work->pairs[pair].run.evidence);
        hsp__free(memory, work->pairs[pair].rows);
    }
    hsp__free(memory, work->pairs);
    hsp__free(memory, work->lists);
    hsp__free(memory, work->first);
    hsp__free(memory, work->weight);
    hsp__free(memory, work->origin);
    hsp__free(memory, work->ids);
    hsp__free(memory, work->parts);
    hsp_kernel_free(work->kernel);
    hsp__prepared_free(&work->prepared);
}

hsp_status hsp__ovo_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                          const hsp_options *options, const hsp_model *start, hsp_error *err,
                          hsp_training *run, hsp_model **out)
{
    ovo_work work = {
        .ctx = ctx, .learner = learner, .options = options, .start = start, .watch = {.ctx = ctx}};
    hsp_model *model = NULL;
    hsp_status status = ovo_prepare(&work, data, err);
    if (!status) status = ovo_learn_all(&work, err);
    if (!status) ovo_report(&work);
    if (!status) status = ovo_support(&work, err);
    if (!status) status = ovo_evidence(&work, data, err);
    if (!status && work.run.stop == HSP_STOP_INSEPARABLE)
        work.run.training_error = (double)NAN;
    else if (!status)
        status = ovo_model(&work, err, &model);
    ovo_free(&work);
    if (status) {
        hsp_evidence_free(work.run.evidence);
        return status;
    }
    if (run)
        *run = work.run;
    else
        hsp_evidence_free(work.run.evidence);
    *out = model;
    return HSP_OK;
}
