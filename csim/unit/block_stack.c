/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the block-wide SIMT stacks (contract: include/cowarp/unit/block_stack.h). */
#include "cowarp/unit/block_stack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_block_stack_in stack_in;
typedef struct cw_block_stack_out stack_out;

#define WARPS_MAX  32u
#define BLOCKS_MAX 16u
#define DEPTH_MAX  64u

/* A PC that there may not be; 0 then. */
struct place {
    bool valid;
    uint32_t pc;
};

struct entry {
    uint32_t pc;
    struct place rpc, lpc;
    uint32_t lpos;
    uint32_t mask[WARPS_MAX];
};

struct branch {
    uint32_t first_pc, second_pc;
    struct place rpc, lpc;
};

enum ending { END_POP, END_BRANCH, END_JOIN };

struct block {
    enum cw_block_state state;
    uint32_t wcnt, position, base; /* position of the top; lowest position that is not in memory */
    bool member[WARPS_MAX];
    enum ending ending;
    struct branch branch;
    struct entry top;
    struct entry below[DEPTH_MAX]; /* position p is at p modulo depth */
};

enum step { IDLE, DECIDE, PUSH, SPILL, CHECK, POP, LOAD, FETCH, AWAIT, JOIN, STAGE, WRITE, JOIN_AWAIT, JOIN_STORE };
enum push { PUSH_TOP, PUSH_LIKELY, PUSH_SIDES };

struct stack {
    struct cw_block_stack_params p;
    uint32_t lane_mask, pc_mask, position_last;
    struct block block[BLOCKS_MAX];
    uint32_t live[WARPS_MAX];  /* threads that have not exited */
    uint32_t first[WARPS_MAX]; /* threads that have gone first at their block's branch */
    enum step step;
    enum push push;
    bool tail, likely;
    uint32_t likely_position, turned; /* the block whose stack is turned */
    uint32_t joined[WARPS_MAX];       /* mask that a join has read */
    bool offering;
    uint32_t offered;
    /* what the last cycle has to report */
    bool popped, pop_empty, ended;
    uint32_t pop_block, pop_pc;
    bool asked;
    uint32_t qry_state, qry_pc, qry_wcnt, qry_depth;
    uint32_t peak;
    bool overflow;
};

static void stack_reset(void *self)
{
    struct stack *s = self;
    for (uint32_t b = 0; b < s->p.blocks; b++) {
        s->block[b].state = CW_BLOCK_NONE;
        s->block[b].wcnt = 0;
    }
    s->step = IDLE;
    s->offering = s->popped = s->ended = s->asked = s->overflow = false;
    s->qry_state = s->qry_pc = s->qry_wcnt = s->qry_depth = s->peak = 0;
}

static int stack_create(void **self, const void *params)
{
    const struct cw_block_stack_params *p = params;
    if (cw_unit_params_check(&cw_block_stack_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct stack *s = calloc(1, sizeof *s);
    if (s == NULL)
        return CW_ENOMEM;
    s->p = *p;
    s->lane_mask = UINT32_MAX >> (32 - p->lanes);
    s->pc_mask = UINT32_MAX >> (32 - p->pc_w);
    s->position_last = (1u << p->pos_w) - 1;
    stack_reset(s);
    *self = s;
    return CW_OK;
}

static void stack_destroy(void *self)
{
    free(self);
}

static struct entry *below(struct stack *s, struct block *block, uint32_t position)
{
    return &block->below[position % s->p.depth];
}

static uint32_t now(const struct stack *s, const struct block *block, uint32_t w)
{
    return block->member[w] ? block->top.mask[w] & s->live[w] : 0;
}

static bool nobody(const struct stack *s, const struct block *block)
{
    uint32_t any = 0;
    for (uint32_t w = 0; w < s->p.warps; w++)
        any |= now(s, block, w);
    return any == 0;
}

static bool is_at(const struct entry *e, const struct place *place)
{
    return place->valid && place->pc == e->pc;
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->valid == b->valid && (!a->valid || a->pc == b->pc);
}

static void note_height(struct stack *s, uint32_t entries)
{
    if (entries > s->peak)
        s->peak = entries;
}

/* ---- Operations */

static void start(struct stack *s, struct block *block, const stack_in *in)
{
    memset(block, 0, sizeof *block);
    block->state = CW_BLOCK_TURNS;
    block->top.pc = (uint32_t)in->op_first_pc & s->pc_mask;
    for (uint32_t w = 0; w < s->p.warps; w++) {
        uint32_t mask = in->op_mask[w] & s->lane_mask;
        if (mask == 0)
            continue;
        block->member[w] = true;
        block->top.mask[w] = s->live[w] = mask;
        s->first[w] = 0;
    }
    note_height(s, 1);
    s->step = CHECK;
}

static struct place place_of(const struct stack *s, uint64_t valid, uint64_t pc)
{
    return valid & 1 ? (struct place){true, (uint32_t)pc & s->pc_mask} : (struct place){false, 0};
}

/* Adds the operation's threads of the lanes to these, or takes them out. */
static void move_threads(const struct stack *s, const struct block *block, const stack_in *in, uint64_t lanes, uint32_t *threads, bool add)
{
    for (uint32_t l = 0; l < s->p.lanes; l++) {
        uint32_t w = in->op_home[l / 4] >> 8 * (l % 4) & 0xff;
        if ((lanes >> l & 1) == 0 || w >= s->p.warps || !block->member[w])
            continue;
        threads[w] = add ? threads[w] | 1u << l : threads[w] & ~(1u << l);
    }
}

static void one_warp_less(struct stack *s, struct block *block)
{
    if (--block->wcnt > 0)
        return;
    block->state = CW_BLOCK_TURNS;
    s->step = DECIDE;
}

static void operate_on_running(struct stack *s, struct block *block, const stack_in *in)
{
    switch (in->op_kind & 7) {
    case CW_BLOCK_STACK_BRANCH:
        block->ending = END_BRANCH;
        block->branch = (struct branch){.first_pc = (uint32_t)in->op_first_pc & s->pc_mask,
                                        .second_pc = (uint32_t)in->op_second_pc & s->pc_mask,
                                        .rpc = place_of(s, in->op_rpc_valid, in->op_rpc),
                                        .lpc = place_of(s, in->op_lpc_valid, in->op_lpc)};
        move_threads(s, block, in, in->op_lanes & in->op_first, s->first, true);
        one_warp_less(s, block);
        break;
    case CW_BLOCK_STACK_ARRIVE:
    case CW_BLOCK_STACK_JOIN:
        block->ending = (in->op_kind & 7) == CW_BLOCK_STACK_JOIN ? END_JOIN : END_POP;
        one_warp_less(s, block);
        break;
    case CW_BLOCK_STACK_EXIT:
        move_threads(s, block, in, in->op_lanes, s->live, false);
        if (in->op_last & 1)
            one_warp_less(s, block);
        break;
    default:
        break;
    }
}

static void operate(struct stack *s, const stack_in *in)
{
    if ((in->op_valid & 1) == 0 || (in->op_block & 15) >= s->p.blocks)
        return;
    struct block *block = &s->block[in->op_block & 15];
    uint64_t kind = in->op_kind & 7;
    s->turned = (uint32_t)(in->op_block & 15);
    if (kind == CW_BLOCK_STACK_START && block->state == CW_BLOCK_NONE)
        start(s, block, in);
    else if (kind == CW_BLOCK_STACK_END && (block->state == CW_BLOCK_RUNS || block->state == CW_BLOCK_OVERFLOWED))
        block->state = CW_BLOCK_NONE;
    else if (block->state == CW_BLOCK_RUNS)
        operate_on_running(s, block, in);
}

/* ---- The turn */

static void forget_first(struct stack *s, const struct block *block)
{
    for (uint32_t w = 0; w < s->p.warps; w++)
        if (block->member[w])
            s->first[w] = 0;
}

/* Whether the whole top goes to one side of the branch; then its PC is that side's. */
static bool goes_one_way(const struct stack *s, const struct block *block, uint32_t *pc)
{
    uint32_t first = 0, second = 0;
    for (uint32_t w = 0; w < s->p.warps; w++) {
        first |= now(s, block, w) & s->first[w];
        second |= now(s, block, w) & ~s->first[w];
    }
    if (first != 0 && second != 0)
        return false;
    *pc = second == 0 ? block->branch.first_pc : block->branch.second_pc;
    return true;
}

static void decide(struct stack *s, struct block *block)
{
    const struct entry *top = &block->top;
    const struct branch *br = &block->branch;
    s->step = block->ending == END_JOIN && top->lpc.valid ? JOIN : POP;
    if (block->ending != END_BRANCH)
        return;
    if (goes_one_way(s, block, &block->top.pc)) {
        forget_first(s, block);
        s->step = CHECK;
        return;
    }
    s->step = PUSH;
    s->tail = same_place(&br->rpc, &top->rpc);
    s->likely = br->lpc.valid && !(br->rpc.valid && br->rpc.pc == br->lpc.pc) && !(s->tail && same_place(&br->lpc, &top->lpc));
    s->push = !s->tail ? PUSH_TOP : s->likely ? PUSH_LIKELY : PUSH_SIDES;
}

/* The entry of a PC after the branch, without threads. Inside: with LPC and position of the likely-convergence entry, if there is one. */
static struct entry follower(const struct stack *s, const struct block *block, uint32_t pc, bool inside)
{
    struct entry e = {.pc = pc, .rpc = block->branch.rpc};
    if (inside && s->likely) {
        e.lpc = block->branch.lpc;
        e.lpos = s->likely_position;
    } else if (s->tail) {
        e.lpc = block->top.lpc;
        e.lpos = block->top.lpos;
    }
    return e;
}

/* The second side is not pushed where it would be popped at once. */
static bool has_second(const struct block *block)
{
    return !(block->branch.rpc.valid && block->branch.rpc.pc == block->branch.second_pc);
}

static void push_second(struct stack *s, struct block *block, struct entry *second)
{
    *second = follower(s, block, block->branch.second_pc, true);
    for (uint32_t w = 0; w < s->p.warps; w++)
        second->mask[w] = block->member[w] ? now(s, block, w) & ~s->first[w] : 0;
}

static void go_first(struct stack *s, struct block *block)
{
    struct entry first = follower(s, block, block->branch.first_pc, true);
    for (uint32_t w = 0; w < s->p.warps; w++)
        first.mask[w] = block->member[w] ? now(s, block, w) & s->first[w] : 0;
    forget_first(s, block);
    block->top = first;
    s->step = CHECK;
}

static void push(struct stack *s, struct block *block)
{
    if (s->push == PUSH_SIDES && !has_second(block)) {
        go_first(s, block);
        return;
    }
    if (block->position == s->position_last) {
        block->state = CW_BLOCK_OVERFLOWED;
        s->overflow = true;
        s->step = IDLE;
        return;
    }
    if (block->position - block->base == s->p.depth) {
        s->step = SPILL;
        return;
    }
    struct entry *e = below(s, block, block->position);
    if (s->push == PUSH_TOP) {
        *e = block->top;
        e->pc = block->branch.rpc.pc;
        for (uint32_t w = 0; w < s->p.warps; w++)
            e->mask[w] = now(s, block, w);
        s->push = s->likely ? PUSH_LIKELY : PUSH_SIDES;
    } else if (s->push == PUSH_LIKELY) {
        *e = follower(s, block, block->branch.lpc.pc, false);
        s->likely_position = block->position;
        s->push = PUSH_SIDES;
    } else {
        push_second(s, block, e);
        go_first(s, block);
    }
    block->position++;
    note_height(s, block->position + 1);
}

static void check(struct stack *s, struct block *block)
{
    if (nobody(s, block) || is_at(&block->top, &block->top.rpc))
        s->step = POP;
    else if (is_at(&block->top, &block->top.lpc))
        s->step = JOIN;
    else {
        s->step = IDLE;
        block->state = CW_BLOCK_OFFERED;
    }
}

static void pop(struct stack *s, struct block *block)
{
    s->popped = true;
    s->pop_block = s->turned;
    s->pop_pc = block->top.pc;
    s->pop_empty = nobody(s, block);
    s->ended = block->position == 0;
    if (s->ended) {
        block->state = CW_BLOCK_NONE;
        s->step = IDLE;
    } else
        s->step = block->position > block->base ? LOAD : FETCH;
}

static bool bit_at(const uint32_t *words, uint32_t at)
{
    return words[at / 32] >> at % 32 & 1;
}

/* Takes width bits, and moves on. */
static uint32_t take_bits(const uint32_t *words, uint32_t *at, uint32_t width)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < width; i++)
        value |= (uint32_t)bit_at(words, *at + i) << i;
    *at += width;
    return value;
}

static void put_bits(uint32_t *words, uint32_t *at, uint32_t width, uint32_t value)
{
    for (uint32_t i = 0; i < width; i++)
        words[(*at + i) / 32] |= (value >> i & 1) << (*at + i) % 32;
    *at += width;
}

static void get_entry(const struct stack *s, const struct block *block, const uint32_t *words, struct entry *e)
{
    uint32_t at = 1024;
    memset(e, 0, sizeof *e);
    e->pc = take_bits(words, &at, s->p.pc_w);
    e->rpc.valid = take_bits(words, &at, 1);
    e->rpc.pc = take_bits(words, &at, s->p.pc_w);
    e->lpc.valid = take_bits(words, &at, 1);
    e->lpc.pc = take_bits(words, &at, s->p.pc_w);
    e->lpos = take_bits(words, &at, s->p.pos_w);
    for (uint32_t w = 0; w < s->p.warps; w++)
        e->mask[w] = block->member[w] ? words[w] & s->lane_mask : 0;
}

static void put_entry(const struct stack *s, const struct entry *e, uint32_t *words)
{
    uint32_t at = 1024;
    memcpy(words, e->mask, sizeof e->mask);
    put_bits(words, &at, s->p.pc_w, e->pc);
    put_bits(words, &at, 1, e->rpc.valid);
    put_bits(words, &at, s->p.pc_w, e->rpc.pc);
    put_bits(words, &at, 1, e->lpc.valid);
    put_bits(words, &at, s->p.pc_w, e->lpc.pc);
    put_bits(words, &at, s->p.pos_w, e->lpos);
}

static void await(struct stack *s, struct block *block, const stack_in *in)
{
    if ((in->mem_rsp_valid & 1) == 0)
        return;
    if (s->step == JOIN_AWAIT) {
        for (uint32_t w = 0; w < s->p.warps; w++)
            s->joined[w] = block->member[w] ? in->mem_rdata[w] & s->lane_mask : 0;
        s->step = JOIN_STORE;
        return;
    }
    get_entry(s, block, in->mem_rdata, &block->top);
    block->base = --block->position;
    s->step = CHECK;
}

static void load(struct stack *s, struct block *block)
{
    block->position--;
    block->top = *below(s, block, block->position);
    s->step = CHECK;
}

static bool join_is_in_memory(const struct block *block)
{
    return block->top.lpos < block->base;
}

static void write_joined(struct stack *s, struct block *block)
{
    struct entry *e = below(s, block, block->top.lpos);
    for (uint32_t w = 0; w < s->p.warps; w++)
        e->mask[w] |= now(s, block, w);
    forget_first(s, block);
    s->step = POP;
}

static void store_joined(struct stack *s, struct block *block)
{
    forget_first(s, block);
    s->step = POP;
}

static void turn(struct stack *s, const stack_in *in)
{
    struct block *block = &s->block[s->turned];
    const bool taken = in->mem_ready & 1;
    switch (s->step) {
    case DECIDE:
        decide(s, block);
        break;
    case PUSH:
        push(s, block);
        break;
    case SPILL:
        block->base += taken;
        s->step = taken ? PUSH : SPILL;
        break;
    case CHECK:
        check(s, block);
        break;
    case POP:
        pop(s, block);
        break;
    case LOAD:
        load(s, block);
        break;
    case FETCH:
        s->step = taken ? AWAIT : FETCH;
        break;
    case AWAIT:
    case JOIN_AWAIT:
        await(s, block, in);
        break;
    case JOIN:
        s->step = !join_is_in_memory(block) ? STAGE : taken ? JOIN_AWAIT : JOIN;
        break;
    case STAGE:
        s->step = WRITE;
        break;
    case WRITE:
        write_joined(s, block);
        break;
    case JOIN_STORE:
        if (taken)
            store_joined(s, block);
        break;
    default:
        break;
    }
}

/* ---- The cycle */

/* The lowest block that is ready, but for the one that is being taken. blocks: none. */
static uint32_t lowest_ready(const struct stack *s, bool taken)
{
    uint32_t b = 0;
    while (b < s->p.blocks && (s->block[b].state != CW_BLOCK_OFFERED || (taken && b == s->offered)))
        b++;
    return b;
}

static void answer(struct stack *s, const stack_in *in)
{
    s->asked = in->qry_valid & 1;
    s->qry_state = s->qry_pc = s->qry_wcnt = s->qry_depth = 0;
    if (!s->asked || (in->qry_block & 15) >= s->p.blocks)
        return;
    const struct block *block = &s->block[in->qry_block & 15];
    if (block->state == CW_BLOCK_NONE)
        return;
    s->qry_state = block->state;
    s->qry_pc = block->top.pc;
    s->qry_wcnt = block->wcnt;
    s->qry_depth = block->position + 1;
}

static void stack_tick(void *self, const void *inputs)
{
    struct stack *s = self;
    const stack_in *in = inputs;
    struct block *made = (in->made_block & 15) < s->p.blocks ? &s->block[in->made_block & 15] : NULL;
    const bool taken = s->offering && (in->top_ready & 1);
    const bool counted = (in->made_valid & 1) && made != NULL && made->state == CW_BLOCK_WAITS && (in->made_count & 63) != 0;
    const uint32_t next = lowest_ready(s, taken);
    answer(s, in);
    s->popped = s->ended = false;
    if (s->step == IDLE)
        operate(s, in);
    else
        turn(s, in);
    if (counted) {
        made->state = CW_BLOCK_RUNS;
        made->wcnt = (uint32_t)in->made_count & 63;
        made->ending = END_POP;
    }
    if (taken)
        s->block[s->offered].state = CW_BLOCK_WAITS;
    if (taken || !s->offering) {
        s->offering = next < s->p.blocks;
        s->offered = next;
    }
}

static void show_memory(const struct stack *s, stack_out *out)
{
    struct stack *unlocked = (struct stack *)(uintptr_t)s; /* below() gives what may be changed; nothing is */
    struct block *block = &unlocked->block[s->turned];
    const bool join_fetch = s->step == JOIN && join_is_in_memory(block);
    if (s->step != SPILL && s->step != FETCH && s->step != JOIN_STORE && !join_fetch)
        return;
    uint32_t position = s->step == SPILL ? block->base : s->step == FETCH ? block->position - 1 : block->top.lpos;
    out->mem_valid = 1;
    out->mem_write = s->step == SPILL || s->step == JOIN_STORE;
    out->mem_mask_only = s->step == JOIN_STORE;
    out->mem_addr = (uint64_t)s->turned << s->p.pos_w | position;
    if (s->step == SPILL)
        put_entry(s, below(unlocked, block, position), out->mem_wdata);
    for (uint32_t w = 0; s->step == JOIN_STORE && w < s->p.warps; w++)
        out->mem_wdata[w] = s->joined[w] | now(s, block, w);
}

static void show_offer(const struct stack *s, stack_out *out)
{
    if (!s->offering)
        return;
    const struct block *block = &s->block[s->offered];
    out->top_valid = 1;
    out->top_block = s->offered;
    out->top_pc = block->top.pc;
    out->top_rpc_valid = block->top.rpc.valid;
    out->top_rpc = block->top.rpc.pc;
    out->top_lpc_valid = block->top.lpc.valid;
    out->top_lpc = block->top.lpc.pc;
    for (uint32_t w = 0; w < s->p.warps; w++)
        out->top_mask[w] = now(s, block, w);
}

static void stack_eval(void *self, const void *inputs, void *outputs)
{
    const struct stack *s = self;
    stack_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->op_ready = s->step == IDLE;
    show_offer(s, out);
    if (s->popped) {
        out->pop_valid = 1;
        out->pop_block = s->pop_block;
        out->pop_pc = s->pop_pc;
        out->pop_empty = s->pop_empty;
    }
    out->ended_valid = s->ended;
    out->ended_block = s->ended ? s->pop_block : 0;
    out->qry_state = s->qry_state;
    out->qry_pc = s->qry_pc;
    out->qry_wcnt = s->qry_wcnt;
    out->qry_depth = s->qry_depth;
    show_memory(s, out);
    out->peak = s->peak;
    out->overflow = s->overflow;
    out->busy = s->step != IDLE || s->offering || s->popped || s->ended || s->asked || lowest_ready(s, false) < s->p.blocks;
}

/* ---- State */

static void place_state(struct cw_state *s, struct place *p)
{
    CW_STATE(s, p->valid);
    CW_STATE(s, p->pc);
}

static void entry_state(struct cw_state *s, struct entry *e)
{
    CW_STATE(s, e->pc);
    place_state(s, &e->rpc);
    place_state(s, &e->lpc);
    CW_STATE(s, e->lpos);
    CW_STATE(s, e->mask);
}

static void block_state(struct cw_state *s, struct block *b, uint32_t depth)
{
    CW_STATE(s, b->state);
    CW_STATE(s, b->wcnt);
    CW_STATE(s, b->position);
    CW_STATE(s, b->base);
    CW_STATE(s, b->member);
    CW_STATE(s, b->ending);
    CW_STATE(s, b->branch.first_pc);
    CW_STATE(s, b->branch.second_pc);
    place_state(s, &b->branch.rpc);
    place_state(s, &b->branch.lpc);
    entry_state(s, &b->top);
    for (uint32_t i = 0; i < depth; i++)
        entry_state(s, &b->below[i]);
}

static void report_state(struct cw_state *s, struct stack *t)
{
    CW_STATE(s, t->popped);
    CW_STATE(s, t->pop_empty);
    CW_STATE(s, t->ended);
    CW_STATE(s, t->pop_block);
    CW_STATE(s, t->pop_pc);
    CW_STATE(s, t->asked);
    CW_STATE(s, t->qry_state);
    CW_STATE(s, t->qry_pc);
    CW_STATE(s, t->qry_wcnt);
    CW_STATE(s, t->qry_depth);
    CW_STATE(s, t->peak);
    CW_STATE(s, t->overflow);
}

static void stack_state(void *self, struct cw_state *s)
{
    struct stack *t = self;
    for (uint32_t b = 0; b < t->p.blocks; b++)
        block_state(s, &t->block[b], t->p.depth);
    CW_STATE(s, t->live);
    CW_STATE(s, t->first);
    CW_STATE(s, t->step);
    CW_STATE(s, t->push);
    CW_STATE(s, t->tail);
    CW_STATE(s, t->likely);
    CW_STATE(s, t->likely_position);
    cw_state_count(s, "turned block", &t->turned, BLOCKS_MAX - 1);
    CW_STATE(s, t->joined);
    CW_STATE(s, t->offering);
    cw_state_count(s, "offered block", &t->offered, t->p.blocks); /* The last stands for none. */
    report_state(s, t);
}

#define CW_UNIT__PARAMS_T struct cw_block_stack_params
#define CW_UNIT__IN_T     struct cw_block_stack_in
#define CW_UNIT__OUT_T    struct cw_block_stack_out
CW_UNIT_DEFINE_WORDS(block_stack, CW_BLOCK_STACK_PARAMS, CW_BLOCK_STACK_PORTS, CW_BLOCK_STACK_WORDS, stack_create, stack_destroy,
                     stack_reset, stack_eval, stack_tick, stack_state);
