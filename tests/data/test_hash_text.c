/* Words hashed to features: values of MurmurHash3 and of scikit-learn's HashingVectorizer, by hand
 * cut words, and tables with hashed columns. */
#include <stdlib.h>

#include "data/hash_text.h"
#include "base/memory.h"
#include "data/formats.h"
#include "data/helpers.h"

static void test_murmur3(void)
{
    /* from the reference implementation */
    CHECK(hsp__murmur3("", 0, 0) == 0);
    CHECK(hsp__murmur3("", 0, 1) == 0x514e28b7u);
    CHECK(hsp__murmur3("a", 1, 0) == 0x3c2569b2u);
    CHECK(hsp__murmur3("abc", 3, 0) == 0xb3dd93fau);
    CHECK(hsp__murmur3("aaaa", 4, 0x9747b28cu) == 0x5a97808au);
    CHECK(hsp__murmur3("Hello, world!", 13, 0x9747b28cu) == 0x24884cbau);
}

/* The list of a text as "feature:value ...". */
static const char *listed(const char *text, uint32_t features, int ngrams)
{
    static char all[256];
    hsp_context *ctx = test_context(1, 0);
    hsp__hash_lists lists;
    uint64_t count;
    size_t at = 0;
    hsp__hash_lists_init(&lists, &ctx->allocator);
    if (!hsp__hash_text(&lists, text, strlen(text), features, ngrams)) abort();
    const hsp__hash_entry *list = hsp__hash_list(&lists, 0, &count);
    all[0] = 0;
    for (uint64_t k = 0; k < count; k++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%u:%d", k ? " " : "", list[k].feature,
                               list[k].value);
    hsp__hash_lists_free(&lists);
    hsp_context_free(ctx);
    return all;
}

static void test_lists(void)
{
    /* HashingVectorizer(n_features=16, norm=None, ngram_range=(1, 2)) on these words */
    CHECK_TEXT(listed("The quick brown fox; the FOX", 16, 2), "0:1 5:1 7:-2 9:-1 11:1 13:1 14:-4");
    CHECK_TEXT(listed("Gr\xc3\xb6\xc3\x9f"
                      "e \xc3\xbc"
                      "ber alles",
                      16, 2),
               "1:-1 4:-2 8:1 15:-1");
    CHECK_TEXT(listed("a b c", 16, 2), "1:-1 2:1 11:1");
    CHECK_TEXT(listed("", 16, 2), "");
    CHECK_TEXT(listed(" -- ;", 16, 2), "");
    char first[64], again[64];
    snprintf(first, sizeof first, "%s", listed("New  York", 64, 1));
    snprintf(again, sizeof again, "%s", listed("(new)york", 64, 1));
    CHECK_TEXT(first, again);
    CHECK(strcmp(first, listed("new york", 64, 2)) != 0); /* the pair counts */
    CHECK_TEXT(listed("a a a a", 1, 1), "0:4");
}

static void test_tables(void)
{
    static const char text[] = "note,x,y\n\"b a\",1,no\n?,2,yes\na b c,3,no\n";
    hsp_context *ctx = test_context(2, 16);
    hsp_error err = {0};
    static const char *const sparse[] = {"hash=note=8", "missing=indicator", "storage=sparse",
                                         NULL};
    static const char *const dense[] = {"hash=8", "missing=indicator", "storage=dense", NULL};
    hsp_data *a = test_parse(ctx, text, sparse, &err), *b = test_parse(ctx, text, dense, &err);
    CHECK_NOTE(a && b, "%s", err.message);
    if (a && b) {
        CHECK(a->view.cols == 10 && test_same(a, b, 0));
        CHECK(test_at(a, 1, 8) == 1 && test_at(a, 0, 8) == 0); /* note=? */
        CHECK_TEXT(hsp_data_feature_name(a, 7), "note#7");
        CHECK_TEXT(hsp_data_feature_name(a, 8), "note=?");
        /* an encoding written and read again reads the same rows */
        hsp_encoding *copy = NULL;
        hsp_data *again = NULL;
        char *json = NULL;
        CHECK(hsp__encoding_to_json(a->encoding, &ctx->allocator, &err, &json) == HSP_OK);
        CHECK(hsp__encoding_from_json(&ctx->allocator, json, strlen(json), "e", &err, &copy) ==
              HSP_OK);
        CHECK(hsp_data_parse(ctx, text, sizeof text - 1, "again", NULL, copy, &err, &again) ==
              HSP_OK);
        if (again) CHECK(test_same(a, again, 0));
        hsp_data_free(again);
        hsp_encoding_free(copy);
        hsp__free(&ctx->allocator, json);
    }
    hsp_data_free(a);
    hsp_data_free(b);
    static const char *const bad[][3] = {{"hash=note=0"},
                                         {"hash=9999999"},
                                         {"hash=note=x"},
                                         {"hash=nota"},
                                         {"hash=note", "ignore=note"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_NOTE(!test_parse(ctx, text, bad[i], &err) && err.status == HSP_USAGE, "%s",
                   bad[i][0]);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_murmur3);
    RUN(test_lists);
    RUN(test_tables);
    return check_done();
}
