/* The model file that a certificate was made for: its hash and, where it is a linear model of two
 * classes, its weights (docs/model-format.md: a safetensors file). */
#include <string.h>

#include "full.h"

typedef struct check_model_weights {
    size_t count; /* of weights; 0: not a linear model of two classes, or one with a scaling */
    const unsigned char *weights, *offset;
} check_model_weights;

static uint64_t check_model_integer(const unsigned char *p)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

/* A tensor of doubles: where it is, and how many; NULL: there is none. */
static const unsigned char *check_model_tensor(hsv_checker *c, const hsv_json *header,
                                               const char *name, size_t start, size_t *count)
{
    const hsv_full *full = hsv_full_of(c);
    const hsv_json *tensor = hsv_find(header, name);
    const hsv_json *type = tensor && tensor->type == HSV_OBJECT ? hsv_find(tensor, "dtype") : NULL;
    const hsv_json *at = type ? hsv_find(tensor, "data_offsets") : NULL;
    if (!at || at->type != HSV_ARRAY || at->count != 2 || type->type != HSV_STRING ||
        strcmp(type->text, "F64") != 0)
        return NULL;
    const size_t from = hsv_count(c, at->child, name), to = hsv_count(c, at->child->next, name);
    if (from > to || to > full->model_size - start || (to - from) % 8) return NULL;
    *count = (to - from) / 8;
    return (const unsigned char *)full->model_text + start + from;
}

static void check_model_open(hsv_checker *c, check_model_weights *m)
{
    const hsv_full *full = hsv_full_of(c);
    size_t offsets = 0;
    if (full->model_size < 8) return;
    const size_t size = check_model_integer((const unsigned char *)full->model_text);
    if (size < 2 || size > full->model_size - 8 || full->model_text[8] != '{') return;
    char *text = memcpy(hsv_new(c, size + 1, 1), full->model_text + 8, size);
    const hsv_json *header = hsv_parse(c, text, size);
    const hsv_json *facts = hsv_find(header, "__metadata__");
    const hsv_json *kind =
        facts && facts->type == HSV_OBJECT ? hsv_find(facts, "hypothesis") : NULL;
    if (!kind || kind->type != HSV_STRING || strcmp(kind->text, "linear") != 0) return;
    for (const hsv_json *m2 = header->child; m2; m2 = m2->next)
        if (!strncmp(m2->key, "scal", 4)) return; /* the weights are of scaled columns */
    m->weights = check_model_tensor(c, header, "weights", 8 + size, &m->count);
    m->offset = check_model_tensor(c, header, "offsets", 8 + size, &offsets);
    if (!m->weights || !m->offset || offsets != 1 || m->count > c->data.columns) m->count = 0;
}

/* The double at p, exactly; infinities and what is no number are refused. */
static void check_model_double(hsv_checker *c, const unsigned char *p, mpq_t out)
{
    double value;
    const uint64_t bits = check_model_integer(p);
    memcpy(&value, &bits, sizeof value);
    if ((bits >> 52 & 2047) == 2047) hsv_reject(c, "the model file has a weight that is no number");
    mpq_set_d(out, value);
}

/* Is it the file that the certificate was made for? Whose separators are in the claims? */
void hsv_model_check(hsv_checker *c, const hsv_json *root)
{
    hsv_full *full = hsv_full_of(c);
    const hsv_json *model = hsv_find(root, "model");
    const char *name = full->files->model_name
                           ? hsv_quote(c, full->files->model_name, strlen(full->files->model_name))
                           : "the file";
    char digest[65];
    size_t separators = 0, same = 0;
    check_model_weights m = {0};
    if (model)
        hsv_say(c, "model: the certificate was made for a model file with SHA-256 %s.",
                hsv_get_digest(c, model));
    if (!full->files->model) {
        if (model) hsv_say(c, "model: no model file was compared with it (--model does that).");
        return;
    }
    if (!model) hsv_reject(c, "the certificate does not say which model file it was made for");
    full->model_text = hsv_read(c, full->files->model, &full->model_size);
    hsv_digest(full->model_text, full->model_size, digest);
    if (strcmp(digest, hsv_get_digest(c, model)) != 0)
        hsv_reject(
            c, "%s is not the model file that the certificate was made for: its SHA-256 is another",
            name);
    hsv_say(c, "model: %s is that file.", name);
    check_model_open(c, &m);
    const hsv_json *list = hsv_get(c, root, "claims", HSV_ARRAY);
    for (const hsv_json *claim = list->child; claim; claim = claim->next) {
        if (claim->type != HSV_OBJECT) continue;
        const hsv_json *kind = hsv_find(claim, "claim");
        const int run = kind && kind->type == HSV_STRING && !strcmp(kind->text, "mistakes");
        const hsv_json *separator = hsv_find(claim, run ? "model" : "separator");
        if (!separator || separator->type != HSV_OBJECT || !hsv_find(separator, "w")) continue;
        separators++;
        if (!m.count) continue;
        hsv_point w = {0};
        mpq_t *q = hsv_rationals(c, 2);
        hsv_point_read(c, separator, 1, &w);
        check_model_double(c, m.offset, q[0]);
        int equal = mpq_equal(q[0], *w.b);
        for (size_t j = 0; equal && (j < m.count || j < w.count); j++) {
            mpq_set_ui(q[0], 0, 1);
            mpq_set_ui(q[1], 0, 1);
            if (j < m.count) check_model_double(c, m.weights + 8 * j, q[0]);
            if (j < w.count) hsv_ratio(q[1], w.value[j], *w.below);
            equal = mpq_equal(q[0], q[1]);
        }
        same += (size_t)equal;
    }
    if (!m.count)
        hsv_say(c, "model: its weights were not compared: it is not a linear model of two classes "
                   "without a scaling.");
    else if (!separators)
        hsv_say(c, "model: no claim has weights to compare with its own.");
    else
        hsv_say(c, "model: separators in the claims: %zu; with exactly its weights: %zu.",
                separators, same);
}
