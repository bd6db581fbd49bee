/* halfspace kernel check | gram: is an expression a kernel on this data, and its Gram matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KERNEL_ACTION, KERNEL_READ, KERNEL_WRITE };

#define KERNEL_LEADING 10    /* eigenvalues in JSON */
#define KERNEL_SHOWN   5     /* eigenvalues for people */
#define KERNEL_LINES   12    /* of a witness, for people */
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

/* The expression with the columns' numbers as in the file; its rules fitted to the rows that
 * others are measured against. */
static hsp_status kernel_parse(cli *run, kernel_job *job, hsp_error *err)
{
    hsp_data *base = job->against ? job->against : job->data;
    const int allow = hsp_options_flag(run->options[KERNEL_ACTION], "allow-indefinite");
    const hsp_view *view = NULL;
    hsp_status status = hsp_kernel_parse(run->ctx, run->arguments[0], allow,
                                         hsp_data_index_base(base), err, &job->kernel);
    if (status == HSP_OK) status = hsp_data_view(run->ctx, base, err, &view);
    if (status == HSP_OK) status = hsp_kernel_fit(run->ctx, job->kernel, view, err);
    job->start = cli_seconds();
    return status;
}

static hsp_status kernel_open(cli *run, const char *against, kernel_job *job, hsp_error *err)
{
    const hsp_options *read = run->options[KERNEL_READ];
    hsp_kernel *early = NULL;
    double more = 0;
    hsp_status status;
    /* An error in the expression is reported before a large file is read. Columns from 0 are the most
     * that any file has. */
    status = hsp_kernel_parse(run->ctx, run->arguments[0],
                              hsp_options_flag(run->options[KERNEL_ACTION], "allow-indefinite"), 0,
                              err, &early);
    hsp_kernel_free(early);
    if (status == HSP_OK && against)
        status = cli_read(run, against, read, NULL, err, &job->against, &more);
    if (status == HSP_OK)
        status =
            cli_read(run, run->arguments[1], read, against ? hsp_data_encoding(job->against) : NULL,
                     err, &job->data, &job->load);
    job->load += more;
    return status == HSP_OK ? kernel_parse(run, job, err) : status;
}

/* ---- check ---- */

typedef struct kernel_found {
    const kernel_job *job;
    const char *written; /* the file of features, or NULL */
    double quantiles[5];
    uint64_t *rows; /* count, malloc'ed; NULL: all */
    uint64_t count;
    hsp_kernel_verdict *verdict;
    hsp_factor factor;
    hsp_data *features; /* or NULL */
} kernel_found;

/* A given matrix is a kernel or is not, whatever the expression around it. */
static const char *kernel_closure(const hsp_kernel *kernel)
{
    if (hsp_kernel_is_indefinite(kernel)) return "does not make it a kernel";
    return strstr(hsp_kernel_text(kernel), "precomputed")
               ? "makes it a kernel if the given matrix is one"
               : "makes it a kernel on any rows";
}

static int kernel_closed(const hsp_kernel *kernel)
{
    return !hsp_kernel_is_indefinite(kernel) && !strstr(hsp_kernel_text(kernel), "precomputed");
}

/* How many of the largest eigenvalues make up this share of their sum. */
static uint64_t kernel_share(const hsp_kernel_verdict *verdict, double share)
{
    double sum = 0, part = 0;
    uint64_t count = 0;
    for (uint64_t k = 0; k < verdict->rows; k++)
        sum += fmax(verdict->eigenvalues[k], 0);
    while (count < verdict->rows && part < share * sum)
        part += fmax(verdict->eigenvalues[count++], 0);
    return count;
}

static double kernel_trace(const hsp_kernel_verdict *verdict)
{
    double sum = 0;
    for (uint64_t k = 0; k < verdict->rows; k++)
        sum += verdict->eigenvalues[k];
    return sum;
}

/* ---- The results ---- */

GETTER(kernel_expression, kernel_job, job, hsp_kernel_text(job->kernel))
GETTER_NEW(kernel_is_closed, kernel_job, job, int, kernel_closed(job->kernel))
GETTER_NEW(kernel_rows, kernel_job, job, uint64_t, hsp_data_rows(job->data))
GETTER_NEW(kernel_columns, kernel_job, job, uint64_t,
           hsp_data_rows(job->against ? job->against : job->data))

FIELDS(kernel_job_fields, kernel_job,
       FIELD_GET(TEXT, "kernel", NULL, kernel_expression,
                 "the expression, every parameter a number"),
       FIELD_GET(FLAG, "closed", NULL, kernel_is_closed,
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

static const void *kernel_witness_row(const void *record, size_t i, void *room)
{
    const hsp_kernel_verdict *verdict = record;
    if (i >= verdict->witness_count) return NULL;
    *(uint64_t *)room = verdict->witness_row[i] + 1;
    return room;
}

GETTER(kernel_witness_z, hsp_kernel_verdict, verdict,
       i < verdict->witness_count ? &verdict->witness[i] : NULL)

GETTER(kernel_eigenvalue, hsp_kernel_verdict, verdict,
       i < KERNEL_LEADING && i < verdict->rows ? &verdict->eigenvalues[i] : NULL)

GETTER(kernel_witness, hsp_kernel_verdict, verdict, verdict->semidefinite ? NULL : verdict)
GETTER_NEW(kernel_trace_of, hsp_kernel_verdict, verdict, double, kernel_trace(verdict))
GETTER_NEW(kernel_half, hsp_kernel_verdict, verdict, uint64_t, kernel_share(verdict, 0.5))
GETTER_NEW(kernel_most, hsp_kernel_verdict, verdict, uint64_t, kernel_share(verdict, 0.99))

FIELDS(kernel_witness_fields, hsp_kernel_verdict,
       FIELD_GET(LIST, "rows", NULL, kernel_witness_row, "row numbers, from 1",
                 .of = hsp_field_counts),
       FIELD_GET(LIST, "z", NULL, kernel_witness_z, "z at these rows", .of = hsp_field_reals),
       FIELD(REAL, "value", NULL, witness_value, "z'Kz, below 0"))

FIELDS(kernel_verdict_fields, hsp_kernel_verdict,
       FIELD(COUNT, "checked_rows", NULL, rows, "rows of the Gram matrix", .unit = "rows"),
       FIELD(FLAG, "semidefinite", NULL, semidefinite, "no eigenvalue is below -tolerance"),
       FIELD(REAL, "tolerance", NULL, tolerance, "how far rounding may have moved an eigenvalue"),
       FIELD(COUNT, "rank", NULL, rank, "eigenvalues above tolerance"),
       FIELD_GET(LIST, "leading", NULL, kernel_eigenvalue, "the largest eigenvalues, ten at most",
                 .of = hsp_field_reals),
       FIELD_GET(REAL, "trace", NULL, kernel_trace_of, "sum of the eigenvalues"),
       FIELD_GET(COUNT, "half_trace", NULL, kernel_half,
                 "number of largest eigenvalues that sum to 50% of the trace"),
       FIELD_GET(COUNT, "most_trace", NULL, kernel_most,
                 "number of largest eigenvalues that sum to 99% of the trace"),
       FIELD_GET(OBJECT, "witness", NULL, kernel_witness, "z with z'Kz < 0",
                 .when = "null if semidefinite", .of = kernel_witness_fields))

FIELDS(kernel_factor_fields, hsp_factor, FIELD(COUNT, "rank", NULL, rank, "columns of B"),
       FIELD(REAL, "tolerance", NULL, tolerance, "what may be left of the diagonal"),
       FIELD(REAL, "error", NULL, error, "largest |K - B B'|"))

GETTER(kernel_quantile, kernel_found, found,
       i < 5 && found->verdict->rows ? &found->quantiles[i] : NULL)

GETTER(kernel_job_of, kernel_found, found, found->job)
GETTER(kernel_data_of, kernel_found, found, &found->job->data)
GETTER(kernel_verdict_of, kernel_found, found, found->verdict)

FIELDS(kernel_check_fields, kernel_found,
       FIELD_GET(PART, NULL, NULL, kernel_job_of, NULL, .of = kernel_job_fields),
       FIELD_GET(PART, NULL, NULL, kernel_data_of, NULL, .of = cli_numbers_fields),
       FIELD_GET(PART, NULL, NULL, kernel_verdict_of, NULL, .of = kernel_verdict_fields),
       FIELD(REAL, "smallest", NULL, quantiles[0], "smallest eigenvalue"),
       FIELD(REAL, "largest", NULL, quantiles[4], "largest eigenvalue"),
       FIELD_GET(LIST, "quantiles", NULL, kernel_quantile,
                 "quantiles of the eigenvalues: smallest, quarters, largest",
                 .of = hsp_field_reals),
       FIELD(OBJECT, "factor", NULL, factor, "factor K = B B'", .of = kernel_factor_fields),
       FIELD(TEXT, "features", NULL, written, "the file of the rows of B",
             .when = "null without --features, or if not semidefinite"))

static const cli_result kernel_results[] = {{"kernel check", kernel_check_fields, 0, 0},
                                            {"kernel gram", kernel_gram_fields, 0, 0},
                                            {NULL, NULL, 0, 0}};

static hsp_status kernel_json_check(const cli *run, kernel_job *job, kernel_found *found,
                                    hsp_error *err)
{
    const uint64_t n = found->verdict->rows;
    for (uint64_t q = 0; q < 5 && n; q++)
        found->quantiles[q] = found->verdict->eigenvalues[n - 1 - (n - 1) * q / 4];
    found->job = job;
    found->written =
        found->features ? hsp_options_text(run->options[KERNEL_ACTION], "features") : NULL;
    return cli_report(run, kernel_results, found, stdout, err);
}

static void kernel_print_witness(const hsp_kernel_verdict *verdict)
{
    cli_table table;
    printf("\nWitness: z'Kz = %s < 0\n", show_number(verdict->witness_value));
    table_begin(&table, "lr");
    for (uint64_t p = 0; p < verdict->witness_count && p < KERNEL_LINES; p++) {
        table_cell(&table, "row %s", show_count(verdict->witness_row[p] + 1));
        table_cell(&table, "%s", show_number(verdict->witness[p]));
    }
    table_print(&table, stdout);
    if (verdict->witness_count > KERNEL_LINES)
        printf("  and %s more (--json has them all)\n",
               show_count(verdict->witness_count - KERNEL_LINES));
}

static void kernel_print_check(const kernel_job *job, const kernel_found *found)
{
    const hsp_kernel_verdict *verdict = found->verdict;
    const uint64_t n = verdict->rows, shown = n < KERNEL_SHOWN ? n : KERNEL_SHOWN;
    cli_table table;
    table_begin(&table, "ll");
    table_line(&table, "kernel", "%s", show_text(hsp_kernel_text(job->kernel)));
    char *sample = cli_format(", a random sample of %s", show_count(hsp_data_rows(job->data)));
    table_line(&table, "rows", "%s%s%s", show_count(n), found->rows ? sample : "",
               hsp_data_stored_note(job->data));
    free(sample);
    table_line(&table, "closure", "%s", kernel_closure(job->kernel));
    table_line(&table, "positive semidefinite", "%s",
               verdict->semidefinite ? "yes, up to rounding" : "no");
    if (n) {
        table_line(&table, "smallest eigenvalue", "%s", show_number(verdict->eigenvalues[n - 1]));
        table_line(&table, "rounding", "up to %s", show_number(verdict->tolerance));
        char *list = cli_format("%s", show_number(verdict->eigenvalues[0]));
        for (uint64_t k = 1; k < shown; k++) {
            char *longer = cli_format("%s  %s", list, show_number(verdict->eigenvalues[k]));
            free(list);
            list = longer;
        }
        table_line(&table, "largest eigenvalues", "%s", list);
        free(list);
        table_line(&table, "half of the trace", "in the first %s",
                   show_count(kernel_share(verdict, 0.5)));
        table_line(&table, "99% of the trace", "in the first %s",
                   show_count(kernel_share(verdict, 0.99)));
    }
    table_line(&table, "rank", "%s (eigenvalues above rounding)", show_count(verdict->rank));
    if (verdict->semidefinite)
        table_line(&table, "factor K = B B'", "%s column%s, largest error %s",
                   show_count(found->factor.rank), plural(found->factor.rank),
                   show_number(found->factor.error));
    table_print(&table, stdout);
    if (!verdict->semidefinite) kernel_print_witness(verdict);
}

/* Which rows; all of them: NULL. */
static hsp_status kernel_sample(const cli *run, const kernel_job *job, kernel_found *found,
                                hsp_error *err)
{
    const hsp_options *own = run->options[KERNEL_ACTION];
    const uint64_t wanted = (uint64_t)hsp_options_integer(own, "rows");
    found->count = hsp_data_rows(job->data);
    if (wanted == 0 || wanted >= found->count) return HSP_OK;
    found->count = wanted;
    found->rows = cli_memory(NULL, (size_t)wanted * sizeof *found->rows);
    return hsp_data_sample(job->data, wanted, (uint64_t)hsp_options_integer(own, "seed"), err,
                           found->rows);
}

/* What it will take, before it is taken: two matrices, and with features the third. */
static void kernel_announce(const cli *run, const kernel_found *found, int features)
{
    const double n = (double)found->count;
    const double bytes = (features ? 3 : 2) * n * n * (double)sizeof(double);
    const double seconds = KERNEL_SECONDS * n * n * n;
    if (found->count <= KERNEL_MANY) return;
    cli_say(run, "%s rows take %s of memory and about %.0f %s; --rows takes fewer",
            show_count(found->count), show_bytes((uint64_t)bytes),
            seconds < 100 ? seconds : seconds / 60, seconds < 100 ? "seconds" : "minutes");
}

static hsp_status kernel_write_features(cli *run, kernel_found *found, const char *out,
                                        hsp_error *err)
{
    if (!out) return HSP_OK;
    if (!found->verdict->semidefinite) {
        cli_say(run, "%s is not written: without a factor there are no features", show_output(out));
        hsp_data_free(found->features);
        found->features = NULL;
        return HSP_OK;
    }
    return cli_write(run, found->features, out, run->options[KERNEL_WRITE], err);
}

static hsp_status kernel_check(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[KERNEL_ACTION], "features");
    kernel_job job = {.file = run->arguments[1]};
    kernel_found found = {.factor.size = sizeof found.factor};
    hsp_status status = out ? cli_check_output(run, out, err) : HSP_OK;
    if (status == HSP_OK && out) status = cli_check_place(out, err);
    if (status == HSP_OK) status = kernel_open(run, NULL, &job, err);
    if (status == HSP_OK) status = kernel_sample(run, &job, &found, err);
    if (status == HSP_OK) kernel_announce(run, &found, out != NULL);
    if (status == HSP_OK)
        status = hsp_kernel_check(run->ctx, job.kernel, job.data, found.rows, found.count, err,
                                  &found.verdict);
    if (status == HSP_OK)
        status = hsp_kernel_factor(run->ctx, job.kernel, job.data, found.rows, found.count, err,
                                   &found.factor, out ? &found.features : NULL);
    if (status == HSP_OK) status = kernel_write_features(run, &found, out, err);
    if (status == HSP_OK) {
        cli_progress_clear();
        job.seconds = cli_seconds() - job.start;
        if (cli_json(run))
            status = kernel_json_check(run, &job, &found, err);
        else if (!out || strcmp(out, "-") != 0)
            kernel_print_check(&job, &found);
        run->exit_status = found.verdict->semidefinite ? 0 : 1;
    }
    hsp_kernel_verdict_free(found.verdict);
    hsp_data_free(found.features);
    free(found.rows);
    kernel_free(&job);
    return status;
}

/* ---- gram ---- */

static hsp_status kernel_report_gram(const cli *run, kernel_job *job, hsp_error *err)
{
    const uint64_t rows = hsp_data_rows(job->data);
    const uint64_t columns = job->against ? hsp_data_rows(job->against) : rows;
    cli_say(run, "wrote %s: %s value%s of %s, %s per row", show_output(job->output),
            show_count(rows * columns), plural(rows * columns),
            show_text(hsp_kernel_text(job->kernel)), show_count(columns));
    job->seconds = cli_seconds() - job->start;
    return cli_report(run, &kernel_results[1], job, stdout, err);
}

static hsp_status kernel_gram(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[KERNEL_ACTION], "output");
    const char *against = hsp_options_text(run->options[KERNEL_ACTION], "against");
    kernel_job job = {.file = run->arguments[1]};
    if (!out) return cli_fail(err, HSP_USAGE, "-o", "is missing");
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = cli_check_place(out, err);
    if (status == HSP_OK) status = kernel_open(run, against, &job, err);
    cli_begin_output();
    if (status == HSP_OK)
        status = hsp_kernel_gram_write(run->ctx, job.kernel, job.data, job.against, out,
                                       run->options[KERNEL_WRITE], err);
    job.second = against;
    job.output = out;
    if (status == HSP_OK) status = kernel_report_gram(run, &job, err);
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
