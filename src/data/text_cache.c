/* A binary copy of a text file is used instead of the text as long as nothing has changed that its
 * rows depend on: files, options of reading, encoding, version of this program.
 *
 * Has a file changed? Its place, length, inode, and the times of its last change of content (mtime)
 * and of anything (ctime) are compared. Every write moves ctime, which no program can set; a file
 * that is replaced has another inode. A change within the resolution of these times could go
 * unnoticed, so no copy is made of a file that changed just before it was read.
 *
 * A copy appears complete or not at all (output.h), and its checksums are compared before it is
 * used. A copy that is damaged, or of something else, is made again. */
#include "data/text_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/text.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"

#define TEXT_CACHE_RECENT 0.1 /* seconds: a file changed just now, */
#define TEXT_CACHE_COARSE 2   /* likewise where its times are whole seconds */

typedef struct text_cache {
    hsp_context *ctx;
    const hsp__source *source;
    const hsp_options *options;
    const hsp_encoding *encoding;
    hsp__text path;     /* of the copy */
    char key[65];       /* of all that the rows depend on */
    int recent;         /* a file changed just now */
    hsp__text messages; /* of reading: N or W, a sentence, a line break */
} text_cache;

/* ---- What the rows depend on ----------------------------------------------------------------- */

static void text_cache_add(hsp__sha256 *sha, const char *text)
{
    hsp__sha256_add(sha, text ? text : "", (text ? strlen(text) : 0) + 1);
}

/* A file, by name alone (`now` NULL) or as it is now. */
static hsp_status text_cache_add_file(text_cache *cache, hsp__sha256 *sha, const char *name,
                                      const struct timespec *now, hsp_error *err)
{
    char state[256];
    struct stat info;
    char *place = realpath(name, NULL);
    text_cache_add(sha, place);
    free(place);
    if (!now) return HSP_OK;
    if (stat(name, &info)) return hsp__fail_errno(err, name, "cannot open");
    snprintf(state, sizeof state, "%lld %lld %lld %lld.%09ld %lld.%09ld", (long long)info.st_dev,
             (long long)info.st_ino, (long long)info.st_size, (long long)info.st_mtim.tv_sec,
             info.st_mtim.tv_nsec, (long long)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    text_cache_add(sha, state);
    const double age = (double)(now->tv_sec - info.st_ctim.tv_sec) +
                       1e-9 * (double)(now->tv_nsec - info.st_ctim.tv_nsec);
    const int coarse = info.st_ctim.tv_nsec == 0 && info.st_mtim.tv_nsec == 0;
    cache->recent |= !(age > (coarse ? TEXT_CACHE_COARSE : TEXT_CACHE_RECENT));
    return HSP_OK;
}

static int text_cache_is_own(const char *name)
{
    return strcmp(name, "cache") == 0 || strcmp(name, "cache-remove") == 0;
}

/* The values of all options of reading. */
static void text_cache_add_options(const hsp_options *options, hsp__sha256 *sha)
{
    const hsp_option_table *table = hsp_options_table(options);
    char number[64];
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        if (text_cache_is_own(option->name)) continue;
        text_cache_add(sha, option->name);
        if (option->type == HSP_OPTION_LIST) {
            for (size_t k = 0; k < hsp_options_list_count(options, option->name); k++)
                text_cache_add(sha, hsp_options_list_item(options, option->name, k));
        } else if (option->type == HSP_OPTION_TEXT || option->type == HSP_OPTION_CHOICE) {
            text_cache_add(sha, hsp_options_text(options, option->name));
        } else {
            const int flag = option->type == HSP_OPTION_FLAG;
            snprintf(number, sizeof number, "%.17g",
                     flag ? (double)hsp_options_flag(options, option->name)
                     : option->type == HSP_OPTION_INTEGER
                         ? (double)hsp_options_integer(options, option->name)
                         : hsp_options_real(options, option->name));
            text_cache_add(sha, number);
        }
    }
}

/* `now` NULL: what the name of the copy depends on, so that a copy replaces that of an earlier
 * state of the files. */
static hsp_status text_cache_hash(text_cache *cache, const struct timespec *now, hsp_error *err,
                                  char text[65])
{
    hsp__sha256 sha;
    unsigned char digest[32];
    char *encoding = NULL;
    const char *named = hsp_options_text(cache->options, "encoding");
    hsp_status status = HSP_OK;
    hsp__sha256_init(&sha);
    text_cache_add(&sha, hsp_version());
    for (uint32_t i = 0; !status && i < cache->source->parts; i++)
        status = text_cache_add_file(cache, &sha, cache->source->part_names[i], now, err);
    if (!status && named) status = text_cache_add_file(cache, &sha, named, now, err);
    text_cache_add_options(cache->options, &sha);
    if (!status && cache->encoding)
        status = hsp__encoding_to_json(cache->encoding, &cache->ctx->allocator, err, &encoding);
    text_cache_add(&sha, encoding);
    hsp__free(&cache->ctx->allocator, encoding);
    hsp__sha256_end(&sha, digest);
    hsp__sha256_text(digest, text);
    return status;
}

/* DIR/rows.csv-0123456789abcdef.hsp */
static hsp_status text_cache_name(text_cache *cache, hsp_error *err)
{
    char hash[65];
    const char *folder = hsp_options_text(cache->options, "cache");
    const char *name = cache->source->part_names[0], *slash = strrchr(name, '/');
    HSP__TRY(text_cache_hash(cache, NULL, err, hash));
    hsp__text_printf(&cache->path, "%s/%s-%.16s.hsp", folder, slash ? slash + 1 : name, hash);
    return cache->path.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Messages -------------------------------------------------------------------------------- */

typedef struct text_cache_log {
    text_cache *cache;
    hsp_context *outer;
} text_cache_log;

static void text_cache_listen(void *user, hsp_log_level level, const char *sentence)
{
    const text_cache_log *log = user;
    hsp__text_printf(&log->cache->messages, "%c%s\n", level == HSP_LOG_WARNING ? 'W' : 'N',
                     sentence);
    hsp__log(log->outer, level, "%s", sentence);
}

/* Say again what was said when the text was read. */
static void text_cache_repeat(const text_cache *cache, const char *messages)
{
    for (const char *p = messages; p && *p;) {
        const size_t size = strcspn(p + 1, "\n");
        hsp__log(cache->ctx, *p == 'W' ? HSP_LOG_WARNING : HSP_LOG_NOTE, "%.*s", (int)size, p + 1);
        p += size + 1 + (p[size + 1] != 0);
    }
}

/* ---- The copy -------------------------------------------------------------------------------- */

/* *out: the copy, mapped; NULL: there is none that fits. */
static hsp_status text_cache_open(const text_cache *cache, int repeat, hsp_error *err,
                                  hsp_data **out)
{
    hsp_data *data = NULL;
    hsp_error unused = {0};
    if (access(cache->path.data, F_OK) != 0) return HSP_OK;
    hsp_status status = hsp__cache_open(cache->ctx, cache->path.data, NULL, 0, &unused, &data);
    const char *key = data ? hsp__container_meta(data->mapped, "source") : NULL;
    int fits = key && strcmp(key, cache->key) == 0;
    if (!status && fits) status = hsp__container_verify(cache->ctx, data->mapped, &unused);
    if (status == HSP_CANCELLED || status == HSP_NO_MEMORY) {
        if (err) *err = unused;
    } else {
        if (status == HSP_BAD_DATA)
            hsp__log(cache->ctx, HSP_LOG_WARNING,
                     "%s: the binary copy is damaged; the text is read again", cache->path.data);
        fits &= status == HSP_OK;
        status = HSP_OK;
    }
    if (status || !fits) {
        hsp_data_free(data);
        return status;
    }
    const char *why = hsp__container_meta(data->mapped, "source_why");
    if (why) snprintf(data->why, sizeof data->why, "%s", why);
    if (repeat) text_cache_repeat(cache, hsp__container_meta(data->mapped, "source_messages"));
    *out = data;
    return HSP_OK;
}

/* Write the copy. */
static hsp_status text_cache_write(const text_cache *cache, hsp_data *data, hsp_error *err)
{
    hsp__meta extra[3] = {{"source", cache->key}};
    size_t count = 1;
    hsp_context own = *cache->ctx;
    own.files = NULL; /* it appears by itself */
    if (data->why[0]) extra[count++] = (hsp__meta){"source_why", data->why};
    if (cache->messages.size) extra[count++] = (hsp__meta){"source_messages", cache->messages.data};
    return hsp__cache_write_with(&own, data, extra, count, cache->path.data, err);
}

/* Can a copy say all that the data set knows? Which records were left out, it cannot. */
static int text_cache_can(const text_cache *cache, const hsp_data *data)
{
    const char *messages = cache->messages.data;
    return !data->rejected_count && !cache->messages.failed &&
           (!messages || hsp__json_is_utf8(messages, strlen(messages))) &&
           hsp__json_is_utf8(data->why, strlen(data->why)) &&
           strcmp(hsp_options_text(cache->options, "missing"), "drop") != 0;
}

/* Read the text, and put a copy in its place. */
static hsp_status text_cache_make(text_cache *cache, hsp__source *source, const char *path,
                                  hsp__text_read read, hsp_error *err, hsp_data **out)
{
    text_cache_log log = {cache, cache->ctx};
    hsp_context own = *cache->ctx;
    struct timespec now;
    char after[65];
    hsp_data *data = NULL, *copy = NULL;
    own.log = text_cache_listen;
    own.log_user = &log;
    HSP__TRY(read(&own, source, path, cache->options, cache->encoding, err, &data));
    clock_gettime(CLOCK_REALTIME, &now);
    hsp_status status = HSP_OK;
    const int able = text_cache_can(cache, data), recent = cache->recent;
    if (able) status = text_cache_hash(cache, &now, err, after);
    if (!status && able && !recent && strcmp(after, cache->key) == 0) {
        status = text_cache_write(cache, data, err);
        if (!status) status = text_cache_open(cache, 0, err, &copy);
    } else if (!status) {
        hsp__log(cache->ctx, HSP_LOG_NOTE, "%s: no binary copy was kept: %s", source->name,
                 !able    ? "rows were left out"
                 : recent ? "the file had changed just before it was read"
                          : "the file changed while it was read");
    }
    if (copy || status) hsp_data_free(data);
    if (!status) *out = copy ? copy : data;
    return status;
}

hsp_status hsp__text_cache_read(hsp_context *ctx, hsp__source *source, const char *path,
                                const hsp_options *options, const hsp_encoding *encoding,
                                hsp__text_read read, hsp_error *err, hsp_data **out)
{
    text_cache cache = {ctx, source, options, encoding, .recent = 0};
    struct timespec now;
    hsp_data *data = NULL;
    struct stat info;
    const char *folder = hsp_options_text(options, "cache");
    if (stat(folder, &info) || !S_ISDIR(info.st_mode))
        return hsp__fail_option(err, "--cache", "there is no folder '%s'; make it first", folder);
    hsp__text_init(&cache.path, &ctx->allocator);
    hsp__text_init(&cache.messages, &ctx->allocator);
    clock_gettime(CLOCK_REALTIME, &now);
    hsp_status status = text_cache_name(&cache, err);
    if (!status) status = text_cache_hash(&cache, &now, err, cache.key);
    if (!status) status = text_cache_open(&cache, 1, err, &data);
    if (!status && !data) status = text_cache_make(&cache, source, path, read, err, &data);
    /* a mapped file stays as long as it is mapped */
    if (!status && hsp_options_flag(options, "cache-remove")) unlink(cache.path.data);
    hsp__text_free(&cache.path);
    hsp__text_free(&cache.messages);
    if (!status) *out = data;
    return status;
}
