/* Changing storage and precision: the numbers stay, and what cannot stay is refused by place. */
#include "data/prepare.h"

#include "data/formats.h"

static hsp_status restore(hsp_context *ctx, hsp_data *data, const char *settings, hsp_error *err,
                          hsp_data **out)
{
    hsp_options *options = test_options(ctx, hsp_read_options(), settings);
    hsp_status status = hsp__data_apply_storage(ctx, NULL, data, options, err, out);
    hsp_options_free(options);
    return status;
}

static void test_every_change(void)
{
    const char *settings[TEST_FORMS] = {
        "storage=dense precision=single", "storage=dense precision=double",
        "storage=sparse precision=single", "storage=sparse precision=double",
        "storage=ones precision=single"};
    const uint64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {700, 23}};
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
        for (int from = 0; from < TEST_FORMS; from++)
            for (int to = 0; to < TEST_FORMS; to++) {
                hsp_context *ctx = test_context(1 + from, 0);
                int ones = from == 4 || to == 4;
                test_recipe recipe = {.rows = shapes[shape][0],
                                      .cols = shapes[shape][1],
                                      .seed = 2,
                                      .density = 0.2,
                                      .ones = ones,
                                      .classes = 3};
                hsp_data *data =
                    test_random(ctx, &recipe, test_forms[from].storage, test_forms[from].precision);
                hsp_data *other = NULL;
                CHECK(restore(ctx, data, settings[to], NULL, &other) == HSP_OK);
                CHECK(other && (other == data) == (from == to));
                CHECK(other && hsp_data_storage(other) == test_forms[to].storage);
                CHECK(other && hsp_data_precision(other) == test_forms[to].precision);
                CHECK(other && test_same(data, other, 0));
                CHECK(other && hsp_view_check(ctx, &other->view, NULL) == HSP_OK);
                if (other != data) hsp_data_free(other);
                hsp_data_free(data);
                hsp_context_free(ctx);
            }
}

static void test_kept_unless_asked(void)
{
    hsp_context *ctx = test_context(1, 0);
    test_recipe recipe = {.rows = 4, .cols = 3, .seed = 1, .density = 0.5};
    hsp_data *data = test_random(ctx, &recipe, HSP_SPARSE, HSP_FLOAT64), *same = NULL;
    CHECK(restore(ctx, data, "", NULL, &same) == HSP_OK && same == data);
    CHECK(restore(ctx, data, "storage=auto", NULL, &same) == HSP_OK && same == data);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* The first offender in the order of the rows is named, on any number of threads. */
static void test_refused_by_place(void)
{
    const int threads[] = {1, 2, 7};
    for (int k = 0; k < 3; k++) {
        hsp_context *ctx = test_context(threads[k], 0);
        double *x = calloc(60000 * 2, sizeof *x);
        x[2 * 41234 + 1] = 1e39;
        x[2 * 50000] = -1e300;
        x[2 * 3] = 1;
        for (int sparse = 0; sparse < 2; sparse++) {
            hsp_error err = {0};
            hsp_data *data =
                test_build(ctx, x, 60000, 2, NULL, 0, sparse ? HSP_SPARSE : HSP_DENSE, HSP_FLOAT64);
            hsp_data *out = NULL;
            CHECK(restore(ctx, data, "precision=single", &err, &out) == HSP_BAD_DATA);
            CHECK(!out && strstr(err.message, "row 41235, column 2"));
            CHECK(restore(ctx, data, "storage=ones", &err, &out) == HSP_USAGE);
            CHECK(!out && strstr(err.message, "row 41235, column 2") &&
                  strstr(err.message, "1e+39"));
            hsp_data_free(data);
        }
        free(x);
        hsp_context_free(ctx);
    }
}

/* To single: nearest, ties to even; what vanishes is no longer stored; what rounds to 1 is 1. */
static void test_rounding(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double x[] = {0.1, 1 + 0x1p-24, 1e-60, 0x1.fffffefp127, 1 - 0x1p-30, -0.0};
    hsp_data *data = test_build(ctx, x, 1, 6, NULL, 0, HSP_SPARSE, HSP_FLOAT64), *out = NULL;
    CHECK(restore(ctx, data, "precision=single", NULL, &out) == HSP_OK);
    CHECK(out && hsp_data_nonzeros(out) == 4 && hsp_view_stored(&out->view) == 4);
    CHECK(out && test_at(out, 0, 0) == (double)0.1f && test_at(out, 0, 1) == 1);
    CHECK(out && test_at(out, 0, 3) == (double)3.40282347e38f && test_at(out, 0, 4) == 1);
    hsp_data_free(out);
    hsp_data_free(data);
    const double halfway[] = {0x1.ffffffp127};
    data = test_build(ctx, halfway, 1, 1, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    out = NULL;
    CHECK(restore(ctx, data, "precision=single", NULL, &out) == HSP_BAD_DATA && !out);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static const char *memory_settings;

static hsp_status restore_some(hsp_context *ctx)
{
    hsp_context *safe = test_context(1, 0);
    test_recipe recipe = {.rows = 4, .cols = 3, .seed = 1, .density = 0.5, .ones = 1, .classes = 2};
    hsp_data *data = test_random(safe, &recipe, HSP_SPARSE, HSP_FLOAT64), *out = NULL;
    hsp_options *options = test_options(safe, hsp_read_options(), memory_settings);
    hsp_status status = hsp__data_apply_storage(ctx, NULL, data, options, NULL, &out);
    CHECK((status == HSP_OK) == (out != NULL));
    hsp_data_free(out);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(safe);
    return status;
}

static void test_memory_fails(void)
{
    const char *settings[] = {"storage=dense", "storage=ones", "precision=single"};
    for (int k = 0; k < 3; k++) {
        memory_settings = settings[k];
        test_no_memory(restore_some);
    }
}

static int stop(void *user, const hsp_progress *progress)
{
    (void)progress;
    return ++*(int *)user > 1;
}

static void test_cancelled(void)
{
    hsp_context *ctx = test_context(2, 0);
    int calls = 0;
    test_recipe recipe = {.rows = 200000, .cols = 8, .seed = 1, .density = 0.5};
    hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32), *out = NULL;
    hsp_context_set_progress(ctx, stop, &calls);
    CHECK(restore(ctx, data, "precision=double", NULL, &out) == HSP_CANCELLED);
    CHECK(!out && calls == 2);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_every_change);
    RUN(test_kept_unless_asked);
    RUN(test_refused_by_place);
    RUN(test_rounding);
    RUN(test_memory_fails);
    RUN(test_cancelled);
    return check_done();
}
