/* Tables of options to Python, and dictionaries of values to options. */
#include "extension.h"

#include <string.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

static PyObject *options_describe(const hsp_option_table *table)
{
    static const char *const types[] = {"flag", "integer", "real", "choice", "text", "list"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        PyObject *one = Py_BuildValue("{ss ss sz sd sd sz sz ss}", "name", option->name, "type",
                                      types[option->type], "default", option->fallback, "min",
                                      option->min, "max", option->max, "choices", option->choices,
                                      "meta", option->meta, "help", option->help);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    if (!list) return NULL;
    return Py_BuildValue("{ss ss sN}", "name", table->name, "summary", table->summary, "options",
                         list);
}

static const hsp_option_table *options_table(const char *kind, size_t i)
{
    static const struct {
        const char *name;
        const hsp_option_table *(*table)(void);
    } single[] = {{"read", hsp_read_options},
                  {"certify", hsp_certify_options},
                  {"verify", hsp_verify_options},
                  {"bound", hsp_error_report_options},
                  {"figure", hsp_figure_options}};
    if (strcmp(kind, "learner") == 0) return hsp_learner(i);
    if (strcmp(kind, "plot") == 0) return hsp_plot_kind(i);
    for (size_t k = 0; i == 0 && k < sizeof single / sizeof *single; k++)
        if (strcmp(kind, single[k].name) == 0) return single[k].table();
    return NULL;
}

/* tables(kind) -> [{"name", "summary", "options": [{"name", "type", "default", ...}]}] */
static PyObject *options_tables(PyObject *module, PyObject *argument)
{
    (void)module;
    const char *kind = core_utf8(argument);
    PyObject *list = kind ? PyList_New(0) : NULL;
    const hsp_option_table *table;
    for (size_t i = 0; list && (table = options_table(kind, i)); i++) {
        PyObject *one = options_describe(table);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static hsp_status options_set(hsp_options *options, const char *name, PyObject *value,
                              hsp_error *err)
{
    const char *text = core_utf8(value);
    return text ? hsp_options_set(options, name, text, err) : HSP_USAGE;
}

static hsp_status options_fill(hsp_options *options, PyObject *values, hsp_error *err)
{
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(values, &at, &key, &value);) {
        const char *name = core_utf8(key);
        hsp_status status = name ? HSP_OK : HSP_USAGE;
        if (!status && !PyList_Check(value)) status = options_set(options, name, value, err);
        for (Py_ssize_t i = 0; !status && PyList_Check(value) && i < PyList_Size(value); i++)
            status = options_set(options, name, PyList_GetItem(value, i), err);
        if (status) return status;
    }
    return HSP_OK;
}

hsp_options *core_options(core_call *call, const hsp_option_table *table, PyObject *values,
                          hsp_status *status)
{
    hsp_options *options = NULL;
    if (*status) return NULL;
    *status = hsp_options_new(call->ctx, table, &call->err, &options);
    if (!*status && values != Py_None) *status = options_fill(options, values, &call->err);
    if (!*status) return options;
    hsp_options_free(options);
    return NULL;
}

PyMethodDef core_options_methods[] = {
    {"tables", options_tables, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
