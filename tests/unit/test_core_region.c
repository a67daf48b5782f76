/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions as the core sees them, under a scripted system that performs accesses at once and aborts whom the test wants. */
#include "core_rig.h"

#define ACCESS_CYCLES 40u
#define ATTEMPTS_MAX  8u

/* The system of one core with one warp. */
struct script {
    struct rig *rig;
    uint32_t refuse_begin; /* how often begin() says no; wake_at ends each wait */
    cw_time wake_at;
    uint32_t abort_at_commit[ATTEMPTS_MAX]; /* lanes that fail validation, per attempt */
    uint32_t abort_at_access[ATTEMPTS_MAX]; /* lanes that abort when the attempt's first access is made */
    cw_time restart_cycles;
    /* what happened */
    uint32_t begins, attempt, accesses, outstanding;
    cw_lanes begin_lanes, commit_lanes[ATTEMPTS_MAX];
    uint32_t outstanding_at_commit;
    cw_lanes access_lanes[ATTEMPTS_MAX]; /* of the attempt's last access */
    cw_time ended_at[ATTEMPTS_MAX], begun_at, first_access_at[ATTEMPTS_MAX];
    struct {
        struct cw_mem_inst *inst;
        cw_time ready;
    } queue[64];
    uint32_t queue_head, queue_cnt;
    uint32_t committing; /* lanes */
    bool commit_pending;
    uint32_t logs_done;
};

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct script *s = self;
    assert_int_equal(warp, 0);
    if (s->refuse_begin > 0) {
        s->refuse_begin--;
        s->wake_at = now + 77;
        return false;
    }
    s->begins++;
    s->begin_lanes = lanes;
    s->begun_at = now;
    return true;
}

static bool access_memory(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct script *s = self;
    if (s->first_access_at[s->attempt] == 0) {
        s->first_access_at[s->attempt] = now;
        if (s->abort_at_access[s->attempt] != 0)
            cw_core_region_abort(s->rig->core, inst->warp, s->abort_at_access[s->attempt]);
    }
    s->accesses++;
    s->access_lanes[s->attempt] = inst->lanes;
    s->outstanding++;
    s->queue[(s->queue_head + s->queue_cnt++) % 64].inst = inst;
    s->queue[(s->queue_head + s->queue_cnt - 1) % 64].ready = now + ACCESS_CYCLES;
    return true;
}

static void finish_access(struct script *s, struct cw_mem_inst *inst, cw_time now)
{
    cw_lanes dead = cw_core_region_aborted(s->rig->core, inst->warp);
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        if ((inst->lanes & ~dead) >> lane & 1u) {
            uint8_t *at = cw_memory__at(s->rig->memory, inst->addr[lane]);
            if (inst->uop->op == CW_OP_ST) {
                memcpy(at, &inst->value[0][lane], inst->elem_bytes);
            } else {
                inst->value[0][lane] = 0;
                memcpy(&inst->value[0][lane], at, inst->elem_bytes);
            }
        }
    }
    s->outstanding--;
    cw_core_mem_done(s->rig->core, inst, now);
}

static void commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct script *s = self;
    (void)warp;
    (void)now;
    assert_false(s->commit_pending);
    s->commit_lanes[s->attempt] = lanes;
    s->outstanding_at_commit += s->outstanding;
    s->commit_pending = true;
}

static cw_time tick(void *self, cw_time now)
{
    struct script *s = self;
    struct cw_core *c = s->rig->core;
    if (s->wake_at != 0 && now >= s->wake_at) {
        s->wake_at = 0;
        cw_core_wake_warp(c, 0, now);
    }
    while (s->queue_cnt > 0 && s->queue[s->queue_head].ready <= now) {
        struct cw_mem_inst *inst = s->queue[s->queue_head].inst;
        s->queue_head = (s->queue_head + 1) % 64;
        s->queue_cnt--;
        finish_access(s, inst, now);
    }
    if (s->commit_pending) {
        s->commit_pending = false;
        cw_core_region_abort(c, 0, s->abort_at_commit[s->attempt]);
        s->ended_at[s->attempt++] = now;
        assert_in_range(s->attempt, 1, ATTEMPTS_MAX - 1);
        cw_core_region_end(c, 0, now, now + s->restart_cycles);
    }
    return s->queue_cnt > 0 ? s->queue[s->queue_head].ready : s->wake_at != 0 ? s->wake_at : CW_TIME_NEVER;
}

static bool idle(const void *self)
{
    const struct script *s = self;
    return s->outstanding == 0 && !s->commit_pending;
}

static void log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    struct script *s = self;
    (void)warp;
    (void)now;
    assert_int_equal(cookie, 100 + s->logs_done);
    s->logs_done++;
}

static const struct cw_core_sockets ops = {
    .region_begin = begin, .region_access = access_memory, .region_end = commit, .log_done = log_done, .tick = tick, .idle = idle};

#define TX_HEAD   PTX_HEAD ".extern .func tx_begin(); .extern .func tx_commit();\n" ENTRY
#define TX_BEGIN  "call.uni tx_begin, ();\n"
#define TX_COMMIT "call.uni tx_commit, ();\n"

static void prepare_text(struct rig *r, const char *text, uint32_t threads)
{
    for (uint32_t i = 0; i < BUFFER_WORDS; i++)
        set_word(r, i, i);
    load(r, text);
    r->log_bytes = 4096;
    prepare(r, threads, 1);
}

static void start_alone(struct rig *r, struct script *s, const char *text, uint32_t threads)
{
    s->rig = r;
    create_machine(r);
    prepare_text(r, text, threads);
}

static void start(struct rig *r, struct script *s, const char *text, uint32_t threads)
{
    s->rig = r;
    create_machine(r);
    assert_int_equal(cw_core_attach(r->core, &ops, s, cw_tm_intrinsics, NULL), 0);
    prepare_text(r, text, threads);
}

static struct rig *run_script(struct script *s, const char *text, uint32_t threads)
{
    struct rig *r = new_rig();
    start(r, s, text, threads);
    run(r);
    assert_string_equal(r->fault_text, "");
    return r;
}

/* word[n] += 1 by way of a register that is read and written inside: 5 + 1, however often it restarts. */
static const char count[] =
    TX_HEAD "mov.u32 %r1, 5; mov.u64 %d2, 7; setp.eq.u32 %p3, %n, %n;\n" TX_BEGIN
            "ld.global.u32 %r2, [%e+4096]; add.u32 %r1, %r1, 1; add.u64 %d2, %d2, 1; not.pred %p3, %p3; add.u32 %r2, %r2, 1; st.global.u32 "
            "[%e+4096], %r2;\n" TX_COMMIT
            "cvt.u32.u64 %r3, %d2; mad.lo.u32 %r1, %r3, 100, %r1; @!%p3 add.u32 %r1, %r1, 10000; st.global.u32 [%e], %r1; ret; }";

static void test_core_region__commits_at_the_first_attempt(void **state)
{
    (void)state;
    struct script s = {0};
    struct rig *r = run_script(&s, count, 32);
    assert_int_equal(s.begins, 1);
    assert_int_equal(s.begin_lanes, UINT32_MAX);
    assert_int_equal(s.attempt, 1);
    assert_int_equal(s.commit_lanes[0], UINT32_MAX);
    assert_int_equal(s.outstanding_at_commit, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word(r, i), 10806);
        assert_int_equal(word(r, 1024 + i), 1024 + i + 1);
    }
    destroy_rig(r);
}

static void test_core_region__aborted_lanes_restart_with_the_registers_of_begin(void **state)
{
    (void)state;
    struct script s = {.abort_at_commit = {0xff00ff00u, 0x0f000f00u, 0}, .restart_cycles = 500};
    struct rig *r = run_script(&s, count, 32);
    const uint32_t lanes[] = {UINT32_MAX, 0xff00ff00u, 0x0f000f00u};
    assert_int_equal(s.begins, 1); /* a restart is no begin */
    assert_int_equal(s.attempt, 3);
    for (uint32_t a = 0; a < 3; a++) {
        assert_int_equal(s.commit_lanes[a], lanes[a]);
        if (a > 0)
            assert_in_range(s.first_access_at[a] - s.ended_at[a - 1], 500, 520);
    }
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t tries = 1 + (lanes[1] >> i & 1u) + (lanes[2] >> i & 1u);
        assert_int_equal(word(r, i), 10806);
        assert_int_equal(word(r, 1024 + i), 1024 + i + tries); /* the script does not undo stores */
    }
    destroy_rig(r);
}

/* All lanes abort while their load is outstanding: the attempt ends only when it is back, with no lanes. */
static void test_core_region__an_attempt_without_lanes_ends_after_its_loads(void **state)
{
    (void)state;
    struct script s = {.abort_at_access = {UINT32_MAX}};
    struct rig *r = run_script(&s, count, 32);
    assert_int_equal(s.commit_lanes[0], 0);
    assert_int_equal(s.commit_lanes[1], UINT32_MAX);
    assert_int_equal(s.outstanding_at_commit, 0);
    assert_in_range(s.ended_at[0] - s.first_access_at[0], ACCESS_CYCLES, ACCESS_CYCLES + 2);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(word(r, 1024 + i), 1024 + i + 1);
    destroy_rig(r);
}

static void test_core_region__lanes_that_abort_early_let_the_others_go_on(void **state)
{
    (void)state;
    struct script s = {.abort_at_access = {0x0000ffffu}};
    struct rig *r = run_script(&s, count, 32);
    assert_int_equal(s.commit_lanes[0], 0xffff0000u);
    assert_int_equal(s.commit_lanes[1], 0x0000ffffu);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word(r, i), 10806);
        assert_int_equal(word(r, 1024 + i), 1024 + i + 1);
    }
    destroy_rig(r);
}

/* Two loads are in the queue, behind an access to 32 lines, when lanes abort: the second one is made for the others only. */
static void test_core_region__aborted_lanes_make_no_more_accesses(void **state)
{
    (void)state;
    const char text[] = TX_HEAD
        "mad.wide.u32 %d1, %n, 128, %a;\n" TX_BEGIN
        "red.global.add.u32 [%d1+16384], 1; ld.global.u32 %r1, [%e+4096]; ld.global.u32 %r2, [%e+8192]; add.u32 %r3, %r1, %r2;\n" TX_COMMIT
        "st.global.u32 [%e], %r3; ret; }";
    struct script s = {.abort_at_access = {0x00ff00ffu}};
    struct rig *r = run_script(&s, text, 32);
    assert_int_equal(s.access_lanes[0], 0xff00ff00u);
    assert_int_equal(s.access_lanes[1], 0x00ff00ffu);
    assert_int_equal(s.accesses, 4);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(word(r, i), 1024 + 2048 + 2 * i);
    destroy_rig(r);
}

/* A load that is on its way at tx_begin belongs to what a restart brings back. */
static void test_core_region__a_restart_keeps_what_was_loaded_before(void **state)
{
    (void)state;
    const char text[] =
        TX_HEAD "ld.global.u32 %r1, [%e+4096];\n" TX_BEGIN "st.global.u32 [%e+8192], %n;\n" TX_COMMIT "st.global.u32 [%e], %r1; ret; }";
    struct script s = {.abort_at_commit = {UINT32_MAX}, .restart_cycles = 1000};
    struct rig *r = run_script(&s, text, 32);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(word(r, i), 1024 + i);
    destroy_rig(r);
}

static void test_core_region__begin_waits_until_it_is_woken(void **state)
{
    (void)state;
    struct script s = {.refuse_begin = 3};
    struct rig *r = new_rig();
    start(r, &s, count, 32);
    while (s.refuse_begin == 3)
        step(r);
    cw_time first = r->now - 1;
    assert_int_equal(cw_look_state(cw_core_look(r->core), 0), 5);
    run(r);
    assert_int_equal(s.begun_at, first + 3 * 77);
    assert_int_equal(word(r, 1024), 1025);
    destroy_rig(r);
}

/* Lanes that take different ways out, over two tx_commit, one of them in a loop that others leave earlier. */
static const char divergent[] = TX_HEAD
    "and.b32 %r1, %n, 3; mov.u32 %r2, 0;\n" TX_BEGIN
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra SHORT; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1; @%p2 bra L;\n"
    "st.global.u32 [%e+4096], %r2;\n" TX_COMMIT "add.u32 %r2, %r2, 100; bra.uni DONE; SHORT: st.global.u32 [%e+4096], %r1;\n" TX_COMMIT
    "add.u32 %r2, %r2, 200; DONE: st.global.u32 [%e], %r2; ret; }";

static void test_core_region__lanes_commit_together_whichever_way_they_took(void **state)
{
    (void)state;
    struct script s = {.abort_at_commit = {0x3}};
    struct rig *r = run_script(&s, divergent, 32);
    assert_int_equal(s.attempt, 2);
    assert_int_equal(s.commit_lanes[0], UINT32_MAX);
    assert_int_equal(s.commit_lanes[1], 0x3);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word(r, i), i % 4 == 0 ? 200 : 100 + i % 4);
        assert_int_equal(word(r, 1024 + i), i % 4);
    }
    destroy_rig(r);
}

static void test_core_region__nested_transactions_are_flattened(void **state)
{
    (void)state;
    const char text[] = TX_HEAD "and.b32 %r1, %n, 1; setp.eq.u32 %p1, %r1, 0;\n" TX_BEGIN "@%p1 bra NO;\n" TX_BEGIN
                                "st.global.u32 [%e], %r1;\n" TX_COMMIT "NO: st.global.u32 [%e+4096], %r1;\n" TX_COMMIT "ret; }";
    struct script s = {.abort_at_commit = {0xf0}};
    struct rig *r = run_script(&s, text, 32);
    assert_int_equal(s.begins, 1);
    assert_int_equal(s.attempt, 2);
    assert_int_equal(s.commit_lanes[0], UINT32_MAX);
    assert_int_equal(s.commit_lanes[1], 0xf0);
    assert_int_equal(word(r, 1), 1);
    assert_int_equal(word(r, 1024 + 1), 1);
    destroy_rig(r);
}

/* An ordinary store before tx_begin is performed before the transaction's load of the same address is handed over. */
static void test_core_region__earlier_stores_have_left_the_pipe(void **state)
{
    (void)state;
    const char text[] = TX_HEAD "st.global.u32 [%e], %t; mov.u32 %r1, %clock;\n" TX_BEGIN "ld.global.u32 %r2, [%e+4096];\n" TX_COMMIT
                                "st.global.u32 [%e+8192], %r2; st.global.u32 [%a], %r1; ret; }";
    struct script s = {0};
    struct rig *r = run_script(&s, text, 32);
    assert_in_range(s.first_access_at[0] - word(r, 0), 34 - 4, 34 + 8); /* l1.pipeline */
    destroy_rig(r);
}

/* The same for an atomic inside the transaction, which goes the ordinary way. */
static void test_core_region__earlier_atomics_have_left_the_pipe(void **state)
{
    (void)state;
    const char text[] = TX_HEAD TX_BEGIN "mov.u32 %r1, %clock; red.global.add.u32 [%e+4096], 1; ld.global.u32 %r2, [%e+8192];\n" TX_COMMIT
                                         "st.global.u32 [%e], %r2; st.global.u32 [%a], %r1; ret; }";
    struct script s = {0};
    struct rig *r = run_script(&s, text, 32);
    assert_in_range(s.first_access_at[0] - word(r, 0), 34 - 4, 34 + 8);
    assert_int_equal(word(r, 1024), 1025);
    assert_int_equal(word(r, 5), 2053);
    destroy_rig(r);
}

static void expect_tx_fault(const char *text, bool with_system, const char *expected)
{
    struct script s = {0};
    struct rig *r = new_rig();
    if (with_system)
        start(r, &s, text, 32);
    else
        start_alone(r, &s, text, 32);
    run(r);
    assert_int_equal(r->fault, CW_EFAULT);
    if (strstr(r->fault_text, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", r->fault_text, expected);
    destroy_rig(r);
}

static void test_core_region__misuse_faults(void **state)
{
    (void)state;
    expect_tx_fault(count, false, "needs a transactional system");
    expect_tx_fault(TX_HEAD TX_BEGIN "bar.sync 0;\n" TX_COMMIT "ret; }", true, "barrier inside a transaction");
    expect_tx_fault(TX_HEAD TX_BEGIN "setp.lt.u32 %p1, %n, 3; @%p1 exit;\n" TX_COMMIT "ret; }", true, "exit inside a transaction");
    expect_tx_fault(TX_HEAD "setp.lt.u32 %p1, %n, 3; @%p1 bra OUT;\n" TX_BEGIN "OUT:\n" TX_COMMIT "ret; }", true,
                    "tx_commit outside a transaction");
}

/* Steps until the report of the core says so; fails when it never does. */
static void expect_in_report(struct rig *r, const char *expected)
{
    char text[4096] = "";
    for (uint32_t n = 0; n < 2000 && !at_rest(r); n++) {
        report_text(r, text, sizeof text);
        if (strstr(text, expected) != NULL)
            return;
        step(r);
    }
    fail_msg("the report never says \"%s\"; at last: %s", expected, text);
}

/* A warp waits for its loads at the region's begin; and, when all lanes have aborted, wherever it stands. */
static void test_core_region__the_report_says_what_the_loads_hold_back(void **state)
{
    (void)state;
    struct script s = {.abort_at_access = {UINT32_MAX}};
    struct rig *r = new_rig();
    start(r, &s,
          TX_HEAD "ld.global.u32 %r1, [%e+4096];\n" TX_BEGIN "ld.global.u32 %r2, [%e+8192];\n" TX_COMMIT "st.global.u32 [%e], %r1; ret; }",
          32);
    expect_in_report(r, "1 memory instructions before tx_begin");
    expect_in_report(r, "1 memory instructions before its region can end");
    run(r);
    assert_string_equal(r->fault_text, "");
    destroy_rig(r);
}

/* Log accesses: one per cycle through the L1; a miss brings its line once, writes need no fetch. */
static void test_core_region__log_accesses_go_through_the_l1(void **state)
{
    (void)state;
    struct script s = {0};
    struct rig *r = new_rig();
    start(r, &s, TX_HEAD "st.global.u32 [%e], %n; ret; }", 32);
    step(r);
    assert_true(cw_core_log_access(r->core, 3, 5, true, 100, r->now));
    assert_false(cw_core_log_access(r->core, 3, 6, true, 101, r->now)); /* the port is taken */
    step(r);
    step(r);
    assert_int_equal(s.logs_done, 1);
    assert_true(cw_core_log_access(r->core, 3, 5, false, 101, r->now));
    step(r);
    step(r);
    assert_int_equal(s.logs_done, 2);
    assert_true(cw_core_log_access(r->core, 3, 6, false, 102, r->now));
    for (uint32_t i = 0; i < 5; i++)
        step(r);
    assert_int_equal(s.logs_done, 2);
    for (uint32_t i = 0; i < 100; i++)
        step(r);
    assert_int_equal(s.logs_done, 3);
    assert_int_equal(r->stats.l1_writes, 1);
    assert_int_equal(r->stats.l1_reads, 2);
    assert_int_equal(r->stats.l1_read_misses, 1);
    run(r);
    destroy_rig(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_region__commits_at_the_first_attempt),
    cmocka_unit_test(test_core_region__aborted_lanes_restart_with_the_registers_of_begin),
    cmocka_unit_test(test_core_region__an_attempt_without_lanes_ends_after_its_loads),
    cmocka_unit_test(test_core_region__lanes_that_abort_early_let_the_others_go_on),
    cmocka_unit_test(test_core_region__aborted_lanes_make_no_more_accesses),
    cmocka_unit_test(test_core_region__a_restart_keeps_what_was_loaded_before),
    cmocka_unit_test(test_core_region__begin_waits_until_it_is_woken),
    cmocka_unit_test(test_core_region__lanes_commit_together_whichever_way_they_took),
    cmocka_unit_test(test_core_region__nested_transactions_are_flattened),
    cmocka_unit_test(test_core_region__earlier_stores_have_left_the_pipe),
    cmocka_unit_test(test_core_region__earlier_atomics_have_left_the_pipe),
    cmocka_unit_test(test_core_region__misuse_faults),
    cmocka_unit_test(test_core_region__the_report_says_what_the_loads_hold_back),
    cmocka_unit_test(test_core_region__log_accesses_go_through_the_l1),
};
CW_TEST_MAIN(tests)
