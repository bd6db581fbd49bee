/* JSON, as much as headers of files need: a strict reader into a tree (RFC 8259; duplicate keys,
 * depth above 64, bad UTF-8, U+0000 in strings, 512 MB and more, and trailing text are errors),
 * and a few functions that write. */
#ifndef HSP_BASE_JSON_H
#define HSP_BASE_JSON_H

#include <stddef.h>

#include "base/text.h"
#include "halfspace_all.h"

typedef enum hsp__json_type {
    HSP__JSON_NULL,
    HSP__JSON_FALSE,
    HSP__JSON_TRUE,
    HSP__JSON_NUMBER,
    HSP__JSON_STRING,
    HSP__JSON_ARRAY,
    HSP__JSON_OBJECT
} hsp__json_type;

typedef struct hsp__json hsp__json;             /* a document; owns its values */
typedef struct hsp__json_value hsp__json_value; /* a value in it */

/* Parse text[0..size). Errors name `file` with line and column. */
hsp_status hsp__json_parse(const hsp_allocator *memory, const char *text, size_t size,
                           const char *file, hsp_error *err, hsp__json **out);
void hsp__json_free(hsp__json *json);
const hsp__json_value *hsp__json_root(const hsp__json *json);

/* All of these take NULL for a value, and answer NULL or 0 for it or for a value of another type,
 * so that look-ups chain and are tested once. */
hsp__json_type hsp__json_type_of(const hsp__json_value *value); /* NULL value: HSP__JSON_NULL */
size_t hsp__json_count(const hsp__json_value *value);           /* items or members */
const hsp__json_value *hsp__json_at(const hsp__json_value *value, size_t i); /* item or member */
const char *hsp__json_key(const hsp__json_value *object, size_t i, size_t *size);
const hsp__json_value *hsp__json_get(const hsp__json_value *object, const char *key);
const char *hsp__json_string(const hsp__json_value *value, size_t *size); /* NUL-terminated; size
                                                                             may be NULL */
int hsp__json_number(const hsp__json_value *value, double *out);
int hsp__json_u64(const hsp__json_value *value, uint64_t *out); /* a whole number without . or e */

/* Append a JSON string (quoted and escaped; bytes that are not UTF-8 become U+FFFD) or the shortest
 * number that reads back to the same double (null for what is not finite). */
void hsp__json_put_string(hsp__text *text, const char *string, size_t size);
/* Bytes: a string, or where they are not UTF-8, which JSON cannot hold, {"hex": "..."}. */
void hsp__json_put_bytes(hsp__text *text, const char *bytes, size_t size);
int hsp__json_is_utf8(const char *string, size_t size);
void hsp__json_put_number(hsp__text *text, double number);
/* A record as an object in one line, without blanks. */
void hsp__json_put_record(hsp__text *text, const hsp_field *fields, const void *record);

#endif
