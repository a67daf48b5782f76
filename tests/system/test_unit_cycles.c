/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a unit is given is what its contract says, measured in runs: on every preset each instance is clocked with the period of its clock,
 * no faster than the contract's, and an answer comes the contract's cycles after its request. Each instance is watched between the GPU and
 * its C model, by the GPU's time; the program calls cw_gpu_create by way of this file (linker option --wrap).
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cw_test.h"
#include "gpu/gpu.h"
#include "mech/mechs.h"
#include "run.h"

#define TAPS    4096u
#define HISTORY 64u

/* A channel: the answer comes so many cycles after a request, as the sentence of the contract says. ready NULL: a request is always taken.
 * first: no answer comes sooner, some come then, and others wait. */
struct channel {
    const char *unit, *request, *ready, *answer;
    uint32_t cycles;
    bool first;
    const char *sentence;
};

static const struct channel channels[] = {
    {"warp_lut", "upd_valid", NULL, "ans_valid", 1, false, "The answer is in the next cycle: ans_valid = 1"},
    {"thread_compactor", "start_valid", "start_ready", "count_valid", 1, false, "In t+1, and then only, count_valid = 1"},
    {"convergence_barriers", "op_valid", "op_ready", "ans_valid", 10, false, "It is answered in t + 10 (ans_valid)"},
    {"adequacy_table", "op_valid", NULL, "ans_valid", 2, false, "taken in t is there in t + 2 (ans_valid)"},
    {"postdate_unit", "op_valid", "op_ready", "ans_valid", 2, false, "taken in cycle t is there in t + 2 (ans_valid)"},
    {"version_index_table", "qry_valid", NULL, "ans_valid", 2, false, "two cycles later (ans_valid)"},
    {"writer_table", "op_valid", "op_ready", "ans_valid", 5, false, "the answer is there in t + 5 (ans_valid)"},
    {"reference_count_table", "op_valid", "op_ready", "ans_valid", 2, false, "is answered in t + 2 (ans_valid)"},
    {"conflict_address_table", "qry_valid", NULL, "ans_valid", 2, false, "of cycle t is answered in t + 2 (ans_valid)"},
    {"bank_detector", "req_valid", NULL, "ans_valid", 3, false, "in cycle t + 3 ans_valid = 1 with the answer"},
    {"validation_unit", "req_valid", "req_ready", "rsp_valid", 7, true, "rsp_valid, if no earlier response waits"},
};

struct tap {
    struct cw_unit_instance inner;
    const struct channel *channel;
    size_t request, ready, answer; /* offsets in the structs */
    cw_time last;                  /* tick; CW_TIME_NEVER: none yet */
    cw_time gap;                   /* least between two at different times */
    uint32_t at_once;              /* ticks at the time of the one before: a table is emptied when a kernel begins */
    cw_time asked[HISTORY];        /* requests, the newest at asked_cnt - 1, modulo */
    uint32_t asked_cnt, answers;
    uint32_t of_reset;    /* answers since the last reset */
    uint32_t early, late; /* answers before there were so many requests that are old enough; that came at another time */
    bool asks, takes, answers_now;
};

static struct tap tap[TAPS];
static uint32_t tap_cnt;
static struct cw_gpu *running;
static struct cw_clocks clocks; /* of the last one, also when it is gone */
static struct cw_config config;
static struct cw_unit_provider inner;

static cw_time now(void)
{
    return cw_gpu_now(running);
}

/* ---- between the GPU and the model ---- */

static int tap_create(void **self, const void *params)
{
    (void)self, (void)params;
    return CW_EINVAL;
}

static void tap_destroy(void *self)
{
    struct tap *t = self;
    t->inner.ops->destroy(t->inner.self);
}

static void tap_reset(void *self)
{
    struct tap *t = self;
    t->inner.ops->reset(t->inner.self);
    t->last = CW_TIME_NEVER;
    t->asked_cnt = t->of_reset = 0;
}

static bool port_of(const void *ports, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)ports + offset, sizeof value);
    return (value & 1) != 0;
}

static void tap_eval(void *self, const void *in, void *out)
{
    struct tap *t = self;
    t->inner.ops->eval(t->inner.self, in, out);
    if (t->channel == NULL)
        return;
    t->asks = port_of(in, t->request);
    t->takes = t->channel->ready == NULL || port_of(out, t->ready);
    t->answers_now = port_of(out, t->answer);
}

static cw_time period_of(const struct tap *t);

/* Requests that are no younger than the contract's cycles, and whether one is exactly as old. */
static uint32_t asked_before(const struct tap *t, bool *just)
{
    const cw_time due = now() - t->channel->cycles * period_of(t);
    uint32_t i = t->asked_cnt;
    while (i > 0 && i + HISTORY > t->asked_cnt && t->asked[(i - 1) % HISTORY] > due)
        i--;
    *just = i > 0 && t->asked[(i - 1) % HISTORY] == due;
    return i;
}

static void note_answer(struct tap *t)
{
    bool just;
    t->answers++;
    t->early += ++t->of_reset > asked_before(t, &just);
    t->late += !just;
}

static void tap_tick(void *self, const void *in)
{
    struct tap *t = self;
    if (t->last != CW_TIME_NEVER && now() == t->last)
        t->at_once++;
    else if (t->last != CW_TIME_NEVER && now() - t->last < t->gap)
        t->gap = now() - t->last;
    t->last = now();
    if (t->channel != NULL && t->answers_now)
        note_answer(t);
    if (t->channel != NULL && t->asks && t->takes)
        t->asked[t->asked_cnt++ % HISTORY] = now();
    t->inner.ops->tick(t->inner.self, in);
}

static const struct cw_unit_ops tap_ops = {
    .create = tap_create, .destroy = tap_destroy, .reset = tap_reset, .eval = tap_eval, .tick = tap_tick};

static size_t offset_of(const struct cw_unit *unit, const void *params, const char *name)
{
    struct cw_port port[256];
    assert_true(unit->port_cnt <= 256);
    unit->ports(params, port);
    for (uint32_t i = 0; name != NULL && i < unit->port_cnt; i++)
        if (strcmp(port[i].name, name) == 0)
            return port[i].offset;
    if (name != NULL)
        fail_msg("%s has no port %s", unit->name, name);
    return 0;
}

static int tap_open(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                    struct cw_error *err)
{
    (void)context;
    assert_true(tap_cnt < TAPS);
    struct tap *t = &tap[tap_cnt];
    *t = (struct tap){.last = CW_TIME_NEVER, .gap = CW_TIME_NEVER};
    const int status = inner.open(inner.context, unit, name, params, &t->inner, err);
    if (status != CW_OK)
        return status;
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
        if (strcmp(channels[i].unit, unit->name) == 0)
            t->channel = &channels[i];
    if (t->channel != NULL) {
        t->request = offset_of(unit, params, t->channel->request);
        t->ready = offset_of(unit, params, t->channel->ready);
        t->answer = offset_of(unit, params, t->channel->answer);
    }
    tap_cnt++;
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &tap_ops, .self = t};
    return CW_OK;
}

static const struct cw_unit_provider taps = {.open = tap_open};

int __real_cw_gpu_create(struct cw_gpu **out, const struct cw_gpu_options *options, struct cw_error *err);
int __wrap_cw_gpu_create(struct cw_gpu **out, const struct cw_gpu_options *options, struct cw_error *err);

int __wrap_cw_gpu_create(struct cw_gpu **out, const struct cw_gpu_options *options, struct cw_error *err)
{
    struct cw_gpu_options o = *options;
    inner = *options->units;
    o.units = &taps;
    tap_cnt = 0;
    const int status = __real_cw_gpu_create(out, &o, err);
    running = *out;
    if (status == CW_OK) {
        clocks = *cw_gpu_clocks(running);
        config = *cw_gpu_config(running);
    }
    return status;
}

/* ---- what a contract gives ---- */

/* Units that are clocked with a pipeline stage of the core, or with half of one: both sides of a branch take their turns in a stage. */
static const char *const staged[] = {"block_stack", "thread_compactor", "convergence_barriers", "adequacy_table"}, *const half_staged[] = {
                                                                                                                       "warp_lut"};

/* Units without a state that lasts, which are clocked when somebody asks. */
static const char *const asked[] = {"tcm_select", "shadow_address"};

static bool is_one_of(const char *const *list, size_t cnt, const char *name)
{
    while (cnt > 0 && strcmp(list[cnt - 1], name) != 0)
        cnt--;
    return cnt > 0;
}

/* Units on GETM's machines whose own machine is slower (test_unit_sizes.c). */
static const char *const faster[] = {"postdate_unit", "writer_table", "version_index_table", "row_copy_engine", "scalable_reader_list"};

static uint64_t mhz_of(cw_time period)
{
    return clocks.units_per_us / period;
}

/* Of the clock that the unit is said to have. */
static cw_time period_of(const struct tap *t)
{
    const char *name = t->inner.unit->name;
    const cw_time core = clocks.period[CW_DOMAIN_CORE], stage = config.core_stage_cycles;
    if (is_one_of(staged, sizeof staged / sizeof staged[0], name))
        return core * stage;
    if (is_one_of(half_staged, 1, name))
        return core * ((stage + 1) / 2);
    uint32_t i = 0;
    while (cw_mech_unit_at(i)->unit != t->inner.unit)
        i++;
    return clocks.period[cw_mech_unit_at(i)->domain];
}

static void judge(const struct tap *t, const struct run *r)
{
    const struct cw_unit *unit = t->inner.unit;
    if (t->gap == CW_TIME_NEVER)
        return; /* nothing has come */
    const cw_time period = period_of(t);
    if (is_one_of(asked, 2, unit->name) ? t->gap % period != 0 : t->gap != period)
        fail_msg("%s, %s: clocked after %llu units of time, and its clock has %llu", r->preset, unit->name, (unsigned long long)t->gap,
                 (unsigned long long)period);
    if (mhz_of(period) > unit->clock_mhz && !is_one_of(faster, 5, unit->name))
        fail_msg("%s, %s: clocked at %llu MHz, and its contract says %u", r->preset, unit->name, (unsigned long long)mhz_of(period),
                 unit->clock_mhz);
    if (t->channel == NULL || t->answers == 0)
        return;
    if (t->early != 0 || (t->channel->first ? t->late == t->answers : t->late != 0))
        fail_msg("%s, %s: of %u answers %u came before %u cycles after their request, and %u not in that cycle", r->preset, unit->name,
                 t->answers, t->early, t->channel->cycles, t->late);
}

/* Which channels have been seen, and units. */
struct seen {
    uint32_t answers[sizeof channels / sizeof channels[0]];
    uint32_t clocked;
};

/* Returns whether the preset takes the system. */
static bool run_and_judge(struct seen *s, struct run *r)
{
    tap_cnt = 0;
    run_workload(r);
    if (r->status == COWARP_EINVAL || r->status == COWARP_EUNSUP)
        return false;
    if (r->status != COWARP_OK)
        fail_msg("%s with %s on %s: %s", r->workload, r->system, r->preset, r->message);
    for (uint32_t i = 0; i < tap_cnt; i++) {
        judge(&tap[i], r);
        s->clocked += tap[i].gap != CW_TIME_NEVER;
        if (tap[i].channel != NULL)
            s->answers[tap[i].channel - channels] += tap[i].answers;
    }
    return true;
}

static void test_unit_cycles__of_branch_divergence(void **state)
{
    static const char *const mechanism[] = {"core.divergence=dwf", "core.divergence=dwf-wb", "core.divergence=tbc", "core.divergence=its",
                                            "core.divergence=capri"};
    static struct seen s;
    (void)state;
    for (uint32_t i = 0; i < sizeof mechanism / sizeof mechanism[0]; i++) {
        struct run r = {
            .workload = "fcdt", .system = "none", .preset = "thesis-tbc", .settings = {mechanism[i]}, .param = {"width=40", "height=32"}};
        run_and_judge(&s, &r);
    }
    if (s.answers[0] < 1000 || s.answers[1] < 20 || s.answers[2] < 20 || s.answers[3] < 20)
        fail_msg("only %u, %u, %u and %u answers", s.answers[0], s.answers[1], s.answers[2], s.answers[3]);
}

/* Cards whose cores or L2 have a faster clock than units are made for: no paper puts any there. */
static bool is_faster(const char *preset)
{
    static const char *const quick[] = {"qv100", "titanv", "rtx2080ti", "rtx4070", "h100"};
    for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++)
        if (strcmp(preset, quick[i]) == 0)
            return true;
    return false;
}

/* Every other preset, with each system of these that it takes. */
static void test_unit_cycles__of_transactions(void **state)
{
    static const char *const systems[] = {"getm", "warptm", "eapg", "sitm-ts"};
    static struct seen s;
    uint32_t runs = 0;
    (void)state;
    for (const char *const *preset = cw_config_presets(); *preset != NULL; preset++)
        for (uint32_t i = 0; i < sizeof systems / sizeof systems[0] && !is_faster(*preset); i++) {
            struct run r = {.workload = "ht-h",
                            .system = systems[i],
                            .preset = *preset,
                            .variant = COWARP_TX,
                            .param = {"buckets=100", "blocks=4", "threads=64"}};
            runs += run_and_judge(&s, &r);
        }
    assert_true(runs > 20);
    for (size_t i = 4; i < sizeof channels / sizeof channels[0]; i++)
        if (s.answers[i] < 20 && strcmp(channels[i].unit, "bank_detector") != 0)
            fail_msg("%s has answered %u times", channels[i].unit, s.answers[i]);
}

static void test_unit_cycles__of_transactions_in_shared_memory(void **state)
{
    static struct seen s;
    (void)state;
    struct run r = {.workload = "it-hc", .system = "localtm", .preset = "localtm", .variant = COWARP_TX};
    assert_true(run_and_judge(&s, &r));
    assert_true(s.clocked > 0);
}

/* The sentences that say so, whatever lines they are on. */
static void test_unit_cycles__are_those_of_the_contracts(void **state)
{
    static char text[20000], plain[20000];
    (void)state;
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
        char path[300];
        snprintf(path, sizeof path, CW_SOURCE_DIR "/include/cowarp/unit/%s.h", channels[i].unit);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
        size_t n = 0;
        for (const char *at = text; *at != '\0'; at++)
            if (*at == '\n' || *at == ' ' || (*at == '*' && n > 0 && plain[n - 1] == ' ')) {
                if (n > 0 && plain[n - 1] != ' ')
                    plain[n++] = ' ';
            } else {
                plain[n++] = *at;
            }
        plain[n] = '\0';
        if (strstr(plain, channels[i].sentence) == NULL)
            fail_msg("%s does not say '%s'; what it says now belongs beside its cycles here", path, channels[i].sentence);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_unit_cycles__are_those_of_the_contracts),
    cmocka_unit_test(test_unit_cycles__of_branch_divergence),
    cmocka_unit_test(test_unit_cycles__of_transactions),
    cmocka_unit_test(test_unit_cycles__of_transactions_in_shared_memory),
};

CW_TEST_MAIN(tests)
