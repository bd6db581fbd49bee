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

static const cli_term kernel_keys[] = {
    {"kernel", "the expression, every parameter a number"},
    {"closed", "the rules of closure make it a kernel on any data"},
    {"file, rows", "the data file, as it was named, and how many rows it has"},
    {"numbers", "check: " CLI_NUMBERS_KEY},
    {"checked_rows", "check: rows that were looked at"},
    {"semidefinite", "check: no eigenvalue is below -tolerance"},
    {"smallest, largest", "check: eigenvalues"},
    {"tolerance", "check: how far rounding may have moved an eigenvalue"},
    {"rank", "check: eigenvalues above tolerance"},
    {"leading", "check: the largest eigenvalues, ten at most"},
    {"quantiles", "check: of the eigenvalues: smallest, quarters, largest"},
    {"trace, half_trace, most_trace",
     "check: sum of the eigenvalues; how many of them, largest first, make up 50% and 99% of it"},
    {"witness", "check: null, or rows (from 1), z there, and value: z'Kz < 0"},
    {"factor", "check: of K = B B': rank (columns of B), tolerance, error: the largest |K - B B'|"},
    {"features", "check: the file given to --features, or null"},
    {"against, columns", "gram: the second data file, or null; values a row"},
    {"output", "gram: the file that was written"},
    {"load_seconds, seconds", "time to read, and for the rest"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

/* ---- The expression and the rows ---- */

typedef struct kernel_job {
    hsp_data *data, *against; /* against: or NULL */
    hsp_kernel *kernel;
    double load, start;
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

static void kernel_json_witness(cli_json_writer *json, const hsp_kernel_verdict *verdict)
{
    if (verdict->semidefinite) {
        json_text(json, "witness", NULL);
        return;
    }
    json_open(json, "witness", '{');
    json_open(json, "rows", '[');
    for (uint64_t p = 0; p < verdict->witness_count; p++)
        json_count(json, NULL, verdict->witness_row[p] + 1);
    json_close(json, ']');
    json_numbers(json, "z", verdict->witness, verdict->witness_count);
    json_number(json, "value", verdict->witness_value);
    json_close(json, '}');
}

static void kernel_json_check(const cli *run, const kernel_job *job, const kernel_found *found)
{
    const hsp_kernel_verdict *verdict = found->verdict;
    const uint64_t n = verdict->rows;
    double quantiles[5] = {0};
    cli_json_writer json = {.file = stdout};
    for (uint64_t q = 0; q < 5 && n; q++)
        quantiles[q] = verdict->eigenvalues[n - 1 - (n - 1) * q / 4];
    json_open(&json, NULL, '{');
    json_text(&json, "kernel", hsp_kernel_text(job->kernel));
    json_flag(&json, "closed", kernel_closed(job->kernel));
    json_text(&json, "file", run->arguments[1]);
    json_count(&json, "rows", hsp_data_rows(job->data));
    json_stored(&json, job->data);
    json_count(&json, "checked_rows", n);
    json_flag(&json, "semidefinite", verdict->semidefinite);
    json_number(&json, "smallest", quantiles[0]);
    json_number(&json, "largest", quantiles[4]);
    json_number(&json, "tolerance", verdict->tolerance);
    json_count(&json, "rank", verdict->rank);
    json_numbers(&json, "leading", verdict->eigenvalues, n < KERNEL_LEADING ? n : KERNEL_LEADING);
    json_numbers(&json, "quantiles", quantiles, n ? 5 : 0);
    json_number(&json, "trace", kernel_trace(verdict));
    json_count(&json, "half_trace", kernel_share(verdict, 0.5));
    json_count(&json, "most_trace", kernel_share(verdict, 0.99));
    kernel_json_witness(&json, verdict);
    json_open(&json, "factor", '{');
    json_count(&json, "rank", found->factor.rank);
    json_number(&json, "tolerance", found->factor.tolerance);
    json_number(&json, "error", found->factor.error);
    json_close(&json, '}');
    json_text(&json, "features",
              found->features ? hsp_options_text(run->options[KERNEL_ACTION], "features") : NULL);
    json_seconds(&json, "load_seconds", job->load);
    json_seconds(&json, "seconds", cli_seconds() - job->start);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
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
    kernel_job job = {0};
    kernel_found found = {0};
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
        if (cli_json(run))
            kernel_json_check(run, &job, &found);
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

static void kernel_report_gram(const cli *run, const kernel_job *job, const char *out)
{
    const char *against = hsp_options_text(run->options[KERNEL_ACTION], "against");
    const uint64_t rows = hsp_data_rows(job->data);
    const uint64_t columns = against ? hsp_data_rows(job->against) : rows;
    cli_progress_clear();
    cli_say(run, "wrote %s: %s value%s of %s, %s per row", show_output(out),
            show_count(rows * columns), plural(rows * columns),
            show_text(hsp_kernel_text(job->kernel)), show_count(columns));
    if (!cli_json(run)) return;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "kernel", hsp_kernel_text(job->kernel));
    json_flag(&json, "closed", kernel_closed(job->kernel));
    json_text(&json, "file", run->arguments[1]);
    json_count(&json, "rows", rows);
    json_text(&json, "against", against);
    json_count(&json, "columns", columns);
    json_text(&json, "output", out);
    json_seconds(&json, "load_seconds", job->load);
    json_seconds(&json, "seconds", cli_seconds() - job->start);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status kernel_gram(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[KERNEL_ACTION], "output");
    const char *against = hsp_options_text(run->options[KERNEL_ACTION], "against");
    kernel_job job = {0};
    if (!out) return cli_fail(err, HSP_USAGE, "-o", "is missing");
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = cli_check_place(out, err);
    if (status == HSP_OK) status = kernel_open(run, against, &job, err);
    cli_begin_output();
    if (status == HSP_OK)
        status = hsp_kernel_gram_write(run->ctx, job.kernel, job.data, job.against, out,
                                       run->options[KERNEL_WRITE], err);
    if (status == HSP_OK) kernel_report_gram(run, &job, out);
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
    .keys = kernel_keys,
    .examples = kernel_examples,
    .least = 2,
    .most = 2,
    .run = kernel_run,
    .variant = kernel_action,
    .variant_word = "action",
    .variant_synopsis = "EXPR DATA [options]",
};
