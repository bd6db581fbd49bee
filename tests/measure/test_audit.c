/* The audit of a run: worked by hand, on thousands of random runs of a plain perceptron, and with
 * what does not belong together. */
#include "helpers.h"

static hsp_context *ctx;

static const naive_plan plain = {.constant = 1, .rate = 1, .passes = 1000};

typedef struct audited {
    hsp_model *model, *reference;
    hsp_data *data;
    hsp_mistake_bound *bounds;
    size_t count;
    hsp_status status;
    hsp_error err;
} audited;

static void audited_free(audited *a)
{
    hsp_mistake_bounds_free(a->bounds);
    hsp_model_free(a->model);
    hsp_model_free(a->reference);
    hsp_data_free(a->data);
}

static audited audit_run(naive_run *run, const double *u, double b)
{
    audited a = {0};
    naive_learn(run);
    a.model = naive_model(ctx, run);
    a.data = naive_data(ctx, run);
    a.reference = test_separator(ctx, run->cols, u, b);
    a.status = hsp_audit(ctx, a.model, a.data, a.reference, &a.err, &a.bounds, &a.count);
    CHECK_NOTE(a.status == HSP_OK, "%s", a.err.message);
    return a;
}

static const hsp_mistake_bound *bound_of(const audited *a, const char *name)
{
    static const hsp_mistake_bound missing = {.name = "missing", .formula = "", .held = 0};
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->bounds[i].name, name) == 0) return &a->bounds[i];
    return &missing;
}

#define CHECK_BOUND(a, entry, want_observed, want_bound)                                        \
    do {                                                                                        \
        const hsp_mistake_bound *e_ = bound_of(&(a), (entry));                                  \
        CHECK_NOTE(e_->applies && e_->held, "%s: %s", (entry), e_->why);                        \
        CHECK_NOTE(test_near(e_->observed, (want_observed), 1e-12), "%s: %.17g", (entry),       \
                   e_->observed);                                                               \
        CHECK_NOTE(test_near(e_->bound, (want_bound), 1e-12), "%s: %.17g", (entry), e_->bound); \
    } while (0)

#define CHECK_NOT(a, entry, words)                                                          \
    do {                                                                                    \
        const hsp_mistake_bound *e_ = bound_of(&(a), (entry));                              \
        CHECK_NOTE(!e_->applies && e_->held && strstr(e_->why, (words)), "%s: %s", (entry), \
                   e_->why);                                                                \
    } while (0)

/* ---- Worked by hand ---- */

/* Two opposite points, one update: every step is an equality. */
static void test_two_points(void)
{
    const double x[] = {3, 4, -3, -4}, u[] = {6, 8};
    const int y[] = {1, -1};
    naive_run run = {.plan = &plain, .rows = 2, .cols = 2, .x = x, .y = y};
    audited a = audit_run(&run, u, 0);
    CHECK(run.updates == 1 && run.w[0] == 3 && run.w[1] == 4);
    CHECK_BOUND(a, "radius", 1, 1); /* r = 5, ||w*|| = 1/5 once y <w*,x> >= 1 */
    CHECK_BOUND(a, "progress", 50, 50);
    CHECK_BOUND(a, "growth", 25, 25);
    CHECK_BOUND(a, "counts", 0, 0);
    CHECK_NOT(a, "unit", "norm 5");
    CHECK_NOT(a, "angle", "norm 5");
    CHECK_NOT(a, "offset", "no offset");
    CHECK_NOT(a, "margin", "no margin target");
    CHECK_NOT(a, "soft", "not soft");
    CHECK_TEXT(bound_of(&a, "radius")->formula, "k <= r^2 ||w*||^2");
    audited_free(&a);
}

/* Two unit vectors of one class: (1,0), then (0,1), on which s = 0. Again equalities: 1/g^2 = 2. */
static void test_unit_vectors(void)
{
    const double x[] = {1, 0, 0, 1}, u[] = {1, 1};
    const int y[] = {1, 1};
    naive_run run = {.plan = &plain, .rows = 2, .cols = 2, .x = x, .y = y};
    audited a = audit_run(&run, u, 0);
    CHECK(run.updates == 2);
    CHECK_BOUND(a, "unit", 2, 2);
    CHECK_BOUND(a, "radius", 2, 2);
    CHECK_BOUND(a, "progress", 2, 2);
    CHECK_BOUND(a, "growth", 2, 2);
    CHECK_BOUND(a, "angle", 1, 1);
    audited_free(&a);
}

/* x = 1 is negative, x = 2 positive, R = 2. Nine updates: (w,b) goes (-1,-4) (1,0) (0,-4) (2,0)
 * (1,-4) (3,0) (2,-4) (4,0) (3,-4). With w* = 2, b* = -3: g* = 1, w~* = (2, -3/2), ||w~*||^2 =
 * 25/4, and the bound is 2 * 4 * 25/4 = 50. w~_9 = (3, -2). */
static void test_r2_offset(void)
{
    const double x[] = {1, 2}, u[] = {2};
    const int y[] = {-1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_R2;
    naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, -3);
    CHECK(run.updates == 9 && run.w[0] == 3 && run.b == -4);
    CHECK_BOUND(a, "offset", 9, 50);
    CHECK_BOUND(a, "progress", 9, 9);
    CHECK_BOUND(a, "growth", 13, 72);
    CHECK_NOT(a, "radius", "offset");
    CHECK_TEXT(bound_of(&a, "offset")->formula, "k <= 2 R^2 ||w~*||^2 / g*^2");
    audited_free(&a);
}

/* The same points with b += y: ||(w*,b*)||^2 = 13, (R^2 + 1) * 13 = 65; and with a constant 3
 * appended, b += 9 y: ||(w*,v*)||^2 = 4 + 1, (4 + 9) * 5 = 65. */
static void test_unit_and_appended(void)
{
    const double x[] = {1, 2}, u[] = {2};
    const int y[] = {-1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_UNIT;
    naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, -3);
    double k = (double)run.updates;
    CHECK_BOUND(a, "offset", k, 65);
    CHECK_BOUND(a, "growth", run.w[0] * run.w[0] + run.b * run.b, 5 * k);
    CHECK_TEXT(bound_of(&a, "offset")->formula, "k <= (R^2 + 1) ||(w*,b*)||^2 / g*^2");
    audited_free(&a);

    plan.offset = NAIVE_APPEND;
    plan.constant = 3;
    naive_run again = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    a = audit_run(&again, u, -3);
    k = (double)again.updates;
    CHECK_BOUND(a, "radius", k, 65);
    CHECK_BOUND(a, "growth", again.w[0] * again.w[0] + again.b * again.b / 9, 13 * k);
    CHECK_NOT(a, "offset", "'radius'");
    audited_free(&a);
}

/* One point in both classes: u = 1 has margins 1 and -1, and (s + sqrt((1-s)^2 + (1+s)^2))^2 is
 * least at s = 0, where it is 2: the number of presentations. Every presentation is a mistake. With
 * D over the rows alone the bound would still be 2 after the second pass, when 4 updates were made.
 */
static void test_inseparable_passes(void)
{
    const double x[] = {1, 1}, u[] = {1};
    const int y[] = {1, -1};
    naive_plan plan = plain;
    for (uint64_t passes = 1; passes <= 3; passes++) {
        plan.passes = passes;
        naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
        audited a = audit_run(&run, u, 0);
        const double k = 2 * (double)passes;
        CHECK((double)run.updates == k);
        CHECK_BOUND(a, "inseparable", k, k);
        CHECK(strstr(bound_of(&a, "inseparable")->why, ", the limit as g grows") != NULL);
        CHECK_NOT(a, "radius", "does not separate");
        CHECK_NOT(a, "progress", "does not separate");
        audited_free(&a);
    }
}

/* Twenty rows at distance 2 on their sides, and one at distance 1 on the wrong one. At g = 2: R =
 * 2, D = 3, ((2 + 3) / 2)^2 = 25/4. The best g, here from a fine grid, does a little better. */
static void test_inseparable_figures(void)
{
    double x[21], best = HUGE_VAL;
    const double u[] = {5};
    int y[21];
    for (int i = 0; i < 20; i++) {
        y[i] = i % 2 ? 1 : -1;
        x[i] = 2 * y[i];
    }
    x[20] = 1;
    y[20] = -1;
    naive_plan plan = plain;
    plan.passes = 1;
    naive_run run = {.plan = &plan, .rows = 21, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, 0);
    CHECK(run.updates == 2); /* the first row, at w = 0, and the last */
    for (double s = 0; s < 3; s += 1e-5) {
        const double right = fmax(0, 1 - 2 * s),
                     root = 2 * s + sqrt(20 * right * right + (1 + s) * (1 + s));
        best = fmin(best, root * root);
    }
    const hsp_mistake_bound *b = bound_of(&a, "inseparable");
    CHECK(b->applies && b->held && best < 6.25);
    CHECK_NOTE(b->bound <= best && b->bound >= best * (1 - 1e-8), "%.17g, grid %.17g", b->bound,
               best);
    audited_free(&a);
}

/* One point in both classes, Delta = 1: after (1; 1, 0) and (0; 1, -1) both are right. The bound
 * 2 (s^2 + 2 + 2 s^2) is least at s = 0: 4. ||w~||^2 = 2 <= 2 * (1 + 1). */
static void test_soft(void)
{
    const double x[] = {1, 1}, u[] = {1};
    const int y[] = {1, -1};
    naive_plan plan = plain;
    plan.soft = 1;
    naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, 0);
    CHECK(run.updates == 2 && run.passes == 2);
    const hsp_mistake_bound *b = bound_of(&a, "soft");
    CHECK(b->applies && b->held && test_near(b->bound, 4, 1e-9));
    CHECK_BOUND(a, "growth", 2, 4);
    CHECK_NOT(a, "radius", "'soft'");
    CHECK_NOT(a, "margin", "no margin target");
    audited_free(&a);
}

/* One point x = 1, tau = 10, rate = 1/2: w grows by 1/2 while it is below 10: 20 updates. R^2 + 2
 * tau / rate = 41; g = 1. ||w||^2 = 100 <= 20 (1/4 + 10). */
static void test_margin_target(void)
{
    const double x[] = {1}, u[] = {1};
    const int y[] = {1};
    naive_plan plan = plain;
    plan.tau = 10;
    plan.rate = 0.5;
    naive_run run = {.plan = &plan, .rows = 1, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, 0);
    CHECK(run.updates == 20 && run.w[0] == 10);
    CHECK_BOUND(a, "margin", 20, 41);
    CHECK_BOUND(a, "progress", 10, 10);
    CHECK_BOUND(a, "growth", 100, 205);
    CHECK_NOT(a, "unit", "'margin'");
    audited_free(&a);
}

/* ---- Thousands of runs ---- */

static double draw(hsp__random *random, int whole)
{
    if (whole) return (double)hsp__random_below(random, 7) - 3;
    return hsp__random_normal(random);
}

/* Rows and labels: by a separator with some margin, or at random. */
static void draw_rows(hsp__random *random, uint64_t rows, uint64_t cols, int separable, double *x,
                      int *y, double *u, double *b)
{
    const int whole = (int)hsp__random_below(random, 2);
    double size = 0;
    for (uint64_t j = 0; j < cols; j++) {
        u[j] = draw(random, whole);
        u[j] += j == 0 && u[j] == 0;
        size = fmax(size, fabs(u[j]));
    }
    *b = hsp__random_below(random, 2) ? draw(random, whole) : 0;
    for (uint64_t i = 0; i < rows; i++) {
        double s;
        do {
            s = *b;
            for (uint64_t j = 0; j < cols; j++) {
                x[i * cols + j] = draw(random, whole);
                s += x[i * cols + j] * u[j];
            }
        } while (fabs(s) < 0.05 * size);
        y[i] = s > 0 ? 1 : -1;
        if (!separable && hsp__random_below(random, 4) == 0) y[i] = -y[i];
    }
}

static naive_plan draw_plan(hsp__random *random)
{
    static const double rates[] = {1, 0.1, 7, 1.0 / 3};
    naive_plan plan = plain;
    plan.offset = (naive_offset)hsp__random_below(random, 4);
    plan.order = (naive_order)hsp__random_below(random, 3);
    plan.average = (int)hsp__random_below(random, 2);
    plan.tie_pos = (int)hsp__random_below(random, 2);
    plan.constant = 0.25 + 2 * hsp__random_unit(random);
    plan.rate = rates[hsp__random_below(random, 4)];
    if (hsp__random_below(random, 3) == 0) {
        plan.tau = hsp__random_unit(random);
        plan.tau_relative = (int)hsp__random_below(random, 2);
    }
    if (hsp__random_below(random, 3) == 0) plan.soft = 0.1 + 2 * hsp__random_unit(random);
    plan.passes = hsp__random_below(random, 3) ? 2000 : 1 + hsp__random_below(random, 4);
    plan.max_updates = hsp__random_below(random, 4) ? 2000 : 1 + hsp__random_below(random, 9);
    return plan;
}

static void normalise(double *x, uint64_t rows, uint64_t cols)
{
    for (uint64_t i = 0; i < rows; i++) {
        double square = 0;
        for (uint64_t j = 0; j < cols; j++)
            square += x[i * cols + j] * x[i * cols + j];
        for (uint64_t j = 0; j < cols && square > 0; j++)
            x[i * cols + j] /= sqrt(square);
    }
}

static void test_random_runs(void)
{
    uint64_t applied[16] = {0}, runs = 0;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 20, seed);
        double x[64 * 4], u[4], b;
        int y[64];
        const uint64_t rows = 1 + hsp__random_below(&random, 30);
        const uint64_t cols = 1 + hsp__random_below(&random, 4);
        const int separable = hsp__random_below(&random, 3) != 0;
        draw_rows(&random, rows, cols, separable, x, y, u, &b);
        if (hsp__random_below(&random, 3) == 0) normalise(x, rows, cols);
        const naive_plan plan = draw_plan(&random);
        naive_run run = {.plan = &plan, .rows = rows, .cols = cols, .x = x, .y = y};
        audited a = audit_run(&run, u, b);
        for (size_t i = 0; i < a.count; i++) {
            CHECK_NOTE(a.bounds[i].held, "seed %llu: %s: %.17g against %.17g (%s)",
                       (unsigned long long)seed, a.bounds[i].name, a.bounds[i].observed,
                       a.bounds[i].bound, a.bounds[i].why);
            CHECK(a.bounds[i].why[0]);
            applied[i] += (uint64_t)a.bounds[i].applies;
        }
        CHECK(a.count == 11);
        runs++;
        audited_free(&a);
    }
    /* None of the theorems may have been left untried. */
    for (size_t i = 0; i < 11; i++)
        CHECK_NOTE(applied[i] >= runs / 100, "entry %zu applied %llu times", i,
                   (unsigned long long)applied[i]);
}

/* A run is the same run in every normal form of its model: the same theorems apply, and hold. */
static void test_normal_forms(void)
{
    static const char *const forms[] = {"homogeneous", "unit", "threshold"};
    uint64_t divided = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 26, seed);
        double x[64 * 4], u[4], b;
        int y[64];
        draw_rows(&random, 12, 3, hsp__random_below(&random, 3) != 0, x, y, u, &b);
        const naive_plan plan = draw_plan(&random);
        naive_run run = {.plan = &plan, .rows = 12, .cols = 3, .x = x, .y = y};
        audited a = audit_run(&run, u, b);
        hsp_model *model = a.model;
        a.model = NULL;
        if (hsp_model_form(ctx, model, forms[seed % 3], NULL, &a.model) == HSP_OK) {
            hsp_mistake_bound *before = a.bounds;
            CHECK(hsp_audit(ctx, a.model, a.data, a.reference, NULL, &a.bounds, &a.count) ==
                  HSP_OK);
            for (size_t i = 0; i < a.count; i++)
                CHECK_NOTE(a.bounds[i].held && a.bounds[i].applies == before[i].applies,
                           "seed %llu, %s: %s: %.17g against %.17g", (unsigned long long)seed,
                           forms[seed % 3], a.bounds[i].name, a.bounds[i].observed,
                           a.bounds[i].bound);
            hsp_mistake_bounds_free(before);
            divided += seed % 3 == 1;
        }
        hsp_model_free(model);
        audited_free(&a);
    }
    CHECK(divided > 100);
}

/* A count of updates that was raised is exceeded somewhere. */
static void test_tampered_count(void)
{
    uint64_t above = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 21, seed);
        double x[64 * 4], u[4], b;
        int y[64];
        draw_rows(&random, 12, 3, 1, x, y, u, &b);
        const naive_plan plan = draw_plan(&random);
        naive_run run = {.plan = &plan, .rows = 12, .cols = 3, .x = x, .y = y};
        audited a = audit_run(&run, u, plan.offset == NAIVE_NONE ? 0 : b);
        double most = 0;
        for (size_t i = 0; i < 6; i++) /* the bounds on k */
            if (a.bounds[i].applies) most = fmax(most, a.bounds[i].bound);
        test_fact_count(a.model, "updates", run.updates + 1);
        hsp_mistake_bounds_free(a.bounds);
        CHECK(hsp_audit(ctx, a.model, a.data, a.reference, NULL, &a.bounds, &a.count) == HSP_OK);
        CHECK(run.updates == 0 || !bound_of(&a, "counts")->held);
        /* by more than the slack for rounding */
        test_fact_count(a.model, "updates", (uint64_t)(most * (1 + 1e-8)) + 2);
        hsp_mistake_bounds_free(a.bounds);
        CHECK(hsp_audit(ctx, a.model, a.data, a.reference, NULL, &a.bounds, &a.count) == HSP_OK);
        for (size_t i = 0; i < 5; i++) {
            if (!a.bounds[i].applies) continue;
            above++;
            CHECK_NOTE(!a.bounds[i].held, "seed %llu: %s", (unsigned long long)seed,
                       a.bounds[i].name);
        }
        audited_free(&a);
    }
    CHECK(above > 100);
}

/* Weights that are not the sum of the updates are found out. */
static void test_tampered_weights(void)
{
    const double x[] = {1, 2}, u[] = {2};
    const int y[] = {-1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_R2;
    naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, -3);
    CHECK(bound_of(&a, "rebuild")->applies && bound_of(&a, "rebuild")->held);
    a.model->offsets[0] += 1e-6;
    hsp_mistake_bounds_free(a.bounds);
    CHECK(hsp_audit(ctx, a.model, a.data, a.reference, NULL, &a.bounds, &a.count) == HSP_OK);
    CHECK(bound_of(&a, "rebuild")->applies && !bound_of(&a, "rebuild")->held);
    audited_free(&a);
}

/* A stream keeps no updates: what needs them does not apply, the rest does; of an average without
 * updates the last separator is gone. */
static void test_no_updates_kept(void)
{
    const double x[] = {1, 2}, u[] = {2};
    const int y[] = {-1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_UNIT;
    for (plan.average = 0; plan.average < 2; plan.average++) {
        naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
        audited a = audit_run(&run, u, -3);
        CHECK(bound_of(&a, "progress")->applies && bound_of(&a, "growth")->applies);
        CHECK(bound_of(&a, "rebuild")->applies == !plan.average);
        const uint64_t kept = a.model->updates.count;
        a.model->updates.count = 0;
        hsp_mistake_bounds_free(a.bounds);
        CHECK(hsp_audit(ctx, a.model, a.data, a.reference, NULL, &a.bounds, &a.count) == HSP_OK);
        CHECK_BOUND(a, "offset", (double)run.updates, 65);
        CHECK(bound_of(&a, "inseparable")->applies);
        CHECK_NOT(a, "counts", "does not say");
        CHECK(!bound_of(&a, "rebuild")->applies);
        CHECK(bound_of(&a, "progress")->applies == !plan.average);
        CHECK(bound_of(&a, "growth")->applies == !plan.average);
        a.model->updates.count = kept;
        audited_free(&a);
    }
}

/* ---- References ---- */

/* The other way round by name is the same separator. */
static void test_swapped_classes(void)
{
    const double x[] = {1, 2}, u[] = {-2};
    const int y[] = {-1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_R2;
    naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, 3);
    CHECK_NOT(a, "offset", "does not separate");
    hsp__names_free(&a.reference->class_names);
    hsp__names_init(&a.reference->class_names, &ctx->allocator);
    test_name_class(a.reference, "1");
    test_name_class(a.reference, "-1");
    hsp_mistake_bounds_free(a.bounds);
    CHECK(hsp_audit(ctx, a.model, a.data, a.reference, NULL, &a.bounds, &a.count) == HSP_OK);
    CHECK_BOUND(a, "offset", 9, 50);
    audited_free(&a);
}

static void test_offset_left_out(void)
{
    const double x[] = {1, -1}, u[] = {1};
    const int y[] = {1, -1};
    naive_run run = {.plan = &plain, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, 0.5);
    CHECK_BOUND(a, "radius", 1, 1);
    CHECK(strstr(bound_of(&a, "radius")->why, "without its offset") != NULL);
    audited_free(&a);
}

static hsp_scaling *fit(hsp_data *data, const char *kind)
{
    hsp_options *options = NULL;
    hsp_scaling *scaling = NULL;
    if (hsp_options_new(ctx, hsp_scale_options(), NULL, &options)) abort();
    if (hsp_options_set(options, "kind", kind, NULL)) abort();
    if (hsp_scaling_fit(ctx, data, options, NULL, &scaling)) abort();
    hsp_options_free(options);
    return scaling;
}

/* A run on scaled rows, a reference on the rows as they were, or scaled otherwise: the same
 * function of the data gives the same figures. Rows 0, 4, 8 standardised and then halved or so. */
static void test_scaled_reference(void)
{
    const double raw[] = {0, 1, 4, 3, 8, 2}, w[] = {0.5, -0.25};
    const int y[] = {-1, -1, 1};
    const uint32_t labels[] = {0, 0, 1};
    hsp_data *data = test_data(ctx, 3, 2, raw, labels, 2, NULL), *scaled = NULL;
    hsp_scaling *standard = fit(data, "standard");
    CHECK(hsp_scaling_apply(ctx, standard, data, NULL, &scaled) == HSP_OK);
    naive_plan plan = plain;
    plan.offset = NAIVE_UNIT;
    naive_run run = {.plan = &plan, .rows = 3, .cols = 2, .x = scaled->values, .y = y};
    naive_learn(&run);
    hsp_model *model = naive_model(ctx, &run), *reference = test_separator(ctx, 2, w, -2.5);
    model->scalings[0] = standard;
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    hsp_error err = {0};
    CHECK_NOTE(hsp_audit(ctx, model, data, reference, &err, &bounds, &count) == HSP_OK, "%s",
               err.message);
    /* By hand: w' = w * stdev, b' = b + <w, mean>; margins are those on the raw rows. */
    double square = 0, b = -2.5, least = HUGE_VAL, radius = 0;
    for (uint64_t j = 0; j < 2; j++) {
        b += w[j] * hsp_scaling_shift(standard, j);
        square += pow(w[j] / hsp_scaling_factor(standard, j), 2);
    }
    for (int i = 0; i < 3; i++) {
        const double *z = (const double *)scaled->values + 2 * i;
        least = fmin(least, y[i] * (w[0] * raw[2 * i] + w[1] * raw[2 * i + 1] - 2.5));
        radius = fmax(radius, z[0] * z[0] + z[1] * z[1]);
    }
    audited a = {.bounds = bounds, .count = count};
    CHECK(least > 0);
    CHECK_BOUND(a, "offset", (double)run.updates,
                (radius + 1) * (square + b * b) / (least * least));
    hsp_mistake_bounds_free(bounds);

    /* The same reference, restated for max-abs rows. */
    hsp_scaling *most = fit(data, "max-abs");
    for (uint64_t j = 0; j < 2; j++)
        reference->weights[j] /= hsp_scaling_factor(most, j);
    reference->scalings[0] = most;
    CHECK(hsp_audit(ctx, model, data, reference, &err, &a.bounds, &a.count) == HSP_OK);
    CHECK_BOUND(a, "offset", (double)run.updates,
                (radius + 1) * (square + b * b) / (least * least));
    hsp_mistake_bounds_free(a.bounds);

    /* Rows divided by their norms cannot be restated with an offset. */
    hsp_scaling_free(most);
    reference->scalings[0] = fit(data, "unit-rows");
    CHECK(hsp_audit(ctx, model, data, reference, &err, &a.bounds, &a.count) == HSP_USAGE);
    CHECK(strstr(err.message, "the reference was trained on rows scaled") != NULL);
    hsp_model_free(model);
    hsp_model_free(reference);
    hsp_data_free(data);
    hsp_data_free(scaled);
}

/* A reference through the origin, trained on rows divided by their norms, is the same separator of
 * the rows as they were; with column scalings before that, too. */
static void test_divided_reference(void)
{
    const double raw[] = {0, 1, 4, 3, 8, 2}, w[] = {1, -2};
    const int y[] = {-1, -1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_UNIT;
    naive_run run = {.plan = &plan, .rows = 3, .cols = 2, .x = raw, .y = y};
    audited plainly = audit_run(&run, w, 0), a = {0};
    CHECK(bound_of(&plainly, "offset")->applies);
    a.reference = test_separator(ctx, 2, w, 0);
    a.reference->scalings[1] = fit(plainly.data, "unit-rows");
    for (int columns = 0; columns < 2; columns++) {
        if (columns) {
            a.reference->scalings[0] = fit(plainly.data, "max-abs");
            for (uint64_t j = 0; j < 2; j++)
                a.reference->weights[j] /= hsp_scaling_factor(a.reference->scalings[0], j);
        }
        a.status =
            hsp_audit(ctx, plainly.model, plainly.data, a.reference, &a.err, &a.bounds, &a.count);
        CHECK_NOTE(a.status == HSP_OK, "%s", a.err.message);
        CHECK(a.count == plainly.count);
        CHECK_BOUND(a, "offset", (double)run.updates, bound_of(&plainly, "offset")->bound);
        hsp_mistake_bounds_free(a.bounds);
        a.bounds = NULL;
    }
    /* A scaling behind the division may shift what was divided. */
    hsp_scaling *swap = a.reference->scalings[0];
    a.reference->scalings[0] = a.reference->scalings[1];
    a.reference->scalings[1] = swap;
    CHECK(hsp_audit(ctx, plainly.model, plainly.data, a.reference, &a.err, &a.bounds, &a.count) ==
          HSP_USAGE);
    audited_free(&a);
    audited_free(&plainly);
}

/* ---- What does not belong together ---- */

static void refuse(audited *a, hsp_status status, const char *words)
{
    hsp_error err = {0};
    hsp_mistake_bound *bounds = NULL;
    size_t count = 77;
    CHECK(hsp_audit(ctx, a->model, a->data, a->reference, &err, &bounds, &count) == status);
    CHECK_NOTE(strstr(err.message, words), "%s", err.message);
    CHECK(bounds == NULL && count == 77);
}

static void test_refusals(void)
{
    const double x[] = {1, 2}, u[] = {2}, zero[] = {0};
    const int y[] = {-1, 1};
    naive_plan plan = plain;
    plan.offset = NAIVE_UNIT;
    naive_run run = {.plan = &plan, .rows = 2, .cols = 1, .x = x, .y = y};
    audited a = audit_run(&run, u, -3);
    hsp_data *right = a.data;
    hsp_model *reference = a.reference;

    const uint32_t swapped[] = {1, 0}, labels[] = {0, 1, 1};
    const double more[] = {1, 2, 3};
    a.data = test_data(ctx, 3, 1, more, labels, 2, NULL);
    refuse(&a, HSP_BAD_DATA, "trained on 2 rows");
    hsp_data_free(a.data);
    a.data = test_data(ctx, 2, 1, x, swapped, 2, NULL);
    refuse(&a, HSP_BAD_DATA, "the other label");
    hsp_data_free(a.data);
    const char *const others[] = {"-1", "blue"};
    a.data = test_data(ctx, 2, 1, x, labels, 2, others);
    refuse(&a, HSP_BAD_DATA, "'blue'");
    hsp_data_free(a.data);
    a.data = right;

    a.reference = test_separator(ctx, 1, zero, 0);
    refuse(&a, HSP_USAGE, "zeros");
    hsp_model_free(a.reference);
    a.reference = reference;

    test_fact(a.model, "updates", "many");
    refuse(&a, HSP_BAD_DATA, "expected a whole number");
    test_fact(a.model, "updates", "3");
    test_fact(a.model, "offset", "round");
    refuse(&a, HSP_BAD_DATA, "expected none, unit, r2 or append");
    test_fact(a.model, "offset", "unit");
    test_fact(a.model, "rate", "0");
    refuse(&a, HSP_BAD_DATA, "rate");
    test_fact(a.model, "rate", "1x");
    refuse(&a, HSP_BAD_DATA, "expected a number");
    test_fact(a.model, "learner", "svm");
    refuse(&a, HSP_USAGE, "trained by 'svm'");
    audited_free(&a);
}

int main(void)
{
    ctx = test_context(2, 0);
    RUN(test_two_points);
    RUN(test_unit_vectors);
    RUN(test_r2_offset);
    RUN(test_unit_and_appended);
    RUN(test_inseparable_passes);
    RUN(test_inseparable_figures);
    RUN(test_soft);
    RUN(test_margin_target);
    RUN(test_random_runs);
    RUN(test_normal_forms);
    RUN(test_tampered_count);
    RUN(test_tampered_weights);
    RUN(test_no_updates_kept);
    RUN(test_swapped_classes);
    RUN(test_offset_left_out);
    RUN(test_scaled_reference);
    RUN(test_divided_reference);
    RUN(test_refusals);
    hsp_context_free(ctx);
    return check_done();
}
