/* --help: everything in it comes from the tables that the command line itself is read with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define HELP_WIDTH  88 /* of a line */
#define HELP_INDENT 26 /* where the text next to an option begins */

/* ---- One option ---- */

char *cli_option_head(const hsp_option *option)
{
    char letter = cli_letter(option->name), before[8] = "";
    if (letter) snprintf(before, sizeof before, "-%c, ", letter);
    if (option->type == HSP_OPTION_FLAG) {
        int on = option->fallback && strcmp(option->fallback, "yes") == 0;
        return cli_format("%s--%s%s", before, on ? "[no-]" : "", option->name);
    }
    const char *value = option->meta ? option->meta : option->choices ? option->choices : "VALUE";
    return cli_format("%s--%s %s", before, option->name, value);
}

static int help_is_bounded(double bound)
{
    return isfinite(bound) && fabs(bound) < 0x1p63;
}

/* "0 to 1", "at least 1", or "". Whole numbers have all their digits. */
static char *help_range(const hsp_option *option)
{
    char low[32], high[32];
    int below = help_is_bounded(option->min), above = help_is_bounded(option->max);
    int whole = option->type == HSP_OPTION_INTEGER;
    snprintf(low, sizeof low, whole ? "%.0f" : "%.10g", option->min + (option->choices != NULL));
    snprintf(high, sizeof high, whole ? "%.0f" : "%.10g", option->max);
    if (!(option->min < option->max) || (!below && !above)) return cli_format("%s", "");
    if (option->choices) return cli_format("%s, or at least %s", option->choices, low);
    if (!above) return cli_format("at least %s", low);
    if (!below) return cli_format("at most %s", high);
    return cli_format("%s to %s", low, high);
}

char *cli_option_text(const hsp_option *option)
{
    const char *fallback = option->fallback;
    if (option->type == HSP_OPTION_LIST)
        return cli_format("%s (may be given several times)", option->help);
    char *range = help_range(option);
    char *text = fallback || range[0]
                     ? cli_format("%s (%s%s%s%s)", option->help, fallback ? "default " : "",
                                  fallback ? fallback : "", fallback && range[0] ? "; " : "", range)
                     : cli_format("%s", option->help);
    free(range);
    return text;
}

/* ---- Wrapped text ---- */

/* Words of `text` from column `at` on, wrapped, later lines indented. An empty line stays one. */
static void help_wrap(FILE *file, const char *text, int at, int indent)
{
    int start = 1;
    while (*text) {
        size_t size = strcspn(text, " \n");
        if (size && !start && at + 1 + (int)size > HELP_WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        } else if (size && !start) {
            fputc(' ', file);
            at++;
        }
        fwrite(text, 1, size, file);
        at += (int)size;
        start = 0;
        text += size;
        if (text[0] == '\n' && text[1] == '\n') {
            fprintf(file, "\n\n%*s", indent, "");
            at = indent;
            start = 1;
        }
        text += strspn(text, " \n");
    }
    fputc('\n', file);
}

static void help_entry(FILE *file, const char *head, const char *text)
{
    int at = fprintf(file, "  %s", head);
    if (at + 2 > HELP_INDENT) {
        fputc('\n', file);
        at = 0;
    }
    fprintf(file, "%*s", HELP_INDENT - at, "");
    help_wrap(file, text, HELP_INDENT, HELP_INDENT);
}

void cli_help_table(FILE *file, const char *heading, const hsp_option_table *table)
{
    if (!table->count) return;
    fprintf(file, "\n%s:\n", heading);
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        char *head = cli_option_head(option), *text = cli_option_text(option);
        help_entry(file, head, text);
        free(text);
        free(head);
    }
}

/* ---- Pages ---- */

void cli_help_variants(FILE *file, const cli_command *command)
{
    if (!command->variant) return;
    fprintf(file, "\n%c%ss:\n", command->variant_word[0] - 'a' + 'A', command->variant_word + 1);
    for (size_t i = 0; command->variant(i); i++)
        help_entry(file, command->variant(i)->name, command->variant(i)->summary);
}

void cli_help_command(FILE *file, const cli_command *command, const hsp_option_table *variant)
{
    cli_group groups[CLI_GROUPS];
    size_t count = cli_all_groups(command, groups);
    const char *files = variant && command->variant_files ? command->variant_files(variant) : "";
    if (variant)
        fprintf(file, "Usage: halfspace %s %s %s%s%s\n\n%s: %s.\n", command->name, variant->name,
                files, *files ? " " : "", command->variant_synopsis, variant->name,
                variant->summary);
    else
        fprintf(file, "Usage: halfspace %s %s\n\n", command->name, command->synopsis);
    if (!variant) help_wrap(file, command->description, 0, 0);
    const cli_term *terms = command->arguments ? command->arguments + (variant != NULL) : NULL;
    if (terms && terms->word) fputs("\nArguments:\n", file);
    for (; terms && terms->word; terms++)
        help_entry(file, terms->word, terms->meaning);
    if (!variant) cli_help_variants(file, command);
    for (size_t g = 0; g < count; g++)
        if (groups[g].heading)
            cli_help_table(file, groups[g].heading, cli_group_table(&groups[g], variant));
    if (variant) return;
    if (command->examples) fputs("\nExamples:\n", file);
    for (const cli_term *term = command->examples; term && term->word; term++)
        fprintf(file, "  %s\n      %s\n", term->word, term->meaning);
    if (command->results)
        fprintf(file, "\nThe keys of --json are in the manual page, halfspace-%s(1).\n",
                command->name);
}

void cli_help_overview(FILE *file)
{
    fputs("Usage: halfspace COMMAND [arguments] [options]\n\n"
          "Learn linear separators, and prove what is claimed.\n\nCommands:\n",
          file);
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(file, "  %-11s%s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fputs("\n'halfspace COMMAND --help' says more about one; 'halfspace --version' prints the "
          "version.\n"
          "Results go to standard output, everything else to standard error; - is either.\n",
          file);
}
