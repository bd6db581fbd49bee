/* The loops of a step of two variables: every table against plain loops, to the bit. */
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "vec/vec.h"

enum { MOST = 160 };

static uint64_t state = 3;

static double rng(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / 9007199254740992.0 - 0.5;
}

typedef struct scene {
    size_t n;
    double f[MOST], up[MOST], down[MOST], ki64[MOST], kj64[MOST], diagonal64[MOST];
    float ki[MOST], kj[MOST], diagonal[MOST];
    double ti, tj;
} scene;

static void scene_fill(scene *s, size_t n, int ties)
{
    *s = (scene){.n = n, .ti = rng(), .tj = rng()};
    for (size_t k = 0; k < n; k++) {
        s->f[k] = ties ? (double)((int)(rng() * 4)) : rng();
        s->up[k] = rng() > 0 ? 0 : HUGE_VAL;
        s->down[k] = rng() > 0 ? 0 : -HUGE_VAL;
        s->ki64[k] = s->ki[k] = ties ? 0 : (float)rng();
        s->kj64[k] = s->kj[k] = ties ? 0 : (float)rng();
        s->diagonal64[k] = s->diagonal[k] = ties ? 1 : (float)(1 + rng());
    }
}

static void check_step(const hsp__vec_table *vec, const scene *s, int wide)
{
    double f[MOST], low, high, least = HUGE_VAL, most = -HUGE_VAL;
    size_t want = 0;
    memcpy(f, s->f, sizeof f);
    const size_t found = wide ? vec->axpy2_extremes_f64(f, s->ti, s->ki64, s->tj, s->kj64, s->up,
                                                        s->down, s->n, &low, &high)
                              : vec->axpy2_extremes_f32(f, s->ti, s->ki, s->tj, s->kj, s->up,
                                                        s->down, s->n, &low, &high);
    for (size_t k = 0; k < s->n; k++) {
        const double x = s->f[k] + (s->ti * s->ki64[k] + s->tj * s->kj64[k]);
        CHECK(f[k] == x);
        if (x + s->up[k] < least) least = x + s->up[k], want = k;
        if (x + s->down[k] > most) most = x + s->down[k];
    }
    CHECK(low == least && high == most && (least == HUGE_VAL || found == want));
}

static void check_gain(const hsp__vec_table *vec, const scene *s, int wide)
{
    double gain, most = 0;
    float most32 = 0;
    size_t want = 0, want32 = 0;
    const double low = -0.3, kii = 1.25;
    const size_t found =
        wide ? vec->largest_ratio_f64(s->f, s->down, low, kii, s->ki64, s->diagonal64, s->n, &gain)
             : vec->largest_ratio_f32(s->f, s->down, low, kii, s->ki, s->diagonal, s->n, &gain);
    for (size_t k = 0; k < s->n; k++) {
        const double d = (s->f[k] + s->down[k]) - low;
        const double curve = (kii + s->diagonal64[k]) - 2 * s->ki64[k];
        const double g = d * d / (curve < 1e-12 ? 1e-12 : curve);
        const float d32 = (float)d, curve32 = ((float)kii + s->diagonal[k]) - 2 * s->ki[k];
        const float g32 = d32 * d32 / (curve32 < 1e-12F ? 1e-12F : curve32);
        if (d > 0 && g > most) most = g, want = k;
        if (d32 > 0 && g32 > most32) most32 = g32, want32 = k;
    }
    CHECK(gain == (wide ? most : (double)most32));
    CHECK(gain == 0 || found == (wide ? want : want32));
}

static void tables_agree(void)
{
    const char *const names[] = {"scalar", "avx2", "avx512"};
    static scene s;
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(names[t]);
        for (int turn = 0; vec && turn < 2000; turn++) {
            scene_fill(&s, (size_t)(turn % (MOST / HSP__VEC_EXTREMES) + 1) * HSP__VEC_EXTREMES,
                       turn % 5 == 0);
            for (int wide = 0; wide < 2; wide++) {
                check_step(vec, &s, wide);
                check_gain(vec, &s, wide);
            }
        }
    }
}

int main(void)
{
    RUN(tables_agree);
    return check_done();
}
