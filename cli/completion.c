/* Completion for bash, from the same tables as --help. */
#include <string.h>

#include "cli.h"

static void completion_names(FILE *file, const hsp_option_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        fprintf(file, " --%s", table->options[i].name);
}

/* "--name) words" for options whose value is one of a few words. */
static void completion_values(FILE *file, const hsp_option_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        if (option->type != HSP_OPTION_CHOICE) continue;
        fprintf(file, "        --%s) words=\"", option->name);
        for (const char *p = option->choices; *p; p++)
            fputc(*p == '|' ? ' ' : *p, file);
        fputs("\" ;;\n", file);
    }
}

/* One branch for a command, or for a variant of it. */
static void completion_branch(FILE *file, const cli_command *command,
                              const hsp_option_table *variant)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(command, groups);
    fprintf(file, "    '%s%s%s')\n        words=\"", command->name, variant ? " " : "",
            variant ? variant->name : "");
    for (size_t g = 0; g < count; g++)
        if (groups[g].heading) completion_names(file, cli_group_table(&groups[g], variant));
    fputs("\"\n        case $last in\n", file);
    for (size_t g = 0; g < count; g++)
        if (groups[g].heading) completion_values(file, cli_group_table(&groups[g], variant));
    fputs("        --*) [[ $word == -* ]] || words= ;;\n        esac ;;\n", file);
}

/* The words that may follow `halfspace` or a command with variants. */
static void completion_first_words(FILE *file)
{
    fputs("    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '", file);
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(file, "%s ", cli_commands[i]->name);
    fputs("--help --version' -- \"$word\"))\n        return\n    fi\n", file);
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        if (!command->variant) continue;
        fprintf(file, "    if [[ $command == %s ]]; then\n", command->name);
        fputs("        if ((COMP_CWORD == 2)); then\n            COMPREPLY=($(compgen -W '", file);
        for (size_t v = 0; command->variant(v); v++)
            fprintf(file, "%s ", command->variant(v)->name);
        fputs("--help' -- \"$word\"))\n            return\n        fi\n"
              "        command=\"$command ${COMP_WORDS[2]}\"\n    fi\n",
              file);
    }
}

void cli_completion_bash(FILE *file)
{
    fputs("# Completion of halfspace for bash: source this file, or put it into\n"
          "# share/bash-completion/completions/halfspace.\n"
          "_halfspace()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words=\n",
          file);
    completion_first_words(file);
    fputs("    case $command in\n", file);
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        completion_branch(file, command, NULL);
        for (size_t v = 0; command->variant && command->variant(v); v++)
            completion_branch(file, command, command->variant(v));
    }
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    [[ $word == -* || ${#COMPREPLY[@]} -gt 0 && $last == --* ]] ||\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "}\n"
          "complete -o filenames -F _halfspace halfspace\n",
          file);
}
