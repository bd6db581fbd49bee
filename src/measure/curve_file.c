/* Curves of evaluated rows, written point by point (docs/measuring.md): one curve of two classes,
 * of more one per class against the rest. */
#include "base/base.h"
#include "measure/evaluate.h"
#include "data/listing.h"

typedef enum curve_kind { CURVE_ROC, CURVE_PR, CURVE_LIFT, CURVE_CALIBRATION } curve_kind;

static const char *const curve_columns[][6] = {
    [CURVE_ROC] = {"class", "threshold", "fpr", "tpr"},
    [CURVE_PR] = {"class", "threshold", "precision", "recall"},
    [CURVE_LIFT] = {"class", "threshold", "share", "gain", "lift"},
    [CURVE_CALIBRATION] = {"class", "from", "to", "weight", "predicted", "observed"}};
static const size_t curve_widths[] = {4, 4, 5, 6};

static void curve_point(hsp__listing *to, curve_kind kind, const hsp__cut *cut, const hsp__cut *all)
{
    const double tp = cut->positives, fp = cut->negatives;
    const double gain = tp / all->positives, share = (tp + fp) / (all->positives + all->negatives);
    hsp__listing_number(to, cut->threshold);
    if (kind == CURVE_ROC) {
        hsp__listing_number(to, fp / all->negatives);
        hsp__listing_number(to, gain);
    } else if (kind == CURVE_PR) {
        hsp__listing_number(to, tp + fp > 0 ? tp / (tp + fp) : 1); /* no row is called positive */
        hsp__listing_number(to, gain);
    } else {
        hsp__listing_number(to, share);
        hsp__listing_number(to, gain);
        hsp__listing_number(to, gain / share);
    }
}

static hsp_status curve_class(hsp__listing *to, curve_kind kind, const hsp_evaluated *evaluated,
                              uint32_t class, uint32_t bins, hsp_error *err)
{
    const hsp__scored *rows = &evaluated->kept;
    const char *name = rows->classes > 2 ? hsp_model_class_name(evaluated->model, class) : NULL;
    hsp__calibration_bin *binned = NULL;
    hsp__cut *cuts = NULL;
    uint64_t count = bins;
    hsp_status status = HSP_OK;
    if (kind == CURVE_CALIBRATION) {
        binned = hsp__new(&to->ctx->allocator, bins, sizeof *binned);
        if (!binned) return hsp__fail_memory(err);
        hsp__calibration_bins(rows, class, bins, binned);
    } else {
        HSP__TRY(
            hsp__cuts_new(to->ctx, rows, rows->probability != NULL, class, err, &cuts, &count));
    }
    for (uint64_t i = 0; !status && i < count; i++) {
        if (name) hsp__listing_text(to, name);
        if (cuts) {
            curve_point(to, kind, &cuts[i], &cuts[count - 1]);
        } else {
            hsp__listing_number(to, (double)i / bins);
            hsp__listing_number(to, (double)(i + 1) / bins);
            hsp__listing_number(to, binned[i].weight);
            hsp__listing_number(to, binned[i].predicted);
            hsp__listing_number(to, binned[i].observed);
        }
        status = hsp__listing_flush(to, err);
    }
    hsp__free(&to->ctx->allocator, binned);
    hsp__free(&to->ctx->allocator, cuts);
    return status;
}

hsp_status hsp_evaluated_curve(hsp_context *ctx, const hsp_evaluated *evaluated,
                               const hsp_options *options, const char *path, hsp_error *err)
{
    static const char *const names[] = {"roc", "pr", "lift", "calibration"};
    HSP__NEED(err, ctx, evaluated, options, path);
    const char *asked = hsp_options_text(options, "curve");
    const hsp__scored *rows = &evaluated->kept;
    int kind = CURVE_ROC;
    if (!asked) return hsp__fail(err, HSP_USAGE, "the option curve says which curve to write");
    while (strcmp(names[kind], asked) != 0)
        kind++;
    if (kind == CURVE_CALIBRATION && !rows->probability)
        return hsp__fail_option(err, "--curve",
                                "a calibration curve needs probabilities: train the model with "
                                "--calibrate platt or isotonic, or train logistic");
    if (!rows->probability && !rows->ranking)
        return hsp__fail_option(err, "--curve", "there are too many rows and classes");
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    const int skip = rows->classes == 2; /* the name of the class */
    hsp__listing to = {.ctx = &own,
                       .names = curve_columns[kind] + skip,
                       .columns = curve_widths[kind] - (size_t)skip,
                       .json = strcmp(hsp_options_text(options, "output-format"), "json") == 0,
                       .array = 1};
    hsp_status status = hsp__listing_begin(&to, path, err);
    for (uint32_t c = rows->classes == 2; !status && c < rows->classes; c++)
        status = curve_class(&to, (curve_kind)kind, evaluated, c,
                             (uint32_t)hsp_options_integer(options, "bins"), err);
    return hsp__listing_end(&to, status, err);
}
