/* The canonical text of a kernel: parsing it gives the same tree. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "kernel/expression.h"
#include "kernel/function.h"

const char *const hsp__kernel_names[] = {[HSP__KERNEL_LINEAR] = "linear",
                                         [HSP__KERNEL_POLY] = "poly",
                                         [HSP__KERNEL_RBF] = "rbf",
                                         [HSP__KERNEL_WAVE] = "wave",
                                         [HSP__KERNEL_SIGMOID] = "sigmoid",
                                         [HSP__KERNEL_LAPLACE] = "laplace",
                                         [HSP__KERNEL_CHI2] = "chi2",
                                         [HSP__KERNEL_INTERSECTION] = "intersection",
                                         [HSP__KERNEL_CONST] = "const",
                                         [HSP__KERNEL_PRECOMPUTED] = "precomputed",
                                         [HSP__KERNEL_NORMALIZE] = "normalize",
                                         [HSP__KERNEL_RESCALE] = "rescale",
                                         [HSP__KERNEL_COLS] = "cols"};

const char *const hsp__kernel_rules[] = {[HSP__RULE_MEDIAN] = "median",
                                         [HSP__RULE_ONE_OVER_D] = "1/d",
                                         [HSP__RULE_SCALE] = "scale",
                                         [HSP__RULE_GAMMA] = "gamma"};

static void print_number(hsp__text *text, const char *before, double number, const char *behind)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(number, digits);
    hsp__text_printf(text, "%s%s%s", before, digits, behind);
}

static void print_node(const hsp_kernel *kernel, uint32_t at, hsp__text *text);

/* "1-10,15; ": whatever looks at columns below this node looks at the same ones. */
static void print_space(const hsp_kernel *kernel, uint32_t inside, hsp__text *text)
{
    const unsigned long long base = (unsigned long long)kernel->index_base;
    uint32_t leaf = inside;
    while (kernel->nodes[leaf].left != HSP__KERNEL_NONE)
        leaf = kernel->nodes[leaf].left;
    const hsp__kernel_space *space = &kernel->spaces[kernel->nodes[leaf].space];
    for (uint64_t r = 0; r < space->count; r++) {
        hsp__text_printf(text, r ? ",%llu" : "%llu", (unsigned long long)space->from[r] + base);
        if (space->to[r] > space->from[r] + 1)
            hsp__text_printf(text, "-%llu", (unsigned long long)space->to[r] - 1 + base);
    }
    hsp__text_puts(text, "; ");
}

/* a + b + c without brackets around a + b: a long sum is not a deep one. */
static void print_chain(const hsp_kernel *kernel, const hsp__kernel_node *node, hsp__text *text)
{
    const hsp__kernel_node *left = &kernel->nodes[node->left];
    if (left->op == node->op)
        print_chain(kernel, left, text);
    else
        print_node(kernel, node->left, text);
    hsp__text_puts(text, node->op == HSP__KERNEL_SUM ? " + " : "*");
    print_node(kernel, node->right, text);
}

static void print_node(const hsp_kernel *kernel, uint32_t at, hsp__text *text)
{
    const hsp__kernel_node *node = &kernel->nodes[at];
    const char *name = hsp__kernel_names[node->op];
    if (name) hsp__text_puts(text, name);
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
    case HSP__KERNEL_WAVE:
    case HSP__KERNEL_INTERSECTION:
    case HSP__KERNEL_PRECOMPUTED:
        return;
    case HSP__KERNEL_POLY:
        hsp__text_printf(text, "(degree=%d", (int)node->p);
        print_number(text, ", r=", node->q, ")");
        return;
    case HSP__KERNEL_SIGMOID:
        print_number(text, "(a=", node->p, "");
        print_number(text, ", b=", node->q, ")");
        return;
    case HSP__KERNEL_CONST:
        print_number(text, "(", node->p, ")");
        return;
    case HSP__KERNEL_RBF:
    case HSP__KERNEL_LAPLACE:
    case HSP__KERNEL_CHI2:
        if (node->rule == HSP__RULE_NUMBER)
            print_number(text, "(c=", node->p, ")");
        else
            hsp__text_printf(text, "(c=%s)", hsp__kernel_rules[node->rule]);
        return;
    case HSP__KERNEL_SUM:
    case HSP__KERNEL_PRODUCT:
        hsp__text_puts(text, "(");
        print_chain(kernel, node, text);
        hsp__text_puts(text, ")");
        return;
    default: /* one kernel inside */
        hsp__text_puts(text, "(");
        if (node->op == HSP__KERNEL_RESCALE) {
            hsp__function_print(&kernel->functions[node->function], kernel->index_base, text);
            hsp__text_puts(text, ", ");
        }
        if (node->op == HSP__KERNEL_COLS) print_space(kernel, node->left, text);
        print_node(kernel, node->left, text);
        hsp__text_puts(text, ")");
        if (node->op == HSP__KERNEL_POWER) hsp__text_printf(text, "^%d", (int)node->p);
    }
}

hsp_status hsp__kernel_print(hsp_kernel *kernel, hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &kernel->memory);
    print_node(kernel, kernel->root, &text);
    if (text.failed) {
        hsp__text_free(&text);
        return hsp__fail_memory(err);
    }
    hsp__free(&kernel->memory, kernel->text);
    kernel->text = text.data; /* the builder's memory is the kernel's */
    return HSP_OK;
}

const char *hsp_kernel_text(const hsp_kernel *kernel)
{
    if (!kernel) return NULL;
    return kernel->text;
}

int hsp_kernel_is_indefinite(const hsp_kernel *kernel)
{
    if (!kernel) return 0;
    return kernel->indefinite;
}

int hsp__kernel_fitted(const hsp_kernel *kernel)
{
    for (uint64_t i = 0; i < kernel->count; i++)
        if (kernel->nodes[i].rule != HSP__RULE_NUMBER) return 0;
    return 1;
}
