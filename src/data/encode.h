/* Inside of an encoding: what each column of a CSV file is, and how it becomes features. */
#ifndef HSP_DATA_ENCODE_H
#define HSP_DATA_ENCODE_H

#include "base/names.h"
#include "data/cells.h"
#include "data/date.h"
#include "halfspace_all.h"

typedef enum hsp__column_kind {
    HSP__COLUMN_NUMBER,   /* one feature, the value */
    HSP__COLUMN_CATEGORY, /* a feature 0 or 1 for each of its values */
    HSP__COLUMN_ORDINAL,  /* one feature, the value's place in the order from 0 */
    HSP__COLUMN_IGNORED,  /* none */
    HSP__COLUMN_LABEL,    /* none: the class of the row */
    HSP__COLUMN_DATE,     /* a feature for each of its parts */
    HSP__COLUMN_HASHED    /* `hashed` features: sums of signs (hash_text.h) */
} hsp__column_kind;

typedef enum hsp__missing {
    HSP__MISSING_ERROR,
    HSP__MISSING_DROP,     /* the row is left out */
    HSP__MISSING_MEAN,     /* the column's mean; a category: all zeros */
    HSP__MISSING_INDICATOR /* zero, and one more feature that is 1 */
} hsp__missing;

typedef struct hsp__column {
    hsp__column_kind kind;
    int indicator;   /* behind its features is one that is 1 where the value is missing */
    int chosen;      /* category: by the user, who knows how many values there are; not saved */
    uint32_t hashed; /* hashed: the number of features */
    int ngrams;      /* hashed: the words of the longest n-gram */
    int percent;     /* number: every value has a percent sign */
    char pattern[HSP__DATE_PATTERN]; /* date: how it is written */
    unsigned parts;                  /* date: a bit for each HSP__DATE_... */
    double means[HSP__DATE_PARTS];   /* date: the means of its parts, in the order of features */
    double mean;       /* number, ordinal: stands for missing values under HSP__MISSING_MEAN */
    hsp__names values; /* category: sorted as by hsp__names_sort; ordinal: in their order */
} hsp__column;

struct hsp_encoding {
    hsp_allocator memory;
    char separator; /* ' ': runs of spaces and tabs */
    int header;     /* the names came from the file; otherwise they are c1, c2, ... */
    hsp__missing missing;
    hsp__cell_rules rules;
    hsp__names names;     /* of the columns, in the order of the file */
    hsp__column *columns; /* names.count of them */
    uint64_t columns_room;
    hsp__names classes; /* of the label column; none without one */
};

/* An empty encoding; NULL when there is no memory. */
hsp_encoding *hsp__encoding_new(const hsp_allocator *memory);

/* One more column of kind number. A name that is taken becomes "name.2", and so on. 0 when there is
 * no memory. */
int hsp__encoding_add(hsp_encoding *encoding, const char *name, size_t size);

/* An encoding for tables of numbers, for models of arrays: their columns are found by their names or,
 * without names, by their places. *out is NULL where no table is to be expected (sparse rows, very many
 * columns). */
hsp_status hsp__encoding_of_arrays(const hsp_allocator *memory, const hsp_view *view,
                                   const hsp__names *features, hsp_error *err, hsp_encoding **out);

/* Is it such an encoding, without a label column? */
int hsp__encoding_is_of_arrays(const hsp_encoding *encoding);

/* The number of features a column becomes; and without the indicator, for all but categories the
 * cells of a row that it takes. */
uint64_t hsp__encoding_width(const hsp__column *column);
uint32_t hsp__encoding_cells(const hsp__column *column);

/* The part of a date column's feature k. */
int hsp__encoding_part(const hsp__column *column, uint32_t k);

/* The mean of its feature k. */
double *hsp__encoding_mean(hsp__column *column, uint32_t k);

/* Add the name of every feature ("age", "colour=red", "age=?") to `features`, which is empty. 0
 * when there is no memory. */
int hsp__encoding_feature_names(const hsp_encoding *encoding, hsp__names *features);

/* The word of the missing option for a policy, and back (-1 for a word that is none). */
const char *hsp__missing_word(hsp__missing missing);
int hsp__missing_of(const char *word);

#endif
