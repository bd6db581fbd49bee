#include "learn/select/default_grid.h"

#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "kernel/expression.h"
#include "learn/option_helpers.h"
#include "learn/prepare.h"

#define DEFAULT_GRID_SIDE 2 /* gammas on each side of the middle one, each 4 times the one before */

/* Lines of the table: a learner, a spec, with a kernel or without; another option that says the
 * same. */
static const struct {
    const char *learner, *spec;
    int kernel; /* 1: with a kernel only; -1: only without */
    const char *unless;
} default_grid_table[] = {
    {"svm", "C=0.001:1000:log:7", -1, "lambda"},
    {"svm", "C=0.1:1000:log:5", 1, "lambda"},
    {"logistic", "C=0.001:1000:log:7", -1, "lambda"},
    {"logistic", "C=0.1:1000:log:5", 1, "lambda"},
    {"perceptron", "average=average,none", 0, NULL},
    {"perceptron", "passes=1,3,10,30", 0, NULL},
    {"winnow", "variant=winnow2,balanced", 0, NULL},
    {"winnow", "delta=0.1,0.3,1", 0, NULL},
    {"winnow", "average=average,none", 0, NULL},
    {"experts", "beta=0.5,0.7,0.9,0.99", 0, NULL},
    {"experts", "passes=1,3,10", 0, NULL},
    {"knn", "vote=majority,distance", 0, NULL},
};

static hsp_status default_grid_add(const hsp_options *learner, const char *spec, hsp_error *err,
                                   hsp__names *specs)
{
    char name[32];
    uint32_t number;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, "="), spec);
    if (hsp_options_is_set(learner, name)) return HSP_OK;
    return hsp__names_add(specs, spec, strlen(spec), &number) ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* The kernel with a factor that takes gamma, by its rule `median`; "": there is none. */
static hsp_status default_grid_rule(hsp_context *ctx, const hsp_options *learner, hsp_error *err,
                                    char text[32])
{
    hsp_kernel *kernel = NULL;
    text[0] = 0;
    if (hsp_options_is_set(learner, "gamma")) return HSP_OK;
    const hsp_status status =
        hsp_kernel_parse(ctx, hsp_options_text(learner, "kernel"), 1, 0, NULL, &kernel);
    if (status == HSP_USAGE) return HSP_OK; /* training will say what is wrong with it */
    if (status) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < kernel->count && !text[0]; k++) {
        const hsp__kernel_node *node = &kernel->nodes[k];
        if (node->rule == HSP__RULE_GAMMA || node->rule == HSP__RULE_SCALE)
            snprintf(text, 32, "%s(median)", hsp__kernel_names[node->op]);
    }
    hsp_kernel_free(kernel);
    return HSP_OK;
}

/* The factor of such a kernel, fitted to the rows as the learner sees them. */
static hsp_status default_grid_factor(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                                      const char *rule, hsp_error *err, double *factor)
{
    hsp__prepared prepared;
    hsp_kernel *kernel = NULL;
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    HSP__TRY(hsp__prepare(ctx, data, learner, NULL, err, &prepared));
    hsp_status status = hsp_kernel_parse(ctx, rule, 0, 0, err, &kernel);
    if (!status) status = hsp_kernel_fit(ctx, kernel, prepared.view, err);
    if (!status) *factor = kernel->nodes[0].p;
    if (status == HSP_BAD_DATA) { /* more than half of the pairs are of equal rows */
        *factor = 1;
        status = HSP_OK;
    }
    hsp_kernel_free(kernel);
    hsp__prepared_free(&prepared);
    return status;
}

static hsp_status default_grid_gamma(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                                     hsp_error *err, hsp__names *specs)
{
    char rule[32], spec[160] = "gamma=", number[HSP__DECIMAL_MAX];
    double middle = 1;
    HSP__TRY(default_grid_rule(ctx, learner, err, rule));
    if (!rule[0]) return HSP_OK;
    HSP__TRY(default_grid_factor(ctx, data, learner, rule, err, &middle));
    const double digit = pow(10, floor(log10(middle)) - 1); /* two digits can be read and typed */
    middle = fmax(round(middle / digit) * digit, 1e-290);
    for (int k = -DEFAULT_GRID_SIDE; k <= DEFAULT_GRID_SIDE; k++) {
        char short_text[32];
        double value;
        hsp__decimal_result result;
        snprintf(short_text, sizeof short_text, "%.2e", middle * pow(4, k));
        hsp__decimal_f64(short_text, short_text + strlen(short_text), &value, &result);
        hsp__decimal_print_f64(value, number);
        const size_t size = strlen(spec);
        snprintf(spec + size, sizeof spec - size, "%s%s", k > -DEFAULT_GRID_SIDE ? "," : "",
                 number);
    }
    return default_grid_add(learner, spec, err, specs);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* Odd numbers of neighbours, at most half of the rows, the smoothest first. */
static hsp_status default_grid_k(const hsp_data *data, const hsp_options *learner, hsp_error *err,
                                 hsp__names *specs)
{
    static const unsigned k[] = {51, 25, 15, 9, 5, 3, 1};
    char spec[64] = "k=";
    const uint64_t most = hsp_data_rows(data) / 2;
    size_t size = strlen(spec);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        if (k[i] <= most || k[i] == 1)
            size += (size_t)snprintf(spec + size, sizeof spec - size, "%u%s", k[i],
                                     k[i] > 1 ? "," : "");
    return default_grid_add(learner, spec, err, specs);
}

/* ---- All learners ---------------------------------------------------------------------------- */

hsp_status hsp__default_grid(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                             hsp_error *err, hsp__names *specs)
{
    const char *name = hsp_options_table(learner)->name;
    const int kernel = hsp__option_text(learner, "kernel") != NULL;
    if (hsp__option_flag(learner, "hard")) return HSP_OK; /* no cost, and one answer */
    if (strcmp(name, "knn") == 0) HSP__TRY(default_grid_k(data, learner, err, specs));
    if (kernel) HSP__TRY(default_grid_gamma(ctx, data, learner, err, specs));
    for (size_t i = 0; i < sizeof default_grid_table / sizeof *default_grid_table; i++) {
        const char *unless = default_grid_table[i].unless;
        if (strcmp(default_grid_table[i].learner, name) != 0 ||
            (default_grid_table[i].kernel && (default_grid_table[i].kernel > 0) != kernel) ||
            (unless && hsp_options_is_set(learner, unless)))
            continue;
        HSP__TRY(default_grid_add(learner, default_grid_table[i].spec, err, specs));
    }
    return HSP_OK;
}
