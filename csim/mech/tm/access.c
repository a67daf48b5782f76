/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/access.h"

#include <stdlib.h>
#include <string.h>

#define LOG_SLACK 256u /* of the log port's queue, beyond the walk over a full log */

static void complete(struct cw_accesses *q, struct cw_tm_access *a)
{
    if (a->unsent == 0 && a->packets == 0 && a->log_reads == 0)
        cw_access_queue_push(&q->done, a);
}

/* Logs */

/* Log writes of `words` rows from row on: address and value lines. */
static void post_rows(struct cw_accesses *q, uint32_t warp, bool write_log, uint32_t row, uint32_t words)
{
    uint32_t max = q->common->keys->tm_log_entries;
    if (q->idealised)
        return;
    for (uint32_t i = 0; i < 2 * words; i++) {
        uint32_t word = cw_redo_log_word(write_log, (row + i / 2) % max, i % 2 != 0, max);
        cw_log_port_push(&q->log, (struct cw_log_op){.word = word, .cookie = CW_LOG_COOKIE_POSTED, .warp = (uint8_t)warp, .write = true});
    }
    q->warp[warp].posted += 2 * words;
}

static bool overflow(const struct cw_accesses *q, uint32_t rows)
{
    if (rows <= q->common->keys->tm_log_entries || q->common->host->fault == NULL)
        return false;
    cw_mech_fault(q->common->host, CW_ELIMIT,
                  "a transaction's read log or write log is full: raise tm.log_entries, or make the transaction smaller");
    return true;
}

static uint32_t written_rows(const struct cw_accesses *q, uint32_t warp)
{
    uint32_t max = q->common->keys->tm_log_entries, rows = q->warp[warp].log->write_cnt;
    return rows < max ? rows : max;
}

static void take_store(struct cw_accesses *q, struct cw_tm_access *a)
{
    struct cw_redo_log *log = q->warp[a->warp].log;
    uint32_t words = cw_inst_words(a->inst), row = log->write_cnt;
    if (overflow(q, row + words))
        return;
    if (cw_redo_log_store(log, a->inst, a->lanes) != CW_OK) {
        cw_mech_fault(q->common->host, CW_ENOMEM, "out of host memory for a write log");
        return;
    }
    post_rows(q, a->warp, true, row, words);
    a->unsent = q->stores_ask || q->idealised ? a->lanes : 0;
}

/* A hit in the write log costs a walk over the log's addresses and the read of one value line ([art]). */
static void walk(struct cw_accesses *q, struct cw_tm_access *a)
{
    uint32_t max = q->common->keys->tm_log_entries, rows = written_rows(q, a->warp);
    a->log_reads = rows + 1;
    for (uint32_t i = 0; i <= rows; i++) {
        uint32_t word = i < rows ? cw_redo_log_word(true, i, false, max) : cw_redo_log_word(true, rows - 1, true, max);
        cw_log_port_push(&q->log, (struct cw_log_op){.word = word, .cookie = cw_access_index(q, a), .warp = (uint8_t)a->warp});
    }
}

static void take_load(struct cw_accesses *q, struct cw_tm_access *a)
{
    const struct cw_redo_log *log = q->warp[a->warp].log;
    uint32_t length = cw_inst_bytes(a->inst), whole = (1u << length) - 1;
    bool hit = false;
    a->unsent = a->lanes;
    memset(a->own, 0, sizeof a->own);
    for (cw_lanes rest = log->write_cnt > 0 ? a->lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        uint32_t own = cw_redo_log_find(log, lane, a->inst->addr[lane], length, a->bytes[lane]);
        a->own[lane] = (uint16_t)own;
        hit |= own != 0;
        if (own == whole)
            a->unsent = cw_lanes_without(a->unsent, cw_lanes_one(lane));
    }
    a->asked = a->unsent;
    if (hit && !q->idealised)
        walk(q, a);
}

void cw_access_log_done(struct cw_accesses *q, uint32_t warp, uint32_t cookie)
{
    if (cookie & CW_LOG_COOKIE_POSTED) {
        q->warp[warp].posted--;
        return;
    }
    q->pool[cookie].log_reads--;
    complete(q, q->pool + cookie);
}

/* From the core */

struct cw_tm_access *cw_access_take(struct cw_accesses *q, struct cw_mem_inst *inst, cw_lanes lanes)
{
    struct cw_tm_counters *counters = q->common->counters;
    struct cw_tm_access *a = q->free;
    bool store = inst->uop->op == CW_OP_ST;
    if (a == NULL || !cw_log_port_room(&q->log, store ? 2 * cw_inst_words(inst) : written_rows(q, inst->warp) + 1))
        return NULL;
    q->free = a->next;
    q->cnt++;
    q->warp[inst->warp].accesses++;
    a->inst = inst;
    a->warp = inst->warp;
    a->store = store;
    a->lanes = lanes;
    a->asked = a->unsent = a->packets = a->log_reads = 0;
    *(store ? &counters->tx_stores : &counters->tx_loads) += cw_lanes_count(lanes);
    if (lanes != 0 && store)
        take_store(q, a);
    else if (lanes != 0)
        take_load(q, a);
    return a;
}

void cw_access_go(struct cw_accesses *q, struct cw_tm_access *a)
{
    if (a->unsent != 0)
        cw_access_queue_push(&q->send, a);
    else
        complete(q, a);
}

/* To the partitions */

void cw_access_emit(struct cw_accesses *q, uint32_t warp, struct cw_message *p)
{
    p->warp = (uint16_t)warp;
    p->next = NULL;
    if (q->message_first == NULL)
        q->message_first = p;
    else
        q->message_last->next = p;
    q->message_last = p;
    q->warp[warp].messages++;
}

/* An idealised system's store: an ordinary write, but for the bytes, which the system changes at commit. */
static void make_write(struct cw_message *p, uint32_t bytes)
{
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t at = cw_tx_access(p)->lane_offset[cw_lanes_first(rest)];
        cw_line_body(p)->byte_mask[at / 32] |= (bytes < 32 ? (1u << bytes) - 1 : UINT32_MAX) << at % 32;
    }
    p->kind = CW_MSG_WRITE;
    p->after = CW_AFTER_REPLY;
    p->mech = 0;
    p->needs_reply = 1;
    p->timing_only = 1;
}

/* The request for all unsent lanes on the line of the lowest one. */
static struct cw_message *build_request(struct cw_accesses *q, struct cw_tm_access *a, cw_time now)
{
    const struct cw_config *config = q->common->host->config;
    struct cw_message *p = cw_message_new(q->common->host->pool, q->body);
    struct cw_tx_access_body *body = cw_tx_access(p);
    const uint64_t *addr = a->inst->addr;
    body->aborted = 0;
    memset(body->line.byte_mask, 0, sizeof body->line.byte_mask);
    p->addr = addr[cw_lanes_first(a->unsent)] & ~(uint64_t)(CW_LINE_BYTES - 1);
    for (cw_lanes rest = a->unsent; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        uint64_t offset = addr[lane] - p->addr;
        if (offset >= CW_LINE_BYTES)
            continue;
        p->lanes |= cw_lanes_one(lane);
        body->lane_offset[lane] = (uint8_t)offset;
        p->sectors |= (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
    }
    a->unsent = cw_lanes_without(a->unsent, p->lanes);
    p->kind = a->store ? CW_MSG_PASS : CW_MSG_READ;
    p->after = CW_AFTER_MECH;
    p->mech = (uint8_t)(q->common->host->index + 1);
    body->bytes = (uint8_t)cw_inst_bytes(a->inst);
    p->warp = (uint16_t)a->warp;
    p->tag = cw_access_index(q, a);
    p->born = now;
    uint32_t payload;
    if (a->store && q->idealised) {
        make_write(p, cw_inst_bytes(a->inst));
        payload = CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors);
    } else {
        a->packets++;
        p->attempt = cw_core_attempt(q->core, a->warp);
        payload = q->ops->request != NULL ? q->ops->request(q->self, a, p) : 0;
    }
    cw_message_size(p, payload, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}

void cw_access_send(struct cw_accesses *q, cw_time now)
{
    struct cw_message *p = q->message_first;
    if (p != NULL) {
        struct cw_message *next = p->next;
        uint32_t warp = p->warp;
        if (!cw_core_send(q->core, p, now))
            return;
        q->message_first = next;
        q->warp[warp].messages--;
        return;
    }
    while (q->spare == NULL && q->send.first != NULL) {
        struct cw_tm_access *a = q->send.first;
        a->unsent = cw_lanes_without(a->unsent, cw_core_region_aborted(q->core, a->warp));
        if (a->unsent != 0)
            q->spare = build_request(q, a, now);
        if (a->unsent == 0)
            complete(q, cw_access_queue_pop(&q->send));
    }
    if (q->spare != NULL && cw_core_send(q->core, q->spare, now))
        q->spare = NULL;
}

/* And back */

void cw_access_take_values(struct cw_tm_access *a, const struct cw_message *p)
{
    uint32_t length = cw_inst_bytes(a->inst);
    for (cw_lanes rest = cw_lanes_without(p->lanes, cw_tx_access_of(p)->aborted); rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        const uint8_t *from = cw_tx_access_of(p)->line.data + cw_tx_access_of(p)->lane_offset[lane];
        for (uint32_t b = 0; b < length; b++)
            if ((a->own[lane] >> b & 1) == 0)
                a->bytes[lane][b] = from[b];
    }
}

void cw_access_replied(struct cw_accesses *q, struct cw_tm_access *a)
{
    a->packets--;
    complete(q, a);
}

static int log_load(const struct cw_accesses *q, const struct cw_tm_access *a, cw_lanes lanes)
{
    return q->ops->log_load != NULL ? q->ops->log_load(q->self, a, lanes) : cw_redo_log_load(q->warp[a->warp].log, a->inst, lanes);
}

/* Gives a load its values and logs what it took from memory. */
static void finish_load(struct cw_accesses *q, struct cw_tm_access *a, cw_lanes lanes)
{
    cw_lanes logged = lanes & a->asked;
    uint32_t row = q->warp[a->warp].log->read_cnt, words = cw_inst_words(a->inst);
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
        cw_inst_set_bytes(a->inst, cw_lanes_first(rest), a->bytes[cw_lanes_first(rest)]);
    if (logged == 0 || overflow(q, row + words))
        return;
    if (log_load(q, a, logged) != CW_OK)
        cw_mech_fault(q->common->host, CW_ENOMEM, "out of host memory for a read log");
    else
        post_rows(q, a->warp, false, row, words);
}

void cw_access_retire(struct cw_accesses *q, cw_time now)
{
    while (q->done.first != NULL) {
        struct cw_tm_access *a = q->done.first;
        struct cw_mem_inst *inst = a->inst;
        cw_lanes lanes = a->store ? 0 : cw_lanes_without(a->lanes, cw_core_region_aborted(q->core, a->warp));
        if (lanes != 0 && !cw_log_port_room(&q->log, 2 * cw_inst_words(inst)))
            return;
        cw_access_queue_pop(&q->done);
        if (lanes != 0)
            finish_load(q, a, lanes);
        q->warp[a->warp].accesses--;
        q->cnt--;
        a->next = q->free;
        q->free = a;
        cw_core_mem_done(q->core, inst, now);
    }
}

bool cw_accesses_busy(const struct cw_accesses *q)
{
    return q->log.ring.cnt > 0 || q->message_first != NULL || q->spare != NULL || q->send.first != NULL || q->done.first != NULL;
}

bool cw_accesses_idle(const struct cw_accesses *q)
{
    for (uint32_t i = 0; i < q->common->host->config->core_warps; i++)
        if (q->warp[i].posted > 0)
            return false;
    return q->cnt == 0 && q->message_first == NULL && q->spare == NULL && q->log.ring.cnt == 0;
}

int cw_accesses_create(struct cw_accesses *q)
{
    q->log.cap = q->common->keys->tm_log_entries + LOG_SLACK;
    q->warp = calloc(q->common->host->config->core_warps, sizeof *q->warp);
    q->pool = calloc(CW_ACCESSES, sizeof *q->pool);
    q->log.op = calloc(q->log.cap, sizeof *q->log.op);
    if (q->warp == NULL || q->pool == NULL || q->log.op == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < CW_ACCESSES; i++) {
        q->pool[i].next = q->free;
        q->free = q->pool + i;
    }
    return CW_OK;
}

void cw_accesses_destroy(struct cw_accesses *q)
{
    free(q->warp);
    free(q->pool);
    free(q->log.op);
}
