/* Reading: which format a file is in, and who reads it. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/source.h"

static const hsp_option read_options[] = {
    {"format", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|libsvm|csv|tsv|hsp", NULL,
     "format of the data; auto looks at the content, then at the name"},
    {"label", HSP_OPTION_TEXT, "last", 0, 0, NULL, "COLUMN",
     "CSV: the label's column, by name or number from 1; last, or none"},
    {"header", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|yes|no", NULL,
     "CSV: whether the first line names the columns"},
    {"separator", HSP_OPTION_TEXT, "auto", 0, 0, NULL, "CHAR",
     "CSV: the character between fields, or comma, semicolon, tab, space, pipe, auto"},
    {"missing", HSP_OPTION_CHOICE, "error", 0, 0, "error|drop|mean|indicator", NULL,
     "CSV: what to do about missing values (empty, ?, NA, NaN)"},
    {"categorical", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN",
     "CSV: treat a column of numbers as categories"},
    {"ordinal", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN=A<B<C",
     "CSV: a column whose values have an order, coded 0, 1, 2"},
    {"ignore", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN", "CSV: leave a column out"},
    {"index-base", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|0|1", NULL,
     "libsvm: the number of the first column; auto is 1 unless an index 0 is there"},
    {"features", HSP_OPTION_INTEGER, "0", 0, 4294967296.0, NULL, "N",
     "libsvm: at least this many columns, though the file names fewer"},
    {"storage", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dense|sparse|ones", NULL,
     "rows in memory; auto takes the smallest"},
    {"precision", HSP_OPTION_CHOICE, "single", 0, 0, "single|double", NULL,
     "numbers in memory: 32 or 64 bits"},
};

static const hsp_option_table read_table = {
    "read", "how a data file is read", read_options, sizeof read_options / sizeof *read_options};

const hsp_option_table *hsp_read_options(void)
{
    return &read_table;
}
