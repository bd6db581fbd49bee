/* Figures. */
#include "core.h"

#include <string.h>

enum { PLOT_MODELS = 16 };

/* plot(kind, models, data or None, data name or None, kind options, figure options, path or None,
 * threads, progress) -> (SVG, JSON): a figure; it is written to `path`, too. */
CORE_FUNCTION(plot_figure)
{
    CORE_ARGUMENTS(9);
    const char *kind = PyUnicode_AsUTF8AndSize(args[0], NULL);
    core_data *data = args[2] == Py_None ? NULL : core_data_of(args[2]);
    const char *data_name = args[3] == Py_None ? NULL : PyUnicode_AsUTF8AndSize(args[3], NULL);
    const char *path = args[6] == Py_None ? NULL : PyUnicode_AsUTF8AndSize(args[6], NULL);
    hsp_model *models[PLOT_MODELS];
    core_call call;
    hsp_status status = HSP_OK;
    hsp_figure *figure = NULL;
    char *svg = NULL;
    PyObject *json = NULL, *result = NULL;
    if (!kind || PyErr_Occurred() || !PyList_Check(args[1])) return NULL;
    const hsp_option_table *table = hsp_plot_kind_find(kind);
    if (!table) return PyErr_Format(PyExc_ValueError, "there is no kind of plot '%s'", kind);
    const Py_ssize_t size = PyList_Size(args[1]);
    if (size > PLOT_MODELS)
        return PyErr_Format(PyExc_ValueError, "more than %d models", PLOT_MODELS);
    for (Py_ssize_t i = 0; i < size; i++) {
        core_model *one = core_model_of(PyList_GetItem(args[1], i));
        if (!one) return NULL;
        models[i] = one->model;
    }
    if (core_open(module, (int)PyLong_AsLong(args[7]), args[8], &call)) return NULL;
    hsp_options *options = core_options(&call, table, args[4], &status);
    hsp_options *drawn = core_options(&call, hsp_figure_options(), args[5], &status);
    hsp_plot_input input = {.size = sizeof input,
                            .models = models,
                            .model_count = (size_t)size,
                            .data = data ? &data->data : NULL,
                            .data_names = data && data_name ? &data_name : NULL,
                            .data_count = data ? 1 : 0};
    if (!status) CORE_RUN(&call, hsp_plot(call.ctx, &input, options, &call.err, &figure));
    if (!status) CORE_RUN(&call, hsp_figure_svg(call.ctx, figure, drawn, &call.err, &svg));
    if (!status && path)
        CORE_RUN(&call, hsp_figure_write(call.ctx, figure, drawn, path, &call.err));
    if (!status) json = core_json(&call, hsp_figure_fields(), figure);
    if (!core_close(&call, status) && json) {
        PyObject *text = PyUnicode_DecodeUTF8(svg, (Py_ssize_t)strlen(svg), "replace");
        result = text ? Py_BuildValue("NO", text, json) : NULL;
    }
    Py_XDECREF(json);
    hsp_figure_text_free(svg);
    hsp_figure_free(figure);
    hsp_options_free(options);
    hsp_options_free(drawn);
    return result;
}

PyMethodDef core_plot_methods[] = {
    CORE_METHOD("plot", plot_figure),
    {NULL, NULL, 0, NULL},
};
