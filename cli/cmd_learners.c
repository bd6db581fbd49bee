/* halfspace learners: every learner with its options, from their tables. */
#include "cli.h"

static const cli_group learners_groups[] = {{NULL, NULL}};

static const cli_term learners_keys[] = {
    {"learners", "array: name, summary, options; an option has name, type, default, min, max, "
                 "choices, meta and help"},
    {NULL, NULL}};

static hsp_status learners_run(cli *run, hsp_error *err)
{
    (void)err;
    if (!cli_json(run)) {
        for (size_t i = 0; hsp_learner(i); i++) {
            printf("%s%s: %s\n", i ? "\n" : "", hsp_learner(i)->name, hsp_learner(i)->summary);
            cli_help_table(stdout, "Options", hsp_learner(i));
        }
        return HSP_OK;
    }
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_open(&json, "learners", '[');
    for (size_t i = 0; hsp_learner(i); i++) {
        json_open(&json, NULL, '{');
        json_table(&json, hsp_learner(i));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    json_end(&json);
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
    .keys = learners_keys,
    .examples = learners_examples,
    .least = 0,
    .most = 0,
    .run = learners_run,
};
