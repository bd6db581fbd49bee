/* The hash of the rows a model was trained on. It depends on the numbers and labels alone, not on
 * how they are stored (dense or sparse); numbers in single precision have another hash than the
 * same ones in double. Rows are cut into parts that are summed in parallel and joined in
 * order; the text does not depend on how they are cut. */
#include <float.h>
#include <stdio.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/ranks.h"
#include "learn/prepare.h"

#define DATA_HASH_BYTES 8192 /* hashed at once: rows are often shorter than a fast checksum needs */

typedef struct data_hash_sum {
    uint32_t crc;
    uint64_t bytes;
} data_hash_sum;

typedef struct data_hash_single {
    uint32_t column;
    float value;
} data_hash_single;

typedef struct data_hash_double {
    uint64_t column;
    double value;
} data_hash_double;

typedef struct data_hash_work {
    const hsp_view *view;
    int single; /* rounded to single precision */
    uint64_t parts;
    data_hash_sum *sums; /* parts */
} data_hash_work;

/* The bytes of a part that are not summed yet. */
typedef struct data_hash_buffer {
    data_hash_sum *sum;
    size_t used;
    unsigned char bytes[DATA_HASH_BYTES];
} data_hash_buffer;

static void data_hash_flush(data_hash_buffer *buffer)
{
    buffer->sum->crc = hsp__crc32(buffer->sum->crc, buffer->bytes, buffer->used);
    buffer->sum->bytes += buffer->used;
    buffer->used = 0;
}

/* Room for items of `each` bytes, one at least; how many. */
static uint64_t data_hash_room(data_hash_buffer *buffer, size_t each)
{
    if (DATA_HASH_BYTES - buffer->used < each) data_hash_flush(buffer);
    return (DATA_HASH_BYTES - buffer->used) / each;
}

static float data_hash_round(double value)
{
    if (fabs(value) > (double)FLT_MAX) return value > 0 ? HUGE_VALF : -HUGE_VALF;
    return (float)value;
}

/* The entries of a row that are not 0. A zero is written too, and overwritten by what comes next:
 * that takes no branch. `precision` (of the row) and `single` are constants wherever this is
 * called. */
static inline __attribute__((always_inline)) void data_hash_row(const hsp__row row,
                                                                const hsp_precision precision,
                                                                const int single,
                                                                data_hash_buffer *buffer)
{
    const hsp_view view = {.precision = precision};
    const size_t each = single ? sizeof(data_hash_single) : sizeof(data_hash_double);
    for (uint64_t k = 0; k < row.count;) {
        const uint64_t room = data_hash_room(buffer, each), left = row.count - k;
        unsigned char *to = buffer->bytes + buffer->used;
        for (const uint64_t end = k + (left < room ? left : room); k < end; k++) {
            const uint64_t column = hsp__row_column(&row, k);
            const double value = hsp__row_value(&view, &row, k);
            const float rounded = precision == HSP_FLOAT32 ? (float)value : data_hash_round(value);
            if (single)
                memcpy(to, &(data_hash_single){(uint32_t)column, rounded}, each);
            else
                memcpy(to, &(data_hash_double){column, value}, each);
            to += (single ? rounded != 0 : value != 0) ? each : 0;
        }
        buffer->used = (size_t)(to - buffer->bytes);
    }
}

static void data_hash_part(void *user, uint64_t part)
{
    const data_hash_work *work = user;
    const hsp_view *view = work->view;
    const uint64_t to = hsp__part(view->rows, work->parts, part + 1);
    data_hash_buffer buffer;
    buffer.sum = &work->sums[part];
    buffer.used = 0;
    for (uint64_t i = hsp__part(view->rows, work->parts, part); i < to; i++) {
        const hsp__row row = hsp__view_row(view, i);
        const uint32_t label = view->labels ? view->labels[i] : UINT32_MAX;
        data_hash_room(&buffer, sizeof label);
        memcpy(buffer.bytes + buffer.used, &label, sizeof label);
        buffer.used += sizeof label;
        if (view->precision == HSP_FLOAT32 && work->single)
            data_hash_row(row, HSP_FLOAT32, 1, &buffer);
        else if (work->single)
            data_hash_row(row, HSP_FLOAT64, 1, &buffer);
        else
            data_hash_row(row, HSP_FLOAT64, 0, &buffer);
    }
    data_hash_flush(&buffer);
}

static void data_hash_join(data_hash_sum *to, const data_hash_sum *next)
{
    to->crc = hsp__crc32_combine(to->crc, next->crc, next->bytes);
    to->bytes += next->bytes;
}

/* Of this rank's rows, those of all ranks, one behind the other. */
static void data_hash_ranks(const hsp__shard *shard, uint64_t *rows, data_hash_sum *sum)
{
    data_hash_sum all[HSP__BLOCKS];
    hsp__ranks_gather(shard->ranks, sum, sizeof *sum, all);
    *rows = shard->rows;
    *sum = all[0];
    for (int r = 1; r < shard->ranks->count; r++)
        data_hash_join(sum, &all[r]);
}

static hsp_status data_hash_view(hsp_context *ctx, const hsp_view *view, int single, hsp_error *err,
                                 char text[HSP__HASH_TEXT])
{
    const uint64_t each = view->rows ? hsp_view_stored(view) / view->rows * sizeof(double) : 0;
    data_hash_work work = {
        .view = view, .single = single, .parts = hsp__parts(view->rows, 16 + each)};
    work.sums = hsp__new(&ctx->allocator, work.parts, sizeof *work.sums);
    const hsp_status status =
        hsp__shard_agree(ctx, work.sums ? HSP_OK : hsp__fail_memory(err), err);
    if (status) {
        hsp__free(&ctx->allocator, work.sums);
        return status;
    }
    hsp__tasks_run(ctx, work.parts, data_hash_part, &work);
    data_hash_sum all = work.sums[0];
    for (uint64_t part = 1; part < work.parts; part++)
        data_hash_join(&all, &work.sums[part]);
    hsp__free(&ctx->allocator, work.sums);
    uint64_t rows = view->rows;
    if (ctx->shard) data_hash_ranks(ctx->shard, &rows, &all);
    const uint32_t crc = hsp__crc32_combine(hsp__crc32(0, &rows, sizeof rows), all.crc, all.bytes);
    snprintf(text, HSP__HASH_TEXT, "crc32:%08x", (unsigned)crc);
    return HSP_OK;
}

hsp_status hsp__view_hash(hsp_context *ctx, const hsp_view *view, hsp_error *err,
                          char text[HSP__HASH_TEXT])
{
    return data_hash_view(ctx, view, view->precision == HSP_FLOAT32, err, text);
}

hsp_status hsp__view_hash_single(hsp_context *ctx, const hsp_view *view, hsp_error *err,
                                 char text[HSP__HASH_TEXT])
{
    char hash[HSP__HASH_TEXT];
    hsp_status status = data_hash_view(ctx, view, 1, err, hash);
    if (!status) snprintf(text, HSP__HASH_TEXT, HSP__HASH_SINGLE "%.8s", strchr(hash, ':') + 1);
    return status;
}

hsp_status hsp__view_seen(hsp_context *ctx, const hsp_view *view, const hsp_model *model,
                          hsp_error *err, hsp__trained *out)
{
    char hash[HSP__HASH_TEXT];
    HSP__TRY(hsp__view_hash(ctx, view, err, hash));
    *out = hsp__model_trained_on(model, hash);
    if (*out != HSP__TRAINED_YES && view->precision == HSP_FLOAT64) {
        HSP__TRY(data_hash_view(ctx, view, 1, err, hash));
        *out = hsp__model_trained_on(model, hash);
    }
    int single = *out != HSP__TRAINED_YES; /* are all values of single precision? */
    for (uint64_t i = 0; view->precision == HSP_FLOAT64 && single && i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; single && k < row.count; k++) {
            const double value = hsp__row_value(view, &row, k);
            single = (double)data_hash_round(value) == value;
        }
    }
    if (!single) return HSP_OK;
    HSP__TRY(hsp__view_hash_single(ctx, view, err, hash));
    *out = hsp__model_trained_on(model, hash);
    return HSP_OK;
}
