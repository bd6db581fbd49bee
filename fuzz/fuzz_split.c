/* Any bytes as a file that is split: an error, or two parts which, put together in the order of the
 * records, are the file, byte for byte, with the header in both. The first byte chooses options,
 * the second the size of blocks. The parts go through pipes, so that no disk is waited for. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/context.h"
#include "data/split.h"
#include "halfspace_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_MOST 30000 /* what a pipe holds for sure, header and all */

static void fuzz_set(hsp_options *options, const char *name, const char *value)
{
    if (hsp_options_set(options, name, value, NULL)) abort();
}

static hsp_options *fuzz_options(hsp_context *ctx, uint8_t choice, const char **format)
{
    static const char *const formats[] = {"csv", "libsvm", "tsv", "csv"};
    static const char *const labels[] = {"last", "none", "1", "last"};
    static const char *const separators[] = {"auto", "space", ";", "auto"};
    hsp_options *options = NULL;
    if (hsp_options_new(ctx, hsp_split_file_options(), NULL, &options)) abort();
    *format = formats[choice & 3];
    fuzz_set(options, "format", *format);
    fuzz_set(options, "test", choice & 4 ? "0.5" : "1");
    fuzz_set(options, "label", labels[choice >> 3 & 3]);
    fuzz_set(options, "separator", separators[choice >> 5 & 3]);
    if (choice & 128) fuzz_set(options, "group", strcmp(*format, "libsvm") == 0 ? "qid" : "1");
    return options;
}

static char *fuzz_drain(int fd, size_t *size)
{
    char *text = malloc(2 * FUZZ_MOST);
    ssize_t got;
    *size = 0;
    while ((got = read(fd, text + *size, 2 * FUZZ_MOST - *size)) > 0)
        *size += (size_t)got;
    return text;
}

/* The records of the file, one after the other, each the next of its part. */
static void fuzz_compare(hsp_context *ctx, const hsp__split_scan *scan, const hsp_options *options,
                         const uint8_t *bytes, size_t size, char *const parts[2],
                         const size_t sizes[2])
{
    const hsp__split_rows rows = {scan->rows, scan->labels, scan->classes.count + 1, scan->groups,
                                  scan->group_names.count};
    unsigned char *side = calloc(scan->rows, 1);
    size_t at[2] = {scan->prefix, scan->prefix}, from = scan->prefix;
    if (hsp__split_choose(ctx, &rows, options, NULL, side)) abort();
    for (int part = 0; part < 2; part++)
        if (sizes[part] <= from || memcmp(parts[part], bytes, from) != 0) abort();
    for (uint64_t i = 0; i < scan->rows; i++) {
        const int part = side[i];
        const size_t record = scan->sizes[i];
        if (at[part] + record > sizes[part] ||
            memcmp(parts[part] + at[part], bytes + from, record) != 0)
            abort();
        at[part] += record;
        from += record;
    }
    if (from != size || at[0] != sizes[0] || at[1] != sizes[1]) abort();
    free(side);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 3 || size > FUZZ_MOST) return 0;
    hsp_context *ctx = NULL;
    const char *format;
    if (hsp_context_new(NULL, &ctx)) abort();
    ctx->block_bytes = 1u + bytes[1];
    hsp_options *options = fuzz_options(ctx, bytes[0], &format);
    bytes += 2;
    size -= 2;
    int in = memfd_create("fuzz", MFD_CLOEXEC), out[2][2];
    if (in < 0 || write(in, bytes, size) != (ssize_t)size) abort();
    char paths[3][32], *parts[2];
    size_t sizes[2];
    snprintf(paths[0], sizeof paths[0], "/proc/self/fd/%d", in);
    for (int part = 0; part < 2; part++) {
        if (pipe2(out[part], O_CLOEXEC)) abort();
        snprintf(paths[1 + part], sizeof paths[0], "/proc/self/fd/%d", out[part][1]);
    }
    hsp_status status = hsp_split_file(ctx, paths[0], options, paths[1], paths[2], NULL, NULL);
    if (status == HSP_IO) abort(); /* nothing is wrong with the files */
    for (int part = 0; part < 2; part++) {
        close(out[part][1]);
        parts[part] = fuzz_drain(out[part][0], &sizes[part]);
        close(out[part][0]);
    }
    /* packed bytes come out unpacked: nothing to compare with here */
    hsp__source *source = NULL;
    if (!status && !hsp__source_open(ctx, paths[0], NULL, &source) && !source->unpacker) {
        hsp__split_scan scan;
        hsp__split_scan_init(&scan, ctx, "fuzz");
        if (hsp__split_scan_run(&scan, source, format, options, NULL)) abort();
        fuzz_compare(ctx, &scan, options, bytes, size, parts, sizes);
        hsp__split_scan_free(&scan);
    }
    hsp__source_free(source);
    free(parts[0]);
    free(parts[1]);
    close(in);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return 0;
}
