/* Models of LIBSVM and LIBLINEAR: what they say is what those programs would say, there and back;
 * what is no such file is an error with its place. (tests/oracles asks the programs themselves.) */
#include "model/helpers.h"
#include "model/import.h"

static hsp_model *import(hsp_context *ctx, const char *text)
{
    hsp_error err = {0};
    hsp_model *model = NULL;
    hsp_status status = hsp__model_import_text(ctx, text, strlen(text), "test", &err, &model);
    CHECK_NOTE(status == HSP_OK, "%s:%llu:%llu: %s", err.file, (unsigned long long)err.line,
               (unsigned long long)err.column, err.message);
    return model;
}

/* The text that export would write; the caller frees it. */
static char *export(hsp_context *ctx, const hsp_model *model, const char *format)
{
    const char *path = test_path("export.txt");
    hsp_error err = {0};
    size_t size;
    CHECK_NOTE(hsp_model_export(ctx, model, format, path, &err) == HSP_OK, "%s", err.message);
    char *text = test_read_file(path, &size);
    unlink(path);
    return text;
}

static void score(hsp_context *ctx, const hsp_model *model, const char *rows, double *scores,
                  uint32_t *classes)
{
    hsp_data *data = test_parse(ctx, rows, NULL, NULL);
    CHECK(hsp_model_score(ctx, model, &data->view, NULL, scores, classes) == HSP_OK);
    hsp_data_free(data);
}

static const char two_rbf[] = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\n"
                              "total_sv 3\nrho 0.25\nlabel 7 -3\nprobA -1.5\nprobB 0.25\n"
                              "nr_sv 1 2\nSV\n1.5 1:1 3:2 \n-1 2:1 \n-0.5 \n";

static void two_classes(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_model *model = import(ctx, two_rbf);
    double s[3];
    uint32_t c[3];
    CHECK_TEXT(hsp_model_hypothesis(model), "kernel");
    CHECK_TEXT(hsp_model_kernel(model), "rbf(c=0.5)");
    CHECK_TEXT(hsp_model_class_name(model, 0), "-3");
    CHECK_TEXT(hsp_model_class_name(model, 1), "7");
    CHECK_TEXT(hsp_model_metadata(model, "precision"), "double");
    CHECK(hsp_model_support(model, NULL) == 3 && hsp_model_features(model) == 3);
    score(ctx, model, "7 1:1 3:2\n-3 2:1 4:3\n-3 5:1e3\n", s, c);
    CHECK(fabs(s[0] - (1.5 - exp(-3) - 0.5 * exp(-2.5) - 0.25)) <= 1e-14);
    /* column 4, which no support vector has, is part of the distance */
    CHECK(fabs(s[1] - (1.5 * exp(-7.5) - exp(-4.5) - 0.5 * exp(-5) - 0.25)) <= 1e-14);
    CHECK(s[2] == -0.25);
    CHECK(c[0] == 1 && c[1] == 0 && c[2] == 0);
    char *text = export(ctx, model, "libsvm");
    CHECK_TEXT(text, two_rbf);
    free(text);
    double p[2]; /* P(7) = 1 / (1 + exp(probA f + probB)) */
    hsp_model_probabilities(model, s, p);
    CHECK(fabs(p[1] - 1 / (1 + exp(-1.5 * s[0] + 0.25))) <= 1e-15 &&
          fabs(p[0] + p[1] - 1) <= 1e-15);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static const char three_poly[] =
    "svm_type nu_svc\nkernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\nnr_class 3\n"
    "total_sv 4\nrho 0.5 -1 0.25\nlabel 3 1 2\nnr_sv 1 1 2\nSV\n"
    "1 2 1:1 \n-1 3 2:2 \n-2 -3 1:1 2:1 \n-1 0 3:1 \n";

/* The decision values of the file above, from its definition. */
static void three_values(const double *x, double *values)
{
    static const double v[4][3] = {{1, 0, 0}, {0, 2, 0}, {1, 1, 0}, {0, 0, 1}};
    double k[4];
    for (int i = 0; i < 4; i++) {
        const double dot = v[i][0] * x[0] + v[i][1] * x[1] + v[i][2] * x[2];
        k[i] = (0.5 * dot + 1) * (0.5 * dot + 1);
    }
    values[0] = 1 * k[0] - 1 * k[1] - 0.5;
    values[1] = 2 * k[0] - 2 * k[2] - 1 * k[3] + 1;
    values[2] = 3 * k[1] - 3 * k[2] + 0 * k[3] - 0.25;
}

static void three_classes(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_model *model = import(ctx, three_poly);
    hsp__random random;
    hsp__random_seed(&random, 21, 0);
    CHECK_TEXT(hsp_model_kernel(model), "(((const(0.5)*linear) + const(1)))^2");
    CHECK(hsp_model_vote_tie_to_first(model));
    char *text = export(ctx, model, "libsvm");
    CHECK(strncmp(text, "svm_type c_svc", 14) == 0);
    CHECK_TEXT(strchr(text, '\n'), strchr(three_poly, '\n'));
    free(text);
    for (int t = 0; t < 200; t++) {
        double x[3], want[3], got[3];
        uint32_t class;
        for (int j = 0; j < 3; j++)
            x[j] = test_small(&random);
        const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 3, 3, x);
        three_values(x, want);
        CHECK(hsp_model_score(ctx, model, &view, NULL, got, &class) == HSP_OK);
        unsigned votes[3] = {0, 0, 0}, best = 0;
        for (int p = 0, i = 0; i < 3; i++)
            for (int j = i + 1; j < 3; j++, p++) {
                CHECK_NOTE(fabs(got[p] + want[p]) <= 1e-12 * (1 + fabs(want[p])), "%g, %g", got[p],
                           want[p]);
                votes[want[p] > 0 ? i : j]++;
            }
        for (unsigned c = 1; c < 3; c++)
            if (votes[c] > votes[best]) best = c;
        CHECK(class == best);
        double numbers[3];
        hsp_model_class_scores(model, got, numbers);
        for (unsigned c = 0; c < 3; c++)
            CHECK(c == best || numbers[c] < numbers[best]);
    }
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void precomputed_rows_are_looked_up(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_model *model = import(ctx, "svm_type c_svc\nkernel_type precomputed\nnr_class 2\n"
                                   "total_sv 2\nrho 0\nlabel 1 2\nnr_sv 1 1\nSV\n"
                                   "1 0:3 \n-2 0:5 \n");
    const double gram[2 * 6] = {1, 9, 9, 4, 9, 1, 2, 9, 9, 2, 9, 3}; /* a row's number first */
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 2, 6, 6, gram);
    const uint64_t *source;
    double s[2];
    CHECK(hsp_model_support(model, &source) == 2 && source[0] == 3 && source[1] == 5);
    CHECK(hsp_model_score(ctx, model, &view, NULL, s, NULL) == HSP_OK);
    CHECK(s[0] == 2 && s[1] == -4);
    CHECK_TEXT(hsp_model_metadata(model, "index_base"), "0");
    char *text = export(ctx, model, "libsvm");
    CHECK(strstr(text, "SV\n1 0:3 \n-2 0:5 \n") != NULL);
    free(text);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* Any model there and back: the same classes, wherever no rounding decides. */
static void there_and_back(void)
{
    static const char *const kernels[] = {"linear", "rbf(0.05)", "3*poly(2, 1) + 2",
                                          "(0.5*linear + 1)^3", "1 + 2*sigmoid(0.1, -1)"};
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 90; seed++) {
        hsp__random random;
        hsp_model *model;
        double s[40 * 6], t[40 * 6];
        uint32_t c[40], d[40];
        hsp__random_seed(&random, 22, seed);
        const uint32_t classes = 2 + (uint32_t)(seed % 3);
        const int pairs = classes > 2 && seed / 3 % 2 ? HSP__PAIRS_FIRST : 0;
        model = test_expansion(ctx, &random, kernels[seed % 5], classes, pairs, 12, 6,
                               (hsp_storage)(seed % 3));
        model->tie = pairs ? HSP_TIE_POS : (hsp_tie)hsp__random_below(&random, 2);
        char *text = export(ctx, model, "libsvm");
        hsp_model *back = import(ctx, text);
        hsp_data *rows = test_rows(ctx, &random, 40, 6, HSP_SPARSE);
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, s, c) == HSP_OK);
        CHECK(hsp_model_score(ctx, back, &rows->view, NULL, t, d) == HSP_OK);
        for (int i = 0; i < 40; i++) {
            double near = 1e300; /* how near to a tie */
            for (uint32_t p = 0; p < model->scorers; p++) {
                if (classes == 2 || pairs)
                    near = fmin(near, fabs(s[i * (int)model->scorers + (int)p]));
                for (uint32_t q = 0; !pairs && classes > 2 && q < p; q++)
                    near = fmin(near, fabs(s[i * (int)model->scorers + (int)p] -
                                           s[i * (int)model->scorers + (int)q]));
            }
            CHECK_NOTE(near <= 1e-3 || strcmp(hsp_model_class_name(model, c[i]),
                                              hsp_model_class_name(back, d[i])) == 0,
                       "seed %llu, row %d", (unsigned long long)seed, i);
        }
        if (classes == 2 && seed % 5) { /* the file says all there is: again nothing changes */
            char *again = export(ctx, back, "libsvm");
            CHECK(strcmp(again, text) == 0);
            free(again);
        }
        hsp_data_free(rows);
        hsp_model_free(back);
        hsp_model_free(model);
        free(text);
    }
    hsp_context_free(ctx);
}

/* Linear models through both formats, with scalings that go into the weights. */
static void linear_there_and_back(void)
{
    static const char *const formats[] = {"liblinear", "libsvm"};
    static const char *const scalings[] = {"none", "standard", "min-max", "max-abs"};
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 160; seed++) {
        hsp__random random;
        double s[40 * 6], t[40 * 6];
        uint32_t c[40], d[40];
        hsp__random_seed(&random, 23, seed);
        const uint32_t classes = 2 + (uint32_t)(seed % 3);
        const int svm = seed / 3 % 2, pairs = svm && classes > 2 && seed % 4 == 0;
        hsp_model *model =
            pairs ? test_pairs(ctx, &random, classes, 6) : test_linear(ctx, &random, classes, 6);
        if (pairs) model->pairs = HSP__PAIRS_FIRST;
        model->tie = pairs ? HSP_TIE_POS : (hsp_tie)hsp__random_below(&random, 2);
        if (seed / 6 % 4)
            model->scalings[seed % 2] = test_scaling(ctx, &random, scalings[seed / 6 % 4], 6);
        char *text = export(ctx, model, formats[svm]);
        hsp_model *back = import(ctx, text);
        hsp_data *rows = test_rows(ctx, &random, 40, 6, HSP_SPARSE);
        CHECK_TEXT(hsp_model_hypothesis(back), "linear");
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, s, c) == HSP_OK);
        CHECK(hsp_model_score(ctx, back, &rows->view, NULL, t, d) == HSP_OK);
        const char *labels[] = {"1", "2", "3", "4"}; /* "class 0" is no number */
        for (int i = 0; i < 40; i++) {
            double near = 1;
            const double *one = s + i * (int)model->scorers;
            for (uint32_t p = 0; p < model->scorers; p++) {
                if (classes == 2 || pairs) near = fmin(near, fabs(one[p]));
                for (uint32_t q = 0; !pairs && q < p; q++)
                    near = fmin(near, fabs(one[p] - one[q]));
            }
            if (model->scalings[seed % 2] && near <= 1e-4) continue; /* rounding decides */
            CHECK_NOTE(strcmp(labels[c[i]], hsp_model_class_name(back, d[i])) == 0,
                       "seed %llu, row %d", (unsigned long long)seed, i);
        }
        hsp_data_free(rows);
        hsp_model_free(back);
        hsp_model_free(model);
        free(text);
    }
    hsp_context_free(ctx);
}

static void liblinear_files(void)
{
    hsp_context *ctx = test_context(1, 0);
    double s[3];
    uint32_t c[1];
    hsp_model *model = import(ctx, "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\n"
                                   "bias 2\nw\n0.5 \n-1\n2e-1 \n0.25 \n");
    score(ctx, model, "1 1:1 2:1 3:1 4:9\n", s, c);
    CHECK(fabs(s[0] - 0.2) <= 1e-15);
    CHECK_TEXT(hsp_model_class_name(model, c[0]), "1");
    CHECK_TEXT(hsp_model_link(model), "logistic");
    char *text = export(ctx, model, "liblinear");
    CHECK_TEXT(text, "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n"
                     "0.5 \n-1 \n0.2 \n0.5 \n");
    free(text);
    hsp_model_free(model);
    model = import(ctx, "solver_type MCSVM_CS\nnr_class 2\nlabel 5 6\nnr_feature 2\nbias -1\nw\n"
                        "1 3 \n2 -1 \n");
    score(ctx, model, "5 1:3 2:2\n", s, c); /* 7 and 7: the first label */
    CHECK(s[0] == 0);
    CHECK_TEXT(hsp_model_class_name(model, c[0]), "5");
    hsp_model_free(model);
    model = import(ctx, "solver_type L2R_L2LOSS_SVC\nnr_class 3\nlabel 9 4 2\nnr_feature 1\n"
                        "bias 1\nw\n1 2 3 \n0 0 -1\n");
    score(ctx, model, "9 1:1\n", s, c);
    CHECK(s[0] == 1 && s[1] == 2 && s[2] == 2);
    CHECK_TEXT(hsp_model_class_name(model, c[0]), "4");
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void errors_have_their_place(void)
{
    static const struct {
        const char *text;
        uint64_t line, column;
        const char *part;
    } cases[] = {
        {"", 1, 1, "svm_type"},
        {"1 1:2\n", 1, 1, "LIBLINEAR"},
        {"svm_type epsilon_svr\n", 1, 10, "c_svc"},
        {"svm_type c_svc\nkernel_type rbff\n", 2, 13, "rbf"},
        {"svm_type c_svc\nkernel_type rbf x\n", 2, 17, "end of the line"},
        {"svm_type c_svc\nkernel_type rbf\ngamma much\n", 3, 7, "number"},
        {"svm_type c_svc\nnr_class 1\n", 2, 10, "whole number"},
        {"svm_type c_svc\nnr_class 2\nlabel 1 1\n", 3, 9, "another label"},
        {"svm_type c_svc\nnr_class 2\nlabel 1 b\n", 3, 9, "number"},
        {"svm_type c_svc\nnr_class 2\nnr_class 2\n", 3, 1, "once"},
        {"svm_type c_svc\ncolour 2\n", 2, 1, "key"},
        {"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 2\n"
         "nr_sv 1 0\nSV\n1 1:2 1:3\n",
         9, 7, "above the one before"},
        {"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 2\n"
         "nr_sv 1 0\nSV\n1 1:2\n1 1:3\n",
         10, 1, "the end of the file"},
        {"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 2\n"
         "nr_sv 1 0\nSV\n1 1:nan\n",
         9, 5, "number"},
        {"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 2\n"
         "nr_sv 1 1\nSV\n1 1:2\n",
         0, 0, "1 support vectors, total_sv is 2"},
        {"svm_type c_svc\nkernel_type rbf\nnr_class 2\ntotal_sv 0\nrho 0\nlabel 1 2\n"
         "nr_sv 0 0\nSV\n",
         0, 0, "gamma"},
        {"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 0 1\nlabel 1 2\n"
         "nr_sv 0 0\nSV\n",
         0, 0, "rho"},
        {"solver_type L2R_L2LOSS_SVR\n", 1, 13,
         "a classification solver (L2R_LR, L2R_L2LOSS_SVC, MCSVM_CS and"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 9\nbias -1\nw\n1\n2\n", 0, 0,
         "too short"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias -1\nw\n1\nx\n", 8, 1,
         "number"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias -1\nw\n1 2\n3\n", 7, 3,
         "end of the line"},
    };
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_error err = {0};
        hsp_model *model = NULL;
        CHECK(hsp__model_import_text(ctx, cases[i].text, strlen(cases[i].text), "test", &err,
                                     &model) == HSP_BAD_DATA);
        CHECK_NOTE(err.line == cases[i].line && err.column == cases[i].column &&
                       strstr(err.message, cases[i].part) && !model,
                   "case %zu: %llu:%llu: %s", i, (unsigned long long)err.line,
                   (unsigned long long)err.column, err.message);
    }
    hsp_context_free(ctx);
}

/* Cut anywhere, it is a model or an error; so it is with any byte changed. */
static void any_bytes(void)
{
    static const char *const texts[] = {
        two_rbf, three_poly,
        "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 2\nw\n0.5 \n-1\n2 \n1 \n"};
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < 3; i++) {
        const size_t size = strlen(texts[i]);
        for (size_t cut = 0; cut < size; cut++)
            for (int change = 0; change < 4; change++) {
                static const char with[] = {0, '9', '\n', '-'};
                char *part = malloc(size);
                hsp_model *model = NULL;
                hsp_error err = {0};
                memcpy(part, texts[i], size);
                if (change) part[cut] = with[change];
                hsp_status status =
                    hsp__model_import_text(ctx, part, change ? size : cut, "test", &err, &model);
                CHECK(status == HSP_OK ? model != NULL
                                       : status == HSP_BAD_DATA && err.message[0] && !model);
                hsp_model_free(model);
                free(part);
            }
    }
    hsp_context_free(ctx);
}

static void what_cannot_be_written(void)
{
    static const struct {
        const char *kernel, *format, *scaling, *part;
    } cases[] = {{"laplace(1)", "libsvm", NULL, "not laplace"},
                 {"rbf(1) + linear", "libsvm", NULL, "not "},
                 {"cols(1-2; rbf(1))", "libsvm", NULL, "not cols"},
                 {"rbf(1)", "libsvm", "standard", "scale"},
                 {"rbf(1)", "liblinear", NULL, "linear"},
                 {"rbf(1)", "onnx", NULL, "libsvm or liblinear"},
                 {NULL, "liblinear", "unit-rows", "norm"},
                 {NULL, "libsvm", "unit-rows", "norm"}};
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("never.txt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp__random random;
        hsp_error err = {0};
        hsp__random_seed(&random, 24, i);
        hsp_model *model =
            cases[i].kernel ? test_expansion(ctx, &random, cases[i].kernel, 2, 0, 4, 3, HSP_SPARSE)
                            : test_linear(ctx, &random, 2, 3);
        if (cases[i].scaling) model->scalings[0] = test_scaling(ctx, &random, cases[i].scaling, 3);
        CHECK(hsp_model_export(ctx, model, cases[i].format, path, &err) == HSP_USAGE);
        CHECK_NOTE(strstr(err.message, cases[i].part), "%s", err.message);
        CHECK(access(path, F_OK) != 0);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(two_classes);
    RUN(three_classes);
    RUN(precomputed_rows_are_looked_up);
    RUN(there_and_back);
    RUN(linear_there_and_back);
    RUN(liblinear_files);
    RUN(errors_have_their_place);
    RUN(any_bytes);
    RUN(what_cannot_be_written);
    return check_done();
}
