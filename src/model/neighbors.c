/* Models of nearest neighbours: all training rows are kept. Prediction finds the k nearest rows
 * (src/knn) and lets them vote. Cost: what the index
 * makes of rows * queries distances; memory: the rows, one block of queries and their neighbours.
 *
 * E. Fix, J. Hodges, Discriminatory analysis, nonparametric discrimination (1951). T. Cover, P.
 * Hart, Nearest neighbor pattern classification, IEEE Transactions on Information Theory 13 (1967):
 * with ever more rows, the error of the nearest one's class is at most twice the least possible. */
#include "model/neighbors.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_report.h"

enum {
    NEIGHBORS_FEW = 16,        /* queries, of all calls so far, for which no index is built */
    NEIGHBORS_FOUND = 1 << 20, /* neighbours held at a time */
};
#define NEIGHBORS_LEAD \
    0x1p-60 /* a score that only says who was nearer; real ones are 2^-54 or more */

const char *const hsp__metric_names[] = {"l2", "l1", "linf", "cosine", "hamming", "kernel"};
const char *const hsp__vote_names[] = {"majority", "distance"};

/* ---- Made and unmade ------------------------------------------------------------------------- */

hsp__neighbors *hsp__neighbors_new(const hsp_allocator *memory)
{
    hsp__neighbors *neighbors = hsp__new(memory, 1, sizeof *neighbors);
    if (neighbors) pthread_mutex_init(&neighbors->lock, NULL);
    return neighbors;
}

void hsp__neighbors_free(const hsp_allocator *memory, hsp__neighbors *neighbors, int mapped)
{
    if (!neighbors) return;
    hsp__knn_free(neighbors->kept);
    pthread_mutex_destroy(&neighbors->lock);
    hsp_kernel_free(neighbors->kernel);
    hsp_data_free(neighbors->rows);
    if (!mapped) {
        hsp__free(memory, neighbors->labels);
        hsp__free(memory, neighbors->source);
        hsp__free(memory, neighbors->mistakes);
    }
    hsp__free(memory, neighbors);
}

hsp_status hsp__model_new_neighbors(hsp_context *ctx, uint32_t scorers, uint64_t features,
                                    hsp_data *rows, hsp_error *err, hsp_model **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(ctx, scorers, 0, err, &model);
    hsp__neighbors *neighbors = status ? NULL : hsp__neighbors_new(memory);
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

hsp_status hsp__knn_vote_init(hsp__knn_vote *ballot, const hsp_allocator *memory, uint32_t classes,
                              hsp__vote_rule vote, hsp_error *err)
{
    *ballot = (hsp__knn_vote){.classes = classes, .vote = vote};
    ballot->votes = hsp__new(memory, classes, sizeof *ballot->votes);
    ballot->nearest = hsp__new(memory, classes, sizeof *ballot->nearest);
    if (!ballot->votes || !ballot->nearest) {
        hsp__knn_vote_free(ballot, memory);
        return hsp__fail_memory(err);
    }
    hsp__knn_vote_clear(ballot);
    return HSP_OK;
}

void hsp__knn_vote_free(hsp__knn_vote *ballot, const hsp_allocator *memory)
{
    hsp__free(memory, ballot->votes);
    hsp__free(memory, ballot->nearest);
    ballot->votes = ballot->nearest = NULL;
}

void hsp__knn_vote_clear(hsp__knn_vote *ballot)
{
    for (uint32_t c = 0; c < ballot->classes; c++) {
        ballot->votes[c] = 0;
        ballot->nearest[c] = HUGE_VAL;
    }
    ballot->first = (double)NAN;
}

/* 1 / distance, times the distance of the nearest: shares stay the same, and nothing overflows.
 * Where even the nearest is at an infinite distance, all are, and equal. */
static double ballot_weight(const hsp__knn_vote *ballot, double distance)
{
    if (ballot->vote == HSP__VOTE_MAJORITY || distance == ballot->first) return 1;
    return ballot->first / distance;
}

void hsp__knn_vote_add(hsp__knn_vote *ballot, uint32_t class, double distance)
{
    if (isnan(ballot->first)) ballot->first = distance;
    ballot->votes[class] += ballot_weight(ballot, distance);
    ballot->nearest[class] = fmin(ballot->nearest[class], distance);
}

uint32_t hsp__knn_vote_winner(const hsp__knn_vote *ballot)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < ballot->classes; c++)
        if (ballot->votes[c] > ballot->votes[best] ||
            (ballot->votes[c] == ballot->votes[best] && ballot->nearest[c] < ballot->nearest[best]))
            best = c;
    return best;
}

void hsp__knn_vote_scores(const hsp__knn_vote *ballot, double *scores)
{
    const uint32_t winner = hsp__knn_vote_winner(ballot);
    const double *votes = ballot->votes;
    double all = 0;
    for (uint32_t c = 0; c < ballot->classes; c++)
        all += votes[c];
    if (ballot->classes == 2) {
        const double lead = (votes[1] - votes[0]) / all;
        scores[0] = lead > 0 || lead < 0 ? lead : winner ? NEIGHBORS_LEAD : -NEIGHBORS_LEAD;
        return;
    }
    const double most = votes[winner] / all, below = nextafter(most, 0);
    for (uint32_t c = 0; c < ballot->classes; c++)
        scores[c] = c == winner ? most : fmin(votes[c] / all, below);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

hsp_status hsp__neighbors_index(hsp_context *ctx, const hsp_model *model, uint64_t rows,
                                hsp_error *err, hsp__knn_index **out)
{
    hsp__neighbors *own = model->neighbors;
    hsp__knn_plan plan = {own->metric, own->index, own->kernel};
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

static void neighbors_vote(const hsp_model *model, hsp__knn_vote *ballot,
                           const hsp__neighbor *found, double *scores)
{
    const hsp__neighbors *own = model->neighbors;
    hsp__knn_vote_clear(ballot);
    for (uint64_t r = 0; r < own->k; r++)
        hsp__knn_vote_add(ballot, own->labels[found[r].row], found[r].distance);
    hsp__knn_vote_scores(ballot, scores);
}

hsp_status hsp__neighbors_score(hsp_context *quiet, const hsp_model *model,
                                const hsp__knn_index *near, const hsp_view *view, hsp_error *err,
                                double *scores)
{
    const hsp_allocator *memory = &quiet->allocator;
    const uint64_t k = model->neighbors->k, most = k < NEIGHBORS_FOUND ? NEIGHBORS_FOUND / k : 1;
    const uint64_t step = most < view->rows ? most : view->rows;
    hsp__knn_vote ballot = {0};
    hsp__neighbor *found = hsp__new_raw(memory, step * k, sizeof *found);
    hsp_status status = found ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hsp__knn_vote_init(&ballot, memory, model->class_names.count,
                                    model->neighbors->vote, err);
    for (uint64_t from = 0; !status && from < view->rows; from += step) {
        const uint64_t to = view->rows - from < step ? view->rows : from + step;
        const hsp_view some = hsp__view_slice(view, from, to);
        status = hsp__knn_find(quiet, near, &some, NULL, k, err, found);
        for (uint64_t i = 0; !status && i < some.rows; i++)
            neighbors_vote(model, &ballot, found + i * k, scores + (from + i) * model->scorers);
    }
    hsp__knn_vote_free(&ballot, memory);
    hsp__free(memory, found);
    return status;
}

/* ---- Looked at ------------------------------------------------------------------------------- */

int hsp_model_knn(const hsp_model *model, hsp_knn_report *out)
{
    if (!model || !out || !model->neighbors || hsp__report_check(out, "hsp_knn_report", NULL))
        return 0;
    const hsp__neighbors *own = model->neighbors;
    const hsp__knn_plan plan = {own->metric, own->index, own->kernel};
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

static hsp_status neighbors_find(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                 uint64_t k, hsp_error *err, hsp__neighbor *found)
{
    hsp__knn_index *near = NULL;
    hsp_data *scaled = NULL;
    hsp_status status = hsp__model_scale(ctx, model, view, err, &scaled);
    if (!status) status = hsp__neighbors_index(ctx, model, view->rows, err, &near);
    if (!status)
        status = hsp__knn_find(ctx, near, scaled ? &scaled->view : view, NULL, k, err, found);
    hsp__neighbors_index_done(model, near);
    hsp_data_free(scaled);
    return status;
}

hsp_status hsp__neighbors_check(const hsp_model *model, uint64_t *k, hsp_error *err)
{
    const hsp__neighbors *own = model->neighbors;
    if (!own)
        return hsp__fail(
            err, HSP_USAGE,
            "the model is %s; neighbours need a k-nearest-neighbours model (train knn)",
            hsp_model_hypothesis(model));
    if (!*k) *k = own->k;
    if (*k <= own->rows->view.rows) return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, "--k", 0, 0, "found %llu, but the model has %llu rows",
                        (unsigned long long)*k, (unsigned long long)own->rows->view.rows);
}

hsp_neighbor hsp__neighbors_public(const hsp_model *model, const hsp__neighbor *found)
{
    const hsp__neighbors *own = model->neighbors;
    return (hsp_neighbor){.row = own->source ? own->source[found->row] : found->row,
                          .distance = found->distance,
                          .class_index = own->labels[found->row]};
}

hsp_status hsp_model_neighbors(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                               uint64_t k, hsp_error *err, hsp_neighbor *out)
{
    HSP__NEED(err, ctx, model, view, out);
    hsp_status status = hsp__neighbors_check(model, &k, err);
    if (!status) status = hsp__view_check_finite(view, 0, view->rows, err);
    if (status) return status;
    hsp__neighbor *found = view->rows <= UINT64_MAX / k
                               ? hsp__new_raw(&ctx->allocator, view->rows * k, sizeof *found)
                               : NULL;
    if (!found) return hsp__fail_memory(err);
    status = neighbors_find(ctx, model, view, k, err, found);
    for (uint64_t i = 0; !status && i < view->rows * k; i++)
        out[i] = hsp__neighbors_public(model, &found[i]);
    hsp__free(&ctx->allocator, found);
    return status;
}
