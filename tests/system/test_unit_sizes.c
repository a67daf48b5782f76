/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs is what is synthesized, proved and tested: in each preset, each system asks for units of their contracts' default parameters.
 * Where it does not, the table says in which parameter.
 */
#include <stdio.h>
#include <string.h>

#include "cw_test.h"
#include "gpu/gpu.h"
#include "mech/mechs.h"

#define DIFFERENCES 96

struct seen {
    const char *preset;
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

static int open_and_compare(void *context, const struct cw_unit *unit, const char *name, const void *params,
                            struct cw_unit_instance *instance, struct cw_error *err)
{
    struct seen *s = context;
    s->units++;
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
    const struct cw_gpu_options options = {.config = &config, .mechs = mechs, .units = &units};
    if (cw_gpu_create(&gpu, &options, &err) != CW_OK)
        fail_msg("%s, %s: %s", s->preset, system != NULL ? system->name : setting, err.text);
    cw_gpu_destroy(gpu);
}

/* Machines whose papers state another size, or have other numbers of partitions or longer rows; and the idealised systems' ring, which has no
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
    "thesis-kilotm scalable_reader_list entries 10982",
    "getm-56 scalable_reader_list entries 10982",
    "gtx480 scalable_reader_list entries 7321",
    "gpgpusim-gtx480 scalable_reader_list entries 7321",
    "getm-artifact conflict_address_table ways 6",
    "getm-artifact conflict_address_table set_w 6",
};

/* Rows of a DRAM are numbered in as many bits as the machine's memory needs; the units are synthesized for 2^20. */
static bool is_of_memory(const char *line)
{
    return strstr(line, " row_w ") != NULL || strstr(line, " stride_w ") != NULL;
}

static bool is_known(const char *line)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
        if (strcmp(differences[i], line) == 0)
            return true;
    return false;
}

static void test_unit_sizes__are_the_contracts(void **state)
{
    static struct seen s;
    (void)state;
    for (const char *const *preset = cw_config_presets(); *preset != NULL; preset++) {
        s.preset = *preset;
        for (uint32_t i = 0; strcmp(s.preset, "thesis-tbc") != 0 && i < cw_mech_cnt(); i++) /* no system works on its lines */
            build(&s, cw_mechs[i], NULL);
    }
    assert_true(s.units > 100);
    uint32_t of_memory = 0;
    for (uint32_t i = 0; i < s.cnt; i++) {
        of_memory += is_of_memory(s.line[i]);
        if (!is_of_memory(s.line[i]) && !is_known(s.line[i]))
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
        if (s.cnt != 0)
            fail_msg("%s: not what is synthesized", s.line[0]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_unit_sizes__are_the_contracts),
    cmocka_unit_test(test_unit_sizes__of_branch_divergence),
};

CW_TEST_MAIN(tests)
