/* Encodings as JSON: they come back as they were, and what is not an encoding is refused. */
#include "data/helpers.h"

#include <unistd.h>

#include "base/memory.h"
#include "data/encode.h"
#include "data/formats.h"

static hsp_data *parse(hsp_context *ctx, const char *text, const char *const *settings)
{
    hsp_error err = {0};
    hsp_data *data = test_parse(ctx, text, settings, &err);
    CHECK_NOTE(data != NULL, "%s", err.message);
    return data;
}

static const char everything[] = "id,age,job,size,c\n"
                                 "1,10,\"say \"\"hi\"\"\",S,yes\n"
                                 "2,?,caf\xe9,M,no\n" /* not UTF-8 */
                                 "3,20.1,tab\there,L,yes\n"
                                 "4,0.3,\"\xc3\xa9\xf0\x9f\x99\x82\",?,7\n"
                                 "5,7,?,L,no\n";

#define SETTINGS(missing) \
    ((const char *const[]){"format=csv", "ignore=id", "ordinal=size=S<M<L", missing, NULL})

static void test_round_trip(void)
{
    static const char *const policies[] = {"missing=mean", "missing=indicator", "missing=drop"};
    for (int i = 0; i < 3; i++) {
        hsp_context *ctx = test_context(1, 0);
        hsp_data *data = parse(ctx, everything, SETTINGS(policies[i]));
        char *first = NULL, *second = NULL;
        hsp_encoding *read = NULL, *copy = NULL;
        hsp_error err = {0};
        const hsp_encoding *made = hsp_data_encoding(data);
        CHECK(hsp__encoding_to_json(made, &ctx->allocator, &err, &first) == HSP_OK);
        hsp_status status =
            hsp__encoding_from_json(&ctx->allocator, first, strlen(first), "json", &err, &read);
        CHECK_NOTE(status == HSP_OK, "%s\n%s", err.message, first);
        CHECK(hsp__encoding_copy(&ctx->allocator, read, &err, &copy) == HSP_OK);
        CHECK(hsp__encoding_to_json(copy, &ctx->allocator, &err, &second) == HSP_OK);
        CHECK_TEXT(second, first);
        for (uint32_t k = 0; k < made->names.count; k++) {
            CHECK(copy->columns[k].mean == made->columns[k].mean);
            CHECK(copy->columns[k].indicator == made->columns[k].indicator);
        }
        /* the same file again, through the JSON, is the same data */
        hsp_options *options = test_read_options(ctx, (const char *const[]){"format=csv", NULL});
        hsp_data *again = NULL;
        CHECK(hsp_data_parse(ctx, everything, strlen(everything), "again", options, copy, &err,
                             &again) == HSP_OK);
        CHECK(again && test_same(data, again, 1));
        hsp_options_free(options);
        hsp_data_free(again);
        hsp_data_free(data);
        hsp__free(&ctx->allocator, first);
        hsp__free(&ctx->allocator, second);
        hsp_encoding_free(read);
        hsp_encoding_free(copy);
        hsp_context_free(ctx);
    }
}

/* The JSON that docs/csv.md shows. */
static void test_layout(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = parse(ctx, everything, SETTINGS("missing=mean"));
    char *json = NULL;
    CHECK(hsp__encoding_to_json(hsp_data_encoding(data), &ctx->allocator, NULL, &json) == HSP_OK);
    CHECK_TEXT(json,
               "{\n"
               "  \"halfspace_encoding\": 1,\n"
               "  \"separator\": \",\",\n"
               "  \"header\": true,\n"
               "  \"missing\": \"mean\",\n"
               "  \"columns\": [\n"
               "    {\"name\": \"id\", \"kind\": \"ignored\"},\n"
               "    {\"name\": \"age\", \"kind\": \"number\", \"mean\": 9.350000098347664},\n"
               "    {\"name\": \"job\", \"kind\": \"category\", \"values\": [{\"hex\": "
               "\"636166e9\"}, \"say \\\"hi\\\"\", \"tab\\u0009here\", \"\xc3\xa9\xf0\x9f\x99\x82"
               "\"]},\n"
               "    {\"name\": \"size\", \"kind\": \"ordinal\", \"mean\": 1.25, \"values\": "
               "[\"S\", \"M\", \"L\"]},\n"
               "    {\"name\": \"c\", \"kind\": \"label\"}\n"
               "  ],\n"
               "  \"classes\": [\"7\", \"no\", \"yes\"]\n"
               "}\n");
    hsp__free(&ctx->allocator, json);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_files(void)
{
    char path[] = "/tmp/hsp-encode-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = parse(ctx, everything, SETTINGS("missing=mean"));
    hsp_encoding *read = NULL;
    hsp_error err = {0};
    CHECK(hsp_encoding_write(ctx, hsp_data_encoding(data), path, &err) == HSP_OK);
    CHECK_NOTE(hsp_encoding_read(ctx, path, &err, &read) == HSP_OK, "%s", err.message);
    CHECK(read && read->names.count == 5 && read->classes.count == 3);
    hsp_encoding_free(read);
    hsp_data_free(data);
    unlink(path);
    read = NULL;
    CHECK(hsp_encoding_read(ctx, path, &err, &read) == HSP_IO && !read);
    hsp_encoding_free(NULL);
    hsp_context_free(ctx);
}

#define COLUMNS(list)                                                                             \
    "{\"halfspace_encoding\": 1, \"separator\": \",\", \"header\": true, \"missing\": \"mean\", " \
    "\"columns\": [" list "], \"classes\": []}"

static void test_refusals(void)
{
    static const struct {
        const char *json, *why;
    } cases[] = {
        {"{}", "\"halfspace_encoding\": 1 is missing"},
        {"[]", "\"halfspace_encoding\": 1 is missing"},
        {"{\"halfspace_encoding\": 2}", "\"halfspace_encoding\": 1 is missing"},
        {"{\"halfspace_encoding\": 1, \"separator\": \"ab\"}",
         "the separator is not one character"},
        {"{\"halfspace_encoding\": 1, \"separator\": \"\\\"\"}",
         "the separator is not one character"},
        {"{\"halfspace_encoding\": 1, \"separator\": \",\"}",
         "the treatment of missing values is missing"},
        {COLUMNS(""), "there is no feature"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"label\"}"), "there is no feature"},
        {COLUMNS("{\"name\": \"a\"}"), "a column has no kind that is known"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"word\"}"), "a column has no kind that is known"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"number\"}"), "a column has no mean"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"category\"}"), "a list of names is missing"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"category\", \"values\": [\"x\", \"x\"]}"),
         "a name appears twice in a list"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"category\", \"values\": [{\"hex\": \"6\"}]}"),
         "a name is neither a string nor {\"hex\": \"...\"}"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"category\", \"values\": [{\"hex\": \"00\"}]}"),
         "a name is neither a string nor {\"hex\": \"...\"}"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"ordinal\", \"values\": []}"),
         "an ordinal column has no values"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"number\", \"mean\": 1, \"indicator\": true}"),
         "an indicator belongs to no feature"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"number\", \"mean\": 1}, "
                 "{\"name\": \"a\", \"kind\": \"ignored\"}"),
         "two columns have one name"},
        {COLUMNS("{\"name\": \"a\", \"kind\": \"label\"}, {\"name\": \"b\", \"kind\": \"label\"}"),
         "there are two label columns"},
    };
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_encoding *encoding = NULL;
        hsp_error err = {0};
        char want[256];
        snprintf(want, sizeof want, "not an encoding that this version reads: %s", cases[i].why);
        hsp_status status = hsp__encoding_from_json(&ctx->allocator, cases[i].json,
                                                    strlen(cases[i].json), "json", &err, &encoding);
        CHECK_NOTE(status == HSP_BAD_DATA && !encoding, "case %zu", i);
        CHECK_TEXT(err.message, want);
        CHECK_TEXT(err.file, "json");
    }
    hsp_context_free(ctx);
}

/* An encoding may say things no file made: they are applied all the same. */
static void test_hand_written(void)
{
    const char *json = COLUMNS("{\"name\": \"x\", \"kind\": \"number\", \"mean\": 1e300}, "
                               "{\"name\": \"w\", \"kind\": \"category\", \"values\": []}");
    hsp_context *ctx = test_context(1, 0);
    hsp_encoding *encoding = NULL;
    hsp_data *data = NULL;
    hsp_error err = {0};
    CHECK(hsp__encoding_from_json(&ctx->allocator, json, strlen(json), "json", &err, &encoding) ==
          HSP_OK);
    hsp_options *options =
        test_read_options(ctx, (const char *const[]){"format=csv", "precision=single", NULL});
    const char *text = "x,w\n1,a\n?,b\n";
    CHECK(hsp_data_parse(ctx, text, strlen(text), "t", options, encoding, &err, &data) ==
          HSP_BAD_DATA);
    CHECK_TEXT(err.message, "the mean of column 'x' in the encoding does not fit 32 bits");
    for (int i = 0; i < 2; i++) {
        hsp_options_set(options, "precision", i ? "auto" : "double", NULL);
        CHECK(hsp_data_parse(ctx, text, strlen(text), "t", options, encoding, &err, &data) ==
              HSP_OK);
        CHECK(data && hsp_data_cols(data) == 1 && hsp_data_classes(data) == 0);
        CHECK(data && test_at(data, 0, 0) == 1 && test_at(data, 1, 0) == 1e300);
        hsp_data_free(data);
    }
    hsp_options_free(options);
    hsp_encoding_free(encoding);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_round_trip);
    RUN(test_layout);
    RUN(test_files);
    RUN(test_refusals);
    RUN(test_hand_written);
    return check_done();
}
