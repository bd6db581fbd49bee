/* Any bytes as a certificate, a data file and, where there is a third part, a test file, with zero
 * bytes between them. The hashes in the certificate are made right first, so that what is behind
 * them is reached. A certificate is verified or not, twice the same; and not without its last
 * bracket. */
#include <stdlib.h>
#include <string.h>

#include "verify/full.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_hash(char *cert, size_t size, int nth, const char *data, size_t data_size)
{
    static const char mark[] = "\"sha256\":";
    char digest[65];
    char *at = cert, *end = cert + size;
    for (; nth >= 0; nth--) {
        if (!(at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) return;
        at += sizeof mark - 1;
    }
    while (at < end && (*at == ' ' || *at == '"'))
        at++;
    if (end - at < 64) return;
    hsv_digest(data, data_size, digest);
    memcpy(at, digest, 64);
}

static int fuzz_verify(char *const part[3], const size_t size[3], FILE *out)
{
    FILE *files[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        if (part[i]) files[i] = fmemopen(part[i], size[i], "rb");
    int status = HALFSPACE_UNREADABLE;
    if (files[0] && files[1])
        status = halfspace_verify_streams(files[0], files[1], files[2], out, NULL);
    for (int i = 0; i < 3; i++)
        if (files[i]) fclose(files[i]);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *part[3] = {NULL, NULL, NULL};
    size_t sizes[3] = {0, 0, 0}, at = 0;
    if (size > 1 << 14) return 0;
    for (int i = 0; i < 3 && at <= size; i++) {
        const uint8_t *end = at < size ? memchr(bytes + at, 0, size - at) : NULL;
        sizes[i] = i < 2 && end ? (size_t)(end - bytes) - at : size - at;
        if (!sizes[i] || !(part[i] = malloc(sizes[i]))) break;
        memcpy(part[i], bytes + at, sizes[i]);
        at += sizes[i] + 1;
    }
    if (part[0] && part[1]) {
        for (int i = 1; i < 3; i++)
            if (part[i]) fuzz_hash(part[0], sizes[0], i - 1, part[i], sizes[i]);
        FILE *nowhere = fopen("/dev/null", "w");
        const int status = fuzz_verify(part, sizes, nowhere);
        if (status != HALFSPACE_VERIFIED && status != HALFSPACE_REJECTED &&
            status != HALFSPACE_UNREADABLE)
            abort();
        if (status != fuzz_verify(part, sizes, NULL)) abort();
        while (sizes[0] && part[0][sizes[0] - 1] != '}')
            sizes[0]--;
        if (sizes[0] > 1) {
            sizes[0]--;
            if (fuzz_verify(part, sizes, NULL) == HALFSPACE_VERIFIED) abort();
        }
        if (nowhere) fclose(nowhere);
    }
    for (int i = 0; i < 3; i++)
        free(part[i]);
    return 0;
}
