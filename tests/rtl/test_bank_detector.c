/* SPDX-License-Identifier: Apache-2.0 */
/* Bank detector: C model and RTL in lockstep before a bank that does what it is told, broken copies, and directed tests on both. */
#include "cowarp/unit/bank_detector.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"
#include "unit/h3.h"

typedef struct cw_bank_detector_params params_t;
typedef struct cw_bank_detector_in in_t;
typedef struct cw_bank_detector_out out_t;

#define DUT_UNIT cw_bank_detector_unit
#include "dut.h"
#include "fill/bank_detector.h"

#define WORDS   8u
#define SLOTS   16u
#define LATENCY 3u

/*                               items lane_w groups word_w sig_w wsig_w hashes */
static const params_t paper = {256, 6, 16, 9, 8, 32, 2};
static const params_t single = {256, 6, 1, 9, 8, 32, 1};
static const params_t odd = {5, 1, 3, 4, 4, 8, 1};
static const params_t minimal = {2, 1, 1, 1, 4, 8, 2};
static const params_t wide = {192, 5, 16, 12, 32, 64, 2};
static const params_t narrow = {64, 6, 2, 3, 16, 16, 1};

/* What a bank keeps of a word. */
struct kept {
    bool owned, shared, modified;
    uint32_t owner;
};

/* A bank, and who uses it. */
struct bank {
    const params_t *p;
    bool begun, honest;                        /* honest: it sends what it keeps; else anything */
    uint32_t mode, words, items, slots;        /* how many of each are in use */
    uint32_t requests, clears, begins, writes; /* of 16 */
    uint32_t word[WORDS];
    struct kept kept[SLOTS][WORDS];
    in_t before[LATENCY]; /* the last cycles' inputs, newest first */
};

static uint32_t some_of(struct cw_rng *rng, uint32_t n)
{
    return cw_rng_below(rng, n < 1 ? 1 : n);
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void some_phase(struct bank *b, struct cw_rng *rng)
{
    b->begun = true;
    b->honest = cw_rng_below(rng, 4) != 0;
    b->mode = cw_rng_below(rng, 4);
    b->words = 1 + cw_rng_below(rng, WORDS);
    b->items = cw_rng_below(rng, 3) == 0 ? b->p->work_items : less(2 + cw_rng_below(rng, 4), b->p->work_items);
    b->slots = 1 + cw_rng_below(rng, 1u << CW_BANK_DETECTOR_INDEX_W(b->p->groups));
    b->requests = 4 + cw_rng_below(rng, 13);
    b->clears = cw_rng_below(rng, 12);
    b->begins = cw_rng_below(rng, 6);
    b->writes = cw_rng_below(rng, 17);
    for (uint32_t i = 0; i < WORDS; i++)
        b->word[i] = cw_rng_below(rng, 1u << b->p->word_w);
}

static uint32_t index_of(const struct bank *b, uint64_t word)
{
    for (uint32_t i = 0; i < WORDS; i++)
        if (b->word[i] == word)
            return i;
    return 0;
}

/* The end of the cycle of these outputs. */
static void bank_obey(struct bank *b, const out_t *out)
{
    if (out->quiet_valid)
        for (uint32_t i = 0; i < WORDS; i++)
            b->kept[out->quiet_group][i].shared = false;
    struct kept *k = &b->kept[out->ans_group][index_of(b, out->ans_word)];
    if (out->ans_own) {
        k->owned = true;
        k->owner = (uint32_t)out->ans_item;
    }
    k->shared |= out->ans_share != 0;
    k->modified |= out->ans_modify != 0;
}

/* A request of the work-item, or of any of the wavefront, is not answered yet. */
static bool in_flight(const struct bank *b, uint64_t group, uint64_t wave, uint64_t item, bool any)
{
    for (uint32_t i = 0; i < LATENCY; i++) {
        const in_t *r = b->before + i;
        if (r->req_valid && r->req_group == group && (any ? r->req_item >> b->p->lane_w == wave : r->req_item == item))
            return true;
    }
    return false;
}

static void choose_clear(struct bank *b, struct cw_rng *rng, in_t *in)
{
    in->clr_valid = cw_rng_below(rng, 16) < b->clears;
    in->clr_group = some_of(rng, b->slots);
    in->clr_wave = some_of(rng, b->items) >> b->p->lane_w;
    in->clr_lanes = cw_rng_below(rng, 4) != 0 ? UINT64_MAX : cw_rng_next(rng);
    for (uint32_t lane = 0; lane < 1u << b->p->lane_w; lane++) {
        const uint64_t item = (in->clr_wave << b->p->lane_w) + lane;
        if (in_flight(b, in->clr_group, 0, item, false))
            in->clr_lanes &= ~(UINT64_C(1) << lane);
        for (uint32_t i = 0; in->clr_valid && (in->clr_lanes >> lane & 1) != 0 && i < WORDS; i++) {
            struct kept *k = &b->kept[in->clr_group][i];
            if (k->owned && k->owner == item)
                k->owned = k->modified = false;
        }
    }
    in->wclr_group = some_of(rng, b->slots);
    in->wclr_wave = some_of(rng, b->items) >> b->p->lane_w;
    in->wclr_valid = cw_rng_below(rng, 16) < b->begins && !in_flight(b, in->wclr_group, in->wclr_wave, 0, true);
}

static void choose_request(struct bank *b, struct cw_rng *rng, in_t *in)
{
    const uint32_t i = cw_rng_below(rng, b->words);
    in->mode = cw_rng_below(rng, 256) != 0 ? b->mode : cw_rng_next(rng);
    in->req_valid = cw_rng_below(rng, 16) < b->requests;
    in->req_group = some_of(rng, b->slots);
    in->req_item = some_of(rng, b->items);
    in->req_word = b->word[i];
    in->req_write = cw_rng_below(rng, 16) < b->writes;
    const struct kept *k = &b->kept[in->req_group][index_of(b, in->req_word)];
    in->req_owned = k->owned;
    in->req_owner = k->owner;
    in->req_shared = k->shared;
    in->req_modified = k->modified;
    if (b->honest)
        return;
    in->req_owned = cw_rng_below(rng, 2);
    in->req_owner = some_of(rng, b->items);
    in->req_shared = cw_rng_below(rng, 2);
    in->req_modified = in->req_owned && cw_rng_below(rng, 2) != 0;
}

static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct bank *b = context;
    in_t *in = inputs;
    if (!b->begun || cw_rng_below(rng, 512) == 0)
        some_phase(b, rng);
    if (last_out != NULL)
        bank_obey(b, last_out);
    choose_clear(b, rng, in);
    choose_request(b, rng, in);
    for (uint32_t i = LATENCY; i-- > 1;)
        b->before[i] = b->before[i - 1];
    b->before[0] = *in;
}

/* A bench for each set: the bank has to know how many work-items there are. */
static struct bank banks[] = {{.p = &paper}, {.p = &single}, {.p = &odd}, {.p = &minimal}, {.p = &wide}, {.p = &narrow}};
static const struct cw_lockstep_set sets[] = {{"paper", &paper, 0},     {"single", &single, 0}, {"odd", &odd, 0},
                                              {"minimal", &minimal, 0}, {"wide", &wide, 0},     {"narrow", &narrow, 0}};
#define SETS (sizeof sets / sizeof sets[0])
enum { PAPER, SINGLE, ODD };

static struct cw_lockstep_bench bench(uint32_t set)
{
    return (struct cw_lockstep_bench){&cw_bank_detector_unit, &sets[set], 1, constrain, &banks[set]};
}

static void test_bank_detector__c_equals_rtl(void **state)
{
    struct cw_lockstep_bench benches[SETS];
    (void)state;
    for (uint32_t i = 0; i < SETS; i++)
        benches[i] = bench(i);
    cw_lockstep_run_all(benches, SETS);
}

static void test_bank_detector__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"what the request before has inserted is not seen", "cw_bank_detector", "(prev_hash_3 & {HASHES{ins_q}})",
         "(prev_hash_3 & {HASHES{ins_q && write_3_q}})", 0},
        {"nor what the one before that has", "cw_bank_detector_signatures", "fwd_en_q[v] && fwd_group_q == group_2_i",
         "fwd_en_q[v] && fwd_group_q != group_2_i", 0},
        {"a row keeps what a work-item had before it was cleared", "cw_bank_detector_signatures", "(alive_i && !live_3_i) || drop_i",
         "(alive_i && !live_3_i && item_3_i[0]) || drop_i", 0},
        {"a refused write stops the request after it", "cw_bank_detector", "!prev_item_3_q && !drop_q",
         "!prev_item_3_q && (!drop_q || 1'b1)", 0},
        {"a work-item that has written is forgotten, too", "cw_bank_detector", "&& write_3_q && clean;", "&& write_3_q && (clean || 1'b1);",
         0},
        {"a refused read is forgotten, too", "cw_bank_detector", "SWO_SIG && write_3_q && clean;", "SWO_SIG && clean;", 0},
        {"a work-item is live at once", "cw_bank_detector", "live_3   = was_live_3 || (prev_item_3_q && alive_q)", "live_3   = was_live_3",
         0},
        {"the owner of three requests before is forgotten", "cw_bank_detector", "own_1    = same_1 && ans_own_q",
         "own_1    = same_1 && ans_own_q && ans_share_q", 0},
        {"the owner of the request before is forgotten", "cw_bank_detector", "own_3    = prev_word_3_q && ans_own_q",
         "own_3    = prev_word_3_q && ans_own_q && !req_valid_i", 0},
        {"a read of the own word conflicts with itself", "cw_bank_detector", "if (!(mine && w ==", "if (!(mine && write_3_q && w ==", 0},
        {"a write signature is not cleared", "cw_bank_detector_signatures", "~{WSIG_W{wclr_valid_i && wclr_place",
         "~{WSIG_W{wclr_valid_i && !wins_i && wclr_place", 0},
        {"quiet while the request before reads", "cw_bank_detector", "!(prev_clr_3_q && alive_q)", "!(prev_clr_3_q && ins_q)", 0},
        {"shared stays until the bank has heard of quiet", "cw_bank_detector", "|| (quiet_d && same_clr_3_q)",
         "|| (quiet_d && !same_clr_3_q)", 0},
        {"a reset leaves the write signatures", "cw_bank_detector_signatures", "written_q <= {((WSIG_W<<WAVE_W)<<GROUP_W){1'b0}};",
         "written_q <= written_q;", 0},
        {"an output looks at the inputs of its cycle", "cw_bank_detector", "assign ans_backup_o   = ans_backup_q;",
         "assign ans_backup_o   = ans_backup_q && !clr_valid_i;", 0},
        {"a request that conflicts is inserted all the same", "cw_bank_detector", "wire ins    = ok && sig_3;",
         "wire ins    = valid_3_q && sig_3;", 0},
        {"each sharing reader is told as the first one", "cw_bank_detector", "ans_share_q    <= sharer && !shared;",
         "ans_share_q    <= sharer;", 0},
        {"what is saved counts as modified in every mode", "cw_bank_detector", "ans_modify_q   <= backup && mode_3_q == SMDCD;",
         "ans_modify_q   <= backup;", 0},
        {"a request is judged by the mode of the next cycle", "cw_bank_detector", "mode_3_q       <= mode_2_q;",
         "mode_3_q       <= mode_2_q | mode_i;", 0},
        {"a unit is busy for two cycles", "cw_bank_detector", "assign busy_o         = |busy_q;",
         "assign busy_o         = |busy_q[1:0] || &busy_q;", 0},
        {"a write signature has the hashes of the other signatures", "cw_bank_detector_signatures", "SEEDS[(2+gi)*32 +: 32]",
         "SEEDS[gi * 32 +: 32]", 0},
        {"a wavefront that begins empties the first one's write signature", "cw_bank_detector_signatures", "wclr_group_i, wclr_wave_i};",
         "wclr_group_i, wclr_wave_i & {WAVE_W{wins_i}}};", 0}};
    const struct cw_lockstep_bench b = bench(ODD);
    (void)state;
    cw_lockstep_catches(&b, mutants, sizeof mutants / sizeof mutants[0]);
}

/* ---- Directed: a bank of 256 words in one group, which does what the answers say */

struct user {
    struct dut d;
    struct kept kept[512];
    uint64_t mode;
};

/* One cycle with d.in, of which the bank's part is filled in. */
static void user_cycle(struct user *u)
{
    const struct kept *k = &u->kept[u->d.in.req_word];
    u->d.in.mode = u->mode;
    u->d.in.req_owned = k->owned;
    u->d.in.req_owner = k->owner;
    u->d.in.req_shared = k->shared;
    u->d.in.req_modified = k->modified;
    dut_cycle(&u->d);
    const out_t *out = &u->d.out;
    for (uint32_t i = 0; out->quiet_valid && out->quiet_group == 0 && i < 512; i++)
        u->kept[i].shared = false;
    struct kept *a = &u->kept[out->ans_word];
    if (out->ans_own)
        *a = (struct kept){true, a->shared, a->modified, (uint32_t)out->ans_item};
    a->shared |= out->ans_share != 0;
    a->modified |= out->ans_modify != 0;
}

/* The answer to a request, three cycles later. */
static out_t access_word(struct user *u, uint32_t item, uint32_t word, bool write)
{
    u->d.in = (in_t){.req_valid = 1, .req_item = item, .req_word = word, .req_write = write};
    for (uint32_t i = 0; i <= LATENCY; i++) {
        user_cycle(u);
        assert_int_equal(u->d.out.ans_valid, i == LATENCY);
    }
    assert_int_equal(u->d.out.ans_item, item);
    assert_int_equal(u->d.out.ans_word, word);
    return u->d.out;
}

/* The work-item commits or aborts: its words have no owner any more. Returns whether its group is quiet then. */
static bool end_item(struct user *u, uint32_t item)
{
    for (uint32_t i = 0; i < 512; i++)
        if (u->kept[i].owned && u->kept[i].owner == item)
            u->kept[i].owned = u->kept[i].modified = false;
    u->d.in = (in_t){.clr_valid = 1, .clr_wave = item / 64, .clr_lanes = UINT64_C(1) << item % 64};
    for (uint32_t i = 0; i <= LATENCY; i++)
        user_cycle(u);
    return u->d.out.quiet_valid;
}

static void user_open(struct user *u, const params_t *p, int backend, uint64_t mode)
{
    memset(u, 0, sizeof *u);
    dut_open(&u->d, p, backends[backend]);
    u->mode = mode;
}

#define READ  false
#define WRITE true

static void expect(out_t out, uint64_t conflict, uint64_t backup, uint64_t own)
{
    assert_int_equal(out.ans_conflict, conflict);
    assert_int_equal(out.ans_backup, backup);
    assert_int_equal(out.ans_own, own);
}

static void expect_met(out_t out, uint64_t owner)
{
    assert_int_equal(out.ans_conflict, 1);
    assert_int_equal(out.ans_met, 1);
    assert_int_equal(out.ans_owner, owner);
}

/* Words of which no two share a pattern of both signatures, so that what conflicts does so for its own sake. */
static const uint32_t A = 1, B = 2;

static void test_bank_detector__prw_sig(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct user u;
        user_open(&u, &paper, b, CW_LOCAL_PRW_SIG);
        expect(access_word(&u, 5, A, READ), 0, 0, 0);
        expect(access_word(&u, 5, A, READ), 0, 0, 0);
        expect(access_word(&u, 9, A, READ), 1, 0, 0); /* reads conflict with reads */
        assert_int_equal(u.d.out.ans_met, 0);         /* nobody owns it */
        expect(access_word(&u, 5, A, WRITE), 0, 1, 1);
        expect(access_word(&u, 5, A, WRITE), 0, 0, 0); /* a second access */
        expect_met(access_word(&u, 200, A, WRITE), 5);
        assert_true(end_item(&u, 5));
        expect(access_word(&u, 200, A, READ), 0, 0, 0); /* what conflicted has left nothing behind */
        expect(access_word(&u, 200, A, WRITE), 0, 1, 1);
        assert_true(end_item(&u, 200));
        /* Without `owned`, 200 would take the owner's byte of its earlier transaction for its own, and back up nothing. */
        expect(access_word(&u, 200, A, READ), 0, 0, 0);
        expect(access_word(&u, 200, A, WRITE), 0, 1, 1);
        dut_close(&u.d);
    }
}

/* Section 4: reads do not conflict with reads; item 0 reads A and writes, item 1 reads A. */
static void test_bank_detector__swo_sig(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct user u;
        user_open(&u, &paper, b, CW_LOCAL_SWO_SIG);
        expect(access_word(&u, 0, A, READ), 0, 0, 0);
        expect(access_word(&u, 1, A, READ), 0, 0, 0);
        expect(access_word(&u, 0, A, WRITE), 1, 0, 0); /* 1 reads it */
        expect(access_word(&u, 64, B, WRITE), 0, 1, 1);
        expect_met(access_word(&u, 1, B, READ), 64);   /* of another wavefront */
        expect_met(access_word(&u, 65, B, READ), 64);  /* of the same */
        expect(access_word(&u, 64, B, READ), 0, 0, 0); /* its own */
        assert_false(end_item(&u, 64));
        expect(access_word(&u, 65, B, READ), 0, 0, 0); /* the write signature still hits, but no signature of a work-item does */
        u.d.in = (in_t){.wclr_valid = 1, .wclr_wave = 1};
        user_cycle(&u);
        expect(access_word(&u, 1, B, READ), 0, 0, 0);
        dut_close(&u.d);
    }
}

/* Three have read A, and want to write it, so many cycles apart: each but the last is refused, and stops the later ones no more. Not so when
 * their wavefront has written in the bank: what it wrote must stay hidden until it is restored. */
static void test_bank_detector__a_refused_write_is_forgotten(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * 5 * 2; i++) {
        const uint32_t apart = 1 + i / 4, written = i / 2 % 2;
        struct user u;
        uint32_t refused = 0, granted = 0;
        user_open(&u, &paper, (int)(i % 2), CW_LOCAL_SWO_SIG);
        if (written)
            expect(access_word(&u, 3, B, WRITE), 0, 1, 1);
        for (uint32_t item = 0; item < 3; item++)
            expect(access_word(&u, item, A, READ), 0, 0, 0);
        for (uint32_t t = 0; t <= 2 * apart + LATENCY; t++) {
            const bool asks = t % apart == 0 && t <= 2 * apart;
            u.d.in = (in_t){.req_valid = asks, .req_item = asks ? t / apart : 0, .req_word = asks ? A : 0, .req_write = asks};
            user_cycle(&u);
            refused += u.d.out.ans_valid && u.d.out.ans_conflict;
            granted += u.d.out.ans_valid && !u.d.out.ans_conflict && u.d.out.ans_item == 2;
        }
        assert_int_equal(refused, written ? 3 : 2);
        assert_int_equal(granted, written ? 0 : 1);
        dut_close(&u.d);
    }
}

static void test_bank_detector__dcd(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct user u;
        user_open(&u, &paper, b, CW_LOCAL_DCD);
        expect(access_word(&u, 3, A, READ), 0, 1, 1); /* the first access backs up: nothing says later that a read came first */
        expect(access_word(&u, 3, A, WRITE), 0, 0, 0);
        expect_met(access_word(&u, 4, A, READ), 3);
        for (uint32_t word = 2; word < 512; word++)
            expect(access_word(&u, 4, word, word & 1), 0, 1, 1); /* no false positive */
        end_item(&u, 3);
        expect(access_word(&u, 4, A, WRITE), 0, 1, 1);
        dut_close(&u.d);
    }
}

static void test_bank_detector__smdcd(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct user u;
        user_open(&u, &paper, b, CW_LOCAL_SMDCD);
        expect(access_word(&u, 3, A, READ), 0, 0, 1);
        assert_int_equal(access_word(&u, 4, A, READ).ans_share, 1);
        assert_int_equal(access_word(&u, 5, A, READ).ans_share, 0); /* it is already */
        expect(access_word(&u, 3, A, WRITE), 1, 0, 0);
        assert_int_equal(u.d.out.ans_met, 0); /* it is its own owner */
        expect_met(access_word(&u, 4, A, WRITE), 3);
        assert_false(end_item(&u, 3)); /* the owner ends; readers are left */
        expect(access_word(&u, 6, A, WRITE), 1, 0, 0);
        assert_false(end_item(&u, 4));
        expect(access_word(&u, 6, A, WRITE), 1, 0, 0);
        assert_true(end_item(&u, 5)); /* the last reader */
        expect(access_word(&u, 6, A, WRITE), 0, 1, 1);
        assert_int_equal(u.d.out.ans_modify, 1);
        expect(access_word(&u, 6, A, WRITE), 0, 0, 0);
        expect_met(access_word(&u, 3, A, READ), 6);
        expect(access_word(&u, 6, A, READ), 0, 0, 0);
        expect(access_word(&u, 7, B, READ), 0, 0, 1);
        expect(access_word(&u, 7, B, WRITE), 0, 1, 0); /* the owner writes what it has read */
        dut_close(&u.d);
    }
}

/* Two requests for a word, 1 to 4 cycles apart: the bank knows of the first one only in the last case. */
static void test_bank_detector__requests_close_together(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t mode = 0; mode < 4; mode++)
            for (uint32_t apart = 1; apart <= 4; apart++) {
                struct user u;
                user_open(&u, &paper, b, mode);
                for (uint32_t t = 0; t <= apart + LATENCY; t++) {
                    u.d.in = (in_t){.req_valid = t == 0 || t == apart, .req_item = t == 0 ? 10 : 70, .req_word = A, .req_write = t == 0};
                    user_cycle(&u);
                    assert_true(t != LATENCY || (u.d.out.ans_valid && !u.d.out.ans_conflict && u.d.out.ans_own));
                }
                expect_met(u.d.out, 10);
                user_cycle(&u);
                assert_int_equal(u.d.out.busy, 0);
                dut_close(&u.d);
            }
}

/* The last work-item that has read a word ends, 0 to 4 cycles before a write: the bank sends shared = 1 still, and knows only in the last case
 * that its group is quiet. While another one is live the word stays shared. */
static void test_bank_detector__quiet_counts_before_the_bank_has_heard(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t live = 0; live < 2; live++)
            for (uint32_t apart = 0; apart <= 4; apart++) {
                struct user u;
                user_open(&u, &paper, b, CW_LOCAL_SMDCD);
                expect(access_word(&u, 3, A, READ), 0, 0, 1);
                assert_int_equal(access_word(&u, 4, A, READ).ans_share, 1);
                if (live)
                    expect(access_word(&u, 5, B, READ), 0, 0, 1);
                if (live)
                    assert_int_equal(access_word(&u, 7, B, READ).ans_share, 1);
                assert_false(end_item(&u, 3));
                for (uint32_t t = 0; t <= apart + LATENCY; t++) {
                    u.d.in = (in_t){
                        .clr_valid = t == 0, .clr_lanes = 1u << 4, .req_valid = t == apart, .req_item = 6, .req_word = A, .req_write = 1};
                    user_cycle(&u);
                }
                assert_int_equal(u.d.out.ans_valid, 1);
                assert_int_equal(u.d.out.ans_conflict, live);
                assert_int_equal(u.d.out.ans_own, !live);
                dut_close(&u.d);
            }
}

/* Items of other groups do not conflict, and a group's number is not lost. */
static void test_bank_detector__groups_are_apart(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t mode = 0; mode < 2; mode++) {
            struct dut d;
            dut_open(&d, &paper, backends[b]);
            for (uint32_t t = 0; t < 8 + LATENCY; t++) {
                d.in = (in_t){.mode = mode, .req_valid = t < 8, .req_group = t % 4, .req_item = t, .req_word = A, .req_write = 1};
                dut_cycle(&d);
                if (t < LATENCY)
                    continue;
                assert_int_equal(d.out.ans_group, (t - LATENCY) % 4);
                assert_int_equal(d.out.ans_conflict, t - LATENCY >= 4);
            }
            dut_close(&d);
        }
}

/* One request, and one clear that makes its group quiet: three cycles of busy, and nothing is to be seen but the answer and the quiet. To
 * begin a wavefront's transactions keeps nobody busy. No output looks at the inputs of its cycle. */
static void test_bank_detector__busy_for_three_cycles(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t what = 0; what < 3; what++) {
            struct dut d;
            dut_open(&d, &paper, backends[b]);
            for (uint32_t t = 0; t < 6; t++) {
                d.in = (in_t){.req_valid = t == 0 && what == 0, .req_group = 3, .req_item = 9, .req_word = 77, .req_write = 1};
                d.in.clr_valid = t == 0 && what == 1;
                d.in.clr_group = 5;
                d.in.wclr_valid = t == 0 && what == 2;
                dut_eval(&d);
                const out_t seen = d.out;
                d.in.mode = 3, d.in.req_owned = d.in.req_shared = 1, d.in.req_group = d.in.clr_group = 7;
                dut_eval(&d);
                assert_memory_equal(&seen, &d.out, sizeof seen);
                d.in.mode = 0, d.in.req_owned = d.in.req_shared = 0, d.in.req_group = 3, d.in.clr_group = 5;
                dut_cycle(&d);
                out_t due = {.busy = t > 0 && t <= LATENCY && what != 2};
                if (t == LATENCY && what == 0)
                    due = (out_t){.busy = 1, .ans_valid = 1, .ans_group = 3, .ans_item = 9, .ans_word = 77, .ans_backup = 1, .ans_own = 1};
                if (t == LATENCY && what == 1)
                    due = (out_t){.busy = 1, .quiet_valid = 1, .quiet_group = 5};
                assert_memory_equal(&due, &d.out, sizeof due);
            }
            dut_close(&d);
        }
}

/* In four cycles four requests for a word that work-item 3 has made its own, each judged by its own mode. */
static void test_bank_detector__a_mode_is_of_one_request(void **state)
{
    static const struct {
        uint64_t mode, item, write, conflict, share, backup;
    } steps[] = {
        {CW_LOCAL_DCD, 3, 0, 0, 0, 1},     /* the first access: owner, and backup */
        {CW_LOCAL_SMDCD, 4, 0, 0, 1, 0},   /* nobody has written: a reader */
        {CW_LOCAL_DCD, 4, 0, 1, 0, 0},     /* not its own */
        {CW_LOCAL_PRW_SIG, 4, 1, 0, 0, 1}, /* no signature has the word: directories insert nothing */
        {CW_LOCAL_SMDCD, 3, 1, 1, 0, 0},   /* shared, and not its own any more */
    };
    enum { STEPS = sizeof steps / sizeof steps[0] };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct user u;
        user_open(&u, &paper, b, 0);
        for (uint32_t t = 0; t < STEPS + LATENCY; t++) {
            u.d.in = (in_t){.req_valid = t < STEPS, .req_word = A};
            u.mode = t < STEPS ? steps[t].mode : CW_LOCAL_SWO_SIG;
            u.d.in.req_item = t < STEPS ? steps[t].item : 0;
            u.d.in.req_write = t < STEPS && steps[t].write;
            user_cycle(&u);
            if (t < LATENCY)
                continue;
            const uint32_t n = t - LATENCY;
            assert_int_equal(u.d.out.ans_item, steps[n].item);
            assert_int_equal(u.d.out.ans_conflict, steps[n].conflict);
            assert_int_equal(u.d.out.ans_share, steps[n].share);
            assert_int_equal(u.d.out.ans_backup, steps[n].backup);
            assert_int_equal(u.d.out.ans_modify, 0);
        }
        dut_close(&u.d);
    }
}

/* A wavefront that begins empties its own write signature, not that of others: 64 has written, so a read of 1 conflicts still. */
static void test_bank_detector__a_wavefront_begins_for_itself(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t mine = 0; mine < 3; mine++) { /* wavefront 0; wavefront 2; wavefront 1 of another group */
            struct user u;
            user_open(&u, &paper, b, CW_LOCAL_SWO_SIG);
            expect(access_word(&u, 64, B, WRITE), 0, 1, 1);
            u.d.in = (in_t){.wclr_valid = 1, .wclr_wave = mine == 0 ? 0 : mine == 1 ? 2 : 1, .wclr_group = mine == 2};
            user_cycle(&u);
            expect_met(access_word(&u, 1, B, READ), 64);
            dut_close(&u.d);
        }
}

/* The end of section 2.1: work-item 0 has A in one bank, 1 has B in another; then each asks for the other's, in the same cycle. */
static void test_bank_detector__two_banks_abort_both(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct user bank[2];
        for (uint32_t i = 0; i < 2; i++) {
            user_open(&bank[i], &paper, b, CW_LOCAL_PRW_SIG);
            expect(access_word(&bank[i], i, A, WRITE), 0, 1, 1);
        }
        for (uint32_t i = 0; i < 2; i++) {
            expect_met(access_word(&bank[i], 1 - i, A, WRITE), i);
            dut_close(&bank[i].d);
        }
    }
}

/* One hit of a filter of so many bits, whose parts have the ways from `first` on, computed from the H3 masks of rtl/README.md. */
static bool aliases(uint32_t filter_w, uint32_t hashes, uint32_t first, uint32_t a, uint32_t b)
{
    uint32_t bits = 0;
    while (1u << bits < filter_w / hashes)
        bits++;
    for (uint32_t way = first; way < first + hashes; way++) {
        uint64_t mask[CW_H3_OUT_MAX];
        cw_h3_masks(cw_h3_way_seed(way), bits, mask);
        for (uint32_t i = 0; i < bits; i++)
            if (__builtin_parityll((a ^ b) & mask[i]) != 0)
                return false;
    }
    return true;
}

/* Every alias of a word conflicts, and nothing else does, in every width of a signature. */
static void test_bank_detector__aliases_in_each_width(void **state)
{
    static const params_t widths[] = {{64, 6, 1, 9, 4, 8, 1},  {64, 6, 1, 9, 4, 8, 2},  {64, 6, 1, 9, 8, 8, 1},  {64, 6, 1, 9, 8, 8, 2},
                                      {64, 6, 1, 9, 16, 8, 1}, {64, 6, 1, 9, 16, 8, 2}, {64, 6, 1, 9, 32, 8, 1}, {64, 6, 1, 9, 32, 8, 2}};
    (void)state;
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (int b = 0; b < (i == 3 ? 2 : 1); b++) { /* lockstep has the others */
            struct user u;
            uint32_t hits = 0;
            user_open(&u, &widths[i], b, CW_LOCAL_PRW_SIG);
            expect(access_word(&u, 0, 77, WRITE), 0, 1, 1);
            for (uint32_t word = 0; word < 512; word++) {
                const bool hit = access_word(&u, 1, word, READ).ans_conflict;
                assert_int_equal(hit, aliases(widths[i].sig_w, widths[i].hashes, 0, 77, word));
                assert_int_equal(u.d.out.ans_met, word == 77);
                hits += hit;
                end_item(&u, 1);
            }
            if (b == 0)
                printf("signatures of %u bits, %u hashes: %u of 511 other words conflict with one\n", widths[i].sig_w, widths[i].hashes,
                       hits - 1);
            dut_close(&u.d);
        }
}

/* By swo-sig a read conflicts where both the signature of the writer and the write signature of its wavefront hit. */
static void test_bank_detector__aliases_of_write_signatures(void **state)
{
    static const params_t widths[] = {{64, 6, 1, 9, 8, 8, 2}, {64, 6, 1, 9, 4, 8, 1}, {64, 6, 1, 9, 4, 16, 1}, {64, 6, 1, 9, 4, 8, 2}};
    (void)state;
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (int b = 0; b < (i == 0 ? 2 : 1); b++) {
            const params_t *p = &widths[i];
            struct user u;
            uint32_t hits = 0, by_signature = 0;
            user_open(&u, p, b, CW_LOCAL_SWO_SIG);
            expect(access_word(&u, 0, 77, WRITE), 0, 1, 1);
            for (uint32_t word = 0; word < 512; word++) {
                const bool due = aliases(p->sig_w, p->hashes, 0, 77, word) && aliases(p->wsig_w, p->hashes, 2, 77, word);
                assert_int_equal(access_word(&u, 1, word, READ).ans_conflict, due);
                hits += due;
                by_signature += aliases(p->sig_w, p->hashes, 0, 77, word);
                end_item(&u, 1);
            }
            assert_true(hits >= 1 && hits < by_signature);
            dut_close(&u.d);
        }
}

/* What no detector can have. */
static void test_bank_detector__widths_are_powers_of_two(void **state)
{
    static const params_t refused[] = {
        {256, 6, 4, 9, 12, 32, 2}, {256, 6, 4, 9, 8, 24, 2}, {257, 6, 4, 9, 8, 32, 2}, {256, 6, 4, 9, 8, 32, 3}};
    (void)state;
    for (uint32_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        void *self = NULL;
        assert_int_not_equal(cw_bank_detector_unit.c_model.create(&self, &refused[i]), 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bank_detector__fills),
    cmocka_unit_test(test_bank_detector__c_equals_rtl),
    cmocka_unit_test(test_bank_detector__broken_copies_are_caught),
    cmocka_unit_test(test_bank_detector__prw_sig),
    cmocka_unit_test(test_bank_detector__swo_sig),
    cmocka_unit_test(test_bank_detector__a_refused_write_is_forgotten),
    cmocka_unit_test(test_bank_detector__dcd),
    cmocka_unit_test(test_bank_detector__smdcd),
    cmocka_unit_test(test_bank_detector__requests_close_together),
    cmocka_unit_test(test_bank_detector__quiet_counts_before_the_bank_has_heard),
    cmocka_unit_test(test_bank_detector__groups_are_apart),
    cmocka_unit_test(test_bank_detector__busy_for_three_cycles),
    cmocka_unit_test(test_bank_detector__a_mode_is_of_one_request),
    cmocka_unit_test(test_bank_detector__a_wavefront_begins_for_itself),
    cmocka_unit_test(test_bank_detector__two_banks_abort_both),
    cmocka_unit_test(test_bank_detector__aliases_in_each_width),
    cmocka_unit_test(test_bank_detector__aliases_of_write_signatures),
    cmocka_unit_test(test_bank_detector__widths_are_powers_of_two),
};
CW_TEST_MAIN(tests)
