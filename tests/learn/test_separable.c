/* Is there a separator at all? The linear program and the hard margin must give one answer, and the
 * answer must hold: a separator is checked on every row, "not separable" by the common point of the
 * two hulls that comes with it, both in long doubles from the data (margins.h). */
#include "margins.h"

static hsp_context *ctx;

enum answer { SEPARABLE, INSEPARABLE, REFUSED, UNSURE };

/* Every row on its side, by a distance that rounding in w does not explain. */
static int separates(const margin_set *s, const hsp_model *model)
{
    int right = 1;
    for (int i = 0; i < s->n; i++)
        right &= margin_y(s, i, 0) * margin_score(s, i, model, 0) > 0;
    return right;
}

/* Do the multipliers say what they should: each class adds up to 1, and the two means are one
 * point, to rounding of the rows' size? */
static void check_evidence(const margin_set *s, const hsp_evidence *e, const char *who, int set)
{
    long double sum[2] = {0}, apart = 0, size = 0;
    for (uint64_t k = 0; k < e->count; k++) {
        CHECK_NOTE(e->row[k] < (uint64_t)s->n && e->multiplier[k] > 0, "%s, set %d", who, set);
        CHECK_NOTE(k == 0 || e->row[k] > e->row[k - 1], "%s, set %d: order", who, set);
        sum[s->label[e->row[k]]] += e->multiplier[k];
    }
    for (int j = 0; j < s->d; j++) {
        long double mean[2] = {0};
        for (uint64_t k = 0; k < e->count; k++)
            mean[s->label[e->row[k]]] += (long double)e->multiplier[k] * s->x[e->row[k]][j];
        apart = fmaxl(apart, fabsl(mean[0] - mean[1]));
        for (int i = 0; i < s->n; i++)
            size = fmaxl(size, fabs(s->x[i][j]));
    }
    CHECK_NOTE(fabsl(sum[0] - 1) <= 1e-12L && fabsl(sum[1] - 1) <= 1e-12L,
               "%s, set %d: %Lg and %Lg", who, set, sum[0], sum[1]);
    CHECK_NOTE(apart <= 1e-9L * size, "%s, set %d: %Lg apart, rows of %Lg", who, set, apart, size);
}

/* Where rounding hides how wide the margin is, the widest need not be known: a separator will do.
 */
static int any_width;

static enum answer ask(const margin_set *s, const char *who, const char *const *words, int set)
{
    margin_run r = margin_train(ctx, s, who, words);
    enum answer answer = UNSURE;
    if (r.status == HSP_BAD_DATA || r.status == HSP_USAGE) {
        answer = REFUSED;
        CHECK_NOTE(strlen(r.err.message) > 10, "%s, set %d: no sentence", who, set);
    } else if (r.status == HSP_OK && r.run.stop == HSP_STOP_INSEPARABLE) {
        answer = INSEPARABLE;
        CHECK_NOTE(!r.model && r.run.evidence, "%s, set %d: no evidence", who, set);
        if (r.run.evidence) check_evidence(s, r.run.evidence, who, set);
    } else if (r.status == HSP_OK && r.model && (any_width || r.run.stop == HSP_STOP_CONVERGED)) {
        answer = SEPARABLE;
        CHECK_NOTE(separates(s, r.model), "%s, set %d: it does not separate", who, set);
    } else {
        CHECK_NOTE(0, "%s, set %d: %s, stop %s: %s", who, set, hsp_status_name(r.status),
                   hsp_stop_name(r.run.stop), r.err.message);
    }
    margin_free(&r);
    return answer;
}

static const char *const hard[] = {"hard=yes", NULL};
static const char *const plain[] = {NULL};

/* The answer of both; UNSURE where they differ. */
static enum answer both(const margin_set *s, int set)
{
    const enum answer svm = ask(s, "svm", hard, set);
    if (!hsp_learner_find("lp")) return svm;
    const enum answer lp = ask(s, "lp", plain, set);
    CHECK_NOTE(svm == lp, "set %d (%d rows, %d columns): svm says %d, lp %d", set, s->n, s->d, svm,
               lp);
    return svm == lp ? svm : UNSURE;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

/* Small whole numbers: of such sets about half are separable, many just barely or just not. */
static void whole_set(margin_random *r, margin_set *s)
{
    *s = (margin_set){.n = 2 + margin_below(r, 14), .d = 1 + margin_below(r, 4)};
    s->sparse = margin_below(r, 2);
    s->single = margin_below(r, 2);
    const int wide = 1 + margin_below(r, 4);
    double w[MARGIN_COLS];
    for (int j = 0; j < s->d; j++)
        w[j] = margin_below(r, 5) - 2;
    const int by_rule = margin_below(r, 3) > 0;
    const double b = margin_below(r, 3) - 1;
    for (int i = 0; i < s->n; i++) {
        double score = b;
        for (int j = 0; j < s->d; j++)
            score += w[j] * (s->x[i][j] = margin_below(r, 2 * wide + 1) - wide);
        s->label[i] = by_rule && score != 0 ? score > 0 : margin_below(r, 2);
    }
    s->label[0] = 0, s->label[1] = 1;
}

static void random_sets(void)
{
    int seen[4] = {0};
    margin_random r = {101};
    for (int set = 0; set < 3000; set++) {
        margin_set s;
        whole_set(&r, &s);
        seen[both(&s, set)]++;
    }
    CHECK_NOTE(seen[SEPARABLE] >= 500 && seen[INSEPARABLE] >= 500, "%d separable, %d not",
               seen[SEPARABLE], seen[INSEPARABLE]);
    CHECK(seen[REFUSED] == 0);
}

/* A row of each class in the same place: never separable. */
static void opposite_duplicates(void)
{
    margin_random r = {103};
    for (int set = 0; set < 300; set++) {
        margin_set s;
        whole_set(&r, &s);
        memcpy(s.x[1], s.x[0], sizeof s.x[0]);
        CHECK(both(&s, set) == INSEPARABLE);
    }
}

static void one_class_only(void)
{
    margin_random r = {107};
    for (int set = 0; set < 20; set++) {
        margin_set s;
        whole_set(&r, &s);
        for (int i = 0; i < s.n; i++)
            s.label[i] = set % 2;
        if (set > 10) s.n = 1;
        CHECK(both(&s, set) == REFUSED);
    }
}

/* Columns of zeros, and columns of one value, change no answer; alone they separate nothing. */
static void idle_columns(void)
{
    margin_random r = {109};
    for (int set = 0; set < 300; set++) {
        margin_set s;
        whole_set(&r, &s);
        const enum answer before = both(&s, set);
        for (int i = 0; i < s.n; i++)
            s.x[i][s.d] = set % 2 ? 3 : 0;
        s.d++;
        CHECK(both(&s, set) == before);
        for (int i = 0; i < s.n; i++)
            for (int j = 0; j < s.d; j++)
                s.x[i][j] = set % 2 ? 3 : 0;
        CHECK(both(&s, set) == INSEPARABLE);
    }
    margin_set none = {.n = 2, .d = 0, .label = {0, 1}};
    const enum answer answer = both(&none, -1);
    CHECK(answer == INSEPARABLE || answer == REFUSED);
}

/* On a line, the truth is in the order: separable when one class ends before the other begins. */
static void collinear_points(void)
{
    margin_random r = {113};
    for (int set = 0; set < 600; set++) {
        margin_set s;
        whole_set(&r, &s);
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < s.n; i++) {
            const double at = s.x[i][0] = s.label[i] == 0 || set % 3 ? s.x[i][0] : s.x[i][0] + 5;
            for (int j = 1; j < s.d; j++)
                s.x[i][j] = at * j - 1;
            low[s.label[i]] = fmin(low[s.label[i]], at);
            high[s.label[i]] = fmax(high[s.label[i]], at);
        }
        const enum answer truth = high[0] < low[1] || high[1] < low[0] ? SEPARABLE : INSEPARABLE;
        CHECK_NOTE(both(&s, set) == truth, "set %d: truth %d", set, truth);
    }
}

/* A step of 1e-12 to either side of the boundary, whatever the other columns are. */
static void margin_of_1e12th(void)
{
    margin_random r = {127};
    any_width = 1;
    for (int set = 0; set < 200; set++) {
        margin_set s;
        whole_set(&r, &s);
        s.single = 0;
        for (int i = 0; i < s.n; i++)
            s.x[i][s.d] = (set % 2 ? 1 : 0) + (s.label[i] ? 1e-12 : -1e-12);
        s.d++;
        CHECK_NOTE(both(&s, set) == SEPARABLE, "set %d", set);
    }
    any_width = 0;
}

/* The answer does not depend on the unit of length. */
static void huge_and_tiny_numbers(void)
{
    margin_random r = {131};
    for (int set = 0; set < 300; set++) {
        margin_set s;
        whole_set(&r, &s);
        s.single = 0;
        const enum answer before = both(&s, set);
        for (int i = 0; i < s.n; i++)
            for (int j = 0; j < s.d; j++)
                s.x[i][j] *= set % 2 ? 1e150 : 1e-150;
        CHECK_NOTE(both(&s, set) == before, "set %d, times %s", set, set % 2 ? "1e150" : "1e-150");
    }
}

/* Small rows are rows: what others are in the same column says nothing about them. */
static void rows_far_smaller_than_others(void)
{
    static const double small[] = {1e-6, 1e-12, 1e-30, 1e-150}, large[] = {1, 1e6, 1e150};
    any_width = 1;
    for (int set = 0; set < 12; set++) {
        const double low = small[set % 4], high = large[set / 4];
        margin_set s = {.n = 4, .d = 1, .label = {1, 0, 1, 0}};
        s.x[0][0] = low, s.x[1][0] = -low, s.x[2][0] = high, s.x[3][0] = -high;
        CHECK_NOTE(both(&s, set) == SEPARABLE, "%g and %g", low, high);
    }
    any_width = 0;
}

/* sum a y x = 0, column by column, to rounding of its own terms. */
static void check_evidence_through_0(const margin_set *s, const hsp_evidence *e, int set)
{
    long double total = 0;
    for (uint64_t k = 0; k < e->count; k++)
        total += e->multiplier[k];
    CHECK_NOTE(fabsl(total - 2) <= 1e-12L, "set %d: %Lg", set, total);
    for (int j = 0; j < s->d; j++) {
        long double sum = 0, size = 0;
        for (uint64_t k = 0; k < e->count; k++) {
            const int i = (int)e->row[k];
            const long double term = (long double)e->multiplier[k] * s->x[i][j];
            sum += s->label[i] ? term : -term;
            size += fabsl(term);
        }
        CHECK_NOTE(fabsl(sum) <= 1e-14L * size, "set %d, column %d: %Lg of %Lg", set, j, sum, size);
    }
}

static enum answer ask_through_0(const margin_set *s, const char *who, const char *const *words,
                                 int set)
{
    enum answer answer = UNSURE;
    margin_run r = margin_train(ctx, s, who, words);
    CHECK_NOTE(r.status == HSP_OK || r.status == HSP_BAD_DATA, "%s, set %d: %s", who, set,
               r.err.message);
    if (r.status) { /* the weights would be out of range */
    } else if (r.run.stop == HSP_STOP_INSEPARABLE) {
        answer = INSEPARABLE;
        CHECK_NOTE(r.run.evidence, "%s, set %d: no evidence", who, set);
        if (r.run.evidence) check_evidence_through_0(s, r.run.evidence, set);
    } else if (r.model && separates(s, r.model)) {
        answer = SEPARABLE;
    }
    margin_free(&r);
    return answer;
}

/* Through the origin, a row and its multiples are on the same side: with rows of all sizes the
 * answer may become "not known", never another one. */
static void rows_of_all_sizes(void)
{
    static const char *const lp[] = {"offset=none", NULL};
    static const char *const svm[] = {"hard=yes", "offset=none", NULL};
    margin_random r = {137};
    int known = 0, seen[4] = {0};
    for (int set = 0; hsp_learner_find("lp") && set < 200; set++) {
        margin_set s;
        whole_set(&r, &s);
        s.single = 0;
        const enum answer before = ask_through_0(&s, "lp", lp, set);
        seen[before]++;
        for (int i = 0; i < s.n; i++) {
            const int exponent = margin_below(&r, 161) - 80;
            for (int j = 0; j < s.d; j++)
                s.x[i][j] = ldexp(s.x[i][j], exponent);
        }
        const enum answer after[] = {ask_through_0(&s, "lp", lp, set),
                                     ask_through_0(&s, "svm", svm, set)};
        for (int k = 0; k < 2; k++) {
            CHECK_NOTE(after[k] == before || after[k] == UNSURE, "set %d: %d, then %d", set, before,
                       after[k]);
            known += after[k] != UNSURE;
        }
    }
    CHECK_NOTE(!hsp_learner_find("lp") || (seen[SEPARABLE] >= 30 && seen[INSEPARABLE] >= 30),
               "%d separable, %d not", seen[SEPARABLE], seen[INSEPARABLE]);
    CHECK_NOTE(!hsp_learner_find("lp") || known >= 100, "%d answers", known);
}

int main(void)
{
    if (!mkdtemp(margin_folder) || hsp_context_new(NULL, &ctx)) return 1;
    hsp_context_set_threads(ctx, 1);
    RUN(random_sets);
    RUN(opposite_duplicates);
    RUN(one_class_only);
    RUN(idle_columns);
    RUN(collinear_points);
    RUN(margin_of_1e12th);
    RUN(huge_and_tiny_numbers);
    RUN(rows_far_smaller_than_others);
    RUN(rows_of_all_sizes);
    hsp_context_free(ctx);
    rmdir(margin_folder);
    return check_done();
}
