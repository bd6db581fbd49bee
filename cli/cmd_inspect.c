/* halfspace inspect DATA: what is in a data file, and what to watch out for. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { INSPECT_OWN, INSPECT_READ };

CLI_OPTIONS(inspect_options, "inspect",
            {"columns", HSP_OPTION_TEXT, "20", 0, 0, NULL, "N",
             "number of columns to list, or all"},
            {"verify", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
             "compare a binary file with its checksums"})

static const cli_group inspect_groups[] = {
    {"Options", inspect_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

typedef struct inspect {
    const char *path;
    hsp_data *data;
    hsp_summary *summary;
    const hsp_totals *totals;
    uint64_t columns; /* to list */
    double load_seconds, check_seconds, summary_seconds;
    int verified;
    cli_watch watch;
} inspect;

/* ---- The result ---- */

typedef struct inspect_class {
    const char *name;
    uint64_t rows;
    double share;
} inspect_class;

typedef struct inspect_column {
    uint64_t column; /* from 1 */
    const char *name;
    hsp_column_summary all;
    const hsp_data *data;
} inspect_column;

GETTER_AT(inspect_class_at, inspect, seen, inspect_class, i < hsp_data_classes(seen->data),
          hsp_data_class_name(seen->data, (uint32_t)i),
          hsp_summary_class_count(seen->summary, (uint32_t)i),
          (double)hsp_summary_class_count(seen->summary, (uint32_t)i) / (double)seen->totals->rows)

GETTER_AT(inspect_column_at, inspect, seen, inspect_column, i < seen->columns, i + 1,
          hsp_data_feature_name(seen->data, i), *hsp_summary_column(seen->summary, i), seen->data)

GETTER(inspect_warning_at, inspect, seen, i < seen->watch.count ? seen->watch.sentences[i] : NULL)
GETTER_NEW(inspect_duplicate_of, inspect_column, one, uint64_t,
           one->all.duplicate_of < 0 ? UINT64_MAX : (uint64_t)one->all.duplicate_of + 1)

/* What stands out in a column. */
static const void *inspect_column_note(const void *record, size_t i, void *room)
{
    const inspect_column *one = record;
    (void)i;
    if (one->all.duplicate_of < 0)
        return one->all.nonzeros == 0 ? "zeros" : one->all.constant ? "constant" : NULL;
    snprintf(room, HSP_FIELD_ROOM, "same as %s",
             show_column(one->data, (uint64_t)one->all.duplicate_of));
    return room;
}

GETTER(inspect_column_min, inspect_column, one,
       hsp_number_text(one->all.min, hsp_data_precision(one->data), room))
GETTER(inspect_column_max, inspect_column, one,
       hsp_number_text(one->all.max, hsp_data_precision(one->data), room))
GETTER(inspect_column_low, inspect_column, one, show_end(one->all.min, one->all.max))
GETTER(inspect_column_high, inspect_column, one, show_end(one->all.max, one->all.min))
GETTER(inspect_min, inspect, seen,
       hsp_number_text(seen->totals->min, hsp_data_precision(seen->data), room))
GETTER(inspect_max, inspect, seen,
       hsp_number_text(seen->totals->max, hsp_data_precision(seen->data), room))
GETTER(inspect_low, inspect, seen, show_end(seen->totals->min, seen->totals->max))
GETTER(inspect_high, inspect, seen, show_end(seen->totals->max, seen->totals->min))
GETTER(inspect_totals, inspect, seen, seen->totals)
GETTER(inspect_nonzeros, inspect, seen, &seen->totals->nonzeros) /* of the file, if that is known */
GETTER_NEW(inspect_bytes, inspect, seen, uint64_t, hsp_data_bytes(seen->data))
GETTER(inspect_several, inspect, seen, hsp_data_classes(seen->data) > 1 ? "" : NULL)
GETTER(inspect_checked, inspect, seen, seen->verified ? "as written" : NULL)
GETTER(inspect_fewer, inspect, seen, seen->columns < seen->totals->cols ? &seen->columns : NULL)
GETTER(inspect_quiet, inspect, seen, seen->watch.count ? NULL : "")
GETTER(inspect_sentence, char, sentence, sentence)

FIELDS(inspect_class_fields, inspect_class, FIELD(TEXT, "name", "class", name, "name of the class"),
       FIELD(COUNT, "rows", "rows", rows, "its rows"), FIELD(SHARE, NULL, "share", share, NULL))

FIELDS(inspect_column_fields, inspect_column,
       FIELD(COUNT, "column", NULL, column, "number of the column, from 1"),
       FIELD(TEXT, "name", "column", name, "its name", .when = "null without names",
             .text = "[{}~{column}]"),
       FIELD_GET(NUMBER, NULL, "min", inspect_column_low, NULL),
       FIELD_GET(NUMBER, NULL, "max", inspect_column_high, NULL),
       FIELD_GET(NUMBER, "min", NULL, inspect_column_min, "smallest value, zeros included"),
       FIELD_GET(NUMBER, "max", NULL, inspect_column_max, "largest value"),
       FIELD(REAL, "mean", "mean", all.mean, "mean"),
       FIELD(REAL, "stdev", "stdev", all.stdev, "standard deviation, with divisor rows"),
       FIELD(COUNT, "nonzeros", "non-zeros", all.nonzeros, "entries other than 0"),
       FIELD(FLAG, "constant", NULL, all.constant, "all values are equal"),
       FIELD_GET(COUNT, "duplicate_of", NULL, inspect_duplicate_of,
                 "number, from 1, of the first earlier column that it equals",
                 .when = "null if there is none"),
       FIELD_GET(TEXT, NULL, "", inspect_column_note, NULL))

FIELDS(inspect_sentence_fields, char,
       FIELD_GET(TEXT, NULL, "", inspect_sentence, NULL, .text = "- {}"))

FIELDS(inspect_fields, inspect, CLI_LINE("{file}"),
       FIELD_GET(TEXT, ".low", NULL, inspect_low, NULL),
       FIELD_GET(TEXT, ".high", NULL, inspect_high, NULL),
       FIELD_GET(TEXT, ".several", NULL, inspect_several, NULL),
       FIELD_GET(COUNT, ".fewer", NULL, inspect_fewer, NULL),
       FIELD_GET(TEXT, ".quiet", NULL, inspect_quiet, NULL),
       FIELD(TEXT, "file", NULL, path, "the data file"), CLI_TEXT("rows", "{rows}"),
       CLI_TEXT("features", "{features}"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_shape_fields),
       FIELD_GET(COUNT, "nonzeros", "non-zeros", inspect_nonzeros, "entries other than 0",
                 .text = "{}, {density} of all entries"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_storage_fields),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_numbers_fields),
       FIELD_GET(COUNT, "bytes", "in memory", inspect_bytes, "memory of rows and labels",
                 .unit = "bytes", .text = "{storage}, {precision} precision, {}"),
       FIELD_GET(MAP, "classes", NULL, inspect_class_at, "rows of each class",
                 .of = inspect_class_fields),
       CLI_TEXT("double because", "{precision_reason}"),
       CLI_TEXT("values", "from {.low} to {.high}"),
       FIELD_GET(NUMBER, "min", NULL, inspect_min, "smallest entry, zeros included"),
       FIELD_GET(NUMBER, "max", NULL, inspect_max, "largest entry"),
       FIELD_GET(PART, NULL, NULL, inspect_totals, NULL, .of = hsp_totals_fields),
       FIELD_GET(TEXT, NULL, "checksums", inspect_checked, NULL),
       CLI_LINE("{.rounded}  Equal, constant and zero refer to the values as rounded to "
                "{precision} precision: this input cannot be read again to compare its decimals."),
       FIELD_GET(MAP, NULL, "Classes", inspect_class_at, NULL, .of = inspect_class_fields),
       FIELD_GET(LIST, "columns", "Columns[, the first {.fewer} of {features}]{.note}",
                 inspect_column_at, "the columns listed", .of = inspect_column_fields,
                 .most = SIZE_MAX),
       FIELD_GET(LIST, "warnings", NULL, inspect_warning_at, "what to watch out for, sentences",
                 .of = hsp_field_texts),
       FIELD_GET(LIST, NULL, "What to watch out for:", inspect_warning_at, NULL,
                 .of = inspect_sentence_fields),
       CLI_LINE("{.quiet}\nWhat to watch out for: nothing stands out"),
       FIELD(FLAG, "verified", NULL, verified, "--verify compared the checksums"),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read the file"),
       FIELD(SECONDS, "check_seconds", NULL, check_seconds, "time to check a binary file"),
       FIELD(SECONDS, "summary_seconds", NULL, summary_seconds, "time to compute the summary"))

static const cli_result inspect_results[] = {{"inspect", inspect_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* ---- The command ---- */

static hsp_status inspect_run(cli *run, hsp_error *err)
{
    inspect seen = {.path = run->arguments[0]};
    hsp_status status = cli_how_many(run->options[INSPECT_OWN], "columns", err, &seen.columns);
    const hsp_options *read = run->options[INSPECT_READ];
    const hsp_view *view;
    if (status == HSP_OK)
        status = cli_read(run, seen.path, read, NULL, err, &seen.data, &seen.load_seconds);
    if (status == HSP_OK && hsp_options_flag(run->options[INSPECT_OWN], "verify")) {
        status = hsp_data_verify(run->ctx, seen.data, err);
        seen.verified = status == HSP_OK;
    }
    double start = cli_seconds();
    if (status == HSP_OK) status = hsp_data_view(run->ctx, seen.data, err, &view);
    seen.check_seconds = cli_seconds() - start;
    start = cli_seconds();
    if (status == HSP_OK) status = hsp_summary_new(run->ctx, seen.data, err, &seen.summary);
    if (status == HSP_OK)
        status = hsp_summary_confirm(run->ctx, seen.summary, seen.data, seen.path, read, err);
    seen.summary_seconds = cli_seconds() - start;
    if (status == HSP_OK) {
        seen.totals = hsp_summary_totals(seen.summary);
        if (seen.columns > seen.totals->cols) seen.columns = seen.totals->cols;
        watch_data(&seen.watch, seen.data, seen.summary);
        status = cli_report(run, inspect_results, &seen, stdout, err);
    }
    watch_free(&seen.watch);
    hsp_summary_free(seen.summary);
    hsp_data_free(seen.data);
    return status;
}

static const cli_term inspect_arguments[] = {
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input. "
     "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term inspect_examples[] = {
    {"halfspace inspect iris.csv", "say what is in a CSV file whose last column is the label"},
    {"halfspace inspect --json --columns all train.svm.gz", "the same for a program to read"},
    {"halfspace inspect --verify train.hsp", "compare a binary file with its checksums"},
    {NULL, NULL}};

const cli_command cli_inspect = {
    .name = "inspect",
    .summary = "describe a data file and warn about problems",
    .synopsis = "DATA... [options]",
    .description =
        "Summarise a data file: rows, features, classes and their shares, ranges, norms, "
        "constant and duplicate columns, duplicate and contradictory rows, the order of the "
        "classes. Then list what to watch out for before training on it.",
    .arguments = inspect_arguments,
    .groups = inspect_groups,
    .results = inspect_results,
    .examples = inspect_examples,
    .least = 1,
    .most = 1,
    .several = 1,
    .run = inspect_run,
};
