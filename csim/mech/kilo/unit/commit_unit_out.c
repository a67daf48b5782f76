/* SPDX-License-Identifier: Apache-2.0 */
/* What a commit unit says: to the cores, and to the last-written table. */
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
    struct cw_message *p = cw_kilo_message(u->tm, CW_MSG_OWN_REPLY, op, u->index, 0, now);
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

void cw_kilo_unit__forget_expected(struct cw_kilo_unit *u, const struct cw_kilo_group *g, uint32_t lane)
{
    if (u->tm->tcd != CW_KILO_TCD_CLOSED)
        return;
    for (uint32_t i = g->head[1][lane]; i != CW_KILO_NIL; i = g->word[i].next)
        cw_kilo_unit__tell(u,
                           (struct cw_kilo_note){.kind = CW_KILO_NOTE_WROTE, .block = cw_kilo_tcd_block(u->tm, g->word[i].addr), .cnt = 1});
}
