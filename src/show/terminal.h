/* A figure as lines of text. */
#ifndef HSP_SHOW_TERMINAL_H
#define HSP_SHOW_TERMINAL_H

#include "base/text.h"
#include "show/canvas.h"

void hsp__terminal(const hsp_figure *figure, const hsp__look *look, int colors, int unicode,
                   hsp__scratch *memory, hsp__text *out);

#endif
