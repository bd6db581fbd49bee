#include "data/sweep.h"

#include "base/base.h"
#include "base/paging.h"

#define SWEEP_REPORTS 64 /* about how often a pass reports its progress */
#define SWEEP_LANES   8

uint64_t hsp__sweep_parts(const hsp_data *data)
{
    uint64_t rows = data->view.rows, nonzeros = data->nonzeros;
    return hsp__parts(rows, 16 + (rows ? nonzeros / rows * sizeof(double) : 0));
}

typedef struct sweep_slice {
    void (*fn)(void *user, uint64_t part);
    void *user;
    uint64_t first;
} sweep_slice;

static void sweep_task(void *user, uint64_t task)
{
    const sweep_slice *slice = user;
    slice->fn(slice->user, slice->first + task);
}

hsp_status hsp__sweep(hsp_context *ctx, const char *phase, uint64_t rows, uint64_t parts,
                      void (*fn)(void *user, uint64_t part), void *user, hsp_error *err)
{
    uint64_t step = parts;
    if (ctx->progress) {
        const uint64_t threads = (uint64_t)hsp_context_threads(ctx);
        step = parts / SWEEP_REPORTS < threads ? threads : parts / SWEEP_REPORTS;
    }
    for (uint64_t part = 0; part < parts; part += step) {
        if (step > parts - part) step = parts - part;
        sweep_slice slice = {fn, user, part};
        hsp__tasks_run(ctx, step, sweep_task, &slice);
        HSP__TRY(hsp__progress(ctx, phase, "rows", hsp__part(rows, parts, part + step), rows, err));
    }
    return HSP_OK;
}

static double sweep_square_sum(const hsp_view *view, const hsp__row *row, double scale)
{
    double sums[SWEEP_LANES] = {0};
    for (uint64_t k = 0; k < row->count; k++) {
        double v = hsp__row_value(view, row, k) * scale;
        sums[hsp__row_column(row, k) % SWEEP_LANES] += v * v;
    }
    for (int half = SWEEP_LANES / 2; half; half /= 2)
        for (int j = 0; j < half; j++)
            sums[j] += sums[j + half];
    return sums[0];
}

double hsp__row_norm(const hsp_view *view, const hsp__row *row)
{
    double plain = sweep_square_sum(view, row, 1);
    if (plain >= 0x1p-900 && plain <= 0x1p900) return sqrt(plain);
    double most = 0;
    for (uint64_t k = 0; k < row->count; k++)
        most = fmax(most, fabs(hsp__row_value(view, row, k)));
    if (most == 0) return 0;
    double scale = most > 1 ? 0x1p-600 : 0x1p600;
    return sqrt(sweep_square_sum(view, row, scale)) / scale;
}

typedef struct sweep_norms {
    const hsp_view *view;
    uint64_t parts;
    double *most; /* parts: the largest norm in each */
} sweep_norms;

static void sweep_norm_part(void *user, uint64_t part)
{
    sweep_norms *norms = user;
    uint64_t to = hsp__part(norms->view->rows, norms->parts, part + 1);
    for (uint64_t i = hsp__part(norms->view->rows, norms->parts, part); i < to; i++) {
        hsp__row row = hsp__view_row(norms->view, i);
        norms->most[part] = fmax(norms->most[part], hsp__row_norm(norms->view, &row));
    }
}

hsp_status hsp__largest_norm(hsp_context *ctx, const hsp_data *data, hsp_error *err, double *norm)
{
    sweep_norms norms = {.view = &data->view, .parts = hsp__sweep_parts(data)};
    norms.most = hsp__new(&ctx->allocator, norms.parts, sizeof *norms.most);
    if (!norms.most) return hsp__fail_memory(err);
    hsp_status status =
        hsp__sweep(ctx, "measuring", norms.view->rows, norms.parts, sweep_norm_part, &norms, err);
    double most = 0;
    for (uint64_t part = 0; part < norms.parts; part++)
        most = fmax(most, norms.most[part]);
    hsp__shard_max(ctx, &most, 1);
    hsp__free(&ctx->allocator, norms.most);
    if (!status) *norm = most;
    return status;
}

/* ---- Columns ------------------------------------------------------------------------------ */

#define COLUMNS_PARTS 16
/* Beyond these magnitudes a column is computed in other units, so that squares neither overflow nor
 * vanish. */
#define COLUMNS_LARGE 0x1p400
#define COLUMNS_SMALL 0x1p-400

/* What one part of the rows adds to one column. Only non-zeros are looked at: the zeros are counted
 * in at the end. */
typedef struct columns_first {
    double min, max, sum;
    uint64_t nonzeros, hash[2];
} columns_first;

typedef struct columns_second {
    double sum, squares; /* of (x unit - mean) */
} columns_second;

typedef struct columns_job {
    const hsp_context *ctx;
    const hsp_view *view;
    uint64_t rows; /* of all ranks, if they are divided */
    int hashes;
    uint64_t parts;
    columns_first *first;         /* parts * cols */
    columns_second *second;       /* parts * cols */
    hsp__column_figures *columns; /* cols */
    double *units;                /* cols: powers of two; NULL: all 1 */
    double *means;                /* cols: in these units */
} columns_job;

static void columns_first_part(void *user, uint64_t part)
{
    columns_job *job = user;
    const hsp_view *view = job->view;
    columns_first *all = job->first + part * view->cols;
    for (uint64_t j = 0; j < view->cols; j++)
        all[j] = (columns_first){.min = HUGE_VAL, .max = -HUGE_VAL};
    uint64_t to = hsp__part(view->rows, job->parts, part + 1);
    for (uint64_t i = hsp__part(view->rows, job->parts, part); i < to; i++) {
        hsp__paging_row(&job->ctx->allocator, i);
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            double v = hsp__row_value(view, &row, k);
            if (v == 0) continue;
            uint64_t j = hsp__row_column(&row, k);
            columns_first *at = &all[j];
            at->min = v < at->min ? v : at->min;
            at->max = v > at->max ? v : at->max;
            at->sum += job->units ? v * job->units[j] : v;
            at->nonzeros++;
            if (job->hashes) hsp__hash_entry(i, v, at->hash);
        }
    }
}

static void columns_second_rows(const columns_job *job, uint64_t from, uint64_t to,
                                columns_second *all)
{
    const hsp_view *view = job->view;
    for (uint64_t i = from; i < to; i++) {
        hsp__paging_row(&job->ctx->allocator, i);
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            double v = hsp__row_value(view, &row, k);
            if (v == 0) continue;
            uint64_t j = hsp__row_column(&row, k);
            double d = (job->units ? v * job->units[j] : v) - job->means[j];
            all[j].sum += d;
            all[j].squares += d * d;
        }
    }
}

static void columns_second_part(void *user, uint64_t part)
{
    columns_job *job = user;
    const uint64_t rows = job->view->rows;
    columns_second_rows(job, hsp__part(rows, job->parts, part),
                        hsp__part(rows, job->parts, part + 1),
                        job->second + part * job->view->cols);
}

/* ---- Columns of rows that are divided among ranks: one part, the sum of all blocks ------------ */

static void columns_first_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    const columns_job *job = user;
    const hsp_view *view = job->view;
    (void)block;
    for (uint64_t i = from; i < to; i++) {
        hsp__paging_row(&job->ctx->allocator, i);
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const double v = hsp__row_value(view, &row, k);
            sum[j] += job->units ? v * job->units[j] : v;
        }
    }
}

static void columns_second_block(void *user, uint32_t block, uint64_t from, uint64_t to,
                                 double *sum)
{
    (void)block;
    columns_second_rows(user, from, to, (columns_second *)sum);
}

/* The first part has the figures of this rank's rows: they become those of all ranks' rows. */
static hsp_status columns_first_shard(hsp_context *ctx, columns_job *job, hsp_error *err)
{
    const uint64_t cols = job->view->cols;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *min = hsp__scratch_raw(&scratch, cols, sizeof *min);
    double *max = hsp__scratch_raw(&scratch, cols, sizeof *max);
    double *sum = hsp__scratch_raw(&scratch, cols, sizeof *sum);
    uint64_t *nonzeros = hsp__scratch_raw(&scratch, cols, sizeof *nonzeros);
    hsp_status status = hsp__shard_agree(ctx, scratch.failed ? hsp__fail_memory(err) : HSP_OK, err);
    if (!status) status = hsp__shard_sum(ctx, cols, columns_first_block, job, err, sum);
    for (uint64_t j = 0; !status && j < cols; j++) {
        min[j] = job->first[j].min;
        max[j] = job->first[j].max;
        nonzeros[j] = job->first[j].nonzeros;
    }
    if (!status) {
        hsp__shard_min(ctx, min, cols);
        hsp__shard_max(ctx, max, cols);
        hsp__shard_add(ctx, nonzeros, cols);
    }
    for (uint64_t j = 0; !status && j < cols; j++)
        job->first[j] =
            (columns_first){.min = min[j], .max = max[j], .sum = sum[j], .nonzeros = nonzeros[j]};
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- The passes ------------------------------------------------------------------------------ */

/* Put the parts of the first pass together, in their order. */
static void columns_first_end(columns_job *job)
{
    const uint64_t cols = job->view->cols, rows = job->rows;
    for (uint64_t j = 0; j < cols; j++) {
        columns_first all = job->first[j];
        for (uint64_t part = 1; part < job->parts; part++) {
            const columns_first *next = &job->first[part * cols + j];
            all.min = fmin(all.min, next->min);
            all.max = fmax(all.max, next->max);
            all.sum += next->sum;
            all.nonzeros += next->nonzeros;
            all.hash[0] += next->hash[0];
            all.hash[1] += next->hash[1];
        }
        if (all.nonzeros < rows || !rows) {
            all.min = all.min < 0 ? all.min : 0;
            all.max = all.max > 0 ? all.max : 0;
        }
        job->columns[j] = (hsp__column_figures){.min = all.min,
                                                .max = all.max,
                                                .nonzeros = all.nonzeros,
                                                .hash = {all.hash[0], all.hash[1]}};
        if (job->means) job->means[j] = rows ? all.sum / (double)rows : 0;
    }
}

static void columns_second_end(columns_job *job)
{
    const uint64_t cols = job->view->cols, rows = job->rows;
    const double n = (double)rows;
    for (uint64_t j = 0; rows && j < cols; j++) {
        hsp__column_figures *column = &job->columns[j];
        double mean = job->means[j], unit = job->units ? job->units[j] : 1;
        double zeros = (double)(rows - column->nonzeros);
        double sum = -zeros * mean, squares = zeros * mean * mean;
        for (uint64_t part = 0; part < job->parts; part++) {
            sum += job->second[part * cols + j].sum;
            squares += job->second[part * cols + j].squares;
        }
        double variance = (squares - sum * sum / n) / n;
        column->mean = (mean + sum / n) / unit;
        column->stdev = variance > 0 ? sqrt(variance) / unit : 0;
        if (column->min == column->max) {
            column->mean = column->min;
            column->stdev = 0;
        }
    }
}

static hsp_status columns_moments(hsp_context *ctx, hsp__scratch *scratch, columns_job *job,
                                  const char *phase, hsp_error *err)
{
    const uint64_t rows = job->view->rows, cols = job->view->cols;
    /* Columns of numbers whose squares leave the range of a double get a unit of their own. */
    for (uint64_t j = 0; j < cols; j++) {
        double most = fmax(fabs(job->columns[j].min), fabs(job->columns[j].max));
        if (most <= COLUMNS_LARGE && (most >= COLUMNS_SMALL || most == 0)) continue;
        if (!job->units) {
            job->units = hsp__scratch_raw(scratch, cols, sizeof *job->units);
            if (!job->units) return hsp__fail_memory(err);
            for (uint64_t k = 0; k < cols; k++)
                job->units[k] = 1;
        }
        job->units[j] = most > 1 ? 0x1p-600 : 0x1p600;
    }
    if (job->units) {
        HSP__TRY(hsp__sweep(ctx, phase, rows, job->parts, columns_first_part, job, err));
        if (ctx->shard) HSP__TRY(columns_first_shard(ctx, job, err));
        columns_first_end(job);
    }
    job->second = hsp__scratch_new(scratch, job->parts * cols, sizeof *job->second);
    HSP__TRY(hsp__shard_agree(ctx, job->second ? HSP_OK : hsp__fail_memory(err), err));
    if (ctx->shard)
        HSP__TRY(
            hsp__shard_sum(ctx, 2 * cols, columns_second_block, job, err, (double *)job->second));
    else
        HSP__TRY(hsp__sweep(ctx, phase, rows, job->parts, columns_second_part, job, err));
    columns_second_end(job);
    return HSP_OK;
}

hsp_status hsp__columns(hsp_context *ctx, hsp_data *data, int what, const char *phase,
                        hsp_error *err, hsp__column_figures **out)
{
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    const uint64_t cols = view->cols;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    columns_job job = {
        .ctx = ctx, .view = view, .rows = view->rows, .hashes = what & HSP__COLUMNS_HASHES};
    /* Parts cost memory in proportion to the columns: as many as the non-zeros pay for. */
    const uint64_t paid = cols ? data->nonzeros / (16 * cols) + 1 : 1;
    job.parts = hsp__sweep_parts(data);
    if (job.parts > paid) job.parts = paid;
    if (job.parts > COLUMNS_PARTS) job.parts = COLUMNS_PARTS;
    if (ctx->shard) job.parts = 1, job.rows = ctx->shard->rows;
    job.columns = hsp__new(&ctx->allocator, cols, sizeof *job.columns);
    job.first = hsp__scratch_raw(&scratch, job.parts * cols, sizeof *job.first);
    if (what & HSP__COLUMNS_MOMENTS)
        job.means = hsp__scratch_new(&scratch, cols, sizeof *job.means);
    hsp_status status = HSP_OK;
    if (!job.columns || scratch.failed)
        status = hsp__fail(err, HSP_NO_MEMORY, "out of memory for the figures of %llu columns",
                           (unsigned long long)cols);
    status = hsp__shard_agree(ctx, status, err);
    if (!status)
        status = hsp__sweep(ctx, phase, view->rows, job.parts, columns_first_part, &job, err);
    if (!status && ctx->shard) status = columns_first_shard(ctx, &job, err);
    if (!status) columns_first_end(&job);
    if (!status && what & HSP__COLUMNS_MOMENTS)
        status = columns_moments(ctx, &scratch, &job, phase, err);
    if (status)
        hsp__free(&ctx->allocator, job.columns);
    else
        *out = job.columns;
    hsp__scratch_free(&scratch);
    return status;
}
