/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines counted by hand: instruction buffers, operand collectors, register banks. */
#include "core/issue/operands.h"
#include "unit/core_rig.h"

static struct rig *stages(uint32_t buffer, uint32_t collectors)
{
    struct rig *r = new_rig();
    r->config.core_issue_cycles = 1;
    r->config.fu_alu_latency = 4;
    r->config.fu_alu_interval = 1;
    r->config.core_buffer = buffer;
    r->config.core_collectors = collectors;
    return r;
}

/* Cycles between the two reads of the clock, into %r20 and %r21, that the text makes. What it leaves in %r1, %r2 and %r3 is used, so that
 * these do not share their places with %r21. */
static uint32_t between(struct rig *r, const char *text)
{
    char all[2048];
    snprintf(all, sizeof all,
             "%s mov.u32 %%r1, 0; mov.u32 %%r2, 0; mov.u32 %%r3, 0; st.global.u32 [%%e], %%n; %s sub.u32 %%r22, %%r21, %%r20;"
             "add.u32 %%r1, %%r1, %%r2; add.u32 %%r1, %%r1, %%r3; st.global.u32 [%%e+8192], %%r1; st.global.u32 [%%e+4096], %%r22; ret; }",
             PTX_HEAD ENTRY, text);
    run_kernel(r, all, 1, 1);
    const uint32_t cycles = word(r, 1024);
    destroy_rig(r);
    return cycles;
}

#define T0 "mov.u32 %r20, %clock;"
#define T1 "mov.u32 %r21, %clock;"

/* One operand: collector at 1, read at 2, exit at 3, unit at 4, four cycles in it, result at 9, written at 10. */
static void test_core_stages__dependent_additions(void **state)
{
    (void)state;
    const char three[] = T0 "add.u32 %r1, %n, 1; add.u32 %r2, %r1, 2; add.u32 %r3, %r2, 3;" T1;
    const char two_operands[] = T0 "add.u32 %r1, %n, %t; add.u32 %r2, %r1, %t; add.u32 %r3, %r2, %t;" T1;
    assert_int_equal(between(stages(0, 0), three), 1 + 4 + 4 + 1);
    assert_int_equal(between(stages(0, 6), three), 1 + 10 + 10 + 1);
    assert_int_equal(between(stages(0, 6), two_operands), 1 + 11 + 11 + 1);
    struct rig *slow = stages(0, 6); /* stages of two cycles: two of them in the collectors' path of ten belong to the unit's latency */
    slow->config.core_stage_cycles = 2;
    assert_int_equal(between(slow, three), 2 + 16 + 16 + 2);
}

static struct rig *one_by_one(void)
{
    struct rig *r = stages(0, 0);
    r->config.core_scoreboard = CW_SCOREBOARD_WARP;
    return r;
}

/* core.scoreboard=warp: each instruction waits for the one before it, whatever registers they name. Additions, a branch and reads of the
 * clock take 4 cycles each. */
static void test_core_stages__one_instruction_at_a_time(void **state)
{
    (void)state;
    const char additions[] = T0 "add.u32 %r1, %n, 1; add.u32 %r2, %n, 2; add.u32 %r3, %n, 3;" T1;
    const char branch[] = T0 "bra J; J: add.u32 %r2, %n, 2;" T1;
    assert_int_equal(between(stages(0, 0), additions), 4);
    assert_int_equal(between(one_by_one(), additions), 4 * 4);
    assert_int_equal(between(one_by_one(), branch), 3 * 4);
}

/* JOIN is a branch's target, so the buffer is filled there: JOIN and the next. */
static void test_core_stages__a_taken_branch(void **state)
{
    (void)state;
    /* 0: clock, 1: branch; it is the last of the buffer, what lies behind it comes at 3 and is dropped, the target is fetched then */
    const char last[] = "bra.uni JOIN; trap; JOIN:" T0 "bra.uni NEXT; trap; NEXT:" T1;
    assert_int_equal(between(stages(2, 0), last), 1 + 4);
    /* 0: clock, 1: addition, 3: branch, 4: the buffer's next is not wanted, 6: the target */
    const char first[] = "bra.uni JOIN; trap; JOIN:" T0 "add.u32 %r1, %n, 1; bra.uni NEXT; trap; NEXT:" T1;
    assert_int_equal(between(stages(2, 0), first), 6);
    /* without a buffer: 0, 1, 2, and core.fetch_cycles = 4 */
    assert_int_equal(between(stages(0, 0), first), 6);
    struct rig *quick = stages(0, 0);
    quick->config.core_fetch_cycles = 1;
    assert_int_equal(between(quick, first), 3);
}

/* Two instructions each three cycles. */
static void test_core_stages__a_warp_alone_waits_for_its_fetches(void **state)
{
    (void)state;
    const char text[] = "bra.uni JOIN; trap; JOIN:" T0 "add.u32 %r1, %n, 1; add.u32 %r2, %n, 2; add.u32 %r3, %n, 3; add.u32 %r4, %n, 4;"
                        "add.u32 %r5, %n, 4;" T1 "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;"
                        "add.u32 %r1, %r1, %r5; st.global.u32 [%e+8192], %r1;";
    assert_int_equal(between(stages(2, 0), text), 9); /* 0 1, 3 4, 6 7, 9 */
    assert_int_equal(between(stages(4, 0), text), 7); /* 0 1 2 3, 5 6 7 */
    assert_int_equal(between(stages(0, 0), text), 6);
}

/* ---- instruction cache ---- */

static struct rig *with_icache(uint32_t lines, uint32_t ways)
{
    struct rig *r = stages(2, 6);
    r->config.icache_bytes = 128 * lines;
    r->config.icache_ways = ways;
    return r;
}

/* A miss and a load of a whole line are the same request; the load has passed the pipeline (34) before it, and the register is written in
 * the cycle after the reply. The miss leaves in the cycle after the port has read. */
static void test_core_stages__a_miss_in_the_instruction_cache(void **state)
{
    (void)state;
    const char load[] = T0 "ld.global.u32 %r1, [%e]; add.u32 %r2, %r1, 1;" T1;
    struct rig *r = stages(0, 0);
    char all[1024];
    snprintf(all, sizeof all,
             "%s add.u64 %%d1, %%e, 0; add.u64 %%d2, %%d1, 0; %s sub.u32 %%r22, %%r21, %%r20; add.u32 %%r22, %%r22, %%r2; st.global.u32 "
             "[%%e+4096], %%r22; ret; }",
             PTX_HEAD ENTRY, load);
    run_kernel(r, all, 32, 1);
    const uint32_t latency = word(r, 1024) - 2 - 1; /* of thread 0, whose word is 0: clock to load, load to sum, sum to clock */
    destroy_rig(r);
    const char line[] = PTX_HEAD ENTRY "ret; }"; /* 7 instructions */
    struct rig *perfect = run_kernel(stages(2, 6), line, 32, 1), *missing = run_kernel(with_icache(4, 2), line, 32, 1);
    assert_int_equal(missing->stats.icache_reads, 4);
    assert_int_equal(missing->stats.icache_read_misses, 1);
    assert_int_equal(missing->stats.icache_fills, 1);
    assert_int_equal(missing->cycles - perfect->cycles, 1 + latency - 34 - 1);
    destroy_rig(perfect);
    destroy_rig(missing);
}

/* Lines of a set from the most to the least recently used. */
struct model {
    uint32_t sets, ways, line[8][8], misses, reads;
};

static void model_read(struct model *m, uint32_t line)
{
    uint32_t *set = m->line[line % m->sets], i = 0;
    while (i < m->ways - 1 && set[i] != line)
        i++;
    m->misses += set[i] != line;
    m->reads++;
    memmove(set + 1, set, i * sizeof *set);
    set[0] = line;
}

/* The fetches of a warp that runs to its end, with one loop that it takes `rounds` times. */
static void model_run(struct model *m, const struct cw_kernel *k, uint32_t rounds)
{
    memset(m->line, 0xff, sizeof m->line);
    for (uint32_t pc = 0;;) {
        const uint32_t end = pc + (pc % 16 == 15 ? 1 : 2);
        model_read(m, pc / 16);
        while (pc < end) {
            const struct cw_uop *u = &k->uop[pc++];
            if (u->op == CW_OP_EXIT)
                return;
            if (u->op == CW_OP_BRA && --rounds != 0) {
                pc = u->target;
                break;
            }
        }
    }
}

static void test_core_stages__the_instruction_cache_is_lru(void **state)
{
    static const struct {
        uint32_t body, lines, ways;
    } kinds[] = {{40, 4, 2}, {50, 4, 4}, {70, 4, 1}, {70, 4, 2}, {70, 4, 4}, {120, 8, 2}, {200, 16, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[16384] = PTX_HEAD ENTRY "mov.u32 %r1, 5; mov.u32 %r2, 0; LOOP:";
        for (uint32_t n = 0; n < kinds[i].body; n++)
            strcat(text, "add.u32 %r2, %r2, %n;\n");
        strcat(text, "sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; st.global.u32 [%e], %r2; ret; }");
        struct model m = {.sets = kinds[i].lines / kinds[i].ways, .ways = kinds[i].ways};
        struct rig *r = run_kernel(with_icache(kinds[i].lines, kinds[i].ways), text, 32, 1);
        model_run(&m, r->kernel, 5);
        assert_int_equal(r->stats.icache_reads, m.reads);
        assert_int_equal(r->stats.icache_read_misses, m.misses);
        assert_int_equal(r->stats.icache_fills, m.misses);
        destroy_rig(r);
    }
}

/* More lines missing at once than there are miss registers, with warps apart; every fill is of a miss that asked for one. */
static void test_core_stages__misses_of_many_warps(void **state)
{
    (void)state;
    char text[16384] = PTX_HEAD ENTRY "mov.u32 %r1, 3; LOOP: mov.u32 %r2, %r1; setp.lt.u32 %p2, %t, 128; @%p2 bra SECOND;\n";
    for (uint32_t n = 0; n < 100; n++)
        strcat(text, n == 50 ? "bra JOIN; SECOND:\n" : "add.u32 %r2, %r2, %n;\n");
    strcat(text, "JOIN: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP; st.global.u32 [%e], %r2; ret; }");
    struct rig *skip = with_icache(4, 2), *all = with_icache(4, 2), *few = with_icache(4, 2);
    all->every_cycle = true;
    few->config.icache_mshrs = few->config.icache_mshr_merge = 1;
    struct rig *rigs[] = {skip, all, few};
    for (int i = 0; i < 3; i++) {
        const struct cw_stats *s = &run_kernel(rigs[i], text, 256, 3)->stats;
        assert_true(s->icache_fills > 12 && s->icache_fills <= s->icache_read_misses && s->icache_read_misses < s->icache_reads);
        for (uint32_t n = 0; n < 768; n++)
            assert_int_equal(word(rigs[i], n), 1 + (n % 256 < 128 ? 49 : 50) * n);
    }
    assert_int_equal(few->stats.icache_fills, few->stats.icache_read_misses); /* nobody merges */
    assert_int_equal(skip->cycles, all->cycles);
    assert_memory_equal(&skip->stats, &all->stats, sizeof skip->stats);
    for (int i = 0; i < 3; i++)
        destroy_rig(rigs[i]);
}

/* ---- the collectors alone ---- */

static struct cw_operands operands(uint32_t reads)
{
    struct cw_config config;
    struct cw_error err;
    struct cw_operands o;
    assert_int_equal(cw_config_preset(&config, "gtx480", &err), 0);
    config.core_collectors = 2;
    config.core_stage_cycles = 1;
    config.core_collector_reads = reads;
    cw_operands_reset(&o, &config);
    return o;
}

static struct cw_issue_op reading(uint8_t n, uint16_t a, uint16_t b, uint16_t c)
{
    return (struct cw_issue_op){
        .pipe = CW_PIPE_ALU, .dst_cnt = 1, .slot_cnt = (uint8_t)(1 + n), .reads = n, .interval = 1, .slot = {0, a, b, c}};
}

static void test_core_stages__operands_come_one_by_one(void **state)
{
    (void)state;
    for (uint8_t n = 0; n <= 3; n++) {
        struct cw_operands o = operands(1);
        const struct cw_issue_op op = reading(n, 1, 2, 3);
        assert_int_equal(cw_operands_issue(&o, &op, 0, 100), 103 + n);
    }
    struct cw_operands o = operands(3);
    const struct cw_issue_op apart = reading(3, 1, 2, 3), together = reading(3, 1, 17, 33); /* 16 banks: all three in bank 1 */
    assert_int_equal(cw_operands_issue(&o, &apart, 0, 100), 104);
    assert_int_equal(cw_operands_issue(&o, &together, 0, 200), 206);
}

static void test_core_stages__a_bank_has_one_port(void **state)
{
    (void)state;
    struct cw_operands o = operands(1);
    const struct cw_issue_op one = reading(1, 5, 0, 0);
    assert_int_equal(cw_operands_issue(&o, &one, 0, 100), 104); /* bank 5 at 102 */
    assert_int_equal(cw_operands_issue(&o, &one, 1, 100), 104); /* the next warp's is bank 6 */
    assert_int_equal(cw_operands_issue(&o, &one, 16, 103), 107);
    assert_int_equal(cw_operands_issue(&o, &one, 0, 103), 108); /* bank 5 again, which is read at 105 */
    const struct cw_issue_op writer = {.dst_cnt = 1, .slot = {5}};
    assert_int_equal(cw_operands_write(&o, &writer, 0, 202, 200), 202);
    assert_int_equal(cw_operands_write(&o, &writer, 0, 202, 200), 203); /* two results for one bank */
    assert_int_equal(cw_operands_issue(&o, &one, 0, 200), 206);         /* reads at 204 instead of 202 */
}

static void test_core_stages__collectors_and_units_run_out(void **state)
{
    (void)state;
    struct cw_operands o = operands(1);
    struct cw_issue_op op = reading(0, 0, 0, 0);
    op.pipe = CW_PIPE_SFU; /* one entry, one unit */
    op.interval = 8;
    assert_int_equal(cw_operands_entry(&o, CW_PIPE_SFU), 0);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 100), 103);
    assert_int_equal(cw_operands_entry(&o, CW_PIPE_SFU), 101);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 101), 111);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 102), 119); /* waits for the exit in its collector, until 111 */
    op = reading(0, 0, 0, 0);
    op.interval = 20;
    assert_int_equal(cw_operands_issue(&o, &op, 0, 100), 103); /* two entries, exits and units, two collectors */
    assert_int_equal(cw_operands_issue(&o, &op, 0, 100), 103);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 101), 123);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 101), 123);
    assert_int_equal(cw_operands_entry(&o, CW_PIPE_ALU), 102);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 103), 143); /* in a collector from 104 to 123 */
    assert_int_equal(cw_operands_issue(&o, &op, 0, 103), 143);
    assert_int_equal(cw_operands_issue(&o, &op, 0, 104), 163); /* no collector before 123 */
    assert_int_equal(cw_operands_issue(&o, &op, 0, 104), 163);
    assert_int_equal(cw_operands_entry(&o, CW_PIPE_ALU), 123);
}

static void test_core_stages__skipping_changes_nothing(void **state)
{
    (void)state;
    const char text[] = PTX_HEAD ENTRY "mov.u32 %r1, 5; LOOP: mad.lo.u32 %r2, %r1, %n, %t; add.u32 %r3, %r2, %r1; and.b32 %r4, %r3, 1;"
                                       "setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN; mul.lo.u32 %n, %r3, 3; EVEN: bar.sync 0;"
                                       "sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra LOOP; st.global.u32 [%e], %n; ret; }";
    struct rig *skip = stages(2, 6), *all = stages(2, 6);
    all->every_cycle = true;
    run_kernel(skip, text, 256, 3);
    run_kernel(all, text, 256, 3);
    assert_int_equal(skip->cycles, all->cycles);
    assert_true(skip->ticks < all->ticks);
    assert_memory_equal(&skip->stats, &all->stats, sizeof skip->stats);
    destroy_rig(skip);
    destroy_rig(all);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_stages__dependent_additions),
    cmocka_unit_test(test_core_stages__one_instruction_at_a_time),
    cmocka_unit_test(test_core_stages__a_taken_branch),
    cmocka_unit_test(test_core_stages__a_warp_alone_waits_for_its_fetches),
    cmocka_unit_test(test_core_stages__a_miss_in_the_instruction_cache),
    cmocka_unit_test(test_core_stages__the_instruction_cache_is_lru),
    cmocka_unit_test(test_core_stages__misses_of_many_warps),
    cmocka_unit_test(test_core_stages__operands_come_one_by_one),
    cmocka_unit_test(test_core_stages__a_bank_has_one_port),
    cmocka_unit_test(test_core_stages__collectors_and_units_run_out),
    cmocka_unit_test(test_core_stages__skipping_changes_nothing),
};

CW_TEST_MAIN(tests)
