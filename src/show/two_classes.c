#include "show/two_classes.h"

#include "learn/prepare.h"

static hsp_status two_classes_check(const hsp_view *view, const char *name, hsp_error *err)
{
    if (view->classes == 2) return HSP_OK;
    return hsp__fail_at(err, view->classes < 2 ? HSP_BAD_DATA : HSP_USAGE, name, 0, 0,
                        "has %u class%s, and the plot is about two%s", view->classes,
                        view->classes == 1 ? "" : "es",
                        view->classes < 2 ? "" : ". Use --classes A,B or --positive CLASS");
}

hsp_status hsp__two_classes(hsp_context *ctx, const hsp_plot_input *input,
                            const hsp_options *options, hsp_error *err, hsp_data **out)
{
    hsp__names keep, positive;
    const char *names[2] = {NULL, NULL};
    const char *file = input->data_names ? input->data_names[0] : NULL;
    const hsp_view *view;
    hsp_data *made = NULL;
    HSP__TRY(hsp_data_view(ctx, input->data[0], err, &view));
    if (!view->labels)
        return hsp__fail_at(err, HSP_BAD_DATA, file, 0, 0,
                            "has no labels, and the plot is about two classes");
    HSP__TRY(hsp__prepare_classes(ctx, options, err, &keep));
    hsp_status status = hsp__prepare_positive(ctx, options, err, &positive);
    if (status) {
        hsp__names_free(&keep);
        return status;
    }
    if (keep.count && keep.count != 2)
        status = hsp__fail_option(err, "--classes", "found %u class%s, expected two: A,B",
                                  (unsigned)keep.count, keep.count == 1 ? "" : "es");
    for (uint32_t c = 0; !status && c < keep.count; c++)
        names[c] = hsp__names_get(&keep, c);
    if (!status)
        status = hsp_data_relabel(ctx, input->data[0], keep.count ? names : NULL, keep.count,
                                  positive.count ? hsp__names_get(&positive, 0) : NULL, err, &made);
    if (!status) status = hsp_data_view(ctx, made, err, &view);
    if (!status) status = two_classes_check(view, file, err);
    hsp__names_free(&keep);
    hsp__names_free(&positive);
    HSP__GIVE(status, made, hsp_data_free, out);
}
