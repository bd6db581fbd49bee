/* What the tests of preparing, making and looking share: the same random numbers in any storage,
 * and an allocator that fails on demand. */
#ifndef HSP_TESTS_DATA_PREPARE_H
#define HSP_TESTS_DATA_PREPARE_H

#include <math.h>

#include "base/random.h"
#include "data/helpers.h"

/* Random rows; all numbers are exact in float32. */
typedef struct test_recipe {
    uint64_t rows, cols, seed;
    double density; /* share of non-zeros */
    int ones;       /* all non-zeros are 1 */
    int classes;    /* 0: unlabelled */
    int repeats;    /* rows and columns that equal others: about one in this many; 0: none */
    double centre;  /* added to non-zeros that are not ones */
} test_recipe;

/* rows * cols numbers, row by row. */
static inline double *test_numbers(const test_recipe *recipe)
{
    const uint64_t rows = recipe->rows, cols = recipe->cols;
    double *x = calloc(rows * cols + 1, sizeof *x);
    hsp__random random;
    hsp__random_seed(&random, recipe->seed, 0);
    for (uint64_t i = 0; i < rows * cols; i++) {
        if (hsp__random_unit(&random) >= recipe->density) continue;
        double v = ((double)hsp__random_below(&random, 4096) - 2048) / 64 + recipe->centre;
        x[i] = recipe->ones ? 1 : v;
    }
    for (uint64_t j = 1; recipe->repeats && j < cols; j++) {
        if (hsp__random_below(&random, (uint64_t)recipe->repeats)) continue;
        uint64_t from = hsp__random_below(&random, j);
        for (uint64_t i = 0; i < rows; i++)
            x[i * cols + j] = x[i * cols + from];
    }
    for (uint64_t i = 1; recipe->repeats && i < rows; i++)
        if (hsp__random_below(&random, (uint64_t)recipe->repeats) == 0)
            memcpy(x + i * cols, x + hsp__random_below(&random, i) * cols, cols * sizeof *x);
    return x;
}

static inline hsp_data *test_build(hsp_context *ctx, const double *x, uint64_t rows, uint64_t cols,
                                   const uint32_t *labels, uint32_t classes, hsp_storage storage,
                                   hsp_precision precision)
{
    uint64_t *starts = calloc(rows + 1, sizeof *starts), used = 0;
    uint32_t *indices = calloc(rows * cols + 1, sizeof *indices);
    float *single = calloc(rows * cols + 1, sizeof *single);
    double *full = calloc(rows * cols + 1, sizeof *full);
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < cols; j++) {
            double v = x[i * cols + j];
            if (v == 0 && storage != HSP_DENSE) continue;
            indices[used] = (uint32_t)j;
            single[used] = (float)v;
            full[used++] = v;
        }
        starts[i + 1] = used;
    }
    const void *values = precision == HSP_FLOAT32 ? (const void *)single : (const void *)full;
    hsp_view view = storage == HSP_DENSE
                        ? hsp_view_dense(precision, rows, cols, cols, values)
                        : hsp_view_sparse(precision, rows, cols, 8, starts, indices,
                                          storage == HSP_ONES ? NULL : values);
    view.labels = labels;
    view.classes = classes;
    hsp_data *data = NULL;
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data)) abort();
    free(starts);
    free(indices);
    free(single);
    free(full);
    return data;
}

static inline hsp_data *test_random(hsp_context *ctx, const test_recipe *recipe,
                                    hsp_storage storage, hsp_precision precision)
{
    double *x = test_numbers(recipe);
    uint32_t *labels = calloc(recipe->rows + 1, sizeof *labels);
    hsp__random random;
    hsp__random_seed(&random, recipe->seed, 1);
    for (uint64_t i = 0; recipe->classes && i < recipe->rows; i++)
        labels[i] = (uint32_t)hsp__random_below(&random, (uint64_t)recipe->classes);
    hsp_data *data = test_build(ctx, x, recipe->rows, recipe->cols, recipe->classes ? labels : NULL,
                                (uint32_t)recipe->classes, storage, precision);
    free(x);
    free(labels);
    return data;
}

/* malloc until `left` runs out. */
typedef struct test_memory {
    long left, live;
} test_memory;

static inline void *test_reallocate(void *user, void *pointer, size_t size)
{
    test_memory *memory = user;
    if (memory->left-- <= 0) return NULL;
    if (!pointer) memory->live++;
    return realloc(pointer, size);
}

static inline void test_release(void *user, void *pointer)
{
    ((test_memory *)user)->live--;
    free(pointer);
}

/* Call try(ctx) with the first allocation failing, then the second, ... until it succeeds. It must
 * answer HSP_NO_MEMORY until then, and leave nothing behind; it frees what it made. */
static inline void test_no_memory(hsp_status (*try)(hsp_context *ctx))
{
    for (long n = 0; n < 10000; n++) {
        test_memory memory = {1000000, 0};
        hsp_allocator allocator = {test_reallocate, test_release, &memory};
        hsp_context *ctx = NULL;
        if (hsp_context_new(&allocator, &ctx)) abort();
        hsp_context_set_threads(ctx, 1);
        memory.left = n;
        hsp_status status = try(ctx);
        CHECK_NOTE(memory.live == 1, "%ld blocks left with %ld allocations", memory.live - 1, n);
        memory.left = 1000000;
        hsp_context_free(ctx);
        if (status == HSP_OK) {
            CHECK(n > 0);
            return;
        }
        CHECK_NOTE(status == HSP_NO_MEMORY, "status %d with %ld allocations", (int)status, n);
    }
    CHECK(0);
}

#define TEST_FORMS 5
static const struct {
    hsp_storage storage;
    hsp_precision precision;
} test_forms[TEST_FORMS] = {{HSP_DENSE, HSP_FLOAT32},
                            {HSP_DENSE, HSP_FLOAT64},
                            {HSP_SPARSE, HSP_FLOAT32},
                            {HSP_SPARSE, HSP_FLOAT64},
                            {HSP_ONES, HSP_FLOAT32}};

#endif
