/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/conflict_address_table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapt/open.h"
#include "adapt/sets.h"
#include "base/ring.h"
#include "cowarp/unit/conflict_address_table.h"

struct change {
    uint32_t word;
    bool leaves;
};

struct bank {
    struct cw_unit_instance unit;
    struct cw_conflict_address_table_in in;
    struct cw_conflict_address_table_out out; /* of the cycle in progress, as far as the state gives it */
    struct change *change;                    /* that wait for their turn */
    uint32_t change_cap;
    struct cw_ring change_ring;
    uint32_t leaving; /* removals among the last three updates, the youngest in bit 0 */
};

struct cw_adapt_conflict_address_table {
    uint64_t memory_base;
    uint32_t bank_cnt;
    struct bank bank[CW_ADAPT_CONFLICT_ADDRESS_TABLE_BANKS];
};

static void look(struct bank *b)
{
    const struct cw_conflict_address_table_in none = {0};
    b->unit.ops->eval(b->unit.self, &none, &b->out);
}

static int open_bank(struct bank *b, const struct cw_adapt_conflict_address_table_config *config, uint32_t index, struct cw_error *err)
{
    struct cw_conflict_address_table_params p;
    char name[64];
    cw_unit_params_default(&cw_conflict_address_table_unit, &p);
    if (!cw_adapt_sets(config->entries / config->banks, &p.ways, &p.set_w))
        return CW_EINVAL;
    snprintf(name, sizeof name, "core%u.conflict_address_table%u", config->core, index);
    const int status = config->units->open(config->units->context, &cw_conflict_address_table_unit, name, &p, &b->unit, err);
    if (status != CW_OK)
        return status;
    for (look(b); !b->out.ready; look(b))
        b->unit.ops->tick(b->unit.self, &b->in);
    return CW_OK;
}

int cw_adapt_conflict_address_table_create(struct cw_adapt_conflict_address_table **out,
                                           const struct cw_adapt_conflict_address_table_config *config, struct cw_error *err)
{
    struct cw_adapt_conflict_address_table *t = *out = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    assert(config->banks >= 1 && config->banks <= CW_ADAPT_CONFLICT_ADDRESS_TABLE_BANKS);
    t->memory_base = config->memory_base;
    t->bank_cnt = config->banks;
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < t->bank_cnt; i++)
        status = open_bank(t->bank + i, config, i, err);
    return status;
}

void cw_adapt_conflict_address_table_destroy(struct cw_adapt_conflict_address_table *t)
{
    if (t == NULL)
        return;
    for (uint32_t i = 0; i < t->bank_cnt; i++) {
        cw_adapt_close(&t->bank[i].unit);
        free(t->bank[i].change);
    }
    free(t);
}

static uint32_t word_of(const struct cw_adapt_conflict_address_table *t, uint64_t addr)
{
    return (uint32_t)((addr - t->memory_base) / 4);
}

/* The low bits of the address alone would send the first words of all records of one size to few banks. */
static struct bank *bank_of(struct cw_adapt_conflict_address_table *t, uint64_t addr)
{
    uint32_t word = word_of(t, addr);
    word ^= word >> 16;
    word ^= word >> 8;
    word ^= word >> 4;
    return t->bank + word % t->bank_cnt;
}

int cw_adapt_conflict_address_table_update(struct cw_adapt_conflict_address_table *t, uint64_t addr, bool leaves)
{
    struct bank *b = bank_of(t, addr);
    if (b->change_ring.cnt == b->change_cap) {
        struct change *larger = cw_ring_grow(&b->change_ring, b->change, &b->change_cap, sizeof *b->change);
        if (larger == NULL)
            return CW_ENOMEM;
        b->change = larger;
    }
    b->change[cw_ring_add(&b->change_ring, b->change_cap)] = (struct change){.word = word_of(t, addr), .leaves = leaves};
    return CW_OK;
}

bool cw_adapt_conflict_address_table_empty(const struct cw_adapt_conflict_address_table *t)
{
    bool empty = true;
    for (uint32_t i = 0; i < t->bank_cnt; i++)
        empty = empty && t->bank[i].out.empty != 0;
    return empty;
}

void cw_adapt_conflict_address_table_ask(struct cw_adapt_conflict_address_table *t, uint64_t addr, uint32_t tag)
{
    struct bank *b = bank_of(t, addr);
    assert(!b->in.qry_valid && tag < CW_ADAPT_CONFLICT_ADDRESS_TABLE_TAGS);
    b->in.qry_valid = 1;
    b->in.qry_word = word_of(t, addr);
    b->in.qry_tag = tag;
}

static bool busy(const struct bank *b)
{
    return b->change_ring.cnt > 0 || !b->out.idle;
}

bool cw_adapt_conflict_address_table_busy(const struct cw_adapt_conflict_address_table *t)
{
    bool any = false;
    for (uint32_t i = 0; i < t->bank_cnt; i++)
        any = any || busy(t->bank + i);
    return any;
}

static void clock_bank(struct bank *b, struct cw_adapt_conflict_address_table_result *result)
{
    struct cw_conflict_address_table_in *in = &b->in;
    if (!in->qry_valid && !busy(b))
        return;
    if (b->change_ring.cnt > 0) {
        const struct change c = b->change[cw_ring_take(&b->change_ring, b->change_cap)];
        in->upd_valid = 1;
        in->upd_word = c.word;
        in->upd_remove = c.leaves;
    }
    b->unit.ops->eval(b->unit.self, in, &b->out);
    b->unit.ops->tick(b->unit.self, in);
    result->removed += b->leaving >> 2 & 1;
    result->refused += b->out.upd_refused != 0;
    if (b->out.ans_valid) {
        result->answered = true;
        result->held = b->out.ans_held != 0;
        result->tag = (uint32_t)b->out.ans_tag;
    }
    b->leaving = b->leaving << 1 | (in->upd_valid && in->upd_remove);
    *in = (struct cw_conflict_address_table_in){0};
    look(b);
}

void cw_adapt_conflict_address_table_clock(struct cw_adapt_conflict_address_table *t, struct cw_adapt_conflict_address_table_result *result)
{
    *result = (struct cw_adapt_conflict_address_table_result){0};
    for (uint32_t i = 0; i < t->bank_cnt; i++)
        clock_bank(t->bank + i, result);
}

static void bank_state(struct cw_state *s, struct bank *b)
{
    cw_adapt_state(s, &b->unit);
    CW_STATE_PORTS(s, b->in);
    CW_STATE_PORTS(s, b->out);
    CW_STATE_GROWN(s, b->change_ring.cnt, b->change, b->change_cap);
    if (cw_state_loads(s))
        b->change_ring.head = 0;
    for (uint32_t i = 0; i < b->change_ring.cnt; i++) {
        struct change *c = &b->change[cw_ring_at(&b->change_ring, i, b->change_cap)];
        CW_STATE(s, c->word);
        CW_STATE(s, c->leaves);
    }
    CW_STATE(s, b->leaving);
}

void cw_adapt_conflict_address_table_state(struct cw_state *s, struct cw_adapt_conflict_address_table *t)
{
    for (uint32_t i = 0; i < t->bank_cnt; i++)
        bank_state(s, &t->bank[i]);
}
