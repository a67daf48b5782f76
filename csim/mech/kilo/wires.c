/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/wires.h"

#include <stdlib.h>

#include "base/error.h"

#define RETIRED 4096u

int cw_kilo_writes_push(struct cw_kilo_writes *q, const struct cw_kilo_write *w)
{
    if (q->ring.cnt == q->cap) {
        struct cw_kilo_write *larger = cw_ring_grow(&q->ring, q->at, &q->cap, sizeof *q->at);
        if (larger == NULL)
            return CW_ENOMEM;
        q->at = larger;
    }
    q->at[cw_ring_add(&q->ring, q->cap)] = *w;
    if (q->wake != NULL && w->ready < *q->wake)
        *q->wake = w->ready;
    return CW_OK;
}

static int create_fifos(struct cw_kilo_wires *w, const struct cw_config *config)
{
    int status = CW_OK;
    for (uint32_t i = 0; i < w->cores && status == CW_OK; i++) {
        status = cw_fifo_create(w->ask + i, config->core_warps + 1, NULL);
        if (status == CW_OK)
            status = cw_fifo_create(w->grant + i, config->core_warps + 1, NULL);
    }
    for (uint32_t i = 0; i < w->partitions && status == CW_OK; i++) {
        status = cw_fifo_create(w->retired + i, RETIRED, NULL);
        if (status == CW_OK)
            status = cw_fifo_create(&w->notes[i].fifo, CW_KILO_NOTES, NULL);
    }
    return status;
}

int cw_kilo_wires_create(struct cw_kilo_wires *w, const struct cw_config *config, bool arbitrated)
{
    const uint32_t cores = config->core_count, partitions = config->partition_count;
    *w = (struct cw_kilo_wires){.cores = cores, .partitions = partitions, .warps = config->core_warps};
    w->request = calloc((size_t)cores * w->warps, sizeof *w->request);
    w->ask = calloc(cores, sizeof *w->ask);
    w->grant = calloc(cores, sizeof *w->grant);
    w->notes = calloc(partitions, sizeof *w->notes);
    w->retired = calloc(partitions, sizeof *w->retired);
    w->write = calloc(partitions, sizeof *w->write);
    if (arbitrated)
        w->overwritten.at = calloc(2 * CW_KILO_OVERWRITTEN, sizeof *w->overwritten.at);
    if (w->request == NULL || w->ask == NULL || w->grant == NULL || w->notes == NULL || w->retired == NULL || w->write == NULL ||
        (arbitrated && w->overwritten.at == NULL))
        return CW_ENOMEM;
    return create_fifos(w, config);
}

void cw_kilo_wires_destroy(struct cw_kilo_wires *w)
{
    for (uint32_t i = 0; i < w->cores; i++) {
        if (w->ask != NULL)
            cw_fifo_destroy(w->ask + i);
        if (w->grant != NULL)
            cw_fifo_destroy(w->grant + i);
    }
    for (uint32_t i = 0; i < w->partitions; i++) {
        if (w->notes != NULL)
            cw_fifo_destroy(&w->notes[i].fifo);
        if (w->retired != NULL)
            cw_fifo_destroy(w->retired + i);
        if (w->write != NULL)
            free(w->write[i].at);
    }
    free(w->request);
    free(w->ask);
    free(w->grant);
    free(w->notes);
    free(w->retired);
    free(w->write);
    free(w->overwritten.at);
}

/* ---- state ---- */

static void request_state(struct cw_state *s, struct cw_kilo_request *r)
{
    CW_STATE(s, r->core);
    CW_STATE(s, r->warp);
    CW_STATE(s, r->attempt);
    CW_STATE(s, r->members);
    CW_STATE(s, r->first);
    CW_STATE(s, r->epoch);
    CW_STATE(s, r->pass);
    CW_STATE(s, r->writers);
}

void cw_kilo_request_slot_state(struct cw_state *s, void **slot, void *wires)
{
    const struct cw_kilo_wires *w = wires;
    cw_state_ref(s, "request", slot, w->request, sizeof *w->request, (size_t)w->cores * w->warps);
}

void cw_kilo_note_state(struct cw_state *s, struct cw_kilo_note *n)
{
    CW_STATE(s, n->kind);
    cw_message_state(s, &n->message);
    CW_STATE(s, n->block);
    CW_STATE(s, n->cnt);
    CW_STATE(s, n->written);
}

static void note_slot_state(struct cw_state *s, void **slot, void *context)
{
    struct cw_kilo_notes *n = context;
    cw_state_ref(s, "note", slot, n->place, sizeof n->place[0], CW_KILO_NOTES + 8);
    if (*slot != NULL)
        cw_kilo_note_state(s, *slot);
}

/* An ID as a pointer. */
static void id_slot_state(struct cw_state *s, void **slot, void *context)
{
    uint64_t id = (uint64_t)(uintptr_t)*slot;
    (void)context;
    CW_STATE(s, id);
    *slot = (void *)(uintptr_t)id;
}

static void writes_state(struct cw_state *s, struct cw_kilo_writes *q)
{
    CW_STATE_GROWN(s, q->ring.cnt, q->at, q->cap);
    if (cw_state_loads(s))
        q->ring.head = 0;
    for (uint32_t i = 0; i < q->ring.cnt; i++) {
        struct cw_kilo_write *w = &q->at[cw_ring_at(&q->ring, i, q->cap)];
        CW_STATE(s, w->addr);
        CW_STATE(s, w->commit);
        CW_STATE(s, w->ready);
        CW_STATE(s, w->core);
        CW_STATE(s, w->warp);
        CW_STATE(s, w->lane);
        CW_STATE(s, w->attempt);
        CW_STATE(s, w->value);
        CW_STATE(s, w->bytes);
    }
}

/* The words that somebody may still read. */
static void overwritten_state(struct cw_state *s, struct cw_kilo_overwritten *b)
{
    CW_STATE(s, b->cnt);
    CW_STATE(s, b->before);
    CW_STATE(s, b->last);
    const uint64_t room = 2 * CW_KILO_OVERWRITTEN, first = b->cnt > room ? b->cnt - room : 0;
    for (uint64_t i = first; i < b->cnt && s->status == CW_OK; i++) {
        CW_STATE(s, b->at[i % room].word);
        CW_STATE(s, b->at[i % room].commit);
    }
}

void cw_kilo_wires_state(struct cw_state *s, struct cw_kilo_wires *w)
{
    for (uint32_t i = 0; i < w->cores * w->warps; i++)
        request_state(s, &w->request[i]);
    for (uint32_t i = 0; i < w->cores; i++) {
        cw_fifo_state(s, &w->ask[i], cw_kilo_request_slot_state, w);
        cw_fifo_state(s, &w->grant[i], cw_kilo_request_slot_state, w);
    }
    for (uint32_t i = 0; i < w->partitions; i++) {
        CW_STATE(s, w->notes[i].cnt);
        cw_fifo_state(s, &w->notes[i].fifo, note_slot_state, &w->notes[i]);
        cw_fifo_state(s, &w->retired[i], id_slot_state, NULL);
        writes_state(s, &w->write[i]);
    }
    if (w->overwritten.at != NULL)
        overwritten_state(s, &w->overwritten);
}
