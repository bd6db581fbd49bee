/* Splitting: exact counts, no row lost or doubled, order kept, chance fair. */
#include "data/prepare.h"

/* Rows whose only column is their number. */
static hsp_data *numbered(hsp_context *ctx, const uint32_t *labels, uint32_t classes, uint64_t rows)
{
    double *x = calloc(rows + 1, sizeof *x);
    for (uint64_t i = 0; i < rows; i++)
        x[i] = (double)i;
    hsp_data *data = test_build(ctx, x, rows, 1, labels, classes, HSP_DENSE, HSP_FLOAT64);
    free(x);
    return data;
}

static uint64_t row_number(const hsp_data *data, uint64_t i)
{
    return (uint64_t)((const double *)data->view.values)[i];
}

/* Every row is in one part, ascending, with its label; counts of the test part by class. */
static void check_parts(const hsp_data *data, const hsp_data *train, const hsp_data *test,
                        uint64_t *counts)
{
    uint64_t rows = hsp_data_rows(data), a = 0, b = 0;
    CHECK(hsp_data_rows(train) + hsp_data_rows(test) == rows);
    for (uint64_t i = 0; i < rows; i++) {
        int in_test = b < hsp_data_rows(test) && row_number(test, b) == i;
        int in_train = a < hsp_data_rows(train) && row_number(train, a) == i;
        CHECK(in_test != in_train);
        const hsp_data *part = in_test ? test : train;
        uint64_t at = in_test ? b++ : a++;
        if (!data->view.labels) continue;
        CHECK(part->view.labels[at] == data->view.labels[i]);
        counts[data->view.labels[i]] += (uint64_t)in_test;
    }
    CHECK(a == hsp_data_rows(train) && b == hsp_data_rows(test));
}

static int split(hsp_context *ctx, hsp_data *data, const char *settings, hsp_data **train,
                 hsp_data **test)
{
    hsp_options *options = test_options(ctx, hsp_split_options(), settings);
    hsp_status status = hsp_data_split(ctx, data, options, NULL, train, test);
    hsp_options_free(options);
    return status == HSP_OK;
}

/* Labels with sizes[c] rows of class c, shuffled. */
static uint64_t shuffled_labels(const uint64_t *sizes, uint32_t classes, uint64_t seed,
                                uint32_t *labels)
{
    uint64_t rows = 0;
    hsp__random random;
    hsp__random_seed(&random, seed, 9);
    for (uint32_t c = 0; c < classes; c++)
        for (uint64_t k = 0; k < sizes[c]; k++)
            labels[rows++] = c;
    for (uint64_t i = rows; i > 1; i--) {
        uint64_t j = hsp__random_below(&random, i);
        uint32_t kept = labels[i - 1];
        labels[i - 1] = labels[j];
        labels[j] = kept;
    }
    return rows;
}

static void check_proportions(const uint64_t *sizes, const uint64_t *counts, uint32_t classes,
                              uint64_t rows, uint64_t wanted)
{
    uint64_t total = 0, least = 0, most = 0;
    int repaired = 0;
    for (uint32_t c = 0; c < classes; c++) {
        double share = (double)wanted * (double)sizes[c] / (double)rows;
        total += counts[c];
        least += sizes[c] >= 2;
        most += sizes[c] >= 2 ? sizes[c] - 1 : sizes[c];
        repaired |= sizes[c] >= 2 && (share < 1 || share > (double)sizes[c] - 1);
    }
    CHECK(total == wanted);
    for (uint32_t c = 0; c < classes; c++) {
        double share = (double)wanted * (double)sizes[c] / (double)rows;
        if (!repaired) CHECK(fabs((double)counts[c] - share) < 1);
        if (sizes[c] >= 2 && least <= wanted) CHECK(counts[c] >= 1);
        if (sizes[c] >= 2 && most >= wanted) CHECK(counts[c] < sizes[c]);
        CHECK(counts[c] <= sizes[c]);
    }
}

static void test_counts(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp__random random;
    hsp__random_seed(&random, 77, 0);
    for (int round = 0; round < 300; round++) {
        uint64_t sizes[12] = {0}, counts[12] = {0};
        uint32_t classes = 1 + (uint32_t)hsp__random_below(&random, 12), labels[4096];
        for (uint32_t c = 0; c < classes; c++)
            sizes[c] = hsp__random_below(&random, hsp__random_below(&random, 2) ? 300 : 4);
        uint64_t rows = shuffled_labels(sizes, classes, (uint64_t)round, labels);
        if (rows < 2) continue;
        uint64_t wanted = 1 + hsp__random_below(&random, rows - 1);
        char settings[64];
        snprintf(settings, sizeof settings, "test=%llu seed=%d", (unsigned long long)wanted, round);
        hsp_data *data = numbered(ctx, labels, classes, rows), *train = NULL, *test = NULL;
        CHECK(split(ctx, data, settings, &train, &test));
        check_parts(data, train, test, counts);
        check_proportions(sizes, counts, classes, rows, wanted);
        hsp_data_free(data);
        hsp_data_free(train);
        hsp_data_free(test);
    }
    hsp_context_free(ctx);
}

/* 3 and 5 of 8 rows; 4 test rows: 1.5 and 2.5, equal remainders, the first class gets the row. */
static void test_largest_remainder(void)
{
    hsp_context *ctx = test_context(1, 0);
    const uint64_t sizes[] = {3, 5};
    uint64_t counts[2] = {0};
    uint32_t labels[8];
    shuffled_labels(sizes, 2, 1, labels);
    hsp_data *data = numbered(ctx, labels, 2, 8), *train = NULL, *test = NULL;
    CHECK(split(ctx, data, "test=0.5", &train, &test));
    check_parts(data, train, test, counts);
    CHECK(counts[0] == 2 && counts[1] == 2);
    hsp_data_free(data);
    hsp_data_free(train);
    hsp_data_free(test);
    hsp_context_free(ctx);
}

/* Thousands of classes of two rows and one large one: quick, and each small one in both parts. */
static void test_many_small_classes(void)
{
    enum { SMALL = 20000, LARGE = 100000 };
    hsp_context *ctx = test_context(2, 0);
    uint64_t *sizes = calloc(SMALL + 1, sizeof *sizes), *counts = calloc(SMALL + 1, sizeof *counts);
    uint32_t *labels = calloc(2 * SMALL + LARGE, sizeof *labels);
    for (uint32_t c = 0; c < SMALL; c++)
        sizes[c] = 2;
    sizes[SMALL] = LARGE;
    uint64_t rows = shuffled_labels(sizes, SMALL + 1, 4, labels);
    hsp_data *data = numbered(ctx, labels, SMALL + 1, rows), *train = NULL, *test = NULL;
    CHECK(split(ctx, data, "test=0.2", &train, &test));
    check_parts(data, train, test, counts);
    check_proportions(sizes, counts, SMALL + 1, rows, rows / 5);
    hsp_data_free(data);
    hsp_data_free(train);
    hsp_data_free(test);
    free(sizes);
    free(counts);
    free(labels);
    hsp_context_free(ctx);
}

/* Over many seeds each row is in the test part about as often as any other. */
static void test_fair(void)
{
    enum { ROWS = 40, SEEDS = 4000 };
    hsp_context *ctx = test_context(1, 0);
    uint32_t labels[ROWS], hits[ROWS] = {0};
    for (uint32_t i = 0; i < ROWS; i++)
        labels[i] = i % 4 == 0;
    hsp_data *data = numbered(ctx, labels, 2, ROWS);
    for (int seed = 0; seed < SEEDS; seed++) {
        hsp_data *train = NULL, *test = NULL;
        char settings[64];
        snprintf(settings, sizeof settings, "test=0.3 seed=%d", seed);
        CHECK(split(ctx, data, settings, &train, &test));
        for (uint64_t i = 0; i < hsp_data_rows(test); i++)
            hits[row_number(test, i)]++;
        hsp_data_free(train);
        hsp_data_free(test);
    }
    /* 0.3 of 4000 is 1200, with a deviation of 29. */
    for (int i = 0; i < ROWS; i++)
        CHECK_NOTE(hits[i] > 1200 - 5 * 29 && hits[i] < 1200 + 5 * 29, "row %d: %u", i, hits[i]);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_same_for_threads(void)
{
    test_recipe recipe = {.rows = 3000, .cols = 9, .seed = 8, .density = 0.4, .classes = 3};
    hsp_data *train[3] = {0}, *test[3] = {0};
    const int threads[] = {1, 2, 7};
    for (int k = 0; k < 3; k++) {
        hsp_context *ctx = test_context(threads[k], 0);
        hsp_data *data = test_random(ctx, &recipe, HSP_SPARSE, HSP_FLOAT32);
        CHECK(split(ctx, data, "seed=5", &train[k], &test[k]));
        CHECK(test_same(train[0], train[k], 1) && test_same(test[0], test[k], 1));
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
    CHECK(hsp_data_rows(test[0]) == 750);
    for (int k = 0; k < 3; k++) {
        hsp_data_free(train[k]);
        hsp_data_free(test[k]);
    }
}

static void test_unlabelled_and_plain(void)
{
    hsp_context *ctx = test_context(1, 0);
    uint32_t labels[10] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    uint64_t counts[2];
    for (int labelled = 0; labelled < 2; labelled++) {
        hsp_data *data = numbered(ctx, labelled ? labels : NULL, labelled ? 2 : 0, 10);
        hsp_data *train = NULL, *test = NULL;
        CHECK(split(ctx, data, "stratified=no test=4", &train, &test));
        check_parts(data, train, test, counts);
        CHECK(hsp_data_rows(test) == 4);
        hsp_data_free(train);
        hsp_data_free(test);
        train = test = NULL;
        CHECK(hsp_data_split(ctx, data, NULL, NULL, &train, &test) == HSP_OK);
        CHECK(hsp_data_rows(test) == 3); /* 2.5 */
        hsp_data_free(train);
        hsp_data_free(test);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

static void test_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *wrong[] = {"0", "-1", "-0.5", "1.5", "x", "", "0.5x", "10", "11", "nan", "inf"};
    hsp_data *data = numbered(ctx, NULL, 0, 10), *one = numbered(ctx, NULL, 0, 1);
    hsp_data *train = NULL, *test = NULL;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        hsp_error err = {0};
        hsp_options *options = test_options(ctx, hsp_split_options(), "");
        CHECK(hsp_options_set(options, "test", wrong[k], NULL) == HSP_OK);
        CHECK_NOTE(hsp_data_split(ctx, data, options, &err, &train, &test) == HSP_USAGE, "%s",
                   wrong[k]);
        CHECK(!train && !test && strcmp(err.file, "--test") == 0);
        hsp_options_free(options);
    }
    CHECK(hsp_data_split(ctx, one, NULL, NULL, &train, &test) == HSP_BAD_DATA);
    hsp_data_free(data);
    hsp_data_free(one);
    hsp_context_free(ctx);
}

static hsp_status split_some(hsp_context *ctx)
{
    hsp_context *safe = test_context(1, 0);
    uint32_t labels[6] = {0, 1, 0, 1, 1, 0};
    hsp_data *data = numbered(safe, labels, 2, 6), *train = NULL, *test = NULL;
    hsp_status status = hsp_data_split(ctx, data, NULL, NULL, &train, &test);
    CHECK((status == HSP_OK) == (train != NULL) && (status == HSP_OK) == (test != NULL));
    hsp_data_free(train);
    hsp_data_free(test);
    hsp_data_free(data);
    hsp_context_free(safe);
    return status;
}

static void test_memory_fails(void)
{
    test_no_memory(split_some);
}

int main(void)
{
    RUN(test_counts);
    RUN(test_largest_remainder);
    RUN(test_many_small_classes);
    RUN(test_fair);
    RUN(test_same_for_threads);
    RUN(test_unlabelled_and_plain);
    RUN(test_refused);
    RUN(test_memory_fails);
    return check_done();
}
