/* Rows as text. Numbers are the shortest decimals that read back to the same bits.
 *
 * Where these are not the numbers of the file that the rows came from, and the file can be read
 * again, it is, and row by row such numbers are written as they stand there. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/decimals.h"
#include "data/encode.h"
#include "data/formats.h"
#include "data/output.h"

#define WRITE_AGAIN_BYTES   ((size_t)1 << 20)    /* written at a time while a file is read again */
#define WRITE_BLOCK_ENTRIES ((uint64_t)16 << 10) /* entries in a block, about */

/* The decimals that a row has in the file it came from, by column; none: they are not needed. */
typedef struct write_decimals {
    const hsp__decimal_entry *next, *end;
} write_decimals;

/* The file that rows came from, and how it was read. */
typedef struct write_origin {
    const char *path;
    const hsp_options *read;
} write_origin;

typedef struct write_job write_job;
struct write_job {
    const hsp_data *data;
    const hsp_view *view;
    char separator; /* CSV */
    void (*row)(const write_job *job, uint64_t i, write_decimals decimals, hsp__text *text);
};

/* The decimal of the column that comes next, or NULL. */
static const hsp__decimal_entry *write_take(write_decimals *decimals, uint64_t column)
{
    const int there = decimals->next < decimals->end && decimals->next->column == column;
    return there ? decimals->next++ : NULL;
}

/* Entry k of a row; k == row->count: a zero that it does not store. `decimal`: what the file has,
 * or NULL. */
static void write_number(const hsp_view *view, const hsp__row *row, uint64_t k,
                         const hsp__decimal_entry *decimal, hsp__text *text)
{
    char *room = hsp__text_room(text, HSP__DECIMAL_MAX);
    size_t size = 1;
    if (!room) return;
    if (k == row->count)
        *room = '0';
    else if (!row->values)
        *room = '1';
    else if (view->precision == HSP_FLOAT32)
        size = hsp__decimal_print_f32(((const float *)row->values)[k], room);
    else
        size = hsp__decimal_print_f64(((const double *)row->values)[k], room);
    if (decimal) {
        const hsp__decimal_value here = hsp__decimal_value_of(room, size);
        const hsp__decimal_value there = hsp__decimal_value_of(decimal->text, decimal->size);
        if (!hsp__decimal_value_same(&here, &there)) {
            hsp__text_add(text, decimal->text, decimal->size);
            return;
        }
    }
    text->size += size;
}

static void write_char(hsp__text *text, char c)
{
    hsp__text_add(text, &c, 1);
}

/* ---- libsvm ---------------------------------------------------------------------------------- */

/* A decimal other than 0 that is 0 in memory has its place in the row. */
static void libsvm_write_row(const write_job *job, uint64_t i, write_decimals decimals,
                             hsp__text *text)
{
    const hsp_view *view = job->view;
    hsp__row row = hsp__view_row(view, i);
    hsp__text_puts(text, view->labels ? hsp_data_class_name(job->data, view->labels[i]) : "0");
    for (uint64_t k = 0; k < row.count || decimals.next < decimals.end;) {
        uint64_t j = k < row.count ? hsp__row_column(&row, k) : UINT64_MAX;
        const int stored = decimals.next == decimals.end || j <= decimals.next->column;
        if (!stored) j = decimals.next->column;
        const hsp__decimal_entry *decimal = write_take(&decimals, j);
        const uint64_t at = stored ? k++ : row.count;
        if ((!stored || hsp__row_value(view, &row, at) == 0) &&
            !(decimal && hsp__decimal_value_of(decimal->text, decimal->size).sign))
            continue;
        char *room = hsp__text_room(text, HSP__DECIMAL_MAX + 2);
        if (!room) return;
        *room++ = ' ';
        size_t size = hsp__decimal_print_u64(j + 1, room);
        room[size] = ':';
        text->size += size + 2;
        write_number(view, &row, at, decimal, text);
    }
    write_char(text, '\n');
}

/* ---- CSV ------------------------------------------------------------------------------------- */

void hsp__csv_write_field(hsp__text *text, const char *field, char separator)
{
    static const hsp__cell_rules usual = {.number.decimal = '.'};
    const size_t size = strlen(field);
    hsp__csv_put(text, field, size, separator,
                 hsp__cell_mark(&usual, field, size) >= HSP__MARK_ALWAYS);
}

/* All columns in order, zeros included, the label last. */
static void csv_write_row(const write_job *job, uint64_t i, write_decimals decimals,
                          hsp__text *text)
{
    const hsp_view *view = job->view;
    hsp__row row = hsp__view_row(view, i);
    uint64_t k = 0;
    for (uint64_t j = 0; j < view->cols; j++) {
        if (j) write_char(text, job->separator);
        const int stored = k < row.count && hsp__row_column(&row, k) == j;
        write_number(view, &row, stored ? k++ : row.count, write_take(&decimals, j), text);
    }
    if (view->labels) {
        if (view->cols) write_char(text, job->separator);
        hsp__csv_write_field(text, hsp_data_class_name(job->data, view->labels[i]), job->separator);
    }
    write_char(text, '\n');
}

/* The label's column keeps the name it had in the file it came from. */
static const char *csv_label_name(const hsp_data *data)
{
    const hsp_encoding *encoding = data->encoding;
    for (uint32_t j = 0; encoding && encoding->header && j < encoding->names.count; j++)
        if (encoding->columns[j].kind == HSP__COLUMN_LABEL)
            return hsp__names_get(&encoding->names, j);
    return "label";
}

/* A name that looks like a number makes the line of names look like data. */
static void csv_warn_of_names(hsp_context *ctx, const hsp_data *data)
{
    for (uint32_t j = 0; j < data->feature_names.count; j++) {
        const char *name = hsp__names_get(&data->feature_names, j);
        const char *end = name + hsp__names_size(&data->feature_names, j);
        double value;
        hsp__decimal_result result;
        if (hsp__decimal_f64(name, end, &value, &result) != end || end == name) continue;
        hsp__log(ctx, HSP_LOG_WARNING,
                 "column '%s' has a number as its name; read the file with --header yes", name);
        return;
    }
}

void hsp__csv_write_header(hsp__text *text, char separator, uint64_t cols, const hsp__names *names,
                           const char *label)
{
    for (uint64_t j = 0; j < cols; j++) {
        if (j) write_char(text, separator);
        if (names && j < names->count) {
            hsp__csv_write_field(text, hsp__names_get(names, (uint32_t)j), separator);
            continue;
        }
        char *room = hsp__text_room(text, HSP__DECIMAL_MAX + 1);
        if (!room) return;
        *room = 'x';
        text->size += 1 + hsp__decimal_print_u64(j + 1, room + 1);
    }
    if (label) {
        if (cols) write_char(text, separator);
        hsp__csv_write_field(text, label, separator);
    }
    write_char(text, '\n');
}

/* ---- Both ------------------------------------------------------------------------------------ */

static void write_block(void *user, uint64_t from, uint64_t to, uint64_t slot, hsp__text *text)
{
    const write_job *job = user;
    (void)slot;
    for (uint64_t i = from; i < to; i++)
        job->row(job, i, (write_decimals){NULL, NULL}, text);
}

/* Rows with the decimals of the file, as it is read again. */
typedef struct write_again {
    hsp_context *ctx;
    write_job *job;
    hsp__output *output;
    hsp__text text;
} write_again;

static hsp_status write_again_flush(write_again *m, uint64_t done, hsp_error *err)
{
    HSP__TRY(hsp__output_text(m->output, &m->text, err));
    m->text.size = 0;
    return hsp__progress(m->ctx, "writing", "rows", done, m->job->view->rows, err);
}

static hsp_status write_again_row(void *user, uint64_t i, const hsp__decimal_entry *entries,
                                  uint64_t count, hsp_error *err)
{
    write_again *m = user;
    write_decimals decimals = {NULL, NULL};
    if (count) decimals = (write_decimals){entries, entries + count};
    m->job->row(m->job, i, decimals, &m->text);
    const int more = m->text.size < WRITE_AGAIN_BYTES && !m->text.failed;
    return more ? HSP_OK : write_again_flush(m, i + 1, err);
}

static hsp_status write_rows(hsp_context *ctx, hsp_data *data, write_job *job,
                             const write_origin *origin, hsp__output *output, hsp_error *err)
{
    HSP__TRY(hsp_data_view(ctx, data, err, &job->view));
    job->data = data;
    const hsp_view *view = job->view;
    const uint64_t stored = job->separator ? view->rows * view->cols : hsp_view_stored(view);
    const uint64_t a_row = view->rows ? stored / view->rows + 1 : 1;
    write_again m = {.ctx = ctx, .job = job, .output = output};
    hsp_status status = HSP_OK;
    hsp__text_init(&m.text, &ctx->allocator);
    if (job->separator) {
        csv_warn_of_names(ctx, data);
        hsp__csv_write_header(&m.text, job->separator, view->cols, &data->feature_names,
                              view->labels ? csv_label_name(data) : NULL);
        status = hsp__output_text(output, &m.text, err);
        m.text.size = 0;
    }
    if (!status && origin) {
        status =
            hsp__decimals_read(ctx, origin->path, origin->read, data, write_again_row, &m, err);
        if (!status) status = write_again_flush(&m, view->rows, err);
    } else if (!status) {
        status = hsp__output_rows(ctx, output, "writing", view->rows,
                                  WRITE_BLOCK_ENTRIES / a_row + 1, write_block, job, err);
    }
    hsp__text_free(&m.text);
    return status;
}

/* libsvm text has no quoting: a class name must be one token that reads back as a label. */
hsp_status hsp__libsvm_check_names(const hsp_data *data, hsp_error *err)
{
    for (uint32_t i = 0; i < hsp_data_classes(data); i++) {
        const char *name = hsp_data_class_name(data, i);
        if (!*name || strpbrk(name, " \t\r\n#:"))
            return hsp__fail(err, HSP_USAGE,
                             "class '%s' cannot be written as libsvm text (a label there is one "
                             "word without ':' or '#'); write CSV or .hsp instead",
                             name);
    }
    return HSP_OK;
}

/* ---- Which format ------------------------------------------------------------------------- */

/* Writing: which format a name asks for, and who writes it. */

static const hsp_option write_options[] = {
    {"to", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|libsvm|csv|tsv|hsp", NULL,
     "format of the output; auto: by the file's ending"},
};

static const hsp_option_table write_table = {"write", "options of writing", write_options,
                                             sizeof write_options / sizeof *write_options};

const hsp_option_table *hsp_write_options(void)
{
    return &write_table;
}

static hsp_status write_text(hsp_context *ctx, hsp_data *data, const write_origin *origin,
                             const char *path, const char *format, hsp_error *err)
{
    write_job job = {.row = libsvm_write_row};
    if (strcmp(format, "libsvm") == 0)
        HSP__TRY(hsp__libsvm_check_names(data, err));
    else
        job = (write_job){.row = csv_write_row, .separator = format[0] == 't' ? '\t' : ','};
    hsp__output *output = NULL;
    HSP__TRY(hsp__output_open(ctx, path, err, &output));
    hsp_status status = write_rows(ctx, data, &job, origin, output, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

static hsp_status write_data(hsp_context *ctx, hsp_data *data, const write_origin *origin,
                             const char *path, const hsp_options *options, hsp_error *err)
{
    const char *format = options ? hsp_options_text(options, "to") : "auto";
    if (strcmp(format, "auto") == 0) {
        format = hsp__format_by_name(path);
        if (!format) format = "libsvm";
    }
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_status status = strcmp(format, "hsp") == 0
                            ? hsp__cache_write(&own, data, path, err)
                            : write_text(&own, data, origin, path, format, err);
    return hsp__while(err, status, "writing", path);
}

hsp_status hsp_data_write(hsp_context *ctx, hsp_data *data, const char *path,
                          const hsp_options *options, hsp_error *err)
{
    HSP__NEED(err, ctx, data, path);
    return write_data(ctx, data, NULL, path, options, err);
}

hsp_status hsp_data_rewrite(hsp_context *ctx, hsp_data *data, const char *from,
                            const hsp_options *read, const char *path, const hsp_options *options,
                            hsp_error *err)
{
    HSP__NEED(err, ctx, data, from, read, path);
    const write_origin origin = {from, read};
    const int asked = strcmp(hsp_options_text(read, "precision"), "decimals") == 0;
    int there = 0;
    if (asked && !hsp__data_is_exact(data)) HSP__TRY(hsp__decimals_there(ctx, from, err, &there));
    return write_data(ctx, data, there ? &origin : NULL, path, options, err);
}
