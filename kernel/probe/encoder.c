/* encoder: the bytes of each instruction. */
#include "encoder.h"

#include "../lib/string.h"

#define ENCODE(e, ...)                                                                             \
    do {                                                                                           \
        static const uint8_t bytes[] = {__VA_ARGS__};                                              \
        append(e, bytes, sizeof bytes);                                                            \
    } while (0)

void encoder_init(struct encoder *encoder, uint8_t *at, size_t room)
{
    *encoder = (struct encoder){.at = at, .room = room};
}

static void append(struct encoder *e, const uint8_t *bytes, size_t count)
{
    if (e->overflow || count > e->room - e->length) {
        e->overflow = true;
        return;
    }
    memcpy(e->at + e->length, bytes, count);
    e->length += count;
}

void encode_cpuid_leaf_0(struct encoder *e)
{
    ENCODE(e, 0x31, 0xc0, 0x0f, 0xa2);
}

void encode_lfence(struct encoder *e)
{
    ENCODE(e, 0x0f, 0xae, 0xe8);
}

void encode_rdtsc(struct encoder *e)
{
    ENCODE(e, 0x0f, 0x31);
}

void encode_rdtscp(struct encoder *e)
{
    ENCODE(e, 0x0f, 0x01, 0xf9);
}

void encode_keep_time(struct encoder *e)
{
    ENCODE(e, 0x49, 0x89, 0xc0, 0x49, 0x89, 0xd1);
}

void encode_elapsed_time(struct encoder *e)
{
    ENCODE(e, 0x48, 0xc1, 0xe2, 0x20); /* shl rdx,32 */
    ENCODE(e, 0x48, 0x09, 0xd0);       /* or rax,rdx */
    ENCODE(e, 0x49, 0xc1, 0xe1, 0x20); /* shl r9,32 */
    ENCODE(e, 0x4d, 0x09, 0xc8);       /* or r8,r9 */
    ENCODE(e, 0x4c, 0x29, 0xc0);       /* sub rax,r8 */
}

void encode_load(struct encoder *e, int32_t displacement)
{
    uint8_t bytes[7] = {0x48, 0x8b, 0x87};
    memcpy(bytes + 3, &displacement, sizeof displacement);
    append(e, bytes, sizeof bytes);
}

void encode_nops(struct encoder *e, unsigned count)
{
    if (e->overflow || count > e->room - e->length) {
        e->overflow = true;
        return;
    }
    memset(e->at + e->length, 0x90, count);
    e->length += count;
}

void encode_enter(struct encoder *e)
{
    ENCODE(e, 0x53);
}

void encode_leave(struct encoder *e)
{
    ENCODE(e, 0x5b, 0xc3);
}

void encode_keep_result(struct encoder *e)
{
    ENCODE(e, 0x49, 0x89, 0xc2);
}

void encode_take_result(struct encoder *e)
{
    ENCODE(e, 0x4c, 0x89, 0xd0);
}
