/* Time one reading of a file, in a process of its own, and print "key=value" words in one line.
 *
 *     read FILE [name=value ...]     options of hsp_data_read by name, and
 *         threads=N                  threads to use (1)
 *         until=open|view|verify     stop once the file is open, its rows are checked (the
 * default), or compared with their checksums
 *
 * seconds runs from a new context to usable rows. peak is the largest resident memory of the
 * process, base the same before reading, data what the rows and labels take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "halfspace_all.h"

static double read_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long long read_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (long long)usage.ru_maxrss * 1024;
}

static int read_die(const hsp_error *err)
{
    char text[1024];
    fprintf(stderr, "%s\n", hsp_error_text(err, text, sizeof text));
    return 1;
}

typedef struct read_settings {
    int threads;
    const char *until;
} read_settings;

static hsp_status read_set(int argc, char **argv, hsp_options *options, read_settings *settings,
                           hsp_error *err)
{
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        hsp_status status = HSP_OK;
        if (!value) continue;
        *value++ = 0;
        if (strcmp(argv[i], "threads") == 0)
            settings->threads = atoi(value);
        else if (strcmp(argv[i], "until") == 0)
            settings->until = value;
        else
            status = hsp_options_set(options, argv[i], value, err);
        if (status != HSP_OK) return status;
    }
    return HSP_OK;
}

/* Read as far as the settings say. */
static hsp_status read_once(hsp_context *ctx, const char *path, const hsp_options *options,
                            const char *until, hsp_error *err, hsp_data **data)
{
    const hsp_view *view = NULL;
    hsp_status status = hsp_data_read(ctx, path, options, NULL, err, data);
    if (status != HSP_OK || strcmp(until, "open") == 0) return status;
    status = hsp_data_view(ctx, *data, err, &view);
    if (status != HSP_OK || strcmp(until, "verify") != 0) return status;
    return hsp_data_verify(ctx, *data, err);
}

int main(int argc, char **argv)
{
    hsp_error err = {0};
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    struct stat info = {0};
    read_settings settings = {1, "view"};
    if (argc < 2 || stat(argv[1], &info) != 0) {
        fprintf(stderr, "usage: read FILE [name=value ...]\n");
        return 2;
    }
    const long long base = read_peak();
    const double start = read_clock();
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 4;
    if (hsp_options_new(ctx, hsp_read_options(), &err, &options) != HSP_OK ||
        read_set(argc, argv, options, &settings, &err) != HSP_OK ||
        hsp_context_set_threads(ctx, settings.threads) != HSP_OK)
        return read_die(&err);
    if (read_once(ctx, argv[1], options, settings.until, &err, &data) != HSP_OK)
        return read_die(&err);
    const double seconds = read_clock() - start;

    printf("seconds=%.6f bytes=%lld rows=%llu cols=%llu nonzeros=%llu data=%llu peak=%lld "
           "base=%lld\n",
           seconds, (long long)info.st_size, (unsigned long long)hsp_data_rows(data),
           (unsigned long long)hsp_data_cols(data), (unsigned long long)hsp_data_nonzeros(data),
           (unsigned long long)hsp_data_bytes(data), read_peak(), base);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_context_free(ctx);
    return 0;
}
