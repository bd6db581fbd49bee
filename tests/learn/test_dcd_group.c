/* Dual coordinate descent on several problems at once: each answer has the bits of the problem
 * solved alone, whatever the rows, costs and starts are, and whenever the others end. */
#include <math.h>

#include "../data/prepare.h"
#include "base/stop.h"
#include "learn/erm/dcd_group.h"
#include "learn/erm/solvers.h"

enum { ROWS = 300, COLS = 90, EACH = 12, CLASSES = 20, GROUP = HSP__DCD_GROUP_MOST };

static hsp_context *ctx;
static hsp__watch watch;

static float x32[ROWS * EACH];
static double x64[ROWS * EACH], weight[ROWS];
static uint32_t indices[ROWS * EACH], labels[ROWS];
static uint64_t starts[ROWS + 1];

static uint64_t state = 11;

static double unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) / 2147483648.0;
}

/* Rows with 12 entries each, more of them in the columns of their class; the last class has one
 * row. Rows of class 1 are easier than those of class 0, so that problems end at different times. */
static hsp_view rows_of(uint32_t classes, hsp_storage storage, hsp_precision precision)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t y = i == 7 ? classes - 1 : (uint32_t)(unit() * (classes - 1));
        uint32_t at = 0;
        for (uint32_t k = 0; k < EACH; k++) {
            const uint32_t room = COLS - (EACH - k - 1);
            at += (uint32_t)(unit() * 2 * COLS / EACH);
            if (unit() < (y == 0 ? 0.1 : 0.5)) at += (y + classes - at % classes) % classes;
            if (at >= room) at = room - 1;
            const double value = floor(unit() * 64 - 24) / 16;
            indices[i * EACH + k] = at++;
            x64[i * EACH + k] = value == 0 ? 1 : value;
            x32[i * EACH + k] = (float)x64[i * EACH + k];
        }
        starts[i + 1] = (uint64_t)(i + 1) * EACH;
        labels[i] = y;
        weight[i] = floor(unit() * 4) / 2; /* some are 0 */
    }
    weight[7] = 1;
    const void *values = precision == HSP_FLOAT32 ? (const void *)x32 : x64;
    hsp_view view = hsp_view_sparse(precision, ROWS, COLS, 8, starts, indices,
                                    storage == HSP_ONES ? NULL : values);
    view.labels = labels;
    view.classes = classes;
    return view;
}

typedef struct answer {
    double w[COLS], a[ROWS], scores[ROWS];
    hsp__solution s;
} answer;

static void answer_clear(answer *all)
{
    for (int c = 0; c < GROUP; c++) {
        all[c] = (answer){.s = {0}};
        all[c].s.w = all[c].w, all[c].s.dual = all[c].a, all[c].s.scores = all[c].scores;
    }
}

static int same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static void check_same(const answer *got, const answer *want, int scored, const char *what)
{
    CHECK_NOTE(memcmp(got->w, want->w, sizeof got->w) == 0, "%s: w", what);
    CHECK_NOTE(memcmp(got->a, want->a, sizeof got->a) == 0, "%s: a", what);
    CHECK_NOTE(same(got->s.b, want->s.b), "%s: b %g, %g", what, got->s.b, want->s.b);
    CHECK_NOTE(same(got->s.primal, want->s.primal) && same(got->s.dual_value, want->s.dual_value) &&
                   same(got->s.gap, want->s.gap),
               "%s: gap %g, %g", what, got->s.gap, want->s.gap);
    CHECK_NOTE(got->s.passes == want->s.passes && got->s.updates == want->s.updates, "%s: passes",
               what);
    CHECK_NOTE(got->s.stop == want->s.stop && got->s.known == want->s.known, "%s: stop", what);
    if (scored && got->s.known & HSP__GAP_SCORES)
        CHECK_NOTE(memcmp(got->scores, want->scores, sizeof got->scores) == 0, "%s: scores", what);
}

/* Solve the problems of the first `count` classes together, and each alone, from where `together`
 * and `alone` stand. */
static void solve_both(const hsp__problem *p, uint32_t count, const hsp__goal *goal,
                       answer *together, answer *alone, const char *what)
{
    const hsp__problem *problems[GROUP];
    hsp__solution *solutions[GROUP];
    for (uint32_t c = 0; c < count; c++)
        problems[c] = &p[c], solutions[c] = &together[c].s;
    CHECK(hsp__dcd_group_suits(&p[0]));
    CHECK(hsp__dcd_group_solve(ctx, count, problems, goal, NULL, solutions) == HSP_OK);
    for (uint32_t c = 0; c < count; c++) {
        CHECK(hsp__solver_dcd.solve(ctx, &p[c], goal, NULL, &alone[c].s) == HSP_OK);
        check_same(&together[c], &alone[c], goal->gap < 1, what);
    }
}

static void problems_of(const hsp_view *view, int round, hsp__problem *p)
{
    for (uint32_t c = 0; c < GROUP; c++)
        p[c] = (hsp__problem){.view = view,
                              .positive = c + 1 == GROUP ? view->classes - 1 : c,
                              .cost = {round % 4 == 3 ? 0.1 : 1, c == 2 ? 8 : 1},
                              .row_weight = round % 2 ? weight : NULL,
                              .loss = round % 3 ? &hsp__squared_hinge : &hsp__hinge,
                              .offset = (hsp__offset)(round / 2 % 3)};
}

static void test_problems(void)
{
    static answer together[GROUP], alone[GROUP];
    uint64_t different = 0, converged = 0;
    for (int round = 0; round < 72; round++) {
        const int form = 2 + round % 3; /* sparse, single and double; ones */
        const uint32_t count = round % 5 == 0 ? 3 : round % 5 == 1 ? 5 : GROUP;
        const hsp_view view =
            rows_of(round % 2 ? 8 : 20, test_forms[form].storage, test_forms[form].precision);
        const hsp__goal goal = {.gap = round % 7 == 0   ? 0.1
                                       : round % 7 == 1 ? 1e-7
                                                        : 1e-3,
                                .max_passes = round % 9 == 0 ? 3 : 2000,
                                .seed = (uint64_t)round,
                                .watch = &watch};
        hsp__problem p[GROUP];
        problems_of(&view, round / 3, p);
        answer_clear(together);
        answer_clear(alone);
        solve_both(p, count, &goal, together, alone, "random");
        for (uint32_t c = 0; c < count; c++) {
            different += together[c].s.passes != together[0].s.passes;
            converged += together[c].s.stop == HSP_STOP_CONVERGED && together[c].s.gap <= goal.gap;
        }
    }
    CHECK_NOTE(different > 100 && converged > 200, "%d, %d", (int)different, (int)converged);
}

/* Some problems have dual coefficients to start from, some at the optimum, some not feasible. */
static void test_warm_start(void)
{
    static answer together[GROUP], alone[GROUP];
    for (int round = 0; round < 12; round++) {
        const hsp_view view = rows_of(8, HSP_SPARSE, HSP_FLOAT64);
        hsp__goal goal = {.gap = 1e-6, .seed = 1, .watch = &watch};
        hsp__problem p[GROUP];
        problems_of(&view, round, p);
        answer_clear(together);
        answer_clear(alone);
        solve_both(p, GROUP, &goal, together, alone, "cold");
        for (uint32_t c = 0; c < GROUP; c++)
            for (uint64_t i = 0; i < ROWS; i++) {
                double *a = &together[c].a[i];
                if (c % 4 == 1) *a = 0;
                if (c % 4 == 2) *a = i % 5 == 0 ? -3 : i % 5 == 1 ? 1e6 : i % 5 == 2 ? NAN : *a;
                if (c % 4 == 3) *a *= 0.5;
                alone[c].a[i] = *a;
            }
        goal.gap = 1e-5;
        solve_both(p, GROUP, &goal, together, alone, "warm");
        CHECK(together[0].s.passes == 0 && together[1].s.passes > 0);
    }
}

/* A request to stop before the first pass, and a goal that cannot be reached. */
static void test_cut_short(void)
{
    static answer together[GROUP], alone[GROUP];
    const hsp_view view = rows_of(8, HSP_SPARSE, HSP_FLOAT32);
    hsp__problem p[GROUP];
    for (int round = 0; round < 12; round++) {
        const hsp__goal goal = {
            .gap = round % 2 ? -1 : 1e-9, .max_passes = 500, .seed = 1, .watch = &watch};
        hsp__stop stop;
        hsp_context *before = ctx, own = hsp__stop_open(&stop, ctx);
        problems_of(&view, round, p);
        answer_clear(together);
        answer_clear(alone);
        if (round % 2 == 0) {
            atomic_store(&stop.ended, hsp__clock());
            atomic_store(&stop.why, (int)HSP__STOP_REQUESTED);
            ctx = watch.ctx = &own;
        }
        solve_both(p, GROUP, &goal, together, alone, "cut short");
        ctx = watch.ctx = before;
        for (uint32_t c = 0; c < GROUP; c++)
            CHECK(together[c].s.stop == (round % 2 ? HSP_STOP_PASSES : HSP_STOP_REQUEST));
    }
}

/* A progress callback that asks to stop after a while: each problem has an answer whose gap is
 * known, since there is time for a last check. */
static int ask_to_stop(void *user, const hsp_progress *progress)
{
    (void)progress;
    return --*(int *)user < 0;
}

static void test_stop_on_the_way(void)
{
    static answer got[GROUP];
    const hsp_view view = rows_of(8, HSP_ONES, HSP_FLOAT32);
    hsp__problem p[GROUP];
    for (int calls = 0; calls < 40; calls += 3) {
        int left = calls;
        hsp_context *asking = NULL;
        if (hsp_context_new(NULL, &asking)) abort();
        hsp_context_set_progress(asking, ask_to_stop, &left);
        hsp__stop stop;
        hsp_context own = hsp__stop_open(&stop, asking);
        hsp__watch own_watch = {.ctx = &own};
        const hsp__goal goal = {.gap = -1, .seed = 1, .watch = &own_watch, .report = 1};
        const hsp__problem *problems[GROUP];
        hsp__solution *solutions[GROUP];
        problems_of(&view, calls, p);
        answer_clear(got);
        for (uint32_t c = 0; c < GROUP; c++) {
            p[c].cost[0] = p[c].cost[1] = 1e4;
            problems[c] = &p[c], solutions[c] = &got[c].s;
        }
        CHECK(hsp__dcd_group_solve(&own, GROUP, problems, &goal, NULL, solutions) == HSP_OK);
        for (uint32_t c = 0; c < GROUP; c++) {
            CHECK(got[c].s.stop == HSP_STOP_REQUEST || got[c].s.stop == HSP_STOP_PASSES);
            CHECK(got[c].s.primal >= got[c].s.dual_value && got[c].s.gap <= 1);
        }
        hsp_context_free(asking);
    }
}

/* ---- Whole trainings --------------------------------------------------------------------------- */

static hsp_model *train(hsp_data *data, const char *settings, int threads, hsp_training *run)
{
    hsp_model *model = NULL;
    hsp_options *options = test_options(ctx, hsp_learner_find("svm"), settings);
    hsp_error err = {0};
    hsp_context_set_threads(ctx, threads);
    CHECK_NOTE(hsp_train(ctx, data, options, &err, run, &model) == HSP_OK, "%s", err.message);
    hsp_context_set_threads(ctx, 0);
    hsp_options_free(options);
    return model;
}

/* Classes are grouped by the number of threads; a log of passes wants them one by one. */
static void test_trainings(void)
{
    static const char *const offsets[] = {"free", "regularized", "none"};
    static const uint32_t sizes[] = {3, 8, 9, CLASSES};
    char settings[200];
    for (int round = 0; round < 24; round++) {
        const uint32_t classes = sizes[round % 4];
        const int form = 2 + round % 3;
        hsp_view view = rows_of(classes, test_forms[form].storage, test_forms[form].precision);
        hsp_data *data = NULL;
        CHECK(hsp_data_borrow(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
        if (round % 5 == 0) CHECK(hsp_data_set_weights(data, weight, NULL) == HSP_OK);
        const int plain =
            snprintf(settings, sizeof settings, "solver=dcd loss=%s offset=%s gap=1e-4 weight=%s",
                     round % 2 ? "hinge" : "squared", offsets[round / 2 % 3],
                     round % 3 ? "balanced" : "1=0.25");
        hsp_training run = {.size = sizeof run}, other = {.size = sizeof other};
        hsp_model *model = train(data, settings, 1, &run);
        for (int k = 0; model && k < 4; k++) {
            settings[plain] = 0;
            if (k == 3) strcat(settings, " convergence=/dev/null");
            hsp_model *again = train(data, settings, k == 3 ? 1 : k + 2, &other);
            if (!again) continue;
            for (uint32_t c = 0; c < classes; c++) {
                CHECK(memcmp(hsp_model_weights(model, c), hsp_model_weights(again, c),
                             COLS * sizeof(double)) == 0);
                CHECK(hsp_model_offset(model, c) == hsp_model_offset(again, c));
            }
            CHECK(run.convergence.gap == other.convergence.gap && run.passes == other.passes);
            CHECK(run.training_error == other.training_error && run.updates == other.updates);
            hsp_model_free(again);
        }
        CHECK(run.stop == HSP_STOP_CONVERGED && run.convergence.gap <= 1e-4);
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

static hsp_data *scarce_data;
static hsp_options *scarce_options;

static hsp_status scarce_train(hsp_context *scarce)
{
    hsp_model *model = NULL;
    hsp_status status = hsp_train(scarce, scarce_data, scarce_options, NULL, NULL, &model);
    hsp_model_free(model);
    return status;
}

static void test_scarce(void)
{
    const hsp_view view = rows_of(9, HSP_SPARSE, HSP_FLOAT64);
    CHECK(hsp_data_borrow(ctx, &view, NULL, NULL, NULL, &scarce_data) == HSP_OK);
    scarce_options = test_options(ctx, hsp_learner_find("svm"), "solver=dcd gap=0.01");
    test_no_memory(scarce_train);
    hsp_options_free(scarce_options);
    hsp_data_free(scarce_data);
}

static void test_suits(void)
{
    hsp_view view = rows_of(8, HSP_SPARSE, HSP_FLOAT64);
    hsp__problem p = {.view = &view, .loss = &hsp__hinge};
    CHECK(hsp__dcd_group_suits(&p));
    p.loss = &hsp__logistic;
    CHECK(!hsp__dcd_group_suits(&p));
    p.loss = &hsp__squared_hinge;
    view.storage = HSP_DENSE;
    CHECK(!hsp__dcd_group_suits(&p));
    view.storage = HSP_ONES, p.penalty = HSP__PENALTY_L1;
    CHECK(!hsp__dcd_group_suits(&p));
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    watch.ctx = ctx;
    RUN(test_problems);
    RUN(test_warm_start);
    RUN(test_cut_short);
    RUN(test_stop_on_the_way);
    RUN(test_trainings);
    RUN(test_scarce);
    RUN(test_suits);
    hsp_context_free(ctx);
    return check_done();
}
