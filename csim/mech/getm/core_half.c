/* SPDX-License-Identifier: Apache-2.0 */
/* GETM, core half: the sockets of the core, accesses, replies, rollover. */
#include <assert.h>
#include <stdlib.h>

#include "cowarp/unit/validation_unit.h"
#include "mech/getm/core_private.h"
#include "mech/tm/attempt.h"
#include "mem/partition.h"

/* Begin */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *w = c->warp + warp;
    if (w->phase == CW_GETM_IDLE) {
        w->phase = CW_GETM_TOKEN;
        w->waiting = now;
    }
    if (c->stopped)
        cw_tokens_wait(&c->tokens, warp);
    if (c->stopped || !cw_tokens_take(&c->tokens, warp))
        return false;
    cw_attempt_admit(&c->getm->common, lanes, c->tokens.used, w->waiting, now);
    w->tx_lanes = lanes;
    w->aborts = w->starved = 0;
    w->done = now;
    if (c->getm->keys->getm_new_warpts == CW_GETM_NEW_CORE)
        w->warpts = cw_getm_at(c->getm, c->largest, cw_getm_owner(c->getm, c->index, warp));
    cw_getm__attempt_begin(c, warp, lanes, now);
    cw_getm__wake_next(c, now);
    return true;
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_getm_core *c = self;
    const struct cw_getm_warp *w = c->warp + inst->warp;
    cw_lanes lanes = c->stopped ? 0 : cw_lanes_without(inst->lanes & w->lanes, w->aborted);
    struct cw_access *a = cw_access_take(&c->access, inst, lanes);
    (void)now;
    if (a == NULL)
        return false;
    assert(w->phase == CW_GETM_RUN);
    if (c->stopped)
        c->doomed |= UINT64_C(1) << inst->warp;
    cw_access_go(&c->access, a);
    return true;
}

static uint32_t request(void *self, const struct cw_access *a, struct cw_message *p)
{
    struct cw_getm_access_body *body = cw_getm_access(p);
    struct cw_getm_core *c = self;
    struct cw_getm_warp *w = c->warp + a->warp;
    const struct cw_config *config = c->getm->config;
    uint32_t bytes = cw_inst_bytes(a->inst), shift = c->getm->granule_shift;
    body->granules = 0;
    body->spill = false;
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t first = body->access.lane_offset[cw_lanes_first(rest)];
        for (uint32_t g = first >> shift; g <= (first + bytes - 1) >> shift; g++)
            body->granules |= 1u << g;
    }
    p->attempt = cw_core_attempt(c->core, a->warp);
    w->requested++;
    if (a->store && w->starved >= c->getm->keys->getm_spill_after)
        body->spill = true;
    body->warpts = w->warpts;
    body->owner = cw_getm_owner(c->getm, c->index, a->warp);
    body->ticket = w->ticket[cw_address_partition(config, p->addr)];
    return a->store && c->getm->keys->getm_store_data == CW_ON ? CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors) : 0;
}

static int log_load(void *self, const struct cw_access *a, cw_lanes lanes)
{
    struct cw_getm_core *c = self;
    return cw_redo_log_load(&c->warp[a->warp].log, a->inst, lanes);
}

static void log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    struct cw_getm_core *c = self;
    (void)now;
    if (cookie & CW_LOG_COOKIE_RESOLVE)
        c->warp[warp].walk.back++;
    else
        cw_access_log_done(&c->access, warp, cookie);
}

/* Replies */

static void count_granted(struct cw_getm_core *c, struct cw_getm_warp *w, const struct cw_message *p)
{
    uint64_t first = cw_getm_granule(c->getm, p->addr);
    for (uint32_t rest = cw_getm_access_of(p)->granted; rest != 0; rest &= rest - 1)
        if (cw_write_set_count(&w->set, first + (uint32_t)__builtin_ctz(rest)) != CW_OK)
            cw_mech_fault(&c->getm->host, CW_ENOMEM, "out of host memory for a write set");
}

static void take_reply(struct cw_getm_core *c, struct cw_message *p, cw_time now)
{
    const struct cw_getm_access_body *body = cw_getm_access(p);
    struct cw_access *a = c->access.pool + p->tag;
    struct cw_getm_warp *w = c->warp + a->warp;
    if (a->store)
        count_granted(c, w, p);
    else
        cw_access_take_values(a, p);
    if (body->access.aborted != 0) {
        uint64_t next = cw_getm_after(c->getm, body->warpts > w->warpts ? body->warpts : w->warpts, body->owner);
        if (next > w->next_warpts)
            w->next_warpts = next;
        cw_getm__attempt_abort(c, a->warp, cw_lanes_without(body->access.aborted, w->aborted), body->cause, now);
    }
    cw_access_replied(&c->access, a);
}

/* Rollover */

static bool untouched(const struct cw_getm_core *c, uint32_t warp)
{
    return c->warp[warp].requested == 0 && c->access.warp[warp].accesses == 0;
}

static void stop(struct cw_getm_core *c, cw_time now)
{
    c->stopped = true;
    c->acks_left = c->getm->config->partition_count;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++) {
        struct cw_getm_warp *w = c->warp + i;
        if (w->phase == CW_GETM_RUN && !untouched(c, i))
            cw_getm__attempt_abort(c, i, cw_lanes_without(w->lanes, w->aborted), CW_VU_ROLLOVER, now);
    }
}

static void resume(struct cw_getm_core *c, cw_time now)
{
    c->stopped = false;
    c->largest = 0;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++) {
        struct cw_getm_warp *w = c->warp + i;
        w->warpts = w->next_warpts = cw_getm_at(c->getm, 0, cw_getm_owner(c->getm, c->index, i));
        if (w->phase == CW_GETM_HELD)
            cw_getm__attempt_restart(c, i, now);
    }
    cw_getm__wake_next(c, now);
}

/* Attempts that touched nothing may sleep in back-off or run on: nothing of theirs is in flight. */
static bool quiet(const struct cw_getm_core *c)
{
    if (c->access.message_first != NULL || c->access.spare != NULL || c->access.cnt > 0)
        return false;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++) {
        const struct cw_getm_warp *w = c->warp + i;
        bool parked = w->phase == CW_GETM_IDLE || w->phase == CW_GETM_TOKEN || w->phase == CW_GETM_HELD;
        if (!parked && !(w->phase == CW_GETM_RUN && untouched(c, i)))
            return false;
    }
    return true;
}

static void stopped_tick(struct cw_getm_core *c, cw_time now)
{
    for (; c->doomed != 0; c->doomed &= c->doomed - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(c->doomed);
        const struct cw_getm_warp *w = c->warp + warp;
        cw_getm__attempt_abort(c, warp, cw_lanes_without(w->lanes, w->aborted), CW_VU_ROLLOVER, now);
    }
    if (!c->stopped || c->acks_left == 0 || !quiet(c))
        return;
    uint64_t addr = cw_getm_partition_addr(c->getm, c->acks_left - 1);
    struct cw_message *p = cw_mech_message(&c->getm->host, CW_MSG_OWN, CW_GETM_ACK, addr, 0, now);
    if (cw_core_send(c->core, p, now))
        c->acks_left--;
    else
        cw_message_free(c->getm->host.pool, p);
}

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
    if (c->stopped || c->doomed != 0)
        stopped_tick(c, now);
    cw_access_retire(&c->access, now);
    cw_log_port_tick(&c->access.log, c->core, now);
    bool more = c->committing_cnt > 0 && cw_getm__commit_tick(c, now);
    cw_access_send(&c->access, now);
    more |= cw_accesses_busy(&c->access) || (c->stopped && c->acks_left > 0);
    return more ? now + cw_getm_period(c->getm, CW_DOMAIN_CORE) : CW_TIME_NEVER;
}

static bool idle(const void *self)
{
    const struct cw_getm_core *c = self;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++)
        if (c->warp[i].phase != CW_GETM_IDLE)
            return false;
    return cw_accesses_idle(&c->access) && !c->stopped;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {
        "no transaction",         "waits for a token", "runs",         "waits for its log writes", "waits for an ownership table",
        "2PCR: clears its table", "2PCR: marks",       "2PCR: checks", "walks its write log",      "sends its write log",
        "waits for the rollover"};
    const struct cw_getm_core *c = self;
    for (uint32_t i = 0; i < c->getm->config->core_warps; i++) {
        const struct cw_getm_warp *w = c->warp + i;
        if (w->phase == CW_GETM_IDLE)
            continue;
        fprintf(out, "core %u warp %u: transaction %s; warpts %llu, lanes 0x%08x, aborted 0x%08x, attempt %u", c->index, i, phase[w->phase],
                (unsigned long long)w->warpts, (uint32_t)w->lanes, (uint32_t)w->aborted, w->aborts + 1);
        for (uint32_t k = 0; k < CW_ACCESSES; k++) {
            const struct cw_access *a = c->access.pool + k;
            if (c->access.warp[i].accesses > 0 && a->inst != NULL && a->warp == i && a->packets > 0)
                fprintf(out, "; waits for %u validation replies to the %s of PTX line %u", a->packets, a->store ? "store" : "load",
                        a->inst->uop->line);
        }
        fprintf(out, "\n");
    }
}

const struct cw_core_sockets cw_getm__core_sockets = {.region_begin = begin,
                                                      .region_access = access,
                                                      .region_end = cw_getm__commit,
                                                      .message = reply,
                                                      .log_done = log_done,
                                                      .tick = tick,
                                                      .idle = idle,
                                                      .report = report};

static const struct cw_access_ops access_ops = {.request = request, .log_load = log_load};

static int create_warps(struct cw_getm_core *c)
{
    const struct cw_getm *g = c->getm;
    c->warp = calloc(g->config->core_warps, sizeof *c->warp);
    if (cw_accesses_create(&c->access) != CW_OK || c->warp == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < g->config->core_warps; i++) {
        c->access.warp[i].log = &c->warp[i].log;
        c->warp[i].warpts = cw_getm_at(g, 0, cw_getm_owner(g, c->index, i));
        c->warp[i].ticket = calloc(g->config->partition_count, sizeof *c->warp[i].ticket);
        if (c->warp[i].ticket == NULL)
            return CW_ENOMEM;
    }
    return CW_OK;
}

int cw_getm__core_create(struct cw_getm_core **out, const struct cw_getm *g, uint32_t index, struct cw_error *err)
{
    struct cw_getm_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    *c = (struct cw_getm_core){.getm = g, .core = g->host.core[index], .index = index, .tokens.limit = g->common.keys->tm_warps};
    cw_rng_seed(&c->rng, g->host.seed ^ ((uint64_t)index + 1) << 32);
    c->access = (struct cw_accesses){.common = &g->common,
                                     .core = c->core,
                                     .ops = &access_ops,
                                     .self = c,
                                     .body_bytes = sizeof(struct cw_getm_access_body),
                                     .stores_ask = true};
    int status = create_warps(c);
    return status == CW_OK ? cw_resolvers_create(&c->resolvers, &g->common, index, err) : status;
}

void cw_getm__core_destroy(struct cw_getm_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; c->warp != NULL && i < c->getm->config->core_warps; i++) {
        free(c->warp[i].ticket);
        cw_redo_log_free(&c->warp[i].log);
        cw_write_set_free(&c->warp[i].set);
    }
    cw_accesses_destroy(&c->access);
    free(c->warp);
    cw_resolvers_destroy(&c->resolvers);
    free(c);
}
