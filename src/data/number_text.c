#include "data/number_text.h"

#include <string.h>

/* The blank at *at: a space, a tab, or one of the no-break spaces of UTF-8; how many bytes, or 0. */
static size_t number_blank(const char *at, size_t size)
{
    if (size && (*at == ' ' || *at == '\t')) return 1;
    if (size >= 2 && memcmp(at, "\xC2\xA0", 2) == 0) return 2;
    return size >= 3 && memcmp(at, "\xE2\x80\xAF", 3) == 0 ? 3 : 0;
}

static void number_trim(const char **text, size_t *size)
{
    for (size_t n; (n = number_blank(*text, *size)) > 0; *size -= n)
        *text += n;
    for (size_t n = 1; n <= 3 && n <= *size;)
        if (number_blank(*text + *size - n, n) == n)
            *size -= n, n = 1;
        else
            n++;
}

/* Take `sign` off either end, once. */
static int number_strip(const char **text, size_t *size, const char *sign)
{
    const size_t n = strlen(sign);
    if (*size > n && memcmp(*text, sign, n) == 0)
        *text += n;
    else if (!(*size > n && memcmp(*text + *size - n, sign, n) == 0))
        return 0;
    *size -= n;
    number_trim(text, size);
    return 1;
}

static int number_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits before the decimal sign, with or without separators of thousands, to out; how many
 * bytes of text, or 0 when groups are not of three or the first begins with a zero. */
static size_t number_whole(const char *text, size_t size, char thousands, char *out, size_t *length)
{
    size_t at = 0, group = 0, groups = 0;
    for (;;) {
        if (at < size && number_is_digit(text[at])) {
            out[(*length)++] = text[at++];
            group++;
            continue;
        }
        const size_t blank = thousands == ' ' ? number_blank(text + at, size - at) : 0;
        const size_t width = blank ? blank : at < size && thousands && text[at] == thousands;
        if (!width) break;
        if (groups ? group != 3 : group < 1 || group > 3 || *text == '0') return 0;
        groups++;
        group = 0;
        at += width;
    }
    return groups && group != 3 ? 0 : at;
}

size_t hsp__number_plain(const char *text, size_t size, const hsp__number_format *format, char *out)
{
    static const char *const signs[] = {"$",   "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", "EUR",
                                        "USD", "GBP",          "CHF",      "JPY"};
    size_t length = 0;
    int percent = 0, negative = 0;
    number_trim(&text, &size);
    if (format->currency && size > 2 && text[0] == '(' && text[size - 1] == ')') {
        text++, size -= 2, negative = 1;
        number_trim(&text, &size);
    }
    if (format->percent && size && text[size - 1] == '%') {
        size--, percent = 1;
        number_trim(&text, &size);
    }
    const int early = size && (*text == '-' || *text == '+');
    if (early && negative) return 0;
    if (early) {
        negative = *text == '-';
        text++, size--;
    }
    for (size_t i = 0; format->currency && i < sizeof signs / sizeof *signs; i++)
        if (number_strip(&text, &size, signs[i])) break;
    if (size && !early && !negative && (*text == '-' || *text == '+')) { /* $-12 */
        negative = *text == '-';
        text++, size--;
    }
    if (negative) out[length++] = '-';
    const size_t before = length;
    size_t at = number_whole(text, size, format->thousands, out, &length);
    const size_t digits = length - before;
    if (at == 0 && digits) return 0;
    if (at < size && text[at] == format->decimal) {
        out[length++] = '.';
        const size_t from = ++at;
        while (at < size && number_is_digit(text[at]))
            out[length++] = text[at++];
        if (at == from && !digits) return 0;
    } else if (!digits) {
        return 0;
    }
    if (at < size && !percent && (text[at] | 0x20) == 'e') {
        const size_t sign = at + 1 < size && (text[at + 1] == '-' || text[at + 1] == '+');
        if (at + 1 + sign >= size) return 0;
        out[length++] = 'e';
        for (at++; at < size && (number_is_digit(text[at]) || out[length - 1] == 'e'); at++)
            out[length++] = text[at];
        if (!number_is_digit(out[length - 1])) return 0;
    }
    if (at != size) return 0;
    if (percent) memcpy(out + length, "e-2", 3), length += 3;
    return length;
}
