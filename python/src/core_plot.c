/* Figures. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

enum { PLOT_MODELS = 16 };

/* plot(kind, models, data or None, names of files, kind options, figure options, path or None,
 * threads, progress) -> (SVG, JSON): a figure; it is written to `path`, too. */
CORE_FUNCTION(plot_figure)
{
    CORE_ARGUMENTS(9);
    const char *kind = core_utf8(args[0]);
    core_data *data = args[2] == Py_None ? NULL : core_data_of(args[2]);
    const char *path = args[6] == Py_None ? NULL : core_utf8(args[6]);
    hsp_model *models[PLOT_MODELS];
    const char **files = NULL;
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
    if (!PyList_Check(args[3]) || core_names(args[3], PyList_Size(args[3]), &files)) return NULL;
    if (core_open(module, (int)PyLong_AsLong(args[7]), args[8], &call)) {
        free(files);
        return NULL;
    }
    hsp_options *options = core_options(&call, table, args[4], &status);
    hsp_options *drawn = core_options(&call, hsp_figure_options(), args[5], &status);
    hsp_plot_input input = {.size = sizeof input,
                            .models = models,
                            .model_count = (size_t)size,
                            .data = data ? &data->data : NULL,
                            .data_count = data ? 1 : 0,
                            .files = files,
                            .file_count = (size_t)PyList_Size(args[3])};
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
    free(files);
    hsp_options_free(options);
    hsp_options_free(drawn);
    return result;
}

PyMethodDef core_plot_methods[] = {
    CORE_METHOD("plot", plot_figure),
    {NULL, NULL, 0, NULL},
};
