/* The voted perceptron's prediction (Freund and Schapire 1999). The run left a sequence of
 * separators; separator t survived c_t examples, and votes for sign(<w_t, x> + b_t) with weight
 * c_t.
 *
 * Separator t is the sum of the updates up to t, so its score is the running sum of
 * amount * <row, x> + offset (of a model with a kernel: amount * k(row, x) + offset): one product
 * with each distinct row that was used, then one addition an update. No weight vector is ever
 * rebuilt. One-vs-rest runs vote apart: each for or against its class. Cost: the non-zeros of the
 * distinct rows, and the updates. */
#include <string.h>

#include "model/model.h"

/* Add `weight` votes for the class of the running scores. */
static void votes_cast(const hsp_model *model, const double *running, double weight, double *scores)
{
    uint32_t chosen = hsp__decide(running, model->scorers, model->tie);
    if (chosen == HSP_NO_CLASS) return;
    if (model->scorers == 1)
        scores[0] += chosen ? weight : -weight;
    else
        scores[chosen] += weight;
}

void hsp__votes_score(const hsp_model *model, const double *x, double *dots, double *running,
                      double *scores)
{
    const hsp_view *rows = &model->votes->rows->view;
    for (uint64_t r = 0; r < rows->rows; r++)
        dots[r] = hsp__row_score(rows, r, x, 0);
    hsp__votes_tally(model, dots, running, scores);
}

/* 1, -1 or (tie zero) 0: what a scorer on its own says. */
static double votes_sign(const hsp_model *model, double score)
{
    const uint32_t chosen = hsp__decide(&score, 1, model->tie);
    return chosen == HSP_NO_CLASS ? 0 : chosen ? 1 : -1;
}

/* Each scorer on its own. A sign that turns after `now` votes: those before it were the old one's,
 * those from there on will be the new one's, so what is noted is (old - new) * now; all votes of
 * the last sign come at the end. Whole numbers, so the sums are exact. */
static void votes_tally_apart(const hsp_model *model, const double *dots, double *running,
                              double *scores)
{
    const hsp__votes *votes = model->votes;
    double now = (double)votes->at_zero;
    for (uint64_t t = 0; t < votes->steps; t++) {
        for (uint64_t u = votes->first[t]; u < votes->first[t + 1]; u++) {
            const uint32_t c = votes->scorer[u];
            const double before = votes_sign(model, running[c]);
            running[c] += votes->amount[u] * dots[votes->support[u]] + votes->offset[u];
            scores[c] += (before - votes_sign(model, running[c])) * now;
        }
        now += (double)votes->survived[t];
    }
    for (uint32_t c = 0; c < model->scorers; c++) {
        scores[c] += votes_sign(model, running[c]) * now;
        if (now > 0) scores[c] /= now;
    }
}

void hsp__votes_tally(const hsp_model *model, const double *dots, double *running, double *scores)
{
    const hsp__votes *votes = model->votes;
    double total = (double)votes->at_zero;
    memset(running, 0, model->scorers * sizeof *running);
    memset(scores, 0, model->scorers * sizeof *scores);
    if (votes->apart) {
        votes_tally_apart(model, dots, running, scores);
        return;
    }
    votes_cast(model, running, total, scores);
    for (uint64_t t = 0; t < votes->steps; t++) {
        for (uint64_t u = votes->first[t]; u < votes->first[t + 1]; u++)
            running[votes->scorer[u]] +=
                votes->amount[u] * dots[votes->support[u]] + votes->offset[u];
        votes_cast(model, running, (double)votes->survived[t], scores);
        total += (double)votes->survived[t];
    }
    for (uint32_t k = 0; total > 0 && k < model->scorers; k++)
        scores[k] /= total;
}
