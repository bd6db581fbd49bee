/* The report's section on training: what the model is and what it keeps of the run that made it.
 * It states only what is in the model file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/decimal.h"
#include "show/html_page.h"

static const char *training_fact(const hsp__page *page, const char *name)
{
    return hsp_model_metadata(page->model, name);
}

/* A number that the model keeps as text; NaN: it keeps none. */
static double training_number(const hsp__page *page, const char *name)
{
    double number;
    return hsp__decimal_text(training_fact(page, name), &number) ? number : (double)NAN;
}

/* ---- What the model is ---- */

static void training_pair(hsp__page *page, const char *name, const char *value)
{
    if (value)
        hsp__html(page->html, "<tr><th scope=\"row\">%s</th><td>%.200s</td></tr>\n", name, value);
}

static const char *training_form(const hsp_model *model)
{
    const char *hypothesis = hsp_model_hypothesis(model);
    if (strcmp(hypothesis, "votes") == 0) return "linear separators that vote";
    if (strcmp(hypothesis, "kernel") == 0) return "kernel expansion over support rows";
    if (strcmp(hypothesis, "neighbors") == 0) return "nearest neighbours";
    return "linear: one weight per feature and an offset";
}

static void training_model(hsp__page *page)
{
    static const char *const neighbors[] = {"rows", "k", "metric", "vote", "index", NULL};
    const hsp_model *model = page->model;
    hsp_knn_report near = {.size = sizeof near};
    const uint64_t support = hsp_model_support(model, NULL);
    hsp__page_table(page, "Model", NULL);
    training_pair(page, "form", training_form(model));
    training_pair(page, "kernel", hsp_model_kernel(model));
    if (support) training_pair(page, "support rows", hsp__shown_count(support).text);
    training_pair(page, "classes", hsp__shown_count(page->classes).text);
    training_pair(page, "features", hsp__shown_count(hsp_model_features(model)).text);
    training_pair(page, "scaling of the rows", hsp_model_scaling_kind(model));
    if (page->classes > 2)
        training_pair(page, "several classes",
                      hsp_model_is_one_vs_one(model) ? "one-vs-one: each pair of classes votes"
                                                     : "one score per class: the highest wins");
    training_pair(page, "probabilities",
                  !hsp_model_has_probabilities(model)                ? "none"
                  : strcmp(hsp_model_calibration(model), "none")     ? hsp_model_calibration(model)
                  : strcmp(hsp_model_hypothesis(model), "neighbors") ? hsp_model_link(model)
                                                                     : "shares of the votes");
    if (hsp_model_threshold(model) > 0)
        training_pair(page, "threshold on the probability",
                      hsp__shown_number(hsp_model_threshold(model)).text);
    hsp__page_table_end(page);
    if (!hsp_model_knn(model, &near)) return;
    hsp__html(page->html, "<h3>Nearest neighbours</h3>\n");
    hsp__page_table(page, "Nearest neighbours", NULL);
    hsp__html_rows(page->html, hsp_knn_fields(), &near, neighbors);
    hsp__page_table_end(page);
}

/* ---- How it converged ---- */

static const char *training_stopped(const char *stop)
{
    static const char *const why[][2] = {
        {"passes", "the limit on passes was reached"},
        {"updates", "the limit on updates was reached"},
        {"seconds", "the time limit was reached"},
        {"request", "it was interrupted"},
        {"stalled", "no step got further, because of rounding"},
    };
    for (size_t i = 0; stop && i < sizeof why / sizeof *why; i++)
        if (strcmp(stop, why[i][0]) == 0) return why[i][1];
    return "the model does not say why";
}

/* The gap at which the run was to end. */
static double training_target(const hsp__page *page)
{
    const hsp_option_table *table = page->learner ? hsp_options_table(page->learner) : NULL;
    for (size_t i = 0; table && i < table->count; i++)
        if (strcmp(table->options[i].name, "gap") == 0 && table->options[i].type == HSP_OPTION_REAL)
            return hsp_options_real(page->learner, "gap");
    return (double)NAN;
}

static void training_convergence(hsp__page *page)
{
    const char *converged = training_fact(page, "converged");
    const double gap = training_number(page, "gap"), target = training_target(page);
    const double objective = training_number(page, "objective"),
                 bound = training_number(page, "dual_objective"),
                 last = training_number(page, "mistakes_last_pass");
    if (!converged) return;
    const int yes = strcmp(converged, "true") == 0;
    hsp__html(page->html, "<h3>Convergence</h3>\n<p><strong>%s</strong>",
              yes ? "The run converged" : "The run did not converge");
    if (!yes) hsp__html(page->html, ": %s", training_stopped(training_fact(page, "stop")));
    if (isfinite(gap)) {
        hsp__html(page->html, ". Its relative duality gap is %s", hsp__shown_number(gap).text);
        if (isfinite(target)) hsp__html(page->html, " (target %s)", hsp__shown_number(target).text);
    }
    if (isfinite(objective) && isfinite(bound))
        hsp__html(page->html,
                  ": the objective of this model is %s, and no weights have one below %s",
                  hsp__shown_number(objective).text, hsp__shown_number(bound).text);
    if (yes && last == 0)
        hsp__html(page->html, ": its last pass over the training rows made no mistake");
    hsp__html(page->html, ".</p>\n");
    hsp__html(page->html, "<p class=\"note\">The model keeps the figures of the end of the run, "
                          "not of each pass.</p>\n");
}

/* ---- What it keeps of the run ---- */

/* What a fact means, by the tables of the reports; "" if they do not have it. */
static const char *training_meaning(const char *name)
{
    static const hsp_field *(*const tables[])(void) = {hsp_convergence_fields, hsp_experts_fields,
                                                       hsp_training_fields};
    static const char *const others[][2] = {
        {"data_rows", "rows of the training data"},
        {"data_hash", "checksum of the training rows: numbers and labels"},
        {"data_hash_single", "the same for the numbers in single precision"},
        {"earlier_data_hashes", "checksums of the rows that earlier runs were trained on"},
        {"precision", "precision of the numbers that the model was trained on"},
        {"version", "version of halfspace that wrote the model"},
        {"learner", "the learner"},
        {"imported_from", "the program that wrote the model"},
        {"imported_kind", "the kind of model in that program"},
        {"index_base", "number of the first column in libsvm text"},
        {"tuning", "how the options were chosen"},
        {"best_column", "column of the best expert, from 0"},
    };
    const void *at;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0) return others[i][1];
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const hsp_field *field = hsp__html_field(tables[i](), NULL, name, &at, NULL);
        if (field && field->meaning) return field->meaning;
    }
    return "";
}

static void training_record(hsp__page *page)
{
    const char *name;
    hsp__html(page->html, "<h3>Record of the run</h3>\n");
    if (hsp_model_threshold(page->model) > 0)
        hsp__html(page->html, "<p>The threshold on the probability was chosen after the run: the "
                              "figures below, such as a training error, are without it.</p>\n");
    hsp__page_table(page, "Record of the run", NULL);
    for (size_t i = 0; (name = hsp_model_metadata_name(page->model, i)); i++) {
        const char *value = training_fact(page, name);
        if (strcmp(name, "options") == 0) continue;
        double number = 0;
        const int rounded = strpbrk(value, ".e") && hsp__decimal_text(value, &number);
        char label[64];
        snprintf(label, sizeof label, "%s", name);
        for (char *p = label; *p; p++)
            if (*p == '_') *p = ' ';
        hsp__html(page->html,
                  "<tr><th scope=\"row\">%s</th><td class=\"num\">%.80s</td><td "
                  "class=\"note\">%s</td></tr>\n",
                  label, rounded ? hsp__shown_number(number).text : value, training_meaning(name));
    }
    hsp__page_table_end(page);
}

/* ---- Options ---- */

/* The options that differ from their defaults, or the others: `changed`. Returns how many. */
static size_t training_list(hsp__page *page, int changed)
{
    const hsp_option_table *table = hsp_options_table(page->learner);
    char room[HSP__PAGE_OPTION];
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        const char *value = hsp__page_option(page->learner, option, room);
        if (!value || hsp__page_is_default(option, value) == changed) continue;
        if (!count++)
            hsp__page_table(page, changed ? "Options that were set" : "Options with their defaults",
                            "<th scope=\"col\">option</th><th scope=\"col\" "
                            "class=\"num\">value</th><th scope=\"col\">meaning</th>");
        hsp__html(page->html,
                  "<tr><th scope=\"row\">%s</th><td class=\"num\">%.80s</td><td "
                  "class=\"note\">%s</td></tr>\n",
                  option->name, value, option->help);
    }
    if (count) hsp__page_table_end(page);
    return count;
}

static void training_options(hsp__page *page)
{
    hsp__html(page->html, "<h3>Options of <code>%s</code></h3>\n",
              hsp_options_table(page->learner)->name);
    if (!training_list(page, 1)) hsp__html(page->html, "<p>All options have their defaults.</p>\n");
    hsp__html(page->html,
              "<details class=\"screen\">\n<summary>Options with their defaults</summary>\n");
    training_list(page, 0);
    hsp__html(page->html, "</details>\n");
}

hsp_status hsp__page_training(hsp__page *page, hsp_error *err)
{
    const char *learner = training_fact(page, "learner");
    const char *from = training_fact(page, "imported_from");
    (void)err;
    if (learner)
        hsp__html(page->html, "<p>The model was trained by the learner <code>%s</code>.</p>\n",
                  learner);
    else if (from)
        hsp__html(page->html,
                  "<p>The model was imported from %s. It has no record of its training: which rows "
                  "and options it was trained with, and whether the run converged, is not "
                  "known.</p>\n",
                  from);
    else
        hsp__html(page->html, "<p>The model has no record of its training.</p>\n");
    training_model(page);
    training_convergence(page);
    training_record(page);
    if (page->learner) training_options(page);
    return HSP_OK;
}
