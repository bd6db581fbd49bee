#include "base/json.h"

#include <math.h>

#include "base/context.h"
#include "base/memory.h"
#include "../check.h"

static hsp_context *ctx;

static hsp__json *parse(const char *text)
{
    hsp__json *json = NULL;
    hsp_error err = {0};
    hsp_status status = hsp__json_parse(&ctx->allocator, text, strlen(text), "t.json", &err, &json);
    CHECK_NOTE(status == HSP_OK, "%s: %s", text, err.message);
    return json;
}

/* The text is refused, at that line and column, with that message. */
static void refuse_bytes(const char *text, size_t size, uint64_t line, uint64_t column,
                         const char *message)
{
    hsp__json *json = NULL;
    hsp_error err = {0};
    hsp_status status = hsp__json_parse(&ctx->allocator, text, size, "t.json", &err, &json);
    CHECK_NOTE(status == HSP_BAD_DATA && !json, "%s", text);
    CHECK_NOTE(err.line == line && err.column == column, "%s: %d:%d", text, (int)err.line,
               (int)err.column);
    CHECK_TEXT(err.file, "t.json");
    CHECK_NOTE(strstr(err.message, message), "%s: %s", text, err.message);
    hsp__json_free(json);
}

static void refuse(const char *text, uint64_t line, uint64_t column, const char *message)
{
    refuse_bytes(text, strlen(text), line, column, message);
}

static void test_scalars(void)
{
    static const struct {
        const char *text;
        hsp__json_type type;
    } cases[] = {{"null", HSP__JSON_NULL},         {" true ", HSP__JSON_TRUE},
                 {"\tfalse\r\n", HSP__JSON_FALSE}, {"-0.5e+3", HSP__JSON_NUMBER},
                 {"\"\"", HSP__JSON_STRING},       {"[]", HSP__JSON_ARRAY},
                 {"{ }", HSP__JSON_OBJECT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp__json *json = parse(cases[i].text);
        CHECK(hsp__json_type_of(hsp__json_root(json)) == cases[i].type);
        CHECK(hsp__json_count(hsp__json_root(json)) == 0);
        hsp__json_free(json);
    }
    CHECK(hsp__json_type_of(NULL) == HSP__JSON_NULL && !hsp__json_root(NULL));
}

static void test_tree(void)
{
    hsp__json *json =
        parse("{\"b\": [1, [2, {\"deep\": \"x\"}], []], \"a\": {\"k\": null}, \"\": 3}");
    const hsp__json_value *root = hsp__json_root(json), *b = hsp__json_get(root, "b");
    size_t size = 99;
    CHECK(hsp__json_count(root) == 3 && hsp__json_count(b) == 3);
    CHECK_TEXT(hsp__json_key(root, 0, &size), "b");
    CHECK(size == 1);
    CHECK_TEXT(hsp__json_key(root, 2, &size), "");
    CHECK(size == 0 && !hsp__json_key(root, 3, NULL) && !hsp__json_key(b, 0, NULL));
    const hsp__json_value *deep = hsp__json_get(hsp__json_at(hsp__json_at(b, 1), 1), "deep");
    CHECK_TEXT(hsp__json_string(deep, &size), "x");
    CHECK(hsp__json_at(root, 0) == b && !hsp__json_at(b, 3) && !hsp__json_at(deep, 0));
    CHECK(hsp__json_type_of(hsp__json_get(hsp__json_get(root, "a"), "k")) == HSP__JSON_NULL);
    CHECK(hsp__json_get(root, "") == hsp__json_at(root, 2));
    CHECK(!hsp__json_get(root, "c") && !hsp__json_get(b, "b") && !hsp__json_get(NULL, "b"));
    CHECK(!hsp__json_string(root, NULL) && !hsp__json_string(NULL, NULL));
    hsp__json_free(json);
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        int whole, real;
        uint64_t u64;
        double f64;
    } cases[] = {
        {"0", 1, 1, 0, 0},
        {"18446744073709551615", 1, 1, UINT64_MAX, 18446744073709551615.0},
        {"18446744073709551616", 0, 1, 0, 18446744073709551616.0},
        {"99999999999999999999999999", 0, 1, 0, 1e26},
        {"9007199254740993", 1, 1, 9007199254740993, 9007199254740992.0},
        {"-1", 0, 1, 0, -1},
        {"1.0", 0, 1, 0, 1},
        {"1e3", 0, 1, 0, 1000},
        {"0.1", 0, 1, 0, 0.1},
        {"1e999", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp__json *json = parse(cases[i].text);
        uint64_t u64 = 7;
        double f64 = 7;
        int whole = hsp__json_u64(hsp__json_root(json), &u64);
        int real = hsp__json_number(hsp__json_root(json), &f64);
        CHECK_NOTE(whole == cases[i].whole && u64 == (whole ? cases[i].u64 : 7), "%s",
                   cases[i].text);
        CHECK_NOTE(real == cases[i].real && f64 == (real ? cases[i].f64 : 7), "%s", cases[i].text);
        hsp__json_free(json);
    }
    double none = 0;
    CHECK(!hsp__json_number(NULL, &none));
}

static void test_strings(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\"\xC3\xA9\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\x7f\"",
         "\xC3\xA9\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\x7f"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp__json *json = parse(cases[i].text);
        size_t size = 0;
        const char *got = hsp__json_string(hsp__json_root(json), &size);
        CHECK(got && size == strlen(cases[i].want));
        CHECK_TEXT(got ? got : "", cases[i].want);
        hsp__json_free(json);
    }
}

static void test_refused(void)
{
    refuse("", 1, 1, "found the end of the text, expected a value");
    refuse("[1,\n 2,\n x]", 3, 2, "found 'x', expected a value");
    refuse("[1 2]", 1, 4, "found '2', expected ',' or ']'");
    refuse("[1,]", 1, 4, "expected a value");
    refuse("[1", 1, 3, "found the end of the text");
    refuse("[}", 1, 2, "found '}'");
    refuse("{\"a\":1,}", 1, 8, "expected a key");
    refuse("{\"a\" 1}", 1, 6, "expected ':'");
    refuse("{\"a\":1]", 1, 7, "expected ',' or '}'");
    refuse("{a:1}", 1, 2, "expected a key in double quotes");
    refuse("1 1", 1, 3, "expected the end of the text");
    refuse("nul", 1, 1, "expected a value");
    refuse("True", 1, 1, "expected a value");
    refuse("nullx", 1, 5, "expected the end");
    refuse("01", 1, 2, "expected the end");
    refuse("+1", 1, 1, "expected a value");
    refuse("-", 1, 2, "expected a digit");
    refuse(".5", 1, 1, "expected a value");
    refuse("1.", 1, 3, "expected a digit");
    refuse("1e", 1, 3, "expected a digit");
    refuse("1e+", 1, 4, "expected a digit");
    refuse("NaN", 1, 1, "expected a value");
    refuse("\"a", 1, 3, "expected the closing quote");
    refuse("\"a\nb\"", 1, 3, "found '\\x0a', expected control characters");
    refuse("\"\\x\"", 1, 3, "one of \"\\/bfnrtu after a backslash");
    refuse("\"\\", 1, 3, "one of \"\\/bfnrtu after a backslash");
    refuse("\"\\u12g4\"", 1, 6, "found 'g', expected four hexadecimal digits");
    refuse("\"\\u12", 1, 6, "found the end of the text");
    refuse("\"\\u0000\"", 1, 2, "found \\u0000");
    refuse("\"\\ud800\"", 1, 2, "surrogate");
    refuse("\"\\udc00\"", 1, 2, "surrogate");
    refuse("\"\\ud800\\u0041\"", 1, 2, "surrogate");
    refuse("\"\\ud800\\", 1, 2, "surrogate");
    refuse("// no\n1", 1, 1, "found '/'");
    refuse("\xEF\xBB\xBF{}", 1, 1, "expected a value");
    refuse_bytes("1\0", 2, 1, 2, "found '\\x00', expected the end");
    refuse_bytes("\"\\\0\"", 4, 1, 3, "one of \"\\/bfnrtu after a backslash");
}

static void test_bad_utf8(void)
{
    static const char *const bad[] = {"\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC3",
                                      "\xC3(",
                                      "\xE0\x80\x80",
                                      "\xE2\x82",
                                      "\xED\xA0\x80",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[16];
        snprintf(text, sizeof text, "[\"a%s\"]", bad[i]);
        refuse(text, 1, 4, "expected UTF-8");
        CHECK(!hsp__json_is_utf8(bad[i], strlen(bad[i])));
    }
    CHECK(hsp__json_is_utf8("a\xC3\xA9", 3) && hsp__json_is_utf8("", 0));
}

static void test_duplicates(void)
{
    refuse("{\"a\":1,\n\"b\":2,\"a\":3}", 2, 7, "found the key \"a\" twice");
    refuse("{\"a\":1,\"\\u0061\":2}", 1, 8, "found the key \"");
    refuse("[{\"x\":{\"\":1,\"\":1}}]", 1, 13, "found the key \"");
    hsp__json *json = parse("{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]},\"aa\":1}");
    hsp__json_free(json);
}

static void test_depth(void)
{
    char text[256];
    for (int depth = 63; depth <= 66; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = 0;
        if (depth <= 64)
            hsp__json_free(parse(text));
        else
            refuse(text, 1, 65, "nested more than 64 deep");
    }
}

/* Every beginning of a document is refused, and never read past its end (the bytes are exactly as
 * long as they claim, for the address sanitizer). */
static void test_every_truncation(void)
{
    const char *text =
        "{\"a\\u00e9\": [1.5e-3, true, null, \"\xE2\x82\xAC\\n\"], \"b\": {\"c\": {}}}";
    for (size_t size = 0; size < strlen(text); size++) {
        char *cut = hsp__new_raw(&ctx->allocator, size, 1);
        memcpy(cut, text, size);
        hsp__json *json = NULL;
        hsp_error err = {0};
        CHECK(hsp__json_parse(&ctx->allocator, cut, size, "t", &err, &json) == HSP_BAD_DATA);
        CHECK(err.line == 1 && err.column >= 1 && err.column <= size + 1);
        hsp__free(&ctx->allocator, cut);
    }
}

/* Half a million keys in an order that is bad for naive methods, which would take minutes; then a
 * duplicate of the first. */
static void test_many_keys(void)
{
    const int count = 500000;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    for (int i = 0; i < count; i++)
        hsp__text_printf(&text, "%c\"key%07d\":%d", i ? ',' : '{', count - i, i);
    hsp__text_puts(&text, "}");
    hsp__json *json = parse(text.data);
    const hsp__json_value *root = hsp__json_root(json);
    CHECK(hsp__json_count(root) == (size_t)count);
    for (int i = 0; i < count; i += 997) {
        uint64_t found = 0;
        const char *key = hsp__json_key(root, (size_t)i, NULL);
        CHECK(key && hsp__json_u64(hsp__json_get(root, key), &found) && found == (uint64_t)i);
    }
    hsp__json_free(json);
    text.size--;
    hsp__text_printf(&text, ",\"key%07d\":0}", count);
    hsp_error err = {0};
    CHECK(hsp__json_parse(&ctx->allocator, text.data, text.size, "t", &err, &json) == HSP_BAD_DATA);
    CHECK(err.column == text.size - strlen("\"key0000000\":0}") + 1);
    hsp__text_free(&text);
}

static void test_put(void)
{
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    const char *string = "a\"b\\c\n\x01\x7f\xC3\xA9\xFFz";
    hsp__json_put_string(&text, string, strlen(string));
    CHECK_TEXT(text.data, "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\xC3\xA9\xEF\xBF\xBDz\"");
    hsp__text_free(&text);
    const double numbers[] = {0, -1.5, 0.1, 1e300, 5e-324, 123456789};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double back = -7;
        hsp__json_put_number(&text, numbers[i]);
        hsp__json *json = parse(text.data);
        CHECK(hsp__json_number(hsp__json_root(json), &back) && back == numbers[i]);
        hsp__json_free(json);
        hsp__text_free(&text);
    }
    hsp__json_put_number(&text, (double)NAN);
    CHECK_TEXT(text.data, "null");
    hsp__text_free(&text);
}

/* ---- The n-th allocation fails ---- */

static int left;

static void *failing_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    return left-- > 0 ? realloc(pointer, size) : NULL;
}

static void failing_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

static void test_no_memory(void)
{
    const hsp_allocator failing = {failing_reallocate, failing_release, NULL};
    const char *text = "{\"b\": [1, 2, {\"x\": []}], \"a\": \"text\"}";
    int n = 0, done = 0;
    for (; !done && n < 100; n++) {
        hsp__json *json = NULL;
        hsp_error err = {0};
        left = n;
        hsp_status status = hsp__json_parse(&failing, text, strlen(text), "t", &err, &json);
        done = status == HSP_OK;
        CHECK(done ? json != NULL : status == HSP_NO_MEMORY && !json);
        hsp__json_free(json);
    }
    CHECK(done && n > 4);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(test_scalars);
    RUN(test_tree);
    RUN(test_numbers);
    RUN(test_strings);
    RUN(test_refused);
    RUN(test_bad_utf8);
    RUN(test_duplicates);
    RUN(test_depth);
    RUN(test_every_truncation);
    RUN(test_many_keys);
    RUN(test_put);
    RUN(test_no_memory);
    hsp_context_free(ctx);
    return check_done();
}
