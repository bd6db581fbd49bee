/* The data file of a certificate, read once: its rows, hash and long decimals. */
#include "base/context.h"
#include "prove/helpers.h"
#include "prove/prove.h"

typedef struct opened {
    hsp_context *ctx;
    hsp_options *claims, *read;
    hsp__prove prove;
} opened;

/* In blocks of a few bytes, on this many threads. The file points into itself: it is not copied. */
static void open_file(opened *o, const char *path, const char *classes, int threads)
{
    *o = (opened){.ctx = NULL};
    hsp_error err = {0};
    if (hsp_context_new(NULL, &o->ctx)) exit(1);
    hsp_context_set_threads(o->ctx, threads);
    o->ctx->block_bytes = 40;
    o->claims =
        options_of(o->ctx, hsp_certify_options(), classes ? "classes" : NULL, classes, NULL);
    o->read = options_of(o->ctx, hsp_read_options(), "missing", "drop", NULL);
    o->prove.ctx = o->ctx;
    o->prove.options = o->claims;
    o->prove.scratch.memory = &o->ctx->allocator;
    const hsp_status status = hsp__prove_open(&o->prove, path, o->read, 0, &err, &o->prove.data);
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
}

static void close_file(opened *o)
{
    hsp__prove_close(&o->prove.data);
    hsp__scratch_free(&o->prove.scratch);
    hsp_options_free(o->claims);
    hsp_options_free(o->read);
    hsp_context_free(o->ctx);
}

/* Three numbers of 17 digits and one that doubles have few digits for; the last row makes the file
 * count its columns from 0. */
static const char libsvm[] = "1 1:0.5 3:0.10000000000000001\n"
                             "-1 2:-1.2345678901234567e3\n"
                             "b 1:3 2:1e-310\n"
                             "1 1:123456789012345 3:0.12345678901234567 # a comment\n"
                             "-1 0:2\n";

static void check_long(const hsp__prove_file *file, uint64_t k, uint64_t row, uint64_t column,
                       const char *text)
{
    CHECK(k < file->exact.long_count);
    if (k >= file->exact.long_count) return;
    CHECK_NOTE(file->exact.longs[k].row == row && file->exact.longs[k].column == column,
               "number %d", (int)k);
    CHECK_TEXT(file->exact.longs[k].text, text);
}

static void test_long_decimals(void)
{
    proved_file made = file_of(libsvm);
    for (int threads = 1; threads <= 3; threads++) {
        opened o;
        open_file(&o, made.path, "-1,1", threads);
        CHECK(o.prove.data.exact.long_count == 3);
        check_long(&o.prove.data, 0, 0, 3, "0.10000000000000001");
        check_long(&o.prove.data, 1, 1, 2, "-1.2345678901234567e3");
        check_long(&o.prove.data, 2, 2, 3,
                   "0.12345678901234567"); /* row 3 of the file is left out */
        close_file(&o);
    }
    file_free(&made);
}

/* Columns are those of the data set: behind the three of the colours. Rows that are left out for
 * a missing value have no numbers. */
static void test_long_decimals_of_a_table(void)
{
    static const char table[] = "colour,x,y\n"
                                "red,0.10000000000000001,yes\n"
                                "blue,0.30000000000000004,\n"
                                "green,\"0.12345678901234567\",no\n"
                                "blue,0.5,no\n";
    proved_file made = file_of(table);
    for (int threads = 1; threads <= 3; threads++) {
        opened o;
        open_file(&o, made.path, NULL, threads);
        CHECK(o.prove.data.provenance.count == 3 && o.prove.data.provenance.header);
        CHECK(o.prove.data.exact.long_count == 2);
        check_long(&o.prove.data, 0, 0, 3, "0.10000000000000001");
        check_long(&o.prove.data, 1, 1, 3, "0.12345678901234567");
        close_file(&o);
    }
    file_free(&made);
}

/* As `printf ... | sha256sum` has it. */
static void test_hash(void)
{
    proved_file made = file_of("1 1:1\n-1 1:-1\n");
    opened o;
    open_file(&o, made.path, NULL, 2);
    CHECK_TEXT(o.prove.data.provenance.hash,
               "1d68538a19e2884c44f8db4e7deb75a4bae76d081b5d2701bbbb51ebc88afa51");
    close_file(&o);
    file_free(&made);
}

/* Rows are copied only when some are left out; labels always are. */
static void test_rows_are_borrowed(void)
{
    proved_file made = file_of("a 1:1 2:2\nb 1:-1 2:3\nb 1:4 2:5\n"), three = file_of(libsvm);
    opened all, some;
    open_file(&all, made.path, NULL, 1);
    open_file(&some, three.path, "-1,1", 1);
    CHECK(all.prove.data.view->values == all.prove.data.whole->view.values);
    CHECK(all.prove.data.view->labels != all.prove.data.whole->view.labels);
    CHECK(some.prove.data.view->values != some.prove.data.whole->view.values);
    CHECK(some.prove.data.view->rows == 4 && some.prove.data.whole->view.rows == 5);
    close_file(&all);
    close_file(&some);
    file_free(&made);
    file_free(&three);
}

int main(void)
{
    RUN(test_long_decimals);
    RUN(test_long_decimals_of_a_table);
    RUN(test_hash);
    RUN(test_rows_are_borrowed);
    return check_done();
}
