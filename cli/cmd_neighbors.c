/* halfspace neighbors MODEL DATA: the nearest rows of each row, and how far they are. */
#include "cli.h"

enum { NEIGHBORS_OWN, NEIGHBORS_READ };

CLI_OPTIONS(neighbors_options, "neighbors",
            {"k", HSP_OPTION_INTEGER, NULL, 1, 1e15, NULL, "N",
             "number of neighbours per row; default: as many as vote"},
            {"output", HSP_OPTION_TEXT, "-", 0, 0, NULL, "OUT",
             "output file; - is standard output"})

static const cli_group neighbors_groups[] = {
    {"Options", neighbors_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

static const cli_result neighbors_results[] = {{"neighbors", hsp_neighbors_fields, 1, 0},
                                               {NULL, NULL, 0, 0}};

static hsp_status neighbors_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[NEIGHBORS_OWN];
    const char *out = hsp_options_text(own, "output");
    const uint64_t k = hsp_options_is_set(own, "k") ? (uint64_t)hsp_options_integer(own, "k") : 0;
    hsp_model *model = NULL;
    hsp_prediction done = {.size = sizeof done};
    hsp_status status = cli_check_distinct("-o", out, run->arguments[0], err);
    if (status == HSP_OK) status = cli_check_distinct("-o", out, run->arguments[1], err);
    if (status == HSP_OK)
        status = cli_read_model(run, run->arguments[0], run->arguments[1], err, &model);
    if (status == HSP_OK) status = hsp_model_set_read(model, run->options[NEIGHBORS_READ], err);
    cli_begin_output(out);
    if (status == HSP_OK)
        status = hsp_neighbors_file(
            run->ctx, model, run->arguments[1], run->options[NEIGHBORS_READ], k,
            cli_json(run) ? HSP_NEIGHBORS_JSON : HSP_NEIGHBORS_TEXT, out, err, &done);
    if (status == HSP_OK) {
        cli_progress_clear();
        cli_say(run, "looked for the neighbours of %s row%s", show_count(done.rows),
                plural(done.rows));
    }
    hsp_model_free(model);
    return status;
}

static const cli_term neighbors_arguments[] = {
    {"MODEL", "a model of nearest neighbours, as train knn wrote it"},
    {"DATA", "the query rows, with or without labels; - is standard input. "
             "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term neighbors_examples[] = {
    {"halfspace neighbors model.hsp new.csv", "one line per neighbour"},
    {"halfspace neighbors model.hsp new.csv --k 1 --json", "the nearest one, for machines"},
    {NULL, NULL}};

const cli_command cli_neighbors = {
    .name = "neighbors",
    .summary = "list the nearest training rows of each row of a data file",
    .synopsis = "MODEL DATA... [options] [-o OUT]",
    .description =
        "Write one line per neighbour, nearest first, for each row: the number of the row, the "
        "number of the neighbour in the training data, the distance, and the neighbour's class, "
        "separated by tabs. Row numbers start at 1. Among rows at the same distance, the earlier "
        "one is nearer.\n\nRows are read and scaled as in training. Memory use does not grow "
        "with the number of rows.",
    .arguments = neighbors_arguments,
    .groups = neighbors_groups,
    .results = neighbors_results,
    .examples = neighbors_examples,
    .least = 2,
    .most = 2,
    .several = 2,
    .run = neighbors_run,
};
