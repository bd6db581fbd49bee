/* Groups and times of rows, for folds: given by the caller, or a column of the file read again as
 * text, as split reads it. */
#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/data.h"
#include "data/date.h"
#include "data/formats.h"
#include "data/source.h"
#include "data/split.h"

hsp_status hsp_data_set_groups(hsp_data *data, const uint32_t *groups, hsp_error *err)
{
    HSP__NEED(err, data);
    const uint64_t rows = data->view.rows;
    uint32_t *copy = groups ? hsp__new_raw(&data->memory, rows, sizeof *copy) : NULL;
    if (groups && !copy) return hsp__fail_memory(err);
    if (groups && rows) memcpy(copy, groups, rows * sizeof *copy);
    hsp__free(&data->memory, data->groups);
    data->groups = copy;
    return HSP_OK;
}

hsp_status hsp_data_set_times(hsp_data *data, const double *times, hsp_error *err)
{
    HSP__NEED(err, data);
    const uint64_t rows = data->view.rows;
    for (uint64_t i = 0; times && i < rows; i++)
        if (isnan(times[i]))
            return hsp__fail(err, HSP_BAD_DATA, "the time of row %llu is not a number",
                             (unsigned long long)i + 1);
    double *copy = times ? hsp__new_raw(&data->memory, rows, sizeof *copy) : NULL;
    if (times && !copy) return hsp__fail_memory(err);
    if (times && rows) memcpy(copy, times, rows * sizeof *copy);
    hsp__free(&data->memory, data->times);
    data->times = copy;
    return HSP_OK;
}

/* ---- From the file --------------------------------------------------------------------------- */

/* How many rows were read, by all ranks together; *first: the first of them that `data` has. */
static uint64_t row_groups_rows(const hsp_data *data, uint64_t *first)
{
    uint64_t count;
    *first = 0;
    if (!data->shard.ranks) return data->view.rows;
    hsp__shard_rows(&data->shard, first, &count);
    return data->shard.rows;
}

/* The cells of a column, as many as the data has rows; *first is that of its first row, if it is
 * divided among ranks. `option` is what the user calls it. */
static hsp_status row_groups_scan(hsp_context *ctx, const hsp_data *data, const char *path,
                                  const hsp_options *read, const char *column, const char *option,
                                  hsp_error *err, hsp__split_scan *scan, uint64_t *first)
{
    const uint64_t rows = row_groups_rows(data, first);
    static const char *const same[] = {"format", "label", "header", "separator"};
    hsp_options *options = NULL;
    hsp__source *source = NULL;
    const char *format = NULL;
    hsp_status status = hsp_options_new(ctx, hsp_split_file_options(), err, &options);
    if (!status) status = hsp_options_set(options, "group", column, err);
    for (size_t i = 0; !status && read && i < sizeof same / sizeof *same; i++)
        if (hsp_options_is_set(read, same[i]))
            status = hsp_options_set(options, same[i], hsp_options_text(read, same[i]), err);
    if (!status && strcmp(path, "-") == 0)
        status = hsp__fail_option(err, option,
                                  "the column is read in a second pass, which needs a file, not "
                                  "standard input");
    if (!status) status = hsp__source_open_files(ctx, path, err, &source);
    if (!status) status = hsp__format_find(source, options, err, &format);
    if (!status && strcmp(format, "hsp") == 0)
        status = hsp__fail_option(err, option,
                                  "a binary file has no such column; use the text file that it "
                                  "was made from");
    if (!status) status = hsp__split_scan_run(scan, source, format, options, err);
    if (status == HSP_USAGE && err && strcmp(err->file, "--group") == 0)
        snprintf(err->file, sizeof err->file, "%s", option);
    if (!status && scan->rows != rows)
        status = hsp__fail_option(err, option,
                                  "the file has %llu records, but %llu rows were read; it cannot "
                                  "be combined with options that leave rows out",
                                  (unsigned long long)scan->rows, (unsigned long long)rows);
    hsp__source_free(source);
    hsp_options_free(options);
    return status;
}

hsp_status hsp_data_read_groups(hsp_context *ctx, hsp_data *data, const char *path,
                                const hsp_options *read, const char *column, hsp_error *err)
{
    HSP__NEED(err, ctx, data, path, column);
    hsp__split_scan scan;
    hsp__split_scan_init(&scan, ctx, path);
    uint64_t first;
    hsp_status status =
        row_groups_scan(ctx, data, path, read, column, "--group", err, &scan, &first);
    if (!status) status = hsp_data_set_groups(data, scan.groups + first, err);
    hsp__split_scan_free(&scan);
    return status;
}

/* The format that --date gives the column, into `format`; "": none. */
static void row_groups_format(const hsp_options *read, const char *column, char format[64])
{
    static const char *const parts[] = {":days", ":year", ":month", ":weekday"};
    *format = 0;
    for (size_t i = 0; read && i < hsp_options_list_count(read, "date"); i++) {
        const char *item = hsp_options_list_item(read, "date", i), *equal = strchr(item, '=');
        const char *name = equal ? strstr(item, column) : NULL;
        if (!name || name > equal || !strchr(",=", name[strlen(column)]) ||
            (name > item && name[-1] != ','))
            continue;
        size_t size = strlen(equal + 1);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            const char *part = strstr(equal + 1, parts[k]);
            if (part && (size_t)(part - equal - 1) < size) size = (size_t)(part - equal - 1);
        }
        if (size < 64) snprintf(format, 64, "%.*s", (int)size, equal + 1);
    }
}

/* Every cell as a number, or every one as a date by the same pattern: `given`, or a known one. 0:
 * neither; *wrong: a cell that is no number. */
static int row_groups_as_times(const hsp__names *cells, const char *given, double *time,
                               uint32_t *wrong)
{
    const char *pattern = NULL;
    hsp__decimal_result result;
    hsp__date date;
    uint32_t c = 0;
    for (; c < cells->count && !*given; c++) {
        const char *cell = hsp__names_get(cells, c), *end = cell + hsp__names_size(cells, c);
        if (end == cell || hsp__decimal_f64(cell, end, &time[c], &result) != end) break;
    }
    if (c == cells->count) return 1;
    *wrong = c;
    for (size_t i = 0; (pattern = *given ? given : hsp__date_known(i)) && !(*given && i); i++) {
        for (c = 0; c < cells->count; c++) {
            if (!hsp__date_parse(hsp__names_get(cells, c), hsp__names_size(cells, c), pattern,
                                 &date))
                break;
            time[c] = date.days;
        }
        if (c == cells->count) return 1;
    }
    return 0;
}

hsp_status hsp_data_read_times(hsp_context *ctx, hsp_data *data, const char *path,
                               const hsp_options *read, const char *column, hsp_error *err)
{
    HSP__NEED(err, ctx, data, path, column);
    char quoted[HSP__QUOTED];
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__split_scan scan;
    uint32_t wrong = 0;
    uint64_t first;
    char format[64];
    row_groups_format(read, column, format);
    hsp__split_scan_init(&scan, ctx, path);
    hsp_status status =
        row_groups_scan(ctx, data, path, read, column, "--time", err, &scan, &first);
    double *time = hsp__scratch_new(&scratch, scan.group_names.count, sizeof *time);
    double *times = hsp__scratch_new(&scratch, scan.rows, sizeof *times);
    if (!status && scratch.failed) status = hsp__fail_memory(err);
    if (!status && !row_groups_as_times(&scan.group_names, format, time, &wrong))
        status = hsp__fail_option(err, "--time",
                                  "found '%s' in column '%.60s', expected numbers only, or dates "
                                  "of one form only, such as 2024-05-31 (--date gives another)",
                                  hsp__quote(hsp__names_get(&scan.group_names, wrong),
                                             hsp__names_size(&scan.group_names, wrong), quoted),
                                  column);
    for (uint64_t i = 0; !status && i < scan.rows; i++)
        times[i] = time[scan.groups[i]];
    if (!status) status = hsp_data_set_times(data, times + first, err);
    status = hsp__ranks_agree(data->shard.ranks, status, err);
    hsp__scratch_free(&scratch);
    hsp__split_scan_free(&scan);
    return status;
}
