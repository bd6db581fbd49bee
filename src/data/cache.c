/* The binary cache: a data set as a container, opened by mapping it. Opening checks that header and
 * shapes fit together, and costs the same for any number of rows; what the arrays hold is checked
 * by the first hsp_data_view. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"

#define CACHE_FORMAT  "halfspace-data"
#define CACHE_VERSION "1"
#define CACHE_COLS    ((uint64_t)1 << 32)

/* Rows without columns and labels take no bytes: no file's size bounds their number. */
#define CACHE_BARE_ROWS ((uint64_t)1 << 24)

/* ---- Writing --------------------------------------------------------------------------------- */

/* The arrays of a view, `stored` entries; returns how many. `values` overrides the view's own. */
static size_t cache_tensors(const hsp_view *view, uint64_t stored, int labelled, const void *values,
                            hsp__tensor tensors[4])
{
    const hsp__dtype real = view->precision == HSP_FLOAT32 ? HSP__F32 : HSP__F64;
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
    if (labelled)
        tensors[count++] = (hsp__tensor){"labels", HSP__U32, 1, {view->rows, 0}, view->labels};
    return count;
}

static hsp_status cache_write_container(hsp_context *ctx, const hsp_data *data, const void *values,
                                        const char *classes, const char *features,
                                        const char *encoding, const hsp__meta *extra,
                                        size_t extra_count, const char *path, hsp_error *err)
{
    const hsp_view *view = &data->view;
    const uint64_t numbers[4] = {view->rows, view->cols, data->nonzeros, (uint64_t)data->digits};
    char texts[4][HSP__DECIMAL_MAX];
    hsp__tensor tensors[4];
    size_t tensor_count =
        cache_tensors(view, hsp_view_stored(view), view->labels != NULL, values, tensors);
    for (int i = 0; i < 4; i++)
        hsp__decimal_print_u64(numbers[i], texts[i]);
    hsp__meta meta[12 + HSP__CACHE_EXTRA] = {
        {"format", CACHE_FORMAT},
        {"version", CACHE_VERSION},
        {"storage", hsp_storage_name(view->storage)},
        {"precision", view->precision == HSP_FLOAT32 ? "single" : "double"},
        {"rows", texts[0]},
        {"cols", texts[1]},
        {"nonzeros", texts[2]},
        {"classes", classes},
    };
    size_t count = 8;
    if (features) meta[count++] = (hsp__meta){"features", features};
    if (encoding) meta[count++] = (hsp__meta){"encoding", encoding};
    if (data->index_base) meta[count++] = (hsp__meta){"index_base", data->index_base};
    if (data->digits) meta[count++] = (hsp__meta){"digits", texts[3]};
    assert(extra_count <= HSP__CACHE_EXTRA);
    for (size_t i = 0; i < extra_count; i++)
        meta[count++] = extra[i];
    return hsp__container_write(ctx, path, meta, count, tensors, tensor_count, err);
}

hsp_status hsp__cache_write(hsp_context *ctx, hsp_data *data, const char *path, hsp_error *err)
{
    return hsp__cache_write_with(ctx, data, NULL, 0, path, err);
}

hsp_status hsp__cache_write_with(hsp_context *ctx, hsp_data *data, const hsp__meta *extra,
                                 size_t extra_count, const char *path, hsp_error *err)
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
        /* without what lies between one row's end and the next one's start */
        const size_t bytes = view->cols * hsp__value_bytes(view->precision);
        packed = hsp__new_raw(&ctx->allocator, view->rows * bytes, 1);
        if (!packed) status = hsp__fail_memory(err);
        for (uint64_t i = 0; packed && i < view->rows; i++)
            memcpy(packed + i * bytes, hsp__view_row(view, i).values, bytes);
    }
    if (!status)
        status = cache_write_container(ctx, data, packed ? packed : view->values, classes.data,
                                       features.data, encoding, extra, extra_count, path, err);
    hsp__text_free(&classes);
    hsp__text_free(&features);
    hsp__free(&ctx->allocator, encoding);
    hsp__free(&ctx->allocator, packed);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

#define cache_fail(container, ...) \
    hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(container), 0, 0, __VA_ARGS__)

static hsp_status cache_read_arrays(const hsp__container *container, hsp_data *data, hsp_error *err)
{
    hsp_view *view = &data->view;
    hsp__tensor expected[4];
    const int labelled = hsp__container_tensor(container, "labels") != NULL;
    const size_t count = cache_tensors(view, data->nonzeros, labelled, NULL, expected);
    for (size_t i = 0; i < count; i++) {
        const hsp__tensor *want = &expected[i];
        const hsp__tensor *tensor = hsp__container_tensor(container, want->name);
        if (!tensor)
            return cache_fail(container, "there is no array \"%s\" of a usable type", want->name);
        if (tensor->dtype != want->dtype || tensor->dims != want->dims ||
            tensor->shape[0] != want->shape[0] ||
            (want->dims == 2 && tensor->shape[1] != want->shape[1]))
            return cache_fail(container,
                              "the array \"%s\" is not of the type and shape that storage, "
                              "precision, rows and cols ask for",
                              want->name);
        if (want->name[0] == 's') view->starts = tensor->data;
        if (want->name[0] == 'i') view->indices = tensor->data;
        if (want->name[0] == 'v') view->values = tensor->data;
        if (want->name[0] == 'l') view->labels = tensor->data;
    }
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
    HSP__TRY(hsp__metadata_format(container, CACHE_FORMAT, err));
    HSP__TRY(hsp__metadata_word(container, "version", versions, 1, err, &any));
    HSP__TRY(hsp__metadata_word(container, "storage", storages, 3, err, &storage));
    HSP__TRY(hsp__metadata_word(container, "precision", precisions, 2, err, &precision));
    HSP__TRY(hsp__metadata_count(container, "rows", UINT64_MAX / 16, err, &view->rows));
    HSP__TRY(hsp__metadata_count(container, "cols", CACHE_COLS, err, &view->cols));
    HSP__TRY(hsp__metadata_count(container, "nonzeros", UINT64_MAX / 16, err, &data->nonzeros));
    view->storage = (hsp_storage)storage;
    view->precision = (hsp_precision)precision;
    view->stride = view->storage == HSP_DENSE ? view->cols : 0;
    view->starts_bytes = 8;
    HSP__TRY(cache_read_arrays(container, data, err));
    return cache_check_ends(container, data, err);
}

static hsp_status cache_read_meta(const hsp__container *container, hsp_data *data, hsp_error *err)
{
    HSP__TRY(hsp__metadata_names(container, "classes", &data->class_names, err));
    HSP__TRY(hsp__metadata_names(container, "features", &data->feature_names, err));
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

hsp_status hsp__cache_open(hsp_context *ctx, const char *path, const void *bytes, size_t size,
                           hsp_error *err, hsp_data **out)
{
    hsp__container *container = NULL;
    hsp_data *data = hsp__data_new(&ctx->allocator);
    if (!data) return hsp__fail_memory(err);
    /* Bytes in memory are copied as they are, and the data set owns the copy. */
    hsp_status status = HSP_OK;
    if (bytes) {
        data->values = hsp__new_raw(&ctx->allocator, size, 1);
        if (data->values) memcpy(data->values, bytes, size);
        status = data->values
                     ? hsp__container_memory(ctx, data->values, size, path, err, &container)
                     : hsp__fail_memory(err);
    } else {
        status = hsp__container_open(ctx, path, err, &container);
    }
    if (!status) status = cache_read_shape(container, data, err);
    if (!status) status = cache_read_meta(container, data, err);
    /* All of the bytes are in memory and about to be read: the checksums cost next to nothing. */
    if (!status && bytes) status = hsp__container_verify(ctx, container, err);
    if (!status && !bytes) {
        data->mapped = container;
        container = NULL;
    }
    hsp__container_free(container);
    HSP__GIVE(status, data, hsp_data_free, out);
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
