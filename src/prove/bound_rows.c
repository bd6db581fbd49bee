/* A model on rows, as the bounds need it: who is wrong and by what margin, the space in which
 * margins are measured, what the run was told; and the rows that two files share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/json.h"
#include "data/encode.h"
#include "data/scale.h"
#include "data/sweep.h"
#include "kernel/gram.h"
#include "prove/bound.h"
#include "prove/prove.h"

#define ROWS_SLICE   ((uint64_t)1 << 19) /* scores held at a time, about */
#define ROWS_SUPPORT 20000 /* support rows whose w is measured: its square is the cost */

/* ---- Sentences about a bound ---- */

__attribute__((format(printf, 3, 0))) static void rows_print(hsp_error_bound *to, double value,
                                                             const char *format, va_list args)
{
    to->applies = !isnan(value);
    to->value = value;
    to->vacuous = to->applies && !(value < 1);
    vsnprintf(to->figures, sizeof to->figures, format, args);
}

hsp_status hsp__error_bound_set(hsp_error_bound *to, double value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rows_print(to, value, format, args);
    va_end(args);
    return HSP_OK;
}

hsp_status hsp__error_bound_fail(hsp_error_bound *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rows_print(to, (double)NAN, format, args);
    va_end(args);
    return HSP_OK;
}

/* ---- Who is wrong ---- */

static hsp_status rows_score(hsp_context *ctx, const hsp_model *model, const uint32_t *class_of,
                             hsp__bound_rows *to, hsp_error *err)
{
    const uint64_t rows = to->view->rows, scorers = model->scorers;
    const uint64_t slice = ROWS_SLICE / scorers + 1;
    double *scores = hsp__new_raw(&ctx->allocator, slice * scorers, sizeof *scores);
    uint32_t *predicted = hsp__new_raw(&ctx->allocator, slice, sizeof *predicted);
    hsp_status status = scores && predicted ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t from = 0; !status && from < rows; from += slice) {
        const uint64_t count = rows - from < slice ? rows - from : slice;
        const hsp_view cut = hsp__view_slice(to->view, from, from + count);
        status = hsp_model_score(ctx, model, &cut, err, scores, predicted);
        for (uint64_t i = 0; !status && i < count; i++) {
            const uint32_t class = class_of[to->view->labels[from + i]];
            const double score = scores[i * scorers];
            if (class == HSP_NO_CLASS && model->leaves_out) continue;
            const uint64_t k = to->n++;
            to->row[k] = from + i;
            to->class_of[k] = class;
            to->wrong[k] = class == HSP_NO_CLASS || predicted[i] != class;
            to->mistakes += to->wrong[k];
            if (to->margin)
                to->margin[k] = class == HSP_NO_CLASS ? (double)NAN : class ? score : -score;
        }
    }
    assert(to->n <= to->view->rows && to->mistakes <= to->n);
    hsp__free(&ctx->allocator, scores);
    hsp__free(&ctx->allocator, predicted);
    return status;
}

hsp_status hsp__bound_rows_read(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                                hsp_error *err, hsp__bound_rows *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const int margins = model->scorers == 1 && model->hypothesis != HSP__VOTES;
    HSP__TRY(hsp_data_view(ctx, data, err, &out->view));
    if (!out->view->labels)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the data has no labels, so the error cannot be computed");
    const uint64_t rows = out->view->rows;
    uint32_t *class_of = hsp__new(memory, out->view->classes, sizeof *class_of);
    out->row = hsp__new_raw(memory, rows, sizeof *out->row);
    out->class_of = hsp__new_raw(memory, rows, sizeof *out->class_of);
    out->wrong = hsp__new_raw(memory, rows, 1);
    if (margins) out->margin = hsp__new_raw(memory, rows, sizeof *out->margin);
    hsp_status status = HSP_OK;
    if (!class_of || !out->row || !out->class_of || !out->wrong || (margins && !out->margin))
        status = hsp__fail_memory(err);
    if (!status) hsp__model_classes_of(ctx, model, data, class_of);
    if (!status) status = rows_score(ctx, model, class_of, out, err);
    hsp__free(memory, class_of);
    return status;
}

void hsp__bound_rows_free(hsp_context *ctx, hsp__bound_rows *rows)
{
    hsp__free(&ctx->allocator, rows->row);
    hsp__free(&ctx->allocator, rows->class_of);
    hsp__free(&ctx->allocator, rows->wrong);
    hsp__free(&ctx->allocator, rows->margin);
}

/* ---- What the run was told ---- */

const char *hsp__bound_run_text(const hsp__bound_run *run, const char *name)
{
    const char *text = hsp__audit_text(&run->reader, name);
    return text ? text : "";
}

int hsp__bound_run_is(const hsp__bound_run *run, const char *name, const char *value)
{
    return strcmp(hsp__bound_run_text(run, name), value) == 0;
}

/* Did tuning try both offset none and others? */
static int run_tried_both(const hsp__json_value *root)
{
    const hsp__json_value *options = hsp__json_get(root, "options");
    const hsp__json_value *points = hsp__json_get(root, "points");
    for (size_t a = 0; a < hsp__json_count(options); a++) {
        const char *name = hsp__json_string(hsp__json_at(options, a), NULL);
        size_t none = 0;
        if (!name || strcmp(name, "offset") != 0) continue;
        for (size_t p = 0; p < hsp__json_count(points); p++) {
            const hsp__json_value *values = hsp__json_get(hsp__json_at(points, p), "values");
            const char *value = hsp__json_string(hsp__json_at(values, a), NULL);
            none += value && strcmp(value, "none") == 0;
        }
        return none > 0 && none < hsp__json_count(points);
    }
    return 0;
}

double hsp__bound_class_delta(const hsp__bound_case *c)
{
    return c->run.both ? c->log_delta - log(2) : c->log_delta;
}

hsp_status hsp__bound_run_read(const hsp_model *model, hsp_error *err, hsp__bound_run *out)
{
    const char *passes = hsp_model_metadata(model, "passes");
    const char *rows = hsp_model_metadata(model, "data_rows");
    const char *tuning = hsp_model_metadata(model, "tuning");
    const char *online = hsp_model_metadata(model, "online_error");
    double real;
    *out =
        (hsp__bound_run){.passes = passes ? strtoull(passes, NULL, 10) : 0,
                         .rows = rows ? strtoull(rows, NULL, 10) : 0,
                         .means = model->encoding && model->encoding->missing == HSP__MISSING_MEAN,
                         .online_error = (double)NAN,
                         .tried = 1};
    HSP__TRY(hsp__audit_open(model, err, &out->reader));
    if (tuning) {
        hsp__json *json = NULL;
        HSP__TRY(hsp__json_parse(&model->memory, tuning, strlen(tuning), "", err, &json));
        const size_t points = hsp__json_count(hsp__json_get(hsp__json_root(json), "points"));
        if (points) out->tried = points;
        out->both = run_tried_both(hsp__json_root(json));
        hsp__json_free(json);
    }
    if (hsp__json_number(hsp__json_get(out->reader.options, "budget"), &real) && real > 0)
        out->budget = (uint64_t)real;
    const hsp__json_value *weights = hsp__json_get(out->reader.options, "weight");
    for (size_t i = 0; i < hsp__json_count(weights); i++) {
        const char *weight = hsp__json_string(hsp__json_at(weights, i), NULL);
        out->balanced |= weight && strcmp(weight, "balanced") == 0;
    }
    if (!online || strcmp(online, "null") == 0) return HSP_OK;
    return hsp__audit_number(&out->reader, "online_error", 0, &out->online_error, NULL, err);
}

/* Did the kernel get a factor from the rows: the rule median or scale, or rbf without a factor? */
static int run_kernel_fitted(const hsp__bound_run *run)
{
    const char *text = hsp__bound_run_text(run, "kernel");
    double gamma;
    if (strstr(text, "median")) return 1;
    if (hsp__json_number(hsp__json_get(run->reader.options, "gamma"), &gamma)) return 0;
    for (const char *at = text; (at = strstr(at, "scale")); at++)
        if (at == text || at[-1] != 'e') return 1; /* not rescale */
    for (const char *at = text; (at = strstr(at, "rbf")); at++)
        if (at[3 + strspn(at + 3, " \t\r\n")] != '(') return 1;
    return 0;
}

const char *hsp__bound_run_fitted(const hsp__bound_run *run)
{
    const char *scale = hsp__bound_run_text(run, "scale");
    const char *target = hsp__bound_run_text(run, "margin-target");
    if (run->means) return HSP__BOUND_MEANS;
    if (*scale && strcmp(scale, "none") != 0)
        return "the columns were scaled with figures of all rows";
    if (hsp__bound_run_is(run, "normalize", "ball"))
        return "the rows were divided by the largest norm";
    if (hsp__bound_run_is(run, "offset", "r2")) return "--offset r2 depends on the largest norm";
    if (*target && target[strlen(target) - 1] == 'r')
        return "the margin target depends on the largest norm";
    if (run_kernel_fitted(run)) return "the kernel was fitted to all rows";
    if (hsp__bound_run_is(run, "votes", "auto")) return "how columns vote was chosen from all rows";
    if (*hsp__bound_run_text(run, "approx")) return "the features were made from the rows";
    return NULL;
}

/* ---- The space of margins ---- */

/* Scalings of columns are taken into w, last one first. Division of rows by their lengths can
 * only be kept, and only when it comes alone. */
static hsp_status space_linear(hsp_context *ctx, const hsp_model *model,
                               const hsp__bound_rows *rows, hsp_error *err, hsp__bound_space *space)
{
    const uint64_t inputs = hsp__model_inputs(model), cols = rows->view->cols;
    int by_rows = 0, by_columns = 0, power;
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        const hsp_scaling *scaling = model->scalings[i];
        if (!scaling) continue;
        *(hsp__scaling_is_by_rows(scaling) ? &by_rows : &by_columns) = 1;
        if (!hsp__scaling_is_votes(scaling)) continue;
        snprintf(space->why, sizeof space->why,
                 "the scaling '%.20s' does not turn halfspaces into halfspaces",
                 hsp_scaling_kind(scaling));
        return HSP_OK;
    }
    if (by_rows && by_columns) {
        snprintf(space->why, sizeof space->why,
                 "the columns were scaled with figures of these rows, and the rows then divided by "
                 "their norms: the space is not fixed");
        return HSP_OK;
    }
    space->features = inputs > cols ? inputs : cols;
    space->w = hsp__new(&ctx->allocator, space->features, sizeof *space->w);
    if (!space->w) return hsp__fail_memory(err);
    memcpy(space->w, model->weights, inputs * sizeof *space->w);
    space->b = hsp__model_bias(model, 0);
    space->origin &= !by_columns && space->b == 0;
    for (int i = HSP__MODEL_SCALINGS - 1; by_columns && i >= 0; i--) {
        if (!model->scalings[i]) continue;
        const hsp__scaling_parts parts = hsp__scaling_look(model->scalings[i]);
        for (uint64_t j = 0; j < space->features && j < parts.cols; j++) {
            space->w[j] *= parts.factor[j];
            space->b -= space->w[j] * parts.shift[j];
        }
    }
    double most = fabs(space->b);
    for (uint64_t j = 0; j < space->features; j++)
        most = fmax(most, fabs(space->w[j]));
    frexp(most, &power);
    space->unit = most > 0 ? ldexp(1, power > 1000 ? -1000 : power < -1000 ? 1000 : -power) : 1;
    space->b *= space->unit;
    for (uint64_t j = 0; j < space->features; j++) {
        space->w[j] *= space->unit;
        space->length2 += space->w[j] * space->w[j];
    }
    space->view = rows->view;
    if (by_rows) HSP__TRY(hsp__model_scale(ctx, model, rows->view, err, &space->scaled));
    if (space->scaled) HSP__TRY(hsp_data_view(ctx, space->scaled, err, &space->view));
    for (uint64_t i = 0; i < rows->n; i++) {
        const hsp__row row = hsp__view_row(space->view, rows->row[i]);
        const double norm = hsp__row_norm(space->view, &row);
        space->norm2[i] = norm * norm;
    }
    return HSP_OK;
}

static const char *space_kernel_refused(const hsp_model *model, const hsp__bound_run *run)
{
    const hsp_kernel *kernel = model->expansion->kernel;
    if (hsp_kernel_is_indefinite(kernel)) return "the expression may not be a kernel";
    if (strstr(hsp_kernel_text(kernel), "precomputed"))
        return "a precomputed kernel has no values for other rows";
    if (hsp__bound_run_fitted(run)) return hsp__bound_run_fitted(run);
    if (model->expansion->rows->view.rows > ROWS_SUPPORT)
        return "there are too many support rows to compute the norm of w";
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i] && !hsp__scaling_is_by_rows(model->scalings[i]))
            return "the columns were scaled with figures of these rows";
    return NULL;
}

static hsp_status space_kernel(hsp_context *ctx, const hsp_model *model,
                               const hsp__bound_rows *rows, hsp_error *err, hsp__bound_space *space)
{
    hsp__kernel_rows *ready = NULL;
    const hsp_view *view = rows->view;
    double length = 0;
    hsp_status status = hsp__expansion_length(ctx, model, 0, err, &length);
    if (!status) status = hsp__model_scale(ctx, model, rows->view, err, &space->scaled);
    if (!status && space->scaled) status = hsp_data_view(ctx, space->scaled, err, &view);
    if (!status)
        status = hsp__kernel_rows_new(ctx, model->expansion->kernel, view, NULL, err, &ready);
    for (uint64_t i = 0; !status && i < rows->n; i++)
        space->norm2[i] = hsp__kernel_self(ready, rows->row[i]);
    hsp__kernel_rows_free(ctx, ready);
    space->length2 = length * length * (1 + 1e-9);
    space->unit = 1;
    space->b = model->offsets[0];
    space->origin &= space->b == 0;
    return status;
}

hsp_status hsp__bound_space_read(hsp_context *ctx, const hsp_model *model,
                                 const hsp__bound_rows *rows, hsp_error *err, hsp__bound_space *out)
{
    hsp__bound_run run;
    const char *why = NULL;
    const hsp_status status = hsp__bound_run_read(model, err, &run);
    if (run.means)
        why = HSP__BOUND_MEANS;
    else if (*hsp__bound_run_text(&run, "approx"))
        why = hsp__bound_run_fitted(&run);
    else if (model->scorers != 1)
        why = "there are more than two classes";
    else if (model->hypothesis == HSP__VOTES)
        why = "a vote of many separators is not a halfspace";
    else if (model->hypothesis == HSP__EXPANSION)
        why = space_kernel_refused(model, &run);
    else if (model->hypothesis != HSP__LINEAR || !model->weights)
        why = "the model is not a halfspace";
    if (why) snprintf(out->why, sizeof out->why, "%s", why);
    out->origin =
        hsp__bound_run_is(&run, "offset", "none") && !hsp__bound_run_is(&run, "learner", "winnow");
    hsp__audit_close(&run.reader);
    if (status || why) return status;
    out->norm2 = hsp__new(&ctx->allocator, rows->n, sizeof *out->norm2);
    if (!out->norm2) return hsp__fail_memory(err);
    return model->hypothesis == HSP__EXPANSION ? space_kernel(ctx, model, rows, err, out)
                                               : space_linear(ctx, model, rows, err, out);
}

void hsp__bound_space_free(hsp_context *ctx, hsp__bound_space *space)
{
    hsp_data_free(space->scaled);
    hsp__free(&ctx->allocator, space->w);
    hsp__free(&ctx->allocator, space->norm2);
}

/* ---- Rows of two files ---- */

hsp_status hsp__bound_shared(hsp_context *ctx, const hsp_view *train, const hsp_view *test,
                             hsp_error *err, uint64_t *count, uint64_t *first)
{
    hsp__duplicate_rows_key *keys = hsp__duplicate_rows_keys(ctx, train);
    *count = *first = 0;
    if (!keys) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < test->rows; i++) {
        if (!hsp__duplicate_rows_find(train, keys, test, i)) continue;
        if (!*count) *first = i;
        ++*count;
    }
    hsp__free(&ctx->allocator, keys);
    return HSP_OK;
}
