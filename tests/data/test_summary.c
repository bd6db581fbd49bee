/* Looking: every figure against a plain recomputation in long double, and the same bits for every
 * storage, precision and number of threads. */
#include "data/prepare.h"

/* ---- The plain recomputation ---- */

static int rows_equal(const double *x, uint64_t cols, uint64_t a, uint64_t b)
{
    for (uint64_t j = 0; j < cols; j++)
        if (x[a * cols + j] != x[b * cols + j]) return 0;
    return 1;
}

static void check_rows(const test_recipe *recipe, const double *x, const uint32_t *labels,
                       const hsp_totals *totals)
{
    uint64_t duplicate = 0, contradictory = 0, empty = 0, nonzeros = 0;
    long double least = HUGE_VALL, most = 0, sum = 0;
    for (uint64_t i = 0; i < recipe->rows; i++) {
        int twin = 0, contradicted = 0;
        long double squares = 0;
        for (uint64_t k = 0; k < recipe->rows; k++) {
            if (k == i || !rows_equal(x, recipe->cols, i, k)) continue;
            twin |= k < i;
            contradicted |= labels && labels[i] != labels[k];
        }
        for (uint64_t j = 0; j < recipe->cols; j++) {
            squares += (long double)x[i * recipe->cols + j] * x[i * recipe->cols + j];
            nonzeros += x[i * recipe->cols + j] != 0;
        }
        duplicate += (uint64_t)twin;
        contradictory += (uint64_t)contradicted;
        empty += squares == 0;
        least = fminl(least, sqrtl(squares));
        most = fmaxl(most, sqrtl(squares));
        sum += sqrtl(squares);
    }
    CHECK(totals->duplicate_rows == duplicate && totals->contradictory_rows == contradictory);
    CHECK(totals->empty_rows == empty && totals->nonzeros == nonzeros);
    if (!recipe->rows) least = 0;
    long double mean = recipe->rows ? sum / (long double)recipe->rows : 0;
    CHECK(fabsl(totals->norm_min - least) <= 1e-14L * most);
    CHECK(fabsl(totals->norm_max - most) <= 1e-14L * most);
    CHECK(fabsl(totals->norm_mean - mean) <= 1e-14L * most);
}

static void check_column(const test_recipe *recipe, const double *x, uint64_t j,
                         const hsp_column_summary *column)
{
    const uint64_t rows = recipe->rows, cols = recipe->cols;
    long double mean = 0, squares = 0, scale = 0;
    double least = rows ? x[j] : 0, most = least;
    uint64_t nonzeros = 0;
    for (uint64_t i = 0; i < rows; i++) {
        double v = x[i * cols + j];
        least = fmin(least, v);
        most = fmax(most, v);
        mean += (long double)v / (long double)rows;
        nonzeros += v != 0;
    }
    for (uint64_t i = 0; i < rows; i++)
        squares += (x[i * cols + j] - mean) * (x[i * cols + j] - mean) / (long double)rows;
    scale = fmaxl(fabsl(least), fabsl(most));
    CHECK(column->min == least && column->max == most && column->nonzeros == nonzeros);
    CHECK(fabsl(column->mean - mean) <= 1e-15L * scale);
    CHECK(fabsl(column->stdev - sqrtl(squares)) <= 1e-14L * scale);
    CHECK(column->constant == (least == most));
    int64_t twin = -1;
    for (uint64_t k = 0; k < j && twin < 0; k++) {
        int equal = 1;
        for (uint64_t i = 0; equal && i < rows; i++)
            equal = x[i * cols + j] == x[i * cols + k];
        if (equal) twin = (int64_t)k;
    }
    CHECK(column->duplicate_of == twin);
}

static void check_columns(const test_recipe *recipe, const double *x, const hsp_summary *summary)
{
    const hsp_totals *totals = hsp_summary_totals(summary);
    uint64_t empty = 0, constant = 0, duplicate = 0;
    double least = 0, most = 0;
    for (uint64_t j = 0; j < recipe->cols; j++) {
        const hsp_column_summary *column = hsp_summary_column(summary, j);
        check_column(recipe, x, j, column);
        empty += column->nonzeros == 0;
        constant += column->constant && column->nonzeros;
        duplicate += column->duplicate_of >= 0 && !column->constant;
        least = j ? fmin(least, column->min) : column->min;
        most = j ? fmax(most, column->max) : column->max;
    }
    CHECK(totals->empty_columns == empty && totals->constant_columns == constant);
    CHECK(totals->duplicate_columns == duplicate);
    CHECK(totals->min == least && totals->max == most);
    CHECK(hsp_summary_column(summary, recipe->cols) == NULL);
}

static void check_classes(const test_recipe *recipe, const uint32_t *labels,
                          const hsp_summary *summary)
{
    const hsp_totals *totals = hsp_summary_totals(summary);
    uint64_t counts[16] = {0}, runs = 0, pairs = 0;
    for (uint64_t i = 0; labels && i < recipe->rows; i++) {
        counts[labels[i]]++;
        runs += !i || labels[i] != labels[i - 1];
    }
    for (uint32_t c = 0; c < 16; c++)
        CHECK(hsp_summary_class_count(summary, c) == counts[c]);
    CHECK(totals->class_runs == runs);
    for (uint64_t i = 0; labels && i < recipe->rows; i++)
        for (uint64_t k = 0; k < recipe->rows; k++)
            pairs += labels[i] != labels[k];
    double expected = runs ? 1 + (double)pairs / (double)recipe->rows : 0;
    CHECK(fabs(totals->class_runs_expected - expected) <= 1e-12 * (expected + 1));
}

static void check_all(const test_recipe *recipe, const hsp_data *data, const hsp_summary *summary)
{
    const hsp_totals *totals = hsp_summary_totals(summary);
    double *x = test_numbers(recipe);
    CHECK(totals->rows == recipe->rows && totals->cols == recipe->cols);
    double entries = (double)recipe->rows * (double)recipe->cols;
    CHECK(totals->density == (entries > 0 ? (double)totals->nonzeros / entries : 0));
    check_rows(recipe, x, data->view.labels, totals);
    check_columns(recipe, x, summary);
    check_classes(recipe, data->view.labels, summary);
    free(x);
}

static int summaries_same(const hsp_summary *a, const hsp_summary *b)
{
    const hsp_totals *s = hsp_summary_totals(a), *t = hsp_summary_totals(b);
    if (memcmp(s, t, sizeof *s) != 0) return 0;
    for (uint64_t j = 0; j < s->cols; j++) {
        const hsp_column_summary *c = hsp_summary_column(a, j), *d = hsp_summary_column(b, j);
        if (c->min != d->min || c->max != d->max || c->mean != d->mean || c->stdev != d->stdev ||
            c->nonzeros != d->nonzeros || c->constant != d->constant ||
            c->duplicate_of != d->duplicate_of)
            return 0;
    }
    return 1;
}

static void check_forms(const test_recipe *recipe)
{
    const int threads[] = {1, 2, 7};
    hsp_summary *first = NULL;
    for (int t = 0; t < 3; t++)
        for (int form = 0; form < TEST_FORMS; form++) {
            if (test_forms[form].storage == HSP_ONES && !recipe->ones) continue;
            hsp_context *ctx = test_context(threads[t], 0);
            hsp_data *data =
                test_random(ctx, recipe, test_forms[form].storage, test_forms[form].precision);
            hsp_summary *summary = NULL;
            CHECK(hsp_summary_new(ctx, data, NULL, &summary) == HSP_OK);
            if (!first) {
                check_all(recipe, data, summary);
                first = summary;
            } else {
                CHECK(summaries_same(first, summary));
                hsp_summary_free(summary);
            }
            hsp_data_free(data);
            hsp_context_free(ctx);
        }
    hsp_summary_free(first);
}

static void test_random_data(void)
{
    hsp__random random;
    hsp__random_seed(&random, 31, 0);
    for (int round = 0; round < 60; round++) {
        test_recipe recipe = {.rows = hsp__random_below(&random, 120),
                              .cols = hsp__random_below(&random, 30),
                              .seed = (uint64_t)round,
                              .density = hsp__random_unit(&random),
                              .ones = (int)hsp__random_below(&random, 2),
                              .classes = (int)hsp__random_below(&random, 4),
                              .repeats = (int)hsp__random_below(&random, 5)};
        check_forms(&recipe);
    }
}

/* Enough rows for several parts and buckets. */
static void test_larger_data(void)
{
    test_recipe recipe = {
        .rows = 3000, .cols = 40, .seed = 1, .density = 0.5, .classes = 3, .repeats = 9};
    check_forms(&recipe);
    recipe.density = 0.02;
    recipe.ones = 1;
    check_forms(&recipe);
}

static void test_edges(void)
{
    const uint64_t shapes[][2] = {{0, 0}, {0, 4}, {4, 0}, {1, 1}, {1, 9}, {9, 1}};
    for (int s = 0; s < 6; s++)
        for (int kind = 0; kind < 6; kind++) {
            test_recipe recipe = {.rows = shapes[s][0],
                                  .cols = shapes[s][1],
                                  .seed = 2,
                                  .density = kind % 3 * 0.5,
                                  .ones = kind > 2,
                                  .classes = kind % 2};
            check_forms(&recipe);
        }
}

static void test_large_offset(void)
{
    test_recipe recipe = {.rows = 2000, .cols = 3, .seed = 2, .density = 1, .centre = 131072};
    check_forms(&recipe);
}

/* Numbers whose sum is rounded at every step: the second pass makes the mean good to the last bits.
 */
static void test_mean_is_corrected(void)
{
    enum { ROWS = 200000 };
    hsp_context *ctx = test_context(2, 0);
    double *x = calloc(ROWS, sizeof *x);
    long double mean = 0, squares = 0;
    hsp__random random;
    hsp__random_seed(&random, 8, 0);
    for (int i = 0; i < ROWS; i++)
        mean += (x[i] = 1e7 + hsp__random_normal(&random));
    mean /= ROWS;
    for (int i = 0; i < ROWS; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    hsp_data *data = test_build(ctx, x, ROWS, 1, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    hsp_summary *summary = NULL;
    CHECK(hsp_summary_new(ctx, data, NULL, &summary) == HSP_OK);
    CHECK(fabsl(hsp_summary_column(summary, 0)->mean - mean) <= 1e7L * 0x1p-53L);
    CHECK(fabsl(hsp_summary_column(summary, 0)->stdev - sqrtl(squares / ROWS)) <= 1e-13L);
    hsp_summary_free(summary);
    hsp_data_free(data);
    free(x);
    hsp_context_free(ctx);
}

/* Zeros of both signs are equal; extreme doubles overflow nothing. */
static void test_odd_numbers(void)
{
    hsp_context *ctx = test_context(1, 0);
    const double x[] = {0.0, 1e300, 3e-310, -0.0, 1e300, 3e-310, 0.0, -1e300, 0};
    hsp_data *data = test_build(ctx, x, 3, 3, NULL, 0, HSP_DENSE, HSP_FLOAT64);
    hsp_summary *summary = NULL;
    CHECK(hsp_summary_new(ctx, data, NULL, &summary) == HSP_OK);
    const hsp_totals *totals = hsp_summary_totals(summary);
    CHECK(totals->duplicate_rows == 1 && totals->empty_columns == 1);
    CHECK(!signbit(hsp_summary_column(summary, 0)->min));
    CHECK(totals->norm_max == 1e300 && totals->norm_min == 1e300);
    const hsp_column_summary *wide = hsp_summary_column(summary, 1);
    CHECK(fabs(wide->mean / 1e300 - 1.0 / 3) <= 1e-15);
    CHECK(fabs(wide->stdev / 1e300 - sqrt(8.0) / 3) <= 1e-15);
    const hsp_column_summary *tiny = hsp_summary_column(summary, 2);
    CHECK(fabs(tiny->mean / 2e-310 - 1) <= 1e-12);
    CHECK(fabs(tiny->stdev / 3e-310 - sqrt(2.0) / 3) <= 1e-12);
    hsp_summary_free(summary);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Stored zeros (a caller's sparse rows may have them) count as zeros. */
static void test_stored_zeros(void)
{
    hsp_context *ctx = test_context(1, 0);
    const uint64_t starts[] = {0, 2, 3, 3};
    const uint32_t indices[] = {0, 1, 1};
    const float values[] = {0, 5, 5};
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, 3, 3, 8, starts, indices, values);
    hsp_data *data = NULL;
    hsp_summary *summary = NULL;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    CHECK(hsp_summary_new(ctx, data, NULL, &summary) == HSP_OK);
    const hsp_totals *totals = hsp_summary_totals(summary);
    CHECK(totals->nonzeros == 2 && totals->duplicate_rows == 1 && totals->empty_rows == 1);
    CHECK(totals->empty_columns == 2 && hsp_summary_column(summary, 2)->duplicate_of == 0);
    hsp_summary_free(summary);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static hsp_status summarise_some(hsp_context *ctx)
{
    hsp_context *safe = test_context(1, 0);
    test_recipe recipe = {
        .rows = 20, .cols = 6, .seed = 1, .density = 0.5, .classes = 2, .repeats = 2};
    hsp_data *data = test_random(safe, &recipe, HSP_SPARSE, HSP_FLOAT32);
    hsp_summary *summary = NULL;
    hsp_status status = hsp_summary_new(ctx, data, NULL, &summary);
    CHECK((status == HSP_OK) == (summary != NULL));
    hsp_summary_free(summary);
    hsp_data_free(data);
    hsp_context_free(safe);
    return status;
}

static void test_memory_fails(void)
{
    test_no_memory(summarise_some);
}

static int stop(void *user, const hsp_progress *progress)
{
    CHECK(progress->done <= progress->total);
    return --*(int *)user < 0;
}

/* Whenever the user says stop, it stops. */
static void test_cancelled(void)
{
    hsp_context *ctx = test_context(2, 0);
    test_recipe recipe = {.rows = 30000, .cols = 6, .seed = 1, .density = 0.5, .repeats = 3};
    hsp_data *data = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT32);
    int finished = 0;
    for (int patience = 0; !finished && patience < 1000; patience++) {
        int left = patience;
        hsp_summary *summary = NULL;
        hsp_context_set_progress(ctx, stop, &left);
        hsp_status status = hsp_summary_new(ctx, data, NULL, &summary);
        CHECK(status == (left < 0 ? HSP_CANCELLED : HSP_OK));
        finished = status == HSP_OK;
        CHECK(finished == (summary != NULL) && (patience > 3 || !finished));
        hsp_summary_free(summary);
    }
    CHECK(finished);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_random_data);
    RUN(test_larger_data);
    RUN(test_edges);
    RUN(test_large_offset);
    RUN(test_mean_is_corrected);
    RUN(test_odd_numbers);
    RUN(test_stored_zeros);
    RUN(test_memory_fails);
    RUN(test_cancelled);
    return check_done();
}
