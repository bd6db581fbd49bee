/* The table of learners. */
#include "base/base.h"
#include "learn/learner.h"

#define REGISTRY_ENTRY(name) &hsp__learn_##name,
static const hsp__learner *const registry[] = {HSP__LEARNERS(REGISTRY_ENTRY) NULL};

const hsp_option_table *hsp_learner(size_t i)
{
    for (size_t k = 0; registry[k]; k++)
        if (k == i) return &registry[k]->table;
    return NULL;
}

const hsp_option_table *hsp_learner_find(const char *name)
{
    for (size_t k = 0; name && registry[k]; k++)
        if (strcmp(registry[k]->table.name, name) == 0) return &registry[k]->table;
    return NULL;
}

hsp_status hsp_options_for(hsp_context *ctx, const char *learner, hsp_error *err, hsp_options **out)
{
    HSP__NEED(err, ctx, learner, out);
    const hsp_option_table *table = hsp_learner_find(learner);
    if (table) return hsp_options_new(ctx, table, err, out);
    const char *names[sizeof registry / sizeof *registry];
    size_t count = 0;
    for (; registry[count]; count++)
        names[count] = registry[count]->table.name;
    const char *nearest = hsp_nearest(learner, names, count);
    char quoted[HSP__QUOTED];
    return hsp__fail(err, HSP_USAGE, "there is no learner '%s'%s%s%s",
                     hsp__quote(learner, strlen(learner), quoted),
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

const hsp__learner *hsp__learner_of(const hsp_options *options)
{
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; registry[i]; i++)
        if (&registry[i]->table == table) return registry[i];
    return NULL;
}
