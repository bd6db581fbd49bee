/* The kind convergence: objective, lower bound and duality gap by pass, from the files that `train
 * --convergence` writes: one curve per problem of each file. */
#include <stdio.h>

#include "show/figure.h"
#include "show/file_name.h"
#include "show/table_file.h"

enum { CONVERGENCE_CURVES = 8 };
static const char convergence_writer[] = "train svm or logistic with --convergence FILE";

typedef struct convergence {
    hsp_figure *figure;
    hsp__panel *objective, *gap;
    int drawn, left_out; /* problems */
    int several;         /* files, or problems: curves need names */
    int infinite;        /* some objectives are empty */
} convergence;

/* The lines from .. to - 1 are of one problem. */
static void convergence_problem(convergence *of, const char *name, uint64_t from, uint64_t to,
                                double *const numbers[4])
{
    const uint64_t count = to - from;
    const int color = HSP__CLASS(of->drawn);
    double *gap = numbers[3] + from;
    if (of->drawn >= CONVERGENCE_CURVES) {
        of->left_out++;
        return;
    }
    for (uint64_t i = from; i < to; i++)
        of->infinite |= isnan(numbers[1][i]);
    for (uint64_t i = 0; i < count; i++)
        if (!(gap[i] > 0)) gap[i] = (double)NAN; /* it has no logarithm */
    hsp__panel_line(
        of->objective, count, numbers[0] + from, numbers[1] + from,
        (hsp__style){.color = color, .width = 2, .name = of->several ? name : "objective"});
    hsp__panel_line(of->objective, count, numbers[0] + from, numbers[2] + from,
                    (hsp__style){.color = color,
                                 .width = 1.5,
                                 .dash = HSP__DASHED,
                                 .name = of->drawn ? NULL : "lower bound"});
    hsp__panel_line(of->gap, count, numbers[0] + from, gap,
                    (hsp__style){.color = color, .width = 2});
    hsp__panel_points(
        of->gap, count, numbers[0] + from, gap,
        (hsp__style){.color = color, .shape = HSP__SHAPE(of->drawn), .size = count > 40 ? 1.8 : 3});
    of->drawn++;
}

static hsp_status convergence_table(convergence *of, const hsp__log_table *table, const char *file,
                                    hsp_context *ctx, hsp_error *err)
{
    static const char *const columns[] = {"pass", "objective", "dual_objective", "gap"};
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *numbers[4] = {0};
    uint32_t problem = 0, at = 0;
    hsp_status status = hsp__log_table_need(table, "problem", convergence_writer, err, &problem);
    for (int c = 0; !status && c < 4; c++) {
        numbers[c] = hsp__scratch_raw(&scratch, table->rows, sizeof *numbers[c]);
        status = numbers[c] ? hsp__log_table_need(table, columns[c], convergence_writer, err, &at)
                            : hsp__fail_memory(err);
        if (!status) status = hsp__log_table_numbers(table, at, err, numbers[c]);
    }
    for (uint64_t from = 0, to; !status && from < table->rows; from = to) {
        const char *name = hsp__log_table_cell(table, from, problem);
        char both[256];
        for (to = from + 1; to < table->rows; to++)
            if (strcmp(hsp__log_table_cell(table, to, problem), name) != 0) break;
        if (from || to < table->rows) of->several = 1;
        snprintf(both, sizeof both, "%.100s%s%.100s", file ? file : "",
                 file && (from || to < table->rows) ? ", " : "",
                 file && !from && to == table->rows ? "" : name);
        convergence_problem(of, both, from, to, numbers);
    }
    hsp__scratch_free(&scratch);
    return status;
}

static hsp_status convergence_build(hsp_context *ctx, const hsp_plot_input *input,
                                    const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    convergence of = {.figure = figure, .several = input->file_count > 1};
    (void)options;
    of.objective = hsp__panel_add(figure, "Objective");
    of.gap = hsp__panel_add(figure, "Relative duality gap");
    if (!of.objective || !of.gap) return hsp__fail_memory(err);
    hsp__axis_label(of.objective, &of.objective->x, "passes");
    hsp__axis_label(of.objective, &of.objective->y, "objective");
    hsp__axis_label(of.gap, &of.gap->x, "passes");
    hsp__axis_label(of.gap, &of.gap->y, "(objective − bound) / objective");
    of.gap->y.log = 1;
    of.gap->outside = 1;
    hsp_status status = HSP_OK;
    for (size_t f = 0; !status && f < input->file_count; f++) {
        hsp__log_table table;
        const char *file = input->file_count > 1 ? hsp__file_name(input->files[f]) : NULL;
        status = hsp__log_table_read(ctx, input->files[f], err, &table);
        if (status) break;
        status = convergence_table(&of, &table, file, ctx, err);
        hsp__log_table_free(&table);
    }
    if (of.left_out)
        hsp__figure_note(figure, "%d of %d problems shown", of.drawn, of.drawn + of.left_out);
    if (of.infinite) hsp__figure_note(figure, "no objective while nothing separates the rows");
    return status;
}

const hsp__plot_kind hsp__plot_convergence = {
    .table = {"convergence", "objective, lower bound and duality gap by pass", NULL, 0},
    .needs = {"FILE...", .files_least = 1, .files_most = 8},
    .build = convergence_build,
};
