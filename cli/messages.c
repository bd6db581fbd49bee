/* Messages on standard error, and errors. */
#include <stdarg.h>
#include <stdlib.h>

#include "cli.h"

static void messages_print(const char *before, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void messages_print(const char *before, const char *format, va_list args)
{
    char text[4096], *long_text = NULL;
    va_list again;
    va_copy(again, args);
    const int size = vsnprintf(text, sizeof text, format, args);
    if (size >= (int)sizeof text) {
        long_text = cli_memory(NULL, (size_t)size + 1);
        vsnprintf(long_text, (size_t)size + 1, format, again);
    }
    va_end(again);
    cli_progress_clear();
    /* in one piece: other processes of a job write to the same terminal */
    fprintf(stderr, "halfspace: %s%s\n", before, long_text ? long_text : text);
    free(long_text);
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

/* ---- Errors as JSON ---- */

int cli_put(void *file, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, file) != size;
}

typedef struct cli_error {
    const hsp_error *err;
    int exit_status;
} cli_error;

/* What the library says of a wrong option stands where the name of a file would. */
GETTER_NEW(error_exit, cli_error, error, uint64_t, (uint64_t)error->exit_status)
GETTER(error_name, cli_error, error, hsp_status_name(error->err->status))
GETTER(error_message, cli_error, error, error->err->message)
GETTER(error_option, cli_error, error, error->err->file[0] == '-' ? error->err->file : NULL)
GETTER(error_file, cli_error, error,
       error->err->file[0] && error->err->file[0] != '-' ? error->err->file : NULL)
GETTER_NEW(error_line, cli_error, error, uint64_t, error->err->line ? error->err->line : UINT64_MAX)
GETTER_NEW(error_column, cli_error, error, uint64_t,
           error->err->column ? error->err->column : UINT64_MAX)

FIELDS(error_fields, cli_error,
       FIELD_GET(COUNT, "status", NULL, error_exit, "the exit status of the command"),
       FIELD_GET(TEXT, "name", NULL, error_name,
                 "the status in C: HSP_USAGE, HSP_BAD_DATA, HSP_NO_MEMORY, HSP_IO, "
                 "HSP_UNSUPPORTED, HSP_TIME_LIMIT or HSP_CANCELLED"),
       FIELD_GET(TEXT, "message", NULL, error_message, "what is wrong, and what to do"),
       FIELD_GET(TEXT, "option", NULL, error_option, "the option that cannot be used as given",
                 .when = "null if it is not an option"),
       FIELD_GET(TEXT, "file", NULL, error_file, "the file in which it is wrong",
                 .when = "null if it is not a file"),
       FIELD_GET(COUNT, "line", NULL, error_line, "the line of the file, from 1",
                 .when = "null if not known"),
       FIELD_GET(COUNT, "column", NULL, error_column, "the column in that line, from 1, in bytes",
                 .when = "null if not known"))

GETTER(error_itself, cli_error, error, error)
FIELDS(error_report_fields, cli_error,
       FIELD_GET(OBJECT, "error", NULL, error_itself, "why there is no result", .of = error_fields))

const cli_result cli_error_result = {"error", error_report_fields, 0, 1};

void cli_error_json(const hsp_error *err, int exit_status)
{
    const cli_error error = {err, exit_status};
    hsp_context *ctx = NULL;
    if (hsp_context_new(NULL, &ctx) == HSP_OK)
        hsp_report_json(ctx, error_report_fields(), &error, cli_put, stdout, NULL);
    hsp_context_free(ctx);
}
