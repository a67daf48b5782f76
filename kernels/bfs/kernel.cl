/* SPDX-License-Identifier: Apache-2.0 */
/* One level of a level-synchronous breadth-first search over a graph in compressed sparse rows: a node of the current level gives its
 * unvisited neighbours the next level. Several threads may give one node the same level; all write the same value. */
__kernel void bfs_level(__global const uint *row, __global const uint *column, __global int *level, __global uint *changed, int current, uint nodes)
{
    uint node = get_global_id(0);
    if (node >= nodes || level[node] != current)
        return;
    for (uint e = row[node]; e < row[node + 1]; e++) {
        uint neighbour = column[e];
        if (level[neighbour] < 0) {
            level[neighbour] = current + 1;
            *changed = 1;
        }
    }
}
