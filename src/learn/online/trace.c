/* One line per update: its number, the pass, the row from 1, its score before; ||w|| and b after, or
 * what the rule says instead; last y s after it, and the weights that it changed.
 *
 * With a reference (w*, b*), in the space of the training rows and with the coordinate c that
 * the offset stands for, w~ = (w, b / c), after update k with gamma = min y_i <w~*, x~_i>:
 *
 *     inner   <w~*, w~_k>     >=  inner_bound    k rate gamma
 *     norm2   ||w~_k||^2      <=  norm2_bound    k (rate^2 R~^2 + 2 rate tau)
 *     cosine  of w~*, w~_k    >=  cosine_bound   inner_bound / (||w~*|| sqrt(norm2_bound))
 *
 * With a kernel all of it is in its feature space: ||w||^2 = sum a_i <w, phi(x_i)> over the rows i
 * that w is made of, and <w*, w> = sum a_i <w*, phi(x_i)>.
 *
 * R~^2 = R^2 + c^2 + Delta^2: k R^2 without offset, 2 k R^2 with r2. On unit data the last is gamma
 * sqrt(k). */
#include "learn/online/trace.h"

#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/output.h"
#include "data/scale.h"
#include "learn/kernel/kernel_scores.h"
#include "model/expansion.h"
#include "model/model.h"

#define TRACE_FLUSH 65536

struct hsp__trace {
    hsp_allocator memory;
    hsp__output *output;
    hsp__text text;
    hsp__proof proof;
    int compared; /* there is a reference */
    uint64_t cols, rows;
    double *w;     /* cols: w*; with a kernel NULL, and ... */
    double *sums;  /* ... rows: <w*, phi(x)>; NULL: no kernel */
    double b;      /* b* */
    double length; /* ||w~*|| */
    double gamma;  /* min y <w~*, x~> */
};

void hsp__trace_free(hsp__trace *trace)
{
    if (!trace) return;
    hsp_allocator memory = trace->memory;
    hsp__output_free(trace->output);
    hsp__text_free(&trace->text);
    hsp__free(&memory, trace->w);
    hsp__free(&memory, trace->sums);
    hsp__free(&memory, trace);
}

/* The reference, its sign turned if its positive class is our negative one: its weights or, with a
 * kernel, its sums with the rows, and its length. */
static hsp_status trace_take(hsp__trace *trace, hsp_context *ctx, const hsp_model *model,
                             const char *path, const hsp_kernel *kernel, const hsp_data *data,
                             hsp_error *err)
{
    const char *positive = hsp_data_class_name(data, 1);
    const uint32_t side = hsp_model_class_of(model, positive);
    if (side == HSP_NO_CLASS)
        return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                            "the reference does not know the class '%s'", positive);
    const double sign = side == 1 ? 1 : -1, c = trace->proof.constant;
    double squares = 0, length = 0;
    if (model->weights) {
        trace->w = hsp__new(&trace->memory, trace->cols, sizeof *trace->w);
        if (!trace->w) return hsp__fail_memory(err);
        for (uint64_t j = 0; j < hsp__model_inputs(model); j++) {
            if (j < trace->cols) trace->w[j] = sign * model->weights[j];
            squares += model->weights[j] * model->weights[j];
        }
    }
    if (kernel || !model->weights) {
        trace->sums = hsp__new(&trace->memory, trace->rows, sizeof *trace->sums);
        if (!trace->sums) return hsp__fail_memory(err);
    }
    for (uint64_t i = 0; kernel && model->weights && i < trace->rows; i++)
        trace->sums[i] = hsp__row_score(&data->view, i, trace->w, 0);
    if (!model->weights) {
        const hsp__expansion *expansion = model->expansion;
        hsp_context quiet = hsp__quiet(ctx);
        hsp__support support = {0};
        hsp_status status = hsp__support_init(&support, ctx, expansion->kernel, expansion->rows,
                                              expansion->source, err);
        if (!status)
            status = hsp__expansion_score(&quiet, model, &support, &data->view, err, trace->sums);
        if (!status) status = hsp__expansion_length(ctx, model, 0, err, &length);
        hsp__support_free(&support, ctx);
        if (status) return status;
        for (uint64_t i = 0; i < trace->rows; i++)
            trace->sums[i] = sign * (trace->sums[i] - model->offsets[0]);
        squares = length * length;
    }
    trace->b = c > 0 ? sign * hsp__model_bias(model, 0) : 0; /* through the origin there is no b* */
    if (c > 0) squares += trace->b / c * (trace->b / c);
    trace->length = sqrt(squares);
    return HSP_OK;
}

static hsp_status trace_reference(hsp__trace *trace, hsp_context *ctx, const char *path,
                                  const hsp_kernel *kernel, const hsp_data *data,
                                  hsp_scaling *const *scalings, hsp_error *err)
{
    const hsp_view *view = &data->view;
    /* the kernel linear alone leaves weights whose length is that of w */
    const int weights = !kernel || strcmp(hsp_kernel_text(kernel), "linear") == 0;
    int same = 1;
    hsp_model *model = NULL;
    HSP__TRY(hsp_model_read(ctx, path, err, &model));
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        same &= hsp__scaling_same(model->scalings[i], scalings[i]);
    hsp_status status = HSP_OK;
    if (model->scorers != 1 || model->hypothesis != (weights ? HSP__LINEAR : HSP__EXPANSION))
        status = hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                              "expected a %s separator of two classes as the reference",
                              weights ? "linear" : "kernel");
    else if (!weights && strcmp(hsp_model_kernel(model), hsp_kernel_text(kernel)) != 0)
        status = hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                              "the reference was trained with the kernel %s, this run with %s",
                              hsp_model_kernel(model), hsp_kernel_text(kernel));
    else if (!same) /* it would be another separator here */
        status = hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                              "the reference was trained on rows scaled in another way; train it "
                              "with the same --scale and --normalize");
    if (!status) status = trace_take(trace, ctx, model, path, kernel, data, err);
    hsp_model_free(model);
    if (status) return status;
    trace->compared = 1;
    trace->gamma = HUGE_VAL;
    for (uint64_t i = 0; i < view->rows; i++) {
        const double s =
            trace->sums ? trace->sums[i] + trace->b : hsp__row_score(view, i, trace->w, trace->b);
        trace->gamma = fmin(trace->gamma, view->labels[i] == 1 ? s : -s);
    }
    if (!(trace->gamma > 0))
        hsp__log(ctx, HSP_LOG_WARNING,
                 "the reference does not separate the rows (the smallest y s is %.9g), so no bound "
                 "on the number of updates follows",
                 trace->gamma);
    return HSP_OK;
}

hsp_status hsp__trace_new(hsp_context *ctx, const char *path, const char *reference,
                          const hsp__online *run, double radius, const hsp_kernel *kernel,
                          const hsp_data *data, hsp_scaling *const *scalings, hsp_error *err,
                          hsp__trace **out)
{
    const hsp__online_rule *rule = run->rule;
    hsp__trace *trace = hsp__new(&ctx->allocator, 1, sizeof *trace);
    if (!trace) return hsp__fail_memory(err);
    trace->memory = ctx->allocator;
    if (rule->proof) rule->proof(run, &trace->proof);
    trace->proof.radius = radius;
    trace->cols = data->view.cols;
    trace->rows = data->view.rows;
    hsp__text_init(&trace->text, &ctx->allocator);
    hsp_status status =
        reference ? trace_reference(trace, ctx, reference, kernel, data, scalings, err) : HSP_OK;
    if (!status) status = hsp__output_open(ctx, path, err, &trace->output);
    if (status) {
        hsp__trace_free(trace);
        return status;
    }
    *out = trace;
    if (rule->lines_head) {
        rule->lines_head(run, data, &trace->text);
        return HSP_OK;
    }
    hsp__text_printf(&trace->text, "update,pass,example,score,%s%s,y_score_after,weights_after\n",
                     rule->trace_head ? rule->trace_head(run) : "norm,offset",
                     trace->compared ? ",inner,inner_bound,norm2,norm2_bound,cosine,cosine_bound"
                                     : "");
    return HSP_OK;
}

void hsp__trace_put(hsp__text *text, double value)
{
    char number[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, number);
    hsp__text_puts(text, ",");
    hsp__text_puts(text, number);
}

/* Both sides of each step of the proof. */
static void trace_proof(hsp__trace *trace, const hsp__online *run, double squares)
{
    const hsp__proof *proof = &trace->proof;
    const double c = proof->constant, k = (double)run->done.updates, b = run->sep.offsets[0];
    double inner = run->space.kernel
                       ? hsp__kernel_scores_inner(run->space.kernel, run->space.at, trace->sums)
                       : run->vec->dot_f64(trace->w, run->sep.weights, run->sep.features);
    double norm2 = squares;
    if (c > 0) inner += trace->b / c * (b / c);
    if (c > 0) norm2 += b / c * (b / c);
    for (uint64_t i = 0; run->mistake.extra && i < trace->rows; i++)
        norm2 += run->mistake.extra[i] / proof->soft * (run->mistake.extra[i] / proof->soft);
    const double radius2 = proof->radius * proof->radius + c * c + proof->soft * proof->soft;
    const double inner_bound = k * (proof->rate * trace->gamma);
    const double norm2_bound = k * (proof->rate * (proof->rate * radius2 + 2 * proof->target));
    const double values[] = {inner,
                             inner_bound,
                             norm2,
                             norm2_bound,
                             inner / (trace->length * sqrt(norm2)),
                             inner_bound / (trace->length * sqrt(norm2_bound))};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        hsp__trace_put(&trace->text, values[i]);
}

static hsp_status trace_flush(hsp__trace *trace, hsp_error *err)
{
    if (trace->text.failed) return hsp__fail_memory(err);
    hsp_status status = hsp__output_write(trace->output, trace->text.data, trace->text.size, err);
    trace->text.size = 0;
    return status;
}

/* y s after the update, and the weights that it changed: those of the row's columns, "3:0.5 7:-1".
 * With a kernel there are none. */
static void trace_after(hsp__trace *trace, const hsp__online *run, const hsp_view *view,
                        uint64_t row, double after)
{
    const hsp__row entries = hsp__view_row(view, row);
    char number[HSP__DECIMAL_MAX];
    const double s = hsp__online_meant(run, after);
    hsp__trace_put(&trace->text, view->labels[row] == 1 ? s : -s);
    hsp__text_puts(&trace->text, ",");
    const char *space = "";
    for (uint64_t k = 0; !run->space.kernel && k < entries.count; k++) {
        const uint64_t column = hsp__row_column(&entries, k);
        if (hsp__row_value(view, &entries, k) == 0) continue;
        hsp__decimal_print_f64(run->sep.weights[column], number);
        hsp__text_printf(&trace->text, "%s%llu:%s", space, (unsigned long long)column + 1, number);
        space = " ";
    }
}

hsp_status hsp__trace_update(hsp__trace *trace, const hsp__online *run, const hsp_view *view,
                             uint64_t row, double score, double after, hsp_error *err)
{
    double squares = 0, own[HSP__TRACE_MOST];
    size_t count = 2;
    if (run->rule->lines_row) {
        run->rule->lines_row(run, row, score, &trace->text);
        return trace->text.size < TRACE_FLUSH ? HSP_OK : trace_flush(trace, err);
    }
    if (run->rule->trace) {
        count = run->rule->trace(run, own);
    } else {
        squares = run->space.kernel ? hsp__kernel_scores_square(run->space.kernel, run->space.at)
                                    : run->vec->sqnorm_f64(run->sep.weights, run->sep.features);
        own[0] = sqrt(squares);
        own[1] = run->sep.offsets[0];
    }
    hsp__text_printf(&trace->text, "%llu,%llu,%llu", (unsigned long long)run->done.updates,
                     (unsigned long long)run->done.passes, (unsigned long long)row + 1);
    hsp__trace_put(&trace->text, hsp__online_meant(run, score));
    for (size_t i = 0; i < count; i++)
        hsp__trace_put(&trace->text, own[i]);
    if (trace->compared) trace_proof(trace, run, squares);
    trace_after(trace, run, view, row, after);
    hsp__text_puts(&trace->text, "\n");
    return trace->text.size < TRACE_FLUSH ? HSP_OK : trace_flush(trace, err);
}

hsp_status hsp__trace_commit(hsp__trace *trace, hsp_error *err)
{
    HSP__TRY(trace_flush(trace, err));
    return hsp__output_commit(trace->output, err);
}
