/* Messages on standard error, and errors. */
#include <stdarg.h>

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
    if (!hsp_options_flag(run->common, "quiet")) messages_print("", format, args);
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
