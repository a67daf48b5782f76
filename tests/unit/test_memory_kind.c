/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU over another kind of partition (mem/service.h): a memory without caches, that serves a request in the cycle in which it comes. A kernel
 * finds the same bytes there as in the machine's own partitions. */
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"
#include "exec/exec.h"
#include "gpu/gpu.h"
#include "mem/address.h"
#include "mem/device_memory.h"
#include "ptx/ptx.h"

#define WORDS 4096u

/* ---- the memory ---- */

struct flat {
    struct cw_mem_config config;
    struct cw_component component;
    struct cw_message *reply; /* It waits for room in the crossbar. */
};

static uint32_t served; /* Requests of all flat memories. */

static void serve_line(struct flat *f, struct cw_message *m)
{
    struct cw_line_body *b = cw_line_body(m);
    if (m->kind == CW_MSG_READ)
        cw_memory_read(f->config.memory, m->addr, b->data, f->config.config->mem_line_bytes);
    else
        cw_memory_write_masked(f->config.memory, m->addr, b->data, b->byte_mask, f->config.config->mem_line_bytes);
}

static void serve_atomic(struct flat *f, struct cw_message *m)
{
    struct cw_atomic_body *b = cw_atomic_body(m);
    const uint32_t bytes = cw_type_bytes((enum cw_type)b->type);
    for (cw_lanes left = m->lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t i = cw_lanes_first(left);
        uint64_t old = 0;
        cw_memory_read(f->config.memory, m->addr + b->lane_offset[i], &old, bytes);
        const uint64_t value = cw_atomic_apply((enum cw_atom)b->atom, (enum cw_type)b->type, old, b->a[i], b->b[i]);
        cw_memory_write(f->config.memory, m->addr + b->lane_offset[i], &value, bytes);
        b->a[i] = old;
    }
}

static void serve(struct flat *f, struct cw_message *m)
{
    const struct cw_config *c = f->config.config;
    uint32_t payload = 0;
    served++;
    assert_int_equal(cw_address_partition(c, m->addr), f->config.index);
    if (m->kind == CW_MSG_ATOMIC)
        serve_atomic(f, m);
    else if (!m->timing_only)
        serve_line(f, m);
    if (m->kind == CW_MSG_WRITE && !m->needs_reply) {
        cw_message_free(f->config.pool, m);
        return;
    }
    if (m->kind == CW_MSG_READ)
        payload = CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(m->sectors);
    else if (m->kind == CW_MSG_ATOMIC && m->needs_reply)
        payload = 8 * cw_lanes_count(m->lanes);
    m->kind = m->kind == CW_MSG_READ                       ? CW_MSG_READ_REPLY
              : m->kind == CW_MSG_ATOMIC && m->needs_reply ? CW_MSG_ATOMIC_REPLY
                                                           : CW_MSG_WRITE_ACK;
    cw_message_size(m, payload, c->noc_header_bytes, c->noc_flit_bytes);
    f->reply = m;
}

static void tick(void *self, cw_time now)
{
    struct flat *f = self;
    const cw_time period = f->config.clocks->period[CW_DOMAIN_L2];
    if (f->reply == NULL && cw_crossbar_peek(f->config.up, f->config.index, now) != NULL)
        serve(f, cw_crossbar_pop(f->config.up, f->config.index, now));
    if (f->reply != NULL && cw_crossbar_can_push(f->config.down, f->config.index, f->reply->flits, now)) {
        cw_crossbar_push(f->config.down, f->config.index, f->reply, now);
        f->reply = NULL;
    }
    const cw_time next = f->reply != NULL ? now : cw_crossbar_next(f->config.up, f->config.index);
    f->component.wake = cw_time_max(next, now + period);
}

static bool idle(const void *self)
{
    return ((const struct flat *)self)->reply == NULL;
}

static const struct cw_component_ops component_ops = {.kind = "flat", .domain = CW_DOMAIN_L2, .tick = tick, .idle = idle};

static void destroy(void *self)
{
    free(self);
}

static uint32_t components(void *self, struct cw_component *list[CW_MEM_COMPONENTS])
{
    list[0] = &((struct flat *)self)->component;
    return 1;
}

static void queued(const void *self, uint32_t *l2, uint32_t *dram)
{
    *l2 = !idle(self);
    *dram = 0;
}

static const struct cw_mem_service_ops service_ops = {.kind = "flat", .destroy = destroy, .components = components, .queued = queued};

static int create(struct cw_mem_service *out, const struct cw_mem_config *config, struct cw_error *err)
{
    struct flat *f = calloc(1, sizeof *f);
    if (f == NULL)
        return cw_fail(err, CW_ENOMEM, "flat memory %u: out of host memory", config->index);
    f->config = *config;
    f->component = cw_component_of(&component_ops, f, config->index);
    cw_crossbar_on_arrival(config->up, config->index, &f->component.wake);
    *out = (struct cw_mem_service){&service_ops, f};
    return CW_OK;
}

static const struct cw_mem_kind flat_kind = {"flat", create};

/* ---- a kernel over it ---- */

/* out[i] = 3 * in[i]; sum += in[i]; the sum lies behind out. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum) {\n"
                           ".reg .u32 %r<8>; .reg .u64 %d<8>;\n"
                           "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; ld.param.u64 %d2, [sum];\n"
                           "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"
                           "mul.wide.u32 %d3, %r0, 4; add.u64 %d0, %d0, %d3; add.u64 %d1, %d1, %d3;\n"
                           "ld.global.u32 %r3, [%d0]; mul.lo.u32 %r4, %r3, 3; st.global.u32 [%d1], %r4;\n"
                           "atom.global.add.u32 %r5, [%d2], %r3; ret; }\n";

struct result {
    uint32_t out[WORDS], sum;
    uint64_t cycles, l2_reads;
    struct cw_error err;
    int status;
};

static void run(struct result *r, const struct cw_mem_kind *kind, bool reverse, uint64_t renew)
{
    struct cw_config config;
    struct cw_gpu *gpu;
    struct cw_module *m;
    uint32_t in[WORDS];
    uint64_t param[3];
    const bool local[3] = {false};
    memset(r, 0, sizeof *r);
    assert_int_equal(cw_config_preset(&config, "getm", &r->err), CW_OK);
    const struct cw_gpu_options options = {
        .config = &config, .partitions = kind, .seed = 1, .reverse_ticks = reverse, .renew_cycles = renew};
    assert_int_equal(cw_gpu_create(&gpu, &options, &r->err), CW_OK);
    if (cw_ptx_load(&m, text, strlen(text), "k.ptx", NULL, NULL, &r->err) != CW_OK ||
        cw_module_place(m, CW_GLOBAL_BASE, &r->err) != CW_OK || cw_exec_bind(&m->kernel[0], &r->err) != CW_OK)
        fail_msg("%s", r->err.text);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(cw_memory_alloc(cw_gpu_memory(gpu), &param[i], sizeof in, CW_REGION_GLOBAL, &r->err), CW_OK);
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * i + 7;
    cw_memory_write(cw_gpu_memory(gpu), param[0], in, sizeof in);
    const struct cw_gpu_request request = {
        .module = m, .kernel = &m->kernel[0], .grid = {WORDS / 256, 1, 1}, .block = {256, 1, 1}, .param = param, .local_size = local};
    r->status = cw_gpu_launch(gpu, &request, &r->err);
    cw_memory_read(cw_gpu_memory(gpu), param[1], r->out, sizeof r->out);
    cw_memory_read(cw_gpu_memory(gpu), param[2], &r->sum, sizeof r->sum);
    r->cycles = cw_gpu_cycles(gpu);
    r->l2_reads = cw_gpu_stats(gpu)->l2_reads;
    cw_gpu_destroy(gpu);
    cw_module_destroy(m);
}

static void expect(const struct result *r)
{
    uint32_t sum = 0;
    if (r->status != CW_OK)
        fail_msg("%s", r->err.text);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(r->out[i], 3 * (i * i + 7));
        sum += i * i + 7;
    }
    assert_int_equal(r->sum, sum);
}

static void test_memory_kind__serves_a_kernel(void **state)
{
    (void)state;
    static struct result own, flat, reversed;
    run(&own, NULL, false, 0);
    expect(&own);
    assert_true(own.l2_reads > 0 && served == 0);
    run(&flat, &flat_kind, false, 0);
    expect(&flat);
    assert_int_equal(flat.l2_reads, 0);
    assert_true(served >= 3 * WORDS / 32);
    assert_true(flat.cycles < own.cycles); /* no ROP delay, no misses */
    run(&reversed, &flat_kind, true, 0);
    expect(&reversed);
    assert_int_equal(reversed.cycles, flat.cycles);
}

/* A kind without a state says so by name. */
static void test_memory_kind__without_state_is_refused(void **state)
{
    (void)state;
    static struct result r;
    run(&r, &flat_kind, false, 50);
    assert_int_equal(r.status, CW_EUNSUP);
    assert_string_equal(r.err.text, "state of flat 0: it cannot be saved");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_memory_kind__serves_a_kernel),
    cmocka_unit_test(test_memory_kind__without_state_is_refused),
};

CW_TEST_MAIN(tests)
