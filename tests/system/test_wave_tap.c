/* SPDX-License-Identifier: Apache-2.0 */
/* A tap in front of a unit shows more, and changes nothing: a tapped instance and a bare one, driven alike, answer alike, also when the tap
 * is asked to show the cycle after one that nobody evaluated any more. */
#include <string.h>

#include "base/rng.h"
#include "cowarp/unit/stall_buffer.h"
#include "cw_test.h"
#include "wave/tap.h"

struct pair {
    struct cw_stall_buffer_params params;
    struct cw_unit_provider outer;
    struct cw_taps *taps;
    struct cw_unit_instance tapped, bare;
};

static void open_pair(struct pair *p)
{
    struct cw_error err = {""};
    const struct cw_unit_provider *c = cw_unit_provider_c();
    cw_unit_params_default(&cw_stall_buffer_unit, &p->params);
    assert_int_equal(cw_taps_create(&p->taps, &p->outer, c, &err), CW_OK);
    assert_int_equal(p->outer.open(p->outer.context, &cw_stall_buffer_unit, "partition0.stall_buffer", &p->params, &p->tapped, &err),
                     CW_OK);
    assert_int_equal(c->open(c->context, &cw_stall_buffer_unit, "bare", &p->params, &p->bare, &err), CW_OK);
}

static void close_pair(struct pair *p)
{
    p->tapped.ops->destroy(p->tapped.self);
    p->bare.ops->destroy(p->bare.self);
    cw_taps_destroy(p->taps);
}

static void cycle(struct pair *p, const struct cw_stall_buffer_in *in, struct cw_stall_buffer_out *out)
{
    struct cw_stall_buffer_out expected;
    p->tapped.ops->eval(p->tapped.self, in, out);
    p->bare.ops->eval(p->bare.self, in, &expected);
    assert_memory_equal(out, &expected, sizeof expected);
    p->tapped.ops->tick(p->tapped.self, in);
    p->bare.ops->tick(p->bare.self, in);
}

static void test_wave_tap__changes_no_answer(void **state)
{
    struct pair p;
    struct cw_stall_buffer_out out = {0};
    struct cw_rng rng;
    uint32_t pushed = 0, retried = 0;
    (void)state;
    open_pair(&p);
    cw_rng_seed(&rng, cw_test_seed(1));
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t r = cw_rng_next(&rng);
        const uint64_t granule = i / 8 & 7; /* long enough for a question and its push */
        const struct cw_stall_buffer_in in = {.ask_granule = granule,
                                              .push_valid = r & 1,
                                              .push_granule = granule,
                                              .push_warpts = r >> 16 & 255,
                                              .push_payload = r >> 24 & 255,
                                              .wake_valid = (r >> 1 & 7) == 0,
                                              .wake_granule = r >> 40 & 7,
                                              .retry_ready = r >> 5 & 1,
                                              .done_valid = r >> 6 & 1};
        cycle(&p, &in, &out);
        pushed += (uint32_t)in.push_valid;
        retried += (uint32_t)(out.retry_valid & in.retry_ready);
        if ((r >> 48 & 3) == 0)
            cw_tap_idle(cw_taps_at(p.taps, 0));
    }
    assert_true(pushed > 1000 && retried > 300);
    close_pair(&p);
}

static void test_wave_tap__idle_cycle_has_no_requests(void **state)
{
    struct pair p;
    struct cw_stall_buffer_out out;
    const struct cw_stall_buffer_in ask = {.ask_granule = 5};
    const struct cw_stall_buffer_in in = {.push_valid = 1, .push_granule = 5, .push_warpts = 9};
    (void)state;
    open_pair(&p);
    struct cw_tap *tap = cw_taps_at(p.taps, 0);
    cycle(&p, &ask, &out);
    cycle(&p, &ask, &out);
    cycle(&p, &in, &out);
    const struct cw_stall_buffer_in *shown_in = tap->in;
    const struct cw_stall_buffer_out *shown = tap->out;
    assert_true(tap->evaluated);
    assert_int_equal(shown_in->push_valid, 1); /* the cycle of the push: not yet in */
    assert_int_equal(shown->occupancy, 0);
    cw_tap_idle(tap);
    assert_int_equal(shown_in->push_valid, 0); /* the cycle after: in, and the request is not shown again */
    assert_int_equal(shown_in->push_granule, 5);
    assert_int_equal(shown->occupancy, 1);
    close_pair(&p);
}

/* Counts how the RTL behind a tap would go back and over the edge again; there is none here. */
struct way {
    bool open;
    uint32_t kept, back, again;
};

static bool keep(void *context, const struct cw_tap *tap)
{
    struct way *w = context;
    (void)tap;
    w->kept += w->open;
    return w->open;
}

static void go_back(void *context, const struct cw_tap *tap)
{
    struct way *w = context;
    assert_int_equal(((const struct cw_stall_buffer_in *)tap->in)->push_valid, 1); /* the cycle's inputs, not those of the look */
    w->back++;
}

static void go_again(void *context, const struct cw_tap *tap)
{
    struct way *w = context;
    (void)tap;
    w->again++;
}

/* A cycle in a time step of its own. */
static void step(struct pair *p, const struct cw_stall_buffer_in *in, struct cw_stall_buffer_out *out)
{
    cycle(p, in, out);
    cw_taps_at(p->taps, 0)->evaluated = false;
}

/* Evaluates both behind the edge that cycle() has asked for, in the same time step. */
static void look(struct pair *p, struct cw_stall_buffer_out *out)
{
    const struct cw_stall_buffer_in none = {0};
    struct cw_stall_buffer_out expected;
    p->tapped.ops->eval(p->tapped.self, &none, out);
    p->bare.ops->eval(p->bare.self, &none, &expected);
    assert_memory_equal(out, &expected, sizeof expected);
}

static void test_wave_tap__shows_the_cycle_before_a_look(void **state)
{
    static const struct cw_tap_rewind rewind = {keep, go_back, go_again};
    struct pair p;
    struct way way = {.open = true};
    struct cw_stall_buffer_out out;
    const struct cw_stall_buffer_in ask = {.ask_granule = 5};
    const struct cw_stall_buffer_in in = {.ask_granule = 5, .push_valid = 1, .push_granule = 5, .push_warpts = 9};
    (void)state;
    open_pair(&p);
    struct cw_tap *tap = cw_taps_at(p.taps, 0);
    const struct cw_stall_buffer_in *shown_in = tap->in;
    const struct cw_stall_buffer_out *shown = tap->out;
    cw_taps_rewind(p.taps, &rewind, &way);
    for (uint32_t i = 0; i < 3; i++) {
        step(&p, &ask, &out);
        step(&p, &ask, &out);
        assert_int_equal(way.kept, i); /* nobody has looked there */
        cycle(&p, &in, &out);
        for (uint32_t n = 0; n < 2; n++) {
            look(&p, &out);
            assert_int_equal(out.occupancy, i + 1); /* the caller sees what is behind the edge */
            assert_int_equal(shown_in->push_valid, 1);
            assert_int_equal(shown->occupancy, i); /* and the tap shows the cycle before it */
        }
        tap->evaluated = false;
    }
    assert_int_equal(way.kept, 3);
    assert_int_equal(way.back, 6);
    assert_int_equal(way.again, 3 + 2); /* for the second looks, and before the next cycles */
    cw_tap_idle(tap);
    assert_int_equal(way.again, 3 + 3);
    assert_int_equal(shown_in->push_valid, 0);
    assert_int_equal(shown->occupancy, 3);
    way.open = false; /* outside of the window a look is shown as any evaluation */
    step(&p, &ask, &out);
    step(&p, &ask, &out);
    cycle(&p, &in, &out);
    look(&p, &out);
    assert_int_equal(shown_in->push_valid, 0);
    assert_int_equal(shown->occupancy, 4);
    close_pair(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_wave_tap__shows_the_cycle_before_a_look),
    cmocka_unit_test(test_wave_tap__changes_no_answer),
    cmocka_unit_test(test_wave_tap__idle_cycle_has_no_requests),
};

CW_TEST_MAIN(tests)
