/* SPDX-License-Identifier: Apache-2.0 */
/* One level of a breadth-first search in two kernels: the nodes of the frontier give their unseen neighbours a cost and mark them; then the
 * marks become the next frontier. Several threads may mark one node; all write the same values. */
#define EXPAND_THREADS  512
#define ADVANCE_THREADS 256

__kernel __attribute__((reqd_work_group_size(EXPAND_THREADS, 1, 1))) void expand(__global const uint *first, __global const uint *target,
                                                                                 __global uchar *frontier, __global uchar *marked,
                                                                                 __global const uchar *seen, __global int *cost, uint nodes)
{
    uint node = get_global_id(0);
    if (node >= nodes || !frontier[node])
        return;
    frontier[node] = 0;
    int next = cost[node] + 1;
    for (uint e = first[node]; e < first[node + 1]; e++) {
        uint neighbour = target[e];
        if (!seen[neighbour]) {
            cost[neighbour] = next;
            marked[neighbour] = 1;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(ADVANCE_THREADS, 1, 1))) void advance(__global uchar *frontier, __global uchar *marked,
                                                                                   __global uchar *seen, __global uint *again, uint nodes)
{
    uint node = get_global_id(0);
    if (node < nodes && marked[node]) {
        marked[node] = 0;
        frontier[node] = 1;
        seen[node] = 1;
        *again = 1;
    }
}
