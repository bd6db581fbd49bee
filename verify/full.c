/* The full checker: the core, and all that it adds to it. */
#include <stdlib.h>
#include <string.h>

#include "full.h"

/* The labels of one side, in quotes, with commas between; "..." if there are more. */
static const char *full_labels(hsv_checker *c, const hsv_table *t, int y)
{
    const size_t room = 1000;
    char *text = hsv_new(c, room, 1);
    size_t used = 0;
    for (size_t i = 0; i < t->label_count && used < room; i++) {
        const char *label = hsv_quote(c, t->labels[i].text, t->labels[i].size);
        if (t->labels[i].y != y) continue;
        if (used + strlen(label) > room - 10) label = "...";
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", label);
        if (*label == '.') break;
    }
    return used ? text : "no label";
}

/* What file it is, and how its rows are read. */
static void full_reading(hsv_checker *c, const hsv_json *object, const hsv_table *t)
{
    const hsv_json *called = hsv_get(c, object, "file", HSV_STRING);
    const char *slash = t->path ? strrchr(t->path, '/') : NULL;
    const int same = t->path && !strcmp(called->text, slash ? slash + 1 : t->path);
    hsv_say(c,
            "%s: %s is the file that was certified%s%s: %zu row%s (%zu positive, %zu negative), "
            "%u column%s.",
            t->name, t->path ? hsv_quote(c, t->path, strlen(t->path)) : "this", same ? "" : " as ",
            same ? "" : hsv_quote(c, called->text, called->size), t->rows, HSV_S(t->rows),
            t->positives, t->rows - t->positives, (unsigned)t->columns, t->columns == 1 ? "" : "s");
    hsv_say(c, "%s: positive: %s; negative: %s.", t->name, full_labels(c, t, 1),
            full_labels(c, t, -1));
    if (t->unused)
        hsv_say(c,
                "%s: %zu row%s with other labels, or missing values, %s left out and not counted.",
                t->name, t->unused, HSV_S(t->unused), t->unused == 1 ? "is" : "are");
    hsv_csv_say(c, t);
}

static void full_prepare(hsv_checker *c, const hsv_json *root)
{
    hsv_full *full = hsv_full_of(c);
    const hsv_json *test = hsv_find(root, "test");
    if (test && !full->files->test)
        hsv_unreadable(c, "the certificate is about two files: give TEST after DATA");
    if (!test && full->files->test) hsv_unreadable(c, "the certificate is about one file, not two");
    full_reading(c, hsv_get(c, root, "data", HSV_OBJECT), &c->data);
    if (test) {
        full->test =
            (hsv_table){.name = "test", .path = full->files->test_name, .file = full->files->test};
        hsv_table_read(c, hsv_get(c, root, "test", HSV_OBJECT), &full->test);
        if (full->test.columns != c->data.columns)
            hsv_reject(c, "the two files have different numbers of columns");
        hsv_survey(c, &full->test);
        full_reading(c, test, &full->test);
    }
    hsv_scale(c, hsv_find(root, "transform"));
    hsv_model_check(c, root);
}

static void full_start(hsv_checker *c, const char *text, size_t size)
{
    hsv_full *full = hsv_full_of(c);
    full->means = hsv_integers(c, 1);
    full->delta = hsv_rationals(c, 1);
    mpz_set_ui(*full->means, 1);
    if (!hsv_text_utf8(text, size)) hsv_unreadable(c, "certificate: it is not UTF-8");
}

/* The kinds that the core does not have; 0: nobody has it. */
static int full_claim(hsv_checker *c, const hsv_json *claim, const char *name, const char *learner)
{
    static const struct {
        const char *name, *learner;
        hsv_claim *check;
    } kinds[] = {{"mistakes", "winnow", hsv_claim_winnow},
                 {"mistakes", "experts", hsv_claim_experts},
                 {"stable predictions", "", hsv_claim_stable},
                 {"kernel", "", hsv_claim_kernel},
                 {"error", "", hsv_claim_error}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i].name) && !strcmp(learner, kinds[i].learner)) {
            kinds[i].check(c, claim);
            return 1;
        }
    return 0;
}

static const hsv_more full_more = {.claim = full_claim,
                                   .prepare = full_prepare,
                                   .finish = hsv_error_finish,
                                   .row = hsv_transformed,
                                   .csv = hsv_csv_read,
                                   .space = hsv_get_space,
                                   .perceptron = hsv_perceptron_claim,
                                   .start = full_start,
                                   .escaped = hsv_text_escaped,
                                   .bytes = hsv_bytes,
                                   .quote = hsv_text_quote};

int halfspace_verify_files(const halfspace_files *files, FILE *out, FILE *err)
{
    /* Not on the stack: what longjmp leaves behind there is anybody's guess. */
    hsv_checker *c = calloc(1, sizeof *c);
    hsv_full *full = calloc(1, sizeof *full);
    if (!c || !full) {
        free(c);
        free(full);
        return HALFSPACE_NO_MEMORY;
    }
    c->out = out;
    c->err = err;
    c->budget = HSV_EFFORT * (files->effort ? files->effort : 1);
    c->data.name = "data";
    c->data.path = files->data_name;
    c->data.file = files->data;
    c->more = &full_more;
    c->extension = full;
    full->files = files;
    const int status = hsv_check(c, files->cert);
    free(full);
    free(c);
    return status;
}

int halfspace_verify_named(FILE *cert, FILE *data, FILE *test, const char *const names[2],
                           FILE *out, FILE *err)
{
    const halfspace_files files = {
        .cert = cert, .data = data, .test = test, .data_name = names[0], .test_name = names[1]};
    return halfspace_verify_files(&files, out, err);
}

int halfspace_verify_streams(FILE *cert, FILE *data, FILE *test, FILE *out, FILE *err)
{
    static const char *const names[2] = {NULL, NULL};
    return halfspace_verify_named(cert, data, test, names, out, err);
}
