/* Functions of one row, for rescale: sums, products and quotients of norm, x3 (the value in column
 * 3, numbered as in the file), numbers, exp(.) and sqrt(.).
 *
 *     function   part { (+ | -) part }      part   atom { (* | /) atom }
 *     atom       number | - atom | norm | xJ | exp(function) | sqrt(function) | ( function ) */
#ifndef HSP_KERNEL_FUNCTION_H
#define HSP_KERNEL_FUNCTION_H

#include "base/text.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "kernel/expression_scan.h"

typedef enum hsp__function_op {
    HSP__FUNCTION_NUMBER,
    HSP__FUNCTION_NORM,
    HSP__FUNCTION_COLUMN,
    HSP__FUNCTION_ADD,
    HSP__FUNCTION_SUBTRACT,
    HSP__FUNCTION_MULTIPLY,
    HSP__FUNCTION_DIVIDE,
    HSP__FUNCTION_NEGATE,
    HSP__FUNCTION_EXP,
    HSP__FUNCTION_SQRT
} hsp__function_op;

typedef struct hsp__function_step {
    hsp__function_op op;
    double number;
    uint64_t column; /* from 0 */
} hsp__function_step;

/* Steps in the order in which a stack machine takes them. */
typedef struct hsp__function {
    hsp__function_step *steps;
    uint64_t count, room;
    uint32_t depth; /* of the stack, at most */
} hsp__function;

enum { HSP__FUNCTION_DEPTH = 32 };

/* Parse what follows in the text. Free it even after a failure. */
hsp_status hsp__function_parse(hsp__scan *scan, hsp__function *out);
void hsp__function_free(const hsp_allocator *memory, hsp__function *function);
void hsp__function_print(const hsp__function *function, int index_base, hsp__text *text);

/* f(x) of row i of a view. */
double hsp__function_value(const hsp__function *function, const hsp_view *view, uint64_t i);

#endif
