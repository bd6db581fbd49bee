/* halfspace inspect DATA: what is in a data file, and what to watch out for. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { INSPECT_OWN, INSPECT_READ };

#define INSPECT_CLASSES 20 /* listed for people; JSON has them all */

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

/* ---- The result ---- */

typedef struct inspect_class {
    const char *name;
    uint64_t rows;
} inspect_class;

typedef struct inspect_column {
    uint64_t column, duplicate_of; /* from 1 */
    const char *name;
    hsp_column_summary all;
    hsp_precision precision;
} inspect_column;

static const void *inspect_class_at(const void *record, size_t i, void *room)
{
    const inspect *seen = record;
    inspect_class *one = room;
    if (i >= hsp_data_classes(seen->data)) return NULL;
    *one = (inspect_class){hsp_data_class_name(seen->data, (uint32_t)i),
                           hsp_summary_class_count(seen->summary, (uint32_t)i)};
    return one;
}

static const void *inspect_column_at(const void *record, size_t i, void *room)
{
    const inspect *seen = record;
    inspect_column *one = room;
    if (i >= seen->columns) return NULL;
    *one = (inspect_column){.column = i + 1,
                            .name = hsp_data_feature_name(seen->data, i),
                            .all = *hsp_summary_column(seen->summary, i),
                            .precision = hsp_data_precision(seen->data)};
    one->duplicate_of =
        one->all.duplicate_of < 0 ? UINT64_MAX : (uint64_t)one->all.duplicate_of + 1;
    return one;
}

static const void *inspect_warning_at(const void *record, size_t i, void *room)
{
    const cli_watch *watch = &((const inspect *)record)->watch;
    (void)room;
    return i < watch->count ? watch->sentences[i] : NULL;
}

GETTER(inspect_column_min, inspect_column, one, hsp_number_text(one->all.min, one->precision, room))
GETTER(inspect_column_max, inspect_column, one, hsp_number_text(one->all.max, one->precision, room))
GETTER(inspect_min, inspect, seen,
       hsp_number_text(seen->totals->min, hsp_data_precision(seen->data), room))
GETTER(inspect_max, inspect, seen,
       hsp_number_text(seen->totals->max, hsp_data_precision(seen->data), room))
GETTER(inspect_totals, inspect, seen, seen->totals)
GETTER(inspect_nonzeros, inspect, seen, &seen->totals->nonzeros) /* of the file, if that is known */
GETTER_NEW(inspect_bytes, inspect, seen, uint64_t, hsp_data_bytes(seen->data))

FIELDS(inspect_class_fields, inspect_class, FIELD(TEXT, "name", NULL, name, "name of the class"),
       FIELD(COUNT, "rows", NULL, rows, "its rows"))

FIELDS(inspect_column_fields, inspect_column,
       FIELD(COUNT, "column", NULL, column, "number of the column, from 1"),
       FIELD(TEXT, "name", NULL, name, "its name", .when = "null without names"),
       FIELD_GET(NUMBER, "min", NULL, inspect_column_min, "smallest value, zeros included"),
       FIELD_GET(NUMBER, "max", NULL, inspect_column_max, "largest value"),
       FIELD(REAL, "mean", NULL, all.mean, "mean"),
       FIELD(REAL, "stdev", NULL, all.stdev, "standard deviation, with divisor rows"),
       FIELD(COUNT, "nonzeros", NULL, all.nonzeros, "entries other than 0"),
       FIELD(FLAG, "constant", NULL, all.constant, "all values are equal"),
       FIELD(COUNT, "duplicate_of", NULL, duplicate_of,
             "number, from 1, of the first earlier column that it equals",
             .when = "null if there is none"))

FIELDS(inspect_norm_fields, hsp_totals, FIELD(REAL, "min", NULL, norm_min, "smallest"),
       FIELD(REAL, "mean", NULL, norm_mean, "mean"), FIELD(REAL, "max", NULL, norm_max, "largest"))

FIELDS(inspect_totals_fields, hsp_totals,
       FIELD(SHARE, "density", NULL, density, "share of the entries that are not 0"),
       FIELD(OBJECT, "norms", NULL, rows, "Euclidean norms of the rows", .of = inspect_norm_fields),
       FIELD(COUNT, "empty_rows", NULL, empty_rows, "rows of zeros", .unit = "rows"),
       FIELD(COUNT, "duplicate_rows", NULL, duplicate_rows, "rows equal to an earlier row",
             .unit = "rows"),
       FIELD(COUNT, "contradictory_rows", NULL, contradictory_rows,
             "rows equal to a row of another class", .unit = "rows"),
       FIELD(COUNT, "empty_columns", NULL, empty_columns, "columns of zeros", .unit = "columns"),
       FIELD(COUNT, "constant_columns", NULL, constant_columns, "columns of one other value",
             .unit = "columns"),
       FIELD(COUNT, "duplicate_columns", NULL, duplicate_columns, "columns equal to an earlier one",
             .unit = "columns"),
       FIELD(FLAG, "exact", NULL, exact,
             "equal, constant and zero are said of the decimals of the file; false: of values "
             "rounded to the precision in memory"),
       FIELD(COUNT, "class_runs", NULL, class_runs, "runs of one class in the order of the file"),
       FIELD(REAL, "class_runs_expected", NULL, class_runs_expected,
             "their mean number in a random order"))

FIELDS(inspect_fields, inspect, FIELD(TEXT, "file", NULL, path, "the data file"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_shape_fields),
       FIELD_GET(COUNT, "nonzeros", NULL, inspect_nonzeros, "entries other than 0"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_storage_fields),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_numbers_fields),
       FIELD_GET(COUNT, "bytes", NULL, inspect_bytes, "memory of rows and labels", .unit = "bytes"),
       FIELD_GET(MAP, "classes", NULL, inspect_class_at, "rows of each class",
                 .of = inspect_class_fields),
       FIELD_GET(NUMBER, "min", NULL, inspect_min, "smallest entry, zeros included"),
       FIELD_GET(NUMBER, "max", NULL, inspect_max, "largest entry"),
       FIELD_GET(PART, NULL, NULL, inspect_totals, NULL, .of = inspect_totals_fields),
       FIELD_GET(LIST, "columns", NULL, inspect_column_at, "the columns listed",
                 .of = inspect_column_fields),
       FIELD_GET(LIST, "warnings", NULL, inspect_warning_at, "what to watch out for, sentences",
                 .of = hsp_field_texts),
       FIELD(FLAG, "verified", NULL, verified, "--verify compared the checksums"),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read the file"),
       FIELD(SECONDS, "check_seconds", NULL, check_seconds, "time to check a binary file"),
       FIELD(SECONDS, "summary_seconds", NULL, summary_seconds, "time to compute the summary"))

static const cli_result inspect_results[] = {{"inspect", inspect_fields, 0, 0}, {NULL, NULL, 0, 0}};

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
            status = cli_report(run, inspect_results, &seen, stdout, err);
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
    .results = inspect_results,
    .examples = inspect_examples,
    .least = 1,
    .most = 1,
    .run = inspect_run,
};
