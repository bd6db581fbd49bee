/* Models of LIBSVM and LIBLINEAR as text (docs/models.md). */
#ifndef HSP_MODEL_IMPORT_H
#define HSP_MODEL_IMPORT_H

#include "base/text.h"
#include "data/output.h"
#include "model/model.h"

/* Exported models end with a line of this and the hashes of the data that they were trained on,
 * separated by blanks. LIBSVM and LIBLINEAR do not read beyond the last number. */
#define HSP__TRAINED_ON "# halfspace: trained on data "

/* A whole file in memory. */
hsp_status hsp__model_import_text(hsp_context *ctx, const char *text, size_t size, const char *name,
                                  hsp_error *err, hsp_model **out);

/* Text on its way to a file. */
typedef struct hsp__writer {
    hsp__output *output; /* NULL: the text stays where it is */
    hsp__text text;
} hsp__writer;

hsp_status hsp__model_export_text(hsp_context *ctx, const hsp_model *model, int libsvm,
                                  hsp__writer *writer, hsp_error *err);

#endif
