/* JSON (RFC 8259), strictly: a tree in which numbers keep their text. */
#include <string.h>

#include "check.h"

#define JSON_DEPTH 100

typedef struct json_reader {
    hsv_checker *c;
    char *start, *p, *end;
    hsv_json *spare; /* nodes made ahead, spare_count of them */
    size_t spare_count;
} json_reader;

_Noreturn static void json_fail(json_reader *r, const char *expected)
{
    size_t line = 1;
    for (const char *p = r->start; p < r->p; p++)
        line += *p == '\n';
    if (r->p == r->end)
        hsv_unreadable(r->c, "certificate: line %zu: found its end, expected %s", line, expected);
    hsv_unreadable(r->c, "certificate: line %zu: found byte 0x%02x, expected %s", line,
                   (unsigned)(unsigned char)*r->p, expected);
}

static hsv_json *json_new(json_reader *r, hsv_type type)
{
    if (!r->spare_count) {
        r->spare_count = 1000;
        r->spare = hsv_new(r->c, r->spare_count, sizeof *r->spare);
    }
    hsv_json *node = r->spare + --r->spare_count;
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

static hsv_json *json_number(json_reader *r)
{
    hsv_json *node = json_new(r, HSV_NUMBER);
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

static hsv_json *json_word(json_reader *r)
{
    static const struct {
        const char *text;
        hsv_type type;
    } words[] = {{"null", HSV_NULL}, {"false", HSV_FALSE}, {"true", HSV_TRUE}};
    for (size_t i = 0; i < 3; i++) {
        const size_t size = strlen(words[i].text);
        if ((size_t)(r->end - r->p) >= size && !memcmp(r->p, words[i].text, size)) {
            r->p += size;
            return json_new(r, words[i].type);
        }
    }
    json_fail(r, "a value");
}

static hsv_json *json_value(json_reader *r, int depth);

static hsv_json *json_children(json_reader *r, hsv_type type, int depth)
{
    hsv_json *node = json_new(r, type), **last = &node->child;
    const char close = type == HSV_ARRAY ? ']' : '}';
    r->p++;
    if (depth > JSON_DEPTH) json_fail(r, "fewer brackets in brackets");
    if (json_take(r, close)) return node;
    do {
        const char *key = NULL;
        size_t size;
        if (type == HSV_OBJECT) {
            if (!json_take(r, '"')) json_fail(r, "the name of a member");
            key = json_string(r, &size);
            if (strlen(key) != size || hsv_find(node, key)) json_fail(r, "another member before");
            if (!json_take(r, ':')) json_fail(r, "':'");
        }
        *last = json_value(r, depth + 1);
        (*last)->key = key;
        last = &(*last)->next;
        /* A member that is there twice is looked for among all before: keep them few. */
        if (++node->count > 64 && type == HSV_OBJECT) json_fail(r, "fewer members");
    } while (json_take(r, ','));
    if (!json_take(r, close)) json_fail(r, type == HSV_ARRAY ? "',' or ']'" : "',' or '}'");
    return node;
}

static hsv_json *json_value(json_reader *r, int depth)
{
    json_space(r);
    if (r->p == r->end) json_fail(r, "a value");
    if (*r->p == '{') return json_children(r, HSV_OBJECT, depth);
    if (*r->p == '[') return json_children(r, HSV_ARRAY, depth);
    if (*r->p == '-' || (*r->p >= '0' && *r->p <= '9')) return json_number(r);
    if (*r->p != '"') return json_word(r);
    r->p++;
    hsv_json *node = json_new(r, HSV_STRING);
    node->text = json_string(r, &node->size);
    return node;
}

/* text is changed and belongs to the tree; one byte behind it may be written. */
const hsv_json *hsv_parse(hsv_checker *c, char *text, size_t size)
{
    json_reader r = {.c = c, .start = text, .p = text, .end = text + size};
    const hsv_json *root = json_value(&r, 0);
    json_space(&r);
    if (r.p != r.end) json_fail(&r, "nothing more");
    return root;
}

/* ---- Looking things up ----------------------------------------------------------------------- */

const hsv_json *hsv_find(const hsv_json *object, const char *key)
{
    for (const hsv_json *m = object->child; m; m = m->next)
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

void hsv_members(hsv_checker *c, const hsv_json *object, const char *list)
{
    if (object->type != HSV_OBJECT) hsv_unreadable(c, "an object is expected with: %s", list);
    for (const hsv_json *m = object->child; m; m = m->next) {
        if (!strcmp(m->key, "note") && m->type == HSV_STRING) continue;
        if (strchr(m->key, ' ') || !json_listed(list, m->key))
            hsv_unreadable(c, "member \"%.60s\" has no place here", m->key);
    }
}

const hsv_json *hsv_get(hsv_checker *c, const hsv_json *object, const char *key, hsv_type type)
{
    static const char *const names[] = {"null",     "false",    "true",     "a number",
                                        "a string", "an array", "an object"};
    const hsv_json *m = hsv_find(object, key);
    if (!m) hsv_unreadable(c, "member \"%s\" is missing", key);
    if (m->type != type) hsv_unreadable(c, "member \"%s\" is not %s", key, names[type]);
    return m;
}

const char *hsv_get_text(hsv_checker *c, const hsv_json *object, const char *key)
{
    return hsv_get(c, object, key, HSV_STRING)->text;
}

uint64_t hsv_count(hsv_checker *c, const hsv_json *value, const char *what)
{
    uint64_t count = 0;
    if (value->type != HSV_NUMBER || value->size > 15)
        hsv_unreadable(c, "%s: expected a whole number of at most 15 digits", what);
    for (size_t i = 0; i < value->size; i++) {
        if (value->text[i] < '0' || value->text[i] > '9')
            hsv_unreadable(c, "%s: expected a whole number, not below 0", what);
        count = count * 10 + (uint64_t)(value->text[i] - '0');
    }
    return count;
}

uint64_t hsv_get_count(hsv_checker *c, const hsv_json *object, const char *key)
{
    return hsv_count(c, hsv_get(c, object, key, HSV_NUMBER), key);
}

int hsv_get_flag(hsv_checker *c, const hsv_json *object, const char *key)
{
    const hsv_json *m = hsv_find(object, key);
    if (!m || (m->type != HSV_TRUE && m->type != HSV_FALSE))
        hsv_unreadable(c, "member \"%s\" must be true or false", key);
    return m->type == HSV_TRUE;
}

int hsv_get_choice(hsv_checker *c, const hsv_json *object, const char *key, const char *words)
{
    const char *text = hsv_get_text(c, object, key);
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
    hsv_unreadable(c, "member \"%s\" is \"%.40s\", expected one of: %s", key, text, words);
}
