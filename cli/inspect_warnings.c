/* What to watch out for in a data set before learning from it: each rule adds a sentence or
 * nothing. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define INSPECT_WARNINGS_NAMES      5   /* columns named in a sentence */
#define INSPECT_WARNINGS_UNBALANCED 10  /* largest class to smallest */
#define INSPECT_WARNINGS_RANGES     100 /* widest column to narrowest */

typedef struct watched {
    cli_watch *watch;
    const hsp_data *data;
    const hsp_summary *summary;
    const hsp_totals *totals;
    uint32_t classes;
    int table;           /* its profile was looked at */
    const char *rounded; /* what comes before a statement that holds for the values in memory, and
                            perhaps not for the decimals that they were read from; "" for nothing */
} watched;

/* Add a finding; the texts are freed with it. */
static void inspect_warnings_keep(cli_watch *watch, const hsp_finding *finding, char *sentence,
                                  char *argument)
{
    const size_t count = watch->count++;
    watch->findings = cli_memory(watch->findings, (count + 1) * sizeof *watch->findings);
    watch->texts = cli_memory(watch->texts, (count + 1) * sizeof *watch->texts);
    watch->findings[count] = *finding;
    watch->texts[count][0] = sentence;
    watch->texts[count][1] = argument;
}

/* `use` as in hsp_finding; NULL: no option deals with it. */
static void inspect_warnings_advise(const watched *seen, const char *use, const char *option,
                                    const char *value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void inspect_warnings_advise(const watched *seen, const char *use, const char *option,
                                    const char *value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sentence = cli_format_list(format, args);
    va_end(args);
    char *argument = option ? cli_format("--%s %s", option, value) : NULL;
    const hsp_finding finding = {sentence, option, value, argument, use};
    inspect_warnings_keep(seen->watch, &finding, sentence, argument);
}
#define inspect_warnings_add(seen, ...) inspect_warnings_advise(seen, NULL, NULL, NULL, __VA_ARGS__)

void watch_profile(cli_watch *watch, const hsp_profile *profile)
{
    const hsp_finding *one;
    for (uint64_t i = 0; (one = hsp_profile_finding(profile, i)); i++)
        inspect_warnings_keep(watch, one, NULL, NULL);
}

void watch_broken(cli_watch *watch, const char *sentence)
{
    const hsp_finding finding = {sentence, "on-error", "skip", "--on-error skip", "reading"};
    inspect_warnings_keep(watch, &finding, NULL, NULL);
}

void watch_free(cli_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        free(watch->texts[i][0]);
        free(watch->texts[i][1]);
    }
    free(watch->texts);
    free(watch->findings);
}

static const char *inspect_warnings_class(const watched *seen, uint32_t c)
{
    return show_name(hsp_data_class_name(seen->data, c));
}

static void inspect_warnings_classes(const watched *seen)
{
    const hsp_totals *all = seen->totals;
    uint32_t least = 0, most = 0;
    if (all->rows == 0)
        inspect_warnings_add(seen, "There are no rows.");
    else if (seen->classes == 0)
        inspect_warnings_add(seen, "There are no labels to learn from.");
    else if (seen->classes == 1 && !seen->table)
        inspect_warnings_add(seen,
                             "All rows are of the one class '%s': there is nothing to tell apart.",
                             inspect_warnings_class(seen, 0));
    else if (seen->classes > 20 && (uint64_t)seen->classes * 2 > all->rows && !seen->table)
        inspect_warnings_add(seen,
                             "There are %s classes in %s rows: is the label a number rather than a "
                             "class, or another column?",
                             show_count(seen->classes), show_count(all->rows));
    if (seen->classes < 2) return;
    for (uint32_t c = 1; c < seen->classes; c++) {
        const uint64_t rows = hsp_summary_class_count(seen->summary, c);
        if (rows < hsp_summary_class_count(seen->summary, least)) least = c;
        if (rows > hsp_summary_class_count(seen->summary, most)) most = c;
    }
    const uint64_t few = hsp_summary_class_count(seen->summary, least);
    const uint64_t many = hsp_summary_class_count(seen->summary, most);
    if (many >= few * INSPECT_WARNINGS_UNBALANCED && !seen->table) {
        inspect_warnings_advise(
            seen, "training", "weight", "balanced",
            "The classes are unbalanced: '%s' has %s of the rows, '%s' %s.",
            inspect_warnings_class(seen, most), show_share((double)many / (double)all->rows),
            inspect_warnings_class(seen, least), show_share((double)few / (double)all->rows));
        inspect_warnings_advise(
            seen, "scoring", "score", seen->classes == 2 ? "auc" : "balanced-accuracy",
            "Always answering '%s' is right on %s of the rows: accuracy alone says little.",
            inspect_warnings_class(seen, most), show_share((double)many / (double)all->rows));
    }
    if ((double)all->class_runs * 2 > all->class_runs_expected) return;
    if (all->class_runs == seen->classes)
        inspect_warnings_add(seen,
                             "The rows are sorted by class: shuffle before on-line learning.");
    else
        inspect_warnings_add(seen,
                             "The rows come in long runs of one class (%s runs; %s expected in a "
                             "random order): shuffle before on-line learning.",
                             show_count(all->class_runs),
                             show_count((uint64_t)(all->class_runs_expected + 0.5)));
}

static void inspect_warnings_rows(const watched *seen)
{
    const hsp_totals *all = seen->totals;
    if (all->contradictory_rows)
        inspect_warnings_add(
            seen,
            "%s%s row%s equal%s a row of another class: no function of these columns "
            "is right on all of them.",
            seen->rounded, show_count(all->contradictory_rows), plural(all->contradictory_rows),
            all->contradictory_rows == 1 ? "s" : "");
    if (all->duplicate_rows)
        inspect_warnings_add(
            seen, "%s%s row%s equal%s an earlier one: a random split puts copies on both sides.",
            seen->rounded, show_count(all->duplicate_rows), plural(all->duplicate_rows),
            all->duplicate_rows == 1 ? "s" : "");
    if (all->empty_rows)
        inspect_warnings_add(
            seen, "%s%s row%s all zeros: without an offset, no separator can place %s.",
            seen->rounded, show_count(all->empty_rows), all->empty_rows == 1 ? " is" : "s are",
            all->empty_rows == 1 ? "it" : "them");
    if (all->rows && all->cols > all->rows && !all->contradictory_rows)
        inspect_warnings_add(seen,
                             "There are more columns than rows (%s, %s): almost any labels are "
                             "separable; trust held-out rows only.",
                             show_count(all->cols), show_count(all->rows));
}

/* ---- Columns ---- */

static int inspect_warnings_is_empty(const hsp_column_summary *column)
{
    return column->nonzeros == 0;
}

static int inspect_warnings_is_constant(const hsp_column_summary *column)
{
    return column->constant && column->nonzeros != 0;
}

static int inspect_warnings_is_duplicate(const hsp_column_summary *column)
{
    return column->duplicate_of >= 0 && !column->constant;
}

/* "3 columns are zero in every row: a, b, c.", with the names of the first few. */
static void inspect_warnings_kind(const watched *seen, uint64_t count,
                                  int (*is)(const hsp_column_summary *), const char *one,
                                  const char *many)
{
    if (!count) return;
    char *names = cli_format("%s", "");
    int named = 0;
    for (uint64_t j = 0; j < seen->totals->cols && named <= INSPECT_WARNINGS_NAMES; j++) {
        if (!is(hsp_summary_column(seen->summary, j))) continue;
        char *longer =
            named++ == INSPECT_WARNINGS_NAMES
                ? cli_format("%s and more", names)
                : cli_format("%s%s%s", names, names[0] ? ", " : "", show_column(seen->data, j));
        free(names);
        names = longer;
    }
    inspect_warnings_add(seen, "%s%s %s: %s.", seen->rounded, show_count(count),
                         count == 1 ? one : many, names);
    free(names);
}

static void inspect_warnings_ranges(const watched *seen)
{
    double narrow = 0, wide = 0;
    uint64_t narrow_at = 0, wide_at = 0;
    for (uint64_t j = 0; j < seen->totals->cols; j++) {
        const hsp_column_summary *column = hsp_summary_column(seen->summary, j);
        double range = column->max - column->min;
        if (column->constant || !(range > 0)) continue;
        if (narrow == 0 || range < narrow) narrow = range, narrow_at = j;
        if (range > wide) wide = range, wide_at = j;
    }
    if (narrow == 0 || wide < narrow * INSPECT_WARNINGS_RANGES) return;
    inspect_warnings_advise(seen, "training", "scale",
                            hsp_data_storage(seen->data) == HSP_DENSE ? "standard" : "max-abs",
                            "The columns differ widely in range: column %s spans %s, column %s %s.",
                            show_column(seen->data, wide_at), show_number(wide),
                            show_column(seen->data, narrow_at), show_number(narrow));
}

void watch_data(cli_watch *watch, const hsp_data *data, const hsp_summary *summary, int table)
{
    const hsp_totals *all = hsp_summary_totals(summary);
    const int single = hsp_data_precision(data) == HSP_FLOAT32;
    const watched seen = {.watch = watch,
                          .data = data,
                          .summary = summary,
                          .totals = all,
                          .classes = hsp_data_classes(data),
                          .table = table,
                          .rounded = all->exact ? ""
                                     : single   ? "After rounding to single precision, "
                                                : "After rounding to double precision, "};
    inspect_warnings_classes(&seen);
    inspect_warnings_rows(&seen);
    if (all->rows) {
        inspect_warnings_kind(&seen, all->empty_columns, inspect_warnings_is_empty,
                              "column is zero in every row", "columns are zero in every row");
        inspect_warnings_kind(&seen, table ? 0 : all->constant_columns,
                              inspect_warnings_is_constant,
                              "column is constant and carries no information",
                              "columns are constant and carry no information");
        inspect_warnings_kind(&seen, all->duplicate_columns, inspect_warnings_is_duplicate,
                              "column equals an earlier one", "columns equal an earlier one");
    }
    if (!table) inspect_warnings_ranges(&seen);
}
