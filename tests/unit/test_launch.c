/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are refused because the GPU lacks a mechanism. The module has been read: only its launch needs the mechanism. */
#include <string.h>

#include "cw_test.h"
#include "exec/exec.h"
#include "gpu/gpu.h"
#include "mech/mechs.h"
#include "mech/tm/tm.h"
#include "ptx/ptx.h"

#define HEAD \
    ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func persist();\n.extern .func tx_begin();\n.extern .func tx_commit();\n"

static const struct cw_intrinsic own[] = {
    {.name = "persist", .role = CW_INTRINSIC_CALL, .what = "waits until stores are durable"},
    {.name = NULL},
};
static const struct cw_intrinsic *const intrinsics[] = {own, cw_tm_intrinsics, NULL};

/* Runs kernel k of one thread under the system; the text of the error, "" when it runs. */
static struct cw_error launch(const char *text, const struct cw_mech *system, int *status)
{
    struct cw_config config;
    struct cw_error err = {""};
    struct cw_gpu *gpu;
    struct cw_module *m;
    bool local = false;
    assert_int_equal(cw_config_preset(&config, "getm", &err), CW_OK);
    assert_int_equal(
        cw_gpu_create(&gpu, &(struct cw_gpu_options){.config = &config, .mechs = (const struct cw_mech *const[]){system, NULL}, .seed = 1},
                      &err),
        CW_OK);
    if (cw_ptx_load(&m, text, strlen(text), "k.ptx", intrinsics, NULL, &err) != CW_OK ||
        cw_module_place(m, CW_GLOBAL_BASE, &err) != CW_OK || cw_exec_bind(&m->kernel[0], &err) != CW_OK)
        fail_msg("%s", err.text);
    const struct cw_gpu_request request = {
        .module = m, .kernel = &m->kernel[0], .grid = {1, 1, 1}, .block = {1, 1, 1}, .param = "", .local_size = &local};
    *status = cw_gpu_launch(gpu, &request, &err);
    cw_gpu_destroy(gpu);
    cw_module_destroy(m);
    return err;
}

static void test_launch__names_the_missing_mechanism(void **state)
{
    (void)state;
    int status;
    const char tx[] = HEAD ".entry k() { call tx_begin; call tx_commit; ret; }";
    const char both[] = HEAD ".entry k() { call tx_begin; call tx_commit; call persist; ret; }";
    struct cw_error err = launch(tx, NULL, &status);
    assert_int_equal(status, CW_EINVAL);
    assert_string_equal(err.text, "k: the kernel uses transactions; choose a transactional system ('cowarp list' shows all)");
    err = launch(tx, cw_mech_find("getm"), &status);
    assert_string_equal(err.text, "");
    assert_int_equal(status, CW_OK);
    err = launch(both, cw_mech_find("getm"), &status);
    assert_int_equal(status, CW_EINVAL);
    assert_string_equal(err.text,
                        "k: the kernel calls persist (waits until stores are durable), which no mechanism of this GPU carries out");
}

/* Who asks for the occupancy and then launches has the launch worked out once, whatever its parameters hold. */
static void test_launch__is_worked_out_once(void **state)
{
    (void)state;
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u32 a) { ret; }";
    struct cw_config config;
    struct cw_error err = {""};
    struct cw_gpu_occupancy o;
    struct cw_gpu *gpu;
    struct cw_module *m;
    uint32_t a = 0;
    bool local = false;
    assert_int_equal(cw_config_preset(&config, "getm", &err), CW_OK);
    assert_int_equal(cw_gpu_create(&gpu, &(struct cw_gpu_options){.config = &config, .seed = 1}, &err), CW_OK);
    assert_int_equal(cw_ptx_load(&m, text, strlen(text), "k.ptx", intrinsics, NULL, &err), CW_OK);
    assert_int_equal(cw_module_place(m, CW_GLOBAL_BASE, &err), CW_OK);
    assert_int_equal(cw_exec_bind(&m->kernel[0], &err), CW_OK);
    struct cw_gpu_request q = {
        .module = m, .kernel = &m->kernel[0], .grid = {1, 1, 1}, .block = {32, 1, 1}, .param = &a, .local_size = &local};
    for (a = 0; a < 3; a++) {
        assert_int_equal(cw_gpu_occupancy(gpu, &o, &q, &err), CW_OK);
        assert_int_equal(o.threads, 32);
        assert_int_equal(cw_gpu_launch(gpu, &q, &err), CW_OK);
        assert_int_equal(cw_gpu_descriptions(gpu), 1);
    }
    q.block[0] = 64;
    assert_int_equal(cw_gpu_occupancy(gpu, &o, &q, &err), CW_OK);
    assert_int_equal(o.threads, 64);
    assert_int_equal(cw_gpu_launch(gpu, &q, &err), CW_OK);
    assert_int_equal(cw_gpu_descriptions(gpu), 2);
    q.block[0] = 2048;
    assert_int_equal(cw_gpu_launch(gpu, &q, &err), CW_EINVAL);
    q.block[0] = 64;
    local = true; /* Its value, a size, becomes an offset: each one anew. */
    assert_int_equal(cw_gpu_occupancy(gpu, &o, &q, &err), CW_OK);
    assert_int_equal(cw_gpu_launch(gpu, &q, &err), CW_OK);
    assert_int_equal(cw_gpu_descriptions(gpu), 5);
    local = false;
    assert_int_equal(cw_gpu_reset(gpu, &err), CW_OK);
    assert_int_equal(cw_gpu_launch(gpu, &q, &err), CW_OK);
    assert_int_equal(cw_gpu_descriptions(gpu), 6);
    cw_gpu_destroy(gpu);
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_launch__is_worked_out_once),
    cmocka_unit_test(test_launch__names_the_missing_mechanism),
};

CW_TEST_MAIN(tests)
