/* SPDX-License-Identifier: Apache-2.0 */
#include "saved_unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "bin_watch.h"
#include "cw_test.h"
#include "wave/tap.h"

#define INTERVAL_MAX 1024u /* cycles; the shorter, the more often: many meet what lasts a cycle, long ones let a difference come out */
#define RESET_EVERY  4096u

/* The other is loaded from what the one has saved. Every second is watched, as in a run with waves and bins, which has to be the same. */
struct twins {
    const struct cw_unit *unit;
    const void *params;
    struct cw_unit_provider bins, taps;
    struct cw_bin_watch *bin_watch;
    struct cw_taps *tap_list;
    struct cw_unit_instance one, other;
    uint64_t renewals;
    void *in, *out, *other_out;
    struct cw_port *port;
};

static struct cw_unit_instance open_instance(const struct twins *t)
{
    const struct cw_unit_provider *provider = t->renewals % 2 == 0 ? cw_unit_provider_c() : &t->taps;
    struct cw_unit_instance instance = {0};
    struct cw_error err = {{0}};
    if (provider->open(provider->context, t->unit, "saved", t->params, &instance, &err) != CW_OK)
        fail_msg("%s", err.text);
    return instance;
}

static uint64_t digest(struct cw_unit_instance *instance)
{
    struct cw_error err = {{0}};
    struct cw_state s;
    cw_state_digest_begin(&s, &err);
    cw_unit_state(&s, instance);
    if (s.status != CW_OK)
        fail_msg("%s: %s", instance->unit->name, err.text);
    const uint64_t digest = s.digest;
    cw_state_end(&s);
    return digest;
}

/* The other takes the place of the one, and is made anew. */
static void renew(struct twins *t)
{
    struct cw_error err = {{0}};
    struct cw_state save, load;
    if (t->other.self != NULL) {
        t->one.ops->destroy(t->one.self);
        t->one = t->other;
    }
    t->renewals++;
    t->other = open_instance(t);
    cw_state_save_begin(&save, &err);
    cw_unit_state(&save, &t->one);
    if (save.status != CW_OK)
        fail_msg("%s: save: %s", t->unit->name, err.text);
    cw_state_load_begin(&load, save.stream, save.bytes, &err);
    cw_unit_state(&load, &t->other);
    if (load.status != CW_OK)
        fail_msg("%s: load: %s", t->unit->name, err.text);
    assert_int_equal(load.at, save.bytes);
    cw_state_end(&load);
    cw_state_end(&save);
}

static void expect_equal_outputs(const struct twins *t, const char *label, uint64_t cycle)
{
    for (uint32_t i = 0; i < t->unit->port_cnt; i++) {
        const struct cw_port *p = &t->port[i];
        const size_t bytes = p->words != 0 ? p->words * sizeof(uint32_t) : sizeof(uint64_t);
        if (p->dir == CW_PORT_OUT && memcmp((char *)t->out + p->offset, (char *)t->other_out + p->offset, bytes) != 0)
            fail_msg("%s, set %s, cycle %" PRIu64 ": output %s of the one that was loaded differs", t->unit->name, label, cycle, p->name);
    }
}

static void cycle(struct twins *t, const char *label, uint64_t n)
{
    t->one.ops->eval(t->one.self, t->in, t->out);
    t->other.ops->eval(t->other.self, t->in, t->other_out);
    expect_equal_outputs(t, label, n);
    t->one.ops->tick(t->one.self, t->in);
    t->other.ops->tick(t->other.self, t->in);
}

static void reset(struct twins *t)
{
    t->one.ops->reset(t->one.self);
    t->other.ops->reset(t->other.self);
}

static void open_twins(struct twins *t, const struct cw_unit *unit, const void *params)
{
    *t = (struct twins){.unit = unit,
                        .params = params,
                        .in = calloc(1, unit->in_size),
                        .out = calloc(1, unit->out_size),
                        .other_out = calloc(1, unit->out_size),
                        .port = calloc(unit->port_cnt, sizeof(struct cw_port))};
    assert_true(t->in != NULL && t->out != NULL && t->other_out != NULL && t->port != NULL);
    unit->ports(params, t->port);
    struct cw_error err = {{0}};
    if (cw_bin_watch_create(&t->bin_watch, &t->bins, cw_unit_provider_c(), &err) != CW_OK ||
        cw_taps_create(&t->tap_list, &t->taps, &t->bins, &err) != CW_OK)
        fail_msg("%s", err.text);
    t->one = open_instance(t);
    renew(t);
}

static void close_twins(struct twins *t)
{
    t->one.ops->destroy(t->one.self);
    t->other.ops->destroy(t->other.self);
    cw_taps_destroy(t->tap_list);
    cw_bin_watch_destroy(t->bin_watch);
    free(t->in);
    free(t->out);
    free(t->other_out);
    free(t->port);
}

void cw_saved_run(const struct cw_lockstep_bench *bench, const struct cw_lockstep_set *set, uint64_t cycles, uint64_t seed)
{
    const struct cw_unit *unit = bench->unit;
    struct cw_stimulus *stimulus = cw_stimulus_create(unit, set->params, seed, set->phase_cycles, bench->constrain, bench->context);
    struct twins t;
    struct cw_rng rng;
    assert_non_null(stimulus);
    open_twins(&t, unit, set->params);
    cw_rng_seed(&rng, ~seed);
    for (uint64_t n = 0, next = 0; n < cycles; n++) {
        if (n == next) {
            if (digest(&t.one) != digest(&t.other))
                fail_msg("%s, set %s, cycle %" PRIu64 ": the state of the one that was loaded differs", unit->name, set->label, n);
            renew(&t);
            next += 1 + cw_rng_below(&rng, INTERVAL_MAX >> cw_rng_below(&rng, 10));
        }
        if (cw_rng_below(&rng, RESET_EVERY) == 0)
            reset(&t);
        cw_stimulus_next(stimulus, t.out, t.in);
        cycle(&t, set->label, n);
    }
    printf("%s %s: %" PRIu64 " cycles, saved and loaded %" PRIu64 " times\n", unit->name, set->label, cycles, t.renewals);
    close_twins(&t);
    cw_stimulus_destroy(stimulus);
}
