/* SPDX-License-Identifier: Apache-2.0 */
/* A run is a function of configuration and seed: not of the order in which components tick, of the host thread, of another simulator in the
 * process, nor of the implementation behind a unit. */
#include <pthread.h>

#include "cw_test.h"
#include "system/run.h"

static const struct run ht = {
    .workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=30", "buckets=600"}};
static const struct run locks = {.workload = "ht-h", .variant = COWARP_FGLOCK, .param = {"blocks=30", "buckets=600"}};
static const struct run stencil = {.workload = "laplace", .variant = COWARP_PLAIN, .param = {"n=24"}};
static const struct run octree = {.workload = "bh-h", .system = "getm", .variant = COWARP_TX, .param = {"bodies=1500", "blocks=4"}};
static const struct run cut = {.workload = "cc", .system = "getm", .variant = COWARP_TX, .param = {"width=60", "height=40"}};

/* The stages around the units, and caches that are too small. */
#define STAGES                                                                                                                         \
    "core.buffer=2", "core.collectors=6", "icache.bytes=1024", "icache.ways=2", "fu.move_latency=2", "const.bytes=64", "const.ways=1", \
        "const.line_bytes=32", "const.params=on"
static const struct run staged_locks = {
    .workload = "ht-h", .variant = COWARP_FGLOCK, .settings = {STAGES, "core.stage_cycles=2"}, .param = {"blocks=30", "buckets=600"}};
static const struct run staged_tx = {
    .workload = "ht-h", .system = "getm", .variant = COWARP_TX, .settings = {STAGES}, .param = {"blocks=12", "buckets=300"}};
static const struct run staged_stencil = {
    .workload = "laplace", .preset = "gtx480", .variant = COWARP_PLAIN, .settings = {STAGES}, .param = {"n=24"}};

/* Requests that wait in the partitions, for times drawn at random. */
static const struct run held = {.workload = "vecadd", .preset = "getm", .variant = COWARP_PLAIN, .settings = {"core.memory=adversary"}};
static const struct run held_l1 = {
    .workload = "vecadd", .preset = "gtx480", .variant = COWARP_PLAIN, .settings = {"core.memory=adversary"}};

static void run_ok(struct run *r)
{
    run_workload(r);
    if (r->status != 0)
        fail_msg("%s: %s\n%s", r->workload, r->message, r->report);
}

static void expect_equal(const struct run *a, const struct run *b)
{
    assert_int_equal(a->cycles, b->cycles);
    assert_true(a->counter_cnt > 20);
    assert_memory_equal(a->counter, b->counter, sizeof a->counter);
}

static void test_exactness__two_runs_are_equal(void **state)
{
    (void)state;
    struct run a = ht, b = ht;
    run_ok(&a);
    run_ok(&b);
    expect_equal(&a, &b);
}

static void test_exactness__tick_order_changes_nothing(void **state)
{
    (void)state;
    const struct run *kinds[] = {&ht, &locks, &stencil, &octree, &cut, &staged_locks, &staged_tx, &staged_stencil, &held, &held_l1};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct run a = *kinds[i], b = *kinds[i];
        b.reverse_ticks = 1;
        run_ok(&a);
        run_ok(&b);
        expect_equal(&a, &b);
    }
}

/* The simulator's main optimisation is to pass over components, and over time, with nothing to do. Without it a run takes
 * longer, and every counter is the same. */
static void test_exactness__skipping_idle_components_changes_nothing(void **state)
{
    (void)state;
    static const struct run kilo_small = {
        .workload = "ht-h", .system = "kilotm", .variant = COWARP_TX, .param = {"blocks=8", "buckets=200"}};
    static const struct run warp_small = {
        .workload = "ht-h", .system = "warptm", .variant = COWARP_TX, .param = {"blocks=8", "buckets=200"}};
    static const struct run serial = {.workload = "ht-h", .system = "serial", .variant = COWARP_TX, .param = {"blocks=4", "buckets=600"}};
    const struct run *kinds[] = {&ht,           &locks,     &stencil,        &serial, &kilo_small, &warp_small,
                                 &staged_locks, &staged_tx, &staged_stencil, &held,   &held_l1};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct run a = *kinds[i], b = *kinds[i];
        b.tick_always = 1;
        run_ok(&a);
        run_ok(&b);
        expect_equal(&a, &b);
    }
}

/* What a component does not name as its state is lost when it is made anew, and moves a counter. */
static void test_exactness__components_made_anew_go_on(void **state)
{
    (void)state;
    const struct run *kinds[] = {&locks, &stencil, &staged_locks, &staged_stencil, &held, &held_l1};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct run a = *kinds[i], b = *kinds[i];
        b.renew_cycles = kinds[i] == &held || kinds[i] == &held_l1 ? 97 : 997;
        run_ok(&a);
        run_ok(&b);
        expect_equal(&a, &b);
    }
}

/* Its tables take no time. */
static const struct run early_ideal = {.workload = "ht-h",
                                       .system = "eapg",
                                       .variant = COWARP_TX,
                                       .check_serial = 1,
                                       .settings = {"eapg.ideal=on", "eapg.cat_entries=64"},
                                       .param = {"blocks=8", "buckets=200"}};

static void test_exactness__tick_order_in_every_system(void **state)
{
    static const char *const systems[] = {"serial", "kilotm", "warptm", "eapg", "warptm-el", "ideal"};
    (void)state;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        struct run a = ht, b;
        a.system = systems[i];
        a.preset = "getm-artifact";                        /* domains of different periods */
        a.settings[0] = i > 0 ? "kilo.entries=640" : NULL; /* serial has no commit units */
        a.settings[1] = i > 0 && i < 4 ? "kilo.id_bits=12" : NULL;
        b = a;
        b.reverse_ticks = 1;
        run_ok(&a);
        run_ok(&b);
        expect_equal(&a, &b);
    }
    struct run a = early_ideal, b = early_ideal;
    b.reverse_ticks = b.tick_always = 1;
    run_ok(&a);
    run_ok(&b);
    expect_equal(&a, &b);
}

static void test_exactness__the_cycle_limit_is_exact(void **state)
{
    (void)state;
    struct run a = locks, b = locks, c = locks;
    run_ok(&a);
    b.max_cycles = a.cycles;
    run_ok(&b);
    expect_equal(&a, &b);
    c.max_cycles = a.cycles - 1;
    run_workload(&c);
    assert_int_equal(c.status, COWARP_ELIMIT);
    assert_int_equal(c.cycles, a.cycles - 1);
}

static void test_exactness__the_seed_matters(void **state)
{
    (void)state;
    struct run a = ht, b = ht;
    b.seed = 2;
    run_ok(&a);
    run_ok(&b);
    assert_int_not_equal(a.cycles, b.cycles);
}

static void *thread_main(void *r)
{
    run_workload(r);
    return NULL;
}

static void test_exactness__two_simulators_in_two_threads(void **state)
{
    (void)state;
    struct run a = ht, b = staged_locks, c = ht, d = staged_locks;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, thread_main, &a), 0);
    run_workload(&b);
    pthread_join(other, NULL);
    run_ok(&c);
    run_ok(&d);
    expect_equal(&a, &c);
    expect_equal(&b, &d);
}

/* With a small history, so that its filter works, and IDs that begin again. */
static const struct run kilo = {.workload = "ht-h",
                                .system = "kilotm",
                                .variant = COWARP_TX,
                                .check_serial = 1,
                                .settings = {"kilo.id_bits=9", "kilo.history_sets=4", "kilo.history_rows=8"},
                                .param = {"blocks=12", "buckets=200"}};
static const struct run warp = {
    .workload = "ht-h", .system = "warptm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=12", "buckets=200"}};
static const struct run early = {
    .workload = "ht-h", .system = "eapg", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=8", "buckets=200"}};
static const struct run eager = {
    .workload = "ht-h", .system = "warptm-el", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=4", "buckets=200"}};
/* With read-only transactions. */
static const struct run tree = {.workload = "bh-h",
                                .system = "kilotm",
                                .variant = COWARP_TX,
                                .check_serial = 1,
                                .settings = {"tcd.mode=closed"},
                                .param = {"bodies=300", "blocks=2"}};

static const struct run snapshot = {.workload = "rbt-2",
                                    .system = "sitm-ts",
                                    .preset = "si-tm",
                                    .variant = COWARP_TX,
                                    .check_serial = 1,
                                    .param = {"inserts=60", "removes=60"}};

/* Requests that wait in an L2 slice with few places, and writes that go on to memory. */
static const struct run waiting = {.workload = "ht-h",
                                   .variant = COWARP_FGLOCK,
                                   .settings = {"l2.mshr_unit=on", "l2.mshrs=8", "l2.mshr_merge=2", "l2.write_miss=through"},
                                   .param = {"blocks=8", "buckets=200"}};

/* Requests that reach DRAM, more than its queue has places, and get old there. */
static const struct run commands = {.workload = "ht-h",
                                    .variant = COWARP_FGLOCK,
                                    .settings = {"dram.unit=on", "dram.queue=4", "l2.bytes=4096"},
                                    .param = {"blocks=30", "buckets=20000"}};

/* Cores that wait for the port of a partition, and packets that wait for room in its buffer. */
static const struct run crowded = {.workload = "ht-h",
                                   .variant = COWARP_FGLOCK,
                                   .settings = {"noc.port_unit=on", "noc.out_flits=21", "l2.mshrs=4"},
                                   .param = {"blocks=30", "buckets=2000"}};

/* All parts of a partition that are units at once, with the transactions' unit beside them. */
#define PARTS                                                                    \
    {                                                                            \
        "noc.port_unit=on", "l2.tags_unit=on", "l2.mshr_unit=on", "dram.unit=on" \
    }
static const struct run whole_ht = {
    .workload = "ht-h", .system = "getm", .variant = COWARP_TX, .settings = PARTS, .param = {"blocks=8", "buckets=200"}};
static const struct run whole_vecadd = {.workload = "vecadd", .settings = PARTS, .param = {"n=20000"}};

/* The slice as one unit; memory that persists. */
#define SLICE                                                                \
    {                                                                        \
        "noc.port_unit=on", "l2.slice_unit=on", "dram.unit=on", "l2.mshrs=8" \
    }
static const struct run slice_ht = {
    .workload = "ht-h", .system = "getm", .variant = COWARP_TX, .settings = SLICE, .param = {"blocks=8", "buckets=200"}};
static const struct run slice_locks = {.workload = "ht-h",
                                       .variant = COWARP_FGLOCK,
                                       .settings = {"l2.slice_unit=on", "l2.mshrs=4", "l2.write_miss=through", "l2.sectored=off"},
                                       .param = {"blocks=8", "buckets=200"}};

/* Channels that two slices share. */
static const struct run shared_channels = {
    .workload = "vecadd", .preset = "titanv", .settings = {"dram.unit=on", "l2.bytes=6144"}, .param = {"n=60000"}};

static const struct {
    const struct run *run;
    const char *units[6];
} in_hardware[] = {
    {&ht, {"validation_unit", "ownership_table"}},
    {&kilo, {"hazard_unit", "commit_unit"}},
    {&warp, {"hazard_unit", "commit_unit", "last_written_table", "first_read_table", "ownership_table"}},
    {&early, {"conflict_address_table", "reference_count_table", "commit_unit"}},
    {&early_ideal, {"conflict_address_table", "reference_count_table"}},
    {&eager, {"ownership_table"}},
    {&tree, {"first_read_table", "last_written_table"}},
    {&snapshot, {"postdate_unit", "writer_table", "scalable_reader_list", "version_index_table", "row_copy_engine"}},
    {&waiting, {"l2_mshr"}},
    {&commands, {"dram_scheduler"}},
    {&crowded, {"crossbar_port"}},
    {&whole_ht, {"partition", "validation_unit"}},
    {&whole_vecadd, {"partition"}},
    {&slice_ht, {"partition"}},
    {&slice_locks, {"l2_slice"}},
};
#define IN_HARDWARE_CNT (sizeof in_hardware / sizeof in_hardware[0])

static void compare_units(size_t i, const char *backend)
{
    struct run a = *in_hardware[i].run, b = a;
    char choice[6][40];
    for (int u = 0; in_hardware[i].units[u] != NULL; u++) {
        snprintf(choice[u], sizeof choice[u], "%s=%s", in_hardware[i].units[u], backend);
        b.units[u] = choice[u];
    }
    run_ok(&a);
    run_ok(&b);
    expect_equal(&a, &b);
}

static void test_exactness__rtl_units_give_the_same_cycles(void **state)
{
    (void)state;
    for (size_t i = 0; i < IN_HARDWARE_CNT; i++)
        compare_units(i, "rtl");
}

static void test_exactness__lockstep_finds_no_difference(void **state)
{
    (void)state;
    for (size_t i = 0; i < IN_HARDWARE_CNT; i++)
        compare_units(i, "lockstep");
}

/* Who does a part of a partition, the machine or its unit, changes no cycle. */
static void test_exactness__the_units_of_a_partition_change_no_cycle(void **state)
{
    const struct {
        const struct run *run;
        const char *counter; /* of which there must be more than `least` */
        uint64_t least;
    } rows[] = {{&waiting, "l2_reads", 100},       {&commands, "dram_activates", 100}, {&shared_channels, "dram_activates", 100},
                {&crowded, "noc_up_packets", 100}, {&whole_ht, "tx_aborted", 10},      {&whole_vecadd, "dram_reads", 100}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run a = *rows[i].run, b = a;
        char off[sizeof a.settings / sizeof a.settings[0]][40];
        for (size_t k = 0; a.settings[k] != NULL; k++)
            if (strstr(a.settings[k], "unit=on") != NULL) {
                snprintf(off[k], sizeof off[k], "%.*soff", (int)(strlen(a.settings[k]) - 2), a.settings[k]);
                b.settings[k] = off[k];
            }
        run_ok(&a);
        run_ok(&b);
        assert_true(run_counter(&a, rows[i].counter) > rows[i].least);
        expect_equal(&a, &b);
    }
}

/* The runs above reach what is behind the units' ports: hazards, the filter, and commit IDs that begin again. */
static void test_exactness__units_have_work(void **state)
{
    (void)state;
    struct run a = kilo;
    run_ok(&a);
    assert_true(run_counter(&a, "cu_hazards") > 50);
    assert_true(run_counter(&a, "cu_hazards_filter") > 0);
    assert_true(run_counter(&a, "cu_history_evictions") > 50);
    assert_true(run_counter(&a, "id_rollovers") > 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exactness__two_runs_are_equal),
    cmocka_unit_test(test_exactness__tick_order_changes_nothing),
    cmocka_unit_test(test_exactness__components_made_anew_go_on),
    cmocka_unit_test(test_exactness__skipping_idle_components_changes_nothing),
    cmocka_unit_test(test_exactness__the_cycle_limit_is_exact),
    cmocka_unit_test(test_exactness__tick_order_in_every_system),
    cmocka_unit_test(test_exactness__the_seed_matters),
    cmocka_unit_test(test_exactness__two_simulators_in_two_threads),
    cmocka_unit_test(test_exactness__rtl_units_give_the_same_cycles),
    cmocka_unit_test(test_exactness__lockstep_finds_no_difference),
    cmocka_unit_test(test_exactness__the_units_of_a_partition_change_no_cycle),
    cmocka_unit_test(test_exactness__units_have_work),
};

CW_TEST_MAIN(tests)
