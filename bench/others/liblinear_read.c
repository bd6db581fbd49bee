/* Time exactly the reading of LIBLINEAR's own program, unchanged as the distribution built it.
 *
 * liblinear-train has no way to only read. But the first thing its main() does behind
 * read_problem() is to call check_parameter() in liblinear.so. Preloaded, this file answers that
 * call instead: it prints the time since the process started its main program, and ends the process
 * before any training.
 *
 *     LD_PRELOAD=liblinear_read.so liblinear-train FILE /dev/null */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double start;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    start = now();
}

/* LIBLINEAR's struct problem begins so. */
struct problem {
    int rows, cols;
};

const char *check_parameter(const struct problem *problem, const void *parameter);

const char *check_parameter(const struct problem *problem, const void *parameter)
{
    double seconds = now() - start;
    struct rusage usage;
    (void)parameter;
    getrusage(RUSAGE_SELF, &usage);
    printf("seconds=%.6f rows=%d cols=%d peak=%lld\n", seconds, problem->rows, problem->cols,
           (long long)usage.ru_maxrss * 1024);
    fflush(stdout);
    _exit(0);
}
