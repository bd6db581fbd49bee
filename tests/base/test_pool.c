/* The pool of threads: every worker runs once, all at the same time; calls within calls, calls from
 * several threads, and calls in a fork end as well. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"
#include "base/context.h"
#include "base/threads.h"

typedef struct meeting {
    atomic_int here;
    atomic_int ran[8];
    int workers;
} meeting;

/* Nobody leaves before all are here: so they ran at once. */
static void meet(void *user, int worker)
{
    meeting *m = user;
    atomic_fetch_add(&m->ran[worker], 1);
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < m->workers)
        usleep(10);
}

static void test_all_at_once(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (int round = 0; round < 200; round++) {
        meeting m = {.workers = 1 + round % 8};
        hsp__workers_run(ctx, m.workers, meet, &m);
        for (int i = 0; i < 8; i++)
            CHECK(atomic_load(&m.ran[i]) == (i < m.workers));
    }
    hsp_context_free(ctx);
}

typedef struct sums {
    hsp_context *ctx;
    atomic_uint_fast64_t all;
} sums;

static void add(void *user, uint64_t task)
{
    sums *s = user;
    atomic_fetch_add(&s->all, task);
}

static void add_within(void *user, uint64_t task)
{
    sums *s = user;
    sums inner = {.ctx = s->ctx};
    hsp__tasks_run(s->ctx, 10, add, &inner);
    atomic_fetch_add(&s->all, atomic_load(&inner.all) * task);
}

static void test_calls_within_calls(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 4) == HSP_OK);
    for (int round = 0; round < 50; round++) {
        sums s = {.ctx = ctx};
        hsp__tasks_run(ctx, 20, add_within, &s);
        CHECK(atomic_load(&s.all) == 45 * 190);
    }
    hsp_context_free(ctx);
}

static void *call_often(void *user)
{
    sums *s = user;
    for (int round = 0; round < 100; round++)
        hsp__tasks_run(s->ctx, 20, add, s);
    return NULL;
}

static void test_calls_from_several_threads(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 3) == HSP_OK);
    sums s = {.ctx = ctx};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, call_often, &s) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(atomic_load(&s.all) == (uint64_t)4 * 100 * 190);
    hsp_context_free(ctx);
}

/* The threads do not come along. */
static void test_a_fork(void)
{
#ifdef __SANITIZE_THREAD__
    CHECK_SKIP("the thread sanitizer starts no threads in a fork");
#endif
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 2) == HSP_OK);
    sums s = {.ctx = ctx};
    hsp__tasks_run(ctx, 20, add, &s);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* rather than wait for ever */
        hsp__tasks_run(ctx, 20, add, &s);
        hsp_context_free(ctx);
        _exit(atomic_load(&s.all) == 380 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_all_at_once);
    RUN(test_calls_within_calls);
    RUN(test_calls_from_several_threads);
    RUN(test_a_fork);
    return check_done();
}
