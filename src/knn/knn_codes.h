/* Rows as bytes, in the order in which knn_quantised.c (which explains them) meets them. */
#ifndef HSP_KNN_KNN_CODES_H
#define HSP_KNN_KNN_CODES_H

#include "knn/knn_index_type.h"
#include "knn/knn_projection.h"
#include "vec/vec.h"

enum {
    HSP__KNN_CODE_COLUMNS = 16384, /* at most: sums of this many products fit into 32 bits */
    HSP__KNN_CODE_PARTS = 254,     /* of a step, in fine codes */
};

/* More than sums of HSP__KNN_CODE_COLUMNS terms in double are off by, relatively: 2e-12. */
#define HSP__KNN_CODE_SLACK 1e-11

/* Codes of all rows, or of their images. A place is a row's number in the order that jumps about;
 * panels are HSP__VEC_BYTE_COLS places. */
typedef struct hsp__knn_codes {
    uint64_t cols, bytes; /* numbers of a row; bytes of its code, a multiple of four */
    double low, step;
    double off;    /* what r and e have for rounding: they are this where all is exact */
    int8_t *codes; /* places * bytes: u - 128, panels as byte_tile wants them; NULL: none */
    int32_t *base; /* places: -||u||^2 */
    double *error; /* places: r; 0: not coded */
    double *spill; /* places: e */
    double *worst; /* panels: the largest r */
    double usual;  /* at least that of seven panels in eight */
} hsp__knn_codes;

/* What a fine code adds: a row is u + v / PARTS and a rest. */
typedef struct hsp__knn_fine {
    double rest;                /* at least its norm */
    int32_t self, sum_u, sum_v; /* <u, v>, the sums of u and of v */
} hsp__knn_fine;

typedef struct hsp__knn_coded {
    uint64_t rows, cols, panels;
    uint64_t jump; /* row of place p: p * jump mod rows */
    int coded;     /* 0: the range of the data defies coding; all rows are met one by one */
    int cosine;    /* rows are scaled to length 1 */
    int whole;     /* integers that are their own codes: r = 0 */
    hsp__knn_codes row, image; /* the tiles are made of image, if it has codes, else of row */
    hsp__knn_projection projection;
    /* Codes row by row, for the few that a tile leaves in; NULL: not needed. */
    int8_t *by_row; /* places * stride: u - 128 in `wide` bytes, then v if there are fine codes */
    uint64_t wide, stride;
    hsp__knn_fine *fine; /* places; NULL: none */
    uint64_t *odd;       /* rows that are met one by one */
    uint64_t odd_count;
} hsp__knn_coded;

/* Numbers to be coded, times `scale`. */
typedef struct hsp__knn_numbers {
    const void *values;
    int single; /* floats */
    double scale;
} hsp__knn_numbers;

/* The bytes u of a row x, zeros behind them up to own->bytes; *error is r, *spill is e: at least,
 * since rounding left each of the numbers off by up to 1e-13. */
hsp__vec_code hsp__knn_code(const hsp__knn_codes *own, const hsp__knn_numbers *x, uint8_t *u,
                            double *error, double *spill);

/* The fine code of a row x whose bytes are u: v, `wide` bytes of it. */
hsp__knn_fine hsp__knn_code_fine(const hsp__knn_coded *own, const double *x, const uint8_t *u,
                                 int8_t *v);

/* Into near->own: an hsp__knn_coded. */
hsp_status hsp__knn_codes_make(hsp_context *ctx, hsp__knn_index *near, hsp_error *err);

static inline uint64_t hsp__knn_code_row(const hsp__knn_coded *own, uint64_t place)
{
    return place * own->jump % own->rows;
}

/* What a row of that squared length is multiplied by; 0: its length cannot be trusted. */
static inline double hsp__knn_code_scale(int cosine, double squares)
{
    if (!cosine) return 1;
    return squares > 1e-280 && squares < 1e280 ? 1 / sqrt(squares) : 0;
}

#endif
