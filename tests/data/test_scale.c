/* Scaling: what the columns look like afterwards, recomputed in long double; what is refused; files
 * that give the same object back. */
#include "data/prepare.h"

#include <unistd.h>

#include "data/scale.h"

typedef struct figures {
    long double min, max, mean, stdev;
} figures;

static figures column_figures(const hsp_data *data, uint64_t j)
{
    uint64_t rows = hsp_data_rows(data);
    figures f = {test_at(data, 0, j), test_at(data, 0, j), 0, 0};
    for (uint64_t i = 0; i < rows; i++) {
        long double v = test_at(data, i, j);
        f.min = v < f.min ? v : f.min;
        f.max = v > f.max ? v : f.max;
        f.mean += v / (long double)rows;
    }
    for (uint64_t i = 0; i < rows; i++) {
        long double d = test_at(data, i, j) - f.mean;
        f.stdev += d * d / (long double)rows;
    }
    f.stdev = sqrtl(f.stdev);
    return f;
}

static hsp_scaling *fit(hsp_context *ctx, hsp_data *data, const char *settings)
{
    hsp_options *options = test_options(ctx, hsp_scale_options(), settings);
    hsp_scaling *scaling = NULL;
    CHECK(hsp_scaling_fit(ctx, data, options, NULL, &scaling) == HSP_OK);
    hsp_options_free(options);
    return scaling;
}

static hsp_data *scaled(hsp_context *ctx, hsp_data *data, const char *settings)
{
    hsp_scaling *scaling = fit(ctx, data, settings);
    hsp_data *out = NULL;
    CHECK(hsp_scaling_apply(ctx, scaling, data, NULL, &out) == HSP_OK);
    CHECK(out && hsp_view_check(ctx, &out->view, NULL) == HSP_OK);
    hsp_scaling_free(scaling);
    return out;
}

static long double row_norm(const hsp_data *data, uint64_t i)
{
    long double squares = 0;
    for (uint64_t j = 0; j < hsp_data_cols(data); j++)
        squares += (long double)test_at(data, i, j) * test_at(data, i, j);
    return sqrtl(squares);
}

static void test_dense_columns(void)
{
    for (int precision = 0; precision < 2; precision++)
        for (int centre = 0; centre < 2; centre++) {
            hsp_context *ctx = test_context(2, 0);
            test_recipe recipe = {.rows = 501,
                                  .cols = 7,
                                  .seed = 4,
                                  .classes = 2,
                                  .density = centre ? 1 : 0.6,
                                  .centre = centre ? 100000 : 0};
            hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, (hsp_precision)precision);
            hsp_data *standard = scaled(ctx, data, "kind=standard");
            hsp_data *range = scaled(ctx, data, "kind=min-max low=-1 high=3");
            hsp_data *abs = scaled(ctx, data, "kind=max-abs");
            const long double tolerance = precision ? 1e-9L : 1e-5L;
            for (uint64_t j = 0; j < 7; j++) {
                figures f = column_figures(standard, j);
                CHECK(fabsl(f.mean) <= tolerance && fabsl(f.stdev - 1) <= tolerance);
                f = column_figures(range, j);
                CHECK(fabsl(f.min + 1) <= tolerance && fabsl(f.max - 3) <= tolerance);
                f = column_figures(abs, j);
                CHECK(fabsl(fmaxl(-f.min, f.max) - 1) <= tolerance);
            }
            CHECK(memcmp(standard->view.labels, data->view.labels, 501 * 4) == 0);
            hsp_data_free(standard);
            hsp_data_free(range);
            hsp_data_free(abs);
            hsp_data_free(data);
            hsp_context_free(ctx);
        }
}

/* A large offset must not spoil the deviation: 1e9 + {0, 1, 2, ...} mod 10. */
static void test_large_offset(void)
{
    hsp_context *ctx = test_context(2, 0);
    double *x = calloc(10000, sizeof *x);
    for (int i = 0; i < 10000; i++)
        x[i] = 1e9 + i % 10;
    hsp_data *data = test_build(ctx, x, 10000, 1, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    hsp_scaling *scaling = fit(ctx, data, "kind=standard");
    CHECK(hsp_scaling_shift(scaling, 0) == 1e9 + 4.5);
    CHECK(fabs(hsp_scaling_factor(scaling, 0) - 1 / sqrt(8.25)) <= 1e-15);
    hsp_scaling_free(scaling);
    hsp_data_free(data);
    free(x);
    hsp_context_free(ctx);
}

static void test_constant_columns(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double x[] = {0.1, 0, 0.1, 0, 0.1, 0};
    hsp_data *data = test_build(ctx, x, 3, 2, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    hsp_data *out = scaled(ctx, data, "kind=standard");
    for (uint64_t i = 0; i < 3; i++)
        CHECK(test_at(out, i, 0) == 0 && test_at(out, i, 1) == 0);
    hsp_data_free(out);
    out = scaled(ctx, data, "kind=min-max low=2 high=5");
    for (uint64_t i = 0; i < 3; i++)
        CHECK(fabs(test_at(out, i, 0) - 2) <= 1e-15 && test_at(out, i, 1) == 2);
    hsp_data_free(out);
    out = scaled(ctx, data, "kind=max-abs");
    for (uint64_t i = 0; i < 3; i++)
        CHECK(test_at(out, i, 0) == 1 && test_at(out, i, 1) == 0);
    hsp_data_free(out);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_rows_and_ball(void)
{
    hsp_context *ctx = test_context(3, 0);
    for (int form = 0; form < TEST_FORMS; form++) {
        test_recipe recipe = {.rows = 300,
                              .cols = 11,
                              .seed = 6,
                              .density = 0.15,
                              .ones = test_forms[form].storage == HSP_ONES};
        hsp_data *data =
            test_random(ctx, &recipe, test_forms[form].storage, test_forms[form].precision);
        hsp_data *rows = scaled(ctx, data, "kind=unit-rows");
        hsp_data *ball = scaled(ctx, data, "kind=unit-ball");
        const long double tolerance = test_forms[form].precision ? 1e-15L : 2e-7L;
        long double before = 0, after = 0;
        for (uint64_t i = 0; i < 300; i++) {
            long double norm = row_norm(data, i), unit = row_norm(rows, i);
            CHECK(norm == 0 ? unit == 0 : fabsl(unit - 1) <= tolerance);
            before = fmaxl(before, norm);
            after = fmaxl(after, row_norm(ball, i));
        }
        CHECK(fabsl(after - 1) <= tolerance);
        for (uint64_t i = 0; i < 300; i++)
            CHECK(fabsl(row_norm(ball, i) * before - row_norm(data, i)) <= tolerance * before);
        hsp_data_free(rows);
        hsp_data_free(ball);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

/* The same numbers in any storage, on any number of threads, have the same scaling to the bit. */
static void test_same_bits(void)
{
    const char *kinds[] = {"kind=standard", "kind=min-max", "kind=max-abs", "kind=unit-ball"};
    for (int k = 0; k < 4; k++) {
        test_recipe recipe = {.rows = 5000, .cols = 30, .seed = 12, .density = 0.3};
        hsp_scaling *first = NULL;
        for (int variant = 0; variant < 12; variant++) {
            const int threads[] = {1, 2, 7};
            hsp_context *ctx = test_context(threads[variant / 4], 0);
            hsp_data *data = test_random(ctx, &recipe, test_forms[variant % 4].storage,
                                         test_forms[variant % 4].precision);
            hsp_scaling *scaling = fit(ctx, data, kinds[k]);
            for (uint64_t j = 0; first && j < 30; j++) {
                CHECK(hsp_scaling_shift(scaling, j) == hsp_scaling_shift(first, j));
                CHECK(hsp_scaling_factor(scaling, j) == hsp_scaling_factor(first, j));
            }
            if (!first)
                first = scaling;
            else
                hsp_scaling_free(scaling);
            hsp_data_free(data);
            hsp_context_free(ctx);
        }
        hsp_scaling_free(first);
    }
}

/* Sparse rows that a shift fills become dense ones, with the values of dense rows that are scaled. */
static void test_sparse_shift(void)
{
    hsp_context *ctx = test_context(1, 0);
    test_recipe recipe = {.rows = 50, .cols = 4, .seed = 6, .density = 0.5};
    hsp_data *data = test_random(ctx, &recipe, HSP_SPARSE, HSP_FLOAT32);
    const char *kinds[] = {"kind=standard", "kind=min-max"};
    for (int k = 0; k < 2; k++) {
        hsp_data *dense = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32);
        hsp_data *out = scaled(ctx, data, kinds[k]), *same = scaled(ctx, dense, kinds[k]);
        CHECK(hsp_data_storage(out) == HSP_DENSE && test_same(out, same, 1));
        hsp_data_free(out);
        hsp_data_free(same);
        hsp_data_free(dense);
    }
    hsp_data_free(data);
    /* Rows that would need more than a gigabyte stay sparse: no shifts, the same factors. */
    static uint64_t starts[1001];
    for (size_t i = 1; i <= 1000; i++)
        starts[i] = i < 2 ? i : 2;
    const uint32_t indices[] = {0, 299999};
    const float values[] = {3, 5};
    const hsp_view wide = {.storage = HSP_SPARSE,
                           .precision = HSP_FLOAT32,
                           .rows = 1000,
                           .cols = 300000,
                           .starts_bytes = 8,
                           .starts = starts,
                           .indices = indices,
                           .values = values};
    hsp_error err = {0};
    data = NULL;
    CHECK(hsp_data_borrow(ctx, &wide, NULL, NULL, &err, &data) == HSP_OK);
    hsp_scaling *scaling = fit(ctx, data, "kind=standard");
    CHECK(hsp_scaling_shift(scaling, 0) == 0 && hsp_scaling_shift(scaling, 299999) == 0);
    CHECK(fabs(hsp_scaling_factor(scaling, 0) * sqrt(9e-3 - 9e-6) - 1) < 1e-14);
    hsp_data *narrow = NULL;
    CHECK(hsp_scaling_apply(ctx, scaling, data, &err, &narrow) == HSP_OK);
    CHECK(hsp_data_storage(narrow) == HSP_SPARSE && hsp_data_nonzeros(narrow) == 2);
    hsp_data_free(narrow);
    hsp_scaling_free(scaling);
    hsp_data_free(data);
    /* Columns from 0 up keep their zeros under min-max to [0, 1]. */
    const double x[] = {0, 4, 2, 0};
    data = test_build(ctx, x, 2, 2, NULL, 0, HSP_SPARSE, HSP_FLOAT32);
    hsp_data *out = scaled(ctx, data, "kind=min-max");
    CHECK(test_at(out, 0, 1) == 1 && test_at(out, 1, 0) == 1 && hsp_data_nonzeros(out) == 2);
    CHECK(hsp_data_storage(out) == HSP_SPARSE);
    hsp_data_free(out);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_ones(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double x[] = {1, 1, 0, 1};
    hsp_data *data = test_build(ctx, x, 2, 2, NULL, 0, HSP_ONES, HSP_FLOAT32);
    hsp_data *same = scaled(ctx, data, "kind=max-abs"), *unit = scaled(ctx, data, "kind=unit-rows");
    CHECK(hsp_data_storage(same) == HSP_ONES && test_same(data, same, 1));
    CHECK(hsp_data_storage(unit) == HSP_SPARSE);
    CHECK(test_at(unit, 0, 0) == (double)(float)sqrt(0.5) && test_at(unit, 1, 1) == 1);
    hsp_data_free(same);
    hsp_data_free(unit);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_other_columns(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double x[] = {1, 2, 3, 5, 4, 9}, y[] = {7, 8};
    hsp_data *data = test_build(ctx, x, 2, 3, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    hsp_data *fewer = test_build(ctx, y, 1, 2, NULL, 0, HSP_DENSE, HSP_FLOAT64), *out = NULL;
    hsp_scaling *scaling = fit(ctx, data, "kind=standard");
    hsp_error err = {0};
    CHECK(hsp_scaling_apply(ctx, scaling, fewer, NULL, &out) == HSP_OK);
    CHECK(out && hsp_data_cols(out) == 3); /* the third column was zero: (0 - 6) / 3 */
    CHECK(out && test_at(out, 0, 0) == 2 && test_at(out, 0, 2) == -2);
    hsp_data_free(out);
    out = NULL;
    hsp_scaling *narrow = fit(ctx, fewer, "kind=max-abs");
    CHECK(hsp_scaling_apply(ctx, narrow, data, &err, &out) == HSP_USAGE && !out);
    CHECK(strstr(err.message, "3 columns"));
    hsp_scaling *rows = fit(ctx, fewer, "kind=unit-rows");
    CHECK(hsp_scaling_apply(ctx, rows, data, NULL, &out) == HSP_OK);
    CHECK(out && hsp_data_cols(out) == 3);
    hsp_data_free(out);
    hsp_scaling_free(scaling);
    hsp_scaling_free(narrow);
    hsp_scaling_free(rows);
    hsp_data_free(data);
    hsp_data_free(fewer);
    hsp_context_free(ctx);
}

/* Named columns must be all there. */
static void test_named_columns(void)
{
    hsp_context *ctx = test_context(1, 0);
    const float x[] = {1, 2, 3, 4};
    const char *const names[] = {"a", "b"};
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 2, 2, 2, x);
    hsp_view part = hsp_view_dense(HSP_FLOAT32, 2, 1, 2, x);
    hsp_data *data = NULL, *narrow = NULL, *out = NULL;
    CHECK(hsp_data_copy(ctx, &view, NULL, names, NULL, &data) == HSP_OK);
    CHECK(hsp_data_copy(ctx, &part, NULL, names, NULL, &narrow) == HSP_OK);
    hsp_scaling *scaling = fit(ctx, data, "");
    CHECK(hsp_scaling_apply(ctx, scaling, narrow, NULL, &out) == HSP_USAGE && !out);
    CHECK(hsp_scaling_apply(ctx, scaling, data, NULL, &out) == HSP_OK);
    CHECK_TEXT(hsp_data_feature_name(out, 1), "b");
    hsp_data_free(out);
    hsp_scaling_free(scaling);
    hsp_data_free(data);
    hsp_data_free(narrow);
    hsp_context_free(ctx);
}

static void test_out_of_range(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double unit[] = {1e-30, 2e-30}, large[] = {0, 1e30}, huge[] = {-1.7e308, 1.7e308};
    hsp_data *small = test_build(ctx, unit, 2, 1, NULL, 0, HSP_DENSE, HSP_FLOAT32);
    hsp_data *big = test_build(ctx, large, 2, 1, NULL, 0, HSP_DENSE, HSP_FLOAT32), *out = NULL;
    hsp_scaling *scaling = fit(ctx, small, "kind=max-abs"), *none = NULL;
    hsp_error err = {0};
    CHECK(hsp_scaling_apply(ctx, scaling, big, &err, &out) == HSP_BAD_DATA && !out);
    CHECK(strstr(err.message, "row 2, column 1"));
    hsp_data *wide = test_build(ctx, huge, 2, 1, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    hsp_options *options = test_options(ctx, hsp_scale_options(), "kind=min-max");
    CHECK(hsp_scaling_fit(ctx, wide, options, &err, &none) == HSP_BAD_DATA && !none);
    CHECK(strstr(err.message, "column 1"));
    hsp_options_free(options);
    out = scaled(ctx, wide, "kind=standard"); /* squares of 1e308 do not fit; the deviation does */
    CHECK(fabs(test_at(out, 0, 0) + 1) <= 1e-12 && fabs(test_at(out, 1, 0) - 1) <= 1e-12);
    hsp_data_free(out);
    out = scaled(ctx, wide, "kind=unit-rows");
    CHECK(test_at(out, 0, 0) == -1 && test_at(out, 1, 0) == 1);
    hsp_data_free(out);
    options = test_options(ctx, hsp_scale_options(), "low=2 high=1 kind=min-max");
    CHECK(hsp_scaling_fit(ctx, wide, options, NULL, &none) == HSP_USAGE && !none);
    hsp_options_free(options);
    hsp_scaling_free(scaling);
    hsp_data_free(small);
    hsp_data_free(big);
    hsp_data_free(wide);
    hsp_context_free(ctx);
}

/* Entries that vanish are no longer stored. */
static void test_underflow(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double large[] = {1e30, 0, 1}, tiny[] = {1e-30, 3, 1};
    hsp_data *a = test_build(ctx, large, 1, 3, NULL, 0, HSP_SPARSE, HSP_FLOAT32);
    hsp_data *b = test_build(ctx, tiny, 1, 3, NULL, 0, HSP_SPARSE, HSP_FLOAT32), *out = NULL;
    hsp_scaling *scaling = fit(ctx, a, "kind=max-abs");
    CHECK(hsp_scaling_apply(ctx, scaling, b, NULL, &out) == HSP_OK);
    CHECK(out && hsp_view_stored(&out->view) == 2 && hsp_data_nonzeros(out) == 2);
    CHECK(out && test_at(out, 0, 1) == 3 && test_at(out, 0, 2) == 1);
    hsp_data_free(out);
    hsp_scaling_free(scaling);
    hsp_data_free(a);
    hsp_data_free(b);
    hsp_context_free(ctx);
}

static void test_empty(void)
{
    const char *kinds[] = {"kind=standard", "kind=min-max", "kind=max-abs", "kind=unit-ball",
                           "kind=unit-rows"};
    const uint64_t shapes[][2] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}};
    hsp_context *ctx = test_context(2, 0);
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 4; s++) {
            test_recipe recipe = {
                .rows = shapes[s][0], .cols = shapes[s][1], .seed = 1, .density = 1};
            hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32);
            hsp_data *out = scaled(ctx, data, kinds[k]);
            CHECK(out && hsp_data_rows(out) == shapes[s][0] && hsp_data_cols(out) == shapes[s][1]);
            hsp_data_free(out);
            hsp_data_free(data);
        }
    hsp_context_free(ctx);
}

static void test_files(void)
{
    const char *kinds[] = {"standard", "min-max", "max-abs", "unit-ball", "unit-rows"};
    char path[64];
    snprintf(path, sizeof path, "/tmp/halfspace-test-scale-%d.hsp", (int)getpid());
    hsp_context *ctx = test_context(2, 0);
    for (int k = 0; k < 5; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "kind=%s low=-0.1 high=0.7", kinds[k]);
        test_recipe recipe = {.rows = 100, .cols = (uint64_t)k * 5, .seed = 1, .density = 0.9};
        hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32);
        hsp_scaling *scaling = fit(ctx, data, settings), *back = NULL;
        hsp_data *once = NULL, *twice = NULL;
        CHECK(hsp_scaling_write(ctx, scaling, path, NULL) == HSP_OK);
        CHECK(hsp_scaling_read(ctx, path, NULL, &back) == HSP_OK);
        CHECK_TEXT(hsp_scaling_kind(back), kinds[k]);
        CHECK(hsp_scaling_cols(back) == recipe.cols);
        CHECK(hsp_scaling_apply(ctx, scaling, data, NULL, &once) == HSP_OK);
        CHECK(hsp_scaling_apply(ctx, back, data, NULL, &twice) == HSP_OK);
        CHECK(test_same(once, twice, 1));
        hsp_data_free(once);
        hsp_data_free(twice);
        hsp_scaling_free(scaling);
        hsp_scaling_free(back);
        hsp_data_free(data);
    }
    hsp_scaling *none = NULL;
    test_recipe recipe = {.rows = 2, .cols = 2, .seed = 1, .density = 1};
    hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32);
    CHECK(hsp_data_write(ctx, data, path, NULL, NULL) == HSP_OK);
    hsp_error err = {0};
    CHECK(hsp_scaling_read(ctx, path, &err, &none) == HSP_BAD_DATA && !none);
    CHECK(strstr(err.message, "scaling") && strstr(err.file, path));
    unlink(path);
    CHECK(hsp_scaling_read(ctx, path, NULL, &none) == HSP_IO && !none);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Any damaged byte is an error or harmless, never a crash, never a number that is not finite. */
static void test_damaged_files(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/halfspace-test-scale-%d.hsp", (int)getpid());
    hsp_context *ctx = test_context(1, 0);
    test_recipe recipe = {.rows = 9, .cols = 2, .seed = 1, .density = 1};
    hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32);
    hsp_scaling *scaling = fit(ctx, data, "");
    CHECK(hsp_scaling_write(ctx, scaling, path, NULL) == HSP_OK);
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int refused = 0;
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x11;
        file = fopen(path, "wb");
        CHECK(fwrite(bytes, 1, size, file) == size);
        fclose(file);
        bytes[at] ^= 0x11;
        hsp_scaling *back = NULL;
        hsp_status status = hsp_scaling_read(ctx, path, NULL, &back);
        CHECK(status == HSP_OK || (status == HSP_BAD_DATA && !back));
        refused += status != HSP_OK;
        for (uint64_t j = 0; back && j < hsp_scaling_cols(back); j++)
            CHECK(isfinite(hsp_scaling_shift(back, j)) && isfinite(hsp_scaling_factor(back, j)));
        hsp_scaling_free(back);
    }
    CHECK(refused > 32); /* at least every byte of the four numbers */
    unlink(path);
    hsp_scaling_free(scaling);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static const char *memory_kind;

static hsp_status scale_some(hsp_context *ctx)
{
    hsp_context *safe = test_context(1, 0);
    test_recipe recipe = {.rows = 5, .cols = 3, .seed = 1, .density = 0.5};
    hsp_data *data = test_random(safe, &recipe, HSP_DENSE, HSP_FLOAT32), *out = NULL;
    hsp_options *options = test_options(safe, hsp_scale_options(), memory_kind);
    hsp_scaling *scaling = NULL;
    hsp_status status = hsp_scaling_fit(ctx, data, options, NULL, &scaling);
    CHECK((status == HSP_OK) == (scaling != NULL));
    if (!status) status = hsp_scaling_apply(ctx, scaling, data, NULL, &out);
    CHECK((status == HSP_OK) == (out != NULL));
    hsp_data_free(out);
    hsp_scaling_free(scaling);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(safe);
    return status;
}

/* Signs, bits, and each column by what it holds, in every storage; other rows later, too. */
static void test_votes(void)
{
    static const double x[] = {2, 1, -0.5, 0, /**/ -3, 0, 0.5, 1, /**/ 0, 1, 0, 0};
    static const double later[] = {-1, -1, 5, -7, /**/ 0.25, 0.25, -0.25, 0.25};
    static const struct {
        const char *settings, *kind;
        double want[12], want_later[8];
    } cases[] = {
        {"kind=sign", "sign", {1, 1, -1, 0, -1, 0, 1, 1, 0, 1, 0, 0}, {-1, -1, 1, -1, 1, 1, -1, 1}},
        {"kind=bit", "bit", {1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0}, {0, 0, 1, 0, 1, 1, 0, 1}},
        {"kind=votes", "votes", {1, 1, -1, 0, -1, 0, 1, 1, 0, 1, 0, 0}, {-1, 0, 1, 0, 1, 1, -1, 1}},
    };
    for (int c = 0; c < 3; c++)
        for (int storage = HSP_DENSE; storage <= HSP_SPARSE; storage++) {
            hsp_context *ctx = test_context(2, 0);
            hsp_data *data = test_build(ctx, x, 3, 4, NULL, 0, (hsp_storage)storage, HSP_FLOAT32);
            hsp_data *next =
                test_build(ctx, later, 2, 4, NULL, 0, (hsp_storage)storage, HSP_FLOAT32);
            hsp_scaling *scaling = fit(ctx, data, cases[c].settings);
            hsp_data *made = NULL, *made_next = NULL;
            CHECK_TEXT(hsp_scaling_kind(scaling), cases[c].kind);
            CHECK(!hsp__scaling_moves_zeros(scaling) && hsp__scaling_is_votes(scaling));
            CHECK(hsp_scaling_apply(ctx, scaling, data, NULL, &made) == HSP_OK);
            CHECK(hsp_scaling_apply(ctx, scaling, next, NULL, &made_next) == HSP_OK);
            CHECK(made->view.storage == (hsp_storage)storage);
            for (uint64_t k = 0; k < 12; k++)
                CHECK_NOTE(test_at(made, k / 4, k % 4) == cases[c].want[k], "%d %d", c, (int)k);
            for (uint64_t k = 0; k < 8; k++)
                CHECK_NOTE(test_at(made_next, k / 4, k % 4) == cases[c].want_later[k], "%d %d", c,
                           (int)k);
            for (uint64_t j = 0; j < 4; j++)
                CHECK(hsp__scaling_abstains(scaling, j) == (c == 0 || (c == 2 && j % 2 == 0)));
            hsp_data_free(data);
            hsp_data_free(next);
            hsp_data_free(made);
            hsp_data_free(made_next);
            hsp_scaling_free(scaling);
            hsp_context_free(ctx);
        }
}

/* When all columns are alike, votes is the kind of them all. */
static void test_votes_of_one_kind(void)
{
    static const double bits[] = {0, 1, 1, 1}, signs[] = {-1, 2, 1, 0};
    hsp_context *ctx = test_context(1, 0);
    hsp_data *of_bits = test_build(ctx, bits, 2, 2, NULL, 0, HSP_SPARSE, HSP_FLOAT32);
    hsp_data *of_signs = test_build(ctx, signs, 2, 2, NULL, 0, HSP_DENSE, HSP_FLOAT32);
    hsp_scaling *a = fit(ctx, of_bits, "kind=votes"), *b = fit(ctx, of_signs, "kind=votes");
    hsp_scaling *c = fit(ctx, of_signs, "kind=bit");
    CHECK_TEXT(hsp_scaling_kind(a), "bit");
    CHECK_TEXT(hsp_scaling_kind(b), "sign");
    CHECK(hsp__scaling_same(a, c) && !hsp__scaling_same(a, b) && !hsp__scaling_same(a, NULL));
    hsp_scaling_free(a);
    hsp_scaling_free(b);
    hsp_scaling_free(c);
    hsp_data_free(of_bits);
    hsp_data_free(of_signs);
    hsp_context_free(ctx);
}

static void test_memory_fails(void)
{
    const char *kinds[] = {"kind=standard", "kind=max-abs", "kind=unit-ball", "kind=unit-rows",
                           "kind=votes"};
    for (int k = 0; k < 5; k++) {
        memory_kind = kinds[k];
        test_no_memory(scale_some);
    }
}

int main(void)
{
    RUN(test_dense_columns);
    RUN(test_large_offset);
    RUN(test_constant_columns);
    RUN(test_rows_and_ball);
    RUN(test_same_bits);
    RUN(test_sparse_shift);
    RUN(test_ones);
    RUN(test_other_columns);
    RUN(test_named_columns);
    RUN(test_out_of_range);
    RUN(test_underflow);
    RUN(test_empty);
    RUN(test_files);
    RUN(test_damaged_files);
    RUN(test_votes);
    RUN(test_votes_of_one_kind);
    RUN(test_memory_fails);
    return check_done();
}
