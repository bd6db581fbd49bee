/* Kernel values in memory: runs side by side keep to the limit of one, and tuning that shares inner
 * products finds what it finds without. */
#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"
#include "halfspace_all.h"

static atomic_int_fast64_t held, most;

static void note(int64_t bytes)
{
    const int_fast64_t now = atomic_fetch_add(&held, bytes) + bytes;
    int_fast64_t before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        ;
}

static void *counted(void *user, void *pointer, size_t size)
{
    const size_t before = pointer ? malloc_usable_size(pointer) : 0;
    void *moved = realloc(pointer, size);
    (void)user;
    if (moved) note((int64_t)malloc_usable_size(moved) - (int64_t)before);
    return moved;
}

static void released(void *user, void *pointer)
{
    (void)user;
    if (pointer) note(-(int64_t)malloc_usable_size(pointer));
    free(pointer);
}

enum { ROWS = 2400, COLS = 6 };
static float values[ROWS * COLS];
static uint32_t labels[ROWS];

static hsp_data *rings(hsp_context *ctx)
{
    uint64_t state = 88172645463325252u;
    hsp_data *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        double square = 0;
        for (size_t j = 0; j < COLS; j++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            values[i * COLS + j] = (float)((double)(state >> 11) * 0x1p-53 - 0.5);
            square += (double)values[i * COLS + j] * (double)values[i * COLS + j];
        }
        labels[i] = square > 0.5;
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT32, ROWS, COLS, COLS, values);
    view.labels = labels, view.classes = 2;
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data)) abort();
    return data;
}

static hsp_options *machine(hsp_context *ctx, const char *megabytes)
{
    hsp_options *options = NULL;
    CHECK(hsp_options_for(ctx, "svm", NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "cache-mb", megabytes, NULL) == HSP_OK);
    CHECK(hsp_options_set(options, "gap", "0.01", NULL) == HSP_OK);
    return options;
}

/* The most memory that cross-validation takes, and what it finds. */
static int64_t validate(int threads, const char *megabytes, double *error)
{
    const hsp_allocator allocator = {counted, released, NULL};
    hsp_context *ctx = NULL;
    hsp_validation *found = NULL;
    if (hsp_context_new(&allocator, &ctx)) abort();
    CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
    hsp_data *data = rings(ctx);
    hsp_options *options = machine(ctx, megabytes);
    CHECK(hsp_options_set(options, "kernel", "rbf(2)", NULL) == HSP_OK);
    atomic_store(&most, atomic_load(&held));
    CHECK(hsp_cross_validate(ctx, data, options, NULL, NULL, &found) == HSP_OK);
    *error = found ? hsp_validation_held_out(found)->error : (double)NAN;
    hsp_validation_free(found);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
    return (int64_t)atomic_load(&most);
}

static void folds_side_by_side_keep_to_the_limit(void)
{
    double one, four;
    const int64_t alone = validate(1, "4", &one), together = validate(4, "4", &four);
    CHECK(alone > 1 << 20);
    CHECK_NOTE(together <= alone + (4 << 20), "%lld and %lld bytes", (long long)alone,
               (long long)together); /* four caches were 12 MB more; threads have scratch */
    CHECK(one == four);
    CHECK(atomic_load(&held) == 0);
}

/* Room for products, and none: what is found is the same but for how near to the gap it stops. */
static void tuning_shares_and_finds_the_same(void)
{
    static const char *const megabytes[] = {"1000", "24"};
    hsp_context *ctx = NULL;
    double errors[2][3] = {{0}};
    if (hsp_context_new(NULL, &ctx)) abort();
    hsp_data *data = rings(ctx);
    for (int k = 0; k < 2; k++) {
        hsp_options *options = machine(ctx, megabytes[k]), *tune = NULL;
        hsp_tuning *found = NULL;
        CHECK(hsp_options_set(options, "gap", "1e-5", NULL) == HSP_OK);
        CHECK(hsp_options_new(ctx, hsp_tune_options(), NULL, &tune) == HSP_OK);
        CHECK(hsp_options_set(tune, "tune", "kernel=rbf(0.5),rbf(2),rbf(8)", NULL) == HSP_OK);
        CHECK(hsp_options_set(tune, "folds", "3", NULL) == HSP_OK);
        CHECK(hsp_tune(ctx, data, options, tune, NULL, &found, NULL, NULL) == HSP_OK);
        for (uint64_t p = 0; found && p < 3; p++)
            errors[k][p] = hsp_tuning_held_out(found, p)->error;
        hsp_tuning_free(found);
        hsp_options_free(options);
        hsp_options_free(tune);
    }
    for (int p = 0; p < 3; p++)
        CHECK_NOTE(fabs(errors[0][p] - errors[1][p]) <= 0.002 && errors[0][p] > 0, "%d: %g and %g",
                   p, errors[0][p], errors[1][p]);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(folds_side_by_side_keep_to_the_limit);
    RUN(tuning_shares_and_finds_the_same);
    return check_done();
}
