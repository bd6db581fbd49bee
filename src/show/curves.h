/* What several kinds of curves and bars share (curves.c). */
#ifndef HSP_SHOW_CURVES_H
#define HSP_SHOW_CURVES_H

#include "show/figure.h"

/* The name of a file without its folders; NULL: NULL. */
static inline const char *hsp__file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

#endif
