/* The readers and writers of each format, behind hsp_data_read and hsp_data_write. */
#ifndef HSP_DATA_FORMATS_H
#define HSP_DATA_FORMATS_H

#include "base/names.h"
#include "base/options.h"
#include "data/output.h"
#include "data/source.h"
#include "halfspace_all.h"

/* ---- What a file is (kind.c) ----------------------------------------------------------------- */

/* What begins with these bytes; a few hundred of them are enough. */
hsp_file_kind hsp__kind_of(const char *bytes, size_t size);

/* HSP_BAD_DATA: `path` is one thing and should be another. Says what can be done with it. */
hsp_status hsp__kind_fail(hsp_error *err, const char *path, hsp_file_kind found,
                          hsp_file_kind expected);

/* Reading `path` ended with `status`. If that is HSP_BAD_DATA because the file is of another kind,
 * say so instead. Returns `status`. */
hsp_status hsp__kind_explain(hsp_context *ctx, const char *path, hsp_file_kind expected,
                             hsp_status status, hsp_error *err);

/* "libsvm", "csv", "tsv" or "hsp" by the ending of a name (a compression ending set aside); NULL
 * when it says nothing. */
const char *hsp__format_by_name(const char *path);

/* The format of data, one of these words: as the option `format` says (NULL: auto); or by the
 * first bytes where they are plain, then by the name, then by the look of the first line. A file
 * that is plainly something else (a model, a certificate) is an error. */
hsp_status hsp__format_find(hsp__source *source, const hsp_options *options, hsp_error *err,
                            const char **format);

/* A later part of the source must have the format of the first, which the source remembers. */
hsp_status hsp__format_check_part(hsp__source *source, hsp_error *err);

/* The next word of a line of libsvm text, *p behind it; a comment ends the line. 0: there is none. */
static inline int hsp__libsvm_word(const char **p, const char *end, const char **word, size_t *size)
{
    while (*p < end && (**p == ' ' || **p == '\t' || **p == '\r'))
        (*p)++;
    for (*word = *p; *p < end && **p != ' ' && **p != '\t' && **p != '\r' && **p != '#';)
        (*p)++;
    *size = (size_t)(*p - *word);
    return *size > 0;
}

/* ---- Labels are names (docs/labels.md), by one rule for every format (labels.c) ------------- */

typedef enum hsp__label_result {
    HSP__LABEL_OK,
    HSP__LABEL_NOT_FINITE, /* nan, inf, or a number too large */
    HSP__LABEL_NUL,        /* a NUL byte in it */
    HSP__LABEL_NO_MEMORY
} hsp__label_result;

/* The number of the label text[0..size), added to `names` under its canonical name. */
hsp__label_result hsp__label_add(hsp__names *names, const char *text, size_t size,
                                 uint32_t *number);

/* ---- Readers and writers --------------------------------------------------------------------- */

/* Each reads a whole source with the options of hsp_read_options (never NULL here). */
hsp_status hsp__libsvm_read(hsp_context *ctx, hsp__source *source, const hsp_options *options,
                            hsp_error *err, hsp_data **out);

/* `tabs`: TSV, when the separator option is auto. `encoding` NULL: make one. */
hsp_status hsp__csv_read(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                         hsp_data **out);

/* A binary cache from wherever it comes: mapped when it is a plain file, else read into memory. */
hsp_status hsp__cache_read(hsp_context *ctx, hsp__source *source, const char *path, hsp_error *err,
                           hsp_data **out);

/* A binary cache: mapped from its file, or copied from memory when bytes is not NULL. */
hsp_status hsp__cache_open(hsp_context *ctx, const char *path, const void *bytes, size_t size,
                           hsp_error *err, hsp_data **out);
hsp_status hsp__cache_write(hsp_context *ctx, hsp_data *data, const char *path, hsp_error *err);
/* With up to HSP__CACHE_EXTRA more entries of metadata. */
#define HSP__CACHE_EXTRA 4
struct hsp__meta;
hsp_status hsp__cache_write_with(hsp_context *ctx, hsp_data *data, const struct hsp__meta *extra,
                                 size_t extra_count, const char *path, hsp_error *err);

/* A field of text, in quotes when it needs them or would read back as something else. */
void hsp__csv_write_field(hsp__text *text, const char *field, char separator);

/* The line of names: x1, x2 ... where there are none; label NULL: no such column. */
void hsp__csv_write_header(hsp__text *text, char separator, uint64_t cols, const hsp__names *names,
                           const char *label);
/* Can every class stand in libsvm text? */
hsp_status hsp__libsvm_check_names(const hsp_data *data, hsp_error *err);

/* hsp_data_read from a source that is open; `options` may be NULL. */
hsp_status hsp__data_read_source(hsp_context *ctx, hsp__source *source, const char *path,
                                 const hsp_options *options, const hsp_encoding *encoding,
                                 hsp_error *err, hsp_data **out);

/* Storage and precision as the options of reading ask; the same object back when nothing changes.
 * auto keeps what is there: a cache written in double stays double. `ranks`, each with some of the rows,
 * get the same precision; NULL: one process has all. */
hsp_status hsp__data_apply_storage(hsp_context *ctx, const hsp_ranks *ranks, hsp_data *data,
                                   const hsp_options *options, hsp_error *err, hsp_data **out);

/* What hsp_data_read with these options (NULL: the defaults) would have made of the text in single
 * precision, but for decimals that lie between two floats, nearer to the middle than doubles tell. */
hsp_status hsp__data_round_single(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  hsp_error *err, hsp_data **out);

/* Encodings inside other files: as JSON text. */
hsp_status hsp__encoding_to_json(const hsp_encoding *encoding, const hsp_allocator *memory,
                                 hsp_error *err, char **out);
hsp_status hsp__encoding_from_json(const hsp_allocator *memory, const char *text, size_t size,
                                   const char *file, hsp_error *err, hsp_encoding **out);
hsp_status hsp__encoding_copy(const hsp_allocator *memory, const hsp_encoding *from, hsp_error *err,
                              hsp_encoding **out);

/* The options of reading that say how a text file is cut into records and labels. */
#define HSP__OPTION_NA      \
    HSP__LIST("na", "LIST", \
              "CSV: further marks of missing values, separated by commas, in any case")
#define HSP__OPTION_IGNORE_CASE \
    HSP__FLAG(                  \
        "ignore-case",          \
        "CSV: read labels and categorical values in lower case, so that Yes and YES are yes")
#define HSP__OPTION_IGNORE                                              \
    HSP__LIST("ignore", "COLUMNS",                                      \
              "CSV: leave columns out: names or numbers, separated by " \
              "commas")

#define HSP__TEXT_FILE_OPTIONS                                                               \
    HSP__CHOICE("format", "auto", "auto|libsvm|csv|tsv|hsp",                                 \
                "format of the data; auto decides by the content, then by the file's name"), \
        HSP__TEXT("label", "last", "COLUMN",                                                 \
                  "CSV: label column: a name, a number from 1, first, last, or none"),       \
        HSP__CHOICE("header", "auto", "auto|yes|no",                                         \
                    "CSV: whether the first line names the columns"),                        \
        HSP__TEXT(                                                                           \
            "separator", "auto", "CHAR",                                                     \
            "CSV: the character between fields, or comma, semicolon, tab, space, pipe, auto")

#endif
