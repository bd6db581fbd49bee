/* Options, the caller's arrays and certificates in memory: calls of test_alloc.c. */
#ifndef HSP_TESTS_ALLOC_ARRAYS_H
#define HSP_TESTS_ALLOC_ARRAYS_H

static hsp_status alloc_options_new(alloc_scene *s, hsp_error *err)
{
    return hsp_options_new(s->ctx, hsp_read_options(), err, &s->out_options);
}

static hsp_status alloc_options_for(alloc_scene *s, hsp_error *err)
{
    return hsp_options_for(s->ctx, "svm", err, &s->out_options);
}

static hsp_status alloc_options_typed(alloc_scene *s, hsp_error *err)
{
    hsp_status status = hsp_options_set_text(s->options, "label", "colour", err);
    if (!status) status = hsp_options_set_integer(s->options, "features", 7, err);
    return status;
}

static hsp_status alloc_options_text(alloc_scene *s, hsp_error *err)
{
    return hsp_options_set(s->options, "label", "colour", err);
}

static hsp_status alloc_options_list(alloc_scene *s, hsp_error *err)
{
    return hsp_options_set(s->options, "ignore", "colour", err);
}

static hsp_status alloc_options_copy(alloc_scene *s, hsp_error *err)
{
    return hsp_options_copy(s->ctx, s->options, err, &s->out_options);
}

static hsp_status alloc_copy(alloc_scene *s, hsp_error *err)
{
    static const uint64_t starts[] = {0, 2, 2, 3};
    static const uint32_t indices[] = {0, 2, 1}, labels[] = {1, 0, 1};
    static const double values[] = {0.5, -2, 1e300};
    static const char *const classes[] = {"no", "yes"}, *const features[] = {"a", "b", "c"};
    hsp_view view = hsp_view_sparse(HSP_FLOAT64, 3, 3, 8, starts, indices, values);
    view.labels = labels;
    view.classes = 2;
    return hsp_data_copy(s->ctx, &view, classes, features, err, &s->out_data[0]);
}

static hsp_status alloc_borrow(alloc_scene *s, hsp_error *err)
{
    static const double values[] = {0.5, -2, 1e300}, weights[] = {1, 0, 2};
    static const uint32_t labels[] = {1, 0, 1};
    static const char *const classes[] = {"no", "yes"}, *const features[] = {"a"};
    static const uint64_t rows[] = {2, 0};
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 3, 1, 1, values);
    view.labels = labels;
    view.classes = 2;
    hsp_data *borrowed = NULL;
    hsp_status status = hsp_data_borrow(s->ctx, &view, classes, features, err, &borrowed);
    if (!status) status = hsp_data_set_weights(borrowed, weights, err);
    if (!status) status = hsp_data_select(s->ctx, borrowed, rows, 2, err, &s->out_data[0]);
    hsp_data_free(borrowed);
    return status;
}

static hsp_status alloc_verify_certificate(alloc_scene *s, hsp_error *err)
{
    hsp_verification *found = NULL;
    hsp_status status = hsp_verify(s->ctx, "{}", 2, alloc_path("in.svm"), NULL, NULL, err, &found);
    hsp_verification_free(found);
    return status;
}

#endif
