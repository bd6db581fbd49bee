/* Any bytes as a checkpoint file. What its states say is protected by checksums, and believed. */
#include <stdlib.h>

#include "base/context.h"
#include "data/container.h"
#include "learn/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_file(hsp_context *ctx, const void *bytes, size_t size)
{
    hsp_error err = {0};
    hsp__container *file = NULL;
    hsp__checkpoint *checkpoint = hsp__checkpoint_new(ctx);
    if (checkpoint && !hsp__container_copy(ctx, bytes, size, "fuzz", &err, &file)) {
        const hsp_status status = hsp__checkpoint_read(ctx, file, checkpoint, &err);
        if (status && (status != HSP_BAD_DATA || !err.message[0])) abort();
    }
    hsp__container_free(file);
    hsp__checkpoint_free(checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    hsp_context *ctx;
    if (hsp_context_new(NULL, &ctx)) return 0;
    hsp_context_set_threads(ctx, 1);
    fuzz_file(ctx, bytes, size);
    hsp_context_free(ctx);
    return 0;
}
