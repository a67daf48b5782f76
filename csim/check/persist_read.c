/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What loads of persistent memory have to find (Pandey et al. 2023, Box 1, volatile memory order): a load that comes after an acquire finds
 * what was written before the release, also where the acquirer's L1 has an older copy of the line; and a thread finds what it has written.
 *
 * A load is judged when all stores to its word are in one line of this order, and one of the last two is before the load. For that each
 * thread remembers its CW_PERSIST_CLOCK newest sources, each release those of its thread, and each word two stores. What does not fit is
 * not judged, so the oracle misses some old values and never tells of one that is none. A slot of the table of lines belongs to the first
 * line that asks for it in a launch.
 */
#include <stdlib.h>
#include <string.h>

#include "check/persist_private.h"
#include "ir/uop.h"

#define NONE   CW_PERSIST_NONE
#define SLOTS  32768u
#define SHARED (UINT64_C(1) << 63)

/* Stamps wrap around. */
static bool is_later(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

/* What the thread has acquired; all entries free if nothing. */
static struct cw_persist_clock *clock_of(const struct cw_persist_check *s, uint32_t thread)
{
    struct cw_persist_clocks *c = cw_persist__clocks(s, thread);
    const uint32_t generation = cw_persist__tally(s, thread)->generation;
    if (c->generation != generation)
        *c = (struct cw_persist_clocks){.generation = generation};
    return c->entry;
}

/* Whether the store is before what the thread does at that stamp. */
static bool is_before(const struct cw_persist_check *s, const struct cw_persist_seen *w, uint32_t thread, uint32_t stamp)
{
    if (w->thread == thread && w->generation == cw_persist__tally(s, thread)->generation)
        return is_later(stamp, w->stamp);
    const struct cw_persist_clock *clock = clock_of(s, thread);
    for (uint32_t i = 0; i < CW_PERSIST_CLOCK; i++) {
        const struct cw_persist_clock *c = &clock[i];
        if (c->stamp != 0 && c->thread == w->thread && c->generation == w->generation)
            return is_later(c->stamp, w->stamp) && is_later(stamp, c->since);
    }
    return false;
}

/* ---- words ---- */

static uint32_t *slot_of(struct cw_persist_check *s, uint64_t key)
{
    if (s->slot == NULL)
        s->slot = calloc(SLOTS, sizeof *s->slot);
    return s->slot != NULL ? &s->slot[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 49] : NULL;
}

/* NULL: another line has the slot. */
static struct cw_persist_line *line_of(struct cw_persist_check *s, uint64_t key)
{
    uint32_t *slot = slot_of(s, key);
    if (slot == NULL) {
        s->out_of_memory = s->stopped = true;
        return NULL;
    }
    if (*slot == 0) {
        const uint32_t i = cw_pool_take(&s->line);
        if (i == NONE) {
            s->out_of_memory = s->stopped = true;
            return NULL;
        }
        *slot = i + 1;
        cw_persist__line(s, i)->key = key;
        cw_persist__line(s, i)->stores[0] = cw_persist__line(s, i)->stores[1] = cw_persist__line(s, i)->many = 0;
    }
    struct cw_persist_line *l = cw_persist__line(s, *slot - 1);
    return l->key == key ? l : NULL;
}

static uint32_t word_of(const struct cw_event *e)
{
    return (uint32_t)(e->u.word.addr % CW_PERSIST_ROW / 4);
}

void cw_persist__read_stored(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_line *l = line_of(s, e->u.word.addr / CW_PERSIST_ROW);
    const uint32_t word = word_of(e), bit = 1u << word;
    if (l == NULL || (l->many & bit) != 0)
        return;
    struct cw_persist_seen *last = &l->seen[0][word];
    const bool first = (l->stores[0] & bit) == 0;
    if (e->u.word.bytes != 15 || e->u.word.unknown || (!first && !is_before(s, last, thread, e->u.word.stamp))) {
        l->many |= bit;
        return;
    }
    l->seen[1][word] = *last;
    l->stores[1] |= first ? 0 : bit;
    l->stores[0] |= bit;
    *last = (struct cw_persist_seen){
        .thread = thread, .generation = cw_persist__tally(s, thread)->generation, .stamp = e->u.word.stamp, .value = e->u.word.value};
}

const struct cw_persist_line *cw_persist__read_differs(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint64_t key = e->u.word.addr / CW_PERSIST_ROW;
    const uint32_t word = word_of(e), *slot = s->slot != NULL ? slot_of(s, key) : NULL;
    if (slot == NULL || *slot == 0)
        return NULL;
    const struct cw_persist_line *l = cw_persist__line(s, *slot - 1);
    if (l->key != key || ((l->stores[0] & ~l->many) >> word & 1) == 0 || l->seen[0][word].value == e->u.word.value)
        return NULL;
    return l;
}

void cw_persist__read(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, const struct cw_persist_line *l)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct cw_persist_seen *w = &l->seen[i][word_of(e)];
        if ((l->stores[i] >> word_of(e) & 1) == 0 || w->value == e->u.word.value)
            return;
        if (is_before(s, w, thread, e->u.word.stamp)) {
            cw_persist__tell_read(s, thread, e, w);
            return;
        }
    }
}

/* ---- releases and acquires ---- */

static uint64_t key_of(uint64_t addr, uint32_t block)
{
    return addr >= CW_GLOBAL_BASE ? addr : SHARED | (uint64_t)block << 32 | addr;
}

/* NONE: out of memory. */
static uint32_t handed_of(struct cw_persist_check *s, const struct cw_persist_variable *v)
{
    const uint64_t key = key_of(v->addr, v->block);
    uint32_t i = cw_key_map_find(&s->variables, key);
    if (i != NONE)
        return i;
    i = cw_pool_take(&s->handed);
    if (i == NONE || !cw_key_map_add(&s->variables, key, i)) {
        s->out_of_memory = s->stopped = true;
        return NONE;
    }
    *cw_persist__handed(s, i) = (struct cw_persist_handed){.thread = NONE};
    s->near_variable = CW_PERSIST_NO_KEY;
    return i;
}

void cw_persist__read_released(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    const struct cw_persist_thread *t = cw_persist__thread(s, thread);
    const uint32_t i = handed_of(s, &t->variable);
    if (i == NONE)
        return;
    struct cw_persist_handed *h = cw_persist__handed(s, i);
    const bool again = t->variable.value <= h->max;
    *h = (struct cw_persist_handed){.variable = t->variable,
                                    .max = again ? h->max : t->variable.value,
                                    .thread = again ? NONE : thread,
                                    .generation = cw_persist__tally(s, thread)->generation,
                                    .stamp = e->u.word.stamp};
    memcpy(h->clock, clock_of(s, thread), sizeof h->clock);
}

/* What it knows of that source goes to the entry of that source: the one that it has, or the oldest. */
static void learn(struct cw_persist_clock clock[CW_PERSIST_CLOCK], struct cw_persist_clock new)
{
    struct cw_persist_clock *at = &clock[0];
    for (uint32_t i = 0; i < CW_PERSIST_CLOCK; i++) {
        struct cw_persist_clock *c = &clock[i];
        if (c->stamp != 0 && c->thread == new.thread && c->generation == new.generation) {
            if (is_later(new.stamp, c->stamp))
                *c = new;
            return;
        }
        if (at->stamp != 0 && (c->stamp == 0 || is_later(at->since, c->since)))
            at = c;
    }
    *at = new;
}

void cw_persist__read_acquired(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    const uint64_t key = key_of(e->u.order.addr, e->u.order.block);
    if (key != s->near_variable) { /* threads ask for one again and again */
        s->near_variable = key;
        s->near_handed = cw_key_map_find(&s->variables, key);
    }
    if (s->near_handed == NONE)
        return;
    const struct cw_persist_handed *h = cw_persist__handed(s, s->near_handed);
    const bool covered = h->variable.block == e->u.order.block || (h->variable.device && e->u.order.device);
    if (h->thread == NONE || h->thread == thread || h->variable.value != e->u.order.value || !covered)
        return;
    struct cw_persist_clock *clock = clock_of(s, thread);
    for (uint32_t k = 0; k < CW_PERSIST_CLOCK; k++)
        if (clock[k].thread == h->thread && clock[k].generation == h->generation && clock[k].stamp == h->stamp)
            return; /* it has acquired this release before */
    for (uint32_t k = 0; k < CW_PERSIST_CLOCK; k++)
        if (h->clock[k].stamp != 0 && h->clock[k].thread != thread)
            learn(clock, (struct cw_persist_clock){h->clock[k].thread, h->clock[k].generation, h->clock[k].stamp, e->u.order.stamp});
    learn(clock, (struct cw_persist_clock){h->thread, h->generation, h->stamp, e->u.order.stamp});
}

void cw_persist__read_launched(struct cw_persist_check *s)
{
    if (s->slot != NULL && s->line.cnt > 0)
        memset(s->slot, 0, SLOTS * sizeof *s->slot);
    s->line.cnt = s->line.given = s->handed.cnt = s->handed.given = 0;
    cw_key_map_clear(&s->variables);
    s->near_variable = CW_PERSIST_NO_KEY;
}
