/* SPDX-License-Identifier: Apache-2.0 */
/* Stores, byte by byte, from the thread that makes them to the persistence domain. */
#include <inttypes.h>
#include <string.h>

#include "check/persist_private.h"
#include "ir/uop.h"

#define NONE  CW_PERSIST_NONE
#define ROW   CW_PERSIST_ROW
#define WORDS (ROW / 4) /* of the longest line */
#define FETCH 2u        /* stores ahead */

static uint64_t departure_key(uint32_t core, uint32_t id)
{
    return (uint64_t)core << 32 | id;
}

static uint32_t bytes_of(const uint32_t *byte_mask, uint32_t word)
{
    return byte_mask[word / 8] >> (4 * (word % 8)) & 15;
}

static bool same_mask(const uint32_t *a, const uint32_t *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

static bool enough(struct cw_persist_check *s, bool ok)
{
    if (!ok)
        s->out_of_memory = s->stopped = true;
    return ok;
}

/* Rows */

/* NONE: no byte of it waits to become durable. */
static uint32_t find_row(struct cw_persist_check *s, uint32_t core, uint64_t addr)
{
    const uint64_t key = (uint64_t)core << 48 | addr / ROW;
    if (key != s->near_row) {
        s->near_row = key;
        s->near_row_at = cw_key_map_find(&s->rows, key);
    }
    return s->near_row_at;
}

static uint32_t row_of(struct cw_persist_check *s, uint32_t core, uint64_t addr)
{
    uint32_t i = find_row(s, core, addr);
    if (i != NONE)
        return i;
    i = cw_pool_take(&s->row);
    if (!enough(s, i != NONE && cw_key_map_add(&s->rows, s->near_row, i)))
        return NONE;
    struct cw_persist_row *r = cw_persist__row(s, i);
    r->live = 0;
    r->key = s->near_row;
    memset(r->last, 0xff, sizeof r->last); /* all NONE */
    return s->near_row_at = i;
}

static void forget_if_empty(struct cw_persist_check *s, uint32_t row)
{
    const struct cw_persist_row *r = cw_persist__row(s, row);
    if (r->live != 0)
        return;
    cw_key_map_remove(&s->rows, r->key);
    if (s->near_row == r->key)
        s->near_row = CW_PERSIST_NO_KEY;
    cw_pool_give(&s->row, row);
}

/* [4]: of the word at the address */
static uint32_t *last_of(const struct cw_persist_check *s, uint32_t row, uint64_t addr)
{
    return cw_persist__row(s, row)->last + addr % ROW;
}

/* Whether all four bytes have this one, or NONE. */
static bool all_last(const uint32_t last[4], uint32_t store)
{
    return ((last[0] ^ store) | (last[1] ^ store) | (last[2] ^ store) | (last[3] ^ store)) == 0;
}

/* Those of the bytes whose latest store is this one. */
static uint32_t bytes_last(const uint32_t last[4], uint32_t bytes, uint32_t store)
{
    uint32_t own = 0;
    for (uint32_t b = 0; b < 4; b++)
        own |= (uint32_t)(last[b] == store) << b;
    return own & bytes;
}

/* Stores */

/* The store that the new one can join, because nothing will tell them apart: of the same segment, none of its bytes has left or stands for
 * an older store's, and the new one overwrites all of it. Without this a thread that counts in one word would fill the record. */
static uint32_t joined(const struct cw_persist_check *s, const uint32_t last[4], uint32_t bytes, uint32_t node)
{
    const uint32_t first = last[__builtin_ctz(bytes)];
    if (first == NONE)
        return NONE;
    const struct cw_persist_store *x = cw_persist__store(s, first);
    if (x->node != node || x->gone != 0 || x->due != bytes || bytes_last(last, bytes, first) != bytes)
        return NONE;
    return first;
}

static uint32_t line_of(const struct cw_event *e)
{
    return e->u.word.uop != NULL ? e->u.word.uop->line : 0;
}

static void enter(struct cw_persist_check *s, uint32_t thread, uint32_t node, const struct cw_event *e)
{
    const uint32_t i = cw_pool_take(&s->store);
    if (!enough(s, i != NONE))
        return;
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    *cw_persist__store(s, i) = (struct cw_persist_store){.thread = thread,
                                                         .generation = cw_persist__tally(s, thread)->generation,
                                                         .node = node,
                                                         .next = NONE,
                                                         .stamp = e->u.word.stamp,
                                                         .addr = e->u.word.addr,
                                                         .due = (uint8_t)e->u.word.bytes,
                                                         .value = e->u.word.value,
                                                         .unknown = e->u.word.unknown,
                                                         .now = e->now,
                                                         .line = line_of(e),
                                                         .file = cw_persist__file(s)};
    *(t->issued == NONE ? &t->issued : &cw_persist__store(s, t->last)->next) = i;
    t->last = i;
    s->issued++;
    if (t->narrow != NONE)
        cw_persist__narrow_store(s, thread, i);
}

void cw_persist__issued(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t thread = cw_persist__thread_of(s, e);
    const bool own = thread != NONE && cw_persist__is_release(s, thread, e);
    if (thread == NONE || !e->u.word.persistent)
        return;
    const uint32_t node = cw_persist__segment(s, thread, e, own);
    if (node == NONE)
        return;
    s->report.stores++;
    enter(s, thread, node, e);
    cw_persist__read_stored(s, thread, e);
}

/* Takes the store out of those that its thread has issued. NONE: there is no such one, and this is told. */
static uint32_t take_issued(struct cw_persist_check *s, uint32_t thread, const struct cw_event *e)
{
    struct cw_persist_thread *t = cw_persist__thread(s, thread);
    char where[CW_PERSIST_PLACE];
    uint32_t before = NONE;
    for (uint32_t i = t->issued; i != NONE; before = i, i = cw_persist__store(s, i)->next) {
        const struct cw_persist_store *x = cw_persist__store(s, i);
        if (x->addr != e->u.word.addr || (x->stamp != e->u.word.stamp && (x->due & e->u.word.bytes) == 0))
            continue;
        if (x->stamp != e->u.word.stamp) {
            cw_persist__tell(s,
                             "core %u performs a store to 0x%" PRIx64 " in cycle %" PRIu64
                             " before one that its thread has issued earlier, in cycle %" PRIu64 "%s",
                             e->core, x->addr, e->now / s->period, x->now / s->period, cw_persist__place(s, x, where));
            return NONE;
        }
        *(before == NONE ? &t->issued : &cw_persist__store(s, before)->next) = x->next;
        t->last = t->last == i ? before : t->last;
        s->issued--;
        return i;
    }
    cw_persist__tell(s, "core %u performs a store to 0x%" PRIx64 " in cycle %" PRIu64 ", and no thread has issued it", e->core,
                     e->u.word.addr, e->now / s->period);
    return NONE;
}

/* The store i takes the place of the one that it can join. */
static void join(struct cw_persist_check *s, uint32_t i, uint32_t old, uint32_t *last)
{
    struct cw_persist_store *x = cw_persist__store(s, i), *o = cw_persist__store(s, old);
    memcpy(x->older, o->older, sizeof x->older);
    for (uint32_t b = 0; b < 4; b++)
        if ((x->due >> b & 1) != 0)
            last[b] = i;
    cw_persist__tally(s, o->thread)->pending--;
    cw_persist__node(s, o->node)->pending--;
    cw_persist__drop(s, o->node);
    if (s->pairs > 0)
        cw_persist__narrow_joined(s, old, i);
    o->due = 0;
    cw_pool_give(&s->store, old);
}

void cw_persist__stored(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t bytes = e->u.word.bytes, thread = cw_persist__thread_of(s, e);
    const uint32_t i = thread != NONE ? take_issued(s, thread, e) : NONE;
    const uint32_t row = i != NONE ? row_of(s, e->core, e->u.word.addr) : NONE;
    if (row == NONE)
        return;
    struct cw_persist_store *x = cw_persist__store(s, i);
    uint32_t *last = last_of(s, row, e->u.word.addr);
    x->row = row;
    x->older[0] = x->older[1] = x->older[2] = x->older[3] = NONE;
    const uint32_t old = joined(s, last, bytes, x->node);
    if (old != NONE) {
        join(s, i, old, last);
        return;
    }
    if (bytes == 15 && all_last(last, NONE)) {
        last[0] = last[1] = last[2] = last[3] = i;
        cw_persist__row(s, row)->live += 4;
        return;
    }
    for (uint32_t b = 0; b < 4; b++)
        if ((bytes >> b & 1) != 0) {
            cw_persist__row(s, row)->live += last[b] == NONE;
            x->older[b] = last[b];
            last[b] = i;
        }
}

void cw_persist__all_performed(struct cw_persist_check *s)
{
    char where[CW_PERSIST_PLACE];
    for (uint32_t t = 0; s->issued > 0 && t < s->thread.cnt; t++) {
        const uint32_t i = cw_persist__thread(s, t)->issued;
        if (i != NONE)
            cw_persist__tell(
                s, "the kernel has ended, and core %u has not performed the store of 0x%x to 0x%" PRIx64 " issued in cycle %" PRIu64 "%s",
                cw_persist__thread(s, t)->core, cw_persist__store(s, i)->value, cw_persist__store(s, i)->addr,
                cw_persist__store(s, i)->now / s->period, cw_persist__place(s, cw_persist__store(s, i), where));
    }
}

/* Departures */

/* Those of the word's bytes whose last store is this one leave; false: out of memory. */
static bool take_part(struct cw_persist_check *s, struct cw_persist_departure *d, uint32_t store, uint32_t bytes)
{
    const uint32_t i = cw_pool_take(&s->part);
    if (!enough(s, i != NONE))
        return false;
    *cw_persist__part(s, i) = (struct cw_persist_part){.store = store, .bytes = bytes, .next = d->part};
    cw_persist__store(s, store)->gone |= (uint8_t)bytes;
    d->part = i;
    return true;
}

static void leave_word(struct cw_persist_check *s, struct cw_persist_departure *d, const struct cw_event *e, uint64_t addr, uint32_t bytes)
{
    const uint32_t row = find_row(s, e->core, addr);
    for (uint32_t rest = bytes; rest != 0 && !s->stopped;) {
        const uint32_t *last = row != NONE ? last_of(s, row, addr) : NULL;
        const uint32_t store = last != NULL ? last[__builtin_ctz(rest)] : NONE;
        const uint32_t own = store == NONE ? 0 : rest == 15 && all_last(last, store) ? 15 : bytes_last(last, rest, store);
        if (store == NONE || (cw_persist__store(s, store)->gone & own) != 0)
            cw_persist__tell(
                s, "bytes 0x%x of 0x%" PRIx64 " leave core %u in cycle %" PRIu64 ", and no thread has written them since they last left",
                rest, addr, e->core, e->now / s->period);
        else if (!take_part(s, d, store, own))
            return;
        rest &= ~own;
    }
}

static void fetch_stores(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t row = find_row(s, e->core, e->u.line.addr);
    if (row == NONE)
        return;
    const struct cw_persist_row *r = cw_persist__row(s, row);
    for (uint32_t b = 0; b < ROW; b += 4)
        if (r->last[b] != NONE)
            __builtin_prefetch(cw_persist__store(s, r->last[b]), 1);
}

void cw_persist__left(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint64_t key = departure_key(e->core, e->u.line.id);
    struct cw_persist_departure d = {.part = NONE, .line = e->u.line.addr};
    if (cw_key_map_find(&s->departures, key) != CW_KEY_MAP_NONE) {
        cw_persist__tell(s, "departure %u of core %u has not arrived, and another of this number leaves in cycle %" PRIu64, e->u.line.id,
                         e->core, e->now / s->period);
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        d.byte_mask[i] = e->u.line.byte_mask[i];
    fetch_stores(s, e);
    for (uint32_t i = 0; i < WORDS && !s->stopped; i++)
        if (bytes_of(d.byte_mask, i) != 0)
            leave_word(s, &d, e, d.line + 4 * i, bytes_of(d.byte_mask, i));
    const uint32_t i = cw_pool_take(&s->departure);
    if (enough(s, i != NONE && cw_key_map_add(&s->departures, key, i)))
        *cw_persist__departure(s, i) = d;
}

/* Durable bytes */

static void make_durable(struct cw_persist_check *s, uint32_t store, uint32_t bytes)
{
    struct cw_persist_store *x = cw_persist__store(s, store);
    struct cw_persist_tally *t = cw_persist__tally(s, x->thread);
    x->due &= (uint8_t)~bytes;
    if (x->due != 0)
        return;
    s->report.persists++;
    cw_persist__node(s, x->node)->pending--;
    if (t->generation == x->generation)
        t->pending--;
    cw_persist__push(s, &s->durable, store);
}

/* Takes the store and all older ones of its core out of the byte's list. Each names the next older one. */
static void unlink_byte(struct cw_persist_check *s, uint32_t store, uint32_t byte)
{
    const struct cw_persist_store *x = cw_persist__store(s, store);
    uint32_t *const last = last_of(s, x->row, x->addr) + byte, *link = last;
    while (*link != store && *link != NONE)
        link = &cw_persist__store(s, *link)->older[byte];
    cw_persist__row(s, x->row)->live -= link == last && *link != NONE;
    *link = NONE;
}

static void persist_byte(struct cw_persist_check *s, uint32_t store, uint32_t byte, const struct cw_event *e)
{
    char where[2][CW_PERSIST_PLACE];
    unlink_byte(s, store, byte);
    for (uint32_t at = store; at != NONE && !s->stopped;) {
        const struct cw_persist_store *x = cw_persist__store(s, at);
        const uint32_t older = x->older[byte];
        if (at != store && (x->gone >> byte & 1) != 0)
            cw_persist__tell(s,
                             "byte %u of 0x%" PRIx64 ": what core %u wrote in cycle %" PRIu64 "%s is durable in cycle %" PRIu64
                             ", and what it wrote there in cycle %" PRIu64 "%s has left and is not durable",
                             byte, x->addr, e->core, cw_persist__store(s, store)->now / s->period,
                             cw_persist__place(s, cw_persist__store(s, store), where[0]), e->now / s->period, x->now / s->period,
                             cw_persist__place(s, x, where[1]));
        else
            make_durable(s, at, 1u << byte);
        at = older;
    }
}

/* Whether the bytes of the store are as they were written; else tells. */
static bool as_written(struct cw_persist_check *s, const struct cw_persist_store *x, uint32_t bytes, const struct cw_event *e)
{
    char where[CW_PERSIST_PLACE];
    uint32_t durable;
    memcpy(&durable, e->u.line.data + (x->addr - e->u.line.addr), sizeof durable);
    if (durable == x->value || x->unknown)
        return true;
    uint32_t other = durable ^ x->value;
    for (uint32_t b = 0; b < 4; b++, other >>= 8)
        if ((bytes >> b & 1) != 0 && (other & 0xff) != 0) {
            cw_persist__tell(s,
                             "byte %u of 0x%" PRIx64 " is durable in cycle %" PRIu64 " as 0x%x; core %u wrote 0x%x in cycle %" PRIu64 "%s",
                             b, x->addr, e->now / s->period, durable >> 8 * b & 0xff, e->core, x->value >> 8 * b & 0xff, x->now / s->period,
                             cw_persist__place(s, x, where));
            return false;
        }
    return true;
}

/* All four bytes are this store's, and neither an older nor a newer one has any of them: the usual case, in one step. */
static bool is_alone(const struct cw_persist_check *s, const struct cw_persist_store *x, uint32_t store, uint32_t bytes)
{
    return bytes == 15 && x->due == 15 && all_last(x->older, NONE) && all_last(last_of(s, x->row, x->addr), store);
}

static void persist_part(struct cw_persist_check *s, const struct cw_persist_part *p, const struct cw_event *e)
{
    const struct cw_persist_store *x = cw_persist__store(s, p->store);
    const uint32_t row = x->row;
    if (!as_written(s, x, p->bytes, e))
        return;
    if (is_alone(s, x, p->store, p->bytes)) {
        memset(last_of(s, row, x->addr), 0xff, 4 * sizeof(uint32_t)); /* NONE */
        cw_persist__row(s, row)->live -= 4;
        make_durable(s, p->store, 15);
    } else {
        for (uint32_t b = 0; b < 4 && !s->stopped; b++)
            if ((p->bytes >> b & 1) != 0)
                persist_byte(s, p->store, b, e);
    }
    if (!s->stopped)
        forget_if_empty(s, row);
}

/* The record is larger than the host's caches, and what comes next is known: it is asked for in time. The store of the part after the next
 * one, and the node of the next one, whose store is there by now. */
static void fetch_parts(const struct cw_persist_check *s, uint32_t next)
{
    if (next == NONE)
        return;
    const struct cw_persist_part *p = cw_persist__part(s, next);
    __builtin_prefetch(cw_persist__node(s, cw_persist__store(s, p->store)->node), 1);
    if (p->next != NONE)
        __builtin_prefetch(cw_persist__store(s, cw_persist__part(s, p->next)->store), 1);
}

void cw_persist__persisted(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint64_t key = departure_key(e->core, e->u.line.id);
    const uint32_t i = cw_key_map_find(&s->departures, key);
    if (i == CW_KEY_MAP_NONE || cw_persist__departure(s, i)->line != e->u.line.addr ||
        !same_mask(cw_persist__departure(s, i)->byte_mask, e->u.line.byte_mask)) {
        cw_persist__tell(s,
                         "bytes of line 0x%" PRIx64 " are durable in cycle %" PRIu64 ", and departure %u of core %u is not of these bytes",
                         e->u.line.addr, e->now / s->period, e->u.line.id, e->core);
        return;
    }
    for (uint32_t at = cw_persist__departure(s, i)->part; at != NONE && !s->stopped;) {
        const struct cw_persist_part p = *cw_persist__part(s, at);
        fetch_parts(s, p.next);
        persist_part(s, &p, e);
        cw_pool_give(&s->part, at);
        at = p.next;
    }
    cw_key_map_remove(&s->departures, key);
    cw_pool_give(&s->departure, i);
}

static void fetch_before(const struct cw_persist_check *s, uint32_t node)
{
    const struct cw_persist_node *n = cw_persist__node(s, node);
    for (uint32_t i = 0; i < 2; i++)
        if (n->before[i] != NONE)
            __builtin_prefetch(cw_persist__node(s, n->before[i]), 1);
}

void cw_persist__judge(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->durable.cnt && !s->stopped; i++) {
        const uint32_t store = s->durable.at[i], node = cw_persist__store(s, store)->node;
        if (i + FETCH < s->durable.cnt)
            fetch_before(s, cw_persist__store(s, s->durable.at[i + FETCH])->node);
        if (cw_persist__waits(s, node))
            cw_persist__tell_order(s, store);
        if (s->pairs > 0)
            cw_persist__narrow_durable(s, store);
        cw_persist__drop(s, node);
        cw_pool_give(&s->store, store);
    }
    s->durable.cnt = 0;
}
