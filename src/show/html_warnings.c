/* The warnings of a report: what a reader should know before trusting its figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "show/html_page.h"

#define WARNINGS_UNBALANCED 10    /* largest class to smallest */
#define WARNINGS_OVERFIT    0.005 /* that the true error is above the training error */
#define WARNINGS_FEW        30    /* rows */
#define WARNINGS_ALONE      0.9   /* share of what was learned that rests on one column */

static void warnings_training(hsp__page *page)
{
    const char *converged = hsp_model_metadata(page->model, "converged");
    if (!hsp_model_metadata(page->model, "learner"))
        hsp__page_warn(page, "The model has no record of its training: how it was made, and on "
                             "which rows, is not known.");
    if (converged && strcmp(converged, "true") != 0)
        hsp__page_warn(page, "Training did not converge: the weights may be far from those that "
                             "the learner aims at. Allow more passes, or scale the columns.");
    if (page->test.path && page->data.trained == HSP__TRAINED_NO)
        hsp__page_warn(page, "The data is not what the model was trained on (its checksum "
                             "differs), so nothing here compares training with test rows.");
}

static void warnings_rows(hsp__page *page)
{
    const hsp__page_rows *rows = page->measured;
    const hsp_evaluation *all = &rows->all;
    char ranks[120] = "";
    if (isfinite(all->auc))
        snprintf(ranks, sizeof ranks, " How well it ranks them is another question: its AUC is %s.",
                 hsp__shown_digits(all->auc, 3).text);
    if (rows->trained == HSP__TRAINED_YES)
        hsp__page_warn(page,
                       "All measures are of rows that the model was trained on: they say how "
                       "well it fits them, not how it will do on new rows.%s",
                       page->test.path ? " The test file has the training rows: give others."
                                       : " Give test rows with --test.");
    if (rows->view->rows < WARNINGS_FEW)
        hsp__page_warn(page, "There are only %llu rows to measure on: look at the intervals.",
                       (unsigned long long)rows->view->rows);
    if (all->only_class != HSP_NO_CLASS)
        hsp__page_warn(page,
                       "Every row is predicted as '%.60s'. Train with --weight balanced, or "
                       "choose a threshold (eval --threshold).",
                       hsp__page_class(page, all->only_class));
    else if (isfinite(all->majority_error) && all->error >= all->majority_error &&
             all->majority_error > 0)
        hsp__page_warn(page,
                       "By its error, the model is no better than always predicting '%.60s': it is "
                       "wrong on %s of the rows, that on %s.%s",
                       hsp__page_class(page, all->majority_class),
                       hsp__shown_share(all->error).text,
                       hsp__shown_share(all->majority_error).text, ranks);
}

/* Classes that are rare, or that have no rows to measure on. */
static void warnings_classes(hsp__page *page)
{
    const hsp__page_rows *rows = page->measured;
    uint64_t least = UINT64_MAX, most = 0, none = 0;
    uint32_t rare = 0, frequent = 0, missing = 0;
    for (uint32_t c = page->classes; c-- > 0;) {
        const uint64_t count = hsp_evaluated_class_rows(rows->evaluated, c, NULL);
        if (!count) none++, missing = c;
        if (count && count <= least) least = count, rare = c;
        if (count >= most) most = count, frequent = c;
    }
    if (none == 1)
        hsp__page_warn(page,
                       "No row of '%.200s' has the class '%.60s': nothing is known of how "
                       "well it is found.",
                       rows->path, hsp__page_class(page, missing));
    else if (none)
        hsp__page_warn(page,
                       "No row of '%.200s' has one of %llu classes, such as '%.60s': nothing "
                       "is known of how well they are found.",
                       rows->path, (unsigned long long)none, hsp__page_class(page, missing));
    if (most && least != UINT64_MAX && most >= WARNINGS_UNBALANCED * least)
        hsp__page_warn(page,
                       "The classes are unbalanced: '%.60s' has %s of the rows, '%.60s' %s. "
                       "Accuracy alone says little: look at recall and AUC.",
                       hsp__page_class(page, frequent),
                       hsp__shown_share((double)most / (double)rows->view->rows).text,
                       hsp__page_class(page, rare),
                       hsp__shown_share((double)least / (double)rows->view->rows).text);
}

/* What may be wrong with the data itself. */
static void warnings_data(hsp__page *page)
{
    const hsp_totals *all = hsp_summary_totals(page->summary);
    const hsp_finding *finding;
    if (all->contradictory_rows)
        hsp__page_warn(page,
                       "%s %s of '%.200s' equal a row of another class: no model is right on "
                       "all of them.",
                       hsp__shown_count(all->contradictory_rows).text,
                       hsp__html_plural(all->contradictory_rows, "row", "rows"), page->data.path);
    if (all->duplicate_rows * 20 > all->rows)
        hsp__page_warn(page,
                       "%s %s of '%.200s' equal an earlier row: if it was split at random, "
                       "copies are on both sides.",
                       hsp__shown_count(all->duplicate_rows).text,
                       hsp__html_plural(all->duplicate_rows, "row", "rows"), page->data.path);
    /* what the model was trained with despite it: columns that should be left out */
    for (uint64_t i = 0; (finding = hsp_profile_finding(page->profile, i)); i++)
        if (finding->option && strcmp(finding->option, "ignore") == 0 &&
            hsp__page_uses(page, finding->value) - 1 < UINT64_MAX - 1)
            hsp__page_warn(page, "%s The model uses it: train with %.200s.", finding->sentence,
                           finding->argument);
}

/* Signs of answers among the columns, and of test rows among the training rows. */
static void warnings_leaks(hsp__page *page)
{
    const hsp_evaluation *all = &page->measured->all;
    const hsp_importance *one, *first = NULL, *second = NULL;
    for (uint64_t i = 0; (one = hsp_importances_at(page->importances, i)); i++) {
        if (!first || one->mean > first->mean)
            second = first, first = one;
        else if (!second || one->mean > second->mean)
            second = one;
    }
    const double learned = all->majority_error - all->error;
    if (first && second && all->error <= 0.05 && learned > 0.05 &&
        first->mean >= WARNINGS_ALONE * learned && second->mean <= 0.1 * first->mean)
        hsp__page_warn(page,
                       "Almost everything rests on the column '%.60s' alone: check that it "
                       "does not hold the answer, or something known only after it.",
                       first->name);
    if (page->bounds && page->bounds->overfits &&
        page->bounds->test_lower > page->data.all.error + WARNINGS_OVERFIT)
        hsp__page_warn(page,
                       "The model overfits: the true error is at least %s, and the error on "
                       "the training rows is %s.",
                       hsp__shown_least(page->bounds->test_lower).text,
                       hsp__shown_share(page->data.all.error).text);
}

hsp_status hsp__page_watch(hsp__page *page, hsp_error *err)
{
    const hsp_verification *found = page->verification;
    if (found && found->result != HSP_VERIFIED)
        hsp__page_warn(page, "The certificate '%.200s' is not confirmed: %.400s.",
                       page->certificate_path, found->reason);
    warnings_training(page);
    warnings_rows(page);
    warnings_classes(page);
    warnings_leaks(page);
    warnings_data(page);
    return page->failed ? hsp__fail_memory(err) : HSP_OK;
}
