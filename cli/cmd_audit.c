/* halfspace audit MODEL DATA [--reference SEPARATOR | --disjunction A,B]: a run against every
 * mistake bound that its data allows, and against each step of the proofs. Without a reference the
 * widest separator is looked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { AUDIT_OWN, AUDIT_READ };

CLI_OPTIONS(
    audit_options, "audit",
    {"reference", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "SEPARATOR",
     "model of the separator w* in the bounds: any that separates the rows (default: the separator "
     "of widest margin)"},
    {"disjunction", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "A,B,C",
     "winnow: instead of a model, the columns of the disjunction"})

static const cli_group audit_groups[] = {
    {"Options", audit_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

typedef struct audit {
    const char *model, *file, *named, *disjunction; /* named: the reference */
    cli_pair given;
    hsp_model *reference;
    hsp_mistake_bound *bounds;
    size_t count;
    uint64_t applying, exceeded;
    double seconds;
    int found;        /* the reference was looked for ... */
    int separates;    /* ... and separates, with a margin */
    double low, high; /* in [low, high] the widest is */
} audit;

/* ---- The result ---- */

GETTER(audit_bound_at, audit, seen, i < seen->count ? &seen->bounds[i] : NULL)
GETTER(audit_margin, audit, seen, seen->separates ? seen : NULL)
GETTER_NEW(audit_held, audit, seen, int, !seen->exceeded)
GETTER(audit_some_exceeded, audit, seen, seen->exceeded ? &seen->exceeded : NULL)
GETTER(audit_some_apply, audit, seen, seen->applying ? &seen->applying : NULL)
GETTER(audit_why, hsp_mistake_bound, bound, bound->why)

/* A figure of the run, as the model records it. */
static const char *audit_recorded(const audit *seen, const char *name)
{
    const char *text = hsp_model_metadata(seen->given.model, name);
    return text ? text : "unknown";
}

GETTER(audit_mistakes, audit, seen, audit_recorded(seen, "mistakes"))
GETTER(audit_experts, audit, seen, audit_recorded(seen, "experts"))
GETTER(audit_rows, audit, seen, audit_recorded(seen, "examples"))

GETTER_AT(audit_updates, audit, seen, uint64_t, hsp_model_metadata(seen->given.model, "updates"),
          strtoull(hsp_model_metadata(seen->given.model, "updates"), NULL, 10))

/* What w* is; NULL: experts are compared with the best of them. */
static const void *audit_compared(const void *record, size_t i, void *room)
{
    const audit *seen = record;
    (void)i;
    if (seen->named) return show_input(seen->named);
    if (seen->disjunction)
        snprintf(room, HSP_FIELD_ROOM, "the disjunction of %s", show_name(seen->disjunction));
    else if (!seen->found)
        return NULL;
    else if (!seen->separates)
        return "that of svm with C = 1, since there is no separator";
    else if (!(seen->low > 0 && isfinite(seen->high)))
        return "a separator whose margin is too small for double precision";
    else
        snprintf(room, HSP_FIELD_ROOM, "the widest separator, with a margin in [%.9g, %.9g]",
                 seen->low, seen->high);
    return room;
}

FIELDS(audit_margin_fields, audit, FIELD(REAL, "low", NULL, low, "it is at least this"),
       FIELD(REAL, "high", NULL, high, "it is at most this"))

FIELDS(audit_why_fields, hsp_mistake_bound, FIELD(TEXT, NULL, "", name, NULL),
       FIELD_GET(TEXT, NULL, "", audit_why, NULL))

FIELDS(
    audit_fields, audit,
    CLI_LINE("{model} on {file}{.note}: [[{updates:update}~unknown updates]; w* is {.compared}~"
             "{.mistakes} mistakes of {.experts} experts on {.examples} rows, compared with the "
             "best of them]"),
    FIELD_GET(TEXT, ".compared", NULL, audit_compared, NULL),
    FIELD_GET(TEXT, ".mistakes", NULL, audit_mistakes, NULL),
    FIELD_GET(TEXT, ".experts", NULL, audit_experts, NULL),
    FIELD_GET(TEXT, ".examples", NULL, audit_rows, NULL),
    FIELD_GET(COUNT, ".exceeded", NULL, audit_some_exceeded, NULL),
    FIELD_GET(COUNT, ".applying", NULL, audit_some_apply, NULL),
    FIELD(TEXT, "model", NULL, model, "the model file"),
    FIELD(TEXT, "file", NULL, file, "the data file"),
    FIELD(PART, NULL, NULL, given.data, NULL, .of = cli_numbers_fields),
    FIELD(TEXT, "reference", NULL, named, "the model file of the reference",
          .when = "null without --reference"),
    FIELD_GET(OBJECT, "margin", NULL, audit_margin,
              "the widest margin, if the reference was searched for and separates the rows",
              .when = "null otherwise", .of = audit_margin_fields),
    FIELD(TEXT, "disjunction", NULL, disjunction, "the columns of the reference",
          .when = "null without --disjunction"),
    FIELD_GET(COUNT, "updates", NULL, audit_updates, "updates of the run",
              .when = "null if the model does not record them"),
    FIELD_GET(FLAG, "held", NULL, audit_held, "no bound that applies was exceeded"),
    FIELD(COUNT, "applying", NULL, applying, "bounds that apply"),
    FIELD(COUNT, "exceeded", NULL, exceeded, "bounds that were exceeded"),
    FIELD_GET(LIST, "bounds", "", audit_bound_at, "the bounds", .of = hsp_mistake_bound_fields),
    FIELD_GET(LIST, NULL, "Figures, or why a bound does not apply:", audit_bound_at, NULL,
              .of = audit_why_fields),
    CLI_LINE("\n[{.exceeded} of {applying} EXCEEDED: that is a bug, or these are not the rows of "
             "the run.~All {.applying} that apply held.~None applies: nothing was shown.]"),
    FIELD(SECONDS, "load_seconds", NULL, given.load_seconds, "time to read"),
    FIELD(SECONDS, "audit_seconds", NULL, seconds, "time to audit"))

static const cli_result audit_results[] = {{"audit", audit_fields, 0, 0}, {NULL, NULL, 0, 0}};

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

static hsp_status audit_run(cli *run, hsp_error *err)
{
    audit seen = {.model = run->arguments[0],
                  .file = run->arguments[1],
                  .named = hsp_options_text(run->options[AUDIT_OWN], "reference"),
                  .disjunction = hsp_options_text(run->options[AUDIT_OWN], "disjunction")};
    if (seen.named && seen.disjunction)
        return cli_fail(err, HSP_USAGE, "--disjunction",
                        "is a reference already: give one of --reference and --disjunction");
    hsp_status status =
        seen.named ? hsp_model_read(run->ctx, seen.named, err, &seen.reference) : HSP_OK;
    if (status == HSP_OK)
        status =
            cli_read_pair(run, seen.model, seen.file, run->options[AUDIT_READ], err, &seen.given);
    if (status == HSP_OK && seen.disjunction)
        status = audit_disjunction(run, seen.disjunction, &seen, err);
    /* Without a reference, the library finds one for runs of perceptron; experts need none. */
    const char *learner = status == HSP_OK ? hsp_model_metadata(seen.given.model, "learner") : NULL;
    if (learner && !seen.reference && strcmp(learner, "winnow") == 0)
        status = cli_fail(err, HSP_USAGE, "--reference",
                          "is missing: name a model that separates the rows, or give "
                          "--disjunction");
    if (learner && !seen.reference && strcmp(learner, "perceptron") == 0) {
        hsp_reference widest = {.separator = NULL};
        status = hsp_reference_find(run->ctx, seen.given.model, seen.given.data, err, &widest);
        seen.found = status == HSP_OK;
        seen.reference = widest.separator;
        seen.separates = widest.separates;
        seen.low = widest.low;
        seen.high = widest.high;
    }
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_audit(run->ctx, seen.given.model, seen.given.data, seen.reference, err,
                           &seen.bounds, &seen.count);
    if (status == HSP_OK) {
        for (size_t i = 0; i < seen.count; i++) {
            seen.applying += seen.bounds[i].applies != 0;
            seen.exceeded += seen.bounds[i].applies && !seen.bounds[i].held;
        }
        run->exit_status = seen.exceeded ? 1 : 0;
        seen.seconds = cli_seconds() - start;
        status = cli_report(run, audit_results, &seen, stdout, err);
    }
    hsp_mistake_bounds_free(seen.bounds);
    hsp_model_free(seen.reference);
    cli_free_pair(&seen.given);
    return status;
}

static const cli_term audit_arguments[] = {{"MODEL", "the model whose run is audited"},
                                           {"DATA",
                                            "the rows that it was trained on; - is standard input. "
                                            "Several text files are read one after the other"},
                                           {NULL, NULL}};

static const cli_term audit_examples[] = {
    {"halfspace audit model.hsp train.svm", "with the widest separator as w*"},
    {"halfspace audit model.hsp train.svm --reference model.hsp",
     "a run that converged, with its own last separator as w*"},
    {"halfspace audit winnow.hsp train.svm --disjunction 7,12,30",
     "a run of winnow on rows whose labels are the disjunction of three columns"},
    {"halfspace audit experts.hsp train.csv", "experts, compared with the best expert"},
    {NULL, NULL}};

const cli_command cli_audit = {
    .name = "audit",
    .summary = "compare an online run with its mistake bounds",
    .synopsis = "MODEL DATA... [--reference SEPARATOR | --disjunction COLUMNS] [options]",
    .description =
        "Compare the number of updates of the run that made a model with every mistake bound "
        "whose assumptions hold on these rows, and check each step of the proofs. A bound that "
        "is exceeded is a bug, and the status is then 1.\n\nThe reference w* may be any model "
        "that separates the rows; the wider its margin, the lower the bounds. Without "
        "--reference the separator of widest margin is computed (not for winnow, which needs "
        "--reference or --disjunction), and an interval for its margin is printed; certify "
        "proves it. A reference that does not separate the rows is enough for the bound on rows "
        "that are not separable.\n\nPerceptrons, winnow and experts with two classes can be "
        "audited. For winnow the reference may be the disjunction of some columns, by name, or "
        "by number if they have none. Experts are compared with the best expert and need no "
        "reference: the run is repeated from the rows.",
    .arguments = audit_arguments,
    .groups = audit_groups,
    .results = audit_results,
    .examples = audit_examples,
    .least = 2,
    .most = 2,
    .several = 2,
    .run = audit_run,
};
