/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring: the places of a queue in an array, without the array. The owner has the array, says how many places it has, and reads and writes the
 * entries itself:
 *
 *     struct cw_ring ring;                             head: the place of the oldest entry; cnt: entries
 *     op[cw_ring_add(&ring, OPS)] = new_one;           the newest
 *     oldest = op[ring.head];
 *     done = op[cw_ring_take(&ring, OPS)];             the oldest, which leaves; its entry stays as it is until the place is used again
 *
 * A ring of zeros is empty. `places` is the same in each call, but for cw_ring_grow. It need not be a power of two.
 */
#ifndef CW_BASE_RING_H
#define CW_BASE_RING_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct cw_ring {
    uint32_t head, cnt;
};

/* The place that is i behind the oldest entry's. i <= places. */
static inline uint32_t cw_ring_at(const struct cw_ring *r, uint32_t i, uint32_t places)
{
    const uint32_t at = r->head + i;
    return at < places ? at : at - places;
}

/* The place of a new entry behind all others. The ring is not full. */
static inline uint32_t cw_ring_add(struct cw_ring *r, uint32_t places)
{
    assert(r->cnt < places);
    return cw_ring_at(r, r->cnt++, places);
}

/* The place of the oldest entry, which leaves. The ring is not empty. */
static inline uint32_t cw_ring_take(struct cw_ring *r, uint32_t places)
{
    assert(r->cnt > 0);
    const uint32_t at = r->head;
    r->head = at + 1 < places ? at + 1 : 0;
    r->cnt--;
    return at;
}

/* Moves the entries, of `bytes` each, into an array from malloc() with twice as many places, or 64 for none, and frees the old one.
 * Returns the new one and enlarges *places; NULL: no memory, and nothing has changed. */
void *cw_ring_grow(struct cw_ring *r, void *entries, uint32_t *places, size_t bytes);

#endif
