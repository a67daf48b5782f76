/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/port/expected_writes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/machine.h"
#include "unit/h3.h"

#define KEY_W 28u /* 128-byte blocks of 32 GiB */

struct cw_kilo_expected {
    struct cw_h3x4 hash;
    uint32_t counters;
    uint32_t counter[]; /* the hardware's 8 bits saturate into "always expected"; here they never do */
};

struct cw_kilo_expected *cw_kilo_expected_create(uint32_t counters, uint32_t granule_bytes)
{
    struct cw_kilo_expected *e = calloc(1, sizeof *e + counters * sizeof e->counter[0]);
    if (e == NULL)
        return NULL;
    e->counters = counters;
    cw_h3x4_init(&e->hash, KEY_W + (uint32_t)__builtin_ctz(CW_LINE_BYTES / granule_bytes), 16);
    return e;
}

void cw_kilo_expected_destroy(struct cw_kilo_expected *e)
{
    free(e);
}

static uint32_t index_of(const struct cw_kilo_expected *e, uint64_t block)
{
    return (uint32_t)cw_h3x4(&e->hash, block) & (e->counters - 1);
}

void cw_kilo_expected_add(struct cw_kilo_expected *e, uint64_t block, int change)
{
    uint32_t *c = e->counter + index_of(e, block);
    assert(change > 0 || *c > 0);
    *c += (uint32_t)change;
}

bool cw_kilo_expected_has(const struct cw_kilo_expected *e, uint64_t block)
{
    return e->counter[index_of(e, block)] != 0;
}

void cw_kilo_expected_state(struct cw_state *s, struct cw_kilo_expected *e)
{
    cw_state_array(s, "expected", e->counter, e->counters, sizeof e->counter[0]);
}
