/* Text that is not ASCII, in the certificate and in sentences; numbers as text. */
#include <string.h>

#include "full.h"

/* The first character of UTF-8 text, and its size; 0: it is none. */
static size_t check_text_utf8(const char *text, size_t left, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    const size_t size = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    *code = size == 1 ? *p : *p & (0xffu >> (size + 1));
    if (!size || size > left || *p > 0xf4) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    const int surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[size] || *code > 0x10ffff || surrogate ? 0 : size;
}

int hsv_text_utf8(const char *text, size_t size)
{
    uint32_t code;
    for (size_t at = 0, step; at < size; at += step)
        if (!(step = check_text_utf8(text + at, size - at, &code))) return 0;
    return 1;
}

/* Not control characters, nor those that break lines, are not seen or turn the way of writing. */
static size_t check_text_plain(const char *text, size_t left)
{
    static const uint32_t hidden[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},      {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},
        {0x115f, 0x1160}, {0x17b4, 0x17b5},  {0x180b, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0x3164, 0x3164},  {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
        {0xfff0, 0xffff}, {0xe0000, 0xe0fff}};
    uint32_t code;
    const size_t size = check_text_utf8(text, left, &code);
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code >= hidden[i][0] && code <= hidden[i][1]) return 0;
    return size;
}

/* In quotes, cut if it is long; what is no plain character is written \xNN. */
const char *hsv_text_quote(hsv_checker *c, const char *text, size_t size)
{
    const size_t shown = size < 200 ? size : 200;
    char *quoted = hsv_new(c, 4 * shown + 10, 1), *to = quoted;
    *to++ = '"';
    for (size_t i = 0, plain; i < shown; i += plain ? plain : 1) {
        plain = check_text_plain(text + i, size - i);
        if (!plain) to += sprintf(to, "\\x%02x", (unsigned char)text[i]);
        if (text[i] == '"' || text[i] == '\\') *to++ = '\\';
        memcpy(to, text + i, plain);
        to += plain;
    }
    memcpy(to, shown < size ? "\"..." : "\"", shown < size ? 5 : 2);
    return quoted;
}

static int check_text_digit(char digit)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = digit ? strchr(digits, digit) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* Four hexadecimal digits; 0, which is no character here, where there are none. */
static unsigned check_text_hex4(char **p, const char *end)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++, ++*p) {
        if (*p == end || check_text_digit(**p) < 0) return 0;
        value = value * 16 + (unsigned)check_text_digit(**p);
    }
    return value;
}

/* Behind "\u": the character as UTF-8, which is never longer than what it stands for. */
char *hsv_text_escaped(char **p, const char *end, char *to)
{
    static const unsigned first[4] = {0, 0xc0, 0xe0, 0xf0};
    unsigned code = check_text_hex4(p, end);
    if (code >= 0xd800 && code < 0xdc00) {
        if (end - *p < 2 || (*p)[0] != '\\' || (*p)[1] != 'u') return NULL;
        *p += 2;
        const unsigned low = check_text_hex4(p, end);
        if (low < 0xdc00 || low > 0xdfff) return NULL;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (!code || (code >= 0xdc00 && code < 0xe000)) {
        return NULL;
    }
    const int more = (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
    *to++ = (char)(first[more] | code >> 6 * more);
    for (int i = more - 1; i >= 0; i--)
        *to++ = (char)(0x80 | (code >> 6 * i & 63));
    return to;
}

/* A string, or {"hex": "636166e9"}: bytes that are not UTF-8. */
const char *hsv_bytes(hsv_checker *c, const hsv_json *object)
{
    if (object->type == HSV_STRING && strlen(object->text) == object->size) return object->text;
    if (object->type != HSV_OBJECT) hsv_unreadable(c, "labels and values must be strings");
    hsv_members(c, object, "hex");
    const hsv_json *hex = hsv_get(c, object, "hex", HSV_STRING);
    const size_t size = hex->size / 2;
    char *text = hsv_new(c, size + 1, 1);
    if (hex->size % 2 || strspn(hex->text, "0123456789abcdef") != hex->size)
        hsv_unreadable(c, "hex: expected pairs of hexadecimal digits (0-9, a-f)");
    for (size_t i = 0; i < size; i++)
        text[i] = (char)((unsigned)check_text_digit(hex->text[2 * i]) << 4 |
                         (unsigned)check_text_digit(hex->text[2 * i + 1]));
    if (hsv_text_utf8(text, size) || strlen(text) != size)
        hsv_unreadable(c, "hex is for text that is not UTF-8, without bytes 00");
    return text;
}

/* How many digits, or one more. */
static long check_text_digits(const mpz_t n)
{
    return (long)(((uint64_t)mpz_sizeinbase(n, 2) * 1292913986 >> 32) + 1); /* 2^32 log10(2) */
}

/* value = n 10^-decimals, n rounded. */
const char *hsv_show(hsv_checker *c, const mpq_t value, int way)
{
    char *text = hsv_new(c, 64, 1);
    mpz_t *n = hsv_integers(c, 2);
    const long whole = check_text_digits(mpq_numref(value)) - check_text_digits(mpq_denref(value));
    long decimals = whole > 6 ? 0 : 6 - whole;
    mpz_ui_pow_ui(n[0], 10, (unsigned long)decimals);
    mpz_mul(n[0], n[0], mpq_numref(value));
    (way < 0 ? mpz_fdiv_q : mpz_cdiv_q)(n[0], n[0], mpq_denref(value));
    for (; decimals && mpz_divisible_ui_p(n[0], 10); decimals--)
        mpz_divexact_ui(n[0], n[0], 10);
    if (check_text_digits(n[0]) > 40) {
        snprintf(text, 64, "about %s10^%ld", mpz_sgn(n[0]) < 0 ? "-" : "", whole);
    } else if (decimals > 11) {
        mpz_get_str(text, 10, n[0]);
        snprintf(text + strlen(text), 22, "e-%ld", decimals);
    } else {
        *text = '-';
        char *digits = text + (mpz_sgn(n[0]) < 0);
        mpz_abs(n[0], n[0]);
        mpz_ui_pow_ui(n[1], 10, (unsigned long)decimals);
        mpz_tdiv_qr(n[0], n[1], n[0], n[1]);
        mpz_get_str(digits, 10, n[0]);
        if (decimals)
            snprintf(digits + strlen(digits), 20, ".%0*lu", (int)decimals, mpz_get_ui(n[1]));
    }
    return text;
}
