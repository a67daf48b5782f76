/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cache/l1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE CW_CACHE_EMPTY

int cw_l1_create(struct cw_l1 *l1, uint32_t line_bytes, uint32_t bytes, uint32_t ways, enum cw_replacement policy, uint32_t mshrs,
                 uint32_t merge, struct cw_error *err)
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
    l1->dirty_words = (l1->sets * ways + 63) / 64;
    l1->dirty = calloc(l1->dirty_words, sizeof *l1->dirty);
    if (l1->line == NULL || l1->mshr == NULL || l1->waiters == NULL || l1->dirty == NULL ||
        cw_cache_array_create(&l1->array, l1->sets, ways, policy, NULL) != CW_OK) {
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
    free(l1->dirty);
    cw_cache_array_destroy(&l1->array);
    memset(l1, 0, sizeof *l1);
}

/* ---- lines ---- */

void cw_l1_reset(struct cw_l1 *l1)
{
    assert(l1->mshr_used == 0);
    for (uint32_t i = 0; i < l1->sets * l1->ways; i++) {
        struct cw_l1_line *e = &l1->line[i];
        e->line = NO_LINE;
        e->valid[0] = e->valid[1] = e->dirty[0] = e->dirty[1] = 0;
        e->mshr = 0;
        e->global = e->stale = false;
    }
    for (uint32_t i = 0; i < l1->dirty_words; i++)
        l1->dirty[i] = 0;
    cw_cache_array_reset(&l1->array);
}

static uint32_t set_number(const struct cw_l1 *l1, uint64_t line)
{
    uint64_t n = line / l1->line_bytes, sets = l1->sets;
    uint64_t folded = l1->linear ? n : n ^ (n / sets) ^ (n / sets / sets);
    return (uint32_t)(folded % sets);
}

struct cw_l1_line *cw_l1_find(const struct cw_l1 *l1, uint64_t line)
{
    const uint32_t i = cw_cache_array_find(&l1->array, set_number(l1, line), line);
    return i != CW_CACHE_NONE ? &l1->line[i] : NULL;
}

/* The line gets an address; NO_LINE: it loses its. */
static void name(struct cw_l1 *l1, struct cw_l1_line *e, uint64_t line)
{
    cw_cache_array_name(&l1->array, cw_l1_index(l1, e), line);
    e->line = line;
}

/* A miss is under way for the line, or none any more. */
static void set_mshr(struct cw_l1 *l1, struct cw_l1_line *e, uint32_t mshr)
{
    e->mshr = mshr;
    l1->array.pinned[cw_l1_index(l1, e)] = mshr != 0;
}

static void use(struct cw_l1 *l1, struct cw_l1_line *e, bool is_new)
{
    if (is_new)
        cw_cache_array_filled(&l1->array, cw_l1_index(l1, e));
    else
        cw_cache_array_hit(&l1->array, cw_l1_index(l1, e));
}

/* A line for this address: HIT with *e, or EVICT with *e the dirty victim, or BUSY. */
static enum cw_l1_result allocate(struct cw_l1 *l1, uint64_t line, struct cw_l1_line **e)
{
    const uint32_t i = cw_cache_array_victim(&l1->array, set_number(l1, line));
    *e = i != CW_CACHE_NONE ? &l1->line[i] : NULL;
    if (*e == NULL)
        return CW_L1_BUSY;
    if (cw_l1_is_dirty(*e))
        return CW_L1_EVICT;
    name(l1, *e, line);
    (*e)->global = (*e)->stale = false;
    (*e)->valid[0] = (*e)->valid[1] = 0;
    return CW_L1_HIT;
}

static struct cw_l1_mshr *outstanding(struct cw_l1 *l1, uint64_t line)
{
    for (uint32_t i = 0; l1->mshr_used != 0 && i < l1->mshr_cnt; i++)
        if (l1->mshr[i].used && l1->mshr[i].line == line)
            return &l1->mshr[i];
    return NULL;
}

/* What a miss of those bytes fetches. */
static uint8_t to_fetch(const struct cw_l1 *l1, const struct cw_l1_line *e, const uint64_t need[2])
{
    const uint64_t missing[2] = {need[0] & ~(e != NULL ? e->valid[0] : 0), need[1] & ~(e != NULL ? e->valid[1] : 0)};
    const uint8_t all = (uint8_t)((1u << l1->line_bytes / CW_SECTOR_BYTES) - 1);
    return l1->sectored ? cw_l1_sectors(missing) & all : all;
}

/* The request joins those that wait for the line; what it lacks beyond theirs is asked for. */
static enum cw_l1_result wait_in(struct cw_l1_mshr *m, const struct cw_l1_waiter *who, const uint64_t need[2], uint8_t fetch)
{
    m->ask = fetch & (uint8_t)~m->fetching;
    m->needed[0] |= need[0];
    m->needed[1] |= need[1];
    m->fetching |= m->ask;
    m->waiter[m->waiter_cnt] = *who;
    m->waiter[m->waiter_cnt++].sectors = cw_l1_sectors(need);
    return m->ask != 0 ? CW_L1_MISS : CW_L1_MERGED;
}

enum cw_l1_result cw_l1_read(struct cw_l1 *l1, uint64_t line, const uint64_t need[2], const struct cw_l1_waiter *who, uint8_t **data,
                             uint32_t *mshr, struct cw_l1_line **victim)
{
    struct cw_l1_line *e = cw_l1_find(l1, line);
    if (e != NULL && e->stale)
        return CW_L1_BUSY;
    const bool is_new = e == NULL;
    if (e != NULL && ((need[0] & ~e->valid[0]) | (need[1] & ~e->valid[1])) == 0) {
        cw_cache_array_hit(&l1->array, cw_l1_index(l1, e));
        *data = e->data;
        return CW_L1_HIT;
    }
    struct cw_l1_mshr *m = outstanding(l1, line);
    if (m != NULL && (m->into == NULL || m->waiter_cnt == l1->merge))
        return CW_L1_BUSY;
    if (m != NULL) {
        *mshr = (uint32_t)(m - l1->mshr);
        return wait_in(m, who, need, to_fetch(l1, e, need));
    }
    if (l1->mshr_used == l1->mshr_cnt)
        return CW_L1_BUSY;
    if (e == NULL) {
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
    m->waiter_cnt = 0;
    m->fetching = 0;
    m->needed[0] = m->needed[1] = 0;
    l1->mshr_used++;
    set_mshr(l1, e, i + 1);
    e->global = who->global;
    use(l1, e, is_new);
    *mshr = i;
    return wait_in(m, who, need, to_fetch(l1, e, need));
}

/* Whether a write of those bytes has to let older reads of the line go first. */
static bool overtakes(const struct cw_l1 *l1, const struct cw_l1_line *e, const uint64_t mask[2])
{
    if (e->mshr == 0 || (!l1->sectored && !l1->around))
        return e->mshr != 0;
    const struct cw_l1_mshr *m = &l1->mshr[e->mshr - 1];
    uint8_t needed = 0;
    if (l1->around)
        return ((m->needed[0] & mask[0]) | (m->needed[1] & mask[1])) != 0;
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        needed |= m->waiter[i].sectors;
    return (needed & cw_l1_sectors(mask)) != 0;
}

enum cw_l1_result cw_l1_reserve(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], struct cw_l1_line **e, struct cw_l1_line **victim)
{
    *e = cw_l1_find(l1, line);
    if (*e != NULL ? overtakes(l1, *e, mask) : outstanding(l1, line) != NULL)
        return CW_L1_BUSY;
    if (*e != NULL)
        return CW_L1_HIT;
    const enum cw_l1_result r = allocate(l1, line, e);
    *victim = *e;
    return r;
}

enum cw_l1_result cw_l1_write(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], bool global, uint8_t **data, bool *allocated,
                              struct cw_l1_line **victim)
{
    struct cw_l1_line *e;
    const enum cw_l1_result r = cw_l1_reserve(l1, line, mask, &e, victim);
    if (r != CW_L1_HIT)
        return r;
    *allocated = (e->valid[0] | e->valid[1]) == 0;
    for (uint32_t i = 0; i < 2; i++) {
        e->valid[i] |= mask[i];
        e->dirty[i] |= mask[i];
    }
    if (global) {
        const uint32_t i = cw_l1_index(l1, e);
        e->global = true;
        l1->dirty[i / 64] |= UINT64_C(1) << i % 64;
    }
    use(l1, e, *allocated);
    *data = e->data;
    return CW_L1_HIT;
}

void cw_l1_clean(struct cw_l1 *l1, struct cw_l1_line *victim)
{
    const uint32_t i = cw_l1_index(l1, victim);
    victim->dirty[0] = victim->dirty[1] = 0;
    l1->dirty[i / 64] &= ~(UINT64_C(1) << i % 64);
}

struct cw_l1_line *cw_l1_next_dirty(const struct cw_l1 *l1, uint32_t *at)
{
    for (uint32_t word = *at / 64; word < l1->dirty_words; word++) {
        const uint64_t below = word == *at / 64 ? (UINT64_C(1) << *at % 64) - 1 : 0, left = l1->dirty[word] & ~below;
        if (left == 0)
            continue;
        *at = 64 * word + (uint32_t)__builtin_ctzll(left) + 1;
        return &l1->line[*at - 1];
    }
    return NULL;
}

/* What a miss brings is not installed. Its waiters, which are older, are served from the register. */
static void pass_by(struct cw_l1_mshr *m)
{
    memcpy(m->data, m->into->data, sizeof m->data);
    m->into = NULL;
}

void cw_l1_invalidate(struct cw_l1 *l1, uint64_t line)
{
    struct cw_l1_line *e = cw_l1_find(l1, line);
    if (e == NULL)
        return;
    if (e->mshr != 0)
        pass_by(&l1->mshr[e->mshr - 1]);
    name(l1, e, NO_LINE);
    set_mshr(l1, e, 0);
    e->global = e->stale = false;
    e->valid[0] = e->valid[1] = 0;
    cw_l1_clean(l1, e);
}

void cw_l1_forget(struct cw_l1 *l1, struct cw_l1_line *e)
{
    if (e->mshr != 0 && (e->valid[0] | e->valid[1]) != 0) {
        e->stale = true; /* its valid bytes, of this core's stores, are younger than what comes */
    } else if (cw_l1_is_dirty(e)) {
        e->valid[0] = e->dirty[0];
        e->valid[1] = e->dirty[1];
    } else if (e == l1->held) {
        e->valid[0] = e->valid[1] = 0;
    } else {
        cw_l1_invalidate(l1, e->line);
    }
}

struct cw_l1_line *cw_l1_next_global(const struct cw_l1 *l1, uint32_t *at)
{
    const uint32_t lines = l1->sets * l1->ways;
    while (*at < lines && !l1->line[*at].global)
        ++*at;
    return *at < lines ? &l1->line[(*at)++] : NULL;
}

/* Bytes of those sectors; of all, also those beyond the end of a short line. */
static void bytes_of(uint8_t sectors, uint8_t all, uint64_t bytes[2])
{
    for (uint32_t i = 0; i < 2; i++)
        bytes[i] = sectors == all ? UINT64_MAX
                                  : (sectors >> 2 * i & 1u ? UINT32_MAX : 0) | (sectors >> 2 * i & 2u ? (uint64_t)UINT32_MAX << 32 : 0);
}

static void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    if (bytes == UINT64_MAX) {
        memcpy(to, from, 64);
        return;
    }
    for (; bytes != 0; bytes &= bytes - 1)
        to[__builtin_ctzll(bytes)] = from[__builtin_ctzll(bytes)];
}

const uint8_t *cw_l1_fill(struct cw_l1 *l1, uint32_t mshr, uint8_t sectors, const uint8_t *data)
{
    struct cw_l1_mshr *m = &l1->mshr[mshr];
    struct cw_l1_line *e = m->into;
    uint64_t passed[2] = {0, 0}, *valid = e != NULL ? e->valid : passed, come[2];
    uint8_t *to = e != NULL ? e->data : m->data;
    assert(m->used && (m->fetching & sectors) == sectors);
    bytes_of(sectors, (uint8_t)((1u << l1->line_bytes / CW_SECTOR_BYTES) - 1), come);
    for (uint32_t i = 0; i < CW_LINE_BYTES / 64; i++) {
        copy_bytes(to + 64 * i, data + 64 * i, come[i] & ~valid[i]);
        valid[i] |= come[i];
    }
    m->fetching = m->fetching & (uint8_t)~sectors;
    if (e != NULL && m->fetching == 0)
        set_mshr(l1, e, 0);
    return to;
}

uint32_t cw_l1_take_served(struct cw_l1_mshr *m, struct cw_l1_waiter *served)
{
    uint32_t left = 0, cnt = 0;
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        if ((m->waiter[i].sectors & m->fetching) == 0)
            served[cnt++] = m->waiter[i];
        else
            m->waiter[left++] = m->waiter[i];
    m->waiter_cnt = left;
    return cnt;
}

void cw_l1_release(struct cw_l1 *l1, uint32_t mshr)
{
    struct cw_l1_mshr *m = &l1->mshr[mshr];
    struct cw_l1_line *e = m->into;
    if (m->fetching != 0)
        return;
    if (e != NULL && e->stale) {
        e->stale = false;
        cw_l1_forget(l1, e);
    }
    m->used = false;
    l1->mshr_used--;
}

/* ---- state ---- */

static void line_state(struct cw_state *s, struct cw_l1_line *e)
{
    CW_STATE(s, e->line);
    CW_STATE(s, e->valid);
    CW_STATE(s, e->dirty);
    CW_STATE(s, e->mshr);
    CW_STATE(s, e->global);
    CW_STATE(s, e->stale);
    if (e->line != NO_LINE)
        CW_STATE(s, e->data);
}

static void mshr_state(struct cw_state *s, struct cw_l1 *l1, struct cw_l1_mshr *m,
                       void (*waiter)(struct cw_state *s, void **inst, void *context), void *context)
{
    CW_STATE(s, m->used);
    if (!m->used)
        return;
    CW_STATE(s, m->line);
    CW_STATE_REF(s, m->into, l1->line, l1->sets * l1->ways);
    CW_STATE(s, m->fetching);
    CW_STATE(s, m->ask);
    CW_STATE(s, m->needed);
    CW_STATE(s, m->data);
    cw_state_count(s, "waiters", &m->waiter_cnt, l1->merge);
    for (uint32_t i = 0; i < m->waiter_cnt; i++) {
        struct cw_l1_waiter *w = &m->waiter[i];
        waiter(s, &w->inst, context);
        CW_STATE(s, w->global);
        CW_STATE(s, w->lanes);
        CW_STATE(s, w->piece);
        CW_STATE(s, w->warp);
        CW_STATE(s, w->sectors);
    }
}

void cw_l1_state(struct cw_state *s, struct cw_l1 *l1, void (*waiter)(struct cw_state *s, void **inst, void *context), void *context)
{
    cw_cache_array_state(s, &l1->array);
    for (uint32_t i = 0; i < l1->sets * l1->ways; i++)
        line_state(s, &l1->line[i]);
    for (uint32_t i = 0; i < l1->mshr_cnt; i++)
        mshr_state(s, l1, &l1->mshr[i], waiter, context);
    CW_STATE(s, l1->mshr_used);
    CW_STATE_REF(s, l1->held, l1->line, l1->sets * l1->ways);
    cw_state_array(s, "dirty", l1->dirty, l1->dirty_words, sizeof *l1->dirty);
}
