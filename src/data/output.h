/* Bytes going out: a file that appears whole or not at all, or standard output. The bytes go to a
 * temporary name in the same folder; commit flushes them to the disk and renames. A name that ends
 * in .gz, .bz2, .xz or .zst is compressed. */
#ifndef HSP_DATA_OUTPUT_H
#define HSP_DATA_OUTPUT_H

#include <stddef.h>

#include "halfspace_all.h"

typedef struct hsp__output hsp__output;

hsp_status hsp__output_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__output **out);
hsp_status hsp__output_write(hsp__output *output, const void *bytes, size_t size, hsp_error *err);
/* Make it appear. */
hsp_status hsp__output_commit(hsp__output *output, hsp_error *err);
/* Without a commit before, nothing is left behind. */
void hsp__output_free(hsp__output *output);

/* The name without a compression ending: "a.svm.gz" has the size of "a.svm". */
size_t hsp__output_plain_size(const char *path);

#endif
