/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation, core half: the sockets of the core. Begin, accesses and messages are here, commit is in commit.c. */
#include "mech/snapshot/core_half.h"

#include <assert.h>
#include <stdlib.h>

#include "mech/tm/attempt.h"

/* Begin */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_si_core *c = self;
    struct cw_si_warp *w = c->warp + warp;
    if (w->phase == CW_SI_IDLE) {
        w->phase = CW_SI_TOKEN;
        w->waiting = now;
    }
    if (w->phase == CW_SI_TOKEN && cw_tokens_take(&c->tokens, warp)) {
        w->phase = CW_SI_ASK;
        w->tx_lanes = lanes;
        cw_si__ask(c, warp, CW_SI_BEGIN, lanes, 0, now);
        cw_tokens_wake_next(&c->tokens, c->core, now);
    }
    if (w->phase != CW_SI_GIVEN)
        return false;
    cw_attempt_admit(&c->tm->common, lanes, c->tokens.used, w->waiting, now);
    w->aborts = w->in_vain = 0;
    w->done = now;
    cw_si__begin_attempt(c, warp, lanes, now);
    return true;
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_si_core *c = self;
    const struct cw_si_warp *w = c->warp + inst->warp;
    const cw_lanes lanes = cw_lanes_without(inst->lanes & w->lanes, w->aborted);
    (void)now;
    if (inst->uop->op == CW_OP_ST)
        for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
            if (cw_version_find(c->tm->host.memory, inst->addr[cw_lanes_first(rest)]) == UINT32_MAX) {
                cw_core_refuse(c->core, inst,
                               "a transaction stores to memory that has no versions; allocate it with cowarp_alloc_versioned");
                return false;
            }
    struct cw_access *a = cw_access_take(&c->access, inst, lanes);
    if (a == NULL)
        return false;
    cw_access_go(&c->access, a);
    return true;
}

static uint32_t request(void *self, const struct cw_access *a, struct cw_message *p)
{
    struct cw_si_core *c = self;
    const struct cw_si_warp *w = c->warp + a->warp;
    struct cw_si_access_body *body = cw_si_access(p);
    p->attempt = cw_core_attempt(c->core, a->warp);
    body->begin = w->begin;
    body->op = CW_SI_NO_OP;
    body->dates = false;
    body->single_writer = body->write_write = body->loop = body->table = 0;
    for (uint32_t i = 0; i < CW_LANES; i++)
        body->id[i] = w->id[i];
    return 0;
}

static int log_load(void *self, const struct cw_access *a, cw_lanes lanes)
{
    struct cw_si_core *c = self;
    return cw_redo_log_load(&c->warp[a->warp].log, a->inst, lanes);
}

static void log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    struct cw_si_core *c = self;
    (void)now;
    if (cookie & CW_LOG_COOKIE_RESOLVE)
        c->warp[warp].walk.back++;
    else
        cw_access_log_done(&c->access, warp, cookie);
}

/* A store outside transactions, to memory that only commits may write. */
static enum cw_access_verdict plain_access(void *self, struct cw_mem_inst *inst, cw_time now, cw_time *again)
{
    struct cw_si_core *c = self;
    (void)now;
    (void)again;
    if (inst->space != CW_SPACE_GLOBAL || inst->uop->op == CW_OP_LD)
        return CW_ACCESS_GO;
    for (cw_lanes rest = inst->lanes; rest != 0; rest = cw_lanes_rest(rest))
        if (cw_version_find(c->tm->host.memory, inst->addr[cw_lanes_first(rest)]) != UINT32_MAX) {
            cw_core_refuse(c->core, inst, "a store or atomic outside transactions to memory that has versions");
            return CW_ACCESS_WAIT;
        }
    return CW_ACCESS_GO;
}

/* Answers */

static void abort_by(struct cw_si_core *c, uint32_t warp, const struct cw_si_access_body *b, cw_time now)
{
    cw_si__abort_lanes(c, warp, b->single_writer, CW_SI_BY_SINGLE_WRITER, now);
    cw_si__abort_lanes(c, warp, b->write_write, CW_SI_BY_WRITE_WRITE, now);
    cw_si__abort_lanes(c, warp, b->loop, CW_SI_BY_LOOP, now);
    cw_si__abort_lanes(c, warp, b->table, CW_SI_BY_TABLE, now);
}

static void accessed(struct cw_si_core *c, const struct cw_message *p, cw_time now)
{
    struct cw_access *a = c->access.pool + p->tag;
    const struct cw_si_access_body *b = cw_si_access_of(p);
    c->warp[a->warp].dates += b->dates;
    if (!a->store)
        cw_access_take_values(a, p);
    abort_by(c, a->warp, b, now);
    cw_access_replied(&c->access, a);
}

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct cw_si_core *c = self;
    if (p->op == CW_SI_ACCESSED) {
        accessed(c, p, now);
    } else if (p->op == CW_SI_DATED) {
        c->warp[p->warp].dates--;
        cw_si__abort_lanes(c, p->warp, cw_si_access_of(p)->loop, CW_SI_BY_LOOP, now);
    } else if (p->op == CW_SI_VERDICT) {
        cw_si__verdict(c, p, now);
    } else {
        cw_si__ack(c, p);
    }
    cw_message_free(c->tm->host.pool, p);
}

/* Lanes that have aborted give their IDs back as soon as nothing of theirs is on its way, so that they do not keep others from writing. */
static void tell_aborted(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const cw_lanes lanes = w->aborted & ~w->told & ~w->members;
    if (lanes == 0 || w->dates > 0 || c->access.warp[warp].accesses > 0)
        return;
    cw_si__ask(c, warp, CW_SI_ABORT, lanes, 0, now);
    w->told |= lanes;
}

/* The lanes that have aborted begin again, or the lowest of them alone. */
static void begin_again(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const cw_lanes again = w->again, all = cw_core_region_aborted(c->core, warp);
    cw_core_region_end(c->core, warp, now, now);
    cw_si__begin_attempt(c, warp, again, now);
    if (again != all)
        cw_core_region_abort(c->core, warp, cw_lanes_without(all, again));
}

static void hear(struct cw_si_core *c, cw_time now)
{
    const struct cw_si_answer_note *n;
    while ((n = cw_si_line_pop(c->tm->answer + c->index, now)) != NULL) {
        struct cw_si_warp *w = c->warp + n->warp;
        if (n->kind == CW_SI_BEGUN) {
            w->begin = n->begin;
            for (uint32_t i = 0; i < CW_LANES; i++)
                w->id[i] = n->id[i];
            if (w->phase == CW_SI_ASK) {
                w->phase = CW_SI_GIVEN;
                cw_core_wake_warp(c->core, n->warp, now);
                continue;
            }
            begin_again(c, n->warp, now);
        } else if (n->kind == CW_SI_ADMITTED) {
            w->admitted = true;
            w->slot = n->slot;
        } else {
            w->phase = CW_SI_BACKOFF;
            w->waiting = now;
        }
    }
}

static cw_time sooner(cw_time a, cw_time b)
{
    return a < b ? a : b;
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_si_core *c = self;
    uint32_t kept = 0;
    cw_time next = CW_TIME_NEVER;
    hear(c, now);
    cw_access_retire(&c->access, now);
    cw_log_port_tick(&c->access.log, c->core, now);
    for (uint32_t i = 0; i < c->busy_cnt; i++) {
        const uint32_t warp = c->busy[i];
        struct cw_si_warp *w = c->warp + warp;
        tell_aborted(c, warp, now);
        next = sooner(next, cw_si__commit_advance(c, warp, now));
        if (w->phase > CW_SI_RUN || (w->phase == CW_SI_RUN && (w->aborted & ~w->told) != 0))
            c->busy[kept++] = (uint8_t)warp;
    }
    c->busy_cnt = kept;
    cw_access_send(&c->access, now);
    if (cw_accesses_busy(&c->access))
        next = now + cw_si_period(c->tm, CW_DOMAIN_CORE);
    return sooner(next, cw_fifo_next(&c->tm->answer[c->index].fifo));
}

static bool idle(const void *self)
{
    const struct cw_si_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase != CW_SI_IDLE)
            return false;
    return cw_accesses_idle(&c->access) && c->tm->ask[c->index].fifo.count == 0;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {"no transaction",
                                        "waits for a token",
                                        "waits for transaction IDs",
                                        "may begin",
                                        "runs",
                                        "waits for its log writes and for its edges",
                                        "sends its logs",
                                        "waits for the commit units",
                                        "waits for a version to write into",
                                        "writes",
                                        "waits for its version to become readable",
                                        "waits before it begins again",
                                        "waits for transaction IDs, again"};
    const struct cw_si_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        const struct cw_si_warp *w = c->warp + i;
        if (w->phase != CW_SI_IDLE)
            fprintf(out, "core %u warp %u: transaction %s; lanes 0x%08x, aborted 0x%08x, attempt %u\n", c->index, i, phase[w->phase],
                    (unsigned)w->lanes, (unsigned)w->aborted, w->aborts + 1);
    }
}

const struct cw_core_sockets cw_si_core_sockets = {.region_begin = begin,
                                                   .region_access = access,
                                                   .region_end = cw_si__commit,
                                                   .access = plain_access,
                                                   .message = reply,
                                                   .log_done = log_done,
                                                   .tick = tick,
                                                   .idle = idle,
                                                   .report = report};

static const struct cw_access_ops access_ops = {.request = request, .log_load = log_load};

int cw_si__core_create(struct cw_si_core **out, struct cw_si *tm, uint32_t index)
{
    const struct cw_config *config = tm->config;
    struct cw_si_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    *c = (struct cw_si_core){.tm = tm, .core = tm->host.core[index], .index = index, .tokens.limit = tm->common.keys->tm_warps};
    cw_rng_seed(&c->rng, tm->host.seed ^ ((uint64_t)index + 1) << 32);
    c->access = (struct cw_accesses){.common = &tm->common,
                                     .core = c->core,
                                     .ops = &access_ops,
                                     .self = c,
                                     .stores_ask = true,
                                     .body_bytes = sizeof(struct cw_si_access_body)};
    c->warp = calloc(config->core_warps, sizeof *c->warp);
    if (cw_accesses_create(&c->access) != CW_OK || c->warp == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < config->core_warps; i++)
        c->access.warp[i].log = &c->warp[i].log;
    tm->answer[index].fifo.wake = &cw_core_component(c->core)->wake;
    return CW_OK;
}

void cw_si__core_destroy(struct cw_si_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; c->warp != NULL && i < c->tm->config->core_warps; i++)
        cw_redo_log_free(&c->warp[i].log);
    cw_accesses_destroy(&c->access);
    free(c->warp);
    free(c);
}
