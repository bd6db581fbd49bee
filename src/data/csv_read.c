/* Reading a CSV file, from the first look at it to the data set: blocks of rows are gathered in one
 * table of cells, because what a category's words become is known at the end alone. */
#include <stdio.h>

#include "base/base.h"
#include "base/checksum.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/shard.h"

typedef struct csv_whole {
    hsp__csv_reader reader; /* first: what the parser takes */
    hsp__csv_table table;
    hsp__names classes;
    uint64_t rows;      /* of all ranks */
    char why[HSP__WHY]; /* doubles were chosen: because of this; else empty */
} csv_whole;

/* ---- The rows -------------------------------------------------------------------------------- */

/* Room in the table for `rows` in all. */
static hsp_status csv_grow(csv_whole *whole, uint64_t rows, hsp_error *err)
{
    const hsp_allocator *memory = &whole->reader.ctx->allocator;
    const hsp__csv_plan *plan = &whole->reader.plan;
    hsp__csv_table *table = &whole->table;
    const size_t bytes = hsp__value_bytes(plan->precision) * plan->cells;
    if (!hsp__reserve(memory, &table->cells, &table->room, rows, bytes))
        return hsp__fail_memory(err);
    hsp__advise_huge(memory, table->cells, table->room * bytes);
    if (plan->labelled &&
        !hsp__reserve(memory, &table->labels, &table->labels_room, rows, sizeof *table->labels))
        return hsp__fail_memory(err);
    return HSP_OK;
}

static hsp_status csv_reserve(void *self, int number, hsp__blocks *run, hsp_error *err)
{
    csv_whole *whole = self;
    hsp__csv_reader *reader = &whole->reader;
    const hsp__csv_plan *plan = &reader->plan;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp__csv_table *table = &whole->table;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_CATEGORY)
            HSP__TRY(hsp__csv_merge_words(reader, worker, j, err));
    if (plan->labelled) HSP__TRY(hsp__csv_merge_labels(reader, worker, err));
    if (worker->bad.count) HSP__TRY(hsp__csv_take_bad(reader, worker, run, err));
    if (worker->counts.missing_line && !reader->counts.missing_line) {
        reader->counts.missing_file = hsp__blocks_file(run);
        reader->counts.missing_line = hsp__blocks_first_line(run) - 1 + worker->counts.missing_line;
        reader->counts.missing_column = worker->counts.missing_column;
    }
    const uint64_t lists = table->hashed.count;
    if (lists + worker->rows.hashed.count >= HSP__CSV_UNSEEN)
        return hsp__fail(err, HSP_USAGE,
                         "hash: a data set has at most 4294967293 cells in hashed columns");
    for (uint32_t j = 0; lists && j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_HASHED)
            hsp__csv_shift_lists(plan, worker, j, lists);
    if (!hsp__hash_lists_move(&table->hashed, &worker->rows.hashed)) return hsp__fail_memory(err);
    const uint64_t rows = table->rows + worker->rows.rows;
    HSP__TRY(hsp__csv_check_categories(reader, rows, 0, err));
    if (rows > table->room || (plan->labelled && rows > table->labels_room)) {
        hsp__blocks_settle(run);
        HSP__TRY(csv_grow(whole, rows, err));
    }
    if (reader->provenance && !hsp__long_decimals_move(&reader->provenance->longs,
                                                       &worker->counts.losses.longs, table->rows))
        return hsp__fail_memory(err);
    worker->first_row = table->rows;
    table->rows = rows;
    return HSP_OK;
}

static void csv_place(void *self, int number)
{
    csv_whole *whole = self;
    const hsp__csv_plan *plan = &whole->reader.plan;
    hsp__csv_worker *worker = &whole->reader.workers[number];
    hsp__csv_table *table = &whole->table;
    const size_t bytes = hsp__value_bytes(plan->precision) * plan->cells;
    const uint64_t rows = worker->rows.rows;
    if (!rows) return; /* blank lines alone */
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_CATEGORY)
            hsp__csv_place_words(&whole->reader, worker, j);
    memcpy((char *)table->cells + worker->first_row * bytes, worker->rows.cells, rows * bytes);
    if (plan->labelled)
        memcpy(table->labels + worker->first_row, worker->rows.labels,
               rows * sizeof *table->labels);
}

/* All rows into the table, in the precision that they need. */
static hsp_status csv_rows(csv_whole *whole, hsp__source *source, const hsp_options *options,
                           hsp_error *err)
{
    static const hsp__block_format format = {1, hsp__csv_parse, csv_reserve, csv_place};
    hsp__csv_reader *reader = &whole->reader;
    hsp_context *ctx = reader->ctx;
    hsp__csv_plan *plan = &reader->plan;
    hsp__csv_table *table = &whole->table;
    for (;;) {
        const hsp__reading reading = plan->reading;
        hsp_error found = {0};
        hsp_status status = hsp__csv_start(reader, source) ? HSP_OK : hsp__fail_memory(&found);
        if (!status) status = hsp__csv_skip_header(source, plan, &found);
        /* as many rows as the file's size promises, so that nothing moves on the way: pages that are
         * not written cost nothing */
        if (!status)
            status = csv_grow(
                whole, (uint64_t)((double)source->size / plan->record_bytes * 1.02) + 16, &found);
        status = hsp__ranks_agree(source->ranks, status, &found);
        if (!status) status = hsp__blocks_run(ctx, source, &format, whole, reader->count, &found);
        if (reader->counts.missing_file == source->part_names[source->first_part])
            reader->counts.missing_line += source->lines_before;
        if (!status) status = hsp__csv_gather(reader, &found);
        hsp__csv_free_workers(reader);
        if (status != HSP__NEEDS_DOUBLE) {
            if (status && err) *err = found;
            if (status || reading.watch == HSP__WATCH_NONE || reading.keep == HSP__KEEP_SINGLE)
                return status;
            /* the doubles of the table become floats, which suffice */
            hsp__csv_narrow(plan, table->cells, table->rows);
            void *less = hsp__resize(&ctx->allocator, table->cells, table->rows,
                                     sizeof(float) * plan->cells);
            if (less) table->cells = less;
            hsp__csv_plan_keep(
                plan, (hsp__reading){HSP__KEEP_SINGLE, HSP__WATCH_NONE, HSP__REWRITE_NONE});
            return HSP_OK;
        }
        snprintf(whole->why, sizeof whole->why, "%.191s", found.message);
        if (reading.keep != HSP__KEEP_SINGLE) return HSP_OK;
        /* once more, as doubles: nothing is left but the words, which will come again */
        hsp__free(&ctx->allocator, table->cells);
        hsp__free(&ctx->allocator, table->labels);
        hsp__hash_lists_free(&table->hashed);
        *table = (hsp__csv_table){.hashed = table->hashed};
        hsp__csv_plan_keep(plan, hsp__reading_again(options));
        HSP__TRY(hsp__source_rewind(ctx, source, err));
    }
}

/* Can the ranks read a part each? Not if what becomes of a row depends on all of them. */
static int csv_divides(const hsp__csv_plan *plan)
{
    int made = 0; /* categories of this file */
    for (uint32_t j = 0; !plan->given && j < plan->count; j++)
        made |= plan->columns[j].kind == HSP__COLUMN_CATEGORY;
    return plan->given || plan->missing == HSP__MISSING_ERROR ||
           (plan->missing != HSP__MISSING_MEAN && !made);
}

/* Ranks with files of their own: all files need columns of the same names and kinds, and rows that can be
 * read without those of the others. */
static hsp_status csv_compare_plans(hsp_context *ctx, const hsp__source *source,
                                    const hsp__csv_plan *plan, hsp_error *err)
{
    char *text = NULL;
    uint32_t own = 0, all[HSP__BLOCKS];
    hsp_status status = hsp__encoding_to_json(plan->encoding, &ctx->allocator, err, &text);
    if (!status) own = hsp__crc32(0, text, strlen(text));
    hsp__free(&ctx->allocator, text);
    HSP__TRY(hsp__ranks_agree(source->ranks, status, err));
    hsp__ranks_gather(source->ranks, &own, sizeof own, all);
    if (own != all[0])
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                              "the columns have other names or kinds than in the file of rank 0; "
                              "use the same names, --categorical and --date for columns whose "
                              "first rows differ");
    else if (!csv_divides(plan))
        status =
            hsp__fail_option(err, "--missing",
                             "where each rank reads its own file ({rank}), \"mean\" needs "
                             "--encoding FILE; so do \"drop\" and \"indicator\" if columns have "
                             "categories");
    return hsp__ranks_agree(source->ranks, status, err);
}

/* The words of all ranks become those of this one, in its rows, too. */
static hsp_status csv_agree_words(csv_whole *whole, hsp_error *err)
{
    const hsp__csv_reader *reader = &whole->reader;
    const hsp__csv_plan *plan = &reader->plan;
    const hsp__csv_table *table = &whole->table;
    const size_t bytes = hsp__value_bytes(plan->precision);
    uint32_t *map = NULL;
    whole->rows = table->rows;
    if (!reader->ranks) return HSP_OK;
    hsp__ranks_add(reader->ranks, &whole->rows, 1);
    HSP__TRY(hsp__shard_names(reader->ranks, &whole->classes, err, &map));
    for (uint64_t i = 0; plan->labelled && i < table->rows; i++)
        table->labels[i] = map[table->labels[i]];
    hsp__free(&reader->ctx->allocator, map);
    for (uint32_t c = 0; !plan->given && c < plan->cells; c++) {
        hsp__column *column = &plan->encoding->columns[plan->cell_columns[c]];
        if (column->kind != HSP__COLUMN_CATEGORY) continue;
        HSP__TRY(hsp__shard_names(reader->ranks, &column->values, err, &map));
        char *cell = (char *)table->cells + c * bytes;
        for (uint64_t i = 0; i < table->rows; i++, cell += bytes * plan->cells) {
            uint32_t word;
            memcpy(&word, cell, sizeof word);
            if (word != HSP__CSV_MISSING) memcpy(cell, &map[word], sizeof word);
        }
        hsp__free(&reader->ctx->allocator, map);
    }
    return HSP_OK;
}

/* ---- After the last row ---------------------------------------------------------------------- */

/* Sort the names from number `from` on, those that are not used left out (`used` NULL: all are);
 * order[old] = new, of those that are. 0 when there is no memory. */
static int csv_sort(hsp__names *names, uint32_t from, const unsigned char *used, uint32_t *order)
{
    hsp__names before, after;
    uint32_t *sorted = hsp__new(&names->memory, names->count, sizeof *sorted);
    int done = sorted != NULL;
    hsp__names_init(&before, &names->memory);
    hsp__names_init(&after, &names->memory);
    for (uint32_t i = 0; done && i < names->count; i++)
        if (i < from || !used || used[i])
            done = hsp__names_add(i < from ? &before : &after, hsp__names_get(names, i),
                                  hsp__names_size(names, i), &order[i]);
    done = done && hsp__names_sort(&after, sorted);
    for (uint32_t i = from; done && i < names->count; i++)
        if (!used || used[i]) order[i] = from + sorted[order[i]];
    hsp__free(&names->memory, sorted);
    if (done && (!from || hsp__names_copy(&before, &after))) {
        hsp__names_free(names);
        *names = from ? before : after;
        hsp__names_free(from ? &after : &before);
        return 1;
    }
    hsp__names_free(&before);
    hsp__names_free(&after);
    return 0;
}

/* Sort the words of each category, without those that were seen only in rows left out. */
static hsp_status csv_sort_categories(csv_whole *whole, hsp_error *err)
{
    const hsp_allocator *memory = &whole->reader.ctx->allocator;
    const hsp__csv_plan *plan = &whole->reader.plan;
    hsp__csv_table *table = &whole->table;
    const size_t bytes = hsp__value_bytes(plan->precision);
    const int left_out = whole->reader.counts.dropped || whole->reader.rejects.count;
    table->orders = hsp__new(memory, plan->cells, sizeof *table->orders);
    if (!table->orders) return hsp__fail_memory(err);
    for (uint32_t c = 0; c < plan->cells; c++) {
        hsp__column *column = &plan->encoding->columns[plan->cell_columns[c]];
        if (column->kind != HSP__COLUMN_CATEGORY) continue;
        const uint32_t words = column->values.count;
        uint32_t *order = table->orders[c] = hsp__new(memory, words, sizeof *order);
        unsigned char *used = left_out ? hsp__new(memory, words, 1) : NULL;
        for (uint64_t i = 0; used && i < table->rows; i++) {
            uint32_t word;
            memcpy(&word, (const char *)table->cells + (i * plan->cells + c) * bytes, sizeof word);
            if (word != HSP__CSV_MISSING) used[word] = 1;
        }
        const int done = order && (used || !left_out) && csv_sort(&column->values, 0, used, order);
        hsp__free(memory, used);
        if (!done) return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* The classes in their order: an encoding's first, then new ones, sorted. */
static hsp_status csv_sort_classes(csv_whole *whole, hsp_error *err)
{
    hsp_context *ctx = whole->reader.ctx;
    hsp__csv_plan *plan = &whole->reader.plan;
    hsp__names *classes = &whole->classes;
    const uint32_t known = plan->given ? plan->encoding->classes.count : 0;
    uint32_t *order = hsp__new(&ctx->allocator, classes->count, sizeof *order);
    const int done = order && csv_sort(classes, known, NULL, order);
    for (uint64_t i = 0; done && plan->labelled && i < whole->table.rows; i++)
        whole->table.labels[i] = order[whole->table.labels[i]];
    hsp__free(&ctx->allocator, order);
    if (!done || (!plan->given && !hsp__names_copy(&plan->encoding->classes, classes)))
        return hsp__fail_memory(err);
    if (known && classes->count > known)
        hsp__log(ctx, HSP_LOG_NOTE, "%s: %u label%s not in the encoding (such as '%s')", plan->file,
                 classes->count - known, classes->count - known == 1 ? " is" : "s are",
                 hsp__names_get(classes, known));
    return HSP_OK;
}

/* The table, names and encoding into a data set, which takes their memory. */
static hsp_status csv_finish(csv_whole *whole, const char *storage, hsp_error *err, hsp_data **out)
{
    hsp_context *ctx = whole->reader.ctx;
    hsp__csv_plan *plan = &whole->reader.plan;
    const hsp__csv_counts *counts = &whole->reader.counts;
    hsp__csv_table *table = &whole->table;
    const int means = plan->missing == HSP__MISSING_MEAN;
    HSP__TRY(csv_agree_words(whole, err));
    HSP__TRY(hsp__csv_check_categories(&whole->reader, whole->rows + counts->dropped, 1, err));
    HSP__TRY(hsp__csv_tell(&whole->reader, whole->rows, err));
    hsp__tell_double(ctx, plan->file, whole->why);
    if (!plan->given) {
        /* indicators for the columns that had missing values */
        for (uint32_t j = 0; plan->missing == HSP__MISSING_INDICATOR && j < plan->count; j++)
            if (plan->columns[j].kind != HSP__COLUMN_LABEL && counts->missing[j])
                plan->encoding->columns[plan->columns[j].encoded].indicator = 1;
        HSP__TRY(csv_sort_categories(whole, err));
    }
    HSP__TRY(csv_sort_classes(whole, err));
    if (!plan->given && means) hsp__csv_means(ctx, plan, table);
    HSP__TRY(hsp__csv_expand(ctx, plan, table, storage, err, out));
    hsp_data *data = *out;
    if (!hsp__encoding_feature_names(plan->encoding, &data->feature_names))
        return hsp__fail_memory(err);
    if (plan->labelled) {
        void *less =
            hsp__resize(&ctx->allocator, table->labels, table->rows, sizeof *table->labels);
        data->labels = less ? less : table->labels;
        table->labels = NULL;
        data->class_names = whole->classes;
        hsp__names_init(&whole->classes, &ctx->allocator);
    }
    data->encoding = plan->encoding;
    plan->encoding = NULL;
    /* a mean that stands in a gap is no decimal of the file, nor is a time of day in days */
    int computed = means && counts->missing_line;
    for (uint32_t i = 0; i < data->encoding->names.count; i++)
        computed |= strchr(data->encoding->columns[i].pattern, 'H') != NULL;
    data->digits = computed ? 0 : counts->losses.digits;
    memcpy(data->why, whole->why, sizeof data->why);
    hsp__csv_rejects *rejects = &whole->reader.rejects;
    data->rejected = rejects->places;
    data->rejected_count = rejects->count;
    rejects->places = NULL;
    hsp__data_seal(data);
    return HSP_OK;
}

/* How the columns were read; and where the long decimals, which stand in columns of the file counted
 * from 1, are among those of the data set. */
static hsp_status csv_tell_columns(const hsp__csv_plan *plan, const hsp_encoding *encoding,
                                   hsp__provenance *provenance, hsp_error *err)
{
    const hsp_allocator *memory = &provenance->memory;
    uint64_t *first = hsp__new(memory, (uint64_t)encoding->names.count + 1, sizeof *first);
    provenance->columns = hsp__new(memory, plan->count, sizeof *provenance->columns);
    if (!provenance->columns || !first) {
        hsp__free(memory, first);
        return hsp__fail_memory(err);
    }
    for (uint32_t c = 0; c < encoding->names.count; c++)
        first[c + 1] = first[c] + hsp__encoding_width(&encoding->columns[c]);
    provenance->header = plan->header;
    provenance->count = plan->count;
    provenance->separator = plan->separator;
    provenance->missing = (int)plan->missing;
    for (uint32_t j = 0; j < plan->count; j++)
        provenance->columns[j] =
            (hsp__table_column){(int)plan->columns[j].kind, plan->columns[j].encoded};
    for (uint64_t k = 0; k < provenance->longs.count; k++) {
        hsp__long_decimal *number = &provenance->longs.all[k];
        number->column = first[plan->columns[number->column - 1].encoded];
    }
    hsp__free(memory, first);
    hsp__long_decimals_sort(&provenance->longs);
    return HSP_OK;
}

hsp_status hsp__csv_read(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                         hsp_data **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    csv_whole whole = {.reader = {.ctx = ctx, .classes = &whole.classes}};
    hsp__csv_plan *plan = &whole.reader.plan;
    hsp_data *data = NULL;
    hsp__names_init(&whole.classes, memory);
    hsp__hash_lists_init(&whole.table.hashed, memory);
    hsp_status status = hsp__csv_plan_make(
        ctx, source, tabs, options, hsp__reading_first(options, source), encoding, err, plan);
    if (!status && plan->given && !hsp__names_copy(&whole.classes, &plan->encoding->classes))
        status = hsp__fail_memory(err);
    status = hsp__ranks_agree(source->ranks, status, err);
    if (!status && source->own) status = csv_compare_plans(ctx, source, plan, err);
    if (!status && source->ranks && !csv_divides(plan)) hsp__source_share(source, NULL, 0);
    whole.reader.ranks = source->ranks;
    if (!status) status = csv_rows(&whole, source, options, err);
    if (!status) status = csv_finish(&whole, hsp_options_text(options, "storage"), err, &data);
    if (!status) status = hsp__csv_write_rejects(&whole.reader, err);
    if (!status && source->provenance)
        status = csv_tell_columns(plan, data->encoding, source->provenance, err);
    for (uint32_t c = 0; whole.table.orders && c < plan->cells; c++)
        hsp__free(memory, whole.table.orders[c]);
    hsp__free(memory, whole.table.orders);
    hsp__free(memory, whole.table.cells);
    hsp__free(memory, whole.table.labels);
    hsp__hash_lists_free(&whole.table.hashed);
    hsp__names_free(&whole.classes);
    hsp__csv_free(&whole.reader);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}
