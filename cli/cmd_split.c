/* halfspace split DATA TRAIN TEST: two parts at random, each class in proportion. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_group split_groups[] = {{"Options", hsp_split_file_options}, {NULL, NULL}};

typedef struct split {
    const char *const *files; /* data, train, test */
    hsp_split *split;
    uint64_t seed;
    int grouped;
    double seconds;
} split;

typedef struct split_part {
    const char *file;
    uint64_t rows, unlabelled, groups; /* groups: UINT64_MAX without --group */
    const hsp_split *split;
    int part;
} split_part;

typedef struct split_class {
    const char *name;
    uint64_t rows;
} split_class;

GETTER_AT(split_class_at, split_part, part, split_class, i < hsp_split_classes(part->split),
          hsp_split_class_name(part->split, (uint32_t)i),
          hsp_split_class_rows(part->split, part->part, (uint32_t)i))

static const void *split_part_of(const split *all, int part, void *room)
{
    split_part *one = room;
    *one = (split_part){.file = all->files[1 + part],
                        .rows = hsp_split_rows(all->split, part),
                        .unlabelled = hsp_split_unlabelled(all->split, part),
                        .groups = all->grouped ? hsp_split_groups(all->split, part) : UINT64_MAX,
                        .split = all->split,
                        .part = part};
    return one;
}

GETTER(split_file, split, all, all->files[0])
GETTER(split_label, split, all, hsp_split_label(all->split))
GETTER(split_train, split, all, split_part_of(all, 0, room))
GETTER(split_test, split, all, split_part_of(all, 1, room))

FIELDS(split_class_fields, split_class, FIELD(TEXT, "name", NULL, name, "name of the class"),
       FIELD(COUNT, "rows", NULL, rows, "its rows"))

FIELDS(split_part_fields, split_part, FIELD(TEXT, "file", NULL, file, "the file written"),
       FIELD(COUNT, "rows", NULL, rows, "its rows", .unit = "rows"),
       FIELD(COUNT, "unlabelled", NULL, unlabelled, "rows whose label is missing", .unit = "rows"),
       FIELD(COUNT, "groups", NULL, groups, "groups of rows", .when = "null without --group"),
       FIELD_GET(MAP, "classes", NULL, split_class_at, "rows of each class", .unit = "rows",
                 .of = split_class_fields))

FIELDS(split_fields, split, FIELD_GET(TEXT, "file", NULL, split_file, "the data file"),
       FIELD(COUNT, "seed", NULL, seed, "the random seed"),
       FIELD_GET(TEXT, "label", NULL, split_label,
                 "the column of the labels, whose classes are split in proportion",
                 .when = "null for libsvm text, binary files, and without labels"),
       FIELD_GET(OBJECT, "train", NULL, split_train, "the part to train on",
                 .of = split_part_fields),
       FIELD_GET(OBJECT, "test", NULL, split_test, "the part held out", .of = split_part_fields),
       FIELD(SECONDS, "seconds", NULL, seconds, "time to read and write"))

static const cli_result split_results[] = {{"split", split_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* " (12 groups)", or nothing without groups; to be freed. */
static char *split_groups_of(const split *all, int part)
{
    const uint64_t groups = hsp_split_groups(all->split, part);
    if (!all->grouped) return cli_format("%s", "");
    return cli_format(" (%s group%s)", show_count(groups), plural(groups));
}

static hsp_status split_check(const cli *run, hsp_error *err)
{
    const char **paths = run->arguments;
    hsp_status status = cli_check_output(run, paths[1], err);
    if (status == HSP_OK) status = cli_check_output(run, paths[2], err);
    if (status == HSP_OK && strcmp(paths[1], paths[2]) == 0)
        return cli_fail(err, HSP_USAGE, NULL, "TRAIN and TEST are both '%s'; name two files",
                        paths[1]);
    if (status == HSP_OK) status = cli_check_distinct("TRAIN", paths[1], paths[2], err);
    if (status == HSP_OK) status = cli_check_distinct("TRAIN", paths[1], paths[0], err);
    return status == HSP_OK ? cli_check_distinct("TEST", paths[2], paths[0], err) : status;
}

static hsp_status split_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[0];
    split all = {.files = run->arguments,
                 .seed = (uint64_t)hsp_options_integer(own, "seed"),
                 .grouped = hsp_options_text(own, "group") != NULL};
    const double start = cli_seconds();
    hsp_status status = split_check(run, err);
    cli_begin_output(NULL);
    if (status == HSP_OK)
        status = hsp_split_file(run->ctx, all.files[0], own, all.files[1], all.files[2], err,
                                &all.split);
    all.seconds = cli_seconds() - start;
    if (status == HSP_OK) {
        const uint64_t train = hsp_split_rows(all.split, 0);
        char *groups[2] = {split_groups_of(&all, 0), split_groups_of(&all, 1)};
        cli_say(run, "wrote %s row%s%s to %s and %s%s to %s", show_count(train), plural(train),
                groups[0], show_output(all.files[1]), show_count(hsp_split_rows(all.split, 1)),
                groups[1], show_output(all.files[2]));
        if (hsp_split_label(all.split) && hsp_options_flag(own, "stratified"))
            cli_say(run, "each of the %s class%s of column %s is split in proportion%s",
                    show_count(hsp_split_classes(all.split)),
                    hsp_split_classes(all.split) == 1 ? "" : "es", hsp_split_label(all.split),
                    hsp_options_is_set(own, "label") ? ""
                                                     : ", the last one; --label names another");
        free(groups[0]);
        free(groups[1]);
        status = cli_report(run, split_results, &all, stdout, err);
    }
    hsp_split_free(all.split);
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
        "quoting, line endings, comments and missing values stay as they are, and both parts get "
        "the header. Each class is split in proportion, unless --no-stratified is given. "
        "Stratified rows are not independent draws: use --no-stratified for test rows of bound "
        "or certify. The same seed gives the same split. Rows keep their order within a part.",
    .arguments = split_arguments,
    .groups = split_groups,
    .results = split_results,
    .examples = split_examples,
    .least = 3,
    .most = 3,
    .run = split_run,
};
