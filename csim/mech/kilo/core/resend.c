/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: sets that did not fit into a commit unit's buffer are read from the log again, and sent again (Fung 2015,
 * 4.2.5, unbounded transactions). */
#include <assert.h>

#include "mech/kilo/core/core_half.h"
#include "mem/address.h"

void cw_kilo__resend(struct cw_kilo_core *c, const struct cw_message *p)
{
    const struct cw_kilo_commit_body *body = cw_kilo_commit_of(p);
    assert(c->resend_ring.cnt < CW_KILO_RESENDS && *cw_kilo__stage(c, p->warp) == CW_KILO_ANSWER);
    c->resend[cw_ring_add(&c->resend_ring, CW_KILO_RESENDS)] = (struct cw_kilo_resend){.first_id = body->first,
                                                                                       .warp = (uint8_t)p->warp,
                                                                                       .lane = (uint8_t)body->again.lane,
                                                                                       .partition = (uint8_t)p->partition,
                                                                                       .write = (uint8_t)body->again.set};
}

static struct cw_message *answer(const struct cw_kilo_core *c, const struct cw_kilo_resend *r, uint32_t op, uint32_t entries, cw_time now)
{
    const struct cw_kilo_warp *w = c->warp + r->warp;
    struct cw_message *p = cw_kilo_message(c->tm, CW_MSG_OWN, op, r->partition, entries, now);
    p->lanes = w->members;
    cw_kilo_commit(p)->first = r->first_id;
    cw_kilo_commit(p)->epoch = w->epoch;
    return p;
}

/* The row's word of that lane, if it lies in the partition. */
static void send_word(struct cw_kilo_core *c, const struct cw_kilo_resend *r, cw_time now)
{
    const struct cw_redo_log *log = &c->half.warp[r->warp].log;
    const struct cw_config *config = c->tm->config;
    cw_lanes lanes = r->write ? log->write[r->row].lanes : log->read[r->row].lanes;
    uint64_t addr = r->write ? log->write[r->row].addr[r->lane] : log->read[r->row].addr[r->lane];
    if (!cw_lanes_has(lanes, r->lane) || cw_address_partition(config, addr) != r->partition)
        return;
    uint32_t op = (r->write ? CW_KILO_WRITES : CW_KILO_READS) | CW_KILO_AGAIN;
    struct cw_message *p = answer(c, r, op, 1, now);
    struct cw_tx_log_body *body = &cw_kilo_log(p)->log;
    body->cnt = 1;
    body->entry[0] = (struct cw_log_entry){.addr = addr,
                                           .value = r->write ? log->write[r->row].value[r->lane] : log->read[r->row].value[r->lane],
                                           .bytes = r->write ? log->write[r->row].bytes[r->lane] : 15,
                                           .lane = r->lane};
    cw_message_size(p, 8, config->noc_header_bytes, config->noc_flit_bytes);
    cw_tm_core_emit(&c->half, r->warp, p);
}

/* Addresses and values of a row are two accesses. */
void cw_kilo__resend_step(struct cw_kilo_core *c, cw_time now)
{
    struct cw_kilo_resend *r = c->resend + c->resend_ring.head;
    const struct cw_redo_log *log = &c->half.warp[r->warp].log;
    uint32_t rows = r->write ? log->write_cnt : log->read_cnt, max = c->tm->common.keys->tm_log_entries;
    if (r->row < rows) {
        uint32_t word = cw_redo_log_word(r->write, r->row % max, r->half, max);
        if (!cw_core_log_access(c->half.core, r->warp, word, false, CW_LOG_COOKIE_RESOLVE, now))
            return;
        r->half = !r->half;
        if (!r->half)
            send_word(c, r, now);
        r->row += !r->half;
        return;
    }
    struct cw_message *p = answer(c, r, CW_KILO_EOS, 0, now);
    cw_kilo_commit(p)->again.lane = r->lane;
    cw_kilo_commit(p)->again.set = r->write;
    cw_tm_core_emit(&c->half, r->warp, p);
    cw_ring_take(&c->resend_ring, CW_KILO_RESENDS);
}
