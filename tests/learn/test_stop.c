/* Runs that are stopped: wherever that is, what they hand out and say is true; and they are asked
 * often enough. The context asks at every tick here, not every 20 ms, so that nothing depends on
 * how fast the machine is. */
#include <time.h>

#include "base/stop.h"
#include "machine.h"

static const struct {
    const char *learner, *settings;
    uint32_t classes;
} runs[] = {
    {"svm", "gap=1e-6", 2},
    {"svm", "gap=1e-6", 3},
    {"svm", "gap=1e-6 solver=dcd", 2},
    {"svm", "gap=1e-2 solver=pegasos max-passes=40", 2},
    {"svm", "gap=1e-6 loss=squared penalty=l1", 2},
    {"svm", "gap=1e-6 multiclass=ovo", 3},
    {"svm", "gap=1e-4 multiclass=crammer-singer", 3},
    {"svm", "gap=1e-4 kernel=rbf(0.2)", 2},
    {"svm", "gap=1e-4 kernel=rbf(0.2)", 3},
    {"svm", "gap=1e-4 kernel=rbf(0.2) approx=nystrom:40", 3},
    {"svm", "gap=1e-3 kernel=rbf(0.2) approx=fourier:40 calibrate=platt", 2},
    {"svm", "gap=1e-3 calibrate=platt", 2},
    {"svm", "hard=yes", 2},
    {"logistic", "gap=1e-6", 3},
    {"lp", "soft=yes", 2},
    {"experts", "passes=5 votes=sign", 2},
    {"perceptron", "passes=20", 3},
    {"perceptron", "passes=5 kernel=rbf(0.2)", 2},
    {"perceptron", "passes=5 kernel=rbf(0.2) approx=nystrom:20 average=vote", 2},
    {"winnow", "passes=5 scale=min-max", 2},
    {"knn", "k=auto", 3},
};

static int stop_at; /* the call of the callback that asks to stop, and all after it; 0: none */
static int calls;

static int count_calls(void *user, const hsp_progress *progress)
{
    (void)user;
    CHECK(progress->phase[0] && (isnan(progress->gap) || progress->gap >= 0));
    return ++calls >= stop_at && stop_at > 0;
}

/* The error of a model on its training rows, counted by the library's own scoring. */
static double error_of(hsp_context *ctx, const hsp_model *model, hsp_data *data)
{
    const hsp_view *view = NULL;
    uint64_t wrong = 0;
    double scores[MACHINE_ROWS * 8];
    uint32_t classes[MACHINE_ROWS];
    if (hsp_data_view(ctx, data, NULL, &view) ||
        hsp_model_score(ctx, model, view, NULL, scores, classes))
        abort();
    for (uint64_t i = 0; i < view->rows; i++)
        wrong += classes[i] != view->labels[i];
    return (double)wrong / (double)view->rows;
}

/* What was said of a stopped run holds for its model, and for the problem: `whole` is the run to
 * the end. */
static void check_stopped(hsp_context *ctx, size_t r, hsp_data *data, const hsp_training *run,
                          const hsp_model *model, const hsp_training *whole)
{
    const hsp_convergence *o = &run->convergence, *best = &whole->convergence;
    const char *text = runs[r].settings;
    CHECK_NOTE(run->stop == HSP_STOP_REQUEST, "%s: %s", text, hsp_stop_name(run->stop));
    CHECK_TEXT(hsp_model_metadata(model, "stop"), "request");
    CHECK_TEXT(hsp_model_metadata(model, "converged"), "false");
    hsp_context_set_progress(ctx, NULL, NULL);
    if (!isnan(run->training_error))
        CHECK_NOTE(run->training_error == error_of(ctx, model, data), "%s: %g, is %g", text,
                   run->training_error, error_of(ctx, model, data));
    if (!o->solver || !best->solver || !isfinite(best->objective)) return;
    CHECK_NOTE(isnan(o->objective) || o->objective >= best->dual_objective * (1 - 1e-9),
               "%s: objective %g is below the bound %g", text, o->objective, best->dual_objective);
    CHECK_NOTE(isnan(o->dual_objective) || o->dual_objective <= best->objective * (1 + 1e-9),
               "%s: bound %g is above the objective %g", text, o->dual_objective, best->objective);
    CHECK_NOTE(isnan(o->objective) == isnan(o->gap), "%s: %g, %g", text, o->objective, o->gap);
}

/* At up to 60 moments of every run. */
static void stopped_anywhere(void)
{
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        hsp_context *ctx = NULL;
        machine_set set;
        if (hsp_context_new(NULL, &ctx)) abort();
        ctx->tick_seconds = 0;
        hsp_context_set_threads(ctx, 1);
        machine_random(&set, 120, 4, runs[r].classes, 1, 7);
        hsp_data *data = machine_data(ctx, &set);
        hsp_options *options = machine_options(ctx, runs[r].learner, runs[r].settings);
        hsp_training whole = {.size = sizeof whole};
        hsp_model *model = NULL;
        stop_at = calls = 0;
        hsp_context_set_progress(ctx, count_calls, NULL);
        CHECK(hsp_train(ctx, data, options, NULL, &whole, &model) == HSP_OK);
        hsp_evidence_free(whole.evidence);
        hsp_model_free(model);
        const int all = calls;
        int kept = 0;
        CHECK_NOTE(all > 3, "%s %s: asked %d times", runs[r].learner, runs[r].settings, all);
        for (int k = 0; k < 60 && k < all; k++) {
            hsp_training run = {.size = sizeof run};
            hsp_error err = {0};
            model = NULL;
            calls = 0;
            stop_at = all > 60 ? 1 + (int)((double)k / 60 * all) : 1 + k;
            hsp_context_set_progress(ctx, count_calls, NULL);
            const hsp_status status = hsp_train(ctx, data, options, &err, &run, &model);
            CHECK_NOTE(status == HSP_CANCELLED, "%s %s: asked to stop at %d of %d, returned %s",
                       runs[r].learner, runs[r].settings, stop_at, all, hsp_status_name(status));
            kept += model != NULL;
            if (model) check_stopped(ctx, r, data, &run, model, &whole);
            hsp_evidence_free(run.evidence);
            hsp_model_free(model);
        }
        CHECK_NOTE(kept || strcmp(runs[r].learner, "knn") == 0, "%s %s: no model was kept",
                   runs[r].learner, runs[r].settings);
        hsp_options_free(options);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
}

/* ---- Often enough ---------------------------------------------------------------------------- */

/* Processor time of this thread between two calls of the callback. */
static double silence, asked_at;

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int measure_silence(void *user, const hsp_progress *progress)
{
    const double now = thread_seconds();
    (void)user, (void)progress;
    silence = fmax(silence, now - asked_at);
    asked_at = thread_seconds();
    return 0;
}

/* That the measure sees a loop that asks nobody. */
static void a_slow_loop_is_seen(void)
{
    hsp_context *ctx = NULL;
    hsp__stop stop;
    volatile double sum = 0;
    if (hsp_context_new(NULL, &ctx)) abort();
    ctx->tick_seconds = 0;
    hsp_context_set_progress(ctx, measure_silence, NULL);
    hsp_context own = hsp__stop_open(&stop, ctx);
    silence = 0;
    asked_at = thread_seconds();
    for (int loud = 1; loud >= 0; loud--) {
        const double end = thread_seconds() + 0.3;
        while (thread_seconds() < end) {
            for (int i = 0; i < 1000; i++)
                sum = sum + i;
            if (loud) hsp__tick(&own);
        }
        hsp__tick(&own);
        CHECK_NOTE(loud ? silence < 0.15 : silence >= 0.25, "%g s", silence);
    }
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(stopped_anywhere);
    RUN(a_slow_loop_is_seen);
    return check_done();
}
