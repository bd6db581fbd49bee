/* halfspace: the command. From argv to a sub-command and an exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.h"

const cli_command *const cli_commands[] = {&cli_train,    &cli_cv,        &cli_tune,
                                           &cli_predict,  &cli_neighbors, &cli_eval,
                                           &cli_audit,    &cli_bound,     &cli_certify_command,
                                           &cli_verify,   &cli_plot,      &cli_model,
                                           &cli_learners, &cli_inspect,   &cli_convert,
                                           &cli_split,    &cli_scale,     &cli_kernel,
                                           &cli_make,     &cli_help,      NULL};

/* ---- Saying things ---- */

static void main_say_list(const char *kind, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void main_say_list(const char *kind, const char *format, va_list args)
{
    cli_progress_clear();
    fprintf(stderr, "halfspace: %s", kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_say(const cli *run, const char *format, ...)
{
    if (cli_quiet(run)) return;
    va_list args;
    va_start(args, format);
    main_say_list("", format, args);
    va_end(args);
}

static void main_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void main_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    main_say_list("", format, args);
    va_end(args);
}

static void main_log(void *user, hsp_log_level level, const char *sentence)
{
    const cli *run = user;
    cli_progress_clear();
    if (level == HSP_LOG_WARNING)
        fprintf(stderr, "halfspace: warning: %s\n", show_text(sentence));
    else
        cli_say(run, "note: %s", show_text(sentence));
    if (level == HSP_LOG_WARNING || !cli_quiet(run)) cli_explain_options(run, sentence);
}

hsp_status cli_fail(hsp_error *err, hsp_status status, const char *place, const char *format, ...)
{
    va_list args;
    *err = (hsp_error){.status = status};
    snprintf(err->file, sizeof err->file, "%s", place ? place : "");
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

hsp_status cli_check_output(const cli *run, const char *path, hsp_error *err)
{
    if (!*path) return cli_fail(err, HSP_USAGE, NULL, "the name of the file to write is empty");
    if (!cli_json(run) || strcmp(path, "-") != 0) return HSP_OK;
    return cli_fail(err, HSP_USAGE, "--json",
                    "what is made goes to standard output already; name a file for it");
}

int cli_writes_text(const hsp_options *write, const char *out)
{
    const char *to = hsp_options_text(write, "to"), *name = strrchr(out, '/');
    const char *ending = strstr(name ? name : out, ".hsp"); /* or .hsp.gz */
    const int binary = strcmp(to, "auto") == 0 ? ending && (!ending[4] || ending[4] == '.')
                                               : strcmp(to, "hsp") == 0;
    return !binary;
}

hsp_status cli_check_place(const char *path, hsp_error *err)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(path, "-") == 0 || access(path, F_OK) == 0) return HSP_OK;
    char *folder = slash ? cli_format("%.*s/", (int)(slash - path), path) : cli_format(".");
    int bad = access(folder, W_OK | X_OK), code = errno;
    free(folder);
    return bad ? cli_fail(err, HSP_IO, path, "cannot create: %s", strerror(code)) : HSP_OK;
}

/* Where a path leads: the file that is there, or the folder that one is to be made in. */
static int main_locate(const char *path, struct stat *at, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = NULL;
    if (stat(path, at) == 0) return S_ISREG(at->st_mode); /* devices and pipes lose nothing */
    *name = slash ? slash + 1 : path;
    char *folder = slash ? cli_format("%.*s/", (int)(slash - path), path) : cli_format(".");
    int found = stat(folder, at) == 0;
    free(folder);
    return found;
}

static int main_same_file(const char *a, const char *b)
{
    struct stat at[2];
    const char *name[2];
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return 0;
    if (!main_locate(a, &at[0], &name[0]) || !main_locate(b, &at[1], &name[1])) return 0;
    if (at[0].st_dev != at[1].st_dev || at[0].st_ino != at[1].st_ino) return 0;
    return name[0] && name[1] ? strcmp(name[0], name[1]) == 0 : !name[0] && !name[1];
}

hsp_status cli_check_apart(const char *option, const char *out, const char *other, hsp_error *err)
{
    if (!out || !other || !main_same_file(out, other)) return HSP_OK;
    return cli_fail(err, HSP_USAGE, option, "'%s' would be written over '%s'; name another file",
                    show_name(out), show_name(other));
}

hsp_status cli_read(cli *run, const char *path, const hsp_options *read,
                    const hsp_encoding *encoding, hsp_error *err, hsp_data **data, double *seconds)
{
    double start = cli_seconds();
    hsp_status status = hsp_data_read(run->ctx, path, read, encoding, err, data);
    *seconds = cli_seconds() - start;
    return status;
}

void cli_locate(const cli *run, const char *path, const hsp_options *read, const hsp_data *data,
                hsp_error *err)
{
    if (err->file[0] || !err->line) return;
    if (strcmp(path, "-") != 0 &&
        hsp_train_locate(run->ctx, path, read, hsp_data_encoding(data), err) == HSP_BAD_DATA)
        return;
    /* the row has to do, and the file */
    snprintf(err->file, sizeof err->file, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    err->line = 0;
}

hsp_status cli_write(cli *run, hsp_data *data, const char *path, const hsp_options *write,
                     hsp_error *err)
{
    cli_begin_output();
    return hsp_data_write(run->ctx, data, path, write, err);
}

int cli_swapped(cli *run, const char *path, const char *data, hsp_file_kind expected)
{
    hsp_file_kind first, second;
    return hsp_file_kind_of(run->ctx, path, NULL, &first) == HSP_OK &&
           (first == HSP_FILE_DATA || first == HSP_FILE_CACHE) &&
           hsp_file_kind_of(run->ctx, data, NULL, &second) == HSP_OK && second == expected;
}

hsp_status cli_read_model(cli *run, const char *path, const char *data, hsp_error *err,
                          hsp_model **out)
{
    hsp_status status = hsp_model_read(run->ctx, path, err, out);
    if (status != HSP_BAD_DATA || !cli_swapped(run, path, data, HSP_FILE_MODEL)) return status;
    return cli_fail(err, HSP_USAGE, NULL,
                    "arguments swapped? MODEL comes first: halfspace %s %s %s", run->command->name,
                    data, path);
}

hsp_status cli_read_pair(cli *run, const char *model, const char *data, hsp_options *read,
                         hsp_error *err, cli_pair *out)
{
    hsp_status status = cli_read_model(run, model, data, err, &out->model);
    if (status == HSP_OK) status = hsp_model_set_read(out->model, read, err);
    if (status != HSP_OK) return status;
    return cli_read(run, data, read, hsp_model_encoding(out->model), err, &out->data,
                    &out->load_seconds);
}

void cli_free_pair(cli_pair *pair)
{
    hsp_data_free(pair->data);
    hsp_model_free(pair->model);
}

hsp_status cli_how_many(const hsp_options *options, const char *name, hsp_error *err, uint64_t *out)
{
    const char *text = hsp_options_text(options, name);
    char *end, place[64];
    double number = strtod(text, &end);
    int plain = text[0] && strspn(text, "0123456789.eE+") == strlen(text) && !*end;
    *out = UINT64_MAX;
    if (strcmp(text, "all") == 0) return HSP_OK;
    snprintf(place, sizeof place, "--%s", name);
    if (!plain || !(number < 0x1p53) || number != (double)(uint64_t)number)
        return cli_fail(err, HSP_USAGE, place, "found '%s', expected a whole number or all",
                        show_name(text));
    *out = (uint64_t)number;
    return HSP_OK;
}

/* ---- Finding things ---- */

const cli_command *cli_find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

const hsp_option_table *cli_find_variant(const cli_command *command, const char *name)
{
    for (size_t i = 0; command->variant && command->variant(i); i++)
        if (strcmp(command->variant(i)->name, name) == 0) return command->variant(i);
    return NULL;
}

/* ---- The way out ---- */

/* What went to standard output has arrived only when the last flush says so. */
static int main_finish(int exit_status)
{
    int bad = ferror(stdout) | fflush(stdout);
    int code = errno;
    if (close(STDOUT_FILENO) && !bad) bad = 1, code = errno;
    if (!bad) return exit_status;
    main_complain("standard output: cannot write: %s", strerror(code));
    return exit_status ? exit_status : hsp_status_exit(HSP_IO);
}

/* `wrong`: it was the command line that was not understood. */
static int main_fail(const cli *run, const hsp_error *err, int wrong)
{
    char text[sizeof err->file + sizeof err->message + 64];
    main_complain("%s", show_text(hsp_error_text(err, text, sizeof text)));
    cli_explain_options(run, text);
    if (wrong)
        main_complain("try 'halfspace %s %s%s--help'", run->command->name,
                      run->variant ? run->variant->name : "", run->variant ? " " : "");
    return err->status == HSP_CANCELLED ? cli_stop_status() : hsp_status_exit(err->status);
}

/* ---- A sub-command ---- */

/* The variant that the first argument names (`make two-gaussians ...`; options may stand before
 * it), taken off argv; HSP_USAGE for a wrong one. */
static hsp_status main_variant(cli *run, int *count, char ***argv, hsp_error *err)
{
    const cli_command *command = run->command;
    const char *names[128];
    size_t known = 0;
    const int at = command->variant ? cli_first_word(command, *count, *argv) : -1;
    if (at < 0) return HSP_OK;
    char *word = (*argv)[at];
    run->variant = cli_find_variant(command, word);
    if (run->variant) {
        memmove(*argv + 1, *argv, (size_t)at * sizeof **argv);
        (*argv)++;
        (*count)--;
        return HSP_OK;
    }
    for (; known < 128 && command->variant(known); known++)
        names[known] = command->variant(known)->name;
    const char *nearest = hsp_nearest(word, names, known);
    if (command->variant_else && (!nearest || access(word, F_OK) == 0)) {
        run->variant = cli_find_variant(command, command->variant_else);
        return HSP_OK;
    }
    if (nearest)
        return cli_fail(err, HSP_USAGE, NULL, "there is no %s '%s'; did you mean %s?",
                        command->variant_word, word, nearest);
    return cli_fail(err, HSP_USAGE, NULL, "there is no %s '%s'; 'halfspace %s' lists them",
                    command->variant_word, word, command->name);
}

static int main_run(cli *run, int count, char **argv)
{
    hsp_error err = {0};
    hsp_status status = main_variant(run, &count, &argv, &err);
    if (status == HSP_OK) status = cli_parse(run, count, argv, &err);
    if (status != HSP_OK) return main_fail(run, &err, 1);
    if (hsp_options_flag(run->common, "help")) {
        cli_help_command(stdout, run->command, run->variant);
        return 0;
    }
    if (run->command->variant && !run->variant) {
        printf("Usage: halfspace %s %s\n", run->command->name, run->command->synopsis);
        cli_help_variants(stdout, run->command);
        return 0;
    }
    hsp_context_set_threads(run->ctx, (int)hsp_options_integer(run->common, "threads"));
    hsp_context_set_log(run->ctx, main_log, run);
    cli_progress_begin(run->ctx, cli_quiet(run));
    cli_catch_signals();
    status = run->command->run(run, &err);
    cli_progress_clear();
    return status == HSP_OK ? run->exit_status : main_fail(run, &err, 0);
}

/* ---- Without a sub-command ---- */

static int main_unknown(const char *word)
{
    const char *names[32] = {"--help", "--version", "--completion"}, *nearest;
    size_t count = 3;
    for (size_t i = 0; cli_commands[i]; i++)
        names[count++] = cli_commands[i]->name;
    nearest = hsp_nearest(word, names, count);
    if (nearest)
        main_complain("there is no command '%s'; did you mean %s?", word, nearest);
    else
        main_complain("there is no command '%s'; 'halfspace --help' lists them", word);
    return hsp_status_exit(HSP_USAGE);
}

static int main_dispatch(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        cli_help_overview(stderr);
        return hsp_status_exit(HSP_USAGE);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_help_overview(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("halfspace %s\n", hsp_version());
        return 0;
    }
    if (strcmp(word, "--completion") == 0 && argc == 3 && strcmp(argv[2], "bash") == 0) {
        cli_completion_bash(stdout);
        return 0;
    }
    cli run = {.command = cli_find_command(word)};
    if (!run.command) return main_unknown(word);
    if (hsp_context_new(NULL, &run.ctx) != HSP_OK) {
        main_complain("out of memory");
        return hsp_status_exit(HSP_NO_MEMORY);
    }
    int exit_status = main_run(&run, argc - 2, argv + 2);
    cli_free(&run);
    hsp_context_free(run.ctx);
    return exit_status;
}

/* A standard stream that the caller closed must not become the number of a data file: it is opened
 * the wrong way round, so that its use is an error. */
static void main_guard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            exit(hsp_status_exit(HSP_IO));
}

/* One heap for all threads: what one of them frees, another can use. They rarely ask for memory. */
static void main_share_heap(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int argc, char **argv)
{
    main_share_heap();
    main_guard_streams();
    return main_finish(main_dispatch(argc, argv));
}
