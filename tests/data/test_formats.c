/* Round trips between all formats, exact to the bit, for every storage and precision; what each
 * format cannot hold is refused with a sentence. */
#include "data/helpers.h"

#include <unistd.h>

#include "base/random.h"
#include "data/container.h"

static char folder[] = "/tmp/halfspace-test-XXXXXX";

/* Numbers of every size: short decimals, random bits, ones. */
static double random_value(hsp__random *random, int ones)
{
    if (ones) return 1;
    switch (hsp__random_below(random, 4)) {
    case 0:
        return (double)hsp__random_below(random, 2000) / 8 - 100;
    case 1:
        return hsp__random_normal(random) * 1e-30;
    case 2:
        return hsp__random_normal(random) * 1e30;
    default:
        return hsp__random_normal(random);
    }
}

/* A random data set as libsvm text, read by the reader that test_libsvm.c trusts. */
static hsp_data *random_data(hsp_context *ctx, uint64_t seed, int doubles, int ones)
{
    static char text[65536];
    hsp__random random;
    hsp__random_seed(&random, seed, 9);
    size_t used = 0;
    uint64_t rows = hsp__random_below(&random, 40), cols = 1 + hsp__random_below(&random, 12);
    uint64_t skip = 1 + hsp__random_below(&random, 3);
    for (uint64_t i = 0; i < rows; i++) {
        used += (size_t)sprintf(text + used, "L%d", (int)hsp__random_below(&random, 2 + seed % 5));
        for (uint64_t j = 1; j <= cols; j += 1 + hsp__random_below(&random, skip))
            used += (size_t)sprintf(text + used, " %d:%.17g", (int)j, random_value(&random, ones));
        used += (size_t)sprintf(text + used, "\n");
    }
    const char *const settings[] = {"format=libsvm",
                                    doubles ? "precision=double" : "precision=single",
                                    seed % 3 ? "storage=auto" : "storage=dense", NULL};
    hsp_data *data = test_parse_sized(ctx, text, used, settings, NULL);
    if (!data) abort();
    return data;
}

static hsp_data *through_file(hsp_context *ctx, hsp_data *data, const char *ending, hsp_error *err)
{
    char path[256], features[64];
    hsp_data *back = NULL;
    snprintf(path, sizeof path, "%s/data%s", folder, ending);
    /* libsvm text does not say how many columns there are */
    snprintf(features, sizeof features, "features=%llu", (unsigned long long)hsp_data_cols(data));
    int doubles = hsp_data_precision(data) == HSP_FLOAT64;
    hsp_options *options = test_read_options(
        ctx, (const char *const[]){features, "header=auto",
                                   doubles ? "precision=double" : "precision=single", NULL});
    if (!hsp_data_write(ctx, data, path, NULL, err))
        hsp_data_read(ctx, path, options, NULL, err, &back);
    hsp_options_free(options);
    unlink(path);
    return back;
}

static void test_round_trips(void)
{
    static const char *const endings[] = {".svm",    ".csv",     ".tsv",    ".hsp",
                                          ".svm.gz", ".csv.zst", ".svm.xz", ".tsv.bz2"};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        hsp_context *ctx = test_context(1 + (int)(seed % 3), seed % 5 ? 100 : 0);
        hsp_data *data = random_data(ctx, seed, seed % 4 == 0, seed % 5 == 0);
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            hsp_error err = {0};
            /* a CSV file without rows, or without columns, says too little to be read back */
            if (strchr("ct", endings[e][1]) && (!hsp_data_rows(data) || !hsp_data_cols(data)))
                continue;
            hsp_data *back = through_file(ctx, data, endings[e], &err);
            if (err.status == HSP_UNSUPPORTED) continue;
            CHECK_NOTE(back && test_same(data, back, 0), "seed %d, %s: %s", (int)seed, endings[e],
                       err.message);
            hsp_data_free(back);
        }
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
}

/* One data set through every pair of formats ends as it began. */
static void test_chains(void)
{
    static const char *const endings[] = {".svm", ".csv", ".tsv", ".hsp"};
    hsp_context *ctx = test_context(2, 0);
    for (uint64_t seed = 100; seed < 110; seed++) {
        hsp_data *data = random_data(ctx, seed, seed % 2, 0);
        for (int a = 0; a < 4 && hsp_data_rows(data); a++)
            for (int b = 0; b < 4; b++) {
                hsp_data *first = through_file(ctx, data, endings[a], NULL);
                hsp_data *second = first ? through_file(ctx, first, endings[b], NULL) : NULL;
                CHECK_NOTE(second && test_same(data, second, 0), "seed %d, %s, %s", (int)seed,
                           endings[a], endings[b]);
                hsp_data_free(first);
                hsp_data_free(second);
            }
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

static void test_odd_names(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    const float values[] = {1, 2, 3, 4};
    const uint32_t labels[] = {0, 1};
    const char *const classes[] = {"a \"b\", c", " d\te"}, *const features[] = {"x,1", "y\n2"};
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 2, 2, 2, values);
    view.labels = labels;
    view.classes = 2;
    hsp_data *data = NULL;
    CHECK(hsp_data_copy(ctx, &view, classes, features, &err, &data) == HSP_OK);
    static const char *const endings[] = {".csv", ".tsv", ".hsp"};
    for (int e = 0; data && e < 3; e++) {
        hsp_data *back = through_file(ctx, data, endings[e], &err);
        CHECK_NOTE(back && hsp_data_classes(back) == 2, "%s: %s", endings[e], err.message);
        if (!back) continue;
        CHECK_TEXT(test_label(back, 0), classes[0]);
        CHECK_TEXT(test_label(back, 1), classes[1]);
        CHECK_TEXT(hsp_data_feature_name(back, 0), features[0]);
        CHECK_TEXT(hsp_data_feature_name(back, 1), features[1]);
        hsp_data_free(back);
    }
    CHECK(data && !through_file(ctx, data, ".svm", &err) && err.status == HSP_USAGE);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Class names that look like missing values come back from CSV, where quotes tell them apart. */
static void test_names_like_missing(void)
{
    hsp_context *ctx = test_context(2, 20);
    hsp_error err = {0};
    hsp_data *data = test_parse(ctx, "NA 1:1\n? 1:2\nok 1:3\nNA 1:4\nnan1 1:5\n", NULL, &err);
    hsp_data *back = data ? through_file(ctx, data, ".csv", &err) : NULL;
    CHECK_NOTE(back && test_same(data, back, 0), "%s", err.message);
    hsp_data_free(back);
    hsp_data_free(data);
    /* without quotes, and after one with quotes was seen, it is still missing */
    CHECK(
        !test_parse(ctx, "1,\"NA\"\n2,NA\n3,b\n", (const char *const[]){"format=csv", NULL}, &err));
    CHECK(err.status == HSP_BAD_DATA && err.line == 2);
    hsp_context_free(ctx);
}

/* A cache that is compressed, or comes through a pipe, is read into memory; one whose offsets are
 * wrong though its checksums are right is an error there too. */
static void test_cache_from_memory(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    const uint64_t starts[] = {0, (uint64_t)1 << 40, 3};
    const uint32_t indices[] = {0, 1, 2};
    const float values[] = {1, 1, 1};
    char path[256], bytes[4096];
    hsp_data *data = test_parse(ctx, "1 1:1.5 900:1\n0 5:1.5\n", NULL, &err);
    hsp_data *back = data ? through_file(ctx, data, ".hsp.gz", &err) : NULL;
    CHECK_NOTE(err.status == HSP_UNSUPPORTED || (back && test_same(data, back, 1)), "%s",
               err.message);
    hsp_data_free(back);
    hsp_data_free(data);
    const hsp__tensor tensors[] = {{"starts", HSP__U64, 1, {3, 0}, starts},
                                   {"indices", HSP__U32, 1, {3, 0}, indices},
                                   {"values", HSP__F32, 1, {3, 0}, values}};
    const hsp__meta meta[] = {{"format", "halfspace-data"},
                              {"version", "1"},
                              {"storage", "sparse"},
                              {"precision", "single"},
                              {"rows", "2"},
                              {"cols", "9"},
                              {"nonzeros", "3"},
                              {"classes", "[]"}};
    snprintf(path, sizeof path, "%s/evil.hsp", folder);
    CHECK(hsp__container_write(ctx, path, meta, 8, tensors, 3, &err) == HSP_OK);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    data = NULL;
    CHECK(hsp_data_parse(ctx, bytes, size, "evil.hsp", NULL, NULL, &err, &data) == HSP_BAD_DATA);
    CHECK_NOTE(strstr(err.message, "offsets are not ascending"), "%s", err.message);
    CHECK(!data);
    unlink(path);
    hsp_context_free(ctx);
}

static void test_guess(void)
{
    static const struct {
        const char *text;
        uint64_t rows, cols;
        uint32_t classes;
    } cases[] = {
        {"+1 1:2 3:4\n-1 2:1\n", 2, 3, 2}, {"a,b,y\n1,2,p\n3,4,q\n", 2, 2, 2},
        {"1;2;p\n3;4;q\n", 2, 2, 2},       {"1\t2\tp\n3\t4\tq\n", 2, 2, 2},
        {"# note\n\n1 5:1\n", 1, 5, 1},    {"1,2,0\n3,4,1\n", 2, 2, 2},
    };
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_error err = {0};
        hsp_data *data = test_parse(ctx, cases[i].text, NULL, &err);
        CHECK_NOTE(data && hsp_data_rows(data) == cases[i].rows &&
                       hsp_data_cols(data) == cases[i].cols &&
                       hsp_data_classes(data) == cases[i].classes,
                   "case %zu: %s", i, err.message);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    RUN(test_round_trips);
    RUN(test_chains);
    RUN(test_odd_names);
    RUN(test_names_like_missing);
    RUN(test_cache_from_memory);
    RUN(test_guess);
    rmdir(folder);
    return check_done();
}
