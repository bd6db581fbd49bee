#include "base/checksum.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/source.h"
#include "prove/prove_file.h"

#define HASH_BYTES ((size_t)1 << 20)

hsp_status hsp__prove_hash_file(hsp_context *ctx, const char *path, hsp_error *err, char hash[65])
{
    hsp__source *source = NULL;
    char *buffer = hsp__new_raw(&ctx->allocator, HASH_BYTES, 1);
    unsigned char digest[32];
    hsp__sha256 sha;
    hsp_status status = buffer ? HSP_OK : hsp__fail_memory(err);
    hsp__sha256_init(&sha);
    if (!status) status = hsp__source_open(ctx, path, err, &source);
    for (size_t got = 1; !status && got;) {
        status = hsp__source_read(source, buffer, HASH_BYTES, err, &got);
        if (!status) hsp__sha256_add(&sha, buffer, got);
        if (!status)
            status = hsp__progress(ctx, "computing checksums", "bytes",
                                   hsp__source_position(source), hsp__source_size(source), err);
    }
    hsp__sha256_end(&sha, digest);
    hsp__sha256_text(digest, hash);
    hsp__source_free(source);
    hsp__free(&ctx->allocator, buffer);
    return status;
}
