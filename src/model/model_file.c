/* Models as files: a container (docs/model-format.md). A file is mapped, and the arrays stay in it.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/container.h"
#include "data/formats.h"
#include "data/kind.h"
#include "data/metadata.h"
#include "data/scale.h"
#include "kernel/expression.h"
#include "model/neighbors.h"
#include "model/probability.h"

#define MODEL_FILE_FORMAT  "halfspace-model"
#define MODEL_FILE_VERSION "1"
#define MODEL_FILE_FACT    "fact."

static const char *const file_hypotheses[] = {"linear", "votes", "kernel", "neighbors"};
static const char *const file_orders[] = {"any", "dense", "sparse"};
static const char *const file_flags[] = {"no", "yes"};
static const char *const file_pairs[] = {"no", "yes", "first"};
static const char *const file_bases[] = {"0", "1"};
static const char *const file_links[] = {"none", "logistic", "probit", "step"};
static const char *const file_calibrations[] = {"none", "platt", "isotonic"};
static const char *const file_indexes[] = {"auto", "scan", "tree", "product", "inverted"};

/* Names of what belongs to a scaling. */
typedef struct model_file_scaling_names {
    char kind[24], low[24], high[24], shift[24], factor[24];
} model_file_scaling_names;

static model_file_scaling_names model_file_name_scaling(int i)
{
    model_file_scaling_names names;
    snprintf(names.kind, sizeof names.kind, "scaling.%d", i);
    snprintf(names.low, sizeof names.low, "scaling.%d.low", i);
    snprintf(names.high, sizeof names.high, "scaling.%d.high", i);
    snprintf(names.shift, sizeof names.shift, "scaling.%d.shift", i);
    snprintf(names.factor, sizeof names.factor, "scaling.%d.factor", i);
    return names;
}

/* Names of the rows that a model keeps: those its votes are about, or its support rows. */
typedef struct model_file_rows_names {
    const char *starts, *indices, *values, *what;
} model_file_rows_names;

static const model_file_rows_names model_file_votes_rows = {"votes.starts", "votes.indices",
                                                            "votes.values", "votes"};
static const model_file_rows_names model_file_support_rows = {"support.starts", "support.indices",
                                                              "support.values", "support"};
static const model_file_rows_names model_file_near_rows = {"neighbors.starts", "neighbors.indices",
                                                           "neighbors.values", "neighbours"};

/* ---- Writing --------------------------------------------------------------------------------- */

#define MODEL_FILE_META    32 /* entries in addition to `fact.NAME` */
#define MODEL_FILE_TENSORS 20

/* What a file is put together from. */
typedef struct model_file_writer {
    const hsp_model *model;
    hsp__text classes, features;
    char *encoding;
    char at_zero[HSP__DECIMAL_MAX], scale[HSP__DECIMAL_MAX], columns[HSP__DECIMAL_MAX];
    char k[HSP__DECIMAL_MAX], threshold[HSP__DECIMAL_MAX];
    model_file_scaling_names scaling_names[HSP__MODEL_SCALINGS];
    char bounds[HSP__MODEL_SCALINGS][2][HSP__DECIMAL_MAX]; /* low and high */
    char **fact_keys;                                      /* one a fact */
    hsp__meta *meta;
    size_t meta_count;
    hsp__tensor tensors[MODEL_FILE_TENSORS];
    size_t tensor_count;
} model_file_writer;

static void model_file_put(model_file_writer *writer, const char *key, const char *value)
{
    writer->meta[writer->meta_count++] = (hsp__meta){key, value};
}

static void model_file_put_array(model_file_writer *writer, const char *name, hsp__dtype dtype,
                                 uint64_t count, const void *data)
{
    writer->tensors[writer->tensor_count++] = (hsp__tensor){name, dtype, 1, {count, 0}, data};
}

static void model_file_put_scaling(model_file_writer *writer, int i)
{
    const hsp__scaling_parts parts = hsp__scaling_look(writer->model->scalings[i]);
    const model_file_scaling_names *names = &writer->scaling_names[i];
    writer->scaling_names[i] = model_file_name_scaling(i);
    hsp__decimal_print_f64(parts.low, writer->bounds[i][0]);
    hsp__decimal_print_f64(parts.high, writer->bounds[i][1]);
    model_file_put(writer, names->kind, parts.kind);
    model_file_put(writer, names->low, writer->bounds[i][0]);
    model_file_put(writer, names->high, writer->bounds[i][1]);
    model_file_put_array(writer, names->shift, HSP__F64, parts.cols, parts.shift);
    model_file_put_array(writer, names->factor, HSP__F64, parts.cols, parts.factor);
}

static void model_file_put_rows(model_file_writer *writer, const model_file_rows_names *names,
                                const hsp_view *view)
{
    const hsp__dtype real = view->precision == HSP_FLOAT32 ? HSP__F32 : HSP__F64;
    const uint64_t stored = hsp_view_stored(view);
    if (view->storage == HSP_DENSE) {
        assert(view->stride == view->cols);
        writer->tensors[writer->tensor_count++] =
            (hsp__tensor){names->values, real, 2, {view->rows, view->cols}, view->values};
        return;
    }
    assert(view->starts_bytes == 8);
    model_file_put_array(writer, names->starts, HSP__U64, view->rows + 1, view->starts);
    model_file_put_array(writer, names->indices, HSP__U32, stored, view->indices);
    if (view->storage == HSP_SPARSE)
        model_file_put_array(writer, names->values, real, stored, view->values);
}

static void model_file_put_votes(model_file_writer *writer)
{
    const hsp__votes *votes = writer->model->votes;
    hsp__decimal_print_u64(votes->at_zero, writer->at_zero);
    model_file_put(writer, "votes.at_zero", writer->at_zero);
    if (votes->apart) model_file_put(writer, "votes.apart", file_flags[1]);
    model_file_put_array(writer, "votes.support", HSP__U32, votes->updates, votes->support);
    model_file_put_array(writer, "votes.scorer", HSP__U32, votes->updates, votes->scorer);
    model_file_put_array(writer, "votes.amount", HSP__F64, votes->updates, votes->amount);
    model_file_put_array(writer, "votes.offset", HSP__F64, votes->updates, votes->offset);
    model_file_put_array(writer, "votes.first", HSP__U64, votes->steps + 1, votes->first);
    model_file_put_array(writer, "votes.survived", HSP__U64, votes->steps, votes->survived);
    model_file_put_rows(writer, &model_file_votes_rows, &votes->rows->view);
}

/* The kernel, and how many features there are, which weights would say. */
static void model_file_put_kernel(model_file_writer *writer, const hsp_kernel *kernel)
{
    hsp__decimal_print_u64(writer->model->features, writer->columns);
    model_file_put(writer, "feature_count", writer->columns);
    if (!kernel) return;
    model_file_put(writer, "kernel", hsp_kernel_text(kernel));
    model_file_put(writer, "kernel.index_base", file_bases[kernel->index_base != 0]);
}

static void model_file_put_expansion(model_file_writer *writer)
{
    const hsp__expansion *expansion = writer->model->expansion;
    const hsp_view *view = &expansion->rows->view;
    writer->tensors[writer->tensor_count++] = (hsp__tensor){"support.coefficients",
                                                            HSP__F64,
                                                            2,
                                                            {writer->model->scorers, view->rows},
                                                            expansion->coefficients};
    model_file_put_array(writer, "support.source", HSP__U64, view->rows, expansion->source);
    model_file_put_rows(writer, &model_file_support_rows, view);
}

static void model_file_put_neighbors(model_file_writer *writer)
{
    const hsp__neighbors *near = writer->model->neighbors;
    const hsp_view *view = &near->rows->view;
    hsp__decimal_print_u64(near->k, writer->k);
    model_file_put(writer, "neighbors.k", writer->k);
    model_file_put(writer, "neighbors.metric", hsp__metric_names[near->metric]);
    model_file_put(writer, "neighbors.vote", hsp__vote_names[near->vote]);
    model_file_put(writer, "neighbors.index", file_indexes[near->index]);
    model_file_put_array(writer, "neighbors.labels", HSP__U32, view->rows, near->labels);
    if (near->source)
        model_file_put_array(writer, "neighbors.source", HSP__U64, view->rows, near->source);
    if (near->tried)
        model_file_put_array(writer, "neighbors.mistakes", HSP__U64, near->tried, near->mistakes);
    model_file_put_rows(writer, &model_file_near_rows, view);
}

static void model_file_put_probability(model_file_writer *writer)
{
    const hsp__probability *map = &writer->model->probability;
    const uint64_t maps = hsp__probability_maps(writer->model);
    hsp__decimal_print_f64(map->scale, writer->scale);
    model_file_put(writer, "link", file_links[map->link]);
    model_file_put(writer, "calibration", file_calibrations[map->calibration]);
    model_file_put(writer, "calibration.scale", writer->scale);
    if (map->threshold > 0) {
        hsp__decimal_print_f64(map->threshold, writer->threshold);
        model_file_put(writer, "calibration.threshold", writer->threshold);
    }
    if (map->calibration == HSP__CALIBRATION_PLATT)
        model_file_put_array(writer, "calibration.platt", HSP__F64, 2 * maps, map->platt);
    if (map->calibration != HSP__CALIBRATION_ISOTONIC) return;
    model_file_put_array(writer, "calibration.first", HSP__U64, maps + 1, map->first);
    model_file_put_array(writer, "calibration.scores", HSP__F64, map->knots, map->at);
    model_file_put_array(writer, "calibration.values", HSP__F64, map->knots, map->value);
}

static hsp_status model_file_put_facts(hsp_context *ctx, model_file_writer *writer, hsp_error *err)
{
    const hsp_model *model = writer->model;
    for (uint32_t i = 0; i < model->fact_names.count; i++) {
        const size_t size = hsp__names_size(&model->fact_names, i);
        char *key = hsp__new(&ctx->allocator, sizeof MODEL_FILE_FACT + size, 1);
        if (!key) return hsp__fail_memory(err);
        writer->fact_keys[i] = key;
        memcpy(key, MODEL_FILE_FACT, sizeof MODEL_FILE_FACT - 1);
        memcpy(key + sizeof MODEL_FILE_FACT - 1, hsp__names_get(&model->fact_names, i), size);
        model_file_put(writer, key, model->fact_values[i]);
    }
    return HSP_OK;
}

static hsp_status model_file_put_names(hsp_context *ctx, model_file_writer *writer,
                                       const char *path, hsp_error *err)
{
    const hsp_model *model = writer->model;
    hsp_status status =
        hsp__metadata_put_names(&writer->classes, &model->class_names, "class", path, err);
    if (!status) model_file_put(writer, "classes", writer->classes.data);
    if (!status && model->feature_names.count) {
        status =
            hsp__metadata_put_names(&writer->features, &model->feature_names, "feature", path, err);
        if (!status) model_file_put(writer, "features", writer->features.data);
    }
    if (!status && model->encoding) {
        status = hsp__encoding_to_json(model->encoding, &ctx->allocator, err, &writer->encoding);
        if (!status) model_file_put(writer, "encoding", writer->encoding);
    }
    return status;
}

static hsp_status model_file_put_model(hsp_context *ctx, model_file_writer *writer,
                                       const char *path, hsp_error *err)
{
    const hsp_model *model = writer->model;
    const hsp_row_coefficients *updates = &model->updates;
    model_file_put(writer, "format", MODEL_FILE_FORMAT);
    model_file_put(writer, "version", MODEL_FILE_VERSION);
    model_file_put(writer, "hypothesis", file_hypotheses[model->hypothesis]);
    model_file_put(writer, "tie", hsp_tie_name(model->tie));
    model_file_put(writer, "order", file_orders[model->order]);
    model_file_put(writer, "homogeneous", file_flags[model->constant != 0]);
    model_file_put(writer, "rest", file_flags[model->rest != 0]);
    model_file_put(writer, "leaves_out", file_flags[model->leaves_out != 0]);
    model_file_put(writer, "pairs", file_pairs[model->pairs]);
    if (model->weights)
        writer->tensors[writer->tensor_count++] = (hsp__tensor){
            "weights", HSP__F64, 2, {model->scorers, model->features}, model->weights};
    else
        model_file_put_kernel(writer, hsp__model_kernel(model));
    model_file_put_array(writer, "offsets", HSP__F64, model->scorers, model->offsets);
    if (updates->count) {
        model_file_put_array(writer, "updates.row", HSP__U64, updates->count, updates->row);
        model_file_put_array(writer, "updates.scorer", HSP__U32, updates->count, updates->scorer);
        model_file_put_array(writer, "updates.amount", HSP__F64, updates->count, updates->amount);
    }
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i]) model_file_put_scaling(writer, i);
    model_file_put_probability(writer);
    if (model->hypothesis == HSP__VOTES) model_file_put_votes(writer);
    if (model->hypothesis == HSP__EXPANSION) model_file_put_expansion(writer);
    if (model->hypothesis == HSP__NEIGHBORS) model_file_put_neighbors(writer);
    hsp_status status = model_file_put_names(ctx, writer, path, err);
    return status ? status : model_file_put_facts(ctx, writer, err);
}

hsp_status hsp_model_write(hsp_context *ctx, const hsp_model *model, const char *path,
                           hsp_error *err)
{
    HSP__NEED(err, ctx, model, path);
    const hsp_allocator *memory = &ctx->allocator;
    const uint32_t facts = model->fact_names.count;
    model_file_writer writer = {.model = model};
    hsp__text_init(&writer.classes, memory);
    hsp__text_init(&writer.features, memory);
    writer.meta = hsp__new(memory, (uint64_t)MODEL_FILE_META + facts, sizeof *writer.meta);
    writer.fact_keys = hsp__new(memory, facts, sizeof *writer.fact_keys);
    hsp_status status = hsp__model_check(ctx, model, NULL, err);
    if (!status && (!writer.meta || !writer.fact_keys)) status = hsp__fail_memory(err);
    if (!status) status = model_file_put_model(ctx, &writer, path, err);
    if (!status)
        status = hsp__container_write(ctx, path, writer.meta, writer.meta_count, writer.tensors,
                                      writer.tensor_count, err);
    for (uint32_t i = 0; writer.fact_keys && i < facts; i++)
        hsp__free(memory, writer.fact_keys[i]);
    hsp__free(memory, writer.fact_keys);
    hsp__free(memory, writer.meta);
    hsp__free(memory, writer.encoding);
    hsp__text_free(&writer.classes);
    hsp__text_free(&writer.features);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

#define model_file_fail(container, ...) \
    hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(container), 0, 0, __VA_ARGS__)

/* An array in the file, of one dimension unless `wide`. The model's pointers are not const because
 * a learner writes through them; nobody writes to a model that was read. */
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

static hsp_status model_file_read_words(const hsp__container *file, hsp_model *model,
                                        hsp_error *err)
{
    static const char *const versions[] = {MODEL_FILE_VERSION};
    const char *const ties[] = {hsp_tie_name(HSP_TIE_NEG), hsp_tie_name(HSP_TIE_POS),
                                hsp_tie_name(HSP_TIE_ZERO)};
    int any, hypothesis = 0, tie = 0, order = 0;
    hsp_status status = hsp__metadata_format(file, MODEL_FILE_FORMAT, err);
    if (!status) status = hsp__metadata_word(file, "version", versions, 1, err, &any);
    if (!status)
        status = hsp__metadata_word(file, "hypothesis", file_hypotheses, 4, err, &hypothesis);
    if (!status) status = hsp__metadata_word(file, "tie", ties, 3, err, &tie);
    if (!status) status = hsp__metadata_word(file, "order", file_orders, 3, err, &order);
    if (!status)
        status = hsp__metadata_word(file, "homogeneous", file_flags, 2, err, &model->constant);
    if (!status) status = hsp__metadata_word(file, "rest", file_flags, 2, err, &model->rest);
    if (!status)
        status = hsp__metadata_word(file, "leaves_out", file_flags, 2, err, &model->leaves_out);
    if (!status && hsp__container_meta(file, "pairs")) /* files from before have none */
        status = hsp__metadata_word(file, "pairs", file_pairs, 3, err, &model->pairs);
    model->hypothesis = (hsp__hypothesis)hypothesis;
    model->tie = (hsp_tie)tie;
    model->order = (hsp__order)order;
    return status;
}

static hsp_status model_file_read_weights(const hsp__container *file, hsp_model *model,
                                          hsp_error *err)
{
    uint64_t shape[2] = {0, 0};
    hsp_status status = model_file_array(file, "weights", HSP__F64, 2, err, shape, &model->weights);
    if (!status && shape[0] > UINT32_MAX)
        status =
            model_file_fail(file, "%llu scorers, which is too many", (unsigned long long)shape[0]);
    model->scorers = (uint32_t)shape[0];
    model->features = shape[1];
    return status;
}

/* How many features and scorers there are, which weights would say. */
static hsp_status model_file_read_shape(const hsp__container *file, hsp_model *model,
                                        hsp_error *err)
{
    const hsp__tensor *offsets = hsp__container_tensor(file, "offsets");
    hsp_status status =
        hsp__metadata_count(file, "feature_count", (uint64_t)1 << 32, err, &model->features);
    if (status) return status;
    if (!offsets || offsets->dims != 1 || offsets->shape[0] > UINT32_MAX)
        return model_file_fail(file, "there are no offsets");
    model->scorers = (uint32_t)offsets->shape[0];
    return HSP_OK;
}

static hsp_status model_file_read_kernel(hsp_context *ctx, const hsp__container *file,
                                         hsp_error *err, hsp_kernel **out)
{
    const char *text = hsp__container_meta(file, "kernel");
    hsp_error inner = {0};
    int base = 0;
    hsp_status status = hsp__metadata_word(file, "kernel.index_base", file_bases, 2, err, &base);
    if (status) return status;
    status = hsp_kernel_parse(ctx, text, 1, base, &inner, out);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    return status ? model_file_fail(file, "the kernel: %.400s", inner.message) : HSP_OK;
}

static hsp_status model_file_read_arrays(const hsp__container *file, hsp_model *model,
                                         hsp_error *err)
{
    uint64_t shape[2] = {0, 0};
    hsp_row_coefficients *updates = &model->updates;
    hsp_status status =
        model_file_list(file, "offsets", HSP__F64, model->scorers, err, &model->offsets);
    if (status || !hsp__container_tensor(file, "updates.row")) return status;
    status = model_file_array(file, "updates.row", HSP__U64, 1, err, shape, &updates->row);
    if (!status)
        status = model_file_list(file, "updates.scorer", HSP__U32, shape[0], err, &updates->scorer);
    if (!status)
        status = model_file_list(file, "updates.amount", HSP__F64, shape[0], err, &updates->amount);
    if (!status) updates->count = shape[0];
    return status;
}

static int model_file_number(const hsp__container *file, const char *key, double *out)
{
    const char *text = hsp__container_meta(file, key);
    if (!text) return 0;
    hsp__decimal_result result;
    const char *end = text + strlen(text);
    return hsp__decimal_f64(text, end, out, &result) == end && result == HSP__DECIMAL_OK;
}

static hsp_status model_file_read_scaling(hsp_context *ctx, const hsp__container *file, int i,
                                          hsp_model *model, hsp_error *err)
{
    const model_file_scaling_names names = model_file_name_scaling(i);
    hsp__scaling_parts parts = {.kind = hsp__container_meta(file, names.kind)};
    uint64_t shape[2] = {0, 0};
    if (!parts.kind) return HSP_OK;
    if (!model_file_number(file, names.low, &parts.low) ||
        !model_file_number(file, names.high, &parts.high))
        return model_file_fail(file, "the metadata of the scaling %d is not whole", i);
    hsp_status status = model_file_array(file, names.shift, HSP__F64, 1, err, shape, &parts.shift);
    parts.cols = shape[0];
    if (!status)
        status = model_file_list(file, names.factor, HSP__F64, parts.cols, err, &parts.factor);
    if (status) return status;
    hsp_error inner = {0};
    status = hsp__scaling_from(ctx, &parts, &inner, &model->scalings[i]);
    if (status == HSP_BAD_DATA) return model_file_fail(file, "%.400s", inner.message);
    return status ? hsp__fail_memory(err) : HSP_OK;
}

/* Files from before have no word of it. */
static hsp_status model_file_read_probability(const hsp__container *file, hsp_model *model,
                                              hsp_error *err)
{
    hsp__probability *map = &model->probability;
    uint64_t shape[2] = {0, 0};
    const uint64_t maps = hsp__probability_maps(model);
    int link = 0, calibration = 0;
    hsp_status status = HSP_OK;
    if (!hsp__container_meta(file, "link")) return HSP_OK;
    status = hsp__metadata_word(file, "link", file_links, 4, err, &link);
    if (!status)
        status = hsp__metadata_word(file, "calibration", file_calibrations, 3, err, &calibration);
    if (!status && !model_file_number(file, "calibration.scale", &map->scale))
        status = model_file_fail(file, "there is no number \"calibration.scale\"");
    map->link = (hsp__link)link;
    map->calibration = (hsp__calibration)calibration;
    if (!status && hsp__container_meta(file, "calibration.threshold") &&
        !model_file_number(file, "calibration.threshold", &map->threshold))
        status = model_file_fail(file, "\"calibration.threshold\" is not a number");
    if (!status && map->calibration == HSP__CALIBRATION_PLATT)
        status = model_file_list(file, "calibration.platt", HSP__F64, 2 * maps, err, &map->platt);
    if (status || map->calibration != HSP__CALIBRATION_ISOTONIC) return status;
    status = model_file_list(file, "calibration.first", HSP__U64, maps + 1, err, &map->first);
    if (!status)
        status = model_file_array(file, "calibration.scores", HSP__F64, 1, err, shape, &map->at);
    if (!status)
        status = model_file_list(file, "calibration.values", HSP__F64, shape[0], err, &map->value);
    map->knots = status ? 0 : shape[0];
    return status;
}

static uint64_t model_file_count_nonzeros(const hsp_view *view)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            count += hsp__row_value(view, &row, k) != 0;
    }
    return count;
}

/* Rows that the model keeps, left in the file. Their arrays are checked by whoever looks at
 * the view first; where they end must be known before. */
static hsp_status model_file_read_rows(const hsp__container *file,
                                       const model_file_rows_names *names, uint64_t features,
                                       hsp_data *rows, hsp_error *err)
{
    hsp_view *view = &rows->view;
    uint64_t shape[2] = {0, 0};
    const hsp__tensor *values = hsp__container_tensor(file, names->values);
    view->cols = features;
    if (values) view->precision = values->dtype == HSP__F64 ? HSP_FLOAT64 : HSP_FLOAT32;
    const hsp__dtype real = view->precision == HSP_FLOAT64 ? HSP__F64 : HSP__F32;
    if (!hsp__container_tensor(file, names->starts)) {
        view->storage = HSP_DENSE;
        hsp_status status =
            model_file_array(file, names->values, real, 2, err, shape, &view->values);
        view->rows = shape[0];
        view->cols = view->stride = shape[1];
        if (!status && !view->cols && view->rows) /* they take no bytes: any number would fit */
            status = model_file_fail(file, "the rows of the %s have no columns", names->what);
        if (!status) rows->nonzeros = model_file_count_nonzeros(view);
        return status;
    }
    const uint64_t *starts = NULL;
    view->storage = values ? HSP_SPARSE : HSP_ONES;
    hsp_status status = model_file_array(file, names->starts, HSP__U64, 1, err, shape, &starts);
    if (!status && !shape[0])
        status = model_file_fail(file, "the array \"%s\" is empty", names->starts);
    if (status) return status;
    view->rows = shape[0] - 1;
    view->starts = starts;
    status = model_file_array(file, names->indices, HSP__U32, 1, err, shape, &view->indices);
    if (!status && values)
        status = model_file_list(file, names->values, real, shape[0], err, &view->values);
    if (!status && (starts[0] != 0 || starts[view->rows] != shape[0]))
        status = model_file_fail(file, "the array \"%s\" does not span the rows", names->starts);
    rows->nonzeros = shape[0];
    return status;
}

static hsp_status model_file_read_votes(const hsp__container *file, hsp_model *model,
                                        hsp_error *err)
{
    hsp__votes *votes = model->votes = hsp__new(&model->memory, 1, sizeof *votes);
    uint64_t shape[2] = {0, 0};
    if (!votes || !(votes->rows = hsp__data_new(&model->memory))) return hsp__fail_memory(err);
    hsp_status status =
        hsp__metadata_count(file, "votes.at_zero", UINT64_MAX, err, &votes->at_zero);
    if (!status && hsp__container_meta(file, "votes.apart"))
        status = hsp__metadata_word(file, "votes.apart", file_flags, 2, err, &votes->apart);
    if (!status)
        status = model_file_array(file, "votes.support", HSP__U32, 1, err, shape, &votes->support);
    votes->updates = shape[0];
    if (!status)
        status = model_file_list(file, "votes.scorer", HSP__U32, shape[0], err, &votes->scorer);
    if (!status)
        status = model_file_list(file, "votes.amount", HSP__F64, shape[0], err, &votes->amount);
    if (!status)
        status = model_file_list(file, "votes.offset", HSP__F64, shape[0], err, &votes->offset);
    if (!status)
        status =
            model_file_array(file, "votes.survived", HSP__U64, 1, err, shape, &votes->survived);
    votes->steps = shape[0];
    if (!status)
        status =
            model_file_list(file, "votes.first", HSP__U64, votes->steps + 1, err, &votes->first);
    return status ? status
                  : model_file_read_rows(file, &model_file_votes_rows, model->features, votes->rows,
                                         err);
}

static hsp_status model_file_read_expansion(const hsp__container *file, hsp_model *model,
                                            hsp_error *err)
{
    hsp__expansion *expansion = model->expansion;
    uint64_t shape[2] = {0, 0};
    if (!(expansion->rows = hsp__data_new(&model->memory))) return hsp__fail_memory(err);
    hsp_status status =
        model_file_read_rows(file, &model_file_support_rows, model->features, expansion->rows, err);
    if (!status)
        status = model_file_list(file, "support.source", HSP__U64, expansion->rows->view.rows, err,
                                 &expansion->source);
    if (!status)
        status = model_file_array(file, "support.coefficients", HSP__F64, 2, err, shape,
                                  &expansion->coefficients);
    if (status || (shape[0] == model->scorers && shape[1] == expansion->rows->view.rows))
        return status;
    return model_file_fail(file, "the array \"support.coefficients\" is of another shape");
}

static hsp_status model_file_read_neighbors(const hsp__container *file, hsp_model *model,
                                            hsp_error *err)
{
    hsp__neighbors *near = model->neighbors;
    uint64_t shape[2] = {0, 0};
    int metric = 0, vote = 0, index = 0;
    if (!(near->rows = hsp__data_new(&model->memory))) return hsp__fail_memory(err);
    hsp_status status = hsp__metadata_count(file, "neighbors.k", UINT64_MAX, err, &near->k);
    if (!status)
        status = hsp__metadata_word(file, "neighbors.metric", hsp__metric_names,
                                    HSP__METRIC_KERNEL + 1, err, &metric);
    if (!status)
        status = hsp__metadata_word(file, "neighbors.vote", hsp__vote_names, HSP__VOTE_DISTANCE + 1,
                                    err, &vote);
    if (!status) status = hsp__metadata_word(file, "neighbors.index", file_indexes, 5, err, &index);
    near->metric = (hsp__metric)metric;
    near->vote = (hsp__vote_rule)vote;
    near->index = (hsp__knn_kind)index;
    if (!status)
        status =
            model_file_read_rows(file, &model_file_near_rows, model->features, near->rows, err);
    const uint64_t rows = near->rows->view.rows;
    if (!status)
        status = model_file_list(file, "neighbors.labels", HSP__U32, rows, err, &near->labels);
    if (!status && hsp__container_tensor(file, "neighbors.source"))
        status = model_file_list(file, "neighbors.source", HSP__U64, rows, err, &near->source);
    if (!status && hsp__container_tensor(file, "neighbors.mistakes"))
        status =
            model_file_array(file, "neighbors.mistakes", HSP__U64, 1, err, shape, &near->mistakes);
    near->tried = status ? 0 : shape[0];
    return status;
}

/* What has rows of its own instead of weights, or in addition to them. The kernel is taken over. */
static hsp_status model_file_read_own(const hsp__container *file, hsp_model *model,
                                      hsp_kernel **kernel, hsp_error *err)
{
    hsp_status status = HSP_OK;
    if (model->hypothesis == HSP__VOTES) {
        status = model_file_read_votes(file, model, err);
        if (model->votes) model->votes->kernel = *kernel, *kernel = NULL;
    } else if (model->hypothesis == HSP__EXPANSION) {
        model->expansion = hsp__new(&model->memory, 1, sizeof *model->expansion);
        if (!model->expansion) return hsp__fail_memory(err);
        model->expansion->kernel = *kernel, *kernel = NULL;
        status = model_file_read_expansion(file, model, err);
    } else if (model->hypothesis == HSP__NEIGHBORS) {
        model->neighbors = hsp__neighbors_new(&model->memory);
        if (!model->neighbors) return hsp__fail_memory(err);
        model->neighbors->kernel = *kernel, *kernel = NULL;
        status = model_file_read_neighbors(file, model, err);
    }
    return status;
}

/* The hypothesis: weights, votes, a kernel and its rows, or rows to be near to. */
static hsp_status model_file_read_hypothesis(hsp_context *ctx, const hsp__container *file,
                                             hsp_model *model, hsp_error *err)
{
    hsp_kernel *kernel = NULL;
    const int has_kernel = hsp__container_meta(file, "kernel") != NULL;
    hsp_status status = HSP_OK;
    if (has_kernel && model->hypothesis != HSP__LINEAR)
        status = model_file_read_kernel(ctx, file, err, &kernel);
    else if (model->hypothesis == HSP__EXPANSION)
        status = model_file_fail(file, "there is no kernel in a kernel model");
    if (!status)
        status = kernel || model->hypothesis == HSP__NEIGHBORS
                     ? model_file_read_shape(file, model, err)
                     : model_file_read_weights(file, model, err);
    if (!status) status = model_file_read_arrays(file, model, err);
    if (!status) status = model_file_read_own(file, model, &kernel, err);
    hsp_kernel_free(kernel);
    return status;
}

static hsp_status model_file_read_facts(const hsp__container *file, hsp_model *model,
                                        hsp_error *err)
{
    const char *key, *value;
    const size_t prefix = sizeof MODEL_FILE_FACT - 1;
    for (size_t i = 0; (key = hsp__container_meta_at(file, i, &value)); i++) {
        if (strncmp(key, MODEL_FILE_FACT, prefix) != 0) continue;
        hsp_status status = hsp__model_set_metadata(model, key + prefix, value, err);
        if (status) return status;
    }
    return HSP_OK;
}

static hsp_status model_file_read_model(hsp_context *ctx, const hsp__container *file, int verify,
                                        hsp_model *model, hsp_error *err)
{
    const char *name = hsp__container_name(file);
    const char *encoding = hsp__container_meta(file, "encoding");
    hsp_status status = model_file_read_words(file, model, err);
    if (!status && verify) status = hsp__container_verify(ctx, file, err);
    if (!status) status = model_file_read_hypothesis(ctx, file, model, err);
    if (!status) status = hsp__metadata_names(file, "classes", &model->class_names, err);
    if (!status) status = hsp__metadata_names(file, "features", &model->feature_names, err);
    for (int i = 0; !status && i < HSP__MODEL_SCALINGS; i++)
        status = model_file_read_scaling(ctx, file, i, model, err);
    if (!status && encoding)
        status = hsp__encoding_from_json(&ctx->allocator, encoding, strlen(encoding), name, err,
                                         &model->encoding);
    if (!status) status = model_file_read_probability(file, model, err);
    if (!status) status = model_file_read_facts(file, model, err);
    return status ? status : hsp__model_check(ctx, model, name, err);
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

hsp_status hsp_model_read(hsp_context *ctx, const char *path, hsp_error *err, hsp_model **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__container *file = NULL;
    hsp_status status = hsp__container_open(ctx, path, err, &file);
    if (!status) status = model_file_adopt(ctx, file, 1, err, out);
    status = hsp__kind_explain(ctx, path, HSP_FILE_MODEL, status, err);
    return hsp__while(err, status, "reading", path);
}

hsp_status hsp__model_parse(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                            int verify, hsp_error *err, hsp_model **out)
{
    hsp__container *file = NULL;
    hsp_status status = hsp__container_memory(ctx, bytes, size, name, err, &file);
    return status ? status : model_file_adopt(ctx, file, verify, err, out);
}
