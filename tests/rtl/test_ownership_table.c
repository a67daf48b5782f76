/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership table of 2PCR: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/ownership_table.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"
#include "mech/tm/intra_warp.h"

typedef struct cw_ownership_table_params params_t;
typedef struct cw_ownership_table_in in_t;
typedef struct cw_ownership_table_out out_t;

#define DUT_UNIT cw_ownership_table_unit
#include "dut.h"
#include "fill/ownership_table.h"

/*                               lanes addr_w bank_w row_w */
static const params_t warp = {32, 32, 5, 5};
static const params_t minimal = {2, 1, 1, 1};
static const params_t odd = {7, 13, 2, 3};
static const params_t largest = {32, 32, 5, 10};

/* Where the stimulus is. A focus is a few entries, in one row or several, over which the lanes fight; mine is what a lane writes. */
struct phase {
    uint32_t base, spread; /* the focus: base with any of the bits of spread */
    uint32_t mine[32];
};

static uint32_t in_focus(const struct phase *phase, struct cw_rng *rng)
{
    return phase->base ^ ((uint32_t)cw_rng_next(rng) & phase->spread);
}

/*
 * END would come every fourth operation: most of them become another kind, so that resolutions have some length. A lane that writes what it
 * has not marked is out, and tells nothing more about the table: mostly a lane marks and writes its own address, and few lanes read at
 * once.
 */
static void keep_going(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    struct phase *phase = context;
    in_t *i = in;
    (void)last_out;
    if (cw_rng_below(rng, 256) == 0) {
        phase->base = (uint32_t)cw_rng_next(rng);
        phase->spread = 1u << cw_rng_below(rng, 8) | 1u << cw_rng_below(rng, 8) | 1u << cw_rng_below(rng, 16);
    }
    if (i->op_kind == CW_OWNERSHIP_END && cw_rng_below(rng, 8) != 0)
        i->op_kind = cw_rng_below(rng, 3);
    if (cw_rng_below(rng, 4) == 0)
        return;
    i->start_lanes |= cw_rng_next(rng);
    if (i->op_kind != CW_OWNERSHIP_MARK)
        i->op_lanes = 1u << cw_rng_below(rng, 32) | 1u << cw_rng_below(rng, 8);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (cw_rng_below(rng, 64) == 0)
            phase->mine[lane] = in_focus(phase, rng);
        i->op_addr[lane] = i->op_kind == CW_OWNERSHIP_CHECK_READ ? in_focus(phase, rng) : phase->mine[lane];
    }
}

static const struct cw_lockstep_set sets[] = {{"warp", &warp, 512}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_ownership_table_unit, sets, 4, keep_going, &lockstep_phase};

static void test_ownership_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_ownership_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a bank is asked by two lanes at once", "cw_ownership_bank", "~((below << 1) & {GROUPS{8'hfe}})",
         "~((below << 2) & {GROUPS{8'hfc}})", 2},
        {"every lane asks for itself", "cw_ownership_table", "sort_lanes_q[l] && sort_same_q[l*LANES +: LANES] == {LANES{1'b0}}",
         "sort_lanes_q[l] && sort_same_q[l*LANES +: LANES] != {LANES{1'b1}}", 2},
        {"a lane that does not ask has no part in a crowd's group", "cw_ownership_table", "read_picked_q[l] || (serve_same_q",
         "read_picked_q[l] && (serve_same_q", 2},
        {"a write that was never marked passes", "cw_ownership_bank", ": ~is_owner)", ": ~is_owner & {LANES{!owner_q[5]}})", 2},
        {"an entry that is being written is read as it was", "cw_ownership_bank", "if (take_again_q && mark_write_q)",
         "if (take_again_q && mark_write_q && !mark_write_q)", 2},
        {"another byte of the row counts as the one that is being written", "cw_ownership_bank",
         "mark_row_q == read_row_q && mark_byte_q == read_byte_q", "mark_row_q == read_row_q", 2},
        {"a group is chosen though the banks will write", "cw_ownership_table", "serve_valid_q && !judge_mark_q && (serve_check",
         "serve_valid_q && (serve_check", 2},
        {"clearing leaves the last row", "cw_ownership_table", "clear_q && &clear_row_q", "clear_q && &{clear_row_q[ROW_W-1:1], 1'b1}", 2},
        {"hash without the quotient", "cw_ownership_table", "+ quotient + (quotient << 4)", "+ quotient", 2},
        {"ready looks at what is offered", "cw_ownership_table", "assign op_ready_o     = ready_q;",
         "assign op_ready_o     = ready_q && !(op_valid_i && op_kind_i == END);", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Presents the operation until it is taken. Returns the cycles that it had to wait. */
static uint32_t give(struct dut *d, uint32_t kind, uint32_t lanes, const uint32_t addr[32])
{
    for (uint32_t waited = 0; waited < 200; waited++) {
        d->in.op_valid = 1;
        d->in.op_kind = kind;
        d->in.op_lanes = lanes;
        if (addr != NULL)
            memcpy(d->in.op_addr, addr, sizeof d->in.op_addr);
        dut_cycle(d);
        if (d->out.op_ready)
            return waited;
    }
    fail_msg("operation not taken");
    return 0;
}

static void begin(struct dut *d, uint32_t lanes)
{
    d->in.start_valid = 1;
    d->in.start_lanes = lanes;
    dut_cycle(d);
    assert_int_equal(d->out.start_ready, 1);
}

static uint32_t finish(struct dut *d)
{
    give(d, CW_OWNERSHIP_END, 0, NULL);
    for (uint32_t waited = 0; waited < 400; waited++) {
        d->in.result_ready = 1;
        dut_cycle(d);
        if (d->out.result_valid)
            return (uint32_t)d->out.result_lanes;
    }
    fail_msg("no result");
    return 0;
}

/* Fung 2015, Figure 6.6: four transactions, X1 to X4 in lanes 0 to 3; X3 and X4 abort. */
static void test_ownership_table__figure_6_6(void **state)
{
    static const uint32_t wl1[32] = {0x0c, 0x08, 0x10, 0x04}, wl2[32] = {0x10, 0x14, 0x14, 0x08};
    static const uint32_t rl1[32] = {0x04, 0x04, 0x04, 0x04}, rl2[32] = {0x0c, 0x08, 0x10, 0};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &warp, backends[b]);
        begin(&d, 0xf);
        give(&d, CW_OWNERSHIP_MARK, 0xf, wl1);
        give(&d, CW_OWNERSHIP_MARK, 0xf, wl2);
        give(&d, CW_OWNERSHIP_CHECK_READ, 0xf, rl1);
        give(&d, CW_OWNERSHIP_CHECK_READ, 0x7, rl2);
        for (int i = 0; i < 10; i++)
            dut_cycle(&d);
        assert_int_equal(d.out.alive, 0xb); /* step 5: X3 has read 0x10, which X1 owns */
        give(&d, CW_OWNERSHIP_CHECK_WRITE, 0xf, wl1);
        give(&d, CW_OWNERSHIP_CHECK_WRITE, 0xf, wl2);
        assert_int_equal(finish(&d), 0x3); /* step 7: X4 writes 0x08, which X2 owns */
        dut_close(&d);
    }
}

static void test_ownership_table__clearing_takes_a_cycle_per_row(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &warp, backends[b]);
        begin(&d, ~0u);
        assert_int_equal(give(&d, CW_OWNERSHIP_END, 0, NULL), 4096 / 128); /* 6.3.3: 128 bytes in each write */
        dut_close(&d);
    }
}

/* What a lane's address is in the time tests: a word each in all 32 banks; 2 or 3 of the words in each bank that is used. */
static uint32_t addr_of(uint32_t lane, uint32_t crowd)
{
    return 4 * (lane / crowd) + 128 * (lane % crowd);
}

struct timed_op {
    uint32_t kind, crowd, lanes;
};

/* Gives the operations one after the other to a table that has been cleared. What the banks do, a character per cycle from the one on that
 * takes the first operation: 'a' access, 'w' write, '.' neither. */
static void play(struct dut *d, const struct timed_op *op, uint32_t cnt, char *seen, uint32_t cycles)
{
    uint32_t next = 0;
    for (uint32_t c = 0; c < cycles; c++) {
        d->in.op_valid = next < cnt;
        if (next < cnt) {
            d->in.op_kind = op[next].kind;
            d->in.op_lanes = op[next].lanes;
            for (uint32_t lane = 0; lane < 32; lane++)
                d->in.op_addr[lane] = addr_of(lane, op[next].crowd);
        }
        const bool offered = next < cnt;
        dut_cycle(d);
        next += offered && d->out.op_ready;
        assert_false(d->out.access && d->out.write);
        seen[c] = d->out.access ? 'a' : d->out.write ? 'w' : '.';
    }
    assert_int_equal(next, cnt);
    seen[cycles] = '\0';
}

/* The contract's cycles: accepted in 0, served from 3 on, read in the cycle after, written in the fourth. */
static void test_ownership_table__when_the_banks_are_used(void **state)
{
    enum { MARK = CW_OWNERSHIP_MARK, READ = CW_OWNERSHIP_CHECK_READ, WRITE = CW_OWNERSHIP_CHECK_WRITE };
    static const struct {
        const char *banks;
        struct timed_op op[4];
        uint32_t cnt;
    } cases[] = {
        {"....aa.a........", {{READ, 1, ~0u}, {READ, 1, ~0u}, {WRITE, 1, 0}, {READ, 1, ~0u}}, 4}, /* the third has no lane */
        {"....aaa.a.......", {{READ, 3, ~0u}, {READ, 1, ~0u}}, 2},
        {"....a..w........", {{MARK, 1, ~0u}}, 1},
        {"....a.awa.......", {{MARK, 1, ~0u}, {READ, 1, ~0u}, {WRITE, 1, ~0u}}, 3},
        {"....a.aw........", {{MARK, 1, ~0u}, {MARK, 1, ~0u}}, 2},               /* the second changes no entry */
        {"....a.awaw......", {{MARK, 2, ~0u}, {MARK, 3, 0x249249}}, 2},          /* lane 3 i finds lane 2 i in bank i */
        {"....a.awa.......", {{MARK, 1, ~0u}, {READ, 2, ~0u}}, 2},               /* its second group would be read while the banks write */
        {"......a..w......", {{MARK, 1, 0}, {MARK, 1, 1}}, 2},                   /* one without lanes is served in two cycles, too */
        {"......a.a.......", {{MARK, 1, 0}, {READ, 1, ~0u}, {READ, 1, ~0u}}, 3}, /* and keeps the third cycle after it free */
        {"....a.aw.a......", {{MARK, 1, ~0u}, {READ, 1, ~0u}, {READ, 1, 0}, {READ, 1, ~0u}}, 4}, /* a READ without lanes stops, too */
    };
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct dut d;
            char seen[17];
            dut_open(&d, &warp, backends[b]);
            begin(&d, ~0u);
            for (uint32_t c = 0; c < 32; c++)
                dut_cycle(&d);
            play(&d, cases[i].op, cases[i].cnt, seen, 16);
            assert_string_equal(seen, cases[i].banks);
            dut_close(&d);
        }
}

/* A lane that loses leaves alive, and the result comes, seven cycles after what was accepted alone. */
static void test_ownership_table__seven_cycles_to_an_answer(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t addr[32] = {0};
        dut_open(&d, &warp, backends[b]);
        begin(&d, 3);
        give(&d, CW_OWNERSHIP_CHECK_WRITE, 2, addr);
        for (uint32_t c = 1; c <= 7; c++) {
            dut_cycle(&d);
            assert_int_equal(d.out.alive, c < 7 ? 3 : 1);
        }
        give(&d, CW_OWNERSHIP_END, 0, NULL);
        for (uint32_t c = 1; c <= 7; c++) {
            dut_cycle(&d);
            assert_int_equal(d.out.result_valid, c == 7);
            assert_int_equal(d.out.result_lanes, c == 7);
            assert_int_equal(d.out.op_ready, 0);
        }
        dut_close(&d);
    }
}

static void run(struct dut *d, uint32_t cycles)
{
    for (uint32_t c = 0; c < cycles; c++)
        dut_cycle(d);
}

/* A CHECK of 32 entries in one bank is served in cycles 3 to 35. One behind it is sorted, two wait: so ready falls in cycle 4, and rises in
 * 36, when the next one is served and the first of the two that wait has gone to be sorted. Ready does not look at what is offered. */
static void test_ownership_table__two_wait_in_the_queue(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &warp, backends[b]);
        begin(&d, ~0u);
        run(&d, 32);
        for (uint32_t c = 0; c < 40; c++) {
            dut_eval(&d);
            assert_int_equal(d.out.op_ready, c < 4 || c == 36);
            d.in.op_valid = 1;
            d.in.op_kind = CW_OWNERSHIP_CHECK_READ;
            d.in.op_lanes = ~0u;
            for (uint32_t lane = 0; lane < 32; lane++)
                d.in.op_addr[lane] = addr_of(lane, 32);
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, c < 4 || c == 36);
            assert_int_equal(d.out.access, c >= 4 && c != 36); /* the last of the 33 cycles chooses nobody */
        }
        dut_close(&d);
    }
}

/* Lane 0 loses in the seventh cycle. A MARK of both lanes that is accepted before that has it, and takes the entry from lane 1; one that is
 * accepted in that cycle has lane 1 alone. */
static void test_ownership_table__a_lane_that_has_lost_takes_no_part(void **state)
{
    static const uint32_t own[32] = {0x40, 0x80}, both[32] = {0x100, 0x100};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t cycles = 5; cycles < 8; cycles++) { /* between the CHECK and the MARK */
            struct dut d;
            dut_open(&d, &warp, backends[b]);
            begin(&d, 3);
            give(&d, CW_OWNERSHIP_CHECK_WRITE, 1, own); /* not marked */
            run(&d, cycles);
            give(&d, CW_OWNERSHIP_MARK, 3, both);
            assert_int_equal(d.out.alive, cycles < 6 ? 3 : 2);
            give(&d, CW_OWNERSHIP_CHECK_WRITE, 2, both);
            assert_int_equal(finish(&d), cycles < 6 ? 0 : 2);
            dut_close(&d);
        }
}

/* The lowest of the lanes that mark an entry owns it, in one MARK or in several; an owner may read it, and so may lower lanes. */
static void test_ownership_table__the_lowest_lane_owns(void **state)
{
    static const uint32_t one[32] = {0x20, 0x20, 0x20, 0x20};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t first = 1; first < 16; first++)
            for (uint32_t second = 1; second < 16; second++)
                for (uint32_t read = 0; read < 2; read++) {
                    struct dut d;
                    dut_open(&d, &odd, backends[b]);
                    begin(&d, 0xf);
                    give(&d, CW_OWNERSHIP_MARK, first, one);
                    give(&d, CW_OWNERSHIP_MARK, second, one);
                    give(&d, read ? CW_OWNERSHIP_CHECK_READ : CW_OWNERSHIP_CHECK_WRITE, 0xf, one);
                    uint32_t owner = (first | second) & (0u - (first | second));
                    assert_int_equal(finish(&d), read ? owner | (owner - 1) : owner);
                    dut_close(&d);
                }
}

/* A second resolution finds every entry null, whatever the first one has left, and has its own lanes. A start is taken when the result has
 * gone, and only then; the result waits for it. */
static void test_ownership_table__a_start_begins_anew(void **state)
{
    enum { ENTRIES = 128 };
    (void)state;
    assert_int_equal(1u << (odd.row_w + odd.bank_w + 2), ENTRIES);
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t addr[32] = {0};
        dut_open(&d, &odd, backends[b]);
        begin(&d, 1);
        for (uint32_t e = 0; e < ENTRIES; e++) {
            addr[0] = e;
            give(&d, CW_OWNERSHIP_MARK, 1, addr);
        }
        give(&d, CW_OWNERSHIP_END, 0, NULL);
        for (uint32_t c = 0; c < 20; c++) {
            d.in.start_valid = 1;
            d.in.start_lanes = 0x7f;
            dut_cycle(&d);
            assert_int_equal(d.out.start_ready, 0);
            assert_int_equal(d.out.alive, 1);
            assert_int_equal(d.out.result_lanes, d.out.result_valid);
        }
        assert_int_equal(d.out.result_valid, 1);
        d.in.result_ready = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.result_valid, 1);
        begin(&d, 0x60);
        assert_int_equal(d.out.result_valid, 0);
        assert_int_equal(d.out.result_lanes, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.alive, 0x60);
        for (uint32_t e = 0; e < ENTRIES; e++) {
            addr[6] = e;
            give(&d, CW_OWNERSHIP_CHECK_READ, 0x40, addr);
        }
        assert_int_equal(finish(&d), 0x60);
        dut_close(&d);
    }
}

/* Lane 0 marks an address, and lane 1 reads others: it loses where the contract's formula gives both the same entry. */
static void test_ownership_table__an_entry_is_a_hash(void **state)
{
    enum { ENTRIES = 128, MARKED = 1000 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint32_t lost = 0;
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint32_t a = 0; a < 1u << odd.addr_w; a += 11) {
            const uint32_t addr[32] = {MARKED, a};
            const bool same = (a + 17 * (a / ENTRIES)) % ENTRIES == (MARKED + 17 * (MARKED / ENTRIES)) % ENTRIES;
            begin(&d, 3);
            give(&d, CW_OWNERSHIP_MARK, 1, addr);
            give(&d, CW_OWNERSHIP_CHECK_READ, 2, addr);
            assert_int_equal(finish(&d), same ? 1 : 3);
            lost += same;
        }
        assert_true(lost > 1);
        dut_close(&d);
    }
}

/* Random logs of a warp against the resolution that the simulator's transactional systems use, which is written from the paper alone. */
static void test_ownership_table__agrees_with_the_simulators_resolution(void **state)
{
    struct cw_rng rng;
    static uint8_t table[4096];
    static struct cw_read_row read[4];
    static struct cw_write_row write[4];
    uint32_t aborted = 0;
    (void)state;
    cw_rng_seed(&rng, cw_test_seed(7));
    struct dut d;
    dut_open(&d, &warp, CW_UNIT_RTL);
    for (uint32_t n = 0; n < 500; n++) {
        struct cw_redo_log log = {.read = read, .write = write, .read_cnt = cw_rng_below(&rng, 5), .write_cnt = cw_rng_below(&rng, 5)};
        uint32_t lanes = (uint32_t)cw_rng_next(&rng), addr[32];
        uint32_t span = 1u << (4 + cw_rng_below(&rng, 12));
        for (uint32_t r = 0; r < 4; r++) {
            read[r].lanes = (uint32_t)cw_rng_next(&rng);
            write[r].lanes = (uint32_t)cw_rng_next(&rng);
            for (uint32_t lane = 0; lane < 32; lane++) {
                read[r].addr[lane] = 0x10000 + 4 * cw_rng_below(&rng, span);
                write[r].addr[lane] = 0x10000 + 4 * cw_rng_below(&rng, span);
            }
        }
        begin(&d, lanes);
        for (uint32_t pass = 0; pass < 3; pass++)
            for (uint32_t r = 0; r < (pass == 1 ? log.read_cnt : log.write_cnt); r++) {
                for (uint32_t lane = 0; lane < 32; lane++)
                    addr[lane] = (uint32_t)(pass == 1 ? read[r].addr[lane] : write[r].addr[lane]);
                give(&d, pass, (uint32_t)(pass == 1 ? read[r].lanes : write[r].lanes), addr);
            }
        uint32_t losers = (uint32_t)cw_intra_warp_resolve(&log, lanes, table, sizeof table);
        assert_int_equal(finish(&d), lanes & ~losers);
        aborted += (uint32_t)__builtin_popcount(losers);
    }
    printf("500 warps, %u lanes aborted, all as in the simulator\n", aborted);
    assert_true(aborted > 500);
    dut_close(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ownership_table__fills),
    cmocka_unit_test(test_ownership_table__c_equals_rtl),
    cmocka_unit_test(test_ownership_table__broken_copies_are_caught),
    cmocka_unit_test(test_ownership_table__figure_6_6),
    cmocka_unit_test(test_ownership_table__clearing_takes_a_cycle_per_row),
    cmocka_unit_test(test_ownership_table__when_the_banks_are_used),
    cmocka_unit_test(test_ownership_table__seven_cycles_to_an_answer),
    cmocka_unit_test(test_ownership_table__two_wait_in_the_queue),
    cmocka_unit_test(test_ownership_table__a_lane_that_has_lost_takes_no_part),
    cmocka_unit_test(test_ownership_table__the_lowest_lane_owns),
    cmocka_unit_test(test_ownership_table__a_start_begins_anew),
    cmocka_unit_test(test_ownership_table__an_entry_is_a_hash),
    cmocka_unit_test(test_ownership_table__agrees_with_the_simulators_resolution),
};
CW_TEST_MAIN(tests)
