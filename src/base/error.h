/* Filling the caller's error object. Each function returns the status it was given, so that a
 * failing call reads `return hsp__fail(err, HSP_USAGE, "...")`. */
#ifndef HSP_BASE_ERROR_H
#define HSP_BASE_ERROR_H

#include <stddef.h>

#include "halfspace_all.h"

#define hsp__fail(err, status, ...) hsp__fail_at(err, status, NULL, 0, 0, __VA_ARGS__)

/* With a place: line and column from 1, or 0 where they make no sense. */
hsp_status hsp__fail_at(hsp_error *err, hsp_status status, const char *file, uint64_t line,
                        uint64_t column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* A value of an option, or a combination of options, that is refused: `option` as typed, "--trace". */
#define hsp__fail_option(err, option, ...) hsp__fail_at(err, HSP_USAGE, option, 0, 0, __VA_ARGS__)

/* Go on if the call succeeded, else return its status. */
#define HSP__TRY(call)                  \
    do {                                \
        const hsp_status try_ = (call); \
        if (try_) return try_;          \
    } while (0)

/* The last line of a function that makes an object: it goes to *out if all went well, else
 * `release` frees it. Returns the status. */
#define HSP__GIVE(status, object, release, out) \
    do {                                        \
        const hsp_status give_ = (status);      \
        if (give_)                              \
            release(object);                    \
        else                                    \
            *(out) = (object);                  \
        return give_;                           \
    } while (0)

/* A failed system call: the message ends in errno's text. */
hsp_status hsp__fail_errno(hsp_error *err, const char *file, const char *what);

/* The pointers that a public call cannot do without: HSP_USAGE with the name of the first that is
 * NULL. */
#define HSP__NEED(err, ...)                                                                   \
    do {                                                                                      \
        const void *const need_[] = {__VA_ARGS__};                                            \
        const hsp_status null_ =                                                              \
            hsp__fail_null(err, __func__, #__VA_ARGS__, need_, sizeof need_ / sizeof *need_); \
        if (null_) return null_;                                                              \
    } while (0)
hsp_status hsp__fail_null(hsp_error *err, const char *call, const char *names,
                          const void *const *pointers, size_t count);

/* This thread asked for so much memory, and got it or not. */
void hsp__error_asked(uint64_t bytes, int met);

/* Out of memory, with how much this thread asked for. */
hsp_status hsp__fail_memory(hsp_error *err);

/* A call ends with `status`: if that is for want of memory, say what it was doing ("reading") and
 * with which file (or NULL), unless a call below has said so. Returns `status`. */
hsp_status hsp__while(hsp_error *err, hsp_status status, const char *doing, const char *file);

/* The bytes `text[0..size)` fit to be quoted in an error: at most 40 of them ("..." behind when
 * there were more), control characters as \xNN. Returns `quoted`. */
#define HSP__QUOTED 192
const char *hsp__quote(const char *text, size_t size, char quoted[HSP__QUOTED]);

#endif
