#include "learn/select/grid.h"

#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"

#define GRID_RANGE 1000  /* values of a range, at most */
#define GRID_SAME  1e-12 /* errors that differ by less are equal: they are means of few numbers */

/* What is being read: one spec. */
typedef struct grid_spec {
    const hsp_options *learner;
    hsp_options *probe; /* a copy, to try values on */
    const char *text;   /* all of it */
    hsp__grid_axis *axis;
    hsp_allocator memory;
} grid_spec;

static int grid_is_number(const hsp_option *option)
{
    return option->type == HSP_OPTION_INTEGER || option->type == HSP_OPTION_REAL;
}

/* ---- What may be tuned ----------------------------------------------------------------------- */

/* The option that a spec names, once it is known that it may be tuned. */
static hsp_status grid_option(hsp_context *ctx, const grid_spec *spec, size_t size, hsp_error *err,
                              const hsp_option **out)
{
    static const char output[] = "it sets an output, not how to learn",
                      problem[] = "it sets which classes are learned, and errors of different "
                                  "problems cannot be compared";
    static const struct {
        const char *name, *why;
    } refused[] = {{"trace", output},
                   {"reference", output},
                   {"keep-dual", output},
                   {"warm-start", "it sets the starting point, not the result"},
                   {"positive", problem},
                   {"classes", problem},
                   {"row-weight", problem},
                   {"seed", "the luckiest seed is not the best one"},
                   {"index", "it changes how neighbours are found, not which"},
                   {"max-seconds", "the result of a time limit changes from run to run"}};
    const hsp_option_table *table = hsp_options_table(spec->learner);
    const hsp_option *found = NULL;
    const char **names = hsp__new(&ctx->allocator, table->count, sizeof *names);
    if (!names) return hsp__fail_memory(err);
    for (size_t i = 0; i < table->count; i++) {
        names[i] = table->options[i].name;
        if (strlen(names[i]) == size && memcmp(names[i], spec->text, size) == 0)
            found = &table->options[i];
    }
    char quoted[HSP__QUOTED];
    const char *nearest = hsp_nearest(hsp__quote(spec->text, size, quoted), names, table->count);
    hsp__free(&ctx->allocator, names);
    if (!found)
        return hsp__fail_option(err, "--tune", "%s has no option '%s'%s%s%s", table->name, quoted,
                                nearest ? "; did you mean " : "", nearest ? nearest : "",
                                nearest ? "?" : "");
    const char *why = found->type == HSP_OPTION_LIST ? "it is a list itself" : NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i].name, found->name) == 0) why = refused[i].why;
    if (why) return hsp__fail_option(err, "--tune", "%s cannot be tuned: %s", found->name, why);
    if (hsp_options_is_set(spec->learner, found->name))
        return hsp__fail_option(err, "--tune", "%s is both set and tuned; remove one", found->name);
    *out = found;
    return HSP_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* One value more. *repeated: it was there already. */
static hsp_status grid_add(const grid_spec *spec, const char *value, size_t size, hsp_error *err,
                           int *repeated)
{
    hsp__grid_axis *axis = spec->axis;
    const char *name = axis->option->name;
    const uint32_t before = axis->values.count;
    uint32_t number;
    hsp_error inner = {0};
    if (!hsp__names_add(&axis->values, value, size, &number)) return hsp__fail_memory(err);
    *repeated = number < before;
    if (*repeated) return HSP_OK;
    hsp_status status =
        hsp_options_set(spec->probe, name, hsp__names_get(&axis->values, number), &inner);
    if (status == HSP_USAGE) return hsp__fail_option(err, "--tune", "%s: %s", name, inner.message);
    if (status) return hsp__fail_memory(err);
    if (!grid_is_number(axis->option)) return HSP_OK;
    assert(axis->values.count == before + 1);
    double *longer = hsp__resize(&spec->memory, axis->numbers, before + 1, sizeof *longer);
    if (!longer) return hsp__fail_memory(err);
    axis->numbers = longer;
    longer[before] = axis->option->type == HSP_OPTION_REAL
                         ? hsp_options_real(spec->probe, name)
                         : (double)hsp_options_integer(spec->probe, name);
    return HSP_OK;
}

/* A,B,C; commas inside brackets are part of a value: kernels have such. */
static hsp_status grid_list(const grid_spec *spec, const char *values, hsp_error *err)
{
    hsp__grid_axis *axis = spec->axis;
    for (const char *at = values, *end = values;; at = ++end) {
        char quoted[HSP__QUOTED];
        int repeated = 0;
        for (int depth = 0; *end && (*end != ',' || depth > 0); end++)
            depth += (*end == '(') - (*end == ')');
        const size_t size = (size_t)(end - at);
        HSP__TRY(grid_add(spec, at, size, err, &repeated));
        for (uint32_t i = 0; axis->numbers && !repeated && i + 1 < axis->values.count; i++)
            repeated = axis->numbers[i] == axis->numbers[axis->values.count - 1];
        if (repeated)
            return hsp__fail_option(err, "--tune", "%s: the value '%s' appears twice",
                                    axis->option->name, hsp__quote(at, size, quoted));
        if (!*end) return HSP_OK;
    }
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

typedef struct grid_range {
    double low, high;
    int log;
    uint64_t count;
} grid_range;

/* To six digits, which can be read and typed; `step` is what lies between neighbours, and where
 * that is small all digits stay. */
static double grid_round(double value, double step)
{
    char text[64];
    double rounded;
    hsp__decimal_result result;
    if (!(fabs(value) >= 1e-290 && fabs(value) <= 1e290)) return value;
    const int scale = (int)floor(log10(fabs(value))) - 5;
    /* digits and exponent apart: exact for every size, and the same in every locale */
    snprintf(text, sizeof text, "%llde%d", llround(value * pow(10, -scale)), scale);
    hsp__decimal_f64(text, text + strlen(text), &rounded, &result);
    if (result != HSP__DECIMAL_OK || !(fabs(rounded - value) * 100 <= step)) return value;
    return rounded;
}

static double grid_at(const grid_range *range, uint64_t i)
{
    assert(i < range->count);
    const double share = (double)i / (double)(range->count - 1);
    if (i == 0) return range->low;
    if (i == range->count - 1) return range->high;
    if (!range->log) return range->low + (range->high - range->low) * share;
    return exp(log(range->low) + (log(range->high) - log(range->low)) * share);
}

static hsp_status grid_fail_range(const grid_spec *spec, const char *found, size_t size,
                                  const char *expected, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    return hsp__fail_option(err, "--tune", "%s: found '%s', expected %s", spec->axis->option->name,
                            hsp__quote(found, size, quoted), expected);
}

static int grid_number(const char *text, size_t size, double *out)
{
    hsp__decimal_result result;
    return size && hsp__decimal_f64(text, text + size, out, &result) == text + size &&
           result == HSP__DECIMAL_OK;
}

/* LOW:HIGH:log:COUNT */
static hsp_status grid_fill(const grid_spec *spec, const char *values, int whole, hsp_error *err)
{
    const char *piece[5];
    size_t size[5], pieces = 0;
    grid_range range = {0};
    double count;
    for (const char *at = values; at && pieces < 5; pieces++) {
        const char *colon = strchr(at, ':');
        piece[pieces] = at;
        size[pieces] = colon ? (size_t)(colon - at) : strlen(at);
        at = colon ? colon + 1 : NULL;
    }
    if (pieces != 4)
        return grid_fail_range(spec, values, strlen(values), "LOW:HIGH:log:COUNT", err);
    if (!grid_number(piece[0], size[0], &range.low))
        return grid_fail_range(spec, piece[0], size[0], "a number, the lower end", err);
    if (!grid_number(piece[1], size[1], &range.high))
        return grid_fail_range(spec, piece[1], size[1], "a number, the upper end", err);
    range.log = size[2] == 3 && memcmp(piece[2], "log", 3) == 0;
    if (!range.log && !(size[2] == 3 && memcmp(piece[2], "lin", 3) == 0))
        return grid_fail_range(spec, piece[2], size[2], "log or lin", err);
    if (!grid_number(piece[3], size[3], &count) || !(count >= 2 && count <= GRID_RANGE) ||
        count != floor(count))
        return grid_fail_range(spec, piece[3], size[3], "a whole number of values, 2 to 1000", err);
    range.count = (uint64_t)count;
    if (range.log && !(range.low > 0))
        return grid_fail_range(spec, piece[0], size[0], "a lower end above 0 with log", err);
    if (!(range.low < range.high))
        return grid_fail_range(spec, values, strlen(values), "the lower end first", err);
    for (uint64_t i = 0; i < range.count; i++) {
        char text[HSP__DECIMAL_MAX];
        double value = grid_at(&range, i);
        int repeated; /* whole numbers come together: once is enough */
        if (whole)
            value = round(value);
        else if (i && i + 1 < range.count)
            value = grid_round(value, fabs(grid_at(&range, i + 1) - value));
        const size_t length = hsp__decimal_print_f64(value, text);
        HSP__TRY(grid_add(spec, text, length, err, &repeated));
    }
    return HSP_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static hsp_status grid_axis(hsp_context *ctx, grid_spec *spec, hsp_error *err)
{
    const char *equals = strchr(spec->text, '=');
    char quoted[HSP__QUOTED];
    if (!equals || equals == spec->text || !equals[1])
        return hsp__fail_option(
            err, "--tune", "found '%s', expected NAME=VALUES, as in C=0.01:100:log:9 or C=0.1,1,10",
            hsp__quote(spec->text, strlen(spec->text), quoted));
    HSP__TRY(grid_option(ctx, spec, (size_t)(equals - spec->text), err, &spec->axis->option));
    const hsp_option *option = spec->axis->option;
    /* A text whose default is a number takes numbers and also some word: k of knn. */
    const char *text = option->type == HSP_OPTION_TEXT ? option->fallback : NULL;
    const int counts = text && *text && strspn(text, "0123456789") == strlen(text);
    if (!(counts || grid_is_number(option)) || !strchr(equals, ':'))
        return grid_list(spec, equals + 1, err);
    return grid_fill(spec, equals + 1, counts || option->type == HSP_OPTION_INTEGER, err);
}

hsp_status hsp__grid_parse(hsp_context *ctx, const hsp_options *learner, const char *const *specs,
                           size_t count, hsp_error *err, hsp__grid *out)
{
    hsp__grid grid = {.memory = ctx->allocator, .path = count, .along = 1, .points = 1};
    hsp_status status = HSP_OK;
    if (!count)
        return hsp__fail_option(
            err, "--tune",
            "nothing to tune; name an option and its values, for example --tune C=0.01:100:log:9");
    grid.axes = hsp__new(&ctx->allocator, count, sizeof *grid.axes);
    if (!grid.axes) return hsp__fail_memory(err);
    for (size_t a = 0; !status && a < count; a++) {
        grid_spec spec = {
            .learner = learner, .text = specs[a], .axis = &grid.axes[a], .memory = ctx->allocator};
        hsp__names_init(&grid.axes[a].values, &ctx->allocator);
        grid.count = a + 1;
        status = hsp_options_copy(ctx, learner, err, &spec.probe);
        if (!status) status = grid_axis(ctx, &spec, err);
        hsp_options_free(spec.probe);
    }
    for (size_t a = 0; !status && a < count; a++) {
        const hsp__grid_axis *axis = &grid.axes[a];
        grid.points *= axis->values.count;
        if (grid.points > HSP__GRID_MOST)
            status = hsp__fail_option(
                err, "--tune", "more than %d combinations of values; give fewer", HSP__GRID_MOST);
        for (size_t b = 0; !status && b < a; b++)
            if (grid.axes[b].option == axis->option)
                status = hsp__fail_option(err, "--tune", "%s is there twice", axis->option->name);
        if (grid.path < count || !axis->numbers) continue;
        grid.path = a;
        grid.along = axis->values.count;
    }
    if (status) hsp__grid_free(&grid);
    if (!status) *out = grid;
    return status;
}

void hsp__grid_free(hsp__grid *grid)
{
    for (size_t a = 0; grid->axes && a < grid->count; a++) {
        hsp__names_free(&grid->axes[a].values);
        hsp__free(&grid->memory, grid->axes[a].numbers);
    }
    hsp__free(&grid->memory, grid->axes);
    grid->axes = NULL;
}

/* ---- Points ---------------------------------------------------------------------------------- */

uint32_t hsp__grid_value(const hsp__grid *grid, uint64_t point, size_t axis)
{
    assert(point < grid->points && axis < grid->count);
    if (axis == grid->path) return (uint32_t)(point % grid->along);
    uint64_t rest = point / grid->along;
    for (size_t a = grid->count; a-- > axis + 1;)
        if (a != grid->path) rest /= grid->axes[a].values.count;
    return (uint32_t)(rest % grid->axes[axis].values.count);
}

hsp_status hsp__grid_options(hsp_context *ctx, const hsp__grid *grid, const hsp_options *learner,
                             uint64_t point, hsp_error *err, hsp_options **out)
{
    hsp_options *options = NULL;
    hsp_status status = hsp_options_copy(ctx, learner, err, &options);
    for (size_t a = 0; !status && a < grid->count; a++) {
        const hsp__grid_axis *axis = &grid->axes[a];
        status =
            hsp_options_set(options, axis->option->name,
                            hsp__names_get(&axis->values, hsp__grid_value(grid, point, a)), err);
    }
    if (status) hsp_options_free(options);
    if (!status) *out = options;
    return status;
}

static int grid_value_simpler(const hsp__grid_axis *axis, uint64_t a, uint64_t b)
{
    const int smaller = axis->numbers && strcmp(axis->option->name, "C") == 0;
    const int larger = axis->numbers && strcmp(axis->option->name, "lambda") == 0;
    if (!smaller && !larger) return a < b; /* what comes first is simpler */
    return smaller ? axis->numbers[a] < axis->numbers[b] : axis->numbers[a] > axis->numbers[b];
}

/* From the simplest on: insertion, for a path is short. */
void hsp__grid_order(const hsp__grid *grid, uint64_t *order)
{
    for (uint64_t k = 0; k < grid->along; k++) {
        uint64_t at = k;
        for (; at && grid_value_simpler(&grid->axes[grid->path], k, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

int hsp__grid_simpler(const hsp__grid *grid, uint64_t a, uint64_t b)
{
    for (size_t axis = 0; axis < grid->count; axis++) {
        const uint32_t x = hsp__grid_value(grid, a, axis), y = hsp__grid_value(grid, b, axis);
        if (x != y) return grid_value_simpler(&grid->axes[axis], x, y);
    }
    return 0;
}

/* What is to be small. */
static double grid_badness(const hsp_held_out *point, int loss)
{
    return isnan(point->score) ? HUGE_VAL : loss ? point->score : -point->score;
}

void hsp__grid_choose(const hsp__grid *grid, const hsp_held_out *points, int loss, int simplest,
                      uint64_t *best, uint64_t *chosen)
{
    assert(grid->points > 0);
    *best = 0;
    for (uint64_t p = 1; p < grid->points; p++) {
        const double least = grid_badness(&points[*best], loss),
                     at = grid_badness(&points[p], loss);
        const int same = at == least || fabs(at - least) <= GRID_SAME;
        if (same ? hsp__grid_simpler(grid, p, *best) : at < least) *best = p;
    }
    *chosen = *best;
    const double spread = points[*best].score_standard_error;
    const double limit =
        grid_badness(&points[*best], loss) + (isnan(spread) ? 0 : spread) + GRID_SAME;
    for (uint64_t p = 0; simplest && p < grid->points; p++)
        if (grid_badness(&points[p], loss) <= limit && hsp__grid_simpler(grid, p, *chosen))
            *chosen = p;
}
