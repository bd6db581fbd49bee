/* What a learner that minimises tells: how near to the best it came, or why there is nothing to
 * come near to. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

/* ---- For people ---- */

static void convergence_support(cli_table *table, const hsp_convergence *best)
{
    const uint64_t placed = best->on_margin + best->inside + best->wrong_side;
    const uint64_t beyond = best->support_sum > placed ? best->support_sum - placed : 0;
    const int several = best->support_sum != best->support_vectors;
    char *rest = beyond ? cli_format(", %s beyond it with a dual weight near 0", show_count(beyond))
                        : cli_format("%s", "");
    char *sum =
        several ? cli_format(" rows; %s summed over all problems", show_count(best->support_sum))
                : cli_format("%s", "");
    table_line(table, "support vectors",
               "%s%s: %s on the margin, %s inside, %s on the wrong side%s",
               show_count(best->support_vectors), sum, show_count(best->on_margin),
               show_count(best->inside), show_count(best->wrong_side), rest);
    free(rest);
    free(sum);
}

/* `space`: where it was measured, in words; "": in the columns of the file. */
static void convergence_margin(cli_table *table, const hsp_convergence *best,
                               const hsp_model *model, const char *space)
{
    char *of = cli_format("%s", "");
    if (best->margin_class != UINT32_MAX) {
        free(of);
        of = cli_format(best->margin_other == UINT32_MAX ? ", %s against the rest%s"
                                                         : ", %s against %s",
                        show_name(hsp_model_class_name(model, best->margin_class)),
                        best->margin_other == UINT32_MAX
                            ? ""
                            : show_name(hsp_model_class_name(model, best->margin_other)));
    }
    if (isnan(best->margin))
        table_line(table, "margin", "none: all weights are 0");
    else
        table_line(table, "margin", "%s%s%s%s", show_below(best->margin), of, space,
                   best->margin < 0 ? ": some rows are on the wrong side" : "");
    table_line(table, "1/||w||", "%s", show_number(best->inverse_norm));
    free(of);
}

/* Why a figure is not there. */
static const char *convergence_why_not(const hsp_training *all)
{
    return all->stop == HSP_STOP_STALLED ? "it leaves the range of double precision"
                                         : "the run was stopped before that";
}

/* `hard`: the objective is ||w||^2 / 2, whatever the unit. */
static void convergence_objective(cli_table *table, const hsp_training *all, int hard,
                                  const char *note)
{
    const hsp_convergence *best = &all->optimum;
    if (isnan(best->objective)) {
        table_line(table, "objective", "not computed: %s", convergence_why_not(all));
        return;
    }
    if (!isfinite(best->objective)) {
        table_line(table, "objective", "not there yet: some rows are not beyond the margin");
        return;
    }
    for (int scaled = 0; scaled < (hard ? 1 : 2); scaled++) {
        const double value = scaled ? best->scaled_objective : best->objective;
        const double bound = scaled ? best->scaled_dual_objective : best->dual_objective;
        char *least = isnan(bound) ? cli_format("%s", "no lower bound is known")
                                   : cli_format("proven lower bound %s%s", show_below(bound), note);
        table_line(table, scaled ? "objective * Cn" : "objective", "%s (%s): %s",
                   show_number(value), least,
                   hard     ? "||w||^2 / 2"
                   : scaled ? "C * sum of losses + penalty, as LIBSVM and LIBLINEAR print it"
                            : "mean loss + lambda * penalty");
        free(least);
    }
}

/* Pairs of classes have one C or one lambda, whichever was given: lambda C n = 1, and n differs. */
static void convergence_costs(cli_table *table, const hsp_convergence *best)
{
    if (!isnan(best->C) && !isnan(best->lambda))
        table_line(table, "C, lambda", "%s, %s", show_number(best->C), show_number(best->lambda));
    else if (!isnan(best->C))
        table_line(table, "C", "%s", show_number(best->C));
    else if (!isnan(best->lambda))
        table_line(table, "lambda", "%s", show_number(best->lambda));
}

void cli_optimum_lines(cli_table *table, const hsp_training *all, const hsp_model *model,
                       const cli_asked *asked)
{
    const hsp_convergence *best = &all->optimum;
    const char *answer = all->stop == HSP_STOP_CONVERGED ? "yes" : "no";
    if (isnan(best->gap))
        table_line(table, "converged", "no: the gap was not computed: %s",
                   convergence_why_not(all));
    else if (isnan(asked->gap))
        table_line(table, "converged", "%s: duality gap %s%s", answer, show_number(best->gap),
                   asked->note);
    else if (all->stop != HSP_STOP_CONVERGED && best->rounding > best->gap / 2)
        table_line(table, "converged",
                   "no: duality gap %s (target %s), limited by rounding errors (%s)",
                   show_number(best->gap), show_number(asked->gap), show_number(best->rounding));
    else
        table_line(table, "converged", "%s: duality gap %s (target %s)%s", answer,
                   show_number(best->gap), show_number(asked->gap), asked->note);
    convergence_objective(table, all, asked->hard, asked->note);
    table_line(table, "solver", "%s, %s pass%s", best->solver, show_count(all->passes),
               all->passes == 1 ? "" : "es");
    convergence_costs(table, best);
    if (asked->margins && !isnan(best->objective)) {
        convergence_support(table, best);
        convergence_margin(table, best, model, asked->space);
    }
    if (isnan(best->stationarity)) return;
    table_line(table, "KKT residuals", "stationarity %s, primal %s, dual %s, complementarity %s",
               show_number(best->stationarity), show_number(best->primal_feasibility),
               show_number(best->dual_feasibility), show_number(best->complementarity));
}

void cli_program_lines(cli_table *table, const hsp_training *all, const char *note)
{
    const hsp_convergence *best = &all->optimum;
    table_line(table, "converged", "%s",
               all->stop == HSP_STOP_CONVERGED ? "yes: the answer was checked on every row" : "no");
    if (isfinite(best->objective))
        table_line(table, "total slack", "%s (lower bound %s, up to rounding%s)",
                   show_number(best->objective), show_below(best->dual_objective), note);
    table_line(table, "solver", "%s, %s linear program%s in %s step%s", best->solver,
               show_count(all->passes), plural(all->passes), show_count(all->updates),
               plural(all->updates));
}

/* ---- For machines ---- */

static const char *convergence_class(const hsp_model *model, uint32_t c)
{
    return model && c != UINT32_MAX ? hsp_model_class_name(model, c) : NULL;
}

void json_stored(cli_json_writer *json, const hsp_data *data)
{
    json_text(json, "numbers", *hsp_data_stored_note(data) ? "stored" : "decimals");
}

void json_optimum(cli_json_writer *json, const hsp_convergence *best, const hsp_model *model)
{
    json_text(json, "solver", best->solver);
    json_number(json, "C", best->C);
    json_number(json, "lambda", best->lambda);
    json_number(json, "objective", best->objective);
    json_number(json, "dual_objective", best->dual_objective);
    json_number(json, "scaled_objective", best->scaled_objective);
    json_number(json, "scaled_dual_objective", best->scaled_dual_objective);
    json_number(json, "gap", best->gap);
    json_number(json, "rounding", best->rounding);
    if (best->support_vectors == UINT64_MAX)
        json_text(json, "support_vectors", NULL);
    else
        json_count(json, "support_vectors", best->support_vectors);
    json_count(json, "support_sum", best->support_sum);
    json_count(json, "on_margin", best->on_margin);
    json_count(json, "inside", best->inside);
    json_count(json, "wrong_side", best->wrong_side);
    json_number(json, "margin", best->margin);
    json_text(json, "margin_class", convergence_class(model, best->margin_class));
    json_text(json, "margin_other", convergence_class(model, best->margin_other));
    json_number(json, "inverse_norm", best->inverse_norm);
    json_open(json, "kkt", '{');
    json_number(json, "stationarity", best->stationarity);
    json_number(json, "primal_feasibility", best->primal_feasibility);
    json_number(json, "dual_feasibility", best->dual_feasibility);
    json_number(json, "complementarity", best->complementarity);
    json_close(json, '}');
}
