#include "learn/online/running_scale.h"

#include "base/base.h"
#include "data/data.h"
#include "data/scale.h"

#define RUNNING_CONSTANT 1e-12 /* a variance that is this share of the mean square is rounding */

static hsp_status running_grow(hsp_context *ctx, hsp__running_scale *scale, uint64_t cols,
                               hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    if (cols <= scale->cols) return HSP_OK;
    if (!hsp__reserve(memory, &scale->mean, &scale->mean_room, cols, sizeof *scale->mean) ||
        !hsp__reserve(memory, &scale->square, &scale->square_room, cols, sizeof *scale->square))
        return hsp__fail_memory(err);
    for (; scale->cols < cols; scale->cols++) /* of zeros so far */
        scale->mean[scale->cols] = scale->square[scale->cols] = 0;
    return HSP_OK;
}

/* 1 / standard deviation; 1 for a column of one value. */
static double running_factor(const hsp__running_scale *scale, uint64_t j)
{
    const double n = (double)scale->rows, square = scale->square[j] / n;
    const double mean = scale->mean[j] / (scale->centred ? 1 : n);
    const double variance = scale->centred ? square : square - mean * mean;
    const double factor = 1 / sqrt(variance);
    return variance > RUNNING_CONSTANT * (scale->centred ? mean * mean + square : square) &&
                   isfinite(factor)
               ? factor
               : 1;
}

static void running_put(const hsp__running_scale *scale, hsp_precision precision, uint64_t k,
                        double value)
{
    if (precision == HSP_FLOAT64)
        ((double *)scale->values)[k] = value;
    else
        ((float *)scale->values)[k] = (float)value;
}

/* One row into dense values from `at` on. */
static void running_centre(hsp__running_scale *scale, const hsp_view *rows, uint64_t i, uint64_t at)
{
    const hsp__row row = hsp__view_row(rows, i);
    uint64_t k = 0;
    scale->rows++;
    for (uint64_t j = 0; j < scale->cols; j++) {
        const int there = k < row.count && hsp__row_column(&row, k) == j;
        const double x = there ? hsp__row_value(rows, &row, k) : 0, before = x - scale->mean[j];
        k += (uint64_t)there;
        scale->mean[j] += before / (double)scale->rows;
        scale->square[j] += before * (x - scale->mean[j]);
        running_put(scale, rows->precision, at + j,
                    (x - scale->mean[j]) * running_factor(scale, j));
    }
}

/* The entries of one row, which has `at` of them before it. */
static uint64_t running_divide(hsp__running_scale *scale, const hsp_view *rows, uint64_t i,
                               uint64_t at)
{
    const hsp__row row = hsp__view_row(rows, i);
    scale->rows++;
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        const double x = hsp__row_value(rows, &row, k);
        scale->mean[j] += x;
        scale->square[j] += x * x;
        running_put(scale, rows->precision, at + k, x * running_factor(scale, j));
    }
    return row.count;
}

hsp_status hsp__running_scale_rows(hsp_context *ctx, hsp__running_scale *scale,
                                   const hsp_view *rows, hsp_error *err, hsp_view *out)
{
    const uint64_t bytes = hsp__value_bytes(rows->precision);
    if (!scale->rows) scale->centred = rows->storage == HSP_DENSE;
    HSP__TRY(running_grow(ctx, scale, rows->cols, err));
    const int dense = scale->centred || rows->storage == HSP_DENSE;
    const uint64_t cols = scale->centred ? scale->cols : rows->cols;
    const uint64_t count = dense ? rows->rows * cols : hsp_view_stored(rows);
    if ((dense && cols && rows->rows > UINT64_MAX / bytes / cols) ||
        !hsp__reserve(&ctx->allocator, &scale->values, &scale->values_room, count * bytes, 1))
        return hsp__fail_memory(err);
    *out = *rows;
    out->values = scale->values;
    out->storage = dense ? HSP_DENSE : HSP_SPARSE;
    if (dense) {
        out->cols = out->stride = cols;
        out->starts = NULL;
        out->indices = NULL;
    }
    for (uint64_t i = 0, at = 0; i < rows->rows; i++)
        if (scale->centred)
            running_centre(scale, rows, i, i * cols);
        else
            at += running_divide(scale, rows, i, at);
    return HSP_OK;
}

hsp_status hsp__running_scale_end(hsp_context *ctx, hsp__running_scale *scale, uint64_t cols,
                                  hsp_error *err, hsp_scaling **out)
{
    HSP__TRY(running_grow(ctx, scale, cols, err));
    double *numbers = hsp__new(&ctx->allocator, 2 * cols, sizeof *numbers);
    if (!numbers) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < cols; j++) {
        numbers[j] = scale->centred ? scale->mean[j] : 0;
        numbers[cols + j] = scale->rows ? running_factor(scale, j) : 1;
    }
    const hsp__scaling_parts parts = {
        .kind = "standard", .high = 1, .cols = cols, .shift = numbers, .factor = numbers + cols};
    hsp_status status = hsp__scaling_from(ctx, &parts, err, out);
    hsp__free(&ctx->allocator, numbers);
    return status;
}

void hsp__running_scale_free(hsp_context *ctx, hsp__running_scale *scale)
{
    hsp__free(&ctx->allocator, scale->mean);
    hsp__free(&ctx->allocator, scale->square);
    hsp__free(&ctx->allocator, scale->values);
}
