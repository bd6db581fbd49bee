/* Scaling: x_j <- (x_j - shift_j) * factor_j, or every row divided by its own norm.
 *
 *     kind        shift_j                factor_j
 *     min-max     min - low / factor     (high - low) / (max - min)
 *     standard    mean                   1 / stdev
 *     max-abs     0                      1 / max |x_j|
 *     unit-ball   0                      1 / max over rows of ||x||
 *     unit-rows   (each row divided by ||x||; rows of zeros stay)
 *     sign        (1 above 0, -1 below, 0 stays)
 *     bit         (1 above 0, else 0)
 *     votes       (columns that hold 0 and 1 only: bit; the others: sign)
 *
 * The last three make votes of numbers (docs/experts.md). They move no zeros; what is below 0
 * becomes -factor_j, which is 1 for sign and 0 for bit. When all columns are of one kind, votes is
 * that kind.
 *
 * To shift the columns of sparse rows fills them. Rows that take at most SCALE_DENSE bytes when dense
 * become dense; a scaling that is fitted to more has no shifts.
 *
 * A column of one value has no range to divide by: its factor is 1, and its shift takes it to low
 * (min-max) or to 0 (standard). A column of zeros keeps its zeros (max-abs). */
#include "data/scale.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/container.h"
#include "data/formats.h"
#include "data/data.h"
#include "data/convert_storage.h"
#include "data/range_file.h"
#include "data/sweep.h"

#define SCALE_DENSE ((uint64_t)1 << 30)

typedef enum scale_kind {
    SCALE_MIN_MAX,
    SCALE_STANDARD,
    SCALE_MAX_ABS,
    SCALE_UNIT_ROWS,
    SCALE_UNIT_BALL,
    SCALE_SIGN,
    SCALE_BIT,
    SCALE_VOTES,
    SCALE_KINDS
} scale_kind;

static const char *const scale_names[] = {"min-max",   "standard", "max-abs", "unit-rows",
                                          "unit-ball", "sign",     "bit",     "votes"};

static const hsp_option scale_options[] = {
    {"kind", HSP_OPTION_CHOICE, "standard", 0, 0,
     "min-max|standard|max-abs|unit-rows|unit-ball|sign|bit|votes", NULL,
     "kind of scaling: of columns (min-max, standard, max-abs), of rows, of all rows by the "
     "largest; or votes"},
    {"low", HSP_OPTION_REAL, "0", -1e300, 1e300, NULL, "X", "min-max: new minimum"},
    {"high", HSP_OPTION_REAL, "1", -1e300, 1e300, NULL, "X", "min-max: new maximum"},
};

static const hsp_option_table scale_table = {"scale", "options of scaling", scale_options,
                                             sizeof scale_options / sizeof *scale_options};

const hsp_option_table *hsp_scale_options(void)
{
    return &scale_table;
}

struct hsp_scaling {
    hsp_allocator memory;
    scale_kind kind;
    double low, high;
    const char *range; /* from svm-scale: its first column's number, "0" or "1"; NULL: not */
    uint64_t cols;
    double *shift;  /* cols */
    double *factor; /* cols */
};

void hsp_scaling_free(hsp_scaling *scaling)
{
    if (!scaling) return;
    hsp_allocator memory = scaling->memory;
    hsp__free(&memory, scaling);
}

const char *hsp_scaling_kind(const hsp_scaling *scaling)
{
    return scaling ? scale_names[scaling->kind] : NULL;
}

uint64_t hsp_scaling_cols(const hsp_scaling *scaling)
{
    return scaling ? scaling->cols : 0;
}

double hsp_scaling_shift(const hsp_scaling *scaling, uint64_t column)
{
    if (!scaling) return (double)NAN;
    return column < scaling->cols ? scaling->shift[column] : 0;
}

double hsp_scaling_factor(const hsp_scaling *scaling, uint64_t column)
{
    if (!scaling) return (double)NAN;
    return column < scaling->cols ? scaling->factor[column] : 1;
}

/* A scaling that changes nothing. One block: the scaling, and its numbers behind it. */
static hsp_scaling *scale_new(hsp_context *ctx, uint64_t cols)
{
    hsp_scaling *scaling =
        hsp__new(&ctx->allocator, sizeof *scaling + 2 * cols * sizeof(double), 1);
    if (!scaling) return NULL;
    scaling->memory = ctx->allocator;
    scaling->cols = cols;
    scaling->shift = (double *)(scaling + 1);
    scaling->factor = scaling->shift + cols;
    for (uint64_t j = 0; j < cols; j++)
        scaling->factor[j] = 1;
    return scaling;
}

static int scale_find_kind(const char *name, scale_kind *kind)
{
    for (int k = 0; k < SCALE_KINDS; k++) {
        if (strcmp(name, scale_names[k]) != 0) continue;
        *kind = (scale_kind)k;
        return 1;
    }
    return 0;
}

static hsp_status scale_read_options(hsp_scaling *scaling, const hsp_options *options,
                                     hsp_error *err)
{
    scaling->kind = SCALE_STANDARD;
    scaling->low = 0;
    scaling->high = 1;
    if (!options) return HSP_OK;
    scale_find_kind(hsp_options_text(options, "kind"), &scaling->kind);
    scaling->low = hsp_options_real(options, "low");
    scaling->high = hsp_options_real(options, "high");
    if (scaling->low < scaling->high) return HSP_OK;
    return hsp__fail(err, HSP_USAGE, "low is %.9g and high is %.9g, expected low < high",
                     scaling->low, scaling->high);
}

static hsp_status scale_fit_columns(hsp_context *ctx, hsp_scaling *scaling, hsp_data *data,
                                    hsp_error *err)
{
    const double low = scaling->low, high = scaling->high;
    hsp__column_figures *columns = NULL;
    int what = scaling->kind == SCALE_STANDARD ? HSP__COLUMNS_MOMENTS : 0;
    hsp_status status = hsp__columns(ctx, data, what, "measuring", err, &columns);
    for (uint64_t j = 0; !status && j < scaling->cols; j++) {
        const hsp__column_figures *column = &columns[j];
        const int constant = column->min == column->max;
        double *shift = &scaling->shift[j], *factor = &scaling->factor[j];
        if (scaling->kind == SCALE_MIN_MAX) {
            *factor = constant ? 1 : (high - low) / (column->max - column->min);
            *shift = column->min - low / *factor;
        } else if (scaling->kind == SCALE_STANDARD) {
            *factor = constant ? 1 : 1 / column->stdev;
            *shift = column->mean;
        } else {
            double most = fmax(fabs(column->min), fabs(column->max));
            *factor = most > 0 ? 1 / most : 1;
        }
        if (!isfinite(*shift) || !isfinite(*factor) || *factor == 0)
            status = hsp__fail(err, HSP_BAD_DATA,
                               "column %llu runs from %.9g to %.9g: its %s scaling is out of range",
                               (unsigned long long)j + 1, column->min, column->max,
                               scale_names[scaling->kind]);
    }
    hsp__free(&ctx->allocator, columns);
    return status;
}

/* Which columns speak below 0 too: those with a value other than 0 and 1. */
static void scale_fit_votes(hsp_scaling *scaling, const hsp_view *view)
{
    uint64_t signs = 0;
    memset(scaling->factor, 0, scaling->cols * sizeof *scaling->factor);
    for (uint64_t i = 0; view->storage != HSP_ONES && i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double v = hsp__row_value(view, &row, k);
            if (v != 0 && v != 1) scaling->factor[hsp__row_column(&row, k)] = 1;
        }
    }
    for (uint64_t j = 0; j < scaling->cols; j++)
        signs += scaling->factor[j] != 0;
    if (signs == scaling->cols) scaling->kind = SCALE_SIGN;
    if (signs == 0) scaling->kind = SCALE_BIT;
}

int hsp__scaling_any_columns(const hsp_scaling *scaling)
{
    return scaling->kind == SCALE_UNIT_ROWS || scaling->kind == SCALE_SIGN ||
           scaling->kind == SCALE_BIT;
}

int hsp__scaling_is_votes(const hsp_scaling *scaling)
{
    return scaling->kind == SCALE_SIGN || scaling->kind == SCALE_BIT ||
           scaling->kind == SCALE_VOTES;
}

/* The first column whose zeros move; cols when none does. */
static uint64_t scale_first_shift(const hsp_scaling *scaling)
{
    uint64_t j = 0;
    while (j < scaling->cols && scaling->shift[j] == 0)
        j++;
    return j;
}

int hsp__scaling_moves_zeros(const hsp_scaling *scaling)
{
    return scale_first_shift(scaling) < scaling->cols;
}

/* May the rows (of all ranks, if they are divided) become dense? */
static int scale_may_fill(const hsp_context *ctx, const hsp_view *view)
{
    const uint64_t bytes = hsp__value_bytes(view->precision);
    const uint64_t rows = ctx->shard ? ctx->shard->rows : view->rows;
    return !view->cols || !rows || rows <= SCALE_DENSE / bytes / view->cols;
}

/* A fitted scaling of sparse rows that cannot become dense leaves zeros where they are. */
static void scale_keep_zeros(hsp_context *ctx, hsp_scaling *scaling, const hsp_view *view)
{
    if (view->storage == HSP_DENSE || scale_may_fill(ctx, view) ||
        !hsp__scaling_moves_zeros(scaling))
        return;
    memset(scaling->shift, 0, scaling->cols * sizeof *scaling->shift);
    hsp__log(ctx, HSP_LOG_NOTE,
             "%s scaling without centring: %llu x %llu dense rows would need more than 1 GiB, so "
             "zeros stay zeros and columns are divided by their %s",
             scale_names[scaling->kind], (unsigned long long)view->rows,
             (unsigned long long)view->cols,
             scaling->kind == SCALE_STANDARD ? "standard deviation" : "range");
}

hsp_status hsp_scaling_fit(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                           hsp_error *err, hsp_scaling **out)
{
    HSP__NEED(err, ctx, data, out);
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    hsp_scaling *scaling = scale_new(ctx, view->cols);
    hsp_status status = scaling ? scale_read_options(scaling, options, err) : hsp__fail_memory(err);
    status = hsp__shard_agree(ctx, status, err);
    double factor = 1;
    if (!status && scaling->kind == SCALE_UNIT_BALL) {
        double most = 1;
        status = hsp__largest_norm(ctx, data, err, &most);
        factor = most > 0 ? 1 / most : 1;
        if (!status && (!isfinite(factor) || factor == 0))
            status =
                hsp__fail(err, HSP_BAD_DATA, "the largest row norm is %.9g, out of range", most);
    } else if (!status && scaling->kind == SCALE_VOTES) {
        scale_fit_votes(scaling, view);
    } else if (!status && !hsp__scaling_any_columns(scaling)) {
        status = scale_fit_columns(ctx, scaling, data, err);
        if (!status) scale_keep_zeros(ctx, scaling, view);
    }
    const int same = !status && (scaling->kind == SCALE_UNIT_BALL || scaling->kind == SCALE_BIT);
    for (uint64_t j = 0; same && j < scaling->cols; j++)
        scaling->factor[j] = scaling->kind == SCALE_BIT ? 0 : factor;
    HSP__GIVE(status, scaling, hsp_scaling_free, out);
}

hsp_status hsp__scaling_fit_kind(hsp_context *ctx, hsp_data *data, const char *kind, hsp_error *err,
                                 hsp_scaling **out)
{
    hsp_options *options = NULL;
    hsp_status status = hsp_options_new(ctx, hsp_scale_options(), err, &options);
    if (!status) status = hsp_options_set(options, "kind", kind, err);
    status = hsp__shard_agree(ctx, status, err);
    if (!status) status = hsp_scaling_fit(ctx, data, options, err, out);
    hsp_options_free(options);
    return status;
}

/* ---- Applying -------------------------------------------------------------------------------- */

/* A file that names fewer columns has zeros in the others; one with more, or with columns that have
 * names, is another kind of data. Rows are divided by their norm however many columns they have. */
static hsp_status scale_check_columns(const hsp_scaling *scaling, const hsp_data *data,
                                      hsp_error *err)
{
    const uint64_t cols = data->view.cols;
    if (hsp__scaling_any_columns(scaling) || cols == scaling->cols) return HSP_OK;
    if (cols < scaling->cols && data->feature_names.count == 0) return HSP_OK;
    return hsp__fail(err, HSP_USAGE, "the data has %llu columns, the scaling was made for %llu",
                     (unsigned long long)cols, (unsigned long long)scaling->cols);
}

int hsp__scaling_is_by_rows(const hsp_scaling *scaling)
{
    return scaling->kind == SCALE_UNIT_ROWS;
}

int hsp__scaling_abstains(const hsp_scaling *scaling, uint64_t column)
{
    if (scaling->kind == SCALE_VOTES) return hsp_scaling_factor(scaling, column) > 0;
    return scaling->kind != SCALE_BIT;
}

int hsp__scaling_same(const hsp_scaling *a, const hsp_scaling *b)
{
    if (!a || !b) return a == b;
    if (hsp__scaling_is_by_rows(a) != hsp__scaling_is_by_rows(b)) return 0;
    if (hsp__scaling_is_votes(a) != hsp__scaling_is_votes(b)) return 0;
    if (hsp__scaling_is_votes(a) && (a->kind != SCALE_VOTES || b->kind != SCALE_VOTES))
        return a->kind == b->kind;
    const uint64_t m = hsp_scaling_cols(a), n = hsp_scaling_cols(b), cols = m > n ? m : n;
    for (uint64_t j = 0; j < cols; j++)
        if (hsp_scaling_shift(a, j) != hsp_scaling_shift(b, j) ||
            hsp_scaling_factor(a, j) != hsp_scaling_factor(b, j))
            return 0;
    return 1;
}

static hsp_status scale_apply(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                              hsp_storage storage, hsp_error *err, hsp_data **out)
{
    hsp__storage_change plan = {.storage = storage,
                                .precision = data->view.precision,
                                .cols = scaling->cols,
                                .shift = scaling->shift,
                                .factor = scaling->factor,
                                .phase = "scaling"};
    if (scaling->kind == SCALE_UNIT_ROWS) {
        plan.cols = data->view.cols;
        plan.shift = plan.factor = NULL;
        plan.unit_rows = 1;
    } else if (hsp__scaling_is_votes(scaling)) {
        plan.votes = 1;
        plan.below = scaling->kind == SCALE_BIT ? 0 : -1;
        plan.shift = NULL;
        if (scaling->kind != SCALE_VOTES) {
            plan.cols = data->view.cols;
            plan.factor = NULL;
        }
    }
    int keeps_ones = scaling->kind != SCALE_UNIT_ROWS;
    for (uint64_t j = 0; !plan.votes && j < scaling->cols; j++)
        keeps_ones &= scaling->factor[j] == 1;
    if (plan.storage == HSP_ONES && !keeps_ones) plan.storage = HSP_SPARSE;
    return hsp__data_convert_storage(ctx, data, &plan, err, out);
}

/* As svm-scale -r: columns without a range become 0, zeros of the others what they become. */
static hsp_status scale_apply_range(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                                    hsp_error *err, hsp_data **out)
{
    const hsp_view *view = &data->view;
    const int moves = hsp__scaling_moves_zeros(scaling);
    hsp_scaling *wide = NULL;
    if (data->index_base && strcmp(data->index_base, scaling->range) != 0)
        return hsp__fail(err, HSP_USAGE,
                         "the columns of the data are numbered from %s, those of the range file "
                         "from %s: set --index-base",
                         data->index_base, scaling->range);
    if (view->cols > scaling->cols) {
        hsp__log(ctx, HSP_LOG_WARNING,
                 "the range file ends with column %llu; the columns behind it become 0, as with "
                 "svm-scale",
                 (unsigned long long)scaling->cols);
        if (!(wide = scale_new(ctx, view->cols))) return hsp__fail_memory(err);
        memset(wide->factor, 0, view->cols * sizeof *wide->factor);
        memcpy(wide->shift, scaling->shift, scaling->cols * sizeof *wide->shift);
        memcpy(wide->factor, scaling->factor, scaling->cols * sizeof *wide->factor);
    }
    const hsp_storage storage = moves ? HSP_DENSE : view->storage;
    const hsp_status status = scale_apply(ctx, wide ? wide : scaling, data, storage, err, out);
    hsp_scaling_free(wide);
    return status;
}

hsp_status hsp_scaling_apply(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                             hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, scaling, data, out);
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    if (scaling->range) return scale_apply_range(ctx, scaling, data, err, out);
    HSP__TRY(scale_check_columns(scaling, data, err));
    const uint64_t shifted = scale_first_shift(scaling);
    if (view->storage == HSP_DENSE || shifted == scaling->cols)
        return scale_apply(ctx, scaling, data, view->storage, err, out);
    if (scale_may_fill(ctx, view)) return scale_apply(ctx, scaling, data, HSP_DENSE, err, out);
    return hsp__fail(err, HSP_USAGE,
                     "%s scaling turns the zeros of column %llu into non-zeros, and %llu x %llu "
                     "dense rows would need more than 1 GiB; use max-abs, or read the data with "
                     "--storage dense",
                     scale_names[scaling->kind], (unsigned long long)shifted + 1,
                     (unsigned long long)view->rows, (unsigned long long)view->cols);
}

hsp_status hsp__scaling_apply_filling(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                                      hsp_error *err, hsp_data **out)
{
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    HSP__TRY(scale_check_columns(scaling, data, err));
    hsp_storage storage = hsp__scaling_moves_zeros(scaling) ? HSP_DENSE : view->storage;
    return scale_apply(ctx, scaling, data, storage, err, out);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

hsp__scaling_parts hsp__scaling_look(const hsp_scaling *scaling)
{
    return (hsp__scaling_parts){scale_names[scaling->kind],
                                scaling->low,
                                scaling->high,
                                scaling->cols,
                                scaling->shift,
                                scaling->factor};
}

static int scale_is_finite(const double *x, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        if (!isfinite(x[j])) return 0;
    return 1;
}

hsp_status hsp__scaling_from(hsp_context *ctx, const hsp__scaling_parts *parts, hsp_error *err,
                             hsp_scaling **out)
{
    scale_kind kind;
    if (!scale_find_kind(parts->kind, &kind))
        return hsp__fail(err, HSP_BAD_DATA, "a scaling of an unknown kind");
    if (!isfinite(parts->low) || !isfinite(parts->high) ||
        !scale_is_finite(parts->shift, parts->cols) || !scale_is_finite(parts->factor, parts->cols))
        return hsp__fail(err, HSP_BAD_DATA, "a number of the scaling is not finite");
    hsp_scaling *scaling = scale_new(ctx, parts->cols);
    if (!scaling) return hsp__fail_memory(err);
    scaling->kind = kind;
    scaling->low = parts->low;
    scaling->high = parts->high;
    if (parts->cols) {
        memcpy(scaling->shift, parts->shift, parts->cols * sizeof *scaling->shift);
        memcpy(scaling->factor, parts->factor, parts->cols * sizeof *scaling->factor);
    }
    *out = scaling;
    return HSP_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

#define SCALE_FORMAT  "halfspace-scaling"
#define SCALE_VERSION "1"

hsp_status hsp_scaling_write(hsp_context *ctx, const hsp_scaling *scaling, const char *path,
                             hsp_error *err)
{
    HSP__NEED(err, ctx, scaling, path);
    char low[HSP__DECIMAL_MAX], high[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(scaling->low, low);
    hsp__decimal_print_f64(scaling->high, high);
    const hsp__meta meta[] = {{"format", SCALE_FORMAT},
                              {"version", SCALE_VERSION},
                              {"kind", scale_names[scaling->kind]},
                              {"low", low},
                              {"high", high}};
    const hsp__tensor tensors[] = {
        {"shift", HSP__F64, 1, {scaling->cols, 0}, scaling->shift},
        {"factor", HSP__F64, 1, {scaling->cols, 0}, scaling->factor},
    };
    return hsp__container_write(ctx, path, meta, sizeof meta / sizeof *meta, tensors,
                                sizeof tensors / sizeof *tensors, err);
}

/* A range file of svm-scale: it is applied as svm-scale does. */
static hsp_status scale_read_range(hsp_context *ctx, const char *path, hsp_error *err,
                                   hsp_scaling **out)
{
    hsp__range range = {0};
    HSP__TRY(hsp__range_read(ctx, path, err, &range));
    const hsp__scaling_parts parts = {"min-max",  range.low,   range.high,
                                      range.cols, range.shift, range.factor};
    const hsp_status status = hsp__scaling_from(ctx, &parts, err, out);
    if (!status) (*out)->range = range.base ? "1" : "0";
    hsp__range_free(ctx, &range);
    return status;
}

static int scale_meta_number(const hsp__container *file, const char *key, double *out)
{
    return hsp__decimal_text(hsp__container_meta(file, key), out);
}

/* The numbers of a tensor; NULL when it is not a list of doubles. */
static const double *scale_numbers(const hsp__container *file, const char *name, uint64_t *count)
{
    const hsp__tensor *tensor = hsp__container_tensor(file, name);
    if (!tensor || tensor->dtype != HSP__F64 || tensor->dims != 1) return NULL;
    *count = tensor->shape[0];
    return tensor->data;
}

static hsp_status scale_from_file(hsp_context *ctx, const hsp__container *file, hsp_error *err,
                                  hsp_scaling **out)
{
    const char *name = hsp__container_name(file);
    HSP__TRY(hsp__metadata_format(file, SCALE_FORMAT, err));
    const char *version = hsp__container_meta(file, "version");
    if (!version || strcmp(version, SCALE_VERSION) != 0)
        return hsp__fail_at(err, HSP_BAD_DATA, name, 0, 0,
                            "a scaling of a version other than " SCALE_VERSION);
    HSP__TRY(hsp__container_verify(ctx, file, err));
    uint64_t shifts = 0;
    hsp__scaling_parts parts = {.kind = hsp__container_meta(file, "kind")};
    parts.shift = scale_numbers(file, "shift", &shifts);
    parts.factor = scale_numbers(file, "factor", &parts.cols);
    hsp_status status = HSP_BAD_DATA;
    if (parts.kind && parts.shift && parts.factor && shifts == parts.cols &&
        scale_meta_number(file, "low", &parts.low) && scale_meta_number(file, "high", &parts.high))
        status = hsp__scaling_from(ctx, &parts, err, out);
    if (status != HSP_BAD_DATA) return status;
    return hsp__fail_at(err, HSP_BAD_DATA, name, 0, 0, "the scaling in this file is damaged");
}

hsp_status hsp_scaling_read(hsp_context *ctx, const char *path, hsp_error *err, hsp_scaling **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__container *file = NULL;
    hsp_file_kind kind = HSP_FILE_UNKNOWN;
    hsp_status status = hsp_file_kind_of(ctx, path, NULL, &kind);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    if (!status && kind == HSP_FILE_SVM_SCALE) return scale_read_range(ctx, path, err, out);
    status = hsp__container_open(ctx, path, err, &file);
    if (!status) status = scale_from_file(ctx, file, err, out);
    hsp__container_free(file);
    return hsp__kind_explain(ctx, path, HSP_FILE_SCALING, status, err);
}
