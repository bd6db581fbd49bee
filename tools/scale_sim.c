/* What a training would send and compute on more processes than there are processors here:
 *
 *     scale-sim [--weak] [--parts] [--ranks 1,2,4,8,16,32,64] DATA LEARNER [OPTION=VALUE ...]
 *
 * The processes (ranks) are threads of this program, and the algorithm is the real one: hsp_train on rows
 * that are divided among them (src/base/ranks.h). Per number of ranks, one line: the rows; the rounds, which are
 * exchanges that all ranks take part in; megabytes sent per rank; seconds of processor time of all ranks together
 * (work) and of the slowest rank between two rounds, summed up (critical path), which is the time that a job
 * would take if messages cost nothing; passes, gap and whether the run converged.
 *
 * --weak    as many rows per rank for every number of ranks: the largest gets all rows, half as many get half
 * --parts   solvers that work on parts of the rows by themselves cut them into one part per rank, instead of the
 *           fixed number that makes results independent of the number of ranks
 *
 * efficiency is the work per row of the first number of ranks divided by the critical path per row and rank: 1 if nothing is
 * done twice and nobody waits. Reading is not counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halfspace_all.h"
#include "mpi/ranks_threads.h"

enum { SIM_MOST = 32 };

typedef struct sim_job {
    const char *path, *learner;
    char **options; /* NAME=VALUE */
    int count;
    hsp_training run;
} sim_job;

static void sim_die(const char *what, const hsp_error *err)
{
    fprintf(stderr, "scale-sim: %s: %s\n", what, err ? err->message : "out of memory");
    exit(4);
}

static hsp_context *sim_context(const hsp_ranks *ranks)
{
    hsp_context *ctx = NULL;
    if (hsp_context_new(NULL, &ctx)) sim_die("context", NULL);
    hsp_context_set_threads(ctx, 1);
    hsp_context_set_ranks(ctx, ranks);
    return ctx;
}

static hsp_options *sim_options(hsp_context *ctx, const sim_job *job)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_options *options = NULL;
    char name[64];
    if (hsp_options_for(ctx, job->learner, &err, &options)) sim_die(job->learner, &err);
    for (int k = 0; k < job->count; k++) {
        const char *value = strchr(job->options[k], '=');
        if (!value || value - job->options[k] >= (ptrdiff_t)sizeof name)
            sim_die(job->options[k], NULL);
        snprintf(name, sizeof name, "%.*s", (int)(value - job->options[k]), job->options[k]);
        if (hsp_options_set(options, name, value + 1, &err)) sim_die(job->options[k], &err);
    }
    return options;
}

/* One rank: read, then train. */
static void sim_rank(void *user, const hsp_ranks *ranks)
{
    sim_job *job = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = sim_context(ranks);
    hsp_options *options = sim_options(ctx, job);
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    if (hsp_data_read(ctx, job->path, NULL, NULL, &err, &data)) sim_die(job->path, &err);
    ranks_threads_restart(ranks);
    if (hsp_train(ctx, data, options, &err, &run, &model)) sim_die(job->learner, &err);
    if (!ranks->rank) job->run = run;
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(ctx);
}

/* Every row of `data`, or the first `rows` of them in an order that does not depend on classes. */
static void sim_write(hsp_context *ctx, hsp_data *data, uint64_t rows, const char *path)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_data *some = NULL;
    uint64_t *chosen = malloc((rows + 1) * sizeof *chosen);
    if (!chosen) sim_die("rows", NULL);
    if (hsp_data_sample(data, rows, 1, &err, chosen) ||
        hsp_data_select(ctx, data, chosen, rows, &err, &some) ||
        hsp_data_write(ctx, some, path, NULL, &err))
        sim_die(path, &err);
    hsp_data_free(some);
    free(chosen);
}

/* The numbers in "1,2,4", ascending; how many. */
static int sim_numbers(const char *list, int *numbers)
{
    int count = 0;
    for (char *end; *list && count < SIM_MOST; list = *end ? end + 1 : end) {
        const long n = strtol(list, &end, 10);
        if (end == list || n < 1 || n > 256 || (*end && *end != ',') ||
            (count && n <= numbers[count - 1])) {
            fprintf(stderr,
                    "scale-sim: --ranks takes ascending numbers from 1 to 256, such as 1,2,4\n");
            exit(2);
        }
        numbers[count++] = (int)n;
    }
    return count;
}

int main(int argc, char **argv)
{
    int weak = 0, by_rank = 0, numbers[SIM_MOST], at = 1;
    int count = sim_numbers("1,2,4,8,16,32,64", numbers);
    for (; at < argc && argv[at][0] == '-'; at++) {
        weak |= !strcmp(argv[at], "--weak");
        by_rank |= !strcmp(argv[at], "--parts");
        const int known = !strcmp(argv[at], "--weak") || !strcmp(argv[at], "--parts");
        if (!strcmp(argv[at], "--ranks") && at + 1 < argc)
            count = sim_numbers(argv[++at], numbers);
        else if (!known)
            argc = 0; /* usage */
    }
    if (argc - at < 2) {
        fprintf(stderr, "usage: scale-sim [--weak] [--parts] [--ranks 1,2,4] DATA LEARNER "
                        "[OPTION=VALUE ...]\n");
        return 2;
    }
    const char *source = argv[at];
    const char *folder = getenv("TMPDIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/scale-sim-%ld.hsp", folder ? folder : "/var/tmp",
             (long)getpid());
    sim_job job = {
        .path = path, .learner = argv[at + 1], .options = argv + at + 2, .count = argc - at - 2};
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = sim_context(NULL);
    hsp_data *data = NULL;
    if (hsp_data_read(ctx, source, NULL, NULL, &err, &data)) sim_die(source, &err);
    const uint64_t all = hsp_data_rows(data);
    double first = 0; /* work per row of one rank */
    printf("%5s %10s %8s %12s %9s %9s %10s %7s %9s\n", "ranks", "rows", "rounds", "MB per rank",
           "work s", "critical", "efficiency", "passes", "gap");
    for (int k = 0; k < count; k++) {
        const int ranks = numbers[k];
        const uint64_t rows = weak ? all * (uint64_t)ranks / (uint64_t)numbers[count - 1] : all;
        uint32_t parts = 1;
        while (by_rank && parts < (uint32_t)ranks)
            parts *= 2;
        ranks_counts counts = {0};
        sim_write(ctx, data, rows, path);
        if (!ranks_threads_run(ranks, by_rank ? parts : 0, sim_rank, &job, &counts))
            sim_die("ranks", NULL);
        unlink(path);
        if (k == 0) first = counts.work / (double)rows;
        printf("%5d %10llu %8llu %12.3f %9.3f %9.3f %10.2f %7llu %9.2e%s\n", ranks,
               (unsigned long long)rows, (unsigned long long)counts.rounds,
               (double)counts.bytes * 1e-6 / ranks, counts.work, counts.critical,
               first * (double)rows / ranks / counts.critical, (unsigned long long)job.run.passes,
               job.run.convergence.gap,
               job.run.stop == HSP_STOP_CONVERGED ? "" : "  did not converge");
        fflush(stdout);
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
    return 0;
}
