/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/l2_tags.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"
#include "cowarp/unit/l2_tags.h"

#define WAYS_MAX  16u
#define SET_W_MAX 13u

struct cw_adapt_l2_tags {
    struct cw_unit_instance unit;
    struct cw_adapt_l2_tags_config config;
    struct cw_l2_tags_in in;
    struct cw_l2_tags_out out;
    struct cw_adapt_l2_tags_view view;
    bool asked; /* A look waits for its set */
};

static void look(struct cw_adapt_l2_tags *t)
{
    t->unit.ops->eval(t->unit.self, &t->in, &t->out);
}

static void clock(struct cw_adapt_l2_tags *t)
{
    look(t);
    t->unit.ops->tick(t->unit.self, &t->in);
    t->in = (struct cw_l2_tags_in){0};
}

static int sweep(struct cw_adapt_l2_tags *t, struct cw_error *err)
{
    look(t);
    for (uint32_t cycle = 0; !t->out.op_ready && cycle < CW_ADAPT_REST_CYCLES; cycle++) {
        clock(t);
        look(t);
    }
    return t->out.op_ready ? CW_OK : cw_adapt_restless(&t->unit, "op_ready", err);
}

static int check(const struct cw_adapt_l2_tags_config *c, struct cw_error *err)
{
    if (c->ways > WAYS_MAX)
        return cw_fail(err, CW_EUNSUP, "l2.tags_unit: unit l2_tags has at most %u ways, and l2.ways is %u", WAYS_MAX, c->ways);
    if (c->sets > 1u << SET_W_MAX)
        return cw_fail(err, CW_EUNSUP, "l2.tags_unit: unit l2_tags has at most %u sets, and l2.bytes has %u; choose more l2.ways",
                       1u << SET_W_MAX, c->sets);
    return CW_OK;
}

int cw_adapt_l2_tags_create(struct cw_adapt_l2_tags **out, const struct cw_unit_provider *units,
                            const struct cw_adapt_l2_tags_config *config, struct cw_error *err)
{
    struct cw_adapt_l2_tags *t = *out = calloc(1, sizeof *t);
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for the tags of an L2 slice");
    t->config = *config;
    const struct cw_l2_tags_params p = {.ways = config->ways,
                                        .set_w = cw_adapt_bits(config->sets - 1),
                                        .tag_w = cw_adapt_bits(UINT32_MAX / config->sets),
                                        .sectors = config->sectors};
    int status = check(config, err);
    if (status == CW_OK)
        status = cw_adapt_open(&t->unit, units, &cw_l2_tags_unit, "partition", config->partition, &p, err);
    return status == CW_OK ? sweep(t, err) : status;
}

void cw_adapt_l2_tags_destroy(struct cw_adapt_l2_tags *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_l2_tags_reset(struct cw_adapt_l2_tags *t)
{
    struct cw_error none;
    assert(!t->asked);
    t->unit.ops->reset(t->unit.self);
    (void)sweep(t, &none); /* Which it has done once. */
}

const struct cw_adapt_l2_tags_view *cw_adapt_l2_tags_look(struct cw_adapt_l2_tags *t, uint32_t number)
{
    const struct cw_adapt_l2_tags_config *c = &t->config;
    const uint32_t set = number % c->sets;
    assert(!t->asked);
    t->in.op_valid = 1;
    t->in.op_set = set;
    t->in.op_tag = number / c->sets;
    clock(t);
    clock(t);
    look(t);
    t->view = (struct cw_adapt_l2_tags_view){.line = CW_ADAPT_L2_TAGS_NONE};
    if ((t->out.ans_hit || t->out.ans_victim) && t->out.ans_way < c->ways)
        t->view.line = set * c->ways + (uint32_t)t->out.ans_way;
    t->view.present = t->out.ans_hit && t->view.line != CW_ADAPT_L2_TAGS_NONE;
    t->view.number = (uint32_t)t->out.ans_tag * c->sets + set;
    t->view.valid = (uint8_t)t->out.ans_sectors;
    t->view.dirty = (uint8_t)t->out.ans_dirty;
    t->asked = true;
    return &t->view;
}

void cw_adapt_l2_tags_set(struct cw_adapt_l2_tags *t, const struct cw_adapt_l2_tags_line *line)
{
    const uint8_t valid = t->view.present ? t->view.valid : 0, dirty = t->view.present ? t->view.dirty : 0;
    assert(t->asked);
    t->asked = false;
    if (line != NULL)
        t->in = (struct cw_l2_tags_in){.act_valid = 1,
                                       .act_drop = !line->present,
                                       .act_fill = line->valid & ~(uint32_t)valid,
                                       .act_write = line->dirty & ~(uint32_t)dirty,
                                       .act_clean = (dirty & ~(uint32_t)line->dirty) != 0,
                                       .act_hold = line->held,
                                       .act_use = line->used};
    clock(t);
}

/* Between two operations nothing is under way. */
void cw_adapt_l2_tags_state(struct cw_state *s, struct cw_adapt_l2_tags *t)
{
    assert(!t->asked);
    cw_adapt_state(s, &t->unit);
}
