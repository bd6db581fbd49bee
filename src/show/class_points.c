#include "show/class_points.h"

#include "show/axis.h"

hsp_status hsp__row_sample(hsp_figure *figure, const hsp_data *data, uint64_t most,
                           const uint64_t *also, uint64_t also_count, hsp__scratch *memory,
                           hsp_error *err, uint64_t **rows, uint64_t *count)
{
    const uint64_t all = hsp_data_rows(data), drawn = all < most ? all : most;
    char some[HSP__LABEL], of[HSP__LABEL];
    *rows = hsp__scratch_raw(memory, drawn + also_count, sizeof **rows);
    if (!*rows) return hsp__fail_memory(err);
    HSP__TRY(hsp_data_sample(data, drawn, 1, err, *rows));
    *count = drawn;
    if (drawn == all) return HSP_OK;
    if (also_count) memcpy(*rows + drawn, also, also_count * sizeof *also);
    *count += also_count;
    hsp__figure_note(figure, "%s of %s rows shown, a random sample", hsp__label_count(drawn, some),
                     hsp__label_count(all, of));
    return HSP_OK;
}

void hsp__class_points_draw(const hsp__class_points *points, hsp__panel *panel)
{
    if (!panel) return;
    hsp__scratch memory = {.memory = &panel->figure->allocator};
    double *x = hsp__scratch_raw(&memory, points->count, sizeof *x);
    double *y = hsp__scratch_raw(&memory, points->count, sizeof *y);
    const uint32_t classes =
        points->model ? hsp_model_classes(points->model) : hsp_data_classes(points->data);
    for (uint32_t c = 0; c <= classes && !memory.failed; c++) {
        const uint32_t class = c < classes ? c : HSP_NO_CLASS; /* those without one last */
        const int none = class == HSP_NO_CLASS;
        uint64_t count = 0;
        for (uint64_t k = 0; k < points->count; k++) {
            const uint64_t i = points->rows ? points->rows[k] : k;
            if (points->class_of[i] != class) continue;
            x[count] = points->x[i];
            y[count++] = points->y[i];
        }
        const char *name = none            ? "rows without a label"
                           : points->model ? hsp_model_class_name(points->model, c)
                                           : hsp_data_class_name(points->data, c);
        if (count)
            hsp__panel_points(panel, count, x, y,
                              (hsp__style){.color = none ? HSP__MUTED : HSP__CLASS(c),
                                           .shape = none ? HSP__CIRCLE : HSP__SHAPE(c),
                                           .size = points->size,
                                           .name = points->nameless ? NULL : name});
    }
    if (memory.failed) panel->figure->memory.failed = 1;
    hsp__scratch_free(&memory);
}

double hsp__point_size(uint64_t count)
{
    return count <= 400 ? 3.6 : count <= 2500 ? 2.6 : 1.7;
}
