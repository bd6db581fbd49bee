/* What a run says of separability, confirmed: models and evidence of two classes and more, of files
 * and of values in memory. Random tables against fractions are in tests/exact. */
#include <math.h>
#include <unistd.h>

#include "model/model.h"
#include "prove/helpers.h"

/* the offset of a model that is to be wrong, with w = 1; NaN: as trained */
static double bent = NAN;
static const char *by = "svm"; /* or lp */

typedef struct confirmed {
    hsp_training run;
    hsp_model *model;
    hsp_confirmation found;
} confirmed;

/* Train on the text and confirm; `file`: the library may read it again. */
static confirmed confirm_text(const char *text, const char *const (*settings)[2],
                              const char *precision, int file)
{
    confirmed done = {.run.size = sizeof done.run, .found.size = sizeof done.found};
    hsp_context *ctx = NULL;
    hsp_options *learner = NULL, *read = NULL;
    hsp_data *data = NULL;
    hsp_error err = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/hsp_confirm_%d", (int)getpid());
    FILE *out = fopen(path, "w");
    CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0);
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_options_new(ctx, hsp_learner_find(by), NULL, &learner) == HSP_OK);
    CHECK(hsp_options_new(ctx, hsp_read_options(), NULL, &read) == HSP_OK);
    CHECK(hsp_options_set(read, "precision", precision, NULL) == HSP_OK);
    CHECK(hsp_options_set(read, "format", "libsvm", NULL) == HSP_OK);
    if (strcmp(by, "svm") == 0) CHECK(hsp_options_set(learner, "hard", "yes", NULL) == HSP_OK);
    for (; settings && (*settings)[0]; settings++)
        CHECK(hsp_options_set(learner, (*settings)[0], (*settings)[1], NULL) == HSP_OK);
    CHECK(hsp_data_read(ctx, path, read, NULL, NULL, &data) == HSP_OK);
    CHECK(hsp_train(ctx, data, learner, &err, &done.run, &done.model) == HSP_OK);
    if (done.model && !isnan(bent)) done.model->weights[0] = 1, done.model->offsets[0] = bent;
    CHECK_NOTE(hsp_confirm(ctx, data, file ? path : NULL, read, learner, &done.run, done.model,
                           &err, &done.found) == HSP_OK,
               "%s", err.message);
    unlink(path);
    hsp_data_free(data);
    hsp_options_free(learner);
    hsp_options_free(read);
    hsp_context_free(ctx);
    return done;
}

static void confirmed_free(confirmed *done)
{
    hsp_evidence_free(done->found.evidence);
    hsp_evidence_free(done->run.evidence);
    hsp_model_free(done->model);
}

static const char far[] = "a 1:1\na 1:2\nb 1:4\nb 1:5\n";
static const char seconds[] = "a 1:1700000001\na 1:1700000002\nb 1:1700000003\nb 1:1700000004\n";
static const char three[] = "a 1:1\na 1:2\nb 1:4\nb 1:5\nc 1:8\n";

static void test_a_model_that_separates(void)
{
    confirmed done = confirm_text(far, NULL, "single", 1);
    CHECK(done.model && done.found.answer == HSP_SEPARATES && done.found.decimals);
    CHECK(done.found.row == UINT64_MAX && done.found.wrong_rows == 0 && !done.found.evidence);
    confirmed_free(&done);
    static const char *const scaled[][2] = {{"scale", "standard"}, {"normalize", "ball"}, {NULL}};
    done = confirm_text(far, scaled, "double", 1);
    CHECK(done.model && done.found.answer == HSP_SEPARATES);
    confirmed_free(&done);
}

static void test_a_precision_that_is_too_coarse(void)
{
    confirmed done = confirm_text(seconds, NULL, "single", 1);
    CHECK(!done.model && done.found.answer == HSP_SEPARABLE && done.found.decimals);
    CHECK(done.found.margin > 0.49 && done.found.margin <= 0.5);
    confirmed_free(&done);
    done = confirm_text(seconds, NULL, "single", 0); /* the values in memory are what there is */
    CHECK(!done.model && done.found.answer == HSP_NOT_SEPARABLE && !done.found.decimals);
    confirmed_free(&done);
}

static void test_evidence_is_exact(void)
{
    confirmed done = confirm_text("a 1:0\na 1:3\nb 1:1\n", NULL, "double", 1);
    const hsp_evidence *evidence = done.found.evidence;
    CHECK(!done.model && done.found.answer == HSP_NOT_SEPARABLE && evidence);
    if (evidence) {
        CHECK(evidence->count == 3 && evidence->row[1] == 1 && evidence->distance == 0);
        CHECK(fabs(evidence->multiplier[0] - 2.0 / 3) <= 1e-15);
        CHECK(fabs(evidence->multiplier[2] - 1) <= 1e-15);
    }
    confirmed_free(&done);
}

static void test_more_than_two_classes(void)
{
    static const char *const pairs[][2] = {{"multiclass", "ovo"}, {NULL}};
    confirmed done = confirm_text(three, NULL, "double", 1);
    CHECK(!done.model && done.found.answer == HSP_NOT_SEPARABLE && done.found.evidence);
    if (done.found.evidence) CHECK_TEXT(done.found.evidence->of, "b");
    confirmed_free(&done);
    done = confirm_text(three, pairs, "double", 1);
    CHECK(done.model && done.found.answer == HSP_SEPARATES);
    confirmed_free(&done);
    static const char *const one[][2] = {{"positive", "c"}, {NULL}};
    done = confirm_text(three, one, "double", 1);
    CHECK(done.model && done.found.answer == HSP_SEPARATES);
    confirmed_free(&done);
    static const char *const two[][2] = {{"classes", "b,c"}, {NULL}};
    done = confirm_text("b 1:1\nb 1:3\nc 1:2\na 1:9\n", two, "double", 1);
    CHECK(!done.model && done.found.answer == HSP_NOT_SEPARABLE);
    confirmed_free(&done);
}

/* Evidence is of one class, or of one pair: whatever learner found it says which, and that one is
 * confirmed. Here a and c are separable from the rest, and a from c. */
static void test_evidence_names_its_classes(void)
{
    static const char crossed[] = "a 1:1\na 1:2\nb 1:4\nb 1:6\nc 1:5\nc 1:8\n";
    static const char *const ways[] = {"ovr", "ovo"}, *const learners[] = {"svm", "lp"};
    for (int way = 0; way < 2; way++)
        for (int l = 0; l < 2; l++) {
            const char *const settings[][2] = {{"multiclass", ways[way]}, {NULL, NULL}};
            by = learners[l];
            if (strcmp(by, "lp") == 0 && !hsp_learner_find(by)) continue;
            confirmed done = confirm_text(way ? crossed : three, settings, "double", 1);
            const hsp_evidence *found = done.found.evidence;
            CHECK(!done.model && done.found.answer == HSP_NOT_SEPARABLE && found);
            if (found) {
                CHECK_TEXT(found->of, "b");
                CHECK(way ? found->against && strcmp(found->against, "c") == 0 : !found->against);
            }
            confirmed_free(&done);
        }
    by = "svm";
}

static void test_what_is_beyond_exact_arithmetic(void)
{
    static const char *const kernel[][2] = {{"kernel", "rbf(1)"}, {NULL}};
    static const char *const rows[][2] = {{"normalize", "rows"}, {NULL}};
    confirmed done = confirm_text(far, kernel, "double", 1);
    CHECK(done.found.answer == HSP_SEPARABILITY_UNKNOWN && strstr(done.found.why, "kernel"));
    confirmed_free(&done);
    done = confirm_text("a 1:1 2:1\nb 1:1 2:-1\n", rows, "double", 1);
    CHECK(done.found.answer == HSP_SEPARABILITY_UNKNOWN && strstr(done.found.why, "norms"));
    confirmed_free(&done);
    done = confirm_text("a 1:1e-9999999\nb 1:1\n", NULL, "double", 1);
    CHECK(done.found.answer == HSP_SEPARABILITY_UNKNOWN && strstr(done.found.why, "too small"));
    confirmed_free(&done);
}

/* s(x) = x - b; what doubles make of x - b does not matter. */
static void test_a_model_that_fails(void)
{
    const char *text = "a 1:1\na 1:1.99999999999999999\na 1:2.00000000000000001\nb 1:4\n";
    bent = -2;
    confirmed done = confirm_text(text, NULL, "double", 1);
    bent = NAN;
    CHECK(done.model && done.found.decimals && done.found.answer == HSP_SEPARABLE);
    CHECK(done.found.row == 2 && done.found.wrong_rows == 1); /* row 1 is not wrong */
    CHECK(done.found.margin > 0.98 && done.found.margin <= 1);
    confirmed_free(&done);
}

int main(void)
{
    RUN(test_a_model_that_separates);
    RUN(test_a_precision_that_is_too_coarse);
    RUN(test_evidence_is_exact);
    RUN(test_more_than_two_classes);
    RUN(test_evidence_names_its_classes);
    RUN(test_what_is_beyond_exact_arithmetic);
    RUN(test_a_model_that_fails);
    return check_done();
}
