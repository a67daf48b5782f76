/* SPDX-License-Identifier: Apache-2.0 */
/* sto: MD5 of many pieces of data. The check computes each with a reference after RFC 1321 that works on bytes, and first proves itself by
 * two of the RFC's examples. */
#include <math.h>
#include <string.h>

#include "../session.h"

enum { BLOCKS, WORDS };
static const struct cowarp_workload_param params[] = {
    [BLOCKS] = {"blocks", 30, 1, 1 << 16, "blocks of 128 pieces"},
    [WORDS] = {"words", 64, 16, 1 << 16, "32-bit words of a piece, a multiple of 16"},
};

#define THREADS 128u

/* RFC 1321, 3.4: the integer part of 2^32 times |sin i|. */
static uint32_t sine(uint32_t i)
{
    return (uint32_t)(4294967296.0 * fabs(sin((double)(i + 1))));
}

static uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* RFC 1321, 3.4, on 64 bytes. */
static void digest_chunk(uint32_t state[4], const uint8_t *chunk)
{
    static const uint8_t rotation[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint8_t factor[4] = {1, 5, 3, 7}, offset[4] = {0, 1, 5, 0};
    uint32_t v[4];
    memcpy(v, state, sizeof v);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t x = v[1], y = v[2], z = v[3], bits = rotation[i / 16][i % 4];
        const uint32_t mixed[4] = {(x & y) | (~x & z), (x & z) | (y & ~z), x ^ y ^ z, y ^ (x | ~z)};
        const uint32_t sum = v[0] + mixed[i / 16] + load(chunk + 4 * ((factor[i / 16] * i + offset[i / 16]) % 16)) + sine(i);
        v[0] = z;
        v[3] = y;
        v[2] = x;
        v[1] = x + (sum << bits | sum >> (32 - bits));
    }
    for (uint32_t i = 0; i < 4; i++)
        state[i] += v[i];
}

static void digest(const uint8_t *data, uint64_t bytes, uint32_t state[4])
{
    uint8_t last[128] = {0};
    const uint64_t rest = bytes % 64, end = rest < 56 ? 64 : 128;
    const uint32_t start[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
    memcpy(state, start, sizeof start);
    for (uint64_t i = 0; i + 64 <= bytes; i += 64)
        digest_chunk(state, data + i);
    memcpy(last, data + bytes - rest, rest);
    last[rest] = 0x80;
    for (uint32_t i = 0; i < 8; i++)
        last[end - 8 + i] = (uint8_t)(8 * bytes >> 8 * i);
    for (uint64_t i = 0; i < end; i += 64)
        digest_chunk(state, last + i);
}

static void prove_reference(struct session *s)
{
    /* RFC 1321, A.5: "" and the 26 letters */
    static const uint32_t wanted[2][4] = {{0xd98c1dd4u, 0x04b2008fu, 0x980980e9u, 0x7e42f8ecu},
                                          {0xd7d3fcc3u, 0x00e49261u, 0x6c49fb7du, 0x3be167cau}};
    uint32_t got[2][4];
    digest((const uint8_t *)"", 0, got[0]);
    digest((const uint8_t *)"abcdefghijklmnopqrstuvwxyz", 26, got[1]);
    if (memcmp(got, wanted, sizeof got) != 0)
        session_fail(s, COWARP_ECHECK, "the reference does not hash the examples of RFC 1321, appendix A.5");
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    const uint32_t blocks = (uint32_t)x->param[BLOCKS], words = (uint32_t)x->param[WORDS], pieces = blocks * THREADS;
    const uint64_t bytes = 4 * (uint64_t)words * pieces;
    uint32_t table[64];
    session_open(&s, x);
    if (words % 16 != 0)
        session_fail(&s, COWARP_EINVAL, "words must be a multiple of 16");
    prove_reference(&s);
    uint8_t *const data = session_array(&s, bytes, 1);
    uint32_t *const got = session_array(&s, pieces, 16), *const expected = session_array(&s, pieces, 16);
    if (s.status == 0) {
        for (uint32_t i = 0; i < 64; i++)
            table[i] = sine(i);
        for (uint64_t i = 0; i < bytes; i++)
            data[i] = (uint8_t)session_below(&s, 256);
        for (uint32_t i = 0; i < pieces; i++)
            digest(data + 4 * (size_t)words * i, 4 * (uint64_t)words, expected + 4 * (size_t)i);
        const uint64_t in = session_upload(&s, data, bytes), out = session_upload(&s, NULL, 16 * (uint64_t)pieces);
        session_constant(&s, "sine", table, sizeof table);
        session_launch(&s, "hash", blocks, THREADS, COWARP_U64(in), COWARP_U32(words), COWARP_U64(out));
        session_read(&s, got, out, 16 * (uint64_t)pieces);
        session_compare_u32(&s, "word of the hashes", got, expected, 4 * (uint64_t)pieces);
        session_passed(&s, "the hashes of %u pieces of %u bytes are right", pieces, 4 * words);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_sto = {
    .name = "sto",
    .folder = "sto",
    .what = "MD5 of many pieces of data (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
