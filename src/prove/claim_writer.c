#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
#include "prove/prove.h"

int64_t hsp__prove_grid(hsp__long value, int places)
{
    return (int64_t)llroundl(value * powl(10, (hsp__long)places));
}

void hsp__prove_format_grid(hsp__text *text, int64_t number, int places)
{
    char digits[HSP__DECIMAL_MAX];
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0) hsp__text_puts(text, "-");
    while (size && size % 10 == 0) {
        size /= 10;
        places--;
    }
    const int count = (int)hsp__decimal_print_u64(size, digits);
    if (!size || places == 0) {
        hsp__text_puts(text, digits);
    } else if (places < 0 || places > count + 5) {
        hsp__text_printf(text, "%c%s%s", digits[0], count > 1 ? "." : "", digits + 1);
        hsp__text_printf(text, "e%d", count - 1 - places);
    } else if (places >= count) {
        hsp__text_printf(text, "0.%0*d", places - count, 0);
        if (places == count) text->size--; /* a field of no width is still a 0 */
        hsp__text_puts(text, digits);
    } else {
        hsp__text_printf(text, "%.*s.%s", count - places, digits, digits + count - places);
    }
}

double hsp__prove_format_bound(hsp__text *text, hsp__long value, int digits, int up)
{
    assert(digits > 0 && digits < 18 && isfinite(value));
    const hsp__long tiny = 0x1p-60L; /* more than what the steps below round by */
    if (!(value > 0)) {
        hsp__text_puts(text, "0");
        return 0;
    }
    const int places = digits - (int)ceill(log10l(value));
    hsp__long scaled = value * powl(10, (hsp__long)places);
    scaled = up ? ceill(scaled * (1 + 8 * tiny)) : floorl(scaled * (1 - 8 * tiny));
    hsp__prove_format_grid(text, (int64_t)scaled, places);
    return (double)(scaled / powl(10, (hsp__long)places));
}

void hsp__prove_format_exact(hsp__text *text, double value)
{
    char digits[64];
    if (value == floor(value)) {
        hsp__text_printf(text, "%.0f", value);
    } else if (fabs(value) < 1e15 && ldexp(value, 24) == floor(ldexp(value, 24))) {
        snprintf(digits, sizeof digits, "%.24f", value); /* all of them */
        size_t size = strlen(digits);
        while (digits[size - 1] == '0')
            size--;
        hsp__text_add(text, digits, size);
    } else { /* every double is a whole number over a power of two */
        int exponent;
        double whole = ldexp(frexp(value, &exponent), DBL_MANT_DIG);
        exponent -= DBL_MANT_DIG;
        for (; fmod(whole, 2) == 0; whole /= 2)
            exponent++;
        if (exponent < -1023) /* 2^-exponent is beyond a double: all digits behind the point */
            hsp__text_printf(text, "%.*f", -exponent, value);
        else
            hsp__text_printf(text, "%.0f/%.0f", whole, ldexp(1, -exponent));
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A comma, unless this is the first entry of its object or array, or the value of a key; then the
 * key. */
static void claim_writer_key(hsp__text *text, const char *key)
{
    const int line = key && *key == '\n';
    if (line)
        hsp__text_puts(text, ",\n     ");
    else if (text->size && !text->failed && !strchr("{[ ", text->data[text->size - 1]))
        hsp__text_puts(text, ", ");
    if (key) hsp__text_printf(text, "\"%s\": ", key + line);
}

void hsp__claim_open(hsp__text *text, const char *key, char bracket)
{
    claim_writer_key(text, key);
    hsp__text_add(text, &bracket, 1);
}

void hsp__claim_close(hsp__text *text, char bracket)
{
    assert(strchr("]}\"", bracket));
    hsp__text_add(text, &bracket, 1);
}

void hsp__claim_json(hsp__text *text, const char *key, const hsp__text *json)
{
    claim_writer_key(text, key);
    hsp__text_add(text, json->data, json->size);
}

void hsp__claim_word(hsp__text *text, const char *key, const char *word)
{
    claim_writer_key(text, key);
    hsp__text_printf(text, "\"%s\"", word);
}

void hsp__claim_flag(hsp__text *text, const char *key, int flag)
{
    claim_writer_key(text, key);
    hsp__text_puts(text, flag ? "true" : "false");
}

void hsp__claim_count(hsp__text *text, const char *key, uint64_t count)
{
    claim_writer_key(text, key);
    hsp__text_printf(text, "%llu", (unsigned long long)count);
}

void hsp__claim_grid(hsp__text *text, const char *key, int64_t number, int places)
{
    hsp__claim_open(text, key, '"');
    hsp__prove_format_grid(text, number, places);
    hsp__claim_close(text, '"');
}

void hsp__claim_bound(hsp__text *text, const char *key, hsp__long value, int digits, int up)
{
    hsp__claim_open(text, key, '"');
    hsp__prove_format_bound(text, value, digits, up);
    hsp__claim_close(text, '"');
}

void hsp__claim_exact(hsp__text *text, const char *key, double value)
{
    hsp__claim_open(text, key, '"');
    hsp__prove_format_exact(text, value);
    hsp__claim_close(text, '"');
}

void hsp__claim_short(hsp__text *text, const char *key, double value)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, digits);
    hsp__claim_word(text, key, digits);
}

void hsp__claim_entry(hsp__text *text, uint64_t index)
{
    hsp__claim_open(text, NULL, '[');
    hsp__claim_count(text, NULL, index + 1);
}

void hsp__claim_list_grid(hsp__text *text, const char *key, const uint64_t *row,
                          const int64_t *number, uint64_t count, int places, int signs)
{
    hsp__claim_open(text, key, '[');
    for (uint64_t k = 0; k < count; k++) {
        if (!number[k]) continue;
        hsp__claim_entry(text, row ? row[k] : k);
        hsp__claim_grid(text, NULL, signs ? number[k] : llabs(number[k]), places);
        hsp__claim_close(text, ']');
    }
    hsp__claim_close(text, ']');
}

void hsp__claim_list(hsp__text *text, const char *key, const uint64_t *row, const double *number,
                     uint64_t count, hsp__claim_number *write)
{
    hsp__claim_open(text, key, '[');
    for (uint64_t k = 0; k < count; k++) {
        if (number[k] == 0) continue;
        hsp__claim_entry(text, row ? row[k] : k);
        write(text, NULL, number[k]);
        hsp__claim_close(text, ']');
    }
    hsp__claim_close(text, ']');
}

void hsp__claim_tie(hsp__text *text, const char *key, hsp_tie tie)
{
    static const char *const ties[] = {
        [HSP_TIE_NEG] = "negative", [HSP_TIE_POS] = "positive", [HSP_TIE_ZERO] = "mistake"};
    hsp__claim_word(text, key, ties[tie]);
}

void hsp__claim_order(hsp__text *text, uint64_t passes, const uint64_t *sequence, uint64_t updates)
{
    assert(passes || sequence || !updates);
    hsp__claim_word(text, "\norder", passes ? "cyclic" : "sequence");
    if (passes) {
        hsp__claim_count(text, "passes", passes);
    } else {
        hsp__claim_open(text, "sequence", '[');
        for (uint64_t k = 0; k < updates; k++)
            hsp__claim_count(text, NULL, sequence[k] + 1);
        hsp__claim_close(text, ']');
    }
    hsp__claim_count(text, "total", updates);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

int hsp__prove_is_name(const char *word, const char *claim)
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
        if (hsp__prove_is_name(hsp_options_list_item(prove->options, "claim", i), claim)) return 1;
    return count == 0;
}

/* `why` NULL: it was made. */
static hsp_status claim_writer_note(hsp__prove *prove, hsp_error *err, const char *claim,
                                    const char *why)
{
    void *notes = prove->notes;
    char *copy = why ? hsp__copy_text(&prove->ctx->allocator, why, strlen(why)) : NULL;
    if ((why && !copy) || !hsp__reserve(&prove->ctx->allocator, &notes, &prove->note_room,
                                        prove->note_count + 1, sizeof *prove->notes)) {
        hsp__free(&prove->ctx->allocator, copy);
        return hsp__fail_memory(err);
    }
    prove->notes = notes;
    prove->notes[prove->note_count++] = (hsp__prove_note){claim, copy};
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
    return claim_writer_note(prove, err, claim, why);
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
    return prove->claims.failed ? hsp__fail_memory(err)
                                : claim_writer_note(prove, err, claim, NULL);
}
