/* Splitting files: every byte goes to one part, the header to both; classes in proportion, groups
 * together; both files or neither. */
#include "data/prepare.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/halfspace-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[8][256];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    fputs(text, file);
    fclose(file);
}

/* A file's text, to be freed; NULL when there is none. */
static char *get(const char *name)
{
    FILE *file = fopen(in_folder(name), "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 20);
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
    return text;
}

static hsp_status split(hsp_context *ctx, const char *in, const char *settings, const char *train,
                        const char *test, hsp_error *err, hsp_split **out)
{
    hsp_options *options = test_options(ctx, hsp_split_file_options(), settings);
    hsp_status status =
        hsp_split_file(ctx, in_folder(in), options, in_folder(train), in_folder(test), err, out);
    hsp_options_free(options);
    return status;
}

/* Split the text, and check that it is `header` and then the records, in their order, each in one
 * part. `records` ends in NULL. */
static void check_split(const char *name, const char *settings, const char *header,
                        const char *const *records)
{
    static const size_t blocks[] = {1, 7, 0};
    char *text = calloc(1, 1 << 16);
    strcat(text, header);
    size_t count = 0;
    for (; records[count]; count++)
        strcat(text, records[count]);
    put(name, text);
    for (size_t b = 0; b < 3; b++) {
        hsp_context *ctx = test_context(1, blocks[b]);
        hsp_error err = {0};
        char out[2][64];
        snprintf(out[0], sizeof out[0], "train-%s", name);
        snprintf(out[1], sizeof out[1], "test-%s", name);
        hsp_split *made = NULL;
        CHECK_NOTE(split(ctx, name, settings, out[0], out[1], &err, &made) == HSP_OK, "%s: %s",
                   name, err.message);
        char *parts[2] = {get(out[0]), get(out[1])}, *at[2];
        for (int part = 0; made && part < 2; part++) {
            CHECK_NOTE(strncmp(parts[part], header, strlen(header)) == 0, "%s: %s", name,
                       parts[part]);
            at[part] = parts[part] + strlen(header);
        }
        for (size_t i = 0; made && i < count; i++) {
            int part = strncmp(at[1], records[i], strlen(records[i])) == 0;
            CHECK_NOTE(strncmp(at[part], records[i], strlen(records[i])) == 0, "%s: record %zu",
                       name, i);
            at[part] += strlen(records[i]);
        }
        if (made) {
            CHECK(!*at[0] && !*at[1]);
            CHECK(hsp_split_rows(made, 0) + hsp_split_rows(made, 1) == count);
        }
        hsp_split_free(made);
        free(parts[0]);
        free(parts[1]);
        hsp_context_free(ctx);
    }
    free(text);
}

static void test_csv(void)
{
    check_split("plain.csv", "test=2", "a,y\n",
                (const char *[]){"1,x\n", "2,x\n", "3,z\n", "4,z\n", NULL});
    check_split("crlf.csv", "test=2", "\xef\xbb\xbf\"a\";y\r\n",
                (const char *[]){"1.50;x\r\n", "\r\n2;x\r\n", ";z\r\n", "NA;", NULL});
    check_split("quotes.csv", "test=3 label=y", "y,text\n",
                (const char *[]){"1,\"a,b\nc\"\n", "+1,\"say \"\"so\"\"\"\n", "2 , z \n",
                                 "\"2\",\n", "2,w\n\n", NULL});
    check_split("none.csv", "test=1 label=none header=no", "",
                (const char *[]){"1,2\n", "3,4\n", "5,6\n", NULL});
    check_split("t.tsv", "test=1", "a\tb\n",
                (const char *[]){"0123456789012345678901\tx\n", "1e-400\ty\n", NULL});
}

static void test_libsvm(void)
{
    check_split("a.svm", "test=2", "",
                (const char *[]){"# top\n+1 1:0.10 5:1e3 # why\n", "-1 2:3\n", "\n1.0\t1:7\r\n",
                                 "-1 9:123456789012345678\n", "1 1:2", NULL});
    check_split("unlabelled.svm", "test=1", "",
                (const char *[]){"1:1 2:2\n", "2:1\n", "3 1:1\n# end\n", NULL});
}

/* The same choice as of the data set that the text becomes, in a cache. */
static void test_same_rows_as_data(void)
{
    hsp_context *ctx = test_context(1, 0);
    char *text = calloc(1, 1 << 16), line[64];
    for (int i = 0; i < 500; i++) {
        snprintf(line, sizeof line, "%s 1:%d\n", i % 7 == 0 ? "10" : i % 3 ? "9" : "b", i + 1);
        strcat(text, line);
    }
    put("many.svm", text);
    CHECK(split(ctx, "many.svm", "test=0.3 seed=5", "a.svm", "b.svm", NULL, NULL) == HSP_OK);
    hsp_data *data = NULL;
    CHECK(hsp_data_read(ctx, in_folder("many.svm"), NULL, NULL, NULL, &data) == HSP_OK);
    hsp_split *made = NULL;
    CHECK(hsp_data_write(ctx, data, in_folder("many.hsp"), NULL, NULL) == HSP_OK);
    CHECK(split(ctx, "many.hsp", "test=0.3 seed=5", "c.hsp", "d.svm", NULL, &made) == HSP_OK);
    char *b = get("b.svm"), *d = get("d.svm");
    CHECK(b && d && strcmp(b, d) == 0);
    CHECK(made && hsp_split_rows(made, 1) == 150 && hsp_split_classes(made) == 3 &&
          hsp_split_class_rows(made, 0, 0) + hsp_split_class_rows(made, 1, 0) == 285 &&
          strcmp(hsp_split_class_name(made, 0), "9") == 0);
    free(b);
    free(d);
    hsp_split_free(made);
    hsp_data_free(data);
    free(text);
    hsp_context_free(ctx);
}

/* Labels that are equal by value are one class; missing ones are a class of their own. */
static void test_classes(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_split *made = NULL;
    char *text = calloc(1, 1 << 16);
    static const char *const labels[] = {"1", "+1", "1.0", "1e0", "no", "\"NA\"", "NA", ""};
    strcpy(text, "x,y\n");
    for (int i = 0; i < 80; i++)
        sprintf(text + strlen(text), "%d,%s\n", i, labels[i % 8]);
    put("c.csv", text);
    CHECK(split(ctx, "c.csv", "test=0.5", "a.csv", "b.csv", NULL, &made) == HSP_OK);
    CHECK(made && hsp_split_classes(made) == 3);
    for (int part = 0; made && part < 2; part++) {
        CHECK_TEXT(hsp_split_class_name(made, 0), "1");
        CHECK_TEXT(hsp_split_class_name(made, 1), "NA");
        CHECK_TEXT(hsp_split_class_name(made, 2), "no");
        CHECK(hsp_split_class_rows(made, part, 0) == 20);
        CHECK(hsp_split_class_rows(made, part, 1) == 5);
        CHECK(hsp_split_class_rows(made, part, 2) == 5);
        CHECK(hsp_split_unlabelled(made, part) == 10);
        CHECK(hsp_split_groups(made, part) == 0);
    }
    hsp_split_free(made);
    free(text);
    hsp_context_free(ctx);
}

/* Rows of random groups: none is in both parts, and sizes and classes are near their shares. */
static void test_groups(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 3, 0);
    for (int round = 0; round < 40; round++) {
        const uint64_t groups = 2 + hsp__random_below(&random, 40), rows = 300;
        const int libsvm = round % 2;
        char *text = calloc(1, 1 << 16);
        if (!libsvm) strcpy(text, "y,who,x\n");
        for (uint64_t i = 0; i < rows; i++) {
            const int g = (int)hsp__random_below(&random, groups), y = g % 3 != 0;
            sprintf(text + strlen(text), libsvm ? "%d qid:%d 1:1\n" : "%d,\"w%d\",1\n", y, g);
        }
        const char *name = libsvm ? "g.svm" : "g.csv";
        put(name, text);
        hsp_split *made = NULL;
        hsp_error err = {0};
        CHECK_NOTE(split(ctx, name, libsvm ? "group=qid" : "group=who label=1",
                         libsvm ? "a.svm" : "a.csv", libsvm ? "b.svm" : "b.csv", &err,
                         &made) == HSP_OK,
                   "%s", err.message);
        char *parts[2] = {get(libsvm ? "a.svm" : "a.csv"), get(libsvm ? "b.svm" : "b.csv")};
        uint64_t seen = 0;
        for (uint64_t g = 0; made && g < groups; g++) {
            char mark[32];
            snprintf(mark, sizeof mark, libsvm ? "qid:%d " : "\"w%d\"", (int)g);
            CHECK_NOTE(!(strstr(parts[0], mark) && strstr(parts[1], mark)), "group %d", (int)g);
            seen += strstr(parts[0], mark) || strstr(parts[1], mark);
        }
        if (made) {
            CHECK(hsp_split_groups(made, 0) + hsp_split_groups(made, 1) == seen);
            CHECK(hsp_split_groups(made, 0) >= 1 && hsp_split_groups(made, 1) >= 1);
            /* many groups: within half of the largest of them, say 20 rows, of 75 */
            if (groups > 25)
                CHECK_NOTE(hsp_split_rows(made, 1) >= 55 && hsp_split_rows(made, 1) <= 95, "%d",
                           (int)hsp_split_rows(made, 1));
        }
        hsp_split_free(made);
        free(parts[0]);
        free(parts[1]);
        free(text);
    }
    hsp_context_free(ctx);
}

static void refused(const char *name, const char *text, const char *settings, const char *out,
                    hsp_status status, const char *words)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    char told[640];
    put(name, text);
    put(out, "old");
    CHECK(split(ctx, name, settings, out, "other", &err, NULL) == status);
    hsp_error_text(&err, told, sizeof told);
    CHECK_NOTE(strstr(told, words) != NULL, "%s", told);
    char *kept = get(out);
    CHECK(kept && strcmp(kept, "old") == 0);
    CHECK(access(in_folder("other"), F_OK) != 0);
    free(kept);
    hsp_context_free(ctx);
}

static void test_refused(void)
{
    refused("r.csv", "a,y\n1,x\n2\n", "", "o.csv", HSP_BAD_DATA,
            "r.csv:3: found 1 field, expected 2");
    refused("r.csv", "a,y\n1,x\n2,\"x\n", "", "o.csv", HSP_BAD_DATA, "never closed");
    refused("r.csv", "a,y\n1,inf\n2,x\n", "header=yes", "o.csv", HSP_BAD_DATA,
            "r.csv:2: the label is 'inf'");
    refused("r.csv", "a,y\n1,x\n", "", "o.csv", HSP_BAD_DATA, "cannot be split; at least two are");
    refused("r.csv", "a,y\n1,x\n2,z\n", "label=q", "o.csv", HSP_USAGE, "there is no column 'q'");
    refused("r.csv", "a,y\n1,x\n2,z\n", "group=q", "o.csv", HSP_USAGE, "there is no column 'q'");
    refused("r.csv", "a,y\n1,x\n1,z\n", "group=a", "o.csv", HSP_BAD_DATA,
            "all rows are in one group; a");
    refused("r.csv", "a,y\n1,x\n2,z\n", "", "o.svm", HSP_USAGE, "this file name means libsvm");
    refused("r.svm", "1 1:1\n2 1:1\n", "", "o.hsp", HSP_USAGE, "this file name means hsp");
    refused("r.svm", "1 1:1\n2 1:1\n", "group=a", "o.svm", HSP_USAGE, "--group qid");
    refused("r.svm", "1 qid:1 1:1\n2 1:1\n", "group=qid", "o.svm", HSP_BAD_DATA,
            "r.svm:2: this row has no qid:N");
    refused("r.svm", "# nothing\n", "", "o.svm", HSP_BAD_DATA, "no rows");
    refused("r.csv", "a,y\n1,x\n2,z\n", "test=5", "o.csv", HSP_USAGE, "fewer than the 2 rows");
}

/* The second file cannot be made, or be renamed: the first is as it was. */
static void test_both_or_neither(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    put("b.csv", "a,y\n1,x\n2,x\n3,x\n");
    put("first.csv", "old");
    CHECK(split(ctx, "b.csv", "", "first.csv", "no-folder/second.csv", &err, NULL) == HSP_IO);
    char *kept = get("first.csv");
    CHECK(kept && strcmp(kept, "old") == 0);
    free(kept);
    hsp_context_free(ctx);
}

static int stop_copying(void *user, const hsp_progress *now)
{
    (void)user;
    return strcmp(now->phase, "copying") == 0;
}

static void test_cancelled(void)
{
    hsp_context *ctx = test_context(1, 0);
    put("b.csv", "a,y\n1,x\n2,x\n3,x\n");
    put("first.csv", "old");
    unlink(in_folder("second.csv"));
    hsp_context_set_progress(ctx, stop_copying, NULL);
    CHECK(split(ctx, "b.csv", "", "first.csv", "second.csv", NULL, NULL) == HSP_CANCELLED);
    char *kept = get("first.csv");
    CHECK(kept && strcmp(kept, "old") == 0);
    CHECK(access(in_folder("second.csv"), F_OK) != 0);
    free(kept);
    hsp_context_free(ctx);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    RUN(test_csv);
    RUN(test_libsvm);
    RUN(test_same_rows_as_data);
    RUN(test_classes);
    RUN(test_groups);
    RUN(test_refused);
    RUN(test_both_or_neither);
    RUN(test_cancelled);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) return 1;
    return check_done();
}
