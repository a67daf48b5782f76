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

/* Rotations of the four groups of operations, four each, one after the other. They are in a table, and not in the bytes of a word: Debian's
 * clang for sm_20 rotates by an amount whose upper bits it believes to be of no matter, but a PTX shift by 32 or more gives 0. */
__constant const uint rotation[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

/* Sixty-four operations. Each group of sixteen mixes differently and takes the words in another order. */
static uint4 step(uint4 h, __local const uint *word)
{
    uint a = h.x, b = h.y, c = h.z, d = h.w;
    for (uint i = 0; i < 64; i++) {
        uint group = i / 16, f, k;
        if (group == 0) {
            f = d ^ (b & (c ^ d));
            k = i;
        } else if (group == 1) {
            f = c ^ (d & (b ^ c));
            k = 5 * i + 1;
        } else if (group == 2) {
            f = b ^ c ^ d;
            k = 3 * i + 5;
        } else {
            f = c ^ (b | ~d);
            k = 7 * i;
        }
        uint next = b + turn(a + f + sine[i] + word[k % WORDS * THREADS], rotation[4 * group + i % 4]);
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
