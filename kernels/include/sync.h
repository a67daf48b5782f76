/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronisation in OpenCL C: transactions, and what locks need. */
#ifndef KERNELS_SYNC_H
#define KERNELS_SYNC_H

/* Two external functions that the PTX reader turns into micro-operations. Between them, loads and stores are transactional: those of global
 * memory, or, under GPU-LocalTM, those of shared memory. */
void tx_begin(void);
void tx_commit(void);

/* Keeps the compiler from turning `while (!done) if (try) { ...; done = 1; }` into a loop around the try alone, which never ends under a
 * SIMT stack when two lanes of a warp want one lock (Fung 2015, Example 5). */
#define KEEP_LOOP_SHAPE(flag) __asm__ volatile("" : "+r"(flag))

/* Earlier stores of the thread are visible to the whole device before later ones. (OpenCL's mem_fence is only a block's.) */
#define FENCE_DEVICE() __nvvm_membar_gl()

/* Looks before it tries. The lanes that wait would otherwise hold the banks by their atomics, one cycle per lane, and the warp that has the
 * lock could not get to its shared memory. */
#define IS_FREE(lock) (*(volatile __local uint *)(lock) == 0)

/* A section on shared memory that a work-group's threads carry out one at a time: as a transaction, or, where `locked` is 1, under one lock
 * in shared memory (GPU-LocalTM, Figure 1). `locked` is a constant. */
#define ATOMICALLY_IN_GROUP(locked, lock, section)                        \
    do {                                                                  \
        if (locked) {                                                     \
            int done_ = 0;                                                \
            while (!done_) {                                              \
                if (IS_FREE(lock) && atomic_cmpxchg(lock, 0u, 1u) == 0) { \
                    section;                                              \
                    mem_fence(CLK_LOCAL_MEM_FENCE);                       \
                    atomic_xchg(lock, 0u);                                \
                    done_ = 1;                                            \
                }                                                         \
                KEEP_LOOP_SHAPE(done_);                                   \
            }                                                             \
        } else {                                                          \
            tx_begin();                                                   \
            section;                                                      \
            tx_commit();                                                  \
        }                                                                 \
    } while (0)

/* The same on global memory, of all threads: as a transaction, or under one lock in global memory. */
#define ATOMICALLY(locked, lock, section)                \
    do {                                                 \
        if (locked) {                                    \
            int done_ = 0;                               \
            while (!done_) {                             \
                if (atomic_cmpxchg(lock, 0u, 1u) == 0) { \
                    section;                             \
                    FENCE_DEVICE();                      \
                    atomic_xchg(lock, 0u);               \
                    done_ = 1;                           \
                }                                        \
                KEEP_LOOP_SHAPE(done_);                  \
            }                                            \
        } else {                                         \
            tx_begin();                                  \
            section;                                     \
            tx_commit();                                 \
        }                                                \
    } while (0)

/*
 * Bodies of transactions are written once, in body.h of their kernel, by these words. Here they are plain accesses, for transactions in
 * hardware and for locks; stm.h makes them accesses of a transaction in software, for a second inclusion of body.h. The first argument of
 * TX_ATOMICALLY is a constant: 0 for a transaction and 1 for a lock here, HOW_STM_TL2 or HOW_STM_PR (stm.h) there.
 *
 *     TX_FN uint TX_(find)(TX __global volatile uint *tree, uint key) { return TX_READ(tree[0]) == key ? TX_(other)(TX_PASS tree) : 0; }
 */
#define TX_FN         static
#define TX_(name)     name
#define TX                /* parameters */
#define TX_PASS           /* arguments */
#define TX_READ(w)    (w) /* a word of 4 bytes in global memory, such as node[k].next */
#define TX_ATOMICALLY ATOMICALLY
#define TX_WRITE(word, value) \
    do {                      \
        (word) = (value);     \
    } while (0)

#endif
