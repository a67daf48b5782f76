/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronisation in OpenCL C: transactions, and what locks need. */
#ifndef KERNELS_SYNC_H
#define KERNELS_SYNC_H

/* Two external functions that the PTX reader turns into micro-operations; between them, loads and stores of global memory are
 * transactional. */
void tx_begin(void);
void tx_commit(void);

/* Keeps the compiler from turning `while (!done) if (try) { ...; done = 1; }` into a loop around the try alone, which never ends under a
 * SIMT stack when two lanes of a warp want one lock (Fung 2015, Example 5). */
#define KEEP_LOOP_SHAPE(flag) __asm__ volatile("" : "+r"(flag))

/* Earlier stores of the thread are visible to the whole device before later ones. (OpenCL's mem_fence is only a block's.) */
#define FENCE_DEVICE() __nvvm_membar_gl()

#endif
