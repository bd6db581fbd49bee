/* The profile of a table: its columns, by their cells, and findings with the options that deal with
 * them. */
#ifndef HSP_DATA_TABLE_PROFILE_H
#define HSP_DATA_TABLE_PROFILE_H

#include "base/scratch.h"
#include "data/column_profile.h"
#include "data/source.h"
#include "halfspace_all.h"

struct hsp_profile {
    hsp_allocator memory;
    hsp__source *source; /* to read it again */
    int taken;           /* its rows were read, and cannot be read again */
    hsp_profile_totals totals;
    uint32_t ragged_part, misquoted_part; /* the files with the first of such rows */
    char separator[2];
    hsp__names names;
    hsp__cell_rules rules;        /* the user's */
    hsp__column_profile *columns; /* totals.columns */
    hsp_profile_column *shown;    /* totals.columns */
    hsp_finding *findings;        /* count */
    uint64_t count, findings_room;
    hsp__scratch scratch; /* the findings' texts */
};

/* The column that holds the labels: as the options say, if there is such a column, else by its name,
 * place and kind; UINT64_MAX: none. */
uint64_t hsp__profile_label(const hsp_profile *profile, const hsp_options *read);

/* Fill in the findings. */
hsp_status hsp__profile_find(hsp_profile *profile, const hsp_options *read, hsp_error *err);

#endif
