/* SPDX-License-Identifier: Apache-2.0 */
/* Serialised transactions, partition half: carries out stores, holds back loads that come behind them, and in partition 0 gives the token.
 */
#include <stdlib.h>

#include "base/ring.h"
#include "mech/serial/serial_private.h"
#include "mech/tm/access.h"

struct cw_serialised_partition {
    struct cw_component component;
    const struct cw_mech_host *host;
    uint32_t index;
    cw_time period;
    struct cw_mem_socket *port;
    uint32_t stores; /* being written; answered when the L2 has them */
    /* partition 0: the token and who waits for it */
    uint32_t *queue; /* ring of core << 16 | warp: core_count * core_warps places */
    uint32_t cap;
    struct cw_ring ring;
    bool taken, share_token;
};

/* The line as it is in memory goes back with the answer. */
static void answer(struct cw_serialised_partition *n, struct cw_message *p, bool load, cw_time now)
{
    const struct cw_config *config = n->host->config;
    cw_memory_read(n->host->memory, p->addr, cw_line_body(p)->data, config->mem_line_bytes);
    p->kind = CW_MSG_OWN_REPLY;
    p->op = load ? CW_SERIALISED_LOADED : CW_SERIALISED_STORED;
    cw_message_size(p, load ? CW_SECTOR_BYTES : 0, config->noc_header_bytes, config->noc_flit_bytes);
    cw_fifo_push(&n->port->reply, now, n->period, p);
}

static void finish_store(struct cw_serialised_partition *n, cw_time now)
{
    struct cw_message *p = cw_fifo_can_push(&n->port->reply, now) ? cw_fifo_pop(&n->port->l2_done, now) : NULL;
    if (p == NULL)
        return;
    n->stores--;
    answer(n, p, false, now);
}

/* A load waits here for the stores before it. A store becomes an ordinary write of the L2, which brings it back. */
static void serve_access(struct cw_serialised_partition *n, cw_time now)
{
    struct cw_message *p = cw_fifo_peek(&n->port->from_l2, now);
    if (p == NULL)
        return;
    if (p->kind == CW_MSG_READ) {
        if (n->stores == 0 && cw_fifo_can_push(&n->port->reply, now))
            answer(n, cw_fifo_pop(&n->port->from_l2, now), true, now);
        return;
    }
    if (!cw_fifo_can_push(&n->port->to_l2, now))
        return;
    cw_fifo_pop(&n->port->from_l2, now);
    n->stores++;
    p->kind = CW_MSG_WRITE;
    p->after = CW_AFTER_RETURN;
    cw_fifo_push(&n->port->to_l2, now, n->period, p);
}

static bool token_free(const struct cw_serialised_partition *n)
{
    return !n->taken || n->share_token;
}

static void grant(struct cw_serialised_partition *n, cw_time now)
{
    struct cw_message *p = cw_mech_message(n->host, CW_MSG_OWN_REPLY, CW_SERIALISED_GRANT, CW_GLOBAL_BASE, NULL, now);
    uint32_t who = n->queue[n->ring.head];
    cw_ring_take(&n->ring, n->cap);
    n->taken = true;
    p->core = (uint16_t)(who >> 16);
    p->warp = (uint16_t)who;
    cw_fifo_push(&n->port->reply, now, n->period, p);
}

static void serve_token(struct cw_serialised_partition *n, cw_time now)
{
    struct cw_message *p = cw_fifo_pop(&n->port->from_noc, now);
    if (p != NULL) {
        if (p->op == CW_SERIALISED_ASK)
            n->queue[cw_ring_add(&n->ring, n->cap)] = (uint32_t)p->core << 16 | p->warp;
        else
            n->taken = false;
        cw_message_free(n->host->pool, p);
    }
    if (token_free(n) && n->ring.cnt > 0 && cw_fifo_can_push(&n->port->reply, now))
        grant(n, now);
}

static void tick(void *self, cw_time now)
{
    struct cw_serialised_partition *n = self;
    finish_store(n, now);
    serve_access(n, now);
    if (n->index == 0)
        serve_token(n, now);
    cw_time next = cw_fifo_next(&n->port->l2_done), access = cw_fifo_next(&n->port->from_l2), token = cw_fifo_next(&n->port->from_noc);
    if (n->ring.cnt > 0 && token_free(n))
        token = now;
    next = next < token ? next : token;
    next = next < access ? next : access;
    n->component.wake = next > now ? next : now + n->period;
}

struct cw_component *cw_serialised_partition_component(struct cw_serialised_partition *n)
{
    return &n->component;
}

bool cw_serialised_partition_idle(const struct cw_serialised_partition *n)
{
    return n->stores == 0 && !n->taken && n->ring.cnt == 0;
}

void cw_serialised_partition_destroy(struct cw_serialised_partition *n)
{
    if (n == NULL)
        return;
    free(n->queue);
    free(n);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_serialised_partition *n = self;
    CW_STATE(s, n->stores);
    CW_STATE(s, n->taken);
    cw_state_count(s, "waiting", &n->ring.cnt, n->cap);
    CW_STATE(s, n->ring.head);
    if (n->queue != NULL)
        cw_state_array(s, "queue", n->queue, n->cap, sizeof *n->queue);
}

static const struct cw_component_ops component_ops = {.kind = "serial_queue", .domain = CW_DOMAIN_L2, .tick = tick, .state = state};

int cw_serialised_partition_create(struct cw_serialised_partition **out, const struct cw_mech_host *host, uint32_t index, bool share_token)
{
    struct cw_serialised_partition *n = *out = calloc(1, sizeof *n);
    if (n == NULL)
        return CW_ENOMEM;
    n->host = host;
    n->index = index;
    n->share_token = share_token;
    n->period = host->clocks->period[CW_DOMAIN_L2];
    n->component = cw_component_of(&component_ops, n, 0);
    n->port = cw_mem_socket_of(&host->partition[index], host->index);
    n->port->from_l2.wake = n->port->from_noc.wake = n->port->l2_done.wake = &n->component.wake;
    n->cap = host->config->core_count * host->config->core_warps;
    n->queue = index == 0 ? calloc(n->cap, sizeof *n->queue) : NULL;
    if (index != 0 || n->queue != NULL)
        return CW_OK;
    cw_serialised_partition_destroy(n);
    *out = NULL;
    return CW_ENOMEM;
}
