/* Any bytes as libsvm text: an answer or an error, and an answer that is sound and does not depend
 * on how the text is cut. The first byte chooses options. */
#include <stdint.h>
#include <stdlib.h>

#include "data/helpers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static hsp_data *fuzz_parse(const uint8_t *bytes, size_t size, uint8_t choice, size_t block)
{
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_error err = {0};
    static const char *const storages[] = {"auto", "sparse", "auto", "ones"};
    if (hsp_context_new(NULL, &ctx)) abort();
    hsp_context_set_threads(ctx, block < 1000 ? 2 : 1);
    ctx->block_bytes = block;
    if (hsp_options_new(ctx, hsp_read_options(), NULL, &options)) abort();
    hsp_options_set(options, "format", "libsvm", NULL);
    hsp_options_set(options, "storage", storages[choice & 3], NULL);
    if (choice & 4) hsp_options_set(options, "precision", "double", NULL);
    if (choice & 8) hsp_options_set(options, "index-base", choice & 16 ? "0" : "1", NULL);
    hsp_status status = hsp_data_parse(ctx, bytes, size, "fuzz", options, NULL, &err, &data);
    if (!status && hsp_view_check(ctx, &data->view, NULL)) abort();
    if (status && (!err.message[0] || err.status != status || data)) abort();
    hsp_options_free(options);
    hsp_context_free(ctx);
    return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    hsp_data *whole = fuzz_parse(bytes + 2, size - 2, bytes[0], 1 << 16);
    hsp_data *cut = fuzz_parse(bytes + 2, size - 2, bytes[0], 1 + bytes[1]);
    if (!whole != !cut) abort();
    if (whole && !test_same(whole, cut, 1)) abort();
    hsp_data_free(whole);
    hsp_data_free(cut);
    return 0;
}
