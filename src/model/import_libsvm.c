/* LIBSVM's model files. A header of keys and values, then a line a support vector:
 *
 *     svm_type c_svc              SV
 *     kernel_type rbf             coefficient_1 ... coefficient_{k-1} index:value index:value ...
 *     gamma 0.5                   ...
 *     nr_class k
 *     total_sv, rho, label, nr_sv
 *
 * Support vectors are grouped by class, in the order of `label`; nr_sv says how many each has. The
 * decision value of classes i < j is the sum over the support vectors of i of coefficient_{j} and
 * over those of j of coefficient_{i + 1}, times the kernel, - rho: above 0 it is a vote for i, else
 * for j; most votes win, of equal votes the first class. Our pair scores speak for j: they are
 * minus these. Two classes have one score, and it speaks for the first label: as it is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/import.h"

#define LIBSVM_MOST_COLUMN 4294967295.0
#define LIBSVM_COLLAPSE    ((uint64_t)1 << 26) /* weights at most that a linear kernel becomes */
#define LIBSVM_MOST        ((uint64_t)1 << 34) /* coefficients */

typedef enum libsvm_kernel {
    LIBSVM_LINEAR,
    LIBSVM_POLYNOMIAL,
    LIBSVM_RBF,
    LIBSVM_SIGMOID,
    LIBSVM_PRECOMPUTED
} libsvm_kernel;

static const char *const libsvm_kernels[] = {"linear", "polynomial", "rbf", "sigmoid",
                                             "precomputed"};
static const char *const libsvm_types[] = {"c_svc", "nu_svc"};

typedef struct libsvm_file {
    hsp_context *ctx;
    hsp__reader *reader;
    int type, kernel, probabilities;
    uint64_t seen; /* keys, by their place in the table */
    uint64_t classes, total, degree;
    double gamma, coef0;
    hsp__names labels;
    hsp__numbers rho, each; /* nr_sv */
    hsp__numbers coefs;     /* rows * (classes - 1), row after row */
    hsp__numbers values;    /* of the support vectors, row after row */
    void *indices;          /* uint32_t, as in the file */
    uint64_t indices_room;
    uint64_t *starts; /* rows + 1 */
    uint64_t *source; /* rows: of precomputed kernels */
    uint64_t starts_room, source_room, rows;
    uint32_t last; /* the largest index */
    int zero;      /* an index of 0 was seen */
} libsvm_file;

static void libsvm_free(libsvm_file *file)
{
    const hsp_allocator *memory = &file->ctx->allocator;
    hsp__names_free(&file->labels);
    hsp__free(memory, file->rho.x);
    hsp__free(memory, file->each.x);
    hsp__free(memory, file->coefs.x);
    hsp__free(memory, file->values.x);
    hsp__free(memory, file->indices);
    hsp__free(memory, file->starts);
    hsp__free(memory, file->source);
}

/* ---- The header ------------------------------------------------------------------------------ */

/* One of these words is next. */
static hsp_status libsvm_word(hsp__reader *reader, const char *const *words, int count,
                              const char *expected, int *out)
{
    const char *word;
    const size_t size = hsp__reader_word(reader, &word);
    for (int i = 0; i < count; i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0) {
            *out = i;
            return HSP_OK;
        }
    return hsp__reader_fail(reader, word, size, expected);
}

static hsp_status libsvm_list(libsvm_file *file, hsp__numbers *list)
{
    hsp__reader *reader = file->reader;
    const char *word;
    size_t size;
    while ((size = hsp__reader_word(reader, &word)) > 0) {
        double x = 0;
        hsp_status status = hsp__reader_value(reader, word, size, &x);
        if (!status) status = hsp__numbers_add(&file->ctx->allocator, list, x, reader->err);
        if (status) return status;
    }
    return HSP_OK;
}

static const char *const libsvm_keys[] = {
    "svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class",           "total_sv",
    "rho",      "label",       "nr_sv",  "probA", "probB", "prob_density_marks", "SV"};
enum {
    KEY_TYPE,
    KEY_KERNEL,
    KEY_DEGREE,
    KEY_GAMMA,
    KEY_COEF0,
    KEY_CLASSES,
    KEY_TOTAL,
    KEY_RHO,
    KEY_LABEL,
    KEY_EACH,
    KEY_PROB_A,
    KEY_PROB_B,
    KEY_MARKS,
    KEY_SV,
    KEYS
};

static hsp_status libsvm_key(libsvm_file *file, int key)
{
    hsp__reader *reader = file->reader;
    const char *word;
    switch (key) {
    case KEY_TYPE:
        return libsvm_word(reader, libsvm_types, 2,
                           "c_svc or nu_svc (only classification models are supported)",
                           &file->type);
    case KEY_KERNEL:
        return libsvm_word(reader, libsvm_kernels, 5,
                           "linear, polynomial, rbf, sigmoid or precomputed", &file->kernel);
    case KEY_DEGREE:
        return hsp__reader_whole(reader, 0, 1000, &file->degree);
    case KEY_GAMMA:
        return hsp__reader_number(reader, &file->gamma);
    case KEY_COEF0:
        return hsp__reader_number(reader, &file->coef0);
    case KEY_CLASSES:
        return hsp__reader_whole(reader, 2, 65535, &file->classes);
    case KEY_TOTAL:
        return hsp__reader_whole(reader, 0, LIBSVM_MOST_COLUMN, &file->total);
    case KEY_RHO:
        return libsvm_list(file, &file->rho);
    case KEY_LABEL:
        return hsp__reader_labels(reader, &file->labels);
    case KEY_EACH:
        return libsvm_list(file, &file->each);
    default: /* probabilities of its own making: passed over */
        file->probabilities |= key == KEY_PROB_A;
        while (hsp__reader_word(reader, &word)) {
        }
        return HSP_OK;
    }
}

static hsp_status libsvm_header(libsvm_file *file)
{
    hsp__reader *reader = file->reader;
    for (;;) {
        int key = 0;
        const char *before = reader->at;
        hsp_status status =
            libsvm_word(reader, libsvm_keys, KEYS, "a key of LIBSVM's, or SV", &key);
        if (status) return status;
        if (file->seen >> key & 1) return hsp__reader_fail(reader, before, 1, "every key once");
        file->seen |= (uint64_t)1 << key;
        if (key == KEY_SV) break;
        status = libsvm_key(file, key);
        if (!status) status = hsp__reader_end(reader);
        if (status) return status;
        if (!hsp__reader_next(reader))
            return hsp__reader_fail(reader, reader->at, 0, "SV and the support vectors");
    }
    hsp_status status = hsp__reader_end(reader);
    hsp__reader_next(reader);
    return status;
}

#define libsvm_fail(file, ...) \
    hsp__fail_at((file)->reader->err, HSP_BAD_DATA, (file)->reader->file, 0, 0, __VA_ARGS__)

/* Do the numbers of the header go together? */
static hsp_status libsvm_agree(libsvm_file *file)
{
    static const int needed[] = {KEY_TYPE, KEY_KERNEL, KEY_CLASSES, KEY_TOTAL,
                                 KEY_RHO,  KEY_LABEL,  KEY_EACH};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(file->seen >> needed[i] & 1))
            return libsvm_fail(file, "there is no %s", libsvm_keys[needed[i]]);
    const int gamma = file->kernel != LIBSVM_LINEAR && file->kernel != LIBSVM_PRECOMPUTED;
    if (gamma && !(file->seen >> KEY_GAMMA & 1))
        return libsvm_fail(file, "gamma is missing, which the kernel needs");
    if (file->kernel == LIBSVM_POLYNOMIAL && !(file->seen >> KEY_DEGREE & 1))
        return libsvm_fail(file, "degree is missing, which the kernel needs");
    if (file->labels.count != file->classes || file->each.count != file->classes)
        return libsvm_fail(file, "nr_class, label and nr_sv disagree about the number of classes");
    if (file->rho.count != hsp__pair_count(file->classes))
        return libsvm_fail(file, "%llu values of rho, expected one per pair of classes",
                           (unsigned long long)file->rho.count);
    double sum = 0;
    for (uint64_t c = 0; c < file->classes; c++) {
        if (!(file->each.x[c] >= 0 && floor(file->each.x[c]) == file->each.x[c]))
            return libsvm_fail(file, "nr_sv has a number that does not count");
        sum += file->each.x[c];
    }
    if (sum != (double)file->total)
        return libsvm_fail(file, "nr_sv adds up to %.9g, total_sv is %llu", sum,
                           (unsigned long long)file->total);
    return HSP_OK;
}

/* ---- Support vectors ------------------------------------------------------------------------- */

/* "index:value", its index above the one before. */
static hsp_status libsvm_entry(libsvm_file *file, const char *word, size_t size, double *last)
{
    const hsp__reader *reader = file->reader;
    const char *colon = memchr(word, ':', size);
    double index = 0, value = 0;
    if (!colon) return hsp__reader_fail(reader, word, size, "index:value");
    hsp_status status = hsp__reader_value(reader, word, (size_t)(colon - word), &index);
    if (!status)
        status = hsp__reader_value(reader, colon + 1, (size_t)(word + size - colon - 1), &value);
    if (status) return status;
    if (!(index > *last && index <= LIBSVM_MOST_COLUMN && floor(index) == index))
        return hsp__reader_fail(reader, word, size, "a whole index above the one before");
    *last = index;
    if (file->kernel == LIBSVM_PRECOMPUTED) {
        if (index != 0 || !(value >= 1 && value <= LIBSVM_MOST_COLUMN && floor(value) == value))
            return hsp__reader_fail(reader, word, size, "0: and the number of a row");
        file->source[file->rows] = (uint64_t)value; /* columns count from 0: this one has k */
        file->zero = 1;
        return HSP_OK;
    }
    if (index == 0) file->zero = 1;
    if (value == 0) return HSP_OK;
    if (index > file->last) file->last = (uint32_t)index;
    if (!hsp__reserve(&file->ctx->allocator, &file->indices, &file->indices_room,
                      file->values.count + 1, sizeof(uint32_t)))
        return hsp__fail_memory(reader->err);
    ((uint32_t *)file->indices)[file->values.count] = (uint32_t)index;
    return hsp__numbers_add(&file->ctx->allocator, &file->values, value, reader->err);
}

static hsp_status libsvm_row(libsvm_file *file)
{
    hsp__reader *reader = file->reader;
    const char *word;
    size_t size;
    double last = -1, coef = 0;
    hsp_status status = HSP_OK;
    for (uint64_t k = 0; !status && k + 1 < file->classes; k++) {
        status = hsp__reader_number(reader, &coef);
        if (!status)
            status = hsp__numbers_add(&file->ctx->allocator, &file->coefs, coef, reader->err);
    }
    while (!status && (size = hsp__reader_word(reader, &word)) > 0)
        status = libsvm_entry(file, word, size, &last);
    if (!status && file->kernel == LIBSVM_PRECOMPUTED && last < 0)
        status = hsp__reader_fail(reader, reader->at, 0, "0: and the number of a row");
    file->starts[++file->rows] = file->values.count;
    return status;
}

static int libsvm_room(libsvm_file *file)
{
    const hsp_allocator *memory = &file->ctx->allocator;
    void *starts = file->starts, *source = file->source;
    int sound = hsp__reserve(memory, &starts, &file->starts_room, file->rows + 2, sizeof(uint64_t));
    file->starts = starts;
    sound &= hsp__reserve(memory, &source, &file->source_room, file->rows + 1, sizeof(uint64_t));
    file->source = source;
    if (sound) file->starts[0] = 0;
    return sound;
}

/* Rows are not believed to be there before they are seen: room grows with them. What follows the
 * last one is left to hsp__import_finish. */
static hsp_status libsvm_rows(libsvm_file *file)
{
    hsp__reader *reader = file->reader;
    hsp_status status = HSP_OK;
    for (int more = reader->at < reader->end; !status && more && file->rows < file->total;
         more = hsp__reader_next(reader)) {
        const char *word, *line = reader->at;
        if (!hsp__reader_word(reader, &word)) continue; /* an empty line */
        reader->at = line;
        if (!libsvm_room(file)) return hsp__fail_memory(reader->err);
        status = libsvm_row(file);
    }
    if (!status && file->rows < file->total)
        status = libsvm_fail(file, "%llu support vectors, total_sv is %llu",
                             (unsigned long long)file->rows, (unsigned long long)file->total);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* Their kernel as an expression. */
static hsp_status libsvm_expression(libsvm_file *file, int base, hsp_kernel **out)
{
    char gamma[HSP__DECIMAL_MAX], coef0[HSP__DECIMAL_MAX], text[4 * HSP__DECIMAL_MAX + 64];
    hsp_error *err = file->reader->err;
    hsp__decimal_print_f64(file->gamma, gamma);
    hsp__decimal_print_f64(file->coef0, coef0);
    switch ((libsvm_kernel)file->kernel) {
    case LIBSVM_POLYNOMIAL:
        snprintf(text, sizeof text, "(%s*linear + %s)^%llu", gamma, coef0,
                 (unsigned long long)file->degree);
        if (!file->degree) snprintf(text, sizeof text, "const(1)");
        break;
    case LIBSVM_RBF:
        if (file->gamma < 0) return libsvm_fail(file, "gamma is %s, expected 0 or more", gamma);
        snprintf(text, sizeof text, "rbf(%s)", gamma);
        if (file->gamma == 0) snprintf(text, sizeof text, "const(1)");
        break;
    case LIBSVM_SIGMOID:
        snprintf(text, sizeof text, "sigmoid(%s, %s)", gamma, coef0);
        break;
    default:
        snprintf(text, sizeof text, "%s", libsvm_kernels[file->kernel]);
        break;
    }
    return hsp_kernel_parse(file->ctx, text, 1, base, err, out);
}

/* The support vectors as rows. */
static hsp_status libsvm_data(libsvm_file *file, uint32_t base, hsp_data **out)
{
    const uint64_t stored = file->values.count, rows = file->rows;
    const uint64_t cols = stored ? (uint64_t)file->last - base + 1 : 0;
    const uint32_t *indices = file->indices;
    int ones = stored > 0;
    for (uint64_t k = 0; ones && k < stored; k++)
        ones = file->values.x[k] == 1;
    const hsp_storage storage =
        cols ? hsp__storage_choose(rows, cols, stored, ones, HSP_FLOAT64) : HSP_SPARSE;
    hsp_data *data = NULL;
    hsp_status status = hsp__data_shape(file->ctx, storage, HSP_FLOAT64, rows, cols, stored, 0,
                                        file->reader->err, &data);
    if (status) return status;
    double *values = data->values;
    if (storage == HSP_DENSE) memset(values, 0, (size_t)(rows * cols) * sizeof *values);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = file->starts[i]; k < file->starts[i + 1]; k++) {
            if (storage == HSP_DENSE) values[i * cols + indices[k] - base] = file->values.x[k];
            if (storage == HSP_SPARSE) values[k] = file->values.x[k];
            if (storage != HSP_DENSE) data->indices[k] = indices[k] - base;
        }
    for (uint64_t i = 0; storage != HSP_DENSE && i < rows; i++)
        data->starts[i + 1] = file->starts[i + 1];
    data->nonzeros = stored;
    hsp__data_seal(data);
    *out = data;
    return HSP_OK;
}

/* Coefficients and offsets as ours are. */
static void libsvm_fill(const libsvm_file *file, hsp_model *model)
{
    const uint64_t rows = file->rows, k = file->classes;
    hsp__expansion *expansion = model->expansion;
    const double sign = k == 2 ? 1 : -1;
    for (uint64_t p = 0; p < file->rho.count; p++)
        model->offsets[p] = -sign * file->rho.x[p];
    for (uint64_t c = 0, i = 0; c < k; c++)
        for (const uint64_t end = i + (uint64_t)file->each.x[c]; i < end; i++)
            for (uint64_t other = 0; other < k; other++) {
                if (other == c) continue;
                const uint64_t p = c < other ? hsp__pair(k, c, other) : hsp__pair(k, other, c);
                expansion->coefficients[p * rows + i] =
                    sign * file->coefs.x[i * (k - 1) + (other < c ? other : other - 1)];
            }
    for (uint64_t i = 0; i < rows; i++)
        expansion->source[i] = file->kernel == LIBSVM_PRECOMPUTED ? file->source[i] : i;
}

/* A linear kernel's expansion is a vector of weights. */
static hsp_status libsvm_collapse(libsvm_file *file, hsp_model **model)
{
    hsp_model *linear = NULL;
    if (file->kernel != LIBSVM_LINEAR || (*model)->features > LIBSVM_COLLAPSE / (*model)->scorers)
        return HSP_OK;
    hsp_status status = hsp__model_collapse(file->ctx, *model, file->reader->err, &linear);
    if (status || !linear) return status;
    hsp_model_free(*model);
    *model = linear;
    return HSP_OK;
}

static hsp_status libsvm_model(libsvm_file *file, hsp_model **out)
{
    hsp_error *err = file->reader->err;
    const int base = !file->zero;
    hsp_kernel *kernel = NULL;
    hsp_data *rows = NULL;
    hsp_model *model = NULL;
    if (file->rho.count > LIBSVM_MOST / (file->rows + 1))
        return libsvm_fail(file,
                           "%llu support vectors for %llu pairs of classes, which is too much",
                           (unsigned long long)file->rows, (unsigned long long)file->rho.count);
    hsp_status status = libsvm_data(file, (uint32_t)base, &rows);
    if (!status) status = libsvm_expression(file, base, &kernel);
    if (status) {
        hsp_data_free(rows);
        return status;
    }
    const uint64_t cols = rows->view.cols;
    status = hsp__model_new_expansion(file->ctx, (uint32_t)file->rho.count, cols, kernel, rows, err,
                                      &model);
    if (status) return status;
    model->pairs = file->classes > 2 ? HSP__PAIRS_FIRST : 0;
    model->tie = file->classes > 2 ? HSP_TIE_POS : HSP_TIE_NEG;
    libsvm_fill(file, model);
    status = libsvm_collapse(file, &model);
    if (!status)
        status = hsp__import_finish(file->ctx, model, &file->labels, "LIBSVM",
                                    libsvm_types[file->type], base ? "1" : "0", file->reader);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

hsp_status hsp__import_libsvm(hsp_context *ctx, hsp__reader *reader, hsp_model **out)
{
    libsvm_file file = {.ctx = ctx, .reader = reader};
    hsp__names_init(&file.labels, &ctx->allocator);
    hsp_status status = libsvm_header(&file);
    if (!status) status = libsvm_agree(&file);
    if (!status) status = libsvm_rows(&file);
    if (!status) status = libsvm_model(&file, out);
    if (!status && file.probabilities)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "the probabilities of the LIBSVM model (probA, probB) were left out; the model "
                 "predicts as svm-predict does without -b 1");
    libsvm_free(&file);
    return status;
}
