/* Of test_alloc.c: the HTML report. */
#ifndef HSP_TESTS_ALLOC_HTML_H
#define HSP_TESTS_ALLOC_HTML_H

/* A page on a model of the case's learner. */
static hsp_status alloc_html(alloc_scene *s, hsp_error *err)
{
    char path[sizeof alloc_folder + 16];
    hsp_html *page = NULL;
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    snprintf(path, sizeof path, "%s/page.hsp", alloc_folder);
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    if (!status) status = hsp_model_write(s->ctx, model, path, err);
    if (!status) status = hsp_options_new(s->ctx, hsp_html_options(), err, &options);
    if (!status) status = hsp_options_set(options, "samples", "10", err);
    if (!status) status = hsp_options_set(options, "repeats", "1", err);
    if (!status)
        status = hsp_html_new(s->ctx, path, alloc_path("in.svm"), NULL, options, err, &page);
    remove(path);
    hsp_html_free(page);
    hsp_options_free(options);
    hsp_model_free(model);
    return status;
}

#endif
