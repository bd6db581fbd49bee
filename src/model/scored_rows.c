#include "model/scored_rows.h"

#include "base/base.h"
#include "data/data.h"

#define SCORED_SLICE ((uint64_t)1 << 17) /* scores held at a time, about */

hsp__scored_kind hsp__scored_kind_of(hsp__score score)
{
    const int ranks = score == HSP__SCORE_AUC || score == HSP__SCORE_AVERAGE_PRECISION;
    return ranks || hsp__score_needs_probability(score) ? HSP__SCORED_ALL : HSP__SCORED_PREDICTED;
}

/* Room for the rows, and their true classes. */
static hsp_status scored_begin(const hsp_view *view, const uint32_t *class_of, uint32_t classes,
                               hsp__scratch *scratch, hsp_error *err, hsp__scored *out)
{
    *out = (hsp__scored){.classes = classes,
                         .columns = classes == 2 ? 1 : classes,
                         .rows = view->rows,
                         .truth = hsp__scratch_raw(scratch, view->rows, sizeof *out->truth),
                         .predicted = hsp__scratch_raw(scratch, view->rows, sizeof *out->truth)};
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++) {
        out->truth[i] = class_of[view->labels[i]];
        assert(out->truth[i] < classes);
    }
    return HSP_OK;
}

void hsp__class_ranking(const hsp_model *model, const double *scores, const double *probability,
                        double *out)
{
    const uint32_t classes = hsp_model_classes(model);
    if (classes == 2)
        out[0] = scores[0];
    else if (probability)
        memcpy(out, probability, classes * sizeof *out);
    else
        hsp_model_class_scores(model, scores, out);
}

static void scored_row(const hsp_model *model, const double *scores, uint64_t i, hsp__scored *out)
{
    double *probability = out->probability ? out->probability + i * out->classes : NULL;
    if (probability) hsp_model_probabilities(model, scores, probability);
    hsp__class_ranking(model, scores, probability, out->ranking + i * out->columns);
}

hsp_status hsp__scored_rows(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                            const uint32_t *class_of, hsp__scored_kind kind, hsp__scratch *scratch,
                            hsp_error *err, hsp__scored *out)
{
    const uint32_t classes = hsp_model_classes(model);
    const uint64_t most = SCORED_SLICE / model->scorers + 1;
    const uint64_t step = most < view->rows ? most : view->rows;
    HSP__TRY(scored_begin(view, class_of, classes, scratch, err, out));
    double *scores = hsp__scratch_raw(scratch, step * model->scorers, sizeof *scores);
    if (kind == HSP__SCORED_ALL) {
        out->ranking = hsp__scratch_raw(scratch, view->rows * out->columns, sizeof *out->ranking);
        if (hsp_model_has_probabilities(model))
            out->probability =
                hsp__scratch_raw(scratch, view->rows * classes, sizeof *out->probability);
    }
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t from = 0; from < view->rows; from += step) {
        const uint64_t to = view->rows - from < step ? view->rows : from + step;
        const hsp_view slice = hsp__view_slice(view, from, to);
        HSP__TRY(hsp_model_score(ctx, model, &slice, err, scores, out->predicted + from));
        for (uint64_t i = from; out->ranking && i < to; i++)
            scored_row(model, scores + (i - from) * model->scorers, i, out);
    }
    return HSP_OK;
}

hsp_status hsp__scored_nothing(const hsp_view *view, const uint32_t *class_of, uint32_t classes,
                               hsp__scratch *scratch, hsp_error *err, hsp__scored *out)
{
    HSP__TRY(scored_begin(view, class_of, classes, scratch, err, out));
    out->ranking = hsp__scratch_new(scratch, view->rows * out->columns, sizeof *out->ranking);
    for (uint64_t i = 0; i < view->rows; i++)
        out->predicted[i] = HSP_NO_CLASS;
    return scratch->failed ? hsp__fail_memory(err) : HSP_OK;
}
