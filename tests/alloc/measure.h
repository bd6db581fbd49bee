/* Of test_alloc.c: evaluation. */
#ifndef HSP_TESTS_ALLOC_MEASURE_H
#define HSP_TESTS_ALLOC_MEASURE_H

/* A model of the case's learner on its own rows. */
static hsp_status alloc_evaluate(alloc_scene *s, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_options *how = NULL;
    hsp_evaluated *rows = NULL;
    hsp_importances *importances = NULL;
    hsp_score_report scores[HSP_SCORES];
    hsp_comparison comparison = {.size = sizeof comparison};
    const char *note;
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    if (!status) status = hsp_options_new(s->ctx, hsp_evaluate_options(), err, &how);
    if (!status) status = hsp_options_set(how, "interval", "0.9", err);
    if (!status) status = hsp_options_set(how, "samples", "10", err);
    if (!status) status = hsp_options_set(how, "curve", "roc", err);
    if (!status) status = hsp_options_set(how, "threshold", "best-f1", err);
    if (!status) status = hsp_evaluated_new(s->ctx, model, s->data, how, err, &rows);
    if (!status) status = hsp_evaluated_scores(s->ctx, rows, how, err, scores);
    if (!status) status = hsp_evaluated_compare(s->ctx, rows, rows, how, err, &comparison);
    if (!status) status = hsp_evaluated_curve(s->ctx, rows, how, alloc_path("out.csv"), err);
    if (!status)
        status = hsp_evaluated_rows(s->ctx, rows, s->data, how, alloc_path("out.csv"), err, &note);
    if (!status) status = hsp_importances_new(s->ctx, rows, s->data, how, err, &importances);
    if (status) unlink(alloc_path("out.csv")); /* an earlier call may have made it */
    hsp_importances_free(importances);
    hsp_evaluated_free(rows);
    hsp_options_free(how);
    hsp_model_free(model);
    return status;
}

static void alloc_run_measure(void)
{
    alloc_run(&(alloc_case){"evaluate",
                            hsp_learner_find("logistic"),
                            {"classes", "no,yes", "keep-dual", "yes"},
                            alloc_evaluate});
}

#endif
