/* Messages on standard error, and errors. */
#include <stdarg.h>
#include <string.h>

#include "cli.h"

static void messages_print(const char *before, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void messages_print(const char *before, const char *format, va_list args)
{
    cli_progress_clear();
    fprintf(stderr, "halfspace: %s", before);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_say(const cli *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!cli_quiet(run)) messages_print("", format, args);
    va_end(args);
}

void cli_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    messages_print("warning: ", format, args);
    va_end(args);
}

void cli_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    messages_print("", format, args);
    va_end(args);
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

/* ---- Options in messages ---- */

/* The library's sentences name options, and several commands may show the same sentence. An option
 * that the running command lacks is useless advice unless the sentence says whose option it is
 * ("train it with --calibrate"). Where it does not, a line here says so. */

static int messages_table_has(const hsp_option_table *table, const char *name, size_t size)
{
    for (size_t i = 0; table && i < table->count; i++)
        if (strlen(table->options[i].name) == size &&
            strncmp(table->options[i].name, name, size) == 0)
            return 1;
    return 0;
}

/* Does the command have it, by itself or by the variant? */
static int messages_has(const cli_command *command, const hsp_option_table *variant,
                        const char *name, size_t size)
{
    if (messages_table_has(cli_common_options(), name, size)) return 1;
    for (size_t i = 0; command->groups && (command->groups[i].heading || command->groups[i].table);
         i++)
        if (command->groups[i].table && messages_table_has(command->groups[i].table(), name, size))
            return 1;
    return messages_table_has(variant, name, size);
}

/* The command's first variant that has it, "" when the command itself does; NULL: neither. */
static const char *messages_variant(const cli_command *command, const char *name, size_t size)
{
    if (messages_has(command, NULL, name, size)) return "";
    for (size_t i = 0; command->variant && command->variant(i); i++)
        if (messages_table_has(command->variant(i), name, size)) return command->variant(i)->name;
    return NULL;
}

void cli_explain_options(const cli *run, const char *sentence)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    for (const char *at = strstr(sentence, "--"); at; at = strstr(at + 2, "--")) {
        const char *name = at + 2, *owner = NULL, *part = "";
        if (strncmp(name, "no-", 3) == 0) name += 3; /* flags may be negated */
        const size_t size = strspn(name, letters);
        int named = 0;
        if (!size || messages_has(run->command, run->variant, name, size)) continue;
        if (!run->variant && messages_variant(run->command, name, size))
            continue; /* not named yet */
        for (size_t i = 0; cli_commands[i]; i++) {
            const char *variant = messages_variant(cli_commands[i], name, size);
            if (!variant) continue;
            if (!owner) owner = cli_commands[i]->name, part = variant;
            const char *found = strstr(sentence, cli_commands[i]->name); /* before the option? */
            named |= cli_commands[i] != run->command && found && found < at;
        }
        if (!owner || named) continue;
        cli_complain("--%.*s is an option of 'halfspace %s%s%s', not of 'halfspace %s%s%s'",
                     (int)size, name, owner, *part ? " " : "", part, run->command->name,
                     run->variant ? " " : "", run->variant ? run->variant->name : "");
    }
}
