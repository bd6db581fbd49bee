/* halfspace: the command. From argv to a sub-command and an exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.h"

const cli_command *const cli_commands[] = {&cli_auto,
                                           &cli_train,
                                           &cli_cv,
                                           &cli_tune,
                                           &cli_predict,
                                           &cli_neighbors,
                                           &cli_eval,
                                           &cli_audit,
                                           &cli_bound,
                                           &cli_certify_command,
                                           &cli_verify,
                                           &cli_plot,
                                           &cli_report_command,
                                           &cli_model,
                                           &cli_learners,
                                           &cli_inspect,
                                           &cli_convert,
                                           &cli_split,
                                           &cli_scale,
                                           &cli_kernel,
                                           &cli_make,
                                           &cli_help,
                                           NULL};

/* What the library says. */
static void main_log(void *user, hsp_log_level level, const char *sentence)
{
    const cli *run = user;
    if (level == HSP_LOG_WARNING)
        cli_warn("%s", show_text(sentence));
    else
        cli_say(run, "note: %s", show_text(sentence));
    if (level == HSP_LOG_WARNING || !cli_quiet(run)) cli_explain_options(run, sentence);
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

static const hsp_ranks *main_ranks; /* NULL: this is the only process */
static int main_json; /* --json is among the words of the command line, understood or not */

/* `wrong`: it was the command line that was not understood. */
static int main_fail(const cli *run, const hsp_error *err, int wrong)
{
    char text[sizeof err->file + sizeof err->message + 64];
    cli_complain("%s", show_text(hsp_error_text(err, text, sizeof text)));
    cli_explain_options(run, text);
    if (err->status == HSP_NO_MEMORY && hsp_memory_limit_refused(run->limit))
        cli_complain("--memory %s: %s", hsp_options_text(run->common, "memory"),
                     hsp_memory_limit_refused(run->limit));
    if (wrong)
        cli_complain("try 'halfspace %s %s%s--help'", run->command->name,
                     run->variant ? run->variant->name : "", run->variant ? " " : "");
    const int status =
        err->status == HSP_CANCELLED ? cli_stop_status() : hsp_status_exit(err->status);
    if (main_json) cli_error_json(err, status);
    return status;
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
    const int is_file = strcmp(word, "-") == 0 || strpbrk(word, "./") || access(word, F_OK) == 0;
    if (command->default_variant && is_file) {
        run->variant = cli_find_variant(command, command->default_variant);
        return HSP_OK;
    }
    if (nearest)
        return cli_fail(err, HSP_USAGE, NULL, "there is no %s '%s'; did you mean %s?",
                        command->variant_word, word, nearest);
    if (command->default_variant)
        return cli_fail(err, HSP_USAGE, NULL, "there is no file '%s', and no such %s", word,
                        command->variant_word);
    return cli_fail(err, HSP_USAGE, NULL, "there is no %s '%s'; 'halfspace %s' lists them",
                    command->variant_word, word, command->name);
}

/* The context of a run, within the memory that --memory allows. `plain`: the one that the options
 * were read with. */
static hsp_status main_limit(cli *run, hsp_context *plain, hsp_error *err)
{
    const char *text = hsp_options_text(run->common, "memory");
    static const char units[] = "KMGT";
    char *end = NULL;
    if (!text) return HSP_OK;
    double bytes = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;
    const char *unit = end && *end ? strchr(units, *end & ~32) : NULL;
    if (bytes < 0 || !(bytes < 1e15) || (*end && (!unit || end[1])))
        return cli_fail(err, HSP_USAGE, "--memory",
                        "found '%s', expected a number of bytes, or one with K, M, G or T: 512M",
                        show_name(text));
    for (; unit && unit >= units; unit--)
        bytes *= 1024;
    if (bytes < (double)HSP_MEMORY_LEAST)
        return cli_fail(err, HSP_USAGE, "--memory", "found '%s', expected at least %lluM",
                        show_name(text), (unsigned long long)(HSP_MEMORY_LEAST >> 20));
    hsp_status status = hsp_memory_limit_new((uint64_t)bytes, NULL, err, &run->limit);
    if (status != HSP_OK) return status;
    const hsp_allocator memory = hsp_memory_limit_allocator(run->limit);
    run->ctx = NULL;
    if (hsp_context_new(&memory, &run->ctx) == HSP_OK) return HSP_OK;
    run->ctx = plain;
    return cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
}

/* Read the command line, and run the command, or explain it. */
static int main_command(const cli_command *command, int count, char **argv)
{
    cli run = {.command = command};
    hsp_error err = {0};
    if (hsp_context_new(NULL, &run.ctx) != HSP_OK) {
        cli_complain("out of memory");
        return hsp_status_exit(HSP_NO_MEMORY);
    }
    hsp_context *plain = run.ctx;
    hsp_status status = main_variant(&run, &count, &argv, &err);
    if (status == HSP_OK) status = cli_parse(&run, count, argv, &err);
    if (status == HSP_OK) status = main_limit(&run, plain, &err);
    if (status != HSP_OK) {
        run.exit_status = main_fail(&run, &err, 1);
    } else if (hsp_options_flag(run.common, "help")) {
        cli_help_command(stdout, command, run.variant);
    } else if (command->variant && !run.variant) {
        printf("Usage: halfspace %s %s\n", command->name, command->synopsis);
        cli_help_variants(stdout, command);
    } else {
        hsp_context_set_threads(run.ctx, (int)hsp_options_integer(run.common, "threads"));
        hsp_context_set_ranks(run.ctx, main_ranks);
        hsp_context_set_log(run.ctx, main_log, &run);
        cli_progress_begin(run.ctx, cli_quiet(&run));
        if (!main_ranks) cli_catch_signals(); /* a job whose processes are told to end ends */
        status = command->run(&run, &err);
        cli_progress_clear();
        if (status != HSP_OK) run.exit_status = main_fail(&run, &err, 0);
    }
    cli_free(&run);
    hsp_context_free(run.ctx);
    if (run.ctx != plain) hsp_context_free(plain);
    hsp_memory_limit_free(run.limit);
    return run.exit_status;
}

/* ---- The whole ---- */

static int main_dispatch(int argc, char **argv)
{
    const char *names[32] = {"--help", "--version", "--completion"};
    const char *word = argc > 1 ? argv[1] : "";
    size_t count = 3;
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
    const cli_command *command = cli_find_command(word);
    if (command && main_ranks && !command->ranks) {
        cli_complain("%s does not work on several processes: use halfspace %s", word, word);
        return hsp_status_exit(HSP_USAGE);
    }
    if (command) return main_command(command, argc - 2, argv + 2);
    for (size_t i = 0; cli_commands[i]; i++)
        names[count++] = cli_commands[i]->name;
    const char *nearest = hsp_nearest(word, names, count);
    hsp_error err;
    cli_fail(&err, HSP_USAGE, NULL, "there is no command '%s'; %s%s%s", word,
             nearest ? "did you mean " : "'halfspace --help' lists them", nearest ? nearest : "",
             nearest ? "?" : "");
    cli_complain("%s", show_text(err.message));
    if (main_json) cli_error_json(&err, hsp_status_exit(HSP_USAGE));
    return hsp_status_exit(HSP_USAGE);
}

int main(int argc, char **argv)
{
#ifdef __GLIBC__
    /* One heap for all threads: what one of them frees, another can use. They rarely ask for
     * memory. */
    mallopt(M_ARENA_MAX, 1);
#endif
    /* A standard stream that the caller closed must not become the number of a data file: it is
     * opened the wrong way round, so that its use is an error. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            exit(hsp_status_exit(HSP_IO));
    main_ranks = cli_ranks_begin(&argc, &argv);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        main_json |= strcmp(argv[i], "--json") == 0;
    const int status = main_dispatch(argc, argv);
    /* What went to standard output has arrived only when the last flush says so. */
    int bad = ferror(stdout) | fflush(stdout), code = errno;
    if (close(STDOUT_FILENO) && !bad) bad = 1, code = errno;
    if (bad) cli_complain("standard output: cannot write: %s", strerror(code));
    const int result = bad && !status ? hsp_status_exit(HSP_IO) : status;
    cli_ranks_end(result);
    return result;
}
