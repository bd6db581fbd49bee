/* A template: the product for one type of number. Before inclusion: NUM, the type, and TYPE, the
 * name's ending. Rows of B are packed so that the inner loop reads forward: a panel of them side by
 * side, number k of each, then number k + 1, zeros in place of rows that are not there. Rows of A
 * are read where they are. */

#define PRODUCT_PASTE_(a, b) a##_##b
#define PRODUCT_PASTE(a, b)  PRODUCT_PASTE_(a, b)
#define FN(name)             PRODUCT_PASTE(name, TYPE)

static void FN(product_pack)(size_t rows, size_t width, size_t depth, const NUM *from, size_t ld,
                             NUM *to)
{
    for (size_t k = 0; k < depth; k++) {
        for (size_t i = 0; i < rows; i++)
            to[k * width + i] = from[i * ld + k];
        for (size_t i = rows; i < width; i++)
            to[k * width + i] = 0;
    }
}

/* One tile: rows by cols of it are wanted. Rows that are not there are read as the last one. */
static void FN(product_tile)(const hsp__vec_table *vec, size_t rows, size_t cols, size_t depth,
                             const NUM *a, size_t lda, const NUM *b, NUM *c, size_t ldc)
{
    const size_t high = vec->panel_rows, wide = vec->FN(panel_cols);
    const NUM *row[PRODUCT_ROWS];
    NUM tile[PRODUCT_ROWS * PRODUCT_COLS];
    for (size_t i = 0; i < high; i++)
        row[i] = a + product_least(i, rows - 1) * lda;
    if (rows == high && cols == wide) {
        vec->FN(panel)(depth, row, b, c, ldc);
        return;
    }
    for (size_t i = 0; i < high; i++)
        for (size_t j = 0; j < wide; j++)
            tile[i * wide + j] = i < rows && j < cols ? c[i * ldc + j] : 0;
    vec->FN(panel)(depth, row, b, tile, wide);
    for (size_t i = 0; i < rows; i++)
        memcpy(c + i * ldc, tile + i * wide, cols * sizeof *c);
}

/* The part of the sums that lies in `depth` numbers from here. */
static void FN(product_slice)(const hsp__vec_table *vec, size_t m, size_t n, size_t depth,
                              const NUM *a, size_t lda, const NUM *b, size_t ldb, NUM *c,
                              size_t ldc, NUM *packed)
{
    const size_t high = vec->panel_rows, wide = vec->FN(panel_cols);
    for (size_t j = 0; j < n; j += wide) {
        const size_t cols = product_least(n - j, wide);
        FN(product_pack)(cols, wide, depth, b + j * ldb, ldb, packed);
        for (size_t i = 0; i < m; i += high)
            FN(product_tile)
        (vec, product_least(m - i, high), cols, depth, a + i * lda, lda, packed, c + i * ldc + j,
         ldc);
    }
}

void FN(hsp__product)(size_t m, size_t n, size_t depth, const NUM *a, size_t lda, const NUM *b,
                      size_t ldb, NUM *c, size_t ldc, void *scratch)
{
    for (size_t i = 0; i < m; i++)
        memset(c + i * ldc, 0, n * sizeof *c);
    for (size_t k = 0; k < depth; k += PRODUCT_DEPTH)
        FN(product_slice)
    (hsp__vec(), m, n, product_least(depth - k, PRODUCT_DEPTH), a + k, lda, b + k, ldb, c, ldc,
     scratch);
}

#undef PRODUCT_PASTE_
#undef PRODUCT_PASTE
#undef FN
#undef NUM
#undef TYPE
