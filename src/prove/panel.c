/* The mistakes of winnow on a disjunction, and of a panel of experts.
 *
 * Winnow. The theorem is about rows of zeros and ones whose label says whether one of k columns is
 * on. Which columns those are is looked for: none of them may be on in a negative row, and of those
 * that are not, the one that is on in most of the positive rows that are left is taken, again and
 * again. Few columns make a low bound; any will do for a true one.
 *
 * Experts. The checker makes the run again by itself; what is claimed is how it came out, and who
 * was the best. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/scale.h"
#include "prove/panel.h"

/* ---- A disjunction --------------------------------------------------------------------------- */

typedef struct panel_cover {
    const hsp__prove_file *file;
    unsigned char *off; /* cols: on in a negative row, or taken */
    unsigned char *in;  /* cols: taken */
    unsigned char *met; /* rows: one of those taken is on */
    uint64_t *count;    /* cols: positive rows left that it is on in */
} panel_cover;

/* What no disjunction has; NULL: nothing. */
static const char *panel_look(panel_cover *m)
{
    const hsp_view *view = m->file->rows;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(view, &row, k);
            if (x != 0 && x != 1) return "the theorem is about rows of zeros and ones";
            if (x == 1 && m->file->y[i] < 0) m->off[hsp__row_column(&row, k)] = 1;
        }
    }
    return NULL;
}

/* One more column; 0: none is left that helps. */
static int panel_take(panel_cover *m)
{
    const hsp_view *view = m->file->rows;
    uint64_t best = view->cols;
    memset(m->count, 0, view->cols * sizeof *m->count);
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; m->file->y[i] > 0 && !m->met[i] && k < row.count; k++)
            m->count[hsp__row_column(&row, k)] += hsp__row_value(view, &row, k) == 1;
    }
    for (uint64_t j = 0; j < view->cols; j++)
        if (!m->off[j] && m->count[j] && (best == view->cols || m->count[j] > m->count[best]))
            best = j;
    if (best == view->cols) return 0;
    m->in[best] = m->off[best] = 1;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            if (hsp__row_column(&row, k) == best && hsp__row_value(view, &row, k) == 1)
                m->met[i] = 1;
    }
    return 1;
}

static const char *panel_find(panel_cover *m)
{
    const char *why = panel_look(m);
    if (why) return why;
    while (panel_take(m))
        continue;
    for (uint64_t i = 0; i < m->file->rows->rows; i++)
        if (m->file->y[i] > 0 && !m->met[i]) return "the labels are no disjunction of columns";
    return NULL;
}

static hsp_status panel_disjunction(hsp__prove *prove, hsp_error *err, unsigned char **in,
                                    const char **why)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const uint64_t d = prove->data.rows->cols, n = prove->data.rows->rows;
    panel_cover m = {.file = &prove->data,
                     .off = hsp__new(memory, d, 1),
                     .in = hsp__new(memory, d, 1),
                     .met = hsp__new(memory, n, 1),
                     .count = hsp__new(memory, d, sizeof *m.count)};
    hsp_status status = m.off && m.in && m.met && m.count ? HSP_OK : hsp__fail_memory(err);
    if (!status) *why = panel_find(&m);
    hsp__free(memory, m.off);
    hsp__free(memory, m.met);
    hsp__free(memory, m.count);
    *in = m.in; /* the caller frees it, also after a failure */
    return status;
}

/* ---- Winnow ---------------------------------------------------------------------------------- */

static hsp_status winnow_claim(hsp__prove *prove, const hsp_options *told, const unsigned char *in,
                               const uint64_t *count, hsp_error *err)
{
    hsp__text *text = &prove->claims;
    const double threshold = hsp_options_is_set(told, "threshold")
                                 ? hsp_options_real(told, "threshold")
                                 : (double)prove->model->features;
    uint64_t some = 0, total = 0;
    hsp__prove_begin(prove, "mistakes");
    hsp__text_printf(text, ", \"learner\": \"winnow\", \"variant\": \"%s\", \"alpha\": \"",
                     hsp_options_text(told, "variant"));
    hsp__prove_put_exact(text, 1 + hsp_options_real(told, "delta"));
    hsp__text_puts(text, "\", \"threshold\": \"");
    hsp__prove_put_short(text, threshold);
    hsp__text_puts(text, "\",\n     \"disjunction\": [");
    for (uint64_t j = 0; j < prove->data.rows->cols; j++)
        if (in[j]) hsp__text_printf(text, "%s%llu", some++ ? ", " : "", (unsigned long long)j + 1);
    hsp__text_puts(text, "],\n     \"updates\": [");
    some = 0;
    for (uint64_t i = 0; i < prove->data.rows->rows; i++) {
        total += count[i];
        if (count[i])
            hsp__text_printf(text, "%s[%llu, %llu]", some++ ? ", " : "", (unsigned long long)i + 1,
                             (unsigned long long)count[i]);
    }
    hsp__text_printf(text, "], \"total\": %llu", (unsigned long long)total);
    return hsp__prove_end(prove, err, "mistakes");
}

/* Updates per row; why they are not known, or NULL. */
static const char *winnow_count(const hsp__prove *prove, uint64_t *count)
{
    const hsp_updates updates = hsp_model_updates(prove->model);
    const char *made = hsp_model_fact(prove->model, "updates");
    char text[32];
    uint64_t total = 0;
    for (uint64_t k = 0; k < updates.count; k++) {
        const uint64_t i = updates.row[k];
        if (i >= prove->data.rows->rows || updates.amount[k] * prove->data.y[i] < 0)
            return "the run was on other rows than those of this file";
        count[i] += (uint64_t)llround(fabs(updates.amount[k]));
        total += (uint64_t)llround(fabs(updates.amount[k]));
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)total);
    return made && strcmp(made, text) == 0 ? NULL : "the model does not keep all its updates";
}

static const char *winnow_refuse(const hsp__prove *prove, const hsp_options *told)
{
    if (prove->why) return prove->why;
    if (strcmp(hsp_options_text(told, "variant"), "balanced") == 0)
        return "the theorem about disjunctions is one of winnow1 and winnow2";
    if (hsp_options_is_set(told, "threshold") && hsp_options_real(told, "threshold") < 1)
        return "the theorem asks for a threshold of 1 at least";
    if (hsp_model_fact(prove->model, "divided_by")) return "the model was brought to unit form";
    return NULL;
}

static hsp_status winnow_prove(hsp__prove *prove, const hsp_options *told, hsp_error *err)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const char *why = winnow_refuse(prove, told);
    unsigned char *in = NULL;
    uint64_t *count = hsp__new(memory, prove->data.rows->rows, sizeof *count);
    hsp_status status = count ? HSP_OK : hsp__fail_memory(err);
    if (!status && !why) why = winnow_count(prove, count);
    if (!status && !why) status = panel_disjunction(prove, err, &in, &why);
    if (!status && why)
        status = hsp__prove_skip(prove, err, "mistakes", "%s", why);
    else if (!status)
        status = winnow_claim(prove, told, in, count, err);
    hsp__free(memory, in);
    hsp__free(memory, count);
    return status;
}

/* ---- Experts --------------------------------------------------------------------------------- */

static const hsp_scaling *experts_votes(const hsp_model *model)
{
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i] && hsp__scaling_is_votes(model->scalings[i]))
            return model->scalings[i];
    return NULL;
}

static const char *experts_refuse(const hsp__prove *prove, const hsp_options *told)
{
    const hsp_model *model = prove->model;
    char text[32];
    const char *examples = hsp_model_fact(model, "examples");
    if (hsp_options_flag(told, "randomized"))
        return "the run followed experts by chance, and the theorem is about the majority";
    if (strcmp(hsp_options_text(told, "order"), "cyclic") != 0)
        return "the rows were shuffled, and the checker plays them in the file's order";
    if (strcmp(hsp_options_text(told, "scale"), "none") != 0)
        return "the columns were scaled before they voted";
    if (!experts_votes(model)) return "the model does not say how numbers became votes";
    snprintf(text, sizeof text, "%llu",
             (unsigned long long)(prove->data.view->rows *
                                  (uint64_t)hsp_options_integer(told, "passes")));
    if (!examples || strcmp(examples, text) != 0)
        return "the run did not go over all rows of this file in every pass";
    return model->features == prove->data.view->cols ? NULL
                                                     : "the model has other columns than this file";
}

static const char *experts_fact(const hsp_model *model, const char *name)
{
    const char *fact = hsp_model_fact(model, name);
    return fact ? fact : "0";
}

static hsp_status experts_prove(hsp__prove *prove, const hsp_options *told, hsp_error *err)
{
    static const char *const ties[] = {
        [HSP_TIE_NEG] = "negative", [HSP_TIE_POS] = "positive", [HSP_TIE_ZERO] = "mistake"};
    const hsp_model *model = prove->model;
    const char *why = experts_refuse(prove, told);
    hsp__text *text = &prove->claims;
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    const hsp_scaling *votes = experts_votes(model);
    hsp__prove_begin(prove, "mistakes");
    hsp__text_puts(text, ", \"learner\": \"experts\", \"beta\": \"");
    hsp__prove_put_short(text, hsp_options_real(told, "beta"));
    hsp__text_printf(text, "\", \"negated\": %s,\n     \"abstain\": [",
                     hsp_options_flag(told, "negated") ? "true" : "false");
    for (uint64_t j = 0, some = 0; j < model->features; j++)
        if (hsp__scaling_abstains(votes, j))
            hsp__text_printf(text, "%s%llu", some++ ? ", " : "", (unsigned long long)j + 1);
    hsp__text_printf(text, "], \"tie\": \"%s\", \"passes\": %lld, \"total\": %s", ties[model->tie],
                     (long long)hsp_options_integer(told, "passes"),
                     experts_fact(model, "mistakes"));
    hsp__text_printf(text,
                     ",\n     \"best\": {\"column\": %llu, \"negated\": %s, \"mistakes\": \"%s\"}",
                     strtoull(experts_fact(model, "best_column"), NULL, 10) + 1, /* from 0 */
                     experts_fact(model, "best_negated"), experts_fact(model, "best_mistakes"));
    return hsp__prove_end(prove, err, "mistakes");
}

hsp_status hsp__prove_panel(hsp__prove *prove, const char *learner, hsp_error *err)
{
    hsp_options *told = NULL;
    hsp_status status = HSP_OK;
    for (size_t i = 0; !told && !status && hsp_learner(i); i++)
        if (strcmp(hsp_learner(i)->name, learner) == 0)
            status = hsp_options_new(prove->ctx, hsp_learner(i), err, &told);
    if (!status) status = hsp_model_set_options(prove->model, told, err);
    if (!status)
        status = strcmp(learner, "winnow") == 0 ? winnow_prove(prove, told, err)
                                                : experts_prove(prove, told, err);
    hsp_options_free(told);
    return status;
}
