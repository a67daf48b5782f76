/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the persist buffer (contract: include/cowarp/unit/persist_buffer.h). */
#include "cowarp/unit/persist_buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_persist_buffer_in buffer_in;
typedef struct cw_persist_buffer_out buffer_out;

#define WARPS_MAX 64u
#define NEVER     0u

struct entry {
    uint32_t kind, line;
    uint64_t mask;
    bool gone;
    uint64_t orders_before; /* ordering entries that were appended before it */
};

enum head_state { HEAD_UNREAD, HEAD_IN_SIGHT, HEAD_ON_OFFER };

/* Each entry has a number, from 1 on, in the order of appending: entry n is at the index (n - 1) modulo `entries`. */
struct buffer {
    struct cw_persist_buffer_params p;
    uint64_t warp_mask;
    uint64_t index_mask, warp_number_mask, line_mask; /* of ports */
    struct entry *entry;                              /* [entries] */
    uint64_t oldest, next;                            /* numbers: of the head, of what is appended next */
    uint64_t orders_in, orders_out;                   /* ordering entries appended, and left */
    uint64_t youngest[8];                             /* [kind]: the last one appended; NEVER */
    uint64_t last_order[WARPS_MAX];                   /* the youngest ordering entry that has the warp in its mask */
    uint64_t last_of_warp[WARPS_MAX];                 /* the youngest entry of any kind that has it */
    uint64_t asked;                                   /* entries up to this one are asked for */
    enum head_state head;
    uint32_t head_index;
    bool fresh;       /* the head is in sight since this cycle */
    buffer_in insert; /* of the last cycle, which is carried out in this one: its ins_* */
    bool evict_done;  /* an eviction is being answered: that of the line at evict_index */
    uint32_t evict_index;
};

static void buffer_reset(void *self)
{
    struct buffer *b = self;
    b->oldest = b->next = 1;
    b->orders_in = b->orders_out = 0;
    memset(b->youngest, 0, sizeof b->youngest);
    memset(b->last_order, 0, sizeof b->last_order);
    memset(b->last_of_warp, 0, sizeof b->last_of_warp);
    b->asked = NEVER;
    b->head = HEAD_UNREAD;
    b->head_index = 0;
    b->fresh = false;
    memset(&b->insert, 0, sizeof b->insert);
    b->evict_done = false;
    b->evict_index = 0;
}

static void buffer_destroy(void *self)
{
    struct buffer *b = self;
    if (b != NULL)
        free(b->entry);
    free(b);
}

static int buffer_create(void **self, const void *params)
{
    const struct cw_persist_buffer_params *p = params;
    if (cw_unit_params_check(&cw_persist_buffer_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct buffer *b = calloc(1, sizeof *b);
    if (b == NULL)
        return CW_ENOMEM;
    b->p = *p;
    b->warp_mask = UINT64_MAX >> (64 - p->warps);
    b->line_mask = (1u << p->line_w) - 1;
    b->index_mask = (1u << CW_PERSIST_BUFFER_INDEX_W(p->entries)) - 1;
    b->warp_number_mask = (1u << CW_PERSIST_BUFFER_INDEX_W(p->warps)) - 1;
    b->entry = calloc(p->entries, sizeof *b->entry);
    if (b->entry == NULL) {
        buffer_destroy(b);
        return CW_ENOMEM;
    }
    buffer_reset(b);
    *self = b;
    return CW_OK;
}

/* Of an entry that is in the buffer, or of the next one that will be. */
static uint32_t index_of(const struct buffer *b, uint64_t number)
{
    const uint32_t index = b->head_index + (uint32_t)(number - b->oldest);
    return index < b->p.entries ? index : index - b->p.entries;
}

static struct entry *entry_of(const struct buffer *b, uint64_t number)
{
    return &b->entry[index_of(b, number)];
}

/* The number of the line at an index; NEVER if no line is there that is in the buffer. */
static uint64_t line_at(const struct buffer *b, uint64_t index)
{
    if (index >= b->p.entries)
        return NEVER;
    const uint64_t number = b->oldest + (index >= b->head_index ? index - b->head_index : index + b->p.entries - b->head_index);
    const struct entry *e = &b->entry[index];
    return number < b->next && e->kind == CW_PERSIST_LINE && !e->gone ? number : NEVER;
}

static bool on_offer(const struct buffer *b, uint64_t number)
{
    return b->head == HEAD_ON_OFFER && number == b->oldest;
}

/* The inputs without bits above their ports' widths. */
static buffer_in masked(const struct buffer *b, const buffer_in *in)
{
    buffer_in m = *in;
    m.ins_valid &= 1;
    m.ins_kind &= 7;
    m.ins_warp &= b->warp_number_mask;
    m.ins_line &= b->line_mask;
    m.ins_held &= 1;
    m.ins_entry &= b->index_mask;
    m.evict_valid &= 1;
    m.evict_entry &= b->index_mask;
    m.flush_ready &= 1;
    m.order_ready &= 1;
    m.fsm &= b->warp_mask;
    m.hold &= 1;
    m.drain &= 1;
    return m;
}

/* What an insert does, and to which entry. */
struct verdict {
    enum cw_persist_answer answer;
    uint64_t number;
};

static struct verdict append(const struct buffer *b)
{
    if (b->next - b->oldest == b->p.entries)
        return (struct verdict){CW_PERSIST_FULL, NEVER};
    return (struct verdict){CW_PERSIST_APPENDED, b->next};
}

static struct verdict judge_line(const struct buffer *b)
{
    const buffer_in *in = &b->insert;
    if (!in->ins_held)
        return append(b);
    const uint64_t number = line_at(b, in->ins_entry);
    if (number == NEVER || on_offer(b, number) || (b->evict_done && b->evict_index == in->ins_entry))
        return (struct verdict){CW_PERSIST_BUSY, NEVER};
    if (in->ins_warp < b->p.warps && b->last_order[in->ins_warp] > number)
        return (struct verdict){CW_PERSIST_CONFLICT, NEVER};
    return (struct verdict){CW_PERSIST_COALESCED, number};
}

static struct verdict judge_order(const struct buffer *b)
{
    const buffer_in *in = &b->insert;
    const uint64_t target = b->youngest[in->ins_kind];
    const bool acquire = in->ins_kind == CW_PERSIST_ACQ_BLOCK || in->ins_kind == CW_PERSIST_ACQ_DEV;
    if (target < b->oldest || on_offer(b, target))
        return append(b);
    if (in->ins_warp < b->p.warps && b->last_of_warp[in->ins_warp] > target)
        return append(b);
    if (acquire && (b->youngest[CW_PERSIST_REL_BLOCK] > target || b->youngest[CW_PERSIST_REL_DEV] > target))
        return append(b);
    return (struct verdict){CW_PERSIST_MERGED, target};
}

static struct verdict judge(const struct buffer *b)
{
    if (!b->insert.ins_valid || b->insert.ins_kind >= CW_PERSIST_KIND_CNT)
        return (struct verdict){CW_PERSIST_BUSY, NEVER};
    return b->insert.ins_kind == CW_PERSIST_LINE ? judge_line(b) : judge_order(b);
}

static bool blocked(const struct buffer *b, uint64_t fsm)
{
    const struct entry *e = entry_of(b, b->oldest);
    return b->head == HEAD_IN_SIGHT && e->kind == CW_PERSIST_LINE && !e->gone && (e->mask & fsm) != 0;
}

static bool evict_goes(const struct buffer *b, const buffer_in *in)
{
    const uint64_t number = b->evict_done ? line_at(b, b->evict_index) : NEVER;
    if (number == NEVER || on_offer(b, number) || in->hold || blocked(b, in->fsm))
        return false;
    const struct entry *e = entry_of(b, number);
    return e->orders_before == b->orders_out && (e->mask & in->fsm) == 0;
}

enum head_step { HEAD_STAYS, HEAD_IS_READ, HEAD_VANISHES, HEAD_IS_OFFERED, HEAD_IS_TAKEN };

/* joins: the warps that join the head's mask in this cycle. taken: its offer is. */
static enum head_step head_step(const struct buffer *b, const buffer_in *in, uint64_t joins, bool taken)
{
    const struct entry *e = entry_of(b, b->oldest);
    if (b->oldest == b->next)
        return HEAD_STAYS;
    if (b->head == HEAD_UNREAD)
        return HEAD_IS_READ;
    if (b->head == HEAD_ON_OFFER)
        return taken ? HEAD_IS_TAKEN : HEAD_STAYS;
    if (b->evict_done && b->evict_index == b->head_index)
        return HEAD_STAYS;
    if (e->kind != CW_PERSIST_LINE)
        return HEAD_IS_OFFERED;
    if (e->gone)
        return HEAD_VANISHES;
    const bool asked = in->drain || b->asked >= b->oldest;
    return asked && !in->hold && ((e->mask | joins) & in->fsm) == 0 ? HEAD_IS_OFFERED : HEAD_STAYS;
}

static void buffer_eval(void *self, const void *inputs, void *outputs)
{
    const struct buffer *b = self;
    const buffer_in driven = masked(b, inputs), *in = &driven;
    buffer_out *out = outputs;
    memset(out, 0, sizeof *out);
    if (b->insert.ins_valid) {
        const struct verdict v = judge(b);
        out->ins_answer = v.answer;
        out->ins_at = v.answer == CW_PERSIST_APPENDED || v.answer == CW_PERSIST_MERGED ? index_of(b, v.number) : 0;
    }
    out->evict_done = b->evict_done;
    out->evict_go = evict_goes(b, in);
    if (b->head == HEAD_ON_OFFER) {
        const struct entry *e = entry_of(b, b->oldest);
        if (e->kind == CW_PERSIST_LINE) {
            out->flush_valid = 1;
            out->flush_line = e->line;
            out->flush_entry = b->head_index;
        } else {
            out->order_valid = 1;
            out->order_kind = e->kind;
            out->order_warps = e->mask;
        }
    }
    out->count = b->next - b->oldest;
    out->full = out->count == b->p.entries;
    out->empty = out->count == 0;
    out->demand = b->asked >= b->oldest;
    out->busy = b->insert.ins_valid || b->evict_done || b->fresh || head_step(b, in, 0, false) != HEAD_STAYS;
}

/* The bit that an entry's mask gets by the insert. */
static uint64_t bit_that_joins(const struct buffer *b, struct verdict v, uint64_t number)
{
    const buffer_in *in = &b->insert;
    const bool joins = v.answer == CW_PERSIST_COALESCED || v.answer == CW_PERSIST_MERGED;
    return joins && v.number == number && in->ins_warp < b->p.warps ? (uint64_t)1 << in->ins_warp : 0;
}

static void join(struct buffer *b, uint64_t warp, uint64_t number)
{
    struct entry *e = entry_of(b, number);
    if (warp >= b->p.warps)
        return;
    e->mask |= (uint64_t)1 << warp;
    if (e->kind != CW_PERSIST_LINE)
        b->last_order[warp] = number;
    if (b->last_of_warp[warp] < number)
        b->last_of_warp[warp] = number;
}

/* Returns whether all that is in the buffer after this cycle is asked for. */
static bool insert(struct buffer *b, struct verdict v)
{
    const buffer_in *in = &b->insert;
    const uint32_t kind = (uint32_t)in->ins_kind;
    if (v.answer == CW_PERSIST_CONFLICT || v.answer == CW_PERSIST_FULL)
        return true;
    if (v.answer == CW_PERSIST_BUSY)
        return false;
    if (v.answer == CW_PERSIST_APPENDED) {
        *entry_of(b, v.number) = (struct entry){.kind = kind, .line = (uint32_t)in->ins_line, .orders_before = b->orders_in};
        b->next++;
        b->orders_in += kind != CW_PERSIST_LINE;
        b->youngest[kind] = v.number;
    }
    join(b, in->ins_warp, v.number);
    return v.answer == CW_PERSIST_APPENDED && kind >= CW_PERSIST_ACQ_DEV;
}

static void move_head(struct buffer *b, enum head_step step)
{
    if (step == HEAD_IS_READ)
        b->head = HEAD_IN_SIGHT;
    else if (step == HEAD_IS_OFFERED)
        b->head = HEAD_ON_OFFER;
    else if (step == HEAD_VANISHES || step == HEAD_IS_TAKEN) {
        b->orders_out += entry_of(b, b->oldest)->kind != CW_PERSIST_LINE;
        b->head_index = index_of(b, b->oldest + 1);
        b->oldest++;
        b->head = HEAD_UNREAD;
    }
}

static void buffer_tick(void *self, const void *inputs)
{
    struct buffer *b = self;
    const buffer_in driven = masked(b, inputs), *in = &driven;
    const struct verdict v = judge(b);
    const bool go = evict_goes(b, in);
    const bool line = entry_of(b, b->oldest)->kind == CW_PERSIST_LINE;
    const enum head_step step = head_step(b, in, bit_that_joins(b, v, b->oldest), line ? in->flush_ready : in->order_ready);
    const bool appends = v.answer == CW_PERSIST_APPENDED && in->evict_entry == index_of(b, v.number);
    bool ask = b->evict_done && !go;
    if (go)
        b->entry[b->evict_index].gone = true;
    ask = insert(b, v) || ask;
    move_head(b, step);
    b->fresh = step == HEAD_IS_READ;
    if (ask)
        b->asked = b->next - 1;
    b->evict_done = in->evict_valid && step != HEAD_IS_READ && !appends;
    b->evict_index = (uint32_t)in->evict_entry;
    b->insert = *in;
}

static void entry_state(struct cw_state *s, struct entry *e)
{
    CW_STATE(s, e->kind);
    CW_STATE(s, e->line);
    CW_STATE(s, e->mask);
    CW_STATE(s, e->gone);
    CW_STATE(s, e->orders_before);
}

static void buffer_state(void *self, struct cw_state *s)
{
    struct buffer *b = self;
    for (uint32_t i = 0; i < b->p.entries; i++)
        entry_state(s, &b->entry[i]);
    CW_STATE(s, b->oldest);
    CW_STATE(s, b->next);
    CW_STATE(s, b->orders_in);
    CW_STATE(s, b->orders_out);
    CW_STATE(s, b->youngest);
    CW_STATE(s, b->last_order);
    CW_STATE(s, b->last_of_warp);
    CW_STATE(s, b->asked);
    CW_STATE(s, b->head);
    CW_STATE(s, b->head_index);
    CW_STATE(s, b->fresh);
    CW_STATE_PORTS(s, b->insert);
    CW_STATE(s, b->evict_done);
    CW_STATE(s, b->evict_index);
}

#define CW_UNIT__PARAMS_T struct cw_persist_buffer_params
#define CW_UNIT__IN_T     struct cw_persist_buffer_in
#define CW_UNIT__OUT_T    struct cw_persist_buffer_out
CW_UNIT_DEFINE_WORDS(persist_buffer, CW_PERSIST_BUFFER_PARAMS, CW_PERSIST_BUFFER_PORTS, CW_PERSIST_BUFFER_WORDS, buffer_create,
                     buffer_destroy, buffer_reset, buffer_eval, buffer_tick, buffer_state);
