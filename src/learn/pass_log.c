#include "learn/pass_log.h"

#include "base/base.h"
#include "data/listing.h"
#include "learn/train.h"

void hsp__pass_log_note(hsp_context *ctx, hsp__pass_log *log, uint64_t passes, double primal,
                        double dual)
{
    if (!log || isnan(primal)) return;
    const double now = hsp__clock();
    if (!log->count) log->begun = log->begun > 0 ? log->begun : now;
    hsp__pass *last = log->count ? &log->list[log->count - 1] : NULL;
    dual = log->unbounded ? (double)NAN : fmax(dual, last ? last->dual : 0);
    passes += log->before;
    if (!last || last->passes != passes) { /* else: another look at the same weights */
        if (!hsp__reserve(&ctx->allocator, &log->list, &log->room, log->count + 1,
                          sizeof *log->list)) {
            log->failed = 1;
            return;
        }
        last = &log->list[log->count++];
    }
    *last = (hsp__pass){passes, primal, dual, now - log->begun};
}

void hsp__pass_log_end(hsp_context *ctx, hsp__pass_log *log, uint64_t passes, double primal,
                       double dual)
{
    if (!log || isnan(primal)) return;
    log->before = 0;
    hsp__pass_log_note(ctx, log, passes, primal, dual);
    if (log->count && !log->unbounded) log->list[log->count - 1].dual = dual;
}

/* What the problem is about: its two classes, one class of more against the rest, or all. */
static void pass_log_problem(const hsp__train *train, uint32_t c, hsp__listing *to)
{
    const hsp_data *data = train->prepared.base;
    const hsp__task *task = &train->tasks[c];
    const uint32_t classes = train->prepared.view->classes;
    if (train->plan.joint && classes > 2) {
        hsp__listing_text(to, "all classes");
        return;
    }
    hsp__text name;
    hsp__text_init(&name, &to->ctx->allocator);
    if (classes > 2 && !task->row_numbers)
        hsp__text_puts(&name, hsp_data_class_name(data, c));
    else
        hsp__text_printf(&name, "%s, %s", hsp_data_class_name(data, task->pair[0]),
                         hsp_data_class_name(data, classes > 2 ? task->pair[1] : 1));
    hsp__listing_text(to, name.failed ? NULL : name.data);
    to->text.failed |= name.failed;
    hsp__text_free(&name);
}

hsp_status hsp__pass_log_write(hsp__train *train, const char *path, hsp_error *err)
{
    static const char *const names[] = {"problem",        "solver", "pass",   "objective",
                                        "dual_objective", "gap",    "seconds"};
    hsp__listing to = {.ctx = train->ctx, .names = names, .columns = sizeof names / sizeof *names};
    hsp_status status = hsp__listing_begin(&to, path, err);
    for (uint32_t c = 0; !status && c < train->count; c++) {
        const hsp__task *task = &train->tasks[c];
        if (task->log.failed) status = hsp__fail_memory(err);
        for (uint64_t i = 0; !status && i < task->log.count; i++) {
            const hsp__pass *pass = &task->log.list[i];
            pass_log_problem(train, c, &to);
            hsp__listing_text(&to, task->solver ? task->solver->name : NULL);
            hsp__listing_number(&to, (double)pass->passes);
            hsp__listing_number(&to, pass->primal * task->lambda);
            hsp__listing_number(&to, pass->dual * task->lambda);
            hsp__listing_number(
                &to, isnan(pass->dual) ? (double)NAN : hsp__gap_relative(pass->primal, pass->dual));
            hsp__listing_number(&to, pass->seconds);
            status = hsp__listing_flush(&to, err);
        }
    }
    return hsp__listing_end(&to, status, err);
}
