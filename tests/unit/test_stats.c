/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the machine and of mechanisms. */
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/stats.h"
#include "control/control.h"
#include "cw_test.h"
#include "mech/mechs.h"

/* Two made-up mechanisms with counters. This program's list of mechanisms has them behind the others, so the linker does not take the
 * library's. */
struct weave_counters {
    uint64_t rows, broken;
};
struct loom_counters {
    uint64_t widest;
};
static const struct cw_counter weave_table[] = {CW_COUNTER_SUM(rows, "rows", "rows woven")
                                                    CW_COUNTER_SHOWN(broken, "threads", "threads that broke")};
static const struct cw_ratio weave_ratios[] = {{"broken_per_row", "broken", "rows", 1.0, "threads", "broken / rows"}};
static const struct cw_counter_set weave_set = {"weave", weave_table, 2, weave_ratios, 1};
static const struct cw_counter loom_table[] = {CW_COUNTER_MAX(widest, "threads", "widest cloth")};
static const struct cw_counter_set loom_set = {.owner = "loom", .counter = loom_table, .counter_cnt = 1};
static const struct cw_counter_set *weave_sets[] = {&weave_set, NULL, NULL};
static const struct cw_counter_set *const loom_sets[] = {&weave_set, &loom_set, NULL};
static const struct cw_mech_exclusion loom_excludes[] = {{"getm", "both weave what a core stores"}, {NULL, NULL}};
static const struct cw_mech weave = {.name = "weave", .what = "made up", .counters = weave_sets};
static const struct cw_mech loom = {.name = "loom", .what = "made up", .counters = loom_sets, .excludes = loom_excludes};

extern const struct cw_mech cw_mech_getm, cw_mech_kilotm, cw_mech_warptm, cw_mech_warptm_el, cw_mech_eapg, cw_mech_ideal, cw_mech_serial;
const struct cw_control_ops *const cw_controls[] = {NULL};
const struct cw_mech *const cw_mechs[] = {
    &cw_mech_getm, &cw_mech_kilotm, &cw_mech_warptm, &cw_mech_warptm_el, &cw_mech_eapg, &cw_mech_ideal, &cw_mech_serial, &weave, &loom,
    NULL};

static void test_stats__the_machines_counters_come_first(void **state)
{
    (void)state;
    struct cw_stats stats = {.thread_instructions = 7, .dram_busy_cycles = 9};
    struct cw_error err;
    uint32_t i;
    assert_string_equal(cw_stats_counter(0)->name, "thread_instructions");
    assert_int_equal(*cw_stats_value(&stats, 0), 7);
    assert_int_equal(cw_stats_find(&i, "dram_busy_cycles", &err), CW_OK);
    assert_int_equal(*cw_stats_value(&stats, i), 9);
    assert_false(cw_stats_counter(i)->shown);
    assert_int_equal(cw_stats_find(&i, "blocks_finished", &err), CW_OK);
    assert_true(cw_stats_counter(i)->shown);
}

static void test_stats__a_mechanism_has_its_counters(void **state)
{
    (void)state;
    struct cw_stats stats = {.thread_instructions = 0};
    struct cw_error err;
    uint32_t i;
    struct weave_counters *w = cw_stats_own(&stats, &weave_set);
    struct loom_counters *l = cw_stats_own(&stats, &loom_set);
    w->rows = 3;
    w->broken = 4;
    cw_stat_max(&l->widest, 5);
    cw_stat_max(&l->widest, 2);
    assert_int_equal(cw_stats_find(&i, "rows", &err), CW_OK);
    assert_int_equal(i, cw_stats_count() - 3);
    assert_int_equal(*cw_stats_value(&stats, i), 3);
    assert_int_equal(*cw_stats_value(&stats, i + 1), 4);
    assert_int_equal(*cw_stats_value(&stats, i + 2), 5);
    assert_string_equal(cw_stats_counter(i + 1)->name, "broken");
    assert_true(cw_stats_counter(i + 1)->shown);
    assert_string_equal(cw_stats_counter(i + 2)->definition, "widest cloth (maximum)");
    assert_int_equal(stats.thread_instructions, 0);
}

static void test_stats__unknown_names_get_a_suggestion(void **state)
{
    (void)state;
    struct cw_error err;
    uint32_t i;
    assert_int_equal(cw_stats_find(&i, "wides", &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "did you mean 'widest'"));
}

static void test_stats__names_are_unique(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < cw_stats_count(); i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(cw_stats_counter(i)->name, cw_stats_counter(k)->name);
}

/* A ratio of a counter that does not exist could not be written. */
static void test_stats__ratios_name_counters(void **state)
{
    (void)state;
    struct cw_error err;
    uint32_t id, seen = 0;
    for (uint32_t n = 0; cw_program.counter_set_at(n) != NULL; n++)
        for (uint32_t i = 0; i < cw_program.counter_set_at(n)->ratio_cnt; i++, seen++) {
            const struct cw_ratio *r = &cw_program.counter_set_at(n)->ratio[i];
            if (strcmp(r->numerator, "cycles") != 0 && cw_stats_find(&id, r->numerator, &err) != CW_OK)
                fail_msg("%s: %s", r->name, err.text);
            if (strcmp(r->denominator, "cycles") != 0 && cw_stats_find(&id, r->denominator, &err) != CW_OK)
                fail_msg("%s: %s", r->name, err.text);
        }
    assert_true(seen > 0);
}

static void test_stats__too_many_counters_are_refused(void **state)
{
    (void)state;
    static const struct cw_counter_set large = {.owner = "carpet", .counter = weave_table, .counter_cnt = CW_STATS_OWN};
    struct cw_error err;
    assert_int_equal(cw_stats_check(&err), CW_OK);
    weave_sets[1] = &large;
    const int status = cw_stats_check(&err);
    weave_sets[1] = NULL;
    assert_int_equal(status, CW_EINVAL);
    assert_non_null(strstr(err.text, "carpet"));
    assert_non_null(strstr(err.text, "CW_STATS_OWN"));
}

static void assert_refused(const struct cw_mech *const *mechs, const char *why)
{
    struct cw_error err = {""};
    assert_int_equal(cw_mechs_check(mechs, &err), CW_EINVAL);
    if (strstr(err.text, why) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_mechs__what_cannot_be_combined(void **state)
{
    (void)state;
    struct cw_error err;
    assert_int_equal(cw_mechs_check((const struct cw_mech *const[]){NULL}, &err), CW_OK);
    assert_int_equal(cw_mechs_check((const struct cw_mech *const[]){&weave, &cw_mech_getm, NULL}, &err), CW_OK);
    assert_int_equal(cw_mechs_check((const struct cw_mech *const[]){&cw_mech_kilotm, &weave, &loom, NULL}, &err), CW_OK);
    assert_refused((const struct cw_mech *const[]){&cw_mech_getm, &weave, &loom, NULL}, "loom cannot be combined with getm: both weave");
    assert_refused((const struct cw_mech *const[]){&loom, &cw_mech_getm, NULL}, "loom cannot be combined with getm: both weave");
    assert_refused((const struct cw_mech *const[]){&cw_mech_getm, &weave, &cw_mech_serial, NULL}, "getm and serial");
    assert_refused((const struct cw_mech *const[]){&weave, &loom, &weave, NULL}, "weave is named twice");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stats__the_machines_counters_come_first),
    cmocka_unit_test(test_stats__a_mechanism_has_its_counters),
    cmocka_unit_test(test_stats__unknown_names_get_a_suggestion),
    cmocka_unit_test(test_stats__names_are_unique),
    cmocka_unit_test(test_stats__ratios_name_counters),
    cmocka_unit_test(test_stats__too_many_counters_are_refused),
    cmocka_unit_test(test_mechs__what_cannot_be_combined),
};
CW_TEST_MAIN(tests)
