/* Classes relabelled. */
#include "data/helpers.h"

static const char three[] = "a 1:1\nb 1:2\nc 1:3\na 1:4\nb 2:5\n";

static void some_classes_in_another_order(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = test_parse(ctx, three, NULL, NULL), *kept = NULL;
    const char *const keep[] = {"c", "a"};
    CHECK(hsp_data_relabel(ctx, data, keep, 2, NULL, NULL, &kept) == HSP_OK);
    CHECK(hsp_data_rows(kept) == 3 && hsp_data_classes(kept) == 2 && hsp_data_cols(kept) == 2);
    CHECK_TEXT(hsp_data_class_name(kept, 0), "c");
    CHECK_TEXT(hsp_data_class_name(kept, 1), "a");
    CHECK_TEXT(test_label(kept, 0), "a");
    CHECK_TEXT(test_label(kept, 1), "c");
    CHECK(test_at(kept, 0, 0) == 1 && test_at(kept, 1, 0) == 3 && test_at(kept, 2, 0) == 4);
    CHECK(hsp_data_rows(data) == 5 && hsp_data_classes(data) == 3);
    hsp_data_free(kept);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void one_against_the_rest(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, three, NULL, NULL), *two = NULL;
    CHECK(hsp_data_relabel(ctx, data, NULL, 0, "b", NULL, &two) == HSP_OK);
    CHECK(hsp_data_rows(two) == 5 && hsp_data_classes(two) == 2);
    CHECK_TEXT(hsp_data_class_name(two, 0), "rest");
    CHECK_TEXT(hsp_data_class_name(two, 1), "b");
    for (uint64_t i = 0; i < 5; i++)
        CHECK(two->view.labels[i] == (strcmp(test_label(data, i), "b") == 0));
    hsp_data_free(two);
    two = NULL;
    const char *const keep[] = {"b", "c"};
    CHECK(hsp_data_relabel(ctx, data, keep, 2, "c", NULL, &two) == HSP_OK);
    CHECK(hsp_data_rows(two) == 3);
    CHECK_TEXT(test_label(two, 1), "c");
    CHECK_TEXT(test_label(two, 2), "rest");
    hsp_data_free(two);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void labels_are_found_by_value(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, "-1 1:1\n+1 1:2\n", NULL, NULL), *two = NULL;
    CHECK(hsp_data_relabel(ctx, data, NULL, 0, "+1", NULL, &two) == HSP_OK);
    CHECK(two->view.labels[0] == 0 && two->view.labels[1] == 1);
    hsp_data_free(two);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void wrong_names_are_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, three, NULL, NULL), *kept = NULL;
    hsp_data *rest = test_parse(ctx, "rest 1:1\nx 1:2\n", NULL, NULL);
    const char *const unknown[] = {"a", "z"}, *const twice[] = {"a", "a"}, *const one[] = {"a"};
    hsp_error err = {0};
    CHECK(hsp_data_relabel(ctx, data, unknown, 2, NULL, &err, &kept) == HSP_USAGE);
    CHECK(strstr(err.message, "'z'"));
    CHECK(hsp_data_relabel(ctx, data, twice, 2, NULL, &err, &kept) == HSP_USAGE);
    CHECK(hsp_data_relabel(ctx, data, one, 1, "b", &err, &kept) == HSP_USAGE);
    CHECK(hsp_data_relabel(ctx, data, NULL, 0, "nan", &err, &kept) == HSP_USAGE);
    CHECK(hsp_data_relabel(ctx, rest, NULL, 0, "rest", &err, &kept) == HSP_USAGE);
    CHECK(kept == NULL);
    hsp_data_free(rest);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(some_classes_in_another_order);
    RUN(one_against_the_rest);
    RUN(labels_are_found_by_value);
    RUN(wrong_names_are_refused);
    return check_done();
}
