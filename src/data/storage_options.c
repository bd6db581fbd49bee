/* Storage and precision as the options of reading ask. A storage of auto, and a precision of auto,
 * keep what is there: a cache written in double stays double. The data set that came in is
 * never freed here: the caller compares. */
#include <string.h>

#include "data/data.h"
#include "data/formats.h"
#include "data/precision.h"
#include "data/convert_storage.h"

static hsp_storage storage_options_storage(const hsp_options *options, hsp_storage now)
{
    const char *asked = hsp_options_text(options, "storage");
    if (strcmp(asked, "dense") == 0) return HSP_DENSE;
    if (strcmp(asked, "sparse") == 0) return HSP_SPARSE;
    if (strcmp(asked, "ones") == 0) return HSP_ONES;
    return now;
}

hsp_precision hsp__restore_precision(hsp_context *ctx, const hsp_options *options,
                                     const hsp_view *view)
{
    const char *asked = hsp_options_text(options, "precision");
    if (strcmp(asked, "double") == 0) return HSP_FLOAT64;
    if (strcmp(asked, "single") == 0) return HSP_FLOAT32;
    if (strcmp(asked, "mixed") == 0 && hsp__view_fits_single(ctx, view)) return HSP_FLOAT32;
    return view->precision;
}

hsp_status hsp__data_restore(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_error *err, hsp_data **out)
{
    const hsp_view *view = &data->view;
    hsp__storage_change plan = {.storage = storage_options_storage(options, view->storage),
                                .precision = hsp__restore_precision(ctx, options, view),
                                .cols = view->cols,
                                .phase = "changing the storage"};
    if (plan.storage == view->storage && plan.precision == view->precision) {
        *out = data;
        return HSP_OK;
    }
    return hsp__data_convert_storage(ctx, data, &plan, err, out);
}
