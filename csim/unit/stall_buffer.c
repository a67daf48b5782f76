/* SPDX-License-Identifier: Apache-2.0 */
/* C model of GETM's stall buffer (contract: include/cowarp/unit/stall_buffer.h). */
#include "cowarp/unit/stall_buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct cw_stall_buffer_in stall_in;
typedef struct cw_stall_buffer_out stall_out;

#define LINES_MAX   16u
#define ENTRIES_MAX 16u
#define NO_LINE     LINES_MAX

struct request {
    uint64_t warpts, payload;
};

struct line {
    uint64_t granule;
    uint32_t count; /* requests; 0: the line is free */
    bool awake;
    struct request request[ENTRIES_MAX]; /* in order of arrival */
};

struct stall {
    struct cw_stall_buffer_params p;
    uint64_t granule_mask, ts_mask, payload_mask;
    bool draining;
    uint32_t occupancy, lines_used;
    struct line line[LINES_MAX];
};

struct offer {
    uint32_t line; /* NO_LINE: nothing to offer */
    uint32_t index;
};

static uint64_t mask_of(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static void stall_reset(void *self)
{
    struct stall *s = self;
    s->draining = false;
    s->occupancy = s->lines_used = 0;
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
    *self = s;
    return CW_OK;
}

static void stall_destroy(void *self)
{
    free(self);
}

static uint32_t find_line(const struct stall *s, uint64_t granule)
{
    if (s->lines_used != 0)
        for (uint32_t l = 0; l < s->p.lines; l++)
            if (s->line[l].count != 0 && s->line[l].granule == (granule & s->granule_mask))
                return l;
    return NO_LINE;
}

static uint32_t find_free_line(const struct stall *s)
{
    for (uint32_t l = 0; l < s->p.lines; l++)
        if (s->line[l].count == 0)
            return l;
    return NO_LINE;
}

static struct offer best_offer(const struct stall *s)
{
    struct offer best = {NO_LINE, 0};
    uint64_t least = 0;
    if (s->lines_used == 0)
        return best;
    for (uint32_t l = 0; l < s->p.lines; l++) {
        const struct line *line = &s->line[l];
        if (!line->awake && !s->draining)
            continue;
        for (uint32_t i = 0; i < line->count; i++)
            if (best.line == NO_LINE || line->request[i].warpts < least) {
                best.line = l;
                best.index = i;
                least = line->request[i].warpts;
            }
    }
    return best;
}

/* The line that a push of this granule goes to, or NO_LINE when there is no place for it. */
static uint32_t place_for(const struct stall *s, uint64_t granule)
{
    uint32_t l = find_line(s, granule);
    if (l == NO_LINE)
        return find_free_line(s);
    return s->line[l].count < s->p.entries ? l : NO_LINE;
}

static void stall_eval(void *self, const void *inputs, void *outputs)
{
    const struct stall *s = self;
    const stall_in *in = inputs;
    stall_out *out = outputs;
    struct offer offer = best_offer(s);
    memset(out, 0, sizeof *out);
    out->push_ready = place_for(s, in->push_granule) != NO_LINE;
    if (offer.line != NO_LINE) {
        const struct line *line = &s->line[offer.line];
        out->retry_valid = 1;
        out->retry_granule = line->granule;
        out->retry_warpts = line->request[offer.index].warpts;
        out->retry_payload = line->request[offer.index].payload;
    }
    out->occupancy = s->occupancy;
    out->lines_used = s->lines_used;
}

static void pop(struct stall *s, struct offer offer)
{
    struct line *line = &s->line[offer.line];
    line->count--;
    s->occupancy--;
    for (uint32_t i = offer.index; i < line->count; i++)
        line->request[i] = line->request[i + 1];
}

static void push(struct stall *s, struct line *line, const stall_in *in)
{
    line->granule = in->push_granule & s->granule_mask;
    line->request[line->count].warpts = in->push_warpts & s->ts_mask;
    line->request[line->count].payload = in->push_payload & s->payload_mask;
    line->count++;
    s->occupancy++;
}

/* Frees the lines that the pop has left empty, and counts the used ones. */
static void tidy(struct stall *s)
{
    s->lines_used = 0;
    for (uint32_t l = 0; l < s->p.lines; l++)
        if (s->line[l].count != 0)
            s->lines_used++;
        else
            s->line[l].awake = false;
}

static void stall_tick(void *self, const void *inputs)
{
    struct stall *s = self;
    const stall_in *in = inputs;
    /* Decisions from the state at the start of the cycle, then the changes in the contract's order. */
    uint32_t place = in->push_valid ? place_for(s, in->push_granule) : NO_LINE;
    uint32_t sleeper = in->sleep_valid ? find_line(s, in->sleep_granule) : NO_LINE;
    struct offer offer = best_offer(s);
    bool popped = in->retry_ready && offer.line != NO_LINE;
    if (popped)
        pop(s, offer);
    if (sleeper != NO_LINE)
        s->line[sleeper].awake = false;
    if (place != NO_LINE)
        push(s, &s->line[place], in);
    if (popped || place != NO_LINE)
        tidy(s);
    if (in->wake_valid) {
        uint32_t l = find_line(s, in->wake_granule);
        if (l != NO_LINE)
            s->line[l].awake = true;
    }
    s->draining = in->drain != 0;
}

#define CW_UNIT__PARAMS_T struct cw_stall_buffer_params
#define CW_UNIT__IN_T     struct cw_stall_buffer_in
#define CW_UNIT__OUT_T    struct cw_stall_buffer_out
CW_UNIT_DEFINE(stall_buffer, CW_STALL_BUFFER_PARAMS, CW_STALL_BUFFER_PORTS, stall_create, stall_destroy, stall_reset, stall_eval,
               stall_tick);
