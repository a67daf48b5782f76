/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVM behind the L2, near and far. All clocks have 1000 MHz, and a unit of time is a nanosecond, so that latencies and bandwidths of Table
 * 1 (Pandey et al., ASPLOS 2023) can be read off: 84 GB/s are 84 bytes in a nanosecond. Expected times are worked out by hand.
 */
#include "cw_test.h"

#include <string.h>

#include "mem/nvm.h"

#define LINE UINT64_C(128)

static const struct cw_config defaults = {
#define X(field, name, def, lo, hi, unit, source, what) .field = def,
#define E(field, name, def, words, source, what)        .field = def,
#include "base/config.def"
#undef X
#undef E
};

struct bench {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats;
    struct cw_memory *memory;
    struct cw_events events;
    struct cw_nvm *nvm;
    struct cw_nvm_port *port[2];
    cw_time wake, now;
    struct cw_message message[256];
    uint64_t base;
};

static struct bench b;

static void create(void)
{
    struct cw_error err;
    const struct cw_nvm_config n = {&b.config, &b.clocks, &b.stats, b.memory, &b.events};
    if (cw_nvm_create(&b.nvm, &n, &err) != CW_OK)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 2; i++)
        assert_non_null(b.port[i] = cw_nvm_connect(b.nvm, i, &b.wake));
}

/* Two partitions; the caller changes the configuration and then creates the NVM. */
static void begin(void)
{
    struct cw_error err;
    memset(&b, 0, sizeof b);
    b.config = defaults;
    b.config.partition_count = 2;
    b.clocks = (struct cw_clocks){1000, {1, 1, 1, 1, 1}};
    assert_int_equal(cw_memory_create(&b.memory, 1 << 20, 1 << 20, &err), CW_OK);
    assert_int_equal(cw_memory_alloc(b.memory, &b.base, 1 << 16, CW_REGION_PERSISTENT, &err), CW_OK);
}

static void end(void)
{
    cw_nvm_destroy(b.nvm);
    cw_memory_destroy(b.memory);
}

static void step(void)
{
    struct cw_component *c = cw_nvm_component(b.nvm);
    b.now++;
    if (c->wake <= b.now)
        c->tick(c->self, b.now);
}

/* A whole line, every byte of which is its number, as message `id`. */
static void persist(uint32_t port, uint32_t id)
{
    struct cw_nvm_persist p = {.addr = b.base + id * LINE, .id = id, .message = &b.message[id]};
    memset(p.byte_mask, 0xff, sizeof p.byte_mask);
    memset(p.data, (int)id, sizeof p.data);
    assert_true(cw_nvm_can_persist(b.port[port], b.now));
    cw_nvm_persist(b.port[port], &p, 0, b.now);
}

/* Time of the next acknowledgement at the port, and whose it is. */
static cw_time acknowledged(uint32_t port, uint32_t *id)
{
    while (b.now < 100000) {
        const struct cw_message *m = cw_nvm_acknowledged(b.port[port], b.now);
        if (m != NULL) {
            cw_nvm_pop_acknowledged(b.port[port], b.now);
            *id = (uint32_t)(m - b.message);
            return b.now;
        }
        step();
    }
    fail_msg("no acknowledgement");
    return 0;
}

static cw_time read_done(uint32_t port, uint32_t *tag)
{
    uint8_t sectors;
    while (b.now < 100000) {
        if (cw_nvm_pop(b.port[port], tag, &sectors, b.now)) {
            assert_int_equal(sectors, 0xf);
            return b.now;
        }
        step();
    }
    fail_msg("no read");
    return 0;
}

static bool durable(uint32_t id)
{
    uint8_t at[LINE];
    cw_memory_durable_read(b.memory, b.base + id * LINE, at, sizeof at);
    return at[0] == id && at[LINE - 1] == id;
}

/* 300 ns to the queue, and one cycle for the answer. */
static void test_nvm__a_near_persist_may_take_the_latency(void **state)
{
    (void)state;
    uint32_t id;
    begin();
    b.config.pm_ack = CW_PM_ACK_DEVICE;
    create();
    persist(0, 7);
    while (b.now < 299)
        step();
    assert_false(durable(7));
    step();
    assert_true(durable(7));
    assert_in_range(acknowledged(0, &id), 301, 302);
    assert_int_equal(id, 7);
    end();
}

/* 300 there, 300 back; 128 bytes take 4.6 ns on the link. With pm.ack=device 300 more, which eADR saves. */
static void test_nvm__a_far_persist_crosses_the_link_twice(void **state)
{
    static const struct {
        uint32_t ack, eadr, from, to;
    } cases[] = {{CW_PM_ACK_QUEUE, CW_OFF, 604, 609}, {CW_PM_ACK_DEVICE, CW_OFF, 904, 909}, {CW_PM_ACK_DEVICE, CW_ON, 604, 609}};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t id;
        begin();
        b.config.pm_attach = CW_PM_FAR;
        b.config.pm_ack = cases[i].ack;
        b.config.pm_eadr = cases[i].eadr;
        create();
        persist(1, 3);
        assert_in_range(acknowledged(1, &id), cases[i].from, cases[i].to);
        assert_true(durable(3));
        assert_int_equal(b.stats.pcie_bytes, 128);
        end();
    }
}

/* A queue of one entry, without latency: the second persist is durable when the first one is written, 128 bytes at 21 bytes per ns (half of
 * 42 GB/s). */
static void test_nvm__a_full_queue_holds_persists_back(void **state)
{
    (void)state;
    uint32_t id;
    begin();
    b.config.pm_wpq = 1;
    b.config.pm_latency = 0;
    create();
    persist(0, 1);
    persist(0, 2);
    persist(0, 3);
    const cw_time first = acknowledged(0, &id), second = acknowledged(0, &id), third = acknowledged(0, &id);
    assert_int_equal(id, 3);
    assert_in_range(second - first, 6, 10);
    assert_in_range(third - second, 6, 10);
    end();
}

/* What is on its way and in the queue is bounded by pm.queue, and the port takes more when items come back. */
static void test_nvm__a_port_pushes_back(void **state)
{
    (void)state;
    uint32_t id, taken = 0;
    begin();
    b.config.pm_queue = 4;
    b.config.pm_wpq = 2;
    create();
    while (cw_nvm_can_persist(b.port[0], b.now) && taken < 100)
        persist(0, taken++);
    assert_int_equal(taken, 4);
    acknowledged(0, &id);
    assert_false(cw_nvm_can_persist(b.port[0], b.now)); /* durable, not written */
    for (uint32_t i = 0; i < 320; i++)
        step();
    assert_true(cw_nvm_can_persist(b.port[0], b.now));
    end();
}

/* Both partitions stream: 200 lines are 25,600 bytes, at 42 GB/s 610 ns, and the queues take the last 2 x 2 before they are written. */
static void test_nvm__near_devices_share_the_bandwidth(void **state)
{
    (void)state;
    begin();
    b.config.pm_ack = CW_PM_ACK_DEVICE;
    b.config.pm_wpq = 2;
    b.config.pm_queue = 128;
    create();
    for (uint32_t i = 0; i < 100; i++) {
        persist(0, 2 * i);
        persist(1, 2 * i + 1);
    }
    cw_time last = 0;
    uint32_t id;
    for (uint32_t i = 0; i < 100; i++)
        last = acknowledged(0, &id);
    assert_in_range(last, 300 + 98 * 128 / 21, 300 + 100 * 128 / 21 + 110); /* a cycle or so for each */
    end();
}

/* 84 GB/s over two devices; and of the link 28 GB/s for both partitions. */
static void test_nvm__reads_take_bandwidth_and_latency(void **state)
{
    (void)state;
    uint32_t tag;
    begin();
    create();
    cw_nvm_read(b.port[0], 0xf, 5, b.now);
    assert_in_range(read_done(0, &tag), 303, 306);
    assert_int_equal(tag, 5);
    end();
    begin();
    b.config.pm_attach = CW_PM_FAR;
    create();
    for (uint32_t i = 0; i < 60; i++)
        cw_nvm_read(b.port[0], 0xf, i, b.now);
    cw_time last = 0;
    for (uint32_t i = 0; i < 60; i++)
        last = read_done(0, &tag);
    assert_int_equal(tag, 59);
    assert_in_range(last, 900 + 60 * 128 / 28, 900 + 60 * 128 / 28 + 15);
    assert_int_equal(b.stats.pcie_bytes, 60 * 128);
    end();
}

/* The acknowledgement does not wait for the latency, and the queue's entry does. */
static void test_nvm__a_near_persist_is_durable_when_the_queue_takes_it(void **state)
{
    (void)state;
    uint32_t id;
    begin();
    b.config.pm_wpq = 1;
    create();
    persist(0, 1);
    persist(0, 2);
    assert_in_range(acknowledged(0, &id), 1, 4);
    assert_in_range(acknowledged(0, &id), 305, 315);
    end();
}

/* Bytes that are not under the mask stay as they were. */
static void test_nvm__a_persist_writes_its_bytes_alone(void **state)
{
    (void)state;
    uint32_t id;
    uint8_t at[LINE];
    begin();
    create();
    struct cw_nvm_persist p = {.addr = b.base, .byte_mask = {0x00000ff0, 0, 0x1, 0}, .message = &b.message[0]};
    memset(p.data, 0xaa, sizeof p.data);
    cw_nvm_persist(b.port[0], &p, 0, b.now);
    acknowledged(0, &id);
    cw_memory_durable_read(b.memory, b.base, at, sizeof at);
    for (uint32_t i = 0; i < LINE; i++)
        assert_int_equal(at[i], (i >= 4 && i < 12) || i == 64 ? 0xaa : 0);
    assert_int_equal(b.stats.pm_bytes, 64); /* two sectors */
    end();
}

/* In the order of arrival, all 300 ns later: four lines are written at 21 bytes per ns, and the read that came last takes 3 ns more. With reads
 * first it would be there at 303. */
static void test_nvm__a_read_waits_for_older_persists(void **state)
{
    (void)state;
    uint32_t id, tag;
    begin();
    b.config.pm_order = CW_PM_ORDER_ARRIVAL;
    create();
    for (uint32_t i = 0; i < 4; i++)
        persist(0, i);
    cw_nvm_read(b.port[0], 0xf, 5, b.now);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(acknowledged(0, &id), 1, 4);
    assert_in_range(read_done(0, &tag), 300 + 4 * 128 / 21 + 3, 300 + 4 * 128 / 21 + 10);
    end();
}

/* 8 sectors are let in, read or written: two lines. The third is durable when the first has been written, 6 ns after its latency. */
static void test_nvm__sectors_take_turns(void **state)
{
    (void)state;
    uint32_t id, tag;
    begin();
    b.config.pm_order = CW_PM_ORDER_ARRIVAL;
    b.config.pm_wpq = 8;
    create();
    persist(0, 1);
    cw_nvm_read(b.port[0], 0xf, 5, b.now);
    persist(0, 2);
    assert_in_range(acknowledged(0, &id), 1, 4);
    assert_in_range(acknowledged(0, &id), 306, 310);
    assert_int_equal(id, 2);
    assert_in_range(read_done(0, &tag), 309, 313);
    end();
}

static void test_nvm__what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct cw_error err;
    const struct cw_nvm_config n = {&b.config, &b.clocks, &b.stats, b.memory, &b.events};
    begin();
    b.config.pm_eadr = CW_ON;
    assert_int_equal(cw_nvm_create(&b.nvm, &n, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "pm.attach=far"));
    end();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nvm__a_near_persist_may_take_the_latency),
    cmocka_unit_test(test_nvm__a_far_persist_crosses_the_link_twice),
    cmocka_unit_test(test_nvm__a_full_queue_holds_persists_back),
    cmocka_unit_test(test_nvm__a_port_pushes_back),
    cmocka_unit_test(test_nvm__near_devices_share_the_bandwidth),
    cmocka_unit_test(test_nvm__reads_take_bandwidth_and_latency),
    cmocka_unit_test(test_nvm__a_near_persist_is_durable_when_the_queue_takes_it),
    cmocka_unit_test(test_nvm__a_persist_writes_its_bytes_alone),
    cmocka_unit_test(test_nvm__a_read_waits_for_older_persists),
    cmocka_unit_test(test_nvm__sectors_take_turns),
    cmocka_unit_test(test_nvm__what_cannot_be_is_refused),
};
CW_TEST_MAIN(tests)
