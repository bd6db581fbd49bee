/* How exact the numbers of a data set are: the digits of the text they came from. */
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

int main(void)
{
    RUN(test_digits_of_text);
    RUN(test_digits_on_threads);
    RUN(test_digits_are_kept);
    RUN(test_exact);
    return check_done();
}
