/* halfspace: learn linear separators and their kernel generalisations, and prove what is claimed.
 *
 * The one public header. How it is laid out:
 *
 *     1. status and errors       what a call returns, and what went wrong where
 *     2. context                 threads, memory, progress and log of one user of the library
 *     3. options                 every setting has a name, a type, a range and a line of help
 *     4. views and data sets     a view borrows arrays, a data set owns them
 *     5. reading and writing     libsvm text, CSV and TSV, the binary cache
 *     6. preparing               encoding of categories, scaling, splitting
 *     7. making                  data with a known truth
 *     8. looking                 what is in a data set
 *     9. models                  hypotheses: keep, predict, change the form of
 *    10. learning                learners by name, whole data sets, streams, single steps
 *    11. measuring               error, margins, and mistake bounds against the run
 *    12. choosing                cross-validation, and options chosen by it
 *    13. kernels                 expressions, Gram matrices, are they kernels
 *    14. proving                 claims with evidence that others can check
 *    15. new data                bounds on the error to expect, and on the rows that it takes
 *
 * The manners. Every call that can fail returns an hsp_status and fills the caller's hsp_error; its
 * results come through the last pointers and are untouched on failure. A pointer that a call needs
 * and that is NULL is HSP_USAGE with a sentence; calls that return no status then return 0, NULL or
 * NaN. Objects come in _new/_free pairs; freeing NULL is fine. Nothing here prints, exits, aborts,
 * or keeps global state. Two contexts may be used from two threads at once; one context by one
 * thread at a time. Counts are 64 bits wide.
 */
#ifndef HALFSPACE_H
#define HALFSPACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HSP_API __attribute__((visibility("default")))
#else
#define HSP_API
#endif

/* ---- 1. Status and errors -------------------------------------------------------------------- */

/* One list makes the codes, the exit status of the command and the messages.
 *   X(code, exit status of the command, what it means) */
#define HSP_STATUS_MAP(X)                                                        \
    X(HSP_OK, 0, "done")                                                         \
    X(HSP_USAGE, 2, "a call, option or name cannot be used as given")            \
    X(HSP_BAD_DATA, 3, "the data or file is not what was expected")              \
    X(HSP_NO_MEMORY, 4, "out of memory")                                         \
    X(HSP_IO, 4, "the system could not read or write a file")                    \
    X(HSP_UNSUPPORTED, 4, "this build lacks a part that the call needs")         \
    X(HSP_TIME_LIMIT, 4, "the time limit was reached before there was a result") \
    X(HSP_CANCELLED, 130, "stopped on request")

#define HSP_STATUS_ENUM(code, exit_status, text) code,
typedef enum hsp_status { HSP_STATUS_MAP(HSP_STATUS_ENUM) HSP_STATUS_COUNT } hsp_status;
#undef HSP_STATUS_ENUM

/* The name of a status ("HSP_BAD_DATA"), what it means, and the command's exit status for it. */
HSP_API const char *hsp_status_name(hsp_status status);
HSP_API const char *hsp_status_text(hsp_status status);
HSP_API int hsp_status_exit(hsp_status status);

/* What went wrong and where. The caller owns it, on the stack if it likes: `hsp_error err =
 * HSP_ERROR_INIT;`, in C and in C++. A call that succeeds does not touch it. Any call takes NULL
 * instead. */
typedef struct hsp_error {
    hsp_status status;
    uint64_t line;     /* 1-based; 0 where it makes no sense */
    uint64_t column;   /* 1-based, in bytes; 0 where it makes no sense */
    char file[256];    /* as the caller named it, cut from the left if longer; "" for none; of a
                          wrong option, its name as typed: "--margin" */
    char message[512]; /* a sentence: "found 'nan', expected a finite decimal number" */
} hsp_error;

#define HSP_ERROR_INIT       \
    {                        \
        HSP_OK, 0, 0, "", "" \
    }

/* The whole error in one line, "file:line:column: message", cut to `size` bytes. Returns `buffer`.
 */
HSP_API char *hsp_error_text(const hsp_error *err, char *buffer, size_t size);

/* The library's version, "major.minor.patch". */
HSP_API const char *hsp_version(void);

/* ---- 2. Context ------------------------------------------------------------------------------ */

typedef struct hsp_context hsp_context;

/* Memory from the caller. `reallocate` follows C's realloc, with pointer NULL and size > 0 for a
 * new block; `release` frees. Both may be called from several threads at once. */
typedef struct hsp_allocator {
    void *(*reallocate)(void *user, void *pointer, size_t size);
    void (*release)(void *user, void *pointer);
    void *user;
} hsp_allocator;

/* A new context: all processors, no progress, no log. `allocator` NULL means malloc's. The
 * allocator's functions must outlive every object made with the context. */
HSP_API hsp_status hsp_context_new(const hsp_allocator *allocator, hsp_context **out);
HSP_API void hsp_context_free(hsp_context *ctx);

/* How many threads a call may use, 1 to 256; 0 for one a processor. No result depends on it. */
HSP_API hsp_status hsp_context_set_threads(hsp_context *ctx, int threads);
HSP_API int hsp_context_threads(const hsp_context *ctx);

/* How far a long call has come. `total` is 0 where it is not known. Training that minimises an
 * objective also tells the duality gap, as the solver estimates it between two checks, and the gap
 * at which it ends; NaN where there is none. */
typedef struct hsp_progress {
    const char *phase; /* "reading", "training", ... */
    const char *unit;  /* what is counted: "bytes", "rows", "passes", ...; "" where nothing is */
    uint64_t done, total;
    double gap, target;
} hsp_progress;

/* Called now and then (in a long call, every 20 to 50 milliseconds), always on the thread that made
 * the call. Returning non-zero asks the call to stop; it then returns HSP_CANCELLED, with no output
 * file left behind. Training (hsp_train, hsp_train_from, hsp_train_stream, hsp_tune) returns
 * HSP_CANCELLED as well, and hands out the best model so far if there is one: see hsp_train. */
typedef int (*hsp_progress_fn)(void *user, const hsp_progress *progress);
HSP_API void hsp_context_set_progress(hsp_context *ctx, hsp_progress_fn fn, void *user);

/* Things a user should hear though the call succeeded ("12 values of column 'job' were not seen
 * before"). One whole sentence a call, without a newline, on the calling thread. */
typedef enum hsp_log_level { HSP_LOG_NOTE, HSP_LOG_WARNING } hsp_log_level;
typedef void (*hsp_log_fn)(void *user, hsp_log_level level, const char *sentence);
HSP_API void hsp_context_set_log(hsp_context *ctx, hsp_log_fn fn, void *user);

/* ---- 3. Options ------------------------------------------------------------------------------ */

typedef enum hsp_option_type {
    HSP_OPTION_FLAG,    /* yes or no; "yes", "no", "true", "false", "1", "0" */
    HSP_OPTION_INTEGER, /* a whole number in [min, max]; 1e6 is fine */
    HSP_OPTION_REAL,    /* a finite number in [min, max] */
    HSP_OPTION_CHOICE,  /* one of the words in `choices` */
    HSP_OPTION_TEXT,    /* any text */
    HSP_OPTION_LIST     /* any number of texts: each set adds one */
} hsp_option_type;

/* One option, written down once: the command line, --help, the manual page, the completion and
 * the bindings all read this. */
typedef struct hsp_option {
    const char *name; /* "margin"; --margin on the command line */
    hsp_option_type type;
    const char *fallback; /* the default, as text; NULL for none (flag: no; list: empty) */
    double min, max;      /* of an integer or a real */
    const char *choices;  /* "auto|dense|sparse", of a choice; of a number: the word for min */
    const char *meta;     /* what stands for the value in help: "COLUMN" */
    const char *help;     /* one line, no full stop */
} hsp_option;

/* A named list of options: of reading, of a generator, later of a learner. */
typedef struct hsp_option_table {
    const char *name;
    const char *summary;       /* one line */
    const hsp_option *options; /* count of them */
    size_t count;
} hsp_option_table;

/* Values for the options of one table, defaults where nothing was set. */
typedef struct hsp_options hsp_options;
HSP_API hsp_status hsp_options_new(hsp_context *ctx, const hsp_option_table *table, hsp_error *err,
                                   hsp_options **out);
HSP_API void hsp_options_free(hsp_options *options);

/* A copy with the same values, and the same knowledge of which were set. */
HSP_API hsp_status hsp_options_copy(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                    hsp_options **out);

/* Set an option by name from text. HSP_USAGE with a sentence for an unknown name (the nearest known
 * one is suggested), a value of the wrong type, out of range, or not among the choices. */
HSP_API hsp_status hsp_options_set(hsp_options *options, const char *name, const char *value,
                                   hsp_error *err);

/* The one of words[0..count) that a mistyped `word` most likely means (what it begins, or what is a
 * few slips of the finger away), the first among equals; NULL when none comes near. */
HSP_API const char *hsp_nearest(const char *word, const char *const *words, size_t count);

/* The values back. Asking for a name that is not in the table, or by the wrong type, is a bug in
 * the caller (an assertion). A text or choice without value and default is NULL. */
HSP_API const hsp_option_table *hsp_options_table(const hsp_options *options);
HSP_API int hsp_options_is_set(const hsp_options *options, const char *name);
HSP_API int hsp_options_flag(const hsp_options *options, const char *name);
HSP_API int64_t hsp_options_integer(const hsp_options *options, const char *name);
HSP_API double hsp_options_real(const hsp_options *options, const char *name);
HSP_API const char *hsp_options_text(const hsp_options *options, const char *name);
HSP_API size_t hsp_options_list_count(const hsp_options *options, const char *name);
HSP_API const char *hsp_options_list_item(const hsp_options *options, const char *name, size_t i);

/* ---- 4. Views and data sets ------------------------------------------------------------------ */

typedef enum hsp_storage {
    HSP_DENSE,  /* values[i * stride + j] */
    HSP_SPARSE, /* indices and values of the non-zeros, row after row */
    HSP_ONES    /* indices only: every stored value is 1 */
} hsp_storage;

typedef enum hsp_precision { HSP_FLOAT32, HSP_FLOAT64 } hsp_precision;

/* The shortest decimal that reads back to the same number of that precision, in any locale. Returns
 * `buffer`. */
#define HSP_NUMBER_MAX 32
HSP_API char *hsp_number_text(double number, hsp_precision precision, char buffer[HSP_NUMBER_MAX]);

/* Rows in memory that somebody else owns. Fill it by hand or by the two functions below, and have
 * hsp_view_check look at it before anything else does. */
typedef struct hsp_view {
    hsp_storage storage;
    hsp_precision precision;
    uint64_t rows, cols;     /* cols at most 2^32 */
    uint64_t stride;         /* dense: values from one row to the next, >= cols */
    const void *values;      /* float or double; dense: rows * stride; sparse: one a non-zero;
                                ones: NULL */
    const void *starts;      /* sparse: rows + 1 offsets into indices and values, ascending */
    int starts_bytes;        /* sparse: width of an offset, 8 (uint64_t) or 4 (uint32_t, which
                                scipy's int32 fits) */
    const uint32_t *indices; /* sparse: columns from 0, strictly ascending within a row */
    const uint32_t *labels;  /* rows: the class of each, from 0; NULL: no labels */
    uint32_t classes;        /* labels are below this */
} hsp_view;

/* A view of a caller's dense rows, or compressed sparse rows (values NULL: all ones), unlabelled.
 */
HSP_API hsp_view hsp_view_dense(hsp_precision precision, uint64_t rows, uint64_t cols,
                                uint64_t stride, const void *values);
HSP_API hsp_view hsp_view_sparse(hsp_precision precision, uint64_t rows, uint64_t cols,
                                 int starts_bytes, const void *starts, const uint32_t *indices,
                                 const void *values);

/* Is the view what its comment says (offsets and indices ascending and in range, values finite,
 * labels below classes)? HSP_BAD_DATA with the first row that is not. One pass, in parallel. */
HSP_API hsp_status hsp_view_check(hsp_context *ctx, const hsp_view *view, hsp_error *err);

/* The number of stored values of a row kind: rows * cols when dense. */
HSP_API uint64_t hsp_view_stored(const hsp_view *view);

/* Rows, labels, and the names of classes and features. It owns all its memory. */
typedef struct hsp_data hsp_data;
HSP_API void hsp_data_free(hsp_data *data);

/* A copy of a view, after hsp_view_check. `class_names` holds view->classes names, or is
 * NULL ("0", "1", ...); `feature_names` holds view->cols names, or is NULL (none). */
HSP_API hsp_status hsp_data_copy(hsp_context *ctx, const hsp_view *view,
                                 const char *const *class_names, const char *const *feature_names,
                                 hsp_error *err, hsp_data **out);

/* What is known without touching the rows. Names belong to the data set. */
HSP_API uint64_t hsp_data_rows(const hsp_data *data);
HSP_API uint64_t hsp_data_cols(const hsp_data *data);
HSP_API uint64_t hsp_data_nonzeros(const hsp_data *data);
HSP_API hsp_storage hsp_data_storage(const hsp_data *data);
HSP_API hsp_precision hsp_data_precision(const hsp_data *data);
/* Why reading chose double precision ("column 'ts' has whole numbers beyond 16777216 (such as
 * 1700000001)"); "" when it did not. */
HSP_API const char *hsp_data_precision_reason(const hsp_data *data);
/* What a statement about these rows must add: ", of the numbers as stored in double precision; the
 * file has longer ones", when the text that they were read from has numbers with more digits than
 * their precision tells apart (6 in single, 15 in double). Else "". */
HSP_API const char *hsp_data_stored_note(const hsp_data *data);
HSP_API uint32_t hsp_data_classes(const hsp_data *data);
HSP_API const char *hsp_data_class_name(const hsp_data *data, uint32_t class_index);
HSP_API const char *hsp_data_feature_name(const hsp_data *data, uint64_t column); /* or NULL */
HSP_API const char *hsp_storage_name(hsp_storage storage);                        /* "dense" ... */
HSP_API int hsp_data_index_base(const hsp_data *data); /* the first column's number: 0 or 1 */
HSP_API uint64_t hsp_data_bytes(const hsp_data *data); /* memory that rows and labels take */

/* The rows. A binary cache is only mapped when it is read; the first call of this function checks
 * its arrays (one parallel pass, as hsp_view_check), so that a corrupt file is an error here and
 * never a crash later. Later calls cost nothing. The view lives as long as the data set. */
HSP_API hsp_status hsp_data_view(hsp_context *ctx, hsp_data *data, hsp_error *err,
                                 const hsp_view **out);

/* Compare a mapped binary cache with the checksums in its header; data from elsewhere passes. */
HSP_API hsp_status hsp_data_verify(hsp_context *ctx, hsp_data *data, hsp_error *err);

/* ---- 5. Reading and writing ------------------------------------------------------------------ */

/* How text columns and missing values became numbers, to be kept beside a model and applied to the
 * files that come later. */
typedef struct hsp_encoding hsp_encoding;

/* The options of hsp_data_read: format, label, header, separator, missing, ordinal, categorical,
 * ignore, index-base, features, storage, precision. */
HSP_API const hsp_option_table *hsp_read_options(void);

/* For programs that write what they read: unless the caller has set the precision, text is read in
 * double precision, so that its numbers keep their digits, and a binary file in its own. */
HSP_API hsp_status hsp_read_keep_digits(hsp_options *read, hsp_error *err);

/* The same for programs that write with hsp_data_rewrite, which loses no digit of a file. A log
 * warning counts the numbers that change because the input cannot be read twice (a pipe). */
HSP_API hsp_status hsp_read_keep_decimals(hsp_options *read, hsp_error *err);

/* Read a file ("-": standard input) whole. libsvm text, CSV, TSV or a binary cache, told apart by
 * content and name unless an option says; gz, bz2, xz and zst are unpacked on the way. `options`
 * NULL: the defaults. `encoding` NULL: a CSV file gets an encoding of its own; otherwise its
 * columns are read exactly as that encoding has them, categories never seen there become zeros,
 * and a log warning counts them. */
HSP_API hsp_status hsp_data_read(hsp_context *ctx, const char *path, const hsp_options *options,
                                 const hsp_encoding *encoding, hsp_error *err, hsp_data **out);

/* The same from memory, `name` standing for the file in errors. */
HSP_API hsp_status hsp_data_parse(hsp_context *ctx, const void *text, size_t size, const char *name,
                                  const hsp_options *options, const hsp_encoding *encoding,
                                  hsp_error *err, hsp_data **out);

/* The encoding that a CSV file was read with; NULL for data that had none. It belongs to the data
 * set. */
HSP_API const hsp_encoding *hsp_data_encoding(const hsp_data *data);

/* Encodings as JSON files. */
HSP_API hsp_status hsp_encoding_read(hsp_context *ctx, const char *path, hsp_error *err,
                                     hsp_encoding **out);
HSP_API hsp_status hsp_encoding_write(hsp_context *ctx, const hsp_encoding *encoding,
                                      const char *path, hsp_error *err);
HSP_API void hsp_encoding_free(hsp_encoding *encoding);

/* The options of hsp_data_write: to, the format (auto: by the name's ending .svm .csv .tsv .hsp).
 */
HSP_API const hsp_option_table *hsp_write_options(void);

/* Write a data set to `path` ("-": standard output), whole or not at all: the text goes to a
 * temporary name beside it, is flushed to the disk and renamed. Text is the shortest that reads
 * back to the same bits; a name that also ends in .gz, .bz2, .xz or .zst is compressed. */
HSP_API hsp_status hsp_data_write(hsp_context *ctx, hsp_data *data, const char *path,
                                  const hsp_options *options, hsp_error *err);

/* The same for a data set as it was read from the file `from` with the options `read`. If
 * hsp_read_keep_decimals has set these, numbers with more digits than a double holds go from text
 * to text as they stand in `from`, which is read again for that (only if there are such numbers,
 * and not from a pipe). */
HSP_API hsp_status hsp_data_rewrite(hsp_context *ctx, hsp_data *data, const char *from,
                                    const hsp_options *read, const char *path,
                                    const hsp_options *options, hsp_error *err);

/* Write bytes to a file in the same manner: whole or not at all, "-" for standard output. */
HSP_API hsp_status hsp_file_write(hsp_context *ctx, const char *path, const void *bytes,
                                  size_t size, hsp_error *err);

/* Several files that appear together, or not at all. After hsp_files_new, every file that a call
 * writes through this context is kept under its temporary name; hsp_files_commit gives all of them
 * their names, or, if one cannot get its name, none (files that were there before come back).
 * hsp_files_free ends the group, and without a commit removes what was written. A context has one
 * group at a time. What goes to standard output or to a pipe goes there at once. */
typedef struct hsp_files hsp_files;
HSP_API hsp_status hsp_files_new(hsp_context *ctx, hsp_error *err, hsp_files **out);
HSP_API hsp_status hsp_files_commit(hsp_files *files, hsp_error *err);
HSP_API void hsp_files_free(hsp_files *files);

/* What a file is, by its first bytes: HSP_FILE_UNKNOWN when they do not say, or when the file
 * cannot be looked at without losing them (standard input, a pipe). */
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

/* What a file holds, unpacked if it is compressed, piece by piece to `take`, which returns non-zero
 * to stop (HSP_CANCELLED). */
typedef int (*hsp_bytes_fn)(void *user, const void *bytes, size_t size);
HSP_API hsp_status hsp_file_unpack(hsp_context *ctx, const char *path, hsp_bytes_fn take,
                                   void *user, hsp_error *err);

/* ---- 6. Preparing ---------------------------------------------------------------------------- */

/* A data set of the rows[0..count), in that order, repeats allowed. */
HSP_API hsp_status hsp_data_select(hsp_context *ctx, hsp_data *data, const uint64_t *rows,
                                   uint64_t count, hsp_error *err, hsp_data **out);

/* `count` of the rows (at most as many as there are), at random by the seed, every choice equally
 * likely: their numbers, ascending, into rows[0..count). */
HSP_API hsp_status hsp_data_sample(const hsp_data *data, uint64_t count, uint64_t seed,
                                   hsp_error *err, uint64_t *rows);

/* Split a data file into two files, record by record, byte for byte: header, quoting, line endings,
 * comments and the label's place stay as they are; nothing is encoded, filled in or refused for
 * being missing. CSV, TSV and libsvm text; a binary cache is split as a data set. "-" is standard
 * input or output; a name that ends in .gz, .bz2, .xz or .zst is compressed. Both files appear, or
 * neither.
 *
 * Options: those of hsp_split_options; group, a CSV column (or qid, in libsvm text) whose rows of
 * one value stay together; and format, label, header and separator, as in hsp_read_options. With
 * groups, the parts have about the sizes asked for. */
HSP_API const hsp_option_table *hsp_split_file_options(void);

/* What was split: part 0 is for training, part 1 for testing. */
typedef struct hsp_split hsp_split;
HSP_API hsp_status hsp_split_file(hsp_context *ctx, const char *path, const hsp_options *options,
                                  const char *train_path, const char *test_path, hsp_error *err,
                                  hsp_split **out);
HSP_API uint64_t hsp_split_rows(const hsp_split *split, int part);
HSP_API uint32_t hsp_split_classes(const hsp_split *split);
HSP_API const char *hsp_split_class_name(const hsp_split *split, uint32_t c);
HSP_API uint64_t hsp_split_class_rows(const hsp_split *split, int part, uint32_t c);
/* Rows whose label is missing; groups (0 unless they were asked for). */
HSP_API uint64_t hsp_split_unlabelled(const hsp_split *split, int part);
HSP_API uint64_t hsp_split_groups(const hsp_split *split, int part);
HSP_API void hsp_split_free(hsp_split *split);

/* Options of hsp_data_split: test (a share in (0,1) or a whole number of rows), stratified, seed.
 */
HSP_API const hsp_option_table *hsp_split_options(void);

/* Split into two parts, at random by the seed, each class in proportion when stratified; rows keep
 * their order within a part. */
HSP_API hsp_status hsp_data_split(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  hsp_error *err, hsp_data **train, hsp_data **test);

/* Scaling: x_j <- (x_j - shift_j) * factor_j, or every row divided by its own norm. Its factors are
 * an object to keep beside a model and apply to the files that come later. */
typedef struct hsp_scaling hsp_scaling;

/* Options of hsp_scaling_fit: kind (min-max, standard, max-abs, unit-rows, unit-ball; or sign, bit,
 * votes, which make votes of numbers: docs/preparing.md), low, high. */
HSP_API const hsp_option_table *hsp_scale_options(void);
HSP_API hsp_status hsp_scaling_fit(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                   hsp_error *err, hsp_scaling **out);

/* A scaled copy. Shifting columns of sparse rows would fill them: that is HSP_USAGE with a sentence
 * that says what to do instead. */
HSP_API hsp_status hsp_scaling_apply(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                                     hsp_error *err, hsp_data **out);
HSP_API const char *hsp_scaling_kind(const hsp_scaling *scaling);
HSP_API uint64_t hsp_scaling_cols(const hsp_scaling *scaling);
HSP_API double hsp_scaling_shift(const hsp_scaling *scaling, uint64_t column);
HSP_API double hsp_scaling_factor(const hsp_scaling *scaling, uint64_t column);

/* Scalings as files (the same container as models). */
HSP_API hsp_status hsp_scaling_read(hsp_context *ctx, const char *path, hsp_error *err,
                                    hsp_scaling **out);
HSP_API hsp_status hsp_scaling_write(hsp_context *ctx, const hsp_scaling *scaling, const char *path,
                                     hsp_error *err);
HSP_API void hsp_scaling_free(hsp_scaling *scaling);

/* ---- 7. Making ------------------------------------------------------------------------------- */

/* The generators, each a table of options (rows, features, seed and its own). NULL past the last.
 */
HSP_API const hsp_option_table *hsp_generator(size_t i);

/* What is true of the data a generator made. */
typedef struct hsp_truth {
    uint64_t rows, cols;
    double margin;         /* a geometric margin every row keeps from `weights`; 0: none promised */
    double noise;          /* probability that a label is flipped */
    double offset;         /* of the separator */
    const double *weights; /* cols: the separator, unit length; NULL: no halfspace is the truth */
} hsp_truth;

/* Make rows in memory, or stream them to a text file of any size ("-": standard output; the format
 * by the name's ending, libsvm text unless it says otherwise). `options` were made with the
 * generator's table, which is how the generator is named. The same options and seed give the same
 * bytes, on any number of threads. `truth` may be NULL; it is called once, before the rows. */
typedef void (*hsp_truth_fn)(void *user, const hsp_truth *truth);
HSP_API hsp_status hsp_data_make(hsp_context *ctx, const hsp_options *options, hsp_truth_fn truth,
                                 void *user, hsp_error *err, hsp_data **out);
HSP_API hsp_status hsp_make_file(hsp_context *ctx, const hsp_options *options, const char *path,
                                 hsp_truth_fn truth, void *user, hsp_error *err);

/* ---- 8. Looking ------------------------------------------------------------------------------ */

/* What is in a data set: totals, and per class and per column figures. */
typedef struct hsp_summary hsp_summary;
HSP_API hsp_status hsp_summary_new(hsp_context *ctx, hsp_data *data, hsp_error *err,
                                   hsp_summary **out);
HSP_API void hsp_summary_free(hsp_summary *summary);

/* Decimals with more digits than memory holds can become equal there. Confirm, by reading the file
 * again that `data` was read from with `options` (NULL: the defaults), which rows and columns are
 * equal, constant or zero as decimals, and correct the counts. Where totals.exact is set already,
 * nothing is read. A file that cannot be read again (standard input, a pipe) or holds no decimals
 * is no failure: totals.exact stays as it is. */
HSP_API hsp_status hsp_summary_confirm(hsp_context *ctx, hsp_summary *summary, hsp_data *data,
                                       const char *path, const hsp_options *options,
                                       hsp_error *err);

typedef struct hsp_totals {
    uint64_t rows, cols, nonzeros;
    double density;  /* nonzeros / (rows * cols); 0 when either is 0 */
    double min, max; /* of all entries, zeros included; 0, 0 when there are none */
    double norm_min, norm_mean, norm_max; /* Euclidean, of the rows */
    uint64_t empty_rows;                  /* rows of zeros */
    uint64_t empty_columns;               /* columns of zeros */
    uint64_t constant_columns;            /* one value other than zero in every row */
    uint64_t duplicate_columns;           /* equal to an earlier column that is not constant */
    uint64_t duplicate_rows;              /* equal to an earlier row */
    uint64_t contradictory_rows;          /* equal to a row of another class */
    uint64_t class_runs;        /* runs of one class in file order; = classes: sorted by class */
    double class_runs_expected; /* of the same labels in a random order */
    int exact; /* what is said to be equal, constant or zero is so for the numbers as they were
                  given; 0: for their roundings in memory only (hsp_summary_confirm) */
} hsp_totals;

typedef struct hsp_column_summary {
    double min, max, mean, stdev; /* zeros included; stdev with divisor rows */
    uint64_t nonzeros;
    int constant;         /* one value in every row, zero included */
    int64_t duplicate_of; /* the first earlier column it equals, or -1 */
} hsp_column_summary;

HSP_API const hsp_totals *hsp_summary_totals(const hsp_summary *summary);
HSP_API uint64_t hsp_summary_class_count(const hsp_summary *summary, uint32_t class_index);
HSP_API const hsp_column_summary *hsp_summary_column(const hsp_summary *summary, uint64_t column);

/* ---- 9. Models ------------------------------------------------------------------------------- */

/* What a score of exactly zero means (docs/ties.md): the negative class, the positive class, or
 * neither. With more than two classes and equal highest scores: the first, the last, neither. */
typedef enum hsp_tie { HSP_TIE_NEG, HSP_TIE_POS, HSP_TIE_ZERO } hsp_tie;

/* A class index that stands for "on the boundary". */
#define HSP_NO_CLASS UINT32_MAX

/* A hypothesis with all that prediction needs: classes, encoding, scalings. Two classes have one
 * scorer, and a positive score says the second class; more have one scorer a class, and the highest
 * says, or one scorer a pair of classes, and votes say (docs/multiclass.md). A calibrated model
 * predicts its most probable class instead (docs/probabilities.md). It owns all its memory (or maps
 * its file). */
typedef struct hsp_model hsp_model;
HSP_API hsp_status hsp_model_read(hsp_context *ctx, const char *path, hsp_error *err,
                                  hsp_model **out);
HSP_API hsp_status hsp_model_write(hsp_context *ctx, const hsp_model *model, const char *path,
                                   hsp_error *err);
HSP_API void hsp_model_free(hsp_model *model);

/* Read a model file of another program, LIBSVM (c_svc, nu_svc) or LIBLINEAR (docs/models.md): the
 * classes it predicts are that program's. HSP_BAD_DATA with file, line and column for what is no
 * such file. */
HSP_API hsp_status hsp_model_import(hsp_context *ctx, const char *path, hsp_error *err,
                                    hsp_model **out);
/* Write a model for another program, "libsvm" or "liblinear". HSP_USAGE with a sentence for what
 * that program cannot express; a log note or warning where it would differ in a detail. */
HSP_API hsp_status hsp_model_export(hsp_context *ctx, const hsp_model *model, const char *format,
                                    const char *path, hsp_error *err);

/* "linear": weights and offset a scorer. "votes": the sequence of updates, each standing for the
 * separator it led to (docs/perceptron.md). "kernel": a coefficient a scorer for each of some rows
 * that are kept, the support rows, and s(x) = sum of coefficient * k(row, x), + b (docs/models.md).
 * "neighbors": all rows, the nearest of which vote (docs/knn.md). */
HSP_API const char *hsp_model_hypothesis(const hsp_model *model);
HSP_API uint32_t hsp_model_classes(const hsp_model *model);
HSP_API const char *hsp_model_class_name(const hsp_model *model, uint32_t class_index);
/* The model's class for a label of some data set: the class of that name; of a model of one class
 * against the rest, 0 for every other label; HSP_NO_CLASS for a label that the model does not know.
 */
HSP_API uint32_t hsp_model_class_of(const hsp_model *model, const char *label);
HSP_API uint64_t hsp_model_features(const hsp_model *model);
HSP_API const char *hsp_model_feature_name(const hsp_model *model, uint64_t column); /* or NULL */
HSP_API uint32_t hsp_model_scorers(const hsp_model *model);
/* More than two classes and one scorer a pair of them, in the order (0,1), (0,2), ..., (1,2), ...?
 * Then 1; 2 when equal votes go to the first class, and not to the larger sum of scores. */
HSP_API int hsp_model_pairs(const hsp_model *model);
/* The class that a positive score of a scorer speaks for, and the one it speaks against:
 * HSP_NO_CLASS where that is all the others. */
HSP_API uint32_t hsp_model_scorer_for(const hsp_model *model, uint32_t scorer);
HSP_API uint32_t hsp_model_scorer_against(const hsp_model *model, uint32_t scorer);
HSP_API hsp_tie hsp_model_tie(const hsp_model *model);
HSP_API const char *hsp_tie_name(hsp_tie tie);                          /* "neg", "pos", "zero" */
HSP_API const hsp_encoding *hsp_model_encoding(const hsp_model *model); /* or NULL */

/* Of a linear model, in the space after scaling: s(x) = <w, x> + b. The last separator for votes.
 * NULL for a model that has a kernel. */
HSP_API const double *hsp_model_weights(const hsp_model *model, uint32_t scorer); /* features */
HSP_API double hsp_model_offset(const hsp_model *model, uint32_t scorer);

/* The kernel expression of a kernel model, or of votes that have one; else NULL. */
HSP_API const char *hsp_model_kernel(const hsp_model *model);
/* How many support rows a kernel model has (others: 0), and in *source (unless that is NULL) their
 * numbers, from 0, in the data it was learnt from. */
HSP_API uint64_t hsp_model_support(const hsp_model *model, const uint64_t **source);
/* One a support row; NULL for other models. */
HSP_API const double *hsp_model_coefficients(const hsp_model *model, uint32_t scorer);

/* What a model of nearest neighbours is made of (docs/knn.md). It points into the model. */
typedef struct hsp_knn_report {
    uint64_t rows, k;   /* rows that it keeps: all it was learnt from; neighbours that vote */
    const char *metric; /* "l2", ...; "kernel": in the space of hsp_model_kernel */
    const char *vote;   /* "majority", "distance" */
    const char *index;  /* how neighbours are found: "tree", ...; by what the rows are like, */
    int index_chosen;   /* if this is set, else as it was asked for */
    uint64_t tried;     /* leave-one-out was made for k = 1 .. tried; 0: k was given */
    const uint64_t *mistakes; /* tried: rows that their k nearest others get wrong */
} hsp_knn_report;
HSP_API int hsp_model_neighborhood(const hsp_model *model, hsp_knn_report *out); /* 0: none */

/* A row that is near to another. */
typedef struct hsp_neighbor {
    double distance;
    uint64_t row; /* its number, from 0, in the data that the model was learnt from */
    uint32_t class_index;
} hsp_neighbor;

/* The k nearest (0: as many as vote) of each row of a view, nearest first, of equal distances the
 * earlier row: rows * k of them. The index is made anew by every call, so bring many rows at once.
 * HSP_USAGE for a model that has no neighbours, or fewer than k. */
HSP_API hsp_status hsp_model_neighbors(hsp_context *ctx, const hsp_model *model,
                                       const hsp_view *view, uint64_t k, hsp_error *err,
                                       hsp_neighbor *out);

/* Facts kept with the model, as text by name: learner, options (JSON), seed, passes, updates,
 * converged, data_rows, data_hash, data_hash_single, earlier_data_hashes, version, ...; NULL when
 * there is no such fact. The i-th name, NULL past the last. */
HSP_API const char *hsp_model_metadata(const hsp_model *model, const char *name);
HSP_API const char *hsp_model_metadata_name(const hsp_model *model, size_t i);

/* Set the options of a learner, made with its table, to what the model was trained with. HSP_USAGE
 * when they are of another learner, or the model does not say. */
HSP_API hsp_status hsp_model_set_options(const hsp_model *model, hsp_options *options,
                                         hsp_error *err);

/* How often each training row was used: `count` triples say that `amount[i]` times the row `row[i]`
 * (from 0) was added to scorer `scorer[i]` (negative: taken away). 0 triples for a stream. */
typedef struct hsp_row_coefficients {
    uint64_t count;
    const uint64_t *row;
    const uint32_t *scorer;
    const double *amount;
} hsp_row_coefficients;
HSP_API hsp_row_coefficients hsp_model_updates(const hsp_model *model);

/* The same predictions in another normal form: "homogeneous" (one more feature that is always 1, no
 * offset), "unit" (weights of length 1), "threshold" (<w,x> > t; the fact "threshold" is t = -b).
 */
HSP_API hsp_status hsp_model_form(hsp_context *ctx, const hsp_model *model, const char *form,
                                  hsp_error *err, hsp_model **out);

/* The disjunction of some columns, by name (without names: by the number that the model's file
 * counts them by), as a model between the classes of `like`, over its columns and with its
 * scalings: class 1 where one of them is 1. For audits of Winnow. */
HSP_API hsp_status hsp_model_disjunction(hsp_context *ctx, const hsp_model *like,
                                         const char *const *columns, size_t count, hsp_error *err,
                                         hsp_model **out);

/* Set, among options of hsp_read_options, what the caller has not: the precision and, for libsvm
 * text, the first column's number that the model was learnt with. Files to predict should be read
 * so. A model trained in single precision gets rows that are rounded as its own were, except for
 * numbers that single precision does not hold (whole numbers beyond 2^24, numbers outside its
 * range): those are read in double precision. */
HSP_API hsp_status hsp_model_set_read(const hsp_model *model, hsp_options *read, hsp_error *err);

/* Scores of rows as they are in the file (the model's scalings are applied on the way): `scores`
 * has rows * scorers, row after row; `classes` (or NULL) gets the class of each row, HSP_NO_CLASS
 * on the boundary. Rows may have fewer columns than the model, or more: those it does not know are
 * passed over, and a log warning counts the values in them. (A model of kernels or neighbours
 * without a scaling takes rows whole: norms and distances see every column.) */
HSP_API hsp_status hsp_model_score(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                   hsp_error *err, double *scores, uint32_t *classes);

/* From the scores of one row to one number a class, the highest of which is the row's class
 * (several highest: the tie rule says) unless the model decides by probabilities: s and -s of two
 * classes, the scores themselves of one scorer a class; of pairs the votes for the class plus s /
 * (2 (1 + |s|)), where s is the sum of its pair scores, each signed towards the class. */
HSP_API void hsp_model_class_scores(const hsp_model *model, const double *scores, double *out);

/* Probabilities of classes (docs/probabilities.md): a link is a fixed function of the score
 * ("none", "logistic", "probit", "step"), a calibration one that was fitted ("none", "platt",
 * "isotonic") and is used instead where there is one. */
HSP_API const char *hsp_model_link(const hsp_model *model);
HSP_API const char *hsp_model_calibration(const hsp_model *model);
HSP_API int hsp_model_has_probabilities(const hsp_model *model);

/* From the scores of one row to a probability a class, of a model that has them. They add up to 1.
 * The class predicted has the largest one: a calibrated model decides by them, and a link is 1/2 at
 * the score 0. */
HSP_API void hsp_model_probabilities(const hsp_model *model, const double *scores, double *out);

/* Predict the second of two classes when its probability is above `threshold`, the first when it is
 * below; when it is equal the tie rule says. Everything that predicts with the model follows, and
 * hsp_model_write keeps it. HSP_USAGE when it does not lie between 0 and 1, or the model has no
 * probabilities or more than two classes. */
HSP_API hsp_status hsp_model_set_threshold(hsp_model *model, double threshold, hsp_error *err);
/* That threshold, or 0 when it was not set. */
HSP_API double hsp_model_threshold(const hsp_model *model);

/* Options of hsp_predict_file: scores, distance, probability, link, threshold. */
HSP_API const hsp_option_table *hsp_predict_options(void);

typedef struct hsp_prediction {
    uint64_t rows, ties;
    uint64_t unknown; /* values in columns that the model does not know: passed over */
} hsp_prediction;

/* The neighbours of each row of a file, streaming; k as above. A line a neighbour: numbers of the
 * row and of the neighbour, from 1, distance, class; between them a tab. Or an array in JSON, a
 * line a row: {"row":1,"neighbors":[{"row":7,"distance":0.5,"class":"a"}, ...]}. */
typedef enum hsp_neighbors_format { HSP_NEIGHBORS_TEXT, HSP_NEIGHBORS_JSON } hsp_neighbors_format;
HSP_API hsp_status hsp_neighbors_file(hsp_context *ctx, const hsp_model *model, const char *path,
                                      const hsp_options *read, uint64_t k,
                                      hsp_neighbors_format format, const char *out_path,
                                      hsp_error *err, hsp_prediction *out);

/* Predict a file to a file, streaming, in parallel, in order: one line a row, the class's name ("0"
 * on the boundary, or "boundary" if a class is named "0"), then the scores, the signed distance and
 * the probabilities of the classes in their order, when asked for. `read` are the options of
 * hsp_read_options, or NULL; the model's encoding reads CSV. */
HSP_API hsp_status hsp_predict_file(hsp_context *ctx, const hsp_model *model, const char *path,
                                    const hsp_options *read, const hsp_options *predict,
                                    const char *out_path, hsp_error *err, hsp_prediction *out);

/* The rows of data whose labels are among `keep` (NULL: all), with classes in that order; or with
 * `positive` set, two classes: "rest" and `positive`. */
HSP_API hsp_status hsp_data_regroup(hsp_context *ctx, hsp_data *data, const char *const *keep,
                                    size_t keep_count, const char *positive, hsp_error *err,
                                    hsp_data **out);

/* ---- 10. Learning ---------------------------------------------------------------------------- */

/* The learner of that name ("perceptron", "svm", "logistic", ...), which is a table of its options;
 * NULL when there is none. And all of them: NULL past the last. */
HSP_API const hsp_option_table *hsp_learner_find(const char *name);
HSP_API const hsp_option_table *hsp_learner(size_t i);

typedef enum hsp_stop {
    HSP_STOP_CONVERGED, /* nothing left to do */
    HSP_STOP_PASSES,
    HSP_STOP_UPDATES,
    HSP_STOP_SECONDS,
    HSP_STOP_REQUEST,    /* the progress callback asked: the call returns HSP_CANCELLED */
    HSP_STOP_INSEPARABLE /* a separator was demanded and there is none; there is no model, and
                            run->evidence says why */
} hsp_stop;

/* "converged", "passes", "updates", "seconds", "request", "inseparable". */
HSP_API const char *hsp_stop_name(hsp_stop stop);

/* How near to the best a run came, of learners that minimise an objective (docs/svm.md). Everything
 * is measured on the training rows with the weights of the model, in the space that was learnt in:
 * after the learner's scaling, or in the kernel's feature space. More than two classes: objectives
 * and counts are sums over the problems that were solved (a class against the rest, a pair of
 * classes), residuals the largest, except where it says otherwise. Figures that make no sense are
 * NaN. */
typedef struct hsp_convergence {
    const char *solver;    /* "dcd", "newton", ...; NULL: this learner minimises nothing */
    double lambda, C;      /* C = 1 / (lambda n), n the total weight of the rows */
    double objective;      /* J = (1/n) sum of losses + (lambda/2) ||w||^2 of the weights as they
                              are in the model, rounded up; hard: ||w||^2 / 2 */
    double dual_objective; /* proven lower bound: no weights have a smaller objective than this,
                              rounding included; lp: of the program's dual, up to rounding */
    /* The same two in the unit of C, which LIBSVM and LIBLINEAR print: objective / lambda = C times
     * the sum of losses + ||w||^2 / 2. Hard: the same numbers. */
    double scaled_objective, scaled_dual_objective;
    double gap;      /* the duality gap: (objective - dual_objective) / objective */
    double rounding; /* the part of it that rounding errors may be: objective and dual_objective are
                        proven bounds, so both count them in */
    uint64_t support_vectors; /* rows with a dual weight in any of the problems, each counted once;
                                 UINT64_MAX: not known */
    uint64_t support_sum;     /* the same, counted once a problem; of these: */
    uint64_t on_margin, inside,
        wrong_side; /* y s(x) = 1, as far as the gap can tell; below 1; below
                       0. The rest: above 1, with a dual weight near 0 */
    double margin;  /* the geometric margin: the smallest y s(x) / ||w|| of all training rows,
                       negative when one is misclassified. Of several problems the smallest ... */
    uint32_t margin_class, margin_other; /* ... of this class against the rest (other: UINT32_MAX)
                                            or against this other; two classes, or all of them at
                                            once: both UINT32_MAX */
    double inverse_norm; /* 1 / ||w||, how far the lines s = +-1 are from s = 0; the smallest */
    /* KKT residuals; stationarity: ||w - sum a y x|| beside max(||w||, sum a ||x||) */
    double stationarity, primal_feasibility, dual_feasibility, complementarity;
} hsp_convergence;

/* Why no hyperplane separates two classes: multipliers, those of each class adding up to 1, with
 * which the rows of both classes have (almost) the same mean: a point common to both hulls. (Where
 * only hyperplanes through the origin were asked for: multipliers adding up to 2 over both classes,
 * with which the rows, those of the first class negated, add up to almost 0.) */
typedef struct hsp_evidence {
    uint64_t count;
    uint64_t *row;      /* from 0, ascending, as in the data that was given to hsp_train */
    double *multiplier; /* > 0 */
    double distance;    /* between the two means (or of the sum from 0), after the learner's
                           scaling: rounding only */
    double margin;      /* no separator has a margin above this: distance / 2 */
    char *of, *against; /* more than two classes: those that cannot be told apart; against NULL: of
                           against the rest. Two classes: both NULL */
    hsp_allocator memory;
} hsp_evidence;
HSP_API void hsp_evidence_free(hsp_evidence *evidence);

/* A panel of experts beside the best of them in hindsight (docs/experts.md). */
typedef struct hsp_experts_report {
    uint64_t experts, examples; /* N, 0: the learner is no panel; rows voted on, over all passes */
    int several, randomized;    /* one panel a class, no more figures; predictions were drawn */
    uint64_t mistakes;          /* m */
    double expected, deviation; /* randomized: mean and standard deviation of m, over all draws */
    uint64_t best;            /* the column, from 0, of the first expert with the fewest mistakes */
    int negated, held;        /* the negation of that column; expected is not above bound */
    double best_mistakes;     /* m*; a row on which it abstained counts half */
    double best_share, bound; /* its share of the weight in the end; the theorem's, on `expected` */
} hsp_experts_report;

/* What a run did. */
typedef struct hsp_training {
    uint64_t rows, cols, nonzeros;
    uint32_t classes;
    uint64_t passes, updates, mistakes_last_pass;
    hsp_stop stop;
    double training_error; /* share of rows wrong at the end; NaN for a stream */
    double
        progressive_error; /* predict, then learn: share of wrong predictions over the first pass */
    uint64_t progressive_rows; /* the rows of that pass: fewer than `rows` when it was cut short */
    double train_seconds;
    double radius; /* the largest norm of a row as learnt from (after scaling); NaN: not known */
    hsp_convergence optimum;
    hsp_experts_report panel;
    hsp_evidence *evidence; /* of HSP_STOP_INSEPARABLE, else NULL; the caller frees it */
} hsp_training;

/* Learn from a data set. `options` were made with the learner's table, which is how it is named.
 * That a run did not converge is an outcome: look at run->stop. So is "not separable" where a
 * separator was demanded: HSP_OK, run->stop is HSP_STOP_INSEPARABLE and *out is NULL. Either is
 * found in double precision; hsp_confirm tries it in exact arithmetic.
 *
 * When the progress callback asks to stop, the call returns HSP_CANCELLED. If something was learnt
 * by then, *out is the best model so far, to be freed as usual, and *run says how good it is, with
 * run->stop HSP_STOP_REQUEST; figures that would have taken long to compute are NaN. If not, *out
 * and *run are untouched: set *out to NULL before the call to tell the two apart. At the limit
 * max-seconds the same is handed out, with HSP_OK and run->stop HSP_STOP_SECONDS; if there is no
 * model yet, the call returns HSP_TIME_LIMIT. */
HSP_API hsp_status hsp_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_error *err, hsp_training *run, hsp_model **out);

/* The same, beginning at a model of the same kind of data instead of at zero: fewer passes to the
 * same answer. Learners that cannot say so (HSP_USAGE). */
HSP_API hsp_status hsp_train_from(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  const hsp_model *start, hsp_error *err, hsp_training *run,
                                  hsp_model **out);

/* Where in its file stands the row that hsp_train refused (Winnow takes values from 0 to 1)? `err`
 * is what it said: no file, and the row's number, from 1, for a line. HSP_BAD_DATA: *err has the
 * file and the line now; else it is as it was. `read` and `encoding` as the file was read with. */
HSP_API hsp_status hsp_train_locate(hsp_context *ctx, const char *path, const hsp_options *read,
                                    const hsp_encoding *encoding, hsp_error *err);

/* Learn in one pass from a file or pipe that is never held in memory. */
HSP_API hsp_status hsp_train_stream(hsp_context *ctx, const char *path, const hsp_options *read,
                                    const hsp_options *options, hsp_error *err, hsp_training *run,
                                    hsp_model **out);

/* Learn one example at a time. `class_names` holds `classes` names; features may grow with the
 * rows. How many passes, and for how long, is the caller's: such options are refused when set. */
typedef struct hsp_trainer hsp_trainer;
HSP_API hsp_status hsp_trainer_new(hsp_context *ctx, const hsp_options *options,
                                   const char *const *class_names, uint32_t classes,
                                   uint64_t features, hsp_error *err, hsp_trainer **out);
HSP_API void hsp_trainer_free(hsp_trainer *trainer);

typedef struct hsp_step {
    uint32_t predicted; /* before the step; HSP_NO_CLASS on the boundary */
    double score; /* of the first scorer (two classes), or of the true class less the best other */
    int updated;  /* the weights changed */
} hsp_step;

/* Predict row `row` of a view (which has labels), then learn from it. */
HSP_API hsp_status hsp_trainer_step(hsp_trainer *trainer, const hsp_view *view, uint64_t row,
                                    hsp_error *err, hsp_step *step);
/* The model so far. */
HSP_API hsp_status hsp_trainer_model(hsp_trainer *trainer, hsp_error *err, hsp_model **out);

/* ---- 11. Measuring --------------------------------------------------------------------------- */

/* A model on labelled data. Figures that make no sense are NaN: without rows, all of them; with
 * more than two classes AUC and the last three distances; of votes, neighbours and pairs of
 * classes, hinge loss, margins and distances; of kernel models with more than 4096 support rows,
 * whose ||w|| takes long, what is divided by it. A label that the model does not know is a mistake,
 * and no part of losses, margins, AUC and confusion; one warning to the log says how many. */
typedef struct hsp_evaluation {
    uint64_t n, mistakes, ties;
    uint64_t left_out; /* rows of classes that the model was told to leave out */
    double error, accuracy, balanced_accuracy;
    double auc;        /* ties count half */
    double log_loss;   /* mean of -log of the probability of the row's class, at least 2^-52; NaN
                          without probabilities */
    double brier;      /* mean of (p - y)^2 over rows, p the second class's probability, y 0 or 1;
                          more classes: of the sum of (p_c - y_c)^2; NaN without probabilities */
    double hinge_loss; /* mean of max(0, 1 - y s); more classes: max(0, 1 - s_y + best other) */
    double functional_margin;    /* min y s; more classes: min of s_y - best other */
    double geometric_margin;     /* functional_margin / ||w|| */
    double origin_distance;      /* -b / ||w|| */
    double margin_distance;      /* 1 / ||w||, of the margin boundaries s = +-1 */
    uint64_t beyond, on, within; /* y s > 1, = 1, < 1 */
} hsp_evaluation;

/* `confusion` (or NULL) has classes * classes counts, [true class * classes + predicted class];
 * ties are in none. */
HSP_API hsp_status hsp_evaluate(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                                hsp_error *err, hsp_evaluation *out, uint64_t *confusion);

/* A theorem about a run, with its figures. */
typedef struct hsp_mistake_bound {
    const char *name;    /* "radius" */
    const char *formula; /* "k <= r^2 ||w*||^2" */
    int applies;         /* its assumptions hold on this data */
    double bound;        /* the right side */
    double observed;     /* the left side */
    int held;            /* observed is not above bound (below, for a lower bound) */
    int lower;           /* the theorem says observed >= bound */
    char why[256];       /* which assumption fails, or the figures that went in */
} hsp_mistake_bound;

/* The run that made `model` on `data`, against every mistake bound, with `reference` as w* (NULL
 * for a panel of experts, whose run is compared with the best of them). *count bounds; the caller
 * frees by hsp_bounds_free. */
HSP_API hsp_status hsp_audit(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                             const hsp_model *reference, hsp_error *err, hsp_mistake_bound **out,
                             size_t *count);
HSP_API void hsp_bounds_free(hsp_context *ctx, hsp_mistake_bound *bounds);

/* ---- 12. Choosing ---------------------------------------------------------------------------- */

/* How a learner did on rows that it had not seen: the rows are dealt into folds, and each fold is
 * predicted by a model learnt from all the others (docs/tuning.md). */
typedef struct hsp_held_out {
    uint32_t folds;
    uint64_t rows, mistakes, ties; /* over all folds; a tie is a mistake */
    double error;                  /* the mean of the folds' errors */
    double standard_error;         /* of that mean: the folds' deviation / sqrt(folds) */
    uint32_t unconverged;          /* folds whose learning ended before it was done */
    uint32_t inseparable;          /* folds without a model, since there is no separator */
} hsp_held_out;

/* One fold. */
typedef struct hsp_fold {
    uint64_t rows, mistakes, ties; /* of those held out */
    double error;                  /* mistakes / rows */
    hsp_stop stop; /* why learning from the others ended; HSP_STOP_INSEPARABLE: there is
                      no model, and every row is a mistake */
} hsp_fold;

/* Options of hsp_cross_validate: folds, fold-seed. */
HSP_API const hsp_option_table *hsp_validate_options(void);

/* Cross-validate the learner that `learner` are options of. Each class is dealt evenly, at random
 * by the seed; the folds depend on the labels and the seed alone. Whatever the learner fits to the
 * rows (scaling too) is fitted to the rows it learns from. Folds run in parallel, each on a copy of
 * its rows; limits of time hold for one fold. `validate` NULL: the defaults. HSP_BAD_DATA when a
 * class has one row only; a log warning when it has fewer rows than there are folds. */
typedef struct hsp_validation hsp_validation;
HSP_API hsp_status hsp_cross_validate(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                                      const hsp_options *validate, hsp_error *err,
                                      hsp_validation **out);
HSP_API void hsp_validation_free(hsp_validation *validation);
HSP_API const hsp_held_out *hsp_validation_held_out(const hsp_validation *validation);
HSP_API const hsp_fold *hsp_validation_fold(const hsp_validation *validation, uint32_t fold);
/* The classes that the models tell apart, and classes * classes counts, [true class * classes +
 * predicted class]; ties are in none. */
HSP_API uint32_t hsp_validation_classes(const hsp_validation *validation);
HSP_API const char *hsp_validation_class_name(const hsp_validation *validation,
                                              uint32_t class_index);
HSP_API const uint64_t *hsp_validation_confusion(const hsp_validation *validation);

/* Options of hsp_tune: tune (NAME=LOW:HIGH:log:COUNT, NAME=LOW:HIGH:lin:COUNT or NAME=A,B,C, once
 * an option of the learner: all combinations are tried), choose (best, simplest), folds, fold-seed.
 */
HSP_API const hsp_option_table *hsp_tune_options(void);

/* What was tried, and what was chosen. */
typedef struct hsp_tuning hsp_tuning;
HSP_API void hsp_tuning_free(hsp_tuning *tuning);

/* Cross-validate a learner at every combination of values, on the same folds, choose, and train on
 * everything with what was chosen: `model` is what hsp_train makes with those options, and keeps
 * the table as its fact "tuning". `learner` holds all other options. Learners that minimise begin
 * at the model of the neighbouring point: to the same gap, in less time.
 *
 * best: the smallest mean error. simplest: the simplest point whose mean error is at most one
 * standard error (of the best) above it: the smallest C, the largest lambda, of any other option
 * the value that was given first; the first option in which two points differ decides. Among
 * equally good ones the best is the simplest, too.
 *
 * `run` and `model` may be NULL: then nothing is trained on everything. A request to stop is
 * HSP_CANCELLED: while points are tried nothing is handed out; while the chosen one is trained
 * *out, *run and *model are, as in hsp_train. */
HSP_API hsp_status hsp_tune(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                            const hsp_options *tune, hsp_error *err, hsp_tuning **out,
                            hsp_training *run, hsp_model **model);

/* The names of the options that were tuned, NULL past the last; and the points, numbered from 0. */
HSP_API const char *hsp_tuning_option(const hsp_tuning *tuning, size_t option);
HSP_API uint64_t hsp_tuning_points(const hsp_tuning *tuning);
HSP_API const char *hsp_tuning_value(const hsp_tuning *tuning, uint64_t point, size_t option);
HSP_API const hsp_held_out *hsp_tuning_held_out(const hsp_tuning *tuning, uint64_t point);
HSP_API const hsp_fold *hsp_tuning_fold(const hsp_tuning *tuning, uint64_t point, uint32_t fold);
HSP_API uint64_t hsp_tuning_best(const hsp_tuning *tuning);
HSP_API uint64_t hsp_tuning_chosen(const hsp_tuning *tuning);

/* ---- 13. Kernels ----------------------------------------------------------------------------- */

/* A kernel expression (docs/kernels.md): "rbf(0.5)", "0.5*rbf(0.1) + normalize(poly(2,1))*linear".
 */
typedef struct hsp_kernel hsp_kernel;

/* HSP_USAGE with the column for a text that is no expression, and for what need not be a kernel (a
 * negative factor, a difference, sigmoid) unless `allow_indefinite`. `index_base`: the number of
 * the first column in cols(...) and x3, 0 or 1. */
HSP_API hsp_status hsp_kernel_parse(hsp_context *ctx, const char *text, int allow_indefinite,
                                    int index_base, hsp_error *err, hsp_kernel **out);
HSP_API void hsp_kernel_free(hsp_kernel *kernel);
/* The expression in canonical form; it belongs to the kernel. */
HSP_API const char *hsp_kernel_text(const hsp_kernel *kernel);
/* Give every parameter that is a rule its number: median (1 / the median of the distance that the
 * kernel is about, over all pairs of rows or 5,000 random ones) and 1/d (d columns). The text then
 * has the numbers. HSP_BAD_DATA when the rows give a rule no number, or when none of the columns
 * that a part of the kernel asks for is there. */
HSP_API hsp_status hsp_kernel_fit(hsp_context *ctx, hsp_kernel *kernel, const hsp_view *view,
                                  hsp_error *err);
/* Is something in it that closure does not guarantee to be a kernel? */
HSP_API int hsp_kernel_is_indefinite(const hsp_kernel *kernel);

/* From here on the kernel is fitted. */

/* out[i * rows of b + j] = k(row i of a, row j of b), in double; b NULL: of a with itself, which is
 * symmetric to the bit. Of `precomputed`, row i of a holds the values, those with row j of b in the
 * column that has j's number (docs/kernels.md). */
HSP_API hsp_status hsp_kernel_gram(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *a,
                                   hsp_data *b, hsp_error *err, double *out);

/* The same as a data file with a's labels that `precomputed` takes: the first column is the row's
 * number from 1, column j is the value with row j of b. libsvm text is what LIBSVM's precomputed
 * kernels are read from: "label 0:i 1:K(i,1) 2:K(i,2) ...", zeros too. `write` as for
 * hsp_data_write. */
HSP_API hsp_status hsp_kernel_gram_write(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *a,
                                         hsp_data *b, const char *path, const hsp_options *write,
                                         hsp_error *err);

/* Is the Gram matrix K of some rows positive semidefinite? Rounding is allowed for: eigenvalues
 * from -tolerance to tolerance count as 0. */
typedef struct hsp_kernel_verdict {
    uint64_t rows;
    int semidefinite;    /* no eigenvalue below -tolerance */
    double tolerance;    /* how far rounding may have moved an eigenvalue */
    double *eigenvalues; /* rows, descending */
    uint64_t rank;       /* eigenvalues above tolerance */

    /* When not: z with few entries other than 0, and z'Kz < 0. */
    uint64_t witness_count;
    uint64_t *witness_row; /* ascending, as in the data, from 0 */
    double *witness;       /* z there, in few digits where these suffice */
    double witness_value;  /* z'Kz */
    hsp_allocator memory;
} hsp_kernel_verdict;

/* Of rows[0..count) of the data, NULL: of all. HSP_BAD_DATA when a precomputed matrix is not
 * symmetric. Time grows as count^3, memory as count^2. */
HSP_API hsp_status hsp_kernel_check(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                                    const uint64_t *rows, uint64_t count, hsp_error *err,
                                    hsp_kernel_verdict **out);
HSP_API void hsp_kernel_verdict_free(hsp_kernel_verdict *verdict);

/* K = B B', by Cholesky with pivots. */
typedef struct hsp_factor {
    uint64_t rank;    /* columns of B */
    double tolerance; /* of what is left of the diagonal when it ends */
    double error;     /* the largest |K - B B'| */
} hsp_factor;

/* Factor the Gram matrix of the same rows: row i of B is a feature vector of row i, so that
 * whatever a learner does with the kernel it does with these features and `linear`. *features
 * (unless NULL) gets them in double, with the rows' labels. That K is not semidefinite shows in
 * figures->error. */
HSP_API hsp_status hsp_kernel_factor(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                                     const uint64_t *rows, uint64_t count, hsp_error *err,
                                     hsp_factor *figures, hsp_data **features);

/* ---- 14. Proving ----------------------------------------------------------------------------- */

/* Claims about a data file, with evidence that anybody can check against the decimals of the file
 * (docs/certificates.md). The checker is another program, halfspace-verify, which shares nothing
 * with this library. */
typedef struct hsp_certificate hsp_certificate;

/* Options of hsp_certify: claim, offset, width, positive, classes, kernel, model, test, delta. */
HSP_API const hsp_option_table *hsp_certify_options(void);

/* The claims that `options` name (NULL or none: all that can be made) about the file `path`, read
 * with `read`, and about `model` (or NULL), which was trained on it. The option model names the
 * file of the model: the certificate then has its SHA-256, and `model` may be NULL. Both files are
 * read more than once, so they are no pipes; the data is text. That a claim cannot be made is no
 * failure: the certificate says why. */
HSP_API hsp_status hsp_certify(hsp_context *ctx, const char *path, const hsp_options *read,
                               const hsp_model *model, const hsp_options *options, hsp_error *err,
                               hsp_certificate **out);
HSP_API void hsp_certificate_free(hsp_certificate *certificate);

/* The certificate as JSON text, `*size` bytes and a NUL; NULL when no claim could be made. */
HSP_API const char *hsp_certificate_text(const hsp_certificate *certificate, size_t *size);

/* The i-th claim that was tried, NULL past the last: its name, and in *why (unless that is NULL) a
 * sentence on why it was not made, or NULL. */
HSP_API const char *hsp_certificate_claim(const hsp_certificate *certificate, size_t i,
                                          const char **why);

/* What is known of a run that was to separate its rows. */
typedef enum hsp_separability {
    HSP_SEPARABILITY_UNKNOWN, /* see `why`, and `row` */
    HSP_SEPARATES,            /* every score of the model has the right sign, and none is 0 */
    HSP_SEPARABLE,            /* the model's do not, but there is a separator */
    HSP_NOT_SEPARABLE         /* there is none */
} hsp_separability;

typedef struct hsp_confirmation {
    hsp_separability answer;
    int decimals;        /* of the decimals of the file; 0: of the values in memory */
    uint64_t row;        /* the first row, from 0, that a model does not have strictly on its side;
                            UINT64_MAX: it has them all, or was not tried */
    uint64_t wrong_rows; /* how many there are */
    double margin;       /* HSP_SEPARABLE: a separator has at least this margin; else NaN */
    hsp_evidence *evidence;   /* HSP_NOT_SEPARABLE: multipliers with which the means are the same
                                 exactly, rounded to double; the caller frees it. Else NULL */
    const char *of, *against; /* more than two classes: the answer is of these two (against NULL: of
                                 against the rest), by names that are the data's; both NULL: of all
                                 problems that were solved */
    char why[200];            /* HSP_SEPARABILITY_UNKNOWN: why, as a sentence without a full stop */
} hsp_confirmation;

/* Confirm in exact arithmetic what a run that demanded a separator (svm with hard, lp) found: that
 * `model` separates the rows, or, if it is NULL, that run->evidence shows that nothing does. The
 * learner computed in double precision; the answer here is about the decimals of the file `path`,
 * which `data` was read from with `read` (NULL: the defaults), and which is read again if a number
 * has more digits than memory holds. If it cannot be (`path` NULL, a pipe, a binary file), the
 * answer is about the values in memory. Of more than two classes the answer is about all problems
 * that were solved: about the first that fails, if one does. */
HSP_API hsp_status hsp_confirm(hsp_context *ctx, hsp_data *data, const char *path,
                               const hsp_options *read, const hsp_options *learner,
                               const hsp_training *run, const hsp_model *model, hsp_error *err,
                               hsp_confirmation *out);

/* ---- 15. New data ---------------------------------------------------------------------------- */

/* What may be expected of rows that nobody has seen yet (docs/generalisation.md has every theorem
 * with its constants). The true error of a model is the probability that it is wrong on a row drawn
 * as the given ones were: independently, from one distribution. A bound of confidence 1 - delta
 * holds but for a share delta of the sets of rows that might have been drawn. All figures are
 * rounded to the safe side. */

/* Clopper and Pearson's bounds: the largest p with which `mistakes` or fewer among `rows`
 * independent ones have a probability of at least delta, and the smallest with which `mistakes` or
 * more have. Without rows 1 and 0. NaN for mistakes > rows or a delta outside of (0, 1). */
HSP_API double hsp_binomial_upper(uint64_t rows, uint64_t mistakes, double delta);
HSP_API double hsp_binomial_lower(uint64_t rows, uint64_t mistakes, double delta);

/* Options of hsp_solve_sample_size: rows, epsilon, delta, of which one is left out; one of
 * hypotheses, bits, vc, class; agnostic. */
HSP_API const hsp_option_table *hsp_sample_size_options(void);

/* How many rows a class of hypotheses takes: one theorem, solved for what was not given. */
typedef struct hsp_sample_size {
    const char *solved;   /* "rows", "epsilon", "delta": which of these was found */
    double rows;          /* a whole number */
    double epsilon;       /* found: 1 and more is vacuous */
    double delta;         /* found: 1 and more says nothing */
    int vacuous;          /* what was found is */
    double log_count;     /* ln |H|, or of a class known by its growth: ln of the growth function at
                             2 rows */
    double dimension;     /* VC dimension; NaN: the class is finite, and so counted */
    double closed_rows;   /* solved for rows, without mistakes, by VC dimension: what Blumer and
                             others' closed formula asks for; else NaN */
    const char *theorem;  /* who says so */
    const char *formula;  /* what was solved */
    const char *says;     /* what it promises, a sentence */
    char hypotheses[160]; /* the class, in words */
} hsp_sample_size;

HSP_API hsp_status hsp_solve_sample_size(const hsp_options *options, hsp_error *err,
                                         hsp_sample_size *out);

/* One bound on the error of a model. */
typedef struct hsp_error_bound {
    const char *name;    /* "test-binomial" */
    const char *kind;    /* "test": from rows held out; "training": from the rows learnt from;
                            "estimate": true on average over training sets, no confidence */
    const char *formula; /* in symbols */
    const char *about;   /* whose error: "this model", or another that the theorem is about */
    const char *assumes; /* what it assumes beside independent rows; "" for nothing */
    int applies;
    double value;      /* that error is at most this; NaN when it does not apply */
    int vacuous;       /* it applies, and value is 1 or more: it says nothing */
    char figures[320]; /* what went in, or why it does not apply */
} hsp_error_bound;

/* A model, and all that is promised of it. */
typedef struct hsp_error_report {
    double delta;
    uint64_t train_rows, train_mistakes; /* 0, 0 without training rows */
    uint64_t test_rows, test_mistakes;
    uint64_t shared_rows; /* test rows that are among the training rows, number for number */
    double test_lower;    /* the true error is at least this (confidence 1 - delta); NaN: no test
                             rows */
    double test_upper;
    double training_upper;      /* by the training rows the true error is at most this: the least
                                   of training_tried bounds, each at delta / training_tried, so that
                                   the confidence is 1 - delta; 1: they say nothing */
    const char *training_bound; /* its name, or NULL */
    unsigned training_tried;    /* 0: no training rows */
    int overfits;               /* test_lower is above the error on the training rows */
    size_t count;
    hsp_error_bound *guarantees; /* count */
    hsp_allocator memory;
} hsp_error_report;

/* Options of hsp_error_report_new: delta, shared (refuse, allow), retrain. */
HSP_API const hsp_option_table *hsp_error_report_options(void);

/* `train`: the rows that the model learnt from (HSP_BAD_DATA when their number is another than it
 * remembers), or NULL; `test`: rows that had no part in it, or NULL; one of them is given. Both are
 * read with the model's encoding. HSP_BAD_DATA when they share rows, unless that is allowed: then a
 * log warning. HSP_BAD_DATA when `test` is data that the model was trained on (facts data_hash and
 * earlier_data_hashes), HSP_USAGE when the model does not say what it was trained on. `options`
 * NULL: the defaults. */
HSP_API hsp_status hsp_error_report_new(hsp_context *ctx, const hsp_model *model, hsp_data *train,
                                        hsp_data *test, const hsp_options *options, hsp_error *err,
                                        hsp_error_report **out);
HSP_API void hsp_error_report_free(hsp_error_report *outlook);

/* Options of hsp_simulate_bounds: learner, set, rows, test-rows, columns, noise, offset, delta,
 * trials, seed. */
HSP_API const hsp_option_table *hsp_simulate_options(void);

/* How often one bound was wrong. */
typedef struct hsp_trial_bound {
    hsp_error_bound about; /* name, kind, formula, about and assumes; figures: of one of
                            the trials, or why it did not apply there */
    uint64_t applied;      /* trials it applied to */
    uint64_t failed;       /* trials in which the true error was above it */
    uint64_t vacuous;      /* trials in which it was 1 or more */
    double mean_value;     /* over the trials it applied to, values above 1 taken as 1 */
    double mean_error;     /* of the true errors that it was compared with */
    double chance;         /* of at least so many failures if each trial fails with probability
                              delta: small means that the bound is broken. NaN for estimates */
} hsp_trial_bound;

typedef struct hsp_simulation {
    uint64_t trials, rows, test_rows;
    double delta;
    double best_error; /* of the halfspace that labels the rows: the share of flipped labels */
    double mean_train_error; /* over the trials */
    double mean_true_error;
    size_t count;
    hsp_trial_bound *bounds; /* count */
    hsp_allocator memory;
} hsp_simulation;

/* Draw rows x ~ N(0, I) with labels sign(<u, x> + offset), a share `noise` of them flipped; learn;
 * compare every bound with the true error, which is an integral known to 1e-9. Each trial has its
 * own rows by (seed, trial); they run in parallel, and the result does not depend on that. */
HSP_API hsp_status hsp_simulate_bounds(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                       hsp_simulation **out);
HSP_API void hsp_simulation_free(hsp_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
