/* What the sections of a report share: warnings, failures that are no errors, tables, bars. */
#include "show/html_page.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"

/* ---- Warnings and failures ---- */

static void page_keep(hsp__page *page, const char *sentence)
{
    for (uint64_t i = 0; i < page->warning_count; i++)
        if (strcmp(page->warnings[i], sentence) == 0) return;
    if (!hsp__reserve(&page->ctx.allocator, &page->warnings, &page->warning_room,
                      page->warning_count + 1, sizeof *page->warnings)) {
        page->failed = 1;
        return;
    }
    char *copy = hsp__copy_text(&page->ctx.allocator, sentence, strlen(sentence));
    page->failed |= !copy;
    if (copy) page->warnings[page->warning_count++] = copy;
}

void hsp__page_warn(hsp__page *page, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    page_keep(page, sentence);
}

/* What the library warns of while it reads and measures belongs in the report. */
void hsp__page_log(void *user, hsp_log_level level, const char *sentence)
{
    hsp__page *page = user;
    char whole[1024];
    const size_t size = strlen(sentence);
    if (level != HSP_LOG_WARNING) return;
    snprintf(whole, sizeof whole, "%s%s", sentence, size && sentence[size - 1] == '.' ? "" : ".");
    if (*whole >= 'a' && *whole <= 'z') *whole -= 'a' - 'A';
    page_keep(page, whole);
}

hsp_status hsp__page_excuse(hsp__page *page, hsp_status status, hsp_error *err, const char **why)
{
    if (status != HSP_USAGE && status != HSP_BAD_DATA && status != HSP_UNSUPPORTED) return status;
    const size_t size = sizeof err->file + sizeof err->message + 64;
    char *text = hsp__scratch_new(&page->memory, size, 1);
    if (!text) return hsp__fail_memory(err);
    *why = hsp_error_text(err, text, size);
    *err = (hsp_error)HSP_ERROR_INIT;
    return HSP_OK;
}

/* ---- Rows ---- */

hsp_status hsp__page_sample(hsp__page *page, uint64_t count, hsp_error *err, hsp_data **out)
{
    hsp_data *data = page->measured->data;
    if (count >= page->measured->view->rows) return HSP_OK;
    uint64_t *rows = hsp__scratch_new(&page->memory, count, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    HSP__TRY(hsp_data_sample(data, count, (uint64_t)hsp_options_integer(page->options, "seed"), err,
                             rows));
    return hsp_data_select(&page->ctx, data, rows, count, err, out);
}

/* ---- Pieces of a page ---- */

const char *hsp__page_whose(const hsp__page *page)
{
    const int test = page->measured == &page->test;
    switch (page->measured->trained) {
    case HSP__TRAINED_YES:
        return "training rows";
    case HSP__TRAINED_NO:
        return test ? "test rows" : "rows that the model was not trained on";
    default:
        return test ? "test rows" : "rows";
    }
}

void hsp__page_table(hsp__page *page, const char *name, const char *head)
{
    hsp__html(page->html,
              "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">\n<table "
              "class=\"%s\">\n",
              name, head ? "list" : "facts");
    if (head) {
        hsp__text_puts(page->html, "<thead><tr>");
        hsp__text_puts(page->html, head);
        hsp__text_puts(page->html, "</tr></thead>\n");
    }
    hsp__text_puts(page->html, "<tbody>\n");
}

void hsp__page_table_end(hsp__page *page)
{
    hsp__text_puts(page->html, "</tbody>\n</table>\n</div>\n");
}

enum { PAGE_FOLDED = 20, PAGE_LISTED = 1000 }; /* classes */

uint32_t hsp__page_fold(hsp__page *page, const char *what)
{
    const uint32_t listed = page->classes < PAGE_LISTED ? page->classes : PAGE_LISTED;
    if (page->classes > PAGE_FOLDED)
        hsp__html(page->html, "<details>\n<summary>%s of %s%s classes</summary>\n", what,
                  listed < page->classes ? "the first 1,000 of " : "",
                  hsp__shown_count(page->classes).text);
    return listed;
}

void hsp__page_fold_end(hsp__page *page)
{
    if (page->classes > PAGE_FOLDED) hsp__text_puts(page->html, "</details>\n");
}

void hsp__page_bar(hsp__page *page, double length)
{
    const hsp__shown shown = hsp__shown_length(isfinite(length) ? length : 0);
    hsp__html(page->html,
              "<svg class=\"bar\" width=\"80\" height=\"9\" aria-hidden=\"true\" "
              "focusable=\"false\"><rect class=\"track\" width=\"100%%\" height=\"9\"/><rect "
              "width=\"%s\" height=\"9\"/></svg>",
              shown.text);
}

uint64_t hsp__page_uses(const hsp__page *page, const char *column)
{
    const uint64_t features = hsp_model_features(page->model);
    uint64_t used = 0;
    if (!hsp_model_encoding(page->model) || features > 100000) return UINT64_MAX;
    for (uint64_t j = 0; j < features; j++) {
        const char *source = hsp_model_feature_source(page->model, j);
        used += source && strcmp(source, column) == 0;
    }
    return used;
}
