/* Any bytes as CSV text: an answer or an error, an answer that is sound, that does not depend on
 * how the text is cut, and that the encoding made on the way gives again. The first and the third byte choose
 * options, the second the size of blocks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/helpers.h"
#include "data/formats.h"
#include "halfspace_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static hsp_context *fuzz_context(size_t block)
{
    hsp_context *ctx = NULL;
    if (hsp_context_new(NULL, &ctx)) abort();
    hsp_context_set_threads(ctx, 1);
    ctx->block_bytes = block;
    return ctx;
}

static void fuzz_set(hsp_options *options, const char *name, const char *value)
{
    if (hsp_options_set(options, name, value, NULL)) abort();
}

/* How cells are written. */
static void fuzz_cells(hsp_options *options, uint8_t choice)
{
    static const char *const marks[] = {"", "-999,gone"};
    if (choice & 1) fuzz_set(options, "decimal", "comma");
    if (choice & 2) fuzz_set(options, "thousands", choice & 1 ? "point" : "comma");
    if (choice & 4) fuzz_set(options, "percent", "yes");
    if (choice & 8) fuzz_set(options, "currency", "yes");
    fuzz_set(options, "na", marks[choice >> 4 & 1]);
    if (choice & 32) fuzz_set(options, "date", "1:days,month");
    if (choice & 64) fuzz_set(options, "max-categories", "3");
    if (choice & 128) fuzz_set(options, "on-error", "skip");
}

static hsp_options *fuzz_options(hsp_context *ctx, uint8_t choice, uint8_t cells)
{
    static const char *const missing[] = {"drop", "mean", "indicator", "error"};
    static const char *const labels[] = {"last", "none", "1", "last"};
    static const char *const separators[] = {"auto", "space", "auto", ";"};
    hsp_options *options = NULL;
    if (hsp_options_new(ctx, hsp_read_options(), NULL, &options)) abort();
    fuzz_set(options, "format", "csv");
    fuzz_set(options, "missing", missing[choice & 3]);
    fuzz_set(options, "label", labels[choice >> 2 & 3]);
    fuzz_set(options, "separator", separators[choice >> 4 & 3]);
    if (choice & 64) {
        fuzz_set(options, "precision", "double");
        fuzz_set(options, "header", "no");
        fuzz_set(options, "ordinal", "2=S<M<L");
    }
    if (choice & 128) {
        fuzz_set(options, "storage", "sparse");
        fuzz_set(options, "categorical", "1");
    }
    fuzz_cells(options, cells);
    return options;
}

static hsp_data *fuzz_parse(const uint8_t *bytes, size_t size, size_t block,
                            const hsp_encoding *encoding)
{
    hsp_context *ctx = fuzz_context(block);
    hsp_options *options = fuzz_options(ctx, bytes[0], bytes[2]);
    hsp_data *data = NULL;
    hsp_error err = {0};
    hsp_status status =
        hsp_data_parse(ctx, bytes + 3, size - 3, "fuzz", options, encoding, &err, &data);
    if (!status && hsp_view_check(ctx, &data->view, NULL)) abort();
    if (status && (!err.message[0] || err.status != status || data)) abort();
    if (encoding && status && !(bytes[2] & 128)) abort();
    hsp_options_free(options);
    hsp_context_free(ctx);
    return data;
}

/* The encoding through JSON and back. */
static hsp_encoding *fuzz_reread(const hsp_data *data)
{
    char *json = NULL;
    hsp_encoding *encoding = NULL;
    hsp_context *ctx = fuzz_context(1);
    if (hsp__encoding_to_json(hsp_data_encoding(data), &ctx->allocator, NULL, &json)) abort();
    if (hsp__encoding_from_json(&ctx->allocator, json, strlen(json), "fuzz", NULL, &encoding))
        abort();
    hsp__free(&ctx->allocator, json);
    hsp_context_free(ctx);
    return encoding;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 3) return 0;
    const size_t block = 1 + (size_t)bytes[1];
    hsp_data *whole = fuzz_parse(bytes, size, 1 << 16, NULL);
    hsp_data *cut = fuzz_parse(bytes, size, block, NULL);
    /* where quotes are out of place, the cut decides which lines are rejected */
    const int skip = bytes[2] & 128;
    if (!skip && (!whole != !cut || (whole && !test_same(whole, cut, 1)))) abort();
    hsp_data_free(cut);
    if (whole) {
        hsp_encoding *encoding = fuzz_reread(whole);
        hsp_data *again = fuzz_parse(bytes, size, block, encoding);
        if (!skip && !test_same(whole, again, 1)) abort();
        hsp_data_free(again);
        hsp_encoding_free(encoding);
    }
    hsp_data_free(whole);
    return 0;
}
