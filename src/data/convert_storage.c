/* Two passes when the result is sparse: one counts what each row keeps (and finds what cannot be
 * stored), one writes. A single pass when it is dense. Each part notes its own first fault and its
 * own count, so the first fault in the order of the rows is the one reported. */
#include "data/convert_storage.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/data.h"
#include "data/sweep.h"

typedef struct convert_storage_fault {
    int found;
    uint64_t row, column;
    double value; /* as it was */
} convert_storage_fault;

typedef struct convert_storage_job {
    const hsp__storage_change *plan;
    const hsp_view *from;
    hsp_data *to;
    uint64_t *starts; /* rows + 1: how many entries row i - 1 keeps; later where row i starts */
    uint64_t parts;
    convert_storage_fault *faults; /* parts: the first in each */
    uint64_t *nonzeros;            /* parts */
} convert_storage_job;

/* The number that entry v of a column becomes; `norm` is 1 unless rows are made unit. */
static inline double convert_storage_number(const hsp__storage_change *plan, double v,
                                            uint64_t column, double norm)
{
    if (plan->votes) {
        if (v >= 0) return v > 0;
        const double below = plan->factor ? plan->below * plan->factor[column] : plan->below;
        return below < 0 ? -1 : 0;
    }
    if (plan->factor) v = (v - plan->shift[column]) * plan->factor[column];
    if (plan->unit_rows) v /= norm;
    return plan->precision == HSP_FLOAT32 ? (double)(float)v : v;
}

static double convert_storage_norm(const convert_storage_job *job, const hsp__row *row)
{
    if (!job->plan->unit_rows) return 1;
    double norm = hsp__row_norm(job->from, row);
    return norm > 0 ? norm : 1;
}

static inline void convert_storage_store(hsp_precision precision, void *values, uint64_t at,
                                         double v)
{
    if (precision == HSP_FLOAT32)
        ((float *)values)[at] = (float)v;
    else
        ((double *)values)[at] = v;
}

static void convert_storage_note(convert_storage_fault *fault, uint64_t row, uint64_t column,
                                 double value)
{
    if (!fault->found) *fault = (convert_storage_fault){1, row, column, value};
}

/* Count what each row keeps. */
static void convert_storage_count_part(void *user, uint64_t part)
{
    convert_storage_job *job = user;
    const int ones = job->plan->storage == HSP_ONES;
    uint64_t to = hsp__part(job->from->rows, job->parts, part + 1);
    for (uint64_t i = hsp__part(job->from->rows, job->parts, part); i < to; i++) {
        hsp__row row = hsp__view_row(job->from, i);
        double norm = convert_storage_norm(job, &row);
        uint64_t kept = 0;
        for (uint64_t k = 0; k < row.count; k++) {
            uint64_t column = hsp__row_column(&row, k);
            double was = hsp__row_value(job->from, &row, k);
            double v = convert_storage_number(job->plan, was, column, norm);
            kept += v != 0;
            if (!isfinite(v) || (ones && v != 0 && v != 1))
                convert_storage_note(&job->faults[part], i, column, was);
        }
        job->starts[i + 1] = kept;
        job->nonzeros[part] += kept;
    }
}

static void convert_storage_dense_row(convert_storage_job *job, uint64_t i, uint64_t part)
{
    const hsp__storage_change *plan = job->plan;
    const size_t bytes = hsp__value_bytes(plan->precision);
    const uint64_t stride = job->to->view.stride;
    hsp__row row = hsp__view_row(job->from, i);
    double norm = convert_storage_norm(job, &row);
    char *values = (char *)job->to->values + i * stride * bytes;
    memset(values + plan->cols * bytes, 0, (stride - plan->cols) * bytes);
    /* columns that the source row does not store: zeros, moved as the plan moves them */
    for (uint64_t j = row.indices ? 0 : row.count; j < plan->cols; j++)
        convert_storage_store(plan->precision, values, j,
                              plan->shift ? (0 - plan->shift[j]) * plan->factor[j] : 0);
    for (uint64_t k = 0; k < row.count; k++) {
        uint64_t column = hsp__row_column(&row, k);
        double was = hsp__row_value(job->from, &row, k);
        double v = convert_storage_number(plan, was, column, norm);
        if (!isfinite(v)) convert_storage_note(&job->faults[part], i, column, was);
        convert_storage_store(plan->precision, values, column, v);
    }
    for (uint64_t j = 0; j < plan->cols; j++) {
        double v = plan->precision == HSP_FLOAT32 ? (double)((float *)(void *)values)[j]
                                                  : ((double *)(void *)values)[j];
        job->nonzeros[part] += v != 0;
        if (!isfinite(v)) convert_storage_note(&job->faults[part], i, j, 0);
    }
}

static void convert_storage_fill_part(void *user, uint64_t part)
{
    convert_storage_job *job = user;
    const hsp__storage_change *plan = job->plan;
    uint64_t from = hsp__part(job->from->rows, job->parts, part);
    uint64_t to = hsp__part(job->from->rows, job->parts, part + 1);
    for (uint64_t i = from; i < to; i++) {
        if (plan->storage == HSP_DENSE) {
            convert_storage_dense_row(job, i, part);
            continue;
        }
        hsp__row row = hsp__view_row(job->from, i);
        double norm = convert_storage_norm(job, &row);
        uint64_t at = job->starts[i];
        for (uint64_t k = 0; k < row.count; k++) {
            uint64_t column = hsp__row_column(&row, k);
            double v =
                convert_storage_number(plan, hsp__row_value(job->from, &row, k), column, norm);
            if (v == 0) continue;
            job->to->indices[at] = (uint32_t)column;
            if (plan->storage == HSP_SPARSE)
                convert_storage_store(plan->precision, job->to->values, at, v);
            at++;
        }
    }
    if (job->from->labels && to > from)
        memcpy(job->to->labels + from, job->from->labels + from,
               (to - from) * sizeof *job->to->labels);
}

/* The first fault, as an error. */
static hsp_status convert_storage_fail(const convert_storage_job *job, hsp_error *err)
{
    for (uint64_t part = 0; part < job->parts; part++) {
        const convert_storage_fault *fault = &job->faults[part];
        if (!fault->found) continue;
        unsigned long long row = fault->row + 1, column = fault->column + 1;
        if (job->plan->storage == HSP_ONES && !job->plan->factor)
            return hsp__fail(err, HSP_USAGE,
                             "row %llu, column %llu holds %.9g: storage 'ones' takes only 0 and 1",
                             row, column, fault->value);
        return hsp__fail(err, HSP_BAD_DATA,
                         "row %llu, column %llu: %.9g is too large to be %s in %s precision", row,
                         column, fault->value,
                         job->plan->factor || job->plan->unit_rows ? "scaled" : "stored",
                         job->plan->precision == HSP_FLOAT32 ? "single" : "double");
    }
    return HSP_OK;
}

static hsp_status convert_storage_run(hsp_context *ctx, hsp_data *data, convert_storage_job *job,
                                      hsp_error *err)
{
    const hsp__storage_change *plan = job->plan;
    const hsp_view *from = job->from;
    const int sparse = plan->storage != HSP_DENSE;
    const uint64_t rows = from->rows;
    uint64_t stored = 0;
    if (sparse) { /* count, report faults, and turn counts into starts */
        HSP__TRY(
            hsp__sweep(ctx, plan->phase, rows, job->parts, convert_storage_count_part, job, err));
        HSP__TRY(convert_storage_fail(job, err));
        stored = hsp__starts_from_counts(job->starts, rows);
    }
    HSP__TRY(hsp__data_shape(ctx, plan->storage, plan->precision, rows, plan->cols, stored,
                             from->labels != NULL, err, &job->to));
    if (sparse) memcpy(job->to->starts, job->starts, (rows + 1) * sizeof *job->starts);
    HSP__TRY(hsp__sweep(ctx, plan->phase, rows, job->parts, convert_storage_fill_part, job, err));
    HSP__TRY(convert_storage_fail(job, err));
    HSP__TRY(hsp__data_copy_names(job->to, data, err));
    job->to->view.classes = from->classes;
    /* a float that was rounded is not what was read, in a double either; nor is a double that
     * nobody counted the digits of, in a float */
    const int lost =
        !hsp__data_is_exact(data) &&
        (plan->precision > from->precision ? data->digits > 0 : plan->precision < from->precision);
    if (!plan->factor && !plan->unit_rows && !plan->votes)
        job->to->digits = lost ? hsp__decimal_widest_digits(HSP__DECIMAL_LONG) : data->digits;
    if (plan->precision == HSP_FLOAT64) memcpy(job->to->why, data->why, sizeof data->why);
    for (uint64_t part = 0; part < job->parts; part++)
        job->to->nonzeros += job->nonzeros[part];
    hsp__data_seal(job->to);
    return HSP_OK;
}

hsp_status hsp__data_convert_storage(hsp_context *ctx, hsp_data *data,
                                     const hsp__storage_change *plan, hsp_error *err,
                                     hsp_data **out)
{
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    hsp__scratch scratch = {.memory = &ctx->allocator};
    convert_storage_job job = {.plan = plan, .from = view, .parts = hsp__sweep_parts(data)};
    job.faults = hsp__scratch_new(&scratch, job.parts, sizeof *job.faults);
    job.nonzeros = hsp__scratch_new(&scratch, job.parts, sizeof *job.nonzeros);
    if (plan->storage != HSP_DENSE)
        job.starts = hsp__scratch_raw(&scratch, view->rows + 1, sizeof *job.starts);
    hsp_status status =
        scratch.failed ? hsp__fail_memory(err) : convert_storage_run(ctx, data, &job, err);
    hsp__scratch_free(&scratch);
    HSP__GIVE(status, job.to, hsp_data_free, out);
}

/* ---- Some rows of a data set -------------------------------------------------------------- */

/* A data set of some rows of another. */

typedef struct select_job {
    const hsp_view *from;
    hsp_data *to;
    const uint64_t *rows; /* count: the rows of `from` that become 0, 1, ... */
    uint64_t count, parts;
    uint64_t *nonzeros; /* parts */
} select_job;

static void select_part(void *user, uint64_t part)
{
    select_job *job = user;
    const hsp_view *from = job->from;
    const size_t bytes = hsp__value_bytes(from->precision);
    hsp_data *to = job->to;
    const uint64_t stride = to->view.stride, end = hsp__part(job->count, job->parts, part + 1);
    for (uint64_t k = hsp__part(job->count, job->parts, part); k < end; k++) {
        const hsp__row row = hsp__view_row(from, job->rows[k]);
        const uint64_t at = from->storage == HSP_DENSE ? k * stride : to->starts[k];
        if (row.indices && row.count)
            memcpy(to->indices + at, row.indices, row.count * sizeof *row.indices);
        if (row.values && row.count)
            memcpy((char *)to->values + at * bytes, row.values, row.count * bytes);
        if (from->storage == HSP_DENSE)
            memset((char *)to->values + (at + row.count) * bytes, 0, (stride - row.count) * bytes);
        if (from->labels) to->labels[k] = from->labels[job->rows[k]];
        for (uint64_t e = 0; e < row.count; e++)
            job->nonzeros[part] += hsp__row_value(from, &row, e) != 0;
    }
}

/* What a data set has for every row, besides its values; NULL: nothing. */
static hsp_status select_per_row(const void *from, size_t size, const select_job *job,
                                 hsp_error *err, void **out)
{
    if (!from) return HSP_OK;
    char *to = hsp__new_raw(&job->to->memory, job->count, size);
    if (!to) return hsp__fail_memory(err);
    *out = to;
    for (uint64_t k = 0; k < job->count; k++)
        memcpy(to + k * size, (const char *)from + job->rows[k] * size, size);
    return HSP_OK;
}

static hsp_status select_run(hsp_context *ctx, hsp_data *data, select_job *job, hsp_error *err)
{
    const hsp_view *from = job->from;
    uint64_t stored = 0;
    for (uint64_t k = 0; from->storage != HSP_DENSE && k < job->count; k++)
        stored += hsp__view_row(from, job->rows[k]).count;
    HSP__TRY(hsp__data_shape(ctx, from->storage, from->precision, job->count, from->cols, stored,
                             from->labels != NULL, err, &job->to));
    for (uint64_t k = 0; from->storage != HSP_DENSE && k < job->count; k++)
        job->to->starts[k + 1] = job->to->starts[k] + hsp__view_row(from, job->rows[k]).count;
    HSP__TRY(hsp__sweep(ctx, "selecting", job->count, job->parts, select_part, job, err));
    HSP__TRY(hsp__data_copy_names(job->to, data, err));
    HSP__TRY(select_per_row(data->row_weights, sizeof(double), job, err,
                            (void **)&job->to->row_weights));
    HSP__TRY(select_per_row(data->groups, sizeof(uint32_t), job, err, (void **)&job->to->groups));
    HSP__TRY(select_per_row(data->times, sizeof(double), job, err, (void **)&job->to->times));
    job->to->view.classes = from->classes;
    job->to->digits = data->digits;
    memcpy(job->to->why, data->why, sizeof data->why);
    for (uint64_t part = 0; part < job->parts; part++)
        job->to->nonzeros += job->nonzeros[part];
    hsp__data_seal(job->to);
    return HSP_OK;
}

hsp_status hsp_data_select(hsp_context *ctx, hsp_data *data, const uint64_t *rows, uint64_t count,
                           hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, data, out);
    if (count) HSP__NEED(err, rows);
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    for (uint64_t k = 0; k < count; k++)
        if (rows[k] >= view->rows)
            return hsp__fail(err, HSP_USAGE, "row %llu does not exist; the data has rows 0 to %lld",
                             (unsigned long long)rows[k], (long long)view->rows - 1);
    uint64_t bytes = view->rows ? hsp_view_stored(view) / view->rows * sizeof(double) : 0;
    select_job job = {.from = view, .rows = rows, .count = count};
    job.parts = hsp__parts(count, 16 + bytes);
    job.nonzeros = hsp__new(&ctx->allocator, job.parts, sizeof *job.nonzeros);
    hsp_status status = job.nonzeros ? select_run(ctx, data, &job, err) : hsp__fail_memory(err);
    hsp__free(&ctx->allocator, job.nonzeros);
    HSP__GIVE(status, job.to, hsp_data_free, out);
}

/* ---- The rows of two data sets --------------------------------------------------------------- */

/* Append the rows of `from`, which has the storage and precision of `to`, as its rows from `at` on. */
static void join_append(hsp_data *to, uint64_t at, const hsp_view *from)
{
    const size_t bytes = hsp__value_bytes(from->precision);
    for (uint64_t i = 0; i < from->rows; i++) {
        const hsp__row row = hsp__view_row(from, i);
        const int dense = from->storage == HSP_DENSE;
        const uint64_t begin = dense ? (at + i) * to->view.stride : to->starts[at + i];
        const uint64_t room = dense ? to->view.stride : row.count;
        if (!dense) to->starts[at + i + 1] = begin + row.count;
        if (row.indices && row.count)
            memcpy(to->indices + begin, row.indices, row.count * sizeof *row.indices);
        if (!row.values) continue;
        char *values = (char *)to->values + begin * bytes;
        if (row.count) memcpy(values, row.values, row.count * bytes);
        if (room > row.count) memset(values + row.count * bytes, 0, (room - row.count) * bytes);
    }
}

hsp_status hsp__data_join(hsp_context *ctx, hsp_data *first, hsp_data *second, hsp_error *err,
                          hsp_data **out)
{
    const hsp_storage one = first->view.storage, two = second->view.storage;
    const hsp_precision finer = first->view.precision > second->view.precision
                                    ? first->view.precision
                                    : second->view.precision;
    const hsp__storage_change plan = {
        .storage = two == HSP_ONES ? (one == HSP_ONES ? two : HSP_SPARSE) : two,
        .precision = finer,
        .cols = second->view.cols,
        .phase = "joining"};
    hsp_data *a = NULL, *b = NULL, *joint = NULL;
    assert(first->view.cols <= second->view.cols);
    hsp_status status = hsp__data_convert_storage(ctx, first, &plan, err, &a);
    if (!status) status = hsp__data_convert_storage(ctx, second, &plan, err, &b);
    if (!status)
        status =
            hsp__data_shape(ctx, plan.storage, finer, a->view.rows + b->view.rows, plan.cols,
                            hsp_view_stored(&a->view) + hsp_view_stored(&b->view), 0, err, &joint);
    if (!status) {
        join_append(joint, 0, &a->view);
        join_append(joint, a->view.rows, &b->view);
        joint->nonzeros = a->nonzeros + b->nonzeros;
        status = hsp__data_copy_names(joint, second, err);
    }
    if (!status) hsp__data_seal(joint);
    hsp_data_free(a);
    hsp_data_free(b);
    HSP__GIVE(status, joint, hsp_data_free, out);
}
