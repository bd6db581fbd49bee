/* The support vector machine: by hand, and what must hold whatever the data. */
#include "learn/erm/gap.h"
#include "learn/machine.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"

static hsp_context *ctx;

/* ---- By hand --------------------------------------------------------------------------------- */

/* -1 and +1 on a line. Widest: w = 1, b = 0, margin 1, both dual weights 1/2, P = D = 1/2. Costs
 * above 1/2 change nothing. C = 0.1: a = 0.1 each, w = 0.2, P = 0.02 + 0.1 (2 - 0.4) = 0.18, and
 * with lambda = 1 / (0.1 * 2) = 5 it is J = 0.9. */
static void test_two_points(void)
{
    const machine_set set = {2, 1, 2, {-1, 1}, {0, 1}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = machine_train(ctx, data, "svm", "hard=yes gap=1e-9 keep-dual=yes", &run);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.convergence.gap <= 1e-9 && run.training_error == 0);
    CHECK(machine_near(hsp_model_weights(model, 0)[0], 1, 1e-8));
    CHECK(machine_near(hsp_model_offset(model, 0), 0, 1e-8));
    CHECK(machine_near(run.convergence.margin, 1, 1e-8));
    CHECK(machine_near(run.convergence.objective, 0.5, 1e-8));
    CHECK(isnan(run.convergence.C) && isnan(run.convergence.lambda));
    const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
    CHECK(kept.count == 2 && machine_near(kept.amount[0], -0.5, 1e-8) &&
          machine_near(kept.amount[1], 0.5, 1e-8));
    CHECK_TEXT(hsp_model_metadata(model, "converged"), "true");
    hsp_model_free(model);
    model = machine_train(ctx, data, "svm", "C=0.1 gap=1e-9", &run);
    CHECK(machine_near(hsp_model_weights(model, 0)[0], 0.2, 1e-8));
    CHECK(machine_near(run.convergence.objective, 0.9, 1e-8));
    CHECK(machine_near(run.convergence.dual_objective, 0.9, 1e-8));
    CHECK(run.convergence.C == 0.1 && machine_near(run.convergence.lambda, 5, 1e-15));
    CHECK(run.convergence.support_vectors == 2);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* (0,0)- against (2,0)+ and (0,2)+: w = (1,1), b = -1, margin 1/sqrt 2; a = 1, 1/2, 1/2. */
static void test_three_points(void)
{
    const machine_set set = {3, 2, 2, {0, 0, 2, 0, 0, 2}, {0, 1, 1}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_training run = {.size = sizeof run};
    static const char *const ways[] = {"hard=yes gap=1e-9 keep-dual=yes",
                                       "C=10 gap=1e-9 keep-dual=yes"};
    for (int i = 0; i < 2; i++) {
        hsp_model *model = machine_train(ctx, data, "svm", ways[i], &run);
        CHECK(run.stop == HSP_STOP_CONVERGED);
        CHECK(machine_near(hsp_model_weights(model, 0)[0], 1, 1e-4));
        CHECK(machine_near(hsp_model_weights(model, 0)[1], 1, 1e-4));
        CHECK(machine_near(hsp_model_offset(model, 0), -1, 1e-4));
        CHECK(machine_near(run.convergence.margin, sqrt(0.5), 1e-4));
        CHECK(run.convergence.support_vectors == 3 && run.convergence.on_margin == 3);
        const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
        CHECK(kept.count == 3 && machine_near(kept.amount[0], -1, 1e-4) &&
              machine_near(kept.amount[1], 0.5, 1e-4) && machine_near(kept.amount[2], 0.5, 1e-4));
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

/* s(x) = x1 through four points: a wrong one at distance 1 costs 2, one beyond the margin nothing,
 * one inside it between 0 and 1 (here 1/2), one on the boundary 1. */
static void test_four_hinge_losses(void)
{
    const machine_set set = {4, 2, 2, {-1, 3, 2, 1, 0.5, 0, 0, 2}, {1, 1, 1, 0}};
    static const double wanted[] = {2, 0, 0.5, 1};
    const double w[] = {1, 0};
    hsp_data *data = machine_data(ctx, &set);
    const hsp_view *view = NULL;
    double scores[4];
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    const hsp__problem p = {.view = view, .positive = 1, .loss = &hsp__hinge, .cost = {1, 1}};
    hsp__matvec_scores(ctx, view, w, 0, scores);
    for (uint64_t i = 0; i < 4; i++)
        CHECK(hsp__hinge_value(0, 1 - hsp__problem_y(&p, i) * scores[i]) == wanted[i]);
    CHECK(machine_near(hsp__gap_primal(ctx, &p, w, 0, scores, NULL), 0.5 + 3.5, 1e-13));
    hsp_data_free(data);
}

/* ---- Not separable --------------------------------------------------------------------------- */

/* The diagonals of a square cross in its centre; row 0 is of a class that is left out. */
static void test_inseparable(void)
{
    const machine_set set = {5, 2, 3, {9, 9, 0, 0, 1, 1, 0, 1, 1, 0}, {2, 0, 0, 1, 1}};
    hsp_data *data = machine_data(ctx, &set);
    static const char *const ways[] = {"hard=yes classes=a,b",
                                       "hard=yes classes=b,a offset=regularized"};
    for (int way = 0; way < 2; way++) {
        hsp_training run = {.size = sizeof run};
        hsp_model *model = machine_train(ctx, data, "svm", ways[way], &run);
        CHECK(model == NULL && run.stop == HSP_STOP_INSEPARABLE);
        const hsp_evidence *evidence = run.evidence;
        CHECK(evidence != NULL);
        double total[3] = {0}, mean[3][2] = {{0}};
        for (uint64_t k = 0; evidence && k < evidence->count; k++) {
            const uint64_t row = evidence->row[k];
            CHECK(row >= 1 && row < 5 && evidence->multiplier[k] > 0);
            total[set.label[row]] += evidence->multiplier[k];
            for (int j = 0; j < 2; j++)
                mean[set.label[row]][j] += evidence->multiplier[k] * set.x[row * 2 + (uint64_t)j];
        }
        CHECK(total[2] == 0 && machine_near(total[0], 1, 1e-12) &&
              machine_near(total[1], 1, 1e-12));
        CHECK(hypot(mean[0][0] - mean[1][0], mean[0][1] - mean[1][1]) <= 1e-6);
        CHECK(evidence && evidence->distance <= 1e-6 && evidence->margin == evidence->distance / 2);
        CHECK(isnan(run.convergence.objective) && isnan(run.training_error));
        CHECK(evidence && !evidence->of);
        hsp_evidence_free(run.evidence);
    }
    hsp_data_free(data);
}

/* b lies between a and c on a line: it cannot be told from the rest, a and c can. */
static void test_inseparable_class(void)
{
    const machine_set set = {4, 1, 3, {-2, -1, 0, 3}, {0, 0, 1, 2}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_training run = {.size = sizeof run};
    for (int threads = 1; threads <= 2; threads++) {
        hsp_context_set_threads(ctx, threads);
        hsp_model *model = machine_train(ctx, data, "svm", "hard=yes", &run);
        CHECK(model == NULL && run.stop == HSP_STOP_INSEPARABLE && run.evidence);
        CHECK(run.evidence && run.evidence->of && strcmp(run.evidence->of, "b") == 0);
        hsp_evidence_free(run.evidence);
    }
    hsp_context_set_threads(ctx, 0);
    hsp_data_free(data);
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* The set with a column of weights 0 to 3 behind the others, and with the copies they stand for. */
static void weighted_twins(machine_set *with, machine_set *copies, uint32_t classes, uint64_t seed)
{
    hsp__random random;
    machine_random(with, 40, 4, classes, 1, seed);
    hsp__random_seed(&random, seed, 1);
    *copies = (machine_set){.d = 4, .classes = classes};
    for (uint64_t i = 0; i < with->n; i++) {
        const uint64_t weight = i < classes ? 1 : hsp__random_below(&random, 4);
        with->x[i * 4 + 3] = (double)weight;
        for (uint64_t k = 0; k < weight; k++) {
            memcpy(copies->x + copies->n * 4, with->x + i * 4, 4 * sizeof *with->x);
            copies->x[copies->n * 4 + 3] = 0;
            copies->label[copies->n++] = with->label[i];
        }
    }
}

static void test_weights_are_copies(void)
{
    static const char *const ways[] = {"C=0.5",
                                       "lambda=0.05",
                                       "C=3 loss=squared",
                                       "lambda=0.01 loss=squared",
                                       "C=1 weight=b=3",
                                       "C=1 weight=balanced",
                                       "C=2 offset=none",
                                       "C=2 offset=regularized",
                                       "lambda=0.1 weight=a=0.25"};
    for (size_t i = 0; i < 2 * sizeof ways / sizeof *ways; i++) {
        machine_set with, copies;
        char settings[160];
        weighted_twins(&with, &copies, i % 2 ? 3 : 2, i);
        hsp_data *one = machine_data(ctx, &with), *many = machine_data(ctx, &copies);
        hsp_training of_one = {.size = sizeof of_one}, of_many = {.size = sizeof of_many};
        snprintf(settings, sizeof settings, "%s gap=1e-9 row-weight=x4", ways[i / 2]);
        hsp_model *a = machine_train(ctx, one, "svm", settings, &of_one);
        snprintf(settings, sizeof settings, "%s gap=1e-9", ways[i / 2]);
        hsp_model *b = machine_train(ctx, many, "svm", settings, &of_many);
        CHECK(of_one.stop == HSP_STOP_CONVERGED && of_many.stop == HSP_STOP_CONVERGED);
        CHECK_NOTE(machine_near(of_one.convergence.objective, of_many.convergence.objective, 3e-9),
                   "%s: %.12g %.12g", ways[i / 2], of_one.convergence.objective,
                   of_many.convergence.objective);
        CHECK(machine_near(of_one.convergence.lambda, of_many.convergence.lambda, 1e-14));
        CHECK_NOTE(machine_distance(a, b) <= 1e-2, "%s: %g", ways[i / 2], machine_distance(a, b));
        for (uint32_t c = 0; c < hsp_model_scorers(a); c++)
            CHECK(hsp_model_weights(a, c)[3] == 0);
        hsp_model_free(a);
        hsp_model_free(b);
        hsp_data_free(one);
        hsp_data_free(many);
    }
}

/* A class's weight is copies of its rows too, but for n: with C it makes no difference. */
static void test_class_weights(void)
{
    machine_set set, copies = {.d = 3, .classes = 2};
    machine_random(&set, 50, 3, 2, 1, 5);
    for (uint64_t i = 0; i < set.n; i++)
        for (uint32_t k = 0; k < (set.label[i] ? 2u : 1u); k++) {
            memcpy(copies.x + copies.n * 3, set.x + i * 3, 3 * sizeof *set.x);
            copies.label[copies.n++] = set.label[i];
        }
    hsp_data *one = machine_data(ctx, &set), *many = machine_data(ctx, &copies);
    hsp_training of_one = {.size = sizeof of_one}, of_many = {.size = sizeof of_many};
    hsp_model *a = machine_train(ctx, one, "svm", "gap=1e-9 weight=b=2", &of_one);
    hsp_model *b = machine_train(ctx, many, "svm", "gap=1e-9", &of_many);
    CHECK(machine_near(of_one.convergence.objective * 50,
                       of_many.convergence.objective * (double)copies.n, 3e-9));
    CHECK(machine_near(of_one.convergence.lambda, 1.0 / 50, 1e-14));
    hsp_model_free(a);
    hsp_model_free(b);
    hsp_data_free(one);
    hsp_data_free(many);
}

/* ---- C, lambda, margins ---------------------------------------------------------------------- */

static void test_C_is_lambda(void)
{
    machine_set set;
    machine_random(&set, 64, 4, 2, 1, 7);
    hsp_data *data = machine_data(ctx, &set);
    hsp_training of_C = {.size = sizeof of_C}, of_lambda = {.size = sizeof of_lambda};
    hsp_model *a = machine_train(ctx, data, "svm", "C=0.25 gap=1e-6", &of_C);
    hsp_model *b = machine_train(ctx, data, "svm", "lambda=0.0625 gap=1e-6", &of_lambda);
    CHECK(of_C.convergence.lambda == 0.0625 && of_lambda.convergence.C == 0.25);
    CHECK(machine_same_bits(a, b) && of_C.convergence.objective == of_lambda.convergence.objective);
    hsp_options *again = machine_options(ctx, "svm", ""); /* what was not set is not set */
    CHECK(hsp_model_set_options(b, again, NULL) == HSP_OK);
    CHECK(!hsp_options_is_set(again, "C") && hsp_options_real(again, "lambda") == 0.0625);
    hsp_options_free(again);
    hsp_model *c = machine_train(ctx, data, "svm", "gap=1e-6", &of_C);
    CHECK(of_C.convergence.C == 1 && of_C.convergence.lambda == 1.0 / 64);
    hsp_model_free(a);
    hsp_model_free(b);
    hsp_model_free(c);
    hsp_data_free(data);
}

static void test_large_C_is_hard(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        machine_set set;
        hsp_training hard = {.size = sizeof hard}, soft = {.size = sizeof soft};
        machine_random(&set, 40, 3, 2, 12, seed);
        hsp_data *data = machine_data(ctx, &set);
        hsp_model *a = machine_train(ctx, data, "svm", "hard=yes gap=1e-8", &hard);
        hsp_model *b = machine_train(ctx, data, "svm", "C=1e6 gap=1e-8", &soft);
        CHECK(hard.stop == HSP_STOP_CONVERGED && soft.stop == HSP_STOP_CONVERGED);
        CHECK(a && b && machine_distance(a, b) <= 1e-3);
        CHECK(machine_near(hard.convergence.margin, soft.convergence.margin, 1e-4));
        hsp_model_free(a);
        hsp_model_free(b);
        hsp_data_free(data);
    }
}

/* ||w(lambda)|| falls as lambda grows. Both runs are within the gap of their best, and P is
 * strongly convex, so that ||w|| is known to sqrt(2 gap P). */
static void test_larger_lambda_wider_margin(void)
{
    static const char *const losses[] = {"hinge", "squared"};
    for (uint64_t seed = 0; seed < 40; seed++) {
        machine_set set;
        machine_random(&set, 60, 4, 2, (double)(seed % 5), seed);
        hsp_data *data = machine_data(ctx, &set);
        double before = 0, doubt = 0;
        for (int k = 0; k < 6; k++) {
            char settings[96];
            hsp_training run = {.size = sizeof run};
            snprintf(settings, sizeof settings, "lambda=%g loss=%s gap=1e-9", 1e-3 * pow(4, k),
                     losses[seed % 2]);
            hsp_model *model = machine_train(ctx, data, "svm", settings, &run);
            const double size = 1 / run.convergence.inverse_norm;
            const double unsure = sqrt(2e-9 * run.convergence.objective / run.convergence.lambda);
            CHECK_NOTE(k == 0 || size <= before + doubt + unsure, "seed %d, lambda %d: %g > %g",
                       (int)seed, k, size, before);
            before = size;
            doubt = unsure;
            hsp_model_free(model);
        }
        hsp_data_free(data);
    }
}

/* ---- Solvers --------------------------------------------------------------------------------- */

/* Every solver that takes the problem, to the same objective. */
static void test_solvers_agree(void)
{
    static const char *const ways[] = {"C=1",
                                       "C=1 offset=none",
                                       "C=1 offset=regularized",
                                       "C=10 loss=squared",
                                       "C=10 loss=squared offset=regularized",
                                       "C=0.1 loss=squared offset=none",
                                       "C=0.02 weight=a=3"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        machine_set set;
        machine_random(&set, 80, 5, 2, 1, i);
        hsp_data *data = machine_data(ctx, &set);
        hsp_training best = {.size = sizeof best};
        char settings[160];
        snprintf(settings, sizeof settings, "%s gap=1e-6", ways[i]);
        hsp_model *model = machine_train(ctx, data, "svm", settings, &best);
        CHECK(best.stop == HSP_STOP_CONVERGED);
        hsp_model_free(model);
        for (size_t k = 0; hsp__solvers[k]; k++) {
            const double cost = 1;
            const hsp__problem p = {
                .loss = strstr(ways[i], "squared") ? &hsp__squared_hinge : &hsp__hinge,
                .offset = strstr(ways[i], "none")          ? HSP__OFFSET_NONE
                          : strstr(ways[i], "regularized") ? HSP__OFFSET_REGULARIZED
                                                           : HSP__OFFSET_FREE,
                .cost = {cost, cost}};
            if (!hsp__solvers[k]->suits(&p)) continue;
            hsp_training run = {.size = sizeof run}; /* pegasos is slow, and says so */
            const double gap = strcmp(hsp__solvers[k]->name, "pegasos") == 0 ? 0.05 : 1e-4;
            snprintf(settings, sizeof settings, "%s gap=%g solver=%s", ways[i], gap,
                     hsp__solvers[k]->name);
            model = machine_train(ctx, data, "svm", settings, &run);
            CHECK_TEXT(run.convergence.solver, hsp__solvers[k]->name);
            CHECK_NOTE(run.stop == HSP_STOP_CONVERGED && run.convergence.gap <= gap, "%s: gap %g",
                       settings, run.convergence.gap);
            CHECK_NOTE(
                machine_near(run.convergence.objective, best.convergence.objective, 1.1 * gap),
                "%s: %.9g, best %.9g", settings, run.convergence.objective,
                best.convergence.objective);
            CHECK(run.convergence.dual_objective <= best.convergence.objective * (1 + 1e-12));
            hsp_model_free(model);
        }
        hsp_data_free(data);
    }
}

/* Penalty l1: the objective from data and model alone, and weights of exactly 0 the more of them
 * the smaller C is, until all are. */
static void test_sparse_weights(void)
{
    static const double costs[] = {1e-4, 0.01, 0.1, 1};
    uint64_t before = 0;
    machine_set set;
    machine_random(&set, 100, 8, 2, 1, 21);
    hsp_data *data = machine_data(ctx, &set);
    for (int k = 0; k < 4; k++) {
        char settings[96];
        hsp_training run = {.size = sizeof run};
        snprintf(settings, sizeof settings, "penalty=l1 loss=squared C=%g gap=1e-7", costs[k]);
        hsp_model *model = machine_train(ctx, data, "svm", settings, &run);
        const double *w = hsp_model_weights(model, 0);
        double objective = 0;
        uint64_t used = 0;
        for (uint64_t i = 0; i < set.n; i++) {
            double s = hsp_model_offset(model, 0);
            for (uint64_t j = 0; j < set.d; j++)
                s += w[j] * set.x[i * set.d + j];
            objective += costs[k] * pow(fmax(0, 1 - (set.label[i] ? s : -s)), 2);
        }
        for (uint64_t j = 0; j < set.d; j++) {
            objective += fabs(w[j]);
            used += w[j] != 0;
        }
        CHECK(run.stop == HSP_STOP_CONVERGED);
        CHECK(machine_near(objective * run.convergence.lambda, run.convergence.objective, 1e-12));
        CHECK(used >= before && (k > 0 || used == 0));
        before = used;
        hsp_model_free(model);
    }
    CHECK(before > 2);
    hsp_data_free(data);
}

/* ---- Dual weights, starts -------------------------------------------------------------------- */

/* Rows are in ascending order. */
static uint64_t distinct_rows(const hsp_row_coefficients *kept)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < kept->count; k++)
        count += k == 0 || kept->row[k] != kept->row[k - 1];
    return count;
}

/* Pairs of classes, with weights and with a kernel: a row counts once, and once a pair. */
static void test_support_of_pairs(void)
{
    static const char *const settings[] = {"multiclass=ovo", "multiclass=ovo kernel=rbf(0.5)",
                                           "multiclass=ovr kernel=rbf(0.5)"};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        machine_set set;
        hsp_training run = {.size = sizeof run};
        char text[96];
        machine_random(&set, 90, 3, 4, 1, k);
        hsp_data *data = machine_data(ctx, &set);
        snprintf(text, sizeof text, "%s keep-dual=yes", settings[k]);
        hsp_model_free(machine_train(ctx, data, "svm", settings[k], &run));
        const hsp_convergence plain = run.convergence;
        hsp_model *model = machine_train(ctx, data, "svm", text, &run);
        const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
        CHECK(run.convergence.support_sum == kept.count && plain.support_sum == kept.count);
        CHECK(run.convergence.support_vectors == distinct_rows(&kept));
        CHECK(plain.support_vectors == run.convergence.support_vectors);
        CHECK(run.convergence.support_vectors < kept.count &&
              run.convergence.support_vectors <= 90);
        CHECK(run.convergence.margin_class < 4);
        CHECK(k == 2 ? run.convergence.margin_other == UINT32_MAX
                     : run.convergence.margin_other < 4);
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

/* However large the gap, the margin that is reported is one that the model has: the widest is never
 * below it. */
static void test_margin_is_had(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        machine_set set;
        hsp_training hard = {.size = sizeof hard}, soft = {.size = sizeof soft};
        machine_random(&set, 40, 3, 2, 8, seed);
        hsp_data *data = machine_data(ctx, &set);
        hsp_model_free(machine_train(ctx, data, "svm", "hard=yes gap=1e-9", &hard));
        if (hard.stop == HSP_STOP_CONVERGED) {
            const double widest = 1 / sqrt(2 * hard.convergence.dual_objective);
            hsp_model_free(machine_train(ctx, data, "svm", "C=100 gap=0.05", &soft));
            CHECK_NOTE(soft.convergence.margin <= widest * (1 + 1e-12), "seed %d: %g, widest %g",
                       (int)seed, soft.convergence.margin, widest);
            CHECK(hard.convergence.margin <= widest * (1 + 1e-12));
            CHECK(hard.convergence.margin >= widest * (1 - 1e-6));
        }
        hsp_evidence_free(hard.evidence);
        hsp_data_free(data);
    }
}

static void test_dual_rebuilds(void)
{
    for (uint32_t classes = 2; classes <= 4; classes++) {
        machine_set set;
        hsp_training run = {.size = sizeof run};
        machine_random(&set, 90, 5, classes, 1.5, classes);
        hsp_data *data = machine_data(ctx, &set);
        hsp_model *model = machine_train(ctx, data, "svm", "gap=1e-9 C=0.5 keep-dual=yes", &run);
        CHECK(machine_rebuilt(&set, model) <= 1e-3);
        const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
        CHECK(kept.count == run.convergence.support_sum && kept.count > 0);
        CHECK(distinct_rows(&kept) == run.convergence.support_vectors);
        double balance[4] = {0};
        for (uint64_t k = 0; k < kept.count; k++) {
            CHECK(fabs(kept.amount[k]) <= 0.5 && fabs(kept.amount[k]) > 0);
            balance[kept.scorer[k]] += kept.amount[k];
        }
        for (uint32_t c = 0; c < 4; c++)
            CHECK(fabs(balance[c]) <= 1e-9);
        hsp_model_free(model);
        model = machine_train(ctx, data, "svm", "gap=1e-3", &run);
        CHECK(hsp_model_row_coefficients(model).count == 0);
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

/* From its own end, a run has little to do; from another's, it comes to the same objective. */
static void test_start(void)
{
    machine_set set, other;
    hsp_training cold = {.size = sizeof cold}, warm = {.size = sizeof warm};
    machine_random(&set, 120, 6, 3, 1, 11);
    machine_random(&other, 120, 6, 3, 1, 12);
    hsp_data *data = machine_data(ctx, &set), *elsewhere = machine_data(ctx, &other);
    hsp_model *first = machine_train(ctx, data, "svm", "gap=1e-6 keep-dual=yes", &cold);
    hsp_model *again = machine_train_from(ctx, data, "svm", "gap=1e-5", first, &warm);
    CHECK(warm.stop == HSP_STOP_CONVERGED && warm.passes < cold.passes);
    CHECK(machine_near(warm.convergence.objective, cold.convergence.objective, 2e-5));
    hsp_model *from_other = machine_train(ctx, elsewhere, "svm", "gap=1e-3", &warm);
    hsp_model *moved = machine_train_from(ctx, data, "svm", "gap=1e-6", from_other, &warm);
    CHECK(warm.stop == HSP_STOP_CONVERGED);
    CHECK(machine_near(warm.convergence.objective, cold.convergence.objective, 2e-6));
    hsp_options *options = machine_options(ctx, "svm", "classes=a,b");
    hsp_error err = {0};
    hsp_model *none = NULL;
    CHECK(hsp_train_from(ctx, data, options, first, &err, NULL, &none) == HSP_USAGE);
    CHECK(strstr(err.message, "other classes") != NULL);
    hsp_options_free(options);
    hsp_model_free(first);
    hsp_model_free(again);
    hsp_model_free(from_other);
    hsp_model_free(moved);
    hsp_data_free(data);
    hsp_data_free(elsewhere);
}

/* ---- Threads and classes --------------------------------------------------------------------- */

static void test_threads_change_nothing(void)
{
    static const char *const ways[] = {"C=1", "C=10 loss=squared", "C=1 offset=regularized",
                                       "lambda=0.001 weight=balanced"};
    for (uint32_t classes = 2; classes <= 6; classes += 2)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            machine_set set;
            hsp_training run[2] = {{.size = sizeof *run}, {.size = sizeof *run}};
            hsp_model *model[2];
            machine_random(&set, 150, 6, classes, 1, i);
            hsp_data *data = machine_data(ctx, &set);
            for (int k = 0; k < 2; k++) {
                hsp_context_set_threads(ctx, k ? 4 : 1);
                model[k] = machine_train(ctx, data, "svm", ways[i], &run[k]);
            }
            hsp_context_set_threads(ctx, 0);
            CHECK(machine_same_bits(model[0], model[1]));
            CHECK(run[0].passes == run[1].passes &&
                  run[0].convergence.objective == run[1].convergence.objective &&
                  run[0].convergence.dual_objective == run[1].convergence.dual_objective);
            hsp_model_free(model[0]);
            hsp_model_free(model[1]);
            hsp_data_free(data);
        }
}

static void test_classes_are_runs_of_their_own(void)
{
    static const char *const ways[] = {"C=0.5", "C=1 weight=balanced"};
    for (int way = 0; way < 2; way++) {
        machine_set set;
        hsp_training all = {.size = sizeof all}, one = {.size = sizeof one};
        double objective = 0;
        machine_random(&set, 120, 6, 4, 1.5, 3);
        hsp_data *data = machine_data(ctx, &set);
        hsp_model *model = machine_train(ctx, data, "svm", ways[way], &all);
        CHECK(hsp_model_scorers(model) == 4);
        for (uint32_t c = 0; c < 4; c++) {
            char settings[96];
            snprintf(settings, sizeof settings, "%s positive=%c", ways[way], 'a' + (int)c);
            hsp_model *alone = machine_train(ctx, data, "svm", settings, &one);
            const double b = hsp_model_offset(model, c), d = hsp_model_offset(alone, 0);
            CHECK(memcmp(hsp_model_weights(model, c), hsp_model_weights(alone, 0),
                         6 * sizeof(double)) == 0);
            CHECK(memcmp(&b, &d, sizeof b) == 0);
            objective += one.convergence.objective;
            hsp_model_free(alone);
        }
        CHECK(machine_near(objective, all.convergence.objective, 1e-12));
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

/* All classes at once: the objective from data and model alone, and w from the dual weights. */
static void test_all_at_once(void)
{
    machine_set set;
    hsp_training run = {.size = sizeof run};
    double objective = 0;
    machine_random(&set, 100, 6, 4, 1.5, 8);
    hsp_data *data = machine_data(ctx, &set);
    hsp_model *model = machine_train(
        ctx, data, "svm", "multiclass=crammer-singer gap=1e-3 keep-dual=yes weight=a=2", &run);
    CHECK(run.stop == HSP_STOP_CONVERGED && hsp_model_scorers(model) == 4);
    CHECK_TEXT(run.convergence.solver, "crammer-singer");
    for (uint64_t i = 0; i < set.n; i++) {
        double s[4], best = -HUGE_VAL;
        for (uint32_t c = 0; c < 4; c++) {
            s[c] = hsp_model_offset(model, c);
            for (uint64_t j = 0; j < set.d; j++)
                s[c] += hsp_model_weights(model, c)[j] * set.x[i * set.d + j];
            if (c != set.label[i]) best = fmax(best, s[c]);
        }
        objective += (set.label[i] == 0 ? 2 : 1) * fmax(0, 1 + best - s[set.label[i]]);
    }
    for (uint32_t c = 0; c < 4; c++)
        for (uint64_t j = 0; j < set.d; j++)
            objective += pow(hsp_model_weights(model, c)[j], 2) / 2;
    CHECK(machine_near(objective / 100, run.convergence.objective, 1e-12));
    CHECK(machine_rebuilt(&set, model) <= 0.1);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* ---- What cannot be done --------------------------------------------------------------------- */

static void test_refusals(void)
{
    machine_set set;
    machine_random(&set, 20, 4, 2, 1, 1);
    hsp_data *data = machine_data(ctx, &set);
    machine_refused(ctx, data, "svm", "C=1 lambda=1", HSP_USAGE, "one of them");
    machine_refused(ctx, data, "svm", "weight=z=2", HSP_USAGE, "no class 'z'");
    machine_refused(ctx, data, "svm", "weight=a=0", HSP_USAGE, "above 0");
    machine_refused(ctx, data, "svm", "weight=a", HSP_USAGE, "expected balanced");
    machine_refused(ctx, data, "svm", "weight=balanced weight=a=2", HSP_USAGE,
                    "cannot be combined");
    machine_refused(ctx, data, "svm", "hard=yes C=2", HSP_USAGE, "C has no effect");
    machine_refused(ctx, data, "svm", "hard=yes penalty=l1", HSP_USAGE, "penalty l2");
    machine_refused(ctx, data, "svm", "hard=yes loss=squared", HSP_USAGE, "--loss has no effect");
    machine_refused(ctx, data, "svm", "penalty=l1", HSP_USAGE, "loss squared");
    machine_refused(ctx, data, "svm", "multiclass=crammer-singer loss=squared", HSP_USAGE,
                    "hinge loss");
    machine_refused(ctx, data, "svm", "row-weight=x9", HSP_USAGE, "name or the number");
    machine_refused(ctx, data, "svm", "row-weight=1", HSP_BAD_DATA, "expected 0 or more");
    machine_refused(ctx, data, "svm", "row-weight=x1 normalize=rows", HSP_USAGE,
                    "count in the norm");
    hsp_data_free(data);
    for (uint64_t i = 0; i < set.n; i++)
        set.label[i] = 1;
    data = machine_data(ctx, &set);
    machine_refused(ctx, data, "svm", "C=1", HSP_BAD_DATA, "all rows are of the class 'b'");
    hsp_data_free(data);
}

static void test_no_memory(void)
{
    static const machine_set xor = {4, 2, 2, {0, 0, 1, 1, 0, 1, 1, 0}, {0, 0, 1, 1}};
    machine_set two, three;
    machine_random(&two, 30, 3, 2, 2, 1);
    machine_random(&three, 30, 3, 3, 2, 2);
    for (uint64_t i = 0; i < 30; i++)
        two.x[i * 3 + 2] = (double)(i % 3);
    machine_starve(&two, "svm", "row-weight=x3 keep-dual=yes weight=b=2");
    machine_starve(&three, "svm", "weight=balanced scale=standard");
    machine_starve(&three, "svm", "weight=a=2 keep-dual=yes loss=squared");
    machine_starve(&three, "svm", "multiclass=crammer-singer keep-dual=yes gap=0.1");
    machine_starve(&two, "svm", "penalty=l1 loss=squared");
    machine_starve(&xor, "svm", "hard=yes classes=a,b");
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_two_points);
    RUN(test_three_points);
    RUN(test_four_hinge_losses);
    RUN(test_inseparable);
    RUN(test_inseparable_class);
    RUN(test_weights_are_copies);
    RUN(test_class_weights);
    RUN(test_C_is_lambda);
    RUN(test_large_C_is_hard);
    RUN(test_larger_lambda_wider_margin);
    RUN(test_solvers_agree);
    RUN(test_sparse_weights);
    RUN(test_dual_rebuilds);
    RUN(test_support_of_pairs);
    RUN(test_margin_is_had);
    RUN(test_start);
    RUN(test_threads_change_nothing);
    RUN(test_classes_are_runs_of_their_own);
    RUN(test_all_at_once);
    RUN(test_refusals);
    RUN(test_no_memory);
    hsp_context_free(ctx);
    return check_done();
}
