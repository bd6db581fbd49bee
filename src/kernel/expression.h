/* Kernel expressions as trees.
 *
 *     expression   term { + term }
 *     term         power { * power }
 *     power        factor [ ^ whole number ]
 *     factor       number | ( expression ) | name [ ( arguments ) ]
 *
 *     linear                    <x, y>
 *     poly(degree=3, r=1)       (<x, y> + r)^degree
 *     rbf(c=C)                  exp(-C ||x - y||^2); C a number; 1/d; median: 1 over the median of
 *                               what it is multiplied with; scale: 1/(d var), which is meant by rbf
 *                               alone; or gamma: given apart from the expression
 *     laplace(c=C)              exp(-C ||x - y||_1)
 *     chi2(c=C)                 exp(-C sum (x - y)^2 / (x + y)), for values >= 0
 *     intersection              sum min(x, y), for values >= 0
 *     const(C), or a number     C
 *     precomputed               the entry of a Gram matrix that was given as data
 *     sigmoid(a, b)             tanh(a <x, y> + b): no kernel, allowed on request only
 *     wave                      cos <x, y> + sin <x, y>: no kernel either; Fourier features
 *     normalize(k)              k(x, y) / sqrt(k(x, x) k(y, y))
 *     rescale(f, k)             f(x) f(y) k(x, y); f: see function.h
 *     cols(1-10,15; k)          k on these columns only, numbered as in the file
 *
 * Closed under sums, products and powers, so whatever this grammar makes of kernels is one; a
 * factor below 0, a difference, r < 0 and sigmoid are refused unless indefinite ones are allowed.
 */
#ifndef HSP_KERNEL_EXPRESSION_H
#define HSP_KERNEL_EXPRESSION_H

#include "base/context.h"
#include "halfspace_all.h"

typedef enum hsp__kernel_op {
    HSP__KERNEL_LINEAR,
    HSP__KERNEL_POLY,
    HSP__KERNEL_RBF,
    HSP__KERNEL_WAVE,
    HSP__KERNEL_SIGMOID, /* up to here: of the inner product and the norms */
    HSP__KERNEL_LAPLACE,
    HSP__KERNEL_CHI2,
    HSP__KERNEL_INTERSECTION, /* up to here: of the columns, one by one */
    HSP__KERNEL_CONST,
    HSP__KERNEL_PRECOMPUTED,
    HSP__KERNEL_SUM,
    HSP__KERNEL_PRODUCT,
    HSP__KERNEL_POWER,
    HSP__KERNEL_NORMALIZE,
    HSP__KERNEL_RESCALE,
    HSP__KERNEL_COLS
} hsp__kernel_op;

typedef enum hsp__kernel_rule {
    HSP__RULE_NUMBER,
    HSP__RULE_MEDIAN,
    HSP__RULE_ONE_OVER_D,
    HSP__RULE_SCALE, /* 1 / (d var), var of all entries of the d columns, zeros included */
    HSP__RULE_GAMMA, /* a number that comes with hsp__kernel_set_gamma */
    HSP__RULES
} hsp__kernel_rule;

#define HSP__KERNEL_NONE UINT32_MAX

typedef struct hsp__kernel_node {
    hsp__kernel_op op;
    uint32_t left, right;  /* nodes; HSP__KERNEL_NONE: none */
    double p, q;           /* c; degree, r; a, b; power */
    hsp__kernel_rule rule; /* where p comes from */
    uint32_t space;        /* of what looks at columns: which; 0: all of them */
    uint32_t function;     /* of rescale */
    uint32_t place;        /* of normalize and rescale: which of the numbers kept with each row */
} hsp__kernel_node;

/* Columns that a part of the expression looks at: ascending ranges [from, to). */
typedef struct hsp__kernel_space {
    uint64_t count;
    uint64_t *from, *to;
} hsp__kernel_space;

struct hsp_kernel {
    hsp_allocator memory;
    hsp__kernel_node *nodes; /* count; a node stands behind the nodes it is made of */
    uint64_t count, room;
    uint32_t root;
    hsp__kernel_space *spaces; /* spaces of them; [0] is all columns and has no ranges */
    uint64_t space_count, space_room;
    struct hsp__function *functions; /* of rescale */
    uint64_t function_count, function_room;
    uint32_t places; /* numbers kept with each row */
    int indefinite;  /* something in it may not be a kernel */
    int index_base;  /* the number of the first column in the text */
    char *text;      /* canonical; made again when a rule becomes a number */
};

/* What a kernel is called in an expression; NULL: it is written with a sign. */
extern const char *const hsp__kernel_names[HSP__KERNEL_COLS + 1];

/* A rule as it is written; NULL: a number. */
extern const char *const hsp__kernel_rules[HSP__RULES];

/* Give every rule `gamma`, and every rbf that has no factor of its own, this factor. Returns how
 * many took it; 0: the expression has none. The text is made again by hsp_kernel_fit. */
uint64_t hsp__kernel_set_gamma(hsp_kernel *kernel, double gamma);

/* The text from the tree, into kernel->text. */
hsp_status hsp__kernel_print(hsp_kernel *kernel, hsp_error *err);

/* Does every rule have its number? */
int hsp__kernel_fitted(const hsp_kernel *kernel);

#endif
