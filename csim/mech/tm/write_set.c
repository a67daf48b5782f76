/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/write_set.h"

#include <stdlib.h>
#include <string.h>

#define NONE CW_WRITE_SET_NONE

static uint32_t hash(const struct cw_write_set *s, uint64_t granule)
{
    return (uint32_t)((granule * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (s->slot_cnt - 1);
}

void cw_write_set_clear(struct cw_write_set *s)
{
    if (s->granule_cnt * 4 > s->slot_cnt)
        memset(s->slot, 0, s->slot_cnt * sizeof *s->slot);
    else
        for (uint32_t i = s->granule_cnt; i-- > 0;) { /* in reverse order of insertion, so that every probe sequence stays whole */
            uint32_t at = hash(s, s->granule[i].granule);
            while (s->slot[at] != i + 1)
                at = (at + 1) & (s->slot_cnt - 1);
            s->slot[at] = 0;
        }
    s->granule_cnt = s->word_cnt = 0;
}

void cw_write_set_free(struct cw_write_set *s)
{
    free(s->slot);
    free(s->granule);
    free(s->word);
    *s = (struct cw_write_set){0};
}

static int grow(struct cw_write_set *s)
{
    uint32_t cap = s->granule_cap == 0 ? 64 : 2 * s->granule_cap;
    struct cw_write_granule *granule = realloc(s->granule, cap * sizeof *granule);
    if (granule == NULL)
        return CW_ENOMEM;
    s->granule = granule;
    uint32_t *slot = calloc(2 * (size_t)cap, sizeof *slot);
    if (slot == NULL)
        return CW_ENOMEM;
    free(s->slot);
    s->slot = slot;
    s->slot_cnt = 2 * cap;
    s->granule_cap = cap;
    for (uint32_t i = 0; i < s->granule_cnt; i++) {
        uint32_t at = hash(s, granule[i].granule);
        while (slot[at] != 0)
            at = (at + 1) & (s->slot_cnt - 1);
        slot[at] = i + 1;
    }
    return CW_OK;
}

/* The granule's index, inserted when absent; NONE: out of memory. */
static uint32_t find(struct cw_write_set *s, uint64_t granule)
{
    if (s->granule_cnt == s->granule_cap && grow(s) != CW_OK)
        return NONE;
    uint32_t at = hash(s, granule);
    for (; s->slot[at] != 0; at = (at + 1) & (s->slot_cnt - 1))
        if (s->granule[s->slot[at] - 1].granule == granule)
            return s->slot[at] - 1;
    s->granule[s->granule_cnt] = (struct cw_write_granule){.granule = granule, .first = NONE, .last = NONE, .next = NONE};
    s->slot[at] = ++s->granule_cnt;
    return s->granule_cnt - 1;
}

int cw_write_set_count(struct cw_write_set *s, uint64_t granule)
{
    uint32_t i = find(s, granule);
    if (i == NONE)
        return CW_ENOMEM;
    s->granule[i].count++;
    return CW_OK;
}

static uint32_t byte_mask(uint32_t bytes)
{
    uint32_t mask = 0;
    for (uint32_t b = 0; b < 4; b++)
        if (bytes >> b & 1)
            mask |= 0xffu << (8 * b);
    return mask;
}

static int merge_word(struct cw_write_set *s, uint32_t g, const struct cw_write_row *row, uint32_t lane)
{
    struct cw_write_granule *granule = s->granule + g;
    for (uint32_t i = granule->first; i != NONE; i = s->word[i].next) {
        struct cw_write_word *w = s->word + i;
        if (w->addr != row->addr[lane])
            continue;
        uint32_t mask = byte_mask(row->bytes[lane]);
        w->value = (w->value & ~mask) | (row->value[lane] & mask);
        w->bytes |= row->bytes[lane];
        return CW_OK;
    }
    if (s->word_cnt == s->word_cap) {
        uint32_t cap = s->word_cap == 0 ? 128 : 2 * s->word_cap;
        struct cw_write_word *word = realloc(s->word, cap * sizeof *word);
        if (word == NULL)
            return CW_ENOMEM;
        s->word = word;
        s->word_cap = cap;
    }
    s->word[s->word_cnt] = (struct cw_write_word){
        .addr = row->addr[lane], .value = row->value[lane], .next = NONE, .bytes = row->bytes[lane], .lane = (uint8_t)lane};
    if (granule->first == NONE)
        granule->first = s->word_cnt;
    else
        s->word[granule->last].next = s->word_cnt;
    granule->last = s->word_cnt++;
    return CW_OK;
}

int cw_write_set_merge(struct cw_write_set *s, const struct cw_redo_log *log, cw_lanes lanes, uint64_t base, uint32_t shift)
{
    for (uint32_t i = 0; i < log->write_cnt; i++) {
        const struct cw_write_row *row = log->write + i;
        for (cw_lanes rest = row->lanes & lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            uint32_t g = find(s, (row->addr[lane] - base) >> shift);
            if (g == NONE || merge_word(s, g, row, lane) != CW_OK)
                return CW_ENOMEM;
        }
    }
    return CW_OK;
}
