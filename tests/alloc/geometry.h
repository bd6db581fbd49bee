/* Of test_alloc.c: figures of geometry. */
#ifndef HSP_TESTS_ALLOC_GEOMETRY_H
#define HSP_TESTS_ALLOC_GEOMETRY_H

static const char geometry_rows[] = "b 1:1 2:0.5 3:1\na 1:-1 3:1\nb 1:2 2:2 3:-1\na 2:-3 3:2\n";
static const char geometry_trace[] =
    "update,pass,example,score,norm,offset,y_score_after,weights_after\n"
    "1,1,1,0,1.5,1,3.25,1:1 2:0.5 3:1\n"
    "2,1,2,1,2.06,0,1,1:2 3:0\n";

/* A figure of the case's kind, from rows and a model that were made with other memory. */
static hsp_status alloc_geometry(alloc_scene *s, hsp_error *err)
{
    const char *kind = hsp_options_table(s->options)->name;
    const hsp_plot_needs *needs = hsp_plot_needs_of(hsp_options_table(s->options));
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_figure *figure = NULL;
    const int trace = strcmp(kind, "steps") == 0;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_options_new(ctx, hsp_learner_find(strcmp(kind, "neighbors") == 0 ? "knn" : "svm"),
                          NULL, &options) == HSP_OK);
    if (strcmp(kind, "neighbors") == 0) CHECK(hsp_options_set(options, "k", "2", NULL) == HSP_OK);
    CHECK(hsp_data_parse(ctx, geometry_rows, sizeof geometry_rows - 1, "in.svm", NULL, NULL, NULL,
                         &data) == HSP_OK);
    CHECK(hsp_train(ctx, data, options, NULL, NULL, &model) == HSP_OK);
    FILE *file = fopen(alloc_path("trace.csv"), "w");
    CHECK(file != NULL);
    if (file) fputs(geometry_trace, file);
    if (file) fclose(file);
    const char *const files[] = {alloc_path("trace.csv")};
    const hsp_plot_input input = {.size = sizeof input,
                                  .models = &model,
                                  .model_count = needs->models_most > 0,
                                  .data = &data,
                                  .data_count = 1,
                                  .files = files,
                                  .file_count = (size_t)trace};
    uint64_t frames = 0;
    hsp_status status = hsp_plot(s->ctx, &input, s->options, err, &figure);
    if (!status && trace) status = hsp_plot_frames(s->ctx, &input, s->options, err, &frames);
    CHECK(status || frames == (trace ? 2 : 0));
    unlink(alloc_path("trace.csv"));
    hsp_figure_free(figure);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return status;
}

static void alloc_run_geometry(void)
{
    const alloc_case cases[] = {
        {"plot with lengths",
         hsp_plot_kind_find("rows"),
         {"show", "margins,geometric,w,distances,origin,slack,hulls,mistakes,numbers,support"},
         alloc_geometry},
        {"plot steps", hsp_plot_kind_find("steps"), {0}, alloc_geometry},
        {"plot slack", hsp_plot_kind_find("slack"), {0}, alloc_geometry},
        {"plot hulls", hsp_plot_kind_find("hulls"), {0}, alloc_geometry},
        {"plot neighbors", hsp_plot_kind_find("neighbors"), {"row", "1", "k", "2"}, alloc_geometry},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
}

#endif
