/* Models for other programs, written: LIBSVM's and LIBLINEAR's (import.c has their shape). Numbers
 * are written so that they read back to the same bits. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/output.h"
#include "data/scale.h"
#include "model/import.h"
#include "model/probability.h"

/* The weights and offsets of a linear model on rows as they are in files: scalings by column go
 * into them. The caller frees both arrays. */
typedef struct export_plain {
    uint64_t inputs;
    double *weights; /* scorers * inputs */
    double *offsets; /* scorers */
} export_plain;

#define EXPORT_PIECE ((size_t)1 << 20)
#define EXPORT_LINES 256 /* between two reports of progress */

static void writer_number(hsp__writer *writer, double number)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(number, digits);
    hsp__text_puts(&writer->text, digits);
}

static hsp_status writer_flush(hsp__writer *writer, int all, hsp_error *err)
{
    if (writer->text.failed) return hsp__fail_memory(err);
    if (!writer->output || (!all && writer->text.size < EXPORT_PIECE)) return HSP_OK;
    hsp_status status =
        hsp__output_write(writer->output, writer->text.data, writer->text.size, err);
    writer->text.size = 0;
    return status;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* A whole number that an int holds, written as these programs would print it? */
static int export_is_int(const char *name)
{
    double value;
    return hsp__decimal_text(name, &value) && floor(value) == value && fabs(value) <= 2147483647.0;
}

static int export_numbered(const hsp_model *model)
{
    for (uint32_t c = 0; c < model->class_names.count; c++)
        if (!export_is_int(hsp__names_get(&model->class_names, c))) return 1;
    return 0;
}

static void export_label(hsp__writer *writer, const hsp_model *model, uint32_t class)
{
    double value = (double)class + 1;
    hsp__decimal_result result;
    const char *name = hsp__names_get(&model->class_names, class);
    if (!export_numbered(model)) hsp__decimal_f64(name, name + strlen(name), &value, &result);
    hsp__text_printf(&writer->text, " %.0f", value);
}

/* ---- Probabilities --------------------------------------------------------------------------- */

static int export_has_platt(const hsp_model *model)
{
    const hsp__probability *map = &model->probability;
    return (map->calibration == HSP__CALIBRATION_COUPLED ||
            (map->calibration == HSP__CALIBRATION_PLATT && model->scorers == 1)) &&
           !(map->threshold > 0);
}

/* ---- Linear models on rows as they are ------------------------------------------------------- */

/* w (x - shift) factor + b, as weights and an offset of x. */
static void export_unscale(export_plain *plain, uint32_t scorers, const hsp_scaling *scaling)
{
    const hsp__scaling_parts parts = hsp__scaling_look(scaling);
    for (uint32_t c = 0; c < scorers; c++) {
        double *w = plain->weights + c * plain->inputs;
        for (uint64_t j = 0; j < plain->inputs; j++) {
            w[j] *= parts.factor[j];
            plain->offsets[c] -= w[j] * parts.shift[j];
        }
    }
}

static void plain_free(export_plain *plain, hsp_context *ctx)
{
    hsp__free(&ctx->allocator, plain->weights);
    hsp__free(&ctx->allocator, plain->offsets);
    *plain = (export_plain){0};
}

static hsp_status plain_init(export_plain *plain, hsp_context *ctx, const hsp_model *model,
                             const char *format, hsp_error *err)
{
    const uint32_t scorers = model->scorers;
    *plain = (export_plain){.inputs = hsp__model_inputs(model)};
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        const hsp_scaling *scaling = model->scalings[i];
        if (!scaling || !(hsp__scaling_is_by_rows(scaling) || hsp__scaling_is_votes(scaling)))
            continue;
        if (hsp__scaling_is_votes(scaling))
            return hsp__fail(err, HSP_USAGE,
                             "%s cannot turn numbers into votes, as this model does; use it with "
                             "halfspace predict",
                             format);
        return hsp__fail(err, HSP_USAGE,
                         "%s cannot divide rows by their norm, as this model does; scale the data "
                         "with halfspace scale and train on the result",
                         format);
    }
    plain->weights = hsp__new_raw(&ctx->allocator, scorers * plain->inputs, sizeof(double));
    plain->offsets = hsp__new_raw(&ctx->allocator, scorers, sizeof(double));
    if (!plain->weights || !plain->offsets) {
        plain_free(plain, ctx);
        return hsp__fail_memory(err);
    }
    for (uint32_t c = 0; c < scorers; c++) {
        plain->offsets[c] = hsp__model_bias(model, c);
        if (plain->inputs)
            memcpy(plain->weights + c * plain->inputs, model->weights + c * model->features,
                   (size_t)plain->inputs * sizeof(double));
    }
    for (int i = HSP__MODEL_SCALINGS - 1; i >= 0; i--)
        if (model->scalings[i]) export_unscale(plain, scorers, model->scalings[i]);
    return HSP_OK;
}

/* ---- LIBLINEAR ------------------------------------------------------------------------------- */

/* Which solver to name: predictions do not depend on it, but whether probabilities are printed. */
static const char *export_solver(const hsp_model *model)
{
    const char *kind = hsp_model_metadata(model, "imported_kind");
    const char *from = hsp_model_metadata(model, "imported_from");
    const int twice = model->class_names.count == 2 && kind && strcmp(kind, "MCSVM_CS") == 0;
    if (kind && from && strcmp(from, "LIBLINEAR") == 0 && !twice) return kind;
    return model->probability.link == HSP__LINK_LOGISTIC ? "L2R_LR" : "L2R_L2LOSS_SVC";
}

static void export_liblinear_header(hsp__writer *writer, const hsp_model *model,
                                    const export_plain *plain, int backwards, int bias)
{
    const uint32_t classes = model->class_names.count;
    hsp__text_printf(&writer->text, "solver_type %s\nnr_class %u\nlabel", export_solver(model),
                     classes);
    for (uint32_t c = 0; c < classes; c++)
        export_label(writer, model, backwards ? classes - 1 - c : c);
    hsp__text_printf(&writer->text, "\nnr_feature %llu\nbias %s\nw\n",
                     (unsigned long long)plain->inputs, bias ? "1" : "-1");
}

/* A line of the file: numbers of all scorers that lie `step` apart. */
static void export_liblinear_line(hsp__writer *writer, const hsp_model *model, const double *from,
                                  uint64_t step, int backwards)
{
    const uint32_t scorers = model->scorers;
    const double sign = scorers == 1 && !backwards ? -1 : 1;
    for (uint32_t c = 0; c < scorers; c++) {
        const uint32_t scorer = backwards ? scorers - 1 - c : c;
        writer_number(writer, sign * from[scorer * step] + 0);
        hsp__text_puts(&writer->text, " ");
    }
    hsp__text_puts(&writer->text, "\n");
}

/* The first label is the positive one of two, and the first of equals wins: so classes stand
 * backwards when our tie rule says the first of two, or the last of more. */
static hsp_status export_liblinear(hsp_context *ctx, const hsp_model *model, hsp__writer *writer,
                                   hsp_error *err)
{
    const char *base = hsp_model_metadata(model, "index_base");
    const int backwards =
        model->scorers == 1 ? model->tie != HSP_TIE_POS : model->tie == HSP_TIE_POS;
    int bias = 0;
    export_plain plain;
    if (model->hypothesis != HSP__LINEAR || model->pairs)
        return hsp__fail(
            err, HSP_USAGE, "LIBLINEAR models are linear with one score per class; this one %s",
            model->pairs ? "has one per pair of classes (use --format libsvm)" : "is not");
    if (base && strcmp(base, "0") == 0)
        return hsp__fail(err, HSP_USAGE,
                         "LIBLINEAR numbers columns from 1; this model's first column is 0");
    hsp_status status = plain_init(&plain, ctx, model, "LIBLINEAR", err);
    if (status) return status;
    for (uint32_t c = 0; c < model->scorers; c++)
        bias |= plain.offsets[c] != 0;
    export_liblinear_header(writer, model, &plain, backwards, bias);
    for (uint64_t j = 0; !status && j < plain.inputs; j++) {
        if (j % EXPORT_LINES == 0)
            status = hsp__progress(ctx, "writing", "columns", j, plain.inputs, err);
        export_liblinear_line(writer, model, plain.weights + j, plain.inputs, backwards);
        if (!status) status = writer_flush(writer, 0, err);
    }
    if (bias) export_liblinear_line(writer, model, plain.offsets, 1, backwards);
    plain_free(&plain, ctx);
    return status;
}

/* ---- LIBSVM ------------------------------------------------------------------------------------
 *
LIBSVM's model files, written. What there is:
 *
 *     two classes         one decision value, for the first label: our score, labels backwards
 *     pairs of classes    minus our pair scores
 *     one scorer per class    the decision value of i < j is s_i - s_j: the highest score wins all its
 *                         pairs; a support row is written once a class that uses it
 *
 * A linear model is the expansion of its weights: they are the support vectors, with
 * coefficients 1. c k + d is the kernel k with coefficients times c, and d times their sum in rho.
 */

/* A kernel that LIBSVM has, and what is around it. */
typedef struct libsvm_form {
    const char *type; /* NULL: it has none such */
    double factor, shift, gamma, coef0, degree;
} libsvm_form;

/* What is written: an expansion, or a linear model seen as one. */
typedef struct libsvm_export {
    hsp_context *ctx;
    const hsp_model *model;
    hsp__writer *writer;
    libsvm_form form;
    hsp_view rows;
    const uint64_t *source;
    const double *coefficients; /* scorers * rows */
    const double *offsets;      /* scorers */
    int base;                   /* of indices */
    uint32_t classes;
    int backwards; /* the first label is our last class */
    double *line;  /* classes - 1: the coefficients of a line */
    export_plain plain;
    double *ones;
} libsvm_export;

/* ---- The kernel ------------------------------------------------------------------------------ */

/* g <x, y> + r? */
static int libsvm_affine(const hsp_kernel *kernel, uint32_t at, double *g, double *r)
{
    const hsp__kernel_node *node = &kernel->nodes[at];
    double g2 = 0, r2 = 0;
    *g = *r = 0;
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
        *g = 1;
        return node->space == 0;
    case HSP__KERNEL_POLY:
        *g = 1, *r = node->q;
        return node->space == 0 && node->p == 1;
    case HSP__KERNEL_CONST:
        *r = node->p;
        return 1;
    case HSP__KERNEL_SUM:
        if (!libsvm_affine(kernel, node->left, g, r) ||
            !libsvm_affine(kernel, node->right, &g2, &r2))
            return 0;
        *g += g2, *r += r2;
        return 1;
    case HSP__KERNEL_PRODUCT:
        if (!libsvm_affine(kernel, node->left, g, r) ||
            !libsvm_affine(kernel, node->right, &g2, &r2) || (*g != 0 && g2 != 0))
            return 0;
        *g = *g * r2 + *r * g2, *r *= r2;
        return 1;
    case HSP__KERNEL_POWER:
        return node->p == 1 && libsvm_affine(kernel, node->left, g, r);
    default:
        return 0;
    }
}

static int libsvm_is_const(const hsp_kernel *kernel, uint32_t at)
{
    return kernel->nodes[at].op == HSP__KERNEL_CONST;
}

/* Take off what is around: + c and c *. */
static uint32_t libsvm_strip(const hsp_kernel *kernel, libsvm_form *form)
{
    uint32_t at = kernel->root;
    for (;;) {
        const hsp__kernel_node *node = &kernel->nodes[at];
        if (node->op == HSP__KERNEL_POWER && node->p == 1) {
            at = node->left;
            continue;
        }
        if (node->op != HSP__KERNEL_SUM && node->op != HSP__KERNEL_PRODUCT) return at;
        const int left = libsvm_is_const(kernel, node->left);
        if (!left && !libsvm_is_const(kernel, node->right)) return at;
        const double c = kernel->nodes[left ? node->left : node->right].p;
        if (node->op == HSP__KERNEL_SUM)
            form->shift += form->factor * c;
        else
            form->factor *= c;
        at = left ? node->right : node->left;
    }
}

static libsvm_form libsvm_form_of(const hsp_kernel *kernel)
{
    libsvm_form form = {.factor = 1};
    double g, r;
    if (libsvm_affine(kernel, kernel->root, &g, &r))
        return (libsvm_form){.type = "linear", .factor = g, .shift = r};
    const hsp__kernel_node *node = &kernel->nodes[libsvm_strip(kernel, &form)];
    if (node->space != 0) return form;
    if (node->op == HSP__KERNEL_RBF) {
        form.type = "rbf", form.gamma = node->p;
    } else if (node->op == HSP__KERNEL_SIGMOID) {
        form.type = "sigmoid", form.gamma = node->p, form.coef0 = node->q;
    } else if (node->op == HSP__KERNEL_PRECOMPUTED) {
        form.type = "precomputed";
    } else if (node->op == HSP__KERNEL_POLY) {
        form.type = "polynomial", form.gamma = 1, form.coef0 = node->q, form.degree = node->p;
    } else if (node->op == HSP__KERNEL_POWER && libsvm_affine(kernel, node->left, &g, &r)) {
        form.type = "polynomial", form.gamma = g, form.coef0 = r, form.degree = node->p;
    }
    return form;
}

/* Our class for one of the file's. Decision values of 0 are votes for the later class there:
 * classes stand so that this is what our tie rule says. */
static uint32_t libsvm_class(const libsvm_export *out, uint32_t class)
{
    return out->backwards ? out->classes - 1 - class : class;
}

/* ---- Which support vector is of which class -------------------------------------------------- */

static double libsvm_coefficient(const libsvm_export *out, uint64_t scorer, uint64_t i)
{
    return out->coefficients[scorer * out->rows.rows + i];
}

/* Our coefficient of row i in the pair of two classes, signed as theirs. */
static double libsvm_pair(const libsvm_export *out, uint32_t a, uint32_t b, uint64_t i)
{
    const uint64_t p = a < b ? hsp__pair(out->classes, a, b) : hsp__pair(out->classes, b, a);
    return -libsvm_coefficient(out, p, i);
}

/* Does the class write row i, and with which pairs? A pair's coefficient may stand with either of
 * its classes. It stands with the class that covers most of the row's pairs (all, in a machine: the
 * row's own class, whose signs say so), the first of equals; what that one does not cover stands
 * with the first class that has it. */
static uint32_t libsvm_owner(const libsvm_export *out, uint64_t i)
{
    uint32_t best = 0, most = 0, best_own = 0;
    for (uint32_t c = 0; c < out->classes; c++) {
        uint32_t used = 0, own = 0; /* pairs, and those with the sign that a row of the class has */
        for (uint32_t other = 0; other < out->classes; other++) {
            if (other == c) continue;
            const double a = libsvm_pair(out, c, other, i);
            used += a != 0;
            own += c < other ? a > 0 : a < 0;
        }
        if (used > most || (used == most && own > best_own)) best = c, most = used, best_own = own;
    }
    return best;
}

/* The line of row i in the group of a class; 0 when it has none there. */
static int libsvm_line(libsvm_export *out, uint32_t class, uint64_t i)
{
    const uint32_t classes = out->classes;
    const double factor = out->form.factor;
    int some = 0;
    if (classes == 2) {
        const double a = libsvm_coefficient(out, 0, i) * factor;
        out->line[0] = out->backwards ? a : -a;
        return a != 0 && (out->line[0] > 0) == (class == 0);
    }
    const uint32_t owner = out->model->pairs ? libsvm_owner(out, i) : 0;
    for (uint32_t other = 0; other < classes; other++) {
        if (other == class) continue;
        double a;
        if (!out->model->pairs) {
            a = libsvm_coefficient(out, libsvm_class(out, class), i);
            if (other < class) a = -a;
        } else {
            a = libsvm_pair(out, class, other, i);
            if (class != owner && (other == owner || other < class)) a = 0;
        }
        out->line[other < class ? other : other - 1] = a * factor + 0;
        some |= a != 0;
    }
    return some;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* The sum of a scorer's coefficients times the constant in the kernel: part of the offset. */
static double libsvm_offset(const libsvm_export *out, uint64_t scorer)
{
    double sum = 0;
    for (uint64_t i = 0; out->form.shift != 0 && i < out->rows.rows; i++)
        sum += libsvm_coefficient(out, scorer, i);
    return out->offsets[scorer] + out->form.shift * sum;
}

static void libsvm_put_rho(libsvm_export *out)
{
    hsp__text_puts(&out->writer->text, "rho");
    for (uint32_t i = 0; i < out->classes; i++)
        for (uint32_t j = i + 1; j < out->classes; j++) {
            double rho;
            if (out->classes == 2)
                rho = out->backwards ? -libsvm_offset(out, 0) : libsvm_offset(out, 0);
            else if (out->model->pairs)
                rho = libsvm_offset(out, hsp__pair(out->classes, i, j));
            else
                rho = libsvm_offset(out, libsvm_class(out, j)) -
                      libsvm_offset(out, libsvm_class(out, i));
            hsp__text_puts(&out->writer->text, " ");
            writer_number(out->writer, rho + 0);
        }
}

static void libsvm_put_header(libsvm_export *out, const uint64_t *each)
{
    hsp__text *text = &out->writer->text;
    const libsvm_form *form = &out->form;
    uint64_t total = 0;
    hsp__text_printf(text, "svm_type c_svc\nkernel_type %s", form->type);
    const int polynomial = strcmp(form->type, "polynomial") == 0;
    const int sigmoid = strcmp(form->type, "sigmoid") == 0;
    if (polynomial) hsp__text_printf(text, "\ndegree %.0f", form->degree);
    if (polynomial || sigmoid || strcmp(form->type, "rbf") == 0) {
        hsp__text_puts(text, "\ngamma ");
        writer_number(out->writer, form->gamma);
    }
    if (polynomial || sigmoid) {
        hsp__text_puts(text, "\ncoef0 ");
        writer_number(out->writer, form->coef0);
    }
    for (uint32_t c = 0; c < out->classes; c++)
        total += each[c];
    hsp__text_printf(text, "\nnr_class %u\ntotal_sv %llu\n", out->classes,
                     (unsigned long long)total);
    libsvm_put_rho(out);
    hsp__text_puts(text, "\nlabel");
    for (uint32_t c = 0; c < out->classes; c++)
        export_label(out->writer, out->model, libsvm_class(out, c));
    if (export_has_platt(out->model)) {
        /* P(first label) = 1 / (1 + exp(probA f + probB)), f its decision value, which is our score
         * when the labels stand backwards and minus it when they do not; pairs are never backwards */
        const hsp__probability *map = &out->model->probability;
        for (int key = 0; key < 2; key++) {
            hsp__text_puts(text, key ? "\nprobB" : "\nprobA");
            for (uint32_t p = 0; p < out->model->scorers; p++) {
                const double a = map->platt[2 * p] * map->scale, b = map->platt[2 * p + 1];
                hsp__text_puts(text, " ");
                writer_number(out->writer, (!key ? -a : out->backwards ? -b : b) + 0);
            }
        }
    }
    hsp__text_puts(text, "\nnr_sv");
    for (uint32_t c = 0; c < out->classes; c++)
        hsp__text_printf(text, " %llu", (unsigned long long)each[c]);
    hsp__text_puts(text, "\nSV\n");
}

static void libsvm_put_row(libsvm_export *out, uint64_t i)
{
    hsp__text *text = &out->writer->text;
    const hsp__row row = hsp__view_row(&out->rows, i);
    for (uint32_t k = 0; k + 1 < out->classes; k++) {
        writer_number(out->writer, out->line[k]);
        hsp__text_puts(text, " ");
    }
    if (out->source)
        hsp__text_printf(text, "0:%llu ", (unsigned long long)out->source[i] + (unsigned)out->base);
    for (uint64_t k = 0; !out->source && k < row.count; k++) {
        const double value = hsp__row_value(&out->rows, &row, k);
        if (value == 0) continue;
        hsp__text_printf(
            text, "%llu:", (unsigned long long)hsp__row_column(&row, k) + (unsigned)out->base);
        writer_number(out->writer, value);
        hsp__text_puts(text, " ");
    }
    hsp__text_puts(text, "\n");
}

static hsp_status libsvm_put(libsvm_export *out, hsp_error *err)
{
    uint64_t *each = hsp__new(&out->ctx->allocator, out->classes, sizeof *each);
    out->line = hsp__new(&out->ctx->allocator, out->classes, sizeof *out->line);
    hsp_status status = each && out->line ? HSP_OK : hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < out->classes; c++)
        for (uint64_t i = 0; i < out->rows.rows; i++)
            each[c] += (uint64_t)libsvm_line(out, c, i);
    if (!status) libsvm_put_header(out, each);
    for (uint32_t c = 0; !status && c < out->classes; c++)
        for (uint64_t i = 0; !status && i < out->rows.rows; i++) {
            if (i % 256 == 0)
                status = hsp__progress(out->ctx, "writing", "rows", i, out->rows.rows, err);
            if (status || !libsvm_line(out, c, i)) continue;
            libsvm_put_row(out, i);
            status = writer_flush(out->writer, 0, err);
        }
    hsp__free(&out->ctx->allocator, each);
    hsp__free(&out->ctx->allocator, out->line);
    return status;
}

/* A linear model: its weights are the rows, and each scorer has the coefficient 1 for its own. */
static hsp_status libsvm_linear(libsvm_export *out, hsp_error *err)
{
    const uint64_t scorers = out->model->scorers;
    hsp_status status = plain_init(&out->plain, out->ctx, out->model, "LIBSVM", err);
    if (status) return status;
    out->ones = hsp__new(&out->ctx->allocator, scorers * scorers, sizeof *out->ones);
    if (!out->ones) return hsp__fail_memory(err);
    for (uint64_t c = 0; c < scorers; c++)
        out->ones[c * scorers + c] = 1;
    out->form = (libsvm_form){.type = "linear", .factor = 1};
    out->rows = hsp_view_dense(HSP_FLOAT64, scorers, out->plain.inputs, out->plain.inputs,
                               out->plain.weights);
    out->coefficients = out->ones;
    out->offsets = out->plain.offsets;
    return HSP_OK;
}

static hsp_status libsvm_expansion(libsvm_export *out, hsp_error *err)
{
    const hsp_model *model = out->model;
    const hsp__expansion *expansion = model->expansion;
    if (model->hypothesis == HSP__VOTES)
        return hsp__fail(err, HSP_USAGE, "LIBSVM has no voted models");
    if (model->neighbors)
        return hsp__fail(err, HSP_USAGE, "LIBSVM has no nearest-neighbour models");
    if (model->scalings[0] || model->scalings[1])
        return hsp__fail(err, HSP_USAGE,
                         "svm-predict does not scale rows, as this model does; scale the data with "
                         "halfspace scale and train on the result");
    out->form = libsvm_form_of(expansion->kernel);
    if (!out->form.type)
        return hsp__fail(err, HSP_USAGE,
                         "LIBSVM has linear, polynomial, rbf and sigmoid kernels, not %.200s; a "
                         "model of the kernel precomputed can be written for any",
                         hsp_kernel_text(expansion->kernel));
    out->rows = expansion->rows->view;
    if (strcmp(out->form.type, "precomputed") == 0) out->source = expansion->source;
    out->coefficients = expansion->coefficients;
    out->offsets = model->offsets;
    return HSP_OK;
}

static hsp_status export_libsvm(hsp_context *ctx, const hsp_model *model, hsp__writer *writer,
                                hsp_error *err)
{
    const char *base = hsp_model_metadata(model, "index_base");
    libsvm_export out = {.ctx = ctx,
                         .model = model,
                         .writer = writer,
                         .base = !(base && strcmp(base, "0") == 0),
                         .classes = model->class_names.count,
                         .backwards = !model->pairs && model->tie != HSP_TIE_POS};
    hsp_status status =
        model->hypothesis == HSP__LINEAR ? libsvm_linear(&out, err) : libsvm_expansion(&out, err);
    if (!status) status = libsvm_put(&out, err);
    if (!status && model->pairs == HSP__PAIRS_SUM)
        hsp__log(
            ctx, HSP_LOG_WARNING,
            "if classes have the same number of votes, svm-predict takes the first, and this model "
            "the one with the larger sum of scores: such rows may get another class there");
    plain_free(&out.plain, ctx);
    hsp__free(&ctx->allocator, out.ones);
    return status;
}

/* ---- Either ---------------------------------------------------------------------------------- */

hsp_status hsp__model_export_text(hsp_context *ctx, const hsp_model *model, int libsvm,
                                  hsp__writer *writer, hsp_error *err)
{
    return libsvm ? export_libsvm(ctx, model, writer, err)
                  : export_liblinear(ctx, model, writer, err);
}

hsp_status hsp_model_export(hsp_context *ctx, const hsp_model *model, const char *format,
                            const char *path, hsp_error *err)
{
    HSP__NEED(err, ctx, model, format, path);
    const int libsvm = strcmp(format, "libsvm") == 0;
    hsp__writer writer = {.output = NULL};
    if (!libsvm && strcmp(format, "liblinear") != 0)
        return hsp__fail(err, HSP_USAGE, "there is no format '%.40s', expected libsvm or liblinear",
                         format);
    hsp__text_init(&writer.text, &ctx->allocator);
    hsp_status status = hsp__output_open(ctx, path, err, &writer.output);
    if (!status) status = hsp__model_export_text(ctx, model, libsvm, &writer, err);
    /* What the model was trained on, on a last line, which neither program reads. */
    const char *hash = hsp_model_metadata(model, "data_hash");
    const char *single = hsp_model_metadata(model, "data_hash_single");
    const char *earlier = hsp_model_metadata(model, "earlier_data_hashes");
    if (!status && hash)
        hsp__text_printf(&writer.text, HSP__TRAINED_ON "%s%s%s%s%s\n", hash, single ? " " : "",
                         single ? single : "", earlier ? " " : "", earlier ? earlier : "");
    if (!status) status = writer_flush(&writer, 1, err);
    if (!status) status = hsp__output_commit(writer.output, err);
    hsp__output_free(writer.output);
    hsp__text_free(&writer.text);
    if (status) return status;
    if (export_numbered(model))
        hsp__log(ctx, HSP_LOG_NOTE,
                 "the format has whole numbers as labels: 1 is '%.60s', 2 is '%.60s'%s",
                 hsp__names_get(&model->class_names, 0), hsp__names_get(&model->class_names, 1),
                 model->class_names.count > 2 ? ", and so on in the model's order" : "");
    const int decides = hsp__probability_decides(&model->probability);
    if (decides && libsvm && export_has_platt(model))
        hsp__log(ctx, HSP_LOG_NOTE,
                 "the calibration is written as probA and probB; svm-predict -b 1 decides by it, "
                 "as this model does; without -b 1 it decides by the sign of the score");
    else if (decides)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "this model decides by its probabilities, but the exported one by its scores: "
                 "some rows may get another class");
    else if (model->probability.link == HSP__LINK_SOFTMAX && model->class_names.count > 2)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "the classes are predicted as by this model, but its probabilities (softmax) are "
                 "not exported: the format has none of that kind");
    if (model->tie == HSP_TIE_ZERO)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "rows on the boundary get a class there, because the format has no undecided "
                 "prediction");
    return HSP_OK;
}
