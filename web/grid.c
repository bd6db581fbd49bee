/* Scores on a grid of points in the plane, for drawing: called from core.js, in WebAssembly alone. */
#include <stdlib.h>

#include "halfspace_all.h"

typedef struct web_grid {
    uint32_t scorers; /* 0: error says why */
    uint32_t *classes;
    double *scores; /* scorers for each point */
    char error[1024];
} web_grid;

/* nx points from x0 to x1 in each of ny lines from y0 to y1, both ends included. */
typedef struct web_axes {
    double x0, x1, y0, y1;
    uint32_t nx, ny, x, y; /* x, y: the columns of the axes */
} web_axes;

web_grid *web_grid_new(const char *path, const web_axes *axes, const double *at, uint32_t given);
void web_grid_free(web_grid *grid);

void web_grid_free(web_grid *grid)
{
    if (!grid) return;
    free(grid->classes);
    free(grid->scores);
    free(grid);
}

static double web_place(double low, double high, uint32_t i, uint32_t count)
{
    return count > 1 ? low + (high - low) * i / (count - 1) : (low + high) / 2;
}

/* The other columns are `at`, 0 beyond the `given` first of them. */
static void web_points(double *rows, size_t columns, const web_axes *axes, const double *at,
                       uint32_t given)
{
    const size_t count = (size_t)axes->nx * axes->ny;
    for (size_t i = 0; i < count; i++) {
        double *row = rows + i * columns;
        for (size_t j = 0; j < columns; j++)
            row[j] = j < given ? at[j] : 0;
        if (axes->x < columns)
            row[axes->x] = web_place(axes->x0, axes->x1, (uint32_t)(i % axes->nx), axes->nx);
        if (axes->y < columns)
            row[axes->y] = web_place(axes->y0, axes->y1, (uint32_t)(i / axes->nx), axes->ny);
    }
}

static hsp_status web_score(hsp_context *ctx, const hsp_model *model, const web_axes *axes,
                            const double *at, uint32_t given, hsp_error *err, web_grid *grid)
{
    const size_t count = (size_t)axes->nx * axes->ny, columns = (size_t)hsp_model_features(model);
    const uint32_t scorers = hsp_model_scorers(model);
    double *rows = calloc(count * columns + 1, sizeof *rows);
    grid->classes = calloc(count + 1, sizeof *grid->classes);
    grid->scores = calloc(count * scorers + 1, sizeof *grid->scores);
    hsp_status status = HSP_NO_MEMORY;
    if (rows && grid->classes && grid->scores) {
        web_points(rows, columns, axes, at, given);
        const hsp_view view = hsp_view_dense(HSP_FLOAT64, count, columns, columns, rows);
        status = hsp_model_score(ctx, model, &view, err, grid->scores, grid->classes);
    }
    if (!status) grid->scorers = scorers;
    free(rows);
    return status;
}

/* NULL: no memory. */
web_grid *web_grid_new(const char *path, const web_axes *axes, const double *at, uint32_t given)
{
    web_grid *grid = calloc(1, sizeof *grid);
    hsp_context *ctx = NULL;
    hsp_model *model = NULL;
    hsp_error err = {.status = HSP_NO_MEMORY};
    hsp_status status = grid ? hsp_context_new(NULL, &ctx) : HSP_NO_MEMORY;
    if (!status) status = hsp_model_read(ctx, path, &err, &model);
    if (!status) status = web_score(ctx, model, axes, at, given, &err, grid);
    if (status && grid) hsp_error_text(&err, grid->error, sizeof grid->error);
    hsp_model_free(model);
    hsp_context_free(ctx);
    return grid;
}
