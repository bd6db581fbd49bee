/* halfspace: data sets in detail. Reading from memory, writing, encodings, selecting, splitting,
 * scaling, generating and summarising. */
#ifndef HALFSPACE_DATA_H
#define HALFSPACE_DATA_H

#include "halfspace.h"
#include "halfspace_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Views and data sets --------------------------------------------------------------------- */

/* Is the view sound (offsets and columns ascending and in range, values finite, labels below
 * classes)? HSP_BAD_DATA with the first row that is not. One parallel pass. */
HSP_API hsp_status hsp_view_check(hsp_context *ctx, const hsp_view *view, hsp_error *err);

/* How many values are stored; dense: rows * cols. */
HSP_API uint64_t hsp_view_stored(const hsp_view *view);

HSP_API uint64_t hsp_data_nonzeros(const hsp_data *data);
HSP_API hsp_storage hsp_data_storage(const hsp_data *data);
HSP_API const char *hsp_storage_name(hsp_storage storage); /* "dense", "sparse", "ones" */
HSP_API hsp_precision hsp_data_precision(const hsp_data *data);
/* Why reading chose double precision ("column 'ts' has numbers beyond 16777216 that 32 bits do not
 * hold (such as 1700000001)"); "": it did not. */
HSP_API const char *hsp_data_precision_reason(const hsp_data *data);
/* What a statement about these rows must add: ", of the numbers as stored in double precision; the
 * file has longer ones", if the text has numbers with more digits than the precision tells apart (6
 * in single, 15 in double). Else "". */
HSP_API const char *hsp_data_stored_note(const hsp_data *data);
HSP_API int hsp_data_index_base(const hsp_data *data); /* the first column's number: 0 or 1 */
HSP_API uint64_t hsp_data_bytes(const hsp_data *data); /* memory of rows and labels */

/* Compare a mapped binary cache with the checksums in its header. Other data passes. */
HSP_API hsp_status hsp_data_verify(hsp_context *ctx, hsp_data *data, hsp_error *err);

/* ---- Reading --------------------------------------------------------------------------------- */

/* Options of hsp_data_read: format, label, header, separator, missing, ordinal, categorical,
 * ignore, index-base, features, storage, precision. */
HSP_API const hsp_option_table *hsp_read_options(void);

/* For programs that write what they read: read text in double precision, so that its numbers keep
 * their digits, and a binary file in its own, unless the caller has set the precision. */
HSP_API hsp_status hsp_read_keep_digits(hsp_options *read, hsp_error *err);

/* The same for programs that write with hsp_data_rewrite, which loses no digit. A log warning
 * counts the numbers that change because the input cannot be read twice (a pipe). */
HSP_API hsp_status hsp_read_keep_decimals(hsp_options *read, hsp_error *err);

/* Read from memory as hsp_data_read does from a file; `name` stands for the file in errors. */
HSP_API hsp_status hsp_data_parse(hsp_context *ctx, const void *text, size_t size, const char *name,
                                  const hsp_options *options, const hsp_encoding *encoding,
                                  hsp_error *err, hsp_data **out);

/* How text columns and missing values became numbers: keep it with a model and apply it to later
 * files. hsp_data_encoding: the one that a CSV file was read with (NULL: none); it belongs to the
 * data set. Encodings are stored as JSON files. */
HSP_API const hsp_encoding *hsp_data_encoding(const hsp_data *data);
HSP_API hsp_status hsp_encoding_read(hsp_context *ctx, const char *path, hsp_error *err,
                                     hsp_encoding **out);
HSP_API hsp_status hsp_encoding_write(hsp_context *ctx, const hsp_encoding *encoding,
                                      const char *path, hsp_error *err);
HSP_API void hsp_encoding_free(hsp_encoding *encoding);

/* What a file is, by its first bytes. HSP_FILE_UNKNOWN: they do not say, or looking at them would
 * lose them (standard input, a pipe). */
#define HSP_FILE_KIND_MAP(X)                         \
    X(HSP_FILE_UNKNOWN, "a file of an unknown kind") \
    X(HSP_FILE_DATA, "a data file")                  \
    X(HSP_FILE_CACHE, "a binary data set (.hsp)")    \
    X(HSP_FILE_MODEL, "a halfspace model")           \
    X(HSP_FILE_SCALING, "a scaling")                 \
    X(HSP_FILE_ENCODING, "an encoding")              \
    X(HSP_FILE_CERTIFICATE, "a certificate")         \
    X(HSP_FILE_LIBSVM_MODEL, "a LIBSVM model")       \
    X(HSP_FILE_LIBLINEAR_MODEL, "a LIBLINEAR model") \
    X(HSP_FILE_SVM_SCALE, "a range file of svm-scale")
#define HSP_FILE_KIND_ENUM(kind, text) kind,
typedef enum hsp_file_kind {
    HSP_FILE_KIND_MAP(HSP_FILE_KIND_ENUM) HSP_FILE_KIND_COUNT
} hsp_file_kind;
#undef HSP_FILE_KIND_ENUM
HSP_API hsp_status hsp_file_kind_of(hsp_context *ctx, const char *path, hsp_error *err,
                                    hsp_file_kind *out);
HSP_API const char *hsp_file_kind_text(hsp_file_kind kind);

/* The bytes of a file, decompressed if it is compressed, piece by piece to `take`, which returns
 * non-zero to stop (HSP_CANCELLED). */
typedef int (*hsp_bytes_fn)(void *user, const void *bytes, size_t size);
HSP_API hsp_status hsp_file_unpack(hsp_context *ctx, const char *path, hsp_bytes_fn take,
                                   void *user, hsp_error *err);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Options of hsp_data_write: to, the format (auto: by the name's ending .svm .csv .tsv .hsp). */
HSP_API const hsp_option_table *hsp_write_options(void);

/* Write a data set to `path` ("-": standard output), completely or not at all: to a temporary file
 * in the same folder, which is flushed and renamed. Numbers are the shortest text that reads back
 * to the same bits. A name that also ends in .gz, .bz2, .xz or .zst is compressed. */
HSP_API hsp_status hsp_data_write(hsp_context *ctx, hsp_data *data, const char *path,
                                  const hsp_options *options, hsp_error *err);

/* Write a data set that was read from the file `from` with the options `read`. If
 * hsp_read_keep_decimals has set these, numbers with more digits than a double holds are copied
 * from `from`, which is read again for that (only if there are such numbers, and not from a pipe).
 */
HSP_API hsp_status hsp_data_rewrite(hsp_context *ctx, hsp_data *data, const char *from,
                                    const hsp_options *read, const char *path,
                                    const hsp_options *options, hsp_error *err);

/* Write bytes to a file, completely or not at all ("-": standard output). */
HSP_API hsp_status hsp_file_write(hsp_context *ctx, const char *path, const void *bytes,
                                  size_t size, hsp_error *err);

/* Several files that appear together, or not at all. After hsp_files_new, every file written
 * through this context keeps its temporary name. hsp_files_commit gives all of them their names; if
 * one cannot get its name, none does, and the files that were there before come back.
 * hsp_files_free ends the group; without a commit it removes the temporary files. A context has one
 * group at a time. Standard output and pipes are written at once. */
typedef struct hsp_files hsp_files;
HSP_API hsp_status hsp_files_new(hsp_context *ctx, hsp_error *err, hsp_files **out);
HSP_API hsp_status hsp_files_commit(hsp_files *files, hsp_error *err);
HSP_API void hsp_files_free(hsp_files *files);

/* ---- Selecting and splitting ----------------------------------------------------------------- */

/* A data set of the rows[0..count), in that order; repeats are allowed. */
HSP_API hsp_status hsp_data_select(hsp_context *ctx, hsp_data *data, const uint64_t *rows,
                                   uint64_t count, hsp_error *err, hsp_data **out);

/* Draw `count` of the rows (at most all) at random by the seed, every choice equally likely: their
 * numbers, ascending, into rows[0..count). */
HSP_API hsp_status hsp_data_sample(const hsp_data *data, uint64_t count, uint64_t seed,
                                   hsp_error *err, uint64_t *rows);

/* The rows whose labels are among `keep` (NULL: all), with the classes in that order; or, with
 * `positive`, two classes: "rest" and `positive`. */
HSP_API hsp_status hsp_data_relabel(hsp_context *ctx, hsp_data *data, const char *const *keep,
                                    size_t keep_count, const char *positive, hsp_error *err,
                                    hsp_data **out);

/* Options of hsp_data_split: test (a share in (0,1) or a number of rows), stratified, seed. */
HSP_API const hsp_option_table *hsp_split_options(void);

/* Split into two parts, at random by the seed; stratified: each class in proportion. Rows keep
 * their order within a part. */
HSP_API hsp_status hsp_data_split(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  hsp_error *err, hsp_data **train, hsp_data **test);

/* Split a data file into two files, record by record and byte for byte: header, quoting, line
 * endings, comments and the label's column stay as they are; nothing is encoded, imputed or
 * rejected. CSV, TSV and libsvm text; a binary cache is split as a data set. "-" is standard input
 * or output; a name that ends in .gz, .bz2, .xz or .zst is compressed. Both files appear, or
 * neither.
 *
 * Options: those of hsp_split_options; group, a CSV column (or qid, in libsvm text) whose rows of
 * one value stay together; and format, label, header, separator, na, ignore-case and ignore, as in
 * hsp_read_options. With groups, the sizes of the parts are approximate. */
HSP_API const hsp_option_table *hsp_split_file_options(void);

/* What was split: part 0 is for training, part 1 for testing. */
typedef struct hsp_split hsp_split;
HSP_API hsp_status hsp_split_file(hsp_context *ctx, const char *path, const hsp_options *options,
                                  const char *train_path, const char *test_path, hsp_error *err,
                                  hsp_split **out);
/* The column of the labels, whose classes both parts have in the same shares; NULL: the file names
 * no columns, or there is no label. */
HSP_API const char *hsp_split_label(const hsp_split *split);
HSP_API uint64_t hsp_split_rows(const hsp_split *split, int part);
HSP_API uint32_t hsp_split_classes(const hsp_split *split);
HSP_API const char *hsp_split_class_name(const hsp_split *split, uint32_t c);
HSP_API uint64_t hsp_split_class_rows(const hsp_split *split, int part, uint32_t c);
/* Rows without a label; groups (0 unless the option group was set). */
HSP_API uint64_t hsp_split_unlabelled(const hsp_split *split, int part);
HSP_API uint64_t hsp_split_groups(const hsp_split *split, int part);
HSP_API void hsp_split_free(hsp_split *split);

/* ---- Scaling --------------------------------------------------------------------------------- */

/* x_j <- (x_j - shift_j) * factor_j, or every row divided by its own norm. Keep the factors and
 * apply them to later files. */
typedef struct hsp_scaling hsp_scaling;

/* Options of hsp_scaling_fit: kind (min-max, standard, max-abs, unit-rows, unit-ball; or sign, bit,
 * votes, which turn numbers into votes: docs/preparing.md), low, high. */
HSP_API const hsp_option_table *hsp_scale_options(void);
HSP_API hsp_status hsp_scaling_fit(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                   hsp_error *err, hsp_scaling **out);

/* A scaled copy. To shift columns of sparse rows fills them: they become dense rows if these take at
 * most 1 GiB; a scaling that is fitted to more leaves zeros as they are (no shifts) and logs a note.
 * HSP_USAGE: a scaling that shifts is applied to sparse rows of more than 1 GiB. */
HSP_API hsp_status hsp_scaling_apply(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                                     hsp_error *err, hsp_data **out);
HSP_API const char *hsp_scaling_kind(const hsp_scaling *scaling);
HSP_API uint64_t hsp_scaling_cols(const hsp_scaling *scaling);
HSP_API double hsp_scaling_shift(const hsp_scaling *scaling, uint64_t column);
HSP_API double hsp_scaling_factor(const hsp_scaling *scaling, uint64_t column);

/* Scalings are stored as files in the same container as models. Range files of svm-scale are read,
 * too; they are applied as svm-scale -r does: sparse rows are filled where zeros move, and columns
 * that the file does not have become 0. */
HSP_API hsp_status hsp_scaling_read(hsp_context *ctx, const char *path, hsp_error *err,
                                    hsp_scaling **out);
HSP_API hsp_status hsp_scaling_write(hsp_context *ctx, const hsp_scaling *scaling, const char *path,
                                     hsp_error *err);
HSP_API void hsp_scaling_free(hsp_scaling *scaling);

/* ---- Generating ------------------------------------------------------------------------------ */

/* The i-th generator, a table of options (rows, features, seed and its own); NULL past the last. */
HSP_API const hsp_option_table *hsp_generator(size_t i);

/* What is true of generated data. */
typedef struct hsp_truth {
    uint64_t rows, cols;
    double margin;         /* every row has at least this geometric margin to `weights`; 0: none is
                              promised */
    double noise;          /* probability that a label is flipped */
    double offset;         /* of the separator */
    const double *weights; /* cols: the separator, of length 1; NULL: no halfspace is the truth */
} hsp_truth;

/* Generate rows in memory, or stream them to a text file of any size ("-": standard output; the
 * format by the name's ending, libsvm text by default). `options` say which generator: they were
 * made with its table. The same options and seed give the same bytes on any number of threads.
 * `truth` (or NULL) is called once, before the rows. */
typedef void (*hsp_truth_fn)(void *user, const hsp_truth *truth);
HSP_API hsp_status hsp_data_make(hsp_context *ctx, const hsp_options *options, hsp_truth_fn truth,
                                 void *user, hsp_error *err, hsp_data **out);
HSP_API hsp_status hsp_data_make_file(hsp_context *ctx, const hsp_options *options,
                                      const char *path, hsp_truth_fn truth, void *user,
                                      hsp_error *err);

/* ---- Looking at a table ---------------------------------------------------------------------- */

/* What the columns of a CSV or TSV file hold, judged by the text of its cells, and which options deal
 * with what was found. Nothing in the file is an error, except that it is not text at all: rows with
 * too many or too few fields and stray quotes are counted. */
typedef struct hsp_profile hsp_profile;

/* Options of hsp_profile_file: all (look at all, not only at the first 100 MB). */
HSP_API const hsp_option_table *hsp_profile_options(void);

/* Look at a file; `read` (NULL: the defaults) as hsp_data_read would be given them, `options` NULL:
 * the defaults. Several files are looked at one after the other, up to the first whose header does
 * not fit; if one is a pipe, only the first. A file in another format than CSV or TSV has a profile
 * without columns. */
HSP_API hsp_status hsp_profile_file(hsp_context *ctx, const char *path, const hsp_options *read,
                                    const hsp_options *options, hsp_error *err, hsp_profile **out);
/* The same for text in memory, which must stay until the profile is freed; `name` stands for the
 * file. */
HSP_API hsp_status hsp_profile_parse(hsp_context *ctx, const void *text, size_t size,
                                     const char *name, const hsp_options *read,
                                     const hsp_options *options, hsp_error *err, hsp_profile **out);
HSP_API void hsp_profile_free(hsp_profile *profile);

/* Set the options of reading that the findings advise. Options that are set already stay as they are.
 */
HSP_API hsp_status hsp_profile_advise(const hsp_profile *profile, hsp_options *read,
                                      hsp_error *err);

/* Read the file that was looked at, as hsp_data_read does. Standard input and pipes, too: what the
 * profile has read is kept. From those it can be called once. */
HSP_API hsp_status hsp_profile_read(hsp_context *ctx, hsp_profile *profile, const hsp_options *read,
                                    const hsp_encoding *encoding, hsp_error *err, hsp_data **out);

typedef struct hsp_profile_totals {
    const char *format;    /* "csv", "tsv"; "libsvm" and "hsp" have no columns here */
    uint64_t columns;      /* of the file */
    uint64_t rows;         /* looked at, other than the header */
    uint64_t bytes;        /* looked at */
    int complete;          /* these are all rows of the files */
    int header;            /* the first line names the columns */
    const char *separator; /* one character; a space means runs of spaces */
    uint64_t label; /* the column that holds the labels, by the options or by a guess; UINT64_MAX:
                       none */
    uint64_t ragged, ragged_line; /* rows with too many or too few fields, the line of the first */
    uint64_t misquoted, misquoted_line; /* rows with stray quotes, likewise; neither kind is in the
                                           columns' figures */
} hsp_profile_totals;
HSP_API const hsp_profile_totals *hsp_profile_table(const hsp_profile *profile);

typedef struct hsp_profile_column {
    const char *name;
    const char *kind;   /* "number", "category", "date", "id", "text", "constant", or "empty" */
    const char *format; /* of a date: "%Y-%m-%d"; NULL: none */
    int label;          /* 1: it holds the labels */
    uint64_t missing;   /* cells: empty, NA, N/A, NaN, null, none, -, ?, #N/A or ., in any case */
    uint64_t distinct;  /* values other than those */
    int exact; /* 0: there are more values than are remembered; `distinct` is a lower bound,
                           `median` an estimate, `frequent` of the remembered values */
    double min, median, max; /* of numbers; of dates, days since 1970-01-01; else NaN */
    const char *frequent[3]; /* the most frequent values, NULL: fewer */
    uint64_t frequent_cells[3];
    const char *examples[3]; /* the first values, NULL: fewer */
} hsp_profile_column;
/* The column `i`, from 0; NULL past the last. */
HSP_API const hsp_profile_column *hsp_profile_column_at(const hsp_profile *profile, uint64_t i);

/* Something to know about the file, and the option that deals with it. */
typedef struct hsp_finding {
    const char *sentence;
    const char *option;   /* "ignore"; NULL: none does */
    const char *value;    /* "customer" */
    const char *argument; /* as it is typed in a shell: "--ignore customer"; NULL: none */
    const char
        *use; /* whose option it is: "reading", "training" or "scoring" (of cv, tune and eval) */
} hsp_finding;
/* The i-th finding; NULL past the last. */
HSP_API const hsp_finding *hsp_profile_finding(const hsp_profile *profile, uint64_t i);

/* ---- Summarising ----------------------------------------------------------------------------- */

/* Figures of a data set: totals, per class and per column. */
typedef struct hsp_summary hsp_summary;
HSP_API hsp_status hsp_summary_new(hsp_context *ctx, hsp_data *data, hsp_error *err,
                                   hsp_summary **out);
HSP_API void hsp_summary_free(hsp_summary *summary);

/* Decimals with more digits than memory holds can become equal there. Read the file again that
 * `data` was read from with `options` (NULL: the defaults), find out which rows and columns are
 * equal, constant or zero as decimals, and correct the counts. If totals.exact is set already,
 * nothing is read. A file that cannot be read again (standard input, a pipe) or holds no decimals
 * is not an error: totals.exact stays as it is. */
HSP_API hsp_status hsp_summary_confirm(hsp_context *ctx, hsp_summary *summary, hsp_data *data,
                                       const char *path, const hsp_options *options,
                                       hsp_error *err);

typedef struct hsp_totals {
    uint64_t rows, cols, nonzeros;
    double density;  /* nonzeros / (rows * cols); 0 if either is 0 */
    double min, max; /* of all entries, zeros included; 0, 0 if there are none */
    double norm_min, norm_mean, norm_max; /* Euclidean, of the rows */
    uint64_t empty_rows;                  /* rows of zeros */
    uint64_t empty_columns;               /* columns of zeros */
    uint64_t constant_columns;            /* one value other than zero in every row */
    uint64_t duplicate_columns;           /* equal to an earlier column that is not constant */
    uint64_t duplicate_rows;              /* equal to an earlier row */
    uint64_t contradictory_rows;          /* equal to a row of another class */
    uint64_t class_runs;        /* runs of one class in file order; = classes: sorted by class */
    double class_runs_expected; /* of the same labels in a random order */
    int exact; /* 1: equal, constant and zero are meant of the numbers in the file; 0: of their
                  roundings in memory (see hsp_summary_confirm) */
} hsp_totals;

typedef struct hsp_column_summary {
    double min, max, mean, stdev; /* zeros included; stdev with divisor rows */
    uint64_t nonzeros;
    int constant;         /* one value in every row, zero included */
    int64_t duplicate_of; /* the first earlier column that it equals, or -1 */
} hsp_column_summary;

HSP_API const hsp_totals *hsp_summary_totals(const hsp_summary *summary);
HSP_API uint64_t hsp_summary_class_count(const hsp_summary *summary, uint32_t class_index);
HSP_API const hsp_column_summary *hsp_summary_column(const hsp_summary *summary, uint64_t column);

/* ---- Groups and times of rows, for folds ------------------------------------------------------ */

/* Rows with the same number stay in one fold (hsp_cross_validate, hsp_tune): one number per row, or
 * NULL: none. The data set keeps a copy; hsp_data_select keeps those of its rows. */
HSP_API hsp_status hsp_data_set_groups(hsp_data *data, const uint32_t *groups, hsp_error *err);
/* The order of the rows in time, for --folds time: one number per row, none NaN, or NULL: the rows
 * are in order. HSP_BAD_DATA for NaN. */
HSP_API hsp_status hsp_data_set_times(hsp_data *data, const double *times, hsp_error *err);

/* The same from a column of the text file that the data was read from: a name or a number from 1
 * (libsvm: qid). Equal texts are a group; times are numbers, or dates of one form. `read`: as the
 * file was read with, or NULL. HSP_USAGE if there is no such column, the data is from standard input
 * or a binary file, or rows of the file were left out. */
HSP_API hsp_status hsp_data_read_groups(hsp_context *ctx, hsp_data *data, const char *path,
                                        const hsp_options *read, const char *column,
                                        hsp_error *err);
HSP_API hsp_status hsp_data_read_times(hsp_context *ctx, hsp_data *data, const char *path,
                                       const hsp_options *read, const char *column, hsp_error *err);

#ifdef __cplusplus
}
#endif

#endif
