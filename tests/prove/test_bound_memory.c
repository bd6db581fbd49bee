/* Memory that runs out under bounds and certificates: the n-th allocation fails, n = 1, 2, 3 ...,
 * alone or with all that follow. The call then says so or does without it; no block is left behind,
 * and an output is untouched unless the call succeeded. */
#include <math.h>
#include <stdatomic.h>

#include "base/context.h"
#include "helpers.h"

static atomic_llong live;
static atomic_ullong asked;
static unsigned long long fail_at;
static int fail_only;

static void *memory_reallocate(void *user, void *pointer, size_t size)
{
    const unsigned long long number = atomic_fetch_add(&asked, 1) + 1;
    (void)user;
    if (fail_at && (fail_only ? number == fail_at : number >= fail_at)) return NULL;
    void *block = realloc(pointer, size);
    if (block && !pointer) atomic_fetch_add(&live, 1);
    return block;
}

static void memory_release(void *user, void *pointer)
{
    (void)user;
    if (pointer) atomic_fetch_sub(&live, 1);
    free(pointer);
}

typedef struct memory_scene {
    hsp_context *ctx;
    hsp_data *train, *test;
    hsp_model *model;
    hsp_options *simulate;
    hsp_error_report *outlook;
    hsp_simulation *simulation;
    hsp_certificate *certificate;
    const char *path;    /* of a file that is certified */
    hsp_options *claims; /* what about it */
} memory_scene;

static hsp_status memory_call_outlook(memory_scene *s, hsp_error *err)
{
    return hsp_error_report_new(s->ctx, s->model, s->train, s->test, NULL, err, &s->outlook);
}

static hsp_status memory_call_simulate(memory_scene *s, hsp_error *err)
{
    return hsp_simulation_new(s->ctx, s->simulate, err, &s->simulation);
}

static hsp_status memory_call_certify(memory_scene *s, hsp_error *err)
{
    return hsp_certify(s->ctx, s->path, NULL, s->model, s->claims, err, &s->certificate);
}

static void memory_clear(memory_scene *s)
{
    hsp_certificate_free(s->certificate);
    s->certificate = NULL;
    hsp_error_report_free(s->outlook);
    hsp_simulation_free(s->simulation);
    s->outlook = NULL;
    s->simulation = NULL;
}

static void memory_walk(memory_scene *s, hsp_status (*call)(memory_scene *, hsp_error *), int only)
{
    int done = 0;
    for (unsigned long long at = 1; !done && at < 20000; at++) {
        const long long before = atomic_load(&live);
        hsp_error err = {0};
        atomic_store(&asked, 0);
        fail_at = at;
        fail_only = only;
        const hsp_status status = call(s, &err);
        const int reached = atomic_load(&asked) >= at;
        fail_at = 0;
        CHECK_NOTE(status == HSP_OK || status == HSP_NO_MEMORY, "allocation %llu: %s", at,
                   err.message);
        CHECK(status == HSP_OK ||
              (!s->outlook && !s->simulation && !s->certificate && err.status == HSP_NO_MEMORY));
        memory_clear(s);
        CHECK_NOTE(atomic_load(&live) == before, "allocation %llu left blocks behind", at);
        done = !reached;
    }
    CHECK(done);
}

static void memory_train(memory_scene *s, const char *name, const char *option, const char *value)
{
    hsp_options *options = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_model_free(s->model);
    s->model = NULL;
    CHECK(!hsp_options_for(s->ctx, name, NULL, &options));
    if (option) CHECK(!hsp_options_set(options, option, value, NULL));
    CHECK(!hsp_train(s->ctx, s->train, options, NULL, &run, &s->model));
    hsp_options_free(options);
}

static memory_scene scene;

static void linear(void)
{
    memory_train(&scene, "svm", NULL, NULL);
    memory_walk(&scene, memory_call_outlook, 0);
    memory_walk(&scene, memory_call_outlook, 1);
}

static void kernel(void)
{
    memory_train(&scene, "perceptron", "kernel", "rbf(0.5)");
    memory_walk(&scene, memory_call_outlook, 1);
}

static void scaled(void)
{
    memory_train(&scene, "perceptron", "scale", "standard");
    memory_walk(&scene, memory_call_outlook, 0);
}

static void simulated(void)
{
    CHECK(!hsp_options_new(scene.ctx, hsp_simulation_options(), NULL, &scene.simulate));
    CHECK(!hsp_options_set(scene.simulate, "trials", "1", NULL));
    CHECK(!hsp_options_set(scene.simulate, "rows", "8", NULL));
    CHECK(!hsp_options_set(scene.simulate, "test-rows", "3", NULL));
    memory_walk(&scene, memory_call_simulate, 0);
    memory_walk(&scene, memory_call_simulate, 1);
    hsp_options_free(scene.simulate);
}

/* Two of three columns are on: with a bound, and with one that delta is too large for. */
static void winnow(void)
{
    static const char *const runs[][2] = {
        {"delta", "0.5"}, {"delta", "1"}, {"variant", "balanced"}, {"variant", "winnow1"}};
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file file = file_of("-1\n-1 3:1\n-1 2:1\n1 2:1 3:1\n-1 1:1\n1 1:1 3:1\n1 1:1 2:1\n");
    memory_scene own = {.ctx = scene.ctx, .path = file.path};
    CHECK(!hsp_data_read(own.ctx, file.path, NULL, NULL, NULL, &own.train));
    own.claims = options_of(own.ctx, hsp_certify_options(), "claim", "mistakes", NULL);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        memory_train(&own, "winnow", runs[i][0], runs[i][1]);
        memory_walk(&own, memory_call_certify, i % 2 == 0);
    }
    hsp_options_free(own.claims);
    hsp_model_free(own.model);
    hsp_data_free(own.train);
    file_free(&file);
}

int main(void)
{
    static const char train[] = "1 1:1 2:2\n-1 1:-3\n1 2:5\n-1 1:-4 2:1\n-1 2:-2\n1 1:3\n";
    static const char test[] = "1 1:2\n-1 1:-1\n1 2:7\n";
    const hsp_allocator memory = {memory_reallocate, memory_release, NULL};
    if (hsp_context_new(&memory, &scene.ctx) != HSP_OK) return 1;
    hsp_context_set_threads(scene.ctx, 1);
    if (hsp_data_parse(scene.ctx, train, sizeof train - 1, "a", NULL, NULL, NULL, &scene.train) ||
        hsp_data_parse(scene.ctx, test, sizeof test - 1, "b", NULL, NULL, NULL, &scene.test))
        return 1;
    RUN(linear);
    RUN(kernel);
    RUN(scaled);
    RUN(simulated);
    RUN(winnow);
    hsp_model_free(scene.model);
    hsp_data_free(scene.train);
    hsp_data_free(scene.test);
    hsp_context_free(scene.ctx);
    return check_done();
}
