#include "data/decimals.h"

#include <stdlib.h>

#include "base/base.h"
#include "data/blocks.h"
#include "data/container.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/formats.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct decimals {
    hsp_context *ctx;
    const char *path;
    const hsp_data *data;
    hsp__csv_plan plan; /* of a table */
    uint64_t *column;   /* of a table: the first column of each column of its encoding */
    hsp__text unquoted;
    hsp__text plain; /* of a table: numbers of the row at hand that are not plain in the file */
    hsp__decimal_entry *entries; /* of the row at hand */
    uint64_t room;
    int unsorted;   /* they are not by column: an encoding may have the columns in another order */
    uint64_t row;   /* from 0 */
    uint32_t part;  /* the file of the block at hand */
    uint64_t lines; /* of that file, before the block */
    uint64_t rejected; /* records that the data set leaves out, so far */
    hsp__decimals_fn fn;
    void *user;
} decimals;

static hsp_status decimals_add(decimals *m, uint64_t count, uint64_t column, const char *text,
                               size_t size, hsp_error *err)
{
    if (!hsp__reserve(&m->ctx->allocator, &m->entries, &m->room, count + 1, sizeof *m->entries))
        return hsp__fail_memory(err);
    hsp__decimal_entry *entry = m->entries + count;
    *entry = (hsp__decimal_entry){column, text, size};
    m->unsorted |= count && entry[-1].column > column;
    return HSP_OK;
}

static int decimals_by_column(const void *left, const void *right)
{
    const hsp__decimal_entry *a = left, *b = right;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* The row is complete. Too many are an error at the end of the reading. */
static hsp_status decimals_row(decimals *m, uint64_t count, hsp_error *err)
{
    const uint64_t row = m->row++;
    if (m->unsorted) qsort(m->entries, count, sizeof *m->entries, decimals_by_column);
    m->unsorted = 0;
    return row < m->data->view.rows ? m->fn(m->user, row, m->entries, count, err) : HSP_OK;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

static hsp_status decimals_parse_libsvm(void *self, int worker, hsp__block *block, hsp_error *err)
{
    decimals *m = self;
    const uint64_t base = (uint64_t)hsp_data_index_base(m->data);
    const char *next = block->text, *last = next + block->size;
    (void)worker;
    if (block->part != m->part || !block->number) m->lines = block->skipped;
    m->part = block->part;
    for (; next < last; block->lines++) {
        const char *p = next, *word, *newline = memchr(p, '\n', (size_t)(last - p));
        const char *end = newline ? newline : last;
        uint64_t tokens = 0, count = 0, index;
        next = end + 1;
        if (m->rejected < m->data->rejected_count &&
            m->data->rejected[m->rejected] ==
                hsp__record_place(block->part, m->lines + block->lines + 1)) {
            m->rejected++;
            continue;
        }
        for (size_t size; hsp__libsvm_word(&p, end, &word, &size);) {
            const char *colon = memchr(word, ':', size);
            if (!tokens++ || !colon || !(*word >= '0' && *word <= '9')) continue; /* label; qid:N */
            for (index = 0; word < colon; word++)
                index = index * 10 + (uint64_t)(*word - '0');
            if (index < base || index - base >= m->data->view.cols) continue;
            HSP__TRY(
                decimals_add(m, count++, index - base, colon + 1, (size_t)(p - colon - 1), err));
        }
        if (tokens) HSP__TRY(decimals_row(m, count, err));
    }
    m->lines += block->lines;
    return HSP_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The number in a field, as plain digits. m->plain has room for all of a row. */
static void decimals_plain(decimals *m, const char **text, size_t *size)
{
    const hsp__cell_rules *rules = &m->plan.encoding->rules;
    if (hsp__cell_rules_plain(rules)) return;
    char *out = m->plain.data + m->plain.size;
    *size = hsp__number_plain(*text, *size, &rules->number, out);
    *text = out;
    m->plain.size += *size;
}

static hsp_status decimals_parse_table(void *self, int worker, hsp__block *block, hsp_error *err)
{
    decimals *m = self;
    const hsp__csv_plan *plan = &m->plan;
    hsp__csv_cursor cursor =
        hsp__csv_begin(block->text, block->size, plan->separator, &m->unquoted);
    (void)worker;
    if (!hsp__text_room(&m->plain, 5 * (block->size + 1))) return hsp__fail_memory(err);
    if (block->part != m->part || !block->number) m->lines = block->skipped;
    m->part = block->part;
    while (hsp__csv_skip_blank(&cursor)) {
        hsp__csv_field field = {.last = 0};
        m->plain.size = 0;
        if (m->rejected < m->data->rejected_count &&
            m->data->rejected[m->rejected] ==
                hsp__record_place(block->part, m->lines + cursor.line)) {
            m->rejected++;
            hsp__csv_skip_record(&cursor);
            continue;
        }
        uint64_t count = 0;
        int is_row = 1;
        for (uint32_t j = 0; !field.last; j++) {
            HSP__TRY(hsp__csv_next(&cursor, &field, err));
            if (j >= plan->count) continue;
            const hsp__csv_column *column = &plan->columns[j];
            const int missing = hsp__csv_is_missing(plan, j, field.text, field.size);
            if (column->kind == HSP__COLUMN_LABEL && missing && !(field.quoted && field.size))
                is_row = 0;
            if (column->kind == HSP__COLUMN_IGNORED || column->kind == HSP__COLUMN_LABEL) continue;
            if (missing && plan->missing == HSP__MISSING_DROP) is_row = 0;
            if (column->kind != HSP__COLUMN_NUMBER || missing) continue;
            decimals_plain(m, &field.text, &field.size);
            HSP__TRY(
                decimals_add(m, count++, m->column[column->encoded], field.text, field.size, err));
        }
        if (is_row) HSP__TRY(decimals_row(m, count, err));
    }
    block->lines = cursor.line - 1;
    m->lines += block->lines;
    return HSP_OK;
}

static hsp_status decimals_plan(decimals *m, hsp__source *source, const hsp_options *options,
                                hsp_error *err)
{
    const hsp_encoding *encoding = m->data->encoding;
    hsp_context quiet = *m->ctx;
    quiet.log = NULL;
    HSP__TRY(hsp__csv_plan_make(&quiet, source, encoding->separator == '\t', options,
                                hsp__reading_first(options, source), encoding, err, &m->plan));
    /* where each column of the encoding begins among the columns of the data set */
    m->column = hsp__new(&m->ctx->allocator, encoding->names.count, sizeof *m->column);
    if (!m->column) return hsp__fail_memory(err);
    uint64_t next = 0;
    for (uint32_t j = 0; j < encoding->names.count; j++) {
        m->column[j] = next;
        next += hsp__encoding_width(&encoding->columns[j]);
    }
    return hsp__csv_skip_header(source, &m->plan, err);
}

/* ---- The file -------------------------------------------------------------------------------- */

hsp_status hsp__decimals_there(hsp_context *ctx, const char *path, hsp_error *err, int *there)
{
    hsp__source *source = NULL;
    const char *bytes = NULL;
    size_t size = 0;
    *there = 0;
    if (strcmp(path, "-") == 0) return HSP_OK;
    hsp_status status = hsp__source_open_files(ctx, path, err, &source);
    const int regular = !status && source->size > 0;
    if (regular) status = hsp__source_peek(source, 16, err, &bytes, &size);
    *there = regular && !status && !(size >= 16 && hsp__container_looks_like(bytes, size));
    hsp__source_free(source);
    return status;
}

/* All is done while blocks are parsed, by one worker, in the order of the file. */
hsp_status hsp__decimals_read(hsp_context *ctx, const char *path, const hsp_options *options,
                              const hsp_data *data, hsp__decimals_fn fn, void *user, hsp_error *err)
{
    static const hsp__block_format formats[2] = {{0, decimals_parse_libsvm, NULL, NULL},
                                                 {1, decimals_parse_table, NULL, NULL}};
    decimals m = {.ctx = ctx, .path = path, .data = data, .fn = fn, .user = user};
    hsp__source *source = NULL;
    hsp_options *defaults = NULL;
    hsp__text_init(&m.unquoted, &ctx->allocator);
    hsp__text_init(&m.plain, &ctx->allocator);
    hsp_status status = hsp__source_open_files(ctx, path, err, &source);
    if (!status && !options) status = hsp_options_new(ctx, hsp_read_options(), err, &defaults);
    if (!status && data->encoding)
        status = decimals_plan(&m, source, options ? options : defaults, err);
    if (!status)
        status = hsp__blocks_run(ctx, source, &formats[data->encoding != NULL], &m, 1, err);
    if (!status && m.row != data->view.rows)
        status = hsp__fail_at(
            err, HSP_BAD_DATA, path, 0, 0,
            "on second reading the file has %llu rows instead of %llu: it was changed meanwhile",
            (unsigned long long)m.row, (unsigned long long)data->view.rows);
    hsp__csv_plan_free(&ctx->allocator, &m.plan);
    hsp__free(&ctx->allocator, m.column);
    hsp__free(&ctx->allocator, m.entries);
    hsp__text_free(&m.unquoted);
    hsp__text_free(&m.plain);
    hsp__source_free(source);
    hsp_options_free(defaults);
    return status;
}
