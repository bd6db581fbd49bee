/* The bar on a terminal, and what Ctrl-C does. While nothing is being written, it ends the command
 * at once, even one that waits for a pipe. Afterwards it sets a flag; the next progress callback
 * asks the library to stop, and the library leaves no temporary file; a learner returns the
 * model so far, which is then written whatever comes. A second Ctrl-C kills. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define PROGRESS_REDRAW  0.1 /* seconds between two drawings */
#define PROGRESS_BAR     30  /* characters at most */
#define PROGRESS_FIGURES 45  /* characters that stay free for the figures behind it */

/* One process, one terminal, one bar. */
static struct {
    int shown, colour; /* a bar is wanted; in colour */
    int drawn;         /* a bar is on the screen */
    double drawn_at, phase_at;
    char phase[32];
    uint64_t phase_from, last; /* done when the phase began, and when it was last heard of */
} bar;

static volatile sig_atomic_t progress_signal, progress_writing; /* the signal that came, or 0 */
static int progress_finishing, progress_searched;               /* searched: a search was stopped */

static void progress_on_signal(int signal)
{
    static const char clear[] = "\r\033[K", sentence[] = "halfspace: stopped on request\n";
    progress_signal = signal;
    if (progress_writing) return;
    ssize_t ignored = bar.drawn ? write(STDERR_FILENO, clear, sizeof clear - 1) : 0;
    ignored += write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)ignored;
    _exit(cli_stop_status());
}

int cli_stop_status(void)
{
    return progress_signal ? 128 + (int)progress_signal : hsp_status_exit(HSP_CANCELLED);
}

void cli_begin_output(const char *path)
{
    progress_writing = !path || strcmp(path, "-") != 0;
}

void cli_finish_output(void)
{
    progress_finishing = 1;
}

/* A signal that the caller chose to ignore (a job in the background) stays ignored. */
static void progress_catch(int signal, const struct sigaction *action)
{
    struct sigaction before;
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal, action, NULL);
}

void cli_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = progress_on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    progress_catch(SIGINT, &action);
    progress_catch(SIGTERM, &action);
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Steps whose number says more than a bar: "pass 12, duality gap about 0.013 (target 0.001)", "class
 * 3 of 10, ..."; "" for others. */
static void progress_steps(char *text, size_t size, const hsp_progress *now)
{
    static const char *const units[] = {"passes", "rounds", "classes", "pairs", "linear programs"};
    const size_t long_unit = strlen(now->unit);
    const int es = long_unit > 4 && strcmp(now->unit + long_unit - 4, "sses") == 0;
    char total[48] = "", gap[96] = "";
    const uint64_t at = now->total ? now->done + 1 : now->done;
    text[0] = 0;
    if (now->total) snprintf(total, sizeof total, " of %s", show_count(now->total));
    if (!isnan(now->gap))
        snprintf(gap, sizeof gap, ", duality gap about %.3g (target %.3g)", now->gap, now->target);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(now->unit, units[i]) == 0)
            snprintf(text, size, "%.*s %s%s%s", (int)long_unit - (es ? 2 : 1), now->unit,
                     show_count(at), total, gap);
}

/* What stands behind the bar: " 45%  123 MB/s  0:12 left", " 4500 rows  1.2k rows/s". */
static void progress_figures(char *text, size_t size, const hsp_progress *now, double share,
                             double seconds)
{
    char rate_text[48] = "", left[48] = "";
    const int bytes = strcmp(now->unit, "bytes") == 0;
    const double rate = (double)(now->done - bar.phase_from) / seconds;
    const int known = seconds >= PROGRESS_REDRAW / 2 && rate > 0; /* a rate says little at first */
    const double unit = rate < 1e4 ? 1 : rate < 1e7 ? 1e3 : 1e6;
    if (known && bytes)
        snprintf(rate_text, sizeof rate_text, "%.*f MB/s", rate < 1e7, rate * 1e-6);
    else if (known)
        snprintf(rate_text, sizeof rate_text, "%.*f%s %s/s", unit > 1, rate / unit,
                 unit < 1e3   ? ""
                 : unit < 1e6 ? "k"
                              : "M",
                 now->unit);
    if (known && now->total) {
        const double rest = (1 - share) * (double)now->total / rate;
        const unsigned long s = rest < 359999 ? (unsigned long)(rest + 0.5) : 359999;
        if (s >= 3600)
            snprintf(left, sizeof left, "%lu:%02lu:%02lu left", s / 3600, s / 60 % 60, s % 60);
        else
            snprintf(left, sizeof left, "%lu:%02lu left", s / 60, s % 60);
    }
    if (!now->unit[0])
        text[0] = 0;
    else if (now->total)
        snprintf(text, size, " %3.0f%%  %s  %s", share * 100, rate_text, left);
    else if (bytes)
        snprintf(text, size, " %s  %s", show_bytes(now->done), rate_text);
    else
        snprintf(text, size, " %s %s  %s", show_count(now->done), now->unit, rate_text);
}

/* One line, never longer than the terminal is wide: a wrapped one could not be cleared. */
static void progress_draw(const hsp_progress *now, double seconds)
{
    char figures[160], blocks[PROGRESS_BAR];
    double share = now->total ? (double)now->done / (double)now->total : 0;
    struct winsize window = {0};
    const int sized = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    int room = (sized ? window.ws_col : 80) - 1 - (int)strlen(now->phase);
    int length = room - PROGRESS_FIGURES < PROGRESS_BAR ? room - PROGRESS_FIGURES : PROGRESS_BAR;
    if (share > 1) share = 1;
    if (room < 0) return;
    progress_steps(figures, sizeof figures, now);
    if (figures[0]) {
        fprintf(stderr, "\r\033[K%s: %.*s", now->phase, room > 2 ? room - 2 : 0, figures);
        fflush(stderr);
        bar.drawn = 1;
        return;
    }
    progress_figures(figures, sizeof figures, now, share, seconds);
    fprintf(stderr, "\r\033[K%s", now->phase);
    if (now->total && length >= 5) {
        int full = (int)(share * length);
        memset(blocks, '#', sizeof blocks);
        fprintf(stderr, " [%s%.*s%s", bar.colour ? "\033[32m" : "", full, blocks,
                bar.colour ? "\033[0m" : "");
        memset(blocks, '.', sizeof blocks);
        fprintf(stderr, "%.*s]", length - full, blocks);
        room -= length + 3;
    }
    fprintf(stderr, "%.*s", room, figures);
    fflush(stderr);
    bar.drawn = 1;
}

static int progress_call(void *user, const hsp_progress *now)
{
    (void)user;
    /* a search that is stopped still trains its best point */
    const int search = strcmp(now->phase, "cross-validating") == 0;
    if (progress_signal && search) progress_searched = 1;
    if (progress_signal && !progress_finishing && (search || !progress_searched)) return 1;
    if (!bar.shown) return 0;
    double clock = cli_seconds();
    if (strncmp(bar.phase, now->phase, sizeof bar.phase - 1) != 0 || now->done < bar.last) {
        snprintf(bar.phase, sizeof bar.phase, "%s", now->phase);
        bar.phase_at = clock;
        bar.phase_from = now->done;
    }
    bar.last = now->done;
    if (clock - bar.drawn_at < PROGRESS_REDRAW) return 0;
    bar.drawn_at = clock;
    progress_draw(now, clock - bar.phase_at);
    return 0;
}

void cli_progress_begin(hsp_context *ctx, int quiet)
{
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
    int dumb = !term || strcmp(term, "dumb") == 0;
    bar.shown = !quiet && !dumb && isatty(STDERR_FILENO);
    bar.colour = !(plain && plain[0]);
    bar.drawn_at = cli_seconds(); /* what is done at once shows no bar at all */
    hsp_context_set_progress(ctx, progress_call, NULL);
}

void cli_progress_clear(void)
{
    if (bar.drawn) fputs("\r\033[K", stderr);
    bar.drawn = 0;
}
