/* What a file is, and what to do when it is not what was expected. */
#ifndef HSP_DATA_KIND_H
#define HSP_DATA_KIND_H

#include <stddef.h>

#include "halfspace_all.h"

/* What begins with these bytes; a few hundred of them are enough. */
hsp_file_kind hsp__kind_of(const char *bytes, size_t size);

/* HSP_BAD_DATA: `path` is one thing and should be another. Says what can be done with it. */
hsp_status hsp__kind_fail(hsp_error *err, const char *path, hsp_file_kind found,
                          hsp_file_kind expected);

/* Reading `path` ended with `status`. If that is HSP_BAD_DATA because the file is of another kind,
 * say so instead. Returns `status`. */
hsp_status hsp__kind_explain(hsp_context *ctx, const char *path, hsp_file_kind expected,
                             hsp_status status, hsp_error *err);

#endif
