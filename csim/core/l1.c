/* SPDX-License-Identifier: Apache-2.0 */
#include "core/l1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE UINT64_MAX

int cw_l1_create(struct cw_l1 *l1, uint32_t line_bytes, uint32_t bytes, uint32_t ways, uint32_t mshrs, uint32_t merge, struct cw_error *err)
{
    memset(l1, 0, sizeof *l1);
    l1->line_bytes = line_bytes;
    l1->ways = ways;
    l1->sets = bytes / (line_bytes * ways);
    if (l1->sets == 0 || bytes % (line_bytes * ways) != 0)
        return cw_fail(err, CW_EINVAL, "l1.bytes = %u is not a whole number of sets of %u ways of %u bytes", bytes, ways, line_bytes);
    l1->mshr_cnt = mshrs;
    l1->merge = merge;
    l1->line = calloc((size_t)l1->sets * ways, sizeof *l1->line);
    l1->mshr = calloc(mshrs, sizeof *l1->mshr);
    l1->waiters = calloc((size_t)mshrs * merge, sizeof *l1->waiters);
    if (l1->line == 0 || l1->mshr == 0 || l1->waiters == 0) {
        cw_l1_destroy(l1);
        return cw_fail(err, CW_ENOMEM, "no memory for the L1 cache");
    }
    for (uint32_t i = 0; i < mshrs; i++)
        l1->mshr[i].waiter = l1->waiters + (size_t)i * merge;
    cw_l1_reset(l1);
    return 0;
}

void cw_l1_destroy(struct cw_l1 *l1)
{
    free(l1->line);
    free(l1->mshr);
    free(l1->waiters);
    memset(l1, 0, sizeof *l1);
}

void cw_l1_reset(struct cw_l1 *l1)
{
    assert(l1->mshr_used == 0);
    for (uint32_t i = 0; i < l1->sets * l1->ways; i++) {
        struct cw_l1_line *e = &l1->line[i];
        e->line = NO_LINE;
        e->used = 0;
        e->valid[0] = e->valid[1] = e->dirty[0] = e->dirty[1] = 0;
        e->mshr = 0;
        e->global = false;
    }
    l1->clock = 0;
}

static struct cw_l1_line *set_of(const struct cw_l1 *l1, uint64_t line)
{
    uint64_t n = line / l1->line_bytes, sets = l1->sets;
    uint64_t folded = l1->linear ? n : n ^ (n / sets) ^ (n / sets / sets);
    return l1->line + (folded % sets) * l1->ways;
}

static struct cw_l1_line *find(const struct cw_l1 *l1, uint64_t line)
{
    struct cw_l1_line *set = set_of(l1, line);
    for (uint32_t w = 0; w < l1->ways; w++)
        if (set[w].line == line)
            return &set[w];
    return 0;
}

/* Least recently used line that waits for no miss; NULL when all do. */
static struct cw_l1_line *replaceable(const struct cw_l1 *l1, uint64_t line)
{
    struct cw_l1_line *set = set_of(l1, line), *best = 0;
    for (uint32_t w = 0; w < l1->ways; w++) {
        if (set[w].mshr != 0)
            continue;
        if (set[w].line == NO_LINE)
            return &set[w];
        if (best == 0 || set[w].used < best->used)
            best = &set[w];
    }
    return best;
}

/* A line for this address: HIT with *e, or EVICT with *e the dirty victim, or BUSY. */
static enum cw_l1_result allocate(struct cw_l1 *l1, uint64_t line, struct cw_l1_line **e)
{
    *e = replaceable(l1, line);
    if (*e == 0)
        return CW_L1_BUSY;
    if (((*e)->dirty[0] | (*e)->dirty[1]) != 0)
        return CW_L1_EVICT;
    (*e)->line = line;
    (*e)->global = false;
    (*e)->valid[0] = (*e)->valid[1] = 0;
    return CW_L1_HIT;
}

static struct cw_l1_mshr *outstanding(struct cw_l1 *l1, uint64_t line)
{
    for (uint32_t i = 0; l1->mshr_used != 0 && i < l1->mshr_cnt; i++)
        if (l1->mshr[i].used && l1->mshr[i].line == line)
            return &l1->mshr[i];
    return 0;
}

static enum cw_l1_result merge_into(struct cw_l1 *l1, struct cw_l1_mshr *m, const struct cw_l1_waiter *who)
{
    if (m->into == 0 || m->waiter_cnt == l1->merge)
        return CW_L1_BUSY;
    m->waiter[m->waiter_cnt++] = *who;
    return CW_L1_MERGED;
}

enum cw_l1_result cw_l1_read(struct cw_l1 *l1, uint64_t line, const uint64_t need[2], const struct cw_l1_waiter *who, uint8_t **data,
                             uint32_t *mshr, struct cw_l1_line **victim)
{
    struct cw_l1_line *e = find(l1, line);
    if (e != 0 && ((need[0] & ~e->valid[0]) | (need[1] & ~e->valid[1])) == 0) {
        e->used = ++l1->clock;
        *data = e->data;
        return CW_L1_HIT;
    }
    struct cw_l1_mshr *m = outstanding(l1, line);
    if (m != 0)
        return merge_into(l1, m, who);
    if (l1->mshr_used == l1->mshr_cnt)
        return CW_L1_BUSY;
    if (e == 0) {
        enum cw_l1_result r = allocate(l1, line, &e);
        *victim = e;
        if (r != CW_L1_HIT)
            return r;
    }
    uint32_t i = 0;
    while (l1->mshr[i].used)
        i++;
    m = &l1->mshr[i];
    m->line = line;
    m->into = e;
    m->used = true;
    m->waiter_cnt = 1;
    m->waiter[0] = *who;
    l1->mshr_used++;
    e->mshr = i + 1;
    e->global = who->global;
    e->used = ++l1->clock;
    *mshr = i;
    return CW_L1_MISS;
}

enum cw_l1_result cw_l1_write(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], uint8_t **data, bool *allocated,
                              struct cw_l1_line **victim)
{
    struct cw_l1_line *e = find(l1, line);
    *allocated = e == 0;
    if ((e != 0 && e->mshr != 0) || (e == 0 && outstanding(l1, line) != 0))
        return CW_L1_BUSY;
    if (e == 0) {
        enum cw_l1_result r = allocate(l1, line, &e);
        *victim = e;
        if (r != CW_L1_HIT)
            return r;
    }
    for (uint32_t i = 0; i < 2; i++) {
        e->valid[i] |= mask[i];
        e->dirty[i] |= mask[i];
    }
    e->used = ++l1->clock;
    *data = e->data;
    return CW_L1_HIT;
}

void cw_l1_clean(struct cw_l1_line *victim)
{
    victim->dirty[0] = victim->dirty[1] = 0;
}

void cw_l1_invalidate(struct cw_l1 *l1, uint64_t line)
{
    struct cw_l1_line *e = find(l1, line);
    if (e == 0)
        return;
    if (e->mshr != 0)
        l1->mshr[e->mshr - 1].into = 0;
    e->line = NO_LINE;
    e->mshr = 0;
    e->global = false;
    e->valid[0] = e->valid[1] = e->dirty[0] = e->dirty[1] = 0;
}

bool cw_l1_next_global(const struct cw_l1 *l1, uint32_t *at, uint64_t *line)
{
    const uint32_t lines = l1->sets * l1->ways;
    while (*at < lines && !l1->line[*at].global)
        ++*at;
    if (*at == lines)
        return false;
    *line = l1->line[(*at)++].line;
    return true;
}

const uint8_t *cw_l1_fill(struct cw_l1 *l1, uint32_t mshr, const uint8_t *data)
{
    struct cw_l1_mshr *m = &l1->mshr[mshr];
    assert(m->used);
    struct cw_l1_line *e = m->into;
    if (e == 0)
        return data;
    for (uint32_t b = 0; b < CW_LINE_BYTES; b++)
        if ((e->valid[b / 64] >> (b % 64) & 1u) == 0)
            e->data[b] = data[b];
    e->valid[0] = e->valid[1] = UINT64_MAX;
    e->mshr = 0;
    return e->data;
}

void cw_l1_release(struct cw_l1 *l1, uint32_t mshr)
{
    l1->mshr[mshr].used = false;
    l1->mshr_used--;
}
