/* hsp_verify: the checker from C. */
#include "prove/helpers.h"

static const char rows[] = "1 1:0 2:1\n1 1:1 2:2\n-1 1:3 2:0\n-1 1:4 2:1.5\n";
static const char others[] = "1 1:0 2:1\n1 1:1 2:2\n-1 1:3 2:0\n-1 1:4 2:1.6\n";

static hsp_context *ctx;

/* A certificate of `rows`, in a file of its own. */
static hsp_certificate *certified(const proved_file *data)
{
    hsp_error err = {0};
    hsp_certificate *made = NULL;
    CHECK_NOTE(hsp_certify(ctx, data->path, NULL, NULL, NULL, &err, &made) == HSP_OK, "%s",
               err.message);
    return made;
}

static void test_a_certificate_holds_for_its_file_only(void)
{
    if (!PROVE_GMP) CHECK_SKIP("this build is without GMP");
    hsp_error err = {0};
    proved_file data = file_of(rows), changed = file_of(others);
    hsp_certificate *made = certified(&data);
    hsp_verification *found = NULL;
    size_t size = 0;
    const char *text = hsp_certificate_text(made, &size);
    CHECK(hsp_verify(ctx, text, size, data.path, NULL, NULL, &err, &found) == HSP_OK);
    CHECK(found->result == HSP_VERIFIED && *found->reason == 0);
    CHECK(strstr(found->established, "verified: the claim holds."));
    hsp_verification_free(found);
    found = NULL;
    CHECK(hsp_verify(ctx, text, size, changed.path, NULL, NULL, &err, &found) == HSP_OK);
    CHECK(found->result == HSP_REJECTED && *found->reason);
    CHECK(!strstr(found->established, "verified: the claim holds."));
    hsp_verification_free(found);

    proved_file certificate = file_of(text);
    found = NULL;
    CHECK(hsp_verify_file(ctx, certificate.path, data.path, NULL, NULL, &err, &found) == HSP_OK);
    CHECK(found->result == HSP_VERIFIED);
    hsp_verification_free(found);
    hsp_certificate_free(made);
    file_free(&certificate);
    file_free(&changed);
    file_free(&data);
}

static void test_what_is_no_certificate(void)
{
    if (!PROVE_GMP) CHECK_SKIP("this build is without GMP");
    static const char *const texts[] = {"", "{", "[]", "1 1:0\n", "{\"claims\": []}"};
    hsp_error err = {0};
    proved_file data = file_of(rows);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hsp_verification *found = NULL;
        CHECK(hsp_verify(ctx, texts[i], strlen(texts[i]), data.path, NULL, NULL, &err, &found) ==
              HSP_OK);
        CHECK_NOTE(found && found->result != HSP_VERIFIED && *found->reason, "'%s'", texts[i]);
        hsp_verification_free(found);
    }
    file_free(&data);
}

/* A file that is not there, the wrong model file, too little work. */
static void test_files_and_options(void)
{
    if (!PROVE_GMP) CHECK_SKIP("this build is without GMP");
    hsp_error err = {0};
    proved_file data = file_of(rows);
    hsp_certificate *made = certified(&data);
    hsp_verification *found = NULL;
    size_t size = 0;
    const char *text = hsp_certificate_text(made, &size);
    CHECK(hsp_verify(ctx, text, size, "/nowhere/at.all", NULL, NULL, &err, &found) == HSP_IO);
    CHECK(!found && strcmp(err.file, "/nowhere/at.all") == 0);
    CHECK(hsp_verify_file(ctx, "/nowhere/at.all", data.path, NULL, NULL, &err, &found) == HSP_IO);
    hsp_options *options =
        options_of(ctx, hsp_verify_options(), "model", data.path, "effort", "2", NULL);
    CHECK(hsp_verify(ctx, text, size, data.path, NULL, options, &err, &found) == HSP_OK);
    CHECK(found->result != HSP_VERIFIED); /* it is about no model */
    hsp_verification_free(found);
    hsp_options_free(options);
    hsp_certificate_free(made);
    file_free(&data);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_a_certificate_holds_for_its_file_only);
    RUN(test_what_is_no_certificate);
    RUN(test_files_and_options);
    hsp_context_free(ctx);
    return check_done();
}
