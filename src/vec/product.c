#include "vec/product.h"

#include <string.h>

#include "vec/vec.h"

/* This many numbers of each row at a time: the packed rows of B then stay in the second cache. */
enum { PRODUCT_DEPTH = 512, PRODUCT_ROWS = 8, PRODUCT_COLS = HSP__PRODUCT_COLS };

static size_t product_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t hsp__product_packed(size_t depth, size_t size)
{
    return PRODUCT_COLS * depth * size;
}

#define NUM  float
#define TYPE f32
#include "vec/product_type.h"

#define NUM  double
#define TYPE f64
#include "vec/product_type.h"
