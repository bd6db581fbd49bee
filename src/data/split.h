/* Which rows of how many go to the test part. */
#ifndef HSP_DATA_SPLIT_H
#define HSP_DATA_SPLIT_H

#include "base/names.h"
#include "base/options.h"
#include "base/text.h"
#include "data/cells.h"
#include "data/source.h"
#include "halfspace_all.h"

/* The rows to split, by their classes and groups alone. */
typedef struct hsp__split_rows {
    uint64_t rows;
    const uint32_t *labels; /* rows, each below classes; NULL: all rows are one class */
    uint32_t classes;
    const uint32_t
        *groups; /* rows, each below group_count; NULL: every row is a group of its own */
    uint32_t group_count;
} hsp__split_rows;

/* side[i] = 1 for the rows of the test part, 0 for the others. `options`: test, stratified and seed
 * are read; NULL: their defaults. */
hsp_status hsp__split_choose(hsp_context *ctx, const hsp__split_rows *rows,
                             const hsp_options *options, hsp_error *err, unsigned char *side);

/* The rows of hsp_split_options, for tables that have others too. */
#define HSP__SPLIT_OPTIONS                                                               \
    HSP__TEXT("test", "0.25", "SHARE",                                                   \
              "size of the test part: a fraction between 0 and 1, or a number of rows"), \
        HSP__OPTION("stratified", HSP_OPTION_FLAG, "yes", 0, 0, NULL, NULL,              \
                    "keep the proportions of the classes in both parts"),                \
        HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N", "seed of the random selection")

/* ---- The records of a text file: where each ends, its label, its group (split_scan.c) -------- */

typedef struct hsp__split_scan {
    hsp_context *ctx;
    const char *name;
    uint64_t prefix; /* bytes before the first record: mark and header, which both parts get */
    uint64_t rows;
    uint64_t *sizes;    /* rows: bytes of each, with the blank lines and comments before it */
    uint32_t *labels;   /* rows: numbers of classes; classes.count for a missing label */
    uint32_t *groups;   /* rows: numbers of group_names; NULL: not asked for */
    hsp__names classes; /* in their order (docs/labels.md) */
    hsp__names group_names;

    /* while scanning */
    uint64_t sizes_room, labels_room, groups_room;
    uint64_t pending;   /* bytes behind the last record so far */
    hsp__names texts;   /* labels as they are written ... */
    uint32_t *class_of; /* ... and their classes */
    uint64_t class_of_room;
    char separator;  /* CSV */
    uint32_t fields; /* columns */
    uint32_t label, group;
    hsp__text unquoted, folded;
    hsp__cell_rules rules;
    hsp__names label_name; /* of its column; none: it has no name */
    int by_qid;            /* libsvm */
} hsp__split_scan;

void hsp__split_scan_init(hsp__split_scan *scan, hsp_context *ctx, const char *name);
void hsp__split_scan_free(hsp__split_scan *scan);

/* Scan the whole source. `format`: libsvm, csv or tsv. `options`: of hsp_split_file_options, or
 * NULL. */
hsp_status hsp__split_scan_run(hsp__split_scan *scan, hsp__source *source, const char *format,
                               const hsp_options *options, hsp_error *err);

#endif
