#include "data/kind.h"

#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
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

static hsp_file_kind kind_of_binary(const char *bytes, size_t size)
{
    if (kind_holds(bytes, size, "\"halfspace-model\"")) return HSP_FILE_MODEL;
    if (kind_holds(bytes, size, "\"halfspace-data\"")) return HSP_FILE_CACHE;
    if (kind_holds(bytes, size, "\"halfspace-scaling\"")) return HSP_FILE_SCALING;
    return HSP_FILE_UNKNOWN;
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

/* svm-scale: "x", the bounds of the scaled values, then a line per column: number, least, most. A
 * part "y" about labels may come first. */
static int kind_is_svm_scale(const char *bytes, size_t size)
{
    const char *p = bytes, *end = bytes + size;
    const int labels = kind_begins(bytes, size, "y\n");
    if (!labels && !kind_begins(bytes, size, "x\n")) return 0;
    p += 2;
    return kind_numbers(&p, end) == 2 && kind_numbers(&p, end) == (labels ? 2 : 3);
}

hsp_file_kind hsp__kind_of(const char *bytes, size_t size)
{
    if (hsp__container_looks_like(bytes, size)) return kind_of_binary(bytes, size);
    if (kind_begins(bytes, size, "svm_type ")) return HSP_FILE_LIBSVM_MODEL;
    if (kind_begins(bytes, size, "solver_type ")) return HSP_FILE_LIBLINEAR_MODEL;
    if (kind_is_svm_scale(bytes, size)) return HSP_FILE_SVM_SCALE;
    if (kind_begins(bytes, size, "{") && kind_holds(bytes, size, "\"halfspace certificate\""))
        return HSP_FILE_CERTIFICATE;
    if (kind_begins(bytes, size, "{") && kind_holds(bytes, size, "\"halfspace_encoding\""))
        return HSP_FILE_ENCODING;
    if (hsp__format_looks_like_data(bytes, size)) return HSP_FILE_DATA;
    return HSP_FILE_UNKNOWN;
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

/* How what was expected is made of `found`; NULL when it cannot be. %s is the file. */
static const char *kind_making(hsp_file_kind found, hsp_file_kind expected)
{
    const int data = found == HSP_FILE_DATA || found == HSP_FILE_CACHE;
    const int foreign = found == HSP_FILE_LIBSVM_MODEL || found == HSP_FILE_LIBLINEAR_MODEL;
    if (expected == HSP_FILE_MODEL && foreign)
        return "import it with: halfspace model import %s -o MODEL";
    if (expected == HSP_FILE_MODEL && data)
        return "train one with: halfspace train svm %s -o MODEL";
    if (expected == HSP_FILE_SCALING && data)
        return "make one with: halfspace scale %s OUT --save SCALING";
    if (expected == HSP_FILE_SCALING && found == HSP_FILE_SVM_SCALE)
        return "make one from the training data with: halfspace scale TRAIN OUT --kind min-max "
               "--save SCALING";
    if (expected == HSP_FILE_ENCODING && found == HSP_FILE_DATA)
        return "make one with: halfspace convert %s OUT --save-encoding ENCODING";
    if (expected == HSP_FILE_CERTIFICATE && found == HSP_FILE_DATA)
        return "make one with: halfspace certify %s -o CERT";
    if (expected == HSP_FILE_LIBSVM_MODEL && found == HSP_FILE_MODEL)
        return "it needs no import: halfspace predict %s DATA";
    return NULL;
}

/* What is usually done with a file of this kind. */
static const char *kind_use(hsp_file_kind found)
{
    switch (found) {
    case HSP_FILE_MODEL:
        return "predict with it: halfspace predict %s DATA";
    case HSP_FILE_SCALING:
        return "apply it with: halfspace scale DATA OUT --apply %s";
    case HSP_FILE_ENCODING:
        return "apply it with: halfspace convert DATA OUT --encoding %s";
    case HSP_FILE_CERTIFICATE:
        return "check it with: halfspace verify %s DATA";
    case HSP_FILE_LIBSVM_MODEL:
    case HSP_FILE_LIBLINEAR_MODEL:
        return "import it with: halfspace model import %s -o MODEL";
    default:
        return NULL;
    }
}

hsp_status hsp__kind_fail(hsp_error *err, const char *path, hsp_file_kind found,
                          hsp_file_kind expected)
{
    const char *advice = kind_making(found, expected), *wanted = hsp_file_kind_text(expected);
    if (!advice) advice = kind_use(found);
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
    hsp_file_kind found;
    if (status != HSP_BAD_DATA || hsp_file_kind_of(ctx, path, NULL, &found) ||
        found == HSP_FILE_UNKNOWN || found == expected)
        return status;
    return hsp__kind_fail(err, path, found, expected);
}
