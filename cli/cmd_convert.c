/* halfspace convert DATA OUT: the same rows in another format. */
#include "cli.h"

enum { CONVERT_OWN, CONVERT_READ, CONVERT_WRITE };

CLI_OPTIONS(convert_options, "convert",
            {"save-encoding", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
             "CSV: save the encoding of the columns, for later files"})

static const cli_group convert_groups[] = {{"Options", convert_options},
                                           {"Reading options", hsp_read_options},
                                           {"Output options", hsp_write_options},
                                           {NULL, NULL}};

typedef struct convert {
    const char *file, *output, *encoding;
    hsp_data *data;
    double load_seconds, write_seconds;
} convert;

FIELDS(convert_fields, convert, FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(TEXT, "output", NULL, output, "the file written"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_data_fields),
       FIELD(TEXT, "encoding", NULL, encoding, "the file of the encoding",
             .when = "null without --save-encoding"),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read"),
       FIELD(SECONDS, "write_seconds", NULL, write_seconds, "time to write"))

static const cli_result convert_results[] = {{"convert", convert_fields, 0, 0}, {NULL, NULL, 0, 0}};

static hsp_status convert_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[CONVERT_OWN];
    convert all = {.file = run->arguments[0],
                   .output = run->arguments[1],
                   .encoding = hsp_options_text(own, "save-encoding")};
    hsp_options *read = run->options[CONVERT_READ], *write = run->options[CONVERT_WRITE];
    hsp_status status = cli_check_output(run, all.output, err);
    if (status == HSP_OK && cli_writes_text(write, all.output))
        status = hsp_read_keep_decimals(read, err);
    if (status == HSP_OK)
        status = cli_read(run, all.file, read, NULL, err, &all.data, &all.load_seconds);
    cli_begin_output(all.encoding ? NULL : all.output);
    if (status == HSP_OK && all.encoding)
        status = hsp_data_encoding(all.data)
                     ? hsp_encoding_write(run->ctx, hsp_data_encoding(all.data), all.encoding, err)
                     : cli_fail(err, HSP_USAGE, "--save-encoding",
                                "%s is not CSV: its columns were numbers already", all.file);
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_data_rewrite(run->ctx, all.data, all.file, read, all.output, write, err);
    all.write_seconds = cli_seconds() - start;
    if (status == HSP_OK && !cli_json(run))
        cli_say(run, "wrote %s: %s row%s, %s feature%s, %s class%s", show_output(all.output),
                show_count(hsp_data_rows(all.data)), plural(hsp_data_rows(all.data)),
                show_count(hsp_data_cols(all.data)), plural(hsp_data_cols(all.data)),
                show_count(hsp_data_classes(all.data)),
                hsp_data_classes(all.data) == 1 ? "" : "es");
    if (status == HSP_OK) status = cli_report(run, convert_results, &all, stdout, err);
    hsp_data_free(all.data);
    return status;
}

static const cli_term convert_arguments[] = {
    {"DATA", "the file to read; - is standard input. "
             "Several text files are read one after the other"},
    {"OUT", "the file to write, its format by the name's ending (.svm .libsvm .csv .tsv .hsp, then "
            ".gz .bz2 .xz .zst); - is standard output"},
    {NULL, NULL}};

static const cli_term convert_examples[] = {
    {"halfspace convert train.csv train.hsp", "a binary file that opens at once"},
    {"halfspace convert --label 1 wine.csv -", "libsvm text on standard output"},
    {"halfspace convert train.csv train.svm --save-encoding e.json",
     "save the encoding of categories"},
    {"halfspace convert later.csv later.svm --encoding e.json", "and use it on a later file"},
    {NULL, NULL}};

const cli_command cli_convert = {
    .name = "convert",
    .summary = "write a data file in another format",
    .synopsis = "DATA... OUT [options]",
    .description =
        "Read a data file and write the same rows in another format: libsvm text, CSV, TSV, or "
        "the binary format that is mapped into memory instead of read.\n\nCategorical columns of "
        "a CSV file become numbers. The encoding can be saved and applied to other files, so "
        "that the same category always becomes the same column.\n\nFrom text to text every "
        "number keeps its value, unless --precision asks for rounding: a number with more digits "
        "than double precision holds is copied as written, and the file is read twice for this. "
        "A pipe cannot be read twice; then a warning counts the numbers that change. A binary "
        "file keeps the precision chosen by reading.",
    .arguments = convert_arguments,
    .groups = convert_groups,
    .results = convert_results,
    .examples = convert_examples,
    .least = 2,
    .most = 2,
    .several = 1,
    .run = convert_run,
};
