/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the ownership table of 2PCR (contract: include/cowarp/unit/ownership_table.h). */
#include "cowarp/unit/ownership_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct cw_ownership_table_in own_in;
typedef struct cw_ownership_table_out own_out;

#define NOBODY    0xffu /* above every lane */
#define LANES_MAX 32u

enum phase { IDLE, CLEARING, RUNNING, ENDING, ANSWERING };

struct own {
    struct cw_ownership_table_params p;
    uint32_t lane_mask, addr_mask;
    uint32_t table_w, entries;
    enum phase phase;
    uint32_t clear_left; /* cycles */
    uint32_t alive;
    /* The operation in the table: its lanes without the served ones, and each lane's entry. */
    uint32_t kind, unserved;
    uint32_t entry[LANES_MAX];
    /* The group that was read in the cycle before. */
    uint32_t read_kind, read_lanes;
    uint32_t read_entry[LANES_MAX];
    uint8_t *table; /* of entries owners */
};

static void own_reset(void *self)
{
    struct own *o = self;
    o->phase = IDLE;
    o->alive = o->unserved = o->read_lanes = 0;
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

/* Does the group that was read lower an entry? Then the banks are written in this cycle. */
static bool writes_now(const struct own *o)
{
    if (o->read_kind != CW_OWNERSHIP_MARK)
        return false;
    for (uint32_t rest = o->read_lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (lane < o->table[o->read_entry[lane]])
            return true;
    }
    return false;
}

/* The lanes that the banks serve in this cycle. */
static uint32_t group_of(const struct own *o)
{
    uint32_t row_of_bank[32], named = 0, group = 0;
    if (o->unserved == 0 || writes_now(o))
        return 0;
    for (uint32_t rest = o->unserved; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t bank = o->entry[lane] / 4 % (1u << o->p.bank_w);
        uint32_t row = o->entry[lane] >> (o->p.bank_w + 2);
        if ((named >> bank & 1) == 0) {
            named |= 1u << bank;
            row_of_bank[bank] = row;
        }
        if (row_of_bank[bank] == row)
            group |= 1u << lane;
    }
    return group;
}

static void own_eval(void *self, const void *inputs, void *outputs)
{
    const struct own *o = self;
    own_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    uint32_t group = group_of(o);
    out->start_ready = o->phase == IDLE;
    out->op_ready = o->phase == RUNNING && o->unserved == group;
    out->result_valid = o->phase == ANSWERING;
    out->result_lanes = o->phase == ANSWERING ? o->alive : 0;
    out->alive = o->alive;
    out->access = group != 0;
    out->write = writes_now(o);
}

static uint32_t losers(const struct own *o)
{
    uint32_t lost = 0;
    if (o->read_kind == CW_OWNERSHIP_MARK)
        return 0;
    for (uint32_t rest = o->read_lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t owner = o->table[o->read_entry[lane]];
        if (o->read_kind == CW_OWNERSHIP_CHECK_READ ? owner < lane : owner != lane)
            lost |= 1u << lane;
    }
    return lost;
}

static void mark(struct own *o)
{
    for (uint32_t rest = o->read_lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint8_t *owner = &o->table[o->read_entry[lane]];
        if (lane < *owner)
            *owner = (uint8_t)lane;
    }
}

static void accept(struct own *o, const own_in *in)
{
    o->kind = (uint32_t)in->op_kind;
    if (o->kind == CW_OWNERSHIP_END) {
        o->phase = ENDING;
        return;
    }
    o->unserved = (uint32_t)in->op_lanes & o->alive;
    for (uint32_t lane = 0; lane < o->p.lanes; lane++) {
        uint32_t addr = in->op_addr[lane] & o->addr_mask;
        o->entry[lane] = (uint32_t)((addr % o->entries + (uint64_t)addr / o->entries * 17) % o->entries);
    }
}

static void own_tick(void *self, const void *inputs)
{
    struct own *o = self;
    const own_in *in = inputs;
    uint32_t group = group_of(o), lost = losers(o);
    bool ready = o->phase == RUNNING && o->unserved == group;
    enum phase phase = o->phase;
    if (writes_now(o))
        mark(o);
    o->read_kind = o->kind;
    o->read_lanes = group;
    memcpy(o->read_entry, o->entry, sizeof o->read_entry);
    o->unserved &= ~group;
    if (phase == ENDING)
        o->phase = ANSWERING;
    if (phase == ANSWERING && in->result_ready)
        o->phase = IDLE;
    if (phase == CLEARING && --o->clear_left == 0)
        o->phase = RUNNING;
    if (ready && in->op_valid)
        accept(o, in);
    o->alive &= ~lost; /* after the operation has been accepted with the lanes of this cycle */
    if (phase == IDLE && in->start_valid) {
        o->phase = CLEARING;
        o->clear_left = 1u << o->p.row_w;
        o->alive = (uint32_t)in->start_lanes & o->lane_mask;
        memset(o->table, NOBODY, o->entries);
    }
}

#define CW_UNIT__PARAMS_T struct cw_ownership_table_params
#define CW_UNIT__IN_T     struct cw_ownership_table_in
#define CW_UNIT__OUT_T    struct cw_ownership_table_out
CW_UNIT_DEFINE_WORDS(ownership_table, CW_OWNERSHIP_TABLE_PARAMS, CW_OWNERSHIP_TABLE_PORTS, CW_OWNERSHIP_TABLE_WORDS, own_create,
                     own_destroy, own_reset, own_eval, own_tick);
