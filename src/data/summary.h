/* Inside of a summary: what summary.c finds in the values in memory, and summary_exact.c confirms
 * on the decimals of the file. */
#ifndef HSP_DATA_SUMMARY_H
#define HSP_DATA_SUMMARY_H

#include "halfspace_all.h"

#define HSP__SUMMARY_ALONE UINT64_MAX

struct hsp_summary {
    hsp_allocator memory;
    hsp_totals totals;
    uint32_t classes;
    uint64_t *class_counts;      /* classes */
    hsp_column_summary *columns; /* totals.cols */
    uint64_t *same; /* totals.rows: the first row that has the same values in memory, which may be
                       itself; HSP__SUMMARY_ALONE: no other row has them */
};

#endif
