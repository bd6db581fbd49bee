/* Any bytes as a file that a kind of plot reads: a log of passes, a trace, the JSON of tune. The first
 * byte chooses which. A figure that can be drawn, or an error with a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "halfspace_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Is a coordinate or a length this word? Names of the file are text between tags, or in a label. */
static int has_no_number(const char *svg, const char *word)
{
    for (const char *tag = svg; (tag = strchr(tag, '<'));) {
        const char *end = strchr(tag, '>'), *label = strstr(tag, "aria-label=");
        const char *last = label && label < end ? label : end;
        const char *found = strstr(tag, word);
        if (found && found < last && strchr(" \",-MLHV", found[-1]) &&
            strchr(" \",-LZz", found[strlen(word)]))
            return 1;
        tag = end;
    }
    return 0;
}

static void plot_file(hsp_context *ctx, const char *kind, const char *path)
{
    const hsp_plot_input input = {.size = sizeof input, .files = &path, .file_count = 1};
    hsp_error err = {0};
    hsp_options *options = NULL;
    hsp_figure *figure = NULL;
    char *text = NULL;
    if (hsp_options_new(ctx, hsp_plot_kind_find(kind), &err, &options)) abort();
    if (hsp_plot(ctx, &input, options, &err, &figure)) {
        if (!err.message[0]) abort();
    } else {
        if (hsp_figure_svg(ctx, figure, NULL, &err, &text)) abort();
        if (has_no_number(text, "nan") || has_no_number(text, "inf")) abort();
    }
    hsp_figure_text_free(text);
    hsp_figure_free(figure);
    hsp_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const kinds[] = {"convergence", "mistakes", "tuning"};
    hsp_context *ctx;
    char path[64];
    if (!size || hsp_context_new(NULL, &ctx)) return 0;
    const int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, bytes + 1, size - 1) != (ssize_t)(size - 1)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    plot_file(ctx, kinds[bytes[0] % 3], path);
    close(file);
    hsp_context_free(ctx);
    return 0;
}
