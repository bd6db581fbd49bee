/* Which column of a table holds the labels. */
#include <stdlib.h>
#include <strings.h>

#include "base/base.h"
#include "data/table_profile.h"

uint64_t hsp__profile_by_word(const hsp_profile *profile, const char *word, size_t size)
{
    char *end;
    const uint32_t exact = hsp__names_find(&profile->names, word, size);
    if (exact != HSP__NAME_NONE) return exact;
    for (uint32_t j = 0; j < profile->names.count; j++)
        if (hsp__names_size(&profile->names, j) == size &&
            strncasecmp(hsp__names_get(&profile->names, j), word, size) == 0)
            return j;
    const unsigned long long number = strtoull(word, &end, 10);
    return size && end == word + size && number >= 1 && number <= profile->names.count ? number - 1
                                                                                       : UINT64_MAX;
}

int hsp__profile_is_classes(const hsp__column_profile *column)
{
    const int kind = column->content == HSP__CONTENT_CATEGORY ||
                     (column->content == HSP__CONTENT_NUMBER && column->integers);
    return kind && !column->others && column->distinct >= 2 &&
           column->distinct <= HSP__PROFILE_CLASSES && 2 * column->distinct <= column->cells;
}

/* How much a name sounds like a label: 2 for words that mean one, 1 for what people often predict. */
static int label_sounds(const char *name)
{
    static const char *const words[] = {
        "label",     "labels",    "target",     "targets", "class",   "classes",   "y",
        "outcome",   "response",  "truth",      "churn",   "churned", "survived",  "fraud",
        "default",   "defaulted", "diagnosis",  "species", "exited",  "attrition", "converted",
        "purchased", "purchase",  "subscribed", "deposit", "spam",    "sentiment", "result",
        "approved",  "cancelled", "canceled",   "clicked", "click",   "malignant", "income",
        "quality",   "status",    "risk"};
    char plain[32];
    size_t size = 0;
    if (strncasecmp(name, "is_", 3) == 0) name += 3;
    for (; *name && size + 1 < sizeof plain; name++)
        if (*name != '_' && *name != ' ' && *name != '-') plain[size++] = *name;
    plain[size] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(plain, words[i]) == 0) return i < 10 ? 2 : 1;
    return 0;
}

/* The column that is most likely the label: by its name, then the last if it looks like classes, then
 * the first likewise, then the last. */
static uint64_t label_guess(const hsp_profile *profile)
{
    const uint64_t columns = profile->totals.columns;
    uint64_t best = UINT64_MAX;
    int loudest = 0;
    for (uint64_t j = 0; profile->totals.header && j < columns; j++) {
        const hsp__column_content content = profile->columns[j].content;
        const int sound = label_sounds(hsp__names_get(&profile->names, (uint32_t)j));
        if (content != HSP__CONTENT_CATEGORY && content != HSP__CONTENT_NUMBER &&
            content != HSP__CONTENT_CONSTANT)
            continue;
        if (sound && sound >= loudest) loudest = sound, best = j;
    }
    if (loudest) return best;
    return !hsp__profile_is_classes(&profile->columns[columns - 1]) &&
                   hsp__profile_is_classes(&profile->columns[0])
               ? 0
               : columns - 1;
}

uint64_t hsp__profile_label(const hsp_profile *profile, const hsp_options *read)
{
    const char *word = hsp_options_text(read, "label");
    if (!hsp_options_is_set(read, "label")) return label_guess(profile);
    if (strcmp(word, "none") == 0) return UINT64_MAX;
    if (strcmp(word, "last") == 0) return profile->totals.columns - 1;
    if (strcmp(word, "first") == 0) return 0;
    const uint64_t named = hsp__profile_by_word(profile, word, strlen(word));
    return named == UINT64_MAX ? label_guess(profile) : named;
}
