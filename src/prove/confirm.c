/* What a learner says of separability, confirmed in exact arithmetic.
 *
 * A learner computes with values in memory, in double precision. "These weights separate the rows"
 * and "no hyperplane separates them" are statements about the numbers of the file: here they are
 * tried on its decimals. The decimals are those in memory if these are exact, else the file is read
 * again. Data that cannot be read again (a pipe, a binary file) is taken as it is in memory.
 *
 * 1. Of a model, the sign of every score is computed (exact_separates.c).
 * 2. Of "not separable", the multipliers of the evidence are solved for exactly (exact_common.c).
 * 3. Where that does not confirm what the learner said, exact arithmetic decides by itself, if the
 *    rows are not too many (separability.c). */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/sized_report.h"
#include "data/decimals.h"
#include "data/scale.h"
#include "learn/prepare.h"
#include "prove/prove.h"

#define CONFIRM_DIGITS ((uint64_t)4 << 20) /* of exact multipliers in all, at most */
#define CONFIRM_WIDTH  0.01                /* of the interval of a margin, relative */

typedef struct confirm {
    hsp_context *ctx;
    hsp__scratch scratch;
    hsp_data *data; /* the rows: as given, or `again` */
    const hsp_data *given;
    hsp_data *again;            /* the file, read again; owned, or NULL */
    hsp__provenance provenance; /* of `again` */
    int offset, scaled;
    hsp__exact_source exact; /* of data; y is that of the problem at hand */
    signed char *side;       /* classes of data: -1, 1, or 0 */
    signed char *y;          /* rows: -1 or 1; 0: not of this problem */
    hsp_confirmation *to;
} confirm;

static hsp_status confirm_why(confirm *m, const char *why)
{
    snprintf(m->to->why, sizeof m->to->why, "%.199s", why);
    return HSP_OK;
}

/* The problem at hand: m->side says which rows. It is of these two classes; NULL: the rest, or all
 * there are. */
static void confirm_take(confirm *m, const char *of, const char *against)
{
    const hsp__names *names = &m->given->class_names;
    for (uint64_t i = 0; i < m->data->view.rows; i++)
        m->y[i] = m->side[m->data->view.labels[i]];
    if (of) m->to->of = hsp__names_get(names, hsp__names_find(names, of, strlen(of)));
    if (against)
        m->to->against = hsp__names_get(names, hsp__names_find(names, against, strlen(against)));
}

/* ---- The numbers ----------------------------------------------------------------------------- */

static hsp_status confirm_read_again(confirm *m, const char *path, const hsp_options *read,
                                     hsp_error *err)
{
    hsp_context quiet = *m->ctx;
    hsp_options *options = NULL;
    const hsp_view *view;
    quiet.log = NULL;
    hsp_status status = read ? hsp_options_copy(m->ctx, read, err, &options)
                             : hsp_options_new(m->ctx, hsp_read_options(), err, &options);
    if (!status) status = hsp_options_set(options, "precision", "double", err);
    if (!status)
        status = hsp__data_read_followed(&quiet, path, options, m->data->encoding, err,
                                         &m->provenance, &m->again);
    if (!status) status = hsp_data_view(m->ctx, m->again, err, &view);
    if (!status &&
        (view->rows != m->data->view.rows ||
         memcmp(view->labels, m->data->view.labels, view->rows * sizeof *view->labels) != 0))
        status =
            hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                         "on second reading the file has other rows: it was changed meanwhile");
    if (!status) m->data = m->again;
    m->exact.longs = m->provenance.longs.all;
    m->exact.long_count = m->provenance.longs.count;
    if (!status) status = hsp__exact_check(&m->exact, path, err);
    hsp_options_free(options);
    return status;
}

static hsp_status confirm_numbers(confirm *m, const char *path, const hsp_options *read,
                                  hsp_error *err)
{
    int there = 1;
    if (!hsp__data_is_exact(m->data)) {
        there = 0;
        if (path) HSP__TRY(hsp__decimals_there(m->ctx, path, err, &there));
        if (there) HSP__TRY(confirm_read_again(m, path, read, err));
    }
    m->exact.stored = !there;
    m->to->decimals = there;
    m->exact.view = &m->data->view;
    m->side = hsp__scratch_new(&m->scratch, m->data->class_names.count, sizeof *m->side);
    m->exact.y = m->y = hsp__scratch_new(&m->scratch, m->data->view.rows, sizeof *m->y);
    return m->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Evidence -------------------------------------------------------------------------------- */

/* Of evidence: the class that it or the options name against the other, or the others; else the
 * two classes there are. */
static hsp_status confirm_sides(confirm *m, const hsp_options *learner,
                                const hsp_evidence *evidence, hsp_error *err)
{
    const hsp__names *names = &m->data->class_names;
    hsp__names keep, positive;
    signed char next = -1; /* the side of the next class, of two */
    HSP__TRY(hsp__prepare_classes(m->ctx, learner, err, &keep));
    const hsp_status status = hsp__prepare_positive(m->ctx, learner, err, &positive);
    const char *one = status           ? NULL
                      : evidence->of   ? evidence->of
                      : positive.count ? hsp__names_get(&positive, 0)
                                       : NULL;
    for (uint32_t c = 0; !status && c < names->count; c++) {
        const char *name = hsp__names_get(names, c), *other = evidence->against;
        if (keep.count && hsp__names_find(&keep, name, strlen(name)) == HSP__NAME_NONE) continue;
        if (!one)
            m->side[c] = next, next = 1;
        else if (strcmp(name, one) == 0)
            m->side[c] = 1;
        else if (!other || strcmp(name, other) == 0)
            m->side[c] = -1;
    }
    if (!status) hsp__names_free(&positive);
    hsp__names_free(&keep);
    return status;
}

/* From the list of a certificate, [[row, "number"], ...], rows from 1, to multipliers that add up
 * to 1 in each class (or to 2 in all). `origin` (or NULL): the rows' numbers in the data. */
static hsp_status confirm_evidence(confirm *m, const hsp__separation *found, const uint64_t *origin,
                                   const signed char *y, hsp_error *err)
{
    const hsp_allocator *memory = &m->ctx->allocator;
    hsp_evidence *made = hsp__owned_new(memory, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    m->to->evidence = made;
    made->row = hsp__new(memory, found->used, sizeof *made->row);
    made->multiplier = hsp__new(memory, found->used, sizeof *made->multiplier);
    const char *of = m->to->of, *against = m->to->against;
    if (of) made->of = hsp__copy_text(memory, of, strlen(of));
    if (against) made->against = hsp__copy_text(memory, against, strlen(against));
    if (!made->row || !made->multiplier || (of && !made->of) || (against && !made->against))
        return hsp__fail_memory(err);
    double total[2] = {0, 0};
    size_t most = 0;
    for (int round = 0; round < 2; round++) {
        made->count = 0;
        for (const char *p = strchr(found->multipliers.data + 1, '['); p; p = strchr(p, '[')) {
            const uint64_t row = strtoull(p + 1, NULL, 10) - 1;
            p = strchr(p, '"') + 1;
            /* a whole number as part * 10^digits */
            const size_t digits = strspn(p, "0123456789"), kept = digits < 18 ? digits : 18;
            uint64_t first;
            hsp__decimal_result read;
            hsp__decimal_u64(p, p + kept, &first, &read);
            const double part = (double)first / pow(10, (double)kept);
            if (round == 0) {
                if (digits > most) most = digits;
                continue;
            }
            const double value = fmax(part * pow(10, (double)digits - (double)most), DBL_MIN);
            total[y[row] > 0] += value;
            made->row[made->count] = row;
            made->multiplier[made->count++] = value;
        }
    }
    assert(made->count == found->used);
    if (!m->offset) total[0] = total[1] = (total[0] + total[1]) / 2;
    for (uint64_t k = 0; k < made->count; k++) {
        made->multiplier[k] /= total[y[made->row[k]] > 0];
        if (origin) made->row[k] = origin[made->row[k]];
    }
    return HSP_OK;
}

/* ---- When the learner's word does not hold --------------------------------------------------- */

/* Exact arithmetic on the rows of the problem alone. */
static hsp_status confirm_decide(confirm *m, hsp_error *err)
{
    const uint64_t n = m->data->view.rows;
    const hsp__exact_source *exact = &m->exact;
    uint64_t *origin = hsp__scratch_new(&m->scratch, n, sizeof *origin), count = 0, longs = 0;
    hsp__prove_file file = {
        .y = hsp__scratch_new(&m->scratch, n, sizeof *file.y),
        .exact.longs = hsp__scratch_new(&m->scratch, exact->long_count, sizeof *file.exact.longs),
        .exact.stored = exact->stored};
    hsp__separation found;
    if (m->scratch.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        if (!m->y[i]) continue;
        file.y[count] = m->y[i];
        file.sides[m->y[i] > 0]++;
        for (; longs < exact->long_count && exact->longs[longs].row <= i; longs++)
            if (exact->longs[longs].row == i) {
                file.exact.longs[file.exact.long_count] = exact->longs[longs];
                file.exact.longs[file.exact.long_count++].row = count;
            }
        origin[count++] = i;
    }
    hsp__separation_init(&found, &m->ctx->allocator);
    hsp_status status = hsp_data_select(m->ctx, m->data, origin, count, err, &file.data);
    if (!status) status = hsp_data_view(m->ctx, file.data, err, &file.rows);
    file.exact.view = file.rows;
    file.exact.y = file.y;
    if (!status)
        status = hsp__separability_find(m->ctx, &file, m->offset, CONFIRM_WIDTH, 1, err, &found);
    if (!status && found.kind == HSP__SEPARABILITY_COMMON) {
        m->to->answer = HSP_NOT_SEPARABLE;
        status = confirm_evidence(m, &found, origin, file.y, err);
    } else if (!status && found.kind == HSP__SEPARABILITY_SEPARABLE) {
        m->to->answer = HSP_SEPARABLE;
        m->to->margin = found.low_value;
    } else if (!status) {
        confirm_why(m, "there are too many rows and columns for exact arithmetic");
    }
    hsp__separation_free(&found);
    hsp_data_free(file.data);
    return status;
}

/* ---- What was said --------------------------------------------------------------------------- */

static hsp_status confirm_model(confirm *m, const hsp_model *model, hsp_error *err)
{
    const hsp__names *names = &m->data->class_names;
    hsp__exact_separator of = {.features = model->features};
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        of.scalings[i] = model->scalings[i];
    for (uint32_t s = 0; s < model->scorers; s++) {
        const uint32_t positive = hsp_model_scorer_for(model, s);
        const uint32_t negative = hsp_model_scorer_against(model, s);
        for (uint32_t c = 0; c < names->count; c++) {
            const uint32_t class = hsp__model_exact_class(model, hsp__names_get(names, c));
            const int against =
                negative == HSP_NO_CLASS ? class != HSP_NO_CLASS : class == negative;
            m->side[c] = class == positive ? 1 : against ? -1 : 0;
        }
        confirm_take(m, NULL, NULL);
        of.w = model->weights + s * model->features;
        of.b = model->offsets[s];
        HSP__TRY(
            hsp__exact_separates(m->ctx, &m->exact, &of, err, &m->to->row, &m->to->wrong_rows));
        if (!m->to->wrong_rows) continue;
        if (model->scorers > 1)
            confirm_take(m, hsp_model_class_name(model, positive),
                         hsp_model_class_name(model, negative));
        return m->scaled && !m->offset ? HSP_OK : confirm_decide(m, err);
    }
    m->to->answer = HSP_SEPARATES;
    return HSP_OK;
}

static hsp_status confirm_no_model(confirm *m, const hsp_options *learner,
                                   const hsp_evidence *evidence, hsp_error *err)
{
    hsp__separation found;
    int shown = 0;
    HSP__TRY(confirm_sides(m, learner, evidence, err));
    confirm_take(m, evidence->of, evidence->against);
    if (m->scaled && !m->offset)
        return confirm_why(
            m,
            "exact arithmetic does not support hyperplanes through the origin of scaled columns");
    hsp__separation_init(&found, &m->ctx->allocator);
    hsp_status status = hsp__exact_common(m->ctx, &m->exact, evidence->row, evidence->count,
                                          m->offset, CONFIRM_DIGITS, err, &found, &shown);
    if (!status && found.multipliers.failed) status = hsp__fail_memory(err);
    if (!status && shown) status = confirm_evidence(m, &found, NULL, m->y, err);
    if (!status && shown) m->to->answer = HSP_NOT_SEPARABLE;
    hsp__separation_free(&found);
    return status || shown ? status : confirm_decide(m, err);
}

/* The option's text; NULL also for a learner without it. */
static const char *confirm_text(const hsp_options *options, const char *name)
{
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return hsp_options_text(options, name);
    return NULL;
}

static int confirm_says(const hsp_options *options, const char *name, const char *value)
{
    const char *text = confirm_text(options, name);
    return text && strcmp(text, value) == 0;
}

/* Why this run is beyond exact arithmetic; NULL: it is not. */
static const char *confirm_beyond(const hsp_data *data, const hsp_options *learner,
                                  const hsp_training *run, const hsp_model *model)
{
    if (!hsp__exact_there()) return "this build is without GMP, which exact arithmetic needs";
    if (confirm_text(learner, "kernel")) return "the separator is in a kernel's feature space";
    if (confirm_says(learner, "normalize", "rows"))
        return "rows are divided by their norms, which may be irrational";
    if (data->row_weights || confirm_text(learner, "row-weight"))
        return "rows have weights of their own";
    if (!model && !run->evidence) return "the run ended before there was an answer";
    if (model && !model->weights) return "the model has no weights";
    return NULL;
}

hsp_status hsp_confirm(hsp_context *ctx, hsp_data *data, const char *path, const hsp_options *read,
                       const hsp_options *learner, const hsp_training *run, const hsp_model *model,
                       hsp_error *err, hsp_confirmation *out)
{
    HSP__NEED(err, ctx, data, learner, run, out);
    HSP__REPORT(err, out, hsp_confirmation);
    const char *beyond = confirm_beyond(data, learner, run, model);
    hsp_data *whole = NULL;
    if (hsp_data_ranks(data)) HSP__TRY(hsp_data_gather(ctx, data, err, &whole));
    if (whole) data = whole;
    hsp_context alone = *ctx; /* every rank has all rows, and does the same work */
    alone.ranks = NULL;
    if (ctx->ranks && path && strstr(path, "{rank}")) path = NULL; /* a part of the rows is there */
    hsp_confirmation found = {.row = UINT64_MAX, .margin = (double)NAN};
    confirm m = {.ctx = &alone,
                 .scratch.memory = &ctx->allocator,
                 .data = data,
                 .given = data,
                 .offset = !confirm_says(learner, "offset", "none"),
                 .scaled = !confirm_says(learner, "scale", "none") ||
                           !confirm_says(learner, "normalize", "none"),
                 .to = &found};
    hsp_error own = {0};
    const hsp_view *view;
    hsp_status status = hsp_data_view(&alone, data, &own, &view);
    if (!status && beyond) {
        confirm_why(&m, beyond);
    } else if (!status) {
        status = confirm_numbers(&m, path, read, &own);
        if (!status)
            status = model ? confirm_model(&m, model, &own)
                           : confirm_no_model(&m, learner, run->evidence, &own);
        hsp__scratch_free(&m.scratch);
        hsp__provenance_free(&m.provenance);
        hsp_data_free(m.again);
    }
    hsp_data_free(whole);
    if (status == HSP_UNSUPPORTED) /* a number that exact arithmetic does not take */
        status = confirm_why(&m, own.message);
    if (status) {
        hsp_evidence_free(found.evidence);
        if (err) *err = own;
        return status;
    }
    hsp__report_give(out, &found, sizeof found);
    return HSP_OK;
}
