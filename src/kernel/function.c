#include "kernel/function.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/sweep.h"

/* ---- Parsing --------------------------------------------------------------------------------- */

typedef struct function_parser {
    hsp__scan *scan;
    hsp__function *out;
    uint32_t held; /* numbers on the stack at this point */
} function_parser;

static hsp_status function_step(function_parser *parser, hsp__function_op op, double number,
                                uint64_t column)
{
    hsp__function *out = parser->out;
    const int takes = op >= HSP__FUNCTION_ADD && op <= HSP__FUNCTION_DIVIDE ? 2
                      : op >= HSP__FUNCTION_NEGATE                          ? 1
                                                                            : 0;
    assert(parser->held >= (uint32_t)takes);
    if (!hsp__reserve(parser->scan->memory, (void **)&out->steps, &out->room, out->count + 1,
                      sizeof *out->steps))
        return hsp__fail_memory(parser->scan->err);
    out->steps[out->count++] = (hsp__function_step){op, number, column};
    parser->held = parser->held + 1 - (uint32_t)takes;
    if (parser->held > out->depth) out->depth = parser->held;
    if (out->depth <= HSP__FUNCTION_DEPTH) return HSP_OK;
    return hsp__scan_fail(parser->scan, parser->scan->at, "a function that is nested less deeply");
}

static hsp_status function_sum(function_parser *parser);

/* "x3": the column, from 0. */
static int function_column(const hsp__scan *scan, const char *word, size_t size, uint64_t *column)
{
    hsp__decimal_result result;
    if (size < 2 || word[0] != 'x') return 0;
    const char *stop = hsp__decimal_u64(word + 1, word + size, column, &result);
    if (result != HSP__DECIMAL_OK || stop != word + size) return 0;
    if (*column < (uint64_t)scan->index_base || *column > UINT32_MAX) return 0;
    *column -= (uint64_t)scan->index_base;
    return 1;
}

static hsp_status function_bracket(function_parser *parser)
{
    hsp_status status = hsp__scan_expect(parser->scan, '(', "'('");
    if (!status) status = hsp__scan_deeper(parser->scan);
    if (!status) status = function_sum(parser);
    if (!status) status = hsp__scan_expect(parser->scan, ')', "')'");
    parser->scan->depth--;
    return status;
}

static hsp_status function_named(function_parser *parser)
{
    const char *word;
    uint64_t column;
    const size_t size = hsp__scan_word(parser->scan, &word);
    if (size == 4 && memcmp(word, "norm", 4) == 0)
        return function_step(parser, HSP__FUNCTION_NORM, 0, 0);
    if (function_column(parser->scan, word, size, &column))
        return function_step(parser, HSP__FUNCTION_COLUMN, 0, column);
    const int is_exp = size == 3 && memcmp(word, "exp", 3) == 0;
    if (!is_exp && !(size == 4 && memcmp(word, "sqrt", 4) == 0))
        return hsp__scan_fail(parser->scan, word,
                              "norm, a column as x3, a number, exp(...) or sqrt(...)");
    hsp_status status = function_bracket(parser);
    return status ? status
                  : function_step(parser, is_exp ? HSP__FUNCTION_EXP : HSP__FUNCTION_SQRT, 0, 0);
}

static hsp_status function_atom(function_parser *parser)
{
    hsp__scan *scan = parser->scan;
    double number;
    hsp_status status;
    if (hsp__scan_take(scan, '-')) {
        status = hsp__scan_deeper(scan);
        if (!status) status = function_atom(parser);
        scan->depth--;
        return status ? status : function_step(parser, HSP__FUNCTION_NEGATE, 0, 0);
    }
    if (hsp__scan_peek(scan) == '(') return function_bracket(parser);
    if (!hsp__scan_at_number(scan)) return function_named(parser);
    status = hsp__scan_number(scan, &number);
    return status ? status : function_step(parser, HSP__FUNCTION_NUMBER, number, 0);
}

static hsp_status function_product(function_parser *parser)
{
    hsp_status status = function_atom(parser);
    while (!status) {
        const int times = hsp__scan_take(parser->scan, '*');
        if (!times && !hsp__scan_take(parser->scan, '/')) break;
        status = function_atom(parser);
        if (!status)
            status =
                function_step(parser, times ? HSP__FUNCTION_MULTIPLY : HSP__FUNCTION_DIVIDE, 0, 0);
    }
    return status;
}

static hsp_status function_sum(function_parser *parser)
{
    hsp_status status = function_product(parser);
    while (!status) {
        const int plus = hsp__scan_take(parser->scan, '+');
        if (!plus && !hsp__scan_take(parser->scan, '-')) break;
        status = function_product(parser);
        if (!status)
            status = function_step(parser, plus ? HSP__FUNCTION_ADD : HSP__FUNCTION_SUBTRACT, 0, 0);
    }
    return status;
}

hsp_status hsp__function_parse(hsp__scan *scan, hsp__function *out)
{
    function_parser parser = {.scan = scan, .out = out};
    *out = (hsp__function){0};
    return function_sum(&parser);
}

void hsp__function_free(const hsp_allocator *memory, hsp__function *function)
{
    hsp__free(memory, function->steps);
    *function = (hsp__function){0};
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* The end of the operand that stops before `end`: where it begins. */
static uint64_t function_begin(const hsp__function *function, uint64_t end)
{
    uint64_t wanted = 1;
    while (wanted) {
        const hsp__function_op op = function->steps[--end].op;
        wanted--;
        if (op >= HSP__FUNCTION_ADD && op <= HSP__FUNCTION_DIVIDE) wanted += 2;
        if (op >= HSP__FUNCTION_NEGATE) wanted += 1;
    }
    return end;
}

/* The operand whose last step is step `last`. Brackets around every sum and difference inside. */
static void function_print(const hsp__function *function, uint64_t last, int index_base,
                           hsp__text *text)
{
    static const char *const signs[] = {" + ", " - ", "*", "/"};
    const hsp__function_step *step = &function->steps[last];
    char number[HSP__DECIMAL_MAX];
    if (step->op == HSP__FUNCTION_NUMBER) {
        hsp__decimal_print_f64(step->number, number);
        hsp__text_puts(text, number);
    } else if (step->op == HSP__FUNCTION_NORM) {
        hsp__text_puts(text, "norm");
    } else if (step->op == HSP__FUNCTION_COLUMN) {
        hsp__text_printf(text, "x%llu",
                         (unsigned long long)step->column + (unsigned long long)index_base);
    } else if (step->op >= HSP__FUNCTION_NEGATE) {
        static const char *const names[] = {"-(", "exp(", "sqrt("};
        hsp__text_puts(text, names[step->op - HSP__FUNCTION_NEGATE]);
        function_print(function, last - 1, index_base, text);
        hsp__text_puts(text, ")");
    } else {
        hsp__text_puts(text, "(");
        function_print(function, function_begin(function, last) - 1, index_base, text);
        hsp__text_puts(text, signs[step->op - HSP__FUNCTION_ADD]);
        function_print(function, last - 1, index_base, text);
        hsp__text_puts(text, ")");
    }
}

void hsp__function_print(const hsp__function *function, int index_base, hsp__text *text)
{
    if (function->count) function_print(function, function->count - 1, index_base, text);
}

/* ---- Values ---------------------------------------------------------------------------------- */

double hsp__function_value(const hsp__function *function, const hsp_view *view, uint64_t i)
{
    double stack[HSP__FUNCTION_DEPTH + 1] = {0};
    double *top = stack; /* the next free place */
    for (uint64_t s = 0; s < function->count; s++) {
        const hsp__function_step *step = &function->steps[s];
        const hsp__row row = hsp__view_row(view, i);
        switch (step->op) {
        case HSP__FUNCTION_NUMBER:
            *top++ = step->number;
            break;
        case HSP__FUNCTION_NORM:
            *top++ = hsp__row_norm(view, &row);
            break;
        case HSP__FUNCTION_COLUMN:
            *top++ = hsp__view_entry(view, i, step->column);
            break;
        case HSP__FUNCTION_ADD:
            top--, top[-1] += top[0];
            break;
        case HSP__FUNCTION_SUBTRACT:
            top--, top[-1] -= top[0];
            break;
        case HSP__FUNCTION_MULTIPLY:
            top--, top[-1] *= top[0];
            break;
        case HSP__FUNCTION_DIVIDE:
            top--, top[-1] /= top[0];
            break;
        case HSP__FUNCTION_NEGATE:
            top[-1] = -top[-1];
            break;
        case HSP__FUNCTION_EXP:
            top[-1] = exp(top[-1]);
            break;
        case HSP__FUNCTION_SQRT:
            top[-1] = sqrt(top[-1]);
            break;
        }
    }
    return top > stack ? top[-1] : 0;
}
