/* Any text for any option: "name=value" lines. What is taken must be within the option's range, and
 * what is refused must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "halfspace_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hsp_option fuzz_table_options[] = {
    {"real", HSP_OPTION_REAL, "0.5", 0, 1, NULL, "X", ""},
    {"free", HSP_OPTION_REAL, NULL, 0, 0, NULL, "X", ""},
    {"integer", HSP_OPTION_INTEGER, "5", -10, 1e15, NULL, "N", ""},
    {"choice", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dense|sparse", NULL, ""},
    {"text", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "TEXT", ""},
    {"list", HSP_OPTION_LIST, NULL, 0, 0, NULL, "TEXT", ""},
    {"flag", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, ""},
};
static const hsp_option_table fuzz_table = {"fuzz", "", fuzz_table_options, 7};

static void fuzz_must(int condition)
{
    if (!condition) abort();
}

static void fuzz_set(hsp_options *options, char *line)
{
    char *equals = strchr(line, '=');
    hsp_error err = {0};
    if (equals) *equals = 0;
    const char *value = equals ? equals + 1 : "";
    hsp_status status = hsp_options_set(options, line, value, &err);
    fuzz_must(status == HSP_OK || (status == HSP_USAGE && err.message[0]));
    const char *choice = hsp_options_text(options, "choice");
    double real = hsp_options_real(options, "real"), any = hsp_options_real(options, "free");
    int64_t integer = hsp_options_integer(options, "integer");
    fuzz_must(real >= 0 && real <= 1 && any - any == 0);
    fuzz_must(integer >= -10 && integer <= 1000000000000000);
    fuzz_must(!strcmp(choice, "auto") || !strcmp(choice, "dense") || !strcmp(choice, "sparse"));
    if (status == HSP_OK && strcmp(line, "text") == 0)
        fuzz_must(strcmp(hsp_options_text(options, "text"), value) == 0);
    if (status == HSP_OK && strcmp(line, "list") == 0) {
        size_t count = hsp_options_list_count(options, "list");
        fuzz_must(strcmp(hsp_options_list_item(options, "list", count - 1), value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    char *text = malloc(size + 1);
    if (!text || hsp_context_new(NULL, &ctx) != HSP_OK) abort();
    if (hsp_options_new(ctx, &fuzz_table, NULL, &options) != HSP_OK) abort();
    if (size) memcpy(text, data, size);
    text[size] = 0;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        fuzz_set(options, line);
    }
    hsp_options_free(options);
    hsp_context_free(ctx);
    free(text);
    return 0;
}
