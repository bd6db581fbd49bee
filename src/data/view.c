/* Views: made from a caller's arrays, and checked before anything trusts them. */
#include <stdatomic.h>

#include "base/base.h"
#include "data/data.h"
#include "vec/vec.h"

hsp_view hsp_view_dense(hsp_precision precision, uint64_t rows, uint64_t cols, uint64_t stride,
                        const void *values)
{
    return (hsp_view){.storage = HSP_DENSE,
                      .precision = precision,
                      .rows = rows,
                      .cols = cols,
                      .stride = stride,
                      .values = values,
                      .starts_bytes = 8};
}

hsp_view hsp_view_sparse(hsp_precision precision, uint64_t rows, uint64_t cols, int starts_bytes,
                         const void *starts, const uint32_t *indices, const void *values)
{
    return (hsp_view){.storage = values ? HSP_SPARSE : HSP_ONES,
                      .precision = precision,
                      .rows = rows,
                      .cols = cols,
                      .values = values,
                      .starts = starts,
                      .starts_bytes = starts_bytes,
                      .indices = indices};
}

uint64_t hsp_view_stored(const hsp_view *view)
{
    if (!view) return 0;
    if (view->storage == HSP_DENSE) return view->rows * view->cols;
    return hsp__view_start(view, view->rows) - hsp__view_start(view, 0);
}

int hsp__view_same_rows(const hsp_view *a, uint64_t i, const hsp_view *b, uint64_t j)
{
    const hsp__row x = hsp__view_row(a, i), y = hsp__view_row(b, j);
    for (uint64_t p = 0, q = 0;; p++, q++) {
        while (p < x.count && hsp__row_value(a, &x, p) == 0)
            p++;
        while (q < y.count && hsp__row_value(b, &y, q) == 0)
            q++;
        if (p == x.count || q == y.count) return p == x.count && q == y.count;
        if (hsp__row_column(&x, p) != hsp__row_column(&y, q) ||
            hsp__row_value(a, &x, p) != hsp__row_value(b, &y, q))
            return 0;
    }
}

hsp_view hsp__view_slice(const hsp_view *view, uint64_t from, uint64_t to)
{
    hsp_view slice = *view;
    assert(from <= to && to <= view->rows);
    slice.rows = to - from;
    if (view->labels) slice.labels += from;
    if (view->storage == HSP_DENSE) {
        if (view->values)
            slice.values = (const char *)view->values +
                           from * view->stride * hsp__value_bytes(view->precision);
    } else {
        slice.starts = (const char *)view->starts + from * (uint64_t)view->starts_bytes;
    }
    return slice;
}

/* Cheap checks of the shape itself. */
static hsp_status view_check_shape(const hsp_view *view, hsp_error *err)
{
    if ((unsigned)view->storage > HSP_ONES || (unsigned)view->precision > HSP_FLOAT64)
        return hsp__fail(err, HSP_BAD_DATA, "a view of unknown storage or precision");
    if (view->cols > (uint64_t)1 << 32)
        return hsp__fail(err, HSP_BAD_DATA, "%llu columns, at most 4294967296 are possible",
                         (unsigned long long)view->cols);
    if (view->labels && !view->classes && view->rows)
        return hsp__fail(err, HSP_BAD_DATA, "there are labels, but the number of classes is 0");
    if (view->storage == HSP_DENSE) {
        if (view->stride < view->cols)
            return hsp__fail(err, HSP_BAD_DATA, "the stride is below the number of columns");
        if (!view->values && view->rows && view->cols)
            return hsp__fail(err, HSP_BAD_DATA, "dense rows without values");
        return HSP_OK;
    }
    if (view->starts_bytes != 4 && view->starts_bytes != 8)
        return hsp__fail(err, HSP_BAD_DATA, "offsets of %d bytes, expected 4 or 8",
                         view->starts_bytes);
    if (!view->starts) return hsp__fail(err, HSP_BAD_DATA, "sparse rows without offsets");
    return HSP_OK;
}

hsp_status hsp__view_check_finite(const hsp_view *view, uint64_t from, uint64_t to, hsp_error *err)
{
    for (uint64_t i = from; i < to; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; row.values && k < row.count; k++) {
            const double value = hsp__row_value(view, &row, k);
            if (isfinite(value)) continue;
            return hsp__fail(err, HSP_BAD_DATA, "row %llu, column %llu: the value is %s",
                             (unsigned long long)i + 1,
                             (unsigned long long)hsp__row_column(&row, k) + 1,
                             isnan(value) ? "NaN" : "infinite");
        }
    }
    return HSP_OK;
}

typedef struct view_check {
    const hsp_view *view;
    uint64_t first, stored, parts;
    atomic_uint_fast64_t bad_row; /* the first one found wrong, or UINT64_MAX */
} view_check;

/* HSP_BAD_DATA with what is wrong with a row. */
static hsp_status view_check_row(const view_check *check, uint64_t i, hsp_error *err)
{
    const hsp_view *view = check->view;
    const unsigned long long number = i + 1;
    if (view->labels && view->labels[i] >= view->classes)
        return hsp__fail(err, HSP_BAD_DATA, "row %llu: its label is class %u of %u", number,
                         view->labels[i], view->classes);
    if (view->storage != HSP_DENSE) {
        uint64_t from = hsp__view_start(view, i), to = hsp__view_start(view, i + 1);
        if (from < check->first || to < from || to > check->first + check->stored)
            return hsp__fail(err, HSP_BAD_DATA, "row %llu: its offsets are not ascending", number);
    }
    const hsp__row row = hsp__view_row(view, i);
    uint32_t unordered = 0;
    for (uint64_t k = 1; row.indices && k < row.count; k++)
        unordered |= row.indices[k - 1] >= row.indices[k];
    if (row.indices && row.count && (unordered || row.indices[row.count - 1] >= view->cols))
        for (uint64_t k = 0; k < row.count; k++) {
            if (row.indices[k] >= view->cols)
                return hsp__fail(err, HSP_BAD_DATA, "row %llu: column index %u of %llu columns",
                                 number, row.indices[k], (unsigned long long)view->cols);
            if (k && row.indices[k - 1] >= row.indices[k])
                return hsp__fail(err, HSP_BAD_DATA,
                                 "row %llu: its column indices are not ascending", number);
        }
    const hsp__vec_table *vec = hsp__vec();
    if (!row.values || (view->precision == HSP_FLOAT32 ? vec->finite_f32(row.values, row.count)
                                                       : vec->finite_f64(row.values, row.count)))
        return HSP_OK;
    return hsp__view_check_finite(view, i, i + 1, err);
}

static void view_check_part(void *user, uint64_t part)
{
    view_check *check = user;
    uint64_t i = hsp__part(check->view->rows, check->parts, part);
    const uint64_t to = hsp__part(check->view->rows, check->parts, part + 1);
    while (i < to && view_check_row(check, i, NULL) == HSP_OK)
        i++;
    uint_fast64_t seen = atomic_load(&check->bad_row);
    while (i < to && i < seen && !atomic_compare_exchange_weak(&check->bad_row, &seen, i)) {
    }
}

hsp_status hsp_view_check(hsp_context *ctx, const hsp_view *view, hsp_error *err)
{
    HSP__NEED(err, ctx, view);
    HSP__TRY(view_check_shape(view, err));
    view_check check = {.view = view, .stored = view->rows * view->cols};
    if (view->storage != HSP_DENSE) {
        check.first = hsp__view_start(view, 0);
        const uint64_t end = hsp__view_start(view, view->rows);
        if (end < check.first)
            return hsp__fail(err, HSP_BAD_DATA, "the last offset is below the first");
        check.stored = end - check.first;
        if (check.stored && (!view->indices || (view->storage == HSP_SPARSE && !view->values)))
            return hsp__fail(err, HSP_BAD_DATA, "sparse rows without indices or values");
    }
    check.parts = hsp__parts(view->rows, view->rows ? check.stored * 8 / view->rows + 8 : 1);
    atomic_init(&check.bad_row, UINT64_MAX);
    hsp__tasks_run(ctx, check.parts, view_check_part, &check);
    const uint64_t bad = atomic_load(&check.bad_row);
    return bad == UINT64_MAX ? HSP_OK : view_check_row(&check, bad, err);
}

double hsp__view_entry(const hsp_view *view, uint64_t i, uint64_t column)
{
    const hsp__row row = hsp__view_row(view, i);
    if (!row.indices) return column < row.count ? hsp__row_value(view, &row, column) : 0;
    uint64_t from = 0, to = row.count;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (row.indices[middle] < column)
            from = middle + 1;
        else
            to = middle;
    }
    return from < row.count && row.indices[from] == column ? hsp__row_value(view, &row, from) : 0;
}
