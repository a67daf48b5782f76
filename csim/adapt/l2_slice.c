/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/l2_slice.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"
#include "cowarp/unit/l2_slice.h"

#define WAYS_MAX    16u
#define SET_W_MAX   10u
#define TAG_W_MAX   22u
#define ENTRIES_MAX 256u
#define LATENCY     3u
#define REST_CYCLES 256u /* One that keeps the contract moves all sectors, and knows its head, in a few dozens. */

struct cw_adapt_l2_slice {
    struct cw_unit_instance unit;
    struct cw_adapt_l2_slice_config config;
    struct cw_l2_slice_in in;
    struct cw_l2_slice_out out; /* Between operations that of a cycle in which nothing is under way. */
    struct cw_adapt_l2_slice_answer answer;
    uint32_t left; /* Cycles until it has to be at rest; 0: it is */
    bool shown;    /* The turn of this cycle has been taken. */
};

static void look(struct cw_adapt_l2_slice *t)
{
    t->unit.ops->eval(t->unit.self, &t->in, &t->out);
}

static void clock(struct cw_adapt_l2_slice *t)
{
    look(t);
    t->unit.ops->tick(t->unit.self, &t->in);
    t->in = (struct cw_l2_slice_in){0};
}

static int sweep(struct cw_adapt_l2_slice *t, struct cw_error *err)
{
    look(t);
    for (uint32_t cycle = 0; !t->out.idle && cycle < CW_ADAPT_REST_CYCLES; cycle++) {
        clock(t);
        look(t);
    }
    return t->out.idle ? CW_OK : cw_adapt_restless(&t->unit, "idle", err);
}

static int check(const struct cw_adapt_l2_slice_config *c, struct cw_error *err)
{
    const uint32_t bits = cw_adapt_bits(c->sets - 1);
    if (c->ways > WAYS_MAX)
        return cw_fail(err, CW_EUNSUP, "l2.slice_unit: unit l2_slice has at most %u ways, and l2.ways is %u", WAYS_MAX, c->ways);
    if ((c->sets & (c->sets - 1)) != 0 || c->sets < 2 || bits > SET_W_MAX)
        return cw_fail(err, CW_EUNSUP,
                       "l2.slice_unit: unit l2_slice has a power of two of sets, 2 to %u, and l2.bytes with l2.ways has %u; choose others",
                       1u << SET_W_MAX, c->sets);
    if (c->entries > ENTRIES_MAX)
        return cw_fail(err, CW_EUNSUP, "l2.slice_unit: unit l2_slice has at most %u entries, and l2.mshrs is %u", ENTRIES_MAX, c->entries);
    if (cw_adapt_bits(c->lines - 1) > bits + TAG_W_MAX)
        return cw_fail(err, CW_EUNSUP, "l2.slice_unit: a partition has %u lines, and unit l2_slice tells 2^%u apart; choose more sets",
                       c->lines, bits + TAG_W_MAX);
    return CW_OK;
}

int cw_adapt_l2_slice_create(struct cw_adapt_l2_slice **out, const struct cw_unit_provider *units,
                             const struct cw_adapt_l2_slice_config *config, struct cw_error *err)
{
    struct cw_adapt_l2_slice *t = *out = calloc(1, sizeof *t);
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for the unit of an L2 slice");
    t->config = *config;
    const uint32_t set_w = cw_adapt_bits(config->sets - 1), line_w = cw_adapt_bits(config->lines - 1);
    const struct cw_l2_slice_params p = {.ways = config->ways,
                                         .set_w = set_w,
                                         .tag_w = line_w > set_w ? line_w - set_w : 1,
                                         .sectors = config->sectors,
                                         .entries = config->entries,
                                         .merge = config->merge,
                                         .req_w = cw_adapt_bits(config->entries * config->merge - 1),
                                         .burst = config->burst,
                                         .whole = config->whole};
    int status = check(config, err);
    if (status == CW_OK)
        status = cw_adapt_open(&t->unit, units, &cw_l2_slice_unit, "partition", config->partition, &p, err);
    return status == CW_OK ? sweep(t, err) : status;
}

void cw_adapt_l2_slice_destroy(struct cw_adapt_l2_slice *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_l2_slice_reset(struct cw_adapt_l2_slice *t)
{
    struct cw_error none;
    assert(t->left == 0);
    t->unit.ops->reset(t->unit.self);
    (void)sweep(t, &none); /* Which it has done once. */
}

/* Wrong hardware may name what there is not; nobody behind it shall. */
static void show_answer(struct cw_adapt_l2_slice *t, uint32_t line)
{
    const struct cw_adapt_l2_slice_config *c = &t->config;
    const uint32_t way = (uint32_t)t->out.ans_way, all = (1u << c->sectors) - 1;
    t->answer = (struct cw_adapt_l2_slice_answer){.result = (enum cw_adapt_l2_slice_result)t->out.ans_result,
                                                  .index = line % c->sets * c->ways + (way < c->ways ? way : 0),
                                                  .entry = (uint32_t)t->out.ans_entry % c->entries,
                                                  .fetch = (uint8_t)(t->out.ans_fetch & all),
                                                  .back = (uint8_t)(t->out.ans_back & all),
                                                  .back_line = (uint32_t)t->out.ans_line % c->lines};
}

const struct cw_adapt_l2_slice_answer *cw_adapt_l2_slice_ask(struct cw_adapt_l2_slice *t, const struct cw_adapt_l2_slice_op *op)
{
    assert(t->left == 0);
    t->in = (struct cw_l2_slice_in){.op_valid = 1,
                                    .op_kind = op->kind,
                                    .op_head = op->head,
                                    .op_pass = op->passes,
                                    .op_pm = op->pm,
                                    .op_line = op->line,
                                    .op_entry = op->entry,
                                    .op_sectors = op->sectors};
    for (uint32_t s = 0; op->mask != NULL && s < t->config.sectors; s++)
        t->in.op_mask[s] = op->mask[s];
    for (uint32_t cycle = 0; cycle < LATENCY; cycle++)
        clock(t);
    t->in.mem_space = op->space < 3 ? op->space : 3;
    t->in.mem_told = op->told;
    t->in.mem_pm = op->pm_ready;
    t->in.act_req = op->number;
    clock(t);
    show_answer(t, op->line);
    t->left = REST_CYCLES;
    t->shown = false;
    return &t->answer;
}

static void show_turn(const struct cw_l2_slice_out *out, struct cw_adapt_l2_slice_turn *turn)
{
    *turn = (struct cw_adapt_l2_slice_turn){.out = out->out_valid,
                                            .back = out->out_back,
                                            .sector = (uint32_t)out->out_sector,
                                            .mask = (uint32_t)out->out_mask,
                                            .wants = out->in_ready,
                                            .wanted = (uint32_t)out->in_sector};
    for (uint32_t b = 0; b < CW_SECTOR_BYTES; b++)
        turn->data[b] = (uint8_t)(out->out_data[b / 4] >> b % 4 * 8);
}

bool cw_adapt_l2_slice_turn(struct cw_adapt_l2_slice *t, struct cw_adapt_l2_slice_turn *turn)
{
    while (t->left > 0) {
        if (t->shown)
            clock(t);
        look(t);
        t->shown = true;
        t->left = t->out.idle ? 0 : t->left - 1;
        if (t->out.out_valid || t->out.in_ready) {
            show_turn(&t->out, turn);
            return true;
        }
    }
    return false;
}

void cw_adapt_l2_slice_give(struct cw_adapt_l2_slice *t, const uint8_t data[CW_SECTOR_BYTES])
{
    t->in.in_valid = 1;
    for (uint32_t b = 0; b < CW_SECTOR_BYTES; b++)
        t->in.in_data[b / 4] |= (uint32_t)data[b] << b % 4 * 8;
}

bool cw_adapt_l2_slice_head(const struct cw_adapt_l2_slice *t, uint32_t *number)
{
    *number = (uint32_t)t->out.head_req;
    return t->out.head_valid;
}

bool cw_adapt_l2_slice_empty(const struct cw_adapt_l2_slice *t)
{
    return t->out.empty;
}

/* Between two operations nothing is under way, and the outputs are those of a unit at rest. */
void cw_adapt_l2_slice_state(struct cw_state *s, struct cw_adapt_l2_slice *t)
{
    assert(t->left == 0);
    cw_adapt_state(s, &t->unit);
    CW_STATE_PORTS(s, t->out);
}
