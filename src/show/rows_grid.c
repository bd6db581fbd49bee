/* A model asked at the nodes of a grid over the panel. */
#include "show/rows_plot.h"

enum { GRID_ENTRIES = 4 << 20 }; /* numbers of a batch of nodes at most */

hsp_status hsp__rows_grid(hsp__rows_plot *plot, const hsp_model *model, hsp__node_value value,
                          void *user, hsp_error *err, hsp__grid *out)
{
    const hsp__panel *panel = plot->panel;
    const uint64_t cols = plot->view->cols, nodes = HSP__ROWS_NODES;
    const uint32_t scorers = hsp_model_scorers(model);
    uint64_t batch = GRID_ENTRIES / (cols + scorers);
    batch = batch < 1 ? 1 : batch > nodes ? nodes : batch;
    double *values = hsp__scratch_raw(&plot->memory, nodes, sizeof *values);
    hsp__scratch memory = {&plot->ctx->allocator, NULL, 0};
    double *rows = hsp__scratch_raw(&memory, batch * cols, sizeof *rows);
    double *scores = hsp__scratch_raw(&memory, batch * scorers, sizeof *scores);
    uint32_t *classes = hsp__scratch_raw(&memory, batch, sizeof *classes);
    hsp_status status = plot->memory.failed || memory.failed ? hsp__fail_memory(err) : HSP_OK;
    *out = (hsp__grid){HSP__ROWS_NODES_X, HSP__ROWS_NODES_Y, panel->x.low, panel->x.high,
                       panel->y.low,      panel->y.high,     values};
    for (uint64_t from = 0; from < nodes && !status; from += batch) {
        const uint64_t count = nodes - from < batch ? nodes - from : batch;
        const hsp_view view = hsp_view_dense(HSP_FLOAT64, count, cols, cols, rows);
        for (uint64_t k = 0; k < count; k++) {
            const uint64_t x = (from + k) % HSP__ROWS_NODES_X, y = (from + k) / HSP__ROWS_NODES_X;
            const double u = (double)x / (HSP__ROWS_NODES_X - 1);
            const double v = (double)y / (HSP__ROWS_NODES_Y - 1);
            hsp__plane_row(&plot->plane, out->x0 + (out->x1 - out->x0) * u,
                           out->y0 + (out->y1 - out->y0) * v, rows + k * cols);
        }
        status = hsp_model_score(plot->ctx, model, &view, err, scores, classes);
        for (uint64_t k = 0; k < count && !status; k++)
            values[from + k] = value(user, scores + k * scorers, classes[k]);
    }
    hsp__scratch_free(&memory);
    return status;
}
