/* From the classes of a training to problems of two classes, once for every learner.
 *
 *     two classes     one problem, class 1 against class 0
 *     one-vs-rest     one problem per class, on all rows
 *     one-vs-one      one problem per pair of classes (i, j), i < j, j positive, on their rows
 *
 * Problems are independent: with as many of them as threads, a free thread takes the next; fewer
 * are learned one after the other, each with all threads. Each writes only what is its own, so that
 * nothing depends on the threads. One-vs-one copies the rows of a pair while it is learned (a kernel
 * machine looks its rows up instead). */
#ifndef HSP_LEARN_MULTICLASS_REDUCE_H
#define HSP_LEARN_MULTICLASS_REDUCE_H

#include "learn/learner.h"

/* Make train->tasks, with their costs, from the plan and the prepared rows. */
hsp_status hsp__reduce(hsp__train *train, hsp_error *err);
void hsp__reduce_free(hsp__train *train);

/* Learn all tasks by learner->fit, or several together by learner->fit_group. */
hsp_status hsp__reduce_fit(hsp__train *train, hsp_error *err);

/* Is there a task per pair of classes? */
int hsp__reduce_pairs(const hsp__train *train);

/* Only one side of the task has rows: an offset alone puts all of them there. */
void hsp__reduce_alone(const hsp__train *train, hsp__task *task);

/* Why no hyperplane separates: task->evidence from the dual weights, in rows of the data as given.
 * `square`: ||sum a y phi(x)||^2 in a kernel's feature space, else NaN. */
hsp_status hsp__reduce_evidence(const hsp__train *train, hsp_context *ctx, hsp__task *task,
                                const double *dual, double square, hsp_error *err);

/* The task is done: note its support vectors, and keep its dual weights if that was asked for. */
hsp_status hsp__reduce_keep(hsp__train *train, hsp_context *ctx, hsp__task *task, hsp_error *err);

#endif
