/* Of test_alloc.c: figures of curves and bars. */
#ifndef HSP_TESTS_ALLOC_PLOTS_H
#define HSP_TESTS_ALLOC_PLOTS_H

static const char plots_log[] = "problem,solver,pass,objective,dual_objective,gap,seconds\n"
                                "a,newton,1,2,0,1,0\na,newton,2,1,0.5,0.5,0\nb,newton,1,1,1,0,0\n";
static const char plots_trace[] = "update,pass,example,score,cosine,cosine_bound\n"
                                  "1,1,1,0,0.5,0.2\n2,1,3,-1,0.7,0.3\n3,2,1,-1,0.8,0.4\n";
static const char plots_tuning[] =
    "{\"learner\":\"svm\",\"score_name\":\"error\",\"chosen\":1,\"points\":["
    "{\"values\":{\"C\":\"1\",\"loss\":\"hinge\"},\"score\":0.5,\"score_standard_error\":0.1},"
    "{\"values\":{\"C\":\"100\",\"loss\":\"hinge\"},\"score\":0.25,\"score_standard_error\":0}]}";

/* A model that was made with other memory, once. */
static hsp_model *plots_model(void)
{
    static hsp_model *model;
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    if (model) return model;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_options_new(ctx, hsp_learner_find("logistic"), NULL, &options) == HSP_OK);
    CHECK(hsp_data_parse(ctx, alloc_libsvm, sizeof alloc_libsvm - 1, "in.svm", NULL, NULL, NULL,
                         &data) == HSP_OK);
    CHECK(hsp_train(ctx, data, options, NULL, NULL, &model) == HSP_OK);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return model;
}

/* A figure of the case's kind, and its SVG. */
static hsp_status alloc_plot(alloc_scene *s, hsp_error *err)
{
    const char *kind = hsp_options_table(s->options)->name;
    const hsp_plot_needs *needs = hsp_plot_needs_of(hsp_options_table(s->options));
    const char *text = strcmp(kind, "tuning") == 0     ? plots_tuning
                       : strcmp(kind, "mistakes") == 0 ? plots_trace
                                                       : plots_log;
    char path[sizeof alloc_folder + 16];
    hsp_model *model = plots_model();
    hsp_figure *figure = NULL;
    char *svg = NULL;
    snprintf(path, sizeof path, "%s/plot.in", alloc_folder);
    FILE *file = fopen(path, "w");
    if (!file) return HSP_IO;
    fputs(text, file);
    fclose(file);
    const char *const files[] = {path};
    const int log = needs->files_most > 0;
    const hsp_plot_input input = {.size = sizeof input,
                                  .models = &model,
                                  .model_count = !log && needs->models_most > 0,
                                  .data = &s->data,
                                  .data_count = !log && needs->data_most > 0,
                                  .files = files,
                                  .file_count = log};
    hsp_status status = hsp_plot(s->ctx, &input, s->options, err, &figure);
    if (!status) status = hsp_figure_svg(s->ctx, figure, NULL, err, &svg);
    remove(path);
    hsp_figure_text_free(svg);
    hsp_figure_free(figure);
    return status;
}

/* Lines of the table of cases. */
#define PLOTS_CASE(kind, ...)                                             \
    {                                                                     \
        "plot " kind, hsp_plot_kind_find(kind), {__VA_ARGS__}, alloc_plot \
    }
#define PLOTS_CASES                                                                       \
    PLOTS_CASE("roc", 0), PLOTS_CASE("pr", 0), PLOTS_CASE("calibration", 0),              \
        PLOTS_CASE("lift", 0), PLOTS_CASE("confusion", 0), PLOTS_CASE("weights", 0),      \
        PLOTS_CASE("losses", 0), PLOTS_CASE("convergence", 0), PLOTS_CASE("mistakes", 0), \
        PLOTS_CASE("tuning", 0), PLOTS_CASE("importance", "repeats", "1"),                \
        PLOTS_CASE("learning", "learner", "knn", "folds", "2", "sizes", "2")

#endif
