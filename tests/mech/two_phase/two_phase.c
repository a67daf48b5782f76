/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-phase locking: a transactional system on the core half of csim/mech/tm. A partition keeps locks, one for the words of a slot. A load
 * or store of a transaction takes the locks of its words for its warp; the lane aborts when another warp has one. Writes wait in the write
 * log. At tx_commit the warp resolves the conflicts among its lanes, sends its write log, and says DONE to every partition. A partition
 * writes the words into device memory, at once and past the L2, frees all locks of the warp, and answers OVER.
 */
#include <stdlib.h>
#include <string.h>

#include "mech/tm/backoff.h"
#include "mech/tm/core_half.h"
#include "mem/address.h"

#define SLOTS 4096u /* of a partition */

enum { WORDS, DONE, ANSWER, OVER }; /* codes of messages; a request has none */

/* Body of WORDS, which the core half of mech/tm has made. */
static const struct cw_tx_log_body *words_of(const struct cw_message *m)
{
    return (const struct cw_tx_log_body *)(const void *)m->body;
}

#define PHASES(X) X(WALK, "sends its write log") X(RELEASE, "waits for the release of its locks")
enum phase { FIRST_PHASE = CW_TM_PHASE_CNT - 1, PHASES(CW_TM_PHASE_NAME) };

struct core_half {
    struct cw_tm_core half; /* first */
    uint32_t acks[64];      /* awaited, by warp */
    uint64_t conflicts;     /* lanes that found a lock taken */
};

struct partition_half {
    struct cw_component component;
    const struct cw_tm_common *common;
    struct cw_mem_socket *port;
    cw_time period;
    bool ignores_locks;     /* a fault on purpose */
    uint32_t holder[SLOTS]; /* 1 + number of the warp in the GPU; 0: free */
};

struct two_phase {
    struct cw_mech_host host;
    struct cw_tm_common common;
    struct core_half *core;
    struct partition_half *partition;
};

/* ---- core half ---- */

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct core_half *c = self;
    struct cw_tm_access *a = c->half.access.pool + p->tag;
    if (p->op == OVER) {
        c->acks[p->warp]--;
    } else {
        if (!a->store)
            cw_access_take_values(a, p);
        cw_tm_core_abort(&c->half, a->warp, cw_tx_access(p)->aborted & cw_tm_running(c->half.warp + a->warp), "lock", &c->conflicts, now);
        cw_access_replied(&c->half.access, a);
    }
    cw_message_free(c->half.common->host->pool, p);
}

static struct cw_message *message(void *self, uint32_t warp, bool write, uint32_t partition, cw_time now)
{
    const struct cw_mech_host *host = ((struct core_half *)self)->half.common->host;
    const uint64_t addr = cw_tm_partition_addr(host->config, partition);
    (void)warp;
    return cw_mech_message(host, CW_MSG_OWN, write ? WORDS : DONE, addr, &cw_tx_log_type, now);
}

static void seal(struct core_half *c, uint32_t warp, cw_time now)
{
    cw_tm_core_enter(c->half.warp + warp, WALK);
    cw_tm_core_seal(&c->half, warp, c->half.warp[warp].ready, now);
}

static cw_time advance(void *self, uint32_t warp, cw_time now)
{
    struct core_half *c = self;
    struct cw_tm_warp *w = c->half.warp + warp;
    cw_lanes losers;
    if (w->phase == CW_TM_DRAIN && c->half.access.warp[warp].posted == 0) {
        if (cw_tm_core_must_resolve(w))
            w->phase = CW_TM_QUEUE;
        else
            seal(c, warp, now);
    } else if (w->phase < WALK && cw_tm_core_resolve(&c->half, warp, &losers, now)) {
        cw_tm_core_abort(&c->half, warp, losers, "intra_warp", &c->half.common->counters->tx_aborted_intra_warp, now);
        seal(c, warp, now);
    } else if (w->phase == WALK) {
        if (cw_tm_core_walk(&c->half, warp, 0, w->log.write_cnt, now))
            cw_tm_core_send_row(&c->half, warp, 0, w->ready, now);
        if (w->walk.step < w->log.write_cnt)
            return now + c->half.period;
        w->phase = RELEASE;
        c->acks[warp] = c->half.common->host->config->partition_count;
        for (uint32_t i = 0; i < c->acks[warp]; i++)
            cw_tm_core_emit(&c->half, warp, message(c, warp, false, i, now));
    } else if (w->phase == RELEASE && c->acks[warp] == 0) {
        if (cw_tm_core_end(&c->half, warp, now) != 0)
            cw_tm_core_restart(&c->half, warp, cw_backoff_cycles(c->half.common->keys, &c->half.rng, w->aborts), now);
    }
    return now + c->half.period;
}

static const char *const phases[] = {PHASES(CW_TM_PHASE_TEXT)};
static const struct cw_tm_core_ops ops = {.phases = phases, .advance = advance, .log_message = message};
static const struct cw_core_sockets sockets = {.region_begin = cw_tm_core_region_begin,
                                               .region_access = cw_tm_core_region_access,
                                               .region_end = cw_tm_core_commit,
                                               .message = reply,
                                               .log_done = cw_tm_core_log_done,
                                               .tick = cw_tm_core_tick,
                                               .idle = cw_tm_core_idle,
                                               .report = cw_tm_core_report};

/* ---- partition half, in the L2's clock ---- */

/* Takes the locks of the lane's words, and tells what a load finds there. false: another warp has one. */
static bool lock(struct partition_half *u, const struct cw_message *p, uint32_t lane, uint32_t own, cw_time now)
{
    const struct cw_tx_access_body *body = cw_tx_access_of(p);
    for (uint32_t at = body->lane_offset[lane] & ~3u; at < body->lane_offset[lane] + body->bytes; at += 4) {
        uint32_t *holder = &u->holder[(p->addr + at) / 4 % SLOTS], value;
        if (*holder != 0 && *holder != own && !u->ignores_locks)
            return false;
        *holder = own;
        memcpy(&value, body->line.data + at, sizeof value);
        if (p->kind == CW_MSG_READ)
            cw_tell_word(u->common->host, CW_EVENT_REGION_READ, cw_attempt_name_of(p), lane, p->addr + at, value, 15, now);
    }
    return true;
}

static void write_words(const struct partition_half *u, const struct cw_message *p, cw_time now)
{
    for (uint32_t i = 0; i < words_of(p)->cnt; i++) {
        const struct cw_log_entry *e = words_of(p)->entry + i;
        const uint32_t mask = e->bytes;
        cw_memory_write_masked(u->common->host->memory, e->addr, (const uint8_t *)&e->value, &mask, sizeof e->value);
        cw_tell_word(u->common->host, CW_EVENT_REGION_WRITE, cw_attempt_name_of(p), e->lane, e->addr, e->value, e->bytes, now);
    }
}

/* The oldest message that is there; DONE comes behind the words. A request has passed the L2; its values are those of now, since who has
 * held the lock until now has written by now. */
static void take(struct partition_half *u, struct cw_message *p, cw_time now)
{
    const struct cw_config *config = u->common->host->config;
    const uint32_t own = 1 + p->core * config->core_warps + p->warp, op = p->kind != CW_MSG_OWN ? ANSWER : p->op == DONE ? OVER : WORDS;
    uint32_t payload_bytes = 0;
    if (op == WORDS) {
        write_words(u, p, now);
        cw_message_free(u->common->host->pool, p);
        return;
    }
    if (p->kind == CW_MSG_READ) {
        cw_memory_read(u->common->host->memory, p->addr, cw_line_body(p)->data, CW_LINE_BYTES);
        payload_bytes = CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors);
    }
    for (cw_lanes rest = op == ANSWER ? p->lanes : 0; rest != 0; rest = cw_lanes_rest(rest))
        if (!lock(u, p, cw_lanes_first(rest), own, now))
            cw_tx_access(p)->aborted |= cw_lanes_one(cw_lanes_first(rest));
    for (uint32_t i = 0; op == OVER && i < SLOTS; i++)
        u->holder[i] = u->holder[i] == own ? 0 : u->holder[i];
    p->kind = CW_MSG_OWN_REPLY;
    p->op = (uint8_t)op;
    cw_message_size(p, payload_bytes, config->noc_header_bytes, config->noc_flit_bytes);
    cw_fifo_push(&u->port->reply, now, u->period, p);
}

static void tick(void *self, cw_time now)
{
    struct partition_half *u = self;
    const cw_time request = cw_fifo_next(&u->port->from_l2), log = cw_fifo_next(&u->port->from_noc);
    if (cw_fifo_can_push(&u->port->reply, now) && (request <= now || log <= now))
        take(u, cw_fifo_pop(request < log ? &u->port->from_l2 : &u->port->from_noc, now), now);
    const cw_time next[] = {cw_fifo_next(&u->port->from_l2), cw_fifo_next(&u->port->from_noc)};
    u->component.wake = next[0] < next[1] ? next[0] : next[1];
    if (u->component.wake <= now)
        u->component.wake = now + u->period;
}

/* ---- the descriptor ---- */

static void destroy(void *self)
{
    struct two_phase *s = self;
    for (uint32_t i = 0; s->core != NULL && i < s->host.config->core_count; i++)
        cw_tm_core_destroy(&s->core[i].half);
    free(s->core);
    free(s->partition);
    free(s);
}

static const struct cw_component_ops component_ops = {.kind = "two_phase_locks", .domain = CW_DOMAIN_L2, .tick = tick};

static int create(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    static const struct cw_tm_core_options options = {.body = &cw_tx_access_type, .stores_ask = true, .has_resolvers = true};
    struct two_phase *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    s->host = *host;
    s->common = cw_tm_common_of(&s->host);
    s->core = calloc(host->config->core_count, sizeof *s->core);
    s->partition = calloc(host->config->partition_count, sizeof *s->partition);
    int status = s->core != NULL && s->partition != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; status == CW_OK && i < host->config->core_count; i++)
        status = cw_tm_core_create(&s->core[i].half, &s->common, i, &ops, &options, err);
    for (uint32_t i = 0; status == CW_OK && i < host->config->partition_count; i++) {
        struct partition_half *u = s->partition + i;
        u->common = &s->common;
        u->ignores_locks = host->sabotage != NULL;
        u->period = host->clocks->period[CW_DOMAIN_L2];
        u->component = cw_component_of(&component_ops, u, i);
        u->port = cw_mem_socket_of(&host->partition[i], host->index);
        u->port->from_l2.wake = u->port->from_noc.wake = &u->component.wake;
    }
    if (status != CW_OK)
        destroy(s);
    *self = status == CW_OK ? s : NULL;
    return status;
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct two_phase *s = self;
    uint32_t cnt = 0;
    for (; cnt < s->host.config->partition_count && cnt < max; cnt++)
        list[cnt] = &s->partition[cnt].component;
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    return ((struct two_phase *)self)->core + core;
}

static const char *const faults[] = {"ignore-locks", NULL};
const struct cw_mech cw_mech_two_phase = {.name = "two-phase",
                                          .what = "two-phase locking at the partitions; an example of a system on mech/tm's core half",
                                          .system = true,
                                          .keys = cw_tm_key_sets,
                                          .counters = cw_tm_counter_sets,
                                          .messages = cw_tx_messages,
                                          .intrinsic = cw_tm_intrinsics,
                                          .inbox = cw_tm_inbox,
                                          .sabotage = faults,
                                          .create = create,
                                          .destroy = destroy,
                                          .components = components,
                                          .core = &sockets,
                                          .core_self = core_self,
                                          .local_bytes = cw_tm_log_bytes};
