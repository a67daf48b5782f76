/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, core half: a write set becomes LOG messages, partition by partition. A message holds at most CW_PACKET_ENTRIES entries: 8 bytes per
 * word, 4 per clean-up entry (GETM Figure 2).
 */
#include <string.h>

#include "mech/getm/core_private.h"
#include "mem/address.h"

struct packer {
    struct cw_getm_core *c;
    struct cw_getm_warp *w;
    uint32_t warp, partition;
    struct cw_message *p; /* being filled, or NULL */
    uint32_t payload_bytes;
    cw_time now;
};

static struct cw_message *new_message(const struct packer *k, uint32_t op, uint64_t addr, const struct cw_message_type *type)
{
    return cw_mech_message(&k->c->getm->host, CW_MSG_OWN, op, addr, type, k->now);
}

static void close_packet(struct packer *k)
{
    const struct cw_config *config = k->c->getm->config;
    struct cw_message *p = k->p;
    if (p == NULL)
        return;
    cw_message_size(p, k->payload_bytes, config->noc_header_bytes, config->noc_flit_bytes);
    cw_tm_core_emit(&k->c->half, k->warp, p);
    k->w->ticket[k->partition]++;
    k->p = NULL;
}

static void open_packet(struct packer *k, uint64_t addr)
{
    k->p = new_message(k, CW_GETM_LOG, addr & ~(uint64_t)(CW_LINE_BYTES - 1), &cw_getm_log_type);
    k->payload_bytes = 0;
    struct cw_getm_log_body *body = cw_getm_log(k->p);
    body->owner = cw_getm_owner(k->c->getm, k->c->half.index, k->warp);
    body->log.cnt = body->writing = 0;
}

static void pack(struct packer *k, struct cw_log_entry entry)
{
    if (k->p != NULL && cw_getm_log(k->p)->log.cnt == CW_PACKET_ENTRIES)
        close_packet(k);
    if (k->p == NULL)
        open_packet(k, entry.addr);
    struct cw_tx_log_body *log = &cw_getm_log(k->p)->log;
    log->entry[log->cnt++] = entry;
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
        uint64_t addr = cw_getm_granule_addr(k->c->getm, g->granule);
        pack(k, (struct cw_log_entry){.addr = addr & ~UINT64_C(3), .flags = CW_GETM_CLEAN, .count = part});
        count -= part;
    }
}

/* getm.commit_acks: behind the partition's packets, a message that comes back when they have been carried out. */
static void pack_done(struct packer *k)
{
    struct cw_message *p = new_message(k, CW_GETM_DONE, cw_tm_partition_addr(k->c->getm->config, k->partition), NULL);
    cw_tm_core_emit(&k->c->half, k->warp, p);
    k->w->acks++;
}

void cw_getm__log_send(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    const struct cw_getm *g = c->getm;
    struct packer k = {.c = c, .w = c->warp + warp, .warp = warp, .now = now};
    struct cw_write_set *s = &k.w->set;
    uint32_t first[64], last[64];
    memset(first, 0xff, sizeof first);
    for (uint32_t i = 0; i < s->granule_cnt; i++) {
        struct cw_write_granule *granule = s->granule + i;
        uint32_t p = cw_address_partition(g->config, cw_getm_granule_addr(g, granule->granule));
        granule->next = CW_WRITE_SET_NONE;
        if (first[p] == CW_WRITE_SET_NONE)
            first[p] = i;
        else
            s->granule[last[p]].next = i;
        last[p] = i;
    }
    for (k.partition = 0; k.partition < g->config->partition_count; k.partition++) {
        for (uint32_t i = first[k.partition]; i != CW_WRITE_SET_NONE; i = s->granule[i].next)
            pack_granule(&k, s->granule + i);
        close_packet(&k);
        if (g->keys->getm_commit_acks == CW_ON)
            pack_done(&k);
    }
}
