/* Reports that callers own begin with `size_t size`, which the caller sets to the sizeof it was
 * compiled with. Later versions add members at the end; a call fills those that the caller has. */
#ifndef HSP_BASE_SIZED_REPORT_H
#define HSP_BASE_SIZED_REPORT_H

#include <string.h>

#include "base/error.h"

#define HSP__REPORT_LARGEST 65536

/* HSP_USAGE if the caller has forgotten to set the size; NULL passes. */
static inline hsp_status hsp__report_check(const void *report, const char *type, hsp_error *err)
{
    size_t size = 0;
    if (!report) return HSP_OK;
    memcpy(&size, report, sizeof size);
    if (size > sizeof size && size <= HSP__REPORT_LARGEST) return HSP_OK;
    return hsp__fail(err, HSP_USAGE,
                     "the member size of %s is %llu: set it to sizeof(%s) before the call", type,
                     (unsigned long long)size, type);
}

#define HSP__REPORT(err, report, type)                                        \
    do {                                                                      \
        const hsp_status status_ = hsp__report_check((report), #type, (err)); \
        if (status_) return status_;                                          \
    } while (0)

/* Copy what was made into the caller's report, as far as it fits; the size stays. NULL passes. */
static inline void hsp__report_give(void *report, const void *made, size_t made_size)
{
    size_t size = 0;
    if (!report) return;
    memcpy(&size, report, sizeof size);
    const size_t common = size < made_size ? size : made_size;
    memcpy((char *)report + sizeof size, (const char *)made + sizeof size, common - sizeof size);
    memset((char *)report + common, 0, size - common);
}

#endif
