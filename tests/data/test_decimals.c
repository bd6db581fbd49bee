/* The numbers of a file read again: decimals compared by value, and what a summary says of rows and
 * columns that are equal in memory only. */
#include <unistd.h>

#include "data/decimals.h"
#include "data/helpers.h"

/* ---- One number ---- */

static int same(const char *a, const char *b)
{
    const hsp__decimal_value x = hsp__decimal_value_of(a, strlen(a));
    const hsp__decimal_value y = hsp__decimal_value_of(b, strlen(b));
    CHECK(hsp__decimal_value_same(&x, &y) == hsp__decimal_value_same(&y, &x));
    return hsp__decimal_value_same(&x, &y);
}

static void test_values(void)
{
    static const char *const equal[][2] = {
        {"1.50", "15e-1"},     {"0", "-0.000e99"},   {"100", "1e2"},
        {"+7", "007."},        {"0.00012", "12e-5"}, {".5", "5E-1"},
        {"-120.0", "-0.12e3"}, {"1e400", "10e399"},  {"1e-400", "0.1e-399"}};
    static const char *const different[][2] = {{"1", "-1"},
                                               {"1", "10"},
                                               {"0", "1e-99999999999999999999"},
                                               {"0.1", "0.01"},
                                               {"1e-400", "2e-400"},
                                               {"100000000000000001", "100000000000000002"},
                                               {"0.1", "0.1000000000000000055511151231257827"},
                                               {"12", "1.2"}};
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
        CHECK_NOTE(same(equal[i][0], equal[i][1]), "%s", equal[i][0]);
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        CHECK_NOTE(!same(different[i][0], different[i][1]), "%s", different[i][0]);
}

/* ---- Summaries ---- */

typedef struct figures {
    uint64_t duplicate_rows, contradictory_rows, empty_rows, nonzeros;
    uint64_t duplicate_columns, constant_columns, empty_columns;
} figures;

static void check_file(const char *text, const char *const *settings, const figures *expected)
{
    hsp_context *ctx = test_context(2, 64); /* small blocks: records are cut where they end */
    hsp_options *options = test_read_options(ctx, settings);
    hsp_data *data = NULL;
    hsp_summary *summary = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/hsp_decimals_%d", (int)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(hsp_data_read(ctx, path, options, NULL, NULL, &data) == HSP_OK);
    CHECK(hsp_summary_new(ctx, data, NULL, &summary) == HSP_OK);
    CHECK(!hsp_summary_totals(summary)->exact);
    CHECK(hsp_summary_confirm(ctx, summary, data, path, options, NULL) == HSP_OK);
    const hsp_totals *all = hsp_summary_totals(summary);
    const figures found = {all->duplicate_rows, all->contradictory_rows, all->empty_rows,
                           all->nonzeros,       all->duplicate_columns,  all->constant_columns,
                           all->empty_columns};
    CHECK(all->exact && memcmp(&found, expected, sizeof found) == 0);
    file = fopen(path, "a");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    hsp_summary_free(summary);
    CHECK(hsp_summary_new(ctx, data, NULL, &summary) == HSP_OK);
    hsp_error err = {0};
    CHECK(hsp_summary_confirm(ctx, summary, data, path, options, &err) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "changed"));
    unlink(path);
    hsp_summary_free(summary);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(ctx);
}

static void test_rows_equal_in_memory_only(void)
{
    static const char *const single[] = {"format=csv", "precision=single", "label=y", NULL};
    static const char *const twice[] = {"format=csv", "precision=double", "label=y", NULL};
    /* rows 1 and 3 are equal, rows 1 and 2 in a float alone */
    const char *text = "t,y\n1700000001,a\n1700000002,b\n1700000001.0,b\n1,a\n";
    check_file(text, single,
               &(figures){.duplicate_rows = 1, .contradictory_rows = 2, .nonzeros = 4});
    text = "t,y\n100000000000000001,a\n100000000000000002,b\n1e17,a\n10e16,a\n";
    check_file(text, twice, &(figures){.duplicate_rows = 1, .nonzeros = 4});
}

static void test_columns_equal_in_memory_only(void)
{
    static const char *const csv[] = {"format=csv", "precision=double", "label=y", "categorical=k",
                                      NULL};
    /* a: constant in memory alone; b, c: equal, and constant; d: c to 16 digits; k: as b = 1 */
    const char *text = "a,b,c,d,k,y\n"
                       "1.00000000000000001,1,1.0,1,u,p\n"
                       "1,1.0,1,1.00000000000000002,u,q\n";
    check_file(text, csv,
               &(figures){.nonzeros = 10, .constant_columns = 3, .duplicate_columns = 0});
    text = "a,b,c,d,k,y\n"
           "2.00000000000000001,2,2.0,2,u,p\n"
           "1,1.0,1,1,v,q\n";
    check_file(text, csv, &(figures){.nonzeros = 10, .duplicate_columns = 2});
}

static void test_numbers_that_become_zero(void)
{
    static const char *const libsvm[] = {"format=libsvm", NULL};
    check_file("p 1:1e-400 2:0.0\nq 1:2e-400\np 1:3\np\n", libsvm,
               &(figures){.nonzeros = 3, .empty_rows = 1, .empty_columns = 1});
    check_file("p 1:1e-400 # one\n\n# none\nq 1:10e-401\r\nq 1:2\n", libsvm,
               &(figures){.nonzeros = 3, .duplicate_rows = 1, .contradictory_rows = 2});
}

static void test_rows_that_are_left_out(void)
{
    static const char *const csv[] = {"format=csv", "missing=drop", "label=y", "precision=double",
                                      NULL};
    check_file("a,b,y\n?,123456789012345678,p\n123456789012345678,1,p\n"
               "\"123456789012345679\",1,q\n123456789012345679,1,q\n",
               csv, &(figures){.nonzeros = 6, .duplicate_rows = 1, .constant_columns = 1});
}

static void test_gaps_filled_with_means(void)
{
    static const char *const csv[] = {"format=csv", "missing=mean", "label=y", "precision=double",
                                      NULL};
    /* the mean of a is 2: the first two rows are equal */
    check_file("a,b,y\n?,1,p\n2,1,p\n1,1,p\n3,1.00000000000000001,p\n", csv,
               &(figures){.nonzeros = 8, .duplicate_rows = 1});
}

int main(void)
{
    RUN(test_values);
    RUN(test_rows_equal_in_memory_only);
    RUN(test_columns_equal_in_memory_only);
    RUN(test_numbers_that_become_zero);
    RUN(test_rows_that_are_left_out);
    RUN(test_gaps_filled_with_means);
    return check_done();
}
