/* The full checker: the core, and all that it adds to it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "full.h"

void hsv_each_row(hsv_checker *c, hsv_table *t, hsv_row_use *use, void *with)
{
    for (const hsv_row *row; (row = hsv_next(c, t));)
        use(c, row, with);
}

static void full_prepare(hsv_checker *c, const hsv_json *root)
{
    hsv_full *full = hsv_full_of(c);
    const hsv_json *test = hsv_find(root, "test");
    if (test && !full->files->test)
        hsv_unreadable(c, "the certificate is about two files: give TEST behind DATA");
    if (!test && full->files->test) hsv_unreadable(c, "the certificate is about one file, not two");
    hsv_csv_say(c, &c->data);
    if (test) {
        full->test =
            (hsv_table){.name = "test", .path = full->files->test_name, .file = full->files->test};
        hsv_table_read(c, hsv_get(c, root, "test", HSV_OBJECT), &full->test);
        if (full->test.columns != c->data.columns)
            hsv_reject(c, "the two files have different numbers of columns");
        hsv_survey(c, &full->test);
        hsv_say_reading(c, test, &full->test);
        hsv_csv_say(c, &full->test);
    }
    hsv_scale(c, hsv_find(root, "transform"));
}

static void full_start(hsv_checker *c, const char *text, size_t size)
{
    hsv_full *full = hsv_full_of(c);
    full->means = hsv_integers(c, 1);
    full->delta = hsv_rationals(c, 1);
    mpz_set_ui(*full->means, 1);
    if (!hsv_text_utf8(text, size)) hsv_unreadable(c, "certificate: it is not UTF-8");
}

static const hsv_claim_kind full_claims[] = {{"mistakes", "winnow", hsv_claim_winnow},
                                             {"mistakes", "experts", hsv_claim_experts},
                                             {"stable predictions", "", hsv_claim_stable},
                                             {"kernel", "", hsv_claim_kernel},
                                             {"error", "", hsv_claim_error},
                                             {NULL, NULL, NULL}};

static const hsv_more full_more = {.claims = full_claims,
                                   .prepare = full_prepare,
                                   .finish = hsv_error_finish,
                                   .row = hsv_transformed,
                                   .csv = hsv_csv_read,
                                   .field = hsv_csv_field,
                                   .space = hsv_kernel_space,
                                   .bound = hsv_perceptron_inseparable,
                                   .start = full_start,
                                   .model = hsv_model_check,
                                   .escaped = hsv_text_escaped,
                                   .hex = hsv_text_hex,
                                   .plain = hsv_text_plain};

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
    c->budget = HSV_EFFORT * (files->effort ? files->effort : 1);
    c->data.name = "data";
    c->data.path = files->data_name;
    c->data.file = files->data;
    c->more = &full_more;
    c->extension = full;
    full->files = files;
    const int status = hsv_check(c, files->cert, err);
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
