/* What the files of the command share. The command knows the library by its public header alone.
 *
 *     main.c        from argv to a sub-command and an exit status
 *     args.c        argv against tables of options
 *     files.c       files read and checked
 *     help.c        --help, from the same tables; man.c and completion.c likewise
 *     messages.c    notes, warnings and errors
 *     progress.c    the bar on a terminal, and what Ctrl-C does
 *     report.c      numbers, names and aligned tables as text
 *     show_fields.c reports from tables of fields; keys.c: the keys, for manual pages and the schema
 *     one_class.c   the warning of a model that predicts one class only
 *     cmd_*.c       one file per sub-command; inspect_warnings.c: what inspect warns of
 */
#ifndef HALFSPACE_CLI_H
#define HALFSPACE_CLI_H

#include <stdarg.h>
#include <stdio.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

/* ---- Commands and their options ---- */

#define CLI_GROUPS 5 /* of options a command has at most, the common one included */

typedef struct cli cli;

/* A word and what it means; lists of them end with a NULL word. */
typedef struct cli_term {
    const char *word, *meaning;
} cli_term;

/* Options of one table, as a command shows them. Names differ between a command's groups. */
typedef struct cli_group {
    const char *heading;                    /* of the list in help; NULL: not shown there */
    const hsp_option_table *(*table)(void); /* NULL: the variant's, see below */
} cli_group;

/* A function that returns a command's own options, for a group. */
#define CLI_OPTIONS(function, command, ...)                                         \
    static const hsp_option_table *function(void)                                   \
    {                                                                               \
        static const hsp_option own[] = {__VA_ARGS__};                              \
        static const hsp_option_table table = {command, "options of " command, own, \
                                               sizeof own / sizeof *own};           \
        return &table;                                                              \
    }

/* A result: what the command line begins with ("kernel check"), and the table of its fields. */
typedef struct cli_result {
    const char *name;
    const hsp_field *(*fields)(void);
    int list; /* of such records */
    int bare; /* the same for the same input: no memory and threads */
} cli_result;

typedef struct cli_command {
    const char *name, *summary; /* summary: one line, no full stop */
    const char *synopsis;       /* what follows the name: "DATA OUT [options]" */
    const char *description;    /* paragraphs, with an empty line between them */
    const cli_term *arguments;
    const cli_group *groups;   /* the last one is all NULL */
    const cli_result *results; /* what it prints; the last one is all NULL */
    const cli_term *examples;  /* a command line and what it does */
    int least, most;           /* arguments it takes */
    int ranks;                 /* it works on several processes, too */
    int several; /* the number of the argument, from 1, that may be several data files: they become
                    one argument, joined by line breaks; 0: none */
    hsp_status (*run)(cli *run, hsp_error *err);

    /* A command with variants (make: the generators) takes the variant's name as first
     * argument, and the variant's options. NULL past the last; NULL function: no variants. Without
     * a variant it is not run: the variants are listed. */
    const hsp_option_table *(*variant)(size_t i);
    const char *variant_word;     /* what they are called: "generator" */
    const char *variant_synopsis; /* what follows the variant's name, */
    const char *(*variant_files)(
        const hsp_option_table *variant); /* after these words, which differ
                                                                      by variant; NULL: none */
    const char *default_variant; /* the variant that is meant when the first argument names none:
                                     that one is then an argument; NULL: it must name one */
} cli_command;

/* The commands, ended by NULL. */
extern const cli_command *const cli_commands[];
extern const cli_command cli_inspect, cli_convert, cli_split, cli_scale, cli_make, cli_help;
extern const cli_command cli_train, cli_predict, cli_eval, cli_audit, cli_model, cli_plot;
extern const cli_command cli_learners, cli_cv, cli_tune, cli_kernel, cli_neighbors, cli_bound;
extern const cli_command cli_certify_command, cli_verify, cli_auto, cli_report_command;

const cli_command *cli_find_command(const char *name);
const hsp_option_table *cli_find_variant(const cli_command *command, const char *name);

/* The options every command has: json, quiet, threads, memory, help. */
const hsp_option_table *cli_common_options(void);

/* The processes that this one works with, from the words of the command line that are meant for them;
 * NULL: none. `failed` is the exit status of a run that the others may not have failed in, too. In
 * halfspace: ranks_none.c; in halfspace-mpi: mpi/ranks_mpi.c. */
const hsp_ranks *cli_ranks_begin(int *argc, char ***argv);
void cli_ranks_end(int failed);

/* The one-letter name of an option, or 0. */
char cli_letter(const char *option);

/* ---- A run of a command ---- */

struct cli {
    const cli_command *command;
    const hsp_option_table *variant; /* or NULL */
    hsp_context *ctx;
    hsp_memory_limit *limit;          /* of --memory; or NULL */
    hsp_options *options[CLI_GROUPS]; /* in the order of the command's groups; then the common */
    hsp_options *common;              /* one of these */
    const char **arguments;           /* count */
    int count;
    char *joined;    /* one of them: several data files; or NULL */
    int exit_status; /* of a run that succeeded: 0, 1 when the answer is no, 130 when it was cut
                        short */
};

/* Fill in options and arguments from argv[0..count), which stand behind the command's name. */
hsp_status cli_parse(cli *run, int count, char **argv, hsp_error *err);
void cli_free(cli *run);

/* Which word of argv[0..count) is the first that is neither an option nor an option's value: the
 * name of a variant; -1 when there is none, or an option before it is not known. */
int cli_first_word(const cli_command *command, int count, char **argv);

int cli_json(const cli *run);
int cli_quiet(const cli *run);

/* As the library fails: fill the error, give its status back. `place` may be NULL. */
hsp_status cli_fail(hsp_error *err, hsp_status status, const char *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Of each option that the sentence names and the running command lacks: whose it is, unless the
 * sentence says that. */
void cli_explain_options(const cli *run, const char *sentence);

/* Sentences to standard error: "halfspace: ..." unless -q, in any case, "halfspace: warning: ...". */
void cli_say(const cli *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The error as a JSON object on standard output, for --json; and its table. */
void cli_error_json(const hsp_error *err, int exit_status);
extern const cli_result cli_error_result;

/* Is `out` written as text? `write` are options of hsp_write_options. Then rows are read so that
 * they keep their digits, unless the user says otherwise. */
int cli_writes_text(const hsp_options *write, const char *out);

/* Can a file of that name (NULL: none) be made? To be asked before long work whose result goes
 * there. --json and a result that itself goes to standard output exclude each other. */
hsp_status cli_check_output(const cli *run, const char *path, hsp_error *err);

/* Is what is written to `out` another file than `other`, which is needed after it? Either may be
 * NULL; `option` says which name is wrong. */
hsp_status cli_check_distinct(const char *option, const char *out, const char *other,
                              hsp_error *err);

/* Memory, or the end of the command with status 4: for small things outside library calls. */
void *cli_memory(void *block, size_t size);
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cli_format_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* ---- Help ---- */

void cli_help_overview(FILE *file);
void cli_help_command(FILE *file, const cli_command *command, const hsp_option_table *variant);
void cli_help_variants(FILE *file, const cli_command *command);
void cli_help_table(FILE *file, const char *heading, const hsp_option_table *table);
void cli_man_overview(FILE *file);
void cli_man_command(FILE *file, const cli_command *command);
void cli_completion_bash(FILE *file);

/* Options of one group, the variant's table filled in. */
const hsp_option_table *cli_group_table(const cli_group *group, const hsp_option_table *variant);
/* "--name VALUE", and the help with default and range: "(default 20, at least 1)"; malloc'ed. */
char *cli_option_head(const hsp_option *option);
char *cli_option_text(const hsp_option *option);
/* A command's groups and, last, that of the common options; returns their number. */
size_t cli_all_groups(const cli_command *command, cli_group groups[CLI_GROUPS]);

/* ---- Progress and signals ---- */

void cli_catch_signals(void);
/* From here on, files may have to be cleaned up. `path`: of the only one; standard output needs no
 * care: a signal still ends the command at once, even when nobody reads what it writes. */
void cli_begin_output(const char *path);
int cli_stop_status(void);    /* the exit status of what was stopped: 128 + the signal's number */
void cli_finish_output(void); /* what follows is done to its end; only a second Ctrl-C stops it */
void cli_progress_begin(hsp_context *ctx, int quiet);
void cli_progress_clear(void); /* before anything else is printed on a terminal */
double cli_seconds(void);      /* of a clock that never goes back */

/* ---- Reports ---- */

int cli_put(void *file, const void *bytes, size_t size); /* to a FILE *, for hsp_report_json */

/* Print a record as the user asked for it: JSON to standard output, or text to `file`. */
hsp_status cli_report(const cli *run, const cli_result *result, const void *record, FILE *file,
                      hsp_error *err);

/* A line of text that is not in JSON. */
#define CLI_LINE(template)                       \
    {                                            \
        .type = HSP_FIELD_TEXT, .text = template \
    }

/* A line with a label, likewise. */
#define CLI_TEXT(title, template)                                \
    {                                                            \
        .type = HSP_FIELD_TEXT, .label = title, .text = template \
    }

/* A confusion matrix: counts[true class * classes + predicted class]. */
typedef struct cli_confusion {
    uint32_t classes;
    const uint64_t *counts;
    const char *(*name)(const void *names, uint32_t c);
    const void *names;
} cli_confusion;
const hsp_field *cli_confusion_fields(void);
void cli_confusion_print(const cli_confusion *confusion, FILE *file);

/* Of a record that is a pointer to a data set, hsp_data *: which numbers a statement is of; the size
 * and storage of the rows. */
const hsp_field *cli_numbers_fields(void);
const hsp_field *cli_data_fields(void);
const hsp_field *cli_shape_fields(void);   /* two parts of it: rows and columns, */
const hsp_field *cli_storage_fields(void); /* and how they are stored */

/* peak_rss_bytes and threads, which every report has. */
const hsp_field *cli_cost_fields(void);

/* The keys of a result; name NULL: a heading. */
typedef struct cli_key {
    char *name, *type, *meaning;
} cli_key;
typedef struct cli_keys {
    cli_key *list;
    size_t count;
} cli_keys;
cli_keys cli_result_keys(const cli_result *result);
void cli_keys_free(cli_keys *keys);
void cli_keys_markdown(FILE *file, const cli_command *command);
hsp_status cli_schema(const cli *run, FILE *file, hsp_error *err);
/* Of hsp_option_table. */
const hsp_field *cli_option_table_fields(void);

/* A table: one letter a column, l or r for its alignment; cells row after row. */
typedef struct cli_table {
    const char *columns;
    const char *before; /* the first row, or NULL */
    char **cells;
    size_t count, room;
} cli_table;

void table_begin(cli_table *table, const char *columns);
void table_cell(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_line(cli_table *table, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));      /* a row of two cells */
void table_print(cli_table *table, FILE *file); /* and free */

/* Text for people, in one of a few buffers that are used in turn. */
const char *show_count(uint64_t count); /* 1,234,567 */
const char *show_number(double value);  /* six digits at most */
/* One end of a range: more digits where six do not tell it from the other end. */
const char *show_end(double value, double other);
const char *show_below(double value); /* likewise, and not above the value but by 1e-12 of it */
const char *show_above(double value); /* likewise, not below the value */
const char *show_share(double share); /* 33.3% */
const char *show_share_bound(double share, int up); /* 33.34%, rounded up or down */
const char *show_bytes(uint64_t bytes);             /* 1.2 MB */
const char *show_input(const char *path);           /* a file's name; - is a standard stream */
const char *show_output(const char *path);
const char *show_name(const char *name);  /* no control characters, not too long */
const char *show_short(const char *text); /* likewise, of up to 24 bytes */
const char *show_text(const char *text);  /* likewise, of up to 1,024 bytes */
const char *show_column(const hsp_data *data, uint64_t column); /* its name, or its number from 1 */
const char *plural(uint64_t count);                             /* "" or "s" */

/* ---- Shared by commands ---- */

/* hsp_data_read with the time it took, and hsp_data_write. */
hsp_status cli_read(cli *run, const char *path, const hsp_options *read,
                    const hsp_encoding *encoding, hsp_error *err, hsp_data **data, double *seconds);
/* The same for folds: the columns that --group and --time of `folds` name are left out, and read as
 * the groups and times of the rows. */
hsp_status cli_read_for_folds(cli *run, const char *path, hsp_options *read,
                              const hsp_options *folds, hsp_error *err, hsp_data **data,
                              double *seconds);
/* A learner refused a value of the data: *err gets its place in the file, if that is known. */
void cli_locate(const cli *run, const char *path, const hsp_options *read, const hsp_data *data,
                hsp_error *err);
hsp_status cli_write(cli *run, hsp_data *data, const char *path, const hsp_options *write,
                     hsp_error *err);

/* The model MODEL, then the rows of DATA as it reads them. Free both, also after a failure. */
typedef struct cli_pair {
    hsp_model *model;
    hsp_data *data;
    double load_seconds;
} cli_pair;
/* Is `path` a data file, and `data` what was expected instead of it? */
int cli_swapped(cli *run, const char *path, const char *data, hsp_file_kind expected);

/* The model that a command takes before the data file `data`: if the two were swapped, the error
 * says so. */
hsp_status cli_read_model(cli *run, const char *path, const char *data, hsp_error *err,
                          hsp_model **out);

hsp_status cli_read_pair(cli *run, const char *model, const char *data, hsp_options *read,
                         hsp_error *err, cli_pair *out);
void cli_free_pair(cli_pair *pair);

/* Make a certificate, have it checked, and write it to `out` (NULL: nowhere) if it is accepted.
 * `claims` NULL: all. Free it, also after a failure. */
typedef struct cli_certified {
    hsp_certificate *certificate;
    hsp_verification *verified; /* NULL: no claim was made */
    const char *established;    /* of verified, or NULL */
    double certify_seconds, verify_seconds;
} cli_certified;
hsp_status cli_certify(cli *run, const char *data, const hsp_options *read, const hsp_model *model,
                       const hsp_options *claims, const char *out, hsp_error *err,
                       cli_certified *done);
void cli_certified_free(cli_certified *done);
void cli_certified_print(const cli_certified *done, FILE *file);
const hsp_field *cli_certified_fields(void);

/* Say that one class is predicted for every row ("row", "held-out row"), and what to do; `tuned`: but
 * for tuning. */
void cli_warn_one_class(const char *name, const char *rows, const hsp_options *learner, int tuned);
/* Does the model predict one class for all rows that it was trained on, with this error? */
void cli_check_one_class(cli *run, hsp_data *data, const hsp_model *model, double error,
                         const hsp_options *learner);

/* The report of a nearest-neighbour model, in `room`; NULL: another model, or none. */
const hsp_knn_report *cli_knn(const hsp_model *model, void *room);

/* How many to list: "all" (UINT64_MAX) or a whole number, of the option `name`. */
hsp_status cli_how_many(const hsp_options *options, const char *name, hsp_error *err,
                        uint64_t *out);

/* inspect's findings. */
typedef struct cli_watch {
    hsp_finding *findings; /* count */
    char *(*texts)[2];     /* count: sentence and argument, if they are malloc'ed */
    size_t count;
} cli_watch;
/* The profile's findings: they live as long as it does. */
void watch_profile(cli_watch *watch, const hsp_profile *profile);
/* Lines that cannot be read; the sentence lives as long as the findings. */
void watch_broken(cli_watch *watch, const char *sentence);
/* `table`: what the profile of a table says is not said again. */
void watch_data(cli_watch *watch, const hsp_data *data, const hsp_summary *summary, int table);
void watch_free(cli_watch *watch);

#endif
