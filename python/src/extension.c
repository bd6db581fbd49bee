/* The module: contexts, calls, errors, signals. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORE_IDLE = 8 };

/* Contexts that no call uses keep their threads for the next one. A fork has none of the threads, so
 * it starts with contexts of its own. */
typedef struct core_state {
    pid_t process;
    int idle;
    hsp_context *contexts[CORE_IDLE];
    PyObject *error;
    PyObject *array_type;
} core_state;

const char *core_utf8(PyObject *string)
{
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(string, &size);
    if (!text || strlen(text) == (size_t)size) return text;
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return NULL;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void core_unlock(core_call *call)
{
    call->saved = PyEval_SaveThread();
}

void core_lock(core_call *call)
{
    PyEval_RestoreThread(call->saved);
    call->saved = NULL;
}

/* Every 20 to 50 milliseconds: has the user pressed Ctrl-C, and is there somebody to tell? */
static int core_on_progress(void *user, const hsp_progress *progress)
{
    core_call *call = user;
    core_lock(call);
    int stop = PyErr_Occurred() || PyErr_CheckSignals();
    if (!stop && call->progress != Py_None) {
        PyObject *answer = PyObject_CallFunction(call->progress, "ssKKdd", progress->phase,
                                                 progress->unit, (unsigned long long)progress->done,
                                                 (unsigned long long)progress->total, progress->gap,
                                                 progress->target);
        stop = !answer;
        Py_XDECREF(answer);
    }
    core_unlock(call);
    return stop;
}

/* The lock is not ours here, so the sentence waits for the end of the call. */
static void core_on_log(void *user, hsp_log_level level, const char *sentence)
{
    core_call *call = user;
    if (level != HSP_LOG_WARNING) return;
    char **more = realloc(call->warnings, (call->count + 1) * sizeof *more);
    if (!more) return;
    call->warnings = more;
    call->warnings[call->count] = strdup(sentence);
    if (call->warnings[call->count]) call->count++;
}

int core_open(PyObject *module, int threads, PyObject *progress, core_call *call)
{
    core_state *state = PyModule_GetState(module);
    *call = (core_call){.module = module, .err = HSP_ERROR_INIT, .progress = progress};
    if (state->process != getpid()) {
        while (state->idle)
            hsp_context_free(state->contexts[--state->idle]);
        state->process = getpid();
    }
    if (state->idle)
        call->ctx = state->contexts[--state->idle];
    else if (hsp_context_new(NULL, &call->ctx)) {
        PyErr_NoMemory();
        return -1;
    }
    hsp_context_set_threads(call->ctx, threads);
    hsp_context_set_progress(call->ctx, core_on_progress, call);
    hsp_context_set_log(call->ctx, core_on_log, call);
    return 0;
}

/* A warning of Python that points at the caller of the package. 0, or -1 with an exception. */
static int core_warn(const char *sentence)
{
    PyObject *errors = PyImport_ImportModule("halfspace._errors");
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    PyObject *done = errors && text ? PyObject_CallMethod(errors, "warn_library", "O", text) : NULL;
    const int failed = !done;
    Py_XDECREF(done);
    Py_XDECREF(text);
    Py_XDECREF(errors);
    return failed ? -1 : 0;
}

int core_close(core_call *call, hsp_status status)
{
    core_state *state = PyModule_GetState(call->module);
    hsp_context_set_progress(call->ctx, NULL, NULL);
    hsp_context_set_log(call->ctx, NULL, NULL);
    if (state->idle < CORE_IDLE)
        state->contexts[state->idle++] = call->ctx;
    else
        hsp_context_free(call->ctx);
    int failed = PyErr_Occurred() != NULL;
    for (size_t i = 0; i < call->count; i++) {
        if (!failed) failed = core_warn(call->warnings[i]) != 0;
        free(call->warnings[i]);
    }
    free(call->warnings);
    if (failed) return -1;
    if (!status) return 0;
    const hsp_error *err = &call->err;
    PyObject *file = PyUnicode_DecodeUTF8(err->file, (Py_ssize_t)strlen(err->file), "replace");
    PyObject *text =
        PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message), "replace");
    PyObject *value = !file || !text ? NULL
                                     : Py_BuildValue("sOKKO", hsp_status_name(status), file,
                                                     (unsigned long long)err->line,
                                                     (unsigned long long)err->column, text);
    if (value) PyErr_SetObject(state->error, value);
    Py_XDECREF(value);
    Py_XDECREF(file);
    Py_XDECREF(text);
    return -1;
}

/* ---- Reports --------------------------------------------------------------------------------- */

typedef struct core_text {
    char *bytes;
    size_t size;
} core_text;

static int core_take(void *user, const void *bytes, size_t size)
{
    core_text *text = user;
    char *more = realloc(text->bytes, text->size + size);
    if (!more) return 1;
    text->bytes = more;
    memcpy(more + text->size, bytes, size);
    text->size += size;
    return 0;
}

PyObject *core_json(core_call *call, const hsp_field *fields, const void *record)
{
    core_text text = {NULL, 0};
    PyObject *result = NULL;
    hsp_status status = hsp_report_json(call->ctx, fields, record, core_take, &text, &call->err);
    if (status)
        PyErr_NoMemory();
    else
        result = PyUnicode_DecodeUTF8(text.bytes, (Py_ssize_t)text.size, "replace");
    free(text.bytes);
    return result;
}

/* ---- The module ------------------------------------------------------------------------------ */

static PyObject *core_version(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return PyUnicode_FromString(hsp_version());
}

static PyMethodDef core_methods[] = {
    {"version", core_version, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int core_exec(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    PyMethodDef *const all[] = {core_options_methods, core_data_methods, core_model_methods,
                                core_prove_methods, core_plot_methods};
    state->process = getpid();
    state->error = PyErr_NewExceptionWithDoc("halfspace._core.Error",
                                             "(status, file, line, column, message) of the library",
                                             NULL, NULL);
    state->array_type = PyType_FromModuleAndSpec(module, &core_array_spec, NULL);
    if (!state->error || !state->array_type) return -1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (PyModule_AddFunctions(module, all[i])) return -1;
    return PyModule_AddObjectRef(module, "Error", state->error) ||
                   PyModule_AddObjectRef(module, "Array", state->array_type)
               ? -1
               : 0;
}

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    if (!state) return 0;
    Py_VISIT(state->error);
    Py_VISIT(state->array_type);
    return 0;
}

static int core_clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    if (!state) return 0;
    Py_CLEAR(state->error);
    Py_CLEAR(state->array_type);
    return 0;
}

static void core_free(void *module)
{
    core_state *state = PyModule_GetState(module);
    if (!state) return;
    core_clear(module);
    while (state->idle)
        hsp_context_free(state->contexts[--state->idle]);
}

static PyModuleDef_Slot core_slots[] = {{Py_mod_exec, (void *)core_exec}, {0, NULL}};

static struct PyModuleDef core_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "halfspace._core",
    .m_size = sizeof(core_state),
    .m_methods = core_methods,
    .m_slots = core_slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
