/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of transactions, included once for each way in which they run: see kernels/include/sync.h. */

TX_FN void TX_(move)(TX __global volatile struct account *from, __global volatile struct account *to, int amount)
{
    TX_WRITE(from->balance, TX_READ(from->balance) - amount);
    TX_WRITE(to->balance, TX_READ(to->balance) + amount);
}
