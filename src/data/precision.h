/* Which precision the numbers of a file are kept in (docs/decisions/0010-storage-precision.md).
 *
 * `auto` keeps floats while they carry the information, and doubles for the whole data set as soon
 * as they do not, that is, if
 *   1. some number is one that no float holds (HSP__DECIMAL_LOSSY): a whole number beyond 2^24, or
 *      one outside the range of float; or
 *   2. some column is narrow: its values differ by less than 2^-12 of the largest of them, so that
 *      a float's rounding (2^-24 of the largest) may exceed 2^-12 of the spread; and floats may
 *      change it: not all its values are whole, or it has decimals of more than 6 digits. Values
 *      that are all the same decimal of up to 6 digits are no reason.
 * Both depend on the file alone, not on blocks or threads. Rule 1 costs nothing where it does not
 * apply, for such numbers never take the short way through the decimal reader. For rule 2 it is
 * enough to follow the columns that are narrow so far: once a column is not, it never will be, so
 * that nearly all are done with after a few rows. The zeros that sparse rows leave out belong to
 * their columns.
 *
 * A file is read as floats, and once more as doubles should it need that. A pipe cannot be read
 * twice: it is read as doubles, which become floats in place at the end if they may.
 *
 * `mixed` is for rows that meet a model trained on floats: they are rounded as its rows were, but
 * for the numbers of rule 1, which stay what they are. */
#ifndef HSP_DATA_PRECISION_H
#define HSP_DATA_PRECISION_H

#include "base/decimal.h"
#include "data/data.h"
#include "data/provenance.h"
#include "data/source.h"
#include "halfspace_all.h"

typedef enum hsp__keep {
    HSP__KEEP_SINGLE, /* floats */
    HSP__KEEP_DOUBLE, /* doubles */
    HSP__KEEP_MIXED   /* doubles that are floats, but for the numbers of rule 1 */
} hsp__keep;

typedef enum hsp__precision_check {
    HSP__WATCH_NONE,
    HSP__WATCH_NUMBERS, /* rule 1 */
    HSP__WATCH_COLUMNS  /* both */
} hsp__precision_check;

/* Of a program that writes the numbers it reads as they stand in the file
 * (hsp_read_keep_decimals), or proves something about them. */
typedef enum hsp__rewrite {
    HSP__REWRITE_NONE, /* it does not */
    HSP__REWRITE_FILE, /* it reads the file again for that: no digit is lost */
    HSP__REWRITE_PIPE, /* it cannot: numbers that doubles print otherwise are to be counted */
    HSP__REWRITE_KEEP  /* such numbers are to be kept (data/provenance.h) */
} hsp__rewrite;

typedef struct hsp__reading {
    hsp__keep keep;
    hsp__precision_check
        watch; /* what is to be found out; as floats, rule 1 ends the reading at once */
    hsp__rewrite rewrite;
} hsp__reading;

/* Floats do not suffice for the file; the error's message says why. Never leaves this module. */
#define HSP__NEEDS_DOUBLE HSP_STATUS_COUNT

/* How to read by the option `precision`: a source that can be read again, or not; NULL: streamed
 * rows, of which `auto` looks at the beginning in this way first. */
hsp__reading hsp__reading_first(const hsp_options *options, const hsp__source *source);
/* And how to read it again after HSP__NEEDS_DOUBLE. */
hsp__reading hsp__reading_again(const hsp_options *options);

/* How streamed rows go on, by what their beginning showed: HSP__NEEDS_DOUBLE or HSP_OK. */
hsp__reading hsp__reading_onward(hsp__reading reading, hsp_status found);

static inline hsp_precision hsp__keep_precision(hsp__keep keep)
{
    return keep == HSP__KEEP_SINGLE ? HSP_FLOAT32 : HSP_FLOAT64;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

#define HSP__WHY 192 /* bytes of a reason */

/* What one worker met that its precision does not hold. */
typedef struct hsp__digit_losses {
    uint64_t tiny;    /* numbers that are not 0 and became 0 */
    uint64_t rounded; /* whole numbers that doubles change; HSP__REWRITE_PIPE: all such numbers */
    uint64_t column;  /* the first column that has one, from 1 */
    int digits;       /* the most digits that a number has, as hsp_data has it */
    int here;         /* the block at hand has a number of rule 1 */
    uint64_t block;   /* 1 + the first block that has one; 0: none */
    char why[HSP__WHY];
    uint64_t row;             /* of the block at hand, from 0; the reader sets it */
    hsp__long_decimals longs; /* of the block at hand */
} hsp__digit_losses;

/* May doubles print a number that was read from `size` bytes, with the result OK, otherwise than it
 * stands there, and is that to be counted? */
static inline int hsp__prints_otherwise(const hsp__reading *reading, ptrdiff_t size)
{
    return __builtin_expect(size > DBL_DIG, 0) && reading->rewrite >= HSP__REWRITE_PIPE;
}

/* A number that was read with `result`: one of the last three, OVERFLOW, or OK if it may be printed
 * otherwise; `column` from 1, `name` NULL: it has none. HSP__NEEDS_DOUBLE when that ends the
 * reading. */
hsp_status hsp__losses_note(hsp__digit_losses *losses, const hsp__reading *reading, uint64_t block,
                            uint64_t column, const char *name, const char *text, size_t size,
                            hsp__decimal_result result, hsp_error *err);

/* Rounding a double to a float gives the float nearest to the decimal, unless the double lies in
 * the middle between two floats and the decimal does not. Where doubles are read that may become
 * floats, such a number is LOSSY: it keeps the data set in doubles (one number in 2^30 of random
 * ones). */
static inline int hsp__rounds_twice(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return __builtin_expect((bits & 0x1fffffff) == 0x10000000, 0);
}
void hsp__rounded_twice(const char *text, const char *end, double value, hsp__decimal_result *r);

/* The workers' losses together. */
void hsp__losses_add(hsp__digit_losses *all, const hsp__digit_losses *worker);

/* ---- Columns --------------------------------------------------------------------------------- */

/* A column that is narrow so far. */
typedef struct hsp__spread_column {
    uint32_t column;
    uint32_t at;    /* where in a sparse row it was last */
    float min, max; /* min > max: no value yet */
    int fraction;   /* some value is not whole */
} hsp__spread_column;

/* The narrow columns of the rows that one worker saw, ascending. All zero at first. */
typedef struct hsp__spread {
    hsp__spread_column *columns;
    uint64_t room;
    uint32_t count;
    int begun; /* before the first row, every column is narrow */
} hsp__spread;

void hsp__spread_free(hsp__spread *spread, const hsp_allocator *memory);

/* Follow these columns; 0 when there is no memory. Sparse rows do so by themselves. */
int hsp__spread_begin(hsp__spread *spread, const hsp_allocator *memory, const uint32_t *columns,
                      uint32_t count);

/* Dense rows of `stride` numbers each. A NaN is a value that is missing. */
void hsp__spread_dense(hsp__spread *spread, hsp_precision precision, const void *values,
                       uint64_t rows, uint64_t stride);

/* Sparse rows with lengths[i] entries each; column = index + base. 0 when there is no memory. */
int hsp__spread_sparse(hsp__spread *spread, const hsp_allocator *memory, hsp_precision precision,
                       const void *values, const uint32_t *indices, const uint32_t *lengths,
                       uint64_t rows, uint32_t base);

/* Add what another worker saw. 0 when there is no memory. */
int hsp__spread_add(hsp__spread *all, const hsp_allocator *memory, const hsp__spread *worker);

/* Does a column need doubles by rule 2, its decimals being `widest` at most? */
int hsp__spread_needs_double(const hsp__spread_column *column, hsp__decimal_widest widest);

/* Say which; `name` NULL: by its number, from 1. */
hsp_status hsp__spread_fail(const hsp__spread_column *column, uint64_t number, const char *name,
                            hsp_error *err);

/* Of ranks that each read some rows (NULL: this process read all): what they met together, in the place
 * of what this one did; `widest` has `count` numbers. `status` is this rank's so far; a failure is every
 * rank's. */
hsp_status hsp__precision_agree(const hsp_ranks *ranks, const hsp_allocator *memory,
                                hsp_status status, hsp__decimal_widest *widest, uint64_t count,
                                hsp__digit_losses *losses, hsp__spread *spread, hsp_error *err);

/* ---- The data set ---------------------------------------------------------------------------- */

/* Doubles of which each is to be a float become floats, in place. */
void hsp__narrow(void *values, uint64_t count);

/* The same of a data set that owns its arrays. */
void hsp__data_narrow(hsp_data *data);

/* After the last row: tell the log what was lost, and why doubles were chosen ("": they were not).
 * `column`: the name of all->column, or NULL: the text is libsvm. */
void hsp__losses_tell(hsp_context *ctx, const char *file, hsp_precision precision,
                      const hsp__reading *reading, const hsp__digit_losses *all,
                      const char *column);
void hsp__tell_double(hsp_context *ctx, const char *file, const char *why);
/* The precision that rows which are not read from text get by the option: auto keeps theirs. */
hsp_precision hsp__restore_precision(hsp_context *ctx, const hsp_options *options,
                                     const hsp_view *view);

/* A copy in another storage or precision; the same object back when nothing changes. */
hsp_status hsp__data_change(hsp_context *ctx, hsp_data *data, hsp_storage storage,
                            hsp_precision precision, hsp_error *err, hsp_data **out);

#endif
