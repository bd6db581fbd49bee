/* The test harness: a test file is a program; each RUN is one test; a failed CHECK fails its test
 * and says where. Every condition is written so that a NaN fails it. */
#ifndef HSP_TESTS_CHECK_H
#define HSP_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures, check_passed, check_failed, check_skipped;
static const char *check_skip_reason;

#define CHECK(cond)                                                                      \
    do {                                                                                 \
        if (!(cond)) {                                                                   \
            check_failures++;                                                            \
            if (check_failures <= 20)                                                    \
                fprintf(stderr, "%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #cond); \
        }                                                                                \
    } while (0)

/* CHECK with a printf-style note that says which case failed. */
#define CHECK_NOTE(cond, ...)                                                            \
    do {                                                                                 \
        if (!(cond)) {                                                                   \
            check_failures++;                                                            \
            if (check_failures <= 20) {                                                  \
                fprintf(stderr, "%s:%d: CHECK failed: %s: ", __FILE__, __LINE__, #cond); \
                fprintf(stderr, __VA_ARGS__);                                            \
                fputc('\n', stderr);                                                     \
            }                                                                            \
        }                                                                                \
    } while (0)

#define CHECK_TEXT(got, want) \
    CHECK_NOTE(strcmp((got), (want)) == 0, "got \"%s\", want \"%s\"", (got), (want))

/* Leave a test that this machine or build cannot run, saying why; it counts as skipped. */
#define CHECK_SKIP(reason)            \
    do {                              \
        check_skip_reason = (reason); \
        return;                       \
    } while (0)

/* One line a test: "ok NAME", "FAILED NAME" or "skipped NAME: why". */
static inline void check_report(const char *test)
{
    if (check_failures) {
        check_failed++;
        printf("FAILED %s\n", test);
    } else if (check_skip_reason) {
        check_skipped++;
        printf("skipped %s: %s\n", test, check_skip_reason);
    } else {
        check_passed++;
        printf("ok %s\n", test);
    }
    fflush(stdout);
}

#define RUN(test)                 \
    do {                          \
        check_failures = 0;       \
        check_skip_reason = NULL; \
        test();                   \
        check_report(#test);      \
    } while (0)

/* The last line of a test program's main. */
static inline int check_done(void)
{
    printf("%d passed, %d failed, %d skipped\n", check_passed, check_failed, check_skipped);
    return check_failed ? 1 : 0;
}

#endif
