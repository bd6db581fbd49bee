/* Learning itself: bytes choose a learner, an offset, a scaling, and up to 15 rows of awkward
 * numbers. On one thread and on three the scores are the same to the bit; weights are finite; the
 * training error is that of the model on its rows, counted again here; the dual objective is not
 * above the objective; 1-NN with distinct rows makes no mistake on them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "halfspace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_ROWS = 15, FUZZ_COLS = 3 };

static void fuzz_must(int condition)
{
    if (!condition) abort();
}

typedef struct problem {
    double x[FUZZ_ROWS * FUZZ_COLS];
    uint32_t y[FUZZ_ROWS];
    uint64_t rows;
    const char *const *settings; /* name, value, ..., NULL */
    const char *learner;
} problem;

static const char *const choices[][8] = {
    {"perceptron", "passes", "20", NULL},
    {"perceptron", "passes", "5", "average", "average", NULL},
    {"svm", "max-passes", "50", NULL},
    {"svm", "max-passes", "50", "scale", "standard", NULL},
    {"svm", "max-passes", "50", "loss", "squared", "offset", "none", NULL},
    {"logistic", "max-passes", "50", NULL},
    {"knn", "k", "1", NULL},
    {"knn", "k", "1", "metric", "linf", NULL}};

/* A header byte, then rows: a byte for the class, one a column. */
static int fuzz_problem(const uint8_t *data, size_t size, problem *to)
{
    static const double numbers[] = {0,    1,     -1,       2,      0.5, 3,    -0.1, 1e-3,
                                     1e10, -1e10, 16777217, 1e-300, 7,   1e-8, 0.3,  -4};
    if (size < 1 + 2 * (FUZZ_COLS + 1)) return 0;
    const char *const *choice = choices[data[0] % (sizeof choices / sizeof *choices)];
    *to = (problem){.learner = choice[0], .settings = choice + 1};
    unsigned seen = 0;
    for (size_t at = 1; at + FUZZ_COLS < size && to->rows < FUZZ_ROWS; at += FUZZ_COLS + 1) {
        to->y[to->rows] = data[at] & 1;
        seen |= 1u << (data[at] & 1);
        for (int j = 0; j < FUZZ_COLS; j++)
            to->x[to->rows * FUZZ_COLS + (unsigned)j] = numbers[data[at + 1 + (unsigned)j] % 16];
        to->rows++;
    }
    return seen == 3; /* both classes */
}

static hsp_options *fuzz_options(hsp_context *ctx, const problem *p)
{
    const hsp_option_table *table = NULL;
    hsp_options *options = NULL;
    for (size_t i = 0; (table = hsp_learner(i)) && strcmp(table->name, p->learner) != 0; i++) {
    }
    fuzz_must(table && hsp_options_new(ctx, table, NULL, &options) == HSP_OK);
    for (const char *const *s = p->settings; *s; s += 2)
        fuzz_must(hsp_options_set(options, s[0], s[1], NULL) == HSP_OK);
    return options;
}

/* Train, and fill in the scores of the rows. 0: refused, with a sentence. */
static int fuzz_train(const problem *p, int threads, hsp_training *run, double *scores)
{
    static const char *const names[] = {"a", "b"};
    hsp_context *ctx = NULL;
    hsp_data *rows = NULL;
    hsp_model *model = NULL;
    hsp_error err = {0};
    fuzz_must(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_context_set_threads(ctx, threads);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, p->rows, FUZZ_COLS, FUZZ_COLS, p->x);
    view.labels = p->y;
    view.classes = 2;
    hsp_options *options = fuzz_options(ctx, p);
    fuzz_must(hsp_data_copy(ctx, &view, names, NULL, NULL, &rows) == HSP_OK);
    const hsp_status status = hsp_train(ctx, rows, options, &err, run, &model);
    fuzz_must(status == HSP_OK || (status == HSP_BAD_DATA && err.message[0]));
    if (status == HSP_OK) {
        uint32_t classes[FUZZ_ROWS];
        uint64_t wrong = 0;
        const double *w = hsp_model_weights(model, 0);
        for (int j = 0; w && j < FUZZ_COLS; j++)
            fuzz_must(isfinite(w[j]) && isfinite(hsp_model_offset(model, 0)));
        fuzz_must(hsp_model_score(ctx, model, &view, &err, scores, classes) == HSP_OK);
        for (uint64_t i = 0; i < p->rows; i++)
            wrong += classes[i] != p->y[i];
        if (!isnan(run->training_error))
            fuzz_must(run->training_error == (double)wrong / (double)p->rows);
    }
    hsp_model_free(model);
    hsp_data_free(rows);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return status == HSP_OK;
}

/* Rows that are equal, and of both classes. */
static int fuzz_contradicts(const problem *p)
{
    for (uint64_t i = 0; i < p->rows; i++)
        for (uint64_t k = 0; k < i; k++) {
            int same = p->y[i] != p->y[k];
            for (int j = 0; j < FUZZ_COLS; j++)
                same &= p->x[i * FUZZ_COLS + (unsigned)j] == p->x[k * FUZZ_COLS + (unsigned)j];
            if (same) return 1;
        }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    problem p;
    hsp_training one = {0}, three = {0};
    double first[FUZZ_ROWS], second[FUZZ_ROWS];
    if (!fuzz_problem(data, size, &p)) return 0;
    const int learnt = fuzz_train(&p, 1, &one, first);
    fuzz_must(fuzz_train(&p, 3, &three, second) == learnt);
    if (!learnt) return 0;
    fuzz_must(memcmp(first, second, p.rows * sizeof *first) == 0);
    if (one.optimum.solver && isfinite(one.optimum.dual_objective))
        fuzz_must(!(one.optimum.dual_objective > one.optimum.objective));
    if (strcmp(p.learner, "knn") == 0 && !fuzz_contradicts(&p)) {
        for (uint64_t i = 0; i < p.rows; i++)
            fuzz_must((first[i] > 0) == (p.y[i] == 1));
    }
    return 0;
}
