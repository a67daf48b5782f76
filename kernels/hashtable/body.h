/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of transactions, included once for each way in which they run: see kernels/include/sync.h. */

TX_FN void TX_(insert)(TX __global volatile struct entry *entries, __global volatile struct bucket *bucket, int i, uint key)
{
    TX_WRITE(entries[i].key, key);
    TX_WRITE(entries[i].value, (uint)i);
    TX_WRITE(entries[i].next, TX_READ(bucket->head));
    TX_WRITE(bucket->head, i);
}
