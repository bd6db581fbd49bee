/* A small data set whose perceptron run was worked out on paper, and the check of a run against it.
 *
 * A problem writes down every update: who was wrong, with what score, and the separator after it.
 * The check trains to the end, then again with max-updates 1, 2, 3, ..., so that each line of the
 * paper is compared with the library's separator of that moment, bit for bit (the numbers are small
 * whole ones, or a few binary places; there is nothing to round). Dense and sparse rows, both
 * precisions, one thread and two: all must give the paper's numbers. */
#ifndef HSP_TESTS_PROBLEMS_PROBLEM_H
#define HSP_TESTS_PROBLEMS_PROBLEM_H

#include <halfspace_all.h>

#include "check.h"
#include "options.h"

enum { PROBLEM_COLS = 5, PROBLEM_OPTIONS = 8 };

/* One update: in which pass (0: the paper does not say), by which example (from 1), its score
 * before the update, and the separator after it. */
typedef struct update {
    int pass, example;
    double score;
    double w[PROBLEM_COLS];
    double b;
} update;

typedef struct problem {
    const char *name; /* as a file's: its ending says the format */
    const char *text;
    const char *options[PROBLEM_OPTIONS]; /* "name=value", ended by NULL */
    const update *updates;
    int count;
    uint64_t passes; /* 0: the paper does not say */
    hsp_stop stop;
    uint64_t mistakes_last_pass;
    double training_error; /* of the last separator */
} problem;

typedef struct outcome {
    hsp_context *ctx;
    hsp_data *data;
    hsp_training run;
    hsp_model *model;
} outcome;

static inline void outcome_free(outcome *o)
{
    hsp_model_free(o->model);
    hsp_data_free(o->data);
    hsp_context_free(o->ctx);
}

/* Set "name=value" words, ended by NULL. */
static inline hsp_status problem_set(hsp_options *options, const char *const *words, hsp_error *err)
{
    hsp_status status = HSP_OK;
    for (; !status && *words; words++)
        status = test_options_set(options, *words, err);
    return status;
}

static inline hsp_status problem_read(outcome *o, const char *name, const char *text,
                                      const char *const *how, hsp_error *err)
{
    hsp_options *read = NULL;
    hsp_status status = hsp_options_new(o->ctx, hsp_read_options(), err, &read);
    if (!status) status = problem_set(read, how, err);
    if (!status)
        status = hsp_data_parse(o->ctx, text, strlen(text), name, read, NULL, err, &o->data);
    hsp_options_free(read);
    return status;
}

/* Read and train; `most` updates at most, 0 for any number. */
static inline hsp_status problem_run(const char *name, const char *text, const char *const *how,
                                     int threads, const char *const *words, int most,
                                     hsp_error *err, outcome *o)
{
    hsp_options *options = NULL;
    char limit[32];
    const char *extra[] = {limit, NULL};
    snprintf(limit, sizeof limit, "max-updates=%d", most);
    *o = (outcome){.run.size = sizeof o->run};
    if (hsp_context_new(NULL, &o->ctx) != HSP_OK) return HSP_NO_MEMORY;
    hsp_context_set_threads(o->ctx, threads);
    hsp_status status = problem_read(o, name, text, how, err);
    if (!status) status = hsp_options_new(o->ctx, hsp_learner_find("perceptron"), err, &options);
    if (!status) status = problem_set(options, words, err);
    if (!status && most) status = problem_set(options, extra, err);
    if (!status) status = hsp_train(o->ctx, o->data, options, err, &o->run, &o->model);
    hsp_options_free(options);
    return status;
}

/* The score that a model gives to a row of its training data. */
static inline double problem_score(const outcome *o, uint64_t row)
{
    double scores[64] = {0};
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(o->ctx, o->data, NULL, &view) == HSP_OK && view->rows <= 64);
    CHECK(hsp_model_score(o->ctx, o->model, view, NULL, scores, NULL) == HSP_OK);
    return scores[row];
}

/* The separator after update k (from 1) and all that the paper says about it. `before`: the run
 * that stopped one update earlier, NULL for the zero separator. */
static inline void problem_check_update(const problem *p, int k, const outcome *before,
                                        const outcome *o)
{
    const update *u = &p->updates[k - 1];
    const double *w = hsp_model_weights(o->model, 0);
    const double score = before ? problem_score(before, (uint64_t)u->example - 1) : 0;
    CHECK_NOTE(score == u->score, "%s, update %d: score %g", p->name, k, score);
    CHECK_NOTE(o->run.updates == (uint64_t)k, "%s, update %d", p->name, k);
    CHECK_NOTE(!u->pass || o->run.passes == (uint64_t)u->pass, "%s, update %d: pass %llu", p->name,
               k, (unsigned long long)o->run.passes);
    CHECK(o->run.stop == HSP_STOP_UPDATES);
    for (uint64_t j = 0; j < hsp_model_features(o->model); j++)
        CHECK_NOTE(w[j] == u->w[j], "%s, update %d: w[%d] is %g", p->name, k, (int)j, w[j]);
    CHECK_NOTE(hsp_model_offset(o->model, 0) == u->b, "%s, update %d: b is %g", p->name, k,
               hsp_model_offset(o->model, 0));
}

/* The model says how often each row was added: so must the paper. */
static inline void problem_check_counts(const problem *p, const outcome *o)
{
    double paper[64] = {0};
    const hsp_view *view = NULL;
    const hsp_row_coefficients said = hsp_model_row_coefficients(o->model);
    CHECK(hsp_data_view(o->ctx, o->data, NULL, &view) == HSP_OK && view->rows <= 64);
    for (int k = 0; k < p->count; k++) {
        int row = p->updates[k].example - 1;
        paper[row] += view->labels[row] ? 1 : -1;
    }
    for (uint64_t i = 0; i < said.count; i++)
        paper[said.row[i]] -= said.amount[i];
    for (int row = 0; row < 64; row++)
        CHECK_NOTE(paper[row] == 0, "%s: example %d, off by %g", p->name, row + 1, paper[row]);
}

static inline void problem_check_end(const problem *p, const outcome *o)
{
    CHECK_NOTE(o->run.updates == (uint64_t)p->count, "%s: %llu updates", p->name,
               (unsigned long long)o->run.updates);
    CHECK_NOTE(!p->passes || o->run.passes == p->passes, "%s: %llu passes", p->name,
               (unsigned long long)o->run.passes);
    CHECK_NOTE(o->run.stop == p->stop, "%s: stop %d", p->name, (int)o->run.stop);
    CHECK_NOTE(o->run.mistakes_last_pass == p->mistakes_last_pass, "%s: %llu in the last pass",
               p->name, (unsigned long long)o->run.mistakes_last_pass);
    CHECK_NOTE(o->run.training_error == p->training_error, "%s: training error %g", p->name,
               o->run.training_error);
    const update *last = &p->updates[p->count - 1];
    for (uint64_t j = 0; j < hsp_model_features(o->model); j++)
        CHECK(hsp_model_weights(o->model, 0)[j] == last->w[j]);
    CHECK(hsp_model_offset(o->model, 0) == last->b);
}

static inline void problem_check(const problem *p)
{
    static const char *const ways[][3] = {{"storage=dense", "precision=single", NULL},
                                          {"storage=sparse", "precision=single", NULL},
                                          {"storage=dense", "precision=double", NULL},
                                          {"storage=sparse", "precision=double", NULL}};
    for (int way = 0; way < 4; way++)
        for (int threads = 1; threads <= 2; threads++) {
            hsp_error err = {0};
            outcome before = {0}, now = {0};
            hsp_status status =
                problem_run(p->name, p->text, ways[way], threads, p->options, 0, &err, &now);
            CHECK_NOTE(status == HSP_OK, "%s: %s", p->name, err.message);
            if (status == HSP_OK) problem_check_end(p, &now), problem_check_counts(p, &now);
            outcome_free(&now);
            for (int k = 1; status == HSP_OK && k <= p->count; k++) {
                status =
                    problem_run(p->name, p->text, ways[way], threads, p->options, k, &err, &now);
                CHECK_NOTE(status == HSP_OK, "%s: %s", p->name, err.message);
                if (status == HSP_OK) problem_check_update(p, k, k > 1 ? &before : NULL, &now);
                outcome_free(&before);
                before = now;
            }
            outcome_free(&before);
        }
}

/* Count updates where they are listed. */
#define UPDATES(list) .updates = (list), .count = (int)(sizeof(list) / sizeof(list)[0])

#endif
