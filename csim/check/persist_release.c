/* SPDX-License-Identifier: Apache-2.0 */
/* Which release an acquire reads from. */
#include <string.h>

#include "check/persist_private.h"
#include "ir/uop.h"

#define NONE     CW_PERSIST_NONE
#define NO_BLOCK UINT32_MAX
#define SHARED   (UINT64_C(1) << 63)

/* Shared memory has the same addresses in every block. */
static uint64_t key_of(uint64_t address, uint32_t block)
{
    const uint64_t addr = address / CW_PERSIST_ROW;
    return address >= CW_GLOBAL_BASE ? addr : SHARED | (uint64_t)block << 32 | addr;
}

static uint32_t word_of(uint64_t address)
{
    return (uint32_t)(address % CW_PERSIST_ROW / 4);
}

static uint8_t byte_of(uint64_t address)
{
    return (uint8_t)(address % 4);
}

static void remove_release(struct cw_persist_check *s, uint32_t *link)
{
    const uint32_t i = *link;
    *link = cw_persist__release(s, i)->next;
    cw_persist__drop(s, cw_persist__release(s, i)->node);
    cw_pool_give(&s->release, i);
}

/* Whether another of these releases has given the variable the same value: then this one says that an acquire does not read from it. */
static bool hides_one(const struct cw_persist_check *s, uint32_t first, uint32_t release)
{
    const struct cw_persist_release *r = cw_persist__release(s, release);
    for (uint32_t i = first; i != NONE; i = cw_persist__release(s, i)->next)
        if (i != release && cw_persist__release(s, i)->value == r->value && cw_persist__release(s, i)->byte == r->byte)
            return true;
    return false;
}

/* Removes the release that is made again (NULL: none), and those that order nothing any more. Where none is made the latest one
 * stays: an acquire may still read from it whose scope is too narrow. */
static void prune(struct cw_persist_check *s, uint32_t *first, const struct cw_persist_variable *v)
{
    for (uint32_t *link = first; *link != NONE;) {
        struct cw_persist_release *r = cw_persist__release(s, *link);
        const bool same =
            v != NULL && r->value == v->value && r->byte == byte_of(v->addr) && r->block == v->block && r->device == v->device;
        const bool settled = cw_persist__settled(s, r->node);
        if (same || (settled && (v != NULL || link != first) && !hides_one(s, *first, *link)))
            remove_release(s, link);
        else
            link = &r->next;
    }
}

/* NONE: nothing was released to its words that orders anything. */
static uint32_t find_shelf(struct cw_persist_check *s, uint64_t key)
{
    if (key != s->near_shelf) {
        s->near_shelf = key;
        s->near_shelf_at = cw_key_map_find(&s->shelves, key);
    }
    return s->near_shelf_at;
}

static uint32_t shelf_of(struct cw_persist_check *s, uint64_t key)
{
    uint32_t i = find_shelf(s, key);
    if (i != NONE)
        return i;
    i = cw_pool_take(&s->shelf);
    if (i == NONE || !cw_key_map_add(&s->shelves, key, i)) {
        s->out_of_memory = s->stopped = true;
        return NONE;
    }
    struct cw_persist_shelf *v = cw_persist__shelf(s, i);
    v->used = 0;
    v->key = key;
    memset(v->release, 0xff, sizeof v->release); /* all NONE */
    return s->near_shelf_at = i;
}

static void forget_if_empty(struct cw_persist_check *s, uint32_t i)
{
    struct cw_persist_shelf *v = cw_persist__shelf(s, i);
    if (v->used != 0)
        return;
    cw_key_map_remove(&s->shelves, v->key);
    if (s->near_shelf == v->key)
        s->near_shelf = CW_PERSIST_NO_KEY;
    cw_pool_give(&s->shelf, i);
}

/* The releases of the word have changed; had: whether it had one. */
static void count(struct cw_persist_shelf *v, uint32_t word, bool had)
{
    v->used += v->release[word] != NONE;
    v->used -= had;
}

void cw_persist__release_at(struct cw_persist_check *s, const struct cw_persist_variable *v, uint32_t node)
{
    const uint32_t i = shelf_of(s, key_of(v->addr, v->block)), word = word_of(v->addr);
    if (i == NONE)
        return;
    struct cw_persist_shelf *shelf = cw_persist__shelf(s, i);
    uint32_t *first = &shelf->release[word];
    const bool had = *first != NONE;
    prune(s, first, v);
    const uint32_t r = cw_pool_take(&s->release);
    if (r == NONE) {
        s->out_of_memory = s->stopped = true;
        return;
    }
    *cw_persist__release(s, r) = (struct cw_persist_release){.next = *first,
                                                             .node = cw_persist__hold(s, node),
                                                             .value = v->value,
                                                             .block = v->block,
                                                             .byte = byte_of(v->addr),
                                                             .device = v->device};
    *first = r;
    if (node == NONE && !hides_one(s, r, r))
        remove_release(s, first);
    count(shelf, word, had);
    forget_if_empty(s, i);
}

/* A release of a launch before this one hands nothing over that the end of its launch has not. */
static bool too_narrow(const struct cw_persist_release *r)
{
    return r->node != NONE && r->block != NO_BLOCK;
}

uint32_t cw_persist__acquire_at(struct cw_persist_check *s, const struct cw_event *e, uint32_t *narrow)
{
    *narrow = NONE;
    const uint32_t i = find_shelf(s, key_of(e->u.order.addr, e->u.order.block));
    if (i == NONE)
        return NONE;
    for (uint32_t at = cw_persist__shelf(s, i)->release[word_of(e->u.order.addr)]; at != NONE; at = cw_persist__release(s, at)->next) {
        const struct cw_persist_release *r = cw_persist__release(s, at);
        const bool covered = r->block == e->u.order.block || (r->device && e->u.order.device);
        if (r->value != e->u.order.value || r->byte != byte_of(e->u.order.addr))
            continue;
        if (covered) {
            *narrow = NONE;
            return cw_persist__settled(s, r->node) ? NONE : r->node;
        }
        if (too_narrow(r))
            *narrow = r->node;
    }
    return NONE;
}

static void prune_shelf(struct cw_persist_check *s, struct cw_persist_shelf *v)
{
    for (uint32_t word = 0; word < CW_PERSIST_SHELF; word++) {
        const bool had = v->release[word] != NONE;
        prune(s, &v->release[word], NULL);
        count(v, word, had);
    }
}

void cw_persist__sweep_releases(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->shelf.cnt; i++)
        if (cw_persist__shelf(s, i)->used != 0) {
            prune_shelf(s, cw_persist__shelf(s, i));
            forget_if_empty(s, i);
        }
}

static void forget_blocks_of(struct cw_persist_check *s, struct cw_persist_shelf *v, uint32_t word)
{
    const bool shared = (v->key & SHARED) != 0, had = v->release[word] != NONE;
    for (uint32_t *link = &v->release[word]; *link != NONE;) {
        struct cw_persist_release *r = cw_persist__release(s, *link);
        r->block = NO_BLOCK;
        if (shared || !r->device || (cw_persist__settled(s, r->node) && !hides_one(s, v->release[word], *link)))
            remove_release(s, link);
        else
            link = &r->next;
    }
    count(v, word, had);
}

void cw_persist__forget_blocks(struct cw_persist_check *s)
{
    for (uint32_t i = 0; i < s->shelf.cnt; i++) {
        if (cw_persist__shelf(s, i)->used == 0)
            continue;
        for (uint32_t word = 0; word < CW_PERSIST_SHELF; word++)
            forget_blocks_of(s, cw_persist__shelf(s, i), word);
        forget_if_empty(s, i);
    }
}
