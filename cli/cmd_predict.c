/* halfspace predict MODEL DATA: one line a row, the class's name. */
#include "cli.h"

enum { PREDICT_HOW, PREDICT_OWN, PREDICT_READ };

static const hsp_option predict_own[] = {
    {"output", HSP_OPTION_TEXT, "-", 0, 0, NULL, "OUT", "output file; - is standard output"},
};

static const hsp_option_table *predict_options(void)
{
    static const hsp_option_table table = {"predict", "options of predict", predict_own, 1};
    return &table;
}

static const cli_group predict_groups[] = {{"Options", hsp_predict_options},
                                           {"Output options", predict_options},
                                           {"Reading options", hsp_read_options},
                                           {NULL, NULL}};

static const cli_term predict_keys[] = {
    {"model, file, output", "the three files, as they were named"},
    {"rows", "number of rows"},
    {"ties", "rows on the boundary, which are of no class (train --tie zero)"},
    {"seconds", "time to read, predict and write"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void predict_report(const cli *run, const hsp_prediction *done, const char *out,
                           double seconds)
{
    cli_progress_clear();
    cli_say(run, "predicted %s row%s, %s on the boundary", show_count(done->rows),
            plural(done->rows), show_count(done->ties));
    if (!cli_json(run)) return;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "model", run->arguments[0]);
    json_text(&json, "file", run->arguments[1]);
    json_text(&json, "output", out);
    json_count(&json, "rows", done->rows);
    json_count(&json, "ties", done->ties);
    json_seconds(&json, "seconds", seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status predict_run(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[PREDICT_OWN], "output");
    hsp_model *model = NULL;
    hsp_prediction done = {0};
    double start = cli_seconds();
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = cli_check_apart("-o", out, run->arguments[0], err);
    if (status == HSP_OK) status = cli_check_apart("-o", out, run->arguments[1], err);
    if (status == HSP_OK)
        status = cli_read_model(run, run->arguments[0], run->arguments[1], err, &model);
    if (status == HSP_OK) status = hsp_model_set_read(model, run->options[PREDICT_READ], err);
    cli_begin_output();
    if (status == HSP_OK)
        status = hsp_predict_file(run->ctx, model, run->arguments[1], run->options[PREDICT_READ],
                                  run->options[PREDICT_HOW], out, err, &done);
    if (status == HSP_OK) predict_report(run, &done, out, cli_seconds() - start);
    hsp_model_free(model);
    return status;
}

static const cli_term predict_arguments[] = {
    {"MODEL", "the model, as train wrote it"},
    {"DATA", "the rows to predict, with or without labels; - is standard input"},
    {NULL, NULL}};

static const cli_term predict_examples[] = {
    {"halfspace predict model.hsp new.csv", "a class a line"},
    {"halfspace predict model.hsp test.svm --scores -o scores.txt", "and the scores behind it"},
    {"halfspace predict model.hsp test.svm --probability", "and the probability of each class"},
    {"halfspace predict model.hsp test.svm --threshold 0.2",
     "the positive class when its probability is above 0.2"},
    {NULL, NULL}};

const cli_command cli_predict = {
    .name = "predict",
    .summary = "predict the class of each row of a data file",
    .synopsis = "MODEL DATA [options] [-o OUT]",
    .description =
        "Write one line a row, in the order of the rows: the name of its class, 0 for a row on the "
        "boundary of a model that was trained with --tie zero (boundary, if a class is named 0). "
        "Rows are read as the model was "
        "taught: words become the same numbers, and the same scaling is applied. Categories that "
        "were never seen become zeros, and a warning counts them. Any number of rows passes by in "
        "the same memory.",
    .arguments = predict_arguments,
    .groups = predict_groups,
    .keys = predict_keys,
    .examples = predict_examples,
    .least = 2,
    .most = 2,
    .run = predict_run,
};
