/* SPDX-License-Identifier: Apache-2.0 */
/* MSHRs of an L2 slice: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/l2_mshr.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_l2_mshr_params params_t;
typedef struct cw_l2_mshr_in in_t;
typedef struct cw_l2_mshr_out out_t;

#define DUT_UNIT cw_l2_mshr_unit
#include "dut.h"
#include "fill/l2_mshr.h"

enum kind { REQUEST, COMES, PERFORMED };

/*                               entries merge line_w sectors req_w */
static const params_t slice = {64, 8, 32, 4, 9};
static const params_t minimal = {1, 1, 1, 1, 1};
static const params_t odd = {3, 3, 3, 2, 3};
static const params_t deep = {2, 64, 2, 3, 16};
static const params_t many = {21, 2, 5, 8, 6};
static const params_t largest = {256, 64, 32, 8, 16};

enum { SLICE, MINIMAL, ODD, DEEP, MANY, LARGEST, SETS };

/* Phases: requests come and entries fill up; all goes; of all kinds; few lines and entries, one operation behind the other. Most operations do
 * something, and most sectors are there. */
static void phases(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    static uint32_t phase;
    const out_t *out = last_out;
    in_t *i = in;
    (void)context;
    if (cw_rng_below(rng, phase == 0 ? 256 : 64) == 0)
        phase = cw_rng_below(rng, 4);
    const uint32_t requests = phase == 0 ? 14 : phase == 1 ? 2 : 7, lines = phase == 3 ? 3 : phase == 0 ? 31 : 7;
    const uint32_t kind = cw_rng_below(rng, 16);
    i->op_kind = kind < requests ? REQUEST : kind == 15 && cw_rng_below(rng, 8) == 0 ? 3u : out->head_valid && kind % 2 ? PERFORMED : COMES;
    if (cw_rng_below(rng, 32) != 0)
        i->op_line &= lines;
    if (cw_rng_below(rng, 32) != 0)
        i->op_entry &= lines;
    if (phase == 1 && cw_rng_below(rng, 4) != 0)
        i->op_sectors = i->act_here = ~UINT64_C(0);
    i->op_valid = cw_rng_below(rng, phase == 2 ? 2 : 16) != 0;
    i->act_valid = cw_rng_below(rng, 8) != 0;
    i->act_pass = cw_rng_below(rng, 8) == 0;
    i->act_here |= i->act_here >> 4 | (uint64_t)(cw_rng_below(rng, 2) == 0 ? 255 : 0);
}

static const struct cw_lockstep_set sets[SETS] = {{"slice", &slice, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"deep", &deep, 0},   {"many", &many, 0},       {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_l2_mshr_unit, sets, SETS, phases, NULL};

static void test_l2_mshr__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_l2_mshr__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"an entry that is taken is not found at once", "cw_l2_mshr", "get_near_q || |(get_oh", "|(get_oh", ODD},
        {"an entry that is taken is not found two cycles later", "cw_l2_mshr_entries", "take_i && free_q[e] ? line_i == new_line_i",
         "1'b0 ? 1'b0", ODD},
        {"what an operation leaves is not handed on", "cw_l2_mshr", "get_near_q || |(get_oh & named_oh)", "get_near_q", ODD},
        {"an entry that is not in use is found", "cw_l2_mshr", "get_own & (used | {ENTRIES{get_kind_q == COMES}})", "get_own", ODD},
        {"an entry that has gone is found", "cw_l2_mshr", "same ? (ans_used_q || take) && !release_it", "same ? (ans_used_q || take)", ODD},
        {"an entry has a place more", "cw_l2_mshr", "places < FULL", "(places < FULL || waiting < FULL)", ODD},
        {"a request comes without a free entry", "cw_l2_mshr", "places < FULL : |free", "places < FULL : 1'b1", ODD},
        {"places of writes stay taken", "cw_l2_mshr", "left == NOTHING ? waiting : places", "places", ODD},
        {"places of writes are free before all sectors came", "cw_l2_mshr", "left == NOTHING ? waiting : places", "waiting", ODD},
        {"a request touches only its own sectors", "cw_l2_mshr", "touched | ans_sectors_q", "ans_sectors_q", ODD},
        {"sectors stay touched when nobody waits", "cw_l2_mshr", "leaves && waiting == ONE ? NOTHING : waits", "waits", ODD},
        {"the last request counts as the first", "cw_l2_mshr", "waits && waiting == ZERO ? act_needs_i", "waits ? act_needs_i", ODD},
        {"an entry joins twice", "cw_l2_mshr", "comes && !ready && waiting", "comes && waiting", ODD},
        {"an entry joins whose first request lacks a sector", "cw_l2_mshr", "waiting != ZERO && (needs & ~act_here_i) == NOTHING",
         "waiting != ZERO", ODD},
        {"a request follows that lacks a sector", "cw_l2_mshr", "(next_needs & ~act_here_i) == NOTHING;  //", "1'b1;  //", ODD},
        {"an entry goes with sectors on their way", "cw_l2_mshr", "performed && waiting == ONE && fetching == NOTHING",
         "performed && waiting == ONE", ODD},
        {"a sector that comes stays on its way", "cw_l2_mshr", "new_fetching = comes ? left", "new_fetching = comes ? fetching", ODD},
        {"places do not begin again", "cw_l2_mshr", "end_place >= RING", "end_place > RING", ODD},
        {"something is done without act_valid", "cw_l2_mshr", "act_valid_i && (request ?", "(act_valid_i || ans_q) && (request ?", ODD},
        {"a taken entry is free", "cw_l2_mshr_entries", "free_taken = ~used_q & ~free_q", "free_taken = ~used_q", ODD},
        {"the last entry that joins is the first", "cw_l2_mshr_ready", "~listed & ((listed << 1) | FIRST)", "FIRST", MANY},
        {"a request that comes behind the head is not read", "cw_l2_mshr_ready", "leave_i || wait_i)", "leave_i)", ODD},
        {"what is read is older than what is written", "cw_ram_1r1w_fwd", "fwd_q ? fwd_data_q : ram_data",
         "fwd_q && 1'b0 ? fwd_data_q : ram_data", ODD},
        {"the head comes a cycle early", "cw_l2_mshr_ready", "take ? ST_LOAD : ST_NONE", "take ? ST_HEAD : ST_NONE", ODD},
        {"a reset leaves entries", "cw_l2_mshr_entries", "used_q <= NO_ENTRY", "used_q <= used_q & ~NO_ENTRY", SLICE},
        {"kind 3 is an operation", "cw_l2_mshr", "ans_q && ans_kind_q == PERFORMED", "ans_q && ans_kind_q[1]", ODD},
        {"idle comes before the answer", "cw_l2_mshr", "!get_q && !ans_q && ready_idle", "!get_q && ready_idle", SLICE},
        {"idle comes before the head", "cw_l2_mshr_ready", "(state_q == ST_NONE && !listed_q[0])", "state_q == ST_NONE", SLICE},
        {"empty comes with an entry in use", "cw_l2_mshr", "used == NO_ENTRY;", "used >> 1 == NO_ENTRY;", SLICE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void wait_idle(struct dut *d)
{
    dut_eval(d);
    while (!d->out.idle)
        dut_cycle(d), dut_eval(d);
}

/* An operation, with its answer in d->out and the cycle open for act_*. */
static void ask(struct dut *d, in_t op)
{
    wait_idle(d);
    op.op_valid = 1;
    d->in = op;
    for (uint32_t t = 0; t < 3; t++) {
        dut_cycle(d);
        assert_int_equal(d->out.ans_valid, 0);
    }
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
}

/* Ends that cycle with these inputs. */
static void act(struct dut *d, in_t in)
{
    in.act_valid = 1;
    d->in = in;
    dut_cycle(d);
}

static void look(struct dut *d, uint64_t line, uint64_t sectors)
{
    ask(d, (in_t){.op_kind = REQUEST, .op_line = line, .op_sectors = sectors});
}

/* A request for sectors of a line waits in the entry `entry`, and these sectors are fetched. */
static void wait_in(struct dut *d, uint64_t line, uint64_t sectors, uint64_t req, uint64_t fetch, uint64_t entry)
{
    look(d, line, sectors);
    assert_int_equal(d->out.ans_room, 1);
    assert_int_equal(d->out.ans_entry, entry);
    act(d, (in_t){.act_req = req, .act_needs = sectors, .act_fetch = fetch});
}

static void come(struct dut *d, uint64_t entry, uint64_t sectors, uint64_t here)
{
    ask(d, (in_t){.op_kind = COMES, .op_entry = entry, .op_sectors = sectors});
    assert_int_equal(d->out.ans_hit, 1);
    assert_int_equal(d->out.ans_entry, entry);
    act(d, (in_t){.act_here = here});
}

/* The head is that request, of that entry, and is performed; whether its entry goes with it. */
static void perform(struct dut *d, uint64_t req, uint64_t entry, uint64_t here, bool ends)
{
    ask(d, (in_t){.op_kind = PERFORMED});
    assert_int_equal(d->out.ans_hit, 1);
    assert_int_equal(d->out.ans_entry, entry);
    assert_int_equal(d->out.head_req, req);
    assert_int_equal(d->out.ans_ends, ends);
    act(d, (in_t){.act_here = here});
}

static void nobody_is_head(struct dut *d)
{
    wait_idle(d);
    assert_int_equal(d->out.head_valid | d->out.head_req, 0);
}

static void test_l2_mshr__the_lowest_entry_is_taken(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        wait_idle(&d);
        assert_int_equal(d.out.empty, 1);
        for (uint64_t e = 0; e < 3; e++) {
            look(&d, 7 - e, 1);
            assert_int_equal(d.out.ans_hit, 0);
            assert_int_equal(d.out.ans_line | d.out.ans_fetching | d.out.ans_behind, 0);
            act(&d, (in_t){.act_req = e, .act_needs = 1, .act_fetch = 1});
            wait_idle(&d);
            assert_int_equal(d.out.empty, 0);
        }
        look(&d, 3, 1); /* all are in use */
        assert_int_equal(d.out.ans_hit | d.out.ans_room | d.out.ans_entry, 0);
        act(&d, (in_t){.act_req = 7, .act_fetch = 3});
        come(&d, 1, 1, 1);
        perform(&d, 1, 1, 1, true);
        come(&d, 0, 1, 1);
        perform(&d, 0, 0, 1, true);
        wait_in(&d, 3, 1, 4, 1, 0);
        wait_in(&d, 2, 1, 5, 1, 1);
        for (uint64_t e = 0; e < 3; e++) {
            static const uint64_t lines[] = {3, 2, 5};
            look(&d, lines[e], 1);
            assert_int_equal(d.out.ans_hit, 1);
            assert_int_equal(d.out.ans_entry, e);
            assert_int_equal(d.out.ans_line, lines[e]);
        }
        dut_close(&d);
    }
}

static void test_l2_mshr__requests_leave_in_order(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &slice, backends[b]);
        for (uint32_t round = 0; round < 3; round++) {
            for (uint64_t r = 0; r < 8; r++)
                wait_in(&d, 1000, 1, 100 + r, r == 0, 0);
            nobody_is_head(&d);
            come(&d, 0, 1, 1);
            for (uint64_t r = 0; r < 3; r++) /* the ring begins again elsewhere */
                perform(&d, 100 + r, 0, 1, false);
            for (uint64_t r = 0; r < 3; r++)
                wait_in(&d, 1000, 1, 200 + r, 0, 0);
            for (uint64_t r = 3; r < 11; r++)
                perform(&d, r < 8 ? 100 + r : 192 + r, 0, 1, r == 10);
            nobody_is_head(&d);
            assert_int_equal(d.out.empty, 1);
        }
        dut_close(&d);
    }
}

/* One request per cycle, and the first one three cycles after its sectors have come. */
static void test_l2_mshr__one_leaves_per_cycle(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t left = 0;
        dut_open(&d, &slice, backends[b]);
        for (uint64_t r = 0; r < 4; r++)
            wait_in(&d, r / 2, 1, r, r % 2 == 0, r / 2);
        come(&d, 0, 1, 1);
        for (uint32_t t = 1; t < 4; t++) { /* after that answer: taken, read, there */
            d.in = (in_t){.op_valid = t == 3, .op_kind = COMES, .op_entry = 1, .op_sectors = 1};
            dut_cycle(&d);
            assert_int_equal(d.out.head_valid, t == 3);
        }
        for (uint32_t t = 0; t < 12; t++) {
            d.in = (in_t){.op_valid = 1, .op_kind = PERFORMED, .act_valid = 1, .act_here = 1};
            dut_cycle(&d);
            if (d.out.head_valid && d.out.ans_hit && t > 2) {
                static const uint32_t when[] = {3, 4, 7, 8};
                assert_int_equal(t, when[left]);
                assert_int_equal(d.out.head_req, left++);
            }
        }
        assert_int_equal(left, 4);
        dut_close(&d);
    }
}

static void test_l2_mshr__an_entry_has_its_places(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        wait_in(&d, 5, 1, 1, 3, 0);
        look(&d, 5, 2);
        act(&d, (in_t){.act_pass = 1, .act_req = 6});
        look(&d, 5, 2); /* who has gone on touches nothing */
        assert_int_equal(d.out.ans_behind, 0);
        act(&d, (in_t){.act_pass = 1});
        look(&d, 5, 1);
        assert_int_equal(d.out.ans_hit, 1);
        assert_int_equal(d.out.ans_room, 0);
        assert_int_equal(d.out.ans_behind, 1);
        act(&d, (in_t){.act_req = 7, .act_fetch = 2});
        come(&d, 0, 1, 0); /* a sector is on its way still */
        look(&d, 5, 1);
        assert_int_equal(d.out.ans_room, 0);
        assert_int_equal(d.out.ans_fetching, 2);
        act(&d, (in_t){.act_req = 7});
        come(&d, 0, 2, 0);
        look(&d, 5, 1);
        assert_int_equal(d.out.ans_room, 1);
        assert_int_equal(d.out.ans_fetching, 0);
        act(&d, (in_t){.act_req = 2, .act_needs = 1});
        come(&d, 0, 0, 1);
        perform(&d, 1, 0, 1, false);
        perform(&d, 2, 0, 1, true);
        dut_close(&d);
    }
}

static void test_l2_mshr__sectors_that_come_let_requests_go(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &slice, backends[b]);
        wait_in(&d, 9, 3, 1, 3, 0);
        wait_in(&d, 9, 4, 2, 4, 0);
        wait_in(&d, 9, 1, 3, 0, 0);
        come(&d, 0, 2, 2);
        nobody_is_head(&d);
        come(&d, 0, 1, 3);
        perform(&d, 1, 0, 3, false); /* the next one lacks sector 2 */
        nobody_is_head(&d);
        ask(&d, (in_t){.op_kind = PERFORMED});
        assert_int_equal(d.out.ans_hit | d.out.ans_entry | d.out.ans_line | d.out.ans_fetching, 0);
        act(&d, (in_t){.act_here = 15});
        come(&d, 0, 4, 7);
        perform(&d, 2, 0, 7, false);
        perform(&d, 3, 0, 7, true);
        wait_in(&d, 9, 1, 4, 1, 0); /* a write that is performed makes the sectors of the next one */
        wait_in(&d, 9, 3, 5, 2, 0);
        come(&d, 0, 1, 1);
        perform(&d, 4, 0, 3, false);
        perform(&d, 5, 0, 3, false); /* a sector is on its way still: the entry stays */
        nobody_is_head(&d);
        ask(&d, (in_t){.op_kind = COMES, .op_entry = 0, .op_sectors = 2});
        assert_int_equal(d.out.ans_ends, 1);
        assert_int_equal(d.out.ans_line, 9);
        act(&d, (in_t){0});
        wait_idle(&d);
        assert_int_equal(d.out.empty, 1);
        dut_close(&d);
    }
}

static void test_l2_mshr__who_touches_the_same_is_behind(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &slice, backends[b]);
        wait_in(&d, 9, 1, 1, 3, 0);
        wait_in(&d, 9, 2, 2, 0, 0);
        for (uint64_t s = 1; s < 16; s++) {
            look(&d, 9, s);
            assert_int_equal(d.out.ans_behind, (s & 3) != 0);
        }
        come(&d, 0, 1, 1);
        perform(&d, 1, 0, 1, false);
        look(&d, 9, 1); /* request 2 has waited since */
        assert_int_equal(d.out.ans_behind, 1);
        act(&d, (in_t){.act_req = 3, .act_needs = 0}); /* a write, which needs none */
        come(&d, 0, 0, 3);
        perform(&d, 2, 0, 0, false);
        perform(&d, 3, 0, 0, false);
        look(&d, 9, 15);
        assert_int_equal(d.out.ans_hit, 1);
        assert_int_equal(d.out.ans_behind, 0);
        dut_close(&d);
    }
}

static void test_l2_mshr__ready_entries_have_an_order(void **state)
{
    static const uint64_t order[] = {5, 0, 7, 2};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &many, backends[b]);
        for (uint64_t e = 0; e < 8; e++)
            wait_in(&d, e, 3, e, 3, e);
        come(&d, 2, 1, 1); /* lacks a sector: it is not ready yet */
        for (uint32_t i = 0; i < 4; i++)
            come(&d, order[i], 3, 3);
        come(&d, 7, 0, 3); /* is ready already */
        for (uint32_t i = 0; i < 4; i++)
            perform(&d, order[i], order[i], 3, true);
        nobody_is_head(&d);
        dut_close(&d);
    }
}

/* Operations in each cycle, each of which needs what the one before it leaves. */
static void test_l2_mshr__operations_follow_each_other(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint32_t t = 0; t < 10; t++) {
            static const uint8_t kinds[] = {REQUEST, REQUEST, REQUEST, REQUEST, COMES, REQUEST, REQUEST};
            d.in = (in_t){.op_valid = t < 7, .op_line = 6, .op_sectors = 1, .act_valid = 1, .act_req = t, .act_needs = 1, .act_fetch = 1};
            d.in.op_kind = t < 7 ? kinds[t] : 0;
            d.in.act_pass = t == 3;
            dut_eval(&d);
            assert_int_equal(d.out.ans_valid, t >= 3);
            assert_int_equal(d.out.ans_hit, t > 3);
            assert_int_equal(d.out.ans_room, t >= 3 && t != 6 && t != 7 && t != 9);
            assert_int_equal(d.out.ans_behind, t > 4 && t != 7);
            assert_int_equal(d.out.ans_fetching, t > 3 && t != 8);
            dut_tick(&d);
        }
        dut_close(&d);
    }
}

static void test_l2_mshr__nothing_is_done_without_act(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        const in_t all = {.act_pass = 1, .act_req = 5, .act_needs = 3, .act_fetch = 3, .act_here = 3};
        look(&d, 5, 3);
        d.in = all;
        dut_cycle(&d);
        wait_idle(&d);
        assert_int_equal(d.out.empty, 1);
        d.in = all; /* nor without an answer */
        d.in.act_valid = 1;
        dut_cycle(&d);
        wait_in(&d, 5, 3, 1, 3, 0);
        ask(&d, (in_t){.op_kind = COMES, .op_entry = 0, .op_sectors = 3});
        d.in = all;
        dut_cycle(&d);
        look(&d, 5, 1);
        assert_int_equal(d.out.ans_fetching, 3);
        d.in = all;
        dut_cycle(&d);
        ask(&d, (in_t){.op_kind = 3, .op_line = 5, .op_entry = 0, .op_sectors = 3});
        assert_int_equal(d.out.ans_hit | d.out.ans_room | d.out.ans_behind | d.out.ans_ends | d.out.ans_entry | d.out.ans_line, 0);
        act(&d, all);
        ask(&d, (in_t){.op_kind = COMES, .op_entry = 1, .op_sectors = 3}); /* not in use; and one that there is not */
        assert_int_equal(d.out.ans_hit | d.out.ans_entry | d.out.ans_line | d.out.ans_ends, 0);
        act(&d, all);
        ask(&d, (in_t){.op_kind = COMES, .op_entry = 128, .op_sectors = 3});
        assert_int_equal(d.out.ans_hit, 0);
        act(&d, all);
        come(&d, 0, 3, 3);
        ask(&d, (in_t){.op_kind = PERFORMED});
        assert_int_equal(d.out.ans_hit, 1);
        d.in = all;
        dut_cycle(&d);
        perform(&d, 1, 0, 3, true);
        dut_close(&d);
    }
}

static void test_l2_mshr__a_reset_frees_all(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t e = 0; e < 3; e++)
            wait_in(&d, e, 1, e, 1, e);
        come(&d, 0, 1, 1);
        come(&d, 1, 1, 1);
        d.in = (in_t){.op_valid = 1, .op_line = 2};
        dut_cycle(&d);
        d.inst.ops->reset(d.inst.self);
        for (uint32_t t = 0; t < 6; t++) {
            dut_cycle(&d);
            assert_int_equal(d.out.empty & d.out.idle, 1);
            assert_int_equal(d.out.head_valid | d.out.ans_valid, 0);
        }
        for (uint64_t e = 0; e < 3; e++)
            wait_in(&d, 7 - e, 1, e, 1, e);
        wait_idle(&d);
        for (uint32_t t = 0; t < 6; t++) { /* not idle until the answer has been */
            d.in.op_valid = t == 0;
            dut_cycle(&d);
            assert_int_equal(d.out.idle, t == 0 || t > 3);
        }
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_l2_mshr__fills),
    cmocka_unit_test(test_l2_mshr__c_equals_rtl),
    cmocka_unit_test(test_l2_mshr__broken_copies_are_caught),
    cmocka_unit_test(test_l2_mshr__the_lowest_entry_is_taken),
    cmocka_unit_test(test_l2_mshr__requests_leave_in_order),
    cmocka_unit_test(test_l2_mshr__one_leaves_per_cycle),
    cmocka_unit_test(test_l2_mshr__an_entry_has_its_places),
    cmocka_unit_test(test_l2_mshr__sectors_that_come_let_requests_go),
    cmocka_unit_test(test_l2_mshr__who_touches_the_same_is_behind),
    cmocka_unit_test(test_l2_mshr__ready_entries_have_an_order),
    cmocka_unit_test(test_l2_mshr__operations_follow_each_other),
    cmocka_unit_test(test_l2_mshr__nothing_is_done_without_act),
    cmocka_unit_test(test_l2_mshr__a_reset_frees_all),
};
CW_TEST_MAIN(tests)
