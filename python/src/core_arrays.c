/* Arrays of Python as views, and memory of the library as arrays. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

void core_release(Py_buffer *held, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (held[i].obj) PyBuffer_Release(&held[i]);
}

/* The type of the elements: 'f', 'd', 'I' (32 bits, also int32), 'Q' (64 bits, also int64); 0: another,
 * in another byte order, or not aligned. */
static char arrays_type(const Py_buffer *buffer)
{
    const char *format = buffer->format ? buffer->format : "B";
    if (buffer->itemsize > 0 && (uintptr_t)buffer->buf % (size_t)buffer->itemsize) return 0;
    if (*format == '@' || *format == '=' || *format == '<') format++;
    if (!*format || format[1]) return 0;
    if (*format == 'f' || *format == 'd') return *format;
    if (!strchr("iIlLqQ", *format)) return 0;
    return buffer->itemsize == 4 ? 'I' : buffer->itemsize == 8 ? 'Q' : 0;
}

int core_buffer(PyObject *array, char type, Py_ssize_t size, int writable, Py_buffer *buffer)
{
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array, buffer, flags)) {
        buffer->obj = NULL;
        return -1;
    }
    if (arrays_type(buffer) == type && (size < 0 || buffer->len == size * buffer->itemsize))
        return 0;
    PyErr_SetString(PyExc_TypeError, "an array has the wrong type or length");
    return -1;
}

static int arrays_dense(PyObject *rows, Py_buffer *held, hsp_view *view)
{
    if (PyObject_GetBuffer(rows, held, PyBUF_STRIDES | PyBUF_FORMAT)) {
        held->obj = NULL;
        return -1;
    }
    const char type = arrays_type(held);
    const Py_ssize_t item = held->itemsize;
    if ((type != 'f' && type != 'd') || held->ndim != 2 ||
        (held->shape[1] > 1 && held->strides[1] != item) ||
        (held->shape[0] > 1 &&
         (held->strides[0] < held->shape[1] * item || held->strides[0] % item))) {
        PyErr_SetString(PyExc_TypeError, "rows must be float32 or float64, each contiguous");
        return -1;
    }
    const uint64_t cols = (uint64_t)held->shape[1];
    const uint64_t stride = held->shape[0] > 1 ? (uint64_t)(held->strides[0] / item) : cols;
    *view = hsp_view_dense(type == 'f' ? HSP_FLOAT32 : HSP_FLOAT64, (uint64_t)held->shape[0], cols,
                           stride, held->buf);
    return 0;
}

static int arrays_sparse(PyObject *rows, Py_buffer held[3], hsp_view *view)
{
    PyObject *values = PyTuple_GetItem(rows, 0);
    if (PyTuple_Size(rows) != 4) {
        PyErr_SetString(PyExc_TypeError, "sparse rows are (values, columns, offsets, cols)");
        return -1;
    }
    const long long cols = PyLong_AsLongLong(PyTuple_GetItem(rows, 3));
    if (cols < 0 || core_buffer(PyTuple_GetItem(rows, 1), 'I', -1, 0, &held[0])) return -1;
    const Py_ssize_t stored = held[0].len / 4;
    if (PyObject_GetBuffer(PyTuple_GetItem(rows, 2), &held[1], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
        held[1].obj = NULL;
        return -1;
    }
    const char starts = arrays_type(&held[1]);
    if ((starts != 'I' && starts != 'Q') || held[1].len < held[1].itemsize) {
        PyErr_SetString(PyExc_TypeError, "the offsets of sparse rows have the wrong type");
        return -1;
    }
    const uint64_t count = (uint64_t)(held[1].len / held[1].itemsize);
    uint64_t first = 0, last = 0;
    memcpy(&first, held[1].buf, (size_t)held[1].itemsize);
    memcpy(&last, (const char *)held[1].buf + (count - 1) * (uint64_t)held[1].itemsize,
           (size_t)held[1].itemsize); /* little-endian: the only machines that are supported */
    if (first || last > (uint64_t)stored) {
        PyErr_SetString(PyExc_ValueError, "the offsets of sparse rows do not fit their values");
        return -1;
    }
    char type = 'd';
    if (values != Py_None) {
        if (PyObject_GetBuffer(values, &held[2], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
            held[2].obj = NULL;
            return -1;
        }
        type = arrays_type(&held[2]);
        if ((type != 'f' && type != 'd') || held[2].len < (Py_ssize_t)last * held[2].itemsize) {
            PyErr_SetString(PyExc_TypeError, "the values of sparse rows have the wrong type");
            return -1;
        }
    }
    *view = hsp_view_sparse(type == 'f' ? HSP_FLOAT32 : HSP_FLOAT64, count - 1, (uint64_t)cols,
                            starts == 'I' ? 4 : 8, held[1].buf, held[0].buf,
                            values == Py_None ? NULL : held[2].buf);
    return 0;
}

int core_view(PyObject *rows, Py_buffer held[3], hsp_view *view)
{
    for (int i = 0; i < 3; i++)
        held[i].obj = NULL;
    const int failed =
        PyTuple_Check(rows) ? arrays_sparse(rows, held, view) : arrays_dense(rows, held, view);
    if (failed) core_release(held, 3);
    return failed;
}

int core_all_ones(const hsp_view *view)
{
    const uint64_t stored = hsp_view_stored(view);
    const float *single = view->values;
    const double *wide = view->values;
    uint64_t i = 0;
    if (view->precision == HSP_FLOAT32)
        while (i < stored && single[i] == 1)
            i++;
    else
        while (i < stored && wide[i] == 1)
            i++;
    return i == stored;
}

int core_names(PyObject *list, Py_ssize_t count, const char ***names)
{
    *names = NULL;
    if (list == Py_None) return 0;
    if (!PyList_Check(list) || PyList_Size(list) != count) {
        PyErr_SetString(PyExc_TypeError, "expected a list with one name each");
        return -1;
    }
    const char **all = malloc(((size_t)count + 1) * sizeof *all);
    if (!all) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (!(all[i] = core_utf8(PyList_GetItem(list, i)))) {
            free(all);
            return -1;
        }
    *names = all;
    return 0;
}

/* ---- Memory of the library as an array ------------------------------------------------------- */

typedef struct arrays_object {
    PyObject_HEAD PyObject *owner;
    const void *memory;
    const char *format; /* of an element, a literal */
    int dims;
    Py_ssize_t item, shape[2], strides[2];
} arrays_object;

static int arrays_get(PyObject *self, Py_buffer *buffer, int flags)
{
    arrays_object *array = (arrays_object *)self;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the array is read-only");
        buffer->obj = NULL;
        return -1;
    }
    *buffer =
        (Py_buffer){.buf = (char *)(uintptr_t)array->memory,
                    .obj = Py_NewRef(self),
                    .len = array->item * array->shape[0] * (array->dims == 2 ? array->shape[1] : 1),
                    .itemsize = array->item,
                    .readonly = 1,
                    .ndim = array->dims,
                    .format = (char *)(uintptr_t)array->format,
                    .shape = array->shape,
                    .strides = array->strides};
    return 0;
}

static void arrays_free(PyObject *self)
{
    arrays_object *array = (arrays_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF(array->owner);
    release(self);
    Py_DECREF(type);
}

static PyType_Slot arrays_slots[] = {
    {Py_bf_getbuffer, (void *)arrays_get},
    {Py_tp_dealloc, (void *)arrays_free},
    {0, NULL},
};

PyType_Spec core_array_spec = {
    .name = "halfspace._core.Array",
    .basicsize = sizeof(arrays_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = arrays_slots,
};

PyObject *core_array(PyObject *module, PyObject *owner, const void *memory, const char *format,
                     Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t item)
{
    static const char nothing[8] = "";
    PyObject *type = PyObject_GetAttrString(module, "Array");
    if (!type) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    arrays_object *array = (arrays_object *)allocate((PyTypeObject *)type, 0);
    Py_DECREF(type);
    if (!array) return NULL;
    array->owner = Py_NewRef(owner);
    array->memory = memory ? memory : nothing;
    array->format = format;
    array->dims = cols < 0 ? 1 : 2;
    array->item = item;
    array->shape[0] = rows;
    array->shape[1] = cols < 0 ? 1 : cols;
    array->strides[0] = cols < 0 ? item : cols * item;
    array->strides[1] = item;
    return (PyObject *)array;
}
