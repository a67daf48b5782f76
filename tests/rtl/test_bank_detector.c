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

#define WORDS   8u
#define SLOTS   16u
#define LATENCY 3u

/*                               items lane_w groups word_w sig_w wsig_w hashes */
static const params_t paper = {256, 6, 4, 9, 8, 32, 2};
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

static struct bank banks[] = {{.p = &paper}, {.p = &odd}, {.p = &minimal}, {.p = &wide}, {.p = &narrow}};
static const struct cw_lockstep_set paper_sets[] = {{"paper", &paper, 0}, {"single", &single, 0}};
static const struct cw_lockstep_set odd_sets[] = {{"odd", &odd, 0}};
static const struct cw_lockstep_set minimal_sets[] = {{"minimal", &minimal, 0}};
static const struct cw_lockstep_set wide_sets[] = {{"wide", &wide, 0}};
static const struct cw_lockstep_set narrow_sets[] = {{"narrow", &narrow, 0}};
static const struct cw_lockstep_bench benches[] = {{&cw_bank_detector_unit, paper_sets, 2, constrain, &banks[0]},
                                                   {&cw_bank_detector_unit, odd_sets, 1, constrain, &banks[1]},
                                                   {&cw_bank_detector_unit, minimal_sets, 1, constrain, &banks[2]},
                                                   {&cw_bank_detector_unit, wide_sets, 1, constrain, &banks[3]},
                                                   {&cw_bank_detector_unit, narrow_sets, 1, constrain, &banks[4]}};
#define BENCHES (sizeof benches / sizeof benches[0])

static void test_bank_detector__c_equals_rtl(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BENCHES; i++)
        cw_lockstep_run(&benches[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bank_detector__c_equals_rtl),
};
CW_TEST_MAIN(tests)
