/* Figures of a report, as SVG in the page. */
#include "base/base.h"
#include "show/html_page.h"

hsp_status hsp__page_figure(hsp__page *page, const char *kind, int say, hsp_error *err)
{
    (void)page, (void)kind, (void)say, (void)err;
    return HSP_OK;
}

hsp_status hsp__page_margin_figure(hsp__page *page, hsp_error *err)
{
    (void)page, (void)err;
    return HSP_OK;
}
