/* A figure as lines of text. */
#ifndef HSP_SHOW_TERMINAL_H
#define HSP_SHOW_TERMINAL_H

#include "base/text.h"
#include "show/canvas.h"

void hsp__terminal(const hsp_figure *figure, const hsp__look *look, int colors, int unicode,
                   hsp__scratch *memory, hsp__text *out);

/* ---- Text and colours (terminal_text.c) ---- */

void hsp__terminal_put(hsp__text *out, uint32_t code);
/* The number of a colour, of the 256 that most terminals have. */
int hsp__terminal_color(int rgb);
/* A character in ASCII: how many that are. */
size_t hsp__terminal_plain(uint32_t code, char plain[8]);
/* Text, in ASCII unless `unicode`: its characters, and at most that many of it. */
size_t hsp__terminal_length(const char *text, int unicode);
void hsp__terminal_text(hsp__text *out, const char *text, size_t most, int unicode);

#endif
