/* SPDX-License-Identifier: Apache-2.0 */
/* What transactions in shared memory take: numbers of GPU-LocalTM, section 5 and Table 3, worked out by hand; and what suits a kernel. */
#include "mech/local/advice.h"
#include "mech/local/keys.h"
#include "ptx_fixture.h"

#include "cowarp/unit/bank_detector.h"

#define COMBINATION(detect, serial) ((detect)*CW_LOCAL_SERIALS + (serial))

static struct cw_config southern_islands(void)
{
    static const char *const settings[] = {"core.warp_width=64", "core.registers=65536", "core.shared_bytes=65536", "core.warps=40",
                                           "core.blocks=16"};
    struct cw_config config;
    struct cw_error err;
    assert_int_equal(cw_config_preset(&config, "getm", &err), CW_OK);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(cw_config_set(&config, settings[i], &err), CW_OK);
    return config;
}

static void expect_storage(uint32_t combination, uint32_t items, uint32_t vector, uint32_t scalar)
{
    const struct cw_config config = southern_islands();
    const struct cw_local_need n = cw_local_storage(&config, combination, items, 7281);
    assert_int_equal(n.vector_registers, vector);
    assert_int_equal(n.scalar_registers, scalar);
}

/* A work-group of 256: TCM 8 scalar registers, MCM 8, write signatures 4 x 32 = 128; signatures 256 x 32 x 8 bits = 2,048 vector registers;
 * S and M 14,562 bits = 456; who has no owner, 7,281 bits = 228. */
static void test_local_advice__storage(void **state)
{
    (void)state;
    expect_storage(COMBINATION(CW_LOCAL_DCD, 0), 256, 228, 8);
    expect_storage(COMBINATION(CW_LOCAL_DCD, CW_LOCAL_DESCENDING), 256, 228, 8);
    expect_storage(COMBINATION(CW_LOCAL_DCD, CW_LOCAL_MULTIPLE), 256, 228, 8 + 8);
    expect_storage(COMBINATION(CW_LOCAL_SMDCD, 0), 256, 228 + 456, 8);
    expect_storage(COMBINATION(CW_LOCAL_PRW_SIG, 0), 256, 228 + 2048, 8);
    expect_storage(COMBINATION(CW_LOCAL_SWO_SIG, CW_LOCAL_MULTIPLE), 256, 228 + 2048, 8 + 8 + 128);
    expect_storage(COMBINATION(CW_LOCAL_SWO_SIG, 0), 65, 228 + 1024, 4 + 64); /* the last wavefront counts as a whole one */
}

/* Words are in rows of 32 banks: data, backups, and owners four to a row. */
static void test_local_advice__shared_bytes(void **state)
{
    (void)state;
    const struct cw_config config = southern_islands();
    assert_int_equal(cw_local_storage(&config, 0, 256, 0).shared_bytes, 0);
    assert_int_equal(cw_local_storage(&config, 0, 256, 1).shared_bytes, 3 * 128);
    assert_int_equal(cw_local_storage(&config, 0, 256, 32 * 4).shared_bytes, (4 + 4 + 1) * 128);
    assert_int_equal(cw_local_storage(&config, 0, 256, 7264).shared_bytes, (227 + 227 + 57) * 128);
}

static struct cw_local_advice advise(const char *body, const struct cw_config *config, uint32_t items, uint32_t shared_bytes)
{
    struct cw_local_advice a;
    char text[4096];
    snprintf(text, sizeof text, "%s.extern .func tx_begin();\n.extern .func tx_commit();\n%s%s\nret;\n}\n", PX_HEAD,
             strstr(PX_START, ".visible"), body);
    struct cw_module *m = px_load(text);
    cw_local_advise(&a, config, &m->kernel[0], items, shared_bytes);
    cw_module_destroy(m);
    return a;
}

#define INCREMENT "call tx_begin; ld.shared.u32 %r1, [%r9]; add.u32 %r1, %r1, 1; st.shared.u32 [%r9], %r1; call tx_commit; "
#define LOOK      "call tx_begin; ld.shared.u32 %r1, [%r9]; call tx_commit; "
/* Takes a place that is empty: a way is read-only, and the other one writes what it read. */
#define TAKE \
    "call tx_begin; ld.shared.u32 %r1, [%r9]; setp.ne.u32 %p1, %r1, 0; @%p1 bra FULL; st.shared.u32 [%r9], %r2; FULL: call tx_commit; "
#define COPY  "call tx_begin; ld.shared.u32 %r1, [%r9]; st.shared.u32 [%r8], %r1; call tx_commit; "
#define COPY4 "call tx_begin; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r9]; st.shared.u32 [%r8], %r1; call tx_commit; "
#define ADD8                                                                                                                             \
    "call tx_begin; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r9]; st.shared.v4.u32 [%r9], {%r1, %r2, %r3, %r4}; ld.shared.v4.u32 {%r1, " \
    "%r2, %r3, %r4}, [%r9+16]; st.shared.v4.u32 [%r9+16], {%r1, %r2, %r3, %r4}; call tx_commit; "

static void expect_choice(const char *body, const struct cw_config *config, uint32_t combination)
{
    const struct cw_local_advice a = advise(body, config, 256, 4096);
    if (a.chosen != combination)
        fail_msg("combination %u, not %u (%s): %s", a.chosen, combination, a.why, body);
}

static void test_local_advice__choice(void **state)
{
    (void)state;
    struct cw_config config = southern_islands();
    struct cw_error err;
    expect_choice(LOOK, &config, COMBINATION(CW_LOCAL_SMDCD, CW_LOCAL_MULTIPLE));
    expect_choice(INCREMENT, &config, COMBINATION(CW_LOCAL_PRW_SIG, CW_LOCAL_MULTIPLE));
    expect_choice(INCREMENT LOOK, &config, COMBINATION(CW_LOCAL_SMDCD, CW_LOCAL_MULTIPLE));
    expect_choice(TAKE, &config, COMBINATION(CW_LOCAL_SWO_SIG, CW_LOCAL_MULTIPLE));
    expect_choice(ADD8, &config, COMBINATION(CW_LOCAL_PRW_SIG, CW_LOCAL_MULTIPLE));
    expect_choice(COPY, &config, COMBINATION(CW_LOCAL_SWO_SIG, 0));
    expect_choice(COPY4, &config, COMBINATION(CW_LOCAL_SMDCD, 0));
    /* LOOK lives on one register: 256 words, and 32 for 1,024 words without owner. No room for signatures. */
    assert_int_equal(cw_config_set(&config, "core.registers=2000", &err), CW_OK);
    expect_choice(LOOK, &config, COMBINATION(CW_LOCAL_SMDCD, CW_LOCAL_MULTIPLE));
    expect_choice(TAKE, &config, COMBINATION(CW_LOCAL_DCD, CW_LOCAL_MULTIPLE));
    expect_choice(INCREMENT, &config, COMBINATION(CW_LOCAL_DCD, CW_LOCAL_MULTIPLE));
}

/* What one work-group has too little of, and the work-groups that remain: the least of all resources. */
static void test_local_advice__room(void **state)
{
    (void)state;
    struct cw_config config = southern_islands();
    struct cw_error err;
    struct cw_local_advice a = advise(LOOK, &config, 256, 4096);
    assert_int_equal(a.alone.need.vector_registers, 256);
    assert_int_equal(a.alone.groups, 10);                    /* 40 wavefronts */
    assert_int_equal(a.line[0].need.shared_bytes, 72 * 128); /* 32 rows of data, 32 of backups, 8 of owners */
    assert_int_equal(a.line[0].groups, 7);
    assert_null(a.line[0].lacks);
    a = advise(LOOK, &config, 256, 4 * 7281);
    assert_string_equal(a.line[0].lacks, "shared memory");
    assert_int_equal(a.line[0].groups, 0);
    assert_int_equal(a.alone.groups, 2);
    assert_int_equal(a.chosen, CW_LOCAL_COMBINATIONS);
    a = advise(LOOK, &config, 320, 4096);
    assert_string_equal(a.line[0].lacks, "numbers of work-items");
    assert_int_equal(cw_config_set(&config, "ltm.scalar_registers=100", &err), CW_OK);
    a = advise(LOOK, &config, 256, 4096);
    assert_string_equal(a.line[COMBINATION(CW_LOCAL_SWO_SIG, 0)].lacks, "scalar registers");
    assert_null(a.line[COMBINATION(CW_LOCAL_PRW_SIG, 0)].lacks);
    assert_int_equal(a.chosen, COMBINATION(CW_LOCAL_SMDCD, CW_LOCAL_MULTIPLE));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_advice__storage),
        cmocka_unit_test(test_local_advice__shared_bytes),
        cmocka_unit_test(test_local_advice__choice),
        cmocka_unit_test(test_local_advice__room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
