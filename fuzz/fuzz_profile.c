/* Any bytes as a table that is looked at: a profile or an error with a sentence, the same however the
 * text is cut; figures that fit together; and advice that the options of reading accept. The first
 * byte chooses options, the second the size of the pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "halfspace_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_set(hsp_options *options, const char *name, const char *value)
{
    if (hsp_options_set(options, name, value, NULL)) abort();
}

static hsp_options *fuzz_options(hsp_context *ctx, uint8_t choice)
{
    static const char *const labels[] = {"last", "none", "y", "first"};
    static const char *const separators[] = {"auto", "space", "auto", ";"};
    hsp_options *options = NULL;
    if (hsp_options_new(ctx, hsp_read_options(), NULL, &options)) abort();
    fuzz_set(options, "format", "csv");
    if (choice & 1) fuzz_set(options, "label", labels[choice >> 1 & 3]);
    fuzz_set(options, "separator", separators[choice >> 3 & 3]);
    if (choice & 32) fuzz_set(options, "header", "no");
    if (choice & 64) fuzz_set(options, "na", "x,-1");
    if (choice & 128) fuzz_set(options, "ignore", "1");
    return options;
}

static hsp_profile *fuzz_look(const uint8_t *bytes, size_t size, uint8_t choice, size_t block)
{
    hsp_context *ctx = NULL;
    hsp_profile *profile = NULL;
    hsp_error err = HSP_ERROR_INIT;
    if (hsp_context_new(NULL, &ctx)) abort();
    ctx->block_bytes = block;
    hsp_options *options = fuzz_options(ctx, choice);
    hsp_status status = hsp_profile_parse(ctx, bytes, size, "fuzz", options, NULL, &err, &profile);
    if (status ? profile || !err.message[0] || status != HSP_BAD_DATA : !profile) abort();
    if (!status && hsp_profile_advise(profile, options, &err)) abort();
    hsp_options_free(options);
    hsp_context_free(ctx);
    return profile;
}

static int fuzz_same(double a, double b)
{
    return a == b || (a != a && b != b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    hsp_profile *whole = fuzz_look(bytes + 2, size - 2, bytes[0], 1 << 16);
    hsp_profile *cut = fuzz_look(bytes + 2, size - 2, bytes[0], 1 + (size_t)bytes[1] / 16);
    const hsp_profile_totals *all = hsp_profile_table(whole), *again = hsp_profile_table(cut);
    if (!whole != !cut) abort();
    if (whole && (all->rows != again->rows || all->ragged != again->ragged ||
                  all->misquoted != again->misquoted || all->columns != again->columns ||
                  all->label != again->label || all->ragged + all->misquoted > all->rows))
        abort();
    for (uint64_t j = 0; whole && j < all->columns; j++) {
        const hsp_profile_column *a = hsp_profile_column_at(whole, j);
        const hsp_profile_column *b = hsp_profile_column_at(cut, j);
        const uint64_t cells = all->rows - all->ragged - all->misquoted;
        if (strcmp(a->name, b->name) != 0 || strcmp(a->kind, b->kind) != 0 ||
            a->missing != b->missing || a->distinct != b->distinct || !fuzz_same(a->min, b->min) ||
            !fuzz_same(a->median, b->median) || !fuzz_same(a->max, b->max))
            abort();
        if (a->missing + a->distinct > cells || a->min > a->median || a->median > a->max) abort();
    }
    hsp_profile_free(whole);
    hsp_profile_free(cut);
    return 0;
}
