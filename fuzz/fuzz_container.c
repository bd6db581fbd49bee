/* Any bytes as a binary file: opened as a container and as a cache, and every array read; or an
 * error with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/context.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_expect(hsp_status status, const hsp_error *err)
{
    if (status != HSP_OK && (status != HSP_BAD_DATA || !err->message[0])) abort();
}

static void fuzz_container(hsp_context *ctx, const void *bytes, size_t size)
{
    hsp__container *container = NULL;
    hsp_error err = {0};
    hsp_status status = hsp__container_memory(ctx, bytes, size, "fuzz", &err, &container);
    fuzz_expect(status, &err);
    if (status == HSP_OK) fuzz_expect(hsp__container_verify(ctx, container, &err), &err);
    hsp__container_free(container);
}

static void fuzz_cache(hsp_context *ctx, const char *name, const void *bytes, size_t size)
{
    hsp_data *data = NULL;
    hsp_error err = {0};
    hsp_status status = hsp__cache_open(ctx, name, bytes, size, &err, &data);
    fuzz_expect(status, &err);
    if (status == HSP_OK) {
        const hsp_view *view;
        fuzz_expect(hsp_data_view(ctx, data, &err, &view), &err);
    }
    hsp_data_free(data);
}

/* A file is mapped without a look at the checksums, which chance would never get past. */
static void fuzz_mapped(hsp_context *ctx, const void *bytes, size_t size)
{
    char name[64];
    int fd = memfd_create("fuzz", 0);
    if (fd < 0) return;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (write(fd, bytes, size) == (ssize_t)size) fuzz_cache(ctx, name, NULL, 0);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    hsp_context *ctx;
    void *aligned = malloc(size ? size : 1);
    if (!aligned || hsp_context_new(NULL, &ctx)) {
        free(aligned);
        return 0;
    }
    hsp_context_set_threads(ctx, 1);
    memcpy(aligned, bytes, size);
    fuzz_container(ctx, aligned, size);
    fuzz_cache(ctx, "fuzz", aligned, size);
    fuzz_mapped(ctx, aligned, size);
    hsp_context_free(ctx);
    free(aligned);
    return 0;
}
