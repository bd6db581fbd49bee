/* A template: sums of positive parts, and counts of bits that two rows share. The
 * including file is compiled for its instructions and defines BLOCK_BYTES (vec_block.h).
 *
 * Sums are eight running ones, element i in sum i mod 8, folded in halves: the same bits at any
 * width. The last elements are copied to where eight are, and followed by some with z < 0. */
#ifndef HSP_VEC_VEC_POSITIVE_H
#define HSP_VEC_VEC_POSITIVE_H

#include "vec/vec_block.h"

enum {
    POSITIVE_ROWS = 8,
    POSITIVE_W = BLOCK_BYTES / 8,
    POSITIVE_REGISTERS = POSITIVE_ROWS / POSITIVE_W
};

typedef uint32_t vec_positive_labels __attribute__((vector_size(BLOCK_BYTES / 2)));
typedef int32_t vec_positive_same __attribute__((vector_size(BLOCK_BYTES / 2)));
typedef int8_t vec_positive_bytes __attribute__((vector_size(BLOCK_BYTES / 8)));

/* Eight rows at a time: the last of them, filled up. */
typedef struct vec_positive_tail {
    uint32_t labels[POSITIVE_ROWS];
    double score[POSITIVE_ROWS], move[POSITIVE_ROWS];
    unsigned char on[POSITIVE_ROWS];
} vec_positive_tail;

static void vec_positive_fill(vec_positive_tail *tail, const uint32_t *labels, uint32_t positive,
                              const double *score, const double *move, size_t count)
{
    for (size_t i = 0; i < POSITIVE_ROWS; i++) {
        tail->labels[i] = i < count ? labels[i] : positive;
        tail->score[i] = i < count ? score[i] : 2;
        tail->move[i] = i < count && move ? move[i] : 0;
        tail->on[i] = 0;
    }
}

static double vec_positive_fold(const vec_block_f64 *sums)
{
    double s[POSITIVE_ROWS];
    memcpy(s, sums, sizeof s);
    for (size_t half = POSITIVE_ROWS / 2; half; half /= 2)
        for (size_t j = 0; j < half; j++)
            s[j] += s[j + half];
    return s[0];
}

static VEC_INLINE vec_block_f64 vec_positive_choose(vec_block_i64 mask, vec_block_f64 yes,
                                                    vec_block_f64 no)
{
    return (vec_block_f64)(((vec_block_i64)yes & mask) | ((vec_block_i64)no & ~mask));
}

static VEC_INLINE vec_block_i64 vec_positive_positive(const uint32_t *labels, uint32_t positive)
{
    vec_positive_labels x;
    memcpy(&x, labels, sizeof x);
    const vec_positive_same same = x == positive;
    return __builtin_convertvector(same, vec_block_i64);
}

#define VEC_POSITIVE_EACH(r) VEC_UNROLL for (size_t r = 0; r < POSITIVE_REGISTERS; r++)

static void vec_positive_line(const hsp__vec_groups *rows, const double *score, const double *move,
                              double t, size_t n, double sums[2])
{
    const vec_block_f64 zero = {0}, ones = zero + 1;
    const vec_block_f64 above = zero + rows->factor[1], below = zero + rows->factor[0];
    vec_block_f64 slope[POSITIVE_REGISTERS], curve[POSITIVE_REGISTERS];
    const uint32_t *labels = rows->labels;
    vec_positive_tail tail;
    VEC_POSITIVE_EACH(r) slope[r] = curve[r] = zero;
    for (size_t i = 0; i < n; i += POSITIVE_ROWS) {
        if (n - i < POSITIVE_ROWS) {
            vec_positive_fill(&tail, labels, rows->positive, score, move, n - i);
            labels = tail.labels, score = tail.score, move = tail.move;
        }
        VEC_POSITIVE_EACH(r)
        {
            const size_t at = r * POSITIVE_W;
            const vec_block_i64 positive = vec_positive_positive(labels + at, rows->positive);
            const vec_block_f64 c = vec_positive_choose(positive, above, below);
            const vec_block_f64 y = vec_positive_choose(positive, ones, -ones);
            const vec_block_f64 by = vec_block_load_f64(move + at);
            const vec_block_f64 lack = 1 - y * (vec_block_load_f64(score + at) + t * by);
            const vec_block_i64 on = lack > zero;
            slope[r] += vec_positive_choose(on, y * c * (2 * lack) * by, zero);
            curve[r] += vec_positive_choose(on, c * (by * by), zero);
        }
        labels += POSITIVE_ROWS, score += POSITIVE_ROWS, move += POSITIVE_ROWS;
    }
    sums[0] = vec_positive_fold(slope);
    sums[1] = vec_positive_fold(curve);
}

static void vec_positive_step(const hsp__vec_groups *rows, double *score, const double *move,
                              double t, size_t n, unsigned char *on, double sums[2],
                              uint64_t counts[2])
{
    const vec_block_f64 zero = {0};
    const vec_block_f64 above = zero + rows->factor[1], below = zero + rows->factor[0];
    vec_block_f64 loss[POSITIVE_REGISTERS], total[POSITIVE_REGISTERS];
    vec_block_i64 active[POSITIVE_REGISTERS], turned[POSITIVE_REGISTERS];
    const uint32_t *labels = rows->labels;
    double *const scores = score;
    unsigned char *const ons = on;
    vec_positive_tail tail;
    VEC_POSITIVE_EACH(r) loss[r] = total[r] = zero;
    VEC_POSITIVE_EACH(r) active[r] = turned[r] = (vec_block_i64){0};
    for (size_t i = 0; i < n; i += POSITIVE_ROWS) {
        if (n - i < POSITIVE_ROWS) {
            vec_positive_fill(&tail, labels, rows->positive, score, move, n - i);
            memcpy(tail.on, on, n - i);
            labels = tail.labels, score = tail.score, on = tail.on;
            if (move) move = tail.move;
        }
        VEC_POSITIVE_EACH(r)
        {
            const size_t at = r * POSITIVE_W;
            const vec_block_i64 positive = vec_positive_positive(labels + at, rows->positive);
            const vec_block_f64 c = vec_positive_choose(positive, above, below);
            vec_block_f64 s = vec_block_load_f64(score + at);
            if (move) {
                s += t * vec_block_load_f64(move + at);
                vec_block_store_f64(score + at, s);
            }
            const vec_block_f64 lack = 1 - vec_positive_choose(positive, s, -s);
            const vec_block_f64 some = vec_positive_choose(lack > zero, lack, zero);
            loss[r] += c * (some * some);
            total[r] += c * (2 * some);
            vec_positive_bytes bytes;
            memcpy(&bytes, on + at, sizeof bytes);
            const vec_block_i64 was = __builtin_convertvector(bytes, vec_block_i64);
            const vec_block_i64 is = (lack > zero) & (c > zero) & 1;
            active[r] += is;
            turned[r] += is ^ was;
            bytes = __builtin_convertvector(is, vec_positive_bytes);
            memcpy(on + at, &bytes, sizeof bytes);
        }
        labels += POSITIVE_ROWS, score += POSITIVE_ROWS, on += POSITIVE_ROWS;
        if (move) move += POSITIVE_ROWS;
    }
    if (n % POSITIVE_ROWS) {
        memcpy(scores + n / POSITIVE_ROWS * POSITIVE_ROWS, tail.score,
               n % POSITIVE_ROWS * sizeof *scores);
        memcpy(ons + n / POSITIVE_ROWS * POSITIVE_ROWS, tail.on, n % POSITIVE_ROWS);
    }
    sums[0] = vec_positive_fold(loss);
    sums[1] = vec_positive_fold(total);
    counts[0] = counts[1] = 0;
    VEC_POSITIVE_EACH(r)
    for (size_t l = 0; l < POSITIVE_W; l++)
        counts[0] += (uint64_t)active[r][l], counts[1] += (uint64_t)turned[r][l];
}

/* Where the processor counts bits one word at a time. */
static void vec_common_bits(const uint64_t *bits, size_t stride, size_t words, size_t count,
                            uint32_t *counts)
{
    const uint64_t *own = bits + (count - 1) * stride;
    for (size_t j = 0; j < count; j++, bits += stride) {
        int sum = 0;
        for (size_t k = 0; k < words; k++)
            sum += __builtin_popcountll(bits[k] & own[k]);
        counts[j] = (uint32_t)sum;
    }
}

#define VEC_POSITIVE_ROUTINES .positive_line = vec_positive_line, .positive_step = vec_positive_step

#endif
