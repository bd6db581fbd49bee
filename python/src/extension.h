/* What the files of the extension share. The extension is a thin layer: it turns arrays into views and
 * dictionaries into options, calls the library without the interpreter's lock, and turns what comes
 * back into arrays, texts and exceptions. Everything else is Python (python/halfspace/).
 *
 * It uses the stable interface of Python 3.11 only (Py_LIMITED_API), so one build serves all later
 * versions, and the buffer protocol instead of numpy's headers. Objects of the library are capsules. */
#ifndef HSP_PYTHON_EXTENSION_H
#define HSP_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "halfspace_all.h"

#define CORE_MODEL "halfspace.model"
#define CORE_DATA  "halfspace.data"

/* A model, and the run that made it (run.size 0: it was read from a file). */
typedef struct core_model {
    hsp_model *model;
    hsp_training run;
} core_model;

/* A data set, and the arrays that it borrows. */
#define CORE_BUFFERS 4
typedef struct core_data {
    hsp_data *data;
    Py_buffer held[CORE_BUFFERS]; /* obj NULL: not in use */
} core_data;

/* A call of the library: a context, the error, and what the library says on the way. */
typedef struct core_call {
    PyObject *module;
    hsp_context *ctx;
    hsp_error err;
    PyObject *progress;   /* a function, or None */
    PyThreadState *saved; /* while the lock is not ours */
    char **warnings;      /* count, malloc'ed */
    size_t count;
} core_call;

/* Take a context with this number of threads (0: one per processor). 0, or -1 with an exception. */
int core_open(PyObject *module, int threads, PyObject *progress, core_call *call);
/* Give the lock up before the library is called, and take it again. */
void core_unlock(core_call *call);
void core_lock(core_call *call);
/* Give the context back, hand warnings to Python, and turn a status into an exception. 0, or -1 with
 * an exception: core.Error with status, file, line, column and message, or that of a signal. */
int core_close(core_call *call, hsp_status status);

/* core_call a library function: CORE_RUN(&call, hsp_train(call.ctx, ...)). */
#define CORE_RUN(call, expression)            \
    do {                                      \
        core_unlock(call);                    \
        const hsp_status run_ = (expression); \
        core_lock(call);                      \
        if (run_ && !status) status = run_;   \
    } while (0)

/* A string as UTF-8; it lives as long as the string. NULL with an exception, also if there is a zero in it. */
const char *core_utf8(PyObject *string);

/* ---- Options (core_options.c) ---- */

/* Options of a table with the values of a dictionary {name: text or list of texts}, or None. NULL: see
 * call->err and *status. */
hsp_options *core_options(core_call *call, const hsp_option_table *table, PyObject *values,
                          hsp_status *status);

/* ---- Arrays (core_arrays.c) ---- */

/* A view of rows: a 2-d array of float or double with contiguous rows, or a tuple (values or None,
 * columns, offsets, number of columns) of compressed sparse rows. `held` gets the buffers. */
int core_view(PyObject *rows, Py_buffer held[3], hsp_view *view);
/* A buffer of one type, C-contiguous: 'd' double, 'I' uint32, 'Q' uint64, and of `size` elements (-1:
 * any number). */
int core_buffer(PyObject *array, char type, Py_ssize_t size, int writable, Py_buffer *buffer);
/* Are all values 1? */
int core_all_ones(const hsp_view *view);
void core_release(Py_buffer *held, size_t count);
/* An object that exports memory which lives as long as `owner`. */
PyObject *core_array(PyObject *module, PyObject *owner, const void *memory, const char *format,
                     Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t item);
/* A list of names as C strings, malloc'ed; they live as long as the list. *names NULL for None. */
int core_names(PyObject *list, Py_ssize_t count, const char ***names);

core_model *core_model_of(PyObject *capsule);
core_data *core_data_of(PyObject *capsule);
PyObject *core_model_new(hsp_model *model, const hsp_training *run);

/* A report as JSON text, or NULL with an exception. */
PyObject *core_json(core_call *call, const hsp_field *fields, const void *record);

PyMODINIT_FUNC PyInit__core(void);

extern PyMethodDef core_options_methods[], core_data_methods[], core_model_methods[],
    core_prove_methods[], core_plot_methods[];
extern PyType_Spec core_array_spec;

/* The types of the functions' arguments. */
#define CORE_FUNCTION(name) \
    static PyObject *name(PyObject *module, PyObject *const *args, Py_ssize_t count)
#define CORE_METHOD(name, function)                                      \
    {                                                                    \
        name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, NULL \
    }
/* The number of arguments is known to the Python code of the package, which alone calls these. */
#define CORE_ARGUMENTS(expected)                                                       \
    do {                                                                               \
        if (count != (expected))                                                       \
            return PyErr_Format(PyExc_TypeError, "expected %d arguments", (expected)); \
    } while (0)

#endif
