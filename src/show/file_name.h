/* Names of files in titles and legends. */
#ifndef HSP_SHOW_FILE_NAME_H
#define HSP_SHOW_FILE_NAME_H

#include "base/base.h"

/* The name of a file without its folders; NULL: NULL. */
static inline const char *hsp__file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

#endif
