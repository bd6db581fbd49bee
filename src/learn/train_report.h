/* The figures of a training, from those of its problems of two classes. */
#ifndef HSP_LEARN_TRAIN_REPORT_H
#define HSP_LEARN_TRAIN_REPORT_H

#include "learn/learner.h"

/* Sum up train->tasks in train->run. */
void hsp__train_report(hsp__train *train);

#endif
