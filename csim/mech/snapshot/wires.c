/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/wires.h"

#include <stdlib.h>
#include <string.h>

int cw_si_line_create(struct cw_si_line *l, uint32_t size, uint32_t capacity, cw_time *wake)
{
    l->size = size;
    l->slots = capacity + 1; /* the one that was popped last stays */
    l->slot = calloc(l->slots, size);
    return l->slot != NULL && cw_fifo_create(&l->fifo, capacity, wake) == CW_OK ? CW_OK : CW_ENOMEM;
}

void cw_si_line_destroy(struct cw_si_line *l)
{
    cw_fifo_destroy(&l->fifo);
    free(l->slot);
    l->slot = NULL;
}

void cw_si_line_push(struct cw_si_line *l, const void *note, cw_time now, cw_time latency)
{
    unsigned char *to = l->slot + (size_t)l->next * l->size;
    l->next = (l->next + 1) % l->slots;
    memcpy(to, note, l->size);
    cw_fifo_push(&l->fifo, now, latency, to);
}

const void *cw_si_line_pop(struct cw_si_line *l, cw_time now)
{
    return cw_fifo_pop(&l->fifo, now);
}

/* ---- state ---- */

struct walk {
    struct cw_si_line *line;
    void (*note)(struct cw_state *s, void *note);
};

static void slot_state(struct cw_state *s, void **slot, void *context)
{
    const struct walk *w = context;
    cw_state_ref(s, "note", slot, w->line->slot, w->line->size, w->line->slots);
    if (*slot != NULL)
        w->note(s, *slot);
}

void cw_si_line_state(struct cw_state *s, struct cw_si_line *l, void (*note)(struct cw_state *s, void *note))
{
    struct walk w = {.line = l, .note = note};
    cw_state_count(s, "next", &l->next, l->slots - 1);
    cw_fifo_state(s, &l->fifo, slot_state, &w);
}

void cw_si_ask_state(struct cw_state *s, void *note)
{
    struct cw_si_ask_note *n = note;
    CW_STATE(s, n->kind);
    CW_STATE(s, n->warp);
    CW_STATE(s, n->lanes);
    CW_STATE(s, n->writers);
    CW_STATE(s, n->crowded);
    CW_STATE(s, n->failed);
    CW_STATE(s, n->age);
    CW_STATE(s, n->blocks);
    CW_STATE(s, n->looked);
    CW_STATE(s, n->ranges);
    CW_STATE(s, n->id);
}

void cw_si_answer_state(struct cw_state *s, void *note)
{
    struct cw_si_answer_note *n = note;
    CW_STATE(s, n->kind);
    CW_STATE(s, n->warp);
    CW_STATE(s, n->slot);
    CW_STATE(s, n->failed);
    CW_STATE(s, n->begin);
    CW_STATE(s, n->snapshot);
    CW_STATE(s, n->id);
}

void cw_si_index_state(struct cw_state *s, void *note)
{
    struct cw_si_index_note *n = note;
    CW_STATE(s, n->kind);
    CW_STATE(s, n->slot);
    CW_STATE(s, n->from);
    CW_STATE(s, n->number);
    CW_STATE(s, n->core);
    CW_STATE(s, n->warp);
    CW_STATE(s, n->lanes);
    CW_STATE(s, n->ids);
    CW_STATE(s, n->time);
    CW_STATE(s, n->ranges);
    CW_STATE(s, n->id);
}

void cw_si_fact_state(struct cw_state *s, void *note)
{
    struct cw_si_fact_note *n = note;
    CW_STATE(s, n->kind);
    CW_STATE(s, n->reader);
    CW_STATE(s, n->writer);
    CW_STATE(s, n->word);
    CW_STATE(s, n->reader_asks);
    CW_STATE(s, n->op);
    CW_STATE(s, n->lane);
}

void cw_si_verdict_state(struct cw_state *s, void *note)
{
    struct cw_si_verdict_note *n = note;
    CW_STATE(s, n->op);
    CW_STATE(s, n->lane);
    CW_STATE(s, n->refused);
    CW_STATE(s, n->write_write);
}
