/* halfspace plot MODEL DATA --x FEATURE --y FEATURE: rows as letters in the plane of two features,
 * and where the model's decision changes, all other features at their mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { PLOT_OWN, PLOT_READ };

#define PLOT_SEVERAL  "*" /* rows of several classes in one place */
#define PLOT_BOUNDARY ":"

CLI_OPTIONS(plot_options, "plot",
            {"x", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FEATURE",
             "feature on the horizontal axis: a name, or a number from 1"},
            {"y", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FEATURE", "feature on the vertical axis"},
            {"width", HSP_OPTION_INTEGER, "64", 10, 1000, NULL, "N",
             "width of the plot in characters"},
            {"height", HSP_OPTION_INTEGER, "20", 5, 1000, NULL, "N", "height of the plot in lines"})

static const cli_group plot_groups[] = {
    {"Options", plot_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

typedef struct plot_axis {
    const char *option;
    uint64_t column;
    const char *name;
    double low, high; /* of the plot, a little beyond the rows */
    int cells;
} plot_axis;

typedef struct plot {
    const char *model, *file;
    cli_pair given;
    const hsp_view *view;
    hsp_summary *summary;
    uint64_t left_out; /* rows */
    plot_axis x, y;
    char *letters;   /* of the model's classes */
    char *cells;     /* y.cells lines of x.cells characters and a NUL, the first at the top */
    uint32_t *sides; /* y.cells * x.cells: the class that the model says there */
} plot;

/* ---- Axes ---- */

/* The column that a user calls `text`: a name in the data or the model, else a number from 1. */
static hsp_status plot_find(const plot *to, const char *text, const char *place, hsp_error *err,
                            uint64_t *out)
{
    uint64_t columns = to->view->cols;
    for (uint64_t j = 0; j < columns; j++) {
        const char *name = hsp_data_feature_name(to->given.data, j);
        if (!name && j < hsp_model_features(to->given.model))
            name = hsp_model_feature_name(to->given.model, j);
        if (name && strcmp(name, text) == 0) {
            *out = j;
            return HSP_OK;
        }
    }
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*end && number >= 1 && number <= columns) {
        *out = number - 1;
        return HSP_OK;
    }
    return cli_fail(err, HSP_USAGE, place, "found '%s', expected a feature's name, or 1 to %s",
                    show_name(text), show_count(columns));
}

static hsp_status plot_axis_set(const cli *run, plot *to, plot_axis *axis, hsp_error *err)
{
    char place[8];
    const char *text = hsp_options_text(run->options[PLOT_OWN], axis->option);
    snprintf(place, sizeof place, "--%s", axis->option);
    if (!text) return cli_fail(err, HSP_USAGE, place, "is missing: name a feature");
    hsp_status status = plot_find(to, text, place, err, &axis->column);
    if (status != HSP_OK) return status;
    const hsp_column_summary *column = hsp_summary_column(to->summary, axis->column);
    axis->name = hsp_data_feature_name(to->given.data, axis->column);
    double room = (column->max - column->min) * 0.04;
    if (!(room > 0)) room = column->max != 0 ? fabs(column->max) * 0.1 : 1;
    axis->low = column->min - room;
    axis->high = column->max + room;
    return HSP_OK;
}

static double plot_middle(const plot_axis *axis, int cell)
{
    return axis->low + (axis->high - axis->low) * (cell + 0.5) / axis->cells;
}

static int plot_cell(const plot_axis *axis, double value)
{
    int cell = (int)((value - axis->low) / (axis->high - axis->low) * axis->cells);
    return cell < 0 ? 0 : cell >= axis->cells ? axis->cells - 1 : cell;
}

/* ---- Rows ---- */

static uint64_t plot_start(const hsp_view *view, uint64_t row)
{
    return view->starts_bytes == 4 ? ((const uint32_t *)view->starts)[row]
                                   : ((const uint64_t *)view->starts)[row];
}

static double plot_stored(const hsp_view *view, uint64_t at)
{
    if (view->storage == HSP_ONES) return 1;
    return view->precision == HSP_FLOAT32 ? (double)((const float *)view->values)[at]
                                          : ((const double *)view->values)[at];
}

static double plot_value(const hsp_view *view, uint64_t row, uint64_t column)
{
    if (view->storage == HSP_DENSE) return plot_stored(view, row * view->stride + column);
    for (uint64_t at = plot_start(view, row); at < plot_start(view, row + 1); at++)
        if (view->indices[at] == column) return plot_stored(view, at);
    return 0;
}

/* The model's class of a row; HSP_NO_CLASS when it knows none for it. */
static uint32_t plot_class(const plot *to, uint64_t row)
{
    if (!to->view->labels) return HSP_NO_CLASS;
    return hsp_model_class_of(to->given.model,
                              hsp_data_class_name(to->given.data, to->view->labels[row]));
}

/* Rows that the model has no class for are left out before anything is measured. */
static hsp_status plot_select(cli *run, plot *to, hsp_error *err)
{
    uint64_t count = 0, *rows = cli_memory(NULL, (size_t)(to->view->rows + 1) * sizeof *rows);
    hsp_data *known = NULL;
    hsp_status status = HSP_OK;
    for (uint64_t i = 0; i < to->view->rows; i++)
        if (plot_class(to, i) != HSP_NO_CLASS) rows[count++] = i;
    to->left_out = to->view->rows - count;
    if (!count)
        status = cli_fail(err, HSP_BAD_DATA, run->arguments[1],
                          "no row has a label that the model knows");
    else if (to->left_out)
        status = hsp_data_select(run->ctx, to->given.data, rows, count, err, &known);
    free(rows);
    if (status != HSP_OK || !known) return status;
    hsp_data_free(to->given.data);
    to->given.data = known;
    return hsp_data_view(run->ctx, known, err, &to->view);
}

/* A letter a class: the first of its name that no class before it has. */
static void plot_letters(plot *to)
{
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint32_t classes = hsp_model_classes(to->given.model);
    to->letters = cli_memory(NULL, (size_t)classes + 1);
    to->letters[0] = 0;
    for (uint32_t c = 0; c < classes; c++) {
        const char *from[] = {hsp_model_class_name(to->given.model, c), others, "?"};
        char letter = 0;
        for (int i = 0; i < 3 && !letter; i++)
            for (const char *p = from[i]; *p && !letter; p++)
                if (*p > ' ' && *p <= '~' && (i == 2 || !strchr(to->letters, *p)) &&
                    !strchr(PLOT_SEVERAL PLOT_BOUNDARY, *p))
                    letter = *p;
        to->letters[c] = letter;
        to->letters[c + 1] = 0;
    }
}

/* ---- The boundary ---- */

/* What the model says in the middle of each place, a line at a time. */
static hsp_status plot_sides(cli *run, plot *to, hsp_error *err)
{
    size_t columns = (size_t)to->view->cols, width = (size_t)to->x.cells;
    double *rows = cli_memory(NULL, width * columns * sizeof *rows);
    double *scores = cli_memory(NULL, width * hsp_model_scorers(to->given.model) * sizeof *scores);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, width, columns, columns, rows);
    hsp_status status = HSP_OK;
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < columns; j++)
            rows[i * columns + j] = hsp_summary_column(to->summary, j)->mean;
    for (int y = 0; status == HSP_OK && y < to->y.cells; y++) {
        for (size_t i = 0; i < width; i++) {
            rows[i * columns + to->x.column] = plot_middle(&to->x, (int)i);
            rows[i * columns + to->y.column] = plot_middle(&to->y, to->y.cells - 1 - y);
        }
        status = hsp_model_score(run->ctx, to->given.model, &view, err, scores,
                                 to->sides + (size_t)y * width);
    }
    free(scores);
    free(rows);
    return status;
}

static char *plot_line(const plot *to, size_t y)
{
    return to->cells + y * ((size_t)to->x.cells + 1);
}

/* Rows, and the boundary where there are none: where another class is to the right, or below. */
static void plot_draw(plot *to)
{
    for (uint64_t i = 0; i < to->view->rows; i++) {
        const int x = plot_cell(&to->x, plot_value(to->view, i, to->x.column));
        const int y = plot_cell(&to->y, plot_value(to->view, i, to->y.column));
        char *cell = &plot_line(to, (size_t)(to->y.cells - 1 - y))[x];
        const char letter = to->letters[plot_class(to, i)];
        *cell = *cell && *cell != letter ? *PLOT_SEVERAL : letter;
    }
    for (int y = 0; y < to->y.cells; y++)
        for (int x = 0; x < to->x.cells; x++) {
            char *cell = &plot_line(to, (size_t)y)[x];
            const uint32_t *here = to->sides + (size_t)y * (size_t)to->x.cells + x;
            const int edge = (x + 1 < to->x.cells && here[0] != here[1]) ||
                             (y + 1 < to->y.cells && here[0] != here[to->x.cells]);
            if (!*cell) *cell = edge ? *PLOT_BOUNDARY : ' ';
        }
}

/* ---- Showing it ---- */

static void plot_print(const plot *to)
{
    const hsp_data *data = to->given.data;
    char low[40], high[40];
    snprintf(high, sizeof high, "%.4g", to->y.high);
    snprintf(low, sizeof low, "%.4g", to->y.low);
    printf("%s from below upwards, %s from left to right%s\n\n", show_column(data, to->y.column),
           show_column(data, to->x.column),
           to->view->cols > 2 ? ", other features at their mean" : "");
    for (int y = 0; y < to->y.cells; y++) {
        int last = to->x.cells;
        const char *line = plot_line(to, (size_t)y);
        while (last && line[last - 1] == ' ')
            last--;
        printf("%9s |%.*s\n", y == 0 ? high : y + 1 == to->y.cells ? low : "", last, line);
    }
    printf("%9s +", "");
    for (int x = 0; x < to->x.cells; x++)
        putchar('-');
    snprintf(low, sizeof low, "%.4g", to->x.low);
    snprintf(high, sizeof high, "%.4g", to->x.high);
    printf("\n%10s %s%*s\n\n ", "", low, to->x.cells - (int)strlen(low), high);
    for (uint32_t c = 0; c < hsp_model_classes(to->given.model); c++)
        printf(" %c %s  ", to->letters[c], show_name(hsp_model_class_name(to->given.model, c)));
    printf(" " PLOT_SEVERAL " several classes   " PLOT_BOUNDARY " boundary\n");
    if (to->left_out)
        printf("  %s row%s of other classes left out\n", show_count(to->left_out),
               plural(to->left_out));
}

/* ---- The result ---- */

typedef struct plot_letter {
    const char *class;
    char letter[2];
} plot_letter;

GETTER_AT(plot_letter_at, plot, to, plot_letter, i < hsp_model_classes(to->given.model),
          hsp_model_class_name(to->given.model, (uint32_t)i), {to->letters[i], 0})

GETTER(plot_line_at, plot, to, i < (size_t)to->y.cells ? plot_line(to, i) : NULL)
GETTER_NEW(plot_column, plot_axis, axis, uint64_t, axis->column + 1)
GETTER(plot_letter_text, plot_letter, one, one->letter)
GETTER(plot_several, plot, to, PLOT_SEVERAL)
GETTER(plot_boundary, plot, to, PLOT_BOUNDARY)

FIELDS(plot_axis_fields, plot_axis,
       FIELD_GET(COUNT, "column", NULL, plot_column, "number of the column, from 1"),
       FIELD(TEXT, "name", NULL, name, "its name", .when = "null without names"),
       FIELD(REAL, "low", NULL, low, "where the axis begins"),
       FIELD(REAL, "high", NULL, high, "where it ends"))

FIELDS(plot_letter_fields, plot_letter, FIELD(TEXT, "class", NULL, class, "name of the class"),
       FIELD_GET(TEXT, "letter", NULL, plot_letter_text, "its letter"))

FIELDS(plot_fields, plot, FIELD(TEXT, "model", NULL, model, "the model file"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(OBJECT, "x", NULL, x, "the axis from left to right", .of = plot_axis_fields),
       FIELD(OBJECT, "y", NULL, y, "the axis upwards", .of = plot_axis_fields),
       FIELD_GET(MAP, "letters", NULL, plot_letter_at, "the letter of each class",
                 .of = plot_letter_fields),
       FIELD_GET(TEXT, "several", NULL, plot_several,
                 "the letter of rows of several classes in one place"),
       FIELD_GET(TEXT, "boundary", NULL, plot_boundary, "the letter of the boundary"),
       FIELD(COUNT, "left_out", NULL, left_out, "rows of classes that the model does not know",
             .unit = "rows"),
       FIELD_GET(LIST, "lines", NULL, plot_line_at, "the plot, from the top",
                 .of = hsp_field_texts))

static const cli_result plot_results[] = {{"plot", plot_fields, 0, 1}, {NULL, NULL, 0, 0}};

/* ---- The command ---- */

static hsp_status plot_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[PLOT_OWN];
    plot to = {.model = run->arguments[0],
               .file = run->arguments[1],
               .x = {.option = "x", .cells = (int)hsp_options_integer(own, "width")},
               .y = {.option = "y", .cells = (int)hsp_options_integer(own, "height")}};
    const size_t height = (size_t)to.y.cells, width = (size_t)to.x.cells;
    hsp_status status =
        cli_read_pair(run, to.model, to.file, run->options[PLOT_READ], err, &to.given);
    if (status == HSP_OK) status = hsp_data_view(run->ctx, to.given.data, err, &to.view);
    if (status == HSP_OK) status = plot_select(run, &to, err);
    if (status == HSP_OK) status = hsp_summary_new(run->ctx, to.given.data, err, &to.summary);
    if (status == HSP_OK) status = plot_axis_set(run, &to, &to.x, err);
    if (status == HSP_OK) status = plot_axis_set(run, &to, &to.y, err);
    if (status == HSP_OK && to.x.column == to.y.column)
        status = cli_fail(err, HSP_USAGE, "--y", "is the same feature as --x; name another one");
    to.cells = cli_memory(NULL, height * (width + 1));
    memset(to.cells, 0, height * (width + 1));
    to.sides = cli_memory(NULL, height * width * sizeof *to.sides);
    if (status == HSP_OK) status = plot_sides(run, &to, err);
    if (status == HSP_OK) {
        plot_letters(&to);
        plot_draw(&to);
        cli_progress_clear();
        if (cli_json(run))
            status = cli_report(run, plot_results, &to, stdout, err);
        else
            plot_print(&to);
    }
    free(to.letters);
    free(to.cells);
    free(to.sides);
    hsp_summary_free(to.summary);
    cli_free_pair(&to.given);
    return status;
}

static const cli_term plot_arguments[] = {{"MODEL", "the model, as train wrote it"},
                                          {"DATA", "rows with labels; - is standard input"},
                                          {NULL, NULL}};

static const cli_term plot_examples[] = {
    {"halfspace plot model.hsp iris.csv --x petal_length --y petal_width",
     "rows and boundary, in the terminal"},
    {NULL, NULL}};

const cli_command cli_plot = {
    .name = "plot",
    .summary = "draw rows and a model's boundary in the terminal",
    .synopsis = "MODEL DATA --x FEATURE --y FEATURE [options]",
    .description =
        "Draw the rows of a data file as letters in the plane of two features, and the model's "
        "decision boundary in the plane in which all other features have their mean over the "
        "rows.",
    .arguments = plot_arguments,
    .groups = plot_groups,
    .results = plot_results,
    .examples = plot_examples,
    .least = 2,
    .most = 2,
    .run = plot_run,
};
