/* Views borrow a caller's arrays; the check finds whatever is wrong with them. */
#include "data/helpers.h"

#include <math.h>

static const float dense[] = {1, 2, 99, 3, 4, 99};
static const uint32_t indices[] = {0, 2, 1};
static const float values[] = {5, 6, 7};
static const uint64_t starts[] = {0, 2, 2, 3};
static const uint32_t narrow[] = {0, 2, 2, 3};

static hsp_status check(const hsp_view *view, hsp_error *err)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_status status = hsp_view_check(ctx, view, err);
    hsp_context_free(ctx);
    return status;
}

static void test_borrowed(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_view views[] = {
        hsp_view_dense(HSP_FLOAT32, 2, 2, 3, dense),
        hsp_view_sparse(HSP_FLOAT32, 3, 3, 8, starts, indices, values),
        hsp_view_sparse(HSP_FLOAT32, 3, 3, 4, narrow, indices, values),
        hsp_view_sparse(HSP_FLOAT32, 3, 3, 4, narrow, indices, NULL),
        hsp_view_dense(HSP_FLOAT64, 0, 0, 0, NULL),
    };
    CHECK(hsp_view_stored(&views[0]) == 4 && hsp_view_stored(&views[2]) == 3);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        hsp_error err = {0};
        hsp_data *copy = NULL;
        CHECK_NOTE(check(&views[i], &err) == HSP_OK, "view %zu: %s", i, err.message);
        CHECK(hsp_data_copy(ctx, &views[i], NULL, NULL, &err, &copy) == HSP_OK);
        if (!copy) continue;
        CHECK(copy->view.values != views[i].values || !views[i].values);
        if (i == 0) CHECK(test_at(copy, 1, 0) == 3 && test_at(copy, 1, 1) == 4);
        if (i == 1 || i == 2) CHECK(test_at(copy, 0, 2) == 6 && test_at(copy, 2, 1) == 7);
        if (i == 3) CHECK(test_at(copy, 0, 2) == 1 && hsp_data_storage(copy) == HSP_ONES);
        hsp_data_free(copy);
    }
    hsp_context_free(ctx);
}

/* A slice of larger arrays: offsets need not begin at 0. */
static void test_slice(void)
{
    hsp_view tail = hsp_view_sparse(HSP_FLOAT32, 1, 3, 8, starts + 2, indices, values);
    hsp_context *ctx = test_context(1, 0);
    hsp_data *copy = NULL;
    CHECK(check(&tail, NULL) == HSP_OK && hsp_view_stored(&tail) == 1);
    CHECK(hsp_data_copy(ctx, &tail, NULL, NULL, NULL, &copy) == HSP_OK);
    CHECK(copy && test_at(copy, 0, 1) == 7 && copy->nonzeros == 1);
    hsp_data_free(copy);
    hsp_context_free(ctx);
}

/* Zeros that a caller stored are no non-zeros of the copy. */
static void test_stored_zeros(void)
{
    const float some[] = {5, 0, 7};
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, 3, 3, 8, starts, indices, some);
    hsp_context *ctx = test_context(1, 0);
    hsp_data *copy = NULL;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &copy) == HSP_OK);
    CHECK(copy && copy->nonzeros == 2 && test_at(copy, 0, 0) == 5 && test_at(copy, 2, 1) == 7);
    hsp_data_free(copy);
    hsp_context_free(ctx);
}

static void expect_bad(const hsp_view *view, const char *says)
{
    hsp_error err = {0};
    CHECK_NOTE(check(view, &err) == HSP_BAD_DATA, "%s", says);
    CHECK_NOTE(strstr(err.message, says) != NULL, "'%s' is not in '%s'", says, err.message);
}

static void test_unsound(void)
{
    const uint64_t descending[] = {0, 2, 1, 3}, past[] = {0, 2, 9, 3};
    const uint32_t twice[] = {0, 0, 1}, wide[] = {0, 3, 1}, labels[] = {0, 1, 2};
    const float bad[] = {5, INFINITY, 7}, worse[] = {1, 2, 0, NAN, 4, 0};
    hsp_view good = hsp_view_sparse(HSP_FLOAT32, 3, 3, 8, starts, indices, values), view = good;
    view.starts = descending;
    expect_bad(&view, "offsets are not ascending");
    view.starts = past;
    expect_bad(&view, "offsets are not ascending");
    view = good;
    view.indices = twice;
    expect_bad(&view, "row 1: its column indices are not ascending");
    view.indices = wide;
    expect_bad(&view, "column index 3 of 3");
    view = good;
    view.values = bad;
    expect_bad(&view, "row 1, column 3: the value is infinite");
    view = good;
    view.labels = labels;
    view.classes = 2;
    expect_bad(&view, "row 3: its label is class 2 of 2");
    view = good;
    view.starts_bytes = 2;
    expect_bad(&view, "offsets of 2 bytes");
    view = good;
    view.cols = (uint64_t)1 << 33;
    expect_bad(&view, "columns");
    view = good;
    view.indices = NULL;
    expect_bad(&view, "without indices");
    view = hsp_view_dense(HSP_FLOAT32, 2, 2, 3, worse);
    expect_bad(&view, "row 2, column 1: the value is NaN");
    view = hsp_view_dense(HSP_FLOAT32, 2, 3, 2, dense);
    expect_bad(&view, "stride");
    view = hsp_view_dense(HSP_FLOAT32, 2, 2, 2, NULL);
    expect_bad(&view, "without values");
}

/* The first bad row is the one named, whatever the threads. */
static void test_first_bad_row(void)
{
    static float many[300000];
    many[299990] = NAN;
    many[123456] = NAN;
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 300000, 1, 1, many);
    for (int threads = 1; threads < 8; threads += 3) {
        hsp_context *ctx = test_context(threads, 0);
        hsp_error err = {0};
        CHECK(hsp_view_check(ctx, &view, &err) == HSP_BAD_DATA);
        CHECK(strstr(err.message, "row 123457,") != NULL);
        hsp_context_free(ctx);
    }
}

static void test_names_must_differ(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 2, 2, 3, dense);
    const char *const same[] = {"x", "x"};
    hsp_data *copy = NULL;
    hsp_error err = {0};
    CHECK(hsp_data_copy(ctx, &view, NULL, same, &err, &copy) == HSP_USAGE && !copy);
    CHECK(strstr(err.message, "'x' appears twice") != NULL);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_borrowed);
    RUN(test_slice);
    RUN(test_stored_zeros);
    RUN(test_unsound);
    RUN(test_first_bad_row);
    RUN(test_names_must_differ);
    return check_done();
}
