/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which persists of the launches so far are ordered before which. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "pm.h"

struct cowarp_pm_graph_copy {
    struct cowarp_pm_store *store;
    uint32_t *before;
    uint64_t *persists;
    uint8_t *kept;
};

void cowarp__pm_graph_destroy(struct cowarp_pm_graph_copy *c)
{
    if (c == NULL)
        return;
    free(c->store);
    free(c->before);
    free(c->persists);
    free(c->kept);
    free(c);
}

static void copy_stores(struct cowarp_gpu *gpu, struct cowarp_pm_store *to, const struct cw_persist_model_graph *g)
{
    const cw_time period = cw_gpu_clocks(gpu->gpu)->period[CW_DOMAIN_CORE];
    for (uint32_t i = 0; i < g->stores; i++) {
        const struct cw_persist_model_store *x = &g->store[i];
        to[i] = (struct cowarp_pm_store){.address = x->addr,
                                         .cycle = x->now / period,
                                         .value = x->value,
                                         .bytes = x->bytes,
                                         .node = x->node,
                                         .launch = x->launch,
                                         .line = x->line,
                                         .core = x->core,
                                         .warp = x->warp,
                                         .lane = x->lane,
                                         .source_line = x->source_line,
                                         .source = x->source};
    }
}

static struct cowarp_pm_graph_copy *copy_of(struct cowarp_gpu *gpu, const struct cw_persist_model_graph *g)
{
    struct cowarp_pm_graph_copy *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->store = malloc((g->stores + 1) * sizeof *c->store);
    c->before = malloc(2 * (g->nodes + 1) * sizeof *c->before);
    c->persists = malloc((g->launches + 1) * sizeof *c->persists);
    c->kept = malloc(g->launches + 1);
    if (c->store == NULL || c->before == NULL || c->persists == NULL || c->kept == NULL) {
        cowarp__pm_graph_destroy(c);
        return NULL;
    }
    copy_stores(gpu, c->store, g);
    for (uint32_t i = 0; i < g->nodes; i++)
        memcpy(c->before + 2 * (size_t)i, g->node[i].before, 2 * sizeof *c->before);
    for (uint32_t i = 0; i < g->launches; i++)
        c->kept[i] = g->kept[i];
    for (uint32_t i = 0; i <= g->launches; i++)
        c->persists[i] = cw_gpu_persists_before(gpu->gpu, i);
    return c;
}

int cowarp__pm_graph(struct cowarp_gpu *gpu, struct cowarp_pm_graph_copy **copy, enum cowarp_pm_change change, uint32_t line,
                     struct cowarp_pm_graph *graph)
{
    struct cw_persist_model_graph g;
    static const enum cw_persist_change changes[] = {[COWARP_PM_SAME] = CW_PERSIST_SAME,
                                                     [COWARP_PM_WITHOUT] = CW_PERSIST_WITHOUT,
                                                     [COWARP_PM_AS_OFENCE] = CW_PERSIST_AS_OFENCE,
                                                     [COWARP_PM_AS_DFENCE] = CW_PERSIST_AS_DFENCE,
                                                     [COWARP_PM_AS_DEVICE] = CW_PERSIST_AS_DEVICE};
    if ((uint32_t)change > COWARP_PM_AS_DEVICE)
        return cw_fail(&gpu->err, CW_EINVAL, "the graph of persists: %d is no change", (int)change);
    const int status = cw_gpu_persist_graph(gpu->gpu, changes[change], line, &g, &gpu->err);
    if (status != CW_OK)
        return status;
    cowarp__pm_graph_destroy(*copy);
    *copy = copy_of(gpu, &g);
    if (*copy == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    *graph = (struct cowarp_pm_graph){.store = (*copy)->store,
                                      .before = (*copy)->before,
                                      .persists = (*copy)->persists,
                                      .kept = (*copy)->kept,
                                      .stores = g.stores,
                                      .nodes = g.nodes,
                                      .launches = g.launches};
    return CW_OK;
}

int cowarp_pm_order_at(const struct cowarp_gpu *gpu, uint32_t i, struct cowarp_pm_order *order)
{
    static const char *const kinds[] = {[CW_ORDER_OFENCE] = "ofence",
                                        [CW_ORDER_DFENCE] = "dfence",
                                        [CW_ORDER_RELEASE] = "release",
                                        [CW_ORDER_ACQUIRE] = "acquire",
                                        [CW_ORDER_FENCE] = "fence"};
    struct cw_persist_model_order o;
    if (gpu->gpu == NULL || !cw_gpu_persist_order_at(gpu->gpu, i, &o))
        return 0;
    *order = (struct cowarp_pm_order){
        .line = o.line, .kind = kinds[o.kind], .device = o.device, .times = o.times, .source = o.source, .source_line = o.source_line};
    return 1;
}
