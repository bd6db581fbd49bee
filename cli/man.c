/* Manual pages in roff, from the same tables as --help. Printed by the hidden `help --man`. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define MAN_DATE "2026-11-15" /* of the text, not of the build: a build is the same every day */
#define MAN_LINE 60           /* columns of the source, more or less */

/* One character, when roff would read it as something else. */
static void man_character(FILE *file, char c, int starts_line)
{
    if (starts_line && (c == '.' || c == '\'')) fputs("\\&", file);
    if (c == '\\')
        fputs("\\e", file);
    else if (c == '-')
        fputs("\\-", file);
    else
        fputc(c, file);
}

/* Paragraphs: an empty line begins another one. Long lines are broken between words. */
static void man_text(FILE *file, const char *text)
{
    int at = 0;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", file);
            text++;
            at = 0;
        } else if (*text == '\n' || (*text == ' ' && at >= MAN_LINE)) {
            fputc('\n', file);
            at = 0;
        } else {
            man_character(file, *text, at++ == 0);
        }
    }
    fputc('\n', file);
}

static void man_title(FILE *file, const char *name, const char *summary)
{
    fprintf(file, ".TH %s 1 \"%s\" \"halfspace %s\" \"halfspace\"\n.SH NAME\n", name, MAN_DATE,
            hsp_version());
    man_text(file, summary);
}

static void man_entry(FILE *file, const char *head, const char *text)
{
    fputs(".TP\n\\fB", file);
    for (const char *p = head; *p; p++)
        man_character(file, *p, 0);
    fputs("\\fR\n", file);
    man_text(file, text);
}

static void man_terms(FILE *file, const char *heading, const cli_term *terms)
{
    if (!terms) return;
    fprintf(file, ".SH %s\n", heading);
    for (; terms->word; terms++)
        man_entry(file, terms->word, terms->meaning);
}

/* Every key of what it prints, "key (type)". */
static void man_results(FILE *file, const cli_command *command)
{
    for (const cli_result *result = command->results; result && result->fields; result++) {
        cli_keys keys = cli_result_keys(result);
        if (result == command->results) fputs(".SH JSON OUTPUT\n", file);
        if (command->results[1].fields) fprintf(file, ".SS halfspace %s\n", result->name);
        for (size_t i = 0; i < keys.count; i++) {
            const cli_key *key = &keys.list[i];
            char *text = key->name ? cli_format("(%s) %s.", key->type, key->meaning)
                                   : cli_format("%s:", key->meaning);
            if (key->name) {
                man_entry(file, key->name, text);
            } else {
                fputs(".PP\n", file);
                man_text(file, text);
            }
            free(text);
        }
        cli_keys_free(&keys);
    }
}

static void man_group(FILE *file, const hsp_option_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        char *head = cli_option_head(option), *help = cli_option_text(option);
        char *text = cli_format("%s.", help);
        man_entry(file, head, text);
        free(text);
        free(help);
        free(head);
    }
}

static const cli_term man_environment[] = {
    {"HSP_SIMD", "Which instruction set the numeric routines use: scalar, avx2 or avx512. The "
                 "default is the best one this processor has."},
    {"NO_COLOR", "When set and not empty, the progress bar has no colours."},
    {"TERM", "When it is dumb or not set, there is no progress bar."},
    {NULL, NULL}};

static void man_exit_status(FILE *file)
{
#define MAN_STATUS(code, exit_status, text) {exit_status, text},
    static const struct {
        int status;
        const char *text;
    } statuses[] = {HSP_STATUS_MAP(MAN_STATUS)};
    fputs(".SH EXIT STATUS\n", file);
    int last = -1;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", statuses[i].status);
        char *text =
            cli_format("%s%s.", statuses[i].status == last ? "or: " : "", statuses[i].text);
        if (statuses[i].status == last)
            man_text(file, text);
        else
            man_entry(file, number, text);
        if (statuses[i].status == 0)
            man_entry(file, "1", "the answer is no (a claim that does not hold).");
        last = statuses[i].status;
        free(text);
    }
}

void cli_man_command(FILE *file, const cli_command *command)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(command, groups);
    char *title = cli_format("HALFSPACE-%s", command->name);
    for (char *p = title; *p; p++)
        if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
    char *summary = cli_format("halfspace-%s - %s", command->name, command->summary);
    man_title(file, title, summary);
    fprintf(file, ".SH SYNOPSIS\n.B halfspace %s\n", command->name);
    man_text(file, command->synopsis);
    fputs(".SH DESCRIPTION\n", file);
    man_text(file, command->description);
    man_terms(file, "ARGUMENTS", command->arguments);
    fputs(".SH OPTIONS\n", file);
    for (size_t g = 0; g < count; g++) {
        if (!groups[g].heading) continue;
        if (groups[g].table) {
            fprintf(file, ".SS %s\n", groups[g].heading);
            man_group(file, groups[g].table());
            continue;
        }
        for (size_t i = 0; command->variant(i); i++) {
            fprintf(file, ".SS \"%s %s\"\n", command->variant_word, command->variant(i)->name);
            char *about = cli_format("%s.", command->variant(i)->summary);
            man_text(file, about);
            free(about);
            man_group(file, command->variant(i));
        }
    }
    man_results(file, command);
    man_exit_status(file);
    man_terms(file, "EXAMPLES", command->examples);
    fputs(".SH SEE ALSO\n.BR halfspace (1)\n", file);
    free(summary);
    free(title);
}

void cli_man_overview(FILE *file)
{
    man_title(file, "HALFSPACE", "halfspace - learn linear separators, and prove what is claimed");
    fputs(".SH SYNOPSIS\n.B halfspace\n", file);
    man_text(file, "COMMAND [arguments] [options]");
    fputs(".SH DESCRIPTION\n", file);
    man_text(file,
             "A command for data with labels: look at it, bring it into another format, split it, "
             "scale it, make it with a known truth.\n\n"
             "Results go to standard output, everything else to standard error. The name - is "
             "standard input or standard output. Files are written to a temporary name and "
             "renamed: a killed run leaves the old file or the new one, never half of one.\n\n"
             "An error names file, line and column, says what was found and what was expected.");
    fputs(".SH COMMANDS\n", file);
    for (size_t i = 0; cli_commands[i]; i++) {
        char *text =
            cli_format("%s. See halfspace-%s(1).", cli_commands[i]->summary, cli_commands[i]->name);
        man_entry(file, cli_commands[i]->name, text);
        free(text);
    }
    fputs(".SH OPTIONS\n", file);
    man_entry(file, "--help", "List the commands; behind a command, its options.");
    man_entry(file, "--version", "Print the version.");
    man_entry(file, "--completion bash", "Print completions to be sourced by a shell.");
    man_exit_status(file);
    man_terms(file, "ENVIRONMENT", man_environment);
    fputs(".SH SEE ALSO\n", file);
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(file, ".BR halfspace\\-%s (1)%s\n", cli_commands[i]->name,
                cli_commands[i + 1] ? "," : "");
}
