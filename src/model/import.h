/* Models of other programs as text: LIBSVM's and LIBLINEAR's (docs/models.md). */
#ifndef HSP_MODEL_IMPORT_H
#define HSP_MODEL_IMPORT_H

#include "base/text.h"
#include "data/output.h"
#include "model/model.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* A text, word by word, with the place for errors. */
typedef struct hsp__reader {
    const char *file;
    const char *at, *end; /* what is left */
    const char *line;     /* where the line begins */
    uint64_t number;      /* of the line, from 1 */
    hsp_error *err;
} hsp__reader;

/* The next word of the line; its size, 0 at the end of the line. */
size_t hsp__reader_word(hsp__reader *reader, const char **word);
/* On to the next line; 0 when there is none. What is left of this one is passed over. */
int hsp__reader_next(hsp__reader *reader);
/* HSP_BAD_DATA at a place of the line: "found 'x', expected ..."; a size of 0: the line's end. */
hsp_status hsp__reader_fail(const hsp__reader *reader, const char *at, size_t size,
                            const char *expected);
/* The next word is a finite number; text[0..size) is one. */
hsp_status hsp__reader_number(hsp__reader *reader, double *out);
hsp_status hsp__reader_value(const hsp__reader *reader, const char *text, size_t size, double *out);
/* The next word is a whole number from `least` to `most`. */
hsp_status hsp__reader_whole(hsp__reader *reader, double least, double most, uint64_t *out);
/* Nothing is left on the line. */
hsp_status hsp__reader_end(hsp__reader *reader);

/* Numbers of which there may be any number. */
typedef struct hsp__numbers {
    double *x;
    uint64_t count, room;
} hsp__numbers;
hsp_status hsp__numbers_add(const hsp_allocator *memory, hsp__numbers *list, double x,
                            hsp_error *err);

/* Whole-number labels of the rest of the line, as class names in their order. */
hsp_status hsp__reader_labels(hsp__reader *reader, hsp__names *names);

/* Exported models end with a line of this and the hashes of the data that they were trained on,
 * separated by blanks. LIBSVM and LIBLINEAR do not read beyond the last number. */
#define HSP__TRAINED_ON "# halfspace: trained on data "

/* What all imported models have: class names (two classes: the first label is the positive one),
 * facts. The reader is behind the last number; but for the line above and empty lines, the file
 * ends there. */
hsp_status hsp__import_finish(hsp_context *ctx, hsp_model *model, const hsp__names *labels,
                              const char *program, const char *kind, const char *index_base,
                              hsp__reader *reader);

/* The readers; they begin at the first line. */
hsp_status hsp__import_libsvm(hsp_context *ctx, hsp__reader *reader, hsp_model **out);
hsp_status hsp__import_liblinear(hsp_context *ctx, hsp__reader *reader, hsp_model **out);

/* A whole file in memory. */
hsp_status hsp__model_import_text(hsp_context *ctx, const char *text, size_t size, const char *name,
                                  hsp_error *err, hsp_model **out);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Text on its way to a file. */
typedef struct hsp__writer {
    hsp__output *output; /* NULL: the text stays where it is */
    hsp__text text;
} hsp__writer;

void hsp__writer_number(hsp__writer *writer, double number);
/* Return what has gathered, when it is much (or `all` of it). */
hsp_status hsp__writer_flush(hsp__writer *writer, int all, hsp_error *err);

/* The weights and offsets of a linear model on rows as they are in files: scalings by column go
 * into them. HSP_USAGE for a scaling by rows. The caller frees both arrays. */
typedef struct hsp__plain {
    uint64_t inputs;
    double *weights; /* scorers * inputs */
    double *offsets; /* scorers */
} hsp__plain;
hsp_status hsp__plain_init(hsp__plain *plain, hsp_context *ctx, const hsp_model *model,
                           const char *format, hsp_error *err);
void hsp__plain_free(hsp__plain *plain, hsp_context *ctx);

/* The label of a class as these programs write it: the name, where all names are whole numbers;
 * else 1, 2, ..., of which a note tells. */
int hsp__export_numbered(const hsp_model *model);
void hsp__export_label(hsp__writer *writer, const hsp_model *model, uint32_t class);

/* Is there a calibration that LIBSVM can express: Platt's, of two classes, without a threshold? */
int hsp__export_has_platt(const hsp_model *model);

hsp_status hsp__export_libsvm(hsp_context *ctx, const hsp_model *model, hsp__writer *writer,
                              hsp_error *err);
hsp_status hsp__export_liblinear(hsp_context *ctx, const hsp_model *model, hsp__writer *writer,
                                 hsp_error *err);

#endif
