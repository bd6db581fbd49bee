
#include "base/base.h"
#include "base/decimal.h"
#include "kernel/expression.h"
#include "kernel/function.h"
#include "kernel/expression_scan.h"

typedef struct parser {
    hsp__scan scan;
    hsp_kernel *kernel;
    int allow;      /* indefinite ones */
    uint32_t space; /* columns that the part at hand looks at */
} parser;

enum { PARSE_MOST = 1000 }; /* nodes: what walks the tree may recurse so deep */

static hsp_status parse_sum(parser *all, uint32_t *node);

/* ---- Nodes ----------------------------------------------------------------------------------- */

static hsp_status parse_node(parser *all, hsp__kernel_node node, uint32_t *out)
{
    hsp_kernel *kernel = all->kernel;
    if (kernel->count == PARSE_MOST)
        return hsp__scan_fail(&all->scan, all->scan.at, "a shorter expression");
    if (!hsp__reserve(&kernel->memory, (void **)&kernel->nodes, &kernel->room, kernel->count + 1,
                      sizeof *kernel->nodes))
        return hsp__fail_memory(all->scan.err);
    if (node.op == HSP__KERNEL_NORMALIZE || node.op == HSP__KERNEL_RESCALE)
        node.place = kernel->places++;
    *out = (uint32_t)kernel->count;
    kernel->nodes[kernel->count++] = node;
    return HSP_OK;
}

static hsp_status parse_leaf(parser *all, hsp__kernel_op op, double p, double q, uint32_t *out)
{
    const hsp__kernel_node node = {op,     HSP__KERNEL_NONE, HSP__KERNEL_NONE,
                                   .p = p, .q = q,           .space = all->space};
    return parse_node(all, node, out);
}

static hsp_status parse_over(parser *all, hsp__kernel_op op, uint32_t left, uint32_t right,
                             uint32_t *out)
{
    const hsp__kernel_node node = {op, left, right, .space = all->space};
    return parse_node(all, node, out);
}

/* What is no kernel for every data: refused with the reason, unless allowed. */
static hsp_status parse_doubt(parser *all, const char *at, const char *reason)
{
    all->kernel->indefinite = 1;
    if (all->allow) return HSP_OK;
    return hsp__fail_at(all->scan.err, HSP_USAGE, "kernel expression", 1,
                        (uint64_t)(at - all->scan.text) + 1,
                        "%s; use --allow-indefinite to accept it anyway", reason);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Is "name=" next? Then it is taken. */
static int parse_named(hsp__scan *scan, const char *name)
{
    const char *before = scan->at, *word;
    const size_t size = hsp__scan_word(scan, &word);
    if (size == strlen(name) && memcmp(word, name, size) == 0 && hsp__scan_take(scan, '='))
        return 1;
    scan->at = before;
    return 0;
}

/* A number with a sign, behind "name=" or not. */
static hsp_status parse_signed(hsp__scan *scan, const char *name, double *number)
{
    if (name) parse_named(scan, name);
    const int minus = hsp__scan_take(scan, '-');
    HSP__TRY(hsp__scan_number(scan, number));
    if (minus) *number = 0 - *number; /* never -0: texts would differ */
    return HSP_OK;
}

/* "(c=0.5)", "(0.5)", "(median)", "(1/d)", ...; nothing: 1 for chi2, the rule scale for rbf. */
static hsp_status parse_width(parser *all, hsp__kernel_op op, uint32_t *out)
{
    hsp__scan *scan = &all->scan;
    const char *word, *expected = "a number above 0, median, 1/d, scale or gamma";
    hsp__kernel_rule rule = op == HSP__KERNEL_RBF ? HSP__RULE_SCALE : HSP__RULE_NUMBER;
    double c = 1;
    if (op == HSP__KERNEL_LAPLACE || hsp__scan_peek(scan) == '(') {
        HSP__TRY(hsp__scan_expect(scan, '(', "'(' and the factor c, as in laplace(0.5)"));
        parse_named(scan, "c");
        hsp__scan_peek(scan);
        const char *at = scan->at;
        const size_t size = hsp__scan_word(scan, &word);
        rule = HSP__RULE_NUMBER;
        if (size) {
            for (rule = HSP__RULE_MEDIAN; rule < HSP__RULES; rule++)
                if (strlen(hsp__kernel_rules[rule]) == size &&
                    memcmp(hsp__kernel_rules[rule], word, size) == 0)
                    break;
            if (rule == HSP__RULES) return hsp__scan_fail(scan, word, expected);
        } else {
            if (!hsp__scan_at_number(scan)) return hsp__scan_fail(scan, at, expected);
            HSP__TRY(hsp__scan_number(scan, &c));
            if (hsp__scan_take(scan, '/')) {
                if (hsp__scan_word(scan, &word) != 1 || *word != 'd' || c != 1)
                    return hsp__scan_fail(scan, at, expected);
                rule = HSP__RULE_ONE_OVER_D;
            }
            if (!(c > 0)) return hsp__scan_fail(scan, at, expected);
        }
        HSP__TRY(hsp__scan_expect(scan, ')', "')'"));
    }
    HSP__TRY(parse_leaf(all, op, c, 0, out));
    all->kernel->nodes[*out].rule = rule;
    return HSP_OK;
}

/* "(degree=3, r=1)", in any order when named; r may be left out, and is 1. */
static hsp_status parse_poly(parser *all, const char *name, uint32_t *out)
{
    hsp__scan *scan = &all->scan;
    double degree = 0, r = 1;
    HSP__TRY(hsp__scan_expect(scan, '(', "'(' and the degree: poly(3, 1) is (<x, y> + 1)^3"));
    const int r_first = parse_named(scan, "r");
    if (r_first) {
        HSP__TRY(parse_signed(scan, NULL, &r));
        HSP__TRY(hsp__scan_expect(scan, ',', "',' and degree="));
    }
    parse_named(scan, "degree");
    HSP__TRY(hsp__scan_whole(scan, 1, 1000, "a whole number from 1 to 1000", &degree));
    if (!r_first && hsp__scan_take(scan, ',')) HSP__TRY(parse_signed(scan, "r", &r));
    HSP__TRY(hsp__scan_expect(scan, ')', "',' or ')'"));
    if (r < 0)
        HSP__TRY(parse_doubt(all, name,
                             "found r < 0, expected r >= 0: only then (<x, y> + r)^n is a sum of "
                             "kernels with non-negative factors"));
    return parse_leaf(all, HSP__KERNEL_POLY, degree, r, out);
}

static hsp_status parse_sigmoid(parser *all, const char *name, uint32_t *out)
{
    hsp__scan *scan = &all->scan;
    double a = 1, b = 0;
    HSP__TRY(
        parse_doubt(all, name, "sigmoid is not a kernel: tanh(a <x, y> + b) has no feature map"));
    HSP__TRY(hsp__scan_expect(scan, '(', "'(' and a, b: sigmoid(a, b) is tanh(a <x, y> + b)"));
    HSP__TRY(parse_signed(scan, "a", &a));
    HSP__TRY(hsp__scan_expect(scan, ',', "','"));
    HSP__TRY(parse_signed(scan, "b", &b));
    HSP__TRY(hsp__scan_expect(scan, ')', "')'"));
    return parse_leaf(all, HSP__KERNEL_SIGMOID, a, b, out);
}

/* A number with a sign; below 0 it is no kernel. */
static hsp_status parse_const(parser *all, const char *doubt, uint32_t *out)
{
    double c = 0;
    hsp__scan_peek(&all->scan);
    const char *at = all->scan.at;
    HSP__TRY(parse_signed(&all->scan, NULL, &c));
    if (c < 0) HSP__TRY(parse_doubt(all, at, doubt));
    return parse_leaf(all, HSP__KERNEL_CONST, c, 0, out);
}

/* ---- Columns --------------------------------------------------------------------------------- */

static hsp_status parse_space_new(parser *all, uint32_t *out)
{
    hsp_kernel *kernel = all->kernel;
    if (!hsp__reserve(&kernel->memory, (void **)&kernel->spaces, &kernel->space_room,
                      kernel->space_count + 1, sizeof *kernel->spaces))
        return hsp__fail_memory(all->scan.err);
    *out = (uint32_t)kernel->space_count;
    kernel->spaces[kernel->space_count++] = (hsp__kernel_space){0};
    return HSP_OK;
}

static hsp_status parse_range(parser *all, hsp__kernel_space *space)
{
    const hsp_allocator *memory = &all->kernel->memory;
    const double base = all->scan.index_base, most = 4294967295.0;
    double from = 0, to;
    hsp__scan_peek(&all->scan);
    const char *at = all->scan.at;
    HSP__TRY(hsp__scan_whole(&all->scan, base, most, "a column's number", &from));
    to = from;
    if (hsp__scan_take(&all->scan, '-'))
        HSP__TRY(hsp__scan_whole(&all->scan, from, most, "the last column of the range", &to));
    if (space->count && (uint64_t)(from - base) < space->to[space->count - 1])
        return hsp__scan_fail(&all->scan, at, "columns in ascending order, none twice");
    uint64_t *first = hsp__resize(memory, space->from, space->count + 1, sizeof *first);
    if (first) space->from = first;
    uint64_t *last = hsp__resize(memory, space->to, space->count + 1, sizeof *last);
    if (last) space->to = last;
    if (!first || !last) return hsp__fail_memory(all->scan.err);
    first[space->count] = (uint64_t)(from - base);
    last[space->count++] = (uint64_t)(to - base) + 1;
    return HSP_OK;
}

/* "(1-10,15; k)". */
static hsp_status parse_cols(parser *all, const char *name, uint32_t *out)
{
    hsp__scan *scan = &all->scan;
    uint32_t space = 0, inside = 0;
    if (all->space) return hsp__scan_fail(scan, name, "cols inside cols; name the columns once");
    HSP__TRY(hsp__scan_expect(scan, '(', "'(' and columns, as in cols(1-10,15; linear)"));
    HSP__TRY(parse_space_new(all, &space));
    do
        HSP__TRY(parse_range(all, &all->kernel->spaces[space]));
    while (hsp__scan_take(scan, ','));
    HSP__TRY(hsp__scan_expect(scan, ';', "',' and more columns, or ';' and a kernel"));
    all->space = space;
    HSP__TRY(parse_sum(all, &inside));
    HSP__TRY(parse_over(all, HSP__KERNEL_COLS, inside, HSP__KERNEL_NONE, out));
    all->space = 0;
    return hsp__scan_expect(scan, ')', "')'");
}

/* ---- What has kernels inside ----------------------------------------------------------------- */

/* "(k)", or with a function of a row "(f, k)". */
static hsp_status parse_inside(parser *all, hsp__kernel_op op, uint32_t *out)
{
    hsp_kernel *kernel = all->kernel;
    hsp__scan *scan = &all->scan;
    const int rescale = op == HSP__KERNEL_RESCALE;
    uint32_t inside = 0, function = 0;
    HSP__TRY(hsp__scan_expect(scan, '(', rescale ? "'(' and f, k" : "'(' and a kernel"));
    if (rescale) {
        if (!hsp__reserve(&kernel->memory, (void **)&kernel->functions, &kernel->function_room,
                          kernel->function_count + 1, sizeof *kernel->functions))
            return hsp__fail_memory(scan->err);
        function = (uint32_t)kernel->function_count++;
        HSP__TRY(hsp__function_parse(scan, &kernel->functions[function]));
        HSP__TRY(hsp__scan_expect(scan, ',', "',' and a kernel"));
    }
    HSP__TRY(parse_sum(all, &inside));
    HSP__TRY(hsp__scan_expect(scan, ')', "')'"));
    HSP__TRY(parse_over(all, op, inside, HSP__KERNEL_NONE, out));
    kernel->nodes[*out].function = function;
    return HSP_OK;
}

static hsp_status parse_name(parser *all, uint32_t *out)
{
    hsp__scan *scan = &all->scan;
    const char *word;
    const size_t size = hsp__scan_word(scan, &word);
    int op = HSP__KERNEL_LINEAR;
    while (op <= HSP__KERNEL_COLS &&
           (!hsp__kernel_names[op] || strlen(hsp__kernel_names[op]) != size ||
            memcmp(hsp__kernel_names[op], word, size) != 0))
        op++;
    switch (op) {
    case HSP__KERNEL_POLY:
        return parse_poly(all, word, out);
    case HSP__KERNEL_SIGMOID:
        return parse_sigmoid(all, word, out);
    case HSP__KERNEL_CONST:
        HSP__TRY(hsp__scan_expect(scan, '(', "'(' and a number"));
        HSP__TRY(
            parse_const(all, "found a negative constant: c k is a kernel only if c >= 0", out));
        return hsp__scan_expect(scan, ')', "')'");
    case HSP__KERNEL_NORMALIZE:
    case HSP__KERNEL_RESCALE:
        return parse_inside(all, (hsp__kernel_op)op, out);
    case HSP__KERNEL_COLS:
        return parse_cols(all, word, out);
    case HSP__KERNEL_RBF:
    case HSP__KERNEL_LAPLACE:
    case HSP__KERNEL_CHI2:
        return parse_width(all, (hsp__kernel_op)op, out);
    case HSP__KERNEL_WAVE:
        HSP__TRY(parse_doubt(all, word,
                             "wave is not a kernel; it is a part of models with Fourier features"));
        break;
    case HSP__KERNEL_COLS + 1:
        return hsp__scan_fail(
            scan, word,
            "a number, '(' or one of linear, poly, rbf, laplace, chi2, "
            "intersection, const, precomputed, sigmoid, normalize, rescale, cols");
    default:
        break;
    }
    return parse_leaf(all, (hsp__kernel_op)op, 0, 0, out);
}

/* ---- The grammar ----------------------------------------------------------------------------- */

static hsp_status parse_factor(parser *all, uint32_t *node)
{
    hsp__scan *scan = &all->scan;
    if (hsp__scan_at_number(scan) || hsp__scan_peek(scan) == '-')
        return parse_const(all, "found a negative factor: c k is a kernel only if c >= 0", node);
    HSP__TRY(hsp__scan_deeper(scan));
    if (hsp__scan_take(scan, '(')) {
        HSP__TRY(parse_sum(all, node));
        HSP__TRY(hsp__scan_expect(scan, ')', "')', or one of + * ^"));
    } else {
        HSP__TRY(parse_name(all, node));
    }
    scan->depth--;
    return HSP_OK;
}

static hsp_status parse_power(parser *all, uint32_t *node)
{
    double power;
    HSP__TRY(parse_factor(all, node));
    if (!hsp__scan_take(&all->scan, '^')) return HSP_OK;
    HSP__TRY(hsp__scan_whole(&all->scan, 1, 1000, "a whole number from 1 to 1000", &power));
    HSP__TRY(parse_over(all, HSP__KERNEL_POWER, *node, HSP__KERNEL_NONE, node));
    all->kernel->nodes[*node].p = power;
    return HSP_OK;
}

static hsp_status parse_product(parser *all, uint32_t *node)
{
    uint32_t right;
    HSP__TRY(parse_power(all, node));
    while (hsp__scan_take(&all->scan, '*')) {
        HSP__TRY(parse_power(all, &right));
        HSP__TRY(parse_over(all, HSP__KERNEL_PRODUCT, *node, right, node));
    }
    return HSP_OK;
}

static hsp_status parse_sum(parser *all, uint32_t *node)
{
    hsp__scan *scan = &all->scan;
    uint32_t right = 0, minus_one = 0;
    HSP__TRY(parse_product(all, node));
    for (;;) {
        const int minus = hsp__scan_peek(scan) == '-';
        if (!minus && hsp__scan_peek(scan) != '+') return HSP_OK;
        const char *at = scan->at++;
        if (minus)
            HSP__TRY(parse_doubt(
                all, at,
                "found a difference: sums of kernels are kernels, but differences may not be"));
        HSP__TRY(parse_product(all, &right));
        if (minus) { /* left + -1 * right */
            HSP__TRY(parse_leaf(all, HSP__KERNEL_CONST, -1, 0, &minus_one));
            HSP__TRY(parse_over(all, HSP__KERNEL_PRODUCT, minus_one, right, &right));
        }
        HSP__TRY(parse_over(all, HSP__KERNEL_SUM, *node, right, node));
    }
}

static hsp_status parse_whole(parser *all)
{
    uint32_t everything;
    HSP__TRY(parse_space_new(all, &everything));
    HSP__TRY(parse_sum(all, &all->kernel->root));
    if (hsp__scan_peek(&all->scan) != 0)
        return hsp__scan_fail(&all->scan, all->scan.at, "one of + * ^, or the end");
    if (all->scan.at < all->scan.end) return hsp__scan_fail(&all->scan, all->scan.at, "the end");
    return hsp__kernel_print(all->kernel, all->scan.err);
}

static hsp_status parse_once(hsp_context *ctx, const char *text, int allow_indefinite,
                             int index_base, hsp_error *err, hsp_kernel **out)
{
    hsp_kernel *kernel = hsp__new(&ctx->allocator, 1, sizeof *kernel);
    if (!kernel) return hsp__fail_memory(err);
    kernel->memory = ctx->allocator;
    kernel->index_base = index_base;
    parser all = {.kernel = kernel, .allow = allow_indefinite};
    all.scan = (hsp__scan){.memory = &kernel->memory,
                           .text = text,
                           .at = text,
                           .end = text + strlen(text),
                           .err = err,
                           .index_base = index_base};
    hsp_status status = parse_whole(&all);
    if (status)
        hsp_kernel_free(kernel);
    else
        *out = kernel;
    return status;
}

/* The canonical text has brackets everywhere; models keep it, so it must be readable, too. */
hsp_status hsp_kernel_parse(hsp_context *ctx, const char *text, int allow_indefinite,
                            int index_base, hsp_error *err, hsp_kernel **out)
{
    HSP__NEED(err, ctx, text, out);
    hsp_kernel *kernel = NULL, *again = NULL;
    hsp_status status = parse_once(ctx, text, allow_indefinite, index_base, err, &kernel);
    if (status) return status;
    if (strcmp(kernel->text, text) != 0)
        status = parse_once(ctx, kernel->text, 1, index_base, err, &again);
    hsp_kernel_free(again);
    if (status == HSP_USAGE)
        status = hsp__fail_at(err, HSP_USAGE, "kernel expression", 1, 1,
                              "the expression is nested too deeply");
    if (status)
        hsp_kernel_free(kernel);
    else
        *out = kernel;
    return status;
}

void hsp_kernel_free(hsp_kernel *kernel)
{
    if (!kernel) return;
    const hsp_allocator memory = kernel->memory;
    for (uint64_t s = 0; s < kernel->space_count; s++) {
        hsp__free(&memory, kernel->spaces[s].from);
        hsp__free(&memory, kernel->spaces[s].to);
    }
    for (uint64_t f = 0; f < kernel->function_count; f++)
        hsp__function_free(&memory, &kernel->functions[f]);
    hsp__free(&memory, kernel->spaces);
    hsp__free(&memory, kernel->functions);
    hsp__free(&memory, kernel->nodes);
    hsp__free(&memory, kernel->text);
    hsp__free(&memory, kernel);
}
