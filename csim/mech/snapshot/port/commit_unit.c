/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: the commit unit (SI-TM section 5, steps 3 to 6 of Figure 12). It has no reads to validate. It compares the
 * words that a warp wants to write with those of other warps that are committing, answers with a verdict, and writes the lanes that commit
 * into the open version. It takes a word of a log per CU cycle, and writes one region of cu.write_bytes of a warp per CU cycle, which
 * reaches the L2 after cu.rop_latency.
 */
#include <stdlib.h>
#include <string.h>

#include "mech/snapshot/port/port.h"

static struct cw_si_commit *commit_of(struct cw_si_port *u, const struct cw_message *p)
{
    return u->commit + (size_t)p->core * u->tm->config->core_warps + p->warp;
}

static void activate(struct cw_si_port *u, struct cw_si_commit *g, const struct cw_message *p)
{
    if (g->active)
        return;
    struct cw_si_word *word = g->word;
    const uint32_t cap = g->word_cap;
    *g = (struct cw_si_commit){.attempt = cw_attempt_name_of(p), .word = word, .word_cap = cap, .active = true};
    u->active[u->active_cnt++] = (uint32_t)(g - u->commit);
}

static void retire(struct cw_si_port *u, struct cw_si_commit *g)
{
    uint32_t kept = 0;
    g->active = false;
    for (uint32_t i = 0; i < u->active_cnt; i++)
        if (u->active[i] != (uint32_t)(g - u->commit))
            u->active[kept++] = u->active[i];
    u->active_cnt = kept;
}

/* Whether a lane of another warp that has not failed, or another lane of this one, is committing the word. */
static bool meets(const struct cw_si_port *u, const struct cw_si_commit *g, uint64_t addr, uint32_t lane)
{
    for (uint32_t i = 0; i < u->active_cnt; i++) {
        const struct cw_si_commit *other = u->commit + u->active[i];
        for (uint32_t k = 0; k < other->word_cnt; k++)
            if (other->word[k].addr == addr && (other != g || other->word[k].lane != lane) &&
                !cw_lanes_has(other->fail, other->word[k].lane))
                return true;
    }
    return false;
}

static bool add_word(struct cw_si_commit *g, const struct cw_log_entry *e)
{
    for (uint32_t i = 0; i < g->word_cnt; i++) { /* a later store of the lane to the same word */
        struct cw_si_word *w = g->word + i;
        if (w->addr != e->addr || w->lane != e->lane)
            continue;
        for (uint32_t b = 0; b < 4; b++)
            if (e->bytes >> b & 1)
                w->value = (w->value & ~(0xffu << 8 * b)) | (e->value & 0xffu << 8 * b);
        w->bytes |= e->bytes;
        return true;
    }
    if (g->word_cnt == g->word_cap) {
        const uint32_t cap = g->word_cap == 0 ? 64 : 2 * g->word_cap;
        struct cw_si_word *word = realloc(g->word, cap * sizeof *word);
        if (word == NULL)
            return false;
        g->word = word;
        g->word_cap = cap;
    }
    g->word[g->word_cnt++] = (struct cw_si_word){.addr = e->addr, .value = e->value, .bytes = e->bytes, .lane = e->lane};
    return true;
}

static void take_log(struct cw_si_port *u, const struct cw_message *p, cw_time now)
{
    struct cw_si_commit *g = commit_of(u, p);
    const struct cw_tx_log_body *log = &cw_si_log_of(p)->log;
    activate(u, g, p);
    u->tm->common.counters->cu_packets++;
    u->tm->common.counters->cu_entries += log->cnt;
    for (uint32_t i = 0; i < log->cnt; i++) {
        if (!u->tm->oracle && u->tm->sabotage != CW_SI_NO_WRITE_CHECK && meets(u, g, log->entry[i].addr, log->entry[i].lane))
            g->fail |= cw_lanes_one(log->entry[i].lane);
        if (!add_word(g, &log->entry[i]))
            cw_mech_fault(&u->tm->host, CW_ENOMEM, "out of host memory for a commit unit");
    }
    u->input_free = now + log->cnt * cw_si_period(u->tm, CW_DOMAIN_CU);
}

static void take_done(struct cw_si_port *u, const struct cw_message *p, cw_time now)
{
    struct cw_si_commit *g = commit_of(u, p);
    struct cw_message *out = cw_si__message(u, g->attempt, CW_SI_VERDICT, &cw_si_commit_type, now);
    g->accessed = cw_si_commit_of(p)->accessed;
    *cw_si_commit(out) = (struct cw_si_commit_body){.pass = g->accessed & ~g->fail, .fail = g->fail};
    cw_si__send(u, out);
}

static void take_outcome(struct cw_si_port *u, const struct cw_message *p)
{
    struct cw_si_commit *g = commit_of(u, p);
    g->pass = cw_si_commit_of(p)->pass & g->accessed;
    g->slot = cw_si_commit_of(p)->slot;
    g->decided = true;
}

void cw_si__commit_take(struct cw_si_port *u, cw_time now)
{
    if (now < u->input_free)
        return;
    struct cw_message *p = cw_fifo_pop(&u->port->from_noc, now);
    if (p == NULL)
        return;
    u->input_free = now + cw_si_period(u->tm, CW_DOMAIN_CU);
    if (p->op == CW_SI_WRITES)
        take_log(u, p, now);
    else if (p->op == CW_SI_DONE)
        take_done(u, p, now);
    else
        take_outcome(u, p);
    cw_message_free(u->tm->host.pool, p);
}

/* Writing */

/* The next word of a lane that commits; NULL: all are taken. */
static struct cw_si_word *next_word(struct cw_si_commit *g)
{
    for (; g->written < g->word_cnt; g->written++)
        if (!g->word[g->written].taken && cw_lanes_has(g->pass, g->word[g->written].lane))
            return g->word + g->written;
    return NULL;
}

/* A write of all the warp's words of one region. */
static void write_region(struct cw_si_port *u, struct cw_si_commit *g, const struct cw_si_word *first, cw_time now)
{
    const uint64_t region = first->addr / u->tm->common.keys->cu_write_bytes, line = first->addr & ~(uint64_t)(CW_LINE_BYTES - 1);
    struct cw_message *p = cw_mech_message(&u->tm->host, CW_MSG_WRITE, 0, line, &cw_line_body_type, now);
    struct cw_si_request_out *r = u->request + cw_ring_add(&u->request_ring, CW_SI_REQUESTS);
    *r = (struct cw_si_request_out){.p = p, .commit = (uint32_t)(g - u->commit)};
    for (uint32_t i = 0; i < sizeof cw_line_body(p)->byte_mask / sizeof cw_line_body(p)->byte_mask[0]; i++)
        cw_line_body(p)->byte_mask[i] = 0;
    p->after = CW_AFTER_RETURN;
    p->mech = (uint8_t)(u->tm->host.index + 1);
    cw_si__index_write(u->index_table, p, g->slot, now);
    for (uint32_t i = g->written; i < g->word_cnt && r->cnt < CW_LANES; i++) {
        struct cw_si_word *w = g->word + i;
        if (w->taken || !cw_lanes_has(g->pass, w->lane) || w->addr / u->tm->common.keys->cu_write_bytes != region)
            continue;
        const uint32_t at = (uint32_t)(w->addr - line);
        w->taken = true;
        r->words[r->cnt++] = i;
        for (uint32_t b = 0; b < 4; b++)
            if (w->bytes >> b & 1) {
                cw_line_body(p)->data[at + b] = (uint8_t)(w->value >> 8 * b);
                cw_line_body(p)->byte_mask[(at + b) / 32] |= 1u << (at + b) % 32;
            }
        p->sectors |= (uint8_t)(1u << at / CW_SECTOR_BYTES);
    }
    r->ready = now + u->tm->common.keys->cu_rop_latency * cw_si_period(u->tm, CW_DOMAIN_CU);
    g->on_way++;
    u->tm->common.counters->cu_writes++;
}

static void acknowledge(struct cw_si_port *u, struct cw_si_commit *g, cw_time now)
{
    if (!g->decided || g->on_way > 0 || next_word(g) != NULL)
        return;
    if (g->pass != 0)
        cw_si__send(u, cw_si__message(u, g->attempt, CW_SI_ACK, &cw_si_commit_type, now));
    retire(u, g);
}

/* Oldest warp first. */
static bool begin_write(struct cw_si_port *u, cw_time now)
{
    for (uint32_t i = 0; i < u->active_cnt; i++) {
        struct cw_si_commit *g = u->commit + u->active[i];
        const struct cw_si_word *w = g->decided ? next_word(g) : NULL;
        if (w == NULL && g->decided && g->on_way == 0) {
            acknowledge(u, g, now);
            return true;
        }
        if (w == NULL)
            continue;
        if (now >= u->write_free && u->request[cw_ring_at(&u->request_ring, u->request_ring.cnt, CW_SI_REQUESTS)].p == NULL) {
            write_region(u, g, w, now);
            u->write_free = now + cw_si_period(u->tm, CW_DOMAIN_CU);
        }
        return true;
    }
    return false;
}

/* The oldest write goes on to the L2; its words are told when they are there. */
static void feed_l2(struct cw_si_port *u, cw_time now)
{
    struct cw_si_request_out *r = u->request + u->request_ring.head;
    if (u->request_ring.cnt == 0 || r->ready > now || !cw_fifo_can_push(&u->port->to_l2, now) ||
        cw_si__index_placed(u->index_table, now) == u->fed)
        return;
    u->fed++;
    r->p->tag = u->request_ring.head;
    cw_fifo_push(&u->port->to_l2, now, u->period, r->p);
    cw_ring_take(&u->request_ring, CW_SI_REQUESTS);
    u->in_l2++;
}

bool cw_si__commit_step(struct cw_si_port *u, cw_time now)
{
    const bool more = begin_write(u, now);
    feed_l2(u, now);
    return more || u->request_ring.cnt > 0;
}

void cw_si__commit_written(struct cw_si_port *u, struct cw_message *p, cw_time now)
{
    struct cw_si_request_out *r = u->request + p->tag;
    struct cw_si_commit *g = u->commit + r->commit;
    for (uint32_t i = 0; i < r->cnt; i++) {
        const struct cw_si_word *w = g->word + r->words[i];
        cw_tell_word(&u->tm->host, CW_EVENT_REGION_WRITE, g->attempt, w->lane, w->addr, w->value, w->bytes, now);
    }
    r->p = NULL;
    g->on_way--;
    u->in_l2--;
    acknowledge(u, g, now);
    cw_message_free(u->tm->host.pool, p);
}
