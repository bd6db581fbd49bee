/* The separator of a model, as certificates have it, and its scores.
 *
 * Weights are written as the model has them, to the bit. A kernel model's coefficients are decimals
 * of 15 digits behind the largest: they are the dual weights too, which must add up. The rows they
 * belong to are those of the data file, not the model's copies of them. */
#include <float.h>
#include <stdlib.h>

#include "base/base.h"
#include "data/scale.h"
#include "kernel/expression.h"
#include "prove/prove.h"

#define MODEL_SEPARATOR_PAIRS \
    4000000 /* kernel values, at most: each is one for the checker too \
             */

/* ---- Scaling --------------------------------------------------------------------------------- */

static hsp_status model_separator_scale(hsp__prove *prove, const hsp_scaling *scaling,
                                        hsp__prove_file *file, hsp_error *err)
{
    if (!file->path) return HSP_OK;
    const uint64_t d = hsp_scaling_cols(scaling);
    HSP__TRY(hsp__scaling_apply_filling(prove->ctx, scaling, file->data, err, &file->scaled));
    HSP__TRY(hsp_data_view(prove->ctx, file->scaled, err, &file->rows));
    file->slack = hsp__scratch_new(&prove->scratch, file->rows->cols, sizeof *file->slack);
    if (!file->slack) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < d && j < file->rows->cols; j++)
        file->slack[j] =
            2 * fabs(hsp_scaling_shift(scaling, j)) * fabs(hsp_scaling_factor(scaling, j));
    return HSP_OK;
}

hsp_status hsp__prove_scale(hsp__prove *prove, hsp_error *err)
{
    const hsp_model *model = prove->model;
    const hsp_scaling *scaling = NULL;
    if (!model) return HSP_OK;
    if (hsp_model_metadata(model, "approx_features"))
        prove->why = "it is on explicit features (approx)";
    if (model->constant) prove->why = "it is in homogeneous form";
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        if (!model->scalings[i]) continue;
        if (hsp__scaling_is_votes(model->scalings[i]))
            prove->why = "its columns vote";
        else if (hsp__scaling_is_by_rows(model->scalings[i]))
            prove->why = "it divides rows by their norm, which may be irrational";
        else if (scaling)
            prove->why = "it scales columns twice";
        scaling = model->scalings[i];
    }
    if (prove->why || !scaling) return HSP_OK;
    hsp__text *text = &prove->transform;
    hsp__claim_open(text, NULL, '[');
    for (uint64_t j = 0; j < hsp_scaling_cols(scaling); j++) {
        const double shift = hsp_scaling_shift(scaling, j), factor = hsp_scaling_factor(scaling, j);
        if (shift == 0 && factor == 1) continue;
        hsp__claim_entry(text, j);
        hsp__claim_exact(text, NULL, shift);
        hsp__claim_exact(text, NULL, factor);
        hsp__claim_close(text, ']');
    }
    hsp__claim_close(text, ']');
    if (text->failed) return hsp__fail_memory(err);
    if (text->size == 2) { /* every column stays as it is */
        text->size = 0;
        return HSP_OK;
    }
    prove->scaling = scaling;
    HSP__TRY(model_separator_scale(prove, scaling, &prove->data, err));
    return model_separator_scale(prove, scaling, &prove->test, err);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static int model_separator_write_node(hsp__text *text, const hsp_kernel *kernel, uint32_t at)
{
    /* what follows the name: p as a count (n) or a number (p), then q */
    static const struct {
        const char *name, *parameters;
    } nodes[] = {
        [HSP__KERNEL_LINEAR] = {"linear", ""},    [HSP__KERNEL_POLY] = {"poly", "nq"},
        [HSP__KERNEL_RBF] = {"rbf", "p"},         [HSP__KERNEL_SIGMOID] = {"sigmoid", "pq"},
        [HSP__KERNEL_LAPLACE] = {"laplace", "p"}, [HSP__KERNEL_INTERSECTION] = {"intersection", ""},
        [HSP__KERNEL_CONST] = {"const", "p"},     [HSP__KERNEL_SUM] = {"sum", ""},
        [HSP__KERNEL_PRODUCT] = {"product", ""},  [HSP__KERNEL_POWER] = {"power", "n"},
        [HSP__KERNEL_COLS] = {NULL, NULL}};
    const hsp__kernel_node *node = &kernel->nodes[at];
    const char *name = nodes[node->op].name;
    if (!name || node->space) return 0;
    hsp__claim_open(text, NULL, '[');
    hsp__claim_word(text, NULL, name);
    for (const char *p = nodes[node->op].parameters; *p; p++) {
        if (*p == 'n')
            hsp__claim_count(text, NULL, (uint64_t)node->p);
        else
            hsp__claim_short(text, NULL, *p == 'p' ? node->p : node->q);
    }
    const uint32_t parts[2] = {node->left, node->right};
    for (int i = 0; i < 2; i++)
        if (parts[i] != HSP__KERNEL_NONE && !model_separator_write_node(text, kernel, parts[i]))
            return 0;
    hsp__claim_close(text, ']');
    return 1;
}

int hsp__prove_format_kernel(hsp__text *text, const hsp_kernel *kernel)
{
    return model_separator_write_node(text, kernel, kernel->root);
}

int hsp__prove_kernel_exact(const hsp_kernel *kernel)
{
    for (uint64_t i = 0; i < kernel->count; i++)
        if (kernel->nodes[i].op == HSP__KERNEL_RBF || kernel->nodes[i].op == HSP__KERNEL_LAPLACE ||
            kernel->nodes[i].op == HSP__KERNEL_SIGMOID)
            return 0;
    return 1;
}

/* ---- From a model ---------------------------------------------------------------------------- */

hsp_status hsp__prove_round(hsp__prove *prove, uint64_t count, const double *amount, int balance,
                            hsp_error *err, int64_t **grid, int *places)
{
    double most = 0;
    int64_t sum = 0;
    uint64_t largest[2] = {count, count};
    for (uint64_t k = 0; k < count; k++)
        most = fmax(most, fabs(amount[k]));
    *places = most > 0 ? 14 - (int)ceil(log10(most)) : 0;
    *grid = hsp__scratch_new(&prove->scratch, count, sizeof **grid);
    if (!*grid) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < count; k++) {
        /* towards 0, so that what is at its bound does not pass it */
        (*grid)[k] = (int64_t)truncl((hsp__long)amount[k] * powl(10, (hsp__long)*places));
        const int side = amount[k] > 0;
        sum += (*grid)[k];
        if (largest[side] == count || llabs((*grid)[k]) > llabs((*grid)[largest[side]]))
            largest[side] = k;
    }
    assert(count<UINT64_MAX && * places> - 400);
    const int heavy = sum > 0;
    if (!balance || !sum) return HSP_OK;
    /* the heavier side gives, from its largest */
    if (largest[heavy] < count && llabs((*grid)[largest[heavy]]) > llabs(sum))
        (*grid)[largest[heavy]] -= sum;
    return HSP_OK;
}

static hsp_status model_separator_expansion(hsp__prove *prove, int balance, hsp_error *err,
                                            hsp__prove_separator *s)
{
    const hsp__expansion *expansion = prove->model->expansion;
    s->count = hsp_model_support(prove->model, NULL);
    s->row = hsp__scratch_new(&prove->scratch, s->count, sizeof *s->row);
    if (!s->row) return hsp__fail_memory(err);
    const uint64_t most = prove->test.rows && prove->test.rows->rows > prove->data.rows->rows
                              ? prove->test.rows->rows
                              : prove->data.rows->rows;
    if (!hsp__prove_format_kernel(&s->kernel, expansion->kernel))
        s->why = "certificates do not support its kernel";
    else if (s->count * most > MODEL_SEPARATOR_PAIRS)
        s->why = "it has too many support rows: checking would take hours";
    for (uint64_t k = 0; !s->why && k < s->count; k++) {
        const uint64_t row = expansion->source[k];
        s->row[k] = row < prove->data.whole->view.rows ? prove->data.place[row] : UINT64_MAX;
        if (s->row[k] == UINT64_MAX || (k && s->row[k] <= s->row[k - 1]))
            s->why = "its support rows are not those of this file";
    }
    if (s->why) return HSP_OK;
    HSP__TRY(hsp__prove_round(prove, s->count, expansion->coefficients, balance, err, &s->grid,
                              &s->places));
    hsp__claim_list_grid(&s->text, "rows", s->row, s->grid, s->count, s->places, 1);
    return HSP_OK;
}

hsp_status hsp__prove_separator_new(hsp__prove *prove, int balance, hsp_error *err,
                                    hsp__prove_separator *s)
{
    const hsp_model *model = prove->model;
    *s = (hsp__prove_separator){.why = prove->why, .b = model->offsets[0]};
    hsp__text_init(&s->text, &prove->ctx->allocator);
    hsp__text_init(&s->kernel, &prove->ctx->allocator);
    hsp__claim_open(&s->text, NULL, '{');
    if (!s->why && model->hypothesis == HSP__VOTES) s->why = "it is a vote of many separators";
    if (!s->why && model->expansion) {
        HSP__TRY(model_separator_expansion(prove, balance, err, s));
    } else if (!s->why) {
        s->w = model->weights;
        s->features = model->features;
        if (model->features > prove->data.rows->cols) s->why = "it has more columns than this file";
        hsp__claim_list(&s->text, "w", NULL, s->w, s->features, hsp__claim_exact);
    }
    if (s->why) return HSP_OK;
    if (s->b != 0) hsp__claim_exact(&s->text, "b", s->b);
    hsp__claim_close(&s->text, '}');
    return s->text.failed || s->kernel.failed ? hsp__fail_memory(err) : HSP_OK;
}

void hsp__prove_separator_free(hsp__prove_separator *s)
{
    hsp__text_free(&s->text);
    hsp__text_free(&s->kernel);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

hsp__long hsp__prove_score(const hsp__prove_file *file, uint64_t i, const double *w,
                           uint64_t features, hsp__long start, hsp__long *size)
{
    const hsp__row row = hsp__view_row(file->rows, i);
    hsp__long sum = start;
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        if (j >= features) continue;
        const hsp__long of = (hsp__long)w[j];
        const hsp__long term = of * (hsp__long)hsp__row_value(file->rows, &row, k);
        sum += term;
        *size += fabsl(term) + (file->slack ? fabsl(of) * (hsp__long)file->slack[j] : 0);
    }
    return sum;
}

hsp_status hsp__prove_scores_of(hsp__prove *prove, const hsp_kernel *kernel,
                                const hsp__prove_separator *s, const hsp__prove_file *file,
                                hsp_error *err, hsp__long *scores, hsp__long *errors)
{
    const uint64_t n = file->rows->rows;
    hsp_data *own = prove->data.scaled ? prove->data.scaled : prove->data.data, *support = NULL;
    hsp_data *of = file->scaled ? file->scaled : file->data;
    double *gram = hsp__new_raw(&prove->ctx->allocator, s->count * n, sizeof *gram);
    hsp_status status = gram ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp_data_select(prove->ctx, own, s->row, s->count, err, &support);
    if (!status) status = hsp_kernel_gram(prove->ctx, kernel, support, of, err, gram);
    const hsp__long unit = powl(10, -(hsp__long)s->places);
    /* of a product, its power, or its exponential, in doubles */
    const hsp__long off = 1e-14L * (1 + (hsp__long)file->rows->cols / 64);
    for (uint64_t i = 0; !status && i < n; i++) {
        scores[i] = errors[i] = 0;
        for (uint64_t k = 0; k < s->count; k++) {
            const hsp__long term = (hsp__long)s->grid[k] * unit * (hsp__long)gram[k * n + i];
            scores[i] += term;
            errors[i] += fabsl(term) * off;
        }
    }
    hsp_data_free(support);
    hsp__free(&prove->ctx->allocator, gram);
    return status;
}

hsp_status hsp__prove_scores(hsp__prove *prove, const hsp__prove_separator *s,
                             const hsp__prove_file *file, hsp_error *err, hsp__long *scores,
                             hsp__long *errors)
{
    if (s->row)
        return hsp__prove_scores_of(prove, prove->model->expansion->kernel, s, file, err, scores,
                                    errors);
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const uint64_t count = hsp__view_row(file->rows, i).count;
        hsp__long size = 0;
        scores[i] = hsp__prove_score(file, i, s->w, s->features, 0, &size);
        errors[i] = size * (0x1p-51L + (hsp__long)(count + 4) * LDBL_EPSILON);
    }
    return HSP_OK;
}
