/* Description length. A model is a text: bits that whoever knows the columns could rebuild it from.
 *
 * Theorem (A. Blumer and others, Occam's razor, 1987; J. Langford, Tutorial on practical prediction
 * theory for classification, JMLR 6 (2005), Theorem 4.6). Fix a prefix code before the rows are
 * drawn. With probability 1 - delta, of every model h whose code has |h| bits and that is wrong on
 * m of n rows, the true error is at most the p with P(Bin(n, p) <= m) = delta 2^-|h|.
 *
 * Proof. For one h this fails with probability delta 2^-|h| (Clopper and Pearson); the sum of
 * 2^-|h| over all h is at most 1 (Kraft).
 *
 * The code of a model as stored: 12 bits for tie rule, kinds of scaling, width and
 * how classes are decided; which k of the d
 * columns have weights, log2(d + 1) + log2 C(d, k) bits; each of the k weights and the offset in 32
 * bits if all of them are single precision, else in 64; a scaling's figures in 64 bits each.
 *
 * Rounded weights: w as a function of the file's columns, each weight rounded to sign, one of W
 * powers of two below the largest, and t more binary digits; smaller ones become 0. 12 bits for tie
 * rule and form, 12 for the largest power, 4 for W and t, the offset in 28 (a sign, 11 of exponent,
 * 16 of mantissa), and the columns as above with log2(2 W 2^t) bits a weight. Of the W and t in the
 * table, those with the least bound are taken: they are in the code, so nothing is to be paid for
 * choosing. That is another model, which has its own mistakes, and the bound is about it. */
#include "base/base.h"
#include "data/scale.h"
#include "prove/bound.h"

#define LN2 0.69314718055994530942

static double code_columns(double d, double k)
{
    return log2(d + 1) + hsp__log_choose(d, k) / LN2;
}

enum { CODE_FORM = 12 }; /* 3 ties, 9 * 9 kinds of scaling, 2 widths, 3 ways to decide: 1,458 */

/* ---- As stored ---- */

hsp_status hsp__bound_code(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    const hsp_model *model = c->model;
    const uint64_t d = model->features;
    double bits = CODE_FORM, weights = 0;
    int narrow = 1;
    (void)err;
    if (model->hypothesis != HSP__LINEAR || !model->weights)
        return hsp__error_bound_fail(
            to, "the model consists of training rows; see the bound 'compression'");
    if (*hsp__bound_run_text(&c->run, "approx") || c->run.means)
        return hsp__error_bound_fail(to, "%s", hsp__bound_run_fitted(&c->run));
    for (uint32_t k = 0; k < model->scorers; k++) {
        const double *w = model->weights + k * d;
        double used = 0;
        for (uint64_t j = 0; j < d; j++) {
            used += w[j] != 0;
            narrow &= (double)(float)w[j] == w[j];
        }
        narrow &= (double)(float)model->offsets[k] == model->offsets[k];
        bits += code_columns((double)d, used);
        weights += used + 1;
    }
    bits += weights * (narrow ? 32 : 64);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i] && !hsp__scaling_is_by_rows(model->scalings[i]))
            bits += 128 * (double)hsp__scaling_look(model->scalings[i]).cols;
    return hsp__error_bound_set(
        to, hsp__binomial_upper(c->rows.n, c->rows.mistakes, c->log_delta - bits * LN2),
        "numbers: %.0f, |h| = %.0f bits, %llu of %llu rows wrong", weights, ceil(bits),
        (unsigned long long)c->rows.mistakes, (unsigned long long)c->rows.n);
}

/* ---- Rounded ---- */

static const struct {
    int window, digits; /* W and t */
} code_forms[16] = {{1, 0},  {2, 0}, {4, 0},  {8, 0},  {4, 1},  {8, 1},  {16, 1},  {8, 2},
                    {16, 2}, {8, 3}, {16, 3}, {16, 4}, {16, 6}, {32, 8}, {64, 12}, {64, 20}};

enum { CODE_FORMS = sizeof code_forms / sizeof *code_forms };

/* x with this many binary digits behind the first. */
static double code_round(double x, int digits)
{
    int power;
    const double part = frexp(x, &power); /* 1/2 <= |part| < 1 */
    return ldexp(nearbyint(ldexp(part, digits + 1)), power - digits - 1);
}

typedef struct code_job {
    const hsp__bound_case *c;
    double *w; /* CODE_FORMS * features */
    double b;
    double bits[CODE_FORMS], value[CODE_FORMS];
    uint64_t mistakes[CODE_FORMS];
} code_job;

static void code_try(void *user, uint64_t form)
{
    code_job *job = user;
    const hsp__bound_case *c = job->c;
    const hsp__bound_space *space = &c->space;
    const int window = code_forms[form].window, digits = code_forms[form].digits;
    double *w = job->w + form * space->features, most = 0, k = 0;
    assert(form < CODE_FORMS);
    for (uint64_t j = 0; j < space->features; j++) {
        w[j] = code_round(space->w[j], digits);
        most = fmax(most, fabs(w[j]));
    }
    /* rounding may have carried a weight to the next power: the largest one is looked for now */
    int top;
    frexp(most, &top);
    const double least = ldexp(1, top - window); /* the powers top - 1 .. top - window */
    for (uint64_t j = 0; j < space->features; j++) {
        if (fabs(w[j]) < least) w[j] = 0;
        k += w[j] != 0;
    }
    job->bits[form] = CODE_FORM + 12 + 4 + 28 + code_columns((double)space->features, k) +
                      k * (1 + log2(window) + digits);
    for (uint64_t i = 0; i < c->rows.n; i++) {
        const double score = hsp__row_score(space->view, c->rows.row[i], w, job->b);
        const uint32_t class = hsp__decide(&score, 1, c->model->tie);
        job->mistakes[form] += class == HSP_NO_CLASS || class != c->rows.class_of[i];
    }
    job->value[form] =
        hsp__binomial_upper(c->rows.n, job->mistakes[form], c->log_delta - job->bits[form] * LN2);
}

hsp_status hsp__bound_rounded(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    const uint64_t features = c->space.features;
    if (c->space.why[0] || !c->space.w)
        return hsp__error_bound_fail(
            to, "%s", c->space.why[0] ? c->space.why : "a kernel model has no list of weights");
    code_job job = {.c = c, .b = code_round(c->space.b, 16)};
    job.w = hsp__new(&c->ctx->allocator, CODE_FORMS * features, sizeof *job.w);
    if (!job.w) return hsp__fail_memory(err);
    hsp__tasks_run(c->ctx, CODE_FORMS, code_try, &job);
    int best = 0;
    for (int form = 1; form < CODE_FORMS; form++)
        if (job.value[form] < job.value[best]) best = form;
    /* the rounded weights as a model, which the caller may keep */
    const hsp_status status = hsp__model_new(c->ctx, 1, features, err, &c->rounded);
    if (!status) {
        memcpy(c->rounded->weights, job.w + (uint64_t)best * features, features * sizeof(double));
        c->rounded->offsets[0] = job.b;
        c->rounded->tie = c->model->tie;
    }
    hsp__free(&c->ctx->allocator, job.w);
    if (status) return status;
    return hsp__error_bound_set(
        to, job.value[best],
        "binary digits a weight: %d, powers of two: %d, |h| = %.0f bits, %llu of %llu rows wrong",
        code_forms[best].digits + 1, code_forms[best].window, ceil(job.bits[best]),
        (unsigned long long)job.mistakes[best], (unsigned long long)c->rows.n);
}
