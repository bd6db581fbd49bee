/* The data set: an owner of arrays and names around a view. */
#include "data/data.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/base.h"
#include "data/container.h"
#include "data/formats.h"

hsp_data *hsp__data_new(const hsp_allocator *memory)
{
    hsp_data *data = hsp__new(memory, 1, sizeof *data);
    if (!data) return NULL;
    data->memory = *memory;
    data->view.starts_bytes = 8;
    hsp__names_init(&data->class_names, memory);
    hsp__names_init(&data->feature_names, memory);
    return data;
}

void hsp_data_free(hsp_data *data)
{
    if (!data) return;
    hsp_allocator memory = data->memory;
    hsp__names_free(&data->class_names);
    hsp__names_free(&data->feature_names);
    hsp_encoding_free(data->encoding);
    hsp__container_free(data->mapped);
    hsp__free(&memory, data->values);
    hsp__free(&memory, data->starts);
    hsp__free(&memory, data->indices);
    hsp__free(&memory, data->labels);
    hsp__free(&memory, data->rejected);
    hsp__free(&memory, data->row_weights);
    hsp__free(&memory, data->groups);
    hsp__free(&memory, data->times);
    hsp__free(&memory, data);
}

/* A large array that is about to be filled: uncleared, on large pages where the system has them. */
static void *data_array(const hsp_allocator *memory, uint64_t count, size_t size)
{
    void *array = hsp__new_raw(memory, count, size);
    if (array) hsp__advise_huge(memory, array, count * size);
    return array;
}

hsp_status hsp__data_shape(hsp_context *ctx, hsp_storage storage, hsp_precision precision,
                           uint64_t rows, uint64_t cols, uint64_t stored, int labelled,
                           hsp_error *err, hsp_data **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const size_t bytes = hsp__value_bytes(precision);
    hsp_data *data = hsp__data_new(memory);
    if (!data) goto no_memory;
    data->view = (hsp_view){.storage = storage,
                            .precision = precision,
                            .rows = rows,
                            .cols = cols,
                            .stride = storage == HSP_DENSE ? cols : 0,
                            .starts_bytes = 8};
    if (storage == HSP_DENSE) {
        if (cols && rows > UINT64_MAX / cols) goto no_memory;
        data->values = data_array(memory, rows * cols, bytes);
        if (!data->values) goto no_memory;
    } else {
        data->starts = data_array(memory, rows + 1, sizeof *data->starts);
        data->indices = data_array(memory, stored, sizeof *data->indices);
        if (storage == HSP_SPARSE) data->values = data_array(memory, stored, bytes);
        if (!data->starts || !data->indices || (storage == HSP_SPARSE && !data->values))
            goto no_memory;
        data->starts[0] = 0;
    }
    if (labelled && !(data->labels = data_array(memory, rows, sizeof *data->labels)))
        goto no_memory;
    *out = data;
    return HSP_OK;
no_memory:
    hsp_data_free(data);
    return hsp__fail_memory(err);
}

void hsp__data_seal(hsp_data *data)
{
    hsp_view *view = &data->view;
    view->values = data->values;
    view->starts = data->starts;
    view->starts_bytes = 8;
    view->indices = data->indices;
    view->labels = data->labels;
    view->classes = data->class_names.count;
    if (view->storage == HSP_ONES) view->values = NULL;
    if (view->storage != HSP_DENSE) data->nonzeros = data->starts[view->rows];
    assert(view->storage != HSP_DENSE || view->stride >= view->cols);
    data->checked = 1;
}

hsp_status hsp__data_copy_names(hsp_data *to, const hsp_data *from, hsp_error *err)
{
    if (!hsp__names_copy(&to->class_names, &from->class_names) ||
        !hsp__names_copy(&to->feature_names, &from->feature_names))
        return hsp__fail_memory(err);
    to->index_base = from->index_base;
    if (from->rejected_count) {
        to->rejected = hsp__new_raw(&to->memory, from->rejected_count, sizeof *to->rejected);
        if (!to->rejected) return hsp__fail_memory(err);
        memcpy(to->rejected, from->rejected, from->rejected_count * sizeof *to->rejected);
        to->rejected_count = from->rejected_count;
    }
    if (!from->encoding) return HSP_OK;
    return hsp__encoding_copy(&to->memory, from->encoding, err, &to->encoding);
}

/* Names must be distinct: a name is how a user points at a class or a column. */
static hsp_status data_add_name(hsp__names *names, const char *name, const char *what,
                                hsp_error *err)
{
    uint32_t number, before = names->count;
    if (!hsp__names_add(names, name, strlen(name), &number)) return hsp__fail_memory(err);
    if (number == before) return HSP_OK;
    return hsp__fail(err, HSP_USAGE, "the %s name '%s' appears twice", what, name);
}

static hsp_status data_name_all(hsp_data *data, const hsp_view *view,
                                const char *const *class_names, const char *const *feature_names,
                                hsp_error *err)
{
    for (uint32_t i = 0; i < view->classes; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        HSP__TRY(
            data_add_name(&data->class_names, class_names ? class_names[i] : number, "class", err));
    }
    for (uint64_t j = 0; feature_names && j < view->cols; j++)
        HSP__TRY(data_add_name(&data->feature_names, feature_names[j], "feature", err));
    data->of_arrays = 1;
    return HSP_OK;
}

/* Must a loop over rows end? */
static int data_tick(hsp_context *ctx, uint64_t row)
{
    return row % 64 == 0 && hsp__tick(ctx);
}

/* Zeros that the caller stored are left out. */
static void data_copy_sparse(hsp_context *ctx, hsp_data *data, const hsp_view *view)
{
    const size_t bytes = hsp__value_bytes(view->precision);
    uint64_t entry = 0;
    for (uint64_t i = 0; i < view->rows && !data_tick(ctx, i); i++) {
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            if (hsp__row_value(view, &row, k) == 0) continue;
            data->indices[entry] = row.indices[k];
            if (row.values)
                memcpy((char *)data->values + entry * bytes, (const char *)row.values + k * bytes,
                       bytes);
            entry++;
        }
        data->starts[i + 1] = entry;
    }
}

/* ---- How many values are not 0 ---- */

typedef struct data_count {
    const hsp_view *view;
    uint64_t parts;
    atomic_uint_fast64_t nonzeros;
    atomic_uint_fast64_t zero_row; /* the first row with a 0; UINT64_MAX: none */
} data_count;

#define DATA_COUNT(type)                            \
    do {                                            \
        const type *values = row.values;            \
        for (uint64_t k = 0; k < row.count; k++)    \
            here += values[k] < 0 || values[k] > 0; \
    } while (0)

static void data_count_part(void *user, uint64_t part)
{
    data_count *count = user;
    const hsp_view *view = count->view;
    const uint64_t to = hsp__part(view->rows, count->parts, part + 1);
    uint64_t nonzeros = 0;
    for (uint64_t i = hsp__part(view->rows, count->parts, part); i < to; i++) {
        const hsp__row row = hsp__view_row(view, i);
        uint64_t here = 0;
        if (view->precision == HSP_FLOAT32)
            DATA_COUNT(float);
        else
            DATA_COUNT(double);
        uint_fast64_t first = atomic_load(&count->zero_row);
        while (here < row.count && i < first &&
               !atomic_compare_exchange_weak(&count->zero_row, &first, i)) {
        }
        nonzeros += here;
    }
    atomic_fetch_add(&count->nonzeros, nonzeros);
}

/* Of dense or sparse rows; in *zero the first row with a 0, UINT64_MAX: none has. */
static uint64_t data_count_nonzeros(hsp_context *ctx, const hsp_view *view, uint64_t *zero)
{
    data_count count = {.view = view};
    atomic_init(&count.nonzeros, 0);
    atomic_init(&count.zero_row, UINT64_MAX);
    count.parts =
        hsp__parts(view->rows, view->rows ? hsp_view_stored(view) * 8 / view->rows + 8 : 1);
    hsp__tasks_run(ctx, count.parts, data_count_part, &count);
    *zero = atomic_load(&count.zero_row);
    return atomic_load(&count.nonzeros);
}

hsp_status hsp_data_copy(hsp_context *ctx, const hsp_view *view, const char *const *class_names,
                         const char *const *feature_names, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, view, out);
    hsp_data *data = NULL;
    HSP__TRY(hsp_view_check(ctx, view, err));
    uint64_t stored = view->storage == HSP_DENSE ? 0 : hsp_view_stored(view);
    HSP__TRY(hsp__data_shape(ctx, view->storage, view->precision, view->rows, view->cols, stored,
                             view->labels != NULL, err, &data));
    const size_t bytes = view->cols * hsp__value_bytes(view->precision);
    if (view->storage != HSP_DENSE) data_copy_sparse(ctx, data, view);
    for (uint64_t i = 0;
         view->storage == HSP_DENSE && i < view->rows && bytes && !data_tick(ctx, i); i++)
        memcpy((char *)data->values + i * bytes, hsp__view_row(view, i).values, bytes);
    if (view->labels && view->rows)
        memcpy(data->labels, view->labels, view->rows * sizeof *data->labels);
    hsp_status status = data_name_all(data, view, class_names, feature_names, err);
    hsp__data_seal(data);
    uint64_t zero;
    if (!status && view->storage == HSP_DENSE)
        data->nonzeros = data_count_nonzeros(ctx, &data->view, &zero);
    if (!status) status = hsp__stop_status(ctx, err);
    HSP__GIVE(status, data, hsp_data_free, out);
}

hsp_status hsp_data_borrow(hsp_context *ctx, const hsp_view *view, const char *const *class_names,
                           const char *const *feature_names, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, view, out);
    HSP__TRY(hsp_view_check(ctx, view, err));
    uint64_t zero = UINT64_MAX, nonzeros = hsp_view_stored(view);
    if (view->storage != HSP_ONES) nonzeros = data_count_nonzeros(ctx, view, &zero);
    HSP__TRY(hsp__stop_status(ctx, err));
    if (view->storage == HSP_SPARSE && zero != UINT64_MAX)
        return hsp__fail(err, HSP_BAD_DATA,
                         "row %llu stores a zero: remove stored zeros, or copy the rows with "
                         "hsp_data_copy, which leaves them out",
                         (unsigned long long)zero + 1);
    hsp_data *data = hsp__data_new(&ctx->allocator);
    if (!data) return hsp__fail_memory(err);
    data->view = *view;
    data->checked = 1;
    data->nonzeros = nonzeros;
    hsp_status status = data_name_all(data, view, class_names, feature_names, err);
    if (!status) status = hsp__stop_status(ctx, err);
    HSP__GIVE(status, data, hsp_data_free, out);
}

hsp_status hsp_data_set_weights(hsp_data *data, const double *weights, hsp_error *err)
{
    HSP__NEED(err, data);
    const uint64_t rows = data->view.rows;
    double most = 0;
    for (uint64_t i = 0; weights && i < rows; i++) {
        if (!(weights[i] >= 0 && isfinite(weights[i])))
            return hsp__fail(err, HSP_BAD_DATA,
                             "the weight of row %llu is %s, expected a finite number that is 0 or "
                             "more",
                             (unsigned long long)i + 1, weights[i] < 0 ? "negative" : "not finite");
        most = fmax(most, weights[i]);
    }
    if (weights && rows && !(most > 0))
        return hsp__fail(err, HSP_BAD_DATA, "the weight of every row is 0");
    double *copy = weights ? hsp__new_raw(&data->memory, rows, sizeof *copy) : NULL;
    if (weights && !copy) return hsp__fail_memory(err);
    if (weights && rows) memcpy(copy, weights, rows * sizeof *copy);
    hsp__free(&data->memory, data->row_weights);
    data->row_weights = copy;
    return HSP_OK;
}

int hsp_data_index_base(const hsp_data *data)
{
    return data ? !data->index_base || data->index_base[0] != '0' : 0;
}

/* What users ask of a data set; `none` without one. */
#define DATA_GET(result, call, member, none) \
    result call(const hsp_data *data)        \
    {                                        \
        return data ? data->member : none;   \
    }

DATA_GET(uint64_t, hsp_data_rows, view.rows, 0)
DATA_GET(uint64_t, hsp_data_cols, view.cols, 0)
DATA_GET(uint64_t, hsp_data_nonzeros, nonzeros, 0)
DATA_GET(hsp_storage, hsp_data_storage, view.storage, HSP_DENSE)
DATA_GET(const char *, hsp_data_precision_reason, why, "")
DATA_GET(hsp_precision, hsp_data_precision, view.precision, HSP_FLOAT32)
DATA_GET(uint32_t, hsp_data_classes, view.classes, 0)
DATA_GET(const hsp_encoding *, hsp_data_encoding, encoding, NULL)

const char *hsp_data_stored_note(const hsp_data *data)
{
    if (!data || !data->digits || hsp__data_is_exact(data)) return "";
    return data->view.precision == HSP_FLOAT32
               ? ", of the numbers as stored in single precision; the file has longer ones"
               : ", of the numbers as stored in double precision; the file has longer ones";
}

const char *hsp_data_class_name(const hsp_data *data, uint32_t class_index)
{
    return data && class_index < data->class_names.count
               ? hsp__names_get(&data->class_names, class_index)
               : NULL;
}

const char *hsp_data_feature_name(const hsp_data *data, uint64_t column)
{
    return data && column < data->feature_names.count
               ? hsp__names_get(&data->feature_names, (uint32_t)column)
               : NULL;
}

const char *hsp_storage_name(hsp_storage storage)
{
    static const char *const names[] = {"dense", "sparse", "ones"};
    return (unsigned)storage < 3 ? names[storage] : "unknown";
}

uint64_t hsp_data_bytes(const hsp_data *data)
{
    if (!data) return 0;
    const hsp_view *view = &data->view;
    uint64_t value = hsp__value_bytes(view->precision), labels = view->labels ? 4 * view->rows : 0;
    if (view->storage == HSP_DENSE) return view->rows * view->stride * value + labels;
    uint64_t entry = sizeof(uint32_t) + (view->storage == HSP_SPARSE ? value : 0);
    return data->nonzeros * entry + (view->rows + 1) * sizeof(uint64_t) + labels;
}

hsp_status hsp__data_borrow(hsp_context *ctx, const hsp_data *from, hsp_error *err, hsp_data **out)
{
    const uint64_t n = from->view.rows;
    hsp_data *made = hsp__data_new(&ctx->allocator);
    if (!made) return hsp__fail_memory(err);
    made->view = from->view;
    made->labels = hsp__new_raw(&ctx->allocator, n, sizeof *made->labels);
    hsp_status status =
        made->labels ? hsp__data_copy_names(made, from, err) : hsp__fail_memory(err);
    if (n && !status) memcpy(made->labels, from->view.labels, n * sizeof *made->labels);
    made->view.labels = made->labels;
    made->nonzeros = from->nonzeros;
    made->checked = from->checked;
    made->digits = from->digits;
    HSP__GIVE(status, made, hsp_data_free, out);
}

hsp_status hsp_data_view(hsp_context *ctx, hsp_data *data, hsp_error *err, const hsp_view **out)
{
    HSP__NEED(err, ctx, data, out);
    if (!data->checked) {
        hsp_status status = hsp_view_check(ctx, &data->view, err);
        if (status == HSP_BAD_DATA && err && data->mapped) {
            const hsp_error bare = *err;
            hsp__fail_at(err, status, hsp__container_name(data->mapped), bare.line, bare.column,
                         "%s", bare.message);
        }
        if (status) return status;
        data->checked = 1;
    }
    *out = &data->view;
    return HSP_OK;
}

hsp_status hsp_data_verify(hsp_context *ctx, hsp_data *data, hsp_error *err)
{
    HSP__NEED(err, ctx, data);
    return data->mapped ? hsp__container_verify(ctx, data->mapped, err) : HSP_OK;
}

hsp_storage hsp__storage_choose(uint64_t rows, uint64_t cols, uint64_t nonzeros, int all_ones,
                                hsp_precision precision)
{
    const double value = (double)hsp__value_bytes(precision);
    double dense = (double)rows * (double)cols * value;
    double sparse = (double)nonzeros * (all_ones ? 4 : 4 + value) + 8 * (double)rows;
    if (dense <= sparse) return HSP_DENSE;
    return all_ones ? HSP_ONES : HSP_SPARSE;
}
