/* Models of other programs, read: LIBSVM's and LIBLINEAR's (docs/models.md). */
#include "model/import.h"

#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/formats.h"
#include "data/source.h"

/* A text, word by word, with the place for errors. */
typedef struct import_reader {
    const char *file;
    const char *at, *end; /* what is left */
    const char *line;     /* where the line begins */
    uint64_t number;      /* of the line, from 1 */
    hsp_error *err;
} import_reader;

/* Numbers of which there may be any number. */
typedef struct import_numbers {
    double *x;
    uint64_t count, room;
} import_numbers;

/* ---- Words ----------------------------------------------------------------------------------- */

static int reader_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static size_t reader_word(import_reader *reader, const char **word)
{
    while (reader->at < reader->end && reader_blank(*reader->at))
        reader->at++;
    *word = reader->at;
    while (reader->at < reader->end && *reader->at != '\n' && !reader_blank(*reader->at))
        reader->at++;
    return (size_t)(reader->at - *word);
}

static int reader_next(import_reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    if (reader->at < reader->end) reader->at++;
    reader->line = reader->at;
    reader->number++;
    return reader->at < reader->end;
}

static hsp_status reader_fail(const import_reader *reader, const char *at, size_t size,
                              const char *expected)
{
    char quoted[HSP__QUOTED];
    const uint64_t column = (uint64_t)(at - reader->line) + 1;
    if (!size)
        return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, reader->number, column,
                            "found the end of the line, expected %s", expected);
    return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, reader->number, column,
                        "found '%s', expected %s", hsp__quote(at, size, quoted), expected);
}

static hsp_status reader_value(const import_reader *reader, const char *text, size_t size,
                               double *out)
{
    hsp__decimal_result result;
    const char *end = text + size;
    if (size && hsp__decimal_f64(text, end, out, &result) == end && result == HSP__DECIMAL_OK)
        return HSP_OK;
    return reader_fail(reader, text, size, "a finite number");
}

static hsp_status reader_number(import_reader *reader, double *out)
{
    const char *word;
    const size_t size = reader_word(reader, &word);
    return reader_value(reader, word, size, out);
}

static hsp_status reader_whole(import_reader *reader, double least, double most, uint64_t *out)
{
    const char *word;
    const size_t size = reader_word(reader, &word);
    double number = 0;
    hsp_status status = reader_value(reader, word, size, &number);
    if (status) return status;
    if (!(number >= least && number <= most && floor(number) == number))
        return reader_fail(reader, word, size, "a whole number in range");
    *out = (uint64_t)number;
    return HSP_OK;
}

static hsp_status reader_end(import_reader *reader)
{
    const char *word;
    const size_t size = reader_word(reader, &word);
    return size ? reader_fail(reader, word, size, "the end of the line") : HSP_OK;
}

static hsp_status numbers_add(const hsp_allocator *memory, import_numbers *list, double x,
                              hsp_error *err)
{
    void *numbers = list->x;
    if (!hsp__reserve(memory, &numbers, &list->room, list->count + 1, sizeof *list->x))
        return hsp__fail_memory(err);
    list->x = numbers;
    list->x[list->count++] = x;
    return HSP_OK;
}

static hsp_status reader_labels(import_reader *reader, hsp__names *names)
{
    const char *word;
    size_t size;
    if (names->count) return reader_fail(reader, reader->line, 5, "labels once");
    while ((size = reader_word(reader, &word)) > 0) {
        double value = 0;
        uint32_t number;
        const uint32_t before = names->count;
        hsp_status status = reader_value(reader, word, size, &value);
        if (status) return status;
        if (hsp__label_add(names, word, size, &number) != HSP__LABEL_OK)
            return hsp__fail_memory(reader->err);
        if (number < before) return reader_fail(reader, word, size, "another label");
    }
    return HSP_OK;
}

/* ---- The data -------------------------------------------------------------------------------- */

/* One line: hashes separated by blanks. The first is of the model's own data. */
static hsp_status import_hashes(import_reader *reader, hsp_model *model)
{
    const char *word;
    size_t size;
    hsp_status status = HSP_OK;
    for (int i = 0; !status && (size = reader_word(reader, &word)) > 0; i++) {
        char hash[HSP__HASH_TEXT];
        if (size >= sizeof hash || memchr(word, 0, size))
            return reader_fail(reader, word, size, "the hash of a data set");
        memcpy(hash, word, size);
        hash[size] = 0;
        if (i == 0)
            status = hsp__model_set_metadata(model, "data_hash", hash, reader->err);
        else if (i == 1 && strncmp(hash, HSP__HASH_SINGLE, strlen(HSP__HASH_SINGLE)) == 0)
            status = hsp__model_set_metadata(model, "data_hash_single", hash, reader->err);
        else
            status = hsp__model_add_earlier(model, hash, reader->err);
    }
    return status;
}

static hsp_status import_trained_on(import_reader *reader, hsp_model *model)
{
    const size_t size = strlen(HSP__TRAINED_ON);
    const char *word;
    hsp_status status = HSP_OK;
    for (int more = reader->at < reader->end; !status && more; more = reader_next(reader)) {
        const int says = (size_t)(reader->end - reader->at) > size &&
                         memcmp(reader->at, HSP__TRAINED_ON, size) == 0;
        if (says) {
            reader->at += size;
            status = import_hashes(reader, model);
        } else if (reader_word(reader, &word)) {
            return reader_fail(reader, word, 1, "the end of the file");
        }
    }
    return status;
}

/* ---- What imported models have --------------------------------------------------------------- */

static hsp_status import_finish(hsp_context *ctx, hsp_model *model, const hsp__names *labels,
                                const char *program, const char *kind, const char *index_base,
                                import_reader *reader)
{
    hsp_error *err = reader->err;
    for (uint32_t c = 0; c < labels->count; c++) {
        const uint32_t from = labels->count == 2 ? 1 - c : c;
        uint32_t number;
        if (!hsp__names_add(&model->class_names, hsp__names_get(labels, from),
                            hsp__names_size(labels, from), &number))
            return hsp__fail_memory(err);
    }
    HSP__TRY(hsp__model_set_metadata(model, "imported_from", program, err));
    HSP__TRY(hsp__model_set_metadata(model, "imported_kind", kind, err));
    HSP__TRY(hsp__model_set_metadata(model, "index_base", index_base, err));
    HSP__TRY(hsp__model_set_metadata(model, "precision", "double", err));
    HSP__TRY(hsp__model_set_metadata(model, "version", hsp_version(), err));
    HSP__TRY(import_trained_on(reader, model));
    return hsp__model_check(ctx, model, reader->file, err);
}

/* ---- Headers --------------------------------------------------------------------------------- */

typedef enum import_kind {
    IMPORT_WORD,   /* one of `words`, its place into an int */
    IMPORT_WHOLE,  /* from `least` to `most`, into a uint64_t */
    IMPORT_NUMBER, /* into a double */
    IMPORT_LIST,   /* into import_numbers */
    IMPORT_LABELS, /* into hsp__names */
    IMPORT_SKIPPED
} import_kind;

/* A key and what its line says; the last key of a header ends it, without a value. */
typedef struct import_key {
    const char *name;
    import_kind kind;
    void *out;
    double least, most;
    const char *const *words; /* the last is NULL */
    const char *expected;
} import_key;

static hsp_status import_value(const hsp_allocator *memory, import_reader *reader,
                               const import_key *key)
{
    const char *word;
    size_t size;
    double x = 0;
    switch (key->kind) {
    case IMPORT_WORD:
        size = reader_word(reader, &word);
        for (int i = 0; key->words[i]; i++)
            if (strlen(key->words[i]) == size && memcmp(key->words[i], word, size) == 0) {
                *(int *)key->out = i;
                return HSP_OK;
            }
        return reader_fail(reader, word, size, key->expected);
    case IMPORT_WHOLE:
        return reader_whole(reader, key->least, key->most, key->out);
    case IMPORT_NUMBER:
        return reader_number(reader, key->out);
    case IMPORT_LABELS:
        return reader_labels(reader, key->out);
    case IMPORT_LIST:
        while ((size = reader_word(reader, &word)) > 0) {
            HSP__TRY(reader_value(reader, word, size, &x));
            HSP__TRY(numbers_add(memory, key->out, x, reader->err));
        }
        return HSP_OK;
    case IMPORT_SKIPPED:
        while (reader_word(reader, &word)) {
        }
    }
    return HSP_OK;
}

/* Keys in any order, each once, up to the last; *seen has a bit for each. */
static hsp_status import_header(const hsp_allocator *memory, import_reader *reader,
                                const import_key *keys, size_t count, const char *unknown,
                                const char *once, const char *end, uint64_t *seen)
{
    for (;;) {
        const char *word;
        const size_t size = reader_word(reader, &word);
        size_t key = 0;
        while (key < count &&
               (strlen(keys[key].name) != size || memcmp(keys[key].name, word, size) != 0))
            key++;
        if (key == count) return reader_fail(reader, word, size, unknown);
        if (*seen >> key & 1) return reader_fail(reader, word, size, once);
        *seen |= (uint64_t)1 << key;
        if (key + 1 == count) return HSP_OK;
        HSP__TRY(import_value(memory, reader, &keys[key]));
        HSP__TRY(reader_end(reader));
        if (!reader_next(reader)) return reader_fail(reader, reader->at, 0, end);
    }
}

/* ---- LIBLINEAR ---------------------------------------------------------------------------------
 *
LIBLINEAR's model files:
 *
 *     solver_type L2R_L2LOSS_SVC_DUAL
 *     nr_class k
 *     label 1 -1
 *     nr_feature d
 *     bias b
 *     w
 *     a line a feature (and one for the bias when b >= 0) of one weight a class
 *
 * Two classes have one weight (MCSVM_CS: two), and a value above 0 says the first label; more have
 * one per class, and the first of the highest says. */

/* Solvers that tell classes apart; the last is the one that scores two classes twice. */
static const char *const liblinear_solvers[] = {"L2R_LR",
                                                "L2R_LR_DUAL",
                                                "L1R_LR",
                                                "L2R_L2LOSS_SVC_DUAL",
                                                "L2R_L2LOSS_SVC",
                                                "L2R_L1LOSS_SVC_DUAL",
                                                "L1R_L2LOSS_SVC",
                                                "MCSVM_CS",
                                                NULL};
enum { LIBLINEAR_LOGISTIC = 3, LIBLINEAR_CRAMMER = 7 };

typedef struct liblinear_file {
    import_reader *reader;
    int solver;
    uint64_t classes, features;
    double bias;
    hsp__names labels;
} liblinear_file;

static hsp_status liblinear_header(liblinear_file *file)
{
    static const char keys_once[] = "solver_type, nr_class, label, nr_feature, bias or w, once";
    import_reader *reader = file->reader;
    const import_key keys[] = {
        {"solver_type", IMPORT_WORD, &file->solver, .words = liblinear_solvers,
         .expected = "a classification solver (L2R_LR, L2R_L2LOSS_SVC, MCSVM_CS and the like)"},
        {"nr_class", IMPORT_WHOLE, &file->classes, .least = 2, .most = 4294967295.0},
        {"label", IMPORT_LABELS, .out = &file->labels},
        {"nr_feature", IMPORT_WHOLE, &file->features, .most = 4294967295.0},
        {"bias", IMPORT_NUMBER, .out = &file->bias},
        {"w", IMPORT_SKIPPED, .out = NULL}};
    enum { COUNT = sizeof keys / sizeof *keys };
    uint64_t seen = 0;
    HSP__TRY(import_header(NULL, reader, keys, COUNT, keys_once, keys_once, "w", &seen));
    if (seen != (1U << COUNT) - 1)
        return reader_fail(reader, reader->line, 1,
                           "solver_type, nr_class, label, nr_feature and bias before");
    if (file->labels.count != file->classes)
        return reader_fail(reader, reader->line, 1, "before it as many labels as classes");
    reader_next(reader);
    return HSP_OK;
}

/* The numbers of one line: the weights of a feature, or with `bias` what goes into the offsets. */
static hsp_status liblinear_line(liblinear_file *file, hsp_model *model, uint64_t feature,
                                 uint64_t columns, int bias)
{
    hsp_status status = HSP_OK;
    for (uint64_t c = 0; !status && c < columns; c++) {
        double number = 0;
        status = reader_number(file->reader, &number);
        const uint64_t scorer = columns > model->scorers ? 0 : c;
        const double signed_number = scorer == c ? number : -number; /* two weights: difference */
        if (bias)
            model->offsets[scorer] += signed_number * file->bias;
        else
            model->weights[scorer * model->features + feature] += signed_number;
    }
    if (!status) status = reader_end(file->reader);
    reader_next(file->reader);
    return status;
}

static hsp_status import_liblinear(hsp_context *ctx, import_reader *reader, hsp_model **out)
{
    liblinear_file file = {.reader = reader};
    hsp_model *model = NULL;
    hsp__names_init(&file.labels, &ctx->allocator);
    hsp_status status = liblinear_header(&file);
    /* A weight takes two bytes at least: what the file cannot have is not allocated. */
    const uint64_t scorers = file.classes == 2 ? 1 : file.classes;
    if (!status && file.features > (uint64_t)(reader->end - reader->at) / (2 * scorers) + 1)
        status = hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, 0, 0,
                              "the file is too short for the weights of %llu features",
                              (unsigned long long)file.features);
    if (!status)
        status = hsp__model_new(ctx, (uint32_t)scorers, file.features, reader->err, &model);
    const int twice = file.solver == LIBLINEAR_CRAMMER && file.classes == 2;
    const uint64_t columns = twice ? 2 : scorers;
    for (uint64_t j = 0; !status && j < file.features; j++)
        status = liblinear_line(&file, model, j, columns, 0);
    if (!status && file.bias >= 0) status = liblinear_line(&file, model, 0, columns, 1);
    if (!status && twice) model->tie = HSP_TIE_POS; /* of equal values the first label */
    if (!status && file.solver < LIBLINEAR_LOGISTIC) model->probability.link = HSP__LINK_LOGISTIC;
    if (!status)
        status = import_finish(ctx, model, &file.labels, "LIBLINEAR",
                               liblinear_solvers[file.solver], "1", reader);
    hsp__names_free(&file.labels);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

/* ---- LIBSVM ------------------------------------------------------------------------------------
 *
LIBSVM's model files. A header of keys and values, then a line a support vector:
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

static const char *const libsvm_kernels[] = {"linear",  "polynomial",  "rbf",
                                             "sigmoid", "precomputed", NULL};
static const char *const libsvm_types[] = {"c_svc", "nu_svc", NULL};

typedef struct libsvm_file {
    hsp_context *ctx;
    import_reader *reader;
    int type, kernel;
    uint64_t seen; /* keys, by their place in the table */
    uint64_t classes, total, degree;
    double gamma, coef0;
    hsp__names labels;
    import_numbers rho, each;      /* nr_sv */
    import_numbers prob_a, prob_b; /* of each pair, or none */
    import_numbers coefs;          /* rows * (classes - 1), row after row */
    import_numbers values;         /* of the support vectors, row after row */
    void *indices;                 /* uint32_t, as in the file */
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
    hsp__free(memory, file->prob_a.x);
    hsp__free(memory, file->prob_b.x);
    hsp__free(memory, file->coefs.x);
    hsp__free(memory, file->values.x);
    hsp__free(memory, file->indices);
    hsp__free(memory, file->starts);
    hsp__free(memory, file->source);
}

/* ---- The header ------------------------------------------------------------------------------ */

enum { /* keys that are asked for */
       LIBSVM_KEY_DEGREE = 2,
       LIBSVM_KEY_GAMMA = 3
};

#define libsvm_fail(file, ...) \
    hsp__fail_at((file)->reader->err, HSP_BAD_DATA, (file)->reader->file, 0, 0, __VA_ARGS__)

/* The keys, and whether their numbers go together. */
static hsp_status libsvm_header(libsvm_file *file)
{
    const import_key keys[] = {
        {"svm_type", IMPORT_WORD, &file->type, .words = libsvm_types,
         .expected = "c_svc or nu_svc (only classification models are supported)"},
        {"kernel_type", IMPORT_WORD, &file->kernel, .words = libsvm_kernels,
         .expected = "linear, polynomial, rbf, sigmoid or precomputed"},
        {"degree", IMPORT_WHOLE, &file->degree, .most = 1000},
        {"gamma", IMPORT_NUMBER, .out = &file->gamma},
        {"coef0", IMPORT_NUMBER, .out = &file->coef0},
        {"nr_class", IMPORT_WHOLE, &file->classes, .least = 2, .most = 65535},
        {"total_sv", IMPORT_WHOLE, &file->total, .most = LIBSVM_MOST_COLUMN},
        {"rho", IMPORT_LIST, .out = &file->rho},
        {"label", IMPORT_LABELS, .out = &file->labels},
        {"nr_sv", IMPORT_LIST, .out = &file->each},
        {"probA", IMPORT_LIST, .out = &file->prob_a},
        {"probB", IMPORT_LIST, .out = &file->prob_b},
        {"prob_density_marks", IMPORT_SKIPPED, .out = NULL},
        {"SV", IMPORT_SKIPPED, .out = NULL}};
    static const int needed[] = {0, 1, 5, 6, 7, 8, 9};
    HSP__TRY(import_header(&file->ctx->allocator, file->reader, keys, sizeof keys / sizeof *keys,
                           "a key of LIBSVM's, or SV", "every key once",
                           "SV and the support vectors", &file->seen));
    HSP__TRY(reader_end(file->reader));
    reader_next(file->reader);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(file->seen >> needed[i] & 1))
            return libsvm_fail(file, "there is no %s", keys[needed[i]].name);
    const int gamma = file->kernel != LIBSVM_LINEAR && file->kernel != LIBSVM_PRECOMPUTED;
    if (gamma && !(file->seen >> LIBSVM_KEY_GAMMA & 1))
        return libsvm_fail(file, "gamma is missing, which the kernel needs");
    if (file->kernel == LIBSVM_POLYNOMIAL && !(file->seen >> LIBSVM_KEY_DEGREE & 1))
        return libsvm_fail(file, "degree is missing, which the kernel needs");
    if (file->labels.count != file->classes || file->each.count != file->classes)
        return libsvm_fail(file, "nr_class, label and nr_sv disagree about the number of classes");
    if (file->rho.count != hsp__pair_count(file->classes))
        return libsvm_fail(file, "%llu values of rho, expected one per pair of classes",
                           (unsigned long long)file->rho.count);
    const uint64_t pairs = file->prob_a.count || file->prob_b.count ? file->rho.count : 0;
    if (file->prob_a.count != pairs || file->prob_b.count != pairs)
        return libsvm_fail(file,
                           "%llu values of probA and %llu of probB, expected one of each per "
                           "pair of classes",
                           (unsigned long long)file->prob_a.count,
                           (unsigned long long)file->prob_b.count);
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
    const import_reader *reader = file->reader;
    const char *colon = memchr(word, ':', size);
    double index = 0, value = 0;
    if (!colon) return reader_fail(reader, word, size, "index:value");
    HSP__TRY(reader_value(reader, word, (size_t)(colon - word), &index));
    HSP__TRY(reader_value(reader, colon + 1, (size_t)(word + size - colon - 1), &value));
    if (!(index > *last && index <= LIBSVM_MOST_COLUMN && floor(index) == index))
        return reader_fail(reader, word, size, "a whole index above the one before");
    *last = index;
    if (file->kernel == LIBSVM_PRECOMPUTED) {
        if (index != 0 || !(value >= 1 && value <= LIBSVM_MOST_COLUMN && floor(value) == value))
            return reader_fail(reader, word, size, "0: and the number of a row");
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
    return numbers_add(&file->ctx->allocator, &file->values, value, reader->err);
}

/* Rows are not believed to be there before they are seen: room grows with them. What follows the
 * last one is left to import_finish. */
static hsp_status libsvm_rows(libsvm_file *file)
{
    import_reader *reader = file->reader;
    const hsp_allocator *memory = &file->ctx->allocator;
    for (int more = reader->at < reader->end; more && file->rows < file->total;
         more = reader_next(reader)) {
        const char *word, *line = reader->at;
        size_t size;
        double last = -1, coef = 0;
        if (!reader_word(reader, &word)) continue; /* an empty line */
        reader->at = line;
        if (!hsp__reserve(memory, (void **)&file->starts, &file->starts_room, file->rows + 2,
                          sizeof *file->starts) ||
            !hsp__reserve(memory, (void **)&file->source, &file->source_room, file->rows + 1,
                          sizeof *file->source))
            return hsp__fail_memory(reader->err);
        file->starts[0] = 0;
        for (uint64_t k = 0; k + 1 < file->classes; k++) {
            HSP__TRY(reader_number(reader, &coef));
            HSP__TRY(numbers_add(memory, &file->coefs, coef, reader->err));
        }
        while ((size = reader_word(reader, &word)) > 0)
            HSP__TRY(libsvm_entry(file, word, size, &last));
        if (file->kernel == LIBSVM_PRECOMPUTED && last < 0)
            return reader_fail(reader, reader->at, 0, "0: and the number of a row");
        file->starts[++file->rows] = file->values.count;
    }
    if (file->rows == file->total) return HSP_OK;
    return libsvm_fail(file, "%llu support vectors, total_sv is %llu",
                       (unsigned long long)file->rows, (unsigned long long)file->total);
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

/* P(i | i or j) = 1 / (1 + exp(probA f + probB)) of a pair's decision value f; ours is of class j,
 * whose score is -f, and with two classes of label i, whose score is f. */
static hsp_status libsvm_probabilities(const libsvm_file *file, hsp_model *model)
{
    const uint64_t pairs = file->prob_a.count;
    const int two = file->classes == 2;
    if (!pairs) return HSP_OK;
    if (file->classes > HSP__COUPLED_MOST) {
        hsp__log(file->ctx, HSP_LOG_WARNING,
                 "the probabilities of the LIBSVM model (probA, probB) are left out: it has %llu "
                 "classes, and only up to %d are supported",
                 (unsigned long long)file->classes, HSP__COUPLED_MOST);
        return HSP_OK;
    }
    double *platt = hsp__new_raw(&model->memory, 2 * pairs, sizeof *platt);
    if (!platt) return hsp__fail_memory(file->reader->err);
    for (uint64_t p = 0; p < pairs; p++) {
        platt[2 * p] = 0 - file->prob_a.x[p];
        platt[2 * p + 1] = two ? 0 - file->prob_b.x[p] : file->prob_b.x[p];
    }
    model->probability.platt = platt;
    model->probability.calibration = two ? HSP__CALIBRATION_PLATT : HSP__CALIBRATION_COUPLED;
    hsp__log(file->ctx, HSP_LOG_NOTE,
             "the LIBSVM model has probabilities (probA, probB): the most probable class is "
             "predicted, as by svm-predict -b 1");
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
    hsp_model *linear = NULL; /* a linear kernel's expansion is a vector of weights */
    if (file->kernel == LIBSVM_LINEAR && cols <= LIBSVM_COLLAPSE / model->scorers)
        status = hsp__model_collapse(file->ctx, model, err, &linear);
    if (linear) {
        hsp_model_free(model);
        model = linear;
    }
    if (!status) status = libsvm_probabilities(file, model);
    if (!status)
        status = import_finish(file->ctx, model, &file->labels, "LIBSVM", libsvm_types[file->type],
                               base ? "1" : "0", file->reader);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

static hsp_status import_libsvm(hsp_context *ctx, import_reader *reader, hsp_model **out)
{
    libsvm_file file = {.ctx = ctx, .reader = reader};
    hsp__names_init(&file.labels, &ctx->allocator);
    hsp_status status = libsvm_header(&file);
    if (!status) status = libsvm_rows(&file);
    if (!status) status = libsvm_model(&file, out);
    libsvm_free(&file);
    return status;
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* Which program's? Each begins with a key of its own. */
hsp_status hsp__model_import_text(hsp_context *ctx, const char *text, size_t size, const char *name,
                                  hsp_error *err, hsp_model **out)
{
    import_reader reader = {
        .file = name, .at = text, .end = text + size, .line = text, .number = 1, .err = err};
    const char *word;
    const size_t first = reader_word(&reader, &word);
    reader.at = text;
    if (first == 8 && memcmp(word, "svm_type", 8) == 0) return import_libsvm(ctx, &reader, out);
    if (first == 11 && memcmp(word, "solver_type", 11) == 0)
        return import_liblinear(ctx, &reader, out);
    return reader_fail(&reader, word, first,
                       "svm_type, which LIBSVM's models begin with, or solver_type, which "
                       "LIBLINEAR's begin with");
}

static hsp_status import_read(hsp_context *ctx, hsp__source *source, hsp__text *text,
                              hsp_error *err)
{
    enum { IMPORT_PIECE = 1 << 20 };
    for (;;) {
        size_t got = 0;
        char *room = hsp__text_room(text, IMPORT_PIECE);
        if (!room) return hsp__fail_memory(err);
        hsp_status status = hsp__source_read(source, room, IMPORT_PIECE, err, &got);
        if (status) return status;
        text->size += got;
        if (got < IMPORT_PIECE) return HSP_OK;
        status = hsp__progress(ctx, "reading", "bytes", source->position, source->size, err);
        if (status) return status;
    }
}

hsp_status hsp_model_import(hsp_context *ctx, const char *path, hsp_error *err, hsp_model **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__source *source = NULL;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = import_read(ctx, source, &text, err);
    if (!status) status = hsp__model_import_text(ctx, text.data, text.size, source->name, err, out);
    if (status == HSP_BAD_DATA) {
        const hsp_file_kind kind = hsp__kind_of(text.data, text.size);
        if (kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_LIBSVM_MODEL &&
            kind != HSP_FILE_LIBLINEAR_MODEL)
            status = hsp__kind_fail(err, path, kind, HSP_FILE_LIBSVM_MODEL);
    }
    hsp__source_free(source);
    hsp__text_free(&text);
    return status;
}
