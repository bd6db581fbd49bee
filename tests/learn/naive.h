/* The perceptron as the page of a book has it: nothing lazy, nothing clever, one example at a time,
 * a sum over all separators for the mean. What the library does is compared with this. Values are
 * small whole numbers and rates powers of two, so that all sums are exact in whatever order. */
#ifndef HSP_TESTS_LEARN_NAIVE_H
#define HSP_TESTS_LEARN_NAIVE_H

#include <math.h>

#include "base/context.h"
#include "base/random.h"
#include "check.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "options.h"
#include "model/model.h"

enum { NAIVE_ROWS = 24, NAIVE_COLS = 6, NAIVE_CLASSES = 4, NAIVE_STEPS = 4096 };

typedef struct naive_set {
    int n, d, classes;
    double x[NAIVE_ROWS][NAIVE_COLS];
    int label[NAIVE_ROWS];
} naive_set;

typedef struct naive_options {
    const char *offset, *order, *tie, *multiclass;
    double constant, target, soft, rate;
    int relative; /* target is this many times R */
    int passes;   /* at most */
    int max_updates;
    uint64_t seed;
} naive_options;

typedef struct naive_step {
    double w[NAIVE_CLASSES][NAIVE_COLS], b[NAIVE_CLASSES];
    int survived;
} naive_step;

typedef struct naive_run {
    int scorers;
    double w[NAIVE_CLASSES][NAIVE_COLS], b[NAIVE_CLASSES];
    long double sum[NAIVE_CLASSES][NAIVE_COLS], sum_b[NAIVE_CLASSES]; /* over all examples */
    double amount[NAIVE_ROWS][NAIVE_CLASSES];
    double radius, c, target;
    int examples, updates, passes, mistakes, first_wrong, converged;
    int at_zero, steps;
    naive_step *step; /* NAIVE_STEPS, or NULL */
    void (*watch)(void *user, const struct naive_run *run, const naive_set *set, int row);
    void *user;
} naive_run;

static inline double naive_radius(const naive_set *set)
{
    double most = 0;
    for (int i = 0; i < set->n; i++) {
        double squares = 0;
        for (int j = 0; j < set->d; j++)
            squares += set->x[i][j] * set->x[i][j];
        most = fmax(most, sqrt(squares));
    }
    return most;
}

static inline void naive_scores(const naive_run *run, const naive_set *set, int i, double *s)
{
    for (int c = 0; c < run->scorers; c++) {
        s[c] = run->b[c];
        for (int j = 0; j < set->d; j++)
            s[c] += run->w[c][j] * set->x[i][j];
    }
}

/* -1: on the boundary. */
static inline int naive_decide(const double *s, int scorers, const char *tie)
{
    if (scorers == 1) {
        if (s[0] != 0) return s[0] > 0;
        return strcmp(tie, "neg") == 0 ? 0 : strcmp(tie, "pos") == 0 ? 1 : -1;
    }
    int first = 0, last = 0;
    for (int c = 1; c < scorers; c++) {
        if (s[c] > s[first]) first = c;
        if (s[c] >= s[last]) last = c;
    }
    if (first == last || strcmp(tie, "neg") == 0) return first;
    return strcmp(tie, "pos") == 0 ? last : -1;
}

static inline int naive_rival(const double *s, int scorers, int y)
{
    int rival = -1;
    for (int c = 0; c < scorers; c++)
        if (c != y && (rival < 0 || s[c] > s[rival])) rival = c;
    return rival;
}

static inline double naive_margin(const naive_run *run, const naive_set *set,
                                  const naive_options *o, int i)
{
    double s[NAIVE_CLASSES] = {0};
    naive_scores(run, set, i, s);
    if (run->scorers > 1) return s[set->label[i]] - s[naive_rival(s, run->scorers, set->label[i])];
    double training = s[0] + o->soft * o->soft * run->amount[i][0];
    return set->label[i] ? training : -training;
}

static inline int naive_wrong(const naive_run *run, const naive_set *set, const naive_options *o,
                              int i)
{
    double s[NAIVE_CLASSES] = {0}, m = naive_margin(run, set, o, i);
    if (run->target > 0) return m < run->target;
    if (run->scorers == 1) {
        if (strcmp(o->tie, "pos") != 0) return m <= 0;
        return set->label[i] ? m < 0 : m <= 0;
    }
    naive_scores(run, set, i, s);
    return naive_decide(s, run->scorers, o->tie) != set->label[i];
}

static inline void naive_add(naive_run *run, const naive_set *set, int i, int scorer, double amount)
{
    for (int j = 0; j < set->d; j++)
        run->w[scorer][j] += amount * set->x[i][j];
    run->b[scorer] += amount * (run->c * run->c);
    run->amount[i][scorer] += amount;
}

static inline void naive_example(naive_run *run, const naive_set *set, const naive_options *o,
                                 int i)
{
    double s[NAIVE_CLASSES] = {0};
    naive_scores(run, set, i, s);
    const int y = set->label[i], wrong = naive_wrong(run, set, o, i);
    if (run->passes == 1) run->first_wrong += naive_decide(s, run->scorers, o->tie) != y;
    if (wrong) {
        if (run->scorers == 1) {
            naive_add(run, set, i, 0, y ? o->rate : -o->rate);
        } else {
            naive_add(run, set, i, y, o->rate);
            naive_add(run, set, i, naive_rival(s, run->scorers, y), -o->rate);
        }
        run->updates++;
        run->mistakes++;
        if (run->step && run->steps < NAIVE_STEPS) {
            naive_step *step = &run->step[run->steps++];
            memcpy(step->w, run->w, sizeof run->w);
            memcpy(step->b, run->b, sizeof run->b);
            step->survived = 0;
        }
        if (run->watch) run->watch(run->user, run, set, i);
    }
    run->examples++;
    if (run->steps)
        run->step[run->steps - 1].survived++;
    else
        run->at_zero++;
    for (int c = 0; c < run->scorers; c++) {
        for (int j = 0; j < set->d; j++)
            run->sum[c][j] += (long double)run->w[c][j];
        run->sum_b[c] += (long double)run->b[c];
    }
}

static inline int naive_pick(const naive_run *run, const naive_set *set, const naive_options *o)
{
    int wrong[NAIVE_ROWS], count = 0, worst = -1;
    for (int i = 0; i < set->n; i++) {
        if (!naive_wrong(run, set, o, i)) continue;
        wrong[count++] = i;
        if (worst < 0 || naive_margin(run, set, o, i) < naive_margin(run, set, o, worst)) worst = i;
    }
    if (count == 0) return -1;
    if (strcmp(o->order, "first") == 0) return wrong[0];
    if (strcmp(o->order, "worst") == 0) return worst;
    hsp__random random;
    hsp__random_seed(&random, o->seed, (uint64_t)run->updates + 1);
    return wrong[hsp__random_below(&random, (uint64_t)count)];
}

static inline void naive_pass(naive_run *run, const naive_set *set, const naive_options *o)
{
    uint64_t order[NAIVE_ROWS] = {0};
    const int picks = strcmp(o->order, "cyclic") != 0 && strcmp(o->order, "shuffle") != 0;
    run->passes++;
    run->mistakes = 0;
    for (int i = 0; i < set->n; i++)
        order[i] = (uint64_t)i;
    if (strcmp(o->order, "shuffle") == 0) {
        hsp__random random;
        hsp__random_seed(&random, o->seed, (uint64_t)run->passes);
        hsp__random_shuffle(&random, order, (uint64_t)set->n);
    }
    for (int p = 0; p < set->n; p++) {
        int row = picks ? naive_pick(run, set, o) : (int)order[p];
        if (row < 0) {
            run->mistakes = 0;
            break;
        }
        naive_example(run, set, o, row);
        if (o->max_updates && run->updates == o->max_updates) return;
    }
    run->converged = run->mistakes == 0;
}

static inline void naive_train(naive_run *run, const naive_set *set, const naive_options *o)
{
    run->radius = naive_radius(set);
    run->scorers = set->classes == 2 ? 1 : set->classes;
    run->target = o->relative ? o->target * run->radius : o->target;
    run->c = strcmp(o->offset, "none") == 0   ? 0
             : strcmp(o->offset, "unit") == 0 ? 1
             : strcmp(o->offset, "r2") == 0   ? run->radius
                                              : o->constant;
    while (!run->converged && run->passes < o->passes &&
           !(o->max_updates && run->updates == o->max_updates))
        naive_pass(run, set, o);
}

/* ---- Both sides ---- */

/* Small whole numbers, and labels at random: most are not separable. With offset r2, a first row of
 * length 8, longer than any other, so that R^2 is exact too. */
static inline void naive_draw(naive_set *set, hsp__random *random, int classes, const char *offset)
{
    set->n = 4 + (int)hsp__random_below(random, NAIVE_ROWS - 3);
    set->d = 1 + (int)hsp__random_below(random, NAIVE_COLS);
    set->classes = classes;
    for (int i = 0; i < set->n; i++) {
        set->label[i] = i < classes ? i : (int)hsp__random_below(random, (uint64_t)classes);
        for (int j = 0; j < set->d; j++)
            set->x[i][j] = (double)hsp__random_below(random, 7) - 3;
    }
    for (int j = 0; strcmp(offset, "r2") == 0 && j < set->d; j++)
        set->x[0][j] = j == 0 ? 8 : 0;
}

/* Labels by a hidden separator of whole numbers (with an offset of halves unless it is none), so
 * that every row has a functional margin of at least 1/2. */
static inline void naive_draw_separable(naive_set *set, hsp__random *random, const char *offset,
                                        double *w, double *b)
{
    for (;;) {
        naive_draw(set, random, 2, offset);
        int count[2] = {0, 0}, good = 1;
        for (int j = 0; j < set->d; j++)
            w[j] = (double)hsp__random_below(random, 7) - 3;
        *b = strcmp(offset, "none") == 0 ? 0 : (double)hsp__random_below(random, 6) - 2.5;
        for (int i = 0; i < set->n; i++) {
            double s = *b;
            for (int j = 0; j < set->d; j++)
                s += w[j] * set->x[i][j];
            good &= s != 0;
            count[set->label[i] = s > 0]++;
        }
        if (good && count[0] && count[1]) return;
    }
}

static inline hsp_data *naive_data(hsp_context *ctx, const naive_set *set, hsp_storage storage,
                                   hsp_precision precision)
{
    static float x32[NAIVE_ROWS * NAIVE_COLS];
    static double x64[NAIVE_ROWS * NAIVE_COLS];
    static uint32_t labels[NAIVE_ROWS], indices[NAIVE_ROWS * NAIVE_COLS];
    static uint64_t starts[NAIVE_ROWS + 1];
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
    hsp_error err = {0};
    if (hsp_data_copy(ctx, &view, NULL, NULL, &err, &data)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    return data;
}

static inline void learn_set(hsp_options *options, const char *name, const char *value)
{
    hsp_error err = {0};
    if (hsp_options_set(options, name, value, &err)) {
        fprintf(stderr, "%s=%s: %s\n", name, value, err.message);
        abort();
    }
}

static inline void learn_set_real(hsp_options *options, const char *name, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    learn_set(options, name, text);
}

/* Options of the perceptron from "name=value" texts, ended by NULL. */
static inline hsp_options *learn_options(hsp_context *ctx, const char *const *settings)
{
    return test_options_words(ctx, hsp_learner_find("perceptron"), settings);
}

static inline hsp_options *naive_to_options(hsp_context *ctx, const naive_options *o)
{
    hsp_options *options = learn_options(ctx, NULL);
    char target[64];
    snprintf(target, sizeof target, "%.17g%s", o->target, o->relative ? "r" : "");
    learn_set(options, "offset", o->offset);
    learn_set(options, "order", o->order);
    learn_set(options, "tie", o->tie);
    learn_set(options, "margin-target", target);
    learn_set_real(options, "soft", o->soft);
    learn_set_real(options, "rate", o->rate);
    if (o->passes) learn_set_real(options, "passes", o->passes);
    learn_set_real(options, "max-updates", o->max_updates);
    learn_set_real(options, "seed", (double)o->seed);
    if (o->multiclass) learn_set(options, "multiclass", o->multiclass);
    if (strcmp(o->offset, "append") == 0) learn_set_real(options, "constant", o->constant);
    return options;
}

static inline hsp_model *learn_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                     hsp_training *run)
{
    hsp_error err = {0};
    hsp_model *model = NULL;
    hsp_status status = hsp_train(ctx, data, options, &err, run, &model);
    CHECK_NOTE(status == HSP_OK || (status == HSP_CANCELLED && model), "%s", err.message);
    if (run && model) CHECK((status == HSP_CANCELLED) == (run->stop == HSP_STOP_REQUEST));
    return model;
}

static inline const char *naive_word(hsp__random *random, const char *const *words, int count)
{
    return words[hsp__random_below(random, (uint64_t)count)];
}

/* Settings at random, all of them exact in binary. */
static inline naive_options naive_draw_options(hsp__random *random)
{
    static const char *const offsets[] = {"none", "unit", "r2", "append"};
    static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random"};
    static const char *const ties[] = {"neg", "pos", "zero"};
    naive_options o = {.offset = naive_word(random, offsets, 4),
                       .order = naive_word(random, orders, 5),
                       .tie = naive_word(random, ties, 3),
                       .constant = 0.5 + (double)hsp__random_below(random, 3),
                       .rate = hsp__random_below(random, 3) ? 1 : 0.25,
                       .passes = 1 + (int)hsp__random_below(random, 6),
                       .seed = hsp__random_below(random, 100)};
    if (hsp__random_below(random, 4) == 0) o.target = 1 + (double)hsp__random_below(random, 3);
    if (hsp__random_below(random, 4) == 0) o.soft = 1.5;
    if (hsp__random_below(random, 5) == 0) o.max_updates = 1 + (int)hsp__random_below(random, 9);
    return o;
}

#endif
