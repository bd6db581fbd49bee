/* vec: the numeric routines under every learner, and the order in which they add.
 *
 * Three kinds of row:
 *     dense    n numbers
 *     sparse   nnz numbers v[k] at places idx[k]; idx strictly ascending, everything else is 0
 *     ones     as sparse, and every number is 1: places only
 * A dense vector used with a sparse row (w, y) holds more than idx[nnz - 1] numbers.
 *
 * Names end in the type: _f64 works in double; _f32f64 takes a float row and a double vector and
 * computes in double (each row element is converted first, exactly); _f32 works in float.
 *
 * The specification. Every table below gives the same bits for the same input (a NaN is a NaN:
 * its sign and payload are not specified), on every machine with IEEE arithmetic in the default
 * rounding. For that, the order of every sum is fixed and each product is rounded before it is
 * added (no fused multiply-add):
 *
 *  1. A dense sum has 32 running sums, a sum over a sparse row has 8. They start at +0. Term k is
 *     added to running sum k mod 32 (k mod 8), k ascending.
 *  2. The L running sums fold in halves: s[j] += s[j + L/2] for j < L/2, then L/4, ... and the
 *     result is s[0].
 *  3. Element-wise results (axpy, scale) round the product, then the sum: y = y + (a * x).
 *  4. norminf is the largest magnitude, and NaN if the row has a NaN.
 *
 * A sum that starts at +0 never becomes -0 (only -0 + -0 gives -0), so adding +0 leaves it alone:
 * a short last block padded with zeros equals one that stops early, and an empty sum is +0.
 *
 * Why 32: four registers of AVX-512 doubles, eight of AVX2: enough chains to hide the latency of
 * an addition. Why 8 for sparse: rows there are short (14 to 75 places are
 * typical), loads of scattered numbers and not additions are the limit, and 16 sums or the
 * processor's gather instruction measured slower, a lone chain slower still on uneven rows. The
 * routines do not prefetch: a row's own loads already run ahead of its additions. A caller that
 * knows the rows to come may prefetch w at the places of the second next row; measured, that costs
 * while w is in the second cache (0.5 to 0.9 ns a place), saves a third of dot-then-axpy when w is
 * in the third (8 MB: 3.6 to 2.3 ns) and changes little when w is in memory (160 MB: 8.6 to 8.3
 * ns).
 *
 * No routine writes or reads outside its arrays. Rows may have any alignment; rows that start at a
 * multiple of 64 bytes are faster. y must not overlap x, v or idx. */
#ifndef HSP_VEC_VEC_H
#define HSP_VEC_VEC_H

#include <stddef.h>
#include <stdint.h>

enum {
    HSP__VEC_DENSE_SUMS = 32, /* running sums of a dense sum */
    HSP__VEC_SPARSE_SUMS = 8, /* running sums of a sum over a sparse row */
    HSP__VEC_TILE_ROWS = 8,   /* of the tile that matrix products are made of */
    HSP__VEC_TILE_COLS = 24,
    HSP__VEC_BYTE_ROWS = 4, /* of the tile that products of bytes are made of */
    HSP__VEC_BYTE_COLS = 96,
    HSP__VEC_BYTE_WORDS = HSP__VEC_BYTE_COLS / 16, /* of 16 bits: a bit each */
    HSP__VEC_LANES = 16, /* points or boxes whose distances are computed at once */
};

enum { HSP__VEC_EXTREMES = 16, HSP__VEC_COUNTS = 64, HSP__VEC_OUTER = 8 };

/* Numbers as bytes: sums of squares of what rounding, and of what clipping and rounding left over;
 * of the bytes' squares, and of the bytes. */
typedef struct hsp__vec_code {
    double rounded, left;
    int32_t squares, sum;
} hsp__vec_code;

/* Two groups of numbers: sign y = 1 and factor c = factor[1] where the label is `positive`, else -1
 * and factor[0]. */
typedef struct hsp__vec_groups {
    const uint32_t *labels;
    uint32_t positive;
    double factor[2];
} hsp__vec_groups;

enum { HSP__VEC_GAUSS = 16 }; /* see gauss_sums */

typedef struct hsp__vec_table {
    const char *name; /* "scalar", "avx2", "avx512" */

    /* Dense rows: x and w have n numbers. */
    double (*dot_f64)(const double *x, const double *w, size_t n);      /* sum x*w */
    double (*dot_f32f64)(const float *x, const double *w, size_t n);    /* sum x*w */
    double (*sqdist_f64)(const double *x, const double *w, size_t n);   /* sum (x-w)^2 */
    double (*sqdist_f32f64)(const float *x, const double *w, size_t n); /* sum (x-w)^2 */
    double (*sqnorm_f64)(const double *x, size_t n);                    /* sum x^2 */
    double (*sqnorm_f32f64)(const float *x, size_t n);                  /* sum x^2 */
    double (*norm1_f64)(const double *x, size_t n);                     /* sum |x| */
    double (*norminf_f64)(const double *x, size_t n);                   /* max |x|, 0 if n = 0 */
    void (*axpy_f64)(double a, const double *x, double *y, size_t n);   /* y += a*x */
    void (*axpy_f32f64)(double a, const float *x, double *y, size_t n); /* y += a*x */
    void (*scale_f64)(double a, double *x, size_t n);                   /* x *= a */

    /* Sparse row and dense vector. Norms of a sparse row are the dense routines over v. */
    double (*sparse_dot_f64)(const uint32_t *idx, const double *v, size_t nnz, const double *w);
    double (*sparse_dot_f32f64)(const uint32_t *idx, const float *v, size_t nnz, const double *w);
    void (*sparse_axpy_f64)(double a, const uint32_t *idx, const double *v, size_t nnz, double *y);
    void (*sparse_axpy_f32f64)(double a, const uint32_t *idx, const float *v, size_t nnz,
                               double *y);

    /* Outer products of eight numbers by eight, summed: c[i * side + j] += sum over the bits r of
     * `rows`, ascending, of a[r * 8 + i] * b[r * 8 + j], i, j < 8. */
    void (*outer_f32f64)(uint64_t rows, const double *a, const float *b, double *c, size_t side);

    /* Row of ones and dense vector: the gathered sum, and y[idx[k]] += a. */
    double (*ones_dot_f64)(const uint32_t *idx, size_t nnz, const double *w);
    void (*ones_axpy_f64)(double a, const uint32_t *idx, size_t nnz, double *y);

    /* The dot products of one sparse row with many vectors at once, whose numbers at a place lie
     * side by side: w[idx * stride + c] for c < many, many a multiple of 8. out[c] has the bits of
     * sparse_dot (ones_dot) with vector c. */
    void (*sparse_dots_f64)(const uint32_t *idx, const double *v, size_t nnz, const double *w,
                            size_t stride, size_t many, double *out);
    void (*sparse_dots_f32f64)(const uint32_t *idx, const float *v, size_t nnz, const double *w,
                               size_t stride, size_t many, double *out);
    void (*ones_dots_f64)(const uint32_t *idx, size_t nnz, const double *w, size_t stride,
                          size_t many, double *out);

    /* The way back: y[idx * stride + c] += a[c] * v for c < many, many a multiple of 8. */
    void (*sparse_axpys_f64)(const double *a, const uint32_t *idx, const double *v, size_t nnz,
                             double *y, size_t stride, size_t many);
    void (*sparse_axpys_f32f64)(const double *a, const uint32_t *idx, const float *v, size_t nnz,
                                double *y, size_t stride, size_t many);
    void (*ones_axpys_f64)(const double *a, const uint32_t *idx, size_t nnz, double *y,
                           size_t stride, size_t many);

    /* Both in single precision, many a multiple of 16: half the memory to walk through, where the
     * last bits do not count. */
    void (*sparse_dots_f32)(const uint32_t *idx, const float *v, size_t nnz, const float *w,
                            size_t stride, size_t many, float *out);
    void (*ones_dots_f32)(const uint32_t *idx, size_t nnz, const float *w, size_t stride,
                          size_t many, float *out);
    void (*sparse_axpys_f32)(const float *a, const uint32_t *idx, const float *v, size_t nnz,
                             float *y, size_t stride, size_t many);
    void (*ones_axpys_f32)(const float *a, const uint32_t *idx, size_t nnz, float *y, size_t stride,
                           size_t many);

    /* The inner loop of a matrix product (product.h): c[i][j] += sum over k of a[i][k] * b[k][j],
     * for panel_rows by panel_cols numbers, `stride` from one row of c to the next; b's rows lie
     * behind one another. An element is one running sum, k ascending, each product rounded: so its
     * bits do not depend on the tile. */
    void (*panel_f32)(size_t depth, const float *const *a, const float *b, float *c, size_t stride);
    void (*panel_f64)(size_t depth, const double *const *a, const double *b, double *c,
                      size_t stride);
    size_t panel_rows, panel_cols_f32, panel_cols_f64;
    /* The same with one row instead of panel_rows. */
    void (*panel_row_f32)(size_t depth, const float *a, const float *b, float *c);
    void (*panel_row_f64)(size_t depth, const double *a, const double *b, double *c);

    /* x = exp(x), to about one unit in the last place; 0 for x below -708 (float: -87), infinite
     * above 709 (88). */
    void (*exp_f32)(float *x, size_t n);
    void (*exp_f64)(double *x, size_t n);

    /* The logistic loss at the margins m, to a few units in the last place: slope = 1 / (1 + exp(m)),
     * and unless they are NULL weight = slope (1 - slope) and value = log(1 + exp(-m)). */
    void (*logistic_f64)(const double *m, size_t n, double *slope, double *weight, double *value);

    /* out = exp(c * max(own + squares - 2 x, 0)): Gaussians of a row with n others, from their inner
     * products x, c <= 0. out may be x. */
    void (*gauss_f32)(float *out, const float *x, const float *squares, float own, float c,
                      size_t n);
    void (*gauss_f64)(double *out, const double *x, const double *squares, double own, double c,
                      size_t n);

    /* sums[j] += sum over i < rows of by[i] * exp(c * max(own[i] + squares[j] - 2 x[i][j], 0)), i
     * ascending, x[i] = x + i * stride; n, a multiple of HSP__VEC_GAUSS, numbers each. The bits are
     * those of gauss, and of multiplications and additions in double. */
    void (*gauss_sums_f32)(const float *x, size_t stride, const float *squares, const float *own,
                           float c, const double *by, size_t rows, size_t n, double *sums);
    void (*gauss_sums_f64)(const double *x, size_t stride, const double *squares, const double *own,
                           double c, const double *by, size_t rows, size_t n, double *sums);

    /* Are all of them finite? */
    int (*finite_f32)(const float *x, size_t n);
    int (*finite_f64)(const double *x, size_t n);

    /* A row of ones and HSP__VEC_COUNTS others, spread out: spread[idx * HSP__VEC_COUNTS + j] is 1
     * where row j has the place, else 0. counts[j] = how many of at most 255 places they share. */
    void (*ones_counts)(const uint32_t *idx, size_t nnz, const uint8_t *spread, float *counts);

    /* Sums of positive parts along a line, z = 1 - y (v + t move): sums[0] = sum of 2 y c z move,
     * sums[1] = sum of c move^2, both where z > 0. */
    void (*positive_line)(const hsp__vec_groups *groups, const double *v, const double *move,
                          double t, size_t n, double sums[2]);
    /* v += t move (move NULL: v stays); then with z = 1 - y v: sums[0] = sum of c z^2, sums[1] = sum
     * of 2 c z where z > 0; on says where that is (and c > 0): counts[0] this many, counts[1] where
     * on was another. */
    void (*positive_step)(const hsp__vec_groups *groups, double *v, const double *move, double t,
                          size_t n, unsigned char *on, double sums[2], uint64_t counts[2]);
    /* Rows of `words` words, a multiple of 8, `stride` apart: counts[j] = how many bits row j has
     * in common with the last one, row count - 1. */
    void (*common_bits)(const uint64_t *bits, size_t stride, size_t words, size_t count,
                        uint32_t *counts);

    /* f += ti * ki + tj * kj; the place of the smallest f + up, which is *low, and the largest f +
     * down, *high. n is a multiple of HSP__VEC_EXTREMES. */
    size_t (*axpy2_extremes_f32)(double *f, double ti, const float *ki, double tj, const float *kj,
                                 const double *up, const double *down, size_t n, double *low,
                                 double *high);
    size_t (*axpy2_extremes_f64)(double *f, double ti, const double *ki, double tj,
                                 const double *kj, const double *up, const double *down, size_t n,
                                 double *low, double *high);
    /* Where d^2 / (kii + diagonal - 2 ki) is largest among d = f + down - low > 0; *gain is that,
     * 0: nowhere. Below 1e-12 the divisor counts as that. */
    size_t (*largest_ratio_f32)(const double *f, const double *down, double low, double kii,
                                const float *ki, const float *diagonal, size_t n, double *gain);
    size_t (*largest_ratio_f64)(const double *f, const double *down, double low, double kii,
                                const double *ki, const double *diagonal, size_t n, double *gain);

    /* A tile of a matrix product: c[i * stride + j] += sum over l < k of a[l * 8 + i] b[l * 24 + j]
     * for i < 8, j < 24. One running sum an element, l ascending, added to c at the end. */
    void (*tile_f64)(size_t k, const double *a, const double *b, double *c, size_t stride);

    /* L x = x for eight right sides: element j of side r is x[j * 8 + r]; L is lower triangular of
     * order n, row by row, inverse[j] is 1 over its diagonal. */
    void (*solve_f64)(size_t n, const double *l, const double *inverse, size_t stride, double *x);

    /* HSP__VEC_LANES points, column by column: out[j] = the squared distance of point j and q, summed
     * in the order of the columns; bit j of the result says that it is at most `limit`. */
    unsigned (*point_squares)(size_t cols, const double *points, const double *q, double limit,
                              double *out);
    /* The same of boxes: all lows of a column, then all highs. */
    unsigned (*box_squares)(size_t cols, const double *boxes, const double *q, double limit,
                            double *out);

    /* *low and *high, of which one is at most the other unless both are infinite, are widened to
     * contain scale * x. Are all of these integers? (Of magnitudes beyond 2^51 it may say so.) */
    int (*range_f64)(const double *x, size_t n, double scale, double *low, double *high);
    int (*range_f32f64)(const float *x, size_t n, double scale, double *low, double *high);
    /* u[k] = t = (scale * x[k] - low) * by, clipped to 0 .. 255 and rounded: n bytes. */
    hsp__vec_code (*code_f64)(const double *x, size_t n, double scale, double low, double by,
                              uint8_t *u);
    hsp__vec_code (*code_f32f64)(const float *x, size_t n, double scale, double low, double by,
                                 uint8_t *u);

    /* A tile of products of bytes, which are exact: c[i * 96 + j] = base[j] + 2 * (sum over k < 4 *
     * quads of a[i][k] * b_j[k]) for i < 4, j < 96, where b holds four numbers of each of its 96
     * rows, then the next four. Bit j % 16 of reach[i * 6 + j / 16] says that c[i * 96 + j] >=
     * least[i], bit i of the result that there is one; without it, c and reach of row i mean nothing.
     * The caller sees to it that sums fit. */
    unsigned (*byte_tile)(size_t quads, const uint8_t *const *a, const int8_t *b,
                          const int32_t *base, const int32_t *least, int32_t *c, uint16_t *reach);
    /* Products of one row of bytes with others, exact: out[j] = sum over k < bytes of a[k] b_j[k],
     * j < count; bytes is a multiple of 64. The caller sees to it that sums fit. */
    void (*byte_dots)(size_t bytes, const uint8_t *a, const int8_t *const *b, size_t count,
                      int32_t *out);
} hsp__vec_table;

/* The tables: scalar is the specification and always there; the others are NULL where the compiler
 * did not build them, and must not be called where the processor lacks them. */
extern const hsp__vec_table hsp__vec_scalar;
extern const hsp__vec_table *const hsp__vec_avx2;
extern const hsp__vec_table *const hsp__vec_avx512;

/* The table of this process, chosen once: the best one the processor runs, or the one that
 * HSP_SIMD names (a name that is unknown or cannot run here is ignored). Any thread may call. */
const hsp__vec_table *hsp__vec(void);

/* The table of that name, or NULL when there is none or this machine cannot run it. */
const hsp__vec_table *hsp__vec_table_by_name(const char *name);

#endif
