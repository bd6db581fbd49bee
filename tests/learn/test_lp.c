/* lp: by hand, and on thousands of small sets of whole numbers whose separability is decided
 * exactly by Fourier-Motzkin elimination, which shares nothing with the learner. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "halfspace_all.h"
#include "learn/lp/lp.h"
#include "learn/machine.h"

enum { ROWS = 9, COLS = 3 };

typedef struct lp_set {
    int n, d;
    int x[ROWS][COLS];
    int label[ROWS];
} lp_set;

static hsp_context *ctx;

#define NEEDS_CLP() \
    if (hsp__clp_ready(NULL) != HSP_OK) CHECK_SKIP("built without CLP")

/* ---- Helpers --------------------------------------------------------------------------------- */

/* Rows of doubles as a data set of any storage and precision. */
static hsp_data *make_data(int n, int d, const double *x, const int *labels, int classes,
                           hsp_storage storage, hsp_precision precision)
{
    uint64_t starts[64] = {0};
    uint32_t indices[512], y[64];
    double values[512];
    float singles[512];
    hsp_data *data = NULL;
    int at = 0;
    for (int i = 0; i < n; i++) {
        y[i] = (uint32_t)labels[i];
        for (int j = 0; j < d; j++) {
            if (storage == HSP_SPARSE && x[i * d + j] == 0) continue;
            indices[at] = (uint32_t)j;
            values[at] = x[i * d + j];
            singles[at++] = (float)x[i * d + j];
        }
        starts[i + 1] = (uint64_t)at;
    }
    const void *all = precision == HSP_FLOAT32 ? (const void *)singles : (const void *)values;
    hsp_view view =
        storage == HSP_DENSE
            ? hsp_view_dense(precision, (uint64_t)n, (uint64_t)d, (uint64_t)d, all)
            : hsp_view_sparse(precision, (uint64_t)n, (uint64_t)d, 8, starts, indices, all);
    view.labels = y;
    view.classes = (uint32_t)classes;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

static hsp_options *make_options(const char *const *settings)
{
    return test_options_pairs(ctx, hsp_learner_find("lp"), settings);
}

static hsp_status train(hsp_data *data, const char *const *settings, hsp_error *err,
                        hsp_training *run, hsp_model **model)
{
    hsp_options *options = make_options(settings);
    *model = NULL;
    const hsp_status status = hsp_train(ctx, data, options, err, run, model);
    hsp_options_free(options);
    return status;
}

static const char *const plain[] = {NULL};
static const char *const through_origin[] = {"offset", "none", NULL};
static const char *const soft[] = {"soft", "yes", NULL};

/* ---- The exact answer ------------------------------------------------------------------------ */

__extension__ typedef __int128 whole;

typedef struct strict {
    whole c[COLS + 1];
} strict; /* <c, v> > 0 */

static whole divisor(whole a, whole b)
{
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b) {
        const whole rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* One of the pairs: a positive and a negative coefficient of `column` cancel. */
static strict cancel(const strict *up, const strict *down, int column)
{
    strict sum;
    whole common = 0;
    for (int j = 0; j <= COLS; j++) {
        sum.c[j] = up->c[j] * -down->c[column] + down->c[j] * up->c[column];
        common = divisor(common, sum.c[j]);
    }
    for (int j = 0; common > 1 && j <= COLS; j++)
        sum.c[j] /= common;
    return sum;
}

static int is_zero(const strict *row)
{
    for (int j = 0; j <= COLS; j++)
        if (row->c[j] != 0) return 0;
    return 1;
}

/* Is there a v with y <v, (x, 1)> > 0 for all rows (through: without the 1)? Fourier and Motzkin:
 * eliminating a variable from strict inequalities keeps whether they have a solution. */
static int separable(const lp_set *set, int through)
{
    enum { MOST = 1 << 15 };
    static strict now[MOST], next[MOST];
    int count = 0, made;
    for (int i = 0; i < set->n; i++) {
        const int y = set->label[i] ? 1 : -1;
        strict *row = &now[count++];
        memset(row, 0, sizeof *row);
        for (int j = 0; j < set->d; j++)
            row->c[j] = y * set->x[i][j];
        row->c[COLS] = through ? 0 : y;
    }
    for (int column = 0; column <= COLS; column++) {
        made = 0;
        for (int i = 0; i < count; i++) {
            if (now[i].c[column] == 0) next[made++] = now[i];
            for (int k = 0; now[i].c[column] > 0 && k < count; k++) {
                if (now[k].c[column] >= 0) continue;
                next[made] = cancel(&now[i], &now[k], column);
                if (is_zero(&next[made++])) return 0; /* 0 > 0 */
                if (made == MOST) abort();
            }
        }
        count = made;
        memcpy(now, next, (size_t)made * sizeof *now);
    }
    return count == 0; /* what is left of a row of zeros says 0 > 0 */
}

/* ---- What the learner says, checked ---------------------------------------------------------- */

static void check_separator(const hsp_model *model, int n, int d, const double *x,
                            const int *labels)
{
    const double *w = hsp_model_weights(model, 0);
    for (int i = 0; i < n; i++) {
        long double s = hsp_model_offset(model, 0);
        for (int j = 0; j < d; j++)
            s += (long double)w[j] * x[i * d + j];
        CHECK((labels[i] ? s : -s) > 0);
    }
}

static void check_evidence(const hsp_evidence *evidence, int n, int d, const double *x,
                           const int *labels, int through)
{
    long double sum[2] = {0, 0};
    CHECK(evidence != NULL);
    if (!evidence) return;
    CHECK(evidence->count >= 1 && evidence->count <= (uint64_t)d + 2);
    for (uint64_t k = 0; k < evidence->count; k++) {
        CHECK(evidence->row[k] < (uint64_t)n && evidence->multiplier[k] > 0);
        CHECK(k == 0 || evidence->row[k] > evidence->row[k - 1]);
        sum[labels[evidence->row[k]]] += evidence->multiplier[k];
    }
    if (through)
        CHECK(fabsl(sum[0] + sum[1] - 2) <= 1e-14);
    else
        CHECK(fabsl(sum[0] - 1) <= 1e-14 && fabsl(sum[1] - 1) <= 1e-14);
    for (int j = 0; j < d; j++) {
        long double apart = 0, size = 0;
        for (uint64_t k = 0; k < evidence->count; k++) {
            const long double term =
                evidence->multiplier[k] * x[evidence->row[k] * (uint64_t)d + (uint64_t)j];
            apart += labels[evidence->row[k]] ? term : -term;
            size += fabsl(term);
        }
        CHECK(fabsl(apart) <= 1e-14L * size);
    }
    CHECK(evidence->margin == evidence->distance / 2);
}

/* The learner agrees with the exact answer on columns multiplied by `factor`. */
static void check_set(const lp_set *set, const double *factor, hsp_storage storage,
                      hsp_precision precision, int through)
{
    double x[ROWS * COLS];
    hsp_training run = {.size = sizeof run};
    hsp_model *model = NULL;
    for (int i = 0; i < set->n; i++)
        for (int j = 0; j < set->d; j++)
            x[i * set->d + j] = set->x[i][j] * factor[j];
    hsp_data *data = make_data(set->n, set->d, x, set->label, 2, storage, precision);
    if (precision == HSP_FLOAT32)
        for (int k = 0; k < set->n * set->d; k++)
            x[k] = (double)(float)x[k];
    CHECK(train(data, through ? through_origin : plain, NULL, &run, &model) == HSP_OK);
    if (separable(set, through)) {
        CHECK(run.stop == HSP_STOP_CONVERGED && model != NULL && run.evidence == NULL);
        CHECK(run.training_error == 0);
        if (model) check_separator(model, set->n, set->d, x, set->label);
    } else {
        CHECK(run.stop == HSP_STOP_INSEPARABLE && model == NULL);
        check_evidence(run.evidence, set->n, set->d, x, set->label, through);
    }
    hsp_evidence_free(run.evidence);
    hsp_model_free(model);
    hsp_data_free(data);
}

static void random_set(hsp__random *random, lp_set *set)
{
    const uint64_t width = 1 + hsp__random_below(random, 4);
    *set = (lp_set){.n = 2 + (int)hsp__random_below(random, ROWS - 1),
                    .d = 1 + (int)hsp__random_below(random, COLS)};
    const int bias = (int)hsp__random_below(random, 3);
    for (int i = 0; i < set->n; i++) {
        set->label[i] = i < 2 ? i : (int)hsp__random_below(random, 2);
        for (int j = 0; j < set->d; j++)
            set->x[i][j] = (int)hsp__random_below(random, 2 * width + 1) - (int)width +
                           (j == 0 && set->label[i] ? bias : 0);
    }
    /* now and then a column of zeros, a constant one, a copy of another, a row of both classes */
    const int kind = (int)hsp__random_below(random, 8),
              at = (int)hsp__random_below(random, (uint64_t)set->d);
    for (int i = 0; kind < 3 && i < set->n; i++)
        set->x[i][at] = kind == 0 ? 0 : kind == 1 ? 3 : set->x[i][0];
    if (kind == 3) memcpy(set->x[1], set->x[0], sizeof set->x[0]);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_small_sets(void)
{
    NEEDS_CLP();
    /* about 1e150 and 1e-150; powers of two, so that what touches goes on touching */
    static const double factors[] = {1, 1, 0x1p498, 0x1p-498, 0x1p40};
    hsp__random random;
    int yes = 0, all = 0;
    hsp__random_seed(&random, 7, 0);
    for (int round = 0; round < 4000; round++) {
        lp_set set;
        double factor[COLS];
        random_set(&random, &set);
        for (int j = 0; j < COLS; j++)
            factor[j] = round % 2 ? factors[hsp__random_below(&random, 5)] : 1;
        check_set(&set, factor, round % 3 ? HSP_DENSE : HSP_SPARSE,
                  round % 2 ? HSP_FLOAT64 : HSP_FLOAT32, round % 5 == 0);
        yes += separable(&set, round % 5 == 0);
        all++;
        if (check_failures) break;
    }
    CHECK(yes > all / 10 && yes < all * 9 / 10);
}

/* A point of one class on the segment between two of the other, moved off it by `gap`. */
static void nearly(double gap, int expect_separable)
{
    for (int turn = 0; turn < 16; turn++) {
        const double angle = turn * 0.37, c = cos(angle), s = sin(angle);
        const double at[4][2] = {{-1, 0}, {1, 0}, {0.3, -gap}, {0.1, -0.7}};
        const int labels[] = {1, 1, 0, 0};
        double x[8];
        hsp_training run = {.size = sizeof run};
        hsp_model *model;
        for (int i = 0; i < 4; i++) {
            x[2 * i] = turn ? c * at[i][0] - s * at[i][1] : at[i][0];
            x[2 * i + 1] = turn ? s * at[i][0] + c * at[i][1] : at[i][1];
        }
        hsp_data *data = make_data(4, 2, x, labels, 2, HSP_DENSE, HSP_FLOAT64);
        CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
        CHECK_NOTE(run.stop == (expect_separable ? HSP_STOP_CONVERGED : HSP_STOP_INSEPARABLE),
                   "gap %g turn %d: %s", gap, turn, hsp_stop_name(run.stop));
        if (model) check_separator(model, 4, 2, x, labels);
        if (run.evidence) check_evidence(run.evidence, 4, 2, x, labels, 0);
        hsp_evidence_free(run.evidence);
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

static void test_tiny_margins(void)
{
    NEEDS_CLP();
    nearly(1e-6, 1);
    nearly(1e-9, 1);
    nearly(1e-12, 1);
    nearly(1e-14, 1);
    nearly(-1e-6, 0);
    nearly(-1e-9, 0);
    nearly(-1e-12, 0);
    nearly(-1e-14, 0);
}

/* Rows of margin 1e-12 in more columns: (u, <k, u> + y (1e-12 + something)). */
static void test_tiny_margins_wide(void)
{
    NEEDS_CLP();
    enum { N = 40, D = 6 };
    hsp__random random;
    hsp__random_seed(&random, 3, 0);
    for (int round = 0; round < 100; round++) {
        double x[N * D], k[D];
        int labels[N];
        hsp_training run = {.size = sizeof run};
        hsp_model *model;
        for (int j = 0; j < D; j++)
            k[j] = 2 * hsp__random_unit(&random) - 1;
        for (int i = 0; i < N; i++) {
            double last = 0;
            labels[i] = i % 2;
            for (int j = 0; j < D - 1; j++) {
                x[i * D + j] = 2 * hsp__random_unit(&random) - 1;
                last += k[j] * x[i * D + j];
            }
            x[i * D + D - 1] = last + (labels[i] ? 1e-12 : -1e-12) * (1 + (i % 4 == 0));
        }
        hsp_data *data = make_data(N, D, x, labels, 2, HSP_DENSE, HSP_FLOAT64);
        CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
        CHECK_NOTE(run.stop == HSP_STOP_CONVERGED, "round %d: %s", round, hsp_stop_name(run.stop));
        if (model) check_separator(model, N, D, x, labels);
        hsp_evidence_free(run.evidence);
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

/* Two rows that are equal, of both classes: each is the whole evidence of its class. */
static void test_contradiction(void)
{
    NEEDS_CLP();
    const double x[] = {1, 2, 3, 4, 1, 2};
    const int labels[] = {0, 1, 1};
    hsp_training run = {.size = sizeof run};
    hsp_model *model;
    hsp_data *data = make_data(3, 2, x, labels, 2, HSP_DENSE, HSP_FLOAT32);
    CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_INSEPARABLE && run.evidence && run.evidence->count == 2);
    if (run.evidence)
        CHECK(run.evidence->row[0] == 0 && run.evidence->row[1] == 2 &&
              run.evidence->multiplier[0] == 1 && run.evidence->distance == 0);
    hsp_evidence_free(run.evidence);
    hsp_data_free(data);
}

static void test_one_class(void)
{
    NEEDS_CLP();
    const double x[] = {1, 2};
    const int labels[] = {0, 0};
    hsp_training run = {.size = sizeof run};
    hsp_model *model;
    hsp_error err = {0};
    hsp_data *data = make_data(1, 2, x, labels, 1, HSP_DENSE, HSP_FLOAT32);
    CHECK(train(data, plain, &err, &run, &model) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "expected two classes") != NULL);
    hsp_data_free(data);
}

/* Two rows, 0 and 2: any separator is between; w = 1, b = -1 has margin 1, and the learner's least
 * margin is in [1, 2). */
static void test_two_points(void)
{
    NEEDS_CLP();
    const double x[] = {0, 2};
    const int labels[] = {0, 1};
    hsp_training run = {.size = sizeof run};
    hsp_model *model;
    hsp_data *data = make_data(2, 1, x, labels, 2, HSP_DENSE, HSP_FLOAT32);
    CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.convergence.objective == 0 &&
          run.convergence.gap == 0);
    CHECK_TEXT(run.convergence.solver, "clp");
    const double low = -hsp_model_offset(model, 0);
    const double high = 2 * hsp_model_weights(model, 0)[0] + hsp_model_offset(model, 0);
    CHECK(fmin(low, high) >= 1 && fmin(low, high) < 2);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* 0+ 1- 2+ 3-, offset free. With w <= 0: s(0) >= s(1) >= s(2) >= s(3); the slack of 1 and 2
 * together is at least 2 (s(1) >= s(2): (1 + s1)+ + (1 - s2)+ >= 2), and w = -2, b = 3 has s = 3,
 * 1, -1, -3: slacks 0, 2, 2, 0. w = -1, b = 1.5 has s = 1.5 .5 -.5 -1.5: 0 + 1.5 + 1.5 + 0 = 3. The
 * limit is w = -2/3, b = 1: 1, 1/3, -1/3, -1: 0 + 4/3 + 4/3 + 0 = 8/3; smaller w leaves slack at 0
 * and 3 as fast as it takes it from 1 and 2: w = -2v/3.. the ends gain 2 (1 - v), the middle loses
 * 2 v / 3. At w = 0 the slack is 4. So the least is 8/3. */
static void test_soft_by_hand(void)
{
    NEEDS_CLP();
    const double x[] = {0, 1, 2, 3};
    const int labels[] = {1, 0, 1, 0};
    hsp_training run = {.size = sizeof run};
    hsp_model *model;
    hsp_data *data = make_data(4, 1, x, labels, 2, HSP_DENSE, HSP_FLOAT64);
    CHECK(train(data, soft, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_CONVERGED && model != NULL);
    CHECK(fabs(run.convergence.objective - 8.0 / 3) <= 1e-9);
    CHECK(fabs(run.convergence.dual_objective - 8.0 / 3) <= 1e-9);
    hsp_model_free(model);
    hsp_data_free(data);
}

static double slack_of(const lp_set *set, const double *w, double b)
{
    double sum = 0;
    for (int i = 0; i < set->n; i++) {
        double s = b;
        for (int j = 0; j < set->d; j++)
            s += w[j] * set->x[i][j];
        sum += fmax(0, 1 - (set->label[i] ? s : -s));
    }
    return sum;
}

/* The slack is what the model has, it is 0 exactly where sets are separable, and steps in any
 * direction do not lessen it (it is convex: no better point exists). */
static void test_soft_random(void)
{
    NEEDS_CLP();
    hsp__random random;
    hsp__random_seed(&random, 11, 0);
    for (int round = 0; round < 300 && !check_failures; round++) {
        lp_set set;
        double x[ROWS * COLS], w[COLS];
        hsp_training run = {.size = sizeof run};
        hsp_model *model;
        random_set(&random, &set);
        for (int i = 0; i < set.n; i++)
            for (int j = 0; j < set.d; j++)
                x[i * set.d + j] = set.x[i][j];
        hsp_data *data = make_data(set.n, set.d, x, set.label, 2, HSP_DENSE, HSP_FLOAT64);
        CHECK(train(data, soft, NULL, &run, &model) == HSP_OK);
        CHECK(run.stop == HSP_STOP_CONVERGED && run.evidence == NULL);
        const double b = hsp_model_offset(model, 0),
                     least = slack_of(&set, hsp_model_weights(model, 0), b);
        CHECK(fabs(least - run.convergence.objective) <= 1e-9);
        CHECK((least == 0) == separable(&set, 0));
        CHECK(run.convergence.dual_objective <= run.convergence.objective + 1e-9);
        for (int step = 0; step < 200; step++) {
            const double size = exp2(2 - step % 12);
            for (int j = 0; j < set.d; j++)
                w[j] = hsp_model_weights(model, 0)[j] + size * hsp__random_normal(&random);
            CHECK(slack_of(&set, w, b + size * hsp__random_normal(&random)) >= least - 1e-9);
        }
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

/* Weight k is k copies. */
static void test_soft_weights(void)
{
    NEEDS_CLP();
    static const char *const heavy[] = {"soft", "yes", "weight", "1=2", NULL};
    const double x[] = {0, 1, 2, 3}, copies[] = {0, 0, 1, 2, 2, 3};
    const int labels[] = {1, 0, 1, 0}, copied[] = {1, 1, 0, 1, 1, 0};
    hsp_training one = {.size = sizeof one}, other = {.size = sizeof other};
    hsp_model *model;
    hsp_data *data = make_data(4, 1, x, labels, 2, HSP_DENSE, HSP_FLOAT64);
    CHECK(train(data, heavy, NULL, &one, &model) == HSP_OK);
    hsp_model_free(model);
    hsp_data_free(data);
    data = make_data(6, 1, copies, copied, 2, HSP_DENSE, HSP_FLOAT64);
    CHECK(train(data, soft, NULL, &other, &model) == HSP_OK);
    hsp_model_free(model);
    hsp_data_free(data);
    CHECK(fabs(one.convergence.objective - other.convergence.objective) <= 1e-9);
    CHECK(one.convergence.objective > 8.0 / 3);
}

/* Three corners of a square apart from each other, and a fourth class in the middle of them. */
static void test_more_classes(void)
{
    NEEDS_CLP();
    static const char *const pairs[] = {"multiclass", "ovo", NULL};
    const double x[] = {0, 0, 0, 1, 9, 0, 9, 1, 4, 9, 5, 9, 4.5, 3};
    const int labels[] = {0, 0, 1, 1, 2, 2, 3};
    hsp_training run = {.size = sizeof run};
    hsp_model *model;
    hsp_data *data = make_data(6, 2, x, labels, 3, HSP_DENSE, HSP_FLOAT64);
    for (int ovo = 0; ovo < 2; ovo++) {
        CHECK(train(data, ovo ? pairs : plain, NULL, &run, &model) == HSP_OK);
        CHECK(run.stop == HSP_STOP_CONVERGED && model && run.training_error == 0);
        CHECK(hsp_model_scorers(model) == 3);
        hsp_model_free(model);
    }
    hsp_data_free(data);
    data = make_data(7, 2, x, labels, 4, HSP_DENSE, HSP_FLOAT64);
    CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_INSEPARABLE && !model && run.evidence);
    hsp_evidence_free(run.evidence);
    CHECK(train(data, pairs, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
    hsp_model_free(model);
    hsp_data_free(data);
}

static hsp_data *generate(const char *const *settings)
{
    const hsp_option_table *table;
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    for (size_t i = 0; (table = hsp_generator(i)) && strcmp(table->name, settings[0]) != 0;)
        i++;
    CHECK(hsp_options_new(ctx, table, NULL, &options) == HSP_OK);
    for (settings++; *settings; settings += 2)
        CHECK(hsp_options_set(options, settings[0], settings[1], NULL) == HSP_OK);
    CHECK(hsp_data_make(ctx, options, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_options_free(options);
    return data;
}

/* Many rows: most of them never enter a program. The same bits on any number of threads. */
static void test_many_rows(void)
{
    NEEDS_CLP();
    static const char *const apart[] = {"separable", "rows",   "20000", "features",
                                        "12",        "margin", "0.001", NULL};
    static const char *const mixed[] = {"halfspace", "rows",  "20000", "features",
                                        "12",        "noise", "0.05",  NULL};
    hsp_training run = {.size = sizeof run};
    hsp_model *model, *again;
    hsp_data *data = generate(apart);
    CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
    hsp_context_set_threads(ctx, 4);
    CHECK(train(data, plain, NULL, &run, &again) == HSP_OK);
    hsp_context_set_threads(ctx, 1);
    for (uint64_t j = 0; j < hsp_model_features(model); j++)
        CHECK(hsp_model_weights(model, 0)[j] == hsp_model_weights(again, 0)[j]);
    hsp_model_free(model);
    hsp_model_free(again);
    hsp_data_free(data);
    data = generate(mixed);
    CHECK(train(data, plain, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_INSEPARABLE && run.evidence && run.evidence->count <= 14);
    if (run.evidence) CHECK(run.evidence->distance <= 1e-13);
    hsp_evidence_free(run.evidence);
    hsp_data_free(data);
}

static int stop_now(void *user, const hsp_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "training") == 0;
}

static int stop_later(void *user, const hsp_progress *progress)
{
    int *left = user;
    return strcmp(progress->phase, "training") == 0 && --*left <= 0;
}

/* A request keeps what there is. */
static void test_request(void)
{
    NEEDS_CLP();
    static const char *const mixed[] = {"halfspace", "rows",  "3000", "features",
                                        "12",        "noise", "0.05", NULL};
    hsp_training run = {.size = sizeof run};
    hsp_model *model;
    hsp_data *data = generate(mixed);
    hsp_context_set_progress(ctx, stop_now, NULL);
    CHECK(train(data, soft, NULL, &run, &model) == HSP_CANCELLED);
    hsp_context_set_progress(ctx, NULL, NULL);
    CHECK(run.stop == HSP_STOP_REQUEST && model != NULL);
    /* what it is worth is known all the same: the loss at the weights so far, and some bound */
    CHECK(isfinite(run.convergence.objective) && run.convergence.objective >= 0);
    CHECK(run.convergence.dual_objective >= 0 &&
          run.convergence.dual_objective <= run.convergence.objective);
    CHECK(run.convergence.gap >= 0 && run.convergence.gap <= 1);
    hsp_model_free(model);
    CHECK(train(data, soft, NULL, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.convergence.objective > 0);
    const double best = run.convergence.objective;
    hsp_model_free(model);
    for (int asks = 1; asks < 6; asks++) { /* wherever it is stopped */
        int left = asks;
        hsp_context_set_progress(ctx, stop_later, &left);
        const hsp_status status = train(data, soft, NULL, &run, &model);
        /* the last report may come when all is done */
        CHECK((status == HSP_OK || (status == HSP_CANCELLED && left <= 0)) && model);
        hsp_context_set_progress(ctx, NULL, NULL);
        CHECK(run.convergence.objective >= best * (1 - 1e-9));
        CHECK(run.convergence.dual_objective <= best * (1 + 1e-9));
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

/* ---- Fewer multipliers ----------------------------------------------------------------------- */

enum { REDUCE_ROWS = 240, REDUCE_COLS = 24 };

/* Rows z and -z in turn, so that the mean of each class is 0; whole numbers, and of the columns from
 * `rank` on each is a sum of two others. */
static hsp_data *mirrored_rows(uint64_t seed, uint64_t rank)
{
    static double x[REDUCE_ROWS * REDUCE_COLS];
    uint32_t y[REDUCE_ROWS];
    hsp_data *data = NULL;
    hsp__random random;
    hsp__random_seed(&random, seed, 9);
    for (uint64_t i = 0; i < REDUCE_ROWS; i++) {
        double *row = x + i * REDUCE_COLS;
        y[i] = i / 2 % 2;
        for (uint64_t j = 0; j < REDUCE_COLS; j++) {
            row[j] = (double)hsp__random_below(&random, 2001) - 1000;
            if (j >= rank) row[j] = row[j % rank] + row[(j + 1) % rank];
            if (i % 2) row[j] = -row[(int64_t)j - REDUCE_COLS];
        }
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT64, REDUCE_ROWS, REDUCE_COLS, REDUCE_COLS, x);
    view.labels = y;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

/* 240 multipliers of a common point become no more than equations, none below 0, with the same
 * sums; also where columns depend on each other. */
static void test_reduce(void)
{
    uint64_t rows[REDUCE_ROWS];
    int exponents[REDUCE_COLS];
    for (uint64_t i = 0; i < REDUCE_ROWS; i++)
        rows[i] = i;
    for (uint64_t k = 0; k < 40; k++) {
        const uint64_t rank = k % 2 ? REDUCE_COLS : 2 + k / 2;
        hsp_data *data = mirrored_rows(k, rank);
        const hsp_view *view;
        CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
        const hsp__problem p = {.view = view,
                                .positive = 1,
                                .cost = {1, 1},
                                .offset = k % 4 > 1 ? HSP__OFFSET_NONE : HSP__OFFSET_FREE};
        long double a[REDUCE_ROWS], sums[2] = {0, 0};
        uint64_t used = 0;
        for (uint64_t i = 0; i < REDUCE_ROWS; i++) /* the same for z and -z, and in both classes */
            a[i] = (long double)(i / 4 + 1) * 4 / 240 / 61;
        hsp__lp_exponents(ctx, &p, exponents);
        CHECK(hsp__lp_reduce(ctx, &p, exponents, rows, REDUCE_ROWS, a, NULL) == HSP_OK);
        for (uint64_t i = 0; i < REDUCE_ROWS; i++) {
            CHECK_NOTE(a[i] >= 0, "set %d: %Lg", (int)k, a[i]);
            used += a[i] > 0;
            sums[i / 2 % 2] += a[i];
        }
        CHECK_NOTE(used <= rank + 2, "set %d: %d multipliers", (int)k, (int)used);
        if (p.offset == HSP__OFFSET_FREE) CHECK(fabsl(sums[0] - 1) <= 1e-17L);
        CHECK(fabsl(sums[0] + sums[1] - 2) <= 1e-17L);
        for (uint64_t j = 0; j < REDUCE_COLS; j++) {
            long double sum = 0;
            for (uint64_t i = 0; i < REDUCE_ROWS; i++)
                sum += a[i] * (long double)(hsp__problem_y(&p, i) * hsp__view_entry(view, i, j));
            CHECK_NOTE(fabsl(sum) <= 1e-13L, "set %d, column %d: %Lg", (int)k, (int)j, sum);
        }
        hsp_data_free(data);
    }
}

/* Every allocation of ours fails in turn. */
static void test_no_memory(void)
{
    NEEDS_CLP();
    static const machine_set apart = {4, 2, 2, {0, 0, 1, 0, 3, 3, 4, 3}, {0, 0, 1, 1}};
    static const machine_set mixed = {4, 2, 2, {0, 0, 1, 1, 0, 1, 1, 0}, {0, 0, 1, 1}};
    static const machine_set nearly_apart = {
        4, 2, 2, {-1, 0, 1, 0, 0.3, -1e-13, 0.1, -0.7}, {1, 1, 0, 0}};
    machine_starve(&apart, "lp", "");
    machine_starve(&mixed, "lp", "");
    machine_starve(&mixed, "lp", "soft=yes weight=balanced");
    machine_starve(&nearly_apart, "lp", "");
    /* six multipliers, of which three will do */
    static const machine_set line = {6, 1, 2, {0, 2, 4, 1, 3, 5}, {0, 0, 0, 1, 1, 1}};
    machine_starve(&line, "svm", "hard=yes");
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    hsp_context_set_threads(ctx, 1);
    RUN(test_two_points);
    RUN(test_contradiction);
    RUN(test_one_class);
    RUN(test_small_sets);
    RUN(test_tiny_margins);
    RUN(test_tiny_margins_wide);
    RUN(test_soft_by_hand);
    RUN(test_soft_random);
    RUN(test_soft_weights);
    RUN(test_more_classes);
    RUN(test_many_rows);
    RUN(test_request);
    RUN(test_reduce);
    RUN(test_no_memory);
    hsp_context_free(ctx);
    return check_done();
}
