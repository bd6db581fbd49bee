/* Making data: the promised truth holds on what was stored and on what was written; the bytes
 * depend on the options alone; memory and text agree to the bit. */
#include "data/prepare.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "data/generate.h"

static const hsp_option_table *generator(const char *name)
{
    for (size_t i = 0; hsp_generator(i); i++)
        if (strcmp(hsp_generator(i)->name, name) == 0) return hsp_generator(i);
    abort();
}

/* A copy of what was told, weights included. */
typedef struct told {
    int times;
    hsp_truth truth;
    double *weights;
} told;

static void hear(void *user, const hsp_truth *truth)
{
    told *to = user;
    to->times++;
    to->truth = *truth;
    if (!truth->weights) return;
    to->weights = malloc(truth->cols * sizeof *to->weights);
    memcpy(to->weights, truth->weights, truth->cols * sizeof *to->weights);
}

static hsp_data *make(hsp_context *ctx, const char *name, const char *settings, told *truth)
{
    hsp_options *options = test_options(ctx, generator(name), settings);
    hsp_data *data = NULL;
    hsp_error err = {0};
    hsp_status status = hsp_data_make(ctx, options, truth ? hear : NULL, truth, &err, &data);
    CHECK_NOTE(status == HSP_OK, "%s %s: %s", name, settings, err.message);
    CHECK(data && hsp_view_check(ctx, &data->view, NULL) == HSP_OK);
    CHECK(!truth || truth->times == 1);
    hsp_options_free(options);
    return data;
}

static long double score(const told *truth, const hsp_data *data, uint64_t i)
{
    hsp__row row = hsp__view_row(&data->view, i);
    long double sum = truth->truth.offset;
    for (uint64_t k = 0; k < row.count; k++)
        sum += (long double)truth->weights[hsp__row_column(&row, k)] *
               hsp__row_value(&data->view, &row, k);
    return sum;
}

static long double length(const told *truth)
{
    long double squares = 0;
    for (uint64_t j = 0; j < truth->truth.cols; j++)
        squares += (long double)truth->weights[j] * truth->weights[j];
    return sqrtl(squares);
}

static long double sign_of(const hsp_data *data, uint64_t i)
{
    return strcmp(test_label(data, i), "1") == 0 ? 1 : -1;
}

static char *path_of(const char *ending)
{
    static char path[128];
    snprintf(path, sizeof path, "/tmp/halfspace-test-make-%d%s", (int)getpid(), ending);
    return path;
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) abort();
    fclose(file);
    bytes[*size] = 0;
    return bytes;
}

static char *made_file(int threads, const char *name, const char *settings, const char *ending,
                       size_t *size)
{
    hsp_context *ctx = test_context(threads, 0);
    hsp_options *options = test_options(ctx, generator(name), settings);
    CHECK(hsp_data_make_file(ctx, options, path_of(ending), NULL, NULL, NULL) == HSP_OK);
    hsp_options_free(options);
    hsp_context_free(ctx);
    char *bytes = contents(path_of(ending), size);
    unlink(path_of(ending));
    return bytes;
}

static const char *const cases[][2] = {
    {"separable", "rows=700 features=5"},
    {"separable", "rows=300 features=1 margin=0.5"},
    {"separable", "rows=200 features=300 margin=0.001 offset=0.01 seed=9"},
    {"halfspace", "rows=500 features=4 noise=0.2 offset=0.5"},
    {"moons", "rows=400 features=3 spread=0.2"},
    {"rings", "rows=400 features=3 spread=0.2"},
    {"xor", "rows=400 features=2"},
    {"disjunction", "rows=500 features=60 density=0.1"},
    {"disjunction", "rows=300 features=5 relevant=5 threshold=5 density=0.9"},
    {"disjunction", "rows=100 features=100000 density=1e-6"},
    {"text", "rows=300 features=2000 nonzeros=30"},
    {"text", "rows=300 features=500 nonzeros=20 values=ones"},
    {"text", "rows=50 features=2 nonzeros=1 noise=0.5"},
};
#define CASES (sizeof cases / sizeof *cases)

/* ---- Bytes ---- */

/* The stream has the bytes that writing the rows made in memory has; on any number of threads. */
static void test_streams(void)
{
    const char *endings[] = {".svm", ".csv", ".tsv", ""};
    for (size_t c = 0; c < CASES; c++)
        for (int e = 0; e < 4; e++) {
            if (strstr(cases[c][1], "features=100000") && e != 0) continue;
            size_t size[3] = {0}, written_size = 0;
            char *made[3];
            const int threads[] = {1, 2, 7};
            for (int t = 0; t < 3; t++)
                made[t] = made_file(threads[t], cases[c][0], cases[c][1], endings[e], &size[t]);
            hsp_context *ctx = test_context(2, 0);
            hsp_data *data = make(ctx, cases[c][0], cases[c][1], NULL);
            CHECK(hsp_data_write(ctx, data, path_of(endings[e]), NULL, NULL) == HSP_OK);
            char *written = contents(path_of(endings[e]), &written_size);
            unlink(path_of(endings[e]));
            for (int t = 0; t < 3; t++) {
                CHECK_NOTE(size[t] == written_size && memcmp(made[t], written, size[t]) == 0,
                           "%s %s%s, %d threads", cases[c][0], cases[c][1], endings[e], threads[t]);
                free(made[t]);
            }
            free(written);
            hsp_data_free(data);
            hsp_context_free(ctx);
        }
}

/* More rows than a batch of blocks holds. */
static void test_long_stream(void)
{
    size_t size[2];
    char *one = made_file(1, "moons", "rows=400000", ".svm", &size[0]);
    char *two = made_file(3, "moons", "rows=400000", ".svm", &size[1]);
    CHECK(size[0] > 6000000 && size[0] == size[1] && memcmp(one, two, size[0]) == 0);
    uint64_t lines = 0;
    for (size_t k = 0; k < size[0]; k++)
        lines += one[k] == '\n';
    CHECK(lines == 400000);
    free(one);
    free(two);
}

/* Reading the text gives the numbers that memory holds. */
static void test_text_reads_back(void)
{
    for (size_t c = 0; c < CASES; c++) {
        hsp_context *ctx = test_context(2, 0);
        hsp_data *data = make(ctx, cases[c][0], cases[c][1], NULL);
        size_t size;
        char *text = made_file(2, cases[c][0], cases[c][1], ".svm", &size), features[64];
        snprintf(features, sizeof features, "features=%llu",
                 (unsigned long long)hsp_data_cols(data));
        hsp_data *back = test_parse_sized(
            ctx, text, size, (const char *const[]){"format=libsvm", features, NULL}, NULL);
        CHECK_NOTE(back && test_same(data, back, 0), "%s %s", cases[c][0], cases[c][1]);
        free(text);
        hsp_data_free(back);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
}

/* Files of every format hold the same data. */
static void test_files_read_back(void)
{
    const char *endings[] = {".csv", ".tsv", ".hsp", ".svm.gz", ".csv.zst"};
    for (int e = 0; e < 5; e++) {
        hsp_context *ctx = test_context(2, 0);
        const char *settings = "rows=300 features=40 density=0.2";
        hsp_options *options = test_options(ctx, generator("disjunction"), settings);
        hsp_options *reading = test_options(ctx, hsp_read_options(), "features=40");
        hsp_data *data = make(ctx, "disjunction", settings, NULL), *back = NULL;
        hsp_error err = {0};
        hsp_status status = hsp_data_make_file(ctx, options, path_of(endings[e]), NULL, NULL, &err);
        if (status != HSP_UNSUPPORTED) { /* a build may lack compression */
            CHECK_NOTE(status == HSP_OK, "%s: %s", endings[e], err.message);
            status = hsp_data_read(ctx, path_of(endings[e]), reading, NULL, &err, &back);
            CHECK_NOTE(status == HSP_OK, "%s: %s", endings[e], err.message);
            CHECK_NOTE(back && test_same(data, back, 0), "%s", endings[e]);
        }
        unlink(path_of(endings[e]));
        hsp_data_free(back);
        hsp_data_free(data);
        hsp_options_free(reading);
        hsp_options_free(options);
        hsp_context_free(ctx);
    }
}

static void test_same_for_threads(void)
{
    for (size_t c = 0; c < CASES; c++) {
        hsp_data *first = NULL;
        for (int threads = 1; threads <= 7; threads += 3) {
            hsp_context *ctx = test_context(threads, 0);
            hsp_data *data = make(ctx, cases[c][0], cases[c][1], NULL);
            if (!first) {
                first = data;
            } else {
                CHECK(test_same(first, data, 1));
                hsp_data_free(data);
            }
            hsp_context_free(ctx);
        }
        hsp_data_free(first);
    }
}

/* A row depends on the seed and its number: fewer rows are the first of more; another seed differs.
 */
static void test_rows_are_their_own(void)
{
    const char *names[] = {"separable", "halfspace",   "moons", "rings",
                           "xor",       "disjunction", "text"};
    hsp_context *ctx = test_context(2, 0);
    for (int g = 0; g < 7; g++) {
        hsp_data *few = make(ctx, names[g], "rows=40", NULL);
        hsp_data *many = make(ctx, names[g], "rows=90", NULL), *start = NULL;
        hsp_data *other = make(ctx, names[g], "rows=40 seed=2", NULL);
        uint64_t rows[40];
        for (uint64_t i = 0; i < 40; i++)
            rows[i] = i;
        CHECK(hsp_data_select(ctx, many, rows, 40, NULL, &start) == HSP_OK);
        CHECK(test_same(few, start, 1));
        CHECK(!test_same(few, other, 0));
        hsp_data_free(few);
        hsp_data_free(many);
        hsp_data_free(start);
        hsp_data_free(other);
    }
    CHECK(hsp_generator(7) == NULL);
    hsp_context_free(ctx);
}

static void test_printing(void)
{
    char got[HSP__DECIMAL_MAX], want[HSP__DECIMAL_MAX];
    hsp__random random;
    hsp__random_seed(&random, 1, 1);
    for (int decimals = 0; decimals <= 6; decimals++)
        for (int k = 0; k < 60000; k++) {
            int32_t units = k < 20000 ? k - 10000 : (int32_t)hsp__random_below(&random, 2000000000);
            if (k >= 40000) units = (int32_t)hsp__random_below(&random, 200000) - 100000;
            got[hsp__generate_print(units, decimals, got)] = 0;
            /* The exact decimal, read by the library's own reader. */
            char exact[32];
            float value;
            hsp__decimal_result result;
            snprintf(exact, sizeof exact, "%de-%d", units, decimals);
            hsp__decimal_f32(exact, exact + strlen(exact), &value, &result);
            want[hsp__decimal_print_f32(value, want)] = 0;
            CHECK_TEXT(got, want);
        }
}

/* ---- Truths ---- */

static void check_separable(const char *settings, double margin, int threads)
{
    hsp_context *ctx = test_context(threads, 0);
    told truth = {0};
    hsp_data *data = make(ctx, "separable", settings, &truth);
    CHECK(truth.truth.margin == margin && truth.truth.noise == 0 && truth.weights);
    CHECK(fabsl(length(&truth) - 1) <= 1e-14L);
    uint64_t positive = 0, rows = hsp_data_rows(data);
    for (uint64_t i = 0; i < rows; i++) {
        long double y = sign_of(data, i), norm = 0;
        CHECK_NOTE(y * score(&truth, data, i) >= margin * length(&truth), "%s row %llu", settings,
                   (unsigned long long)i);
        for (uint64_t j = 0; j < hsp_data_cols(data); j++)
            norm += (long double)test_at(data, i, j) * test_at(data, i, j);
        CHECK(sqrtl(norm) <= 1.001L);
        positive += y > 0;
    }
    if (truth.truth.offset == 0)
        CHECK(fabs((double)positive - (double)rows / 2) <= 3 * sqrt((double)rows));
    CHECK(positive > 0 && positive < rows);
    free(truth.weights);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_separable_keeps_margin(void)
{
    check_separable("rows=3000 features=2 margin=0.05", 0.05, 2);
    check_separable("rows=2000 features=1 margin=0.3", 0.3, 1);
    check_separable("rows=2000 features=20 margin=0.9 offset=0.05", 0.9, 2);
    check_separable("rows=2000 features=3 margin=1e-7", 1e-7, 2);
    check_separable("rows=2000 features=3 margin=0", 0, 2);
    check_separable("rows=200 features=400 margin=0.2", 0.2, 2);
    /* Rows in a narrow band, where rounding alone would carry some over the margin. */
    check_separable("rows=1000000 features=1 margin=0.95", 0.95, 2);
    check_separable("rows=1000 features=2 margin=0.1 offset=-0.7", 0.1, 2);
}

/* The decimals as written keep the margin too, not only the floats that they become. */
static void test_separable_text_keeps_margin(void)
{
    hsp_context *ctx = test_context(2, 0);
    told truth = {0};
    const char *settings = "rows=2000 features=6 margin=0.125";
    hsp_data *data = make(ctx, "separable", settings, &truth);
    size_t size;
    char *text = made_file(2, "separable", settings, ".svm", &size), *at = text;
    for (uint64_t i = 0; i < 2000; i++) {
        long double y = strtold(at, &at), sum = 0;
        while (*at == ' ') {
            long column = strtol(at, &at, 10);
            sum += (long double)truth.weights[column - 1] * strtold(at + 1, &at);
        }
        CHECK(*at++ == '\n');
        CHECK(y * sum >= 0.125L * length(&truth));
    }
    free(text);
    free(truth.weights);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Without noise all labels are on their side; with noise the told share is not. */
static void check_labels(const char *name, const char *settings, double noise)
{
    hsp_context *ctx = test_context(2, 0);
    told truth = {0};
    hsp_data *data = make(ctx, name, settings, &truth);
    CHECK(truth.truth.noise == noise && truth.weights && fabsl(length(&truth) - 1) <= 1e-13L);
    CHECK(noise == 0 || truth.truth.margin == 0);
    double wrong = 0, rows = (double)hsp_data_rows(data), positive = 0;
    for (uint64_t i = 0; i < hsp_data_rows(data); i++) {
        long double s = score(&truth, data, i) * sign_of(data, i);
        wrong += s < 0;
        positive += sign_of(data, i) > 0;
        if (noise == 0) CHECK(s >= truth.truth.margin);
    }
    CHECK_NOTE(fabs(wrong - noise * rows) <= 5 * sqrt(rows * noise * (1 - noise)), "%s %s: %g",
               name, settings, wrong);
    CHECK_NOTE(positive >= 0.2 * rows && positive <= 0.8 * rows, "%s %s: %g", name, settings,
               positive / rows);
    free(truth.weights);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_labels(void)
{
    check_labels("halfspace", "rows=4000 noise=0", 0);
    check_labels("halfspace", "rows=4000 noise=0.25 features=3", 0.25);
    check_labels("disjunction", "rows=4000", 0);
    check_labels("disjunction", "rows=4000 relevant=30 threshold=7 features=40 density=0.5", 0);
    check_labels("disjunction", "rows=4000 relevant=1 threshold=1 features=1 density=0.001", 0);
    check_labels("disjunction", "rows=4000 noise=0.125", 0.125);
    check_labels("text", "rows=4000 features=3000 noise=0", 0);
    check_labels("text", "rows=4000 features=3000 noise=0.1 values=ones", 0.1);
}

static void test_no_halfspace(void)
{
    hsp_context *ctx = test_context(2, 0);
    told truth = {0};
    hsp_data *data = make(ctx, "xor", "rows=2000 features=4 noise=0", &truth);
    CHECK(!truth.truth.weights && truth.truth.margin == 0);
    for (uint64_t i = 0; i < 2000; i++) {
        double product = test_at(data, i, 0) * test_at(data, i, 1);
        CHECK(product != 0 && (product > 0) == (sign_of(data, i) > 0));
        for (uint64_t j = 0; j < 4; j++)
            CHECK(fabs(test_at(data, i, j)) <= 1);
    }
    hsp_data_free(data);
    told moons = {0};
    data = make(ctx, "moons", "rows=2000 spread=0", &moons);
    CHECK(!moons.truth.weights && moons.truth.noise == 0);
    for (uint64_t i = 0; i < 2000; i++) {
        double x = test_at(data, i, 0), y = test_at(data, i, 1);
        if (sign_of(data, i) > 0) {
            x = 1 - x;
            y = 0.5 - y;
        }
        CHECK(fabs(hypot(x, y) - 1) <= 2e-4 && y >= 0);
    }
    hsp_data_free(data);
    data = make(ctx, "rings", "rows=2000 spread=0", NULL);
    for (uint64_t i = 0; i < 2000; i++)
        CHECK(fabs(hypot(test_at(data, i, 0), test_at(data, i, 1)) -
                   (sign_of(data, i) > 0 ? 1 : 0.5)) <= 2e-4);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Shapes ---- */

static void test_disjunction_density(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = make(ctx, "disjunction", "rows=5000 features=1000 density=0.03", NULL);
    CHECK(hsp_data_storage(data) == HSP_ONES && hsp_data_cols(data) == 1000);
    CHECK(fabs((double)hsp_data_nonzeros(data) / 5000 - 30) <= 1.5);
    uint64_t counts[1000] = {0}, low = 0;
    for (uint64_t k = 0; k < hsp_data_nonzeros(data); k++)
        counts[data->view.indices[k]]++;
    for (int j = 0; j < 1000; j++)
        low += counts[j] < 150 - 60 || counts[j] > 150 + 60;
    CHECK(low <= 5); /* all but the five relevant columns: 150, with a deviation of 12 */
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_text_shape(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = make(ctx, "text", "rows=5000 features=20000 nonzeros=50", NULL);
    CHECK(hsp_data_storage(data) == HSP_SPARSE);
    double mean = (double)hsp_data_nonzeros(data) / 5000;
    CHECK_NOTE(fabs(mean - 50) <= 3, "%g non-zeros a row", mean);
    for (uint64_t i = 0; i < 5000; i++) {
        hsp__row row = hsp__view_row(&data->view, i);
        double squares = 0;
        for (uint64_t k = 0; k < row.count; k++) {
            double v = hsp__row_value(&data->view, &row, k);
            CHECK(v > 0);
            squares += v * v;
        }
        CHECK(row.count > 0 && fabs(sqrt(squares) - 1) <= 0.01);
    }
    /* Zipf: the commonest column is in most rows, and half of the columns in few. */
    uint64_t *counts = calloc(20000, sizeof *counts), most = 0, rare = 0;
    for (uint64_t k = 0; k < hsp_data_nonzeros(data); k++)
        counts[data->view.indices[k]]++;
    for (int j = 0; j < 20000; j++) {
        most = counts[j] > most ? counts[j] : most;
        rare += counts[j] <= 10;
    }
    CHECK(most > 4500 && rare > 10000);
    free(counts);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Refusals and failures ---- */

static void test_refused(void)
{
    const char *const wrong[][2] = {{"separable", "margin=0.5 offset=0.5"},
                                    {"disjunction", "features=3 relevant=4"},
                                    {"disjunction", "relevant=2 threshold=3"},
                                    {"text", "features=100 nonzeros=51"}};
    hsp_context *ctx = test_context(1, 0);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        hsp_options *options = test_options(ctx, generator(wrong[k][0]), wrong[k][1]);
        hsp_data *data = NULL;
        told truth = {0};
        hsp_error err = {0};
        CHECK(hsp_data_make(ctx, options, hear, &truth, &err, &data) == HSP_USAGE && !data);
        CHECK(truth.times == 0 && strlen(err.message) > 20);
        CHECK(hsp_data_make_file(ctx, options, path_of(".svm"), NULL, NULL, NULL) == HSP_USAGE);
        CHECK(access(path_of(".svm"), F_OK) != 0);
        hsp_options_free(options);
    }
    hsp_options *options = test_options(ctx, hsp_split_options(), "");
    hsp_data *data = NULL;
    CHECK(hsp_data_make(ctx, options, NULL, NULL, NULL, &data) == HSP_USAGE && !data);
    hsp_options_free(options);
    hsp_context_free(ctx);
}

static int stop(void *user, const hsp_progress *progress)
{
    /* before the first rows are made it is not known how far the work is */
    CHECK(progress->total == 0 || (progress->done <= progress->total && progress->total == 300000));
    return --*(int *)user < 0;
}

static void test_cancelled_leaves_nothing(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_options *options = test_options(ctx, generator("xor"), "rows=300000");
    for (int patience = 0; patience < 2; patience++) {
        int left = patience;
        hsp_context_set_progress(ctx, stop, &left);
        CHECK(hsp_data_make_file(ctx, options, path_of(".svm"), NULL, NULL, NULL) == HSP_CANCELLED);
        CHECK(access(path_of(".svm"), F_OK) != 0);
        hsp_data *data = NULL;
        left = patience;
        CHECK(hsp_data_make(ctx, options, NULL, NULL, NULL, &data) == HSP_CANCELLED && !data);
    }
    hsp_options_free(options);
    hsp_context_free(ctx);
}

static void test_unwritable(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_options *options = test_options(ctx, generator("xor"), "rows=300000");
    hsp_error err = {0};
    CHECK(hsp_data_make_file(ctx, options, "/nowhere/x.svm", NULL, NULL, &err) == HSP_IO);
    if (access("/dev/full", W_OK) == 0)
        CHECK(hsp_data_make_file(ctx, options, "/dev/full", NULL, NULL, &err) == HSP_IO);
    CHECK_TEXT(err.file, access("/dev/full", W_OK) == 0 ? "/dev/full" : "/nowhere/x.svm");
    hsp_options_free(options);
    hsp_context_free(ctx);
}

static const char *memory_generator;

static hsp_status make_some(hsp_context *ctx)
{
    hsp_context *safe = test_context(1, 0);
    hsp_options *options = test_options(safe, generator(memory_generator), "rows=20");
    told truth = {0};
    hsp_data *data = NULL;
    hsp_status status = hsp_data_make(ctx, options, hear, &truth, NULL, &data);
    CHECK((status == HSP_OK) == (data != NULL));
    hsp_data_free(data);
    if (!status) status = hsp_data_make_file(ctx, options, path_of(".csv"), NULL, NULL, NULL);
    CHECK((access(path_of(".csv"), F_OK) == 0) == (status == HSP_OK));
    unlink(path_of(".csv"));
    free(truth.weights);
    hsp_options_free(options);
    hsp_context_free(safe);
    return status;
}

static void test_memory_fails(void)
{
    const char *names[] = {"separable", "disjunction", "xor"};
    for (int k = 0; k < 3; k++) {
        memory_generator = names[k];
        test_no_memory(make_some);
    }
}

int main(void)
{
    RUN(test_streams);
    RUN(test_long_stream);
    RUN(test_text_reads_back);
    RUN(test_files_read_back);
    RUN(test_same_for_threads);
    RUN(test_rows_are_their_own);
    RUN(test_printing);
    RUN(test_separable_keeps_margin);
    RUN(test_separable_text_keeps_margin);
    RUN(test_labels);
    RUN(test_no_halfspace);
    RUN(test_disjunction_density);
    RUN(test_text_shape);
    RUN(test_refused);
    RUN(test_cancelled_leaves_nothing);
    RUN(test_unwritable);
    RUN(test_memory_fails);
    return check_done();
}
