/* Writing: which format a name asks for, and who writes it. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/stop.h"
#include "data/data.h"
#include "data/decimals.h"
#include "data/formats.h"
#include "data/output.h"

static const hsp_option write_options[] = {
    {"to", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|libsvm|csv|tsv|hsp", NULL,
     "format of the output; auto: by the file's ending"},
};

static const hsp_option_table write_table = {"write", "options of writing", write_options,
                                             sizeof write_options / sizeof *write_options};

const hsp_option_table *hsp_write_options(void)
{
    return &write_table;
}

static hsp_status write_text(hsp_context *ctx, hsp_data *data, const hsp__origin *origin,
                             const char *path, const char *format, hsp_error *err)
{
    hsp__output *output = NULL;
    hsp_status status = hsp__output_open(ctx, path, err, &output);
    if (status) return status;
    if (strcmp(format, "libsvm") == 0)
        status = hsp__libsvm_write(ctx, data, origin, output, err);
    else
        status =
            hsp__csv_write(ctx, data, strcmp(format, "tsv") == 0 ? '\t' : ',', origin, output, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

static hsp_status write_data(hsp_context *ctx, hsp_data *data, const hsp__origin *origin,
                             const char *path, const hsp_options *options, hsp_error *err)
{
    const char *format = options ? hsp_options_text(options, "to") : "auto";
    if (strcmp(format, "auto") == 0) {
        format = hsp__format_by_name(path);
        if (!format) format = "libsvm";
    }
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_status status = strcmp(format, "hsp") == 0
                            ? hsp__cache_write(&own, data, path, err)
                            : write_text(&own, data, origin, path, format, err);
    return hsp__while(err, status, "writing", path);
}

hsp_status hsp_data_write(hsp_context *ctx, hsp_data *data, const char *path,
                          const hsp_options *options, hsp_error *err)
{
    HSP__NEED(err, ctx, data, path);
    return write_data(ctx, data, NULL, path, options, err);
}

hsp_status hsp_data_rewrite(hsp_context *ctx, hsp_data *data, const char *from,
                            const hsp_options *read, const char *path, const hsp_options *options,
                            hsp_error *err)
{
    HSP__NEED(err, ctx, data, from, read, path);
    const hsp__origin origin = {from, read};
    const int asked = strcmp(hsp_options_text(read, "precision"), "decimals") == 0;
    int there = 0;
    hsp_status status = HSP_OK;
    if (asked && !hsp__data_is_exact(data)) status = hsp__decimals_there(ctx, from, err, &there);
    return status ? status : write_data(ctx, data, there ? &origin : NULL, path, options, err);
}
