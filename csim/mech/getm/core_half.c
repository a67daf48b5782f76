/* SPDX-License-Identifier: Apache-2.0 */
/* GETM, core half: the sockets of the core, accesses, replies, rollover. What other systems do as well is in mech/tm/core_half.c. */
#include <stdlib.h>

#include "cowarp/unit/validation_unit.h"
#include "mech/getm/core_private.h"
#include "mem/address.h"

/* Begin */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *own = c->warp + warp;
    if (!cw_tm_core_token(&c->half, warp, now))
        return false;
    own->failed = own->starved = 0;
    if (c->getm->keys->getm_new_warpts == CW_GETM_NEW_CORE)
        own->warpts = cw_getm_at(c->getm, c->largest, cw_getm_owner(c->getm, c->half.index, warp));
    cw_tm_core_admit(&c->half, warp, lanes, now);
    return true;
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_tm_access *a = cw_tm_core_access(&c->half, inst);
    (void)now;
    if (a == NULL)
        return false;
    if (c->half.closed)
        c->doomed |= UINT64_C(1) << inst->warp;
    cw_access_go(&c->half.access, a);
    return true;
}

static uint32_t request(void *self, const struct cw_tm_access *a, struct cw_message *p)
{
    struct cw_getm_access_body *body = cw_getm_access(p);
    struct cw_getm_core *c = self;
    struct cw_getm_warp *own = c->warp + a->warp;
    const struct cw_config *config = c->getm->config;
    uint32_t bytes = cw_inst_bytes(a->inst), shift = c->getm->granule_shift;
    body->granules = 0;
    body->spill = false;
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t first = body->access.lane_offset[cw_lanes_first(rest)];
        for (uint32_t g = first >> shift; g <= (first + bytes - 1) >> shift; g++)
            body->granules |= 1u << g;
    }
    own->requested++;
    if (a->store && own->starved >= c->getm->keys->getm_spill_after)
        body->spill = true;
    body->warpts = own->warpts;
    body->owner = cw_getm_owner(c->getm, c->half.index, a->warp);
    body->ticket = own->ticket[cw_address_partition(config, p->addr)];
    return a->store && c->getm->keys->getm_store_data == CW_ON ? CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors) : 0;
}

/* Replies */

static void count_granted(const struct cw_getm_core *c, struct cw_getm_warp *own, const struct cw_message *p)
{
    uint64_t first = cw_getm_granule(c->getm, p->addr);
    for (uint32_t rest = cw_getm_access_of(p)->granted; rest != 0; rest &= rest - 1)
        if (cw_write_set_count(&own->set, first + (uint32_t)__builtin_ctz(rest)) != CW_OK)
            cw_mech_fault(&c->getm->host, CW_ENOMEM, "out of host memory for a write set");
}

static void take_reply(struct cw_getm_core *c, struct cw_message *p, cw_time now)
{
    const struct cw_getm_access_body *body = cw_getm_access(p);
    struct cw_tm_access *a = c->half.access.pool + p->tag;
    struct cw_getm_warp *own = c->warp + a->warp;
    if (a->store)
        count_granted(c, own, p);
    else
        cw_access_take_values(a, p);
    if (body->access.aborted != 0) {
        uint64_t next = cw_getm_after(c->getm, body->warpts > own->warpts ? body->warpts : own->warpts, body->owner);
        if (next > own->next_warpts)
            own->next_warpts = next;
        cw_getm__attempt_abort(c, a->warp, cw_lanes_without(body->access.aborted, c->half.warp[a->warp].aborted), body->cause, now);
    }
    cw_access_replied(&c->half.access, a);
}

/* Rollover */

static bool untouched(const struct cw_getm_core *c, uint32_t warp)
{
    return c->warp[warp].requested == 0 && c->half.access.warp[warp].accesses == 0;
}

static void stop(struct cw_getm_core *c, cw_time now)
{
    c->half.closed = true;
    c->acks_left = c->getm->config->partition_count;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++)
        if (c->half.warp[i].phase == CW_TM_RUN && !untouched(c, i))
            cw_getm__attempt_abort(c, i, cw_tm_running(c->half.warp + i), CW_VU_ROLLOVER, now);
}

static void resume(struct cw_getm_core *c, cw_time now)
{
    c->half.closed = false;
    c->largest = 0;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++) {
        c->warp[i].warpts = c->warp[i].next_warpts = cw_getm_at(c->getm, 0, cw_getm_owner(c->getm, c->half.index, i));
        if (c->half.warp[i].phase == CW_GETM_HELD)
            cw_getm__attempt_restart(c, i, now);
    }
    cw_tm_core_wake_next(&c->half, now);
}

/* Attempts that touched nothing may sleep in back-off or run on: nothing of theirs is in flight. */
static bool quiet(const struct cw_getm_core *c)
{
    const struct cw_accesses *q = &c->half.access;
    if (q->message_first != NULL || q->spare != NULL || q->cnt > 0)
        return false;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++) {
        const uint32_t phase = c->half.warp[i].phase;
        bool parked = phase == CW_TM_IDLE || phase == CW_TM_TOKEN || phase == CW_GETM_HELD;
        if (!parked && !(phase == CW_TM_RUN && untouched(c, i)))
            return false;
    }
    return true;
}

static void rollover_tick(struct cw_getm_core *c, cw_time now)
{
    for (; c->doomed != 0; c->doomed &= c->doomed - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(c->doomed);
        cw_getm__attempt_abort(c, warp, cw_tm_running(c->half.warp + warp), CW_VU_ROLLOVER, now);
    }
    if (!c->half.closed || c->acks_left == 0 || !quiet(c))
        return;
    uint64_t addr = cw_tm_partition_addr(c->getm->config, c->acks_left - 1);
    struct cw_message *p = cw_mech_message(&c->getm->host, CW_MSG_OWN, CW_GETM_ACK, addr, NULL, now);
    if (cw_core_send(c->half.core, p, now))
        c->acks_left--;
    else
        cw_message_free(c->getm->host.pool, p);
}

/* The core's cycle */

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct cw_getm_core *c = self;
    if (p->op == CW_GETM_ANSWER)
        take_reply(c, p, now);
    else if (p->op == CW_GETM_DONE)
        c->warp[p->warp].acks--;
    else if (p->op == CW_GETM_STOP)
        stop(c, now);
    else
        resume(c, now);
    cw_message_free(c->getm->host.pool, p);
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_getm_core *c = self;
    if (c->half.closed || c->doomed != 0)
        rollover_tick(c, now);
    const cw_time next = cw_tm_core_tick(&c->half, now);
    return c->half.closed && c->acks_left > 0 ? now + c->half.period : next;
}

static void report(const void *self, uint32_t warp, FILE *out)
{
    const struct cw_getm_core *c = self;
    fprintf(out, "; warpts %llu", (unsigned long long)c->warp[warp].warpts);
}

const struct cw_core_sockets cw_getm__core_sockets = {.region_begin = begin,
                                                      .region_access = access,
                                                      .region_end = cw_tm_core_commit,
                                                      .message = reply,
                                                      .log_done = cw_tm_core_log_done,
                                                      .tick = tick,
                                                      .idle = cw_tm_core_idle,
                                                      .report = cw_tm_core_report};

static const char *const phases[] = {CW_GETM_PHASES(CW_TM_PHASE_TEXT)};
static const struct cw_tm_core_ops ops = {.access = {.request = request},
                                          .phases = phases,
                                          .begun = cw_getm__attempt_begun,
                                          .advance = cw_getm__commit_advance,
                                          .report = report};

static int create_warps(struct cw_getm_core *c)
{
    const struct cw_getm *g = c->getm;
    c->warp = calloc(g->config->core_warps, sizeof *c->warp);
    for (uint32_t i = 0; c->warp != NULL && i < g->config->core_warps; i++) {
        c->warp[i].warpts = cw_getm_at(g, 0, cw_getm_owner(g, c->half.index, i));
        c->warp[i].ticket = calloc(g->config->partition_count, sizeof *c->warp[i].ticket);
        if (c->warp[i].ticket == NULL)
            return CW_ENOMEM;
    }
    return c->warp != NULL ? CW_OK : CW_ENOMEM;
}

int cw_getm__core_create(struct cw_getm_core **out, const struct cw_getm *g, uint32_t index, struct cw_error *err)
{
    static const struct cw_tm_core_options options = {.body = &cw_getm_access_type, .stores_ask = true, .has_resolvers = true};
    struct cw_getm_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->getm = g;
    int status = cw_tm_core_create(&c->half, &g->common, index, &ops, &options, err);
    return status == CW_OK ? create_warps(c) : status;
}

void cw_getm__core_destroy(struct cw_getm_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; c->warp != NULL && i < c->getm->config->core_warps; i++) {
        free(c->warp[i].ticket);
        cw_write_set_free(&c->warp[i].set);
    }
    cw_tm_core_destroy(&c->half);
    free(c->warp);
    free(c);
}
