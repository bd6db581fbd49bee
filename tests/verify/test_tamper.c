/* Certificates made by hand (cases/, make_cases.py) hold; changed so that they are false, they do
 * not. Which changes make them false is known by construction: the separators are the only best
 * ones, the multipliers are bound by equations, the bounds are tight to their last digit, the
 * counts are exact. */
#include <stdint.h>

#include "check.h"
#include "verify/verify.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAMPER_TIMES 100 /* of each kind, where running is slow */
#else
#define TAMPER_TIMES 2000
#define TAMPER_FULL
#endif

typedef enum tamper_how {
    TAMPER_ANY,  /* a digit becomes another */
    TAMPER_UP,   /* a larger one */
    TAMPER_DOWN, /* a smaller one */
    TAMPER_SIGN, /* "-" comes or goes */
    TAMPER_GONE  /* a pair of a list goes */
} tamper_how;

typedef enum tamper_part { TAMPER_ALL, TAMPER_INDEX, TAMPER_VALUE } tamper_part;

/* In the member of this name (the nth of that name), these numbers, changed so, are false. */
static const struct {
    const char *name, *key;
    int nth;
    tamper_part part;
    tamper_how how;
} tamper_kinds[] = {
    {"separable", "w", 0, TAMPER_VALUE, TAMPER_ANY},
    {"separable", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"separable", "w", 0, TAMPER_ALL, TAMPER_GONE},
    {"separable", "b", 0, TAMPER_ALL, TAMPER_ANY},
    {"separable", "b", 0, TAMPER_ALL, TAMPER_SIGN},
    {"separable", "low", 0, TAMPER_ALL, TAMPER_UP},
    {"separable", "high", 0, TAMPER_ALL, TAMPER_DOWN},
    {"separable", "multipliers", 0, TAMPER_ALL, TAMPER_ANY},
    {"separable", "multipliers", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"separable", "multipliers", 0, TAMPER_ALL, TAMPER_GONE},
    {"origin", "low", 0, TAMPER_ALL, TAMPER_UP},
    {"origin", "high", 0, TAMPER_ALL, TAMPER_DOWN},
    {"origin", "multipliers", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"origin", "multipliers", 0, TAMPER_ALL, TAMPER_GONE},
    {"common", "multipliers", 0, TAMPER_ALL, TAMPER_ANY},
    {"common", "multipliers", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"common", "multipliers", 0, TAMPER_ALL, TAMPER_GONE},
    {"line", "multipliers", 0, TAMPER_ALL, TAMPER_ANY},
    {"line", "multipliers", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"line", "multipliers", 0, TAMPER_ALL, TAMPER_GONE},
    {"epsilon", "epsilon", 0, TAMPER_ALL, TAMPER_DOWN},
    {"epsilon", "multipliers", 0, TAMPER_ALL, TAMPER_ANY},
    {"perceptron", "total", 0, TAMPER_ALL, TAMPER_ANY},
    {"perceptron", "w", 0, TAMPER_ALL, TAMPER_ANY},
    {"perceptron", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"perceptron", "b", 0, TAMPER_ALL, TAMPER_ANY},
    {"perceptron", "b", 0, TAMPER_ALL, TAMPER_SIGN},
    {"perceptron", "w", 1, TAMPER_VALUE, TAMPER_SIGN},
    {"perceptron", "b", 1, TAMPER_ALL, TAMPER_SIGN},
    {"passes", "sequence", 0, TAMPER_ALL, TAMPER_ANY},
    {"passes", "passes", 0, TAMPER_ALL, TAMPER_DOWN},
    {"winnow", "total", 0, TAMPER_ALL, TAMPER_ANY},
    {"winnow", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"weighed", "w", 0, TAMPER_ALL, TAMPER_ANY},
    {"weighed", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"weighed", "w", 0, TAMPER_ALL, TAMPER_GONE},
    {"weighed", "total", 0, TAMPER_ALL, TAMPER_ANY},
    {"balanced", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"balanced", "w", 0, TAMPER_VALUE, TAMPER_DOWN},
    {"balanced", "w", 0, TAMPER_ALL, TAMPER_GONE},
    {"balanced", "b", 0, TAMPER_ALL, TAMPER_ANY},
    {"balanced", "b", 0, TAMPER_ALL, TAMPER_SIGN},
    {"balanced", "total", 0, TAMPER_ALL, TAMPER_ANY},
    {"halves", "w", 0, TAMPER_INDEX, TAMPER_ANY},
    {"halves", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"halves", "w", 0, TAMPER_ALL, TAMPER_GONE},
    {"halves", "total", 0, TAMPER_ALL, TAMPER_ANY},
    {"experts", "total", 0, TAMPER_ALL, TAMPER_ANY},
    {"experts", "mistakes", 0, TAMPER_ALL, TAMPER_ANY},
    {"optimal", "w", 0, TAMPER_ALL, TAMPER_ANY},
    {"optimal", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"optimal", "b", 0, TAMPER_ALL, TAMPER_ANY},
    {"optimal", "b", 0, TAMPER_ALL, TAMPER_SIGN},
    {"optimal", "dual", 0, TAMPER_ALL, TAMPER_ANY},
    {"optimal", "dual", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"optimal", "dual", 0, TAMPER_ALL, TAMPER_GONE},
    {"squared", "w", 0, TAMPER_ALL, TAMPER_ANY},
    {"squared", "dual", 0, TAMPER_VALUE, TAMPER_ANY},
    {"squared", "dual", 0, TAMPER_ALL, TAMPER_GONE},
    {"stable", "may_change", 0, TAMPER_ALL, TAMPER_ANY},
    {"stable", "dual", 0, TAMPER_ALL, TAMPER_ANY},
    {"stable", "w", 0, TAMPER_ALL, TAMPER_ANY},
    {"witness", "z", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"witness", "z", 0, TAMPER_ALL, TAMPER_GONE},
    {"gram", "kernel", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"factor", "factor", 0, TAMPER_ALL, TAMPER_UP},
    {"error", "mistakes", 0, TAMPER_ALL, TAMPER_ANY},
    {"error", "shared", 0, TAMPER_ALL, TAMPER_ANY},
    {"error", "rows", 2, TAMPER_ALL, TAMPER_ANY},
    {"error", "upper", 0, TAMPER_ALL, TAMPER_DOWN},
    {"error", "w", 0, TAMPER_VALUE, TAMPER_SIGN},
    {"error", "index_base", 0, TAMPER_ALL, TAMPER_ANY},
    {"error", "index_base", 1, TAMPER_ALL, TAMPER_ANY},
    {"error", "negative", 1, TAMPER_ALL, TAMPER_SIGN}, /* "1" is negative: twice, or the opposite */
    {"error", "positive", 1, TAMPER_ALL, TAMPER_SIGN},
};
#define TAMPER_KINDS (sizeof tamper_kinds / sizeof *tamper_kinds)

/* ---- Cases ----------------------------------------------------------------------------------- */

typedef struct tamper_case {
    char *text[3]; /* certificate, data, test or NULL */
    size_t size[3];
} tamper_case;

static uint64_t tamper_state = 20;
static uint64_t tamper_random(uint64_t below)
{
    tamper_state = tamper_state * 6364136223846793005u + 1442695040888963407u;
    return (tamper_state >> 33) % below;
}

static char *tamper_file(const char *name, const char *ending, size_t *size)
{
    char path[200];
    snprintf(path, sizeof path, "tests/verify/cases/%s.%s", name, ending);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 14);
    *size = fread(text, 1, (1 << 14) - 1, file);
    fclose(file);
    return text;
}

static int tamper_load(const char *name, tamper_case *c)
{
    c->text[0] = tamper_file(name, "json", &c->size[0]);
    c->text[1] = tamper_file(name, "data", &c->size[1]);
    c->text[2] = tamper_file(name, "test", &c->size[2]);
    return c->text[0] && c->text[1];
}

static void tamper_free(tamper_case *c)
{
    for (int i = 0; i < 3; i++)
        free(c->text[i]);
}

static uint64_t tamper_count; /* of certificates checked */

static int tamper_verify(const tamper_case *c)
{
    tamper_count++;
    FILE *files[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        if (c->text[i]) files[i] = fmemopen(c->text[i], c->size[i], "rb");
    const int status = halfspace_verify_streams(files[0], files[1], files[2], NULL, NULL);
    for (int i = 0; i < 3; i++)
        if (files[i]) fclose(files[i]);
    return status;
}

/* ---- Changes --------------------------------------------------------------------------------- */

typedef struct tamper_spot {
    size_t start, end;
} tamper_spot;

/* The numbers in the value of the nth member "key", and where the value ends. */
static size_t tamper_spots(const char *text, const char *key, int nth, tamper_spot *spots)
{
    char name[40];
    size_t count = 0;
    int depth = 0, quoted = 0;
    snprintf(name, sizeof name, "\"%s\":", key);
    const char *p = text;
    for (int i = 0; i <= nth; i++)
        if (!(p = strstr(p, name)))
            return 0;
        else
            p += strlen(name);
    for (; *p && (depth || quoted || (*p != ',' && *p != '}' && *p != '\n')); p++) {
        if (*p == '"') quoted = !quoted;
        if (!quoted) depth += (*p == '[') - (*p == ']');
        if (*p != '-' && (*p < '0' || *p > '9')) continue;
        spots[count].start = (size_t)(p - text);
        while (*p == '-' || *p == '.' || *p == '/' || (*p >= '0' && *p <= '9'))
            p++;
        spots[count++].end = (size_t)(p - text);
        p--;
    }
    return count;
}

static void tamper_digit(char *text, tamper_spot spot, tamper_how how)
{
    const size_t size = spot.end - spot.start;
    for (;;) {
        char *at = text + spot.start + tamper_random(size);
        if (*at < '0' || *at > '9') continue;
        const char digit = (char)('0' + tamper_random(10));
        if (digit == *at || (how == TAMPER_UP && digit < *at) ||
            (how == TAMPER_DOWN && digit > *at))
            continue;
        *at = digit;
        return;
    }
}

static void tamper_sign(tamper_case *c, tamper_spot spot)
{
    char *at = c->text[0] + spot.start, *end = c->text[0] + c->size[0];
    if (*at == '-') {
        memmove(at, at + 1, (size_t)(end - at));
        c->size[0]--;
    } else {
        memmove(at + 1, at, (size_t)(end - at) + 1);
        *at = '-';
        c->size[0]++;
    }
}

/* The pair around a number, and the comma behind or before it. */
static void tamper_gone(tamper_case *c, tamper_spot spot)
{
    char *text = c->text[0];
    size_t start = spot.start, end = spot.end;
    while (text[start] != '[')
        start--;
    while (text[end - 1] != ']')
        end++;
    const size_t behind = strspn(text + end, " \n");
    if (text[end + behind] == ',') {
        end += behind + 1;
    } else {
        do
            start--;
        while (text[start] == ' ' || text[start] == '\n');
        start += text[start] != ',';
    }
    memmove(text + start, text + end, c->size[0] - end + 1);
    c->size[0] -= end - start;
}

static void tamper_kind(size_t k)
{
    tamper_case sound, c;
    tamper_spot spots[100];
    if (!tamper_load(tamper_kinds[k].name, &sound)) {
        CHECK_NOTE(0, "no case %s", tamper_kinds[k].name);
        return;
    }
    const tamper_part part = tamper_kinds[k].part;
    const size_t count =
        tamper_spots(sound.text[0], tamper_kinds[k].key, tamper_kinds[k].nth, spots);
    const size_t step = part == TAMPER_ALL ? 1 : 2, first = part == TAMPER_VALUE;
    CHECK_NOTE(count > first, "%s: no numbers in %s", tamper_kinds[k].name, tamper_kinds[k].key);
    c = sound;
    for (int i = 0; i < TAMPER_TIMES && count > first; i++) {
        char text[1 << 14];
        memcpy(text, sound.text[0], sound.size[0] + 1);
        c.text[0] = text;
        c.size[0] = sound.size[0];
        const tamper_spot spot =
            spots[first + step * tamper_random((count - first + step - 1) / step)];
        if (tamper_kinds[k].how == TAMPER_SIGN)
            tamper_sign(&c, spot);
        else if (tamper_kinds[k].how == TAMPER_GONE)
            tamper_gone(&c, spot);
        else if (tamper_kinds[k].how == TAMPER_ANY || strpbrk(text + spot.start, "0123456789"))
            tamper_digit(text, spot, tamper_kinds[k].how);
        const int status = tamper_verify(&c);
        CHECK_NOTE(status == HALFSPACE_REJECTED || status == HALFSPACE_UNREADABLE,
                   "%s, %s: status %d for %s", tamper_kinds[k].name, tamper_kinds[k].key, status,
                   text);
    }
    tamper_free(&sound);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static const char *const tamper_names[] = {
    "separable", "origin",  "common",   "line",   "epsilon", "perceptron", "passes",
    "winnow",    "weighed", "balanced", "halves", "experts", "optimal",    "squared",
    "stable",    "witness", "gram",     "factor", "error"};
#define TAMPER_CASES (sizeof tamper_names / sizeof *tamper_names)

static void test_sound(void)
{
    for (size_t i = 0; i < TAMPER_CASES; i++) {
        tamper_case c = {0};
        const int there = tamper_load(tamper_names[i], &c);
        CHECK_NOTE(there, "no case %s", tamper_names[i]);
        if (there) CHECK_NOTE(tamper_verify(&c) == HALFSPACE_VERIFIED, "case %s", tamper_names[i]);
        tamper_free(&c);
    }
}

static void test_numbers(void)
{
    for (size_t k = 0; k < TAMPER_KINDS; k++)
        tamper_kind(k);
}

/* Any other byte in a data file. */
static void test_data(void)
{
    for (size_t i = 0; i < TAMPER_CASES; i++) {
        tamper_case c = {0};
        if (!tamper_load(tamper_names[i], &c)) continue;
        for (int k = 0; k < TAMPER_TIMES / 2; k++) {
            const int which = c.text[2] && tamper_random(2) ? 2 : 1;
            char *at = c.text[which] + tamper_random(c.size[which]);
            const char old = *at;
            *at = (char)(old + 1 + (char)tamper_random(254));
            CHECK_NOTE(tamper_verify(&c) == HALFSPACE_REJECTED, "%s: byte %d for %d",
                       tamper_names[i], *at, old);
            *at = old;
        }
        tamper_free(&c);
    }
}

/* Hashes, and the numbers of rows. */
static void test_files(void)
{
    for (size_t i = 0; i < TAMPER_CASES; i++) {
        tamper_case c = {0};
        if (!tamper_load(tamper_names[i], &c)) continue;
        for (int k = 0; k < TAMPER_TIMES / 4; k++) {
            const int second = c.text[2] && tamper_random(2);
            char *at = strstr(c.text[0], "\"sha256\": \"");
            if (second) at = strstr(at + 1, "\"sha256\": \"");
            at += strlen("\"sha256\": \"") + tamper_random(64);
            const char old = *at;
            do
                *at = "0123456789abcdef"[tamper_random(16)];
            while (*at == old);
            CHECK(tamper_verify(&c) == HALFSPACE_REJECTED);
            *at = old;
            tamper_spot spot;
            if (tamper_spots(c.text[0], "rows", second, &spot) != 1) continue;
            char kept[1 << 14];
            memcpy(kept, c.text[0], c.size[0] + 1);
            tamper_digit(c.text[0], spot, TAMPER_ANY);
            CHECK_NOTE(tamper_verify(&c) != HALFSPACE_VERIFIED, "%s", c.text[0]);
            memcpy(c.text[0], kept, c.size[0] + 1);
        }
        tamper_free(&c);
    }
}

/* Every beginning of a certificate. */
static void test_truncated(void)
{
    for (size_t i = 0; i < TAMPER_CASES; i++) {
        tamper_case c = {0};
        if (!tamper_load(tamper_names[i], &c)) continue;
        const size_t size = (size_t)(strrchr(c.text[0], '}') - c.text[0]);
        for (c.size[0] = size; c.size[0] > 0; c.size[0]--)
            CHECK_NOTE(tamper_verify(&c) == HALFSPACE_UNREADABLE, "%s, %zu bytes", tamper_names[i],
                       c.size[0]);
        tamper_free(&c);
    }
}

static void test_enough(void)
{
#ifdef TAMPER_FULL
    CHECK(tamper_count >= 100000);
#else
    CHECK(tamper_count >= 10000);
#endif
}

/* Bytes of the certificate that are anything at all: no crash, whatever is printed. */
static void test_noise(void)
{
    for (size_t i = 0; i < TAMPER_CASES; i++) {
        tamper_case c = {0};
        if (!tamper_load(tamper_names[i], &c)) continue;
        for (int k = 0; k < TAMPER_TIMES; k++) {
            char *at = c.text[0] + tamper_random(c.size[0]);
            const char old = *at;
            *at = (char)tamper_random(256);
            const int status = tamper_verify(&c);
            CHECK(status == HALFSPACE_VERIFIED || status == HALFSPACE_REJECTED ||
                  status == HALFSPACE_UNREADABLE);
            *at = old;
        }
        tamper_free(&c);
    }
}

int main(void)
{
    RUN(test_sound);
    RUN(test_numbers);
    RUN(test_data);
    RUN(test_files);
    RUN(test_truncated);
    RUN(test_enough);
    RUN(test_noise);
    return check_done();
}
