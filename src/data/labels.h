/* Labels are names (docs/labels.md): one rule for every format. */
#ifndef HSP_DATA_LABELS_H
#define HSP_DATA_LABELS_H

#include <stddef.h>

#include "base/names.h"
#include "halfspace_all.h"

typedef enum hsp__label_result {
    HSP__LABEL_OK,
    HSP__LABEL_NOT_FINITE, /* nan, inf, or a number too large */
    HSP__LABEL_NUL,        /* a NUL byte in it */
    HSP__LABEL_NO_MEMORY
} hsp__label_result;

/* The number of the label text[0..size), added to `names` under its canonical name. */
hsp__label_result hsp__label_add(hsp__names *names, const char *text, size_t size,
                                 uint32_t *number);

#endif
