/* Checksums of files: CRC-32 against accidents, SHA-256 against anybody. */
#ifndef HSP_BASE_CHECKSUM_H
#define HSP_BASE_CHECKSUM_H

#include <stddef.h>

#include "halfspace_all.h"

/* CRC-32 as zlib, gzip and PNG have it (polynomial 0x04C11DB7, bits reflected): `crc` is 0 at
 * first, then the result for the bytes so far. */
uint32_t hsp__crc32(uint32_t crc, const void *bytes, size_t size);

/* The same without special instructions; for tests to compare. */
uint32_t hsp__crc32_portable(uint32_t crc, const void *bytes, size_t size);

/* The CRC-32 of A followed by B, from the CRC-32 of each and the size of B. */
uint32_t hsp__crc32_combine(uint32_t a, uint32_t b, uint64_t b_size);

/* SHA-256 (FIPS 180-4): init, add any number of times, end. */
typedef struct hsp__sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
} hsp__sha256;

void hsp__sha256_init(hsp__sha256 *sha);
void hsp__sha256_add(hsp__sha256 *sha, const void *bytes, size_t size);
void hsp__sha256_end(hsp__sha256 *sha, unsigned char digest[32]);

/* The digest in 64 hexadecimal digits and a NUL. */
void hsp__sha256_text(const unsigned char digest[32], char text[65]);

#endif
