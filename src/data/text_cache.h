/* Binary copies of text files, kept in a folder (the option `cache` of reading). */
#ifndef HSP_DATA_TEXT_CACHE_H
#define HSP_DATA_TEXT_CACHE_H

#include "data/source.h"
#include "halfspace_all.h"

/* Reads the text. */
typedef hsp_status (*hsp__text_read)(hsp_context *ctx, hsp__source *source, const char *path,
                                     const hsp_options *options, const hsp_encoding *encoding,
                                     hsp_error *err, hsp_data **out);

/* What `read` would return: from the copy if it fits, else read, copied, and mapped. The messages of
 * reading are said again. */
hsp_status hsp__text_cache_read(hsp_context *ctx, hsp__source *source, const char *path,
                                const hsp_options *options, const hsp_encoding *encoding,
                                hsp__text_read read, hsp_error *err, hsp_data **out);

#endif
