/* Commands that readers of a report can type: options as words of a shell. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/options.h"
#include "show/html_page.h"

const char *hsp__page_option(const hsp_options *options, const hsp_option *option,
                             char room[HSP__PAGE_OPTION])
{
    const char *name = option->name;
    size_t size = 0;
    if (option->type == HSP_OPTION_FLAG) return hsp_options_flag(options, name) ? "yes" : "no";
    if (!option->fallback && !hsp_options_is_set(options, name)) return NULL;
    if (option->type == HSP_OPTION_REAL)
        return hsp_number_text(hsp_options_real(options, name), HSP_FLOAT64, room);
    if (option->type == HSP_OPTION_INTEGER) {
        const int64_t value = hsp_options_integer(options, name);
        const char *word = hsp__option_word(option, value);
        snprintf(room, HSP__PAGE_OPTION, "%lld", (long long)value);
        return word ? word : room;
    }
    if (option->type != HSP_OPTION_LIST) return hsp_options_text(options, name);
    for (size_t i = 0; i < hsp_options_list_count(options, name) && size < HSP__PAGE_OPTION; i++)
        size += (size_t)snprintf(room + size, HSP__PAGE_OPTION - size, "%s%s", i ? " " : "",
                                 hsp_options_list_item(options, name, i));
    return size ? room : NULL;
}

int hsp__page_is_default(const hsp_option *option, const char *value)
{
    double number, usual;
    const char *fallback = option->fallback                  ? option->fallback
                           : option->type == HSP_OPTION_FLAG ? "no"
                                                             : NULL;
    if (!fallback) return 0;
    if (strcmp(fallback, value) == 0) return 1;
    return (option->type == HSP_OPTION_REAL || option->type == HSP_OPTION_INTEGER) &&
           hsp__decimal_text(value, &number) && hsp__decimal_text(fallback, &usual) &&
           number == usual;
}

/* The options that are set and do not have their defaults, as they are typed:
 * " --ignore customer". */
static void commands_add(hsp__text *to, const hsp_options *options)
{
    const hsp_option_table *table = hsp_options_table(options);
    char room[HSP__PAGE_OPTION];
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        const int list = option->type == HSP_OPTION_LIST;
        const char *value = hsp__page_option(options, option, room);
        if (!hsp_options_is_set(options, option->name) || !value) continue;
        if (hsp__page_is_default(option, value)) continue;
        const size_t count = list ? hsp_options_list_count(options, option->name) : 1;
        for (size_t k = 0; k < count; k++) {
            hsp__text_printf(to, " --%s", option->name);
            if (option->type == HSP_OPTION_FLAG && strcmp(value, "yes") == 0) continue;
            hsp__text_puts(to, option->type == HSP_OPTION_FLAG ? "=" : " ");
            hsp__html_argument(to, list ? hsp_options_list_item(options, option->name, k) : value);
        }
    }
}

/* A word as a shell takes it; several files, which are lines here, are several words. */
static void commands_word(hsp__text *line, const char *word)
{
    char *lines = hsp__copy_text(&line->memory, word, strlen(word)), *rest = lines;
    line->failed |= !lines;
    for (char *one; rest && (one = strsep(&rest, "\n"));) {
        hsp__html_argument(line, one);
        if (rest) hsp__text_puts(line, " ");
    }
    hsp__free(&line->memory, lines);
}

/* Words, the last NULL, and options, as a block of code. */
static void commands_put(hsp__page *page, const char *const *words, const hsp_options *first,
                         const hsp_options *second)
{
    hsp__text line;
    hsp__text_init(&line, &page->ctx.allocator);
    for (size_t i = 0; words[i]; i++) {
        if (i) hsp__text_puts(&line, " ");
        commands_word(&line, words[i]);
    }
    if (first) commands_add(&line, first);
    if (second) commands_add(&line, second);
    page->html->failed |= line.failed;
    if (!line.failed)
        hsp__html(page->html, "<pre tabindex=\"0\"><code>%s</code></pre>\n", line.data);
    hsp__text_free(&line);
}

void hsp__page_command(hsp__page *page, int read, const char *const *words)
{
    commands_put(page, words, read ? page->read : NULL, NULL);
}

void hsp__page_train_command(hsp__page *page)
{
    const char *const words[] = {"halfspace",
                                 "train",
                                 hsp_model_metadata(page->model, "learner"),
                                 page->data.trained == HSP__TRAINED_YES ? page->data.path : "DATA",
                                 "-o",
                                 page->model_path,
                                 NULL};
    commands_put(page, words, page->learner, page->read);
}

void hsp__page_report_command(hsp__page *page)
{
    const char *const words[] = {"halfspace",   "report", page->model_path, page->data.path, "-o",
                                 "report.html", NULL};
    commands_put(page, words, page->given, page->read);
}
