/* The option threshold: a number, or the best one for these rows. */
#include "base/base.h"
#include "base/decimal.h"
#include "measure/evaluate.h"
#include "model/probability.h"

static int threshold_number(const char *text, const char *end, double *out)
{
    hsp__decimal_result result;
    return hsp__decimal_f64(text, end, out, &result) == end && result == HSP__DECIMAL_OK &&
           isfinite(*out);
}

/* "cost=FP:FN" */
static int threshold_costs(const char *text, double cost[2])
{
    const char *colon = strchr(text, ':');
    if (strncmp(text, "cost=", 5) != 0 || !colon) return 0;
    return threshold_number(text + 5, colon, &cost[0]) && cost[0] >= 0 &&
           threshold_number(colon + 1, colon + strlen(colon), &cost[1]) && cost[1] >= 0 &&
           cost[0] + cost[1] > 0;
}

static hsp_status threshold_best(hsp_context *ctx, hsp_evaluated *to, hsp__cut_aim aim,
                                 const double cost[2], hsp_error *err)
{
    hsp__cut *cuts = NULL;
    uint64_t count;
    if (!(to->sums[0] > 0) || !(to->sums[1] > 0))
        return hsp__fail_option(err, "--threshold",
                                "the best threshold needs rows of both classes; these are of one");
    HSP__TRY(hsp__cuts_new(ctx, &to->kept, to->kept.probability != NULL, 1, err, &cuts, &count));
    to->threshold = cuts[hsp__cut_best(cuts, count, aim, cost)].threshold;
    to->chosen = 1;
    hsp__free(&ctx->allocator, cuts);
    return HSP_OK;
}

hsp_status hsp__evaluate_threshold(hsp_context *ctx, hsp_evaluated *to, const char *text,
                                   hsp_error *err)
{
    hsp__scored *rows = &to->kept;
    char quoted[HSP__QUOTED];
    double cost[2];
    const int f1 = strcmp(text, "best-f1") == 0, mcc = strcmp(text, "best-mcc") == 0;
    if (rows->classes != 2)
        return hsp__fail_option(err, "--threshold",
                                "a threshold needs two classes; this model has %u",
                                (unsigned)rows->classes);
    if (f1 || mcc)
        HSP__TRY(threshold_best(ctx, to, f1 ? HSP__CUT_F1 : HSP__CUT_MCC, NULL, err));
    else if (threshold_costs(text, cost))
        HSP__TRY(threshold_best(ctx, to, HSP__CUT_COST, cost, err));
    else if (!threshold_number(text, text + strlen(text), &to->threshold))
        return hsp__fail_option(err, "--threshold",
                                "found '%s', expected a number, best-f1, best-mcc, or the costs of "
                                "a false positive and of a false negative, as in cost=1:5",
                                hsp__quote(text, strlen(text), quoted));
    if (!isfinite(to->threshold))
        return hsp__fail_option(
            err, "--threshold",
            "all probabilities are 0 or 1 and equal: no threshold divides them");
    if (rows->probability && !(to->threshold > 0 && to->threshold < 1))
        return hsp__fail_option(err, "--threshold", "%g is not a probability between 0 and 1",
                                to->threshold);
    for (uint64_t i = 0; i < rows->rows; i++) {
        const double p = rows->probability ? rows->probability[2 * i + 1] : rows->ranking[i];
        const double beyond = p - to->threshold;
        rows->predicted[i] = hsp__decide(&beyond, 1, to->model->tie);
    }
    return HSP_OK;
}

double hsp_evaluated_threshold(const hsp_evaluated *evaluated, int *chosen, int *on_score)
{
    if (!evaluated) return (double)NAN;
    if (chosen) *chosen = evaluated->chosen;
    if (on_score) *on_score = !evaluated->kept.probability;
    return evaluated->threshold;
}
