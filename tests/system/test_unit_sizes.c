/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs is what is synthesized, proved and tested: in each preset, each system asks for units of their contracts' default parameters,
 * and clocks them no faster than their contracts say. Where it does not, the tables say in which parameter, and at which clock.
 */
#include <stdio.h>
#include <string.h>

#include "cw_test.h"
#include "gpu/gpu.h"
#include "mech/mechs.h"

#define DIFFERENCES 96

struct seen {
    const char *preset;
    struct cw_config config;
    const struct cw_mech *system; /* whose units are opened; NULL: none, */
    const struct cw_control_ops *control;
    uint32_t clock_cnt;
    char clock[DIFFERENCES][96]; /* "preset unit MHz", each once: faster than the contract's clock */
    uint32_t units, cnt;
    char line[DIFFERENCES][128]; /* "preset unit parameter value", each once */
};

static void note(struct seen *s, const struct cw_unit *unit, const struct cw_param *param, uint32_t value)
{
    char line[sizeof s->line[0]];
    snprintf(line, sizeof line, "%s %s %s %u", s->preset, unit->name, param->name, value);
    for (uint32_t i = 0; i < s->cnt; i++)
        if (strcmp(s->line[i], line) == 0)
            return;
    assert_true(s->cnt < DIFFERENCES);
    memcpy(s->line[s->cnt++], line, sizeof line);
}

/* MHz of the unit's domain. A policy's units have a cycle per pipeline stage; the table of dynamic warp formation takes the two sides of a
 * branch in one. */
static uint32_t clock_of(const struct seen *s, const struct cw_unit *unit)
{
    const struct cw_mech_unit *of_mech = s->system != NULL ? cw_mech_unit_of(s->system, unit) : NULL;
    const struct cw_mech_unit *u = of_mech != NULL ? of_mech : cw_control_unit_of(s->control, unit);
    for (uint32_t i = 0; u == NULL; i++) /* an idealised system has the units of the one that it idealises */
        u = cw_mech_unit_at(i)->unit == unit ? cw_mech_unit_at(i) : NULL;
    const uint32_t mhz[CW_DOMAIN_COUNT] = {[CW_DOMAIN_CORE] = s->config.clock_core_mhz,
                                           [CW_DOMAIN_NOC] = s->config.clock_noc_mhz,
                                           [CW_DOMAIN_L2] = s->config.clock_l2_mhz,
                                           [CW_DOMAIN_CU] = s->config.clock_cu_mhz,
                                           [CW_DOMAIN_DRAM] = s->config.clock_dram_mhz};
    const uint32_t stage = s->config.core_stage_cycles, steps = strcmp(unit->name, "warp_lut") == 0 ? (stage + 1) / 2 : stage;
    return mhz[u->domain] / (of_mech != NULL ? 1 : steps);
}

static void compare_clock(struct seen *s, const struct cw_unit *unit)
{
    char line[sizeof s->clock[0]];
    const uint32_t mhz = clock_of(s, unit);
    snprintf(line, sizeof line, "%s %s %u", s->preset, unit->name, mhz);
    for (uint32_t i = 0; i < s->clock_cnt; i++)
        if (mhz <= unit->clock_mhz || strcmp(s->clock[i], line) == 0)
            return;
    if (mhz <= unit->clock_mhz)
        return;
    assert_true(s->clock_cnt < DIFFERENCES);
    memcpy(s->clock[s->clock_cnt++], line, sizeof line);
}

static int open_and_compare(void *context, const struct cw_unit *unit, const char *name, const void *params,
                            struct cw_unit_instance *instance, struct cw_error *err)
{
    struct seen *s = context;
    s->units++;
    compare_clock(s, unit);
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)params + unit->params[i].offset, sizeof value);
        if (value != unit->params[i].value_default)
            note(s, unit, &unit->params[i], value);
    }
    return cw_unit_provider_c()->open(NULL, unit, name, params, instance, err);
}

/* Builds a machine: of the preset with the system, and, where setting is not NULL, with that setting. */
static void build(struct seen *s, const struct cw_mech *system, const char *setting)
{
    const struct cw_mech *const mechs[] = {system, NULL};
    const struct cw_unit_provider units = {.context = s, .open = open_and_compare};
    struct cw_config config;
    struct cw_error err;
    struct cw_gpu *gpu = NULL;
    assert_int_equal(cw_config_preset(&config, s->preset, &err), CW_OK);
    if (setting != NULL)
        assert_int_equal(cw_config_set(&config, setting, &err), CW_OK);
    const bool writes_back = config.l1_global == CW_L1_WRITE_BACK; /* which persistency models need, and transactional systems refuse */
    if (system != NULL && (writes_back ? system->system : system->persistency && strcmp(system->name, CW_MECH_PERSISTENCY_NONE) != 0))
        return;
    /* Units of scratch-pad transactions follow warps and shared memory, and only their own machine has those of their paper. */
    if (system != NULL && strcmp(system->name, "localtm") == 0 && strcmp(s->preset, "localtm") != 0)
        return;
    if (system != NULL &&
        ((!system->any_width && config.core_warp_width != CW_LANES) || (!system->any_line && config.mem_line_bytes != CW_LINE_BYTES)))
        return;
    s->config = config;
    s->system = system;
    assert_int_equal(cw_control_of(&s->control, &config, &err), CW_OK);
    const struct cw_gpu_options options = {.config = &config, .mechs = mechs, .units = &units};
    if (cw_gpu_create(&gpu, &options, &err) != CW_OK)
        fail_msg("%s, %s: %s", s->preset, system != NULL ? system->name : setting, err.text);
    cw_gpu_destroy(gpu);
}

/* Machines whose papers state another size, or have other numbers of partitions or longer rows; the idealised systems' ring, which has no
 * bound, and which they cannot have in RTL. */
static const char *const differences[] = {
    "getm commit_unit entries 65536",
    "thesis-kilotm first_read_table warps 32",
    "thesis-kilotm commit_unit entries 65536",
    "thesis-warptm commit_unit entries 65536",
    "getm-56 validation_unit bloom_row_w 5",
    "getm-56 hazard_unit bloom_row_w 9",
    "getm-56 commit_unit entries 65536",
    "getm-artifact hazard_unit set_w 8",
    "getm-artifact commit_unit entries 65536",
    "gtx480 commit_unit entries 65536",
    "si-tm commit_unit entries 65536",
    "si-tm-base commit_unit entries 65536",
    "thesis-kilotm writer_table entries 375",
    "getm-56 writer_table entries 375",
    "gtx480 writer_table entries 250",
    "getm-artifact row_copy_engine lines 32",
    "gtx480 row_copy_engine lines 32",
    "gpgpusim-gtx480 commit_unit entries 65536",
    "gpgpusim-gtx480 writer_table entries 250",
    "gpgpusim-gtx480 row_copy_engine lines 32",
    "getm-artifact conflict_address_table ways 6",
    "getm-artifact conflict_address_table set_w 6",
};

/* Rows of a DRAM and words of memory are numbered in as many bits as the machine's memory needs; the units are synthesized for 2^20 rows
 * and the words of 1,024 MiB. The gtx480 presets have their card's 1,536 MiB: one bit more. */
static bool is_of_memory(const char *line)
{
    return strstr(line, " row_w ") != NULL || strstr(line, " stride_w ") != NULL ||
           (strstr(line, "gtx480 ") != NULL && strstr(line, " addr_w 29") != NULL);
}

/* A partition has its reader list in si.lists parts, each with some of the transactions' numbers. The unit is synthesized whole, as SI-TM Table 1
 * has it. */
static bool is_part(const char *line)
{
    return strstr(line, " scalable_reader_list entries ") != NULL || strstr(line, " scalable_reader_list id_w 7") != NULL;
}

static bool is_in(const char *const *list, size_t cnt, const char *line)
{
    for (size_t i = 0; i < cnt; i++)
        if (strcmp(list[i], line) == 0)
            return true;
    return false;
}
#define IS_IN(list, line) is_in(list, sizeof(list) / sizeof(list)[0], line)

/* SI-TM's units, which run at 700 MHz in its own preset, on GETM's machines, whose L2 has 1,400 (Table II: validation units). */
static const char *const faster[] = {
    "getm postdate_unit 1400",           "getm writer_table 1400",       "getm version_index_table 1400",
    "getm row_copy_engine 1400",         "getm-56 postdate_unit 1400",   "getm-56 writer_table 1400",
    "getm-56 version_index_table 1400",  "getm-56 row_copy_engine 1400", "getm scalable_reader_list 1400",
    "getm-56 scalable_reader_list 1400",
};

static void judge_clocks(const struct seen *s, size_t known)
{
    for (uint32_t i = 0; i < s->clock_cnt; i++)
        if (!IS_IN(faster, s->clock[i]))
            fail_msg("%s MHz: faster than its contract, at which it is synthesized", s->clock[i]);
    assert_int_equal(s->clock_cnt, known); /* each one still is faster */
}

/* No system works on the lines of the first; no paper has such machines as the others. */
static bool is_apart(const char *preset)
{
    static const char *const apart[] = {"thesis-tbc", "qv100", "titanv", "rtx2080ti", "rtx4070", "h100"};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        if (strcmp(preset, apart[i]) == 0)
            return true;
    return false;
}

static void test_unit_sizes__are_the_contracts(void **state)
{
    static struct seen s;
    (void)state;
    for (const char *const *preset = cw_config_presets(); *preset != NULL; preset++) {
        s.preset = *preset;
        if (is_apart(s.preset))
            continue;
        for (uint32_t i = 0; i < cw_mech_cnt(); i++)
            build(&s, cw_mechs[i], NULL);
    }
    assert_true(s.units > 100);
    judge_clocks(&s, sizeof faster / sizeof faster[0]);
    uint32_t of_memory = 0;
    for (uint32_t i = 0; i < s.cnt; i++) {
        const bool expected = is_of_memory(s.line[i]) || is_part(s.line[i]);
        of_memory += expected;
        if (!expected && !IS_IN(differences, s.line[i]))
            fail_msg("%s: not what is synthesized; change the contract's default, or say here why", s.line[i]);
    }
    assert_int_equal(s.cnt - of_memory, sizeof differences / sizeof differences[0]); /* each one still is a difference */
}

/* The mechanisms of branch divergence have their units in each core, on the machine of their chapter. */
static void test_unit_sizes__of_branch_divergence(void **state)
{
    static const struct {
        const char *setting;
        uint32_t units;
    } t[] = {{"core.divergence=pdom", 0}, {"core.divergence=dwf", 30}, {"core.divergence=dwf-wb", 30}, {"core.divergence=tbc", 60}};
    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        struct seen s = {.preset = "thesis-tbc"};
        build(&s, NULL, t[i].setting);
        assert_int_equal(s.units, t[i].units);
        judge_clocks(&s, 0);
        if (s.cnt != 0)
            fail_msg("%s: not what is synthesized", s.line[0]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_unit_sizes__are_the_contracts),
    cmocka_unit_test(test_unit_sizes__of_branch_divergence),
};

CW_TEST_MAIN(tests)
