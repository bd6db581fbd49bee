/* The rows of a CSV file, in parallel, into one table of cells (see hsp__csv_table).
 *
 * A worker parses a block of records into cells of its own. When the block's turn comes, the words
 * that are new in it get their numbers for the whole file, and its rows get their place; then the
 * worker copies them there. Which worker met a word first leaves no trace: in the end the words are
 * sorted. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/csv_block.h"
#include "data/data.h"
#include "data/formats.h"

/* Room in the table for `rows` in all. */
static hsp_status csv_grow(hsp__csv_reader *reader, uint64_t rows, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan.precision) * reader->plan.cells;
    hsp__csv_table *table = &reader->table;
    void *labels = table->labels;
    if (!hsp__reserve(memory, &table->cells, &table->room, rows, bytes))
        return hsp__fail_memory(err);
    hsp__advise_huge(table->cells, table->room * bytes);
    if (!reader->plan.labelled) return HSP_OK;
    if (!hsp__reserve(memory, &labels, &table->labels_room, rows, sizeof *table->labels))
        return hsp__fail_memory(err);
    table->labels = labels;
    return HSP_OK;
}

static hsp_status csv_reserve(void *self, int number, const hsp__block *block, hsp__blocks *run,
                              hsp_error *err)
{
    hsp__csv_reader *reader = self;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp__csv_table *table = &reader->table;
    hsp_status status = HSP_OK;
    (void)block;
    for (uint32_t j = 0; !status && j < reader->plan.count; j++)
        if (worker->words[j]) status = hsp__csv_merge_words(reader, j, worker->words[j], err);
    if (status) return status;
    if (worker->missing_line && !reader->missing_line) {
        reader->missing_line = hsp__blocks_first_line(run) - 1 + worker->missing_line;
        reader->missing_column = worker->missing_column;
    }
    uint64_t rows = table->rows + worker->rows;
    if (rows > table->room || (reader->plan.labelled && rows > table->labels_room)) {
        hsp__blocks_settle(run);
        status = csv_grow(reader, rows, err);
        if (status) return status;
    }
    worker->first_row = table->rows;
    table->rows = rows;
    return HSP_OK;
}

static void csv_place(void *self, int number, const hsp__block *block)
{
    hsp__csv_reader *reader = self;
    hsp__csv_worker *worker = &reader->workers[number];
    const size_t bytes = hsp__value_bytes(reader->plan.precision) * reader->plan.cells;
    (void)block;
    for (uint32_t j = 0; j < reader->plan.count; j++) {
        if (!worker->words[j]) continue;
        if (reader->plan.columns[j].kind == HSP__COLUMN_CATEGORY) {
            hsp__csv_place_words(reader, worker, j, worker->cells);
            continue;
        }
        uint32_t *labels = reader->table.labels + worker->first_row;
        for (uint64_t i = 0; i < worker->rows; i++)
            labels[i] = worker->words[j]->map[worker->labels[i]];
    }
    if (worker->rows)
        memcpy((char *)reader->table.cells + worker->first_row * bytes, worker->cells,
               worker->rows * bytes);
}

/* ---- After the last row ---------------------------------------------------------------------- */

/* An encoding made here gets its indicators: of the columns that had missing values. */
static void csv_set_indicators(hsp__csv_reader *reader)
{
    hsp__csv_plan *plan = &reader->plan;
    if (plan->given || plan->missing != HSP__MISSING_INDICATOR) return;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind != HSP__COLUMN_LABEL && reader->workers[0].missing[j])
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
static uint32_t *csv_sort_words(const hsp__csv_reader *reader, uint32_t cell, hsp__names *names)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan.precision);
    const char *at = (const char *)reader->table.cells + cell * bytes;
    uint32_t *order = hsp__new(memory, names->count, sizeof *order);
    uint32_t *sorted = hsp__new(memory, names->count, sizeof *sorted);
    unsigned char *used = hsp__new(memory, names->count, 1);
    int done = order && sorted && used;
    if (done && !reader->dropped) memset(used, 1, names->count);
    for (uint64_t i = 0; done && reader->dropped && i < reader->table.rows; i++) {
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

static hsp_status csv_sort_categories(hsp__csv_reader *reader, hsp_error *err)
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
static int csv_order_labels(hsp__csv_reader *reader, uint32_t known)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const uint32_t count = reader->classes.count;
    uint32_t *labels = reader->table.labels;
    uint32_t *order = hsp__new(memory, count, sizeof *order);
    uint32_t *sorted = hsp__new(memory, count, sizeof *sorted);
    unsigned char *used = hsp__new(memory, count, 1);
    int done = order && sorted && used;
    for (uint64_t i = 0; done && reader->plan.labelled && i < reader->table.rows; i++)
        used[labels[i]] = 1;
    done = done && csv_sort_classes(&reader->classes, known, used, order, sorted);
    for (uint64_t i = 0; done && reader->plan.labelled && i < reader->table.rows; i++)
        labels[i] = order[labels[i]];
    hsp__free(memory, order);
    hsp__free(memory, sorted);
    hsp__free(memory, used);
    return done;
}

static hsp_status csv_finish_labels(hsp__csv_reader *reader, hsp_error *err)
{
    hsp__csv_plan *plan = &reader->plan;
    uint32_t known = plan->given ? plan->encoding->classes.count : 0;
    if (!csv_order_labels(reader, known)) return hsp__fail_memory(err);
    if (!plan->given && !hsp__names_copy(&plan->encoding->classes, &reader->classes))
        return hsp__fail_memory(err);
    if (known && reader->classes.count > known)
        hsp__log(reader->ctx, HSP_LOG_WARNING,
                 "%s: %u labels were not seen when the encoding was made (such as '%s')",
                 plan->file, reader->classes.count - known,
                 hsp__names_get(&reader->classes, known));
    return HSP_OK;
}

static hsp_status csv_finish(hsp__csv_reader *reader, const hsp_options *options, hsp_error *err,
                             hsp_data **out)
{
    hsp_data *data = NULL;
    hsp__csv_add_counts(reader);
    hsp_status status = hsp__csv_tell(reader, err);
    if (status) return status;
    csv_set_indicators(reader);
    reader->dropped = reader->workers[0].dropped;
    hsp__csv_free_workers(reader);
    status = csv_sort_categories(reader, err);
    if (!status) status = csv_finish_labels(reader, err);
    if (!status && !reader->plan.given && reader->plan.missing == HSP__MISSING_MEAN)
        hsp__csv_means(reader->ctx, &reader->plan, &reader->table);
    if (!status)
        status = hsp__csv_expand(reader->ctx, &reader->plan, &reader->table, options, err, &data);
    if (status) return status;
    if (reader->plan.labelled) {
        data->class_names = reader->classes;
        hsp__names_init(&reader->classes, &reader->ctx->allocator);
    }
    hsp__data_seal(data);
    *out = data;
    return HSP_OK;
}

/* ---- From the beginning ---------------------------------------------------------------------- */

/* Make room for as many rows as the file's size promises, so that nothing moves on the way. Pages
 * that are not written cost nothing. */
static hsp_status csv_estimate(hsp__csv_reader *reader, const hsp__source *source,
                               const hsp__csv_sample *sample, hsp_error *err)
{
    double each = (double)sample->record_bytes / (double)sample->records;
    double rows = (double)hsp__source_size(source) / each;
    return csv_grow(reader, (uint64_t)(rows * 1.02) + 16, err);
}

static hsp_status csv_start(hsp__csv_reader *reader, hsp__source *source,
                            const hsp__csv_sample *sample, hsp_error *err)
{
    hsp_context *ctx = reader->ctx;
    hsp_status status = hsp__csv_skip(ctx, source, reader->plan.data_at, err);
    if (!status) status = csv_estimate(reader, source, sample, err);
    if (status) return status;
    if (reader->plan.given && !hsp__names_copy(&reader->classes, &reader->plan.encoding->classes))
        return hsp__fail_memory(err);
    return hsp__csv_start_workers(reader, source) ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status csv_run(hsp__csv_reader *reader, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {1, hsp__csv_parse, csv_reserve, csv_place};
    hsp_status status = hsp__blocks_run(reader->ctx, source, &format, reader, reader->count, err);
    if (status && err && err->line) err->line += reader->plan.data_line;
    return status;
}

static void csv_free(hsp__csv_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__csv_free_workers(reader);
    for (uint32_t c = 0; reader->table.orders && c < reader->plan.cells; c++)
        hsp__free(memory, reader->table.orders[c]);
    hsp__free(memory, reader->table.orders);
    hsp__free(memory, reader->table.cells);
    hsp__free(memory, reader->table.labels);
    hsp__names_free(&reader->classes);
    hsp__csv_plan_free(memory, &reader->plan);
}

hsp_status hsp__csv_read(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                         hsp_data **out)
{
    hsp__csv_reader reader = {.ctx = ctx};
    hsp__csv_sample sample = {0};
    hsp__names_init(&reader.classes, &ctx->allocator);
    hsp__names_init(&reader.plan.names, &ctx->allocator);
    hsp_status status = hsp__csv_detect(ctx, source, tabs, options, encoding, err, &sample);
    if (!status)
        status = hsp__csv_plan_make(ctx, hsp__source_name(source), &sample, options, encoding, err,
                                    &reader.plan);
    if (!status) status = csv_start(&reader, source, &sample, err);
    hsp__csv_sample_free(&ctx->allocator, &sample);
    if (!status) status = csv_run(&reader, source, err);
    if (!status) status = csv_finish(&reader, options, err, out);
    csv_free(&reader);
    return status;
}
