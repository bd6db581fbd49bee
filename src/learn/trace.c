/* A line an update: its number, the pass, the row from 1, its score before; ||w|| and b after, or
 * what the rule says instead.
 *
 * With a reference (w*, b*), in the space of the rows as learnt from and with the coordinate c that
 * the offset stands for, w~ = (w, b / c), after update k with gamma = min y_i <w~*, x~_i>:
 *
 *     inner   <w~*, w~_k>     >=  inner_bound    k rate gamma
 *     norm2   ||w~_k||^2      <=  norm2_bound    k (rate^2 R~^2 + 2 rate tau)
 *     cosine  of w~*, w~_k    >=  cosine_bound   inner_bound / (||w~*|| sqrt(norm2_bound))
 *
 * R~^2 = R^2 + c^2 + Delta^2: k R^2 without offset, 2 k R^2 with r2. On unit data the last is gamma
 * sqrt(k). */
#include "learn/trace.h"

#include <math.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/output.h"
#include "data/scale.h"
#include "model/model.h"

#define TRACE_FLUSH 65536

struct hsp__trace {
    hsp_allocator memory;
    hsp__output *output;
    hsp__text text;
    hsp__proof proof;
    int compared; /* there is a reference */
    uint64_t cols, rows;
    double *w;     /* cols: w* */
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
    hsp__free(&memory, trace);
}

/* A separator of rows scaled otherwise would be another one here. */
static hsp_status trace_check(const hsp_model *model, const char *path,
                              hsp_scaling *const *scalings, hsp_error *err)
{
    if (model->hypothesis != HSP__LINEAR || model->scorers != 1)
        return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                            "expected a linear separator of two classes as the reference");
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (!hsp__scaling_same(model->scalings[i], scalings[i]))
            return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                                "the reference was learnt from rows scaled otherwise than these: "
                                "train it with the same scale and normalize");
    return HSP_OK;
}

/* The reference's weights, their sign turned if its positive class is our negative one. */
static hsp_status trace_take(hsp__trace *trace, const hsp_model *model, const char *path,
                             const hsp_data *data, hsp_error *err)
{
    const char *positive = hsp_data_class_name(data, 1);
    const uint32_t side = hsp_model_class_of(model, positive);
    if (side == HSP_NO_CLASS)
        return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                            "the reference does not know the class '%s'", positive);
    const double sign = side == 1 ? 1 : -1, c = trace->proof.constant;
    double squares = 0;
    trace->w = hsp__new(&trace->memory, trace->cols, sizeof *trace->w);
    if (!trace->w) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < hsp__model_inputs(model); j++) {
        if (j < trace->cols) trace->w[j] = sign * model->weights[j];
        squares += model->weights[j] * model->weights[j];
    }
    trace->b = c > 0 ? sign * hsp__model_bias(model, 0) : 0; /* through the origin there is no b* */
    if (c > 0) squares += trace->b / c * (trace->b / c);
    trace->length = sqrt(squares);
    return HSP_OK;
}

static void trace_measure(hsp__trace *trace, hsp_context *ctx, const hsp_view *view)
{
    trace->gamma = HUGE_VAL;
    for (uint64_t i = 0; i < view->rows; i++) {
        const double s = hsp__row_score(view, i, trace->w, trace->b);
        trace->gamma = fmin(trace->gamma, view->labels[i] == 1 ? s : -s);
    }
    if (!(trace->gamma > 0))
        hsp__log(
            ctx, HSP_LOG_WARNING,
            "the reference does not separate the rows (least y s is %.9g): bounds on the number "
            "of updates do not follow",
            trace->gamma);
}

static hsp_status trace_reference(hsp__trace *trace, hsp_context *ctx, const char *path,
                                  const hsp_data *data, hsp_scaling *const *scalings,
                                  hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_status status = hsp_model_read(ctx, path, err, &model);
    if (status) return status;
    status = trace_check(model, path, scalings, err);
    if (!status) status = trace_take(trace, model, path, data, err);
    hsp_model_free(model);
    if (status) return status;
    trace->compared = 1;
    trace_measure(trace, ctx, &data->view);
    return HSP_OK;
}

hsp_status hsp__trace_new(hsp_context *ctx, const char *path, const char *reference,
                          const hsp__online *run, const hsp__proof *proof, const hsp_data *data,
                          hsp_scaling *const *scalings, hsp_error *err, hsp__trace **out)
{
    hsp__trace *trace = hsp__new(&ctx->allocator, 1, sizeof *trace);
    if (!trace) return hsp__fail_memory(err);
    trace->memory = ctx->allocator;
    trace->proof = *proof;
    trace->cols = data->view.cols;
    trace->rows = data->view.rows;
    hsp__text_init(&trace->text, &ctx->allocator);
    hsp_status status =
        reference ? trace_reference(trace, ctx, reference, data, scalings, err) : HSP_OK;
    if (!status) status = hsp__output_open(ctx, path, err, &trace->output);
    if (status) {
        hsp__trace_free(trace);
        return status;
    }
    hsp__text_puts(&trace->text, "update,pass,example,score,");
    hsp__text_puts(&trace->text,
                   run->rule->trace_head ? run->rule->trace_head(run) : "norm,offset");
    if (trace->compared)
        hsp__text_puts(&trace->text, ",inner,inner_bound,norm2,norm2_bound,cosine,cosine_bound");
    hsp__text_puts(&trace->text, "\n");
    *out = trace;
    return HSP_OK;
}

hsp_status hsp__trace_new_lines(hsp_context *ctx, const char *path, const hsp__online *run,
                                const hsp_data *data, hsp_error *err, hsp__trace **out)
{
    hsp__trace *trace = hsp__new(&ctx->allocator, 1, sizeof *trace);
    if (!trace) return hsp__fail_memory(err);
    trace->memory = ctx->allocator;
    hsp__text_init(&trace->text, &ctx->allocator);
    hsp_status status = hsp__output_open(ctx, path, err, &trace->output);
    if (status) {
        hsp__trace_free(trace);
        return status;
    }
    run->rule->lines_head(run, data, &trace->text);
    *out = trace;
    return HSP_OK;
}

static void trace_put(hsp__trace *trace, double value)
{
    char number[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, number);
    hsp__text_puts(&trace->text, ",");
    hsp__text_puts(&trace->text, number);
}

/* Both sides of each step of the proof. */
static void trace_proof(hsp__trace *trace, const hsp__online *run, double squares)
{
    const hsp__proof *proof = &trace->proof;
    const double c = proof->constant, k = (double)run->updates, b = run->offsets[0];
    double inner = run->vec->dot_f64(trace->w, run->weights, run->features);
    double norm2 = squares;
    if (c > 0) inner += trace->b / c * (b / c);
    if (c > 0) norm2 += b / c * (b / c);
    for (uint64_t i = 0; run->extra && i < trace->rows; i++)
        norm2 += run->extra[i] / proof->soft * (run->extra[i] / proof->soft);
    const double radius2 = proof->radius * proof->radius + c * c + proof->soft * proof->soft;
    const double inner_bound = k * (proof->rate * trace->gamma);
    const double norm2_bound = k * (proof->rate * (proof->rate * radius2 + 2 * proof->target));
    trace_put(trace, inner);
    trace_put(trace, inner_bound);
    trace_put(trace, norm2);
    trace_put(trace, norm2_bound);
    trace_put(trace, inner / (trace->length * sqrt(norm2)));
    trace_put(trace, inner_bound / (trace->length * sqrt(norm2_bound)));
}

static hsp_status trace_flush(hsp__trace *trace, hsp_error *err)
{
    if (trace->text.failed) return hsp__fail_memory(err);
    hsp_status status = hsp__output_write(trace->output, trace->text.data, trace->text.size, err);
    trace->text.size = 0;
    return status;
}

hsp_status hsp__trace_update(hsp__trace *trace, const hsp__online *run, uint64_t row, double score,
                             hsp_error *err)
{
    if (run->rule->lines_row) {
        run->rule->lines_row(run, row, score, &trace->text);
        return trace->text.size < TRACE_FLUSH ? HSP_OK : trace_flush(trace, err);
    }
    double squares = 0, own[HSP__TRACE_MOST];
    size_t count = 2;
    if (run->rule->trace) {
        count = run->rule->trace(run, own);
    } else {
        squares = run->vec->sqnorm_f64(run->weights, run->features);
        own[0] = sqrt(squares);
        own[1] = run->offsets[0];
    }
    hsp__text_printf(&trace->text, "%llu,%llu,%llu", (unsigned long long)run->updates,
                     (unsigned long long)run->passes, (unsigned long long)row + 1);
    trace_put(trace, hsp__online_meant(run, score));
    for (size_t i = 0; i < count; i++)
        trace_put(trace, own[i]);
    if (trace->compared) trace_proof(trace, run, squares);
    hsp__text_puts(&trace->text, "\n");
    return trace->text.size < TRACE_FLUSH ? HSP_OK : trace_flush(trace, err);
}

hsp_status hsp__trace_commit(hsp__trace *trace, hsp_error *err)
{
    hsp_status status = trace_flush(trace, err);
    return status ? status : hsp__output_commit(trace->output, err);
}
