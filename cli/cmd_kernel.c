/* halfspace kernel check | gram: is an expression a kernel on this data, and its Gram matrix. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KERNEL_ACTION, KERNEL_READ, KERNEL_WRITE };

#define KERNEL_MANY    2500  /* rows that are worth a warning ... */
#define KERNEL_SECONDS 8e-10 /* ... of this many times their cube, measured: 20 s of 3,000 */

#define KERNEL_ALLOW                                                                           \
    {                                                                                          \
        "allow-indefinite", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,                           \
            "accept expressions that are not always kernels: sigmoid, a - b, negative factors" \
    }

static const hsp_option kernel_check_options[] = {
    {"rows", HSP_OPTION_INTEGER, "2000", 0, 1e5, NULL, "N",
     "size of the random sample of rows; 0: all rows. Time grows with its cube"},
    {"seed", HSP_OPTION_INTEGER, "1", 0, 9e15, NULL, "N", "seed of the sample"},
    KERNEL_ALLOW,
    {"features", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "OUT",
     "also write the rows of B, where K = B B', as a data file with the labels"},
};

static const hsp_option kernel_gram_options[] = {
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "OUT", "output file"},
    {"against", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "DATA2",
     "compute the kernel between DATA and DATA2 (for example the training rows)"},
    KERNEL_ALLOW,
};

static const hsp_option_table *kernel_action(size_t i)
{
    static const hsp_option_table actions[] = {
        {"check", "is the Gram matrix positive semidefinite: spectrum, witness, factor",
         kernel_check_options, 4},
        {"gram", "write the Gram matrix, as LIBSVM and the kernel precomputed take it",
         kernel_gram_options, 3},
    };
    return i < sizeof actions / sizeof *actions ? &actions[i] : NULL;
}

static const cli_group kernel_groups[] = {{"Options", NULL},
                                          {"Reading options", hsp_read_options},
                                          {"Output options", hsp_write_options},
                                          {NULL, NULL}};

/* ---- The expression and the rows ---- */

typedef struct kernel_job {
    const char *file, *second, *output; /* second: that of --against, or NULL */
    hsp_data *data, *against;           /* against: or NULL */
    hsp_kernel *kernel;
    double load, start, seconds;
} kernel_job;

static void kernel_free(kernel_job *job)
{
    hsp_kernel_free(job->kernel);
    hsp_data_free(job->data);
    hsp_data_free(job->against);
}

/* Read the rows, and fit the rules of the expression to those that others are measured against. An
 * error in the expression is reported before a large file is read: columns from 0 are the most that
 * any file has. Then the columns have the numbers of the file. */
static hsp_status kernel_open(cli *run, const char *against, kernel_job *job, hsp_error *err)
{
    const hsp_options *read = run->options[KERNEL_READ];
    const int allow = hsp_options_flag(run->options[KERNEL_ACTION], "allow-indefinite");
    const hsp_view *view = NULL;
    double more = 0;
    hsp_status status = hsp_kernel_parse(run->ctx, run->arguments[0], allow, 0, err, &job->kernel);
    if (status == HSP_OK && against)
        status = cli_read(run, against, read, NULL, err, &job->against, &more);
    if (status == HSP_OK)
        status =
            cli_read(run, run->arguments[1], read, against ? hsp_data_encoding(job->against) : NULL,
                     err, &job->data, &job->load);
    if (status != HSP_OK) return status;
    hsp_data *base = job->against ? job->against : job->data;
    job->load += more;
    hsp_kernel_free(job->kernel);
    job->kernel = NULL;
    status = hsp_kernel_parse(run->ctx, run->arguments[0], allow, hsp_data_index_base(base), err,
                              &job->kernel);
    if (status == HSP_OK) status = hsp_data_view(run->ctx, base, err, &view);
    if (status == HSP_OK) status = hsp_kernel_fit(run->ctx, job->kernel, view, err);
    job->start = cli_seconds();
    return status;
}

/* ---- The results ---- */

typedef struct kernel_found {
    kernel_job job;
    uint64_t *rows; /* count, malloc'ed; NULL: all */
    uint64_t count;
    hsp_kernel_report *check;
    hsp_factor factor;
    hsp_data *features;  /* or NULL */
    const char *written; /* the file of features, or NULL */
} kernel_found;

static int kernel_is_given(const hsp_kernel *kernel)
{
    return strstr(hsp_kernel_text(kernel), "precomputed") != NULL;
}

GETTER(kernel_expression, kernel_job, job, hsp_kernel_text(job->kernel))
GETTER_NEW(kernel_closed, kernel_job, job, int,
           !hsp_kernel_is_indefinite(job->kernel) && !kernel_is_given(job->kernel))
GETTER_NEW(kernel_rows, kernel_job, job, uint64_t, hsp_data_rows(job->data))
GETTER_NEW(kernel_columns, kernel_job, job, uint64_t,
           hsp_data_rows(job->against ? job->against : job->data))
/* A given matrix is a kernel or is not, whatever the expression around it. */
GETTER(kernel_closure, kernel_found, found,
       hsp_kernel_is_indefinite(found->job.kernel) ? "does not make it a kernel"
       : kernel_is_given(found->job.kernel)        ? "makes it a kernel if the given matrix is one"
                                                   : "makes it a kernel on any rows")
GETTER_NEW(kernel_sampled, kernel_found, found, uint64_t,
           found->rows ? hsp_data_rows(found->job.data) : UINT64_MAX)
GETTER(kernel_check_of, kernel_found, found, found->check)

FIELDS(kernel_job_fields, kernel_job,
       FIELD_GET(TEXT, "kernel", NULL, kernel_expression,
                 "the expression, every parameter a number"),
       FIELD_GET(FLAG, "closed", NULL, kernel_closed,
                 "the closure rules make it a kernel on any data"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD_GET(COUNT, "rows", NULL, kernel_rows, "its rows", .unit = "rows"),
       FIELD(SECONDS, "load_seconds", NULL, load, "time to read"),
       FIELD(SECONDS, "seconds", NULL, seconds, "time for the rest"))

FIELDS(kernel_gram_fields, kernel_job, FIELD(PART, NULL, NULL, file, NULL, .of = kernel_job_fields),
       FIELD(TEXT, "against", NULL, second, "the second data file",
             .when = "null without --against"),
       FIELD_GET(COUNT, "columns", NULL, kernel_columns, "values per row"),
       FIELD(TEXT, "output", NULL, output, "the file written"))

FIELDS(kernel_check_fields, kernel_found, FIELD_GET(TEXT, ".closure", NULL, kernel_closure, NULL),
       FIELD_GET(COUNT, ".sampled", NULL, kernel_sampled, NULL), CLI_TEXT("kernel", "{kernel}"),
       CLI_TEXT("rows", "{checked_rows}[, a random sample of {.sampled}]{.note}"),
       CLI_TEXT("closure", "{.closure}"),
       FIELD(PART, NULL, NULL, job, NULL, .of = kernel_job_fields),
       FIELD(PART, NULL, NULL, job.data, NULL, .of = cli_numbers_fields),
       FIELD_GET(PART, NULL, NULL, kernel_check_of, NULL, .of = hsp_kernel_check_fields),
       FIELD(OBJECT, "factor", "factor K = B B'", factor, "factor K = B B'",
             .of = hsp_factor_fields,
             .text = "{.semidefinite}{rank:column}, largest error {error}"),
       FIELD(TEXT, "features", NULL, written, "the file of the rows of B",
             .when = "null without --features, or if not semidefinite"))

static const cli_result kernel_results[] = {{"kernel check", kernel_check_fields, 0, 0},
                                            {"kernel gram", kernel_gram_fields, 0, 0},
                                            {NULL, NULL, 0, 0}};

/* ---- check ---- */

/* Which rows, all of them: NULL; and a note on what checking them will take: two matrices, and
 * with features the third. */
static hsp_status kernel_sample(const cli *run, kernel_found *found, int features, hsp_error *err)
{
    const hsp_options *own = run->options[KERNEL_ACTION];
    const uint64_t wanted = (uint64_t)hsp_options_integer(own, "rows");
    hsp_status status = HSP_OK;
    found->count = hsp_data_rows(found->job.data);
    if (wanted > 0 && wanted < found->count) {
        found->count = wanted;
        found->rows = cli_memory(NULL, (size_t)wanted * sizeof *found->rows);
        status = hsp_data_sample(found->job.data, wanted,
                                 (uint64_t)hsp_options_integer(own, "seed"), err, found->rows);
    }
    if (status != HSP_OK || found->count <= KERNEL_MANY) return status;
    const double n = (double)found->count, seconds = KERNEL_SECONDS * n * n * n;
    cli_say(run, "%s rows take %s of memory and about %.0f %s; use --rows for a smaller sample",
            show_count(found->count),
            show_bytes((uint64_t)((features ? 3 : 2) * n * n * (double)sizeof(double))),
            seconds < 100 ? seconds : seconds / 60, seconds < 100 ? "seconds" : "minutes");
    return HSP_OK;
}

static hsp_status kernel_check(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[KERNEL_ACTION], "features");
    kernel_found found = {.job.file = run->arguments[1], .factor.size = sizeof found.factor};
    kernel_job *job = &found.job;
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = kernel_open(run, NULL, job, err);
    if (status == HSP_OK) status = kernel_sample(run, &found, out != NULL, err);
    if (status == HSP_OK)
        status = hsp_kernel_check(run->ctx, job->kernel, job->data, found.rows, found.count, err,
                                  &found.check);
    if (status == HSP_OK)
        status = hsp_kernel_factor(run->ctx, job->kernel, job->data, found.rows, found.count, err,
                                   &found.factor, out ? &found.features : NULL);
    if (status == HSP_OK && found.check->semidefinite) found.written = out;
    if (status == HSP_OK && found.written)
        status = cli_write(run, found.features, out, run->options[KERNEL_WRITE], err);
    else if (status == HSP_OK && out)
        cli_say(run, "%s is not written: without a factor there are no features", show_output(out));
    if (status == HSP_OK) {
        job->seconds = cli_seconds() - job->start;
        if (cli_json(run) || !out || strcmp(out, "-") != 0)
            status = cli_report(run, kernel_results, &found, stdout, err);
        run->exit_status = found.check->semidefinite ? 0 : 1;
    }
    hsp_kernel_report_free(found.check);
    hsp_data_free(found.features);
    free(found.rows);
    kernel_free(job);
    return status;
}

/* ---- gram ---- */

static hsp_status kernel_gram(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[KERNEL_ACTION], "output");
    const char *against = hsp_options_text(run->options[KERNEL_ACTION], "against");
    kernel_job job = {.file = run->arguments[1], .second = against, .output = out};
    if (!out) return cli_fail(err, HSP_USAGE, "-o", "is missing");
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = kernel_open(run, against, &job, err);
    cli_begin_output(out);
    if (status == HSP_OK)
        status = hsp_kernel_gram_write(run->ctx, job.kernel, job.data, job.against, out,
                                       run->options[KERNEL_WRITE], err);
    if (status == HSP_OK) {
        const uint64_t columns = hsp_data_rows(job.against ? job.against : job.data);
        const uint64_t values = hsp_data_rows(job.data) * columns;
        cli_say(run, "wrote %s: %s value%s of %s, %s per row", show_output(out), show_count(values),
                plural(values), show_text(hsp_kernel_text(job.kernel)), show_count(columns));
        job.seconds = cli_seconds() - job.start;
        status = cli_report(run, &kernel_results[1], &job, stdout, err);
    }
    kernel_free(&job);
    return status;
}

static hsp_status kernel_run(cli *run, hsp_error *err)
{
    return strcmp(run->variant->name, "gram") == 0 ? kernel_gram(run, err) : kernel_check(run, err);
}

static const cli_term kernel_arguments[] = {
    {"ACTION", "what to do; without one, they are listed"},
    {"EXPR", "a kernel expression, such as 'rbf(0.5)' or '0.5*rbf(0.1) + linear*poly(2,1)'"},
    {"DATA", "the data file; - is standard input"},
    {NULL, NULL}};

static const cli_term kernel_examples[] = {
    {"halfspace kernel check 'rbf(median)' train.svm", "eigenvalues, rank, factor"},
    {"halfspace kernel check --allow-indefinite 'sigmoid(1,-1)' train.svm",
     "no kernel: a few rows that show it"},
    {"halfspace kernel check 'poly(2,1)' xor.svm --features b.hsp",
     "features that a plain perceptron learns from as the kernel perceptron does"},
    {"halfspace kernel gram 'laplace(0.5)' train.svm -o gram.svm", "for svm-train -t 4"},
    {"halfspace kernel gram 'laplace(0.5)' test.svm --against train.svm -o test-gram.svm",
     "and for svm-predict"},
    {NULL, NULL}};

const cli_command cli_kernel = {
    .name = "kernel",
    .summary = "check a kernel on a data file, or write its Gram matrix",
    .synopsis = "ACTION EXPR DATA [options]",
    .description =
        "check computes the Gram matrix K of all rows, or of a sample, and says whether it is "
        "positive semidefinite: its eigenvalues, its rank, a factor K = B B' with its error. If "
        "it is not, the exit status is 1 and a witness is printed: a few numbers z with z'Kz < "
        "0.\n\ngram writes K as a data file, for learners that take kernel values instead of "
        "rows: LIBSVM's precomputed kernels, and the kernel precomputed. docs/kernels.md "
        "describes expressions.",
    .arguments = kernel_arguments,
    .groups = kernel_groups,
    .results = kernel_results,
    .examples = kernel_examples,
    .least = 2,
    .most = 2,
    .run = kernel_run,
    .variant = kernel_action,
    .variant_word = "action",
    .variant_synopsis = "EXPR DATA [options]",
};
