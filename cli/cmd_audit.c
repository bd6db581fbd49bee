/* halfspace audit MODEL DATA --reference SEPARATOR | --disjunction A,B: a run against every mistake
 * bound that its data allows, and against each step of the proofs. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { AUDIT_OWN, AUDIT_READ };

static const hsp_option audit_own[] = {
    {"reference", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "SEPARATOR",
     "the model that stands for w* in the bounds; any that separates the rows will do"},
    {"disjunction", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "A,B,C",
     "winnow: instead of a model, the columns of which one at least is on in positive rows"},
};

static const hsp_option_table *audit_options(void)
{
    static const hsp_option_table table = {"audit", "options of audit", audit_own,
                                           sizeof audit_own / sizeof *audit_own};
    return &table;
}

static const cli_group audit_groups[] = {
    {"Options", audit_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

typedef struct audit {
    cli_pair given;
    hsp_model *reference;
    hsp_bound *bounds;
    size_t count, applying, exceeded;
} audit;

/* ---- For people ---- */

static void audit_row(cli_table *table, const hsp_bound *bound)
{
    table_cell(table, "%s", bound->name);
    table_cell(table, "%s", bound->formula);
    if (bound->applies) {
        table_cell(table, "%s", show_number(bound->observed));
        table_cell(table, "%s", bound->lower ? ">=" : "<=");
        table_cell(table, "%s", show_number(bound->bound));
        table_cell(table, "%s", bound->held ? "held" : "EXCEEDED");
    } else {
        for (int i = 0; i < 3; i++)
            table_cell(table, "%s", "");
        table_cell(table, "does not apply");
    }
}

static const char *audit_fact(const hsp_model *model, const char *name)
{
    const char *fact = hsp_model_fact(model, name);
    return fact ? show_name(fact) : "unknown";
}

/* What is audited, and what it is compared with. */
static void audit_print_head(const cli *run, const hsp_model *model)
{
    const char *reference = hsp_options_text(run->options[AUDIT_OWN], "reference");
    const char *disjunction = hsp_options_text(run->options[AUDIT_OWN], "disjunction");
    printf("%s on %s: ", show_input(run->arguments[0]), show_input(run->arguments[1]));
    if (reference || disjunction)
        printf("%s updates; w* is %s%s\n", audit_fact(model, "updates"),
               reference ? "" : "the disjunction of ",
               reference ? show_input(reference) : show_name(disjunction));
    else
        printf("%s mistakes of %s experts on %s rows, beside the best of them\n",
               audit_fact(model, "mistakes"), audit_fact(model, "experts"),
               audit_fact(model, "examples"));
}

static void audit_print(const cli *run, const audit *seen)
{
    static const char *const heads[] = {"theorem", "formula", "observed", "", "bound", "verdict"};
    cli_table table;
    audit_print_head(run, seen->given.model);
    table_begin(&table, "llrlrl");
    for (int i = 0; i < 6; i++)
        table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < seen->count; i++)
        audit_row(&table, &seen->bounds[i]);
    table_print(&table, stdout);
    printf("\nThe figures, or what speaks against it:\n");
    table_begin(&table, "ll");
    for (size_t i = 0; i < seen->count; i++)
        table_line(&table, seen->bounds[i].name, "%s", seen->bounds[i].why);
    table_print(&table, stdout);
    if (seen->exceeded)
        printf("\n%s of %s EXCEEDED: that is a bug, or these are not the rows of the run.\n",
               show_count(seen->exceeded), show_count(seen->applying));
    else if (seen->applying)
        printf("\nAll %s that apply held.\n", show_count(seen->applying));
    else
        printf("\nNone applies: nothing was shown.\n");
}

/* ---- For machines ---- */

static const cli_term audit_keys[] = {
    {"model, file, reference", "the three files, as they were named; null for no reference"},
    {"disjunction", "the columns that were given instead of one; null for none"},
    {"updates", "the run's number of updates, or null when the model does not say"},
    {"held", "true when no bound that applies was exceeded"},
    {"applying, exceeded", "how many bounds apply, how many of them were exceeded"},
    {"bounds", "array: name, formula, applies, observed, bound, lower (observed must be at least "
               "the bound, not at most), held (null when it does not apply), why"},
    {"load_seconds, audit_seconds", "time to read, and to audit"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void audit_json_bound(cli_json_writer *json, const hsp_bound *bound)
{
    json_open(json, NULL, '{');
    json_text(json, "name", bound->name);
    json_text(json, "formula", bound->formula);
    json_flag(json, "applies", bound->applies);
    json_number(json, "observed", bound->observed);
    json_number(json, "bound", bound->bound);
    json_flag(json, "lower", bound->lower);
    if (bound->applies)
        json_flag(json, "held", bound->held);
    else
        json_text(json, "held", NULL);
    json_text(json, "why", bound->why);
    json_close(json, '}');
}

static void audit_json(const cli *run, const audit *seen, double seconds)
{
    const char *updates = hsp_model_fact(seen->given.model, "updates");
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "model", run->arguments[0]);
    json_text(&json, "file", run->arguments[1]);
    json_text(&json, "reference", hsp_options_text(run->options[AUDIT_OWN], "reference"));
    json_text(&json, "disjunction", hsp_options_text(run->options[AUDIT_OWN], "disjunction"));
    if (updates)
        json_count(&json, "updates", strtoull(updates, NULL, 10));
    else
        json_text(&json, "updates", NULL);
    json_flag(&json, "held", !seen->exceeded);
    json_count(&json, "applying", seen->applying);
    json_count(&json, "exceeded", seen->exceeded);
    json_open(&json, "bounds", '[');
    for (size_t i = 0; i < seen->count; i++)
        audit_json_bound(&json, &seen->bounds[i]);
    json_close(&json, ']');
    json_seconds(&json, "load_seconds", seen->given.load_seconds);
    json_seconds(&json, "audit_seconds", seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

/* The columns of "a,b,c" as a model. */
static hsp_status audit_disjunction(const cli *run, const char *text, audit *seen, hsp_error *err)
{
    char *names = cli_format("%s", text);
    size_t count = 0;
    const char **columns = malloc((strlen(text) + 1) * sizeof *columns);
    for (char *at = names; columns && at; count++) {
        char *comma = strchr(at, ',');
        columns[count] = at;
        if (comma) *comma = 0;
        at = comma ? comma + 1 : NULL;
    }
    hsp_status status = columns ? hsp_model_disjunction(run->ctx, seen->given.model, columns, count,
                                                        err, &seen->reference)
                                : cli_fail(err, HSP_NO_MEMORY, "", "out of memory");
    free(columns);
    free(names);
    return status;
}

static int audit_is_panel(const hsp_model *model)
{
    const char *learner = hsp_model_fact(model, "learner");
    return learner && strcmp(learner, "experts") == 0;
}

/* Without a reference: is it a model that needs none? */
static hsp_status audit_needs_none(const cli *run, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_status status = hsp_model_read(run->ctx, run->arguments[0], err, &model);
    if (status == HSP_OK && !audit_is_panel(model))
        status = cli_fail(err, HSP_USAGE, "--reference",
                          "is missing: name a model that separates the rows");
    hsp_model_free(model);
    return status;
}

static hsp_status audit_load(cli *run, audit *seen, hsp_error *err)
{
    const char *reference = hsp_options_text(run->options[AUDIT_OWN], "reference");
    const char *disjunction = hsp_options_text(run->options[AUDIT_OWN], "disjunction");
    if (reference && disjunction)
        return cli_fail(err, HSP_USAGE, "--disjunction",
                        "is a reference already: give one of --reference and --disjunction");
    hsp_status status = HSP_OK;
    if (reference) status = hsp_model_read(run->ctx, reference, err, &seen->reference);
    if (!reference && !disjunction) status = audit_needs_none(run, err);
    if (status == HSP_OK)
        status = cli_read_pair(run, run->arguments[0], run->arguments[1], run->options[AUDIT_READ],
                               err, &seen->given);
    return status == HSP_OK && disjunction ? audit_disjunction(run, disjunction, seen, err)
                                           : status;
}

static hsp_status audit_run(cli *run, hsp_error *err)
{
    audit seen = {.count = 0};
    hsp_status status = audit_load(run, &seen, err);
    double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_audit(run->ctx, seen.given.model, seen.given.data, seen.reference, err,
                           &seen.bounds, &seen.count);
    if (status == HSP_OK) {
        for (size_t i = 0; i < seen.count; i++) {
            seen.applying += seen.bounds[i].applies != 0;
            seen.exceeded += seen.bounds[i].applies && !seen.bounds[i].held;
        }
        run->exit_status = seen.exceeded ? 1 : 0;
        cli_progress_clear();
        if (cli_json(run))
            audit_json(run, &seen, cli_seconds() - start);
        else
            audit_print(run, &seen);
    }
    hsp_bounds_free(run->ctx, seen.bounds);
    hsp_model_free(seen.reference);
    cli_free_pair(&seen.given);
    return status;
}

static const cli_term audit_arguments[] = {
    {"MODEL", "the model whose run is audited"},
    {"DATA", "the rows that it was trained on; - is standard input"},
    {NULL, NULL}};

static const cli_term audit_examples[] = {
    {"halfspace audit model.hsp train.svm --reference model.hsp",
     "a run that converged, with its own last separator as w*"},
    {"halfspace audit winnow.hsp train.svm --disjunction 7,12,30",
     "a run of winnow on rows whose labels are the disjunction of three columns"},
    {"halfspace audit experts.hsp train.csv", "a panel of experts beside the best of them"},
    {NULL, NULL}};

const cli_command cli_audit = {
    .name = "audit",
    .summary = "compare a run with the mistake bounds of its theory",
    .synopsis = "MODEL DATA [--reference SEPARATOR | --disjunction COLUMNS] [options]",
    .description =
        "Compare the number of updates of the run that made a model with every mistake bound whose "
        "assumptions hold on these rows, and check each step of the proofs. A bound that is "
        "exceeded is a bug: the status is 1 then.\n\n"
        "Any model that separates the rows may stand for w*; the wider its margin, the lower the "
        "bounds. One that does not separate them is enough for the bound on rows that cannot be "
        "separated.\n\n"
        "The runs are those of perceptrons and of winnow with two classes. For winnow the "
        "reference "
        "may be the disjunction of some columns, by name, or by number where they have none. A "
        "panel "
        "of experts is compared with the best of them, and needs no reference: its run is made "
        "again from the rows.",
    .arguments = audit_arguments,
    .groups = audit_groups,
    .keys = audit_keys,
    .examples = audit_examples,
    .least = 2,
    .most = 2,
    .run = audit_run,
};
