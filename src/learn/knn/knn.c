/* k nearest neighbours: keep every row, and let the nearest k of them vote.
 *
 * Rule. Rows x_i with classes y_i, a distance d, a number k: the class of x is that of most of the
 * k rows with the smallest (d(x, x_i), i), or of most weight when they vote by 1 / d
 * (model/neighbors.h has the vote and its ties; src/near finds the rows, exactly).
 *
 * Choosing k. One search for the most neighbours to be tried answers for every k: row i is left out
 * of its own neighbours, and k = 1, 2, ... of the others vote on it. The k with the fewest mistakes
 * is taken, the smallest of equally good ones. That is leave-one-out exactly, since there is
 * nothing else to learn; but a scaling or a kernel's parameter that is fitted was fitted to all
 * rows.
 *
 * Guarantee. None for finitely many rows. With ever more of them the error of k = 1 comes to at
 * most twice the least possible, and with k growing slower than n to the least possible itself.
 *
 * Cost. Training copies the rows; with k auto, n searches, which ranks divide. A prediction costs a
 * search.
 *
 * Papers. T. Cover, P. Hart, Nearest neighbor pattern classification, IEEE Transactions on
 * Information Theory 13 (1967). C. Stone, Consistent nonparametric regression, Annals of Statistics
 * 5 (1977). S. Dudani, The distance-weighted k-nearest-neighbor rule, IEEE Transactions on Systems,
 * Man and Cybernetics 6 (1976). */
#include "base/base.h"
#include "base/decimal.h"
#include "base/ranks.h"
#include "learn/learner.h"
#include "learn/build_model.h"
#include "learn/prepare.h"
#include "learn/shared_options.h"
#include "model/neighbors.h"

#define KNN_FOUND ((uint64_t)1 << 21) /* neighbours held at a time while k is chosen, about */
#define KNN_LEAST ((uint64_t)64)      /* rows at a time, even so */

static const hsp_option knn_options[] = {
    {"k", HSP_OPTION_TEXT, "5", 0, 0, NULL, "N|auto",
     "number of neighbours that vote; auto: the k with the smallest leave-one-out error"},
    {"max-k", HSP_OPTION_INTEGER, "50", 1, 1e9, NULL, "N", "largest k that --k auto tries"},
    {"metric", HSP_OPTION_TEXT, "l2", 0, 0, NULL, "METRIC",
     "distance: l2, l1, linf, cosine, hamming, or kernel:EXPR (l2 in the feature space)"},
    {"vote", HSP_OPTION_CHOICE, "majority", 0, 0, "majority|distance", NULL,
     "weight of a neighbour's vote: 1, or 1 / distance"},
    {"index", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|scan|tree|product|inverted", NULL,
     "index that finds the neighbours; the neighbours do not depend on it"},
    HSP__OPTION_NORMALIZE,
    HSP__OPTION_SCALE,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
};

/* The state of the native form. */
typedef struct knn_work {
    hsp__train *train;
    hsp_context *ctx;
    const hsp_options *options;
    uint64_t k; /* 0: auto */
    hsp__metric metric;
    const char *expression; /* METRIC_KERNEL */
    hsp_model *model;
} knn_work;

/* ---- Options --------------------------------------------------------------------------------- */

static hsp_status knn_fail(const char *option, const char *found, const char *expected,
                           hsp_error *err)
{
    char quoted[HSP__QUOTED];
    return hsp__fail_option(err, option, "found '%s', expected %s",
                            hsp__quote(found, strlen(found), quoted), expected);
}

/* ---- The model ------------------------------------------------------------------------------- */

static hsp_status knn_kernel(const knn_work *work, hsp_error *err)
{
    const hsp_data *data = work->train->prepared.data;
    const int base = data->index_base && data->index_base[0] == '0' ? 0 : 1;
    hsp__neighbors *own = work->model->neighbors;
    hsp_error found = {0};
    hsp_status status =
        hsp_kernel_parse(work->ctx, work->expression, 1, base, &found, &own->kernel);
    if (status == HSP_USAGE)
        return hsp__fail_option(err, "--metric", "column %llu of the kernel: %s",
                                (unsigned long long)found.column, found.message);
    if (status && err) *err = found;
    if (status) return status;
    if (own->kernel->indefinite)
        return hsp__fail_option(err, "--metric",
                                "%.200s is not positive semidefinite on all data, so it has no "
                                "feature space with distances",
                                hsp_kernel_text(own->kernel));
    return hsp_kernel_fit(work->ctx, own->kernel, work->train->prepared.view, err);
}

static hsp_status knn_frame(knn_work *work, hsp_error *err)
{
    hsp__prepared *prepared = &work->train->prepared;
    const hsp_view *view = prepared->view;
    const uint32_t scorers = view->classes == 2 ? 1 : view->classes;
    /* All rows, as they are used, without their labels: a copy, unless scaling made one. */
    hsp_data *rows = prepared->scaled;
    if (rows) {
        prepared->scaled = NULL; /* prepared->data still points at it, while it lives */
    } else {
        hsp_view bare = *view;
        bare.labels = NULL;
        bare.classes = 0;
        HSP__TRY(hsp_data_copy(work->ctx, &bare, NULL, NULL, err, &rows));
    }
    hsp_status status =
        hsp__model_new_neighbors(work->ctx, scorers, view->cols, rows, err, &work->model);
    if (status) {
        if (prepared->data == rows) prepared->data = prepared->base;
        return status;
    }
    hsp__neighbors *own = work->model->neighbors;
    const char *index = hsp_options_text(work->options, "index");
    own->metric = work->metric;
    own->index = HSP__KNN_AUTO;
    while (strcmp(index, hsp__knn_name(own->index)) != 0)
        own->index = (hsp__knn_kind)((int)own->index + 1);
    own->vote = strcmp(hsp_options_text(work->options, "vote"), "distance") == 0
                    ? HSP__VOTE_DISTANCE
                    : HSP__VOTE_MAJORITY;
    memcpy(own->labels, view->labels, (size_t)view->rows * sizeof *own->labels);
    HSP__TRY(hsp__prepare_origin(work->ctx, work->train->given, work->options, prepared, err,
                                 &own->source));
    return work->expression ? knn_kernel(work, err) : HSP_OK;
}

/* ---- Choosing k ------------------------------------------------------------------------------ */

/* Rows first..last-1, each left out. */
static hsp_status knn_try(const knn_work *work, uint64_t first, uint64_t last,
                          const hsp__knn_index *near, hsp__knn_vote *tally, uint64_t step,
                          uint64_t *skip, hsp__neighbor *found, hsp_error *err)
{
    const hsp__neighbors *own = work->model->neighbors;
    const hsp_view *view = &own->rows->view;
    hsp_context quiet = hsp__quiet(work->ctx); /* progress is over all rows */
    quiet.threads = work->ctx->threads;
    for (uint64_t from = first; from < last; from += step) {
        const uint64_t to = last - from < step ? last : from + step;
        const hsp_view some = hsp__view_slice(view, from, to);
        for (uint64_t i = from; i < to; i++)
            skip[i - from] = i; /* each row is left out of its own neighbours */
        HSP__TRY(hsp__knn_find(&quiet, near, &some, skip, own->tried, err, found));
        const hsp__neighbor *next = found;
        for (uint64_t i = from; i < to && !hsp__tick(work->ctx); i++) {
            hsp__knn_vote_clear(tally);
            for (uint64_t k = 0; k < own->tried; k++, next++) {
                hsp__knn_vote_add(tally, own->labels[next->row], next->distance);
                own->mistakes[k] += hsp__knn_vote_winner(tally) != own->labels[i];
            }
        }
        HSP__TRY(
            hsp__progress(work->ctx, "leaving rows out", "rows", to - first, last - first, err));
    }
    return HSP_OK;
}

/* Ranks leave out a part of the rows each, and add up the mistakes. */
static hsp_status knn_try_part(const knn_work *work, const hsp__knn_index *near,
                               hsp__knn_vote *tally, uint64_t step, uint64_t *skip,
                               hsp__neighbor *found, hsp_error *err)
{
    const hsp__neighbors *own = work->model->neighbors;
    const hsp_ranks *ranks = work->ctx->ranks;
    const uint64_t rows = own->rows->view.rows, count = ranks ? (uint64_t)ranks->count : 1;
    const uint64_t rank = ranks ? (uint64_t)ranks->rank : 0;
    hsp_status status =
        knn_try(work, hsp__part(rows, count, rank), hsp__part(rows, count, rank + 1), near, tally,
                step, skip, found, err);
    status = hsp__ranks_agree(ranks, status, err);
    if (status || !ranks) return status;
    const hsp__shard shard = {.ranks = ranks};
    hsp_context sums = {.shard = &shard};
    hsp__shard_add(&sums, own->mistakes, own->tried);
    return HSP_OK;
}

static hsp_status knn_choose(knn_work *work, hsp_error *err)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    hsp__neighbors *own = work->model->neighbors;
    const uint64_t rows = own->rows->view.rows;
    const uint64_t most = (uint64_t)hsp_options_integer(work->options, "max-k");
    own->tried = most < rows ? most : rows - 1;
    const uint64_t fit = KNN_FOUND / own->tried, step = fit < KNN_LEAST ? KNN_LEAST : fit;
    const uint64_t room = step < rows ? step : rows;
    hsp__knn_index *near = NULL;
    hsp__knn_vote tally = {0};
    own->mistakes = hsp__new(memory, own->tried, sizeof *own->mistakes);
    uint64_t *skip = hsp__new_raw(memory, room, sizeof *skip);
    hsp__neighbor *found = hsp__new_raw(memory, room * own->tried, sizeof *found);
    hsp_status status = own->mistakes && skip && found ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hsp__knn_vote_init(&tally, memory, work->train->run.classes, own->vote, err);
    if (!status) status = hsp__neighbors_index(work->ctx, work->model, rows, err, &near);
    if (!status) status = knn_try_part(work, near, &tally, step, skip, found, err);
    for (uint64_t k = 0; !status && k < own->tried; k++)
        if (own->mistakes[k] < own->mistakes[own->k - 1]) own->k = k + 1;
    hsp__neighbors_index_done(work->model, near);
    hsp__knn_vote_free(&tally, memory);
    hsp__free(memory, skip);
    hsp__free(memory, found);
    return status;
}

static hsp_status knn_settle(knn_work *work, hsp_error *err)
{
    hsp__neighbors *own = work->model->neighbors;
    const uint64_t rows = own->rows->view.rows;
    const uint64_t cols = own->rows->view.cols, most = hsp__knn_most_columns(own->index);
    if (most && cols > most)
        return hsp__fail_option(
            err, "--index", "%s supports at most %llu columns, and the rows have %llu; use auto",
            hsp__knn_name(own->index), (unsigned long long)most, (unsigned long long)cols);
    if (!hsp__knn_fits(own->index, own->metric, &own->rows->view))
        return hsp__fail_option(err, "--index",
                                "%s does not support metric %s on %s rows; use auto",
                                hsp__knn_name(own->index), hsp__metric_names[own->metric],
                                hsp_storage_name(own->rows->view.storage));
    if (work->k > rows)
        return hsp__fail_option(err, "--k", "found %llu, but there are only %llu training rows",
                                (unsigned long long)work->k, (unsigned long long)rows);
    own->k = work->k ? work->k : 1;
    assert(own->k >= 1 && own->k <= rows);
    if (!work->k) return knn_choose(work, err);
    /* What distances cannot be computed of should be known before the first prediction: so an index
     * is made, of the kind that costs nothing. */
    const hsp__knn_plan plan = {
        .metric = own->metric, .kind = HSP__KNN_BRUTE_FORCE, .kernel = own->kernel};
    hsp__knn_index *near = NULL;
    hsp_status status = hsp__knn_new(work->ctx, &plan, own->rows, err, &near);
    hsp__knn_free(near);
    return status;
}

/* ---- From data to model ---------------------------------------------------------------------- */

static int knn_suits(const hsp__train *train)
{
    (void)train; /* there is no other form */
    return 1;
}

static hsp_status knn_fit(hsp__train *train, hsp_error *err)
{
    knn_work *work = train->native;
    const hsp_options *options = work->options = train->options;
    const char *k = hsp_options_text(options, "k"), *metric = hsp_options_text(options, "metric");
    double number = 0;
    hsp__decimal_result result;
    work->train = train;
    work->ctx = train->ctx;
    if (strcmp(k, "auto") != 0) {
        if (hsp_options_is_set(options, "max-k"))
            return hsp__fail_option(err, "--max-k", "applies only to --k auto");
        const char *end = k + strlen(k);
        if (hsp__decimal_f64(k, end, &number, &result) != end || result != HSP__DECIMAL_OK ||
            !(number >= 1 && number <= 1e15) || number != floor(number))
            return knn_fail("--k", k, "a whole number of at least 1, or auto", err);
    }
    work->k = (uint64_t)number;
    while (work->metric < HSP__METRIC_KERNEL &&
           strcmp(metric, hsp__metric_names[work->metric]) != 0)
        work->metric = (hsp__metric)((int)work->metric + 1);
    if (work->metric == HSP__METRIC_KERNEL && strncmp(metric, "kernel:", 7) != 0)
        return knn_fail("--metric", metric,
                        "l2, l1, linf, cosine, hamming, or kernel:EXPR as in kernel:rbf(0.5)", err);
    if (work->metric == HSP__METRIC_KERNEL) work->expression = metric + 7;
    if (!train->prepared.view->cols)
        return hsp__fail(err, HSP_BAD_DATA, "the rows have no columns, so there are no distances");
    HSP__TRY(knn_frame(work, err));
    return knn_settle(work, err);
}

static hsp_status knn_build(hsp__train *train, hsp_context *ctx, const hsp__model_spec *spec,
                            hsp_error *err, hsp_model **out)
{
    knn_work *work = train->native;
    const hsp__neighbors *own = work->model->neighbors;
    const hsp__knn_plan plan = {
        .metric = own->metric, .kind = own->index, .kernel = own->kernel, .k = own->k};
    hsp_data *rows = own->rows;
    const char *index = hsp__knn_name(hsp__knn_choose(&plan, &rows->view));
    char text[HSP__DECIMAL_MAX];
    HSP__TRY(hsp__build_model_fill(ctx, spec, work->model, err));
    hsp__decimal_print_u64(own->k, text);
    HSP__TRY(hsp__model_set_metadata(work->model, "k", text, err));
    HSP__TRY(hsp__model_set_metadata(work->model, "index", index, err));
    if (own->tried) {
        hsp__decimal_print_f64((double)own->mistakes[own->k - 1] / (double)rows->view.rows, text);
        HSP__TRY(hsp__model_set_metadata(work->model, "leave_one_out_error", text, err));
    }
    HSP__TRY(hsp__build_model_end(spec, work->model, err));
    /* Rows that scaling made are the model's now: they keep no labels and names of classes. */
    hsp__free(&rows->memory, rows->labels);
    rows->labels = NULL;
    rows->view.labels = NULL;
    rows->view.classes = 0;
    *out = work->model;
    work->model = NULL;
    return HSP_OK;
}

/* Every row is its own nearest neighbour: what is wrong on them says nothing. */
static hsp_status knn_mistakes(hsp__train *train, hsp_context *ctx, const hsp_model *model,
                               hsp_error *err, uint64_t *wrong)
{
    (void)train, (void)ctx, (void)model, (void)err, (void)wrong;
    return HSP_CANCELLED;
}

static void knn_free(hsp__train *train)
{
    const knn_work *work = train->native;
    hsp_model_free(work->model);
}

static const hsp__native knn_native = {.bytes = sizeof(knn_work),
                                       .suits = knn_suits,
                                       .fit = knn_fit,
                                       .build = knn_build,
                                       .mistakes = knn_mistakes,
                                       .free = knn_free};

const hsp__learner hsp__learn_knn = {.table = {"knn", "vote of the k nearest training rows",
                                               knn_options,
                                               sizeof knn_options / sizeof *knn_options},
                                     .hypothesis = "neighbors",
                                     .divides = 1,
                                     .native = &knn_native};
