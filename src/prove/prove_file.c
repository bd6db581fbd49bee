/* The data file that a certificate is about: its rows, and how anybody else can read the same ones.
 *
 * The file is read once: rows, hash and long decimals come from the same pass (data/provenance.h).
 * Rows are borrowed from what was read, unless some are of classes that no claim is about. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "data/encode.h"
#include "data/formats.h"
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

static int prove_file_is_valued(const hsp__column *column)
{
    return column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_ORDINAL;
}

/* Where the values of a feature's column are noted when a row has them. */
typedef struct prove_file_slot {
    uint64_t first;   /* the place of its value in `seen`, of an ordinal that of its first one */
    uint32_t ordinal; /* how many values; 0: not of an ordinal */
    int valued;       /* it is of a category or an ordinal, and no indicator */
    uint64_t nonzero; /* rows in which it is not 0 */
} prove_file_slot;

/* seen: the values that rows have, as far as it shows. */
static void prove_file_note(const hsp_view *view, const hsp_encoding *encoding,
                            prove_file_slot *slots, uint64_t features, unsigned char *seen)
{
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t f = hsp__row_column(&row, k);
            const double x = hsp__row_value(view, &row, k);
            if (x == 0 || f >= features) continue;
            slots[f].nonzero++;
            if (!slots[f].valued) continue;
            if (!slots[f].ordinal)
                seen[slots[f].first] = 1;
            else if (x > 0 && x < slots[f].ordinal && x == floor(x))
                seen[slots[f].first + (uint32_t)x] = 1;
        }
    }
    /* the first value of an ordinal is 0, and so is a missing one that has an indicator, behind it */
    for (uint64_t f = 0, c = 0; c < encoding->names.count; c++) {
        const hsp__column *column = &encoding->columns[c];
        if (column->kind == HSP__COLUMN_ORDINAL) {
            const uint64_t missing = column->indicator ? slots[f + 1].nonzero : 0;
            if (slots[f].nonzero + missing < view->rows) seen[slots[f].first] = 1;
            /* what fills gaps shows nothing */
            if (encoding->missing == HSP__MISSING_MEAN && column->mean >= 0 &&
                column->mean < column->values.count && column->mean == floor(column->mean))
                seen[slots[f].first + (uint32_t)column->mean] = 0;
        }
        f += hsp__encoding_width(column);
    }
}

/* Which columns have values that no row has: file->unseen. */
static hsp_status prove_file_find_unseen(hsp__prove *prove, const hsp_encoding *encoding,
                                         hsp__prove_file *file, hsp_error *err)
{
    hsp__scratch *scratch = &prove->scratch;
    const uint32_t columns = encoding->names.count;
    uint64_t features = 0, values = 0, f = 0, v = 0;
    for (uint32_t c = 0; c < columns; c++) {
        features += hsp__encoding_width(&encoding->columns[c]);
        values += encoding->columns[c].values.count;
    }
    file->unseen = hsp__scratch_new(scratch, (uint64_t)columns + 1, 1);
    prove_file_slot *slots = hsp__scratch_new(scratch, features + 1, sizeof *slots);
    unsigned char *seen = hsp__scratch_new(scratch, values + 1, 1);
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint32_t c = 0; c < columns; c++) {
        const hsp__column *column = &encoding->columns[c];
        const uint64_t width = hsp__encoding_width(column);
        for (uint64_t k = 0; k < width - (column->indicator != 0); k++)
            slots[f + k] =
                (prove_file_slot){.first = v + k, .valued = prove_file_is_valued(column)};
        if (column->kind == HSP__COLUMN_ORDINAL) slots[f].ordinal = column->values.count;
        f += width;
        v += column->values.count;
    }
    assert(f == features && v == values);
    prove_file_note(file->view, encoding, slots, features, seen);
    v = 0;
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t k = 0; k < encoding->columns[c].values.count; k++, v++)
            if (prove_file_is_valued(&encoding->columns[c]) && !seen[v]) file->unseen[c] = 1;
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
        /* are all of them decimals, so that the column could have been one of numbers? */
        int coded = kind != HSP__COLUMN_NUMBER;
        for (uint32_t v = 0; coded && v < column->values.count; v++) {
            const char *at = hsp__names_get(&column->values, v);
            const char *end = at + hsp__names_size(&column->values, v);
            double number;
            hsp__decimal_result result;
            coded = hsp__decimal_f64(at, end, &number, &result) == end &&
                    (result == HSP__DECIMAL_OK || result == HSP__DECIMAL_OVERFLOW);
        }
        if (coded) hsp__claim_flag(text, "codes", 1);
        if (unseen[of->encoded]) hsp__claim_flag(text, "unseen", 1);
        if (kind != HSP__COLUMN_CATEGORY && file->provenance.missing == HSP__MISSING_MEAN)
            hsp__claim_exact(text, "mean", column->mean);
        if (column->indicator) hsp__claim_flag(text, "indicator", 1);
    }
    hsp__claim_close(text, '}');
}

static hsp_status prove_file_describe(hsp__prove_file *file, const prove_file_classes *classes,
                                      const unsigned char *unseen, hsp_error *err)
{
    hsp__text *text = &file->json, *layout = &file->layout;
    const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
    const int table = file->provenance.count > 0;
    hsp__text_puts(text, "{\n    \"file\": ");
    hsp__json_put_string(text, name, strlen(name));
    hsp__text_printf(text, ",\n    \"sha256\": \"%s\"", file->provenance.hash);
    hsp__text_printf(text,
                     ",\n    \"rows\": %llu, \"columns\": ", (unsigned long long)file->view->rows);
    if (table) {
        hsp__text_puts(layout, ",\n    \"separator\": ");
        hsp__json_put_string(layout, &file->provenance.separator, 1);
        hsp__claim_word(layout, "missing",
                        hsp__missing_word((hsp__missing)file->provenance.missing));
        hsp__text_puts(layout, ",\n    \"fields\": [");
        for (uint32_t j = 0; j < file->provenance.count; j++) {
            if (j) hsp__text_puts(layout, ",\n               ");
            prove_file_write_field(layout, file, unseen, &file->provenance.columns[j]);
        }
        hsp__claim_close(layout, ']');
    } else {
        hsp__text_printf(layout, ",\n    \"index_base\": %d", hsp_data_index_base(file->whole));
    }
    text = &file->rest; /* columns are as many as both files have */
    hsp__text_puts(text, ", ");
    hsp__claim_word(text, "format", table ? "csv" : "libsvm");
    hsp__text_puts(text, ",\n    ");
    prove_file_write_names(text, "negative", &classes->names, classes->side, -1);
    prove_file_write_names(text, "positive", &classes->names, classes->side, 1);
    /* a row that is left out for a missing value may be the only one of its class */
    const int drops = classes->drops || (table && file->provenance.missing == HSP__MISSING_DROP);
    hsp__claim_word(text, "others", drops ? "drop" : "error");
    if (table) hsp__claim_flag(text, "header", file->provenance.header);
    if (!layout->failed) hsp__text_add(text, layout->data, layout->size);
    hsp__text_puts(text, "\n  }");
    return text->failed || file->json.failed || layout->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Which classes --------------------------------------------------------------------------- */

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

static hsp_status prove_file_choose_pair(const char *pair, prove_file_classes *classes,
                                         hsp_error *err)
{
    const char *comma = strchr(pair, ',');
    uint32_t found[2];
    if (!comma || strchr(comma + 1, ','))
        return hsp__fail_option(err, "--classes", "found '%.80s', expected two classes: A,B", pair);
    HSP__TRY(prove_file_find(&classes->names, "--classes", pair, (size_t)(comma - pair), err,
                             &found[0]));
    HSP__TRY(prove_file_find(&classes->names, "--classes", comma + 1, strlen(comma + 1), err,
                             &found[1]));
    if (found[0] == found[1]) return hsp__fail_option(err, "--classes", "one class is named twice");
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c == found[0] ? -1 : c == found[1] ? 1 : 0;
    classes->drops = 1;
    return HSP_OK;
}

/* Labels that are numbers are named by their value: +1 is 1. */
static hsp_status prove_file_choose_model(const hsp_model *model, prove_file_classes *classes,
                                          hsp_error *err)
{
    if (hsp_model_classes(model) != 2 || model->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the model has %u classes, and claims are about two; train with "
                         "--positive CLASS or --classes A,B",
                         (unsigned)hsp_model_classes(model));
    classes->drops = model->leaves_out;
    for (uint32_t c = 0; c < classes->names.count; c++) {
        const uint32_t of = hsp__model_exact_class(model, hsp__names_get(&classes->names, c));
        classes->side[c] = of == HSP_NO_CLASS ? 0 : of ? 1 : -1;
        if (!classes->side[c] && !model->leaves_out)
            return hsp__fail(err, HSP_BAD_DATA, "the model does not have the class '%.80s'",
                             hsp__names_get(&classes->names, c));
    }
    return HSP_OK;
}

static hsp_status prove_file_choose(const hsp__prove *prove, prove_file_classes *classes,
                                    hsp_error *err)
{
    const char *positive = hsp_options_text(prove->options, "positive");
    const char *pair = hsp_options_text(prove->options, "classes");
    uint32_t second = 1;
    if (positive && pair)
        return hsp__fail_option(err, "--positive",
                                "and --classes both choose classes; use only one of them");
    if (prove->model && (positive || pair))
        return hsp__fail_option(err, positive ? "--positive" : "--classes",
                                "has no effect with --model, which has its classes; remove it");
    if (prove->model) return prove_file_choose_model(prove->model, classes, err);
    if (pair) return prove_file_choose_pair(pair, classes, err);
    if (positive)
        HSP__TRY(prove_file_find(&classes->names, "--positive", positive, strlen(positive), err,
                                 &second));
    else if (classes->names.count > 2)
        return hsp__fail(err, HSP_USAGE,
                         "the data has %u classes, and claims are about two; use --positive CLASS "
                         "or --classes A,B",
                         (unsigned)classes->names.count);
    for (uint32_t c = 0; c < classes->names.count; c++)
        classes->side[c] = c == second ? 1 : -1;
    return HSP_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of both sides, of two classes for the learners: 0 is -1, 1 is 1. */
static hsp_status prove_file_rows(hsp__prove *prove, const prove_file_classes *classes,
                                  hsp_error *err, hsp__prove_file *file)
{
    hsp__scratch *scratch = &prove->scratch;
    const hsp_view *whole = &file->whole->view;
    const uint64_t n = whole->rows;
    uint64_t *rows = hsp__scratch_new(scratch, n, sizeof *rows), count = 0;
    uint32_t number;
    file->place = hsp__scratch_new(scratch, n, sizeof *file->place);
    file->y = hsp__scratch_new(scratch, n, sizeof *file->y);
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        const signed char side = classes->side[whole->labels[i]];
        file->place[i] = side ? count : UINT64_MAX;
        if (!side) continue;
        file->sides[side > 0]++;
        file->y[count] = side;
        rows[count++] = i;
    }
    HSP__TRY(count == n ? hsp__data_borrow(prove->ctx, file->whole, err, &file->data)
                        : hsp_data_select(prove->ctx, file->whole, rows, count, err, &file->data));
    hsp__names_free(&file->data->class_names);
    hsp__names_init(&file->data->class_names, &prove->ctx->allocator);
    if (!hsp__names_add(&file->data->class_names, "-1", 2, &number) ||
        !hsp__names_add(&file->data->class_names, "1", 1, &number))
        return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++)
        file->data->labels[i] = file->y[i] > 0;
    file->data->view.classes = 2;
    assert(file->sides[0] + file->sides[1] == file->data->view.rows);
    HSP__TRY(hsp_data_view(prove->ctx, file->data, err, &file->view));
    /* the long decimals of these rows, by their numbers here */
    hsp__exact_source *exact = &file->exact;
    exact->longs = file->provenance.longs.all;
    for (uint64_t k = 0; k < file->provenance.longs.count; k++) {
        const hsp__long_decimal decimal = file->provenance.longs.all[k];
        if (file->place[decimal.row] == UINT64_MAX) continue;
        hsp__long_decimal *to = &exact->longs[exact->long_count++];
        file->provenance.longs.all[k] = *to; /* those of other rows stay behind, to be freed */
        *to = decimal;
        to->row = file->place[decimal.row];
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
    uint32_t next = 0;
    hsp_status status = read ? hsp_options_copy(prove->ctx, read, err, &options)
                             : hsp_options_new(prove->ctx, hsp_read_options(), err, &options);
    if (!status) status = hsp_options_set(options, "precision", "double", err);
    if (!status && prove->model) status = hsp_model_set_read(prove->model, options, err);
    if (!status)
        status = hsp__data_read_followed(prove->ctx, file->path, options, encoding, err,
                                         &file->provenance, &file->whole);
    hsp_options_free(options);
    if (!status) status = hsp_data_view(prove->ctx, file->whole, err, &view);
    if (status) return status;
    if (!view->labels || !file->whole->class_names.count)
        return hsp__fail_at(err, HSP_BAD_DATA, file->path, 0, 0,
                            "there are no labelled rows, so there is nothing to certify");
    /* features in the order of the encoding must be features in the order of the file */
    for (uint32_t j = 0; j < file->provenance.count; j++) {
        const hsp__table_column *column = &file->provenance.columns[j];
        if (column->kind > HSP__COLUMN_ORDINAL) continue;
        if (column->encoded < next)
            return hsp__fail_at(err, HSP_USAGE, file->path, 0, 0,
                                "the columns are in another order than in the training file, which "
                                "certificates do not support");
        next = column->encoded + 1;
    }
    return HSP_OK;
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
    HSP__TRY(prove_file_read(prove, read, encoding, file, err));
    prove_file_classes classes = {.names = file->whole->class_names};
    classes.side = hsp__scratch_new(&prove->scratch, classes.names.count, sizeof *classes.side);
    if (!classes.side) return hsp__fail_memory(err);
    HSP__TRY(prove_file_choose(prove, &classes, err));
    HSP__TRY(prove_file_rows(prove, &classes, err, file));
    /* `fields` are the same for both files: what no row has is reported of the first */
    if (file->provenance.count && !test)
        HSP__TRY(prove_file_find_unseen(prove, file->whole->encoding, file, err));
    file->rows = file->exact.view = file->view;
    file->exact.y = file->y;
    return prove_file_describe(file, &classes, prove->data.unseen, err);
}

void hsp__prove_close(hsp__prove_file *file)
{
    if (!file->path) return;
    hsp_data_free(file->data);
    hsp_data_free(file->whole);
    hsp_data_free(file->scaled);
    hsp__provenance_free(&file->provenance);
    hsp__text_free(&file->json);
    hsp__text_free(&file->rest);
    hsp__text_free(&file->layout);
}
