/* Two models on the same rows. */
#include "base/base.h"
#include "base/sized_report.h"
#include "measure/evaluate.h"

enum { COMPARE_LEFT_OUT, COMPARE_WRONG, COMPARE_RIGHT };

/* What became of each row of the data. A row with a label that the model does not know is wrong, or
 * left out. */
static unsigned char *compare_rows(hsp__scratch *scratch, const hsp_evaluated *evaluated)
{
    const hsp__scored *kept = &evaluated->kept;
    unsigned char *what = hsp__scratch_raw(scratch, evaluated->rows, 1);
    if (!what) return NULL;
    memset(what, evaluated->model->leaves_out ? COMPARE_LEFT_OUT : COMPARE_WRONG, evaluated->rows);
    for (uint64_t i = 0; i < kept->rows; i++)
        what[evaluated->origin[i]] =
            kept->predicted[i] == kept->truth[i] ? COMPARE_RIGHT : COMPARE_WRONG;
    return what;
}

static int compare_same_rows(const hsp_evaluated *first, const hsp_evaluated *second)
{
    return first->kept.rows == second->kept.rows &&
           memcmp(first->origin, second->origin, first->kept.rows * sizeof *first->origin) == 0;
}

static double compare_score(const hsp_evaluated *evaluated, hsp__score score)
{
    const hsp_evaluation *all = &evaluated->all;
    const double values[HSP__SCORES] = HSP__EVALUATE_SCORES(all);
    return values[score];
}

hsp_status hsp_evaluated_compare(hsp_context *ctx, const hsp_evaluated *first,
                                 const hsp_evaluated *second, const hsp_options *options,
                                 hsp_error *err, hsp_comparison *out)
{
    HSP__NEED(err, ctx, first, second, options, out);
    HSP__REPORT(err, out, hsp_comparison);
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const hsp__score score = hsp__score_of(hsp_options_text(options, "score"));
    const hsp__bootstrap how = hsp__evaluate_bootstrap(options);
    hsp_comparison made = {.score = hsp__score_name(score)};
    double intervals[HSP__SCORES][2];
    if (first->rows != second->rows)
        return hsp__fail(err, HSP_USAGE,
                         "the models were evaluated on %llu and on %llu rows, expected the same",
                         (unsigned long long)first->rows, (unsigned long long)second->rows);
    const unsigned char *a = compare_rows(&scratch, first), *b = compare_rows(&scratch, second);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < first->rows; i++) {
        if (a[i] == COMPARE_LEFT_OUT || b[i] == COMPARE_LEFT_OUT) continue;
        made.n++;
        made.both_right += a[i] == COMPARE_RIGHT && b[i] == COMPARE_RIGHT;
        made.only_first += a[i] == COMPARE_RIGHT && b[i] == COMPARE_WRONG;
        made.only_second += a[i] == COMPARE_WRONG && b[i] == COMPARE_RIGHT;
        made.both_wrong += a[i] == COMPARE_WRONG && b[i] == COMPARE_WRONG;
    }
    made.first_error = (double)(made.only_second + made.both_wrong) / (double)made.n;
    made.second_error = (double)(made.only_first + made.both_wrong) / (double)made.n;
    made.p_value = hsp__mcnemar(made.only_first, made.only_second);
    made.first_score = compare_score(first, score);
    made.second_score = compare_score(second, score);
    made.difference = made.first_score - made.second_score;
    made.low = made.high = (double)NAN;
    if (!status && !isnan(how.level) && compare_same_rows(first, second)) {
        status = hsp__score_intervals(&own, &first->kept, &second->kept, &how, err, intervals);
        made.low = intervals[score][0];
        made.high = intervals[score][1];
    }
    hsp__scratch_free(&scratch);
    if (!status) hsp__report_give(out, &made, sizeof made);
    return status;
}
