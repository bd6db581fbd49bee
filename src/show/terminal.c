#include "show/terminal.h"

void hsp__terminal(const hsp_figure *figure, const hsp__look *look, int colors, int unicode,
                   hsp__scratch *memory, hsp__text *out)
{
    (void)colors, (void)unicode, (void)memory, (void)look;
    hsp__text_printf(out, "%s\n", figure->title ? figure->title : figure->kind);
}
