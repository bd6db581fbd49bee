/* Certificates, their checker, and bounds. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

static PyObject *prove_text(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* certify(path, read options, model path or None, options, threads, progress) -> (text or None,
 * [(claim, why not or None)]) */
CORE_FUNCTION(prove_certify)
{
    CORE_ARGUMENTS(6);
    const char *path = core_utf8(args[0]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_certificate *certificate = NULL;
    if (!path || core_open(module, (int)PyLong_AsLong(args[4]), args[5], &call)) return NULL;
    hsp_options *read = core_options(&call, hsp_read_options(), args[1], &status);
    hsp_options *options = core_options(&call, hsp_certify_options(), args[3], &status);
    if (!status && args[2] != Py_None) {
        const char *model = core_utf8(args[2]);
        status = model ? hsp_options_set_text(options, "model", model, &call.err) : HSP_USAGE;
    }
    if (!status)
        CORE_RUN(&call, hsp_certify(call.ctx, path, read, NULL, options, &call.err, &certificate));
    hsp_options_free(read);
    hsp_options_free(options);
    if (core_close(&call, status)) {
        if (!status) hsp_certificate_free(certificate);
        return NULL;
    }
    PyObject *claims = PyList_New(0);
    const char *claim, *why = NULL;
    for (size_t i = 0; claims && (claim = hsp_certificate_claim(certificate, i, &why)); i++) {
        PyObject *one = Py_BuildValue("sz", claim, why);
        if (!one || PyList_Append(claims, one)) Py_CLEAR(claims);
        Py_XDECREF(one);
    }
    const char *text = hsp_certificate_text(certificate, NULL);
    PyObject *result = !claims ? NULL
                       : text  ? Py_BuildValue("sN", text, claims)
                               : Py_BuildValue("ON", Py_None, claims);
    hsp_certificate_free(certificate);
    return result;
}

/* verify(certificate text, path, test path or None, options, threads) -> (result, established, reason) */
CORE_FUNCTION(prove_verify)
{
    CORE_ARGUMENTS(5);
    static const char *const results[] = {"verified", "rejected", "undecided"};
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(args[0], &size);
    const char *path = text ? core_utf8(args[1]) : NULL;
    const char *test = args[2] == Py_None ? NULL : core_utf8(args[2]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_verification *done = NULL;
    if (!path || PyErr_Occurred()) return NULL;
    if (core_open(module, (int)PyLong_AsLong(args[4]), Py_None, &call)) return NULL;
    hsp_options *options = core_options(&call, hsp_verify_options(), args[3], &status);
    if (options)
        CORE_RUN(&call,
                 hsp_verify(call.ctx, text, (size_t)size, path, test, options, &call.err, &done));
    hsp_options_free(options);
    if (core_close(&call, status)) {
        if (!status) hsp_verification_free(done);
        return NULL;
    }
    PyObject *result = Py_BuildValue("sNN", results[done->result], prove_text(done->established),
                                     prove_text(done->reason));
    hsp_verification_free(done);
    return result;
}

/* bound(model, training data or None, test data or None, options, threads) -> JSON */
CORE_FUNCTION(prove_bound)
{
    CORE_ARGUMENTS(5);
    core_model *model = core_model_of(args[0]);
    core_data *train = args[1] == Py_None ? NULL : core_data_of(args[1]);
    core_data *test = args[2] == Py_None ? NULL : core_data_of(args[2]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_error_report *report = NULL;
    PyObject *text = NULL;
    if (!model || PyErr_Occurred()) return NULL;
    if (core_open(module, (int)PyLong_AsLong(args[4]), Py_None, &call)) return NULL;
    hsp_options *options = core_options(&call, hsp_error_report_options(), args[3], &status);
    if (options)
        CORE_RUN(&call,
                 hsp_error_report_new(call.ctx, model->model, train ? train->data : NULL,
                                      test ? test->data : NULL, options, &call.err, &report));
    hsp_options_free(options);
    if (!status) text = core_json(&call, hsp_error_report_fields(), report);
    if (!status) hsp_error_report_free(report);
    if (core_close(&call, status)) Py_CLEAR(text);
    return text;
}

/* audit(model, data, reference or None, find, threads, progress) -> (JSON list of bounds, separates or
 * None, low, high); `find`: look for the widest separator. */
CORE_FUNCTION(prove_audit)
{
    CORE_ARGUMENTS(6);
    core_model *model = core_model_of(args[0]);
    core_data *data = model ? core_data_of(args[1]) : NULL;
    core_model *given = args[2] == Py_None ? NULL : core_model_of(args[2]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_reference widest = {.separator = NULL, .separates = 0, .low = 0, .high = 0};
    hsp_mistake_bound *bounds = NULL;
    size_t size = 0;
    if (!data || PyErr_Occurred()) return NULL;
    const int find = PyObject_IsTrue(args[3]);
    if (core_open(module, (int)PyLong_AsLong(args[4]), args[5], &call)) return NULL;
    if (find)
        CORE_RUN(&call, hsp_reference_find(call.ctx, model->model, data->data, &call.err, &widest));
    const hsp_model *reference = given ? given->model : status ? NULL : widest.separator;
    if (!status)
        CORE_RUN(&call, hsp_audit(call.ctx, model->model, data->data, reference, &call.err, &bounds,
                                  &size));
    PyObject *list = PyList_New(0);
    for (size_t i = 0; !status && list && i < size; i++) {
        PyObject *one = core_json(&call, hsp_mistake_bound_fields(), &bounds[i]);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    hsp_mistake_bounds_free(bounds);
    hsp_model_free(widest.separator);
    if (core_close(&call, status) || !list) {
        Py_XDECREF(list);
        return NULL;
    }
    return Py_BuildValue("NOdd", list, find ? widest.separates ? Py_True : Py_False : Py_None,
                         widest.low, widest.high);
}

/* disjunction(model, column names) -> a model to audit winnow with */
CORE_FUNCTION(prove_disjunction)
{
    CORE_ARGUMENTS(2);
    core_model *model = core_model_of(args[0]);
    const char **names = NULL;
    core_call call;
    hsp_status status = HSP_OK;
    hsp_model *made = NULL;
    if (!model || !PyList_Check(args[1]) || core_names(args[1], PyList_Size(args[1]), &names))
        return NULL;
    if (core_open(module, 1, Py_None, &call)) {
        free(names);
        return NULL;
    }
    status = hsp_model_disjunction(call.ctx, model->model, names, (size_t)PyList_Size(args[1]),
                                   &call.err, &made);
    free(names);
    return core_close(&call, status) ? NULL : core_model_new(made, NULL);
}

PyMethodDef core_prove_methods[] = {
    CORE_METHOD("certify", prove_certify),
    CORE_METHOD("verify", prove_verify),
    CORE_METHOD("bound", prove_bound),
    CORE_METHOD("audit", prove_audit),
    CORE_METHOD("disjunction", prove_disjunction),
    {NULL, NULL, 0, NULL},
};
