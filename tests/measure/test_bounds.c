/* Runs of the library's perceptron, thousands of them, with every option drawn at random: no
 * theorem that applies is ever broken. And memory that runs out in the two calls of this room. */
#include <stdatomic.h>

#include "data/convert_storage.h"
#include "helpers.h"

static hsp_context *ctx;

/* ---- Drawing data and options ---- */

static const char *pick(hsp__random *random, const char *const *words)
{
    uint64_t count = 0;
    while (words[count])
        count++;
    return words[hsp__random_below(random, count)];
}

/* 2 to 40 rows of three classes "a", "b" and "c"; a and b are apart by a margin when `separable`.
 */
static hsp_data *draw_data(hsp__random *random, int separable, double *u, double *b)
{
    static const char *const names[] = {"a", "b", "c"};
    double x[40 * 4];
    uint32_t labels[40];
    const uint64_t rows = 2 + hsp__random_below(random, 39);
    const uint64_t cols = 1 + hsp__random_below(random, 4);
    double size = 0;
    for (uint64_t j = 0; j < cols; j++) {
        u[j] = hsp__random_normal(random);
        size = fmax(size, fabs(u[j]));
    }
    *b = size * hsp__random_normal(random) * (double)hsp__random_below(random, 2);
    for (uint64_t i = 0; i < rows; i++) {
        double s;
        do {
            s = *b;
            for (uint64_t j = 0; j < cols; j++) {
                x[i * cols + j] = round(8 * hsp__random_normal(random)) / 4;
                s += x[i * cols + j] * u[j];
            }
        } while (fabs(s) < 0.1 * size);
        labels[i] = s > 0;
        if (!separable && hsp__random_below(random, 5) == 0) labels[i] = !labels[i];
        if (i > 1 && hsp__random_below(random, 8) == 0) labels[i] = 2;
    }
    labels[0] = 0; /* both classes are there; whether they are separable then is no matter */
    labels[1] = 1;
    hsp_data *data = test_data(ctx, rows, cols, x, labels, 3, names), *other = NULL;
    const hsp__storage_change plan = {
        .storage = hsp__random_below(random, 2) ? HSP_SPARSE : HSP_DENSE,
        .precision = hsp__random_below(random, 2) ? HSP_FLOAT32 : HSP_FLOAT64,
        .cols = cols,
        .phase = "test"};
    if (hsp__data_convert_storage(ctx, data, &plan, NULL, &other)) abort();
    hsp_data_free(data);
    return other;
}

static void set(hsp_options *options, const char *name, const char *value)
{
    hsp_error err = {0};
    CHECK_NOTE(hsp_options_set(options, name, value, &err) == HSP_OK, "%s", err.message);
}

static hsp_options *new_options(void)
{
    hsp_options *options = NULL;
    if (hsp_options_for(ctx, "perceptron", NULL, &options)) abort();
    return options;
}

static hsp_options *draw_options(hsp__random *random, int sparse)
{
#define WORDS(...) pick(random, (const char *const[]){__VA_ARGS__, NULL})
    hsp_options *options = new_options();
    set(options, "offset", WORDS("none", "none", "unit", "r2", "append"));
    if (strcmp(hsp_options_text(options, "offset"), "append") == 0)
        set(options, "constant", WORDS("1", "0.3", "2.5"));
    set(options, "order", WORDS("cyclic", "shuffle", "first", "worst", "random"));
    set(options, "passes", WORDS("until-converged", "1", "2", "7"));
    set(options, "max-passes", "300");
    set(options, "max-updates", WORDS("0", "0", "0", "5"));
    set(options, "average", WORDS("none", "none", "average", "vote"));
    set(options, "margin-target", WORDS("0", "0", "0.7", "0.1r"));
    set(options, "soft", WORDS("0", "0", "0.5", "3"));
    set(options, "rate", WORDS("1", "1", "0.1", "5"));
    set(options, "normalize", WORDS("none", "rows", "ball"));
    set(options, "scale",
        sparse ? WORDS("none", "max-abs")
               : WORDS("none", "none", "min-max", "standard", "max-abs"));
    set(options, "tie", WORDS("neg", "pos", "zero"));
    set(options, "seed", WORDS("1", "2", "3"));
    if (hsp__random_below(random, 2))
        set(options, "classes", WORDS("a,b", "b,a"));
    else
        set(options, "positive", WORDS("a", "b"));
    return options;
#undef WORDS
}

/* A separator for the same rows: another run, to convergence where there is one. */
static hsp_model *draw_reference(hsp_data *data, const hsp_options *options)
{
    static const char *const same[] = {"normalize", "scale", "classes", "positive", "offset"};
    hsp_options *own = new_options();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (hsp_options_text(options, same[i]))
            set(own, same[i], hsp_options_text(options, same[i]));
    set(own, "passes", "until-converged");
    set(own, "max-passes", "300");
    set(own, "margin-target", "0.5r");
    hsp_model *model = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_train(ctx, data, own, &err, NULL, &model) == HSP_OK, "%s", err.message);
    hsp_options_free(own);
    return model;
}

/* ---- No bound is ever exceeded ---- */

enum { ENTRIES = 11 };

static void check_bounds(const hsp_mistake_bound *bounds, size_t count, uint64_t seed,
                         uint64_t applied[ENTRIES])
{
    CHECK(count == ENTRIES);
    for (size_t i = 0; i < count && i < ENTRIES; i++) {
        applied[i] += (uint64_t)bounds[i].applies;
        CHECK_NOTE(bounds[i].held, "seed %llu: %s: %.17g against %.17g (%s)",
                   (unsigned long long)seed, bounds[i].name, bounds[i].observed, bounds[i].bound,
                   bounds[i].why);
    }
}

static void audit_one(uint64_t seed, uint64_t applied[ENTRIES])
{
    hsp__random random;
    hsp__random_seed(&random, 40, seed);
    double u[4], b;
    hsp_data *data = draw_data(&random, hsp__random_below(&random, 3) != 0, u, &b);
    hsp_options *options = draw_options(&random, hsp_data_storage(data) != HSP_DENSE);
    hsp_model *model = NULL, *reference = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_error err = {0};
    CHECK_NOTE(hsp_train(ctx, data, options, &err, &run, &model) == HSP_OK, "seed %llu: %s",
               (unsigned long long)seed, err.message);
    if (model) reference = draw_reference(data, options);
    /* A run that learned nothing from zero rows has a reference of zeros: nothing to compare with.
     */
    double size = 0;
    for (uint64_t j = 0; reference && j < hsp_model_features(reference); j++)
        size += fabs(hsp_model_weights(reference, 0)[j]);
    if (size > 0) {
        hsp_mistake_bound *bounds = NULL;
        size_t count = 0;
        hsp_status status = hsp_audit(ctx, model, data, reference, &err, &bounds, &count);
        CHECK_NOTE(status == HSP_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
        if (!status) check_bounds(bounds, count, seed, applied);
        hsp_mistake_bounds_free(bounds);
    }
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_model_free(reference);
    hsp_data_free(data);
}

static void test_no_bound_exceeded(void)
{
    uint64_t applied[ENTRIES] = {0};
    for (uint64_t seed = 0; seed < 6000; seed++)
        audit_one(seed, applied);
    for (size_t i = 0; i < ENTRIES; i++)
        CHECK_NOTE(applied[i] >= 40, "entry %zu applied %llu times", i,
                   (unsigned long long)applied[i]);
}

/* The same figures on any number of threads. */
static void test_threads(void)
{
    hsp_mistake_bound *first = NULL;
    for (int t = 0; t < 3; t++) {
        hsp__random random;
        hsp__random_seed(&random, 41, 3);
        double u[4], b;
        hsp_context_set_threads(ctx, t == 0 ? 1 : t == 1 ? 2 : 7);
        hsp_data *data = draw_data(&random, 1, u, &b);
        hsp_options *options = new_options();
        set(options, "classes", "a,b");
        hsp_model *model = NULL;
        CHECK(hsp_train(ctx, data, options, NULL, NULL, &model) == HSP_OK);
        hsp_model *reference = draw_reference(data, options);
        hsp_mistake_bound *bounds = NULL;
        size_t count = 0;
        CHECK(hsp_audit(ctx, model, data, reference, NULL, &bounds, &count) == HSP_OK);
        for (size_t i = 0; first && bounds && i < count; i++) {
            CHECK(memcmp(&first[i].bound, &bounds[i].bound, sizeof(double)) == 0);
            CHECK(memcmp(&first[i].observed, &bounds[i].observed, sizeof(double)) == 0);
            CHECK_TEXT(bounds[i].why, first[i].why);
        }
        if (!first)
            first = bounds;
        else
            hsp_mistake_bounds_free(bounds);
        hsp_options_free(options);
        hsp_model_free(model);
        hsp_model_free(reference);
        hsp_data_free(data);
    }
    hsp_mistake_bounds_free(first);
    hsp_context_set_threads(ctx, 2);
}

/* ---- Memory that runs out ---- */

typedef struct counter {
    atomic_llong live, asked;
    long long fail_at; /* 0: none; that one and all later ones fail */
} counter;

static void *counter_reallocate(void *user, void *pointer, size_t size)
{
    counter *memory = user;
    const long long number = atomic_fetch_add(&memory->asked, 1) + 1;
    if (memory->fail_at && number >= memory->fail_at) return NULL;
    void *block = realloc(pointer, size);
    if (block && !pointer) atomic_fetch_add(&memory->live, 1);
    return block;
}

static void counter_release(void *user, void *pointer)
{
    counter *memory = user;
    if (pointer) atomic_fetch_sub(&memory->live, 1);
    free(pointer);
}

static hsp_status measure_both(hsp_context *poor, const hsp_model *model, hsp_data *data,
                               const hsp_model *reference, int audit, hsp_error *err)
{
    if (audit) {
        hsp_mistake_bound *bounds = NULL;
        size_t count = 77;
        hsp_status status = hsp_audit(poor, model, data, reference, err, &bounds, &count);
        CHECK(status ? !bounds && count == 77 : bounds && count == ENTRIES);
        hsp_mistake_bounds_free(bounds);
        return status;
    }
    hsp_evaluation e = {.size = sizeof e, .n = 77};
    uint64_t confusion[4] = {5, 5, 5, 5};
    hsp_status status = hsp_evaluate(poor, model, data, err, &e, confusion);
    CHECK(status ? e.n == 77 && confusion[3] == 5 : e.n != 77);
    return status;
}

static void test_memory(void)
{
    hsp__random random;
    hsp__random_seed(&random, 42, 1);
    counter memory = {.fail_at = 0};
    const hsp_allocator allocator = {counter_reallocate, counter_release, &memory};
    hsp_context *rich = ctx, *poor = NULL;
    if (hsp_context_new(&allocator, &poor)) abort();
    hsp_context_set_threads(poor, 2);
    ctx = poor; /* so that the objects' own memory is counted too */
    double u[4], b;
    hsp_data *data = draw_data(&random, 1, u, &b);
    hsp_options *options = new_options();
    set(options, "classes", "a,b");
    set(options, "normalize", "rows");
    hsp_model *model = NULL;
    CHECK(hsp_train(poor, data, options, NULL, NULL, &model) == HSP_OK);
    hsp_model *reference = draw_reference(data, options);
    for (int audit = 0; audit < 2; audit++) {
        hsp_status status = HSP_NO_MEMORY;
        const long long before = atomic_load(&memory.live);
        for (long long at = 1; status != HSP_OK && at < 1000; at++) {
            hsp_error err = {0};
            atomic_store(&memory.asked, 0);
            memory.fail_at = at;
            status = measure_both(poor, model, data, reference, audit, &err);
            memory.fail_at = 0;
            CHECK(status == HSP_OK || (status == HSP_NO_MEMORY && err.status == HSP_NO_MEMORY));
            CHECK(atomic_load(&memory.live) == before);
        }
        CHECK(status == HSP_OK);
    }
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_model_free(reference);
    hsp_data_free(data);
    ctx = rich;
    hsp_context_free(poor);
    CHECK(atomic_load(&memory.live) == 0);
}

int main(void)
{
    ctx = test_context(2, 0);
    RUN(test_no_bound_exceeded);
    RUN(test_threads);
    RUN(test_memory);
    hsp_context_free(ctx);
    return check_done();
}
