/* Which table this process uses. */
#include "vec/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

const hsp__vec_table *hsp__vec_table_by_name(const char *name)
{
    if (strcmp(name, "scalar") == 0) return &hsp__vec_scalar;
    if (strcmp(name, "avx2") == 0) return hsp__cpu_has_avx2() ? hsp__vec_avx2 : NULL;
    if (strcmp(name, "avx512") == 0) return hsp__cpu_has_avx512() ? hsp__vec_avx512 : NULL;
    return NULL;
}

static const hsp__vec_table *vec_choose(void)
{
    const char *wish = getenv("HSP_SIMD");
    const hsp__vec_table *table = wish ? hsp__vec_table_by_name(wish) : NULL;
    if (!table) table = hsp__vec_table_by_name("avx512");
    if (!table) table = hsp__vec_table_by_name("avx2");
    if (!table) table = hsp__vec_table_by_name("scalar");
    return table;
}

const hsp__vec_table *hsp__vec(void)
{
    /* Threads that race here choose the same table; the exchange keeps the first one even if the
     * environment changes in between. */
    static _Atomic(const hsp__vec_table *) chosen;
    const hsp__vec_table *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table) return table;
    const hsp__vec_table *mine = vec_choose();
    return atomic_compare_exchange_strong(&chosen, &table, mine) ? mine : table;
}
