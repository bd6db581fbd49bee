/* halfspace help [COMMAND [VARIANT]]: what --help prints. Hidden: --man, the manual page instead.
 */
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

static hsp_status help_run(cli *run, hsp_error *err)
{
    int man = hsp_options_flag(run->options[0], "man");
    const hsp_option_table *variant = NULL;
    if (run->count == 0) {
        (man ? cli_man_overview : cli_help_overview)(stdout);
        return HSP_OK;
    }
    const cli_command *command = cli_find_command(run->arguments[0]);
    if (!command)
        return cli_fail(err, HSP_USAGE, NULL,
                        "there is no command '%s'; 'halfspace help' lists them", run->arguments[0]);
    if (run->count > 1) {
        variant = cli_find_variant(command, run->arguments[1]);
        if (!variant)
            return cli_fail(err, HSP_USAGE, NULL, "'%s' knows no '%s'", command->name,
                            run->arguments[1]);
    }
    if (man)
        cli_man_command(stdout, command);
    else
        cli_help_command(stdout, command, variant);
    return HSP_OK;
}

static const cli_term help_arguments[] = {{"COMMAND", "a command; without one, they are listed"},
                                          {"GENERATOR", "of make: one generator's options"},
                                          {NULL, NULL}};

const cli_command cli_help = {
    .name = "help",
    .summary = "say what a command does, and list its options",
    .synopsis = "[COMMAND [GENERATOR]]",
    .description = "Print what a command does, its arguments and its options.",
    .arguments = help_arguments,
    .groups = help_groups,
    .least = 0,
    .most = 2,
    .run = help_run,
};
