/* The framework around generators: rows into memory, or as text into a file of any size. */
#include "data/generate.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/threads.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/output.h"
#include "data/sweep.h"

enum { GENERATORS = 6 };

static const hsp__generator *const generators[GENERATORS] = {
    &hsp__generate_separable, &hsp__generate_halfspace,   &hsp__generate_moons,
    &hsp__generate_xor,       &hsp__generate_disjunction, &hsp__generate_text};

const hsp_option_table *hsp_generator(size_t i)
{
    return i < GENERATORS ? generators[i]->table : NULL;
}

/* ---- A run ----------------------------------------------------------------------------------- */

hsp_status hsp__generate_direction(hsp_context *ctx, hsp__generation *run, hsp_error *err)
{
    hsp__random random;
    hsp__random_seed(&random, run->seed, HSP__GENERATE_TRUTH);
    run->weights = hsp__new(&ctx->allocator, run->cols, sizeof *run->weights);
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

static void generate_end(hsp_context *ctx, hsp__generation *run)
{
    for (int i = 0; i < HSP__GENERATE_KEPT; i++)
        hsp__free(&ctx->allocator, run->kept[i]);
    hsp__free(&ctx->allocator, run->weights);
}

/* Read the options, draw the truth and tell it. generate_end follows, also after a failure. */
static hsp_status generate_start(hsp_context *ctx, const hsp_options *options, hsp_truth_fn truth,
                                 void *user, hsp__generation *run, hsp_error *err)
{
    *run = (hsp__generation){0};
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
    hsp_status status = run->generator->start(ctx, options, run, err);
    if (status || !truth) return status;
    const hsp_truth told = {run->rows,  run->cols,   run->margin,
                            run->noise, run->offset, run->weights};
    truth(user, &told);
    return HSP_OK;
}

static void generate_made_free(hsp_context *ctx, hsp__made *made)
{
    hsp__free(&ctx->allocator, made->indices);
    hsp__free(&ctx->allocator, made->units);
    hsp__free(&ctx->allocator, made->work);
    hsp__free(&ctx->allocator, made->scratch);
    *made = (hsp__made){0};
}

/* Memory for a row in the making; 0 when there is none. */
static int generate_made_new(hsp_context *ctx, const hsp__generation *run, hsp__made *made)
{
    const hsp_allocator *memory = &ctx->allocator;
    const int sparse = run->generator->sparse;
    *made = (hsp__made){0};
    made->indices = hsp__new_raw(memory, sparse ? run->widest : 0, sizeof *made->indices);
    made->units = hsp__new_raw(memory, run->widest, sizeof *made->units);
    made->work = hsp__new_raw(memory, sparse ? 0 : run->cols, sizeof *made->work);
    made->scratch = hsp__new_raw(memory, run->scratch, sizeof *made->scratch);
    if (made->indices && made->units && made->work && made->scratch) return 1;
    generate_made_free(ctx, made);
    return 0;
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

static void generate_store(generate_memory *job, uint64_t i, const hsp__made *made)
{
    const hsp__generation *run = job->run;
    const int sparse = run->generator->sparse, decimals = run->generator->decimals;
    hsp_data *data = job->data;
    uint64_t at = sparse ? data->starts[i] : i * data->view.stride;
    data->labels[i] = (uint32_t)made->label;
    if (sparse && made->count)
        memcpy(data->indices + at, made->indices, made->count * sizeof *made->indices);
    if (run->ones) return;
    float *values = (float *)data->values + at;
    for (uint64_t k = 0; k < made->count; k++)
        values[k] = generate_value(made->units[k], decimals);
}

static void generate_part(void *user, uint64_t part)
{
    generate_memory *job = user;
    hsp__made made;
    if (!generate_made_new(job->ctx, job->run, &made)) {
        atomic_store(&job->failed, 1);
        return;
    }
    uint64_t to = hsp__part(job->run->rows, job->parts, part + 1);
    for (uint64_t i = hsp__part(job->run->rows, job->parts, part); i < to; i++) {
        generate_row(job->run, i, &made);
        if (job->counting) {
            job->starts[i + 1] = made.count;
            continue;
        }
        generate_store(job, i, &made);
        for (uint64_t k = 0; !job->run->generator->sparse && k < made.count; k++)
            job->nonzeros[part] += made.units[k] != 0;
    }
    generate_made_free(job->ctx, &made);
}

/* Sparse rows are made twice: to count, and to store. Making is cheaper than keeping. */
static hsp_status generate_sweep(generate_memory *job, int counting, hsp_error *err)
{
    job->counting = counting;
    hsp_status status = hsp__sweep(job->ctx, counting ? "counting" : "making", job->run->rows,
                                   job->parts, generate_part, job, err);
    return !status && atomic_load(&job->failed) ? hsp__fail_memory(err) : status;
}

static hsp_status generate_count(generate_memory *job, hsp_error *err, uint64_t *stored)
{
    const uint64_t rows = job->run->rows;
    job->starts = hsp__new_raw(&job->ctx->allocator, rows + 1, sizeof *job->starts);
    if (!job->starts) return hsp__fail_memory(err);
    HSP__TRY(generate_sweep(job, 1, err));
    job->starts[0] = 0;
    for (uint64_t i = 0; i < rows; i++)
        job->starts[i + 1] += job->starts[i];
    *stored = job->starts[rows];
    return HSP_OK;
}

static hsp_status generate_name_classes(hsp_data *data, hsp_error *err)
{
    uint32_t number;
    if (hsp__names_add(&data->class_names, "-1", 2, &number) &&
        hsp__names_add(&data->class_names, "1", 1, &number))
        return HSP_OK;
    return hsp__fail_memory(err);
}

static hsp_status generate_fill(generate_memory *job, hsp_error *err)
{
    const hsp__generation *run = job->run;
    const int sparse = run->generator->sparse;
    uint64_t stored = 0;
    HSP__TRY(sparse ? generate_count(job, err, &stored) : HSP_OK);
    hsp_storage storage = sparse ? run->ones ? HSP_ONES : HSP_SPARSE : HSP_DENSE;
    HSP__TRY(hsp__data_shape(job->ctx, storage, HSP_FLOAT32, run->rows, run->cols, stored, 1, err,
                             &job->data));
    if (sparse) memcpy(job->data->starts, job->starts, (run->rows + 1) * sizeof *job->starts);
    hsp_status status = generate_sweep(job, 0, err);
    if (!status) status = generate_name_classes(job->data, err);
    if (status) return status;
    for (uint64_t part = 0; part < job->parts; part++)
        job->data->nonzeros += job->nonzeros[part];
    hsp__data_seal(job->data);
    return HSP_OK;
}

static hsp_status generate_in_memory(hsp_context *ctx, const hsp__generation *run, hsp_error *err,
                                     hsp_data **out)
{
    generate_memory job = {.ctx = ctx, .run = run};
    job.parts = hsp__parts(run->rows, 16 + run->usual * 8);
    job.nonzeros = hsp__new(&ctx->allocator, job.parts, sizeof *job.nonzeros);
    hsp_status status = job.nonzeros ? generate_fill(&job, err) : hsp__fail_memory(err);
    if (status)
        hsp_data_free(job.data);
    else
        *out = job.data;
    hsp__free(&ctx->allocator, job.nonzeros);
    hsp__free(&ctx->allocator, job.starts);
    return status;
}

hsp_status hsp_data_make(hsp_context *ctx, const hsp_options *options, hsp_truth_fn truth,
                         void *user, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, options, out);
    hsp__generation run;
    hsp_status status = generate_start(ctx, options, truth, user, &run, err);
    if (!status) status = generate_in_memory(ctx, &run, err, out);
    generate_end(ctx, &run);
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

#define GENERATE_BATCH       32 /* blocks made at a time */
#define GENERATE_BLOCK_BYTES ((uint64_t)128 << 10)
#define GENERATE_ENTRY_BYTES (12 + HSP__DECIMAL_MAX) /* the most that one entry needs */

typedef struct generate_slot {
    hsp__text text;
    hsp__made made;
} generate_slot;

/* Two batches of blocks take turns: one is written while the other is made. */
typedef struct generate_file {
    const hsp__generation *run;
    char separator; /* CSV, TSV; 0: libsvm */
    hsp__output *output;
    uint64_t block_rows, first_block;
    generate_slot *making, *writing; /* GENERATE_BATCH each */
    uint64_t writing_count;
    hsp_status written; /* what became of the batch being written, */
    hsp_error *written_err;
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

/* The most bytes that a row can need. */
static uint64_t generate_row_bytes(const generate_file *job, const hsp__made *made)
{
    return 16 + made->count * GENERATE_ENTRY_BYTES + (job->separator ? 2 * job->run->cols : 0);
}

static void generate_block(generate_file *job, uint64_t block, generate_slot *slot)
{
    const hsp__generation *run = job->run;
    uint64_t from = (job->first_block + block) * job->block_rows, to = from + job->block_rows;
    if (to > run->rows) to = run->rows;
    slot->text.size = 0;
    for (uint64_t i = from; i < to; i++) {
        generate_row(run, i, &slot->made);
        char *room = hsp__text_room(&slot->text, generate_row_bytes(job, &slot->made));
        if (!room) return;
        char *end = job->separator ? generate_put_csv(job, &slot->made, room)
                                   : generate_put_libsvm(job, &slot->made, room);
        slot->text.size += (size_t)(end - room);
    }
}

static void generate_write_batch(generate_file *job)
{
    for (uint64_t i = 0; !job->written && i < job->writing_count; i++) {
        const hsp__text *text = &job->writing[i].text;
        job->written =
            text->failed ? hsp__fail_memory(job->written_err)
                         : hsp__output_write(job->output, text->data, text->size, job->written_err);
    }
}

/* The first task writes what was made before, the others make blocks. */
static void generate_task(void *user, uint64_t task)
{
    generate_file *job = user;
    if (task == 0)
        generate_write_batch(job);
    else
        generate_block(job, task - 1, &job->making[task - 1]);
}

static hsp_status generate_stream(hsp_context *ctx, generate_file *job, hsp_error *err)
{
    const uint64_t rows = job->run->rows;
    const uint64_t blocks = rows / job->block_rows + (rows % job->block_rows != 0);
    for (uint64_t first = 0; first < blocks || job->writing_count; first += GENERATE_BATCH) {
        uint64_t left = first < blocks ? blocks - first : 0;
        uint64_t batch = left < GENERATE_BATCH ? left : GENERATE_BATCH;
        job->first_block = first;
        hsp__tasks_run(ctx, batch + 1, generate_task, job);
        if (job->written) return job->written;
        generate_slot *made = job->making;
        job->making = job->writing;
        job->writing = made;
        job->writing_count = batch;
        uint64_t done = (first + batch) * job->block_rows;
        if (batch) {
            HSP__TRY(hsp__progress(ctx, "making", "rows", done < rows ? done : rows, rows, err));
        }
    }
    return HSP_OK;
}

/* The names that hsp_data_write gives to columns without names. */
static hsp_status generate_header(hsp_context *ctx, const generate_file *job, hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    for (uint64_t j = 0; j < job->run->cols; j++) {
        char *room = hsp__text_room(&text, HSP__DECIMAL_MAX + 2);
        if (!room) break;
        *room++ = 'x';
        size_t size = hsp__decimal_print_u64(j + 1, room);
        room[size] = job->separator;
        text.size += size + 2;
    }
    hsp__text_puts(&text, "label\n");
    hsp_status status = text.failed ? hsp__fail_memory(err)
                                    : hsp__output_write(job->output, text.data, text.size, err);
    hsp__text_free(&text);
    return status;
}

static hsp_status generate_with_slots(hsp_context *ctx, generate_file *job, generate_slot *slots,
                                      hsp_error *err)
{
    const hsp__generation *run = job->run;
    uint64_t entries = job->separator ? run->usual * 8 + run->cols * 2 : run->usual * 12;
    job->block_rows = GENERATE_BLOCK_BYTES / (entries + 4) + 1;
    job->making = slots;
    job->writing = slots + GENERATE_BATCH;
    job->written_err = err;
    for (int i = 0; i < 2 * GENERATE_BATCH; i++)
        if (!generate_made_new(ctx, run, &slots[i].made)) return hsp__fail_memory(err);
    hsp_status status = job->separator ? generate_header(ctx, job, err) : HSP_OK;
    return status ? status : generate_stream(ctx, job, err);
}

static hsp_status generate_as_text(hsp_context *ctx, const hsp__generation *run, const char *path,
                                   char separator, hsp_error *err)
{
    generate_file job = {.run = run, .separator = separator};
    generate_slot *slots = hsp__new(&ctx->allocator, 2 * GENERATE_BATCH, sizeof *slots);
    if (!slots) return hsp__fail_memory(err);
    for (int i = 0; i < 2 * GENERATE_BATCH; i++)
        hsp__text_init(&slots[i].text, &ctx->allocator);
    hsp_status status = hsp__output_open(ctx, path, err, &job.output);
    if (!status) status = generate_with_slots(ctx, &job, slots, err);
    if (!status) status = hsp__output_commit(job.output, err);
    hsp__output_free(job.output);
    for (int i = 0; i < 2 * GENERATE_BATCH; i++) {
        hsp__text_free(&slots[i].text);
        generate_made_free(ctx, &slots[i].made);
    }
    hsp__free(&ctx->allocator, slots);
    return status;
}

static hsp_status generate_as_cache(hsp_context *ctx, const hsp__generation *run, const char *path,
                                    hsp_error *err)
{
    hsp_data *data = NULL;
    hsp_status status = generate_in_memory(ctx, run, err, &data);
    if (!status) status = hsp__cache_write(ctx, data, path, err);
    hsp_data_free(data);
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
    if (!status && strcmp(format, "hsp") == 0)
        status = generate_as_cache(&own, &run, path, err);
    else if (!status)
        status = generate_as_text(&own, &run, path,
                                  (char)(strcmp(format, "csv") == 0   ? ','
                                         : strcmp(format, "tsv") == 0 ? '\t'
                                                                      : 0),
                                  err);
    generate_end(ctx, &run);
    return status;
}
