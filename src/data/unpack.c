/* The bytes of a file as its reader sees them. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/source.h"

#define UNPACK_BYTES ((size_t)1 << 20)

hsp_status hsp_file_unpack(hsp_context *ctx, const char *path, hsp_bytes_fn take, void *user,
                           hsp_error *err)
{
    HSP__NEED(err, ctx, path);
    if (!take) return hsp__fail_null(err, __func__, "take", (const void *[]){NULL}, 1);
    hsp__source *source = NULL;
    char *buffer = hsp__new_raw(&ctx->allocator, UNPACK_BYTES, 1);
    hsp_status status = buffer ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__source_open(ctx, path, err, &source);
    for (size_t got = 1; !status && got;) {
        status = hsp__source_read(source, buffer, UNPACK_BYTES, err, &got);
        if (!status && got && take(user, buffer, got))
            status = hsp__fail(err, HSP_CANCELLED, "stopped on request");
    }
    hsp__source_free(source);
    hsp__free(&ctx->allocator, buffer);
    return status;
}
