/* Certificates: from a data file, and perhaps a model, to claims with their evidence.
 *
 * Nothing here checks a claim. What a claim's own file finds is written down as exact numbers, and
 * the checker (verify/) establishes whether it is true. */
#include <errno.h>
#include <stdio.h>

#include "base/base.h"
#include "base/checksum.h"
#include "prove/prove.h"

/* Every claim in the order in which they are made: what goes before its name in a list of them, its
 * name, who makes it (NULL: it comes with the one before it). */
#define CERTIFY_CLAIMS(claim)                                                                   \
    claim("", "separable", hsp__prove_separable) claim(", ", "not separable", NULL)             \
        claim(", ", "mistakes", hsp__prove_mistakes) claim(", ", "optimal", hsp__prove_optimal) \
            claim(", ", "stable", NULL) claim(", ", "kernel", hsp__prove_kernel)                \
                claim(", ", "error", hsp__prove_error)
#define CERTIFY_NAME(before, name, make)  before "\"" name "\""
#define CERTIFY_ENTRY(before, name, make) {name, make},

static const struct {
    const char *name;
    hsp_status (*make)(hsp__prove *prove, hsp_error *err);
} certify_claims[] = {CERTIFY_CLAIMS(CERTIFY_ENTRY)};
enum { CERTIFY_COUNT = sizeof certify_claims / sizeof *certify_claims };

static const hsp_option certify_table[] = {
    {"claim", HSP_OPTION_LIST, NULL, 0, 0, NULL, "CLAIM",
     "make only this claim (may be repeated): " CERTIFY_CLAIMS(CERTIFY_NAME)},
    {"offset", HSP_OPTION_CHOICE, "free", 0, 0, "free|none", NULL,
     "for separability: hyperplanes with an offset, or through the origin"},
    {"margin-tolerance", HSP_OPTION_REAL, "1e-6", 1e-12, 0.5, NULL, NULL,
     "relative width of the interval in which the widest margin is proven to lie"},
    {"positive", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "CLASS", "this class against all others"},
    {"classes", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "A,B",
     "use only these two classes; B is positive"},
    {"kernel", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "EXPR",
     "certify separability in the feature space of this kernel, and that its Gram matrix is "
     "positive semidefinite"},
    {"model", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "also make claims about this model, which was trained on DATA"},
    {"test", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "test data, for the claims error and stable"},
    {"delta", HSP_OPTION_REAL, "0.05", 1e-12, 0.5, NULL, NULL,
     "for the claim error: the bound holds with probability 1 - D"},
};

const hsp_option_table *hsp_certify_options(void)
{
    static const hsp_option_table table = {"certify", "what is claimed", certify_table,
                                           sizeof certify_table / sizeof *certify_table};
    return &table;
}

struct hsp_certificate {
    hsp_allocator memory;
    hsp__text text;
    hsp__prove_note *notes;
    uint64_t note_count;
};

/* The SHA-256 of the model's file, byte for byte. */
static hsp_status certify_hash_model(hsp__prove *prove, const char *path, hsp_error *err)
{
    unsigned char block[16384], digest[32];
    hsp__sha256 sha;
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) return hsp__fail_at(err, HSP_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    hsp__sha256_init(&sha);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        hsp__sha256_add(&sha, block, got);
    const int failed = ferror(file);
    fclose(file);
    if (failed) return hsp__fail_at(err, HSP_IO, path, 0, 0, "cannot read");
    hsp__sha256_end(&sha, digest);
    hsp__sha256_text(digest, prove->model_hash);
    return HSP_OK;
}

static hsp_status certify_write(const hsp__prove *prove, hsp__text *text, hsp_error *err)
{
    const hsp__prove_file *files[2] = {&prove->data, &prove->test};
    uint64_t columns = prove->data.view->cols; /* of both files: as many as the wider one has */
    if (prove->test.path && prove->test.view->cols > columns) columns = prove->test.view->cols;
    hsp__text_puts(text, "{\n  \"format\": \"halfspace certificate\",\n  \"version\": 2,\n");
    for (int i = 0; i < 2 && files[i]->path; i++) {
        hsp__text_puts(text, i ? ",\n  \"test\": " : "  \"data\": ");
        hsp__text_add(text, files[i]->json.data, files[i]->json.size);
        hsp__text_printf(text, "%llu", (unsigned long long)columns);
        hsp__text_add(text, files[i]->rest.data, files[i]->rest.size);
    }
    if (prove->transform.size) {
        hsp__text_puts(text, ",\n  \"transform\": ");
        hsp__text_add(text, prove->transform.data, prove->transform.size);
    }
    if (prove->model_hash[0])
        hsp__text_printf(text, ",\n  \"model\": {\"sha256\": \"%s\"}", prove->model_hash);
    hsp__text_puts(text, ",\n  \"claims\": [\n    ");
    hsp__text_add(text, prove->claims.data, prove->claims.size);
    hsp__text_printf(text, "\n  ],\n  \"made_by\": \"halfspace %s\"\n}\n", hsp_version());
    return text->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* The model, the files, and the space that claims are about. */
static hsp_status certify_read(hsp__prove *prove, const char *path, hsp_error *err)
{
    const char *test = hsp_options_text(prove->options, "test");
    const char *model = hsp_options_text(prove->options, "model");
    prove->width = hsp_options_real(prove->options, "margin-tolerance");
    prove->offset = strcmp(hsp_options_text(prove->options, "offset"), "none") != 0;
    for (size_t i = 0; i < hsp_options_list_count(prove->options, "claim"); i++) {
        const char *word = hsp_options_list_item(prove->options, "claim", i);
        size_t c = 0;
        while (c < CERTIFY_COUNT && !hsp__prove_is_name(word, certify_claims[c].name))
            c++;
        if (c == CERTIFY_COUNT)
            return hsp__fail_option(err, "--claim",
                                    "found '%.40s', expected one of " CERTIFY_CLAIMS(CERTIFY_NAME),
                                    word);
    }
    if (model && !prove->model) {
        HSP__TRY(hsp_model_read(prove->ctx, model, err, &prove->read_model));
        prove->model = prove->read_model;
    }
    if (model) HSP__TRY(certify_hash_model(prove, model, err));
    HSP__TRY(hsp__prove_open(prove, path, prove->read, 0, err, &prove->data));
    if (test) HSP__TRY(hsp__prove_open(prove, test, prove->read, 1, err, &prove->test));
    return hsp__prove_scale(prove, err);
}

hsp_status hsp_certify(hsp_context *ctx, const char *path, const hsp_options *read,
                       const hsp_model *model, const hsp_options *options, hsp_error *err,
                       hsp_certificate **out)
{
    HSP__NEED(err, ctx, path, out);
    const hsp_allocator *memory = &ctx->allocator;
    hsp_context alone = *ctx; /* every rank reads all rows, and does the same work */
    alone.ranks = NULL;
    hsp__prove prove = {
        .ctx = &alone, .model = model, .read = read, .options = options, .scratch.memory = memory};
    hsp_options *own = NULL;
    hsp_certificate *made = hsp__new(memory, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->memory = *memory;
    hsp__text_init(&made->text, memory);
    hsp__text_init(&prove.claims, memory);
    hsp__text_init(&prove.transform, memory);
    hsp__separation_init(&prove.separability, memory);
    hsp_status status = HSP_OK;
    if (!options) status = hsp_options_new(ctx, hsp_certify_options(), err, &own);
    if (!options) prove.options = own;
    if (!status) status = certify_read(&prove, path, err);
    for (size_t c = 0; !status && c < CERTIFY_COUNT; c++)
        if (certify_claims[c].make) status = certify_claims[c].make(&prove, err);
    if (!status && prove.claims.size) status = certify_write(&prove, &made->text, err);
    hsp__prove_close(&prove.data);
    hsp__prove_close(&prove.test);
    hsp__separation_free(&prove.separability);
    hsp__text_free(&prove.claims);
    hsp__text_free(&prove.transform);
    hsp__scratch_free(&prove.scratch);
    hsp_options_free(own);
    hsp_model_free(prove.read_model);
    made->notes = prove.notes;
    made->note_count = prove.note_count;
    if (status)
        hsp_certificate_free(made);
    else
        *out = made;
    return hsp__while(err, status, "certifying", path);
}

void hsp_certificate_free(hsp_certificate *certificate)
{
    if (!certificate) return;
    const hsp_allocator memory = certificate->memory;
    for (uint64_t i = 0; i < certificate->note_count; i++)
        hsp__free(&memory, certificate->notes[i].why);
    hsp__free(&memory, certificate->notes);
    hsp__text_free(&certificate->text);
    hsp__free(&memory, certificate);
}

const char *hsp_certificate_text(const hsp_certificate *certificate, size_t *size)
{
    if (!certificate) return NULL;
    if (size) *size = certificate->text.size;
    return certificate->text.size ? certificate->text.data : NULL;
}

const char *hsp_certificate_claim(const hsp_certificate *certificate, size_t i, const char **why)
{
    if (!certificate || i >= certificate->note_count) return NULL;
    if (why) *why = certificate->notes[i].why;
    return certificate->notes[i].claim;
}
