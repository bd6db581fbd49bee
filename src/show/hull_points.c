#include "show/hull_points.h"

#include <float.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "data/source.h"
#include "prove/prove.h"

#define HULL_POINTS_WIDTH 1e-6                /* of the interval of a margin, relative */
#define HULL_POINTS_MOST  ((size_t)256 << 20) /* bytes of a certificate */

void hsp__hull_points_free(hsp__hull_points *points)
{
    for (int c = 0; c < 2; c++)
        hsp__free(&points->memory, points->point[c]);
    hsp__free(&points->memory, points->row);
    hsp__free(&points->memory, points->share);
    hsp__free(&points->memory, points->w);
}

/* ---- Exact numbers as doubles ---------------------------------------------------------------- */

/* A number of a certificate as part * 10^tens: multipliers may have thousands of digits. */
typedef struct hull_number {
    double part;
    double tens;
} hull_number;

static const char *hull_decimal(const char *p, const char *end, hull_number *out)
{
    const int negative = *p == '-';
    int digits = 0, point = 0;
    double shift = 0, exponent = 0;
    hsp__decimal_result result = HSP__DECIMAL_OK;
    *out = (hull_number){0, 0};
    p += *p == '-' || *p == '+';
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = 1;
        } else if (digits < 18) {
            out->part = out->part * 10 + (*p - '0');
            digits += out->part > 0;
            shift -= point;
        } else {
            shift += !point;
        }
    }
    if (p < end && (*p == 'e' || *p == 'E')) p = hsp__decimal_f64(p + 1, end, &exponent, &result);
    out->tens = shift + exponent;
    if (negative) out->part = -out->part;
    return result == HSP__DECIMAL_OK ? p : end + 1;
}

/* A decimal, or a fraction of whole numbers. 0: neither. */
static int hull_number_read(const hsp__json_value *value, hull_number *out)
{
    size_t size = 0;
    double number;
    const char *p = hsp__json_string(value, &size);
    if (!p) {
        if (!hsp__json_number(value, &number) || !isfinite(number)) return 0;
        *out = (hull_number){number, 0};
        return 1;
    }
    const char *end = p + size;
    p = hull_decimal(p, end, out);
    if (p < end && *p == '/') {
        hull_number below;
        p = hull_decimal(p + 1, end, &below);
        if (!(below.part > 0)) return 0;
        out->part /= below.part;
        out->tens -= below.tens;
    }
    return p == end && size && isfinite(out->part) && isfinite(out->tens);
}

static double hull_value(const hull_number *number, double tens)
{
    return number->part == 0 ? 0 : number->part * pow(10, number->tens - tens);
}

/* ---- From multipliers to points -------------------------------------------------------------- */

/* Shares from a list [[row, "number"], ...] with rows from 1. */
static hsp_status hull_shares(const hsp__json_value *list, const hsp_view *view, const char *name,
                              hsp_error *err, hsp__hull_points *to)
{
    double tens = -HUGE_VAL, total[2] = {0, 0};
    hull_number number;
    to->used = hsp__json_count(list);
    to->row = hsp__new(&to->memory, to->used, sizeof *to->row);
    to->share = hsp__new(&to->memory, to->used, sizeof *to->share);
    if (!to->row || !to->share) return hsp__fail_memory(err);
    for (int round = 0; round < 2; round++)
        for (uint64_t k = 0; k < to->used; k++) {
            const hsp__json_value *pair = hsp__json_at(list, k);
            if (!hsp__json_u64(hsp__json_at(pair, 0), &to->row[k]) || !to->row[k] ||
                to->row[k] > view->rows || !hull_number_read(hsp__json_at(pair, 1), &number) ||
                !(number.part > 0))
                return hsp__fail_at(err, HSP_BAD_DATA, name, 0, 0,
                                    "multiplier %llu is no row of the data with a number above 0",
                                    (unsigned long long)k + 1);
            if (round == 0)
                tens = fmax(tens, number.tens + log10(number.part));
            else
                total[view->labels[--to->row[k]]] += to->share[k] =
                    fmax(hull_value(&number, tens), DBL_MIN);
        }
    if (!(total[0] > 0 && total[1] > 0))
        return hsp__fail_at(err, HSP_BAD_DATA, name, 0, 0,
                            "the multipliers are not of rows of both classes");
    for (uint64_t k = 0; k < to->used; k++)
        to->share[k] /= total[view->labels[to->row[k]]];
    return HSP_OK;
}

static hsp_status hull_mix(const hsp_view *view, hsp_error *err, hsp__hull_points *to)
{
    for (int c = 0; c < 2; c++) {
        to->point[c] = hsp__new(&to->memory, view->cols, sizeof *to->point[c]);
        if (!to->point[c]) return hsp__fail_memory(err);
    }
    for (uint64_t k = 0; k < to->used; k++) {
        const hsp__row row = hsp__view_row(view, to->row[k]);
        double *point = to->point[view->labels[to->row[k]]];
        for (uint64_t e = 0; e < row.count; e++)
            point[hsp__row_column(&row, e)] += to->share[k] * hsp__row_value(view, &row, e);
    }
    return HSP_OK;
}

/* ---- Finding them ---------------------------------------------------------------------------- */

/* The rows in double precision: a float stands for its shortest decimal, which is what the file
 * has. */
static hsp_status hull_doubles(hsp__scratch *scratch, const hsp_data *data, hsp_error *err,
                               hsp_view *view)
{
    if (view->precision == HSP_FLOAT64 || view->storage == HSP_ONES) return HSP_OK;
    const uint64_t count =
        view->storage == HSP_DENSE ? view->rows * view->stride : hsp__view_start(view, view->rows);
    const float *from = view->values;
    double *to = hsp__scratch_raw(scratch, count, sizeof *to);
    const int exact = hsp__data_is_exact(data);
    if (!to) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++) {
        char text[HSP__DECIMAL_MAX];
        hsp__decimal_result result;
        to[i] = (double)from[i];
        if (exact)
            hsp__decimal_f64(text, text + hsp__decimal_print_f32(from[i], text), &to[i], &result);
    }
    view->values = to;
    view->precision = HSP_FLOAT64;
    return HSP_OK;
}

static hsp_status hull_take(hsp_context *ctx, const hsp__separation *found, const hsp_view *view,
                            hsp_error *err, hsp__hull_points *to)
{
    hsp__json *json = NULL;
    to->separable = found->kind == HSP__SEPARABILITY_SEPARABLE;
    to->touching = found->kind == HSP__SEPARABILITY_NEAR;
    to->low = to->separable ? found->low_value : 0;
    to->high = found->kind == HSP__SEPARABILITY_COMMON ? 0 : found->high_value;
    hsp_status status = hsp__json_parse(&ctx->allocator, found->multipliers.data,
                                        found->multipliers.size, "multipliers", err, &json);
    if (!status) status = hull_shares(hsp__json_root(json), view, "multipliers", err, to);
    if (!status) status = hull_mix(view, err, to);
    if (!status && found->weights) {
        to->w = hsp__new(&to->memory, view->cols, sizeof *to->w);
        to->b = found->bias;
        if (to->w) memcpy(to->w, found->weights, view->cols * sizeof *to->w);
        if (!to->w) status = hsp__fail_memory(err);
    }
    hsp__json_free(json);
    return status;
}

hsp_status hsp__hull_points_find(hsp_context *ctx, hsp_data *data, hsp_error *err,
                                 hsp__hull_points *out, int *known)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__hull_points made = {.memory = ctx->allocator};
    hsp__separation found;
    const hsp_view *given;
    HSP__TRY(hsp_data_view(ctx, data, err, &given));
    assert(given->classes == 2 && given->labels);
    hsp_view view = *given;
    hsp__prove_file file = {.rows = &view,
                            .y = hsp__scratch_new(&scratch, view.rows, sizeof *file.y),
                            .exact = {.view = &view, .stored = !hsp__data_is_exact(data)}};
    hsp__separation_init(&found, &ctx->allocator);
    hsp_status status = file.y ? hull_doubles(&scratch, data, err, &view) : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < view.rows; i++) {
        file.y[i] = view.labels[i] ? 1 : -1;
        file.sides[view.labels[i]]++;
    }
    file.exact.y = file.y;
    if (!status) status = hsp__separability_find(ctx, &file, 1, HULL_POINTS_WIDTH, 0, err, &found);
    *known = !status && found.kind != HSP__SEPARABILITY_UNKNOWN && found.multipliers.size;
    if (*known) status = hull_take(ctx, &found, &view, err, &made);
    hsp__separation_free(&found);
    hsp__scratch_free(&scratch);
    if (status)
        hsp__hull_points_free(&made);
    else
        *out = made;
    return status;
}

/* ---- Certificates ---------------------------------------------------------------------------- */

struct hsp__hull_claim {
    hsp_allocator memory;
    char *name, *text;
    hsp__json *json;
    const hsp__json_value *data, *claim;
    int separable;
};

void hsp__hull_claim_free(hsp__hull_claim *claim)
{
    if (!claim) return;
    hsp_allocator memory = claim->memory;
    hsp__json_free(claim->json);
    hsp__free(&memory, claim->text);
    hsp__free(&memory, claim->name);
    hsp__free(&memory, claim);
}

static int hull_says(const hsp__json_value *claim, const char *text)
{
    const char *name = hsp__json_string(hsp__json_get(claim, "claim"), NULL);
    return name && strcmp(name, text) == 0;
}

/* The first claim that two hulls have these points. */
static hsp_status hull_find_claim(hsp__hull_claim *to, hsp_error *err)
{
    const hsp__json_value *root = hsp__json_root(to->json), *claims = hsp__json_get(root, "claims");
    const char *why =
        "has no claim that the rows are separable, or not, with an offset and without "
        "a kernel. Make one with halfspace certify DATA";
    for (size_t i = 0; !to->claim && i < hsp__json_count(claims); i++) {
        const hsp__json_value *claim = hsp__json_at(claims, i);
        to->separable = hull_says(claim, "separable");
        if ((to->separable || hull_says(claim, "not separable")) &&
            hsp__json_type_of(hsp__json_get(claim, "offset")) == HSP__JSON_TRUE &&
            !hsp__json_get(claim, "kernel") && hsp__json_get(claim, "multipliers"))
            to->claim = claim;
    }
    to->data = hsp__json_get(root, "data");
    if (to->claim && to->separable && hsp__json_get(root, "transform")) {
        why = "is about scaled columns; a figure shows the columns of the file. Make a certificate "
              "without a model";
        to->claim = NULL;
    }
    if (to->claim && to->data) return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, to->name, 0, 0, "%s", why);
}

hsp_status hsp__hull_claim_read(hsp_context *ctx, const char *path, hsp_error *err,
                                hsp__hull_claim **out)
{
    hsp__source *source = NULL;
    size_t size = 0;
    hsp__hull_claim *made = hsp__new(&ctx->allocator, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->memory = ctx->allocator;
    made->name = hsp__copy_text(&ctx->allocator, path, strlen(path));
    hsp_status status =
        made->name ? hsp__source_open(ctx, path, err, &source) : hsp__fail_memory(err);
    if (!status)
        status = hsp__source_read_all(ctx, source, HULL_POINTS_MOST, err, &made->text, &size);
    hsp__source_free(source);
    if (!status)
        status = hsp__json_parse(&ctx->allocator, made->text, size, path, err, &made->json);
    if (!status) status = hull_find_claim(made, err);
    HSP__GIVE(status, made, hsp__hull_claim_free, out);
}

hsp_status hsp__hull_claim_rows(hsp_context *ctx, const hsp__hull_claim *claim, hsp_data *data,
                                hsp_error *err, hsp_data **out)
{
    const hsp__json_value *sides[2] = {hsp__json_get(claim->data, "negative"),
                                       hsp__json_get(claim->data, "positive")};
    const char *keep[2] = {NULL, NULL};
    for (int c = 0; c < 2; c++)
        if (hsp__json_count(sides[c]) == 1)
            keep[c] = hsp__json_string(hsp__json_at(sides[c], 0), NULL);
    if (keep[0] && keep[1]) return hsp_data_relabel(ctx, data, keep, 2, NULL, err, out);
    if (keep[1]) return hsp_data_relabel(ctx, data, NULL, 0, keep[1], err, out);
    return hsp__fail_at(err, HSP_UNSUPPORTED, claim->name, 0, 0,
                        "its positive class is not one label in UTF-8");
}

/* The ends of a margin, as doubles for a label. */
static double hull_end(const hsp__hull_claim *claim, const char *key)
{
    hull_number number;
    const hsp__json_value *margin = hsp__json_get(claim->claim, "margin");
    return hull_number_read(hsp__json_get(margin, key), &number) ? hull_value(&number, 0) : 0;
}

hsp_status hsp__hull_claim_points(hsp_context *ctx, const hsp__hull_claim *claim, hsp_data *rows,
                                  hsp_error *err, hsp__hull_points *out)
{
    const hsp__json_value *separator = hsp__json_get(claim->claim, "separator");
    const hsp__json_value *epsilon = hsp__json_get(claim->claim, "epsilon");
    const hsp__json_value *w = hsp__json_get(separator, "w");
    hsp__hull_points made = {.memory = ctx->allocator, .separable = claim->separable};
    const hsp_view *view;
    hull_number number;
    uint64_t column;
    HSP__TRY(hsp_data_view(ctx, rows, err, &view));
    made.low = hull_end(claim, "low");
    made.high = hull_end(claim, "high");
    made.touching = hull_number_read(epsilon, &number);
    if (made.touching) made.high = hull_value(&number, 0);
    hsp_status status =
        hull_shares(hsp__json_get(claim->claim, "multipliers"), view, claim->name, err, &made);
    if (!status) status = hull_mix(view, err, &made);
    if (!status && w) {
        made.w = hsp__new(&made.memory, view->cols, sizeof *made.w);
        if (!made.w) status = hsp__fail_memory(err);
    }
    for (size_t k = 0; !status && k < hsp__json_count(w); k++)
        if (hsp__json_u64(hsp__json_at(hsp__json_at(w, k), 0), &column) && column >= 1 &&
            column <= view->cols && hull_number_read(hsp__json_at(hsp__json_at(w, k), 1), &number))
            made.w[column - 1] = hull_value(&number, 0);
    if (hull_number_read(hsp__json_get(separator, "b"), &number)) made.b = hull_value(&number, 0);
    if (status)
        hsp__hull_points_free(&made);
    else
        *out = made;
    return status;
}
