/* SPDX-License-Identifier: Apache-2.0 */
/* Control of the commit unit: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/commit_unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_commit_unit_params params_t;
typedef struct cw_commit_unit_in in_t;
typedef struct cw_commit_unit_out out_t;

/* In each cycle the neighbours are ready, and no event comes. */
#define DUT_UNIT    cw_commit_unit_unit
#define DUT_NEXT(d) ((in_t){.haz_ready = 1, .rev_ready = 1, .rep_ready = 1, .com_ready = 1, .ret_ready = 1})
#include "dut.h"
#include "fill/commit_unit.h"

/*                       entries lanes cid_w fail_waits */
static const params_t full = {1920, 32, 20, 0}; /* as the GPU has it */
static const params_t kilo = {60, 1, 16, 1};
static const params_t one = {1, 1, 1, 1};    /* a ring of one entry, whose IDs roll over at every second */
static const params_t odd = {5, 1, 3, 1};    /* rolls over all the time */
static const params_t pair = {5, 2, 4, 0};   /* two banks of two rows, as the proofs have it: an ID has a bit more than a place */
static const params_t quad = {12, 4, 4, 0};  /* entries and lanes fill the number space: a row is cleared just in time */
static const params_t warp = {96, 32, 7, 0}; /* the GPU's with the narrowest IDs */
static const params_t largest = {2016, 32, 32, 1};

/* An offset from the oldest commit ID: mostly near, sometimes anywhere. */
static uint64_t near(struct cw_rng *rng)
{
    static const uint32_t spread[] = {2, 4, 4, 8, 16, 64, 1100, 70000};
    return cw_rng_below(rng, spread[cw_rng_below(rng, 8)]);
}

/* What the oldest entry may be waiting for, so that the ring turns. */
static void serve_oldest(struct cw_rng *rng, const out_t *out, in_t *in)
{
    bool again = out->oldest_stage == CW_COMMIT_STAGE_OUTCOME;
    switch (out->oldest_stage) {
    case CW_COMMIT_STAGE_LOG:
        in->msg_valid = 1;
        in->msg_cid = out->oldest_cid;
        in->msg_kind = cw_rng_below(rng, 4) == 0 ? CW_COMMIT_SKIP : CW_COMMIT_DONE;
        in->msg_lanes |= 1;
        break;
    case CW_COMMIT_STAGE_PASS:
        in->hza_valid = 1;
        in->hza_cid = out->oldest_cid;
        break;
    case CW_COMMIT_STAGE_OUTCOME:
        in->msg_valid = 1;
        in->msg_cid = out->oldest_cid;
        in->msg_kind = CW_COMMIT_OUTCOME;
        in->msg_lanes |= 1;
        break;
    default:
        in->wb_valid = 1;
        in->wb_cid = out->oldest_cid;
        break;
    }
    if (again || out->oldest_stage == CW_COMMIT_STAGE_PASS) {
        in->val_valid = 1;
        in->val_again = again;
        in->val_cid = out->oldest_cid;
    }
}

/* Bits of lanes, of which each is set in so many of eight cases. */
static uint64_t some_lanes(struct cw_rng *rng, uint32_t eighths)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < 32; i++)
        lanes |= (uint64_t)(cw_rng_below(rng, 8) < eighths) << i;
    return lanes;
}

/* Where the stimulus is. */
struct phase {
    bool flows;       /* the neighbours are mostly ready, so that entries come to their end */
    bool oldest_last; /* the oldest entry's write-back does not end, so that the ring fills with entries that are being written */
};

/* What brings any of the entries on to its write-back, and seldom the end of one, but not of the oldest. */
static void serve_younger(struct cw_rng *rng, const out_t *out, in_t *in)
{
    in->msg_cid = in->hza_cid = in->val_cid = out->oldest_cid + cw_rng_below(rng, 8);
    in->msg_kind = cw_rng_below(rng, 2) == 0 ? CW_COMMIT_DONE : CW_COMMIT_OUTCOME;
    in->msg_lanes |= 1;
    in->msg_writes |= 1;
    in->msg_pass |= 1;
    in->val_again = cw_rng_below(rng, 4) == 0;
    in->msg_valid = in->hza_valid = in->val_valid = 1;
    in->wb_valid = cw_rng_below(rng, 16) == 0;
    in->wb_cid = out->oldest_cid + 1 + cw_rng_below(rng, 8);
}

/* Commit IDs near the window, facts that are neither always nor never, and often the event that the oldest entry needs. */
static void near_the_window(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    const out_t *out = last_out;
    in_t *in = inputs;
    struct phase *phase = context;
    if (cw_rng_below(rng, 64) == 0) {
        phase->flows = cw_rng_below(rng, 4) != 0;
        phase->oldest_last = cw_rng_below(rng, 3) == 0;
    }
    if (phase->flows && cw_rng_below(rng, 8) != 0)
        in->haz_ready = in->rev_ready = in->rep_ready = in->com_ready = in->ret_ready = 1;
    in->msg_cid = out->oldest_cid + near(rng);
    in->val_cid = out->oldest_cid + near(rng);
    in->wb_cid = out->oldest_cid + near(rng);
    in->hza_cid = out->oldest_cid + near(rng);
    in->hza_ycid = in->hza_cid - near(rng);
    in->msg_lanes = some_lanes(rng, cw_rng_below(rng, 8)) | 1u << cw_rng_below(rng, 6);
    in->msg_reads = some_lanes(rng, 6);
    in->msg_writes = some_lanes(rng, 4);
    in->msg_pass = some_lanes(rng, 6);
    in->val_pass = cw_rng_below(rng, 4) != 0;
    in->hza_found = cw_rng_below(rng, 2);
    if (phase->oldest_last)
        serve_younger(rng, out, in);
    else if (cw_rng_below(rng, 2) == 0)
        serve_oldest(rng, out, in);
}

/* In their order. */
enum { FULL, KILO, ONE_ENTRY, ODD, PAIR, QUAD, WARP };
static const struct cw_lockstep_set sets[] = {{"full", &full, 0}, {"kilo", &kilo, 0}, {"one", &one, 0},   {"odd", &odd, 0},
                                              {"pair", &pair, 0}, {"quad", &quad, 0}, {"warp", &warp, 0}, {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_commit_unit_unit, sets, 8, near_the_window, &lockstep_phase};

static void test_commit_unit__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_commit_unit__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"revalidates while YCID retires", "cw_commit_pass", "ycid_age > pass_dist_i", "ycid_age >= pass_dist_i", FULL},
        {"YCID is that of the entry before", "cw_commit_ycid", "idx_i == (pass_move_i ? pass_idx_1 : pass_idx_i)", "idx_i == pass_idx_i",
         PAIR},
        {"RCID ignores the roll-over of places", "cw_commit_rcid", "? high - 1'b1 : high, rcid_low", "? high : high, rcid_low", PAIR},
        {"RCID misses the write before", "cw_commit_rcid", "new_of == haz_row_i ? new_rcid_q", "new_of != haz_row_i ? new_rcid_q", WARP},
        {"RCID misses the write before that", "cw_commit_rcid", "old_of == haz_row_i ? old_rcid_q", "old_of != haz_row_i ? old_rcid_q",
         KILO},
        {"a warp's RCIDs stay in its row", "cw_commit_rcid", "< {1'b0, new_low_q} ?", ">= {1'b0, new_low_q} ?", FULL},
        {"a later entry is a hazard", "cw_commit_answers", "hza_found_i && hza_age != {CID_W{1'b0}} &&", "hza_found_i &&", KILO},
        {"does not wait for the hazard unit", "cw_commit_pass", "|| pass_val[0]) && pass_hza[0]",
         "|| pass_val[0]) && (pass_hza[0] || 1'b1)", FULL},
        {"a warp's message stays in its row", "cw_commit_messages", "second ? row_2 : row)", "second && 1'b0 ? row_2 : row)", QUAD},
        {"takes part of a message into a later lap", "cw_commit_messages", "msg_last <= {5'd0, LAST_OFF}",
         "(msg_last <= {5'd0, LAST_OFF} || msg_off <= LAST_OFF[CID_W-1:0])", QUAD},
        {"write-back of aborted transactions", "cw_commit_commit", "com_writes  = com_msg[2] &&", "com_writes  = (com_msg[2] || 1'b1) &&",
         FULL},
        {"retires before the write-back ends", "cw_commit_retire", "!(ret_msg[2] && ret_msg[1]) || ret_wb",
         "!(ret_msg[2] && ret_msg[1]) || !ret_wb", PAIR},
        {"the pass pointer overtakes a revalidation's report", "cw_commit_pass", "rep_room_i && !rep_again_i",
         "rep_room_i && (rep_again_i || !rep_again_i)", PAIR},
        {"a queue of reports that is full takes one more", "cw_commit_pass", "&& rep_room_i &&", "&& (rep_room_i || !rep_room_i) &&", PAIR},
        {"an answer to the entry that retires", "cw_commit_answers", "com_far && !(ret_move_i && wb_off == {CID_W{1'b0}})", "com_far",
         ONE_ENTRY},
        {"a decision counts before the report", "cw_commit_messages", "decide = about & reported &",
         "decide = about & (reported | ~reported) &", ODD},
        {"a reset leaves the pointers", "cw_commit_window", "ret_ptr_q   <= {CID_W{1'b0}};", "", PAIR},
        {"the hazard pointer does not wait for the log", "cw_commit_hazard", "haz_in && (haz_flags[0] || haz_flags[2])",
         "haz_in && (haz_flags[0] || haz_flags[2] || !haz_flags[1])", PAIR},
        {"DONE with nothing is no SKIP", "cw_commit_messages", "? fill : done & ~in_reads & ~in_writes",
         "? fill : done & ~(done | in_reads | in_writes)", PAIR},
        {"one without reads waits for a validation", "cw_commit_pass", "(!pass_msg[0] || pass_val[0]) && pass_hza[0]",
         "pass_val[0] && pass_hza[0]", PAIR},
        {"one that has failed waits for its outcome", "cw_commit_commit", "FAIL_WAITS == 0 && com_rep[0] && !com_rep[1]",
         "FAIL_WAITS == 0 && com_rep[0] && !com_rep[1] && com_msg[3]", PAIR},
        {"a second outcome is legal", "cw_commit_messages", "decide = about & reported & ~decided & may", "decide = about & reported & may",
         ODD},
        {"an outcome of pass for one that has failed", "cw_commit_messages", "? passed | ~in_pass : passed",
         "? passed | ~in_pass | in_pass : passed", ODD},
        {"an outcome for one that has failed", "cw_commit_messages", "? passed | ~in_pass : passed",
         "? passed | ~in_pass : passed | ~in_pass", PAIR},
        {"a second DONE is legal", "cw_commit_messages", "fill = about & ~(reads | skip | writes)", "fill = about", PAIR},
        {"one illegal entry spoils the others", "cw_commit_messages", "= |(fill | decide);",
         "= |(fill | decide) && !(|(about & ~fill & ~decide));", QUAD},
        {"an output follows an input", "cw_commit_unit", "waiting_o    = waiting_q", "waiting_o    = waiting_q && !hza_valid_i", PAIR},
        {"what is taken stays to be seen", "cw_commit_hazard", "haz_valid_q <= 1'b0;\n            haz_cid_q   <= {CID_W{1'b0}};",
         "haz_valid_q <= 1'b0;", PAIR},
        {"a row is not cleared", "cw_commit_rows", "& ~clear", "& (clear | ~clear)", ODD},
        {"a reader misses the last change", "cw_commit_view", "new_en && new_row == row_q ? new_data",
         "new_en && new_row != row_q ? new_data", QUAD},
        {"a reader misses the change before", "cw_commit_view", "old_row == row_q ? old_data", "old_row != row_q ? old_data", FULL},
        {"a pointer misses a change of its row", "cw_commit_cursor", "else if (hit[target])", "else if (hit[target] && step_i)", FULL},
        {"a pointer misses a change of the next row", "cw_commit_cursor", "else if (hit[target])", "else if (hit[target] && !step_i)",
         PAIR},
    };
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void message_to(struct dut *d, uint64_t lanes, uint64_t kind, uint64_t cid, uint64_t reads, uint64_t writes, uint64_t pass)
{
    d->in.haz_ready = 0; /* hazard_check() is the hazard unit */
    d->in.msg_valid = 1;
    d->in.msg_kind = kind;
    d->in.msg_cid = cid;
    d->in.msg_lanes = lanes;
    d->in.msg_reads = reads;
    d->in.msg_writes = writes;
    d->in.msg_pass = pass;
    dut_cycle(d);
}

static void message(struct dut *d, uint64_t kind, uint64_t cid, uint64_t reads, uint64_t writes, uint64_t pass)
{
    message_to(d, 1, kind, cid, reads, writes, pass);
}

static void validated(struct dut *d, uint64_t cid, uint64_t again, uint64_t pass)
{
    d->in.val_valid = 1;
    d->in.val_cid = cid;
    d->in.val_again = again;
    d->in.val_pass = pass;
    dut_cycle(d);
    assert_int_equal(d->out.val_ready, 1);
}

static void written(struct dut *d, uint64_t cid)
{
    d->in.wb_valid = 1;
    d->in.wb_cid = cid;
    dut_cycle(d);
}

/* Runs until the hazard unit gets cid, and answers in the cycle after: ycid, or -1 for none. */
static void hazard_check(struct dut *d, uint64_t cid, int64_t ycid)
{
    uint32_t n = 0;
    do
        dut_cycle(d);
    while (!d->out.haz_valid && ++n < 20);
    assert_int_equal(d->out.haz_valid, 1);
    assert_int_equal(d->out.haz_cid, cid);
    d->in.hza_valid = 1;
    d->in.hza_cid = cid;
    d->in.hza_found = ycid >= 0;
    d->in.hza_ycid = (uint64_t)ycid & 0xffff;
    d->in.haz_ready = 0;
    dut_cycle(d);
    assert_int_equal(d->out.illegal, 0);
}

#define WAIT_FOR(d, channel, id)                            \
    do {                                                    \
        uint32_t wait_n = 0;                                \
        do                                                  \
            dut_cycle(d);                                   \
        while (!(d)->out.channel##_valid && ++wait_n < 20); \
        assert_int_equal((d)->out.channel##_valid, 1);      \
        assert_int_equal((d)->out.channel##_cid, (id));     \
    } while (0)

static void test_commit_unit__two_transactions_with_a_hazard(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_FILL, 0, 0, 0, 0);
        message(&d, CW_COMMIT_FILL, 1, 0, 0, 0);
        message(&d, CW_COMMIT_DONE, 1, 1, 1, 0); /* before the older one */
        message(&d, CW_COMMIT_DONE, 0, 1, 1, 0);
        hazard_check(&d, 0, -1);
        hazard_check(&d, 1, 0); /* 1 has read what 0 may write */
        validated(&d, 1, 0, 1);
        validated(&d, 0, 0, 1);
        WAIT_FOR(&d, rep, 0);
        assert_int_equal(d.out.rep_pass, 1);
        message(&d, CW_COMMIT_OUTCOME, 0, 0, 0, 1);
        WAIT_FOR(&d, com, 0);
        for (int n = 0; n < 5; n++) {
            dut_cycle(&d);
            assert_int_equal(d.out.rev_valid, 0); /* not before 0 has retired */
            assert_int_equal(d.out.waiting, 1);
            assert_int_equal(d.out.oldest_stage, CW_COMMIT_STAGE_WRITE);
        }
        written(&d, 0);
        WAIT_FOR(&d, ret, 0);
        assert_int_equal(d.out.ret_commit, 1);
        WAIT_FOR(&d, rev, 1);
        assert_int_equal(d.out.oldest_stage, CW_COMMIT_STAGE_OUTCOME);
        validated(&d, 1, 1, 0); /* 0 has changed it */
        WAIT_FOR(&d, rep, 1);
        assert_int_equal(d.out.rep_pass, 0);
        message(&d, CW_COMMIT_OUTCOME, 1, 0, 0, 0);
        WAIT_FOR(&d, ret, 1);
        assert_int_equal(d.out.ret_commit, 0);
        assert_int_equal(d.out.oldest_cid, 2);
        dut_close(&d);
    }
}

/* RCID is the retire pointer when an entry's first message is judged: writers that have retired by then are none of the hazard unit's
 * business. */
static void test_commit_unit__rcid_is_that_of_the_first_message(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_FILL, 2, 0, 0, 0); /* 0 is the oldest */
        message(&d, CW_COMMIT_SKIP, 0, 0, 0, 0);
        for (int n = 0; n < 5; n++) {
            dut_cycle(&d);
            assert_int_equal(d.out.oldest_cid, 0);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.oldest_cid, 1); /* judged, then a pointer in each cycle: 6 cycles after the message */
        message(&d, CW_COMMIT_DONE, 1, 1, 0, 0);
        message(&d, CW_COMMIT_DONE, 2, 1, 0, 0);
        d.in.haz_ready = 0;
        dut_cycle(&d);
        assert_int_equal(d.out.haz_valid, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.haz_valid, 1); /* 3 cycles after the message */
        assert_int_equal(d.out.haz_cid, 1);
        assert_int_equal(d.out.haz_rcid, 1);
        WAIT_FOR(&d, haz, 2);
        assert_int_equal(d.out.haz_rcid, 0);
        dut_close(&d);
    }
}

/* The hazard unit takes entries as fast as it can, and answers later, here the second one first. */
static void test_commit_unit__hazard_detection_is_a_pipeline(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < 3; cid++)
            message(&d, CW_COMMIT_DONE, cid, 0, 1, 0);
        for (uint64_t cid = 0; cid < 3; cid++) {
            dut_cycle(&d); /* one in each cycle */
            assert_int_equal(d.out.haz_valid, 1);
            assert_int_equal(d.out.haz_cid, cid);
        }
        for (uint64_t n = 3; n-- > 1;) {
            d.in.hza_valid = 1;
            d.in.hza_cid = n;
            dut_cycle(&d);
            assert_int_equal(d.out.rep_valid, 0);
            assert_int_equal(d.out.oldest_stage, CW_COMMIT_STAGE_PASS);
        }
        d.in.hza_valid = 1;
        d.in.hza_cid = 0;
        dut_cycle(&d);
        dut_cycle(&d);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < 3; cid++) {
            dut_cycle(&d);
            assert_int_equal(d.out.rep_valid, 1);
            assert_int_equal(d.out.rep_cid, cid);
        }
        d.in.hza_valid = 1; /* once too often */
        d.in.hza_cid = 2;
        dut_cycle(&d);
        dut_cycle(&d);
        assert_int_equal(d.out.illegal, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.illegal, 1);
        dut_close(&d);
    }
}

/* Messages of WarpTM. Entries 1 to 4 lie in two rows of the banks: 1 reads, 3 writes, 2 and 4 have nothing here. */
static void test_commit_unit__a_message_of_a_warp(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &quad, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_SKIP, 0, 0, 0, 0);
        message_to(&d, 0xf, CW_COMMIT_DONE, 1, 0x1, 0x4, 0);
        hazard_check(&d, 1, -1);
        hazard_check(&d, 3, -1);
        validated(&d, 1, 0, 1);
        WAIT_FOR(&d, rep, 1);
        WAIT_FOR(&d, rep, 3);
        message_to(&d, 0x5, CW_COMMIT_OUTCOME, 1, 0, 0, 0x5);
        WAIT_FOR(&d, com, 3); /* 1 has nothing to write */
        written(&d, 3);
        WAIT_FOR(&d, ret, 3);
        for (int n = 0; n < 4; n++)
            dut_cycle(&d);
        assert_int_equal(d.out.oldest_cid, 5);
        assert_int_equal(d.out.commit_cid, 5);
        assert_int_equal(d.out.busy, 0);
        assert_int_equal(d.out.illegal, 0);
        dut_close(&d);
    }
}

/* All CIDs of a message are in the window, or nothing of it counts. */
static void test_commit_unit__a_message_beyond_the_window(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t beyond = 0; beyond < 2; beyond++) {
            struct dut d;
            dut_open(&d, &quad, backends[b]);
            dut_cycle(&d);
            for (uint64_t cid = 0; cid < 8; cid += 4) { /* the first eight have retired: 8 to 19 are the window */
                message_to(&d, 0xf, CW_COMMIT_SKIP, cid, 0, 0, 0);
                dut_cycle(&d);
            }
            for (int n = 0; n < 16; n++)
                dut_cycle(&d);
            assert_int_equal(d.out.oldest_cid, 8);
            message_to(&d, 0xf, CW_COMMIT_DONE, (16 + beyond) % 16, 0xf, 0, 0);
            dut_cycle(&d);
            dut_cycle(&d);
            assert_int_equal(d.out.illegal, beyond);
            for (uint64_t cid = 8; cid < 16; cid += 4)
                message_to(&d, 0xf, CW_COMMIT_SKIP, cid, 0, 0, 0);
            for (int n = 0; n < 16; n++) {
                dut_cycle(&d);
                assert_int_equal(d.out.haz_valid && beyond, 0);
            }
            assert_int_equal(d.out.oldest_cid, 0);
            dut_close(&d);
        }
}

/* A validation may end before the log does. */
static void test_commit_unit__a_validation_before_done(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &full, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_FILL, 0, 0, 0, 0);
        validated(&d, 0, 0, 0);
        message(&d, CW_COMMIT_DONE, 0, 1, 1, 0);
        hazard_check(&d, 0, -1);
        WAIT_FOR(&d, rep, 0);
        assert_int_equal(d.out.rep_pass, 0);
        WAIT_FOR(&d, ret, 0); /* it has failed here: no outcome comes */
        assert_int_equal(d.out.ret_commit, 0);
        assert_int_equal(d.out.illegal, 0);
        dut_close(&d);
    }
}

/* The queue of reports takes two from the pass pointer, and one from a revalidation that was on its way. */
static void test_commit_unit__reports_wait(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &full, backends[b]);
        dut_cycle(&d);
        d.in.msg_lanes = 0xf;
        d.in.msg_valid = 1;
        d.in.msg_kind = CW_COMMIT_DONE;
        d.in.msg_writes = 0xf;
        dut_cycle(&d);
        for (uint64_t n = 0; n < 8; n++) {
            d.in.rep_ready = 0;
            d.in.hza_valid = n >= 4;
            d.in.hza_cid = n - 4;
            dut_cycle(&d);
        }
        for (int n = 0; n < 8; n++) {
            d.in.rep_ready = 0;
            dut_cycle(&d);
        }
        assert_int_equal(d.out.val_ready, 0); /* two wait */
        uint64_t cid = 0;
        for (int n = 0; n < 20; n++) {
            dut_cycle(&d);
            if (!d.out.rep_valid)
                continue;
            assert_int_equal(d.out.rep_cid, cid++);
            assert_int_equal(d.out.rep_pass, 1);
        }
        assert_int_equal(cid, 4);
        dut_close(&d);
    }
}

static void test_commit_unit__commits_in_the_order_of_ids(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < 4; cid++)
            message(&d, CW_COMMIT_DONE, cid, 0, 1, 0);
        for (uint64_t cid = 0; cid < 4; cid++)
            hazard_check(&d, cid, -1);
        for (int n = 0; n < 4; n++)
            dut_cycle(&d);
        for (uint64_t cid = 3; cid > 0; cid--) { /* outcomes in reverse */
            message(&d, CW_COMMIT_OUTCOME, cid, 0, 0, 1);
            assert_int_equal(d.out.com_valid, 0);
        }
        message(&d, CW_COMMIT_OUTCOME, 0, 0, 0, 1);
        dut_cycle(&d);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < 4; cid++) {
            dut_cycle(&d); /* one in each cycle, from the third after the outcome on */
            assert_int_equal(d.out.com_valid, 1);
            assert_int_equal(d.out.com_cid, cid);
        }
        for (uint64_t cid = 3; cid > 0; cid--) {
            written(&d, cid);
            assert_int_equal(d.out.ret_valid, 0);
        }
        written(&d, 0);
        dut_cycle(&d);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < 4; cid++) {
            dut_cycle(&d);
            assert_int_equal(d.out.ret_valid, 1);
            assert_int_equal(d.out.ret_cid, cid);
        }
        dut_close(&d);
    }
}

/* The write-back of cid ends. The core takes what has retired ready_after cycles later, or with -1 not at all. */
static void ends_and_is_taken(struct dut *d, uint64_t cid, int ready_after)
{
    for (int n = 0; n < 8; n++) {
        d->in.wb_valid = n == 0;
        d->in.wb_cid = cid;
        d->in.ret_ready = n == ready_after;
        dut_cycle(d);
    }
}

/* The retire pointer comes to an entry 0 to 3 cycles after the end of its write-back. The entries lie in both banks, in rows of even and
 * odd number, and each row is used for the first time: what a RAM held before says nothing. */
static void test_commit_unit__retires_at_any_time_after_the_write_back(void **state)
{
    enum { CNT = 18 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < CNT; cid++)
            message(&d, CW_COMMIT_DONE, cid, 0, 1, 0);
        for (uint64_t cid = 0; cid < CNT; cid++)
            hazard_check(&d, cid, -1);
        for (int n = 0; n < 6; n++)
            dut_cycle(&d);
        for (uint64_t cid = 0; cid < CNT; cid++)
            message(&d, CW_COMMIT_OUTCOME, cid, 0, 0, 1);
        for (int n = 0; n < 6; n++)
            dut_cycle(&d);
        for (uint64_t cid = 0; cid < CNT; cid++) {
            ends_and_is_taken(&d, cid, cid < 2 ? -1 : (int)(cid / 4 % 4)); /* one is offered, and the next waits behind it */
            assert_int_equal(d.out.ret_valid, 1);
            assert_int_equal(d.out.ret_cid, cid < 2 ? 0 : cid - 1);
        }
        for (int n = 0; n < 4; n++)
            dut_cycle(&d);
        assert_int_equal(d.out.oldest_cid, CNT);
        assert_int_equal(d.out.illegal, 0);
        dut_close(&d);
    }
}

/* A ring of one entry carries 300 transactions, one after the other, under IDs of one bit. */
static void test_commit_unit__one_entry_is_enough(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &one, backends[b]);
        dut_cycle(&d);
        for (uint64_t n = 0; n < 300; n++) {
            uint64_t cid = n & 1;
            message(&d, CW_COMMIT_SKIP, cid ^ 1, 0, 0, 0); /* the next ID is outside the window */
            dut_cycle(&d);
            dut_cycle(&d);
            assert_int_equal(d.out.illegal, 1);
            message(&d, CW_COMMIT_DONE, cid, 1, 1, 0);
            hazard_check(&d, cid, -1);
            validated(&d, cid, 0, n % 3 != 0);
            WAIT_FOR(&d, rep, cid);
            assert_int_equal(d.out.rep_pass, n % 3 != 0);
            message(&d, CW_COMMIT_OUTCOME, cid, 0, 0, n % 3 == 1);
            if (n % 3 == 1) {
                WAIT_FOR(&d, com, cid);
                written(&d, cid);
            }
            WAIT_FOR(&d, ret, cid);
            assert_int_equal(d.out.ret_commit, n % 3 == 1);
            assert_int_equal(d.out.oldest_cid, cid ^ 1);
        }
        dut_close(&d);
    }
}

static void test_commit_unit__illegal_events_are_shown_and_change_nothing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_OUTCOME, 0, 0, 0, 1); /* not reported */
        written(&d, 0);                             /* not begun */
        dut_cycle(&d);
        assert_int_equal(d.out.illegal, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.illegal, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.illegal, 0);
        validated(&d, 0, 1, 1); /* not asked for */
        dut_cycle(&d);
        dut_cycle(&d);
        assert_int_equal(d.out.illegal, 1);
        message(&d, CW_COMMIT_DONE, 0, 0, 1, 0); /* the outcome has not counted: it has to come again */
        hazard_check(&d, 0, -1);
        WAIT_FOR(&d, rep, 0);
        for (int n = 0; n < 4; n++) {
            dut_cycle(&d);
            assert_int_equal(d.out.com_valid, 0);
        }
        assert_int_equal(d.out.oldest_stage, CW_COMMIT_STAGE_OUTCOME);
        dut_close(&d);
    }
}

/* What is not valid is 0, and no output follows an input of its own cycle. */
static void is_quiet(struct dut *d)
{
    in_t noise;
    dut_eval(d);
    const out_t *o = &d->out, before = d->out;
    assert_true(o->haz_valid || (o->haz_cid | o->haz_rcid) == 0);
    assert_true(o->rev_valid || o->rev_cid == 0);
    assert_true(o->rep_valid || (o->rep_cid | o->rep_pass) == 0);
    assert_true(o->com_valid || o->com_cid == 0);
    assert_true(o->ret_valid || (o->ret_cid | o->ret_commit) == 0);
    memset(&noise, 0xff, sizeof noise);
    d->inst.ops->eval(d->inst.self, &noise, &d->out);
    assert_memory_equal(&d->out, &before, sizeof before);
}

static void quiet_cycles(struct dut *d, int cycles)
{
    for (int n = 0; n < cycles; n++) {
        is_quiet(d);
        dut_cycle(d);
    }
}

/* The hazard unit's answer for an entry that it has got. */
static void no_hazard(struct dut *d, uint64_t cid)
{
    d->in.hza_valid = 1;
    d->in.hza_cid = cid;
    dut_cycle(d);
}

/* Of the event in the cycle that has just ended: it is shown in the second cycle after its own. */
static void expect_illegal(struct dut *d, uint64_t illegal)
{
    is_quiet(d);
    dut_cycle(d);
    is_quiet(d);
    dut_cycle(d);
    assert_int_equal(d->out.illegal, illegal);
}

/* 0 passes and 1 fails, both reported. Each event comes once where it is legal and once where it is not. */
static void two_entries(struct dut *d)
{
    message(d, CW_COMMIT_FILL, 0, 0, 0, 0);
    expect_illegal(d, 0);
    message(d, CW_COMMIT_DONE, 0, 0, 1, 0);
    expect_illegal(d, 0);
    message(d, CW_COMMIT_DONE, 1, 1, 1, 0);
    expect_illegal(d, 0);
    for (uint64_t kind = CW_COMMIT_FILL; kind <= CW_COMMIT_SKIP; kind++) {
        message(d, kind, 1, 1, 1, 0);
        expect_illegal(d, 1); /* after DONE */
    }
    for (uint64_t cid = 0; cid < 2; cid++) {
        no_hazard(d, cid);
        expect_illegal(d, 0);
        no_hazard(d, cid);
        expect_illegal(d, 1); /* once too often */
    }
    for (uint64_t again = 0; again < 2; again++) {
        validated(d, 1, 0, 0);
        expect_illegal(d, again);
    }
    quiet_cycles(d, 6); /* both are reported */
}

static void test_commit_unit__events_that_are_illegal(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t waits = 0; waits < 2; waits++) {
            struct dut d;
            dut_open(&d, waits ? &kilo : &pair, backends[b]);
            dut_cycle(&d);
            no_hazard(&d, 0);
            expect_illegal(&d, 1); /* the hazard pointer has not passed it */
            two_entries(&d);
            message(&d, CW_COMMIT_OUTCOME, 2, 0, 0, 0);
            expect_illegal(&d, 1); /* before the report */
            message(&d, CW_COMMIT_OUTCOME, 1, 0, 0, 1);
            expect_illegal(&d, 1); /* of pass, though it has failed here */
            message(&d, CW_COMMIT_OUTCOME, 1, 0, 0, 0);
            expect_illegal(&d, 1 - waits); /* for a failed one */
            validated(&d, 1, 1, 1);
            expect_illegal(&d, 1); /* it has been reported */
            written(&d, 0);
            expect_illegal(&d, 1); /* the commit pointer has not passed it */
            message(&d, CW_COMMIT_OUTCOME, 0, 0, 0, 1);
            expect_illegal(&d, 0);
            message(&d, CW_COMMIT_OUTCOME, 0, 0, 0, 1);
            expect_illegal(&d, 1); /* after another */
            for (uint64_t again = 0; again < 2; again++) {
                written(&d, 1); /* though it writes nothing */
                expect_illegal(&d, again);
            }
            written(&d, 0);
            dut_cycle(&d);
            validated(&d, 0, 0, 1);
            expect_illegal(&d, 1); /* it is the oldest, and retires in this cycle: when the answer is judged it has gone */
            assert_int_equal(d.out.oldest_cid, 2);
            dut_close(&d);
        }
}

/* What the unit does not check: answers without a question. */
static void test_commit_unit__answers_to_no_question(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_DONE, 0, 0, 1, 0);
        for (uint64_t again = 0; again < 2; again++) {
            validated(&d, 0, 0, 0); /* it has no reads: it passes all the same */
            expect_illegal(&d, again);
        }
        no_hazard(&d, 0);
        message(&d, CW_COMMIT_SKIP, 1, 0, 0, 0);
        WAIT_FOR(&d, rep, 0);
        assert_int_equal(d.out.rep_pass, 1);
        quiet_cycles(&d, 4);
        validated(&d, 1, 1, 1); /* rev has not asked */
        expect_illegal(&d, 0);
        assert_int_equal(d.out.rep_valid, 1);
        assert_int_equal(d.out.rep_cid, 1);
        dut_close(&d);
    }
}

/* One legal entry of a message counts beside another that is not; DONE without reads and writes is a SKIP. */
static void test_commit_unit__each_entry_by_itself(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &pair, backends[b]);
        dut_cycle(&d);
        message(&d, CW_COMMIT_DONE, 0, 0, 0, 0);
        message_to(&d, 3, CW_COMMIT_DONE, 0, 0, 2, 0);
        expect_illegal(&d, 1);
        quiet_cycles(&d, 3);
        assert_int_equal(d.out.oldest_cid, 1); /* 6 cycles after the message */
        assert_int_equal(d.out.oldest_stage, CW_COMMIT_STAGE_PASS);
        quiet_cycles(&d, 8);
        assert_int_equal(d.out.rep_valid + d.out.ret_valid, 0); /* of 0 nothing is told */
        d.inst.ops->reset(d.inst.self);
        is_quiet(&d);
        assert_int_equal(d.out.oldest_cid, 0);
        assert_int_equal(d.out.oldest_stage, CW_COMMIT_STAGE_LOG);
        assert_int_equal(d.out.haz_valid + d.out.busy, 0);
        quiet_cycles(&d, 5);
        assert_int_equal(d.out.oldest_cid, 0);
        dut_close(&d);
    }
}

/* A hazard is an older CID of less than 60 before. Of entry 3 it is one that has retired long ago: it is validated again at once. */
static void test_commit_unit__hazards_that_are_none(void **state)
{
    static const int64_t ycid[] = {0 - 60, 1, 3, 3 - 59};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &kilo, backends[b]);
        dut_cycle(&d);
        for (uint64_t cid = 0; cid < 4; cid++)
            message(&d, CW_COMMIT_DONE, cid, 0, 1, 0);
        quiet_cycles(&d, 6);
        for (uint64_t cid = 4; cid-- > 0;) { /* the oldest last */
            d.in.hza_valid = d.in.hza_found = 1;
            d.in.hza_cid = cid;
            d.in.hza_ycid = (uint64_t)ycid[cid] & 0xffff;
            dut_cycle(&d);
        }
        for (uint64_t cid = 0; cid < 3; cid++) {
            WAIT_FOR(&d, rep, cid);
            assert_int_equal(d.out.rep_pass, 1);
            assert_int_equal(d.out.rev_valid, 0);
        }
        WAIT_FOR(&d, rev, 3);
        assert_int_equal(d.out.rep_valid, 0);
        dut_close(&d);
    }
}

static void test_commit_unit__refused_parameters(void **state)
{
    static const params_t refused[] = {{5, 4, 3, 1}, {12, 3, 5, 1}};
    static const params_t beyond = {CW_COMMIT_UNIT_HARDWARE + 1, 32, 20, 0};
    void *self;
    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(cw_commit_unit_unit.c_model.create(&self, &refused[i]), CW_EINVAL);
    /* C only */
    assert_int_equal(cw_commit_unit_unit.c_model.create(&self, &beyond), CW_OK);
    cw_commit_unit_unit.c_model.destroy(self);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_commit_unit__fills),
    cmocka_unit_test(test_commit_unit__c_equals_rtl),
    cmocka_unit_test(test_commit_unit__broken_copies_are_caught),
    cmocka_unit_test(test_commit_unit__two_transactions_with_a_hazard),
    cmocka_unit_test(test_commit_unit__rcid_is_that_of_the_first_message),
    cmocka_unit_test(test_commit_unit__hazard_detection_is_a_pipeline),
    cmocka_unit_test(test_commit_unit__a_message_of_a_warp),
    cmocka_unit_test(test_commit_unit__a_message_beyond_the_window),
    cmocka_unit_test(test_commit_unit__a_validation_before_done),
    cmocka_unit_test(test_commit_unit__reports_wait),
    cmocka_unit_test(test_commit_unit__commits_in_the_order_of_ids),
    cmocka_unit_test(test_commit_unit__retires_at_any_time_after_the_write_back),
    cmocka_unit_test(test_commit_unit__one_entry_is_enough),
    cmocka_unit_test(test_commit_unit__illegal_events_are_shown_and_change_nothing),
    cmocka_unit_test(test_commit_unit__events_that_are_illegal),
    cmocka_unit_test(test_commit_unit__answers_to_no_question),
    cmocka_unit_test(test_commit_unit__each_entry_by_itself),
    cmocka_unit_test(test_commit_unit__hazards_that_are_none),
    cmocka_unit_test(test_commit_unit__refused_parameters),
};
CW_TEST_MAIN(tests)
