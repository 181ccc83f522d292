/* test_sha256: the standard's examples, and every length of a last block by another program. */
#include "../../kernel/lib/sha256.h"
#include "kit.h"

/* As the bytes come; the digest is asked for in between, and adding goes on. */
static void assert_same_in_pieces(const char *text, size_t length, size_t piece,
                                  const uint8_t wanted[SHA256_BYTES])
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 sum;
    sha256_start(&sum);
    for (size_t i = 0; i < length; i += piece) {
        sha256_add(&sum, text + i, length - i < piece ? length - i : piece);
        if (i % 64 == 0 && i < 2000)
            sha256_end(&sum, digest);
    }
    sha256_end(&sum, digest);
    assert_int_equal(sum.length, length);
    assert_memory_equal(digest, wanted, SHA256_BYTES);
}

static void assert_digest(const char *text, size_t length, const char *wanted)
{
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256(text, length, digest);
    for (size_t piece = 1; piece <= 200; piece += 21)
        assert_same_in_pieces(text, length, piece, digest);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_memory_equal(hex, wanted, 2 * SHA256_BYTES);
}

/* NIST, "Examples with Intermediate Values", SHA-256; and of nothing. */
TEST(published_examples)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char *million = malloc(1000000);
    assert_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(two_blocks, strlen(two_blocks),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(million, 'a', 1000000);
    assert_digest(million, 1000000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

TEST(lengths_around_a_block)
{
    static const size_t lengths[] = {1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128, 129};
    char text[129], said[128];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 37);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        FILE *from = output_of("sha256sum", text, lengths[i]);
        assert_non_null(fgets(said, sizeof said, from));
        fclose(from);
        assert_digest(text, lengths[i], said);
    }
}
