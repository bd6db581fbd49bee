"""Write a C program that calls every function of the public headers once per pointer argument, that one NULL and all
others as they should be:  nulls.py include/*.h >nulls.c

The calls come from the headers themselves, so that a new one is tested as soon as it is declared. A pointer that a call
needs must be HSP_USAGE with a sentence that names it; one that may be NULL is in OPTIONAL below; neither may crash.
"""
import re
import sys

# What may be NULL, as the headers say.
OPTIONAL = {
    "hsp_context_new": "allocator",
    "hsp_context_set_ranks": "ranks",
    "hsp_memory_limit_new": "folder",
    "hsp_data_copy": "class_names feature_names",
    "hsp_data_borrow": "class_names feature_names",
    "hsp_data_set_weights": "weights",
    "hsp_data_set_groups": "groups",
    "hsp_data_set_times": "times",
    "hsp_data_read_groups": "read",
    "hsp_data_read_times": "read",
    "hsp_data_read": "options encoding",
    "hsp_data_read_files": "options encoding",
    "hsp_data_parse": "options encoding",
    "hsp_data_write": "options",
    "hsp_data_rewrite": "options",
    "hsp_data_split": "options",
    "hsp_split_file": "options out",
    "hsp_scaling_fit": "options",
    "hsp_summary_confirm": "options path",
    "hsp_profile_file": "read options",
    "hsp_profile_parse": "read options",
    "hsp_profile_read": "read encoding",
    "hsp_model_score": "classes",
    "hsp_neighbors_file": "read out",
    "hsp_predict_file": "read predict out",
    "hsp_data_relabel": "keep positive",
    "hsp_train": "run",
    "hsp_train_from": "start run",
    "hsp_train_locate": "read encoding",
    "hsp_train_stream": "read run",
    "hsp_trainer_step": "step",
    "hsp_evaluate": "confusion",
    "hsp_evaluated_new": "options",
    "hsp_evaluated_report": "confusion weights",
    "hsp_audit": "reference",
    "hsp_cross_validate": "validate",
    "hsp_tune": "tune out run model",
    "hsp_auto": "options run model",
    "hsp_kernel_gram": "b",
    "hsp_kernel_gram_write": "b write",
    "hsp_kernel_check": "rows",
    "hsp_kernel_factor": "rows features",
    "hsp_certify": "read model options",
    "hsp_verify": "test options",
    "hsp_verify_file": "test options",
    "hsp_confirm": "path read model",
    "hsp_error_report_new": "train test options",
    "hsp_html_new": "read options",
    "hsp_figure_write": "options",
    "hsp_figure_svg": "options",
    "hsp_figure_terminal": "options",
}

# The table that options of a call belong to; of all others, the learner's.
TABLES = {
    "hsp_data_read": "hsp_read_options()",
    "hsp_data_read_files": "hsp_read_options()",
    "hsp_data_parse": "hsp_read_options()",
    "hsp_summary_confirm": "hsp_read_options()",
    "hsp_profile_file": "hsp_profile_options()",
    "hsp_profile_parse": "hsp_profile_options()",
    "hsp_data_write": "hsp_write_options()",
    "hsp_data_rewrite": "hsp_write_options()",
    "hsp_data_split": "hsp_split_options()",
    "hsp_split_file": "hsp_split_file_options()",
    "hsp_scaling_fit": "hsp_scale_options()",
    "hsp_data_make": "hsp_generator(0)",
    "hsp_data_make_file": "hsp_generator(0)",
    "hsp_certify": "hsp_certify_options()",
    "hsp_error_report_new": "hsp_error_report_options()",
    "hsp_html_new": "hsp_html_options()",
    "hsp_simulation_new": "hsp_simulation_options()",
    "hsp_sample_size_solve": "hsp_sample_size_options()",
    "hsp_evaluated_new": "hsp_evaluate_options()",
    "hsp_evaluated_scores": "hsp_evaluate_options()",
    "hsp_evaluated_curve": "hsp_evaluate_options()",
    "hsp_evaluated_compare": "hsp_evaluate_options()",
    "hsp_evaluated_rows": "hsp_evaluate_options()",
    "hsp_importances_new": "hsp_evaluate_options()",
    "hsp_auto": "hsp_auto_options()",
    "hsp_plot": 'hsp_plot_kind_find("rows")',
    "hsp_plot_frames": 'hsp_plot_kind_find("rows")',
    "hsp_figure_write": "hsp_figure_options()",
    "hsp_figure_svg": "hsp_figure_options()",
    "hsp_figure_terminal": "hsp_figure_options()",
    "hsp_verify": "hsp_verify_options()",
    "hsp_verify_file": "hsp_verify_options()",
    "read": "hsp_read_options()",
    "write": "hsp_write_options()",
    "predict": "hsp_predict_options()",
    "validate": "hsp_validate_options()",
    "tune": "hsp_tune_options()",
}

# What is handed over for a type, or for a type and a name.
VALUES = {
    "const hsp_memory_limit *": "limit",
    "hsp_memory_limit *": "limit",
    "hsp_context *": "ctx",
    "hsp_data *": "data",
    "hsp_model *": "model",
    "hsp_view *": "view",
    "hsp_error *": "&err",
    "hsp_encoding *": "hsp_data_encoding(data)",
    "hsp_kernel *": "kernel",
    "hsp_evaluated *": "evaluated",
    "hsp_scaling *": "scaling",
    "hsp_summary *": "summary",
    "hsp_profile *": "profile",
    "hsp_trainer *": "trainer",
    "hsp_files *": "files",
    "hsp_plot_input *": "&input",
    "hsp_figure *": "figure",
    "hsp_files **": "&files",
    "char *path": '"rows.csv"',
    "char *certificate_path": '"rows.csv"',
    "char *test": '"rows.csv"',
    "char *out_path": '"out"',
    "char *train_path": '"train"',
    "char *test_path": '"test"',
    "char *form": '"unit"',
    "char *format": '"libsvm"',
    "char *text": '"linear"',
    "char *positive": '"a"',
    "char *value": '"1"',
    "char *learner": '"svm"',
    "char *": '"seed"',
    "char *const *paths": "paths",
    "char *const *": "names",
    "void *certificate": '"{}"',
    "void *text": '"1 1:1\\n"',
    "size_t size": "6",
    "hsp_allocator *": "NULL",
    "hsp_ranks *": "NULL",
    "hsp_precision": "HSP_FLOAT64",
    "hsp_neighbors_format": "HSP_NEIGHBORS_TEXT",
    "hsp_status": "HSP_OK",
    "double threshold": "0.5",
    "uint64_t row": "0",
    "uint64_t *rows": "numbers",
    "uint32_t classes": "2",
    "int index_base": "1",
    "int starts_bytes": "8",
    "hsp_progress_fn": "NULL",
    "hsp_log_fn": "NULL",
    "hsp_truth_fn": "NULL",
    "hsp_bytes_fn": "take",
    "hsp_field *": "hsp_training_fields()",
}

HEAD = r"""
#include <halfspace_all.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;
static hsp_error err;
static uint64_t numbers[4096];
static const char *const names[] = {"a", "b"};
static const char *const paths[] = {"rows.csv", "rows.csv"};

static int take(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return 0;
}

/* Any object that a result may be written to. */
static void *room(void)
{
    void *bytes = calloc(1, 1 << 16);
    if (!bytes) abort();
    return bytes;
}

static void expect(const char *call, const char *name, int has_err, hsp_status status)
{
    char sentence[200];
    snprintf(sentence, sizeof sentence, "%s: the argument '%s' is NULL", call, name);
    if (status == HSP_USAGE && (!has_err || strstr(err.message, name))) return;
    printf("%s of %s NULL: %s, '%s'\n", name, call, hsp_status_name(status), err.message);
    failed = 1;
}

static hsp_options *options_of(hsp_context *ctx, const hsp_option_table *table)
{
    hsp_options *options = NULL;
    if (hsp_options_new(ctx, table, &err, &options)) abort();
    return options;
}

#define DONE(call)                                                   \
    if (call) {                                                      \
        fprintf(stderr, "FAILED set-up: %s %s\n", #call, err.message); \
        exit(1);                                                     \
    }

int main(void)
{
    hsp_context *ctx = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_evaluated *evaluated = NULL;
    hsp_scaling *scaling = NULL;
    hsp_summary *summary = NULL;
    hsp_profile *profile = NULL;
    hsp_trainer *trainer = NULL;
    hsp_kernel *kernel = NULL;
    hsp_files *files = NULL;
    hsp_figure *figure = NULL;
    const hsp_view *view = NULL;
    hsp_memory_limit *limit = NULL;
    err = (hsp_error)HSP_ERROR_INIT;
    DONE(hsp_memory_limit_new(HSP_MEMORY_LEAST, NULL, &err, &limit));
    DONE(hsp_context_new(NULL, &ctx));
    DONE(hsp_context_set_threads(ctx, 1));
    DONE(hsp_data_read(ctx, "rows.csv", NULL, NULL, &err, &data));
    DONE(hsp_data_view(ctx, data, &err, &view));
    hsp_options *learner = options_of(ctx, hsp_learner_find("perceptron"));
    DONE(hsp_train(ctx, data, learner, &err, NULL, &model));
    DONE(hsp_evaluated_new(ctx, model, data, NULL, &err, &evaluated));
    hsp_options *scale = options_of(ctx, hsp_scale_options());
    DONE(hsp_scaling_fit(ctx, data, scale, &err, &scaling));
    DONE(hsp_summary_new(ctx, data, &err, &summary));
    DONE(hsp_profile_file(ctx, "rows.csv", NULL, NULL, &err, &profile));
    DONE(hsp_trainer_new(ctx, learner, names, 2, 2, &err, &trainer));
    DONE(hsp_kernel_parse(ctx, "linear", 0, 1, &err, &kernel));
    DONE(hsp_kernel_fit(ctx, kernel, view, &err));
    hsp_plot_input input = {.size = sizeof input, .data = &data, .data_count = 1};
    DONE(hsp_plot(ctx, &input, options_of(ctx, hsp_plot_kind_find("rows")), &err, &figure));
"""


def prototypes(header):
    """Return type, name and parameters (type, name) of every call."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for found in re.finditer(r"HSP_API\s+([^;{}]+?)\b(hsp_\w+)\s*\(([^;]*)\)\s*;", text):
        words = " ".join(found.group(3).split())
        parameters = [] if words == "void" else [split(one) for one in words.split(",")]
        yield found.group(1).strip(), found.group(2), parameters


def split(parameter):
    found = re.match(r"^(.*?)(\w+)(\[.*\])?$", parameter.strip())
    kind = found.group(1).strip() + (" *" if found.group(3) else "")
    return kind, found.group(2)


def value(call, kind, name):
    """What a sound call has there."""
    bare = kind.replace("const ", "", 1) if kind.startswith("const ") else kind
    if bare in ("hsp_options *", "hsp_option_table *"):
        table = TABLES.get(name) or TABLES.get(call) or 'hsp_learner_find("perceptron")'
        return table if "table" in bare else f"options_of(ctx, {table})"
    for key in f"{bare}{name}", f"{bare} {name}", bare:
        if key in VALUES:
            return VALUES[key]
    return "room()" if "*" in kind else "1"


def main():
    calls = []
    for header in sys.argv[1:]:
        with open(header) as file:
            calls += prototypes(file.read())
    lines = []
    for result, call, parameters in calls:
        if call.endswith("_free"):
            lines.append(f"    {call}({', '.join('NULL' for _ in parameters)});")
            continue
        pointers = [(kind, name) for kind, name in parameters if "*" in kind or kind == "hsp_bytes_fn"]
        has_err = any(kind.startswith("hsp_error") for kind, _ in parameters)
        for kind, null in pointers:
            arguments = ["NULL" if name == null else value(call, of, name) for of, name in parameters]
            called = f"{call}({', '.join(arguments)})"
            optional = null in ("err", "user") or null in OPTIONAL.get(call, "").split()
            lines.append(f'    fprintf(stderr, "{call} {null}\\n");')
            if result == "hsp_status" and not optional:
                lines.append(f'    expect("{call}", "{null}", {int(has_err)}, {called});')
            else:
                lines.append(f"    (void){called};")
    print(HEAD)
    print("\n".join(lines))
    print(f'    fprintf(stderr, "{len(calls)} calls\\n");')
    print("    return failed;\n}")


main()
