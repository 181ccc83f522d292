/* sha256: a one-way hash. */
#ifndef MLPBOOT_LIB_SHA256_H
#define MLPBOOT_LIB_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

/* SHA-256 of `length` bytes (NIST FIPS 180-4, 6.2). */
void sha256(const void *data, size_t length, uint8_t digest[SHA256_BYTES]);

/* The same of bytes that come one after the other: start, add any number of times, end. Adding may
 * go on after an end, which was the digest of what there was until then. */
#define SHA256_BLOCK 64u
struct sha256 {
    uint32_t h[8];
    uint64_t length;            /* bytes so far */
    uint8_t last[SHA256_BLOCK]; /* of the block that they are in */
};
void sha256_start(struct sha256 *sum);
void sha256_add(struct sha256 *sum, const void *data, size_t length);
void sha256_end(const struct sha256 *sum, uint8_t digest[SHA256_BYTES]);

#endif
