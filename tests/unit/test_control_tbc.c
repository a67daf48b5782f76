/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread block compaction as a policy by itself, on the examples of Fung 2015, 3.3. A stand-in for the core notes which threads the policy
 * puts into which slot; the test says which way they go. Threads have the numbers of the figures: thread n is lane (n - 1) % 4 of static
 * warp (n - 1) / 4, so that warps have four threads.
 */
#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "cw_test.h"

extern const struct cw_control_ops cw_control_tbc;

#define WIDTH 4u
#define SLOTS 3u

struct rig {
    struct cw_config config;
    struct cw_stats stats;
    struct cw_control *p;
    uint64_t cycle, next;
    uint8_t home[SLOTS][CW_WARP_LANES_MAX];
    uint32_t formed;
    char fault[200];
};

static void form(void *context, uint32_t warp, cw_lanes lanes, const uint8_t *home, bool fetched)
{
    (void)fetched;
    struct rig *r = context;
    assert_in_range(warp, 0, SLOTS - 1);
    assert_true(lanes == r->p->front[warp].active);
    memcpy(r->home[warp], home, CW_WARP_LANES_MAX);
    r->formed++;
}

static void wake(void *context)
{
    struct rig *r = context;
    r->next = r->cycle + 1;
}

static void fault(void *context, uint32_t warp, const char *text)
{
    struct rig *r = context;
    (void)warp;
    strncpy(r->fault, text, sizeof r->fault - 1);
}

static void notice(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* Until the units are at rest. */
static void settle(struct rig *r)
{
    while (r->next != UINT64_MAX) {
        r->cycle++;
        if (r->next <= r->cycle)
            r->next = cw_control_tbc.tick(r->p, r->cycle);
        assert_in_range(r->cycle, 0, 10000);
    }
}

static struct rig *new_rig(const char *setting, uint32_t warps)
{
    struct rig *r = calloc(1, sizeof *r);
    struct cw_error err;
    static const char *const machine[] = {"core.divergence=tbc", "core.scheduler=lrr", "core.warps=32"};
    assert_int_equal(cw_config_preset(&r->config, "getm", &err), CW_OK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(cw_config_set(&r->config, machine[i], &err), CW_OK);
    if (setting != NULL)
        assert_int_equal(cw_config_set(&r->config, setting, &err), CW_OK);
    r->next = UINT64_MAX;
    const struct cw_control_config c = {.warps = SLOTS,
                                        .width = 32,
                                        .config = &r->config,
                                        .stats = &r->stats,
                                        .units = cw_unit_provider_c(),
                                        .host = {r, form, &r->cycle, NULL, wake, fault, notice, NULL, NULL, NULL, NULL}};
    assert_int_equal(cw_control_tbc.create(&r->p, &c, &err), CW_OK);
    r->p->ops = &cw_control_tbc;
    const struct cw_kernel empty = {.name = (char *)(uintptr_t) "k"};
    assert_int_equal(cw_control_tbc.prepare(r->p, &empty, "k.ptx", false, &err), CW_OK);
    cw_control_tbc.block_start(r->p, 0, &(struct cw_slots){.word = {(1u << warps) - 1}});
    for (uint32_t w = 0; w < warps; w++)
        cw_control_tbc.start(r->p, w, 0xf);
    settle(r);
    return r;
}

static void destroy_rig(struct rig *r)
{
    cw_control_tbc.destroy(r->p);
    free(r);
}

static uint64_t counter(const struct rig *r, const char *name)
{
    uint32_t i;
    struct cw_error err;
    assert_int_equal(cw_stats_find(&i, name, &err), CW_OK);
    return *cw_stats_value(&r->stats, i);
}

/* The slot runs these threads, a number per lane, at pc; 0: the lane is empty. */
static void expect_warp(const struct rig *r, uint32_t slot, uint32_t pc, const uint32_t threads[WIDTH])
{
    const struct cw_front *f = &r->p->front[slot];
    assert_int_equal(f->pc, pc);
    for (uint32_t l = 0; l < WIDTH; l++) {
        const uint32_t thread = (f->active >> l & 1u) != 0 ? WIDTH * r->home[slot][l] + l + 1 : 0;
        assert_int_equal(thread, threads[l]);
    }
}

static void expect_none(const struct rig *r, uint32_t slot)
{
    assert_true(r->p->front[slot].active == 0);
}

static void branch_likely(struct rig *r, uint32_t slot, const uint32_t *taken, uint32_t cnt, struct cw_branch b)
{
    cw_lanes lanes = 0;
    for (uint32_t l = 0; l < WIDTH; l++)
        for (uint32_t i = 0; i < cnt; i++)
            if ((r->p->front[slot].active >> l & 1u) != 0 && WIDTH * r->home[slot][l] + l + 1 == taken[i])
                lanes |= cw_lanes_one(l);
    cw_control_tbc.branch(r->p, slot, lanes, &b);
}

static void branch(struct rig *r, uint32_t slot, const uint32_t *taken, uint32_t cnt, uint32_t target, uint32_t next, uint32_t rpc)
{
    branch_likely(r, slot, taken, cnt, (struct cw_branch){.target = target, .next = next, .rpc = rpc, .lpc = CW_PC_NONE});
}

/* So many warps run up to that PC. */
static void reach(struct rig *r, uint32_t warps, uint32_t pc)
{
    for (uint32_t slot = 0; slot < warps; slot++)
        cw_control_advance(r->p, slot, pc);
    settle(r);
}

enum { A = 0, B = 10, C = 20, D = 30, E = 40, F = 50 };
#define T(...) ((const uint32_t[WIDTH]){__VA_ARGS__})

/* Figure 3.5: threads 1, 6 and 7 go to C, the others to B, and all meet at D. One warp runs C, two run B: 7 warps for A, B, C and D, where
 * static warps take 8. */
static void test_control_tbc__figure_3_5(void **state)
{
    (void)state;
    static const uint32_t to_c[] = {1, 6, 7};
    struct rig *r = new_rig(NULL, 2);
    expect_warp(r, 0, A, T(1, 2, 3, 4));
    expect_warp(r, 1, A, T(5, 6, 7, 8));
    branch(r, 0, to_c, 3, C, B, D);
    expect_none(r, 0);
    settle(r);
    expect_none(r, 0); /* it waits for the other one */
    branch(r, 1, to_c, 3, C, B, D);
    settle(r);
    expect_warp(r, 0, C, T(1, 6, 7, 0));
    expect_none(r, 1);
    reach(r, 1, D);
    expect_warp(r, 0, B, T(5, 2, 3, 4));
    expect_warp(r, 1, B, T(0, 0, 0, 8));
    cw_control_advance(r->p, 1, D);
    settle(r);
    expect_none(r, 1);
    reach(r, 1, D);
    expect_warp(r, 0, D, T(1, 2, 3, 4));
    expect_warp(r, 1, D, T(5, 6, 7, 8));
    assert_int_equal(counter(r, "tbc_warps_made"), 7);
    assert_int_equal(counter(r, "tbc_compactions"), 4);
    assert_int_equal(counter(r, "block_stack_max"), 3);
    assert_int_equal(counter(r, "tbc_threads_in"), 24);
    assert_int_equal(counter(r, "tbc_threads_out"), 24);
    destroy_rig(r);
}

/* The same with static warps under the block's stack: 8 warps. */
static void test_control_tbc__static_warps(void **state)
{
    (void)state;
    static const uint32_t to_c[] = {1, 6, 7};
    struct rig *r = new_rig("tbc.arrangement=static", 2);
    branch(r, 1, to_c, 3, C, B, D);
    branch(r, 0, to_c, 3, C, B, D);
    settle(r);
    expect_warp(r, 0, C, T(1, 0, 0, 0));
    expect_warp(r, 1, C, T(0, 6, 7, 0));
    reach(r, 2, D);
    expect_warp(r, 0, B, T(0, 2, 3, 4));
    expect_warp(r, 1, B, T(5, 0, 0, 8));
    reach(r, 2, D);
    assert_int_equal(counter(r, "tbc_warps_made"), 8);
    destroy_rig(r);
}

/* Figure 3.3(a): masks of B are 1101 and 0110, of C 0010 and 1001. C's threads fit into one warp, and D has the static ones again. */
static void test_control_tbc__figure_3_3(void **state)
{
    (void)state;
    static const uint32_t to_b[] = {1, 2, 4, 6, 7};
    struct rig *r = new_rig(NULL, 2);
    branch(r, 0, to_b, 5, B, C, D);
    branch(r, 1, to_b, 5, B, C, D);
    settle(r);
    expect_warp(r, 0, B, T(1, 2, 7, 4));
    expect_warp(r, 1, B, T(0, 6, 0, 0));
    reach(r, 2, D);
    expect_warp(r, 0, C, T(5, 0, 3, 8));
    expect_none(r, 1);
    reach(r, 1, D);
    expect_warp(r, 0, D, T(1, 2, 3, 4));
    expect_warp(r, 1, D, T(5, 6, 7, 8));
    assert_int_equal(counter(r, "tbc_warps_made"), 7); /* 2, 2, 1, 2; static warps take 8 */
    assert_int_equal(counter(r, "tbc_warps_ended"), 5);
    destroy_rig(r);
}

/* Figure 3.7: three warps arrive as W2, W3, W1. C has threads 5, 2, 3, 4 and 11, 8 in two warps; B has 1, 6, 7, 12 and 9, 10. */
static void test_control_tbc__figure_3_7(void **state)
{
    (void)state;
    static const uint32_t to_c[] = {5, 8, 11, 2, 3, 4};
    struct rig *r = new_rig(NULL, 3);
    branch(r, 1, to_c, 6, C, B, D);
    settle(r);
    branch(r, 2, to_c, 6, C, B, D);
    settle(r);
    branch(r, 0, to_c, 6, C, B, D);
    settle(r);
    expect_warp(r, 0, C, T(5, 2, 3, 4));
    expect_warp(r, 1, C, T(0, 0, 11, 8));
    expect_none(r, 2);
    reach(r, 2, D);
    expect_warp(r, 0, B, T(1, 6, 7, 12));
    expect_warp(r, 1, B, T(9, 10, 0, 0));
    expect_none(r, 2);
    assert_int_equal(counter(r, "tbc_warps_made"), 3 + 2 + 2);
    assert_int_equal(counter(r, "tbc_warps_ended"), 3 + 2);
    destroy_rig(r);
}

/* Figure 3.8 for a block of two warps: 2, 3, 4 and 5 go to C, the others to B. From C 2 and 5 go to E, 3 and 4 by D to F. Those of B come
 * to E, too, and go through it together with 2 and 5, although the post-dominator is F. */
static void test_control_tbc__figure_3_8(void **state)
{
    (void)state;
    static const uint32_t to_c[] = {2, 3, 4, 5}, to_d[] = {3, 4};
    const struct cw_branch a = {.target = C, .next = B, .rpc = F, .lpc = E}, c = {.target = D, .next = E, .rpc = F, .lpc = E};
    const struct cw_branch to_f = {.target = F, .next = D + 2, .rpc = F, .lpc = CW_PC_NONE, .kind = CW_BRANCH_ALWAYS};
    struct rig *r = new_rig(NULL, 2);
    branch_likely(r, 0, to_c, 4, a);
    branch_likely(r, 1, to_c, 4, a);
    settle(r);
    expect_warp(r, 0, C, T(5, 2, 3, 4));
    expect_none(r, 1);
    branch_likely(r, 0, to_d, 2, c);
    settle(r);
    expect_warp(r, 0, D, T(0, 0, 3, 4));
    cw_control_tbc.branch(r->p, 0, 0xc, &to_f);
    settle(r);
    expect_warp(r, 0, B, T(1, 6, 7, 8)); /* 2 and 5 wait at E */
    reach(r, 1, E);
    expect_warp(r, 0, E, T(1, 2, 7, 8));
    expect_warp(r, 1, E, T(5, 6, 0, 0));
    reach(r, 2, F);
    expect_warp(r, 0, F, T(1, 2, 3, 4));
    expect_warp(r, 1, F, T(5, 6, 7, 8));
    assert_string_equal(r->fault, "");
    assert_int_equal(counter(r, "lcp_joins"), 2);
    assert_int_equal(counter(r, "tbc_warps_made"), 2 + 1 + 1 + 1 + 2 + 2);
    assert_int_equal(counter(r, "block_stack_max"), 5); /* F, E, B, and of C's branch E and D */
    destroy_rig(r);
}

/* A branch that is proved to be uniform over the block: nobody waits, unless tbc.sync says so. */
static void test_control_tbc__proved_branches(void **state)
{
    (void)state;
    const struct cw_branch proved = {.target = C, .next = B, .rpc = D, .lpc = CW_PC_NONE, .uniform = true};
    struct rig *r = new_rig(NULL, 2);
    cw_control_tbc.branch(r->p, 0, 0xf, &proved);
    expect_warp(r, 0, C, T(1, 2, 3, 4));
    destroy_rig(r);
    r = new_rig("tbc.sync=uni", 2);
    cw_control_tbc.branch(r->p, 0, 0xf, &proved);
    expect_none(r, 0);
    destroy_rig(r);
}

/* A branch on which no warp diverges still makes them wait for each other; the side without threads takes no warp. */
static void test_control_tbc__a_branch_without_divergence(void **state)
{
    (void)state;
    struct rig *r = new_rig(NULL, 2);
    branch(r, 0, NULL, 0, C, B, D);
    settle(r);
    expect_none(r, 0);
    branch(r, 1, NULL, 0, C, B, D);
    settle(r);
    expect_warp(r, 0, B, T(1, 2, 3, 4));
    expect_warp(r, 1, B, T(5, 6, 7, 8));
    assert_int_equal(counter(r, "tbc_compactions"), 2);
    destroy_rig(r);
}

/* Threads that exit leave all entries, and the last of a side lets the other one run. */
static void test_control_tbc__exit_inside(void **state)
{
    (void)state;
    static const uint32_t to_c[] = {1, 6, 7};
    struct rig *r = new_rig(NULL, 2);
    branch(r, 0, to_c, 3, C, B, D);
    branch(r, 1, to_c, 3, C, B, D);
    settle(r);
    cw_control_tbc.exit(r->p, 0, 1);
    settle(r);
    expect_warp(r, 0, C, T(0, 6, 7, 0));
    cw_control_tbc.exit(r->p, 0, 6);
    settle(r);
    expect_warp(r, 0, B, T(5, 2, 3, 4));
    expect_warp(r, 1, B, T(0, 0, 0, 8));
    reach(r, 2, D);
    expect_warp(r, 0, D, T(5, 2, 3, 4)); /* compacted without those that have left */
    expect_warp(r, 1, D, T(0, 0, 0, 8));
    assert_int_equal(counter(r, "tbc_warps_ended"), 2 + 1 + 2);
    destroy_rig(r);
}

/* A barrier does not wait for threads that cannot run before those at it have gone on. */
static void test_control_tbc__threads_that_wait_below(void **state)
{
    (void)state;
    static const uint32_t to_c[] = {1, 6, 7};
    struct rig *r = new_rig(NULL, 2);
    assert_int_equal(cw_control_tbc.held(r->p, 0), 0);
    branch(r, 0, to_c, 3, C, B, D);
    branch(r, 1, to_c, 3, C, B, D);
    settle(r);
    assert_int_equal(cw_control_tbc.held(r->p, 0), 5);
    assert_true(cw_control_tbc.waiting(r->p, 0) == 0xf); /* lanes of 2 3 4 5 8 */
    assert_true(cw_control_tbc.barrier(r->p, 0, 1, 7) == 7);
    destroy_rig(r);
}

/* An indexed branch: an entry per target, that of the lowest thread first. The others come back to the branch. */
static void test_control_tbc__indexed_branch(void **state)
{
    (void)state;
    static const uint32_t first[32] = {C, B, C, B}, second[32] = {D, C, B, D};
    const struct cw_branch b = {.rpc = 40, .lpc = CW_PC_NONE, .kind = CW_BRANCH_OPEN};
    struct rig *r = new_rig(NULL, 2);
    cw_control_tbc.branch_indexed(r->p, 1, second, &b); /* 5 to D, 6 to C, 7 to B, 8 to D */
    settle(r);
    cw_control_tbc.branch_indexed(r->p, 0, first, &b); /* 1 and 3 to C, 2 and 4 to B */
    settle(r);
    expect_warp(r, 0, C, T(1, 6, 3, 0));
    reach(r, 1, 40);
    expect_warp(r, 0, A, T(5, 2, 7, 4));
    expect_warp(r, 1, A, T(0, 0, 0, 8));
    destroy_rig(r);
}

/* Warps that part at a branch where they do not wait for each other: the run ends. */
static void test_control_tbc__parted_warps(void **state)
{
    (void)state;
    const struct cw_branch uni = {.target = C, .next = B, .rpc = D, .lpc = CW_PC_NONE, .kind = CW_BRANCH_UNI};
    struct rig *r = new_rig(NULL, 2);
    cw_control_tbc.branch(r->p, 0, 0xf, &uni);
    assert_int_equal(r->p->front[0].pc, C);
    cw_control_tbc.branch(r->p, 1, 0, &uni);
    assert_int_equal(r->p->front[1].pc, B);
    branch(r, 0, NULL, 0, B, C + 1, D);
    assert_string_equal(r->fault, "");
    branch(r, 1, NULL, 0, C, B + 1, D);
    assert_non_null(strstr(r->fault, "tbc.sync=all"));
    destroy_rig(r);
    r = new_rig("tbc.sync=all", 2);
    cw_control_tbc.branch(r->p, 0, 0xf, &uni);
    expect_none(r, 0);
    destroy_rig(r);
}

/* 3.6.2: who issues first. Two blocks of one warp, slots 0 and 1. */
static void test_control_tbc__priorities(void **state)
{
    (void)state;
    static const char *const settings[] = {"tbc.priority=age", "tbc.priority=rrb", "tbc.priority=srr"};
    uint64_t got[3][4];
    for (uint32_t i = 0; i < 3; i++) {
        struct rig *r = new_rig(settings[i], 1);
        cw_control_tbc.block_start(r->p, 1, &(struct cw_slots){.word = {2}});
        cw_control_tbc.start(r->p, 1, 0xf);
        settle(r);
        const uint64_t every = r->config.core_issue_cycles, blocks = r->config.core_blocks;
        got[i][0] = cw_control_tbc.first(r->p, 0, 0, 3);
        got[i][1] = cw_control_tbc.first(r->p, 0, every, 3);
        got[i][2] = cw_control_tbc.first(r->p, 0, blocks * every, 2);
        got[i][3] = cw_control_tbc.first(r->p, 0, blocks * every, 3);
        destroy_rig(r);
    }
    assert_memory_equal(got[0], ((uint64_t[]){1, 1, 2, 1}), sizeof got[0]); /* the oldest */
    assert_memory_equal(got[1], ((uint64_t[]){1, 2, 2, 1}), sizeof got[1]); /* the next one in each turn */
    assert_memory_equal(got[2], ((uint64_t[]){1, 1, 2, 2}), sizeof got[2]); /* the same until it has no candidate */
}

/* Homes of a warp's lanes by eights, beside one by one: bytes that differ in any single bit, and in their lowest and highest. */
static void test_control_tbc__lanes_of_a_home(void **state)
{
    (void)state;
    uint8_t home[32];
    for (uint32_t round = 0; round < 256; round++) {
        for (uint32_t lane = 0; lane < 32; lane++)
            home[lane] = (uint8_t)(lane % 3 == 0 ? round : lane % 3 == 1 ? round ^ 1u << lane % 8 : round * lane);
        uint32_t expected = 0;
        for (uint32_t lane = 0; lane < 32; lane++)
            expected |= (uint32_t)(home[lane] == round) << lane;
        assert_int_equal(cw_lanes_equal(home, (uint8_t)round), expected);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_control_tbc__figure_3_5),
    cmocka_unit_test(test_control_tbc__figure_3_3),
    cmocka_unit_test(test_control_tbc__static_warps),
    cmocka_unit_test(test_control_tbc__figure_3_7),
    cmocka_unit_test(test_control_tbc__a_branch_without_divergence),
    cmocka_unit_test(test_control_tbc__exit_inside),
    cmocka_unit_test(test_control_tbc__threads_that_wait_below),
    cmocka_unit_test(test_control_tbc__indexed_branch),
    cmocka_unit_test(test_control_tbc__parted_warps),
    cmocka_unit_test(test_control_tbc__priorities),
    cmocka_unit_test(test_control_tbc__figure_3_8),
    cmocka_unit_test(test_control_tbc__proved_branches),
    cmocka_unit_test(test_control_tbc__lanes_of_a_home),
};

CW_TEST_MAIN(tests)
