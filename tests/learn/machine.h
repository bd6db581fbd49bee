/* What tests of minimising learners share: data by hand and by chance, options as text. */
#ifndef HSP_TESTS_LEARN_MACHINE_H
#define HSP_TESTS_LEARN_MACHINE_H

#include <math.h>
#include <stdatomic.h>

#include "base/random.h"
#include "check.h"
#include "halfspace_all.h"
#include "options.h"

enum { MACHINE_ROWS = 160, MACHINE_COLS = 8 };

/* Labelled rows; classes are "a", "b", "c", ... */
typedef struct machine_set {
    uint64_t n, d;
    uint32_t classes;
    double x[MACHINE_ROWS * MACHINE_COLS]; /* n * d */
    uint32_t label[MACHINE_ROWS];
} machine_set;

static inline hsp_data *machine_data(hsp_context *ctx, const machine_set *set)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const char *const columns[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};
    hsp_view view = hsp_view_dense(HSP_FLOAT64, set->n, set->d, set->d, set->x);
    hsp_data *data = NULL;
    view.labels = set->label;
    view.classes = set->classes;
    if (hsp_data_copy(ctx, &view, names, columns, NULL, &data)) abort();
    return data;
}

/* "C=2 loss=squared hard=yes": options of a learner by its name. */
static inline hsp_options *machine_options(hsp_context *ctx, const char *learner,
                                           const char *settings)
{
    return test_options(ctx, hsp_learner_find(learner), settings);
}

static inline hsp_model *machine_train_from(hsp_context *ctx, hsp_data *data, const char *learner,
                                            const char *settings, const hsp_model *start,
                                            hsp_training *run)
{
    hsp_options *options = machine_options(ctx, learner, settings);
    hsp_error err = {0};
    hsp_model *model = NULL;
    hsp_status status = hsp_train_from(ctx, data, options, start, &err, run, &model);
    CHECK_NOTE(status == HSP_OK, "%s %s: %s", learner, settings, err.message);
    hsp_options_free(options);
    return model;
}

static inline hsp_model *machine_train(hsp_context *ctx, hsp_data *data, const char *learner,
                                       const char *settings, hsp_training *run)
{
    return machine_train_from(ctx, data, learner, settings, NULL, run);
}

/* A call that must fail, with a sentence that holds `part`. */
static inline void machine_refused(hsp_context *ctx, hsp_data *data, const char *learner,
                                   const char *settings, hsp_status wanted, const char *part)
{
    hsp_options *options = machine_options(ctx, learner, settings);
    hsp_error err = {0};
    hsp_model *model = NULL;
    hsp_status status = hsp_train(ctx, data, options, &err, NULL, &model);
    CHECK_NOTE(status == wanted && strstr(err.message, part) != NULL, "%s: %d %s", settings,
               (int)status, err.message);
    CHECK(model == NULL);
    hsp_options_free(options);
    hsp_model_free(model);
}

/* Rows around a centre a class, `apart` from the others, of spread 1. */
static inline void machine_random(machine_set *set, uint64_t n, uint64_t d, uint32_t classes,
                                  double apart, uint64_t seed)
{
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    *set = (machine_set){.n = n, .d = d, .classes = classes};
    for (uint64_t i = 0; i < n; i++) {
        set->label[i] = (uint32_t)(i < classes ? i : hsp__random_below(&random, classes));
        for (uint64_t j = 0; j < d; j++)
            set->x[i * d + j] =
                hsp__random_normal(&random) + (j % classes == set->label[i] ? apart : 0);
    }
}

static inline int machine_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

/* ||w - v|| / max(1, ||w||) over all scorers, offsets included. */
static inline double machine_distance(const hsp_model *a, const hsp_model *b)
{
    double apart = 0, size = 0;
    for (uint32_t c = 0; c < hsp_model_scorers(a); c++) {
        for (uint64_t j = 0; j < hsp_model_features(a); j++) {
            const double x = hsp_model_weights(a, c)[j], y = hsp_model_weights(b, c)[j];
            apart += (x - y) * (x - y);
            size += x * x;
        }
        const double x = hsp_model_offset(a, c), y = hsp_model_offset(b, c);
        apart += (x - y) * (x - y);
    }
    return sqrt(apart) / fmax(1, sqrt(size));
}

static inline int machine_same_bits(const hsp_model *a, const hsp_model *b)
{
    const uint64_t count = hsp_model_scorers(a) * hsp_model_features(a);
    if (hsp_model_scorers(a) != hsp_model_scorers(b) ||
        hsp_model_features(a) != hsp_model_features(b))
        return 0;
    for (uint32_t c = 0; c < hsp_model_scorers(a); c++) {
        const double x = hsp_model_offset(a, c), y = hsp_model_offset(b, c);
        if (memcmp(&x, &y, sizeof x) != 0) return 0;
    }
    return memcmp(hsp_model_weights(a, 0), hsp_model_weights(b, 0), count * sizeof(double)) == 0;
}

/* max |w - sum a y x| over all scorers, from the dual weights that a model keeps. */
static inline double machine_rebuilt(const machine_set *set, const hsp_model *model)
{
    const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
    double most = 0;
    for (uint32_t c = 0; c < hsp_model_scorers(model); c++)
        for (uint64_t j = 0; j < set->d; j++) {
            double sum = 0;
            for (uint64_t k = 0; k < kept.count; k++)
                if (kept.scorer[k] == c) sum += kept.amount[k] * set->x[kept.row[k] * set->d + j];
            most = fmax(most, fabs(sum - hsp_model_weights(model, c)[j]));
        }
    return most;
}

/* ---- Memory that runs out -------------------------------------------------------------------- */

typedef struct machine_memory {
    atomic_llong live;
    atomic_ullong asked;
    uint64_t fail_at; /* from this one on none is given; 0: all are */
} machine_memory;

static inline void *machine_reallocate(void *user, void *pointer, size_t size)
{
    machine_memory *memory = user;
    const uint64_t number = atomic_fetch_add(&memory->asked, 1) + 1;
    if (memory->fail_at && number >= memory->fail_at) return NULL;
    void *block = realloc(pointer, size);
    if (block && !pointer) atomic_fetch_add(&memory->live, 1);
    return block;
}

static inline void machine_release(void *user, void *pointer)
{
    machine_memory *memory = user;
    if (pointer) atomic_fetch_sub(&memory->live, 1);
    free(pointer);
}

/* The first allocation of a training fails, then the second ... until it succeeds: it says so,
 * keeps nothing, and hands nothing over. */
static inline void machine_starve(const machine_set *set, const char *learner, const char *settings)
{
    machine_memory memory = {0};
    const hsp_allocator allocator = {machine_reallocate, machine_release, &memory};
    hsp_context *ctx = NULL;
    if (hsp_context_new(&allocator, &ctx)) abort();
    hsp_data *data = machine_data(ctx, set);
    hsp_options *options = machine_options(ctx, learner, settings);
    hsp_status status = HSP_NO_MEMORY;
    const long long before = memory.live;
    for (uint64_t n = 1; status == HSP_NO_MEMORY && n < 2000; n++) {
        hsp_training run = {.size = sizeof run};
        hsp_model *model = NULL;
        hsp_context_set_threads(ctx, n % 2 ? 1 : 2);
        atomic_store(&memory.asked, 0);
        memory.fail_at = n;
        status = hsp_train(ctx, data, options, NULL, &run, &model);
        memory.fail_at = 0;
        CHECK_NOTE(status == HSP_NO_MEMORY || status == HSP_OK, "%s, allocation %d: status %d",
                   settings, (int)n, (int)status);
        CHECK(!status || !(model || run.evidence));
        CHECK(status || model || run.evidence);
        hsp_model_free(model);
        hsp_evidence_free(run.evidence);
        CHECK_NOTE(memory.live == before, "%s, allocation %d: %lld blocks left", settings, (int)n,
                   (long long)memory.live - before);
    }
    CHECK(status == HSP_OK);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

#endif
