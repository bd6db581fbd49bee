/* Reading: which format a file is in, and who reads it. */
#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/stop.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/kind.h"
#include "data/convert_storage.h"
#include "data/provenance.h"
#include "data/source.h"

static const hsp_option read_options[] = {
    HSP__TEXT_FILE_OPTIONS,
    {"missing", HSP_OPTION_CHOICE, "error", 0, 0, "error|drop|mean|indicator", NULL,
     "CSV: how to treat missing values (empty, ?, NA, NaN)"},
    {"categorical", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN",
     "CSV: treat this column of numbers as categorical"},
    {"ordinal", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN=A<B<C",
     "CSV: a column whose values have an order; encoded as 0, 1, 2, ..."},
    {"ignore", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN", "CSV: leave this column out"},
    {"index-base", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|0|1", NULL,
     "libsvm: index of the first column; auto: 0 if the file has an index 0, else 1"},
    {"features", HSP_OPTION_INTEGER, "0", 0, 4294967296.0, NULL, "N",
     "libsvm: minimum number of columns, even if the file has fewer"},
    {"storage", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dense|sparse|ones", NULL,
     "storage of rows in memory; auto takes the smallest"},
    {"precision", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|single|double", NULL,
     "storage of numbers: 32 bits (single) or 64 bits (double); auto takes double where single "
     "loses information"},
};

static const hsp_option_table read_table = {"read", "options of reading", read_options,
                                            sizeof read_options / sizeof *read_options};

const hsp_option_table *hsp_read_options(void)
{
    return &read_table;
}

hsp_status hsp_read_keep_digits(hsp_options *read, hsp_error *err)
{
    HSP__NEED(err, read);
    if (hsp_options_is_set(read, "precision")) return HSP_OK;
    return hsp__options_set_word(read, "precision", "digits", err);
}

hsp_status hsp_read_keep_decimals(hsp_options *read, hsp_error *err)
{
    HSP__NEED(err, read);
    if (hsp_options_is_set(read, "precision")) return HSP_OK;
    return hsp__options_set_word(read, "precision", "decimals", err);
}

/* Does the first line look like libsvm text: a label, then nothing but index:value tokens? */
static int read_looks_like_libsvm(const char *text, size_t size)
{
    const char *p = text, *end = memchr(text, '\n', size);
    if (!end) end = text + size;
    int tokens = 0, pairs = 0;
    while (p < end && *p != '#') {
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        const char *token = p;
        while (p < end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '#')
            p++;
        if (p == token) break;
        const char *colon = memchr(token, ':', (size_t)(p - token));
        if (tokens++ && !colon) return 0;
        pairs += tokens > 1;
    }
    return pairs > 0;
}

/* The first line that is neither blank nor a comment, for guessing. */
static void read_first_line(const char **text, size_t *size)
{
    while (*size) {
        const char *newline = memchr(*text, '\n', *size);
        size_t line = newline ? (size_t)(newline - *text) + 1 : *size, i = 0;
        while (i < line && strchr(" \t\r\n", (*text)[i]) && (*text)[i])
            i++;
        if (i < line && (*text)[i] != '#') return;
        *text += line;
        *size -= line;
    }
}

/* The separator of a first line that looks like a table's; 0: none. */
static char read_looks_like_table(const char *text, size_t size)
{
    size_t line = 0;
    while (line < size && text[line] != '\n')
        line++;
    if (memchr(text, '\t', line) && !memchr(text, ',', line)) return '\t';
    return memchr(text, ',', line) ? ',' : memchr(text, ';', line) ? ';' : 0;
}

int hsp__format_looks_like_data(const char *text, size_t size)
{
    read_first_line(&text, &size);
    return size && text[0] != '{' && !memchr(text, 0, size) &&
           (read_looks_like_libsvm(text, size) || read_looks_like_table(text, size));
}

hsp_status hsp__format_find(const char *path, const char *text, size_t size, hsp_error *err,
                            const char **format)
{
    if (strcmp(*format, "auto") != 0) return HSP_OK;
    const hsp_file_kind kind = hsp__kind_of(text, size);
    if (kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_DATA && kind != HSP_FILE_CACHE)
        return hsp__kind_fail(err, strcmp(path, "-") ? path : "standard input", kind,
                              HSP_FILE_DATA);
    *format = hsp__format_guess(path, text, size);
    return HSP_OK;
}

const char *hsp__format_guess(const char *path, const char *text, size_t size)
{
    if (size >= 16 && hsp__container_looks_like(text, size)) return "hsp";
    const char *named = hsp__format_by_name(path);
    if (named) return named;
    read_first_line(&text, &size);
    if (read_looks_like_libsvm(text, size)) return "libsvm";
    const char separator = read_looks_like_table(text, size);
    return separator == '\t' ? "tsv" : separator ? "csv" : "libsvm";
}

static int read_all_ones(const hsp_view *view)
{
    for (uint64_t i = 0; i < view->rows; i++) {
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            double value = hsp__row_value(view, &row, k);
            if (value != 0 && value != 1) return 0;
        }
    }
    return 1;
}

/* The smallest storage: a function of the rows alone, however they were read. Values are searched
 * for others than one only where that could change the answer, and mostly the first one settles it.
 */
static hsp_storage read_smallest(const hsp_data *data)
{
    const hsp_view *v = &data->view;
    int ones = v->storage == HSP_ONES || (hsp__storage_choose(v->rows, v->cols, data->nonzeros, 1,
                                                              v->precision) == HSP_ONES &&
                                          read_all_ones(v));
    return hsp__storage_choose(v->rows, v->cols, data->nonzeros, ones, v->precision);
}

/* Rows in the storage the user asked for, or, when they came from text, in the smallest one. */
static hsp_status read_settle(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                              hsp_data **data)
{
    hsp_data *settled = *data;
    const hsp_view *checked; /* text is sound as it was read; a cache from memory may not be */
    hsp_status status = (*data)->mapped ? HSP_OK : hsp_data_view(ctx, *data, err, &checked);
    if (status) return status;
    if (strcmp(hsp_options_text(options, "storage"), "auto") == 0 && !(*data)->mapped) {
        const hsp_view *view = &(*data)->view;
        hsp__storage_change plan = {.storage = read_smallest(*data),
                                    .precision = view->precision,
                                    .cols = view->cols,
                                    .phase = "changing the storage"};
        if (plan.storage == view->storage) return HSP_OK;
        status = hsp__data_convert_storage(ctx, *data, &plan, err, &settled);
    } else {
        status = hsp__data_restore(ctx, *data, options, err, &settled);
    }
    if (status) return status;
    if (settled != *data) hsp_data_free(*data);
    *data = settled;
    return HSP_OK;
}

hsp_status hsp__data_round_single(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  hsp_error *err, hsp_data **out)
{
    hsp__storage_change plan = {.storage = data->view.storage,
                                .precision = HSP_FLOAT32,
                                .cols = data->view.cols,
                                .phase = "changing the storage"};
    hsp_data *rounded = NULL;
    hsp_status status = hsp__data_convert_storage(ctx, data, &plan, err, &rounded);
    if (status) return status;
    plan.storage = read_smallest(rounded);
    if ((options && strcmp(hsp_options_text(options, "storage"), "auto") != 0) ||
        plan.storage == rounded->view.storage) {
        *out = rounded;
        return HSP_OK;
    }
    status = hsp__data_convert_storage(ctx, rounded, &plan, err, out);
    hsp_data_free(rounded);
    return status;
}

/* A binary cache that cannot be mapped, from a pipe or compressed: all of it into memory first. */
static hsp_status read_unmapped(hsp_context *ctx, hsp__source *source, hsp_error *err,
                                hsp_data **out)
{
    void *bytes = NULL;
    size_t size = 0;
    hsp_status status = hsp__source_read_all(ctx, source, err, &bytes, &size);
    if (!status) status = hsp__cache_open(ctx, hsp__source_name(source), bytes, size, err, out);
    hsp__free(&ctx->allocator, bytes);
    return status;
}

hsp_status hsp__cache_read(hsp_context *ctx, hsp__source *source, const char *path, hsp_error *err,
                           hsp_data **out)
{
    if (!hsp__source_mappable(source)) return read_unmapped(ctx, source, err, out);
    return hsp__cache_open(ctx, path, NULL, 0, err, out);
}

static hsp_status read_as(hsp_context *ctx, const char *format, hsp__source *source,
                          const char *path, const hsp_options *options,
                          const hsp_encoding *encoding, hsp_error *err, hsp_data **out)
{
    if (strcmp(format, "libsvm") == 0) return hsp__libsvm_read(ctx, source, options, err, out);
    if (strcmp(format, "hsp") != 0)
        return hsp__csv_read(ctx, source, strcmp(format, "tsv") == 0, options, encoding, err, out);
    return hsp__cache_read(ctx, source, path, err, out);
}

static hsp_status read_source(hsp_context *ctx, hsp__source *source, const char *path,
                              const hsp_options *options, const hsp_encoding *encoding,
                              hsp_error *err, hsp_data **out)
{
    const char *first;
    size_t first_size;
    hsp_data *data = NULL;
    hsp_options *defaults = NULL;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_status status = hsp__source_peek(source, 0, err, &first, &first_size);
    if (!status && !options) {
        status = hsp_options_new(ctx, &read_table, err, &defaults);
        options = defaults;
    }
    if (!status) {
        const char *format = hsp_options_text(options, "format");
        status = hsp__format_find(path, first, first_size, err, &format);
        if (!status && hsp__source_told(source) && strcmp(format, "hsp") == 0)
            status =
                hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                             "claims are about the decimals of a text file; name the text file "
                             "from which this binary file was made");
        if (!status) status = read_as(&own, format, source, path, options, encoding, err, &data);
    }
    if (!status) status = read_settle(&own, options, err, &data);
    if (!status) status = hsp__stop_status(&own, err);
    hsp_options_free(defaults);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

hsp_status hsp_data_read(hsp_context *ctx, const char *path, const hsp_options *options,
                         const hsp_encoding *encoding, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__source *source = NULL;
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = read_source(ctx, source, path, options, encoding, err, out);
    hsp__source_free(source);
    return hsp__while(err, status, "reading", strcmp(path, "-") ? path : "standard input");
}

hsp_status hsp__data_read_followed(hsp_context *ctx, const char *path, const hsp_options *options,
                                   const hsp_encoding *encoding, hsp_error *err,
                                   hsp__provenance *told, hsp_data **out)
{
    unsigned char digest[32];
    hsp__source *source = NULL;
    assert(strcmp(hsp_options_text(options, "precision"), "double") == 0);
    *told = (hsp__provenance){.memory = ctx->allocator, .longs.memory = &told->memory};
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) hsp__source_follow(source, told);
    if (!status) status = read_source(ctx, source, path, options, encoding, err, out);
    hsp__sha256_end(&told->sha, digest);
    hsp__sha256_text(digest, told->hash);
    hsp__source_free(source);
    return hsp__while(err, status, "reading", path);
}

hsp_status hsp_data_parse(hsp_context *ctx, const void *text, size_t size, const char *name,
                          const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                          hsp_data **out)
{
    HSP__NEED(err, ctx, name, out);
    if (size) HSP__NEED(err, text);
    hsp__source *source = NULL;
    hsp_status status = hsp__source_memory(ctx, text, size, name, err, &source);
    if (!status) status = read_source(ctx, source, name, options, encoding, err, out);
    hsp__source_free(source);
    return status;
}
