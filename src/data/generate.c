/* The framework around generators: rows into memory, or as text into a file of any size. */
#include "data/generate.h"

#include <stdatomic.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/output.h"
#include "data/sweep.h"

enum { GENERATORS = 7 };

static const hsp__generator *const generators[GENERATORS] = {
    &hsp__generate_separable, &hsp__generate_halfspace, &hsp__generate_moons,
    &hsp__generate_rings,     &hsp__generate_xor,       &hsp__generate_disjunction,
    &hsp__generate_text};

const hsp_option_table *hsp_generator(size_t i)
{
    return i < GENERATORS ? generators[i]->table : NULL;
}

/* ---- A run ----------------------------------------------------------------------------------- */

hsp_status hsp__generate_direction(hsp__generation *run, hsp_error *err)
{
    hsp__random random;
    hsp__random_seed(&random, run->seed, HSP__GENERATE_TRUTH);
    run->weights = hsp__scratch_new(&run->memory, run->cols, sizeof *run->weights);
    if (!run->weights) return hsp__fail_memory(err);
    double squares = 0;
    for (uint64_t j = 0; j < run->cols; j++) {
        run->weights[j] = hsp__random_normal(&random);
        squares += run->weights[j] * run->weights[j];
    }
    for (uint64_t j = 0; j < run->cols; j++)
        run->weights[j] /= sqrt(squares);
    return HSP_OK;
}

/* Read the options, draw the truth and tell it. The caller frees run->memory, also after a failure. */
static hsp_status generate_start(hsp_context *ctx, const hsp_options *options, hsp_truth_fn truth,
                                 void *user, hsp__generation *run, hsp_error *err)
{
    *run = (hsp__generation){.memory.memory = &ctx->allocator};
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; i < GENERATORS; i++)
        if (generators[i]->table == table) run->generator = generators[i];
    if (!run->generator)
        return hsp__fail(err, HSP_USAGE, "the options of '%s' are not those of a generator",
                         table->name);
    run->rows = (uint64_t)hsp_options_integer(options, "rows");
    run->cols = (uint64_t)hsp_options_integer(options, "features");
    run->seed = (uint64_t)hsp_options_integer(options, "seed");
    run->truth_wanted = truth != NULL;
    run->widest = run->usual = run->cols;
    HSP__TRY(run->generator->start(options, run, err));
    const hsp_truth told = {run->rows,  run->cols,   run->margin,
                            run->noise, run->offset, run->weights};
    if (truth) truth(user, &told);
    return HSP_OK;
}

/* Memory for a row in the making; scratch->failed when there is none. */
static hsp__made generate_made_new(const hsp__generation *run, hsp__scratch *scratch)
{
    const int sparse = run->generator->sparse;
    return (hsp__made){.indices =
                           hsp__scratch_raw(scratch, sparse ? run->widest : 0, sizeof(uint32_t)),
                       .units = hsp__scratch_raw(scratch, run->widest, sizeof(int32_t)),
                       .work = hsp__scratch_raw(scratch, sparse ? 0 : run->cols, sizeof(double)),
                       .scratch = hsp__scratch_raw(scratch, run->scratch, sizeof(uint32_t))};
}

static void generate_row(const hsp__generation *run, uint64_t i, hsp__made *made)
{
    hsp__random random;
    hsp__random_seed(&random, run->seed, i);
    made->count = run->cols;
    run->generator->row(run, &random, made);
}

/* The float32 that the text of a value reads back to. The quotient is exact to a double, and a
 * decimal of few digits is never so near the middle of two floats that rounding twice matters. */
static float generate_value(int32_t units, int decimals)
{
    return (float)((double)units / hsp__decimal_tens[decimals]);
}

/* ---- In memory ------------------------------------------------------------------------------- */

typedef struct generate_memory {
    hsp_context *ctx;
    const hsp__generation *run;
    hsp_data *data;
    uint64_t parts;
    uint64_t *starts;   /* sparse: rows + 1: entries of row i - 1; later where row i starts */
    uint64_t *nonzeros; /* parts */
    int counting;
    atomic_int failed; /* no memory */
} generate_memory;

static void generate_part(void *user, uint64_t part)
{
    generate_memory *job = user;
    const hsp__generation *run = job->run;
    const int sparse = run->generator->sparse, decimals = run->generator->decimals;
    hsp_data *data = job->data;
    hsp__scratch scratch = {.memory = &job->ctx->allocator};
    hsp__made made = generate_made_new(run, &scratch);
    if (scratch.failed) atomic_store(&job->failed, 1);
    uint64_t to = hsp__part(run->rows, job->parts, part + 1);
    for (uint64_t i = hsp__part(run->rows, job->parts, part); !scratch.failed && i < to; i++) {
        generate_row(run, i, &made);
        if (job->counting) {
            job->starts[i + 1] = made.count;
            continue;
        }
        const uint64_t at = sparse ? data->starts[i] : i * data->view.stride;
        data->labels[i] = (uint32_t)made.label;
        if (sparse && made.count)
            memcpy(data->indices + at, made.indices, made.count * sizeof *made.indices);
        for (uint64_t k = 0; !run->ones && k < made.count; k++)
            ((float *)data->values)[at + k] = generate_value(made.units[k], decimals);
        for (uint64_t k = 0; !sparse && k < made.count; k++)
            job->nonzeros[part] += made.units[k] != 0;
    }
    hsp__scratch_free(&scratch);
}

/* Sparse rows are made twice: to count, and to store. Making is cheaper than keeping. */
static hsp_status generate_sweep(generate_memory *job, int counting, hsp_error *err)
{
    job->counting = counting;
    HSP__TRY(hsp__sweep(job->ctx, counting ? "counting" : "making", job->run->rows, job->parts,
                        generate_part, job, err));
    return atomic_load(&job->failed) ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status generate_fill(generate_memory *job, hsp_error *err)
{
    const hsp__generation *run = job->run;
    const int sparse = run->generator->sparse;
    uint64_t stored = 0;
    uint32_t number;
    if (sparse) {
        HSP__TRY(generate_sweep(job, 1, err));
        stored = hsp__starts_from_counts(job->starts, run->rows);
    }
    hsp_storage storage = sparse ? run->ones ? HSP_ONES : HSP_SPARSE : HSP_DENSE;
    HSP__TRY(hsp__data_shape(job->ctx, storage, HSP_FLOAT32, run->rows, run->cols, stored, 1, err,
                             &job->data));
    if (sparse) memcpy(job->data->starts, job->starts, (run->rows + 1) * sizeof *job->starts);
    HSP__TRY(generate_sweep(job, 0, err));
    if (!hsp__names_add(&job->data->class_names, "-1", 2, &number) ||
        !hsp__names_add(&job->data->class_names, "1", 1, &number))
        return hsp__fail_memory(err);
    for (uint64_t part = 0; part < job->parts; part++)
        job->data->nonzeros += job->nonzeros[part];
    hsp__data_seal(job->data);
    return HSP_OK;
}

static hsp_status generate_in_memory(hsp_context *ctx, const hsp__generation *run, hsp_error *err,
                                     hsp_data **out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    generate_memory job = {.ctx = ctx, .run = run};
    job.parts = hsp__parts(run->rows, 16 + run->usual * 8);
    job.nonzeros = hsp__scratch_new(&scratch, job.parts, sizeof *job.nonzeros);
    if (run->generator->sparse)
        job.starts = hsp__scratch_raw(&scratch, run->rows + 1, sizeof *job.starts);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : generate_fill(&job, err);
    hsp__scratch_free(&scratch);
    HSP__GIVE(status, job.data, hsp_data_free, out);
}

hsp_status hsp_data_make(hsp_context *ctx, const hsp_options *options, hsp_truth_fn truth,
                         void *user, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, options, out);
    hsp__generation run;
    hsp_status status = generate_start(ctx, options, truth, user, &run, err);
    if (!status) status = generate_in_memory(ctx, &run, err, out);
    hsp__scratch_free(&run.memory);
    return status;
}

/* ---- As text --------------------------------------------------------------------------------- */

static inline void generate_put_pair(uint32_t pair, char *to)
{
    to[0] = (char)('0' + pair / 10);
    to[1] = (char)('0' + pair % 10);
}

size_t hsp__generate_print(int32_t units, int decimals, char *buffer)
{
    const uint32_t one = hsp__decimal_tens_u32[decimals];
    const uint32_t size = units < 0 ? 0u - (uint32_t)units : (uint32_t)units;
    /* Outside these, the shortest text of the float32 has an exponent or other digits. */
    if (size && (size >= 1000000 || (uint64_t)size * 10000 < one))
        return hsp__decimal_print_f32(generate_value(units, decimals), buffer);
    char *to = buffer;
    if (units < 0) *to++ = '-';
    uint32_t whole = size / one, part = size % one;
    if (whole < 10)
        *to++ = (char)('0' + whole);
    else
        to += hsp__decimal_print_u64(whole, to);
    if (!part) return (size_t)(to - buffer);
    /* Six digits by constant divisors, then the zeros at the end taken back. */
    part *= hsp__decimal_tens_u32[6 - decimals];
    *to++ = '.';
    generate_put_pair(part / 10000, to);
    generate_put_pair(part / 100 % 100, to + 2);
    generate_put_pair(part % 100, to + 4);
    for (to += 6; to[-1] == '0';)
        to--;
    return (size_t)(to - buffer);
}

#define GENERATE_BLOCK_BYTES ((uint64_t)128 << 10)
#define GENERATE_ENTRY_BYTES (12 + HSP__DECIMAL_MAX) /* the most that one entry needs */

typedef struct generate_file {
    const hsp__generation *run;
    char separator; /* CSV, TSV; 0: libsvm */
    hsp__made made[HSP__OUTPUT_SLOTS];
} generate_file;

static char *generate_put_value(const generate_file *job, const hsp__made *made, uint64_t k,
                                char *to)
{
    if (!job->run->ones)
        return to + hsp__generate_print(made->units[k], job->run->generator->decimals, to);
    *to = '1';
    return to + 1;
}

static char *generate_put_label(const hsp__made *made, char *to)
{
    if (!made->label) *to++ = '-';
    *to++ = '1';
    return to;
}

static char *generate_put_libsvm(const generate_file *job, const hsp__made *made, char *to)
{
    const int sparse = job->run->generator->sparse;
    to = generate_put_label(made, to);
    for (uint64_t k = 0; k < made->count; k++) {
        if (!sparse && made->units[k] == 0) continue;
        *to++ = ' ';
        to += hsp__decimal_print_u64((sparse ? made->indices[k] : k) + 1, to);
        *to++ = ':';
        to = generate_put_value(job, made, k, to);
    }
    *to++ = '\n';
    return to;
}

static char *generate_put_csv(const generate_file *job, const hsp__made *made, char *to)
{
    const int sparse = job->run->generator->sparse;
    uint64_t k = 0;
    for (uint64_t j = 0; j < job->run->cols; j++) {
        if (k < made->count && (!sparse || made->indices[k] == j))
            to = generate_put_value(job, made, k++, to);
        else
            *to++ = '0';
        *to++ = job->separator;
    }
    to = generate_put_label(made, to);
    *to++ = '\n';
    return to;
}

static void generate_block(void *user, uint64_t from, uint64_t to, uint64_t slot, hsp__text *text)
{
    generate_file *job = user;
    const hsp__generation *run = job->run;
    hsp__made *made = &job->made[slot];
    for (uint64_t i = from; i < to; i++) {
        generate_row(run, i, made);
        /* the most bytes that a row can need */
        char *room = hsp__text_room(text, 16 + made->count * GENERATE_ENTRY_BYTES +
                                              (job->separator ? 2 * run->cols : 0));
        if (!room) return;
        char *end = job->separator ? generate_put_csv(job, made, room)
                                   : generate_put_libsvm(job, made, room);
        text->size += (size_t)(end - room);
    }
}

static hsp_status generate_as_text(hsp_context *ctx, hsp__generation *run, const char *path,
                                   char separator, hsp_error *err)
{
    generate_file job = {.run = run, .separator = separator};
    const uint64_t entries = separator ? run->usual * 8 + run->cols * 2 : run->usual * 12;
    hsp__output *output = NULL;
    for (int i = 0; i < HSP__OUTPUT_SLOTS; i++)
        job.made[i] = generate_made_new(run, &run->memory);
    if (run->memory.failed) return hsp__fail_memory(err);
    hsp_status status = hsp__output_open(ctx, path, err, &output);
    if (!status && separator) {
        hsp__text text;
        hsp__text_init(&text, &ctx->allocator);
        hsp__csv_write_header(&text, separator, run->cols, NULL, "label");
        status = hsp__output_text(output, &text, err);
        hsp__text_free(&text);
    }
    if (!status)
        status =
            hsp__output_rows(ctx, output, "making", run->rows,
                             GENERATE_BLOCK_BYTES / (entries + 4) + 1, generate_block, &job, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

hsp_status hsp_data_make_file(hsp_context *ctx, const hsp_options *options, const char *path,
                              hsp_truth_fn truth, void *user, hsp_error *err)
{
    HSP__NEED(err, ctx, options, path);
    hsp__generation run;
    const char *format = hsp__format_by_name(path);
    if (!format) format = "libsvm";
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_status status = generate_start(ctx, options, truth, user, &run, err);
    if (!status && strcmp(format, "hsp") == 0) {
        hsp_data *data = NULL;
        status = generate_in_memory(&own, &run, err, &data);
        if (!status) status = hsp__cache_write(&own, data, path, err);
        hsp_data_free(data);
    } else if (!status) {
        const char separator = format[0] == 'c' ? ',' : format[0] == 't' ? '\t' : 0;
        status = generate_as_text(&own, &run, path, separator, err);
    }
    hsp__scratch_free(&run.memory);
    return status;
}
