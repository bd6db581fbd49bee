/* The perceptron with a kernel: against one that is as naive as can be, against the linear one on
 * the same features, and on the sets that every kernel method is asked about. */
#include "learn/naive_kernel.h"

static hsp_context *ctx;

/* ---- Both sides ------------------------------------------------------------------------------ */

static hsp_data *make_data(const rows *set, hsp_storage storage, hsp_precision precision)
{
    static float x32[MOST_ROWS * MOST_COLS];
    static double x64[MOST_ROWS * MOST_COLS];
    static uint32_t labels[MOST_ROWS], indices[MOST_ROWS * MOST_COLS];
    static uint64_t starts[MOST_ROWS + 1];
    uint64_t count = 0;
    for (int i = 0; i < set->n; i++) {
        labels[i] = (uint32_t)set->label[i];
        for (int j = 0; j < set->d; j++) {
            if (storage != HSP_DENSE && set->x[i][j] == 0) continue;
            indices[count] = (uint32_t)j;
            x32[count] = (float)set->x[i][j];
            x64[count++] = set->x[i][j];
        }
        starts[i + 1] = count;
    }
    const void *values = precision == HSP_FLOAT32 ? (void *)x32 : (void *)x64;
    const uint64_t n = (uint64_t)set->n, d = (uint64_t)set->d;
    hsp_view view = storage == HSP_DENSE
                        ? hsp_view_dense(precision, n, d, d, values)
                        : hsp_view_sparse(precision, n, d, 8, starts, indices, values);
    view.labels = labels;
    view.classes = (uint32_t)set->classes;
    hsp_data *data = NULL;
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data)) abort();
    return data;
}

/* Whole numbers (`whole`), or any; labels at random, or by what a circle says. */
static void draw(rows *set, hsp__random *random, int n, int d, int classes, int whole)
{
    *set = (rows){.n = n, .d = d, .classes = classes};
    for (int i = 0; i < n; i++) {
        double far = 0;
        for (int j = 0; j < d; j++) {
            set->x[i][j] =
                whole ? (double)hsp__random_below(random, 7) - 3 : 4 * hsp__random_unit(random) - 2;
            far += set->x[i][j] * set->x[i][j];
        }
        set->label[i] = i < classes ? i : (int)(far / 2.5) % classes;
        if (i >= classes && hsp__random_below(random, 10) == 0)
            set->label[i] = (int)hsp__random_below(random, (uint64_t)classes);
    }
}

static int close_to(double a, double b, double size)
{
    return fabs(a - b) <= 1e-9 * (1 + size);
}

/* Amounts of the model as the naive runs have them: all there is, and nothing else. */
static void compare_updates(const rows *set, const naive *of, const hsp_model *model)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    const int apart = set->classes > 2 && of[0].scorers == 1;
    const int scorers = set->classes == 2 ? 1 : set->classes;
    uint64_t count = 0;
    for (int i = 0; i < set->n; i++)
        for (int c = 0; c < scorers; c++)
            count += (apart ? of[c].a[i][0] : of[0].a[i][c]) != 0;
    CHECK_NOTE(updates.count == count, "%llu, not %llu", (unsigned long long)updates.count,
               (unsigned long long)count);
    for (uint64_t u = 0; u < updates.count; u++) {
        const uint32_t c = updates.scorer[u];
        const double a = apart ? of[c].a[updates.row[u]][0] : of[0].a[updates.row[u]][c];
        CHECK(updates.amount[u] == a);
    }
}

/* What the naive run's last separator, or its mean, says of x. */
static void predict(const rows *set, const kernel *k, const naive *r, int mean, const double *x,
                    double *s, double *size)
{
    for (int c = 0; c < r->scorers; c++) {
        long double sum = r->b[c];
        if (mean) sum -= r->sum_b[c] / r->examples;
        for (int i = 0; i < set->n; i++) {
            long double a = r->a[i][c];
            if (mean) a -= r->sum_a[i][c] / r->examples;
            if (a == 0) continue;
            const long double value = a * k->value(set->x[i], x, set->d);
            *size += (double)fabsl(value);
            sum += value;
        }
        s[c] = (double)sum;
    }
}

/* What a step adds to the score of x of a scorer. */
static long double step_adds(const rows *set, const kernel *k, const naive_options *o,
                             const naive *r, const step *st, int scorer, const double *x)
{
    const long double square = (long double)r->c * (long double)r->c;
    const long double own = k->value(set->x[st->row], x, set->d) + square;
    long double sum = 0;
    if (st->toward == scorer) sum += (long double)o->rate * own;
    if (st->away == scorer) sum -= (long double)o->rate * own;
    if (st->gone != NO_ONE)
        sum -= (long double)st->dropped[scorer] * (k->value(set->x[st->gone], x, set->d) + square);
    return sum;
}

/* The votes of every separator on x, by replay; apart: for or against, of each run on its own. */
static void replay(const rows *set, const kernel *k, const naive_options *o, const naive *r,
                   int apart, int total, const double *x, double *votes)
{
    long double s[NAIVE_CLASSES] = {0};
    double now[NAIVE_CLASSES];
    for (int c = 0; c < r->scorers; c++)
        votes[c] = 0;
    for (int t = -1; t < r->steps; t++) {
        if (t >= 0)
            for (int c = 0; c < r->scorers; c++)
                s[c] += step_adds(set, k, o, r, &r->step[t], c, x);
        for (int c = 0; c < r->scorers; c++)
            now[c] = fabsl(s[c]) < 1e-12L ? 0 : (double)s[c];
        const int from = t < 0 ? 0 : r->step[t].example;
        const int to = t + 1 < r->steps ? r->step[t + 1].example : apart ? total : r->examples;
        const int chosen = naive_decide(now, r->scorers, o->tie);
        if (chosen < 0) continue;
        if (r->scorers == 1)
            votes[0] += (chosen ? 1.0 : -1.0) * (to - from) / (apart ? total : r->examples);
        else
            votes[chosen] += (double)(to - from) / r->examples;
    }
}

static hsp_options *to_options(const naive_options *o, const kernel *k, const char *average,
                               int budget)
{
    hsp_options *options = naive_to_options(ctx, o);
    learn_set(options, "kernel", k->text);
    learn_set(options, "average", average);
    if (budget) learn_set_real(options, "budget", budget);
    return options;
}

static naive runs[NAIVE_CLASSES];
static step steps[NAIVE_CLASSES][MOST_STEPS];

/* The naive runs of a set, one or one per class; returns how many. */
static int learn_all(const rows *set, const kernel *k, const naive_options *o, int budget)
{
    const int apart = set->classes > 2 && o->multiclass && strcmp(o->multiclass, "ovr") == 0;
    const int count = apart ? set->classes : 1;
    for (int c = 0; c < count; c++) {
        memset(&runs[c], 0, sizeof runs[c]);
        runs[c].step = steps[c];
        runs[c].scorers = apart || set->classes == 2 ? 1 : set->classes;
        runs[c].target = apart ? c : 1;
        learn(&runs[c], set, k, o, budget);
        CHECK(runs[c].steps <= MOST_STEPS);
    }
    return count;
}

static void compare_scores(const rows *set, const kernel *k, const naive_options *o, int count,
                           const char *average, const hsp_model *model, hsp__random *random)
{
    rows fresh;
    const int scorers = set->classes == 2 ? 1 : set->classes;
    const int vote = strcmp(average, "vote") == 0, mean = strcmp(average, "average") == 0;
    double got[8 * NAIVE_CLASSES] = {0};
    int total = 0;
    for (int c = 0; c < count; c++)
        if (runs[c].examples > total) total = runs[c].examples;
    const double first = set->x[0][0];
    draw(&fresh, random, 8, set->d, set->classes, first == floor(first)); /* exact sums stay so */
    hsp_data *data = make_data(&fresh, HSP_DENSE, HSP_FLOAT64);
    CHECK(hsp_model_score(ctx, model, &data->view, NULL, got, NULL) == HSP_OK);
    for (int i = 0; i < fresh.n; i++) {
        double want[NAIVE_CLASSES] = {0}, size = 0;
        for (int c = 0; c < count; c++)
            if (vote)
                replay(set, k, o, &runs[c], count > 1, total, fresh.x[i], want + c);
            else
                predict(set, k, &runs[c], mean, fresh.x[i], want + c, &size);
        for (int c = 0; c < scorers; c++)
            CHECK_NOTE(close_to(got[i * scorers + c], want[c], size), "%s %s %s: %.17g, not %.17g",
                       k->text, average, o->order, got[i * scorers + c], want[c]);
    }
    hsp_data_free(data);
}

static void compare(const rows *set, const kernel *k, const naive_options *o, const char *average,
                    int budget, hsp_storage storage, hsp__random *random)
{
    hsp_data *data = make_data(set, storage, HSP_FLOAT64);
    hsp_options *options = to_options(o, k, average, budget);
    hsp_training got = {.size = sizeof got};
    int count = learn_all(set, k, o, budget), updates = 0, last = 0, passes = 0;
    hsp_model *model = learn_train(ctx, data, options, &got);
    for (int c = 0; c < count; c++) {
        updates += runs[c].updates;
        last += runs[c].mistakes;
        if (runs[c].passes > passes) passes = runs[c].passes;
    }
    CHECK_NOTE(got.updates == (uint64_t)updates, "%s %s %s %s, %d rows: %llu updates, not %d",
               k->text, o->order, o->offset, average, set->n, (unsigned long long)got.updates,
               updates);
    CHECK(got.passes == (uint64_t)passes && got.mistakes_last_pass == (uint64_t)last);
    if (count == 1 && got.online_rows == (uint64_t)set->n)
        CHECK(close_to(got.online_error, (double)runs[0].first_wrong / set->n, 0));
    compare_updates(set, runs, model);
    compare_scores(set, k, o, count, average, model, random);
    if (budget && count == 1)
        CHECK(hsp_model_row_coefficients(model).count <= (uint64_t)budget * 4);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

static const char *const averages[] = {"none", "average", "vote"};

/* Small sets, all settings. Whole numbers where sums stay exact in any order. */
static void test_like_the_naive_one(void)
{
    static rows set;
    hsp__random random;
    hsp__random_seed(&random, 5, 1);
    for (int trial = 0; trial < 400 && !check_failures; trial++) {
        const kernel *k = &kernels[trial % 4];
        naive_options o = naive_draw_options(&random);
        const int classes = 2 + (int)hsp__random_below(&random, 3);
        const int whole = trial % 4 < 2, budget = trial % 5 == 4 ? 1 + trial % 7 : 0;
        if (classes > 2) o.multiclass = trial % 3 ? "native" : "ovr";
        if ((classes > 2 && trial % 3) || budget) o.soft = 0;
        if (strcmp(o.offset, "r2") == 0) o.offset = whole ? "append" : "r2";
        draw(&set, &random, 4 + (int)hsp__random_below(&random, 20),
             1 + (int)hsp__random_below(&random, 4), classes, whole);
        compare(&set, k, &o, averages[trial % 7 % 3], budget, trial % 2 ? HSP_SPARSE : HSP_DENSE,
                &random);
    }
}

/* More rows than are one block. */
static void test_blocks(void)
{
    static rows set;
    hsp__random random;
    hsp__random_seed(&random, 6, 1);
    for (int trial = 0; trial < 8 && !check_failures; trial++) {
        naive_options o = {.offset = trial % 2 ? "unit" : "r2",
                           .order = trial % 4 < 2 ? "cyclic" : "shuffle",
                           .tie = "neg",
                           .rate = 1,
                           .passes = 1 + trial % 2,
                           .seed = 7,
                           .multiclass = trial < 4 ? "native" : "ovr"};
        draw(&set, &random, MOST_ROWS, 3, 2 + trial % 3, 0);
        compare(&set, &kernels[1 + trial % 3], &o, averages[trial % 3], trial == 5 ? 40 : 0,
                trial % 2 ? HSP_SPARSE : HSP_DENSE, &random);
    }
    naive_options worst = {.offset = "unit",
                           .order = "worst",
                           .tie = "neg",
                           .rate = 1,
                           .passes = 1,
                           .max_updates = 150,
                           .seed = 7};
    draw(&set, &random, MOST_ROWS, 3, 2, 0);
    compare(&set, &kernels[2], &worst, "none", 0, HSP_DENSE, &random);
}

/* ---- Against the linear one ------------------------------------------------------------------ */

static void same_mistakes(const hsp_training *a, const hsp_model *m, const hsp_training *b,
                          const hsp_model *l, const char *note)
{
    const hsp_row_coefficients x = hsp_model_row_coefficients(m), y = hsp_model_row_coefficients(l);
    CHECK_NOTE(a->updates == b->updates && a->passes == b->passes &&
                   a->mistakes_last_pass == b->mistakes_last_pass &&
                   a->online_rows == b->online_rows && x.count == y.count,
               "%s: %llu updates, not %llu", note, (unsigned long long)a->updates,
               (unsigned long long)b->updates);
    if (a->online_rows) CHECK(a->online_error == b->online_error);
    for (uint64_t u = 0; u < x.count && x.count == y.count; u++)
        CHECK(x.row[u] == y.row[u] && x.scorer[u] == y.scorer[u] && x.amount[u] == y.amount[u]);
}

/* The kernel linear makes the linear perceptron's mistakes, and becomes weights. */
static void test_linear_is_linear(void)
{
    static rows set;
    static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random"};
    static const char *const offsets[] = {"none", "unit", "r2", "append"};
    hsp__random random;
    hsp__random_seed(&random, 8, 1);
    for (int trial = 0; trial < 60 && !check_failures; trial++) {
        const int many = trial % 20 == 0, classes = 2 + trial % 3;
        naive_options o = {.offset = offsets[trial % 4],
                           .order = many ? "cyclic" : orders[trial % 5],
                           .tie = trial % 7 ? "neg" : "pos",
                           .constant = 2,
                           .rate = 1,
                           .passes = 1 + trial % 4,
                           .seed = (uint64_t)trial,
                           .multiclass = trial % 2 ? "native" : "ovr"};
        draw(&set, &random, many ? MOST_ROWS : 100, many ? 12 : 5, classes, trial % 2);
        hsp_data *data = make_data(&set, trial % 3 ? HSP_SPARSE : HSP_DENSE, HSP_FLOAT32);
        hsp_options *plain = naive_to_options(ctx, &o);
        learn_set(plain, "average", averages[trial % 3]);
        hsp_options *options = to_options(&o, &kernels[0], averages[trial % 3], 0);
        hsp_training a = {.size = sizeof a}, b = {.size = sizeof b};
        hsp_model *linear = learn_train(ctx, data, plain, &a);
        hsp_model *model = learn_train(ctx, data, options, &b);
        same_mistakes(&b, model, &a, linear, o.order);
        /* the last separator is the same; means and votes of it may round a tie to either side */
        CHECK(fabs(a.training_error - b.training_error) <= (trial % 3 ? 0.02 : 0));
        for (uint32_t c = 0; c < hsp_model_scorers(model) && trial % 3 < 2; c++) {
            const double *v = hsp_model_weights(model, c), *w = hsp_model_weights(linear, c);
            CHECK(v && close_to(hsp_model_offset(model, c), hsp_model_offset(linear, c), 100));
            for (int j = 0; v && j < set.d; j++)
                CHECK(close_to(v[j], w[j], 1000));
        }
        hsp_model_free(model);
        hsp_model_free(linear);
        hsp_options_free(plain);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

/* (<x, y> + 1)^2 is the inner product of all x_i x_j, twice all x_i, and 1: whole numbers. */
static void spell_out(const rows *from, rows *to)
{
    *to = (rows){.n = from->n, .classes = from->classes};
    for (int i = 0; i < from->n; i++) {
        int k = 0;
        to->label[i] = from->label[i];
        for (int a = 0; a < from->d; a++)
            for (int b = 0; b < from->d; b++)
                to->x[i][k++] = from->x[i][a] * from->x[i][b];
        for (int a = 0; a < 2 * from->d; a++)
            to->x[i][k++] = from->x[i][a / 2];
        to->x[i][k++] = 1;
        to->d = k;
    }
}

/* Every theorem says the same of both: there is one space, and two ways to write it down. */
static void same_audit(const hsp_model *model, hsp_data *data, const hsp_model *linear,
                       hsp_data *features)
{
    hsp_mistake_bound *a = NULL, *b = NULL;
    size_t m = 0, n = 0;
    hsp_error err = {0};
    CHECK_NOTE(hsp_audit(ctx, model, data, model, &err, &a, &m) == HSP_OK, "%s", err.message);
    CHECK(hsp_audit(ctx, linear, features, linear, &err, &b, &n) == HSP_OK && m == n && n > 5);
    for (size_t i = 0; i < n && m == n; i++) {
        CHECK_TEXT(a[i].name, b[i].name);
        CHECK_NOTE(a[i].applies == b[i].applies && a[i].held && b[i].held, "%s: %s", a[i].name,
                   a[i].why);
        if (!a[i].applies || strcmp(a[i].name, "rebuild") == 0) continue;
        CHECK_NOTE(fabs(a[i].bound - b[i].bound) <= 1e-6 * fabs(b[i].bound) &&
                       fabs(a[i].observed - b[i].observed) <= 1e-6 * fabs(b[i].observed),
                   "%s: %.12g and %.12g, not %.12g and %.12g", a[i].name, a[i].observed, a[i].bound,
                   b[i].observed, b[i].bound);
    }
    hsp_mistake_bounds_free(a);
    hsp_mistake_bounds_free(b);
}

static void test_audit_refusals(void)
{
    static rows set;
    static const char *const settings[][4] = {{"kernel=rbf(1)", "passes=3", NULL},
                                              {"kernel=rbf(2)", NULL},
                                              {"kernel=rbf(1)", "scale=standard", NULL},
                                              {"kernel=rbf(1)", "average=vote", NULL},
                                              {"kernel=linear", NULL},
                                              {"kernel=2*linear", NULL},
                                              {"kernel=rbf(1)", "budget=5", NULL},
                                              {"passes=3", NULL}};
    /* the run and the reference; can they be compared? */
    static const int pairs[][3] = {{0, 0, 1}, {0, 1, 0}, {0, 2, 0}, {2, 2, 1},
                                   {0, 3, 0}, {3, 0, 1}, {0, 4, 0}, {4, 7, 1},
                                   {7, 0, 0}, {5, 5, 0}, {6, 0, 0}, {0, 6, 1}};
    hsp__random random;
    hsp__random_seed(&random, 15, 1);
    draw(&set, &random, 60, 2, 2, 0);
    hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT64);
    hsp_model *models[8];
    hsp_training made = {.size = sizeof made};
    for (int s = 0; s < 8; s++) {
        hsp_options *options = learn_options(ctx, settings[s]);
        models[s] = learn_train(ctx, data, options, &made);
        hsp_options_free(options);
    }
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        hsp_mistake_bound *bounds = NULL;
        size_t count = 0;
        hsp_error err = {0};
        hsp_status status =
            hsp_audit(ctx, models[pairs[p][0]], data, models[pairs[p][1]], &err, &bounds, &count);
        CHECK_NOTE(status == (pairs[p][2] ? HSP_OK : HSP_USAGE), "%d by %d: %s", pairs[p][0],
                   pairs[p][1], err.message);
        for (size_t i = 0; i < count; i++)
            CHECK_NOTE(bounds[i].held, "%s: %s", bounds[i].name, bounds[i].why);
        hsp_mistake_bounds_free(bounds);
    }
    for (int s = 0; s < 8; s++)
        hsp_model_free(models[s]);
    hsp_data_free(data);
}

static void test_explicit_features(void)
{
    static rows set, spelt;
    static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random"};
    static const char *const offsets[] = {"unit", "none", "r2"};
    hsp__random random;
    hsp__random_seed(&random, 9, 1);
    for (int trial = 0; trial < 30 && !check_failures; trial++) {
        naive_options o = {.offset = offsets[trial % 3],
                           .order = orders[trial % 5],
                           .tie = "neg",
                           .rate = 1,
                           .soft = trial % 4 == 2 ? 1.5 : 0,
                           .passes = 5,
                           .seed = 3,
                           .multiclass = trial % 2 ? "native" : "ovr"};
        draw(&set, &random, 80, 2, 2 + trial % 2, 1);
        spell_out(&set, &spelt);
        hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT32);
        hsp_data *features = make_data(&spelt, HSP_DENSE, HSP_FLOAT32);
        hsp_options *plain = naive_to_options(ctx, &o);
        hsp_options *options = to_options(&o, &kernels[1], "none", 0);
        hsp_training a = {.size = sizeof a}, b = {.size = sizeof b};
        hsp_model *linear = learn_train(ctx, features, plain, &a);
        hsp_model *model = learn_train(ctx, data, options, &b);
        same_mistakes(&b, model, &a, linear, o.order);
        CHECK_TEXT(hsp_model_hypothesis(model), "kernel");
        if (set.classes == 2) same_audit(model, data, linear, features);
        hsp_model_free(model);
        hsp_model_free(linear);
        hsp_options_free(plain);
        hsp_options_free(options);
        hsp_data_free(data);
        hsp_data_free(features);
    }
}

/* The Gram matrix for rows: as many columns as rows, or LIBSVM's numbers in a column 0. */
static hsp_data *gram_data(const rows *set, const kernel *k, int numbered)
{
    static double x[100 * 101];
    static uint32_t labels[100];
    const int n = set->n, cols = n + numbered;
    for (int i = 0; i < n; i++) {
        labels[i] = (uint32_t)set->label[i];
        if (numbered) x[i * cols] = i + 1;
        for (int j = 0; j < n; j++)
            x[i * cols + numbered + j] = (double)k->value(set->x[i], set->x[j], set->d);
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT64, (uint64_t)n, (uint64_t)cols, (uint64_t)cols, x);
    view.labels = labels;
    view.classes = (uint32_t)set->classes;
    hsp_data *data = NULL;
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data)) abort();
    if (numbered) data->index_base = "0";
    return data;
}

static void test_precomputed(void)
{
    static rows set;
    static const char *const settings[][4] = {{"passes=3", NULL},
                                              {"passes=3", "classes=0,2", NULL},
                                              {"passes=3", "positive=1", "order=worst", NULL},
                                              {"passes=3", "average=average", NULL}};
    hsp__random random;
    hsp__random_seed(&random, 16, 1);
    draw(&set, &random, 100, 2, 3, 0);
    hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT64);
    for (int trial = 0; trial < 8; trial++) {
        hsp_data *gram = gram_data(&set, &kernels[2], trial % 2);
        hsp_options *options = learn_options(ctx, settings[trial / 2]);
        hsp_training a = {.size = sizeof a}, b = {.size = sizeof b};
        hsp_mistake_bound *bounds = NULL;
        size_t count = 0;
        learn_set(options, "kernel", kernels[2].text);
        hsp_model *direct = learn_train(ctx, data, options, &a);
        learn_set(options, "kernel", "precomputed");
        hsp_model *model = learn_train(ctx, gram, options, &b);
        same_mistakes(&b, model, &a, direct, "precomputed");
        CHECK(a.training_error == b.training_error);
        if (hsp_model_classes(model) == 2)
            CHECK(hsp_audit(ctx, model, gram, model, NULL, &bounds, &count) == HSP_OK);
        for (size_t i = 0; i < count; i++)
            CHECK_NOTE(bounds[i].held, "%s: %s", bounds[i].name, bounds[i].why);
        hsp_mistake_bounds_free(bounds);
        hsp_model_free(direct);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(gram);
    }
    hsp_data_free(data);
}

/* ---- Small sets ------------------------------------------------------------------------------ */

static hsp_model *train_on(const rows *set, const char *const *settings, hsp_training *run)
{
    hsp_data *data = make_data(set, HSP_DENSE, HSP_FLOAT64);
    hsp_options *options = learn_options(ctx, settings);
    hsp_model *model = learn_train(ctx, data, options, run);
    hsp_options_free(options);
    hsp_data_free(data);
    return model;
}

static void test_xor(void)
{
    const rows set = {.n = 4,
                      .d = 2,
                      .classes = 2,
                      .x = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}},
                      .label = {0, 1, 1, 0}};
    static const char *const plain[] = {"passes=until-converged", "max-passes=50", NULL};
    static const char *const squared[] = {"passes=until-converged", "kernel=poly(2,1)", NULL};
    hsp_training run = {.size = sizeof run};
    hsp_model *model = train_on(&set, plain, &run);
    CHECK(run.stop == HSP_STOP_PASSES && run.training_error > 0);
    hsp_model_free(model);
    model = train_on(&set, squared, &run);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
    CHECK(hsp_model_support(model, NULL) <= 4 && hsp_model_coefficients(model, 0) != NULL);
    CHECK_TEXT(hsp_model_kernel(model), "poly(degree=2, r=1)");
    hsp_model_free(model);
}

/* One row per class; the same row several times; the same row with both labels. */
static void test_few_points(void)
{
    const rows two = {.n = 2, .d = 1, .classes = 2, .x = {{1}, {2}}, .label = {0, 1}};
    const rows twins = {
        .n = 5, .d = 1, .classes = 2, .x = {{1}, {1}, {1}, {2}, {2}}, .label = {0, 0, 0, 1, 1}};
    const rows torn = {.n = 2, .d = 1, .classes = 2, .x = {{1}, {1}}, .label = {0, 1}};
    static const char *const settings[] = {"kernel=rbf(1)", "passes=until-converged",
                                           "max-passes=30", NULL};
    hsp_training run = {.size = sizeof run};
    hsp_model *model = train_on(&two, settings, &run);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
    hsp_model_free(model);
    model = train_on(&twins, settings, &run);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
    CHECK(hsp_model_support(model, NULL) <= 2);
    hsp_model_free(model);
    model = train_on(&torn, settings, &run);
    CHECK(run.stop == HSP_STOP_PASSES && run.training_error == 0.5);
    hsp_model_free(model);
}

static void test_budget(void)
{
    static rows set;
    static const char *const settings[] = {"kernel=rbf(2)", "budget=20", "passes=3", NULL};
    hsp__random random;
    hsp__random_seed(&random, 10, 1);
    draw(&set, &random, 300, 2, 2, 0);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = train_on(&set, settings, &run);
    CHECK(run.updates > 20 && hsp_model_support(model, NULL) == 20);
    CHECK(hsp_model_row_coefficients(model).count == 20);
    hsp_model_free(model);
}

/* ---- Conventions --------------------------------------------------------------------------------- */

/* A file in between changes nothing. */
static void test_voters_in_a_file(void)
{
    static rows set;
    static double before[60 * 3], after[60 * 3];
    static const char *const settings[][4] = {
        {"kernel=rbf(2)", "average=vote", "multiclass=ovr", NULL},
        {"kernel=rbf(2)", "average=vote", NULL},
        {"average=vote", "multiclass=ovr", NULL}};
    hsp__random random;
    hsp__random_seed(&random, 11, 1);
    draw(&set, &random, 60, 2, 3, 0);
    hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT64);
    for (int s = 0; s < 3; s++) {
        hsp_training run = {.size = sizeof run};
        hsp_model *model = train_on(&set, settings[s], &run), *again = NULL;
        hsp_error err = {0};
        CHECK(hsp_model_score(ctx, model, &data->view, &err, before, NULL) == HSP_OK);
        CHECK(hsp_model_write(ctx, model, "build/kernel-votes.hsp", &err) == HSP_OK);
        CHECK_NOTE(hsp_model_read(ctx, "build/kernel-votes.hsp", &err, &again) == HSP_OK, "%s",
                   err.message);
        CHECK(again && hsp_model_score(ctx, again, &data->view, &err, after, NULL) == HSP_OK);
        CHECK(memcmp(before, after, sizeof before) == 0);
        for (int i = 0; i < 60 * 3; i++)
            CHECK(fabs(before[i]) <= 1);
        hsp_model_free(model);
        hsp_model_free(again);
    }
    remove("build/kernel-votes.hsp");
    hsp_data_free(data);
}

static void test_threads(void)
{
    static rows set;
    static const char *const settings[] = {"kernel=0.5*rbf(0.25) + linear", "multiclass=ovr",
                                           "average=average", "passes=2", NULL};
    hsp__random random;
    hsp__random_seed(&random, 12, 1);
    draw(&set, &random, MOST_ROWS, 4, 3, 0);
    hsp_model *models[2];
    hsp_training run = {.size = sizeof run};
    for (int t = 0; t < 2; t++) {
        hsp_context_set_threads(ctx, t ? 4 : 1);
        models[t] = train_on(&set, settings, &run);
    }
    const uint64_t count = hsp_model_support(models[0], NULL);
    CHECK(count == hsp_model_support(models[1], NULL) && count > 300);
    for (uint32_t c = 0; c < 3; c++) {
        const double *a = hsp_model_coefficients(models[0], c),
                     *b = hsp_model_coefficients(models[1], c);
        CHECK(a && b && memcmp(a, b, count * sizeof *a) == 0);
        CHECK(hsp_model_offset(models[0], c) == hsp_model_offset(models[1], c));
    }
    hsp_context_set_threads(ctx, 0);
    hsp_model_free(models[0]);
    hsp_model_free(models[1]);
}

static int stop_after(void *user, const hsp_progress *progress)
{
    int *calls = user;
    CHECK(progress->done <= progress->total || !progress->total);
    return --*calls <= 0;
}

static void test_request(void)
{
    static rows set;
    static const char *const settings[][4] = {
        {"kernel=rbf(2)", "passes=1000", NULL},
        {"kernel=rbf(2)", "passes=1000", "multiclass=ovr", NULL},
        {"kernel=rbf(2)", "passes=1000", "order=worst", NULL}};
    hsp__random random;
    hsp__random_seed(&random, 13, 1);
    draw(&set, &random, MOST_ROWS, 2, 3, 0);
    hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT32);
    for (int s = 0; s < 3; s++) {
        hsp_options *options = learn_options(ctx, settings[s]);
        hsp_training run = {.size = sizeof run};
        int calls = 12;
        hsp_context_set_progress(ctx, stop_after, &calls);
        hsp_model *model = learn_train(ctx, data, options, &run);
        hsp_context_set_progress(ctx, NULL, NULL);
        CHECK(run.stop == HSP_STOP_REQUEST && run.updates > 0 && run.passes < 1000);
        CHECK(model && hsp_model_support(model, NULL) > 0);
        CHECK(isnan(run.training_error) || run.training_error <= 1); /* if there was time for it */
        hsp_model_free(model);
        hsp_options_free(options);
    }
    hsp_data_free(data);
}

/* Each scorer of one-vs-one is what its two classes alone give, in one expansion of their rows. */
static void test_pairs(void)
{
    static rows set;
    static double together[60 * 3], alone[60];
    static const char *const settings[][4] = {
        {"kernel=rbf(0.5)", "passes=4", NULL, NULL},
        {"kernel=poly(2,1) + laplace(1)", "passes=3", "average=average", NULL},
        {"kernel=rbf(0.25)", "passes=3", "order=worst", NULL},
        {"kernel=rbf(2)", "passes=3", "budget=5", NULL},
        {"kernel=2*linear", "passes=2", NULL, NULL}};
    static const char *const pairs[] = {"classes=0,1", "classes=0,2", "classes=1,2"};
    hsp__random random;
    hsp__random_seed(&random, 15, 1);
    draw(&set, &random, 60, 3, 3, 0);
    hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT64);
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        const char *list[] = {settings[s][0], settings[s][1], "multiclass=ovo", settings[s][2],
                              NULL};
        hsp_training run = {.size = sizeof run}, one = {.size = sizeof one};
        hsp_model *model = train_on(&set, list, &run);
        uint64_t updates = 0;
        CHECK(hsp_model_score(ctx, model, view, NULL, together, NULL) == HSP_OK);
        for (int p = 0; p < 3; p++) {
            list[2] = pairs[p];
            hsp_model *two = train_on(&set, list, &one);
            updates += one.updates;
            CHECK(hsp_model_score(ctx, two, view, NULL, alone, NULL) == HSP_OK);
            for (int i = 0; i < set.n; i++)
                CHECK_NOTE(close_to(together[i * 3 + p], alone[i], fabs(alone[i])), "%s, pair %d",
                           list[0], p);
            hsp_model_free(two);
        }
        CHECK_NOTE(run.updates == updates && updates > 0, "%s", list[0]);
        CHECK(hsp_model_support(model, NULL) <= (uint64_t)set.n);
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

static void test_refusals(void)
{
    static rows set;
    static const char *const settings[][4] = {{"budget=3", NULL},
                                              {"allow-indefinite=yes", NULL},
                                              {"kernel=rbf(", NULL},
                                              {"kernel=linear - 2", NULL},
                                              {"kernel=sigmoid(1,0)", NULL},
                                              {"kernel=linear", "reference=x", NULL},
                                              {"kernel=normalize(precomputed)", NULL},
                                              {"kernel=linear", "budget=3", "soft=1", NULL},
                                              {"kernel=precomputed", "average=vote", NULL}};
    hsp__random random;
    hsp__random_seed(&random, 14, 1);
    draw(&set, &random, 10, 10, 2, 0);
    hsp_data *data = make_data(&set, HSP_DENSE, HSP_FLOAT64);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        hsp_options *options = learn_options(ctx, settings[s]);
        hsp_error err = {0};
        hsp_model *model = NULL;
        CHECK_NOTE(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_USAGE, "%s",
                   settings[s][0]);
        CHECK(model == NULL && strlen(err.message) > 20);
        hsp_options_free(options);
    }
    static const char *const allowed[] = {"kernel=sigmoid(0.1,0)", "allow-indefinite=yes",
                                          "passes=2", NULL};
    hsp_training run = {.size = sizeof run};
    hsp_model *model = train_on(&set, allowed, &run);
    hsp_model_free(model);
    hsp_data_free(data);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_like_the_naive_one);
    RUN(test_blocks);
    RUN(test_linear_is_linear);
    RUN(test_explicit_features);
    RUN(test_audit_refusals);
    RUN(test_precomputed);
    RUN(test_xor);
    RUN(test_few_points);
    RUN(test_budget);
    RUN(test_voters_in_a_file);
    RUN(test_threads);
    RUN(test_request);
    RUN(test_pairs);
    RUN(test_refusals);
    hsp_context_free(ctx);
    return check_done();
}
