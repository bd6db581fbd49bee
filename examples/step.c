/* Learn one example at a time, and see every step: the logical OR of two inputs.
 *
 *     cc examples/step.c $(pkg-config --cflags --libs halfspace) -o step && ./step
 */
#include <halfspace_learn.h>
#include <halfspace_model.h>
#include <stdio.h>

static const double rows[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
static const uint32_t labels[4] = {0, 1, 1, 1};
static const char *const names[2] = {"false", "true"};

/* One pass over the four rows; *mistakes counts the updates. */
static hsp_status pass(hsp_trainer *trainer, const hsp_view *view, hsp_error *err, int *mistakes)
{
    hsp_step step;
    step.size = sizeof step;
    *mistakes = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        hsp_status status = hsp_trainer_step(trainer, view, i, err, &step);
        if (status) return status;
        printf("(%g, %g) is %s: score %g%s\n", rows[i][0], rows[i][1], names[labels[i]], step.score,
               step.updated ? ", learned" : "");
        *mistakes += step.updated;
    }
    return HSP_OK;
}

int main(void)
{
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_trainer *trainer = NULL;
    hsp_model *model = NULL;
    hsp_error err = HSP_ERROR_INIT;
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 4, 2, 2, rows);
    view.labels = labels;
    view.classes = 2;
    hsp_status status = hsp_context_new(NULL, &ctx);
    if (!status) status = hsp_options_for(ctx, "perceptron", &err, &options);
    if (!status) status = hsp_trainer_new(ctx, options, names, 2, 2, &err, &trainer);
    for (int mistakes = 1; !status && mistakes > 0;)
        status = pass(trainer, &view, &err, &mistakes);
    if (!status) status = hsp_trainer_model(trainer, &err, &model);
    if (!status)
        printf("true when %g a + %g b > %g\n", hsp_model_weights(model, 0)[0],
               hsp_model_weights(model, 0)[1], -hsp_model_offset(model, 0));
    else
        fprintf(stderr, "%s\n", err.message);
    hsp_model_free(model);
    hsp_trainer_free(trainer);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return hsp_status_exit(status);
}
