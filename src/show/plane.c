#include "show/plane.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/encode.h"
#include "data/sweep.h"
#include "show/geometry.h"

enum { PLANE_STEPS = 200, PLANE_ROWS = 5000 }; /* of the search for principal axes, at most */
enum { PLANE_NAME = 20 }; /* characters of a feature's name in the label of a principal axis */

/* ---- Features by name ---- */

static const char *plane_name(const hsp__plane *plane, uint64_t column)
{
    const char *name = hsp_data_feature_name(plane->data, column);
    if (!name && plane->model && column < hsp_model_features(plane->model))
        name = hsp_model_feature_name(plane->model, column);
    return name;
}

static void plane_label(const hsp__plane *plane, uint64_t column, char *label, size_t room)
{
    const char *name = plane_name(plane, column);
    if (name)
        snprintf(label, room, "%s", name);
    else
        snprintf(label, room, "column %llu", (unsigned long long)column + 1);
}

/* The column of categories with this name: a CSV column that became a feature per category. */
static int plane_categories(const hsp__plane *plane, const char *text, hsp__plane_axis *axis)
{
    const hsp_encoding *encoding = hsp_data_encoding(plane->data);
    uint64_t column = 0;
    for (uint32_t k = 0; encoding && k < encoding->names.count; k++) {
        const hsp__column *one = &encoding->columns[k];
        if (one->kind == HSP__COLUMN_CATEGORY &&
            strcmp(hsp__names_get(&encoding->names, k), text) == 0) {
            axis->kind = HSP__PLANE_CATEGORIES;
            axis->column = column;
            axis->count = one->values.count;
            snprintf(axis->label, sizeof axis->label, "%s", text);
            return axis->count > 0;
        }
        column += hsp__encoding_width(one);
    }
    return 0;
}

/* The feature that a user calls `text`: a name, else a number from 1. */
static hsp_status plane_find(const hsp__plane *plane, const char *option, const char *text,
                             hsp__plane_axis *axis, hsp_error *err)
{
    const uint64_t columns = plane->view->cols;
    uint64_t found = columns;
    char quoted[HSP__QUOTED];
    for (uint64_t j = 0; j < columns && found == columns; j++) {
        const char *name = plane_name(plane, j);
        if (name && strcmp(name, text) == 0) found = j;
    }
    if (found == columns && plane_categories(plane, text, axis)) return HSP_OK;
    char *end;
    const unsigned long long number = strtoull(text, &end, 10);
    if (found == columns && text[0] >= '0' && text[0] <= '9' && !*end && number >= 1 &&
        number <= columns)
        found = number - 1;
    if (found == columns)
        return hsp__fail_option(err, option, "found '%s', expected a feature's name, or 1 to %llu",
                                hsp__quote(text, strlen(text), quoted),
                                (unsigned long long)columns);
    axis->kind = HSP__PLANE_FEATURE;
    axis->column = found;
    plane_label(plane, found, axis->label, sizeof axis->label);
    return HSP_OK;
}

/* ---- Principal axes ---- */

/* Sum of direction_j * (x_j - mean_j) / deviation_j over the columns that vary. */
static double plane_along(const hsp__plane *plane, const double *direction, double shift,
                          uint64_t row)
{
    const hsp__row entries = hsp__view_row(plane->view, row);
    double sum = 0;
    for (uint64_t k = 0; k < entries.count; k++) {
        const uint64_t j = hsp__row_column(&entries, k);
        if (plane->deviation[j] > 0)
            sum += direction[j] * (hsp__row_value(plane->view, &entries, k) / plane->deviation[j]);
    }
    return sum - shift;
}

static double plane_shift(const hsp__plane *plane, const double *direction)
{
    double sum = 0;
    for (uint64_t j = 0; j < plane->view->cols; j++)
        if (plane->deviation[j] > 0) sum += direction[j] * (plane->mean[j] / plane->deviation[j]);
    return sum;
}

static double plane_normalise(double *v, uint64_t count)
{
    double sum = 0;
    for (uint64_t j = 0; j < count; j++)
        sum += v[j] * v[j];
    for (uint64_t j = 0; sum > 0 && j < count; j++)
        v[j] /= sqrt(sum);
    return sqrt(sum);
}

/* One step of the power method: out = Z' Z direction / count, without what lies along `other`. */
static double plane_step(const hsp__plane *plane, const uint64_t *sample, uint64_t count,
                         const double *direction, const double *other, double *out)
{
    const uint64_t cols = plane->view->cols;
    const double shift = plane_shift(plane, direction);
    double total = 0, along = 0;
    memset(out, 0, (size_t)cols * sizeof *out);
    for (uint64_t i = 0; i < count; i++) {
        const hsp__row entries = hsp__view_row(plane->view, sample[i]);
        const double t = plane_along(plane, direction, shift, sample[i]) / (double)count;
        total += t;
        for (uint64_t k = 0; k < entries.count; k++) {
            const uint64_t j = hsp__row_column(&entries, k);
            if (plane->deviation[j] > 0)
                out[j] += t * (hsp__row_value(plane->view, &entries, k) / plane->deviation[j]);
        }
    }
    for (uint64_t j = 0; j < cols; j++)
        if (plane->deviation[j] > 0) out[j] -= total * (plane->mean[j] / plane->deviation[j]);
    for (uint64_t j = 0; other && j < cols; j++)
        along += out[j] * other[j];
    for (uint64_t j = 0; other && j < cols; j++)
        out[j] -= along * other[j];
    return plane_normalise(out, cols);
}

/* The features that weigh most in a principal axis: "principal axis 1 (73% of variance):
 * + petal_length + petal_width - sepal_width". */
static void plane_principal_label(const hsp__plane *plane, hsp__plane_axis *axis, int number,
                                  double share)
{
    const uint64_t cols = plane->view->cols;
    uint64_t used[3];
    int size = snprintf(axis->label, sizeof axis->label,
                        "principal axis %d (%.0f%% of variance):", number, share * 100);
    for (int n = 0; n < 3 && n < (int)cols; n++) {
        uint64_t best = cols;
        for (uint64_t j = 0; j < cols; j++) {
            int taken = 0;
            for (int k = 0; k < n; k++)
                taken |= used[k] == j;
            if (!taken && (best == cols || fabs(axis->direction[j]) > fabs(axis->direction[best])))
                best = j;
        }
        if (fabs(axis->direction[best]) < 0.2) break;
        char whole[HSP__PLANE_LABEL], name[4 * PLANE_NAME + 4];
        plane_label(plane, best, whole, sizeof whole);
        hsp__clean_text(whole, PLANE_NAME, name);
        used[n] = best;
        if (size >= 0 && (size_t)size < sizeof axis->label)
            size += snprintf(axis->label + size, sizeof axis->label - (size_t)size, " %s %s",
                             axis->direction[best] < 0 ? "\xe2\x88\x92" : "+", name);
    }
    if (size > 0 && size < (int)sizeof axis->label && axis->label[size - 1] == ':')
        axis->label[size - 1] = 0;
}

/* From all rows, or a sample of many, whichever of them are drawn. */
static hsp_status plane_principal(hsp__plane *plane, const char *known, hsp_error *err)
{
    const hsp_view *view = plane->view;
    const uint64_t cols = view->cols, drawn = view->rows < PLANE_ROWS ? view->rows : PLANE_ROWS;
    double *next = hsp__scratch_new(&plane->memory, cols, sizeof *next), all = 0;
    uint64_t count = 0, *sample = hsp__scratch_raw(&plane->memory, drawn, sizeof *sample);
    if (plane->memory.failed) return hsp__fail_memory(err);
    HSP__TRY(hsp_data_sample(plane->data, drawn, 1, err, sample));
    for (uint64_t i = 0; i < drawn; i++)
        if (!known || !view->labels || known[view->labels[sample[i]]]) sample[count++] = sample[i];
    for (uint64_t j = 0; j < cols; j++)
        all += plane->deviation[j] > 0;
    for (int a = 0; a < 2; a++) {
        hsp__plane_axis *axis = &plane->axes[a];
        const double *other = a ? plane->axes[0].direction : NULL;
        double *v = hsp__scratch_new(&plane->memory, cols, sizeof *v), variance = 0;
        if (plane->memory.failed) return hsp__fail_memory(err);
        hsp__random random;
        hsp__random_seed(&random, 1, (uint64_t)a);
        for (uint64_t j = 0; j < cols; j++)
            v[j] = plane->deviation[j] > 0 ? hsp__random_normal(&random) : 0;
        plane_normalise(v, cols);
        for (int step = 0; step < PLANE_STEPS; step++) {
            HSP__TRY(hsp__progress(plane->ctx, "finding principal axes", "", 0, 0, err));
            const double before = variance;
            variance = plane_step(plane, sample, count, v, other, next);
            if (!(variance > 0)) break;
            memcpy(v, next, (size_t)cols * sizeof *v);
            if (fabs(variance - before) <= 1e-9 * variance) break;
        }
        uint64_t largest = 0; /* its sign: the largest weight is positive */
        for (uint64_t j = 0; j < cols; j++)
            if (fabs(v[j]) > fabs(v[largest])) largest = j;
        const double sign = v[largest] < 0 ? -1 : 1;
        for (uint64_t j = 0; j < cols; j++)
            v[j] *= sign;
        axis->kind = HSP__PLANE_PRINCIPAL;
        axis->direction = v;
        plane_principal_label(plane, axis, a + 1, all > 0 ? fmin(variance / all, 1) : 0);
    }
    return HSP_OK;
}

/* ---- Across and along a hyperplane ---- */

static double plane_direction(const hsp__plane *plane, const hsp__plane_axis *axis, uint64_t row)
{
    const hsp__row entries = hsp__view_row(plane->view, row);
    double sum = 0;
    for (uint64_t k = 0; k < entries.count; k++)
        sum += axis->direction[hsp__row_column(&entries, k)] *
               hsp__row_value(plane->view, &entries, k);
    return sum + axis->shift;
}

/* Where the mean row is. */
static double plane_middle(const hsp__plane *plane, const hsp__plane_axis *axis)
{
    double sum = axis->shift;
    for (uint64_t j = 0; j < plane->view->cols; j++)
        sum += axis->direction[j] * plane->mean[j];
    return sum;
}

static hsp_status plane_across(hsp__plane *plane, hsp_error *err)
{
    const uint64_t cols = plane->view->cols;
    double *u = hsp__scratch_new(&plane->memory, cols, sizeof *u);
    double *v = hsp__scratch_new(&plane->memory, cols, sizeof *v);
    if (plane->memory.failed) return hsp__fail_memory(err);
    memcpy(u, plane->across, (size_t)cols * sizeof *u);
    const double length = plane_normalise(u, cols);
    if (!hsp__perpendicular_axis(plane->ctx, plane->view, u, v)) return hsp__fail_memory(err);
    plane->axes[0] = (hsp__plane_axis){
        .kind = HSP__PLANE_DIRECTION, .direction = u, .shift = plane->across_offset / length};
    snprintf(plane->axes[0].label, sizeof plane->axes[0].label, "signed distance from %s",
             plane->model && hsp__plot_threshold(plane->model) > 0 ? "s(x) = 0" : "the boundary");
    plane->axes[1] = (hsp__plane_axis){.kind = HSP__PLANE_DIRECTION,
                                       .direction = v,
                                       .label = "along the boundary, where rows differ most"};
    return HSP_OK;
}

/* ---- Axes ---- */

/* Figures of the columns, of the rows that are known. */
static hsp_status plane_figures(hsp__plane *plane, const char *known, hsp_error *err,
                                hsp__column_figures **out)
{
    const hsp_view *view = plane->view;
    hsp_data *some = NULL, *all = plane->data;
    if (known && view->labels) {
        uint64_t count = 0, *rows = hsp__new_raw(&plane->ctx->allocator, view->rows, sizeof *rows);
        if (!rows) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < view->rows; i++)
            if (known[view->labels[i]]) rows[count++] = i;
        const hsp_status status = hsp_data_select(plane->ctx, all, rows, count, err, &some);
        hsp__free(&plane->ctx->allocator, rows);
        HSP__TRY(status);
    }
    const hsp_status status =
        hsp__columns(plane->ctx, some ? some : all, HSP__COLUMNS_MOMENTS, "summarising", err, out);
    hsp_data_free(some);
    return status;
}

static hsp_status plane_choose(hsp__plane *plane, const char *x, const char *y, const char *known,
                               hsp_error *err)
{
    const uint64_t cols = plane->view->cols;
    hsp__plane_axis *axes = plane->axes;
    if (!x && !y && plane->across) return plane_across(plane, err);
    if (!x && !y && cols > 2) return plane_principal(plane, known, err);
    if ((!x || !y) && cols > 2)
        return hsp__fail_option(
            err, x ? "--y" : "--x",
            "is missing: name a feature, or leave both out to see the principal "
            "axes");
    if (x) HSP__TRY(plane_find(plane, "--x", x, &axes[0], err));
    if (y) HSP__TRY(plane_find(plane, "--y", y, &axes[1], err));
    for (int a = 0; a < 2; a++) {
        if (a ? y != NULL : x != NULL) continue;
        const int taken = (a ? x : y) && axes[1 - a].kind == HSP__PLANE_FEATURE;
        const uint64_t column = cols < 2 ? 0 : taken ? 1 - axes[1 - a].column : (uint64_t)a;
        axes[a].column = column;
        plane_label(plane, column, axes[a].label, sizeof axes[a].label);
    }
    if (axes[0].kind != axes[1].kind || axes[0].column != axes[1].column) return HSP_OK;
    if (x && y) return hsp__fail_option(err, "--y", "is the same feature as --x; name another one");
    axes[1] = (hsp__plane_axis){.kind = HSP__PLANE_CLASS};
    axes[1].count = plane->model ? hsp_model_classes(plane->model) : hsp_data_classes(plane->data);
    if (!axes[1].count) axes[1].count = 1;
    snprintf(axes[1].label, sizeof axes[1].label, "class");
    return HSP_OK;
}

hsp_status hsp__plane_open(hsp__plane *plane, const char *x, const char *y, const char *known,
                           const uint64_t *sample, uint64_t count, hsp_error *err)
{
    const uint64_t cols = plane->view->cols;
    hsp__column_figures *figures = NULL;
    plane->memory.memory = &plane->ctx->allocator;
    plane->mean = hsp__scratch_new(&plane->memory, cols, sizeof *plane->mean);
    plane->deviation = hsp__scratch_new(&plane->memory, cols, sizeof *plane->deviation);
    if (plane->memory.failed) return hsp__fail_memory(err);
    if (!cols) return hsp__fail(err, HSP_BAD_DATA, "the data has no features to draw");
    HSP__TRY(plane_figures(plane, known, err, &figures));
    for (uint64_t j = 0; j < cols; j++) {
        plane->mean[j] = isfinite(figures[j].mean) ? figures[j].mean : 0;
        plane->deviation[j] = isfinite(figures[j].stdev) ? figures[j].stdev : 0;
    }
    hsp_status status = plane_choose(plane, x, y, known, err);
    for (int a = 0; a < 2 && !status; a++) {
        hsp__plane_axis *axis = &plane->axes[a];
        if (axis->kind == HSP__PLANE_FEATURE) {
            axis->low = figures[axis->column].min;
            axis->high = figures[axis->column].max;
        } else if (axis->kind == HSP__PLANE_PRINCIPAL || axis->kind == HSP__PLANE_DIRECTION) {
            const int principal = axis->kind == HSP__PLANE_PRINCIPAL;
            const double shift = principal ? plane_shift(plane, axis->direction) : 0;
            for (uint64_t i = 0; i < count; i++) {
                const double at = principal ? plane_along(plane, axis->direction, shift, sample[i])
                                            : plane_direction(plane, axis, sample[i]);
                if (!i || at < axis->low) axis->low = at;
                if (!i || at > axis->high) axis->high = at;
            }
        }
    }
    hsp__free(&plane->ctx->allocator, figures);
    return status;
}

void hsp__plane_free(hsp__plane *plane)
{
    hsp__scratch_free(&plane->memory);
}

void hsp__plane_axes(const hsp__plane *plane, hsp__panel *panel)
{
    if (!panel) return;
    for (int a = 0; a < 2; a++) {
        const hsp__plane_axis *from = &plane->axes[a];
        hsp__axis *to = a ? &panel->y : &panel->x;
        hsp__axis_label(panel, to, "%s", from->label);
        if (from->kind != HSP__PLANE_CATEGORIES && from->kind != HSP__PLANE_CLASS) {
            hsp__axis_pad(to, from->low, from->high);
            continue;
        }
        hsp__scratch memory = {&plane->ctx->allocator, NULL, 0};
        const char **names = hsp__scratch_new(&memory, from->count, sizeof *names);
        const size_t skip = strlen(from->label) + 1; /* features are called COLUMN=CATEGORY */
        for (uint32_t k = 0; names && k < from->count; k++) {
            if (from->kind == HSP__PLANE_CLASS)
                names[k] = plane->model ? hsp_model_class_name(plane->model, k)
                                        : hsp_data_class_name(plane->data, k);
            else {
                names[k] = plane_name(plane, from->column + k);
                if (names[k] && strlen(names[k]) >= skip) names[k] += skip;
            }
            if (!names[k]) names[k] = "";
        }
        if (names)
            hsp__axis_categories(panel, to, names, from->count);
        else
            panel->figure->memory.failed = 1;
        hsp__scratch_free(&memory);
    }
}

/* ---- Places ---- */

/* From -0.3 to 0.3, always the same for a row. */
static double plane_spread(uint64_t row)
{
    hsp__random random;
    hsp__random_seed(&random, 2, row);
    return hsp__random_unit(&random) * 0.6 - 0.3;
}

void hsp__plane_place(const hsp__plane *plane, uint64_t row, double at[2])
{
    for (int a = 0; a < 2; a++) {
        const hsp__plane_axis *axis = &plane->axes[a];
        const hsp_view *view = plane->view;
        uint32_t k = 0;
        switch (axis->kind) {
        case HSP__PLANE_FEATURE:
            at[a] = hsp__view_entry(view, row, axis->column);
            break;
        case HSP__PLANE_PRINCIPAL:
            at[a] = plane_along(plane, axis->direction, plane_shift(plane, axis->direction), row);
            break;
        case HSP__PLANE_DIRECTION:
            at[a] = plane_direction(plane, axis, row);
            break;
        case HSP__PLANE_CATEGORIES:
            while (k < axis->count && hsp__view_entry(view, row, axis->column + k) == 0)
                k++;
            /* a missing value is in no category: it is left out */
            at[a] = k < axis->count ? k + plane_spread(row) : (double)NAN;
            break;
        case HSP__PLANE_CLASS:
            k = view->labels ? view->labels[row] : 0;
            if (view->labels && plane->model)
                k = hsp_model_class_of(plane->model, hsp_data_class_name(plane->data, k));
            at[a] = k < axis->count ? k + plane_spread(row) : (double)NAN;
            break;
        }
    }
}

void hsp__plane_row(const hsp__plane *plane, double x, double y, double *row)
{
    const uint64_t cols = plane->view->cols;
    memcpy(row, plane->mean, (size_t)cols * sizeof *row);
    for (int a = 0; a < 2; a++) {
        const hsp__plane_axis *axis = &plane->axes[a];
        const double at = a ? y : x;
        if (axis->kind == HSP__PLANE_FEATURE) row[axis->column] = at;
        const double by = axis->kind == HSP__PLANE_DIRECTION ? at - plane_middle(plane, axis) : 0;
        for (uint64_t j = 0; axis->kind == HSP__PLANE_DIRECTION && j < cols; j++)
            row[j] += by * axis->direction[j];
        for (uint64_t j = 0; axis->kind == HSP__PLANE_PRINCIPAL && j < cols; j++)
            row[j] += at * axis->direction[j] * plane->deviation[j];
        for (uint32_t k = 0; axis->kind == HSP__PLANE_CATEGORIES && k < axis->count; k++)
            row[axis->column + k] =
                k == (uint32_t)fmax(0, fmin(floor(at + 0.5), axis->count - 1.0));
    }
}
