/* The true error of a model, from rows that are not training rows.
 *
 * Of n rows that are drawn independently the model gets k wrong. Clopper and Pearson's upper bound
 * u is the largest true error at which k or fewer mistakes have a probability of delta: P[Bin(n,
 * u) <= k] = delta. [C. Clopper, E. Pearson, Biometrika 26, 1934.] */
#include "base/base.h"
#include "model/probability.h"
#include "prove/prove.h"

typedef struct prove_error_counts {
    uint64_t rows, mistakes, shared;
    uint64_t alike; /* not shared, but in single precision */
} prove_error_counts;

/* Of the rows of `test` that are not marked in `shared`, how many are in `data`; `mark`: mark them. */
static hsp_status prove_error_find(hsp__prove *prove, const hsp_view *data, const hsp_view *test,
                                   unsigned char *shared, int mark, hsp_error *err, uint64_t *count)
{
    hsp__duplicate_rows_key *keys = hsp__duplicate_rows_keys(prove->ctx, data);
    if (!keys) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < test->rows; i++) {
        if (shared[i] || !hsp__duplicate_rows_find(data, keys, test, i)) continue;
        ++*count;
        if (mark) shared[i] = 1;
    }
    hsp__free(&prove->ctx->allocator, keys);
    return HSP_OK;
}

/* How many rows of TEST that are not in DATA are so in single precision, which is all that a model
 * has seen that was trained in it. */
static hsp_status prove_error_alike(hsp__prove *prove, unsigned char *shared, hsp_error *err,
                                    uint64_t *count)
{
    const char *precision = hsp_model_metadata(prove->model, "precision");
    hsp_data *rows[2] = {NULL, NULL};
    if (!precision || strcmp(precision, "single") != 0) return HSP_OK;
    hsp_status status = hsp_data_copy(prove->ctx, prove->data.view, NULL, NULL, err, &rows[0]);
    if (!status) status = hsp_data_copy(prove->ctx, prove->test.view, NULL, NULL, err, &rows[1]);
    for (int f = 0; !status && f < 2; f++)
        hsp__duplicate_rows_round(rows[f]);
    if (!status)
        status = prove_error_find(prove, &rows[0]->view, &rows[1]->view, shared, 0, err, count);
    hsp_data_free(rows[0]);
    hsp_data_free(rows[1]);
    return status;
}

static hsp_status prove_error_count(hsp__prove *prove, const hsp__prove_separator *s,
                                    hsp_error *err, prove_error_counts *out)
{
    hsp__scratch *scratch = &prove->scratch;
    const hsp__prove_file *test = &prove->test;
    const uint64_t n = test->rows->rows;
    const hsp_tie tie = prove->model->tie;
    unsigned char *shared = hsp__scratch_new(scratch, n, 1); /* be it with a row that is left out */
    hsp__long *scores = hsp__scratch_new(scratch, n, sizeof *scores);
    hsp__long *errors = hsp__scratch_new(scratch, n, sizeof *errors);
    if (scratch->failed) return hsp__fail_memory(err);
    HSP__TRY(prove_error_find(prove, &prove->data.whole->view, test->view, shared, 1, err,
                              &out->shared));
    HSP__TRY(prove_error_alike(prove, shared, err, &out->alike));
    HSP__TRY(hsp__prove_scores(prove, s, test, err, scores, errors));
    for (uint64_t i = 0; i < n; i++) {
        const hsp__long score = scores[i] + (hsp__long)s->b;
        const int says = score > 0 ? 1 : score < 0 ? -1 : tie == HSP_TIE_POS ? 1 : -1;
        if (shared[i]) continue;
        out->rows++;
        out->mistakes += says != test->y[i] || (score == 0 && tie == HSP_TIE_ZERO);
    }
    assert(out->rows + out->shared == n);
    return HSP_OK;
}

static hsp_status prove_error_claim(hsp__prove *prove, const hsp__prove_separator *s,
                                    hsp_error *err)
{
    const double delta = hsp_options_real(prove->options, "delta");
    hsp__text *text = &prove->claims;
    prove_error_counts count = {0};
    const hsp__text *layouts[2] = {&prove->data.layout, &prove->test.layout};
    if (s->why)
        return hsp__prove_skip(prove, err, "error",
                               "certificates do not support this kind of model: %s", s->why);
    if (layouts[0]->size != layouts[1]->size ||
        memcmp(layouts[0]->data, layouts[1]->data, layouts[0]->size) != 0)
        return hsp__prove_skip(prove, err, "error",
                               "the two files are read in different ways (fields, separators or "
                               "first indices differ), so rows that are in both cannot be found");
    HSP__TRY(prove_error_count(prove, s, err, &count));
    if (count.alike)
        return hsp__prove_skip(
            prove, err, "error",
            "in single precision, in which the model was trained, %llu rows of the test file equal "
            "rows of the data file; they differ only in later digits",
            (unsigned long long)count.alike);
    if (!count.rows)
        return hsp__prove_skip(prove, err, "error",
                               "all %llu rows of the test file are in the data file",
                               (unsigned long long)count.shared);
    hsp__prove_begin(prove, "error");
    if (s->kernel.size) hsp__claim_json(text, "\nkernel", &s->kernel);
    hsp__claim_json(text, "\nseparator", &s->text);
    hsp__claim_tie(text, "\ntie", prove->model->tie);
    hsp__claim_count(text, "shared", count.shared);
    hsp__claim_count(text, "rows", count.rows);
    hsp__claim_count(text, "mistakes", count.mistakes);
    hsp__claim_short(text, "delta", delta);
    /* sums of logarithms lose a few digits */
    const hsp__long upper =
        fminl((hsp__long)hsp_binomial_upper(count.rows, count.mistakes, delta) * (1 + 1e-9L), 1);
    hsp__claim_grid(text, "upper", (int64_t)ceill(upper * 1e8L), 8);
    return hsp__prove_end(prove, err, "error");
}

hsp_status hsp__prove_error(hsp__prove *prove, hsp_error *err)
{
    const hsp_model *model = prove->model;
    hsp__prove_separator s;
    hsp_data *again = NULL;
    const char *why = NULL;
    if (!hsp__prove_named(prove, "error")) return HSP_OK;
    if (!model || !prove->test.path) {
        if (!hsp_options_list_count(prove->options, "claim")) return HSP_OK;
        return hsp__prove_skip(prove, err, "error", "it needs %s", model ? "--test" : "--model");
    }
    /* Rows that are not in DATA must be new to the model: it was trained on DATA, on all of it as it
     * is now, and on nothing else. */
    if (hsp__probability_decides(&model->probability))
        why =
            "the model decides by its probabilities, and the claim is about the sign of the score";
    else if (!hsp_model_metadata(model, "data_hash"))
        why = "the model does not say which data it was trained on (models trained without "
              "--stream do), so the test rows may not be new to it";
    else if (hsp_model_metadata(model, "earlier_data_hashes"))
        why = "the model was warm-started from one that was trained on other data, which may "
              "contain test rows";
    hsp_status status = why ? HSP_OK : hsp__retrain_check(prove, err, &again, &why);
    hsp_data_free(again);
    if (status) return status;
    if (why) return hsp__prove_skip(prove, err, "error", "%s", why);
    status = hsp__prove_separator_new(prove, 0, err, &s);
    if (!status) status = prove_error_claim(prove, &s, err);
    hsp__prove_separator_free(&s);
    return status;
}
