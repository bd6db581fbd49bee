/* The optimum judged from data and model file alone, as the page of a book has it, in long doubles:
 * nothing here is shared with a solver, nor with what solvers stop by. Only the public interface is
 * used: weights, offset, and from hsp_model_row_coefficients the dual weights (option keep-dual;
 * the amount of a row is a_i y_i).
 *
 *     P = ||w||^2/2 (+ b^2/2) + sum_i c_i loss(m_i),      m_i = y_i (<w, x_i> + b)
 *     D = sum_i e_i(a_i) - ||u||^2/2 (- t^2/2),           u = sum a_i y_i x_i,  t = sum a_i y_i
 *     e: hinge a; squared a - a^2/(4c); logistic -a log(a/c) - (c-a) log((c-a)/c)
 *
 * Penalty l1: ||w||_1 (+ |b|) instead of ||w||^2/2 (+ b^2/2); in D nothing instead of ||u||^2/2 and
 * t^2/2, but |u_j| <= 1 and |t| <= 1.
 *
 * D <= P whatever a and w are, as long as 0 <= a (<= c) and, offset free, t = 0. */
#ifndef HSP_TESTS_LEARN_MARGINS_H
#define HSP_TESTS_LEARN_MARGINS_H

#include <halfspace_all.h>
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "options.h"

enum { MARGIN_ROWS = 96, MARGIN_COLS = 12, MARGIN_WORDS = 12 };

typedef struct margin_set {
    int n, d, sparse, single; /* single: stored in 32 bits */
    double x[MARGIN_ROWS][MARGIN_COLS];
    int label[MARGIN_ROWS]; /* 0 or 1; more with `classes` */
    int classes;            /* 0: two */
} margin_set;

/* A generator of the tests' own. */
typedef struct margin_random {
    uint64_t state;
} margin_random;

static inline double margin_unit(margin_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline int margin_below(margin_random *r, int bound)
{
    return (int)(margin_unit(r) * bound);
}

static inline double margin_normal(margin_random *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += margin_unit(r);
    return sum;
}

static inline const hsp_option *margin_option(const char *learner, const char *name)
{
    const hsp_option_table *table = hsp_learner_find(learner);
    for (size_t i = 0; table && i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return &table->options[i];
    return NULL;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static inline void margin_round(margin_set *s)
{
    for (int i = 0; s->single && i < s->n; i++)
        for (int j = 0; j < s->d; j++)
            s->x[i][j] = (float)s->x[i][j];
}

/* The set as the library's. Values of 32 bits must have been rounded (margin_round). */
static inline hsp_data *margin_data(hsp_context *ctx, const margin_set *s)
{
    static const char *const two[] = {"-1", "1"};
    static double values[MARGIN_ROWS * MARGIN_COLS];
    static float singles[MARGIN_ROWS * MARGIN_COLS];
    static uint32_t indices[MARGIN_ROWS * MARGIN_COLS], starts[MARGIN_ROWS + 1],
        labels[MARGIN_ROWS];
    uint32_t stored = 0;
    hsp_data *data = NULL;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->d; j++) {
            if (s->sparse && s->x[i][j] == 0) continue;
            values[stored] = s->x[i][j];
            singles[stored] = (float)s->x[i][j];
            indices[stored++] = (uint32_t)j;
        }
        starts[i + 1] = stored;
        labels[i] = (uint32_t)s->label[i];
    }
    const hsp_precision precision = s->single ? HSP_FLOAT32 : HSP_FLOAT64;
    const void *numbers = s->single ? (const void *)singles : (const void *)values;
    hsp_view view = s->sparse ? hsp_view_sparse(precision, (uint64_t)s->n, (uint64_t)s->d, 4,
                                                starts, indices, numbers)
                              : hsp_view_dense(precision, (uint64_t)s->n, (uint64_t)s->d,
                                               (uint64_t)s->d, numbers);
    view.labels = labels;
    view.classes = s->classes ? (uint32_t)s->classes : 2;
    CHECK(hsp_view_check(ctx, &view, NULL) == HSP_OK);
    CHECK(hsp_data_copy(ctx, &view, s->classes ? NULL : two, NULL, NULL, &data) == HSP_OK);
    return data;
}

/* ---- Training -------------------------------------------------------------------------------- */

typedef struct margin_run {
    hsp_status status;
    hsp_error err;
    hsp_training run;
    hsp_model *model; /* NULL: none */
} margin_run;

static char margin_folder[] = "/tmp/hsp-margins-XXXXXX"; /* main: mkdtemp */

static inline void margin_free(margin_run *r)
{
    hsp_model_free(r->model);
    hsp_evidence_free(r->run.evidence);
    *r = (margin_run){0};
}

/* Train by "name=value" words ended by NULL. Every eighth model is written and read back: a file
 * goes down to the disk, which takes its time. */
static inline margin_run margin_train_data(hsp_context *ctx, hsp_data *data, const char *learner,
                                           const char *const *words)
{
    margin_run r = {.run.size = sizeof r.run};
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    char path[64];
    static int models;
    r.status = hsp_options_new(ctx, hsp_learner_find(learner), &r.err, &options);
    for (; !r.status && *words; words++)
        r.status = test_options_set(options, *words, &r.err);
    if (!r.status) r.status = hsp_train(ctx, data, options, &r.err, &r.run, &model);
    if (r.status == HSP_CANCELLED && model) {
        r.model = model;
        model = NULL;
    } else if (!r.status && model && models++ % 8 != 0) {
        r.model = model;
        model = NULL;
    } else if (!r.status && model) {
        snprintf(path, sizeof path, "%s/model", margin_folder);
        r.status = hsp_model_write(ctx, model, path, &r.err);
        if (!r.status) r.status = hsp_model_read(ctx, path, &r.err, &r.model);
        unlink(path);
    }
    hsp_model_free(model);
    hsp_options_free(options);
    return r;
}

static inline margin_run margin_train(hsp_context *ctx, const margin_set *s, const char *learner,
                                      const char *const *words)
{
    hsp_data *data = margin_data(ctx, s);
    margin_run r = margin_train_data(ctx, data, learner, words);
    hsp_data_free(data);
    return r;
}

/* ---- Judging --------------------------------------------------------------------------------- */

typedef struct margin_problem {
    char loss;   /* 'h'inge, 's'quared, 'l'ogistic */
    char offset; /* 'f'ree, 'r'egularized, 'n'one */
    double C;
    double weight[2]; /* of the classes; 0, 0: 1, 1 */
    int l1;           /* the penalty */
} margin_problem;

typedef struct margin_verdict {
    long double primal, dual;
    long double apart;     /* ||w - u||^2 / 2 (+ (b - t)^2 / 2) */
    long double norm;      /* ||w|| */
    long double penalised; /* the same with b, where b is penalised */
    long double outside;   /* how far an a is outside its box, relative to c */
    long double balance;   /* |sum a y| / sum a */
    long double smallest;  /* the least margin m */
    long double biggest;   /* the largest |m| */
    uint64_t support;
} margin_verdict;

static inline long double margin_loss(char loss, long double m)
{
    if (loss == 'l') return m > 0 ? log1pl(expl(-m)) : log1pl(expl(m)) - m;
    if (m >= 1) return 0;
    return loss == 'h' ? 1 - m : (1 - m) * (1 - m);
}

static inline long double margin_gain(char loss, long double a, long double c)
{
    if (loss == 'h') return a;
    if (loss == 's') return a - a * a / (4 * c);
    return -(a > 0 ? a * logl(a / c) : 0) - (a < c ? (c - a) * logl((c - a) / c) : 0);
}

static inline double margin_y(const margin_set *s, int i, uint32_t scorer)
{
    const uint32_t positive = s->classes ? scorer : 1;
    return (uint32_t)s->label[i] == positive ? 1 : -1;
}

static inline long double margin_cost(const margin_problem *p, double y)
{
    const double weight = p->weight[y > 0];
    return (long double)p->C * (weight != 0 ? weight : 1);
}

/* The dual weights of a scorer, from the model: a[i] >= 0 in its box unless the model is wrong. */
static inline void margin_dual(const margin_set *s, const hsp_model *model, uint32_t scorer,
                               long double *a)
{
    const hsp_row_coefficients said = hsp_model_row_coefficients(model);
    for (int i = 0; i < s->n; i++)
        a[i] = 0;
    for (uint64_t e = 0; e < said.count; e++) {
        CHECK(said.row[e] < (uint64_t)s->n);
        if (said.scorer[e] == scorer)
            a[said.row[e]] += said.amount[e] * margin_y(s, (int)said.row[e], scorer);
    }
}

static inline long double margin_score(const margin_set *s, int i, const hsp_model *model,
                                       uint32_t scorer)
{
    long double score = hsp_model_offset(model, scorer);
    for (int j = 0; j < s->d && j < (int)hsp_model_features(model); j++)
        score += (long double)hsp_model_weights(model, scorer)[j] * s->x[i][j];
    return score;
}

static inline margin_verdict margin_judge(const margin_set *s, const margin_problem *p,
                                          const hsp_model *model, uint32_t scorer)
{
    margin_verdict v = {.smallest = INFINITY};
    long double a[MARGIN_ROWS], u[MARGIN_COLS] = {0}, t = 0, total = 0;
    const long double b = hsp_model_offset(model, scorer);
    margin_dual(s, model, scorer, a);
    for (int i = 0; i < s->n; i++) {
        const double y = margin_y(s, i, scorer);
        const long double c = margin_cost(p, y), m = y * margin_score(s, i, model, scorer);
        v.primal += c * margin_loss(p->loss, m);
        v.smallest = fminl(v.smallest, m);
        v.biggest = fmaxl(v.biggest, fabsl(m));
        v.outside = fmaxl(v.outside, fmaxl(-a[i], p->loss == 's' ? 0 : a[i] - c) / c);
        v.dual += margin_gain(p->loss, fmaxl(0, p->loss == 's' ? a[i] : fminl(a[i], c)), c);
        v.support += a[i] != 0;
        total += a[i];
        t += a[i] * y;
        for (int j = 0; j < s->d; j++)
            u[j] += a[i] * y * s->x[i][j];
    }
    long double squares = 0, duals = 0, sizes = 0;
    for (int j = 0; j < s->d; j++) {
        const long double w =
            j < (int)hsp_model_features(model) ? hsp_model_weights(model, scorer)[j] : 0;
        squares += w * w;
        sizes += fabsl(w);
        duals += u[j] * u[j];
        v.apart += (w - u[j]) * (w - u[j]) / 2;
        if (p->l1) v.outside = fmaxl(v.outside, fabsl(u[j]) - 1);
    }
    v.norm = sqrtl(squares);
    if (p->offset == 'r') {
        squares += b * b, sizes += fabsl(b), duals += t * t;
        v.apart += (b - t) * (b - t) / 2;
        if (p->l1) v.outside = fmaxl(v.outside, fabsl(t) - 1);
    }
    if (p->l1) v.apart = 0;
    if (p->offset == 'f') v.balance = total > 0 ? fabsl(t) / total : 0;
    v.penalised = p->l1 ? sizes : sqrtl(squares);
    v.primal += p->l1 ? sizes : squares / 2;
    v.dual -= p->l1 ? 0 : duals / 2;
    return v;
}

#endif
