/* halfspace help [COMMAND [NAME]]: what --help prints; with --json, the tables themselves.
 * Hidden: --man, the manual page instead. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const hsp_option help_own[] = {
    {"man", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "print a manual page in roff"},
};

static const hsp_option_table *help_options(void)
{
    static const hsp_option_table table = {"help", "options of help", help_own, 1};
    return &table;
}

static const cli_group help_groups[] = {{NULL, help_options}, {NULL, NULL}};

/* ---- The tables as JSON ---- */

static const cli_term help_keys[] = {
    {"version", "the version"},
    {"commands",
     "array: name, summary, synopsis, arguments, options, keys (of its JSON) and variants "
     "(of make, train and model: name, summary, options); an option has name, type, "
     "default, min, max, choices, meta and help"},
    {NULL, NULL}};

static void help_json_choices(cli_json_writer *json, const char *choices)
{
    json_open(json, "choices", '[');
    for (const char *p = choices; *p;) {
        size_t size = strcspn(p, "|");
        char *word = cli_format("%.*s", (int)size, p);
        json_text(json, NULL, word);
        free(word);
        p += size + (p[size] == '|');
    }
    json_close(json, ']');
}

static void help_json_option(cli_json_writer *json, const hsp_option *option)
{
    static const char *const types[] = {"flag", "integer", "real", "choice", "text", "list"};
    json_open(json, NULL, '{');
    json_text(json, "name", option->name);
    json_text(json, "type", types[option->type]);
    json_text(json, "default", option->fallback);
    if (option->min < option->max) {
        json_number(json, "min", option->min);
        json_number(json, "max", option->max);
    }
    if (option->choices) help_json_choices(json, option->choices);
    if (option->meta) json_text(json, "meta", option->meta);
    json_text(json, "help", option->help);
    json_close(json, '}');
}

static void help_json_options(cli_json_writer *json, const hsp_option_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        help_json_option(json, &table->options[i]);
}

void json_table(cli_json_writer *json, const hsp_option_table *table)
{
    json_text(json, "name", table->name);
    json_text(json, "summary", table->summary);
    json_open(json, "options", '[');
    help_json_options(json, table);
    json_close(json, ']');
}

static void help_json_terms(cli_json_writer *json, const char *key, const cli_term *terms)
{
    json_open(json, key, '{');
    for (; terms && terms->word; terms++)
        json_text(json, terms->word, terms->meaning);
    json_close(json, '}');
}

static void help_json_variants(cli_json_writer *json, const cli_command *command)
{
    json_open(json, "variants", '[');
    for (size_t i = 0; command->variant && command->variant(i); i++) {
        json_open(json, NULL, '{');
        json_table(json, command->variant(i));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void help_json_command(cli_json_writer *json, const cli_command *command)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(command, groups);
    json_open(json, NULL, '{');
    json_text(json, "name", command->name);
    json_text(json, "summary", command->summary);
    json_text(json, "synopsis", command->synopsis);
    help_json_terms(json, "arguments", command->arguments);
    json_open(json, "options", '[');
    for (size_t g = 0; g < count; g++)
        if (groups[g].heading) help_json_options(json, cli_group_table(&groups[g], NULL));
    json_close(json, ']');
    help_json_terms(json, "keys", command->keys);
    help_json_variants(json, command);
    json_close(json, '}');
}

/* One command, or all of them when it is NULL. */
static void help_json(const cli_command *command)
{
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "version", hsp_version());
    json_open(&json, "commands", '[');
    for (size_t i = 0; cli_commands[i]; i++)
        if (!command || cli_commands[i] == command) help_json_command(&json, cli_commands[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

static hsp_status help_find(const cli *run, hsp_error *err, const cli_command **command,
                            const hsp_option_table **variant)
{
    if (run->count == 0) return HSP_OK;
    *command = cli_find_command(run->arguments[0]);
    if (!*command)
        return cli_fail(err, HSP_USAGE, NULL,
                        "there is no command '%s'; 'halfspace help' lists them", run->arguments[0]);
    if (run->count == 1) return HSP_OK;
    *variant = cli_find_variant(*command, run->arguments[1]);
    if (*variant) return HSP_OK;
    return cli_fail(err, HSP_USAGE, NULL, "'%s' knows no '%s'", (*command)->name,
                    run->arguments[1]);
}

static hsp_status help_run(cli *run, hsp_error *err)
{
    const cli_command *command = NULL;
    const hsp_option_table *variant = NULL;
    hsp_status status = help_find(run, err, &command, &variant);
    int man = hsp_options_flag(run->options[0], "man");
    if (status != HSP_OK) return status;
    if (cli_json(run))
        help_json(command);
    else if (man && command)
        cli_man_command(stdout, command);
    else if (man)
        cli_man_overview(stdout);
    else if (command)
        cli_help_command(stdout, command, variant);
    else
        cli_help_overview(stdout);
    return HSP_OK;
}

static const cli_term help_arguments[] = {
    {"COMMAND", "a command; without one, they are listed"},
    {"NAME", "a generator of make, a learner of train, what model does: its options"},
    {NULL, NULL}};

const cli_command cli_help = {
    .name = "help",
    .summary = "explain a command and list its options",
    .synopsis = "[COMMAND [NAME]]",
    .description =
        "Print what a command does, its arguments and its options. With --json, print the "
        "tables that the command line is read with: every command and every option, with "
        "type, default and range.",
    .arguments = help_arguments,
    .groups = help_groups,
    .keys = help_keys,
    .least = 0,
    .most = 2,
    .run = help_run,
};
