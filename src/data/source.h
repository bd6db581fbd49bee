/* Bytes coming in: a file, standard input or memory, unpacked on the way when it is compressed. */
#ifndef HSP_DATA_SOURCE_H
#define HSP_DATA_SOURCE_H

#include <stddef.h>

#include "halfspace_all.h"

typedef struct hsp__source hsp__source;

/* Open `path` ("-": standard input). */
hsp_status hsp__source_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__source **out);
/* The same over memory that outlives the source. */
hsp_status hsp__source_memory(hsp_context *ctx, const void *data, size_t size, const char *name,
                              hsp_error *err, hsp__source **out);
void hsp__source_free(hsp__source *source);

/* Have readers tell what they see on the way: `told` gets the hash of all bytes that are read, and
 * hsp__source_told is where the rest goes. */
struct hsp__provenance;
void hsp__source_follow(hsp__source *source, struct hsp__provenance *told);
struct hsp__provenance *hsp__source_told(const hsp__source *source); /* NULL: nobody asked */

const char *hsp__source_name(const hsp__source *source);

/* The first bytes, up to `want` (fewer only at the end of the input), without consuming them. They
 * stay valid until the first read. */
hsp_status hsp__source_peek(hsp__source *source, size_t want, hsp_error *err, const char **bytes,
                            size_t *size);

/* The next bytes, exactly `want` unless the input ends. */
hsp_status hsp__source_read(hsp__source *source, void *buffer, size_t want, hsp_error *err,
                            size_t *got);

/* All that is left of it, into memory that the caller frees; *bytes may be set on failure too. */
hsp_status hsp__source_read_all(hsp_context *ctx, hsp__source *source, hsp_error *err, void **bytes,
                                size_t *size);

/* For progress: bytes taken from the file so far (compressed ones when it is compressed), and its
 * size, 0 when not known. */
uint64_t hsp__source_position(const hsp__source *source);
uint64_t hsp__source_size(const hsp__source *source);

/* Is the input compressed? Then its size says little about how much text will come. */
int hsp__source_packed(const hsp__source *source);

/* Is it a file that can be opened and read again? (A pipe cannot, nor can standard input.) */
int hsp__source_again(const hsp__source *source);

/* Can the source be read again from its beginning? And do so. */
int hsp__source_rewinds(const hsp__source *source);
hsp_status hsp__source_rewind(hsp_context *ctx, hsp__source *source, hsp_error *err);

/* Is the source a plain regular file that can be mapped? (A binary cache wants to be.) */
int hsp__source_mappable(const hsp__source *source);

#endif
