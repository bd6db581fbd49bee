/* A template: the expression over one tile, in one type of number. Before inclusion: NUM, TYPE. */

#define TILE_PASTE_(a, b) a##_##b
#define TILE_PASTE(a, b)  TILE_PASTE_(a, b)
#define FN(name)          TILE_PASTE(name, TYPE)

/* ---- Rows side by side ----------------------------------------------------------------------- */

/* The parts of some rows that lie in the space, as `width` numbers each. */
static void FN(tile_gather)(const tile *t, const hsp__kernel_pick *pick, uint64_t from,
                            uint64_t count, uint32_t which, uint64_t width, NUM *to)
{
    const hsp__kernel_space *space = &t->kernel->spaces[which];
    const hsp_view *view = pick->rows->view;
    const int whole = view->storage == HSP_DENSE && !space->count;
    const int ready = whole && view->precision == TILE_PRECISION;
    for (uint64_t i = 0; i < count; i++, to += width) {
        const hsp__row row = hsp__view_row(view, hsp__kernel_picked(pick, from + i));
        const uint64_t known = whole ? block_least(row.count, width) : 0;
        hsp__kernel_walk walk = {0};
        uint64_t place;
#if TILE_IS_WIDE
        const float *other = row.values;
#else
        const double *other = row.values;
#endif
        if (ready) memcpy(to, row.values, known * sizeof *to);
        for (uint64_t k = 0; k < known && !ready; k++)
            to[k] = (NUM)other[k];
        memset(to + known, 0, (width - known) * sizeof *to);
        for (uint64_t k = 0; k < row.count && !whole; k++) {
            if (!hsp__kernel_inside(space, &walk, hsp__row_column(&row, k), &place)) continue;
            if (place >= width) break;
            to[place] = (NUM)hsp__row_value(view, &row, k);
        }
    }
}

/* Rows side by side, `stride` apart: where they lie, if they are such numbers, or gathered. */
static const NUM *FN(tile_lying)(const tile *t, const hsp__kernel_pick *pick, uint64_t from,
                                 uint64_t count, uint32_t space, NUM *gathered, uint64_t *stride)
{
    const hsp_view *view = pick->rows->view;
    if (view->storage == HSP_DENSE && view->precision == TILE_PRECISION && !pick->list &&
        !t->kernel->spaces[space].count) {
        *stride = view->stride;
        return (const NUM *)view->values + (pick->from + from) * view->stride;
    }
    FN(tile_gather)(t, pick, from, count, space, *stride, gathered);
    return gathered;
}

/* ---- Inner products -------------------------------------------------------------------------- */

/* Eight rows of the right side at a time, spread out, against the entries of the left one's. */
static void FN(tile_sparse_products)(tile *t, uint32_t space, NUM *out)
{
    for (uint64_t j = 0; j < t->cols; j += TILE_SPREAD) {
        const uint64_t some = t->cols - j < TILE_SPREAD ? t->cols - j : TILE_SPREAD;
        tile_spread(t, j, some, space, 1);
        for (uint64_t i = 0; i < t->rows; i++) {
            double dots[TILE_SPREAD];
            tile_dots(t, i, dots);
            for (uint64_t r = 0; r < some; r++)
                out[i * t->cols + j + r] = (NUM)dots[r];
        }
        tile_spread(t, j, some, space, 0);
    }
}

static void FN(tile_ones_products)(tile *t, uint32_t space, NUM *out)
{
    float counts[TILE_COLS];
    const int direct = !TILE_IS_WIDE && t->cols == TILE_COLS;
    tile_mark(t, space, 1);
    for (uint64_t i = 0; i < t->rows; i++) {
        const hsp__row row =
            hsp__view_row(t->left->rows->view, hsp__kernel_picked(t->left, t->from_left + i));
        NUM *to = out + i * t->cols;
        void *first = direct ? (void *)to : counts;
        tile_count(t, &row, 0, first);
        for (uint64_t j = 0; j < t->cols && !direct; j++)
            to[j] = (NUM)counts[j];
        for (uint64_t k = TILE_COUNTED; k < row.count; k += TILE_COUNTED) {
            if (!tile_count(t, &row, k, counts)) break;
            for (uint64_t j = 0; j < t->cols; j++)
                to[j] += (NUM)counts[j];
        }
    }
    tile_mark(t, space, 0);
}

/* The right side's rows, packed: before, for the tile above this one, or now. */
static const NUM *FN(tile_packed)(tile *t, uint32_t space, uint64_t width, NUM *gathered,
                                  uint64_t *depth)
{
    const hsp__kernel_packed *ready = &t->right->rows->packed;
    const uint64_t at = t->right->from + t->from_right;
    uint64_t stride = width;
    if (ready->values && !t->right->list && at % TILE_COLS == 0 && ready->wide == TILE_IS_WIDE &&
        (t->cols == TILE_COLS || at + t->cols == t->right->rows->view->rows)) {
        *depth = ready->depth;
        return (const NUM *)ready->values + at / TILE_COLS * ready->group;
    }
    if (t->packed_at != t->from_right || t->kernel->space_count > 1) {
        const NUM *right =
            FN(tile_lying)(t, t->right, t->from_right, t->cols, space, gathered, &stride);
        FN(hsp__product_pack)
        ((size_t)t->cols, (size_t)width, right, (size_t)stride, t->packed);
        t->packed_at = t->from_right;
    }
    return t->packed;
}

static void FN(tile_products)(tile *t, uint32_t space, NUM *out)
{
    const hsp__kernel_products *known = t->left->rows->products;
    if (known && known == t->right->rows->products && space == 0 && known->wide == TILE_IS_WIDE) {
        for (uint64_t i = 0; i < t->rows; i++) { /* they are there already */
            const NUM *line = (const NUM *)known->values +
                              hsp__kernel_picked(t->left, t->from_left + i) * known->n;
            if (!t->right->list)
                memcpy(out + i * t->cols, line + t->right->from + t->from_right,
                       t->cols * sizeof *out);
            else
                for (uint64_t j = 0; j < t->cols; j++)
                    out[i * t->cols + j] = line[t->right->list[t->from_right + j]];
        }
        return;
    }
    if (t->way != TILE_PRODUCT) {
        if (t->way == TILE_ONES)
            FN(tile_ones_products)(t, space, out);
        else
            FN(tile_sparse_products)(t, space, out);
        return;
    }
    const uint64_t width = hsp__kernel_space_cols(&t->kernel->spaces[space], t->columns);
    NUM *gathered = (NUM *)t->gathered;
    uint64_t left_stride = width;
    if (t->rows == 0 || width == 0) {
        memset(out, 0, t->rows * t->cols * sizeof *out);
        return;
    }
    const NUM *left = t->dense ? (const NUM *)t->dense[space] + t->from_left * width
                               : FN(tile_lying)(t, t->left, t->from_left, t->rows, space,
                                                gathered + t->cols * width, &left_stride);
    uint64_t depth = width;
    const NUM *packed = FN(tile_packed)(t, space, width, gathered, &depth);
    FN(hsp__product_with)
    ((size_t)t->rows, (size_t)t->cols, (size_t)width, left, (size_t)left_stride, packed,
     (size_t)depth, out, (size_t)t->cols);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void FN(tile_power)(const tile *t, NUM *out, double power)
{
    const uint64_t n = t->rows * t->cols;
    for (uint64_t k = 0; power == 2 && k < n; k++)
        out[k] *= out[k];
    for (uint64_t k = 0; power > 2 && k < n; k++) {
        NUM x = out[k], y = 1;
        for (unsigned p = (unsigned)power; p; p >>= 1, x *= x)
            if (p & 1) y *= x;
        out[k] = y;
    }
}

/* exp(-c ||x - y||^2) from the products: one row of the tile at a time. */
static void FN(tile_rbf)(const tile *t, const hsp__kernel_node *node, NUM *out)
{
    const double *na = t->left->rows->norms[node->space], *nb = t->right->rows->norms[node->space];
    NUM *squares = (NUM *)t->line;
    for (uint64_t j = 0; j < t->cols; j++)
        squares[j] = (NUM)nb[hsp__kernel_picked(t->right, t->from_right + j)];
    for (uint64_t i = 0; i < t->rows; i++) {
        const NUM own = (NUM)na[hsp__kernel_picked(t->left, t->from_left + i)];
        hsp__vec()->FN(gauss)(out + i * t->cols, out + i * t->cols, squares, own, (NUM)-node->p,
                              (size_t)t->cols);
    }
}

static void FN(tile_entries)(const tile *t, const hsp__kernel_node *node, NUM *out)
{
    hsp__kernel_sums sums;
    for (uint64_t i = 0; i < t->rows; i++) {
        const uint64_t p = hsp__kernel_picked(t->left, t->from_left + i);
        for (uint64_t j = 0; j < t->cols; j++) {
            const uint64_t q = hsp__kernel_picked(t->right, t->from_right + j);
            NUM *to = out + i * t->cols + j;
            if (node->op == HSP__KERNEL_PRECOMPUTED) {
                *to = (NUM)(t->turned ? hsp__kernel_entry(t->right->rows, q, t->left->rows, p)
                                      : hsp__kernel_entry(t->left->rows, p, t->right->rows, q));
                continue;
            }
            hsp__kernel_pair(t->left->rows, p, t->right->rows, q, &t->kernel->spaces[node->space],
                             &sums);
            *to = (NUM)(node->op == HSP__KERNEL_LAPLACE ? -node->p * sums.absolute
                        : node->op == HSP__KERNEL_CHI2  ? -node->p * sums.chi2
                                                        : sums.least);
        }
    }
    if (node->op == HSP__KERNEL_LAPLACE || node->op == HSP__KERNEL_CHI2)
        hsp__vec()->FN(exp)(out, (size_t)(t->rows * t->cols));
}

/* out[i][j] *= f(x_i) f(x_j). */
static void FN(tile_outer)(const tile *t, const hsp__kernel_node *node, NUM *out)
{
    const double *fa = t->left->rows->places + node->place * t->left->rows->view->rows;
    const double *fb = t->right->rows->places + node->place * t->right->rows->view->rows;
    for (uint64_t i = 0; i < t->rows; i++) {
        const double own = fa[hsp__kernel_picked(t->left, t->from_left + i)];
        for (uint64_t j = 0; j < t->cols; j++)
            out[i * t->cols + j] =
                (NUM)((double)out[i * t->cols + j] *
                      (own * fb[hsp__kernel_picked(t->right, t->from_right + j)]));
    }
}

static void FN(tile_leaf)(tile *t, const hsp__kernel_node *node, NUM *out)
{
    const uint64_t n = t->rows * t->cols;
    if (node->op == HSP__KERNEL_CONST) {
        for (uint64_t k = 0; k < n; k++)
            out[k] = (NUM)node->p;
        return;
    }
    if (node->op > HSP__KERNEL_SIGMOID) {
        FN(tile_entries)(t, node, out);
        return;
    }
    FN(tile_products)(t, node->space, out);
    if (node->op == HSP__KERNEL_RBF) {
        FN(tile_rbf)(t, node, out);
    } else if (node->op == HSP__KERNEL_POLY) {
        for (uint64_t k = 0; k < n; k++)
            out[k] += (NUM)node->q;
        FN(tile_power)(t, out, node->p);
    } else if (node->op == HSP__KERNEL_WAVE) {
        for (uint64_t k = 0; k < n; k++)
            out[k] = (NUM)(cos((double)out[k]) + sin((double)out[k]));
    } else if (node->op == HSP__KERNEL_SIGMOID) {
        for (uint64_t k = 0; k < n; k++)
            out[k] = (NUM)tanh(node->p * (double)out[k] + node->q);
    }
}

/* The value of a node over the tile; `spare` are tiles to use, one for each level below. */
static void FN(tile_node)(tile *t, uint32_t at, NUM *out, NUM *spare)
{
    const hsp__kernel_node *node = &t->kernel->nodes[at];
    const uint64_t n = t->rows * t->cols;
    if (node->left == HSP__KERNEL_NONE) {
        FN(tile_leaf)(t, node, out);
        return;
    }
    FN(tile_node)(t, node->left, out, spare);
    if (node->op == HSP__KERNEL_SUM || node->op == HSP__KERNEL_PRODUCT) {
        FN(tile_node)(t, node->right, spare, spare + n);
        if (node->op == HSP__KERNEL_SUM)
            for (uint64_t k = 0; k < n; k++)
                out[k] += spare[k];
        else
            for (uint64_t k = 0; k < n; k++)
                out[k] *= spare[k];
    } else if (node->op == HSP__KERNEL_POWER) {
        FN(tile_power)(t, out, node->p);
    } else if (node->op != HSP__KERNEL_COLS) {
        FN(tile_outer)(t, node, out);
    }
}

/* ---- Into the lines -------------------------------------------------------------------------- */

/* Is every value of the tile finite, as a float too where it becomes one? Else the first that is
 * not is noted. */
static int FN(tile_sound)(block *work, const tile *t)
{
    const NUM *values = t->values;
    const uint64_t n = t->rows * t->cols;
    const int narrow = work->single || (work->sums && work->narrow);
    const NUM most = narrow && (double)TILE_MOST > (double)FLT_MAX ? (NUM)FLT_MAX : TILE_MOST;
    if (most == TILE_MOST && hsp__vec()->FN(finite)(values, (size_t)n)) return 1;
    for (uint64_t k = 0; k < n; k++) {
        if (values[k] <= most && values[k] >= -most) continue;
        const uint64_t left = t->from_left + k / t->cols, right = t->from_right + k % t->cols;
        const uint64_t found = 1 + left * work->right->count + right;
        uint_fast64_t before = atomic_load(&work->bad);
        while ((!before || found < before) &&
               !atomic_compare_exchange_weak(&work->bad, &before, found)) /* the first of all */
            ;
        return 0;
    }
    return 1;
}

/* A piece of a line: `count` numbers that lie `step` apart. */
static void FN(tile_write)(const block *work, uint64_t line, uint64_t at, const NUM *from,
                           uint64_t step, uint64_t count)
{
    const size_t size = work->single ? sizeof(float) : sizeof(double);
    void *to = work->single ? (void *)(work->single[line] + at) : (void *)(work->wide[line] + at);
    if (size == sizeof(NUM) && step == 1)
        memcpy(to, from, count * size);
    else if (work->single)
        for (uint64_t k = 0; k < count; k++)
            ((float *)to)[k] = (float)from[k * step];
    else
        for (uint64_t k = 0; k < count; k++)
            ((double *)to)[k] = (double)from[k * step];
}

/* The tile times what its rows count, into the sums. */
static void FN(tile_apply)(const block *work, const tile *t)
{
    const NUM *values = t->values;
    const hsp__vec_table *vec = hsp__vec();
    const int ready = sizeof *values == (work->narrow ? sizeof(float) : sizeof(double));
    double *to = work->sums + t->from_right, wide[TILE_COLS];
    float single[TILE_COLS];
    for (uint64_t i = 0; i < t->rows; i++, values += t->cols) {
        const void *row = ready ? (const void *)values : work->narrow ? single : (void *)wide;
        for (uint64_t j = 0; j < t->cols && !ready; j++)
            single[j] = (float)values[j], wide[j] = (double)values[j];
        if (work->narrow)
            vec->axpy_f32f64(work->by[t->from_left + i], row, to, (size_t)t->cols);
        else
            vec->axpy_f64(work->by[t->from_left + i], row, to, (size_t)t->cols);
    }
}

/* Turned, in pieces of a few rows: what is read then stays in the first cache. Memory that is
 * written for the first time takes much longer: hence a tick for every piece. */
static void FN(tile_store)(block *work, const tile *t)
{
    const NUM *values = t->values;
    if (!FN(tile_sound)(work, t)) return;
    if (work->sums) {
        FN(tile_apply)(work, t);
        return;
    }
    for (uint64_t i = 0; i < t->rows && !work->turned; i++) {
        if (i % TILE_PIECE == 0 && hsp__tick(work->ctx)) return;
        FN(tile_write)
        (work, t->from_left + i, t->from_right, values + i * t->cols, 1, t->cols);
    }
    for (uint64_t i = 0; i < t->rows && work->turned; i += TILE_PIECE) {
        if (hsp__tick(work->ctx)) return;
        const uint64_t piece = block_least(t->rows - i, TILE_PIECE);
        for (uint64_t j = 0; j < t->cols; j++)
            FN(tile_write)
        (work, t->from_right + j, t->from_left + i, values + i * t->cols + j, t->cols, piece);
    }
}

/* A Gaussian's values go straight into the lines; or they are added to the sums as they are
 * computed, and never written down. */
static void FN(tile_gauss)(const block *work, tile *t)
{
    const hsp__kernel_node *node = &t->kernel->nodes[t->kernel->root];
    const double *na = t->left->rows->norms[node->space], *nb = t->right->rows->norms[node->space];
    NUM *values = t->values, *squares = (NUM *)t->line, *own = squares + TILE_COLS;
    const NUM c = (NUM)-node->p;
    FN(tile_products)(t, node->space, values);
    for (uint64_t j = 0; j < t->cols; j++)
        squares[j] = (NUM)nb[hsp__kernel_picked(t->right, t->from_right + j)];
    for (uint64_t i = 0; i < t->rows; i++)
        own[i] = (NUM)na[hsp__kernel_picked(t->left, t->from_left + i)];
    if (work->sums && t->cols % HSP__VEC_GAUSS == 0) {
        hsp__vec()->FN(gauss_sums)(values, (size_t)t->cols, squares, own, c,
                                   work->by + t->from_left, (size_t)t->rows, (size_t)t->cols,
                                   work->sums + t->from_right);
        return;
    }
    for (uint64_t i = 0; i < t->rows; i++, values += t->cols) {
        const uint64_t row = t->from_left + i;
        void *begin = work->sums     ? NULL
                      : TILE_IS_WIDE ? (void *)work->wide[row]
                                     : (void *)work->single[row];
        NUM *line = work->sums ? values : (NUM *)begin + t->from_right;
        if (i % TILE_PIECE == 0 && hsp__tick(work->ctx)) return;
        hsp__vec()->FN(gauss)(line, values, squares, own[i], c, (size_t)t->cols);
    }
    if (work->sums) FN(tile_apply)(work, t);
}

#undef TILE_MOST
#undef TILE_PASTE_
#undef TILE_PASTE
#undef FN
#undef NUM
#undef TYPE
#undef TILE_PRECISION
#undef TILE_IS_WIDE
