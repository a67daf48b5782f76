/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of transactions, included once for each way in which they run: see kernels/include/sync.h. */

TX_FN void TX_(insert)(int how, __global const uint *keys, __global volatile struct node *node, uint n, __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i];
    TX_ATOMICALLY(how, lock, {
        uint last = 0;
        uint at = TX_READ(node[0].next);
        /* a transaction that is about to fail may see a list that never was */
        for (uint steps = 0; at != 0 && at <= n && steps < n && TX_READ(node[at].key) < key; steps++) {
            last = at;
            at = TX_READ(node[at].next);
        }
        TX_WRITE(node[i + 1].key, key);
        TX_WRITE(node[i + 1].value, ~key);
        TX_WRITE(node[i + 1].next, at);
        TX_WRITE(node[last].next, i + 1);
    });
}
