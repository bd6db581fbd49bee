/* The kinds of plots: one line each. */
#include "show/figure.h"

static const hsp__plot_kind *const kinds[] = {
    &hsp__plot_rows,        &hsp__plot_steps,     &hsp__plot_slack,   &hsp__plot_hulls,
    &hsp__plot_neighbors,   &hsp__plot_roc,       &hsp__plot_pr,      &hsp__plot_calibration,
    &hsp__plot_lift,        &hsp__plot_confusion, &hsp__plot_weights, &hsp__plot_importance,
    &hsp__plot_convergence, &hsp__plot_tuning,    &hsp__plot_losses,  &hsp__plot_mistakes,
    &hsp__plot_learning,
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const hsp_option_table *hsp_plot_kind(size_t i)
{
    return i < KINDS ? &kinds[i]->table : NULL;
}

const hsp_option_table *hsp_plot_kind_find(const char *name)
{
    for (size_t i = 0; name && i < KINDS; i++)
        if (strcmp(kinds[i]->table.name, name) == 0) return &kinds[i]->table;
    return NULL;
}

static const hsp__plot_kind *kinds_of(const hsp_option_table *table)
{
    for (size_t i = 0; i < KINDS; i++)
        if (&kinds[i]->table == table) return kinds[i];
    return NULL;
}

const hsp_plot_needs *hsp_plot_needs_of(const hsp_option_table *kind)
{
    const hsp__plot_kind *found = kinds_of(kind);
    return found ? &found->needs : NULL;
}

/* As many as the kind takes? */
static hsp_status kinds_check(const hsp__plot_kind *kind, const char *what, size_t count,
                              size_t least, size_t most, hsp_error *err)
{
    if (count >= least && count <= most) return HSP_OK;
    const size_t limit = count < least ? least : most;
    return hsp__fail(err, HSP_USAGE, "plot %s needs %s%zu %s%s, found %zu: %s", kind->table.name,
                     least == most   ? ""
                     : count < least ? "at least "
                                     : "at most ",
                     limit, what, limit == 1 || strcmp(what, "data") == 0 ? "" : "s", count,
                     kind->needs.arguments);
}

/* The kind that the options are of, if the input has what it needs. */
static hsp_status kinds_open(const hsp_plot_input *input, const hsp_options *options,
                             hsp_error *err, const hsp__plot_kind **out)
{
    const hsp__plot_kind *kind = kinds_of(hsp_options_table(options));
    if (!kind) return hsp__fail(err, HSP_USAGE, "the options are not of a kind of plot");
    const hsp_plot_needs *needs = &kind->needs;
    HSP__TRY(kinds_check(kind, "model", input->model_count, needs->models_least, needs->models_most,
                         err));
    if (!needs->data_each || input->data_count != input->model_count)
        HSP__TRY(kinds_check(kind, "data file", input->data_count, needs->data_least,
                             needs->data_most, err));
    HSP__TRY(
        kinds_check(kind, "file", input->file_count, needs->files_least, needs->files_most, err));
    *out = kind;
    return HSP_OK;
}

hsp_status hsp_plot(hsp_context *ctx, const hsp_plot_input *input, const hsp_options *options,
                    hsp_error *err, hsp_figure **out)
{
    HSP__NEED(err, ctx, input, options, out);
    const hsp__plot_kind *kind = NULL;
    HSP__TRY(kinds_open(input, options, err, &kind));
    hsp_figure *figure = NULL;
    HSP__TRY(hsp__figure_new(ctx, kind->table.name, err, &figure));
    hsp_status status = kind->build(ctx, input, options, figure, err);
    if (status && figure->memory.failed) status = hsp__fail_memory(err);
    if (!status) status = hsp__figure_done(figure, err);
    HSP__GIVE(status, figure, hsp_figure_free, out);
}

hsp_status hsp_plot_frames(hsp_context *ctx, const hsp_plot_input *input,
                           const hsp_options *options, hsp_error *err, uint64_t *out)
{
    HSP__NEED(err, ctx, input, options, out);
    const hsp__plot_kind *kind = NULL;
    HSP__TRY(kinds_open(input, options, err, &kind));
    if (!kind->frames)
        return hsp__fail(err, HSP_USAGE, "plot %s makes one figure, not frames", kind->table.name);
    return kind->frames(ctx, input, err, out);
}
