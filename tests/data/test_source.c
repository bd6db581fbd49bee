/* Bytes in and out: files, memory, compression, and files that appear whole or not at all. */
#include "data/helpers.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/compress.h"
#include "data/output.h"
#include "data/source.h"

static char folder[] = "/tmp/halfspace-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static size_t read_all(hsp_context *ctx, const char *path, char *buffer, size_t room,
                       hsp_error *err)
{
    hsp__source *source = NULL;
    size_t got = 0;
    if (hsp__source_open(ctx, path, err, &source)) return SIZE_MAX;
    if (hsp__source_read(source, buffer, room, err, &got)) got = SIZE_MAX;
    hsp__source_free(source);
    return got;
}

static hsp_status write_all(hsp_context *ctx, const char *path, const char *bytes, size_t size,
                            int commit, hsp_error *err)
{
    hsp__output *output = NULL;
    hsp_status status = hsp__output_open(ctx, path, err, &output);
    if (status) return status;
    status = hsp__output_write(output, bytes, size, err);
    if (!status && commit) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

static int entries_in_folder(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.') unlink(in_folder(entry->d_name));
    closedir(dir);
}

static void test_round_trips(void)
{
    static const char *const names[] = {"a.svm", "a.svm.gz", "a.svm.bz2", "a.svm.xz", "a.svm.zst"};
    static char text[300000], back[300001];
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    for (size_t n = 0; n < 5; n++)
        for (size_t size = 0; size <= sizeof text; size = size * 7 + 1) {
            hsp_error err = {0};
            hsp_status status = write_all(ctx, in_folder(names[n]), text, size, 1, &err);
            if (status == HSP_UNSUPPORTED) continue;
            CHECK_NOTE(status == HSP_OK, "%s: %s", names[n], err.message);
            size_t got = read_all(ctx, in_folder(names[n]), back, sizeof back, &err);
            CHECK_NOTE(got == size && memcmp(text, back, size) == 0, "%s, %zu bytes: %s", names[n],
                       size, err.message);
        }
    empty_folder();
    hsp_context_free(ctx);
}

static void test_truncated_compression(void)
{
    static const char *const names[] = {"t.gz", "t.bz2", "t.xz", "t.zst"};
    static char text[50000], packed[60000], back[60000];
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + ((uint32_t)(i * 2654435761u) >> 13) % 26);
    for (size_t n = 0; n < 4; n++) {
        hsp_error err = {0};
        if (write_all(ctx, in_folder(names[n]), text, sizeof text, 1, &err)) continue;
        FILE *file = fopen(in_folder(names[n]), "rb");
        size_t size = fread(packed, 1, sizeof packed, file);
        fclose(file);
        for (size_t cut = 10; cut < size; cut += size / 9) {
            file = fopen(in_folder("cut"), "wb");
            fwrite(packed, 1, cut, file);
            fclose(file);
            size_t got = read_all(ctx, in_folder("cut"), back, sizeof back, &err);
            CHECK_NOTE(got == SIZE_MAX && err.status == HSP_BAD_DATA, "%s cut at %zu of %zu: %zu",
                       names[n], cut, size, got);
        }
    }
    empty_folder();
    hsp_context_free(ctx);
}

static void test_whole_or_not_at_all(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    char back[16];
    CHECK(write_all(ctx, in_folder("f"), "old", 3, 1, &err) == HSP_OK);
    CHECK(chmod(in_folder("f"), 0640) == 0);
    CHECK(write_all(ctx, in_folder("f"), "newer", 5, 0, &err) == HSP_OK);
    CHECK(read_all(ctx, in_folder("f"), back, 16, &err) == 3 && memcmp(back, "old", 3) == 0);
    CHECK(entries_in_folder() == 1);
    CHECK(write_all(ctx, in_folder("f"), "newer", 5, 1, &err) == HSP_OK);
    CHECK(read_all(ctx, in_folder("f"), back, 16, &err) == 5 && memcmp(back, "newer", 5) == 0);
    CHECK(entries_in_folder() == 1);
    struct stat info;
    CHECK(stat(in_folder("f"), &info) == 0 && (info.st_mode & 0777) == 0640);
    empty_folder();
    hsp_context_free(ctx);
}

static void test_symbolic_link(void)
{
    hsp_context *ctx = test_context(1, 0);
    char back[16], target[256];
    snprintf(target, sizeof target, "%s", in_folder("real"));
    CHECK(write_all(ctx, target, "one", 3, 1, NULL) == HSP_OK);
    CHECK(symlink(target, in_folder("link")) == 0);
    CHECK(write_all(ctx, in_folder("link"), "two", 3, 1, NULL) == HSP_OK);
    struct stat info;
    CHECK(lstat(in_folder("link"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(read_all(ctx, target, back, 16, NULL) == 3 && memcmp(back, "two", 3) == 0);
    empty_folder();
    hsp_context_free(ctx);
}

static void test_errors(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    char back[16];
    CHECK(read_all(ctx, in_folder("missing"), back, 16, &err) == SIZE_MAX);
    CHECK(err.status == HSP_IO && strstr(err.message, "cannot open"));
    CHECK(read_all(ctx, folder, back, 16, &err) == SIZE_MAX && err.status == HSP_IO);
    CHECK(write_all(ctx, folder, "x", 1, 1, &err) == HSP_IO);
    CHECK(write_all(ctx, in_folder("no/such/folder"), "x", 1, 1, &err) == HSP_IO);
    CHECK(access("/dev/full", W_OK) != 0 || write_all(ctx, "/dev/full", "x", 1, 1, &err) == HSP_IO);
    CHECK(write_all(ctx, "/dev/null", "x", 1, 1, &err) == HSP_OK);
    CHECK(entries_in_folder() == 0);
    hsp_context_free(ctx);
}

static void test_peek(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__source *source = NULL;
    const char *bytes;
    size_t size, got;
    char text[200000], back[200000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    CHECK(hsp__source_memory(ctx, text, sizeof text, "m", NULL, &source) == HSP_OK);
    CHECK(hsp__source_peek(source, 10, NULL, &bytes, &size) == HSP_OK && size >= 10);
    CHECK(memcmp(bytes, text, size) == 0);
    CHECK(hsp__source_peek(source, 100000, NULL, &bytes, &size) == HSP_OK && size >= 100000);
    CHECK(memcmp(bytes, text, size) == 0);
    CHECK(hsp__source_read(source, back, 70000, NULL, &got) == HSP_OK && got == 70000);
    CHECK(hsp__source_read(source, back + 70000, 200000, NULL, &got) == HSP_OK && got == 130000);
    CHECK(memcmp(back, text, sizeof text) == 0);
    CHECK(hsp__source_read(source, back, 1, NULL, &got) == HSP_OK && got == 0);
    hsp__source_free(source);
    hsp_context_free(ctx);
}

/* Looking ahead, again and further, changes nothing of what is read; least of all when the bytes do
 * not compress, so that unpacking and reading go hand in hand. */
static void test_peek_packed(void)
{
    static const char *const names[] = {"p.gz", "p.bz2", "p.xz", "p.zst"};
    static char text[600000], back[600001];
    hsp_context *ctx = test_context(1, 0);
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)((state = state * 1664525u + 1013904223u) >> 24);
    for (size_t n = 0; n < 4; n++) {
        hsp__source *source = NULL;
        const char *bytes;
        size_t size, got;
        if (write_all(ctx, in_folder(names[n]), text, sizeof text, 1, NULL)) continue;
        CHECK(hsp__source_open(ctx, in_folder(names[n]), NULL, &source) == HSP_OK);
        for (size_t want = 1; source && want < sizeof text; want = want * 5 + 1000) {
            CHECK(hsp__source_peek(source, want, NULL, &bytes, &size) == HSP_OK && size >= want);
            CHECK_NOTE(memcmp(bytes, text, size) == 0, "%s, %zu", names[n], want);
        }
        CHECK(hsp__source_read(source, back, sizeof back, NULL, &got) == HSP_OK);
        CHECK(got == sizeof text && memcmp(back, text, got) == 0);
        hsp__source_free(source);
    }
    empty_folder();
    hsp_context_free(ctx);
}

static void test_names(void)
{
    CHECK(hsp__output_plain_size("a.svm.gz") == 5 && hsp__output_plain_size("a.svm") == 5);
    CHECK(hsp__packing_by_name("x.gzip") == NULL && hsp__packing_by_name(".gz") == NULL);
    CHECK_TEXT(hsp__packing_by_name("x.zst"), "zstd");
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    RUN(test_round_trips);
    RUN(test_truncated_compression);
    RUN(test_whole_or_not_at_all);
    RUN(test_symbolic_link);
    RUN(test_errors);
    RUN(test_peek);
    RUN(test_peek_packed);
    RUN(test_names);
    rmdir(folder);
    return check_done();
}
