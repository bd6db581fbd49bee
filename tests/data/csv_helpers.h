/* What tests of reading CSV share: the log, a data set as text, texts and what they should become. */
#ifndef HSP_TESTS_DATA_CSV_HELPERS_H
#define HSP_TESTS_DATA_CSV_HELPERS_H

#include "data/helpers.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The sentences of the log, one per line. */
static char heard[8192];

static inline void hear(void *user, hsp_log_level level, const char *sentence)
{
    (void)user;
    size_t used = strlen(heard);
    snprintf(heard + used, sizeof heard - used, "%s%s\n",
             level == HSP_LOG_WARNING ? "WARNING " : "", sentence);
}

/* A data set as text: the features, the classes, then each row; "a b|no yes|no: 1 2|yes: 0 3". */
static inline const char *dump(const hsp_data *data)
{
    static char text[16384];
    size_t used = 0;
    text[0] = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    for (uint64_t j = 0; j < hsp_data_cols(data); j++)
        PUT("%s%s", j ? " " : "", hsp_data_feature_name(data, j));
    PUT("|");
    for (uint32_t c = 0; c < hsp_data_classes(data); c++)
        PUT("%s%s", c ? " " : "", hsp_data_class_name(data, c));
    for (uint64_t i = 0; i < hsp_data_rows(data); i++) {
        PUT("|%s:", data->view.labels ? test_label(data, i) : "");
        for (uint64_t j = 0; j < hsp_data_cols(data); j++)
            PUT(" %g", test_at(data, i, j));
    }
#undef PUT
    return text;
}

static inline hsp_data *parse_with(hsp_context *ctx, const char *text, size_t size,
                                   const char *const *settings, const hsp_encoding *encoding,
                                   hsp_error *err)
{
    hsp_data *data = NULL;
    hsp_options *options = test_read_options(ctx, settings);
    if (!hsp_options_is_set(options, "format") && hsp_options_set(options, "format", "csv", NULL))
        abort();
    hsp_status status = hsp_data_parse(ctx, text, size, "test", options, encoding, err, &data);
    CHECK((status == HSP_OK) == (data != NULL));
    if (data) CHECK(hsp_view_check(ctx, &data->view, NULL) == HSP_OK);
    hsp_options_free(options);
    return data;
}

static inline hsp_data *parse(const char *text, const char *const *settings,
                              const hsp_encoding *encoding, hsp_error *err)
{
    hsp_context *ctx = test_context(1, 0);
    heard[0] = 0;
    hsp_context_set_log(ctx, hear, NULL);
    hsp_data *data = parse_with(ctx, text, strlen(text), settings, encoding, err);
    hsp_context_free(ctx);
    return data;
}

/* Parse and compare with what it should be, or with the error's "line:column: message". */
static inline void expect(const char *text, const char *const *settings, const char *want)
{
    hsp_error err = {0};
    char got[1024];
    hsp_data *data = parse(text, settings, NULL, &err);
    if (data) {
        CHECK_TEXT(dump(data), want);
    } else {
        snprintf(got, sizeof got, "%d:%d: %s", (int)err.line, (int)err.column, err.message);
        CHECK_TEXT(got, want);
    }
    hsp_data_free(data);
}

#endif
