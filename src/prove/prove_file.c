/* The data file that a certificate is about: its rows, and how anybody else can read the same ones.
 */
#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/container.h"
#include "data/csv.h"
#include "data/formats.h"
#include "prove/prove_file.h"

/* ---- The object "data" ----------------------------------------------------------------------- */

/* Names as an array: those of classes on one side, or all (side NULL). */
static void prove_file_write_names(hsp__text *text, const char *key, const hsp__names *names,
                                   const signed char *side, int wanted)
{
    hsp__claim_open(text, key, '[');
    for (uint32_t c = 0; c < names->count; c++) {
        if (side && side[c] != wanted) continue;
        if (text->data && text->data[text->size - 1] != '[') hsp__text_puts(text, ", ");
        hsp__json_put_bytes(text, hsp__names_get(names, c), hsp__names_size(names, c));
    }
    hsp__claim_close(text, ']');
}

/* Are all of them decimals, so that the column could have been one of numbers? */
static int prove_file_is_coded(const hsp__names *values)
{
    for (uint32_t v = 0; v < values->count; v++) {
        const char *text = hsp__names_get(values, v), *end = text + hsp__names_size(values, v);
        double number;
        hsp__decimal_result result;
        if (hsp__decimal_f64(text, end, &number, &result) != end ||
            (result != HSP__DECIMAL_OK && result != HSP__DECIMAL_OVERFLOW))
            return 0;
    }
    return 1;
}

/* Where the values of categories and ordinals are noted when a row has them. */
typedef struct prove_file_slots {
    uint64_t features;
    uint64_t *first; /* features: the place of its value in `seen`, of an ordinal that of its first
                        one; UINT64_MAX: it has no values */
    uint32_t *ordinal; /* features: how many values; 0: not of an ordinal */
    uint64_t *nonzero; /* features: rows in which it is not 0 */
    unsigned char *seen;
} prove_file_slots;

static void prove_file_note_rows(const hsp_view *view, prove_file_slots *slots)
{
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t f = hsp__row_column(&row, k);
            const double x = hsp__row_value(view, &row, k);
            if (x == 0 || f >= slots->features) continue;
            slots->nonzero[f]++;
            if (slots->first[f] == UINT64_MAX) continue;
            if (!slots->ordinal[f])
                slots->seen[slots->first[f]] = 1;
            else if (x > 0 && x < slots->ordinal[f] && x == floor(x))
                slots->seen[slots->first[f] + (uint32_t)x] = 1;
        }
    }
}

/* The first value of an ordinal is 0, and so is a missing one that has an indicator, behind it. */
static void prove_file_note_first(const hsp_view *view, const hsp_encoding *encoding,
                                  prove_file_slots *slots)
{
    for (uint64_t f = 0, c = 0; c < encoding->names.count; c++) {
        const hsp__column *column = &encoding->columns[c];
        if (column->kind == HSP__COLUMN_ORDINAL) {
            const uint64_t missing = column->indicator ? slots->nonzero[f + 1] : 0;
            if (slots->nonzero[f] + missing < view->rows) slots->seen[slots->first[f]] = 1;
            /* what fills gaps shows nothing */
            if (encoding->missing == HSP__MISSING_MEAN && column->mean >= 0 &&
                column->mean < column->values.count && column->mean == floor(column->mean))
                slots->seen[slots->first[f] + (uint32_t)column->mean] = 0;
        }
        f += hsp__encoding_width(column);
    }
}

static int prove_file_is_valued(const hsp__column *column)
{
    return column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_ORDINAL;
}

/* Which columns have values that no row has (as far as it shows): file->unseen. */
static hsp_status prove_file_find_unseen(hsp__prove *prove, const hsp_encoding *encoding,
                                         hsp__prove_file *file, hsp_error *err)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const uint32_t columns = encoding->names.count;
    prove_file_slots slots = {0};
    uint64_t values = 0, f = 0, v = 0;
    for (uint32_t c = 0; c < columns; c++) {
        slots.features += hsp__encoding_width(&encoding->columns[c]);
        values += encoding->columns[c].values.count;
    }
    file->unseen = hsp__new(memory, (uint64_t)columns + 1, 1);
    slots.first = hsp__new_raw(memory, slots.features + 1, sizeof *slots.first);
    slots.ordinal = hsp__new(memory, slots.features + 1, sizeof *slots.ordinal);
    slots.nonzero = hsp__new(memory, slots.features + 1, sizeof *slots.nonzero);
    slots.seen = hsp__new(memory, values + 1, 1);
    const int there = file->unseen && slots.first && slots.ordinal && slots.nonzero && slots.seen;
    if (there) memset(slots.first, 0xff, (slots.features + 1) * sizeof *slots.first);
    for (uint32_t c = 0; there && c < columns; c++) {
        const hsp__column *column = &encoding->columns[c];
        const uint64_t width = hsp__encoding_width(column);
        const int ordinal = column->kind == HSP__COLUMN_ORDINAL;
        for (uint64_t k = 0; k < width - (column->indicator != 0) && prove_file_is_valued(column);
             k++)
            slots.first[f + k] = v + k;
        if (ordinal) slots.ordinal[f] = column->values.count;
        f += width;
        v += column->values.count;
    }
    if (there) prove_file_note_rows(file->view, &slots);
    if (there) prove_file_note_first(file->view, encoding, &slots);
    v = 0;
    for (uint32_t c = 0; there && c < columns; c++)
        for (uint32_t k = 0; k < encoding->columns[c].values.count; k++, v++)
            if (prove_file_is_valued(&encoding->columns[c]) && !slots.seen[v]) file->unseen[c] = 1;
    hsp__free(memory, slots.first);
    hsp__free(memory, slots.ordinal);
    hsp__free(memory, slots.nonzero);
    hsp__free(memory, slots.seen);
    return there ? HSP_OK : hsp__fail_memory(err);
}

static void prove_file_write_field(hsp__text *text, const hsp__csv_plan *plan,
                                   const unsigned char *unseen, uint32_t j)
{
    static const char *const kinds[] = {"number", "category", "ordinal", "ignored", "label"};
    const hsp__column_kind kind = plan->columns[j].kind;
    hsp__claim_open(text, NULL, '{');
    hsp__claim_word(text, "kind", kinds[kind]);
    if (kind <= HSP__COLUMN_ORDINAL) {
        const hsp__column *column = &plan->encoding->columns[plan->columns[j].encoded];
        if (kind != HSP__COLUMN_NUMBER)
            prove_file_write_names(text, "values", &column->values, NULL, 0);
        if (kind != HSP__COLUMN_NUMBER && prove_file_is_coded(&column->values))
            hsp__claim_flag(text, "codes", 1);
        if (unseen[plan->columns[j].encoded]) hsp__claim_flag(text, "unseen", 1);
        if (kind != HSP__COLUMN_CATEGORY && plan->missing == HSP__MISSING_MEAN)
            hsp__claim_exact(text, "mean", column->mean);
        if (column->indicator) hsp__claim_flag(text, "indicator", 1);
    }
    hsp__claim_close(text, '}');
}

/* Features in the order of the encoding must be features in the order of the file. */
static hsp_status prove_file_check_fields(const hsp__csv_plan *plan, const char *path,
                                          hsp_error *err)
{
    uint32_t next = 0;
    for (uint32_t j = 0; j < plan->count; j++) {
        if (plan->columns[j].kind > HSP__COLUMN_ORDINAL) continue;
        if (plan->columns[j].encoded < next)
            return hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                                "the columns are in another order than in the training file, which "
                                "certificates do not support");
        next = plan->columns[j].encoded + 1;
    }
    return HSP_OK;
}

static void prove_file_write_layout(hsp__text *text, const hsp__csv_plan *plan,
                                    const unsigned char *unseen)
{
    hsp__text_puts(text, ",\n    \"separator\": ");
    hsp__json_put_string(text, &plan->separator, 1);
    hsp__claim_word(text, "missing", hsp__missing_word(plan->missing));
    hsp__text_puts(text, ",\n    \"fields\": [");
    for (uint32_t j = 0; j < plan->count; j++) {
        if (j) hsp__text_puts(text, ",\n               ");
        prove_file_write_field(text, plan, unseen, j);
    }
    hsp__text_puts(text, "]");
}

static const char *prove_file_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static hsp_status prove_file_describe(hsp__prove_file *file, const hsp__prove_classes *classes,
                                      const hsp__csv_plan *plan, const unsigned char *unseen,
                                      int header, const char hash[65], hsp_error *err)
{
    hsp__text *text = &file->json;
    const char *name = prove_file_base_name(file->path);
    hsp__text_puts(text, "{\n    \"file\": ");
    hsp__json_put_string(text, name, strlen(name));
    hsp__text_printf(text, ",\n    \"sha256\": \"%s\"", hash);
    hsp__text_printf(text,
                     ",\n    \"rows\": %llu, \"columns\": ", (unsigned long long)file->view->rows);
    if (plan)
        prove_file_write_layout(&file->layout, plan, unseen);
    else
        hsp__text_printf(&file->layout, ",\n    \"index_base\": %d",
                         hsp_data_index_base(file->data));
    text = &file->rest; /* columns are as many as both files have */
    hsp__text_puts(text, ", ");
    hsp__claim_word(text, "format", plan ? "csv" : "libsvm");
    hsp__text_puts(text, ",\n    ");
    prove_file_write_names(text, "negative", &classes->names, classes->side, -1);
    prove_file_write_names(text, "positive", &classes->names, classes->side, 1);
    /* a row that is left out for a missing value may be the only one of its class */
    const int drops = classes->drops || (plan && plan->missing == HSP__MISSING_DROP);
    hsp__claim_word(text, "others", drops ? "drop" : "error");
    if (plan) hsp__claim_flag(text, "header", header);
    if (!file->layout.failed) hsp__text_add(text, file->layout.data, file->layout.size);
    hsp__text_puts(text, "\n  }");
    return text->failed || file->json.failed || file->layout.failed ? hsp__fail_memory(err)
                                                                    : HSP_OK;
}

/* ---- Which classes --------------------------------------------------------------------------- */

/* Labels that are numbers are named by their value: +1 is 1. */
static hsp_status prove_file_choose_model(const hsp_model *model, hsp__prove_classes *classes,
                                          hsp_error *err)
{
    if (hsp_model_classes(model) != 2 || model->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the model has %u classes, and claims are about two; train with "
                         "--positive CLASS or --classes A,B",
                         (unsigned)hsp_model_classes(model));
    for (uint32_t c = 0; c < classes->names.count; c++) {
        const uint32_t of = hsp_model_class_of(model, hsp__names_get(&classes->names, c));
        classes->side[c] = of == HSP_NO_CLASS ? 0 : of ? 1 : -1;
        if (!classes->side[c] && !model->leaves_out)
            return hsp__fail(err, HSP_BAD_DATA, "the model does not have the class '%.80s'",
                             hsp__names_get(&classes->names, c));
        classes->drops |= !classes->side[c];
    }
    classes->drops |= model->leaves_out;
    return HSP_OK;
}

/* The class that a user means by what the option says. */
static hsp_status prove_file_find(const hsp_data *data, const hsp__names *names, const char *option,
                                  const char *label, size_t size, hsp_error *err, uint32_t *found)
{
    hsp__names canonical;
    uint32_t number;
    char quoted[HSP__QUOTED];
    hsp__names_init(&canonical, &data->memory);
    const hsp__label_result result = hsp__label_add(&canonical, label, size, &number);
    *found = HSP__NAME_NONE;
    if (result == HSP__LABEL_OK)
        *found = hsp__names_find(names, hsp__names_get(&canonical, number),
                                 hsp__names_size(&canonical, number));
    hsp__names_free(&canonical);
    if (result == HSP__LABEL_NO_MEMORY) return hsp__fail_memory(err);
    if (*found != HSP__NAME_NONE) return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, option, 0, 0, "there is no class '%s' in the data",
                        hsp__quote(label, size, quoted));
}

static hsp_status prove_file_choose_positive(const hsp_data *data, const char *positive,
                                             hsp__prove_classes *classes, hsp_error *err)
{
    uint32_t found;
    hsp_status status = prove_file_find(data, &classes->names, "--positive", positive,
                                        strlen(positive), err, &found);
    if (status) return status;
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c == found ? 1 : -1;
    return HSP_OK;
}

static hsp_status prove_file_choose_pair(const hsp_data *data, const char *pair,
                                         hsp__prove_classes *classes, hsp_error *err)
{
    const char *comma = strchr(pair, ',');
    if (!comma || strchr(comma + 1, ','))
        return hsp__fail_at(err, HSP_USAGE, "--classes", 0, 0,
                            "found '%.80s', expected two classes: A,B", pair);
    const size_t sizes[2] = {(size_t)(comma - pair), strlen(comma + 1)};
    const char *const names[2] = {pair, comma + 1};
    uint32_t found[2];
    for (int i = 0; i < 2; i++) {
        hsp_status status =
            prove_file_find(data, &classes->names, "--classes", names[i], sizes[i], err, &found[i]);
        if (status) return status;
    }
    if (found[0] == found[1])
        return hsp__fail_at(err, HSP_USAGE, "--classes", 0, 0, "one class is named twice");
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c == found[0] ? -1 : c == found[1] ? 1 : 0;
    classes->drops = 1;
    return HSP_OK;
}

static hsp_status prove_file_choose(const hsp__prove *prove, const hsp_data *data,
                                    hsp__prove_classes *classes, hsp_error *err)
{
    const char *positive = hsp_options_text(prove->options, "positive");
    const char *pair = hsp_options_text(prove->options, "classes");
    if (positive && pair)
        return hsp__fail_at(err, HSP_USAGE, "--positive", 0, 0,
                            "and --classes both choose classes; use only one of them");
    if (prove->model && (positive || pair))
        return hsp__fail_at(err, HSP_USAGE, positive ? "--positive" : "--classes", 0, 0,
                            "has no effect with --model, which has its classes; remove it");
    if (prove->model) return prove_file_choose_model(prove->model, classes, err);
    if (positive) return prove_file_choose_positive(data, positive, classes, err);
    if (pair) return prove_file_choose_pair(data, pair, classes, err);
    if (classes->names.count > 2)
        return hsp__fail(err, HSP_USAGE,
                         "the data has %u classes, and claims are about two; use --positive CLASS "
                         "or --classes A,B",
                         (unsigned)classes->names.count);
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c ? 1 : -1;
    return HSP_OK;
}

/* The rows of both sides, and y. `place` gets the number of each row of the file. */
static hsp_status prove_file_group(hsp__prove *prove, hsp_data *whole,
                                   const hsp__prove_classes *classes, uint64_t *place,
                                   hsp_error *err, hsp__prove_file *file)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const uint32_t *labels = whole->view.labels;
    const uint64_t n = whole->view.rows;
    uint64_t *rows = hsp__new_raw(memory, n, sizeof *rows), count = 0, others = 0;
    file->y = hsp__new_raw(memory, n, sizeof *file->y);
    hsp_status status = rows && file->y ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < n; i++) {
        const signed char side = classes->side[labels[i]];
        place[i] = side ? count : UINT64_MAX;
        if (!side) {
            rows[n - ++others] = i; /* from behind */
            continue;
        }
        file->sides[side > 0]++;
        file->y[count] = (signed char)side;
        rows[count++] = i;
    }
    if (!status) status = hsp_data_select(prove->ctx, whole, rows, count, err, &file->data);
    if (!status && others)
        status = hsp_data_select(prove->ctx, whole, rows + count, others, err, &file->left_out);
    hsp__free(memory, rows);
    return status;
}

/* Two classes for the learners: 0 is -1, 1 is 1. */
static hsp_status prove_file_relabel(hsp__prove *prove, hsp__prove_file *file, hsp_error *err)
{
    hsp_data *data = file->data;
    hsp__names names;
    uint32_t number;
    hsp__names_init(&names, &prove->ctx->allocator);
    if (!hsp__names_add(&names, "-1", 2, &number) || !hsp__names_add(&names, "1", 1, &number)) {
        hsp__names_free(&names);
        return hsp__fail_memory(err);
    }
    hsp__names_free(&data->class_names);
    data->class_names = names;
    for (uint64_t i = 0; i < data->view.rows; i++)
        data->labels[i] = file->y[i] > 0;
    data->view.classes = 2;
    return hsp_data_view(prove->ctx, data, err, &file->view);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A binary cache holds no decimals. */
static hsp_status prove_file_check_text(hsp__prove *prove, const char *path, hsp_error *err)
{
    hsp__source *source = NULL;
    const char *bytes;
    size_t size = 0;
    const char *format = "auto";
    hsp_status status = hsp__source_open(prove->ctx, path, err, &source);
    if (!status) status = hsp__source_peek(source, 16, err, &bytes, &size);
    if (!status) status = hsp__format_find(path, bytes, size, err, &format);
    if (!status && size >= 16 && hsp__container_looks_like(bytes, size))
        status = hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                              "claims are about the decimals of a text file; name the text file "
                              "from which this binary file was made");
    hsp__source_free(source);
    return status;
}

static hsp_status prove_file_read(hsp__prove *prove, const hsp_options *read,
                                  const hsp_encoding *encoding, hsp__prove_file *file,
                                  hsp_error *err, hsp_options **options, hsp_data **whole)
{
    hsp_status status = read ? hsp_options_copy(prove->ctx, read, err, options)
                             : hsp_options_new(prove->ctx, hsp_read_options(), err, options);
    if (!status) status = prove_file_check_text(prove, file->path, err);
    if (!status) status = hsp_options_set(*options, "precision", "double", err);
    if (!status && prove->model) status = hsp_model_set_read(prove->model, *options, err);
    if (!status) status = hsp_data_read(prove->ctx, file->path, *options, encoding, err, whole);
    const hsp_view *view;
    if (!status) status = hsp_data_view(prove->ctx, *whole, err, &view);
    if (!status && (!view->labels || !(*whole)->class_names.count))
        return hsp__fail_at(err, HSP_BAD_DATA, file->path, 0, 0,
                            "there are no labelled rows, so there is nothing to certify");
    return status;
}

/* How the columns of this file are read, to be told to others. */
static hsp_status prove_file_plan(hsp__prove *prove, const hsp_options *options,
                                  const hsp_encoding *encoding, const char *path, hsp_error *err,
                                  hsp__csv_plan *plan, int *header)
{
    hsp__source *source = NULL;
    hsp__csv_sample sample = {0};
    hsp_context quiet = *prove->ctx;
    quiet.log = NULL;
    hsp_status status = hsp__source_open(prove->ctx, path, err, &source);
    if (!status)
        status = hsp__csv_detect(&quiet, source, encoding->separator == '\t', options, encoding,
                                 err, &sample);
    if (!status)
        status = hsp__csv_plan_make(&quiet, path, &sample, options,
                                    hsp__reading_first(options, source), encoding, err, plan);
    if (!status) status = prove_file_check_fields(plan, path, err);
    *header = sample.header;
    hsp__csv_sample_free(&prove->ctx->allocator, &sample);
    hsp__source_free(source);
    return status;
}

static hsp_status prove_file_settle(hsp__prove *prove, const hsp_options *options, hsp_data *whole,
                                    const hsp__csv_plan *plan, int header, hsp_error *err,
                                    hsp__prove_file *file)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    hsp__prove_classes classes = {.names = whole->class_names};
    char hash[65];
    uint64_t *place = hsp__new_raw(memory, whole->view.rows, sizeof *place);
    file->place = place;
    file->whole = whole->view.rows;
    classes.side = hsp__new(memory, classes.names.count, sizeof *classes.side);
    hsp_status status = place && classes.side ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = prove_file_choose(prove, whole, &classes, err);
    if (!status) status = prove_file_group(prove, whole, &classes, place, err, file);
    if (!status) status = prove_file_relabel(prove, file, err);
    if (!status) status = hsp__prove_hash_file(prove->ctx, file->path, err, hash);
    if (!status)
        status = hsp__exact_longs(prove->ctx, file->path, options, whole, place, err, &file->exact);
    /* `fields` are the same for both files: what no row has is said of the first */
    if (!status && plan && file == &prove->data)
        status = prove_file_find_unseen(prove, plan->encoding, file, err);
    if (!status)
        status = prove_file_describe(file, &classes, plan, prove->data.unseen, header, hash, err);
    hsp__free(memory, classes.side);
    return status;
}

hsp_status hsp__prove_open(hsp__prove *prove, const char *path, const hsp_options *read, int test,
                           hsp_error *err, hsp__prove_file *file)
{
    const hsp_encoding *encoding = prove->model ? prove->model->encoding : NULL;
    hsp_options *options = NULL;
    hsp_data *whole = NULL;
    hsp__csv_plan plan = {0};
    int header = 0;
    file->path = path;
    hsp__text_init(&file->json, &prove->ctx->allocator);
    hsp__text_init(&file->rest, &prove->ctx->allocator);
    hsp__text_init(&file->layout, &prove->ctx->allocator);
    if (strcmp(path, "-") == 0)
        return hsp__fail(err, HSP_USAGE,
                         "a certificate is about a file that can be read again; give its name");
    if (test && prove->data.data && prove->data.data->encoding)
        encoding = prove->data.data->encoding;
    hsp_status status = prove_file_read(prove, read, encoding, file, err, &options, &whole);
    const int csv = !status && whole->encoding;
    if (csv) status = prove_file_plan(prove, options, whole->encoding, path, err, &plan, &header);
    if (!status)
        status = prove_file_settle(prove, options, whole, csv ? &plan : NULL, header, err, file);
    file->rows = file->view;
    file->exact.view = file->view;
    file->exact.y = file->y;
    if (csv) hsp__csv_plan_free(&prove->ctx->allocator, &plan);
    hsp_data_free(whole);
    hsp_options_free(options);
    return status;
}

void hsp__prove_close(hsp__prove *prove, hsp__prove_file *file)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    if (!file->path) return;
    hsp_data_free(file->data);
    hsp_data_free(file->left_out);
    hsp_data_free(file->moved);
    hsp__exact_longs_free(prove->ctx, &file->exact);
    hsp__free(memory, file->y);
    hsp__free(memory, file->place);
    hsp__free(memory, file->slack);
    hsp__free(memory, file->unseen);
    hsp__text_free(&file->json);
    hsp__text_free(&file->rest);
    hsp__text_free(&file->layout);
}
