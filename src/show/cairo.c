/* PNG and PDF by cairo, which is loaded when it is first needed. */
#include "show/canvas.h"

hsp_status hsp__figure_cairo(hsp_context *ctx, const hsp_figure *figure, const hsp__look *look,
                             const char *path, int pdf, hsp_error *err)
{
    (void)ctx, (void)figure, (void)look;
    return hsp__fail_at(
        err, HSP_UNSUPPORTED, path, 0, 0,
        "this build writes no %s; use a name that ends in .svg, or install cairo (on "
        "Debian libcairo2-dev) and build halfspace again",
        pdf ? "PDF" : "PNG");
}
