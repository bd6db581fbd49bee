/* The binary cache: a data set as a container, opened by mapping it. Opening checks that header and
 * shapes fit together, and costs the same for any number of rows; what the arrays hold is checked
 * by the first hsp_data_view. */
#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/metadata.h"

#define CACHE_FORMAT  "halfspace-data"
#define CACHE_VERSION "1"
#define CACHE_COLS    ((uint64_t)1 << 32)

/* Rows without columns and labels take no bytes: no file's size bounds their number. */
#define CACHE_BARE_ROWS ((uint64_t)1 << 24)

/* ---- Writing --------------------------------------------------------------------------------- */

/* The values of dense rows without what lies between one row's end and the next one's start; NULL
 * when there is no memory. */
static char *cache_pack(const hsp_allocator *memory, const hsp_view *view)
{
    const size_t bytes = hsp__value_bytes(view->precision);
    const char *from = view->values;
    char *packed = hsp__new_raw(memory, view->rows * view->cols, bytes);
    for (uint64_t i = 0; packed && i < view->rows; i++)
        memcpy(packed + i * view->cols * bytes, from + i * view->stride * bytes,
               view->cols * bytes);
    return packed;
}

/* The arrays of a view; returns how many. `values` overrides the view's own. */
static size_t cache_tensors(const hsp_view *view, const void *values, hsp__tensor tensors[4])
{
    const hsp__dtype real = view->precision == HSP_FLOAT32 ? HSP__F32 : HSP__F64;
    const uint64_t stored = hsp_view_stored(view);
    size_t count = 0;
    if (view->storage != HSP_DENSE) {
        assert(view->starts_bytes == 8);
        tensors[count++] = (hsp__tensor){"starts", HSP__U64, 1, {view->rows + 1, 0}, view->starts};
        tensors[count++] = (hsp__tensor){"indices", HSP__U32, 1, {stored, 0}, view->indices};
    }
    if (view->storage == HSP_SPARSE)
        tensors[count++] = (hsp__tensor){"values", real, 1, {stored, 0}, values};
    if (view->storage == HSP_DENSE)
        tensors[count++] = (hsp__tensor){"values", real, 2, {view->rows, view->cols}, values};
    if (view->labels)
        tensors[count++] = (hsp__tensor){"labels", HSP__U32, 1, {view->rows, 0}, view->labels};
    return count;
}

static hsp_status cache_write_container(hsp_context *ctx, const hsp_data *data, const void *values,
                                        const char *classes, const char *features,
                                        const char *encoding, const char *path, hsp_error *err)
{
    const hsp_view *view = &data->view;
    char rows[HSP__DECIMAL_MAX], cols[HSP__DECIMAL_MAX], nonzeros[HSP__DECIMAL_MAX];
    char digits[HSP__DECIMAL_MAX];
    hsp__tensor tensors[4];
    size_t tensor_count = cache_tensors(view, values, tensors);
    hsp__decimal_print_u64(view->rows, rows);
    hsp__decimal_print_u64(view->cols, cols);
    hsp__decimal_print_u64(data->nonzeros, nonzeros);
    hsp__meta meta[12] = {
        {"format", CACHE_FORMAT},
        {"version", CACHE_VERSION},
        {"storage", hsp_storage_name(view->storage)},
        {"precision", view->precision == HSP_FLOAT32 ? "single" : "double"},
        {"rows", rows},
        {"cols", cols},
        {"nonzeros", nonzeros},
        {"classes", classes},
    };
    size_t count = 8;
    if (features) meta[count++] = (hsp__meta){"features", features};
    if (encoding) meta[count++] = (hsp__meta){"encoding", encoding};
    if (data->index_base) meta[count++] = (hsp__meta){"index_base", data->index_base};
    hsp__decimal_print_u64((uint64_t)data->digits, digits);
    if (data->digits) meta[count++] = (hsp__meta){"digits", digits};
    return hsp__container_write(ctx, path, meta, count, tensors, tensor_count, err);
}

hsp_status hsp__cache_write(hsp_context *ctx, hsp_data *data, const char *path, hsp_error *err)
{
    const hsp_view *view;
    char *encoding = NULL, *packed = NULL;
    hsp__text classes, features;
    hsp__text_init(&classes, &ctx->allocator);
    hsp__text_init(&features, &ctx->allocator);
    hsp_status status = hsp_data_view(ctx, data, err, &view);
    if (!status) status = hsp__metadata_put_names(&classes, &data->class_names, "class", path, err);
    if (!status && data->feature_names.count)
        status = hsp__metadata_put_names(&features, &data->feature_names, "feature", path, err);
    if (!status && data->encoding)
        status = hsp__encoding_to_json(data->encoding, &ctx->allocator, err, &encoding);
    if (!status && view->storage == HSP_DENSE && view->stride != view->cols) {
        packed = cache_pack(&ctx->allocator, view);
        if (!packed) status = hsp__fail_memory(err);
    }
    if (!status)
        status = cache_write_container(ctx, data, packed ? packed : view->values, classes.data,
                                       features.data, encoding, path, err);
    hsp__text_free(&classes);
    hsp__text_free(&features);
    hsp__free(&ctx->allocator, encoding);
    hsp__free(&ctx->allocator, packed);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

#define cache_fail(container, ...) \
    hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(container), 0, 0, __VA_ARGS__)

/* An array that must be there with that type and shape (cols 0 and dims 1: a plain list). */
static hsp_status cache_read_array(const hsp__container *container, const char *name,
                                   hsp__dtype dtype, int dims, uint64_t rows, uint64_t cols,
                                   hsp_error *err, const void **out)
{
    const hsp__tensor *tensor = hsp__container_tensor(container, name);
    if (!tensor) return cache_fail(container, "there is no array \"%s\" of a usable type", name);
    if (tensor->dtype != dtype || tensor->dims != dims || tensor->shape[0] != rows ||
        (dims == 2 && tensor->shape[1] != cols))
        return cache_fail(container,
                          "the array \"%s\" is not of the type and shape that storage, "
                          "precision, rows and cols ask for",
                          name);
    *out = tensor->data;
    return HSP_OK;
}

static hsp_status cache_read_arrays(const hsp__container *container, hsp_data *data, hsp_error *err)
{
    hsp_view *view = &data->view;
    const hsp__dtype real = view->precision == HSP_FLOAT32 ? HSP__F32 : HSP__F64;
    const void *starts = NULL, *indices = NULL, *labels = NULL;
    const uint64_t stored = data->nonzeros;
    hsp_status status = HSP_OK;
    if (view->storage == HSP_DENSE) {
        status = cache_read_array(container, "values", real, 2, view->rows, view->cols, err,
                                  &view->values);
    } else {
        status =
            cache_read_array(container, "starts", HSP__U64, 1, view->rows + 1, 0, err, &starts);
        if (!status)
            status = cache_read_array(container, "indices", HSP__U32, 1, stored, 0, err, &indices);
    }
    if (!status && view->storage == HSP_SPARSE)
        status = cache_read_array(container, "values", real, 1, stored, 0, err, &view->values);
    if (!status && hsp__container_tensor(container, "labels"))
        status = cache_read_array(container, "labels", HSP__U32, 1, view->rows, 0, err, &labels);
    if (status) return status;
    view->starts = starts;
    view->indices = indices;
    view->labels = labels;
    return HSP_OK;
}

/* What the view alone does not say, and everybody who uses it relies on: where the entries end. The
 * bytes may be at any address. */
static hsp_status cache_check_ends(const hsp__container *container, const hsp_data *data,
                                   hsp_error *err)
{
    const hsp_view *view = &data->view;
    if (view->storage == HSP_DENSE) {
        if (data->nonzeros > view->rows * view->cols)
            return cache_fail(container, "there are more nonzeros than values");
        if (!view->cols && !view->labels && view->rows > CACHE_BARE_ROWS)
            return cache_fail(container, "%llu rows without columns and labels",
                              (unsigned long long)view->rows);
        return HSP_OK;
    }
    uint64_t first, last;
    memcpy(&first, view->starts, sizeof first);
    memcpy(&last, (const char *)view->starts + view->rows * sizeof last, sizeof last);
    if (first != 0 || last != data->nonzeros)
        return cache_fail(container,
                          "the array \"starts\" goes from %llu to %llu, expected 0 to %llu",
                          (unsigned long long)first, (unsigned long long)last,
                          (unsigned long long)data->nonzeros);
    return HSP_OK;
}

static hsp_status cache_read_shape(const hsp__container *container, hsp_data *data, hsp_error *err)
{
    static const char *const versions[] = {CACHE_VERSION};
    static const char *const storages[] = {"dense", "sparse", "ones"};
    static const char *const precisions[] = {"single", "double"};
    hsp_view *view = &data->view;
    int any, storage = 0, precision = 0;
    hsp_status status = hsp__metadata_format(container, CACHE_FORMAT, err);
    if (!status) status = hsp__metadata_word(container, "version", versions, 1, err, &any);
    if (!status) status = hsp__metadata_word(container, "storage", storages, 3, err, &storage);
    if (!status)
        status = hsp__metadata_word(container, "precision", precisions, 2, err, &precision);
    if (!status) status = hsp__metadata_count(container, "rows", UINT64_MAX / 16, err, &view->rows);
    if (!status) status = hsp__metadata_count(container, "cols", CACHE_COLS, err, &view->cols);
    if (!status)
        status = hsp__metadata_count(container, "nonzeros", UINT64_MAX / 16, err, &data->nonzeros);
    if (status) return status;
    view->storage = (hsp_storage)storage;
    view->precision = (hsp_precision)precision;
    view->stride = view->storage == HSP_DENSE ? view->cols : 0;
    view->starts_bytes = 8;
    status = cache_read_arrays(container, data, err);
    return status ? status : cache_check_ends(container, data, err);
}

static hsp_status cache_read_meta(const hsp__container *container, hsp_data *data, hsp_error *err)
{
    hsp_status status = hsp__metadata_names(container, "classes", &data->class_names, err);
    if (!status) status = hsp__metadata_names(container, "features", &data->feature_names, err);
    if (status) return status;
    data->view.classes = data->class_names.count;
    if (hsp__container_meta(container, "digits")) {
        uint64_t digits;
        HSP__TRY(hsp__metadata_count(container, "digits", 20, err, &digits));
        data->digits = (int)digits;
    }
    if (data->feature_names.count && data->feature_names.count != data->view.cols)
        return cache_fail(container, "there are %u feature names for %llu columns",
                          data->feature_names.count, (unsigned long long)data->view.cols);
    const char *base = hsp__container_meta(container, "index_base");
    if (base && strcmp(base, "0") == 0) data->index_base = "0";
    if (base && strcmp(base, "1") == 0) data->index_base = "1";
    const char *encoding = hsp__container_meta(container, "encoding");
    if (!encoding) return HSP_OK;
    return hsp__encoding_from_json(&data->memory, encoding, strlen(encoding),
                                   hsp__container_name(container), err, &data->encoding);
}

static void *cache_copy_array(const hsp_allocator *memory, const void *from, uint64_t count,
                              size_t size)
{
    void *copy = hsp__new_raw(memory, count, size);
    if (copy && count) memcpy(copy, from, (size_t)count * size);
    return copy;
}

/* Make the data set the owner of its arrays. */
static hsp_status cache_copy_arrays(hsp_data *data, hsp_error *err)
{
    hsp_view *view = &data->view;
    const uint64_t stored = view->storage == HSP_DENSE ? view->rows * view->cols : data->nonzeros;
    if (view->values)
        data->values = cache_copy_array(&data->memory, view->values, stored,
                                        hsp__value_bytes(view->precision));
    if (view->starts)
        data->starts = cache_copy_array(&data->memory, view->starts, view->rows + 1, 8);
    if (view->indices) data->indices = cache_copy_array(&data->memory, view->indices, stored, 4);
    if (view->labels) data->labels = cache_copy_array(&data->memory, view->labels, view->rows, 4);
    if ((view->values && !data->values) || (view->starts && !data->starts) ||
        (view->indices && !data->indices) || (view->labels && !data->labels))
        return hsp__fail_memory(err);
    view->values = data->values;
    view->starts = data->starts;
    view->indices = data->indices;
    view->labels = data->labels;
    return HSP_OK;
}

hsp_status hsp__cache_open(hsp_context *ctx, const char *path, const void *bytes, size_t size,
                           hsp_error *err, hsp_data **out)
{
    hsp__container *container = NULL;
    hsp_data *data = NULL;
    hsp_status status = bytes ? hsp__container_memory(ctx, bytes, size, path, err, &container)
                              : hsp__container_open(ctx, path, err, &container);
    if (status) return status;
    data = hsp__data_new(&ctx->allocator);
    if (!data) status = hsp__fail_memory(err);
    if (!status) status = cache_read_shape(container, data, err);
    if (!status) status = cache_read_meta(container, data, err);
    /* All of the bytes are in memory and about to be read: the checksums cost next to nothing. */
    if (!status && bytes) status = hsp__container_verify(ctx, container, err);
    if (!status && bytes) status = cache_copy_arrays(data, err);
    if (!status && !bytes) {
        data->mapped = container;
        container = NULL;
    }
    hsp__container_free(container);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

hsp_status hsp__cache_read(hsp_context *ctx, hsp__source *source, const char *path, hsp_error *err,
                           hsp_data **out)
{
    char *bytes = NULL;
    size_t size = 0;
    if (source->mappable) return hsp__cache_open(ctx, path, NULL, 0, err, out);
    hsp_status status = hsp__source_read_all(ctx, source, SIZE_MAX, err, &bytes, &size);
    if (!status) status = hsp__cache_open(ctx, source->name, bytes, size, err, out);
    hsp__free(&ctx->allocator, bytes);
    return status;
}
