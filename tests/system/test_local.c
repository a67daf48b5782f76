/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions in shared memory (system localtm): the turns of lanes and wavefronts step by step, random programs in all combinations
 * against the serializability oracle, deliberate faults, and what is refused. The kernels are in local.ptx.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

enum { LOAD, STORE, ADD, BYTE, LOAD64, STORE64, NOTHING, END };

#define OP(kind, word, value) ((uint32_t)(kind) | (uint32_t)(word) << 3 | (uint32_t)(value) << 16)
#define WORDS_MAX             256u
#define BLOCKS_MAX            4u

static const char *const detect[] = {"prw-sig", "swo-sig", "dcd", "smdcd"};
static const char *const order[] = {"ascending-single", "descending-single", "ascending-multiple", "descending-multiple"};
static const char *const token[] = {"transaction", "lanes", "wavefront"};

struct machine {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    uint64_t out, program;
    char setting[10][48];
    const char *settings[11];
};

/* A program of each thread, and what comes of it. */
struct program {
    uint32_t blocks, threads, words, txs, ops;
    uint32_t *op; /* [blocks * threads * txs * ops] */
    uint32_t result[BLOCKS_MAX * WORDS_MAX];
};

static uint32_t ticks; /* 1: in reverse order; 2: always */

/* settings: words "key=value" with blanks between. */
static int open_machine(struct machine *m, const char *system, const char *settings, const char *sabotage, const char *unit)
{
    struct cowarp_options options;
    const char *units[] = {unit, NULL};
    uint32_t cnt = 0;
    memset(m, 0, sizeof *m);
    for (const char *at = settings; *at != '\0' && cnt < 10; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        snprintf(m->setting[cnt], sizeof m->setting[cnt], "%.*s", (int)length, at);
        m->settings[cnt] = m->setting[cnt];
        cnt++;
        at += length;
    }
    cowarp_options_init(&options);
    options.system = system;
    options.settings = m->settings;
    options.sabotage = sabotage;
    options.units = unit != NULL ? units : NULL;
    options.check_serial = 1;
    options.reverse_ticks = ticks == 1;
    options.tick_always = ticks == 2;
    int status = cowarp_create(&m->gpu, &options);
    if (status == COWARP_OK)
        status = cowarp_load_file(m->gpu, &m->module, CW_SOURCE_DIR "/tests/system/local.ptx");
    if (status == COWARP_OK)
        status = cowarp_alloc(m->gpu, &m->out, BLOCKS_MAX * WORDS_MAX * 4);
    if (status == COWARP_OK)
        status = cowarp_alloc(m->gpu, &m->program, 4 * 1024 * 1024);
    return status;
}

static void open_sound(struct machine *m, const char *settings)
{
    if (open_machine(m, "localtm", settings, NULL, NULL) != COWARP_OK)
        fail_msg("%s: %s", settings, cowarp_error(m->gpu));
}

static int run_program(struct machine *m, struct program *p)
{
    const struct cowarp_arg args[] = {COWARP_U64(m->out), COWARP_U64(m->program), COWARP_U32(p->words), COWARP_U32(p->txs),
                                      COWARP_U32(p->ops)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = "mix",
                                         .grid = {p->blocks, 1, 1},
                                         .block = {p->threads, 1, 1},
                                         .dynamic_shared_bytes = 4 * p->words,
                                         .arg_count = 5,
                                         .args = args};
    int status = cowarp_write(m->gpu, m->program, p->op, 4ull * p->blocks * p->threads * p->txs * p->ops);
    if (status == COWARP_OK)
        status = cowarp_run(m->gpu, m->module, &launch);
    if (status == COWARP_OK && p->words <= WORDS_MAX)
        status = cowarp_read(m->gpu, p->result, m->out, 4ull * p->blocks * p->words);
    return status;
}

static uint64_t count(struct machine *m, const char *name)
{
    uint64_t value = 0;
    assert_int_equal(cowarp_counter(m->gpu, name, &value), COWARP_OK);
    return value;
}

/* What must hold of the counters of any run. */
static void check_counters(struct machine *m)
{
    assert_int_equal(count(m, "ltm_transactional") + count(m, "ltm_wf_serial") + count(m, "ltm_wg_serial"), count(m, "tx_committed"));
    assert_int_equal(count(m, "tx_begun"), count(m, "tx_committed"));
    assert_int_equal(count(m, "ltm_conflicts") + count(m, "ltm_token_aborts"), count(m, "tx_aborted"));
    assert_int_equal(count(m, "ltm_begin_cycles") + count(m, "ltm_commit_cycles") + count(m, "ltm_overhead_cycles") +
                         count(m, "ltm_tx_cycles") + count(m, "ltm_other_cycles"),
                     count(m, "ltm_wavefront_cycles"));
    assert_true(count(m, "ltm_restored_words") <= count(m, "ltm_backup_writes"));
    assert_true(count(m, "ltm_false_conflicts") <= count(m, "ltm_conflicts"));
}

static void count_all(struct machine *m, uint64_t value[512])
{
    const char *name, *unit, *what;
    for (uint32_t i = 0; i < 512 && cowarp_counter_at(m->gpu, i, &name, &value[i], &unit, &what); i++)
        ;
}

/* ---- turns, step by step: one block, one transaction per thread ---- */

#define STEPS 8u

static void run_steps(struct machine *m, uint32_t threads, const uint32_t (*steps)[STEPS])
{
    static struct program p;
    p = (struct program){.blocks = 1, .threads = threads, .words = WORDS_MAX, .txs = 1, .ops = STEPS};
    p.op = malloc(threads * sizeof *steps);
    assert_non_null(p.op);
    memcpy(p.op, steps, threads * sizeof *steps);
    if (run_program(m, &p) != COWARP_OK)
        fail_msg("%s", cowarp_error(m->gpu));
    free(p.op);
    check_counters(m);
}

/* Two lanes that take each other's second word: both abort, in two banks. */
#define CROSS(a, b)                                     \
    {OP(STORE, a, 0), OP(STORE, b, 0), OP(END, 0, 0)},  \
    {                                                   \
        OP(STORE, b, 0), OP(STORE, a, 0), OP(END, 0, 0) \
    }

/* Table 1: lanes 2 and 3 commit at once; 0 and 1 meet again, and run one after the other. */
static void test_local__table_1(void **state)
{
    (void)state;
    static const uint32_t steps[4][STEPS] = {CROSS(1, 2), {OP(ADD, 3, 1), OP(END, 0, 0)}, {OP(ADD, 4, 1), OP(END, 0, 0)}};
    for (uint32_t d = 0; d < 4; d++) {
        char settings[96];
        struct machine m;
        snprintf(settings, sizeof settings, "core.count=1 ltm.detect=%s", detect[d]);
        open_sound(&m, settings);
        run_steps(&m, 4, steps);
        assert_int_equal(count(&m, "ltm_retries"), 3); /* the same two; 0 alone; 1 */
        assert_int_equal(count(&m, "ltm_wf_serial"), 1);
        assert_int_equal(count(&m, "ltm_transactional"), 3);
        assert_int_equal(count(&m, "ltm_wg_serial"), 0);
        assert_int_equal(count(&m, "ltm_conflicts"), 4);
        assert_int_equal(count(&m, "ltm_mutual_aborts"), 2);
        assert_int_equal(count(&m, "ltm_false_conflicts"), 0);
        assert_int_equal(count(&m, "ltm_restored_words"), 4);
        cowarp_destroy(m.gpu);
    }
}

/* A meets B, and C meets D: single runs one of the four alone, twice; multiple runs A and C together. */
static void test_local__pairs(void **state)
{
    (void)state;
    static const uint32_t steps[4][STEPS] = {CROSS(1, 2), CROSS(3, 4)};
    for (uint32_t s = 0; s < 4; s++) {
        char settings[96];
        struct machine m;
        snprintf(settings, sizeof settings, "core.count=1 ltm.serial=%s", order[s]);
        open_sound(&m, settings);
        run_steps(&m, 4, steps);
        assert_int_equal(count(&m, "ltm_retries"), s < 2 ? 6 : 3);
        assert_int_equal(count(&m, "ltm_wf_serial"), 2);
        assert_int_equal(count(&m, "ltm_wg_serial"), 0);
        cowarp_destroy(m.gpu);
    }
}

/* All lanes read what the last one writes, and it reads what the first one writes: when it has gone, nobody meets anybody. */
static void test_local__last_lane(void **state)
{
    (void)state;
    uint32_t steps[6][STEPS];
    uint64_t retries[2];
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t own[STEPS] = {OP(STORE, 10 + i, 0), OP(LOAD, 1, 0), OP(END, 0, 0)};
        memcpy(steps[i], own, sizeof own);
    }
    const uint32_t last[STEPS] = {OP(STORE, 1, 0), OP(LOAD, 10, 0), OP(END, 0, 0)};
    memcpy(steps[5], last, sizeof last);
    for (uint32_t s = 0; s < 2; s++) {
        char settings[96];
        struct machine m;
        snprintf(settings, sizeof settings, "core.count=1 ltm.detect=smdcd ltm.serial=%s", order[s]);
        open_sound(&m, settings);
        run_steps(&m, 6, steps);
        retries[s] = count(&m, "ltm_retries");
        cowarp_destroy(m.gpu);
    }
    assert_int_equal(retries[0], 4); /* the same; the first alone; the last, which the others still meet; the others */
    assert_int_equal(retries[1], 3); /* the same; the last alone; the others */
}

/* ---- wavefronts against each other ---- */

/* Lane 0 of each wavefront writes a word and much later the next one's: at last one needs the
 * token, and the others stop for it. */
static void test_local__token(void **state)
{
    (void)state;
    static uint32_t steps[128][STEPS];
    for (uint32_t i = 0; i < 128; i++) {
        const uint32_t w = i / 32;
        const uint32_t ring[STEPS] = {OP(STORE, 10 + w, 0),           OP(NOTHING, 0, 0), OP(NOTHING, 0, 0), OP(STORE, 10 + (w + 1) % 4, 0),
                                      OP(STORE, 10 + (w + 2) % 4, 0), OP(END, 0, 0)};
        const uint32_t none[STEPS] = {OP(END, 0, 0)};
        memcpy(steps[i], i % 32 == 0 ? ring : none, sizeof ring);
    }
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t t = 0; t < 3; t++) {
            char settings[120];
            struct machine m;
            snprintf(settings, sizeof settings, "core.count=1 ltm.detect=%s ltm.token=%s", detect[d], token[t]);
            open_sound(&m, settings);
            run_steps(&m, 128, (const uint32_t(*)[STEPS])steps);
            assert_int_equal(count(&m, "tx_committed"), 128);
            assert_int_equal(count(&m, "ltm_tokens"), 1);
            assert_int_equal(count(&m, "ltm_wg_serial"), 1);
            assert_int_equal(count(&m, "ltm_token_aborts"), 2);
            cowarp_destroy(m.gpu);
        }
}

/* Three lanes of each wavefront are in such rings. With the token the first of them runs alone. After that the other two run one after
 * the other, or, as GPU-LocalTM's Table 1 has it, together: nobody is left whom they meet. */
static void test_local__token_for_several_lanes(void **state)
{
    static const uint32_t wg_serial[] = {2, 3, 1}; /* of one lane's transaction: the third one meets nobody any more */
    static uint32_t steps[128][STEPS];
    (void)state;
    for (uint32_t i = 0; i < 128; i++) {
        const uint32_t w = i / 32, first = 10 + 4 * (i % 32);
        const uint32_t ring[STEPS] = {
            OP(STORE, first + w, 0),           OP(NOTHING, 0, 0), OP(NOTHING, 0, 0), OP(STORE, first + (w + 1) % 4, 0),
            OP(STORE, first + (w + 2) % 4, 0), OP(END, 0, 0)};
        const uint32_t none[STEPS] = {OP(END, 0, 0)};
        memcpy(steps[i], i % 32 < 3 ? ring : none, sizeof ring);
    }
    for (uint32_t t = 0; t < 3; t++) {
        char settings[120];
        struct machine m;
        snprintf(settings, sizeof settings, "core.count=1 ltm.detect=dcd ltm.token=%s", token[t]);
        open_sound(&m, settings);
        run_steps(&m, 128, (const uint32_t(*)[STEPS])steps);
        assert_int_equal(count(&m, "tx_committed"), 128);
        assert_int_equal(count(&m, "ltm_wg_serial"), wg_serial[t]);
        assert_int_equal(count(&m, "ltm_tokens"), t == 0 ? wg_serial[t] : 1);
        cowarp_destroy(m.gpu);
    }
}

/* Lane 0 of each wavefront adds to the same word, after a while of its own. So they fail, fail again alone, and ask for the token: one
 * while another has it, two at once, or one that had to stop for it. Each that has the token commits, in turn, and no addition is lost. */
static void test_local__tokens_in_turn(void **state)
{
    (void)state;
    static uint32_t steps[128][STEPS];
    uint64_t tokens = 0, most = 0;
    for (uint32_t delays = 0; delays < 6 * 6 * 6; delays++) {
        const uint32_t delay[4] = {0, delays % 6, delays / 6 % 6, delays / 36};
        char settings[96];
        uint32_t sum;
        struct machine m;
        for (uint32_t i = 0; i < 128; i++) {
            for (uint32_t k = 0; k < STEPS; k++)
                steps[i][k] = OP(NOTHING, 0, 0);
            steps[i][i % 32 == 0 ? delay[i / 32] : 0] = i % 32 == 0 ? OP(ADD, 20, 1) : OP(END, 0, 0);
        }
        snprintf(settings, sizeof settings, "core.count=1 ltm.detect=%s", detect[delays % 4]);
        open_sound(&m, settings);
        run_steps(&m, 128, (const uint32_t(*)[STEPS])steps);
        assert_int_equal(cowarp_read(m.gpu, &sum, m.out + 4 * 20, sizeof sum), COWARP_OK);
        assert_int_equal(sum, 20 + 4);
        assert_int_equal(count(&m, "tx_committed"), 128);
        assert_int_equal(count(&m, "ltm_tokens"), count(&m, "ltm_wg_serial"));
        tokens += count(&m, "ltm_tokens");
        most = count(&m, "ltm_tokens") > most ? count(&m, "ltm_tokens") : most;
        cowarp_destroy(m.gpu);
    }
    assert_true(tokens > 0 && most >= 3); /* three in one run */
}

/* ---- nested transactions ---- */

/* Two levels of tx_begin are one transaction: what the inner one has written is not seen before the outer one ends, and is undone with it.
 */
static void test_local__nested(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < 4; d++) {
        char settings[96];
        uint32_t sums[2];
        struct machine m;
        snprintf(settings, sizeof settings, "core.count=1 ltm.detect=%s", detect[d]);
        open_sound(&m, settings);
        assert_int_equal(cowarp_load_file(m.gpu, &m.module, CW_SOURCE_DIR "/tests/system/local_nested.ptx"), COWARP_OK);
        const struct cowarp_arg args[] = {COWARP_U64(m.out)};
        const struct cowarp_launch launch = {
            .size = sizeof launch, .kernel = "nested", .grid = {1, 1, 1}, .block = {96, 1, 1}, .arg_count = 1, .args = args};
        if (cowarp_run(m.gpu, m.module, &launch) != COWARP_OK)
            fail_msg("%s: %s", settings, cowarp_error(m.gpu));
        assert_int_equal(cowarp_read(m.gpu, sums, m.out, sizeof sums), COWARP_OK);
        assert_int_equal(sums[0], 96); /* by the inner ones */
        assert_int_equal(sums[1], 96); /* by the outer ones, which would have found it unequal to the first */
        assert_int_equal(count(&m, "tx_committed"), 96);
        assert_true(count(&m, "tx_aborted") > 0);
        check_counters(&m);
        cowarp_destroy(m.gpu);
    }
}

/* ---- random programs ---- */

struct random {
    uint64_t state;
};

static uint32_t below(struct random *r, uint32_t limit)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % limit);
}

/* The upper half of the words is for additions, whose sums are known. */
static void fill(struct program *p, struct random *r)
{
    static const uint32_t threads[] = {5, 9, 12, 33, 40, 64, 75, 200};
    *p = (struct program){.blocks = 1, .threads = threads[below(r, 8)], .words = 8 + 2 * below(r, 97), .txs = 1, .ops = 3};
    if (p->threads < 40) {
        p->blocks += below(r, 3);
        p->txs += below(r, 2);
        p->ops += 2;
    } else if (p->words < 60) { /* as many conflicts in a tenth of the time */
        p->words += 60;
    }
    const uint32_t all = p->blocks * p->threads * p->txs * p->ops;
    p->op = malloc(all * sizeof *p->op);
    assert_non_null(p->op);
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t kind = below(r, 8), half = p->words / 2;
        p->op[i] = kind == ADD ? OP(ADD, half + below(r, half), below(r, 1000)) : OP(kind, below(r, half & ~1u), below(r, 4));
    }
}

static bool sums_are_right(const struct program *p)
{
    const uint32_t half = p->words / 2, per_block = p->threads * p->txs;
    for (uint32_t b = 0; b < p->blocks; b++) {
        uint32_t sum[WORDS_MAX];
        for (uint32_t i = 0; i < p->words; i++)
            sum[i] = i;
        for (uint32_t t = 0; t < per_block; t++)
            for (uint32_t o = 0; o < p->ops && (p->op[(b * per_block + t) * p->ops + o] & 7u) != END; o++) {
                const uint32_t op = p->op[(b * per_block + t) * p->ops + o];
                sum[op >> 3 & 0x1fffu] += (op & 7u) == ADD ? op >> 16 : 0;
            }
        if (memcmp(sum + half, p->result + b * p->words + half, (p->words - half) * 4) != 0)
            return false;
    }
    return true;
}

/* Returns how many transactions have committed in wavefront serialisation. */
static uint64_t run_random(const char *settings, struct random *r, uint32_t cnt)
{
    static struct program p;
    struct machine m;
    open_sound(&m, settings);
    for (uint32_t i = 0; i < cnt; i++) {
        fill(&p, r);
        if (run_program(&m, &p) != COWARP_OK)
            fail_msg("%s, program %u: %s", settings, i, cowarp_error(m.gpu));
        if (!sums_are_right(&p))
            fail_msg("%s, program %u: a sum is wrong", settings, i);
        free(p.op);
    }
    check_counters(&m);
    const uint64_t serial = count(&m, "ltm_wf_serial");
    cowarp_destroy(m.gpu);
    return serial;
}

/* Every width of a signature, with one hash and with two, under both detectors that have signatures. */
static void test_local__every_signature(void **state)
{
    (void)state;
    struct random r = {77};
    uint64_t serial = 0;
    for (uint32_t bits = 4; bits <= 32; bits *= 2)
        for (uint32_t written = 8; written <= 64; written *= 2)
            for (uint32_t hashes = 1; hashes <= 2; hashes++)
                for (uint32_t d = 0; d < 2; d++) {
                    char settings[160];
                    snprintf(settings, sizeof settings, "core.count=1 ltm.detect=%s ltm.sig_bits=%u ltm.wsig_bits=%u ltm.hashes=%u",
                             detect[d], bits, written, hashes);
                    serial += run_random(settings, &r, 3);
                }
    assert_true(serial > 0);
}

/* Units as C model and RTL side by side: neither differs, and nothing changes. Sizes are those of which the build has made the RTL. */
static void test_local__lockstep(void **state)
{
    (void)state;
    static struct program p;
    static const char *const unit[] = {NULL, "bank_detector=lockstep", "tcm_select=lockstep", "shadow_address=lockstep"};
    for (uint32_t d = 0; d < 4; d++) {
        static uint64_t value[4][512];
        memset(value, 0, sizeof value);
        for (uint32_t u = 0; u < 4; u++) {
            struct random r = {5 + d};
            struct machine m;
            char settings[160];
            snprintf(settings, sizeof settings,
                     "core.count=1 core.warp_width=64 core.blocks=16 core.shared_bytes=65536 ltm.detect=%s ltm.serial=%s", detect[d],
                     order[d]);
            if (open_machine(&m, "localtm", settings, NULL, unit[u]) != COWARP_OK)
                fail_msg("%s", cowarp_error(m.gpu));
            for (uint32_t k = 0; k < 6; k++) {
                fill(&p, &r);
                if (run_program(&m, &p) != COWARP_OK)
                    fail_msg("%s: %s", unit[u] != NULL ? unit[u] : "C", cowarp_error(m.gpu));
                free(p.op);
            }
            count_all(&m, value[u]);
            cowarp_destroy(m.gpu);
            assert_memory_equal(value[u], value[0], sizeof value[0]);
        }
    }
}

#define PROGRAMS 2000u

static void test_local__random_programs(void **state)
{
    (void)state;
    struct random r = {cw_test_seed(1)};
    for (uint32_t i = 0; i < 32; i++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "core.count=1 core.warp_width=%u ltm.detect=%s ltm.serial=%s ltm.token=%s ltm.undo=%s ltm.sig_bits=%u ltm.wsig_bits=%u",
                 i < 16 ? 64 : 32, detect[i % 4], order[i / 4 % 4], token[i % 3], i % 5 == 0 ? "free" : "walk", 4u << (i % 4),
                 8u << (i / 8));
        assert_true(run_random(settings, &r, PROGRAMS / 32) > 0);
    }
    print_message("%u programs\n", PROGRAMS / 32 * 32);
}

/* The other two systems for such transactions: one at a time in the whole GPU, and a lock per block. */
static void test_local__serial_and_locks(void **state)
{
    (void)state;
    static struct program p;
    static const char *const system[] = {"serial", "lds-lock"};
    for (uint32_t i = 0; i < 4; i++) {
        struct random r = {3};
        struct machine m;
        const char *settings = i < 2 ? "core.count=2 core.warp_width=64 core.scheduler=lrr" : "core.count=2";
        if (open_machine(&m, system[i % 2], settings, NULL, NULL) != COWARP_OK)
            fail_msg("%s: %s", system[i % 2], cowarp_error(m.gpu));
        for (uint32_t k = 0; k < 12; k++) {
            fill(&p, &r);
            if (run_program(&m, &p) != COWARP_OK || !sums_are_right(&p))
                fail_msg("%s, program %u: %s", system[i % 2], k, cowarp_error(m.gpu));
            free(p.op);
        }
        if (i % 2 == 0)
            assert_true(count(&m, "tx_committed") > 500 && strstr(cowarp_oracle(m.gpu), "0 words read") == NULL);
        cowarp_destroy(m.gpu);
    }
}

/* A transaction with several begins or ends, which ways through the kernel join. Behind the barrier all lanes of a warp have come. */
static void test_local__several_ends(void **state)
{
    (void)state;
    static const struct {
        const char *system, *kernel;
        uint32_t sums[4]; /* 64 threads, 5 times: all; every fourth; its number modulo 4; two of four */
    } run[] = {{"localtm", "ends", {320, 0, 480, 160}},
               {"serial", "ends", {320, 0, 480, 160}},
               {"lds-lock", "ends", {320, 0, 480, 160}},
               {"lds-lock", "ways", {240, 80, 480, 160}}};
    for (uint32_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        uint32_t sums[4];
        struct machine m;
        assert_int_equal(open_machine(&m, run[i].system, "core.count=1", NULL, NULL), COWARP_OK);
        if (cowarp_load_file(m.gpu, &m.module, CW_SOURCE_DIR "/tests/system/ways.ptx") != COWARP_OK)
            fail_msg("%s", cowarp_error(m.gpu));
        const struct cowarp_arg args[] = {COWARP_U64(m.out)};
        const struct cowarp_launch launch = {
            .size = sizeof launch, .kernel = run[i].kernel, .grid = {1, 1, 1}, .block = {64, 1, 1}, .arg_count = 1, .args = args};
        if (cowarp_run(m.gpu, m.module, &launch) != COWARP_OK)
            fail_msg("%s: %s", run[i].system, cowarp_error(m.gpu));
        assert_int_equal(cowarp_read(m.gpu, sums, m.out, sizeof sums), COWARP_OK);
        assert_memory_equal(sums, run[i].sums, sizeof sums);
        cowarp_destroy(m.gpu);
    }
}

/* A kernel that cannot have a lock form is refused, with its line, and the others of its file run. */
static void test_local__no_lock_form(void **state)
{
    (void)state;
    static const char head[] = ".version 6.0\n.target sm_50\n.address_size 64\n.extern .func tx_begin();\n.extern .func tx_commit();\n"
                               ".visible .entry k() {\n.reg .pred %p<2>; setp.eq.u32 %p1, 0, 0;\n";
    static const struct {
        const char *body, *expected;
    } bad[] = {
        {"call tx_begin;\ncall tx_begin; call tx_commit; call tx_commit; ret; }", "k.ptx:9:1: lock form: a transaction in a transaction"},
        {"call tx_begin; call tx_commit;\ncall tx_commit; ret; }", "k.ptx:9:1: lock form: an end without a begin"},
        {"@%p1 bra IN;\ncall tx_begin;\nIN: call tx_commit; ret; }", "k.ptx:10:1: lock form: an end without a begin"},
        {"call tx_begin; ret; }", "k.ptx:8:1: lock form: a transaction does not end in its function"},
        {"call tx_begin;\n@%p1 call tx_commit; ret; }", "k.ptx:9:1: lock form: a begin or end under a predicate"},
        {"{ bar.sync 0; call tx_begin; }\ncall tx_commit; ret; }", "k.ptx:9:1: lock form: begin and end lie in different braces"}};
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct machine m;
        char text[600];
        assert_int_equal(open_machine(&m, "lds-lock", "core.count=1", NULL, NULL), COWARP_OK);
        snprintf(text, sizeof text, "%s%s\n.visible .entry right() { call tx_begin; call tx_commit; ret; }\n", head, bad[i].body);
        struct cowarp_module *module;
        assert_int_equal(cowarp_load(m.gpu, &module, text, strlen(text), "k.ptx"), COWARP_OK);
        struct cowarp_launch launch = {.size = sizeof launch, .kernel = "right", .grid = {1, 1, 1}, .block = {32, 1, 1}};
        assert_int_equal(cowarp_run(m.gpu, module, &launch), COWARP_OK);
        launch.kernel = "k";
        assert_int_equal(cowarp_run(m.gpu, module, &launch), COWARP_EUNSUP);
        if (strstr(cowarp_error(m.gpu), bad[i].expected) == NULL)
            fail_msg("%s", cowarp_error(m.gpu));
        cowarp_destroy(m.gpu);
    }
}

/* ---- the order of ticks ---- */

/* Components tick in any order, and also when they have nothing to do: nothing changes. */
static void test_local__tick_order(void **state)
{
    (void)state;
    static struct program p;
    static uint64_t value[3][512];
    for (uint32_t d = 0; d < 4; d++) {
        memset(value, 0, sizeof value);
        for (uint32_t i = 0; i < 3; i++) {
            struct random r = {11};
            struct machine m;
            char settings[80];
            snprintf(settings, sizeof settings, "core.count=2 core.warp_width=64 ltm.detect=%s", detect[d]);
            ticks = i;
            open_sound(&m, settings);
            ticks = 0;
            for (uint32_t k = 0; k < 3; k++) {
                fill(&p, &r);
                assert_int_equal(run_program(&m, &p), COWARP_OK);
                free(p.op);
            }
            count_all(&m, value[i]);
            cowarp_destroy(m.gpu);
        }
        assert_memory_equal(value[0], value[1], sizeof value[0]);
        assert_memory_equal(value[0], value[2], sizeof value[0]);
    }
}

/* ---- deliberate faults ---- */

/* The words of a lane that aborts are not restored: seen where they should have been. */
static void test_local__no_restore(void **state)
{
    (void)state;
    static const uint32_t steps[2][STEPS] = {CROSS(3, 4)};
    static struct program p;
    struct machine m;
    assert_int_equal(open_machine(&m, "localtm", "core.count=1", "no-restore", NULL), COWARP_OK);
    p = (struct program){.blocks = 1, .threads = 2, .words = 8, .txs = 1, .ops = STEPS, .op = malloc(sizeof steps)};
    assert_non_null(p.op);
    memcpy(p.op, steps, sizeof steps);
    assert_int_equal(run_program(&m, &p), COWARP_ECHECK);
    assert_non_null(strstr(cowarp_error(m.gpu), "memory holds 0x00000001 at 0x800000000000000c when it is restored by transaction"));
    assert_non_null(strstr(cowarp_error(m.gpu), "but 0x00000003 was committed last"));
    free(p.op);
    cowarp_destroy(m.gpu);
}

/* Runs random programs until one fails; says how. */
static void sabotaged(const char *sabotage, const char *settings, const char *expected)
{
    static struct program p;
    struct random r = {7};
    struct machine m;
    assert_int_equal(open_machine(&m, "localtm", settings, sabotage, NULL), COWARP_OK);
    for (uint32_t i = 0; i < 60; i++) {
        fill(&p, &r);
        const int status = run_program(&m, &p);
        free(p.op);
        if (status == COWARP_OK)
            continue;
        if (strstr(cowarp_error(m.gpu), expected) == NULL)
            fail_msg("%s, program %u: %s", sabotage, i, cowarp_error(m.gpu));
        cowarp_destroy(m.gpu);
        return;
    }
    fail_msg("%s (%s) goes unnoticed", sabotage, settings);
}

static void test_local__sabotage(void **state)
{
    (void)state;
    sabotaged("skip-ownership", "core.count=1", "serializable");
    sabotaged("no-restore", "core.count=1", "");
    sabotaged("forget-write-signature", "core.count=1 ltm.detect=swo-sig", "serializable");
    sabotaged("ignore-m", "core.count=1 ltm.detect=smdcd", "serializable");
    sabotaged("select-none", "core.count=1", "committed nothing");
    sabotaged("token-to-two", "core.count=1", "a conflict in work-group serialisation");
}

/* ---- refusals ---- */

static void refuse_kernel(const char *settings, uint32_t which, const char *expected)
{
    struct machine m;
    open_sound(&m, settings);
    const struct cowarp_arg args[] = {COWARP_U64(m.out), COWARP_U32(which)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "forbidden", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 2, .args = args};
    const int status = cowarp_run(m.gpu, m.module, &launch);
    if (expected == NULL) {
        if (status != COWARP_OK)
            fail_msg("%u: %s", which, cowarp_error(m.gpu));
    } else {
        assert_int_equal(status, COWARP_EFAULT);
        if (strstr(cowarp_error(m.gpu), expected) == NULL || strstr(cowarp_error(m.gpu), "local.ptx:") == NULL)
            fail_msg("%u: %s", which, cowarp_error(m.gpu));
    }
    cowarp_destroy(m.gpu);
}

static void test_local__forbidden(void **state)
{
    (void)state;
    refuse_kernel("core.count=1", 0, "a store to global memory in a transaction");
    refuse_kernel("core.count=1 ltm.global=allow", 0, NULL);
    refuse_kernel("core.count=1", 1, "an atomic of shared memory in a transaction");
    refuse_kernel("core.count=1", 2, "a store to global memory in a transaction");
    refuse_kernel("core.count=1", 3, "transaction");
    refuse_kernel("core.count=1", 4, "transaction");
    refuse_kernel("core.count=1", 5, NULL);
}

/* Status of a launch of so many words and threads, 7 bytes of program each. */
static int launch_size(const char *settings, uint32_t words, uint32_t threads, char *text, size_t size)
{
    static struct program p;
    struct machine m;
    open_sound(&m, settings);
    p = (struct program){.blocks = 1, .threads = threads, .words = words, .txs = 1, .ops = 1};
    p.op = calloc(threads, sizeof *p.op);
    assert_non_null(p.op);
    for (uint32_t i = 0; i < threads; i++)
        p.op[i] = OP(ADD, words - 1 - i % 16, 1);
    /* more words than `out` has room for go to where the programs are */
    m.out = words <= WORDS_MAX ? m.out : m.program + 65536;
    const int status = run_program(&m, &p);
    snprintf(text, size, "%s", cowarp_error(m.gpu));
    free(p.op);
    cowarp_destroy(m.gpu);
    return status;
}

#define LARGE "core.count=1 core.shared_bytes=65536"

static void test_local__sizes(void **state)
{
    (void)state;
    char text[512];
    assert_int_equal(launch_size(LARGE, 7264, 64, text, sizeof text), COWARP_OK);
    assert_int_equal(launch_size(LARGE, 7265, 64, text, sizeof text), COWARP_EINVAL);
    assert_non_null(strstr(text, "513 rows of a bank, and a bank has 512"));
    assert_int_equal(launch_size(LARGE, 7282, 64, text, sizeof text), COWARP_EINVAL);
    assert_non_null(strstr(text, "7282 words of shared memory, and localtm keeps versions of 7281 (ltm.max_words)"));
    assert_int_equal(launch_size("core.count=1 core.shared_bytes=66000", 7281, 64, text, sizeof text), COWARP_OK);
    assert_int_equal(launch_size("core.count=1 core.registers=65536", 64, 256, text, sizeof text), COWARP_OK);
    assert_int_equal(launch_size("core.count=1 core.registers=65536", 64, 257, text, sizeof text), COWARP_EINVAL);
    assert_non_null(strstr(text, "a block of 257 threads; with localtm at most 256"));
}

static void refuse_machine(const char *settings, const char *sabotage, const char *expected)
{
    struct machine m;
    assert_int_equal(open_machine(&m, "localtm", settings, sabotage, NULL), COWARP_EINVAL);
    if (strstr(cowarp_error(m.gpu), expected) == NULL || strchr(cowarp_error(m.gpu), '\n') != NULL)
        fail_msg("%s", cowarp_error(m.gpu));
    cowarp_destroy(m.gpu);
}

static void test_local__bad_machines(void **state)
{
    (void)state;
    refuse_machine("ltm.detect=prw", NULL, "prw-sig");
    refuse_machine("ltm.serial=ascending", NULL, "ascending-single");
    refuse_machine("ltm.sig_bits=12", NULL, "power of two");
    refuse_machine("shared.banks=16", NULL, "shared.banks");
    refuse_machine("core.blocks=17", NULL, "core.blocks");
    refuse_machine("core.count=1", "no-restor", "no-restore");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_local__serial_and_locks),
    cmocka_unit_test(test_local__several_ends),
    cmocka_unit_test(test_local__no_lock_form),
    cmocka_unit_test(test_local__tick_order),
    cmocka_unit_test(test_local__lockstep),
    cmocka_unit_test(test_local__table_1),
    cmocka_unit_test(test_local__pairs),
    cmocka_unit_test(test_local__last_lane),
    cmocka_unit_test(test_local__token),
    cmocka_unit_test(test_local__token_for_several_lanes),
    cmocka_unit_test(test_local__tokens_in_turn),
    cmocka_unit_test(test_local__nested),
    cmocka_unit_test(test_local__every_signature),
    cmocka_unit_test(test_local__sabotage),
    cmocka_unit_test(test_local__no_restore),
    cmocka_unit_test(test_local__forbidden),
    cmocka_unit_test(test_local__random_programs),
    cmocka_unit_test(test_local__sizes),
    cmocka_unit_test(test_local__bad_machines),
};

CW_TEST_MAIN(tests)
