/* The checker counts in 64 bits (verify/core/core.h), and WebAssembly has 32: included before each of its
 * files, this makes size_t and long 64 bits wide there. Its calls of the C library keep their meaning:
 * a request for more memory than there can be fails, and formats say what they get. */
#ifndef HSP_WEB_WIDE_H
#define HSP_WEB_WIDE_H

#include <errno.h>
#include <gmp.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The compiler knows formats by the types that these were. */
#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wkeyword-macro"

static inline void *wide_calloc(uint64_t count, uint64_t size)
{
    return size && count > PTRDIFF_MAX / size ? NULL : calloc((size_t)count, (size_t)size);
}

/* %zu, %ld and %lu become %llu, %lld and %llu; the formats are the checker's own, and short. */
static inline const char *wide_format(const char *from, char *to, size_t room)
{
    char *out = to;
    int inside = 0;
    for (; *from && out + 3 < to + room; from++) {
        if (inside && (*from == 'z' || *from == 'l')) *out++ = 'l';
        *out++ = inside && *from == 'z' ? 'l' : *from;
        inside = inside ? !strchr("diuxscfge%", *from) : *from == '%';
    }
    if (*from) abort();
    *out = 0;
    return to;
}

static inline int wide_vfprintf(FILE *file, const char *format, va_list list)
{
    char text[1024];
    return vfprintf(file, wide_format(format, text, sizeof text), list);
}

static inline int wide_fprintf(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int status = wide_vfprintf(file, format, list);
    va_end(list);
    return status;
}

static inline int wide_snprintf(char *to, uint64_t size, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    const int status = vsnprintf(to, (size_t)size, wide_format(format, text, sizeof text), list);
    va_end(list);
    return status;
}

typedef uint64_t wide_size;

#undef SIZE_MAX
#define SIZE_MAX         UINT64_MAX
#define calloc           wide_calloc
#define fprintf          wide_fprintf
#define vfprintf         wide_vfprintf
#define snprintf         wide_snprintf
#define sprintf(to, ...) wide_snprintf(to, INT_MAX, __VA_ARGS__)
#define size_t           wide_size
#define long long long
#define labs llabs
#pragma clang poison malloc realloc vsprintf vsnprintf vprintf

#endif
