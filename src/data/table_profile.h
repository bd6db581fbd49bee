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

/* The column that an option means by a word: its name, in any case, or its number from 1; UINT64_MAX:
 * none. */
uint64_t hsp__profile_by_word(const hsp_profile *profile, const char *word, size_t size);

/* Few values that come again: classes. */
#define HSP__PROFILE_CLASSES 20 /* at most */
int hsp__profile_is_classes(const hsp__column_profile *column);

/* Does the notation read the column's numbers? Unless the user chose the decimal sign, a column's
 * separator of thousands must not be it: 1,200 would be 1.2. */
int hsp__notation_fits(const hsp__column_profile *column, const hsp__number_format *format,
                       int decimal_given);

/* The notation of numbers, in which the signs that were given stay, that fits most of the columns with
 * fits[j] 1; for those that it does not fit, fits[j] becomes 0. */
hsp__number_format hsp__notation_choose(const hsp_profile *profile, int decimal_given,
                                        int thousands_given, unsigned char *fits);

/* Fill in the findings. */
hsp_status hsp__profile_find(hsp_profile *profile, const hsp_options *read, hsp_error *err);

#endif
