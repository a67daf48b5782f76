/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, core half: what happens from tx_commit on. A committing warp passes through these phases, each limited by
 * the ports that it shares with the rest of the core (one L1 access and one shared-memory access per cycle), oldest
 * warp first:
 *
 *   DRAIN  its log writes reach the L1
 *   QUEUE  one of tm.resolvers ownership tables becomes free
 *   INIT   table cleared: a row of all banks of shared memory, 128 entries, per cycle
 *   MARK   per write row: a log read, and the table's cycles for it
 *   CHECK  the same per read row and write row, and the result; the losers abort
 *   WALK   per write row: a log read of the addresses, and one of the values when a lane survived
 *   SEND   a packet per core cycle; with the last one the attempt is over and the warp goes on
 *
 * The table is a unit (resolver.h). QUEUE to CHECK are skipped when fewer than two lanes are left or nothing was written.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/getm/getm_state.h"
#include "mech/tm/backoff.h"

static uint32_t lane_cnt(uint32_t lanes)
{
    return (uint32_t)__builtin_popcount(lanes);
}

void cw_getm__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *w = c->warp + warp;
    assert(w->phase == CW_GETM_RUN && c->access.warp[warp].accesses == 0 && lanes == (w->lanes & ~w->aborted));
    c->tm->cfg.stats->tx_exec_cycles += (now - w->begun) / cw_getm_period(c->tm, CW_DOMAIN_CORE);
    w->phase = CW_GETM_DRAIN;
    w->ready = lanes;
    w->ended = now;
    c->committing[c->committing_cnt++] = (uint8_t)warp;
}

/* Log packets */

struct packer {
    struct cw_getm_core *c;
    struct cw_getm_warp *w;
    uint32_t warp, partition;
    struct cw_message *p;
    uint32_t payload_bytes;
    cw_time now;
};

static void close_packet(struct packer *k)
{
    const struct cw_config *config = k->c->tm->config;
    struct cw_message *p = k->p;
    if (p == NULL)
        return;
    cw_message_size(p, k->payload_bytes, config->noc_header_bytes, config->noc_flit_bytes);
    cw_access_emit(&k->c->access, k->warp, p);
    k->w->ticket[k->partition]++;
    k->p = NULL;
}

static void pack(struct packer *k, struct cw_log_entry entry)
{
    struct cw_getm_core *c = k->c;
    if (k->p != NULL && cw_getm_log(k->p)->log.cnt == CW_PACKET_ENTRIES)
        close_packet(k);
    if (k->p == NULL) {
        struct cw_message *p = k->p = cw_message_new(c->tm->cfg.pool, sizeof(struct cw_getm_log_body));
        struct cw_getm_log_body *body = cw_getm_log(p);
        p->mech = 1;
        p->kind = CW_MSG_OWN;
        p->op = CW_GETM_LOG;
        p->addr = entry.addr & ~(uint64_t)(CW_LINE_BYTES - 1); /* names the partition */
        body->owner = cw_getm_owner(c->tm, c->index, k->warp);
        p->born = k->now;
        body->names = c->tm->cfg.observer != NULL ? cw_getm__names_new(c->tm, k->w->attempt) : 0;
        body->log.cnt = body->writing = 0;
        k->payload_bytes = 0;
    }
    cw_getm_log(k->p)->log.entry[cw_getm_log(k->p)->log.cnt++] = entry;
    k->payload_bytes += entry.flags & CW_GETM_CLEAN ? 4 : 8;
}

/* A granule's words, the last one with the write count; counts beyond a byte, or without data, go into clean-up entries. */
static void pack_granule(struct packer *k, const struct cw_write_granule *g)
{
    const struct cw_write_set *s = &k->w->set;
    uint32_t count = g->count;
    for (uint32_t i = g->first; i != CW_WRITE_SET_NONE; i = s->word[i].next) {
        const struct cw_write_word *w = s->word + i;
        struct cw_log_entry entry = {.addr = w->addr, .value = w->value, .lane = w->lane, .bytes = w->bytes};
        if (w->next == CW_WRITE_SET_NONE) {
            entry.count = (uint8_t)(count < 255 ? count : 255);
            count -= entry.count;
        }
        pack(k, entry);
    }
    while (count > 0) {
        uint8_t part = (uint8_t)(count < 255 ? count : 255);
        uint64_t addr = CW_GLOBAL_BASE + (g->granule << k->c->tm->granule_shift);
        pack(k, (struct cw_log_entry){.addr = addr & ~UINT64_C(3), .flags = CW_GETM_CLEAN, .count = part});
        count -= part;
    }
}

/* getm.commit_acks: behind the partition's packets, a message that comes back when they have been carried out. */
static void pack_done(struct packer *k)
{
    struct cw_getm_core *c = k->c;
    struct cw_message *p = cw_message_new(c->tm->cfg.pool, 0);
    p->mech = 1;
    p->kind = CW_MSG_OWN;
    p->op = CW_GETM_DONE;
    p->addr = CW_GLOBAL_BASE + (uint64_t)k->partition * c->tm->config->partition_interleave;
    p->born = k->now;
    cw_message_size(p, 0, c->tm->config->noc_header_bytes, c->tm->config->noc_flit_bytes);
    cw_access_emit(&c->access, k->warp, p);
    k->w->acks++;
}

static void make_packets(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm *tm = c->tm;
    struct packer k = {.c = c, .w = c->warp + warp, .warp = warp, .now = now};
    struct cw_write_set *s = &k.w->set;
    uint32_t first[64], last[64];
    memset(first, 0xff, sizeof first);
    for (uint32_t i = 0; i < s->granule_cnt; i++) {
        struct cw_write_granule *g = s->granule + i;
        uint32_t p = cw_address_partition(tm->config, CW_GLOBAL_BASE + (g->granule << tm->granule_shift));
        g->next = CW_WRITE_SET_NONE;
        if (first[p] == CW_WRITE_SET_NONE)
            first[p] = i;
        else
            s->granule[last[p]].next = i;
        last[p] = i;
    }
    for (k.partition = 0; k.partition < tm->config->partition_count; k.partition++) {
        for (uint32_t i = first[k.partition]; i != CW_WRITE_SET_NONE; i = s->granule[i].next)
            pack_granule(&k, s->granule + i);
        close_packet(&k);
        if (tm->config->getm_commit_acks == CW_ON)
            pack_done(&k);
    }
}

/* End of an attempt */

static void tell_observer(struct cw_getm_core *c, const struct cw_getm_warp *w, cw_time now)
{
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    const struct cw_write_set *s = &w->set;
    uint64_t *addr = malloc((s->word_cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((s->word_cnt + 1) * sizeof *value);
    if (addr == NULL || value == NULL)
        cw_getm__fault(c->tm, CW_ENOMEM, "out of host memory for the serializability oracle");
    for (uint32_t rest = addr != NULL && value != NULL ? w->ready : 0; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), cnt = 0;
        for (uint32_t i = 0; i < s->word_cnt; i++)
            if (s->word[i].lane == lane) {
                addr[cnt] = s->word[i].addr;
                value[cnt++] = s->word[i].value;
            }
        o->commit(o->self, w->attempt[lane], cnt, addr, value, now);
    }
    free(addr);
    free(value);
}

static void count_commit(struct cw_getm_core *c, const struct cw_getm_warp *w)
{
    struct cw_stats *stats = c->tm->cfg.stats;
    uint32_t wrote = 0;
    for (uint32_t i = 0; i < w->set.word_cnt; i++)
        wrote |= 1u << w->set.word[i].lane;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        stats->tx_read_words += lane_cnt(w->log.read[i].lanes & w->ready);
    stats->tx_write_words += w->set.word_cnt;
    stats->tx_read_only += lane_cnt(w->ready & ~wrote);
    stats->tx_committed += lane_cnt(w->ready);
    *c->tm->cfg.progress += lane_cnt(w->ready);
}

/* The survivors' fate is sealed: merges the write log and makes the packets. */
static void seal(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    if (cw_write_set_merge(&w->set, &w->log, w->ready, CW_GLOBAL_BASE, c->tm->granule_shift) != CW_OK)
        cw_getm__fault(c->tm, CW_ENOMEM, "out of host memory for a write set");
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        w->cleaned |= (w->log.write[i].lanes & w->aborted) != 0;
    make_packets(c, warp, now);
    count_commit(c, w);
    if (c->tm->cfg.observer != NULL)
        tell_observer(c, w, now);
}

void cw_getm__restart(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    uint64_t delay = w->cleaned || w->full ? cw_backoff_cycles(c->tm->config, &c->rng, w->aborts) : 0;
    uint64_t held = cw_attempt_cycles(&c->tm->cfg, w->done, now);
    c->tm->cfg.stats->tx_backoff_cycles += delay;
    cw_attempt_waited(&c->tm->cfg, w->tx_lanes, delay + held);
    w->warpts = w->next_warpts;
    w->done = now + delay * cw_getm_period(c->tm, CW_DOMAIN_CORE);
    cw_getm__begin_attempt(c, warp, w->aborted, w->done);
    cw_core_tx_end(c->core, warp, now, w->done);
}

static void finish_attempt(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    cw_attempt_end(&c->tm->cfg, w->tx_lanes, w->lanes, w->begun, w->ended, now);
    w->done = now;
    assert(w->aborted == cw_core_tx_aborted(c->core, warp));
    if (w->aborted == 0) {
        w->phase = CW_GETM_IDLE;
        cw_tokens_release(&c->tokens);
        cw_core_tx_end(c->core, warp, now, now);
        cw_getm__wake_next(c, now);
        return;
    }
    uint64_t own = cw_getm__after(c->tm, w->warpts, cw_getm_owner(c->tm, c->index, warp));
    if (own > w->next_warpts)
        w->next_warpts = own;
    w->aborts++;
    w->starved = w->ready != 0 ? 0 : w->starved + w->full;
    w->phase = CW_GETM_HELD;
    if (!c->stopped)
        cw_getm__restart(c, warp, now);
}

/* Phases */

static void enter(struct cw_getm_warp *w, enum cw_getm_phase phase)
{
    w->phase = phase;
    w->walk = (struct cw_log_walk){0};
}

static void begin_walk(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    enter(w, w->set.granule_cnt > 0 ? CW_GETM_WALK : CW_GETM_SEND);
    if (w->phase == CW_GETM_SEND)
        seal(c, warp, now);
}

static void resolved(struct cw_getm_core *c, uint32_t warp, uint32_t survivors, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    uint32_t losers = w->ready & ~survivors;
    w->ready = survivors;
    cw_getm__abort_lanes(c, warp, losers, CW_GETM_INTRA_WARP, now);
    begin_walk(c, warp, now);
}

static void resolve_step(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    const struct cw_resolvers_job job = {.warp = warp, .table = w->resolver, .log = &w->log, .walk = &w->walk};
    uint32_t survivors;
    if (w->phase == CW_GETM_QUEUE && cw_resolvers_start(&c->resolvers, w->ready, &w->resolver, now))
        enter(w, CW_GETM_INIT);
    else if (w->phase == CW_GETM_INIT && cw_resolvers_clear(&c->resolvers, w->resolver, now))
        enter(w, CW_GETM_MARK);
    else if (w->phase == CW_GETM_MARK && cw_resolvers_mark(&c->resolvers, &job, now))
        enter(w, CW_GETM_CHECK);
    else if (w->phase == CW_GETM_CHECK && cw_resolvers_check(&c->resolvers, &job, &survivors, now))
        resolved(c, warp, survivors, now);
}

static void walk_step(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    uint32_t per_row = w->ready != 0 ? 2 : 1, total = per_row * w->log.write_cnt;
    uint32_t row = w->walk.read / per_row, max = c->tm->config->tm_log_entries;
    cw_log_walk_read(&w->walk, c->core, warp, total, cw_redo_log_word(true, row % max, w->walk.read % per_row != 0, max), now);
    if (w->walk.back < total)
        return;
    w->phase = CW_GETM_SEND;
    seal(c, warp, now);
}

/* Whether the warp can do something in the next cycle without an event. */
static bool advance(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    if (w->phase == CW_GETM_DRAIN && c->access.warp[warp].posted == 0) {
        if (lane_cnt(w->ready) >= 2 && w->log.write_cnt > 0)
            w->phase = CW_GETM_QUEUE;
        else
            begin_walk(c, warp, now);
    } else if (w->phase >= CW_GETM_QUEUE && w->phase <= CW_GETM_CHECK) {
        resolve_step(c, warp, now);
    } else if (w->phase == CW_GETM_WALK) {
        walk_step(c, warp, now);
    }
    return w->phase != CW_GETM_DRAIN && (w->phase != CW_GETM_SEND || w->acks == 0);
}

bool cw_getm__commit_tick(struct cw_getm_core *c, cw_time now)
{
    uint32_t kept = 0;
    bool more = false;
    for (uint32_t i = 0; i < c->committing_cnt; i++) {
        uint32_t warp = c->committing[i];
        struct cw_getm_warp *w = c->warp + warp;
        if (w->phase == CW_GETM_SEND && c->access.warp[warp].messages == 0 && w->acks == 0) {
            finish_attempt(c, warp, now);
            continue;
        }
        more |= advance(c, warp, now);
        c->committing[kept++] = (uint8_t)warp;
    }
    c->committing_cnt = kept;
    return more;
}
