/* Any bytes as JSON: a tree whose members are all found again by name, and whose strings, written
 * and read back, are the same; or an error with a place. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_string(hsp_context *ctx, const hsp__json_value *value)
{
    size_t size = 0, back_size = 0;
    const char *string = hsp__json_string(value, &size);
    hsp__json *json = NULL;
    hsp__text text;
    if (!string) return;
    if (strlen(string) != size || !hsp__json_is_utf8(string, size)) abort();
    hsp__text_init(&text, &ctx->allocator);
    hsp__json_put_string(&text, string, size);
    if (hsp__json_parse(&ctx->allocator, text.data, text.size, "again", NULL, &json)) abort();
    const char *back = hsp__json_string(hsp__json_root(json), &back_size);
    if (!back || back_size != size || memcmp(back, string, size) != 0) abort();
    hsp__json_free(json);
    hsp__text_free(&text);
}

/* Depth is limited by the reader. */
static void fuzz_walk(hsp_context *ctx, const hsp__json_value *value)
{
    uint64_t whole;
    double real;
    if (hsp__json_u64(value, &whole) && !hsp__json_number(value, &real)) abort();
    fuzz_string(ctx, value);
    for (size_t i = 0; i < hsp__json_count(value); i++) {
        const char *key = hsp__json_key(value, i, NULL);
        if (key && hsp__json_get(value, key) != hsp__json_at(value, i)) abort();
        fuzz_walk(ctx, hsp__json_at(value, i));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    hsp_context *ctx;
    hsp__json *json = NULL;
    hsp_error err = {0};
    if (hsp_context_new(NULL, &ctx)) return 0;
    hsp_status status =
        hsp__json_parse(&ctx->allocator, (const char *)bytes, size, "fuzz", &err, &json);
    if (status == HSP_OK)
        fuzz_walk(ctx, hsp__json_root(json));
    else if (!err.message[0] || !err.line || !err.column)
        abort();
    hsp__json_free(json);
    hsp_context_free(ctx);
    return 0;
}
