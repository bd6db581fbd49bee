/* JSON (RFC 8259), strictly: a tree in which numbers keep their text. */
#include <string.h>

#include "core.h"

#define JSON_DEPTH   100
#define JSON_MEMBERS 1000 /* of an object: each is looked for among all before */

typedef struct json_reader {
    hsv_checker *c;
    char *start, *p, *end;
} json_reader;

_Noreturn static void json_fail(json_reader *r, const char *expected)
{
    size_t line = 1;
    for (const char *p = r->start; p < r->p; p++)
        line += *p == '\n';
    hsv_unreadable(r->c, "certificate: line %zu: expected %s", line, expected);
}

/* Is one of these the next byte? Then it is taken. */
static int json_next(json_reader *r, const char *bytes)
{
    if (r->p == r->end || !*r->p || !strchr(bytes, *r->p)) return 0;
    r->p++;
    return 1;
}

static int json_take(json_reader *r, const char *byte)
{
    while (json_next(r, " \t\r\n"))
        continue;
    return json_next(r, byte);
}

/* Behind the first quote: decoded in its place, ended by 0. */
static const char *json_string(json_reader *r, size_t *size)
{
    char *start = r->p, *to = start;
    while (r->p == r->end || *r->p != '"') {
        if (r->p == r->end || (unsigned char)*r->p < 0x20) json_fail(r, "a character or '\"'");
        if (*r->p & 0x80 && !r->c->more) hsv_beyond(r->c, "text that is not ASCII");
        if (!json_next(r, "\\")) {
            *to++ = *r->p++;
            continue;
        }
        static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
        if (json_next(r, names))
            *to++ = bytes[strchr(names, r->p[-1]) - names];
        else if (!json_next(r, "u"))
            json_fail(r, "an escaped character");
        else if (!r->c->more)
            hsv_beyond(r->c, "characters that are escaped by \\u");
        else if (!(to = r->c->more->escaped(&r->p, r->end, to)))
            json_fail(r, "a character");
    }
    r->p++;
    *size = (size_t)(to - start);
    *to = 0;
    return start;
}

static void json_digits(json_reader *r)
{
    if (!json_next(r, "0123456789")) json_fail(r, "a digit");
    while (json_next(r, "0123456789"))
        continue;
}

static void json_number(json_reader *r)
{
    json_next(r, "-");
    if (!json_next(r, "0")) json_digits(r);
    if (json_next(r, ".")) json_digits(r);
    if (!json_next(r, "eE")) return;
    json_next(r, "+-");
    json_digits(r);
}

static hsv_json *json_value(json_reader *r, int depth)
{
    static const char *const words[] = {"false", "true"}; /* in the order of hsv_type */
    hsv_json *node = hsv_new(r->c, 1, sizeof *node), **last = &node->child;
    json_take(r, "");
    if (depth > JSON_DEPTH) json_fail(r, "fewer brackets in brackets");
    for (node->type = HSV_FALSE; node->type <= HSV_TRUE; node->type++)
        if (!strncmp(r->p, words[node->type], strlen(words[node->type]))) {
            r->p += strlen(words[node->type]);
            return node;
        }
    node->text = r->p;
    if (json_next(r, "\"")) {
        node->type = HSV_STRING;
        node->text = json_string(r, &node->size);
        return node;
    }
    if (!json_next(r, "[{")) {
        if (*r->p != '-' && (*r->p < '0' || *r->p > '9')) json_fail(r, "a value");
        json_number(r);
        node->size = (size_t)(r->p - node->text);
        return node; /* the loop above ended with HSV_NUMBER */
    }
    const int object = r->p[-1] == '{';
    node->type = object ? HSV_OBJECT : HSV_ARRAY;
    if (json_take(r, object ? "}" : "]")) return node;
    do {
        const char *key = NULL;
        size_t size;
        if (object) {
            if (!json_take(r, "\"")) json_fail(r, "the name of a member");
            key = json_string(r, &size);
            if (strlen(key) != size || hsv_find(node, key)) json_fail(r, "another member before");
            if (!json_take(r, ":")) json_fail(r, "':'");
        }
        *last = json_value(r, depth + 1);
        (*last)->key = key;
        last = &(*last)->next;
        if (++node->count > JSON_MEMBERS && object) json_fail(r, "fewer members");
    } while (json_take(r, ","));
    if (!json_take(r, object ? "}" : "]")) json_fail(r, object ? "',' or '}'" : "',' or ']'");
    return node;
}

/* text is changed and belongs to the tree; one byte behind it may be written. */
const hsv_json *hsv_parse(hsv_checker *c, char *text, size_t size)
{
    json_reader r = {.c = c, .start = text, .p = text, .end = text + size};
    if (c->more) c->more->start(c, text, size);
    const hsv_json *root = json_value(&r, 0);
    json_take(&r, "");
    if (r.p != r.end) json_fail(&r, "nothing more");
    return root;
}

const hsv_json *hsv_find(const hsv_json *object, const char *key)
{
    for (const hsv_json *m = object->child; m; m = m->next)
        if (!strcmp(m->key, key)) return m;
    return NULL;
}

/* Which word of the list is it? From 0; -1: none. */
static int json_listed(const char *list, const char *word)
{
    for (int place = 0; *list; place++) {
        const size_t size = strcspn(list, ",");
        if (size == strlen(word) && !memcmp(list, word, size)) return place;
        list += size + (list[size] == ',');
    }
    return -1;
}

const char *hsv_stray(hsv_checker *c, const hsv_json *object, const char *list)
{
    if (object->type != HSV_OBJECT) hsv_unreadable(c, "an object is expected with: %s", list);
    for (const hsv_json *m = object->child; m; m = m->next)
        if ((strcmp(m->key, "note") != 0 || m->type != HSV_STRING) && json_listed(list, m->key) < 0)
            return m->key;
    return NULL;
}

void hsv_members(hsv_checker *c, const hsv_json *object, const char *list)
{
    const char *stray = hsv_stray(c, object, list);
    if (stray) hsv_unreadable(c, "member %s has no place here", hsv_quote(c, stray, strlen(stray)));
}

const hsv_json *hsv_get(hsv_checker *c, const hsv_json *object, const char *key, hsv_type type)
{
    static const char *const names[] = {"false", "true", "number", "string", "array", "object"};
    const hsv_json *m = hsv_find(object, key);
    if (!m) hsv_unreadable(c, "member \"%s\" is missing", key);
    if (m->type != type) hsv_unreadable(c, "member \"%s\" is no %s", key, names[type]);
    return m;
}

size_t hsv_count(hsv_checker *c, const hsv_json *value, const char *what)
{
    size_t count = 0;
    int whole = value->type == HSV_NUMBER && value->size <= 15;
    for (size_t i = 0; whole && i < value->size; i++) {
        whole = value->text[i] >= '0' && value->text[i] <= '9';
        count = count * 10 + (size_t)(value->text[i] - '0');
    }
    if (!whole) hsv_unreadable(c, "%s: expected a whole number of at most 15 digits", what);
    return count;
}

int hsv_get_flag(hsv_checker *c, const hsv_json *object, const char *key)
{
    const hsv_json *m = hsv_find(object, key);
    if (!m || m->type > HSV_TRUE) hsv_unreadable(c, "member \"%s\" must be true or false", key);
    return m->type == HSV_TRUE;
}

int hsv_get_choice(hsv_checker *c, const hsv_json *object, const char *key, const char *words)
{
    const hsv_json *m = hsv_get(c, object, key, HSV_STRING);
    const int place = strlen(m->text) == m->size ? json_listed(words, m->text) : -1;
    if (place < 0)
        hsv_unreadable(c, "member \"%s\" is %s, expected one of: %s", key,
                       hsv_quote(c, m->text, m->size), words);
    return place;
}

/* A SHA-256 is compared as text: 64 digits. */
const char *hsv_get_digest(hsv_checker *c, const hsv_json *object)
{
    const char *text = hsv_get(c, object, "sha256", HSV_STRING)->text;
    if (strlen(text) != 64 || strspn(text, "0123456789abcdef") != 64)
        hsv_unreadable(c, "sha256 must be 64 hexadecimal digits (0-9, a-f)");
    return text;
}
