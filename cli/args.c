/* argv against the tables of a command's options: --name value, --name=value, --flag, --no-flag,
 * the short names of a few, and -- before arguments that look like options. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const hsp_option common_options[] = {
    {"json", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "print the result as JSON"},
    {"quiet", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "no progress bar and no notes"},
    {"threads", HSP_OPTION_INTEGER, "0", 0, 256, NULL, "N",
     "number of threads; 0: one per processor. Results do not depend on it"},
    {"memory", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "SIZE",
     "keep resident memory below SIZE (such as 512M or 4G; at least 32M) plus 64 MB; larger data "
     "lies "
     "in temporary files, in the folder TMPDIR or in /var/tmp"},
    {"help", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "print what the command does, and its options"},
};

const hsp_option_table *cli_common_options(void)
{
    static const hsp_option_table table = {"common", "options of every command", common_options,
                                           sizeof common_options / sizeof *common_options};
    return &table;
}

static const struct {
    char letter;
    const char *name;
} args_letters[] = {{'o', "output"}, {'q', "quiet"}, {'h', "help"}};

#define ARGS_LETTERS (sizeof args_letters / sizeof *args_letters)

char cli_letter(const char *option)
{
    for (size_t i = 0; i < ARGS_LETTERS; i++)
        if (strcmp(args_letters[i].name, option) == 0) return args_letters[i].letter;
    return 0;
}

int cli_json(const cli *run)
{
    return hsp_options_flag(run->common, "json");
}

int cli_quiet(const cli *run)
{
    return hsp_options_flag(run->common, "quiet");
}

/* ---- Groups ---- */

const hsp_option_table *cli_group_table(const cli_group *group, const hsp_option_table *variant)
{
    static const hsp_option_table none = {"none", "", NULL, 0};
    if (group->table) return group->table();
    return variant ? variant : &none;
}

size_t cli_all_groups(const cli_command *command, cli_group groups[CLI_GROUPS])
{
    size_t count = 0;
    for (const cli_group *group = command->groups; group->heading || group->table; group++)
        groups[count++] = *group;
    groups[count++] = (cli_group){"Common options", cli_common_options};
    return count;
}

/* ---- Finding an option by its name on the command line ---- */

typedef struct args_found {
    hsp_options *options;
    const hsp_option *option;
} args_found;

static const hsp_option *args_in_table(const hsp_option_table *table, const char *name, size_t size)
{
    for (size_t i = 0; i < table->count; i++)
        if (strlen(table->options[i].name) == size &&
            memcmp(table->options[i].name, name, size) == 0)
            return &table->options[i];
    return NULL;
}

/* The option called name[0..size) in any group. */
static args_found args_find(const cli *run, const char *name, size_t size)
{
    for (size_t g = 0; g < CLI_GROUPS && run->options[g]; g++) {
        const hsp_option *option = args_in_table(hsp_options_table(run->options[g]), name, size);
        if (option) return (args_found){run->options[g], option};
    }
    return (args_found){NULL, NULL};
}

static hsp_status args_unknown(const cli *run, const char *typed, size_t size, hsp_error *err)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(run->command, groups), total = 0;
    const char *names[256];
    char *word = cli_format("%.*s", (int)size, typed), *place = cli_format("--%s", word);
    for (size_t g = 0; g < count; g++) {
        const hsp_option_table *table = hsp_options_table(run->options[g]);
        for (size_t i = 0; groups[g].heading && i < table->count && total < 256; i++)
            names[total++] = table->options[i].name;
    }
    for (size_t v = 0; run->command->variant && !run->variant && run->command->variant(v); v++) {
        const hsp_option_table *table = run->command->variant(v);
        for (size_t i = 0; i < table->count && total < 256; i++)
            names[total++] = table->options[i].name;
    }
    const char *nearest = hsp_nearest(word, names, total);
    for (size_t i = 0; strcmp(word, "target") == 0 && i < total; i++)
        if (strcmp(names[i], "label") == 0) nearest = names[i]; /* its name elsewhere */
    if (strcmp(word, "version") == 0)
        cli_fail(err, HSP_USAGE, place, "it must be the only argument: 'halfspace --version'");
    else if (nearest && strcmp(nearest, word) == 0) /* of a variant, and none was named */
        cli_fail(err, HSP_USAGE, place, "arguments are missing; usage: halfspace %s %s",
                 run->command->name, run->command->synopsis);
    else if (nearest)
        cli_fail(err, HSP_USAGE, place, "there is no such option; did you mean --%s?", nearest);
    else
        cli_fail(err, HSP_USAGE, place, "there is no such option");
    free(place);
    free(word);
    return HSP_USAGE;
}

static hsp_status args_set(const args_found *found, const char *value, hsp_error *err)
{
    return hsp_options_set(found->options, found->option->name, value, err);
}

/* ---- One word of argv ---- */

/* `word` without its dashes; `next` may be NULL. *used is 2 when next was the value. */
static hsp_status args_long(const cli *run, const char *word, const char *next, int *used,
                            hsp_error *err)
{
    const char *equals = strchr(word, '=');
    size_t size = equals ? (size_t)(equals - word) : strlen(word);
    args_found found = args_find(run, word, size);
    if (!found.option && !equals && strncmp(word, "no-", 3) == 0) {
        found = args_find(run, word + 3, size - 3);
        if (found.option && found.option->type == HSP_OPTION_FLAG)
            return args_set(&found, "no", err);
        found.option = NULL;
    }
    if (!found.option) return args_unknown(run, word, size, err);
    if (equals) return args_set(&found, equals + 1, err);
    if (found.option->type == HSP_OPTION_FLAG) return args_set(&found, "yes", err);
    if (next) {
        *used = 2;
        return args_set(&found, next, err);
    }
    char *place = cli_format("--%s", word);
    cli_fail(err, HSP_USAGE, place, "a value must follow");
    free(place);
    return HSP_USAGE;
}

static hsp_status args_short(const cli *run, const char *word, const char *next, int *used,
                             hsp_error *err)
{
    for (size_t i = 0; i < ARGS_LETTERS; i++) {
        const char *name = args_letters[i].name;
        if (word[1] == args_letters[i].letter && !word[2] &&
            args_find(run, name, strlen(name)).option)
            return args_long(run, name, next, used, err);
    }
    return cli_fail(err, HSP_USAGE, word, "there is no such option");
}

/* ---- The name of a variant ---- */

/* An option of the command, or of any of its variants: which one it is, is not known yet. */
static const hsp_option *args_of_command(const cli_command *command, const char *name, size_t size)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(command, groups);
    const hsp_option *found = NULL;
    for (size_t g = 0; !found && g < count; g++)
        if (groups[g].table) found = args_in_table(groups[g].table(), name, size);
    for (size_t i = 0; !found && command->variant(i); i++)
        found = args_in_table(command->variant(i), name, size);
    return found;
}

/* How many words the option takes; 0 when it is not known. */
static int args_words(const cli_command *command, const char *word)
{
    const char *name = word + 2, *equals = strchr(word, '=');
    for (size_t i = 0; word[1] != '-' && i < ARGS_LETTERS; i++)
        if (word[1] == args_letters[i].letter && !word[2]) name = args_letters[i].name;
    if (equals) return 1;
    const hsp_option *option = args_of_command(command, name, strlen(name));
    if (option) return option->type == HSP_OPTION_FLAG ? 1 : 2;
    return strncmp(name, "no-", 3) == 0 && args_of_command(command, name + 3, strlen(name + 3));
}

int cli_first_word(const cli_command *command, int count, char **argv)
{
    for (int i = 0, words; i < count; i += words) {
        if (argv[i][0] != '-' || !argv[i][1]) return i;
        if (strcmp(argv[i], "--") == 0) return i + 1 < count ? i + 1 : -1;
        words = args_words(command, argv[i]);
        if (!words) return -1;
    }
    return -1;
}

/* Join the data files that are more than the arguments of the command. */
static hsp_status args_join(cli *run, hsp_error *err)
{
    const int at = run->command->several - 1, extra = run->count - run->command->most;
    char *joined = cli_format("%s", run->arguments[at]);
    for (int i = at; i <= at + extra; i++) {
        if (strchr(run->arguments[i], '\n')) {
            free(joined);
            return cli_fail(err, HSP_USAGE, NULL,
                            "the name '%s' has a line break in it; such a file must be the only "
                            "one",
                            show_name(run->arguments[i]));
        }
        if (i == at) continue;
        char *longer = cli_format("%s\n%s", joined, run->arguments[i]);
        free(joined);
        joined = longer;
    }
    for (int i = at + 1; i + extra < run->count; i++)
        run->arguments[i] = run->arguments[i + extra];
    run->arguments[at] = run->joined = joined;
    run->count -= extra;
    return HSP_OK;
}

/* ---- The whole ---- */

hsp_status cli_parse(cli *run, int count, char **argv, hsp_error *err)
{
    const cli_command *command = run->command;
    const int variants = command->variant != NULL; /* the variant's name is the first argument */
    cli_group groups[CLI_GROUPS];
    const size_t tables = cli_all_groups(command, groups);
    int only_arguments = 0;
    hsp_status status = HSP_OK;
    for (size_t g = 0; status == HSP_OK && g < tables; g++)
        status = hsp_options_new(run->ctx, cli_group_table(&groups[g], run->variant), err,
                                 &run->options[g]);
    run->common = run->options[tables - 1];
    run->arguments = cli_memory(NULL, ((size_t)count + 1) * sizeof *run->arguments);
    for (int i = 0, used; status == HSP_OK && i < count; i += used) {
        const char *word = argv[i], *next = i + 1 < count ? argv[i + 1] : NULL;
        used = 1;
        if (only_arguments || word[0] != '-' || !word[1])
            run->arguments[run->count++] = word;
        else if (strcmp(word, "--") == 0)
            only_arguments = 1;
        else if (word[1] == '-')
            status = args_long(run, word + 2, next, &used, err);
        else
            status = args_short(run, word, next, &used, err);
    }
    if (status != HSP_OK || hsp_options_flag(run->common, "help")) return status;
    if (variants && !run->variant && run->count == 0) return HSP_OK; /* they are listed */
    if (command->several && run->count > command->most) return args_join(run, err);
    if (run->count > command->most)
        return cli_fail(err, HSP_USAGE, NULL,
                        "'%s' is one argument too many; usage: halfspace %s %s",
                        run->arguments[command->most], command->name, command->synopsis);
    if (run->count < command->least)
        return cli_fail(err, HSP_USAGE, NULL, "%s is missing; usage: halfspace %s %s",
                        command->arguments[run->count + variants].word, command->name,
                        command->synopsis);
    return HSP_OK;
}

void cli_free(cli *run)
{
    for (size_t g = 0; g < CLI_GROUPS; g++)
        hsp_options_free(run->options[g]);
    free(run->joined);
    free(run->arguments);
}

/* ---- Options in messages ---- */

/* The command's first variant that has the option, "" when the command itself does; NULL: neither.
 */
static const char *args_owner(const cli_command *command, const char *name, size_t size)
{
    cli_group groups[CLI_GROUPS];
    const size_t count = cli_all_groups(command, groups);
    for (size_t g = 0; g < count; g++)
        if (groups[g].table && args_in_table(groups[g].table(), name, size)) return "";
    for (size_t i = 0; command->variant && command->variant(i); i++)
        if (args_in_table(command->variant(i), name, size)) return command->variant(i)->name;
    return NULL;
}

/* The library's sentences name options, and several commands may show the same sentence. An option
 * that the running command lacks is useless advice unless the sentence says whose option it is
 * ("train it with --calibrate"). Where it does not, a line here says so. */
void cli_explain_options(const cli *run, const char *sentence)
{
    static const char letters[] = "Cabcdefghijklmnopqrstuvwxyz0123456789-";
    for (const char *at = strstr(sentence, "--"); at; at = strstr(at + 2, "--")) {
        const char *name = at + 2, *owner = NULL, *part = "";
        if (strncmp(name, "no-", 3) == 0) name += 3; /* flags may be negated */
        const size_t size = strspn(name, letters);
        const char *own = args_owner(run->command, name, size);
        int named = 0, learners = 0;
        if (!size || (own && (!run->variant || !*own)))
            continue; /* a variant may not be named yet */
        if (run->variant && args_in_table(run->variant, name, size)) continue;
        for (size_t i = 0; cli_commands[i]; i++) {
            const char *variant = args_owner(cli_commands[i], name, size);
            if (!variant) continue;
            if (!owner) owner = cli_commands[i]->name, part = variant;
            learners |= *variant && strcmp(cli_commands[i]->name, "train") == 0;
            const char *found = strstr(sentence, cli_commands[i]->name); /* before the option? */
            named |= cli_commands[i] != run->command && found && found < at;
        }
        if (!owner || named) continue;
        if (learners && run->variant && args_in_table(run->variant, "set", 3))
            cli_complain("--%.*s is an option of learners: write --set %.*s=VALUE", (int)size, name,
                         (int)size, name);
        else
            cli_complain("--%.*s is an option of 'halfspace %s%s%s', not of 'halfspace %s%s%s'",
                         (int)size, name, owner, *part ? " " : "", part, run->command->name,
                         run->variant ? " " : "", run->variant ? run->variant->name : "");
    }
}
