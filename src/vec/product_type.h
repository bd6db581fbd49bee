/* A template: the product for one type of number. Before inclusion: NUM, the type, and TYPE, the
 * name's ending. Rows of B are packed so that the inner loop reads forward: several rows
 * interleaved, number k of each, then number k + 1, zeros in place of missing rows. Rows of A
 * are read where they are. */

#define PRODUCT_PASTE_(a, b) a##_##b
#define PRODUCT_PASTE(a, b)  PRODUCT_PASTE_(a, b)
#define FN(name)             PRODUCT_PASTE(name, TYPE)

/* Eight numbers of a row at a time: a line of the cache is then read once. */
static void FN(product_pack)(size_t rows, size_t width, size_t depth, const NUM *from, size_t ld,
                             NUM *to)
{
    enum { SOME = 8 };
    for (size_t k = 0; k < depth; k += SOME) {
        const size_t some = product_least(depth - k, SOME);
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < some; l++)
                to[(k + l) * width + i] = from[i * ld + k + l];
        for (size_t l = 0; l < some && rows < width; l++)
            memset(to + (k + l) * width + rows, 0, (width - rows) * sizeof *to);
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
    if (rows == 1 && cols == wide) {
        vec->FN(panel_row)(depth, a, b, c);
        return;
    }
    for (size_t i = 0; i < high; i++)
        for (size_t j = 0; j < wide; j++)
            tile[i * wide + j] = i < rows && j < cols ? c[i * ldc + j] : 0;
    vec->FN(panel)(depth, row, b, tile, wide);
    for (size_t i = 0; i < rows; i++)
        memcpy(c + i * ldc, tile + i * wide, cols * sizeof *c);
}

/* Slices of the depth one behind the other, in each of them panels of rows. */
void FN(hsp__product_pack)(size_t n, size_t depth, const NUM *b, size_t ldb, NUM *packed)
{
    const size_t wide = hsp__vec()->FN(panel_cols);
    for (size_t k = 0; k < depth; k += PRODUCT_DEPTH) {
        const size_t some = product_least(depth - k, PRODUCT_DEPTH);
        for (size_t j = 0; j < n; j += wide, packed += some * wide)
            FN(product_pack)(product_least(n - j, wide), wide, some, b + j * ldb + k, ldb, packed);
    }
}

void FN(hsp__product_with)(size_t m, size_t n, size_t depth, const NUM *a, size_t lda,
                           const NUM *packed, size_t packed_depth, NUM *c, size_t ldc)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t high = vec->panel_rows, wide = vec->FN(panel_cols);
    for (size_t i = 0; i < m; i++)
        memset(c + i * ldc, 0, n * sizeof *c);
    for (size_t k = 0; k < depth; k += PRODUCT_DEPTH) {
        const size_t some = product_least(depth - k, PRODUCT_DEPTH);
        const size_t slice = product_least(packed_depth - k, PRODUCT_DEPTH);
        for (size_t j = 0; j < n; j += wide, packed += slice * wide)
            for (size_t i = 0; i < m; i += high)
                FN(product_tile)
        (vec, product_least(m - i, high), product_least(n - j, wide), some, a + i * lda + k, lda,
         packed, c + i * ldc + j, ldc);
    }
}

#undef PRODUCT_PASTE_
#undef PRODUCT_PASTE
#undef FN
#undef NUM
#undef TYPE
