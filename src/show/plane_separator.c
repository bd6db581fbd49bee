#include "show/plane_separator.h"

#include "model/model.h"

/* What one step along an axis adds to <w, x>. */
static double plane_separator_slope(const hsp__plane *plane, const hsp__plane_axis *axis,
                                    const double *w, uint64_t count)
{
    double sum = 0;
    if (axis->kind == HSP__PLANE_FEATURE) return axis->column < count ? w[axis->column] : 0;
    if (axis->kind != HSP__PLANE_PRINCIPAL && axis->kind != HSP__PLANE_DIRECTION) return 0;
    for (uint64_t j = 0; j < count; j++)
        sum += w[j] * axis->direction[j] *
               (axis->kind == HSP__PLANE_PRINCIPAL ? plane->deviation[j] : 1);
    return sum;
}

static int plane_separator_is(const hsp__plane_axis *axis, uint64_t column)
{
    return axis->kind == HSP__PLANE_FEATURE && axis->column == column;
}

/* The place of the mean row on an axis; of a feature, that of 0. */
static double plane_separator_middle(const hsp__plane *plane, const hsp__plane_axis *axis)
{
    double sum = axis->shift;
    for (uint64_t j = 0; axis->kind == HSP__PLANE_DIRECTION && j < plane->view->cols; j++)
        sum += axis->direction[j] * plane->mean[j];
    return sum;
}

/* The row at a place is the mean row (with features on axes 0), moved along the axes. */
int hsp__plane_meet(const hsp__plane *plane, const double *w, double b, uint64_t count,
                    hsp__plane_separator *out)
{
    const uint64_t cols = plane->view->cols, both = count < cols ? count : cols;
    const hsp__plane_axis *axes = plane->axes;
    double square = 0;
    out->b = b;
    for (uint64_t j = 0; j < both; j++)
        if (!plane_separator_is(&axes[0], j) && !plane_separator_is(&axes[1], j))
            out->b += w[j] * plane->mean[j];
    for (uint64_t j = 0; j < count; j++)
        square += w[j] * w[j];
    out->length = sqrt(square);
    for (int a = 0; a < 2; a++) {
        if (axes[a].kind == HSP__PLANE_CATEGORIES) return 0;
        out->w[a] = plane_separator_slope(plane, &axes[a], w, both);
        out->b -= out->w[a] * plane_separator_middle(plane, &axes[a]);
    }
    const double length = hypot(out->w[0], out->w[1]);
    return length > 1e-12 * out->length && isfinite(length) && isfinite(out->b);
}

int hsp__plane_is_true(const hsp__plane *plane)
{
    const hsp__plane_axis *axes = plane->axes;
    if (axes[0].kind == HSP__PLANE_DIRECTION) return 1;
    return axes[0].kind == HSP__PLANE_FEATURE &&
           ((axes[1].kind == HSP__PLANE_FEATURE && plane->view->cols == 2) ||
            (axes[1].kind == HSP__PLANE_CLASS && plane->view->cols == 1));
}

int hsp__plane_model(const hsp_model *model, double *w, double *b)
{
    return model->scorers == 1 && model->weights && model->hypothesis == HSP__LINEAR &&
           hsp_model_file_weights(model, 0, w, b);
}
