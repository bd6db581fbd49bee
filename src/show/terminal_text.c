/* Text and colours of terminals. */
#include <stdlib.h>

#include "show/canvas.h"
#include "show/terminal.h"

void hsp__terminal_put(hsp__text *out, uint32_t code)
{
    char bytes[4];
    size_t size = 0;
    if (code < 0x80)
        bytes[size++] = (char)code;
    else if (code < 0x800) {
        bytes[size++] = (char)(0xc0 | code >> 6);
        bytes[size++] = (char)(0x80 | (code & 0x3f));
    } else {
        if (code >= 0x10000) bytes[size++] = (char)(0xf0 | code >> 18);
        bytes[size++] = (char)(code < 0x10000 ? 0xe0 | code >> 12 : 0x80 | (code >> 12 & 0x3f));
        bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[size++] = (char)(0x80 | (code & 0x3f));
    }
    hsp__text_add(out, bytes, size);
}

/* The nearest of the 216 colours of a cube, or, for what is nearly grey, of 24 greys too. */
int hsp__terminal_color(int rgb)
{
    static const int steps[] = {0, 95, 135, 175, 215, 255};
    int cube = 0, cube_error = 0, mean = 0, least = 255, most = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const int part = rgb >> shift & 255;
        int best = 0;
        for (int k = 1; k < 6; k++)
            if (abs(steps[k] - part) < abs(steps[best] - part)) best = k;
        cube = cube * 6 + best;
        cube_error += (steps[best] - part) * (steps[best] - part);
        mean += part;
        least = part < least ? part : least;
        most = part > most ? part : most;
    }
    int grey = (mean / 3 - 3) / 10, grey_error = 0;
    grey = grey < 0 ? 0 : grey > 23 ? 23 : grey;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const int off = 8 + 10 * grey - (rgb >> shift & 255);
        grey_error += off * off;
    }
    return most - least <= 16 && grey_error < cube_error ? 232 + grey : 16 + cube;
}

size_t hsp__terminal_plain(uint32_t code, char plain[8])
{
    static const struct {
        uint32_t code;
        const char *plain;
    } known[] = {{0xb1, "+/-"}, {0xb2, "^2"},  {0xb7, "*"},   {0x3b3, "gamma"}, {0x3be, "xi"},
                 {0x2013, "-"}, {0x2016, "|"}, {0x2026, "~"}, {0x2212, "-"},    {0x2264, "<="}};
    const char *found = "?", one[] = {(char)code, 0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code) found = known[i].plain;
    if (code < 0x80) found = one;
    memcpy(plain, found, strlen(found) + 1);
    return strlen(found);
}

size_t hsp__terminal_length(const char *text, int unicode)
{
    size_t count = 0;
    char plain[8];
    while (*text) {
        const uint32_t code = hsp__text_next(&text);
        count += unicode ? 1 : hsp__terminal_plain(code, plain);
    }
    return count;
}

void hsp__terminal_text(hsp__text *out, const char *text, size_t most, int unicode)
{
    for (size_t count = 0; *text && count < most;) {
        const uint32_t code = hsp__text_next(&text);
        char plain[8];
        const size_t size = hsp__terminal_plain(code, plain);
        count += unicode ? 1 : size;
        if (count > most || (count == most && *text)) {
            hsp__terminal_put(out, unicode ? 0x2026 : '~');
            return;
        }
        if (unicode)
            hsp__terminal_put(out, code);
        else
            hsp__text_add(out, plain, size);
    }
}
