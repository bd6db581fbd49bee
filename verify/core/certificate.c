/* A certificate from its first byte to its last claim. */
#include <string.h>

#include "core.h"

static void certificate_claim(hsv_checker *c, const hsv_json *claim)
{
    if (claim->type != HSV_OBJECT) hsv_unreadable(c, "a claim must be an object");
    if (!c->more && hsv_find(claim, "kernel")) hsv_beyond(c, "kernels");
    const char *name = hsv_get(c, claim, "claim", HSV_STRING)->text, *learner = "";
    if (!strcmp(name, "mistakes")) learner = hsv_get(c, claim, "learner", HSV_STRING)->text;
    if (!strcmp(name, "separable"))
        hsv_claim_separable(c, claim);
    else if (!strcmp(name, "not separable"))
        hsv_claim_inseparable(c, claim);
    else if (!strcmp(name, "optimal"))
        hsv_optimal(c, claim, HSV_OPTIMAL_MEMBERS, &(hsv_problem){0});
    else if (!strcmp(learner, "perceptron"))
        hsv_claim_perceptron(c, claim);
    else if (!c->more)
        hsv_beyond(c, "this kind of claim");
    else if (!c->more->claim(c, claim, name, learner))
        hsv_unreadable(c, "no claim of this kind can be checked: %s %s",
                       hsv_quote(c, name, strlen(name)), hsv_quote(c, learner, strlen(learner)));
}

/* What file it is, and how it is read. */
static void certificate_reading(hsv_checker *c, const hsv_json *object, const hsv_table *t)
{
    const hsv_json *called = hsv_get(c, object, "file", HSV_STRING);
    hsv_say(c,
            "data: this is the file that was certified as %s: %zu row%s (%zu positive, %zu "
            "negative), %u column%s; rows of other labels, not counted: %zu.",
            hsv_quote(c, called->text, called->size), t->rows, HSV_S(t->rows), t->positives,
            t->rows - t->positives, t->columns, HSV_S(t->columns), t->unused);
    for (size_t i = 0; i < t->label_count; i++)
        hsv_say(c, "data: label %s is %s.", hsv_quote(c, t->labels[i].text, t->labels[i].size),
                t->labels[i].y > 0 ? "positive" : "negative");
    hsv_say_reading(c, t);
}

/* How a table is cut into rows and fields, where that might be otherwise. */
void hsv_say_reading(hsv_checker *c, const hsv_table *t)
{
    if (t->header) hsv_say(c, "%s: the first record is taken for names, not for a row.", t->name);
    if (t->field_count && t->separator != ',')
        hsv_say(c, "%s: fields are separated by %s.", t->name,
                t->separator == '\t' ? "tabs" : hsv_quote(c, &t->separator, 1));
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
    hsv_members(c, root, "format,version,data,test,transform,model,claims,made_by");
    if (strcmp(hsv_get(c, root, "format", HSV_STRING)->text, "halfspace certificate") != 0)
        hsv_unreadable(c, "this is not a halfspace certificate");
    if (hsv_get_count(c, root, "version") != 2)
        hsv_unreadable(c, "this checker reads version 2: run halfspace certify again");
    if (hsv_find(root, "made_by")) hsv_get(c, root, "made_by", HSV_STRING);
    const hsv_json *claims = hsv_get(c, root, "claims", HSV_ARRAY);
    const hsv_json *data = hsv_get(c, root, "data", HSV_OBJECT);
    const hsv_json *model = hsv_find(root, "model");
    if (model) hsv_members(c, model, "sha256"), hsv_get_digest(c, model);
    if (!claims->count) hsv_unreadable(c, "the certificate claims nothing");
    if (!c->more && hsv_stray(c, root, "format,version,data,model,claims,made_by"))
        hsv_beyond(c, "a second file, and transformed columns");
    hsv_table_read(c, data, &c->data);
    hsv_survey(c, &c->data);
    c->decimals = c->data.decimals;
    if (c->more) {
        c->more->prepare(c, root);
    } else {
        certificate_reading(c, data, &c->data);
        c->scale = hsv_integers(c, 1);
        mpz_ui_pow_ui(*c->scale, 10, (unsigned long)c->decimals);
    }
    for (const hsv_json *claim = claims->child; claim; claim = claim->next) {
        hsv_block *mark = c->blocks;
        c->claim++;
        certificate_claim(c, claim);
        hsv_release(c, mark);
    }
    c->claim = 0;
    if (c->more) c->more->finish(c);
    hsv_say(c, "verified: %s.", claims->count == 1 ? "the claim holds" : "all claims hold");
}

int hsv_check(hsv_checker *c, FILE *cert)
{
    if (!setjmp(c->failure)) certificate_check(c, cert);
    hsv_release(c, NULL);
    return c->status;
}
