#include "learn/option_helpers.h"
#include "base/options.h"

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
            status = hsp__options_copy(made, options, option->name, err);
    }
    if (status)
        hsp_options_free(made);
    else
        *out = made;
    return status;
}
