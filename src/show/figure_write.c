/* Figures as files and texts. */
#include "data/output.h"
#include "show/svg.h"
#include "show/terminal.h"

/* The figure as SVG into `text`, which is initialised, and freed by the caller. */
static hsp_status write_svg(hsp_context *ctx, const hsp_figure *figure, const hsp_options *options,
                            hsp_error *err, hsp__text *text)
{
    hsp__scratch memory = {&ctx->allocator, NULL, 0};
    const hsp__look look = hsp__look_of(figure, options, 0);
    hsp__svg(figure, &look, &memory, text);
    const int failed = memory.failed || text->failed;
    hsp__scratch_free(&memory);
    return failed ? hsp__fail_memory(err) : HSP_OK;
}

/* A copy of the text that hsp_figure_text_free frees. */
static hsp_status write_give(hsp_context *ctx, const hsp__text *text, hsp_error *err, char **out)
{
    char *copy = hsp__owned_new(&ctx->allocator, text->size + 1, 1);
    if (!copy) return hsp__fail_memory(err);
    memcpy(copy, text->data, text->size);
    *out = copy;
    return HSP_OK;
}

hsp_status hsp_figure_svg(hsp_context *ctx, const hsp_figure *figure, const hsp_options *options,
                          hsp_error *err, char **out)
{
    HSP__NEED(err, ctx, figure, out);
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp_status status = write_svg(ctx, figure, options, err, &text);
    if (!status) status = write_give(ctx, &text, err, out);
    hsp__text_free(&text);
    return status;
}

hsp_status hsp_figure_terminal(hsp_context *ctx, const hsp_figure *figure,
                               const hsp_options *options, int colors, int unicode, hsp_error *err,
                               char **out)
{
    HSP__NEED(err, ctx, figure, out);
    hsp__text text;
    hsp__scratch memory = {&ctx->allocator, NULL, 0};
    const hsp__look look = hsp__look_of(figure, options, 1);
    hsp__text_init(&text, &ctx->allocator);
    hsp__terminal(figure, &look, colors, unicode, &memory, &text);
    hsp_status status =
        memory.failed || text.failed ? hsp__fail_memory(err) : write_give(ctx, &text, err, out);
    hsp__scratch_free(&memory);
    hsp__text_free(&text);
    return status;
}

void hsp_figure_text_free(char *text)
{
    hsp__owned_free(text);
}

static int write_ends(const char *path, const char *ending)
{
    const size_t size = strlen(path), end = strlen(ending);
    return size > end && strcmp(path + size - end, ending) == 0;
}

hsp_status hsp_figure_write(hsp_context *ctx, const hsp_figure *figure, const hsp_options *options,
                            const char *path, hsp_error *err)
{
    HSP__NEED(err, ctx, figure, path);
    if (write_ends(path, ".png") || write_ends(path, ".pdf")) {
        const hsp__look look = hsp__look_of(figure, options, 0);
        return hsp__figure_cairo(ctx, figure, &look, path, write_ends(path, ".pdf"), err);
    }
    if (!write_ends(path, ".svg") && !write_ends(path, ".svg.gz"))
        return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                            "the name must end in .svg, .png or .pdf, which says the format");
    hsp__text text;
    hsp__output *file = NULL;
    hsp__text_init(&text, &ctx->allocator);
    hsp_status status = write_svg(ctx, figure, options, err, &text);
    if (!status) status = hsp__output_open(ctx, path, err, &file);
    if (!status) status = hsp__output_text(file, &text, err);
    if (!status) status = hsp__output_commit(file, err);
    hsp__output_free(file);
    hsp__text_free(&text);
    return status;
}
