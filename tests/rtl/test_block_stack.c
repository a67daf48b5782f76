/* SPDX-License-Identifier: Apache-2.0 */
/* Block-wide SIMT stacks: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/block_stack.h"

#include <stdbool.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_block_stack_params params_t;
typedef struct cw_block_stack_in in_t;
typedef struct cw_block_stack_out out_t;

#define ENTRIES_MAX 4096u

/* The memory behind the unit: an entry per address. */
struct memory {
    in_t last_in;
    bool reading;
    uint64_t address;
    uint32_t entry[ENTRIES_MAX][CW_BLOCK_STACK_ENTRY_WORDS];
};

/* Takes the access of the cycle before, and drives the answer to a read in this or a later cycle. */
static void memory_step(struct memory *m, const out_t *out, in_t *in, bool answer_now)
{
    if (out->mem_valid && (m->last_in.mem_ready & 1)) {
        m->address = out->mem_addr % ENTRIES_MAX;
        m->reading = !out->mem_write;
        if (out->mem_write)
            memcpy(m->entry[m->address], out->mem_wdata, (out->mem_mask_only ? 32 : CW_BLOCK_STACK_ENTRY_WORDS) * sizeof(uint32_t));
    }
    in->mem_rsp_valid = m->reading && answer_now;
    if (in->mem_rsp_valid) {
        memcpy(in->mem_rdata, m->entry[m->address], sizeof in->mem_rdata);
        m->reading = false;
    }
}

#define DUT_UNIT cw_block_stack_unit
#define DUT_OWN  struct memory memory;
#include "dut.h"
#include "fill/block_stack.h"

/*                               lanes warps blocks depth pc_w pos_w */
static const params_t tbc = {32, 32, 8, 16, 16, 8};
static const params_t minimal = {1, 1, 1, 2, 1, 2}; /* one thread: no branch parts a top */
static const params_t odd = {3, 5, 3, 3, 4, 4};
static const params_t deep = {8, 4, 2, 3, 3, 5};
static const params_t low = {4, 4, 2, 2, 3, 2};
static const params_t largest = {32, 32, 16, 64, 24, 8};

/* Where the stimulus is: how often the warps of an entry branch, and for which blocks. */
struct phase {
    uint32_t branches, exits, joins, likely, stalls; /* of 16 */
    uint64_t blocks, pcs;                            /* the first of eight PCs */
    uint32_t holds;                                  /* likewise: cycles without top_ready; with 15 ready blocks pile up */
    uint64_t most;                                   /* all ones: more threads go first, so that branches nest deeper */
    struct memory memory;
};

static uint64_t some_kind(const struct phase *phase, struct cw_rng *rng)
{
    if (cw_rng_below(rng, 64) == 0)
        return cw_rng_below(rng, 8);
    if (cw_rng_below(rng, 8) == 0)
        return CW_BLOCK_STACK_START;
    if (cw_rng_below(rng, 16) < phase->exits)
        return CW_BLOCK_STACK_EXIT;
    if (cw_rng_below(rng, 16) < phase->branches)
        return CW_BLOCK_STACK_BRANCH;
    return cw_rng_below(rng, 16) < phase->joins ? CW_BLOCK_STACK_JOIN : CW_BLOCK_STACK_ARRIVE;
}

static void some_phase(struct phase *phase, struct cw_rng *rng)
{
    phase->branches = cw_rng_below(rng, 17);
    phase->exits = cw_rng_below(rng, 3) == 0 ? cw_rng_below(rng, 8) : 0;
    phase->joins = cw_rng_below(rng, 17);
    phase->most = cw_rng_below(rng, 2) == 0 ? UINT64_MAX : 0;
    phase->likely = cw_rng_below(rng, 17);
    phase->stalls = cw_rng_below(rng, 12);
    phase->holds = cw_rng_below(rng, 4) == 0 ? 15 : phase->stalls;
    phase->blocks = cw_rng_below(rng, 4) == 0 ? 16 : 1 + cw_rng_below(rng, 4);
    if (cw_rng_below(rng, 8) == 0)
        phase->pcs = cw_rng_next(rng);
}

/* The block of a static warp: w modulo 8, the last eight warps are of blocks 8 to 15, and warps 3 and 4 of blocks 0 and 1. So in a unit of
 * three blocks and five warps, too, each warp is of a block, and two blocks have more than one. */
static uint32_t block_of(uint32_t w)
{
    if (w == 3 || w == 4)
        return w - 3;
    return w >= 24 ? w - 16 : w % 8;
}

/* Mostly a static warp of the block: else no thread of it would be in the operation. */
static uint32_t some_home(struct cw_rng *rng, uint32_t block)
{
    const uint32_t kind = cw_rng_below(rng, 64);
    if (kind == 0)
        return (uint32_t)cw_rng_next(rng) & 0xff;
    return kind < 8 ? cw_rng_below(rng, 32) : kind < 32 && block < 2 ? block + 3 : kind < 48 ? block : block + 8 * cw_rng_below(rng, 4);
}

/* Masks and homes. Two blocks have no common static warp, whatever their number is. */
static void some_threads(struct cw_rng *rng, in_t *in, uint64_t most)
{
    const bool whole = cw_rng_below(rng, 2) == 0;
    for (uint32_t w = 0; w < 32; w++) {
        in->op_mask[w] = (uint32_t)(cw_rng_next(rng) & (whole ? UINT64_MAX : cw_rng_next(rng)));
        if (block_of(w) != (in->op_block & 15))
            in->op_mask[w] = 0;
    }
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t home = some_home(rng, (uint32_t)in->op_block % 8);
        in->op_home[l / 4] = (in->op_home[l / 4] & ~(0xffu << 8 * (l % 4))) | home << 8 * (l % 4);
    }
    in->op_first = cw_rng_next(rng) | (cw_rng_next(rng) & most);
    in->op_lanes = cw_rng_next(rng) | cw_rng_next(rng) | most;
}

static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    if (phase->blocks == 0 || cw_rng_below(rng, 128) == 0)
        some_phase(phase, rng);
    in->op_valid = cw_rng_below(rng, 16) >= phase->stalls;
    in->op_kind = some_kind(phase, rng);
    in->op_block = cw_rng_below(rng, (uint32_t)phase->blocks);
    some_threads(rng, in, phase->most);
    in->op_first_pc = phase->pcs + cw_rng_below(rng, 8);
    in->op_second_pc = phase->pcs + cw_rng_below(rng, 8);
    in->op_rpc_valid = cw_rng_below(rng, 16) != 0;
    in->op_rpc = phase->pcs + cw_rng_below(rng, 8);
    in->op_lpc_valid = cw_rng_below(rng, 16) < phase->likely;
    in->op_lpc = phase->pcs + cw_rng_below(rng, 8);
    in->op_last = cw_rng_below(rng, 4) == 0;
    in->top_ready = cw_rng_below(rng, 16) >= phase->holds;
    in->made_valid = cw_rng_below(rng, 16) >= phase->stalls;
    in->made_block = cw_rng_below(rng, (uint32_t)phase->blocks);
    in->made_count = cw_rng_below(rng, 8) == 0 ? cw_rng_below(rng, 64) : cw_rng_below(rng, 3);
    in->qry_valid = cw_rng_below(rng, 2);
    in->qry_block = cw_rng_below(rng, (uint32_t)phase->blocks);
    in->mem_ready = cw_rng_below(rng, 16) >= phase->stalls;
    if (last_out != NULL)
        memory_step(&phase->memory, last_out, in, cw_rng_below(rng, 2) != 0);
    phase->memory.last_in = *in;
}

static const struct cw_lockstep_set sets[] = {{"tbc", &tbc, 0},   {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                              {"deep", &deep, 0}, {"low", &low, 0},         {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_block_stack_unit, sets, 6, constrain, &lockstep_phase};

static void test_block_stack__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

/* What is broken, by name; each must be noticed. */
static const struct cw_mutant mutants[] = {
    {"an exited thread comes back", "cw_block_stack_threads", "now    = top_q & live_q;", "now    = top_q | (live_q & {THREADS{1'b0}});",
     3},
    {"every branch keeps the top", "cw_block_stack_turn", "w_rpc_on == rpc_on && (!w_rpc_on || w_rpc == rpc)",
     "w_rpc_on == rpc_on && (!w_rpc_on || w_rpc == rpc) && last_pos", 3},
    {"a likely-convergence entry is pushed twice", "cw_block_stack_turn", "!(tail && lpc_on && lpc == w_lpc)",
     "!(tail && lpc_on && lpc != w_lpc)", 3},
    {"a branch whose LPC is its RPC gets an entry", "cw_block_stack_turn", "!(w_rpc_on && w_lpc == w_rpc) && !(tail", "!(tail", 3},
    {"the sides are swapped", "cw_block_stack_threads", "new_top = sides_i ? now & acc_q", "new_top = sides_i ? now & ~acc_q", 3},
    {"what has gone first is not forgotten", "cw_block_stack_threads", "clears  = sides_i || keep_i || write_i",
     "clears  = keep_i || write_i", 3},
    {"a join loses what was there", "cw_block_stack_threads", "| (acc_q & {THREADS{write_i}})", "| (acc_q & {THREADS{1'b0}})", 3},
    {"a join in memory is one row off", "cw_block_stack_turn", "at_home  = lpos >= base_i;", "at_home  = lpos >= base_i || lpos == 0;", 3},
    {"the top at its RPC runs", "cw_block_stack_turn", "nobody_i || at_rpc ? ST_POP", "nobody_i || (at_rpc && last_pos) ? ST_POP", 3},
    {"a full unit loses its lowest entry", "cw_block_stack_turn", "held} == DEPTH;", "held} == DEPTH + 1;", 3},
    {"an entry of memory comes back without its LPos", "cw_block_stack_blocks", "load_i ? ram_meta_i : rsp_meta_i",
     "load_i ? ram_meta_i : rsp_meta_i & {{POS_W{1'b0}}, {(META_W-POS_W){1'b1}}}", 3},
    {"a side at the RPC is pushed", "cw_block_stack_turn", "w_rpc_on && w_second == w_rpc;", "w_rpc_on && w_second == w_rpc && last_pos;",
     3},
    {"a branch to one side opens entries", "cw_block_stack_turn", "(all_first_i || none_first_i);", "(all_first_i && none_first_i);", 3},
    {"a branch to one side goes to the other", "cw_block_stack_turn", "= all_first_i ? w_first : w_second;",
     "= none_first_i ? w_first : w_second;", 3},
    {"the first mask has its static warps in reverse", "cw_block_stack_threads", "op_start[i*LANES +: LANES] = op_mask_i[i*32 +: LANES];",
     "op_start[i*LANES +: LANES] = op_mask_i[(WARPS-1-i)*32 +: LANES];", 3},
    {"a block has all static warps", "cw_block_stack_blocks", "member_q[b*WARPS +: WARPS] <= op_member_i;",
     "member_q[b*WARPS +: WARPS] <= {WARPS{1'b1}} | op_member_i;", 3},
    {"an operation is taken while a stack is turned", "cw_block_stack_blocks", "op_valid_i && idle_i && b_there",
     "op_valid_i && (idle_i || !idle_i) && b_there", 3},
    {"all lanes are of the static warp of lane 0", "cw_block_stack_home", "home_i[l*8 + p];", "home_i[p];", 3},
    {"threads of other blocks exit, too", "cw_block_stack_threads", "live_q & ~(op_threads & of_op)", "live_q & ~op_threads", 3},
    {"a block that runs starts anew", "cw_block_stack_blocks", "op_kind_i == START && b_state == NONE",
     "op_kind_i == START && (b_state == NONE || b_state == RUNS)", 3},
    {"an arrival does not count", "cw_block_stack_blocks", "(op_kind_i == ARRIVE || op_kind_i == JOIN) && runs",
     "((op_kind_i == ARRIVE && 1'b0) || op_kind_i == JOIN) && runs", 3},
    {"a join does not count", "cw_block_stack_blocks", "(op_kind_i == ARRIVE || op_kind_i == JOIN) && runs", "op_kind_i == ARRIVE && runs",
     3},
    {"an overflow does not end", "cw_block_stack_blocks", "(runs || b_state == OVERFLOWED)", "runs", 4},
    {"an exit says how", "cw_block_stack_blocks", "if (ends && !leaves)", "if (ends)", 3},
    {"who has exited has branched", "cw_block_stack_blocks", "end_q[m*2 +: 2] <= END_POP", "end_q[m*2 +: 2] <= END_BRANCH", 3},
    {"the top that stays keeps its PC", "cw_block_stack_turn", "rpc, rpc_on, w_rpc};", "rpc, rpc_on, pc};", 3},
    {"the first side has no RPC", "cw_block_stack_turn", "m_first  = {inner, w_rpc, w_rpc_on,", "m_first  = {inner, {PC_W{1'b0}}, 1'b0,",
     3},
    {"an arrival joins", "cw_block_stack_blocks", "op_kind_i == JOIN ? END_JOIN : END_POP", "op_kind_i == JOIN ? END_JOIN : END_JOIN", 3},
    {"the top at its LPC runs", "cw_block_stack_turn", "at_lpc ? ST_JOIN : ST_IDLE", "at_lpc && last_pos ? ST_JOIN : ST_IDLE", 3},
    {"what was below the top is not checked", "cw_block_stack_turn", "ST_LOAD:   state_d = ST_CHECK;", "ST_LOAD:   state_d = ST_IDLE;", 3},
    {"an ended block is not reported", "cw_block_stack_turn", "gone_o       = pop && bottom;", "gone_o       = pop && bottom && last_pos;",
     3},
    {"there is a position less", "cw_block_stack_turn", "last_pos = &pos_i;", "last_pos = &pos_i[POS_W-1:1];", 4},
    {"an offer changes", "cw_block_stack_offer", "if (!offer_valid_q || ready_to_take_i)\n            offer_q <= lowest;",
     "offer_q <= lowest;", 3},
    {"every count is 1", "cw_block_stack_blocks", "wcnt_q[m*6 +: 6]  <= made_count_i;", "wcnt_q[m*6 +: 6]  <= 6'd1;", 3},
    {"what was popped had no thread", "cw_block_stack_report", "pop_empty_q <= nobody_i;", "pop_empty_q <= 1'b1 || nobody_i;", 3},
    {"an END is reported", "cw_block_stack", ".gone_i       (gone)",
     ".gone_i       (gone || (op_valid_i && op_ready_o && op_kind_i == 3'd5))", 3},
    {"the depth is one short", "cw_block_stack_blocks", "pos_q[q*POS_W +: POS_W]} + 1'b1 :", "pos_q[q*POS_W +: POS_W]} :", 3},
    {"a block without entry answers", "cw_block_stack_blocks", "{28'd0, qry_block_i} < BLOCKS && q_state != NONE",
     "{28'd0, qry_block_i} < BLOCKS", 3},
    {"the peak is one low", "cw_block_stack_report", "{1'b0, pos_i} + 2", "{1'b0, pos_i} + 1", 3},
    {"an overflow is forgotten", "cw_block_stack_report", "overflow_q || over_i;", "over_i;", 4},
    {"busy does not see who is ready", "cw_block_stack", "|ready || top_valid_o", "top_valid_o", 3},
    {"blocks share their memory", "cw_block_stack_turn", "turn_q, place", "{BLOCK_W{1'b0}}, place", 3},
    {"a join in memory writes all", "cw_block_stack_turn", "mem_mask_only_o = store_o;", "mem_mask_only_o = store_o && last_pos;", 3},
    {"no operation is taken beside an offer", "cw_block_stack", "op_ready_o      = idle;", "op_ready_o      = idle && !top_valid_o;", 3},
    {"nothing is decided", "cw_block_stack_turn", "turns_i ? ST_DECIDE : ST_IDLE", "turns_i ? ST_POP : ST_IDLE", 3},
    {"a start loads", "cw_block_stack_turn", "start_i ? ST_CHECK :", "start_i ? ST_LOAD :", 3},
    {"a store does not wait", "cw_block_stack_turn", "ST_SPILL:  state_d = mem_ready_i ? ST_PUSH : ST_SPILL;",
     "ST_SPILL:  state_d = ST_PUSH;", 3},
    {"a join is not staged", "cw_block_stack_turn", "at_home ? ST_STAGE :", "at_home ? ST_WRITE :", 3},
    {"a join without a LPC reads", "cw_block_stack_turn", "ending_i == END_JOIN && lpc_on ? ST_JOIN", "ending_i == END_JOIN ? ST_JOIN", 3},
    {"a fetch does not wait", "cw_block_stack_turn", "ST_FETCH:  state_d = mem_ready_i ? ST_AWAIT : ST_FETCH;",
     "ST_FETCH:  state_d = ST_AWAIT;", 3},
    {"an offer waits for a quiet unit", "cw_block_stack", ".ready_i        (ready)", ".ready_i        (ready & {BLOCKS{idle}})", 0},
    {"the sides of a nested branch have the LPC of the top", "cw_block_stack_turn", "outer    = tail_q ?", "outer    = tail_q || 1'b1 ?",
     3},
    {"the highest block that is ready comes next", "cw_block_stack_offer", "for (n = BLOCKS - 1; n >= 0; n = n - 1)",
     "for (n = 0; n < BLOCKS; n = n + 1)", 0},
    {"a count for a block that runs", "cw_block_stack_blocks", "block_q[m*3 +: 3] == WAITS && made_count_i",
     "block_q[m*3 +: 3] != NONE && made_count_i", 3}};

static void test_block_stack__broken_copies_are_caught(void **state)
{
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* ---- Directed tests. PCs are letters. */

/* A cycle with the memory behind the unit, which answers at once. */
static void cycle(struct dut *d)
{
    d->in.mem_ready = 1;
    dut_eval(d);
    d->memory.last_in = d->in;
    dut_tick(d);
    memory_step(&d->memory, &d->out, &d->in, true);
}

static void send(struct dut *d)
{
    const in_t op = d->in;
    for (uint32_t i = 0; i < 100; i++) {
        dut_eval(d);
        bool taken = d->out.op_ready;
        cycle(d);
        if (taken)
            return;
        const uint64_t rsp = d->in.mem_rsp_valid;
        uint32_t rdata[CW_BLOCK_STACK_ENTRY_WORDS];
        memcpy(rdata, d->in.mem_rdata, sizeof rdata);
        d->in = op;
        d->in.mem_rsp_valid = rsp;
        memcpy(d->in.mem_rdata, rdata, sizeof rdata);
    }
    fail_msg("an operation is not taken");
}

static void begin(struct dut *d, uint64_t kind, uint64_t block)
{
    d->in.op_valid = 1;
    d->in.op_kind = kind;
    d->in.op_block = block;
}

static void start(struct dut *d, uint64_t block, char pc, const uint32_t *mask, uint32_t warps)
{
    begin(d, CW_BLOCK_STACK_START, block);
    d->in.op_first_pc = (uint64_t)pc;
    memcpy(d->in.op_mask, mask, warps * sizeof mask[0]);
    send(d);
}

/* A warp of the threads in home (per lane: static warp, or -1). */
static void set_warp(struct dut *d, const int8_t *home, uint32_t lanes)
{
    for (uint32_t l = 0; l < lanes; l++)
        if (home[l] >= 0) {
            d->in.op_lanes |= 1u << l;
            d->in.op_home[l / 4] |= (uint32_t)home[l] << 8 * (l % 4);
        }
}

struct way {
    char first, second, rpc, lpc; /* 0: none */
};

static void branch(struct dut *d, uint64_t block, const int8_t *home, uint32_t lanes, uint64_t goes_first, struct way way)
{
    begin(d, CW_BLOCK_STACK_BRANCH, block);
    set_warp(d, home, lanes);
    d->in.op_first = goes_first;
    d->in.op_first_pc = (uint64_t)way.first;
    d->in.op_second_pc = (uint64_t)way.second;
    d->in.op_rpc_valid = way.rpc != 0;
    d->in.op_rpc = (uint64_t)way.rpc;
    d->in.op_lpc_valid = way.lpc != 0;
    d->in.op_lpc = (uint64_t)way.lpc;
    send(d);
}

static void end_of_warp(struct dut *d, uint64_t kind, uint64_t block)
{
    begin(d, kind, block);
    send(d);
}

/* Waits for the offer, checks it, and takes it. Says how many warps the compactor makes of it. */
static void expect_top(struct dut *d, uint64_t block, char pc, const uint32_t *mask, uint32_t warps, uint64_t count)
{
    for (uint32_t i = 0; i < 100; i++) {
        d->in.top_ready = 1;
        cycle(d);
        if (d->out.top_valid)
            break;
    }
    assert_int_equal(d->out.top_valid, 1);
    assert_int_equal(d->out.top_block, block);
    assert_int_equal(d->out.top_pc, (uint64_t)pc);
    for (uint32_t w = 0; w < 32; w++)
        assert_int_equal(d->out.top_mask[w], w < warps ? mask[w] : 0);
    d->in.made_valid = 1;
    d->in.made_block = block;
    d->in.made_count = count;
    cycle(d);
}

static void expect_state(struct dut *d, uint64_t block, uint64_t state, uint64_t wcnt, uint64_t depth)
{
    d->in.qry_valid = 1;
    d->in.qry_block = block;
    cycle(d);
    cycle(d);
    assert_int_equal(d->out.qry_state, state);
    assert_int_equal(d->out.qry_wcnt, wcnt);
    assert_int_equal(d->out.qry_depth, depth);
}

#define MASK(...) ((const uint32_t[]){__VA_ARGS__})
#define HOME(...) ((const int8_t[]){__VA_ARGS__})

/* Threads 1 to 4, one static warp. The warp's stack at each number of the figure. */
static void test_block_stack__figure_2_3(void **state)
{
    static const params_t p = {4, 1, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1); /* 1 */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0x7, (struct way){'B', 'F', 'G', 0});
        expect_top(d, 0, 'B', MASK(0x7), 1, 1); /* 2: G, F, B */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 3);
        branch(d, 0, HOME(0, 0, 0, -1), 4, 0x1, (struct way){'C', 'D', 'E', 0});
        expect_top(d, 0, 'C', MASK(0x1), 1, 1); /* 3: G, F, E, D, C */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 5);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'D', MASK(0x6), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'E', MASK(0x7), 1, 1); /* 4: G, F, E */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 3);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'F', MASK(0x8), 1, 1); /* 5: G, F */
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'G', MASK(0xf), 1, 1); /* 6: G */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1);
        assert_int_equal(d->out.peak, 5);
        dut_delete(d);
    }
}

/* Threads 1 to 8, two static warps. C has 1, 6, 7 (one warp), B has 2, 3, 4, 5, 8 (two warps). */
static void test_block_stack__figure_3_5(void **state)
{
    static const params_t p = {4, 2, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        const struct way way = {'C', 'B', 'D', 0};
        start(d, 0, 'A', MASK(0xf, 0xf), 2);
        expect_top(d, 0, 'A', MASK(0xf, 0xf), 2, 2);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0x1, way);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1); /* the other warp is missing */
        branch(d, 0, HOME(1, 1, 1, 1), 4, 0x6, way);
        expect_top(d, 0, 'C', MASK(0x1, 0x6), 2, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 3);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'B', MASK(0xe, 0x9), 2, 2);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 2);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'D', MASK(0xf, 0xf), 2, 2);
        expect_state(d, 0, CW_BLOCK_RUNS, 2, 1);
        dut_delete(d);
    }
}

/* Threads 1 to 12, three static warps; W2, W3, W1 arrive. WCnt goes 3, 2, 1, 0; then C's and B's are 2. */
static void test_block_stack__figure_3_7(void **state)
{
    static const params_t p = {4, 3, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        const struct way way = {'C', 'B', 'D', 0};
        start(d, 0, 'A', MASK(0xf, 0xf, 0xf), 3);
        expect_top(d, 0, 'A', MASK(0xf, 0xf, 0xf), 3, 3);
        expect_state(d, 0, CW_BLOCK_RUNS, 3, 1);
        branch(d, 0, HOME(1, 1, 1, 1), 4, 0x9, way); /* W2: 5 and 8 go to C */
        expect_state(d, 0, CW_BLOCK_RUNS, 2, 1);
        branch(d, 0, HOME(2, 2, 2, 2), 4, 0x4, way); /* W3: 11 */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0xe, way); /* W1: 2, 3, 4 */
        expect_top(d, 0, 'C', MASK(0xe, 0x9, 0x4), 3, 2);
        expect_state(d, 0, CW_BLOCK_RUNS, 2, 3);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'B', MASK(0x1, 0x6, 0xb), 3, 2);
        expect_state(d, 0, CW_BLOCK_RUNS, 2, 2);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'D', MASK(0xf, 0xf, 0xf), 3, 3);
        expect_state(d, 0, CW_BLOCK_RUNS, 3, 1);
        dut_delete(d);
    }
}

/* Thread 1 goes to B, 2 to E, 3 and 4 by D to F. E's entry gets 2, then 1. Whether C's branch has the LPC of the loop or none is one. */
static void test_block_stack__figure_3_8(void **state)
{
    static const params_t p = {4, 1, 1, 8, 8, 4};
    (void)state;
    for (int b = 0; b < 4; b++) {
        struct dut *d = dut_new(&p, backends[b % 2]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1); /* 1 */
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0xe, (struct way){'C', 'B', 'F', 'E'});
        expect_top(d, 0, 'C', MASK(0xe), 1, 1); /* 2, 3: F, E, B, C */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 4);
        branch(d, 0, HOME(-1, 0, 0, 0), 4, 0x2, (struct way){'E', 'D', 'F', b < 2 ? 'E' : 0});
        expect_top(d, 0, 'D', MASK(0xc), 1, 1); /* 4, 5: F, E, B, D, and E, which joined at once */
        assert_int_equal(d->out.peak, 5);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 4);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0); /* 6, 7: threads 3 and 4 are at F */
        expect_top(d, 0, 'B', MASK(0x1), 1, 1);   /* 8 */
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 0);
        expect_top(d, 0, 'E', MASK(0x3), 1, 1); /* 9 */
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 2);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'F', MASK(0xf), 1, 1); /* 10 */
        dut_delete(d);
    }
}

/* C's branch meets before F, so it is no tail: its sides have no LPC, and the one at E does not join. C itself does, once they have met. */
static void test_block_stack__a_nested_branch_has_no_lpc(void **state)
{
    static const params_t p = {4, 1, 1, 8, 8, 4};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0xe, (struct way){'C', 'B', 'F', 'E'});
        expect_top(d, 0, 'C', MASK(0xe), 1, 1);
        branch(d, 0, HOME(-1, 0, 0, 0), 4, 0x2, (struct way){'E', 'D', 'G', 0});
        expect_top(d, 0, 'E', MASK(0x2), 1, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 6); /* F, E, B, G, D, E */
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'D', MASK(0xc), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'G', MASK(0xe), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 0);
        expect_top(d, 0, 'B', MASK(0x1), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 0);
        expect_top(d, 0, 'E', MASK(0xf), 1, 1);
        dut_delete(d);
    }
}

/* Block 2 is on offer while blocks 3, 1 and 0 become ready; then the lowest of them comes, and so on. */
static void test_block_stack__the_lowest_block_that_is_ready_comes_next(void **state)
{
    static const params_t p = {4, 4, 4, 4, 8, 3};
    static const uint64_t ready[] = {2, 3, 1, 0}, offered[] = {2, 0, 1, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t mask[4] = {0};
            mask[ready[i]] = 0xf;
            start(d, ready[i], 'A', mask, 4);
            cycle(d);
            cycle(d);
        }
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t mask[4] = {0};
            mask[offered[i]] = 0xf;
            expect_top(d, offered[i], 'A', mask, 4, 1);
        }
        dut_delete(d);
    }
}

static uint32_t pops_in(struct dut *d, uint32_t cycles, char pc, uint64_t empty)
{
    uint32_t pops = 0;
    for (uint32_t i = 0; i < cycles; i++) {
        cycle(d);
        pops += d->out.pop_valid != 0;
        if (d->out.pop_valid) {
            assert_int_equal(d->out.pop_pc, pc);
            assert_int_equal(d->out.pop_empty, empty);
        }
    }
    return pops;
}

/* B runs on to F and not by E, the likely-convergence point: E is popped without a thread. The side that is at F is not pushed. */
static void test_block_stack__pops_what_is_empty_or_at_its_rpc(void **state)
{
    static const params_t p = {4, 1, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0x3, (struct way){'B', 'F', 'F', 'E'});
        expect_top(d, 0, 'B', MASK(0x3), 1, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 3); /* F, E, B */
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        d->in.top_ready = 0;
        cycle(d); /* decide */
        cycle(d); /* pop of B */
        assert_int_equal(pops_in(d, 3, 'B', 0), 1);
        assert_int_equal(pops_in(d, 8, 'E', 1), 1);
        expect_top(d, 0, 'F', MASK(0xf), 1, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1);
        dut_delete(d);
    }
}

/* The whole block takes one way, first or second. The entry with its RPC, LPC and LPos stays, whatever the branch says of its own. */
static void test_block_stack__a_branch_to_one_side_changes_the_pc_only(void **state)
{
    static const params_t p = {4, 2, 1, 8, 8, 4};
    static const struct way branch_of_c[] = {{'X', 'D', 'F', 0}, {'D', 'X', 'F', 0}, {'D', 'X', 'G', 'H'}};
    static const uint64_t first[] = {0x0, 0xf, 0xf};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 3; i++) {
            struct dut *d = dut_new(&p, backends[b]);
            start(d, 0, 'A', MASK(0xf, 0xf), 2);
            expect_top(d, 0, 'A', MASK(0xf, 0xf), 2, 2);
            branch(d, 0, HOME(0, 0, 0, 0), 4, 0xe, (struct way){'C', 'B', 'F', 'E'});
            branch(d, 0, HOME(1, 1, 1, 1), 4, 0x7, (struct way){'C', 'B', 'F', 'E'});
            expect_top(d, 0, 'C', MASK(0xe, 0x7), 2, 2);
            expect_state(d, 0, CW_BLOCK_RUNS, 2, 4); /* F, E, B, C */
            branch(d, 0, HOME(1, 0, 0, 0), 4, first[i], branch_of_c[i]);
            branch(d, 0, HOME(-1, 1, 1, -1), 4, first[i], branch_of_c[i]);
            for (uint32_t wait = 1; wait < 4; wait++) { /* decide, check, choose */
                cycle(d);
                assert_int_equal(d->out.top_valid, 0);
            }
            cycle(d);
            assert_int_equal(d->out.top_valid, 1);
            assert_int_equal(d->out.top_rpc, 'F');
            assert_int_equal(d->out.top_lpc_valid, 1);
            assert_int_equal(d->out.top_lpc, 'E');
            expect_top(d, 0, 'D', MASK(0xe, 0x7), 2, 2);
            expect_state(d, 0, CW_BLOCK_RUNS, 2, 4);
            end_of_warp(d, CW_BLOCK_STACK_JOIN, 0);
            end_of_warp(d, CW_BLOCK_STACK_JOIN, 0);
            expect_top(d, 0, 'B', MASK(0x1, 0x8), 2, 1);
            branch(d, 0, HOME(0, -1, -1, 1), 4, 0x9, (struct way){'E', 'X', 'F', 0}); /* all are at E: they join without running */
            expect_top(d, 0, 'E', MASK(0xf, 0xf), 2, 2);
            expect_state(d, 0, CW_BLOCK_RUNS, 2, 2);
            assert_int_equal(d->out.peak, 4);
            dut_delete(d);
        }
}

/* The first side is at the RPC: its threads wait there, and the second side runs. */
static void test_block_stack__a_first_side_at_the_rpc_waits(void **state)
{
    static const params_t p = {4, 1, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0x3, (struct way){'D', 'B', 'D', 0});
        expect_top(d, 0, 'B', MASK(0xc), 1, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 2);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'D', MASK(0xf), 1, 1);
        dut_delete(d);
    }
}

/* A loop whose branch meets at the loop's end does not make the stack grow. */
static void test_block_stack__a_loop_keeps_its_height(void **state)
{
    static const params_t p = {4, 1, 1, 8, 8, 5};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1);
        for (uint32_t lane = 0; lane < 4; lane++) { /* lanes leave one by one */
            uint32_t stay = 0xfu << (lane + 1) & 0xf;
            branch(d, 0, HOME(0, 0, 0, 0), 4, stay, (struct way){'A', 'Z', 'Z', 0});
            if (stay != 0) {
                expect_top(d, 0, 'A', MASK(stay), 1, 1);
                expect_state(d, 0, CW_BLOCK_RUNS, 1, 2); /* Z of all, and the loop */
            }
        }
        expect_top(d, 0, 'Z', MASK(0xf), 1, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1);
        dut_delete(d);
    }
}

static void exit_threads(struct dut *d, const int8_t *home, uint32_t lanes, uint64_t last)
{
    begin(d, CW_BLOCK_STACK_EXIT, 0);
    set_warp(d, home, lanes);
    d->in.op_last = last;
    send(d);
}

/* A thread exits in one side, and a whole warp before the others have met the branch. */
static void test_block_stack__exits(void **state)
{
    static const params_t p = {2, 3, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        uint32_t ended = 0;
        start(d, 0, 'A', MASK(0x3, 0x3, 0x3), 3);
        expect_top(d, 0, 'A', MASK(0x3, 0x3, 0x3), 3, 3);
        branch(d, 0, HOME(0, 0), 2, 0x1, (struct way){'B', 'C', 'D', 0});
        branch(d, 0, HOME(2, 2), 2, 0x2, (struct way){'B', 'C', 'D', 0});
        exit_threads(d, HOME(1, 1), 2, 1); /* the last of three: the branch is complete */
        expect_top(d, 0, 'B', MASK(0x1, 0x0, 0x2), 3, 1);
        exit_threads(d, HOME(0, -1), 2, 0); /* lane 1 goes on */
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'C', MASK(0x2, 0x0, 0x1), 3, 1);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 0);
        expect_top(d, 0, 'D', MASK(0x2, 0x0, 0x3), 3, 2);
        exit_threads(d, HOME(2, 0), 2, 1);
        exit_threads(d, HOME(-1, 2), 2, 1);
        for (uint32_t i = 0; i < 10; i++) {
            cycle(d);
            ended += d->out.ended_valid && d->out.ended_block == 0;
        }
        assert_int_equal(ended, 1);
        assert_int_equal(d->out.busy, 0);
        expect_state(d, 0, CW_BLOCK_NONE, 0, 0);
        dut_delete(d);
    }
}

/* Depth 2: nine nested branches spill, and come back with their masks; the likely-convergence entry is joined in memory. */
static void test_block_stack__spills_and_comes_back(void **state)
{
    static const params_t p = {10, 1, 2, 2, 8, 5};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        int8_t home[10] = {0};
        uint32_t mask = 0x3ff;
        start(d, 1, 'A', MASK(0x3ff), 1);
        expect_top(d, 1, 'A', MASK(0x3ff), 1, 1);
        branch(d, 1, home, 10, 0x1ff, (struct way){'B', 'C', 'z', 'y'}); /* thread 10 goes to C; they likely meet at y */
        mask = 0x1ff;
        expect_top(d, 1, 'B', &mask, 1, 1);
        for (uint32_t n = 0; n < 8; n++) {
            mask >>= 1;
            home[9 - n] = -1;
            branch(d, 1, home, 10, mask, (struct way){'D', 'E', (char)('a' + n), 0});
            expect_top(d, 1, 'D', &mask, 1, 1);
        }
        expect_state(d, 1, CW_BLOCK_RUNS, 1, 4 + 16);
        for (uint32_t n = 8; n-- > 0;) {
            end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
            uint32_t side = 0x1ffu >> n & ~(0x1ffu >> (n + 1)), all = 0x1ffu >> n;
            expect_top(d, 1, 'E', &side, 1, 1);
            end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
            expect_top(d, 1, (char)('a' + n), &all, 1, 1);
            if (n == 4) { /* two threads exit while their other entries are in memory */
                begin(d, CW_BLOCK_STACK_EXIT, 1);
                d->in.op_lanes = 0x3;
                send(d);
            }
            if (n == 4)
                break;
        }
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1); /* what is above the likely-convergence entry pops one by one */
        for (uint32_t n = 4; n-- > 0;) {
            uint32_t side = 0x1ffu >> n & ~(0x1ffu >> (n + 1)), all = 0x1fcu & 0x1ffu >> n;
            expect_top(d, 1, 'E', &side, 1, 1);
            end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
            expect_top(d, 1, (char)('a' + n), &all, 1, 1);
            end_of_warp(d, n == 0 ? CW_BLOCK_STACK_JOIN : CW_BLOCK_STACK_ARRIVE, 1);
        }
        expect_top(d, 1, 'C', MASK(0x200), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 1);
        expect_top(d, 1, 'y', MASK(0x3fc), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
        expect_top(d, 1, 'z', MASK(0x3fc), 1, 1);
        expect_state(d, 1, CW_BLOCK_RUNS, 1, 1);
        assert_int_equal(d->out.peak, 20);
        assert_int_equal(d->out.overflow, 0);
        dut_delete(d);
    }
}

/* Four positions: the second branch finds none for its second side. END makes the block free again. */
static void test_block_stack__overflows(void **state)
{
    static const params_t p = {3, 2, 2, 2, 8, 2};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0x7, 0x0), 2);
        expect_top(d, 0, 'A', MASK(0x7, 0x0), 2, 1);
        branch(d, 0, HOME(0, 0, 0), 3, 0x3, (struct way){'B', 'C', 'D', 0});
        expect_top(d, 0, 'B', MASK(0x3, 0x0), 2, 1);
        assert_int_equal(d->out.overflow, 0);
        branch(d, 0, HOME(0, 0, -1), 3, 0x1, (struct way){'E', 'F', 'G', 0});
        for (uint32_t i = 0; i < 10; i++)
            cycle(d);
        assert_int_equal(d->out.overflow, 1);
        assert_int_equal(d->out.top_valid, 0);
        expect_state(d, 0, CW_BLOCK_OVERFLOWED, 0, 4);
        start(d, 1, 'A', MASK(0x0, 0x1), 2); /* the other block goes on */
        expect_top(d, 1, 'A', MASK(0x0, 0x1), 2, 1);
        end_of_warp(d, CW_BLOCK_STACK_END, 0);
        expect_state(d, 0, CW_BLOCK_NONE, 0, 0);
        start(d, 0, 'A', MASK(0x2, 0x0), 2);
        expect_top(d, 0, 'A', MASK(0x2, 0x0), 2, 1);
        dut_delete(d);
    }
}

/* The contract's times: an offer comes 6 cycles after the last warp's branch, and an operation is taken in each cycle of arrivals. */
static void test_block_stack__takes_its_cycles(void **state)
{
    static const params_t p = {4, 2, 1, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf, 0xf), 2);
        expect_top(d, 0, 'A', MASK(0xf, 0xf), 2, 2);
        for (uint64_t w = 0; w < 2; w++) {
            branch(d, 0, HOME((int8_t)w, (int8_t)w, (int8_t)w, (int8_t)w), 4, 0x3, (struct way){'B', 'C', 'D', 0});
            assert_int_equal(d->out.op_ready, 1);
        }
        for (uint32_t i = 1; i < 6; i++) {
            cycle(d);
            assert_int_equal(d->out.top_valid, 0);
            assert_int_equal(d->out.op_ready, i >= 5);
        }
        cycle(d);
        assert_int_equal(d->out.top_valid, 1);
        for (uint32_t i = 0; i < 3; i++) { /* it stays */
            cycle(d);
            assert_int_equal(d->out.top_pc, 'B');
            assert_int_equal(d->out.busy, 1);
        }
        dut_delete(d);
    }
}

/* An EXIT of block 0 names threads of block 1. */
static void test_block_stack__other_blocks_threads_do_not_count(void **state)
{
    static const params_t p = {2, 2, 2, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0x3, 0x0), 2);
        expect_top(d, 0, 'A', MASK(0x3, 0x0), 2, 1);
        start(d, 1, 'A', MASK(0x0, 0x3), 2);
        exit_threads(d, HOME(0, 1), 2, 0);
        expect_top(d, 1, 'A', MASK(0x0, 0x3), 2, 1);
        branch(d, 0, HOME(1, 0), 2, 0x1, (struct way){'B', 'C', 'D', 0});
        expect_top(d, 0, 'C', MASK(0x2, 0x0), 2, 1);
        expect_state(d, 0, CW_BLOCK_RUNS, 1, 1); /* nobody of this block has gone first */
        dut_delete(d);
    }
}

/* Nothing of it changes the block, and nobody hears of it. */
static void expect_ignored(struct dut *d, uint64_t kind, uint64_t block, uint64_t state, uint64_t wcnt, uint64_t depth)
{
    begin(d, kind, block);
    d->in.op_first_pc = 'X';
    d->in.op_mask[0] = 0x1;
    d->in.op_lanes = 0x3;
    d->in.op_last = 1;
    send(d);
    assert_int_equal(d->out.ended_valid, 0);
    expect_state(d, 0, state, wcnt, depth);
    assert_int_equal(d->out.qry_pc, depth != 0 ? 'A' : 0);
    assert_int_equal(d->out.ended_valid, 0);
}

static void expect_no_count(struct dut *d, uint64_t block, uint64_t count, uint64_t state, uint64_t wcnt)
{
    d->in.made_valid = 1;
    d->in.made_block = block;
    d->in.made_count = count;
    cycle(d);
    expect_state(d, 0, state, wcnt, 1);
}

static void test_block_stack__what_has_no_meaning_is_ignored(void **state)
{
    static const params_t p = {2, 2, 2, 4, 8, 3};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        for (uint64_t kind = CW_BLOCK_STACK_BRANCH; kind < 8; kind++)
            expect_ignored(d, kind, 0, CW_BLOCK_NONE, 0, 0);
        start(d, 0, 'A', MASK(0x3, 0x0), 2);
        for (uint32_t i = 0; i < 4; i++)
            cycle(d);
        for (uint64_t kind = CW_BLOCK_STACK_START; kind < 8; kind++)
            expect_ignored(d, kind, 0, CW_BLOCK_OFFERED, 0, 1);
        d->in.top_ready = 1;
        cycle(d);
        expect_no_count(d, 1, 1, CW_BLOCK_WAITS, 0);
        expect_no_count(d, 0, 0, CW_BLOCK_WAITS, 0);
        expect_no_count(d, 0, 2, CW_BLOCK_RUNS, 2);
        expect_no_count(d, 0, 1, CW_BLOCK_RUNS, 2);
        expect_ignored(d, CW_BLOCK_STACK_START, 0, CW_BLOCK_RUNS, 2, 1);
        expect_ignored(d, 6, 0, CW_BLOCK_RUNS, 2, 1);
        for (uint64_t kind = CW_BLOCK_STACK_START; kind < 8; kind++)
            expect_ignored(d, kind, 2, CW_BLOCK_RUNS, 2, 1); /* there is no block 2 */
        expect_state(d, 2, 0, 0, 0);
        expect_ignored(d, CW_BLOCK_STACK_END, 0, CW_BLOCK_NONE, 0, 0); /* it ends, and is not reported */
        start(d, 1, 'A', MASK(0x0, 0x0), 2);                           /* a first mask without threads: checked, popped */
        cycle(d);
        cycle(d);
        cycle(d);
        assert_int_equal(d->out.ended_valid, 1);
        assert_int_equal(d->out.ended_block, 1);
        assert_int_equal(d->out.pop_empty, 1);
        dut_delete(d);
    }
}

/* The cycle after an operation in which the next top is offered. */
static uint32_t offered_after(struct dut *d)
{
    for (uint32_t n = 1; n < 100; n++) {
        cycle(d);
        if (d->out.top_valid)
            return n;
    }
    return 0;
}

/* Depth 2. Block 1: F and E (likely) below the sides B and C, then G and a second side above C's; entries go to memory and come back. */
static void test_block_stack__takes_its_steps(void **state)
{
    static const params_t p = {4, 2, 2, 2, 8, 4};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        const uint32_t(*entry)[CW_BLOCK_STACK_ENTRY_WORDS] = d->memory.entry;
        start(d, 1, 'A', MASK(0x0, 0xf), 2);
        assert_int_equal(offered_after(d), 3); /* check */
        expect_top(d, 1, 'A', MASK(0x0, 0xf), 2, 1);
        branch(d, 1, HOME(1, 1, 1, 1), 4, 0xe, (struct way){'C', 'B', 'F', 'E'});
        assert_int_equal(offered_after(d), 9); /* decide, F, E, read and store F, B, check */
        expect_top(d, 1, 'C', MASK(0x0, 0xe), 2, 1);
        assert_int_equal(entry[16][1], 0xf); /* block 1, position 0: F, no RPC, no LPC */
        assert_int_equal(entry[16][32], 'F');
        branch(d, 1, HOME(-1, 1, 1, 1), 4, 0x2, (struct way){'H', 'I', 'G', 0});
        assert_int_equal(offered_after(d), 10); /* decide, read and store E, G, read and store B, I, check */
        expect_top(d, 1, 'H', MASK(0x0, 0x2), 2, 1);
        assert_int_equal(entry[17][1], 0x0); /* E, RPC F, no LPC */
        assert_int_equal(entry[17][32], 'E' | 1u << 8 | 'F' << 9);
        assert_int_equal(entry[18][32], 'B' | 1u << 8 | 'F' << 9 | 1u << 17 | 'E' << 18 | 1u << 26); /* and LPC E, LPos 1 */
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
        assert_int_equal(offered_after(d), 6); /* decide, pop, load, check */
        expect_top(d, 1, 'I', MASK(0x0, 0xc), 2, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 1); /* I has no LPC */
        assert_int_equal(offered_after(d), 6);
        expect_top(d, 1, 'G', MASK(0x0, 0xe), 2, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 1);
        assert_int_equal(offered_after(d), 10); /* decide, fetch, await, store, pop, fetch, await, check */
        assert_int_equal(entry[17][1], 0xe);
        assert_int_equal(entry[17][32], 'E' | 1u << 8 | 'F' << 9);
        expect_top(d, 1, 'B', MASK(0x0, 0x1), 2, 1);
        branch(d, 1, HOME(1, -1, -1, -1), 4, 0x1, (struct way){'K', 'L', 'M', 0});
        assert_int_equal(offered_after(d), 4); /* one way: decide, check */
        expect_top(d, 1, 'K', MASK(0x0, 0x1), 2, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 1);
        assert_int_equal(offered_after(d), 10);
        expect_top(d, 1, 'E', MASK(0x0, 0xf), 2, 1);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
        assert_int_equal(offered_after(d), 7); /* decide, pop, fetch, await, check */
        expect_top(d, 1, 'F', MASK(0x0, 0xf), 2, 1);
        end_of_warp(d, CW_BLOCK_STACK_ARRIVE, 1);
        for (uint32_t n = 1; n <= 3; n++) { /* decide, pop; then it is told, and the unit is free */
            cycle(d);
            assert_int_equal(d->out.ended_valid, n == 3);
            assert_int_equal(d->out.pop_valid, n == 3);
            assert_int_equal(d->out.op_ready, n == 3);
        }
        dut_delete(d);
    }
}

/* The same in a unit that holds all entries: a join reads, stages and writes. */
static void test_block_stack__joins_in_the_unit(void **state)
{
    static const params_t p = {4, 2, 2, 8, 8, 4};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = dut_new(&p, backends[b]);
        start(d, 0, 'A', MASK(0xf), 1);
        expect_top(d, 0, 'A', MASK(0xf), 1, 1);
        branch(d, 0, HOME(0, 0, 0, 0), 4, 0xe, (struct way){'C', 'B', 'F', 'E'});
        assert_int_equal(offered_after(d), 7); /* decide, F, E, B, check */
        expect_top(d, 0, 'C', MASK(0xe), 1, 1);
        end_of_warp(d, CW_BLOCK_STACK_JOIN, 0);
        assert_int_equal(offered_after(d), 9); /* decide, read, stage, write, pop, load, check */
        expect_top(d, 0, 'B', MASK(0x1), 1, 1);
        dut_delete(d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_block_stack__fills),
    cmocka_unit_test(test_block_stack__c_equals_rtl),
    cmocka_unit_test(test_block_stack__broken_copies_are_caught),
    cmocka_unit_test(test_block_stack__figure_2_3),
    cmocka_unit_test(test_block_stack__figure_3_5),
    cmocka_unit_test(test_block_stack__figure_3_7),
    cmocka_unit_test(test_block_stack__figure_3_8),
    cmocka_unit_test(test_block_stack__a_nested_branch_has_no_lpc),
    cmocka_unit_test(test_block_stack__the_lowest_block_that_is_ready_comes_next),
    cmocka_unit_test(test_block_stack__pops_what_is_empty_or_at_its_rpc),
    cmocka_unit_test(test_block_stack__a_branch_to_one_side_changes_the_pc_only),
    cmocka_unit_test(test_block_stack__a_first_side_at_the_rpc_waits),
    cmocka_unit_test(test_block_stack__a_loop_keeps_its_height),
    cmocka_unit_test(test_block_stack__exits),
    cmocka_unit_test(test_block_stack__spills_and_comes_back),
    cmocka_unit_test(test_block_stack__overflows),
    cmocka_unit_test(test_block_stack__takes_its_cycles),
    cmocka_unit_test(test_block_stack__other_blocks_threads_do_not_count),
    cmocka_unit_test(test_block_stack__what_has_no_meaning_is_ignored),
    cmocka_unit_test(test_block_stack__takes_its_steps),
    cmocka_unit_test(test_block_stack__joins_in_the_unit),
};
CW_TEST_MAIN(tests)
