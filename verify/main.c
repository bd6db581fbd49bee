/* halfspace-verify [--model FILE] [--effort N] CERT DATA [TEST] */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static const char usage[] =
    "usage: halfspace-verify [--model FILE] [--effort N] CERT DATA [TEST]\n";
static const char help[] =
    "Check the claims of a certificate against the data file, in exact arithmetic, and say what "
    "was\n"
    "established. '-' is standard input.\n"
    "  --model FILE  compare the model file with the one that the certificate was made for\n"
    "  --effort N    allow N times the default work (1 to 1000000)\n"
    "Status: 0 all claims hold, 1 rejected, 2 usage, 3 a file cannot be read or takes too much "
    "work,\n"
    "4 no memory, or the report cannot be written.\n";

static void main_no_memory(int number) /* GMP says so, and aborts */
{
    (void)number;
    _Exit(HALFSPACE_NO_MEMORY);
}

int main(int argc, char **argv)
{
    const char *paths[4] = {NULL, NULL, NULL, NULL}; /* certificate, data, test, model */
    int count = 0, wrong = 0;
    unsigned long effort = 1;
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (!strcmp(argv[i], "--help")) {
            printf("%s%s", usage, help);
            return fflush(stdout) ? HALFSPACE_NO_MEMORY : 0;
        }
        if (!strcmp(argv[i], "--model") && i + 1 < argc && !paths[3])
            paths[3] = argv[++i];
        else if (!strcmp(argv[i], "--effort") && i + 1 < argc) {
            effort = strtoul(argv[++i], &end, 10);
            wrong |= !*argv[i] || *end || effort < 1 || effort > 1000000;
        } else if ((argv[i][0] == '-' && argv[i][1]) || count == 3)
            wrong = 1;
        else
            paths[count++] = argv[i];
    }
    if (wrong || count < 2) {
        fputs(usage, stderr);
        return 2;
    }
    FILE *files[4] = {NULL, NULL, NULL, NULL};
    for (int i = 0; i < 4; i++) {
        if (paths[i]) files[i] = strcmp(paths[i], "-") ? fopen(paths[i], "rb") : stdin;
        if (!paths[i] || files[i]) continue;
        fprintf(stderr, "%s: cannot be opened: %s\n", paths[i], strerror(errno));
        return HALFSPACE_UNREADABLE;
    }
    const halfspace_files in = {.cert = files[0],
                                .data = files[1],
                                .test = files[2],
                                .model = files[3],
                                .data_name = paths[1],
                                .test_name = paths[2],
                                .model_name = paths[3],
                                .effort = (unsigned)effort};
    signal(SIGABRT, main_no_memory);
    errno = 0;
    const int status = halfspace_verify_files(&in, stdout, stderr);
    if (!fflush(stdout) && !ferror(stdout)) return status;
    fprintf(stderr, "halfspace-verify: cannot write standard output: %s\n",
            strerror(errno ? errno : EIO));
    return status ? status : HALFSPACE_NO_MEMORY;
}
