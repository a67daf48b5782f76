/* SPDX-License-Identifier: Apache-2.0 */
#include "core/warps/scoreboard.h"
#include "cw_test.h"

static void nothing(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    (void)u;
    (void)x;
    (void)mask;
}

/* 4 r32, 2 r64, 3 predicates: slots 0-3, 4-5, 6-8, carry 9 */
static const struct cw_kernel kernel = {.name = (char *)"k", .r32_cnt = 4, .r64_cnt = 2, .pred_cnt = 3};

static struct cw_opnd opnd(enum cw_opnd_kind kind, uint16_t idx)
{
    return (struct cw_opnd){.kind = (uint8_t)kind, .idx = idx};
}

static struct cw_issue_op compile(struct cw_uop u)
{
    struct cw_config config;
    struct cw_error err;
    struct cw_issue_op op;
    assert_int_equal(cw_config_preset(&config, "getm", &err), 0);
    u.exec = nothing;
    assert_int_equal(cw_issue_op_compile(&op, &kernel, &u, &config, &err), 0);
    return op;
}

static struct cw_uop three(struct cw_opnd d, struct cw_opnd a, struct cw_opnd b)
{
    return (struct cw_uop){.op = CW_OP_ADD, .fu = CW_FU_ALU, .guard = -1, .dst_cnt = 1, .src_cnt = 2, .dst = {d}, .src = {a, b}};
}

static void test_scoreboard__register_files_do_not_overlap(void **state)
{
    (void)state;
    struct cw_uop u = three(opnd(CW_OPND_R64, 1), opnd(CW_OPND_R32, 3), opnd(CW_OPND_C32, 2));
    u.guard = 2;
    u.flags = CW_UF_CIN | CW_UF_COUT;
    struct cw_issue_op op = compile(u);
    const uint16_t expected[] = {5, 9, 3, 8, 9}; /* destinations: d1, carry; sources: r3, guard p2, carry */
    assert_int_equal(cw_scoreboard_slots(&kernel), 10);
    assert_int_equal(op.dst_cnt, 2);
    assert_int_equal(op.slot_cnt, 5);
    assert_memory_equal(op.slot, expected, sizeof expected);
}

/* Whoever carries it out: what an intrinsic returns is a destination like any other. */
static void test_scoreboard__an_intrinsic_has_operands(void **state)
{
    (void)state;
    struct cw_uop u = three(opnd(CW_OPND_R32, 2), opnd(CW_OPND_R64, 0), opnd(CW_OPND_C32, 1));
    u.op = CW_OP_INTRINSIC;
    u.fu = CW_FU_CTRL;
    struct cw_issue_op op = compile(u);
    const uint16_t expected[] = {2, 4};
    assert_int_equal(op.kind, CW_ISSUE_INTRINSIC);
    assert_int_equal(op.fu, CW_FU_CTRL);
    assert_int_equal(op.dst_cnt, 1);
    assert_int_equal(op.slot_cnt, 2);
    assert_memory_equal(op.slot, expected, sizeof expected);
}

static void test_scoreboard__an_instruction_waits_for_its_sources_and_destinations(void **state)
{
    (void)state;
    uint64_t slot[10] = {0};
    struct cw_issue_op producer = compile(three(opnd(CW_OPND_R32, 0), opnd(CW_OPND_R32, 1), opnd(CW_OPND_R32, 1)));
    struct cw_issue_op raw = compile(three(opnd(CW_OPND_R32, 2), opnd(CW_OPND_R32, 3), opnd(CW_OPND_R32, 0)));
    struct cw_issue_op waw = compile(three(opnd(CW_OPND_R32, 0), opnd(CW_OPND_R32, 3), opnd(CW_OPND_R32, 3)));
    struct cw_issue_op war = compile(three(opnd(CW_OPND_R32, 1), opnd(CW_OPND_R32, 3), opnd(CW_OPND_R32, 3)));
    cw_scoreboard_set(slot, &producer, 108);
    assert_int_equal(cw_scoreboard_ready(slot, &raw), 108);
    assert_int_equal(cw_scoreboard_ready(slot, &waw), 108);
    assert_int_equal(cw_scoreboard_ready(slot, &war), 0);
}

static void test_scoreboard__a_load_holds_its_register_until_the_data_comes(void **state)
{
    (void)state;
    uint64_t slot[10] = {0};
    struct cw_uop u = {.op = CW_OP_LD,
                       .fu = CW_FU_MEM,
                       .space = CW_SPACE_GLOBAL,
                       .guard = -1,
                       .vec = 2,
                       .dst_cnt = 2,
                       .src_cnt = 1,
                       .dst = {opnd(CW_OPND_R32, 1), opnd(CW_OPND_R32, 2)},
                       .src = {opnd(CW_OPND_R64, 0)}};
    struct cw_issue_op load = compile(u);
    struct cw_issue_op user = compile(three(opnd(CW_OPND_R32, 0), opnd(CW_OPND_R32, 3), opnd(CW_OPND_R32, 2)));
    assert_int_equal(load.kind, CW_ISSUE_MEM);
    cw_scoreboard_set(slot, &load, CW_CYCLE_PENDING);
    assert_true(cw_scoreboard_ready(slot, &user) == CW_CYCLE_PENDING);
    cw_scoreboard_set(slot, &load, 500);
    assert_int_equal(cw_scoreboard_ready(slot, &user), 500);
}

static void test_scoreboard__parameter_loads_do_not_use_the_load_store_unit(void **state)
{
    (void)state;
    struct cw_uop u = {
        .op = CW_OP_LD, .fu = CW_FU_MEM, .space = CW_SPACE_PARAM, .guard = -1, .dst_cnt = 1, .src_cnt = 1, .dst = {opnd(CW_OPND_R32, 1)}};
    struct cw_issue_op op = compile(u);
    assert_int_equal(op.kind, CW_ISSUE_EXEC);
    assert_int_equal(op.fu, CW_FU_ALU);
    assert_int_equal(op.latency, 8);
}

static void test_scoreboard__refuses_what_nobody_executes(void **state)
{
    (void)state;
    struct cw_config config;
    struct cw_error err;
    struct cw_issue_op op;
    struct cw_uop u = three(opnd(CW_OPND_R32, 0), opnd(CW_OPND_R32, 1), opnd(CW_OPND_R32, 2));
    u.line = 77;
    assert_int_equal(cw_config_preset(&config, "getm", &err), 0);
    assert_int_equal(cw_issue_op_compile(&op, &kernel, &u, &config, &err), CW_EUNSUP);
    assert_string_equal(err.text, "kernel k, line 77: add cannot be executed");
}

/* Of several machine instructions each takes the scheduler and, of the integers, the unit. */
static void test_scoreboard__several_slots(void **state)
{
    (void)state;
    struct cw_uop u = three(opnd(CW_OPND_R64, 1), opnd(CW_OPND_R64, 0), opnd(CW_OPND_C64, 1));
    const struct cw_issue_op one = compile(u);
    u.slots = 1;
    const struct cw_issue_op two = compile(u);
    assert_int_equal(two.taken, 2 * one.taken);
    assert_int_equal(two.interval, 2 * one.interval);
    assert_int_equal(two.latency, one.latency + one.interval);
}

/* Two micro-ops, of which the first rides: the pair, as the warp waits for it. */
static struct cw_issue_op ride(struct cw_uop first, struct cw_uop second, const char *setting)
{
    struct cw_config config;
    struct cw_error err;
    struct cw_issue_op op[2];
    struct cw_uop both[2] = {first, second};
    assert_int_equal(cw_config_preset(&config, "getm", &err), 0);
    if (setting != NULL)
        assert_int_equal(cw_config_set(&config, setting, &err), 0);
    for (uint32_t i = 0; i < 2; i++) {
        both[i].exec = nothing;
        assert_int_equal(cw_issue_op_compile(&op[i], &kernel, &both[i], &config, &err), 0);
    }
    cw_issue_op_ride(op, both, &config);
    return op[0];
}

/* It waits for the registers of both, writes those of the second, and takes the second one's unit; a register counts once. */
static void test_scoreboard__rides(void **state)
{
    (void)state;
    const struct cw_uop first = three(opnd(CW_OPND_R32, 2), opnd(CW_OPND_R32, 0), opnd(CW_OPND_C32, 1));
    struct cw_uop second = three(opnd(CW_OPND_R32, 1), opnd(CW_OPND_R32, 2), opnd(CW_OPND_R64, 0));
    second.op = CW_OP_MUL;
    second.fu = CW_FU_IMUL;
    const struct cw_issue_op op = ride(first, second, NULL);
    const uint16_t expected[] = {1, 2, 4, 0};
    assert_int_equal(op.kind, CW_ISSUE_RIDES);
    assert_int_equal(op.fu, CW_FU_IMUL);
    assert_int_equal(op.dst_cnt, 1);
    assert_int_equal(op.slot_cnt, 4);
    assert_memory_equal(op.slot, expected, sizeof expected);
}

/* Nothing rides on what may be refused and tried again, a load rides on nothing, and nothing rides where operands are collected. */
static void test_scoreboard__rides_not(void **state)
{
    (void)state;
    const struct cw_uop add = three(opnd(CW_OPND_R32, 2), opnd(CW_OPND_R32, 0), opnd(CW_OPND_C32, 1));
    struct cw_uop fence = add, load = add, release = add;
    fence.op = CW_OP_MEMBAR;
    load.op = CW_OP_LD;
    load.space = CW_SPACE_GLOBAL;
    release.op = CW_OP_ST;
    release.flags = CW_UF_RELEASE;
    assert_int_equal(ride(add, fence, NULL).kind, CW_ISSUE_EXEC);
    assert_int_equal(ride(add, release, NULL).kind, CW_ISSUE_EXEC);
    assert_int_equal(ride(load, add, NULL).kind, CW_ISSUE_MEM);
    assert_int_equal(ride(add, load, NULL).kind, CW_ISSUE_RIDES);
    assert_int_equal(ride(add, add, "core.collectors=4").kind, CW_ISSUE_EXEC);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scoreboard__register_files_do_not_overlap),
    cmocka_unit_test(test_scoreboard__an_intrinsic_has_operands),
    cmocka_unit_test(test_scoreboard__an_instruction_waits_for_its_sources_and_destinations),
    cmocka_unit_test(test_scoreboard__a_load_holds_its_register_until_the_data_comes),
    cmocka_unit_test(test_scoreboard__parameter_loads_do_not_use_the_load_store_unit),
    cmocka_unit_test(test_scoreboard__refuses_what_nobody_executes),
    cmocka_unit_test(test_scoreboard__several_slots),
    cmocka_unit_test(test_scoreboard__rides),
    cmocka_unit_test(test_scoreboard__rides_not),
};
CW_TEST_MAIN(tests)
