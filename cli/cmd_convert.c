/* halfspace convert DATA OUT: the same rows in another format. */
#include "cli.h"

enum { CONVERT_OWN, CONVERT_READ, CONVERT_WRITE };

static const hsp_option convert_own[] = {
    {"encoding", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "CSV: read the columns with this saved encoding"},
    {"save-encoding", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "CSV: save the encoding of the columns, for later files"},
};

static const hsp_option_table *convert_options(void)
{
    static const hsp_option_table table = {"convert", "options of convert", convert_own, 2};
    return &table;
}

static const cli_group convert_groups[] = {{"Options", convert_options},
                                           {"Reading options", hsp_read_options},
                                           {"Output options", hsp_write_options},
                                           {NULL, NULL}};

static const cli_term convert_keys[] = {
    {"file, output", "the two files, as they were named"},
    {"rows, features, nonzeros", "numbers of rows, of columns, of entries other than zero"},
    {"storage, precision", "how the rows were in memory"},
    {"precision_reason", "why reading chose double precision, or null"},
    {"encoding", "the file given to --save-encoding, or null"},
    {"load_seconds, write_seconds", "time to read and to write"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void convert_report(const cli *run, const hsp_data *data, const char *saved, double load,
                           double write)
{
    const char *from = run->arguments[0], *to = run->arguments[1];
    cli_progress_clear();
    if (!cli_json(run)) {
        cli_say(run, "wrote %s: %s rows, %s features, %s classes", show_output(to),
                show_count(hsp_data_rows(data)), show_count(hsp_data_cols(data)),
                show_count(hsp_data_classes(data)));
        return;
    }
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", from);
    json_text(&json, "output", to);
    json_data(&json, data, hsp_data_nonzeros(data));
    json_text(&json, "encoding", saved);
    json_seconds(&json, "load_seconds", load);
    json_seconds(&json, "write_seconds", write);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status convert_save_encoding(cli *run, const hsp_data *data, const char *path,
                                        hsp_error *err)
{
    const hsp_encoding *encoding = hsp_data_encoding(data);
    if (!path) return HSP_OK;
    if (!encoding)
        return cli_fail(err, HSP_USAGE, "--save-encoding",
                        "%s is not CSV: its columns were numbers already", run->arguments[0]);
    cli_begin_output();
    return hsp_encoding_write(run->ctx, encoding, path, err);
}

static hsp_status convert_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[CONVERT_OWN];
    const char *apply = hsp_options_text(own, "encoding");
    const char *save = hsp_options_text(own, "save-encoding");
    const char *from = run->arguments[0], *out = run->arguments[1];
    hsp_encoding *encoding = NULL;
    hsp_data *data = NULL;
    double load = 0, start = 0;
    hsp_options *read = run->options[CONVERT_READ];
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK && cli_writes_text(run->options[CONVERT_WRITE], out))
        status = hsp_read_keep_decimals(read, err);
    if (status == HSP_OK && apply) status = hsp_encoding_read(run->ctx, apply, err, &encoding);
    if (status == HSP_OK) status = cli_read(run, from, read, encoding, err, &data, &load);
    if (status == HSP_OK) status = convert_save_encoding(run, data, save, err);
    start = cli_seconds();
    if (status == HSP_OK) {
        cli_begin_output();
        status =
            hsp_data_rewrite(run->ctx, data, from, read, out, run->options[CONVERT_WRITE], err);
    }
    if (status == HSP_OK) convert_report(run, data, save, load, cli_seconds() - start);
    hsp_data_free(data);
    hsp_encoding_free(encoding);
    return status;
}

static const cli_term convert_arguments[] = {
    {"DATA", "the file to read; - is standard input"},
    {"OUT", "the file to write, its format by the name's ending (.svm .libsvm .csv .tsv .hsp, then "
            ".gz .bz2 .xz .zst); - is standard output"},
    {NULL, NULL}};

static const cli_term convert_examples[] = {
    {"halfspace convert train.csv train.hsp", "a binary file that opens at once"},
    {"halfspace convert --label 1 wine.csv -", "libsvm text on standard output"},
    {"halfspace convert train.csv train.svm --save-encoding e.json",
     "keep how words became numbers"},
    {"halfspace convert later.csv later.svm --encoding e.json", "and use it on a later file"},
    {NULL, NULL}};

const cli_command cli_convert = {
    .name = "convert",
    .summary = "write a data file in another format",
    .synopsis = "DATA OUT [options]",
    .description =
        "Read a data file and write the same rows in another format: libsvm text, CSV, TSV, or the "
        "binary file that is mapped into memory instead of read.\n\n"
        "Text columns of a CSV file become numbers on the way. How they did can be saved, and "
        "applied to files that come later, so that the same word always means the same column.\n\n"
        "From text to text every number keeps its value, unless --precision asks for rounding: "
        "one with more digits than double precision holds is written as it stands in the file, "
        "which is read twice for that. A pipe cannot be; then a warning counts the numbers that "
        "change. A binary file keeps the precision that reading chose.",
    .arguments = convert_arguments,
    .groups = convert_groups,
    .keys = convert_keys,
    .examples = convert_examples,
    .least = 2,
    .most = 2,
    .run = convert_run,
};
