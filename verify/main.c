/* halfspace-verify CERT DATA [TEST] */
#include <errno.h>
#include <string.h>

#include "verify.h"

int main(int argc, char **argv)
{
    static const char usage[] = "usage: halfspace-verify CERT DATA [TEST]\n";
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        fputs("Checks the claims of a certificate against the data file, in exact arithmetic, and\n"
              "says what it established. Status: 0 all claims hold, 1 rejected, 2 usage, 3 a file\n"
              "cannot be read, 4 no memory. '-' is standard input.\n",
              stdout);
        return 0;
    }
    if (argc < 3 || argc > 4) {
        fputs(usage, stderr);
        return 2;
    }
    const int status =
        halfspace_verify(argv[1], argv[2], argc == 4 ? argv[3] : NULL, stdout, stderr);
    if (!fflush(stdout) && !ferror(stdout)) return status;
    fprintf(stderr, "halfspace-verify: cannot write standard output: %s\n", strerror(errno));
    return status ? status : 4;
}
