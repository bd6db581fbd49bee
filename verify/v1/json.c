/* JSON (RFC 8259), strictly: a tree in which numbers keep their text. */
#include <string.h>

#include "check1.h"

#define JSON_DEPTH 100

typedef struct json_reader {
    hsv1_checker *c;
    char *start, *p, *end;
    hsv1_json *spare; /* nodes made ahead, spare_count of them */
    size_t spare_count;
} json_reader;

_Noreturn static void json_fail(json_reader *r, const char *expected)
{
    size_t line = 1;
    for (const char *p = r->start; p < r->p; p++)
        line += *p == '\n';
    if (r->p == r->end)
        hsv1_unreadable(r->c, "certificate: line %zu: found its end, expected %s", line, expected);
    hsv1_unreadable(r->c, "certificate: line %zu: found byte 0x%02x, expected %s", line,
                   (unsigned)(unsigned char)*r->p, expected);
}

static hsv1_json *json_new(json_reader *r, hsv1_type type)
{
    if (!r->spare_count) {
        r->spare_count = 1000;
        r->spare = hsv1_new(r->c, r->spare_count, sizeof *r->spare);
    }
    hsv1_json *node = r->spare + --r->spare_count;
    node->type = type;
    return node;
}

static void json_space(json_reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

static int json_take(json_reader *r, char byte)
{
    json_space(r);
    if (r->p == r->end || *r->p != byte) return 0;
    r->p++;
    return 1;
}

static unsigned json_hex4(json_reader *r)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++, r->p++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *at = r->p < r->end && *r->p ? strchr(digits, *r->p) : NULL;
        if (!at) json_fail(r, "four hexadecimal digits");
        value = value * 16 + (unsigned)((at - digits) % 16);
    }
    return value;
}

/* Behind "\u": the character as UTF-8, which is never longer than what it stands for. */
static char *json_unicode(json_reader *r, char *to)
{
    unsigned code = json_hex4(r);
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->end - r->p < 2 || r->p[0] != '\\' || r->p[1] != 'u')
            json_fail(r, "the other half of a character");
        r->p += 2;
        const unsigned low = json_hex4(r);
        if (low < 0xdc00 || low > 0xdfff) json_fail(r, "the other half of a character");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (!code || (code >= 0xdc00 && code < 0xe000)) {
        json_fail(r, "a character");
    }
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

/* Behind the first quote: decoded in its place, ended by 0. */
static const char *json_string(json_reader *r, size_t *size)
{
    char *start = r->p, *to = start;
    for (;;) {
        if (r->p == r->end || (unsigned char)*r->p < 0x20) json_fail(r, "a character or '\"'");
        if (*r->p == '"') break;
        if (*r->p != '\\') {
            *to++ = *r->p++;
            continue;
        }
        static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
        if (++r->p == r->end) json_fail(r, "an escaped character");
        const char *at = *r->p ? strchr(names, *r->p) : NULL;
        if (!at && *r->p != 'u') json_fail(r, "an escaped character");
        r->p++;
        if (at)
            *to++ = bytes[at - names];
        else
            to = json_unicode(r, to);
    }
    r->p++;
    *size = (size_t)(to - start);
    *to = 0;
    return start;
}

static void json_digits(json_reader *r)
{
    if (r->p == r->end || *r->p < '0' || *r->p > '9') json_fail(r, "a digit");
    while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
        r->p++;
}

static hsv1_json *json_number(json_reader *r)
{
    hsv1_json *node = json_new(r, HSV1_NUMBER);
    node->text = r->p;
    if (*r->p == '-') r->p++;
    if (r->p < r->end && *r->p == '0')
        r->p++;
    else
        json_digits(r);
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        json_digits(r);
    }
    if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
        r->p++;
        if (r->p < r->end && (*r->p == '+' || *r->p == '-')) r->p++;
        json_digits(r);
    }
    node->size = (size_t)(r->p - node->text);
    return node;
}

static hsv1_json *json_word(json_reader *r)
{
    static const struct {
        const char *text;
        hsv1_type type;
    } words[] = {{"null", HSV1_NULL}, {"false", HSV1_FALSE}, {"true", HSV1_TRUE}};
    for (size_t i = 0; i < 3; i++) {
        const size_t size = strlen(words[i].text);
        if ((size_t)(r->end - r->p) >= size && !memcmp(r->p, words[i].text, size)) {
            r->p += size;
            return json_new(r, words[i].type);
        }
    }
    json_fail(r, "a value");
}

static hsv1_json *json_value(json_reader *r, int depth);

static hsv1_json *json_children(json_reader *r, hsv1_type type, int depth)
{
    hsv1_json *node = json_new(r, type), **last = &node->child;
    const char close = type == HSV1_ARRAY ? ']' : '}';
    r->p++;
    if (depth > JSON_DEPTH) json_fail(r, "fewer brackets in brackets");
    if (json_take(r, close)) return node;
    do {
        const char *key = NULL;
        size_t size;
        if (type == HSV1_OBJECT) {
            if (!json_take(r, '"')) json_fail(r, "the name of a member");
            key = json_string(r, &size);
            if (strlen(key) != size || hsv1_find(node, key)) json_fail(r, "another member before");
            if (!json_take(r, ':')) json_fail(r, "':'");
        }
        *last = json_value(r, depth + 1);
        (*last)->key = key;
        last = &(*last)->next;
        /* A member that is there twice is looked for among all before: keep them few. */
        if (++node->count > 64 && type == HSV1_OBJECT) json_fail(r, "fewer members");
    } while (json_take(r, ','));
    if (!json_take(r, close)) json_fail(r, type == HSV1_ARRAY ? "',' or ']'" : "',' or '}'");
    return node;
}

static hsv1_json *json_value(json_reader *r, int depth)
{
    json_space(r);
    if (r->p == r->end) json_fail(r, "a value");
    if (*r->p == '{') return json_children(r, HSV1_OBJECT, depth);
    if (*r->p == '[') return json_children(r, HSV1_ARRAY, depth);
    if (*r->p == '-' || (*r->p >= '0' && *r->p <= '9')) return json_number(r);
    if (*r->p != '"') return json_word(r);
    r->p++;
    hsv1_json *node = json_new(r, HSV1_STRING);
    node->text = json_string(r, &node->size);
    return node;
}

/* text is changed and belongs to the tree; one byte behind it may be written. */
const hsv1_json *hsv1_parse(hsv1_checker *c, char *text, size_t size)
{
    json_reader r = {.c = c, .start = text, .p = text, .end = text + size};
    const hsv1_json *root = json_value(&r, 0);
    json_space(&r);
    if (r.p != r.end) json_fail(&r, "nothing more");
    return root;
}

/* ---- Looking things up ----------------------------------------------------------------------- */

const hsv1_json *hsv1_find(const hsv1_json *object, const char *key)
{
    for (const hsv1_json *m = object->child; m; m = m->next)
        if (!strcmp(m->key, key)) return m;
    return NULL;
}

static int json_listed(const char *list, const char *word)
{
    const size_t size = strlen(word);
    for (const char *p = list; size && (p = strstr(p, word)); p++)
        if ((p == list || p[-1] == ' ') && (p[size] == ' ' || !p[size])) return 1;
    return 0;
}

void hsv1_members(hsv1_checker *c, const hsv1_json *object, const char *list)
{
    if (object->type != HSV1_OBJECT) hsv1_unreadable(c, "an object is expected with: %s", list);
    for (const hsv1_json *m = object->child; m; m = m->next) {
        if (!strcmp(m->key, "note") && m->type == HSV1_STRING) continue;
        if (strchr(m->key, ' ') || !json_listed(list, m->key))
            hsv1_unreadable(c, "member \"%.60s\" has no place here", m->key);
    }
}

const hsv1_json *hsv1_get(hsv1_checker *c, const hsv1_json *object, const char *key, hsv1_type type)
{
    static const char *const names[] = {"null",     "false",    "true",     "a number",
                                        "a string", "an array", "an object"};
    const hsv1_json *m = hsv1_find(object, key);
    if (!m) hsv1_unreadable(c, "member \"%s\" is missing", key);
    if (m->type != type) hsv1_unreadable(c, "member \"%s\" is not %s", key, names[type]);
    return m;
}

const char *hsv1_get_text(hsv1_checker *c, const hsv1_json *object, const char *key)
{
    return hsv1_get(c, object, key, HSV1_STRING)->text;
}

uint64_t hsv1_count(hsv1_checker *c, const hsv1_json *value, const char *what)
{
    uint64_t count = 0;
    if (value->type != HSV1_NUMBER || value->size > 15)
        hsv1_unreadable(c, "%s: expected a whole number of at most 15 digits", what);
    for (size_t i = 0; i < value->size; i++) {
        if (value->text[i] < '0' || value->text[i] > '9')
            hsv1_unreadable(c, "%s: expected a whole number, not below 0", what);
        count = count * 10 + (uint64_t)(value->text[i] - '0');
    }
    return count;
}

uint64_t hsv1_get_count(hsv1_checker *c, const hsv1_json *object, const char *key)
{
    return hsv1_count(c, hsv1_get(c, object, key, HSV1_NUMBER), key);
}

int hsv1_get_flag(hsv1_checker *c, const hsv1_json *object, const char *key)
{
    const hsv1_json *m = hsv1_find(object, key);
    if (!m || (m->type != HSV1_TRUE && m->type != HSV1_FALSE))
        hsv1_unreadable(c, "member \"%s\" must be true or false", key);
    return m->type == HSV1_TRUE;
}

int hsv1_get_choice(hsv1_checker *c, const hsv1_json *object, const char *key, const char *words)
{
    const char *text = hsv1_get_text(c, object, key);
    const size_t size = strlen(text);
    int place = 0;
    for (const char *p = words; *p; place++) {
        const size_t length = strcspn(p, " ");
        size_t same = 0;
        while (same < length && same < size && (text[same] == ' ' ? '.' : text[same]) == p[same])
            same++;
        if (same == length && same == size) return place;
        p += length + (p[length] == ' ');
    }
    hsv1_unreadable(c, "member \"%s\" is \"%.40s\", expected one of: %s", key, text, words);
}
