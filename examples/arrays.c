/* Train and predict on arrays of the program's own, without copying them, with a weight per row.
 *
 * Several threads may score rows with one model at the same time: give each thread a context of its
 * own, with hsp_context_set_threads(ctx, 1).
 *
 *     cc examples/arrays.c $(pkg-config --cflags --libs halfspace) -o arrays && ./arrays
 */
#include <halfspace.h>
#include <stdio.h>

static const double rows[6][2] = {{0, 1}, {1, 0}, {1, 1}, {3, 3}, {4, 3}, {3, 4}};
static const uint32_t labels[6] = {0, 0, 0, 1, 1, 1};
static const double weights[6] = {1, 1, 2, 1, 1, 0.5};
static const char *const names[2] = {"near", "far"};

int main(void)
{
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_error err = HSP_ERROR_INIT;
    double scores[6];
    uint32_t classes[6];
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 6, 2, 2, rows);
    view.labels = labels;
    view.classes = 2;
    hsp_status status = hsp_context_new(NULL, &ctx);
    if (!status) status = hsp_data_borrow(ctx, &view, names, NULL, &err, &data);
    if (!status) status = hsp_data_set_weights(data, weights, &err);
    if (!status) status = hsp_options_for(ctx, "svm", &err, &options);
    if (!status) status = hsp_options_set_real(options, "C", 10, &err);
    if (!status) status = hsp_train(ctx, data, options, &err, NULL, &model);
    if (!status) status = hsp_model_score(ctx, model, &view, &err, scores, classes);
    for (int i = 0; !status && i < 6; i++)
        printf("(%g, %g) is %s, score %.3f\n", rows[i][0], rows[i][1],
               hsp_model_class_name(model, classes[i]), scores[i]);
    if (status) fprintf(stderr, "%s\n", err.message);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return hsp_status_exit(status);
}
