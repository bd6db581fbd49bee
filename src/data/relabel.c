/* Other classes for the same rows: some of them, in another order, or one against the rest. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/labels.h"

#define RELABEL_REST "rest"

typedef struct relabel_plan {
    uint32_t *map; /* one per class of the data: its new class, or HSP_NO_CLASS: left out */
    hsp__names names;
} relabel_plan;

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

static hsp_status relabel_keep(const hsp_data *data, const char *const *keep, size_t count,
                               relabel_plan *plan, hsp_error *err)
{
    const uint32_t classes = data->class_names.count;
    for (uint32_t c = 0; c < classes; c++)
        plan->map[c] = keep ? HSP_NO_CLASS : c;
    if (!keep)
        return hsp__names_copy(&plan->names, &data->class_names) ? HSP_OK : hsp__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint32_t c, number;
        hsp_status status = relabel_find(data, keep[i], err, &c);
        if (status) return status;
        if (plan->map[c] != HSP_NO_CLASS)
            return hsp__fail(err, HSP_USAGE, "the class '%s' is named twice",
                             hsp_data_class_name(data, c));
        const char *name = hsp_data_class_name(data, c);
        if (!hsp__names_add(&plan->names, name, strlen(name), &number))
            return hsp__fail_memory(err);
        plan->map[c] = number;
    }
    return HSP_OK;
}

/* One class against all others that are kept. */
static hsp_status relabel_against_rest(const hsp_data *data, const char *positive,
                                       relabel_plan *plan, hsp_error *err)
{
    uint32_t chosen, number;
    hsp_status status = relabel_find(data, positive, err, &chosen);
    if (status) return status;
    const char *name = hsp_data_class_name(data, chosen);
    if (plan->map[chosen] == HSP_NO_CLASS)
        return hsp__fail(err, HSP_USAGE, "the class '%s' is to be positive, but is left out", name);
    if (strcmp(name, RELABEL_REST) == 0)
        return hsp__fail(err, HSP_USAGE,
                         "a class named '" RELABEL_REST
                         "' cannot be positive, because the other classes together get that name");
    for (uint32_t c = 0; c < data->class_names.count; c++)
        if (plan->map[c] != HSP_NO_CLASS) plan->map[c] = c == chosen;
    hsp__names_free(&plan->names);
    hsp__names_init(&plan->names, &data->memory);
    if (!hsp__names_add(&plan->names, RELABEL_REST, strlen(RELABEL_REST), &number) ||
        !hsp__names_add(&plan->names, name, strlen(name), &number))
        return hsp__fail_memory(err);
    return HSP_OK;
}

/* The rows that stay, with their new labels and names. */
static hsp_status relabel_rows(hsp_context *ctx, hsp_data *data, relabel_plan *plan, hsp_error *err,
                               hsp_data **out)
{
    const hsp_view *view = &data->view;
    hsp_data *kept = NULL;
    uint64_t count = 0;
    uint64_t *rows = hsp__new_raw(&ctx->allocator, view->rows, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++)
        if (plan->map[view->labels[i]] != HSP_NO_CLASS) rows[count++] = i;
    hsp_status status = hsp_data_select(ctx, data, rows, count, err, &kept);
    hsp__free(&ctx->allocator, rows);
    if (status) return status;
    for (uint64_t i = 0; i < count; i++)
        kept->labels[i] = plan->map[kept->labels[i]];
    hsp__names_free(&kept->class_names);
    kept->class_names = plan->names;
    hsp__names_init(&plan->names, &ctx->allocator);
    hsp__data_seal(kept);
    *out = kept;
    return HSP_OK;
}

hsp_status hsp_data_relabel(hsp_context *ctx, hsp_data *data, const char *const *keep,
                            size_t keep_count, const char *positive, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, data, out);
    const hsp_view *view;
    relabel_plan plan = {0};
    hsp_status status = hsp_data_view(ctx, data, err, &view);
    if (status) return status;
    if (!view->labels) return hsp__fail(err, HSP_USAGE, "the data has no labels");
    hsp__names_init(&plan.names, &ctx->allocator);
    plan.map = hsp__new(&ctx->allocator, view->classes, sizeof *plan.map);
    status = plan.map ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = relabel_keep(data, keep, keep_count, &plan, err);
    if (!status && positive) status = relabel_against_rest(data, positive, &plan, err);
    if (!status) status = relabel_rows(ctx, data, &plan, err, out);
    hsp__free(&ctx->allocator, plan.map);
    hsp__names_free(&plan.names);
    return status;
}
