/* Range files of svm-scale, as scalings.
 *
 *     x                     y (with -y: the labels' bounds, least and most; for regression)
 *     lower upper
 *     index least most      a column; (x - least) (upper - lower) / (most - least) + lower
 *     ...
 *
 * svm-scale sets columns to 0 that have no line, or least = most. */
#include "data/range_file.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/source.h"

#define RANGE_FILE_MOST ((size_t)1 << 30)   /* bytes */
#define RANGE_FILE_COLS ((uint64_t)1 << 26) /* columns */

typedef struct range_file {
    const char *name, *at, *end, *line;
    uint64_t number; /* of the line, from 1 */
    hsp_error *err;
    double low, high;
    uint64_t cols, room, factor_room;
    double *shift, *factor; /* cols: 0, 0 for columns without a line */
} range_file;

static hsp_status range_file_fail(const range_file *file, const char *at, const char *expected)
{
    char quoted[HSP__QUOTED];
    const char *stop = at;
    while (stop < file->end && *stop != '\n' && *stop != ' ' && *stop != '\r')
        stop++;
    return hsp__fail_at(file->err, HSP_BAD_DATA, file->name, file->number,
                        (uint64_t)(at - file->line) + 1, "found '%s', expected %s",
                        hsp__quote(at, (size_t)(stop - at), quoted), expected);
}

/* The next line: `count` numbers and nothing else. 0 in *there: the file is at its end. */
static hsp_status range_file_line(range_file *file, int count, const char *expected, double *out,
                                  int *there)
{
    *there = 0;
    for (;; file->number++) { /* past empty lines */
        file->line = file->at;
        while (file->at < file->end && (*file->at == ' ' || *file->at == '\r'))
            file->at++;
        if (file->at == file->end) return HSP_OK;
        if (*file->at != '\n') break;
        file->at++;
    }
    for (int k = 0; k < count; k++) {
        hsp__decimal_result result;
        while (file->at < file->end && *file->at == ' ')
            file->at++;
        const char *stop = hsp__decimal_f64(file->at, file->end, &out[k], &result);
        if (stop == file->at || result != HSP__DECIMAL_OK)
            return range_file_fail(file, file->at, expected);
        file->at = stop;
    }
    while (file->at < file->end && (*file->at == ' ' || *file->at == '\r'))
        file->at++;
    if (file->at < file->end && *file->at != '\n')
        return range_file_fail(file, file->at, "the end of the line");
    if (file->at < file->end) file->at++;
    file->number++;
    *there = 1;
    return HSP_OK;
}

/* Room for columns up to `cols`. */
static hsp_status range_file_grow(hsp_context *ctx, range_file *file, uint64_t cols)
{
    if (!hsp__reserve(&ctx->allocator, (void **)&file->shift, &file->room, cols,
                      sizeof *file->shift) ||
        !hsp__reserve(&ctx->allocator, (void **)&file->factor, &file->factor_room, cols,
                      sizeof *file->factor))
        return hsp__fail_memory(file->err);
    for (; file->cols < cols; file->cols++)
        file->shift[file->cols] = file->factor[file->cols] = 0;
    return HSP_OK;
}

/* The lines of columns, which are numbered from *base. */
static hsp_status range_file_columns(hsp_context *ctx, range_file *file, int *base)
{
    double line[3], last = -1;
    int there;
    for (*base = 1;;) {
        const char *at = file->at;
        HSP__TRY(range_file_line(file, 3, "the number, least and most of a column", line, &there));
        if (!there) return HSP_OK;
        if (line[0] == 0) *base = 0;
        const double factor = (file->high - file->low) / (line[2] - line[1]);
        const double shift = line[1] - file->low / factor;
        const int empty = line[1] == line[2];
        const int sound =
            line[0] > last && floor(line[0]) == line[0] && line[0] < (double)RANGE_FILE_COLS;
        if (!sound || (!empty && !(isfinite(factor) && factor != 0 && isfinite(shift)))) {
            file->number--, file->line = at;
            return range_file_fail(file, at,
                                   sound ? "a column whose range can be scaled"
                                         : "a column's number above the one before");
        }
        last = line[0];
        const uint64_t j = (uint64_t)line[0] - (uint64_t)*base;
        HSP__TRY(range_file_grow(ctx, file, j + 1));
        if (empty) continue;
        file->shift[j] = shift;
        file->factor[j] = factor;
    }
}

hsp_status hsp__range_parse(hsp_context *ctx, const char *text, size_t size, const char *name,
                            hsp_error *err, hsp__range *out)
{
    range_file file = {
        .name = name, .at = text, .end = text + size, .line = text, .number = 1, .err = err};
    double bounds[2] = {0, 0};
    int there = 0, base = 1;
    if (size >= 2 && memcmp(text, "y\n", 2) == 0)
        return hsp__fail_at(err, HSP_BAD_DATA, name, 1, 1,
                            "the range file scales labels too (svm-scale -y), as for regression; "
                            "remove its lines from y up to the line before x");
    if (size < 2 || memcmp(text, "x\n", 2) != 0)
        return range_file_fail(&file, file.at, "x, with which range files of svm-scale begin");
    file.at += 2;
    file.number++;
    HSP__TRY(range_file_line(&file, 2, "the lower and upper bound", bounds, &there));
    if (!there || !(bounds[0] < bounds[1]))
        return hsp__fail_at(err, HSP_BAD_DATA, name, 2, 1, "expected a lower and an upper bound");
    file.low = bounds[0];
    file.high = bounds[1];
    const hsp_status status = range_file_columns(ctx, &file, &base);
    *out = (hsp__range){file.low, file.high, base, file.cols, file.shift, file.factor};
    if (status) hsp__range_free(ctx, out);
    return status;
}

void hsp__range_free(hsp_context *ctx, hsp__range *range)
{
    hsp__free(&ctx->allocator, range->shift);
    hsp__free(&ctx->allocator, range->factor);
    *range = (hsp__range){0};
}

hsp_status hsp__range_read(hsp_context *ctx, const char *path, hsp_error *err, hsp__range *out)
{
    hsp__source *source = NULL;
    char *text = NULL;
    size_t size = 0;
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = hsp__source_read_all(ctx, source, RANGE_FILE_MOST, err, &text, &size);
    if (!status && size > RANGE_FILE_MOST)
        status = hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0, "the range file is too large");
    if (!status) status = hsp__range_parse(ctx, text, size, path, err, out);
    hsp__free(&ctx->allocator, text);
    hsp__source_free(source);
    return status;
}
