/* SPDX-License-Identifier: Apache-2.0 */
/* MD5 of many pieces of data, for a store that finds its blocks by their hashes. A thread hashes one piece. A block takes its pieces
 * through shared memory, where a word of all threads is in one row, so that neither global nor shared memory sees conflicts. */
#include "constant.h"

#define THREADS 128
#define WORDS   16 /* of what one step of MD5 takes in */

FILLED_BY_HOST uint sine[64] = {0}; /* RFC 1321, 3.4: T[1] to T[64] */

static uint turn(uint x, uint bits)
{
    return x << bits | x >> (32 - bits);
}

/* Four groups of sixteen operations; each group mixes differently, takes the words in another order and has four rotations. */
/* The i-th of four rotations, one after the other. */
#define ROTATION(a, b, c, d, i) (((a) | (b) << 8 | (c) << 16 | (uint)(d) << 24) >> 8 * ((i) % 4) & 255)

static uint4 step(uint4 h, __local const uint *word)
{
    uint a = h.x, b = h.y, c = h.z, d = h.w;
    for (uint i = 0; i < 64; i++) {
        uint group = i / 16, f, k, bits;
        if (group == 0) {
            f = d ^ (b & (c ^ d));
            k = i;
            bits = ROTATION(7, 12, 17, 22, i);
        } else if (group == 1) {
            f = c ^ (d & (b ^ c));
            k = 5 * i + 1;
            bits = ROTATION(5, 9, 14, 20, i);
        } else if (group == 2) {
            f = b ^ c ^ d;
            k = 3 * i + 5;
            bits = ROTATION(4, 11, 16, 23, i);
        } else {
            f = c ^ (b | ~d);
            k = 7 * i;
            bits = ROTATION(6, 10, 15, 21, i);
        }
        uint next = b + turn(a + f + sine[i] + word[k % WORDS * THREADS], bits);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    return (uint4)(h.x + a, h.y + b, h.z + c, h.w + d);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void hash(__global const uint *data, uint words, __global uint4 *hashes)
{
    __local uint buffer[WORDS * THREADS];
    uint thread = get_local_id(0);
    __global const uint *mine = data + (size_t)get_group_id(0) * THREADS * words;
    uint4 h = (uint4)(0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u);
    for (uint first = 0; first < words; first += WORDS) {
        for (uint i = 0; i < WORDS; i++) {
            uint piece = i * THREADS + thread;
            buffer[piece % WORDS * THREADS + piece / WORDS] = mine[piece / WORDS * words + first + piece % WORDS];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        h = step(h, buffer + thread);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < WORDS; i++)
        buffer[i * THREADS + thread] = i == 0 ? 0x80 : i == 14 ? words * 32 : 0;
    hashes[get_global_id(0)] = step(h, buffer + thread);
}
