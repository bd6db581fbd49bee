/* Inside of a model, for the rooms that make and measure them. */
#ifndef HSP_MODEL_MODEL_H
#define HSP_MODEL_MODEL_H

#include "base/names.h"
#include "data/data.h"
#include "halfspace.h"

typedef enum hsp__hypothesis { HSP__LINEAR, HSP__VOTES } hsp__hypothesis;

/* The sequence of updates of a voted run. Update u adds amount[u] * (row support[u]) to scorer[u],
 * and offset[u] to that scorer's offset; updates of one step (more than two classes change two
 * scorers) stand together. Step t is made of updates first[t] .. first[t + 1] - 1, and the
 * separator after it survived `survived[t]` examples. */
typedef struct hsp__votes {
    hsp_data *rows; /* the distinct rows that were used, after scaling, as sparse or dense rows */
    uint64_t updates, steps;
    uint32_t *support;  /* updates: index into rows */
    uint32_t *scorer;   /* updates */
    double *amount;     /* updates */
    double *offset;     /* updates */
    uint64_t *first;    /* steps + 1 */
    uint64_t *survived; /* steps */
    uint64_t at_zero;   /* examples that the zero separator survived, before the first step */
} hsp__votes;

#define HSP__MODEL_SCALINGS 2

struct hsp_model {
    hsp_allocator memory;
    hsp__hypothesis hypothesis;
    uint32_t scorers; /* 1 for two classes, else one a class */
    uint64_t features;
    double *weights; /* scorers * features; owned, or in the mapped file */
    double *offsets; /* scorers */
    hsp_tie tie;
    hsp__names class_names;
    hsp__names feature_names; /* features of them, or none */
    int rest;                 /* class 0 is "rest": whatever is not class 1 */
    int leaves_out;           /* rows of classes not named here are left out of measurements */
    hsp_encoding *encoding;   /* or NULL */
    hsp_scaling *scalings[HSP__MODEL_SCALINGS]; /* applied in order; NULL: none */
    hsp__names fact_names;                      /* facts, by name ... */
    char **fact_values;                         /* ... fact_names.count of them */
    uint64_t facts_room;
    hsp_updates updates;    /* arrays owned, or in the mapped file */
    hsp__votes *votes;      /* of HSP__VOTES, else NULL */
    hsp__container *mapped; /* owned, or NULL */
};

/* A linear model of zeros with names copied from nowhere: fill it in. */
hsp_status hsp__model_new(hsp_context *ctx, uint32_t scorers, uint64_t features, hsp_error *err,
                          hsp_model **out);
hsp_status hsp__model_set_fact(hsp_model *model, const char *name, const char *value,
                               hsp_error *err);

/* Class of a row from its scores, by the model's tie rule: the one place where that is decided. */
uint32_t hsp__model_decide(const hsp_model *model, const double *scores);

/* The rule alone, for learners: two classes (scorers 1) or more. */
uint32_t hsp__decide(const double *scores, uint32_t scorers, hsp_tie tie);

/* The model's class for a label of some data set: its name among the classes, "rest" for others
 * when the model has it, HSP_NO_CLASS when the model does not know the label. */
uint32_t hsp__model_class_of(const hsp_model *model, const char *label);

/* Rows as the model's weights see them: scaled by the model's scalings, in the storage and
 * precision of the rows. *out is NULL when the model has none (use the view as it is); else the
 * caller frees it. */
hsp_status hsp__model_scale(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                            hsp_error *err, hsp_data **out);

/* <w, x> + b of one row that is scaled already; w has `features` entries, the row may name fewer
 * columns. Accumulated in double in the fixed order of the vec room: training, prediction and
 * measuring all come here, so they agree to the bit. */
double hsp__row_score(const hsp_view *view, uint64_t row, const double *w, double b);

#endif
