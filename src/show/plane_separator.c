#include "show/plane_separator.h"

#include "model/model.h"

/* s of the row at a place of the plane. */
static double plane_separator_at(const hsp__plane *plane, const double *w, uint64_t count,
                                 const double at[2], double *row)
{
    double sum = 0;
    hsp__plane_row(plane, at[0], at[1], row);
    for (uint64_t j = 0; j < count && j < plane->view->cols; j++)
        sum += w[j] * row[j];
    return sum;
}

/* The row at a place is affine in the place, so three places say it all. */
int hsp__plane_meet(const hsp__plane *plane, const double *w, double b, uint64_t count,
                    hsp__plane_separator *out)
{
    hsp__scratch scratch = {.memory = &plane->ctx->allocator};
    double *row = hsp__scratch_new(&scratch, plane->view->cols, sizeof *row), square = 0;
    int some = row != NULL;
    for (int a = 0; a < 2; a++)
        some &= plane->axes[a].kind != HSP__PLANE_CATEGORIES;
    if (some) {
        const double at = plane_separator_at(plane, w, count, (double[]){0, 0}, row);
        out->b = at + b;
        out->w[0] = plane_separator_at(plane, w, count, (double[]){1, 0}, row) - at;
        out->w[1] = plane_separator_at(plane, w, count, (double[]){0, 1}, row) - at;
        for (uint64_t j = 0; j < count; j++)
            square += w[j] * w[j];
        out->length = sqrt(square);
        const double length = hypot(out->w[0], out->w[1]);
        some = length > 1e-12 * out->length && isfinite(length) && isfinite(out->b);
    }
    hsp__scratch_free(&scratch);
    return some;
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
