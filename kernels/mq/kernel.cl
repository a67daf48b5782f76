/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MQ: a thread block has a queue in persistent memory, and inserts or removes batches of integers (SBRP 7.1). Each command is a transaction:
 * its leader logs head and tail, all threads move their part of the batch and tell the leader, who then changes head or tail and says that the
 * command is done. Head and tail count integers from the beginning; the queue is a ring.
 */
#include "scope.h"

#define THREADS  128u
#define CAPACITY 32768u /* integers of a queue, a power of two */
#define LINE     32u    /* words between what changes at different times */

#define INSERT 0u
#define REMOVE 1u /* the third kind, COMMIT, moves nothing: all before it is durable */

/* Words of a queue's control block, each on a line of its own. */
enum { ENDS = 0, LOG = LINE, MARK = 2 * LINE, DONE = 3 * LINE, CONTROL = 4 * LINE };

/* The batch of a command: what the queue holds is told by the position, so that everybody can check it. */
static inline uint item(uint queue, uint position)
{
    uint x = (queue + 1) * 0x9e3779b1u + position * 0x85ebca6bu;
    return (x ^ x >> 15) * 0xc2b2ae35u | 1u;
}

/* All threads: they write the integers behind the tail, or add up those behind the head. */
static inline uint move(uint kind, uint queue, __global uint *data, uint from, uint batch)
{
    uint sum = 0;
    for (uint i = get_local_id(0); i < batch; i += THREADS) {
        __global uint *at = &data[(from + i) % CAPACITY];
        if (kind == INSERT)
            *at = item(queue, from + i);
        else
            sum += *at;
    }
    return sum;
}

static inline void run_queue(int scope, __global const uint *command, uint commands, __global uint *data, __global uint *control,
                             __global uint *removed, uint batch, __local uint *flag, __local uint *ends)
{
    uint t = get_local_id(0), queue = get_group_id(0), sum = 0;
    __global uint *c = control + queue * CONTROL;
    data += queue * CAPACITY;
    flag[t] = 0;
    for (uint k = c[DONE]; k < commands; k++) {
        uint kind = command[k];
        if (t == 0) {
            ends[0] = c[ENDS];
            ends[1] = c[ENDS + 1];
            c[LOG] = ends[0];
            c[LOG + 1] = ends[1];
            ofence();
            c[MARK] = k + 1; /* the log counts while this is one more than DONE */
            ofence();
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (kind <= REMOVE) {
            sum += move(kind, queue, data, kind == INSERT ? ends[1] : ends[0], batch);
            release_in(scope, &flag[t], k + 1);
        }
        if (t == 0) {
            for (uint i = 0; i < THREADS && kind <= REMOVE; i++)
                while (acquire_in(scope, &flag[i]) != k + 1) {
                }
            if (kind == INSERT)
                c[ENDS + 1] = ends[1] + batch;
            else if (kind == REMOVE)
                c[ENDS] = ends[0] + batch;
            else
                dfence();
            ofence();
            c[DONE] = k + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
        }
        barrier(CLK_LOCAL_MEM_FENCE); /* the leader has read all flags */
    }
    removed[queue * THREADS + t] = sum;
    dfence();
}

/* commands of queue q: first[q] .. first[q + 1] - 1 */
#define MQ_KERNEL(name, scope)                                                                                                   \
    __kernel void name(__global const uint *command, __global const uint *first, __global uint *data, __global uint *control,    \
                       __global uint *removed, uint batch)                                                                       \
    {                                                                                                                            \
        __local uint flag[THREADS], ends[2];                                                                                     \
        uint queue = get_group_id(0);                                                                                            \
        run_queue(scope, command + first[queue], first[queue + 1] - first[queue], data, control, removed, batch, flag, ends);    \
    }

MQ_KERNEL(mq_block, SCOPE_BLOCK)
MQ_KERNEL(mq_device, SCOPE_DEVICE)
MQ_KERNEL(mq_none, SCOPE_NONE)

/* A command that was not done has not happened: puts back head and tail. */
__kernel void mq_recover(__global uint *control)
{
    __global uint *c = control + get_group_id(0) * CONTROL;
    if (get_local_id(0) != 0 || c[MARK] != c[DONE] + 1)
        return;
    c[ENDS] = c[LOG];
    c[ENDS + 1] = c[LOG + 1];
    dfence();
    c[MARK] = 0;
    dfence();
}
