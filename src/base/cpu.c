#include "base/cpu.h"

/* The compiler's run-time support asks cpuid for the instructions and xgetbv for the system's
 * consent, so a kernel that does not save the wide registers reads as "not supported". */

#if defined(__x86_64__) && defined(__GNUC__)

bool hsp__cpu_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

bool hsp__cpu_has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

bool hsp__cpu_has_vnni(void)
{
    return hsp__cpu_has_avx512() && __builtin_cpu_supports("avx512vnni");
}

bool hsp__cpu_has_popcnt_wide(void)
{
    return hsp__cpu_has_avx512() && __builtin_cpu_supports("avx512vpopcntdq");
}

#else

bool hsp__cpu_has_avx2(void)
{
    return false;
}

bool hsp__cpu_has_avx512(void)
{
    return false;
}

bool hsp__cpu_has_vnni(void)
{
    return false;
}

bool hsp__cpu_has_popcnt_wide(void)
{
    return false;
}

#endif
