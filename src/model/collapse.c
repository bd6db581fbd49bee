/* Expansions that are linear after all. A kernel k(x, y) = sum_j d_j x_j y_j + c makes of
 * sum_i a_i k(x_i, x) + b the weights w_j = d_j sum_i a_i x_ij and the offset b + c sum_i a_i. */
#include "base/base.h"
#include "model/model.h"

/* Such a kernel. `factors` NULL: one that is the constant alone. */
typedef struct collapse_form {
    double *factors; /* features */
    double constant;
} collapse_form;

typedef struct collapse_work {
    hsp_context *ctx;
    const hsp_kernel *kernel;
    uint64_t features;
    int linear; /* so far */
    int no_memory;
} collapse_work;

static collapse_form collapse_node(collapse_work *work, uint32_t at);

/* Ones in the columns that a leaf looks at. */
static collapse_form collapse_leaf(collapse_work *work, const hsp__kernel_node *node,
                                   double constant)
{
    const hsp__kernel_space *space = &work->kernel->spaces[node->space];
    collapse_form form = {.constant = constant};
    form.factors = hsp__new(&work->ctx->allocator, work->features, sizeof *form.factors);
    if (!form.factors) {
        work->no_memory = 1;
        return form;
    }
    for (uint64_t j = 0; j < work->features && !space->count; j++)
        form.factors[j] = 1;
    for (uint64_t r = 0; r < space->count; r++)
        for (uint64_t j = space->from[r]; j < space->to[r] && j < work->features; j++)
            form.factors[j] = 1;
    return form;
}

static void collapse_scale(const collapse_work *work, collapse_form *form, double by)
{
    form->constant *= by;
    for (uint64_t j = 0; form->factors && j < work->features; j++)
        form->factors[j] *= by;
}

static collapse_form collapse_pair(collapse_work *work, const hsp__kernel_node *node)
{
    collapse_form left = collapse_node(work, node->left);
    collapse_form right = collapse_node(work, node->right);
    if (node->op == HSP__KERNEL_PRODUCT) {
        if (left.factors && right.factors) work->linear = 0;
        if (left.factors)
            collapse_scale(work, &left, right.constant);
        else
            collapse_scale(work, &right, left.constant);
        if (!left.factors) left = right, right.factors = NULL;
    } else {
        left.constant += right.constant;
        for (uint64_t j = 0; left.factors && right.factors && j < work->features; j++)
            left.factors[j] += right.factors[j];
        if (!left.factors) left.factors = right.factors, right.factors = NULL;
    }
    hsp__free(&work->ctx->allocator, right.factors);
    return left;
}

static collapse_form collapse_node(collapse_work *work, uint32_t at)
{
    const hsp__kernel_node *node = &work->kernel->nodes[at];
    const collapse_form none = {NULL, 0};
    if (!work->linear || work->no_memory) return none;
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
        return collapse_leaf(work, node, 0);
    case HSP__KERNEL_POLY:
        if (node->p == 1) return collapse_leaf(work, node, node->q);
        break;
    case HSP__KERNEL_CONST:
        return (collapse_form){NULL, node->p};
    case HSP__KERNEL_SUM:
    case HSP__KERNEL_PRODUCT:
        return collapse_pair(work, node);
    case HSP__KERNEL_POWER:
        if (node->p == 1) return collapse_node(work, node->left);
        break;
    case HSP__KERNEL_COLS:
        return collapse_node(work, node->left);
    default:
        break;
    }
    work->linear = 0;
    return none;
}

/* Weights and offset of one scorer. */
static void collapse_scorer(const hsp__expansion *expansion, const collapse_form *form,
                            uint32_t scorer, hsp_model *to)
{
    const hsp_view *view = &expansion->rows->view;
    const double *a = expansion->coefficients + scorer * view->rows;
    double *w = to->weights + scorer * to->features, sum = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        sum += a[i];
        for (uint64_t k = 0; a[i] != 0 && k < row.count; k++)
            w[hsp__row_column(&row, k)] += a[i] * hsp__row_value(view, &row, k);
    }
    for (uint64_t j = 0; form->factors && j < to->features; j++)
        w[j] *= form->factors[j];
    if (!form->factors) memset(w, 0, (size_t)to->features * sizeof *w);
    to->offsets[scorer] += form->constant * sum;
}

hsp_status hsp__model_collapse(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                               hsp_model **out)
{
    assert(model->hypothesis == HSP__EXPANSION);
    const hsp__expansion *expansion = model->expansion;
    hsp_model *linear = NULL;
    collapse_work work = {
        .ctx = ctx, .kernel = expansion->kernel, .features = model->features, .linear = 1};
    collapse_form form = collapse_node(&work, expansion->kernel->root);
    hsp_status status = work.no_memory ? hsp__fail_memory(err) : HSP_OK;
    if (!status && work.linear) status = hsp__model_copy(ctx, model, err, &linear);
    for (uint32_t c = 0; linear && c < model->scorers; c++)
        collapse_scorer(expansion, &form, c, linear);
    if (linear) linear->order = hsp__order_of(expansion->rows->view.storage);
    hsp__free(&ctx->allocator, form.factors);
    if (!status) *out = linear;
    return status;
}
