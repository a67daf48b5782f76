/* SPDX-License-Identifier: Apache-2.0 */
/* Output port of a crossbar: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/crossbar_port.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_crossbar_port_params params_t;
typedef struct cw_crossbar_port_in in_t;
typedef struct cw_crossbar_port_out out_t;

#define DUT_UNIT cw_crossbar_port_unit
#include "dut.h"
#include "fill/crossbar_port.h"

/*                              inputs flits latency */
static const params_t cores15 = {15, 64, 5};
static const params_t minimal = {1, 1, 1};
static const params_t pair = {2, 32, 2};
static const params_t odd = {5, 37, 7};
static const params_t cores80 = {80, 256, 12};
static const params_t cores132 = {132, 40, 1};
static const params_t far = {3, 600, 255};
static const params_t largest = {256, 4096, 255};

enum { CORES15, MINIMAL, PAIR, ODD, CORES80, CORES132, FAR, LARGEST, SETS };

#define PHASES 6

/* Phases: many ask, of long packets, and little is freed; many ask, and all is freed; one asks; nobody does; most ask for one flit. */
static void phases(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static uint32_t phase;
    const out_t *out = last_out;
    in_t *in = inputs;
    (void)context;
    if (cw_rng_below(rng, 96) == 0)
        phase = cw_rng_below(rng, PHASES);
    const uint32_t share[PHASES] = {14, 12, 0, 0, 15, 2}, longest[PHASES] = {32, 6, 32, 1, 1, 3};
    for (uint32_t i = 0; i < 256; i++) {
        const bool asks = cw_rng_below(rng, 16) < share[phase];
        in->request[i / 32] = (in->request[i / 32] & ~(1u << (i % 32))) | (uint32_t)asks << (i % 32);
        set_flits(in, i, cw_rng_below(rng, longest[phase]) + 1);
    }
    if (phase == 2) {
        const uint32_t i = cw_rng_below(rng, cw_rng_below(rng, 2) != 0 ? 4 : 256);
        in->request[i / 32] |= 1u << (i % 32);
    }
    const uint32_t draw = cw_rng_below(rng, 16);
    if (draw < (phase == 0 ? 3u : 12u))
        in->freed = phase == 1 && draw < 4 ? out->used : cw_rng_below(rng, phase == 4 ? 2 : 6);
    else if (draw != 15)
        in->freed = 0;
}

static const struct cw_lockstep_set sets[SETS] = {{"cores15", &cores15, 0}, {"minimal", &minimal, 0}, {"pair", &pair, 0},
                                                  {"odd", &odd, 0},         {"cores80", &cores80, 0}, {"cores132", &cores132, 0},
                                                  {"far", &far, 0},         {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_crossbar_port_unit, sets, SETS, phases, NULL};

static void test_crossbar_port__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_crossbar_port__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"inputs behind the last one have no turn", "cw_crossbar_port", "from(request & behind)", "from(request)", ODD},
        {"the one granted last is first again", "cw_crossbar_port", "(any_behind ? from_behind : from_first) << 1",
         "any_behind ? from_behind : from_first", ODD},
        {"a turn passes without a grant", "cw_crossbar_port", "valid_q ? next_q : behind_q", "valid_q || !valid_q ? next_q : behind_q",
         ODD},
        {"a reset leaves the turn", "cw_crossbar_port", "behind_q <= rst_i ? {INPUTS{1'b0}} : behind;", "behind_q <= behind;", ODD},
        {"packets do not hold the port", "cw_crossbar_port", "valid_q ? is_one : left_q <= 5'd1;", "1'b1;", ODD},
        {"the port is free a cycle late", "cw_crossbar_port", "valid_q ? is_one : left_q <= 5'd1;", "!valid_q && left_q == 5'd0;", ODD},
        {"all packets have room", "cw_crossbar_port", "room > {9'd0, request_flits_i[5*v +: 5]} &&", "(|room || request[v]) &&", ODD},
        {"the last place is never used", "cw_crossbar_port", "PLACES[USED_W:0] - {1'b0, used_q}",
         "PLACES[USED_W:0] - {{USED_W{1'b0}}, 1'b1} - {1'b0, used_q}", ODD},
        {"a packet of one flit is not counted", "cw_crossbar_port", "valid_q && is_one};", "valid_q && is_one && rst_i};", ODD},
        {"lengths are one less", "cw_crossbar_port", "{1'b0, length_q} + 6'd1", "{1'b0, length_q} + 6'd0", ODD},
        {"freed flits have room a cycle later", "cw_crossbar_port", "{1'b0, freed_i};", "{1'b0, freed_i & 13'd0};", ODD},
        {"more than all is freed", "cw_crossbar_port", "rst_i || all_freed ?", "rst_i || (all_freed && rst_i) ?", ODD},
        {"a grant is told for ever", "cw_crossbar_port", "grant && !rst_i", "(grant || valid_q) && !rst_i", ODD},
        {"who was granted is told without a grant", "cw_crossbar_port", "{8{valid_q && turn_q[g]}}", "{8{turn_q[g]}}", ODD},
        {"it arrives with its first flit", "cw_crossbar_port", "line = {line_q, is_last}",
         "line = {line_q, valid_q || (is_last && valid_q)}", ODD},
        {"it arrives a cycle early", "cw_crossbar_port", "assign arrive_o = line[LATENCY-1];", "assign arrive_o = line[LATENCY-2];", ODD},
        {"a reset leaves what is on its way", "cw_crossbar_port", "line_q <= rst_i ? {(LATENCY-1){1'b0}} :", "line_q <=", ODD},
        {"a reset leaves the packet", "cw_crossbar_port", "rst_i ? 5'd0 : valid_q", "valid_q", ODD},
        {"a reset leaves flits", "cw_crossbar_port", "rst_i || all_freed ?", "all_freed ?", ODD},
        {"idle while flits are on their way", "cw_crossbar_port", "left_q == 5'd0 && line_q == {(LATENCY-1){1'b0}}", "left_q == 5'd0",
         ODD}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void ask(struct dut *d, uint32_t input, uint32_t flits)
{
    d->in.request[input / 32] |= 1u << (input % 32);
    set_flits(&d->in, input, flits);
}

/* A cycle; d->out has what the next one shows. */
static void cycle(struct dut *d)
{
    const in_t none = {0};
    dut_tick(d);
    d->in = none;
    dut_eval(d);
}

static void granted(struct dut *d, uint32_t input)
{
    assert_int_equal(d->out.grant_valid, 1);
    assert_int_equal(d->out.grant_input, input);
}

static void nobody(struct dut *d)
{
    assert_int_equal(d->out.grant_valid, 0);
    assert_int_equal(d->out.grant_input, 0);
}

static void test_crossbar_port__inputs_take_turns(void **state)
{
    static const uint32_t order[] = {0, 3, 14, 0, 3, 14};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &cores15, backends[b]);
        for (size_t n = 0; n < sizeof order / sizeof order[0]; n++) {
            ask(&d, 0, 1);
            ask(&d, 3, 1);
            ask(&d, 14, 1);
            ask(&d, 15, 1); /* There is no such input */
            cycle(&d);
            granted(&d, order[n]);
        }
        ask(&d, 14, 1); /* alone: again */
        cycle(&d);
        granted(&d, 14);
        ask(&d, 13, 1); /* the farthest from 14 */
        cycle(&d);
        granted(&d, 13);
        cycle(&d);
        nobody(&d);
        ask(&d, 13, 1);
        ask(&d, 12, 1);
        cycle(&d);
        granted(&d, 12);
        dut_close(&d);
    }
}

static void test_crossbar_port__a_packet_holds_the_port_and_arrives(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &cores15, backends[b]);
        dut_eval(&d);
        assert_int_equal(d.out.idle, 1);
        /* Granted in cycle 0, of 5 flits: the next one in cycle 5, of 1, the third in 6. They arrive in 0 + 5 + 4, 5 + 1 + 4 and 6 + 2 + 4. */
        for (uint32_t t = 0; t < 16; t++) {
            if (t < 1)
                ask(&d, 1, 5);
            if (t >= 1 && t <= 5)
                ask(&d, 2, 1);
            if (t >= 2 && t <= 6)
                ask(&d, 4, 2);
            cycle(&d);
            if (t == 0 || t == 5 || t == 6)
                granted(&d, t == 0 ? 1 : t == 5 ? 2 : 4);
            else
                nobody(&d);
            assert_int_equal(d.out.used, t < 5 ? 5 : t < 6 ? 6 : 8);
            assert_int_equal(d.out.arrive, t + 1 == 9 || t + 1 == 10 || t + 1 == 12);
            assert_int_equal(d.out.idle, t + 1 > 12);
        }
        dut_close(&d);
    }
}

static void test_crossbar_port__who_waits_for_room_is_not_passed(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &pair, backends[b]);
        ask(&d, 0, 30);
        cycle(&d);
        granted(&d, 0);
        for (uint32_t t = 1; t < 46; t++) {
            ask(&d, 1, 3); /* 30 + 3 > 32: from cycle 30 on the port is free, and its turn stays */
            ask(&d, 0, 1);
            d.in.freed = t == 45;
            cycle(&d);
            if (t < 45)
                nobody(&d);
            assert_int_equal(d.out.used, t < 45 ? 30 : 32);
        }
        granted(&d, 1);
        d.in.freed = 4000; /* all */
        cycle(&d);
        assert_int_equal(d.out.used, 0);
        nobody(&d);
        ask(&d, 0, 32);
        cycle(&d); /* cycle 47: the packet of three flits passes until 47 */
        nobody(&d);
        ask(&d, 0, 32);
        cycle(&d);
        granted(&d, 0);
        assert_int_equal(d.out.used, 32);
        dut_close(&d);
    }
}

static void test_crossbar_port__freed_room_is_used_at_once(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &minimal, backends[b]);
        ask(&d, 0, 1);
        cycle(&d);
        granted(&d, 0);
        assert_int_equal(d.out.arrive, 1); /* one flit, one cycle of latency */
        for (uint32_t t = 0; t < 5; t++) {
            ask(&d, 0, 1);
            cycle(&d);
            nobody(&d);
            assert_int_equal(d.out.idle, 1);
        }
        for (uint32_t t = 0; t < 5; t++) { /* a packet in each cycle */
            ask(&d, 0, 1);
            d.in.freed = 1;
            cycle(&d);
            granted(&d, 0);
            assert_int_equal(d.out.used, 1);
        }
        d.in.freed = 1;
        ask(&d, 0, 2); /* never has room */
        cycle(&d);
        nobody(&d);
        assert_int_equal(d.out.used, 0);
        dut_close(&d);
    }
}

static void test_crossbar_port__a_reset_frees_all(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &cores15, backends[b]);
        ask(&d, 9, 16);
        cycle(&d);
        granted(&d, 9);
        cycle(&d);
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        nobody(&d);
        assert_int_equal(d.out.used, 0);
        assert_int_equal(d.out.idle, 1);
        ask(&d, 8, 1);
        ask(&d, 10, 1);
        cycle(&d);
        granted(&d, 8); /* the turn is with input 0 again */
        for (uint32_t t = 0; t < 20; t++) {
            assert_int_equal(d.out.arrive, t == 4);
            cycle(&d);
        }
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_crossbar_port__fills),
    cmocka_unit_test(test_crossbar_port__c_equals_rtl),
    cmocka_unit_test(test_crossbar_port__broken_copies_are_caught),
    cmocka_unit_test(test_crossbar_port__inputs_take_turns),
    cmocka_unit_test(test_crossbar_port__a_packet_holds_the_port_and_arrives),
    cmocka_unit_test(test_crossbar_port__who_waits_for_room_is_not_passed),
    cmocka_unit_test(test_crossbar_port__freed_room_is_used_at_once),
    cmocka_unit_test(test_crossbar_port__a_reset_frees_all),
};
CW_TEST_MAIN(tests)
