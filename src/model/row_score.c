/* The score of one row, by its storage. */
#include "model/model.h"
#include "vec/vec.h"

double hsp__row_score(const hsp_view *view, uint64_t i, const double *w, double b)
{
    const hsp__vec_table *vec = hsp__vec();
    const int single = view->precision == HSP_FLOAT32;
    hsp__row row = hsp__view_row(view, i);
    const size_t n = (size_t)row.count;
    if (view->storage == HSP_DENSE)
        return (single ? vec->dot_f32f64(row.values, w, n) : vec->dot_f64(row.values, w, n)) + b;
    if (!row.values) return vec->ones_dot_f64(row.indices, n, w) + b;
    return (single ? vec->sparse_dot_f32f64(row.indices, row.values, n, w)
                   : vec->sparse_dot_f64(row.indices, row.values, n, w)) +
           b;
}
