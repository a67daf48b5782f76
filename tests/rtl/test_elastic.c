/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of a C model and hardware that takes other times. The hardware is the C model again, behind a queue of answers that is slow and uneven, and
 * has one fault at a time: what of the contract it breaks has to be named, and without a fault nothing may be.
 */
#include <stdlib.h>
#include <string.h>

#include "cowarp/unit/thread_compactor.h"
#include "cowarp/unit/writer_table.h"
#include "cw_test.h"
#include "elastic.h"

enum fault { NO_FAULT, WRONG_VALUE, LOST, TWICE, SWAPPED, UNASKED, NOT_ZERO, EARLY_REST, CHANGES };

#define DEPTH 64u
#define TABLE struct cw_writer_table_out

/* ---- a writer table that answers late ---- */

struct late {
    struct cw_unit_instance inner;
    enum fault fault;
    uint32_t number, delay, cycle; /* answers so far; cycles that each waits at least */
    TABLE queue[DEPTH];
    uint32_t due[DEPTH], first, cnt;
    TABLE swapped; /* SWAPPED: the answer that the next one overtakes */
    bool has_swapped;
};

static void put(struct late *l, const TABLE *answer)
{
    assert_true(l->cnt < DEPTH);
    const uint32_t at = (l->first + l->cnt++) % DEPTH;
    l->queue[at] = *answer;
    l->due[at] = l->cycle + l->delay + (l->number * 7) % 5;
}

static void take_answer(struct late *l, TABLE *out)
{
    l->number++;
    const bool now = l->number == 20;
    if (l->fault == WRONG_VALUE && now)
        out->ans_owner ^= 1;
    if (l->fault == SWAPPED && now) {
        l->swapped = *out;
        l->has_swapped = true;
        return;
    }
    if (!(l->fault == LOST && now))
        put(l, out);
    if (l->fault == TWICE && now)
        put(l, out);
    if (l->has_swapped)
        put(l, &l->swapped);
    l->has_swapped = false;
}

static void late_eval(void *self, const void *in, void *outputs)
{
    struct late *l = self;
    struct cw_writer_table_in ask = *(const struct cw_writer_table_in *)in;
    TABLE *out = outputs;
    const bool turn = l->cycle % 3 != 1; /* it takes nothing in each third cycle */
    ask.op_valid &= turn;
    l->inner.ops->eval(l->inner.self, &ask, out);
    const bool due = l->cnt > 0 && l->due[l->first] <= l->cycle;
    const TABLE *answer = &l->queue[l->first];
    out->op_ready &= turn;
    out->ans_valid = due;
    out->ans_result = due ? answer->ans_result : 0;
    out->ans_owner = due ? answer->ans_owner : l->fault == NOT_ZERO && l->cycle > 300 ? 1 : 0;
    out->ans_writers = due ? answer->ans_writers : 0;
    memset(out->ans_ids, 0, sizeof out->ans_ids);
    if (due)
        memcpy(out->ans_ids, answer->ans_ids, sizeof out->ans_ids);
    out->idle = l->fault == EARLY_REST ? out->idle : out->idle && l->cnt == 0 && !l->has_swapped;
    if (l->fault == UNASKED && l->cycle == 900)
        out->ans_valid = 1;
}

static void late_tick(void *self, const void *in)
{
    struct late *l = self;
    struct cw_writer_table_in ask = *(const struct cw_writer_table_in *)in;
    TABLE out;
    ask.op_valid &= l->cycle % 3 != 1;
    if (l->cnt > 0 && l->due[l->first] <= l->cycle) {
        l->first = (l->first + 1) % DEPTH;
        l->cnt--;
    }
    l->inner.ops->eval(l->inner.self, &ask, &out);
    if (out.ans_valid)
        take_answer(l, &out);
    l->inner.ops->tick(l->inner.self, &ask);
    l->cycle++;
}

static void late_reset(void *self)
{
    struct late *l = self;
    l->inner.ops->reset(l->inner.self);
    l->cnt = 0;
}

static void late_destroy(void *self)
{
    struct late *l = self;
    l->inner.ops->destroy(l->inner.self);
    free(l);
}

static const struct cw_unit_ops late_ops = {.destroy = late_destroy, .reset = late_reset, .eval = late_eval, .tick = late_tick};

/* ---- the pair ---- */

static struct cw_unit_instance model_of(const struct cw_unit *unit, const void *params)
{
    struct cw_unit_instance instance;
    assert_int_equal(cw_unit_provider_c()->open(NULL, unit, "unit", params, &instance, NULL), 0);
    return instance;
}

static void report_open(struct cw_lockstep_report *report)
{
    memset(report, 0, sizeof *report);
    atomic_flag_clear(&report->taken);
}

static uint32_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

/* Operations at random for so many cycles, then none until all is over. Returns what was judged. */
static struct cw_elastic_tally drive_table(enum fault fault, uint32_t delay, struct cw_lockstep_report *report)
{
    struct cw_writer_table_params params;
    struct cw_writer_table_out out;
    void *pair;
    cw_unit_params_default(&cw_writer_table_unit, &params);
    params.entries = 24;
    params.ways = 3;
    params.id_w = 4;
    struct late *late = calloc(1, sizeof *late);
    assert_non_null(late);
    *late = (struct late){.inner = model_of(&cw_writer_table_unit, &params), .fault = fault, .delay = delay};
    const struct cw_unit_instance model = model_of(&cw_writer_table_unit, &params), rtl = {&cw_writer_table_unit, &late_ops, late, NULL};
    report_open(report);
    assert_int_equal(cw_elastic_create(&pair, &params, &model, &rtl, cw_elastic_contract_of(&cw_writer_table_unit), "table", report), 0);
    random_state = 1;
    for (uint32_t cycle = 0; cycle < 1000; cycle++) {
        struct cw_writer_table_in in = {0};
        if (cycle < 16) /* all run, from the beginning */
            in = (struct cw_writer_table_in){.op_valid = 1, .op_kind = CW_WRITER_RUN, .op_id = cycle};
        else if (cycle < 800 && below(4) > 0)
            in = (struct cw_writer_table_in){.op_valid = 1, .op_kind = below(3), .op_word = below(40), .op_id = below(16)};
        in.sweep = cycle == 400;
        cw_elastic_ops.eval(pair, &in, &out);
        cw_elastic_ops.tick(pair, &in);
    }
    const struct cw_elastic_tally tally = *cw_elastic_tally(pair);
    cw_elastic_ops.destroy(pair);
    return tally;
}

static uint64_t sum(const uint64_t *times, uint32_t from, uint32_t to)
{
    uint64_t all = 0;
    for (uint32_t i = from; i < to; i++)
        all += times[i];
    return all;
}

static void test_elastic__other_times_are_right(void **state)
{
    struct cw_lockstep_report report;
    (void)state;
    for (uint32_t delay = 0; delay < 20; delay += 6) {
        const struct cw_elastic_tally t = drive_table(NO_FAULT, delay, &report);
        assert_int_equal(atomic_load(&report.status), CW_OK);
        assert_int_equal(t.broken, -1);
        assert_true(t.checks[CW_ELASTIC_VALUES] > 100);
        assert_int_equal(t.checks[CW_ELASTIC_ASKED], t.checks[CW_ELASTIC_VALUES]);
        assert_true(t.checks[CW_ELASTIC_ZEROS] > 100 && t.checks[CW_ELASTIC_RESTS] > 100);
        assert_int_equal(t.checks[CW_ELASTIC_HOLDS], 0); /* it offers nothing that has to wait */
        /* The contract says five cycles; the hardware is a cycle later at least, and `delay` and up to four more. */
        assert_int_equal(sum(t.model.latency, 0, CW_ELASTIC_CYCLES), t.model.latency[5]);
        assert_int_equal(t.model.latency[5], t.checks[CW_ELASTIC_VALUES]);
        assert_int_equal(sum(t.rtl.latency, 0, 5 + delay), 0);
        assert_int_equal(sum(t.rtl.latency, 5 + delay, CW_ELASTIC_CYCLES), t.checks[CW_ELASTIC_VALUES]);
        assert_int_equal(t.model.taken, t.rtl.taken);
        assert_true(t.rtl.taken < t.rtl.offered);
        assert_int_equal(sum(t.rtl.occupancy, 0, CW_ELASTIC_CYCLES), 1000);
    }
}

static void test_elastic__what_is_broken_is_named(void **state)
{
    static const struct {
        enum fault fault;
        int verdict;
        const char *says[2];
    } cases[] = {
        {WRONG_VALUE, CW_ELASTIC_VALUES, {"ans_owner_o of answer 19 is ", "(4 to 6, 9 to 12, 14, 18 to 29 of the contract)"}},
        {SWAPPED, CW_ELASTIC_VALUES, {" of answer 19 is ", "answers are the C model's"}},
        {LOST, CW_ELASTIC_VALUES, {" of answer ", "answers are the C model's"}},
        {TWICE, CW_ELASTIC_VALUES, {" of answer ", "answers are the C model's"}},
        {UNASKED, CW_ELASTIC_ASKED, {"ans_valid_o is 1, and all operations have their answers", "each answer was asked for"}},
        {NOT_ZERO, CW_ELASTIC_ZEROS, {"ans_owner_o is not 0 while ans_valid_o is", "(30 of the contract)"}},
        {EARLY_REST, CW_ELASTIC_RESTS, {"idle_o says that nothing is inside, and ", "(40 of the contract)"}},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cw_lockstep_report report;
        const struct cw_elastic_tally t = drive_table(cases[i].fault, 6, &report);
        assert_int_equal(atomic_load(&report.status), CW_EMISMATCH);
        assert_string_equal(report.name, "table");
        assert_int_equal(t.broken, cases[i].verdict);
        for (uint32_t k = 0; k < 2; k++)
            if (strstr(report.error.text, cases[i].says[k]) == NULL)
                fail_msg("fault %d: \"%s\" is not in: %s", (int)cases[i].fault, cases[i].says[k], report.error.text);
    }
}

/* ---- a compactor whose offers have to stay ---- */

struct fickle {
    struct cw_unit_instance inner;
    enum fault fault;
    uint32_t cycle;
};

static void fickle_eval(void *self, const void *in, void *outputs)
{
    struct fickle *f = self;
    struct cw_thread_compactor_out *out = outputs;
    f->inner.ops->eval(f->inner.self, in, out);
    if (f->fault == CHANGES && out->warp_valid && f->cycle == 41)
        out->warp_lanes ^= 1;
}

static void fickle_tick(void *self, const void *in)
{
    struct fickle *f = self;
    f->inner.ops->tick(f->inner.self, in);
    f->cycle++;
}

static void fickle_destroy(void *self)
{
    struct fickle *f = self;
    f->inner.ops->destroy(f->inner.self);
    free(f);
}

static const struct cw_unit_ops fickle_ops = {.destroy = fickle_destroy, .eval = fickle_eval, .tick = fickle_tick};

static struct cw_elastic_tally drive_compactor(enum fault fault, struct cw_lockstep_report *report)
{
    struct cw_thread_compactor_params params;
    struct cw_thread_compactor_in in = {.start_valid = 1};
    struct cw_thread_compactor_out out;
    void *pair;
    cw_unit_params_default(&cw_thread_compactor_unit, &params);
    struct fickle *fickle = calloc(1, sizeof *fickle);
    assert_non_null(fickle);
    *fickle = (struct fickle){model_of(&cw_thread_compactor_unit, &params), fault, 0};
    const struct cw_unit_instance model = model_of(&cw_thread_compactor_unit, &params),
                                  rtl = {&cw_thread_compactor_unit, &fickle_ops, fickle, NULL};
    report_open(report);
    assert_int_equal(
        cw_elastic_create(&pair, &params, &model, &rtl, cw_elastic_contract_of(&cw_thread_compactor_unit), "compactor", report), 0);
    random_state = 2;
    for (uint32_t cycle = 0; cycle < 400; cycle++) {
        for (uint32_t w = 0; w < 32; w++)
            in.start_mask[w] = below(UINT32_MAX);
        in.start_static = below(2);
        in.warp_ready = cycle % 4 == 3; /* each warp waits */
        cw_elastic_ops.eval(pair, &in, &out);
        cw_elastic_ops.tick(pair, &in);
    }
    const struct cw_elastic_tally tally = *cw_elastic_tally(pair);
    cw_elastic_ops.destroy(pair);
    return tally;
}

static void test_elastic__offers_stay(void **state)
{
    struct cw_lockstep_report report;
    (void)state;
    struct cw_elastic_tally t = drive_compactor(NO_FAULT, &report);
    assert_int_equal(t.broken, -1);
    assert_true(t.checks[CW_ELASTIC_HOLDS] > 100 && t.checks[CW_ELASTIC_VALUES + 1] > 50 && t.checks[CW_ELASTIC_VALUES] > 2);
    t = drive_compactor(CHANGES, &report);
    assert_int_equal(t.broken, CW_ELASTIC_HOLDS);
    assert_non_null(strstr(report.error.text, "warp_lanes_o has changed before warp_ready_i was 1"));
    assert_non_null(strstr(report.error.text, "(14 of the contract)"));
}

/* Names of ports in the contracts are those of the units, and each sentence that is numbered there is a sentence. */
static void test_elastic__contracts_name_ports(void **state)
{
    extern const struct cw_unit cw_last_written_table_unit, cw_ownership_table_unit;
    const struct cw_unit *const units[] = {&cw_writer_table_unit, &cw_thread_compactor_unit, &cw_last_written_table_unit,
                                           &cw_ownership_table_unit};
    char all[CW_ELASTIC_NAMES];
    (void)state;
    cw_elastic_units(all);
    for (uint32_t i = 0; i < 4; i++) {
        const struct cw_elastic_contract *c = cw_elastic_contract_of(units[i]);
        uint64_t params[32];
        struct cw_port port[64];
        const char *names[64] = {c != NULL ? c->pulse : NULL, c != NULL ? c->rest : NULL};
        uint32_t cnt = 2;
        assert_non_null(c);
        assert_non_null(strstr(all, units[i]->name));
        for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS; k++) {
            names[cnt++] = c->ask[k].valid, names[cnt++] = c->ask[k].ready, names[cnt++] = c->ask[k].kind;
            names[cnt++] = c->answer[k].valid, names[cnt++] = c->answer[k].ready;
            for (uint32_t f = 0; f < CW_ELASTIC_FIELDS; f++)
                names[cnt++] = c->answer[k].field[f];
        }
        cw_unit_params_default(units[i], params);
        units[i]->ports(params, port);
        for (uint32_t n = 0; n < cnt; n++) {
            bool found = names[n] == NULL;
            for (uint32_t q = 0; q < units[i]->port_cnt; q++)
                found = found || strcmp(port[q].name, names[n]) == 0;
            if (!found)
                fail_msg("%s has no port %s", units[i]->name, names[n]);
        }
    }
    assert_null(cw_elastic_contract_of(&(struct cw_unit){.name = "hazard_unit"}));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_elastic__other_times_are_right),
    cmocka_unit_test(test_elastic__what_is_broken_is_named),
    cmocka_unit_test(test_elastic__offers_stay),
    cmocka_unit_test(test_elastic__contracts_name_ports),
};

CW_TEST_MAIN(tests)
