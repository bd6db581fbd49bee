#include "data/rows.h"

#include "base/base.h"

void hsp__rows_init(hsp__rows *rows, hsp_context *ctx, hsp_precision precision, const char *storage,
                    uint64_t text_total)
{
    *rows = (hsp__rows){.ctx = ctx, .precision = precision, .text_total = text_total};
    rows->choose = strcmp(storage, "auto") == 0;
    rows->dense = strcmp(storage, "dense") == 0;
}

void hsp__rows_free(hsp__rows *rows)
{
    const hsp_allocator *memory = &rows->ctx->allocator;
    hsp__free(memory, rows->starts);
    hsp__free(memory, rows->indices);
    hsp__free(memory, rows->values);
    hsp__free(memory, rows->labels);
    *rows = (hsp__rows){.ctx = rows->ctx};
}

static size_t rows_bytes(const hsp__rows *rows)
{
    return hsp__value_bytes(rows->precision);
}

/* Resize one array; large ones sit on large pages. */
static int rows_resize(hsp__rows *rows, void *pointer_to, uint64_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, pointer_to, sizeof old);
    grown = hsp__resize(&rows->ctx->allocator, old, count, size);
    if (!grown) return 0;
    hsp__advise_huge(&rows->ctx->allocator, grown, count * size);
    memcpy(pointer_to, &grown, sizeof grown);
    return 1;
}

/* How much room to make when `needed` items are: by half as much again, or what the rest of the
 * text is likely to take. Room that stays untouched costs no memory. */
static uint64_t rows_target(const hsp__rows *rows, const hsp__rows_block *block, uint64_t room,
                            uint64_t needed)
{
    uint64_t target = room + room / 2;
    if (!room && block->text_size && rows->text_total > block->text_size) {
        double blocks = (double)rows->text_total / (double)block->text_size;
        target = (uint64_t)((double)needed * blocks * 1.05);
    }
    return target > needed ? target : needed;
}

static int rows_reserve_sparse(hsp__rows *rows, const hsp__rows_block *block, hsp__blocks *run)
{
    const uint64_t rows_needed = rows->rows + block->rows;
    const uint64_t stored_needed = rows->stored + block->stored;
    const int more_rows = rows_needed > rows->rows_room || !rows->starts;
    const int more_stored = stored_needed > rows->stored_room || !rows->indices;
    const int first_values = !block->all_ones && !rows->values;
    if (run && (more_rows || more_stored || first_values))
        hsp__blocks_settle(run); /* who copies looks whether there are values */
    if (more_rows) {
        const int first = !rows->starts;
        const uint64_t room = rows_target(rows, block, rows->rows_room, rows_needed);
        if (!rows_resize(rows, &rows->starts, room + 1, sizeof *rows->starts)) return 0;
        if (first) rows->starts[0] = 0;
        if (!rows_resize(rows, &rows->labels, room, sizeof *rows->labels)) return 0;
        rows->rows_room = room;
    }
    if (more_stored) {
        const uint64_t room = rows_target(rows, block, rows->stored_room, stored_needed);
        if (!rows_resize(rows, &rows->indices, room, sizeof *rows->indices)) return 0;
        if (rows->values && !rows_resize(rows, &rows->values, room, rows_bytes(rows))) return 0;
        rows->stored_room = room;
    }
    if (!first_values) return 1;
    /* the first value other than one: from here on values are kept */
    if (!rows_resize(rows, &rows->values, rows->stored_room, rows_bytes(rows))) return 0;
    for (uint64_t k = 0; k < rows->stored; k++)
        if (rows->precision == HSP_FLOAT32)
            ((float *)rows->values)[k] = 1;
        else
            ((double *)rows->values)[k] = 1;
    return 1;
}

/* Dense rows get more columns: move them apart, the last one first. */
static int rows_widen(hsp__rows *rows, uint64_t stride)
{
    const size_t bytes = rows_bytes(rows);
    const uint64_t old = rows->stride;
    if (rows->rows_room > UINT64_MAX / stride) return 0;
    if (!rows_resize(rows, &rows->values, rows->rows_room * stride, bytes)) return 0;
    char *values = rows->values;
    for (uint64_t i = rows->rows; i-- > 0;) {
        memmove(values + i * stride * bytes, values + i * old * bytes, old * bytes);
        memset(values + (i * stride + old) * bytes, 0, (stride - old) * bytes);
    }
    rows->stride = stride;
    return 1;
}

static int rows_reserve_dense(hsp__rows *rows, const hsp__rows_block *block, hsp__blocks *run)
{
    uint64_t needed = rows->rows + block->rows;
    if (run && (block->cols > rows->stride || needed > rows->rows_room)) hsp__blocks_settle(run);
    if (block->cols > rows->stride) {
        /* a quarter more than needed, lest every block widens; the end gives it back */
        uint64_t stride = rows->rows ? block->cols + block->cols / 4 : block->cols;
        if (!rows_widen(rows, stride)) return 0;
    }
    if (needed <= rows->rows_room && rows->values) return 1;
    uint64_t room = rows_target(rows, block, rows->rows_room, needed);
    if (rows->stride && room > UINT64_MAX / rows->stride) return 0;
    if (!rows_resize(rows, &rows->labels, room, sizeof *rows->labels)) return 0;
    if (!rows_resize(rows, &rows->values, room * rows->stride, rows_bytes(rows))) return 0;
    rows->rows_room = room;
    return 1;
}

/* Would dense rows, this block included, be the smaller choice? */
static int rows_dense_pays(const hsp__rows *rows, const hsp__rows_block *block)
{
    uint64_t cols = rows->cols > block->cols ? rows->cols : block->cols;
    return hsp__storage_choose(rows->rows + block->rows, cols, rows->stored + block->stored,
                               block->all_ones && !rows->rows, rows->precision) == HSP_DENSE;
}

/* The first block looked dense, the file is not: turn what is there into sparse rows. */
static int rows_undense(hsp__rows *rows, hsp__blocks *run)
{
    if (run) hsp__blocks_settle(run);
    const size_t bytes = rows_bytes(rows);
    const hsp_allocator *memory = &rows->ctx->allocator;
    hsp__rows sparse = *rows;
    sparse.dense = 0;
    sparse.starts = NULL;
    sparse.indices = NULL;
    sparse.values = NULL;
    if (!rows_resize(&sparse, &sparse.starts, rows->rows_room + 1, sizeof *sparse.starts) ||
        !rows_resize(&sparse, &sparse.indices, rows->stored, sizeof *sparse.indices) ||
        !rows_resize(&sparse, &sparse.values, rows->stored, bytes)) {
        hsp__free(memory, sparse.starts);
        hsp__free(memory, sparse.indices);
        hsp__free(memory, sparse.values);
        return 0;
    }
    uint64_t entry = 0;
    for (uint64_t i = 0; i < rows->rows; i++) {
        sparse.starts[i] = entry;
        for (uint64_t j = 0; j < rows->stride; j++) {
            const uint64_t k = i * rows->stride + j;
            if (rows->precision == HSP_FLOAT32 ? ((float *)rows->values)[k] == 0
                                               : ((double *)rows->values)[k] == 0)
                continue;
            sparse.indices[entry] = (uint32_t)j;
            memcpy((char *)sparse.values + entry++ * bytes, (char *)rows->values + k * bytes,
                   bytes);
        }
    }
    sparse.starts[rows->rows] = entry;
    sparse.stored_room = entry;
    hsp__free(memory, rows->values);
    *rows = sparse;
    return 1;
}

hsp_status hsp__rows_reserve(hsp__rows *rows, hsp__rows_block *block, hsp__blocks *run,
                             hsp_error *err)
{
    int done = 1;
    block->row = rows->rows;
    block->entry = rows->stored;
    if (!block->rows) return HSP_OK; /* comments alone */
    if (rows->choose && !rows->rows) rows->dense = rows_dense_pays(rows, block);
    if (rows->choose && rows->dense && block->cols > rows->cols && !rows_dense_pays(rows, block))
        done = rows_undense(rows, run);
    if (done)
        done = rows->dense ? rows_reserve_dense(rows, block, run)
                           : rows_reserve_sparse(rows, block, run);
    if (!done) return hsp__fail_memory(err);
    rows->rows += block->rows;
    rows->stored += block->stored;
    if (block->cols > rows->cols) rows->cols = block->cols;
    return HSP_OK;
}

int hsp__rows_shift(hsp__rows *rows, hsp__blocks *run)
{
    if (run) hsp__blocks_settle(run);
    if (!rows->rows) return 1;
    rows->cols++;
    if (!rows->dense) {
        for (uint64_t k = 0; k < rows->stored; k++)
            rows->indices[k]++;
        return 1;
    }
    const size_t bytes = rows_bytes(rows);
    if (rows->cols > rows->stride && !rows_widen(rows, rows->cols)) return 0;
    for (uint64_t i = 0; i < rows->rows; i++) {
        char *row = (char *)rows->values + i * rows->stride * bytes;
        memmove(row + bytes, row, (rows->stride - 1) * bytes);
        memset(row, 0, bytes);
    }
    return 1;
}

/* One copy for each size of a number, which is a constant. */
static inline __attribute__((always_inline)) void rows_scatter(const hsp__rows_block *block,
                                                               char *to, uint64_t stride,
                                                               const size_t bytes)
{
    const char *from = block->values;
    const uint32_t *index = block->indices;
    for (uint64_t i = 0; i < block->rows; i++, to += stride * bytes) {
        memset(to, 0, stride * bytes);
        for (uint32_t k = 0; k < block->lengths[i]; k++, from += bytes)
            memcpy(to + *index++ * bytes, from, bytes);
    }
}

void hsp__rows_scatter(const hsp__rows_block *block, hsp_precision precision, void *dense,
                       uint64_t stride)
{
    if (precision == HSP_FLOAT32)
        rows_scatter(block, dense, stride, sizeof(float));
    else
        rows_scatter(block, dense, stride, sizeof(double));
}

void hsp__rows_copy(hsp__rows *rows, const hsp__rows_block *block, const uint32_t *label_map)
{
    const size_t bytes = rows_bytes(rows);
    uint64_t entry = block->entry;
    if (!block->rows) return;
    for (uint64_t i = 0; i < block->rows; i++)
        rows->labels[block->row + i] = label_map[block->labels[i]];
    if (rows->dense) {
        hsp__rows_scatter(block, rows->precision,
                          (char *)rows->values + block->row * rows->stride * bytes, rows->stride);
        return;
    }
    for (uint64_t i = 0; i < block->rows; i++)
        rows->starts[block->row + i + 1] = entry += block->lengths[i];
    if (!block->stored) return;
    memcpy(rows->indices + block->entry, block->indices, block->stored * sizeof *rows->indices);
    if (rows->values)
        memcpy((char *)rows->values + block->entry * bytes, block->values, block->stored * bytes);
}

/* Give back the room that was not needed. Shrinking cannot make the arrays unsound, so that a
 * failure to shrink is no failure. */
static void rows_trim(hsp__rows *rows, void *pointer_to, uint64_t count, size_t size)
{
    void *old, *less;
    memcpy(&old, pointer_to, sizeof old);
    less = old ? hsp__resize(&rows->ctx->allocator, old, count, size) : NULL;
    if (less) memcpy(pointer_to, &less, sizeof less);
}

/* The arrays as the data set has them; 0 when there is no memory. */
static int rows_settle(hsp__rows *rows, hsp__names *classes, uint64_t cols)
{
    const size_t bytes = rows_bytes(rows);
    const hsp__rows_block none = {.all_ones = 1};
    /* more columns may be asked for than were seen: then dense rows may no longer be the choice */
    if (rows->choose && rows->dense &&
        hsp__storage_choose(rows->rows, cols, rows->stored, 0, rows->precision) != HSP_DENSE &&
        !rows_undense(rows, NULL))
        return 0;
    /* arrays that a file without rows never made */
    if (rows->dense ? !rows->values && !rows_reserve_dense(rows, &none, NULL)
                    : !rows->starts && !rows_reserve_sparse(rows, &none, NULL))
        return 0;
    if (rows->dense && cols > rows->stride && !rows_widen(rows, cols)) return 0;
    char *values = rows->values;
    for (uint64_t i = 0; rows->dense && i < rows->rows && cols < rows->stride; i++)
        memmove(values + i * cols * bytes, values + i * rows->stride * bytes, cols * bytes);
    rows->stride = rows->dense ? cols : 0;
    uint32_t *map = hsp__new(&rows->ctx->allocator, classes->count, sizeof *map);
    const int done = map && hsp__names_sort(classes, map);
    for (uint64_t i = 0; done && i < rows->rows; i++)
        rows->labels[i] = map[rows->labels[i]];
    hsp__free(&rows->ctx->allocator, map);
    if (!done) return 0;
    rows_trim(rows, &rows->labels, rows->rows, sizeof *rows->labels);
    rows_trim(rows, &rows->values, rows->dense ? rows->rows * cols : rows->stored, bytes);
    rows_trim(rows, &rows->starts, rows->rows + 1, sizeof *rows->starts);
    rows_trim(rows, &rows->indices, rows->stored, sizeof *rows->indices);
    return 1;
}

hsp_status hsp__rows_finish(hsp__rows *rows, hsp__names *classes, uint64_t cols, hsp_error *err,
                            hsp_data **out)
{
    hsp_data *data = hsp__data_new(&rows->ctx->allocator);
    if (!data || !rows_settle(rows, classes, cols)) {
        hsp_data_free(data);
        return hsp__fail_memory(err);
    }
    data->view.storage = rows->dense ? HSP_DENSE : rows->values ? HSP_SPARSE : HSP_ONES;
    data->view.precision = rows->precision;
    data->view.rows = rows->rows;
    data->view.cols = cols;
    data->view.stride = rows->stride;
    data->nonzeros = rows->stored;
    data->starts = rows->starts;
    data->indices = rows->indices;
    data->values = rows->values;
    data->labels = rows->labels;
    data->class_names = *classes;
    hsp__names_init(classes, &rows->ctx->allocator);
    rows->starts = NULL;
    rows->indices = rows->labels = NULL;
    rows->values = NULL;
    hsp__data_seal(data);
    *out = data;
    return HSP_OK;
}
