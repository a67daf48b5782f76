/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lockstep_driver.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "bins.h"
#include "cw_test.h"
#include "lockstep.h"
#include "rtl_os.h"
#include "rtl_provider.h"
#include "saved_unit.h"
#include "wave/lockstep_wave.h"

#ifndef CW_SOURCE_DIR
#define CW_SOURCE_DIR "."
#endif

#define CYCLES_DEFAULT 1000000u
#define MUTANT_CYCLES  100000u
#define RESET_STRETCH  1024u
#define LARGEST        "largest" /* a set that COWARP_LOCKSTEP_LARGEST asks for: its Verilog takes long to compile */
#define SPEED_FRAMES   4096u
#define SPEED_CYCLES   50000u
#define REGISTER_SEEDS 2u /* with which each set runs */

static uint64_t env_number(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : fallback;
}

/* Of registers, so never 0, which stands for zeros. */
static uint32_t register_seed(uint64_t seed, uint32_t n)
{
    return (uint32_t)(seed * REGISTER_SEEDS + n) | 0x10000u;
}

/* Counters of coverage are the unit's alone, and a mutant is judged by lockstep. */
static bool properties_run(void)
{
    return env_number("COWARP_LOCKSTEP_ASSERT", 1) != 0 && getenv("COWARP_RTL_COVERAGE") == NULL &&
           getenv("COWARP_LOCKSTEP_VERILOG") == NULL;
}

static void show_message(void *context, const char *text)
{
    (void)context;
    printf("%s\n", text);
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the runs of a unit have shown. */
struct shown {
    uint8_t *seen;        /* per port: 1 was 0, 2 was 1 */
    struct cw_bins *bins; /* NULL: nobody looks at them */
};

/* One pair being run. */
struct run {
    const struct cw_lockstep_bench *bench;
    const struct cw_lockstep_set *set;
    struct cw_unit_provider provider;
    struct cw_unit_instance pair;
    struct cw_stimulus *stimulus;
    void *in, *out;
    struct shown *shown; /* NULL: what is shown does not count */
    struct cw_bin_probe *probe;
    struct cw_error error;
};

static void run_close(struct run *r)
{
    cw_stimulus_destroy(r->stimulus);
    cw_bin_probe_destroy(r->probe);
    if (r->pair.self != NULL)
        r->pair.ops->destroy(r->pair.self);
    cw_rtl_provider_destroy(&r->provider);
    free(r->in);
    free(r->out);
}

static int run_open(struct run *r, const struct cw_rtl_options *opt, uint64_t seed)
{
    const struct cw_unit *unit = r->bench->unit;
    char name[128];
    snprintf(name, sizeof name, "partition0.%s", unit->name); /* as the views in waves/ have it */
    int status = cw_rtl_provider_create(&r->provider, opt, &r->error);
    if (status == CW_OK)
        status = r->provider.open(r->provider.context, unit, name, r->set->params, &r->pair, &r->error);
    r->stimulus = cw_stimulus_create(unit, r->set->params, seed, r->set->phase_cycles, r->bench->constrain, r->bench->context);
    r->in = calloc(1, unit->in_size);
    r->out = calloc(1, unit->out_size);
    const bool looks = r->shown != NULL && r->shown->bins != NULL;
    if (looks)
        r->probe = cw_bin_probe_create(r->shown->bins, r->set->params);
    if (status == CW_OK && (r->stimulus == NULL || r->in == NULL || r->out == NULL || (looks && r->probe == NULL)))
        status = cw_fail(&r->error, CW_ENOMEM, "out of memory");
    return status;
}

static void note_cycle(const struct run *r, const struct cw_port *port)
{
    if (r->probe != NULL)
        cw_bin_probe_cycle(r->probe, r->in, r->out);
    for (uint32_t i = 0; i < r->bench->unit->port_cnt; i++)
        if (port[i].dir == CW_PORT_OUT && port[i].width == 1 && port[i].words == 0) {
            uint64_t value;
            memcpy(&value, (const char *)r->out + port[i].offset, sizeof value);
            r->shown->seen[i] |= (uint8_t)(1u << (value & 1));
        }
}

static bool is_largest(const struct cw_lockstep_set *set)
{
    return strcmp(set->label, LARGEST) == 0;
}

/* Resets: a third of the way through, at random about ten times, and many in one stretch of eight, so that whatever the unit is about meets
 * one; the other seven leave it time to fill. The largest have few, because they need long to clear their tables. */
static bool reset_due(const struct cw_lockstep_set *set, struct cw_rng *rng, uint64_t n, uint64_t cycles)
{
    const uint64_t stretch = n / RESET_STRETCH % 8;
    if (is_largest(set))
        return n == cycles / 3 || n == cycles / 3 + 1000;
    return n == cycles / 3 || cw_rng_next(rng) % cycles < 10 || (stretch == 7 && cw_rng_below(rng, 32) == 0);
}

/* 0, or CW_EMISMATCH. */
static int run_cycles(struct run *r, uint64_t cycles, uint64_t seed, uint64_t *resets)
{
    const struct cw_unit *unit = r->bench->unit;
    struct cw_port *port = calloc(unit->port_cnt, sizeof *port);
    struct cw_rng rng;
    int status = CW_OK;
    assert_non_null(port);
    unit->ports(r->set->params, port);
    cw_rng_seed(&rng, ~seed);
    for (uint64_t n = 0; n < cycles && status == CW_OK; n++) {
        if (reset_due(r->set, &rng, n, cycles)) {
            r->pair.ops->reset(r->pair.self);
            if (r->probe != NULL)
                cw_bin_probe_reset(r->probe);
            ++*resets;
        }
        cw_stimulus_next(r->stimulus, r->out, r->in);
        r->pair.ops->eval(r->pair.self, r->in, r->out);
        r->pair.ops->tick(r->pair.self, r->in);
        if (r->shown != NULL)
            note_cycle(r, port);
        status = r->provider.poll(r->provider.context, &r->error);
    }
    free(port);
    return status;
}

/* ns per eval and tick of one backend on its own, on a recorded stretch of the same stimulus. */
static double measure(const struct cw_lockstep_bench *bench, const struct cw_lockstep_set *set, enum cw_unit_backend backend, uint64_t seed)
{
    const struct cw_unit *unit = bench->unit;
    struct cw_unit_instance instance;
    struct cw_unit_provider provider = cw_directed_open(unit, set->params, backend, &instance);
    struct cw_stimulus *s = cw_stimulus_create(unit, set->params, seed, set->phase_cycles, bench->constrain, bench->context);
    char *in = calloc(SPEED_FRAMES, unit->in_size);
    void *out = calloc(1, unit->out_size);
    assert_true(s != NULL && in != NULL && out != NULL);
    for (uint32_t i = 0; i < SPEED_FRAMES; i++) {
        cw_stimulus_next(s, out, in + i * unit->in_size);
        instance.ops->eval(instance.self, in + i * unit->in_size, out);
        instance.ops->tick(instance.self, in + i * unit->in_size);
    }
    double start = now_seconds();
    for (uint32_t n = 0; n < SPEED_CYCLES; n++) {
        if (n % SPEED_FRAMES == 0) /* the inputs answer what the unit did after a reset */
            instance.ops->reset(instance.self);
        const void *frame = in + n % SPEED_FRAMES * unit->in_size;
        instance.ops->eval(instance.self, frame, out);
        instance.ops->tick(instance.self, frame);
    }
    double seconds = now_seconds() - start;
    free(in);
    free(out);
    cw_stimulus_destroy(s);
    cw_directed_close(&provider, &instance);
    return 1e9 * seconds / SPEED_CYCLES;
}

/* The cycles of one stimulus and one set of random numbers in the registers. */
static void run_part(const struct cw_lockstep_bench *bench, const struct cw_lockstep_set *set, uint64_t cycles, uint64_t seed,
                     uint32_t registers, struct shown *shown)
{
    const struct cw_rtl_choice other = {
        .unit = bench->unit->name, .backend = CW_UNIT_LOCKSTEP, .verilog = getenv("COWARP_LOCKSTEP_VERILOG")};
    struct cw_rtl_options opt = {.build = {.message = show_message, .precompile = true},
                                 .default_backend = CW_UNIT_LOCKSTEP,
                                 .properties = properties_run(),
                                 .seed = registers,
                                 .choices = &other,
                                 .choice_cnt = other.verilog != NULL};
    struct run r = {.bench = bench, .set = set, .shown = shown};
    char file[256];
    uint64_t resets = 0;
    snprintf(file, sizeof file, "lockstep_%s_%s.fst", bench->unit->name, set->label);
    opt.mismatch_wave = cw_lockstep_wave;
    opt.mismatch_file = file;
    int status = run_open(&r, &opt, seed);
    double start = now_seconds();
    if (status == CW_OK)
        status = run_cycles(&r, cycles, seed, &resets);
    double seconds = now_seconds() - start;
    if (status != CW_OK)
        print_error("%s, set %s, seed %" PRIu64 ", registers %" PRIu32 ": %s\n", bench->unit->name, set->label, seed, registers,
                    r.error.text);
    else if (other.verilog != NULL)
        printf("%s %s: %" PRIu64 " cycles of %s, no difference\n", bench->unit->name, set->label, cycles, other.verilog);
    else
        printf("%s %s: %" PRIu64 " cycles, %" PRIu64 " resets, %" PRIu64 " checks, registers %" PRIu32 ", %.2f M cycles/s\n",
               bench->unit->name, set->label, cw_lockstep_cycles(r.pair.self), resets, cw_lockstep_checks(r.pair.self), registers,
               (double)cycles / seconds * 1e-6);
    run_close(&r);
    assert_int_equal(status, CW_OK);
}

/* A port's value as whole hexadecimal digits, the most significant one first. */
static void write_port(FILE *f, const struct cw_port *port, const char *fields)
{
    for (uint32_t bit = (port->width + 3) / 4 * 4; bit > 0;) {
        uint64_t value = 0;
        bit -= 4;
        memcpy(&value, fields + port->offset + (port->words != 0 ? bit / 32 * 4 : 0), port->words != 0 ? 4 : 8);
        value >>= port->words != 0 ? bit % 32 : bit;
        fputc("0123456789abcdef"[value & (port->width - bit < 4 ? (1u << (port->width - bit)) - 1 : 15u)], f);
    }
}

/* One line: whether it is a reset, then each port, inputs and outputs in the order of the port list. */
static void write_row(FILE *f, const struct cw_unit *unit, const struct cw_port *port, bool reset, const void *in, const void *out)
{
    fputc(reset ? '1' : '0', f);
    for (uint32_t i = 0; i < unit->port_cnt; i++)
        write_port(f, &port[i], port[i].dir == CW_PORT_IN ? in : out);
    fputc('\n', f);
}

static FILE *open_record(const char *folder, const struct cw_unit *unit, const struct cw_lockstep_set *set, const struct cw_port *port)
{
    char path[CW_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.%s.hex", folder, unit->name, set->label);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (uint32_t i = 0; i < unit->port_cnt; i++)
        fprintf(f, "// %s %s %" PRIu32 "\n", port[i].dir == CW_PORT_IN ? "i" : "o", port[i].name, port[i].width);
    return f;
}

/* What lockstep would put on the unit, and what the C model answers, for another simulator of Verilog. */
static void record(const struct cw_lockstep_bench *bench, const struct cw_lockstep_set *set, uint64_t cycles, uint64_t seed,
                   const char *folder)
{
    const struct cw_unit *unit = bench->unit;
    struct cw_unit_instance instance;
    struct cw_unit_provider provider = cw_directed_open(unit, set->params, CW_UNIT_C, &instance);
    struct cw_stimulus *stimulus = cw_stimulus_create(unit, set->params, seed, set->phase_cycles, bench->constrain, bench->context);
    struct cw_port *port = calloc(unit->port_cnt, sizeof *port);
    void *in = calloc(1, unit->in_size), *out = calloc(1, unit->out_size);
    struct cw_rng rng;
    assert_true(stimulus != NULL && port != NULL && in != NULL && out != NULL);
    unit->ports(set->params, port);
    FILE *f = open_record(folder, unit, set, port);
    cw_rng_seed(&rng, ~seed);
    for (uint64_t n = 0; n < cycles; n++) {
        if (n == 0 || reset_due(set, &rng, n, cycles)) {
            instance.ops->reset(instance.self);
            write_row(f, unit, port, true, memset(in, 0, unit->in_size), out);
        }
        cw_stimulus_next(stimulus, out, in);
        instance.ops->eval(instance.self, in, out);
        write_row(f, unit, port, false, in, out);
        instance.ops->tick(instance.self, in);
    }
    assert_int_equal(fclose(f), 0);
    free(port);
    free(in);
    free(out);
    cw_stimulus_destroy(stimulus);
    cw_directed_close(&provider, &instance);
}

static void run_set(const struct cw_lockstep_bench *bench, const struct cw_lockstep_set *set, uint64_t cycles, uint64_t seed,
                    struct shown *shown)
{
    if (getenv("COWARP_LOCKSTEP_RECORD") != NULL) {
        record(bench, set, cycles, seed, getenv("COWARP_LOCKSTEP_RECORD"));
        return;
    }
    if (getenv("COWARP_LOCKSTEP_VERILOG") != NULL) {
        run_part(bench, set, cycles, seed, 0, shown);
        return;
    }
    for (uint32_t n = 0; n < REGISTER_SEEDS; n++)
        run_part(bench, set, cycles / REGISTER_SEEDS, seed + n * bench->set_cnt, register_seed(seed, n), shown);
    if (getenv("COWARP_RTL_COVERAGE") == NULL) /* what nothing compares does not count */
        printf("%s %s alone: C %.1f ns, RTL with its properties %.1f ns per cycle\n", bench->unit->name, set->label,
               measure(bench, set, CW_UNIT_C, seed), measure(bench, set, CW_UNIT_RTL, seed));
}

/* label=..., then NAME=value of each parameter as the Verilog calls them. */
static void list_set(const struct cw_unit *unit, const struct cw_lockstep_set *set)
{
    printf("set label=%s", set->label);
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)set->params + unit->params[i].offset, sizeof value);
        printf(" %s=%" PRIu32, unit->params[i].verilog_name, value);
    }
    printf("\n");
}

/* Whether label is in the list, which has commas. */
static bool is_wanted(const char *list, const char *label)
{
    const size_t length = strlen(label);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strcspn(at, ",") == length && strncmp(at, label, length) == 0)
            return true;
    return false;
}

/* The default parameters, for which the build has a library, whether or not a set has them. A stimulus with a context may have been made
 * for its sets alone. */
static void run_default(const struct cw_lockstep_bench *bench, uint64_t cycles, uint64_t seed)
{
    struct cw_lockstep_set set = {"default", NULL, bench->sets[0].phase_cycles};
    void *params = calloc(1, bench->unit->params_size);
    bool fits = bench->context == NULL;
    assert_non_null(params);
    cw_unit_params_default(bench->unit, params);
    for (uint32_t i = 0; i < bench->set_cnt; i++)
        fits = fits || memcmp(bench->sets[i].params, params, bench->unit->params_size) == 0;
    if (!fits)
        fail_msg("%s: the stimulus may not fit the default parameters", bench->unit->name);
    set.params = params;
    run_set(bench, &set, cycles, seed, NULL);
    free(params);
}

/* Some sets, as the environment has asked. What they do not reach others may. */
static void run_wanted(const struct cw_lockstep_bench *bench, const char *wanted)
{
    uint64_t cycles = env_number("COWARP_LOCKSTEP_CYCLES", CYCLES_DEFAULT);
    uint64_t seed = cw_test_seed(env_number("COWARP_SEED", 1));
    if (strcmp(wanted, "default") == 0)
        run_default(bench, cycles, seed);
    for (uint32_t i = 0; i < bench->set_cnt; i++)
        if (strcmp(wanted, "?") == 0)
            list_set(bench->unit, &bench->sets[i]);
        else if (is_wanted(wanted, bench->sets[i].label))
            run_set(bench, &bench->sets[i], cycles, seed + i, NULL);
}

/* Whether each one-bit output had both values. */
static bool outputs_are_whole(const struct cw_lockstep_bench *bench, const uint8_t *seen)
{
    struct cw_port *port = calloc(bench->unit->port_cnt, sizeof *port);
    bool whole = true;
    assert_non_null(port);
    bench->unit->ports(bench->sets[0].params, port);
    for (uint32_t i = 0; i < bench->unit->port_cnt; i++)
        if (port[i].dir == CW_PORT_OUT && port[i].width == 1 && port[i].words == 0 && seen[i] != 3) {
            print_error("%s: output %s was never %d: the stimulus does not reach it\n", bench->unit->name, port[i].name, seen[i] == 1);
            whole = false;
        }
    free(port);
    return whole;
}

/* The unit's bins in this folder; NULL: it has none. Counters of Verilog's coverage are slow enough without. */
static struct cw_bins *open_bins(const struct cw_unit *unit, const char *folder)
{
    const char *other = getenv("COWARP_LOCKSTEP_BINS");
    char path[CW_PATH_MAX];
    struct cw_bins *bins = NULL;
    struct cw_error err = {{0}};
    snprintf(path, sizeof path, CW_SOURCE_DIR "/tests/rtl/%s/%s.txt", folder, unit->name);
    if (getenv("COWARP_RTL_COVERAGE") != NULL || (other == NULL && access(path, R_OK) != 0))
        return NULL;
    if (cw_bins_open(&bins, unit, other != NULL ? other : path, &err) != CW_OK)
        fail_msg("%s", err.text);
    return bins;
}

/* Whether each bin was reached, but for the holes. Prints all. set: NULL: those of tests/rtl/bins, by any set. */
static bool bins_are_reached(const struct cw_unit *unit, const struct cw_bins *bins, const char *set)
{
    const char *folder = set == NULL ? "bins" : "fill";
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < cw_bins_count(bins); i++) {
        const char *hole = cw_bins_hole(bins, i), *what = "";
        const uint64_t hits = cw_bins_hits(bins, i);
        if (hits == 0 && hole == NULL)
            what = ": never reached: the stimulus lacks it";
        else if (hits != 0 && hole != NULL)
            what = ": called a hole, and reached: take the reason out";
        else if (!cw_bins_missed(bins, i) && set == NULL)
            what = ": in every cycle: it is no situation";
        printf("%s %s%sbin %s: %" PRIu64 " cycles%s%s%s%s\n", unit->name, set != NULL ? set : "", set != NULL ? " fill " : "",
               cw_bins_name(bins, i), hits, hits == CW_BINS_ENOUGH ? " or more" : "", hole != NULL ? "; a hole: " : "",
               hole != NULL ? hole : "", what);
        wrong += what[0] != '\0';
    }
    printf("%s: %" PRIu32 " bins, %" PRIu32 " not as tests/rtl/%s/%s.txt says\n", unit->name, cw_bins_count(bins), wrong, folder,
           unit->name);
    return wrong == 0;
}

/* No Verilog is needed for this. */
static void run_saved(const struct cw_lockstep_bench *benches, uint32_t bench_cnt, uint64_t cycles, uint64_t seed)
{
    for (uint32_t b = 0; b < bench_cnt; b++)
        for (uint32_t i = 0; i < benches[b].set_cnt; i++)
            cw_saved_run(&benches[b], &benches[b].sets[i], cycles, seed + i);
}

/* bins: NULL: nobody looks at them. It takes them over. */
static void run_benches(const struct cw_lockstep_bench *benches, uint32_t bench_cnt, struct cw_bins *bins)
{
    const char *wanted = getenv("COWARP_LOCKSTEP_SETS");
    const struct cw_unit *unit = benches->unit;
    const uint64_t cycles = env_number("COWARP_LOCKSTEP_CYCLES", CYCLES_DEFAULT);
    const uint64_t seed = cw_test_seed(env_number("COWARP_SEED", 1));
    if (env_number("COWARP_LOCKSTEP_SAVED", 0) != 0) {
        run_saved(benches, bench_cnt, cycles, seed);
        cw_bins_close(bins);
        return;
    }
    if (wanted != NULL && *wanted != '\0') {
        for (uint32_t b = 0; b < bench_cnt; b++)
            run_wanted(&benches[b], wanted);
        cw_bins_close(bins);
        return;
    }
    struct shown shown = {calloc(unit->port_cnt, 1), bins};
    assert_non_null(shown.seen);
    for (uint32_t b = 0; b < bench_cnt; b++)
        for (uint32_t i = 0; i < benches[b].set_cnt; i++)
            if (!is_largest(&benches[b].sets[i]))
                run_set(&benches[b], &benches[b].sets[i], cycles, seed + i, &shown);
            else if (env_number("COWARP_LOCKSTEP_LARGEST", 0) != 0)
                run_set(&benches[b], &benches[b].sets[i], cycles / 10, seed + i, &shown);
    const bool whole = outputs_are_whole(benches, shown.seen), reached = shown.bins == NULL || bins_are_reached(unit, shown.bins, NULL);
    cw_bins_close(shown.bins);
    free(shown.seen);
    assert_true(whole && reached);
}

void cw_lockstep_run_all(const struct cw_lockstep_bench *benches, uint32_t bench_cnt)
{
    run_benches(benches, bench_cnt, open_bins(benches->unit, "bins"));
}

void cw_lockstep_run_narrow(const struct cw_lockstep_bench *bench)
{
    run_benches(bench, 1, NULL);
}

void cw_lockstep_run(const struct cw_lockstep_bench *bench)
{
    cw_lockstep_run_all(bench, 1);
}

/* Fill ---------------------------------------------------------------------------------------------------------------- */

/* At the ends of the parameters the Verilog's properties may count for long. */
static struct cw_rtl_options fill_options(const struct cw_lockstep_set *set, const struct cw_rtl_choice *other)
{
    return (struct cw_rtl_options){.build = {.message = show_message, .precompile = true},
                                   .default_backend = CW_UNIT_LOCKSTEP,
                                   .properties = properties_run() && strcmp(set->label, "gpu") == 0,
                                   .seed = register_seed(1, 0),
                                   .choices = other,
                                   .choice_cnt = other->verilog != NULL};
}

/* The stimulus begins anew with each reset. */
static int fill_cycles(const struct cw_lockstep_fill *fill, struct run *r, uint32_t cycles)
{
    int status = CW_OK;
    for (uint32_t n = 0; n < cycles && status == CW_OK; n++) {
        if (n == 0 || n == cycles / 2) {
            r->pair.ops->reset(r->pair.self);
            if (r->probe != NULL)
                cw_bin_probe_reset(r->probe);
            memset(r->out, 0, r->bench->unit->out_size);
            memset(fill->context, 0, fill->context_size);
            memcpy(fill->context, &r->set->params, sizeof r->set->params);
        }
        cw_stimulus_next(r->stimulus, r->out, r->in);
        r->pair.ops->eval(r->pair.self, r->in, r->out);
        if (r->probe != NULL)
            cw_bin_probe_cycle(r->probe, r->in, r->out);
        r->pair.ops->tick(r->pair.self, r->in);
        status = r->provider.poll(r->provider.context, &r->error);
    }
    return status;
}

static bool fill_set(const struct cw_lockstep_fill *fill, const struct cw_lockstep_set *set)
{
    const struct cw_lockstep_bench bench = {fill->unit, set, 1, fill->constrain, fill->context};
    const struct cw_rtl_choice other = {
        .unit = fill->unit->name, .backend = CW_UNIT_LOCKSTEP, .verilog = getenv("COWARP_LOCKSTEP_VERILOG")};
    const struct cw_rtl_options opt = fill_options(set, &other);
    struct shown shown = {NULL, open_bins(fill->unit, "fill")};
    struct run r = {.bench = &bench, .set = set, .shown = &shown};
    const uint32_t cycles = is_largest(set) ? fill->largest_cycles : fill->cycles;
    int status = run_open(&r, &opt, 1);
    if (status == CW_OK)
        status = fill_cycles(fill, &r, cycles);
    if (status != CW_OK)
        print_error("%s, fill, set %s: %s\n", fill->unit->name, set->label, r.error.text);
    else
        printf("%s fill %s: %" PRIu32 " cycles, no difference\n", fill->unit->name, set->label, cycles);
    run_close(&r);
    const bool reached = status != CW_OK || shown.bins == NULL || bins_are_reached(fill->unit, shown.bins, set->label);
    cw_bins_close(shown.bins);
    assert_int_equal(status, CW_OK);
    return reached;
}

void cw_lockstep_fill(const struct cw_lockstep_fill *fill)
{
    const char *wanted = getenv("COWARP_LOCKSTEP_SETS");
    struct cw_lockstep_set gpu = {"gpu", calloc(1, fill->unit->params_size), 0};
    uint32_t missed = 0;
    assert_non_null(gpu.params);
    cw_unit_params_default(fill->unit, (void *)(uintptr_t)gpu.params);
    if (wanted == NULL || is_wanted(wanted, gpu.label))
        missed += !fill_set(fill, &gpu);
    for (uint32_t i = 0; i < fill->end_cnt; i++)
        if (wanted != NULL ? is_wanted(wanted, fill->ends[i].label) : env_number("COWARP_LOCKSTEP_ENDS", 0) != 0)
            missed += !fill_set(fill, &fill->ends[i]);
    free((void *)(uintptr_t)gpu.params);
    assert_int_equal(missed, 0);
}

/* Broken copies ------------------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *head, size_t head_size, const char *middle, const char *tail)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(head, 1, head_size, f);
    fputs(middle, f);
    fputs(tail, f);
    assert_int_equal(fclose(f), 0);
}

static void copy_module(const char *from_path, const char *to_path, const char *file, const struct cw_mutant *m)
{
    char wanted[128];
    char *text = cw_os_read_file(from_path, NULL);
    assert_non_null(text);
    snprintf(wanted, sizeof wanted, "%s.v", m->module);
    if (strcmp(file, wanted) != 0) {
        write_file(to_path, text, strlen(text), "", "");
    } else {
        const char *at = strstr(text, m->from);
        if (at == NULL || strstr(at + 1, m->from) != NULL)
            fail_msg("mutant '%s': '%s' is not exactly once in %s", m->what, m->from, from_path);
        else
            write_file(to_path, text, (size_t)(at - text), m->to, at + strlen(m->from));
    }
    free(text);
}

/* Copies rtl/<folder>/<file>.v to to/<folder>/<file>.v, with the mutant's change. */
static void copy_rtl(const char *to, const struct cw_mutant *m)
{
    DIR *top = opendir(CW_SOURCE_DIR "/rtl");
    assert_non_null(top);
    for (struct dirent *d = readdir(top); d != NULL; d = readdir(top)) {
        char from_dir[CW_PATH_MAX], to_dir[CW_PATH_MAX], from[CW_PATH_MAX], dest[CW_PATH_MAX];
        assert_int_equal(cw_os_path(from_dir, sizeof from_dir, NULL, CW_SOURCE_DIR "/rtl/%s", d->d_name), 0);
        assert_int_equal(cw_os_path(to_dir, sizeof to_dir, NULL, "%s/%s", to, d->d_name), 0);
        DIR *sub = d->d_name[0] == '.' ? NULL : opendir(from_dir);
        if (sub == NULL)
            continue;
        assert_int_equal(mkdir(to_dir, 0777), 0);
        for (struct dirent *e = readdir(sub); e != NULL; e = readdir(sub)) {
            size_t n = strlen(e->d_name);
            if (n < 3 || strcmp(e->d_name + n - 2, ".v") != 0)
                continue;
            assert_int_equal(cw_os_path(from, sizeof from, NULL, "%s/%s", from_dir, e->d_name), 0);
            assert_int_equal(cw_os_path(dest, sizeof dest, NULL, "%s/%s", to_dir, e->d_name), 0);
            copy_module(from, dest, e->d_name, m);
        }
        closedir(sub);
    }
    closedir(top);
}

static int run_mutant(const struct cw_lockstep_bench *bench, const struct cw_mutant *m, const char *rtl_dir, uint64_t seed,
                      struct cw_error *err, uint64_t *cycles)
{
    struct cw_rtl_options opt = {.build = {.rtl_dir = rtl_dir, .cxx_flags = "-O0", .precompile = true},
                                 .default_backend = CW_UNIT_LOCKSTEP};
    struct run r = {.bench = bench, .set = &bench->sets[m->set]};
    char library[CW_PATH_MAX];
    uint64_t resets = 0;
    int status = run_open(&r, &opt, seed);
    if (status == CW_OK) {
        status = run_cycles(&r, MUTANT_CYCLES, seed, &resets);
        *cycles = cw_lockstep_cycles(r.pair.self);
    }
    *err = r.error;
    run_close(&r);
    if (cw_rtl_find(library, bench->unit, r.set->params, &opt.build, NULL) == CW_OK)
        unlink(library);
    return status;
}

void cw_lockstep_catches(const struct cw_lockstep_bench *bench, const struct cw_mutant *mutants, uint32_t mutant_cnt)
{
    uint64_t seed = cw_test_seed(env_number("COWARP_SEED", 1));
    const char *tmp = getenv("TMPDIR");
    uint32_t caught = 0;
    for (uint32_t i = 0; i < mutant_cnt; i++) {
        struct cw_error err = {""};
        char dir[CW_PATH_MAX];
        uint64_t cycles = 0;
        assert_int_equal(cw_os_path(dir, sizeof dir, NULL, "%s/cw-mutant-XXXXXX", tmp != NULL ? tmp : "/tmp"), 0);
        assert_non_null(mkdtemp(dir));
        copy_rtl(dir, &mutants[i]);
        int status = run_mutant(bench, &mutants[i], dir, seed, &err, &cycles);
        cw_os_remove_tree(dir);
        printf("mutant '%s': %s after %" PRIu64 " cycles: %s\n", mutants[i].what, status == CW_EMISMATCH ? "caught" : "NOT CAUGHT", cycles,
               err.text);
        caught += status == CW_EMISMATCH && cycles > 0;
    }
    assert_int_equal(caught, mutant_cnt);
}

/* Directed tests ------------------------------------------------------------------------------------------------------ */

struct cw_unit_provider cw_directed_open(const struct cw_unit *unit, const void *params, enum cw_unit_backend backend,
                                         struct cw_unit_instance *instance)
{
    struct cw_rtl_options opt = {.build = {.message = show_message, .precompile = true},
                                 .default_backend = backend,
                                 .properties = properties_run(),
                                 .seed = register_seed(cw_test_seed(env_number("COWARP_SEED", 1)), 0)};
    struct cw_unit_provider provider;
    struct cw_error err = {""};
    int status = cw_rtl_provider_create(&provider, &opt, &err);
    if (status == CW_OK)
        status = provider.open(provider.context, unit, unit->name, params, instance, &err);
    if (status != CW_OK)
        fail_msg("%s", err.text);
    return provider;
}

void cw_directed_close(struct cw_unit_provider *provider, struct cw_unit_instance *instance)
{
    struct cw_error err = {""};
    int status = provider->poll(provider->context, &err);
    instance->ops->destroy(instance->self);
    cw_rtl_provider_destroy(provider);
    if (status != CW_OK)
        fail_msg("%s", err.text);
}
