#include "data/metadata.h"

#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"

#define metadata_fail(container, ...) \
    hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(container), 0, 0, __VA_ARGS__)

hsp_status hsp__metadata_put_names(hsp__text *text, const hsp__names *names, const char *what,
                                   const char *path, hsp_error *err)
{
    hsp__text_puts(text, "[");
    for (uint32_t i = 0; i < names->count; i++) {
        const char *name = hsp__names_get(names, i);
        size_t size = hsp__names_size(names, i);
        char quoted[HSP__QUOTED];
        if (!hsp__json_is_utf8(name, size))
            return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                                "the %s name '%s' is not UTF-8, as names in binary files must be; "
                                "convert the text file first, for example with iconv",
                                what, hsp__quote(name, size, quoted));
        if (i) hsp__text_puts(text, ",");
        hsp__json_put_string(text, name, size);
    }
    hsp__text_puts(text, "]");
    return text->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* What a file of that format is, in words; NULL: nothing known. */
static const char *metadata_kind(const char *format)
{
    static const char *const kinds[][2] = {{"halfspace-data", "a data set"},
                                           {"halfspace-model", "a model"},
                                           {"halfspace-scaling", "the factors of a scaling"}};
    for (size_t i = 0; format && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i][0], format) == 0) return kinds[i][1];
    return NULL;
}

hsp_status hsp__metadata_format(const hsp__container *container, const char *format, hsp_error *err)
{
    const char *found = hsp__container_meta(container, "format");
    if (found && strcmp(found, format) == 0) return HSP_OK;
    const char *kind = metadata_kind(found);
    return metadata_fail(container, "found %s, expected %s",
                         kind ? kind : "a safetensors file of another program",
                         metadata_kind(format));
}

hsp_status hsp__metadata_word(const hsp__container *container, const char *key,
                              const char *const *words, int count, hsp_error *err, int *out)
{
    const char *found = hsp__container_meta(container, key);
    char quoted[HSP__QUOTED];
    for (int i = 0; found && i < count; i++)
        if (strcmp(found, words[i]) == 0) {
            *out = i;
            return HSP_OK;
        }
    if (!found) return metadata_fail(container, "the metadata lacks \"%s\"", key);
    return metadata_fail(container, "the metadata says %s '%s', which this version does not know",
                         key, hsp__quote(found, strlen(found), quoted));
}

hsp_status hsp__metadata_count(const hsp__container *container, const char *key, uint64_t most,
                               hsp_error *err, uint64_t *out)
{
    const char *found = hsp__container_meta(container, key);
    char quoted[HSP__QUOTED];
    if (!found) return metadata_fail(container, "the metadata lacks \"%s\"", key);
    const char *end = found + strlen(found);
    hsp__decimal_result result;
    if (hsp__decimal_u64(found, end, out, &result) != end || result != HSP__DECIMAL_OK ||
        *out > most)
        return metadata_fail(container,
                             "the metadata says %s '%s', expected a whole number up to %llu", key,
                             hsp__quote(found, strlen(found), quoted), (unsigned long long)most);
    return HSP_OK;
}

hsp_status hsp__metadata_names(const hsp__container *container, const char *key, hsp__names *names,
                               hsp_error *err)
{
    const char *text = hsp__container_meta(container, key);
    hsp__json *json = NULL;
    hsp_error inner = {0};
    if (!text) return HSP_OK;
    hsp_status status = hsp__json_parse(&names->memory, text, strlen(text), NULL, &inner, &json);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    if (status)
        return metadata_fail(container, "the metadata \"%s\" is not JSON: column %llu: %.400s", key,
                             (unsigned long long)inner.column, inner.message);
    const hsp__json_value *list = hsp__json_root(json);
    if (hsp__json_type_of(list) != HSP__JSON_ARRAY)
        status = metadata_fail(container, "the metadata \"%s\" is not a JSON array", key);
    for (size_t i = 0; !status && i < hsp__json_count(list); i++) {
        size_t size = 0;
        uint32_t number;
        const char *name = hsp__json_string(hsp__json_at(list, i), &size);
        char quoted[HSP__QUOTED];
        if (!name)
            status = metadata_fail(container, "item %zu of the metadata \"%s\" is not a string",
                                   i + 1, key);
        else if (hsp__names_find(names, name, size) != HSP__NAME_NONE)
            status = metadata_fail(container, "the metadata \"%s\" has '%s' twice", key,
                                   hsp__quote(name, size, quoted));
        else if (!hsp__names_add(names, name, size, &number))
            status = hsp__fail_memory(err);
    }
    hsp__json_free(json);
    return status;
}
