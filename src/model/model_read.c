/* A model, whichever program wrote the file. */
#include "base/base.h"
#include "data/formats.h"
#include "model/model.h"

hsp_status hsp_model_read(hsp_context *ctx, const char *path, hsp_error *err, hsp_model **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp_file_kind kind = HSP_FILE_UNKNOWN;
    if (hsp_file_kind_of(ctx, path, NULL, &kind) == HSP_NO_MEMORY) return hsp__fail_memory(err);
    if (kind == HSP_FILE_LIBSVM_MODEL || kind == HSP_FILE_LIBLINEAR_MODEL)
        return hsp_model_import(ctx, path, err, out);
    hsp_status status = hsp__model_file_read(ctx, path, err, out);
    status = hsp__kind_explain(ctx, path, HSP_FILE_MODEL, status, err);
    return hsp__while(err, status, "reading", path);
}
