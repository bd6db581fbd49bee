#include "learn/option_helpers.h"

#include <string.h>

#include "base/decimal.h"

static const hsp_option *option_helpers_find(const hsp_options *options, const char *name)
{
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return &table->options[i];
    return NULL;
}

int hsp__options_have(const hsp_options *options, const char *name)
{
    return option_helpers_find(options, name) != NULL;
}

int hsp__options_say(const hsp_options *options, const char *name, const char *value)
{
    const hsp_option *option = option_helpers_find(options, name);
    if (!option || (option->type != HSP_OPTION_CHOICE && option->type != HSP_OPTION_TEXT)) return 0;
    const char *said = hsp_options_text(options, name);
    return said && strcmp(said, value) == 0;
}

hsp_status hsp__options_put(hsp_options *options, const char *name, const char *value,
                            hsp_error *err)
{
    return hsp__options_have(options, name) ? hsp_options_set(options, name, value, err) : HSP_OK;
}

static hsp_status option_helpers_one(const hsp_options *from, const hsp_option *option,
                                     hsp_options *to, hsp_error *err)
{
    const char *name = option->name;
    char number[HSP__DECIMAL_MAX];
    hsp_status status = HSP_OK;
    switch (option->type) {
    case HSP_OPTION_FLAG:
        return hsp_options_set(to, name, hsp_options_flag(from, name) ? "yes" : "no", err);
    case HSP_OPTION_INTEGER:
        hsp__decimal_print_i64(hsp_options_integer(from, name), number);
        return hsp_options_set(to, name, number, err);
    case HSP_OPTION_REAL:
        hsp__decimal_print_f64(hsp_options_real(from, name), number);
        return hsp_options_set(to, name, number, err);
    case HSP_OPTION_LIST:
        for (size_t i = 0; !status && i < hsp_options_list_count(from, name); i++)
            status = hsp_options_set(to, name, hsp_options_list_item(from, name, i), err);
        return status;
    default:
        return hsp_options_set(to, name, hsp_options_text(from, name), err);
    }
}

hsp_status hsp__options_derive(hsp_context *ctx, const hsp_options *options,
                               const char *const *skip, hsp_error *err, hsp_options **out)
{
    const hsp_option_table *table = hsp_options_table(options);
    hsp_options *made = NULL;
    hsp_status status = hsp_options_new(ctx, table, err, &made);
    for (size_t i = 0; !status && i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        size_t k = 0;
        while (skip[k] && strcmp(skip[k], option->name) != 0)
            k++;
        if (!skip[k] && hsp_options_is_set(options, option->name))
            status = option_helpers_one(options, option, made, err);
    }
    if (status)
        hsp_options_free(made);
    else
        *out = made;
    return status;
}
