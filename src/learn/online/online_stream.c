/* One pass over rows that are never held: memory for the weights of the columns seen, and nothing a
 * row. Blocks come in the order of the file, whoever parsed them, so the walk over them is the walk
 * over the file.
 *
 * Classes are not known beforehand unless the options name them. Two classes are learned with the
 * first one met as the positive one; the rule is symmetric, so if the order of names says otherwise
 * in the end, the sign is changed, and the bits are those of a run that knew. When a third class
 * comes, the separator w of two becomes the pair w and -w, and the rule for more classes takes
 * over. */
#include <stdio.h>

#include "base/base.h"
#include "base/sized_report.h"
#include "data/encode.h"
#include "data/scale.h"
#include "data/stream.h"
#include "learn/option_helpers.h"
#include "learn/multiclass/ovr.h"
#include "learn/online/online_model.h"
#include "learn/prepare.h"
#include "learn/online/online_fit.h"
#include "learn/online/resume.h"
#include "learn/online/running_scale.h"
#include "learn/train.h"
#include "learn/input_checks.h"

typedef struct online_stream_work {
    hsp_context *ctx;
    const hsp__learner *learner;
    const hsp_options *options;
    hsp__names classes; /* of the stream: those given first, then as they come */
    uint32_t given;     /* rows of classes from here on are left out; 0: none were given */
    int rest;           /* two classes: `target` and all others */
    uint32_t target;    /* the positive class among `classes` */
    hsp__ovr ovr;
    hsp_scaling *scalings[HSP__MODEL_SCALINGS];
    hsp_storage storage; /* of the rows met */
    hsp_precision precision;
    hsp__row_origin origin; /* of the rows met */
    uint64_t nonzeros;
    unsigned char *met; /* classes.count: rows of it were used */
    uint64_t met_room, met_count;
    int standard; /* columns are scaled as they come */
    hsp__running_scale running;
    hsp_model *start; /* whose run goes on; NULL: none */
    int enough;       /* a limit was reached: the rest of the stream is not read */
} online_stream_work;

/* ---- What is asked for ----------------------------------------------------------------------- */

static hsp_status online_stream_check(const online_stream_work *work, hsp_error *err)
{
    const hsp_options *options = work->options;
    const int known = work->given || work->rest;
    HSP__TRY(hsp__online_check_stream(work->learner, options, err));
    if (hsp__option_set(options, "passes") && hsp_options_integer(options, "passes") != 1)
        return hsp__fail_option(err, "--passes",
                                "a stream is read once; use --passes 1, or train without --stream");
    if (hsp__option_set(options, "max-passes") && hsp_options_integer(options, "max-passes") != 1)
        return hsp__fail_option(
            err, "--max-passes",
            "a stream is read once; remove --max-passes, or train without --stream");
    if (!known && work->learner->rule->sided)
        return hsp__fail_option(err, "--classes",
                                "%s treats the two classes differently, so a stream needs their "
                                "names; set --classes or --positive",
                                work->learner->table.name);
    if (!known && strcmp(hsp_options_text(options, "tie"), "pos") == 0)
        return hsp__fail_option(err, "--tie",
                                "--tie pos treats the two classes differently, so a stream needs "
                                "their names; set --classes");
    if (!known && work->learner->rule->native &&
        strcmp(hsp_options_text(options, "multiclass"), "ovr") == 0)
        return hsp__fail_option(
            err, "--multiclass",
            "one-vs-rest needs all class names before the first row of a stream; set --classes");
    return HSP_OK;
}

/* The classes of the model whose run goes on. */
static hsp_status online_stream_resume(online_stream_work *work, const char *path, hsp_error *err)
{
    HSP__TRY(hsp_model_read(work->ctx, path, err, &work->start));
    const hsp_model *start = work->start;
    HSP__TRY(hsp__resume_check(work->ctx, work->learner, work->options, start, err));
    if (hsp_options_text(work->options, "classes") || hsp_options_text(work->options, "positive"))
        return hsp__fail_option(err, "--warm-start",
                                "the classes are those of the model; remove --classes and "
                                "--positive");
    uint32_t number;
    const char *positive = hsp__names_get(&start->class_names, 1);
    work->rest = start->rest;
    if (work->rest)
        return hsp__names_add(&work->classes, positive, strlen(positive), &work->target)
                   ? HSP_OK
                   : hsp__fail_memory(err);
    for (uint32_t c = 0; c < start->class_names.count; c++) {
        const char *name = hsp__names_get(&start->class_names, c);
        if (!hsp__names_add(&work->classes, name, strlen(name), &number))
            return hsp__fail_memory(err);
    }
    work->given = start->class_names.count;
    work->target = work->given == 2 ? 1 : 0;
    return HSP_OK;
}

/* The runs, once the classes are known. */
static hsp_status online_stream_begin(online_stream_work *work, hsp_error *err)
{
    HSP__TRY(online_stream_check(work, err));
    work->standard = !work->start && hsp__option_is(work->options, "scale", "standard");
    HSP__TRY(work->start ? hsp__prepare_like(work->ctx, work->start, err, work->scalings)
                         : hsp__prepare_stream(work->ctx, work->options, err, &work->scalings[0]));
    hsp__online_facts facts = {.radius = (double)NAN};
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (work->scalings[i] && hsp__scaling_is_votes(work->scalings[i]))
            facts.votes = work->scalings[i];
    const uint32_t classes = work->given && !work->rest ? work->given : 2;
    HSP__TRY(hsp__ovr_init(&work->ovr, work->ctx, work->learner, work->options, &facts, classes, 0,
                           err));
    hsp__stop_limit(work->ctx, work->ovr.plan.max_seconds);
    for (uint32_t c = 0; c < work->ovr.count; c++)
        work->ovr.runs[c].plan.passes = 1;
    if (classes == 2) work->ovr.runs[0].sep.target = work->target;
    return work->start ? hsp__resume(&work->ovr, work->start, err) : HSP_OK;
}

static hsp_status online_stream_start(online_stream_work *work, hsp_error *err)
{
    hsp__names positive;
    const char *model = hsp__option_text(work->options, "warm-start");
    hsp_status status = HSP_OK;
    if (model) {
        HSP__TRY(online_stream_resume(work, model, err));
        return online_stream_begin(work, err);
    }
    /* Number the classes that the options name, and find the positive one. */
    HSP__TRY(hsp__prepare_classes(work->ctx, work->options, err, &work->classes));
    work->given = work->classes.count;
    HSP__TRY(hsp__prepare_positive(work->ctx, work->options, err, &positive));
    work->target = work->given == 2 ? 1 : 0;
    if (positive.count) {
        const char *name = hsp__names_get(&positive, 0);
        work->rest = 1;
        if (!hsp__names_add(&work->classes, name, strlen(name), &work->target))
            status = hsp__fail_memory(err);
        else if (work->given && work->target >= work->given)
            status =
                hsp__fail_option(err, "--positive", "the class '%s' is not in --classes", name);
    }
    hsp__names_free(&positive);
    return status ? status : online_stream_begin(work, err);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint64_t online_stream_count(const hsp_view *view, uint64_t from, uint64_t to)
{
    uint64_t count = 0;
    if (view->storage != HSP_DENSE) return hsp__view_start(view, to) - hsp__view_start(view, from);
    for (uint64_t i = from; i < to; i++) {
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            count += hsp__row_value(view, &row, k) != 0;
    }
    return count;
}

/* Rows used so far. */
static uint64_t online_stream_seen(const online_stream_work *work)
{
    return work->ovr.count > 1 ? work->ovr.seen : work->ovr.runs[0].done.first_seen;
}

/* Rows from..to-1 were used: note their classes. */
static hsp_status online_stream_meet(online_stream_work *work, const hsp_view *rows, uint64_t from,
                                     uint64_t to, hsp_error *err)
{
    const uint64_t count = work->classes.count;
    if (count > work->met_count) {
        if (!hsp__reserve(&work->ctx->allocator, &work->met, &work->met_room, count, 1))
            return hsp__fail_memory(err);
        memset(work->met + work->met_count, 0, count - work->met_count);
        work->met_count = count;
    }
    for (uint64_t i = from; i < to; i++)
        work->met[rows->labels[i]] = 1;
    return HSP_OK;
}

static int online_stream_over(online_stream_work *work)
{
    int over = 1;
    for (uint32_t c = 0; c < work->ovr.count; c++) {
        hsp__online_tick(&work->ovr.runs[c], 0, 0);
        over &= work->ovr.runs[c].done.stopped;
    }
    return over;
}

static hsp_status online_stream_learn(online_stream_work *work, const hsp_view *rows,
                                      hsp_error *err)
{
    hsp__ovr *ovr = &work->ovr;
    hsp_status status = hsp__ovr_grow(ovr, ovr->classes, rows->cols, err);
    for (uint64_t from = 0, to; !status && !work->enough && from < rows->rows; from = to) {
        /* the rows from here on that can be used as things are */
        const uint32_t below = work->given ? work->given : work->rest ? UINT32_MAX : ovr->classes;
        for (to = from; to < rows->rows && rows->labels[to] < below;)
            to++;
        const uint64_t before = online_stream_seen(work);
        status = hsp__ovr_walk(ovr, rows, from, to, err);
        const uint64_t end = from + (online_stream_seen(work) - before);
        if (!status) status = online_stream_meet(work, rows, from, end, err);
        work->nonzeros += online_stream_count(rows, from, end);
        work->enough = online_stream_over(work);
        if (to == rows->rows || status) continue;
        if (work->given && (!work->start || work->start->leaves_out)) {
            to++; /* of a class that was left out */
        } else if (work->given) {
            const char *name = hsp__names_get(&work->classes, rows->labels[to]);
            char quoted[HSP__QUOTED];
            status = hsp__fail(err, HSP_BAD_DATA,
                               "found the class '%s', which the warm-start model does not have",
                               hsp__quote(name, strlen(name), quoted));
        } else if (work->learner->rule->native) {
            status = hsp__ovr_grow(ovr, rows->labels[to] + 1, rows->cols, err);
        } else { /* one-vs-rest, and a class that no run has learned from the first row on */
            const char *name = hsp__names_get(&work->classes, rows->labels[to]);
            char quoted[HSP__QUOTED];
            status = hsp__fail(err, HSP_USAGE,
                               "found a third class, '%s'; one-vs-rest needs all class names "
                               "before the first row of a stream; set --classes",
                               hsp__quote(name, strlen(name), quoted));
        }
    }
    return status;
}

static hsp_status online_stream_take(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    online_stream_work *work = self;
    (void)worker;
    if (rows->rows == 0) return HSP_OK;
    if (!rows->labels) return hsp__fail(err, HSP_BAD_DATA, "the data has no labels");
    work->storage = rows->storage;
    /* rows are floats, but for blocks with a number that no float holds */
    if (!work->nonzeros || rows->precision < work->precision) work->precision = rows->precision;
    hsp_status status;
    hsp_view standard = {0};
    if (work->standard) {
        HSP__TRY(hsp__running_scale_rows(work->ctx, &work->running, rows, err, &standard));
        work->storage = standard.storage;
        rows = &standard;
    }
    hsp_context quiet = hsp__quiet(work->ctx);
    hsp_data block = {.memory = quiet.allocator, .view = *rows, .checked = 1}, *scaled = NULL;
    block.nonzeros = hsp_view_stored(rows);
    status = HSP_OK;
    for (int i = 0; !status && i < HSP__MODEL_SCALINGS; i++) {
        hsp_data *before = scaled;
        if (!work->scalings[i]) continue;
        scaled = NULL;
        status =
            hsp_scaling_apply(&quiet, work->scalings[i], before ? before : &block, err, &scaled);
        hsp_data_free(before);
    }
    if (!status) status = online_stream_learn(work, scaled ? &scaled->view : rows, err);
    hsp_data_free(scaled);
    if (!status && work->enough) status = hsp__fail(err, HSP_CANCELLED, "a limit was reached");
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The classes of the model, in order; from[c]: class c's number in the stream. The encoding of CSV
 * knows the classes of its label column, in their order. */
static hsp_status online_stream_names(online_stream_work *work, hsp__names *names, uint32_t *from,
                                      hsp_error *err)
{
    hsp_encoding *encoding = work->origin.encoding;
    uint32_t number, *map = hsp__new(&work->ctx->allocator, work->classes.count, sizeof *map);
    int room = map != NULL;
    if (work->rest) {
        const char *positive = hsp__names_get(&work->classes, work->target);
        room = room && hsp__names_add(names, "rest", 4, &number) &&
               hsp__names_add(names, positive, strlen(positive), &number);
    }
    for (uint32_t c = 0; !work->rest && room && c < work->ovr.classes; c++) {
        const char *name = hsp__names_get(&work->classes, c);
        room = hsp__names_add(names, name, strlen(name), &number);
        from[c] = c;
    }
    if (!work->rest && !work->given) {
        room = room && hsp__names_sort(names, map);
        for (uint32_t c = 0; room && c < names->count; c++)
            from[map[c]] = c;
    }
    if (encoding && !encoding->classes.count)
        room = room && hsp__names_copy(&encoding->classes, &work->classes) &&
               hsp__names_sort(&encoding->classes, map);
    hsp__free(&work->ctx->allocator, map);
    return room ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status online_stream_model(online_stream_work *work, hsp_training *run, hsp_error *err,
                                      hsp_model **out)
{
    hsp__ovr *ovr = &work->ovr;
    const hsp__stop_why stopped = hsp__stopped(work->ctx);
    const int none = online_stream_seen(work) == 0;
    const uint32_t count = work->classes.count,
                   named = work->given ? work->given : (uint32_t)work->rest;
    /* Is there something to make a model of? What did not come because the rest was not read is not
     * missed. */
    if (stopped == HSP__STOP_REQUESTED && (none || count < 2))
        return hsp__fail(err, HSP_CANCELLED, "stopped on request before %s",
                         none ? "the first row" : "rows of two classes came");
    if (stopped && (none || count < 2)) return hsp__fail_time_limit(err);
    if (none && count == named) return hsp__fail(err, HSP_BAD_DATA, "the data has no rows");
    HSP__TRY(hsp__prepare_target(&work->classes, online_stream_seen(work), err));
    if (!((work->enough || stopped || work->start) && count > 1)) {
        HSP__TRY(online_stream_meet(work, NULL, 0, 0, err));
        HSP__TRY(hsp__prepare_met(&work->classes, work->met, 0, named, err));
    }
    hsp__names names;
    uint32_t *from = hsp__new(&work->ctx->allocator, ovr->classes, sizeof *from);
    if (!from) return hsp__fail_memory(err);
    hsp__names_init(&names, &work->ctx->allocator);
    hsp_status status = online_stream_names(work, &names, from, err);
    const int two = ovr->classes == 2, flip = two && !work->rest && from[0] == work->target;
    for (uint32_t c = 0; c < ovr->count; c++)
        hsp__online_end(&ovr->runs[c]);
    hsp__ovr_report(ovr, flip, run);
    if (!status && work->standard) { /* before the rows are divided by their norms */
        work->scalings[1] = work->scalings[0];
        work->scalings[0] = NULL;
        status = hsp__running_scale_end(work->ctx, &work->running, ovr->runs[0].sep.features, err,
                                        &work->scalings[0]);
    }
    hsp__model_spec spec = {.learner = work->learner,
                            .options = work->options,
                            .class_names = &names,
                            .feature_names = &work->origin.feature_names,
                            .encoding = work->origin.encoding,
                            .scalings = work->scalings,
                            .rest = work->rest,
                            .leaves_out = work->start ? work->start->leaves_out : work->given > 0,
                            .storage = work->storage,
                            .precision = work->precision,
                            .index_base = work->origin.index_base,
                            .run = run,
                            .tie = ovr->plan.tie,
                            .seed = ovr->plan.seed};
    hsp_context uninterruptible = hsp__stop_none(work->ctx);
    if (!status)
        status = hsp__online_model(&uninterruptible, ovr, two ? NULL : from, flip, NULL, &spec, err,
                                   out);
    if (!status) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)ovr->runs[0].done.examples);
        if (ovr->runs[0].mistake.growth.rate > 0)
            status = hsp__model_set_metadata(*out, "examples", text, err);
        if (!status && work->start) status = hsp__model_add_start(*out, work->start, err);
        if (status) hsp_model_free(*out);
        if (status) *out = NULL;
    }
    hsp__names_free(&names);
    hsp__free(&work->ctx->allocator, from);
    return status;
}

/* In parallel, before rows are used. */
static hsp_status online_stream_values(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    const online_stream_work *work = self;
    (void)worker;
    return hsp__input_checks_check_block(rows, work->scalings[0] != NULL,
                                         &work->origin.feature_names, work->origin.index_base,
                                         HSP__VALUES_STREAM, err);
}

hsp_status hsp_train_stream(hsp_context *ctx, const char *path, const hsp_options *read,
                            const hsp_options *options, hsp_error *err, hsp_training *run,
                            hsp_model **out)
{
    HSP__NEED(err, ctx, path, options, out);
    HSP__REPORT(err, run, hsp_training);
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    const hsp__learner *learner = hsp__learner_of(options);
    online_stream_work work = {.ctx = &own, .learner = learner, .options = options};
    hsp_training made = {.size = sizeof made};
    hsp_error local = {0};
    if (!learner || !learner->rule)
        return hsp__fail(err, HSP_USAGE, "%s does not learn from a stream",
                         hsp_options_table(options)->name);
    hsp__names_init(&work.classes, &ctx->allocator);
    hsp__names_init(&work.origin.feature_names, &ctx->allocator);
    hsp_status status = online_stream_start(&work, &local);
    const double start = hsp__clock();
    if (!status) {
        const hsp__row_sink sink = {.work =
                                        learner->rule->unit_values ? online_stream_values : NULL,
                                    .take = online_stream_take,
                                    .partial = 1,
                                    .origin = &work.origin};
        status = hsp__stream_read(&own, path, read, work.start ? work.start->encoding : NULL,
                                  &work.classes, &sink, &work, &local);
        if (status == HSP_CANCELLED) { /* a wish or a limit: what was learned so far is kept */
            online_stream_over(&work);
            status = HSP_OK;
        }
    }
    if (status && err) *err = local;
    if (!status) {
        made.train_seconds = hsp__clock() - start;
        made.rows = online_stream_seen(&work);
        made.cols = work.ovr.runs[0].sep.features;
        made.nonzeros = work.nonzeros;
        made.training_error = made.radius = (double)NAN;
        status = online_stream_model(&work, &made, err, out);
    }
    hsp__ovr_free(&work.ovr);
    hsp__names_free(&work.classes);
    hsp__names_free(&work.origin.feature_names);
    hsp_encoding_free(work.origin.encoding);
    hsp__free(&ctx->allocator, work.met);
    hsp_model_free(work.start);
    hsp__running_scale_free(ctx, &work.running);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        hsp_scaling_free(work.scalings[i]);
    made.has_experts = made.experts.count > 0;
    made.has_convergence = made.convergence.solver != NULL;
    if (!status) hsp__report_give(run, &made, sizeof made);
    return status ? status : hsp__train_status(&own, err);
}
