#include "show/table_file.h"

#include "base/decimal.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/source.h"

#define TABLE_MOST ((size_t)1 << 30) /* bytes */

void hsp__log_table_free(hsp__log_table *table)
{
    hsp__scratch_free(&table->memory);
}

/* The cells of all records; the first has the names. */
static hsp_status table_cells(const hsp_allocator *memory, hsp__csv_cursor *at, hsp__log_table *to,
                              hsp_error *err)
{
    uint64_t room = 0, lines_room = 0, count = 0;
    const char **cells = NULL;
    uint64_t *lines = NULL, records = 0;
    hsp_status status = HSP_OK;
    while (!status && hsp__csv_skip_blank(at)) {
        hsp__csv_field field = {.last = 0};
        uint32_t columns = 0;
        if (!hsp__reserve(memory, &lines, &lines_room, records + 1, sizeof *lines))
            status = hsp__fail_memory(err);
        else
            lines[records] = at->line;
        for (; !status && !field.last; columns++) {
            status = hsp__csv_next(at, &field, err);
            if (status) break;
            char *cell = hsp__scratch_raw(&to->memory, field.size + 1, 1);
            if (!cell || !hsp__reserve(memory, &cells, &room, count + 1, sizeof *cells)) {
                status = hsp__fail_memory(err);
                break;
            }
            memcpy(cell, field.text, field.size);
            cell[field.size] = 0;
            cells[count++] = cell;
        }
        if (!status && records && columns != to->columns)
            status =
                hsp__fail_at(err, HSP_BAD_DATA, to->name, lines[records], 0,
                             "found %u field%s, expected %u as in the first line",
                             (unsigned)columns, columns == 1 ? "" : "s", (unsigned)to->columns);
        if (!records) to->columns = columns;
        records++;
    }
    if (!status && records < 2)
        status = hsp__fail_at(err, HSP_BAD_DATA, to->name, 0, 0,
                              "expected a line of names and at least one line of numbers");
    if (!status) {
        to->rows = records - 1;
        to->names = hsp__scratch_raw(&to->memory, count, sizeof *cells);
        to->lines = hsp__scratch_raw(&to->memory, records, sizeof *lines);
        if (to->memory.failed) status = hsp__fail_memory(err);
    }
    if (!status) {
        memcpy(to->names, cells, count * sizeof *cells);
        memcpy(to->lines, lines + 1, to->rows * sizeof *lines);
        to->cells = to->names + to->columns;
    }
    hsp__free(memory, cells);
    hsp__free(memory, lines);
    return status;
}

hsp_status hsp__log_table_parse(hsp_context *ctx, const char *text, size_t size, const char *name,
                                hsp_error *err, hsp__log_table *out)
{
    hsp__text unquoted;
    *out = (hsp__log_table){.name = name};
    out->memory.memory = &ctx->allocator;
    hsp__text_init(&unquoted, &ctx->allocator);
    char *padded = hsp__new(&ctx->allocator, size + HSP__BLOCK_PADDING, 1); /* csv.h looks ahead */
    hsp_status status = padded ? HSP_OK : hsp__fail_memory(err);
    if (!status) {
        memcpy(padded, text, size);
        hsp__csv_cursor at = hsp__csv_begin(padded, size, ',', &unquoted);
        at.file = name;
        if (memchr(text, 0, size))
            status = hsp__fail_at(err, HSP_BAD_DATA, name, 0, 0, "is no table: it has a zero byte");
        else
            status = table_cells(&ctx->allocator, &at, out, err);
    }
    hsp__free(&ctx->allocator, padded);
    hsp__text_free(&unquoted);
    if (status) hsp__log_table_free(out);
    return status;
}

hsp_status hsp__log_table_read(hsp_context *ctx, const char *path, hsp_error *err,
                               hsp__log_table *out)
{
    hsp__source *source = NULL;
    char *bytes = NULL;
    size_t size = 0;
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = hsp__source_read_all(ctx, source, TABLE_MOST, err, &bytes, &size);
    if (!status && size > TABLE_MOST)
        status = hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0, "is too large to be drawn");
    if (!status) status = hsp__log_table_parse(ctx, bytes, size, path, err, out);
    hsp__free(&ctx->allocator, bytes);
    hsp__source_free(source);
    return status;
}

uint32_t hsp__log_table_column(const hsp__log_table *table, const char *name)
{
    for (uint32_t j = 0; j < table->columns; j++)
        if (strcmp(table->names[j], name) == 0) return j;
    return UINT32_MAX;
}

hsp_status hsp__log_table_need(const hsp__log_table *table, const char *name, const char *writer,
                               hsp_error *err, uint32_t *out)
{
    *out = hsp__log_table_column(table, name);
    if (*out != UINT32_MAX) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, table->name, 1, 0,
                        "has no column \"%s\"; expected a file of %s", name, writer);
}

hsp_status hsp__log_table_numbers(const hsp__log_table *table, uint32_t column, hsp_error *err,
                                  double *out)
{
    for (uint64_t i = 0; i < table->rows; i++) {
        const char *cell = hsp__log_table_cell(table, i, column), *end = cell + strlen(cell);
        hsp__decimal_result result;
        out[i] = (double)NAN;
        if (!*cell) continue;
        if (hsp__decimal_f64(cell, end, &out[i], &result) != end || result != HSP__DECIMAL_OK) {
            char quoted[HSP__QUOTED];
            return hsp__fail_at(err, HSP_BAD_DATA, table->name, table->lines[i], 0,
                                "found \"%s\" in column \"%s\", expected a number",
                                hsp__quote(cell, strlen(cell), quoted), table->names[column]);
        }
    }
    return HSP_OK;
}
