/* The canonical text of a kernel: parsing it gives the same tree. */
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/expression.h"
#include "kernel/function.h"

static void print_number(hsp__text *text, double number)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(number, digits);
    hsp__text_puts(text, digits);
}

static void print_width(hsp__text *text, const char *name, const hsp__kernel_node *node)
{
    hsp__text_printf(text, "%s(c=", name);
    if (node->rule == HSP__RULE_MEDIAN)
        hsp__text_puts(text, "median");
    else if (node->rule == HSP__RULE_ONE_OVER_D)
        hsp__text_puts(text, "1/d");
    else
        print_number(text, node->p);
    hsp__text_puts(text, ")");
}

static void print_node(const hsp_kernel *kernel, uint32_t at, hsp__text *text);

static void print_space(const hsp_kernel *kernel, uint32_t inside, hsp__text *text)
{
    /* Whatever looks at columns below this node looks at the same ones. */
    uint32_t leaf = inside;
    while (kernel->nodes[leaf].left != HSP__KERNEL_NONE)
        leaf = kernel->nodes[leaf].left;
    const hsp__kernel_space *space = &kernel->spaces[kernel->nodes[leaf].space];
    hsp__text_puts(text, "cols(");
    for (uint64_t r = 0; r < space->count; r++) {
        const unsigned long long base = (unsigned long long)kernel->index_base;
        hsp__text_printf(text, r ? ",%llu" : "%llu", (unsigned long long)space->from[r] + base);
        if (space->to[r] > space->from[r] + 1)
            hsp__text_printf(text, "-%llu", (unsigned long long)space->to[r] - 1 + base);
    }
    hsp__text_puts(text, "; ");
    print_node(kernel, inside, text);
    hsp__text_puts(text, ")");
}

/* a + b + c without brackets around a + b: a long sum is not a deep one. */
static void print_chain(const hsp_kernel *kernel, const hsp__kernel_node *node, const char *sign,
                        hsp__text *text)
{
    const hsp__kernel_node *left = &kernel->nodes[node->left];
    if (left->op == node->op)
        print_chain(kernel, left, sign, text);
    else
        print_node(kernel, node->left, text);
    hsp__text_puts(text, sign);
    print_node(kernel, node->right, text);
}

static void print_pair(const hsp_kernel *kernel, const hsp__kernel_node *node, const char *sign,
                       hsp__text *text)
{
    hsp__text_puts(text, "(");
    print_chain(kernel, node, sign, text);
    hsp__text_puts(text, ")");
}

static void print_node(const hsp_kernel *kernel, uint32_t at, hsp__text *text)
{
    const hsp__kernel_node *node = &kernel->nodes[at];
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
        hsp__text_puts(text, "linear");
        return;
    case HSP__KERNEL_POLY:
        hsp__text_printf(text, "poly(degree=%d, r=", (int)node->p);
        print_number(text, node->q);
        hsp__text_puts(text, ")");
        return;
    case HSP__KERNEL_RBF:
        print_width(text, "rbf", node);
        return;
    case HSP__KERNEL_WAVE:
        hsp__text_puts(text, "wave");
        return;
    case HSP__KERNEL_SIGMOID:
        hsp__text_puts(text, "sigmoid(a=");
        print_number(text, node->p);
        hsp__text_puts(text, ", b=");
        print_number(text, node->q);
        hsp__text_puts(text, ")");
        return;
    case HSP__KERNEL_LAPLACE:
        print_width(text, "laplace", node);
        return;
    case HSP__KERNEL_CHI2:
        print_width(text, "chi2", node);
        return;
    case HSP__KERNEL_INTERSECTION:
        hsp__text_puts(text, "intersection");
        return;
    case HSP__KERNEL_CONST:
        hsp__text_puts(text, "const(");
        print_number(text, node->p);
        hsp__text_puts(text, ")");
        return;
    case HSP__KERNEL_PRECOMPUTED:
        hsp__text_puts(text, "precomputed");
        return;
    case HSP__KERNEL_SUM:
        print_pair(kernel, node, " + ", text);
        return;
    case HSP__KERNEL_PRODUCT:
        print_pair(kernel, node, "*", text);
        return;
    case HSP__KERNEL_POWER:
        hsp__text_puts(text, "(");
        print_node(kernel, node->left, text);
        hsp__text_printf(text, ")^%d", (int)node->p);
        return;
    case HSP__KERNEL_NORMALIZE:
        hsp__text_puts(text, "normalize(");
        print_node(kernel, node->left, text);
        hsp__text_puts(text, ")");
        return;
    case HSP__KERNEL_RESCALE:
        hsp__text_puts(text, "rescale(");
        hsp__function_print(&kernel->functions[node->function], kernel->index_base, text);
        hsp__text_puts(text, ", ");
        print_node(kernel, node->left, text);
        hsp__text_puts(text, ")");
        return;
    case HSP__KERNEL_COLS:
        print_space(kernel, node->left, text);
        return;
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
