/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache array: which tag is in which way of a set, and which way is replaced next. What a line holds beside its tag, and when it may be
 * replaced, is the owner's. The L1, the caches that only read, and the L2 slices have one each.
 *
 * A line is known by its index, set * ways + way, which it keeps. Replacement: an empty way first, then what the policy says, among the ways
 * that the owner has not pinned (a line with a miss under way stays where it is).
 *
 * A replacement policy is a row of cw_replacements (cache_array.c): whether a hit makes a line the youngest of its set, as under LRU, or
 * only a fill does, as under FIFO; and, for one that does not go by age, a function that chooses. One that remembers something else has a
 * byte per line and a word per set, which it writes when it hears of a hit or a fill (RRIP is the example). To add one, write its row, its enumerator
 * (base/config.h), and its word in the keys l1.replacement and l2.replacement (base/config.def). An L1 writes a dirty victim back and then asks again,
 * so a function that chooses has to name the same way until the set changes: a random policy draws when a line is filled.
 *
 * An array of more than CW_CACHE_SCAN_WAYS ways finds its lines by a map and the oldest by a list, since a search would cost the host too
 * much; what it does is the same.
 */
#ifndef CW_MEM_CACHE_ARRAY_H
#define CW_MEM_CACHE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/error.h"
#include "base/state.h"

#define CW_CACHE_NONE      UINT32_MAX /* no line */
#define CW_CACHE_EMPTY     UINT64_MAX /* no tag */
#define CW_CACHE_SCAN_WAYS 64u

struct cw_cache_array {
    uint64_t *tag; /* [line]; CW_CACHE_EMPTY: none */
    uint64_t *age; /* [line]: when it became the youngest; larger is younger */
    bool *pinned;  /* [line]: may not be replaced; the owner's to write */
    uint32_t sets, ways;
    uint64_t clock;
    uint8_t *mark;     /* [line]: the policy's own; UINT8_MAX: the line is empty */
    uint32_t *tally;   /* [set]: the policy's own */
    bool young_on_hit; /* of the policy, as the following; NULL: it has none */
    uint32_t (*choose)(const struct cw_cache_array *a, uint32_t set);
    void (*used)(struct cw_cache_array *a, uint32_t line, bool filled); /* by a hit, or by the fill that has brought it */
    /* more than CW_CACHE_SCAN_WAYS ways; else NULL */
    uint32_t *map; /* [map_mask + 1]: first line of each place, CW_CACHE_NONE: none */
    uint32_t map_mask;
    struct cw_cache_link {
        uint32_t older, younger; /* in the set's order of age */
        uint32_t next;           /* of the same place in the map */
    } * link;
    struct cw_cache_order {
        uint32_t oldest, youngest;
    } * order; /* [set] */
};

/* All ways empty. CW_ENOMEM. sets * ways < CW_CACHE_NONE. */
int cw_cache_array_create(struct cw_cache_array *a, uint32_t sets, uint32_t ways, enum cw_replacement policy, struct cw_error *err);
void cw_cache_array_destroy(struct cw_cache_array *a);
/* Forgets all tags and ages, and pins nothing. */
void cw_cache_array_reset(struct cw_cache_array *a);
/* After a reset: until the next one only the first so many ways of each set are used. */
void cw_cache_array_limit(struct cw_cache_array *a, uint32_t ways);

uint32_t cw_cache_array__mapped(const struct cw_cache_array *a, uint64_t tag);
void cw_cache_array__renew(struct cw_cache_array *a, uint32_t line);
uint32_t cw_cache_array__oldest(const struct cw_cache_array *a, uint32_t set);

/* The line with that tag, which lies in that set if anywhere; CW_CACHE_NONE: there is none. */
static inline uint32_t cw_cache_array_find(const struct cw_cache_array *a, uint32_t set, uint64_t tag)
{
    if (a->map != NULL)
        return cw_cache_array__mapped(a, tag);
    const uint32_t base = set * a->ways;
    for (uint32_t line = base; line < base + a->ways; line++)
        if (a->tag[line] == tag)
            return line;
    return CW_CACHE_NONE;
}

/* The way of the set that is replaced next; CW_CACHE_NONE: all are pinned. Changes nothing. */
static inline uint32_t cw_cache_array_victim(const struct cw_cache_array *a, uint32_t set)
{
    return a->choose != NULL ? a->choose(a, set) : cw_cache_array__oldest(a, set);
}

/* The line has a new tag; CW_CACHE_EMPTY: it is empty, and comes first when its set replaces one. */
void cw_cache_array_name(struct cw_cache_array *a, uint32_t line, uint64_t tag);

/* The use that has brought the line is performed: the line is the youngest again, and that is no hit. */
static inline void cw_cache_array_served(struct cw_cache_array *a, uint32_t line)
{
    if (!a->young_on_hit)
        return;
    a->age[line] = ++a->clock;
    if (a->map != NULL)
        cw_cache_array__renew(a, line);
}

/* The line is used, and was there before. */
static inline void cw_cache_array_hit(struct cw_cache_array *a, uint32_t line)
{
    if (__builtin_expect(a->used != NULL, 0))
        a->used(a, line, false);
    cw_cache_array_served(a, line);
}

/* Its state (base/state.h). */
void cw_cache_array_state(struct cw_state *s, struct cw_cache_array *a);

/* The line has got its tag by this use. */
static inline void cw_cache_array_filled(struct cw_cache_array *a, uint32_t line)
{
    if (__builtin_expect(a->used != NULL, 0))
        a->used(a, line, true);
    a->age[line] = ++a->clock;
    if (a->map != NULL)
        cw_cache_array__renew(a, line);
}

#endif
