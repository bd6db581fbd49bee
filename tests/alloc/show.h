/* Of test_alloc.c: figures. */
#ifndef HSP_TESTS_ALLOC_SHOW_H
#define HSP_TESTS_ALLOC_SHOW_H

/* Rows and regions of a model of the case's learner, in every format. */
static hsp_status alloc_figure(alloc_scene *s, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_options *how = NULL;
    hsp_figure *figure = NULL;
    char *text = NULL, *lines = NULL;
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    const hsp_plot_input input = {.size = sizeof input,
                                  .models = &model,
                                  .model_count = 1,
                                  .data = &s->data,
                                  .data_count = 1};
    if (!status) status = hsp_options_new(s->ctx, hsp_plot_kind_find("rows"), err, &how);
    if (!status) status = hsp_plot(s->ctx, &input, how, err, &figure);
    if (!status) status = hsp_figure_svg(s->ctx, figure, NULL, err, &text);
    if (!status) status = hsp_figure_terminal(s->ctx, figure, NULL, 1, 1, err, &lines);
    if (!status) status = hsp_figure_write(s->ctx, figure, NULL, alloc_path("out.svg"), err);
    hsp_figure_text_free(lines);
    hsp_figure_text_free(text);
    hsp_figure_free(figure);
    hsp_options_free(how);
    hsp_model_free(model);
    return status;
}

static void alloc_run_show(void)
{
    alloc_run(&(alloc_case){"a figure", hsp_learner_find("perceptron"), {0}, alloc_figure});
}

#endif
