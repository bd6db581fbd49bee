/* The dense routines for one instruction set and one pair of types: a template, included by
 * vec_avx2.c and vec_avx512.c, once for each of f32, f64 and f32f64. Before inclusion:
 *
 *     ROW   type of a row's elements             TYPE   the name's ending: f32, f64, f32f64
 *     NUM   type of w, y and the sums            OPS    the operations on NUM: f32 or f64
 *
 * and the instruction set has defined, for OPS, the register type `vec_f32` and `vec_f64`, the
 * number of elements VEC_WIDTH_f32 / _f64 in it, vec_add_f32 and so on; and for a pair of types
 * vec_load_f32f64 (WIDTH elements) and vec_head_f32f64 (the first `count` of them, 0 < count < 32,
 * all WIDTH if count is more, and +0 in the others, without touching memory beyond).
 *
 * The 32 running sums are K registers, and one turn of a loop is 32 elements: element i always
 * meets lane i mod 32, and the fold by registers is the first part of the fold in halves. */

#define VEC_PASTE_(a, b) a##_##b
#define VEC_PASTE(a, b)  VEC_PASTE_(a, b)
#define FN(routine)      VEC_PASTE(vec_##routine, TYPE)  /* of this pair of types */
#define OP(operation)    VEC_PASTE(vec_##operation, OPS) /* of the type computed in */
#define VEC              VEC_PASTE(vec, OPS)
#define WIDTH            ((size_t)VEC_PASTE(VEC_WIDTH, OPS))
#define K                (HSP__VEC_DENSE_SUMS / WIDTH)
#define W_LOAD           VEC_PASTE(vec_load, OPS)
#define W_HEAD           VEC_PASTE(vec_head, OPS)

/* The statement for each j below K, written out: with a loop, compilers keep s[] in memory. */
#define VEC_FOR(j, statement)     \
    do {                          \
        VEC_TURN(j, 0, statement) \
        VEC_TURN(j, 1, statement) \
        VEC_TURN(j, 2, statement) \
        VEC_TURN(j, 3, statement) \
        VEC_TURN(j, 4, statement) \
        VEC_TURN(j, 5, statement) \
        VEC_TURN(j, 6, statement) \
        VEC_TURN(j, 7, statement) \
    } while (0)
#define VEC_TURN(j, turn, statement)      \
    if (turn < K) {                       \
        enum { j = turn < K ? turn : 0 }; \
        statement;                        \
    }

/* s[j] = step(s[j], x) over a row. */
static VEC_INLINE void FN(run1)(VEC *s, const ROW *x, size_t n, VEC (*step)(VEC, VEC))
{
    VEC_FOR(j, s[j] = OP(set1)(0));
    for (; n >= HSP__VEC_DENSE_SUMS; n -= HSP__VEC_DENSE_SUMS, x += HSP__VEC_DENSE_SUMS)
        VEC_FOR(j, s[j] = step(s[j], FN(load)(x + j * WIDTH)));
    VEC_FOR(j, if (n > j * WIDTH) s[j] = step(s[j], FN(head)(x + j * WIDTH, n - j * WIDTH)));
}

/* s[j] = step(s[j], x, w) over a row and a vector. */
static VEC_INLINE void FN(run2)(VEC *s, const ROW *x, const NUM *w, size_t n,
                                VEC (*step)(VEC, VEC, VEC))
{
    VEC_FOR(j, s[j] = OP(set1)(0));
    for (; n >= HSP__VEC_DENSE_SUMS; n -= HSP__VEC_DENSE_SUMS) {
        VEC_FOR(j, s[j] = step(s[j], FN(load)(x + j * WIDTH), W_LOAD(w + j * WIDTH)));
        x += HSP__VEC_DENSE_SUMS;
        w += HSP__VEC_DENSE_SUMS;
    }
    VEC_FOR(j, if (n > j * WIDTH) s[j] = step(s[j], FN(head)(x + j * WIDTH, n - j * WIDTH),
                                              W_HEAD(w + j * WIDTH, n - j * WIDTH)));
}

/* The fold in halves: registers first, then the lanes of the one that is left. */
static VEC_INLINE NUM FN(fold)(VEC *s)
{
    VEC_FOR(j, if (j < K / 2) s[j] = OP(add)(s[j], s[(j + K / 2) % K]));
    VEC_FOR(j, if (j < K / 4) s[j] = OP(add)(s[j], s[(j + K / 4) % K]));
    VEC_FOR(j, if (j < K / 8) s[j] = OP(add)(s[j], s[(j + K / 8) % K]));
    return OP(sum)(s[0]);
}

static NUM FN(dot)(const ROW *x, const NUM *w, size_t n)
{
    VEC s[K];
    FN(run2)(s, x, w, n, OP(add_product));
    return FN(fold)(s);
}

static NUM FN(sqdist)(const ROW *x, const NUM *w, size_t n)
{
    VEC s[K];
    FN(run2)(s, x, w, n, OP(add_sqdiff));
    return FN(fold)(s);
}

static NUM FN(sqnorm)(const ROW *x, size_t n)
{
    VEC s[K];
    FN(run1)(s, x, n, OP(add_square));
    return FN(fold)(s);
}

/* The last elements go one by one: a masked store took longer, for what reads y next cannot be
 * served from it. */
static void FN(axpy)(NUM a, const ROW *x, NUM *y, size_t n)
{
    VEC va = OP(set1)(a);
    size_t i = 0;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        VEC y0 = OP(add_product)(W_LOAD(y + i), va, FN(load)(x + i));
        VEC y1 = OP(add_product)(W_LOAD(y + i + WIDTH), va, FN(load)(x + i + WIDTH));
        OP(store)(y + i, y0);
        OP(store)(y + i + WIDTH, y1);
    }
    if (i + WIDTH <= n) {
        OP(store)(y + i, OP(add_product)(W_LOAD(y + i), va, FN(load)(x + i)));
        i += WIDTH;
    }
    for (; i < n; i++)
        y[i] += a * (NUM)x[i];
}

#ifdef VEC_SAME_TYPE

static NUM FN(norm1)(const ROW *x, size_t n)
{
    VEC s[K];
    FN(run1)(s, x, n, OP(add_abs));
    return FN(fold)(s);
}

static NUM FN(norminf)(const ROW *x, size_t n)
{
    VEC s[K];
    FN(run1)(s, x, n, OP(max_abs));
    VEC_UNROLL
    for (size_t j = 1; j < K; j++)
        s[0] = OP(max_abs)(s[0], s[j]);
    NUM lane[WIDTH];
    OP(store)(lane, s[0]);
    return hsp__vec_scalar.VEC_PASTE(norminf, OPS)(lane, WIDTH);
}

static void FN(scale)(NUM a, ROW *x, size_t n)
{
    VEC va = OP(set1)(a);
    size_t i = 0;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        VEC x0 = OP(mul)(va, FN(load)(x + i)), x1 = OP(mul)(va, FN(load)(x + i + WIDTH));
        OP(store)(x + i, x0);
        OP(store)(x + i + WIDTH, x1);
    }
    if (i + WIDTH <= n) {
        OP(store)(x + i, OP(mul)(va, FN(load)(x + i)));
        i += WIDTH;
    }
    for (; i < n; i++)
        x[i] *= a;
}

#endif

#undef VEC_FOR
#undef VEC_TURN
#undef VEC_PASTE_
#undef VEC_PASTE
#undef FN
#undef OP
#undef VEC
#undef WIDTH
#undef K
#undef W_LOAD
#undef W_HEAD
#undef ROW
#undef NUM
#undef TYPE
#undef OPS
#undef VEC_SAME_TYPE
