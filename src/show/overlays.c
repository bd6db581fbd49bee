/* What --show adds to plots of rows: one line each. */
#include "show/rows.h"

static const hsp__overlay overlays[] = {
    {NULL, 0, NULL},
};

const hsp__overlay *hsp__overlay_at(size_t i)
{
    return overlays[i].name ? &overlays[i] : NULL;
}
