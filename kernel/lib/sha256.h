/* sha256: a one-way hash. */
#ifndef MLPBOOT_LIB_SHA256_H
#define MLPBOOT_LIB_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

/* SHA-256 of `length` bytes (NIST FIPS 180-4, 6.2). */
void sha256(const void *data, size_t length, uint8_t digest[SHA256_BYTES]);

#endif
