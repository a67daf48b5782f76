/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exact graph of edges between transactions, by their IDs: what logical times stand for. The simulator counts by it which edges were
 * refused though they would have closed no circle. No hardware has it.
 */
#ifndef CW_MECH_SNAPSHOT_CENTER_GRAPH_H
#define CW_MECH_SNAPSHOT_CENTER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"

struct cw_si_graph;

/* Without edges; NULL: out of host memory. */
struct cw_si_graph *cw_si_graph_create(void);
void cw_si_graph_destroy(struct cw_si_graph *g);
void cw_si_graph_add(struct cw_si_graph *g, uint32_t from, uint32_t to);
/* Whether there is a path. */
bool cw_si_graph_leads(const struct cw_si_graph *g, uint32_t from, uint32_t to);
/* Takes the ID out; bridge: whom it led to are then led to by those who led to it (it has committed, so its place in the order stays). */
void cw_si_graph_remove(struct cw_si_graph *g, uint32_t id, bool bridge);
void cw_si_graph_state(struct cw_state *s, struct cw_si_graph *g);

#endif
