/* The SVG element of a figure. */
#ifndef HSP_SHOW_SVG_H
#define HSP_SHOW_SVG_H

#include "base/text.h"
#include "show/canvas.h"

void hsp__svg(const hsp_figure *figure, const hsp__look *look, hsp__scratch *memory,
              hsp__text *out);

#endif
