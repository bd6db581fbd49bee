/* A certificate from its first byte to its last claim. */
#include <string.h>

#include "core.h"

static const hsv_claim_kind certificate_claims[] = {
    {"separable", "", hsv_claim_separable},
    {"not separable", "", hsv_claim_inseparable},
    {"optimal", "", hsv_claim_optimal},
    {"mistakes", "perceptron", hsv_claim_perceptron},
    {NULL, NULL, NULL}};

static const hsv_claim_kind *certificate_kind(const hsv_claim_kind *kind, const char *name,
                                              const char *learner)
{
    for (; kind->name; kind++)
        if (!strcmp(name, kind->name) && !strcmp(kind->learner, learner)) break;
    return kind->name ? kind : NULL;
}

static void certificate_claim(hsv_checker *c, const hsv_json *claim)
{
    if (claim->type != HSV_OBJECT) hsv_unreadable(c, "a claim must be an object");
    const char *name = hsv_get(c, claim, "claim", HSV_STRING)->text, *learner = "";
    if (!strcmp(name, "mistakes")) learner = hsv_get(c, claim, "learner", HSV_STRING)->text;
    const hsv_claim_kind *kind = certificate_kind(certificate_claims, name, learner);
    if (!kind && !c->more) hsv_beyond(c, "this kind of claim");
    if (!kind) kind = certificate_kind(c->more->claims, name, learner);
    if (!kind) hsv_unreadable(c, "\"%.40s %.40s\" is no claim that can be checked", name, learner);
    kind->check(c, claim);
}

/* The labels of one side, in quotes, with commas between; "..." if there are more. */
static const char *certificate_labels(hsv_checker *c, const hsv_table *t, int y)
{
    size_t used = 0, room = 1000;
    char *text = hsv_new(c, room, 1);
    for (size_t i = 0; i < t->label_count && used < room - 220; i++)
        if (t->labels[i].y == y)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
                                     used < room - 440 ? hsv_quote(c, t->labels[i].text) : "...");
    return used ? text : "no label";
}

/* What file it is, and how its rows are read. */
void hsv_say_reading(hsv_checker *c, const hsv_json *object, const hsv_table *t)
{
    const char *called = hsv_get(c, object, "file", HSV_STRING)->text;
    const char *slash = t->path ? strrchr(t->path, '/') : NULL;
    const int same = t->path && !strcmp(called, slash ? slash + 1 : t->path);
    hsv_say(c,
            "%s: %s is the file that was certified%s%s: %zu rows (%zu positive, %zu negative), "
            "%u columns.",
            t->name, t->path ? hsv_quote(c, t->path) : "this", same ? "" : " as ",
            same ? "" : hsv_quote(c, called), t->rows, t->positives, (t->rows - t->positives),
            (unsigned)t->columns);
    hsv_say(c, "%s: positive: %s; negative: %s.", t->name, certificate_labels(c, t, 1),
            certificate_labels(c, t, -1));
    if (t->unused)
        hsv_say(c,
                "%s: %zu rows with other labels, or missing values, are left out and not counted.",
                t->name, t->unused);
    if (t->header) hsv_say(c, "%s: the first record is taken for names.", t->name);
    if (t->field_count && t->separator != ',')
        hsv_say(c, "%s: fields are separated by %s.", t->name,
                t->separator == '\t'  ? "tabs"
                : t->separator == ' ' ? "spaces"
                                      : hsv_quote(c, (char[]){t->separator, 0}));
    for (size_t k = 0; k < t->field_count; k++)
        if (t->fields[k].kind < HSV_NUMERIC)
            hsv_say(c, "%s: field %zu is %s.", t->name, k + 1,
                    t->fields[k].kind == HSV_LABEL ? "the label" : "ignored");
}

static void certificate_check(hsv_checker *c, FILE *cert)
{
    size_t size;
    char *text = hsv_read(c, cert, &size);
    const hsv_json *root = hsv_parse(c, text, size);
    hsv_members(c, root, "format version data test transform model claims made_by");
    if (strcmp(hsv_get(c, root, "format", HSV_STRING)->text, "halfspace certificate") != 0)
        hsv_unreadable(c, "this is not a halfspace certificate");
    if (hsv_get_count(c, root, "version") != 2)
        hsv_unreadable(c,
                       "this checker reads version 2 of the format: run halfspace certify again");
    if (hsv_find(root, "made_by")) hsv_get(c, root, "made_by", HSV_STRING);
    const hsv_json *claims = hsv_get(c, root, "claims", HSV_ARRAY);
    const hsv_json *data = hsv_get(c, root, "data", HSV_OBJECT);
    if (!claims->count) hsv_unreadable(c, "the certificate claims nothing");
    if (!c->more && hsv_find(root, "test")) hsv_beyond(c, "a second file");
    if (!c->more && hsv_find(root, "transform")) hsv_beyond(c, "transformed columns");
    hsv_table_read(c, data, &c->data);
    hsv_survey(c, &c->data);
    hsv_say_reading(c, data, &c->data);
    c->decimals = c->data.decimals;
    if (c->more) {
        c->more->prepare(c, root);
    } else {
        c->scale = hsv_integers(c, 2);
        c->widen = c->scale + 1;
        mpz_ui_pow_ui(*c->scale, 10, (unsigned long)c->decimals);
        mpz_set_ui(*c->widen, 1);
    }
    const hsv_json *model = hsv_find(root, "model");
    if (model) hsv_members(c, model, "sha256");
    if (model)
        hsv_say(c, "model: the certificate was made for a model file with SHA-256 %s.",
                hsv_get_digest(c, model));
    if (c->more) c->more->model(c, root);
    for (const hsv_json *claim = claims->child; claim; claim = claim->next) {
        hsv_block *mark = c->blocks;
        c->claim++;
        certificate_claim(c, claim);
        hsv_release(c, mark);
    }
    const size_t count = c->claim;
    c->claim = 0;
    if (c->more) c->more->finish(c);
    hsv_say(c, "verified: %s.", count == 1 ? "the claim holds" : "all claims hold");
}

int hsv_check(hsv_checker *c, FILE *cert, FILE *err)
{
    if (!setjmp(c->failure)) certificate_check(c, cert);
    hsv_release(c, NULL);
    if (c->status && err) {
        if (c->status == HALFSPACE_REJECTED) fputs("rejected: ", err);
        hsv_put(c, err, c->message);
        fputc('\n', err);
    }
    return c->status;
}

hsv_space *hsv_get_space(hsv_checker *c, const hsv_json *claim)
{
    if (!hsv_find(claim, "kernel")) return NULL;
    if (!c->more) hsv_beyond(c, "kernels");
    return c->more->space(c, claim);
}
