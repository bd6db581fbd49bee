/* Bytes going out: a file that appears whole or not at all, or standard output. The bytes go to a
 * temporary name in the same folder; commit flushes them to the disk and renames. A name that ends
 * in .gz, .bz2, .xz or .zst is compressed. */
#ifndef HSP_DATA_OUTPUT_H
#define HSP_DATA_OUTPUT_H

#include <stddef.h>

#include "base/text.h"
#include "halfspace_all.h"

typedef struct hsp__output hsp__output;

hsp_status hsp__output_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__output **out);
/* The same for bytes that go to `take` instead of a file; a return value other than 0 ends the
 * writing (HSP_CANCELLED). */
hsp_status hsp__output_take(hsp_context *ctx, hsp_bytes_fn take, void *user, hsp_error *err,
                            hsp__output **out);
hsp_status hsp__output_write(hsp__output *output, const void *bytes, size_t size, hsp_error *err);
/* Make it appear. */
hsp_status hsp__output_commit(hsp__output *output, hsp_error *err);
/* Without a commit before, nothing is left behind. */
void hsp__output_free(hsp__output *output);

/* Rows as text, in blocks that are made in parallel and written in order: one batch of blocks is
 * written while the next is made, so that it needs a few megabytes however many rows there are.
 * `make` appends the rows from .. to - 1; no two blocks in the making have the same slot. */
enum { HSP__OUTPUT_SLOTS = 64 };
typedef void (*hsp__output_make)(void *user, uint64_t from, uint64_t to, uint64_t slot,
                                 hsp__text *text);
hsp_status hsp__output_rows(hsp_context *ctx, hsp__output *output, const char *phase, uint64_t rows,
                            uint64_t block_rows, hsp__output_make make, void *user, hsp_error *err);

/* The text, unless memory for it was lacking. */
hsp_status hsp__output_text(hsp__output *output, const hsp__text *text, hsp_error *err);

/* The name without a compression ending: "a.svm.gz" has the size of "a.svm". */
size_t hsp__output_plain_size(const char *path);

#endif
