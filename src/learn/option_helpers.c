#include "learn/option_helpers.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/options.h"

int hsp__options_have(const hsp_options *options, const char *name)
{
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return 1;
    return 0;
}

int hsp__option_set(const hsp_options *options, const char *name)
{
    return hsp__options_have(options, name) && hsp_options_is_set(options, name);
}

const char *hsp__option_text(const hsp_options *options, const char *name)
{
    return hsp__options_have(options, name) ? hsp_options_text(options, name) : NULL;
}

int hsp__option_flag(const hsp_options *options, const char *name)
{
    return hsp__options_have(options, name) && hsp_options_flag(options, name);
}

uint64_t hsp__option_integer(const hsp_options *options, const char *name, uint64_t otherwise)
{
    if (!hsp__options_have(options, name)) return otherwise;
    const int64_t value = hsp_options_integer(options, name);
    assert(value >= 0 && "a learner's whole numbers count something");
    return (uint64_t)value;
}

double hsp__option_real(const hsp_options *options, const char *name, double otherwise)
{
    return hsp__options_have(options, name) ? hsp_options_real(options, name) : otherwise;
}

int hsp__option_is(const hsp_options *options, const char *name, const char *value)
{
    const char *text = hsp__option_text(options, name);
    return text && strcmp(text, value) == 0;
}

int hsp__option_choice(const hsp_options *options, const char *name, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (hsp__option_is(options, name, words[i])) return i;
    return 0;
}

hsp_tie hsp__option_tie(const hsp_options *options)
{
    static const char *const ties[] = {"neg", "pos", "zero", NULL};
    return (hsp_tie)hsp__option_choice(options, "tie", ties);
}

hsp_status hsp__options_without(hsp_context *ctx, const hsp_options *options,
                                const char *const *skip, hsp_error *err, hsp_options **out)
{
    hsp_options *made = NULL;
    hsp_status status = hsp_options_copy(ctx, options, err, &made);
    for (size_t k = 0; !status && skip[k]; k++)
        if (hsp__options_have(made, skip[k])) status = hsp__options_reset(made, skip[k], err);
    if (status) hsp_options_free(made);
    if (!status) *out = made;
    return status;
}

void hsp__option_json(hsp__text *text, const hsp_options *options, const hsp_option *option)
{
    const char *value;
    const int number = option->type == HSP_OPTION_INTEGER || option->type == HSP_OPTION_REAL;
    if (number && !option->fallback && !hsp_options_is_set(options, option->name)) {
        hsp__text_puts(text, "null");
        return;
    }
    switch (option->type) {
    case HSP_OPTION_FLAG:
        hsp__text_puts(text, hsp_options_flag(options, option->name) ? "true" : "false");
        return;
    case HSP_OPTION_INTEGER:
        value = hsp__option_word(option, hsp_options_integer(options, option->name));
        if (value)
            hsp__json_put_string(text, value, strlen(value));
        else
            hsp__text_printf(text, "%lld", (long long)hsp_options_integer(options, option->name));
        return;
    case HSP_OPTION_REAL:
        hsp__json_put_number(text, hsp_options_real(options, option->name));
        return;
    case HSP_OPTION_CHOICE:
    case HSP_OPTION_TEXT:
        value = hsp_options_text(options, option->name);
        if (value)
            hsp__json_put_string(text, value, strlen(value));
        else
            hsp__text_puts(text, "null");
        return;
    case HSP_OPTION_LIST:
        hsp__text_puts(text, "[");
        for (size_t i = 0; i < hsp_options_list_count(options, option->name); i++) {
            value = hsp_options_list_item(options, option->name, i);
            if (i) hsp__text_puts(text, ",");
            hsp__json_put_string(text, value, strlen(value));
        }
        hsp__text_puts(text, "]");
        return;
    }
}
