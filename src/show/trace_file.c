#include "show/trace_file.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/source.h"

#define TRACE_FILE_MOST ((size_t)1 << 30) /* bytes */

enum { TRACE_UPDATE, TRACE_PASS, TRACE_EXAMPLE, TRACE_SCORE, TRACE_OFFSET, TRACE_WEIGHTS };
#define TRACE_COLUMNS 6
static const char *const trace_columns[TRACE_COLUMNS] = {"update", "pass",   "example",
                                                         "score",  "offset", "weights_after"};

typedef struct trace_reader {
    const char *name, *line, *end; /* the line at hand, without its line feed */
    uint64_t number;               /* of it */
    int at[TRACE_COLUMNS];         /* which field each column is */
    hsp_error *err;
    hsp__trace_file *to;
} trace_reader;

static hsp_status trace_bad(const trace_reader *reader, const char *at, const char *expected)
{
    char quoted[HSP__QUOTED];
    const char *end = at;
    while (end < reader->end && *end != ',' && *end != ' ')
        end++;
    return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->name, reader->number,
                        (uint64_t)(at - reader->line) + 1, "found \"%s\", expected %s",
                        hsp__quote(at, (size_t)(end - at), quoted), expected);
}

/* Where field number `field` begins; NULL: the line has fewer. */
static const char *trace_field(const trace_reader *reader, int field)
{
    const char *p = reader->line;
    for (; p && field > 0; field--) {
        p = memchr(p, ',', (size_t)(reader->end - p));
        if (p) p++;
    }
    return p;
}

static int trace_ends(const trace_reader *reader, const char *p)
{
    return p == reader->end || *p == ',';
}

static hsp_status trace_head(trace_reader *reader)
{
    for (int c = 0; c < TRACE_COLUMNS; c++) {
        const size_t size = strlen(trace_columns[c]);
        const char *p;
        reader->at[c] = -1;
        for (int f = 0; (p = trace_field(reader, f)); f++)
            if ((size_t)(reader->end - p) >= size && memcmp(p, trace_columns[c], size) == 0 &&
                trace_ends(reader, p + size))
                reader->at[c] = f;
        if (reader->at[c] < 0)
            return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->name, reader->number, 0,
                                "is no trace of a perceptron: it has no column \"%s\". Write one "
                                "with train perceptron --trace FILE",
                                trace_columns[c]);
    }
    return HSP_OK;
}

static hsp_status trace_count(const trace_reader *reader, int column, uint64_t *out)
{
    hsp__decimal_result result;
    const char *p = trace_field(reader, reader->at[column]);
    const char *end = p ? hsp__decimal_u64(p, reader->end, out, &result) : NULL;
    if (!p || result != HSP__DECIMAL_OK || !trace_ends(reader, end) || *out == 0)
        return trace_bad(reader, p ? p : reader->end, "a whole number from 1");
    return HSP_OK;
}

static hsp_status trace_real(const trace_reader *reader, const char *p, const char **end,
                             double *out)
{
    hsp__decimal_result result = HSP__DECIMAL_NONE;
    *end = p ? hsp__decimal_f64(p, reader->end, out, &result) : NULL;
    if (result != HSP__DECIMAL_OK) return trace_bad(reader, p ? p : reader->end, "a number");
    return HSP_OK;
}

/* The changed weights: "1:-0.5 3:2", ascending, or nothing. */
static hsp_status trace_weights(trace_reader *reader)
{
    hsp__trace_file *to = reader->to;
    const char *p = trace_field(reader, reader->at[TRACE_WEIGHTS]);
    if (!p) return trace_bad(reader, reader->end, "the weights that the update changed");
    uint64_t before = 0, column;
    while (!trace_ends(reader, p)) {
        hsp__decimal_result result;
        const char *colon = hsp__decimal_u64(p, reader->end, &column, &result);
        if (result != HSP__DECIMAL_OK || column <= before || colon == reader->end || *colon != ':')
            return trace_bad(reader, p, "a weight like 3:0.5, in ascending order");
        if (!hsp__reserve(&to->memory, &to->changes, &to->change_room, to->change_count + 1,
                          sizeof *to->changes))
            return hsp__fail_memory(reader->err);
        hsp__trace_change *change = &to->changes[to->change_count];
        change->column = (before = column) - 1;
        HSP__TRY(trace_real(reader, colon + 1, &p, &change->weight));
        to->change_count++;
        if (p < reader->end && *p == ' ') p++;
    }
    return HSP_OK;
}

static hsp_status trace_line(trace_reader *reader)
{
    hsp__trace_file *to = reader->to;
    const char *end;
    hsp__trace_step step = {.first = to->change_count};
    HSP__TRY(trace_count(reader, TRACE_UPDATE, &step.update));
    HSP__TRY(trace_count(reader, TRACE_PASS, &step.pass));
    HSP__TRY(trace_count(reader, TRACE_EXAMPLE, &step.row));
    HSP__TRY(trace_real(reader, trace_field(reader, reader->at[TRACE_SCORE]), &end, &step.score));
    HSP__TRY(trace_real(reader, trace_field(reader, reader->at[TRACE_OFFSET]), &end, &step.offset));
    HSP__TRY(trace_weights(reader));
    step.row--;
    if (!hsp__reserve(&to->memory, &to->steps, &to->step_room, to->count + 2, sizeof *to->steps))
        return hsp__fail_memory(reader->err);
    to->steps[to->count++] = step;
    to->steps[to->count] = (hsp__trace_step){.first = to->change_count};
    return HSP_OK;
}

void hsp__trace_file_free(hsp__trace_file *trace)
{
    hsp__free(&trace->memory, trace->steps);
    hsp__free(&trace->memory, trace->changes);
}

hsp_status hsp__trace_file_parse(hsp_context *ctx, const char *text, size_t size, const char *name,
                                 hsp_error *err, hsp__trace_file *out)
{
    hsp__trace_file trace = {.memory = ctx->allocator};
    trace_reader reader = {.name = name, .err = err, .to = &trace};
    hsp_status status = HSP_OK;
    for (const char *p = text, *end = text + size; !status && p < end; p = reader.end + 1) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        reader.line = p;
        reader.end = feed ? feed : end;
        status = reader.number++ ? trace_line(&reader) : trace_head(&reader);
    }
    if (!status && !trace.count)
        status = hsp__fail_at(err, HSP_BAD_DATA, name, 0, 0,
                              "has no updates, so there is no step to show");
    if (status)
        hsp__trace_file_free(&trace);
    else
        *out = trace;
    return status;
}

hsp_status hsp__trace_file_read(hsp_context *ctx, const char *path, hsp_error *err,
                                hsp__trace_file *out)
{
    hsp__source *source = NULL;
    char *text = NULL;
    size_t size = 0;
    HSP__TRY(hsp__source_open(ctx, path, err, &source));
    hsp_status status = hsp__source_read_all(ctx, source, TRACE_FILE_MOST, err, &text, &size);
    if (!status && size > TRACE_FILE_MOST)
        status = hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                              "is longer than 1 GB; trace fewer updates, with --max-updates");
    if (!status) status = hsp__trace_file_parse(ctx, text, size, path, err, out);
    hsp__source_free(source);
    hsp__free(&ctx->allocator, text);
    return status;
}
