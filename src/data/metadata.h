/* Metadata that several kinds of binary file keep in the same way: lists of names as JSON, words of
 * a fixed choice, counts. Every error is HSP_BAD_DATA and names the file. */
#ifndef HSP_DATA_METADATA_H
#define HSP_DATA_METADATA_H

#include "base/names.h"
#include "base/text.h"
#include "data/container.h"
#include "halfspace_all.h"

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
