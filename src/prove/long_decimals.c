/* The numbers of a data file that a double does not stand for. */
#include "base/error.h"
#include "base/memory.h"
#include "data/decimals.h"
#include "prove/exact.h"

#define LONG_DECIMALS_DIGITS 15 /* every decimal of so many is the shortest for its double, */
#define LONG_DECIMALS_TINY \
    -306 /* unless it is 10^this or less, where doubles have fewer digits \
          */
#define LONG_DECIMALS_EXPONENT \
    5000 /* a smaller number than 10^-this is too long to be computed with */

typedef struct long_decimals_state {
    hsp_context *ctx;
    const char *path;
    const uint64_t *place; /* the number of each row of the file; UINT64_MAX: left out */
    hsp__exact_source *to;
    uint64_t room;
} long_decimals_state;

static int long_decimals_is_long(const hsp__decimal_value *value)
{
    int digits = 0;
    for (const char *p = value->from; p < value->to; p++)
        digits += *p != '.';
    return digits > LONG_DECIMALS_DIGITS || (value->sign && value->exponent <= LONG_DECIMALS_TINY);
}

static hsp_status long_decimals_keep(long_decimals_state *m, uint64_t row,
                                     const hsp__decimal_entry *entry, hsp_error *err)
{
    const hsp_allocator *memory = &m->ctx->allocator;
    hsp__exact_source *to = m->to;
    void *all = to->longs;
    if (!hsp__reserve(memory, &all, &m->room, to->long_count + 1, sizeof *to->longs))
        return hsp__fail_memory(err);
    to->longs = all;
    char *copy = hsp__copy_text(memory, entry->text, entry->size);
    if (!copy) return hsp__fail_memory(err);
    to->longs[to->long_count++] = (hsp__exact_long){row, entry->column, copy};
    return HSP_OK;
}

static hsp_status long_decimals_row(void *user, uint64_t row, const hsp__decimal_entry *entries,
                                    uint64_t count, hsp_error *err)
{
    long_decimals_state *m = user;
    if (m->place) row = m->place[row];
    if (row == UINT64_MAX) return HSP_OK;
    for (uint64_t e = 0; e < count; e++) {
        const hsp__decimal_value value = hsp__decimal_value_of(entries[e].text, entries[e].size);
        char quoted[HSP__QUOTED];
        if (value.exponent < -LONG_DECIMALS_EXPONENT)
            return hsp__fail_at(err, HSP_UNSUPPORTED, m->path, 0, 0,
                                "'%s' is too small for exact arithmetic here; write 0 instead",
                                hsp__quote(entries[e].text, entries[e].size, quoted));
        hsp_status status =
            long_decimals_is_long(&value) ? long_decimals_keep(m, row, &entries[e], err) : HSP_OK;
        if (status) return status;
    }
    return HSP_OK;
}

hsp_status hsp__exact_longs(hsp_context *ctx, const char *path, const hsp_options *read,
                            const hsp_data *data, const uint64_t *place, hsp_error *err,
                            hsp__exact_source *to)
{
    long_decimals_state m = {.ctx = ctx, .path = path, .place = place, .to = to};
    return hsp__decimals_read(ctx, path, read, data, long_decimals_row, &m, err);
}

void hsp__exact_longs_free(hsp_context *ctx, hsp__exact_source *source)
{
    for (uint64_t i = 0; i < source->long_count; i++)
        hsp__free(&ctx->allocator, source->longs[i].text);
    hsp__free(&ctx->allocator, source->longs);
    source->longs = NULL;
    source->long_count = 0;
}
