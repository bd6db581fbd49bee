#include "data/rows.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

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
    rows->starts = NULL;
    rows->indices = rows->labels = NULL;
    rows->values = NULL;
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
    hsp__advise_huge(grown, count * size);
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

static int rows_grow_sparse(hsp__rows *rows, uint64_t rows_room, uint64_t stored_room)
{
    if (rows_room > rows->rows_room || !rows->starts) {
        int first = !rows->starts;
        if (!rows_resize(rows, &rows->starts, rows_room + 1, sizeof *rows->starts)) return 0;
        if (first) rows->starts[0] = 0;
        if (!rows_resize(rows, &rows->labels, rows_room, sizeof *rows->labels)) return 0;
        rows->rows_room = rows_room;
    }
    if (stored_room <= rows->stored_room && rows->indices) return 1;
    if (!rows_resize(rows, &rows->indices, stored_room, sizeof *rows->indices)) return 0;
    if (rows->values && !rows_resize(rows, &rows->values, stored_room, rows_bytes(rows))) return 0;
    rows->stored_room = stored_room;
    return 1;
}

static void rows_fill_ones(const hsp__rows *rows, uint64_t from, uint64_t to)
{
    if (rows->precision == HSP_FLOAT32)
        for (uint64_t k = from; k < to; k++)
            ((float *)rows->values)[k] = 1;
    else
        for (uint64_t k = from; k < to; k++)
            ((double *)rows->values)[k] = 1;
}

/* The first value other than one: from here on values are kept. */
static int rows_start_values(hsp__rows *rows)
{
    if (!rows_resize(rows, &rows->values, rows->stored_room, rows_bytes(rows))) return 0;
    rows_fill_ones(rows, 0, rows->stored);
    return 1;
}

static int rows_reserve_sparse(hsp__rows *rows, const hsp__rows_block *block, hsp__blocks *run)
{
    uint64_t rows_needed = rows->rows + block->rows, stored_needed = rows->stored + block->stored;
    uint64_t rows_room = rows->rows_room, stored_room = rows->stored_room;
    if (rows_needed > rows_room || !rows->starts)
        rows_room = rows_target(rows, block, rows_room, rows_needed);
    if (stored_needed > stored_room || !rows->indices)
        stored_room = rows_target(rows, block, stored_room, stored_needed);
    if (rows_room != rows->rows_room || stored_room != rows->stored_room || !rows->starts ||
        !rows->indices) {
        if (run) hsp__blocks_settle(run);
        if (!rows_grow_sparse(rows, rows_room, stored_room)) return 0;
    }
    if (block->all_ones || rows->values) return 1;
    if (run) hsp__blocks_settle(run); /* who copies looks whether there are values */
    return rows_start_values(rows);
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

static int rows_is_zero(const hsp__rows *rows, uint64_t k)
{
    return rows->precision == HSP_FLOAT32 ? ((const float *)rows->values)[k] == 0
                                          : ((const double *)rows->values)[k] == 0;
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
    sparse.stored_room = 0;
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
            if (rows_is_zero(rows, i * rows->stride + j)) continue;
            sparse.indices[entry] = (uint32_t)j;
            memcpy((char *)sparse.values + entry++ * bytes,
                   (const char *)rows->values + (i * rows->stride + j) * bytes, bytes);
        }
    }
    sparse.starts[rows->rows] = entry;
    sparse.stored_room = entry;
    hsp__free(memory, rows->values);
    *rows = sparse;
    return 1;
}

hsp_status hsp__rows_reserve(hsp__rows *rows, const hsp__rows_block *block, hsp__blocks *run,
                             hsp_error *err, hsp__rows_place *place)
{
    int done = 1;
    *place = (hsp__rows_place){rows->rows, rows->stored};
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
    hsp__blocks_settle(run);
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

static void rows_copy_dense_f32(hsp__rows *rows, const hsp__rows_block *block, uint64_t row)
{
    const float *from = block->values;
    uint64_t entry = 0;
    for (uint64_t i = 0; i < block->rows; i++) {
        float *to = (float *)rows->values + (row + i) * rows->stride;
        memset(to, 0, rows->stride * sizeof *to);
        for (uint32_t k = 0; k < block->lengths[i]; k++, entry++)
            to[block->indices[entry]] = from[entry];
    }
}

static void rows_copy_dense_f64(hsp__rows *rows, const hsp__rows_block *block, uint64_t row)
{
    const double *from = block->values;
    uint64_t entry = 0;
    for (uint64_t i = 0; i < block->rows; i++) {
        double *to = (double *)rows->values + (row + i) * rows->stride;
        memset(to, 0, rows->stride * sizeof *to);
        for (uint32_t k = 0; k < block->lengths[i]; k++, entry++)
            to[block->indices[entry]] = from[entry];
    }
}

static void rows_copy_sparse(hsp__rows *rows, const hsp__rows_block *block,
                             const hsp__rows_place *place)
{
    const size_t bytes = rows_bytes(rows);
    uint64_t entry = place->entry;
    for (uint64_t i = 0; i < block->rows; i++)
        rows->starts[place->row + i + 1] = entry += block->lengths[i];
    if (!block->stored) return;
    memcpy(rows->indices + place->entry, block->indices, block->stored * sizeof *rows->indices);
    if (rows->values)
        memcpy((char *)rows->values + place->entry * bytes, block->values, block->stored * bytes);
}

void hsp__rows_copy(hsp__rows *rows, const hsp__rows_block *block, const hsp__rows_place *place,
                    const uint32_t *label_map)
{
    if (!block->rows) return;
    for (uint64_t i = 0; i < block->rows; i++)
        rows->labels[place->row + i] = label_map[block->labels[i]];
    if (!rows->dense)
        rows_copy_sparse(rows, block, place);
    else if (rows->precision == HSP_FLOAT32)
        rows_copy_dense_f32(rows, block, place->row);
    else
        rows_copy_dense_f64(rows, block, place->row);
}

/* Dense rows that were kept wider than needed move together; too narrow ones move apart. */
static int rows_set_stride(hsp__rows *rows, uint64_t cols)
{
    const size_t bytes = rows_bytes(rows);
    if (cols > rows->stride) return rows_widen(rows, cols);
    char *values = rows->values;
    for (uint64_t i = 0; i < rows->rows && cols < rows->stride; i++)
        memmove(values + i * cols * bytes, values + i * rows->stride * bytes, cols * bytes);
    rows->stride = cols;
    return 1;
}

/* Give back the room that was not needed. Shrinking cannot make the arrays unsound, so that a
 * failure to shrink is no failure. */
static void rows_trim(hsp__rows *rows)
{
    const size_t bytes = rows_bytes(rows);
    const hsp_allocator *memory = &rows->ctx->allocator;
    void *block;
    if ((block = hsp__resize(memory, rows->labels, rows->rows, sizeof *rows->labels)))
        rows->labels = block;
    uint64_t values = rows->dense ? rows->rows * rows->stride : rows->stored;
    if (rows->values && (block = hsp__resize(memory, rows->values, values, bytes)))
        rows->values = block;
    if (rows->dense) return;
    if ((block = hsp__resize(memory, rows->starts, rows->rows + 1, sizeof *rows->starts)))
        rows->starts = block;
    if ((block = hsp__resize(memory, rows->indices, rows->stored, sizeof *rows->indices)))
        rows->indices = block;
}

/* Arrays that a file without rows never made. */
static int rows_ensure(hsp__rows *rows)
{
    const hsp__rows_block none = {.all_ones = 1};
    if (rows->dense) return rows->values || rows_reserve_dense(rows, &none, NULL);
    return rows->starts || rows_reserve_sparse(rows, &none, NULL);
}

typedef struct rows_relabel {
    hsp__rows *rows;
    const uint32_t *map;
    uint64_t parts;
} rows_relabel;

static void rows_relabel_part(void *user, uint64_t part)
{
    rows_relabel *relabel = user;
    uint64_t to = hsp__part(relabel->rows->rows, relabel->parts, part + 1);
    for (uint64_t i = hsp__part(relabel->rows->rows, relabel->parts, part); i < to; i++)
        relabel->rows->labels[i] = relabel->map[relabel->rows->labels[i]];
}

static int rows_sort_classes(hsp__rows *rows, hsp__names *classes)
{
    const hsp_allocator *memory = &rows->ctx->allocator;
    uint32_t *map = hsp__new(memory, classes->count, sizeof *map);
    int done = map && hsp__names_sort(classes, map);
    if (done) {
        rows_relabel relabel = {rows, map, hsp__parts(rows->rows, sizeof *map)};
        hsp__tasks_run(rows->ctx, relabel.parts, rows_relabel_part, &relabel);
    }
    hsp__free(memory, map);
    return done;
}

hsp_status hsp__rows_finish(hsp__rows *rows, hsp__names *classes, uint64_t cols, hsp_error *err,
                            hsp_data **out)
{
    hsp_data *data = hsp__data_new(&rows->ctx->allocator);
    /* more columns may be asked for than were seen: then dense rows may no longer be the choice */
    const int sparse =
        rows->choose && rows->dense &&
        hsp__storage_choose(rows->rows, cols, rows->stored, 0, rows->precision) != HSP_DENSE;
    if (!data || (sparse && !rows_undense(rows, NULL)) || !rows_ensure(rows) ||
        (rows->dense && !rows_set_stride(rows, cols)) || !rows_sort_classes(rows, classes)) {
        hsp_data_free(data);
        return hsp__fail_memory(err);
    }
    rows_trim(rows);
    data->view.storage = rows->dense ? HSP_DENSE : rows->values ? HSP_SPARSE : HSP_ONES;
    data->view.precision = rows->precision;
    data->view.rows = rows->rows;
    data->view.cols = cols;
    data->view.stride = rows->dense ? cols : 0;
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
