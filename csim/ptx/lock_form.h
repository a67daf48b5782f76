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
 * own begin, and goes on from its own end. Where that cannot be the function stays as it is, with CW_LOCK_FORM_REFUSED, line and reason at
 * its begin, by which the reader refuses the kernels that have it: a begin inside a transaction (the loop knows no nesting), an end outside,
 * a begin without an end, a call under a predicate, a loop whose parts lie in different braces. CW_EUNSUP when the text is too deep, or has no
 * .address_size. Text that is no PTX is left to the reader.
 */
#define CW_LOCK_FORM_REFUSED ".cw_lock_form_refused"

int cw_ptx_lock_form(char **out, size_t *out_length, const char *text, size_t length, const char *file, const char *begin, const char *end,
                     struct cw_error *err);

#endif
