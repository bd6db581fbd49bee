/* The precision that numbers are kept in: chosen from the data, by the same rule for files and
 * pipes, whatever the blocks and threads; and how exact the numbers are, by the digits of their
 * text. */
#include <pthread.h>
#include <unistd.h>

#include "data/helpers.h"

static const char *const libsvm[] = {"format=libsvm", NULL};
static const char *const csv[] = {"format=csv", NULL};

static int digits_of(const char *text, const char *const *settings)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, text, settings, NULL);
    const int digits = data ? data->digits : -1;
    hsp_data_free(data);
    hsp_context_free(ctx);
    return digits;
}

static void test_digits_of_text(void)
{
    const char *const means[] = {"format=csv", "missing=mean", NULL};
    CHECK(digits_of("a 1:1 2:0.25\nb 1:7 2:1234567\n", libsvm) == 6);
    CHECK(digits_of("a 1:1 2:0.25\nb 1:7 2:0.12345678\n", libsvm) == 8);
    CHECK(digits_of("12345678 1:1 2:0.25\nb 12345678:7\n", libsvm) == 6); /* label, index */
    CHECK(digits_of("x,y\n1.5,a\n-2.123456789,b\n", csv) == 10);
    CHECK(digits_of("x,y\n1.5,a\n\"2.1234567\",b\n", csv) == 8);
    CHECK(digits_of("x,z,y\n1.5,12345678901x,a\n2,w,b\n", csv) == 6);
    CHECK(digits_of("x,y\n1.5,a\n?,b\n", means) == 0);
    CHECK(digits_of("x,y\n1.5,a\n2,b\n", means) == 6);
}

/* Whoever reads which block, the most digits are the same. */
static void test_digits_on_threads(void)
{
    char text[4096];
    size_t size = 0;
    for (int i = 0; i < 200; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "a 1:%s\n",
                                 i == 137 ? "3.1415926535" : "2.50000000");
    for (int threads = 1; threads <= 4; threads++) {
        hsp_context *ctx = test_context(threads, 64);
        hsp_data *data = test_parse_sized(ctx, text, size, libsvm, NULL);
        CHECK(data && data->digits == 11);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
}

static void test_digits_are_kept(void)
{
    const uint64_t rows[] = {1};
    const char *const sparse[] = {"storage=sparse", NULL}, *const single[] = {"precision=single",
                                                                              NULL};
    char path[64];
    snprintf(path, sizeof path, "/tmp/hsp_digits_%d.hsp", (int)getpid());
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data =
        test_parse(ctx, "a 1:1 2:0.123456789\nb 1:7 2:1\n",
                   (const char *const[]){"format=libsvm", "precision=double", NULL}, NULL);
    hsp_data *some = NULL, *cached = NULL, *other = NULL, *copy = NULL;
    CHECK(data && data->digits == 9 && hsp__data_is_exact(data));
    CHECK(hsp_data_select(ctx, data, rows, 1, NULL, &some) == HSP_OK && some->digits == 9);
    CHECK(hsp_data_write(ctx, data, path, NULL, NULL) == HSP_OK);
    CHECK(hsp_data_read(ctx, path, NULL, NULL, NULL, &cached) == HSP_OK && cached->digits == 9);
    hsp_data_free(cached);
    hsp_options *options = test_read_options(ctx, sparse);
    CHECK(hsp_data_read(ctx, path, options, NULL, NULL, &other) == HSP_OK && other->digits == 9);
    hsp_options_free(options);
    hsp_data_free(other);
    /* rounded once more: more digits than a float holds */
    options = test_read_options(ctx, single);
    CHECK(hsp_data_read(ctx, path, options, NULL, NULL, &other) == HSP_OK && other->digits == 9);
    hsp_options_free(options);
    CHECK(hsp_data_copy(ctx, &data->view, NULL, NULL, NULL, &copy) == HSP_OK && copy->digits == 0);
    CHECK(copy && !hsp__data_is_exact(copy));
    unlink(path);
    hsp_data_free(copy);
    hsp_data_free(other);
    hsp_data_free(some);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_exact(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *short_one = test_parse(ctx, "a 1:0.123456\nb\n", libsvm, NULL);
    hsp_data *long_one =
        test_parse(ctx, "a 1:0.1234567\nb\n",
                   (const char *const[]){"format=libsvm", "precision=single", NULL}, NULL);
    CHECK(short_one && hsp__data_is_exact(short_one));
    CHECK(long_one && !hsp__data_is_exact(long_one));
    hsp_data_free(short_one);
    hsp_data_free(long_one);
    hsp_context_free(ctx);
}

/* ---- Which precision ------------------------------------------------------------------------- */

typedef struct pipe_text {
    int fd;
    const char *text;
    size_t size;
} pipe_text;

static void *pipe_write(void *user)
{
    pipe_text *job = user;
    for (size_t at = 0; at < job->size;) {
        ssize_t put = write(job->fd, job->text + at, job->size - at);
        if (put <= 0) break;
        at += (size_t)put;
    }
    close(job->fd);
    return NULL;
}

/* Read text that cannot be read twice. */
static hsp_data *through_pipe(hsp_context *ctx, const char *text, const char *const *settings)
{
    int ends[2];
    char path[64];
    hsp_data *data = NULL;
    pthread_t writer;
    if (pipe(ends)) abort();
    pipe_text job = {ends[1], text, strlen(text)};
    if (pthread_create(&writer, NULL, pipe_write, &job)) abort();
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    hsp_options *options = test_read_options(ctx, settings);
    hsp_data_read(ctx, path, options, NULL, NULL, &data);
    hsp_options_free(options);
    pthread_join(writer, NULL);
    close(ends[0]);
    return data;
}

/* The precision chosen for a text: the same for every cut into blocks, number of threads, and from
 * a pipe; and the same numbers as when that precision is asked for. */
static hsp_precision chosen(const char *text, const char *format)
{
    static const struct {
        int threads;
        size_t block;
    } ways[] = {{1, 0}, {1, 7}, {3, 7}, {2, 40}, {4, 1}};
    char option[32];
    snprintf(option, sizeof option, "format=%s", format);
    const char *settings[] = {option, NULL, NULL};
    hsp_precision first = HSP_FLOAT32;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        hsp_context *ctx = test_context(ways[w].threads, ways[w].block);
        settings[1] = NULL;
        hsp_data *file = test_parse(ctx, text, settings, NULL);
        hsp_data *piped = through_pipe(ctx, text, settings);
        CHECK(file && piped);
        if (file && piped) {
            if (w == 0) first = hsp_data_precision(file);
            settings[1] = first == HSP_FLOAT64 ? "precision=double" : "precision=single";
            hsp_data *asked = test_parse(ctx, text, settings, NULL);
            CHECK_NOTE(test_same(file, piped, 1), "%s", text);
            CHECK_NOTE(asked && test_same(file, asked, 1), "%s", text);
            CHECK((hsp_data_precision(file) == HSP_FLOAT64) == (*file->why != 0));
            CHECK_TEXT(file->why, piped->why);
            CHECK(file->digits == piped->digits);
            hsp_data_free(asked);
        }
        hsp_data_free(file);
        hsp_data_free(piped);
        hsp_context_free(ctx);
    }
    return first;
}

static void expect_choice(const char *text, const char *format, hsp_precision want)
{
    CHECK_NOTE(chosen(text, format) == want, "%s: %s", format, text);
}

/* Each case as CSV, and as libsvm text where all columns are there. */
static void test_choice(void)
{
    static const struct {
        const char *values[6];
        hsp_precision want;
    } cases[] = {
        {{"0", "1", "0.5"}, HSP_FLOAT32},
        {{"16777216", "16777217"}, HSP_FLOAT64}, /* whole, and not a float */
        {{"16777216", "16777215"}, HSP_FLOAT32},
        {{"0", "-16777217"}, HSP_FLOAT64},
        {{"0", "33554432"}, HSP_FLOAT32},    /* a power of two */
        {{"1", "2", "1e39"}, HSP_FLOAT64},   /* too large */
        {{"1", "2", "-1e-40"}, HSP_FLOAT64}, /* too small */
        {{"1", "2", "1e-200"}, HSP_FLOAT64},
        {{"0.1", "0.1", "0.1"}, HSP_FLOAT32}, /* always the same */
        {{"1700.01", "1700.02", "1700.05"}, HSP_FLOAT64},
        {{"1700.01", "1700.02", "1701.05"}, HSP_FLOAT32},
        {{"1700.01", "1700.02", "0"}, HSP_FLOAT32},
        {{"1700.01", "1700.02", "-1700.02"}, HSP_FLOAT32},
        {{"1000001", "1000002", "1000003"}, HSP_FLOAT32}, /* whole: floats hold them */
        {{"1000001", "1000002", "1000003.5"}, HSP_FLOAT64},
        {{"1700000.001", "1700000.002"}, HSP_FLOAT64}, /* one float */
        {{"1", "1.00000001"}, HSP_FLOAT64},
        {{"0.12345678901234567", "0.98765432109876543"}, HSP_FLOAT32},
        {{"1.0000000", "1.0000000"}, HSP_FLOAT32},
        {{"1e-30", "2e-30"}, HSP_FLOAT32},
        {{"0.50000000000000000000001", "0.25"}, HSP_FLOAT32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char csv_text[1024] = "x,z,y\n", svm_text[1024] = "";
        for (int r = 0; r < 6 && cases[i].values[r]; r++) {
            size_t c = strlen(csv_text), s = strlen(svm_text);
            const char *label = r % 2 ? "a" : "b", *v = cases[i].values[r];
            snprintf(csv_text + c, sizeof csv_text - c, "%s,%d,%s\n", v, r, label);
            snprintf(svm_text + s, sizeof svm_text - s, "%s 1:%d 5:%s\n", label, r + 1, v);
        }
        expect_choice(csv_text, "csv", cases[i].want);
        expect_choice(svm_text, "libsvm", cases[i].want);
    }
    /* a column that a row lacks has a zero */
    expect_choice("a 1:1 2:1700.01\nb 1:2 2:1700.02\n", "libsvm", HSP_FLOAT64);
    expect_choice("a 1:1 2:1700.01\nb 1:2 2:1700.02\nb 1:1\n", "libsvm", HSP_FLOAT32);
    expect_choice("a 1:1 2:1700.01\nb 1:2 2:1700.02\nb\n", "libsvm", HSP_FLOAT32);
    /* columns from 0, and that is seen late */
    expect_choice("a 1:1 2:1700.01\nb 1:2 2:1700.02\nb 0:1 1:1 2:1700.03\n", "libsvm", HSP_FLOAT64);
    /* missing values are none, words are no numbers, the label is not stored */
    expect_choice("x,y\n12345678901,1700000001\n", "csv", HSP_FLOAT64);
    expect_choice("x,y\n1,1700000001\n2,1700000002\n", "csv", HSP_FLOAT32);
    expect_choice("x,w,y\n1,1700000001a,p\n2,1700000002a,q\n", "csv", HSP_FLOAT32);
}

/* Where it is decided by a late row, every earlier one is kept in full. */
static void test_late(void)
{
    char text[64000];
    size_t size = (size_t)snprintf(text, sizeof text, "x,t,y\n");
    for (int i = 0; i < 2000; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "0.%d,%s,%c\n", 100000 + i,
                                 i == 1990 ? "1700000001" : "0.1", 'a' + i % 2);
    expect_choice(text, "csv", HSP_FLOAT64);
    hsp_context *ctx = test_context(2, 500);
    hsp_data *data = test_parse(ctx, text, csv, NULL);
    CHECK(data && test_at(data, 0, 1) == 0.1 && test_at(data, 1990, 1) == 1700000001);
    CHECK(data && test_at(data, 3, 0) == 0.100003);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Means that fill gaps do not depend on how the file came. */
static void test_means_from_pipe(void)
{
    const char *const settings[] = {"format=csv", "missing=mean", NULL};
    const char *text = "x,w,y\n0.1,u,a\n?,v,b\n0.7,?,a\n0.3,u,b\n";
    hsp_context *ctx = test_context(2, 10);
    hsp_data *file = test_parse(ctx, text, settings, NULL);
    hsp_data *piped = through_pipe(ctx, text, settings);
    CHECK(file && piped && test_same(file, piped, 1));
    CHECK(file && hsp_data_precision(file) == HSP_FLOAT32);
    hsp_data_free(file);
    hsp_data_free(piped);
    hsp_context_free(ctx);
}

static void test_reason(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = test_parse(ctx, "ts,y\n1700000000,a\n1700000001,b\n", csv, NULL);
    CHECK(data);
    if (data)
        CHECK_TEXT(hsp_data_precision_reason(data), "column 'ts' has numbers beyond 16777216 that "
                                                    "32 bits do not hold (such as 1700000001)");
    hsp_data_free(data);
    data = test_parse(ctx, "a 3:1700.01\nb 3:1700.02\n", libsvm, NULL);
    CHECK(data);
    if (data)
        CHECK_TEXT(hsp_data_precision_reason(data),
                   "the values of column 3, from about 1700.01 to 1700.02, are too close "
                   "together for 32 bits");
    hsp_data_free(data);
    data = test_parse(ctx, "a 3:1700000001\nb 3:0.1\n",
                      (const char *const[]){"format=libsvm", "precision=double", NULL}, NULL);
    CHECK(data);
    if (data) CHECK_TEXT(hsp_data_precision_reason(data), ""); /* it was asked for */
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_choice);
    RUN(test_late);
    RUN(test_means_from_pipe);
    RUN(test_reason);
    RUN(test_digits_of_text);
    RUN(test_digits_on_threads);
    RUN(test_digits_are_kept);
    RUN(test_exact);
    return check_done();
}
