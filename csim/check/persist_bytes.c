/* SPDX-License-Identifier: Apache-2.0 */
/* Stores, byte by byte, from the thread that makes them to the persistence domain. */
#include <inttypes.h>

#include "check/persist_private.h"

#define NONE  CW_PERSIST_NONE
#define WORDS 32u /* of the longest line */

static uint64_t word_key(uint32_t core, uint64_t addr)
{
    return (uint64_t)core << 48 | addr;
}

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

/* Stores */

static uint32_t word_of(struct cw_persist_check *s, uint64_t key)
{
    uint32_t i = cw_key_map_find(&s->words, key);
    if (i != CW_KEY_MAP_NONE)
        return i;
    i = cw_pool_take(&s->word);
    if (!enough(s, i != NONE && cw_key_map_add(&s->words, key, i)))
        return NONE;
    *cw_persist__word(s, i) = (struct cw_persist_word){.last = {NONE, NONE, NONE, NONE}, .key = key};
    return i;
}

/* The store that the new one can join, because nothing will tell them apart: of the same segment, none of its bytes has left or stands for
 * an older store's, and the new one overwrites all of it. Without this a thread that counts in one word would fill the record. */
static uint32_t joined(const struct cw_persist_check *s, uint32_t word, uint32_t bytes, uint32_t node)
{
    const struct cw_persist_word *w = cw_persist__word(s, word);
    const uint32_t first = w->last[__builtin_ctz(bytes)];
    if (first == NONE)
        return NONE;
    const struct cw_persist_store *x = cw_persist__store(s, first);
    if (x->node != node || x->gone != 0 || x->due != bytes)
        return NONE;
    for (uint32_t b = 0; b < 4; b++)
        if ((bytes >> b & 1) != 0 && w->last[b] != first)
            return NONE;
    return first;
}

void cw_persist__stored(struct cw_persist_check *s, const struct cw_event *e)
{
    const uint32_t bytes = e->u.word.bytes, word = word_of(s, word_key(e->core, e->u.word.addr));
    const uint32_t thread = cw_persist__thread_of(s, e);
    const uint32_t node = word != NONE && thread != NONE ? cw_persist__segment(s, thread, e) : NONE;
    if (node == NONE)
        return;
    s->report.stores++;
    uint32_t i = joined(s, word, bytes, node);
    if (i != NONE) { /* which is pending already, and names the node */
        cw_persist__store(s, i)->value = e->u.word.value;
        cw_persist__store(s, i)->unknown = e->u.word.unknown;
        cw_persist__store(s, i)->now = e->now;
        cw_persist__thread(s, thread)->pending--;
        cw_persist__node(s, node)->pending--;
        cw_persist__drop(s, node);
        return;
    }
    i = cw_pool_take(&s->store);
    if (!enough(s, i != NONE))
        return;
    struct cw_persist_store *x = cw_persist__store(s, i);
    struct cw_persist_word *w = cw_persist__word(s, word);
    *x = (struct cw_persist_store){.thread = thread,
                                   .generation = cw_persist__thread(s, thread)->generation,
                                   .node = node,
                                   .word = word,
                                   .addr = e->u.word.addr,
                                   .older = {NONE, NONE, NONE, NONE},
                                   .due = (uint8_t)bytes,
                                   .value = e->u.word.value,
                                   .unknown = e->u.word.unknown,
                                   .now = e->now};
    for (uint32_t b = 0; b < 4; b++)
        if ((bytes >> b & 1) != 0) {
            x->older[b] = w->last[b];
            w->last[b] = i;
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
    const uint32_t word = cw_key_map_find(&s->words, word_key(e->core, addr));
    for (uint32_t rest = bytes; rest != 0 && !s->stopped;) {
        const uint32_t store = word != CW_KEY_MAP_NONE ? cw_persist__word(s, word)->last[__builtin_ctz(rest)] : NONE;
        uint32_t own = 0;
        for (uint32_t b = 0; store != NONE && b < 4; b++)
            if ((rest >> b & 1) != 0 && cw_persist__word(s, word)->last[b] == store)
                own |= 1u << b;
        if (store == NONE || (cw_persist__store(s, store)->gone & own) != 0)
            cw_persist__tell(
                s, "bytes 0x%x of 0x%" PRIx64 " leave core %u in cycle %" PRIu64 ", and no thread has written them since they last left",
                rest, addr, e->core, e->now / s->period);
        else if (!take_part(s, d, store, own))
            return;
        rest &= ~own;
    }
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
    for (uint32_t i = 0; i < WORDS && !s->stopped; i++)
        if (bytes_of(d.byte_mask, i) != 0)
            leave_word(s, &d, e, d.line + 4 * i, bytes_of(d.byte_mask, i));
    const uint32_t i = cw_pool_take(&s->departure);
    if (enough(s, i != NONE && cw_key_map_add(&s->departures, key, i)))
        *cw_persist__departure(s, i) = d;
}

/* Durable bytes */

static void make_durable(struct cw_persist_check *s, uint32_t store, uint32_t byte, cw_time now)
{
    struct cw_persist_store *x = cw_persist__store(s, store);
    struct cw_persist_thread *t = cw_persist__thread(s, x->thread);
    x->due &= (uint8_t) ~(1u << byte);
    if (x->due != 0)
        return;
    x->durable = now;
    s->report.persists++;
    cw_persist__node(s, x->node)->pending--;
    if (t->generation == x->generation)
        t->pending--;
    cw_persist__push(s, &s->durable, store);
}

/* Takes the store and all older ones of its core out of the byte's list. Returns it: each names the next older one. */
static void unlink_byte(struct cw_persist_check *s, uint32_t store, uint32_t byte)
{
    uint32_t *link = &cw_persist__word(s, cw_persist__store(s, store)->word)->last[byte];
    while (*link != store && *link != NONE)
        link = &cw_persist__store(s, *link)->older[byte];
    *link = NONE;
}

static void persist_byte(struct cw_persist_check *s, uint32_t store, uint32_t byte, const struct cw_event *e)
{
    unlink_byte(s, store, byte);
    for (uint32_t at = store; at != NONE && !s->stopped;) {
        const struct cw_persist_store *x = cw_persist__store(s, at);
        const uint32_t older = x->older[byte];
        if (at != store && (x->gone >> byte & 1) != 0)
            cw_persist__tell(s,
                             "byte %u of 0x%" PRIx64 ": what core %u wrote in cycle %" PRIu64 " is durable in cycle %" PRIu64
                             ", and what it wrote there in cycle %" PRIu64 " has left and is not durable",
                             byte, x->addr, e->core, cw_persist__store(s, store)->now / s->period, e->now / s->period, x->now / s->period);
        else
            make_durable(s, at, byte, e->now);
        at = older;
    }
}

static void forget_if_empty(struct cw_persist_check *s, uint32_t word)
{
    const struct cw_persist_word *w = cw_persist__word(s, word);
    for (uint32_t b = 0; b < 4; b++)
        if (w->last[b] != NONE)
            return;
    cw_key_map_remove(&s->words, w->key);
    cw_pool_give(&s->word, word);
}

static void persist_part(struct cw_persist_check *s, const struct cw_persist_part *p, const struct cw_event *e)
{
    const uint32_t word = cw_persist__store(s, p->store)->word, value = cw_persist__store(s, p->store)->value;
    const uint64_t addr = cw_persist__store(s, p->store)->addr;
    for (uint32_t b = 0; b < 4 && !s->stopped; b++) {
        const uint8_t written = (uint8_t)(value >> (8 * b)), durable = e->u.line.data[addr - e->u.line.addr + b];
        if ((p->bytes >> b & 1) == 0)
            continue;
        if (written != durable && !cw_persist__store(s, p->store)->unknown)
            cw_persist__tell(s, "byte %u of 0x%" PRIx64 " is durable in cycle %" PRIu64 " as 0x%x; core %u wrote 0x%x in cycle %" PRIu64, b,
                             addr, e->now / s->period, durable, e->core, written, cw_persist__store(s, p->store)->now / s->period);
        else
            persist_byte(s, p->store, b, e);
    }
    if (!s->stopped)
        forget_if_empty(s, word);
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
        persist_part(s, &p, e);
        cw_pool_give(&s->part, at);
        at = p.next;
    }
    cw_key_map_remove(&s->departures, key);
    cw_pool_give(&s->departure, i);
}

void cw_persist__judge(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->durable.cnt && !s->stopped; i++) {
        const uint32_t store = s->durable.at[i], node = cw_persist__store(s, store)->node;
        if (cw_persist__waits(s, node))
            cw_persist__tell_order(s, store);
        cw_persist__drop(s, node);
        cw_pool_give(&s->store, store);
    }
    s->durable.cnt = 0;
}
