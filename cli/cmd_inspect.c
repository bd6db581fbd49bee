/* halfspace inspect DATA: what is in a data file, and what to watch out for. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { INSPECT_OWN, INSPECT_READ };

#define INSPECT_CLASSES 20 /* listed for people; JSON has them all */

static const hsp_option inspect_own[] = {
    {"columns", HSP_OPTION_TEXT, "20", 0, 0, NULL, "N", "number of columns to list, or all"},
    {"verify", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "compare a binary file with its checksums"},
};

static const hsp_option_table *inspect_options(void)
{
    static const hsp_option_table table = {"inspect", "options of inspect", inspect_own, 2};
    return &table;
}

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

/* ---- For people ---- */

static void inspect_print_totals(const inspect *seen)
{
    const hsp_totals *all = seen->totals;
    const hsp_data *data = seen->data;
    cli_table table;
    table_begin(&table, "ll");
    table_line(&table, "rows", "%s", show_count(all->rows));
    table_line(&table, "features", "%s", show_count(all->cols));
    table_line(&table, "non-zeros", "%s, %s of all entries", show_count(all->nonzeros),
               show_share(all->density));
    table_line(&table, "in memory", "%s, %s precision, %s",
               hsp_storage_name(hsp_data_storage(data)),
               hsp_data_precision(data) == HSP_FLOAT32 ? "single" : "double",
               show_bytes(hsp_data_bytes(data)));
    if (*hsp_data_precision_reason(data))
        table_line(&table, "double because", "%s", hsp_data_precision_reason(data));
    table_line(&table, "values", "from %s to %s", show_end(all->min, all->max),
               show_end(all->max, all->min));
    table_line(&table, "row norms", "from %s to %s, mean %s", show_number(all->norm_min),
               show_number(all->norm_max), show_number(all->norm_mean));
    table_line(&table, "rows of zeros", "%s", show_count(all->empty_rows));
    table_line(&table, "duplicate rows", "%s", show_count(all->duplicate_rows));
    table_line(&table, "contradictory rows", "%s", show_count(all->contradictory_rows));
    table_line(&table, "columns of zeros", "%s", show_count(all->empty_columns));
    table_line(&table, "constant columns", "%s", show_count(all->constant_columns));
    table_line(&table, "duplicate columns", "%s", show_count(all->duplicate_columns));
    if (hsp_data_classes(data) > 1)
        table_line(
            &table, "order of classes", "%s runs of one class; %s expected in a random order",
            show_count(all->class_runs), show_count((uint64_t)(all->class_runs_expected + 0.5)));
    if (seen->verified) table_line(&table, "checksums", "%s", "as written");
    printf("%s\n", show_input(seen->path));
    table_print(&table, stdout);
    if (!all->exact)
        printf("  Equal, constant and zero are said of the values as rounded to %s precision: "
               "this input cannot be read again to compare its decimals.\n",
               hsp_data_precision(data) == HSP_FLOAT32 ? "single" : "double");
}

static void inspect_print_classes(const inspect *seen)
{
    uint32_t classes = hsp_data_classes(seen->data);
    cli_table table;
    if (!classes) return;
    table_begin(&table, "lrr");
    table_cell(&table, "class");
    table_cell(&table, "rows");
    table_cell(&table, "share");
    for (uint32_t c = 0; c < classes && c < INSPECT_CLASSES; c++) {
        uint64_t rows = hsp_summary_class_count(seen->summary, c);
        table_cell(&table, "%s", show_name(hsp_data_class_name(seen->data, c)));
        table_cell(&table, "%s", show_count(rows));
        table_cell(&table, "%s", show_share((double)rows / (double)seen->totals->rows));
    }
    if (classes > INSPECT_CLASSES)
        printf("\nClasses, the first %d of %s\n", INSPECT_CLASSES, show_count(classes));
    else
        printf("\nClasses\n");
    table_print(&table, stdout);
}

static void inspect_column_row(cli_table *table, const inspect *seen, uint64_t j)
{
    const hsp_column_summary *column = hsp_summary_column(seen->summary, j);
    table_cell(table, "%s", show_column(seen->data, j));
    table_cell(table, "%s", show_end(column->min, column->max));
    table_cell(table, "%s", show_end(column->max, column->min));
    table_cell(table, "%s", show_number(column->mean));
    table_cell(table, "%s", show_number(column->stdev));
    table_cell(table, "%s", show_count(column->nonzeros));
    if (column->duplicate_of >= 0)
        table_cell(table, "same as %s", show_column(seen->data, (uint64_t)column->duplicate_of));
    else
        table_cell(table, "%s",
                   column->nonzeros == 0 ? "zeros"
                   : column->constant    ? "constant"
                                         : "");
}

static void inspect_print_columns(const inspect *seen)
{
    static const char *const heads[] = {"column", "min", "max", "mean", "stdev", "non-zeros", ""};
    cli_table table;
    if (!seen->columns) return;
    table_begin(&table, "lrrrrrl");
    for (int i = 0; i < 7; i++)
        table_cell(&table, "%s", heads[i]);
    for (uint64_t j = 0; j < seen->columns; j++)
        inspect_column_row(&table, seen, j);
    if (seen->columns < seen->totals->cols)
        printf("\nColumns, the first %s of %s%s\n", show_count(seen->columns),
               show_count(seen->totals->cols), hsp_data_stored_note(seen->data));
    else
        printf("\nColumns%s\n", hsp_data_stored_note(seen->data));
    table_print(&table, stdout);
}

static void inspect_print_watch(const cli_watch *watch)
{
    printf("\nWhat to watch out for:%s\n", watch->count ? "" : " nothing stands out");
    for (size_t i = 0; i < watch->count; i++)
        printf("  - %s\n", watch->sentences[i]);
}

/* ---- For machines ---- */

static const cli_term inspect_keys[] = {
    {"file", "the file, as it was named"},
    {"rows, features, nonzeros", "numbers of rows, of columns, of entries other than zero"},
    {"storage", "dense, sparse or ones (sparse, all values 1)"},
    {"precision", "single or double"},
    {"precision_reason", "why reading chose double precision, or null"},
    {"numbers", CLI_NUMBERS_KEY},
    {"density", "share of the entries that are not zero"},
    {"bytes", "memory that rows and labels take"},
    {"classes", "object: the rows of each class, by its name"},
    {"min, max", "of all entries, zeros included"},
    {"norms", "object: min, mean and max of the rows' Euclidean norms"},
    {"empty_rows, duplicate_rows, contradictory_rows",
     "rows of zeros; equal to an earlier row; equal to a row of another class"},
    {"empty_columns, constant_columns, duplicate_columns",
     "columns of zeros; of one other value; equal to an earlier column"},
    {"exact", "true: rows and columns are equal, constant or zero as decimals of the file; false: "
              "after rounding to the precision in memory"},
    {"class_runs, class_runs_expected",
     "runs of one class in the order of the file; how many a random order would have"},
    {"columns",
     "array of the columns listed: column (its number from 1), name (or null), min, max, "
     "mean, stdev, nonzeros, constant, duplicate_of (the number from 1 of an earlier "
     "column, or null)"},
    {"warnings", "array of sentences: what to watch out for"},
    {"verified", "true when --verify compared checksums"},
    {"load_seconds, check_seconds, summary_seconds",
     "time to read the file; to check a binary one's arrays; to look at it all"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void inspect_json_column(cli_json_writer *json, const inspect *seen, uint64_t j)
{
    const hsp_column_summary *column = hsp_summary_column(seen->summary, j);
    json_open(json, NULL, '{');
    json_count(json, "column", j + 1);
    json_text(json, "name", hsp_data_feature_name(seen->data, j));
    json_value(json, "min", hsp_data_precision(seen->data), column->min);
    json_value(json, "max", hsp_data_precision(seen->data), column->max);
    json_number(json, "mean", column->mean);
    json_number(json, "stdev", column->stdev);
    json_count(json, "nonzeros", column->nonzeros);
    json_flag(json, "constant", column->constant);
    if (column->duplicate_of < 0)
        json_text(json, "duplicate_of", NULL);
    else
        json_count(json, "duplicate_of", (uint64_t)column->duplicate_of + 1);
    json_close(json, '}');
}

static void inspect_json_totals(cli_json_writer *json, const inspect *seen)
{
    const hsp_totals *all = seen->totals;
    json_number(json, "density", all->density);
    json_count(json, "bytes", hsp_data_bytes(seen->data));
    json_open(json, "classes", '{');
    for (uint32_t c = 0; c < hsp_data_classes(seen->data); c++)
        json_count(json, hsp_data_class_name(seen->data, c),
                   hsp_summary_class_count(seen->summary, c));
    json_close(json, '}');
    json_value(json, "min", hsp_data_precision(seen->data), all->min);
    json_value(json, "max", hsp_data_precision(seen->data), all->max);
    json_open(json, "norms", '{');
    json_number(json, "min", all->norm_min);
    json_number(json, "mean", all->norm_mean);
    json_number(json, "max", all->norm_max);
    json_close(json, '}');
    json_count(json, "empty_rows", all->empty_rows);
    json_count(json, "duplicate_rows", all->duplicate_rows);
    json_count(json, "contradictory_rows", all->contradictory_rows);
    json_count(json, "empty_columns", all->empty_columns);
    json_count(json, "constant_columns", all->constant_columns);
    json_count(json, "duplicate_columns", all->duplicate_columns);
    json_flag(json, "exact", all->exact);
    json_count(json, "class_runs", all->class_runs);
    json_number(json, "class_runs_expected", all->class_runs_expected);
}

static void inspect_print_json(const cli *run, const inspect *seen)
{
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", seen->path);
    json_data(&json, seen->data, seen->totals->nonzeros);
    json_stored(&json, seen->data);
    inspect_json_totals(&json, seen);
    json_open(&json, "columns", '[');
    for (uint64_t j = 0; j < seen->columns; j++)
        inspect_json_column(&json, seen, j);
    json_close(&json, ']');
    json_open(&json, "warnings", '[');
    for (size_t i = 0; i < seen->watch.count; i++)
        json_text(&json, NULL, seen->watch.sentences[i]);
    json_close(&json, ']');
    json_flag(&json, "verified", seen->verified);
    json_seconds(&json, "load_seconds", seen->load_seconds);
    json_seconds(&json, "check_seconds", seen->check_seconds);
    json_seconds(&json, "summary_seconds", seen->summary_seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

static hsp_status inspect_load(cli *run, inspect *seen, hsp_error *err)
{
    const hsp_view *view;
    hsp_status status = cli_read(run, seen->path, run->options[INSPECT_READ], NULL, err,
                                 &seen->data, &seen->load_seconds);
    if (status == HSP_OK && hsp_options_flag(run->options[INSPECT_OWN], "verify")) {
        status = hsp_data_verify(run->ctx, seen->data, err);
        seen->verified = status == HSP_OK;
    }
    double start = cli_seconds();
    if (status == HSP_OK) status = hsp_data_view(run->ctx, seen->data, err, &view);
    seen->check_seconds = cli_seconds() - start;
    start = cli_seconds();
    if (status == HSP_OK) status = hsp_summary_new(run->ctx, seen->data, err, &seen->summary);
    if (status == HSP_OK)
        status = hsp_summary_confirm(run->ctx, seen->summary, seen->data, seen->path,
                                     run->options[INSPECT_READ], err);
    seen->summary_seconds = cli_seconds() - start;
    return status;
}

static hsp_status inspect_run(cli *run, hsp_error *err)
{
    inspect seen = {.path = run->arguments[0]};
    hsp_status status = cli_how_many(run->options[INSPECT_OWN], "columns", err, &seen.columns);
    if (status == HSP_OK) status = inspect_load(run, &seen, err);
    if (status == HSP_OK) {
        seen.totals = hsp_summary_totals(seen.summary);
        if (seen.columns > seen.totals->cols) seen.columns = seen.totals->cols;
        watch_data(&seen.watch, seen.data, seen.summary);
        cli_progress_clear();
        if (cli_json(run)) {
            inspect_print_json(run, &seen);
        } else {
            inspect_print_totals(&seen);
            inspect_print_classes(&seen);
            inspect_print_columns(&seen);
            inspect_print_watch(&seen.watch);
        }
    }
    watch_free(&seen.watch);
    hsp_summary_free(seen.summary);
    hsp_data_free(seen.data);
    return status;
}

static const cli_term inspect_arguments[] = {
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input"},
    {NULL, NULL}};

static const cli_term inspect_examples[] = {
    {"halfspace inspect iris.csv", "say what is in a CSV file whose last column is the label"},
    {"halfspace inspect --json --columns all train.svm.gz", "the same for a program to read"},
    {"halfspace inspect --verify train.hsp", "compare a binary file with its checksums"},
    {NULL, NULL}};

const cli_command cli_inspect = {
    .name = "inspect",
    .summary = "describe a data file and warn about problems",
    .synopsis = "DATA [options]",
    .description =
        "Summarise a data file: rows, features, classes and their shares, ranges, norms, "
        "constant and duplicate columns, duplicate and contradictory rows, the order of the "
        "classes. Then list what to watch out for before training on it.",
    .arguments = inspect_arguments,
    .groups = inspect_groups,
    .keys = inspect_keys,
    .examples = inspect_examples,
    .least = 1,
    .most = 1,
    .run = inspect_run,
};
