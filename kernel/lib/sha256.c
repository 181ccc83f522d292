/* sha256: hashes bytes as they come, block by block, then the padding. Names are the standard's. */
#include "sha256.h"

#include "string.h"

#define BLOCK SHA256_BLOCK
#define LENGTH_BYTES 8u /* the last block ends in the message's length in bits */

/* FIPS 180-4, 4.2.2: of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* Expands a block into the message schedule (6.2.2, step 1). */
static void expand_block(const uint8_t block[BLOCK], uint32_t w[64])
{
    for (unsigned t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (unsigned t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[t - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t h[8], const uint8_t block[BLOCK])
{
    uint32_t w[64], v[8]; /* v: a to h of the standard */
    expand_block(block, w);
    memcpy(v, h, sizeof v);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t e = v[4], a = v[0];
        uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + k[t] + w[t];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; i++)
        h[i] += v[i];
}

static void put_big_endian(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

void sha256_start(struct sha256 *sum)
{
    /* 5.3.3: of the square roots of the first 8 primes. */
    *sum = (struct sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sum, const void *data, size_t length)
{
    for (const uint8_t *at = data; length > 0;) {
        size_t there = sum->length % BLOCK, room = BLOCK - there;
        size_t taken = length < room ? length : room;
        memcpy(sum->last + there, at, taken);
        sum->length += taken;
        at += taken;
        length -= taken;
        if (taken == room)
            add_block(sum->h, sum->last);
    }
}

void sha256_end(const struct sha256 *sum, uint8_t digest[SHA256_BYTES])
{
    struct sha256 padded = *sum;
    uint8_t padding[2 * BLOCK] = {0x80}; /* 5.1.1 */
    size_t there = sum->length % BLOCK;
    size_t bytes = (there + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK) - there;
    put_big_endian(padding + bytes - LENGTH_BYTES, sum->length * 8, LENGTH_BYTES);
    sha256_add(&padded, padding, bytes);
    for (unsigned i = 0; i < 8; i++)
        put_big_endian(digest + 4 * i, padded.h[i], 4);
}

void sha256(const void *data, size_t length, uint8_t digest[SHA256_BYTES])
{
    struct sha256 sum;
    sha256_start(&sum);
    sha256_add(&sum, data, length);
    sha256_end(&sum, digest);
}
