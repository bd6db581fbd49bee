/* Completion for bash, from the same tables as --help. */
#include <string.h>

#include "cli.h"

/* One branch for a command, or for a variant of it: its options, then those whose value is one of a
 * few words. */
static void completion_branch(FILE *file, const cli_command *command,
                              const hsp_option_table *variant)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(command, groups);
    fprintf(file, "    '%s%s%s')\n        words=\"", command->name, variant ? " " : "",
            variant ? variant->name : "");
    for (int values = 0; values < 2; values++) {
        for (size_t g = 0; g < count; g++) {
            const hsp_option_table *table = cli_group_table(&groups[g], variant);
            for (size_t i = 0; groups[g].heading && i < table->count; i++) {
                const hsp_option *option = &table->options[i];
                if (!values) fprintf(file, " --%s", option->name);
                if (!values || option->type != HSP_OPTION_CHOICE) continue;
                fprintf(file, "        --%s) words=\"", option->name);
                for (const char *p = option->choices; *p; p++)
                    fputc(*p == '|' ? ' ' : *p, file);
                fputs("\" ;;\n", file);
            }
        }
        if (!values) fputs("\"\n        case $last in\n", file);
    }
    fputs("        --*) [[ $word == -* ]] || words= ;;\n        esac ;;\n", file);
}

void cli_completion_bash(FILE *file)
{
    fputs("# Completion of halfspace for bash: source this file, or put it into\n"
          "# share/bash-completion/completions/halfspace.\n"
          "_halfspace()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words=\n"
          "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '",
          file);
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(file, "%s ", cli_commands[i]->name);
    fputs("--help --version' -- \"$word\"))\n        return\n    fi\n", file);
    for (size_t i = 0; cli_commands[i]; i++) { /* the words that follow one with variants */
        const cli_command *command = cli_commands[i];
        if (!command->variant) continue;
        fprintf(file,
                "    if [[ $command == %s ]]; then\n        if ((COMP_CWORD == 2)); then\n"
                "            COMPREPLY=($(compgen -W '",
                command->name);
        for (size_t v = 0; command->variant(v); v++)
            fprintf(file, "%s ", command->variant(v)->name);
        fputs("--help' -- \"$word\"))\n            return\n        fi\n"
              "        command=\"$command ${COMP_WORDS[2]}\"\n    fi\n",
              file);
    }
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
