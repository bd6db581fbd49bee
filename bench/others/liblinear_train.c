/* Time exactly the training of LIBLINEAR's own program, unchanged as the distribution built it.
 *
 * liblinear-train calls train() in liblinear.so between reading and saving. Preloaded, this file
 * takes that call, passes it on, and says on standard error how long it took.
 *
 *     LD_PRELOAD=liblinear_train.so liblinear-train ... FILE MODEL */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *train(const void *problem, const void *parameter);

void *train(const void *problem, const void *parameter)
{
    void *(*real)(const void *, const void *);
    *(void **)&real = dlsym(RTLD_NEXT, "train");
    const double start = now();
    void *model = real(problem, parameter);
    fprintf(stderr, "train_seconds=%.6f\n", now() - start);
    return model;
}
