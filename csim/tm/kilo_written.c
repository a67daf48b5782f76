/* SPDX-License-Identifier: Apache-2.0 */
#include "tm/kilo_written.h"

#include <assert.h>
#include <stdlib.h>

#include "unit/h3.h"

#define WAYS  4u
#define KEY_W 28u /* 128-byte blocks of 32 GiB */

struct cw_kilo_written {
    uint32_t rows, counters;
    uint64_t *time;    /* [way][row] */
    uint32_t *counter; /* the hardware's 8 bits saturate into "always expected"; here they never do */
    struct cw_h3x4 hash;
};

struct cw_kilo_written *cw_kilo_written_create(uint32_t rows, uint32_t counters)
{
    struct cw_kilo_written *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->rows = rows;
    w->counters = counters;
    w->time = calloc((size_t)rows * WAYS, sizeof *w->time);
    w->counter = calloc(counters, sizeof *w->counter);
    cw_h3x4_init(&w->hash, KEY_W, 16);
    if (w->time != NULL && w->counter != NULL)
        return w;
    cw_kilo_written_destroy(w);
    return NULL;
}

void cw_kilo_written_destroy(struct cw_kilo_written *w)
{
    if (w == NULL)
        return;
    free(w->time);
    free(w->counter);
    free(w);
}

void cw_kilo_written_enter(struct cw_kilo_written *w, uint64_t block, uint64_t time)
{
    uint64_t hashes = cw_h3x4(&w->hash, block);
    for (uint32_t way = 0; way < WAYS; way++)
        w->time[way * w->rows + ((hashes >> 16 * way) & (w->rows - 1))] = time;
}

uint64_t cw_kilo_written_find(const struct cw_kilo_written *w, uint64_t block)
{
    uint64_t hashes = cw_h3x4(&w->hash, block), oldest = UINT64_MAX;
    for (uint32_t way = 0; way < WAYS; way++) {
        uint64_t t = w->time[way * w->rows + ((hashes >> 16 * way) & (w->rows - 1))];
        oldest = t < oldest ? t : oldest;
    }
    return oldest;
}

static uint32_t *counter_of(const struct cw_kilo_written *w, uint64_t block)
{
    return w->counter + (cw_h3x4(&w->hash, block) & (w->counters - 1));
}

void cw_kilo_written_expect(struct cw_kilo_written *w, uint64_t block, int change)
{
    uint32_t *c = counter_of(w, block);
    assert(change > 0 || *c > 0);
    *c += (uint32_t)change;
}

bool cw_kilo_written_expected(const struct cw_kilo_written *w, uint64_t block)
{
    return *counter_of(w, block) != 0;
}
