/* Splitting a file of records, byte for byte. A first pass finds where records end, their labels
 * and their groups (split_scan.c); split.c chooses; a second pass copies. A file is read twice, so
 * that memory holds 12 to 16 bytes per record and not the records; what comes through a pipe is
 * kept. */
#include <stdlib.h>

#include "base/base.h"
#include "base/text.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/split.h"

#define SPLIT_BUFFER ((size_t)256 << 10)

static const hsp_option split_file_options[] = {
    HSP__SPLIT_OPTIONS,
    {"group", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "COLUMN",
     "keep rows with the same value in this column together: a name, or a number from 1; libsvm: "
     "qid"},
    HSP__TEXT_FILE_OPTIONS,
    HSP__OPTION_NA,
    HSP__OPTION_IGNORE_CASE,
    HSP__LIST("ignore", "COLUMNS",
              "CSV: columns that are not the label; they are copied all the same"),
};

static const hsp_option_table split_file_table = {
    "split", "options of splitting a file", split_file_options,
    sizeof split_file_options / sizeof *split_file_options};

const hsp_option_table *hsp_split_file_options(void)
{
    return &split_file_table;
}

/* ---- What was split -------------------------------------------------------------------------- */

struct hsp_split {
    hsp_allocator memory;
    hsp__names classes;
    hsp__names label; /* the name of its column, or nothing */
    uint64_t rows[2], unlabelled[2], groups[2];
    uint64_t *class_rows[2]; /* classes.count */
};

const char *hsp_split_label(const hsp_split *split)
{
    return split && split->label.count ? hsp__names_get(&split->label, 0) : NULL;
}

uint64_t hsp_split_rows(const hsp_split *split, int part)
{
    return split ? split->rows[part == 1] : 0;
}

uint32_t hsp_split_classes(const hsp_split *split)
{
    return split ? split->classes.count : 0;
}

const char *hsp_split_class_name(const hsp_split *split, uint32_t c)
{
    return split ? hsp__names_get(&split->classes, c) : NULL;
}

uint64_t hsp_split_class_rows(const hsp_split *split, int part, uint32_t c)
{
    return split ? split->class_rows[part == 1][c] : 0;
}

uint64_t hsp_split_unlabelled(const hsp_split *split, int part)
{
    return split ? split->unlabelled[part == 1] : 0;
}

uint64_t hsp_split_groups(const hsp_split *split, int part)
{
    return split ? split->groups[part == 1] : 0;
}

void hsp_split_free(hsp_split *split)
{
    if (!split) return;
    hsp_allocator memory = split->memory;
    hsp__names_free(&split->classes);
    hsp__names_free(&split->label);
    hsp__free(&memory, split->class_rows[0]);
    hsp__free(&memory, split->class_rows[1]);
    hsp__free(&memory, split);
}

/* Count what went where. Class numbers from classes->count on are rows without a label. */
static hsp_status split_report(hsp_context *ctx, const hsp__names *classes,
                               const hsp__split_rows *rows, const unsigned char *side,
                               hsp_error *err, hsp_split **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp_split *split = hsp__new(memory, 1, sizeof *split);
    unsigned char *seen = hsp__new(memory, rows->group_count, 1);
    if (split) {
        split->memory = *memory;
        hsp__names_init(&split->classes, memory);
        hsp__names_init(&split->label, memory);
        split->class_rows[0] = hsp__new(memory, classes->count, sizeof(uint64_t));
        split->class_rows[1] = hsp__new(memory, classes->count, sizeof(uint64_t));
    }
    if (!split || !seen || !split->class_rows[0] || !split->class_rows[1] ||
        !hsp__names_copy(&split->classes, classes)) {
        hsp_split_free(split);
        hsp__free(memory, seen);
        return hsp__fail_memory(err);
    }
    for (uint64_t i = 0; i < rows->rows; i++) {
        const int part = side[i];
        split->rows[part]++;
        if (!rows->labels || rows->labels[i] >= classes->count)
            split->unlabelled[part]++;
        else
            split->class_rows[part][rows->labels[i]]++;
        if (!rows->groups || seen[rows->groups[i]]) continue;
        seen[rows->groups[i]] = 1;
        split->groups[part]++;
    }
    hsp__free(memory, seen);
    *out = split;
    return HSP_OK;
}

/* ---- The second pass ------------------------------------------------------------------------- */

typedef struct split_copy {
    hsp_context *ctx;
    hsp__source *source;
    const hsp__split_scan *scan;
    const unsigned char *side;
    hsp__output *outputs[2];
    hsp__text waiting[2]; /* to be written */
} split_copy;

/* Write what waits, of each part that has at least `least` bytes. */
static hsp_status split_flush(split_copy *copy, size_t least, hsp_error *err)
{
    for (int part = 0; part < 2; part++) {
        hsp__text *text = &copy->waiting[part];
        if (text->failed) return hsp__fail_memory(err);
        if (text->size < least || !text->size) continue;
        HSP__TRY(hsp__output_write(copy->outputs[part], text->data, text->size, err));
        text->size = 0;
    }
    return HSP_OK;
}

static hsp_status split_copy_all(split_copy *copy, char *buffer, hsp_error *err)
{
    const hsp__split_scan *scan = copy->scan;
    uint64_t at = 0, row = 0, end = scan->prefix ? scan->prefix : scan->sizes[0];
    for (size_t got = 1; got;) {
        HSP__TRY(hsp__source_read(copy->source, buffer, SPLIT_BUFFER, err, &got));
        /* byte `at` is of record `row`, which goes up to `end`; or of what both parts get */
        for (size_t from = 0; from < got;) {
            const int both = at < scan->prefix;
            if (!both && row == scan->rows)
                return hsp__fail_at(err, HSP_IO, scan->name, 0, 0, "it changed while it was read");
            const size_t left = got - from;
            const size_t now = at + left < end ? left : (size_t)(end - at);
            for (int part = 0; part < 2; part++)
                if (both || copy->side[row] == part)
                    hsp__text_add(&copy->waiting[part], buffer + from, now);
            from += now;
            at += now;
            if (at < end) continue;
            row += !both;
            end += row < scan->rows ? scan->sizes[row] : 0;
        }
        HSP__TRY(split_flush(copy, SPLIT_BUFFER, err));
        HSP__TRY(hsp__progress(copy->ctx, "copying", "bytes", copy->source->position,
                               copy->source->size, err));
    }
    if (row < scan->rows)
        return hsp__fail_at(err, HSP_IO, scan->name, 0, 0, "it changed while it was read");
    return split_flush(copy, 0, err);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* A name that promises another format than the records have. */
static hsp_status split_check_name(const char *path, const char *format, hsp_error *err)
{
    const char *named = hsp__format_by_name(path);
    if (!named || strcmp(named, format) == 0) return HSP_OK;
    if (strcmp(format, "tsv") == 0 && strcmp(named, "csv") == 0) return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                        "split copies records in %s format, but this file name means %s; use a "
                        "name that ends in .%s, or halfspace convert for another format",
                        format, named, strcmp(format, "libsvm") == 0 ? "svm" : format);
}

/* Choose, then copy from `again`, which is the source from its beginning. */
static hsp_status split_scanned(hsp_context *ctx, hsp__split_scan *scan, const hsp_options *options,
                                hsp__source *again, const char *const paths[2], hsp_error *err,
                                hsp_split **out)
{
    const hsp__split_rows rows = {scan->rows, scan->labels, scan->classes.count + 1, scan->groups,
                                  scan->group_names.count};
    hsp__scratch scratch = {.memory = &ctx->allocator};
    unsigned char *side = hsp__scratch_raw(&scratch, scan->rows, 1);
    char *buffer = hsp__scratch_raw(&scratch, SPLIT_BUFFER, 1);
    split_copy copy = {.ctx = ctx, .source = again, .scan = scan, .side = side};
    hsp_status status =
        scratch.failed ? hsp__fail_memory(err) : hsp__split_choose(ctx, &rows, options, err, side);
    if (!status && out) status = split_report(ctx, &scan->classes, &rows, side, err, out);
    if (!status && out && !hsp__names_copy(&(*out)->label, &scan->label_name))
        status = hsp__fail_memory(err);
    for (int part = 0; part < 2; part++) {
        hsp__text_init(&copy.waiting[part], &ctx->allocator);
        if (!status) status = hsp__output_open(ctx, paths[part], err, &copy.outputs[part]);
    }
    if (!status) status = split_copy_all(&copy, buffer, err);
    for (int part = 0; !status && part < 2; part++)
        status = hsp__output_commit(copy.outputs[part], err);
    for (int part = 0; part < 2; part++) {
        hsp__output_free(copy.outputs[part]);
        hsp__text_free(&copy.waiting[part]);
    }
    hsp__scratch_free(&scratch);
    return status;
}

static hsp_status split_text(hsp_context *ctx, hsp__source *source, const char *path,
                             const char *format, const hsp_options *options,
                             const char *const paths[2], hsp_error *err, hsp_split **out)
{
    hsp__split_scan scan;
    hsp__source *kept = NULL, *again = NULL;
    char *bytes = NULL;
    size_t size = 0;
    hsp__split_scan_init(&scan, ctx, source->name);
    hsp_status status = split_check_name(paths[0], format, err);
    if (!status) status = split_check_name(paths[1], format, err);
    if (!status && !source->again) {
        status = hsp__source_read_all(ctx, source, SIZE_MAX, err, &bytes, &size);
        if (!status) status = hsp__source_memory(ctx, bytes, size, scan.name, err, &kept);
    }
    if (!status) status = hsp__split_scan_run(&scan, kept ? kept : source, format, options, err);
    if (!status)
        status = kept ? hsp__source_memory(ctx, bytes, size, scan.name, err, &again)
                      : hsp__source_open(ctx, path, err, &again);
    if (!status) status = split_scanned(ctx, &scan, options, again, paths, err, out);
    hsp__source_free(again);
    hsp__source_free(kept);
    hsp__free(&ctx->allocator, bytes);
    hsp__split_scan_free(&scan);
    return status;
}

/* ---- Binary caches --------------------------------------------------------------------------- */

static hsp_status split_cache(hsp_context *ctx, hsp__source *source, const char *path,
                              const hsp_options *options, const char *const paths[2],
                              hsp_error *err, hsp_split **out)
{
    static const char *const of_text[] = {"group", "label",       "header", "separator",
                                          "na",    "ignore-case", "ignore"};
    hsp_data *data = NULL, *parts[2] = {NULL, NULL};
    for (size_t i = 0; options && i < sizeof of_text / sizeof *of_text; i++)
        if (hsp_options_is_set(options, of_text[i]))
            return hsp__fail(
                err, HSP_USAGE,
                "--%s needs a text file, and %s is a binary cache; split the original text file",
                of_text[i], source->name);
    hsp_status status = hsp__cache_read(ctx, source, path, err, &data);
    if (!status) status = hsp_data_split(ctx, data, options, err, &parts[0], &parts[1]);
    for (int part = 0; !status && part < 2; part++)
        status = hsp_data_write(ctx, parts[part], paths[part], NULL, err);
    if (!status && out) {
        const uint64_t rows = data->view.rows, train = parts[0]->view.rows;
        hsp__scratch scratch = {.memory = &ctx->allocator};
        unsigned char *side = hsp__scratch_new(&scratch, rows, 1);
        uint32_t *labels = hsp__scratch_new(&scratch, rows, sizeof *labels);
        for (uint64_t i = 0; !scratch.failed && i < rows; i++) {
            const hsp_view *view = &parts[i >= train]->view;
            side[i] = i >= train;
            labels[i] = view->labels ? view->labels[i - (i >= train) * train] : UINT32_MAX;
        }
        const hsp__split_rows counted = {.rows = rows, .labels = labels};
        status = scratch.failed ? hsp__fail_memory(err)
                                : split_report(ctx, &data->class_names, &counted, side, err, out);
        hsp__scratch_free(&scratch);
    }
    for (int part = 0; part < 2; part++)
        hsp_data_free(parts[part]);
    hsp_data_free(data);
    return status;
}

/* ---- All together ---------------------------------------------------------------------------- */

hsp_status hsp_split_file(hsp_context *ctx, const char *path, const hsp_options *options,
                          const char *train_path, const char *test_path, hsp_error *err,
                          hsp_split **out)
{
    HSP__NEED(err, ctx, path, train_path, test_path);
    const char *const paths[2] = {train_path, test_path};
    const char *format = NULL;
    hsp__source *source = NULL;
    hsp_files *files = NULL;
    hsp_split *split = NULL, **report = out ? &split : NULL;
    hsp_status status = ctx->files ? HSP_OK : hsp_files_new(ctx, err, &files);
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx); /* with the files */
    if (!status) status = hsp__source_open(&own, path, err, &source);
    if (!status) status = hsp__format_find(source, options, err, &format);
    if (!status)
        status = strcmp(format, "hsp") == 0
                     ? split_cache(&own, source, path, options, paths, err, report)
                     : split_text(&own, source, path, format, options, paths, err, report);
    hsp__source_free(source);
    if (!status && files) status = hsp_files_commit(files, err);
    hsp_files_free(files);
    if (status)
        hsp_split_free(split);
    else if (out)
        *out = split;
    return hsp__while(err, status, "splitting", path);
}
