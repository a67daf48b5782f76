/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets of a core: when each is called, and what its answer does. */
#include <string.h>

#include "core_rig.h"
#include "cw_test.h"

/* A mechanism that takes every socket but regions, and notes the calls. */
struct notes {
    struct rig *rig;
    uint32_t access, issued, lines[5], fences, acquires, starts, ends, calls, ticks;
    uint32_t issued_lanes, accessed_lanes;
    uint64_t warps;
    cw_time hold_until; /* access: CW_ACCESS_WAIT before */
    bool take;          /* access: CW_ACCESS_TAKEN; given back at the next tick */
    bool refuse_once;   /* fence, intrinsic: no at the first time */
    bool refused;
    struct cw_mem_inst *taken;
    struct notes *second; /* a mechanism behind this one, which takes the accesses only; NULL: none */
};

static enum cw_access_verdict access_memory(void *self, struct cw_mem_inst *inst, cw_time now, cw_time *again)
{
    struct notes *n = self;
    if (now < n->hold_until) {
        *again = n->hold_until;
        return CW_ACCESS_WAIT;
    }
    n->access++;
    n->accessed_lanes += cw_lanes_count(inst->lanes);
    if (n->take && n->taken == NULL && inst->uop->op == CW_OP_ST) {
        n->taken = inst;
        return CW_ACCESS_TAKEN;
    }
    return CW_ACCESS_GO;
}

static void l1_line(void *self, enum cw_l1_event what, uint64_t line, uint32_t warp, cw_time now)
{
    (void)warp;
    (void)now;
    assert_int_equal(line % 128, 0);
    ((struct notes *)self)->lines[what]++;
}

/* Whether this call is to be refused; the warp is woken at the next tick. */
static bool refuse(struct notes *n)
{
    const bool no = n->refuse_once && !n->refused;
    n->refused |= no;
    return no;
}

static bool fence(void *self, uint32_t warp, const struct cw_uop *uop, cw_time now)
{
    struct notes *n = self;
    (void)warp;
    (void)now;
    assert_int_equal(uop->op, CW_OP_MEMBAR);
    if (refuse(n))
        return false;
    n->fences++;
    return true;
}

static void acquire(void *self, const struct cw_mem_inst *inst, cw_time now)
{
    (void)now;
    assert_true((inst->uop->flags & CW_UF_ACQUIRE) != 0 && inst->value[0][0] == 0);
    ((struct notes *)self)->acquires++;
}

static void block_start(void *self, uint32_t block, uint64_t warps, cw_time now)
{
    struct notes *n = self;
    (void)block;
    (void)now;
    n->starts++;
    n->warps |= warps;
}

static void block_end(void *self, uint32_t block, cw_time now)
{
    (void)block;
    (void)now;
    ((struct notes *)self)->ends++;
}

static void issued(void *self, uint32_t warp, const struct cw_uop *uop, cw_lanes lanes, cw_time now)
{
    struct notes *n = self;
    (void)warp;
    (void)uop;
    (void)now;
    n->issued++;
    n->issued_lanes += cw_lanes_count(lanes);
}

static bool intrinsic(void *self, struct cw_core_call *call, cw_time now)
{
    struct notes *n = self;
    (void)now;
    if (refuse(n))
        return false;
    n->calls++;
    for (cw_lanes rest = call->lanes; rest != 0; rest = cw_lanes_rest(rest))
        call->result[cw_lanes_first(rest)] = 3 * call->arg[0][cw_lanes_first(rest)] + call->arg[1][cw_lanes_first(rest)];
    return true;
}

static cw_time tick(void *self, cw_time now)
{
    struct notes *n = self;
    n->ticks++;
    if (n->taken != NULL) {
        cw_core_mem_done(n->rig->core, n->taken, now);
        n->taken = NULL;
        n->take = false;
    }
    if (n->refused) {
        cw_core_wake_warp(n->rig->core, 0, now);
        n->refuse_once = n->refused = false;
    }
    return now + 1;
}

static const struct cw_core_sockets all = {.access = access_memory,
                                           .l1_line = l1_line,
                                           .fence = fence,
                                           .acquire = acquire,
                                           .block_start = block_start,
                                           .block_end = block_end,
                                           .issued = issued,
                                           .intrinsic = intrinsic,
                                           .tick = tick};

static const struct cw_core_sockets accesses = {.access = access_memory};

static const struct cw_intrinsic triple[] = {
    {.name = "triple", .role = CW_INTRINSIC_CALL, .result = CW_U32, .arg_cnt = 2, .arg = {CW_U32, CW_U32}, .what = "3 a + b"},
    {.name = NULL}};

static struct rig *run_with(struct notes *n, const char *text, uint32_t threads, uint32_t blocks)
{
    struct rig *r = n->rig = new_rig();
    const struct cw_intrinsic *const known[] = {triple, NULL};
    r->intrinsics = known;
    r->config.l1_global = CW_ON;
    r->config.const_bytes = 1024;
    r->config.const_params = CW_ON;
    create_machine(r);
    assert_int_equal(cw_core_attach(r->core, &all, n, triple, NULL), 0);
    if (n->second != NULL)
        assert_int_equal(cw_core_attach(r->core, &accesses, n->second, NULL, NULL), 0);
    load(r, text);
    prepare(r, threads, blocks);
    run(r);
    assert_string_equal(r->fault_text, "");
    return r;
}

static void test_core_sockets__blocks_and_instructions(void **state)
{
    (void)state;
    struct notes n = {0};
    struct rig *r = run_with(&n, PTX_HEAD ENTRY "setp.lt.u32 %p1, %t, 8; @%p1 st.global.u32 [%e], %n; ret; }", 64, 3);
    assert_int_equal(n.starts, 3);
    assert_int_equal(n.ends, 3);
    assert_int_equal(__builtin_popcountll(n.warps), 6);
    assert_int_equal(n.issued, r->stats.warp_instructions);
    assert_int_equal(n.issued_lanes, r->stats.thread_instructions);
    assert_int_equal(n.access, 3); /* the first warp of each block has lanes below 8 */
    assert_int_equal(n.accessed_lanes, 24);
    destroy_rig(r);
}

/* What nobody can write needs no mechanism. */
static void test_core_sockets__constants_and_parameters_are_no_accesses(void **state)
{
    (void)state;
    struct notes n = {0};
    struct rig *r =
        run_with(&n, PTX_HEAD ".const .b32 five = 5;\n" ENTRY "ld.const.u32 %r1, [five]; st.global.u32 [%e], %r1; ret; }", 32, 1);
    assert_int_equal(r->stats.const_reads, 2);
    assert_int_equal(word(r, 31), 5);
    assert_int_equal(n.access, 1);
    destroy_rig(r);
}

/* Listener: accesses to lines. */
struct heard {
    struct cw_event_listener listener;
    uint32_t cnt;
    cw_lanes lanes;
    uint64_t lines[8];
};

static void hear(void *self, const struct cw_event *e)
{
    struct heard *h = self;
    assert_int_equal(e->type, CW_EVENT_MEMORY);
    assert_true(h->cnt < 8 && e->u.access.uop->op == CW_OP_ST && (h->lanes & e->u.access.lanes) == 0);
    h->lanes |= e->u.access.lanes;
    h->lines[h->cnt++] = e->u.access.addr;
}

/* A warp of 64 lanes stores 256 bytes: two lines, each by the lanes of one half. */
static void test_core_sockets__the_stream_hears_of_lines(void **state)
{
    (void)state;
    for (uint32_t width = 32; width <= 64; width += 32) {
        struct heard h = {.listener = {.types = 1u << CW_EVENT_MEMORY, .self = &h, .hear = hear}};
        struct rig *r = new_rig();
        r->config.core_warp_width = width;
        cw_events_listen(&r->stream, &h.listener);
        create_machine(r);
        load(r, PTX_HEAD ENTRY "st.global.u32 [%e], %n; ret; }");
        prepare(r, width, 1);
        run(r);
        assert_int_equal(h.cnt, width / 32);
        assert_true(h.lanes == cw_lanes_below(width));
        assert_int_equal(h.lines[0] % 128, 0);
        assert_true(width == 32 || h.lines[1] == h.lines[0] + 128);
        assert_int_equal(r->stats.mem_accesses, h.cnt);
        destroy_rig(r);
    }
}

static void test_core_sockets__an_access_may_be_held_or_taken(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD ENTRY "st.global.u32 [%e], %n; add.u32 %r1, %n, 5; st.global.u32 [%e+4096], %r1; ret; }";
    struct notes plain = {0}, held = {.hold_until = 5000}, taken = {.take = true};
    struct rig *r = run_with(&plain, text, 32, 1);
    assert_in_range(r->cycles, 1, 4999);
    destroy_rig(r);
    r = run_with(&held, text, 32, 1);
    assert_in_range(r->cycles, 5000, 6000);
    assert_int_equal(held.access, 2);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word(r, i), i);
        assert_int_equal(word(r, 1024 + i), i + 5);
    }
    destroy_rig(r);
    r = run_with(&taken, text, 32, 1); /* the first store goes nowhere: the mechanism has it */
    for (uint32_t i = 1; i < 32; i++) {
        assert_int_equal(word(r, i), 0);
        assert_int_equal(word(r, 1024 + i), i + 5);
    }
    destroy_rig(r);
}

/* Whoever has let an access go is not asked about it again while another one holds it. */
static void test_core_sockets__each_is_asked_until_it_agrees(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD ENTRY "st.global.u32 [%e], %n; ret; }";
    struct notes second = {.hold_until = 5000}, first = {.second = &second};
    struct rig *r = run_with(&first, text, 64, 1);
    assert_in_range(r->cycles, 5000, 6000);
    assert_int_equal(first.access, 2);
    assert_int_equal(second.access, 2);
    destroy_rig(r);
}

static void test_core_sockets__lines_of_the_l1(void **state)
{
    (void)state;
    struct notes n = {0};
    struct rig *r = run_with(&n,
                             PTX_HEAD ENTRY ".local .align 4 .b8 l[4]; mov.u64 %d1, l; st.local.u32 [%d1], %n; ld.local.u32 %r1, [%d1];\n"
                                            "ld.global.ca.u32 %r2, [%e]; add.u32 %r1, %r1, %r2; st.global.u32 [%e], %r1; ret; }",
                             32, 1);
    assert_int_equal(n.lines[CW_L1_LINE_WRITTEN], 1);
    assert_int_equal(n.lines[CW_L1_LINE_HIT], 1);
    assert_int_equal(n.lines[CW_L1_LINE_FILLED], 1);
    assert_int_equal(n.lines[CW_L1_LINE_INVALIDATED], 1);
    assert_int_equal(n.lines[CW_L1_LINE_EVICTED], 0);
    destroy_rig(r);
}

static void test_core_sockets__fence_and_acquire(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ENTRY "st.global.u32 [%e+4], %n; membar.gl; ld.acquire.gpu.global.u32 %r1, [%a]; st.global.u32 [%e+4096], %r1; ret; }";
    struct notes n = {0}, late = {.refuse_once = true};
    struct rig *r = run_with(&n, text, 32, 1);
    assert_int_equal(n.fences, 1);
    assert_int_equal(n.acquires, 1);
    const uint64_t cycles = r->cycles;
    destroy_rig(r);
    r = run_with(&late, text, 32, 1);
    assert_int_equal(late.fences, 1);
    assert_true(r->cycles >= cycles);
    destroy_rig(r);
}

static void test_core_sockets__an_intrinsic_computes(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD ".extern .func (.param .b32 r) triple(.param .b32 a, .param .b32 b);\n" ENTRY
                                        "{ .param .b32 p0; .param .b32 p1; .param .b32 q; st.param.b32 [p0], %n; st.param.b32 [p1], %t;\n"
                                        "call.uni (q), triple, (p0, p1); ld.param.b32 %r1, [q]; } st.global.u32 [%e], %r1; ret; }";
    for (uint32_t late = 0; late < 2; late++) {
        struct notes n = {.refuse_once = late != 0};
        struct rig *r = run_with(&n, text, 48, 1);
        assert_int_equal(n.calls, 2);
        for (uint32_t i = 0; i < 48; i++)
            assert_int_equal(word(r, i), 4 * i);
        destroy_rig(r);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_sockets__blocks_and_instructions),
    cmocka_unit_test(test_core_sockets__the_stream_hears_of_lines),
    cmocka_unit_test(test_core_sockets__constants_and_parameters_are_no_accesses),
    cmocka_unit_test(test_core_sockets__an_access_may_be_held_or_taken),
    cmocka_unit_test(test_core_sockets__each_is_asked_until_it_agrees),
    cmocka_unit_test(test_core_sockets__lines_of_the_l1),
    cmocka_unit_test(test_core_sockets__fence_and_acquire),
    cmocka_unit_test(test_core_sockets__an_intrinsic_computes),
};
CW_TEST_MAIN(tests)
