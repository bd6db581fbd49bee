/* Run a command and print what it cost, in one line of "key=value" words:
 *
 *     elapsed COMMAND [ARGUMENT ...]
 *
 * seconds by the clock, from before the process is made to after it has ended; cpu: its processor
 * time on all threads; peak: its largest resident memory. The command's output goes to standard
 * error. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static double elapsed_seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: elapsed COMMAND [ARGUMENT ...]\n");
        return 2;
    }
    const double start = bench_clock(CLOCK_MONOTONIC);
    const pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("elapsed");
        return 4;
    }
    const double seconds = bench_clock(CLOCK_MONOTONIC) - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    printf("seconds=%.6f cpu=%.6f peak=%lld\n", seconds,
           elapsed_seconds(usage.ru_utime) + elapsed_seconds(usage.ru_stime),
           (long long)usage.ru_maxrss * 1024);
    return 0;
}
