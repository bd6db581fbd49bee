#include "base/base.h"
#include "learn/erm/erm.h"

#include "learn/multiclass/reduce.h"

/* The start's scorer for a task, and whether its sign is turned; -1: it has none. */
static int64_t warm_start_scorer(const hsp__train *train, const hsp__task *task, int *turned)
{
    const hsp_model *start = train->start;
    const hsp__names *ours = &train->prepared.data->class_names;
    const char *name = hsp__names_get(ours, task->problem.positive);
    const uint32_t theirs = hsp__names_find(&start->class_names, name, strlen(name));
    *turned = 0;
    if (theirs == HSP__NAME_NONE || start->class_names.count != ours->count) return -1;
    if (train->count > 1) return theirs;
    *turned = theirs == 0;
    return 0;
}

/* Has the start the same classes, in the same order? */
static int warm_start_same_classes(const hsp__train *train)
{
    const hsp__names *ours = &train->prepared.data->class_names;
    const hsp__names *theirs = &train->start->class_names;
    int same = ours->count == theirs->count;
    for (uint32_t c = 0; same && c < ours->count; c++)
        same = strcmp(hsp__names_get(ours, c), hsp__names_get(theirs, c)) == 0;
    return same;
}

static int warm_start_same_data(const hsp__train *train)
{
    const char *hash = hsp_model_metadata(train->start, "data_hash");
    return hash && strcmp(hash, train->hash) == 0;
}

hsp_status hsp__warm_start_check(const hsp__train *train, hsp_error *err)
{
    const hsp_model *start = train->start;
    int turned;
    if (train->plan.kernel) { /* only rows are shared: a model of the same data, as many scorers */
        if (!warm_start_same_classes(train) || start->scorers != train->count ||
            start->hypothesis == HSP__VOTES)
            return hsp__fail(
                err, HSP_USAGE,
                "the warm-start model has other classes or another multi-class form than this run");
        if (!warm_start_same_data(train))
            hsp__log(train->ctx, HSP_LOG_NOTE,
                     "the warm-start model was trained on other rows; with a kernel it cannot be "
                     "used, and training starts from zero");
        return HSP_OK;
    }
    if (hsp__reduce_pairs(train)) {
        if (start->pairs && !start->constant && start->hypothesis == HSP__LINEAR &&
            start->features == train->prepared.view->cols && warm_start_same_classes(train))
            return HSP_OK;
        return hsp__fail(err, HSP_USAGE,
                         "one-vs-one needs a warm-start model with the same pairs of classes and "
                         "the same columns");
    }
    if (start->hypothesis != HSP__LINEAR || start->pairs)
        return hsp__fail(err, HSP_USAGE,
                         "the warm-start model is not linear with one score per class");
    for (uint32_t c = 0; c < train->count; c++)
        if (warm_start_scorer(train, &train->tasks[c], &turned) < 0)
            return hsp__fail(err, HSP_USAGE,
                             "the warm-start model has other classes than the data: '%.60s' of %u "
                             "classes is missing",
                             hsp__names_get(&train->prepared.data->class_names,
                                            train->tasks[c].problem.positive),
                             (unsigned)train->prepared.view->classes);
    return HSP_OK;
}

/* Dual weights are of rows, so of the same data only. */
static void warm_start_rows(const hsp__train *train, uint32_t scorer, double sign,
                            const hsp__problem *p, double *dual)
{
    const hsp_row_coefficients *kept = &train->start->updates;
    const uint64_t *place = train->prepared.place;
    if (!warm_start_same_data(train)) return;
    for (uint64_t k = 0, i = 0; k < kept->count && i < p->view->rows; k++) {
        while (i < p->view->rows && (place ? place[i] : i) < kept->row[k])
            i++;
        if (i < p->view->rows && (place ? place[i] : i) == kept->row[k] &&
            kept->scorer[k] == scorer)
            dual[i] = sign * hsp__problem_y(p, i) * kept->amount[k];
    }
}

/* The coefficients of an expansion, or dual weights that were kept. */
void hsp__warm_start_dual(const hsp__train *train, const hsp__task *task, double *dual)
{
    const hsp__expansion *from = train->start->expansion;
    const uint32_t c = (uint32_t)(task - train->tasks);
    assert(c < train->count);
    const uint64_t n = task->problem.view->rows;
    if (!warm_start_same_data(train)) return;
    if (!from) {
        if (!task->row_numbers) warm_start_rows(train, c, 1, &task->problem, dual);
        return;
    }
    const uint64_t count = from->rows->view.rows;
    for (uint64_t i = 0, k = 0, last = 0; i < n; i++) {
        const uint64_t source = hsp__train_source(&train->kernel, hsp__task_row(task, i));
        if (source < last) k = 0; /* the other class of a pair begins */
        last = source;
        while (k < count && from->source[k] < source)
            k++;
        if (k < count && from->source[k] == source)
            dual[i] = hsp__problem_y(&task->problem, i) * from->coefficients[c * count + k];
    }
}

void hsp__warm_start(const hsp__train *train, const hsp__task *task, hsp__solution *s)
{
    int turned = 0;
    const hsp_model *start = train->start;
    const uint32_t scorer = task->row_numbers ? (uint32_t)(task - train->tasks)
                                              : (uint32_t)warm_start_scorer(train, task, &turned);
    const double sign = turned ? -1 : 1, *w = start->weights + scorer * start->features;
    uint64_t shared = hsp__model_inputs(start);
    if (shared > train->prepared.view->cols) shared = train->prepared.view->cols;
    for (uint64_t j = 0; j < shared; j++)
        s->w[j] = sign * w[j];
    if (train->plan.offset != HSP__OFFSET_NONE) s->b = sign * hsp__model_bias(start, scorer);
    if (!task->row_numbers) warm_start_rows(train, scorer, sign, &task->problem, s->dual);
}
