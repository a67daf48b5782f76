/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: what is ordered before what they write next. */
#include "check/persist_private.h"

#define NONE CW_PERSIST_NONE

/* A field that names a node names another one from now on; the new name has been counted. */
static void put(struct cw_persist_check *s, uint32_t *field, uint32_t node)
{
    const uint32_t old = *field;
    *field = node;
    cw_persist__drop(s, old);
}

static uint32_t find_warp(struct cw_persist_check *s, const struct cw_event *e, uint64_t key)
{
    uint32_t first = cw_key_map_find(&s->threads, key);
    s->near_warp = key;
    s->near_thread = first;
    if (first != CW_KEY_MAP_NONE)
        return first;
    first = s->thread.cnt; /* no thread is ever given back */
    bool ok = true;
    for (uint32_t lane = 0; ok && lane < CW_WARP_LANES_MAX; lane++) {
        const uint32_t i = cw_pool_take(&s->thread);
        ok = i != NONE && cw_pool_take(&s->tally) == i && cw_pool_take(&s->clocks) == i;
        if (ok)
            cw_persist__clocks(s, i)->generation = 0;
        if (ok)
            *cw_persist__tally(s, i) = (struct cw_persist_tally){.generation = 1};
        if (ok)
            *cw_persist__thread(s, i) = (struct cw_persist_thread){.before = NONE,
                                                                   .known = NONE,
                                                                   .narrow = NONE,
                                                                   .current = NONE,
                                                                   .since = NONE,
                                                                   .own = NONE,
                                                                   .release = NONE,
                                                                   .core = e->core,
                                                                   .warp = e->warp,
                                                                   .issued = NONE,
                                                                   .last = NONE};
    }
    if (ok && cw_key_map_add(&s->threads, key, first))
        return s->near_thread = first;
    s->out_of_memory = s->stopped = true;
    return NONE;
}

/* Index of lane 0 of the warp, whose threads stand in the order of their lanes; NONE: out of memory. */
static inline uint32_t warp_of(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint64_t key = (uint64_t)e->core << 32 | e->warp;
    return key == s->near_warp ? s->near_thread : find_warp(s, e, key);
}

uint32_t cw_persist__thread_of(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t first = warp_of(s, e);
    return first != NONE ? first + e->lane : NONE;
}

/* The nodes that stand for all that the thread has done: at most two, others NONE. */
static void all_of(const struct cw_persist_thread *t, uint32_t node[2])
{
    node[0] = t->since;
    node[1] = t->current != NONE ? t->current : t->before;
}

/* First what is newer, which is more often not durable. */
static bool both_settled(struct cw_persist_check *s, const uint32_t node[2])
{
    return cw_persist__settled(s, node[1]) && cw_persist__settled(s, node[0]);
}

/* Another thread takes the place of this one. */
static void gone(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    const uint32_t known = cw_persist__thread(s, thread)->known, before = s->known_before;
    if (known != NONE && known != before)
        put(s, &s->known_before,
            before == NONE ? cw_persist__hold(s, known) : cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, before, known));
}

static void begin(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t first = warp_of(s, e);
    for (uint32_t lane = 0; first != NONE && lane < CW_WARP_LANES_MAX; lane++) {
        struct cw_persist_thread *t = cw_persist__thread(s, first + lane);
        gone(s, first + lane, e);
        put(s, &t->before, cw_persist__hold(s, s->known_at_begin));
        put(s, &t->known, cw_persist__hold(s, s->known_at_begin));
        t->block = e->u.order.block;
        put(s, &t->current, NONE);
        put(s, &t->since, NONE);
        put(s, &t->own, NONE);
        put(s, &t->release, NONE);
        t->releasing = false;
        cw_persist__narrow_end(s, first + lane);
        struct cw_persist_tally *y = cw_persist__tally(s, first + lane);
        y->pending = 0;
        y->generation++;
    }
}

/* Nodes of the thread's own stores up to the fence, of which `fence` is the node; with them, what is ordered before them. Not what it has
 * acquired since its last store. */
static uint32_t own_stores(const struct cw_persist_thread *t, uint32_t fence)
{
    if (t->since == NONE && t->current == NONE)
        return t->own;
    return t->current == NONE ? t->since : t->since == NONE ? t->current : fence;
}

/* The dFence has returned: the thread knows that its own stores are durable. */
static void knows_own(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t own)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    if (own != NONE && own != t->known)
        put(s, &t->known,
            t->known == NONE ? cw_persist__hold(s, own) : cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, t->known, own));
    put(s, &t->own, NONE);
}

static void fence(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t kind)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    uint32_t all[2], node = NONE;
    const bool empty = t->since == NONE && t->current == NONE; /* then `before` says it all */
    all_of(t, all);
    if (!empty && !both_settled(s, all))
        node = cw_persist__make(s, kind, thread, e, all[0], all[1]);
    if (s->keeps && kind == CW_PERSIST_NODE_DFENCE)
        knows_own(s, thread, e, own_stores(t, node));
    else if (s->keeps && !empty)
        put(s, &t->own, cw_persist__hold(s, own_stores(t, node)));
    if (empty)
        return;
    put(s, &t->before, node);
    put(s, &t->since, NONE);
    put(s, &t->current, NONE);
}

static void dfence(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    if (cw_persist__tally(s, thread)->pending > 0 && !s->keeps)
        cw_persist__tell_dfence(s, thread, e);
    else
        fence(s, thread, e, CW_PERSIST_NODE_DFENCE);
}

void cw_persist__sweep_threads(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->thread.cnt; i++) {
        struct cw_persist_thread *t = cw_persist__thread(s, i);
        if (t->before != NONE && cw_persist__settled(s, t->before))
            put(s, &t->before, NONE);
        if (t->since != NONE && cw_persist__settled(s, t->since))
            put(s, &t->since, NONE);
    }
}

/* The thread's stores are ordered alike no more. */
static void close_segment(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    if (t->current != NONE && t->since != NONE)
        put(s, &t->since, cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, t->since, t->current));
    else if (t->current != NONE)
        put(s, &t->since, cw_persist__hold(s, t->current));
    put(s, &t->current, NONE);
}

void cw_persist__knows(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, uint32_t node)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    if (node == NONE || node == t->known)
        return;
    close_segment(s, thread, e);
    put(s, &t->known,
        t->known == NONE ? cw_persist__hold(s, node) : cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, t->known, node));
    put(s, &t->before,
        t->before == NONE ? cw_persist__hold(s, node) : cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, t->before, node));
}

/* Stores after a release are not ordered after those before it, so the thread goes on after the same node as before. */
static void release(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    uint32_t all[2], node = NONE;
    all_of(t, all);
    if (!both_settled(s, all))
        node = cw_persist__make(s, CW_PERSIST_NODE_RELEASE, thread, e, all[0], all[1]);
    if (node == NONE) {
        put(s, &t->since, NONE);
        put(s, &t->current, NONE);
    } else {
        close_segment(s, thread, e);
    }
    put(s, &t->release, node);
    t->releasing = true;
    t->variable = (struct cw_persist_variable){
        .addr = e->u.order.addr, .value = e->u.order.value, .block = e->u.order.block, .device = e->u.order.device};
}

/* Whether the store is that of the variable, a word or a byte. */
static bool stores_variable(const struct cw_persist_variable *v, const struct cw_event *e)
{
    const uint32_t byte = (uint32_t)(v->addr % 4), value = e->u.word.value;
    if (e->u.word.addr != v->addr - byte)
        return false;
    return e->u.word.bytes == 15 ? value == v->value : e->u.word.bytes == 1u << byte && (value >> 8 * byte & 0xff) == v->value;
}

bool cw_persist__is_release(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    const struct cw_persist_variable *v = &t->variable;
    if (!t->releasing || !stores_variable(v, e))
        return false;
    cw_persist__release_at(s, v, t->release);
    cw_persist__read_released(s, thread, e);
    t->releasing = false;
    return true;
}

static void acquire(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    uint32_t narrow;
    const uint32_t from = cw_persist__acquire_at(s, e, &narrow);
    cw_persist__read_acquired(s, thread, e);
    if (narrow != NONE)
        cw_persist__narrow(s, thread, e, narrow);
    if (from == NONE)
        return;
    if (t->before != NONE && (t->before == from || cw_persist__node(s, t->before)->before[1] == from))
        return; /* it has acquired this release just now */
    close_segment(s, thread, e);
    put(s, &t->before, cw_persist__make(s, CW_PERSIST_NODE_ACQUIRE, thread, e, t->before, from));
}

/* What the operation is by the contract; CW_ORDER_BEGIN: nothing. */
static uint32_t kind_of(const struct cw_persist_check *s, const struct cw_event *e)
{
    if (s->contract == CW_CONTRACT_NONE)
        return CW_ORDER_BEGIN;
    if (e->u.order.kind != CW_ORDER_FENCE)
        return e->u.order.kind;
    return e->u.order.device ? CW_ORDER_DFENCE : s->contract == CW_CONTRACT_FENCES ? CW_ORDER_OFENCE : CW_ORDER_BEGIN;
}

void cw_persist__ordered(struct cw_persist_check *s, const struct cw_event *e)
{
    if (e->u.order.kind == CW_ORDER_BEGIN) {
        begin(s, e);
        return;
    }
    const uint32_t kind = kind_of(s, e), thread = kind != CW_ORDER_BEGIN ? cw_persist__thread_of(s, e) : NONE;
    if (thread == NONE)
        return;
    s->report.orderings++;
    if (kind == CW_ORDER_OFENCE)
        fence(s, thread, e, CW_PERSIST_NODE_OFENCE);
    else if (kind == CW_ORDER_DFENCE)
        dfence(s, thread, e);
    else if (kind == CW_ORDER_RELEASE)
        release(s, thread, e);
    else
        acquire(s, thread, e);
}

/* The store of a release has a segment of its own, which is ordered after all that the thread has done before. */
static uint32_t own_store(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    const uint32_t node = cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, t->release, NONE);
    if (node == NONE)
        return NONE;
    put(s, &t->since, cw_persist__hold(s, node));
    return node;
}

uint32_t cw_persist__segment(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e, bool own)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    uint32_t node;
    if (own && t->release != NONE) {
        node = own_store(s, thread, e);
    } else {
        if (t->current == NONE)
            t->current = cw_persist__make(s, CW_PERSIST_NODE_SEGMENT, thread, e, t->before, NONE);
        node = cw_persist__hold(s, t->current);
    }
    put(s, &t->release, NONE);
    t->releasing = false;
    if (node == NONE)
        return NONE;
    cw_persist__tally(s, thread)->pending++;
    cw_persist__node(s, node)->pending++;
    return node;
}
