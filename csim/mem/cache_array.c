/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/cache_array.h"

#include <stdlib.h>
#include <string.h>

/* Of these ways: when the youngest was used; CW_CACHE_EMPTY: all are pinned. */
static uint64_t youngest(const struct cw_cache_array *a, uint32_t from, uint32_t cnt)
{
    uint64_t last = 0;
    bool open = false;
    for (uint32_t line = from; line < from + cnt; line++) {
        open |= !a->pinned[line];
        last = a->age[line] > last ? a->age[line] : last;
    }
    return open ? last : CW_CACHE_EMPTY;
}

/* A binary tree over the ways: at each node the half that was not used last, unless all of it is pinned. */
static uint32_t by_tree(const struct cw_cache_array *a, uint32_t set)
{
    uint32_t from = set * a->ways, cnt = a->ways;
    for (uint32_t line = from; line < from + cnt; line++)
        if (!a->pinned[line] && a->tag[line] == CW_CACHE_EMPTY)
            return line;
    while (cnt > 1) {
        const uint32_t half = cnt / 2;
        const bool upper = youngest(a, from + half, cnt - half) < youngest(a, from, half);
        from += upper ? half : 0;
        cnt = upper ? cnt - half : half;
    }
    return a->pinned[from] ? CW_CACHE_NONE : from;
}

/*
 * Re-reference interval prediction (Jaleel, ISCA 2010) with 2 bits: a line's mark says how far its next use is predicted to be. A hit says
 * near. A fill says long, which is not yet distant, so that lines of a scan go before those that have been hit. Under BRRIP a fill says
 * distant, but for one of 32 in a set, so that a part of a working set stays that is larger than the cache. When no line is distant, all of
 * the set move until one is; here that is done when the line that goes is replaced, since choosing changes nothing.
 */
enum { RRIP_NEAR = 0, RRIP_LONG = 2, RRIP_DISTANT = 3, BRRIP_PERIOD = 32 };

static uint32_t most_distant(const struct cw_cache_array *a, uint32_t set)
{
    const uint32_t base = set * a->ways;
    uint32_t best = CW_CACHE_NONE;
    for (uint32_t line = base; line < base + a->ways; line++)
        if (!a->pinned[line] && (best == CW_CACHE_NONE || a->mark[line] > a->mark[best]))
            best = line;
    return best;
}

/* The line has taken the place of one with the largest mark of the set, or of none. */
static void move_marks(struct cw_cache_array *a, uint32_t line)
{
    const uint32_t base = line / a->ways * a->ways;
    const uint32_t steps = a->mark[line] < RRIP_DISTANT ? RRIP_DISTANT - a->mark[line] : 0;
    for (uint32_t other = base; steps != 0 && other < base + a->ways; other++)
        if (a->mark[other] < RRIP_DISTANT)
            a->mark[other] = (uint8_t)(a->mark[other] + steps < RRIP_DISTANT ? a->mark[other] + steps : RRIP_DISTANT);
}

static void rrip_used(struct cw_cache_array *a, uint32_t line, bool filled)
{
    if (filled)
        move_marks(a, line);
    a->mark[line] = filled ? RRIP_LONG : RRIP_NEAR;
}

static void brrip_used(struct cw_cache_array *a, uint32_t line, bool filled)
{
    rrip_used(a, line, filled);
    if (filled && a->tally[line / a->ways]++ % BRRIP_PERIOD != BRRIP_PERIOD - 1)
        a->mark[line] = RRIP_DISTANT;
}

static const struct {
    bool young_on_hit;
    uint32_t (*choose)(const struct cw_cache_array *a, uint32_t set);   /* NULL: the oldest */
    void (*used)(struct cw_cache_array *a, uint32_t line, bool filled); /* NULL: it remembers ages alone */
} cw_replacements[CW_REPLACE_CNT] = {
    [CW_REPLACE_LRU] = {true, NULL, NULL},
    [CW_REPLACE_FIFO] = {false, NULL, NULL},
    [CW_REPLACE_PLRU] = {true, by_tree, NULL},
    [CW_REPLACE_RRIP] = {false, most_distant, rrip_used},
    [CW_REPLACE_BRRIP] = {false, most_distant, brrip_used},
};

static bool create_map(struct cw_cache_array *a)
{
    const uint32_t lines = a->sets * a->ways;
    uint32_t places = 1;
    if (a->ways <= CW_CACHE_SCAN_WAYS)
        return true;
    while (places < 2 * lines)
        places *= 2;
    a->map = calloc(places, sizeof *a->map);
    a->link = calloc(lines, sizeof *a->link);
    a->order = calloc(a->sets, sizeof *a->order);
    a->map_mask = places - 1;
    return a->map != NULL && a->link != NULL && a->order != NULL;
}

int cw_cache_array_create(struct cw_cache_array *a, uint32_t sets, uint32_t ways, enum cw_replacement policy, struct cw_error *err)
{
    const size_t lines = (size_t)sets * ways;
    *a = (struct cw_cache_array){.sets = sets, .ways = ways};
    a->young_on_hit = cw_replacements[policy].young_on_hit;
    a->choose = cw_replacements[policy].choose;
    a->used = cw_replacements[policy].used;
    a->mark = calloc(lines, sizeof *a->mark);
    a->tally = calloc(sets, sizeof *a->tally);
    a->tag = calloc(lines, sizeof *a->tag);
    a->age = calloc(lines, sizeof *a->age);
    a->pinned = calloc(lines, sizeof *a->pinned);
    if (a->tag == NULL || a->age == NULL || a->pinned == NULL || a->mark == NULL || a->tally == NULL || !create_map(a)) {
        cw_cache_array_destroy(a);
        return cw_fail(err, CW_ENOMEM, "no memory for a cache");
    }
    cw_cache_array_reset(a);
    return CW_OK;
}

void cw_cache_array_destroy(struct cw_cache_array *a)
{
    free(a->tag);
    free(a->age);
    free(a->pinned);
    free(a->mark);
    free(a->tally);
    free(a->map);
    free(a->link);
    free(a->order);
    memset(a, 0, sizeof *a);
}

/* ---- with a map: the map, and the order of age ---- */

static uint32_t place_of(const struct cw_cache_array *a, uint64_t tag)
{
    return (uint32_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> 32) & a->map_mask;
}

uint32_t cw_cache_array__mapped(const struct cw_cache_array *a, uint64_t tag)
{
    uint32_t line = a->map[place_of(a, tag)];
    while (line != CW_CACHE_NONE && a->tag[line] != tag)
        line = a->link[line].next;
    return line;
}

static void map_add(struct cw_cache_array *a, uint32_t line)
{
    uint32_t *first = a->map + place_of(a, a->tag[line]);
    a->link[line].next = *first;
    *first = line;
}

static void map_remove(struct cw_cache_array *a, uint32_t line)
{
    uint32_t *at = a->map + place_of(a, a->tag[line]);
    while (*at != line)
        at = &a->link[*at].next;
    *at = a->link[line].next;
}

static void order_remove(struct cw_cache_array *a, uint32_t line)
{
    const struct cw_cache_link *l = &a->link[line];
    struct cw_cache_order *o = &a->order[line / a->ways];
    *(l->older != CW_CACHE_NONE ? &a->link[l->older].younger : &o->oldest) = l->younger;
    *(l->younger != CW_CACHE_NONE ? &a->link[l->younger].older : &o->youngest) = l->older;
}

/* The line becomes the youngest of its set, or the oldest. */
static void order_add(struct cw_cache_array *a, uint32_t line, bool youngest)
{
    struct cw_cache_order *o = &a->order[line / a->ways];
    const uint32_t beside = youngest ? o->youngest : o->oldest;
    a->link[line].older = youngest ? beside : CW_CACHE_NONE;
    a->link[line].younger = youngest ? CW_CACHE_NONE : beside;
    if (beside == CW_CACHE_NONE)
        o->oldest = o->youngest = line;
    else if (youngest)
        a->link[beside].younger = o->youngest = line;
    else
        a->link[beside].older = o->oldest = line;
}

void cw_cache_array__renew(struct cw_cache_array *a, uint32_t line)
{
    order_remove(a, line);
    order_add(a, line, true);
}

static void reset_map(struct cw_cache_array *a)
{
    if (a->map == NULL)
        return;
    for (uint32_t i = 0; i <= a->map_mask; i++)
        a->map[i] = CW_CACHE_NONE;
    for (uint32_t set = 0; set < a->sets; set++)
        a->order[set] = (struct cw_cache_order){CW_CACHE_NONE, CW_CACHE_NONE};
    for (uint32_t line = 0; line < a->sets * a->ways; line++)
        order_add(a, line, true);
}

/* ---- tags ---- */

void cw_cache_array_reset(struct cw_cache_array *a)
{
    for (uint32_t line = 0; line < a->sets * a->ways; line++) {
        a->tag[line] = CW_CACHE_EMPTY;
        a->age[line] = 0;
        a->pinned[line] = false;
        a->mark[line] = UINT8_MAX;
    }
    for (uint32_t set = 0; set < a->sets; set++)
        a->tally[set] = 0;
    a->clock = 0;
    reset_map(a);
}

/* Lines out of the order of age are never found as the oldest; where there is none, pinned ones are passed over. */
void cw_cache_array_limit(struct cw_cache_array *a, uint32_t ways)
{
    for (uint32_t line = 0; line < a->sets * a->ways; line++) {
        if (line % a->ways < ways)
            continue;
        a->pinned[line] = true;
        if (a->map != NULL)
            order_remove(a, line);
    }
}

uint32_t cw_cache_array__oldest(const struct cw_cache_array *a, uint32_t set)
{
    const uint32_t base = set * a->ways;
    uint32_t best = CW_CACHE_NONE;
    if (a->map != NULL) {
        uint32_t line = a->order[set].oldest;
        while (line != CW_CACHE_NONE && a->pinned[line])
            line = a->link[line].younger;
        return line;
    }
    for (uint32_t line = base; line < base + a->ways; line++) {
        if (a->pinned[line])
            continue;
        if (a->tag[line] == CW_CACHE_EMPTY)
            return line;
        if (best == CW_CACHE_NONE || a->age[line] < a->age[best])
            best = line;
    }
    return best;
}

void cw_cache_array_name(struct cw_cache_array *a, uint32_t line, uint64_t tag)
{
    if (a->map != NULL && a->tag[line] != CW_CACHE_EMPTY)
        map_remove(a, line);
    a->tag[line] = tag;
    if (tag == CW_CACHE_EMPTY)
        a->mark[line] = UINT8_MAX;
    if (a->map == NULL)
        return;
    if (tag != CW_CACHE_EMPTY) {
        map_add(a, line);
    } else {
        order_remove(a, line);
        order_add(a, line, false);
    }
}

void cw_cache_array_state(struct cw_state *s, struct cw_cache_array *a)
{
    const size_t lines = (size_t)a->sets * a->ways;
    cw_state_array(s, "tag", a->tag, lines, sizeof *a->tag);
    cw_state_array(s, "age", a->age, lines, sizeof *a->age);
    cw_state_array(s, "pinned", a->pinned, lines, sizeof *a->pinned);
    cw_state_array(s, "mark", a->mark, lines, sizeof *a->mark);
    cw_state_array(s, "tally", a->tally, a->sets, sizeof *a->tally);
    CW_STATE(s, a->clock);
    if (a->map == NULL)
        return;
    cw_state_array(s, "map", a->map, (size_t)a->map_mask + 1, sizeof *a->map);
    for (size_t i = 0; i < lines; i++) {
        CW_STATE(s, a->link[i].older);
        CW_STATE(s, a->link[i].younger);
        CW_STATE(s, a->link[i].next);
    }
    for (uint32_t i = 0; i < a->sets; i++) {
        CW_STATE(s, a->order[i].oldest);
        CW_STATE(s, a->order[i].youngest);
    }
}
