/* Several files are read as one: the rows of a text that is cut between its records, at every block
 * size and number of threads; and errors are in the file and line where the user finds them. */
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "data/helpers.h"
#include "data/stream.h"

static char folder[] = "/tmp/halfspace-files-XXXXXX";

/* A name in the folder; valid for eight more calls. */
static const char *in_folder(const char *name)
{
    static char paths[8][80];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const char *text, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file)) abort();
    return path;
}

static const char *const names[] = {"0", "1", "2", "3"};

static void clear(void)
{
    for (size_t i = 0; i < 4; i++)
        unlink(in_folder(names[i]));
}

#define ROWS 200

/* Records of either format, `ends` behind each; the header's is ends[0]. */
static size_t make_text(uint64_t seed, int table, char *text, size_t *ends)
{
    static const char *const words[] = {"red", "\"dark\nblue\"", "\"gr, een\"", "pink"};
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    size_t at = table ? (size_t)sprintf(text, "x,colour,z,class\n") : 0;
    ends[0] = at;
    for (int i = 1; i <= ROWS; i++) {
        const int a = (int)hsp__random_below(&random, 1000), b = (int)hsp__random_below(&random, 4);
        if (table)
            at += (size_t)sprintf(text + at, "%d.5,%s,%d,%s\n", a, words[b], a % 7,
                                  b & 1 ? "n" : "y");
        else
            at += (size_t)sprintf(text + at, "%d 1:%d.25 %d:%d\n", b, a, 2 + b, a % 7);
        ends[i] = at;
    }
    return at;
}

static hsp_status ignore_rows(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    uint64_t *count = self;
    (void)worker;
    (void)err;
    *count += rows->rows;
    return HSP_OK;
}

static void test_cut_anywhere(void)
{
    static char text[1 << 16], part[1 << 16];
    size_t ends[ROWS + 1];
    for (int round = 0; round < 24; round++) {
        const int table = round & 1;
        hsp__random random;
        hsp__random_seed(&random, (uint64_t)round, 7);
        hsp_context *ctx = test_context(round % 3 + 1, (size_t)64 << hsp__random_below(&random, 6));
        const size_t size = make_text((uint64_t)round, table, text, ends);
        const char *paths[4];
        hsp_error err = {0};
        hsp_data *whole = NULL, *together = NULL;
        CHECK(hsp_data_parse(ctx, text, size, "whole", NULL, NULL, &err, &whole) == HSP_OK);
        /* four parts, perhaps empty ones, the last record of some without its newline */
        for (int k = 0, from = 0; k < 4; k++) {
            const int to = k < 3 ? from + (int)hsp__random_below(&random, 90) : ROWS;
            const int end = to < ROWS ? to : ROWS;
            size_t bytes = ends[0];
            memcpy(part, text, bytes);
            memcpy(part + bytes, text + ends[from], ends[end] - ends[from]);
            bytes += ends[end] - ends[from];
            if (end > from && k & 1) bytes--;
            paths[k] = put(names[k], part, bytes);
            from = end;
        }
        const hsp_status status = hsp_data_read_files(ctx, paths, 4, NULL, NULL, &err, &together);
        CHECK_NOTE(status == HSP_OK, "%d: %s", round, err.message);
        if (!status) CHECK_NOTE(test_same(whole, together, 1), "%d", round);
        /* the same path streams */
        char joined[400];
        uint64_t streamed = 0;
        hsp__names classes;
        hsp__names_init(&classes, &ctx->allocator);
        snprintf(joined, sizeof joined, "%s\n%s\n%s\n%s", paths[0], paths[1], paths[2], paths[3]);
        const hsp__row_sink sink = {.take = ignore_rows};
        CHECK(hsp__stream_read(ctx, joined, NULL, whole->encoding, &classes, &sink, &streamed,
                               &err) == HSP_OK);
        CHECK(streamed == ROWS);
        hsp__names_free(&classes);
        hsp_data_free(whole);
        hsp_data_free(together);
        hsp_context_free(ctx);
    }
    clear();
}

/* What two files are refused with. */
static void refused(const char *first, const char *second, const char *file, uint64_t line,
                    const char *says)
{
    hsp_context *ctx = test_context(2, 64);
    hsp_data *data = NULL;
    hsp_error err = {0};
    const char *paths[] = {put("0", first, strlen(first)), put("1", second, strlen(second))};
    CHECK(hsp_data_read_files(ctx, paths, 2, NULL, NULL, &err, &data) != HSP_OK);
    CHECK_TEXT(err.file, in_folder(file));
    CHECK_NOTE(err.line == line, "%llu", (unsigned long long)err.line);
    CHECK_NOTE(strstr(err.message, says) != NULL, "%s", err.message);
    hsp_context_free(ctx);
    clear();
}

static void test_errors(void)
{
    const char *good = "a,b,y\n1,2,no\n3,4,yes\n";
    refused(good, "a,b,y\n1,2,no\n3,x,yes\n", "1", 3, "'x'");
    refused(good, "a,b,y\n1,2\n", "1", 2, "found 2 fields, expected 3");
    refused(good, "a,b,y\n1,2,no\n\n,1,yes\n", "1", 4, "missing");
    refused(good, "a,y\n1,no\n", "1", 1, "found 2 columns, expected 3");
    refused(good, "a,c,y\n1,2,no\n", "1", 1, "'c', expected 'b'");
    refused(good, "b,a,y\n1,2,no\n", "1", 1, "one order of columns");
    refused(good, "", "1", 0, "nothing in this file");
    refused(good, "1 1:2\n", "1", 0, "the format is libsvm, expected csv");
    refused("1 1:2\n", "1 1:2\n1 1:z\n", "1", 2, "'z'");
    refused("1 1:2\n1 1:z\n", "1 1:2\n", "0", 2, "'z'");
    refused("a,b,y\n1,2,\"no\n", good, "0", 2, "quote");
}

static void test_names(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = NULL;
    hsp_error err = {0};
    const char *rows = put("0", "1 1:2\n-1 1:3\n", 13), *missing = in_folder("none");
    const char *broken[] = {rows, "a\nb"}, *absent[] = {rows, missing}, *null[] = {rows, NULL};
    const char *twice[] = {"-", "-"};
    CHECK(hsp_data_read_files(ctx, broken, 2, NULL, NULL, &err, &data) == HSP_USAGE);
    CHECK(hsp_data_read_files(ctx, null, 2, NULL, NULL, &err, &data) == HSP_USAGE);
    CHECK(hsp_data_read_files(ctx, broken, 0, NULL, NULL, &err, &data) == HSP_USAGE);
    CHECK(hsp_data_read_files(ctx, twice, 2, NULL, NULL, &err, &data) == HSP_USAGE);
    CHECK(hsp_data_read_files(ctx, absent, 2, NULL, NULL, &err, &data) == HSP_IO);
    CHECK_TEXT(err.file, missing);
    /* one file whose name has a line break is that file */
    const char *odd = put("1\n2", "1 1:2\n-1 1:3\n", 13);
    CHECK(hsp_data_read(ctx, odd, NULL, NULL, &err, &data) == HSP_OK && data->view.rows == 2);
    hsp_data_free(data);
    unlink(in_folder("1\n2"));
    clear();
    hsp_context_free(ctx);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    RUN(test_cut_anywhere);
    RUN(test_errors);
    RUN(test_names);
    rmdir(folder);
    return check_done();
}
