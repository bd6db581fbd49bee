/* The lines that predictions are written as: CSV, TSV, JSON, and as LIBSVM's svm-predict writes them
 * (docs/predicting.md). Plain lines are predict.c's own. */
#ifndef HSP_MODEL_ANSWERS_H
#define HSP_MODEL_ANSWERS_H

#include "base/scratch.h"
#include "base/text.h"
#include "data/stream.h"
#include "model/model.h"

typedef enum hsp__answer_kind {
    HSP__ANSWER_PLAIN,
    HSP__ANSWER_CSV,
    HSP__ANSWER_TSV,
    HSP__ANSWER_JSON,
    HSP__ANSWER_LIBSVM
} hsp__answer_kind;

/* The columns of the answers. */
typedef struct hsp__answers {
    hsp__answer_kind kind;
    const hsp__names *classes;
    uint32_t scores; /* numbers of scores: 0, 1, or one per class */
    int distance, probability;
    int errors;              /* rows that could not be read are answered, too */
    hsp__names kept;         /* the columns of the file that are passed through */
    hsp__names keys;         /* names of ours */
    uint32_t *places;        /* columns of the file: the number among `kept`, or HSP__NAME_NONE */
    char separator;          /* of the file */
    const char *const *keep; /* words: the columns as asked for */
    size_t words;
} hsp__answers;

/* One row's. */
typedef struct hsp__answer {
    const char *label;
    size_t label_size;
    const double *scores, *probabilities;
    double distance;
    const char *error; /* NULL: none */
} hsp__answer;

/* Where a worker stands in the text of a block, and the cells that the row at hand keeps. */
typedef struct hsp__answer_text {
    const char *at, *end;
    uint64_t line;      /* that begins at `at`, from 1 */
    hsp__text unquoted; /* scratch */
    hsp__text cells;
    size_t *starts; /* 2 * kept.count: where each begins in `cells`, and its size */
} hsp__answer_text;

/* The format of that name. */
hsp__answer_kind hsp__answer_kind_of(const char *name);

/* Find the columns to keep, among those that hsp__row_sink's begin gets. hsp__answers_free ends it,
 * also after a failure. */
hsp_status hsp__answers_begin(const hsp_allocator *memory, hsp__answers *answers,
                              const hsp__names *columns, char separator, hsp_error *err);
void hsp__answers_free(const hsp_allocator *memory, hsp__answers *answers);

/* The line before the first answer, if there is one. */
void hsp__answers_head(const hsp__answers *answers, hsp__text *text);

/* The cells to keep of the record that begins in line `line` of the block. HSP_NO_MEMORY at worst:
 * the record was read before. */
hsp_status hsp__answers_cells(const hsp_allocator *memory, const hsp__answers *answers,
                              hsp__answer_text *text, uint64_t line, hsp_error *err);

/* One line, with the cells found last. */
void hsp__answers_put(const hsp__answers *answers, const hsp__answer_text *cells,
                      const hsp__answer *answer, hsp__text *text);

#endif
