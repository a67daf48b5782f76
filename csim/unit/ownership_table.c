/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the ownership table of 2PCR (contract: include/cowarp/unit/ownership_table.h). */
#include "cowarp/unit/ownership_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_ownership_table_in own_in;
typedef struct cw_ownership_table_out own_out;

#define NOBODY    0xffu /* above every lane */
#define LANES_MAX 32u
#define BANKS_MAX 32u

/* Cycles from service to what follows from it. */
#define TO_ACCESS 1u
#define TO_LOSE   4u
#define TO_WRITE  4u
#define TO_RESULT 4u
#define HISTORY   8u /* cycles that are remembered: a power of two, more than any of these */
#define MARK_GAP  3u /* cycles after a group of MARK in which none is chosen */

enum phase { IDLE, CLEARING, RUNNING, ENDING, ANSWERING };

struct operation {
    bool valid;
    uint32_t kind, lanes;
    uint32_t entry[LANES_MAX];
};

/* What a cycle of service has done. */
struct deed {
    bool marked, end;   /* a group of MARK was chosen; END was served */
    bool access, write; /* those that follow */
    uint32_t lost;
};

struct own {
    struct cw_ownership_table_params p;
    uint32_t lane_mask, addr_mask;
    uint32_t table_w, entries;
    enum phase phase;
    uint32_t clear_left; /* cycles */
    uint32_t alive, result;
    struct operation queue[2], sorted, served;
    uint32_t cycles_served; /* cycles in which the operation in service has made progress */
    uint32_t unserved;      /* its lanes */
    struct deed past[HISTORY];
    uint32_t now;   /* cycle, modulo HISTORY: the deed of this cycle */
    uint8_t *table; /* of entries owners, as all groups chosen so far leave it */
};

static void own_reset(void *self)
{
    struct own *o = self;
    o->phase = IDLE;
    o->alive = o->result = 0;
    o->queue[0].valid = o->queue[1].valid = o->sorted.valid = o->served.valid = false;
    memset(o->past, 0, sizeof o->past);
}

static void own_destroy(void *self)
{
    struct own *o = self;
    free(o->table);
    free(o);
}

static int own_create(void **self, const void *params)
{
    const struct cw_ownership_table_params *p = params;
    if (cw_unit_params_check(&cw_ownership_table_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct own *o = calloc(1, sizeof *o);
    if (o == NULL)
        return CW_ENOMEM;
    o->p = *p;
    o->lane_mask = UINT32_MAX >> (32 - p->lanes);
    o->addr_mask = UINT32_MAX >> (32 - p->addr_w);
    o->table_w = p->row_w + p->bank_w + 2;
    o->entries = 1u << o->table_w;
    o->table = malloc(o->entries);
    if (o->table == NULL) {
        own_destroy(o);
        return CW_ENOMEM;
    }
    memset(o->table, NOBODY, o->entries);
    own_reset(o);
    *self = o;
    return CW_OK;
}

/* The deed of so many cycles ago. */
static const struct deed *ago(const struct own *o, uint32_t cycles)
{
    return &o->past[(o->now - cycles) % HISTORY];
}

static bool ready(const struct own *o)
{
    return o->phase == RUNNING && !o->queue[1].valid;
}

static void own_eval(void *self, const void *inputs, void *outputs)
{
    const struct own *o = self;
    own_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->start_ready = o->phase == IDLE;
    out->op_ready = ready(o);
    out->result_valid = o->phase == ANSWERING;
    out->result_lanes = o->phase == ANSWERING ? o->result : 0;
    out->alive = o->alive;
    out->access = ago(o, TO_ACCESS)->access;
    out->write = ago(o, TO_WRITE)->write;
}

/* Of each bank, the entry of its lowest unserved lane; the lanes of all these entries. */
static uint32_t group_of(const struct own *o)
{
    uint32_t entry_of_bank[BANKS_MAX], named = 0, group = 0;
    for (uint32_t rest = o->unserved; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), entry = o->served.entry[lane];
        uint32_t bank = entry / 4 % (1u << o->p.bank_w);
        if ((named >> bank & 1) == 0) {
            named |= 1u << bank;
            entry_of_bank[bank] = entry;
        }
        if (entry_of_bank[bank] == entry)
            group |= 1u << lane;
    }
    return group;
}

/* The lanes of a group of a CHECK that lose. */
static uint32_t losers(const struct own *o, uint32_t group)
{
    uint32_t lost = 0;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t owner = o->table[o->served.entry[lane]];
        if (o->served.kind == CW_OWNERSHIP_CHECK_READ ? owner < lane : owner != lane)
            lost |= 1u << lane;
    }
    return lost;
}

/* Whether an entry changes. */
static bool mark(struct own *o, uint32_t group)
{
    bool changes = false;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint8_t *owner = &o->table[o->served.entry[lane]];
        if (lane < *owner) {
            *owner = (uint8_t)lane;
            changes = true;
        }
    }
    return changes;
}

static struct deed choose(struct own *o)
{
    uint32_t group = group_of(o);
    struct deed deed = {.access = group != 0, .marked = o->served.kind == CW_OWNERSHIP_MARK};
    if (deed.marked)
        deed.write = mark(o, group);
    else
        deed.lost = losers(o, group);
    o->unserved &= ~group;
    return deed;
}

/* One cycle of service. Returns whether the operation leaves. */
static bool serve(struct own *o, struct deed *deed)
{
    bool first = o->cycles_served == 0, is_mark = o->served.kind == CW_OWNERSHIP_MARK;
    if (o->served.kind == CW_OWNERSHIP_END) {
        deed->end = true;
        return true;
    }
    bool pause = is_mark ? o->cycles_served % 2 != 0 : !first && o->unserved == 0;
    if (!pause && ago(o, MARK_GAP)->marked)
        return false;
    o->cycles_served++;
    if (!pause)
        *deed = choose(o);
    /* A MARK leaves after a pause, a CHECK at once if one group was enough. */
    return o->unserved == 0 && (pause || (!is_mark && first));
}

static struct operation taken(const struct own *o, const own_in *in)
{
    struct operation op = {.valid = true, .kind = (uint32_t)in->op_kind};
    if (op.kind == CW_OWNERSHIP_END)
        return op;
    op.lanes = (uint32_t)in->op_lanes & o->alive;
    for (uint32_t lane = 0; lane < o->p.lanes; lane++) {
        uint32_t addr = in->op_addr[lane] & o->addr_mask;
        op.entry[lane] = (uint32_t)((addr % o->entries + (uint64_t)addr / o->entries * 17) % o->entries);
    }
    return op;
}

/* Every operation whose next place is free, or becomes free in this cycle, moves there. */
static void move(struct own *o, bool leaves)
{
    if (leaves)
        o->served.valid = false;
    if (!o->served.valid) {
        o->served = o->sorted;
        o->unserved = o->served.lanes;
        o->cycles_served = 0;
        o->sorted.valid = false;
    }
    if (!o->sorted.valid) {
        o->sorted = o->queue[0];
        o->queue[0] = o->queue[1];
        o->queue[1].valid = false;
    }
}

static void own_tick(void *self, const void *inputs)
{
    struct own *o = self;
    const own_in *in = inputs;
    enum phase phase = o->phase;
    bool takes = in->op_valid && ready(o);
    struct operation op = takes ? taken(o, in) : (struct operation){0};
    struct deed *deed = &o->past[o->now % HISTORY];
    *deed = (struct deed){0};
    move(o, o->served.valid && serve(o, deed));
    if (takes) {
        o->queue[o->queue[0].valid] = op;
        if (op.kind == CW_OWNERSHIP_END)
            o->phase = ENDING;
    }
    o->now++;
    /* The cycle that begins. */
    o->alive &= ~ago(o, TO_LOSE)->lost;
    if (ago(o, TO_RESULT)->end) {
        o->phase = ANSWERING;
        o->result = o->alive;
    }
    if (phase == ANSWERING && in->result_ready)
        o->phase = IDLE;
    if (phase == CLEARING && --o->clear_left == 0)
        o->phase = RUNNING;
    if (phase == IDLE && in->start_valid) {
        o->phase = CLEARING;
        o->clear_left = 1u << o->p.row_w;
        o->alive = (uint32_t)in->start_lanes & o->lane_mask;
        memset(o->table, NOBODY, o->entries);
    }
}

static void operation_state(struct cw_state *s, struct operation *op)
{
    CW_STATE(s, op->valid);
    CW_STATE(s, op->kind);
    CW_STATE(s, op->lanes);
    CW_STATE(s, op->entry);
}

static void own_state(void *self, struct cw_state *s)
{
    struct own *o = self;
    CW_STATE(s, o->phase);
    CW_STATE(s, o->clear_left);
    CW_STATE(s, o->alive);
    CW_STATE(s, o->result);
    operation_state(s, &o->queue[0]);
    operation_state(s, &o->queue[1]);
    operation_state(s, &o->sorted);
    operation_state(s, &o->served);
    CW_STATE(s, o->cycles_served);
    CW_STATE(s, o->unserved);
    for (uint32_t i = 0; i < HISTORY; i++) {
        CW_STATE(s, o->past[i].marked);
        CW_STATE(s, o->past[i].end);
        CW_STATE(s, o->past[i].access);
        CW_STATE(s, o->past[i].write);
        CW_STATE(s, o->past[i].lost);
    }
    CW_STATE(s, o->now);
    cw_state_array(s, "table", o->table, o->entries, sizeof *o->table);
}

#define CW_UNIT__PARAMS_T struct cw_ownership_table_params
#define CW_UNIT__IN_T     struct cw_ownership_table_in
#define CW_UNIT__OUT_T    struct cw_ownership_table_out
CW_UNIT_DEFINE_WORDS(ownership_table, CW_OWNERSHIP_TABLE_PARAMS, CW_OWNERSHIP_TABLE_PORTS, CW_OWNERSHIP_TABLE_WORDS, own_create,
                     own_destroy, own_reset, own_eval, own_tick, own_state);
