/* Models as files: a container (docs/model-format.md). A file is mapped, and the arrays stay in it.
 */
#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/container.h"
#include "data/formats.h"
#include "data/scale.h"
#include "kernel/expression.h"
#include "model/hypothesis.h"
#include "model/probability.h"

#define MODEL_FILE_FORMAT  "halfspace-model"
#define MODEL_FILE_VERSION "1"
#define MODEL_FILE_FACT    "fact."

static const char *const file_orders[] = {"any", "dense", "sparse"};
static const char *const file_flags[] = {"no", "yes"};
static const char *const file_pairs[] = {"no", "yes", "first"};
static const char *const file_bases[] = {"0", "1"};

/* "scaling.0.low": a name with a prefix. */
enum { MODEL_FILE_NAME = 40 };
typedef struct model_file_name {
    char text[MODEL_FILE_NAME];
} model_file_name;

static model_file_name model_file_join(const char *prefix, const char *name)
{
    model_file_name joined;
    snprintf(joined.text, sizeof joined.text, "%s.%s", prefix, name);
    return joined;
}

/* ---- Writing --------------------------------------------------------------------------------- */

#define MODEL_FILE_META    32 /* entries in addition to `fact.NAME` */
#define MODEL_FILE_TENSORS 20

/* What a file is put together from. */
struct hsp__model_writer {
    hsp__scratch memory; /* of names and numbers as text */
    hsp__meta *meta;
    size_t meta_count;
    hsp__tensor tensors[MODEL_FILE_TENSORS];
    size_t tensor_count;
};

void hsp__model_put(hsp__model_writer *writer, const char *key, const char *value)
{
    writer->meta[writer->meta_count++] = (hsp__meta){key, value};
}

/* A text that lives until the file is written. */
static const char *model_file_keep(hsp__model_writer *writer, const char *text, size_t size)
{
    char *copy = hsp__scratch_new(&writer->memory, size + 1, 1);
    return copy ? memcpy(copy, text, size) : "";
}

void hsp__model_put_count(hsp__model_writer *writer, const char *key, uint64_t count)
{
    char digits[HSP__DECIMAL_MAX];
    const size_t size = hsp__decimal_print_u64(count, digits);
    hsp__model_put(writer, key, model_file_keep(writer, digits, size));
}

static void model_file_put_real(hsp__model_writer *writer, const char *key, double number)
{
    char digits[HSP__DECIMAL_MAX];
    const size_t size = hsp__decimal_print_f64(number, digits);
    hsp__model_put(writer, key, model_file_keep(writer, digits, size));
}

static const char *model_file_keep_name(hsp__model_writer *writer, const char *prefix,
                                        const char *name)
{
    const model_file_name joined = model_file_join(prefix, name);
    return model_file_keep(writer, joined.text, strlen(joined.text));
}

static void model_file_put_array(hsp__model_writer *writer, const char *name, hsp__dtype dtype,
                                 uint64_t count, const void *data)
{
    writer->tensors[writer->tensor_count++] = (hsp__tensor){name, dtype, 1, {count, 0}, data};
}

void hsp__model_put_arrays(hsp__model_writer *writer, const hsp__model_array *list, size_t count)
{
    for (const hsp__model_array *one = list; one < list + count; one++)
        if (*one->data || !one->optional)
            model_file_put_array(writer, one->name, one->dtype,
                                 (one->count ? *one->count : 0) + one->more, *one->data);
}

void hsp__model_put_table(hsp__model_writer *writer, const char *name, uint64_t rows, uint64_t cols,
                          const double *values)
{
    writer->tensors[writer->tensor_count++] =
        (hsp__tensor){name, HSP__F64, 2, {rows, cols}, values};
}

void hsp__model_put_rows(hsp__model_writer *writer, const char *prefix, const hsp_view *view)
{
    const hsp__dtype real = view->precision == HSP_FLOAT32 ? HSP__F32 : HSP__F64;
    const uint64_t stored = hsp_view_stored(view);
    const char *values = model_file_keep_name(writer, prefix, "values");
    if (view->storage == HSP_DENSE) {
        assert(view->stride == view->cols);
        writer->tensors[writer->tensor_count++] =
            (hsp__tensor){values, real, 2, {view->rows, view->cols}, view->values};
        return;
    }
    assert(view->starts_bytes == 8);
    model_file_put_array(writer, model_file_keep_name(writer, prefix, "starts"), HSP__U64,
                         view->rows + 1, view->starts);
    model_file_put_array(writer, model_file_keep_name(writer, prefix, "indices"), HSP__U32, stored,
                         view->indices);
    if (view->storage == HSP_SPARSE)
        model_file_put_array(writer, values, real, stored, view->values);
}

static void model_file_put_scaling(hsp__model_writer *writer, const hsp_scaling *scaling,
                                   const char *prefix)
{
    const hsp__scaling_parts parts = hsp__scaling_look(scaling);
    hsp__model_put(writer, prefix, parts.kind);
    model_file_put_real(writer, model_file_keep_name(writer, prefix, "low"), parts.low);
    model_file_put_real(writer, model_file_keep_name(writer, prefix, "high"), parts.high);
    model_file_put_array(writer, model_file_keep_name(writer, prefix, "shift"), HSP__F64,
                         parts.cols, parts.shift);
    model_file_put_array(writer, model_file_keep_name(writer, prefix, "factor"), HSP__F64,
                         parts.cols, parts.factor);
}

static const char *const model_file_scalings[HSP__MODEL_SCALINGS] = {"scaling.0", "scaling.1"};

static void model_file_put_model(hsp__model_writer *writer, const hsp_model *model)
{
    const hsp__hypothesis_type *type = hsp__type_of(model);
    const hsp_kernel *kernel = hsp__model_kernel(model);
    hsp_model shallow = *model; /* lists of arrays point into it */
    hsp__model_array list[HSP__MODEL_ARRAYS];
    hsp__model_put(writer, "format", MODEL_FILE_FORMAT);
    hsp__model_put(writer, "version", MODEL_FILE_VERSION);
    hsp__model_put(writer, "hypothesis", type->name);
    hsp__model_put(writer, "tie", hsp_tie_name(model->tie));
    hsp__model_put(writer, "order", file_orders[model->order]);
    hsp__model_put(writer, "homogeneous", file_flags[model->constant != 0]);
    hsp__model_put(writer, "rest", file_flags[model->rest != 0]);
    hsp__model_put(writer, "leaves_out", file_flags[model->leaves_out != 0]);
    hsp__model_put(writer, "pairs", file_pairs[model->pairs]);
    if (model->weights) {
        hsp__model_put_table(writer, "weights", model->scorers, model->features, model->weights);
    } else { /* how many features there are, which weights would say */
        hsp__model_put_count(writer, "feature_count", model->features);
        if (kernel) hsp__model_put(writer, "kernel", hsp_kernel_text(kernel));
        if (kernel)
            hsp__model_put(writer, "kernel.index_base", file_bases[kernel->index_base != 0]);
    }
    model_file_put_array(writer, "offsets", HSP__F64, model->scorers, model->offsets);
    if (model->updates.count)
        hsp__model_put_arrays(writer, list, hsp__updates_arrays(&shallow, list));
    if (model->state_count) hsp__model_put_arrays(writer, list, hsp__state_arrays(&shallow, list));
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i])
            model_file_put_scaling(writer, model->scalings[i], model_file_scalings[i]);
    hsp__model_put(writer, "link", hsp_model_link(model));
    hsp__model_put(writer, "calibration", hsp_model_calibration(model));
    model_file_put_real(writer, "calibration.scale", model->probability.scale);
    if (model->probability.threshold > 0)
        model_file_put_real(writer, "calibration.threshold", model->probability.threshold);
    hsp__model_put_arrays(writer, list, hsp__calibration_arrays(&shallow, list));
    if (type->put) type->put(writer, model);
}

static void model_file_put_facts(hsp__model_writer *writer, const hsp_model *model)
{
    for (uint32_t i = 0; i < model->metadata_names.count; i++) {
        const size_t prefix = sizeof MODEL_FILE_FACT - 1,
                     size = hsp__names_size(&model->metadata_names, i);
        char *key = hsp__scratch_new(&writer->memory, prefix + size + 1, 1);
        if (!key) return;
        memcpy(key, MODEL_FILE_FACT, prefix);
        memcpy(key + prefix, hsp__names_get(&model->metadata_names, i), size);
        hsp__model_put(writer, key, model->metadata_values[i]);
    }
}

static hsp_status model_file_put(hsp_context *ctx, const hsp_model *model, hsp__output *output,
                                 const char *path, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__model_writer writer = {.memory.memory = memory};
    hsp__text classes, features;
    char *encoding = NULL;
    hsp__text_init(&classes, memory);
    hsp__text_init(&features, memory);
    writer.meta =
        hsp__scratch_new(&writer.memory, (uint64_t)MODEL_FILE_META + model->metadata_names.count,
                         sizeof *writer.meta);
    hsp_status status = writer.meta ? HSP_OK : hsp__fail_memory(err);
    if (!status) model_file_put_model(&writer, model);
    if (!status)
        status = hsp__metadata_put_names(&classes, &model->class_names, "class", path, err);
    if (!status) hsp__model_put(&writer, "classes", classes.data);
    if (!status && model->feature_names.count)
        status = hsp__metadata_put_names(&features, &model->feature_names, "feature", path, err);
    if (!status && model->feature_names.count) hsp__model_put(&writer, "features", features.data);
    if (!status && model->encoding)
        status = hsp__encoding_to_json(model->encoding, memory, err, &encoding);
    if (encoding) hsp__model_put(&writer, "encoding", encoding);
    if (!status) model_file_put_facts(&writer, model);
    if (!status && writer.memory.failed) status = hsp__fail_memory(err);
    if (!status)
        status = hsp__container_put(ctx, output, path, writer.meta, writer.meta_count,
                                    writer.tensors, writer.tensor_count, err);
    hsp__scratch_free(&writer.memory);
    hsp__free(memory, encoding);
    hsp__text_free(&classes);
    hsp__text_free(&features);
    return status;
}

hsp_status hsp_model_write(hsp_context *ctx, const hsp_model *model, const char *path,
                           hsp_error *err)
{
    HSP__NEED(err, ctx, model, path);
    HSP__TRY(hsp__model_check(ctx, model, NULL, err));
    hsp__output *output = NULL;
    HSP__TRY(hsp__output_open(ctx, path, err, &output));
    hsp_status status = model_file_put(ctx, model, output, path, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

hsp_status hsp_model_pack(hsp_context *ctx, const hsp_model *model, hsp_bytes_fn take, void *user,
                          hsp_error *err)
{
    HSP__NEED(err, ctx, model);
    if (!take) return hsp__fail_null(err, __func__, "take", (const void *[]){NULL}, 1);
    HSP__TRY(hsp__model_check(ctx, model, NULL, err));
    hsp__output *output = NULL;
    HSP__TRY(hsp__output_take(ctx, take, user, err, &output));
    hsp_status status = model_file_put(ctx, model, output, "", err);
    hsp__output_free(output);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

#define model_file_fail(container, ...) \
    hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(container), 0, 0, __VA_ARGS__)

/* An array in the file. The model's pointers are not const because a learner writes through them;
 * nobody writes to a model that was read. */
static hsp_status model_file_array(const hsp__container *file, const char *name, hsp__dtype dtype,
                                   int dims, hsp_error *err, uint64_t shape[2], void *pointer_to)
{
    const hsp__tensor *tensor = hsp__container_tensor(file, name);
    if (!tensor || tensor->dtype != dtype || tensor->dims != dims)
        return model_file_fail(file, "the array \"%s\" is missing or of the wrong type", name);
    shape[0] = tensor->shape[0];
    if (dims == 2) shape[1] = tensor->shape[1];
    memcpy(pointer_to, &tensor->data, sizeof tensor->data);
    return HSP_OK;
}

/* A list whose length is known. */
static hsp_status model_file_list(const hsp__container *file, const char *name, hsp__dtype dtype,
                                  uint64_t count, hsp_error *err, void *pointer_to)
{
    uint64_t shape[2] = {0, 0};
    hsp_status status = model_file_array(file, name, dtype, 1, err, shape, pointer_to);
    if (status || shape[0] == count) return status;
    return model_file_fail(file, "the array \"%s\" has %llu numbers, expected %llu", name,
                           (unsigned long long)shape[0], (unsigned long long)count);
}

hsp_status hsp__model_get_arrays(const hsp__container *file, const hsp__model_array *list,
                                 size_t count, hsp_error *err)
{
    uint64_t shape[2] = {0, 0};
    for (const hsp__model_array *one = list; one < list + count; one++) {
        if (one->optional && !hsp__container_tensor(file, one->name)) continue;
        if (one->sets) {
            HSP__TRY(model_file_array(file, one->name, one->dtype, 1, err, shape, one->data));
            *one->count = shape[0];
            continue;
        }
        const uint64_t expected = (one->count ? *one->count : 0) + one->more;
        HSP__TRY(model_file_list(file, one->name, one->dtype, expected, err, one->data));
    }
    return HSP_OK;
}

hsp_status hsp__model_get_table(const hsp__container *file, const char *name, uint64_t rows,
                                uint64_t cols, hsp_error *err, double **values)
{
    uint64_t shape[2] = {0, 0};
    hsp_status status = model_file_array(file, name, HSP__F64, 2, err, shape, values);
    if (status || (shape[0] == rows && shape[1] == cols)) return status;
    return model_file_fail(file, "the array \"%s\" is of another shape", name);
}

static hsp_status model_file_read_words(const hsp__container *file, hsp_model *model,
                                        hsp_error *err)
{
    static const char *const versions[] = {MODEL_FILE_VERSION};
    const char *const ties[] = {hsp_tie_name(HSP_TIE_NEG), hsp_tie_name(HSP_TIE_POS),
                                hsp_tie_name(HSP_TIE_ZERO)};
    const char *hypotheses[HSP__NEIGHBORS + 1];
    int any, hypothesis = 0, tie = 0, order = 0;
    for (int h = 0; h <= HSP__NEIGHBORS; h++)
        hypotheses[h] = hsp__hypotheses[h]->name;
    HSP__TRY(hsp__metadata_format(file, MODEL_FILE_FORMAT, err));
    HSP__TRY(hsp__metadata_word(file, "version", versions, 1, err, &any));
    HSP__TRY(
        hsp__metadata_word(file, "hypothesis", hypotheses, HSP__NEIGHBORS + 1, err, &hypothesis));
    HSP__TRY(hsp__metadata_word(file, "tie", ties, 3, err, &tie));
    HSP__TRY(hsp__metadata_word(file, "order", file_orders, 3, err, &order));
    HSP__TRY(hsp__metadata_word(file, "homogeneous", file_flags, 2, err, &model->constant));
    HSP__TRY(hsp__metadata_word(file, "rest", file_flags, 2, err, &model->rest));
    HSP__TRY(hsp__metadata_word(file, "leaves_out", file_flags, 2, err, &model->leaves_out));
    if (hsp__container_meta(file, "pairs")) /* files from before have none */
        HSP__TRY(hsp__metadata_word(file, "pairs", file_pairs, 3, err, &model->pairs));
    model->hypothesis = (hsp__hypothesis)hypothesis;
    model->tie = (hsp_tie)tie;
    model->order = (hsp__order)order;
    return HSP_OK;
}

static hsp_status model_file_read_kernel(hsp_context *ctx, const hsp__container *file,
                                         hsp_error *err, hsp_kernel **out)
{
    const char *text = hsp__container_meta(file, "kernel");
    hsp_error inner = {0};
    int base = 0;
    HSP__TRY(hsp__metadata_word(file, "kernel.index_base", file_bases, 2, err, &base));
    hsp_status status = hsp_kernel_parse(ctx, text, 1, base, &inner, out);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    return status ? model_file_fail(file, "the kernel: %.400s", inner.message) : HSP_OK;
}

/* How many scorers and features there are; the weights, or if there are none, the offsets say. */
static hsp_status model_file_read_shape(const hsp__container *file, int weights, hsp_model *model,
                                        hsp_error *err)
{
    const hsp__tensor *offsets = hsp__container_tensor(file, "offsets");
    uint64_t shape[2] = {0, 0};
    if (weights) {
        HSP__TRY(model_file_array(file, "weights", HSP__F64, 2, err, shape, &model->weights));
        if (shape[0] > UINT32_MAX)
            return model_file_fail(file, "%llu scorers, which is too many",
                                   (unsigned long long)shape[0]);
        model->features = shape[1];
    } else {
        HSP__TRY(
            hsp__metadata_count(file, "feature_count", (uint64_t)1 << 32, err, &model->features));
        if (!offsets || offsets->dims != 1 || offsets->shape[0] > UINT32_MAX)
            return model_file_fail(file, "there are no offsets");
        shape[0] = offsets->shape[0];
    }
    model->scorers = (uint32_t)shape[0];
    HSP__TRY(model_file_list(file, "offsets", HSP__F64, shape[0], err, &model->offsets));
    hsp__model_array list[HSP__MODEL_ARRAYS];
    if (hsp__container_tensor(file, "updates.row"))
        HSP__TRY(hsp__model_get_arrays(file, list, hsp__updates_arrays(model, list), err));
    if (!hsp__container_tensor(file, "run.state")) return HSP_OK;
    return hsp__model_get_arrays(file, list, hsp__state_arrays(model, list), err);
}

static int model_file_number(const hsp__container *file, const char *key, double *out)
{
    return hsp__decimal_text(hsp__container_meta(file, key), out);
}

static hsp_status model_file_read_scaling(hsp_context *ctx, const hsp__container *file, int i,
                                          hsp_model *model, hsp_error *err)
{
    const char *prefix = model_file_scalings[i];
    hsp__scaling_parts parts = {.kind = hsp__container_meta(file, prefix)};
    uint64_t shape[2] = {0, 0};
    if (!parts.kind) return HSP_OK;
    if (!model_file_number(file, model_file_join(prefix, "low").text, &parts.low) ||
        !model_file_number(file, model_file_join(prefix, "high").text, &parts.high))
        return model_file_fail(file, "the metadata of the scaling %d is not whole", i);
    HSP__TRY(model_file_array(file, model_file_join(prefix, "shift").text, HSP__F64, 1, err, shape,
                              &parts.shift));
    parts.cols = shape[0];
    HSP__TRY(model_file_list(file, model_file_join(prefix, "factor").text, HSP__F64, parts.cols,
                             err, &parts.factor));
    hsp_error inner = {0};
    hsp_status status = hsp__scaling_from(ctx, &parts, &inner, &model->scalings[i]);
    if (status == HSP_BAD_DATA) return model_file_fail(file, "%.400s", inner.message);
    return status ? hsp__fail_memory(err) : HSP_OK;
}

/* Files from before have no word of it. */
static hsp_status model_file_read_probability(const hsp__container *file, hsp_model *model,
                                              hsp_error *err)
{
    hsp__probability *map = &model->probability;
    hsp__model_array list[HSP__MODEL_ARRAYS];
    int link = 0, calibration = 0;
    if (!hsp__container_meta(file, "link")) return HSP_OK;
    HSP__TRY(hsp__metadata_word(file, "link", hsp__link_names, 5, err, &link));
    HSP__TRY(hsp__metadata_word(file, "calibration", hsp__calibration_names, 4, err, &calibration));
    if (!model_file_number(file, "calibration.scale", &map->scale))
        return model_file_fail(file, "there is no number \"calibration.scale\"");
    map->link = (hsp__link)link;
    map->calibration = (hsp__calibration)calibration;
    if (hsp__container_meta(file, "calibration.threshold") &&
        !model_file_number(file, "calibration.threshold", &map->threshold))
        return model_file_fail(file, "\"calibration.threshold\" is not a number");
    return hsp__model_get_arrays(file, list, hsp__calibration_arrays(model, list), err);
}

hsp_status hsp__model_get_rows(const hsp__container *file, const char *prefix, uint64_t features,
                               hsp_data **rows, hsp_error *err)
{
    const model_file_name starts_name = model_file_join(prefix, "starts"),
                          values_name = model_file_join(prefix, "values");
    const hsp__tensor *values = hsp__container_tensor(file, values_name.text);
    const uint64_t *starts = NULL;
    uint64_t shape[2] = {0, 0};
    hsp_view *view = &(*rows)->view;
    view->cols = features;
    if (values) view->precision = values->dtype == HSP__F64 ? HSP_FLOAT64 : HSP_FLOAT32;
    const hsp__dtype real = view->precision == HSP_FLOAT64 ? HSP__F64 : HSP__F32;
    if (!hsp__container_tensor(file, starts_name.text)) {
        view->storage = HSP_DENSE;
        HSP__TRY(model_file_array(file, values_name.text, real, 2, err, shape, &view->values));
        view->rows = shape[0];
        view->cols = view->stride = shape[1];
        if (!view->cols && view->rows) /* they take no bytes: any number would fit */
            return model_file_fail(file, "the rows of the %s have no columns",
                                   strcmp(prefix, "neighbors") == 0 ? "neighbours" : prefix);
        for (uint64_t i = 0; i < view->rows; i++) {
            const hsp__row row = hsp__view_row(view, i);
            for (uint64_t k = 0; k < row.count; k++)
                (*rows)->nonzeros += hsp__row_value(view, &row, k) != 0;
        }
        return HSP_OK;
    }
    view->storage = values ? HSP_SPARSE : HSP_ONES;
    HSP__TRY(model_file_array(file, starts_name.text, HSP__U64, 1, err, shape, &starts));
    if (!shape[0]) return model_file_fail(file, "the array \"%s\" is empty", starts_name.text);
    view->rows = shape[0] - 1;
    view->starts = starts;
    HSP__TRY(model_file_array(file, model_file_join(prefix, "indices").text, HSP__U32, 1, err,
                              shape, &view->indices));
    if (values)
        HSP__TRY(model_file_list(file, values_name.text, real, shape[0], err, &view->values));
    (*rows)->nonzeros = shape[0];
    if (starts[0] == 0 && starts[view->rows] == shape[0]) return HSP_OK;
    return model_file_fail(file, "the array \"%s\" does not span the rows", starts_name.text);
}

/* The hypothesis: weights, votes, a kernel and its rows, or rows to be near to. */
static hsp_status model_file_read_hypothesis(hsp_context *ctx, const hsp__container *file,
                                             hsp_model *model, hsp_error *err)
{
    const hsp__hypothesis_type *type = hsp__type_of(model);
    hsp_kernel *kernel = NULL;
    hsp_status status = HSP_OK;
    if (hsp__container_meta(file, "kernel") && type->read)
        status = model_file_read_kernel(ctx, file, err, &kernel);
    else if (type->needs_kernel)
        status = model_file_fail(file, "there is no kernel in a kernel model");
    if (!status) status = model_file_read_shape(file, !kernel && type->has_weights, model, err);
    if (!status && type->read) status = type->read(file, model, &kernel, err);
    hsp_kernel_free(kernel);
    return status;
}

static hsp_status model_file_read_model(hsp_context *ctx, const hsp__container *file, int verify,
                                        hsp_model *model, hsp_error *err)
{
    const char *name = hsp__container_name(file), *key, *value;
    const char *encoding = hsp__container_meta(file, "encoding");
    const size_t prefix = sizeof MODEL_FILE_FACT - 1;
    HSP__TRY(model_file_read_words(file, model, err));
    if (verify) HSP__TRY(hsp__container_verify(ctx, file, err));
    HSP__TRY(model_file_read_hypothesis(ctx, file, model, err));
    HSP__TRY(hsp__metadata_names(file, "classes", &model->class_names, err));
    HSP__TRY(hsp__metadata_names(file, "features", &model->feature_names, err));
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        HSP__TRY(model_file_read_scaling(ctx, file, i, model, err));
    if (encoding)
        HSP__TRY(hsp__encoding_from_json(&ctx->allocator, encoding, strlen(encoding), name, err,
                                         &model->encoding));
    HSP__TRY(model_file_read_probability(file, model, err));
    for (size_t i = 0; (key = hsp__container_meta_at(file, i, &value)); i++)
        if (strncmp(key, MODEL_FILE_FACT, prefix) == 0)
            HSP__TRY(hsp__model_set_metadata(model, key + prefix, value, err));
    return hsp__model_check(ctx, model, name, err);
}

/* The model of a container, which becomes the model's own. */
static hsp_status model_file_adopt(hsp_context *ctx, hsp__container *file, int verify,
                                   hsp_error *err, hsp_model **out)
{
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(ctx, 0, 0, err, &model);
    if (status) {
        hsp__container_free(file);
        return status;
    }
    hsp__free(&ctx->allocator, model->weights); /* the file's arrays take their place */
    hsp__free(&ctx->allocator, model->offsets);
    model->weights = model->offsets = NULL;
    model->mapped = file;
    status = model_file_read_model(ctx, file, verify, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

hsp_status hsp__model_file_read(hsp_context *ctx, const char *path, hsp_error *err, hsp_model **out)
{
    hsp__container *file = NULL;
    hsp_status status = hsp__container_open(ctx, path, err, &file);
    return status ? status : model_file_adopt(ctx, file, 1, err, out);
}

hsp_status hsp__model_parse(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                            int verify, hsp_error *err, hsp_model **out)
{
    hsp__container *file = NULL;
    hsp_status status = hsp__container_memory(ctx, bytes, size, name, err, &file);
    return status ? status : model_file_adopt(ctx, file, verify, err, out);
}

hsp_status hsp_model_unpack(hsp_context *ctx, const void *bytes, size_t size, hsp_error *err,
                            hsp_model **out)
{
    HSP__NEED(err, ctx, bytes, out);
    hsp__container *file = NULL;
    HSP__TRY(hsp__container_copy(ctx, bytes, size, "", err, &file));
    return model_file_adopt(ctx, file, 1, err, out);
}
