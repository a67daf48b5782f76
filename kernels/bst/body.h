/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of transactions, included once for each way in which they run: see kernels/include/sync.h. */

/* The word that links to the key's node, or to which it would be linked. */
TX_FN uint TX_(find)(TX __global volatile uint *tree, uint nodes, uint key)
{
    uint link = 0;
    uint at = TX_READ(tree[0]);
    for (uint steps = 0; WITHIN(at, nodes) && steps < nodes; steps++) {
        uint other = TX_READ(tree[KEY(at)]);
        if (other == key)
            break;
        link = key < other ? LEFT(at) : RIGHT(at);
        at = TX_READ(tree[link]);
    }
    return link;
}

TX_FN uint TX_(insert)(TX __global volatile uint *tree, uint nodes, uint node, uint key)
{
    uint link = TX_(find)(TX_PASS tree, nodes, key);
    if (TX_READ(tree[link]) != 0)
        return 0;
    TX_WRITE(tree[KEY(node)], key);
    TX_WRITE(tree[LEFT(node)], 0);
    TX_WRITE(tree[RIGHT(node)], 0);
    TX_WRITE(tree[link], node);
    return 1;
}

TX_FN uint TX_(remove)(TX __global volatile uint *tree, uint nodes, uint key)
{
    uint link = TX_(find)(TX_PASS tree, nodes, key);
    uint at = TX_READ(tree[link]);
    if (!WITHIN(at, nodes))
        return 0;
    uint left = TX_READ(tree[LEFT(at)]);
    uint right = TX_READ(tree[RIGHT(at)]);
    if (left == 0 || right == 0 || !WITHIN(right, nodes)) {
        TX_WRITE(tree[link], left != 0 ? left : right);
        return 1;
    }
    uint next_link = RIGHT(at);
    uint next = right;
    for (uint steps = 0, child = TX_READ(tree[LEFT(next)]); WITHIN(child, nodes) && steps < nodes; steps++) {
        next_link = LEFT(next);
        next = child;
        child = TX_READ(tree[LEFT(next)]);
    }
    TX_WRITE(tree[KEY(at)], TX_READ(tree[KEY(next)]));
    TX_WRITE(tree[next_link], TX_READ(tree[RIGHT(next)]));
    return 1;
}

TX_FN void TX_(change)(int how, __global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts,
                       uint threads, __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= threads)
        return;
    uint key = keys[i], nodes = before + inserts, result;
    if (i < inserts)
        TX_ATOMICALLY(how, lock, result = TX_(insert)(TX_PASS tree, nodes, before + 1 + i, key));
    else
        TX_ATOMICALLY(how, lock, result = TX_(remove)(TX_PASS tree, nodes, key));
    done[i] = result;
}
