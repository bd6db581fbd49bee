/* halfspace help [COMMAND [NAME]]: what --help prints; with --json, the tables themselves; with
 * --schema, the JSON schema of all results. Hidden: --man, the manual page, and --markdown, the
 * table of a command's keys. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

CLI_OPTIONS(help_hidden_options, "help",
            {"man", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "print a manual page in roff"},
            {"markdown", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
             "print the table of a command's keys"})

CLI_OPTIONS(help_options, "help",
            {"schema", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
             "print the JSON schema of what every command prints with --json"})

enum { HELP_OWN, HELP_HIDDEN };

static const cli_group help_groups[] = {
    {"Options", help_options}, {NULL, help_hidden_options}, {NULL, NULL}};

/* ---- Tables of options ---- */

static const char *const help_types[] = {"flag", "integer", "real", "choice", "text", "list"};

GETTER(help_type, hsp_option, option, help_types[option->type])
GETTER(help_min, hsp_option, option, option->min < option->max ? &option->min : NULL)
GETTER(help_max, hsp_option, option, option->min < option->max ? &option->max : NULL)

static const void *help_choice(const void *record, size_t i, void *room)
{
    const char *at = ((const hsp_option *)record)->choices;
    for (; at && i; i--)
        at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    if (!at) return NULL;
    snprintf(room, HSP_FIELD_ROOM, "%.*s", (int)strcspn(at, "|"), at);
    return room;
}

FIELDS(help_option_fields, hsp_option, FIELD(TEXT, "name", NULL, name, "name of the option"),
       FIELD_GET(TEXT, "type", NULL, help_type, "flag, integer, real, choice, text or list"),
       FIELD(TEXT, "default", NULL, fallback, "default value", .when = "null without one"),
       FIELD_GET(REAL, "min", NULL, help_min, "smallest value", .when = "absent without a range",
                 .optional = 1),
       FIELD_GET(REAL, "max", NULL, help_max, "largest value", .when = "absent without a range",
                 .optional = 1),
       FIELD_GET(LIST, "choices", NULL, help_choice, "the values of a choice",
                 .when = "absent for other types", .optional = 1, .of = hsp_field_texts),
       FIELD(TEXT, "meta", NULL, meta, "what stands for the value in help",
             .when = "absent without one", .optional = 1),
       FIELD(TEXT, "help", NULL, help, "the effect of the option"))

GETTER(help_option_at, hsp_option_table, table, i < table->count ? &table->options[i] : NULL)

PUBLIC_FIELDS(cli_option_table_fields, hsp_option_table,
              FIELD(TEXT, "name", NULL, name, "name of the learner, generator or action"),
              FIELD(TEXT, "summary", NULL, summary, "what it does"),
              FIELD_GET(LIST, "options", NULL, help_option_at, "its options",
                        .of = help_option_fields))

/* ---- Commands ---- */

FIELDS(help_term_fields, cli_term, FIELD(TEXT, "name", NULL, word, "name"),
       FIELD(TEXT, "meaning", NULL, meaning, "meaning"))

FIELDS(help_key_fields, cli_key,
       FIELD(TEXT, "key", NULL, name, "the key; a.b is b in a, a[].b that of each entry of a",
             .when = "null for a heading"),
       FIELD(TEXT, "type", NULL, type, "type, or unit", .when = "null for a heading"),
       FIELD(TEXT, "meaning", NULL, meaning, "meaning"))

/* The keys of one result. */
typedef struct help_result {
    const cli_result *result;
    cli_keys keys;
} help_result;

typedef struct help {
    const char *version;
    const cli_command *only; /* NULL: all commands */
    help_result *results;    /* count, of all commands */
    size_t count;
} help;

typedef struct help_command {
    const cli_command *command;
    const help *all;
} help_command;

GETTER(help_result_name, help_result, result, result->result->name)

GETTER(help_key_at, help_result, result, i < result->keys.count ? &result->keys.list[i] : NULL)

FIELDS(help_result_fields, help_result,
       FIELD_GET(TEXT, "name", NULL, help_result_name, "the command, with its action"),
       FIELD_GET(LIST, "keys", NULL, help_key_at, "the keys of its JSON", .of = help_key_fields))

GETTER(help_name, help_command, one, one->command->name)
GETTER(help_summary, help_command, one, one->command->summary)
GETTER(help_synopsis, help_command, one, one->command->synopsis)

static const void *help_argument_at(const void *record, size_t i, void *room)
{
    const cli_term *terms = ((const help_command *)record)->command->arguments;
    (void)room;
    for (; terms && terms->word && i; i--)
        terms++;
    return terms && terms->word ? terms : NULL;
}

static const void *help_command_option_at(const void *record, size_t i, void *room)
{
    cli_group groups[CLI_GROUPS];
    const size_t count = cli_all_groups(((const help_command *)record)->command, groups);
    (void)room;
    for (size_t g = 0; g < count; g++) {
        const hsp_option_table *table = cli_group_table(&groups[g], NULL);
        if (!groups[g].heading) continue;
        if (i < table->count) return &table->options[i];
        i -= table->count;
    }
    return NULL;
}

GETTER(help_variant_at, help_command, of, of->command->variant ? of->command->variant(i) : NULL)

static const void *help_result_at(const void *record, size_t i, void *room)
{
    const help_command *one = record;
    (void)room;
    if (!one->command->results || !one->command->results[i].fields) return NULL;
    for (size_t r = 0; r < one->all->count; r++)
        if (one->all->results[r].result == &one->command->results[i]) return &one->all->results[r];
    return NULL;
}

FIELDS(help_command_fields, help_command,
       FIELD_GET(TEXT, "name", NULL, help_name, "name of the command"),
       FIELD_GET(TEXT, "summary", NULL, help_summary, "what it does"),
       FIELD_GET(TEXT, "synopsis", NULL, help_synopsis, "what follows its name"),
       FIELD_GET(MAP, "arguments", NULL, help_argument_at, "meaning of the arguments",
                 .of = help_term_fields),
       FIELD_GET(LIST, "options", NULL, help_command_option_at, "its options",
                 .of = help_option_fields),
       FIELD_GET(LIST, "results", NULL, help_result_at, "what it prints with --json",
                 .of = help_result_fields),
       FIELD_GET(LIST, "variants", NULL, help_variant_at, "its learners, generators or actions",
                 .of = cli_option_table_fields))

static const cli_command *help_nth(const help *all, size_t i)
{
    return !all->only ? cli_commands[i] : i ? NULL : all->only;
}

GETTER_AT(help_command_at, help, all, help_command, help_nth(all, i), help_nth(all, i), all)

FIELDS(help_fields, help, FIELD(TEXT, "version", NULL, version, "version of halfspace"),
       FIELD_GET(LIST, "commands", NULL, help_command_at, "the commands",
                 .of = help_command_fields))

static const cli_result help_results[] = {{"help", help_fields, 0, 1}, {NULL, NULL, 0, 0}};

/* One command, or all of them when it is NULL. */
static hsp_status help_json(const cli *run, const cli_command *command, hsp_error *err)
{
    help all = {.version = hsp_version(), .only = command};
    for (size_t c = 0; cli_commands[c]; c++)
        for (const cli_result *result = cli_commands[c]->results; result && result->fields;
             result++) {
            all.results = cli_memory(all.results, (all.count + 1) * sizeof *all.results);
            all.results[all.count++] = (help_result){result, cli_result_keys(result)};
        }
    hsp_status status = cli_report(run, help_results, &all, stdout, err);
    for (size_t r = 0; r < all.count; r++)
        cli_keys_free(&all.results[r].keys);
    free(all.results);
    return status;
}

/* ---- The command ---- */

static hsp_status help_run(cli *run, hsp_error *err)
{
    const cli_command *command = NULL;
    const hsp_option_table *variant = NULL;
    const int man = hsp_options_flag(run->options[HELP_HIDDEN], "man");
    if (run->count > 0) command = cli_find_command(run->arguments[0]);
    if (run->count > 0 && !command)
        return cli_fail(err, HSP_USAGE, NULL,
                        "there is no command '%s'; 'halfspace help' lists them", run->arguments[0]);
    if (run->count > 1) variant = cli_find_variant(command, run->arguments[1]);
    if (run->count > 1 && !variant)
        return cli_fail(err, HSP_USAGE, NULL, "'%s' knows no '%s'", command->name,
                        run->arguments[1]);
    if (hsp_options_flag(run->options[HELP_OWN], "schema")) return cli_schema(run, stdout, err);
    if (cli_json(run)) return help_json(run, command, err);
    if (hsp_options_flag(run->options[HELP_HIDDEN], "markdown") && command)
        cli_keys_markdown(stdout, command);
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
    .results = help_results,
    .least = 0,
    .most = 2,
    .run = help_run,
};
