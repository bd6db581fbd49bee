/* Certificates: from a data file, and perhaps a model, to claims with their evidence.
 *
 * Nothing here checks a claim. What a claim's own file finds is written down as exact numbers, and
 * whoever wants to know whether it is true has the checker (verify/) look. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
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

/* ---- Claims ---------------------------------------------------------------------------------- */

/* "not-separable" and "stable predictions" will do, too. */
static int certify_same(const char *word, const char *claim)
{
    size_t i = 0;
    for (; claim[i]; i++)
        if (word[i] != claim[i] && !(claim[i] == ' ' && word[i] == '-')) return 0;
    return word[i] == 0 || (strcmp(claim, "stable") == 0 && strcmp(word + i, " predictions") == 0);
}

int hsp__prove_named(const hsp__prove *prove, const char *claim)
{
    const size_t count = hsp_options_list_count(prove->options, "claim");
    for (size_t i = 0; i < count; i++)
        if (certify_same(hsp_options_list_item(prove->options, "claim", i), claim)) return 1;
    return count == 0;
}

static hsp_status certify_check_names(const hsp_options *options, hsp_error *err)
{
    for (size_t i = 0; i < hsp_options_list_count(options, "claim"); i++) {
        const char *word = hsp_options_list_item(options, "claim", i);
        size_t c = 0;
        while (c < CERTIFY_COUNT && !certify_same(word, certify_claims[c].name))
            c++;
        if (c == CERTIFY_COUNT)
            return hsp__fail_at(err, HSP_USAGE, "--claim", 0, 0,
                                "found '%.40s', expected one of " CERTIFY_CLAIMS(CERTIFY_NAME),
                                word);
    }
    return HSP_OK;
}

static hsp_status certify_note(hsp__prove *prove, hsp_error *err, const char *claim, char *why)
{
    void *notes = prove->notes;
    if (!hsp__reserve(&prove->ctx->allocator, &notes, &prove->note_room, prove->note_count + 1,
                      sizeof *prove->notes)) {
        hsp__free(&prove->ctx->allocator, why);
        return hsp__fail_memory(err);
    }
    prove->notes = notes;
    prove->notes[prove->note_count++] = (hsp__prove_note){claim, why};
    return HSP_OK;
}

hsp_status hsp__prove_skip(hsp__prove *prove, hsp_error *err, const char *claim, const char *format,
                           ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    char *copy = hsp__copy_text(&prove->ctx->allocator, why, strlen(why));
    if (!copy) return hsp__fail_memory(err);
    return certify_note(prove, err, claim, copy);
}

void hsp__prove_begin(hsp__prove *prove, const char *claim)
{
    assert(!prove->claims.size || prove->claims.failed ||
           prove->claims.data[prove->claims.size - 1] == '}');
    if (prove->claims.size) hsp__text_puts(&prove->claims, ",\n    ");
    hsp__claim_open(&prove->claims, NULL, '{');
    hsp__claim_word(&prove->claims, "claim", claim);
}

hsp_status hsp__prove_end(hsp__prove *prove, hsp_error *err, const char *claim)
{
    hsp__claim_close(&prove->claims, '}');
    if (prove->claims.failed) return hsp__fail_memory(err);
    return certify_note(prove, err, claim, NULL);
}

/* ---- The whole ------------------------------------------------------------------------------- */

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

/* Both files have as many columns as the wider one. */
static void certify_write_file(const hsp__prove *prove, const hsp__prove_file *file,
                               hsp__text *text)
{
    uint64_t columns = prove->data.view->cols;
    if (prove->test.path && prove->test.view->cols > columns) columns = prove->test.view->cols;
    hsp__text_add(text, file->json.data, file->json.size);
    hsp__text_printf(text, "%llu", (unsigned long long)columns);
    hsp__text_add(text, file->rest.data, file->rest.size);
}

static hsp_status certify_write(const hsp__prove *prove, hsp__text *text, hsp_error *err)
{
    hsp__text_puts(text, "{\n  \"format\": \"halfspace certificate\",\n  \"version\": 2,\n");
    hsp__text_puts(text, "  \"data\": ");
    certify_write_file(prove, &prove->data, text);
    if (prove->test.path) {
        hsp__text_puts(text, ",\n  \"test\": ");
        certify_write_file(prove, &prove->test, text);
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
static hsp_status certify_read(hsp__prove *prove, const char *path, const hsp_options *read,
                               hsp_error *err)
{
    const char *test = hsp_options_text(prove->options, "test");
    const char *model = hsp_options_text(prove->options, "model");
    hsp_status status = certify_check_names(prove->options, err);
    if (!status && model && !prove->model) {
        status = hsp_model_read(prove->ctx, model, err, &prove->read_model);
        prove->model = prove->read_model;
    }
    if (!status && model) status = certify_hash_model(prove, model, err);
    if (!status) status = hsp__prove_open(prove, path, read, 0, err, &prove->data);
    if (!status && test) status = hsp__prove_open(prove, test, read, 1, err, &prove->test);
    return status ? status : hsp__prove_scale(prove, err);
}

static void certify_free_notes(const hsp_allocator *memory, hsp__prove_note *notes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hsp__free(memory, notes[i].why);
    hsp__free(memory, notes);
}

hsp_status hsp_certify(hsp_context *ctx, const char *path, const hsp_options *read,
                       const hsp_model *model, const hsp_options *options, hsp_error *err,
                       hsp_certificate **out)
{
    HSP__NEED(err, ctx, path, out);
    const hsp_allocator *memory = &ctx->allocator;
    hsp__prove prove = {.ctx = ctx, .model = model, .read = read, .scratch.memory = memory};
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
    prove.options = options ? options : own;
    if (!status) {
        prove.width = hsp_options_real(prove.options, "margin-tolerance");
        prove.offset = strcmp(hsp_options_text(prove.options, "offset"), "none") != 0;
        status = certify_read(&prove, path, read, err);
    }
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
    certify_free_notes(&memory, certificate->notes, certificate->note_count);
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
    if (!certificate) return NULL;
    if (i >= certificate->note_count) return NULL;
    if (why) *why = certificate->notes[i].why;
    return certificate->notes[i].claim;
}
