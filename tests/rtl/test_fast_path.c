/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shim evaluates a model once per cycle where no output depends on an input of the same cycle (harness/rtl/README.md). It finds out by
 * reading what Verilator wrote, and goes the long way in doubt, with the same results: only this test sees a fall back to it. What is
 * expected comes from the model, not from that text: the same state is evaluated with two sets of inputs, and the outputs are compared.
 * Every unit of the repository is one whose functions the shim calls itself. A unit that may sleep is compared, cycle by cycle, with one that
 * never does, while its inputs are held for some cycles and then change.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cowarp/unit/order_masks.h"
#include "cw_test.h"
#include "rtl_provider.h"
#include "stimulus.h"

#define CW_UNIT_NAMED(u) extern const struct cw_unit cw_##u##_unit;
CW_UNITS
#undef CW_UNIT_NAMED
#define CW_UNIT_NAMED(u) &cw_##u##_unit,
static const struct cw_unit *const units[] = {CW_UNITS};
#define UNIT_CNT (sizeof units / sizeof units[0])

#define CYCLES 3000u
#define HELD   8u /* cycles in which inputs change, then in which they are held */

/* The RTL of a unit at its default parameters, twice: one settles in every cycle as for a wave, the other is left alone. */
struct bench {
    const struct cw_unit *unit;
    void *params;
    struct cw_port *port;
    struct cw_unit_provider provider;
    struct cw_unit_instance settling, plain;
    const struct cw_rtl_instance *rtl; /* [0]: settling, [1]: plain */
    struct cw_stimulus *stimulus;
    unsigned char *in[2], *out[2];
};

static void open_bench(struct bench *b, const struct cw_unit *unit)
{
    const struct cw_rtl_options opt = {.default_backend = CW_UNIT_RTL};
    struct cw_error err = {""};
    *b = (struct bench){.unit = unit, .params = calloc(1, unit->params_size), .port = calloc(unit->port_cnt, sizeof *b->port)};
    assert_true(b->params != NULL && b->port != NULL);
    cw_unit_params_default(unit, b->params);
    unit->ports(b->params, b->port);
    assert_int_equal(cw_rtl_provider_create(&b->provider, &opt, &err), CW_OK);
    int status = b->provider.open(b->provider.context, unit, "settling", b->params, &b->settling, &err);
    if (status == CW_OK)
        status = b->provider.open(b->provider.context, unit, "plain", b->params, &b->plain, &err);
    if (status != CW_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cw_rtl_provider_instances(&b->provider, &b->rtl), 2);
    b->stimulus = cw_stimulus_create(unit, b->params, 1, 0, NULL, NULL);
    assert_non_null(b->stimulus);
    for (int i = 0; i < 2; i++) {
        b->in[i] = calloc(1, unit->in_size);
        b->out[i] = calloc(1, unit->out_size);
        assert_true(b->in[i] != NULL && b->out[i] != NULL);
    }
}

static void close_bench(struct bench *b)
{
    b->settling.ops->destroy(b->settling.self);
    b->plain.ops->destroy(b->plain.self);
    cw_rtl_provider_destroy(&b->provider);
    cw_stimulus_destroy(b->stimulus);
    for (int i = 0; i < 2; i++) {
        free(b->in[i]);
        free(b->out[i]);
    }
    free(b->port);
    free(b->params);
}

/* An output that differs between out[0] and out[1]; NULL: none. */
static const struct cw_port *changed_output(const struct bench *b)
{
    for (uint32_t i = 0; i < b->unit->port_cnt; i++) {
        const struct cw_port *port = &b->port[i];
        const size_t bytes = port->words == 0 ? sizeof(uint64_t) : port->words * sizeof(uint32_t);
        if (port->dir == CW_PORT_OUT && memcmp(b->out[0] + port->offset, b->out[1] + port->offset, bytes) != 0)
            return port;
    }
    return NULL;
}

/* Inputs for a cycle that asks twice: in half of the time those of the cycle before, both times, so that a unit may come to rest. */
static void next_inputs(struct bench *b, uint32_t n)
{
    for (int i = 0; i < 2 && n / HELD % 2 == 0; i++)
        cw_stimulus_next(b->stimulus, b->out[0], b->in[i]);
    if (n / HELD % 2 != 0)
        memcpy(b->in[0], b->in[1], b->unit->in_size);
}

/* The instance left alone answers as the settling one does, also when a cycle asks twice, with other inputs. */
static void check_answers(struct bench *b)
{
    b->rtl[0].library->model(b->rtl[0].self); /* from here on it settles */
    for (uint32_t n = 0; n < CYCLES; n++) {
        next_inputs(b, n);
        for (int i = 0; i < 2; i++) {
            b->settling.ops->eval(b->settling.self, b->in[i], b->out[0]);
            b->plain.ops->eval(b->plain.self, b->in[i], b->out[1]);
            const struct cw_port *port = changed_output(b);
            if (port != NULL)
                fail_msg("%s: %s of cycle %u is not what the settled model has", b->unit->name, port->name, n);
        }
        b->settling.ops->tick(b->settling.self, b->in[1]);
        b->plain.ops->tick(b->plain.self, b->in[1]);
    }
    if (b->rtl[0].library->slept(b->rtl[0].self) != 0)
        fail_msg("%s: a model into which somebody looks has slept", b->unit->name);
    if (!b->rtl[1].library->sleeps && b->rtl[1].library->slept(b->rtl[1].self) != 0)
        fail_msg("%s: its library says that it never sleeps", b->unit->name);
}

/* An output that follows an input of the same cycle; NULL: none has been seen to. The settling instance settles by now. */
static const struct cw_port *find_dependent_output(struct bench *b)
{
    const struct cw_port *found = NULL;
    for (uint32_t n = 0; n < CYCLES && found == NULL; n++) {
        for (int i = 0; i < 2; i++) {
            cw_stimulus_next(b->stimulus, b->out[0], b->in[i]);
            b->settling.ops->eval(b->settling.self, b->in[i], b->out[i]);
        }
        found = changed_output(b);
        b->settling.ops->tick(b->settling.self, b->in[1]);
    }
    return found;
}

/* Every cycle goes the way that the library says. */
static void check_cycles(struct bench *b)
{
    const struct cw_rtl_library *library = b->rtl[1].library;
    for (uint32_t n = 0; n < CYCLES; n++) {
        if (library->takes_one_eval(b->rtl[1].self) != (int)library->one_eval)
            fail_msg("%s: cycle %u does not go the way of its library", b->unit->name, n);
        cw_stimulus_next(b->stimulus, b->out[0], b->in[0]);
        b->plain.ops->eval(b->plain.self, b->in[0], b->out[0]);
        assert_int_equal(library->takes_one_eval(b->rtl[1].self), library->one_eval);
        b->plain.ops->tick(b->plain.self, b->in[0]);
    }
}

/* Whoever looks inside gets a settled model, and the short way comes back when nobody looks any more. */
static void check_watching(struct bench *b)
{
    const struct cw_rtl_library *library = b->rtl[1].library;
    library->model(b->rtl[1].self);
    assert_int_equal(library->takes_one_eval(b->rtl[1].self), 0);
    b->plain.ops->eval(b->plain.self, b->in[0], b->out[0]);
    b->plain.ops->tick(b->plain.self, b->in[0]);
    library->trace(b->rtl[1].self, NULL, 0);
    assert_int_equal(library->takes_one_eval(b->rtl[1].self), library->one_eval);
}

static void test_fast_path__every_unit_goes_the_shortest_way(void **state)
{
    (void)state;
    uint32_t wrong = 0, fast = 0;
    uint64_t slept = 0;
    if (getenv("COWARP_RTL_COVERAGE") != NULL)
        skip(); /* the counters change what Verilator writes, and nobody measures the speed of that */
    for (size_t i = 0; i < UNIT_CNT; i++) {
        struct bench b;
        open_bench(&b, units[i]);
        if (!b.rtl[1].library->direct)
            fail_msg("%s: the shim does not call the functions that Verilator made of it", units[i]->name);
        check_answers(&b);
        const uint64_t edges = b.rtl[1].library->slept(b.rtl[1].self);
        slept += edges;
        const struct cw_port *dependent = find_dependent_output(&b);
        const uint32_t one_eval = b.rtl[1].library->one_eval;
        const bool right = one_eval == (dependent == NULL);
        printf("%-24s %s a cycle: %s%s; slept in %u of %u%s\n", units[i]->name, one_eval ? "one evaluation" : "two evaluations",
               dependent != NULL ? dependent->name : "no output", " follows an input of the same cycle", (unsigned)edges, CYCLES,
               right ? "" : " -- WRONG");
        check_cycles(&b);
        check_watching(&b);
        close_bench(&b);
        wrong += !right;
        fast += one_eval;
    }
    assert_int_equal(wrong, 0);
    assert_true(fast > 0);
    assert_true(slept > 0);
}

/* A copy of a unit's Verilog with one line more. */
static void write_copy(const char *path, const char *line)
{
    FILE *from = fopen(CW_SOURCE_DIR "/rtl/order_masks/cw_order_masks.v", "r"), *to = fopen(path, "w");
    char text[512];
    assert_true(from != NULL && to != NULL);
    while (fgets(text, sizeof text, from) != NULL) {
        if (strncmp(text, "endmodule", 9) == 0)
            fprintf(to, "%s\n", line);
        fputs(text, to);
    }
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

/* Whether a unit with this line more may sleep. */
static bool sleeps_with(const char *line)
{
    static const char path[] = "fast_path_order_masks.v";
    const struct cw_rtl_choice choice = {.unit = cw_order_masks_unit.name, .backend = CW_UNIT_RTL, .verilog = path};
    const struct cw_rtl_options opt = {.build = {.cxx_flags = "-O0"}, .choices = &choice, .choice_cnt = 1};
    struct cw_unit_provider provider;
    struct cw_unit_instance unit;
    struct cw_order_masks_params params;
    const struct cw_rtl_instance *rtl;
    struct cw_error err = {""};
    write_copy(path, line);
    cw_unit_params_default(&cw_order_masks_unit, &params);
    assert_int_equal(cw_rtl_provider_create(&provider, &opt, &err), CW_OK);
    if (provider.open(provider.context, &cw_order_masks_unit, "copy", &params, &unit, &err) != CW_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cw_rtl_provider_instances(&provider, &rtl), 1);
    const bool sleeps = rtl->library->sleeps;
    unit.ops->destroy(unit.self);
    cw_rtl_provider_destroy(&provider);
    remove(path);
    return sleeps;
}

/* What does more than to compute from its state would be missed. */
static void test_fast_path__what_does_more_never_sleeps(void **state)
{
    (void)state;
    if (getenv("COWARP_RTL_COVERAGE") != NULL)
        skip();
    assert_true(sleeps_with("// nothing"));
    assert_false(sleeps_with("reg [31:0] chance_q; always @(posedge clk_i) chance_q <= $random; wire unused = ^chance_q;"));
    assert_false(sleeps_with("always @(posedge clk_i) if (busy_o) $display(\"busy\");"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fast_path__every_unit_goes_the_shortest_way),
    cmocka_unit_test(test_fast_path__what_does_more_never_sleeps),
};
CW_TEST_MAIN(tests)
