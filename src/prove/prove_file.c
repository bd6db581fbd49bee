/* The data file that a certificate is about: its rows, and how anybody else can read the same ones.
 *
 * The file is read once: rows, hash and long decimals come from the same pass (data/provenance.h).
 * Rows are borrowed from what was read, unless some are of classes that no claim is about. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/encode.h"
#include "data/labels.h"
#include "prove/prove.h"

/* The classes of a file, and on which side each is. */
typedef struct prove_file_classes {
    hsp__names names;  /* borrowed */
    signed char *side; /* names.count: -1, 1, or 0: its rows are left out */
    int drops;         /* rows of labels on neither side are left out; else there are none */
} prove_file_classes;

/* ---- The object "data" ----------------------------------------------------------------------- */

/* Names as an array: those of classes on one side, or all (side NULL). */
static void prove_file_write_names(hsp__text *text, const char *key, const hsp__names *names,
                                   const signed char *side, int wanted)
{
    hsp__claim_open(text, key, '[');
    for (uint32_t c = 0; c < names->count; c++) {
        if (side && side[c] != wanted) continue;
        if (!text->failed && text->data[text->size - 1] != '[') hsp__text_puts(text, ", ");
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
    hsp__scratch *scratch = &prove->scratch;
    const uint32_t columns = encoding->names.count;
    prove_file_slots slots = {0};
    uint64_t values = 0, f = 0, v = 0;
    for (uint32_t c = 0; c < columns; c++) {
        slots.features += hsp__encoding_width(&encoding->columns[c]);
        values += encoding->columns[c].values.count;
    }
    file->unseen = hsp__scratch_new(scratch, (uint64_t)columns + 1, 1);
    slots.first = hsp__scratch_new(scratch, slots.features + 1, sizeof *slots.first);
    slots.ordinal = hsp__scratch_new(scratch, slots.features + 1, sizeof *slots.ordinal);
    slots.nonzero = hsp__scratch_new(scratch, slots.features + 1, sizeof *slots.nonzero);
    slots.seen = hsp__scratch_new(scratch, values + 1, 1);
    if (scratch->failed) return hsp__fail_memory(err);
    memset(slots.first, 0xff, (slots.features + 1) * sizeof *slots.first);
    for (uint32_t c = 0; c < columns; c++) {
        const hsp__column *column = &encoding->columns[c];
        const uint64_t width = hsp__encoding_width(column);
        for (uint64_t k = 0; k < width - (column->indicator != 0) && prove_file_is_valued(column);
             k++)
            slots.first[f + k] = v + k;
        if (column->kind == HSP__COLUMN_ORDINAL) slots.ordinal[f] = column->values.count;
        f += width;
        v += column->values.count;
    }
    assert(f == slots.features && v == values);
    prove_file_note_rows(file->view, &slots);
    prove_file_note_first(file->view, encoding, &slots);
    v = 0;
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t k = 0; k < encoding->columns[c].values.count; k++, v++)
            if (prove_file_is_valued(&encoding->columns[c]) && !slots.seen[v]) file->unseen[c] = 1;
    return HSP_OK;
}

static void prove_file_write_field(hsp__text *text, const hsp__prove_file *file,
                                   const unsigned char *unseen, const hsp__table_column *of)
{
    static const char *const kinds[] = {"number", "category", "ordinal", "ignored", "label"};
    const hsp__column_kind kind = (hsp__column_kind)of->kind;
    hsp__claim_open(text, NULL, '{');
    hsp__claim_word(text, "kind", kinds[kind]);
    if (kind <= HSP__COLUMN_ORDINAL) {
        const hsp__column *column = &file->whole->encoding->columns[of->encoded];
        if (kind != HSP__COLUMN_NUMBER)
            prove_file_write_names(text, "values", &column->values, NULL, 0);
        if (kind != HSP__COLUMN_NUMBER && prove_file_is_coded(&column->values))
            hsp__claim_flag(text, "codes", 1);
        if (unseen[of->encoded]) hsp__claim_flag(text, "unseen", 1);
        if (kind != HSP__COLUMN_CATEGORY && file->told.missing == HSP__MISSING_MEAN)
            hsp__claim_exact(text, "mean", column->mean);
        if (column->indicator) hsp__claim_flag(text, "indicator", 1);
    }
    hsp__claim_close(text, '}');
}

/* Features in the order of the encoding must be features in the order of the file. */
static hsp_status prove_file_check_fields(const hsp__prove_file *file, hsp_error *err)
{
    uint32_t next = 0;
    for (uint32_t j = 0; j < file->told.count; j++) {
        const hsp__table_column *column = &file->told.columns[j];
        if (column->kind > HSP__COLUMN_ORDINAL) continue;
        if (column->encoded < next)
            return hsp__fail_at(err, HSP_USAGE, file->path, 0, 0,
                                "the columns are in another order than in the training file, which "
                                "certificates do not support");
        next = column->encoded + 1;
    }
    return HSP_OK;
}

static void prove_file_write_layout(hsp__text *text, const hsp__prove_file *file,
                                    const unsigned char *unseen)
{
    hsp__text_puts(text, ",\n    \"separator\": ");
    hsp__json_put_string(text, &file->told.separator, 1);
    hsp__claim_word(text, "missing", hsp__missing_word((hsp__missing)file->told.missing));
    hsp__text_puts(text, ",\n    \"fields\": [");
    for (uint32_t j = 0; j < file->told.count; j++) {
        if (j) hsp__text_puts(text, ",\n               ");
        prove_file_write_field(text, file, unseen, &file->told.columns[j]);
    }
    hsp__claim_close(text, ']');
}

static hsp_status prove_file_describe(hsp__prove_file *file, const prove_file_classes *classes,
                                      const unsigned char *unseen, hsp_error *err)
{
    hsp__text *text = &file->json;
    const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
    const int table = file->told.count > 0;
    hsp__text_puts(text, "{\n    \"file\": ");
    hsp__json_put_string(text, name, strlen(name));
    hsp__text_printf(text, ",\n    \"sha256\": \"%s\"", file->told.hash);
    hsp__text_printf(text,
                     ",\n    \"rows\": %llu, \"columns\": ", (unsigned long long)file->view->rows);
    if (table)
        prove_file_write_layout(&file->layout, file, unseen);
    else
        hsp__text_printf(&file->layout, ",\n    \"index_base\": %d",
                         hsp_data_index_base(file->whole));
    text = &file->rest; /* columns are as many as both files have */
    hsp__text_puts(text, ", ");
    hsp__claim_word(text, "format", table ? "csv" : "libsvm");
    hsp__text_puts(text, ",\n    ");
    prove_file_write_names(text, "negative", &classes->names, classes->side, -1);
    prove_file_write_names(text, "positive", &classes->names, classes->side, 1);
    /* a row that is left out for a missing value may be the only one of its class */
    const int drops = classes->drops || (table && file->told.missing == HSP__MISSING_DROP);
    hsp__claim_word(text, "others", drops ? "drop" : "error");
    if (table) hsp__claim_flag(text, "header", file->told.header);
    if (!file->layout.failed) hsp__text_add(text, file->layout.data, file->layout.size);
    hsp__text_puts(text, "\n  }");
    return text->failed || file->json.failed || file->layout.failed ? hsp__fail_memory(err)
                                                                    : HSP_OK;
}

/* ---- Which classes --------------------------------------------------------------------------- */

/* Labels that are numbers are named by their value: +1 is 1. */
static hsp_status prove_file_choose_model(const hsp_model *model, prove_file_classes *classes,
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
static hsp_status prove_file_find(const hsp__names *names, const char *option, const char *label,
                                  size_t size, hsp_error *err, uint32_t *found)
{
    hsp__names canonical;
    uint32_t number;
    char quoted[HSP__QUOTED];
    hsp__names_init(&canonical, &names->memory);
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

static hsp_status prove_file_choose_positive(const char *positive, prove_file_classes *classes,
                                             hsp_error *err)
{
    uint32_t found;
    hsp_status status =
        prove_file_find(&classes->names, "--positive", positive, strlen(positive), err, &found);
    if (status) return status;
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c == found ? 1 : -1;
    return HSP_OK;
}

static hsp_status prove_file_choose_pair(const char *pair, prove_file_classes *classes,
                                         hsp_error *err)
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
            prove_file_find(&classes->names, "--classes", names[i], sizes[i], err, &found[i]);
        if (status) return status;
    }
    if (found[0] == found[1])
        return hsp__fail_at(err, HSP_USAGE, "--classes", 0, 0, "one class is named twice");
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c == found[0] ? -1 : c == found[1] ? 1 : 0;
    classes->drops = 1;
    return HSP_OK;
}

static hsp_status prove_file_choose(const hsp__prove *prove, prove_file_classes *classes,
                                    hsp_error *err)
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
    if (positive) return prove_file_choose_positive(positive, classes, err);
    if (pair) return prove_file_choose_pair(pair, classes, err);
    if (classes->names.count > 2)
        return hsp__fail(err, HSP_USAGE,
                         "the data has %u classes, and claims are about two; use --positive CLASS "
                         "or --classes A,B",
                         (unsigned)classes->names.count);
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c ? 1 : -1;
    return HSP_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* y, and where each row of the file is among those that claims are about; which these are. */
static uint64_t prove_file_group(const prove_file_classes *classes, uint64_t *rows,
                                 hsp__prove_file *file)
{
    const hsp_view *whole = &file->whole->view;
    uint64_t count = 0;
    for (uint64_t i = 0; i < whole->rows; i++) {
        const signed char side = classes->side[whole->labels[i]];
        file->place[i] = side ? count : UINT64_MAX;
        if (!side) continue;
        file->sides[side > 0]++;
        file->y[count] = side;
        rows[count++] = i;
    }
    return count;
}

/* The rows of both sides, of two classes for the learners: 0 is -1, 1 is 1. */
static hsp_status prove_file_rows(hsp__prove *prove, const prove_file_classes *classes,
                                  hsp_error *err, hsp__prove_file *file)
{
    hsp__scratch *scratch = &prove->scratch;
    const uint64_t n = file->whole->view.rows;
    uint64_t *rows = hsp__scratch_new(scratch, n, sizeof *rows);
    file->place = hsp__scratch_new(scratch, n, sizeof *file->place);
    file->y = hsp__scratch_new(scratch, n, sizeof *file->y);
    if (scratch->failed) return hsp__fail_memory(err);
    const uint64_t count = prove_file_group(classes, rows, file);
    assert(count <= n);
    hsp_status status =
        count == n ? hsp__data_borrow(prove->ctx, file->whole, err, &file->data)
                   : hsp_data_select(prove->ctx, file->whole, rows, count, err, &file->data);
    uint32_t number;
    if (status) return status;
    hsp__names_free(&file->data->class_names);
    hsp__names_init(&file->data->class_names, &prove->ctx->allocator);
    if (!hsp__names_add(&file->data->class_names, "-1", 2, &number) ||
        !hsp__names_add(&file->data->class_names, "1", 1, &number))
        return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++)
        file->data->labels[i] = file->y[i] > 0;
    file->data->view.classes = 2;
    assert(file->sides[0] + file->sides[1] == file->data->view.rows);
    return hsp_data_view(prove->ctx, file->data, err, &file->view);
}

/* The long decimals of these rows, by their numbers here. */
static hsp_status prove_file_decimals(hsp__prove_file *file, hsp_error *err)
{
    hsp__exact_source *exact = &file->exact;
    exact->longs = file->told.longs.all;
    for (uint64_t k = 0; k < file->told.longs.count; k++) {
        const hsp__long_decimal number = file->told.longs.all[k];
        if (file->place[number.row] == UINT64_MAX) continue;
        hsp__long_decimal *to = &exact->longs[exact->long_count++];
        file->told.longs.all[k] = *to; /* those of other rows stay behind, to be freed */
        *to = number;
        to->row = file->place[number.row];
    }
    return hsp__exact_check(exact, file->path, err);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static hsp_status prove_file_read(hsp__prove *prove, const hsp_options *read,
                                  const hsp_encoding *encoding, hsp__prove_file *file,
                                  hsp_error *err)
{
    hsp_options *options = NULL;
    const hsp_view *view;
    hsp_status status = read ? hsp_options_copy(prove->ctx, read, err, &options)
                             : hsp_options_new(prove->ctx, hsp_read_options(), err, &options);
    if (!status) status = hsp_options_set(options, "precision", "double", err);
    if (!status && prove->model) status = hsp_model_set_read(prove->model, options, err);
    if (!status)
        status = hsp__data_read_followed(prove->ctx, file->path, options, encoding, err,
                                         &file->told, &file->whole);
    hsp_options_free(options);
    if (!status) status = hsp_data_view(prove->ctx, file->whole, err, &view);
    if (!status && (!view->labels || !file->whole->class_names.count))
        return hsp__fail_at(err, HSP_BAD_DATA, file->path, 0, 0,
                            "there are no labelled rows, so there is nothing to certify");
    return status;
}

hsp_status hsp__prove_open(hsp__prove *prove, const char *path, const hsp_options *read, int test,
                           hsp_error *err, hsp__prove_file *file)
{
    const hsp_encoding *encoding = prove->model ? prove->model->encoding : NULL;
    file->path = path;
    hsp__text_init(&file->json, &prove->ctx->allocator);
    hsp__text_init(&file->rest, &prove->ctx->allocator);
    hsp__text_init(&file->layout, &prove->ctx->allocator);
    if (strcmp(path, "-") == 0)
        return hsp__fail(err, HSP_USAGE,
                         "a certificate is about a file that can be read again; give its name");
    if (test && prove->data.whole->encoding) encoding = prove->data.whole->encoding;
    hsp_status status = prove_file_read(prove, read, encoding, file, err);
    if (!status) status = prove_file_check_fields(file, err);
    if (status) return status;
    prove_file_classes classes = {.names = file->whole->class_names};
    classes.side = hsp__scratch_new(&prove->scratch, classes.names.count, sizeof *classes.side);
    status = classes.side ? prove_file_choose(prove, &classes, err) : hsp__fail_memory(err);
    if (!status) status = prove_file_rows(prove, &classes, err, file);
    if (!status) status = prove_file_decimals(file, err);
    /* `fields` are the same for both files: what no row has is reported of the first */
    if (!status && file->told.count && !test)
        status = prove_file_find_unseen(prove, file->whole->encoding, file, err);
    if (!status) status = prove_file_describe(file, &classes, prove->data.unseen, err);
    file->rows = file->exact.view = file->view;
    file->exact.y = file->y;
    return status;
}

void hsp__prove_close(hsp__prove_file *file)
{
    if (!file->path) return;
    hsp_data_free(file->data);
    hsp_data_free(file->whole);
    hsp_data_free(file->moved);
    hsp__provenance_free(&file->told);
    hsp__text_free(&file->json);
    hsp__text_free(&file->rest);
    hsp__text_free(&file->layout);
}
