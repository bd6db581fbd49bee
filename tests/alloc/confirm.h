/* Of test_alloc.c: what is confirmed on the decimals of a file. */
#ifndef HSP_TESTS_ALLOC_CONFIRM_H
#define HSP_TESTS_ALLOC_CONFIRM_H

/* Trained on rows that cannot be told apart in memory; exact arithmetic reads them again. */
static hsp_status alloc_confirm(alloc_scene *s, hsp_error *err)
{
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_confirmation found = {.size = sizeof found};
    hsp_status status = hsp_data_read(s->ctx, alloc_path("long.csv"), NULL, NULL, err, &data);
    if (!status) status = hsp_train(s->ctx, data, s->options, err, &run, &model);
    if (!status)
        status = hsp_confirm(s->ctx, data, alloc_path("long.csv"), NULL, s->options, &run, model,
                             err, &found);
    hsp_evidence_free(found.evidence);
    hsp_evidence_free(run.evidence);
    hsp_model_free(model);
    hsp_data_free(data);
    return status;
}

/* A model that separates; and evidence that holds. */
static hsp_status alloc_confirm_model(alloc_scene *s, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_confirmation found = {.size = sizeof found};
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, &run, &model);
    if (!status)
        status = hsp_confirm(s->ctx, s->data, NULL, NULL, s->options, &run, model, err, &found);
    hsp_evidence_free(found.evidence);
    hsp_evidence_free(run.evidence);
    hsp_model_free(model);
    return status;
}

/* The file has rows and columns that are equal in memory only. */
static hsp_status alloc_summary_confirm(alloc_scene *s, hsp_error *err)
{
    hsp_data *data = NULL;
    hsp_summary *summary = NULL;
    hsp_status status = hsp_data_read(s->ctx, alloc_path("long.csv"), NULL, NULL, err, &data);
    if (!status) status = hsp_summary_new(s->ctx, data, err, &summary);
    if (!status)
        status = hsp_summary_confirm(s->ctx, summary, data, alloc_path("long.csv"), NULL, err);
    hsp_summary_free(summary);
    hsp_data_free(data);
    return status;
}

/* Its numbers go into another file as they stand in this one. */
static hsp_status alloc_rewrite(alloc_scene *s, hsp_error *err)
{
    hsp_data *data = NULL;
    hsp_options *read = NULL;
    char from[sizeof alloc_folder + 64];
    snprintf(from, sizeof from, "%s", alloc_path("long.csv"));
    hsp_status status = hsp_options_new(s->ctx, hsp_read_options(), err, &read);
    if (!status) status = hsp_read_keep_decimals(read, err);
    if (!status) status = hsp_data_read(s->ctx, from, read, NULL, err, &data);
    if (!status)
        status = hsp_data_rewrite(s->ctx, data, from, read, alloc_path("out.csv"), NULL, err);
    hsp_data_free(data);
    hsp_options_free(read);
    return status;
}

static void alloc_run_confirm(void)
{
    const alloc_case cases[] = {
        {"summary, confirmed", NULL, {0}, alloc_summary_confirm},
        {"rewrite", NULL, {0}, alloc_rewrite},
        {"confirm, read again", hsp_learner_find("svm"), {"hard", "yes"}, alloc_confirm},
        {"confirm", hsp_learner_find("svm"), {"hard", "yes"}, alloc_confirm_model},
    };
    alloc_put_file("long.csv", "a,b,y\n1.00000000000000001,1,u\n1,1.00000000000000002,v\n1,1,u\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
}

#endif
