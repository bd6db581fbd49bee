/* Inner products that kernels share: the same bits as without, for those rows alone. */
#include <stdint.h>

#include "../check.h"
#include "halfspace_all.h"
#include "kernel/block.h"
#include "kernel/shared_values.h"

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { ROWS = 700, COLS = 40 };
static double wide[ROWS * COLS];
static float single[ROWS * COLS];
static uint32_t columns[ROWS * COLS];
static uint64_t starts[ROWS + 1];

/* Rows with an entry in every column, or in a few. */
static hsp_view draw(hsp_storage storage, hsp_precision precision)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < COLS; j++) {
            if (storage == HSP_SPARSE && rng() > 0.05) continue;
            columns[count] = j;
            wide[count] = rng() - 0.5;
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

static hsp__kernel_rows *rows_of(const char *text, const hsp_view *view, hsp_kernel **kernel)
{
    hsp__kernel_rows *rows = NULL;
    CHECK(hsp_kernel_parse(ctx, text, 0, 1, NULL, kernel) == HSP_OK);
    CHECK(hsp__kernel_rows_new(ctx, *kernel, view, NULL, NULL, &rows) == HSP_OK);
    return rows;
}

/* Blocks of some rows with some, with and without products. */
static void compare(const hsp__kernel_rows *with, const hsp__kernel_rows *without, int in_double,
                    const char *text)
{
    enum { SOME = 90, MORE = 210 };
    static float a32[SOME * MORE], b32[SOME * MORE];
    static double a64[SOME * MORE], b64[SOME * MORE];
    static uint64_t list[MORE];
    for (size_t k = 0; k < MORE; k++)
        list[k] = (uint64_t)(rng() * ROWS);
    for (int way = 0; way < 3; way++) {
        hsp__kernel_pick some = {with, way ? list : NULL, 17, SOME};
        hsp__kernel_pick more = {with, way > 1 ? list : NULL, 300, MORE};
        hsp_status status = in_double ? hsp__kernel_block_f64(ctx, &some, &more, a64, MORE, NULL)
                                      : hsp__kernel_block_f32(ctx, &some, &more, a32, MORE, NULL);
        CHECK(status == HSP_OK);
        some.rows = more.rows = without;
        status = in_double ? hsp__kernel_block_f64(ctx, &some, &more, b64, MORE, NULL)
                           : hsp__kernel_block_f32(ctx, &some, &more, b32, MORE, NULL);
        CHECK(status == HSP_OK);
        CHECK_NOTE(in_double ? memcmp(a64, b64, sizeof a64) == 0
                             : memcmp(a32, b32, sizeof a32) == 0,
                   "%s, way %d", text, way);
    }
}

static void values_have_the_same_bits(void)
{
    static const char *const texts[] = {"rbf(0.5)", "rbf(0.1)", "poly(3,1)",
                                        "0.5*rbf(0.1) + linear*cols(1-3; rbf(1))",
                                        "laplace(1) + normalize(linear)"};
    for (int storage = 0; storage < 2; storage++)
        for (int precision = 0; precision < 2; precision++)
            for (int in_double = precision; in_double < 2; in_double++) {
                const hsp_view view =
                    draw(storage ? HSP_SPARSE : HSP_DENSE, precision ? HSP_FLOAT64 : HSP_FLOAT32);
                hsp__kernel_shared *shared = hsp__kernel_shared_new(ctx, ROWS * ROWS * 8);
                for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
                    hsp_kernel *one = NULL, *other = NULL;
                    hsp__kernel_rows *with = rows_of(texts[t], &view, &one);
                    hsp__kernel_rows *without = rows_of(texts[t], &view, &other);
                    CHECK(hsp__kernel_shared_use(ctx, shared, "key", in_double, with, NULL) ==
                          HSP_OK);
                    CHECK_NOTE(with->products && with->products->wide == in_double, "%s", texts[t]);
                    compare(with, without, in_double, texts[t]);
                    hsp__kernel_rows_free(ctx, with);
                    hsp__kernel_rows_free(ctx, without);
                    hsp_kernel_free(one);
                    hsp_kernel_free(other);
                }
                hsp__kernel_shared_free(shared);
            }
}

/* Other rows, other numbers, no memory, no use for them. */
static void nobody_else_is_given_them(void)
{
    static const struct {
        const char *text, *key;
        int wide, given;
        uint64_t bytes;
    } asked[] = {{"rbf(1)", "key", 0, 1, ROWS * ROWS * 4},
                 {"rbf(1)", "yek", 0, 0, ROWS * ROWS * 4},
                 {"rbf(1)", "key", 1, 0, ROWS * ROWS * 8},
                 {"rbf(1)", "key", 0, 0, ROWS * ROWS * 4 - 1},
                 {"laplace(1)", "key", 0, 0, ROWS * ROWS * 4},
                 {"cols(2; rbf(1))", "key", 0, 0, ROWS * ROWS * 4}};
    const hsp_view view = draw(HSP_DENSE, HSP_FLOAT32);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        hsp_kernel *first = NULL, *second = NULL;
        hsp__kernel_rows *one = rows_of("rbf(2)", &view, &first);
        hsp__kernel_rows *rows = rows_of(asked[k].text, &view, &second);
        hsp__kernel_shared *shared = hsp__kernel_shared_new(ctx, asked[k].bytes);
        CHECK(hsp__kernel_shared_use(ctx, shared, "key", 0, one, NULL) == HSP_OK);
        CHECK(hsp__kernel_shared_use(ctx, shared, asked[k].key, asked[k].wide, rows, NULL) ==
              HSP_OK);
        CHECK_NOTE((rows->products != NULL) == asked[k].given, "%zu", k);
        hsp__kernel_rows_free(ctx, one);
        hsp__kernel_rows_free(ctx, rows);
        hsp_kernel_free(first);
        hsp_kernel_free(second);
        hsp__kernel_shared_free(shared);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(values_have_the_same_bits);
    RUN(nobody_else_is_given_them);
    hsp_context_free(ctx);
    return check_done();
}
