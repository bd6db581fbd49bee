/* Predicting a file to a file: blocks of rows are scored and printed by the workers that parsed
 * them, and written in their order. Memory: a few blocks, whatever the file's size. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/sized_report.h"
#include "base/text.h"
#include "data/output.h"
#include "data/stream.h"
#include "data/sweep.h"
#include "model/model.h"
#include "model/probability.h"

static const hsp_option predict_options[] = {
    {"scores", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also print the score; with more than two classes one per class (one-vs-one: votes and a "
     "fraction)"},
    {"distance", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also print the signed distance from the boundary (two classes, linear models)"},
    {"probability", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also print the probability of each class, in the order of the model's classes"},
    {"link", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|logistic|probit|step", NULL,
     "with --probability: link function; auto: the model's calibration or link"},
    {"threshold", HSP_OPTION_REAL, NULL, 0, 1, NULL, "P",
     "two classes: predict the second (positive) one when its probability is above P; without it, "
     "calibrated models predict the most probable class, others decide by the score"},
};

static const hsp_option_table predict_table = {"predict", "what a prediction prints",
                                               predict_options,
                                               sizeof predict_options / sizeof *predict_options};

const hsp_option_table *hsp_predict_options(void)
{
    return &predict_table;
}

typedef struct predict_worker {
    hsp__text text; /* the lines of the block at hand */
    void *scores;   /* rows * scorers of it */
    uint64_t scores_room;
    double *numbers; /* classes: of the row at hand, to be printed */
    uint64_t rows, ties, unknown;
} predict_worker;

typedef struct predict_job {
    hsp_context *ctx;
    const hsp_model *model;
    hsp__scoring scoring;
    int scores;           /* print them */
    int probability;      /* print them */
    hsp__probability map; /* the model's own, or the link and the threshold that were asked for */
    double length;        /* of the weights, to print distances by; 0: do not */
    const char *boundary; /* printed where no class is predicted */
    size_t widest;        /* of the names */
    hsp__output *output;
    predict_worker *workers;
    int count;
    hsp_prediction total;
} predict_job;

/* ---- One block ------------------------------------------------------------------------------- */

static char *predict_put_number(char *at, double number)
{
    *at++ = '\t';
    return at + hsp__decimal_print_f64(number, at);
}

static char *predict_put_scores(const hsp_model *model, const double *scores, double *numbers,
                                char *at)
{
    if (model->scorers == 1) return predict_put_number(at, scores[0]);
    hsp_model_class_scores(model, scores, numbers);
    for (uint32_t c = 0; c < model->class_names.count; c++)
        at = predict_put_number(at, numbers[c]);
    return at;
}

/* The line of one row. */
static char *predict_line(const predict_job *job, const double *scores, double *numbers, char *at,
                          int *tie)
{
    const hsp_model *model = job->model;
    const uint32_t chosen = hsp__decide_by(model, &job->map, scores);
    const char *name = job->boundary;
    size_t size = strlen(name);
    *tie = chosen == HSP_NO_CLASS;
    if (!*tie) {
        name = hsp__names_get(&model->class_names, chosen);
        size = hsp__names_size(&model->class_names, chosen);
    }
    memcpy(at, name, size);
    at += size;
    if (job->scores) at = predict_put_scores(model, scores, numbers, at);
    if (job->length > 0) at = predict_put_number(at, scores[0] / job->length);
    if (job->probability) {
        hsp__probabilities(model, &job->map, scores, numbers);
        for (uint32_t c = 0; c < model->class_names.count; c++)
            at = predict_put_number(at, numbers[c]);
    }
    *at++ = '\n';
    return at;
}

static hsp_status predict_work(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    const uint32_t scorers = job->model->scorers;
    const size_t each = job->model->class_names.count;
    const size_t numbers =
        (job->scores ? each : 0) + (job->probability ? each : 0) + (size_t)(job->length > 0);
    hsp_context quiet = hsp__quiet(job->ctx);
    if (!hsp__reserve(&quiet.allocator, &worker->scores, &worker->scores_room, rows->rows * scorers,
                      sizeof(double)))
        return hsp__fail_memory(err);
    worker->unknown = 0;
    hsp_status status =
        hsp__model_score_rows(&quiet, &job->scoring, rows, &worker->unknown, err, worker->scores);
    if (status) return status;
    worker->text.size = 0;
    char *at = hsp__text_room(&worker->text,
                              rows->rows * (job->widest + 1 + numbers * (1 + HSP__DECIMAL_MAX)));
    if (!at) return hsp__fail_memory(err);
    const double *scores = worker->scores;
    worker->rows = rows->rows;
    worker->ties = 0;
    for (uint64_t i = 0; i < rows->rows; i++) {
        int tie;
        at = predict_line(job, scores + i * scorers, worker->numbers, at, &tie);
        worker->ties += (uint64_t)tie;
    }
    worker->text.size = (size_t)(at - worker->text.data);
    return HSP_OK;
}

static hsp_status predict_take(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    (void)rows;
    job->total.rows += worker->rows;
    job->total.ties += worker->ties;
    job->total.unknown += worker->unknown;
    return hsp__output_write(job->output, worker->text.data, worker->text.size, err);
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* ||w||, of the weights that rows meet. */
static hsp_status predict_length(predict_job *job, hsp_error *err)
{
    const hsp_model *model = job->model;
    const uint64_t inputs = hsp__model_inputs(model);
    if (model->hypothesis == HSP__VOTES || model->neighbors || model->scorers != 1)
        return hsp__fail(err, HSP_USAGE, "distance: needs a linear model of two classes");
    if (model->hypothesis == HSP__EXPANSION) {
        hsp_status status = hsp__expansion_length(job->ctx, model, 0, err, &job->length);
        if (status || job->length > 0) return status;
        return hsp__fail(err, HSP_USAGE,
                         "distance: the norm of w in the kernel's feature space is 0");
    }
    hsp_view weights = hsp_view_dense(HSP_FLOAT64, 1, inputs, inputs, model->weights);
    hsp__row row = hsp__view_row(&weights, 0);
    job->length = hsp__row_norm(&weights, &row);
    if (job->length > 0 && isfinite(job->length)) return HSP_OK;
    return hsp__fail(err, HSP_USAGE, "distance: all weights are zero, so there is no boundary");
}

/* "0", or where that is a class's name the first of other words that is not. */
static const char *predict_boundary(const hsp__names *classes)
{
    static const char *const words[] = {"0", "boundary", "no class"};
    size_t i = 0;
    while (i < 2 && hsp__names_find(classes, words[i], strlen(words[i])) != HSP__NAME_NONE)
        i++;
    return words[i];
}

/* By the link that was asked for, or by the model's own map; and the threshold. */
static hsp_status predict_probability(predict_job *job, const hsp_options *options, hsp_error *err)
{
    const hsp_model *model = job->model;
    const hsp__link asked = hsp__link_of(hsp_options_text(options, "link"));
    const int threshold = hsp_options_is_set(options, "threshold");
    job->probability = hsp_options_flag(options, "probability");
    if (asked && !job->probability && !threshold)
        return hsp__fail_at(err, HSP_USAGE, "--link", 0, 0,
                            "--link needs --probability or --threshold");
    if (asked) job->map.link = asked;
    if (asked) job->map.calibration = HSP__CALIBRATION_NONE;
    if (!job->probability && !threshold) return HSP_OK;
    const char *asks = threshold ? "--threshold" : "--probability";
    if (hsp__probability_fits(model, &job->map)) {
        if (!threshold) return HSP_OK;
        return hsp__probability_set_threshold(model, &job->map,
                                              hsp_options_real(options, "threshold"), err);
    }
    if (model->neighbors)
        return hsp__fail_at(
            err, HSP_USAGE, "--link", 0, 0,
            "nearest-neighbour models have no link; their probabilities are shares of votes");
    if (model->hypothesis == HSP__VOTES)
        return hsp__fail_at(err, HSP_USAGE, asks, 0, 0,
                            "a voted model has no probabilities; train without --average vote, and "
                            "with --calibrate platt or isotonic");
    if (model->pairs)
        return hsp__fail_at(err, HSP_USAGE, asks, 0, 0,
                            "a one-vs-one model has probabilities only if it was trained with "
                            "--calibrate platt or isotonic");
    return hsp__fail_at(err, HSP_USAGE, asks, 0, 0,
                        "this model has no probabilities; train it with --calibrate platt or "
                        "isotonic, train logistic, or choose a --link");
}

static hsp_status predict_start(predict_job *job, const hsp_options *options, hsp_error *err)
{
    const hsp_allocator *memory = &job->ctx->allocator;
    const hsp__names *classes = &job->model->class_names;
    job->boundary = predict_boundary(classes);
    job->widest = strlen(job->boundary);
    for (uint32_t c = 0; c < classes->count; c++)
        if (hsp__names_size(classes, c) > job->widest) job->widest = hsp__names_size(classes, c);
    job->scores = options && hsp_options_flag(options, "scores");
    if (options && hsp_options_flag(options, "distance")) {
        hsp_status status = predict_length(job, err);
        if (status) return status;
    }
    hsp_status status = options ? predict_probability(job, options, err) : HSP_OK;
    if (!status)
        status =
            hsp__scoring_init(&job->scoring, job->ctx, job->model, UINT64_MAX, UINT64_MAX, err);
    if (status) return status;
    job->count = hsp_context_threads(job->ctx);
    job->workers = hsp__new(memory, (uint64_t)job->count, sizeof *job->workers);
    if (!job->workers) return hsp__fail_memory(err);
    for (int i = 0; i < job->count; i++)
        hsp__text_init(&job->workers[i].text, memory);
    for (int i = 0; i < job->count; i++) {
        job->workers[i].numbers = hsp__new(memory, classes->count, sizeof(double));
        if (!job->workers[i].numbers) return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* Rows come in the model's own order of sums where it has one. */
static hsp_status predict_run(predict_job *job, const char *path, const hsp_options *read,
                              hsp_error *err)
{
    static const hsp_storage storages[] = {
        [HSP__ORDER_DENSE] = HSP_DENSE, [HSP__ORDER_SPARSE] = HSP_SPARSE};
    const hsp_model *model = job->model;
    hsp__names classes;
    hsp__row_sink sink = {predict_work, predict_take, .unlabelled = 1};
    if (model->order != HSP__ORDER_ANY && !hsp__model_takes_whole(model))
        sink.storage = &storages[model->order];
    hsp__names_init(&classes, &job->ctx->allocator);
    hsp_status status =
        hsp__stream_read(job->ctx, path, read, model->encoding, &classes, &sink, job, err);
    hsp__names_free(&classes);
    return status;
}

hsp_status hsp_predict_file(hsp_context *ctx, const hsp_model *model, const char *path,
                            const hsp_options *read, const hsp_options *predict,
                            const char *out_path, hsp_error *err, hsp_prediction *out)
{
    HSP__NEED(err, ctx, model, path, out_path);
    HSP__REPORT(err, out, hsp_prediction);
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    predict_job job = {.ctx = &own, .model = model, .map = model->probability};
    hsp_status status = predict_start(&job, predict, err);
    if (!status) status = hsp__output_open(&own, out_path, err, &job.output);
    if (!status) status = predict_run(&job, path, read, err);
    if (!status) status = hsp__output_commit(job.output, err);
    hsp__output_free(job.output);
    for (int i = 0; job.workers && i < job.count; i++) {
        hsp__text_free(&job.workers[i].text);
        hsp__free(&ctx->allocator, job.workers[i].scores);
        hsp__free(&ctx->allocator, job.workers[i].numbers);
    }
    hsp__free(&ctx->allocator, job.workers);
    hsp__scoring_free(&job.scoring, ctx);
    if (!status) hsp__model_tell_unknown(ctx, model, job.total.unknown);
    if (!status) hsp__report_give(out, &job.total, sizeof job.total);
    return hsp__while(err, status, "predicting", path);
}
