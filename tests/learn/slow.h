/* Problems of two classes made up for tests, and their primal and dual value computed from the
 * formulas of the head of problem.h, row by row in long double: slow, and sharing nothing with the
 * code that is checked. */
#ifndef HSP_TESTS_LEARN_SLOW_H
#define HSP_TESTS_LEARN_SLOW_H

#include <math.h>

#include "base/context.h"
#include "base/random.h"
#include "check.h"
#include "learn/erm/problem.h"

typedef enum slow_storage {
    SLOW_DENSE32,
    SLOW_DENSE64,
    SLOW_SPARSE32,
    SLOW_SPARSE64,
    SLOW_ONES,
    SLOW_STORAGES
} slow_storage;

typedef struct slow_set {
    uint64_t n, d;
    double *x;        /* n * d */
    uint32_t *labels; /* n */
    double *weights;  /* n */
    void *values;     /* what the view points to */
    uint64_t *starts;
    uint32_t *indices;
    hsp_view view;
} slow_set;

static inline void slow_free(slow_set *set)
{
    free(set->x);
    free(set->labels);
    free(set->weights);
    free(set->values);
    free(set->starts);
    free(set->indices);
    memset(set, 0, sizeof *set);
}

static inline slow_set slow_new(uint64_t n, uint64_t d)
{
    slow_set set = {.n = n, .d = d};
    set.x = calloc(n * d + 1, sizeof *set.x);
    set.labels = calloc(n + 1, sizeof *set.labels);
    set.weights = calloc(n + 1, sizeof *set.weights);
    set.values = calloc(n * d + 1, sizeof(double));
    set.starts = calloc(n + 2, sizeof *set.starts);
    set.indices = calloc(n * d + 1, sizeof *set.indices);
    for (uint64_t i = 0; i < n; i++)
        set.weights[i] = 1;
    return set;
}

/* Make the view. float rounds x first; ones turns every number that is not 0 into 1. */
static inline void slow_store(slow_set *set, slow_storage storage)
{
    const int single = storage == SLOW_DENSE32 || storage == SLOW_SPARSE32;
    const hsp_precision precision = single ? HSP_FLOAT32 : HSP_FLOAT64;
    const int dense = storage == SLOW_DENSE32 || storage == SLOW_DENSE64;
    uint64_t stored = 0;
    for (uint64_t i = 0; i < set->n; i++) {
        for (uint64_t j = 0; j < set->d; j++) {
            double *x = &set->x[i * set->d + j];
            if (single) *x = (double)(float)*x;
            if (storage == SLOW_ONES) *x = *x != 0;
            if (!dense && *x == 0) continue;
            if (single)
                ((float *)set->values)[stored] = (float)*x;
            else
                ((double *)set->values)[stored] = *x;
            set->indices[stored++] = (uint32_t)j;
        }
        set->starts[i + 1] = stored;
    }
    set->view = dense ? hsp_view_dense(precision, set->n, set->d, set->d, set->values)
                      : hsp_view_sparse(precision, set->n, set->d, 8, set->starts, set->indices,
                                        storage == SLOW_ONES ? NULL : set->values);
    set->view.labels = set->labels;
    set->view.classes = 2;
}

/* Two clouds that overlap the more the smaller `apart` is; some numbers are 0. */
static inline slow_set slow_clouds(uint64_t seed, uint64_t n, uint64_t d, double apart,
                                   slow_storage storage)
{
    hsp__random random;
    hsp__random_seed(&random, seed, 7);
    slow_set set = slow_new(n, d);
    for (uint64_t i = 0; i < n; i++) {
        set.labels[i] = i < 2 ? (uint32_t)i : hsp__random_unit(&random) < 0.4;
        for (uint64_t j = 0; j < d; j++) {
            const double there = set.labels[i] ? apart : -apart;
            const double x = hsp__random_normal(&random) + there / (double)(j + 1);
            set.x[i * d + j] = hsp__random_unit(&random) < 0.3 ? 0 : x;
        }
    }
    slow_store(&set, storage);
    return set;
}

static inline long double slow_y(const hsp__problem *p, uint64_t i)
{
    return p->view->labels[i] == p->positive ? 1 : -1;
}

static inline long double slow_cost(const hsp__problem *p, uint64_t i)
{
    const long double c = p->cost[p->view->labels[i] == p->positive ? 1 : 0];
    return p->row_weight ? c * p->row_weight[i] : c;
}

static inline long double slow_score(const slow_set *set, uint64_t i, const double *w, double b)
{
    long double sum = b;
    for (uint64_t j = 0; j < set->d; j++)
        sum += (long double)w[j] * set->x[i * set->d + j];
    return sum;
}

static inline long double slow_loss(const hsp__loss *loss, long double m)
{
    if (loss->form == HSP__LOGISTIC) return m > 0 ? log1pl(expl(-m)) : log1pl(expl(m)) - m;
    const long double z = m < 1 ? 1 - m : 0;
    return loss->form == HSP__HINGE ? z : z * z;
}

/* P(w, b); hard: infinite when a row's m is below 1 - 1e-9. */
static inline long double slow_primal(const slow_set *set, const hsp__problem *p, const double *w,
                                      double b)
{
    const long double own = p->offset == HSP__OFFSET_REGULARIZED ? b : 0;
    const int squares = p->penalty == HSP__PENALTY_L2;
    long double pen = squares ? own * own / 2 : fabsl(own), loss = 0;
    for (uint64_t j = 0; j < set->d; j++)
        pen += squares ? (long double)w[j] * w[j] / 2 : fabsl((long double)w[j]);
    for (uint64_t i = 0; i < set->n; i++) {
        const long double m = slow_y(p, i) * slow_score(set, i, w, b);
        if (!p->hard)
            loss += slow_cost(p, i) * slow_loss(p->loss, m);
        else if (!(m >= 1 - 1e-9L))
            loss = INFINITY;
    }
    return pen + loss;
}

/* sum a y x; returns sum a y. */
static inline long double slow_combine(const slow_set *set, const hsp__problem *p, const double *a,
                                       long double *u)
{
    long double t = 0;
    for (uint64_t j = 0; j < set->d; j++)
        u[j] = 0;
    for (uint64_t i = 0; i < set->n; i++) {
        t += slow_y(p, i) * a[i];
        for (uint64_t j = 0; j < set->d; j++)
            u[j] += slow_y(p, i) * a[i] * set->x[i * set->d + j];
    }
    return t;
}

/* D(a), or minus infinity when a is not feasible (beyond rounding). */
static inline long double slow_dual(const slow_set *set, const hsp__problem *p, const double *a)
{
    long double *u = calloc(set->d + 1, sizeof *u), gain = 0, norm = 0, most = 0, total = 0;
    const long double t = slow_combine(set, p, a, u);
    int feasible = 1;
    for (uint64_t i = 0; i < set->n; i++) {
        const long double c = slow_cost(p, i), s = a[i];
        const int boxed = !p->hard && p->loss->form != HSP__SQUARED_HINGE;
        feasible &= s >= 0 && (!boxed || s <= c * (1 + 1e-15L)) && (p->hard || c > 0 || s == 0);
        total += s;
        if (p->hard || p->loss->form == HSP__HINGE)
            gain += s;
        else if (p->loss->form == HSP__SQUARED_HINGE)
            gain += s > 0 ? s - s * s / (4 * c) : 0;
        else if (s > 0 && s < c)
            gain -= s * logl(s / c) + (c - s) * log1pl(-s / c);
    }
    if (p->offset == HSP__OFFSET_FREE && !(fabsl(t) <= 1e-12L * (total + 1e-300L))) feasible = 0;
    for (uint64_t j = 0; j < set->d; j++)
        norm += u[j] * u[j], most = fmaxl(most, fabsl(u[j]));
    if (p->offset == HSP__OFFSET_REGULARIZED) norm += t * t, most = fmaxl(most, fabsl(t));
    free(u);
    if (p->penalty == HSP__PENALTY_L1) return feasible && most <= 1 + 1e-12L ? gain : -INFINITY;
    return feasible ? gain - norm / 2 : -INFINITY;
}

#endif
