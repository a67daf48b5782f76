/* SPDX-License-Identifier: Apache-2.0 */
/* The SIMT core without transactions: results, timing, resources, faults and reports. */
#include "core_rig.h"

/* ---- results ---- */

static const char vecadd[] =
    PTX_HEAD ENTRY "ld.global.u32 %r1, [%e]; ld.global.u32 %r2, [%e+16384]; add.u32 %r3, %r1, %r2; st.global.u32 [%e+32768], %r3; ret; }";

static void test_core__adds_vectors(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), vecadd, 96, 40);
    for (uint32_t i = 0; i < 3840; i++)
        assert_int_equal(word(r, 8192 + i), i + (4096 + i));
    assert_int_equal(word(r, 8192 + 3840), 8192 + 3840);
    assert_int_equal(r->stats.threads_exited, 3840);
    assert_int_equal(r->stats.blocks_finished, 40);
    assert_int_equal(r->blocks_done, 40);
    assert_int_equal(r->stats.warp_instructions, 120 * (ENTRY_UOPS + 5));
    assert_int_equal(r->stats.thread_instructions, 3840 * (ENTRY_UOPS + 5));
    assert_int_equal(r->stats.mem_instructions, 120 * 3);
    assert_int_equal(r->stats.mem_accesses, 120 * 3); /* a warp's 32 words are one line */
    destroy_rig(r);
}

/* word[n] = number of iterations: n % 7 + 1, by a loop that lanes leave one after the other, inside an if */
static const char loops[] =
    PTX_HEAD ENTRY "rem.u32 %r1, %n, 7; mov.u32 %r2, 0; and.b32 %r3, %n, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;\n"
                   "LOOP: add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, %r1; @!%p2 bra LOOP; bra DONE;\n"
                   "EVEN: add.u32 %r2, %r1, 1001;\n"
                   "DONE: st.global.u32 [%e], %r2; ret; }";

static void check_loops(const struct rig *r, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++)
        assert_int_equal(word(r, i), i % 7 + (i % 2 == 0 ? 1001 : 1));
}

static void test_core__divergent_lanes_get_their_own_results(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), loops, 100, 3);
    check_loops(r, 300);
    assert_in_range(r->stats.branches_divergent, 1, r->stats.branches);
    destroy_rig(r);
}

/* Reverses each block of 256 words through shared memory. */
static const char reverse[] =
    PTX_HEAD ".shared .align 4 .b8 s[1024];\n" ENTRY
             "mov.u64 %d1, s; mul.wide.u32 %d2, %t, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r1, [%e]; st.shared.u32 [%d3], %r1;\n"
             "bar.sync 0; mov.u32 %r2, 255; sub.u32 %r2, %r2, %t; mul.wide.u32 %d4, %r2, 4; add.u64 %d5, %d1, %d4;\n"
             "ld.shared.u32 %r3, [%d5]; st.global.u32 [%e], %r3; ret; }";

static void test_core__blocks_exchange_through_shared_memory(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), reverse, 256, 20);
    for (uint32_t i = 0; i < 20 * 256; i++)
        assert_int_equal(word(r, i), i / 256 * 256 + 255 - i % 256);
    assert_int_equal(r->stats.barriers, 20 * 8);
    assert_int_equal(r->stats.shared_conflict_cycles, 0);
    destroy_rig(r);
}

/* Warps that have exited do not hold up a barrier. */
static const char early_exit[] =
    PTX_HEAD ENTRY "setp.lt.u32 %p1, %t, 64; @%p1 bra OUT; bar.sync 0; mov.u32 %r1, 7; st.global.u32 [%e], %r1; OUT: ret; }";

static void test_core__a_barrier_counts_only_live_warps(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), early_exit, 160, 2);
    for (uint32_t i = 0; i < 320; i++)
        assert_int_equal(word(r, i), i % 160 < 64 ? i : 7);
    destroy_rig(r);
}

/* Votes of a whole block: 100 threads, of which those with n % 3 == 0 vote yes. */
static const char votes[] = PTX_HEAD ENTRY
    "rem.u32 %r1, %n, 3; setp.eq.u32 %p1, %r1, 0; barrier.cta.red.popc.u32 %r2, 0, %p1; barrier.cta.red.and.pred %p2, 0, %p1;\n"
    "barrier.cta.red.or.pred %p3, 0, %p1; selp.u32 %r3, 1000, 0, %p2; selp.u32 %r4, 2000, 0, %p3; add.u32 %r2, %r2, %r3;\n"
    "add.u32 %r2, %r2, %r4; st.global.u32 [%e], %r2; ret; }";

static void test_core__barrier_reductions_count_all_threads(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), votes, 100, 1);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(word(r, i), 34 + 2000); /* 0, 3, .. 99; not all; some */
    destroy_rig(r);
}

/* Warps leave while the data of a load that nobody uses is on its way; it must not arrive in the slot's next warp. */
static const char unused_load[] = PTX_HEAD ENTRY "add.u32 %r1, %n, 77; st.global.u32 [%e+4096], %r1; ld.global.u32 %r1, [%e]; ret; }";

static void test_core__a_slot_is_free_only_when_its_loads_are_back(void **state)
{
    (void)state;
    struct rig *r = new_rig();
    r->config.core_blocks = 1;
    run_kernel(r, unused_load, 512, 4);
    for (uint32_t i = 0; i < 2048; i++)
        assert_int_equal(word(r, 1024 + i), i + 77);
    destroy_rig(r);
}

/* An array of 16 words per thread in local memory, written up, read down, with an address that depends on the lane. 32 warps need 64 KB,
 * more than the L1 has: lines come and go. */
static const char local_array[] = PTX_HEAD ENTRY
    ".local .align 8 .b8 l[128]; mov.u64 %d1, l; mov.u32 %r1, 0;\n"
    "W: add.u32 %r2, %r1, %n; and.b32 %r2, %r2, 15; mad.wide.u32 %d2, %r2, 4, %d1; mad.lo.u32 %r3, %n, 100, %r2; st.local.u32 [%d2], %r3;\n"
    "mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %d4, %d1; st.local.u16 [%d4+64], %r3;\n"
    "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 bra W;\n"
    "mov.u32 %r1, 0; mov.u32 %r5, 0;\n"
    "L: shl.b32 %r6, %r1, 2; cvt.u64.u32 %d3, %r6; add.u64 %d3, %d1, %d3; ld.local.u32 %r4, [%d3]; add.u32 %r5, %r5, %r4;\n"
    "ld.local.u16 %r8, [%d3+64]; add.u32 %r5, %r5, %r8;\n"
    "add.u32 %r1, %r1, 2; setp.lt.u32 %p1, %r1, 16; @%p1 bra L;\n"
    "ld.local.v2.u64 {%d5, %d6}, [%d1+16]; cvt.u32.u64 %r7, %d6; add.u32 %r5, %r5, %r7;\n"
    "shr.u64 %d5, %d5, 32; cvt.u32.u64 %r7, %d5; add.u32 %r5, %r5, %r7; st.global.u32 [%e], %r5; ret; }";

static void test_core__local_memory_is_private_and_survives_eviction(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), local_array, 512, 4);
    for (uint32_t n = 0; n < 2048; n++) {
        uint32_t sum = 8 * 100 * n + 56; /* even words: 0 + 2 + .. + 14 */
        for (uint32_t k = 0; k < 16; k += 2)
            sum += (100 * n + k) & 0xffff;
        sum += (100 * n + 6) + (100 * n + 5); /* low half of the second, high half of the first 64 bits at word 4 */
        assert_int_equal(word(r, n), sum);
    }
    assert_in_range(r->stats.l1_writebacks, 1, UINT32_MAX);
    assert_in_range(r->stats.l1_read_misses, 1, r->stats.l1_reads);
    destroy_rig(r);
}

static const char atomics[] =
    PTX_HEAD ".shared .align 4 .b8 s[8];\n" ENTRY
             "mov.u64 %d1, s; setp.ne.u32 %p1, %t, 0; mov.u32 %r9, 0; @%p1 bra SKIP; st.shared.u32 [%d1], %r9; SKIP: bar.sync 0;\n"
             "atom.global.add.u32 %r1, [%a], 1; atom.shared.add.u32 %r2, [%d1], 2; red.global.max.u32 [%a+4], %n;\n"
             "mad.wide.u32 %d3, %r1, 4, %a; mov.u32 %r4, 1; atom.global.add.u32 %r5, [%d3+4096], %r4; bar.sync 0;\n"
             "ld.shared.u32 %r3, [%d1]; setp.eq.u32 %p2, %t, 0; mad.wide.u32 %d2, %c, 4, %a; @%p2 st.global.u32 [%d2+64], %r3; ret; }";

static void test_core__atomics_are_performed_once_per_lane(void **state)
{
    (void)state;
    struct rig *r = new_rig();
    run_kernel(r, atomics, 64, 8);
    assert_int_equal(word(r, 0), 512);
    assert_int_equal(word(r, 1), 511);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(word(r, 16 + i), 128); /* 64 threads added 2 */
    for (uint32_t i = 0; i < 512; i++)          /* all old values were different: each counter was hit once */
        assert_int_equal(word(r, 1024 + i), 1024 + i + 1);
    destroy_rig(r);
}

/* Generic addresses in one instruction: even lanes global, odd lanes shared. */
static const char generic[] =
    PTX_HEAD ".shared .align 4 .b8 s[128];\n" ENTRY
             "mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; mad.wide.u32 %d3, %t, 4, %d2; add.u32 %r1, %n, 5000;\n"
             "and.b32 %r2, %n, 1; setp.eq.u32 %p1, %r2, 0; selp.b64 %d4, %e, %d3, %p1; st.u32 [%d4], %r1; ld.u32 %r3, [%d4];\n"
             "add.u32 %r3, %r3, 1; st.global.u32 [%e+4096], %r3; ret; }";

static void test_core__one_generic_access_may_go_to_two_spaces(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(), generic, 32, 1);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word(r, 1024 + i), 5001 + i);
        assert_int_equal(word(r, i), i % 2 == 0 ? 5000 + i : i);
    }
    destroy_rig(r);
}

static const char widths[] =
    PTX_HEAD ".const .align 4 .b32 table[4] = {10, 20, 30, 40};\n" ENTRY
             "mul.wide.u32 %d1, %t, 16; add.u64 %d1, %d1, %a; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n"
             "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;\n"
             "ld.global.s8 %r5, [%a+1]; ld.global.u8 %r6, [%a+4]; ld.global.s16 %r7, [%a+2]; ld.global.s8 %d5, [%a];\n"
             "and.b32 %r8, %t, 3; mul.wide.u32 %d2, %r8, 4; mov.u64 %d3, table; add.u64 %d2, %d2, %d3; ld.const.u32 %r9, [%d2];\n"
             "add.u32 %r1, %r1, %r9; st.global.u32 [%e+4096], %r1; st.global.u32 [%a+8192], %r5; st.global.u32 [%a+8196], %r6;\n"
             "st.global.u32 [%a+8200], %r7; st.global.u64 [%a+8208], %d5; st.global.u8 [%a+8217], %r6; ret; }";

static void test_core__accesses_of_all_widths(void **state)
{
    (void)state;
    struct rig *r = new_rig();
    create_machine(r);
    for (uint32_t i = 0; i < BUFFER_WORDS; i++)
        set_word(r, i, i);
    set_word(r, 0, 0x8001fe80u);
    set_word(r, 1, 0x123456ffu);
    load(r, widths);
    prepare(r, 32, 1);
    run(r);
    assert_string_equal(r->fault_text, "");
    for (uint32_t i = 1; i < 32; i++)
        assert_int_equal(word(r, 1024 + i), 16 * i + 6 + 10 * (i % 4 + 1));
    assert_int_equal(word(r, 2048), 0xfffffffe);
    assert_int_equal(word(r, 2049), 0xff);
    assert_int_equal(word(r, 2050), 0xffff8001);
    assert_int_equal(word(r, 2052), 0xffffff80);
    assert_int_equal(word(r, 2053), 0xffffffff);
    assert_int_equal(word(r, 2054), (2054 & ~0xff00u) | 0xff00);
    destroy_rig(r);
}

/* The same thread stores and loads one address again and again: program order, with and without the L1. */
static const char same_address[] = PTX_HEAD ENTRY
    "mov.u32 %r1, 0; mov.u32 %r5, 0;\n"
    "L: add.u32 %r2, %r1, %n; st.global.u32 [%e], %r2; ld.global.u32 %r3, [%e]; sub.u32 %r4, %r3, %r2; or.b32 %r5, %r5, %r4;\n"
    "atom.global.add.u32 %r6, [%e], 1; sub.u32 %r4, %r6, %r2; or.b32 %r5, %r5, %r4; ld.global.u32 %r3, [%e]; sub.u32 %r4, %r3, %r2;\n"
    "sub.u32 %r4, %r4, 1; or.b32 %r5, %r5, %r4; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra L;\n"
    "st.global.u32 [%e+8192], %r5; ret; }";

static void test_core__accesses_of_a_thread_to_one_address_stay_in_order(void **state)
{
    (void)state;
    for (uint32_t l1 = 0; l1 < 2; l1++) {
        struct rig *r = new_rig();
        r->config.l1_global = l1;
        run_kernel(r, same_address, 256, 4);
        for (uint32_t i = 0; i < 1024; i++)
            assert_int_equal(word(r, 2048 + i), 0);
        destroy_rig(r);
    }
}

/* ---- timing ---- */

static uint64_t cycles_of(const char *text, uint32_t threads)
{
    struct rig *r = run_kernel(new_rig(), text, threads, 1);
    uint64_t cycles = r->cycles;
    destroy_rig(r);
    return cycles;
}

/* Cycles between two reads of the clock around the text; the store before them has waited for all that went before. */
static uint32_t clocked(const char *text)
{
    char all[2048];
    snprintf(all, sizeof all,
             "%s st.global.u32 [%%e], %%n; mov.u32 %%r20, %%clock; %s mov.u32 %%r21, %%clock; sub.u32 %%r22, %%r21, %%r20;"
             "add.u32 %%r1, %%r1, %%r2; add.u32 %%r1, %%r1, %%r3; add.u32 %%r1, %%r1, %%r4; st.global.u32 [%%e+8192], %%r1;"
             "st.global.u32 [%%e+4096], %%r22; ret; }",
             PTX_HEAD ENTRY, text);
    struct rig *r = run_kernel(new_rig(), all, 32, 1);
    uint32_t cycles = word(r, 1024);
    destroy_rig(r);
    return cycles;
}

static void test_core__dependent_instructions_are_a_latency_apart(void **state)
{
    (void)state;
    /* fu.alu_latency is 8, core.issue_cycles is 2: issue at 2, 4, 6, 8, clock at 10; or at 2, 10, 18, 26, clock at 28 */
    assert_int_equal(clocked("add.u32 %r1, %n, 1; add.u32 %r2, %n, 2; add.u32 %r3, %n, 3; add.u32 %r4, %n, 4;"), 10);
    assert_int_equal(clocked("add.u32 %r1, %n, 1; add.u32 %r2, %r1, 2; add.u32 %r3, %r2, 3; add.u32 %r4, %r3, 4;"), 28);
    /* fu.imul_interval is 4: issue at 2, 6, 10, 14 */
    assert_int_equal(clocked("mul.lo.u32 %r1, %n, %t; mul.lo.u32 %r2, %n, %n; mul.lo.u32 %r3, %t, %t; mul.lo.u32 %r4, %t, %n;"), 16);
}

static void test_core__a_taken_branch_costs_the_fetch(void **state)
{
    (void)state;
    const char jump[] =
        "add.u32 %r1, %n, 1; add.u32 %r2, %n, 2; add.u32 %r3, %n, 3; bra.uni NEXT; add.u32 %r3, %n, 5; NEXT: add.u32 %r4, %n, 4;";
    assert_int_equal(clocked(jump), 14); /* issue at 2, 4, 6, branch at 8; then core.fetch_cycles is 4: 12, clock at 14 */
}

static void test_core__the_load_path_has_the_configured_latency(void **state)
{
    (void)state;
    const char none[] = PTX_HEAD ENTRY "add.u64 %d1, %e, 1; ret; }";
    const char one[] = PTX_HEAD ENTRY "ld.global.u32 %r1, [%e]; add.u32 %r1, %r1, 1; ret; }";
    const char two[] =
        PTX_HEAD ENTRY "ld.global.u32 %r1, [%e]; mad.wide.u32 %d1, %r1, 4, %a; ld.global.u32 %r2, [%d1]; add.u32 %r1, %r2, 1; ret; }";
    uint64_t base = cycles_of(none, 1);
    /* l1.pipeline, request, memory, reply of one header and one sector (2 flits), write-back */
    uint64_t load_cycles = 34 + (1 + 5) + MEMORY_LATENCY + (1 + 5 + 1) + 1;
    uint64_t first = cycles_of(one, 1) - base;
    assert_in_range(first, load_cycles - 4, load_cycles + 4);
    assert_int_equal(cycles_of(two, 1) - cycles_of(one, 1), first + 10); /* fu.imul_latency */
}

static void test_core__bank_conflicts_cost_a_pass_each(void **state)
{
    (void)state;
    const char straight[] = PTX_HEAD ".shared .align 4 .b8 s[8192];\n" ENTRY
                                     "mov.u64 %d1, s; mad.wide.u32 %d2, %t, 4, %d1; ld.shared.u32 %r1, [%d2]; add.u32 %r1, %r1, 1; ret; }";
    const char strided[] = PTX_HEAD ".shared .align 4 .b8 s[8192];\n" ENTRY
                                    "mov.u64 %d1, s; mad.wide.u32 %d2, %t, 64, %d1; ld.shared.u32 %r1, [%d2]; add.u32 %r1, %r1, 1; ret; }";
    assert_int_equal(cycles_of(strided, 32) - cycles_of(straight, 32), 15 * 2); /* 16 words apart: two banks, 16 words each */
}

/* 32 banks give 32 words in a pass, of two cycles: 64-bit accesses side by side take two of them, 128-bit ones four. With a gap of two words between them, the
 * lanes of a half-warp meet in pairs. */
#define SHARED_LOAD(stride, load)                                                                                              \
    PTX_HEAD ".shared .align 16 .b8 s[8192];\n" ENTRY "mov.u64 %d1, s; mad.wide.u32 %d2, %t, " stride ", %d1; ld.shared." load \
             ", [%d2]; add.u32 %r1, %r1, 1; ret; }"
static void test_core__wide_shared_accesses_go_by_parts(void **state)
{
    (void)state;
    const uint64_t narrow = cycles_of(SHARED_LOAD("4", "u32 %r1"), 32);
    assert_int_equal(cycles_of(SHARED_LOAD("8", "v2.u32 {%r1, %r2}"), 32) - narrow, 2 * 1);
    assert_int_equal(cycles_of(SHARED_LOAD("16", "v4.u32 {%r1, %r2, %r3, %r4}"), 32) - narrow, 2 * 3);
    assert_int_equal(cycles_of(SHARED_LOAD("16", "v2.u32 {%r1, %r2}"), 32) - narrow, 2 * 3);
}

/* Passes of the banks beyond the first. place: of %r4, the number of the 16 bytes at which a lane's access begins. */
static uint64_t further_passes(uint32_t pairs, uint32_t width, const char *place, const char *access)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s%s ret; }", PTX_HEAD ".shared .align 16 .b8 s[8192];\n" ENTRY, place,
             " mov.u64 %d1, s; mad.wide.u32 %d2, %r4, 16, %d1; setp.ne.u32 %p1, %t, 0; ", access);
    struct rig *r = new_rig();
    r->config.shared_pairs = pairs;
    r->config.shared_width = width;
    run_kernel(r, text, 32, 1);
    const uint64_t passes = r->stats.shared_conflict_cycles / r->config.shared_pass_cycles;
    destroy_rig(r);
    return passes;
}

#define QUAD   "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%d2];"
#define DOUBLE "ld.shared.v2.u32 {%r5, %r6}, [%d2];"

/* The threads n and n ^ 1, or n and n ^ 2, have one address: 128 bits take two passes and 64 bits one, and not four and two. */
static void test_core__equal_addresses_of_pairs_return_together(void **state)
{
    (void)state;
    static const struct {
        const char *place, *access;
        uint32_t without, with; /* Passes, less the first */
    } rows[] = {
        {"shr.u32 %r4, %t, 1;", QUAD, 3, 1},                                                                 /* 0 0 1 1 2 2 3 3 */
        {"shr.u32 %r4, %t, 2; shl.b32 %r4, %r4, 1; and.b32 %r5, %t, 1; add.u32 %r4, %r4, %r5;", QUAD, 3, 1}, /* 0 1 0 1 2 3 2 3 */
        {"shr.u32 %r4, %t, 2;", QUAD, 3, 1},                                                                 /* 0 0 0 0 1 1 1 1 */
        {"mov.u32 %r4, 0;", QUAD, 3, 1},
        {"mov.u32 %r4, 0;", DOUBLE, 1, 0},
        {"shr.u32 %r4, %t, 4;", DOUBLE, 1, 0},
        {"and.b32 %r4, %t, 3;", QUAD, 3, 3}, /* 0 1 2 3 0 1 2 3 */
        {"mov.u32 %r4, %t;", QUAD, 3, 3},
        {"min.u32 %r4, %t, 1;", QUAD, 3, 3},                                                      /* 0 1 1 1 1 1 1 1 */
        {"min.u32 %r4, %t, 1;", "@%p1 " QUAD, 3, 1},                                              /* - 1 1 1 1 1 1 1 */
        {"shr.u32 %r4, %t, 2;", "and.b32 %r9, %t, 1; setp.eq.u32 %p1, %r9, 0; @%p1 " QUAD, 3, 1}, /* 0 - 0 - 1 - 1 - */
        {"shr.u32 %r4, %t, 1;", "st.shared.v4.u32 [%d2], {%t, %t, %t, %t};", 3, 3},
        /* 128 bytes apart: the four addresses of a quarter-warp meet in four banks, and so do the eight of a half-warp */
        {"shr.u32 %r4, %t, 1; shl.b32 %r4, %r4, 3;", QUAD, 15, 15},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(further_passes(CW_OFF, 128, rows[i].place, rows[i].access), rows[i].without);
        assert_int_equal(further_passes(CW_ON, 128, rows[i].place, rows[i].access), rows[i].with);
    }
}

/* 64 bytes come in a cycle: 128 bits of 32 lanes take eight of them, 64 bits four. */
static void test_core__wide_shared_accesses_take_turns_where_few_bytes_come(void **state)
{
    (void)state;
    assert_int_equal(further_passes(CW_OFF, 64, "mov.u32 %r4, %t;", QUAD), 7);
    assert_int_equal(further_passes(CW_ON, 64, "shr.u32 %r4, %t, 1;", QUAD), 3);
    assert_int_equal(further_passes(CW_OFF, 64, "shr.u32 %r4, %t, 1;", DOUBLE), 3);
    assert_int_equal(further_passes(CW_OFF, 64, "shr.u32 %r4, %t, 1; shl.b32 %r4, %r4, 3;", QUAD), 15); /* Conflicts are longer */
}

static void test_core__a_fence_waits_for_the_acknowledgement(void **state)
{
    (void)state;
    const char without[] = PTX_HEAD ENTRY
        "st.global.u32 [%e], %n; mov.u32 %r1, %clock; mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1; st.global.u32 [%e+4096], %r3; ret; }";
    const char gpu[] = PTX_HEAD ENTRY "st.global.u32 [%e], %n; mov.u32 %r1, %clock; membar.gl; mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1; "
                                      "st.global.u32 [%e+4096], %r3; ret; }";
    const char cta[] = PTX_HEAD ENTRY "st.global.u32 [%e], %n; mov.u32 %r1, %clock; membar.cta; mov.u32 %r2, %clock; sub.u32 %r3, %r2, "
                                      "%r1; st.global.u32 [%e+4096], %r3; ret; }";
    const char *const text[] = {without, cta, gpu};
    uint32_t waited[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct rig *r = run_kernel(new_rig(), text[i], 32, 1);
        waited[i] = word(r, 1024);
        destroy_rig(r);
    }
    assert_in_range(waited[0], 1, 4);
    assert_in_range(waited[1], 30, 40);                                             /* the pipeline */
    assert_in_range(waited[2], 30 + MEMORY_LATENCY + 10, 50 + MEMORY_LATENCY + 16); /* and both crossbars and the memory */
}

/* ---- time skipping ---- */

static void test_core__skipping_idle_cycles_changes_nothing(void **state)
{
    (void)state;
    const char *const text[] = {vecadd, loops, reverse, local_array, atomics, same_address};
    for (uint32_t i = 0; i < sizeof text / sizeof text[0]; i++)
        for (uint32_t policy = CW_SCHED_GTO; policy <= CW_SCHED_LRR; policy++) {
            struct rig *skip = new_rig(), *all = new_rig();
            all->every_cycle = true;
            skip->config.core_scheduler = all->config.core_scheduler = policy;
            skip->config.l1_global = all->config.l1_global = policy;
            run_kernel(skip, text[i], 256, 4);
            run_kernel(all, text[i], 256, 4);
            assert_int_equal(skip->cycles, all->cycles);
            assert_memory_equal(&skip->stats, &all->stats, sizeof skip->stats);
            assert_memory_equal(cw_memory__at(skip->memory, skip->buffer), cw_memory__at(all->memory, all->buffer), 4 * BUFFER_WORDS);
            assert_true(skip->ticks < all->ticks);
            destroy_rig(skip);
            destroy_rig(all);
        }
}

/* ---- resources ---- */

static uint32_t most_blocks(struct rig *r, uint32_t threads, uint32_t shared)
{
    struct cw_error err;
    uint32_t n = 0;
    assert_int_equal(try_prepare(r, threads, 1, shared, &err), 0);
    for (; cw_core_can_take_block(r->core); n++)
        cw_core_start_block(r->core, (const uint32_t[3]){n, 0, 0}, r->now);
    return n;
}

static void test_core__blocks_are_limited_by_each_resource(void **state)
{
    (void)state;
    const struct {
        uint32_t threads, shared, registers, expected;
    } cases[] = {{32, 0, 10, 8},    /* core.blocks */
                 {512, 0, 10, 3},   /* 48 warps */
                 {32, 4000, 10, 4}, /* 16 KB in slices of 4096 */
                 {256, 0, 32, 4},   /* 32768 registers */
                 {256, 0, 31, 4}};  /* 31 x 32 registers are 992, rounded up to 1024 per warp */
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *r = new_rig();
        create_machine(r);
        load(r, vecadd);
        r->kernel->live_regs = cases[i].registers;
        assert_int_equal(most_blocks(r, cases[i].threads, cases[i].shared), cases[i].expected);
        destroy_rig(r);
    }
}

static void test_core__a_block_that_cannot_fit_is_refused(void **state)
{
    (void)state;
    struct cw_error err;
    struct rig *r = new_rig();
    create_machine(r);
    load(r, vecadd);
    assert_int_equal(try_prepare(r, 32, 1, 20000, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "core.shared_bytes"));
    r->config.core_warps = 48;
    assert_int_equal(try_prepare(r, 49 * 32, 1, 0, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "core.warps"));
    r->kernel->live_regs = 64;
    assert_int_equal(try_prepare(r, 1024, 1, 0, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "core.registers"));
    destroy_rig(r);
}

/* ---- faults and reports ---- */

static struct rig *run_to_fault(const char *text, uint32_t threads)
{
    struct rig *r = new_rig();
    create_machine(r);
    load(r, text);
    prepare(r, threads, 1);
    run(r);
    assert_int_equal(r->fault, CW_EFAULT);
    return r;
}

static void expect_fault(const char *text, const char *expected)
{
    struct rig *r = run_to_fault(text, 64);
    if (strstr(r->fault_text, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", r->fault_text, expected);
    destroy_rig(r);
}

static void test_core__illegal_accesses_name_thread_and_address(void **state)
{
    (void)state;
    const char wild[] = PTX_HEAD ENTRY "setp.ne.u32 %p1, %t, 37; @%p1 bra OUT;\nmov.u64 %d1, 64; ld.global.u32 %r1, [%d1]; OUT: ret; }";
    const char odd[] = PTX_HEAD ENTRY "add.u64 %d1, %e, 2; st.global.u32 [%d1], %n; ret; }";
    const char far[] = PTX_HEAD ENTRY "mov.u64 %d1, 0x7000000000; ld.u32 %r1, [%d1]; ret; }";
    const char shared[] =
        PTX_HEAD ".shared .align 4 .b8 s[128];\n" ENTRY "mov.u64 %d1, s; mad.wide.u32 %d2, %t, 4, %d1; st.shared.u32 [%d2], %t; ret; }";
    const char trap[] = PTX_HEAD ENTRY "trap; ret; }";
    const char nobodys[] = PTX_HEAD ".extern .func nobodys();\n" ENTRY "setp.gt.u32 %p1, %t, 8; @%p1 call nobodys;\nret; }";
    expect_fault(wild, "kernel k: k.ptx:10: block (0, 0, 0) thread (37, 0, 0): ld of 4 bytes at global address 0x40: no memory there");
    expect_fault(odd, "misaligned");
    expect_fault(far, "not allocated");
    expect_fault(shared, "thread (32, 0, 0): st of 4 bytes at shared address 0x80: beyond the block's shared memory");
    expect_fault(trap, "thread (0, 0, 0): trap");
    expect_fault(nobodys, "thread (9, 0, 0): no mechanism carries out nobodys");
}

/* A warp waits at a barrier for one that never comes. */
static void test_core__the_report_names_a_missing_barrier_arrival(void **state)
{
    (void)state;
    const char text[] = PTX_HEAD ENTRY "setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 3, 64; @!%p1 bar.sync 4, 64; ret; }";
    struct rig *r = new_rig();
    char report[4096];
    create_machine(r);
    load(r, text);
    prepare(r, 64, 1);
    for (uint32_t i = 0; i < 2000; i++)
        step(r);
    report_text(r, report, sizeof report);
    assert_non_null(strstr(report, "warp 0 block (0, 0, 0) at k.ptx:"));
    assert_non_null(strstr(report, "waits for barrier 3: 32 of 64 threads arrived"));
    assert_non_null(strstr(report, "waits for barrier 4: 32 of 64 threads arrived"));
    assert_true(cw_core_component(r->core)->wake == CW_TIME_NEVER);
    assert_int_equal(cw_look_state(cw_core_look(r->core), 0), 3);
    assert_int_equal(cw_look_state(cw_core_look(r->core), 5), 0);
    destroy_rig(r);
}

/* Whether the report said so in some cycle of the kernel's run, which must end. */
static bool is_ever_reported(const char *kernel, const char *phrase)
{
    struct rig *r = new_rig();
    char report[4096];
    bool seen = false;
    create_machine(r);
    load(r, kernel);
    prepare(r, 32, 1);
    for (uint32_t i = 0; i < 5000 && !at_rest(r); i++) {
        step(r);
        report_text(r, report, sizeof report);
        seen |= strstr(report, phrase) != NULL;
    }
    report_text(r, report, sizeof report);
    assert_true(at_rest(r));
    assert_null(strstr(report, "waits for")); /* nobody is left */
    destroy_rig(r);
    return seen;
}

static void test_core__the_report_names_what_a_warp_waits_for(void **state)
{
    (void)state;
    const char narrow[] = PTX_HEAD ENTRY "ld.global.u32 %r1, [%a]; add.u32 %r2, %r1, 1; st.global.u32 [%e], %r2; ret; }";
    const char wide[] = PTX_HEAD ENTRY "ld.global.u64 %d1, [%a]; add.u64 %d2, %d1, 1; st.global.u64 [%a], %d2; ret; }";
    const char fence[] = PTX_HEAD ENTRY "st.global.u32 [%e], %n; membar.gl; ret; }";
    const char alone[] = PTX_HEAD ENTRY "add.u32 %r1, %n, 1; ret; }";
    assert_true(is_ever_reported(narrow, "waits for a memory access into 32-bit slot"));
    assert_false(is_ever_reported(narrow, "64-bit slot"));
    assert_true(is_ever_reported(wide, "waits for a memory access into 64-bit slot"));
    assert_true(is_ever_reported(fence, "waits for earlier accesses (fence or release): "));
    assert_true(is_ever_reported(alone, "(fetch, sleep or back-off)"));
    assert_false(is_ever_reported(alone, "a memory access"));
    assert_false(is_ever_reported(alone, "membar"));
}

/* The spin lock that deadlocks under a SIMT stack (Fung 2015, Example 5): the lane that has the lock waits for those who want it. */
static const char spin_lock[] = PTX_HEAD ENTRY "\nSPIN: atom.global.cas.b32 %r1, [%a], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra SPIN;\n"
                                               "atom.global.exch.b32 %r2, [%a], 0; ret; }";

static void test_core__a_simt_deadlock_is_recognised(void **state)
{
    (void)state;
    struct rig *r = new_rig();
    struct cw_core_spin spin;
    create_machine(r);
    set_word(r, 0, 0);
    load(r, spin_lock);
    prepare(r, 32, 1);
    for (uint32_t i = 0; i < 100000; i++)
        step(r);
    uint64_t progress = r->progress;
    for (uint32_t i = 0; i < 100000; i++)
        step(r);
    assert_int_equal(r->progress, progress);
    assert_true(cw_core_spin_report(r->core, &spin));
    assert_int_equal(spin.warp, 0);
    assert_int_equal(spin.waiting, 0x1); /* lane 0 was first */
    assert_int_equal(spin.lanes, 0xfffffffeu);
    assert_int_equal(spin.line, 10);
    assert_in_range(spin.iterations, 64, 100000);
    destroy_rig(r);
}

static void test_core__long_computation_is_progress(void **state)
{
    (void)state;
    const char text[] = PTX_HEAD ENTRY "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000000; @%p1 bra L; ret; }";
    struct rig *r = new_rig();
    struct cw_core_spin spin;
    create_machine(r);
    load(r, text);
    prepare(r, 32, 1);
    for (uint32_t i = 0; i < 20000; i++)
        step(r);
    uint64_t progress = r->progress;
    for (uint32_t i = 0; i < 20000; i++)
        step(r);
    assert_true(r->progress > progress);
    assert_false(cw_core_spin_report(r->core, &spin));
    destroy_rig(r);
}

/* What a thread sees of itself: its place in block and grid, a word of shared memory of its own, an array in local memory. */
static const char myself[] = PTX_HEAD
    ".shared .align 4 .b8 s[1024];\n" ENTRY
    ".local .align 4 .b8 l[8]; mov.u64 %d1, s; mad.wide.u32 %d2, %t, 4, %d1; st.shared.u32 [%d2], %n; mov.u64 %d3, l;\n"
    "mul.lo.u32 %r1, %c, 1000; add.u32 %r1, %r1, %t; st.local.u32 [%d3+4], %r1; bar.sync 0;\n"
    "ld.shared.u32 %r2, [%d2]; ld.local.u32 %r3, [%d3+4]; mul.lo.u32 %r2, %r2, 7; add.u32 %r2, %r2, %r3; st.global.u32 [%e], %r2; ret; }";

static void expect_myself(const struct rig *r, uint32_t threads, uint32_t blocks)
{
    for (uint32_t n = 0; n < threads * blocks; n++)
        assert_int_equal(word(r, n), 7 * n + n / threads * 1000 + n % threads);
}

/* A policy that gives the odd lanes of a block's first two warps to each other's threads. */
static struct cw_control_host swapping;
static uint32_t swap_first;

static int swap_create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    swapping = config->host;
    return cw_control_ipdom.create(out, config, err);
}

static void swap_block(struct cw_control *p, uint32_t block, const struct cw_slots *slots)
{
    const uint64_t warps = slots->word[0];
    (void)p;
    (void)block;
    swap_first = (uint32_t)__builtin_ctzll(warps);
}

static void swap_start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    uint8_t home[CW_WARP_LANES_MAX];
    cw_control_ipdom.start(p, warp, lanes);
    for (uint32_t lane = 0; lane < 32; lane++)
        home[lane] = (uint8_t)(lane % 2 == 0 || warp > swap_first + 1 ? warp : 2 * swap_first + 1 - warp);
    swapping.form(swapping.context, warp, lanes, home, true);
}

static struct cw_control_ops swap_ops(void)
{
    struct cw_control_ops swap = cw_control_ipdom;
    swap.regroups = true;
    swap.create = swap_create;
    swap.block_start = swap_block;
    swap.start = swap_start;
    return swap;
}

static void test_core__lanes_of_a_warp_may_be_threads_of_several(void **state)
{
    (void)state;
    const struct cw_control_ops swap = swap_ops();
    struct rig *r = new_rig();
    r->control = &swap;
    r->config.core_blocks = 1; /* so that the block's slot is 0 */
    run_kernel(r, myself, 96, 3);
    expect_myself(r, 96, 3);
    destroy_rig(r);
}

/* A thread's local memory lies with its home lane, wherever the thread runs: what has left the L1 is there. */
static void test_core__local_memory_stays_with_its_thread(void **state)
{
    (void)state;
    const char text[] = PTX_HEAD ENTRY ".local .align 4 .b8 l[64]; mov.u64 %d1, l; mov.u32 %r1, 0;\n"
                                       "W: mad.wide.u32 %d2, %r1, 4, %d1; add.u32 %r2, %n, 1; st.local.u32 [%d2], %r2;\n"
                                       "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 bra W; ret; }";
    const struct cw_control_ops swap = swap_ops();
    struct rig *r = new_rig();
    r->control = &swap;
    r->config.core_blocks = 1;
    r->config.l1_bytes = 1024;
    r->config.l1_ways = 2;
    run_kernel(r, text, 64, 1);
    uint32_t written = 0;
    for (uint32_t n = 0; n < 64; n++)
        for (uint32_t k = 0; k < 16; k++) {
            uint32_t v;
            memcpy(&v, cw_memory__at(r->memory, cw_local_row(r->launch.local_base, r->launch.local_bytes, n / 32, k) + n % 32 * 4), 4);
            assert_true(v == 0 || v == n + 1);
            written += v != 0;
        }
    assert_in_range(written, 64, 1024);
    destroy_rig(r);
}

static void test_core__lanes_of_a_wide_warp_are_numbered_on(void **state)
{
    (void)state;
    struct rig *r = new_rig();
    r->config.core_warp_width = 64;
    run_kernel(r, PTX_HEAD ENTRY "mov.u32 %r1, %laneid; st.global.u32 [%e], %r1; ret; }", 160, 1);
    for (uint32_t n = 0; n < 160; n++)
        assert_int_equal(word(r, n), n % 64);
    destroy_rig(r);
}

/* The same bytes whatever the width of warps and lines is; the number of warp instructions tells that the width was in use. */
static void test_core__results_do_not_depend_on_warp_width_and_line_size(void **state)
{
    (void)state;
    const char *const text[] = {vecadd, loops, reverse, local_array, votes, early_exit, widths, myself};
    for (uint32_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        struct rig *plain = run_kernel(new_rig(), text[i], 160, 2);
        for (uint32_t v = 1; v < 4; v++) {
            struct rig *r = new_rig();
            r->config.core_warp_width = (v & 1) != 0 ? 64 : 32;
            r->config.mem_line_bytes = (v & 2) != 0 ? 64 : 128;
            r->config.core_warps = 24; /* as many registers as with 48 warps of 32 */
            run_kernel(r, text[i], 160, 2);
            for (uint32_t n = 0; n < BUFFER_WORDS; n++)
                assert_int_equal(word(r, n), word(plain, n));
            assert_int_equal(r->stats.thread_instructions, plain->stats.thread_instructions);
            assert_int_equal(r->stats.threads_exited, 320);
            if (r->config.core_warp_width == 64)
                assert_in_range(r->stats.warp_instructions, 1, plain->stats.warp_instructions - 1);
            destroy_rig(r);
        }
        destroy_rig(plain);
    }
}

static void test_core__instructions_across_lanes_want_warps_of_32(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } refused[] = {{"activemask.b32 %r1;", "activemask"},         {"vote.sync.ballot.b32 %r1, %p1, -1;", "vote"},
                   {"match.any.sync.b32 %r1, %r2, -1;", "match"}, {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", "shfl"},
                   {"redux.sync.add.u32 %r1, %r2, -1;", "redux"}, {"mov.u32 %r1, %lanemask_lt;", "mov"}};
    for (uint32_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char text[2048], says[128];
        struct cw_error err = {""};
        struct rig *r = new_rig();
        snprintf(text, sizeof text, "%s%s mov.u32 %%r2, 0; setp.eq.u32 %%p1, %%r2, 0;\n%s st.global.u32 [%%e], %%r1; ret; }", PTX_HEAD,
                 ENTRY, refused[i].text);
        r->config.core_warp_width = 64;
        create_machine(r);
        load(r, text);
        assert_int_equal(try_prepare(r, 64, 1, 0, &err), CW_EUNSUP);
        snprintf(says, sizeof says, "%s works on warps of 32 lanes; set core.warp_width=32", refused[i].says);
        if (strstr(err.text, says) == NULL || strstr(err.text, ".ptx:") == NULL)
            fail_msg("\"%s\" does not say \"%s\"", err.text, says);
        destroy_rig(r);
    }
}

/* Addresses of 32 bits wrap as their register does, and negative offsets count back: thread t works on word t by way of a base that lies 64
 * bytes before the variable's own. */
static void test_core__addresses_of_32_bits_wrap(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD
        ".const .align 4 .b32 table[4] = {500, 501, 502, 503};\n.shared .align 8 .b8 s[256];\n" ENTRY
        ".local .align 4 .b8 l[16]; .reg .b32 %s, %s2, %l, %q; .reg .b64 %ws, %wl;\n"
        "mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s; add.s32 %s2, %s, -64; st.shared.u32 [%s2+64], %n; bar.sync 0;\n"
        "mov.u32 %l, -12; st.local.u32 [%l+16], %n; and.b32 %q, %t, 3; shl.b32 %q, %q, 2; sub.u32 %q, %q, 400; ld.const.u32 %r3, "
        "[%q+400];\n"
        "atom.shared.add.u32 %r4, [%s2+64], 1000; add.u32 %s2, %s, 128; ld.shared.u32 %r1, [%s2+-128];\n"
        "mov.u64 %wl, l; add.u64 %wl, %wl, 72; ld.local.u32 %r2, [%wl+-68];\n"
        "cvt.u64.u32 %ws, %s; add.u64 %ws, %ws, 300; ld.shared.u32 %r6, [%ws-300];\n"
        "shl.b32 %q, %t, 4; mul.wide.u32 %d1, %n, 32; add.u64 %d1, %a, %d1; st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r2;\n"
        "st.global.u32 [%d1+8], %r3; st.global.u32 [%d1+12], %r4; st.global.u32 [%d1+16], %r6; ret; }";
    struct rig *r = run_kernel(new_rig(), text, 64, 2);
    for (uint32_t n = 0; n < 128; n++) {
        assert_int_equal(word(r, 8 * n), n + 1000);
        assert_int_equal(word(r, 8 * n + 1), n);
        assert_int_equal(word(r, 8 * n + 2), 500 + n % 4);
        assert_int_equal(word(r, 8 * n + 3), n);
        assert_int_equal(word(r, 8 * n + 4), n + 1000);
    }
    destroy_rig(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core__addresses_of_32_bits_wrap),
    cmocka_unit_test(test_core__lanes_of_a_warp_may_be_threads_of_several),
    cmocka_unit_test(test_core__local_memory_stays_with_its_thread),
    cmocka_unit_test(test_core__lanes_of_a_wide_warp_are_numbered_on),
    cmocka_unit_test(test_core__results_do_not_depend_on_warp_width_and_line_size),
    cmocka_unit_test(test_core__instructions_across_lanes_want_warps_of_32),
    cmocka_unit_test(test_core__adds_vectors),
    cmocka_unit_test(test_core__divergent_lanes_get_their_own_results),
    cmocka_unit_test(test_core__blocks_exchange_through_shared_memory),
    cmocka_unit_test(test_core__a_barrier_counts_only_live_warps),
    cmocka_unit_test(test_core__barrier_reductions_count_all_threads),
    cmocka_unit_test(test_core__a_slot_is_free_only_when_its_loads_are_back),
    cmocka_unit_test(test_core__local_memory_is_private_and_survives_eviction),
    cmocka_unit_test(test_core__atomics_are_performed_once_per_lane),
    cmocka_unit_test(test_core__one_generic_access_may_go_to_two_spaces),
    cmocka_unit_test(test_core__accesses_of_all_widths),
    cmocka_unit_test(test_core__accesses_of_a_thread_to_one_address_stay_in_order),
    cmocka_unit_test(test_core__a_taken_branch_costs_the_fetch),
    cmocka_unit_test(test_core__dependent_instructions_are_a_latency_apart),
    cmocka_unit_test(test_core__the_load_path_has_the_configured_latency),
    cmocka_unit_test(test_core__bank_conflicts_cost_a_pass_each),
    cmocka_unit_test(test_core__wide_shared_accesses_go_by_parts),
    cmocka_unit_test(test_core__equal_addresses_of_pairs_return_together),
    cmocka_unit_test(test_core__wide_shared_accesses_take_turns_where_few_bytes_come),
    cmocka_unit_test(test_core__a_fence_waits_for_the_acknowledgement),
    cmocka_unit_test(test_core__skipping_idle_cycles_changes_nothing),
    cmocka_unit_test(test_core__blocks_are_limited_by_each_resource),
    cmocka_unit_test(test_core__a_block_that_cannot_fit_is_refused),
    cmocka_unit_test(test_core__illegal_accesses_name_thread_and_address),
    cmocka_unit_test(test_core__the_report_names_a_missing_barrier_arrival),
    cmocka_unit_test(test_core__the_report_names_what_a_warp_waits_for),
    cmocka_unit_test(test_core__a_simt_deadlock_is_recognised),
    cmocka_unit_test(test_core__long_computation_is_progress),
};
CW_TEST_MAIN(tests)
