/* Selecting rows: the rows asked for, in the order asked for, whatever the storage. */
#include "data/prepare.h"

static void test_rows_and_order(void)
{
    for (int threads = 1; threads <= 7; threads += 3) {
        hsp_context *ctx = test_context(threads, 0);
        for (int form = 0; form < TEST_FORMS; form++) {
            test_recipe recipe = {.rows = 200, .cols = 17, .seed = 3, .density = 0.3, .classes = 4};
            recipe.ones = test_forms[form].storage == HSP_ONES;
            hsp_data *data =
                test_random(ctx, &recipe, test_forms[form].storage, test_forms[form].precision);
            uint64_t rows[500];
            hsp__random random;
            hsp__random_seed(&random, 5, (uint64_t)form);
            for (int k = 0; k < 500; k++)
                rows[k] = hsp__random_below(&random, 200);
            hsp_data *some = NULL;
            CHECK(hsp_data_select(ctx, data, rows, 500, NULL, &some) == HSP_OK);
            CHECK(some && hsp_data_rows(some) == 500 && hsp_data_cols(some) == 17);
            CHECK(some && hsp_data_storage(some) == hsp_data_storage(data));
            CHECK(some && hsp_data_precision(some) == hsp_data_precision(data));
            uint64_t nonzeros = 0;
            for (uint64_t k = 0; some && k < 500; k++) {
                CHECK(some->view.labels[k] == data->view.labels[rows[k]]);
                for (uint64_t j = 0; j < 17; j++) {
                    CHECK(test_at(some, k, j) == test_at(data, rows[k], j));
                    nonzeros += test_at(some, k, j) != 0;
                }
            }
            CHECK(some && hsp_data_nonzeros(some) == nonzeros);
            CHECK(some && hsp_data_classes(some) == 4);
            CHECK(some && hsp_view_check(ctx, &some->view, NULL) == HSP_OK);
            hsp_data_free(some);
            hsp_data_free(data);
        }
        hsp_context_free(ctx);
    }
}

static void test_edges(void)
{
    hsp_context *ctx = test_context(2, 0);
    for (int form = 0; form < TEST_FORMS; form++) {
        test_recipe recipe = {.rows = 3, .cols = 4, .seed = 1, .density = 0.5, .ones = 1};
        hsp_data *data =
            test_random(ctx, &recipe, test_forms[form].storage, test_forms[form].precision);
        hsp_data *none = NULL, *wrong = NULL;
        CHECK(hsp_data_select(ctx, data, NULL, 0, NULL, &none) == HSP_OK);
        CHECK(none && hsp_data_rows(none) == 0 && hsp_data_cols(none) == 4);
        CHECK(none && hsp_data_nonzeros(none) == 0);
        const uint64_t beyond[] = {0, 3};
        hsp_error err = {0};
        CHECK(hsp_data_select(ctx, data, beyond, 2, &err, &wrong) == HSP_USAGE);
        CHECK(!wrong && strstr(err.message, "row 3"));
        hsp_data_free(none);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

static void test_names_stay(void)
{
    hsp_context *ctx = test_context(1, 0);
    const float x[] = {1, 2, 3, 4};
    const uint32_t labels[] = {1, 0};
    const char *const classes[] = {"no", "yes"}, *const features[] = {"age", "height"};
    const uint64_t second[] = {1};
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 2, 2, 2, x);
    view.labels = labels;
    view.classes = 2;
    hsp_data *data = NULL, *one = NULL;
    CHECK(hsp_data_copy(ctx, &view, classes, features, NULL, &data) == HSP_OK);
    CHECK(hsp_data_select(ctx, data, second, 1, NULL, &one) == HSP_OK);
    CHECK_TEXT(test_label(one, 0), "no");
    CHECK_TEXT(hsp_data_class_name(one, 1), "yes");
    CHECK_TEXT(hsp_data_feature_name(one, 1), "height");
    hsp_data_free(one);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static hsp_data *memory_data;

static hsp_status select_some(hsp_context *ctx)
{
    const uint64_t rows[] = {2, 0, 2};
    hsp_data *out = NULL;
    hsp_status status = hsp_data_select(ctx, memory_data, rows, 3, NULL, &out);
    CHECK((status == HSP_OK) == (out != NULL));
    hsp_data_free(out);
    return status;
}

static void test_memory_fails(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (int form = 0; form < TEST_FORMS; form++) {
        test_recipe recipe = {
            .rows = 5, .cols = 4, .seed = 1, .density = 0.5, .ones = 1, .classes = 2};
        memory_data = test_random(ctx, &recipe, test_forms[form].storage, HSP_FLOAT32);
        test_no_memory(select_some);
        hsp_data_free(memory_data);
    }
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_rows_and_order);
    RUN(test_edges);
    RUN(test_names_stay);
    RUN(test_memory_fails);
    return check_done();
}
