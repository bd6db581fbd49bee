/* The perceptron with a kernel, as naive as can be: every score is kept up to date in long double,
 * one kernel value at a time. What the library does is compared with this. */
#ifndef HSP_TESTS_LEARN_NAIVE_KERNEL_H
#define HSP_TESTS_LEARN_NAIVE_KERNEL_H

#include "learn/naive.h"

enum { MOST_ROWS = 2300, MOST_COLS = 12, MOST_STEPS = 12000 };

typedef struct rows {
    int n, d, classes;
    double x[MOST_ROWS][MOST_COLS];
    int label[MOST_ROWS];
} rows;

typedef long double (*value_fn)(const double *x, const double *y, int d);

static inline long double dot(const double *x, const double *y, int d)
{
    long double sum = 0;
    for (int j = 0; j < d; j++)
        sum += (long double)x[j] * (long double)y[j];
    return sum;
}

static inline long double squares(const double *x, const double *y, int d)
{
    long double sum = 0;
    for (int j = 0; j < d; j++)
        sum += ((long double)x[j] - (long double)y[j]) * ((long double)x[j] - (long double)y[j]);
    return sum;
}

static inline long double poly2(const double *x, const double *y, int d)
{
    return (dot(x, y, d) + 1) * (dot(x, y, d) + 1);
}

static inline long double gauss(const double *x, const double *y, int d)
{
    return expl(-0.5L * squares(x, y, d));
}

static inline long double mixed(const double *x, const double *y, int d)
{
    return 0.5L * expl(-0.25L * squares(x, y, d)) + dot(x, y, d);
}

typedef struct kernel {
    const char *text;
    value_fn value;
} kernel;

static const kernel kernels[] = {
    {"linear", dot}, {"poly(2,1)", poly2}, {"rbf(0.5)", gauss}, {"0.5*rbf(0.25) + linear", mixed}};

/* One step of a run: what it added. */
typedef struct step {
    int row, away, gone, example; /* away, gone: NO_ONE, or a scorer and a row */
    int toward;
    double dropped[NAIVE_CLASSES];
} step;

enum { NO_ONE = -1 };

typedef struct naive {
    int scorers, target; /* target: one scorer's positive class */
    long double s[MOST_ROWS][NAIVE_CLASSES], b[NAIVE_CLASSES], sum_b[NAIVE_CLASSES];
    double a[MOST_ROWS][NAIVE_CLASSES];
    long double sum_a[MOST_ROWS][NAIVE_CLASSES]; /* sum of amount * examples before */
    double c, limit;
    int age[MOST_ROWS]; /* the update that brought it; 0: not there */
    int examples, updates, passes, mistakes, first_wrong, converged, steps;
    step *step;
} naive;

static inline void add(naive *r, const rows *set, const kernel *k, int i, int scorer, double amount)
{
    for (int q = 0; q < set->n; q++)
        r->s[q][scorer] += (long double)amount * k->value(set->x[i], set->x[q], set->d);
    r->b[scorer] += (long double)(amount * r->c * r->c);
    r->a[i][scorer] += amount;
    r->sum_a[i][scorer] += (long double)amount * r->examples;
    r->sum_b[scorer] += (long double)(amount * r->c * r->c) * r->examples;
}

static inline void scores(const naive *r, int i, double *s)
{
    for (int c = 0; c < r->scorers; c++)
        s[c] = (double)(r->s[i][c] + r->b[c]);
}

static inline double margin(const naive *r, const rows *set, const naive_options *o, int i)
{
    double s[NAIVE_CLASSES] = {0};
    scores(r, i, s);
    if (r->scorers > 1) return s[set->label[i]] - s[naive_rival(s, r->scorers, set->label[i])];
    const double training = s[0] + o->soft * o->soft * r->a[i][0];
    return set->label[i] == r->target ? training : -training;
}

static inline int wrong(const naive *r, const rows *set, const naive_options *o, int i)
{
    double s[NAIVE_CLASSES] = {0}, m = margin(r, set, o, i);
    if (r->limit > 0) return m < r->limit;
    if (r->scorers == 1)
        return strcmp(o->tie, "pos") == 0 && set->label[i] == r->target ? m < 0 : m <= 0;
    scores(r, i, s);
    return naive_decide(s, r->scorers, o->tie) != set->label[i];
}

/* Over the budget: the row that matters least, the oldest among equals, but not the newest. */
static inline void drop(naive *r, const rows *set, const kernel *k, int budget, int newest,
                        step *st)
{
    int count = 0, least = NO_ONE;
    double loss = 0;
    for (int i = 0; i < set->n; i++) {
        double sum = 0;
        for (int c = 0; c < r->scorers; c++)
            sum += r->a[i][c] * r->a[i][c];
        if (sum == 0) r->age[i] = 0;
        if (sum == 0) continue;
        if (!r->age[i]) r->age[i] = r->updates;
        count++;
        sum *= (double)k->value(set->x[i], set->x[i], set->d) + r->c * r->c;
        if (i == newest) continue;
        if (least == NO_ONE || sum < loss || (sum == loss && r->age[i] < r->age[least])) {
            least = i;
            loss = sum;
        }
    }
    st->gone = NO_ONE;
    if (!budget || count <= budget) return;
    st->gone = least;
    for (int c = 0; c < r->scorers; c++) {
        st->dropped[c] = r->a[least][c];
        if (st->dropped[c] != 0) add(r, set, k, least, c, -st->dropped[c]);
    }
    r->age[least] = 0;
}

static inline void example(naive *r, const rows *set, const kernel *k, const naive_options *o,
                           int budget, int i)
{
    double s[NAIVE_CLASSES] = {0};
    const int y = set->label[i], positive = y == r->target;
    scores(r, i, s);
    if (r->passes == 1)
        r->first_wrong += naive_decide(s, r->scorers, o->tie) != (r->scorers == 1 ? positive : y);
    if (wrong(r, set, o, i)) {
        step *st = &r->step[r->steps++ % MOST_STEPS];
        *st = (step){.row = i, .away = NO_ONE, .toward = NO_ONE, .example = r->examples};
        if (r->scorers > 1) {
            st->toward = y;
            st->away = naive_rival(s, r->scorers, y);
        } else if (positive) {
            st->toward = 0;
        } else {
            st->away = 0;
        }
        if (st->toward != NO_ONE) add(r, set, k, i, st->toward, o->rate);
        if (st->away != NO_ONE) add(r, set, k, i, st->away, -o->rate);
        r->updates++;
        r->mistakes++;
        drop(r, set, k, budget, i, st);
    }
    r->examples++;
}

static inline int pick(const naive *r, const rows *set, const naive_options *o)
{
    static int list[MOST_ROWS];
    int count = 0, worst = NO_ONE;
    for (int i = 0; i < set->n; i++) {
        if (!wrong(r, set, o, i)) continue;
        list[count++] = i;
        if (worst == NO_ONE || margin(r, set, o, i) < margin(r, set, o, worst)) worst = i;
    }
    if (count == 0) return NO_ONE;
    if (strcmp(o->order, "first") == 0) return list[0];
    if (strcmp(o->order, "worst") == 0) return worst;
    hsp__random random;
    hsp__random_seed(&random, o->seed, (uint64_t)r->updates + 1);
    return list[hsp__random_below(&random, (uint64_t)count)];
}

static inline void learn(naive *r, const rows *set, const kernel *k, const naive_options *o,
                         int budget)
{
    static uint64_t order[MOST_ROWS];
    const int picks = strcmp(o->order, "cyclic") != 0 && strcmp(o->order, "shuffle") != 0;
    long double most = 0;
    for (int i = 0; i < set->n; i++)
        most = fmaxl(most, k->value(set->x[i], set->x[i], set->d));
    r->limit = o->target;
    r->c = strcmp(o->offset, "none") == 0   ? 0
           : strcmp(o->offset, "unit") == 0 ? 1
           : strcmp(o->offset, "r2") == 0   ? (double)sqrtl(most)
                                            : o->constant;
    while (!r->converged && r->passes < o->passes &&
           (!o->max_updates || r->updates < o->max_updates)) {
        r->passes++;
        r->mistakes = 0;
        for (int i = 0; i < set->n; i++)
            order[i] = (uint64_t)i;
        if (strcmp(o->order, "shuffle") == 0) {
            hsp__random random;
            hsp__random_seed(&random, o->seed, (uint64_t)r->passes);
            hsp__random_shuffle(&random, order, (uint64_t)set->n);
        }
        for (int p = 0; p < set->n; p++) {
            const int row = picks ? pick(r, set, o) : (int)order[p];
            if (row == NO_ONE) r->mistakes = 0;
            if (row == NO_ONE) break;
            example(r, set, k, o, budget, row);
            if (o->max_updates && r->updates == o->max_updates) return;
        }
        r->converged = r->mistakes == 0;
    }
}

#endif
