/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuckoo table: C model and RTL in lockstep, broken copies, directed insertions on both, and random traffic against a plain
 * array of entries.
 */
#include "cowarp/unit/cuckoo_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"
#include "unit/h3.h"

typedef struct cw_cuckoo_table_params params_t;
typedef struct cw_cuckoo_table_in in_t;
typedef struct cw_cuckoo_table_out out_t;

#include "overflow_memory.h"

/* A table, the memory of its overflow area, and what was seen of it. */
#define DUT_OWN                                                                 \
    struct overflow_memory memory;                                              \
    uint64_t read_granule[5]; /* questions of this cycle and the four before */ \
    uint32_t evictions, stashed, overflowed, last_cycles;                       \
    uint64_t last_evicted;                                                      \
    char accesses[64]; /* of the overflow area: "r0 w3 ", as far as there is place */
#define DUT_UNIT cw_cuckoo_table_unit
#include "dut.h"
#include "fill/cuckoo_table.h"

/*                               ts gran own cnt tag row stash swaps evict_fill overflow */
static const params_t getm = {32, 30, 12, 16, 31, 8, 4, 32, 11, 12};
static const params_t minimal = {4, 8, 2, 2, 1, 1, 1, 1, 0, 1};
static const params_t odd = {47, 37, 13, 15, 64, 3, 3, 7, 16, 5};
static const params_t small = {32, 30, 12, 16, 20, 2, 2, 3, 8, 6};
static const params_t eight_rows = {32, 30, 12, 16, 20, 1, 1, 2, 0, 8};
static const params_t tight = {32, 30, 12, 16, 20, 1, 2, 1, 16, 1};
static const params_t largest = {44, 40, 16, 16, 64, 12, 16, 255, 16, 20};

/* Where the stimulus is. */
struct phase {
    struct overflow_memory memory;
    uint32_t granules; /* how many are in play */
    uint32_t reserved; /* how many of 8 updates reserve */
    bool eager;        /* each answer is updated */
    bool refusing;     /* results and questions are refused now and then */
    uint32_t pause;    /* cycles without a look-up, after which a flush comes with the next one */
};

/* Few granules; now and then a phase with other numbers. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    if (phase->granules == 0 || cw_rng_below(rng, 1024) == 0) {
        phase->granules = cw_rng_below(rng, 2) == 0 ? 32u << cw_rng_below(rng, 3) : 1u << (2 + cw_rng_below(rng, 9));
        phase->reserved = 1 + cw_rng_below(rng, 7);
        phase->eager = cw_rng_below(rng, 2) == 0;
        phase->refusing = cw_rng_below(rng, 4) == 0;
    }
    if (cw_rng_below(rng, 64) != 0)
        in->look_granule = cw_rng_below(rng, phase->granules) * 0x5bd1e995u;
    if (cw_rng_below(rng, 8) >= phase->reserved)
        in->upd_writes = 0;
    else if (cw_rng_below(rng, 4) != 0)
        in->upd_writes = 1 + cw_rng_below(rng, 3);
    else
        in->upd_writes = (uint64_t)1 << cw_rng_below(rng, 16); /* each bit alone keeps an entry reserved */
    if ((in->look_ts & 15) == 15)                              /* there is no time after one that is all ones */
        in->look_ts ^= 1;
    if (phase->eager)
        in->look_valid = in->upd_valid = 1;
    if (cw_rng_below(rng, 8) != 0)
        in->upd_writes_set = 1; /* so that the phase's share of reservations counts */
    in->res_again = phase->refusing && cw_rng_below(rng, 16) == 0;
    in->read_ready = !phase->refusing || cw_rng_below(rng, 16) != 0;
    if (cw_rng_below(rng, 256) != 0)
        in->flush = 0;
    if (phase->pause > 0) {
        phase->pause--;
        in->look_valid = in->flush = phase->pause == 0;
    } else if (cw_rng_below(rng, 512) == 0)
        phase->pause = 40;
    overflow_memory_step(&phase->memory, last_out, in, cw_rng_below(rng, 3) == 0);
    phase->memory.last_in = *in;
}

static const struct cw_lockstep_set sets[] = {{"getm", &getm, 1024},  {"minimal", &minimal, 128}, {"odd", &odd, 256},
                                              {"small", &small, 256}, {"tight", &tight, 256},     {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_cuckoo_table_unit, sets, 6, constrain, &lockstep_phase};

static void test_cuckoo_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

/* What is broken, by name; each must be noticed. */
static const struct cw_mutant mutants[] = {
    {"no forwarding in the RAM", "cw_ram_1r1w_fwd", "assign rd_data_o = fwd_q ? fwd_data_q : ram_data;",
     "wire unused = &{fwd_q, fwd_data_q}; assign rd_data_o = ram_data;", 3},
    {"no forwarding from the update before", "cw_cuckoo_trust", "wire       show_forward = show_same1_q && put_i;",
     "wire       show_forward = show_same1_q && put_i && 1'b0;", 3},
    {"no forwarding from two updates before", "cw_cuckoo_trust", "wire       time_forward = time_same2_q && put_i;",
     "wire       time_forward = time_same2_q && put_i && 1'b0;", 3},
    {"no forwarding from three updates before", "cw_cuckoo_find", "find_from_write = same_write_i && put_i;",
     "find_from_write = same_write_i && put_i && 1'b0;", 3},
    {"no forwarding from four updates before", "cw_cuckoo_find", "same_past_i && past_put_i && !find_from_write;",
     "same_past_i && past_put_i && 1'b0;", 3},
    {"the older update counts", "cw_cuckoo_find", "find_from_past  = same_past_i && past_put_i && !find_from_write;",
     "find_from_past  = same_past_i && past_put_i;", 3},
    {"equal times are not later than the time after them", "cw_cuckoo_show", "write_ts_later_q || write_ts_equal_q",
     "write_ts_later_q || (write_ts_equal_q && 1'b0)", 3},
    {"a row written just before is not seen", "cw_cuckoo_trust", "wire [3:0] show_written = write_way_i & show_same_row_q;",
     "wire [3:0] show_written = write_way_i & show_same_row_q & 4'd0;", 3},
    {"an eviction's granule is asked too early", "cw_cuckoo_trust", "(evicts_i && old_granule_i == hash_granule_i)",
     "(evicts_i && old_granule_i == hash_granule_i && 1'b0)", 3},
    {"a chain spoils no look-up", "cw_cuckoo_trust", "find_spoilt_q  <= read_spoilt_q || hold_i;", "find_spoilt_q  <= read_spoilt_q;", 3},
    {"one displacement too many", "cw_cuckoo_write", "hand_homeless && !swaps_done_i", "hand_homeless", 3},
    {"the chain undoes its last step", "cw_cuckoo_find", "chain_i ? hand_way_i + 2'd1 : rotor_i", "chain_i ? hand_way_i : rotor_i", 3},
    {"the stash evicts a reserved entry", "cw_cuckoo_stash", "entries_q[k*ENTRY_W+WRITES_LSB+:COUNT_W] == {COUNT_W{1'b0}}",
     "entries_q[k*ENTRY_W+WRITES_LSB+:COUNT_W] <= 1", 3},
    {"the last overflow entry is not searched", "cw_cuckoo_control", "{1'b0, search_idx_q} == overflow_less",
     "{1'b0, search_idx_q} + 1 >= overflow_less", 3},
    {"removal forgets to move the last entry", "cw_cuckoo_control", "search_last ? ST_RUN : ST_MOVE_READ", "ST_RUN", 3},
    {"reserved rows are easy", "cw_cuckoo_find", "|find_free || |find_unreserved || !may_evict_i", "1'b1", 3},
    {"a look-up with a flush sees old rows", "cw_cuckoo_ways", "&& !read_empty_q,", "&& !(read_empty_q && 1'b0),", 3},
    {"flush keeps the stash", "cw_cuckoo_stash", "if (clear_i)", "if (clear_i && &valid_q)", 3},
    {"two ways have one hash", "cw_cuckoo_ways", "1:       way_seed = 32'h20304010;", "1:       way_seed = 32'h10203040;", 3},
    {"a chain asks the second structure", "cw_cuckoo_core", "= hash_valid && !hash_chain;", "= hash_valid && (!hash_chain || hash_chain);",
     3},
    {"what is found shows the answer", "cw_cuckoo_show", "if (!time_forward_i && !time_held_i)",
     "if (!time_forward_i && (!time_held_i || 1'b1))", 3},
    {"rts is set with wts", "cw_cuckoo_write", "<= upd_rts_set_i && !show_chain_i;",
     "<= (upd_rts_set_i || upd_wts_set_i) && !show_chain_i;", 3},
    {"what goes in is called evicted", "cw_cuckoo_write", "write_evict_q ? write_old_q[BODY_W+:GRANULE_W] : write_granule_i",
     "write_granule_i", 3},
    {"an owner without a reservation", "cw_cuckoo_show", "wire show_own       = show_reserved &&",
     "wire show_own       = (show_reserved || 1'b1) &&", 3},
    {"a look-up in two cycles", "cw_cuckoo_core", "&& first && !again_valid;", "&& first && !again_valid && !hash_valid;", 3},
    {"a look-up while it is cleared", "cw_cuckoo_core", "look_ready_o     = !clearing && !hold", "look_ready_o     = !hold", 3},
    {"a look-up beside an entry on its way", "cw_cuckoo_core", "look_ready_o     = !clearing && !hold", "look_ready_o     = !clearing", 3},
    {"the oldest waits a cycle less", "cw_cuckoo_control", "wait_cnt_q <= 3'd5;", "wait_cnt_q <= 3'd4;", 3},
    {"a refused question counts", "cw_cuckoo_trust", "hold_i || unasked_i || (evicts_i", "hold_i || (unasked_i && 1'b0) || (evicts_i", 3},
    {"a refused result is updated", "cw_cuckoo_write", "<= decided_i && upd_valid_i;",
     "<= (decided_i || (show_valid_i && !show_chain_i)) && upd_valid_i;", 3},
    {"a result during an access", "cw_cuckoo_core", "!hold && (run || show_searched) &&", "!hold && (run || show_searched || 1'b1) &&", 3},
    {"the highest free way", "cw_cuckoo_find", "|find_free ? lowest(find_free)", "|find_free ? first_from(find_free, 2'd1)", 3},
    {"the way counter stands still", "cw_cuckoo_control", "rotor_q <= rotor_q + 2'd1;", "rotor_q <= rotor_q;", 3},
    {"a full area takes one more", "cw_cuckoo_write", "is_new && !new_leaves && !overflow_full_i;", "is_new && !new_leaves;", 4},
    {"a free row does not end a chain", "cw_cuckoo_write", "hand_homeless   = !show_free_i && !show_victim_i;",
     "hand_homeless   = !show_victim_i;", 3},
    {"a chain's victim leaves without a word", "cw_cuckoo_write", "(show_victim_i && !show_free_i) || (hand_stashed", "(hand_stashed", 3},
    {"a homeless entry goes to the stash though unreserved", "cw_cuckoo_write", "hand_gives_up && !hand_unreserved && (",
     "hand_gives_up && (", 4},
    {"an update in memory is not written back", "cw_cuckoo_control", "state_d = ST_WRITE_BACK;", "state_d = ST_RUN;", 3},
    {"idle fields show", "cw_cuckoo_table", "res_wts & {TS_W{res_valid_o}};", "res_wts;", 3},
    {"flush while it works", "cw_cuckoo_core", "rst_i || (flush_i && !busy_o);", "rst_i || flush_i;", 3},
    {"a look-up in stage hash is not busy", "cw_cuckoo_stages", "busy_o          = hash_valid_q ||", "busy_o          =", 3},
    {"the stash counts what matches", "cw_cuckoo_stash", "used_o + 5'd1;", "used_o + {4'd0, hit_oh_o[k]};", 3},
    {"an empty overflow area counts", "cw_cuckoo_control", "overflow_used_o   = overflow_cnt_q;", "overflow_used_o   = overflow_less;", 3},
    {"an entry is told before memory takes it", "cw_cuckoo_control", "evt_overflow_q <= state_q == ST_SPILL && mem_ready_i;",
     "evt_overflow_q <= state_q == ST_SPILL;", 3},
    {"evictions free a row", "cw_cuckoo_write", "fill_o          = acts && write_fill_q",
     "fill_o          = acts && (write_fill_q || write_evict_q)", 3},
    {"done before the end of a chain", "cw_cuckoo_control", "(slow_i && !moves_on_i && state_d == ST_RUN)", "(slow_i && state_d == ST_RUN)",
     3},
    {"evt_cycles does not count the access itself", "cw_cuckoo_control", "8'd255 : held_next + 8'd1;", "8'd255 : held_next;", 3},
    {"what leaves goes to the stash by the events", "cw_cuckoo_write", "stashed_o       = write_stashed_q;",
     "stashed_o       = write_stashed_q || write_leave_q;", 4}};

static void test_cuckoo_table__broken_copies_are_caught(void **state)
{
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* One table of one backend ------------------------------------------------------------------------------------------------ */

static void note_access(struct dut *d)
{
    const size_t used = strlen(d->accesses);
    if (d->out.mem_valid)
        snprintf(d->accesses + used, sizeof d->accesses - used, "%c%u ", d->out.mem_write ? 'w' : 'r', (unsigned)d->out.mem_addr);
}

/* Fields of a channel are 0 while its valid is 0. */
static void check_idle_channels(const out_t *o)
{
    if (!o->read_valid)
        assert_int_equal(o->read_granule, 0);
    if (!o->res_valid)
        assert_int_equal(o->res_granule | o->res_ts | o->res_look_owner | o->res_tag | o->res_found | o->res_room | o->res_easy |
                             o->res_wts | o->res_rts | o->res_writes | o->res_owner | o->res_wts_later | o->res_rts_later |
                             o->res_reserved | o->res_own,
                         0);
    if (!o->evict_valid)
        assert_int_equal(o->evict_granule | o->evict_wts | o->evict_rts, 0);
    if (!o->mem_valid)
        assert_int_equal(o->mem_write | o->mem_addr | o->mem_wdata[0], 0);
}

/* Settles the outputs for d->in; upd_* may be chosen by them before end_cycle. */
static void settle(struct dut *d)
{
    d->in.mem_ready = d->in.read_ready = 1;
    overflow_memory_step(&d->memory, &d->out, &d->in, true);
    dut_eval(d);
    memmove(&d->read_granule[1], &d->read_granule[0], 4 * sizeof d->read_granule[0]);
    d->read_granule[0] = d->out.read_valid ? d->out.read_granule : UINT64_MAX;
    if (d->out.res_valid) /* a second structure has this granule's answer now */
        assert_int_equal(d->read_granule[4], d->out.res_granule);
    if (d->out.evict_valid)
        d->last_evicted = d->out.evict_granule;
    d->evictions += (uint32_t)d->out.evict_valid;
    d->stashed += (uint32_t)d->out.evt_stash;
    d->overflowed += (uint32_t)d->out.evt_overflow;
    if (d->out.evt_done)
        d->last_cycles = (uint32_t)d->out.evt_cycles;
    note_access(d);
    check_idle_channels(&d->out);
}

/* Ends the cycle, with what has been chosen since. */
static void end_cycle(struct dut *d)
{
    d->memory.last_in = d->in;
    dut_cycle(d);
}

static void dut_settle(struct dut *d)
{
    uint32_t limit = 100000;
    do {
        settle(d);
        end_cycle(d);
    } while (d->out.busy && --limit > 0);
    assert_true(limit > 0);
}

static struct dut *open_settled(const params_t *p, enum cw_unit_backend backend)
{
    struct dut *d = dut_new(p, backend);
    dut_settle(d);
    return d;
}

/* Looks a granule up and, if writes >= 0, writes {wts = granule + 1, rts = granule, writes, owner 1}; whether it was found. */
static bool dut_do(struct dut *d, uint64_t granule, int64_t writes, out_t *result)
{
    bool sent = false;
    for (uint32_t i = 0; i < 10000; i++) {
        d->in.look_valid = !sent;
        d->in.look_granule = granule;
        d->in.look_ts = granule;
        d->in.look_owner = 1;
        settle(d);
        sent = sent || d->out.look_ready;
        bool offered = d->out.res_valid;
        if (offered) {
            if (result != NULL)
                *result = d->out;
            d->in.upd_valid = writes >= 0;
            d->in.upd_wts_set = d->in.upd_rts_set = d->in.upd_writes_set = d->in.upd_owner_set = 1;
            d->in.upd_writes = writes >= 0 ? (uint64_t)writes : 0;
        }
        bool found = d->out.res_found;
        end_cycle(d);
        if (offered)
            return found;
    }
    fail_msg("no result for granule %u", (unsigned)granule);
    return false;
}

/* Directed ---------------------------------------------------------------------------------------------------------------- */

static void test_cuckoo_table__insert_find_update(void **state)
{
    out_t r;
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        assert_false(dut_do(d, 1000, 3, &r));
        assert_int_equal(r.res_room, 1);
        assert_true(dut_do(d, 1000, -1, &r));
        assert_int_equal(r.res_wts, 1001);
        assert_int_equal(r.res_rts, 1000);
        assert_int_equal(r.res_wts_later, 1);
        assert_int_equal(r.res_rts_later, 0);
        assert_int_equal(r.res_own, 1);
        assert_int_equal(r.res_writes, 3);
        assert_int_equal(r.res_owner, 1);
        assert_true(dut_do(d, 1000, 0, NULL));
        assert_true(dut_do(d, 1000, -1, &r));
        assert_int_equal(r.res_writes, 0);
        assert_false(dut_do(d, 1001, -1, NULL));
        assert_int_equal(d->out.used, 1);
        assert_int_equal(d->last_cycles, 1);
        dut_settle(d);
        d->in.flush = 1;
        settle(d);
        end_cycle(d);
        settle(d);
        assert_int_equal(d->out.busy, 1); /* it is being cleared */
        assert_int_equal(d->out.look_ready, 0);
        end_cycle(d);
        dut_settle(d);
        assert_int_equal(d->out.used, 0);
        assert_false(dut_do(d, 1000, -1, NULL));
        dut_delete(d);
    }
}

/* A look-up of one granule in each cycle, each result five cycles later; each sees the update of the cycle before it. */
static void test_cuckoo_table__one_per_cycle(void **state)
{
    enum { N = 50, LATENCY = 5 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        uint64_t wts = 0, rts = 0, owner = 0;
        for (uint64_t i = 0; i < N + LATENCY; i++) {
            uint64_t ts = i < LATENCY ? 0 : (i - LATENCY) * 37 % 64; /* of the result */
            d->in.look_valid = i < N;
            d->in.look_granule = 77;
            d->in.look_ts = i * 37 % 64;
            d->in.look_owner = i % 3;
            settle(d);
            assert_int_equal(d->out.look_ready, 1);
            assert_int_equal(d->out.res_valid, i >= LATENCY);
            if (d->out.res_valid) {
                assert_int_equal(d->out.res_found, i > LATENCY);
                assert_int_equal(d->out.res_ts, ts);
                assert_int_equal(d->out.res_wts, wts);
                assert_int_equal(d->out.res_rts, rts);
                assert_int_equal(d->out.res_wts_later, wts > ts);
                assert_int_equal(d->out.res_rts_later, rts > ts);
                assert_int_equal(d->out.res_own, i > LATENCY && owner == (i - LATENCY) % 3);
                d->in.upd_valid = 1;
                d->in.upd_wts_set = i % 2;
                d->in.upd_rts_set = i % 5 < 2;
                d->in.upd_owner_set = i % 7 < 3;
                d->in.upd_writes_set = d->in.upd_writes = 1;
                wts = i % 2 ? ts + 1 : wts;
                rts = i % 5 < 2 ? ts : rts;
                owner = i % 7 < 3 ? (i - LATENCY) % 3 : owner;
            }
            end_cycle(d);
        }
        dut_delete(d);
    }
}

/* Fields whose set is 0 keep what the result shows; a miss shows the second structure's answer. */
static void test_cuckoo_table__each_field_has_its_own_set(void **state)
{
    out_t r;
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        for (uint32_t step = 0; step < 3; step++) {
            d->in.look_valid = 1;
            d->in.look_granule = 5;
            d->in.look_ts = 100;
            d->in.look_owner = 9;
            d->in.look_tag = 40 + step;
            for (uint32_t i = 0; i < 5; i++) {
                d->in.miss_wts = i == 4 ? 200 : 1; /* the answer counts in the cycle before the result */
                d->in.miss_rts = i == 4 ? 50 : 1;
                settle(d);
                end_cycle(d);
            }
            settle(d);
            r = d->out;
            assert_int_equal(r.res_valid, 1);
            assert_int_equal(r.res_tag, 40 + step);
            d->in.upd_valid = 1;
            d->in.upd_wts_set = step == 1;
            d->in.upd_owner_set = step == 0;
            d->in.upd_writes = 1;
            end_cycle(d);
            dut_settle(d);
            assert_int_equal(r.res_found, step > 0);
            assert_int_equal(r.res_wts, step < 2 ? 200 : 101);
            assert_int_equal(r.res_wts_later, 1);
            assert_int_equal(r.res_rts, 50);
            assert_int_equal(r.res_rts_later, 0);
            assert_int_equal(r.res_writes, 0);
            assert_int_equal(r.res_owner, step > 0 ? 9 : 0);
            assert_int_equal(r.res_own, 0);
        }
        dut_delete(d);
    }
}

/* A refused result comes again six cycles later, and those behind it stay behind it. */
static void test_cuckoo_table__refused_results_come_again_in_order(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        uint64_t next = 0, sent = 0, results = 0;
        for (uint64_t i = 0; i < 400 && results < 40; i++) {
            d->in.look_valid = sent < 40;
            d->in.look_granule = sent * 3;
            d->in.look_tag = sent;
            settle(d);
            sent += d->in.look_valid && d->out.look_ready;
            if (d->out.res_valid) {
                assert_int_equal(d->out.res_tag, next);
                d->in.res_again = i % 7 == 0;
                d->in.upd_valid = 1; /* does not count for a refused result */
                d->in.upd_writes_set = 1;
                d->in.upd_writes = 1;
                assert_int_equal(d->out.res_found, 0);
                next += !d->in.res_again;
                results += !d->in.res_again;
            }
            end_cycle(d);
        }
        assert_int_equal(results, 40);
        dut_delete(d);
    }
}

/* Reserved entries only, so nothing may be evicted: rows fill, then the stash, then memory; the rest of the story is that every
 * one is found again, and that giving reservations back empties the overflow area. */
static void test_cuckoo_table__chains_end_in_stash_then_memory(void **state)
{
    enum { N = 40 };
    out_t r;
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&small, backends[b]); /* 16 rows, 2 stash entries, 3 swaps */
        uint32_t slowest = 0;
        for (uint64_t i = 0; i < N; i++) {
            assert_false(dut_do(d, i * 31, 1, NULL));
            dut_settle(d);
            assert_true(d->overflowed == 0 || d->stashed == 2); /* memory is the last resort */
            if (d->overflowed == 0 && d->last_cycles > slowest)
                slowest = d->last_cycles;
        }
        /* without overflow: one cycle, the one of the first displacement, and six for each of three */
        assert_int_equal(slowest, 1 + 1 + 3 * 6);
        uint64_t inside = d->out.used + d->out.stash_used;
        assert_true(inside <= 18 && d->out.used >= 8);
        assert_int_equal(d->out.stash_used, 2);
        assert_int_equal(d->out.overflow_used, N - inside);
        assert_int_equal(d->evictions, 0);
        for (uint64_t i = 0; i < N; i++) {
            assert_true(dut_do(d, i * 31, -1, &r));
            assert_int_equal(r.res_wts, i * 31 + 1);
            assert_int_equal(r.res_writes, 1);
        }
        for (uint64_t i = 0; i < N; i++)
            assert_true(dut_do(d, i * 31, 0, NULL));
        dut_settle(d);
        assert_int_equal(d->out.overflow_used, 0);
        assert_int_equal(d->evictions, N - inside);
        for (uint64_t i = 0, found = 0; i < N; i++) {
            found += dut_do(d, i * 31, -1, NULL);
            assert_true(i < N - 1 || found == inside);
        }
        dut_delete(d);
    }
}

/*
 * A displaced entry goes on to another way, so chains find the rows that are left: four ways hold reserved entries up to 97 percent of
 * their rows (Fotakis et al., STACS 2003), and with 32 swaps up to more than 90. If each went back to where it came from, the first one
 * would be left over at half of them: an insertion and one displacement look at seven other rows, and 1,024 insertions at a load of 0 to p
 * meet seven full ones 128 p^8 times.
 */
static void test_cuckoo_table__chains_fill_the_rows(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]); /* 1,024 rows, 32 swaps */
        for (uint64_t i = 0; d->stashed == 0 && i < 1100; i++) {
            assert_false(dut_do(d, i * 0x9e3779b1u & 0x3fffffff, 1, NULL));
            dut_settle(d);
        }
        assert_int_equal(d->overflowed, 0);
        assert_in_range(d->out.used, 1024 * 88 / 100, 1024 * 98 / 100);
        dut_delete(d);
    }
}

/*
 * Reserved entries are inserted as long as that is easy, with eviction allowed from the start: so each takes a free row, and a
 * granule is refused only when its four rows are taken. Then an unreserved entry is sent away at once; and when one of the
 * reservations has ended, the granules with that row are easy again.
 */
static void test_cuckoo_table__overflow_is_the_last_resort(void **state)
{
    enum { N = 60 };
    out_t r = {0};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&eight_rows, backends[b]);
        bool inside[N] = {false};
        uint64_t refused = 0, easy = 0;
        for (uint64_t g = 0; g < N; g++) {
            assert_false(dut_do(d, g * 31, -1, &r));
            inside[g] = r.res_easy;
            refused += !inside[g];
            if (inside[g])
                (void)dut_do(d, g * 31, 1, NULL);
            assert_int_equal(r.res_room, 1);
        }
        dut_settle(d);
        assert_int_equal(d->out.used, N - refused);
        assert_true(d->out.used >= 4 && d->out.used <= 8);
        for (uint64_t g = 0, sent = 0; g < N; g++)
            if (!inside[g]) {
                assert_false(dut_do(d, g * 31, 0, NULL));
                dut_settle(d);
                assert_int_equal(d->last_cycles, 2);
                assert_int_equal(d->evictions, ++sent);
                assert_int_equal(d->last_evicted, g * 31);
            }
        assert_int_equal(d->stashed + d->overflowed, 0);
        for (uint64_t g = 0, ended = 0; g < N; g++) {
            bool found = dut_do(d, g * 31, inside[g] && ended == 0 ? 0 : -1, &r);
            assert_int_equal(found, inside[g]);
            assert_true(!found || r.res_easy); /* what is found needs no place */
            ended += inside[g];
        }
        for (uint64_t g = 0; g < N; g++)
            if (!inside[g]) {
                (void)dut_do(d, g * 31, -1, &r);
                easy += r.res_easy;
            }
        assert_true(easy > 0 && easy < refused); /* one row of a way's two */
        dut_delete(d);
    }
}

/* From the fill at which eviction is allowed, an insertion among unreserved entries costs no cycle. */
static void test_cuckoo_table__evicts_an_unreserved_entry_at_once(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&minimal, backends[b]); /* 8 rows */
        uint64_t g = 0;
        for (; g < 64; g++) {
            if (g % 16 == 15) /* its time would be all ones */
                continue;
            assert_false(dut_do(d, g, 0, NULL));
            dut_settle(d);
            assert_int_equal(d->last_cycles, 1);
            if (d->evictions > 0)
                assert_false(dut_do(d, d->last_evicted, -1, NULL));
        }
        assert_int_equal(d->out.used, 8);
        assert_int_equal(d->evictions, 60 - 8);
        assert_int_equal(d->stashed, 0);
        dut_delete(d);
    }
}

/* Where an entry goes ------------------------------------------------------------------------------------------------------ */

enum { WAY_0 = 1 };
static const uint64_t ALL_WAYS = UINT64_C(0x0001000100010001); /* of cw_h3x4, with two rows per way */
/*                                        ts gran own cnt tag row stash swaps evict_fill overflow */
static const params_t one_swap = {32, 30, 12, 16, 20, 1, 2, 1, 0, 6};
static const params_t two_swaps = {32, 30, 12, 16, 20, 1, 2, 2, 0, 6};
static const params_t full_only = {32, 30, 12, 16, 20, 1, 2, 1, 16, 6};
static const params_t four_in_memory = {32, 30, 12, 16, 20, 1, 1, 1, 0, 2};

/* The n-th granule, from 1 on, that has the rows of granule 1 in these ways, and the other row in each other way. */
static uint64_t alike(uint32_t n, uint64_t ways)
{
    struct cw_h3x4 hash;
    cw_h3x4_init(&hash, 30, 1);
    for (uint64_t g = 1; g < 10000; g++)
        if ((cw_h3x4(&hash, g) ^ cw_h3x4(&hash, 1)) == (ways ^ ALL_WAYS) && n-- == 0)
            return g;
    fail_msg("too few granules are alike");
    return 0;
}

/* Looks a granule up and writes; `leaves` is evicted `when` cycles after the result, and nothing else; when 0: nothing is. */
static void put(struct dut *d, uint64_t granule, int64_t writes, uint32_t when, uint64_t leaves)
{
    const uint32_t before = d->evictions;
    (void)dut_do(d, granule, writes, NULL);
    for (uint32_t cycle = 1; cycle <= when; cycle++) {
        settle(d);
        assert_int_equal(d->out.evict_valid, cycle == when);
        assert_int_equal(d->out.evict_granule, cycle == when ? leaves : 0);
        end_cycle(d);
    }
    dut_settle(d);
    assert_int_equal(d->evictions, before + (when > 0));
}

/* The first n granules that are alike, each reserved. */
static void reserve(struct dut *d, uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++)
        put(d, alike(n, ALL_WAYS), 1, 0, 0);
}

static void test_cuckoo_table__rows_fill_from_way_0_and_yield_in_turn(void **state)
{
    static const uint32_t leaves[] = {0, 2, 5, 3}; /* the second one is reserved, so its way is passed over */
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&one_swap, backends[b]);
        for (uint32_t n = 0; n < 4; n++)
            put(d, alike(n, ALL_WAYS), n == 1, 0, 0);
        for (uint32_t n = 0; n < 4; n++)
            put(d, alike(4 + n, ALL_WAYS), 0, 1, alike(leaves[n], ALL_WAYS));
        assert_int_equal(d->out.used, 4);
        dut_delete(d);
    }
}

/* One that is displaced has an unreserved neighbour in each other way: that of the way after its own leaves. */
static void test_cuckoo_table__a_displaced_entry_evicts_its_next_neighbour(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&one_swap, backends[b]);
        for (uint32_t n = 0; n < 4; n++)
            put(d, alike(n, ALL_WAYS), n == 0, 0, 0);
        for (uint32_t n = 0; n < 3; n++)
            put(d, alike(n, WAY_0), 1, 0, 0);
        put(d, alike(3, WAY_0), 1, 1 + 6, alike(1, ALL_WAYS));
        dut_delete(d);
    }
}

/* The way counter says who is displaced, so it is known who is in the stash, and in which place. */
static void test_cuckoo_table__the_lowest_unreserved_of_the_stash_yields(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&one_swap, backends[b]);
        reserve(d, 0, 6);
        assert_int_equal(d->stashed, 2); /* 0 and 1 */
        put(d, alike(1, ALL_WAYS), 0, 0, 0);
        put(d, alike(0, ALL_WAYS), 0, 0, 0);
        put(d, alike(6, ALL_WAYS), 1, 1 + 6, alike(0, ALL_WAYS)); /* 2 goes there */
        put(d, alike(7, ALL_WAYS), 1, 1 + 6, alike(1, ALL_WAYS));
        assert_int_equal(d->overflowed, 0);
        put(d, alike(8, ALL_WAYS), 1, 0, 0); /* all are reserved now */
        assert_int_equal(d->overflowed, 1);
        assert_int_equal(d->stashed, 4);
        dut_delete(d);
    }
}

/* With two displacements, way 0's entry goes to way 1, and the one of way 1 is left over. */
static void test_cuckoo_table__a_chain_goes_on_to_the_next_way(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&two_swaps, backends[b]);
        reserve(d, 0, 6);
        assert_int_equal(d->stashed, 2);
        put(d, alike(1, ALL_WAYS), 0, 0, 0); /* the first that was left over */
        put(d, alike(6, ALL_WAYS), 1, 1 + 2 * 6, alike(1, ALL_WAYS));
        dut_delete(d);
    }
}

/* No row yields before all are in use: an entry is displaced instead, and leaves itself when its chain may not go on. */
static void test_cuckoo_table__an_unreserved_entry_leaves_at_the_end_of_its_chain(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&full_only, backends[b]);
        for (uint32_t n = 0; n < 4; n++)
            put(d, alike(n, ALL_WAYS), 0, 0, 0);
        put(d, alike(4, ALL_WAYS), 0, 1 + 6, alike(0, ALL_WAYS));
        assert_int_equal(d->stashed, 0);
        dut_delete(d);
    }
}

static void test_cuckoo_table__a_full_overflow_area_has_no_room(void **state)
{
    out_t r;
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&four_in_memory, backends[b]);
        reserve(d, 0, 9); /* rows, stash, four in memory */
        assert_int_equal(d->out.overflow_used, 4);
        assert_false(dut_do(d, alike(9, ALL_WAYS), 1, &r));
        assert_int_equal(r.res_room, 0);
        assert_int_equal(r.res_easy, 0);
        dut_settle(d);
        assert_false(dut_do(d, alike(9, ALL_WAYS), -1, NULL));
        put(d, alike(9, ALL_WAYS), 0, 1, alike(9, ALL_WAYS));
        for (uint32_t n = 0; n < 9; n++)
            assert_true(dut_do(d, alike(n, ALL_WAYS), -1, NULL));
        dut_delete(d);
    }
}

/* After this the overflow area holds granules 1, 2, 3 of those that are alike, in this order. */
static void test_cuckoo_table__the_overflow_area_is_read_in_order_and_kept_dense(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&four_in_memory, backends[b]);
        reserve(d, 0, 8);
        assert_int_equal(d->out.overflow_used, 3);
        d->accesses[0] = '\0';
        assert_true(dut_do(d, alike(2, ALL_WAYS), -1, NULL));
        assert_string_equal(d->accesses, "r0 r1 ");
        d->accesses[0] = '\0';
        put(d, alike(2, ALL_WAYS), 2, 0, 0);
        assert_string_equal(d->accesses, "r0 r1 w1 ");
        d->accesses[0] = '\0';
        put(d, alike(1, ALL_WAYS), 0, 1, alike(1, ALL_WAYS));
        assert_string_equal(d->accesses, "r0 r2 w0 "); /* the last one moves into the gap */
        assert_int_equal(d->out.overflow_used, 2);
        d->accesses[0] = '\0';
        assert_false(dut_do(d, alike(9, ALL_WAYS), -1, NULL));
        assert_string_equal(d->accesses, "r0 r1 ");
        dut_delete(d);
    }
}

/* Result or question refused: both come again six cycles later, and nothing enters for five cycles. */
static void test_cuckoo_table__nothing_enters_behind_a_repetition(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t question = 0; question < 2; question++) {
            struct dut *d = open_settled(&getm, backends[b]);
            for (uint32_t cycle = 0; cycle <= 11; cycle++) {
                d->in.look_valid = cycle == 0 || (cycle > 5 && cycle < 11);
                d->in.look_granule = 8;
                settle(d);
                assert_int_equal(d->out.look_ready, cycle <= 5 || cycle == 11);
                assert_int_equal(d->out.read_valid, cycle == 1 || cycle == 7);
                assert_int_equal(d->out.res_valid, (cycle == 5 && !question) || cycle == 11);
                d->in.read_ready = !(question && cycle == 1);
                d->in.res_again = cycle == 5 && !question;
                end_cycle(d);
            }
            dut_delete(d);
        }
}

/* Against a plain array ----------------------------------------------------------------------------------------------------- */

enum { GRANULES = 64 };

struct record {
    bool known, reserved;
    uint64_t wts, rts, evicted_wts, evicted_rts;
};

/* A result must be the last value written, unless the entry was unreserved and left by the evict channel with that value. */
static void check_result(const struct record *m, const out_t *o)
{
    if (o->res_found) {
        assert_true(m->known && o->res_room && o->res_easy);
        assert_int_equal(o->res_wts, m->wts);
        assert_int_equal(o->res_rts, m->rts);
        assert_int_equal(o->res_writes != 0, m->reserved);
    } else if (m->known) {
        assert_false(m->reserved);
        assert_int_equal(m->evicted_wts, m->wts);
        assert_int_equal(m->evicted_rts, m->rts);
    }
}

static void run_against_array(const params_t *p, enum cw_unit_backend backend, uint64_t cycles)
{
    struct dut *d = open_settled(p, backend);
    struct record *map = calloc(GRANULES, sizeof *map);
    struct cw_rng rng;
    uint64_t results = 0, found = 0, reserved = 0, most = 20;
    assert_non_null(map);
    cw_rng_seed(&rng, cw_test_seed(5));
    for (uint64_t n = 0; n < cycles; n++) {
        d->in.look_valid = cw_rng_below(&rng, 8) != 0;
        d->in.look_granule = cw_rng_below(&rng, GRANULES) * 3;
        d->in.look_ts = n;
        settle(d);
        if (d->out.evict_valid) {
            map[d->out.evict_granule / 3].evicted_wts = d->out.evict_wts;
            map[d->out.evict_granule / 3].evicted_rts = d->out.evict_rts;
        }
        if (d->out.res_valid) {
            struct record *m = &map[d->out.res_granule / 3];
            check_result(m, &d->out);
            results++;
            found += d->out.res_found;
            reserved -= m->reserved;
            *m = (struct record){true,          cw_rng_below(&rng, 2) && reserved < most, d->out.res_ts + 1, d->out.res_ts, m->evicted_wts,
                                 m->evicted_rts};
            reserved += m->reserved;
            d->in.upd_valid = d->in.upd_wts_set = d->in.upd_rts_set = d->in.upd_writes_set = 1;
            d->in.upd_writes = m->reserved;
        }
        end_cycle(d);
    }
    printf("%" PRIu64 " results checked, %" PRIu64 " found; %u evictions, %u to the stash, %u to memory\n", results, found, d->evictions,
           d->stashed, d->overflowed);
    assert_true(results > cycles / 20 && d->evictions > 0 && d->stashed > 0 && d->overflowed > 0);
    free(map);
    dut_delete(d);
}

static void test_cuckoo_table__loses_nothing(void **state)
{
    (void)state;
    run_against_array(&small, CW_UNIT_C, 300000);
    run_against_array(&small, CW_UNIT_LOCKSTEP, 50000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cuckoo_table__fills),
    cmocka_unit_test(test_cuckoo_table__c_equals_rtl),
    cmocka_unit_test(test_cuckoo_table__broken_copies_are_caught),
    cmocka_unit_test(test_cuckoo_table__insert_find_update),
    cmocka_unit_test(test_cuckoo_table__one_per_cycle),
    cmocka_unit_test(test_cuckoo_table__chains_end_in_stash_then_memory),
    cmocka_unit_test(test_cuckoo_table__chains_fill_the_rows),
    cmocka_unit_test(test_cuckoo_table__overflow_is_the_last_resort),
    cmocka_unit_test(test_cuckoo_table__evicts_an_unreserved_entry_at_once),
    cmocka_unit_test(test_cuckoo_table__each_field_has_its_own_set),
    cmocka_unit_test(test_cuckoo_table__refused_results_come_again_in_order),
    cmocka_unit_test(test_cuckoo_table__rows_fill_from_way_0_and_yield_in_turn),
    cmocka_unit_test(test_cuckoo_table__a_displaced_entry_evicts_its_next_neighbour),
    cmocka_unit_test(test_cuckoo_table__the_lowest_unreserved_of_the_stash_yields),
    cmocka_unit_test(test_cuckoo_table__a_chain_goes_on_to_the_next_way),
    cmocka_unit_test(test_cuckoo_table__an_unreserved_entry_leaves_at_the_end_of_its_chain),
    cmocka_unit_test(test_cuckoo_table__a_full_overflow_area_has_no_room),
    cmocka_unit_test(test_cuckoo_table__the_overflow_area_is_read_in_order_and_kept_dense),
    cmocka_unit_test(test_cuckoo_table__nothing_enters_behind_a_repetition),
    cmocka_unit_test(test_cuckoo_table__loses_nothing),
};
CW_TEST_MAIN(tests)
