/* The report's sections on new data (bounds on the true error), certificates, and how to reproduce
 * it all. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/options.h"
#include "data/provenance.h"
#include "model/model.h"
#include "show/html_page.h"

/* ---- Bounds ---- */

hsp_status hsp__page_bound(hsp__page *page, hsp_error *err)
{
    hsp_options *options = NULL;
    /* Rows that the model was not trained on are test rows. */
    const int trained = page->data.trained == HSP__TRAINED_YES;
    hsp_data *train = trained ? page->data.data : NULL;
    hsp_data *test = page->test.path                         ? page->test.data
                     : page->data.trained == HSP__TRAINED_NO ? page->data.data
                                                             : NULL;
    if (!train && !test) {
        page->no_bounds = "The model does not say which rows it was trained on, so the rows given "
                          "may not be new to it, and no bound on its true error holds.";
        return HSP_OK;
    }
    hsp_status status = hsp_options_new(&page->ctx, hsp_error_report_options(), err, &options);
    if (!status) status = hsp__options_copy(options, page->options, "delta", err);
    if (!status) status = hsp_options_set_flag(options, "allow-overlap", 1, err);
    if (!status) status = hsp_options_set_flag(options, "retrain", 0, err);
    if (!status)
        status =
            hsp_error_report_new(&page->ctx, page->model, train, test, options, err, &page->bounds);
    hsp_options_free(options);
    return hsp__page_excuse(page, status, err, &page->no_bounds);
}

static void bounds_interval(hsp__page *page)
{
    const hsp_error_report *all = page->bounds;
    const hsp__shown sure = hsp__shown_level(1 - all->delta);
    if (all->test_rows)
        hsp__html(page->html,
                  "<p>On the %s rows of <code>%s</code> the model makes %s %s (%s). <strong>Its "
                  "true error is at least %s and at most %s</strong>, each with confidence %s, by "
                  "the exact binomial bounds of Clopper and Pearson. This holds if the rows were "
                  "drawn independently, like the new rows, and had no part in training or choosing "
                  "the model.</p>\n",
                  hsp__shown_count(all->test_rows).text, page->measured->path,
                  hsp__shown_count(all->test_mistakes).text,
                  hsp__html_plural(all->test_mistakes, "mistake", "mistakes"),
                  hsp__shown_share((double)all->test_mistakes / (double)all->test_rows).text,
                  hsp__shown_least(all->test_lower).text, hsp__shown_most(all->test_upper).text,
                  sure.text);
    else if (all->training_bound)
        hsp__html(page->html,
                  "<p>By the training rows alone, <strong>the true error is at most %s</strong> "
                  "with confidence %s (bound <code>%s</code>), if they were drawn independently, "
                  "like the new rows. Test rows would say more.</p>\n",
                  hsp__shown_most(all->training_upper).text, sure.text, all->training_bound);
    else
        hsp__html(page->html,
                  "<p>No bound from the training rows says anything about the error of this model "
                  "on new rows. Test rows would: give them with <code>--test</code>.</p>\n");
    if (all->shared_rows)
        hsp__html(page->html,
                  "<p><strong>%s of the test rows equal a training row.</strong> The bounds from "
                  "test rows are void unless rows repeat by their nature.</p>\n",
                  hsp__shown_count(all->shared_rows).text);
}

static void bounds_list(hsp__page *page)
{
    const hsp_error_report *all = page->bounds;
    hsp__html(page->html, "<h3>All bounds</h3>\n<p>Each holds on its own with confidence %s.</p>\n",
              hsp__shown_level(1 - all->delta).text);
    hsp__page_table(page, "Bounds on the true error",
                    "<th scope=\"col\">bound</th><th scope=\"col\">from</th><th scope=\"col\" "
                    "class=\"num\">error at most</th><th scope=\"col\">of</th><th "
                    "scope=\"col\">formula</th>");
    for (size_t i = 0; i < all->count; i++) {
        const hsp_error_bound *bound = &all->bounds[i];
        if (!bound->applies) continue;
        hsp__html(page->html,
                  "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"num\">%s</td><td>%s</td><td "
                  "class=\"note\">%s</td></tr>\n",
                  bound->name, bound->kind,
                  bound->vacuous ? "says nothing" : hsp__shown_most(bound->value).text,
                  bound->about, bound->formula);
    }
    hsp__page_table_end(page);
    hsp__html(page->html, "<details>\n<summary>What went in, and what does not "
                          "apply</summary>\n<dl class=\"plain\">\n");
    for (size_t i = 0; i < all->count; i++)
        hsp__html(page->html, "<dt>%s%s</dt><dd>%s%s%s</dd>\n", all->bounds[i].name,
                  all->bounds[i].applies ? "" : " (does not apply)", all->bounds[i].figures,
                  *all->bounds[i].assumes && all->bounds[i].applies ? "; assumed: " : "",
                  all->bounds[i].applies ? all->bounds[i].assumes : "");
    hsp__html(page->html, "</dl>\n</details>\n");
}

hsp_status hsp__page_bounds(hsp__page *page, hsp_error *err)
{
    char delta[HSP_NUMBER_MAX];
    (void)err;
    if (!page->bounds) {
        hsp__html(page->html, "<p>%s</p>\n", page->no_bounds);
        return HSP_OK;
    }
    bounds_interval(page);
    if (page->bounds->count) bounds_list(page);
    hsp_number_text(page->bounds->delta, HSP_FLOAT64, delta);
    hsp__html(page->html, "<p>The same from the command line:</p>\n");
    const char *words[12] = {"halfspace", "bound", page->model_path};
    size_t count = 3;
    if (page->data.trained == HSP__TRAINED_YES)
        words[count++] = "--train", words[count++] = page->data.path;
    if (page->measured->trained != HSP__TRAINED_YES)
        words[count++] = "--test", words[count++] = page->measured->path;
    if (page->bounds->delta != 0.05) words[count++] = "--delta", words[count++] = delta;
    if (page->bounds->shared_rows) words[count++] = "--allow-overlap";
    hsp__page_command(page, 1, words);
    return HSP_OK;
}

/* ---- Certificates ---- */

/* Read a file as certify does: *why gets a sentence if it cannot be certified. */
static hsp_status bounds_followed(hsp__page *page, const char *path, hsp_error *err,
                                  const char **why)
{
    hsp_context quiet = page->ctx;
    hsp__provenance provenance = {0};
    hsp_options *read = NULL;
    hsp_data *data = NULL;
    quiet.log = NULL; /* its warnings are there already */
    hsp_status status = page->read ? hsp_options_copy(&quiet, page->read, err, &read)
                                   : hsp_options_new(&quiet, hsp_read_options(), err, &read);
    if (!status) status = hsp_options_set(read, "precision", "double", err);
    if (!status) status = hsp_model_set_read(page->model, read, err);
    if (!status)
        status = hsp__data_read_followed(&quiet, path, read, hsp_model_encoding(page->model), err,
                                         &provenance, &data);
    hsp_data_free(data);
    hsp_options_free(read);
    hsp__provenance_free(&provenance);
    return status ? hsp__page_excuse(page, status, err, why) : HSP_OK;
}

/* Why no certificate can be about these rows and the model; *why stays NULL if one can. Several
 * files (a line each) are not looked at. */
static hsp_status bounds_cannot(hsp__page *page, const hsp__page_rows *rows, hsp_error *err,
                                const char **why)
{
    *why = NULL;
    if (!rows->path || strchr(rows->path, '\n')) return HSP_OK;
    for (uint32_t c = 0; c < hsp_data_classes(rows->data) && page->classes == 2; c++) {
        const char *label = hsp_data_class_name(rows->data, c);
        char *text;
        if (page->model->leaves_out || hsp__model_exact_class(page->model, label) != HSP_NO_CLASS)
            continue;
        if (!(text = hsp__scratch_new(&page->memory, 512, 1))) return hsp__fail_memory(err);
        snprintf(text, 512, "%.300s: the label '%.80s' is not spelled as a class of the model",
                 rows->path, label);
        *why = text;
        return HSP_OK;
    }
    return bounds_followed(page, rows->path, err, why);
}

static int bounds_is_learner(const hsp__page *page, const char *name)
{
    const char *learner = hsp_model_metadata(page->model, "learner");
    return learner && strcmp(learner, name) == 0;
}

/* What can be claimed of this model, a sentence each. */
static void bounds_claims(hsp__page *page, int test)
{
    const int two = page->classes == 2;
    const int online = bounds_is_learner(page, "perceptron") || bounds_is_learner(page, "winnow") ||
                       bounds_is_learner(page, "experts");
    const int svm = bounds_is_learner(page, "svm");
    const int dual = svm && page->learner && hsp_options_flag(page->learner, "keep-dual");
    hsp__html(page->html, "<ul>\n");
    if (two)
        hsp__html(page->html, "<li><b>separable</b> or <b>not separable</b>: whether a hyperplane "
                              "separates the rows, with the widest margin, or the rows that prove "
                              "that none does</li>\n");
    if (two && online)
        hsp__html(page->html, "<li><b>mistakes</b>: the run made no more mistakes than its theorem "
                              "allows</li>\n");
    if (two && dual)
        hsp__html(page->html, "<li><b>optimal</b> and <b>stable</b>: how close the model is to the "
                              "optimum, and which predictions no optimum changes</li>\n");
    if (two && svm && !dual)
        hsp__html(page->html, "<li><b>optimal</b> and <b>stable</b>: not from this model, which "
                              "was trained without <code>--keep-dual</code></li>\n");
    if (hsp_model_kernel(page->model))
        hsp__html(page->html,
                  "<li><b>kernel</b>: the Gram matrix of the rows is positive semidefinite</li>\n");
    if (two && test)
        hsp__html(page->html,
                  "<li><b>error</b>: a bound on the true error by the test rows</li>\n");
    hsp__html(page->html, "</ul>\n");
}

static void bounds_verification(hsp__page *page)
{
    static const char *const results[] = {
        [HSP_VERIFIED] = "verified: every claim holds",
        [HSP_REJECTED] = "rejected: a claim does not hold, or a file is not the one that was "
                         "certified",
        [HSP_UNDECIDED] = "not decided: a file is not a certificate or not data, or it takes more "
                          "work than is allowed"};
    const hsp_verification *found = page->verification;
    hsp__html(page->html,
              "<div class=\"result %s\">\n<p><strong>The certificate <code>%s</code> is "
              "%s.</strong> It was checked while this report was made, in exact arithmetic, "
              "against the decimals of the data file.</p>\n",
              found->result == HSP_VERIFIED ? "good" : "bad", page->certificate_path,
              results[found->result]);
    if (*found->established)
        hsp__html(page->html, "<pre tabindex=\"0\"><samp>%s</samp></pre>\n", found->established);
    if (*found->reason) hsp__html(page->html, "<p>%s</p>\n", found->reason);
    hsp__html(page->html, "</div>\n<p>To check it again:</p>\n");
    hsp__page_command(page, 0,
                      (const char *const[]){"halfspace-verify", page->certificate_path,
                                            page->data.path, page->certified_test, NULL});
}

hsp_status hsp__page_certificates(hsp__page *page, hsp_error *err)
{
    const char *no_data, *no_test;
    if (page->verification) bounds_verification(page);
    HSP__TRY(bounds_cannot(page, &page->data, err, &no_data));
    HSP__TRY(bounds_cannot(page, &page->test, err, &no_test));
    if (no_data) {
        hsp__html(page->html, "<p>No certificate can be made of these files: %s.</p>\n", no_data);
        return HSP_OK;
    }
    const char *test = no_test ? NULL : page->test.path;
    const char *made[] = {"halfspace",
                          "certify",
                          page->data.path,
                          "--model",
                          page->model_path,
                          "-o",
                          "report.cert",
                          NULL,
                          NULL,
                          NULL};
    const char *check[] = {"halfspace-verify",
                           "--model",
                           page->model_path,
                           "report.cert",
                           page->data.path,
                           test,
                           NULL};
    if (page->classes != 2 && !hsp_model_kernel(page->model)) {
        hsp__html(page->html,
                  "<p>Claims are about two classes, and this model has %s: train with "
                  "<code>--positive CLASS</code> or <code>--classes A,B</code>. That one class can "
                  "be separated from all others is certified by this command:</p>\n",
                  hsp__shown_count(page->classes).text);
        hsp__page_command(page, 1,
                          (const char *const[]){"halfspace", "certify", page->data.path,
                                                "--positive", hsp__page_class(page, 0), "-o",
                                                "report.cert", NULL});
        hsp__page_command(
            page, 0,
            (const char *const[]){"halfspace-verify", "report.cert", page->data.path, NULL});
        return HSP_OK;
    }
    if (page->data.trained != HSP__TRAINED_YES)
        hsp__html(page->html,
                  "<p>A certificate of a model is about the rows that it was trained on%s.</p>\n",
                  page->data.trained == HSP__TRAINED_NO
                      ? ", and these are others: name the training file instead"
                      : ", and this model does not say which these are");
    hsp__html(page->html,
              "<p>A certificate has evidence that anybody can check against the file, without "
              "trusting this program. These claims can be tried:</p>\n");
    bounds_claims(page, test != NULL);
    if (no_test)
        hsp__html(page->html, "<p>No claim can be about the test rows: %s.</p>\n", no_test);
    if (test) made[7] = "--test", made[8] = test;
    hsp__page_command(page, 1, made);
    hsp__html(page->html, "<p>It says of each claim that it cannot make why. The checker is a "
                          "program of its own:</p>\n");
    hsp__page_command(page, 0, check);
    return HSP_OK;
}

/* ---- How to reproduce it ---- */

/* The SHA-256 of a file, byte for byte, and its size. */
static hsp_status bounds_hash(const char *path, hsp_error *err, char text[65], uint64_t *size)
{
    unsigned char block[16384], digest[32];
    hsp__sha256 sha;
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) return hsp__fail_errno(err, path, "cannot open");
    hsp__sha256_init(&sha);
    for (*size = 0; (got = fread(block, 1, sizeof block, file)) > 0; *size += got)
        hsp__sha256_add(&sha, block, got);
    const int failed = ferror(file);
    fclose(file);
    if (failed) return hsp__fail_at(err, HSP_IO, path, 0, 0, "cannot read");
    hsp__sha256_end(&sha, digest);
    hsp__sha256_text(digest, text);
    return HSP_OK;
}

/* A path, or several: one per line. */
static hsp_status bounds_files(hsp__page *page, const char *what, const char *paths, hsp_error *err)
{
    while (paths && *paths) {
        char hash[65];
        uint64_t size = 0;
        const size_t length = strcspn(paths, "\n");
        char *path = hsp__scratch_new(&page->memory, length + 1, 1);
        if (!path) return hsp__fail_memory(err);
        memcpy(path, paths, length);
        HSP__TRY(bounds_hash(path, err, hash, &size));
        hsp__html(page->html,
                  "<tr><th scope=\"row\">%s</th><td><code>%s</code></td><td "
                  "class=\"num\">%s</td><td><code class=\"hash\">%s</code></td></tr>\n",
                  what, path, hsp__shown_bytes(size).text, hash);
        paths += length + (paths[length] == '\n');
    }
    return HSP_OK;
}

static void bounds_train_command(hsp__page *page)
{
    const char *learner = hsp_model_metadata(page->model, "learner");
    if (!learner || !page->learner) {
        hsp__html(page->html, "<p>How the model was made is not known: it keeps no record.</p>\n");
        return;
    }
    hsp__html(page->html,
              "<p>Train the model again%s (options that have their defaults are left out)%s:</p>\n",
              page->data.trained == HSP__TRAINED_YES ? "" : ", on the rows that it was trained on",
              hsp_model_encoding(page->model)
                  ? "; if the file needs options to be read, such as --ignore or --missing, add "
                    "them: the model keeps their effect, not the options"
                  : "");
    hsp__page_train_command(page);
}

hsp_status hsp__page_reproduce(hsp__page *page, hsp_error *err)
{
    hsp__html(page->html,
              "<p>Made by halfspace %s. The same files, options and version give the "
              "same report, byte for byte, with any number of threads.</p>\n",
              hsp_version());
    hsp__page_table(page, "Files and checksums",
                    "<th scope=\"col\">file</th><th scope=\"col\">name</th><th scope=\"col\" "
                    "class=\"num\">size</th><th scope=\"col\">SHA-256</th>");
    HSP__TRY(bounds_files(page, "model", page->model_path, err));
    HSP__TRY(bounds_files(page, "data", page->data.path, err));
    HSP__TRY(bounds_files(page, "test", page->test.path, err));
    HSP__TRY(bounds_files(page, "certificate", page->certificate_path, err));
    hsp__page_table_end(page);
    bounds_train_command(page);
    hsp__html(page->html,
              "<p>The measures of this report (the interval of the error is exact here, "
              "by the binomial distribution; this command prints one from bootstrap "
              "samples):</p>\n");
    char level[HSP_NUMBER_MAX];
    hsp_number_text(hsp_options_real(page->options, "interval"), HSP_FLOAT64, level);
    hsp__page_command(page, 1,
                      (const char *const[]){"halfspace", "eval", page->model_path,
                                            page->measured->path, "--interval", level, NULL});
    hsp__html(page->html, "<p>This report:</p>\n");
    hsp__page_report_command(page);
    return HSP_OK;
}
