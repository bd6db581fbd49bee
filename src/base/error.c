#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
    int exit;
} statuses[] = {
#define STATUS_ROW(code, exit_status, text) {#code, text, exit_status},
    HSP_STATUS_MAP(STATUS_ROW){"unknown", "an unknown status", 4}};

/* Its place in the table. */
#define STATUS_AT(status) ((unsigned)(status) < HSP_STATUS_COUNT ? (status) : HSP_STATUS_COUNT)

const char *hsp_status_name(hsp_status status)
{
    return statuses[STATUS_AT(status)].name;
}

const char *hsp_status_text(hsp_status status)
{
    return statuses[STATUS_AT(status)].text;
}

int hsp_status_exit(hsp_status status)
{
    return statuses[STATUS_AT(status)].exit;
}

const char *hsp_version(void)
{
    return HSP_VERSION_STRING;
}

hsp_status hsp__fail_at(hsp_error *err, hsp_status status, const char *file, uint64_t line,
                        uint64_t column, const char *format, ...)
{
    if (!err) return status;
    err->status = status;
    err->line = line;
    err->column = column;
    /* The end of a long path says more than its beginning. */
    const size_t size = file ? strlen(file) : 0, room = sizeof err->file - 1;
    const int cut = size > room;
    snprintf(err->file, sizeof err->file, "%s%s", cut ? "..." : "",
             file ? file + (cut ? size - (room - 3) : 0) : "");
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

hsp_status hsp__fail_errno(hsp_error *err, const char *file, const char *what)
{
    int code = errno;
    char reason[128] = "unknown reason";
#if defined(__GLIBC__)
    return hsp__fail_at(err, HSP_IO, file, 0, 0, "%s: %s", what,
                        strerror_r(code, reason, sizeof reason));
#else
    strerror_r(code, reason, sizeof reason);
    return hsp__fail_at(err, HSP_IO, file, 0, 0, "%s: %s", what, reason);
#endif
}

hsp_status hsp__fail_null(hsp_error *err, const char *call, const char *names,
                          const void *const *pointers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t size = strcspn(names, ",");
        if (!pointers[i])
            return hsp__fail(err, HSP_USAGE, "%s: the argument '%.*s' is NULL", call, (int)size,
                             names);
        names += size + strspn(names + size, ", ");
    }
    return HSP_OK;
}

/* The size of this thread's last request that was not met, until one as large is. */
static _Thread_local uint64_t error_refused;

void hsp__error_asked(uint64_t bytes, int met)
{
    if (!met)
        error_refused = bytes;
    else if (error_refused <= bytes)
        error_refused = 0;
}

hsp_status hsp__fail_memory(hsp_error *err)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double size = (double)error_refused;
    size_t unit = 0;
    if (!error_refused) return hsp__fail(err, HSP_NO_MEMORY, "out of memory");
    for (; size >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1000;
    return hsp__fail(err, HSP_NO_MEMORY, "out of memory: asked for %.*f %s", unit > 0, size,
                     units[unit]);
}

hsp_status hsp__while(hsp_error *err, hsp_status status, const char *doing, const char *file)
{
    static const char plain[] = "out of memory", said[] = "out of memory while";
    char message[sizeof err->message];
    if (status != HSP_NO_MEMORY || !err || strncmp(err->message, plain, sizeof plain - 1) != 0 ||
        strncmp(err->message, said, sizeof said - 1) == 0)
        return status;
    memcpy(message, err->message, sizeof message);
    return hsp__fail_at(err, status, file, 0, 0, "%s %s%s", said, doing,
                        message + sizeof plain - 1);
}

char *hsp_error_text(const hsp_error *err, char *buffer, size_t size)
{
    if (!err || !buffer) return NULL;
    char place[48] = "";
    const unsigned long long line = err->line, column = err->column;
    if (line && column)
        snprintf(place, sizeof place, ":%llu:%llu", line, column);
    else if (line)
        snprintf(place, sizeof place, ":%llu", line);
    const int in_file = err->file[0] != 0;
    snprintf(buffer, size, "%s%s%s%s", err->file, in_file ? place : "", in_file ? ": " : "",
             err->message);
    return buffer;
}

const char *hsp__quote(const char *text, size_t size, char quoted[HSP__QUOTED])
{
    const size_t most = 40;
    size_t used = 0;
    for (size_t i = 0; i < size && i < most; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f)
            used += (size_t)snprintf(quoted + used, HSP__QUOTED - used, "\\x%02x", c);
        else
            quoted[used++] = (char)c;
    }
    if (size > most) {
        memcpy(quoted + used, "...", 3);
        used += 3;
    }
    quoted[used] = 0;
    return quoted;
}
