/* LIBLINEAR's model files:
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
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/import.h"

/* Solvers that tell classes apart; the last is the one that scores two classes twice. */
static const char *const liblinear_solvers[] = {
    "L2R_LR",         "L2R_LR_DUAL",         "L1R_LR",         "L2R_L2LOSS_SVC_DUAL",
    "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "L1R_L2LOSS_SVC", "MCSVM_CS"};
enum { LIBLINEAR_LOGISTIC = 3, LIBLINEAR_CRAMMER = 7, LIBLINEAR_SOLVERS = 8 };

typedef struct liblinear_file {
    hsp__reader *reader;
    int solver;
    uint64_t classes, features;
    double bias;
    hsp__names labels;
    unsigned seen;
} liblinear_file;

static const char *const liblinear_keys[] = {"solver_type", "nr_class", "label",
                                             "nr_feature",  "bias",     "w"};
enum { KEY_SOLVER, KEY_CLASSES, KEY_LABEL, KEY_FEATURES, KEY_BIAS, KEY_W, KEYS };

static hsp_status liblinear_solver(liblinear_file *file)
{
    const char *word;
    const size_t size = hsp__reader_word(file->reader, &word);
    for (file->solver = 0; file->solver < LIBLINEAR_SOLVERS; file->solver++) {
        const char *name = liblinear_solvers[file->solver];
        if (strlen(name) == size && memcmp(name, word, size) == 0) return HSP_OK;
    }
    return hsp__reader_fail(
        file->reader, word, size,
        "a classification solver (L2R_LR, L2R_L2LOSS_SVC, MCSVM_CS and the like)");
}

static hsp_status liblinear_key(liblinear_file *file, int key)
{
    hsp__reader *reader = file->reader;
    switch (key) {
    case KEY_SOLVER:
        return liblinear_solver(file);
    case KEY_CLASSES:
        return hsp__reader_whole(reader, 2, 4294967295.0, &file->classes);
    case KEY_LABEL:
        return hsp__reader_labels(reader, &file->labels);
    case KEY_FEATURES:
        return hsp__reader_whole(reader, 0, 4294967295.0, &file->features);
    default:
        return hsp__reader_number(reader, &file->bias);
    }
}

static hsp_status liblinear_header(liblinear_file *file)
{
    hsp__reader *reader = file->reader;
    for (;;) {
        const char *word;
        const size_t size = hsp__reader_word(reader, &word);
        int key = 0;
        while (key < KEYS && (strlen(liblinear_keys[key]) != size ||
                              memcmp(liblinear_keys[key], word, size) != 0))
            key++;
        if (key == KEYS || file->seen >> key & 1)
            return hsp__reader_fail(reader, word, size,
                                    "solver_type, nr_class, label, nr_feature, bias or w, once");
        file->seen |= 1U << key;
        if (key == KEY_W) break;
        hsp_status status = liblinear_key(file, key);
        if (!status) status = hsp__reader_end(reader);
        if (status) return status;
        if (!hsp__reader_next(reader)) return hsp__reader_fail(reader, reader->at, 0, "w");
    }
    if (file->seen != (1U << KEYS) - 1)
        return hsp__reader_fail(reader, reader->line, 1,
                                "solver_type, nr_class, label, nr_feature and bias before");
    if (file->labels.count != file->classes)
        return hsp__reader_fail(reader, reader->line, 1, "before it as many labels as classes");
    hsp__reader_next(reader);
    return HSP_OK;
}

/* The numbers of one line: the weights of a feature, or with `bias` what goes into the offsets. */
static hsp_status liblinear_line(liblinear_file *file, hsp_model *model, uint64_t feature,
                                 uint64_t columns, int bias)
{
    hsp_status status = HSP_OK;
    for (uint64_t c = 0; !status && c < columns; c++) {
        double number = 0;
        status = hsp__reader_number(file->reader, &number);
        const uint64_t scorer = columns > model->scorers ? 0 : c;
        const double signed_number = scorer == c ? number : -number; /* two weights: difference */
        if (bias)
            model->offsets[scorer] += signed_number * file->bias;
        else
            model->weights[scorer * model->features + feature] += signed_number;
    }
    if (!status) status = hsp__reader_end(file->reader);
    hsp__reader_next(file->reader);
    return status;
}

static hsp_status liblinear_weights(liblinear_file *file, hsp_model *model)
{
    const int twice = file->solver == LIBLINEAR_CRAMMER && file->classes == 2;
    const uint64_t columns = twice ? 2 : model->scorers;
    hsp_status status = HSP_OK;
    for (uint64_t j = 0; !status && j < file->features; j++)
        status = liblinear_line(file, model, j, columns, 0);
    if (!status && file->bias >= 0) status = liblinear_line(file, model, 0, columns, 1);
    if (twice) model->tie = HSP_TIE_POS; /* of equal values the first label */
    return status;
}

hsp_status hsp__import_liblinear(hsp_context *ctx, hsp__reader *reader, hsp_model **out)
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
    if (!status) status = liblinear_weights(&file, model);
    if (!status && file.solver < LIBLINEAR_LOGISTIC) model->probability.link = HSP__LINK_LOGISTIC;
    if (!status)
        status = hsp__import_finish(ctx, model, &file.labels, "LIBLINEAR",
                                    liblinear_solvers[file.solver], "1", reader);
    hsp__names_free(&file.labels);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}
