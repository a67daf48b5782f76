/* SPDX-License-Identifier: Apache-2.0 */
/* The graph by which false loops of logical times are counted: paths over edges, over what has gone, and against a matrix. */
#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "mech/snapshot/center/graph.h"

static void test_snapshot_graph__paths(void **state)
{
    struct cw_si_graph *g = cw_si_graph_create();
    (void)state;
    assert_non_null(g);
    cw_si_graph_add(g, 5, 1023);
    cw_si_graph_add(g, 1023, 64);
    cw_si_graph_add(g, 64, 0);
    assert_true(cw_si_graph_leads(g, 5, 0));
    assert_false(cw_si_graph_leads(g, 0, 5));
    assert_false(cw_si_graph_leads(g, 64, 1023));
    cw_si_graph_remove(g, 1023, true); /* it has committed: 5 stays before 64 */
    assert_true(cw_si_graph_leads(g, 5, 0));
    assert_false(cw_si_graph_leads(g, 5, 1023));
    assert_false(cw_si_graph_leads(g, 1023, 64));
    cw_si_graph_remove(g, 64, false); /* it has aborted */
    assert_false(cw_si_graph_leads(g, 5, 0));
    cw_si_graph_destroy(g);
}

#define NODES 7u

static uint32_t spread(uint32_t node)
{
    return node * 163; /* up to 978, over many words */
}

/* m[a] has bit b: a leads to b, by edges or by what has been taken out with a bridge. */
static void close_over(uint8_t *m)
{
    for (uint32_t k = 0; k < NODES; k++)
        for (uint32_t a = 0; a < NODES; a++)
            if ((m[a] >> k & 1) != 0)
                m[a] |= m[k];
}

static void remove_node(uint8_t *edges, uint32_t id, bool bridge)
{
    for (uint32_t a = 0; a < NODES; a++) {
        if (bridge && (edges[a] >> id & 1) != 0)
            edges[a] |= edges[id];
        edges[a] &= (uint8_t) ~(1u << id);
    }
    edges[id] = 0;
}

static void test_snapshot_graph__agrees_with_a_matrix(void **state)
{
    struct cw_rng rng;
    (void)state;
    cw_rng_seed(&rng, 7);
    for (uint32_t round = 0; round < 200; round++) {
        struct cw_si_graph *g = cw_si_graph_create();
        uint8_t edges[NODES] = {0};
        assert_non_null(g);
        for (uint32_t step = 0; step < 30; step++) {
            const uint32_t a = cw_rng_below(&rng, NODES), b = cw_rng_below(&rng, NODES);
            if (a == b) {
                const bool bridge = cw_rng_below(&rng, 2) != 0;
                cw_si_graph_remove(g, spread(a), bridge);
                remove_node(edges, a, bridge);
            } else {
                cw_si_graph_add(g, spread(a), spread(b));
                edges[a] |= (uint8_t)(1u << b);
            }
            uint8_t reach[NODES];
            memcpy(reach, edges, sizeof reach);
            close_over(reach);
            for (uint32_t from = 0; from < NODES; from++)
                for (uint32_t to = 0; to < NODES; to++)
                    if (from != to)
                        assert_int_equal(cw_si_graph_leads(g, spread(from), spread(to)), reach[from] >> to & 1);
        }
        cw_si_graph_destroy(g);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_snapshot_graph__paths),
    cmocka_unit_test(test_snapshot_graph__agrees_with_a_matrix),
};
CW_TEST_MAIN(tests)
