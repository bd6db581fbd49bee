/* Linear programs for the page: learn/lp/lp_clp.h without CLP, which is not there in WebAssembly.
 *
 * The bounded simplex method on a dense table: each basic variable as a sum of the others. The page has
 * few columns or few rows, so an exchange is cheap, and each answer starts from the rows' own basis. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "learn/lp/lp_clp.h"

#define SIMPLEX_TOLERANCE 1e-9

/* Variables 0 .. columns - 1, then one for each row: its <A_r, v>. */
struct hsp__clp {
    hsp_context *ctx;
    size_t columns, rows;
    double *lower, *upper, *cost; /* of all variables; a row's cost is 0 */
    double *a;                    /* rows x columns */
    double *value, *price;        /* of all variables; of the rows */
    unsigned char *high;          /* a column begins at its upper limit */
    int failed;                   /* no memory */
    /* While solving: who is at each place, and the table. */
    size_t *basic, *other;
    double *table, *slope;
};

hsp_status hsp__clp_ready(hsp_error *err)
{
    (void)err;
    return HSP_OK;
}

/* The arrays for other numbers of columns and rows; what is there stays. */
static int simplex_resize(hsp__clp *lp, size_t columns, size_t rows)
{
    const size_t all = columns + rows, old = lp->columns + lp->rows;
    double *(*const kinds[]) = {&lp->lower, &lp->upper, &lp->cost};
    double *made[3] = {0}, *a = calloc(rows * columns + 1, sizeof *a);
    double *value = calloc(all + 1, sizeof *value), *price = calloc(rows + 1, sizeof *price);
    unsigned char *high = calloc(columns + 1, 1);
    int good = a && value && price && high;
    for (int k = 0; k < 3; k++)
        good &= (made[k] = calloc(all + 1, sizeof **made)) != NULL;
    for (size_t v = 0; good && v < old; v++)
        for (int k = 0; k < 3; k++)
            made[k][v < lp->columns ? v : v - lp->columns + columns] = (*kinds[k])[v];
    for (size_t r = 0; good && r < lp->rows; r++)
        memcpy(a + r * columns, lp->a + r * lp->columns, lp->columns * sizeof *a);
    if (good && lp->columns) memcpy(high, lp->high, lp->columns);
    if (good) {
        for (int k = 0; k < 3; k++) {
            double *const before = *kinds[k];
            *kinds[k] = made[k];
            made[k] = before;
        }
        double *const before[] = {lp->a, lp->value, lp->price};
        unsigned char *const was = lp->high;
        lp->a = a, lp->value = value, lp->price = price, lp->high = high;
        lp->columns = columns, lp->rows = rows;
        a = before[0], value = before[1], price = before[2], high = was;
    }
    for (int k = 0; k < 3; k++)
        free(made[k]);
    free(a), free(value), free(price), free(high);
    lp->failed |= !good;
    return good;
}

hsp_status hsp__clp_new(hsp_context *ctx, int columns, const double *lower, const double *upper,
                        const double *cost, hsp_error *err, hsp__clp **out)
{
    hsp__clp *lp = calloc(1, sizeof *lp);
    if (lp) lp->ctx = ctx;
    if (!lp || !simplex_resize(lp, (size_t)columns, 0)) {
        hsp__clp_free(lp);
        return hsp__fail_memory(err);
    }
    if (columns) hsp__clp_change(lp, lower, upper, cost, NULL);
    *out = lp;
    return HSP_OK;
}

void hsp__clp_free(hsp__clp *lp)
{
    if (!lp) return;
    free(lp->lower), free(lp->upper), free(lp->cost), free(lp->a);
    free(lp->value), free(lp->price), free(lp->high), free(lp);
}

void hsp__clp_add_rows(hsp__clp *lp, int count, const double *lower, const double *upper,
                       const int *starts, const int *columns, const double *values)
{
    const size_t first = lp->rows;
    if (!simplex_resize(lp, lp->columns, first + (size_t)count)) return;
    for (size_t r = 0; r < (size_t)count; r++) {
        lp->lower[lp->columns + first + r] = lower[r];
        lp->upper[lp->columns + first + r] = upper[r];
        for (int k = starts[r]; k < starts[r + 1]; k++)
            lp->a[(first + r) * lp->columns + (size_t)columns[k]] = values[k];
    }
}

void hsp__clp_add_columns(hsp__clp *lp, int count, const double *lower, const double *upper,
                          const double *cost, const int *starts, const int *rows,
                          const double *values)
{
    const size_t first = lp->columns;
    if (!simplex_resize(lp, first + (size_t)count, lp->rows)) return;
    for (size_t j = 0; j < (size_t)count; j++) {
        lp->lower[first + j] = lower[j];
        lp->upper[first + j] = upper[j];
        lp->cost[first + j] = cost[j];
        for (int k = starts[j]; k < starts[j + 1]; k++)
            lp->a[(size_t)rows[k] * lp->columns + first + j] = values[k];
    }
}

void hsp__clp_change(hsp__clp *lp, const double *lower, const double *upper, const double *cost,
                     const double *row_lower)
{
    if (lower) memcpy(lp->lower, lower, lp->columns * sizeof *lower);
    if (upper) memcpy(lp->upper, upper, lp->columns * sizeof *upper);
    if (cost) memcpy(lp->cost, cost, lp->columns * sizeof *cost);
    if (row_lower) memcpy(lp->lower + lp->columns, row_lower, lp->rows * sizeof *row_lower);
}

hsp_status hsp__clp_begin(hsp__clp *lp, hsp_error *err)
{
    if (lp->failed) return hsp__fail_memory(err);
    memset(lp->high, 0, lp->columns);
    return HSP_OK;
}

void hsp__clp_set_side(hsp__clp *lp, int column, int upper)
{
    lp->high[column] = upper != 0;
}

/* How far a basic variable is outside its limits: below 0 or above. */
static double simplex_outside(const hsp__clp *lp, size_t v)
{
    const double x = lp->value[v], slack = SIMPLEX_TOLERANCE * (1 + fabs(x));
    if (x < lp->lower[v] - slack) return x - lp->lower[v];
    return x > lp->upper[v] + slack ? x - lp->upper[v] : 0;
}

static void simplex_values(hsp__clp *lp)
{
    for (size_t r = 0; r < lp->rows; r++) {
        long double sum = 0;
        for (size_t j = 0; j < lp->columns; j++)
            sum +=
                (long double)lp->table[r * lp->columns + j] * (long double)lp->value[lp->other[j]];
        lp->value[lp->basic[r]] = (double)sum;
    }
}

/* The slope of the cost, or while limits are broken of what they are broken by, in each variable that is
 * not basic. Returns whether limits are broken. */
static int simplex_slopes(hsp__clp *lp)
{
    int broken = 0;
    for (size_t r = 0; r < lp->rows; r++)
        broken |= simplex_outside(lp, lp->basic[r]) != 0;
    for (size_t j = 0; j < lp->columns; j++)
        lp->slope[j] = broken ? 0 : lp->cost[lp->other[j]];
    for (size_t r = 0; r < lp->rows; r++) {
        const double out = simplex_outside(lp, lp->basic[r]);
        const double weight = broken ? (out > 0) - (out < 0) : lp->cost[lp->basic[r]];
        for (size_t j = 0; weight != 0 && j < lp->columns; j++)
            lp->slope[j] += weight * lp->table[r * lp->columns + j];
    }
    return broken;
}

/* The variable that lowers it most (by turns: the first), and in which direction; columns: none. */
static size_t simplex_enter(const hsp__clp *lp, int by_turns, double *direction)
{
    size_t best = lp->columns;
    double most = SIMPLEX_TOLERANCE;
    for (size_t j = 0; j < lp->columns; j++) {
        const size_t v = lp->other[j];
        const double slope = lp->slope[j];
        const int up = slope < 0 && lp->value[v] < lp->upper[v];
        const int down = slope > 0 && lp->value[v] > lp->lower[v];
        if (!(up || down) || fabs(slope) <= most) continue;
        if (by_turns && best < lp->columns && lp->other[best] < v) continue;
        best = j;
        *direction = up ? 1 : -1;
        if (!by_turns) most = fabs(slope);
    }
    return best;
}

/* How far it can go until a basic variable meets a limit: rows if its own limit comes first. */
static size_t simplex_leave(const hsp__clp *lp, size_t enter, double direction, double *step)
{
    const size_t v = lp->other[enter];
    size_t best = lp->rows;
    double pivot = 0;
    *step = lp->upper[v] - lp->lower[v];
    for (size_t r = 0; r < lp->rows; r++) {
        const double move = direction * lp->table[r * lp->columns + enter];
        const size_t b = lp->basic[r];
        const double out = simplex_outside(lp, b), x = lp->value[b];
        if (fabs(move) <= SIMPLEX_TOLERANCE || (out < 0 && move < 0) || (out > 0 && move > 0))
            continue;
        const double limit = out < 0    ? lp->lower[b]
                             : out > 0  ? lp->upper[b]
                             : move > 0 ? lp->upper[b]
                                        : lp->lower[b];
        const double room = fmax(0, (limit - x) / move);
        if (room < *step - 1e-12 ||
            (room <= *step + 1e-12 && best < lp->rows && fabs(move) > pivot)) {
            *step = fmin(room, *step);
            best = r;
            pivot = fabs(move);
        }
    }
    return best;
}

/* Basic variable r and the other one change places. */
static void simplex_exchange(hsp__clp *lp, size_t r, size_t enter)
{
    const size_t n = lp->columns, leaves = lp->basic[r];
    double *row = lp->table + r * n;
    const double pivot = row[enter];
    for (size_t j = 0; j < n; j++)
        row[j] = j == enter ? 1 / pivot : -row[j] / pivot;
    for (size_t i = 0; i < lp->rows; i++) {
        double *other = lp->table + i * n;
        const double factor = other[enter];
        if (i == r || factor == 0) continue;
        other[enter] = 0;
        for (size_t j = 0; j < n; j++)
            other[j] += factor * row[j];
    }
    lp->basic[r] = lp->other[enter];
    lp->other[enter] = leaves;
}

static hsp__clp_outcome simplex_run(hsp__clp *lp, uint64_t *made)
{
    const size_t most = 200 * (lp->rows + lp->columns) + 1000, patient = most / 4;
    double direction = 0, step = 0;
    for (size_t turn = 0; turn < most; turn++, (*made)++) {
        simplex_values(lp);
        const int broken = simplex_slopes(lp);
        const size_t enter = simplex_enter(lp, turn > patient, &direction);
        if (enter == lp->columns) return broken ? HSP__CLP_TROUBLE : HSP__CLP_OPTIMAL;
        const size_t v = lp->other[enter], leave = simplex_leave(lp, enter, direction, &step);
        if (!(step < HUGE_VAL) || hsp__tick(lp->ctx)) return HSP__CLP_TROUBLE;
        if (leave == lp->rows) {
            lp->value[v] = direction > 0 ? lp->upper[v] : lp->lower[v];
            continue;
        }
        const size_t b = lp->basic[leave];
        const double out = simplex_outside(lp, b);
        const int rises = direction * lp->table[leave * lp->columns + enter] > 0;
        const int to_upper = out > 0 || (out == 0 && rises);
        simplex_exchange(lp, leave, enter);
        lp->value[b] = to_upper ? lp->upper[b] : lp->lower[b];
    }
    return HSP__CLP_TROUBLE;
}

hsp__clp_outcome hsp__clp_solve(hsp__clp *lp, int primal, int steps, uint64_t *made)
{
    (void)primal, (void)steps;
    const size_t n = lp->columns, m = lp->rows;
    uint64_t turns = 0;
    hsp__clp_outcome outcome = HSP__CLP_TROUBLE;
    lp->basic = malloc((m + 1) * sizeof *lp->basic);
    lp->other = malloc((n + 1) * sizeof *lp->other);
    lp->table = malloc((m * n + 1) * sizeof *lp->table);
    lp->slope = malloc((n + 1) * sizeof *lp->slope);
    if (!lp->failed && lp->basic && lp->other && lp->table && lp->slope) {
        memcpy(lp->table, lp->a, m * n * sizeof *lp->table);
        for (size_t r = 0; r < m; r++)
            lp->basic[r] = n + r;
        for (size_t j = 0; j < n; j++) {
            const double low = lp->lower[j], high = lp->upper[j];
            lp->other[j] = j;
            lp->value[j] = lp->high[j] && isfinite(high) ? high
                           : isfinite(low)               ? low
                           : isfinite(high)              ? high
                                                         : 0;
        }
        outcome = simplex_run(lp, &turns);
        memset(lp->price, 0, m * sizeof *lp->price);
        for (size_t j = 0; j < n; j++)
            if (lp->other[j] >= n) lp->price[lp->other[j] - n] = lp->slope[j];
    }
    free(lp->basic), free(lp->other), free(lp->table), free(lp->slope);
    if (made) *made += turns;
    return outcome;
}

const double *hsp__clp_values(const hsp__clp *lp)
{
    return lp->value;
}

const double *hsp__clp_prices(const hsp__clp *lp)
{
    return lp->price;
}
