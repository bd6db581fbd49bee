/* Where minimising begins when there is a model already. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/erm.h"

/* The start's scorer for problem c, and whether its sign is turned; -1: it has none. */
static int64_t warm_start_scorer(const hsp__erm *batch, uint32_t c, int *turned)
{
    const hsp_model *start = batch->start;
    const hsp__names *ours = &batch->prepared.data->class_names;
    const uint32_t positive = batch->tasks[c].problem.positive;
    const char *name = hsp__names_get(ours, positive);
    const uint32_t theirs = hsp__names_find(&start->class_names, name, strlen(name));
    *turned = 0;
    if (theirs == HSP__NAME_NONE || start->class_names.count != ours->count) return -1;
    if (batch->count > 1) return theirs;
    *turned = theirs == 0;
    return 0;
}

/* With a kernel only rows are shared: a model of the same data, with as many scorers. */
static hsp_status warm_start_check_kernel(const hsp__erm *batch, hsp_error *err)
{
    const hsp_model *start = batch->start;
    const hsp__names *ours = &batch->prepared.data->class_names, *theirs = &start->class_names;
    int same = ours->count == theirs->count && start->scorers == batch->count &&
               start->hypothesis != HSP__VOTES;
    for (uint32_t c = 0; same && c < ours->count; c++)
        same = strcmp(hsp__names_get(ours, c), hsp__names_get(theirs, c)) == 0;
    if (!same)
        return hsp__fail(
            err, HSP_USAGE,
            "the warm-start model has other classes or another multi-class form than this run");
    const char *hash = hsp_model_metadata(start, "data_hash");
    if (!hash || strcmp(hash, batch->hash) != 0)
        hsp__log(batch->ctx, HSP_LOG_NOTE,
                 "the warm-start model was trained on other rows; with a kernel it cannot be used, "
                 "and training starts from zero");
    return HSP_OK;
}

hsp_status hsp__erm_start_check(const hsp__erm *batch, hsp_error *err)
{
    const hsp_model *start = batch->start;
    int turned;
    if (batch->kernel) return warm_start_check_kernel(batch, err);
    if (start->hypothesis != HSP__LINEAR || start->pairs)
        return hsp__fail(err, HSP_USAGE,
                         "the warm-start model is not linear with one score per class");
    for (uint32_t c = 0; c < batch->count; c++)
        if (warm_start_scorer(batch, c, &turned) < 0)
            return hsp__fail(err, HSP_USAGE,
                             "the warm-start model has other classes than the data: '%.60s' of %u "
                             "classes is missing",
                             hsp__names_get(&batch->prepared.data->class_names,
                                            batch->tasks[c].problem.positive),
                             (unsigned)batch->prepared.view->classes);
    return HSP_OK;
}

/* Dual weights are of rows, so of the same data only. */
static void warm_start_dual(const hsp__erm *batch, uint32_t scorer, double sign,
                            const hsp__problem *p, double *dual)
{
    const char *hash = hsp_model_metadata(batch->start, "data_hash");
    const hsp_row_coefficients *kept = &batch->start->updates;
    const uint64_t *place = batch->prepared.place;
    if (!hash || strcmp(hash, batch->hash) != 0) return;
    for (uint64_t k = 0, i = 0; k < kept->count && i < p->view->rows; k++) {
        while (i < p->view->rows && (place ? place[i] : i) < kept->row[k])
            i++;
        if (i < p->view->rows && (place ? place[i] : i) == kept->row[k] &&
            kept->scorer[k] == scorer)
            dual[i] = sign * hsp__problem_y(p, i) * kept->amount[k];
    }
}

/* The coefficients of an expansion, or dual weights that were kept. */
void hsp__erm_start_dual(const hsp__erm *batch, uint32_t c, double *dual)
{
    const hsp__erm_task *task = &batch->tasks[c];
    const hsp__expansion *from = batch->start->expansion;
    const uint64_t n = task->problem.view->rows;
    const char *hash = hsp_model_metadata(batch->start, "data_hash");
    if (!hash || strcmp(hash, batch->hash) != 0) return;
    if (!from) {
        if (!task->list) warm_start_dual(batch, c, 1, &task->problem, dual);
        return;
    }
    const uint64_t count = from->rows->view.rows;
    for (uint64_t i = 0, k = 0, last = 0; i < n; i++) {
        const uint64_t source = hsp__erm_source(batch->kernel, task->list ? task->list[i] : i);
        if (source < last) k = 0; /* the other class of a pair begins */
        last = source;
        while (k < count && from->source[k] < source)
            k++;
        if (k < count && from->source[k] == source)
            dual[i] = hsp__problem_y(&task->problem, i) * from->coefficients[c * count + k];
    }
}

void hsp__erm_start(const hsp__erm *batch, uint32_t c, hsp__solution *s)
{
    int turned;
    const hsp_model *start = batch->start;
    const uint32_t scorer = (uint32_t)warm_start_scorer(batch, c, &turned);
    const double sign = turned ? -1 : 1, *w = start->weights + scorer * start->features;
    uint64_t shared = hsp__model_inputs(start);
    if (shared > batch->prepared.view->cols) shared = batch->prepared.view->cols;
    for (uint64_t j = 0; j < shared; j++)
        s->w[j] = sign * w[j];
    if (batch->plan->offset != HSP__OFFSET_NONE) s->b = sign * hsp__model_bias(start, scorer);
    warm_start_dual(batch, scorer, sign, &batch->tasks[c].problem, s->dual);
}
