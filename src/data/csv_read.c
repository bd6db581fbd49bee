/* Reading a CSV file, from the first look at it to the data set. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/formats.h"

typedef struct csv_reader {
    hsp_context *ctx;
    hsp__csv_plan plan;
    hsp__csv_table table;
    hsp__csv_counts counts;
    hsp_error why; /* doubles were chosen: its message says why */
} csv_reader;

/* ---- After the last row ---------------------------------------------------------------------- */

/* An encoding made here gets its indicators: of the columns that had missing values. */
static void csv_set_indicators(csv_reader *reader)
{
    hsp__csv_plan *plan = &reader->plan;
    if (plan->given || plan->missing != HSP__MISSING_INDICATOR) return;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind != HSP__COLUMN_LABEL && reader->counts.missing[j])
            plan->encoding->columns[plan->columns[j].encoded].indicator = 1;
}

/* Names without those that were seen only in rows left out; index[old] = new of the others. */
static int csv_keep_used(hsp__names *names, const unsigned char *used, uint32_t *index)
{
    hsp__names kept;
    hsp__names_init(&kept, &names->memory);
    int done = 1;
    for (uint32_t i = 0; done && i < names->count; i++)
        if (used[i])
            done = hsp__names_add(&kept, hsp__names_get(names, i), hsp__names_size(names, i),
                                  &index[i]);
    if (!done) {
        hsp__names_free(&kept);
        return 0;
    }
    hsp__names_free(names);
    *names = kept;
    return 1;
}

/* Sort names, those that are not used left out; order[old] = new. `sorted` is scratch of the same
 * size. */
static int csv_sort_used(hsp__names *names, const unsigned char *used, uint32_t *order,
                         uint32_t *sorted)
{
    const uint32_t count = names->count;
    if (!csv_keep_used(names, used, order) || !hsp__names_sort(names, sorted)) return 0;
    for (uint32_t i = 0; i < count; i++)
        order[i] = used[i] ? sorted[order[i]] : 0;
    return 1;
}

/* The order of a column's words once sorted: order[old] = new. NULL when there is no memory. */
static uint32_t *csv_sort_words(const csv_reader *reader, uint32_t cell, hsp__names *names)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan.precision);
    const char *at = (const char *)reader->table.cells + cell * bytes;
    uint32_t *order = hsp__new(memory, names->count, sizeof *order);
    uint32_t *sorted = hsp__new(memory, names->count, sizeof *sorted);
    unsigned char *used = hsp__new(memory, names->count, 1);
    int done = order && sorted && used;
    if (done && !reader->counts.dropped) memset(used, 1, names->count);
    for (uint64_t i = 0; done && reader->counts.dropped && i < reader->table.rows; i++) {
        uint32_t word;
        memcpy(&word, at + i * bytes * reader->plan.cells, sizeof word);
        if (word != HSP__CSV_MISSING) used[word] = 1;
    }
    done = done && csv_sort_used(names, used, order, sorted);
    hsp__free(memory, sorted);
    hsp__free(memory, used);
    if (done) return order;
    hsp__free(memory, order);
    return NULL;
}

static hsp_status csv_sort_categories(csv_reader *reader, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__csv_plan *plan = &reader->plan;
    if (plan->given) return HSP_OK;
    reader->table.orders = hsp__new(memory, plan->cells, sizeof *reader->table.orders);
    if (!reader->table.orders) return hsp__fail_memory(err);
    for (uint32_t c = 0; c < plan->cells; c++) {
        hsp__column *column = &plan->encoding->columns[plan->cell_columns[c]];
        if (column->kind != HSP__COLUMN_CATEGORY) continue;
        reader->table.orders[c] = csv_sort_words(reader, c, &column->values);
        if (!reader->table.orders[c]) return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* Sort the classes from number `from` on, which are new, and leave out the unused ones among them;
 * those before stay as they are. */
static int csv_sort_classes(hsp__names *classes, uint32_t from, const unsigned char *used,
                            uint32_t *order, uint32_t *sorted)
{
    hsp__names before, after;
    hsp__names_init(&before, &classes->memory);
    hsp__names_init(&after, &classes->memory);
    uint32_t number;
    int done = 1;
    for (uint32_t i = 0; done && i < classes->count; i++)
        done = hsp__names_add(i < from ? &before : &after, hsp__names_get(classes, i),
                              hsp__names_size(classes, i), &number);
    done = done && csv_sort_used(&after, used + from, order + from, sorted);
    done = done && hsp__names_copy(&before, &after);
    for (uint32_t i = 0; done && i < classes->count; i++)
        order[i] = i < from ? i : order[i] + from;
    if (done) {
        hsp__names_free(classes);
        *classes = before;
    } else {
        hsp__names_free(&before);
    }
    hsp__names_free(&after);
    return done;
}

/* The labels' classes in their order: an encoding's first, then new ones, sorted. */
static int csv_order_labels(csv_reader *reader, uint32_t known)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const uint32_t count = reader->table.classes.count;
    uint32_t *labels = reader->table.labels;
    uint32_t *order = hsp__new(memory, count, sizeof *order);
    uint32_t *sorted = hsp__new(memory, count, sizeof *sorted);
    unsigned char *used = hsp__new(memory, count, 1);
    int done = order && sorted && used;
    for (uint64_t i = 0; done && reader->plan.labelled && i < reader->table.rows; i++)
        used[labels[i]] = 1;
    done = done && csv_sort_classes(&reader->table.classes, known, used, order, sorted);
    for (uint64_t i = 0; done && reader->plan.labelled && i < reader->table.rows; i++)
        labels[i] = order[labels[i]];
    hsp__free(memory, order);
    hsp__free(memory, sorted);
    hsp__free(memory, used);
    return done;
}

static hsp_status csv_finish_labels(csv_reader *reader, hsp_error *err)
{
    hsp__csv_plan *plan = &reader->plan;
    uint32_t known = plan->given ? plan->encoding->classes.count : 0;
    if (!csv_order_labels(reader, known)) return hsp__fail_memory(err);
    if (!plan->given && !hsp__names_copy(&plan->encoding->classes, &reader->table.classes))
        return hsp__fail_memory(err);
    if (known && reader->table.classes.count > known)
        hsp__log(reader->ctx, HSP_LOG_WARNING, "%s: %u label%s not in the encoding (such as '%s')",
                 plan->file, reader->table.classes.count - known,
                 reader->table.classes.count - known == 1 ? " is" : "s are",
                 hsp__names_get(&reader->table.classes, known));
    return HSP_OK;
}

/* A mean that stands in a gap is no decimal of the file. */
static int csv_digits(const csv_reader *reader)
{
    const int means = reader->plan.missing == HSP__MISSING_MEAN && reader->counts.missing_line;
    return means ? 0 : reader->counts.losses.digits;
}

static hsp_status csv_finish(csv_reader *reader, const hsp_options *options, hsp_error *err,
                             hsp_data **out)
{
    hsp_data *data = NULL;
    hsp_status status =
        hsp__csv_tell(reader->ctx, &reader->plan, &reader->counts, reader->table.rows, err);
    if (status) return status;
    hsp__tell_double(reader->ctx, reader->plan.file, reader->why.message);
    csv_set_indicators(reader);
    status = csv_sort_categories(reader, err);
    if (!status) status = csv_finish_labels(reader, err);
    if (!status && !reader->plan.given && reader->plan.missing == HSP__MISSING_MEAN)
        hsp__csv_means(reader->ctx, &reader->plan, &reader->table);
    if (!status)
        status = hsp__csv_expand(reader->ctx, &reader->plan, &reader->table, options, err, &data);
    if (status) return status;
    if (reader->plan.labelled) {
        data->class_names = reader->table.classes;
        hsp__names_init(&reader->table.classes, &reader->ctx->allocator);
    }
    data->digits = csv_digits(reader);
    snprintf(data->why, sizeof data->why, "%.191s", reader->why.message);
    hsp__data_seal(data);
    *out = data;
    return HSP_OK;
}

/* ---- From the beginning ---------------------------------------------------------------------- */

/* Make room for as many rows as the file's size promises, so that nothing moves on the way. Pages
 * that are not written cost nothing. */
static hsp_status csv_estimate(csv_reader *reader, const hsp__source *source,
                               const hsp__csv_sample *sample, hsp_error *err)
{
    double each = (double)sample->record_bytes / (double)sample->records;
    double rows = (double)source->size / each;
    return hsp__csv_table_grow(reader->ctx, &reader->plan, &reader->table,
                               (uint64_t)(rows * 1.02) + 16, err);
}

/* Everything the rows need before the first one comes. */
static hsp_status csv_start(csv_reader *reader, hsp__source *source, const hsp__csv_sample *sample,
                            hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const hsp__csv_plan *plan = &reader->plan;
    if (!hsp__csv_counts_init(&reader->counts, plan, memory)) return hsp__fail_memory(err);
    if (plan->given && !hsp__names_copy(&reader->table.classes, &plan->encoding->classes))
        return hsp__fail_memory(err);
    hsp_status status = hsp__source_skip(source, plan->data_at, err);
    return status ? status : csv_estimate(reader, source, sample, err);
}

/* The doubles of the table become floats, which suffice. */
static void csv_narrow(csv_reader *reader)
{
    hsp__csv_table *table = &reader->table;
    const size_t bytes = sizeof(float) * reader->plan.cells;
    hsp__csv_narrow(&reader->plan, table->cells, table->rows);
    void *less = hsp__resize(&reader->ctx->allocator, table->cells, table->rows, bytes);
    if (less) table->cells = less;
    hsp__csv_plan_keep(&reader->plan,
                       (hsp__reading){HSP__KEEP_SINGLE, HSP__WATCH_NONE, HSP__REWRITE_NONE});
}

/* Nothing is left of what was read but the words, which will come again. */
static void csv_forget(csv_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__csv_counts_free(&reader->counts, memory);
    hsp__free(memory, reader->table.cells);
    hsp__free(memory, reader->table.labels);
    reader->counts = (hsp__csv_counts){0};
    reader->table = (hsp__csv_table){.classes = reader->table.classes};
}

/* All rows into the table, in the precision that they need. */
static hsp_status csv_rows(csv_reader *reader, hsp__source *source, const hsp__csv_sample *sample,
                           const hsp_options *options, hsp_error *err)
{
    hsp__csv_plan *plan = &reader->plan;
    const hsp__reading reading = plan->reading;
    hsp_status status = csv_start(reader, source, sample, err);
    if (status) return status;
    status =
        hsp__csv_rows(reader->ctx, source, plan, &reader->table, &reader->counts, &reader->why);
    if (status == HSP__NEEDS_DOUBLE && reading.keep == HSP__KEEP_SINGLE) {
        csv_forget(reader);
        hsp__csv_plan_keep(plan, hsp__reading_again(options));
        status = hsp__source_rewind(reader->ctx, source, err);
        if (!status) status = csv_start(reader, source, sample, err);
        if (!status)
            status = hsp__csv_rows(reader->ctx, source, plan, &reader->table, &reader->counts, err);
        return status;
    }
    if (status == HSP__NEEDS_DOUBLE) return HSP_OK;
    if (status && err) *err = reader->why;
    if (!status && reading.watch != HSP__WATCH_NONE && reading.keep != HSP__KEEP_SINGLE)
        csv_narrow(reader);
    return status;
}

static void csv_free(csv_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__csv_counts_free(&reader->counts, memory);
    for (uint32_t c = 0; reader->table.orders && c < reader->plan.cells; c++)
        hsp__free(memory, reader->table.orders[c]);
    hsp__free(memory, reader->table.orders);
    hsp__free(memory, reader->table.cells);
    hsp__free(memory, reader->table.labels);
    hsp__names_free(&reader->table.classes);
    hsp__csv_plan_free(memory, &reader->plan);
}

/* How the columns were read; and where the long decimals, which stand in columns of the file counted
 * from 1, are among those of the data set. */
static hsp_status csv_tell_columns(const csv_reader *reader, const hsp_encoding *encoding,
                                   hsp__provenance *told, hsp_error *err)
{
    const hsp__csv_plan *plan = &reader->plan;
    const hsp_allocator *memory = &reader->ctx->allocator;
    uint64_t *first = hsp__new(memory, (uint64_t)encoding->names.count + 1, sizeof *first);
    told->columns = hsp__new(memory, plan->count, sizeof *told->columns);
    if (!told->columns || !first) {
        hsp__free(memory, first);
        return hsp__fail_memory(err);
    }
    for (uint32_t c = 0; c < encoding->names.count; c++)
        first[c + 1] = first[c] + hsp__encoding_width(&encoding->columns[c]);
    told->count = plan->count;
    told->separator = plan->separator;
    told->missing = (int)plan->missing;
    for (uint32_t j = 0; j < plan->count; j++)
        told->columns[j] =
            (hsp__table_column){(int)plan->columns[j].kind, plan->columns[j].encoded};
    for (uint64_t k = 0; k < told->longs.count; k++) {
        hsp__long_decimal *number = &told->longs.all[k];
        number->column = first[plan->columns[number->column - 1].encoded];
    }
    hsp__free(memory, first);
    hsp__long_decimals_sort(&told->longs);
    return HSP_OK;
}

hsp_status hsp__csv_read(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                         hsp_data **out)
{
    csv_reader reader = {.ctx = ctx};
    hsp__csv_sample sample = {0};
    hsp__names_init(&reader.table.classes, &ctx->allocator);
    hsp__names_init(&reader.plan.names, &ctx->allocator);
    hsp_status status = hsp__csv_detect(ctx, source, tabs, options, encoding, err, &sample);
    if (!status)
        status =
            hsp__csv_plan_make(ctx, source->name, &sample, options,
                               hsp__reading_first(options, source), encoding, err, &reader.plan);
    if (!status) status = csv_rows(&reader, source, &sample, options, err);
    const int header = sample.header;
    hsp__csv_sample_free(&ctx->allocator, &sample);
    if (!status) status = csv_finish(&reader, options, err, out);
    if (!status && source->told) {
        status = csv_tell_columns(&reader, (*out)->encoding, source->told, err);
        source->told->header = header;
    }
    csv_free(&reader);
    return status;
}
