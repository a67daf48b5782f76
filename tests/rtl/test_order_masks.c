/* SPDX-License-Identifier: Apache-2.0 */
/* Order masks: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/order_masks.h"

#include <stdbool.h>
#include <stdio.h>

#include "cw_test.h"
#include "lockstep_driver.h"
#include "persist_core.h"

typedef struct cw_order_masks_params params_t;
typedef struct cw_order_masks_in in_t;
typedef struct cw_order_masks_out out_t;

#define DUT_UNIT cw_order_masks_unit
#include "dut.h"
#include "fill/order_masks.h"

/*                               warps actr_w patience */
static const params_t sbrp = {32, 8, 8};
static const params_t minimal = {1, 2, 1};
static const params_t odd = {5, 3, 3};
static const params_t wide = {64, 12, 255};

/* How often lines leave and are acknowledged, so that ACTR is now at one end, now at the other. */
struct phase {
    bool begun;
    uint32_t leaves, acks, waits, orders; /* of 16 cycles */
};

static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    (void)last_out;
    if (!phase->begun || cw_rng_below(rng, 256) == 0) {
        phase->begun = true;
        phase->leaves = cw_rng_below(rng, 17);
        phase->acks = cw_rng_below(rng, 17);
        phase->waits = cw_rng_below(rng, 9);
        phase->orders = cw_rng_below(rng, 9);
    }
    in->stall_valid = cw_rng_below(rng, 16) < phase->waits;
    in->delay_valid = cw_rng_below(rng, 16) < phase->waits;
    in->stall_warp = cw_rng_next(rng) & 63;
    in->delay_warp = cw_rng_next(rng) & 63;
    in->order_valid = cw_rng_below(rng, 16) < phase->orders;
    in->order_kind = cw_rng_next(rng) & 7;
    in->order_warps = cw_rng_next(rng) & cw_rng_next(rng);
    in->flush_valid = cw_rng_below(rng, 16) < phase->leaves;
    in->evict_valid = cw_rng_below(rng, 32) < phase->leaves;
    in->ack_valid = cw_rng_below(rng, 16) < phase->acks;
}

static const struct cw_lockstep_set sets[] = {{"sbrp", &sbrp, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"wide", &wide, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_order_masks_unit, sets, 4, constrain, &lockstep_phase};

static void test_order_masks__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_order_masks__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"two lines that leave in one cycle count once", "cw_order_masks", "{1'b0, flush_valid_i} + {1'b0, evict_valid_i}",
         "{1'b0, flush_valid_i || evict_valid_i}", 2},
        {"released while a line leaves with the last acknowledgement", "cw_order_masks", "leave == 2'd0 &&", "leave <= 2'd1 &&", 2},
        {"FSM is set while nothing is outstanding", "cw_order_masks", "(fsm_q | named) & {WARPS{!none}}",
         "(fsm_q & {WARPS{!none}}) | named", 2},
        {"block scope lets a warp go on", "cw_order_masks", "order && order_kind_i >= ACQ_DEV", "order && order_kind_i >= 3'd3", 2},
        {"a stall comes after the entry of its cycle", "cw_order_masks", "| (odm_d & come);", "| (odm_q & come);", 2},
        {"a warp stays in ODM", "cw_order_masks", "<= odm_d & ~come;", "<= odm_d & ~(come & edm_q);", 2},
        {"an invalidation is forgotten at the next release", "cw_order_masks", "<= arm_d && !none;", "<= arm_d;", 2},
        {"the count of patience goes on", "cw_order_masks", "none || edm_q == {WARPS{1'b0}} ? 8'd0", "none ? 8'd0", 2},
        {"ACTR wraps", "cw_order_masks", "sum > ACTR_MAX ? {ACTR_W{1'b1}} : sum", "sum > ACTR_MAX ? {ACTR_W{1'b0}} : sum", 2},
        {"room for one is room for two", "cw_order_masks", "= &actr_q[ACTR_W-1:1];", "= &actr_q;", 2},
        {"kind 7 orders", "cw_order_masks", "order_kind_i <= DFENCE", "(order_kind_i <= DFENCE || order_kind_i == 3'd7)", 2},
        {"an acknowledgement of nothing counts", "cw_order_masks", "ack_valid_i && actr_q != {ACTR_W{1'b0}};", "ack_valid_i;", 2},
        {"warps show that do not go on", "cw_order_masks", "<= edm_d & {WARPS{none}};", "<= edm_d;", 2},
        {"a warp that there is not is warp 0", "cw_order_masks", "stall_valid_i ? ONE << stall_warp_i :",
         "stall_valid_i ? (ONE << stall_warp_i == {WARPS{1'b0}} ? ONE : ONE << stall_warp_i) :", 2},
        {"never busy", "cw_order_masks", "busy_o         = resume_q;", "busy_o         = 1'b0;", 2},
        {"a reset leaves ODM", "cw_order_masks", "odm_q          <= {WARPS{1'b0}};", "odm_q          <= odm_q;", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void order(struct dut *d, uint64_t kind, uint64_t warps)
{
    d->in.order_valid = 1;
    d->in.order_kind = kind;
    d->in.order_warps = warps;
}

static void stall(struct dut *d, uint64_t warp)
{
    d->in.stall_valid = 1;
    d->in.stall_warp = warp;
}

static void delay(struct dut *d, uint64_t warp)
{
    d->in.delay_valid = 1;
    d->in.delay_warp = warp;
}

/* n lines leave by the head. */
static void leave(struct dut *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        d->in.flush_valid = 1;
        dut_cycle(d);
    }
    dut_eval(d);
}

static void acknowledge(struct dut *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        d->in.ack_valid = 1;
        dut_cycle(d);
    }
    dut_eval(d);
}

/* Section 6.1, Intra-thread PMO: at the head the oFence sets FSM of its warps; it is reset when ACTR comes to 0. */
static void test_order_masks__fsm_lasts_until_all_is_acknowledged(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        leave(&d, 2);
        order(&d, CW_PERSIST_OFENCE, 0x5);
        dut_cycle(&d);
        order(&d, CW_PERSIST_REL_BLOCK, 0x80000000);
        dut_cycle(&d);
        acknowledge(&d, 1);
        assert_int_equal(d.out.fsm, 0x80000005);
        assert_int_equal(d.out.actr, 1);
        acknowledge(&d, 1);
        assert_int_equal(d.out.fsm, 0);
        assert_int_equal(d.out.actr, 0);
        assert_int_equal(d.out.resume_valid, 0); /* nobody waits for an oFence */
        dut_close(&d);
    }
}

/* A warp that there is not, and kinds that order nothing; then a reset with something in each mask. */
static void test_order_masks__what_names_nobody_does_nothing(void **state)
{
    static const out_t nothing = {0};
    static const params_t few = {3, 8, 8};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &few, backends[b]);
        leave(&d, 1);
        stall(&d, 3);
        delay(&d, 3);
        order(&d, CW_PERSIST_LINE, 7);
        dut_cycle(&d);
        order(&d, 7, 7);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.odm | d.out.edm | d.out.fsm, 0);
        stall(&d, 0);
        delay(&d, 1);
        order(&d, CW_PERSIST_OFENCE, 4);
        dut_cycle(&d);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.odm, 1);
        assert_int_equal(d.out.edm, 2);
        assert_int_equal(d.out.fsm, 4);
        assert_int_equal(d.out.busy, 0);
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        assert_memory_equal(&d.out, &nothing, sizeof nothing);
        dut_close(&d);
    }
}

/* FSM that is set while nothing is outstanding would never be reset, and its warps' persists would wait for ever. */
static void test_order_masks__an_order_with_nothing_outstanding_leaves_nothing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        order(&d, CW_PERSIST_OFENCE, 0xf);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.fsm, 0);
        leave(&d, 1);
        d.in.ack_valid = 1; /* the last one, in the cycle in which an entry comes to the head */
        order(&d, CW_PERSIST_OFENCE, 0xf);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.fsm, 0);
        leave(&d, 1);
        d.in.ack_valid = 1; /* another one leaves with it */
        d.in.evict_valid = 1;
        order(&d, CW_PERSIST_OFENCE, 0xf);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.fsm, 0xf);
        assert_int_equal(d.out.actr, 1);
        dut_close(&d);
    }
}

/* Section 6.1, Durability: ODM until the entry is at the head, EDM until ACTR is 0. Warp 9 is in ODM for another entry. */
static void test_order_masks__dfence_of_four_warps(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        for (uint64_t w = 0; w < 4; w++) {
            stall(&d, w);
            dut_cycle(&d);
        }
        stall(&d, 9);
        dut_cycle(&d);
        leave(&d, 3);
        assert_int_equal(d.out.odm, 0x20f);
        assert_int_equal(d.out.edm, 0);
        order(&d, CW_PERSIST_DFENCE, 0xf);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.odm, 0x200);
        assert_int_equal(d.out.edm, 0xf);
        assert_int_equal(d.out.fsm, 0xf);
        acknowledge(&d, 2);
        assert_int_equal(d.out.resume_valid, 0);
        acknowledge(&d, 1);
        assert_int_equal(d.out.resume_valid, 1);
        assert_int_equal(d.out.resume_warps, 0xf);
        assert_int_equal(d.out.invalidate, 0);
        assert_int_equal(d.out.busy, 1);
        assert_int_equal(d.out.edm, 0);
        assert_int_equal(d.out.odm, 0x200);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.resume_valid, 0);
        assert_int_equal(d.out.resume_warps, 0);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

/* The invalidation comes with the release, once, and also when its warp does not wait. A release of device scope does not invalidate. */
static void test_order_masks__an_acquire_of_device_scope_invalidates(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        leave(&d, 1);
        stall(&d, 3);
        order(&d, CW_PERSIST_ACQ_DEV, 0x8); /* the stall of this cycle counts */
        dut_cycle(&d);
        acknowledge(&d, 1);
        assert_int_equal(d.out.resume_warps, 0x8);
        assert_int_equal(d.out.invalidate, 1);
        leave(&d, 1);
        stall(&d, 3);
        order(&d, CW_PERSIST_REL_DEV, 0x8);
        dut_cycle(&d);
        acknowledge(&d, 1);
        assert_int_equal(d.out.resume_warps, 0x8);
        assert_int_equal(d.out.invalidate, 0);
        order(&d, CW_PERSIST_ACQ_DEV, 0x8);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.resume_valid, 1);
        assert_int_equal(d.out.resume_warps, 0);
        assert_int_equal(d.out.invalidate, 1);
        dut_close(&d);
    }
}

/* A store that conflicts waits until ACTR is 0; with nothing outstanding it tries again at once (a lazy drain has nothing outstanding). */
static void test_order_masks__a_delayed_warp_tries_again(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        delay(&d, 31);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.busy, 1);
        assert_int_equal(d.out.resume_valid, 1);
        assert_int_equal(d.out.resume_warps, 0x80000000);
        leave(&d, 1);
        delay(&d, 31);
        dut_cycle(&d);
        delay(&d, 0);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.edm, 0x80000001);
        acknowledge(&d, 1);
        assert_int_equal(d.out.resume_warps, 0x80000001);
        dut_close(&d);
    }
}

/* Lines go on leaving as fast as they are acknowledged. Without hold, ACTR would never be 0. Eight leave after the warp has come. */
static void test_order_masks__patience_ends(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        leave(&d, 3);
        delay(&d, 2);
        uint32_t left = 0;
        bool resumed = false;
        dut_cycle(&d);
        for (uint32_t n = 0; n < 100 && !resumed; n++) {
            dut_eval(&d);
            resumed = d.out.resume_valid != 0;
            d.in.flush_valid = !d.out.hold;
            d.in.ack_valid = d.out.actr != 0;
            left += !resumed && d.in.flush_valid;
            dut_cycle(&d);
        }
        assert_true(resumed);
        assert_int_equal(left, 8);
        assert_int_equal(d.out.hold, 0);
        dut_close(&d);
    }
}

/* 255 lines fit into eight bits: at 254 there is no room for one by the head and one by eviction. */
static void test_order_masks__actr_says_that_it_is_full(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        leave(&d, 253);
        assert_int_equal(d.out.actr, 253);
        assert_int_equal(d.out.actr_full, 0);
        d.in.evict_valid = 1;
        leave(&d, 1);
        assert_int_equal(d.out.actr, 255);
        assert_int_equal(d.out.actr_full, 1);
        acknowledge(&d, 1);
        assert_int_equal(d.out.actr_full, 1);
        acknowledge(&d, 254);
        assert_int_equal(d.out.actr, 0);
        acknowledge(&d, 1); /* of nothing */
        assert_int_equal(d.out.actr, 0);
        dut_close(&d);
    }
}

/* Both units of a core: window, eager and lazy; a buffer of one entry; an ACTR that is soon full; eviction storms. */
static const struct core_setup setups[] = {
    {{256, 8, 4}, {8, 8, 8}, 1, 6, 60, 40000, 1},     /* the paper's window */
    {{7, 8, 4}, {8, 4, 2}, 1, 100, 20, 40000, 4},     /* eager */
    {{256, 8, 4}, {8, 8, 8}, 0, 100, 60, 40000, 1},   /* lazy */
    {{8, 8, 4}, {8, 2, 1}, 0, 2, 9, 40000, 2},        /* lazy, with room for three */
    {{1, 8, 4}, {8, 3, 3}, 1, 3, 10, 40000, 1},       /* one entry */
    {{3, 8, 4}, {8, 3, 3}, 0, 3, 10, 40000, 0},       /* three */
    {{64, 8, 4}, {8, 8, 4}, 1, 1, 40, 40000, 16},     /* eviction storm */
    {{64, 8, 4}, {8, 8, 255}, 0, 255, 200, 40000, 16} /* and lazy */
};

static void test_order_masks__with_the_buffer_persists_keep_their_order(void **state)
{
    struct core_counts sum = {0};
    (void)state;
    for (uint32_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
        struct core_counts of_c;
        for (int b = 0; b < 2; b++) {
            const struct core_counts n = core_run(&setups[i], backends[b], 1 + i);
            printf(
                "%s, setup %u: %u appended, %u coalesced, %u merged, %u conflicts, %u full, %u flushed, %u evicted, %u evictions waited, "
                "%u resumed, %u invalidations, hold in %u cycles, longest wait %u\n",
                b == 0 ? "C" : "RTL", i, n.appended, n.coalesced, n.merged, n.conflict, n.full, n.flushed, n.went, n.waited, n.resumed,
                n.invalidated, n.held, (uint32_t)n.longest_wait);
            assert_in_range(n.longest_wait, 1, 40 * (setups[i].latency + setups[i].buffer.entries));
            assert_true(n.flushed > 0 && n.resumed > 0 && (n.conflict > 0 || setups[i].buffer.entries == 1));
            if (b == 0)
                of_c = n;
            assert_memory_equal(&n, &of_c, sizeof n);
            sum.full += n.full;
            sum.merged += n.merged;
            sum.went += n.went;
            sum.waited += n.waited;
            sum.held += n.held;
            sum.invalidated += n.invalidated;
        }
    }
    assert_true(sum.full > 0 && sum.merged > 0 && sum.went > 0 && sum.waited > 0 && sum.held > 0 && sum.invalidated > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order_masks__fills),
    cmocka_unit_test(test_order_masks__c_equals_rtl),
    cmocka_unit_test(test_order_masks__broken_copies_are_caught),
    cmocka_unit_test(test_order_masks__fsm_lasts_until_all_is_acknowledged),
    cmocka_unit_test(test_order_masks__an_order_with_nothing_outstanding_leaves_nothing),
    cmocka_unit_test(test_order_masks__what_names_nobody_does_nothing),
    cmocka_unit_test(test_order_masks__dfence_of_four_warps),
    cmocka_unit_test(test_order_masks__an_acquire_of_device_scope_invalidates),
    cmocka_unit_test(test_order_masks__a_delayed_warp_tries_again),
    cmocka_unit_test(test_order_masks__patience_ends),
    cmocka_unit_test(test_order_masks__actr_says_that_it_is_full),
    cmocka_unit_test(test_order_masks__with_the_buffer_persists_keep_their_order),
};
CW_TEST_MAIN(tests)
