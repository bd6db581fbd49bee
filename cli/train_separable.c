/* Runs that demanded a separator: their answer, confirmed in exact arithmetic before it is printed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define TRAIN_SEPARABLE_SHOWN 20 /* rows of evidence, for people */

/* "the decimals of the file". */
static const char *train_separable_numbers(const hsp_confirmation *confirmed, const hsp_data *data)
{
    if (confirmed->decimals) return "the decimals of the file";
    return hsp_data_precision(data) == HSP_FLOAT32 ? "the values as stored in single precision"
                                                   : "the values as stored in double precision";
}

/* ", with a margin of at least 0.5"; nothing of a margin below the range of doubles. */
const char *cli_margin(double margin)
{
    static char text[64];
    snprintf(text, sizeof text, ", with a margin of at least %s", show_number(margin));
    return margin > 0 ? text : "";
}

/* "setosa against the rest: "; nothing of two classes. To be freed. */
static char *train_separable_classes(const char *of, const char *against)
{
    char *left = cli_format("%s", of ? show_name(of) : "");
    char *all = of ? cli_format("%s against %s: ", left, against ? show_name(against) : "the rest")
                   : cli_format("%s", "");
    free(left);
    return all;
}

/* What a model shows. */
char *cli_separates_text(const hsp_confirmation *confirmed, const hsp_data *data)
{
    const char *numbers = train_separable_numbers(confirmed, data);
    if (confirmed->answer == HSP_SEPARATES)
        return cli_format("all rows, confirmed in exact arithmetic on %s", numbers);
    if (confirmed->row == UINT64_MAX)
        return cli_format("not confirmed in exact arithmetic: %s", confirmed->why);
    const int separable = confirmed->answer == HSP_SEPARABLE;
    char *classes = train_separable_classes(confirmed->of, confirmed->against);
    char *text = cli_format(
        "no: %sin exact arithmetic on %s, %s row%s not strictly on the right side (row %s is the "
        "first); %s%s",
        classes, numbers, show_count(confirmed->wrong_rows),
        confirmed->wrong_rows == 1 ? " is" : "s are", show_count(confirmed->row + 1),
        separable ? "there is a separator" : "whether any hyperplane separates them is not known",
        separable ? cli_margin(confirmed->margin) : "");
    free(classes);
    return text;
}

/* There is a separator, and the learner found none. */
hsp_status cli_separable_fail(const char *path, const hsp_confirmation *confirmed,
                              const hsp_data *data, hsp_error *err)
{
    const int single = hsp_data_precision(data) == HSP_FLOAT32;
    const char *of = confirmed->of, *against = confirmed->against;
    char *rows = !of       ? cli_format("the rows")
                 : against ? cli_format("the rows of '%.80s' and '%.80s'", of, against)
                           : cli_format("the rows of '%.80s' and the rest", of);
    const hsp_status status =
        cli_fail(err, HSP_BAD_DATA, path,
                 "%s are separable (in exact arithmetic%s), but only by digits that %s precision "
                 "does not keep: %s, or have 'halfspace certify' write a separator",
                 rows, cli_margin(confirmed->margin), single ? "single" : "double",
                 single ? "use --precision double"
                        : "shift or rescale the columns in the file so that 15 digits are enough");
    free(rows);
    return status;
}

/* What the multipliers of the evidence show. `through_0`: only hyperplanes through the origin were
 * asked for. */
static void train_separable_sentence(const hsp_confirmation *confirmed, const hsp_data *data,
                                     int through_0, FILE *file)
{
    const char *where = through_0 ? " by a hyperplane through the origin" : "";
    const char *what = through_0 ? "the rows, those of one side negated, add up to"
                                 : "the rows of the two sides have";
    if (confirmed->answer == HSP_NOT_SEPARABLE)
        fprintf(file,
                "not separable%s, confirmed in exact arithmetic on %s: with these multipliers "
                "%s %s\n",
                where, train_separable_numbers(confirmed, data), what,
                through_0 ? "0" : "the same mean");
    else
        fprintf(file,
                "no separator%s was found in double precision; not confirmed in exact "
                "arithmetic: %s. With these multipliers %s %s\n",
                where, confirmed->why, what, through_0 ? "almost 0" : "almost the same mean");
}

void cli_evidence_print(hsp_context *ctx, const hsp_evidence *evidence,
                        const hsp_confirmation *confirmed, hsp_data *data, int through_0,
                        FILE *file)
{
    const hsp_view *view = NULL;
    if (hsp_data_view(ctx, data, NULL, &view) != HSP_OK) return;
    const uint64_t shown =
        evidence->count > TRAIN_SEPARABLE_SHOWN ? TRAIN_SEPARABLE_SHOWN : evidence->count;
    cli_table table;
    char *classes = train_separable_classes(evidence->of, evidence->against);
    fputs(classes, file);
    free(classes);
    train_separable_sentence(confirmed, data, through_0, file);
    table_begin(&table, "rlr");
    table_cell(&table, "row");
    table_cell(&table, "class");
    table_cell(&table, "multiplier");
    for (uint64_t i = 0; i < shown; i++) {
        const uint64_t row = evidence->row[i];
        table_cell(&table, "%s", show_count(row + 1));
        table_cell(&table, "%s", show_name(hsp_data_class_name(data, view->labels[row])));
        table_cell(&table, "%s", show_number(evidence->multiplier[i]));
    }
    table_print(&table, file);
    if (shown < evidence->count)
        fprintf(file, "  and %s more\n", show_count(evidence->count - shown));
    if (confirmed->answer == HSP_NOT_SEPARABLE) return;
    fprintf(file,
            through_0 ? "the sum is %s long: no such separator has a margin above %s\n"
                      : "the means are %s apart: no separator has a margin above %s\n",
            show_number(evidence->distance), show_number(evidence->margin));
}
