/* Where the truth is known: true errors against closed forms and counting, and every bound against
 * them. Seeds are fixed, so a bound that fails too often does so every time. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "prove/bound.h"

static hsp_context *ctx;

static hsp_simulation *simulate(const char *const *set, hsp_error *err)
{
    hsp_options *options = NULL;
    hsp_simulation *made = NULL;
    hsp_status status = hsp_options_new(ctx, hsp_simulation_options(), err, &options);
    for (; !status && *set; set += 2)
        status = hsp_options_set(options, set[0], set[1], err);
    if (!status) status = hsp_simulation_new(ctx, options, err, &made);
    hsp_options_free(options);
    return made;
}

/* Through the origin, the error is the angle. */
static void angles(void)
{
    double u[2] = {1, 0};
    const hsp__gaussian truth = {2, u, 0, 0};
    for (double angle = 1e-7; angle < 3.14159; angle = angle * 1.3 + 1e-3) {
        const double w[2] = {3 * cos(angle), 3 * sin(angle)};
        const double error = hsp__gaussian_error(&truth, w, 0, HSP_TIE_NEG);
        CHECK_NOTE(fabs(error - angle / 3.14159265358979323846) <= 1e-9, "angle %g: %.15g", angle,
                   error);
    }
}

/* Parallel hyperplanes: the error is the mass between them. With noise it is mixed. */
static void parallel(void)
{
    double u[3] = {0, 0.6, 0.8};
    for (double offset = -2; offset <= 2; offset += 0.7)
        for (double b = -3; b <= 3; b += 0.5) {
            const double w[3] = {0, 0.6, 0.8}, back[3] = {0, -0.6, -0.8};
            const hsp__gaussian truth = {3, u, offset, 0.1};
            const double mass = fabs(0.5 * erfc(offset / sqrt(2)) - 0.5 * erfc(b / sqrt(2)));
            const double error = hsp__gaussian_error(&truth, w, b, HSP_TIE_NEG);
            CHECK_NOTE(fabs(error - (0.1 + 0.8 * mass)) <= 1e-9, "%g %g: %.12g", offset, b, error);
            const double other = hsp__gaussian_error(&truth, back, -b, HSP_TIE_NEG);
            CHECK_NOTE(fabs(other - (0.1 + 0.8 * (1 - mass))) <= 1e-9, "%g %g: %.12g", offset, b,
                       other);
        }
}

/* One class for all. */
static void constant(void)
{
    double u[1] = {1}, w[1] = {0};
    const hsp__gaussian truth = {1, u, 0.5, 0};
    const double positive = 0.5 * erfc(-0.5 / sqrt(2)); /* P(x + 1/2 > 0) */
    CHECK(fabs(hsp__gaussian_error(&truth, w, 1, HSP_TIE_NEG) - (1 - positive)) <= 1e-12);
    CHECK(fabs(hsp__gaussian_error(&truth, w, -1, HSP_TIE_NEG) - positive) <= 1e-12);
    CHECK(fabs(hsp__gaussian_error(&truth, w, 0, HSP_TIE_NEG) - positive) <= 1e-12);
    CHECK(fabs(hsp__gaussian_error(&truth, w, 0, HSP_TIE_POS) - (1 - positive)) <= 1e-12);
    CHECK(hsp__gaussian_error(&truth, w, 0, HSP_TIE_ZERO) == 1);
}

/* Any two hyperplanes, by counting. */
static void counted(void)
{
    hsp__random random;
    hsp__random_seed(&random, 5, 0);
    for (int t = 0; t < 6; t++) {
        double u[3], w[3], square = 0;
        for (int j = 0; j < 3; j++) {
            u[j] = hsp__random_normal(&random);
            w[j] = 2 * hsp__random_normal(&random);
            square += u[j] * u[j];
        }
        for (int j = 0; j < 3; j++)
            u[j] /= sqrt(square);
        const hsp__gaussian truth = {3, u, hsp__random_normal(&random), 0};
        const double b = hsp__random_normal(&random);
        int wrong = 0, rows = 40000;
        for (int i = 0; i < rows; i++) {
            double s = b, z = truth.offset;
            for (int j = 0; j < 3; j++) {
                const double x = hsp__random_normal(&random);
                s += w[j] * x;
                z += u[j] * x;
            }
            wrong += (s > 0) != (z > 0);
        }
        const double error = hsp__gaussian_error(&truth, w, b, HSP_TIE_NEG);
        CHECK_NOTE(fabs(error - (double)wrong / rows) <= 5 * sqrt(error * (1 - error) / rows),
                   "%g, counted %g", error, (double)wrong / rows);
    }
}

/* No bound fails more often than delta, luck aside; those that apply did. */
static void check_held(const hsp_simulation *made, const char *const *names)
{
    CHECK(made != NULL);
    if (!made) return;
    for (; *names; names++)
        for (size_t i = 0; i < made->count; i++)
            if (strcmp(made->bounds[i].about.name, *names) == 0)
                CHECK_NOTE(made->bounds[i].applied == made->trials, "%s", *names);
    for (size_t i = 0; i < made->count; i++) {
        const hsp_trial_bound *bound = &made->bounds[i];
        if (!bound->applied) continue;
        CHECK_NOTE(bound->mean_value >= bound->mean_error, "%s: mean %g, error %g",
                   bound->about.name, bound->mean_value, bound->mean_error);
        if (strcmp(bound->about.kind, "estimate") == 0) continue;
        CHECK_NOTE(bound->chance >= 1e-4, "%s failed in %llu of %llu", bound->about.name,
                   (unsigned long long)bound->failed, (unsigned long long)bound->applied);
    }
    CHECK(made->mean_train_error < made->mean_true_error);
    CHECK(made->mean_true_error >= made->best_error);
}

static void perceptrons(void)
{
    static const char *const names[] = {"test-binomial", "vc",          "rounded",   "margin",
                                        "online",        "compression", "pac-bayes", NULL};
    hsp_simulation *made =
        simulate((const char *[]){"trials", "150", "delta", "0.25", "set", "passes=2", NULL}, NULL);
    check_held(made, names);
    hsp_simulation_free(made);
    made =
        simulate((const char *[]){"trials", "100", "delta", "0.25", "noise", "0", "columns", "2",
                                  "rows", "100", "offset", "0.4", "set", "average=average", NULL},
                 NULL);
    check_held(made, names);
    hsp_simulation_free(made);
}

static void machines(void)
{
    static const char *const names[] = {"test-hoeffding", "vc-relative", "compression", "margin",
                                        NULL};
    hsp_simulation *made = simulate(
        (const char *[]){"trials", "100", "delta", "0.25", "learner", "svm", "rows", "100", NULL},
        NULL);
    check_held(made, names);
    hsp_simulation_free(made);
}

/* The exact binomial bound is nearly as wrong as it may be: a test that it is compared with the
 * truth at all. */
static void sharp(void)
{
    hsp_simulation *made = simulate(
        (const char *[]){"trials", "300", "delta", "0.5", "rows", "50", "test-rows", "200", NULL},
        NULL);
    CHECK(made != NULL);
    if (!made) return;
    CHECK_TEXT(made->bounds[0].about.name, "test-binomial");
    CHECK(made->bounds[0].failed >= 100 && made->bounds[0].failed <= 170);
    hsp_simulation_free(made);
}

static void threads(void)
{
    hsp_simulation *made[2];
    for (int i = 0; i < 2; i++) {
        hsp_context_set_threads(ctx, i ? 4 : 1);
        made[i] = simulate((const char *[]){"trials", "12", "rows", "60", "seed", "7", NULL}, NULL);
    }
    hsp_context_set_threads(ctx, 0);
    CHECK(made[0] && made[1] && made[0]->count == made[1]->count);
    for (size_t i = 0; made[0] && made[1] && i < made[0]->count; i++) {
        const hsp_trial_bound *a = &made[0]->bounds[i], *b = &made[1]->bounds[i];
        CHECK(a->applied == b->applied && a->failed == b->failed && a->vacuous == b->vacuous);
        CHECK(!a->applied || (a->mean_value == b->mean_value && a->mean_error == b->mean_error));
    }
    CHECK(made[0] && made[1] && made[0]->mean_true_error == made[1]->mean_true_error);
    hsp_simulation_free(made[0]);
    hsp_simulation_free(made[1]);
}

static void refused(void)
{
    static const char *const wrong[][5] = {{"learner", "oracle", NULL},
                                           {"set", "passes", NULL},
                                           {"set", "passes=x", NULL},
                                           {"set", "trace=x.csv", NULL},
                                           {"set", "average=vote", "trials", "2", NULL},
                                           {"set", "kernel=rbf(1)", "trials", "2", NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsp_error err = {0};
        CHECK_NOTE(simulate(wrong[i], &err) == NULL, "case %zu", i);
        CHECK_NOTE(err.status == HSP_USAGE && err.message[0], "case %zu: %s", i, err.message);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(angles);
    RUN(parallel);
    RUN(constant);
    RUN(counted);
    RUN(perceptrons);
    RUN(machines);
    RUN(sharp);
    RUN(threads);
    RUN(refused);
    hsp_context_free(ctx);
    return check_done();
}
