/* The model object: what it owns, what it tells, and the rule that turns scores into a class. */
#include "model/model.h"

#include <strings.h>

#include "base/base.h"
#include "base/options.h"
#include "data/container.h"
#include "data/encode.h"
#include "data/formats.h"
#include "data/scale.h"
#include "model/hypothesis.h"
#include "model/ovo_votes.h"
#include "model/probability.h"

/* ---- Arrays that all models have ------------------------------------------------------------- */

size_t hsp__updates_arrays(hsp_model *model, hsp__model_array *list)
{
    hsp_row_coefficients *updates = &model->updates;
    list[0] = (hsp__model_array){"updates.row", HSP__U64, (void *)&updates->row,
                                 .count = &updates->count, .sets = 1};
    list[1] = (hsp__model_array){"updates.scorer", HSP__U32, (void *)&updates->scorer,
                                 .count = &updates->count};
    list[2] = (hsp__model_array){"updates.amount", HSP__F64, (void *)&updates->amount,
                                 .count = &updates->count};
    return 3;
}

size_t hsp__state_arrays(hsp_model *model, hsp__model_array *list)
{
    list[0] = (hsp__model_array){"run.state", HSP__F64, (void *)&model->state,
                                 .count = &model->state_count, .sets = 1};
    return 1;
}

size_t hsp__calibration_arrays(hsp_model *model, hsp__model_array *list)
{
    hsp__probability *map = &model->probability;
    const uint64_t maps = hsp__probability_maps(model);
    if (map->calibration == HSP__CALIBRATION_NONE) return 0;
    if (map->calibration != HSP__CALIBRATION_ISOTONIC) {
        list[0] = (hsp__model_array){"calibration.platt", HSP__F64, (void *)&map->platt,
                                     .more = 2 * maps};
        return 1;
    }
    list[0] =
        (hsp__model_array){"calibration.first", HSP__U64, (void *)&map->first, .more = maps + 1};
    list[1] = (hsp__model_array){"calibration.scores", HSP__F64, (void *)&map->at,
                                 .count = &map->knots, .sets = 1};
    list[2] = (hsp__model_array){"calibration.values", HSP__F64, (void *)&map->value,
                                 .count = &map->knots};
    return 3;
}

void hsp__arrays_free(const hsp_allocator *memory, const hsp__model_array *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hsp__free(memory, *list[i].data);
}

/* 0: no memory. */
static int model_copy_arrays(const hsp_allocator *memory, const hsp__model_array *from,
                             const hsp__model_array *to, size_t count)
{
    static const size_t sizes[] = {
        [HSP__U8] = 1, [HSP__U32] = 4, [HSP__U64] = 8, [HSP__F32] = 4, [HSP__F64] = 8};
    int sound = 1;
    for (size_t i = 0; i < count; i++)
        *to[i].data = NULL;
    for (size_t i = 0; sound && i < count; i++) {
        const uint64_t n = (from[i].count ? *from[i].count : 0) + from[i].more;
        if (!*from[i].data) continue;
        *to[i].data = hsp__new_raw(memory, n, sizes[from[i].dtype]);
        sound = *to[i].data != NULL;
        if (sound && n) memcpy(*to[i].data, *from[i].data, n * sizes[from[i].dtype]);
    }
    return sound;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

void hsp_model_free(hsp_model *model)
{
    if (!model) return;
    hsp_allocator memory = model->memory;
    hsp__model_array list[HSP__MODEL_ARRAYS];
    const int mapped = model->mapped != NULL;
    if (hsp__type_of(model)->free) hsp__type_of(model)->free(model, mapped);
    if (!mapped) {
        hsp__free(&memory, model->weights);
        hsp__free(&memory, model->offsets);
        hsp__arrays_free(&memory, list, hsp__updates_arrays(model, list));
        hsp__arrays_free(&memory, list, hsp__state_arrays(model, list));
        hsp__arrays_free(&memory, list, hsp__calibration_arrays(model, list));
    }
    for (uint32_t i = 0; i < model->metadata_names.count; i++)
        hsp__free(&memory, model->metadata_values[i]);
    hsp__free(&memory, model->metadata_values);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        hsp_scaling_free(model->scalings[i]);
    hsp_encoding_free(model->encoding);
    hsp__names_free(&model->class_names);
    hsp__names_free(&model->feature_names);
    hsp__names_free(&model->metadata_names);
    hsp__container_free(model->mapped);
    hsp__free(&memory, model);
}

hsp_status hsp__model_new(hsp_context *ctx, uint32_t scorers, uint64_t features, hsp_error *err,
                          hsp_model **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp_model *model = hsp__new(memory, 1, sizeof *model);
    if (!model) return hsp__fail_memory(err);
    model->memory = *memory;
    model->scorers = scorers;
    model->features = features;
    model->probability.scale = 1;
    hsp__names_init(&model->class_names, memory);
    hsp__names_init(&model->feature_names, memory);
    hsp__names_init(&model->metadata_names, memory);
    if (!scorers || features <= UINT64_MAX / scorers)
        model->weights = hsp__new(memory, scorers * features, sizeof *model->weights);
    model->offsets = hsp__new(memory, scorers, sizeof *model->offsets);
    if (!model->weights || !model->offsets) {
        hsp_model_free(model);
        return hsp__fail_memory(err);
    }
    *out = model;
    return HSP_OK;
}

hsp_status hsp__model_set_metadata(hsp_model *model, const char *name, const char *value,
                                   hsp_error *err)
{
    uint32_t number, before = model->metadata_names.count;
    char *copy = hsp__copy_text(&model->memory, value, strlen(value));
    void *values = model->metadata_values;
    if (!copy || !hsp__reserve(&model->memory, &values, &model->facts_room, (uint64_t)before + 1,
                               sizeof *model->metadata_values)) {
        hsp__free(&model->memory, copy);
        return hsp__fail_memory(err);
    }
    model->metadata_values = values;
    if (!hsp__names_add(&model->metadata_names, name, strlen(name), &number)) {
        hsp__free(&model->memory, copy);
        return hsp__fail_memory(err);
    }
    if (number < before) hsp__free(&model->memory, model->metadata_values[number]);
    model->metadata_values[number] = copy;
    return HSP_OK;
}

/* ---- Copied ---------------------------------------------------------------------------------- */

static hsp_status model_copy_parts(hsp_context *ctx, const hsp_model *from, hsp_model *to,
                                   hsp_error *err)
{
    hsp_model shallow = *from; /* lists of arrays point into it */
    hsp__model_array old[HSP__MODEL_ARRAYS], new[HSP__MODEL_ARRAYS];
    to->updates = from->updates;
    to->probability = from->probability;
    hsp__updates_arrays(&shallow, old);
    const int updates = model_copy_arrays(&to->memory, old, new, hsp__updates_arrays(to, new));
    hsp__calibration_arrays(&shallow, old);
    const int calibration =
        model_copy_arrays(&to->memory, old, new, hsp__calibration_arrays(to, new));
    if (!updates || !calibration || !hsp__names_copy(&to->class_names, &from->class_names) ||
        !hsp__names_copy(&to->feature_names, &from->feature_names))
        return hsp__fail_memory(err);
    for (uint32_t i = 0; i < from->metadata_names.count; i++)
        HSP__TRY(hsp__model_set_metadata(to, hsp__names_get(&from->metadata_names, i),
                                         from->metadata_values[i], err));
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (from->scalings[i]) {
            hsp__scaling_parts parts = hsp__scaling_look(from->scalings[i]);
            HSP__TRY(hsp__scaling_from(ctx, &parts, err, &to->scalings[i]));
        }
    return from->encoding ? hsp__encoding_copy(&ctx->allocator, from->encoding, err, &to->encoding)
                          : HSP_OK;
}

hsp_status hsp__model_copy(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                           hsp_model **out)
{
    assert(model->hypothesis != HSP__VOTES && model->hypothesis != HSP__NEIGHBORS);
    hsp_model *copy = NULL;
    hsp_status status = hsp__model_new(ctx, model->scorers, model->features, err, &copy);
    if (status) return status;
    if (model->scorers) {
        memcpy(copy->offsets, model->offsets, model->scorers * sizeof *copy->offsets);
        if (model->weights && model->features)
            memcpy(copy->weights, model->weights,
                   model->scorers * model->features * sizeof *copy->weights);
    }
    copy->tie = model->tie;
    copy->order = model->order;
    copy->constant = model->constant;
    copy->rest = model->rest;
    copy->leaves_out = model->leaves_out;
    copy->pairs = model->pairs;
    status = model_copy_parts(ctx, model, copy, err);
    if (status)
        hsp_model_free(copy);
    else
        *out = copy;
    return status;
}

/* ---- Looked at ------------------------------------------------------------------------------- */

uint32_t hsp_model_classes(const hsp_model *model)
{
    if (!model) return 0;
    return model->class_names.count;
}

const char *hsp_model_class_name(const hsp_model *model, uint32_t class_index)
{
    if (!model) return NULL;
    return class_index < model->class_names.count ? hsp__names_get(&model->class_names, class_index)
                                                  : NULL;
}

uint64_t hsp_model_features(const hsp_model *model)
{
    if (!model) return 0;
    return model->features;
}

const char *hsp_model_feature_name(const hsp_model *model, uint64_t column)
{
    if (!model) return NULL;
    return column < model->feature_names.count
               ? hsp__names_get(&model->feature_names, (uint32_t)column)
               : NULL;
}

int hsp_model_file_weights(const hsp_model *model, uint32_t scorer, double *weights, double *offset)
{
    const double *w = hsp_model_weights(model, scorer);
    if (!w) return 0;
    const uint64_t inputs = hsp__model_inputs(model);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        const hsp_scaling *scaling = model->scalings[i];
        if (scaling && (hsp__scaling_is_by_rows(scaling) || hsp__scaling_is_votes(scaling)))
            return 0;
    }
    double b = hsp__model_bias(model, scorer);
    for (uint64_t j = 0; weights && j < model->features; j++)
        weights[j] = 0;
    for (uint64_t j = 0; j < inputs; j++) {
        double value = w[j];
        for (int i = HSP__MODEL_SCALINGS; i-- > 0;) { /* the last one first: ((x - t) f - t') f' */
            if (!model->scalings[i] || j >= hsp_scaling_cols(model->scalings[i])) continue;
            value *= hsp_scaling_factor(model->scalings[i], j);
            b -= value * hsp_scaling_shift(model->scalings[i], j);
        }
        if (weights) weights[j] = value;
    }
    if (offset) *offset = b;
    return 1;
}

const char *hsp_model_feature_source(const hsp_model *model, uint64_t column)
{
    const hsp_encoding *encoding = model ? model->encoding : NULL;
    if (encoding && !encoding->header && hsp__encoding_is_of_arrays(encoding)) return NULL;
    for (uint32_t i = 0; encoding && i < encoding->names.count; i++) {
        const uint64_t width = hsp__encoding_width(&encoding->columns[i]);
        if (column < width) return hsp__names_get(&encoding->names, i);
        column -= width;
    }
    return NULL;
}

const char *hsp_model_scaling_kind(const hsp_model *model)
{
    return model && model->scalings[0] ? hsp_scaling_kind(model->scalings[0]) : NULL;
}

uint32_t hsp_model_scorers(const hsp_model *model)
{
    if (!model) return 0;
    return model->scorers;
}

int hsp_model_is_one_vs_one(const hsp_model *model)
{
    return model && model->pairs;
}

int hsp_model_vote_tie_to_first(const hsp_model *model)
{
    return model && model->pairs == HSP__PAIRS_FIRST;
}

uint32_t hsp_model_scorer_for(const hsp_model *model, uint32_t scorer)
{
    if (!model) return HSP_NO_CLASS;
    uint32_t i, j;
    if (scorer >= model->scorers) return HSP_NO_CLASS;
    if (!model->pairs) return model->scorers == 1 ? 1 : scorer;
    hsp__pair_classes(model->class_names.count, scorer, &i, &j);
    return j;
}

uint32_t hsp_model_scorer_against(const hsp_model *model, uint32_t scorer)
{
    if (!model) return HSP_NO_CLASS;
    uint32_t i, j;
    if (scorer >= model->scorers) return HSP_NO_CLASS;
    if (!model->pairs) return model->scorers == 1 ? 0 : HSP_NO_CLASS;
    hsp__pair_classes(model->class_names.count, scorer, &i, &j);
    return i;
}

hsp_tie hsp_model_tie(const hsp_model *model)
{
    if (!model) return HSP_TIE_NEG;
    return model->tie;
}

const hsp_encoding *hsp_model_encoding(const hsp_model *model)
{
    if (!model) return NULL;
    return model->encoding;
}

const double *hsp_model_weights(const hsp_model *model, uint32_t scorer)
{
    if (!model) return NULL;
    if (!model->weights || scorer >= model->scorers) return NULL;
    return model->weights + scorer * model->features;
}

double hsp_model_offset(const hsp_model *model, uint32_t scorer)
{
    if (!model) return (double)NAN;
    return scorer < model->scorers ? model->offsets[scorer] : 0;
}

/* A model trained on floats wants rows that are rounded as those were, but for numbers that no
 * float holds: those of the file count (data/precision.h). */
hsp_status hsp_model_set_read(const hsp_model *model, hsp_options *read, hsp_error *err)
{
    HSP__NEED(err, model, read);
    const char *precision = hsp_model_metadata(model, "precision");
    const char *base = hsp_model_metadata(model, "index_base");
    hsp_status status = HSP_OK;
    if (precision && !hsp_options_is_set(read, "precision"))
        status = strcmp(precision, "single") == 0
                     ? hsp__options_set_word(read, "precision", "mixed", err)
                     : hsp_options_set(read, "precision", precision, err);
    if (!status && base && !hsp_options_is_set(read, "index-base"))
        status = hsp_options_set(read, "index-base", base, err);
    return status;
}

const char *hsp_model_metadata(const hsp_model *model, const char *name)
{
    if (!model || !name) return NULL;
    uint32_t number = hsp__names_find(&model->metadata_names, name, strlen(name));
    return number == HSP__NAME_NONE ? NULL : model->metadata_values[number];
}

const char *hsp_model_metadata_name(const hsp_model *model, size_t i)
{
    if (!model) return NULL;
    return i < model->metadata_names.count ? hsp__names_get(&model->metadata_names, (uint32_t)i)
                                           : NULL;
}

hsp_row_coefficients hsp_model_row_coefficients(const hsp_model *model)
{
    if (!model) return (hsp_row_coefficients){0};
    return model->updates;
}

/* ---- Words for things ------------------------------------------------------------------------ */

const char *hsp_tie_name(hsp_tie tie)
{
    static const char *const names[] = {"neg", "pos", "zero"};
    return names[tie];
}

const char *hsp_stop_name(hsp_stop stop)
{
    static const char *const names[] = {"converged", "stalled", "passes",     "updates",
                                        "seconds",   "request", "inseparable"};
    return names[stop];
}

/* ---- The rule -------------------------------------------------------------------------------- */

uint32_t hsp__decide(const double *scores, uint32_t scorers, hsp_tie tie)
{
    if (scorers == 1) {
        if (scores[0] > 0) return 1;
        if (scores[0] < 0) return 0;
        return tie == HSP_TIE_ZERO ? HSP_NO_CLASS : tie == HSP_TIE_POS ? 1 : 0;
    }
    uint32_t first = 0, last = 0;
    for (uint32_t k = 1; k < scorers; k++) {
        if (scores[k] > scores[first])
            first = last = k;
        else if (scores[k] == scores[first])
            last = k;
    }
    if (first == last || tie == HSP_TIE_NEG) return first;
    return tie == HSP_TIE_POS ? last : HSP_NO_CLASS;
}

void hsp_model_class_scores(const hsp_model *model, const double *scores, double *out)
{
    if (!model || !scores || !out) return;
    if (model->pairs) {
        hsp__ovo_class_scores(model, scores, out);
    } else if (model->scorers == 1) {
        out[0] = -scores[0];
        out[1] = scores[0];
    } else {
        memcpy(out, scores, model->scorers * sizeof *out);
    }
}

uint32_t hsp__model_exact_class(const hsp_model *model, const char *label)
{
    const uint32_t number = hsp__names_find(&model->class_names, label, strlen(label));
    if (number != HSP__NAME_NONE) return number;
    return model->rest ? 0 : HSP_NO_CLASS;
}

/* The one class whose name the label equals but for case or a final point, as in UCI's adult.test. */
static uint32_t model_similar_class(const hsp_model *model, const char *label)
{
    const size_t size = strlen(label), bare = size - (size > 1 && label[size - 1] == '.');
    uint32_t found = HSP_NO_CLASS;
    for (uint32_t c = 0; c < hsp_model_classes(model); c++) {
        const char *name = hsp_model_class_name(model, c);
        if (strlen(name) != bare || strncasecmp(name, label, bare) != 0) continue;
        if (found != HSP_NO_CLASS) return HSP_NO_CLASS;
        found = c;
    }
    return found;
}

uint32_t hsp_model_class_of(const hsp_model *model, const char *label)
{
    if (!model || !label) return HSP_NO_CLASS;
    const uint32_t exact = hsp__model_exact_class(model, label);
    return exact != HSP_NO_CLASS ? exact : model_similar_class(model, label);
}

void hsp__model_classes_of(hsp_context *ctx, const hsp_model *model, const hsp_data *data,
                           uint32_t *class_of)
{
    for (uint32_t c = 0; c < data->view.classes; c++) {
        const char *label = hsp_data_class_name(data, c);
        class_of[c] = hsp_model_class_of(model, label);
        if (class_of[c] != HSP_NO_CLASS && hsp__model_exact_class(model, label) == HSP_NO_CLASS)
            hsp__log(ctx, HSP_LOG_NOTE, "label '%.60s' counts as the model's class '%.60s'", label,
                     hsp_model_class_name(model, class_of[c]));
    }
}
