/* SPDX-License-Identifier: Apache-2.0 */
/* A unit that never comes to rest after its reset, as a user's own Verilog may, ends creation with its name and the port. */
#include <string.h>

#include "adapt/hazard_unit.h"
#include "adapt/last_written_table.h"
#include "adapt/scalable_reader_list.h"
#include "adapt/writer_table.h"
#include "cw_test.h"

static struct {
    const struct cw_unit *unit;
    int outputs; /* byte that all outputs consist of: 0 is never idle, 0xff always busy */
    uint64_t ticks;
} restless;

static void destroy(void *self)
{
    (void)self;
}

static void eval(void *self, const void *in, void *out)
{
    (void)self;
    (void)in;
    memset(out, restless.outputs, restless.unit->out_size);
}

static void tick(void *self, const void *in)
{
    (void)self;
    (void)in;
    restless.ticks++;
}

static const struct cw_unit_ops ops = {.destroy = destroy, .eval = eval, .tick = tick};

static int open_unit(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                     struct cw_error *err)
{
    (void)context;
    (void)name;
    (void)params;
    (void)err;
    restless.unit = unit;
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &ops};
    return CW_OK;
}

static const struct cw_unit_provider provider = {.open = open_unit};

static void expect_named(int status, const struct cw_error *err, const char *unit, const char *port)
{
    assert_int_equal(status, CW_ELIMIT);
    assert_non_null(strstr(err->text, unit));
    assert_non_null(strstr(err->text, port));
    assert_true(restless.ticks > 0);
    restless.ticks = 0;
}

static void test_adapt_rest__a_table_that_is_never_idle(void **state)
{
    struct cw_adapt_writer_table *table;
    struct cw_adapt_scalable_reader_list *list;
    const struct cw_adapt_scalable_reader_list_config size = {.lists = 1, .entries = 512, .id_bits = 10};
    struct cw_error err;
    (void)state;
    restless.outputs = 0;
    expect_named(cw_adapt_writer_table_create(&table, &provider, 0, 512, 10, &err), &err, "writer_table", "idle_o");
    cw_adapt_writer_table_destroy(table);
    expect_named(cw_adapt_scalable_reader_list_create(&list, &provider, &size, &err), &err, "scalable_reader_list", "idle_o");
    cw_adapt_scalable_reader_list_destroy(list);
}

static void test_adapt_rest__a_unit_that_is_always_busy(void **state)
{
    const struct cw_adapt_hazard_unit_config hazard = {
        .units = &provider, .sets = 64, .rows = 64, .id_bits = 12, .memory_base = UINT64_C(1) << 32, .memory_bytes = 1 << 20};
    const struct cw_adapt_last_written_table_config written = {
        .units = &provider, .ways = 4, .rows = 64, .granule_bytes = 32, .memory_base = UINT64_C(1) << 32, .memory_bytes = 1 << 20};
    struct cw_adapt_hazard_unit *h;
    struct cw_adapt_last_written_table *w;
    struct cw_error err;
    (void)state;
    restless.outputs = 0xff;
    expect_named(cw_adapt_hazard_unit_create(&h, &hazard, &err), &err, "hazard_unit", "busy_o");
    cw_adapt_hazard_unit_destroy(h);
    expect_named(cw_adapt_last_written_table_create(&w, &written, &err), &err, "last_written_table", "busy_o");
    cw_adapt_last_written_table_destroy(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_adapt_rest__a_table_that_is_never_idle),
    cmocka_unit_test(test_adapt_rest__a_unit_that_is_always_busy),
};

CW_TEST_MAIN(tests)
