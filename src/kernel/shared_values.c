#include "kernel/shared_values.h"

#include <pthread.h>

#include "base/base.h"
#include "kernel/block.h"

enum {
    SHARED_VALUES_STRIP = 256, /* rows computed at a time, with themselves and those behind */
    SHARED_VALUES_SQUARE = 64
};

struct hsp__kernel_shared {
    hsp_allocator memory;
    uint64_t most;
    pthread_mutex_t mutex; /* of what follows; read without it once it is handed out */
    int taken;             /* somebody came, and it was tried */
    char key[HSP__KERNEL_KEY];
    hsp__kernel_products products; /* values NULL: none */
};

hsp__kernel_shared *hsp__kernel_shared_new(hsp_context *ctx, uint64_t most)
{
    hsp__kernel_shared *shared = hsp__new(&ctx->allocator, 1, sizeof *shared);
    if (!shared) return NULL;
    shared->memory = ctx->allocator;
    shared->most = most;
    pthread_mutex_init(&shared->mutex, NULL);
    return shared;
}

void hsp__kernel_shared_free(hsp__kernel_shared *shared)
{
    if (!shared) return;
    const hsp_allocator memory = shared->memory;
    pthread_mutex_destroy(&shared->mutex);
    hsp__free(&memory, shared->products.values);
    hsp__free(&memory, shared);
}

/* Is an inner product of all columns a part of it? */
static int shared_values_asks(const hsp_kernel *kernel)
{
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op <= HSP__KERNEL_SIGMOID && kernel->nodes[k].space == 0) return 1;
    return 0;
}

static uint64_t shared_values_bytes(const hsp__kernel_products *products)
{
    return products->wide ? sizeof(double) : sizeof(float);
}

typedef struct shared_values_strip {
    const hsp__kernel_products *products;
    uint64_t from, to; /* rows */
} shared_values_strip;

/* What stands right of the diagonal in the strip, to below it: a square of rows and columns at a
 * time, for the sake of the cache. */
static void shared_values_mirror(void *user, uint64_t part)
{
    const shared_values_strip *strip = user;
    const uint64_t n = strip->products->n, first = strip->from + part * SHARED_VALUES_SQUARE;
    const uint64_t last = n - first < SHARED_VALUES_SQUARE ? n : first + SHARED_VALUES_SQUARE;
    assert(strip->from < strip->to && strip->to <= n && first < n);
    double *wide = strip->products->values;
    float *single = strip->products->values;
    for (uint64_t j = first; j < last; j++)
        for (uint64_t i = strip->from; i < strip->to && i < j; i++) {
            if (strip->products->wide)
                wide[j * n + i] = wide[i * n + j];
            else
                single[j * n + i] = single[i * n + j];
        }
}

static hsp_status shared_values_fill(hsp_context *ctx, const hsp__kernel_rows *rows,
                                     const hsp__kernel_products *products, hsp_error *err)
{
    const uint64_t n = products->n;
    hsp_status status = HSP_OK;
    for (uint64_t from = 0; !status && from < n; from += SHARED_VALUES_STRIP) {
        const uint64_t to = n - from < SHARED_VALUES_STRIP ? n : from + SHARED_VALUES_STRIP;
        const hsp__kernel_pick left = {rows, NULL, from, to - from};
        const hsp__kernel_pick right = {rows, NULL, from, n - from};
        const uint64_t at = from * n + from;
        status =
            products->wide
                ? hsp__kernel_block_f64(ctx, &left, &right, (double *)products->values + at, n, err)
                : hsp__kernel_block_f32(ctx, &left, &right, (float *)products->values + at, n, err);
        shared_values_strip strip = {products, from, to};
        if (!status)
            hsp__tasks_run(ctx, (n - from + SHARED_VALUES_SQUARE - 1) / SHARED_VALUES_SQUARE,
                           shared_values_mirror, &strip);
        if (!status) status = hsp__progress(ctx, "computing kernel values", "rows", to, n, err);
    }
    return status;
}

/* The products as values of the kernel linear. */
static hsp_status shared_values_compute(hsp_context *ctx, hsp__kernel_shared *shared,
                                        const hsp_view *view, hsp_error *err)
{
    hsp__kernel_products *products = &shared->products;
    const uint64_t n = products->n;
    hsp_kernel *linear = NULL;
    hsp__kernel_rows *rows = NULL;
    products->values = hsp__new_raw(&shared->memory, n * n, shared_values_bytes(products));
    hsp_status status = products->values ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp_kernel_parse(ctx, "linear", 0, 1, err, &linear);
    if (!status) status = hsp__kernel_rows_new(ctx, linear, view, NULL, err, &rows);
    if (!status) status = shared_values_fill(ctx, rows, products, err);
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(linear);
    if (!status) return HSP_OK;
    hsp__free(&shared->memory, products->values);
    products->values = NULL;
    return status;
}

hsp_status hsp__kernel_shared_use(hsp_context *ctx, hsp__kernel_shared *shared, const char *key,
                                  int wide, hsp__kernel_rows *rows, hsp_error *err)
{
    const uint64_t n = rows->view->rows;
    hsp_status status = HSP_OK;
    if (!shared || !shared_values_asks(rows->kernel)) return HSP_OK;
    pthread_mutex_lock(&shared->mutex);
    if (!shared->taken) {
        shared->products = (hsp__kernel_products){.n = n, .wide = wide};
        shared->taken = 1;
        strncpy(shared->key, key, sizeof shared->key - 1);
        if (n < UINT32_MAX && n * n <= shared->most / shared_values_bytes(&shared->products))
            status = shared_values_compute(ctx, shared, rows->view, err);
    }
    if (!status && shared->products.values && shared->products.n == n &&
        shared->products.wide == wide && strcmp(shared->key, key) == 0)
        rows->products = &shared->products;
    pthread_mutex_unlock(&shared->mutex);
    return status;
}
