/* SPDX-License-Identifier: Apache-2.0 */
/* What a commit unit says: to the cores, and to the last-written table; EAPG's broadcasts. */
#include "mech/kilo/unit.h"

void cw_kilo_unit__tell(struct cw_kilo_unit *u, struct cw_kilo_event e)
{
    void *ring = u->out;
    if (u->out_cnt == u->out_cap && !cw_kilo_unit__grow_ring(&ring, &u->out_cap, &u->out_head, u->out_cnt, sizeof *u->out)) {
        cw_kilo_unit__check(u, CW_ENOMEM);
        return;
    }
    u->out = ring;
    u->out[(u->out_head + u->out_cnt++) & (u->out_cap - 1)] = e;
}

void cw_kilo_unit__send(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t sub, uint32_t pass, uint32_t fail, cw_time now)
{
    struct cw_message *p = cw_kilo__message(u->tm, CW_MSG_OWN_REPLY, sub, u->index, now);
    p->core = (uint16_t)g->core;
    p->warp = (uint16_t)g->warp;
    cw_kilo_commit(p)->first = g->first;
    cw_kilo_commit(p)->pass = pass;
    cw_kilo_commit(p)->fail = fail;
    cw_kilo_unit__tell(u, (struct cw_kilo_event){.note = CW_KILO_PACKET, .packet = p});
}

void cw_kilo_unit__speak(struct cw_kilo_unit *u, cw_time now)
{
    bool packet = false;
    while (u->out_cnt > 0 && !packet && cw_kilo__port_room(u->to_cores, now)) {
        const struct cw_kilo_event *e = u->out + u->out_head;
        packet = e->note == CW_KILO_PACKET;
        cw_kilo__port_tell(u->to_cores, *e, now);
        u->out_head = (u->out_head + 1) & (u->out_cap - 1);
        u->out_cnt--;
    }
}

/* EAPG. One copy of a broadcast per core leaves through the one way out. The reference count table is exact and takes a whole message per
 * cycle, as GETM's footnote 3 idealises it; a word that finds no place in it is not announced. */

static void broadcast(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t sub, struct cw_message *p)
{
    const uint32_t cores = u->tm->config->core_count;
    p->op = (uint8_t)sub;
    cw_kilo_commit(p)->first = g->first;
    for (uint32_t i = 0; i < cores; i++) {
        struct cw_message *copy = i + 1 < cores ? cw_message_copy(u->tm->cfg.pool, p) : p;
        if (copy == NULL)
            break;
        copy->core = (uint16_t)i;
        u->tm->cfg.stats->eapg_broadcasts++;
        cw_kilo_unit__tell(u, (struct cw_kilo_event){.note = CW_KILO_PACKET, .packet = copy});
    }
}

static struct cw_message *new_news(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_message *p = cw_kilo__message(u->tm, CW_MSG_OWN_REPLY, CW_KILO_COMMITTING, u->index, now);
    cw_kilo_commit(p)->log.cnt = 0;
    return p;
}

/* The words from first on are about to be committed. */
void cw_kilo_unit__announce(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t first, cw_time now)
{
    if (u->tm->kind != CW_KILO_EAPG)
        return;
    struct cw_message *p = new_news(u, now);
    for (uint32_t i = first; i < g->word_cnt && u->announced < u->tm->config->eapg_rct_entries; i++, u->announced++) {
        g->word[i].announced = true;
        cw_kilo_commit(p)->log.entry[cw_kilo_commit(p)->log.cnt++] = (struct cw_log_entry){.addr = g->word[i].addr};
    }
    if (cw_kilo_commit(p)->log.cnt > 0)
        broadcast(u, g, CW_KILO_COMMITTING, p);
    else
        cw_message_free(u->tm->cfg.pool, p);
}

/* The group's commit is over here, when every lane is decided and written. */
void cw_kilo_unit__announce_end(struct cw_kilo_unit *u, struct cw_kilo_group *g, cw_time now)
{
    uint32_t decided = g->failed | g->out_fail | g->out_pass;
    if (u->tm->kind != CW_KILO_EAPG || g->over || decided != g->accessed || g->written != (g->out_pass & g->writers))
        return;
    g->over = true;
    struct cw_message *p = NULL;
    for (uint32_t i = 0; i < g->word_cnt; i++) {
        const struct cw_kilo_word *w = g->word + i;
        if (!w->announced)
            continue;
        u->announced--;
        if (p == NULL)
            p = new_news(u, now);
        cw_kilo_commit(p)->log.entry[cw_kilo_commit(p)->log.cnt++] =
            (struct cw_log_entry){.addr = w->addr, .value = w->value, .flags = g->out_pass >> w->lane & 1, .lane = w->lane};
        if (cw_kilo_commit(p)->log.cnt < CW_PACKET_ENTRIES)
            continue;
        broadcast(u, g, CW_KILO_WRITTEN, p);
        p = NULL;
    }
    if (p != NULL)
        broadcast(u, g, CW_KILO_WRITTEN, p);
}

void cw_kilo_unit__forget_expected(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t lane)
{
    if (u->tm->tcd != CW_KILO_TCD_CLOSED)
        return;
    for (uint32_t i = g->head[1][lane]; i != CW_KILO_NIL; i = g->word[i].next)
        cw_kilo_unit__tell(u, (struct cw_kilo_event){.note = CW_KILO_WROTE, .block = cw_kilo_tcd_block(u->tm, g->word[i].addr), .cnt = 1});
}
