/* The table of cells into a data set.
 *
 * If every cell is one feature and dense rows are wanted, the table is the data set's array and
 * nothing moves. Otherwise rows are rewritten, the last ones first: after each slice the table
 * gives back the memory of the rows that are done, so that table and result are never both there in
 * full. Rows of a slice are done in parallel, in parts that depend on the data alone. */
#include "base/base.h"
#include "data/csv.h"
#include "data/data.h"

#define EXPAND_HASHED 2
#define EXPAND_INLINE inline __attribute__((always_inline))
#define EXPAND_SLICES 32 /* at most about this many: the share of the table that is there twice */

/* How one cell of a row becomes features. */
typedef struct expand_cell {
    uint64_t first;                /* its first feature */
    int category;                  /* 1, or EXPAND_HASHED: a list of hashed words; 0: a number */
    const hsp__hash_lists *hashed; /* of a hashed column */
    int indicator;
    uint32_t values;       /* of a category */
    const uint32_t *order; /* the feature of each word, from `first`; NULL: as they are */
    uint32_t gap;          /* a number that is missing: which feature it becomes, from `first`, */
    double fill;           /* and its value: the indicator and 1, or else what fills the gap */
} expand_cell;

typedef struct expand_job {
    const hsp__csv_table *table;
    int wide; /* doubles */
    uint32_t width;
    expand_cell *cells; /* width */
    uint64_t cols;
    int plain;   /* every cell is one feature */
    int numbers; /* the same, and none is missing */
    int hashes;  /* there are hashed columns */
    uint64_t rows, parts;
    uint64_t *entries; /* parts: values other than 0; then where they start in sparse rows */
    int *others;       /* parts: is there a value that is neither 0 nor 1? */
    hsp_data *data;
    uint64_t first_part; /* of the slice at hand */
} expand_job;

/* ---- One cell -------------------------------------------------------------------------------- */

/* The feature other than zero that a cell becomes; 0 when there is none. A missing number may have
 * two, its fill and its indicator, but never both: the fill is 0 where there is an indicator. */
static inline int expand_entry(const expand_cell *cell, const char *at, int wide, uint64_t *column,
                               double *value)
{
    *column = cell->first;
    if (cell->category) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        *value = 1;
        if (word == HSP__CSV_UNSEEN) return 0;
        *column += word == HSP__CSV_MISSING ? cell->values : cell->order ? cell->order[word] : word;
        return word != HSP__CSV_MISSING || cell->indicator;
    }
    float single;
    if (wide) {
        memcpy(value, at, sizeof *value);
    } else {
        memcpy(&single, at, sizeof single);
        *value = (double)single;
    }
    if (isnan(*value)) {
        *column += cell->gap;
        *value = cell->fill;
    }
    return *value != 0;
}

/* The entries of a hashed cell; NULL: it is missing. */
static inline const hsp__hash_entry *expand_list(const expand_cell *cell, const char *at,
                                                 uint64_t *count)
{
    uint32_t list;
    memcpy(&list, at, sizeof list);
    return list == HSP__CSV_MISSING ? NULL : hsp__hash_list(cell->hashed, list, count);
}

static const char *expand_row(const expand_job *job, uint64_t i)
{
    const size_t bytes = job->wide ? sizeof(double) : sizeof(float);
    return (const char *)job->table->cells + i * job->width * bytes;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Count the entries of rows, and those that are 1. `hashes`: are there hashed columns? */
static EXPAND_INLINE void expand_count_rows(const expand_job *job, uint64_t from, uint64_t to,
                                            int hashes, uint64_t *all, uint64_t *of_one)
{
    const size_t bytes = job->wide ? sizeof(double) : sizeof(float);
    const char *at = expand_row(job, from);
    uint64_t nonzeros = 0, ones = 0;
    for (uint64_t i = from; i < to; i++)
        for (uint32_t c = 0; c < job->width; c++, at += bytes) {
            uint64_t column;
            double value;
            if (hashes && job->cells[c].category == EXPAND_HASHED) {
                uint64_t count = 0;
                const hsp__hash_entry *list = expand_list(&job->cells[c], at, &count);
                const uint64_t missing = !list && job->cells[c].indicator;
                nonzeros += missing + count;
                ones += missing;
                for (uint64_t k = 0; k < count; k++)
                    ones += list[k].value == 1;
                continue;
            }
            const int some = expand_entry(&job->cells[c], at, job->wide, &column, &value);
            nonzeros += (uint64_t)some;
            ones += (uint64_t)(some & (value == 1));
        }
    *all = nonzeros, *of_one = ones;
}

static void expand_count_part(void *user, uint64_t part)
{
    expand_job *job = user;
    const uint64_t from = hsp__part(job->rows, job->parts, part);
    const uint64_t to = hsp__part(job->rows, job->parts, part + 1);
    uint64_t nonzeros = 0, ones = 0;
    if (job->numbers && job->wide) { /* numbers alone: no need to ask what each cell is */
        const double *values = job->table->cells;
        for (uint64_t k = from * job->width; k < to * job->width; k++) {
            nonzeros += values[k] != 0;
            ones += values[k] == 1;
        }
    } else if (job->numbers) {
        const float *values = job->table->cells;
        for (uint64_t k = from * job->width; k < to * job->width; k++) {
            nonzeros += values[k] != 0;
            ones += values[k] == 1;
        }
    } else if (job->hashes) {
        expand_count_rows(job, from, to, 1, &nonzeros, &ones);
    } else {
        expand_count_rows(job, from, to, 0, &nonzeros, &ones);
    }
    job->entries[part] = nonzeros;
    job->others[part] = nonzeros != ones;
}

/* ---- Rewriting rows -------------------------------------------------------------------------- */

static inline void expand_put(void *values, uint64_t k, int wide, double value)
{
    if (wide)
        ((double *)values)[k] = value;
    else
        ((float *)values)[k] = (float)value;
}

static EXPAND_INLINE void expand_each(const expand_job *job, uint64_t task, int hashes)
{
    const expand_cell *cells = job->cells;
    const uint64_t part = job->first_part + task, cols = job->cols;
    const uint32_t width = job->width;
    const int wide = job->wide;
    const size_t bytes = wide ? sizeof(double) : sizeof(float);
    const uint64_t to = hsp__part(job->rows, job->parts, part + 1);
    uint32_t *indices = job->data->indices; /* NULL: dense rows */
    void *values = job->data->values;       /* NULL: all ones */
    uint64_t entry = job->entries[part];
    for (uint64_t i = hsp__part(job->rows, job->parts, part); i < to; i++) {
        const char *at = expand_row(job, i);
        if (!indices) memset((char *)values + i * cols * bytes, 0, cols * bytes);
        for (uint32_t c = 0; c < width; c++, at += bytes) {
            uint64_t column, count = 0;
            double value;
            if (hashes && cells[c].category == EXPAND_HASHED) {
                const hsp__hash_entry *list = expand_list(&cells[c], at, &count);
                const hsp__hash_entry missing = {cells[c].values, 1};
                if (!list && cells[c].indicator) list = &missing, count = 1;
                for (uint64_t k = 0; k < count; k++, entry++) {
                    column = cells[c].first + list[k].feature;
                    if (indices) indices[entry] = (uint32_t)column;
                    if (values)
                        expand_put(values, indices ? entry : i * cols + column, wide,
                                   list[k].value);
                }
                continue;
            }
            if (!expand_entry(&cells[c], at, wide, &column, &value)) continue;
            if (indices) indices[entry] = (uint32_t)column;
            if (values) expand_put(values, indices ? entry : i * cols + column, wide, value);
            entry++;
        }
        if (indices) job->data->starts[i + 1] = entry;
    }
}

static void expand_part(void *user, uint64_t task)
{
    const expand_job *job = user;
    if (job->hashes)
        expand_each(job, task, 1);
    else
        expand_each(job, task, 0);
}

/* ---- Keeping the table as it is -------------------------------------------------------------- */

static void expand_fill_part(void *user, uint64_t part)
{
    expand_job *job = user;
    uint64_t from = hsp__part(job->rows, job->parts, part);
    uint64_t to = hsp__part(job->rows, job->parts, part + 1);
    for (uint64_t i = from; i < to; i++)
        for (uint32_t c = 0; c < job->width; c++) {
            uint64_t k = i * job->width + c;
            double value = job->wide ? ((double *)job->table->cells)[k]
                                     : (double)((float *)job->table->cells)[k];
            if (isnan(value)) expand_put(job->table->cells, k, job->wide, job->cells[c].fill);
        }
}

/* ---- All together ---------------------------------------------------------------------------- */

/* The rows, in the storage that is wanted. */
static hsp_status expand_rows(hsp_context *ctx, expand_job *job, const hsp__csv_plan *plan,
                              hsp__csv_table *table, const char *told, hsp_error *err)
{
    const size_t row_bytes = hsp__value_bytes(plan->precision) * job->width;
    uint64_t nonzeros = 0;
    int other = 0;
    hsp__tasks_run(ctx, job->parts, expand_count_part, job);
    for (uint64_t part = 0; part < job->parts; part++) {
        const uint64_t here = job->entries[part];
        job->entries[part] = nonzeros;
        nonzeros += here;
        other |= job->others[part];
    }
    const hsp_storage storage =
        strcmp(told, "dense") == 0 ? HSP_DENSE
        : strcmp(told, "auto") == 0
            ? hsp__storage_choose(job->rows, job->cols, nonzeros, !other, plan->precision)
        : strcmp(told, "ones") == 0 && !other ? HSP_ONES
                                              : HSP_SPARSE;
    if (storage == HSP_DENSE && job->plain) { /* the table becomes the data set's values */
        hsp_data *data = job->data = hsp__data_new(&ctx->allocator);
        if (!data) return hsp__fail_memory(err);
        if (!job->numbers) hsp__tasks_run(ctx, job->parts, expand_fill_part, job);
        void *less = hsp__resize(&ctx->allocator, table->cells, table->rows, row_bytes);
        data->values = less ? less : table->cells;
        table->cells = NULL;
        data->view.storage = HSP_DENSE;
        data->view.precision = plan->precision;
        data->view.rows = table->rows;
        data->view.cols = data->view.stride = job->cols;
    } else {
        HSP__TRY(hsp__data_shape(ctx, storage, plan->precision, job->rows, job->cols, nonzeros, 0,
                                 err, &job->data));
        /* slice by slice from the end, giving the table's memory back on the way */
        const uint64_t slice = job->parts / EXPAND_SLICES > 8 ? job->parts / EXPAND_SLICES : 8;
        for (uint64_t end = job->parts; end > 0; end = job->first_part) {
            job->first_part = end > slice ? end - slice : 0;
            hsp__tasks_run(ctx, end - job->first_part, expand_part, job);
            /* a failure to shrink costs memory, nothing else */
            void *less = hsp__resize(&ctx->allocator, table->cells,
                                     hsp__part(job->rows, job->parts, job->first_part), row_bytes);
            if (less) table->cells = less;
        }
    }
    job->data->nonzeros = nonzeros;
    return HSP_OK;
}

hsp_status hsp__csv_expand(hsp_context *ctx, const hsp__csv_plan *plan, hsp__csv_table *table,
                           const char *storage, hsp_error *err, hsp_data **out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const int mean = plan->missing == HSP__MISSING_MEAN;
    expand_job job = {.table = table,
                      .wide = plan->precision == HSP_FLOAT64,
                      .width = plan->cells,
                      .plain = 1,
                      .rows = table->rows};
    job.parts = hsp__parts(job.rows, (uint64_t)job.width * hsp__value_bytes(plan->precision));
    job.cells = hsp__scratch_new(&scratch, job.width, sizeof *job.cells);
    job.entries = hsp__scratch_new(&scratch, job.parts, sizeof *job.entries);
    job.others = hsp__scratch_new(&scratch, job.parts, sizeof *job.others);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint32_t c = 0; !status && c < job.width; c++) {
        hsp__column *column = &plan->encoding->columns[plan->cell_columns[c]];
        const uint32_t part = plan->cell_parts[c];
        const double filled = *hsp__encoding_mean(column, part);
        const int wide = plan->reading.keep == HSP__KEEP_DOUBLE;
        const int category = column->kind == HSP__COLUMN_CATEGORY;
        const int indicator = column->indicator && !part;
        const int hashed = column->kind == HSP__COLUMN_HASHED;
        job.cells[c] = (expand_cell){.first = part ? job.cells[c - 1].first + 1 : job.cols,
                                     .category = category + EXPAND_HASHED * hashed,
                                     .hashed = hashed ? &table->hashed : NULL,
                                     .indicator = indicator,
                                     .values = category ? column->values.count
                                               : hashed ? column->hashed
                                                        : hsp__encoding_cells(column),
                                     .order = table->orders ? table->orders[c] : NULL,
                                     .gap = indicator ? hsp__encoding_cells(column) : 0,
                                     .fill = indicator ? 1
                                             : !mean   ? 0
                                             : wide    ? filled
                                                       : (double)(float)filled};
        if (!part) job.cols += hsp__encoding_width(column);
        job.plain &= !category && !hashed && !column->indicator;
        job.hashes |= hashed;
    }
    job.numbers = job.plain && !mean && plan->missing != HSP__MISSING_INDICATOR;
    if (!status && (job.cols == 0 || job.cols > UINT32_MAX))
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                              "the columns become %llu features, which is %s",
                              (unsigned long long)job.cols, job.cols ? "too many" : "too few");
    if (!status) status = expand_rows(ctx, &job, plan, table, storage, err);
    if (status)
        hsp_data_free(job.data);
    else
        *out = job.data;
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- Means ----------------------------------------------------------------------------------- */

#define MEANS_COLUMNS 16 /* a task's: a cache line of floats */

typedef struct means_job {
    const hsp__csv_plan *plan;
    const hsp__csv_table *table;
} means_job;

/* The means of a few neighbouring columns, summed from the first row to the last. */
static void means_task(void *user, uint64_t task)
{
    const means_job *job = user;
    const int wide = job->plan->precision == HSP_FLOAT64;
    const uint32_t width = job->plan->cells, from = (uint32_t)task * MEANS_COLUMNS;
    const uint32_t count = width - from < MEANS_COLUMNS ? width - from : MEANS_COLUMNS;
    double sums[MEANS_COLUMNS] = {0};
    uint64_t known[MEANS_COLUMNS] = {0};
    for (uint64_t i = 0; i < job->table->rows; i++)
        for (uint32_t c = 0; c < count; c++) {
            uint64_t k = i * width + from + c;
            double value = wide ? ((const double *)job->table->cells)[k]
                                : (double)((const float *)job->table->cells)[k];
            int there = !isnan(value);
            sums[c] += there ? value : 0;
            known[c] += (uint64_t)there;
        }
    for (uint32_t c = 0; c < count; c++) {
        hsp__column *column = &job->plan->encoding->columns[job->plan->cell_columns[from + c]];
        if (column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_HASHED) continue;
        double *mean = hsp__encoding_mean(column, job->plan->cell_parts[from + c]);
        *mean = known[c] ? sums[c] / (double)known[c] : 0;
        if (isfinite(*mean)) continue;
        *mean = 0; /* of doubles whose sum is beyond them */
        const double *at = (const double *)job->table->cells + from + c;
        for (uint64_t i = 0; i < job->table->rows; i++)
            if (!isnan(at[i * width])) *mean += at[i * width] / (double)known[c];
    }
}

void hsp__csv_means(hsp_context *ctx, const hsp__csv_plan *plan, const hsp__csv_table *table)
{
    means_job job = {plan, table};
    hsp__tasks_run(ctx, (plan->cells + MEANS_COLUMNS - 1) / MEANS_COLUMNS, means_task, &job);
}
