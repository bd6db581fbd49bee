/* Train, keep, open again, predict: a whole program.
 *
 *     cc examples/train.c $(pkg-config --cflags --libs halfspace) -o train
 *     ./train examples/iris.csv setosa.hsp
 */
#include <halfspace.h>
#include <stdio.h>
#include <stdlib.h>

/* Learn setosa against the rest, and write the model. */
static hsp_status learn(hsp_context *ctx, hsp_data *data, const char *path, hsp_error *err)
{
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_training run;
    run.size = sizeof run;
    hsp_status status = hsp_options_for(ctx, "perceptron", err, &options);
    if (!status) status = hsp_options_set_text(options, "positive", "setosa", err);
    if (!status) status = hsp_options_set(options, "passes", "until-converged", err);
    if (!status) status = hsp_train(ctx, data, options, err, &run, &model);
    if (!status)
        printf("%s after %d passes and %d updates\n",
               run.stop == HSP_STOP_CONVERGED ? "converged" : "did not converge", (int)run.passes,
               (int)run.updates);
    if (!status) status = hsp_model_write(ctx, model, path, err);
    hsp_model_free(model);
    hsp_options_free(options);
    return status;
}

/* Open the model, and count its predictions. */
static hsp_status predict(hsp_context *ctx, hsp_data *data, const char *path, hsp_error *err)
{
    hsp_model *model = NULL;
    const hsp_view *view;
    double *scores = (double *)malloc((size_t)(hsp_data_rows(data) + 1) * sizeof *scores);
    uint32_t *classes = (uint32_t *)malloc((size_t)(hsp_data_rows(data) + 1) * sizeof *classes);
    hsp_status status = scores && classes ? HSP_OK : HSP_NO_MEMORY;
    if (!status) status = hsp_model_read(ctx, path, err, &model);
    if (!status) status = hsp_data_view(ctx, data, err, &view);
    if (!status) status = hsp_model_score(ctx, model, view, err, scores, classes);
    int setosa = 0;
    for (uint64_t i = 0; !status && i < view->rows; i++)
        setosa += classes[i] == 1;
    if (!status) printf("%d rows are %s\n", setosa, hsp_model_class_name(model, 1));
    hsp_model_free(model);
    free(classes);
    free(scores);
    return status;
}

int main(int argc, char **argv)
{
    hsp_context *ctx = NULL;
    hsp_data *data = NULL;
    hsp_error err = HSP_ERROR_INIT;
    if (argc != 3) return 2;
    hsp_status status = hsp_context_new(NULL, &ctx);
    if (!status) status = hsp_data_read(ctx, argv[1], NULL, NULL, &err, &data);
    if (!status) status = learn(ctx, data, argv[2], &err);
    if (!status) status = predict(ctx, data, argv[2], &err);
    if (status) {
        char line[1024];
        fprintf(stderr, "%s\n", hsp_error_text(&err, line, sizeof line));
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
    return hsp_status_exit(status);
}
