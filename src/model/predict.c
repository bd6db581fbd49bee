/* Predicting a file to a file: blocks of rows are scored and printed by the workers that parsed
 * them, and written in their order. Memory: a few blocks, whatever the file's size.
 *
 * Ranks (base/ranks.h) all read the file. Where a score costs much more than reading its row, each
 * scores and prints its part of every block's rows, and rank 0 writes them. */
#include <sys/stat.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/options.h"
#include "base/ranks.h"
#include "base/sized_report.h"
#include "base/text.h"
#include "data/blocks.h"
#include "data/output.h"
#include "data/stream.h"
#include "data/sweep.h"
#include "model/answers.h"
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
    {"link", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|logistic|probit|step|softmax", NULL,
     "with --probability: link function; auto: the model's calibration or link"},
    {"threshold", HSP_OPTION_REAL, NULL, 0, 1, NULL, "P",
     "two classes: predict the second (positive) one when its probability is above P; without it, "
     "calibrated models predict the most probable class, others decide by the score"},
    HSP__CHOICE(
        "output-format", "plain", "plain|csv|tsv|json|libsvm",
        "plain: the class and the requested columns, separated by tabs; csv, tsv: a table with "
        "a header; json: one object per line; libsvm: as svm-predict writes. Without "
        "--scores, --distance and --probability, csv, tsv and json have the score and, if "
        "the model has them, the probabilities"),
    HSP__FLAG("line-buffered",
              "pipe input: answer each row at once. Without it, a model as train writes it waits a "
              "millisecond for more rows"),
    HSP__LIST("keep", "COLUMN[,COLUMN...]",
              "CSV input, output as csv, tsv or json: copy these columns to the output, before the "
              "prediction"),
};

static const hsp_option_table predict_table = {"predict", "what a prediction prints",
                                               predict_options,
                                               sizeof predict_options / sizeof *predict_options};

const hsp_option_table *hsp_predict_options(void)
{
    return &predict_table;
}

typedef struct predict_worker {
    hsp__text text; /* the lines of the block at hand; none before its work */
    uint64_t *ends; /* of each row's answer in it, if rows may be bad */
    uint64_t ends_room;
    void *scores; /* rows * scorers of it */
    uint64_t scores_room;
    double *numbers; /* 2 * classes: scores and probabilities of the row at hand */
    hsp__answer_text cells;
    const uint64_t *lines; /* of the block's rows in its text */
    hsp__text record;      /* that cannot be read */
    uint64_t rows, ties, unknown;
    hsp_status status; /* with ranks: what became of this rank's part of the block, ... */
    hsp_error err;     /* ... and why */
} predict_worker;

typedef struct predict_job {
    hsp_context *ctx;
    const hsp_model *model;
    hsp__scoring scoring;
    hsp__answers answers; /* the columns of what is written */
    hsp__probability map; /* the model's own, or the link and the threshold that were asked for */
    double length;        /* of the weights, to print distances by; 0: do not */
    const char *boundary; /* printed where no class is predicted */
    size_t widest;        /* of the names */
    int line_buffered;    /* no row waits for others */
    hsp__text head;       /* before the first answer */
    hsp__output *output;
    predict_worker *workers;
    int count;
    const hsp_ranks *ranks; /* that score a part each; NULL: this process scores all */
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

/* The name of the class of a row; on the boundary, *tie and another word. */
static const char *predict_class(const predict_job *job, const double *scores, size_t *size,
                                 int *tie)
{
    const hsp__names *classes = &job->model->class_names;
    const uint32_t chosen = hsp__decide_by(job->model, &job->map, scores);
    *tie = chosen == HSP_NO_CLASS;
    *size = *tie ? strlen(job->boundary) : hsp__names_size(classes, chosen);
    return *tie ? job->boundary : hsp__names_get(classes, chosen);
}

/* The plain line of one row. */
static char *predict_line(const predict_job *job, const double *scores, double *numbers, char *at,
                          int *tie)
{
    const hsp_model *model = job->model;
    size_t size;
    const char *name = predict_class(job, scores, &size, tie);
    memcpy(at, name, size);
    at += size;
    if (job->answers.scores) at = predict_put_scores(model, scores, numbers, at);
    if (job->length > 0) at = predict_put_number(at, scores[0] / job->length);
    if (job->answers.probability) {
        hsp__probabilities(model, &job->map, scores, numbers);
        for (uint32_t c = 0; c < model->class_names.count; c++)
            at = predict_put_number(at, numbers[c]);
    }
    *at++ = '\n';
    return at;
}

/* Plain lines of all rows. */
static hsp_status predict_plain(const predict_job *job, predict_worker *worker, uint64_t rows,
                                hsp_error *err)
{
    const hsp__answers *answers = &job->answers;
    const size_t each = job->model->class_names.count;
    const size_t numbers = (answers->scores ? each : 0) + (answers->probability ? each : 0) +
                           (size_t)(job->length > 0);
    char *at =
        hsp__text_room(&worker->text, rows * (job->widest + 1 + numbers * (1 + HSP__DECIMAL_MAX)));
    if (!at) return hsp__fail_memory(err);
    const double *scores = worker->scores;
    for (uint64_t i = 0; i < rows; i++, scores += job->model->scorers) {
        int tie;
        at = predict_line(job, scores, worker->numbers, at, &tie);
        worker->ties += (uint64_t)tie;
        if (answers->errors) worker->ends[i] = (uint64_t)(at - worker->text.data);
    }
    worker->text.size = (size_t)(at - worker->text.data);
    return HSP_OK;
}

/* Answers of all rows in another format. */
static hsp_status predict_formatted(const predict_job *job, predict_worker *worker, uint64_t rows,
                                    hsp_error *err)
{
    const hsp_model *model = job->model;
    const hsp__answers *answers = &job->answers;
    const double *scores = worker->scores;
    double *probabilities = worker->numbers + model->class_names.count;
    for (uint64_t i = 0; i < rows; i++, scores += model->scorers) {
        int tie;
        hsp__answer answer = {.scores = scores, .probabilities = probabilities};
        answer.label = predict_class(job, scores, &answer.label_size, &tie);
        worker->ties += (uint64_t)tie;
        if (answers->scores > 1) hsp_model_class_scores(model, scores, worker->numbers);
        if (answers->scores > 1) answer.scores = worker->numbers;
        if (answers->distance) answer.distance = scores[0] / job->length;
        if (answers->probability) hsp__probabilities(model, &job->map, scores, probabilities);
        if (worker->lines)
            HSP__TRY(hsp__answers_cells(&job->ctx->allocator, answers, &worker->cells,
                                        worker->lines[i], err));
        hsp__answers_put(answers, &worker->cells, &answer, &worker->text);
        if (answers->errors) worker->ends[i] = worker->text.size;
    }
    return worker->text.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status predict_work(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    const uint32_t scorers = job->model->scorers;
    hsp_context quiet = hsp__quiet(job->ctx);
    if (!hsp__reserve(&quiet.allocator, &worker->scores, &worker->scores_room, rows->rows * scorers,
                      sizeof(double)))
        return hsp__fail_memory(err);
    if (job->answers.errors && !hsp__reserve(&quiet.allocator, &worker->ends, &worker->ends_room,
                                             rows->rows, sizeof *worker->ends))
        return hsp__fail_memory(err);
    worker->unknown = worker->ties = 0;
    worker->rows = rows->rows;
    worker->text.size = 0;
    HSP__TRY(
        hsp__model_score_rows(&quiet, &job->scoring, rows, &worker->unknown, err, worker->scores));
    return job->answers.kind == HSP__ANSWER_PLAIN ? predict_plain(job, worker, rows->rows, err)
                                                  : predict_formatted(job, worker, rows->rows, err);
}

/* This rank's part of it. */
static hsp_status predict_part(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    const uint64_t count = (uint64_t)job->ranks->count, rank = (uint64_t)job->ranks->rank;
    const uint64_t from = hsp__part(rows->rows, count, rank);
    const hsp_view some = hsp__view_slice(rows, from, hsp__part(rows->rows, count, rank + 1));
    const uint64_t *lines = worker->lines;
    if (lines) worker->lines += from;
    worker->status = predict_work(job, number, &some, &worker->err);
    worker->lines = lines;
    (void)err;
    return HSP_OK; /* predict_gather tells the others */
}

/* The parts of all ranks: their lines on rank 0, their counts on all. */
static hsp_status predict_gather(predict_job *job, int number, const hsp_view *rows, hsp_error *err)
{
    predict_worker *worker = &job->workers[number];
    const hsp_ranks *ranks = job->ranks;
    const hsp_status status = hsp__ranks_agree(ranks, worker->status, &worker->err);
    if (status) { /* all rows once more, as one process does: now it says why */
        HSP__TRY(predict_work(job, number, rows, err));
        if (err) *err = worker->err;
        return status;
    }
    const uint64_t mine[] = {worker->text.size, worker->ties, worker->unknown};
    uint64_t all[HSP__BLOCKS][3], to[HSP__BLOCKS + 1], from[HSP__BLOCKS + 1] = {0};
    hsp__text text;
    hsp__ranks_gather(ranks, mine, sizeof mine, all);
    worker->rows = rows->rows;
    worker->ties = worker->unknown = to[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        to[r + 1] = worker->text.size;
        from[r + 1] = ranks->rank ? 0 : from[r] + all[r][0];
        worker->ties += all[r][1];
        worker->unknown += all[r][2];
    }
    hsp__text_init(&text, &job->ctx->allocator);
    char *received = hsp__text_room(&text, from[ranks->count]);
    if (!received) return hsp__fail_memory(err);
    ranks->exchange(ranks->user, worker->text.data, to, received, from);
    text.size = from[ranks->count];
    hsp__text_free(&worker->text);
    worker->text = text;
    return HSP_OK;
}

/* The text of the block, from which the cells that are kept are copied. */
static void predict_texts(void *self, int number, const hsp__row_texts *texts)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    worker->lines = texts->lines;
    worker->cells.at = texts->text;
    worker->cells.end = texts->text + texts->size;
    worker->cells.line = 1;
}

static hsp_status predict_begin(void *self, const hsp__names *columns, char separator,
                                hsp_error *err)
{
    predict_job *job = self;
    HSP__TRY(hsp__answers_begin(&job->ctx->allocator, &job->answers, columns, separator, err));
    hsp__answers_head(&job->answers, &job->head);
    return hsp__output_text(job->output, &job->head, err);
}

static hsp_status predict_take(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    if (job->ranks) HSP__TRY(predict_gather(job, number, rows, err));
    job->total.rows += worker->rows;
    job->total.ties += worker->ties;
    job->total.unknown += worker->unknown;
    const hsp_status status =
        hsp__output_write(job->output, worker->text.data, worker->text.size, err);
    worker->text.size = worker->rows = 0;
    return status;
}

/* The answer of a row that cannot be read. */
static hsp_status predict_bad_row(const predict_job *job, predict_worker *worker,
                                  const hsp__bad_row *row, hsp__text *text, hsp_error *err)
{
    const hsp__answers *answers = &job->answers;
    hsp__answer answer = {.label = "", .error = row->message};
    if (answers->kind == HSP__ANSWER_PLAIN) {
        hsp__text_add(text, "\n", 1);
        return HSP_OK;
    }
    /* fields are read with padding behind them */
    worker->record.size = 0;
    hsp__text_add(&worker->record, row->record, row->size);
    char *behind = hsp__text_room(&worker->record, HSP__BLOCK_PADDING);
    if (!behind) return hsp__fail_memory(err);
    memset(behind, 0, HSP__BLOCK_PADDING);
    worker->cells.at = worker->record.data;
    worker->cells.end = worker->record.data + row->size;
    worker->cells.line = 1;
    HSP__TRY(hsp__answers_cells(&job->ctx->allocator, answers, &worker->cells, 1, err));
    hsp__answers_put(answers, &worker->cells, &answer, text);
    return HSP_OK;
}

/* The answers of a block in which rows cannot be read: all of them, in order. */
static hsp_status predict_bad(void *self, int number, const hsp__bad_row *rows, uint64_t count,
                              hsp_error *err)
{
    predict_job *job = self;
    predict_worker *worker = &job->workers[number];
    hsp__text text;
    uint64_t from = 0;
    hsp_status status = HSP_OK;
    hsp__text_init(&text, &job->ctx->allocator);
    for (uint64_t i = 0; !status && i <= count; i++) {
        const uint64_t before = i < count ? rows[i].before : worker->rows;
        const uint64_t to = before ? worker->ends[before - 1] : 0;
        if (to > from) hsp__text_add(&text, worker->text.data + from, to - from);
        from = to;
        if (i < count) status = predict_bad_row(job, worker, &rows[i], &text, err);
    }
    job->total.bad += count;
    worker->text.size = 0;
    if (!status) status = hsp__output_text(job->output, &text, err);
    hsp__text_free(&text);
    return status;
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

/* A table that was not told what to have has all there is. */
static int predict_says_all(const hsp_options *options)
{
    const hsp__answer_kind kind = hsp__answer_kind_of(hsp_options_text(options, "output-format"));
    return kind != HSP__ANSWER_PLAIN && kind != HSP__ANSWER_LIBSVM &&
           !hsp_options_flag(options, "scores") && !hsp_options_flag(options, "distance") &&
           !hsp_options_flag(options, "probability");
}

/* By the link that was asked for, or by the model's own map; and the threshold. */
static hsp_status predict_probability(predict_job *job, const hsp_options *options, hsp_error *err)
{
    const hsp_model *model = job->model;
    const hsp__link asked = hsp__link_of(hsp_options_text(options, "link"));
    const int threshold = hsp_options_is_set(options, "threshold");
    int *probability = &job->answers.probability;
    *probability = hsp_options_flag(options, "probability");
    if (predict_says_all(options)) {
        hsp__probability map = job->map;
        if (asked) map.link = asked;
        *probability = asked || hsp__probability_fits(job->model, &map);
    }
    if (asked && !*probability && !threshold)
        return hsp__fail_at(err, HSP_USAGE, "--link", 0, 0,
                            "--link needs --probability or --threshold");
    if (asked) job->map.link = asked;
    if (asked) job->map.calibration = HSP__CALIBRATION_NONE;
    if (!*probability && !threshold) return HSP_OK;
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

/* The format, the columns to keep, and whether the scores are wanted. */
static hsp_status predict_format(predict_job *job, const hsp_options *options,
                                 hsp__scratch *scratch, hsp_error *err)
{
    hsp__answers *answers = &job->answers;
    answers->kind = hsp__answer_kind_of(hsp_options_text(options, "output-format"));
    const int plain = answers->kind == HSP__ANSWER_PLAIN;
    if (hsp_options_flag(options, "scores") || predict_says_all(options))
        answers->scores = job->model->scorers == 1 ? 1 : job->model->class_names.count;
    answers->words = hsp_options_list_count(options, "keep");
    const char **keep = hsp__scratch_new(scratch, answers->words, sizeof *keep);
    if (!keep) return hsp__fail_memory(err);
    for (size_t i = 0; i < answers->words; i++)
        keep[i] = hsp_options_list_item(options, "keep", i);
    answers->keep = keep;
    if (answers->words && (plain || answers->kind == HSP__ANSWER_LIBSVM))
        return hsp__fail_option(err, "--keep", "needs --output-format csv, tsv or json");
    answers->distance = hsp_options_flag(options, "distance");
    if (answers->kind == HSP__ANSWER_LIBSVM && (answers->scores || answers->distance))
        return hsp__fail_option(err, "--output-format",
                                "libsvm lines have probabilities, but no scores and distances; "
                                "choose csv, tsv or json");
    return HSP_OK;
}

static hsp_status predict_start(predict_job *job, const hsp_options *options, hsp__scratch *scratch,
                                hsp_error *err)
{
    const hsp_allocator *memory = &job->ctx->allocator;
    const hsp__names *classes = &job->model->class_names;
    job->boundary = predict_boundary(classes);
    job->widest = strlen(job->boundary);
    for (uint32_t c = 0; c < classes->count; c++)
        if (hsp__names_size(classes, c) > job->widest) job->widest = hsp__names_size(classes, c);
    job->answers.classes = classes;
    job->line_buffered = options && hsp_options_flag(options, "line-buffered");
    if (options) HSP__TRY(predict_format(job, options, scratch, err));
    if (job->answers.distance) HSP__TRY(predict_length(job, err));
    hsp_status status = options ? predict_probability(job, options, err) : HSP_OK;
    if (!status)
        status =
            hsp__scoring_init(&job->scoring, job->ctx, job->model, UINT64_MAX, UINT64_MAX, err);
    if (status) return status;
    job->count = hsp_context_threads(job->ctx);
    job->workers = hsp__new(memory, (uint64_t)job->count, sizeof *job->workers);
    if (!job->workers) return hsp__fail_memory(err);
    for (int i = 0; i < job->count; i++) {
        hsp__text_init(&job->workers[i].text, memory);
        hsp__text_init(&job->workers[i].record, memory);
        hsp__text_init(&job->workers[i].cells.unquoted, memory);
        hsp__text_init(&job->workers[i].cells.cells, memory);
        job->workers[i].numbers =
            hsp__scratch_new(scratch, 2 * (uint64_t)classes->count, sizeof(double));
    }
    return scratch->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* Ranks score together where scores are expensive, and where all of them read the same blocks: not
 * from a pipe. Rows that cannot be read are between others, so then a block is not cut. */
static const hsp_ranks *predict_ranks(const predict_job *job, const char *path)
{
    struct stat file;
    const hsp_ranks *ranks = job->ctx->ranks;
    const int divides = ranks && ranks->count > 1 && hsp__model_takes_whole(job->model);
    return divides && !job->answers.errors && !stat(path, &file) && S_ISREG(file.st_mode) ? ranks
                                                                                          : NULL;
}

/* Rows come in the model's own order of sums where it has one. */
static hsp_status predict_run(predict_job *job, const char *path, const hsp_options *read,
                              hsp_error *err)
{
    static const hsp_storage storages[] = {
        [HSP__ORDER_DENSE] = HSP_DENSE, [HSP__ORDER_SPARSE] = HSP_SPARSE};
    const hsp_model *model = job->model;
    hsp__names classes;
    hsp__row_sink sink = {.begin = predict_begin,
                          .work = predict_work,
                          .take = predict_take,
                          .unlabelled = 1,
                          .none = 1};
    if (job->ranks) sink.work = predict_part;
    if (job->answers.words) sink.texts = predict_texts;
    if (job->answers.errors) sink.bad = predict_bad;
    if (job->line_buffered)
        sink.live = HSP__LIVE_NOW;
    else if (model->order != HSP__ORDER_ANY || hsp__model_takes_whole(model))
        sink.live = HSP__LIVE_AUTO;
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
    hsp__scratch scratch = {.memory = &ctx->allocator};
    predict_job job = {.ctx = &own, .model = model, .map = model->probability};
    hsp__text_init(&job.head, &ctx->allocator);
    job.answers.errors = read && strcmp(hsp_options_text(read, "on-error"), "skip") == 0;
    hsp_status status = predict_start(&job, predict, &scratch, err);
    job.ranks = predict_ranks(&job, path);
    if (!status) status = hsp__output_open(&own, out_path, err, &job.output);
    if (!status) status = predict_run(&job, path, read, err);
    if (!status) status = hsp__output_commit(job.output, err);
    hsp__output_free(job.output);
    for (int i = 0; job.workers && i < job.count; i++) {
        hsp__text_free(&job.workers[i].text);
        hsp__text_free(&job.workers[i].record);
        hsp__free(&ctx->allocator, job.workers[i].ends);
        hsp__text_free(&job.workers[i].cells.unquoted);
        hsp__text_free(&job.workers[i].cells.cells);
        hsp__free(&ctx->allocator, job.workers[i].cells.starts);
        hsp__free(&ctx->allocator, job.workers[i].scores);
    }
    hsp__free(&ctx->allocator, job.workers);
    hsp__answers_free(&ctx->allocator, &job.answers);
    hsp__text_free(&job.head);
    hsp__scratch_free(&scratch);
    hsp__scoring_free(&job.scoring, ctx);
    if (!status) hsp__model_tell_unknown(ctx, model, job.total.unknown);
    if (!status) hsp__report_give(out, &job.total, sizeof job.total);
    return hsp__while(err, status, "predicting", path);
}
