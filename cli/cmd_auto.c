/* halfspace auto DATA: one command to a good model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { AUTO_OWN, AUTO_OUTPUT, AUTO_READ };

CLI_OPTIONS(auto_output_options, "output",
            {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
             "Save the model to this file. Without -o, only the report is printed"})

static const cli_group auto_groups[] = {{"Options", hsp_auto_options},
                                        {"Output options", auto_output_options},
                                        {"Reading options", hsp_read_options},
                                        {NULL, NULL}};

typedef struct auto_job {
    const char *file, *out, *kept;
    char *reading;  /* options that were set as the file advises */
    char *command;  /* as it is typed */
    char **assumed; /* sentences */
    size_t assumed_count;
    hsp_profile *profile;
    hsp_data *data;
    hsp_search *seen;
    hsp_training run;
    hsp_model *model;
    double load_seconds, auto_seconds;
} auto_job;

/* ---- The result ---- */

typedef struct auto_line {
    const hsp_search_try *one;
    const char *score_name, *remark;
} auto_line;

static int auto_is_error(const char *name)
{
    return strcmp(name, "error") == 0;
}

GETTER(auto_line_learner, auto_line, line, line->one->learner)
GETTER(auto_line_options, auto_line, line, line->one->options)
GETTER(auto_line_rows, auto_line, line, &line->one->rows)
GETTER(auto_line_folds, auto_line, line, &line->one->folds)
GETTER(auto_line_score, auto_line, line, &line->one->score)
GETTER(auto_line_spread, auto_line, line, &line->one->standard_error)
GETTER(auto_line_error, auto_line, line, &line->one->error)
GETTER(auto_line_remark, auto_line, line, line->remark)

FIELDS(auto_line_fields, auto_line,
       FIELD_GET(TEXT, "learner", "learner", auto_line_learner, "name of the learner"),
       FIELD_GET(TEXT, "options", "options", auto_line_options, "its options"),
       FIELD_GET(COUNT, "rows", "rows", auto_line_rows, "rows of the sample it was tried on",
                 .unit = "rows"),
       FIELD_GET(COUNT32, "folds", NULL, auto_line_folds, "folds of the cross-validation"),
       FIELD_GET(REAL, "score", "score", auto_line_score, "mean score over the folds",
                 .when = "null if it could not learn from these rows"),
       FIELD_GET(REAL, "standard_error", "+-", auto_line_spread, "standard error of that mean",
                 .when = "null if it could not learn from these rows"),
       FIELD_GET(SHARE, "error", NULL, auto_line_error, "mean error over the folds",
                 .when = "null if it could not learn from these rows"),
       FIELD_GET(TEXT, ".remark", "", auto_line_remark, NULL))

static const void *auto_line_at(const void *record, size_t i, void *room)
{
    const auto_job *done = record;
    const hsp_search_report *all = hsp_search_result(done->seen);
    auto_line *line = room;
    line->one = hsp_search_tried(done->seen, i);
    line->score_name = all->score_name;
    line->remark = i == all->chosen ? "<- chosen" : NULL;
    return line->one ? line : NULL;
}

/* For people: the best of each kind. The candidates are sorted, so it is the first. */
static const void *auto_best_at(const void *record, size_t i, void *room)
{
    const auto_job *done = record;
    const hsp_search_try *one;
    unsigned seen = 0; /* kinds */
    for (uint64_t t = 0; (one = hsp_search_tried(done->seen, t)); t++) {
        const unsigned kind = strstr(one->options, "kernel ")    ? 1
                              : strcmp(one->learner, "svm") == 0 ? 2
                              : strcmp(one->learner, "knn") == 0 ? 4
                                                                 : 8;
        if (!(seen & kind) && i-- == 0) return auto_line_at(record, (size_t)t, room);
        seen |= kind;
    }
    return NULL;
}

GETTER(auto_assumption, auto_job, done, i < done->assumed_count ? done->assumed[i] : NULL)
GETTER(auto_report, auto_job, done, hsp_search_result(done->seen))
GETTER(auto_class, auto_job, done,
       i < hsp_data_classes(done->data) ? hsp_data_class_name(done->data, (uint32_t)i) : NULL)
GETTER(auto_tried, auto_job, done, &hsp_search_result(done->seen)->tried)
GETTER_NEW(auto_rows, auto_job, done, uint64_t, hsp_data_rows(done->data))
GETTER_NEW(auto_cols, auto_job, done, uint64_t, hsp_data_cols(done->data))
GETTER(auto_share, hsp_search_report, all, auto_is_error(all->score_name) ? &all->score : NULL)
GETTER(auto_spread, hsp_search_report, all,
       auto_is_error(all->score_name) ? &all->standard_error : NULL)
GETTER(auto_majority, hsp_search_report, all,
       auto_is_error(all->score_name) ? &all->majority : NULL)
GETTER(auto_how, hsp_search_report, all,
       all->outer > 1    ? "nested: the whole search was repeated without each fold"
       : all->outer == 1 ? "the rows were held out before the search"
                         : NULL)
GETTER(auto_stop, hsp_search_report, all,
       all->stop == HSP_STOP_SECONDS   ? "time limit"
       : all->stop == HSP_STOP_REQUEST ? "request"
                                       : "complete")
GETTER(auto_training_error, auto_job, done, done->model ? &done->run.training_error : NULL)

GETTER(auto_unmeasured, hsp_search_report, all,
       isnan(all->score) ? "none: the search ended before it could be measured" : NULL)
GETTER_NEW(auto_mistakes, hsp_search_report, all, uint64_t, all->rows ? all->mistakes : UINT64_MAX)

FIELDS(
    auto_result_fields, hsp_search_report, FIELD_GET(SHARE, ".share", NULL, auto_share, NULL),
    FIELD_GET(SHARE, ".spread", NULL, auto_spread, NULL),
    FIELD_GET(SHARE, ".majority", NULL, auto_majority, NULL),
    FIELD_GET(TEXT, ".how", NULL, auto_how, NULL),
    FIELD(TEXT, "score_name", NULL, score_name, "what was chosen by"),
    FIELD(REAL, "score", "unbiased score", score,
          "score of the choice on rows that had no part in it",
          .text = "{score_name} [{.share} +- {.spread}~{} +- {standard_error}], on {predicted:row} "
                  "({.how})",
          .when = "null if the search was stopped before"),
    FIELD_GET(TEXT, NULL, "unbiased score", auto_unmeasured, NULL),
    FIELD(REAL, "standard_error", NULL, standard_error, "its standard error",
          .when = "null if the search was stopped before"),
    FIELD(REAL, "majority", "majority class", majority,
          "the score of predicting the most frequent class always",
          .text = "{score_name} [{.majority}~{}]"),
    FIELD(COUNT, "predicted", NULL, rows, "rows that this score is of", .unit = "rows"),
    FIELD_GET(COUNT, "mistakes", "mistakes", auto_mistakes,
              "how many of them were predicted wrongly", .unit = "rows",
              .text = "{} of {predicted:row}", .when = "null if the search was stopped before"),
    FIELD(COUNT32, "outer_folds", NULL, outer,
          "folds held out, each before a search of its own; 0: none"),
    FIELD(COUNT, "search_rows", NULL, search_rows, "rows of the sample that decided",
          .unit = "rows"),
    FIELD(COUNT, "chosen", NULL, chosen, "the chosen candidate: its place in tried, from 0"),
    FIELD_GET(TEXT, "search", "search", auto_stop,
              "complete, or what cut it short: time limit or request",
              .text = "{} ({.tried:candidate})"))

FIELDS(auto_fields, auto_job,
       CLI_LINE("{file}: {rows:row}, {features:feature}, classes {class_names}"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD_GET(COUNT, "rows", NULL, auto_rows, "rows", .unit = "rows"),
       FIELD_GET(COUNT, "features", NULL, auto_cols, "columns", .unit = "columns"),
       FIELD_GET(LIST, "class_names", NULL, auto_class, "names of the classes",
                 .of = hsp_field_texts),
       FIELD_GET(LIST, "assumed", NULL, auto_assumption,
                 "what was assumed: about the file, scaling, samples, the score",
                 .of = hsp_field_texts),
       FIELD_GET(
           LIST, "tried", NULL, auto_line_at,
           "the candidates, best first: those of the comparison that decided, then those before it",
           .of = auto_line_fields),
       FIELD_GET(LIST, ".kinds", "Best of each kind, of {.tried:candidate}, by {score_name}",
                 auto_best_at, NULL, .of = auto_line_fields),
       FIELD_GET(COUNT, ".tried", NULL, auto_tried, NULL),
       FIELD(TEXT, "command", "best", command, "the command that trains the model"),
       FIELD_GET(PART, NULL, NULL, auto_report, NULL, .of = auto_result_fields),
       FIELD_GET(SHARE, "training_error", "training error", auto_training_error,
                 "share of all rows that the model gets wrong",
                 .when = "null without a model, and if not computed"),
       FIELD(TEXT, "model", NULL, kept, "the file of the model", .when = "null without -o"),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to look at the file and read it"),
       FIELD(SECONDS, "auto_seconds", NULL, auto_seconds, "time to search and train"))

static const cli_result auto_results[] = {{"auto", auto_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* ---- What was assumed ---- */

static void auto_assume(auto_job *job, char *sentence)
{
    job->assumed = cli_memory(job->assumed, (job->assumed_count + 1) * sizeof *job->assumed);
    job->assumed[job->assumed_count++] = sentence;
}

/* Look at the file, follow the findings that are about reading, and read. */
static hsp_status auto_read(cli *run, auto_job *job, hsp_error *err)
{
    hsp_options *read = run->options[AUTO_READ];
    const hsp_option_table *table = hsp_options_table(read);
    char *set = cli_memory(NULL, table->count + 1); /* options that the user set */
    const hsp_finding *found;
    for (size_t i = 0; i < table->count; i++)
        set[i] = (char)hsp_options_is_set(read, table->options[i].name);
    job->reading = cli_format("%s", "");
    hsp_status status = hsp_profile_file(run->ctx, job->file, read, NULL, err, &job->profile);
    if (status == HSP_OK) status = hsp_profile_advise(job->profile, read, err);
    for (uint64_t f = 0; status == HSP_OK && (found = hsp_profile_finding(job->profile, f)); f++) {
        size_t i = 0;
        while (found->option && i < table->count &&
               strcmp(table->options[i].name, found->option) != 0)
            i++;
        if (!found->option || i == table->count || set[i] || !found->argument) continue;
        auto_assume(job, cli_format("%s: %s", found->argument, found->sentence));
        char *longer = cli_format("%s %s", job->reading, found->argument);
        free(job->reading);
        job->reading = longer;
    }
    free(set);
    if (status == HSP_OK)
        status = hsp_profile_read(run->ctx, job->profile, read, NULL, err, &job->data);
    return status;
}

/* The assumptions of the search, and the command with the options of reading. */
static void auto_tell(auto_job *job)
{
    const hsp_search_report *all = hsp_search_result(job->seen);
    if (!auto_is_error(all->score_name))
        auto_assume(job, cli_format("--score %s: %s of the rows are of one class", all->score_name,
                                    show_share(all->largest_class)));
    if (all->search_rows < hsp_data_rows(job->data))
        auto_assume(job, cli_format("candidates are compared on %s of the rows",
                                    show_count(all->search_rows)));
    job->command = cli_format("halfspace %s%s %s -o %s", all->command, job->reading, job->file,
                              job->out ? job->out : "MODEL");
}

/* ---- The command ---- */

static hsp_status auto_run(cli *run, hsp_error *err)
{
    auto_job job = {.file = run->arguments[0],
                    .run.size = sizeof job.run,
                    .out = hsp_options_text(run->options[AUTO_OUTPUT], "output")};
    const int taken = job.out && strcmp(job.out, "-") == 0;
    double start = cli_seconds();
    hsp_status status = cli_check_output(run, job.out, err);
    if (status == HSP_OK) status = cli_check_distinct("-o", job.out, job.file, err);
    if (status == HSP_OK) status = auto_read(run, &job, err);
    job.load_seconds = cli_seconds() - start;
    cli_begin_output(NULL); /* from here on, Ctrl-C keeps the best so far */
    start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_auto(run->ctx, job.data, run->options[AUTO_OWN], err, &job.seen, &job.run,
                          &job.model);
    const int stopped = status == HSP_CANCELLED && job.seen;
    if (stopped) status = HSP_OK; /* the table, and perhaps a model, are there */
    if (status == HSP_BAD_DATA && job.data)
        cli_locate(run, job.file, run->options[AUTO_READ], job.data, err);
    job.auto_seconds = cli_seconds() - start;
    cli_finish_output();
    if (status == HSP_OK && job.out && job.model)
        status = hsp_model_write(run->ctx, job.model, job.out, err);
    if (status == HSP_OK) {
        job.kept = job.model ? job.out : NULL;
        auto_tell(&job);
        FILE *file = taken ? stderr : stdout;
        for (size_t i = 0; !cli_json(run) && i < job.assumed_count; i++)
            fprintf(file, "%s%s\n", i ? "  " : "Assumed\n  ", job.assumed[i]);
        status = cli_report(run, auto_results, &job, file, err);
        fflush(stdout);
        if (job.kept) cli_say(run, "wrote %s", show_output(job.out));
        if (job.model && !stopped)
            cli_check_one_class(run, job.data, job.model, job.run.training_error, NULL);
        if (stopped)
            cli_complain("stopped on request; %s",
                         job.kept ? "the model is the best so far"
                         : job.out
                             ? "there is no model yet: the command above trains the best so far"
                             : "the command above trains the best so far");
        if (stopped) run->exit_status = cli_stop_status();
    }
    for (size_t i = 0; i < job.assumed_count; i++)
        free(job.assumed[i]);
    free(job.assumed);
    free(job.command);
    free(job.reading);
    hsp_evidence_free(job.run.evidence);
    hsp_model_free(job.model);
    hsp_search_free(job.seen);
    hsp_data_free(job.data);
    hsp_profile_free(job.profile);
    return status;
}

static const cli_term auto_arguments[] = {
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input"},
    {NULL, NULL}};

static const cli_term auto_examples[] = {
    {"halfspace auto iris.csv -o iris.hsp", "the best model, and what was tried"},
    {"halfspace auto churn.csv --label churned --max-seconds 20 -o churn.hsp",
     "the best that is found in 20 seconds"},
    {NULL, NULL}};

const cli_command cli_auto = {
    .name = "auto",
    .summary = "find a good model: read, scale, compare, choose, train",
    .synopsis = "DATA [options] [-o MODEL]",
    .description =
        "Look at the file, read it as inspect advises, and compare logistic regression, linear and "
        "RBF machines and nearest neighbours over their parameters and scalings, by "
        "cross-validation. Train the best on all rows. The report lists what was assumed, what was "
        "tried, the command that trains the chosen model, and its score on rows that had no part "
        "in the choice, next to that of the most frequent class.\n\nThe work depends on the data "
        "alone and usually takes less than a minute; large files are searched on a sample of their "
        "rows. The same data and seed give the same model, unless --max-seconds or Ctrl-C cuts the "
        "search short: then the best so far is kept.",
    .arguments = auto_arguments,
    .groups = auto_groups,
    .results = auto_results,
    .examples = auto_examples,
    .least = 1,
    .most = 1,
    .run = auto_run,
};
