/* halfspace split DATA TRAIN TEST: two parts at random, each class in proportion. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_group split_groups[] = {{"Options", hsp_split_file_options}, {NULL, NULL}};

static const cli_term split_keys[] = {
    {"file", "the file that was split, as it was named"},
    {"seed", "the seed"},
    {"train, test", "objects: file; rows; unlabelled, rows whose label is missing; groups, or null "
                    "without --group; and classes, the rows of each class by its name"},
    {"seconds", "time to read and write"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void split_json_part(const cli *run, cli_json_writer *json, int part, const hsp_split *split)
{
    json_open(json, part ? "test" : "train", '{');
    json_text(json, "file", run->arguments[1 + part]);
    json_count(json, "rows", hsp_split_rows(split, part));
    json_count(json, "unlabelled", hsp_split_unlabelled(split, part));
    if (hsp_options_text(run->options[0], "group"))
        json_count(json, "groups", hsp_split_groups(split, part));
    else
        json_text(json, "groups", NULL);
    json_open(json, "classes", '{');
    for (uint32_t c = 0; c < hsp_split_classes(split); c++)
        json_count(json, hsp_split_class_name(split, c), hsp_split_class_rows(split, part, c));
    json_close(json, '}');
    json_close(json, '}');
}

/* " (12 groups)", or nothing without groups; to be freed. */
static char *split_groups_of(const cli *run, const hsp_split *split, int part)
{
    const uint64_t groups = hsp_split_groups(split, part);
    if (!hsp_options_text(run->options[0], "group")) return cli_format("%s", "");
    return cli_format(" (%s group%s)", show_count(groups), groups == 1 ? "" : "s");
}

static void split_report(const cli *run, const hsp_split *split, double seconds)
{
    const uint64_t train = hsp_split_rows(split, 0), test = hsp_split_rows(split, 1);
    char *groups[2] = {split_groups_of(run, split, 0), split_groups_of(run, split, 1)};
    cli_progress_clear();
    cli_say(run, "wrote %s row%s%s to %s and %s%s to %s", show_count(train), train == 1 ? "" : "s",
            groups[0], show_output(run->arguments[1]), show_count(test), groups[1],
            show_output(run->arguments[2]));
    free(groups[0]);
    free(groups[1]);
    if (!cli_json(run)) return;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", run->arguments[0]);
    json_count(&json, "seed", (uint64_t)hsp_options_integer(run->options[0], "seed"));
    split_json_part(run, &json, 0, split);
    split_json_part(run, &json, 1, split);
    json_seconds(&json, "seconds", seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status split_check(const cli *run, hsp_error *err)
{
    const char **paths = run->arguments;
    hsp_status status = cli_check_output(run, paths[1], err);
    if (status == HSP_OK) status = cli_check_output(run, paths[2], err);
    if (status == HSP_OK && strcmp(paths[1], paths[2]) == 0)
        return cli_fail(err, HSP_USAGE, NULL, "TRAIN and TEST are both '%s'; name two files",
                        paths[1]);
    if (status == HSP_OK) status = cli_check_apart("TRAIN", paths[1], paths[2], err);
    if (status == HSP_OK) status = cli_check_apart("TRAIN", paths[1], paths[0], err);
    return status == HSP_OK ? cli_check_apart("TEST", paths[2], paths[0], err) : status;
}

static hsp_status split_run(cli *run, hsp_error *err)
{
    hsp_split *split = NULL;
    const double start = cli_seconds();
    hsp_status status = split_check(run, err);
    cli_begin_output();
    if (status == HSP_OK)
        status = hsp_split_file(run->ctx, run->arguments[0], run->options[0], run->arguments[1],
                                run->arguments[2], err, &split);
    if (status == HSP_OK) split_report(run, split, cli_seconds() - start);
    hsp_split_free(split);
    return status;
}

static const cli_term split_arguments[] = {{"DATA", "the file to split; - is standard input"},
                                           {"TRAIN", "the file for the rows to learn from"},
                                           {"TEST", "the file for the rows that are held out"},
                                           {NULL, NULL}};

static const cli_term split_examples[] = {
    {"halfspace split iris.csv train.csv test.csv --test 0.25", "hold out a quarter of each class"},
    {"halfspace split a.svm train.svm test.svm --test 1000 --seed 7", "hold out 1000 rows"},
    {"halfspace split visits.csv train.csv test.csv --label outcome --group patient",
     "all visits of a patient go to one part"},
    {NULL, NULL}};

const cli_command cli_split = {
    .name = "split",
    .summary = "split a data file into a training and a test part",
    .synopsis = "DATA TRAIN TEST [options]",
    .description =
        "Split the records of a data file into two files at random, byte for byte: header, "
        "quoting, "
        "line endings, comments and missing values stay as they are, and both parts get the "
        "header. Each class is split in proportion, unless --no-stratified is given. Rows split in "
        "proportion are not independent draws: use --no-stratified where bound or certify is to "
        "bound the true error by the test rows. The same "
        "seed gives the same split. Rows keep their order within a part.",
    .arguments = split_arguments,
    .groups = split_groups,
    .keys = split_keys,
    .examples = split_examples,
    .least = 3,
    .most = 3,
    .run = split_run,
};
