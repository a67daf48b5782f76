/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation unit: C model and RTL in lockstep, broken copies, directed tests of each rule of GETM's Figure 6 on both, and
 * random transactions judged by an oracle that knows the protocol's rules and nothing of tables or cycles.
 */
#include "cowarp/unit/validation_unit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_validation_unit_params params_t;
typedef struct cw_validation_unit_in in_t;
typedef struct cw_validation_unit_out out_t;

#include "overflow_memory.h"

/* A unit, the memory of its overflow area, and what was seen of it. */
#define DUT_OWN                          \
    struct overflow_memory memory;       \
    bool hold_responses, no_spill;       \
    struct {                             \
        uint64_t id, outcome, ts, cycle; \
    } response[64];                      \
    uint32_t responses;                  \
    uint32_t evictions, stashed, overflowed, stalls, retries, slowest;
#define DUT_UNIT    cw_validation_unit_unit
#define DUT_NEXT(d) ((in_t){.drain = (d)->in.drain})
#include "dut.h"
#include "fill/validation_unit.h"

/*                               ts  gran own cnt id row stash swaps bloom copies lines entries overflow evict_fill */
static const params_t getm = {32, 30, 12, 16, 10, 8, 4, 32, 6, 2, 4, 4, 12, 11};
static const params_t minimal = {4, 8, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
static const params_t odd = {9, 37, 7, 5, 6, 2, 3, 5, 3, 2, 3, 5, 4, 16};
static const params_t evicting = {32, 30, 12, 16, 10, 2, 2, 2, 6, 1, 4, 4, 8, 0};
static const params_t tiny = {32, 30, 12, 16, 10, 1, 1, 2, 3, 2, 16, 16, 8, 0};
static const params_t roomy = {32, 30, 12, 16, 10, 10, 4, 32, 6, 2, 16, 16, 12, 16};
static const params_t largest = {48, 32, 16, 16, 16, 12, 16, 255, 12, 2, 16, 16, 20, 16};

/* Lockstep ------------------------------------------------------------------------------------------------------------ */

/* Where the stimulus is. */
struct phase {
    struct overflow_memory memory; /* from the inputs and outputs of the cycle before */
    uint64_t now;                  /* logical time around which timestamps are drawn */
    uint64_t factor;               /* of a granule's number: with a large one, all of its bits are used, as are those of an owner */
    uint32_t granules, stores, spills;
    uint32_t drain_cycles; /* left of a drain */
};

/*
 * Another mixture: of eight requests so many are stores and the rest mostly releases, and of eight stores so many may use the overflow
 * area. Where stores are many the table fills with reserved entries, up to the overflow area, which a later phase of releases empties.
 */
static void start_phase(struct phase *phase, struct cw_rng *rng)
{
    static const uint32_t stores[] = {1, 2, 2, 2, 4, 6};
    phase->granules = 4u << cw_rng_below(rng, 5);
    phase->factor = cw_rng_below(rng, 2) == 0 ? 1 : 0x9e3779b97f4a7c15u;
    phase->stores = stores[cw_rng_below(rng, 6)];
    phase->spills = cw_rng_below(rng, 3) * 4;
    if (cw_rng_below(rng, 4) == 0)
        phase->now = cw_rng_next(rng) >> cw_rng_below(rng, 64);
}

/* Makes traffic of the stimulus: few granules, timestamps near each other, releases that fit, a memory that remembers. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    uint32_t owner = cw_rng_below(rng, 4);
    if (phase->granules == 0 || cw_rng_below(rng, 512) == 0)
        start_phase(phase, rng);
    if (cw_rng_below(rng, 8) == 0)
        phase->now++;
    if (cw_rng_below(rng, 64) != 0) {
        in->req_granule = cw_rng_below(rng, cw_rng_below(rng, 4) ? phase->granules : 7) * phase->factor;
        in->req_owner = phase->factor == 1 ? owner : ~(uint64_t)owner;
        in->req_warpts = phase->now + cw_rng_below(rng, 8);
        in->req_count = cw_rng_below(rng, 4) == 0 ? 1 : UINT64_MAX;
        in->req_spill = cw_rng_below(rng, 8) < phase->spills;
        uint32_t kind = cw_rng_below(rng, 8);
        in->req_kind = kind < phase->stores ? CW_VU_STORE : kind < 5 ? CW_VU_LOAD : CW_VU_RELEASE;
        if (phase->stores > 4 && in->req_kind == CW_VU_RELEASE && cw_rng_below(rng, 4) != 0)
            in->req_kind = CW_VU_STORE;
    }
    if (cw_rng_below(rng, 512) == 0)
        phase->drain_cycles = 32; /* until all that waits has been retried, as a rollover does it */
    if (phase->drain_cycles > 0)
        phase->drain_cycles--;
    else if (cw_rng_below(rng, 16) != 0)
        in->drain = 0;
    if (phase->drain_cycles > 0)
        in->drain = 1;
    if (cw_rng_below(rng, 64) != 0)
        in->flush = 0;
    overflow_memory_step(&phase->memory, last_out, in, cw_rng_below(rng, 3) == 0);
    phase->memory.last_in = *in;
}

static const struct cw_lockstep_set sets[] = {
    {"getm", &getm, 1024}, {"minimal", &minimal, 128}, {"odd", &odd, 256}, {"evicting", &evicting, 256}, {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_validation_unit_unit, sets, 5, constrain, &lockstep_phase};

static void test_validation_unit__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_validation_unit__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"with one copy, an eviction does not take the port", "cw_validation_unit", "BLOOM_COPIES == 2 || !evict_valid;", "1'b1;", 3},
        {"load checks rts too", "cw_validation_decide", "wts_later_i || (store && rts_later_i)", "wts_later_i || rts_later_i", 2},
        {"a store sets rts as well", "cw_validation_decide", "rts_set_o    = !store && !rts_later_i", "rts_set_o    = !rts_later_i", 2},
        {"request taken before a retry", "cw_validation_unit", "assign req_ready_o = open && !stall_pending;",
         "assign req_ready_o = open && !retry_valid;", 2},
        {"a retry among others", "cw_validation_unit", "retry_valid && inside_cnt_q == 4'd0", "retry_valid && inside_cnt_q <= 4'd1", 2},
        {"line not put back to sleep", "cw_validation_unit", ".done_sleep_i   (w_stall)", ".done_sleep_i   (w_stall && w_wake)", 2},
        {"a retried request does not end with the drain", "cw_validation_decide", "(retried_i || must_wait)", "must_wait", 2},
        {"two pushes too close", "cw_validation_unit", "assign res_again = (w_push || v_push)", "assign res_again = (w_push)", 2},
        {"any store may spill", "cw_validation_unit", "res_room && (res_easy || cur_spill)", "res_room || (res_easy && cur_spill)", 3},
        {"no store may spill", "cw_validation_unit", "res_room && (res_easy || cur_spill)", "res_room && res_easy", 3},
        {"a sleeping store forgets that it may spill", "cw_validation_answer", "{w_spill_q, w_store_q, w_owner_q, w_id_q}",
         "{1'b0 & w_spill_q, w_store_q, w_owner_q, w_id_q}", 3},
        {"an abort tells wts only", "cw_validation_answer", "w_store_q && w_rts_q > w_wts_q ?", "w_store_q && w_rts_q < w_wts_q ?", 2},
        {"one response too many", "cw_validation_unit", "bloom_lkp_ready && !open_cnt_q[3];", "bloom_lkp_ready && open_cnt_q < 4'd9;", 2},
        {"one response too few", "cw_validation_unit", "bloom_lkp_ready && !open_cnt_q[3];", "bloom_lkp_ready && open_cnt_q < 4'd7;", 2},
        {"no wake-up", "cw_validation_decide", "wake_o       = release_req && reserved", "wake_o       = 1'b0 && release_req && reserved",
         2},
        {"the filter forgets writes", "cw_validation_unit", ".ins_v0_i   (evict_wts),", ".ins_v0_i   (evict_wts & {TS_W{1'b0}}),", 3},
        {"an owner's load leaves no time", "cw_validation_decide", "own_goes || fresh);", "(own_goes && store) || fresh);", 2},
        {"a full buffer takes a request", "cw_validation_decide", "(retried_i || place_i)", "(retried_i || place_i || 1'b1)", 2},
        {"a release gives all back", "cw_validation_decide", ": writes - count;", ": writes - writes;", 2},
        {"an entry of the overflow area stays", "cw_cuckoo_write", "removes    = memory && unreserved;",
         "removes    = memory && unreserved && 1'b0;", 3},
        {"a retried store waits again", "cw_validation_unit", ".done_sleep_i   (w_stall)",
         ".done_sleep_i   (w_stall || w_payload[OWNER_W+ID_W])", 2},
        {"a release is answered", "cw_validation_decide", "answer_o     = !release_req && !stall_o;", "answer_o     = !stall_o;", 2},
        {"the last time is as others", "cw_validation_decide", "(!release_req && last_ts_i)", "(!release_req && last_ts_i && drain_i)", 1},
        {"a write beyond the count succeeds", "cw_validation_decide", "own_full  = access &&", "own_full  = 1'b0 && access &&", 1},
        {"a decision is known late", "cw_validation_unit", ".forward_i    (res_forward),", ".forward_i    (1'b0 & res_forward),", 2},
        {"a response waits for the next", "cw_validation_unit", "rsp_valid_o = rsp_cnt != 4'd0;", "rsp_valid_o = rsp_cnt > 4'd1;", 2},
        {"a success shows a time", "cw_validation_answer", "SUCCESS ? {TS_W{1'b0}} : w_warpts_q", "SUCCESS ? w_cause : w_warpts_q", 2},
        {"a release of what is free makes an entry", "cw_validation_decide", "((release_req && reserved) ||",
         "((release_req && (reserved || room_i)) ||", 2},
        {"kind 3 is none", "cw_validation_decide", "release_req   = kind_i[1];", "release_req   = kind_i == 2'd2;", 2},
        {"a flush while requests sleep", "cw_validation_unit", "!req_valid_i && stall_occupancy_o == 9'd0;", "!req_valid_i;", 2},
        {"rollover is seen late", "cw_validation_unit", "&req_warpts_i[TS_W-1-:3]", "&req_warpts_i[TS_W-1-:4]", 2},
        {"idle with a request to carry out", "cw_validation_unit", "|| open_cnt_q != 4'd0 || w_valid ||", "|| w_valid ||", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* One unit of one backend ------------------------------------------------------------------------------------------------ */

/* One cycle with a memory that answers in the next one. */
static void cycle(struct dut *d)
{
    d->in.rsp_ready = !d->hold_responses;
    d->in.mem_ready = 1;
    overflow_memory_step(&d->memory, &d->out, &d->in, true);
    dut_eval(d);
    if (d->out.rsp_valid && d->in.rsp_ready) {
        assert_true(d->responses < 64);
        d->response[d->responses].id = d->out.rsp_id;
        d->response[d->responses].outcome = d->out.rsp_outcome;
        d->response[d->responses].ts = d->out.rsp_ts;
        d->response[d->responses++].cycle = d->cycle;
    }
    d->evictions += (uint32_t)d->out.evt_evict;
    d->stashed += (uint32_t)d->out.evt_stash;
    d->overflowed += (uint32_t)d->out.evt_overflow;
    d->stalls += (uint32_t)d->out.evt_stall;
    d->retries += (uint32_t)d->out.evt_retry;
    if (d->out.evt_table_cycles > d->slowest)
        d->slowest = (uint32_t)d->out.evt_table_cycles;
    d->memory.last_in = d->in;
    dut_tick(d);
}

static void dut_settle(struct dut *d)
{
    uint32_t limit = 100000;
    do
        cycle(d);
    while (d->out.busy && --limit > 0);
    assert_true(limit > 0);
}

static struct dut *open_settled(const params_t *p, enum cw_unit_backend backend)
{
    struct dut *d = dut_new(p, backend);
    dut_settle(d);
    return d;
}

/* Presents a request until it is accepted. */
static void dut_send(struct dut *d, enum cw_vu_kind kind, uint64_t granule, uint64_t warpts, uint64_t owner, uint64_t id)
{
    for (uint32_t i = 0; i < 1000; i++) {
        d->in.req_valid = 1;
        d->in.req_kind = kind;
        d->in.req_granule = granule;
        d->in.req_warpts = warpts;
        d->in.req_owner = owner;
        d->in.req_id = id;
        d->in.req_count = 1;
        d->in.req_spill = !d->no_spill;
        cycle(d);
        if (d->out.req_ready)
            return;
    }
    fail_msg("request %u of granule %u was not accepted", (unsigned)id, (unsigned)granule);
}

#define STALLED 9 /* beside enum cw_vu_outcome: no response */

/* One request on its own; its outcome. */
static uint64_t dut_do(struct dut *d, enum cw_vu_kind kind, uint64_t granule, uint64_t warpts, uint64_t owner, uint64_t *ts)
{
    d->responses = 0;
    dut_send(d, kind, granule, warpts, owner, 0);
    dut_settle(d);
    if (d->responses == 0)
        return STALLED;
    *ts = d->response[0].ts;
    return d->response[0].outcome;
}

#define EXPECT(kind, granule, warpts, owner, want, want_ts)                              \
    do {                                                                                 \
        uint64_t ts_ = 0;                                                                \
        assert_int_equal(dut_do(d, (kind), (granule), (warpts), (owner), &ts_), (want)); \
        assert_int_equal(ts_, (want_ts));                                                \
    } while (0)

#define LOAD    CW_VU_LOAD
#define STORE   CW_VU_STORE
#define SUCCESS CW_VU_SUCCESS
#define ABORT   CW_VU_ABORT

/* Directed -------------------------------------------------------------------------------------------------------------- */

/* GETM section IV.B, Figure 7: tx1 starts at 20, tx2 at 10. A third warp at time 0 looks at the timestamps: its accesses abort and
 * so change nothing. */
static void test_validation_unit__figure_7(void **state)
{
    enum { A = 100, B = 200, TX1 = 1, TX2 = 2, LOOK = 3 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        EXPECT(LOAD, A, 20, TX1, SUCCESS, 0);
        EXPECT(STORE, A, 0, LOOK, ABORT, 20); /* A.rts = 20 */
        EXPECT(STORE, A, 20, TX1, SUCCESS, 0);
        EXPECT(LOAD, B, 10, TX2, SUCCESS, 0);
        EXPECT(STORE, B, 0, LOOK, ABORT, 10); /* B.rts = 10 */
        EXPECT(STORE, B, 10, TX2, SUCCESS, 0);
        EXPECT(LOAD, A, 0, LOOK, ABORT, 21); /* table 1: A.wts = 21, B.wts = 11 */
        EXPECT(LOAD, B, 0, LOOK, ABORT, 11);
        EXPECT(LOAD, A, 10, TX2, ABORT, 21); /* tx2 must restart later than 21 */
        EXPECT(CW_VU_RELEASE, B, 0, TX2, STALLED, 0);
        EXPECT(LOAD, B, 20, TX1, SUCCESS, 0);
        EXPECT(STORE, B, 20, TX1, SUCCESS, 0);
        EXPECT(LOAD, B, 0, LOOK, ABORT, 21); /* table 2 */
        EXPECT(LOAD, B, 22, TX2, STALLED, 0);
        EXPECT(CW_VU_RELEASE, A, 0, TX1, STALLED, 0); /* B is still reserved: tx2 sleeps on */
        EXPECT(CW_VU_RELEASE, B, 0, TX1, SUCCESS, 0); /* the answer is that of tx2's load */
        EXPECT(STORE, B, 0, LOOK, ABORT, 22);
        EXPECT(STORE, A, 22, TX2, SUCCESS, 0);
        dut_delete(d);
    }
}

static void test_validation_unit__each_branch_of_figure_6(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        EXPECT(STORE, 1, 5, 1, SUCCESS, 0);         /* unreserved store: wts 6 */
        EXPECT(STORE, 1, 5, 1, SUCCESS, 0);         /* owner's store: writes 2, wts stays */
        EXPECT(LOAD, 1, 9, 1, SUCCESS, 0);          /* owner's load: rts 9 */
        EXPECT(LOAD, 1, 5, 2, ABORT, 6);            /* load older than the write */
        EXPECT(STORE, 1, 8, 2, ABORT, 9);           /* store older than the read */
        EXPECT(LOAD, 1, 6, 2, STALLED, 0);          /* not older than the write, but reserved */
        EXPECT(CW_VU_RELEASE, 1, 0, 1, STALLED, 0); /* one of two writes */
        EXPECT(CW_VU_RELEASE, 1, 0, 1, SUCCESS, 0); /* the last: the load goes on */
        EXPECT(STORE, 1, 9, 3, SUCCESS, 0);         /* as late as the last read: allowed; wts 10 */
        EXPECT(LOAD, 1, 9, 4, ABORT, 10);
        EXPECT(CW_VU_RELEASE, 1, 0, 3, STALLED, 0);
        EXPECT(LOAD, 1, 10, 4, SUCCESS, 0); /* unreserved load: rts 10 */
        EXPECT(LOAD, 1, 12, 5, SUCCESS, 0);
        EXPECT(LOAD, 1, 11, 4, SUCCESS, 0); /* a load may be older than another load: rts stays 12 */
        EXPECT(STORE, 1, 11, 4, ABORT, 12);
        EXPECT(CW_VU_RELEASE, 2, 0, 4, STALLED, 0); /* of a granule that nobody knows: nothing */
        EXPECT(LOAD, 2, 0, 4, SUCCESS, 0);
        assert_int_equal(d->stalls, 1);
        assert_int_equal(d->retries, 1);
        dut_delete(d);
    }
}

static void test_validation_unit__kind_3_releases(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        EXPECT(STORE, 1, 5, 1, SUCCESS, 0);
        EXPECT(LOAD, 1, 6, 2, STALLED, 0);
        EXPECT(3, 1, 0, 1, SUCCESS, 0); /* the answer is that of the load */
        assert_int_equal(d->responses, 1);
        dut_delete(d);
    }
}

static void test_validation_unit__release_counts_writes(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&odd, backends[b]); /* count_w = 5 */
        for (int i = 0; i < 31; i++)
            EXPECT(STORE, 7, 1, 1, SUCCESS, 0);
        EXPECT(STORE, 7, 1, 1, CW_VU_FULL, 1); /* a 32nd write cannot be counted */
        for (int i = 0; i < 30; i++)
            EXPECT(CW_VU_RELEASE, 7, 0, 1, STALLED, 0);
        EXPECT(LOAD, 7, 2, 2, STALLED, 0);
        EXPECT(CW_VU_RELEASE, 7, 0, 1, SUCCESS, 0);
        EXPECT(CW_VU_RELEASE, 7, 0, 1, STALLED, 0); /* never below 0 */
        EXPECT(STORE, 7, 2, 2, SUCCESS, 0);
        dut_delete(d);
    }
}

/* Waiting requests return in the order of their warpts, of equal ones the oldest first; a reservation ends the retries. */
static void test_validation_unit__wakes_the_oldest_first(void **state)
{
    static const uint64_t load_ts[] = {30, 25, 27, 25};
    static const uint64_t want[] = {1, 3, 2, 0};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        EXPECT(STORE, 4, 20, 1, SUCCESS, 0);
        for (uint32_t i = 0; i < 4; i++)
            dut_send(d, LOAD, 4, load_ts[i], 2 + i, i);
        dut_settle(d);
        assert_int_equal(d->out.stall_occupancy, 4);
        assert_int_equal(d->out.stall_lines_used, 1);
        d->responses = 0;
        dut_send(d, CW_VU_RELEASE, 4, 0, 1, 0);
        dut_settle(d);
        assert_int_equal(d->responses, 4);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(d->response[i].id, want[i]);
            assert_int_equal(d->response[i].outcome, SUCCESS);
        }
        EXPECT(STORE, 5, 40, 1, SUCCESS, 0);
        EXPECT(STORE, 5, 41, 2, STALLED, 0);
        EXPECT(LOAD, 5, 45, 3, STALLED, 0);
        EXPECT(CW_VU_RELEASE, 5, 0, 1, SUCCESS, 0); /* owner 2's store; owner 3's load waits for owner 2 now */
        assert_int_equal(d->responses, 1);
        assert_int_equal(d->out.stall_occupancy, 1);
        EXPECT(CW_VU_RELEASE, 5, 0, 2, SUCCESS, 0);
        assert_int_equal(d->out.stall_occupancy, 0);
        dut_delete(d);
    }
}

/* Two requests of one warp wait for the same granule. The warp cannot release before both have been answered. */
static void test_validation_unit__a_warp_does_not_wait_for_itself(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        EXPECT(STORE, 4, 20, 1, SUCCESS, 0);
        EXPECT(STORE, 4, 22, 2, STALLED, 0);
        EXPECT(LOAD, 4, 22, 2, STALLED, 0);
        EXPECT(CW_VU_RELEASE, 4, 0, 1, SUCCESS, 0);
        assert_int_equal(d->responses, 2);
        assert_int_equal(d->response[1].outcome, SUCCESS);
        dut_delete(d);
    }
}

static void test_validation_unit__full_stall_buffer_aborts(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&odd, backends[b]); /* 3 lines of 5 */
        for (uint64_t g = 1; g <= 4; g++)
            EXPECT(STORE, g, 1, 1, SUCCESS, 0);
        for (int i = 0; i < 5; i++)
            EXPECT(LOAD, 1, 9, 2, STALLED, 0);
        EXPECT(LOAD, 1, 9, 2, CW_VU_FULL, 9); /* the line is full */
        EXPECT(LOAD, 2, 9, 2, STALLED, 0);
        EXPECT(LOAD, 3, 9, 2, STALLED, 0);
        EXPECT(STORE, 4, 10, 2, CW_VU_FULL, 10); /* no line is left */
        EXPECT(LOAD, 1, 1, 2, ABORT, 2);         /* the timestamp check comes first */
        dut_delete(d);
    }
}

static void test_validation_unit__rollover_drain_and_flush(void **state)
{
    uint64_t last = 511; /* ts_w = 9 */
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&odd, backends[b]);
        EXPECT(STORE, 1, 447, 1, SUCCESS, 0);
        assert_int_equal(d->out.rollover, 0);
        EXPECT(STORE, 2, 448, 2, SUCCESS, 0);
        assert_int_equal(d->out.rollover, 1);
        EXPECT(LOAD, 3, last, 2, CW_VU_ROLLOVER, last);
        EXPECT(LOAD, 1, 450, 3, STALLED, 0);
        d->in.flush = 1; /* not with a waiting request: ignored */
        dut_settle(d);
        assert_int_equal(d->out.rollover, 1);
        d->responses = 0;
        d->in.drain = 1;
        dut_settle(d);
        for (int i = 0; i < 20; i++)
            cycle(d);
        assert_int_equal(d->responses, 1);
        assert_int_equal(d->response[0].outcome, CW_VU_ROLLOVER);
        assert_int_equal(d->out.stall_occupancy, 0);
        d->in.req_valid = 1;
        d->in.req_granule = 1;
        d->in.req_warpts = 455;
        d->in.req_owner = 3;
        for (int i = 0; i < 8; i++)
            cycle(d);
        assert_int_equal(d->responses, 2); /* would stall */
        assert_int_equal(d->response[1].outcome, CW_VU_ROLLOVER);
        d->in.drain = 0;
        dut_settle(d);
        cycle(d);
        d->in.flush = 1;
        cycle(d);
        dut_settle(d);
        assert_int_equal(d->out.rollover, 0);
        EXPECT(STORE, 1, 0, 5, SUCCESS, 0); /* all is forgotten */
        EXPECT(STORE, 2, 0, 5, SUCCESS, 0);
        dut_delete(d);
    }
}

/* While the unit is drained, a request that comes from the stall buffer is sent away even if it could succeed, and changes nothing. */
static void test_validation_unit__a_drained_unit_sends_retries_away(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        EXPECT(STORE, 6, 10, 1, SUCCESS, 0);
        EXPECT(LOAD, 6, 30, 2, STALLED, 0);
        d->responses = 0;
        d->in.drain = 1;
        dut_send(d, CW_VU_RELEASE, 6, 0, 1, 0);
        for (int i = 0; i < 20; i++)
            cycle(d);
        assert_int_equal(d->responses, 1);
        assert_int_equal(d->response[0].outcome, CW_VU_ROLLOVER);
        assert_int_equal(d->response[0].ts, 30);
        d->in.drain = 0;
        dut_settle(d);
        EXPECT(STORE, 6, 20, 3, SUCCESS, 0); /* the load has left no trace */
        dut_delete(d);
    }
}

/* Eight responses are kept, no more requests are taken, and nothing moves until the first is taken. */
static void test_validation_unit__back_pressure(void **state)
{
    uint32_t accepted = 0;
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        d->hold_responses = true;
        accepted = 0;
        for (uint32_t i = 0; i < 50; i++) {
            d->in.req_valid = 1;
            d->in.req_kind = LOAD;
            d->in.req_granule = i;
            d->in.req_warpts = 3;
            d->in.req_id = accepted;
            cycle(d);
            accepted += (uint32_t)d->out.req_ready;
            if (d->out.rsp_valid)
                assert_int_equal(d->out.rsp_id, 0);
        }
        assert_int_equal(accepted, 8);
        d->hold_responses = false;
        dut_settle(d);
        assert_int_equal(d->responses, 8);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(d->response[i].id, i);
        dut_delete(d);
    }
}

/* Back to back, all of one granule: one per cycle, each seeing the one before; answers seven cycles after the request. */
static void test_validation_unit__one_request_per_cycle(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&getm, backends[b]);
        uint64_t start = d->cycle;
        for (uint32_t i = 0; i < 20; i++)
            dut_send(d, i % 2 ? LOAD : STORE, 9, 10, 1, i);
        assert_int_equal(d->cycle - start, 20);
        dut_settle(d);
        assert_int_equal(d->responses, 20);
        for (uint32_t i = 0; i < 20; i++) {
            assert_int_equal(d->response[i].id, i);
            assert_int_equal(d->response[i].outcome, SUCCESS);
            assert_int_equal(d->response[i].cycle, start + i + 7);
        }
        start = d->cycle;
        for (uint32_t i = 0; i < 9; i++)
            dut_send(d, CW_VU_RELEASE, 9, 0, 1, 0);
        assert_int_equal(d->cycle - start, 9);
        EXPECT(LOAD, 9, 11, 2, STALLED, 0); /* the tenth write is still there */
        EXPECT(CW_VU_RELEASE, 9, 0, 1, SUCCESS, 0);
        dut_delete(d);
    }
}

/* 40 reserved granules in a table of eight rows and one stash entry: the rest is in the overflow area, all exact. */
static void test_validation_unit__overflow_keeps_reservations_exact(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&tiny, backends[b]);
        for (uint64_t g = 0; g < 40; g++)
            EXPECT(STORE, g * 77, g, 1, SUCCESS, 0);
        assert_true(d->overflowed >= 40 - 8 - 1);
        assert_true(d->stashed >= 1);
        assert_int_equal(d->evictions, 0);
        for (uint64_t g = 1; g < 40; g++)
            EXPECT(LOAD, g * 77, 0, 2, ABORT, g + 1);
        for (uint64_t g = 0; g < 40; g++)
            EXPECT(CW_VU_RELEASE, g * 77, 0, 1, STALLED, 0);
        assert_true(d->evictions >= 40 - 8 - 1);
        for (uint64_t g = 1; g < 40; g++) { /* approximate now, but never too low */
            uint64_t ts = 0;
            assert_int_equal(dut_do(d, LOAD, g * 77, 0, 2, &ts), ABORT);
            assert_true(ts >= g + 1);
        }
        dut_delete(d);
    }
}

/*
 * Without req_spill, eight rows take at most eight reservations, and at least four, since a granule is refused only when all
 * its rows are taken. A refused store is answered like a lack of room; a load of the granule is allowed and leaves its trace in the
 * Bloom filter; with req_spill the same store succeeds.
 */
static void test_validation_unit__a_store_spills_only_if_it_may(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&tiny, backends[b]);
        uint64_t ts = 0, reserved = 0, refused = 0;
        d->no_spill = true;
        for (uint64_t g = 0; g < 40; g++) {
            uint64_t outcome = dut_do(d, STORE, g * 77, 5, 1, &ts);
            assert_true(outcome == SUCCESS || outcome == CW_VU_FULL);
            assert_int_equal(ts, outcome == SUCCESS ? 0 : 5);
            if (outcome == CW_VU_FULL)
                refused = g * 77;
            else {
                reserved++;
                EXPECT(STORE, g * 77, 5, 1, SUCCESS, 0); /* the owner's next store needs no place */
            }
        }
        assert_true(reserved >= 4 && reserved <= 8);
        assert_int_equal(d->stashed + d->overflowed + d->evictions, 0);
        EXPECT(LOAD, refused, 9, 2, SUCCESS, 0);
        assert_int_equal(d->evictions, 1);
        EXPECT(STORE, refused, 8, 1, ABORT, 9);
        EXPECT(STORE, refused, 9, 1, CW_VU_FULL, 9);
        d->no_spill = false;
        EXPECT(STORE, refused, 9, 1, SUCCESS, 0);
        assert_int_equal(d->overflowed + d->stashed, 1);
        EXPECT(LOAD, refused, 9, 2, ABORT, 10);
        dut_delete(d);
    }
}

/* A store sleeps on an entry of the overflow area, which leaves with its release: the store needs a place again. */
static void test_validation_unit__a_stalled_store_keeps_its_spill_bit(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int spill = 0; spill < 2; spill++) {
            struct dut *d = open_settled(&tiny, backends[b]);
            uint64_t ts = 0, in_memory = 0;
            for (uint64_t g = 0; d->overflowed < 12; g++) {
                assert_int_equal(dut_do(d, STORE, g, 5, 1, &ts), SUCCESS);
                assert_true(g < 40);
            }
            for (uint64_t g = 0; in_memory == 0 && g < 40; g++) { /* found by what its release does */
                d->no_spill = !spill;
                d->evictions = 0;
                assert_int_equal(dut_do(d, STORE, g, 9, 2, &ts), STALLED);
                uint64_t outcome = dut_do(d, CW_VU_RELEASE, g, 0, 1, &ts);
                assert_int_equal(d->responses, 1);
                in_memory = d->evictions;
                assert_int_equal(outcome, in_memory && !spill ? CW_VU_FULL : SUCCESS);
                assert_int_equal(ts, outcome == SUCCESS ? 0 : 9);
            }
            assert_true(in_memory > 0);
            dut_delete(d);
        }
}

/*
 * A small table is filled with granules written at 100; a new one displaces one of them, and 1 to 9 cycles later each of
 * them is stored to at 50. Whichever of them has just left the table, its write must not be forgotten on its way to the Bloom filter.
 */
static void test_validation_unit__eviction_is_seen_at_once(void **state)
{
    enum { NEW = 999 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&evicting, backends[b]);
        uint32_t evictions = 0;
        for (uint64_t victim = 0; victim < 16; victim++)
            for (uint32_t gap = 1; gap <= 9; gap++) {
                uint64_t ts = 0;
                for (uint64_t g = 0; g < 16; g++) {
                    assert_int_equal(dut_do(d, STORE, g, 100, 1, &ts), SUCCESS);
                    (void)dut_do(d, CW_VU_RELEASE, g, 0, 1, &ts);
                }
                d->evictions = d->responses = 0;
                dut_send(d, LOAD, NEW, 200, 2, 1);
                for (uint32_t i = 1; i < gap; i++)
                    cycle(d);
                dut_send(d, STORE, victim, 50, 3, 2);
                dut_settle(d);
                evictions += d->evictions;
                assert_int_equal(d->responses, 2);
                assert_int_equal(d->response[1].outcome, ABORT);
                assert_true(d->response[1].ts >= 101);
                d->in.flush = 1;
                cycle(d);
                dut_settle(d);
            }
        assert_true(evictions > 0);
        dut_delete(d);
    }
}

/* The overflow area is full: a store that needs a new entry is refused, a load is remembered approximately. */
static void test_validation_unit__full_overflow_area_refuses_stores(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut *d = open_settled(&minimal, backends[b]);
        uint32_t reserved = 0;
        uint64_t ts = 0;
        while (dut_do(d, STORE, reserved, 1, 1, &ts) == SUCCESS)
            reserved++;
        assert_int_equal(d->response[0].outcome, CW_VU_FULL);
        assert_true(reserved >= 2 + 1 + 2 && reserved <= 8 + 1 + 2);
        EXPECT(LOAD, reserved, 3, 2, SUCCESS, 0);
        ts = 0;
        assert_int_equal(dut_do(d, STORE, reserved, 2, 2, &ts), ABORT); /* rts = 3 was not lost */
        assert_int_equal(ts, 3);
        for (uint64_t g = 0; g < reserved; g++)
            EXPECT(LOAD, g, 1, 2, ABORT, 2);
        dut_delete(d);
    }
}

/* Oracle ---------------------------------------------------------------------------------------------------------------- */

/*
 * Random transactions against exact metadata, one record per granule. Responses come in the order of decisions; what gives no
 * response (a release, a request that waits) is decided in the order of acceptance, so the oracle settles it when a later
 * response proves that it must have been decided. It follows rules only: no cycle, table or queue is modelled.
 */
enum { GRANULES = 96, OWNERS = 24, IDS = 128, IN_FLIGHT = 16, TX_ACCESSES = 6 };

struct exact {
    uint64_t wts, rts;
    uint32_t writes, owner;
};

struct access {
    enum cw_vu_kind kind;
    uint32_t granule, owner;
    uint64_t warpts;
    bool live, waiting; /* the oracle knows it to wait */
};

struct warp {
    uint64_t warpts;
    uint32_t left, outstanding;     /* accesses still to send; without an answer */
    uint32_t held[GRANULES], holds; /* writes to give back; their sum */
    uint64_t restart;               /* 0, or warpts after an abort */
};

struct oracle {
    struct exact meta[GRANULES];
    struct access access[IDS + IN_FLIGHT];          /* those of releases are the last */
    uint32_t pending[IDS + IN_FLIGHT], pending_cnt; /* accepted, not settled; oldest first */
    struct warp warp[OWNERS];
    bool exact;
    const params_t *params;
    uint64_t decisions, aborts, waits, over, commits, refused;
};

static enum cw_vu_outcome judge(const struct oracle *o, const struct access *a, uint64_t *ts, bool *waits)
{
    const struct exact *m = &o->meta[a->granule];
    uint64_t newest = a->kind == STORE && m->rts > m->wts ? m->rts : m->wts;
    *waits = false;
    *ts = 0;
    if (m->writes > 0 && m->owner == a->owner)
        return SUCCESS;
    if (newest > a->warpts) {
        *ts = newest;
        return ABORT;
    }
    *waits = m->writes > 0;
    return SUCCESS;
}

static void apply(struct oracle *o, const struct access *a)
{
    struct exact *m = &o->meta[a->granule];
    if (a->kind == LOAD && m->rts < a->warpts)
        m->rts = a->warpts;
    if (a->kind == STORE && m->writes++ == 0) {
        m->owner = a->owner;
        m->wts = a->warpts + 1;
    }
}

/* Settles the oldest pending request, which has given no response: a release, or one that had to wait. */
static void settle_oldest(struct oracle *o)
{
    assert_true(o->pending_cnt > 0);
    struct access *a = &o->access[o->pending[0]];
    memmove(o->pending, o->pending + 1, --o->pending_cnt * sizeof o->pending[0]);
    if (a->kind == CW_VU_RELEASE) {
        assert_true(o->meta[a->granule].writes > 0);
        o->meta[a->granule].writes--;
        a->live = false;
        return;
    }
    uint64_t ts;
    bool waits;
    (void)judge(o, a, &ts, &waits);
    assert_true(waits); /* silence is right only for a request that must wait */
    a->waiting = true;
    o->waits++;
}

static bool is_pending(const struct oracle *o, uint32_t id)
{
    for (uint32_t i = 0; i < o->pending_cnt; i++)
        if (o->pending[i] == id)
            return true;
    return false;
}

/* Whether the stall buffer has no place for a request of this granule: its line is full, or it has none and all are taken. */
static bool stall_buffer_is_full(const struct oracle *o, uint32_t granule)
{
    uint32_t entries[GRANULES] = {0}, lines = 0;
    for (uint32_t i = 0; i < IDS; i++)
        if (o->access[i].live && o->access[i].waiting && entries[o->access[i].granule]++ == 0)
            lines++;
    return entries[granule] == o->params->stall_entries || (entries[granule] == 0 && lines == o->params->stall_lines);
}

/* Brings the oracle to the moment at which the unit decided request id with this outcome. */
static void catch_up(struct oracle *o, uint32_t id, uint64_t outcome)
{
    struct access *a = &o->access[id];
    bool retried = a->waiting, waits;
    uint64_t ts;
    if (is_pending(o, id)) {
        while (o->pending[0] != id)
            settle_oldest(o);
        memmove(o->pending, o->pending + 1, --o->pending_cnt * sizeof o->pending[0]);
    }
    if (!o->exact && outcome != SUCCESS)
        return; /* approximate timestamps may forbid what would be allowed, or would wait */
    if (outcome == CW_VU_FULL)
        return;
    for ((void)judge(o, a, &ts, &waits); waits; (void)judge(o, a, &ts, &waits)) {
        retried = true;
        settle_oldest(o);
    }
    for (uint32_t i = 0; i < IDS && retried; i++) /* the smallest warpts of a granule goes first */
        if (o->access[i].live && o->access[i].waiting && o->access[i].granule == a->granule)
            assert_true(o->access[i].warpts >= a->warpts);
}

static void oracle_response(struct oracle *o, const out_t *out)
{
    uint32_t id = (uint32_t)out->rsp_id;
    struct access *a = &o->access[id];
    struct warp *w = &o->warp[a->owner];
    uint64_t ts;
    bool waits;
    assert_true(id < IDS && a->live);
    catch_up(o, id, out->rsp_outcome);
    enum cw_vu_outcome want = judge(o, a, &ts, &waits);
    if (o->exact && out->rsp_outcome == CW_VU_FULL) {
        assert_true(waits && stall_buffer_is_full(o, a->granule));
        assert_int_equal(out->rsp_ts, a->warpts);
        o->refused++;
    } else if (o->exact) {
        assert_false(waits);
        assert_int_equal(out->rsp_outcome, want);
        assert_int_equal(out->rsp_ts, ts);
    } else if (out->rsp_outcome == SUCCESS)
        assert_true(want == SUCCESS && !waits); /* never more permissive */
    else if (out->rsp_outcome == ABORT)
        assert_true(out->rsp_ts >= ts && out->rsp_ts > a->warpts);
    else
        assert_int_equal(out->rsp_ts, a->warpts);
    o->over += out->rsp_outcome != want && !(o->exact && out->rsp_outcome == CW_VU_FULL);
    o->decisions++;
    a->live = a->waiting = false;
    w->outstanding--;
    if (out->rsp_outcome == SUCCESS) {
        apply(o, a);
        if (a->kind == STORE) {
            w->held[a->granule]++;
            w->holds++;
        }
        return;
    }
    o->aborts++;
    uint64_t restart = (out->rsp_outcome == ABORT ? out->rsp_ts : a->warpts) + 1;
    if (restart > w->restart)
        w->restart = restart;
    w->left = 0;
}

/* What a warp sends next: an access of its transaction, or, when all is answered, a release; false: nothing now. */
static bool warp_next(struct oracle *o, struct cw_rng *rng, uint32_t owner, struct access *a)
{
    struct warp *w = &o->warp[owner];
    *a = (struct access){.owner = owner, .warpts = w->warpts, .live = true};
    if (w->left > 0) {
        a->kind = cw_rng_below(rng, 2) ? LOAD : STORE;
        a->granule = cw_rng_below(rng, cw_rng_below(rng, 2) ? 6 : GRANULES);
        return true;
    }
    if (w->outstanding > 0)
        return false;
    if (w->holds > 0) {
        a->kind = CW_VU_RELEASE;
        a->granule = cw_rng_below(rng, GRANULES);
        while (w->held[a->granule] == 0)
            a->granule = (a->granule + 1) % GRANULES;
        return true;
    }
    o->commits += w->restart == 0;
    if (w->restart != 0)
        w->warpts = w->restart;
    w->restart = 0;
    w->left = 1 + cw_rng_below(rng, TX_ACCESSES);
    return false;
}

/* Chooses a request into `in`; its index in access, or -1. */
static int choose(struct oracle *o, struct cw_rng *rng, in_t *in)
{
    uint32_t owner = cw_rng_below(rng, OWNERS), id = cw_rng_below(rng, IDS);
    struct access a;
    if (!warp_next(o, rng, owner, &a))
        return -1;
    if (a.kind == CW_VU_RELEASE)
        id = IDS;
    while (id < IDS + IN_FLIGHT && o->access[id].live)
        id++;
    if (id >= (a.kind == CW_VU_RELEASE ? IDS + IN_FLIGHT : IDS))
        return -1;
    o->access[id] = a;
    o->access[id].live = false;
    in->req_valid = 1;
    in->req_kind = a.kind;
    in->req_granule = (uint64_t)a.granule * 0x1234567;
    in->req_warpts = a.warpts;
    in->req_owner = a.owner;
    in->req_count = 1;
    in->req_id = id;
    in->req_spill = cw_rng_below(rng, 2);
    return (int)id;
}

static void oracle_accepted(struct oracle *o, uint32_t id)
{
    struct access *a = &o->access[id];
    struct warp *w = &o->warp[a->owner];
    a->live = true;
    o->pending[o->pending_cnt++] = id;
    if (a->kind == CW_VU_RELEASE) {
        w->held[a->granule]--;
        w->holds--;
    } else {
        w->left--;
        w->outstanding++;
    }
}

/* An idle unit has decided all that it was given; so settles what no response will settle. */
static void settle_all(struct oracle *o)
{
    while (o->pending_cnt > 0)
        settle_oldest(o);
}

static void run_oracle(const params_t *p, enum cw_unit_backend backend, bool exact, uint64_t cycles, uint64_t seed)
{
    struct dut *d = open_settled(p, backend);
    struct oracle *o = calloc(1, sizeof *o);
    struct cw_rng rng;
    in_t in = {0};
    int chosen = -1;
    uint64_t last_answer = 0;
    assert_non_null(o);
    o->exact = exact;
    o->params = p;
    cw_rng_seed(&rng, seed);
    for (uint64_t n = 0; n < cycles; n++) {
        if (chosen < 0) {
            in.req_valid = 0;
            chosen = choose(o, &rng, &in);
        }
        bool sent = in.req_valid;
        d->in = in;
        d->hold_responses = cw_rng_below(&rng, 8) == 0;
        d->responses = 0;
        cycle(d);
        if (d->responses > 0) {
            oracle_response(o, &d->out);
            last_answer = n;
        }
        assert_true(n - last_answer < 5000); /* else: deadlock */
        if (chosen >= 0 && d->out.req_ready) {
            oracle_accepted(o, (uint32_t)chosen);
            chosen = -1;
        }
        if (!d->out.busy && !sent)
            settle_all(o);
    }
    printf("%" PRIu64 " cycles: %" PRIu64 " decisions checked, %" PRIu64 " aborts, %" PRIu64 " waited, %" PRIu64
           " differ from exact metadata, %" PRIu64 " commits, %" PRIu64
           " refused for want of a stall buffer entry; %u evictions, %u to the stash, %u to memory, slowest access %u "
           "cycles\n",
           cycles, o->decisions, o->aborts, o->waits, o->over, o->commits, o->refused, d->evictions, d->stashed, d->overflowed, d->slowest);
    assert_true(o->decisions > cycles / 20 && o->waits > 0 && o->commits > 0);
    if (exact)
        assert_int_equal(o->over, 0);
    else
        assert_true(o->over > 0 && d->evictions > 0 && d->overflowed > 0);
    free(o);
    dut_delete(d);
}

static uint64_t oracle_cycles(void)
{
    const char *text = getenv("COWARP_ORACLE_CYCLES");
    return text != NULL ? strtoull(text, NULL, 0) : 100000;
}

static void test_validation_unit__exact_without_evictions(void **state)
{
    (void)state;
    run_oracle(&roomy, CW_UNIT_C, true, oracle_cycles(), cw_test_seed(11));
    run_oracle(&roomy, CW_UNIT_LOCKSTEP, true, oracle_cycles() / 4, cw_test_seed(12));
}

static void test_validation_unit__never_more_permissive(void **state)
{
    (void)state;
    run_oracle(&tiny, CW_UNIT_C, false, oracle_cycles(), cw_test_seed(13));
    run_oracle(&tiny, CW_UNIT_LOCKSTEP, false, oracle_cycles() / 4, cw_test_seed(14));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_validation_unit__fills),
    cmocka_unit_test(test_validation_unit__c_equals_rtl),
    cmocka_unit_test(test_validation_unit__broken_copies_are_caught),
    cmocka_unit_test(test_validation_unit__figure_7),
    cmocka_unit_test(test_validation_unit__each_branch_of_figure_6),
    cmocka_unit_test(test_validation_unit__kind_3_releases),
    cmocka_unit_test(test_validation_unit__release_counts_writes),
    cmocka_unit_test(test_validation_unit__wakes_the_oldest_first),
    cmocka_unit_test(test_validation_unit__a_warp_does_not_wait_for_itself),
    cmocka_unit_test(test_validation_unit__full_stall_buffer_aborts),
    cmocka_unit_test(test_validation_unit__rollover_drain_and_flush),
    cmocka_unit_test(test_validation_unit__a_drained_unit_sends_retries_away),
    cmocka_unit_test(test_validation_unit__back_pressure),
    cmocka_unit_test(test_validation_unit__one_request_per_cycle),
    cmocka_unit_test(test_validation_unit__overflow_keeps_reservations_exact),
    cmocka_unit_test(test_validation_unit__a_store_spills_only_if_it_may),
    cmocka_unit_test(test_validation_unit__a_stalled_store_keeps_its_spill_bit),
    cmocka_unit_test(test_validation_unit__eviction_is_seen_at_once),
    cmocka_unit_test(test_validation_unit__full_overflow_area_refuses_stores),
    cmocka_unit_test(test_validation_unit__exact_without_evictions),
    cmocka_unit_test(test_validation_unit__never_more_permissive),
};
CW_TEST_MAIN(tests)
