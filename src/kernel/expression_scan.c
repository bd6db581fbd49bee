#include "kernel/expression_scan.h"

#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"

static int expression_scan_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int expression_scan_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int expression_scan_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

char hsp__scan_peek(hsp__scan *scan)
{
    while (scan->at < scan->end && expression_scan_is_blank(*scan->at))
        scan->at++;
    return scan->at < scan->end ? *scan->at : 0;
}

int hsp__scan_take(hsp__scan *scan, char c)
{
    if (hsp__scan_peek(scan) != c || scan->at == scan->end) return 0;
    scan->at++;
    return 1;
}

size_t hsp__scan_word(hsp__scan *scan, const char **word)
{
    hsp__scan_peek(scan);
    *word = scan->at;
    if (scan->at == scan->end || !expression_scan_is_letter(*scan->at)) return 0;
    while (scan->at < scan->end &&
           (expression_scan_is_letter(*scan->at) || expression_scan_is_digit(*scan->at)))
        scan->at++;
    return (size_t)(scan->at - *word);
}

hsp_status hsp__scan_fail(hsp__scan *scan, const char *at, const char *expected)
{
    char quoted[HSP__QUOTED];
    const char *stop = at;
    const uint64_t column = (uint64_t)(at - scan->text) + 1;
    if (at >= scan->end)
        return hsp__fail_at(scan->err, HSP_USAGE, "kernel expression", 1, column,
                            "found the end, expected %s", expected);
    if (expression_scan_is_letter(*stop) || expression_scan_is_digit(*stop))
        while (stop < scan->end && (expression_scan_is_letter(*stop) ||
                                    expression_scan_is_digit(*stop) || *stop == '.'))
            stop++;
    else
        stop++;
    return hsp__fail_at(scan->err, HSP_USAGE, "kernel expression", 1, column,
                        "found '%s', expected %s", hsp__quote(at, (size_t)(stop - at), quoted),
                        expected);
}

hsp_status hsp__scan_expect(hsp__scan *scan, char c, const char *what)
{
    return hsp__scan_take(scan, c) ? HSP_OK : hsp__scan_fail(scan, scan->at, what);
}

int hsp__scan_at_number(hsp__scan *scan)
{
    const char c = hsp__scan_peek(scan);
    return expression_scan_is_digit(c) || c == '.';
}

hsp_status hsp__scan_number(hsp__scan *scan, double *number)
{
    hsp__decimal_result result = HSP__DECIMAL_OK;
    if (!hsp__scan_at_number(scan)) return hsp__scan_fail(scan, scan->at, "a number");
    const char *stop = hsp__decimal_f64(scan->at, scan->end, number, &result);
    if (stop == scan->at || result != HSP__DECIMAL_OK || !isfinite(*number))
        return hsp__scan_fail(scan, scan->at, "a finite number");
    scan->at = stop;
    return HSP_OK;
}

hsp_status hsp__scan_whole(hsp__scan *scan, double least, double most, const char *what,
                           double *number)
{
    hsp__scan_peek(scan);
    const char *at = scan->at;
    hsp_status status =
        hsp__scan_at_number(scan) ? hsp__scan_number(scan, number) : hsp__scan_fail(scan, at, what);
    if (status) return status;
    if (*number == floor(*number) && *number >= least && *number <= most) return HSP_OK;
    return hsp__scan_fail(scan, at, what);
}

hsp_status hsp__scan_deeper(hsp__scan *scan)
{
    if (++scan->depth <= HSP__SCAN_DEPTH) return HSP_OK;
    return hsp__fail_at(scan->err, HSP_USAGE, "kernel expression", 1,
                        (uint64_t)(scan->at - scan->text) + 1, "more than %d brackets deep",
                        (int)HSP__SCAN_DEPTH);
}
