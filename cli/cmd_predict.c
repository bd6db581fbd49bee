/* halfspace predict MODEL DATA: one line per row, the name of the class. */
#include "cli.h"

enum { PREDICT_HOW, PREDICT_OWN, PREDICT_READ };

CLI_OPTIONS(predict_options, "predict",
            {"output", HSP_OPTION_TEXT, "-", 0, 0, NULL, "OUT",
             "output file; - is standard output"})

static const cli_group predict_groups[] = {{"Options", hsp_predict_options},
                                           {"Output options", predict_options},
                                           {"Reading options", hsp_read_options},
                                           {NULL, NULL}};

typedef struct predict {
    const char *model, *file, *output;
    hsp_prediction done;
    double seconds;
} predict;

FIELDS(predict_fields, predict, FIELD(TEXT, "model", NULL, model, "the model file"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(TEXT, "output", NULL, output, "the file of predictions"),
       FIELD(COUNT, "rows", NULL, done.rows, "rows predicted", .unit = "rows"),
       FIELD(COUNT, "ties", NULL, done.ties,
             "rows on the boundary, which get no class (train --tie zero)", .unit = "rows"),
       FIELD(COUNT, "bad_rows", NULL, done.bad,
             "rows that could not be read, which get no class (--on-error skip)", .unit = "rows"),
       FIELD(SECONDS, "seconds", NULL, seconds, "time to read, predict and write"))

static const cli_result predict_results[] = {{"predict", predict_fields, 0, 0}, {NULL, NULL, 0, 0}};

static hsp_status predict_run(cli *run, hsp_error *err)
{
    predict all = {.done.size = sizeof all.done,
                   .model = run->arguments[0],
                   .file = run->arguments[1],
                   .output = hsp_options_text(run->options[PREDICT_OWN], "output")};
    hsp_model *model = NULL;
    const double start = cli_seconds();
    hsp_status status = cli_check_output(run, all.output, err);
    if (status == HSP_OK) status = cli_check_distinct("-o", all.output, all.model, err);
    if (status == HSP_OK) status = cli_check_distinct("-o", all.output, all.file, err);
    if (status == HSP_OK) status = cli_read_model(run, all.model, all.file, err, &model);
    if (status == HSP_OK) status = hsp_model_set_read(model, run->options[PREDICT_READ], err);
    cli_begin_output(all.output);
    if (status == HSP_OK)
        status = hsp_predict_file(run->ctx, model, all.file, run->options[PREDICT_READ],
                                  run->options[PREDICT_HOW], all.output, err, &all.done);
    all.seconds = cli_seconds() - start;
    hsp_model_free(model);
    if (status != HSP_OK) return status;
    char bad[96] = "";
    if (all.done.bad)
        snprintf(bad, sizeof bad, "; %s row%s could not be read", show_count(all.done.bad),
                 plural(all.done.bad));
    cli_say(run, "predicted %s row%s, %s on the boundary%s", show_count(all.done.rows),
            plural(all.done.rows), show_count(all.done.ties), bad);
    return cli_report(run, predict_results, &all, stdout, err);
}

static const cli_term predict_arguments[] = {
    {"MODEL", "the model, as train wrote it"},
    {"DATA", "the rows to predict, with or without labels; - is standard input. "
             "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term predict_examples[] = {
    {"halfspace predict model.hsp new.csv", "one class per line"},
    {"halfspace predict model.hsp test.svm --scores -o scores.txt", "and the scores"},
    {"halfspace predict model.hsp test.svm --probability", "and the probability of each class"},
    {"halfspace predict model.hsp test.svm --threshold 0.2",
     "the positive class when its probability is above 0.2"},
    {"halfspace predict model.hsp new.csv --output-format csv --keep id -o answers.csv",
     "a table: id, class, score and probabilities"},
    {NULL, NULL}};

const cli_command cli_predict = {
    .name = "predict",
    .summary = "predict the class of each row of a data file",
    .synopsis = "MODEL DATA... [options] [-o OUT]",
    .description =
        "Write one line per row, in the order of the rows: the name of its class; 0 for a row on "
        "the boundary of a model that was trained with --tie zero (boundary, if a class is named "
        "0). Rows are encoded and scaled as in training. Categories that the training data did "
        "not have become zeros, and a warning counts them. Rows that cannot be read end the run, "
        "or, "
        "with --on-error skip, are answered without a class. Rows of a pipe are answered as they "
        "come. Memory use does not grow with the "
        "number of rows.",
    .arguments = predict_arguments,
    .groups = predict_groups,
    .results = predict_results,
    .examples = predict_examples,
    .least = 2,
    .most = 2,
    .several = 2,
    .ranks = 1,
    .run = predict_run,
};
