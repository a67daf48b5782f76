/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock form of a program with transactions: the loop of Fung 2015, Example 5, and of Figure 1 of GPU-LocalTM's improvements, around one
 * lock per thread block, in its shared memory.
 *
 *     done = 0;                                   in the place of the begin
 *     while (!done) {
 *         if (atomicCAS(&lock, 0, 1) == 0) {
 *             ... what was the transaction ...
 *             done = 1; lock = 0;                 in the place of the end
 *         }
 *     }
 */
#ifndef CW_PTX_LOCK_FORM_H
#define CW_PTX_LOCK_FORM_H

#include <stddef.h>

#include "base/error.h"

/*
 * Text of PTX in which calls of `begin` and `end`, functions without arguments, have become this loop. *out is the caller's to free, and
 * not terminated; lines keep their numbers. Begins and ends that ways through the function join have one loop: each lane comes back to its
 * own begin, and goes on from its own end. CW_EUNSUP, with the line, where that cannot be: a begin inside a transaction (the loop knows no
 * nesting), an end outside, a begin without an end, a call under a predicate, a loop whose parts lie in different braces. Text that is no
 * PTX is left to the reader.
 */
int cw_ptx_lock_form(char **out, size_t *out_length, const char *text, size_t length, const char *file, const char *begin, const char *end,
                     struct cw_error *err);

#endif
