/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation, core half: the sockets of the core. Begin, accesses and messages are here, commit is in commit.c. What other
 * systems do as well is in mech/tm/core_half.c. */
#include "mech/snapshot/core/core_half.h"

#include <stdlib.h>

/* Begin */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_si_core *c = self;
    struct cw_tm_warp *w = c->half.warp + warp;
    if (w->phase <= CW_TM_TOKEN && cw_tm_core_token(&c->half, warp, now)) {
        w->phase = CW_SI_ASK;
        c->warp[warp].age = now;
        c->warp[warp].looked = c->warp[warp].looks ? now : c->warp[warp].looked;
        c->warp[warp].looks = false;
        cw_si__ask(c, warp, CW_SI_BEGIN, lanes, 0, now);
    }
    if (w->phase != CW_SI_GIVEN)
        return false;
    c->warp[warp].in_vain = 0;
    cw_tm_core_admit(&c->half, warp, lanes, now);
    return true;
}

/* Whether the instruction may tell its thread what another one has done: of those that order threads by PTX's memory model, and those that
 * take values from other lanes. */
static bool looks(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_LD:
        return (u->flags & CW_UF_VOLATILE) != 0;
    case CW_OP_ATOM:
    case CW_OP_BAR:
    case CW_OP_SHFL:
    case CW_OP_VOTE:
    case CW_OP_MATCH:
    case CW_OP_ELECT:
    case CW_OP_REDUX:
        return true;
    default:
        return false;
    }
}

static void issued(void *self, uint32_t warp, const struct cw_uop *uop, cw_lanes lanes, cw_time now)
{
    struct cw_si_core *c = self;
    (void)now;
    if (lanes != 0 && looks(uop) && c->half.warp[warp].phase == CW_TM_IDLE)
        c->warp[warp].looks = true;
}

static void block_start(void *self, uint32_t block, uint64_t warps, cw_time now)
{
    struct cw_si_core *c = self;
    (void)block;
    (void)now;
    for (; warps != 0; warps &= warps - 1) {
        struct cw_si_warp *own = c->warp + __builtin_ctzll(warps);
        own->blocks++;
        own->looks = false;
        own->looked = 0;
    }
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_si_core *c = self;
    const cw_lanes lanes = inst->lanes & cw_tm_running(c->half.warp + inst->warp);
    if (inst->uop->op == CW_OP_ST)
        for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
            if (cw_version_find(c->tm->host.memory, inst->addr[cw_lanes_first(rest)]) == UINT32_MAX) {
                cw_core_refuse(c->half.core, inst,
                               "a transaction stores to memory that has no versions; allocate it with cowarp_alloc_versioned");
                return false;
            }
    return cw_tm_core_region_access(&c->half, inst, now);
}

/* So many more, or fewer, accesses of these lanes are on their way. */
static void count(struct cw_si_warp *own, cw_lanes lanes, int more)
{
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
        own->on_way[cw_lanes_first(rest)] = (uint16_t)(own->on_way[cw_lanes_first(rest)] + more);
}

static uint32_t request(void *self, const struct cw_tm_access *a, struct cw_message *p)
{
    struct cw_si_core *c = self;
    struct cw_si_warp *own = c->warp + a->warp;
    struct cw_si_access_body *body = cw_si_access(p);
    body->begin = own->begin;
    body->snapshot = own->snapshot;
    body->op = CW_SI_NO_OP;
    body->dates = false;
    body->single_writer = body->write_write = body->loop = body->table = 0;
    for (uint32_t i = 0; i < CW_LANES; i++)
        body->id[i] = own->id[i];
    count(own, p->lanes, 1);
    return 0;
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
            cw_core_refuse(c->half.core, inst, "a store or atomic outside transactions to memory that has versions");
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
    struct cw_tm_access *a = c->half.access.pool + p->tag;
    const struct cw_si_access_body *b = cw_si_access_of(p);
    c->warp[a->warp].dates += b->dates;
    if (!b->dates)
        count(c->warp + a->warp, p->lanes, -1);
    if (!a->store)
        cw_access_take_values(a, p);
    abort_by(c, a->warp, b, now);
    cw_access_replied(&c->half.access, a);
}

static void dated(struct cw_si_core *c, const struct cw_message *p, cw_time now)
{
    c->warp[p->warp].dates--;
    count(c->warp + p->warp, p->lanes, -1);
    abort_by(c, p->warp, cw_si_access_of(p), now);
}

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct cw_si_core *c = self;
    if (p->op == CW_SI_ACCESSED) {
        accessed(c, p, now);
    } else if (p->op == CW_SI_DATED) {
        dated(c, p, now);
    } else if (p->op == CW_SI_VERDICT) {
        cw_si__verdict(c, p, now);
    } else {
        cw_si__ack(c, p);
    }
    cw_message_free(c->tm->host.pool, p);
}

/* A lane that has aborted gives its ID back as soon as nothing of its own is on its way, so that it does not keep others from writing. */
static void tell_aborted(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_si_warp *own = c->warp + warp;
    cw_lanes lanes = 0;
    for (cw_lanes rest = w->aborted & ~own->told & ~own->members; rest != 0; rest = cw_lanes_rest(rest))
        lanes |= own->on_way[cw_lanes_first(rest)] == 0 ? cw_lanes_one(cw_lanes_first(rest)) : 0;
    if (lanes == 0)
        return;
    cw_si__ask(c, warp, CW_SI_ABORT, lanes, 0, now);
    own->told |= lanes;
}

/* A warp stands in the list from tx_commit on, and as long as there are lanes to be told of. */
static cw_time advance(void *self, uint32_t warp, cw_time now)
{
    struct cw_si_core *c = self;
    struct cw_tm_warp *w = c->half.warp + warp;
    tell_aborted(c, warp, now);
    const cw_time next = cw_si__commit_advance(c, warp, now);
    if (w->phase == CW_TM_RUN && (w->aborted & ~c->warp[warp].told) == 0)
        w->listed = false;
    return next;
}

/* The lanes that have aborted begin again, or the lowest of them alone. */
static void begin_again(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    const cw_lanes again = c->warp[warp].again, all = cw_core_region_aborted(c->half.core, warp);
    cw_core_region_end(c->half.core, warp, now, now);
    cw_tm_core_begin(&c->half, warp, again, now);
    if (again != all)
        cw_core_region_abort(c->half.core, warp, cw_lanes_without(all, again));
}

static void hear(struct cw_si_core *c, const struct cw_si_answer_note *n, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + n->warp;
    struct cw_si_warp *own = c->warp + n->warp;
    if (n->kind == CW_SI_BEGUN) {
        own->begin = n->begin;
        own->snapshot = n->snapshot;
        for (uint32_t i = 0; i < CW_LANES; i++)
            own->id[i] = n->id[i];
        if (w->phase == CW_SI_ASK) {
            w->phase = CW_SI_GIVEN;
            cw_core_wake_warp(c->half.core, n->warp, now);
        } else {
            begin_again(c, n->warp, now);
        }
    } else if (n->kind == CW_SI_ADMITTED) {
        own->admitted = true;
        own->failed |= n->failed;
        own->slot = n->slot;
    } else {
        w->phase = CW_SI_BACKOFF;
        w->waiting = now;
    }
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_si_core *c = self;
    struct cw_si_line *answers = c->tm->answer + c->half.index;
    const struct cw_si_answer_note *n;
    while ((n = cw_si_line_pop(answers, now)) != NULL)
        hear(c, n, now);
    const cw_time next = cw_tm_core_tick(&c->half, now), answer = cw_fifo_next(&answers->fifo);
    return next < answer ? next : answer;
}

static bool idle(const void *self)
{
    const struct cw_si_core *c = self;
    return cw_tm_core_idle(&c->half) && c->tm->ask[c->half.index].fifo.count == 0;
}

const struct cw_core_sockets cw_si_core_sockets = {.region_begin = begin,
                                                   .region_access = access,
                                                   .region_end = cw_tm_core_commit,
                                                   .access = plain_access,
                                                   .message = reply,
                                                   .log_done = cw_tm_core_log_done,
                                                   .block_start = block_start,
                                                   .issued = issued,
                                                   .tick = tick,
                                                   .idle = idle,
                                                   .report = cw_tm_core_report};

/* Its snapshot is that of the moment of the answer's arrival. A version may have become readable until the warp goes on. */
static cw_time sees(const void *self, uint32_t warp)
{
    const struct cw_si_core *c = self;
    return c->warp[warp].begin;
}

static const char *const phases[] = {CW_SI_PHASES(CW_TM_PHASE_TEXT)};
static const struct cw_tm_core_ops ops = {.access = {.request = request},
                                          .phases = phases,
                                          .begun = cw_si__begun,
                                          .sees = sees,
                                          .advance = advance,
                                          .log_message = cw_si__log_message,
                                          .log_offset = offsetof(struct cw_si_log_body, log)};

int cw_si__core_create(struct cw_si_core **out, struct cw_si *tm, uint32_t index)
{
    static const struct cw_tm_core_options options = {.body = &cw_si_access_type, .stores_ask = true};
    struct cw_si_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->tm = tm;
    c->warp = calloc(tm->config->core_warps, sizeof *c->warp);
    if (cw_tm_core_create(&c->half, &tm->common, index, &ops, &options, NULL) != CW_OK || c->warp == NULL)
        return CW_ENOMEM;
    tm->answer[index].fifo.wake = &cw_core_component(c->half.core)->wake;
    return CW_OK;
}

void cw_si__core_destroy(struct cw_si_core *c)
{
    if (c == NULL)
        return;
    cw_tm_core_destroy(&c->half);
    free(c->warp);
    free(c);
}
