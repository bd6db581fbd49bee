/* What tests of the model room share: random models of every kind, random rows, whole files. */
#ifndef HSP_TESTS_MODEL_HELPERS_H
#define HSP_TESTS_MODEL_HELPERS_H

#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/helpers.h"
#include "data/scale.h"
#include "model/model.h"

/* A small whole number: sums of these are exact, so that ties happen. */
static inline double test_small(hsp__random *random)
{
    return (double)hsp__random_below(random, 7) - 3;
}

static inline void test_name(hsp__names *names, const char *name)
{
    uint32_t number;
    if (!hsp__names_add(names, name, strlen(name), &number)) abort();
}

/* A linear model of whole-number weights. */
static inline hsp_model *test_linear(hsp_context *ctx, hsp__random *random, uint32_t classes,
                                     uint64_t features)
{
    hsp_model *model = NULL;
    uint32_t scorers = classes == 2 ? 1 : classes;
    if (hsp__model_new(ctx, scorers, features, NULL, &model)) abort();
    for (uint64_t i = 0; i < scorers * features; i++)
        model->weights[i] = test_small(random);
    for (uint32_t k = 0; k < scorers; k++)
        model->offsets[k] = test_small(random);
    for (uint32_t c = 0; c < classes; c++) {
        char name[32];
        snprintf(name, sizeof name, "class %u", c);
        test_name(&model->class_names, name);
    }
    model->tie = (hsp_tie)hsp__random_below(random, 3);
    return model;
}

/* A model of pairs of three classes or more. */
static inline hsp_model *test_pairs(hsp_context *ctx, hsp__random *random, uint32_t classes,
                                    uint64_t features)
{
    hsp_model *model = NULL;
    const uint32_t scorers = (uint32_t)hsp__pair_count(classes);
    if (hsp__model_new(ctx, scorers, features, NULL, &model)) abort();
    model->pairs = 1;
    for (uint64_t i = 0; i < scorers * features; i++)
        model->weights[i] = test_small(random);
    for (uint32_t k = 0; k < scorers; k++)
        model->offsets[k] = test_small(random);
    for (uint32_t c = 0; c < classes; c++) {
        char name[32];
        snprintf(name, sizeof name, "class %u", c);
        test_name(&model->class_names, name);
    }
    model->tie = (hsp_tie)hsp__random_below(random, 3);
    return model;
}

/* Sparse rows of whole numbers, about half of them zeros, unlabelled. */
static inline hsp_data *test_rows(hsp_context *ctx, hsp__random *random, uint64_t rows,
                                  uint64_t cols, hsp_storage storage)
{
    hsp_data *data = NULL;
    if (hsp__data_shape(ctx, storage, HSP_FLOAT32, rows, cols, rows * cols, 0, NULL, &data))
        abort();
    uint64_t stored = 0;
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < cols; j++) {
            float value = (float)test_small(random);
            if (storage == HSP_ONES) value = hsp__random_below(random, 2) ? 1 : 0;
            if (hsp__random_below(random, 3) == 0) value = 0;
            if (storage == HSP_DENSE) {
                ((float *)data->values)[i * cols + j] = value;
                data->nonzeros += value != 0;
                continue;
            }
            if (value == 0) continue;
            if (storage == HSP_SPARSE) ((float *)data->values)[stored] = value;
            data->indices[stored++] = (uint32_t)j;
        }
        if (storage != HSP_DENSE) data->starts[i + 1] = stored;
    }
    hsp__data_seal(data);
    return data;
}

static inline void *test_array(hsp_context *ctx, uint64_t count, size_t size)
{
    void *array = hsp__new(&ctx->allocator, count, size);
    if (!array) abort();
    return array;
}

/* Make a model one of votes, with updates at random. */
static inline void test_add_votes(hsp_context *ctx, hsp__random *random, hsp_model *model,
                                  hsp_storage storage)
{
    hsp__votes *votes = test_array(ctx, 1, sizeof *votes);
    const uint64_t steps = hsp__random_below(random, 12);
    const uint32_t each = model->scorers == 1 ? 1 : 2;
    model->hypothesis = HSP__VOTES;
    model->votes = votes;
    votes->rows =
        test_rows(ctx, random, 1 + hsp__random_below(random, 5), model->features, storage);
    votes->steps = steps;
    votes->updates = steps * each;
    votes->support = test_array(ctx, votes->updates, sizeof *votes->support);
    votes->scorer = test_array(ctx, votes->updates, sizeof *votes->scorer);
    votes->amount = test_array(ctx, votes->updates, sizeof *votes->amount);
    votes->offset = test_array(ctx, votes->updates, sizeof *votes->offset);
    votes->first = test_array(ctx, steps + 1, sizeof *votes->first);
    votes->survived = test_array(ctx, steps, sizeof *votes->survived);
    votes->at_zero = hsp__random_below(random, 3);
    for (uint64_t t = 0; t < steps; t++) {
        votes->survived[t] = hsp__random_below(random, 4);
        votes->first[t + 1] = (t + 1) * each;
    }
    for (uint64_t u = 0; u < votes->updates; u++) {
        votes->support[u] = (uint32_t)hsp__random_below(random, votes->rows->view.rows);
        votes->scorer[u] = (uint32_t)hsp__random_below(random, model->scorers);
        votes->amount[u] = hsp__random_below(random, 2) ? 1 : -1;
        votes->offset[u] = test_small(random);
    }
}

/* A kernel expansion of small whole rows. Pairs: more than two classes, one scorer per pair. */
static inline hsp_model *test_expansion(hsp_context *ctx, hsp__random *random, const char *kernel,
                                        uint32_t classes, int pairs, uint64_t rows,
                                        uint64_t features, hsp_storage storage)
{
    const uint32_t scorers = classes == 2 ? 1
                             : pairs      ? (uint32_t)hsp__pair_count(classes)
                                          : classes;
    hsp_kernel *parsed = NULL;
    hsp_model *model = NULL;
    if (hsp_kernel_parse(ctx, kernel, 1, 1, NULL, &parsed)) abort();
    hsp_data *data = test_rows(ctx, random, rows, features, storage);
    if (hsp__model_new_expansion(ctx, scorers, features, parsed, data, NULL, &model)) abort();
    model->pairs = pairs;
    for (uint64_t i = 0; i < rows; i++)
        model->expansion->source[i] = i * 3;
    for (uint64_t i = 0; i < scorers * rows; i++)
        model->expansion->coefficients[i] = test_small(random) / 2;
    for (uint32_t k = 0; k < scorers; k++)
        model->offsets[k] = test_small(random);
    for (uint32_t c = 0; c < classes; c++) {
        char name[32];
        snprintf(name, sizeof name, "%u", c + 1);
        test_name(&model->class_names, name);
    }
    return model;
}

/* A model of the nearest of small whole rows, with many ties. */
static inline hsp_model *test_neighbors(hsp_context *ctx, hsp__random *random, uint32_t classes,
                                        uint64_t rows, uint64_t features, hsp_storage storage)
{
    hsp_model *model = NULL;
    hsp_data *data = test_rows(ctx, random, rows, features, storage);
    if (hsp__model_new_neighbors(ctx, classes == 2 ? 1 : classes, features, data, NULL, &model))
        abort();
    hsp__neighbors *own = model->neighbors;
    own->k = 1 + hsp__random_below(random, rows < 7 ? rows : 7);
    own->metric = (hsp__metric)hsp__random_below(random, HSP__METRIC_KERNEL);
    own->vote = (hsp__vote_rule)hsp__random_below(random, 2);
    for (uint64_t i = 0; i < rows; i++)
        own->labels[i] = (uint32_t)hsp__random_below(random, classes);
    if (hsp__random_below(random, 2)) {
        own->source = test_array(ctx, rows, sizeof *own->source);
        for (uint64_t i = 0; i < rows; i++)
            own->source[i] = 2 * i + 1;
    }
    if (hsp__random_below(random, 2) && rows > 1) {
        own->tried = 1 + hsp__random_below(random, rows - 1);
        own->mistakes = test_array(ctx, own->tried, sizeof *own->mistakes);
        for (uint64_t k = 0; k < own->tried; k++)
            own->mistakes[k] = hsp__random_below(random, rows + 1);
    }
    for (uint32_t c = 0; c < classes; c++) {
        char name[32];
        snprintf(name, sizeof name, "class %u", c);
        test_name(&model->class_names, name);
    }
    return model;
}

static inline void test_add_updates(hsp_context *ctx, hsp__random *random, hsp_model *model)
{
    const uint64_t count = 1 + hsp__random_below(random, 9);
    uint64_t *row = test_array(ctx, count, sizeof *row);
    uint32_t *scorer = test_array(ctx, count, sizeof *scorer);
    double *amount = test_array(ctx, count, sizeof *amount);
    for (uint64_t i = 0; i < count; i++) {
        row[i] = hsp__random_below(random, 1000);
        scorer[i] = (uint32_t)hsp__random_below(random, model->scorers);
        amount[i] = test_small(random);
    }
    model->updates = (hsp_row_coefficients){count, row, scorer, amount};
}

/* A scaling of that kind, fitted to random dense rows. */
static inline hsp_scaling *test_scaling(hsp_context *ctx, hsp__random *random, const char *kind,
                                        uint64_t cols)
{
    hsp_scaling *scaling = NULL;
    hsp_options *options = NULL;
    hsp_data *data = test_rows(ctx, random, 20, cols, HSP_DENSE);
    if (hsp_options_new(ctx, hsp_scale_options(), NULL, &options) ||
        hsp_options_set(options, "kind", kind, NULL) ||
        hsp_scaling_fit(ctx, data, options, NULL, &scaling))
        abort();
    hsp_options_free(options);
    hsp_data_free(data);
    return scaling;
}

/* A model of any kind that a random number picks. */
static inline hsp_model *test_any_model(hsp_context *ctx, hsp__random *random)
{
    static const char *const kinds[] = {"min-max", "standard", "max-abs", "unit-rows", "unit-ball"};
    const uint32_t classes = 2 + (uint32_t)hsp__random_below(random, 3);
    const uint64_t features = 1 + hsp__random_below(random, 9);
    hsp_model *model = test_linear(ctx, random, classes, features);
    if (hsp__random_below(random, 2))
        test_add_votes(ctx, random, model, (hsp_storage)hsp__random_below(random, 3));
    if (hsp__random_below(random, 2)) test_add_updates(ctx, random, model);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (hsp__random_below(random, 2))
            model->scalings[i] =
                test_scaling(ctx, random, kinds[hsp__random_below(random, 5)], features);
    if (hsp__random_below(random, 2))
        for (uint64_t j = 0; j < features; j++) {
            char name[32];
            snprintf(name, sizeof name, "feature \"%llu\"", (unsigned long long)j);
            test_name(&model->feature_names, name);
        }
    model->order = (hsp__order)hsp__random_below(random, 3);
    model->rest = classes == 2 && hsp__random_below(random, 2);
    model->leaves_out = hsp__random_below(random, 2) != 0;
    if (hsp__model_set_metadata(model, "learner", "perceptron", NULL) ||
        hsp__model_set_metadata(model, "options", "{\"rate\":1,\"soft\":0}", NULL) ||
        hsp__model_set_metadata(model, "empty", "", NULL))
        abort();
    return model;
}

/* A file name of its own for this program. */
static inline const char *test_path(const char *ending)
{
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "/tmp/hsp-test-%ld-%s", (long)getpid(), ending);
    return path;
}

static inline void test_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) abort();
}

/* A whole file, 8-byte aligned, a NUL behind it; freed by the caller. */
static inline char *test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) abort();
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) abort();
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

#endif
