/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum flow on the host, the reference for the graph cut: Dinic's algorithm (1970), which shares nothing with push-relabel. */
#ifndef KERNELS_GRAPHCUT_MAX_FLOW_H
#define KERNELS_GRAPHCUT_MAX_FLOW_H

#include <stdint.h>

struct max_flow;

/* A network of nodes 0 .. node_cnt - 1 with room for edge_cnt edges; NULL: out of memory. Destroy it in the end. */
struct max_flow *max_flow_create(uint32_t node_cnt, uint32_t edge_cnt);
void max_flow_destroy(struct max_flow *f);
/* An edge with a capacity in each direction, neither negative. */
void max_flow_edge(struct max_flow *f, uint32_t from, uint32_t to, int32_t forward, int32_t backward);
/* The value of a maximum flow; edges keep it, so this is done once. */
int64_t max_flow_solve(struct max_flow *f, uint32_t source, uint32_t sink);

#endif
