/* What a hypothesis is to the rest of the library: a table of functions, at the end of its file.
 * Adding one is a file with such a table, and a line in the list of hypothesis.c. */
#ifndef HSP_MODEL_HYPOTHESIS_H
#define HSP_MODEL_HYPOTHESIS_H

#include "data/container.h"
#include "model/model.h"

typedef struct hsp__model_writer hsp__model_writer;

typedef struct hsp__hypothesis_type {
    const char *name;     /* in files and for users */
    int has_weights;      /* 0: rows instead, and `feature_count` in the file */
    int needs_kernel;     /* others may have one */
    int votes;            /* scores are shares of votes: it takes no pairs of classes */
    const char *unmapped; /* why it has no link and no calibration; NULL: it may have them */
    uint64_t part;        /* with a kernel or rows: rows that one task scores */
    /* Of what it has in addition to weights and offsets; NULL: nothing. `free` takes a model that
     * is only half made; `mapped`: its arrays lie in the file. `read` takes the kernel over. */
    void (*free)(hsp_model *model, int mapped);
    hsp_status (*check)(hsp_context *ctx, const hsp_model *model, const char *file, hsp_error *err);
    void (*put)(hsp__model_writer *writer, const hsp_model *model);
    hsp_status (*read)(const hsp__container *file, hsp_model *model, hsp_kernel **kernel,
                       hsp_error *err);
    /* Make a model ready to score about this many rows and numbers. */
    hsp_status (*prepare)(hsp__scoring *scoring, hsp_context *ctx, uint64_t rows, uint64_t entries,
                          hsp_error *err);
    /* Scores of rows that are scaled already, on the calling thread. */
    hsp_status (*score)(hsp_context *quiet, const hsp__scoring *scoring, const hsp_view *view,
                        hsp_error *err, double *scores);
} hsp__hypothesis_type;

extern const hsp__hypothesis_type hsp__linear;                                /* score.c */
extern const hsp__hypothesis_type hsp__voted;                                 /* votes.c */
extern const hsp__hypothesis_type hsp__in_kernel;                             /* expansion.c */
extern const hsp__hypothesis_type hsp__by_nearness;                           /* neighbors.c */
extern const hsp__hypothesis_type *const hsp__hypotheses[HSP__NEIGHBORS + 1]; /* hypothesis.c */

static inline const hsp__hypothesis_type *hsp__type_of(const hsp_model *model)
{
    return hsp__hypotheses[model->hypothesis];
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* An array of a model: what is freed, written and read with it. */
typedef struct hsp__model_array {
    const char *name; /* in the file */
    hsp__dtype dtype;
    void **data;
    uint64_t *count; /* how many, ... */
    uint64_t more;   /* ... and this many in addition */
    int sets;        /* reading: its length becomes the count */
    int optional;    /* NULL: there is none */
} hsp__model_array;

enum { HSP__MODEL_ARRAYS = 8 }; /* of a group at most */

/* Lists of arrays: how many. */
size_t hsp__updates_arrays(hsp_model *model, hsp__model_array *list);
size_t hsp__state_arrays(hsp_model *model, hsp__model_array *list);
size_t hsp__calibration_arrays(hsp_model *model, hsp__model_array *list);
void hsp__arrays_free(const hsp_allocator *memory, const hsp__model_array *list, size_t count);

/* ---- Writing and reading (model_file.c) ------------------------------------------------------- */

void hsp__model_put(hsp__model_writer *writer, const char *key, const char *value);
void hsp__model_put_count(hsp__model_writer *writer, const char *key, uint64_t count);
void hsp__model_put_arrays(hsp__model_writer *writer, const hsp__model_array *list, size_t count);
void hsp__model_put_table(hsp__model_writer *writer, const char *name, uint64_t rows, uint64_t cols,
                          const double *values);
/* Rows that a model keeps, as PREFIX.starts, PREFIX.indices and PREFIX.values. */
void hsp__model_put_rows(hsp__model_writer *writer, const char *prefix, const hsp_view *view);

hsp_status hsp__model_get_arrays(const hsp__container *file, const hsp__model_array *list,
                                 size_t count, hsp_error *err);
hsp_status hsp__model_get_table(const hsp__container *file, const char *name, uint64_t rows,
                                uint64_t cols, hsp_error *err, double **values);
/* Rows that stay in the mapped file. hsp_data_view checks their arrays before the first use. */
hsp_status hsp__model_get_rows(const hsp__container *file, const char *prefix, uint64_t features,
                               hsp_data **rows, hsp_error *err);

/* ---- Checks (check.c) ------------------------------------------------------------------------- */

#define hsp__check_fail(err, file, ...) hsp__fail_at(err, HSP_BAD_DATA, file, 0, 0, __VA_ARGS__)
int hsp__check_finite(const double *x, uint64_t n);
int hsp__check_below(const uint32_t *x, uint64_t n, uint64_t bound);
/* Rows that a model keeps: sound, in the layout that files have; and their kernel, or NULL. */
hsp_status hsp__check_rows(hsp_context *ctx, const hsp_model *model, hsp_data *rows,
                           const hsp_kernel *kernel, const char *what, const char *file,
                           hsp_error *err);

#endif
