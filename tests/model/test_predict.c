/* A file predicted to a file: the same as reading it whole and scoring it, line by line. */
#include "base/decimal.h"
#include "data/csv.h"
#include "model/helpers.h"

/* Options of predicting; NULL: none. */
static hsp_options *predict_options(hsp_context *ctx, int scores, int distance)
{
    hsp_options *options = NULL;
    if (hsp_options_new(ctx, hsp_predict_options(), NULL, &options)) abort();
    if (scores && hsp_options_set(options, "scores", "yes", NULL)) abort();
    if (distance && hsp_options_set(options, "distance", "yes", NULL)) abort();
    return options;
}

/* What the file should hold. */
static char *expected(hsp_context *ctx, const hsp_model *model, const hsp_view *view, int scores,
                      int distance, uint64_t *ties)
{
    const uint32_t scorers = model->scorers;
    double *all = malloc((view->rows * scorers + 1) * sizeof *all), squares = 0;
    char *text = malloc(view->rows * 200 + 1), *at = text;
    for (uint64_t j = 0; j < hsp__model_inputs(model); j++)
        squares += model->weights[j] * model->weights[j];
    if (hsp_model_score(ctx, model, view, NULL, all, NULL)) abort();
    *ties = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        uint32_t chosen = hsp__model_decide(model, all + i * scorers);
        *ties += chosen == HSP_NO_CLASS;
        at += sprintf(at, "%s", chosen == HSP_NO_CLASS ? "0" : hsp_model_class_name(model, chosen));
        for (uint32_t k = 0; k < scorers && scores; k++) {
            *at++ = '\t';
            at += hsp__decimal_print_f64(all[i * scorers + k], at);
        }
        if (distance) {
            *at++ = '\t';
            at += hsp__decimal_print_f64(all[i] / sqrt(squares), at);
        }
        *at++ = '\n';
    }
    *at = 0;
    free(all);
    return text;
}

/* Predict `data_path` at several block sizes and numbers of threads; all must give `want`. */
static void predict_all(const hsp_model *model, const char *data_path, const char *want,
                        uint64_t rows, uint64_t ties, int scores, int distance)
{
    static const int threads[] = {1, 2, 7};
    static const size_t blocks[] = {50, 1000, 0};
    const char *out_path = test_path("predicted.txt");
    for (int t = 0; t < 3; t++)
        for (int b = 0; b < 3; b++) {
            hsp_context *ctx = test_context(threads[t], blocks[b]);
            hsp_options *options = predict_options(ctx, scores, distance);
            hsp_prediction got = {.size = sizeof got};
            hsp_error err = {0};
            hsp_status status =
                hsp_predict_file(ctx, model, data_path, NULL, options, out_path, &err, &got);
            CHECK_NOTE(status == HSP_OK, "%s", err.message);
            size_t size;
            char *text = status ? NULL : test_read_file(out_path, &size);
            if (text)
                CHECK_NOTE(strcmp(text, want) == 0, "got:\n%.300s\nwant:\n%.300s", text, want);
            CHECK(got.rows == rows && got.ties == ties);
            free(text);
            hsp_options_free(options);
            hsp_context_free(ctx);
        }
    unlink(out_path);
}

/* Small numbers or, where scores must be the same bits however the file is read, any. */
static void round_trip(uint64_t seed, const char *ending)
{
    static const char *const kinds[] = {"min-max", "standard", "max-abs", "unit-rows", "unit-ball"};
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 1, seed);
    const uint64_t features = 1 + hsp__random_below(&random, 50);
    hsp_model *model = test_linear(ctx, &random, 2 + (uint32_t)(seed % 2), features);
    const int whole = hsp__random_below(&random, 2) != 0; /* the length has no rounding then */
    for (uint64_t j = 0; j < features && !whole; j++)
        model->weights[j] = hsp__random_normal(&random);
    if (hsp__random_below(&random, 3) == 0) test_add_votes(ctx, &random, model, HSP_SPARSE);
    if (hsp__random_below(&random, 2))
        model->scalings[0] = test_scaling(ctx, &random, kinds[seed % 5], features);
    model->order = hsp__random_below(&random, 2) ? HSP__ORDER_DENSE : HSP__ORDER_SPARSE;
    hsp_data *rows = test_rows(ctx, &random, 60, features, (hsp_storage)(seed % 3));
    int distance =
        whole && model->hypothesis == HSP__LINEAR && model->scorers == 1 && model->weights[0] != 0;
    char path[80];
    snprintf(path, sizeof path, "/tmp/hsp-predict-%ld.%s", (long)getpid(), ending);
    hsp_data *labelled = NULL;
    uint32_t labels[60] = {0};
    hsp_view view = rows->view;
    view.labels = labels;
    view.classes = 1;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &labelled) == HSP_OK);
    CHECK(hsp_data_write(ctx, labelled, path, NULL, NULL) == HSP_OK);
    uint64_t ties;
    char *want = expected(ctx, model, &rows->view, seed % 3 != 0, distance, &ties);
    predict_all(model, path, want, 60, ties, seed % 3 != 0, distance);
    free(want);
    unlink(path);
    hsp_data_free(labelled);
    hsp_data_free(rows);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void libsvm_is_predicted_as_in_memory(void)
{
    for (uint64_t seed = 0; seed < 24; seed++)
        round_trip(seed, "svm");
}

static void a_cache_is_predicted_as_in_memory(void)
{
    for (uint64_t seed = 0; seed < 12; seed++)
        round_trip(seed, "hsp");
}

/* Raw CSV, with labels, with empty labels and without: the encoding travels in the model. */
static void csv_is_predicted_by_the_encoding(void)
{
    hsp_context *ctx = test_context(2, 0);
    static const char *const files[] = {"size,colour,y\n1,red,no\n2,blue,yes\n3,green,no\n",
                                        "size,colour,y\n1,red,\n2,blue,?\n3,green,x\n",
                                        "colour,size\nred,1\nblue,2\ngreen,3\n"};
    hsp_data *data = test_parse(ctx, "size,colour,y\n1,red,no\n2,blue,yes\n", NULL, NULL);
    hsp__random random;
    hsp__random_seed(&random, 2, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 3);
    model->encoding = data->encoding;
    data->encoding = NULL;
    model->weights[0] = 1;  /* size */
    model->weights[1] = 10; /* blue */
    model->weights[2] = -10;
    model->offsets[0] = 0;
    model->tie = HSP_TIE_NEG;
    const char *path = test_path("raw.csv");
    for (int f = 0; f < 3; f++) {
        test_write_file(path, files[f], strlen(files[f]));
        predict_all(model, path, "class 0\t-9\nclass 1\t12\nclass 1\t3\n", 3, 0, 1, 0);
    }
    unlink(path);
    hsp_data_free(data);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void what_cannot_be_predicted_leaves_no_file(void)
{
    hsp_context *ctx = test_context(2, 30);
    hsp__random random;
    hsp_error err = {0};
    hsp__random_seed(&random, 3, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2), *more = test_linear(ctx, &random, 3, 2);
    hsp_options *distance = predict_options(ctx, 0, 1);
    const char *path = test_path("bad.svm"), *out = test_path("bad.txt");
    const char *text = "1 1:1\n1 1:1\n1 1:1 2:3\n1 1:1\n1 1:1\n1 1:1\n1 3:nan\n1 1:1\n";
    test_write_file(path, text, strlen(text));
    CHECK(hsp_predict_file(ctx, model, path, NULL, NULL, out, &err, NULL) == HSP_BAD_DATA);
    CHECK_NOTE(err.line == 7 && err.column == 5 && strstr(err.message, "'nan'"), "%llu: %s",
               (unsigned long long)err.line, err.message);
    CHECK_TEXT(err.file, path);
    CHECK(hsp_predict_file(ctx, more, path, NULL, distance, out, &err, NULL) == HSP_USAGE);
    model->weights[0] = model->weights[1] = 0;
    CHECK(hsp_predict_file(ctx, model, path, NULL, distance, out, &err, NULL) == HSP_USAGE);
    CHECK(hsp_predict_file(ctx, model, "/nowhere", NULL, NULL, out, &err, NULL) == HSP_IO);
    CHECK(access(out, F_OK) != 0);
    unlink(path);
    hsp_options_free(distance);
    hsp_model_free(more);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* A cell of letters, quotes, separators, newlines and blanks; never missing. */
static void nasty_cell(hsp__random *random, hsp__text *cell)
{
    static const char *const pieces[] = {"a", "\"", ",",    "\n",       ";",
                                         " ", "\t", "\r\n", "\xc3\xa4", "7"};
    cell->size = 0;
    hsp__text_puts(cell, "x");
    for (uint64_t n = hsp__random_below(random, 6); n > 0; n--)
        hsp__text_puts(cell, pieces[hsp__random_below(random, sizeof pieces / sizeof *pieces)]);
}

/* Columns that are kept come back as they were, whatever is in them, in tables that our own reader
 * reads. */
static void kept_cells_come_back(const char *format, char separator, uint64_t seed)
{
    enum { ROWS = 40 };
    hsp_context *setup = test_context(1, 0);
    hsp_data *data = test_parse(setup, "size,y\n1,no\n2,yes\n", NULL, NULL);
    hsp__random random;
    hsp__text file, cells[ROWS][2];
    hsp__random_seed(&random, 4, seed);
    hsp_model *model = test_linear(setup, &random, 2, 1);
    model->encoding = data->encoding;
    data->encoding = NULL;
    model->tie = HSP_TIE_NEG;
    hsp__text_init(&file, &setup->allocator);
    hsp__text_puts(&file, "id,size,\"the, \"\"note\"\"\"\n");
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < 2; k++) {
            hsp__text_init(&cells[i][k], &setup->allocator);
            nasty_cell(&random, &cells[i][k]);
            hsp__csv_put(&file, cells[i][k].data, cells[i][k].size, ',', k);
            hsp__text_puts(&file, k ? "\n" : ",1,");
        }
        if (hsp__random_below(&random, 4) == 0) hsp__text_puts(&file, "\n"); /* a blank line */
    }
    const char *path = test_path("nasty.csv"), *out = test_path("nasty.txt");
    test_write_file(path, file.data, file.size);
    for (int threads = 1; threads < 4; threads += 2)
        for (size_t block = 60; block < 2000; block *= 9) {
            hsp_context *ctx = test_context(threads, block);
            hsp_options *options = predict_options(ctx, 1, 0);
            hsp_error err = {0};
            CHECK(hsp_options_set(options, "output-format", format, NULL) == HSP_OK);
            CHECK(hsp_options_set(options, "keep", "the, \"note\"", NULL) == HSP_OK);
            CHECK(hsp_options_set(options, "keep", "id", NULL) == HSP_OK);
            CHECK_NOTE(hsp_predict_file(ctx, model, path, NULL, options, out, &err, NULL) == HSP_OK,
                       "%s", err.message);
            size_t size;
            char *read = test_read_file(out, &size), *text = calloc(size + HSP__BLOCK_PADDING, 1);
            hsp__text unquoted;
            hsp__text_init(&unquoted, &ctx->allocator);
            memcpy(text, read, size);
            hsp__csv_cursor cursor = hsp__csv_begin(text, size, separator, &unquoted);
            hsp__csv_field field;
            for (int i = -1; i < ROWS; i++)
                for (int k = 0; k < 4; k++) {
                    CHECK(hsp__csv_next(&cursor, &field, NULL) == HSP_OK && field.last == (k == 3));
                    if (i < 0 || k > 1) continue;
                    const hsp__text *want = &cells[i][1 - k];
                    CHECK_NOTE(field.size == want->size &&
                                   memcmp(field.text, want->data, want->size) == 0,
                               "row %d: %.*s", i, (int)field.size, field.text);
                }
            CHECK(cursor.at == cursor.end);
            hsp__text_free(&unquoted);
            free(text);
            free(read);
            hsp_options_free(options);
            hsp_context_free(ctx);
        }
    for (int i = 0; i < 2 * ROWS; i++)
        hsp__text_free(&cells[i / 2][i % 2]);
    hsp__text_free(&file);
    unlink(path);
    unlink(out);
    hsp_data_free(data);
    hsp_model_free(model);
    hsp_context_free(setup);
}

static void kept_cells_come_back_from_tables(void)
{
    for (uint64_t seed = 0; seed < 20; seed++)
        kept_cells_come_back(seed % 2 ? "csv" : "tsv", seed % 2 ? ',' : '\t', seed);
}

int main(void)
{
    RUN(libsvm_is_predicted_as_in_memory);
    RUN(a_cache_is_predicted_as_in_memory);
    RUN(csv_is_predicted_by_the_encoding);
    RUN(kept_cells_come_back_from_tables);
    RUN(what_cannot_be_predicted_leaves_no_file);
    return check_done();
}
