/* Data sets: of arrays, of files; arrays as text. */
#include "extension.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void data_free(PyObject *capsule)
{
    core_data *data = PyCapsule_GetPointer(capsule, CORE_DATA);
    hsp_data_free(data->data);
    core_release(data->held, CORE_BUFFERS);
    free(data);
}

core_data *core_data_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, CORE_DATA);
}

/* A capsule for `data`, which it owns from now on, also if there is none. */
static PyObject *data_wrap(core_data *data)
{
    PyObject *capsule = PyCapsule_New(data, CORE_DATA, data_free);
    if (capsule) return capsule;
    hsp_data_free(data->data);
    core_release(data->held, CORE_BUFFERS);
    free(data);
    return NULL;
}

/* data(rows, labels, class_names, feature_names, weights, copy, threads): the arrays are borrowed
 * unless `copy`, which leaves stored zeros of sparse rows out. Labels, feature_names and weights may
 * be None. */
CORE_FUNCTION(data_new)
{
    CORE_ARGUMENTS(7);
    core_data *data = calloc(1, sizeof *data);
    const char **classes = NULL, **features = NULL;
    Py_buffer weights = {.obj = NULL};
    hsp_view view;
    core_call call;
    hsp_status status = HSP_OK;
    const int copy = PyObject_IsTrue(args[5]);
    if (!data) return PyErr_NoMemory();
    if (core_view(args[0], data->held, &view)) {
        free(data);
        return NULL;
    }
    const Py_ssize_t rows = (Py_ssize_t)view.rows;
    int failed = 0;
    if (args[1] != Py_None) {
        failed = core_buffer(args[1], 'I', rows, 0, &data->held[3]) || !PyList_Check(args[2]) ||
                 core_names(args[2], PyList_Size(args[2]), &classes);
        view.labels = data->held[3].buf;
        view.classes = failed ? 0 : (uint32_t)PyList_Size(args[2]);
    }
    if (!failed) failed = core_names(args[3], (Py_ssize_t)view.cols, &features);
    if (!failed && args[4] != Py_None) failed = core_buffer(args[4], 'd', rows, 0, &weights);
    if (!failed) failed = core_open(module, (int)PyLong_AsLong(args[6]), Py_None, &call);
    if (!failed) {
        if (view.storage == HSP_SPARSE && core_all_ones(&view))
            view = hsp_view_sparse(HSP_FLOAT32, view.rows, view.cols, view.starts_bytes,
                                   view.starts, view.indices, NULL),
            view.labels = data->held[3].buf,
            view.classes = (uint32_t)(classes ? PyList_Size(args[2]) : 0);
        CORE_RUN(&call, (copy ? hsp_data_copy : hsp_data_borrow)(call.ctx, &view, classes, features,
                                                                 &call.err, &data->data));
        if (!status && weights.obj)
            CORE_RUN(&call, hsp_data_set_weights(data->data, weights.buf, &call.err));
        failed = core_close(&call, status);
    }
    if (weights.obj) PyBuffer_Release(&weights);
    free(classes);
    free(features);
    if (!failed) return data_wrap(data);
    hsp_data_free(data->data);
    core_release(data->held, CORE_BUFFERS);
    free(data);
    return NULL;
}

/* data_read(path, options, like, threads, progress); like: data whose encoding is used, or None */
CORE_FUNCTION(data_read)
{
    CORE_ARGUMENTS(5);
    core_data *like = args[2] == Py_None ? NULL : core_data_of(args[2]);
    const char *path = core_utf8(args[0]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_data *data = NULL;
    const hsp_view *view;
    if (!path || core_open(module, (int)PyLong_AsLong(args[3]), args[4], &call)) return NULL;
    hsp_options *options = core_options(&call, hsp_read_options(), args[1], &status);
    if (options)
        CORE_RUN(&call,
                 hsp_data_read(call.ctx, path, options, like ? hsp_data_encoding(like->data) : NULL,
                               &call.err, &data));
    if (data && !status) CORE_RUN(&call, hsp_data_view(call.ctx, data, &call.err, &view));
    hsp_options_free(options);
    core_data *wrapped = data ? calloc(1, sizeof *wrapped) : NULL;
    if (core_close(&call, status) || !wrapped) {
        hsp_data_free(data);
        free(wrapped);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    wrapped->data = data;
    return data_wrap(wrapped);
}

static PyObject *data_names(const hsp_data *data, int features)
{
    const uint64_t count = features ? hsp_data_cols(data) : hsp_data_classes(data);
    if (features && (!count || !hsp_data_feature_name(data, 0))) return Py_NewRef(Py_None);
    PyObject *list = PyList_New(0);
    for (uint64_t i = 0; list && i < count; i++) {
        const char *name =
            features ? hsp_data_feature_name(data, i) : hsp_data_class_name(data, (uint32_t)i);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (!text || PyList_Append(list, text)) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* data_arrays(data) -> (rows, cols, values, columns, offsets, labels, class_names, feature_names):
 * arrays are None where there are none (columns: of dense rows; values: all are 1). */
CORE_FUNCTION(data_arrays)
{
    CORE_ARGUMENTS(1);
    core_data *data = core_data_of(args[0]);
    core_call call;
    hsp_status status = HSP_OK;
    const hsp_view *view = NULL;
    if (!data || core_open(module, 0, Py_None, &call)) return NULL;
    CORE_RUN(&call, hsp_data_view(call.ctx, data->data, &call.err, &view));
    if (core_close(&call, status)) return NULL;
    const Py_ssize_t rows = (Py_ssize_t)view->rows, cols = (Py_ssize_t)view->cols;
    const Py_ssize_t stored = (Py_ssize_t)hsp_view_stored(view);
    const int single = view->precision == HSP_FLOAT32, dense = view->storage == HSP_DENSE;
    PyObject *parts[4] = {NULL}, *result = NULL;
    if (dense && view->stride != view->cols) {
        PyErr_SetString(PyExc_ValueError, "rows with gaps between them");
        return NULL;
    }
    if (view->storage != HSP_ONES)
        parts[0] = core_array(module, args[0], view->values, single ? "f" : "d",
                              dense ? rows : stored, dense ? cols : -1, single ? 4 : 8);
    if (!dense) parts[1] = core_array(module, args[0], view->indices, "I", stored, -1, 4);
    if (!dense)
        parts[2] = core_array(module, args[0], view->starts, view->starts_bytes == 4 ? "I" : "Q",
                              rows + 1, -1, view->starts_bytes);
    if (view->labels) parts[3] = core_array(module, args[0], view->labels, "I", rows, -1, 4);
    if (!PyErr_Occurred())
        result = Py_BuildValue("nnOOOONN", rows, cols, parts[0] ? parts[0] : Py_None,
                               parts[1] ? parts[1] : Py_None, parts[2] ? parts[2] : Py_None,
                               parts[3] ? parts[3] : Py_None, data_names(data->data, 0),
                               data_names(data->data, 1));
    for (int i = 0; i < 4; i++)
        Py_XDECREF(parts[i]);
    return result;
}

/* ---- Arrays as text -------------------------------------------------------------------------- */

typedef struct data_text {
    char *bytes;
    size_t size, room;
    int failed;
} data_text;

static void text_add(data_text *text, const char *bytes, size_t size)
{
    if (!text->failed && text->size + size > text->room) {
        const size_t room = (text->size + size) * 2;
        char *more = realloc(text->bytes, room);
        text->failed = !more;
        if (more) text->bytes = more, text->room = room;
    }
    if (text->failed || !size) return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

/* All digits of a double: it is a binary fraction, so there are finitely many, at most 767. */
static void text_number(data_text *text, double value)
{
    char digits[800];
    const int size = fabs(value) < 0x1p53 && value == floor(value)
                         ? snprintf(digits, sizeof digits, "%lld", (long long)value)
                         : snprintf(digits, sizeof digits, "%.768g", value);
    text_add(text, digits, (size_t)size);
}

static double data_value(const hsp_view *view, uint64_t at)
{
    if (view->storage == HSP_ONES) return 1;
    return view->precision == HSP_FLOAT32 ? (double)((const float *)view->values)[at]
                                          : ((const double *)view->values)[at];
}

static uint64_t data_start(const hsp_view *view, uint64_t row)
{
    return view->starts_bytes == 4 ? ((const uint32_t *)view->starts)[row]
                                   : ((const uint64_t *)view->starts)[row];
}

static void text_rows(data_text *text, const hsp_view *view, const uint32_t *labels,
                      const char *const *names)
{
    char column[24];
    for (uint64_t i = 0; i < view->rows && !text->failed; i++) {
        const char *label = names[labels[i]];
        if (view->storage == HSP_DENSE) {
            for (uint64_t j = 0; j < view->cols; j++) {
                text_number(text, data_value(view, i * view->stride + j));
                text_add(text, ",", 1);
            }
            text_add(text, label, strlen(label));
        } else {
            text_add(text, label, strlen(label));
            for (uint64_t k = data_start(view, i); k < data_start(view, i + 1); k++) {
                if (data_value(view, k) == 0) continue;
                const int size = snprintf(column, sizeof column, " %u:", view->indices[k] + 1);
                text_add(text, column, (size_t)size);
                text_number(text, data_value(view, k));
            }
        }
        text_add(text, "\n", 1);
    }
}

/* write_exact(rows, labels, label_texts, header, path): dense rows as CSV with the label last, sparse
 * ones as libsvm text, with all digits of the numbers. The texts stand in the file as they are. */
CORE_FUNCTION(data_write_exact)
{
    CORE_ARGUMENTS(5);
    const char *header = core_utf8(args[3]);
    const char *path = core_utf8(args[4]), **names = NULL;
    Py_buffer held[4] = {{.obj = NULL}, {.obj = NULL}, {.obj = NULL}, {.obj = NULL}};
    hsp_view view;
    core_call call;
    data_text text = {NULL, 0, 0, 0};
    hsp_status status = HSP_OK;
    if (!header || !path || !PyList_Check(args[2])) return NULL;
    int failed = core_view(args[0], held, &view);
    if (!failed) failed = core_buffer(args[1], 'I', (Py_ssize_t)view.rows, 0, &held[3]);
    if (!failed) failed = core_names(args[2], PyList_Size(args[2]), &names);
    if (!failed) failed = core_open(module, 0, Py_None, &call);
    if (!failed) {
        view.labels = held[3].buf;
        view.classes = (uint32_t)PyList_Size(args[2]);
        CORE_RUN(&call, hsp_view_check(call.ctx, &view, &call.err));
        if (!status) {
            core_unlock(&call);
            text_add(&text, header, strlen(header));
            text_rows(&text, &view, view.labels, names);
            if (!text.failed)
                status = hsp_file_write(call.ctx, path, text.bytes, text.size, &call.err);
            core_lock(&call);
        }
        failed = core_close(&call, status);
    }
    if (!failed && text.failed) failed = PyErr_NoMemory() == NULL;
    free(text.bytes);
    free(names);
    core_release(held, 4);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyMethodDef core_data_methods[] = {
    CORE_METHOD("data", data_new),
    CORE_METHOD("data_read", data_read),
    CORE_METHOD("data_arrays", data_arrays),
    CORE_METHOD("write_exact", data_write_exact),
    {NULL, NULL, 0, NULL},
};
