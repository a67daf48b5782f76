/* SPDX-License-Identifier: Apache-2.0 */
/* AES-128 encryption. A thread has one column of four bytes, so four threads have a block of data; they exchange columns through shared
 * memory. A round looks up what substitution and mixing make of a byte in four tables, which a block copies to shared memory. A word holds
 * a column, its first byte in the lowest bits. */
#include "constant.h"

#define THREADS 256
#define ROUNDS  10

FILLED_BY_HOST uint round_keys[4 * (ROUNDS + 1)] = {0};

/* What byte x of row r becomes, as its share of the column: mixed[256 * r + x]. */
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void encrypt(__global const uint *in, __global uint *out,
                                                                           __global const uint *mixed, __global const uchar *substitute)
{
    __local uint table[4 * 256], state[THREADS];
    __local uchar box[256];
    uint thread = get_local_id(0), column = thread % 4, first = thread - column;
    for (uint r = 0; r < 4; r++)
        table[256 * r + thread] = mixed[256 * r + thread];
    box[thread] = substitute[thread];
    uint word = in[get_global_id(0)] ^ round_keys[column];
    for (uint round = 1; round < ROUNDS; round++) {
        state[thread] = word;
        barrier(CLK_LOCAL_MEM_FENCE);
        word = round_keys[4 * round + column];
        for (uint r = 0; r < 4; r++)
            word ^= table[256 * r + (state[first + (column + r) % 4] >> 8 * r & 255)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    state[thread] = word;
    barrier(CLK_LOCAL_MEM_FENCE);
    word = 0;
    for (uint r = 0; r < 4; r++)
        word |= (uint)box[state[first + (column + r) % 4] >> 8 * r & 255] << 8 * r;
    out[get_global_id(0)] = word ^ round_keys[4 * ROUNDS + column];
}
