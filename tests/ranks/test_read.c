/* Files that ranks read in parts: rows, names, classes, storage, notes and errors are those of one process
 * that reads all. Ranks are threads. */
#include <unistd.h>

#include "base/base.h"
#include "base/options.h"
#include "base/text.h"
#include "check.h"
#include "data/formats.h"
#include "data/shard.h"
#include "mpi/ranks_threads.h"

enum { MOST = 17, LOG = 4096, ROOM = 1 << 20, CUT = '\f' };

static const int counts[] = {3, 1, 2, 17, 4, 8};
static size_t counts_step = 1; /* 3: 3 and 17 ranks alone */
static char path[] = "/tmp/test_read.XXXXXX";
static char file[ROOM];

/* What reading gave one rank, or a process that is alone. */
typedef struct outcome {
    hsp_status status;
    hsp_error err;
    hsp_data *data; /* all rows */
    char log[LOG];
    hsp_context *ctx;
} outcome;

typedef struct job {
    const char *options; /* "name=value name=value" */
    const char *name;    /* of the file */
    const char *other;   /* NULL, or what rank 1 reads */
    outcome plain, rank[MOST];
} job;

static void note(void *user, hsp_log_level level, const char *sentence)
{
    outcome *of = user;
    const size_t used = strlen(of->log);
    snprintf(of->log + used, LOG - used, "%d %s\n", (int)level, sentence);
}

static hsp_options *parse_options(hsp_context *ctx, const char *text)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_options *options = NULL;
    char word[128], copy[512], *value;
    CHECK(hsp_options_new(ctx, hsp_read_options(), &err, &options) == HSP_OK);
    snprintf(copy, sizeof copy, "%s", text);
    for (const char *p = copy; sscanf(p, "%127s", word) == 1; p = strstr(p, word) + strlen(word)) {
        value = strchr(word, '=');
        *value = 0;
        if (strcmp(value + 1, "mixed")) /* which users cannot ask for */
            CHECK(hsp_options_set(options, word, value + 1, &err) == HSP_OK);
        else
            CHECK(hsp__options_set_word(options, word, "mixed", &err) == HSP_OK);
        *value = '=';
    }
    return options;
}

static void read_file(outcome *of, const char *name, const char *words, const hsp_ranks *ranks)
{
    hsp_data *data = NULL;
    *of = (outcome){.err = HSP_ERROR_INIT};
    CHECK(hsp_context_new(NULL, &of->ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(of->ctx, ranks ? 1 + ranks->rank % 2 : 1) == HSP_OK);
    CHECK(hsp_context_set_ranks(of->ctx, ranks) == HSP_OK);
    hsp_context_set_log(of->ctx, note, of);
    hsp_options *options = parse_options(of->ctx, words);
    of->status = hsp_data_read(of->ctx, name, options, NULL, &of->err, &data);
    hsp_options_free(options);
    if (!ranks || of->status) {
        of->data = data;
        return;
    }
    uint64_t first, count;
    hsp__shard_rows(&data->shard, &first, &count);
    CHECK(count == data->view.rows);
    CHECK(hsp_data_gather(of->ctx, data, &of->err, &of->data) == HSP_OK);
    hsp_data_free(data);
}

static void rank_reads(void *user, const hsp_ranks *ranks)
{
    job *of = user;
    read_file(&of->rank[ranks->rank], of->other && ranks->rank == 1 ? of->other : of->name,
              of->options, ranks);
}

static void forget(outcome *of)
{
    hsp_data_free(of->data);
    hsp_context_free(of->ctx);
}

static int same_names(const hsp__names *a, const hsp__names *b)
{
    int same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = strcmp(hsp__names_get(a, i), hsp__names_get(b, i)) == 0;
    return same;
}

static int same_encoding(const hsp_encoding *a, const hsp_encoding *b, const hsp_allocator *memory)
{
    char *texts[2] = {NULL, NULL};
    if (!a || !b) return a == b;
    int same = hsp__encoding_to_json(a, memory, NULL, &texts[0]) == HSP_OK &&
               hsp__encoding_to_json(b, memory, NULL, &texts[1]) == HSP_OK &&
               strcmp(texts[0], texts[1]) == 0;
    hsp__free(memory, texts[0]);
    hsp__free(memory, texts[1]);
    return same;
}

static int same_data(const hsp_data *a, const hsp_data *b, const hsp_allocator *memory)
{
    int same = a->view.rows == b->view.rows && a->view.cols == b->view.cols &&
               a->view.storage == b->view.storage && a->view.precision == b->view.precision &&
               a->nonzeros == b->nonzeros && a->digits == b->digits &&
               !a->view.labels == !b->view.labels && strcmp(a->why, b->why) == 0 &&
               !a->index_base == !b->index_base &&
               (!a->index_base || strcmp(a->index_base, b->index_base) == 0) &&
               same_names(&a->class_names, &b->class_names) &&
               same_names(&a->feature_names, &b->feature_names) &&
               same_encoding(a->encoding, b->encoding, memory);
    for (uint64_t i = 0; same && i < a->view.rows; i++)
        same = (!a->view.labels || a->view.labels[i] == b->view.labels[i]) &&
               hsp__view_same_rows(&a->view, i, &b->view, i);
    return same;
}

/* Write `file` to one file, or to several where there are CUTs in it; `names` gets theirs, one per line. */
static void write_files(size_t size, char names[2048])
{
    const char *from = file, *end = file + size;
    size_t used = 0;
    for (int k = 0; from; k++) {
        const char *cut = memchr(from, CUT, (size_t)(end - from)), *to = cut ? cut : end;
        const size_t begin = used;
        used += (size_t)(k ? snprintf(names + used, 2048 - used, "%s.%d", path, k)
                           : snprintf(names, 2048, "%s", path));
        FILE *out = fopen(names + begin, "wb");
        CHECK(out && fwrite(from, 1, (size_t)(to - from), out) == (size_t)(to - from) &&
              fclose(out) == 0);
        if (cut) names[used++] = '\n';
        from = cut ? cut + 1 : NULL;
    }
}

static void remove_files(const char *names)
{
    char name[128];
    for (const char *p = names; sscanf(p, "%127s", name) == 1; p = strstr(p, name) + strlen(name))
        unlink(name);
}

/* Every rank of any number of them reads `size` bytes of `file` as one process does. */
static void check_read(size_t size, const char *options, const char *what)
{
    char names[2048];
    job of = {.options = options, .name = names};
    write_files(size, names);
    read_file(&of.plain, names, options, NULL);
    const outcome *plain = &of.plain;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k += counts_step) {
        const int count = counts[k];
        CHECK(ranks_threads_run(count, 0, rank_reads, &of, NULL));
        for (int r = 0; r < count; r++) {
            outcome *its = &of.rank[r];
            CHECK_NOTE(its->status == plain->status, "%s (%s): rank %d of %d: %d, not %d, %s", what,
                       options, r, count, its->status, plain->status, its->err.message);
            if (plain->status)
                CHECK_NOTE(strcmp(its->err.message, plain->err.message) == 0 &&
                               strcmp(its->err.file, plain->err.file) == 0 &&
                               its->err.line == plain->err.line &&
                               its->err.column == plain->err.column,
                           "%s (%s): rank %d of %d: %s:%d:%d: %s, not %s:%d:%d: %s", what, options,
                           r, count, its->err.file, (int)its->err.line, (int)its->err.column,
                           its->err.message, plain->err.file, (int)plain->err.line,
                           (int)plain->err.column, plain->err.message);
            if (!plain->status && !its->status)
                CHECK_NOTE(same_data(plain->data, its->data, &plain->ctx->allocator),
                           "%s (%s): rank %d of %d: other rows", what, options, r, count);
            CHECK_NOTE(strcmp(its->log, plain->log) == 0, "%s (%s): rank %d of %d says\n%snot\n%s",
                       what, options, r, count, its->log, plain->log);
            forget(its);
        }
    }
    forget(&of.plain);
    remove_files(names);
}

static size_t put(const char *text)
{
    return (size_t)snprintf(file, sizeof file, "%s", text);
}

static unsigned random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % below;
}

/* ---- libsvm ---------------------------------------------------------------------------------- */

/* Rows whose lengths differ by a factor of 100, with comments, empty lines, CR LF, and labels that first
 * appear late. */
static size_t make_libsvm(int rows, int base, const char *end)
{
    size_t at = 0;
    for (int i = 0; i < rows; i++) {
        const unsigned entries = draw(10) ? draw(5) : 20 + draw(200);
        unsigned column = (unsigned)(base ? 0 : -1);
        at += (size_t)sprintf(file + at, "%s",
                              i > rows / 2 && !draw(4) ? "late"
                              : draw(2)                ? "+1"
                                                       : "-1");
        for (unsigned k = 0; k < entries; k++) {
            column += 1 + draw(4);
            at += (size_t)sprintf(file + at, " %u:%d.%u", column, (int)draw(9) - 4, draw(1000));
        }
        if (!draw(9)) at += (size_t)sprintf(file + at, " # a comment: \"1:x");
        at += (size_t)sprintf(file + at, "%s", end);
        if (!draw(9)) at += (size_t)sprintf(file + at, "%s# a line\n", end);
    }
    return at;
}

static void test_libsvm(void)
{
    static const char *const options[] = {"", "storage=dense", "storage=sparse", "precision=double",
                                          "features=900"};
    for (unsigned seed = 0; seed < 12; seed++) {
        random_state = seed;
        size_t size = make_libsvm((int)(1 + draw(60)), seed % 3 != 0, seed % 2 ? "\n" : "\r\n");
        if (seed % 4 == 1) size -= 1; /* no newline at the end */
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            check_read(size, options[k], "random rows");
    }
}

/* What only one part of the file shows decides for all of it. */
static void test_libsvm_parts(void)
{
    static const char *const texts[] = {
        "",
        "\n",
        "1 1:2",
        "1 1:2\n",
        "1 1:2\n0 1:3\n",
        "# nothing\n",
        "\n\n\n\n\n\n1 1:2\n",
        "\xef\xbb\xbf\x31 1:2\n0 2:3\n",
        "1 1:1\n0 2:1\n1 3:1\n0 4:1\n1 1:1\n0 2:1\n1 3:1\n0 4:1\n", /* ones */
        "1 1:1\n0 2:1\n1 3:1\n0 4:1\n1 1:1\n0 2:1\n1 3:1\n0 4:2\n", /* but for the last */
        "1 1:1\n0 2:1\n1 3:1\n0 4:1\n1 1:1\n0 2:1\n1 3:1\n0 0:2\n", /* columns from 0 */
        "1 0:1\n0 2:1\n1 3:1\n0 4:1\n1 1:1\n0 2:1\n1 3:1\n0 4:2\n",
        "1 1:5 2:5\n0 1:5 2:5\n1 1:5 2:5\n0 1:5 2:5\n1 4294967295:1\n", /* wide at the end */
        "1 1:5 2:5\n0 1:5 2:5\n1 1:5 2:5\n0 1:16777217 2:5\n",          /* doubles */
        "1 1:16777217 2:5\n0 1:5 2:5\n1 1:5 2:5\n0 1:7 2:5\n",
        "1 1:1e300 2:5\n0 1:5 2:5\n1 1:5 2:5\n0 1:7 2:x\n",         /* and an error behind */
        "1 1:1e999 2:5\n0 1:5 2:5\n1 1:5 2:5\n0 1:1e300 2:5\n",     /* one before */
        "1 1:100000.1\n0 1:100000.2\n1 1:100000.3\n0 1:100000.4\n", /* a narrow column */
        "1 1:100000.1\n0 1:100000.2\n1 1:100000.3\n0 1:1\n",        /* in all parts but one */
        "1 1:1 2:100000.5\n0 2:100001.5\n1 1:1\n0 2:100003.5\n",
        "1 1:1 2:100000.5\n0 2:100001.5\n1 1:1 2:100000\n0 2:100003.5\n",
        "1 1:1e-320\n0 1:1\n1 1:1e-320\n0 1:2\n",
        "1 qid:1 1:1\n0 1:1\n1 1:1\n0 1:2\n",
        "1 1:1\n0 1:1\n1 1:1\n0 qid:1 1:2\n",
        "b 1:1\na 1:1\n10 1:1\n9 1:1\nb 1:1\n",
        "1 1:1\n1 1:2\n",
        "1 1:1\n0 1:12345678901234567890\n",
        "1 1:0.12345678901\n0 1:1\n0 1:3\n0 1:1\n0 1:3\n",
        "1 1:1\r0 1:1\r\n",
    };
    static const char *const options[] = {"",
                                          "index-base=1",
                                          "precision=single",
                                          "storage=ones",
                                          "on-error=skip",
                                          "precision=double",
                                          "precision=mixed",
                                          "precision=mixed storage=dense"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (k != 7 || !strstr(texts[t], "4294967295")) /* whose dense rows no memory holds */
                check_read(put(texts[t]), options[k], texts[t]);
}

/* One byte of a sound file is changed, everywhere in turn. */
static void check_changes(size_t size, const char *bytes, const char *options)
{
    counts_step = 3;
    for (size_t i = 0; i < size; i++) {
        const char was = file[i];
        for (const char *p = bytes; *p; p++) {
            char what[64];
            file[i] = *p;
            snprintf(what, sizeof what, "byte %d is '%c'", (int)i, *p);
            if (was != *p && was != CUT) check_read(size, options, what);
        }
        file[i] = was;
    }
    counts_step = 1;
}

static void test_libsvm_errors(void)
{
    const size_t size = put("1 1:0.5 3:2\n# x\n\n-1 1:1.25\r\n1 2:3 5:1 7:4\n-1 3:1.5");
    check_changes(size, "x:\n ", "");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static size_t make_csv(int rows, int quotes, const char *end)
{
    static const char *const words[] = {
        "red", "\"dark, blue\"", "\"two\nlines\"", "\"a \"\"b\"\"\"", "green", "\"\n\n\n\""};
    size_t at = (size_t)sprintf(file, "first,%ssecond,class%s", quotes ? "colour," : "", end);
    for (int i = 0; i < rows; i++) {
        at +=
            (size_t)sprintf(file + at, "%d.%u,", (int)draw(99) - 50, draw(draw(4) ? 10 : 1000000));
        if (quotes) at += (size_t)sprintf(file + at, "%s,", words[draw(i > rows / 2 ? 6 : 4)]);
        at += (size_t)sprintf(file + at, "%u,%s%s", draw(100),
                              i > rows / 2 && !draw(4) ? "\"la\nte\""
                              : draw(2)                ? "yes"
                                                       : "no",
                              end);
        if (!draw(9)) at += (size_t)sprintf(file + at, "%s", end);
    }
    return at;
}

static void test_csv(void)
{
    static const char *const options[] = {"",
                                          "storage=sparse",
                                          "label=none hash=colour=8",
                                          "precision=double",
                                          "missing=mean",
                                          "missing=indicator",
                                          "on-error=skip",
                                          "max-categories=2",
                                          "ignore=first"};
    for (unsigned seed = 0; seed < 12; seed++) {
        random_state = seed;
        const int quotes = seed % 3 != 0;
        size_t size = make_csv((int)(3 + draw(60)), quotes, seed % 2 ? "\n" : "\r\n");
        if (seed % 4 == 1) size -= 1;
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (quotes || !strstr(options[k], "colour"))
                check_read(size, options[k], "random table");
    }
}

static void test_csv_parts(void)
{
    static const char *const texts[] = {
        "a,b\n",
        "a,b\n1,x\n",
        "1,x",
        "a,b,c\n1,2,x\n3,4,y\n5,6,x\n7,8,z\n",
        "a,b,c\n1,2,x\n3,4,y\n5,,x\n7,8,z\n,,\n", /* missing values */
        "a,b,c\n1,2,x\n3,4,y\n5,6,?\n7,8,z\n9,10,x\n,1,x\n",
        "a,b,c\n1,2,x\n3,4,y\n5,6,x\n16777217,8,z\n", /* doubles */
        "a,b,c\n1,100000.1,x\n3,100000.2,y\n5,100000.4,x\n7,100000.3,z\n",
        "a,b,c\n1,100000.1,x\n3,100000.2,y\n5,100000.4,x\n7,1.3,z\n",
        "a,b,c\n0,0,x\n0,0,y\n0,0,x\n0,0,z\n0,0,z\n0,0,z\n0,0,z\n0,0,z\n1,1,z\n",
        "d,c\n2020-01-01,x\n2020-01-02,y\n2021-01-02,x\n",
        "a,b,c\n1,u,x\n3,v,y\n5,u,x\n7,,z\n9,w,y\n,u,x\n",
        "a b c\n1 2 x\n3 4 y\n5 6 x\n7 8 z\n",
        "a\tb\tc\n1\t2\tx\n3\t4\ty\n5\t\"6\"\tx\n7\t8\tz\n",
        "a,b,c\r\n\r\n\r\n1,2,x\r\n3,4,y\r\n\r\n\r\n\r\n\r\n5,6,x\r\n",
        "a,b,c\n1,2,x\n3,4,y\n5,six,x\n7,8,z\n9,10\n", /* an error after the other */
        "\"a\",\"b\nb\",\"c\"\n1,2,x\n3,4,\"y\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\"\n5,6,x\n",
        "a,b,c\n1,2,x\n3,4,\"y\n5,6,x\n7,8,z\n", /* a quote that is never closed */
    };
    static const char *const options[] = {
        "",          "missing=drop", "missing=mean", "missing=indicator", "on-error=skip",
        "header=no", "label=none"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            check_read(put(texts[t]), options[k], texts[t]);
}

static void test_csv_errors(void)
{
    const size_t size = put("a,b,c\n1,2,x\n\n3.5,\"4\",\"y\nz\"\r\n5,6,x\n7,8,\"z\"\"z\"");
    check_changes(size, "x\",\n", "header=yes");
}

/* ---- Several files --------------------------------------------------------------------------- */

/* Cut the file into several behind some of its lines; each gets `header` first. */
static size_t cut_file(size_t size, const char *header, const char *end)
{
    static char all[ROOM];
    size_t used = 0;
    int quoted = 0;
    for (size_t i = 0; i < size; i++) {
        all[used++] = file[i];
        quoted ^= file[i] == '"';
        if (file[i] != '\n' || quoted || draw(8)) continue;
        if (!draw(3)) used -= strlen(end); /* the last line is not ended */
        used += (size_t)sprintf(all + used, "%c%s%s", CUT, header, *header ? end : "");
    }
    memcpy(file, all, used);
    return used;
}

static void test_several_files(void)
{
    for (unsigned seed = 0; seed < 20; seed++) {
        random_state = seed;
        const char *end = seed % 2 ? "\n" : "\r\n";
        const int rows = (int)(1 + draw(60));
        check_read(cut_file(make_libsvm(rows, seed % 3 != 0, end), "", end), "", "several files");
        const int quotes = seed % 3 != 0;
        check_read(cut_file(make_csv(3 + rows, quotes, end),
                            quotes ? "first,colour,second,class" : "first,second,class", end),
                   "", "several tables");
    }
}

static void test_several_files_parts(void)
{
    static const char *const texts[] = {
        "\f1 1:2\n0 1:3\n1 2:1\n",
        "1 1:2\n0 1:3\n1 2:1\n\f",
        "\f\f1 1:2\f\f\f0 1:3\n1 2:1\f\f",
        "\f\f\f",
        "1 1:2\n\f0 1:3\n1 1:2\n0 x\n1 1:2\n",
        "1 1:2\n\f0 1:3\n1 1:2\n0 1:2\n1 1:2\n\f0 1:3\n1 x\f1 1:2\n0 y\n",
        "1 1:2\n\fa,b,c\n1,2,x\n1,2,x\n1,2,x\n\f1 1:3\n",
        "a,b,c\n1,2,x\n3,4,y\n\fa,b,c\n5,6,x\n7,8,y\n\fa,b,c\n\fa,b,c\n9,0,x\n",
        "a,b,c\n1,2,x\n3,4,y\n\fa,d,c\n5,6,x\n7,8,y\n\fa,b,c\n9,0,z\n",
        "a,b,c\n1,2,x\n3,four,y\n\fa,d,c\n5,6,x\n7,8,y\n\fa,b,c\n9,0,z\n",
        "a,b,c\n1,2,x\n3,4,y\n\fa,b,c\n5,,x\n7,8,y\n\fa,b,c\n,0,z\n,,z\n",
        "a,b,c\n1,2,x\n3,4,y\n\fa,b,c\n5,6,x\n7,8,y\n\fa,b,c\n7,0,z\n,1,z\n",
        "a,b,c\n\fa,b,c\n5,6,x\n7,8,y\n",
        "a,b,c\n1,2,x\n\f",
        "a,b,c\n1,2,x\n\f\fa,b,c\n1,2,x\n",
        "a,b,c\n1,2,x\n\f\f\f\fa,b,c\n1,2,x\n",
        "a,b,c\n1,2,x\n1,2,x\n1,2,x\n1,2,x\n\f\f\f\fa,b,c\n1,2,x\n1,2,x\n1,2,x\n1,2,x\n",
        "\"a\n\n\",b,c\n1,2,x\n3,4,y\n\f\"a\n\n\",b,c\n5,6,\"x\n\n\"\n7,8,y\n",
        "1 1:2\n\f\x1f\x8b\x08",
    };
    static const char *const options[] = {"", "format=libsvm", "missing=drop", "on-error=skip"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            check_read(put(texts[t]), options[k], texts[t]);
}

static void test_several_files_errors(void)
{
    size_t size = put("1 1:2\n0 1:3\n\f\n1 1:4\n0 2:1\f1 1:3\n0 1:1\n");
    check_changes(size, "x:\n", "");
    size = put("a,b,c\n1,2,x\n3,4,y\n\fa,b,c\n5,\"6\",\"x\n\"\n7,8,y\fa,b,c\n9,0,x\n");
    check_changes(size, "x\",\n", "header=yes");
}

/* ---- Other files ----------------------------------------------------------------------------- */

static void test_other_files(void)
{
    hsp_context *ctx = NULL;
    hsp_error err = HSP_ERROR_INIT;
    hsp_data *data = NULL;
    const size_t size = put("1 1:2\n0 1:3\n1 1:4\n");
    char packed[64];
    snprintf(packed, sizeof packed, "%s.hsp", path);
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_data_parse(ctx, file, size, "rows", NULL, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_data_write(ctx, data, packed, NULL, &err) == HSP_OK);
    FILE *from = fopen(packed, "rb");
    CHECK(from != NULL);
    const size_t bytes = from ? fread(file, 1, sizeof file, from) : 0;
    if (from) fclose(from);
    check_read(bytes, "", "a binary file");
    check_read(bytes / 2, "", "half of one");
    unlink(packed);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Groups, times and weights of rows ------------------------------------------------------- */

typedef struct travel {
    hsp_data *whole[MOST];
    hsp_context *ctx[MOST];
} travel;

static hsp_data *read_columns(hsp_context *ctx)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_data *data = NULL;
    CHECK(hsp_data_read(ctx, path, NULL, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_data_read_groups(ctx, data, path, NULL, "shop", &err) == HSP_OK);
    CHECK(hsp_data_read_times(ctx, data, path, NULL, "day", &err) == HSP_OK);
    return data;
}

static void rank_reads_columns(void *user, const hsp_ranks *ranks)
{
    travel *of = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context **ctx = &of->ctx[ranks->rank];
    CHECK(hsp_context_new(NULL, ctx) == HSP_OK);
    CHECK(hsp_context_set_ranks(*ctx, ranks) == HSP_OK);
    hsp_data *own = read_columns(*ctx);
    CHECK(hsp_data_gather(*ctx, own, &err, &of->whole[ranks->rank]) == HSP_OK);
    hsp_data_free(own);
}

static void test_groups(void)
{
    size_t at = (size_t)sprintf(file, "shop,day,a,class\n");
    for (int i = 0; i < 50; i++)
        at += (size_t)sprintf(file + at, "s%d,%d,%d,%c\n", i * i % 7, 100 - i, i, 'x' + i % 2);
    FILE *to = fopen(path, "wb");
    CHECK(to && fwrite(file, 1, at, to) == at && fclose(to) == 0);
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_data *plain = read_columns(ctx);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        travel of = {{NULL}, {NULL}};
        CHECK(ranks_threads_run(counts[k], 0, rank_reads_columns, &of, NULL));
        for (int r = 0; r < counts[k]; r++) {
            const hsp_data *whole = of.whole[r];
            CHECK(same_data(plain, whole, &ctx->allocator) && whole->groups && whole->times);
            for (uint64_t i = 0; i < plain->view.rows; i++)
                CHECK(whole->groups[i] == plain->groups[i] && whole->times[i] == plain->times[i]);
            hsp_data_free(of.whole[r]);
            hsp_context_free(of.ctx[r]);
        }
    }
    hsp_data_free(plain);
    hsp_context_free(ctx);
}

/* ---- Different machines ---------------------------------------------------------------------- */

/* Machines may have different files under one name, or none. */
static void test_different_files(void)
{
    static const char *const others[] = {"1 1:2\n0 1:4\n", "1 1:2\n0 1:33\n", NULL};
    char second[64];
    snprintf(second, sizeof second, "%s.other", path);
    FILE *to = fopen(path, "w");
    CHECK(to && fputs("1 1:2\n0 1:3\n", to) >= 0 && fclose(to) == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        job of = {.options = "", .name = path, .other = second};
        unlink(second);
        to = others[i] ? fopen(second, "w") : NULL;
        CHECK(!others[i] || (to && fputs(others[i], to) >= 0 && fclose(to) == 0));
        CHECK(ranks_threads_run(3, 0, rank_reads, &of, NULL));
        for (int r = 0; r < 3; r++) {
            CHECK(of.rank[r].status == (others[i] ? HSP_BAD_DATA : HSP_IO));
            CHECK(!others[i] || strstr(of.rank[r].err.message, "rank 1 sees another file"));
            forget(&of.rank[r]);
        }
    }
    unlink(second);
}

/* Each rank has a file of its own: as if one process read one behind the other. */
static void check_own(const char *const texts[], int count, const char *options)
{
    static char joined[4096];
    char name[64], own[128];
    snprintf(own, sizeof own, "%s.{rank}", path);
    job of = {.options = options, .name = own};
    *joined = 0;
    for (int r = 0; r < count; r++) {
        snprintf(name, sizeof name, "%s.%d", path, r);
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", r ? "\n" : "",
                 name);
        FILE *to = fopen(name, "w");
        CHECK(to && fputs(texts[r], to) >= 0 && fclose(to) == 0);
    }
    read_file(&of.plain, joined, options, NULL);
    CHECK(ranks_threads_run(count, 0, rank_reads, &of, NULL));
    for (int r = 0; r < count; r++) {
        const outcome *plain = &of.plain, *its = &of.rank[r];
        CHECK_NOTE(its->status == plain->status, "rank %d: %s", r, its->err.message);
        if (plain->status)
            CHECK_NOTE(strcmp(its->err.message, plain->err.message) == 0 &&
                           strcmp(its->err.file, plain->err.file) == 0 &&
                           its->err.line == plain->err.line,
                       "rank %d: %s:%d: %s, not %s:%d: %s", r, its->err.file, (int)its->err.line,
                       its->err.message, plain->err.file, (int)plain->err.line, plain->err.message);
        else
            CHECK(same_data(plain->data, its->data, &plain->ctx->allocator));
        forget(&of.rank[r]);
        snprintf(name, sizeof name, "%s.%d", path, r);
        unlink(name);
    }
    forget(&of.plain);
}

static void test_own_files(void)
{
    static const char *const rows[] = {"1 1:2\n0 1:3", "", "b 3:1\n", "1 2:100000.5\n0 0:1\n"};
    static const char *const bad[] = {"1 1:2\n", "0 1:2\n\n1 1:x\n", "1 1:y\n"};
    static const char *const tables[] = {"a,b,c\n1,u,x\n2,v,y\n", "a,b,c\n3,w,z\n4,u,x\n",
                                         "a,b,c\n5,w,z\n16777217,u,x\n"};
    static const char *const missing[] = {"a,b,c\n1,u,x\n2,v,y\n", "a,b,c\n3,w,z\n,u,x\n",
                                          "a,b,c\n5,w,z\n6,,x\n"};
    check_own(rows, 4, "");
    check_own(rows, 1, "");
    check_own(rows, 3, "storage=dense");
    check_own(bad, 3, "");
    check_own(tables, 3, "");
    check_own(tables, 2, "label=none");
    check_own(missing, 3, "");
    check_own(missing, 3, "missing=indicator ignore=b");
}

/* What cannot be read like that. */
static void test_own_files_refused(void)
{
    static const struct {
        const char *own, *text, *options, *says;
    } cases[] = {
        {"1 1:2\n", "a,b,c\n1,2,x\n2,3,y\n", "", "format"},
        {"a,b,c\n1,2,x\n2,3,y\n", "a,d,c\n1,2,x\n2,3,y\n", "", "other names or kinds"},
        {"a,b,c\n1,2,x\n2,3,y\n", "a,b,c\n1,2,x\n2,u,y\n", "", "other names or kinds"},
        {"a,b,c\n1,2,x\n2,,y\n", "a,b,c\n1,2,x\n2,3,y\n", "missing=mean",
         "\"mean\" needs --encoding FILE"},
        {"1 1:2\n", "1 1:3\n", "on-error=skip", "without --cache, --on-error skip"},
        {"1 1:2\n", NULL, "", "cannot open"},
    };
    char both[128]; /* a file of all ranks among those of each */
    snprintf(both, sizeof both, "%s.{rank}\n%s.0", path, path);
    job mixed = {.options = "", .name = both};
    CHECK(ranks_threads_run(3, 0, rank_reads, &mixed, NULL));
    for (int r = 0; r < 3; r++) {
        CHECK_NOTE(mixed.rank[r].status && strstr(mixed.rank[r].err.message, "or none"), "%s",
                   mixed.rank[r].err.message);
        forget(&mixed.rank[r]);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64], own[128];
        snprintf(own, sizeof own, "%s.{rank}", path);
        job of = {.options = cases[i].options, .name = own};
        for (int r = 0; r < 3; r++) {
            snprintf(name, sizeof name, "%s.%d", path, r);
            unlink(name);
            const char *text = r == 1 ? cases[i].text : cases[i].own;
            FILE *to = text ? fopen(name, "w") : NULL;
            CHECK(!text || (to && fputs(text, to) >= 0 && fclose(to) == 0));
        }
        CHECK(ranks_threads_run(3, 0, rank_reads, &of, NULL));
        for (int r = 0; r < 3; r++) {
            CHECK_NOTE(of.rank[r].status && strstr(of.rank[r].err.message, cases[i].says),
                       "case %d: %s", (int)i, of.rank[r].err.message);
            forget(&of.rank[r]);
        }
    }
    for (int r = 0; r < 3; r++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%d", path, r);
        unlink(name);
    }
}

int main(void)
{
    const int made = mkstemp(path);
    if (made < 0) return 1;
    close(made);
    RUN(test_libsvm);
    RUN(test_libsvm_parts);
    RUN(test_libsvm_errors);
    RUN(test_csv);
    RUN(test_csv_parts);
    RUN(test_csv_errors);
    RUN(test_several_files);
    RUN(test_several_files_parts);
    RUN(test_several_files_errors);
    RUN(test_other_files);
    RUN(test_groups);
    RUN(test_different_files);
    RUN(test_own_files);
    RUN(test_own_files_refused);
    unlink(path);
    return check_done();
}
