/* The voted perceptron's prediction (Freund and Schapire 1999). The run left a sequence of
 * separators; separator t survived c_t examples, and votes for sign(<w_t, x> + b_t) with weight
 * c_t.
 *
 * Separator t is the sum of the updates up to t, so its score is the running sum of
 * amount * <row, x> + offset (of a model with a kernel: amount * k(row, x) + offset): one product
 * with each distinct row that was used, then one addition an update. No weight vector is ever
 * rebuilt. One-vs-rest runs vote apart: each for or against its class. Cost: the non-zeros of the
 * distinct rows, and the updates. */
#include "base/base.h"
#include "data/container.h"
#include "model/hypothesis.h"

enum { VOTES_ROWS = 64 }; /* rows at a time whose kernel values with all support rows are kept */

/* Add `weight` votes for the class of the running scores. */
static void votes_cast(const hsp_model *model, const double *running, double weight, double *scores)
{
    uint32_t chosen = hsp__decide(running, model->scorers, model->tie);
    if (chosen == HSP_NO_CLASS) return;
    if (model->scorers == 1)
        scores[0] += chosen ? weight : -weight;
    else
        scores[chosen] += weight;
}

/* 1, -1 or (tie zero) 0: what a scorer on its own says. */
static double votes_sign(const hsp_model *model, double score)
{
    const uint32_t chosen = hsp__decide(&score, 1, model->tie);
    return chosen == HSP_NO_CLASS ? 0 : chosen ? 1 : -1;
}

/* Each scorer on its own. A sign that turns after `now` votes: those before it were the old one's,
 * those from there on will be the new one's, so what is noted is (old - new) * now; all votes of
 * the last sign come at the end. Whole numbers, so the sums are exact. */
static void votes_tally_each(const hsp_model *model, const double *dots, double *running,
                             double *scores)
{
    const hsp__votes *votes = model->votes;
    double now = (double)votes->at_zero;
    for (uint64_t t = 0; t < votes->steps; t++) {
        for (uint64_t u = votes->first[t]; u < votes->first[t + 1]; u++) {
            const uint32_t c = votes->scorer[u];
            const double before = votes_sign(model, running[c]);
            running[c] += votes->amount[u] * dots[votes->support[u]] + votes->offset[u];
            scores[c] += (before - votes_sign(model, running[c])) * now;
        }
        now += (double)votes->survived[t];
    }
    for (uint32_t c = 0; c < model->scorers; c++) {
        scores[c] += votes_sign(model, running[c]) * now;
        if (now > 0) scores[c] /= now;
    }
}

/* The votes of every separator of a run on one row x, from <row, x>, or k(row, x), of each of
 * votes->rows: the share of votes for each class, or for two classes (votes for the second less
 * votes for the first) / all. `running` (scorers) is scratch. */
static void votes_tally(const hsp_model *model, const double *dots, double *running, double *scores)
{
    const hsp__votes *votes = model->votes;
    double total = (double)votes->at_zero;
    memset(running, 0, model->scorers * sizeof *running);
    memset(scores, 0, model->scorers * sizeof *scores);
    if (votes->apart) {
        votes_tally_each(model, dots, running, scores);
        return;
    }
    votes_cast(model, running, total, scores);
    for (uint64_t t = 0; t < votes->steps; t++) {
        for (uint64_t u = votes->first[t]; u < votes->first[t + 1]; u++)
            running[votes->scorer[u]] +=
                votes->amount[u] * dots[votes->support[u]] + votes->offset[u];
        votes_cast(model, running, (double)votes->survived[t], scores);
        total += (double)votes->survived[t];
    }
    for (uint32_t k = 0; total > 0 && k < model->scorers; k++)
        scores[k] /= total;
}

static hsp_status votes_prepare(hsp__scoring *scoring, hsp_context *ctx, uint64_t rows,
                                uint64_t entries, hsp_error *err)
{
    const hsp__votes *votes = scoring->model->votes;
    (void)rows, (void)entries;
    return votes->kernel
               ? hsp__support_init(&scoring->support, ctx, votes->kernel, votes->rows, NULL, err)
               : HSP_OK;
}

/* In the feature space of a kernel: some rows at a time. */
static hsp_status votes_score_kernel(hsp_context *quiet, const hsp__scoring *scoring,
                                     const hsp_view *view, hsp_error *err, double *scores)
{
    const hsp_model *model = scoring->model;
    const hsp__support *support = &scoring->support;
    const uint64_t all = support->rows->view->rows;
    const uint64_t most = view->rows < VOTES_ROWS ? view->rows : VOTES_ROWS;
    hsp__scratch memory = {.memory = &quiet->allocator};
    hsp__guests guests = {.rows = NULL};
    double *values = hsp__scratch_raw(&memory, most * all, sizeof *values);
    double *running = hsp__scratch_new(&memory, model->scorers, sizeof *running);
    hsp_status status = memory.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = hsp__guests_init(&guests, quiet, support, view, err);
    for (uint64_t from = 0; !status && from < view->rows; from += VOTES_ROWS) {
        const uint64_t left = view->rows - from, count = left < VOTES_ROWS ? left : VOTES_ROWS;
        status =
            hsp__support_values(quiet, support, &guests, from, count, 0, all, values, all, err);
        for (uint64_t i = 0; !status && i < count && !hsp__tick(quiet); i++)
            votes_tally(model, values + i * all, running, scores + (from + i) * model->scorers);
        if (!status) status = hsp__stop_status(quiet, err);
    }
    hsp__guests_free(&guests, quiet);
    hsp__scratch_free(&memory);
    return status;
}

static hsp_status votes_score(hsp_context *quiet, const hsp__scoring *scoring, const hsp_view *view,
                              hsp_error *err, double *scores)
{
    const hsp_model *model = scoring->model;
    const hsp_view *rows = &model->votes->rows->view;
    if (model->votes->kernel) return votes_score_kernel(quiet, scoring, view, err, scores);
    hsp__scratch memory = {.memory = &quiet->allocator};
    double *x = hsp__scratch_new(&memory, model->features, sizeof *x);
    double *dots = hsp__scratch_new(&memory, rows->rows, sizeof *dots);
    double *running = hsp__scratch_new(&memory, model->scorers, sizeof *running);
    hsp_status status = memory.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < view->rows; i++, scores += model->scorers) {
        hsp__row row = hsp__view_row(view, i);
        if (hsp__tick(quiet)) status = hsp__stop_status(quiet, err);
        for (uint64_t k = 0; k < row.count; k++)
            x[hsp__row_column(&row, k)] = hsp__row_value(view, &row, k);
        for (uint64_t r = 0; r < rows->rows; r++)
            dots[r] = hsp__row_score(rows, r, x, 0);
        votes_tally(model, dots, running, scores);
        for (uint64_t k = 0; k < row.count; k++)
            x[hsp__row_column(&row, k)] = 0;
    }
    hsp__scratch_free(&memory);
    return status;
}

/* ---- Kept in files --------------------------------------------------------------------------- */

static size_t votes_arrays(hsp__votes *votes, hsp__model_array *list)
{
    const hsp__model_array all[] = {
        {"votes.support", HSP__U32, (void *)&votes->support, .count = &votes->updates, .sets = 1},
        {"votes.scorer", HSP__U32, (void *)&votes->scorer, .count = &votes->updates},
        {"votes.amount", HSP__F64, (void *)&votes->amount, .count = &votes->updates},
        {"votes.offset", HSP__F64, (void *)&votes->offset, .count = &votes->updates},
        {"votes.survived", HSP__U64, (void *)&votes->survived, .count = &votes->steps, .sets = 1},
        {"votes.first", HSP__U64, (void *)&votes->first, .count = &votes->steps, .more = 1}};
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void votes_free(hsp_model *model, int mapped)
{
    hsp__votes *votes = model->votes;
    hsp__model_array list[HSP__MODEL_ARRAYS];
    if (!votes) return;
    hsp_data_free(votes->rows);
    hsp_kernel_free(votes->kernel);
    if (!mapped) hsp__arrays_free(&model->memory, list, votes_arrays(votes, list));
    hsp__free(&model->memory, votes);
}

static hsp_status votes_check(hsp_context *ctx, const hsp_model *model, const char *file,
                              hsp_error *err)
{
    const hsp__votes *votes = model->votes;
    if (!votes || !votes->rows) return hsp__check_fail(err, file, "a model of votes without votes");
    HSP__TRY(hsp__check_rows(ctx, model, votes->rows, votes->kernel, "votes", file, err));
    if (votes->apart && model->scorers < 2)
        return hsp__check_fail(err, file, "votes apart of a model with one scorer");
    if (!hsp__check_below(votes->support, votes->updates, votes->rows->view.rows))
        return hsp__check_fail(err, file, "a vote about a row that is not there");
    if (!hsp__check_below(votes->scorer, votes->updates, model->scorers))
        return hsp__check_fail(err, file, "a vote about a scorer that is not there");
    if (!hsp__check_finite(votes->amount, votes->updates) ||
        !hsp__check_finite(votes->offset, votes->updates))
        return hsp__check_fail(err, file, "a number of a vote is not finite");
    /* The steps cut the updates into runs: from the first to the last, none twice. */
    int rising = votes->first[0] == 0 && votes->first[votes->steps] == votes->updates;
    for (uint64_t t = 0; rising && t < votes->steps; t++)
        rising = votes->first[t] <= votes->first[t + 1];
    return rising ? HSP_OK : hsp__check_fail(err, file, "the steps of the votes are out of order");
}

static const char *const votes_flags[] = {"no", "yes"};

static void votes_put(hsp__model_writer *writer, const hsp_model *model)
{
    hsp__model_array list[HSP__MODEL_ARRAYS];
    hsp__model_put_count(writer, "votes.at_zero", model->votes->at_zero);
    if (model->votes->apart) hsp__model_put(writer, "votes.apart", votes_flags[1]);
    hsp__model_put_arrays(writer, list, votes_arrays(model->votes, list));
    hsp__model_put_rows(writer, "votes", &model->votes->rows->view);
}

static hsp_status votes_read(const hsp__container *file, hsp_model *model, hsp_kernel **kernel,
                             hsp_error *err)
{
    hsp__votes *votes = model->votes = hsp__new(&model->memory, 1, sizeof *votes);
    hsp__model_array list[HSP__MODEL_ARRAYS];
    if (!votes || !(votes->rows = hsp__data_new(&model->memory))) return hsp__fail_memory(err);
    votes->kernel = *kernel, *kernel = NULL;
    HSP__TRY(hsp__metadata_count(file, "votes.at_zero", UINT64_MAX, err, &votes->at_zero));
    if (hsp__container_meta(file, "votes.apart"))
        HSP__TRY(hsp__metadata_word(file, "votes.apart", votes_flags, 2, err, &votes->apart));
    HSP__TRY(hsp__model_get_arrays(file, list, votes_arrays(votes, list), err));
    return hsp__model_get_rows(file, "votes", model->features, &votes->rows, err);
}

const hsp__hypothesis_type hsp__voted = {.name = "votes",
                                         .has_weights = 1,
                                         .votes = 1,
                                         .unmapped = "votes have no probabilities",
                                         .part = 256,
                                         .free = votes_free,
                                         .check = votes_check,
                                         .put = votes_put,
                                         .read = votes_read,
                                         .prepare = votes_prepare,
                                         .score = votes_score};
