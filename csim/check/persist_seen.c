/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads know to be durable, and who has heard of it. A dFence that has returned says that its thread's persists are durable. So they
 * come before whatever any thread does after it has seen something that was done after the dFence: a strong write of any scope, an atomic, a
 * barrier, a value of another lane. No scope can be too narrow for that, and an oFence has no part in it: it says nothing about now.
 *
 * A thread's node `known` stands for these persists. A strong store carries it to whoever reads the value; an atomic adds it to what the value
 * that it has found has brought; a barrier gives each of its threads that of all.
 *
 * A read has the latest write of its value. A write that leaves the value that was there tells a reader nothing, so it does not count.
 */
#include "check/persist_private.h"
#include "ir/uop.h"

#define NONE   CW_PERSIST_NONE
#define SHARED (UINT64_C(1) << 63)
#define DEPTH  1024u /* writes of a word that a read looks through */

static uint32_t merged(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t a, uint32_t b)
{
    if (b == NONE || a == b)
        return cw_persist__hold(s, a);
    return a == NONE ? cw_persist__hold(s, b) : cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, a, b);
}

static void add(struct cw_persist_check *s, uint32_t *field, uint32_t thread, const struct cw_event *e, uint32_t node)
{
    const uint32_t old = *field;
    *field = merged(s, thread, e, old, node);
    cw_persist__drop(s, old);
}

/* ---- words ---- */

/* Shared memory has the same addresses in every block. */
static uint64_t key_of(const struct cw_persist_check *s, uint32_t thread, uint64_t addr)
{
    return addr >= CW_GLOBAL_BASE ? addr : SHARED | (uint64_t)cw_persist__thread(s, thread)->block << 32 | addr;
}

/* The latest write of the value; NONE: none of which something is known. */
static uint32_t find(const struct cw_persist_check *s, uint64_t key, uint64_t value)
{
    uint32_t i = cw_key_map_find(&s->writes, key);
    for (uint32_t n = 0; i != NONE && n < DEPTH; n++, i = cw_persist__write(s, i)->next)
        if (cw_persist__write(s, i)->value == value)
            return cw_persist__write(s, i)->known;
    return NONE;
}

static void wrote(struct cw_persist_check *s, uint64_t key, uint64_t value, uint32_t known)
{
    const uint32_t first = cw_key_map_find(&s->writes, key);
    if (first != NONE && cw_persist__write(s, first)->value == value)
        return;
    const uint32_t i = cw_pool_take(&s->write);
    if (i != NONE && first != NONE)
        cw_key_map_remove(&s->writes, key);
    if (i == NONE || !cw_key_map_add(&s->writes, key, i)) {
        s->out_of_memory = s->stopped = true;
        return;
    }
    *cw_persist__write(s, i) = (struct cw_persist_write){.next = first, .known = cw_persist__hold(s, known), .value = value};
}

/* ---- atomics ---- */

static void began(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint64_t key)
{
    const uint32_t i = cw_pool_take(&s->atomic);
    if (i == NONE) {
        s->out_of_memory = s->stopped = true;
        return;
    }
    *cw_persist__atomic(s, i) = (struct cw_persist_atomic){.next = NONE,
                                                           .thread = thread,
                                                           .known = cw_persist__hold(s, cw_persist__thread(s, thread)->known),
                                                           .key = key,
                                                           .returns = e->u.strong.returns};
    uint32_t *link = &s->atomics;
    while (*link != NONE)
        link = &cw_persist__atomic(s, *link)->next;
    *link = i;
}

/* The thread's oldest atomic of the word that is in that state. */
static uint32_t *atomic_of(struct cw_persist_check *s, uint32_t thread, uint64_t key, bool performed)
{
    uint32_t *link = &s->atomics;
    while (*link != NONE) {
        const struct cw_persist_atomic *a = cw_persist__atomic(s, *link);
        if (a->thread == thread && a->key == key && a->performed == performed)
            break;
        link = &cw_persist__atomic(s, *link)->next;
    }
    return link;
}

static void ended(struct cw_persist_check *s, uint32_t *link)
{
    const uint32_t i = *link;
    *link = cw_persist__atomic(s, i)->next;
    cw_persist__drop(s, cw_persist__atomic(s, i)->known);
    cw_pool_give(&s->atomic, i);
}

static void performed(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint64_t key)
{
    uint32_t *link = atomic_of(s, thread, key, false);
    if (*link == NONE)
        return;
    struct cw_persist_atomic *a = cw_persist__atomic(s, *link);
    const uint32_t found = find(s, key, e->u.strong.old), left = merged(s, thread, e, found, a->known);
    wrote(s, key, e->u.strong.value, left);
    cw_persist__drop(s, left);
    cw_persist__drop(s, a->known);
    a->known = cw_persist__hold(s, found);
    a->performed = true;
    if (!a->returns)
        ended(s, link);
}

static void read_value(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint64_t key)
{
    if (!e->u.strong.atomic) {
        cw_persist__knows(s, thread, e, find(s, key, e->u.strong.value));
        return;
    }
    uint32_t *link = atomic_of(s, thread, key, true);
    if (*link == NONE)
        return;
    cw_persist__knows(s, thread, e, cw_persist__atomic(s, *link)->known);
    ended(s, link);
}

/* ---- lanes and barriers ---- */

/* All of them know what one of them knows. */
static void exchange(struct cw_persist_check *s, const struct cw_event *e, cw_lanes lanes)
{
    struct cw_event lane = *e;
    lane.lane = 0;
    const uint32_t first = cw_persist__thread_of(s, &lane);
    uint32_t all = NONE;
    if (first == NONE)
        return;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        add(s, &all, first, e, cw_persist__thread(s, first + cw_lanes_first(left))->known);
    for (cw_lanes left = lanes; left != 0 && all != NONE; left = cw_lanes_rest(left))
        cw_persist__knows(s, first + cw_lanes_first(left), e, all);
    cw_persist__drop(s, all);
}

static uint64_t barrier_key(const struct cw_event *e)
{
    return (uint64_t)e->core << 32 | (uint64_t)e->u.sync.block << 8 | e->u.sync.id;
}

static uint32_t barrier_of(struct cw_persist_check *s, uint64_t key)
{
    uint32_t i = cw_key_map_find(&s->barriers, key);
    if (i != NONE)
        return i;
    i = cw_pool_take(&s->barrier);
    if (i == NONE || !cw_key_map_add(&s->barriers, key, i)) {
        s->out_of_memory = s->stopped = true;
        return NONE;
    }
    *cw_persist__barrier(s, i) = (struct cw_persist_barrier){.known = NONE};
    return i;
}

static void arrived(struct cw_persist_check *s, const struct cw_event *e, bool waits)
{
    const uint32_t i = barrier_of(s, barrier_key(e));
    struct cw_event lane = *e;
    lane.lane = 0;
    const uint32_t first = i != NONE ? cw_persist__thread_of(s, &lane) : NONE;
    if (first == NONE)
        return;
    for (cw_lanes left = e->u.sync.lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t thread = first + cw_lanes_first(left);
        add(s, &cw_persist__barrier(s, i)->known, thread, e, cw_persist__thread(s, thread)->known);
        if (waits)
            cw_persist__push(s, &cw_persist__barrier(s, i)->waits, thread);
    }
}

static void passed(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t i = cw_key_map_find(&s->barriers, barrier_key(e));
    if (i == NONE)
        return;
    const struct cw_persist_list *waits = &cw_persist__barrier(s, i)->waits;
    const uint32_t known = cw_persist__barrier(s, i)->known;
    for (uint32_t k = 0; k < waits->cnt && known != NONE; k++)
        cw_persist__knows(s, waits->at[k], e, known);
    cw_persist__barrier(s, i)->waits.cnt = 0;
    cw_persist__barrier(s, i)->known = NONE;
    cw_persist__drop(s, known);
}

/* ---- events ---- */

void cw_persist__synced(struct cw_persist_check *s, const struct cw_event *e)
{
    if (e->u.sync.kind == CW_SYNC_ARRIVE || e->u.sync.kind == CW_SYNC_SIGNAL)
        arrived(s, e, e->u.sync.kind == CW_SYNC_ARRIVE);
    else if (e->u.sync.kind == CW_SYNC_PASS)
        passed(s, e);
    else if (e->u.sync.kind == CW_SYNC_WARP)
        exchange(s, e, e->u.sync.lanes);
}

void cw_persist__strong(struct cw_persist_check *s, const struct cw_event *e)
{
    if (e->u.strong.kind == CW_STRONG_EXCHANGE) {
        exchange(s, e, e->u.strong.lanes);
        return;
    }
    const uint32_t thread = cw_persist__thread_of(s, e);
    if (thread == NONE)
        return;
    const uint64_t key = key_of(s, thread, e->u.strong.addr);
    if (e->u.strong.kind == CW_STRONG_STORE)
        wrote(s, key, e->u.strong.value, cw_persist__thread(s, thread)->known);
    else if (e->u.strong.kind == CW_STRONG_ATOMIC)
        began(s, thread, e, key);
    else if (e->u.strong.kind == CW_STRONG_PERFORM)
        performed(s, thread, e, key);
    else
        read_value(s, thread, e, key);
}

void cw_persist__seen_launched(struct cw_persist_check *s, bool kept)
{
    const struct cw_event e = {.type = CW_EVENT_SYNC};
    for (uint32_t i = 0; kept && i < s->thread.cnt; i++)
        add(s, &s->known_before, i, &e, cw_persist__thread(s, i)->known);
    cw_persist__drop(s, s->known_at_begin);
    s->known_at_begin = kept ? cw_persist__hold(s, s->known_before) : NONE;
}
