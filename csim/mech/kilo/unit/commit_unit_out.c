/* SPDX-License-Identifier: Apache-2.0 */
/* What a commit unit says: to the cores, and to the last-written table; EAPG's broadcasts. */
#include "mech/kilo/unit/commit_unit.h"

void cw_kilo_unit__tell(struct cw_kilo_unit *u, struct cw_kilo_note note)
{
    if (u->out_ring.cnt == u->out_cap) {
        struct cw_kilo_note *larger = cw_ring_grow(&u->out_ring, u->out, &u->out_cap, sizeof *u->out);
        if (larger == NULL) {
            cw_kilo_unit__check(u, CW_ENOMEM);
            return;
        }
        u->out = larger;
    }
    u->out[cw_ring_add(&u->out_ring, u->out_cap)] = note;
}

struct cw_message *cw_kilo_unit__message(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t op, cw_time now)
{
    struct cw_message *p = cw_kilo_message(u->tm, CW_MSG_OWN_REPLY, op, u->index, sizeof(struct cw_kilo_commit_body), now);
    p->core = (uint16_t)g->attempt.core;
    p->warp = (uint16_t)g->attempt.warp;
    p->attempt = g->attempt.attempt;
    cw_kilo_commit(p)->first = g->first;
    return p;
}

void cw_kilo_unit__send(struct cw_kilo_unit *u, struct cw_message *p)
{
    cw_kilo_unit__tell(u, (struct cw_kilo_note){.kind = CW_KILO_NOTE_MESSAGE, .message = p});
}

void cw_kilo_unit__speak(struct cw_kilo_unit *u, cw_time now)
{
    bool message = false;
    while (u->out_ring.cnt > 0 && !message && cw_kilo_notes_room(u->to_port, now)) {
        const struct cw_kilo_note *e = u->out + u->out_ring.head;
        message = e->kind == CW_KILO_NOTE_MESSAGE;
        cw_kilo_notes_push(u->to_port, e, now, cw_kilo_period(u->tm, CW_DOMAIN_L2));
        cw_ring_take(&u->out_ring, u->out_cap);
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
        struct cw_message *copy = i + 1 < cores ? cw_message_copy(u->tm->host.pool, p) : p;
        copy->core = (uint16_t)i;
        u->tm->counters->eapg_broadcasts++;
        cw_kilo_unit__send(u, copy);
    }
}

static struct cw_message *new_news(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_message *p =
        cw_kilo_message(u->tm, CW_MSG_OWN_REPLY, CW_KILO_COMMITTING, u->index, cw_kilo_log_bytes(CW_PACKET_ENTRIES), now);
    cw_kilo_log(p)->log.cnt = 0;
    return p;
}

/* The words from first on are about to be committed. */
void cw_kilo_unit__announce(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t first, cw_time now)
{
    struct cw_message *p = new_news(u, now);
    for (uint32_t i = first; i < g->word_cnt && u->announced < u->tm->keys->eapg_rct_entries; i++, u->announced++) {
        g->word[i].announced = true;
        cw_kilo_log(p)->log.entry[cw_kilo_log(p)->log.cnt++] = (struct cw_log_entry){.addr = g->word[i].addr};
    }
    if (cw_kilo_log(p)->log.cnt > 0)
        broadcast(u, g, CW_KILO_COMMITTING, p);
    else
        cw_message_free(u->tm->host.pool, p);
}

/* The group's commit is over here, when every lane is decided and written. */
void cw_kilo_unit__announce_end(struct cw_kilo_unit *u, struct cw_kilo_group *g, cw_time now)
{
    cw_lanes decided = g->failed | g->out_fail | g->out_pass;
    if (g->over || decided != g->accessed || g->written != (g->out_pass & g->writers))
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
        cw_kilo_log(p)->log.entry[cw_kilo_log(p)->log.cnt++] =
            (struct cw_log_entry){.addr = w->addr, .value = w->value, .flags = cw_lanes_has(g->out_pass, w->lane), .lane = w->lane};
        if (cw_kilo_log(p)->log.cnt < CW_PACKET_ENTRIES)
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
        cw_kilo_unit__tell(u,
                           (struct cw_kilo_note){.kind = CW_KILO_NOTE_WROTE, .block = cw_kilo_tcd_block(u->tm, g->word[i].addr), .cnt = 1});
}
