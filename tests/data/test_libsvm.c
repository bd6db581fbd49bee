/* Reading libsvm text: what each rule says, errors with their places, and that neither threads nor
 * the cutting into blocks can be seen in the result. */
#include "data/helpers.h"

#include <math.h>

#include "base/random.h"

static hsp_data *parse(const char *text, hsp_error *err)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, text, (const char *const[]){"format=libsvm", NULL}, err);
    hsp_context_free(ctx);
    return data;
}

static void test_plain(void)
{
    hsp_data *data = parse("+1 1:0.5 3:-2e-1\n-1 2:7 4:1\n", NULL);
    CHECK(data != NULL);
    if (!data) return;
    CHECK(hsp_data_rows(data) == 2 && hsp_data_cols(data) == 4 && hsp_data_nonzeros(data) == 4);
    CHECK(hsp_data_classes(data) == 2);
    CHECK_TEXT(hsp_data_class_name(data, 0), "-1");
    CHECK_TEXT(hsp_data_class_name(data, 1), "1");
    CHECK_TEXT(test_label(data, 0), "1");
    CHECK(test_at(data, 0, 0) == 0.5);
    CHECK(test_at(data, 0, 2) == (double)-0.2f);
    CHECK(test_at(data, 1, 1) == 7 && test_at(data, 1, 3) == 1);
    CHECK(test_at(data, 1, 0) == 0);
    hsp_data_free(data);
}

static void test_odd_but_fine(void)
{
    const char *text = "# a comment line\r\n"
                       "\n"
                       "yes\t1:1 \t 2:.5  # trailing 3:9\r\n"
                       "   no 3:+1.5E+0\n"
                       " \t \n"
                       "no\n"
                       "yes qid:7 2:0 5:0.0\n"
                       "maybe 1:1#x\n"
                       "no 1:007";
    hsp_data *data = parse(text, NULL);
    CHECK(data != NULL);
    if (!data) return;
    CHECK(hsp_data_rows(data) == 6);
    CHECK(hsp_data_cols(data) == 5); /* a zero's column counts */
    CHECK(hsp_data_nonzeros(data) == 5);
    CHECK(hsp_data_classes(data) == 3);
    CHECK_TEXT(hsp_data_class_name(data, 0), "maybe");
    CHECK_TEXT(hsp_data_class_name(data, 2), "yes");
    CHECK_TEXT(test_label(data, 5), "no");
    CHECK(test_at(data, 0, 1) == 0.5 && test_at(data, 1, 2) == 1.5 && test_at(data, 5, 0) == 7);
    hsp_data_free(data);
}

static void test_labels_are_names(void)
{
    hsp_data *data = parse("1.0\n+1\n1e0\n-0\n0\n10\n9\nb\na\n0.25\n", NULL);
    CHECK(data && hsp_data_classes(data) == 7);
    if (!data) return;
    const char *expected[] = {"0", "0.25", "1", "9", "10", "a", "b"};
    for (uint32_t c = 0; c < 7; c++)
        CHECK_TEXT(hsp_data_class_name(data, c), expected[c]);
    hsp_data_free(data);
}

/* Whole numbers of any length stay apart; a mark at the beginning of the text is no label's. */
static void test_long_labels(void)
{
    hsp_data *data = parse("\xef\xbb\xbf"
                           "9007199254740993\n+09007199254740992\n-9007199254740993\n"
                           "9007199254740992\n",
                           NULL);
    CHECK(data && hsp_data_classes(data) == 3);
    if (!data) return;
    CHECK_TEXT(test_label(data, 0), "9007199254740993");
    CHECK_TEXT(test_label(data, 1), "9007199254740992");
    CHECK_TEXT(test_label(data, 2), "-9007199254740993");
    CHECK_TEXT(test_label(data, 3), "9007199254740992");
    hsp_data_free(data);
}

/* Columns that were asked for count when dense or sparse is chosen. */
static void test_many_features_asked_for(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, "1 1:1 2:2\n0 1:3 2:4\n",
                                (const char *const[]){"features=4294967296", NULL}, NULL);
    CHECK(data && hsp_data_storage(data) == HSP_SPARSE && test_at(data, 1, 1) == 4);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_empty(void)
{
    const char *texts[] = {"", "\n", "# only\n", "\r\n\r\n"};
    for (size_t i = 0; i < 4; i++) {
        hsp_data *data = parse(texts[i], NULL);
        CHECK(data && hsp_data_rows(data) == 0 && hsp_data_cols(data) == 0);
        CHECK(data && hsp_data_classes(data) == 0);
        hsp_data_free(data);
    }
}

static void test_storage(void)
{
    hsp_data *ones = parse("1 7:1 900:1\n0 5:1.0\n", NULL);
    CHECK(ones && hsp_data_storage(ones) == HSP_ONES);
    hsp_data_free(ones);
    hsp_data *sparse = parse("1 7:1 900:1\n0 5:1.5\n", NULL);
    CHECK(sparse && hsp_data_storage(sparse) == HSP_SPARSE);
    hsp_data_free(sparse);
    hsp_data *dense = parse("1 1:1 2:5\n0 1:1.5 2:3\n", NULL);
    CHECK(dense && hsp_data_storage(dense) == HSP_DENSE);
    hsp_data_free(dense);
    hsp_context *ctx = test_context(2, 0);
    const char *kinds[] = {"storage=dense", "storage=sparse", "storage=ones"};
    for (int i = 0; i < 3; i++) {
        hsp_data *data =
            test_parse(ctx, "1 1:1 3:1\n0 2:1\n", (const char *const[]){kinds[i], NULL}, NULL);
        CHECK(data && hsp_data_storage(data) == (hsp_storage)i);
        CHECK(data && test_at(data, 0, 2) == 1 && test_at(data, 1, 0) == 0);
        hsp_data_free(data);
    }
    hsp_error err = {0};
    CHECK(!test_parse(ctx, "1 1:1 3:2\n", (const char *const[]){"storage=ones", NULL}, &err));
    CHECK(err.status == HSP_USAGE);
    hsp_context_free(ctx);
}

static void test_index_base(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *text = "1 1:5 2:6\n1 0:4 2:3\n";
    hsp_data *data = test_parse(ctx, text, NULL, NULL);
    CHECK(data && hsp_data_cols(data) == 3 && test_at(data, 0, 1) == 5 && test_at(data, 1, 0) == 4);
    hsp_data_free(data);
    data = test_parse(ctx, "1 1:5\n", (const char *const[]){"index-base=0", NULL}, NULL);
    CHECK(data && hsp_data_cols(data) == 2 && test_at(data, 0, 1) == 5);
    hsp_data_free(data);
    /* an index 0 counts though its value is zero and is not stored */
    data = test_parse(ctx, "1 1:5\n1 0:0 1:2\n", NULL, NULL);
    CHECK(data && hsp_data_cols(data) == 2 && test_at(data, 0, 1) == 5 && test_at(data, 0, 0) == 0);
    hsp_data_free(data);
    hsp_error err = {0};
    CHECK(!test_parse(ctx, "1 0:1 0:2\n", NULL, &err) && err.column == 7);
    CHECK(!test_parse(ctx, text, (const char *const[]){"index-base=1", NULL}, &err));
    CHECK(err.status == HSP_BAD_DATA && err.line == 2 && err.column == 3);
    data = test_parse(ctx, "1 4294967295:5\n", NULL, NULL);
    CHECK(data && hsp_data_cols(data) == 4294967295u && test_at(data, 0, 4294967294u) == 5);
    hsp_data_free(data);
    data = test_parse(ctx, "1 0:2 4294967295:5\n", NULL, NULL);
    CHECK(data && hsp_data_cols(data) == 4294967296u && test_at(data, 0, 4294967295u) == 5);
    hsp_data_free(data);
    data = test_parse(ctx, "1 2:5\n", (const char *const[]){"features=9", NULL}, NULL);
    CHECK(data && hsp_data_cols(data) == 9);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_errors(void)
{
    static const struct {
        const char *text;
        uint64_t line, column;
        const char *says;
    } cases[] = {
        {"1 1:2\n1 3:4 2:1\n", 2, 7,
         "found '2:1', expected an index above 3 (indices ascend within a row)"},
        {"1 3:4 3:1\n", 1, 7, "found '3:1', expected each index once per row (3 appears twice)"},
        {"1 1:nan\n", 1, 5, "found 'nan', expected a finite decimal number"},
        {"1 1:-inf\n", 1, 5, "found '-inf', expected a finite decimal number"},
        {"1 1:1e309\n", 1, 5, "found '1e309', expected a number below 1.8e308"},
        {"1 1:2x 2:1\n", 1, 5, "found '2x', expected a finite decimal number"},
        {"1 1:0x10\n", 1, 5, "found '0x10', expected a finite decimal number"},
        {"1 1:\n", 1, 5, "found the end of the line, expected a finite decimal number"},
        {"1 1: 2:3\n", 1, 5, "found the end of the token, expected a finite decimal number"},
        {"1 1\n", 1, 4, "found the end of the line, expected ':' and a value after the index"},
        {"1 1;2:3\n", 1, 4, "found ';2:3', expected ':' and a value after the index"},
        {"1 x:2\n", 1, 3, "found 'x:2', expected index:value, a feature's number and its value"},
        {"1 -1:2\n", 1, 3, "found '-1:2', expected index:value, a feature's number and its value"},
        {"1 4294967296:2\n", 1, 3, "found '4294967296:2', expected an index of at most 4294967295"},
        {"1 99999999999999999999999:2\n", 1, 3,
         "found '99999999999999999999999:2', expected an index of at most 4294967295"},
        {"\n\n1:2 2:3\n", 3, 1, "found '1:2', expected a label first, then index:value pairs"},
        {"nan 1:2\n", 1, 1, "found 'nan', expected a label that is a finite number or a word"},
        {"1 1:2\r3:4\n", 1, 6,
         "found a carriage return inside a line, expected it only at the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_error err = {0};
        hsp_data *data = parse(cases[i].text, &err);
        CHECK_NOTE(!data && err.status == HSP_BAD_DATA, "case %zu", i);
        CHECK_NOTE(err.line == cases[i].line && err.column == cases[i].column,
                   "case %zu: %llu:%llu", i, (unsigned long long)err.line,
                   (unsigned long long)err.column);
        CHECK_TEXT(err.message, cases[i].says);
        CHECK_TEXT(err.file, "test");
        hsp_data_free(data);
    }
}

static void test_first_error_wins(void)
{
    /* Two bad lines: whatever the threads and blocks, the first is the one reported. */
    char text[4096] = "";
    for (int i = 1; i <= 200; i++)
        strcat(text, i == 77 || i == 78 || i == 160 ? "1 1:bad\n" : "1 1:2 3:4\n");
    for (int threads = 1; threads <= 7; threads += 3)
        for (size_t block = 1; block < 200; block += 13) {
            hsp_context *ctx = test_context(threads, block);
            hsp_error err = {0};
            CHECK(!test_parse(ctx, text, NULL, &err));
            CHECK_NOTE(err.line == 77 && err.column == 5, "threads %d, block %zu: line %llu",
                       threads, block, (unsigned long long)err.line);
            hsp_context_free(ctx);
        }
}

/* A text that passes through every turn of the row store: dense at first, wider later, then sparse,
 * ones among values, and an index 0 late. */
static size_t make_varied(char *text, size_t room, uint64_t seed, int zero_late)
{
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    size_t used = 0;
    int lines = 3 + (int)hsp__random_below(&random, 20);
    for (int i = 0; i < lines && used + 400 < room; i++) {
        const char *labels[] = {"+1", "-1", "spam", "7.50"};
        used += (size_t)sprintf(text + used, "%s", labels[hsp__random_below(&random, 4)]);
        int width = i < lines / 2 ? 4 : 12;
        int index = zero_late && i == lines - 2 ? 0 : 1;
        for (int j = 0; j < width; j++) {
            int value = (int)hsp__random_below(&random, 4);
            if (value)
                used += (size_t)sprintf(text + used, " %d:%g", index, value == 1 ? 1 : value / 7.);
            index += 1 + (int)hsp__random_below(&random, i < lines / 2 ? 1 : 3);
        }
        used += (size_t)sprintf(text + used, hsp__random_below(&random, 8) ? "\n" : "\r\n");
    }
    if (hsp__random_below(&random, 2)) used--; /* no newline at the end */
    return used;
}

static void test_blocks_and_threads(void)
{
    static char text[16384];
    for (uint64_t seed = 1; seed <= 12; seed++) {
        size_t size = make_varied(text, sizeof text, seed, seed % 3 == 0);
        const char *precision = seed % 2 ? "precision=single" : "precision=double";
        const char *const settings[] = {"format=libsvm", precision, NULL};
        hsp_context *whole = test_context(1, 0);
        hsp_error err = {0};
        hsp_data *expected = test_parse_sized(whole, text, size, settings, &err);
        CHECK_NOTE(expected != NULL, "%s", err.message);
        for (size_t block = 1; expected && block <= size + 1; block++) {
            static const int threads[] = {1, 2, 7};
            hsp_context *ctx = test_context(threads[block % 3], block);
            hsp_data *data = test_parse_sized(ctx, text, size, settings, &err);
            CHECK_NOTE(data && test_same(expected, data, 1), "seed %d, block %zu", (int)seed,
                       block);
            hsp_data_free(data);
            hsp_context_free(ctx);
        }
        hsp_data_free(expected);
        hsp_context_free(whole);
    }
}

static void test_storages_agree(void)
{
    static char text[16384];
    for (uint64_t seed = 20; seed < 60; seed++) {
        size_t size = make_varied(text, sizeof text, seed, seed % 3 == 0);
        hsp_context *ctx = test_context(2, 64);
        hsp_data *first = test_parse_sized(ctx, text, size, NULL, NULL);
        static const char *const kinds[] = {"storage=dense", "storage=sparse"};
        for (int i = 0; i < 2; i++) {
            hsp_data *data =
                test_parse_sized(ctx, text, size, (const char *const[]){kinds[i], NULL}, NULL);
            CHECK(first && data && test_same(first, data, 0));
            CHECK(data && hsp_data_storage(data) == (hsp_storage)i);
            CHECK(data && hsp_view_check(ctx, &data->view, NULL) == HSP_OK);
            hsp_data_free(data);
        }
        hsp_data_free(first);
        hsp_context_free(ctx);
    }
}

static int stop_at_once(void *user, const hsp_progress *progress)
{
    (void)progress;
    return ++*(int *)user >= 2;
}

static void test_cancel(void)
{
    hsp_context *ctx = test_context(1, 16); /* the caller's thread reports */
    int calls = 0;
    hsp_error err = {0};
    char text[4001];
    for (int i = 0; i < 4000; i += 8)
        memcpy(text + i, "1 1:2.5\n", 8);
    hsp_context_set_progress(ctx, stop_at_once, &calls);
    CHECK(!test_parse_sized(ctx, text, 4000, NULL, &err));
    CHECK(err.status == HSP_CANCELLED);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_plain);
    RUN(test_odd_but_fine);
    RUN(test_labels_are_names);
    RUN(test_long_labels);
    RUN(test_many_features_asked_for);
    RUN(test_empty);
    RUN(test_storage);
    RUN(test_index_base);
    RUN(test_errors);
    RUN(test_first_error_wins);
    RUN(test_blocks_and_threads);
    RUN(test_storages_agree);
    RUN(test_cancel);
    return check_done();
}
