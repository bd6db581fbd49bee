/* Models: training, prediction, what is inside, files. */
#include "extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void model_free(PyObject *capsule)
{
    core_model *model = PyCapsule_GetPointer(capsule, CORE_MODEL);
    hsp_model_free(model->model);
    free(model);
}

core_model *core_model_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, CORE_MODEL);
}

PyObject *core_model_new(hsp_model *model, const hsp_training *run)
{
    core_model *wrapped = calloc(1, sizeof *wrapped);
    if (wrapped) {
        wrapped->model = model;
        if (run) wrapped->run = *run;
        wrapped->run.evidence = NULL;
        PyObject *capsule = PyCapsule_New(wrapped, CORE_MODEL, model_free);
        if (capsule) return capsule;
    }
    free(wrapped);
    hsp_model_free(model);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

/* ---- Training -------------------------------------------------------------------------------- */

static PyObject *model_evidence(const hsp_evidence *evidence)
{
    if (!evidence) return Py_NewRef(Py_None);
    PyObject *rows = PyList_New(0), *multipliers = PyList_New(0);
    for (uint64_t i = 0; rows && multipliers && i < evidence->count; i++) {
        PyObject *row = PyLong_FromUnsignedLongLong(evidence->row[i]);
        PyObject *multiplier = PyFloat_FromDouble(evidence->multiplier[i]);
        if (!row || !multiplier || PyList_Append(rows, row) ||
            PyList_Append(multipliers, multiplier))
            Py_CLEAR(rows);
        Py_XDECREF(row);
        Py_XDECREF(multiplier);
    }
    if (!rows || !multipliers) {
        Py_XDECREF(rows);
        Py_XDECREF(multipliers);
        return NULL;
    }
    return Py_BuildValue("{sN sN sd sd sz sz}", "rows", rows, "multipliers", multipliers,
                         "distance", evidence->distance, "margin", evidence->margin, "of",
                         evidence->of, "against", evidence->against);
}

/* train(learner, options, data, start, threads, progress) -> (model or None, stop, passes, gap,
 * evidence or None); start: a model or None; gap: NaN if the learner has none. */
CORE_FUNCTION(model_train)
{
    CORE_ARGUMENTS(6);
    const char *learner = core_utf8(args[0]);
    core_data *data = core_data_of(args[2]);
    core_model *start = args[3] == Py_None ? NULL : core_model_of(args[3]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    if (!learner || !data || PyErr_Occurred()) return NULL;
    const hsp_option_table *table = hsp_learner_find(learner);
    if (!table) return PyErr_Format(PyExc_ValueError, "there is no learner '%s'", learner);
    if (core_open(module, (int)PyLong_AsLong(args[4]), args[5], &call)) return NULL;
    hsp_options *options = core_options(&call, table, args[1], &status);
    if (options && start)
        CORE_RUN(&call, hsp_train_from(call.ctx, data->data, options, start->model, &call.err, &run,
                                       &model));
    else if (options)
        CORE_RUN(&call, hsp_train(call.ctx, data->data, options, &call.err, &run, &model));
    hsp_options_free(options);
    if (core_close(&call, status)) {
        if (status == HSP_OK || status == HSP_CANCELLED) hsp_model_free(model);
        if (status == HSP_OK || (status == HSP_CANCELLED && model)) hsp_evidence_free(run.evidence);
        return NULL;
    }
    PyObject *evidence = model_evidence(run.evidence);
    hsp_evidence_free(run.evidence);
    PyObject *wrapped = model ? core_model_new(model, &run) : Py_NewRef(Py_None);
    if (!evidence || !wrapped) {
        Py_XDECREF(evidence);
        Py_XDECREF(wrapped);
        return NULL;
    }
    const double gap = run.has_convergence ? run.convergence.gap : (double)NAN;
    return Py_BuildValue("NsKdN", wrapped, hsp_stop_name(run.stop), (unsigned long long)run.passes,
                         gap, evidence);
}

/* ---- Prediction ------------------------------------------------------------------------------ */

/* score(model, rows, scores, classes, threads): fills the arrays scores (rows * scorers doubles) and
 * classes (rows uint32, or None). */
CORE_FUNCTION(model_score)
{
    CORE_ARGUMENTS(5);
    core_model *model = core_model_of(args[0]);
    Py_buffer held[5] = {{.obj = NULL}, {.obj = NULL}, {.obj = NULL}, {.obj = NULL}, {.obj = NULL}};
    hsp_view view;
    core_call call;
    hsp_status status = HSP_OK;
    if (!model || core_view(args[1], held, &view)) return NULL;
    const Py_ssize_t rows = (Py_ssize_t)view.rows,
                     each = (Py_ssize_t)hsp_model_scorers(model->model);
    int failed = core_buffer(args[2], 'd', rows * each, 1, &held[3]);
    if (!failed && args[3] != Py_None) failed = core_buffer(args[3], 'I', rows, 1, &held[4]);
    if (!failed) failed = core_open(module, (int)PyLong_AsLong(args[4]), Py_None, &call);
    if (!failed) {
        core_unlock(&call);
        if (view.storage == HSP_SPARSE && core_all_ones(&view))
            view = hsp_view_sparse(view.precision, view.rows, view.cols, view.starts_bytes,
                                   view.starts, view.indices, NULL);
        status = hsp_view_check(call.ctx, &view, &call.err);
        if (!status)
            status = hsp_model_score(call.ctx, model->model, &view, &call.err, held[3].buf,
                                     held[4].obj ? held[4].buf : NULL);
        core_lock(&call);
        failed = core_close(&call, status);
    }
    core_release(held, 5);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* From the scores of rows to one number per class. */
static PyObject *model_per_class(PyObject *const *args, Py_ssize_t count,
                                 void (*convert)(const hsp_model *, const double *, double *))
{
    CORE_ARGUMENTS(3);
    core_model *model = core_model_of(args[0]);
    if (!model) return NULL;
    const Py_ssize_t each = (Py_ssize_t)hsp_model_scorers(model->model);
    const Py_ssize_t classes = (Py_ssize_t)hsp_model_classes(model->model);
    Py_buffer held[2] = {{.obj = NULL}, {.obj = NULL}};
    int failed = core_buffer(args[1], 'd', -1, 0, &held[0]);
    const Py_ssize_t rows = failed ? 0 : held[0].len / (8 * each);
    if (!failed) failed = core_buffer(args[2], 'd', rows * classes, 1, &held[1]);
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS for (Py_ssize_t i = 0; i < rows; i++)
            convert(model->model, (const double *)held[0].buf + i * each,
                    (double *)held[1].buf + i * classes);
        Py_END_ALLOW_THREADS
    }
    core_release(held, 2);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* class_scores(model, scores, out), probabilities(model, scores, out) */
CORE_FUNCTION(model_class_scores)
{
    (void)module;
    return model_per_class(args, count, hsp_model_class_scores);
}

CORE_FUNCTION(model_probabilities)
{
    (void)module;
    return model_per_class(args, count, hsp_model_probabilities);
}

/* neighbors(model, rows, k, distances, numbers, classes, threads): fills rows * k doubles, uint64 and
 * uint32. */
CORE_FUNCTION(model_neighbors)
{
    CORE_ARGUMENTS(7);
    core_model *model = core_model_of(args[0]);
    const long long k = PyLong_AsLongLong(args[2]);
    Py_buffer held[6] = {{.obj = NULL}, {.obj = NULL}, {.obj = NULL},
                         {.obj = NULL}, {.obj = NULL}, {.obj = NULL}};
    hsp_view view;
    core_call call;
    hsp_status status = HSP_OK;
    if (!model || k < 1 || core_view(args[1], held, &view)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "k must be 1 or more");
        return NULL;
    }
    const Py_ssize_t all = (Py_ssize_t)view.rows * (Py_ssize_t)k;
    int failed = core_buffer(args[3], 'd', all, 1, &held[3]) ||
                 core_buffer(args[4], 'Q', all, 1, &held[4]) ||
                 core_buffer(args[5], 'I', all, 1, &held[5]);
    hsp_neighbor *found = failed ? NULL : malloc(((size_t)all + 1) * sizeof *found);
    if (!failed && !found) failed = PyErr_NoMemory() == NULL;
    if (!failed) failed = core_open(module, (int)PyLong_AsLong(args[6]), Py_None, &call);
    if (!failed) {
        core_unlock(&call);
        status = hsp_view_check(call.ctx, &view, &call.err);
        if (!status)
            status =
                hsp_model_neighbors(call.ctx, model->model, &view, (uint64_t)k, &call.err, found);
        for (Py_ssize_t i = 0; !status && i < all; i++) {
            ((double *)held[3].buf)[i] = found[i].distance;
            ((uint64_t *)held[4].buf)[i] = found[i].row;
            ((uint32_t *)held[5].buf)[i] = found[i].class_index;
        }
        core_lock(&call);
        failed = core_close(&call, status);
    }
    free(found);
    core_release(held, 6);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* ---- Inside a model -------------------------------------------------------------------------- */

static PyObject *model_names(const hsp_model *model, int features)
{
    const uint64_t count = features ? hsp_model_features(model) : hsp_model_classes(model);
    if (features && (!count || !hsp_model_feature_name(model, 0))) return Py_NewRef(Py_None);
    PyObject *list = PyList_New(0);
    for (uint64_t i = 0; list && i < count; i++) {
        const char *name =
            features ? hsp_model_feature_name(model, i) : hsp_model_class_name(model, (uint32_t)i);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (!text || PyList_Append(list, text)) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *model_metadata(const hsp_model *model)
{
    PyObject *all = PyDict_New();
    const char *name;
    for (size_t i = 0; all && (name = hsp_model_metadata_name(model, i)); i++) {
        const char *text = hsp_model_metadata(model, name);
        PyObject *value = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
        if (!value || PyDict_SetItemString(all, name, value)) Py_CLEAR(all);
        Py_XDECREF(value);
    }
    return all;
}

/* scorers(model) -> [(class of positive scores, class of negative ones or -1: the others)] */
static PyObject *model_scorers(const hsp_model *model)
{
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < hsp_model_scorers(model); i++) {
        const uint32_t against = hsp_model_scorer_against(model, i);
        PyObject *pair = Py_BuildValue("Il", (unsigned)hsp_model_scorer_for(model, i),
                                       against == HSP_NO_CLASS ? -1L : (long)against);
        if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* model_info(model) -> a dictionary */
CORE_FUNCTION(model_info)
{
    (void)module;
    CORE_ARGUMENTS(1);
    core_model *wrapped = core_model_of(args[0]);
    if (!wrapped) return NULL;
    const hsp_model *model = wrapped->model;
    return Py_BuildValue("{sN sN sK sN ss sz sO sO ss sN}", "classes", model_names(model, 0),
                         "feature_names", model_names(model, 1), "features",
                         (unsigned long long)hsp_model_features(model), "scorers",
                         model_scorers(model), "hypothesis", hsp_model_hypothesis(model), "kernel",
                         hsp_model_kernel(model), "has_probabilities",
                         hsp_model_has_probabilities(model) ? Py_True : Py_False, "one_vs_one",
                         hsp_model_is_one_vs_one(model) ? Py_True : Py_False, "tie",
                         hsp_tie_name(hsp_model_tie(model)), "metadata", model_metadata(model));
}

/* weights(model, weights, offsets) -> bool: fills scorers * features and scorers doubles with what
 * scores rows as they are given; False: the model has no such weights. */
CORE_FUNCTION(model_weights)
{
    (void)module;
    CORE_ARGUMENTS(3);
    core_model *model = core_model_of(args[0]);
    if (!model) return NULL;
    const uint32_t scorers = hsp_model_scorers(model->model);
    const Py_ssize_t features = (Py_ssize_t)hsp_model_features(model->model);
    Py_buffer held[2] = {{.obj = NULL}, {.obj = NULL}};
    int failed = core_buffer(args[1], 'd', scorers * features, 1, &held[0]) ||
                 core_buffer(args[2], 'd', scorers, 1, &held[1]);
    int there = 1;
    for (uint32_t s = 0; !failed && there && s < scorers; s++)
        there = hsp_model_file_weights(model->model, s, (double *)held[0].buf + s * features,
                                       (double *)held[1].buf + s);
    core_release(held, 2);
    return failed ? NULL : PyBool_FromLong(there);
}

/* support(model) -> (numbers of the support rows, [coefficients, one array per scorer]) of a kernel
 * model; row_coefficients(model) -> (rows, scorers, amounts). */
CORE_FUNCTION(model_support)
{
    CORE_ARGUMENTS(1);
    core_model *model = core_model_of(args[0]);
    const uint64_t *source = NULL;
    if (!model) return NULL;
    const Py_ssize_t rows = (Py_ssize_t)hsp_model_support(model->model, &source);
    PyObject *list = PyList_New(0);
    for (uint32_t s = 0; list && rows && s < hsp_model_scorers(model->model); s++) {
        PyObject *one =
            core_array(module, args[0], hsp_model_coefficients(model->model, s), "d", rows, -1, 8);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    if (!list) return NULL;
    return Py_BuildValue("NN", core_array(module, args[0], source, "Q", rows, -1, 8), list);
}

CORE_FUNCTION(model_row_coefficients)
{
    CORE_ARGUMENTS(1);
    core_model *model = core_model_of(args[0]);
    if (!model) return NULL;
    const hsp_row_coefficients all = hsp_model_row_coefficients(model->model);
    const Py_ssize_t size = (Py_ssize_t)all.count;
    return Py_BuildValue("NNN", core_array(module, args[0], all.row, "Q", size, -1, 8),
                         core_array(module, args[0], all.scorer, "I", size, -1, 4),
                         core_array(module, args[0], all.amount, "d", size, -1, 8));
}

/* report(model) -> JSON of the run, or None */
CORE_FUNCTION(model_report)
{
    CORE_ARGUMENTS(1);
    core_model *model = core_model_of(args[0]);
    core_call call;
    if (!model) return NULL;
    if (!model->run.size) return Py_NewRef(Py_None);
    if (core_open(module, 1, Py_None, &call)) return NULL;
    PyObject *text = core_json(&call, hsp_training_fields(), &model->run);
    if (core_close(&call, HSP_OK)) Py_CLEAR(text);
    return text;
}

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct model_bytes {
    char *bytes;
    size_t size, room;
} model_bytes;

static int model_take(void *user, const void *bytes, size_t size)
{
    model_bytes *all = user;
    if (all->size + size > all->room) {
        const size_t room = (all->size + size) * 2;
        char *more = realloc(all->bytes, room);
        if (!more) return 1;
        all->bytes = more;
        all->room = room;
    }
    memcpy(all->bytes + all->size, bytes, size);
    all->size += size;
    return 0;
}

/* pack(model) -> bytes, unpack(bytes) -> model: as in files */
CORE_FUNCTION(model_pack)
{
    CORE_ARGUMENTS(1);
    core_model *model = core_model_of(args[0]);
    core_call call;
    hsp_status status = HSP_OK;
    model_bytes all = {NULL, 0, 0};
    if (!model || core_open(module, 0, Py_None, &call)) return NULL;
    CORE_RUN(&call, hsp_model_pack(call.ctx, model->model, model_take, &all, &call.err));
    PyObject *result = core_close(&call, status)
                           ? NULL
                           : PyBytes_FromStringAndSize(all.bytes, (Py_ssize_t)all.size);
    free(all.bytes);
    return result;
}

CORE_FUNCTION(model_unpack)
{
    CORE_ARGUMENTS(1);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_model *model = NULL;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(args[0], &bytes, &size)) return NULL;
    if (core_open(module, 0, Py_None, &call)) return NULL;
    CORE_RUN(&call, hsp_model_unpack(call.ctx, bytes, (size_t)size, &call.err, &model));
    return core_close(&call, status) ? NULL : core_model_new(model, NULL);
}

/* model_write(model, path), model_read(path) -> model; LIBSVM's and LIBLINEAR's are read, too */
CORE_FUNCTION(model_write)
{
    CORE_ARGUMENTS(2);
    core_model *model = core_model_of(args[0]);
    const char *path = model ? core_utf8(args[1]) : NULL;
    core_call call;
    hsp_status status = HSP_OK;
    if (!path || core_open(module, 0, Py_None, &call)) return NULL;
    CORE_RUN(&call, hsp_model_write(call.ctx, model->model, path, &call.err));
    return core_close(&call, status) ? NULL : Py_NewRef(Py_None);
}

CORE_FUNCTION(model_read)
{
    CORE_ARGUMENTS(1);
    const char *path = core_utf8(args[0]);
    core_call call;
    hsp_status status = HSP_OK;
    hsp_model *model = NULL;
    if (!path || core_open(module, 0, Py_None, &call)) return NULL;
    CORE_RUN(&call, hsp_model_read(call.ctx, path, &call.err, &model));
    return core_close(&call, status) ? NULL : core_model_new(model, NULL);
}

PyMethodDef core_model_methods[] = {
    CORE_METHOD("train", model_train),
    CORE_METHOD("score", model_score),
    CORE_METHOD("class_scores", model_class_scores),
    CORE_METHOD("probabilities", model_probabilities),
    CORE_METHOD("neighbors", model_neighbors),
    CORE_METHOD("model_info", model_info),
    CORE_METHOD("weights", model_weights),
    CORE_METHOD("support", model_support),
    CORE_METHOD("row_coefficients", model_row_coefficients),
    CORE_METHOD("report", model_report),
    CORE_METHOD("pack", model_pack),
    CORE_METHOD("unpack", model_unpack),
    CORE_METHOD("model_write", model_write),
    CORE_METHOD("model_read", model_read),
    {NULL, NULL, 0, NULL},
};
