/* Inside of a data set, for the modules that make them. */
#ifndef HSP_DATA_DATA_H
#define HSP_DATA_DATA_H

#include <float.h>

#include "base/names.h"
#include "base/ranks.h"
#include "halfspace_all.h"

typedef struct hsp__container hsp__container; /* data/container.h */

struct hsp_data {
    hsp_allocator memory;
    hsp_view view;          /* points into the owned arrays below, into the mapped container, or
                                 to arrays of the caller (hsp_data_borrow) */
    char why[192];          /* the precision was chosen, and is double: because of this */
    uint64_t nonzeros;      /* values other than zero (sparse rows store no zeros) */
    int checked;            /* the view's arrays are known to be sound */
    int digits;             /* of the text that the values were read from: no value has more
                                 significant decimal digits than this (6: 6 or fewer, or a whole
                                 number up to 2^24; 20: 20 or more, or a value below the normal
                                 range). 0: unknown, because the values were computed, or came from
                                 the caller. See hsp__data_is_exact. */
    void *values;           /* owned, or NULL; of a binary file in memory: all of it */
    uint64_t *starts;       /* owned, or NULL */
    uint32_t *indices;      /* owned, or NULL */
    uint32_t *labels;       /* owned, or NULL */
    double *row_weights;    /* rows, >= 0: for learners with the option row-weight, unless it
                                 names a column; owned, or NULL: all 1 */
    uint32_t *groups;       /* rows: those of one number stay in one fold; owned, or NULL */
    double *times;          /* rows: their order in time, not NaN; owned, or NULL: as they stand */
    hsp__names class_names; /* view.classes of them */
    hsp__names feature_names; /* view.cols of them, or none */
    hsp_encoding *encoding;   /* owned, or NULL */
    hsp__shard shard;   /* ranks NULL: the rows are all of them; else some of these (shard.h) */
    int of_arrays;      /* the rows are arrays of a program, and were no file */
    uint64_t *rejected; /* rejected_count, in order, hsp__record_place: records that were left
                                 out because they cannot be read; owned */
    uint64_t rejected_count;
    const char *index_base; /* "0" or "1": the first column's number in the libsvm text it came
                                 from; NULL: it came from elsewhere */
    hsp__container *mapped; /* owned, or NULL */
    struct hsp__kernel_shared *shared; /* where kernels of these rows meet (kernel/shared_values.h);
                                          not owned, and not copied; NULL: none */
};

/* Where a record begins: a line, from 1, of one of the files that are read. */
static inline uint64_t hsp__record_place(uint32_t file, uint64_t line)
{
    return (uint64_t)file << 40 | line;
}

/* An empty data set, all zero; fill it in, then hsp__data_seal it. */
hsp_data *hsp__data_new(const hsp_allocator *memory);

/* An empty data set with arrays of the given shape (`stored`: entries of sparse rows). Labels are
 * allocated when `labelled`. Values, indices and labels are not cleared; starts[0] is 0. */
hsp_status hsp__data_shape(hsp_context *ctx, hsp_storage storage, hsp_precision precision,
                           uint64_t rows, uint64_t cols, uint64_t stored, int labelled,
                           hsp_error *err, hsp_data **out);

/* starts[i + 1]: the entries of row i; it becomes where row i + 1 starts, starts[0] 0. Returns all. */
static inline uint64_t hsp__starts_from_counts(uint64_t *starts, uint64_t rows)
{
    starts[0] = 0;
    for (uint64_t i = 0; i < rows; i++)
        starts[i + 1] += starts[i];
    return starts[rows];
}

/* Point the view at the owned arrays, and mark it checked: whoever fills arrays fills them soundly.
 * In debug builds of the tests the claim is asserted. */
void hsp__data_seal(hsp_data *data);

/* A data set with labels and names of its own over the rows of another, which outlives it. */
hsp_status hsp__data_borrow(hsp_context *ctx, const hsp_data *from, hsp_error *err, hsp_data **out);

/* Copy class names, feature names and encoding from one data set to another. */
hsp_status hsp__data_copy_names(hsp_data *to, const hsp_data *from, hsp_error *err);

static inline size_t hsp__value_bytes(hsp_precision precision)
{
    return precision == HSP_FLOAT32 ? sizeof(float) : sizeof(double);
}

/* Are two values of the data set equal exactly when the decimals that they were read from are? Two
 * decimals of up to FLT_DIG digits never round to the same float, nor two of up to DBL_DIG digits
 * to the same double. 0 when that is not known. */
static inline int hsp__data_is_exact(const hsp_data *data)
{
    const int most = data->view.precision == HSP_FLOAT32 ? FLT_DIG : DBL_DIG;
    return data->digits && data->digits <= most;
}

/* One row of a view. Dense rows have no indices: entry k is column k. */
typedef struct hsp__row {
    uint64_t count;
    const uint32_t *indices; /* count, or NULL: dense */
    const void *values;      /* count, or NULL: all ones */
} hsp__row;

static inline uint64_t hsp__view_start(const hsp_view *view, uint64_t i)
{
    return view->starts_bytes == 8 ? ((const uint64_t *)view->starts)[i]
                                   : ((const uint32_t *)view->starts)[i];
}

static inline hsp__row hsp__view_row(const hsp_view *view, uint64_t i)
{
    const size_t bytes = hsp__value_bytes(view->precision);
    const char *values = view->values;
    if (view->storage == HSP_DENSE)
        return (hsp__row){view->cols, NULL, values + i * view->stride * bytes};
    uint64_t from = hsp__view_start(view, i), to = hsp__view_start(view, i + 1);
    return (hsp__row){to - from, view->indices + from, values ? values + from * bytes : NULL};
}

/* The value in a column of a row: 0 where sparse rows have none. */
double hsp__view_entry(const hsp_view *view, uint64_t i, uint64_t column);

/* Rows [from, to) of a view, borrowed. */
hsp_view hsp__view_slice(const hsp_view *view, uint64_t from, uint64_t to);

/* Are all values of rows from .. to - 1 finite? HSP_BAD_DATA with row and column of the first that
 * is NaN or infinite. */
hsp_status hsp__view_check_finite(const hsp_view *view, uint64_t from, uint64_t to, hsp_error *err);

/* Do two rows have the same numbers, however they are stored? */
int hsp__view_same_rows(const hsp_view *a, uint64_t i, const hsp_view *b, uint64_t j);

/* Entry k of a row, and its column. */
static inline double hsp__row_value(const hsp_view *view, const hsp__row *row, uint64_t k)
{
    if (!row->values) return 1;
    return view->precision == HSP_FLOAT32 ? (double)((const float *)row->values)[k]
                                          : ((const double *)row->values)[k];
}

static inline uint64_t hsp__row_column(const hsp__row *row, uint64_t k)
{
    return row->indices ? row->indices[k] : k;
}

/* The storage that takes the least memory: ones when every stored value is one, dense when that is
 * no larger than sparse. */
hsp_storage hsp__storage_choose(uint64_t rows, uint64_t cols, uint64_t nonzeros, int all_ones,
                                hsp_precision precision);

#endif
