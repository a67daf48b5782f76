/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/center/graph.h"

#include <stdlib.h>
#include <string.h>

#include "mech/snapshot/id_set.h"

#define IDS (64 * CW_SI_SET_WORDS)

struct cw_si_graph {
    struct cw_si_set to[IDS], from[IDS]; /* both directions of each edge */
};

struct cw_si_graph *cw_si_graph_create(void)
{
    return calloc(1, sizeof(struct cw_si_graph));
}

void cw_si_graph_destroy(struct cw_si_graph *g)
{
    free(g);
}

void cw_si_graph_add(struct cw_si_graph *g, uint32_t from, uint32_t to)
{
    cw_si_set_put(g->to + from, to, true);
    cw_si_set_put(g->from + to, from, true);
}

bool cw_si_graph_leads(const struct cw_si_graph *g, uint32_t from, uint32_t to)
{
    struct cw_si_set seen = {{0}}, next = {{0}};
    cw_si_set_put(&next, from, true);
    for (uint32_t i = 0; i < CW_SI_SET_WORDS;) {
        const uint64_t fresh = next.bits[i] & ~seen.bits[i];
        if (fresh == 0) {
            i++;
            continue;
        }
        const uint32_t id = 64 * i + (uint32_t)__builtin_ctzll(fresh);
        if (id == to)
            return true;
        cw_si_set_put(&seen, id, true);
        for (uint32_t w = 0; w < CW_SI_SET_WORDS; w++)
            next.bits[w] |= g->to[id].bits[w];
        i = 0;
    }
    return false;
}

/* Takes the ID out of the other side's sets of those in `others`, and puts `more` into them instead. */
static void disconnect(struct cw_si_set *sets, const struct cw_si_set *others, uint32_t id, const struct cw_si_set *more)
{
    for (uint32_t i = 0; i < CW_SI_SET_WORDS; i++)
        for (uint64_t rest = others->bits[i]; rest != 0; rest &= rest - 1) {
            struct cw_si_set *s = sets + 64 * i + (uint32_t)__builtin_ctzll(rest);
            cw_si_set_put(s, id, false);
            for (uint32_t w = 0; more != NULL && w < CW_SI_SET_WORDS; w++)
                s->bits[w] |= more->bits[w];
        }
}

void cw_si_graph_remove(struct cw_si_graph *g, uint32_t id, bool bridge)
{
    cw_si_set_put(g->to + id, id, false); /* a circle of two, of which the other has gone */
    cw_si_set_put(g->from + id, id, false);
    disconnect(g->to, g->from + id, id, bridge ? g->to + id : NULL);
    disconnect(g->from, g->to + id, id, bridge ? g->from + id : NULL);
    memset(g->to + id, 0, sizeof g->to[id]);
    memset(g->from + id, 0, sizeof g->from[id]);
}

void cw_si_graph_state(struct cw_state *s, struct cw_si_graph *g)
{
    for (uint32_t i = 0; i < IDS; i++) {
        CW_STATE(s, g->to[i].bits);
        CW_STATE(s, g->from[i].bits);
    }
}
