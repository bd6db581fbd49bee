/* Codes of rows: their range, whether images pay, and all rows coded. */
#include "knn/knn_codes.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"

enum {
    KNN_CODES_SAMPLE = 2000,       /* rows that say where numbers usually lie */
    KNN_CODES_IMAGE_COLUMNS = 96,  /* of fewer columns, images and fine codes save little */
    KNN_CODES_IMAGE_SAMPLE = 1024, /* rows, of which directions are estimated */
    KNN_CODES_FINE = 10, /* distances that a row's fine code must save: it takes as long */
    COLS = HSP__VEC_BYTE_COLS,
};

#define KNN_CODES_OFF 1e-12 /* more than a number is off by in units of step: 1e-13 */

/* A row's numbers in double, zeros where it has none, times `scale`. */
static void knn_codes_spread(const hsp_view *view, uint64_t i, double scale, double *to)
{
    const hsp__row row = hsp__view_row(view, i);
    if (row.indices) {
        memset(to, 0, view->cols * sizeof *to);
        for (uint64_t k = 0; k < row.count; k++)
            to[row.indices[k]] = hsp__row_value(view, &row, k) * scale;
    } else if (view->precision == HSP_FLOAT32) {
        const float *from = row.values;
        for (uint64_t k = 0; k < row.count; k++)
            to[k] = (double)from[k] * scale;
    } else {
        const double *from = row.values;
        for (uint64_t k = 0; k < row.count; k++)
            to[k] = from[k] * scale;
    }
}

hsp__vec_code hsp__knn_code(const hsp__knn_codes *own, const hsp__knn_numbers *x, uint8_t *u,
                            double *error, double *spill)
{
    const hsp__vec_table *vec = hsp__vec();
    const double by = 1 / own->step;
    const hsp__vec_code code =
        x->single ? vec->code_f32f64(x->values, own->cols, x->scale, own->low, by, u)
                  : vec->code_f64(x->values, own->cols, x->scale, own->low, by, u);
    memset(u + own->cols, 0, own->bytes - own->cols);
    *error = sqrt(code.rounded) * (1 + HSP__KNN_CODE_SLACK) + own->off;
    *spill = sqrt(code.left) * (1 + HSP__KNN_CODE_SLACK) + own->off;
    return code;
}

typedef struct knn_codes_range {
    double low, high;
    int whole; /* integers only */
} knn_codes_range;

typedef struct knn_codes_build {
    hsp__knn_index *near;
    hsp__knn_coded *own;
    knn_codes_range *ranges; /* one a part */
    uint64_t parts;
    atomic_int no_memory;
} knn_codes_build;

static double knn_codes_row_scale(const knn_codes_build *build, uint64_t i)
{
    return hsp__knn_code_scale(build->own->cosine, build->own->cosine ? build->near->norms[i] : 1);
}

/* The range of some rows. */
static knn_codes_range knn_codes_measure(const knn_codes_build *build, uint64_t from, uint64_t to)
{
    const hsp_view *view = build->near->rows;
    const int dense = view->storage == HSP_DENSE;
    knn_codes_range range = {dense ? (double)INFINITY : 0, dense ? -(double)INFINITY : 0,
                             .whole = 1};
    const hsp__vec_table *vec = hsp__vec();
    for (uint64_t i = from; i < to; i++) {
        const hsp__row row = hsp__view_row(view, i);
        const double scale = knn_codes_row_scale(build, i), one = 1;
        if (!row.values) /* a row of ones */
            range.whole &=
                row.count == 0 || vec->range_f64(&one, 1, scale, &range.low, &range.high);
        else if (view->precision == HSP_FLOAT32)
            range.whole &= vec->range_f32f64(row.values, row.count, scale, &range.low, &range.high);
        else
            range.whole &= vec->range_f64(row.values, row.count, scale, &range.low, &range.high);
    }
    range.whole &= !(range.low < -1e9) && !(range.high > 1e9);
    return range;
}

static void knn_codes_part(void *user, uint64_t part)
{
    const knn_codes_build *build = user;
    const uint64_t rows = build->own->rows;
    build->ranges[part] = knn_codes_measure(build, hsp__part(rows, build->parts, part),
                                            hsp__part(rows, build->parts, part + 1));
}

static int knn_codes_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest but one in a hundred of the numbers. */
static double knn_codes_rank(const double *x, uint64_t count)
{
    double most[KNN_CODES_SAMPLE / 100 + 1] = {0}; /* the largest first */
    const uint64_t rank = count / 100;
    for (uint64_t s = 0, known = 0; s < count; s++) {
        if (known > rank && x[s] <= most[rank]) continue;
        uint64_t at = known <= rank ? known++ : rank;
        for (; at > 0 && most[at - 1] < x[s]; at--)
            most[at] = most[at - 1];
        most[at] = x[s];
    }
    return most[rank];
}

/* low and step from all parts' ranges, clipped where that makes codes at least twice as fine: to the
 * range of all rows but the one in a hundred that goes furthest, either way; of a sample. */
static void knn_codes_plan(const knn_codes_build *build)
{
    hsp__knn_coded *own = build->own;
    knn_codes_range all = build->ranges[0];
    for (uint64_t p = 1; p < build->parts; p++) {
        const knn_codes_range *range = &build->ranges[p];
        all.low = range->low < all.low ? range->low : all.low;
        all.high = range->high > all.high ? range->high : all.high;
        all.whole &= range->whole;
    }
    double low[KNN_CODES_SAMPLE] = {0}, high[KNN_CODES_SAMPLE] = {0};
    const uint64_t count = own->rows < KNN_CODES_SAMPLE ? own->rows : KNN_CODES_SAMPLE;
    for (uint64_t s = 0; s < count; s++) {
        const uint64_t row = hsp__part(own->rows, count, s);
        const knn_codes_range range = knn_codes_measure(build, row, row + 1);
        low[s] = -range.low, high[s] = range.high;
    }
    const double first = -knn_codes_rank(low, count), last = knn_codes_rank(high, count);
    if (last - first <= (all.high - all.low) / 2) {
        all.low = first;
        all.high = last;
    }
    const double width = all.high - all.low;
    own->row.low = all.low;
    own->whole = width <= 0 || (all.whole && width <= 255);
    own->row.step = own->whole ? 1 : width / 255;
    own->coded = own->row.step > 1e-290 && own->row.step < 1e290;
}

hsp__knn_fine hsp__knn_code_fine(const hsp__knn_coded *own, const double *x, const uint8_t *u,
                                 int8_t *v)
{
    const double low = own->row.low, by = 1 / own->row.step;
    hsp__knn_fine fine = {0};
    double left = 0;
    for (uint64_t k = 0; k < own->cols; k++) {
        const double t = (x[k] - low) * by;
        const double part = (t > 255 ? 255 : t > 0 ? t : 0) - u[k]; /* within half a step */
        const int near = (int)(part * HSP__KNN_CODE_PARTS + (part < 0 ? -0.5 : 0.5));
        const double rest = part - near * (1.0 / HSP__KNN_CODE_PARTS);
        v[k] = (int8_t)near;
        fine.self += u[k] * near;
        fine.sum_u += u[k];
        fine.sum_v += near;
        left += rest * rest;
    }
    memset(v + own->cols, 0, own->wide - own->cols);
    fine.rest = sqrt(left) * (1 + HSP__KNN_CODE_SLACK) + own->row.off;
    return fine;
}

/* The code of the row at a place, and what is known of it. `off`: what its numbers may be off by
 * already. */
static void knn_codes_put(hsp__knn_codes *codes, uint64_t place, const hsp__knn_numbers *x,
                          double off, uint8_t *u)
{
    codes->base[place] =
        -hsp__knn_code(codes, x, u, &codes->error[place], &codes->spill[place]).squares;
    codes->error[place] += off / codes->step;
    double *worst = &codes->worst[place / COLS];
    if (codes->error[place] > *worst) *worst = codes->error[place];
    if (!codes->codes) return;
    int8_t *to = codes->codes + place / COLS * COLS * codes->bytes + place % COLS * 4;
    for (uint64_t k = 0; k < codes->bytes; k += 4, to += 4 * COLS) {
        uint32_t four;
        memcpy(&four, u + k, sizeof four);
        four ^= 0x80808080; /* from 0 .. 255 to -128 .. 127 */
        memcpy(to, &four, sizeof four);
    }
}

/* The same row by row; u are its bytes. */
static void knn_codes_put_row(hsp__knn_coded *own, uint64_t place, const double *x,
                              const uint8_t *u)
{
    int8_t *to = own->by_row + place * own->stride;
    for (uint64_t k = 0; k < own->cols; k++)
        to[k] = (int8_t)(u[k] - 128);
    memset(to + own->cols, -128, own->wide - own->cols);
    if (own->fine) own->fine[place] = hsp__knn_code_fine(own, x, u, to + own->wide);
}

/* A place without a code. */
static void knn_codes_put_none(hsp__knn_codes *codes, uint64_t place, double *zeros, uint8_t *u)
{
    memset(zeros, 0, codes->cols * sizeof *zeros);
    const double worst = codes->worst[place / COLS];
    knn_codes_put(codes, place, &(hsp__knn_numbers){zeros, 0, 1}, 0, u);
    codes->worst[place / COLS] = worst;
    codes->error[place] = codes->spill[place] = 0;
}

/* Some places of a panel: rows, their codes, their images, the codes of those. */
static void knn_codes_places(const knn_codes_build *build, uint64_t from, uint64_t some, double *x,
                             double *images, uint8_t *u)
{
    hsp__knn_coded *own = build->own;
    double off[HSP__KNN_PROJECT_ROWS];
    int coded[HSP__KNN_PROJECT_ROWS];
    const hsp_view *view = build->near->rows;
    const int as_is = view->storage == HSP_DENSE && !own->by_row && !own->image.codes;
    for (uint64_t i = 0; i < some; i++) {
        const uint64_t place = from + i,
                       row = place < own->rows ? hsp__knn_code_row(own, place) : 0;
        const double scale = knn_codes_row_scale(build, row);
        coded[i] = place < own->rows && scale != 0;
        if (coded[i] && as_is) {
            const hsp__knn_numbers numbers = {hsp__view_row(view, row).values,
                                              view->precision == HSP_FLOAT32, scale};
            knn_codes_put(&own->row, place, &numbers, 0, u);
        } else if (coded[i]) {
            knn_codes_spread(view, row, scale, x + i * own->cols);
            knn_codes_put(&own->row, place, &(hsp__knn_numbers){x + i * own->cols, 0, 1}, 0, u);
            if (own->by_row) knn_codes_put_row(own, place, x + i * own->cols, u);
        } else {
            knn_codes_put_none(&own->row, place, x + i * own->cols, u);
        }
    }
    if (!own->image.codes) return;
    hsp__knn_project(&own->projection, x, some, images, off);
    for (uint64_t i = 0; i < some; i++)
        if (coded[i])
            knn_codes_put(&own->image, from + i,
                          &(hsp__knn_numbers){images + i * own->image.cols, 0, 1}, off[i], u);
        else
            knn_codes_put_none(&own->image, from + i, images + i * own->image.cols, u);
}

/* The codes of some panels. */
static void knn_codes_encode(void *user, uint64_t part)
{
    enum { SOME = HSP__KNN_PROJECT_ROWS };
    knn_codes_build *build = user;
    hsp__knn_coded *own = build->own;
    hsp__scratch memory = {.memory = &build->near->allocator};
    double *x = hsp__scratch_raw(&memory, SOME * own->cols, sizeof *x);
    double *images = hsp__scratch_raw(&memory, SOME * (own->image.cols + 1), sizeof *images);
    uint8_t *u = hsp__scratch_new(&memory, own->row.bytes + own->image.bytes, 1);
    if (memory.failed) atomic_store(&build->no_memory, 1);
    const uint64_t to = memory.failed ? 0 : COLS * hsp__part(own->panels, build->parts, part + 1);
    for (uint64_t place = COLS * hsp__part(own->panels, build->parts, part); place < to;
         place += SOME) {
        if (place % COLS == 0) own->row.worst[place / COLS] = 0;
        if (place % COLS == 0 && own->image.codes) own->image.worst[place / COLS] = 0;
        knn_codes_places(build, place, SOME, x, images, u);
    }
    hsp__scratch_free(&memory);
}

/* About the golden section of the rows, and without a common divisor with them: successive places
 * lie far apart. */
static uint64_t knn_codes_jump(uint64_t rows)
{
    uint64_t jump = (uint64_t)((double)rows * 0.6180339887498949);
    for (; jump > 1; jump--) {
        uint64_t a = rows, b = jump;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) break;
    }
    return jump > 0 ? jump : 1;
}

/* Queries to be expected. */
static uint64_t knn_codes_queries(const hsp__knn_index *near)
{
    return near->plan.queries ? near->plan.queries : near->rows->rows;
}

/* Images of the rows, if they pay: their map from a sample of the rows. */
static hsp_status knn_codes_images(hsp_context *ctx, const knn_codes_build *build, hsp_error *err)
{
    hsp__knn_index *near = build->near;
    hsp__knn_coded *own = build->own;
    const uint64_t rows = own->rows, cols = own->cols;
    const uint64_t some =
        rows < 32 * KNN_CODES_IMAGE_SAMPLE ? KNN_CODES_IMAGE_SAMPLE / 2 : KNN_CODES_IMAGE_SAMPLE;
    const hsp__knn_purpose purpose = {
        .rows = rows,
        .queries = knn_codes_queries(near),
        .k = near->plan.k ? near->plan.k : 5,
        /* of a row and a query, to either side: half a step, in the
                                         mean of squares a twelfth of it */
        .slack = own->whole ? 0 : 4 * own->row.step * sqrt((double)cols / 12)};
    /* The sample and its products alone take as long as comparing this many pairs of codes. */
    const uint64_t met = some + rows / 8;
    const double pairs = (double)some * (double)met * 10;
    if (cols < KNN_CODES_IMAGE_COLUMNS || rows < 4 * some /* few rows are soon compared */ ||
        (double)purpose.rows * (double)purpose.queries < pairs)
        return HSP_OK;
    double *sample = hsp__new_raw(&ctx->allocator, some * cols, sizeof *sample);
    if (!sample) return hsp__fail_memory(err);
    for (uint64_t s = 0; s < some; s++) {
        const uint64_t row = hsp__knn_code_row(own, s);
        knn_codes_spread(near->rows, row, knn_codes_row_scale(build, row), sample + s * cols);
    }
    hsp_status status = hsp__knn_projection_make(ctx, &purpose, sample, some, cols, &near->memory,
                                                 err, &own->projection);
    hsp__free(&ctx->allocator, sample);
    const double width = own->projection.high - own->projection.low;
    if (!own->projection.count || !(width > 1e-100) || !(width < 1e100)) return status;
    own->image.cols = own->projection.count + 1;
    own->image.bytes = (own->image.cols + 3) / 4 * 4;
    own->image.low = own->projection.low;
    own->image.step = width / 255;
    return status;
}

/* Room for the codes of all places; `tiles`: to make tiles of. */
static void knn_codes_room(const hsp__knn_coded *own, hsp__scratch *memory, int tiles,
                           hsp__knn_codes *codes)
{
    const uint64_t places = own->panels * COLS;
    codes->off = KNN_CODES_OFF * sqrt((double)codes->cols);
    codes->base = hsp__scratch_raw(memory, places, sizeof *codes->base);
    codes->error = hsp__scratch_raw(memory, places, sizeof *codes->error);
    codes->spill = hsp__scratch_raw(memory, places, sizeof *codes->spill);
    codes->worst = hsp__scratch_raw(memory, own->panels, sizeof *codes->worst);
    if (!tiles) return;
    codes->codes = hsp__scratch_raw(memory, places, codes->bytes);
    if (codes->codes) hsp__advise_huge(memory->memory, codes->codes, places * codes->bytes);
}

/* Codes row by row: where there are images or fine codes. */
static void knn_codes_room_by_row(hsp__knn_coded *own, int fine, hsp__scratch *memory)
{
    const uint64_t places = own->panels * COLS;
    if (!own->image.cols && !fine) return;
    own->wide = (own->cols + 63) / 64 * 64;
    own->stride = fine ? 2 * own->wide : own->wide;
    if (fine) own->fine = hsp__scratch_raw(memory, places, sizeof *own->fine);
    own->by_row = hsp__scratch_raw(memory, places, own->stride);
    if (own->by_row) hsp__advise_huge(memory->memory, own->by_row, places * own->stride);
}

/* What r most panels do not exceed; all of them without memory to sort. */
static void knn_codes_usual(const hsp__knn_coded *own, const hsp__scratch *memory,
                            hsp__knn_codes *codes)
{
    double *sorted = hsp__new_raw(memory->memory, own->panels, sizeof *sorted);
    codes->usual = (double)INFINITY;
    if (!sorted) return;
    memcpy(sorted, codes->worst, own->panels * sizeof *sorted);
    qsort(sorted, own->panels, sizeof *sorted, knn_codes_compare);
    codes->usual = sorted[own->panels - 1 - own->panels / 8];
    hsp__free(memory->memory, sorted);
}

hsp_status hsp__knn_codes_make(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    hsp__scratch *memory = &near->memory;
    hsp__knn_coded *own = near->own = hsp__scratch_new(memory, 1, sizeof *own);
    if (!own) return hsp__fail_memory(err);
    own->rows = near->rows->rows;
    own->cols = own->row.cols = near->rows->cols;
    own->row.bytes = (own->cols + 3) / 4 * 4;
    own->panels = (own->rows + COLS - 1) / COLS;
    own->jump = knn_codes_jump(own->rows);
    own->cosine = near->plan.metric == HSP__METRIC_COSINE;
    knn_codes_build build = {.near = near, .own = own};
    build.parts = hsp__parts(own->rows, own->cols * 4);
    build.ranges = hsp__new(memory->memory, build.parts, sizeof *build.ranges);
    if (!build.ranges) return hsp__fail_memory(err);
    const int measured = hsp__tasks_try(ctx, build.parts, knn_codes_part, &build);
    if (measured) knn_codes_plan(&build);
    hsp__free(memory->memory, build.ranges);
    if (!measured || !own->coded) return hsp__stop_status(ctx, err);
    HSP__TRY(knn_codes_images(ctx, &build, err));
    knn_codes_room(own, memory, !own->image.cols, &own->row);
    if (own->image.cols) knn_codes_room(own, memory, 1, &own->image);
    const double saved = (double)knn_codes_queries(near) * own->projection.crowd;
    knn_codes_room_by_row(own, !own->whole && saved > KNN_CODES_FINE, memory);
    if (memory->failed) return hsp__fail_memory(err);
    if (hsp__tasks_try(ctx, build.parts, knn_codes_encode, &build)) {
        knn_codes_usual(own, memory, &own->row);
        if (own->image.codes) knn_codes_usual(own, memory, &own->image);
    }
    uint64_t odd = 0;
    for (uint64_t i = 0; i < own->rows; i++)
        odd += knn_codes_row_scale(&build, i) == 0;
    own->odd = hsp__scratch_raw(memory, odd, sizeof *own->odd);
    if (!own->odd || atomic_load(&build.no_memory)) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < own->rows; i++)
        if (knn_codes_row_scale(&build, i) == 0) own->odd[own->odd_count++] = i;
    return hsp__stop_status(ctx, err);
}
