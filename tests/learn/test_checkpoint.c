/* Checkpoints: runs that are stopped again and again, wherever that is, and go on each time, end with
 * the bytes of a run that was not stopped. The context asks at every tick here, so that nothing
 * depends on how fast the machine is. */
#include <unistd.h>

#include "base/stop.h"
#include "machine.h"

static const struct {
    const char *learner, *settings;
    uint32_t classes;
    int sparse; /* rows; several problems are solved together */
} runs[] = {
    {"perceptron", "passes=60", 2, 0},
    {"perceptron", "passes=40 average=average order=shuffle soft=0.5", 2, 0},
    {"perceptron", "passes=20 average=vote", 2, 0},
    {"perceptron", "passes=2 order=random", 2, 0},
    {"perceptron", "passes=20", 3, 0},
    {"perceptron", "passes=20 multiclass=ovr average=average", 3, 0},
    {"perceptron", "passes=20 multiclass=ovr average=vote", 3, 0},
    {"perceptron", "passes=20 multiclass=ovo", 3, 0},
    {"winnow", "passes=40 scale=min-max", 2, 0},
    {"winnow", "passes=20 scale=min-max variant=balanced multiclass=ovr average=average", 3, 0},
    {"svm", "gap=1e-9 solver=newton", 2, 0},
    {"svm", "gap=1e-9 solver=newton loss=squared", 2, 0},
    {"svm", "gap=1e-9 solver=newton C=1e4", 2, 0},
    {"svm", "gap=1e-9 solver=newton C=1e4 loss=squared offset=regularized", 2, 0},
    {"svm", "gap=1e-5 solver=auto C=1e3", 3, 0},
    {"svm", "gap=1e-6 solver=dcd", 2, 0},
    {"svm", "gap=1e-6 solver=dcd loss=squared offset=none", 2, 0},
    {"svm", "gap=1e-6 solver=dcd multiclass=ovr keep-dual=yes", 3, 0},
    {"svm", "gap=1e-2 solver=pegasos max-passes=200", 2, 0},
    {"svm", "gap=1e-2 solver=pegasos max-passes=100 average=none offset=regularized", 3, 0},
    {"svm", "gap=1e-6 loss=squared penalty=l1", 2, 0},
    {"svm", "gap=1e-6 multiclass=ovo keep-dual=yes", 3, 0},
    {"svm", "gap=1e-4 calibrate=platt", 2, 0},
    {"svm", "gap=1e-4 kernel=rbf(0.2) approx=nystrom:20", 3, 0},
    {"svm", "gap=1e-6 solver=dcd", 6, 1},
    {"svm", "gap=1e-7 solver=dcd loss=squared offset=regularized keep-dual=yes", 4, 1},
    {"perceptron", "passes=20 multiclass=ovr order=shuffle", 6, 1},
    {"perceptron", "passes=20 average=average", 6, 1},
    {"winnow", "passes=20 scale=max-abs variant=balanced multiclass=ovr", 4, 1},
    {"logistic", "gap=1e-9 solver=newton", 2, 0},
    {"logistic", "gap=1e-7 solver=dcd", 2, 0},
    {"logistic", "gap=1e-7 solver=dcd offset=regularized multiclass=ovr", 3, 0},
};

/* The rows without their small numbers. */
static hsp_data *sparse_data(hsp_context *ctx, const machine_set *set)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    uint64_t starts[MACHINE_ROWS + 1] = {0}, at = 0;
    uint32_t indices[MACHINE_ROWS * MACHINE_COLS];
    double values[MACHINE_ROWS * MACHINE_COLS];
    hsp_data *data = NULL;
    for (uint64_t i = 0; i < set->n; i++) {
        for (uint32_t j = 0; j < set->d; j++) {
            const double x = fabs(set->x[i * set->d + j]);
            if (x > 0.3) indices[at] = j, values[at++] = fmin(x, 1);
        }
        starts[i + 1] = at;
    }
    hsp_view view = hsp_view_sparse(HSP_FLOAT64, set->n, set->d, 8, starts, indices, values);
    view.labels = set->label;
    view.classes = set->classes;
    if (hsp_data_copy(ctx, &view, names, NULL, NULL, &data)) abort();
    return data;
}

static int stop_at; /* the call of the callback that asks to stop, and all after it; 0: none */
static int calls;

static int count_calls(void *user, const hsp_progress *progress)
{
    (void)user, (void)progress;
    return ++calls >= stop_at && stop_at > 0;
}

static int notes; /* that a run goes on */

static void count_notes(void *user, hsp_log_level level, const char *sentence)
{
    (void)user;
    notes += level == HSP_LOG_NOTE && strstr(sentence, "goes on from") != NULL;
}

typedef struct packed {
    char bytes[1 << 18];
    size_t size;
} packed;

static int pack(void *user, const void *bytes, size_t size)
{
    packed *to = user;
    if (size > sizeof to->bytes - to->size) abort();
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return 0;
}

static void pack_model(hsp_context *ctx, hsp_model *model, packed *to)
{
    to->size = 0;
    hsp_context_set_progress(ctx, NULL, NULL);
    CHECK(model != NULL);
    if (model) CHECK(hsp_model_pack(ctx, model, pack, to, NULL) == HSP_OK);
    hsp_model_free(model);
}

/* Stop at the call number `each`, go on and stop at the call 2 `each`, and so on to the end. */
static int stop_and_go_on(hsp_context *ctx, hsp_data *data, const hsp_options *options, int each,
                          const char *path, packed *to)
{
    hsp_status status = HSP_CANCELLED;
    hsp_model *model = NULL;
    hsp_error err = {0};
    unlink(path);
    notes = 0;
    for (int k = 1; status == HSP_CANCELLED && k < 1000; k++) {
        hsp_model_free(model);
        model = NULL;
        calls = 0;
        stop_at = k * each;
        hsp_context_set_progress(ctx, count_calls, NULL);
        hsp_context_set_checkpoint(ctx, path, 0);
        status = hsp_train(ctx, data, options, &err, NULL, &model);
        hsp_context_set_checkpoint(ctx, NULL, 0);
    }
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
    pack_model(ctx, model, to);
    /* once more, from what the last of them left */
    static packed again;
    model = NULL;
    hsp_context_set_checkpoint(ctx, path, 0);
    CHECK(hsp_train(ctx, data, options, NULL, NULL, &model) == HSP_OK);
    hsp_context_set_checkpoint(ctx, NULL, 0);
    pack_model(ctx, model, &again);
    CHECK(again.size == to->size && memcmp(again.bytes, to->bytes, to->size) == 0);
    hsp_checkpoint_remove(ctx, path);
    CHECK(access(path, F_OK) != 0);
    return notes;
}

static void stopped_and_gone_on(void)
{
    static packed whole, again;
    char path[] = "/dev/shm/halfspace-checkpoint-XXXXXX"; /* where writing takes no time */
    int file = mkstemp(path);
    if (file < 0) file = mkstemp(strcpy(path, "/tmp/halfspace-checkpoint-XXXXXX"));
    if (file < 0) abort();
    close(file);
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        hsp_context *ctx = NULL;
        machine_set set;
        hsp_model *model = NULL;
        if (hsp_context_new(NULL, &ctx)) abort();
        ctx->tick_seconds = 0;
        hsp_context_set_threads(ctx, 1);
        hsp_context_set_log(ctx, count_notes, NULL);
        machine_random(&set, 120, 4, runs[r].classes, 1, 7);
        hsp_data *data = runs[r].sparse ? sparse_data(ctx, &set) : machine_data(ctx, &set);
        hsp_options *options = machine_options(ctx, runs[r].learner, runs[r].settings);
        stop_at = calls = 0;
        hsp_context_set_progress(ctx, count_calls, NULL);
        CHECK(hsp_train(ctx, data, options, NULL, NULL, &model) == HSP_OK);
        const int all = calls;
        pack_model(ctx, model, &whole);
        for (int part = 3; part <= 30; part += 9) {
            const int went_on = stop_and_go_on(ctx, data, options, all / part + 1, path, &again);
            CHECK_NOTE(went_on > 0, "%s %s: never went on", runs[r].learner, runs[r].settings);
            CHECK_NOTE(again.size == whole.size &&
                           memcmp(again.bytes, whole.bytes, whole.size) == 0,
                       "%s %s, stopped every %d calls of %d: another model", runs[r].learner,
                       runs[r].settings, all / part + 1, all);
        }
        hsp_options_free(options);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
}

int main(void)
{
    RUN(stopped_and_gone_on);
    return check_done();
}
