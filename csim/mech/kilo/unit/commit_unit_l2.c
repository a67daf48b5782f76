/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commit unit's accesses of the L2. Words wait as jobs; per cycle one read and one write leave, into a delay line of cu.rop_latency
 * cycles. With warptm.coalesce a batch's words in one region of cu.write_bytes go together.
 */
#include "mech/kilo/unit/commit_unit.h"

static void add_job(struct cw_kilo_unit *u, struct cw_kilo_jobs *q, struct cw_kilo_group *g, uint32_t word, uint32_t batch)
{
    if (q->ring.cnt == q->cap) {
        struct cw_kilo_job *larger = cw_ring_grow(&q->ring, q->at, &q->cap, sizeof *q->at);
        if (larger == NULL) {
            cw_kilo_unit__check(u, CW_ENOMEM);
            return;
        }
        q->at = larger;
    }
    q->at[cw_ring_add(&q->ring, q->cap)] = (struct cw_kilo_job){.group = g, .word = word, .batch = batch};
}

static struct cw_kilo_job *job_at(const struct cw_kilo_jobs *q, uint32_t i)
{
    return q->at + cw_ring_at(&q->ring, i, q->cap);
}

static void skip_taken(struct cw_kilo_jobs *q)
{
    while (q->ring.cnt > 0 && q->at[q->ring.head].group == NULL) {
        cw_ring_take(&q->ring, q->cap);
    }
}

static void add_word(struct cw_kilo_l2_request *r, const struct cw_kilo_word *w, uint32_t index, bool write)
{
    uint32_t offset = (uint32_t)(w->addr - r->p->addr);
    r->word[r->cnt++] = index;
    r->p->sectors |= (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
    if (!write)
        return;
    for (uint32_t b = 0; b < 4; b++)
        if (w->bytes >> b & 1)
            cw_line_body(r->p)->data[offset + b] = (uint8_t)(w->value >> (8 * b));
    cw_line_body(r->p)->byte_mask[offset / 32] |= (uint32_t)w->bytes << (offset % 32);
}

/* The oldest job, and with coalescing its batch's other jobs in the same region, become one access of the L2. */
static void issue(struct cw_kilo_unit *u, struct cw_kilo_jobs *q, bool write, cw_time now)
{
    const struct cw_tm_keys *keys = u->tm->common.keys;
    if (q->ring.cnt == 0 || u->idle_cnt == 0)
        return;
    struct cw_kilo_job head = *job_at(q, 0);
    uint16_t slot = u->idle[--u->idle_cnt];
    struct cw_kilo_l2_request *r = u->request + slot;
    uint64_t mask = ~(uint64_t)(u->tm->coalesce ? keys->cu_write_bytes - 1 : 3), region = head.group->word[head.word].addr & mask;
    r->group = head.group;
    r->real = u->hooks->writes_memory;
    r->cnt = 0;
    r->p = cw_message_new(u->tm->host.pool, &cw_line_body_type);
    memset(cw_line_body(r->p)->byte_mask, 0, sizeof cw_line_body(r->p)->byte_mask);
    r->p->kind = write ? CW_MSG_WRITE : CW_MSG_READ;
    r->p->after = CW_AFTER_RETURN;
    r->p->mech = (uint8_t)(u->tm->host.index + 1);
    r->p->partition = (uint16_t)u->index;
    r->p->addr = region & ~(uint64_t)(CW_LINE_BYTES - 1);
    r->p->tag = slot;
    r->p->timing_only = !r->real;
    r->p->certain = !write && u->tm->keys->kilo_validation == CW_KILO_VALIDATION_HITS;
    r->p->born = now;
    for (uint32_t i = 0; i < q->ring.cnt && r->cnt < 4 * CW_LANES; i++) {
        struct cw_kilo_job *j = job_at(q, i);
        if (j->batch != head.batch || (i > 0 && !u->tm->coalesce))
            break;
        if (j->group == NULL || (j->group->word[j->word].addr & mask) != region)
            continue;
        add_word(r, j->group->word + j->word, j->word, write);
        j->group = NULL;
    }
    skip_taken(q);
    r->ready = now + keys->cu_rop_latency * u->period;
    u->line[cw_ring_add(&u->line_ring, CW_KILO_L2_REQUESTS)] = slot;
    *(write ? &u->tm->common.counters->cu_writes : &u->tm->counters->cu_reads) += 1;
    if (!write)
        u->tm->counters->cu_read_words += r->cnt;
}

static void feed_l2(struct cw_kilo_unit *u, cw_time now)
{
    while (u->line_ring.cnt > 0 && u->request[u->line[u->line_ring.head]].ready <= now && cw_fifo_can_push(&u->port->to_l2, now)) {
        cw_fifo_push(&u->port->to_l2, now, cw_kilo_period(u->tm, CW_DOMAIN_L2), u->request[u->line[u->line_ring.head]].p);
        cw_ring_take(&u->line_ring, CW_KILO_L2_REQUESTS);
    }
}

void cw_kilo_unit__compare_set(struct cw_kilo_unit *u, struct cw_kilo_entry *e, uint32_t batch)
{
    e->differs = false;
    for (uint32_t i = e->group->head[0][e->lane]; i != CW_KILO_NIL; i = e->group->word[i].next) {
        e->checks++;
        add_job(u, &u->compare, e->group, i, batch);
    }
}

static void tell_word(const struct cw_kilo_unit *u, enum cw_event_type type, const struct cw_kilo_group *g, const struct cw_kilo_word *w,
                      cw_time now)
{
    cw_tell_word(&u->tm->host, type, g->attempt, w->lane, w->addr, w->value, w->bytes, now);
}

static void compared(struct cw_kilo_unit *u, const struct cw_kilo_l2_request *r, cw_time now)
{
    struct cw_kilo_group *g = r->group;
    for (uint32_t i = 0; i < r->cnt; i++) {
        const struct cw_kilo_word *w = g->word + r->word[i];
        struct cw_kilo_entry *e = cw_kilo_unit__at(u, cw_kilo_unit__id_of(g, w->lane));
        uint32_t value;
        memcpy(&value, cw_line_body(r->p)->data + (w->addr - r->p->addr), 4);
        if (value != w->value && !e->differs)
            cw_tell_conflict(&u->tm->host, g->attempt, w->lane, w->addr, now);
        e->differs |= value != w->value;
        if (value == w->value && !g->probe)
            tell_word(u, CW_EVENT_REGION_VALIDATE, g, w, now);
        if (--e->checks == 0 && g->filled)
            cw_kilo_unit__check(u, cw_adapt_commit_unit_validated(u->ring, cw_kilo_unit__id_of(g, w->lane), e->again, !e->differs));
    }
}

static void acknowledge(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t lane, cw_time now)
{
    g->written |= cw_lanes_one(lane);
    if (u->tm->aggregate && g->written != (g->out_pass & g->writers))
        return;
    struct cw_message *p = cw_kilo_unit__message(u, g, CW_KILO_ACK, now);
    cw_kilo_commit(p)->ack.lanes = u->tm->aggregate ? g->written : cw_lanes_one(lane);
    cw_kilo_unit__send(u, p);
}

/* Tells the last-written table of each block that a request has written. */
static void tell_written(struct cw_kilo_unit *u, const struct cw_kilo_l2_request *r)
{
    for (uint32_t i = 0; i < r->cnt; i++) {
        uint64_t block = cw_kilo_tcd_block(u->tm, r->group->word[r->word[i]].addr);
        uint32_t first = i, cnt = 0;
        for (uint32_t j = 0; j < r->cnt; j++)
            if (cw_kilo_tcd_block(u->tm, r->group->word[r->word[j]].addr) == block) {
                first = j < first ? j : first;
                cnt++;
            }
        if (first == i)
            cw_kilo_unit__tell(
                u, (struct cw_kilo_note){
                       .kind = CW_KILO_NOTE_WROTE, .block = block, .cnt = u->tm->tcd == CW_KILO_TCD_CLOSED ? cnt : 0, .written = true});
    }
}

static void wrote(struct cw_kilo_unit *u, const struct cw_kilo_l2_request *r, cw_time now)
{
    struct cw_kilo_group *g = r->group;
    if (u->tm->tcd != CW_KILO_TCD_OFF)
        tell_written(u, r);
    for (uint32_t i = 0; i < r->cnt; i++) {
        const struct cw_kilo_word *w = g->word + r->word[i];
        struct cw_kilo_entry *e = cw_kilo_unit__at(u, cw_kilo_unit__id_of(g, w->lane));
        if (r->real)
            tell_word(u, CW_EVENT_REGION_WRITE, g, w, now);
        if (--e->writes > 0)
            continue;
        e->written = true;
        if (e->writing)
            cw_kilo_unit__check(u, cw_adapt_commit_unit_written(u->ring, cw_kilo_unit__id_of(g, w->lane)));
        acknowledge(u, g, w->lane, now);
        if (u->hooks->announce_end != NULL)
            u->hooks->announce_end(u, g, now);
    }
}

void cw_kilo_unit__take_done(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_message *p;
    while ((p = cw_fifo_pop(&u->port->l2_done, now)) != NULL) {
        struct cw_kilo_l2_request *r = u->request + p->tag;
        r->p = p;
        if (p->kind == CW_MSG_READ)
            compared(u, r, now);
        else
            wrote(u, r, now);
        u->idle[u->idle_cnt++] = (uint16_t)p->tag;
        cw_message_free(u->tm->host.pool, p);
    }
}

void cw_kilo_unit__queue_lane(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t lane, uint32_t batch)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, cw_kilo_unit__id_of(g, lane));
    for (uint32_t i = g->head[1][lane]; i != CW_KILO_NIL; i = g->word[i].next) {
        e->writes++;
        add_job(u, &u->write, g, i, batch);
    }
}

void cw_kilo_unit__add_check(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t word, uint32_t batch)
{
    add_job(u, &u->compare, g, word, batch);
}

void cw_kilo_unit__issue_accesses(struct cw_kilo_unit *u, cw_time now)
{
    issue(u, &u->write, true, now);
    issue(u, &u->compare, false, now);
    feed_l2(u, now);
}
