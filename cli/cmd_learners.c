/* halfspace learners: every learner with its options, from their tables. */
#include "cli.h"

static const cli_group learners_groups[] = {{NULL, NULL}};

GETTER(learners_at, cli, run, hsp_learner(i))

FIELDS(learners_fields, cli,
       FIELD_GET(LIST, "learners", NULL, learners_at, "the learners",
                 .of = cli_option_table_fields))

static const cli_result learners_results[] = {{"learners", learners_fields, 0, 1},
                                              {NULL, NULL, 0, 0}};

static hsp_status learners_run(cli *run, hsp_error *err)
{
    if (cli_json(run)) return cli_report(run, learners_results, run, stdout, err);
    for (size_t i = 0; hsp_learner(i); i++) {
        printf("%s%s: %s\n", i ? "\n" : "", hsp_learner(i)->name, hsp_learner(i)->summary);
        cli_help_table(stdout, "Options", hsp_learner(i));
    }
    return HSP_OK;
}

static const cli_term learners_examples[] = {
    {"halfspace learners", "every learner and its options"},
    {"halfspace train perceptron --help", "one of them, with the options of train"},
    {NULL, NULL}};

const cli_command cli_learners = {
    .name = "learners",
    .summary = "list every learner with its options",
    .synopsis = "[options]",
    .description = "List every learner with its options, their defaults and ranges.",
    .groups = learners_groups,
    .results = learners_results,
    .examples = learners_examples,
    .least = 0,
    .most = 0,
    .run = learners_run,
};
