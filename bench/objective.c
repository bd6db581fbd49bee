/* How good are these weights? One judge for every program's model, in one line each:
 *
 *     objective hinge|squared|logistic|softmax C none|regularized|free DATA MODEL...
 *
 *     P = ||w||^2 / 2 (+ b^2 / 2, offset regularized) + C sum_i loss(y_i (<w, x_i> + b))
 *
 * and, with more than two classes, the sum of P over one class against the rest after the other; for
 * softmax the loss of a row is log sum_k exp(s_k) - s_y, all classes at once. In
 * doubles, on the numbers of the file as doubles, from the weights that were saved: nothing of any
 * solver is used. A MODEL is ours, or LIBLINEAR's text (which bench/others/sklearn_svm.py writes
 * too). Prints "objective=... error=..." (the share of training rows that it gets wrong). */
#include <halfspace_all.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One separator: the class with this number against all others. */
typedef struct scorer {
    double label;
    double *w; /* d */
    double b;
} scorer;

typedef struct scorers {
    uint64_t d;
    uint32_t count;
    double other; /* of two classes, the negative one */
    scorer *list;
} scorers;

static void objective_die(const char *what, const char *why)
{
    fprintf(stderr, "objective: %s: %s\n", what, why);
    exit(2);
}

static void *objective_memory(uint64_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) objective_die("memory", "there is not enough");
    return p;
}

static void objective_free(scorers *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        free(s->list[k].w);
    free(s->list);
}

static void objective_new(scorers *s, uint32_t count, uint64_t d)
{
    *s = (scorers){.d = d, .count = count, .list = objective_memory(count, sizeof *s->list)};
    for (uint32_t k = 0; k < count; k++)
        s->list[k].w = objective_memory(d, sizeof(double));
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* LIBLINEAR's text: a head of words, then "w" and a line a feature, the constant one last. */
static int objective_liblinear(FILE *file, const char *path, scorers *s)
{
    char word[64];
    double labels[1024], bias = -1, value;
    int classes = 0;
    long features = 0;
    if (fscanf(file, "%63s", word) != 1 || strcmp(word, "solver_type") != 0) return 0;
    while (fscanf(file, "%63s", word) == 1 && strcmp(word, "w") != 0) {
        int fine = 1;
        if (strcmp(word, "nr_class") == 0)
            fine = fscanf(file, "%d", &classes) == 1 && classes >= 2 && classes <= 1024;
        else if (strcmp(word, "nr_feature") == 0)
            fine = fscanf(file, "%ld", &features) == 1;
        else if (strcmp(word, "bias") == 0)
            fine = fscanf(file, "%lf", &bias) == 1;
        else if (strcmp(word, "label") == 0)
            for (int k = 0; fine && k < classes; k++)
                fine = fscanf(file, "%lf", &labels[k]) == 1;
        if (!fine) objective_die(path, "not a model of LIBLINEAR's");
    }
    objective_new(s, classes == 2 ? 1 : (uint32_t)classes, (uint64_t)features);
    s->other = labels[1];
    for (uint32_t k = 0; k < s->count; k++)
        s->list[k].label = labels[k];
    for (long j = 0; j < features + (bias >= 0); j++)
        for (uint32_t k = 0; k < s->count; k++) {
            if (fscanf(file, "%lf", &value) != 1) objective_die(path, "weights are missing");
            if (j < features)
                s->list[k].w[j] = value;
            else
                s->list[k].b = value * bias;
        }
    return 1;
}

static void objective_ours(hsp_context *ctx, const char *path, scorers *s)
{
    hsp_error err = {0};
    hsp_model *model = NULL;
    if (hsp_model_read(ctx, path, &err, &model)) objective_die(path, err.message);
    objective_new(s, hsp_model_scorers(model), hsp_model_features(model));
    s->other = atof(hsp_model_class_name(model, 0));
    for (uint32_t k = 0; k < s->count; k++) {
        s->list[k].label = atof(hsp_model_class_name(model, s->count == 1 ? 1 : k));
        s->list[k].b = hsp_model_offset(model, k);
        memcpy(s->list[k].w, hsp_model_weights(model, k), s->d * sizeof(double));
    }
    hsp_model_free(model);
}

static void objective_model(hsp_context *ctx, const char *path, scorers *s)
{
    FILE *file = fopen(path, "r");
    if (!file) objective_die(path, "cannot be opened");
    if (!objective_liblinear(file, path, s)) objective_ours(ctx, path, s);
    fclose(file);
}

/* ---- The sum --------------------------------------------------------------------------------- */

static double objective_score(const hsp_view *v, uint64_t i, const scorer *k, uint64_t d)
{
    const double *values = v->values;
    double sum = k->b;
    if (v->storage == HSP_DENSE) {
        for (uint64_t j = 0; j < v->cols && j < d; j++)
            sum += k->w[j] * values[i * v->stride + j];
        return sum;
    }
    const int wide = v->starts_bytes == 8;
    const uint64_t start =
        wide ? ((const uint64_t *)v->starts)[i] : ((const uint32_t *)v->starts)[i];
    const uint64_t end =
        wide ? ((const uint64_t *)v->starts)[i + 1] : ((const uint32_t *)v->starts)[i + 1];
    for (uint64_t e = start; e < end; e++)
        if (v->indices[e] < d) sum += k->w[v->indices[e]] * (values ? values[e] : 1);
    return sum;
}

static double objective_loss(const char *loss, double m)
{
    if (*loss == 'h') return m < 1 ? 1 - m : 0;
    if (*loss == 's') return m < 1 ? (1 - m) * (1 - m) : 0;
    return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
}

/* What softmax adds to the sum of exp(s_k): kept relative to the largest score so far. */
static void objective_add(double *largest, double *sum, double score)
{
    if (score > *largest) {
        *sum = *sum * exp(*largest - score) + 1;
        *largest = score;
    } else {
        *sum += exp(score - *largest);
    }
}

/* `labels` are the numbers of the view's classes. */
static void objective_print(const hsp_view *v, const double *labels, const scorers *s,
                            const char *loss, double C, const char *offset)
{
    const int softmax = strcmp(loss, "softmax") == 0;
    double total = 0;
    uint64_t wrong = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        double squares = *offset == 'r' ? s->list[k].b * s->list[k].b : 0;
        for (uint64_t j = 0; j < s->d; j++)
            squares += s->list[k].w[j] * s->list[k].w[j];
        total += squares / 2;
    }
    for (uint64_t i = 0; i < v->rows; i++) {
        const double label = labels[v->labels[i]];
        double best = -HUGE_VAL, said = 0, losses = 0, largest = -HUGE_VAL, sum = 0;
        for (uint32_t k = 0; k < s->count; k++) {
            const double score = objective_score(v, i, &s->list[k], s->d);
            if (softmax) {
                objective_add(&largest, &sum, score);
                losses -= s->list[k].label == label ? score : 0;
            } else {
                losses += objective_loss(loss, s->list[k].label == label ? score : -score);
            }
            if (score > best) best = score, said = s->list[k].label;
        }
        if (softmax) losses += largest + log(sum);
        if (s->count == 1 && best <= 0) said = s->other;
        wrong += said != label;
        total += C * losses;
    }
    printf("objective=%.15g error=%.6f\n", total, (double)wrong / (double)v->rows);
}

int main(int argc, char **argv)
{
    hsp_context *ctx = NULL;
    hsp_options *read = NULL;
    hsp_data *data = NULL;
    const hsp_view *view = NULL;
    hsp_error err = {0};
    if (argc < 6) {
        fprintf(stderr, "usage: objective LOSS C OFFSET DATA MODEL...\n");
        return 2;
    }
    if (hsp_context_new(NULL, &ctx) || hsp_options_new(ctx, hsp_read_options(), &err, &read) ||
        hsp_options_set(read, "precision", "double", &err) ||
        hsp_data_read(ctx, argv[4], read, NULL, &err, &data) ||
        hsp_data_view(ctx, data, &err, &view))
        objective_die(argv[4], err.message);
    double *labels = objective_memory(view->classes, sizeof *labels);
    for (uint32_t k = 0; k < view->classes; k++)
        labels[k] = atof(hsp_data_class_name(data, k));
    for (int i = 5; i < argc; i++) {
        scorers s;
        objective_model(ctx, argv[i], &s);
        objective_print(view, labels, &s, argv[1], atof(argv[2]), argv[3]);
        objective_free(&s);
    }
    free(labels);
    hsp_data_free(data);
    hsp_options_free(read);
    hsp_context_free(ctx);
    return 0;
}
