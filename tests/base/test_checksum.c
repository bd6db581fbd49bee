#include "base/checksum.h"

#include "base/random.h"
#include "../check.h"

#define BYTES 4096
static unsigned char bytes[BYTES + 16];

static void fill(void)
{
    hsp__random random;
    hsp__random_seed(&random, 1, 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)hsp__random_bits(&random);
}

/* The definition, bit by bit. */
static uint32_t crc_slow(uint32_t crc, const unsigned char *p, size_t size)
{
    crc = ~crc;
    for (; size; p++, size--) {
        crc ^= *p;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* What zlib's crc32 says. */
static void test_crc_known(void)
{
    CHECK(hsp__crc32(0, "", 0) == 0);
    CHECK(hsp__crc32(0, "a", 1) == 0xe8b7be43);
    CHECK(hsp__crc32(0, "123456789", 9) == 0xcbf43926);
    CHECK(hsp__crc32(0, "The quick brown fox jumps over the lazy dog", 43) == 0x414fa339);
    static const unsigned char zeros[1000];
    CHECK(hsp__crc32(0, zeros, 32) == 0x190a55ad);
    CHECK(hsp__crc32(0, zeros, 1000) == 0x060b1780);
}

static void test_crc_every_size_and_alignment(void)
{
    for (size_t start = 0; start < 16; start++)
        for (size_t size = 0; size <= 400; size++) {
            uint32_t want = crc_slow(0x12345678, bytes + start, size);
            CHECK(hsp__crc32(0x12345678, bytes + start, size) == want);
            CHECK(hsp__crc32_portable(0x12345678, bytes + start, size) == want);
        }
    CHECK(hsp__crc32(0, bytes, BYTES) == crc_slow(0, bytes, BYTES));
}

static void test_crc_pieces(void)
{
    uint32_t whole = hsp__crc32(0, bytes, BYTES);
    for (size_t cut = 0; cut <= BYTES; cut += cut < 200 ? 1 : 61) {
        uint32_t first = hsp__crc32(0, bytes, cut),
                 second = hsp__crc32(0, bytes + cut, BYTES - cut);
        CHECK(hsp__crc32(first, bytes + cut, BYTES - cut) == whole);
        CHECK(hsp__crc32_combine(first, second, BYTES - cut) == whole);
    }
}

/* Combining is associative, also with sizes that no test can afford to read. */
static void test_crc_combine_large(void)
{
    const uint32_t a = 0x01234567, b = 0x89abcdef, c = 0xdeadbeef;
    const uint64_t b_size = 0x123456789abcull, c_size = 0xfedcba987ull;
    uint32_t left = hsp__crc32_combine(hsp__crc32_combine(a, b, b_size), c, c_size);
    uint32_t right = hsp__crc32_combine(a, hsp__crc32_combine(b, c, c_size), b_size + c_size);
    CHECK(left == right);
    CHECK(hsp__crc32_combine(a, 0, 0) == a);
}

static const char *sha(const void *data, size_t size)
{
    static char text[65];
    hsp__sha256 state;
    unsigned char digest[32];
    hsp__sha256_init(&state);
    hsp__sha256_add(&state, data, size);
    hsp__sha256_end(&state, digest);
    hsp__sha256_text(digest, text);
    return text;
}

/* Vectors of FIPS 180-4 and its companions. */
static void test_sha_known(void)
{
    CHECK_TEXT(sha("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_TEXT(sha("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_TEXT(sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_sha_million(void)
{
    char text[65], as[997];
    unsigned char digest[32];
    hsp__sha256 state;
    memset(as, 'a', sizeof as);
    hsp__sha256_init(&state);
    for (size_t left = 1000000, now; left; left -= now) {
        now = left < sizeof as ? left : sizeof as;
        hsp__sha256_add(&state, as, now);
    }
    hsp__sha256_end(&state, digest);
    hsp__sha256_text(digest, text);
    CHECK_TEXT(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every length up to two blocks, whole and in two pieces: the digest of all the digests is what
 * Python's hashlib makes of the bytes 0, 1, 2, ... */
static void test_sha_every_size(void)
{
    unsigned char counting[130], digest[32];
    char text[65];
    hsp__sha256 all, one;
    for (size_t i = 0; i < sizeof counting; i++)
        counting[i] = (unsigned char)i;
    hsp__sha256_init(&all);
    for (size_t size = 0; size <= sizeof counting; size++) {
        hsp__sha256_init(&one);
        hsp__sha256_add(&one, counting, size / 3);
        hsp__sha256_add(&one, counting + size / 3, size - size / 3);
        hsp__sha256_end(&one, digest);
        hsp__sha256_text(digest, text);
        CHECK_TEXT(sha(counting, size), text);
        hsp__sha256_add(&all, digest, sizeof digest);
    }
    hsp__sha256_end(&all, digest);
    hsp__sha256_text(digest, text);
    CHECK_TEXT(text, "e5bbbecd60c3632a3455f465bfd8b079c30ef608d2bcc34227f4e5573029020e");
}

int main(void)
{
    fill();
    RUN(test_crc_known);
    RUN(test_crc_every_size_and_alignment);
    RUN(test_crc_pieces);
    RUN(test_crc_combine_large);
    RUN(test_sha_known);
    RUN(test_sha_million);
    RUN(test_sha_every_size);
    return check_done();
}
