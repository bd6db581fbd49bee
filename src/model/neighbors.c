/* Models of nearest neighbours: all training rows are kept. Prediction finds the k nearest rows
 * (src/knn) and lets them vote. Cost: what the index
 * makes of rows * queries distances; memory: the rows, one block of queries and their neighbours.
 *
 * E. Fix, J. Hodges, Discriminatory analysis, nonparametric discrimination (1951). T. Cover, P.
 * Hart, Nearest neighbor pattern classification, IEEE Transactions on Information Theory 13 (1967):
 * with ever more rows, the error of the nearest one's class is at most twice the least possible. */
#include "model/neighbors.h"

#include "base/base.h"
#include "base/sized_report.h"
#include "data/container.h"
#include "model/hypothesis.h"

enum {
    NEIGHBORS_FEW = 16,        /* queries, of all calls so far, for which no index is built */
    NEIGHBORS_FOUND = 1 << 20, /* neighbours held at a time */
};
#define NEIGHBORS_LEAD \
    0x1p-60 /* a score that only says who was nearer; real ones are 2^-54 or more */

const char *const hsp__metric_names[] = {"l2", "l1", "linf", "cosine", "hamming", "kernel"};
const char *const hsp__vote_names[] = {"majority", "distance"};

/* ---- Made and unmade ------------------------------------------------------------------------- */

static hsp__neighbors *neighbors_new(const hsp_allocator *memory)
{
    hsp__neighbors *neighbors = hsp__new(memory, 1, sizeof *neighbors);
    if (neighbors) pthread_mutex_init(&neighbors->lock, NULL);
    return neighbors;
}

static size_t neighbors_arrays(hsp__neighbors *own, hsp__model_array *list)
{
    const uint64_t rows = own->rows ? own->rows->view.rows : 0;
    const hsp__model_array all[] = {
        {"neighbors.labels", HSP__U32, (void *)&own->labels, .more = rows},
        {"neighbors.source", HSP__U64, (void *)&own->source, .more = rows, .optional = 1},
        {"neighbors.mistakes", HSP__U64, (void *)&own->mistakes, .count = &own->tried, .sets = 1,
         .optional = 1}};
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void neighbors_free(hsp_model *model, int mapped)
{
    hsp__neighbors *own = model->neighbors;
    hsp__model_array list[HSP__MODEL_ARRAYS];
    if (!own) return;
    hsp__knn_free(own->kept);
    pthread_mutex_destroy(&own->lock);
    if (!mapped) hsp__arrays_free(&model->memory, list, neighbors_arrays(own, list));
    hsp_kernel_free(own->kernel);
    hsp_data_free(own->rows);
    hsp__free(&model->memory, own);
}

hsp_status hsp__model_new_neighbors(hsp_context *ctx, uint32_t scorers, uint64_t features,
                                    hsp_data *rows, hsp_error *err, hsp_model **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(ctx, scorers, 0, err, &model);
    hsp__neighbors *neighbors = status ? NULL : neighbors_new(memory);
    if (!neighbors) {
        hsp_data_free(rows);
        hsp_model_free(model);
        return status ? status : hsp__fail_memory(err);
    }
    hsp__free(memory, model->weights);
    model->weights = NULL;
    model->features = features;
    model->hypothesis = HSP__NEIGHBORS;
    model->neighbors = neighbors;
    neighbors->rows = rows;
    neighbors->k = 1;
    neighbors->labels = hsp__new(memory, rows->view.rows, sizeof *neighbors->labels);
    if (!neighbors->labels) {
        hsp_model_free(model);
        return hsp__fail_memory(err);
    }
    *out = model;
    return HSP_OK;
}

/* ---- The vote -------------------------------------------------------------------------------- */

hsp_status hsp__knn_vote_init(hsp__knn_vote *tally, const hsp_allocator *memory, uint32_t classes,
                              hsp__vote_rule vote, hsp_error *err)
{
    *tally = (hsp__knn_vote){.classes = classes, .vote = vote};
    tally->votes = hsp__new(memory, classes, sizeof *tally->votes);
    tally->nearest = hsp__new(memory, classes, sizeof *tally->nearest);
    if (!tally->votes || !tally->nearest) {
        hsp__knn_vote_free(tally, memory);
        return hsp__fail_memory(err);
    }
    hsp__knn_vote_clear(tally);
    return HSP_OK;
}

void hsp__knn_vote_free(hsp__knn_vote *tally, const hsp_allocator *memory)
{
    hsp__free(memory, tally->votes);
    hsp__free(memory, tally->nearest);
    tally->votes = tally->nearest = NULL;
}

void hsp__knn_vote_clear(hsp__knn_vote *tally)
{
    for (uint32_t c = 0; c < tally->classes; c++) {
        tally->votes[c] = 0;
        tally->nearest[c] = HUGE_VAL;
    }
    tally->first = (double)NAN;
}

/* 1 / distance, times the distance of the nearest: shares stay the same, and nothing overflows.
 * Where even the nearest is at an infinite distance, all are, and equal. */
static double vote_weight(const hsp__knn_vote *tally, double distance)
{
    if (tally->vote == HSP__VOTE_MAJORITY || distance == tally->first) return 1;
    return tally->first / distance;
}

void hsp__knn_vote_add(hsp__knn_vote *tally, uint32_t class, double distance)
{
    if (isnan(tally->first)) tally->first = distance;
    tally->votes[class] += vote_weight(tally, distance);
    tally->nearest[class] = fmin(tally->nearest[class], distance);
}

uint32_t hsp__knn_vote_winner(const hsp__knn_vote *tally)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < tally->classes; c++)
        if (tally->votes[c] > tally->votes[best] ||
            (tally->votes[c] == tally->votes[best] && tally->nearest[c] < tally->nearest[best]))
            best = c;
    return best;
}

void hsp__knn_vote_scores(const hsp__knn_vote *tally, double *scores)
{
    const uint32_t winner = hsp__knn_vote_winner(tally);
    const double *votes = tally->votes;
    double all = 0;
    for (uint32_t c = 0; c < tally->classes; c++)
        all += votes[c];
    if (tally->classes == 2) {
        const double lead = (votes[1] - votes[0]) / all;
        scores[0] = lead > 0 || lead < 0 ? lead : winner ? NEIGHBORS_LEAD : -NEIGHBORS_LEAD;
        return;
    }
    const double most = votes[winner] / all, below = nextafter(most, 0);
    for (uint32_t c = 0; c < tally->classes; c++)
        scores[c] = c == winner ? most : fmin(votes[c] / all, below);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

hsp_status hsp__neighbors_index(hsp_context *ctx, const hsp_model *model, uint64_t rows,
                                hsp_error *err, hsp__knn_index **out)
{
    hsp__neighbors *own = model->neighbors;
    hsp__knn_plan plan = {.metric = own->metric,
                          .kind = own->index,
                          .kernel = own->kernel,
                          .queries = rows,
                          .k = own->k};
    hsp_status status = HSP_OK;
    pthread_mutex_lock(&own->lock);
    own->asked = rows < UINT64_MAX - own->asked ? own->asked + rows : UINT64_MAX;
    hsp__knn_index *near = own->kept;
    if (!near && plan.kind == HSP__KNN_AUTO && own->asked < NEIGHBORS_FEW) {
        plan.kind = HSP__KNN_BRUTE_FORCE;
        status = hsp__knn_new(ctx, &plan, own->rows, err, &near);
    } else if (!near) {
        status = hsp__knn_new(ctx, &plan, own->rows, err, &near);
        own->kept = near;
    }
    pthread_mutex_unlock(&own->lock);
    if (!status) *out = near;
    return status;
}

void hsp__neighbors_index_done(const hsp_model *model, hsp__knn_index *near)
{
    if (!near) return;
    hsp__neighbors *own = model->neighbors;
    pthread_mutex_lock(&own->lock);
    const int kept = near == own->kept;
    pthread_mutex_unlock(&own->lock);
    if (!kept) hsp__knn_free(near);
}

static hsp_status neighbors_prepare(hsp__scoring *scoring, hsp_context *ctx, uint64_t rows,
                                    uint64_t entries, hsp_error *err)
{
    (void)entries;
    return hsp__neighbors_index(ctx, scoring->model, rows, err, &scoring->near);
}

static hsp_status neighbors_score(hsp_context *quiet, const hsp__scoring *scoring,
                                  const hsp_view *view, hsp_error *err, double *scores)
{
    const hsp_allocator *memory = &quiet->allocator;
    const hsp_model *model = scoring->model;
    const hsp__neighbors *own = model->neighbors;
    const uint64_t k = own->k, most = k < NEIGHBORS_FOUND ? NEIGHBORS_FOUND / k : 1;
    const uint64_t step = most < view->rows ? most : view->rows;
    hsp__knn_vote tally = {0};
    hsp__neighbor *found = hsp__new_raw(memory, step * k, sizeof *found);
    hsp_status status = found ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hsp__knn_vote_init(&tally, memory, model->class_names.count, own->vote, err);
    for (uint64_t from = 0; !status && from < view->rows; from += step) {
        const uint64_t to = view->rows - from < step ? view->rows : from + step;
        const hsp_view some = hsp__view_slice(view, from, to);
        status = hsp__knn_find(quiet, scoring->near, &some, NULL, k, err, found);
        for (uint64_t i = 0; !status && i < some.rows; i++) {
            hsp__knn_vote_clear(&tally);
            for (const hsp__neighbor *one = found + i * k; one < found + (i + 1) * k; one++)
                hsp__knn_vote_add(&tally, own->labels[one->row], one->distance);
            hsp__knn_vote_scores(&tally, scores + (from + i) * model->scorers);
        }
    }
    hsp__knn_vote_free(&tally, memory);
    hsp__free(memory, found);
    return status;
}

/* ---- Looked at ------------------------------------------------------------------------------- */

int hsp_model_knn(const hsp_model *model, hsp_knn_report *out)
{
    if (!model || !out || !model->neighbors || hsp__report_check(out, "hsp_knn_report", NULL))
        return 0;
    const hsp__neighbors *own = model->neighbors;
    const hsp__knn_plan plan = {
        .metric = own->metric, .kind = own->index, .kernel = own->kernel, .k = own->k};
    const hsp_knn_report made = {.rows = own->rows->view.rows,
                                 .kernel = hsp_model_kernel(model),
                                 .k = own->k,
                                 .metric = hsp__metric_names[own->metric],
                                 .vote = hsp__vote_names[own->vote],
                                 .index = hsp__knn_name(hsp__knn_choose(&plan, &own->rows->view)),
                                 .index_chosen = own->index == HSP__KNN_AUTO,
                                 .tried = own->tried,
                                 .mistakes = own->mistakes};
    hsp__report_give(out, &made, sizeof made);
    return 1;
}

/* ---- Kept in files --------------------------------------------------------------------------- */

static hsp_status neighbors_check(hsp_context *ctx, const hsp_model *model, const char *file,
                                  hsp_error *err)
{
    const hsp__neighbors *near = model->neighbors;
    const int in_space = near && near->metric == HSP__METRIC_KERNEL;
    if (!near || !near->rows || in_space != (near->kernel != NULL))
        return hsp__check_fail(err, file,
                               "a model of neighbours without rows, or without its kernel");
    HSP__TRY(hsp__check_rows(ctx, model, near->rows, near->kernel, "neighbours", file, err));
    if (near->kernel && hsp__knn_check_kernel(near->kernel, NULL))
        return hsp__check_fail(err, file, "neighbours by a precomputed kernel");
    const uint64_t rows = near->rows->view.rows;
    if (!near->k || near->k > rows)
        return hsp__check_fail(err, file, "the %llu nearest of %llu rows",
                               (unsigned long long)near->k, (unsigned long long)rows);
    if (!hsp__check_below(near->labels, rows, model->class_names.count))
        return hsp__check_fail(err, file, "a row of a class that is not there");
    /* Rows are kept in the order of the data; none has the last number that there is. */
    for (uint64_t i = 0; near->source && i < rows; i++)
        if (near->source[i] == UINT64_MAX || (i && near->source[i] <= near->source[i - 1]))
            return hsp__check_fail(err, file,
                                   "the numbers of the neighbours' rows are out of order");
    if (!hsp__knn_fits(near->index, near->metric, &near->rows->view))
        return hsp__check_fail(err, file,
                               "the index %s does not serve these rows and their distance",
                               hsp__knn_name(near->index));
    if (near->tried >= rows)
        return hsp__check_fail(err, file, "the %llu nearest others of %llu rows",
                               (unsigned long long)near->tried, (unsigned long long)rows);
    for (uint64_t k = 0; k < near->tried; k++)
        if (near->mistakes[k] > rows)
            return hsp__check_fail(err, file,
                                   "more mistakes than rows with the %llu nearest left in",
                                   (unsigned long long)k + 1);
    return HSP_OK;
}

static void neighbors_put(hsp__model_writer *writer, const hsp_model *model)
{
    hsp__neighbors *near = model->neighbors;
    hsp__model_array list[HSP__MODEL_ARRAYS];
    hsp__model_put_count(writer, "neighbors.k", near->k);
    hsp__model_put(writer, "neighbors.metric", hsp__metric_names[near->metric]);
    hsp__model_put(writer, "neighbors.vote", hsp__vote_names[near->vote]);
    hsp__model_put(writer, "neighbors.index", hsp__knn_name(near->index));
    hsp__model_put_arrays(writer, list, neighbors_arrays(near, list));
    hsp__model_put_rows(writer, "neighbors", &near->rows->view);
}

static hsp_status neighbors_read(const hsp__container *file, hsp_model *model, hsp_kernel **kernel,
                                 hsp_error *err)
{
    hsp__neighbors *near = model->neighbors = neighbors_new(&model->memory);
    hsp__model_array list[HSP__MODEL_ARRAYS];
    const char *indexes[HSP__KNN_INVERTED + 1];
    int metric = 0, vote = 0, index = 0;
    if (!near || !(near->rows = hsp__data_new(&model->memory))) return hsp__fail_memory(err);
    near->kernel = *kernel, *kernel = NULL;
    for (int i = 0; i <= HSP__KNN_INVERTED; i++)
        indexes[i] = hsp__knn_name((hsp__knn_kind)i);
    HSP__TRY(hsp__metadata_count(file, "neighbors.k", UINT64_MAX, err, &near->k));
    HSP__TRY(hsp__metadata_word(file, "neighbors.metric", hsp__metric_names, HSP__METRIC_KERNEL + 1,
                                err, &metric));
    HSP__TRY(hsp__metadata_word(file, "neighbors.vote", hsp__vote_names, HSP__VOTE_DISTANCE + 1,
                                err, &vote));
    HSP__TRY(
        hsp__metadata_word(file, "neighbors.index", indexes, HSP__KNN_INVERTED + 1, err, &index));
    near->metric = (hsp__metric)metric;
    near->vote = (hsp__vote_rule)vote;
    near->index = (hsp__knn_kind)index;
    HSP__TRY(hsp__model_get_rows(file, "neighbors", model->features, &near->rows, err));
    return hsp__model_get_arrays(file, list, neighbors_arrays(near, list), err);
}

const hsp__hypothesis_type hsp__by_nearness = {
    .name = "neighbors",
    .votes = 1,
    .unmapped = "the probabilities of neighbours are shares of votes",
    .part = 1024,
    .free = neighbors_free,
    .check = neighbors_check,
    .put = neighbors_put,
    .read = neighbors_read,
    .prepare = neighbors_prepare,
    .score = neighbors_score};
