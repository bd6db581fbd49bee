#include "learn/select/grid.h"

#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "kernel/expression.h"
#include "learn/option_helpers.h"

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

/* ---- Names in a kernel ------------------------------------------------------------------------ */

static int grid_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The next word of a kernel expression that stands for a number; NULL: none. Kernels, rules, the
 * names of arguments ("degree=") and the parts of functions are none. */
static const char *grid_kernel_name(const char *at, size_t *size)
{
    for (char before = 0; *at; before = *at++) {
        if (!grid_is_letter(*at)) continue;
        size_t n = 1;
        while (grid_is_letter(at[n]) || (at[n] >= '0' && at[n] <= '9'))
            n++;
        const char *next = at + n + strspn(at + n, " ");
        int known = *next == '(' || *next == '=' || before == '/' ||
                    (n == 4 && memcmp(at, "norm", n) == 0) ||
                    (*at == 'x' && n > 1 && strspn(at + 1, "0123456789") == n - 1);
        for (int op = 0; op <= HSP__KERNEL_COLS; op++)
            known |= hsp__kernel_names[op] && strlen(hsp__kernel_names[op]) == n &&
                     memcmp(hsp__kernel_names[op], at, n) == 0;
        for (int rule = HSP__RULE_MEDIAN; rule < HSP__RULES; rule++)
            known |=
                strlen(hsp__kernel_rules[rule]) == n && memcmp(hsp__kernel_rules[rule], at, n) == 0;
        *size = n;
        if (!known) return at;
        at += n - 1;
    }
    return NULL;
}

/* Replace a name in the kernel of these options by a value. */
static hsp_status grid_kernel_set(hsp_context *ctx, hsp_options *options, const char *name,
                                  const char *value, hsp_error *err)
{
    const char *from = hsp_options_text(options, "kernel"), *found;
    size_t size;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    for (const char *at = from; (found = grid_kernel_name(at, &size)); at = found + size) {
        const int same = strlen(name) == size && memcmp(name, found, size) == 0;
        hsp__text_add(&text, from, (size_t)(found - from));
        if (same)
            hsp__text_puts(&text, value);
        else
            hsp__text_add(&text, found, size);
        from = found + size;
    }
    hsp__text_puts(&text, from);
    hsp_status status =
        text.failed ? hsp__fail_memory(err) : hsp_options_set(options, "kernel", text.data, err);
    hsp__text_free(&text);
    return status;
}

/* A name in the learner's kernel becomes an axis of its own; 0: the kernel has no such name. */
static hsp_status grid_kernel_axis(const grid_spec *spec, size_t size, hsp_error *err, int *found)
{
    const char *at = hsp__option_text(spec->learner, "kernel");
    hsp__grid_axis *axis = spec->axis;
    size_t n;
    uint32_t number;
    *found = 0;
    for (; at && !*found && (at = grid_kernel_name(at, &n)); at += n)
        *found = n == size && memcmp(at, spec->text, n) == 0;
    if (!*found) return HSP_OK;
    if (!hsp__names_add(&axis->own_name, spec->text, size, &number)) return hsp__fail_memory(err);
    axis->own = (hsp_option){.name = hsp__names_get(&axis->own_name, 0), .type = HSP_OPTION_REAL};
    axis->option = &axis->own;
    return HSP_OK;
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
                   {"convergence", output},
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
    int named = 0;
    const char *nearest = hsp_nearest(hsp__quote(spec->text, size, quoted), names, table->count);
    hsp__free(&ctx->allocator, names);
    if (!found) HSP__TRY(grid_kernel_axis(spec, size, err, &named));
    if (named) {
        *out = spec->axis->option;
        return HSP_OK;
    }
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
    const int own = axis->option == &axis->own;
    double as_number = 0;
    if (own && !grid_number(hsp__names_get(&axis->values, number), size, &as_number))
        return grid_fail_range(spec, hsp__names_get(&axis->values, number), size, "a number", err);
    hsp_status status =
        own ? HSP_OK
            : hsp_options_set(spec->probe, name, hsp__names_get(&axis->values, number), &inner);
    if (status == HSP_USAGE) return hsp__fail_option(err, "--tune", "%s: %s", name, inner.message);
    if (status) return hsp__fail_memory(err);
    if (!grid_is_number(axis->option)) return HSP_OK;
    assert(axis->values.count == before + 1);
    double *longer = hsp__resize(&spec->memory, axis->numbers, before + 1, sizeof *longer);
    if (!longer) return hsp__fail_memory(err);
    axis->numbers = longer;
    longer[before] = own ? as_number
                     : axis->option->type == HSP_OPTION_REAL
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

static int grid_is_cost(const hsp__grid_axis *axis)
{
    return strcmp(axis->option->name, "C") == 0 || strcmp(axis->option->name, "lambda") == 0;
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
        hsp__names_init(&grid.axes[a].own_name, &ctx->allocator);
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
            if (strcmp(grid.axes[b].option->name, axis->option->name) == 0)
                status = hsp__fail_option(err, "--tune", "%s is there twice", axis->option->name);
        if (!axis->numbers || axis->option == &axis->own ||
            strcmp(axis->option->name, "gamma") == 0 || (grid.path < count && !grid_is_cost(axis)))
            continue;
        if (grid.path < count && grid_is_cost(&grid.axes[grid.path])) continue;
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
        hsp__names_free(&grid->axes[a].own_name);
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
        const char *value = hsp__names_get(&axis->values, hsp__grid_value(grid, point, a));
        status = axis->option == &axis->own
                     ? grid_kernel_set(ctx, options, axis->option->name, value, err)
                     : hsp_options_set(options, axis->option->name, value, err);
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
static double grid_badness(const hsp_held_out *point, int loss, uint32_t need)
{
    return isnan(point->score) || point->folds - point->unfinished < need ? HUGE_VAL
           : loss                                                         ? point->score
                                                                          : -point->score;
}

void hsp__grid_choose(const hsp__grid *grid, const hsp_held_out *points, int loss, int simplest,
                      uint64_t *best, uint64_t *chosen)
{
    uint32_t most = 0;
    assert(grid->points > 0);
    for (uint64_t p = 0; p < grid->points; p++)
        if (points[p].folds - points[p].unfinished > most)
            most = points[p].folds - points[p].unfinished;
    const uint32_t need = most > 1 ? most - 1 : 0; /* a search that was stopped leaves some out */
    *best = 0;
    for (uint64_t p = 1; p < grid->points; p++) {
        const double least = grid_badness(&points[*best], loss, need),
                     at = grid_badness(&points[p], loss, need);
        const int same = at == least || fabs(at - least) <= GRID_SAME;
        if (same ? hsp__grid_simpler(grid, p, *best) : at < least) *best = p;
    }
    *chosen = *best;
    const double spread = points[*best].score_standard_error;
    const double limit =
        grid_badness(&points[*best], loss, need) + (isnan(spread) ? 0 : spread) + GRID_SAME;
    for (uint64_t p = 0; simplest && p < grid->points; p++)
        if (grid_badness(&points[p], loss, need) <= limit && hsp__grid_simpler(grid, p, *chosen))
            *chosen = p;
}

int hsp__grid_edge(const hsp__grid *grid, const hsp_held_out *points, int loss, uint64_t best,
                   size_t axis)
{
    const hsp__grid_axis *at = &grid->axes[axis];
    const uint32_t value = hsp__grid_value(grid, best, axis);
    const uint32_t need = 0;
    uint32_t smaller = 0, larger = 0;
    uint64_t neighbour = UINT64_MAX;
    if (!at->numbers || at->values.count < 3) return 0;
    const double x = at->numbers[value];
    for (uint32_t v = 0; v < at->values.count; v++) {
        smaller += at->numbers[v] < x;
        larger += at->numbers[v] > x;
    }
    if (smaller && larger) return 0;
    const int bounded = at->option != &at->own && at->option->min < at->option->max;
    if (bounded && (smaller ? x >= at->option->max : x <= at->option->min)) return 0;
    for (uint64_t p = 0; p < grid->points; p++) { /* the nearest value, all others the same */
        int same = p != best;
        for (size_t a = 0; a < grid->count; a++)
            same &= a == axis || hsp__grid_value(grid, p, a) == hsp__grid_value(grid, best, a);
        if (same && (neighbour == UINT64_MAX ||
                     fabs(at->numbers[hsp__grid_value(grid, p, axis)] - x) <
                         fabs(at->numbers[hsp__grid_value(grid, neighbour, axis)] - x)))
            neighbour = p;
    }
    if (neighbour == UINT64_MAX || !(grid_badness(&points[neighbour], loss, need) >
                                     grid_badness(&points[best], loss, need) + GRID_SAME))
        return 0;
    return smaller ? 1 : -1;
}
