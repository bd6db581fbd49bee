/* What a model says of its training: its options, and the data. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/text.h"
#include "model/model.h"

/* ---- Options --------------------------------------------------------------------------------- */

static hsp_status trained_set(hsp_options *options, const char *name, const hsp__json_value *value,
                              hsp_error *err)
{
    char number[HSP__DECIMAL_MAX];
    double real;
    hsp_status status = HSP_OK;
    switch (hsp__json_type_of(value)) {
    case HSP__JSON_FALSE:
        return hsp_options_set(options, name, "no", err);
    case HSP__JSON_TRUE:
        return hsp_options_set(options, name, "yes", err);
    case HSP__JSON_NUMBER:
        hsp__json_number(value, &real);
        hsp__decimal_print_f64(real, number);
        return hsp_options_set(options, name, number, err);
    case HSP__JSON_STRING:
        return hsp_options_set(options, name, hsp__json_string(value, NULL), err);
    case HSP__JSON_ARRAY:
        for (size_t i = 0; !status && i < hsp__json_count(value); i++)
            status = trained_set(options, name, hsp__json_at(value, i), err);
        return status;
    default: /* null: it was not set */
        return HSP_OK;
    }
}

hsp_status hsp_model_set_options(const hsp_model *model, hsp_options *options, hsp_error *err)
{
    HSP__NEED(err, model, options);
    const char *learner = hsp_model_metadata(model, "learner"),
               *text = hsp_model_metadata(model, "options");
    const char *wanted = hsp_options_table(options)->name;
    hsp__json *json = NULL;
    if (!learner || !text)
        return hsp__fail(err, HSP_USAGE, "the model does not say how it was trained");
    if (strcmp(learner, wanted) != 0)
        return hsp__fail(err, HSP_USAGE, "the model was trained by '%.40s', not by '%s'", learner,
                         wanted);
    hsp_status status = hsp__json_parse(&model->memory, text, strlen(text), "", err, &json);
    if (status) return status;
    const hsp__json_value *root = hsp__json_root(json);
    for (size_t i = 0; !status && i < hsp__json_count(root); i++)
        status = trained_set(options, hsp__json_key(root, i, NULL), hsp__json_at(root, i), err);
    hsp__json_free(json);
    return status;
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* A model keeps the hash of its training data in the fact data_hash, and of data in double
 * precision also what its hash would be in single, in data_hash_single. One that began at another
 * model (a warm start) keeps in earlier_data_hashes what that one was trained on, separated by
 * blanks; "unknown" stands for a start that did not say. */
#define TRAINED_UNKNOWN "unknown"

/* Is this word in the list? */
static int trained_listed(const char *list, const char *word, size_t size)
{
    while (list && *list) {
        const size_t length = strcspn(list, " ");
        if (length == size && memcmp(list, word, size) == 0) return 1;
        list += length + (list[length] == ' ');
    }
    return 0;
}

hsp__trained hsp__model_trained_on(const hsp_model *model, const char *hash)
{
    const char *own = hsp_model_metadata(model, "data_hash");
    const char *earlier = hsp_model_metadata(model, "earlier_data_hashes");
    const char *single = hsp_model_metadata(model, "data_hash_single");
    if (own && strcmp(own, hash) == 0) return HSP__TRAINED_YES;
    if (single && strcmp(single, hash) == 0) return HSP__TRAINED_YES;
    if (trained_listed(earlier, hash, strlen(hash))) return HSP__TRAINED_YES;
    if (!own || trained_listed(earlier, TRAINED_UNKNOWN, strlen(TRAINED_UNKNOWN)))
        return HSP__TRAINED_UNKNOWN;
    return HSP__TRAINED_NO;
}

hsp_status hsp__model_add_earlier(hsp_model *model, const char *hashes, hsp_error *err)
{
    const char *before = hsp_model_metadata(model, "earlier_data_hashes");
    const char *own = hsp_model_metadata(model, "data_hash");
    const char *single = hsp_model_metadata(model, "data_hash_single");
    hsp__text list;
    hsp__text_init(&list, &model->memory);
    hsp__text_puts(&list, before ? before : "");
    while (*hashes && !list.failed) {
        const size_t size = strcspn(hashes, " ");
        if (!trained_listed(own, hashes, size) && !trained_listed(single, hashes, size) &&
            !trained_listed(list.data, hashes, size)) {
            if (list.size) hsp__text_puts(&list, " ");
            hsp__text_add(&list, hashes, size);
        }
        hashes += size + (hashes[size] == ' ');
    }
    hsp_status status = HSP_OK;
    if (list.failed)
        status = hsp__fail_memory(err);
    else if (list.size)
        status = hsp__model_set_metadata(model, "earlier_data_hashes", list.data, err);
    hsp__text_free(&list);
    return status;
}

hsp_status hsp__model_add_start(hsp_model *model, const hsp_model *start, hsp_error *err)
{
    const char *own = hsp_model_metadata(start, "data_hash");
    const char *earlier = hsp_model_metadata(start, "earlier_data_hashes");
    const char *single = hsp_model_metadata(start, "data_hash_single");
    hsp_status status = hsp__model_add_earlier(model, own ? own : TRAINED_UNKNOWN, err);
    if (!status && single) status = hsp__model_add_earlier(model, single, err);
    return status || !earlier ? status : hsp__model_add_earlier(model, earlier, err);
}
