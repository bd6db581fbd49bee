#include <strings.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/container.h"
#include "data/formats.h"
#include "data/source.h"

#define KIND_TEXT(kind, text) text,
static const char *const kind_texts[] = {HSP_FILE_KIND_MAP(KIND_TEXT)};

const char *hsp_file_kind_text(hsp_file_kind kind)
{
    return (unsigned)kind < HSP_FILE_KIND_COUNT ? kind_texts[kind] : kind_texts[HSP_FILE_UNKNOWN];
}

/* ---- By the first bytes ---------------------------------------------------------------------- */

static int kind_begins(const char *bytes, size_t size, const char *word)
{
    return size >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

static int kind_holds(const char *bytes, size_t size, const char *word)
{
    return memmem(bytes, size < 4096 ? size : 4096, word, strlen(word)) != NULL;
}

/* How many numbers, and nothing else, stand in the line at *p; *p moves behind it. -1: not so. */
static int kind_numbers(const char **p, const char *end)
{
    int count = 0;
    for (;; count++) {
        double value;
        hsp__decimal_result result;
        while (*p < end && (**p == ' ' || **p == '\r'))
            (*p)++;
        if (*p == end || **p == '\n') break;
        const char *next = hsp__decimal_f64(*p, end, &value, &result);
        if (next == *p) return -1;
        *p = next;
    }
    *p += *p < end;
    return count;
}

/* "libsvm", "csv" or "tsv" by the look of the first line that is neither blank nor a comment, which
 * begins at *line; NULL: none of them. */
static const char *kind_of_rows(const char *text, size_t size, const char **line)
{
    const char *end = text + size, *stop = text;
    for (; text < end; text = stop + (stop < end)) {
        stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        const char *p = text;
        while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        if (p < stop && *p != '#') break;
    }
    *line = text;
    if (text == end) return NULL;
    /* libsvm text: a label, then nothing but index:value tokens */
    int tokens = 0, colons = 1;
    const char *p = text, *word;
    for (size_t length; colons && hsp__libsvm_word(&p, stop, &word, &length);)
        if (tokens++) colons = memchr(word, ':', length) != NULL;
    if (tokens > 1 && colons) return "libsvm";
    const size_t length = (size_t)(stop - text);
    if (length >= 5 && strncasecmp(text, "sep=", 4) == 0) return "csv"; /* a spreadsheet's */
    const int comma = memchr(text, ',', length) != NULL;
    if (memchr(text, '\t', length) && !comma) return "tsv";
    return comma || memchr(text, ';', length) ? "csv" : NULL;
}

hsp_file_kind hsp__kind_of(const char *bytes, size_t size)
{
    const char *p, *end = bytes + size;
    if (hsp__container_looks_like(bytes, size)) {
        if (kind_holds(bytes, size, "\"halfspace-model\"")) return HSP_FILE_MODEL;
        if (kind_holds(bytes, size, "\"halfspace-data\"")) return HSP_FILE_CACHE;
        if (kind_holds(bytes, size, "\"halfspace-scaling\"")) return HSP_FILE_SCALING;
        return HSP_FILE_UNKNOWN;
    }
    if (kind_begins(bytes, size, "svm_type ")) return HSP_FILE_LIBSVM_MODEL;
    if (kind_begins(bytes, size, "solver_type ")) return HSP_FILE_LIBLINEAR_MODEL;
    /* svm-scale: "x", the bounds of the scaled values, then a line per column: number, least,
     * most. A part "y" about labels may come first. */
    const int labels = kind_begins(bytes, size, "y\n");
    p = bytes + 2;
    if ((labels || kind_begins(bytes, size, "x\n")) && kind_numbers(&p, end) == 2 &&
        kind_numbers(&p, end) == (labels ? 2 : 3))
        return HSP_FILE_SVM_SCALE;
    if (kind_begins(bytes, size, "{") && kind_holds(bytes, size, "\"halfspace certificate\""))
        return HSP_FILE_CERTIFICATE;
    if (kind_begins(bytes, size, "{") && kind_holds(bytes, size, "\"halfspace_encoding\""))
        return HSP_FILE_ENCODING;
    if (kind_of_rows(bytes, size, &p) && *p != '{' && !memchr(p, 0, (size_t)(end - p)))
        return HSP_FILE_DATA;
    return HSP_FILE_UNKNOWN;
}

const char *hsp__format_by_name(const char *path)
{
    static const char *const endings[][2] = {
        {".svm", "libsvm"}, {".libsvm", "libsvm"}, {".svmlight", "libsvm"}, {".csv", "csv"},
        {".tsv", "tsv"},    {".hsp", "hsp"},       {".safetensors", "hsp"}};
    const size_t size = hsp__output_plain_size(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i][0]);
        if (size > length && memcmp(path + size - length, endings[i][0], length) == 0)
            return endings[i][1];
    }
    return NULL;
}

/* The format of the part at hand. */
static hsp_status kind_of_part(hsp__source *source, hsp_error *err, const char **format)
{
    const char *text, *line, *name = source->part_names[source->part];
    size_t size;
    HSP__TRY(hsp__source_peek(source, 0, err, &text, &size));
    const hsp_file_kind kind = hsp__kind_of(text, size);
    if (kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_DATA && kind != HSP_FILE_CACHE)
        return hsp__kind_fail(err, name, kind, HSP_FILE_DATA);
    *format = "hsp";
    if (size >= 16 && hsp__container_looks_like(text, size)) return HSP_OK;
    *format = hsp__format_by_name(name);
    if (!*format) *format = kind_of_rows(text, size, &line);
    if (!*format) *format = "libsvm";
    return HSP_OK;
}

static hsp_status kind_fail_binary(const hsp__source *source, hsp_error *err)
{
    return hsp__fail_at(err, HSP_USAGE, source->part_names[source->part], 0, 0,
                        "a binary file is read alone; several files must be text (libsvm, CSV or "
                        "TSV)");
}

static hsp_status kind_begin_part(void *user, hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    (void)user;
    (void)ctx;
    return hsp__format_check_part(source, err);
}

hsp_status hsp__format_find(hsp__source *source, const hsp_options *options, hsp_error *err,
                            const char **format)
{
    *format = options ? hsp_options_text(options, "format") : "auto";
    source->begin = kind_begin_part;
    if (strcmp(*format, "auto") == 0) {
        HSP__TRY(kind_of_part(source, err, format));
        source->format = *format;
    }
    if (strcmp(*format, "hsp") == 0 && source->parts > 1) return kind_fail_binary(source, err);
    return HSP_OK;
}

hsp_status hsp__format_check_part(hsp__source *source, hsp_error *err)
{
    const char *format = NULL, *first = source->format;
    if (!first) return HSP_OK;
    HSP__TRY(kind_of_part(source, err, &format));
    assert(format);
    if (strcmp(format, "hsp") == 0) return kind_fail_binary(source, err);
    const char *text;
    size_t size;
    HSP__TRY(hsp__source_peek(source, 0, err, &text, &size));
    if (strcmp(format, first) == 0 || !size) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, source->part_names[source->part], 0, 0,
                        "the format is %s, expected %s as in %s; --format sets the format of all "
                        "files",
                        format, first, source->part_names[0]);
}

hsp_status hsp_file_kind_of(hsp_context *ctx, const char *path, hsp_error *err, hsp_file_kind *out)
{
    HSP__NEED(err, ctx, path, out);
    const char *first;
    size_t size;
    struct stat info;
    hsp__source *source = NULL;
    *out = HSP_FILE_UNKNOWN;
    if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return HSP_OK; /* what is looked at there is gone */
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = hsp__source_peek(source, 0, err, &first, &size);
    if (!status) *out = hsp__kind_of(first, size);
    hsp__source_free(source);
    return status;
}

/* ---- What to do ------------------------------------------------------------------------------ */

/* How what was expected is made of what was found, or else what is usually done with that; %s is
 * the file. The first line that fits counts. */
static const char *kind_advice(hsp_file_kind found, hsp_file_kind expected)
{
    static const struct {
        int found, expected; /* expected -1: anything */
        const char *advice;
    } lines[] = {
        {HSP_FILE_LIBSVM_MODEL, -1, "predict with it: halfspace predict %s DATA"},
        {HSP_FILE_LIBLINEAR_MODEL, -1, "predict with it: halfspace predict %s DATA"},
        {HSP_FILE_DATA, HSP_FILE_MODEL, "train one with: halfspace train svm %s -o MODEL"},
        {HSP_FILE_CACHE, HSP_FILE_MODEL, "train one with: halfspace train svm %s -o MODEL"},
        {HSP_FILE_DATA, HSP_FILE_SCALING, "make one with: halfspace scale %s OUT --save SCALING"},
        {HSP_FILE_CACHE, HSP_FILE_SCALING, "make one with: halfspace scale %s OUT --save SCALING"},
        {HSP_FILE_SVM_SCALE, -1, "apply it with: halfspace scale DATA OUT --apply %s"},
        {HSP_FILE_DATA, HSP_FILE_ENCODING,
         "make one with: halfspace convert %s OUT --save-encoding ENCODING"},
        {HSP_FILE_DATA, HSP_FILE_CERTIFICATE, "make one with: halfspace certify %s -o CERT"},
        {HSP_FILE_MODEL, HSP_FILE_LIBSVM_MODEL, "it needs no import: halfspace predict %s DATA"},
        {HSP_FILE_MODEL, -1, "predict with it: halfspace predict %s DATA"},
        {HSP_FILE_SCALING, -1, "apply it with: halfspace scale DATA OUT --apply %s"},
        {HSP_FILE_ENCODING, -1, "apply it with: halfspace convert DATA OUT --encoding %s"},
        {HSP_FILE_CERTIFICATE, -1, "check it with: halfspace verify %s DATA"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].found == (int)found &&
            (lines[i].expected < 0 || lines[i].expected == (int)expected))
            return lines[i].advice;
    return NULL;
}

hsp_status hsp__kind_fail(hsp_error *err, const char *path, hsp_file_kind found,
                          hsp_file_kind expected)
{
    const char *advice = kind_advice(found, expected), *wanted = hsp_file_kind_text(expected);
    if (expected == HSP_FILE_LIBSVM_MODEL) wanted = "a model of LIBSVM or LIBLINEAR";
    if (!advice)
        return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0, "this is %s, expected %s",
                            hsp_file_kind_text(found), wanted);
    const char *rest = strstr(advice, "%s");
    const int before = (int)(rest ? (size_t)(rest - advice) : strlen(advice));
    return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0, "this is %s, expected %s; %.*s%s%s",
                        hsp_file_kind_text(found), wanted, before, advice, rest ? path : "",
                        rest ? rest + 2 : "");
}

hsp_status hsp__kind_explain(hsp_context *ctx, const char *path, hsp_file_kind expected,
                             hsp_status status, hsp_error *err)
{
    hsp_file_kind found = HSP_FILE_UNKNOWN;
    if (status != HSP_BAD_DATA || hsp_file_kind_of(ctx, path, NULL, &found) ||
        found == HSP_FILE_UNKNOWN || found == expected)
        return status;
    return hsp__kind_fail(err, path, found, expected);
}
