/* Claims about models: what a learner left behind, made exact, and accepted by the checker. */
#include "helpers.h"
#include "learn/lp/lp_clp.h"

static hsp_context *ctx;
static uint64_t state = 88172645463325252;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Two clouds that overlap by `noise`, as libsvm text; sparse: half of the values are 0. */
static proved_file clouds(int rows, int cols, double apart, int sparse)
{
    proved_file file = file_new();
    for (int i = 0; i < rows; i++) {
        const int y = uniform() < 0.4 ? 1 : -1;
        fprintf(file.file, "%d", y);
        for (int j = 0; j < cols; j++)
            if (!sparse || uniform() < 0.5)
                fprintf(file.file, " %d:%.4f", j + 1, y * apart + uniform() * 2 - 1);
        fputc('\n', file.file);
    }
    fflush(file.file);
    return file;
}

typedef struct made {
    hsp_model *model;
    hsp_certificate *certificate;
    const char *text;
} made;

static void made_free(made *m)
{
    hsp_certificate_free(m->certificate);
    hsp_model_free(m->model);
}

/* A model of `options`, and all claims about it. */
static made make(const char *train, const char *test, const hsp_options *learner, const char *claim)
{
    made m = {0};
    hsp_data *data = NULL;
    hsp_error err = {0};
    hsp_options *claims = options_of(ctx, hsp_certify_options(), NULL);
    if (test) hsp_options_set(claims, "test", test, &err);
    if (claim) hsp_options_set(claims, "claim", claim, &err);
    hsp_status status = hsp_data_read(ctx, train, NULL, NULL, &err, &data);
    if (!status) status = hsp_train(ctx, data, learner, &err, NULL, &m.model);
    if (!status) status = hsp_certify(ctx, train, NULL, m.model, claims, &err, &m.certificate);
    CHECK_NOTE(status == HSP_OK, "%s: %s", err.file, err.message);
    if (!status) m.text = hsp_certificate_text(m.certificate, NULL);
    hsp_options_free(claims);
    hsp_data_free(data);
    return m;
}

/* ---- Machines ---- */

static const char *const machines[][9] = {
    {NULL},
    {"offset", "none", NULL},
    {"offset", "regularized", "C", "10", NULL},
    {"loss", "squared", NULL},
    {"loss", "squared", "offset", "regularized", NULL},
    {"lambda", "0.013", "gap", "1e-7", NULL},
    {"scale", "standard", "gap", "1e-6", NULL},
    {"scale", "min-max", "loss", "squared", NULL},
    {"weight", "balanced", "C", "0.3", NULL},
    {"weight", "1=3", "gap", "1e-8", NULL},
    {"kernel", "rbf(0.5)", NULL},
    {"kernel", "poly(2,1)", "gap", "1e-6", NULL},
    {"kernel", "0.5*rbf(1) + linear", "loss", "squared", "offset", "none", NULL},
    {"kernel", "laplace(0.3)*poly(2,0.5)", "offset", "regularized", NULL},
    {"kernel", "rbf(1)", "weight", "balanced", "scale", "standard", NULL},
};

static void test_machines(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    for (int sparse = 0; sparse < 2; sparse++) {
        proved_file train = clouds(60, 3, 0.4, sparse), test = clouds(30, 3, 0.4, sparse);
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
            hsp_options *options =
                options_of(ctx, hsp_learner_find("svm"), "keep-dual", "yes", NULL);
            hsp_error err = {0};
            for (int k = 0; machines[i][k]; k += 2)
                CHECK(hsp_options_set(options, machines[i][k], machines[i][k + 1], &err) == HSP_OK);
            made m = make(train.path, test.path, options, NULL);
            CHECK_NOTE(m.text && checker_accepts(m.text, train.path, test.path), "machine %d",
                       (int)i);
            CHECK_TEXT(why_not(m.certificate, "optimal"), "made");
            CHECK_TEXT(why_not(m.certificate, "error"), "made");
            const double gap = member(m.text, "gap");
            CHECK_NOTE(gap >= 0 && gap < 3, "machine %d: %g", (int)i, gap);
            made_free(&m);
            hsp_options_free(options);
        }
        file_free(&train);
        file_free(&test);
    }
}

/* With a gap of all but 0 nothing can change; with a large one nearly everything may. */
static void test_stable(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file train = clouds(80, 4, 0.3, 0);
    for (int loose = 0; loose < 2; loose++) {
        hsp_options *options = options_of(ctx, hsp_learner_find("svm"), "keep-dual", "yes", "loss",
                                          "squared", "gap", loose ? "0.2" : "1e-10", "solver",
                                          loose ? "dcd" : "newton", "offset", "none", NULL);
        made m = make(train.path, NULL, options, "stable");
        CHECK(m.text && checker_accepts(m.text, train.path, NULL));
        const char *list = m.text ? strstr(m.text, "\"may_change\": [") : NULL;
        CHECK(list != NULL);
        if (list && !loose) CHECK(strncmp(list, "\"may_change\": []", 16) == 0);
        if (list && loose) CHECK(strncmp(list, "\"may_change\": []", 16) != 0);
        made_free(&m);
        hsp_options_free(options);
    }
    file_free(&train);
}

/* ---- Perceptrons ---- */

static const char *const runs[][9] = {
    {NULL},
    {"offset", "none", NULL},
    {"offset", "r2", NULL},
    {"offset", "append", "constant", "0.3", "rate", "0.7", NULL},
    {"margin-target", "0.25", "order", "shuffle", NULL},
    {"margin-target", "0.5r", "rate", "2", NULL},
    {"order", "worst", NULL},
    {"average", "average", "scale", "standard", NULL},
    {"average", "vote", NULL},
    {"soft", "1", NULL},
    {"soft", "0.3", "offset", "r2", "margin-target", "0.25", "rate", "2", NULL},
    {"soft", "2", "order", "worst", "offset", "none", NULL},
};

static void test_perceptrons(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    for (int apart = 0; apart < 2; apart++) { /* inseparable, separable */
        proved_file train = clouds(50, 3, apart ? 1.1 : 0.3, 0);
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            hsp_options *options = options_of(ctx, hsp_learner_find("perceptron"), NULL);
            hsp_error err = {0};
            int picked = 0, soft = 0;
            hsp_options_set(options, "passes", "30", &err);
            for (int k = 0; runs[i][k]; k += 2) {
                CHECK(hsp_options_set(options, runs[i][k], runs[i][k + 1], &err) == HSP_OK);
                picked |= strcmp(runs[i][k + 1], "worst") == 0;
                soft |= strcmp(runs[i][k], "soft") == 0;
            }
            made m = make(train.path, NULL, options, "mistakes");
            if (picked && !apart && !soft) {
                CHECK(m.text == NULL && strstr(why_not(m.certificate, "mistakes"), "picked"));
            } else {
                CHECK_NOTE(m.text && checker_accepts(m.text, train.path, NULL), "run %d, %d",
                           (int)i, apart);
            }
            if (m.text) CHECK((strstr(m.text, "functional_margin") == NULL) == (apart && !soft));
            if (m.text) CHECK((strstr(m.text, "\"soft\"") != NULL) == soft);
            if (m.text && soft && apart) CHECK(strstr(m.text, "\"converged\": true") != NULL);
            made_free(&m);
            hsp_options_free(options);
        }
        file_free(&train);
    }
}

/* ---- Winnow and experts ---- */

/* Bits, and a label that says whether one of the first `relevant` columns is on; with noise. */
static proved_file bits(int rows, int cols, int relevant, double noise)
{
    proved_file file = file_new();
    for (int i = 0; i < rows; i++) {
        int on[64], any = 0;
        for (int j = 0; j < cols; j++)
            on[j] = uniform() < 0.2;
        for (int j = 0; j < relevant; j++)
            any |= on[j];
        fprintf(file.file, "%d", (uniform() < noise) != any ? 1 : -1);
        for (int j = 0; j < cols; j++)
            if (on[j]) fprintf(file.file, " %d:1", j + 1);
        fputc('\n', file.file);
    }
    fflush(file.file);
    return file;
}

/* `form`: what the certificate has; or `why` there is none. */
static void check_panel(const char *path, const char *learner, const char *const *told,
                        const char *form, const char *why)
{
    hsp_options *options = options_of(ctx, hsp_learner_find(learner), NULL);
    hsp_error err = {0};
    for (int k = 0; told[k]; k += 2)
        CHECK(hsp_options_set(options, told[k], told[k + 1], &err) == HSP_OK);
    made m = make(path, NULL, options, "mistakes");
    if (why)
        CHECK_NOTE(!m.text && strstr(why_not(m.certificate, "mistakes"), why), "%s",
                   why_not(m.certificate, "mistakes"));
    else
        CHECK_NOTE(m.text && checker_accepts(m.text, path, NULL) && strstr(m.text, form),
                   "%s %s: %s", learner, told[0] ? told[0] : "",
                   m.text ? m.text : why_not(m.certificate, "mistakes"));
    made_free(&m);
    hsp_options_free(options);
}

static void test_panels(void)
{
    static const struct {
        const char *learner, *told[9], *form, *why;
    } cases[] = {
        {"winnow", {NULL}, "separator", NULL},
        {"winnow", {"variant", "winnow1", "order", "shuffle", NULL}, "separator", NULL},
        {"winnow", {"variant", "winnow1", "delta", "0.2", NULL}, "separator", NULL},
        {"winnow", {"delta", "0.5", "threshold", "9.5", NULL}, "separator", NULL},
        {"winnow", {"threshold", "0.5", NULL}, "separator", NULL},
        {"winnow", {"average", "average", "passes", "3", NULL}, "separator", NULL},
        {"winnow", {"variant", "balanced", NULL}, "", "delta = 1 is too large"},
        {"winnow", {"variant", "balanced", "delta", "0.1", NULL}, "\"offset\": \"unit\"", NULL},
        {"winnow", {"variant", "balanced", "offset", "none", NULL}, "", "through the origin"},
        {"winnow", {"variant", "balanced", "threshold", "1", NULL}, "", "threshold"},
        {"experts", {NULL}, "", NULL},
        {"experts", {"negated", "yes", "tie", "pos", NULL}, "", NULL},
        {"experts", {"beta", "0.9", "passes", "3", "votes", "sign", NULL}, "", NULL},
        {"experts", {"votes", "bit", "tie", "zero", "beta", "0.123456789", NULL}, "", NULL},
        {"experts", {"order", "shuffle", NULL}, "", "shuffled"},
        {"experts", {"randomized", "yes", NULL}, "", "randomized"},
    };
    static const char *const nothing[] = {NULL};
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file clean = bits(150, 24, 3, 0), noisy = bits(120, 10, 1, 0.15);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* without linear programming other separators are tried, and may not do */
        const int light = cases[i].told[1] && strcmp(cases[i].told[1], "balanced") == 0;
        if (light && hsp__clp_ready(NULL) != HSP_OK) continue;
        check_panel(strcmp(cases[i].learner, "winnow") == 0 ? clean.path : noisy.path,
                    cases[i].learner, cases[i].told, cases[i].form, cases[i].why);
    }
    check_panel(noisy.path, "winnow", nothing, "", "not a disjunction");
    file_free(&clean);
    file_free(&noisy);
}

/* The lightest separators of small files, known by hand. */
static void test_lightest(void)
{
    static const char two[] = "-1\n-1 3:1\n-1 2:1\n1 2:1 3:1\n-1 1:1\n1 1:1 3:1\n1 1:1 2:1\n",
                      half[] = "1 1:0.5 2:1\n1 1:1 2:.25\n-1 2:1\n-1 2:.5\n",
                      mixed[] = "1 1:1 2:.5\n1 1:.75\n-1 1:.75 2:1\n-1\n";
    static const struct {
        const char *text, *told[7], *form, *why;
    } cases[] = {
        {two,
         {"delta", "0.5", NULL},
         "\"separator\": {\"w\": [[1, \"1\"], [2, \"1\"], [3, \"1\"]]}",
         NULL},
        {two, {"delta", "0.99", NULL}, "[[1, \"1\"], [2, \"1\"], [3, \"1\"]]", NULL},
        /* 2 against 1: 1 + delta is not to be above 2, and 1/(2b) = 1/4 */
        {two, {NULL}, "", "at most 1 on negative ones; train with --delta 0.25"},
        {two, {"variant", "winnow1", NULL}, "", "which winnow1 needs"},
        /* the sides of <v,x> are 2 and 1: 2/3 (x1 + x2 + x3) - 1 has g = 1/3, V = 3: W = 9 */
        {two, {"variant", "balanced", NULL}, "", "is 9 at best; train with --delta 0.118"},
        {two,
         {"variant", "balanced", "delta", "0.12", NULL},
         "\"w\": [[1, \"0.666666666667\"], [2, \"0.666666666667\"], [3, \"0.666666666667\"]], "
         "\"b\": "
         "\"-1\"}",
         NULL},
        {half, {"variant", "winnow1", NULL}, "\"separator\": {\"w\": [[1, \"1\"]]}", NULL},
        {half,
         {"delta", "3", "order", "worst", NULL},
         "\"separator\": {\"w\": [[1, \"1\"]]}",
         NULL},
        {mixed, {NULL}, "", "no weights v >= 0 were found"},
        {mixed, {"variant", "balanced", "delta", "0.05", NULL}, "\"b\": \"-", NULL},
    };
    if (!PROVE_GMP || hsp__clp_ready(NULL)) CHECK_SKIP("built without GMP or CLP");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        proved_file file = file_of(cases[i].text);
        check_panel(file.path, "winnow", cases[i].told, cases[i].form, cases[i].why);
        file_free(&file);
    }
}

/* Rows in [0,1] on two sides of some v (winnow1, winnow2: v >= 0, <v,x> at least 1 and at most
 * `low`), and the largest delta of which a bound is sure. */
static proved_file weighed(const char *variant, int rows, int cols, double low, double *delta)
{
    const int balanced = variant[0] == 'b', first = variant[6] == '1';
    double v[16], V = 0.5, W;
    proved_file file = file_new();
    for (int j = 0; j < cols; j++) {
        v[j] = j < 3 ? 0.6 + 0.4 * uniform() : 0;
        if (balanced && j == 1) v[j] = -v[j];
        V += fabs(v[j]);
    }
    for (int found = 0; found < rows;) {
        double x[16], s = 0;
        for (int j = 0; j < cols; j++) {
            x[j] = first && j < 3 && found % 2 ? 0 : floor(uniform() * 100) / 100;
            s += v[j] * x[j];
        }
        if (balanced ? fabs(s - 0.5) < low : (s < 1 && s > (first ? 0 : low))) continue;
        if ((balanced ? s > 0.5 : s >= 1) == found % 2) continue;
        fprintf(file.file, "%d", found % 2 ? -1 : 1);
        for (int j = 0; j < cols; j++)
            fprintf(file.file, " %d:%.2f", j + 1, x[j]);
        fputc('\n', file.file);
        found++;
    }
    fflush(file.file);
    W = V / low;
    *delta = balanced ? expm1(1 / W) : first ? 3 : 0.99 * (1 / low - 1);
    return file;
}

/* Every run is within the bound of the separator that is found, and one is found. */
static void test_weighed(void)
{
    static const char *const variants[] = {"winnow1", "winnow2", "balanced"}, *const orders[] = {
                                                                                  "cyclic",
                                                                                  "shuffle",
                                                                                  "worst"};
    if (!PROVE_GMP || hsp__clp_ready(NULL)) CHECK_SKIP("built without GMP or CLP");
    for (int i = 0; i < 60; i++) {
        const char *variant = variants[i % 3];
        char text[32], theta[32];
        double delta;
        proved_file file =
            weighed(variant, 30, 4 + i % 9, (i % 3 == 2 ? 0.1 : 0.5) + 0.2 * uniform(), &delta);
        snprintf(text, sizeof text, "%.4f", delta * (i % 2 ? 1 : uniform()) + 1e-3);
        snprintf(theta, sizeof theta, "%.3f", i % 3 == 2 ? 0.0 : 0.3 + 8 * uniform());
        hsp_options *options =
            options_of(ctx, hsp_learner_find("winnow"), "variant", variant, "delta", text,
                       "threshold", theta, "passes", "20", "order", orders[i / 3 % 3], NULL);
        made m = make(file.path, NULL, options, "mistakes");
        CHECK_NOTE(m.text && checker_accepts(m.text, file.path, NULL) &&
                       strstr(m.text, "\"separator\": {"),
                   "run %d, %s, delta %s: %s", i, variant, text,
                   why_not(m.certificate, "mistakes"));
        made_free(&m);
        hsp_options_free(options);
        file_free(&file);
    }
}

/* ---- What cannot be claimed is reported ---- */

static void test_refused(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file train = clouds(40, 3, 0.4, 0);
    static const struct {
        const char *learner, *option, *value, *claim, *why;
    } cases[] = {
        {"svm", "C", "1", "optimal", "--keep-dual"},
        {"svm", "normalize", "rows", "optimal", "keep-dual"},
        {"svm", "C", "1", "mistakes", "perceptron"},
        {"svm", "C", "1", "error", "--test"},
        {"svm", "C", "1", "kernel", "--kernel"},
        {"perceptron", "normalize", "rows", "mistakes", "norm"},
        {"perceptron", "passes", "2", "optimal", "svm"},
        {"logistic", "C", "1", "optimal", "svm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_options *options = options_of(ctx, hsp_learner_find(cases[i].learner), cases[i].option,
                                          cases[i].value, NULL);
        made m = make(train.path, NULL, options, cases[i].claim);
        const char *why = why_not(m.certificate, cases[i].claim);
        CHECK(m.text == NULL);
        CHECK_NOTE(strstr(why, cases[i].why) != NULL, "%s of %s: %s", cases[i].claim,
                   cases[i].learner, why);
        made_free(&m);
        hsp_options_free(options);
    }
    file_free(&train);
}

/* ---- Held-out rows ---- */

static void test_shared(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file train = file_of("-1 1:0 2:1\n-1 1:1 2:2\n+1 1:5 2:1\n+1 1:6.50\n");
    /* two rows of it again, written otherwise, one of them with another label */
    proved_file test = file_of("+1 2:1\n+1 1:65e-1 2:0\n-1 1:0.5\n+1 1:7\n-1 1:9\n");
    hsp_options *options = options_of(ctx, hsp_learner_find("svm"), NULL);
    made m = make(train.path, test.path, options, "error");
    CHECK(m.text && checker_accepts(m.text, train.path, test.path));
    CHECK(m.text && strstr(m.text, "\"shared\": 2, \"rows\": 3, \"mistakes\": 1"));
    /* P[Bin(3, u) <= 1] = 0.05: published as 0.8647 */
    CHECK(fabs(member(m.text, "upper") - 0.86465) <= 1e-5);
    made_free(&m);
    hsp_options_free(options);
    file_free(&train);
    file_free(&test);
}

/* Upper bounds at 95% and 97.5% from published tables of Clopper and Pearson's interval. */
static void test_published(void)
{
    static const struct {
        int rows, mistakes;
        const char *delta;
        double upper;
    } table[] = {{10, 0, "0.05", 0.2589},  {10, 0, "0.025", 0.3085}, {20, 1, "0.025", 0.2487},
                 {30, 0, "0.05", 0.0950},  {50, 5, "0.025", 0.2181}, {100, 10, "0.025", 0.1762},
                 {20, 20, "0.05", 1.0000}, {100, 0, "0.05", 0.0295}};
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file train = file_of("-1 1:-1\n+1 1:1\n");
    hsp_options *options = options_of(ctx, hsp_learner_find("svm"), NULL);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        proved_file test = file_new();
        for (int k = 0; k < table[i].rows; k++)
            fprintf(test.file, "%s 1:%d.5\n", k < table[i].mistakes ? "-1" : "+1", k + 1);
        fflush(test.file);
        hsp_data *data = NULL;
        hsp_model *model = NULL;
        hsp_certificate *certificate = NULL;
        hsp_error err = {0};
        hsp_options *claims = options_of(ctx, hsp_certify_options(), "test", test.path, "delta",
                                         table[i].delta, "claim", "error", NULL);
        CHECK(hsp_data_read(ctx, train.path, NULL, NULL, &err, &data) == HSP_OK);
        CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK);
        CHECK(hsp_certify(ctx, train.path, NULL, model, claims, &err, &certificate) == HSP_OK);
        const char *text = hsp_certificate_text(certificate, NULL);
        CHECK(text && checker_accepts(text, train.path, test.path));
        CHECK_NOTE(fabs(member(text, "upper") - table[i].upper) <= 0.5e-4 + 1e-9, "%d of %d: %.6f",
                   table[i].mistakes, table[i].rows, member(text, "upper"));
        hsp_certificate_free(certificate);
        hsp_model_free(model);
        hsp_data_free(data);
        hsp_options_free(claims);
        file_free(&test);
    }
    hsp_options_free(options);
    file_free(&train);
}

/* ---- Kernels ---- */

static void test_kernels(void)
{
    static const struct {
        const char *kernel;
        int psd, separable;
    } cases[] = {{"rbf(0.5)", 1, 1},        {"laplace(1)", 1, 1},          {"poly(3,1)", 1, 1},
                 {"linear", 1, 0},          {"0.5*rbf(2) + linear", 1, 1}, {"linear - 0.5", 0, -1},
                 {"sigmoid(0.5,-1)", 0, -1}};
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file cross = file_of("0 1:0 2:0\n0 1:1 2:1\n1 1:0 2:1\n1 1:1 2:0\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_certificate *certificate = NULL;
        hsp_error err = {0};
        hsp_options *claims =
            options_of(ctx, hsp_certify_options(), "kernel", cases[i].kernel, NULL);
        CHECK_NOTE(hsp_certify(ctx, cross.path, NULL, NULL, claims, &err, &certificate) == HSP_OK,
                   "%s: %s", cases[i].kernel, err.message);
        const char *text = certificate ? hsp_certificate_text(certificate, NULL) : NULL;
        CHECK_NOTE(text && checker_accepts(text, cross.path, NULL), "%s", cases[i].kernel);
        if (text) {
            CHECK((strstr(text, "\"psd\": true") != NULL) == cases[i].psd);
            CHECK((strstr(text, "\"claim\": \"separable\"") != NULL) == (cases[i].separable == 1));
        }
        hsp_certificate_free(certificate);
        hsp_options_free(claims);
    }
    file_free(&cross);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_machines);
    RUN(test_stable);
    RUN(test_perceptrons);
    RUN(test_panels);
    RUN(test_lightest);
    RUN(test_weighed);
    RUN(test_refused);
    RUN(test_shared);
    RUN(test_published);
    RUN(test_kernels);
    hsp_context_free(ctx);
    return check_done();
}
