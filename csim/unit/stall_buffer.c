/* SPDX-License-Identifier: Apache-2.0 */
/* C model of GETM's stall buffer (contract: include/cowarp/unit/stall_buffer.h). */
#include "cowarp/unit/stall_buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_stall_buffer_in stall_in;
typedef struct cw_stall_buffer_out stall_out;

#define LINES_MAX   16u
#define ENTRIES_MAX 16u

struct request {
    bool held;
    uint64_t warpts, payload;
};

struct line {
    uint64_t granule;
    uint32_t count; /* requests; 0: the line is free */
    bool awake;
    struct request request[ENTRIES_MAX];
};

struct place {
    bool there;
    uint32_t line, entry;
};

enum retry { NOBODY, SOUGHT, OFFERED, TAKEN };

struct stall {
    struct cw_stall_buffer_params p;
    uint64_t granule_mask, ts_mask, payload_mask;
    bool draining;
    uint32_t occupancy, lines_used;
    struct line line[LINES_MAX];
    struct place asked, asked_before; /* in the last cycle and the one before */
    uint32_t quiet;                   /* cycles since the last push, at most 2 */
    enum retry retry;
    uint32_t wait; /* SOUGHT: cycles until the offer */
    struct place best;
};

static uint64_t mask_of(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static void stall_reset(void *self)
{
    struct stall *s = self;
    s->draining = false;
    s->occupancy = s->lines_used = s->wait = 0;
    s->quiet = 2;
    s->asked.there = s->asked_before.there = false;
    s->retry = NOBODY;
    memset(s->line, 0, sizeof s->line);
}

static int stall_create(void **self, const void *params)
{
    const struct cw_stall_buffer_params *p = params;
    if (cw_unit_params_check(&cw_stall_buffer_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct stall *s = calloc(1, sizeof *s);
    if (s == NULL)
        return CW_ENOMEM;
    s->p = *p;
    s->granule_mask = mask_of(p->granule_w);
    s->ts_mask = mask_of(p->ts_w);
    s->payload_mask = mask_of(p->payload_w);
    stall_reset(s);
    *self = s;
    return CW_OK;
}

static void stall_destroy(void *self)
{
    free(self);
}

static struct line *line_of(struct stall *s, uint64_t granule)
{
    for (uint32_t l = 0; l < s->p.lines; l++)
        if (s->line[l].count > 0 && s->line[l].granule == granule)
            return &s->line[l];
    return NULL;
}

static struct place place_for(struct stall *s, uint64_t granule)
{
    struct line *line = line_of(s, granule);
    struct place place = {false, 0, 0};
    if (line != NULL) {
        place.line = (uint32_t)(line - s->line);
        while (place.entry < s->p.entries && line->request[place.entry].held)
            place.entry++;
        place.there = place.entry < s->p.entries;
        return place;
    }
    while (place.line < s->p.lines && s->line[place.line].count > 0)
        place.line++;
    place.there = place.line < s->p.lines;
    return place;
}

static bool may_retry(const struct stall *s, uint32_t l)
{
    return s->line[l].count > 0 && (s->line[l].awake || s->draining);
}

/* How many requests wait in awake lines; best: the one with the smallest warpts. */
static uint32_t seek(const struct stall *s, struct place *best)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < s->p.lines; l++)
        for (uint32_t e = 0; may_retry(s, l) && e < s->p.entries; e++) {
            const struct request *r = &s->line[l].request[e];
            if (r->held && (n++ == 0 || r->warpts < s->line[best->line].request[best->entry].warpts))
                *best = (struct place){true, l, e};
        }
    return n;
}

static void put(struct stall *s, const stall_in *in, struct place place)
{
    struct line *line = &s->line[place.line];
    line->granule = in->push_granule & s->granule_mask;
    line->request[place.entry] =
        (struct request){.held = true, .warpts = in->push_warpts & s->ts_mask, .payload = in->push_payload & s->payload_mask};
    s->lines_used += line->count++ == 0;
    s->occupancy++;
    s->quiet = 0;
}

/* The retried request leaves, or its line goes to sleep. A line that this empties may be filled by the push of the same cycle. */
static void finish(struct stall *s, bool sleep)
{
    struct line *line = &s->line[s->best.line];
    s->retry = NOBODY;
    if (sleep) {
        line->awake = false;
        return;
    }
    line->request[s->best.entry].held = false;
    s->lines_used -= --line->count == 0;
    s->occupancy--;
}

static void advance_retry(struct stall *s, const stall_in *in)
{
    if (s->retry == NOBODY) {
        s->wait = seek(s, &s->best);
        if (s->wait > 0)
            s->retry = SOUGHT;
    } else if (s->retry == SOUGHT) {
        if (s->wait-- == 0)
            s->retry = OFFERED;
    } else if (s->retry == OFFERED && (in->retry_ready & 1))
        s->retry = TAKEN;
    else if (s->retry == TAKEN && (in->done_valid & 1))
        finish(s, in->done_sleep & 1);
}

static void stall_tick(void *self, const void *inputs)
{
    struct stall *s = self;
    const stall_in *in = inputs;
    struct place asked = place_for(s, in->ask_granule & s->granule_mask);
    struct line *woken = in->wake_valid & 1 ? line_of(s, in->wake_granule & s->granule_mask) : NULL;
    bool push = (in->push_valid & 1) && s->asked_before.there && s->quiet >= 2;
    advance_retry(s, in);
    if (push)
        put(s, in, s->asked_before);
    else if (s->quiet < 2)
        s->quiet++;
    if (woken != NULL)
        woken->awake = true;
    for (uint32_t l = 0; l < s->p.lines; l++)
        s->line[l].awake = s->line[l].awake && s->line[l].count > 0;
    s->asked_before = s->asked;
    s->asked = asked;
    s->draining = in->drain & 1;
}

static void stall_eval(void *self, const void *inputs, void *outputs)
{
    const struct stall *s = self;
    stall_out *out = outputs;
    struct place best;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->ask_place = s->asked.there;
    out->occupancy = s->occupancy;
    out->lines_used = s->lines_used;
    out->pending = s->retry != NOBODY || (s->occupancy > 0 && seek(s, &best) > 0);
    if (s->retry != OFFERED)
        return;
    const struct request *r = &s->line[s->best.line].request[s->best.entry];
    out->retry_valid = 1;
    out->retry_granule = s->line[s->best.line].granule;
    out->retry_warpts = r->warpts;
    out->retry_payload = r->payload;
}

static void line_state(struct cw_state *s, struct line *l, uint32_t entries)
{
    CW_STATE(s, l->granule);
    cw_state_count(s, "requests of a line", &l->count, entries);
    CW_STATE(s, l->awake);
    for (uint32_t i = 0; i < entries; i++) {
        CW_STATE(s, l->request[i].held);
        CW_STATE(s, l->request[i].warpts);
        CW_STATE(s, l->request[i].payload);
    }
}

static void place_state(struct cw_state *s, const struct stall *b, struct place *p)
{
    CW_STATE(s, p->there);
    cw_state_count(s, "line", &p->line, b->p.lines);
    cw_state_count(s, "entry", &p->entry, b->p.entries);
}

static void stall_state(void *self, struct cw_state *s)
{
    struct stall *b = self;
    CW_STATE(s, b->draining);
    CW_STATE(s, b->occupancy);
    CW_STATE(s, b->lines_used);
    for (uint32_t i = 0; i < b->p.lines; i++)
        line_state(s, &b->line[i], b->p.entries);
    place_state(s, b, &b->asked);
    place_state(s, b, &b->asked_before);
    place_state(s, b, &b->best);
    CW_STATE(s, b->quiet);
    CW_STATE(s, b->retry);
    CW_STATE(s, b->wait);
}

#define CW_UNIT__PARAMS_T struct cw_stall_buffer_params
#define CW_UNIT__IN_T     struct cw_stall_buffer_in
#define CW_UNIT__OUT_T    struct cw_stall_buffer_out
CW_UNIT_DEFINE(stall_buffer, CW_STALL_BUFFER_PARAMS, CW_STALL_BUFFER_PORTS, stall_create, stall_destroy, stall_reset, stall_eval,
               stall_tick, stall_state);
