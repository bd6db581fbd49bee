/* halfspace: a limit of memory, for data that is larger (docs/out-of-core.md). */
#ifndef HALFSPACE_MEMORY_H
#define HALFSPACE_MEMORY_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A limit of resident memory, for data that is larger: an allocator for hsp_context_new. Blocks
 * beyond the limit lie in temporary files without names in `folder` (NULL: $TMPDIR, else /var/tmp),
 * which are gone when the process ends. Pages of these files, and of binary files that are mapped,
 * are given back in time: the process stays below `bytes` plus 64 MB, if it does nothing else.
 * Results are the same bits as without a limit, but for dual coordinate descent on data that does
 * not fit, which visits the rows in another order. Free the limit after all objects that were made
 * with its allocator. HSP_USAGE: less than HSP_MEMORY_LEAST. HSP_UNSUPPORTED: not on Linux. */
#define HSP_MEMORY_LEAST ((uint64_t)32 << 20)
typedef struct hsp_memory_limit hsp_memory_limit;
HSP_API hsp_status hsp_memory_limit_new(uint64_t bytes, const char *folder, hsp_error *err,
                                        hsp_memory_limit **out);
HSP_API hsp_allocator hsp_memory_limit_allocator(hsp_memory_limit *limit);
/* Why a request for memory was refused last: a sentence; NULL: none was. */
HSP_API const char *hsp_memory_limit_refused(const hsp_memory_limit *limit);
HSP_API void hsp_memory_limit_free(hsp_memory_limit *limit);

#ifdef __cplusplus
}
#endif

#endif
