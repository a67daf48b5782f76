/* SPDX-License-Identifier: Apache-2.0 */
/* Persist buffer: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/persist_buffer.h"

#include <stdbool.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_persist_buffer_params params_t;
typedef struct cw_persist_buffer_in in_t;
typedef struct cw_persist_buffer_out out_t;

#define DUT_UNIT cw_persist_buffer_unit
#include "dut.h"
#include "fill/persist_buffer.h"

/*                               entries warps line_w */
static const params_t sbrp = {256, 32, 9};
static const params_t minimal = {1, 1, 1};
static const params_t odd = {3, 5, 2};
static const params_t middle = {13, 4, 5};
static const params_t large = {512, 64, 12};

#define HELD_MAX 16u

/* Where the stimulus is: the last lines that were appended, how often something happens, and the mask of warps that must wait. */
struct phase {
    bool begun;
    uint32_t lines, again, evicts, takes, warps; /* of 16 cycles; warps: how many take part */
    uint64_t fsm, drain, kinds;
    uint64_t held[HELD_MAX];
    uint32_t next_held;
    in_t last_in, answered_in; /* of the last cycle; that its outputs answer, of the cycle before */
};

static void some_phase(struct phase *phase, struct cw_rng *rng)
{
    static const uint64_t kinds[] = {0x7e, 0x7e, 0xff, 0x0e, 0x0c, 0x08, 0x74, 0x02};
    phase->begun = true;
    phase->lines = cw_rng_below(rng, 17);
    phase->again = cw_rng_below(rng, 17);
    phase->evicts = cw_rng_below(rng, 3) == 0 ? cw_rng_below(rng, 17) : cw_rng_below(rng, 3);
    phase->takes = cw_rng_below(rng, 17);
    phase->warps = 1 + cw_rng_below(rng, cw_rng_below(rng, 2) != 0 ? 64 : 4);
    phase->drain = cw_rng_below(rng, 3) != 0;
    phase->kinds = kinds[cw_rng_below(rng, sizeof kinds / sizeof kinds[0])];
}

static uint64_t some_kind(const struct phase *phase, struct cw_rng *rng)
{
    if (cw_rng_below(rng, 16) < phase->lines)
        return CW_PERSIST_LINE;
    uint64_t kind = cw_rng_next(rng) & 7;
    while (!(phase->kinds >> kind & 1))
        kind = (kind + 1) & 7;
    return kind;
}

/* Lines are mostly written again that are there. Rarely it is any entry, which the unit has to sort out. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    if (!phase->begun || cw_rng_below(rng, 512) == 0)
        some_phase(phase, rng);
    if (out != NULL && phase->answered_in.ins_valid && phase->answered_in.ins_kind == CW_PERSIST_LINE &&
        out->ins_answer == CW_PERSIST_APPENDED)
        phase->held[phase->next_held++ % HELD_MAX] = out->ins_at;
    phase->answered_in = phase->last_in;
    in->ins_valid = cw_rng_below(rng, 16) < phase->lines + 4;
    in->ins_kind = some_kind(phase, rng);
    in->ins_warp = cw_rng_below(rng, phase->warps);
    in->ins_held = cw_rng_below(rng, 16) < phase->again;
    if (cw_rng_below(rng, 64) != 0)
        in->ins_entry = phase->held[cw_rng_below(rng, HELD_MAX)];
    in->evict_valid = cw_rng_below(rng, 16) < phase->evicts;
    in->evict_entry = cw_rng_below(rng, 64) != 0 ? phase->held[cw_rng_below(rng, HELD_MAX)] : cw_rng_next(rng);
    in->flush_ready = cw_rng_below(rng, 16) < phase->takes;
    in->order_ready = cw_rng_below(rng, 16) != 0;
    if (cw_rng_below(rng, 8) == 0)
        phase->fsm = cw_rng_below(rng, 2) != 0 ? 0 : cw_rng_next(rng) & cw_rng_next(rng) & cw_rng_next(rng);
    in->fsm = phase->fsm;
    in->hold = cw_rng_below(rng, 16) == 0;
    in->drain = phase->drain;
    phase->last_in = *in;
}

static const struct cw_lockstep_set sets[] = {
    {"sbrp", &sbrp, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"middle", &middle, 0}, {"large", &large, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_persist_buffer_unit, sets, 5, constrain, &lockstep_phase};

static void test_persist_buffer__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_persist_buffer__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"what has wrapped is old", "cw_persist_buffer", "? a > b : a < head;", "? a > b : b < head;", 2},
        {"an ordering entry that has left still conflicts", "cw_persist_buffer", "if (order_ats_q[w*IDX_W +: IDX_W] == head_q)",
         "if (order_ats_q[w*IDX_W +: IDX_W] == head_q && ins_valid_q)", 2},
        {"another warp's ordering entry conflicts", "cw_persist_buffer", "(ordered_q & warp_oh) != {WARPS{1'b0}} && younger",
         "ordered_q != {WARPS{1'b0}} && younger", 2},
        {"a warp that is passed merges", "cw_persist_buffer", "open_q && (passed_q & warp_oh) == {WARPS{1'b0}}",
         "open_q && (passed_q & warp_oh & {WARPS{drain_i}}) == {WARPS{1'b0}}", 2},
        {"an acquire merges ahead of a release", "cw_persist_buffer", "|| (releases && (c == ACQ_BLOCK || c == ACQ_DEV))",
         "|| (releases && c == ACQ_BLOCK)", 3},
        {"an offer takes one more warp", "cw_persist_buffer", "(offer_order && kind == c[2:0] && at_q == head_q)",
         "(order_out && kind == c[2:0] && at_q == head_q)", 2},
        {"a line on offer is written", "cw_persist_buffer", "live_q[ins_entry_q] && !(flush_q && head_q == ins_entry_q)",
         "live_q[ins_entry_q] && !(went_q && head_q == ins_entry_q)", 2},
        {"a line that goes is written", "cw_persist_buffer", "&& !(evict_q && evict_at_q == ins_entry_q)",
         "&& !(evict_q && go && hold_i && evict_at_q == ins_entry_q)", 2},
        {"a line goes twice", "cw_persist_buffer", "head_q == evict_at_q) && !(went_q && went_at_q == evict_at_q)",
         "head_q == evict_at_q) && !(went_q && went_at_q != evict_at_q && 1'b0)", 2},
        {"an eviction overtakes an ordering entry", "cw_persist_buffer", "may_go && rd_info[IDX_W-1:0] == orders_out_q",
         "may_go && (rd_info[IDX_W-1:0] == orders_out_q || order_q)", 3},
        {"an eviction starves the head", "cw_persist_buffer", "&& !hold_i && !blocked;", "&& !hold_i && (!blocked || drain_i);", 3},
        {"the warp that joins now does not count", "cw_persist_buffer", "offer_line  = line_may && !heats;",
         "offer_line  = line_may && (!heats || demand_o);", 2},
        {"what joins while the row is read is lost", "cw_persist_buffer", "rd_mask | joined_q;", "rd_mask | (joined_q & {WARPS{evict_q}});",
         2},
        {"what joins the head is lost", "cw_persist_buffer", "mask | (warp_oh & {WARPS{joins_head}});",
         "mask | (warp_oh & {WARPS{joins_head && fresh_q}});", 2},
        {"a line leaves unasked", "cw_persist_buffer", "(drain_i || asked_q != {CNT_W{1'b0}})", "(drain_i || demand_o || no_room)", 2},
        {"a conflict does not ask", "cw_persist_buffer", "(wants && no_room) || (held && conflict);",
         "(wants && no_room) || (held && conflict && drain_i);", 2},
        {"an eviction is asked for twice at once", "cw_persist_buffer", "evict_valid_i && !read && !(appends && evict_entry_i == tail_q);",
         "evict_valid_i && !read;", 1},
        {"a line that has just gone is written", "cw_persist_buffer", " && !(went_q && went_at_q == ins_entry_q)", "", 2},
        {"what leaves now makes room", "cw_persist_buffer", "no_room  = count_q == ALL;", "no_room  = count_q == ALL && !order_out;", 2},
        {"the head's row is taken for the eviction's", "cw_persist_buffer", "evict_valid_i && !read && !(appends",
         "evict_valid_i && !(appends", 2},
        {"a line on offer goes by eviction", "cw_persist_buffer", "may_go   = evict_live_q && !(flush_q && head_q == evict_at_q)",
         "may_go   = evict_live_q", 2},
        {"a line is put on offer while its eviction is answered", "cw_persist_buffer",
         "free     = sight_q && !(evict_q && evict_at_q == head_q);", "free     = sight_q;", 2},
        {"the last answer stays", "cw_persist_buffer", "!ins_valid_q ? 3'd0 : wants", "wants", 2},
        {"who joins hears where the next one comes", "cw_persist_buffer", "merged ? kind_at : tail_q & {IDX_W{appends}};",
         "merged ? kind_at : tail_q;", 2},
        {"an offer is seen at once", "cw_persist_buffer", "flush_valid_o = flush_q;", "flush_valid_o = flush_q || offer_line;", 2},
        {"busy forgets hold", "cw_persist_buffer", "(may && (mask_q", "((may || hold_i) && (mask_q", 2},
        {"busy forgets a head that has just been read", "cw_persist_buffer", "|| read || fresh_q", "|| read", 2},
        {"a reset leaves lines", "cw_persist_buffer", "            live_q <= {ROWS{1'b0}};", "            live_q <= live_q;", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Two cycles, with the other inputs as they are. */
static uint64_t insert(struct dut *d, uint64_t kind, uint64_t warp, uint64_t line, bool held, uint64_t entry)
{
    const in_t others = d->in;
    d->in.ins_valid = 1;
    d->in.ins_kind = kind;
    d->in.ins_warp = warp;
    d->in.ins_line = line;
    d->in.ins_held = held;
    d->in.ins_entry = entry;
    dut_cycle(d);
    assert_int_equal(d->out.ins_answer, 0);
    d->in = others;
    dut_cycle(d);
    return d->out.ins_answer;
}

/* A line that is not dirty yet. Returns its entry. */
static uint64_t write_line(struct dut *d, uint64_t warp, uint64_t line)
{
    assert_int_equal(insert(d, CW_PERSIST_LINE, warp, line, false, 0), CW_PERSIST_APPENDED);
    return d->out.ins_at;
}

static uint64_t write_again(struct dut *d, uint64_t warp, uint64_t entry)
{
    return insert(d, CW_PERSIST_LINE, warp, 0, true, entry);
}

static uint64_t order(struct dut *d, uint64_t kind, uint64_t warp)
{
    return insert(d, kind, warp, 0, false, 0);
}

/* Waits at most as long as the contract says that the next entry takes, with these masks and drain. */
static void wait_for_offer(struct dut *d, uint64_t fsm, uint64_t drain)
{
    for (uint32_t n = 0; n < 4; n++) {
        d->in.fsm = fsm;
        d->in.drain = drain;
        dut_eval(d);
        if (d->out.flush_valid || d->out.order_valid)
            return;
        dut_tick(d);
    }
}

static void take_line(struct dut *d, uint64_t fsm, uint64_t line)
{
    wait_for_offer(d, fsm, 1);
    assert_int_equal(d->out.flush_valid, 1);
    assert_int_equal(d->out.flush_line, line);
    d->in.flush_ready = 1;
    dut_cycle(d);
}

static void take_order(struct dut *d, uint64_t kind, uint64_t warps)
{
    wait_for_offer(d, 0, 0);
    assert_int_equal(d->out.order_valid, 1);
    assert_int_equal(d->out.order_kind, kind);
    assert_int_equal(d->out.order_warps, warps);
    d->in.order_ready = 1;
    dut_cycle(d);
}

static void nothing_is_offered(struct dut *d, uint64_t fsm, uint64_t drain)
{
    for (uint32_t n = 0; n < 10; n++) {
        d->in.fsm = fsm;
        d->in.drain = drain;
        dut_cycle(d);
        assert_int_equal(d->out.flush_valid | d->out.order_valid, 0);
    }
}

/* Asks until there is an answer, and returns it. */
static uint64_t evict(struct dut *d, uint64_t entry, uint64_t fsm, uint64_t hold)
{
    do {
        d->in.evict_valid = 1;
        d->in.evict_entry = entry;
        d->in.hold = 1; /* the head stays */
        dut_cycle(d);
        d->in.fsm = fsm;
        d->in.hold = hold;
        dut_cycle(d);
    } while (!d->out.evict_done);
    return d->out.evict_go;
}

/* Section 6.1: pX = a, pY = b, oFence, pX = c. The last write has to wait; another warp's has not. */
static void test_persist_buffer__a_write_after_ofence_conflicts(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        const uint64_t x = write_line(&d, 0, 17);
        const uint64_t y = write_line(&d, 0, 18);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        assert_int_equal(write_again(&d, 1, x), CW_PERSIST_COALESCED);
        assert_int_equal(write_again(&d, 0, y), CW_PERSIST_CONFLICT);
        d.in.hold = 1; /* for the conflict has asked for all */
        assert_int_equal(write_again(&d, 0, x), CW_PERSIST_CONFLICT);
        assert_int_equal(d.out.count, 3);
        take_line(&d, 0, 17);
        assert_int_equal(write_again(&d, 0, x), CW_PERSIST_BUSY); /* it has just left */
        const uint64_t again = write_line(&d, 0, 17);             /* a place behind the oFence */
        assert_int_equal(again, 3);
        take_line(&d, 0, 18);
        take_order(&d, CW_PERSIST_OFENCE, 0x1);
        nothing_is_offered(&d, 0x1, 1);
        take_line(&d, 0, 17);
        dut_cycle(&d);
        assert_int_equal(d.out.empty, 1);
        dut_close(&d);
    }
}

/*
 * Section 6: T0 (warp 0) writes pX; T32 (warp 1) makes an oFence and writes pY. Neither oFence nor FSM of warp 1 is about warp 0, whose
 * later writes coalesce with pX and leave beside.
 */
static void test_persist_buffer__no_false_order(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        const uint64_t x = write_line(&d, 0, 1);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 1), CW_PERSIST_APPENDED);
        assert_int_equal(write_again(&d, 0, x), CW_PERSIST_COALESCED);
        write_line(&d, 0, 3);
        write_line(&d, 1, 2);
        take_line(&d, 0, 1);
        take_order(&d, CW_PERSIST_OFENCE, 0x2);
        take_line(&d, 0x2, 3); /* FSM has warp 1 */
        nothing_is_offered(&d, 0x2, 1);
        take_line(&d, 0, 2);
        dut_close(&d);
    }
}

/* Two warps' oFences with nothing of either between are one entry; a warp that has written since needs another one. */
static void test_persist_buffer__ofences_merge(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        write_line(&d, 0, 1);
        const uint64_t y = write_line(&d, 1, 2);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        assert_int_equal(write_again(&d, 1, y), CW_PERSIST_COALESCED); /* older than the oFence */
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 1), CW_PERSIST_MERGED);
        assert_int_equal(d.out.ins_at, 2);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 1), CW_PERSIST_MERGED); /* is in it already */
        write_line(&d, 2, 3);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 3), CW_PERSIST_MERGED);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 2), CW_PERSIST_APPENDED);
        assert_int_equal(order(&d, CW_PERSIST_DFENCE, 0), CW_PERSIST_APPENDED); /* of another kind */
        take_line(&d, 0, 1);
        take_line(&d, 0, 2);
        take_order(&d, CW_PERSIST_OFENCE, 0xb);
        take_line(&d, 0, 3);
        take_order(&d, CW_PERSIST_OFENCE, 0x4);
        take_order(&d, CW_PERSIST_DFENCE, 0x1);
        dut_close(&d);
    }
}

/*
 * Warp 0 polls (acquires) before warp 1 has released. Its acquire that finds the value is an entry of its own, behind the release: merged
 * into the poll's, it would let warp 0's next persist go before that of warp 1.
 */
static void test_persist_buffer__an_acquire_does_not_merge_ahead_of_a_release(void **state)
{
    static const uint64_t acquire[2] = {CW_PERSIST_ACQ_BLOCK, CW_PERSIST_ACQ_DEV};
    static const uint64_t release[2] = {CW_PERSIST_REL_BLOCK, CW_PERSIST_REL_DEV};
    (void)state;
    for (int n = 0; n < 8; n++) {
        const uint64_t acq = acquire[n >> 1 & 1], rel = release[n >> 2];
        struct dut d;
        dut_open(&d, &sbrp, backends[n & 1]);
        write_line(&d, 2, 7); /* keeps the polls in the buffer */
        assert_int_equal(order(&d, acq, 0), CW_PERSIST_APPENDED);
        assert_int_equal(order(&d, acq, 3), CW_PERSIST_MERGED);
        write_line(&d, 1, 1);
        assert_int_equal(order(&d, acq, 3), CW_PERSIST_MERGED); /* a write of another warp orders nothing */
        assert_int_equal(order(&d, rel, 1), CW_PERSIST_APPENDED);
        assert_int_equal(order(&d, acq, 0), CW_PERSIST_APPENDED);
        write_line(&d, 0, 2);
        take_line(&d, 0, 7);
        take_order(&d, acq, 0x9);
        take_line(&d, 0, 1);
        take_order(&d, rel, 0x2);
        take_order(&d, acq, 0x1);
        nothing_is_offered(&d, 0x3, 1);
        take_line(&d, 0, 2);
        dut_close(&d);
    }
}

static void test_persist_buffer__thirty_two_warps_order_at_once(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        for (uint64_t w = 0; w < 32; w++)
            write_line(&d, w, 100 + w);
        for (uint64_t w = 0; w < 32; w++)
            assert_int_equal(order(&d, CW_PERSIST_OFENCE, w), w == 0 ? CW_PERSIST_APPENDED : CW_PERSIST_MERGED);
        for (uint64_t w = 0; w < 32; w++)
            assert_int_equal(write_again(&d, w, w), CW_PERSIST_CONFLICT);
        for (uint64_t w = 0; w < 32; w++)
            take_line(&d, 0, 100 + w);
        take_order(&d, CW_PERSIST_OFENCE, 0xffffffff);
        dut_cycle(&d);
        assert_int_equal(d.out.empty, 1);
        dut_close(&d);
    }
}

/* A full buffer appends nothing, but coalesces and merges; when the head has left there is room for one. */
static void fill(const params_t *p, enum cw_unit_backend backend)
{
    struct dut d;
    dut_open(&d, p, backend);
    for (uint64_t lap = 0; lap < 3; lap++) {
        for (uint64_t i = 0; i < p->entries; i++)
            assert_int_equal(write_line(&d, i % p->warps, i % 2), (i + lap) % p->entries);
        assert_int_equal(write_again(&d, p->warps - 1, lap % p->entries), CW_PERSIST_COALESCED);
        assert_int_equal(insert(&d, CW_PERSIST_LINE, 0, 0, false, 0), CW_PERSIST_FULL);
        assert_int_equal(d.out.full, 1);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_FULL);
        for (uint64_t i = 0; i < p->entries; i++)
            take_line(&d, 0, i % 2);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        assert_int_equal(d.out.count, 0);
        take_order(&d, CW_PERSIST_OFENCE, 1);
    }
    dut_close(&d);
}

static void test_persist_buffer__one_and_three_entries(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        fill(&minimal, backends[b]);
        fill(&odd, backends[b]);
        fill(&sbrp, backends[b]);
    }
}

/* Section 6.1, Eviction: not past an ordering entry, of whatever warp, nor against FSM, nor while the head waits for FSM. */
static void test_persist_buffer__evictions_keep_the_order(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        const uint64_t first = write_line(&d, 0, 1);
        const uint64_t second = write_line(&d, 1, 2);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        const uint64_t third = write_line(&d, 1, 3);
        assert_int_equal(evict(&d, second, 0x1, 0), 0); /* the head is of warp 0, and waits */
        assert_int_equal(evict(&d, second, 0x3, 0), 0);
        assert_int_equal(evict(&d, second, 0, 1), 0);
        assert_int_equal(evict(&d, third, 0, 0), 0); /* and the head is asked for: it is put on offer */
        assert_int_equal(evict(&d, first, 0, 0), 0);
        assert_int_equal(evict(&d, second, 0x2, 0), 0);
        assert_int_equal(evict(&d, second, 0x1, 0), 1);
        assert_int_equal(evict(&d, second, 0, 0), 0); /* has gone */
        assert_int_equal(write_again(&d, 1, second), CW_PERSIST_BUSY);
        assert_int_equal(d.out.count, 4);
        take_line(&d, 0, 1);
        dut_cycle(&d); /* the second line leaves silently, which takes two cycles */
        dut_cycle(&d);
        take_order(&d, CW_PERSIST_OFENCE, 0x1);
        take_line(&d, 0x1, 3);
        dut_cycle(&d);
        assert_int_equal(d.out.empty, 1);
        const uint64_t fourth = write_line(&d, 2, 4); /* the head itself may go, too */
        assert_int_equal(evict(&d, fourth, 0x3, 0), 1);
        dut_cycle(&d);
        dut_cycle(&d);
        assert_int_equal(d.out.empty, 1);
        dut_close(&d);
    }
}

/* An eviction is asked for in every cycle, and may not go: the head leaves all the same. */
static void test_persist_buffer__an_eviction_storm_does_not_stop_the_head(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t left = 0, asked = 0;
        dut_open(&d, &sbrp, backends[b]);
        for (uint64_t i = 0; i < 20; i++)
            write_line(&d, 0, i);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        const uint64_t behind = write_line(&d, 0, 20);
        for (uint32_t n = 0; n < 60; n++) {
            d.in.drain = 1;
            d.in.evict_valid = 1;
            d.in.evict_entry = behind;
            d.in.flush_ready = 1;
            dut_cycle(&d);
            left += d.out.flush_valid != 0;
            asked += d.out.evict_done != 0;
            assert_int_equal(d.out.evict_go, 0);
        }
        assert_int_equal(left, 20); /* one in three cycles */
        assert_in_range(asked, 38, 40);
        dut_close(&d);
    }
}

/* drain = 0: lines stay until something asks for all that is there. An ordering entry of block scope does not ask, nor does it pass them.
 */
static void test_persist_buffer__lazy_lines_leave_when_they_are_asked_for(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        const uint64_t x = write_line(&d, 0, 1);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        nothing_is_offered(&d, 0, 0);
        assert_int_equal(d.out.demand, 0);
        assert_int_equal(d.out.busy, 0);
        assert_int_equal(write_again(&d, 0, x), CW_PERSIST_CONFLICT);
        write_line(&d, 0, 2); /* comes too late to be asked for */
        assert_int_equal(d.out.demand, 1);
        wait_for_offer(&d, 0, 0);
        assert_int_equal(d.out.flush_line, 1);
        d.in.flush_ready = 1;
        dut_cycle(&d);
        take_order(&d, CW_PERSIST_OFENCE, 0x1);
        nothing_is_offered(&d, 0, 0);
        assert_int_equal(d.out.demand, 0);
        assert_int_equal(order(&d, CW_PERSIST_DFENCE, 0), CW_PERSIST_APPENDED);
        wait_for_offer(&d, 0, 0);
        assert_int_equal(d.out.flush_line, 2);
        d.in.flush_ready = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.demand, 1);
        take_order(&d, CW_PERSIST_DFENCE, 0x1);
        dut_eval(&d);
        assert_int_equal(d.out.demand, 0);
        dut_close(&d);
    }
}

/* What its warp waits for is asked for: a dFence, and an acquire or release of device scope; not what only orders. */
static void test_persist_buffer__what_a_warp_waits_for_is_asked_for(void **state)
{
    static const struct {
        uint64_t kind, asks;
    } orders[] = {{CW_PERSIST_OFENCE, 0},  {CW_PERSIST_ACQ_BLOCK, 0}, {CW_PERSIST_REL_BLOCK, 0},
                  {CW_PERSIST_ACQ_DEV, 1}, {CW_PERSIST_REL_DEV, 1},   {CW_PERSIST_DFENCE, 1}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
            struct dut d;
            dut_open(&d, &sbrp, backends[b]);
            write_line(&d, 0, 1);
            assert_int_equal(order(&d, orders[i].kind, 1), CW_PERSIST_APPENDED); /* another warp's */
            wait_for_offer(&d, 0, 0);
            assert_int_equal(d.out.demand, orders[i].asks);
            assert_int_equal(d.out.flush_valid, orders[i].asks);
            dut_close(&d);
        }
}

/* A warp that waits for an eviction, when nothing is outstanding and nobody else asks: its eviction asks. */
static void test_persist_buffer__an_eviction_that_waits_asks(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        write_line(&d, 0, 1);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        const uint64_t y = write_line(&d, 0, 2);
        assert_int_equal(evict(&d, y, 0, 0), 0);
        wait_for_offer(&d, 0, 0);
        assert_int_equal(d.out.flush_line, 1);
        d.in.flush_ready = 1;
        dut_cycle(&d);
        take_order(&d, CW_PERSIST_OFENCE, 0x1);
        wait_for_offer(&d, 0, 0);
        assert_int_equal(d.out.flush_line, 2);
        dut_close(&d);
    }
}

/* What an insert does in the cycle in which the head would be put on offer: a warp of FSM that joins holds it back, another one does not.
 */
static void test_persist_buffer__a_join_in_the_last_moment_counts(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        for (uint64_t w = 0; w < 2; w++) {
            struct dut d;
            dut_open(&d, &sbrp, backends[b]);
            const uint64_t x = write_line(&d, 4, 1);
            d.in.fsm = 0x1;
            d.in.drain = 1; /* it is asked for while the head is read, and judged when it is in sight */
            assert_int_equal(write_again(&d, w, x), CW_PERSIST_COALESCED);
            dut_eval(&d);
            assert_int_equal(d.out.flush_valid, w == 1);
            dut_close(&d);
        }
    }
}

/* An offer stays as it is, whatever FSM and hold become, and takes no more warps. */
static void test_persist_buffer__an_offer_stays(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        const uint64_t x = write_line(&d, 0, 5);
        wait_for_offer(&d, 0, 1);
        d.in.fsm = 0x1;
        d.in.hold = 1;
        assert_int_equal(write_again(&d, 0, x), CW_PERSIST_BUSY);
        assert_int_equal(d.out.flush_valid, 1);
        take_line(&d, 0x1, 5);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        wait_for_offer(&d, 0, 1);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 1), CW_PERSIST_APPENDED);
        take_order(&d, CW_PERSIST_OFENCE, 0x1);
        take_order(&d, CW_PERSIST_OFENCE, 0x2);
        dut_close(&d);
    }
}

/* One insert per cycle; each is judged a cycle later, when the one before has been carried out, and answered in that cycle alone. */
static void test_persist_buffer__answers_in_the_next_cycle(void **state)
{
    enum { L = CW_PERSIST_LINE, O = CW_PERSIST_OFENCE };
    static const struct {
        uint64_t kind, warp, held, entry, answer, at, count;
    } inserts[] = {{L, 0, 0, 0, CW_PERSIST_APPENDED, 0, 0},  {O, 1, 0, 0, CW_PERSIST_APPENDED, 1, 1},
                   {O, 2, 0, 0, CW_PERSIST_MERGED, 1, 2},    {L, 2, 1, 0, CW_PERSIST_CONFLICT, 0, 2},
                   {L, 3, 1, 0, CW_PERSIST_COALESCED, 0, 2}, {L, 3, 0, 0, CW_PERSIST_APPENDED, 2, 2},
                   {7, 3, 0, 0, CW_PERSIST_BUSY, 0, 3},      {O, 3, 0, 0, CW_PERSIST_APPENDED, 3, 3}};
    enum { INSERTS = sizeof inserts / sizeof inserts[0] };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        for (uint32_t cycle = 0; cycle <= INSERTS + 1; cycle++) {
            d.in.hold = 1;
            if (cycle < INSERTS) {
                d.in.ins_valid = 1;
                d.in.ins_kind = inserts[cycle].kind;
                d.in.ins_warp = inserts[cycle].warp;
                d.in.ins_held = inserts[cycle].held;
                d.in.ins_entry = inserts[cycle].entry;
            }
            dut_cycle(&d);
            const bool answered = cycle > 0 && cycle <= INSERTS;
            assert_int_equal(d.out.ins_answer, answered ? inserts[cycle - 1].answer : 0);
            assert_int_equal(d.out.ins_at, answered ? inserts[cycle - 1].at : 0);
            if (answered)
                assert_int_equal(d.out.count, inserts[cycle - 1].count);
        }
        assert_int_equal(d.out.count, 4);
        nothing_is_offered(&d, 0x8, 1); /* warp 3 has joined the line */
        take_line(&d, 0, 0);
        take_order(&d, CW_PERSIST_OFENCE, 0x6);
        dut_close(&d);
    }
}

/* Not written again: what there is not, an ordering entry, an index that no entry has, a line whose eviction is being answered. */
static void test_persist_buffer__what_is_no_line_is_busy(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        assert_int_equal(write_again(&d, 0, 0), CW_PERSIST_BUSY);
        assert_int_equal(order(&d, CW_PERSIST_REL_BLOCK, 1), CW_PERSIST_APPENDED);
        assert_int_equal(write_line(&d, 2, 1), 1);
        for (uint64_t entry = 0; entry < 4; entry++)
            assert_int_equal(write_again(&d, 0, entry), entry == 1 ? CW_PERSIST_COALESCED : CW_PERSIST_BUSY);
        assert_int_equal(insert(&d, 7, 0, 0, false, 0), CW_PERSIST_BUSY);
        assert_int_equal(d.out.count, 2);
        take_order(&d, CW_PERSIST_REL_BLOCK, 0x2);
        for (uint32_t i = 0; i < 4; i++)
            dut_cycle(&d); /* the head is in sight */
        d.in.evict_valid = d.in.ins_valid = d.in.ins_held = 1;
        d.in.evict_entry = d.in.ins_entry = 1;
        d.in.ins_kind = CW_PERSIST_LINE;
        dut_cycle(&d);
        d.in.hold = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.evict_done, 1);
        assert_int_equal(d.out.evict_go, 0);
        assert_int_equal(d.out.ins_answer, CW_PERSIST_BUSY);
        d.in.hold = 1;
        assert_int_equal(write_again(&d, 0, 1), CW_PERSIST_COALESCED);
        dut_close(&d);
    }
}

/* Five warps: 5 to 7 are none. What they write or order has an empty mask, waits for nobody, and nobody is passed. */
static void test_persist_buffer__a_warp_that_there_is_not(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        const uint64_t x = write_line(&d, 7, 1);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 6), CW_PERSIST_APPENDED);
        assert_int_equal(write_line(&d, 6, 2), 2);
        assert_int_equal(write_again(&d, 6, x), CW_PERSIST_COALESCED);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 6), CW_PERSIST_MERGED);
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 5), CW_PERSIST_MERGED);
        take_line(&d, 0x1f, 1);
        take_order(&d, CW_PERSIST_OFENCE, 0);
        take_line(&d, 0x1f, 2);
        dut_close(&d);
    }
}

/* What leaves in the cycle of the answer is still there. And full asks for all. */
static void test_persist_buffer__full_is_what_is_there_now(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t line = 0; line < 3; line++)
            write_line(&d, line, line);
        wait_for_offer(&d, 0, 1);
        assert_int_equal(d.out.demand, 0);
        d.in.ins_valid = 1;
        dut_cycle(&d);
        d.in.flush_ready = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.ins_answer, CW_PERSIST_FULL);
        assert_int_equal(d.out.ins_at, 0);
        dut_eval(&d);
        assert_int_equal(d.out.count, 2);
        assert_int_equal(d.out.demand, 1);
        assert_int_equal(write_line(&d, 3, 3), 0);
        for (uint64_t line = 1; line < 3; line++) {
            wait_for_offer(&d, 0, 0);
            assert_int_equal(d.out.flush_valid, 1);
            assert_int_equal(d.out.flush_line, line);
            d.in.flush_ready = 1;
            dut_cycle(&d);
        }
        nothing_is_offered(&d, 0, 0); /* line 3 came later */
        dut_close(&d);
    }
}

/*
 * The line is appended in cycle 1 and read in 2, so what is asked then has no answer; asked in 3, it goes in 4. It is the head, which is not put
 * on offer while its eviction is being answered, keeps its place in 5, and leaves silently.
 */
static void test_persist_buffer__an_eviction_is_asked_for_again(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        for (uint32_t cycle = 0; cycle < 8; cycle++) {
            d.in.ins_valid = cycle == 0;
            d.in.evict_valid = cycle >= 1 && cycle <= 3;
            d.in.drain = cycle >= 4;
            dut_cycle(&d);
            assert_int_equal(d.out.evict_done, cycle == 4);
            assert_int_equal(d.out.evict_go, cycle == 4);
            assert_int_equal(d.out.flush_valid, 0);
            assert_int_equal(d.out.count, cycle >= 2 && cycle <= 5);
        }
        assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
        assert_int_equal(evict(&d, 1, 0, 0), 0); /* is no line */
        assert_int_equal(evict(&d, 77, 0, 0), 0);
        dut_close(&d);
    }
}

/*
 * A line, an oFence and a line are appended in cycles 1 to 3. Each is read in the cycle after the one before it has left, is in sight in the next
 * and on offer in the third. A warp joins the oFence in cycle 6, in which it is put on offer; the one that comes in 7 is too late.
 */
static void test_persist_buffer__the_head_in_time(void **state)
{
    static const uint64_t kinds[] = {CW_PERSIST_LINE, CW_PERSIST_OFENCE, CW_PERSIST_LINE};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        for (uint32_t cycle = 0; cycle < 16; cycle++) {
            d.in.ins_valid = cycle < 3 || cycle == 5 || cycle == 6;
            d.in.ins_kind = cycle < 3 ? kinds[cycle] : (uint64_t)CW_PERSIST_OFENCE;
            d.in.ins_warp = d.in.ins_line = cycle;
            d.in.drain = d.in.flush_ready = d.in.order_ready = 1;
            dut_cycle(&d);
            assert_int_equal(d.out.flush_valid, cycle == 4 || cycle == 10);
            assert_int_equal(d.out.flush_line, cycle == 10 ? 2 : 0);
            assert_int_equal(d.out.flush_entry, cycle == 10 ? 2 : 0);
            assert_int_equal(d.out.order_valid, cycle == 7 || cycle == 13);
            assert_int_equal(d.out.order_warps, cycle == 7 ? 1 << 1 | 1 << 5 : cycle == 13 ? 1 << 6 : 0);
            assert_int_equal(d.out.order_kind, d.out.order_valid ? CW_PERSIST_OFENCE : 0);
            assert_int_equal(d.out.ins_answer, cycle == 6 ? CW_PERSIST_MERGED : CW_PERSIST_APPENDED);
            assert_int_equal(d.out.empty, cycle < 2 || cycle == 14 || cycle == 15);
        }
        dut_close(&d);
    }
}

/* A buffer with lines, an ordering entry on offer, an insert and an eviction under way. */
static void test_persist_buffer__a_reset_empties(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        out_t none = {.empty = 1};
        dut_open(&d, &odd, backends[b]);
        assert_int_equal(order(&d, CW_PERSIST_DFENCE, 0), CW_PERSIST_APPENDED);
        write_line(&d, 0, 1);
        write_line(&d, 1, 2);
        wait_for_offer(&d, 0, 1);
        assert_int_equal(d.out.order_valid & d.out.demand, 1);
        d.in.ins_valid = d.in.evict_valid = 1;
        d.in.ins_kind = CW_PERSIST_OFENCE;
        d.in.evict_entry = 1;
        dut_cycle(&d);
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        assert_memory_equal(&d.out, &none, sizeof none);
        for (uint64_t entry = 0; entry < 3; entry++)
            assert_int_equal(write_again(&d, 0, entry), CW_PERSIST_BUSY);
        assert_int_equal(write_line(&d, 0, 1), 0);
        assert_int_equal(write_again(&d, 0, 0), CW_PERSIST_COALESCED);
        assert_int_equal(order(&d, CW_PERSIST_DFENCE, 1), CW_PERSIST_APPENDED);
        assert_int_equal(d.out.ins_at, 1);
        dut_close(&d);
    }
}

/* The outputs with these inputs, but busy and evict_go, are those that d->out has. */
static void ports_are(struct dut *d, uint64_t fsm, uint64_t hold, uint64_t drain, uint64_t evict_go, uint64_t busy)
{
    out_t before = d->out;
    d->in.fsm = fsm;
    d->in.hold = hold;
    d->in.drain = drain;
    dut_eval(d);
    assert_int_equal(d->out.evict_go, evict_go);
    assert_int_equal(d->out.busy, busy);
    before.evict_go = evict_go;
    before.busy = busy;
    assert_memory_equal(&d->out, &before, sizeof before);
}

/* fsm, hold and drain are seen in their own cycle by busy, which is 1 while the head can go on, and by evict_go, and by nothing else. */
static void test_persist_buffer__within_a_cycle(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &sbrp, backends[b]);
        write_line(&d, 0, 5); /* is read in the next cycle */
        for (uint32_t cycle = 0; cycle < 3; cycle++) {
            dut_cycle(&d);
            assert_int_equal(d.out.busy, cycle < 2); /* read, in sight */
        }
        dut_eval(&d);
        ports_are(&d, 0, 0, 1, 0, 1);
        ports_are(&d, 0, 1, 1, 0, 0);
        ports_are(&d, 1, 0, 1, 0, 0);
        ports_are(&d, 2, 0, 1, 0, 1);
        ports_are(&d, 0, 0, 0, 0, 0);
        for (uint32_t cycle = 0; cycle < 5; cycle++) {
            ports_are(&d, 0, 1, 1, 0, 0);
            dut_tick(&d);
            dut_eval(&d);
        }
        d.in.evict_valid = 1;
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.evict_done, 1);
        ports_are(&d, 1, 0, 0, 0, 1);
        ports_are(&d, 0, 1, 0, 0, 1);
        ports_are(&d, 2, 0, 1, 1, 1);
        dut_close(&d);
    }
}

/* A conflict asks for all with the eager policy, too. */
static void test_persist_buffer__a_demand_does_not_depend_on_drain(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t drain = 0; drain < 2; drain++) {
            struct dut d;
            dut_open(&d, &sbrp, backends[b]);
            d.in.hold = 1;
            write_line(&d, 0, 5);
            d.in.hold = 1;
            assert_int_equal(order(&d, CW_PERSIST_OFENCE, 0), CW_PERSIST_APPENDED);
            d.in.hold = 1;
            d.in.drain = drain;
            assert_int_equal(write_again(&d, 0, 0), CW_PERSIST_CONFLICT);
            assert_int_equal(d.out.demand, 0);
            d.in.hold = 1;
            d.in.drain = drain;
            dut_eval(&d);
            assert_int_equal(d.out.demand, 1);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_persist_buffer__fills),
    cmocka_unit_test(test_persist_buffer__c_equals_rtl),
    cmocka_unit_test(test_persist_buffer__broken_copies_are_caught),
    cmocka_unit_test(test_persist_buffer__a_write_after_ofence_conflicts),
    cmocka_unit_test(test_persist_buffer__no_false_order),
    cmocka_unit_test(test_persist_buffer__ofences_merge),
    cmocka_unit_test(test_persist_buffer__an_acquire_does_not_merge_ahead_of_a_release),
    cmocka_unit_test(test_persist_buffer__thirty_two_warps_order_at_once),
    cmocka_unit_test(test_persist_buffer__one_and_three_entries),
    cmocka_unit_test(test_persist_buffer__evictions_keep_the_order),
    cmocka_unit_test(test_persist_buffer__an_eviction_storm_does_not_stop_the_head),
    cmocka_unit_test(test_persist_buffer__lazy_lines_leave_when_they_are_asked_for),
    cmocka_unit_test(test_persist_buffer__what_a_warp_waits_for_is_asked_for),
    cmocka_unit_test(test_persist_buffer__an_eviction_that_waits_asks),
    cmocka_unit_test(test_persist_buffer__a_join_in_the_last_moment_counts),
    cmocka_unit_test(test_persist_buffer__an_offer_stays),
    cmocka_unit_test(test_persist_buffer__answers_in_the_next_cycle),
    cmocka_unit_test(test_persist_buffer__what_is_no_line_is_busy),
    cmocka_unit_test(test_persist_buffer__a_warp_that_there_is_not),
    cmocka_unit_test(test_persist_buffer__full_is_what_is_there_now),
    cmocka_unit_test(test_persist_buffer__an_eviction_is_asked_for_again),
    cmocka_unit_test(test_persist_buffer__the_head_in_time),
    cmocka_unit_test(test_persist_buffer__a_reset_empties),
    cmocka_unit_test(test_persist_buffer__within_a_cycle),
    cmocka_unit_test(test_persist_buffer__a_demand_does_not_depend_on_drain),
};
CW_TEST_MAIN(tests)
