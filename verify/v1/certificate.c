/* A certificate from its first byte to its last claim. */
#include <stdlib.h>
#include <string.h>

#include "check1.h"

static const struct {
    const char *name;
    hsv1_claim *check;
} certificate_claims[] = {{"separable", hsv1_claim_separable},
                          {"not separable", hsv1_claim_inseparable},
                          {"mistakes", hsv1_claim_mistakes},
                          {"optimal", hsv1_claim_optimal},
                          {"stable predictions", hsv1_claim_stable},
                          {"kernel", hsv1_claim_kernel},
                          {"error", hsv1_claim_error}};

static char *certificate_text(hsv1_checker *c, FILE *file, size_t *size)
{
    size_t room = 1 << 12;
    char *text = hsv1_new(c, room, 1);
    rewind(file);
    *size = 0;
    for (;;) {
        const size_t got = fread(text + *size, 1, room - *size - 1, file);
        *size += got;
        if (!got && ferror(file)) hsv1_unreadable(c, "the certificate cannot be read");
        if (!got) return text;
        if (*size + 1 < room) continue;
        char *more = hsv1_new(c, 2 * room, 1);
        memcpy(more, text, *size);
        text = more;
        room *= 2;
    }
}

static void certificate_claim(hsv1_checker *c, const hsv1_json *claim)
{
    const size_t kinds = sizeof certificate_claims / sizeof *certificate_claims;
    size_t kind = 0;
    if (claim->type != HSV1_OBJECT) hsv1_unreadable(c, "a claim must be an object");
    const char *name = hsv1_get_text(c, claim, "claim");
    while (kind < kinds && strcmp(name, certificate_claims[kind].name) != 0)
        kind++;
    if (kind == kinds) hsv1_unreadable(c, "\"%.40s\" is no claim that can be checked", name);
    certificate_claims[kind].check(c, claim);
}

static void certificate_data(hsv1_checker *c, const hsv1_json *root, const char *key, hsv1_table *t)
{
    const char *called = hsv1_get_text(c, hsv1_find(root, key), "file");
    const char *slash = t->path ? strrchr(t->path, '/') : NULL;
    const int same = t->path && !strcmp(called, slash ? slash + 1 : t->path);
    t->said = hsv1_quote(c, t->path ? t->path : called);
    hsv1_survey(c, t);
    hsv1_say(c,
            "%s: %s is the file that was certified%s%s: %llu rows (%llu positive, %llu negative), "
            "%u columns.",
            key, t->path ? t->said : "this", same ? "" : " as ", same ? "" : hsv1_quote(c, called),
            (unsigned long long)t->rows, (unsigned long long)t->positives,
            (unsigned long long)(t->rows - t->positives), (unsigned)t->columns);
}

/* The labels of one side, in quotes, with commas between; "..." if there are more. */
static void certificate_labels(hsv1_checker *c, const hsv1_table *t, int y, char *text, size_t room)
{
    size_t used = 0;
    snprintf(text, room, "no label");
    for (size_t i = 0; i < t->label_count; i++) {
        if (t->labels[i].y != y) continue;
        hsv1_block *mark = hsv1_mark(c);
        const char *label = hsv1_quote(c, t->labels[i].text);
        const int fits = used + strlen(label) + 8 < room;
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
                                 fits ? label : "...");
        hsv1_release(c, mark);
        if (!fits) break;
    }
}

/* What of a table's records is not in its rows as it stands there. */
static void certificate_records(hsv1_checker *c, const char *key, const hsv1_table *t)
{
    static const char *const missing[] = {
        [HSV1_MISSING_MEAN] = "values that are missing become the means that are certified",
        [HSV1_MISSING_INDICATOR] = "values that are missing become 0, and a column of their own 1"};
    size_t ignored = 0;
    for (size_t k = 0; k < t->field_count; k++)
        ignored += t->fields[k].kind == HSV1_FIELD_IGNORED;
    if (t->header) hsv1_say(c, "%s: the first record is taken for names.", key);
    if (ignored) hsv1_say(c, "%s: %zu of %zu fields are ignored.", key, ignored, t->field_count);
    if (t->missing >= HSV1_MISSING_MEAN) hsv1_say(c, "%s: %s.", key, missing[t->missing]);
}

/* What the numbers are about: which labels, which rows, what was done to the columns. */
static void certificate_reading(hsv1_checker *c, const char *key, const hsv1_table *t)
{
    char positive[1000], negative[1000];
    certificate_labels(c, t, 1, positive, sizeof positive);
    certificate_labels(c, t, -1, negative, sizeof negative);
    hsv1_say(c, "%s: positive: %s; negative: %s.", key, positive, negative);
    certificate_records(c, key, t);
    if (t->unused)
        hsv1_say(c,
                "%s: %llu rows with other labels, or values that are missing, are left out and not "
                "counted.",
                key, (unsigned long long)t->unused);
    if (c->transform.count)
        hsv1_say(c, "%s: the values of %zu columns stand for (x - offset) factor.", key,
                c->transform.count);
}

static void certificate_check(hsv1_checker *c, FILE *cert)
{
    size_t size;
    char *text = certificate_text(c, cert, &size);
    const hsv1_json *root = hsv1_parse(c, text, size);
    hsv1_members(c, root, "format version data test transform claims made_by");
    if (strcmp(hsv1_get_text(c, root, "format"), "halfspace certificate") != 0)
        hsv1_unreadable(c, "this is not a halfspace certificate");
    if (hsv1_find(root, "made_by")) hsv1_get_text(c, root, "made_by");
    if (hsv1_get_count(c, root, "version") != 1)
        hsv1_unreadable(c, "this checker knows version 1 of the format alone");
    hsv1_table_read(c, hsv1_get(c, root, "data", HSV1_OBJECT), &c->data);
    const hsv1_json *test = hsv1_find(root, "test");
    if (test && !c->test.file)
        hsv1_unreadable(c, "the certificate is about two files: give TEST behind DATA");
    if (!test && c->test.file) hsv1_unreadable(c, "the certificate is about one file, not two");
    const hsv1_json *claims = hsv1_get(c, root, "claims", HSV1_ARRAY);
    if (!claims->count) hsv1_unreadable(c, "the certificate claims nothing");
    certificate_data(c, root, "data", &c->data);
    if (test) {
        c->has_test = 1;
        hsv1_table_read(c, hsv1_get(c, root, "test", HSV1_OBJECT), &c->test);
        if (c->test.columns != c->data.columns)
            hsv1_reject(c, "the two files have different numbers of columns");
        certificate_data(c, root, "test", &c->test);
    }
    hsv1_scale_all(c, hsv1_find(root, "transform"));
    certificate_reading(c, "data", &c->data);
    if (test) certificate_reading(c, "test", &c->test);
    for (const hsv1_json *claim = claims->child; claim; claim = claim->next) {
        hsv1_block *mark = hsv1_mark(c);
        c->claim++;
        certificate_claim(c, claim);
        hsv1_release(c, mark);
    }
    const size_t count = c->claim;
    c->claim = 0;
    hsv1_say(c, "verified: %s.", count == 1 ? "the claim holds" : "all claims hold");
}

int halfspace_verify1_named(FILE *cert, FILE *data, FILE *test, const char *const names[2],
                           FILE *out, FILE *err)
{
    /* Not on the stack: what longjmp leaves behind there is anybody's guess. */
    hsv1_checker *c = calloc(1, sizeof *c);
    if (!c) return HALFSPACE1_NO_MEMORY;
    c->out = out;
    c->data.name = "data";
    c->data.path = names[0];
    c->data.file = data;
    c->test.name = "test";
    c->test.path = names[1];
    c->test.file = test;
    hsv1_memory_begin(c);
    if (!setjmp(c->failure)) certificate_check(c, cert);
    hsv1_release(c, NULL);
    hsv1_memory_end(c);
    const int status = c->status;
    if (status && err) {
        if (status == HALFSPACE1_REJECTED) fputs("rejected: ", err);
        hsv1_put(err, c->message);
        fputc('\n', err);
    }
    free(c);
    return status;
}

int halfspace_verify1_streams(FILE *cert, FILE *data, FILE *test, FILE *out, FILE *err)
{
    static const char *const names[2] = {NULL, NULL};
    return halfspace_verify1_named(cert, data, test, names, out, err);
}

/* Standard input can be read once: it is kept in a file without a name. */
static FILE *certificate_open(const char *path, FILE *err)
{
    char buffer[1 << 14];
    size_t size;
    if (strcmp(path, "-") != 0) {
        FILE *file = fopen(path, "rb");
        if (!file && err) fprintf(err, "%s: cannot be opened\n", path);
        return file;
    }
    FILE *file = tmpfile();
    while (file && (size = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        if (fwrite(buffer, 1, size, file) != size) break;
    if (file && !ferror(stdin) && feof(stdin) && !fflush(file)) return file;
    if (file) fclose(file);
    if (err) fprintf(err, "standard input cannot be kept in a temporary file\n");
    return NULL;
}

int halfspace_verify1(const char *cert, const char *data, const char *test, FILE *out, FILE *err)
{
    const char *paths[3] = {cert, data, test};
    FILE *files[3] = {NULL, NULL, NULL};
    int status = HALFSPACE1_VERIFIED;
    for (int i = 0; i < 3 && paths[i] && !status; i++)
        if (!(files[i] = certificate_open(paths[i], err))) status = HALFSPACE1_UNREADABLE;
    if (!status) status = halfspace_verify1_named(files[0], files[1], files[2], paths + 1, out, err);
    for (int i = 0; i < 3; i++)
        if (files[i]) fclose(files[i]);
    return status;
}
