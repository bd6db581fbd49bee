/* Compression, in and out: gzip, bzip2, xz and zstd, through libarchive. This is the one file that
 * knows the library; built without it, compressed files are HSP_UNSUPPORTED. */
#ifndef HSP_DATA_COMPRESS_H
#define HSP_DATA_COMPRESS_H

#include <stddef.h>

#include "halfspace_all.h"

/* How a file is compressed: "gzip", "bzip2", "xz" or "zstd", by its first bytes or by the ending of
 * its name; NULL: not. */
const char *hsp__packing_of(const char *bytes, size_t size);
int hsp__packing_begins(char first); /* may such a file begin with this byte? */
const char *hsp__packing_by_name(const char *path);

/* Where packed bytes come from: up to `want` of them, 0 at the end; and where they go. */
typedef hsp_status (*hsp__packed_read)(void *user, void *buffer, size_t want, hsp_error *err,
                                       size_t *got);
typedef hsp_status (*hsp__packed_write)(void *user, const void *bytes, size_t size, hsp_error *err);

/* A stream that is unpacked or packed. */
typedef struct hsp__packer hsp__packer;
hsp_status hsp__unpacker_new(hsp_context *ctx, const char *packing, const char *name,
                             hsp__packed_read from, void *user, hsp_error *err, hsp__packer **out);
/* Up to `want` unpacked bytes; 0 at the end. A damaged or truncated input is HSP_BAD_DATA. */
hsp_status hsp__unpacker_read(hsp__packer *packer, void *buffer, size_t want, hsp_error *err,
                              size_t *got);

hsp_status hsp__packer_new(hsp_context *ctx, const char *packing, const char *name,
                           hsp__packed_write to, void *user, hsp_error *err, hsp__packer **out);
hsp_status hsp__packer_write(hsp__packer *packer, const void *bytes, size_t size, hsp_error *err);
/* Flush all there is; needed before the output is complete. */
hsp_status hsp__packer_finish(hsp__packer *packer, hsp_error *err);
void hsp__packer_free(hsp__packer *packer);

#endif
