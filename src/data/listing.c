#include "data/listing.h"

#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"

#define LISTING_BYTES 65536 /* to write at a time */

static void listing_put(hsp__text *text, const char *cell)
{
    if (!strpbrk(cell, ",\"\r\n")) {
        hsp__text_puts(text, cell);
        return;
    }
    hsp__text_puts(text, "\"");
    for (; *cell; cell++)
        hsp__text_add(text, *cell == '"' ? "\"\"" : cell, *cell == '"' ? 2 : 1);
    hsp__text_puts(text, "\"");
}

hsp_status hsp__listing_begin(hsp__listing *listing, const char *path, hsp_error *err)
{
    hsp__text_init(&listing->text, &listing->ctx->allocator);
    HSP__TRY(hsp__output_open(listing->ctx, path, err, &listing->output));
    if (listing->json && listing->array) hsp__text_puts(&listing->text, "[");
    for (size_t i = 0; !listing->json && i < listing->columns; i++) {
        if (i) hsp__text_puts(&listing->text, ",");
        listing_put(&listing->text, listing->names[i]);
    }
    if (!listing->json) hsp__text_puts(&listing->text, "\n");
    return HSP_OK;
}

/* What stands before a cell. */
static void listing_before(hsp__listing *listing)
{
    hsp__text *text = &listing->text;
    if (listing->at == 0 && listing->json)
        hsp__text_puts(text, !listing->array ? "{" : listing->rows ? ",\n{" : "\n{");
    if (listing->at) hsp__text_puts(text, ",");
    if (!listing->json) return;
    hsp__json_put_string(text, listing->names[listing->at], strlen(listing->names[listing->at]));
    hsp__text_puts(text, ":");
}

static void listing_after(hsp__listing *listing)
{
    if (++listing->at < listing->columns) return;
    listing->at = 0;
    listing->rows++;
    hsp__text_puts(&listing->text, !listing->json ? "\n" : listing->array ? "}" : "}\n");
}

void hsp__listing_number(hsp__listing *listing, double number)
{
    char text[HSP__DECIMAL_MAX];
    listing_before(listing);
    if (isfinite(number))
        hsp__text_add(&listing->text, text, hsp__decimal_print_f64(number, text));
    else if (listing->json)
        hsp__text_puts(&listing->text, "null");
    listing_after(listing);
}

void hsp__listing_text(hsp__listing *listing, const char *text)
{
    listing_before(listing);
    if (listing->json && text)
        hsp__json_put_bytes(&listing->text, text, strlen(text));
    else if (listing->json)
        hsp__text_puts(&listing->text, "null");
    else if (text)
        listing_put(&listing->text, text);
    listing_after(listing);
}

hsp_status hsp__listing_flush(hsp__listing *listing, hsp_error *err)
{
    if (listing->text.size < LISTING_BYTES && !listing->text.failed) return HSP_OK;
    HSP__TRY(hsp__output_text(listing->output, &listing->text, err));
    listing->text.size = 0;
    return hsp__stop_status(listing->ctx, err);
}

hsp_status hsp__listing_end(hsp__listing *listing, hsp_status status, hsp_error *err)
{
    if (!status && listing->json && listing->array) hsp__text_puts(&listing->text, "\n]\n");
    if (!status) status = hsp__output_text(listing->output, &listing->text, err);
    if (!status) status = hsp__output_commit(listing->output, err);
    hsp__output_free(listing->output);
    hsp__text_free(&listing->text);
    return status;
}
