/* Data files, certificates of them, and what the checker says. */
#ifndef HSP_TESTS_PROVE_HELPERS_H
#define HSP_TESTS_PROVE_HELPERS_H

#include <math.h>
#include <unistd.h>

#include "check.h"
#include "options.h"
#include "halfspace_all.h"
#ifdef HSP_HAVE_GMP
#include "verify/verify.h"
#define PROVE_GMP 1
#else
#define PROVE_GMP 0
#endif

/* A file of this test's own, with some text. */
typedef struct proved_file {
    char path[64];
    FILE *file;
} proved_file;

static inline proved_file file_new(void)
{
    proved_file made = {.path = "/tmp/halfspace-prove-XXXXXX"};
    const int handle = mkstemp(made.path);
    made.file = handle >= 0 ? fdopen(handle, "w+") : NULL;
    CHECK(made.file != NULL);
    if (!made.file) exit(1);
    return made;
}

static inline void file_free(proved_file *made)
{
    fclose(made->file);
    unlink(made->path);
}

static inline proved_file file_of(const char *text)
{
    proved_file made = file_new();
    fputs(text, made.file);
    fflush(made.file);
    return made;
}

/* Options of a table: name, value, ..., NULL. */
#define options_of(ctx, table, ...) \
    test_options_pairs(ctx, table, (const char *const[]){__VA_ARGS__})

/* Is it accepted? What the checker says is printed when it is not. */
static inline int checker_accepts(const char *text, const char *data, const char *test)
{
#ifdef HSP_HAVE_GMP
    char *copy = strdup(text), *reason = NULL;
    size_t size;
    FILE *certificate = fmemopen(copy, strlen(copy), "r"), *rows = fopen(data, "r");
    FILE *second = test ? fopen(test, "r") : NULL, *why = open_memstream(&reason, &size);
    const int status = halfspace_verify_streams(certificate, rows, second, NULL, why);
    fclose(why);
    if (status) fprintf(stderr, "checker: %s\n", reason);
    fclose(certificate);
    fclose(rows);
    if (second) fclose(second);
    free(reason);
    free(copy);
    return status == 0;
#else
    (void)text, (void)data, (void)test;
    return 0;
#endif
}

/* The number behind "name": " in a certificate; NaN: it has none. */
static inline double member(const char *text, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": \"", name);
    const char *at = text ? strstr(text, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

/* How many pairs are in the list behind "name": . */
static inline uint64_t pairs(const char *text, const char *name)
{
    char key[64];
    uint64_t count = 0;
    snprintf(key, sizeof key, "\"%s\": [", name);
    const char *at = text ? strstr(text, key) : NULL;
    if (!at) return 0;
    for (at += strlen(key); *at && strncmp(at, "]]", 2) != 0; at++)
        count += *at == '[';
    return count;
}

static inline const char *why_not(const hsp_certificate *certificate, const char *claim)
{
    const char *name, *why;
    for (size_t i = 0; (name = hsp_certificate_claim(certificate, i, &why)); i++)
        if (strcmp(name, claim) == 0) return why ? why : "made";
    return "not tried";
}

#endif
