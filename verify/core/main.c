/* halfspace-verify-core CERT DATA: the core alone. */
#include <signal.h>
#include <stdlib.h>

#include "core.h"

static void main_no_memory(int signal) /* GMP says so, and aborts */
{
    (void)signal;
    _Exit(HALFSPACE_NO_MEMORY);
}

int main(int argc, char **argv)
{
    static hsv_checker c = {.data.name = "data", .budget = HSV_EFFORT};
    if (argc != 3) {
        fputs("usage: halfspace-verify-core CERT DATA\n", stderr);
        return 2;
    }
    FILE *cert = fopen(argv[1], "rb");
    c.data.file = fopen(argv[2], "rb");
    c.out = stdout, c.err = stderr;
    if (!cert || !c.data.file) {
        perror(argv[cert ? 2 : 1]);
        return HALFSPACE_UNREADABLE;
    }
    signal(SIGABRT, main_no_memory);
    hsv_check(&c, cert);
    if (!fflush(stdout) && !ferror(stdout)) return c.status;
    perror("the report cannot be written");
    return HALFSPACE_NO_MEMORY;
}
