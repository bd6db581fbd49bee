/* Options for tests, of any table (a learner's: hsp_learner_find("svm")), from "name=value" words or pairs of name
 * and value. Words that a table refuses are a mistake in the test: it ends. */
#ifndef HSP_TESTS_OPTIONS_H
#define HSP_TESTS_OPTIONS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halfspace_all.h"

/* Set one "name=value" word. */
static inline hsp_status test_options_set(hsp_options *options, const char *word, hsp_error *err)
{
    char name[64];
    const char *equals = strchr(word, '=');
    if (!equals) abort();
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    return hsp_options_set(options, name, equals + 1, err);
}

/* HSP_OK or HSP_NO_MEMORY, for tests in which allocations fail; ends the test otherwise. */
static inline hsp_status test_options_must(hsp_status status, const hsp_error *err)
{
    if (!status || status == HSP_NO_MEMORY) return status;
    fprintf(stderr, "options: %s\n", err->message);
    abort();
}

/* Options of a table from words ended by NULL; words == NULL: the defaults. NULL: no memory. */
static inline hsp_options *test_options_words(hsp_context *ctx, const hsp_option_table *table,
                                              const char *const *words)
{
    hsp_options *options = NULL;
    hsp_error err = {0};
    hsp_status status = test_options_must(hsp_options_new(ctx, table, &err, &options), &err);
    for (; !status && words && *words; words++)
        status = test_options_must(test_options_set(options, *words, &err), &err);
    if (!status) return options;
    hsp_options_free(options);
    return NULL;
}

/* The same from one text: "C=2 loss=squared". */
static inline hsp_options *test_options(hsp_context *ctx, const hsp_option_table *table,
                                        const char *text)
{
    char copy[512], *rest = copy;
    const char *words[64], **end = words;
    snprintf(copy, sizeof copy, "%s", text);
    while (end < words + 63 && (*end = strtok_r(rest, " ", &rest)))
        end++;
    *end = NULL;
    return test_options_words(ctx, table, words);
}

/* The same from pairs of name and value, ended by NULL. */
static inline hsp_options *test_options_pairs(hsp_context *ctx, const hsp_option_table *table,
                                              const char *const *pairs)
{
    hsp_error err = {0};
    hsp_options *options = test_options_words(ctx, table, NULL);
    for (; options && pairs && *pairs; pairs += 2)
        if (test_options_must(hsp_options_set(options, pairs[0], pairs[1], &err), &err)) {
            hsp_options_free(options);
            return NULL;
        }
    return options;
}

#endif
