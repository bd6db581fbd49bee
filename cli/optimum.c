/* What a learner that minimises tells: how near to the best it came, or why there is nothing to
 * come near to. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

/* ---- For people ---- */

static void optimum_support(cli_table *table, const hsp_optimum *best)
{
    const uint64_t placed = best->on_margin + best->inside + best->wrong_side;
    const uint64_t beyond = best->support_vectors > placed ? best->support_vectors - placed : 0;
    char *rest = beyond ? cli_format(", %s beyond it", show_count(beyond)) : cli_format("%s", "");
    table_line(table, "support vectors", "%s: %s on the margin, %s inside, %s on the wrong side%s",
               show_count(best->support_vectors), show_count(best->on_margin),
               show_count(best->inside), show_count(best->wrong_side), rest);
    free(rest);
}

/* `asked`: NaN where this learner has no such option. */
void cli_optimum_lines(cli_table *table, const hsp_training *all, double asked, int margins)
{
    const hsp_optimum *best = &all->optimum;
    const char *answer = all->stop == HSP_STOP_CONVERGED ? "yes" : "no";
    if (isnan(asked))
        table_line(table, "converged", "%s: the gap is %s", answer, show_number(best->gap));
    else
        table_line(table, "converged", "%s: the gap is %s, %s was asked for", answer,
                   show_number(best->gap), show_number(asked));
    if (isnan(best->dual_objective))
        table_line(table, "objective", "%s; how near to the best is not known",
                   show_number(best->objective));
    else if (isfinite(best->objective))
        table_line(table, "objective", "%s; no weights have less than %s",
                   show_number(best->objective), show_number(best->dual_objective));
    else
        table_line(table, "objective", "not there yet: some rows are not beyond the margin");
    table_line(table, "solver", "%s, %s pass%s", best->solver, show_count(all->passes),
               all->passes == 1 ? "" : "es");
    if (!isnan(best->C))
        table_line(table, "C, lambda", "%s, %s", show_number(best->C), show_number(best->lambda));
    if (margins) {
        optimum_support(table, best);
        table_line(table, "margin", "%s", show_number(best->margin));
    }
    if (isnan(best->stationarity)) return;
    table_line(table, "KKT residuals", "stationarity %s, primal %s, dual %s, complementarity %s",
               show_number(best->stationarity), show_number(best->primal_feasibility),
               show_number(best->dual_feasibility), show_number(best->complementarity));
}

void cli_program_lines(cli_table *table, const hsp_training *all)
{
    const hsp_optimum *best = &all->optimum;
    table_line(table, "converged", "%s",
               all->stop == HSP_STOP_CONVERGED ? "yes: the answer was checked on every row" : "no");
    if (isfinite(best->objective))
        table_line(table, "total slack", "%s; no weights have less than %s",
                   show_number(best->objective), show_number(best->dual_objective));
    table_line(table, "solver", "%s, %s linear program%s in %s step%s", best->solver,
               show_count(all->passes), plural(all->passes), show_count(all->updates),
               plural(all->updates));
}

#define OPTIMUM_SHOWN 20

void cli_evidence_print(hsp_context *ctx, const hsp_evidence *evidence, hsp_data *data, FILE *file)
{
    const hsp_view *view = NULL;
    if (hsp_data_view(ctx, data, NULL, &view) != HSP_OK) return;
    const uint64_t shown = evidence->count > OPTIMUM_SHOWN ? OPTIMUM_SHOWN : evidence->count;
    cli_table table;
    if (evidence->of) fprintf(file, "%s against the rest: ", show_name(evidence->of));
    fprintf(file,
            "not separable: with these multipliers the rows of the two sides have the same mean\n");
    table_begin(&table, "rlr");
    table_cell(&table, "row");
    table_cell(&table, "class");
    table_cell(&table, "multiplier");
    for (uint64_t i = 0; i < shown; i++) {
        const uint64_t row = evidence->row[i];
        table_cell(&table, "%s", show_count(row + 1));
        table_cell(&table, "%s", show_name(hsp_data_class_name(data, view->labels[row])));
        table_cell(&table, "%s", show_number(evidence->multiplier[i]));
    }
    table_print(&table, file);
    if (shown < evidence->count)
        fprintf(file, "  and %s more\n", show_count(evidence->count - shown));
    fprintf(file, "the means are %s apart: no separator has a margin above %s\n",
            show_number(evidence->distance), show_number(evidence->margin));
}

/* ---- For machines ---- */

void json_optimum(cli_json_writer *json, const hsp_optimum *best)
{
    json_text(json, "solver", best->solver);
    json_number(json, "C", best->C);
    json_number(json, "lambda", best->lambda);
    json_number(json, "objective", best->objective);
    json_number(json, "dual_objective", best->dual_objective);
    json_number(json, "gap", best->gap);
    json_count(json, "support_vectors", best->support_vectors);
    json_count(json, "on_margin", best->on_margin);
    json_count(json, "inside", best->inside);
    json_count(json, "wrong_side", best->wrong_side);
    json_number(json, "margin", best->margin);
    json_open(json, "kkt", '{');
    json_number(json, "stationarity", best->stationarity);
    json_number(json, "primal_feasibility", best->primal_feasibility);
    json_number(json, "dual_feasibility", best->dual_feasibility);
    json_number(json, "complementarity", best->complementarity);
    json_close(json, '}');
}

void json_evidence(cli_json_writer *json, const hsp_evidence *evidence)
{
    json_open(json, "evidence", '{');
    json_text(json, "class", evidence->of);
    json_open(json, "rows", '[');
    for (uint64_t i = 0; i < evidence->count; i++)
        json_count(json, NULL, evidence->row[i] + 1);
    json_close(json, ']');
    json_numbers(json, "multipliers", evidence->multiplier, evidence->count);
    json_number(json, "distance", evidence->distance);
    json_number(json, "margin", evidence->margin);
    json_close(json, '}');
}
