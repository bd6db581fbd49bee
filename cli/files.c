/* Files of commands: read with the time it takes, checks of names before long work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

hsp_status cli_check_output(const cli *run, const char *path, hsp_error *err)
{
    if (!path) return HSP_OK;
    if (!*path) return cli_fail(err, HSP_USAGE, NULL, "the name of the file to write is empty");
    if (strcmp(path, "-") == 0)
        return cli_json(run)
                   ? cli_fail(err, HSP_USAGE, "--json",
                              "standard output already has the data; write the data to a file "
                              "(-o FILE, or a name instead of -)")
                   : HSP_OK;
    if (access(path, F_OK) == 0) return HSP_OK;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? cli_format("%.*s/", (int)(slash - path), path) : cli_format(".");
    const int bad = access(folder, W_OK | X_OK), code = errno;
    free(folder);
    return bad ? cli_fail(err, HSP_IO, path, "cannot create: %s", strerror(code)) : HSP_OK;
}

int cli_writes_text(const hsp_options *write, const char *out)
{
    const char *to = hsp_options_text(write, "to"), *name = strrchr(out, '/');
    const char *ending = strstr(name ? name : out, ".hsp"); /* or .hsp.gz */
    const int binary = strcmp(to, "auto") == 0 ? ending && (!ending[4] || ending[4] == '.')
                                               : strcmp(to, "hsp") == 0;
    return !binary;
}

/* Where a path leads: the file that is there, or the folder that one is to be made in. */
static int files_locate(const char *path, struct stat *at, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = NULL;
    if (stat(path, at) == 0) return S_ISREG(at->st_mode); /* devices and pipes lose nothing */
    *name = slash ? slash + 1 : path;
    char *folder = slash ? cli_format("%.*s/", (int)(slash - path), path) : cli_format(".");
    int found = stat(folder, at) == 0;
    free(folder);
    return found;
}

/* The same of the files that `others` names, one per line. */
static hsp_status files_check_each(const char *option, const char *out, const char *others,
                                   hsp_error *err)
{
    hsp_status status = HSP_OK;
    for (const char *p = others; status == HSP_OK && *p;) {
        const size_t size = strcspn(p, "\n");
        char *other = cli_format("%.*s", (int)size, p);
        status = cli_check_distinct(option, out, other, err);
        free(other);
        p += size + (p[size] != 0);
    }
    return status;
}

hsp_status cli_check_distinct(const char *option, const char *out, const char *other,
                              hsp_error *err)
{
    if (other && strchr(other, '\n') && access(other, F_OK) != 0)
        return files_check_each(option, out, other, err);
    struct stat at[2];
    const char *name[2];
    if (!out || !other || strcmp(out, "-") == 0 || strcmp(other, "-") == 0) return HSP_OK;
    if (!files_locate(out, &at[0], &name[0]) || !files_locate(other, &at[1], &name[1]))
        return HSP_OK;
    if (at[0].st_dev != at[1].st_dev || at[0].st_ino != at[1].st_ino) return HSP_OK;
    if (!name[0] != !name[1] || (name[0] && strcmp(name[0], name[1]) != 0)) return HSP_OK;
    return cli_fail(err, HSP_USAGE, option, "'%s' would be written over '%s'; name another file",
                    show_name(out), show_name(other));
}

hsp_status cli_read(cli *run, const char *path, const hsp_options *read,
                    const hsp_encoding *encoding, hsp_error *err, hsp_data **data, double *seconds)
{
    double start = cli_seconds();
    hsp_status status = hsp_data_read(run->ctx, path, read, encoding, err, data);
    *seconds = cli_seconds() - start;
    return status;
}

/* Leave a column out. libsvm text has no such columns. */
static hsp_status files_leave_out(hsp_options *read, const char *column, hsp_error *err)
{
    if (!column || strcmp(column, "qid") == 0) return HSP_OK;
    return hsp_options_set(read, "ignore", column, err);
}

/* Does --date name the column? Then it is a feature, and its format is known. */
static int files_is_date(const hsp_options *read, const char *column)
{
    const size_t size = strlen(column);
    for (size_t i = 0; i < hsp_options_list_count(read, "date"); i++) {
        const char *p = hsp_options_list_item(read, "date", i);
        for (;; p++) {
            if (strncmp(p, column, size) == 0 && strchr(",=:", p[size])) return 1;
            p += strcspn(p, ",=:");
            if (*p != ',') break;
        }
    }
    return 0;
}

hsp_status cli_read_for_folds(cli *run, const char *path, hsp_options *read,
                              const hsp_options *folds, hsp_error *err, hsp_data **data,
                              double *seconds)
{
    const char *group = hsp_options_text(folds, "group"), *time = hsp_options_text(folds, "time");
    hsp_status status = files_leave_out(read, group, err);
    if (status == HSP_OK && time && !(group && strcmp(group, time) == 0) &&
        !files_is_date(read, time))
        status = files_leave_out(read, time, err);
    if (status == HSP_OK) status = cli_read(run, path, read, NULL, err, data, seconds);
    if (status == HSP_USAGE && (group || time) && strstr(err->file, "ignore"))
        snprintf(err->file, sizeof err->file, "%s", group ? "--group" : "--time");
    if (status == HSP_OK && group)
        status = hsp_data_read_groups(run->ctx, *data, path, read, group, err);
    if (status == HSP_OK && time)
        status = hsp_data_read_times(run->ctx, *data, path, read, time, err);
    return status;
}

void cli_locate(const cli *run, const char *path, const hsp_options *read, const hsp_data *data,
                hsp_error *err)
{
    if (err->file[0] || !err->line) return;
    if (strcmp(path, "-") != 0 &&
        hsp_train_locate(run->ctx, path, read, hsp_data_encoding(data), err) == HSP_BAD_DATA)
        return;
    /* the row has to do, and the file */
    snprintf(err->file, sizeof err->file, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    err->line = 0;
}

hsp_status cli_write(cli *run, hsp_data *data, const char *path, const hsp_options *write,
                     hsp_error *err)
{
    cli_begin_output(path);
    return hsp_data_write(run->ctx, data, path, write, err);
}

int cli_swapped(cli *run, const char *path, const char *data, hsp_file_kind expected)
{
    hsp_file_kind first, second;
    return hsp_file_kind_of(run->ctx, path, NULL, &first) == HSP_OK &&
           (first == HSP_FILE_DATA || first == HSP_FILE_CACHE) &&
           hsp_file_kind_of(run->ctx, data, NULL, &second) == HSP_OK &&
           (second == expected ||
            (expected == HSP_FILE_MODEL &&
             (second == HSP_FILE_LIBSVM_MODEL || second == HSP_FILE_LIBLINEAR_MODEL)));
}

hsp_status cli_read_model(cli *run, const char *path, const char *data, hsp_error *err,
                          hsp_model **out)
{
    hsp_status status = hsp_model_read(run->ctx, path, err, out);
    if (status != HSP_BAD_DATA || !cli_swapped(run, path, data, HSP_FILE_MODEL)) return status;
    return cli_fail(err, HSP_USAGE, NULL,
                    "arguments swapped? MODEL comes first: halfspace %s %s %s", run->command->name,
                    data, path);
}

hsp_status cli_read_pair(cli *run, const char *model, const char *data, hsp_options *read,
                         hsp_error *err, cli_pair *out)
{
    hsp_status status = cli_read_model(run, model, data, err, &out->model);
    if (status == HSP_OK) status = hsp_model_set_read(out->model, read, err);
    if (status != HSP_OK) return status;
    return cli_read(run, data, read, hsp_model_encoding(out->model), err, &out->data,
                    &out->load_seconds);
}

void cli_free_pair(cli_pair *pair)
{
    hsp_data_free(pair->data);
    hsp_model_free(pair->model);
}

const hsp_knn_report *cli_knn(const hsp_model *model, void *room)
{
    hsp_knn_report *near = room;
    near->size = sizeof *near;
    return hsp_model_knn(model, near) ? near : NULL;
}

hsp_status cli_how_many(const hsp_options *options, const char *name, hsp_error *err, uint64_t *out)
{
    const char *text = hsp_options_text(options, name);
    char *end, place[64];
    double number = strtod(text, &end);
    int plain = text[0] && strspn(text, "0123456789.eE+") == strlen(text) && !*end;
    *out = UINT64_MAX;
    if (strcmp(text, "all") == 0) return HSP_OK;
    snprintf(place, sizeof place, "--%s", name);
    if (!plain || !(number < 0x1p53) || number != (double)(uint64_t)number)
        return cli_fail(err, HSP_USAGE, place, "found '%s', expected a whole number or all",
                        show_name(text));
    *out = (uint64_t)number;
    return HSP_OK;
}
