/* halfspace: reports described once. */
#ifndef HALFSPACE_REPORT_H
#define HALFSPACE_REPORT_H

#include "halfspace_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A table has the name, type, unit and meaning of each figure, and
 * where it is in the report's struct. JSON, texts, manual pages and the JSON schema come from these
 * tables. The tables of the library's reports stand below. */
typedef enum hsp_field_type {
    HSP_FIELD_END,     /* behind the last field of a table */
    HSP_FIELD_FLAG,    /* int; negative: null */
    HSP_FIELD_COUNT,   /* uint64_t; UINT64_MAX: null */
    HSP_FIELD_COUNT32, /* uint32_t; UINT32_MAX: null */
    HSP_FIELD_REAL,    /* double; not finite: null */
    HSP_FIELD_LOWER,   /* likewise, a lower bound: texts round it down */
    HSP_FIELD_UPPER,   /* likewise, an upper bound: texts round it up */
    HSP_FIELD_SHARE,   /* likewise, from 0 to 1: texts show percent */
    HSP_FIELD_UPPER_SHARE,
    HSP_FIELD_SECONDS, /* likewise */
    HSP_FIELD_NUMBER,  /* const char *: a decimal number with the digits it is to have */
    HSP_FIELD_TEXT,    /* const char *; NULL: null */
    HSP_FIELD_OBJECT,  /* a record of the table `of` */
    HSP_FIELD_PART,    /* likewise; its fields are among those of this record, or absent */
    HSP_FIELD_LIST,    /* records of the table `of`; plain values if that has one nameless field */
    HSP_FIELD_MAP      /* records of two fields: a name and its value */
} hsp_field_type;

typedef struct hsp_field {
    const char *name; /* the key in JSON; NULL, or beginning with a dot: not in JSON */
    hsp_field_type type;
    int optional;             /* absent, instead of null */
    const char *unit;         /* "rows", "bytes"; NULL: none */
    const char *label, *text; /* in a text for people, and how (docs/development/reports.md) */
    const char *meaning;      /* a noun phrase, without a full stop */
    const char *when;         /* when it is null, or absent; NULL: never */
    size_t most;              /* entries of a list that a text shows; 0: the text decides */
    size_t offset;            /* of the value in the record, unless there is `get`: it returns the
                                 value (i-th record of a list; a text itself), perhaps made in
                                 `room`, or NULL */
    const void *(*get)(const void *record, size_t i, void *room);
    const struct hsp_field *(*of)(void);
} hsp_field;

/* Tables of plain values, for lists. */
HSP_API const hsp_field *hsp_field_counts(void);
HSP_API const hsp_field *hsp_field_reals(void);
HSP_API const hsp_field *hsp_field_texts(void); /* `get` of the list returns the texts */

#define HSP_FIELD_ROOM 256 /* bytes */
/* A value (TEXT and NUMBER: the text), or NULL where it is null; i: of a list or map. */
HSP_API const void *hsp_field_value(const hsp_field *field, const void *record, size_t i,
                                    void *room);
/* A record as a JSON object, piece by piece to `take`. */
HSP_API hsp_status hsp_report_json(hsp_context *ctx, const hsp_field *fields, const void *record,
                                   hsp_bytes_fn take, void *user, hsp_error *err);

/* The fields of the reports: hsp_training and its parts, ... */
HSP_API const hsp_field *hsp_training_fields(void);
HSP_API const hsp_field *hsp_totals_fields(void);
HSP_API const hsp_field *hsp_convergence_fields(void);
HSP_API const hsp_field *hsp_experts_fields(void);
HSP_API const hsp_field *hsp_evidence_fields(void);
HSP_API const hsp_field *hsp_confirmation_fields(void);
HSP_API const hsp_field *hsp_evaluation_fields(void);
HSP_API const hsp_field *hsp_knn_fields(void);
HSP_API const hsp_field *hsp_held_out_fields(void);
HSP_API const hsp_field *hsp_fold_fields(void);
HSP_API const hsp_field *hsp_mistake_bound_fields(void);
HSP_API const hsp_field *hsp_error_report_fields(void);
HSP_API const hsp_field *hsp_sample_size_fields(void);
HSP_API const hsp_field *hsp_simulation_fields(void);
HSP_API const hsp_field *hsp_kernel_check_fields(void);
HSP_API const hsp_field *hsp_factor_fields(void);
HSP_API const hsp_field *hsp_neighbors_fields(void); /* of what hsp_neighbors_file writes */

#ifdef __cplusplus
}
#endif

#endif
