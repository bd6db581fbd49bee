/* The one container for binary files (data caches, scalings, later models): a safetensors file.
 * Eight bytes of little-endian header size, a JSON header, then raw little-endian arrays. Metadata
 * (text by name) is the header's __metadata__; each array's CRC-32 stands there too, as
 * "crc32.NAME". docs/binary-format.md has the details. */
#ifndef HSP_DATA_CONTAINER_H
#define HSP_DATA_CONTAINER_H

#include <stddef.h>

#include "base/names.h"
#include "base/text.h"
#include "data/output.h"
#include "halfspace_all.h"

typedef enum hsp__dtype { HSP__U8, HSP__U32, HSP__U64, HSP__F32, HSP__F64 } hsp__dtype;

typedef struct hsp__tensor {
    const char *name;
    hsp__dtype dtype;
    int dims; /* 1 or 2 */
    uint64_t shape[2];
    const void *data;
} hsp__tensor;

typedef struct hsp__meta {
    const char *key;
    const char *value; /* NUL-terminated UTF-8 */
} hsp__meta;

/* Write a container, whole or not at all. The format allows no gaps between arrays, so they are
 * written in descending order of element size: each starts on a multiple of its element size, the
 * first on a multiple of 64 bytes. Names, keys and values must be UTF-8, names and keys distinct;
 * "written_by" and "crc32.NAME" are added to the metadata. */
hsp_status hsp__container_write(hsp_context *ctx, const char *path, const hsp__meta *meta,
                                size_t meta_count, const hsp__tensor *tensors, size_t tensor_count,
                                hsp_error *err);
/* The same to an output, which the caller commits; `path` is for errors. */
hsp_status hsp__container_put(hsp_context *ctx, hsp__output *output, const char *path,
                              const hsp__meta *meta, size_t meta_count, const hsp__tensor *tensors,
                              size_t tensor_count, hsp_error *err);

typedef struct hsp__container hsp__container;

/* Map a file (memory: borrow the bytes, which must be 8-byte aligned if the arrays are to be used
 * in place) and check its header: sizes, overlaps, types, shapes against the file's length. The
 * arrays are not touched. */
hsp_status hsp__container_open(hsp_context *ctx, const char *path, hsp_error *err,
                               hsp__container **out);
hsp_status hsp__container_memory(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                                 hsp_error *err, hsp__container **out);
/* The same of a copy of the bytes. */
hsp_status hsp__container_copy(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                               hsp_error *err, hsp__container **out);
void hsp__container_free(hsp__container *container);

const char *hsp__container_name(const hsp__container *container);
const char *hsp__container_meta(const hsp__container *container, const char *key); /* or NULL */

/* The i-th entry of the metadata; NULL past the last. */
const char *hsp__container_meta_at(const hsp__container *container, size_t i, const char **value);

/* An array by name; NULL if there is none of the types and dimensions above. */
const hsp__tensor *hsp__container_tensor(const hsp__container *container, const char *name);

/* The i-th of them; NULL past the last. */
const hsp__tensor *hsp__container_tensor_at(const hsp__container *container, size_t i);

/* Compare every array with its checksum (in parallel). An array without one is an error. */
hsp_status hsp__container_verify(hsp_context *ctx, const hsp__container *container, hsp_error *err);

/* Do these first bytes of a file look like a container? (`size` at least 16.) */
int hsp__container_looks_like(const char *bytes, size_t size);

/* Metadata that several kinds of binary file keep in the same way: lists of names as JSON, words of
 * a fixed choice, counts. Every error is HSP_BAD_DATA and names the file. */

/* Append names as a JSON array; `what` ("class") and `path` are for the error about a name that is
 * not UTF-8. */
hsp_status hsp__metadata_put_names(hsp__text *text, const hsp__names *names, const char *what,
                                   const char *path, hsp_error *err);

/* Distinct names from such an array, added to `names`; nothing when the key is not there. */
hsp_status hsp__metadata_names(const hsp__container *container, const char *key, hsp__names *names,
                               hsp_error *err);

/* Is this the kind of file that was expected ("halfspace-data")? An error says which kind it is. */
hsp_status hsp__metadata_format(const hsp__container *container, const char *format,
                                hsp_error *err);

/* One of the words, by its place among them. */
hsp_status hsp__metadata_word(const hsp__container *container, const char *key,
                              const char *const *words, int count, hsp_error *err, int *out);

/* A whole number up to `most`. */
hsp_status hsp__metadata_count(const hsp__container *container, const char *key, uint64_t most,
                               hsp_error *err, uint64_t *out);

#endif
