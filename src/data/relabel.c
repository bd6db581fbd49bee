/* Other classes for the same rows: some of them, in another order, or one against the rest. */
#include "base/base.h"
#include "data/data.h"
#include "data/formats.h"

#define RELABEL_REST "rest"

/* The class that a user means: by its canonical name, "+1" for "1". */
static hsp_status relabel_find(const hsp_data *data, const char *label, hsp_error *err,
                               uint32_t *found)
{
    hsp__names canonical;
    uint32_t number;
    hsp__names_init(&canonical, &data->memory);
    hsp__label_result result = hsp__label_add(&canonical, label, strlen(label), &number);
    *found = HSP__NAME_NONE;
    if (result == HSP__LABEL_OK)
        *found = hsp__names_find(&data->class_names, hsp__names_get(&canonical, number),
                                 hsp__names_size(&canonical, number));
    hsp__names_free(&canonical);
    if (result == HSP__LABEL_NO_MEMORY) return hsp__fail_memory(err);
    if (*found != HSP__NAME_NONE) return HSP_OK;
    char quoted[HSP__QUOTED];
    const uint32_t classes = data->class_names.count;
    return hsp__fail(err, HSP_USAGE, "there is no class '%s' in the data (%u classes%s%s%s)",
                     hsp__quote(label, strlen(label), quoted), classes,
                     classes ? ", such as '" : "", classes ? hsp_data_class_name(data, 0) : "",
                     classes ? "'" : "");
}

/* map[c] is the new class of class c, or HSP_NO_CLASS: left out; `names` those of the new ones. */
static hsp_status relabel_plan(const hsp_data *data, const char *const *keep, size_t count,
                               const char *positive, uint32_t *map, hsp__names *names,
                               hsp_error *err)
{
    const uint32_t classes = data->class_names.count;
    uint32_t c, number;
    for (c = 0; c < classes; c++)
        map[c] = keep ? HSP_NO_CLASS : c;
    if (!keep && !hsp__names_copy(names, &data->class_names)) return hsp__fail_memory(err);
    for (size_t i = 0; keep && i < count; i++) {
        HSP__TRY(relabel_find(data, keep[i], err, &c));
        const char *name = hsp_data_class_name(data, c);
        if (map[c] != HSP_NO_CLASS)
            return hsp__fail(err, HSP_USAGE, "the class '%s' is named twice", name);
        if (!hsp__names_add(names, name, strlen(name), &map[c])) return hsp__fail_memory(err);
    }
    if (!positive) return HSP_OK;
    /* one class against all others that are kept */
    HSP__TRY(relabel_find(data, positive, err, &c));
    const char *name = hsp_data_class_name(data, c);
    if (map[c] == HSP_NO_CLASS)
        return hsp__fail(err, HSP_USAGE, "the class '%s' is to be positive, but is left out", name);
    if (strcmp(name, RELABEL_REST) == 0)
        return hsp__fail(err, HSP_USAGE,
                         "a class named '" RELABEL_REST
                         "' cannot be positive, because the other classes together get that name");
    for (uint32_t other = 0; other < classes; other++)
        if (map[other] != HSP_NO_CLASS) map[other] = other == c;
    hsp__names_free(names);
    if (!hsp__names_add(names, RELABEL_REST, strlen(RELABEL_REST), &number) ||
        !hsp__names_add(names, name, strlen(name), &number))
        return hsp__fail_memory(err);
    return HSP_OK;
}

hsp_status hsp_data_relabel(hsp_context *ctx, hsp_data *data, const char *const *keep,
                            size_t keep_count, const char *positive, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, data, out);
    const hsp_view *view;
    hsp_data *kept = NULL;
    hsp__names names;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    if (!view->labels) return hsp__fail(err, HSP_USAGE, "the data has no labels");
    hsp__names_init(&names, &ctx->allocator);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    uint32_t *map = hsp__scratch_new(&scratch, view->classes, sizeof *map);
    uint64_t *rows = hsp__scratch_raw(&scratch, view->rows, sizeof *rows), count = 0;
    hsp_status status = scratch.failed
                            ? hsp__fail_memory(err)
                            : relabel_plan(data, keep, keep_count, positive, map, &names, err);
    for (uint64_t i = 0; !status && i < view->rows; i++)
        if (map[view->labels[i]] != HSP_NO_CLASS) rows[count++] = i;
    if (!status) status = hsp_data_select(ctx, data, rows, count, err, &kept);
    if (!status) {
        for (uint64_t i = 0; i < count; i++)
            kept->labels[i] = map[kept->labels[i]];
        hsp__names_free(&kept->class_names);
        kept->class_names = names;
        hsp__names_init(&names, &ctx->allocator);
        hsp__data_seal(kept);
        *out = kept;
    }
    hsp__scratch_free(&scratch);
    hsp__names_free(&names);
    return status;
}
