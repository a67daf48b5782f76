/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aes: AES-128 encryption of independent blocks. The check encrypts byte by byte, as FIPS 197 defines it, with no tables but the
 * substitution, and first proves itself by the example in FIPS 197, appendix C.1.
 */
#include <string.h>

#include "../session.h"

enum { KBYTES };
static const struct cowarp_workload_param params[] = {
    [KBYTES] = {"kbytes", 256, 1, 1 << 16, "kibibytes to encrypt"},
};

#define THREADS 256u
#define ROUNDS  10u

/* Product of polynomials modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2). */
static uint8_t product(uint8_t a, uint8_t b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (b >> i & 1)
            sum ^= (uint32_t)a << i;
    for (uint32_t i = 15; i >= 8; i--)
        if (sum >> i & 1)
            sum ^= 0x11bu << (i - 8);
    return (uint8_t)sum;
}

/* The inverse, then an affine map of its bits (FIPS 197, 5.1.1). */
static void make_box(uint8_t box[256])
{
    for (uint32_t x = 0; x < 256; x++) {
        uint8_t inverse = 0, y = 0x63;
        for (uint32_t i = 1; i < 256; i++)
            if (product((uint8_t)x, (uint8_t)i) == 1)
                inverse = (uint8_t)i;
        for (uint32_t turn = 0; turn < 5; turn++)
            y ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
        box[x] = y;
    }
}

/* FIPS 197, 5.2. */
static void expand_key(const uint8_t box[256], const uint8_t key[16], uint8_t expanded[16 * (ROUNDS + 1)])
{
    uint8_t constant = 1;
    memcpy(expanded, key, 16);
    for (uint32_t i = 16; i < 16 * (ROUNDS + 1); i += 4) {
        uint8_t word[4];
        memcpy(word, expanded + i - 4, 4);
        if (i % 16 == 0) {
            const uint8_t first = word[0];
            for (uint32_t k = 0; k < 3; k++)
                word[k] = box[word[k + 1]];
            word[3] = box[first];
            word[0] ^= constant;
            constant = product(constant, 2);
        }
        for (uint32_t k = 0; k < 4; k++)
            expanded[i + k] = expanded[i + k - 16] ^ word[k];
    }
}

/* FIPS 197, 5.1. Byte 4 c + r of the state is in row r and column c. */
static void encrypt(const uint8_t box[256], const uint8_t *keys, const uint8_t in[16], uint8_t out[16])
{
    static const uint8_t mix[4] = {2, 3, 1, 1};
    uint8_t state[16], shifted[16];
    for (uint32_t i = 0; i < 16; i++)
        state[i] = in[i] ^ keys[i];
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        for (uint32_t i = 0; i < 16; i++)
            shifted[i] = box[state[(i + 4 * (i % 4)) % 16]];
        for (uint32_t i = 0; i < 16; i++) {
            uint8_t sum = 0;
            for (uint32_t k = 0; k < 4; k++)
                sum ^= product(mix[(k + 4 - i % 4) % 4], shifted[i / 4 * 4 + k]);
            state[i] = (round < ROUNDS ? sum : shifted[i]) ^ keys[16 * round + i];
        }
    }
    memcpy(out, state, 16);
}

static void prove_reference(struct session *s, const uint8_t box[256])
{
    static const uint8_t wanted[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    uint8_t key[16], text[16], keys[16 * (ROUNDS + 1)], got[16];
    for (uint8_t i = 0; i < 16; i++) {
        key[i] = i;
        text[i] = (uint8_t)(0x11 * i);
    }
    expand_key(box, key, keys);
    encrypt(box, keys, text, got);
    if (memcmp(got, wanted, 16) != 0)
        session_fail(s, COWARP_ECHECK, "the reference does not encrypt the example of FIPS 197, appendix C.1");
}

/* Tables for the kernel: what substitution and mixing make of a byte in each row. */
static void make_tables(const uint8_t box[256], uint32_t mixed[4 * 256])
{
    static const uint8_t column[4] = {2, 1, 1, 3};
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t x = 0; x < 256; x++)
            for (uint32_t k = 0; k < 4; k++)
                mixed[256 * r + x] |= (uint32_t)product(column[k], box[x]) << 8 * ((k + r) % 4);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    uint8_t box[256], key[16], keys[16 * (ROUNDS + 1)];
    uint32_t mixed[4 * 256] = {0};
    const uint32_t bytes = 1024 * (uint32_t)x->param[KBYTES];
    session_open(&s, x);
    uint8_t *const in = session_array(&s, bytes, 1);
    uint32_t *const got = session_array(&s, bytes, 1), *const expected = session_array(&s, bytes, 1);
    make_box(box);
    prove_reference(&s, box);
    if (s.status == 0) {
        for (uint32_t i = 0; i < 16; i++)
            key[i] = (uint8_t)session_below(&s, 256);
        for (uint32_t i = 0; i < bytes; i++)
            in[i] = (uint8_t)session_below(&s, 256);
        expand_key(box, key, keys);
        make_tables(box, mixed);
        for (uint32_t i = 0; i < bytes; i += 16)
            encrypt(box, keys, in + i, (uint8_t *)expected + i);
        const uint64_t text = session_upload(&s, in, bytes), cipher = session_upload(&s, NULL, bytes);
        const uint64_t tables = session_upload(&s, mixed, sizeof mixed), substitute = session_upload(&s, box, sizeof box);
        session_constant(&s, "round_keys", keys, sizeof keys);
        session_launch(&s, "encrypt", bytes / 4 / THREADS, THREADS, COWARP_U64(text), COWARP_U64(cipher), COWARP_U64(tables),
                       COWARP_U64(substitute));
        session_read(&s, got, cipher, bytes);
        session_compare_u32(&s, "word", got, expected, bytes / 4);
        session_passed(&s, "%u bytes are encrypted right", bytes);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_aes = {
    .name = "aes",
    .folder = "aes",
    .what = "AES-128 encryption (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
