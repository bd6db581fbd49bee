/* Macros to write tables of fields (halfspace_report.h) for records of one's own. The library and
 * the command write theirs with them. Their names are short: include this in .c files only. */
#ifndef HALFSPACE_FIELDS_H
#define HALFSPACE_FIELDS_H

#include <stddef.h>

#include "halfspace_report.h"

/* A function that returns the table of the fields of a struct: FIELDS(eval_fields, eval, FIELD(...),
 * FIELD(...), ...). PUBLIC_FIELDS: one that a header declares. */
#define PUBLIC_FIELDS(function, record, ...)                                      \
    const hsp_field *function(void)                                               \
    {                                                                             \
        typedef record RECORD __attribute__((unused));                            \
        static const hsp_field fields[] = {__VA_ARGS__, {.type = HSP_FIELD_END}}; \
        return fields;                                                            \
    }
#define FIELDS(function, record, ...) static PUBLIC_FIELDS(function, record, __VA_ARGS__)

/* An entry: type, key, label, member of the struct (or function), meaning; then what else is to be
 * said: .when = "...". */
#define FIELD(kind, key, title, member, ...)                                                       \
    {                                                                                              \
        .type = HSP_FIELD_##kind, .name = key, .label = title, .offset = offsetof(RECORD, member), \
        .meaning = __VA_ARGS__                                                                     \
    }
#define FIELD_GET(kind, key, title, function, ...)                              \
    {                                                                           \
        .type = HSP_FIELD_##kind, .name = key, .label = title, .get = function, \
        .meaning = __VA_ARGS__                                                  \
    }

/* A function for .get that returns `value`, made from self, the record; or NULL. */
#define GETTER(function, record_type, self, value)                        \
    static const void *function(const void *record, size_t i, void *room) \
    {                                                                     \
        const record_type *self = record;                                 \
        (void)self, (void)i, (void)room;                                  \
        return value;                                                     \
    }
/* Likewise, of a number that is computed. */
#define GETTER_NEW(function, record_type, self, number_type, value)       \
    static const void *function(const void *record, size_t i, void *room) \
    {                                                                     \
        const record_type *self = record;                                 \
        (void)self, (void)i;                                              \
        *(number_type *)room = value;                                     \
        return room;                                                      \
    }
/* Likewise, of a list of records that are made: the i-th, from the values of its members, or NULL. */
#define GETTER_AT(function, record_type, self, item_type, exists, ...)    \
    static const void *function(const void *record, size_t i, void *room) \
    {                                                                     \
        const record_type *self = record;                                 \
        (void)i;                                                          \
        if (!(exists)) return NULL;                                       \
        *(item_type *)room = (item_type){__VA_ARGS__};                    \
        return room;                                                      \
    }

#endif
