/* halfspace: tables of options, for programs that list, parse or show them. The command line,
 * --help, the manual pages and the completion are made from these tables. */
#ifndef HALFSPACE_OPTIONS_H
#define HALFSPACE_OPTIONS_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsp_option_type {
    HSP_OPTION_FLAG,    /* "yes", "no", "true", "false", "1", "0" */
    HSP_OPTION_INTEGER, /* a whole number in [min, max]; 1e6 is accepted */
    HSP_OPTION_REAL,    /* a finite number in [min, max] */
    HSP_OPTION_CHOICE,  /* one of the words in `choices` */
    HSP_OPTION_TEXT,    /* any text */
    HSP_OPTION_LIST     /* any number of texts: each set adds one */
} hsp_option_type;

typedef struct hsp_option {
    const char *name; /* "margin"; --margin on the command line */
    hsp_option_type type;
    const char *fallback; /* the default, as text; NULL: none (flag: no; list: empty) */
    double min, max;      /* of an integer or a real */
    const char *choices;  /* of a choice: "auto|dense|sparse"; of a number: the word for min */
    const char *meta;     /* stands for the value in help: "COLUMN" */
    const char *help;     /* one line, no full stop */
} hsp_option;

/* The options of a learner, a generator or a call. */
typedef struct hsp_option_table {
    const char *name;
    const char *summary;       /* one line */
    const hsp_option *options; /* count of them */
    size_t count;
} hsp_option_table;

/* The learners: the i-th (NULL past the last), and the one of a name (NULL: there is none). */
HSP_API const hsp_option_table *hsp_learner(size_t i);
HSP_API const hsp_option_table *hsp_learner_find(const char *name);

/* Values for the options of a table; a copy with the same values and the same options set. */
HSP_API hsp_status hsp_options_new(hsp_context *ctx, const hsp_option_table *table, hsp_error *err,
                                   hsp_options **out);
HSP_API hsp_status hsp_options_copy(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                    hsp_options **out);
HSP_API const hsp_option_table *hsp_options_table(const hsp_options *options);

/* The one of words[0..count) that a mistyped `word` most likely means: it begins with `word`, or
 * differs in a few letters. The first of equals; NULL: none is similar. */
HSP_API const char *hsp_nearest(const char *word, const char *const *words, size_t count);

/* The shortest decimal that reads back to the same number of that precision, in any locale.
 * Returns `buffer`. */
#define HSP_NUMBER_MAX 32
HSP_API char *hsp_number_text(double number, hsp_precision precision, char buffer[HSP_NUMBER_MAX]);

#ifdef __cplusplus
}
#endif

#endif
