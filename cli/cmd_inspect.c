/* halfspace inspect DATA: what is in a data file, and what to watch out for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

enum { INSPECT_OWN, INSPECT_LOOK, INSPECT_READ };
#define INSPECT_PART ((uint64_t)100 << 20) /* what is looked at without --all */

CLI_OPTIONS(inspect_options, "inspect",
            {"columns", HSP_OPTION_TEXT, "20", 0, 0, NULL, "N",
             "number of columns to list, or all"},
            {"verify", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
             "compare a binary file with its checksums"})

static const cli_group inspect_groups[] = {{"Options", inspect_options},
                                           {"Looking options", hsp_profile_options},
                                           {"Reading options", hsp_read_options},
                                           {NULL, NULL}};

typedef struct inspect {
    const char *path;
    hsp_profile *profile;
    const hsp_profile_totals *table; /* NULL: not a table */
    uint64_t table_columns;          /* to list */
    char *unread;                    /* why the rows could not be read; NULL: they were */
    int explained;                   /* the options that the findings advise would mend that */
    int more;                        /* --all looks at more */
    char *broken;                    /* which lines of libsvm text cannot be read; NULL: all can */
    char *advice[4]; /* the arguments of all findings: of reading, training, scoring; and of
                        reading, those that split has */
    hsp_data *data;
    hsp_summary *summary;
    const hsp_totals *totals;
    uint64_t columns; /* to list */
    double look_seconds, load_seconds, check_seconds, summary_seconds;
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

GETTER(inspect_finding_at, inspect, seen, i < seen->watch.count ? &seen->watch.findings[i] : NULL)
/* In a text, before the figures of a table's rows; of other files, behind them. */
GETTER(inspect_finding_first, inspect, seen, seen->table ? inspect_finding_at(seen, i, room) : NULL)
GETTER(inspect_finding_last, inspect, seen, seen->table ? NULL : inspect_finding_at(seen, i, room))
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
GETTER(inspect_quiet_first, inspect, seen, seen->table && !seen->watch.count ? "" : NULL)
GETTER(inspect_quiet_last, inspect, seen, !seen->table && !seen->watch.count ? "" : NULL)
GETTER(inspect_is_table, inspect, seen, seen->table ? "" : NULL)
GETTER(inspect_rows, inspect, seen, seen->data ? seen : NULL)
GETTER(inspect_table, inspect, seen, seen->table ? seen : NULL)
GETTER(inspect_explained, inspect, seen, seen->explained ? "" : NULL)
GETTER(inspect_unexplained, inspect, seen, seen->explained ? NULL : seen->unread)
GETTER(inspect_advice_reading, inspect, seen, seen->advice[0])
GETTER(inspect_advice_training, inspect, seen, seen->advice[1])
GETTER(inspect_advice_scoring, inspect, seen, seen->advice[2])
GETTER(inspect_advice_splitting, inspect, seen, seen->advice[3])
/* for people: only if it is another line */
GETTER(inspect_split_line, inspect, seen,
       seen->advice[0] && seen->advice[3] && strcmp(seen->advice[0], seen->advice[3]) != 0
           ? seen->advice[3]
           : NULL)

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

/* ---- The columns of a table ---- */

GETTER(inspect_file_column_at, inspect, seen,
       i < seen->table_columns ? hsp_profile_column_at(seen->profile, i) : NULL)
GETTER(inspect_file_column, inspect, seen, hsp_profile_column_at(seen->profile, i))
GETTER(inspect_fewer_columns, inspect, seen,
       seen->table_columns < seen->table->columns ? &seen->table_columns : NULL)
GETTER(inspect_part, inspect, seen, seen->table->complete ? NULL : "")
GETTER(inspect_more, inspect, seen, seen->more ? "" : NULL)
GETTER(inspect_label, inspect, seen,
       hsp_profile_column_at(seen->profile, seen->table->label)
           ? hsp_profile_column_at(seen->profile, seen->table->label)->name
           : NULL)
GETTER(inspect_names, inspect, seen,
       seen->table->header ? "names in the first line" : "no names in the first line")
GETTER(inspect_separator, inspect, seen,
       strcmp(seen->table->separator, "\t") == 0  ? "tab"
       : strcmp(seen->table->separator, ",") == 0 ? "comma"
       : strcmp(seen->table->separator, ";") == 0 ? "semicolon"
       : strcmp(seen->table->separator, "|") == 0 ? "pipe"
       : strcmp(seen->table->separator, " ") == 0 ? "space"
                                                  : seen->table->separator)

/* A number, or the day that it stands for. */
static const void *inspect_value(const hsp_profile_column *column, double value, void *room)
{
    struct tm day;
    if (isnan(value)) return NULL;
    if (!column->format) return show_number(value);
    const time_t seconds = (time_t)(floor(value) * 86400);
    return gmtime_r(&seconds, &day) && strftime(room, HSP_FIELD_ROOM, "%Y-%m-%d", &day) ? room
                                                                                        : NULL;
}

GETTER(inspect_least, hsp_profile_column, column, inspect_value(column, column->min, room))
GETTER(inspect_middle, hsp_profile_column, column, inspect_value(column, column->median, room))
GETTER(inspect_most, hsp_profile_column, column, inspect_value(column, column->max, room))
GETTER(inspect_first_day, hsp_profile_column, column,
       column->format ? inspect_value(column, column->min, room) : NULL)
GETTER(inspect_last_day, hsp_profile_column, column,
       column->format ? inspect_value(column, column->max, room) : NULL)
GETTER(inspect_at_least, hsp_profile_column, column, column->exact ? NULL : "over ")
GETTER(inspect_labels, hsp_profile_column, column, column->label ? "" : NULL)
GETTER(inspect_example_at, hsp_profile_column, column, i < 3 ? column->examples[i] : NULL)

typedef struct inspect_frequent {
    const char *value;
    uint64_t cells;
} inspect_frequent;
GETTER_AT(inspect_frequent_at, hsp_profile_column, column, inspect_frequent,
          i < 3 && column->frequent[i], column->frequent[i], column->frequent_cells[i])

/* The values in a line: of categories the most frequent with their counts, else examples. */
static const void *inspect_values(const void *record, size_t i, void *room)
{
    const hsp_profile_column *column = record;
    const int counts = strcmp(column->kind, "category") == 0;
    char *at = room, *end = at + HSP_FIELD_ROOM;
    (void)i;
    *at = 0;
    for (size_t v = 0; v < 3; v++) {
        const char *value = counts ? column->frequent[v] : column->examples[v];
        if (!value) break;
        at += snprintf(at, (size_t)(end - at), "%s%.44s", v ? ", " : "", show_short(value));
        if (counts)
            at += snprintf(at, (size_t)(end - at), " %s", show_count(column->frequent_cells[v]));
    }
    if (column->distinct > 3) snprintf(at, (size_t)(end - at), ", ...");
    return room;
}

FIELDS(inspect_frequent_fields, inspect_frequent, FIELD(TEXT, "value", NULL, value, "the value"),
       FIELD(COUNT, "cells", NULL, cells, "its cells"))

FIELDS(inspect_file_column_fields, hsp_profile_column,
       FIELD_GET(TEXT, ".over", NULL, inspect_at_least, NULL),
       FIELD_GET(TEXT, ".labels", NULL, inspect_labels, NULL),
       FIELD(TEXT, "name", "column", name, "its name, or c1, c2, ..."),
       FIELD(TEXT, "kind", "kind", kind,
             "number, category, date, id, text, constant, or empty (nothing but missing values)",
             .text = "[{.labels}{}, label~{}]"),
       FIELD(COUNT, "missing", "missing", missing, "cells with a missing value"),
       FIELD(COUNT, "distinct", "distinct", distinct, "different values, missing ones aside",
             .text = "[{.over}{}~{}]"),
       FIELD(FLAG, "exact", NULL, exact,
             "the number of values is exact; false: it is a lower bound, the median an estimate, "
             "and the most frequent values those among the first distinct ones"),
       FIELD_GET(NUMBER, NULL, "min", inspect_least, NULL),
       FIELD_GET(NUMBER, NULL, "median", inspect_middle, NULL),
       FIELD_GET(NUMBER, NULL, "max", inspect_most, NULL),
       FIELD(REAL, "min", NULL, min, "smallest number; of a date, days since 1970-01-01",
             .when = "null for other kinds"),
       FIELD(REAL, "median", NULL, median, "median, likewise", .when = "null for other kinds"),
       FIELD(REAL, "max", NULL, max, "largest number, likewise", .when = "null for other kinds"),
       FIELD(TEXT, "format", NULL, format, "pattern of the dates", .when = "null for other kinds"),
       FIELD_GET(TEXT, "first_date", NULL, inspect_first_day, "earliest date",
                 .when = "null for other kinds"),
       FIELD_GET(TEXT, "last_date", NULL, inspect_last_day, "latest date",
                 .when = "null for other kinds"),
       FIELD_GET(LIST, "frequent", NULL, inspect_frequent_at,
                 "the most frequent values, at most three", .of = inspect_frequent_fields),
       FIELD_GET(LIST, "examples", NULL, inspect_example_at, "the first values, at most three",
                 .of = hsp_field_texts),
       FIELD(FLAG, "label", NULL, label, "it holds the labels, by the options or by a guess"),
       FIELD_GET(TEXT, NULL, "values", inspect_values, NULL))

FIELDS(inspect_totals_fields, hsp_profile_totals, FIELD(TEXT, "format", NULL, format, "csv or tsv"),
       FIELD(COUNT, "rows", NULL, rows, "rows looked at, the header aside", .unit = "rows"),
       FIELD(COUNT, "columns_total", NULL, columns, "columns of the file", .unit = "columns"),
       FIELD(COUNT, "bytes", NULL, bytes, "bytes looked at", .unit = "bytes"),
       FIELD(FLAG, "complete", NULL, complete,
             "all was looked at; false: the first 100 MB, or the files that fit the first"),
       FIELD(FLAG, "header", NULL, header, "the first line names the columns"),
       FIELD(COUNT, "ragged_rows", NULL, ragged, "rows with too many or too few fields",
             .unit = "rows"),
       FIELD(COUNT, "misquoted_rows", NULL, misquoted, "rows with a quote that is out of place",
             .unit = "rows"))

GETTER(inspect_table_totals, inspect, seen, seen->table)

FIELDS(inspect_table_fields, inspect,
       FIELD_GET(PART, NULL, NULL, inspect_table_totals, NULL, .of = inspect_totals_fields),
       FIELD_GET(TEXT, "separator", NULL, inspect_separator,
                 "what is between fields: comma, semicolon, tab, pipe, space (runs of them), or "
                 "the character"),
       FIELD_GET(TEXT, "label", NULL, inspect_label,
                 "the column that holds the labels, by the options or by a guess",
                 .when = "null if there is none"),
       FIELD_GET(TEXT, ".names", NULL, inspect_names, NULL),
       FIELD_GET(COUNT, ".fewer_columns", NULL, inspect_fewer_columns, NULL),
       FIELD_GET(TEXT, ".part", NULL, inspect_part, NULL),
       FIELD_GET(TEXT, ".more", NULL, inspect_more, NULL),
       CLI_TEXT("table", "{rows:row}[{.part} in the first {bytes}][{.more}; --all looks at all], "
                         "{columns_total:column}, separator {separator}, {.names}"),
       FIELD_GET(LIST, "columns", NULL, inspect_file_column, "the columns of the file",
                 .of = inspect_file_column_fields),
       FIELD_GET(LIST, NULL, "Columns of the file[, the first {.fewer_columns} of {columns_total}]",
                 inspect_file_column_at, NULL, .of = inspect_file_column_fields, .most = SIZE_MAX))

/* ---- All of it ---- */

FIELDS(inspect_finding_fields, hsp_finding,
       FIELD(TEXT, "sentence", "", sentence, "what was found", .text = "- {}[  Use: {argument}]"),
       FIELD(TEXT, "option", NULL, option, "name of the option that deals with it",
             .when = "null if none does"),
       FIELD(TEXT, "value", NULL, value, "value of the option", .when = "null if none does"),
       FIELD(TEXT, "argument", NULL, argument, "the option as it is typed in a shell",
             .when = "null if none does"),
       FIELD(TEXT, "use", NULL, use,
             "whose option it is: reading, training, or scoring (of cv, tune and eval)",
             .when = "null if none does"))

FIELDS(inspect_rows_fields, inspect, FIELD_GET(TEXT, ".low", NULL, inspect_low, NULL),
       FIELD_GET(TEXT, ".high", NULL, inspect_high, NULL),
       FIELD_GET(TEXT, ".several", NULL, inspect_several, NULL),
       FIELD_GET(COUNT, ".fewer", NULL, inspect_fewer, NULL),
       CLI_LINE("{.is_table}\nThe rows as they are read:"), CLI_TEXT("rows", "{rows}"),
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
       FIELD_GET(LIST, "columns",
                 "[{.is_table}Features~Columns][, the first {.fewer} of {features}]{.note}",
                 inspect_column_at, "the features listed: columns after encoding",
                 .of = inspect_column_fields, .most = SIZE_MAX))

FIELDS(
    inspect_fields, inspect, CLI_LINE("{file}"),
    FIELD_GET(TEXT, ".quiet_first", NULL, inspect_quiet_first, NULL),
    FIELD_GET(TEXT, ".quiet_last", NULL, inspect_quiet_last, NULL),
    FIELD_GET(TEXT, ".is_table", NULL, inspect_is_table, NULL),
    FIELD_GET(TEXT, ".explained", NULL, inspect_explained, NULL),
    FIELD_GET(TEXT, ".unexplained", NULL, inspect_unexplained, NULL),
    FIELD(TEXT, "file", NULL, path, "the data file"),
    FIELD_GET(OBJECT, "table", NULL, inspect_table, "the table as it is in the file",
              .of = inspect_table_fields, .when = "null if the file is not CSV or TSV"),
    FIELD_GET(LIST, "findings", NULL, inspect_finding_at, "what to watch out for",
              .of = inspect_finding_fields),
    FIELD_GET(LIST, NULL, "What to watch out for:", inspect_finding_first, NULL,
              .of = inspect_finding_fields, .most = SIZE_MAX),
    CLI_LINE("{.quiet_first}\nWhat to watch out for: nothing stands out"),
    FIELD_GET(TEXT, "reading_options", "to read it", inspect_advice_reading,
              "the options of reading that the findings advise, as they are typed in a shell",
              .when = "null if there are none"),
    FIELD_GET(TEXT, "splitting_options", NULL, inspect_advice_splitting,
              "those of them that split has", .when = "null if there are none"),
    FIELD_GET(TEXT, ".split_line", "to split it", inspect_split_line, NULL),
    FIELD_GET(TEXT, "training_options", "to train on it", inspect_advice_training,
              "the options of training, likewise", .when = "null if there are none"),
    FIELD_GET(TEXT, "scoring_options", "to cv, tune, eval", inspect_advice_scoring,
              "the options of cv, tune and eval, likewise", .when = "null if there are none"),
    FIELD(TEXT, "reading_error", NULL, unread, "why the rows cannot be read with these options",
          .when = "null if they can: then there are figures of the rows"),
    CLI_LINE("{.explained}\nThe figures of the rows are left out, because with these options they "
             "cannot be read: add those \"to read it\"."),
    CLI_LINE("\nThe figures of the rows are left out, because with these options they cannot be "
             "read:\n  {.unexplained}"),
    FIELD_GET(PART, NULL, NULL, inspect_rows, NULL, .of = inspect_rows_fields, .optional = 1),
    FIELD_GET(LIST, NULL, "What to watch out for:", inspect_finding_last, NULL,
              .of = inspect_finding_fields, .most = SIZE_MAX),
    CLI_LINE("{.quiet_last}\nWhat to watch out for: nothing stands out"),
    FIELD(FLAG, "verified", NULL, verified, "--verify compared the checksums"),
    FIELD(SECONDS, "look_seconds", NULL, look_seconds, "time to look at the table"),
    FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read the file"),
    FIELD(SECONDS, "check_seconds", NULL, check_seconds, "time to check a binary file"),
    FIELD(SECONDS, "summary_seconds", NULL, summary_seconds, "time to compute the summary"))

static const cli_result inspect_results[] = {{"inspect", inspect_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* ---- The command ---- */

/* Would the rows be read with the options that the findings advise? */
static hsp_status inspect_explain(cli *run, inspect *seen, hsp_error *err)
{
    hsp_options *read = NULL;
    hsp_data *data = NULL;
    hsp_context_set_log(run->ctx, NULL, NULL); /* the notes were told */
    hsp_status status = hsp_options_copy(run->ctx, run->options[INSPECT_READ], err, &read);
    if (status == HSP_OK) status = hsp_profile_advise(seen->profile, read, err);
    if (status == HSP_OK)
        status = hsp_profile_read(run->ctx, seen->profile, read, NULL, err, &data);
    seen->explained = status == HSP_OK;
    hsp_data_free(data);
    hsp_options_free(read);
    if (status != HSP_BAD_DATA && status != HSP_USAGE) return status;
    *err = (hsp_error)HSP_ERROR_INIT;
    return HSP_OK;
}

/* The warning about lines that are left out. */
static void inspect_hear(void *user, hsp_log_level level, const char *sentence)
{
    inspect *seen = user;
    if (level == HSP_LOG_WARNING && !seen->broken && strstr(sentence, "cannot be read"))
        seen->broken = cli_format("%s.", sentence);
}

/* libsvm text with lines that cannot be read: look at the others. */
static hsp_status inspect_read_others(cli *run, inspect *seen, hsp_error *err)
{
    hsp_options *read = NULL;
    hsp_error other = HSP_ERROR_INIT;
    hsp_context_set_log(run->ctx, inspect_hear, seen);
    hsp_status status = hsp_options_copy(run->ctx, run->options[INSPECT_READ], &other, &read);
    if (status == HSP_OK) status = hsp_options_set(read, "on-error", "skip", &other);
    if (status == HSP_OK)
        status = hsp_profile_read(run->ctx, seen->profile, read, NULL, &other, &seen->data);
    hsp_options_free(read);
    hsp_context_set_log(run->ctx, NULL, NULL);
    if (status == HSP_OK && seen->broken) *err = (hsp_error)HSP_ERROR_INIT;
    return status == HSP_OK && seen->broken ? HSP_OK : HSP_BAD_DATA;
}

/* Read the rows. If that fails because of what is in the file or how the options fit it, a table has
 * been looked at all the same: the failure is kept as a sentence. */
static hsp_status inspect_read(cli *run, inspect *seen, hsp_error *err)
{
    const hsp_options *read = run->options[INSPECT_READ];
    const double start = cli_seconds();
    hsp_status status = hsp_profile_read(run->ctx, seen->profile, read, NULL, err, &seen->data);
    seen->load_seconds = cli_seconds() - start;
    if (status == HSP_BAD_DATA && !seen->table) return inspect_read_others(run, seen, err);
    if (!seen->table || (status != HSP_BAD_DATA && status != HSP_USAGE)) return status;
    char text[sizeof err->file + sizeof err->message + 64];
    seen->unread = cli_format("%s", hsp_error_text(err, text, sizeof text));
    *err = (hsp_error)HSP_ERROR_INIT;
    return inspect_explain(run, seen, err);
}

static hsp_status inspect_summarise(cli *run, inspect *seen, hsp_error *err)
{
    const hsp_view *view;
    double start = cli_seconds();
    hsp_status status = hsp_data_view(run->ctx, seen->data, err, &view);
    seen->check_seconds = cli_seconds() - start;
    start = cli_seconds();
    if (status == HSP_OK) status = hsp_summary_new(run->ctx, seen->data, err, &seen->summary);
    if (status == HSP_OK)
        status = hsp_summary_confirm(run->ctx, seen->summary, seen->data, seen->path,
                                     run->options[INSPECT_READ], err);
    seen->summary_seconds = cli_seconds() - start;
    if (status != HSP_OK) return status;
    seen->totals = hsp_summary_totals(seen->summary);
    if (seen->columns > seen->totals->cols) seen->columns = seen->totals->cols;
    return HSP_OK;
}

/* The arguments of all findings, each once, by use. */
static void inspect_advise(inspect *seen)
{
    static const char *const uses[] = {"reading", "training", "scoring", "reading"};
    const hsp_option_table *split = hsp_split_file_options();
    for (size_t i = 0; i < seen->watch.count; i++) {
        const hsp_finding *finding = &seen->watch.findings[i];
        for (size_t u = 0; finding->use && u < 4; u++) {
            char *old = seen->advice[u];
            int has = u < 3;
            for (size_t o = 0; !has && finding->option && o < split->count; o++)
                has = strcmp(split->options[o].name, finding->option) == 0;
            if (!has || strcmp(finding->use, uses[u]) != 0 ||
                (old && strstr(old, finding->argument)))
                continue;
            seen->advice[u] =
                cli_format("%s%s%s", old ? old : "", old ? " " : "", finding->argument);
            free(old);
        }
    }
}

static hsp_status inspect_run(cli *run, hsp_error *err)
{
    inspect seen = {.path = run->arguments[0]};
    hsp_status status = cli_how_many(run->options[INSPECT_OWN], "columns", err, &seen.columns);
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_profile_file(run->ctx, seen.path, run->options[INSPECT_READ],
                                  run->options[INSPECT_LOOK], err, &seen.profile);
    seen.look_seconds = cli_seconds() - start;
    if (status == HSP_OK && hsp_profile_table(seen.profile)->columns)
        seen.table = hsp_profile_table(seen.profile);
    if (seen.table)
        seen.table_columns =
            seen.columns < seen.table->columns ? seen.columns : seen.table->columns;
    if (seen.table && !seen.table->complete)
        seen.more = seen.table->bytes >= INSPECT_PART &&
                    !hsp_options_flag(run->options[INSPECT_LOOK], "all");
    if (status == HSP_OK) status = inspect_read(run, &seen, err);
    if (status == HSP_OK && hsp_options_flag(run->options[INSPECT_OWN], "verify") && seen.data) {
        status = hsp_data_verify(run->ctx, seen.data, err);
        seen.verified = status == HSP_OK;
    }
    if (status == HSP_OK && seen.data) status = inspect_summarise(run, &seen, err);
    if (status == HSP_OK) {
        watch_profile(&seen.watch, seen.profile);
        if (seen.broken) watch_broken(&seen.watch, seen.broken);
        if (seen.data) watch_data(&seen.watch, seen.data, seen.summary, seen.table != NULL);
        inspect_advise(&seen);
        status = cli_report(run, inspect_results, &seen, stdout, err);
    }
    watch_free(&seen.watch);
    for (size_t u = 0; u < 4; u++)
        free(seen.advice[u]);
    free(seen.unread);
    free(seen.broken);
    hsp_summary_free(seen.summary);
    hsp_data_free(seen.data);
    hsp_profile_free(seen.profile);
    return status;
}

static const cli_term inspect_arguments[] = {
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input. "
     "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term inspect_examples[] = {
    {"halfspace inspect customers.csv", "say what is in a CSV file, and which options it needs"},
    {"halfspace inspect --json --columns all train.svm.gz", "the same for a program to read"},
    {"halfspace inspect --verify train.hsp", "compare a binary file with its checksums"},
    {NULL, NULL}};

const cli_command cli_inspect = {
    .name = "inspect",
    .summary = "describe a data file and warn about problems",
    .synopsis = "DATA... [options]",
    .description =
        "Look at a data file, whatever is wrong with it. Of a table, list its columns with their "
        "kinds, missing and distinct values, ranges and examples. List what to watch out for, each "
        "with the option that deals with it. Then summarise the rows as they are read: features, "
        "classes and their shares, ranges, norms, constant and duplicate columns, duplicate and "
        "contradictory rows, the order of the classes. If the rows cannot be read with the options "
        "given, say why and leave that part out; the exit status is 0.",
    .arguments = inspect_arguments,
    .groups = inspect_groups,
    .results = inspect_results,
    .examples = inspect_examples,
    .least = 1,
    .most = 1,
    .several = 1,
    .run = inspect_run,
};
