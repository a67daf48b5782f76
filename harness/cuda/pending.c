/* SPDX-License-Identifier: Apache-2.0 */
/* Work that has been put off: asked for in streams, and not carried out before somebody can see what it has done. */
#include <string.h>

#include "cuda/graph.h"

static struct cw_cuda_graph *pending; /* NULL: nothing */
static struct cw_cuda_node *place[CW_CUDA_PENDING];
static uint32_t cnt;
static uint64_t generation = 1;

bool cw_cuda__is_pending(void)
{
    return pending != NULL;
}

void cw_cuda__after_join(struct cw_cuda_after *to, const struct cw_cuda_after *from)
{
    if (to->generation != generation)
        *to = (struct cw_cuda_after){.generation = generation};
    for (uint32_t i = 0; from->generation == generation && i < CW_CUDA_PENDING / 64; i++)
        to->bits[i] |= from->bits[i];
}

int cw_cuda__put_off(struct cw_cuda_node **node, struct cw_cuda_after *after, const struct cw_cuda_work *work)
{
    struct cw_cuda_node *before[CW_CUDA_PENDING];
    const struct cw_cuda_after nothing = {0};
    size_t before_cnt = 0;
    if (cnt == CW_CUDA_PENDING)
        cw_cuda__settle();
    cw_cuda__after_join(after, &nothing);
    int code = pending == NULL ? cw_cuda_graph_create(&pending) : CW_CUDA_OK;
    for (uint32_t i = 0; i < cnt; i++)
        if ((after->bits[i / 64] >> i % 64 & 1u) != 0)
            before[before_cnt++] = place[i];
    if (code == CW_CUDA_OK)
        code = cw_cuda_node_add(node, pending, before, before_cnt, work);
    if (code != CW_CUDA_OK)
        return code;
    place[cnt] = *node;
    after->bits[cnt / 64] |= UINT64_C(1) << cnt % 64;
    cnt++;
    return CW_CUDA_OK;
}

struct cw_cuda_graph *cw_cuda__take_pending(void)
{
    struct cw_cuda_graph *graph = pending;
    pending = NULL;
    cnt = 0;
    generation++;
    return graph;
}
