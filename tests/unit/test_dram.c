/* SPDX-License-Identifier: Apache-2.0 */
/* Expected cycles are computed by hand from the timing parameters, cycle 0 being the edge at which the requests enter
 * the queue. The unit dram_scheduler is asked for the same ones. */
#include "cw_test.h"

#include <string.h>

#include "base/rng.h"
#include "mem/dram.h"

#define T     10u
#define NEVER UINT32_MAX
#define LINE  UINT64_C(128)

/* GETM defaults: 16 banks in 4 groups, rows of 2 KB = 16 lines. Partition-local line number, low bits first: group 2,
 * column 4, bank in group 2, row. Lines of one row of group g: g + 4 column. */
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
    struct cw_dram *dram;
    struct cw_dram_port *port;
    cw_time wake;
    uint32_t cycle;                 /* next to be ticked, from the edge of entry */
    uint32_t done[4096];            /* cycle at which a read's data has passed, by tag */
    uint32_t order[4096], finished; /* tags in the order of finishing */
    uint32_t reads[4096], read_cnt; /* cycles of these commands */
    uint32_t writes[4096], write_cnt, activates[4096], activate_cnt;
};

static struct bench b;
static bool by_unit; /* The unit chooses the commands. */

static void bench_create(const struct cw_config *config)
{
    struct cw_error err;
    memset(&b, 0, sizeof b);
    memset(b.done, 0xff, sizeof b.done);
    b.config = *config;
    b.config.dram_latency = 0;
    for (uint32_t d = 0; d < CW_DOMAIN_COUNT; d++)
        b.clocks.period[d] = T;
    assert_int_equal(cw_dram_create(&b.dram, &b.config, &b.clocks, &b.stats, 4096, &err), CW_OK);
    if (by_unit)
        assert_int_equal(cw_dram_use_unit(b.dram, cw_unit_provider_c(), 0, &err), CW_OK);
    b.port = cw_dram_connect(b.dram, 0, &b.wake);
}

static cw_time time_of(uint32_t cycle)
{
    return (cycle + 1) * T; /* pushes of the first cycle are made at time 0 */
}

/* Pushed now, in the queue at the next cycle to be run. */
static void push(uint64_t line, uint8_t sectors, bool write, uint32_t tag)
{
    cw_dram_push(b.port, line * LINE, sectors, write, tag, time_of(b.cycle) - T);
}

/* Runs to that cycle (exclusive), noting commands as the counters show them. always: ticks at every edge, not only when
 * asked. */
static void run_to(uint32_t cycle, bool always)
{
    struct cw_component *c = cw_dram_component(b.dram);
    for (; b.cycle < cycle; b.cycle++) {
        struct cw_stats before = b.stats;
        cw_time now = time_of(b.cycle);
        if (always || c->wake <= now)
            c->tick(c->self, now);
        if (b.stats.dram_reads != before.dram_reads)
            b.reads[b.read_cnt++ % 4096] = b.cycle;
        if (b.stats.dram_writes != before.dram_writes)
            b.writes[b.write_cnt++ % 4096] = b.cycle;
        if (b.stats.dram_activates != before.dram_activates)
            b.activates[b.activate_cnt++ % 4096] = b.cycle;
        for (struct cw_dram_done done; cw_dram_pop(b.port, &done, now);) {
            b.done[done.tag % 4096] = b.cycle;
            b.order[b.finished++ % 4096] = done.tag;
        }
    }
}

static void run(uint32_t cycles)
{
    run_to(b.cycle + cycles, false);
}

static void bench_destroy(void)
{
    assert_true(cw_dram_idle(b.port));
    cw_dram_destroy(b.dram);
}

static void test_dram__closed_bank_read(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0); /* one burst */
    run(100);
    assert_int_equal(b.activates[0], 0);
    assert_int_equal(b.reads[0], 12);         /* tRCD */
    assert_int_equal(b.done[0], 12 + 12 + 2); /* + tCL + 64 bytes at 32 per cycle */
    assert_int_equal(b.stats.dram_row_hits, 0);
    assert_int_equal(b.stats.dram_busy_cycles, 2);
    bench_destroy();
}

static void test_dram__line_is_two_bursts_of_one_group(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 0xf, false, 0);
    run(100);
    assert_int_equal(b.read_cnt, 2);
    assert_int_equal(b.reads[1] - b.reads[0], 3); /* tCCDL */
    assert_int_equal(b.done[0], 12 + 3 + 12 + 2);
    assert_int_equal(b.stats.dram_busy_cycles, 4);
    bench_destroy();
}

static void test_dram__row_hit_and_conflict(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    run(200);
    push(4, 1, false, 1); /* next column of the row */
    run(100);
    assert_int_equal(b.done[1], 200 + 12 + 2);
    assert_int_equal(b.stats.dram_row_hits, 1);
    uint32_t group, bank0, bank;
    uint64_t row;
    cw_dram_map(b.port, 0, &group, &bank0, &row);
    uint64_t other = 256; /* row 1 of the bank that the XOR makes bank 0 */
    while (cw_dram_map(b.port, other * LINE, &group, &bank, &row), bank != bank0)
        other++;
    assert_int_equal(row, 1);
    push(other, 1, false, 2);
    run(100);
    assert_int_equal(b.done[2], 300 + 12 + 12 + 12 + 2); /* tRP + tRCD + tCL + data */
    assert_int_equal(b.stats.dram_row_hits, 1);
    assert_int_equal(b.stats.dram_activates, 2);
    bench_destroy();
}

/* Line of another row of line 0's bank. */
static uint64_t conflicting_line(uint64_t row_wanted)
{
    uint32_t group, bank;
    uint64_t row, line = row_wanted * 256;
    while (cw_dram_map(b.port, line * LINE, &group, &bank, &row), bank != 0)
        line++;
    assert_int_equal(row, row_wanted);
    return line;
}

static void test_dram__precharge_waits_ras_and_activate_waits_rc(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    push(conflicting_line(1), 1, false, 1);
    run(200);
    assert_int_equal(b.activates[1], 28 + 12); /* tRAS + tRP; also tRC = 40 */
    bench_destroy();
    struct cw_config c = defaults;
    c.dram_rc = 55;
    bench_create(&c);
    push(0, 1, false, 0);
    push(conflicting_line(1), 1, false, 1);
    run(200);
    assert_int_equal(b.activates[1], 55);
    bench_destroy();
    c = defaults;
    c.dram_ras = 35;
    bench_create(&c);
    push(0, 1, false, 0);
    push(conflicting_line(1), 1, false, 1);
    run(200);
    assert_int_equal(b.activates[1], 35 + 12);
    bench_destroy();
    c = defaults;
    c.dram_rtpl = 40;
    bench_create(&c);
    push(0, 1, false, 0);
    push(conflicting_line(1), 1, false, 1);
    run(200);
    assert_int_equal(b.activates[1], 12 + 40 + 12); /* read + tRTPL + tRP */
    bench_destroy();
}

static void test_dram__write_recovery_before_precharge(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, true, 0);
    push(conflicting_line(1), 1, true, 1);
    run(200);
    assert_int_equal(b.writes[0], 12);
    assert_int_equal(b.activates[1], 12 + 4 + 2 + 12 + 12); /* write + tWL + data + tWR + tRP, beyond tRC */
    bench_destroy();
}

static void test_dram__activates_are_rrd_apart(void **state)
{
    (void)state;
    struct cw_config c = defaults;
    c.dram_rcd = 13; /* so that no read meets an activate: 6 does not divide 13 */
    bench_create(&c);
    for (uint32_t i = 0; i < 4; i++)
        push(i, 1, false, i); /* four groups, four banks */
    run(200);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(b.activates[i], 6 * i);
        assert_int_equal(b.done[i], 6 * i + 13 + 12 + 2);
    }
    bench_destroy();
}

/* With tRCD = 2 tRRD the first read and the third activate want the same cycle: the column command goes first. */
static void test_dram__one_command_per_cycle(void **state)
{
    (void)state;
    static const uint32_t activates[] = {0, 6, 13, 19};
    bench_create(&defaults);
    for (uint32_t i = 0; i < 4; i++)
        push(i, 1, false, i);
    run(200);
    assert_memory_equal(b.activates, activates, sizeof activates);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b.reads[i], activates[i] + 12);
    bench_destroy();
}

static void test_dram__younger_hit_goes_before_older_activate(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    run(200);
    b.read_cnt = b.activate_cnt = 0;
    push(1, 1, false, 1); /* closed bank, could be activated at once */
    push(4, 1, false, 2);
    run(200);
    assert_int_equal(b.reads[0], 200);
    assert_int_equal(b.activates[0], 201);
    bench_destroy();
}

static void test_dram__column_spacing_by_group(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    push(1, 1, false, 1);
    push(64, 1, false, 2); /* same group as line 0, next bank */
    run(200);
    b.read_cnt = 0;
    push(4, 1, false, 3); /* open rows: groups 0, 1 */
    push(5, 1, false, 4);
    run(100);
    assert_int_equal(b.reads[1] - b.reads[0], 2); /* tCCD */
    b.read_cnt = 0;
    push(4, 1, false, 5);
    push(68, 1, false, 6); /* two banks of group 0 */
    run(100);
    assert_int_equal(b.reads[1] - b.reads[0], 3); /* tCCDL */
    bench_destroy();
}

static void test_dram__bus_turnaround(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    push(1, 1, false, 1);
    run(200);
    b.read_cnt = 0;
    push(4, 1, true, 2); /* write, then a younger read of another group */
    push(5, 1, false, 3);
    run(100);
    assert_int_equal(b.writes[0], 200);
    assert_int_equal(b.reads[0], 200 + 4 + 2 + 5); /* tWL + data + tCDLR */
    b.read_cnt = b.write_cnt = 0;
    push(4, 1, false, 4);
    push(5, 1, true, 5);
    run(100);
    assert_int_equal(b.reads[0], 300);
    assert_int_equal(b.writes[0], 300 + 12 + 2 + 2 - 4); /* tCL + data + turnaround - tWL */
    bench_destroy();
}

static void test_dram__scheduling_latency_is_in_core_cycles(void **state)
{
    (void)state;
    struct cw_error err;
    bench_create(&defaults);
    cw_dram_destroy(b.dram);
    b.config.dram_latency = 7;
    b.clocks.period[CW_DOMAIN_CORE] = 4;
    assert_int_equal(cw_dram_create(&b.dram, &b.config, &b.clocks, &b.stats, 64, &err), CW_OK);
    b.port = cw_dram_connect(b.dram, 0, &b.wake);
    push(0, 1, false, 0); /* at time 0: in the queue at 28, first edge 30 = cycle 2 */
    run(100);
    assert_int_equal(b.activates[0], 2);
    bench_destroy();
}

static void test_dram__row_hits_go_before_older_conflicts(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    run(200);
    b.finished = 0;
    push(conflicting_line(1), 1, false, 1);
    push(conflicting_line(2), 1, false, 2);
    push(4, 1, false, 3);
    push(conflicting_line(1) + 4, 1, false, 4);
    push(8, 1, false, 5);
    run(400);
    static const uint32_t want[] = {3, 5, 1, 4, 2}; /* hits of row 0, then row 1 with its hit, then row 2 */
    assert_int_equal(b.finished, 5);
    assert_memory_equal(b.order, want, sizeof want);
    bench_destroy();
}

/* A stream of row hits may hold back a conflict no longer than the age cap. */
static void test_dram__age_cap_bounds_waiting(void **state)
{
    (void)state;
    bench_create(&defaults);
    push(0, 1, false, 0);
    run(100);
    push(conflicting_line(1), 1, false, 1);
    uint32_t hits = 2;
    for (; hits < 8; hits++) /* never without a hit in the queue */
        push(4 * hits, 1, false, hits);
    while (b.done[1] == NEVER && b.cycle < 3000) {
        push(4 * (hits % 15), 1, false, hits);
        hits++;
        run(3); /* tCCDL: as fast as they go */
    }
    assert_in_range(b.done[1], 100 + cw_dram_age_cap(&b.config), 100 + cw_dram_age_cap(&b.config) + 60);
    run(3000);
    assert_int_equal(b.finished, hits);
    bench_destroy();
}

/* Streams of whole lines through a queue that is kept full. Returns busy cycles per thousand. */
static uint32_t stream(uint32_t stride, bool write, uint32_t lines)
{
    bench_create(&defaults);
    uint32_t sent = 0;
    while (sent < lines || !cw_dram_idle(b.port)) {
        while (sent < lines && cw_dram_space(b.port, time_of(b.cycle) - T) > 0) {
            push((uint64_t)sent * stride, 0xf, write, sent);
            sent++;
        }
        run(1);
    }
    uint32_t busy = (uint32_t)(b.stats.dram_busy_cycles * 1000 / b.cycle);
    assert_int_equal(write ? b.stats.dram_writes : b.stats.dram_reads, 2 * lines);
    assert_int_equal(b.finished, write ? 0 : lines);
    bench_destroy();
    return busy;
}

static void test_dram__streams_reach_85_percent(void **state)
{
    (void)state;
    uint32_t reads = stream(1, false, 4000), writes = stream(1, true, 4000);
    uint32_t strided = stream(256, false, 4000); /* 32 KB: without the XOR, all in one bank */
    print_message("busy per mille: reads %u, writes %u, stride of a row set %u\n", reads, writes, strided);
    assert_true(reads >= 850);
    assert_true(writes >= 850);
    assert_true(strided >= 300); /* a row per line: at best 4 data cycles per tRRD = 6; in one bank 4 per tRC = 40 */
}

static void check_map(uint32_t line_bytes)
{
    static uint8_t lines[16][64];
    struct cw_config c = defaults;
    const uint32_t row_lines = c.dram_row_bytes / line_bytes;
    c.mem_line_bytes = line_bytes;
    bench_create(&c);
    memset(lines, 0, sizeof lines);
    for (uint64_t line = 0; line < 16 * 64 * row_lines; line++) {
        uint32_t group, bank;
        uint64_t row;
        cw_dram_map(b.port, line * line_bytes, &group, &bank, &row);
        assert_true(bank < 16 && row < 64 && group == bank % 4);
        assert_int_equal((bank ^ row) % 4, line % 4); /* neighbouring lines in different groups */
        lines[bank][row]++;
    }
    for (uint32_t bank = 0; bank < 16; bank++)
        for (uint32_t row = 0; row < 64; row++)
            assert_int_equal(lines[bank][row], row_lines);
    bench_destroy();
}

static void test_dram__map_is_a_bijection(void **state)
{
    (void)state;
    check_map(128);
    check_map(64);
}

/* dram.map = banks and columns, from the bits of published files: RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS of GPGPU-Sim 4's GTX480, whose groups are
 * the bank's low bits, and RRRR.RRRRRRRR.BBBBCCCC.CCSSSSSS of the GETM authors', whose groups are the high ones. */
static void test_dram__maps_of_published_files(void **state)
{
    (void)state;
    for (uint32_t map = CW_DRAM_BANKS_LOW; map <= CW_DRAM_COLUMNS_LOW; map++) {
        struct cw_config c = defaults;
        struct cw_rng rng;
        c.dram_map = map;
        c.dram_row_bytes = 4096;
        bench_create(&c);
        cw_rng_seed(&rng, cw_test_seed(5));
        for (uint32_t i = 0; i < 10000; i++) {
            const uint32_t address = cw_rng_below(&rng, 1u << 28);
            const uint32_t low = (address >> 8 & 1) | (address >> 13 & 7) << 1, plain = address >> 12 & 15;
            uint32_t group, bank;
            uint64_t row;
            cw_dram_map(b.port, address, &group, &bank, &row);
            assert_int_equal(bank, map == CW_DRAM_BANKS_LOW ? low : plain);
            assert_int_equal(row, address >> 16);
            assert_int_equal(group, map == CW_DRAM_BANKS_LOW ? bank & 3 : bank >> 2);
        }
        bench_destroy();
    }
}

/* The chunks of two slices alternate: slice 0 has the channel's even ones, slice 1 the odd ones. */
static void test_dram__slices_share_a_channel(void **state)
{
    (void)state;
    struct cw_config c = defaults;
    uint32_t group, bank, group_of_one, bank_of_one;
    uint64_t row, row_of_one;
    cw_time wake;
    c.partition_count = c.dram_sharing = 2;
    bench_create(&c);
    struct cw_dram_port *other = cw_dram_connect(b.dram, 1, &wake);
    c.dram_sharing = 1;
    const struct cw_config alone = c;
    struct cw_dram *d;
    struct cw_error err;
    assert_int_equal(cw_dram_create(&d, &alone, &b.clocks, &b.stats, 8, &err), CW_OK);
    struct cw_dram_port *whole = cw_dram_connect(d, 0, &wake);
    for (uint32_t local = 0; local < 1u << 20; local += LINE)
        for (uint32_t slice = 0; slice < 2; slice++) {
            cw_dram_map(slice == 0 ? b.port : other, local, &group, &bank, &row);
            cw_dram_map(whole, (2 * (local / 256) + slice) * 256 + local % 256, &group_of_one, &bank_of_one, &row_of_one);
            assert_true(group == group_of_one && bank == bank_of_one && row == row_of_one);
        }
    cw_dram_destroy(d);
    bench_destroy();
}

/* Times of 30 reads at each of two ports, pushed at the same moment; last: whether port 1's are pushed first. */
static void reads_of_both(bool last, uint32_t *done)
{
    struct cw_config c = defaults;
    cw_time wake = 0;
    c.partition_count = c.dram_sharing = 2;
    bench_create(&c);
    struct cw_dram_port *port[2] = {b.port, cw_dram_connect(b.dram, 1, &wake)};
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t k = 0; k < 2; k++)
            cw_dram_push(port[last ? 1 - k : k], (uint64_t)i * 7 * LINE, 15, false, i, 0);
    assert_false(cw_dram_idle(port[1]));
    while (b.cycle < 4000 && !(cw_dram_idle(port[0]) && cw_dram_idle(port[1]))) {
        run(1);
        for (struct cw_dram_done at; cw_dram_pop(port[1], &at, time_of(b.cycle - 1));)
            done[30 + at.tag] = b.cycle - 1;
    }
    memcpy(done, b.done, 30 * sizeof *done);
    bench_destroy();
}

static void test_dram__slices_take_turns(void **state)
{
    (void)state;
    uint32_t first[60], second[60], sum[2] = {0, 0};
    memset(first, 0xff, sizeof first);
    memset(second, 0xff, sizeof second);
    reads_of_both(false, first);
    reads_of_both(true, second);
    assert_memory_equal(first, second, sizeof first); /* who asks first within a moment does not matter */
    for (uint32_t i = 0; i < 60; i++) {
        assert_int_not_equal(first[i], NEVER);
        sum[i / 30] += first[i];
    }
    assert_in_range(sum[0] * 100 / sum[1], 90, 111); /* nobody is preferred */
}

/* A read of four sectors takes a burst for each, however large a burst is, and two where it is half a sector. A write shares bursts. */
static void test_dram__sector_reads(void **state)
{
    (void)state;
    static const struct {
        uint32_t burst, reads, writes;
    } row[] = {{16, 8, 8}, {32, 4, 4}, {64, 4, 2}, {128, 4, 1}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct cw_config c = defaults;
        c.dram_sector_reads = CW_ON;
        c.dram_burst_bytes = row[i].burst;
        bench_create(&c);
        assert_int_equal(cw_dram_round(b.port, 5), 5);
        push(0, 15, false, 0);
        push(4, 15, true, 1);
        run(300);
        assert_int_equal(b.stats.dram_reads, row[i].reads);
        assert_int_equal(b.stats.dram_writes, row[i].writes);
        bench_destroy();
    }
}

/* A write whose end is told: tRCD, tWL and the burst after it came. */
static void test_dram__tells_of_writes(void **state)
{
    (void)state;
    int tag;
    bench_create(&defaults);
    cw_dram_push_told(b.port, 0, 1, &tag, 0);
    push(1, 1, true, 0); /* of this one nothing is told */
    run(12 + 4 + 2);
    assert_null(cw_dram_written(b.port, time_of(12 + 4 + 1)));
    assert_ptr_equal(cw_dram_written(b.port, time_of(12 + 4 + 2)), &tag);
    assert_int_equal(cw_dram_next_written(b.port), time_of(12 + 4 + 2));
    run(100);
    assert_false(cw_dram_idle(b.port));
    cw_dram_pop_written(b.port, time_of(b.cycle));
    assert_null(cw_dram_written(b.port, time_of(b.cycle)));
    assert_int_equal(b.write_cnt, 2);
    bench_destroy();
}

static void test_dram__rounds_sectors_to_bursts(void **state)
{
    (void)state;
    static const struct {
        uint32_t line, burst;
        uint8_t want, get;
        uint32_t reads;
    } row[] = {{128, 64, 1, 3, 1}, {128, 64, 2, 3, 1},   {128, 64, 4, 12, 1},  {128, 64, 6, 15, 2},  {128, 32, 5, 5, 2},
               {128, 16, 1, 1, 2}, {128, 16, 15, 15, 8}, {128, 128, 2, 15, 1}, {128, 256, 8, 15, 1}, {128, 64, 15, 15, 2},
               {64, 64, 1, 3, 1},  {64, 64, 2, 3, 1},    {64, 64, 3, 3, 1},    {64, 32, 2, 2, 1},    {64, 32, 3, 3, 2},
               {64, 16, 3, 3, 4},  {64, 128, 1, 3, 1}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct cw_config c = defaults;
        c.dram_burst_bytes = row[i].burst;
        c.mem_line_bytes = row[i].line;
        bench_create(&c);
        assert_int_equal(cw_dram_round(b.port, row[i].want), row[i].get);
        push(0, row[i].want, false, 0);
        run(200);
        assert_int_equal(b.stats.dram_reads, row[i].reads);
        bench_destroy();
    }
}

/* Random load: every read comes back once, and sleeping between events gives the same times as ticking at every
 * edge. */
static void random_load(uint64_t seed, bool always, uint32_t *done, struct cw_stats *stats)
{
    struct cw_rng rng;
    cw_rng_seed(&rng, seed);
    bench_create(&defaults);
    uint32_t tag = 0, reads = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t line = cw_rng_below(&rng, 4) ? cw_rng_below(&rng, 64) : cw_rng_below(&rng, 100000);
        uint8_t sectors = (uint8_t)(1 + cw_rng_below(&rng, 15));
        bool write = cw_rng_below(&rng, 3) == 0;
        if (cw_dram_space(b.port, time_of(b.cycle) - T) > 0 && tag < 4096) {
            push(line, sectors, write, tag++);
            reads += !write;
        }
        run_to(b.cycle + cw_rng_below(&rng, i % 1000 < 500 ? 6 : 40), always);
    }
    run_to(b.cycle + 3000, always);
    assert_int_equal(b.finished, reads);
    memcpy(done, b.done, sizeof b.done);
    *stats = b.stats;
    bench_destroy();
}

static void test_dram__sleeping_is_exact(void **state)
{
    (void)state;
    static uint32_t skipped[4096], full[4096];
    struct cw_stats skipped_stats, full_stats;
    uint64_t seed = cw_test_seed(3);
    for (uint32_t round = 0; round < 5; round++) {
        random_load(seed + round, false, skipped, &skipped_stats);
        random_load(seed + round, true, full, &full_stats);
        assert_memory_equal(skipped, full, sizeof full);
        assert_memory_equal(&skipped_stats, &full_stats, sizeof full_stats);
        assert_true(full_stats.dram_row_hits > 500);
    }
}

static void test_dram__refuses_bad_geometry(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_config c = defaults;
    struct cw_clocks clocks = {.period = {T, T, T, T, T}};
    struct cw_stats stats;
    struct cw_dram *d;
    c.dram_banks = 12;
    assert_int_equal(cw_dram_create(&d, &c, &clocks, &stats, 8, &err), CW_EINVAL);
    c = defaults;
    c.dram_bank_groups = 32;
    assert_int_equal(cw_dram_create(&d, &c, &clocks, &stats, 8, &err), CW_EINVAL);
    c = defaults;
    c.dram_row_bytes = 3000;
    assert_int_equal(cw_dram_create(&d, &c, &clocks, &stats, 8, &err), CW_EINVAL);
    assert_null(d);
}

/* Copies: line 0 lies in bank 0 of row 0. Its row is row 0 of subarray 0; that of line 256 n + f in bank f ^ (n & 15) of row n. */

static uint64_t line_of(uint32_t bank, uint64_t row)
{
    const uint64_t field = bank ^ (row & 15);
    return row * 256 + field / 4 * 64 + field % 4;
}

static uint32_t copied[64];

static void copy_by(uint32_t bank, uint64_t from, uint64_t to, bool over_bus, uint32_t i)
{
    assert_true(cw_dram_can_copy(b.port, time_of(b.cycle) - T));
    cw_dram_push_copy(b.port, line_of(bank, from) * LINE, line_of(bank, to) * LINE, over_bus, copied + i, time_of(b.cycle) - T);
}

static void copy(uint32_t bank, uint64_t from, uint64_t to, uint32_t i)
{
    copy_by(bank, from, to, false, i);
}

/* As run, noting when copies are done. */
static void run_copies(uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++) {
        run(1);
        for (const uint32_t *at; (at = cw_dram_copied(b.port, time_of(b.cycle - 1))) != NULL;) {
            copied[at - copied] = b.cycle - 1;
            cw_dram_pop_copied(b.port, time_of(b.cycle - 1));
        }
    }
}

static void copy_bench(void)
{
    bench_create(&defaults);
    bench_destroy();
    b.clocks.units_per_us = 1000 * T; /* a cycle is a nanosecond */
    struct cw_error err;
    assert_int_equal(cw_dram_create(&b.dram, &b.config, &b.clocks, &b.stats, 4096, &err), CW_OK);
    b.port = cw_dram_connect(b.dram, 0, &b.wake);
    memset(copied, 0, sizeof copied);
}

/* A copy takes 68 ns. One of another subarray of the bank, and one of another bank, may begin when the activates allow: two each, so tRRD
 * twice. One of the same subarray waits for the first. A read of the bank waits for all. */
static void test_dram__copies_hold_bank_and_subarray(void **state)
{
    (void)state;
    copy_bench();
    copy(0, 1, 2, 0);
    copy(0, 64, 65, 1);
    copy(0, 3, 4, 2);
    copy(1, 1, 2, 3);
    push(line_of(0, 1), 1, false, 0);
    run_copies(400);
    assert_int_equal(copied[0], 68);
    assert_int_equal(copied[1], 12 + 68);
    assert_int_equal(copied[3], 24 + 68);
    assert_int_equal(copied[2], 68 + 68);
    assert_int_equal(b.activates[0], 136);
    assert_int_equal(b.stats.dram_row_copies, 4);
    assert_int_equal(b.stats.dram_activates, 1);
    bench_destroy();
}

/* The data bus is free for other banks, also when these come later. */
static void test_dram__copies_leave_the_data_bus(void **state)
{
    (void)state;
    copy_bench();
    copy(0, 1, 2, 0);
    push(line_of(5, 9), 1, false, 0);
    run_copies(200);
    assert_int_equal(b.activates[0], 12);
    assert_int_equal(b.reads[0], 24);
    assert_int_equal(copied[0], 68);
    bench_destroy();
}

/* Over the bus: 32 bursts of 64 bytes are read and written. They hold the data bus for 2 x 32 x 2 cycles, so a read of another bank, and a copy of
 * another bank, come after that. The bank: twice tRCD, 31 times tCCDL and tRP (12, 3, 12); then tRTPL, tWL, a burst and tWR (2, 4, 2, 12). A copy of
 * another subarray of the bank waits for the first. */
static void test_dram__copies_over_the_bus(void **state)
{
    const uint32_t takes = 2 * (12 + 31 * 3 + 12) + 2 + 4 + 2 + 12;
    (void)state;
    copy_bench();
    copy_by(0, 1, 2, true, 0);
    copy_by(1, 1, 2, true, 1);
    copy_by(0, 64, 65, true, 2);
    push(line_of(5, 9), 1, false, 0);
    run_copies(1000);
    assert_int_equal(copied[0], takes);
    assert_int_equal(b.reads[1], 128); /* behind the first copy, and before the second: a column command goes first */
    assert_int_equal(copied[1], 129 + takes);
    assert_int_equal(copied[2], 129 + 128 + takes);
    assert_int_equal(b.stats.dram_row_copies, 0);
    assert_int_equal(b.stats.dram_reads, 3 * 32 + 1);
    assert_int_equal(b.stats.dram_writes, 3 * 32);
    assert_int_equal(b.stats.dram_activates, 3 * 2 + 1);
    bench_destroy();
}

/* A write of the source row that came before, though its row is closed, is made before the copy; one that came behind, though its row is
 * open, is made after it. */
static void test_dram__copies_keep_their_place(void **state)
{
    (void)state;
    copy_bench();
    push(line_of(0, 7), 1, true, 0);
    run_copies(100); /* row 7 is open */
    push(line_of(0, 1), 1, true, 1);
    copy(0, 1, 2, 0);
    push(line_of(0, 7), 1, true, 2);
    push(line_of(0, 1), 1, true, 3);
    run_copies(600);
    assert_int_equal(b.write_cnt, 4);
    const uint32_t began = copied[0] - 68;
    assert_true(b.writes[1] < began && b.writes[2] >= copied[0] && b.writes[3] >= copied[0]);
    bench_destroy();
}

/* ---- the same of the unit ---- */

#define OF_UNIT_TESTS(X)                         \
    X(closed_bank_read)                          \
    X(line_is_two_bursts_of_one_group)           \
    X(row_hit_and_conflict)                      \
    X(precharge_waits_ras_and_activate_waits_rc) \
    X(write_recovery_before_precharge)           \
    X(activates_are_rrd_apart)                   \
    X(one_command_per_cycle)                     \
    X(younger_hit_goes_before_older_activate)    \
    X(column_spacing_by_group)                   \
    X(bus_turnaround)                            \
    X(row_hits_go_before_older_conflicts)        \
    X(age_cap_bounds_waiting)                    \
    X(streams_reach_85_percent)                  \
    X(slices_share_a_channel)                    \
    X(slices_take_turns)                         \
    X(sector_reads)                              \
    X(tells_of_writes)                           \
    X(sleeping_is_exact)

static int choose_unit(void **state)
{
    (void)state;
    by_unit = true;
    return 0;
}

static int choose_channel(void **state)
{
    (void)state;
    by_unit = false;
    return 0;
}

static void test_dram__unit_refuses_what_it_has_not(void **state)
{
    struct cw_config c = defaults;
    struct cw_error err;
    (void)state;
    c.dram_rcd = 3;
    bench_create(&c);
    assert_int_equal(cw_dram_use_unit(b.dram, cw_unit_provider_c(), 0, &err), CW_EUNSUP);
    assert_string_equal(err.text, "dram.unit: dram_scheduler: rcd = 3 is outside 4..255 (activate to column command); set dram.unit=off");
    bench_destroy();
    c.dram_rcd = defaults.dram_rcd;
    c.dram_queue = 65;
    bench_create(&c);
    assert_int_equal(cw_dram_use_unit(b.dram, cw_unit_provider_c(), 0, &err), CW_EUNSUP);
    assert_non_null(strstr(err.text, "queue = 65 is outside 1..64"));
    bench_destroy();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_dram__copies_hold_bank_and_subarray),
                                          cmocka_unit_test(test_dram__copies_leave_the_data_bus),
                                          cmocka_unit_test(test_dram__copies_over_the_bus),
                                          cmocka_unit_test(test_dram__copies_keep_their_place),
                                          cmocka_unit_test(test_dram__closed_bank_read),
                                          cmocka_unit_test(test_dram__line_is_two_bursts_of_one_group),
                                          cmocka_unit_test(test_dram__row_hit_and_conflict),
                                          cmocka_unit_test(test_dram__precharge_waits_ras_and_activate_waits_rc),
                                          cmocka_unit_test(test_dram__write_recovery_before_precharge),
                                          cmocka_unit_test(test_dram__activates_are_rrd_apart),
                                          cmocka_unit_test(test_dram__one_command_per_cycle),
                                          cmocka_unit_test(test_dram__younger_hit_goes_before_older_activate),
                                          cmocka_unit_test(test_dram__column_spacing_by_group),
                                          cmocka_unit_test(test_dram__bus_turnaround),
                                          cmocka_unit_test(test_dram__scheduling_latency_is_in_core_cycles),
                                          cmocka_unit_test(test_dram__row_hits_go_before_older_conflicts),
                                          cmocka_unit_test(test_dram__age_cap_bounds_waiting),
                                          cmocka_unit_test(test_dram__streams_reach_85_percent),
                                          cmocka_unit_test(test_dram__map_is_a_bijection),
                                          cmocka_unit_test(test_dram__maps_of_published_files),
                                          cmocka_unit_test(test_dram__slices_share_a_channel),
                                          cmocka_unit_test(test_dram__slices_take_turns),
                                          cmocka_unit_test(test_dram__sector_reads),
                                          cmocka_unit_test(test_dram__rounds_sectors_to_bursts),
                                          cmocka_unit_test(test_dram__tells_of_writes),
                                          cmocka_unit_test(test_dram__sleeping_is_exact),
                                          cmocka_unit_test(test_dram__refuses_bad_geometry),
                                          cmocka_unit_test(test_dram__unit_refuses_what_it_has_not),
#define OF_UNIT(NAME) {"test_dram__unit_" #NAME, test_dram__##NAME, choose_unit, choose_channel, NULL},
                                          OF_UNIT_TESTS(OF_UNIT)};
CW_TEST_MAIN(tests)
