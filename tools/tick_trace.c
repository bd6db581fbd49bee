/* Measures how long the command works without asking whether it must stop.
 *
 * Linked into build/halfspace-ticks only: the linker puts the functions below in place of those of
 * base/stop.h that ask (ld --wrap). Every gap of more than TRACE_LEAST seconds is a line of the
 * file that HSP_TICKS names: which thread, seconds, processor seconds of the thread and of the
 * process, and two stacks as addresses: where the thread was in the middle of the gap, and where it
 * asked at last.
 *
 * With HSP_TICKS_PLANT the file gets such a line at the start, of planted_gap.
 *
 * The first thread asks the user; its gaps count by the clock, and only calls that reach the user
 * end one. The others wait much of their time: their gaps are processor time. */
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"
#include "learn/watch.h"

#define TRACE_LEAST 0.02
#define TRACE_DEPTH 24

typedef struct trace_thread {
    int begun, first;              /* the first thread of the process */
    double clock, own, all;        /* at the last tick */
    void *middle[TRACE_DEPTH];     /* the stack when the gap was TRACE_LEAST long */
    volatile sig_atomic_t sampled; /* its depth */
    timer_t timer;
} trace_thread;

static _Thread_local trace_thread trace;
static pthread_key_t trace_key;
static int trace_file = -1;

int __real_hsp__tick(hsp_context *ctx);
int __wrap_hsp__tick(hsp_context *ctx);
void __real_hsp__tick_wait(hsp_context *ctx, pthread_cond_t *condition, pthread_mutex_t *lock);
void __wrap_hsp__tick_wait(hsp_context *ctx, pthread_cond_t *condition, pthread_mutex_t *lock);
hsp_status __real_hsp__progress(hsp_context *ctx, const char *phase, const char *unit,
                                uint64_t done, uint64_t total, hsp_error *err);
hsp_status __wrap_hsp__progress(hsp_context *ctx, const char *phase, const char *unit,
                                uint64_t done, uint64_t total, hsp_error *err);
int __real_hsp__watch_gap(hsp__watch *watch, int report, const char *unit, uint64_t done,
                          double gap, double target, hsp_stop *stop);
int __wrap_hsp__watch_gap(hsp__watch *watch, int report, const char *unit, uint64_t done,
                          double gap, double target, hsp_stop *stop);

static double trace_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double trace_gap(void)
{
    return trace.first ? trace_now(CLOCK_MONOTONIC) - trace.clock
                       : trace_now(CLOCK_THREAD_CPUTIME_ID) - trace.own;
}

static int trace_stack(char *text, size_t room, void *const *stack, int depth)
{
    int used = 0;
    for (int i = 0; i < depth && (size_t)used + 20 < room; i++)
        used += snprintf(text + used, room - (size_t)used, " %p", stack[i]);
    return used;
}

/* Time passes without a tick: where? */
static void trace_sample(int number)
{
    (void)number;
    if (!trace.sampled && trace_gap() > TRACE_LEAST)
        trace.sampled = backtrace(trace.middle, TRACE_DEPTH);
}

static void trace_end(void)
{
    char line[2 * 20 * TRACE_DEPTH + 200];
    void *stack[TRACE_DEPTH];
    const double gap = trace_gap();
    if (trace_file < 0 || !(gap > TRACE_LEAST)) return;
    int used = snprintf(line, sizeof line, "%s %.4f %.4f %.4f |", trace.first ? "first" : "other",
                        gap, trace_now(CLOCK_THREAD_CPUTIME_ID) - trace.own,
                        trace_now(CLOCK_PROCESS_CPUTIME_ID) - trace.all);
    used += trace_stack(line + used, 20 * TRACE_DEPTH, trace.middle, trace.sampled);
    used += snprintf(line + used, 3, " |");
    used += trace_stack(line + used, 20 * TRACE_DEPTH, stack, backtrace(stack, TRACE_DEPTH));
    line[used++] = '\n';
    if (write(trace_file, line, (size_t)used) != used) abort();
}

static void trace_begin(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    struct itimerspec every = {{0, 5000000}, {0, 5000000}};
    event._sigev_un._tid = gettid();
    trace.first = getpid() == gettid();
    trace.begun = 1;
    pthread_setspecific(trace_key, &trace); /* so that its end is seen */
    if (timer_create(trace.first ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &event,
                     &trace.timer) == 0)
        timer_settime(trace.timer, 0, &every, NULL);
}

static void trace_tick(void)
{
    if (trace_file < 0) return;
    if (trace.begun)
        trace_end();
    else
        trace_begin();
    trace.clock = trace_now(CLOCK_MONOTONIC);
    trace.own = trace_now(CLOCK_THREAD_CPUTIME_ID);
    trace.all = trace_now(CLOCK_PROCESS_CPUTIME_ID);
    trace.sampled = 0;
}

static void trace_thread_end(void *user)
{
    (void)user;
    trace_end();
    timer_delete(trace.timer);
}

/* Work without a tick, planted on purpose: whoever reads the file must find it. */
static __attribute__((noinline)) void planted_gap(void)
{
    const double end = hsp__clock() + 0.1;
    while (hsp__clock() < end) {
    }
    trace_tick();
}

__attribute__((constructor)) static void trace_open(void)
{
    void *stack[1];
    const char *path = getenv("HSP_TICKS");
    struct sigaction action = {.sa_handler = trace_sample, .sa_flags = SA_RESTART};
    if (!path || pthread_key_create(&trace_key, trace_thread_end) != 0) return;
    backtrace(stack, 1); /* loads what it needs */
    sigaction(SIGPROF, &action, NULL);
    trace_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    trace_tick();
    if (getenv("HSP_TICKS_PLANT")) planted_gap();
}

__attribute__((destructor)) static void trace_close(void)
{
    if (trace.first) trace_end();
}

/* Note a call; of the first thread, one that reaches the user, by its scope or by `direct`. */
static void trace_call(const hsp_context *ctx, int direct)
{
    if (!trace.first || (ctx->stop ? pthread_equal(ctx->stop->owner, pthread_self()) != 0 : direct))
        trace_tick();
}

int __wrap_hsp__tick(hsp_context *ctx)
{
    trace_call(ctx, 0);
    return __real_hsp__tick(ctx);
}

void __wrap_hsp__tick_wait(hsp_context *ctx, pthread_cond_t *condition, pthread_mutex_t *lock)
{
    __real_hsp__tick_wait(ctx, condition, lock);
    trace_call(ctx, 0);
}

hsp_status __wrap_hsp__progress(hsp_context *ctx, const char *phase, const char *unit,
                                uint64_t done, uint64_t total, hsp_error *err)
{
    trace_call(ctx, ctx->progress != NULL);
    return __real_hsp__progress(ctx, phase, unit, done, total, err);
}

int __wrap_hsp__watch_gap(hsp__watch *watch, int report, const char *unit, uint64_t done,
                          double gap, double target, hsp_stop *stop)
{
    if (watch) trace_call(watch->ctx, watch->ctx->progress != NULL);
    return __real_hsp__watch_gap(watch, report, unit, done, gap, target, stop);
}
