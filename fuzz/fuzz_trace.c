/* Any bytes as a trace of a perceptron run: steps with finite numbers and changes in ascending order,
 * or an error with a sentence. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "show/trace_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    hsp_context *ctx;
    hsp_error err = {0};
    hsp__trace_file trace;
    if (hsp_context_new(NULL, &ctx)) return 0;
    if (hsp__trace_file_parse(ctx, (const char *)bytes, size, "fuzz", &err, &trace)) {
        if (!err.message[0]) abort();
        hsp_context_free(ctx);
        return 0;
    }
    for (uint64_t k = 0; k < trace.count; k++) {
        const hsp__trace_step *step = &trace.steps[k];
        if (!isfinite(step->score) || !isfinite(step->offset)) abort();
        if (step->first > step[1].first || step[1].first > trace.change_count) abort();
        for (uint64_t c = step->first; c < step[1].first; c++) {
            if (!isfinite(trace.changes[c].weight)) abort();
            if (c > step->first && trace.changes[c].column <= trace.changes[c - 1].column) abort();
        }
    }
    hsp__trace_file_free(&trace);
    hsp_context_free(ctx);
    return 0;
}
