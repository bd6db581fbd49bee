/* Which table this process uses. */
#include "vec/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Asks the processor for the instructions, and the system whether it saves their registers. */
#if defined(__x86_64__) && defined(__GNUC__)
#define VEC_RUNS(instructions) __builtin_cpu_supports(instructions)
#else
#define VEC_RUNS(instructions) 0
#endif

const hsp__vec_table *hsp__vec_table_by_name(const char *name)
{
    if (strcmp(name, "scalar") == 0) return &hsp__vec_scalar;
    if (!VEC_RUNS("avx2")) return NULL;
    if (strcmp(name, "avx2") == 0) return hsp__vec_avx2;
    const int wide =
        VEC_RUNS("avx512f") && VEC_RUNS("avx512bw") && VEC_RUNS("avx512dq") && VEC_RUNS("avx512vl");
    return wide && strcmp(name, "avx512") == 0 ? hsp__vec_avx512 : NULL;
}

const hsp__vec_table *hsp__vec(void)
{
    /* Threads that race here choose the same table; the exchange keeps the first one even if the
     * environment changes in between. */
    static _Atomic(const hsp__vec_table *) chosen;
    const hsp__vec_table *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table) return table;
    const char *wish = getenv("HSP_SIMD");
    const hsp__vec_table *mine = wish ? hsp__vec_table_by_name(wish) : NULL;
    if (!mine) mine = hsp__vec_table_by_name("avx512");
    if (!mine) mine = hsp__vec_table_by_name("avx2");
    if (!mine) mine = &hsp__vec_scalar;
    return atomic_compare_exchange_strong(&chosen, &table, mine) ? mine : table;
}
