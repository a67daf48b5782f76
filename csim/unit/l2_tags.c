/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the tags of an L2 slice (contract: include/cowarp/unit/l2_tags.h).
 *
 * The order of use of a set is a list of its ways. An operation waits for the cycle of its answer, and looks at its set in that cycle alone:
 * whoever comes before it has been there.
 */
#include "cowarp/unit/l2_tags.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_l2_tags_in tags_in;
typedef struct cw_l2_tags_out tags_out;

#define WAYS_MAX 16u

struct line {
    uint32_t tag;
    uint8_t valid, dirty; /* A bit for each sector. */
    bool present, held;
};

struct set {
    struct line line[WAYS_MAX];
    uint8_t order[WAYS_MAX]; /* Ways, the one used last comes first. */
};

struct operation {
    bool there;
    uint32_t set, tag;
};

struct tags {
    struct cw_l2_tags_params p;
    uint32_t set_mask, tag_mask, sector_mask;
    struct set *set;
    uint32_t wait;                   /* Cycles until operations are taken. */
    struct operation read, answered; /* Taken in the cycle before, and before that. */
};

static void tags_reset(void *self)
{
    struct tags *t = self;
    const uint32_t sets = 1u << t->p.set_w;
    for (uint32_t i = 0; i < sets; i++) {
        t->set[i] = (struct set){0};
        for (uint32_t w = 0; w < WAYS_MAX; w++)
            t->set[i].order[w] = (uint8_t)w;
    }
    t->wait = sets;
    t->read = t->answered = (struct operation){0};
}

static void tags_destroy(void *self)
{
    struct tags *t = self;
    if (t == NULL)
        return;
    free(t->set);
    free(t);
}

static uint32_t mask_of(uint32_t width)
{
    return width >= 32 ? UINT32_MAX : (1u << width) - 1;
}

static int tags_create(void **self, const void *params)
{
    const struct cw_l2_tags_params *p = params;
    if (cw_unit_params_check(&cw_l2_tags_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct tags *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->set_mask = mask_of(p->set_w);
    t->tag_mask = mask_of(p->tag_w);
    t->sector_mask = mask_of(p->sectors);
    t->set = calloc((size_t)1 << p->set_w, sizeof *t->set);
    if (t->set == NULL) {
        free(t);
        return CW_ENOMEM;
    }
    tags_reset(t);
    *self = t;
    return CW_OK;
}

static bool is_present(const struct tags *t, const struct operation *op, uint32_t way)
{
    const struct line *l = &t->set[op->set].line[way];
    return l->present && l->tag == op->tag;
}

/* The way that goes; `ways`: all are held. */
static uint32_t victim(const struct tags *t, const struct set *s)
{
    for (uint32_t w = 0; w < t->p.ways; w++)
        if (!s->line[w].present)
            return w;
    for (uint32_t i = t->p.ways; i-- > 0;)
        if (!s->line[s->order[i]].held)
            return s->order[i];
    return t->p.ways;
}

/* The way that the answer names; `ways`: none. */
static uint32_t named(const struct tags *t, const struct operation *op, bool *hit)
{
    for (uint32_t w = 0; w < t->p.ways; w++)
        if ((*hit = is_present(t, op, w)))
            return w;
    return victim(t, &t->set[op->set]);
}

static void tags_eval(void *self, const void *inputs, void *outputs)
{
    const struct tags *t = self;
    const tags_in *in = inputs;
    tags_out *out = outputs;
    bool hit;
    *out = (tags_out){.ans_valid = t->answered.there, .idle = t->wait == 0 && !t->read.there && !t->answered.there};
    out->op_ready = t->wait == 0 && !(t->read.there && t->read.set == (in->op_set & t->set_mask));
    if (!t->answered.there)
        return;
    const uint32_t way = named(t, &t->answered, &hit);
    if (way == t->p.ways)
        return;
    const struct line *l = &t->set[t->answered.set].line[way];
    out->ans_hit = hit;
    out->ans_victim = !hit;
    out->ans_way = way;
    if (!l->present)
        return;
    out->ans_tag = l->tag;
    out->ans_sectors = l->valid;
    out->ans_dirty = l->dirty;
    out->ans_held = l->held;
}

static void use(struct set *s, uint32_t way)
{
    uint32_t at = 0;
    while (at < WAYS_MAX - 1 && s->order[at] != way)
        at++;
    memmove(s->order + 1, s->order, at);
    s->order[0] = (uint8_t)way;
}

static void act(struct tags *t, const tags_in *in)
{
    struct set *s = &t->set[t->answered.set];
    bool hit;
    const uint32_t way = named(t, &t->answered, &hit);
    if (way == t->p.ways)
        return;
    struct line *l = &s->line[way];
    if (!hit || in->act_drop & 1)
        *l = (struct line){0};
    if (in->act_drop & 1)
        return;
    l->present = true;
    l->tag = t->answered.tag;
    l->held = in->act_hold & 1;
    l->valid = (uint8_t)(l->valid | (in->act_fill & t->sector_mask));
    l->dirty = (uint8_t)((in->act_clean & 1 ? 0 : l->dirty) | (in->act_write & t->sector_mask));
    if (!hit || in->act_use & 1)
        use(s, way);
}

static void tags_tick(void *self, const void *inputs)
{
    struct tags *t = self;
    const tags_in *in = inputs;
    tags_out out;
    tags_eval(t, in, &out);
    if (t->answered.there && in->act_valid & 1)
        act(t, in);
    t->answered = t->read;
    t->read = (struct operation){
        .there = in->op_valid & out.op_ready & 1, .set = (uint32_t)in->op_set & t->set_mask, .tag = (uint32_t)in->op_tag & t->tag_mask};
    t->wait -= t->wait > 0;
}

static void operation_state(struct cw_state *s, struct operation *op, uint32_t last_set)
{
    CW_STATE(s, op->there);
    cw_state_count(s, "set", &op->set, last_set);
    CW_STATE(s, op->tag);
}

static void tags_state(void *self, struct cw_state *s)
{
    struct tags *t = self;
    for (uint32_t i = 0; i < 1u << t->p.set_w; i++) {
        for (uint32_t w = 0; w < t->p.ways; w++) {
            struct line *l = &t->set[i].line[w];
            CW_STATE(s, l->tag);
            CW_STATE(s, l->valid);
            CW_STATE(s, l->dirty);
            CW_STATE(s, l->present);
            CW_STATE(s, l->held);
        }
        for (uint32_t w = 0; w < t->p.ways; w++) {
            uint32_t way = t->set[i].order[w];
            cw_state_count(s, "order", &way, t->p.ways - 1);
            t->set[i].order[w] = (uint8_t)way;
        }
    }
    CW_STATE(s, t->wait);
    operation_state(s, &t->read, t->set_mask);
    operation_state(s, &t->answered, t->set_mask);
}

#define CW_UNIT__PARAMS_T struct cw_l2_tags_params
#define CW_UNIT__IN_T     struct cw_l2_tags_in
#define CW_UNIT__OUT_T    struct cw_l2_tags_out
CW_UNIT_DEFINE(l2_tags, CW_L2_TAGS_PARAMS, CW_L2_TAGS_PORTS, tags_create, tags_destroy, tags_reset, tags_eval, tags_tick, tags_state);
