/* A main() for the fuzz targets that any compiler can build: feed every file of the folders given
 * to the target, so that what fuzzing once found stays found. Each input goes through a heap block
 * of exactly its size, so that a sanitizer sees a read behind it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static int replay_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &info)) {
        perror(path);
        return 0;
    }
    size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size ? size : 1);
    int sound = data && fread(data, 1, size, file) == size;
    fclose(file);
    /* Said before the run: when the target crashes, the last line names the input. */
    fprintf(stderr, "replaying %s (%zu bytes)\n", path, size);
    if (sound) LLVMFuzzerTestOneInput(data, size);
    free(data);
    return sound;
}

static int replay_folder(const char *folder, size_t *count)
{
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, NULL, alphasort), sound = found >= 0;
    if (!sound) perror(folder);
    for (int i = 0; i < found; i++) {
        char path[4096];
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            sound &= replay_file(path);
            ++*count;
        }
        free(entries[i]);
    }
    free(entries);
    return sound;
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
    int sound = argc > 1;
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        sound &= replay_folder(argv[i], &count);
    if (!count) sound = 0; /* a corpus that is not there tests nothing */
    printf("%s replay of %zu inputs\n", sound ? "ok" : "FAILED", count);
    return sound ? 0 : 1;
}
