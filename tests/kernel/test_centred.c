/* Centred rows: Gaussians in float are as near to those of the rows themselves as is promised, and
 * nearer than without; one line has the bits of a block; sums have the bits of lines. */
#include <math.h>
#include <stdint.h>

#include "../check.h"
#include "halfspace_all.h"
#include "kernel/block.h"
#include "kernel/rounding.h"

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { ROWS = 300, COLS = 21 };
static double wide[ROWS * COLS];
static float single[ROWS * COLS];
static uint32_t columns[ROWS * COLS];
static uint64_t starts[ROWS + 1];

/* Rows far from the origin: `far` is the mean of every column. */
static hsp_view draw(hsp_storage storage, hsp_precision precision, double far)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < COLS; j++) {
            if (storage == HSP_SPARSE && rng() < 0.3) continue;
            columns[count] = j;
            wide[count] = far + rng() - 0.5;
            single[count] = (float)wide[count];
            count++;
        }
        starts[i + 1] = count;
    }
    const void *values = precision == HSP_FLOAT32 ? (const void *)single : (const void *)wide;
    return storage == HSP_DENSE
               ? hsp_view_dense(precision, ROWS, COLS, COLS, values)
               : hsp_view_sparse(precision, ROWS, COLS, 8, starts, columns, values);
}

static double gaussian(const hsp_view *view, uint64_t i, uint64_t j, double c)
{
    double sum = 0;
    for (uint64_t k = 0; k < COLS; k++) {
        const double d = hsp__view_entry(view, i, k) - hsp__view_entry(view, j, k);
        sum += d * d;
    }
    return exp(-c * sum);
}

static void check_values(const hsp_view *view, double c)
{
    static float block[ROWS * ROWS], line[ROWS];
    static double by[ROWS], sums[ROWS];
    char text[64];
    hsp_kernel *kernel = NULL;
    hsp__kernel_rows *rows = NULL;
    double most;
    snprintf(text, sizeof text, "rbf(%g)", c);
    CHECK(hsp_kernel_parse(ctx, text, 0, 1, NULL, &kernel) == HSP_OK);
    CHECK(hsp__kernel_rows_new(ctx, kernel, view, NULL, NULL, &rows) == HSP_OK);
    CHECK(hsp__kernel_centre(ctx, rows, NULL) == HSP_OK);
    CHECK(rows->centred && hsp__kernel_has_line(rows->centred));
    const double off = hsp__kernel_rounding(rows->centred, 0, &most);
    CHECK(hsp__kernel_road_of(rows).wide || off < hsp__kernel_rounding(rows, 0, &most));
    const hsp__kernel_pick all = {.rows = rows->centred, .count = ROWS};
    CHECK(hsp__kernel_block_f32(ctx, &all, &all, block, ROWS, NULL) == HSP_OK);
    for (uint64_t i = 0; i < ROWS; i++) {
        by[i] = rng() - 0.5, sums[i] = 0;
        hsp__kernel_line_f32(rows->centred, i, line);
        for (uint64_t j = 0; j < ROWS; j++) {
            CHECK(line[j] == block[i * ROWS + j]);
            CHECK(fabs((double)line[j] - gaussian(view, i, j, c)) <= off + 1e-13);
        }
    }
    CHECK(hsp__kernel_apply(ctx, &all, by, &all, 0, sums, NULL) == HSP_OK);
    for (uint64_t j = 0; j < ROWS; j++) {
        double sum = 0;
        for (uint64_t i = 0; i < ROWS; i++) {
            volatile double term = by[i] * (double)block[i * ROWS + j];
            sum += term;
        }
        CHECK(sum == sums[j]);
    }
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(kernel);
}

static void centred_values_are_as_near_as_promised(void)
{
    const double far[] = {0.5, 3, 40};
    for (int k = 0; k < 3; k++)
        for (int turn = 0; turn < 4; turn++) {
            const hsp_view view = draw(turn & 1 ? HSP_SPARSE : HSP_DENSE,
                                       turn & 2 ? HSP_FLOAT64 : HSP_FLOAT32, far[k]);
            if (!(turn & 1)) check_values(&view, 0.3);
            if (far[k] < 1) check_values(&view, 0.3);
        }
}

/* A gathered part of them is those rows. */
static void gathered_rows_are_those_rows(void)
{
    enum { SOME = 77 };
    static float block[SOME * SOME], line[SOME];
    uint64_t list[SOME];
    const hsp_view view = draw(HSP_DENSE, HSP_FLOAT32, 1);
    hsp_kernel *kernel = NULL;
    hsp__kernel_rows *rows = NULL, *part = NULL;
    CHECK(hsp_kernel_parse(ctx, "rbf(0.5)", 0, 1, NULL, &kernel) == HSP_OK);
    CHECK(hsp__kernel_rows_new(ctx, kernel, &view, NULL, NULL, &rows) == HSP_OK);
    CHECK(hsp__kernel_centre(ctx, rows, NULL) == HSP_OK);
    for (uint64_t i = 0; i < SOME; i++)
        list[i] = (i * 31) % ROWS;
    CHECK(hsp__kernel_gather(ctx, rows->centred, list, SOME, NULL, &part) == HSP_OK);
    const hsp__kernel_pick all = {.rows = rows->centred, .list = list, .count = SOME};
    CHECK(hsp__kernel_block_f32(ctx, &all, &all, block, SOME, NULL) == HSP_OK);
    for (uint64_t i = 0; i < SOME; i++) {
        hsp__kernel_line_f32(part, i, line);
        for (uint64_t j = 0; j < SOME; j++)
            CHECK(line[j] == block[i * SOME + j]);
    }
    hsp__kernel_gathered_free(ctx, part);
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(kernel);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(centred_values_are_as_near_as_promised);
    RUN(gathered_rows_are_those_rows);
    hsp_context_free(ctx);
    return check_done();
}
