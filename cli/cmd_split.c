/* halfspace split DATA TRAIN TEST: two parts at random, each class in proportion. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { SPLIT_OWN, SPLIT_READ, SPLIT_WRITE };

static const cli_group split_groups[] = {{"Options", hsp_split_options},
                                         {"Reading options", hsp_read_options},
                                         {"Output options", hsp_write_options},
                                         {NULL, NULL}};

static const cli_term split_keys[] = {
    {"file", "the file that was split, as it was named"},
    {"seed", "the seed"},
    {"train, test", "objects: file, rows, and classes, the rows of each class by its name"},
    {"load_seconds, write_seconds", "time to read, and to split and write"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

/* Rows of each class, malloc'ed. */
static hsp_status split_counts(cli *run, hsp_data *data, hsp_error *err, uint64_t **out)
{
    const hsp_view *view;
    hsp_status status = hsp_data_view(run->ctx, data, err, &view);
    if (status != HSP_OK) return status;
    size_t bytes = ((size_t)view->classes + 1) * sizeof **out;
    uint64_t *counts = cli_memory(NULL, bytes);
    memset(counts, 0, bytes);
    for (uint64_t i = 0; view->labels && i < view->rows; i++)
        counts[view->labels[i]]++;
    *out = counts;
    return HSP_OK;
}

static void split_json_part(cli_json_writer *json, const char *key, const char *path,
                            const hsp_data *data, const uint64_t *counts)
{
    json_open(json, key, '{');
    json_text(json, "file", path);
    json_count(json, "rows", hsp_data_rows(data));
    json_open(json, "classes", '{');
    for (uint32_t c = 0; c < hsp_data_classes(data); c++)
        json_count(json, hsp_data_class_name(data, c), counts[c]);
    json_close(json, '}');
    json_close(json, '}');
}

static hsp_status split_report(cli *run, hsp_data *train, hsp_data *test, double load, double write,
                               hsp_error *err)
{
    uint64_t *counts[2] = {NULL, NULL};
    cli_progress_clear();
    cli_say(run, "wrote %s rows to %s and %s to %s", show_count(hsp_data_rows(train)),
            show_output(run->arguments[1]), show_count(hsp_data_rows(test)),
            show_output(run->arguments[2]));
    if (!cli_json(run)) return HSP_OK;
    hsp_status status = split_counts(run, train, err, &counts[0]);
    if (status == HSP_OK) status = split_counts(run, test, err, &counts[1]);
    if (status == HSP_OK) {
        cli_json_writer json = {.file = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "file", run->arguments[0]);
        json_count(&json, "seed", (uint64_t)hsp_options_integer(run->options[SPLIT_OWN], "seed"));
        split_json_part(&json, "train", run->arguments[1], train, counts[0]);
        split_json_part(&json, "test", run->arguments[2], test, counts[1]);
        json_seconds(&json, "load_seconds", load);
        json_seconds(&json, "write_seconds", write);
        json_cost(&json, run);
        json_close(&json, '}');
        json_end(&json);
    }
    free(counts[0]);
    free(counts[1]);
    return status;
}

static hsp_status split_check(const cli *run, hsp_error *err)
{
    hsp_status status = cli_check_output(run, run->arguments[1], err);
    if (status == HSP_OK) status = cli_check_output(run, run->arguments[2], err);
    if (status != HSP_OK || strcmp(run->arguments[1], run->arguments[2]) != 0) return status;
    return cli_fail(err, HSP_USAGE, NULL, "TRAIN and TEST are both '%s'; name two files",
                    run->arguments[1]);
}

static hsp_status split_run(cli *run, hsp_error *err)
{
    hsp_data *data = NULL, *train = NULL, *test = NULL;
    double load = 0, start;
    hsp_status status = split_check(run, err);
    if (status == HSP_OK)
        status =
            cli_read(run, run->arguments[0], run->options[SPLIT_READ], NULL, err, &data, &load);
    start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_data_split(run->ctx, data, run->options[SPLIT_OWN], err, &train, &test);
    if (status == HSP_OK)
        status = cli_write(run, train, run->arguments[1], run->options[SPLIT_WRITE], err);
    if (status == HSP_OK)
        status = cli_write(run, test, run->arguments[2], run->options[SPLIT_WRITE], err);
    if (status == HSP_OK) status = split_report(run, train, test, load, cli_seconds() - start, err);
    hsp_data_free(test);
    hsp_data_free(train);
    hsp_data_free(data);
    return status;
}

static const cli_term split_arguments[] = {{"DATA", "the file to split; - is standard input"},
                                           {"TRAIN", "the file for the rows to learn from"},
                                           {"TEST", "the file for the rows that are held out"},
                                           {NULL, NULL}};

static const cli_term split_examples[] = {
    {"halfspace split iris.csv train.svm test.svm --test 0.25", "hold out a quarter of each class"},
    {"halfspace split a.svm train.svm test.svm --test 1000 --seed 7", "hold out 1000 rows"},
    {NULL, NULL}};

const cli_command cli_split = {
    .name = "split",
    .summary = "split a data file into rows to learn from and rows held out",
    .synopsis = "DATA TRAIN TEST [options]",
    .description =
        "Split the rows of a data file into two files at random. The same seed gives the "
        "same split. Rows keep their order within a part.",
    .arguments = split_arguments,
    .groups = split_groups,
    .keys = split_keys,
    .examples = split_examples,
    .least = 3,
    .most = 3,
    .run = split_run,
};
