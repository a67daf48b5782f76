/* SPDX-License-Identifier: Apache-2.0 */
/* Recency Bloom filter: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/recency_bloom_filter.h"

#include <stdbool.h>
#include <stdio.h>

#include "cw_test.h"
#include "lockstep_driver.h"
#include "unit/h3.h"

typedef struct cw_recency_bloom_filter_params params_t;
typedef struct cw_recency_bloom_filter_in in_t;
typedef struct cw_recency_bloom_filter_out out_t;

#define DUT_UNIT cw_recency_bloom_filter_unit
#include "dut.h"
#include "fill/recency_bloom_filter.h"

/*                               ways row_w key_w fields value_w dual_read */
static const params_t getm = {4, 6, 30, 2, 32, 1};
static const params_t minimal = {1, 1, 1, 1, 1, 0};
static const params_t odd = {3, 3, 13, 2, 17, 0};
static const params_t kilo = {4, 8, 32, 1, 64, 1};
static const params_t largest = {4, 12, 64, 2, 64, 1};

/* Small filters sweep in few cycles, so they can be cleared often: phases are short. */
static const struct cw_lockstep_set sets[] = {
    {"getm", &getm, 512}, {"minimal", &minimal, 64}, {"odd", &odd, 64}, {"kilo", &kilo, 2048}, {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_recency_bloom_filter_unit, sets, 5, NULL, NULL};

static void test_recency_bloom_filter__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_recency_bloom_filter__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"the write two insertions ahead is not forwarded", "cw_recency_bloom_filter", "rd_hit_s3 = ins_s3_q &&",
         "rd_hit_s3 = ins_s3_q && clearing_q &&", 2},
        {"the write of the same cycle is not forwarded", "cw_recency_bloom_filter", "rd_hit_s2 = ins_s2_q &&",
         "rd_hit_s2 = ins_s2_q && clearing_q &&", 2},
        {"nor to an insertion", "cw_recency_bloom_filter", "ins_hit_s2 = ins_s2_q &&", "ins_hit_s2 = ins_s2_q && clearing_q &&", 0},
        {"the older write wins", "cw_recency_bloom_filter", "rd_hit_s3 = ins_s3_q &&", "rd_hit_s3 = ins_s3_q && !ins_s2_q &&", 2},
        {"what is no answer is not 0", "cw_recency_bloom_filter", "if (lkp_s2_q) begin", "if (1'b1) begin", 2},
        {"last value instead of the largest", "cw_recency_bloom_filter", "value > old ? value : old", "value != 0 ? value : old", 2},
        {"largest of the ways", "cw_recency_bloom_filter", " <= rd_row_s2_q[j", " >= rd_row_s2_q[j", 2},
        {"the last way is not compared", "cw_recency_bloom_filter", "for (j = i + 1; j < WAYS;", "for (j = i + 1; j < 2;", 2},
        {"seed of way 2", "cw_recency_bloom_filter", "32'h30401020", "32'h30401021", 2},
        {"sweep ends a row early", "cw_recency_bloom_filter", "clear_last = &clear_row_q", "clear_last = &(clear_row_q | 1)", 2},
        {"an insertion outlives the clear", "cw_recency_bloom_filter", "{DATA_W{!clearing_q}}", "{DATA_W{!clearing_q || ins_s2_q}}", 2},
        {"insertion ignores the lookup's claim", "cw_recency_bloom_filter", "(DUAL_READ != 0 || !lkp_valid_i);",
         "(DUAL_READ != 0 || !lkp_valid_i || ins_v0_i == 0);", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void wait_for_sweep(struct dut *d, const params_t *p)
{
    uint32_t busy = 0;
    for (dut_cycle(d); !d->out.lkp_ready; dut_cycle(d))
        busy++;
    assert_int_equal(busy, 1u << p->row_w);
}

static void insert(struct dut *d, uint64_t key, uint64_t v0, uint64_t v1)
{
    d->in.ins_valid = 1;
    d->in.ins_key = key;
    d->in.ins_v0 = v0;
    d->in.ins_v1 = v1;
    dut_cycle(d);
    assert_int_equal(d->out.ins_ready, 1);
}

static void look_up(struct dut *d, uint64_t key)
{
    d->in.lkp_valid = 1;
    d->in.lkp_key = key;
    dut_cycle(d);
    assert_int_equal(d->out.lkp_ready, 1);
}

/* A lookup in a cycle of its own, up to and including the cycle of its answer. */
static void ask(struct dut *d, uint64_t key)
{
    look_up(d, key);
    for (uint32_t i = 1; i < CW_RECENCY_BLOOM_FILTER_LATENCY; i++) {
        dut_cycle(d);
        assert_int_equal(d->out.rsp_valid, 0);
    }
    dut_cycle(d);
    assert_int_equal(d->out.rsp_valid, 1);
}

static void test_recency_bloom_filter__answers_after_three_cycles(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        wait_for_sweep(&d, &getm);
        insert(&d, 5, 10, 20);
        insert(&d, 5, 7, 30);
        look_up(&d, 5);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(d.out.rsp_valid, 0);
            assert_int_equal(d.out.rsp_v0, 0);
            dut_cycle(&d);
        }
        assert_int_equal(d.out.busy, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 1);
        assert_int_equal(d.out.rsp_v0, 10);
        assert_int_equal(d.out.rsp_v1, 30);
        assert_int_equal(d.out.busy, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 0);
        assert_int_equal(d.out.rsp_v0, 0);
        assert_int_equal(d.out.rsp_v1, 0);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

static void test_recency_bloom_filter__covers_earlier_cycles_only(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        wait_for_sweep(&d, &getm);
        /* Each lookup shares its cycle with the insertion of the next value: it must see all before, and not that one. */
        for (uint64_t i = 0; i < 8; i++) {
            d.in = (in_t){.lkp_valid = 1, .lkp_key = 9};
            insert(&d, 9, 3 * i + 3, 40 - i);
            assert_int_equal(d.out.rsp_valid, i >= 3);
            assert_int_equal(d.out.rsp_v0, i >= 3 ? 3 * (i - 3) : 0);
            assert_int_equal(d.out.rsp_v1, i > 3 ? 40 : 0);
        }
        dut_close(&d);
    }
}

/* Two insertions of one row in neighbouring cycles, of values of which either may be the larger: both count. */
static void test_recency_bloom_filter__insertions_back_to_back_both_count(void **state)
{
    static const params_t *const shapes[] = {&getm, &odd};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int s = 0; s < 2; s++)
            for (uint64_t order = 0; order < 3; order++)
                for (uint64_t gap = 0; gap < 4; gap++) {
                    const uint64_t first[] = {100, 7, 50}, second[] = {7, 100, 50};
                    struct dut d;
                    dut_open(&d, shapes[s], backends[b]);
                    wait_for_sweep(&d, shapes[s]);
                    insert(&d, 5, first[order], second[order]);
                    for (uint64_t i = 0; i < gap; i++)
                        dut_cycle(&d);
                    insert(&d, 5, second[order], first[order]);
                    ask(&d, 5);
                    assert_int_equal(d.out.rsp_v0, order == 2 ? 50 : 100);
                    assert_int_equal(d.out.rsp_v1, order == 2 ? 50 : 100);
                    dut_close(&d);
                }
}

static void test_recency_bloom_filter__clear_forgets_all_before_it(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        wait_for_sweep(&d, &odd);
        insert(&d, 1, 100, 100);
        look_up(&d, 1);
        insert(&d, 3, 100, 100); /* is in the pipeline when the sweep begins */
        d.in.clear = 1;
        insert(&d, 2, 100, 100);
        dut_cycle(&d); /* first cycle of the sweep: the lookup before the clear is still answered */
        assert_int_equal(d.out.rsp_valid, 1);
        assert_int_equal(d.out.rsp_v0, 100);
        assert_int_equal(d.out.lkp_ready, 0);
        for (uint32_t i = 1; i < 1u << odd.row_w; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.lkp_ready, 0);
        }
        for (uint64_t key = 0; key < 16; key++) {
            ask(&d, key);
            assert_int_equal(d.out.rsp_v0, 0);
        }
        dut_close(&d);
    }
}

/* With one RAM copy the lookup goes first, and an insertion that was not ready leaves no trace. With two both are taken. */
static void test_recency_bloom_filter__one_copy_takes_one_operation(void **state)
{
    static const params_t *const shapes[] = {&odd, &getm};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int s = 0; s < 2; s++) {
            struct dut d;
            dut_open(&d, shapes[s], backends[b]);
            wait_for_sweep(&d, shapes[s]);
            d.in = (in_t){.lkp_valid = 1, .lkp_key = 6, .ins_valid = 1, .ins_key = 5, .ins_v0 = 9, .ins_v1 = 8};
            dut_cycle(&d);
            assert_int_equal(d.out.lkp_ready, 1);
            assert_int_equal(d.out.ins_ready, shapes[s]->dual_read);
            dut_cycle(&d); /* nothing is offered: ready, both */
            assert_int_equal(d.out.lkp_ready, 1);
            assert_int_equal(d.out.ins_ready, 1);
            dut_cycle(&d);
            dut_cycle(&d); /* the third cycle after the lookup: it was accepted */
            assert_int_equal(d.out.rsp_valid, 1);
            assert_int_equal(d.out.rsp_v0, 0);
            ask(&d, 5);
            assert_int_equal(d.out.rsp_v0, shapes[s]->dual_read ? 9 : 0);
            assert_int_equal(d.out.rsp_v1, shapes[s]->dual_read ? 8 : 0);
            dut_close(&d);
        }
}

/* Nothing is accepted in the sweep, so nothing of it is answered or found later. A clear in its last cycle makes it begin again. */
static void test_recency_bloom_filter__a_clear_during_the_sweep_starts_it_anew(void **state)
{
    const uint32_t rows = 1u << odd.row_w;
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t at = 0; at < rows; at++) { /* the cycle of the sweep after the reset in which the second clear comes */
            struct dut d;
            dut_open(&d, &odd, backends[b]);
            for (uint32_t i = 0; i < at + 1 + rows; i++) {
                d.in = (in_t){.clear = i == at, .ins_valid = 1, .ins_key = 5, .ins_v0 = 3, .ins_v1 = 3};
                dut_eval(&d);
                assert_int_equal(d.out.ins_ready, 0);
                d.in.lkp_valid = 1;
                d.in.lkp_key = 5;
                dut_cycle(&d);
                assert_int_equal(d.out.lkp_ready, 0);
                assert_int_equal(d.out.rsp_valid, 0);
                assert_int_equal(d.out.busy, 1);
            }
            ask(&d, 5); /* is accepted in the first cycle after the sweep */
            assert_int_equal(d.out.rsp_v0, 0);
            dut_close(&d);
        }
}

/* Three lookups are under way when the clear comes, the last one in its cycle: all see what was there before. */
static void test_recency_bloom_filter__lookups_up_to_the_clear_are_answered(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        wait_for_sweep(&d, &odd);
        insert(&d, 5, 30, 40);
        for (int i = 0; i < 3; i++) {
            d.in.clear = i == 2;
            look_up(&d, 5);
            assert_int_equal(d.out.rsp_valid, 0);
        }
        for (int i = 0; i < 5; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.lkp_ready, 0);
            assert_int_equal(d.out.rsp_valid, i < 3);
            assert_int_equal(d.out.rsp_v0, i < 3 ? 30 : 0);
            assert_int_equal(d.out.rsp_v1, i < 3 ? 40 : 0);
        }
        dut_close(&d);
    }
}

/* Two cycles after an insertion, three after a lookup, the sweep after a clear; the longest counts. */
static void test_recency_bloom_filter__busy_tells_what_is_under_way(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int what = 0; what < 4; what++) { /* an insertion; a lookup; a lookup, then an insertion; a clear */
            static const uint32_t cycles[] = {2, 3, 2, 8};
            struct dut d;
            dut_open(&d, &odd, backends[b]);
            assert_int_equal(1u << odd.row_w, cycles[3]);
            wait_for_sweep(&d, &odd);
            assert_int_equal(d.out.busy, 0);
            if (what == 1 || what == 2)
                look_up(&d, 5);
            if (what == 0 || what == 2)
                insert(&d, 5, 1, 1);
            d.in.clear = what == 3;
            if (what == 3)
                dut_cycle(&d);
            assert_int_equal(d.out.busy, what == 2); /* it does not look at inputs of its own cycle */
            for (uint32_t i = 1; i <= cycles[what] + 1; i++) {
                dut_cycle(&d);
                assert_int_equal(d.out.busy, i <= cycles[what]);
            }
            dut_close(&d);
        }
}

/* Against an exact map: never too little, and with few keys in a big filter mostly exact. */
static void test_recency_bloom_filter__never_underestimates(void **state)
{
    enum { KEYS = 64, INSERTIONS = 400 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint64_t exact[KEYS] = {0};
        uint32_t over = 0;
        struct cw_rng rng;
        struct dut d;
        cw_rng_seed(&rng, cw_test_seed(7));
        dut_open(&d, &getm, backends[b]);
        wait_for_sweep(&d, &getm);
        for (int i = 0; i < INSERTIONS; i++) {
            uint32_t key = cw_rng_below(&rng, KEYS);
            uint64_t v = cw_rng_below(&rng, 1000);
            insert(&d, key * 977u, v, v);
            exact[key] = v > exact[key] ? v : exact[key];
        }
        for (uint32_t key = 0; key < KEYS; key++) {
            ask(&d, key * 977u);
            assert_true(d.out.rsp_v0 >= exact[key] && d.out.rsp_v1 >= exact[key]);
            over += d.out.rsp_v0 > exact[key];
        }
        printf("%u of %u keys overestimated\n", over, (unsigned)KEYS);
        assert_true(over < KEYS);
        dut_close(&d);
    }
}

/* The hash and the filter once more, from the words of rtl/README.md and of the contract, in the plainest way. */

static uint32_t step32(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

static uint64_t readme_mask(uint32_t seed, uint32_t i)
{
    uint32_t x = seed;
    for (uint32_t n = 0; n < 2 * i + 1; n++)
        x = step32(x);
    return (uint64_t)step32(x) << 32 | x;
}

static const uint32_t readme_seed[] = {0x10203040, 0x20304010, 0x30401020, 0x40102030};

static uint32_t readme_hash(uint32_t way, uint64_t key, uint32_t key_w, uint32_t out_w)
{
    uint64_t cut = key_w == 64 ? UINT64_MAX : ((uint64_t)1 << key_w) - 1;
    uint32_t hash = 0;
    for (uint32_t i = 0; i < out_w; i++)
        hash |= (uint32_t)__builtin_parityll(key & cut & readme_mask(readme_seed[way], i)) << i;
    return hash;
}

/* The values that rtl/README.md gives to whoever builds this a third time. */
static void test_recency_bloom_filter__hash_is_that_of_the_readme(void **state)
{
    static const uint32_t known[] = {0x9c, 0x6e, 0x6e, 0x5e};
    struct cw_h3x4 four;
    uint64_t mask;
    (void)state;
    cw_h3_masks(cw_h3_way_seed(0), 1, &mask);
    assert_int_equal(readme_mask(readme_seed[0], 0), 0x1bac669ed32f51d4);
    assert_int_equal(mask, 0x1bac669ed32f51d4);
    cw_h3x4_init(&four, 30, 8);
    for (uint32_t way = 0; way < 4; way++) {
        struct cw_h3 one;
        cw_h3_init(&one, cw_h3_way_seed(way), 30, 8);
        assert_int_equal(readme_hash(way, 0x12345678, 30, 8), known[way]);
        assert_int_equal(cw_h3(&one, 0x12345678), known[way]);
        assert_int_equal(cw_h3x4(&four, 0x12345678) >> 16 * way & 0xffff, known[way]);
    }
}

/* Every answer of a filter that is fuller and fuller, in every field: rows, raising and the minimum are exactly the contract's. */
static void agree_with_readme(const params_t *p, enum cw_unit_backend backend)
{
    enum { OPERATIONS = 1500, ROWS = 256 };
    static uint64_t row[4][ROWS][2];
    const uint64_t top = p->value_w >= 32 ? UINT32_MAX : ((uint64_t)1 << p->value_w) - 1;
    struct cw_rng rng;
    struct dut d;
    memset(row, 0, sizeof row);
    cw_rng_seed(&rng, cw_test_seed(11));
    dut_open(&d, p, backend);
    wait_for_sweep(&d, p);
    for (int i = 0; i < OPERATIONS; i++) {
        uint64_t key = cw_rng_next(&rng), least[2] = {UINT64_MAX, UINT64_MAX};
        ask(&d, key);
        for (uint32_t w = 0; w < p->ways; w++)
            for (uint32_t f = 0; f < 2; f++) {
                uint64_t held = row[w][readme_hash(w, key, p->key_w, p->row_w)][f];
                least[f] = held < least[f] ? held : least[f];
            }
        assert_int_equal(d.out.rsp_v0, least[0]);
        assert_int_equal(d.out.rsp_v1, p->fields == 2 ? least[1] : 0);
        if (i % 4 != 0)
            continue;
        uint64_t v[2] = {cw_rng_next(&rng) & top, cw_rng_next(&rng) & top};
        key = cw_rng_next(&rng);
        insert(&d, key, v[0], v[1]);
        for (uint32_t w = 0; w < p->ways; w++)
            for (uint32_t f = 0; f < 2; f++) {
                uint64_t *held = &row[w][readme_hash(w, key, p->key_w, p->row_w)][f];
                *held = v[f] > *held ? v[f] : *held;
            }
    }
    dut_close(&d);
}

static void test_recency_bloom_filter__answers_are_those_of_the_readme(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        agree_with_readme(&getm, backends[b]);
        agree_with_readme(&odd, backends[b]);
        agree_with_readme(&kilo, backends[b]);
    }
}

/* Accuracy. e(n) of the contract. */
static double expected_share(const params_t *p, uint32_t n)
{
    double sum = 0, missed = 1;
    for (uint32_t r = 0; r < n; r++) {
        double all = 1;
        for (uint32_t w = 0; w < p->ways; w++)
            all *= 1 - missed;
        sum += all;
        missed *= 1 - 1.0 / (1u << p->row_w);
    }
    return sum / n;
}

/* n distinct random keys, which then hold the values 1 to n: key i the value i + 1. */
static void random_keys(struct cw_rng *rng, const params_t *p, uint64_t *key, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool known;
        do {
            key[i] = cw_rng_next(rng) & (((uint64_t)1 << p->key_w) - 1);
            known = false;
            for (uint32_t j = 0; j < i; j++)
                known |= key[j] == key[i];
        } while (known);
    }
}

/* How many of the keys are answered too much. Insertion order is that of the values: the filter's answer does not depend on it. */
static uint32_t overestimated(struct dut *d, const params_t *p, const uint64_t *key, uint32_t n)
{
    uint32_t over = 0;
    d->in.clear = 1;
    dut_cycle(d);
    wait_for_sweep(d, p);
    for (uint32_t i = 0; i < n; i++)
        insert(d, key[i], i + 1, n - i);
    for (uint32_t i = 0; i < n + CW_RECENCY_BLOOM_FILTER_LATENCY; i++) {
        d->in.lkp_valid = i < n;
        d->in.lkp_key = i < n ? key[i] : 0;
        dut_cycle(d);
        assert_int_equal(d->out.rsp_valid, i >= CW_RECENCY_BLOOM_FILTER_LATENCY);
        if (i < CW_RECENCY_BLOOM_FILTER_LATENCY)
            continue;
        uint32_t asked = i - CW_RECENCY_BLOOM_FILTER_LATENCY;
        assert_true(d->out.rsp_v0 >= asked + 1);
        over += d->out.rsp_v0 > asked + 1;
        if (p->fields == 2) {
            assert_true(d->out.rsp_v1 >= n - asked);
            over += d->out.rsp_v1 > n - asked;
        }
    }
    return over;
}

static void test_recency_bloom_filter__is_as_accurate_as_its_size_allows(void **state)
{
    enum { KEYS_MAX = 64 };
    static const params_t two = {2, 5, 30, 1, 16, 0};
    static const struct {
        const params_t *p;
        uint32_t keys, trials;
    } cases[] = {{&getm, 64, 3000}, {&two, 16, 6000}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            const params_t *p = cases[c].p;
            uint64_t key[KEYS_MAX], over = 0;
            struct cw_rng rng;
            struct dut d;
            cw_rng_seed(&rng, cw_test_seed(5));
            dut_open(&d, p, backends[b]);
            wait_for_sweep(&d, p);
            for (uint32_t t = 0; t < cases[c].trials; t++) {
                random_keys(&rng, p, key, cases[c].keys);
                over += overestimated(&d, p, key, cases[c].keys);
            }
            double share = (double)over / ((double)p->fields * cases[c].trials * cases[c].keys);
            double expected = expected_share(p, cases[c].keys);
            printf("%u ways of %u rows, %u keys: %.5f of the answers too much, expected %.5f\n", p->ways, 1u << p->row_w, cases[c].keys,
                   share, expected);
            assert_true(share > 0.95 * expected && share < 1.05 * expected);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_recency_bloom_filter__fills),
    cmocka_unit_test(test_recency_bloom_filter__c_equals_rtl),
    cmocka_unit_test(test_recency_bloom_filter__broken_copies_are_caught),
    cmocka_unit_test(test_recency_bloom_filter__answers_after_three_cycles),
    cmocka_unit_test(test_recency_bloom_filter__covers_earlier_cycles_only),
    cmocka_unit_test(test_recency_bloom_filter__insertions_back_to_back_both_count),
    cmocka_unit_test(test_recency_bloom_filter__clear_forgets_all_before_it),
    cmocka_unit_test(test_recency_bloom_filter__one_copy_takes_one_operation),
    cmocka_unit_test(test_recency_bloom_filter__a_clear_during_the_sweep_starts_it_anew),
    cmocka_unit_test(test_recency_bloom_filter__lookups_up_to_the_clear_are_answered),
    cmocka_unit_test(test_recency_bloom_filter__busy_tells_what_is_under_way),
    cmocka_unit_test(test_recency_bloom_filter__never_underestimates),
    cmocka_unit_test(test_recency_bloom_filter__hash_is_that_of_the_readme),
    cmocka_unit_test(test_recency_bloom_filter__answers_are_those_of_the_readme),
    cmocka_unit_test(test_recency_bloom_filter__is_as_accurate_as_its_size_allows),
};
CW_TEST_MAIN(tests)
