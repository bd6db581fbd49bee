/* Splitting into a training and a test part.
 *
 * How many rows of each class go to the test part is settled first: T n_c / n by the method of
 * largest remainders, ties to the first class. Then every class of two rows or more is given one
 * row in each part, if there are rows enough for that: what this adds or takes is made good, one
 * row at a time, by the class that stands furthest above (below) its exact share. Last, one walk
 * over the rows takes each with probability (still wanted of its class) / (still left of its
 * class), which makes all choices of that many rows equally likely and keeps their order.
 *
 * Groups stay together. They are taken in random order, and one goes to the test part when that
 * brings the test part nearer to its share of every class: when it lowers
 *
 *     sum over classes c of (t_c - T n_c / n)^2 / n_c,    t_c rows of class c in the test part. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/random.h"
#include "data/data.h"
#include "data/split.h"

static const hsp_option split_options[] = {HSP__SPLIT_OPTIONS};

static const hsp_option_table split_table = {"split", "options of splitting", split_options,
                                             sizeof split_options / sizeof *split_options};

const hsp_option_table *hsp_split_options(void)
{
    return &split_table;
}

/* The number of test rows that `text` asks for, at least 1 and below `rows`. */
static hsp_status split_test_rows(const char *text, uint64_t rows, hsp_error *err, uint64_t *out)
{
    const char *end = text + strlen(text);
    hsp__decimal_result result;
    double value;
    int whole_text = hsp__decimal_f64(text, end, &value, &result) == end && end > text;
    if (!whole_text || result != HSP__DECIMAL_OK || !(value > 0) ||
        (value >= 1 && value != floor(value)))
        return hsp__fail_option(
            err, "--test", "found '%s', expected a fraction between 0 and 1 or a number of rows",
            text);
    if (rows < 2)
        return hsp__fail(err, HSP_BAD_DATA, "%llu row%s cannot be split; at least two are needed",
                         (unsigned long long)rows, rows == 1 ? "" : "s");
    if (value >= (double)rows)
        return hsp__fail_option(err, "--test",
                                "found '%s', expected fewer than the %llu rows of the data", text,
                                (unsigned long long)rows);
    uint64_t count = value < 1 ? (uint64_t)round(value * (double)rows) : (uint64_t)value;
    *out = count < 1 ? 1 : count > rows - 1 ? rows - 1 : count;
    return HSP_OK;
}

__extension__ typedef __int128 split_wide;

typedef struct split_class {
    uint64_t rows;        /* n_c */
    uint64_t test;        /* rows for the test part; later those still wanted */
    uint64_t least, most; /* bounds on test */
} split_class;

typedef struct split_plan {
    uint64_t rows, test; /* n and T */
    uint32_t count;
    split_class *classes; /* count */
    uint32_t *order;      /* count: scratch, class numbers */
} split_plan;

/* n times (rows of class c in the test part, less its exact share): exact, and comparable. */
static split_wide split_excess(const split_plan *plan, uint32_t c)
{
    const split_class *group = &plan->classes[c];
    return (split_wide)group->test * plan->rows - (split_wide)plan->test * group->rows;
}

/* Is class a to give (direction -1) or get (+1) a row before class b? */
static int split_before(const split_plan *plan, uint32_t a, uint32_t b, int direction)
{
    split_wide x = split_excess(plan, a) * direction, y = split_excess(plan, b) * direction;
    return x != y ? x < y : a < b;
}

static void split_sift(const split_plan *plan, uint32_t *heap, uint32_t size, uint32_t at,
                       int direction)
{
    for (;;) {
        uint64_t child = 2 * (uint64_t)at + 1;
        if (child >= size) return;
        if (child + 1 < size && split_before(plan, heap[child + 1], heap[child], direction))
            child++;
        if (!split_before(plan, heap[child], heap[at], direction)) return;
        uint32_t kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
        at = (uint32_t)child;
    }
}

static int split_can_move(const split_class *group, int direction)
{
    return direction > 0 ? group->test < group->most : group->test > group->least;
}

/* Move `count` rows into (direction +1) or out of (-1) the test part, each time of the class that
 * is furthest from its share on the other side. */
static void split_move(split_plan *plan, uint64_t count, int direction)
{
    uint32_t size = 0;
    for (uint32_t c = 0; c < plan->count; c++)
        if (split_can_move(&plan->classes[c], direction)) plan->order[size++] = c;
    for (uint32_t at = size / 2; at-- > 0;)
        split_sift(plan, plan->order, size, at, direction);
    for (; count && size; count--) {
        split_class *group = &plan->classes[plan->order[0]];
        group->test += (uint64_t)direction;
        if (!split_can_move(group, direction)) plan->order[0] = plan->order[--size];
        split_sift(plan, plan->order, size, 0, direction);
    }
}

/* Exact shares rounded down, the rest by largest remainders: the largest remainder is the class
 * furthest below its share, and no class gets a second row before every other has had one. */
static void split_allocate(split_plan *plan)
{
    uint64_t given = 0, least = 0, most = 0;
    assert(plan->rows > plan->test);
    for (uint32_t c = 0; c < plan->count; c++) {
        split_class *group = &plan->classes[c];
        group->test = (uint64_t)((split_wide)plan->test * group->rows / plan->rows);
        group->least = 0;
        group->most = group->rows;
        given += group->test;
        least += group->rows >= 2;
        most += group->rows >= 2 ? group->rows - 1 : group->rows;
    }
    split_move(plan, plan->test - given, 1);
    given = 0;
    for (uint32_t c = 0; c < plan->count; c++) {
        split_class *group = &plan->classes[c];
        if (group->rows >= 2 && least <= plan->test) group->least = 1;
        if (group->rows >= 2 && most >= plan->test) group->most = group->rows - 1;
        if (group->test < group->least) group->test = group->least;
        if (group->test > group->most) group->test = group->most;
        given += group->test;
    }
    if (given < plan->test) split_move(plan, plan->test - given, 1);
    if (given > plan->test) split_move(plan, given - plan->test, -1);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Groups, and what is known of them. */
typedef struct split_grouped {
    const uint32_t *labels; /* of the rows; NULL: one class */
    uint32_t *order;        /* groups, at random */
    uint64_t *starts;       /* group g has sorted[starts[g] .. starts[g + 1] - 1] */
    uint64_t *sorted;       /* rows, one group after the other */
    uint64_t *counts;       /* scratch, a number per class, all 0 */
} split_grouped;

/* What n^2 times the sum above changes by, divided by n, when group g is added. */
static double split_change(const split_plan *plan, const split_grouped *all, uint32_t g)
{
    const uint32_t *labels = all->labels;
    const uint64_t *rows = all->sorted + all->starts[g];
    const uint64_t count = all->starts[g + 1] - all->starts[g];
    double change = 0;
    for (uint64_t k = 0; k < count; k++)
        all->counts[labels ? labels[rows[k]] : 0]++;
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t c = labels ? labels[rows[k]] : 0;
        const double more = (double)all->counts[c];
        change += more * (2 * (double)split_excess(plan, c) + (double)plan->rows * more) /
                  (double)plan->classes[c].rows;
        all->counts[c] = 0;
    }
    return change;
}

static void split_take_group(split_plan *plan, const split_grouped *all, uint32_t g,
                             unsigned char *side)
{
    for (uint64_t k = all->starts[g]; k < all->starts[g + 1]; k++) {
        const uint64_t row = all->sorted[k];
        side[row] = 1;
        plan->classes[all->labels ? all->labels[row] : 0].test++;
    }
}

/* At least one group goes to the test part, the one that does the least harm if none does good; and
 * at least one stays. */
static hsp_status split_groups(hsp__scratch *scratch, const hsp__split_rows *rows,
                               const uint32_t *labels, uint64_t seed, split_plan *plan,
                               hsp_error *err, unsigned char *side)
{
    const uint32_t count = rows->group_count;
    split_grouped all = {labels, hsp__scratch_new(scratch, count, sizeof *all.order),
                         hsp__scratch_new(scratch, (uint64_t)count + 1, sizeof *all.starts),
                         hsp__scratch_raw(scratch, rows->rows, sizeof *all.sorted),
                         hsp__scratch_new(scratch, plan->count, sizeof *all.counts)};
    if (count < 2)
        return hsp__fail(err, HSP_BAD_DATA,
                         "all rows are in one group; a split needs at least two groups");
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows->rows; i++)
        all.starts[rows->groups[i] + 1]++;
    for (uint32_t g = 0; g < count; g++)
        all.starts[g + 1] += all.starts[g];
    for (uint64_t i = 0; i < rows->rows; i++)
        all.sorted[all.starts[rows->groups[i]]++] = i;
    memmove(all.starts + 1, all.starts, count * sizeof *all.starts);
    all.starts[0] = 0;
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    for (uint32_t g = 0; g < count; g++) {
        const uint32_t at = (uint32_t)hsp__random_below(&random, (uint64_t)g + 1);
        all.order[g] = all.order[at];
        all.order[at] = g;
    }
    memset(side, 0, rows->rows);
    uint32_t taken = 0, gentlest = 0;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < count && taken + 1 < count; i++) {
        const double change = split_change(plan, &all, all.order[i]);
        if (change < least) least = change, gentlest = all.order[i];
        if (!(change < 0)) continue;
        split_take_group(plan, &all, all.order[i], side);
        taken++;
    }
    if (!taken) split_take_group(plan, &all, gentlest, side);
    return HSP_OK;
}

/* ---- All together ---------------------------------------------------------------------------- */

hsp_status hsp__split_choose(hsp_context *ctx, const hsp__split_rows *rows,
                             const hsp_options *options, hsp_error *err, unsigned char *side)
{
    const char *test = options ? hsp_options_text(options, "test") : "0.25";
    const int stratified = !options || hsp_options_flag(options, "stratified");
    const uint64_t seed = options ? (uint64_t)hsp_options_integer(options, "seed") : 1;
    const uint32_t *labels = stratified ? rows->labels : NULL;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    split_plan plan = {.rows = rows->rows, .count = labels ? rows->classes : 1};
    HSP__TRY(split_test_rows(test, rows->rows, err, &plan.test));
    plan.classes = hsp__scratch_new(&scratch, plan.count, sizeof *plan.classes);
    plan.order = hsp__scratch_new(&scratch, plan.count, sizeof *plan.order);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < rows->rows; i++)
        plan.classes[labels ? labels[i] : 0].rows++;
    if (!status && rows->groups) {
        status = split_groups(&scratch, rows, labels, seed, &plan, err, side);
    } else if (!status) { /* one walk over the rows */
        hsp__random random;
        split_allocate(&plan);
        hsp__random_seed(&random, seed, 0);
        for (uint64_t i = 0; i < plan.rows; i++) {
            if (i % 1024 == 0 && hsp__tick(ctx)) break;
            split_class *group = &plan.classes[labels ? labels[i] : 0];
            int take = hsp__random_below(&random, group->rows--) < group->test;
            group->test -= (uint64_t)take;
            side[i] = (unsigned char)take;
        }
        status = hsp__stop_status(ctx, err);
    }
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp_data_split(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          hsp_error *err, hsp_data **train, hsp_data **test)
{
    HSP__NEED(err, ctx, data, train, test);
    const hsp_view *view;
    hsp_data *parts[2] = {NULL, NULL};
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    const hsp__split_rows rows = {
        .rows = view->rows, .labels = view->labels, .classes = view->classes};
    hsp__scratch scratch = {.memory = &ctx->allocator};
    unsigned char *side = hsp__scratch_raw(&scratch, view->rows, 1);
    uint64_t *chosen = hsp__scratch_raw(&scratch, view->rows, sizeof *chosen);
    hsp_status status =
        scratch.failed ? hsp__fail_memory(err) : hsp__split_choose(ctx, &rows, options, err, side);
    for (int which = 0; !status && which < 2; which++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < view->rows; i++)
            if (side[i] == which) chosen[count++] = i;
        status = hsp_data_select(ctx, data, chosen, count, err, &parts[which]);
    }
    hsp__scratch_free(&scratch);
    if (status) {
        hsp_data_free(parts[0]);
        return status;
    }
    *train = parts[0];
    *test = parts[1];
    return HSP_OK;
}

hsp_status hsp_data_sample(const hsp_data *data, uint64_t count, uint64_t seed, hsp_error *err,
                           uint64_t *rows)
{
    HSP__NEED(err, data);
    if (count) HSP__NEED(err, rows);
    hsp__random random;
    uint64_t left = hsp_data_rows(data), wanted = count, taken = 0;
    if (count > left)
        return hsp__fail(err, HSP_USAGE, "%llu rows were requested, and the data has %llu",
                         (unsigned long long)count, (unsigned long long)left);
    hsp__random_seed(&random, seed, 0);
    for (uint64_t i = 0; wanted; i++, left--)
        if (hsp__random_below(&random, left) < wanted) {
            rows[taken++] = i;
            wanted--;
        }
    return HSP_OK;
}
