/* halfspace plot [KIND] FILE...: figures, as files or in the terminal. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum { PLOT_KIND, PLOT_OWN, PLOT_FIGURE, PLOT_READ, PLOT_FILES = 64 };

CLI_OPTIONS(plot_options, "plot",
            {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
             "write the figure to FILE.svg, FILE.png or FILE.pdf (of steps, FILE-%03d.svg is one "
             "file per update). Without -o, it is drawn in the terminal"})

static const cli_group plot_groups[] = {{"Options of the kind", NULL},
                                        {"Options", plot_options},
                                        {"Figure options", hsp_figure_options},
                                        {"Reading options", hsp_read_options},
                                        {NULL, NULL}};

typedef struct plot {
    hsp_figure *figure;
    const char *output; /* or NULL */
    hsp_model *models[PLOT_FILES];
    hsp_data *data[PLOT_FILES];
    const char *model_names[PLOT_FILES], *data_names[PLOT_FILES], *files[PLOT_FILES];
    size_t model_count, data_count, file_count;
} plot;

/* ---- The result ---- */

GETTER(plot_figure, plot, to, to->figure)

FIELDS(plot_fields, plot, FIELD_GET(PART, NULL, NULL, plot_figure, NULL, .of = hsp_figure_fields),
       FIELD(TEXT, "output", NULL, output, "the file written", .when = "null without -o"))

static const cli_result plot_results[] = {{"plot", plot_fields, 0, 1}, {NULL, NULL, 0, 0}};

/* ---- Files ---- */

static hsp_status plot_is_model(cli *run, const char *path, hsp_error *err, int *model)
{
    hsp_file_kind kind = HSP_FILE_UNKNOWN;
    hsp_status status =
        strcmp(path, "-") == 0 ? HSP_OK : hsp_file_kind_of(run->ctx, path, err, &kind);
    *model =
        kind == HSP_FILE_MODEL || kind == HSP_FILE_LIBSVM_MODEL || kind == HSP_FILE_LIBLINEAR_MODEL;
    return status;
}

/* The data as a model reads it; model NULL: as it is. */
static hsp_status plot_read_as(cli *run, const char *path, const hsp_model *model, hsp_error *err,
                               hsp_data **data)
{
    hsp_options *read = NULL;
    double seconds;
    hsp_status status = hsp_options_copy(run->ctx, run->options[PLOT_READ], err, &read);
    if (status == HSP_OK && model) status = hsp_model_set_read(model, read, err);
    if (status == HSP_OK)
        status = cli_read(run, path, read, model ? hsp_model_encoding(model) : NULL, err, data,
                          &seconds);
    hsp_options_free(read);
    return status;
}

/* Standard input has been read for the first model: the others must read it alike. */
static hsp_status plot_once(const plot *to, hsp_error *err)
{
    for (size_t m = 0; m < to->model_count; m++)
        if (hsp_model_encoding(to->models[m]))
            return cli_fail(err, HSP_USAGE, "standard input",
                            "each of these models reads the table in its own way, and standard "
                            "input can be read once; give a file");
    return HSP_OK;
}

/* Models are told apart by their content; the others are data files, then what else the kind reads. */
static hsp_status plot_read(cli *run, plot *to, hsp_error *err)
{
    const hsp_plot_needs *needs = hsp_plot_needs_of(run->variant);
    hsp_status status = HSP_OK;
    for (int i = 0; i < run->count && status == HSP_OK; i++) {
        const char *path = run->arguments[i];
        if (i == 0 && strcmp(run->variant->name, "learning") == 0 && hsp_learner_find(path)) {
            status = hsp_options_set(run->options[PLOT_KIND], "learner", path, err);
            continue;
        }
        int model = 0;
        status = plot_is_model(run, path, err, &model);
        if (status != HSP_OK) break;
        if (model && to->model_count < needs->models_most) {
            to->model_names[to->model_count] = path;
            status = hsp_model_read(run->ctx, path, err, &to->models[to->model_count]);
            if (status == HSP_OK) to->model_count++;
        } else if (to->data_count < needs->data_most &&
                   (needs->data_least || run->count - i > (int)needs->files_least))
            to->data_names[to->data_count++] = path;
        else if (to->file_count < needs->files_most)
            to->files[to->file_count++] = path;
        else
            status = cli_fail(
                err, HSP_USAGE, NULL, "%s file '%s' is one too many; usage: halfspace plot %s %s",
                model ? "the model" : "the", show_name(path), run->variant->name, needs->arguments);
    }
    const size_t files = to->data_count;
    for (size_t i = 0; i < files && status == HSP_OK; i++)
        status = plot_read_as(run, to->data_names[i], to->model_count ? to->models[0] : NULL, err,
                              &to->data[i]);
    if (!needs->data_each || !files || to->model_count < 2 || status != HSP_OK) return status;
    if (strcmp(to->data_names[0], "-") == 0) return plot_once(to, err);
    for (; to->data_count < to->model_count && status == HSP_OK; to->data_count++)
        status = plot_read_as(run, to->data_names[0], to->models[to->data_count], err,
                              &to->data[to->data_count]);
    return status;
}

static void plot_free(plot *to)
{
    for (size_t i = 0; i < PLOT_FILES; i++) {
        hsp_model_free(to->models[i]);
        hsp_data_free(to->data[i]);
    }
    hsp_figure_free(to->figure);
}

/* ---- The command ---- */

/* As large as the terminal, unless the user says how large. */
static hsp_status plot_fit(hsp_options *figure, hsp_error *err)
{
    static const struct {
        const char *option;
        int around, least, most; /* characters of labels and legend; of the plot */
    } sides[] = {{"width", 16, 40, 110}, {"height", 9, 10, 40}};
    struct winsize size;
    hsp_status status = HSP_OK;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col || !size.ws_row) return HSP_OK;
    for (int i = 0; i < 2 && status == HSP_OK; i++) {
        int room = (i ? size.ws_row : size.ws_col) - sides[i].around;
        room = room < sides[i].least ? sides[i].least : room > sides[i].most ? sides[i].most : room;
        if (!hsp_options_is_set(figure, sides[i].option))
            status = hsp_options_set_integer(figure, sides[i].option, room, err);
    }
    return status;
}

/* Colours where the terminal has them and the user has not refused them; block characters where the
 * locale is UTF-8. */
static hsp_status plot_show(cli *run, const plot *to, hsp_error *err)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    const char *names[] = {getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")};
    const char *locale = "";
    for (int i = 2; i >= 0; i--)
        if (names[i] && *names[i]) locale = names[i];
    const int capable = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
    const char *deep = getenv("COLORTERM");
    const int all = deep && (strcmp(deep, "truecolor") == 0 || strcmp(deep, "24bit") == 0);
    const int unicode = strstr(locale, "UTF-8") || strstr(locale, "utf8");
    char *text = NULL;
    hsp_status status = capable ? plot_fit(run->options[PLOT_FIGURE], err) : HSP_OK;
    if (status == HSP_OK)
        status = hsp_figure_terminal(run->ctx, to->figure, run->options[PLOT_FIGURE],
                                     capable && !(no_color && *no_color) ? 1 + all : 0,
                                     capable && unicode, err, &text);
    if (status == HSP_OK) fputs(text, stdout);
    hsp_figure_text_free(text);
    return status;
}

/* ---- Frames ---- */

/* The name of frame `number`: "%d" or "%03d" in the pattern becomes the number. NULL: the pattern has
 * no such place. The caller frees it. */
static char *plot_frame_name(const char *pattern, uint64_t number)
{
    const char *place = pattern ? strchr(pattern, '%') : NULL;
    if (!place) return NULL;
    char *end;
    const long width = strtol(place + 1, &end, 10);
    if (*end != 'd' || place[1] == '-' || place[1] == '+' || width > 20) return NULL;
    return cli_format("%.*s%0*llu%s", (int)(place - pattern), pattern, (int)width,
                      (unsigned long long)number, end + 1);
}

/* All frames as files, or none. */
static hsp_status plot_frames(cli *run, plot *to, const hsp_plot_input *input, hsp_error *err)
{
    hsp_options *options = run->options[PLOT_KIND];
    hsp_files *files = NULL;
    uint64_t count = 0;
    hsp_status status = hsp_plot_frames(run->ctx, input, options, err, &count);
    if (status == HSP_OK && hsp_options_is_set(options, hsp_plot_needs_of(run->variant)->frames))
        status = cli_fail(err, HSP_USAGE, "--output", "'%s' is for all frames; leave out --%s",
                          show_name(to->output), hsp_plot_needs_of(run->variant)->frames);
    if (status == HSP_OK) status = hsp_files_new(run->ctx, err, &files);
    for (uint64_t k = 1; k <= count && status == HSP_OK; k++) {
        char *name = plot_frame_name(to->output, k), number[24];
        hsp_figure_free(to->figure);
        to->figure = NULL;
        snprintf(number, sizeof number, "%llu", (unsigned long long)k);
        status = hsp_options_set(options, hsp_plot_needs_of(run->variant)->frames, number, err);
        if (status == HSP_OK) status = hsp_plot(run->ctx, input, options, err, &to->figure);
        if (status == HSP_OK)
            status = hsp_figure_write(run->ctx, to->figure, run->options[PLOT_FIGURE], name, err);
        free(name);
    }
    if (status == HSP_OK) status = hsp_files_commit(files, err);
    hsp_files_free(files);
    if (status == HSP_OK) cli_say(run, "wrote %s frame%s", show_count(count), plural(count));
    return status;
}

static hsp_status plot_run(cli *run, hsp_error *err)
{
    plot to = {.output = hsp_options_text(run->options[PLOT_OWN], "output")};
    hsp_status status = cli_check_output(run, to.output, err);
    for (int i = 0; i < run->count && status == HSP_OK; i++)
        status = cli_check_distinct("--output", to.output, run->arguments[i], err);
    if (status == HSP_OK) status = plot_read(run, &to, err);
    const hsp_plot_input input = {.size = sizeof input,
                                  .models = to.models,
                                  .model_names = to.model_names,
                                  .model_count = to.model_count,
                                  .data = to.data,
                                  .data_names = to.data_names,
                                  .data_count = to.data_count,
                                  .files = to.files,
                                  .file_count = to.file_count};
    char *first = plot_frame_name(to.output, 1);
    const int frames = first && hsp_plot_needs_of(run->variant)->frames;
    free(first);
    if (status == HSP_OK && frames)
        status = plot_frames(run, &to, &input, err);
    else if (status == HSP_OK)
        status = hsp_plot(run->ctx, &input, run->options[PLOT_KIND], err, &to.figure);
    cli_progress_clear();
    if (status == HSP_OK && to.output && !frames) {
        cli_begin_output(to.output);
        status = hsp_figure_write(run->ctx, to.figure, run->options[PLOT_FIGURE], to.output, err);
    }
    if (status == HSP_OK && cli_json(run))
        status = cli_report(run, plot_results, &to, stdout, err);
    else if (status == HSP_OK && !to.output)
        status = plot_show(run, &to, err);
    plot_free(&to);
    return status;
}

static const cli_term plot_arguments[] = {
    {"KIND", "the kind of figure; rows if it is not named"},
    {"FILE", "models and data, told apart by their content; - is standard input"},
    {NULL, NULL}};

static const cli_term plot_examples[] = {
    {"halfspace plot iris.csv", "the rows, in the terminal"},
    {"halfspace plot model.hsp iris.csv --x petal_length --y petal_width -o iris.svg",
     "rows, regions and boundaries as a figure"},
    {NULL, NULL}};

/* What the kind is made from: "MODEL... DATA". */
static const char *plot_files(const hsp_option_table *kind)
{
    return hsp_plot_needs_of(kind)->arguments;
}

const cli_command cli_plot = {
    .name = "plot",
    .summary = "draw rows, models and measures",
    .synopsis = "[KIND] FILE... [options]",
    .description =
        "Draw a figure: as SVG, PNG or PDF with -o, else in the terminal. The kind rows, which is "
        "meant if none is named, draws the rows of a data file as points in the plane of two "
        "features, and of each model the regions of its classes and their boundaries, all other "
        "features at their mean over the rows.",
    .arguments = plot_arguments,
    .groups = plot_groups,
    .results = plot_results,
    .examples = plot_examples,
    .least = 0,
    .most = PLOT_FILES,
    .run = plot_run,
    .variant = hsp_plot_kind,
    .variant_word = "kind",
    .variant_synopsis = "[options]",
    .variant_files = plot_files,
    .default_variant = "rows",
};
