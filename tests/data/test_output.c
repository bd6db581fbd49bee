/* Files that are written: their permissions, what killed processes left, links, and groups of files
 * that appear together. */
#include "data/helpers.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/output.h"

static char folder[] = "/tmp/halfspace-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (unlink(in_folder(entry->d_name))) rmdir(in_folder(entry->d_name));
    closedir(dir);
}

/* The name of a temporary file in the folder; "" when there is none. */
static const char *temporary_file(void)
{
    static char name[256];
    DIR *dir = opendir(folder);
    name[0] = 0;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (strncmp(entry->d_name, ".halfspace-", 11) == 0)
            snprintf(name, sizeof name, "%s", entry->d_name);
    closedir(dir);
    return name;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    fputs(text, file);
    fclose(file);
}

static const char *contents(const char *name)
{
    static char text[64];
    FILE *file = fopen(in_folder(name), "rb");
    if (!file) return "(none)";
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static unsigned mode_of(const char *name)
{
    struct stat info;
    return stat(in_folder(name), &info) == 0 ? info.st_mode & 07777 : 0;
}

static void test_permissions(void)
{
    static const struct {
        mode_t old, umask;
    } cases[] = {{0600, 0}, {0400, 022}, {0664, 077}, {04755, 0}, {06777, 022}, {0640, 027}};
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp__output *output = NULL;
        put("a", "old");
        chmod(in_folder("a"), cases[i].old);
        const mode_t before = umask(cases[i].umask);
        CHECK(hsp__output_open(ctx, in_folder("a"), NULL, &output) == HSP_OK);
        const unsigned mode = mode_of(temporary_file());
        CHECK_NOTE((mode & ~(cases[i].old & 0777)) == 0, "%o instead of %o", mode, cases[i].old);
        CHECK(hsp__output_write(output, "new", 3, NULL) == HSP_OK);
        CHECK(hsp__output_commit(output, NULL) == HSP_OK);
        hsp__output_free(output);
        CHECK_NOTE(mode_of("a") == (cases[i].old & 0777), "%o became %o", cases[i].old,
                   mode_of("a"));
        umask(before);
        empty_folder();
    }
    const mode_t before = umask(027);
    CHECK(hsp_file_write(ctx, in_folder("b"), "x", 1, NULL) == HSP_OK && mode_of("b") == 0640);
    umask(before);
    empty_folder();
    hsp_context_free(ctx);
}

/* A process that ends without a word leaves its file; the next one that writes there removes it,
 * and removes nothing else. */
static void test_stale_files(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__output *output = NULL;
    const pid_t child = fork();
    if (child == 0) _exit(hsp__output_open(ctx, in_folder("a"), NULL, &output) == HSP_OK ? 0 : 1);
    int ended = 1;
    waitpid(child, &ended, 0);
    CHECK(ended == 0);
    char stale[256], elsewhere[256];
    snprintf(stale, sizeof stale, "%s", temporary_file());
    CHECK(stale[0] != 0);
    /* the same process of another machine, and names that are only similar */
    snprintf(elsewhere, sizeof elsewhere, "%s", stale);
    elsewhere[11] = elsewhere[11] == '0' ? '1' : '0';
    put(elsewhere, "theirs");
    put(".halfspace-notes", "mine");
    CHECK(hsp__output_open(ctx, in_folder("b"), NULL, &output) == HSP_OK);
    CHECK_NOTE(mode_of(stale) == 0, "%s is still there", stale);
    CHECK_TEXT(contents(elsewhere), "theirs");
    CHECK_TEXT(contents(".halfspace-notes"), "mine");
    /* a file of this process is no stale one */
    CHECK(hsp_file_write(ctx, in_folder("c"), "x", 1, NULL) == HSP_OK);
    CHECK(hsp__output_write(output, "b", 1, NULL) == HSP_OK);
    CHECK(hsp__output_commit(output, NULL) == HSP_OK);
    hsp__output_free(output);
    CHECK_TEXT(contents("b"), "b");
    empty_folder();
    hsp_context_free(ctx);
}

static void test_dangling_link(void)
{
    hsp_context *ctx = test_context(1, 0);
    struct stat info;
    CHECK(mkdir(in_folder("sub"), 0777) == 0);
    CHECK(symlink("sub/real", in_folder("link")) == 0);
    CHECK(symlink(in_folder("link"), in_folder("to-link")) == 0);
    CHECK(hsp_file_write(ctx, in_folder("to-link"), "text", 4, NULL) == HSP_OK);
    CHECK(lstat(in_folder("link"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(lstat(in_folder("to-link"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK_TEXT(contents("sub/real"), "text");
    unlink(in_folder("sub/real"));
    empty_folder();
    hsp_context_free(ctx);
}

static void test_files_together(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_files *files = NULL, *second = NULL;
    put("a", "old a");
    CHECK(hsp_files_new(ctx, NULL, &files) == HSP_OK);
    CHECK(hsp_files_new(ctx, NULL, &second) == HSP_USAGE);
    CHECK(hsp_file_write(ctx, in_folder("a"), "new a", 5, NULL) == HSP_OK);
    CHECK(hsp_file_write(ctx, in_folder("b"), "new b", 5, NULL) == HSP_OK);
    CHECK_TEXT(contents("a"), "old a");
    CHECK_TEXT(contents("b"), "(none)");
    CHECK(hsp_files_commit(files, NULL) == HSP_OK);
    hsp_files_free(files);
    CHECK_TEXT(contents("a"), "new a");
    CHECK_TEXT(contents("b"), "new b");
    CHECK_TEXT(temporary_file(), "");
    /* without a commit nothing appears, and nothing is left */
    CHECK(hsp_files_new(ctx, NULL, &files) == HSP_OK);
    CHECK(hsp_file_write(ctx, in_folder("a"), "newer", 5, NULL) == HSP_OK);
    hsp_files_free(files);
    CHECK_TEXT(contents("a"), "new a");
    CHECK_TEXT(temporary_file(), "");
    /* afterwards files appear at once again */
    CHECK(hsp_file_write(ctx, in_folder("a"), "last", 4, NULL) == HSP_OK);
    CHECK_TEXT(contents("a"), "last");
    empty_folder();
    hsp_context_free(ctx);
}

/* The last name cannot be had: those before it get back what they had. */
static void test_files_all_or_none(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_files *files = NULL;
    hsp_error err = {0};
    put("a", "old a");
    CHECK(hsp_files_new(ctx, NULL, &files) == HSP_OK);
    CHECK(hsp_file_write(ctx, in_folder("a"), "new a", 5, NULL) == HSP_OK);
    CHECK(hsp_file_write(ctx, in_folder("b"), "new b", 5, NULL) == HSP_OK);
    CHECK(hsp_file_write(ctx, in_folder("c"), "new c", 5, NULL) == HSP_OK);
    CHECK(mkdir(in_folder("c"), 0777) == 0); /* no file can be renamed to this */
    CHECK(hsp_files_commit(files, &err) == HSP_IO);
    CHECK(strstr(err.message, "cannot replace") != NULL);
    hsp_files_free(files);
    CHECK_TEXT(contents("a"), "old a");
    CHECK_TEXT(contents("b"), "(none)");
    CHECK_TEXT(temporary_file(), "");
    empty_folder();
    hsp_context_free(ctx);
}

/* The same bytes at any time: there is no clock in them. */
static void test_packed_without_time(void)
{
    static const char *const names[] = {"a.gz", "a.bz2", "a.xz", "a.zst"};
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < 4; i++) {
        hsp_error err = {0};
        hsp_status status = hsp_file_write(ctx, in_folder(names[i]), "rows\n", 5, &err);
        if (status == HSP_UNSUPPORTED) CHECK_SKIP("built without libarchive");
        CHECK(status == HSP_OK);
    }
    FILE *file = fopen(in_folder("a.gz"), "rb");
    unsigned char head[10] = {0};
    CHECK(file && fread(head, 1, 10, file) == 10);
    if (file) fclose(file);
    CHECK_NOTE(!head[4] && !head[5] && !head[6] && !head[7], "time %u %u %u %u", head[4], head[5],
               head[6], head[7]);
    empty_folder();
    hsp_context_free(ctx);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    RUN(test_permissions);
    RUN(test_stale_files);
    RUN(test_dangling_link);
    RUN(test_files_together);
    RUN(test_files_all_or_none);
    RUN(test_packed_without_time);
    rmdir(folder);
    return check_done();
}
