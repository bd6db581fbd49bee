/* What the processor, and the operating system under it, can run. */
#ifndef HSP_BASE_CPU_H
#define HSP_BASE_CPU_H

#include <stdbool.h>

/* True when AVX2 instructions run here: the processor has them and the system saves the 256-bit
 * registers. Always false on other architectures. */
bool hsp__cpu_has_avx2(void);

/* True when AVX-512 F, BW, DQ and VL run here, the system saving the 512-bit and mask registers. */
bool hsp__cpu_has_avx512(void);

/* True when AVX-512 VNNI does, too. Cheap enough to ask before every tile. */
bool hsp__cpu_has_vnni(void);
bool hsp__cpu_has_popcnt_wide(void); /* AVX-512 that counts bits */

#endif
