/* Streamed rows are the rows of hsp_data_read, to the bit, at every block size and number of
 * threads. */
#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/random.h"
#include "data/helpers.h"
#include "data/stream.h"

/* Stream a text, as the file `name` in a folder of its own. */
static hsp_status stream_text(hsp_context *ctx, const char *text, size_t size, const char *name,
                              const hsp_options *options, const hsp_encoding *encoding,
                              hsp__names *classes, const hsp__row_sink *sink, void *self,
                              hsp_error *err)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file)) abort();
    const hsp_status status =
        hsp__stream_read(ctx, name, options, encoding, classes, sink, self, err);
    unlink(name);
    return status;
}

/* ---- A sink that compares -------------------------------------------------------------------- */

typedef struct stream_watch {
    const hsp_data *want;
    hsp__names *classes;
    uint64_t rows;        /* taken so far */
    atomic_ullong worked; /* rows seen by work */
    uint64_t last[16];    /* rows that each worker worked on last */
    int exact;            /* the storage must be the same too */
    int bad;
    uint64_t fail_at; /* a row at which work says no, or UINT64_MAX */
} stream_watch;

static hsp_status watch_work(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    stream_watch *watch = self;
    if (rows->labels) watch->bad |= 1;
    watch->last[worker] = rows->rows;
    atomic_fetch_add(&watch->worked, rows->rows);
    for (uint64_t i = 0; i < rows->rows && watch->fail_at != UINT64_MAX; i++) {
        hsp__row row = hsp__view_row(rows, i);
        if (row.count && hsp__row_value(rows, &row, 0) == 777) {
            if (err) *err = (hsp_error){.line = i + 1};
            snprintf(err->message, sizeof err->message, "no");
            return HSP_BAD_DATA;
        }
    }
    return HSP_OK;
}

static int same_row(const hsp_view *u, uint64_t i, const hsp_view *v, uint64_t j)
{
    hsp__row x = hsp__view_row(u, i), y = hsp__view_row(v, j);
    for (uint64_t k = 0, l = 0;;) {
        while (k < x.count && hsp__row_value(u, &x, k) == 0)
            k++;
        while (l < y.count && hsp__row_value(v, &y, l) == 0)
            l++;
        if (k == x.count || l == y.count) return k == x.count && l == y.count;
        double p = hsp__row_value(u, &x, k), q = hsp__row_value(v, &y, l);
        if (hsp__row_column(&x, k++) != hsp__row_column(&y, l++) || memcmp(&p, &q, sizeof p) != 0)
            return 0;
    }
}

static int is_sparse(hsp_storage storage)
{
    return storage != HSP_DENSE;
}

static hsp_status watch_take(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    stream_watch *watch = self;
    const hsp_view *want = &watch->want->view;
    (void)err;
    if (watch->last[worker] != rows->rows || watch->rows + rows->rows > want->rows ||
        rows->cols > want->cols || rows->precision != want->precision)
        watch->bad |= 2;
    if (watch->exact && is_sparse(rows->storage) != is_sparse(want->storage)) watch->bad |= 4;
    for (uint64_t i = 0; i < rows->rows && !watch->bad; i++) {
        if (!same_row(rows, i, want, watch->rows + i)) watch->bad |= 8;
        if (!rows->labels != !want->labels) {
            watch->bad |= 16;
            continue;
        }
        if (!rows->labels) continue;
        if (rows->labels[i] >= rows->classes || rows->classes > watch->classes->count) {
            watch->bad |= 32;
        } else if (strcmp(hsp__names_get(watch->classes, rows->labels[i]),
                          test_label(watch->want, watch->rows + i)) != 0) {
            watch->bad |= 64;
        }
    }
    watch->rows += rows->rows;
    return HSP_OK;
}

static const hsp__row_sink watch_sink = {.work = watch_work, .take = watch_take};

/* Pass a text by, and compare it with reading it whole. */
static void compare(const char *name, const char *text, size_t size, const char *const *settings,
                    const hsp_encoding *encoding, int exact)
{
    static const int threads[] = {1, 2, 7};
    static const size_t blocks[] = {1, 7, 64, 1000, 0};
    hsp_context *whole = test_context(2, 0);
    hsp_options *options = test_read_options(whole, settings);
    hsp_data *data = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_data_parse(whole, text, size, name, options, encoding, &err, &data) == HSP_OK,
               "%s", err.message);
    for (int t = 0; data && t < 3; t++)
        for (int b = 0; b < 5; b++) {
            hsp_context *ctx = test_context(threads[t], blocks[b]);
            hsp__names classes;
            hsp__names_init(&classes, &ctx->allocator);
            stream_watch watch = {
                .want = data, .classes = &classes, .exact = exact, .fail_at = UINT64_MAX};
            hsp_status status = stream_text(ctx, text, size, name, options, encoding, &classes,
                                            &watch_sink, &watch, &err);
            CHECK_NOTE(status == HSP_OK, "%s", err.message);
            CHECK_NOTE(!watch.bad, "%d threads, blocks of %zu: fault %d", threads[t], blocks[b],
                       watch.bad);
            CHECK(watch.rows == data->view.rows && watch.worked == data->view.rows);
            CHECK(classes.count == data->view.classes);
            hsp__names_free(&classes);
            hsp_context_free(ctx);
        }
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(whole);
}

/* ---- libsvm ---------------------------------------------------------------------------------- */

/* A random file: sparse or nearly dense, ones or numbers, comments and blank lines in between. */
static size_t random_libsvm(hsp__random *random, char *text, size_t room)
{
    const uint64_t rows = hsp__random_below(random, 40), cols = 1 + hsp__random_below(random, 12);
    const uint64_t fill = 1 + hsp__random_below(random, 10), ones = hsp__random_below(random, 2);
    const uint64_t base = hsp__random_below(random, 2);
    size_t at = 0;
    for (uint64_t i = 0; i < rows; i++) {
        if (hsp__random_below(random, 15) == 0)
            at += (size_t)snprintf(text + at, room - at, "# nothing\n\n");
        at += (size_t)snprintf(text + at, room - at, "%s%llu",
                               hsp__random_below(random, 2) ? "+" : "word",
                               (unsigned long long)hsp__random_below(random, 4));
        for (uint64_t j = 0; j < cols; j++)
            if (hsp__random_below(random, 10) < fill)
                at += (size_t)snprintf(text + at, room - at, " %llu:%.4g",
                                       (unsigned long long)(j + base),
                                       ones ? 1.0 : hsp__random_normal(random));
        at += (size_t)snprintf(text + at, room - at, "\n");
    }
    if (at && hsp__random_below(random, 2)) at--; /* no end of the last line */
    return at;
}

static void libsvm_equals_the_whole_file(void)
{
    static char text[40000];
    static const char *const as_double[] = {"precision=double", NULL};
    static const char *const wider[] = {"features=20", NULL};
    static const char *const dense[] = {"storage=dense", NULL};
    static const char *const sparse[] = {"storage=sparse", NULL};
    for (uint64_t seed = 0; seed < 60; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 1, seed);
        size_t size = random_libsvm(&random, text, sizeof text);
        compare("t.svm", text, size, NULL, NULL, 1);
        compare("t.svm", text, size, seed % 2 ? as_double : wider, NULL, 1);
        compare("t.svm", text, size, seed % 2 ? dense : sparse, NULL, 1);
    }
}

static void an_index_0_that_comes_late_is_an_error(void)
{
    const size_t lines = 60000;
    char *text = malloc(lines * 8 + 16);
    for (size_t i = 0; i < lines; i++)
        memcpy(text + i * 8, "1 3:2.5\n", 8);
    memcpy(text + lines * 8, "2 0:1\n", 6);
    hsp_context *ctx = test_context(2, 0);
    hsp_error err = {0};
    hsp__names classes;
    hsp_data *data = NULL;
    hsp__names_init(&classes, &ctx->allocator);
    CHECK(hsp_data_parse(ctx, text, lines * 8, "t.svm", NULL, NULL, NULL, &data) == HSP_OK);
    stream_watch watch = {.want = data, .classes = &classes, .fail_at = UINT64_MAX};
    CHECK(stream_text(ctx, text, lines * 8 + 6, "t.svm", NULL, NULL, &classes, &watch_sink, &watch,
                      &err) == HSP_BAD_DATA);
    CHECK(err.line == lines + 1 && strstr(err.message, "index-base"));
    CHECK_TEXT(err.file, "t.svm");
    hsp__names_free(&classes);
    hsp_data_free(data);
    hsp_context_free(ctx);
    free(text);
}

static void an_error_of_the_sink_has_its_line(void)
{
    static const int threads[] = {1, 2, 7};
    char text[3000];
    size_t at = 0;
    for (int i = 1; i <= 200; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "1 1:%d\n", i == 123 ? 777 : i % 7 + 1);
    for (int t = 0; t < 3; t++) {
        hsp_context *ctx = test_context(threads[t], 40);
        hsp_error err = {0};
        hsp_data *data = test_parse(ctx, text, NULL, NULL);
        hsp__names classes;
        hsp__names_init(&classes, &ctx->allocator);
        stream_watch watch = {.want = data, .classes = &classes};
        CHECK(stream_text(ctx, text, at, "t.svm", NULL, NULL, &classes, &watch_sink, &watch,
                          &err) == HSP_BAD_DATA);
        CHECK_NOTE(err.line == 123, "line %llu", (unsigned long long)err.line);
        CHECK(watch.rows <= 122);
        hsp__names_free(&classes);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
}

/* The rows of a block need not be its lines: blank ones, comments, text in quotes, rows left out,
 * no end of the last line. */
static void the_line_is_that_of_the_row(void)
{
    static const struct {
        const char *name, *text, *missing;
        uint64_t line;
    } files[] = {
        {"t.svm", "1 1:1\n\n1 1:2\n# a\n2 1:777\n1 1:3\n", NULL, 5},
        {"t.svm", "1 1:1\n\n1 1:777", NULL, 3},
        {"t.csv", "a,b,class\n0,1,x\n\n777,2,y", NULL, 4},
        {"t.csv", "a,b,class\n\n\n1,1,x\n777,2,y\n1,2,x\n", NULL, 5},
        {"t.csv", "a,b,class\n1,1,\"x\ny\"\n777,2,y\n", NULL, 4},
        {"t.csv", "a,b,class\n1,1,x\n1,,x\n777,2,y\n", "drop", 4},
    };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (size_t block = 8; block <= 64; block += 28) {
            hsp_context *ctx = test_context(2, block);
            hsp_error err = {0};
            hsp_options *read = NULL;
            if (hsp_options_new(ctx, hsp_read_options(), NULL, &read)) abort();
            if (files[f].missing) hsp_options_set(read, "missing", files[f].missing, NULL);
            hsp_data *data = NULL;
            hsp__names classes;
            CHECK(hsp_data_parse(ctx, files[f].text, strlen(files[f].text), files[f].name, read,
                                 NULL, &err, &data) == HSP_OK);
            hsp__names_init(&classes, &ctx->allocator);
            stream_watch watch = {.want = data, .classes = &classes};
            CHECK(stream_text(ctx, files[f].text, strlen(files[f].text), files[f].name, read, NULL,
                              &classes, &watch_sink, &watch, &err) == HSP_BAD_DATA);
            CHECK_NOTE(err.line == files[f].line, "file %zu: line %llu: %s", f,
                       (unsigned long long)err.line, err.message);
            hsp__names_free(&classes);
            hsp_data_free(data);
            hsp_options_free(read);
            hsp_context_free(ctx);
        }
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static size_t random_csv(hsp__random *random, char *text, size_t room, int words, int labels)
{
    static const char *const colours[] = {"red", "green", "\"a, quoted\nblue\"", "x"};
    const uint64_t rows = 2 + hsp__random_below(random, 40), zeros = hsp__random_below(random, 10);
    size_t at =
        (size_t)snprintf(text, room, "a,%sc%s\n", words ? "colour," : "", labels ? ",y" : "");
    for (uint64_t i = 0; i < rows; i++) {
        at += (size_t)snprintf(text + at, room - at, "%.3g,",
                               hsp__random_below(random, 10) < zeros ? 0
                                                                     : hsp__random_normal(random));
        if (words)
            at += (size_t)snprintf(text + at, room - at, "%s,",
                                   colours[hsp__random_below(random, i < 4 ? i + 1 : 4)]);
        at += (size_t)snprintf(text + at, room - at, "%.3g",
                               hsp__random_below(random, 10) < zeros ? 0
                                                                     : hsp__random_normal(random));
        if (labels)
            at += (size_t)snprintf(text + at, room - at, ",%s",
                                   hsp__random_below(random, 2) ? "yes" : "no");
        at += (size_t)snprintf(text + at, room - at, "\n");
    }
    return at;
}

static void csv_of_numbers_equals_the_whole_file(void)
{
    static char text[20000];
    static const char *const unlabelled[] = {"label=none", NULL};
    for (uint64_t seed = 0; seed < 40; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 2, seed);
        int labels = seed % 2 == 0;
        size_t size = random_csv(&random, text, sizeof text, 0, labels);
        compare("t.csv", text, size, labels ? NULL : unlabelled, NULL, 1);
    }
}

static void csv_with_an_encoding_equals_the_whole_file(void)
{
    static char text[20000], other[20000];
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 40; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 3, seed);
        size_t size = random_csv(&random, text, sizeof text, 1, 1);
        hsp_data *first = test_parse_sized(ctx, text, size, NULL, NULL);
        size = random_csv(&random, other, sizeof other, 1, seed % 3 != 0);
        compare("t.csv", other, size, NULL, hsp_data_encoding(first), 1);
        hsp_data_free(first);
    }
    hsp_context_free(ctx);
}

static hsp_status stream_csv(const char *text, const char *const *settings, int unlabelled,
                             const hsp_encoding *encoding, hsp_error *err, uint64_t *rows)
{
    hsp_context *ctx = test_context(2, 30);
    hsp_options *options = test_read_options(ctx, settings);
    hsp__row_sink sink = watch_sink;
    hsp__names classes;
    hsp_data nothing = {.view = {.rows = 0}};
    stream_watch watch = {.want = &nothing, .classes = &classes, .fail_at = UINT64_MAX};
    sink.unlabelled = unlabelled;
    hsp__names_init(&classes, &ctx->allocator);
    hsp_status status = stream_text(ctx, text, strlen(text), "t.csv", options, encoding, &classes,
                                    &sink, &watch, err);
    *rows = watch.rows;
    hsp__names_free(&classes);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return status;
}

static void what_a_stream_cannot_do_is_said(void)
{
    static const char *const mean[] = {"missing=mean", NULL}, *const drop[] = {"missing=drop",
                                                                               NULL};
    static const char *const header[] = {"header=yes", NULL}, *const indicator[] = {
                                                                  "missing=indicator", NULL};
    const char *missing = "a,b,y\n1,2,no\n3,4,yes\n5,?,no\n7,8,yes\n";
    hsp_error err = {0};
    uint64_t rows;
    CHECK(stream_csv("a,b,y\n1,red,no\n2,blue,yes\n", NULL, 0, NULL, &err, &rows) == HSP_USAGE);
    CHECK(strstr(err.message, "categorical") && strstr(err.message, "'b'"));
    CHECK(stream_csv(missing, indicator, 0, NULL, &err, &rows) == HSP_USAGE);
    CHECK(stream_csv(missing, mean, 0, NULL, &err, &rows) == HSP_OK && rows == 4);
    CHECK(stream_csv(missing, NULL, 0, NULL, &err, &rows) == HSP_BAD_DATA);
    CHECK_NOTE(err.line == 4 && err.column == 3, "%llu:%llu", (unsigned long long)err.line,
               (unsigned long long)err.column);
    CHECK(stream_csv(missing, drop, 0, NULL, &err, &rows) == HSP_OK);
    CHECK(rows == 3);
    CHECK(stream_csv("a,b,y\n", header, 0, NULL, &err, &rows) == HSP_BAD_DATA);
    CHECK(stream_csv("a,b,y\n1,2,no\n3,x,yes\n", NULL, 0, NULL, &err, &rows) != HSP_OK);
}

/* Labels that nobody wants may be missing. */
static void unlabelled_rows_need_no_labels(void)
{
    hsp_error err = {0};
    uint64_t rows;
    CHECK(stream_csv("a,b,y\n1,2,no\n3,4,?\n5,6,\n", NULL, 1, NULL, &err, &rows) == HSP_OK);
    CHECK(rows == 3);
    CHECK(stream_csv("a,b,y\n1,2,no\n3,4,?\n5,6,\n", NULL, 0, NULL, &err, &rows) == HSP_BAD_DATA);
}

/* ---- Other ways in --------------------------------------------------------------------------- */

static void compare_file(const hsp_data *want, const char *path)
{
    static const int threads[] = {1, 2, 7};
    for (int t = 0; t < 3; t++) {
        hsp_context *ctx = test_context(threads[t], 100);
        hsp__names classes;
        hsp_error err = {0};
        hsp__names_init(&classes, &ctx->allocator);
        stream_watch watch = {.want = want, .classes = &classes, .fail_at = UINT64_MAX, .exact = 1};
        hsp_status status =
            hsp__stream_read(ctx, path, NULL, NULL, &classes, &watch_sink, &watch, &err);
        if (status == HSP_UNSUPPORTED) {
            hsp__names_free(&classes);
            hsp_context_free(ctx);
            CHECK_SKIP("no compression in this build");
        }
        CHECK_NOTE(status == HSP_OK, "%s: %s", path, err.message);
        CHECK_NOTE(!watch.bad && watch.rows == want->view.rows, "%s: fault %d", path, watch.bad);
        hsp__names_free(&classes);
        hsp_context_free(ctx);
    }
}

static void files_packed_files_and_caches(void)
{
    static const char *const endings[] = {"svm", "svm.gz", "hsp"};
    static char text[40000];
    hsp_context *ctx = test_context(2, 0);
    for (uint64_t seed = 0; seed < 6; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 4, seed);
        size_t size = random_libsvm(&random, text, sizeof text);
        hsp_data *data = test_parse_sized(ctx, text, size, NULL, NULL);
        for (int e = 0; e < 3; e++) {
            char path[64];
            snprintf(path, sizeof path, "/tmp/hsp-stream-%ld.%s", (long)getpid(), endings[e]);
            hsp_error err = {0};
            hsp_status status = hsp_data_write(ctx, data, path, NULL, &err);
            if (status == HSP_UNSUPPORTED) continue;
            CHECK_NOTE(status == HSP_OK, "%s", err.message);
            hsp_data *back = NULL; /* text need not name the last columns */
            CHECK(hsp_data_read(ctx, path, NULL, NULL, &err, &back) == HSP_OK);
            if (back) compare_file(back, path);
            hsp_data_free(back);
            unlink(path);
        }
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

/* Names that were there before keep their numbers. */
static void classes_may_be_known_beforehand(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__names classes;
    uint32_t number;
    hsp_data *data = test_parse(ctx, "b 1:1\na 1:2\nc 1:3\n", NULL, NULL);
    hsp__names_init(&classes, &ctx->allocator);
    CHECK(hsp__names_add(&classes, "a", 1, &number));
    stream_watch watch = {.want = data, .classes = &classes, .fail_at = UINT64_MAX};
    CHECK(stream_text(ctx, "b 1:1\na 1:2\nc 1:3\n", 18, "t", NULL, NULL, &classes, &watch_sink,
                      &watch, NULL) == HSP_OK);
    CHECK(!watch.bad && classes.count == 3);
    CHECK_TEXT(hsp__names_get(&classes, 0), "a");
    CHECK_TEXT(hsp__names_get(&classes, 1), "b");
    hsp__names_free(&classes);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    char folder[] = "/tmp/hsp_stream_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    RUN(libsvm_equals_the_whole_file);
    RUN(an_index_0_that_comes_late_is_an_error);
    RUN(an_error_of_the_sink_has_its_line);
    RUN(the_line_is_that_of_the_row);
    RUN(csv_of_numbers_equals_the_whole_file);
    RUN(csv_with_an_encoding_equals_the_whole_file);
    RUN(what_a_stream_cannot_do_is_said);
    RUN(unlabelled_rows_need_no_labels);
    RUN(files_packed_files_and_caches);
    RUN(classes_may_be_known_beforehand);
    rmdir(folder);
    return check_done();
}
