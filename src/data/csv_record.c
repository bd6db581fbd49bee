/* One record into fields, by RFC 4180: a field may stand between double quotes, and then holds
 * separators, newlines, and quotes that are doubled. Spaces around a field do not belong to it. */
#include "base/base.h"
#include "data/csv.h"

static int csv_is_space(const hsp__csv_cursor *cursor, char c)
{
    return c == ' ' || (c == '\t' && cursor->separator != '\t');
}

static const char *csv_skip_spaces(const hsp__csv_cursor *cursor, const char *p)
{
    while (p < cursor->end && csv_is_space(cursor, *p))
        p++;
    return p;
}

/* Is p at the end of a line (or of the text), perhaps with a carriage return before? */
static int csv_at_line_end(const hsp__csv_cursor *cursor, const char *p)
{
    if (p < cursor->end && *p == '\r') p++;
    return p == cursor->end || *p == '\n';
}

/* p is at the end of a line: go behind it. */
static void csv_pass_line(hsp__csv_cursor *cursor, const char *p)
{
    if (p < cursor->end && *p == '\r') p++;
    if (p < cursor->end) {
        p++;
        cursor->line++;
    }
    cursor->at = cursor->line_start = p;
}

int hsp__csv_skip_blank(hsp__csv_cursor *cursor)
{
    while (cursor->at < cursor->end) {
        const char *p = csv_skip_spaces(cursor, cursor->at);
        if (!csv_at_line_end(cursor, p)) return 1;
        csv_pass_line(cursor, p);
    }
    return 0;
}

/* p is behind a field and its spaces, at a separator or the end of the line: go on to the next. */
static void csv_pass_field(hsp__csv_cursor *cursor, const char *p, hsp__csv_field *field)
{
    if (cursor->separator == HSP__CSV_SPACES) p = csv_skip_spaces(cursor, p);
    field->last = csv_at_line_end(cursor, p);
    if (field->last)
        csv_pass_line(cursor, p);
    else
        cursor->at = cursor->separator == HSP__CSV_SPACES ? p : p + 1;
}

static hsp_status csv_stray(const hsp__csv_cursor *cursor, const char *p, const char *what,
                            hsp_error *err)
{
    return hsp__fail_at(err, HSP_BAD_DATA, cursor->file, cursor->line,
                        (uint64_t)(p - cursor->line_start) + 1, "%s", what);
}

/* Count the newlines of [p, q), which lies between quotes. */
static void csv_count_lines(hsp__csv_cursor *cursor, const char *p, const char *q)
{
    while ((p = memchr(p, '\n', (size_t)(q - p)))) {
        p++;
        cursor->line++;
        cursor->line_start = p;
    }
}

/* A field between quotes; `p` is the opening one. */
static hsp_status csv_quoted(hsp__csv_cursor *cursor, const char *p, hsp__csv_field *field,
                             hsp_error *err)
{
    const char *start = p + 1, *quote = memchr(start, '"', (size_t)(cursor->end - start));
    hsp__text *text = cursor->unquoted;
    if (quote) csv_count_lines(cursor, start, quote);
    field->text = start;
    field->size = quote ? (size_t)(quote - start) : 0;
    if (quote && quote + 1 < cursor->end && quote[1] == '"') {
        /* quotes were doubled: put the field together */
        text->size = 0;
        hsp__text_add(text, start, (size_t)(quote - start));
        while (quote && !text->failed && quote + 1 < cursor->end && quote[1] == '"') {
            start = quote + 1; /* the second of the two is kept */
            quote = memchr(start + 1, '"', (size_t)(cursor->end - start - 1));
            if (quote) csv_count_lines(cursor, start, quote);
            if (quote) hsp__text_add(text, start, (size_t)(quote - start));
        }
        hsp__text_room(text, 8);
        if (text->failed) return hsp__fail_memory(err);
        field->text = text->data;
        field->size = text->size;
    }
    cursor->unclosed = !quote;
    if (!quote)
        return hsp__fail_at(err, HSP_BAD_DATA, cursor->file, field->line, field->column,
                            "the quote that opens here is never closed");
    p = csv_skip_spaces(cursor, quote + 1);
    int apart = cursor->separator == HSP__CSV_SPACES ? p > quote + 1
                                                     : p < cursor->end && *p == cursor->separator;
    if (!apart && !csv_at_line_end(cursor, p))
        return csv_stray(cursor, p,
                         "found text after a closing quote, expected the separator or the end of "
                         "the line (double a quote inside quotes)",
                         err);
    csv_pass_field(cursor, p, field);
    return HSP_OK;
}

hsp_status hsp__csv_next(hsp__csv_cursor *cursor, hsp__csv_field *field, hsp_error *err)
{
    const char *p = csv_skip_spaces(cursor, cursor->at);
    field->line = cursor->line;
    field->column = (uint64_t)(p - cursor->line_start) + 1;
    field->quoted = p < cursor->end && *p == '"';
    if (field->quoted) return csv_quoted(cursor, p, field, err);
    const char *stop = p;
    if (cursor->separator != HSP__CSV_SPACES)
        stop = hsp__csv_find_stop(p, cursor->end, cursor->separator);
    else
        while (stop < cursor->end && !memchr(" \t\n\"", *stop, 4))
            stop++;
    if (stop < cursor->end && *stop == '"')
        return csv_stray(cursor, stop,
                         "found a quote in the middle of a field that does not begin with one "
                         "(quote the whole field, and double the quotes in it)",
                         err);
    const char *end = stop;
    if (end > p && end[-1] == '\r' && (stop == cursor->end || *stop == '\n')) end--;
    while (end > p && csv_is_space(cursor, end[-1]))
        end--;
    field->text = p;
    field->size = (size_t)(end - p);
    csv_pass_field(cursor, stop, field);
    return HSP_OK;
}

void hsp__csv_skip_record(hsp__csv_cursor *cursor)
{
    const char *from = cursor->at;
    const uint64_t line = cursor->line;
    hsp__csv_field field = {0};
    while (!field.last)
        if (hsp__csv_next(cursor, &field, NULL)) {
            /* quotes out of place: who knows where it ends. Each line is rejected by itself */
            const char *newline = memchr(from, '\n', (size_t)(cursor->end - from));
            cursor->at = cursor->line_start = newline ? newline + 1 : cursor->end;
            cursor->line = line + (newline != NULL);
            return;
        }
}

void hsp__csv_put(hsp__text *text, const char *field, size_t size, char separator, int quotes)
{
    const char *end = field + size;
    if (size) quotes |= *field == ' ' || end[-1] == ' ';
    for (const char *p = field; !quotes && p < end; p++)
        quotes = *p == separator || *p == '"' || *p == '\r' || *p == '\n' || *p == '\t';
    if (quotes) hsp__text_add(text, "\"", 1);
    for (const char *quote; quotes && (quote = memchr(field, '"', (size_t)(end - field)));) {
        hsp__text_add(text, field, (size_t)(quote + 1 - field));
        hsp__text_add(text, "\"", 1);
        field = quote + 1;
    }
    hsp__text_add(text, field, (size_t)(end - field));
    if (quotes) hsp__text_add(text, "\"", 1);
}
