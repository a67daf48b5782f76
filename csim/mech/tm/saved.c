/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/saved.h"

#include "adapt/ownership_table.h"

void cw_tm_ring_state(struct cw_state *s, struct cw_ring *ring, void *entries, uint32_t places, size_t bytes)
{
    cw_state_count(s, "head", &ring->head, places);
    cw_state_count(s, "entries", &ring->cnt, places);
    cw_state_array(s, "ring", entries, places, bytes);
}

/* ---- logs ---- */

static void write_row_state(struct cw_state *s, struct cw_write_row *r)
{
    CW_STATE(s, r->lanes);
    for (cw_lanes rest = r->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        CW_STATE(s, r->addr[lane]);
        CW_STATE(s, r->value[lane]);
        CW_STATE(s, r->bytes[lane]);
    }
}

static void read_row_state(struct cw_state *s, struct cw_read_row *r)
{
    CW_STATE(s, r->lanes);
    for (cw_lanes rest = r->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        CW_STATE(s, r->addr[lane]);
        CW_STATE(s, r->value[lane]);
    }
}

void cw_redo_log_state(struct cw_state *s, struct cw_redo_log *log)
{
    CW_STATE_GROWN(s, log->write_cnt, log->write, log->write_cap);
    for (uint32_t i = 0; i < log->write_cnt; i++)
        write_row_state(s, &log->write[i]);
    CW_STATE_GROWN(s, log->read_cnt, log->read, log->read_cap);
    for (uint32_t i = 0; i < log->read_cnt; i++)
        read_row_state(s, &log->read[i]);
    CW_STATE(s, log->signature);
}

void cw_write_set_state(struct cw_state *s, struct cw_write_set *set)
{
    uint32_t slots = set->slot_cnt; /* of set->slot; as many as granules have room for, twice */
    CW_STATE_GROWN(s, slots, set->slot, set->slot_cnt);
    set->slot_cnt = slots;
    cw_state_array(s, "slot", set->slot, slots, sizeof *set->slot);
    uint32_t cap = set->granule_cap;
    CW_STATE_GROWN(s, cap, set->granule, set->granule_cap);
    set->granule_cap = cap;
    cw_state_count(s, "granules", &set->granule_cnt, set->granule_cap);
    for (uint32_t i = 0; i < set->granule_cnt; i++) {
        CW_STATE(s, set->granule[i].granule);
        CW_STATE(s, set->granule[i].count);
        CW_STATE(s, set->granule[i].first);
        CW_STATE(s, set->granule[i].last);
        CW_STATE(s, set->granule[i].next);
    }
    CW_STATE_GROWN(s, set->word_cnt, set->word, set->word_cap);
    for (uint32_t i = 0; i < set->word_cnt; i++) {
        CW_STATE(s, set->word[i].addr);
        CW_STATE(s, set->word[i].value);
        CW_STATE(s, set->word[i].next);
        CW_STATE(s, set->word[i].bytes);
        CW_STATE(s, set->word[i].lane);
    }
}

/* ---- accesses ---- */

static void access_state(struct cw_state *s, struct cw_accesses *q, struct cw_tm_access *a)
{
    cw_core_inst_state(s, q->core, &a->inst);
    CW_STATE(s, a->warp);
    CW_STATE(s, a->lanes);
    CW_STATE(s, a->asked);
    CW_STATE(s, a->unsent);
    CW_STATE(s, a->packets);
    CW_STATE(s, a->log_reads);
    CW_STATE(s, a->store);
    CW_STATE_REF(s, a->next, q->pool, CW_ACCESSES);
    CW_STATE(s, a->own);
    CW_STATE(s, a->bytes);
}

/* The free ones by their list; the others are in use. */
static void pool_state(struct cw_state *s, struct cw_accesses *q)
{
    uint64_t is_free = 0;
    struct cw_tm_access **link = &q->free;
    _Static_assert(CW_ACCESSES <= 64, "a bit each");
    for (bool more = true; more && s->status == CW_OK;) {
        CW_STATE_REF(s, *link, q->pool, CW_ACCESSES);
        more = *link != NULL;
        if (more) {
            is_free |= UINT64_C(1) << cw_access_index(q, *link);
            link = &(*link)->next;
        }
    }
    for (uint32_t i = 0; i < CW_ACCESSES && s->status == CW_OK; i++)
        if ((is_free >> i & 1) == 0)
            access_state(s, q, &q->pool[i]);
    CW_STATE(s, q->cnt);
}

void cw_tm_queue_state(struct cw_state *s, const struct cw_accesses *q, struct cw_access_queue *queue)
{
    CW_STATE_REF(s, queue->first, q->pool, CW_ACCESSES);
    if (queue->first == NULL)
        queue->last = NULL;
    CW_STATE_REF(s, queue->last, q->pool, CW_ACCESSES);
}

static void log_port_state(struct cw_state *s, struct cw_log_port *port)
{
    cw_state_count(s, "log accesses", &port->ring.cnt, port->cap);
    cw_state_count(s, "head", &port->ring.head, port->cap);
    for (uint32_t i = 0; i < port->ring.cnt; i++) {
        struct cw_log_op *op = &port->op[cw_ring_at(&port->ring, i, port->cap)];
        CW_STATE(s, op->word);
        CW_STATE(s, op->cookie);
        CW_STATE(s, op->warp);
        CW_STATE(s, op->write);
    }
}

static void accesses_state(struct cw_state *s, struct cw_accesses *q, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++) {
        CW_STATE(s, q->warp[w].accesses);
        CW_STATE(s, q->warp[w].posted);
        CW_STATE(s, q->warp[w].messages);
    }
    pool_state(s, q);
    cw_tm_queue_state(s, q, &q->send);
    cw_tm_queue_state(s, q, &q->done);
    log_port_state(s, &q->log);
    if (!cw_state_loads(s) && q->message_first == NULL)
        q->message_last = NULL;
    cw_message_list_state(s, &q->message_first, &q->message_last);
    cw_message_state(s, &q->spare);
}

/* ---- the core half ---- */

static void tokens_state(struct cw_state *s, struct cw_tokens *t)
{
    CW_STATE(s, t->used);
    CW_STATE(s, t->queued);
    cw_tm_ring_state(s, &t->ring, t->queue, CW_TOKENS_WARPS, sizeof *t->queue);
}

static void resolvers_state(struct cw_state *s, struct cw_resolvers *r)
{
    for (uint32_t i = 0; r->table != NULL && i < r->cnt; i++)
        cw_adapt_ownership_table_state(s, r->table[i]);
    CW_STATE(s, r->busy);
    CW_STATE(s, r->freed);
}

static void warp_state(struct cw_state *s, struct cw_tm_warp *w)
{
    CW_STATE(s, w->phase);
    CW_STATE(s, w->tx_lanes);
    CW_STATE(s, w->lanes);
    CW_STATE(s, w->aborted);
    CW_STATE(s, w->ready);
    CW_STATE(s, w->aborts);
    CW_STATE(s, w->resolver);
    CW_STATE(s, w->listed);
    CW_STATE(s, w->asleep);
    CW_STATE(s, w->walk.step);
    CW_STATE(s, w->walk.read);
    CW_STATE(s, w->walk.back);
    CW_STATE(s, w->begun);
    CW_STATE(s, w->ended);
    CW_STATE(s, w->waiting);
    CW_STATE(s, w->done);
    cw_redo_log_state(s, &w->log);
}

void cw_tm_core_state(struct cw_state *s, struct cw_tm_core *h)
{
    const struct cw_config *config = h->common->host->config;
    cw_state_group(s, "tm_core", h->index);
    for (uint32_t w = 0; w < config->core_warps; w++)
        warp_state(s, &h->warp[w]);
    if (h->touched != NULL)
        cw_state_array(s, "touched", h->touched, 2 * (size_t)config->partition_count * config->core_warps, sizeof *h->touched);
    tokens_state(s, &h->tokens);
    CW_STATE(s, h->rng.state);
    accesses_state(s, &h->access, config->core_warps);
    resolvers_state(s, &h->resolvers);
    CW_STATE(s, h->closed);
    cw_state_count(s, "committing", &h->list_cnt, CW_TOKENS_WARPS);
    CW_STATE(s, h->list);
}
