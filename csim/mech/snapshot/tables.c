/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/tables.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct word {
    uint64_t addr;
    uint32_t entries; /* of the reader list */
    struct cw_si_set readers;
};

struct cw_si_tables {
    uint32_t reader_room, readers;
    struct word *word;
    uint32_t word_cnt, word_cap;
    uint32_t *slot; /* open addressing: index + 1 of word[]; 0: free */
    uint32_t slots; /* power of two, at least twice word_cap */
};

static uint32_t hash(const struct cw_si_tables *t, uint64_t addr)
{
    return (uint32_t)((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->slots - 1);
}

static uint32_t find(const struct cw_si_tables *t, uint64_t addr)
{
    for (uint32_t at = hash(t, addr); t->slot[at] != 0; at = (at + 1) & (t->slots - 1))
        if (t->word[t->slot[at] - 1].addr == addr)
            return t->slot[at] - 1;
    return NONE;
}

static void enter(struct cw_si_tables *t, uint32_t index)
{
    uint32_t at = hash(t, t->word[index].addr);
    while (t->slot[at] != 0)
        at = (at + 1) & (t->slots - 1);
    t->slot[at] = index + 1;
}

static bool grow(struct cw_si_tables *t)
{
    const uint32_t cap = t->word_cap == 0 ? 256 : 2 * t->word_cap;
    struct word *word = realloc(t->word, cap * sizeof *word);
    if (word == NULL)
        return false;
    t->word = word;
    uint32_t *slot = calloc(4 * (size_t)cap, sizeof *slot);
    if (slot == NULL)
        return false;
    free(t->slot);
    t->slot = slot;
    t->slots = 4 * cap;
    t->word_cap = cap;
    for (uint32_t i = 0; i < t->word_cnt; i++)
        enter(t, i);
    return true;
}

/* The word's record, a new one if there is none; NULL: out of memory. */
static struct word *record(struct cw_si_tables *t, uint64_t addr)
{
    const uint32_t index = find(t, addr);
    if (index != NONE)
        return t->word + index;
    if (t->word_cnt == t->word_cap && !grow(t))
        return NULL;
    t->word[t->word_cnt] = (struct word){.addr = addr};
    enter(t, t->word_cnt);
    return t->word + t->word_cnt++;
}

struct cw_si_tables *cw_si_tables_create(uint32_t reader_entries)
{
    struct cw_si_tables *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->reader_room = reader_entries;
    if (grow(t))
        return t;
    cw_si_tables_destroy(t);
    return NULL;
}

void cw_si_tables_destroy(struct cw_si_tables *t)
{
    if (t == NULL)
        return;
    free(t->word);
    free(t->slot);
    free(t);
}

/* Entries that these readers take. */
static uint32_t entries_of(const struct cw_si_set *s)
{
    uint32_t readers = 0, leaves = 0;
    for (uint32_t i = 0; i < CW_SI_SET_WORDS; i++) {
        readers += (uint32_t)__builtin_popcountll(s->bits[i]);
        leaves += (uint32_t)((uint32_t)s->bits[i] != 0) + (uint32_t)(s->bits[i] >> 32 != 0);
    }
    return readers == 0 ? 0 : readers <= 3 ? 1 : 1 + leaves;
}

const struct cw_si_set *cw_si_tables_readers(const struct cw_si_tables *t, uint64_t word)
{
    const uint32_t index = find(t, word);
    return index != NONE ? &t->word[index].readers : NULL;
}

bool cw_si_tables_read(struct cw_si_tables *t, uint64_t word, uint32_t id)
{
    struct word *w = record(t, word);
    if (w == NULL || cw_si_set_has(&w->readers, id))
        return w != NULL;
    cw_si_set_put(&w->readers, id, true);
    const uint32_t entries = entries_of(&w->readers);
    if (t->readers - w->entries + entries > t->reader_room) {
        cw_si_set_put(&w->readers, id, false);
        return false;
    }
    t->readers += entries - w->entries;
    w->entries = entries;
    return true;
}

void cw_si_tables_keep(struct cw_si_tables *t, const struct cw_si_set *ids)
{
    uint32_t kept = 0;
    t->readers = 0;
    memset(t->slot, 0, t->slots * sizeof *t->slot);
    for (uint32_t i = 0; i < t->word_cnt; i++) {
        struct word w = t->word[i];
        for (uint32_t k = 0; k < CW_SI_SET_WORDS; k++)
            w.readers.bits[k] &= ids->bits[k];
        w.entries = entries_of(&w.readers);
        if (w.entries == 0)
            continue;
        t->readers += w.entries;
        t->word[kept] = w;
        enter(t, kept++);
    }
    t->word_cnt = kept;
}

uint32_t cw_si_tables_entries(const struct cw_si_tables *t)
{
    return t->readers;
}
