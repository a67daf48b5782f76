/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host without memory for messages: whichever allocation of the pool fails, in whichever system, the run ends with an error that says
 * why. It never crashes, and never ends well. The pool is compiled into this file, with an allocator that fails when it is told to.
 */
#include <stdint.h>
#include <stdlib.h>

static uint32_t allocations, failing_from; /* so far; the number of the first that fails, 0: none */

static void *chunk(size_t bytes)
{
    return ++allocations >= failing_from && failing_from != 0 ? NULL : malloc(bytes);
}

#define CHUNK_MESSAGES 4u
#define malloc         chunk
#include "msg/message.c"
#undef malloc

#include "cw_test.h"
#include "system/run.h"

static const struct run small[] = {
    {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .param = {"blocks=4", "buckets=100"}},
    {.workload = "ht-h",
     .system = "getm",
     .variant = COWARP_TX,
     .settings = {"getm.commit_acks=on", "getm.ts_bits=18", "core.count=2"},
     .param = {"blocks=4", "buckets=20"}},
    {.workload = "ht-h", .system = "kilotm", .variant = COWARP_TX, .param = {"blocks=3", "buckets=50"}},
    {.workload = "ht-h", .system = "warptm", .variant = COWARP_TX, .param = {"blocks=3", "buckets=50"}},
    {.workload = "ht-h", .system = "eapg", .variant = COWARP_TX, .param = {"blocks=3", "buckets=50"}},
    {.workload = "ht-h", .system = "warptm-el", .variant = COWARP_TX, .param = {"blocks=3", "buckets=50"}},
    {.workload = "ht-h", .system = "ideal", .variant = COWARP_TX, .param = {"blocks=3", "buckets=50"}},
    {.workload = "ht-h", .system = "serial", .variant = COWARP_TX, .param = {"blocks=2", "buckets=50"}},
    {.workload = "ht-h", .variant = COWARP_FGLOCK, .param = {"blocks=3", "buckets=50"}},
    {.workload = "gc-lc", .system = "localtm", .preset = "localtm", .variant = COWARP_TX, .param = {"groups=2"}},
    {.workload = "ll-2", .system = "sitm-ts", .preset = "si-tm", .variant = COWARP_TX, .param = {"threads=64"}},
    {.workload = "laplace", .variant = COWARP_PLAIN, .preset = "gtx480", .param = {"n=16"}},
    {.workload = "gpkvs", .variant = COWARP_PLAIN, .preset = "sbrp-near", .persistency = "sbrp", .param = {"pairs=512", "buckets=1024"}},
};

/* Runs it with that allocation and all later ones failing. Returns how many there were. */
static uint32_t run_failing(struct run r, uint32_t from)
{
    allocations = 0;
    failing_from = from;
    run_workload(&r);
    if (from == 0 || allocations < from) {
        if (r.status != COWARP_OK)
            fail_msg("%s %s: %s", r.workload, r.system != NULL ? r.system : "none", r.message);
    } else if (r.status != COWARP_ENOMEM || strstr(r.message, "out of host memory for messages") == NULL) {
        fail_msg("%s %s, allocation %u: status %d, '%s'", r.workload, r.system != NULL ? r.system : "none", from, r.status, r.message);
    }
    return allocations;
}

static void test_message_memory__every_allocation_may_fail(void **state)
{
    uint32_t failed = 0;
    (void)state;
    for (uint32_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        const uint32_t cnt = run_failing(small[i], 0);
        /* each of a small run; of a larger one so many, spread over it */
        for (uint32_t k = 1; k <= cnt; k += 1 + cnt / 24, failed++)
            run_failing(small[i], k);
    }
    assert_true(failed > 100);
    printf("%u failing allocations\n", failed);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_message_memory__every_allocation_may_fail)};
CW_TEST_MAIN(tests)
